//! The cart routes through the whole shell, on the embedded engine.
#![expect(clippy::unwrap_used, reason = "shared test code may fail loudly")]

mod availability;
mod channels;
mod create;
mod forms;
mod members;
mod memberships;
mod read;
mod support;
mod update;
