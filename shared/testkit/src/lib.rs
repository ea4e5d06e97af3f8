//! The world that tests play in: tables with tenants and keys, what a venue sells, a process of the service over
//! them, requests to it and its answers. For tests only; it fails them by panicking.
//!
//! [`Tables`] outlive a process, and a [`Venue`] is one process that serves them. A crate hands in the routes that
//! its tests ask. Every answer is held against its description, as [`conformance`] says.
#![expect(clippy::unwrap_used, reason = "whatever fails here is a failed test")]

mod answer;
mod ask;
pub mod cards;
pub mod catalog;
pub mod image;
pub mod log;
pub mod outside;
mod service;
pub mod signature;
mod tables;
pub mod tenants;
mod venue;
pub mod walk;

pub use answer::Answer;
pub use ask::{Ask, ask, delete, get, patch, post, put};
pub use service::ServedRoutes;
pub use tables::{Tables, all_items};
pub use tenants::{tenant, tenant_id};
pub use venue::{Venue, made};

/// What the names of all tables begin with.
pub const PREFIX: &str = "test-";
