//! The sagas against the embedded engine.

mod admission;
mod publish;
mod refund;
mod steps;
