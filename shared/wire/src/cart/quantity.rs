//! How many of something a line of a cart is for.

use crate::{Checker, Field};
use domain::cart_request::MAX_QUANTITY;

pub(super) fn read_quantity(checker: &mut Checker, field: Field<i64>) -> Option<u32> {
    let sent = checker.required("quantity", field)?;
    let quantity = u32::try_from(sent).ok().filter(|quantity| *quantity <= MAX_QUANTITY);
    if quantity.is_none() {
        checker.invalid("quantity", format!("must be between 0 and {MAX_QUANTITY}"));
    }
    quantity
}

/// Of these there is one on a line.
pub(super) fn read_one(checker: &mut Checker, field: Field<i64>, what: &str) {
    if let Some(quantity) = checker.required("quantity", field)
        && quantity != 1
    {
        checker.invalid("quantity", format!("must be 1 for {what}"));
    }
}
