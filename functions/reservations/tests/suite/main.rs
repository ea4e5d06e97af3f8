//! Reservations through the router, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "the helpers of tests stand outside of test functions")]

mod faults;
mod operators;
mod races;
mod rules;
mod support;
mod verbs;
mod visitors;
