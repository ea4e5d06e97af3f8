//! Mails: what they say and how they are sent. Confirmations (contract §6, "Mail"), what became of
//! refunds and exchanges, and links to log in by (spec §4.7).

pub mod batch;
pub mod deliver;
pub mod error;
pub mod locale;
mod login;
pub mod render;
mod view;

pub use batch::handle_batch;
pub use deliver::{Delivered, deliver};
pub use error::DeliverError;

#[cfg(test)]
mod tests;
