//! The confirmation mail: what it says and how it is sent (contract §6, "Mail").

pub mod batch;
pub mod deliver;
pub mod render;
mod view;

pub use batch::handle_batch;
pub use deliver::{DeliverError, Delivered, deliver};

#[cfg(test)]
mod tests;
