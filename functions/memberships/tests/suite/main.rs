//! Memberships through their router, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "the helpers of tests stand outside of test functions")]

mod cards;
mod customers;
mod keep;
mod levels;
mod limits;
mod list;
mod members;
mod offerings;
mod quote;
mod search;
mod summaries;
mod support;
mod uses;
