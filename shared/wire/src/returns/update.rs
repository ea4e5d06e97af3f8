//! Refunds by what is to be left, as clients of before ask for them (operations §24).

use super::{MAX_REASON_CHARS, require_items};
use crate::Checker;
use domain::order::refund::{NamedItem, OrderRefundRequest, RefundScope, Units};
use domain::{OrderId, OrderItemId};

crate::incoming! {
    /// What is to be left of items of an order; what is more is refunded.
    pub struct OrderUpdateInput {
        /// The order.
        #[schema(required = true)]
        order_id: String,
        /// What is to be left. Items that are not named stay as they are.
        #[schema(required = true)]
        order_items: Vec<OrderUpdateItemInput>,
        /// Why, for the back office alone.
        notes: String,
        /// `true` sends the visitor no mail. Default `false`.
        no_email: bool,
    }
    /// What is to be left of an item.
    pub struct OrderUpdateItemInput {
        /// The order item.
        #[schema(required = true)]
        order_item_id: String,
        /// So many units, at most as many as there are; `0` gives back all of them.
        #[schema(required = true)]
        quantity: i64,
    }
}

impl OrderUpdateInput {
    /// The refund that is asked for.
    pub fn read(self, checker: &mut Checker) -> Option<OrderRefundRequest> {
        let order = checker.required_id("orderId", self.order_id, OrderId::parse);
        require_items(checker, "orderItems", &self.order_items);
        let items = checker.each("orderItems", self.order_items, |checker, item| item.read(checker));
        let reason = checker.typed_remarks("notes", self.notes, MAX_REASON_CHARS);
        let no_email = checker.optional("noEmail", self.no_email).unwrap_or_default();
        let scope = RefundScope::Items(items.into_iter().collect::<Option<_>>()?);
        Some(OrderRefundRequest {
            order: order?,
            scope,
            amount: None,
            reason,
            send_email: !no_email,
            force: false,
        })
    }
}

impl OrderUpdateItemInput {
    fn read(self, checker: &mut Checker) -> Option<NamedItem> {
        let item = checker.required_id("orderItemId", self.order_item_id, OrderItemId::parse);
        let sent = checker.required("quantity", self.quantity);
        let kept = sent.and_then(|sent| read_kept(checker, sent));
        Some(NamedItem { item: item?, units: Units::AllBut(kept?) })
    }
}

/// So many units, or none.
fn read_kept(checker: &mut Checker, sent: i64) -> Option<u32> {
    let kept = u32::try_from(sent).ok();
    if kept.is_none() {
        let message = if sent < 0 { "must not be negative" } else { "is more than any order has" };
        checker.invalid("quantity", message);
    }
    kept
}
