//! Counters of what may be sold or used so often only: uses of coupons, pieces of add-ons. The limit is part of
//! the coupon or add-on and may be changed at any time, so a counter says what is used, not what is left.
//! Only what has a limit is counted.

use crate::{Action, Expression, number};
use serde::Deserialize;

/// The record of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct Counter {
    /// What is used.
    pub used: u32,
}

/// Uses so much more, while the limit allows it.
pub(crate) fn take(quantity: u32, limit: u32) -> Action {
    let mut update = Expression::new();
    let used = update.path(&["used"]);
    let left = i64::from(limit).saturating_sub(i64::from(quantity));
    let most = update.number(left);
    // A counter that is not there yet counts as zero.
    let unused = if left >= 0 { format!("attribute_not_exists({used}) OR ") } else { String::new() };
    update.require(format!("({unused}{used} <= {most})"));
    let (none, more) = (update.value(number(0)), update.value(number(i64::from(quantity))));
    update.set(format!("{used} = if_not_exists({used}, {none}) + {more}"));
    Action::Update(update)
}

/// Gives so much back. Without a condition: it stands or falls with the order's own write.
pub(crate) fn give_back(quantity: u32) -> Action {
    let mut update = Expression::new();
    let used = update.path(&["used"]);
    let less = update.value(number(i64::from(quantity)));
    update.set(format!("{used} = if_not_exists({used}, {less}) - {less}"));
    Action::Update(update)
}
