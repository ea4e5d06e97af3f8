//! The web shell: who is calling, what may be sent, how a request that is repeated is answered, and what is answered to
//! failures and refusals. All that speaks HTTP stands here or above.

pub mod access;
pub mod authored;
pub mod body;
pub mod cart;
pub mod catalog;
pub mod claims;
pub mod context;
pub mod error;
mod error_body;
mod headers;
pub mod idempotency;
pub mod lambda;
pub mod login;
pub mod member_proof;
pub mod paging;
pub mod paths;
pub mod query;
mod refusals;
pub mod representation;
pub mod revision;
pub mod routes;
mod session;
pub mod shell;
pub mod slots;
pub mod staff_page;
pub mod task;

/// For [`routes!`].
#[doc(hidden)]
pub use utoipa_axum;

pub use body::{Body, RawBody};
pub use error::{ApiError, ErrorType};
pub use error_body::ErrorBody;
pub use idempotency::IdempotencyKey;
pub use revision::IfMatch;
