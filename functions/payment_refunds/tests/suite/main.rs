//! Refunds through their router, on the embedded engine and the sandbox processor.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of tests stand outside of test functions and fail them by panicking"
)]

mod access;
mod amounts;
mod audit;
mod faults;
mod leaks;
mod races;
mod reads;
mod repeats;
mod schedules;
mod shop;
