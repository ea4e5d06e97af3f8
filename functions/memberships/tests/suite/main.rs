//! Memberships through their router, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "the helpers of tests stand outside of test functions")]

mod customers;
mod keep;
mod levels;
mod limits;
mod list;
mod members;
mod offerings;
mod quote;
mod summaries;
mod support;
mod uses;
