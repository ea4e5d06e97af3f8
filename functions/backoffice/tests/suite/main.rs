//! The back office through its router, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "the helpers of tests stand outside of test functions")]

mod combos;
mod coupons;
mod discount_prices;
mod discounts;
mod entitlements;
mod forms;
mod frame;
mod instances;
mod inventory;
mod races;
mod screen;
mod summaries;
mod support;
mod templates;
mod uses;
