//! Exchanges of tickets, as clients of before ask for them (operations §24).

use super::{MAX_ITEMS, require_items, units};
use crate::Checker;
use crate::order::OrderView;
use crate::readers::{at_most, count};
use domain::order::exchange::{ExchangeItem, ExchangeRequest, ExchangeScope, FeeWish};
use domain::order::{Exchange, Order};
use domain::{InstanceId, OrderId, OrderItemId, Zone};
use serde::Serialize;
use std::num::NonZeroU32;
use utoipa::ToSchema;

/// Fees that one request may count: more than any order has tickets.
const MAX_FEES: u32 = 10_000;

crate::incoming! {
    /// An exchange of tickets for others of the same template.
    pub struct RebookInput {
        /// The order.
        #[schema(required = true)]
        order_id: String,
        /// What is exchanged, all of it for one event.
        #[schema(required = true)]
        rebook_items: Vec<RebookItemInput>,
        /// `true` sends the visitor no mail with the new tickets. Default `false`.
        no_email: bool,
        /// How many fees are owed: none, or one for each ticket. Left out, one for each.
        event_rebook_fee_counts: Vec<RebookFeeCountInput>,
    }
    /// Tickets of an item that are exchanged.
    pub struct RebookItemInput {
        /// The order item.
        #[schema(required = true)]
        order_item_id: String,
        /// How many, at least 1.
        #[schema(required = true)]
        rebook_quantity: i64,
        /// The event instance they are exchanged for.
        #[schema(required = true)]
        rebook_to_event_id: String,
    }
    /// How many fees are owed for an event.
    pub struct RebookFeeCountInput {
        /// How many.
        #[schema(required = true)]
        count: i64,
    }
}

/// An exchange that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebook {
    /// The exchange, for the event of the first item.
    pub request: ExchangeRequest,
    /// The place of the first item that is for another event, if there is one.
    pub other_event: Option<usize>,
}

/// Tickets of an item, and what they are exchanged for.
struct RebookItem {
    item: OrderItemId,
    units: NonZeroU32,
    event: InstanceId,
}

impl RebookInput {
    /// The exchange that is asked for.
    pub fn read(self, checker: &mut Checker) -> Option<Rebook> {
        let order = checker.required_id("orderId", self.order_id, OrderId::parse);
        require_items(checker, "rebookItems", &self.rebook_items);
        let items = checker.each("rebookItems", self.rebook_items, |checker, item| item.read(checker));
        let fees = checker.each("eventRebookFeeCounts", self.event_rebook_fee_counts, |checker, fees| {
            checker.require("count", &fees.count);
            count(checker, "count", fees.count, 0..=MAX_FEES)
        });
        at_most(checker, "eventRebookFeeCounts", &fees, MAX_ITEMS);
        let no_email = checker.optional("noEmail", self.no_email).unwrap_or_default();
        let items: Vec<RebookItem> = items.into_iter().collect::<Option<_>>()?;
        let event = items.first()?.event;
        let fees: Vec<u32> = fees.into_iter().collect::<Option<_>>()?;
        let fee = read_fee(checker, &items, &fees);
        let other_event = items.iter().position(|item| item.event != event);
        let wanted = items
            .into_iter()
            .map(|RebookItem { item, units, event: _ }| ExchangeItem { item, units: Some(units) });
        let scope = ExchangeScope::Items(wanted.collect());
        let request =
            ExchangeRequest { order: order?, scope, event, fee, send_email: !no_email, force: false };
        Some(Rebook { request, other_event })
    }
}

impl RebookItemInput {
    fn read(self, checker: &mut Checker) -> Option<RebookItem> {
        let item = checker.required_id("orderItemId", self.order_item_id, OrderItemId::parse);
        let sent = checker.required("rebookQuantity", self.rebook_quantity);
        let units = sent.and_then(|sent| units(checker, "rebookQuantity", sent));
        let event = checker.required_id("rebookToEventId", self.rebook_to_event_id, InstanceId::parse);
        Some(RebookItem { item: item?, units: units?, event: event? })
    }
}

/// What becomes of the fee: an exchange has one for each of its tickets, or does without all of them.
fn read_fee(checker: &mut Checker, items: &[RebookItem], fees: &[u32]) -> FeeWish {
    let tickets = items.iter().map(|item| item.units.get()).fold(0, u32::saturating_add);
    let asked = fees.iter().copied().fold(0, u32::saturating_add);
    if fees.is_empty() || asked == tickets {
        return FeeWish::Due;
    }
    if asked != 0 {
        let message = format!("must be 0 in total, or {tickets}, the number of tickets");
        checker.invalid("eventRebookFeeCounts", message);
    }
    FeeWish::Waived
}

/// An exchange with its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RebookAnswer {
    /// What names the exchange: `exchange_`, the order and which of its changes it was.
    pub incident_number: String,
    /// The order as it is now.
    pub order: OrderView,
}

impl RebookAnswer {
    /// An exchange that an order lists.
    #[must_use]
    pub fn new(order: &Order, exchange: &Exchange, zone: Zone) -> Self {
        Self {
            incident_number: format!("exchange_{}_{}", order.id, exchange.number),
            order: OrderView::for_staff(order, zone),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_body;
    use serde_json::{Value, json};

    fn read(fees: &Value) -> Result<Rebook, Vec<String>> {
        let item = |id: &str, quantity: u32| json!({"orderItemId": id, "rebookQuantity": quantity, "rebookToEventId": "ab92087a69baafe0843e1d0a"});
        let body = json!({
            "orderId": "31840526", "rebookItems": [item("11", 2), item("12", 1)], "eventRebookFeeCounts": fees,
        });
        let mut checker = Checker::new();
        let input: RebookInput = read_body(body.to_string().as_bytes()).unwrap();
        let wish = input.read(&mut checker);
        let told = |rejection: crate::Rejection| -> Vec<String> {
            rejection.details().iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect()
        };
        checker.finish(wish).map_err(told)
    }

    #[test]
    fn a_count_of_nothing_waives_the_fees_and_one_for_each_ticket_is_the_rule() {
        for (fees, fee) in [
            (json!(null), FeeWish::Due),
            (json!([]), FeeWish::Due),
            (json!([{"count": 0}]), FeeWish::Waived),
            (json!([{"eventId": "x", "count": 0}, {"count": 0}]), FeeWish::Waived),
            (json!([{"count": 3}]), FeeWish::Due),
            (json!([{"count": 2}, {"count": 1}]), FeeWish::Due),
        ] {
            let wish = read(&fees).unwrap();
            assert_eq!((wish.request.fee, wish.other_event), (fee, None), "{fees}");
        }
        for fees in [json!([{"count": 1}]), json!([{"count": 4}]), json!([{"count": 2}, {"count": 2}])] {
            let told = "/eventRebookFeeCounts must be 0 in total, or 3, the number of tickets";
            assert_eq!(read(&fees), Err(vec![told.to_owned()]), "{fees}");
        }
        assert_eq!(read(&json!([{}])), Err(vec!["/eventRebookFeeCounts/0/count is required".to_owned()]));
    }
}
