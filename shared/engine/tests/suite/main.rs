//! What the store relies on: the engine's answers, AWS's limits, and each fault doing what it says.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "shared test code may fail loudly"
)]

mod correctness;
mod distributed;
mod embedded;
mod faults;
mod limits;
mod original;
mod support;
mod transactions;
