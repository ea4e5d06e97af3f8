//! Cards of the sandbox's processor.

/// Pays.
pub const GOOD: &str = "4242424242424242";
/// Pays as well.
pub const OTHER: &str = "4111111111111111";
/// Is declined.
pub const DECLINED: &str = "4000000000000002";
/// Is charged, but the answer does not arrive.
pub const LOSES_THE_ANSWER: &str = "4000000000000259";
/// Pays, and refuses refunds.
pub const REFUSES_REFUNDS: &str = "4000000000005126";
