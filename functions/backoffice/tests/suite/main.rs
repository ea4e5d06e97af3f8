//! The back office through its router, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "the helpers of tests stand outside of test functions")]

mod frame;
mod races;
mod support;
