//! Onboarding through its router, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "the helpers of tests stand outside of test functions")]

mod changes;
mod create;
mod leaks;
mod support;
mod underwriting;
