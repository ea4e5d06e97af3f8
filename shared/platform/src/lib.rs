//! The web shell: who is calling, what may be sent, how failures are answered, and the adapters to the
//! outside (card processor, mail, queue, key vault, clock, randomness) with their sandbox counterparts.

pub mod access;
pub mod app;
pub mod authored;
pub mod aws;
pub mod body;
pub mod cache;
pub mod cart;
pub mod catalog;
pub mod claims;
pub mod clock;
pub mod context;
pub mod error;
mod error_body;
mod headers;
pub mod idempotency;
pub mod ids;
pub mod keyed_hash;
pub mod lambda;
pub mod login;
pub mod mail;
pub mod member_proof;
pub mod paging;
pub mod paths;
pub mod processor;
pub mod query;
pub mod queue;
pub mod random;
pub mod rate_limit;
pub mod revision;
pub mod room;
pub mod routes;
pub mod shell;
pub mod standing;
pub mod task;
pub mod telemetry;
pub mod vault;

#[cfg(test)]
mod played;

/// For [`routes!`].
#[doc(hidden)]
pub use utoipa_axum;

pub use app::{Adapters, App};
pub use body::Body;
pub use error::{ApiError, ErrorType};
pub use error_body::ErrorBody;
pub use idempotency::IdempotencyKey;
pub use ids::IdSource;
pub use revision::IfMatch;
