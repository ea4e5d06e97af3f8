//! What the service stands on beside its database: the card processor, mail, queue, key vault, clock and randomness, each
//! with a counterpart for one machine or the sandbox; and the [`App`] that carries them, with what it keeps in memory.
//! Nothing here knows of requests, or how a failure is answered.

pub mod app;
pub mod aws;
pub mod cache;
pub mod catalog;
pub mod catalog_limits;
pub mod clock;
mod fault;
pub mod ids;
pub mod keyed_hash;
pub mod login;
pub mod mail;
pub mod order_link;
pub mod processor;
pub mod queue;
pub mod random;
pub mod rate_limit;
pub mod slot_summary;
pub mod telemetry;
pub mod vault;

#[cfg(test)]
mod played;

pub use app::{Adapters, App};
pub use fault::{AdapterFault, Limit};
pub use ids::IdSource;
