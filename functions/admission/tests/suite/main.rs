//! Doors through the whole shell, on the embedded engine: whom they let in, and that nobody is let in twice.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "whatever fails in a helper of the tests is a failed test"
)]

mod calls;
mod cards;
mod devices;
mod given;
mod ids;
mod leaks;
mod limits;
mod lists;
mod partial;
mod reasons;
mod repeats;
mod screen;
mod support;
mod undo;
mod uploads;
