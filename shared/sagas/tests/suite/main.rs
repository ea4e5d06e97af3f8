//! The sagas against the embedded engine.

mod publish;
mod refund;
