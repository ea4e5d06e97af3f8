//! How often coupons were used. Only uses of coupons with a limit are counted; the limit itself is part of the
//! coupon and may be changed at any time, so the record counts what is used, not what is left.

use crate::{Action, Expression, number};
use serde::Deserialize;

/// The record of a coupon's uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct CouponUses {
    /// Orders it was used in.
    pub used: u32,
}

/// One more use, while fewer than `limit` were made.
pub(crate) fn use_once(limit: u32) -> Action {
    let mut update = Expression::new();
    let used = update.path(&["used"]);
    let limit = update.number(i64::from(limit));
    update.require(format!("(attribute_not_exists({used}) OR {used} < {limit})"));
    let (none, one) = (update.value(number(0)), update.value(number(1)));
    update.set(format!("{used} = if_not_exists({used}, {none}) + {one}"));
    Action::Update(update)
}

/// Gives one use back. Without a condition: it stands or falls with the order's own write.
pub(crate) fn give_back() -> Action {
    let mut update = Expression::new();
    let used = update.path(&["used"]);
    let one = update.value(number(1));
    update.set(format!("{used} = if_not_exists({used}, {one}) - {one}"));
    Action::Update(update)
}
