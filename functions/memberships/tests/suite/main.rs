//! Memberships through their router, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "the helpers of tests stand outside of test functions")]

mod levels;
mod list;
mod offerings;
mod quote;
mod support;
mod uses;
