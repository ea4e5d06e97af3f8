//! Conditions on what became of an order since it was read.

use crate::{Expression, number};
use domain::order::Order;

/// Requires that the order is paid, and that nothing else was done with it since it was read.
pub(crate) fn require_after_sale(update: &mut Expression, order: &Order) {
    require_paid(update);
    let seen = (!order.after_sale.is_untouched()).then_some(order.after_sale.version);
    require_version(update, "after_sale", seen);
}

/// Requires that nothing happened at the doors with an order since it was read.
pub(crate) fn require_admission(update: &mut Expression, order: &Order) {
    let seen = (!order.admission.is_untouched()).then_some(order.admission.version);
    require_version(update, "admission", seen);
}

/// Requires that the order is paid, and that staff put nothing of it right since it was read.
pub(crate) fn require_edits(update: &mut Expression, order: &Order) {
    require_paid(update);
    let seen = (!order.edits.is_untouched()).then_some(order.edits.version);
    require_version(update, "edits", seen);
}

/// Requires that the order is paid.
pub(crate) fn require_paid(update: &mut Expression) {
    let (state, paid) = (update.path(&["state", "state"]), update.text("paid"));
    update.require(format!("{state} = {paid}"));
}

fn require_version(update: &mut Expression, attribute: &str, seen: Option<u64>) {
    match seen {
        None => {
            let untouched = update.path(&[attribute]);
            update.require(format!("attribute_not_exists({untouched})"));
        }
        Some(seen) => {
            let version = update.path(&[attribute, "version"]);
            let seen = update.value(number(i64::try_from(seen).unwrap_or(i64::MAX)));
            update.require(format!("{version} = {seen}"));
        }
    }
}
