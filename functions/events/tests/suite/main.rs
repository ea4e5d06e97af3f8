//! The browsing routes over the real store on the embedded engine.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

mod calendar;
mod laws;
mod support;
mod templates;
mod times;
