//! The entitlements routes through the whole shell, on the embedded engine.
#![expect(clippy::unwrap_used, reason = "shared test code may fail loudly")]

mod refusals;
mod results;
mod support;
