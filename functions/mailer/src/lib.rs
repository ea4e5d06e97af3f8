//! The confirmation mail: what it says and how it is sent.

pub mod render;
