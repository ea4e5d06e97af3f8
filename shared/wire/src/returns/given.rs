//! Refunds of what was bought, as clients of before ask for them (operations §24).

use super::{MAX_ITEMS, MAX_REASON_CHARS, MAX_TICKETS, check_length, length_of, read_quantity};
use crate::order::OrderView;
use crate::readers::word;
use crate::{Checker, Field, List, money_text};
use domain::order::refund::{NamedItem, OrderRefundRequest, RefundScope, Units};
use domain::order::{Order, OrderLine, OrderRefund, OrderRow, OrderTicketLine, RefundedItem, Ticket};
use domain::{InstanceId, Money, OrderId, OrderItemId, TicketBarcode, Zone};
use serde::Serialize;
use std::num::NonZeroU32;
use utoipa::ToSchema;

/// Why something is given back.
const REASONS: [&str; 2] = ["Cancelled Event", "Miscellaneous"];

crate::incoming! {
    /// A refund of what was bought.
    pub struct GivenRefundInput {
        /// The order.
        #[schema(required = true)]
        order_id: String,
        /// What is given back; left out, all that is left of the order.
        refund_items: Vec<GivenRefundItemInput>,
        /// `Cancelled Event` or `Miscellaneous`: the reason where there are no `notes`.
        incident_reason_code: String,
        /// Why, for the back office alone.
        notes: String,
        /// `true` sends the visitor no mail. Default `false`.
        no_email: bool,
    }
    /// A line that is given back: all that is left of it, so many units, or the units of these tickets.
    pub struct GivenRefundItemInput {
        /// The order item.
        #[schema(required = true)]
        order_item_id: String,
        /// Units, at least 1.
        quantity: i64,
        /// The barcodes of tickets of the item.
        #[serde(rename = "ticketUUIDs")]
        ticket_uuids: Vec<String>,
    }
}

/// A refund that names tickets by their barcodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenRefund {
    /// The order.
    pub order: OrderId,
    /// What is given back; none is all that is left.
    pub items: Option<Vec<GivenRefundItem>>,
    /// Why.
    pub reason: Option<String>,
    /// Whether the visitor is told by mail.
    pub send_email: bool,
}

/// A line that is given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenRefundItem {
    /// The line.
    pub item: OrderItemId,
    /// So many units.
    pub quantity: Option<NonZeroU32>,
    /// The barcodes of its tickets, where these are named.
    pub barcodes: Vec<TicketBarcode>,
}

impl GivenRefundInput {
    /// The refund that is asked for.
    pub fn read(self, checker: &mut Checker) -> Option<GivenRefund> {
        let order = checker.required_id("orderId", self.order_id, OrderId::parse);
        let length = length_of(&self.refund_items);
        check_length(checker, "refundItems", &self.refund_items, MAX_ITEMS);
        let items = checker.each("refundItems", self.refund_items, |checker, item| item.read(checker));
        let parse = |text: &str| REASONS.into_iter().find(|reason| reason.eq_ignore_ascii_case(text));
        let expected = REASONS.join(", ");
        let code = word(checker, "incidentReasonCode", self.incident_reason_code, parse, &expected);
        let notes = checker.typed_remarks("notes", self.notes, MAX_REASON_CHARS);
        let no_email = checker.optional("noEmail", self.no_email).unwrap_or_default();
        Some(GivenRefund {
            order: order?,
            items: length.map(|_| items.into_iter().flatten().collect()),
            reason: notes.or_else(|| code.map(str::to_owned)),
            send_email: !no_email,
        })
    }
}

impl GivenRefundItemInput {
    fn read(self, checker: &mut Checker) -> Option<GivenRefundItem> {
        let item = checker.required_id("orderItemId", self.order_item_id, OrderItemId::parse);
        let named = length_of(&self.ticket_uuids);
        let barcodes = read_barcodes(checker, self.ticket_uuids);
        let quantity = read_quantity(checker, self.quantity);
        let is_other = |quantity: NonZeroU32| {
            named.is_some_and(|named| named > 0 && usize::try_from(quantity.get()) != Ok(named))
        };
        if quantity.is_some_and(is_other) {
            checker.invalid("quantity", "must match the number of ticketUUIDs, or be left out");
        }
        Some(GivenRefundItem { item: item?, quantity, barcodes })
    }
}

fn read_barcodes(checker: &mut Checker, field: Field<List<String>>) -> Vec<TicketBarcode> {
    check_length(checker, "ticketUUIDs", &field, MAX_TICKETS);
    let barcodes = checker.each("ticketUUIDs", field, |checker, text: String| {
        checker.id_here(&text, |text| TicketBarcode::parse(&text.to_ascii_lowercase()).ok())
    });
    barcodes.into_iter().flatten().collect()
}

impl GivenRefund {
    /// Whether tickets of the order have to be known to say which are named.
    #[must_use]
    pub fn names_tickets(&self) -> bool {
        self.items.iter().flatten().any(|item| !item.barcodes.is_empty())
    }

    /// The refund with the tickets that have these barcodes, which are tickets of its order.
    ///
    /// # Errors
    /// The places of barcodes that none of them has: of the item, and within it.
    pub fn request(&self, tickets: &[Ticket]) -> Result<OrderRefundRequest, Vec<[usize; 2]>> {
        let mut unknown = Vec::new();
        let scope = match &self.items {
            None => RefundScope::WholeOrder,
            Some(items) => {
                let named = items.iter().enumerate().map(|(place, item)| {
                    let mut ids = Vec::new();
                    for (index, barcode) in item.barcodes.iter().enumerate() {
                        match tickets.iter().find(|ticket| ticket.barcode == *barcode) {
                            Some(ticket) => ids.push(ticket.id.clone()),
                            None => unknown.push([place, index]),
                        }
                    }
                    let units = match (ids.is_empty(), item.quantity) {
                        (false, _) => Units::Tickets(ids),
                        (true, Some(quantity)) => Units::Some(quantity),
                        (true, None) => Units::All,
                    };
                    NamedItem { item: item.item.clone(), units }
                });
                RefundScope::Items(named.collect())
            }
        };
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let (reason, send_email) = (self.reason.clone(), self.send_email);
        Ok(OrderRefundRequest {
            order: self.order.clone(),
            scope,
            amount: None,
            reason,
            send_email,
            force: false,
        })
    }
}

/// A refund, with its order and what it gave back of its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GivenRefundAnswer {
    /// The refund: `refund_` and a UUID.
    pub incident_number: String,
    /// The money that goes back.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub refund_amount: Money,
    /// The order as it is now.
    pub order: OrderView,
    /// What was given back of each event.
    pub refunded_events: Vec<RefundedEventView>,
}

/// What was given back of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundedEventView {
    /// The day of its start, such as `2027-03-14`.
    pub start_date: String,
    /// Its start.
    pub start_time: String,
    /// Its name when it was sold.
    pub event_name: String,
    /// Tickets of it, an entry for each item.
    pub refunded_items: Vec<RefundedTicketsView>,
}

/// Tickets that were given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundedTicketsView {
    /// The ticket type's name when it was sold.
    pub ticket_type: String,
    /// Price of one after discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub price_per_ticket: Money,
    /// How many.
    pub refunded_count: u32,
    /// What was paid for them.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub total_refunded: Money,
}

impl GivenRefundAnswer {
    /// A refund that an order lists.
    #[must_use]
    pub fn new(order: &Order, refund: &OrderRefund, zone: Zone) -> Self {
        Self {
            incident_number: refund.id.to_string(),
            refund_amount: refund.amount,
            order: OrderView::for_staff(order, zone),
            refunded_events: events(order, refund, zone),
        }
    }
}

fn events(order: &Order, refund: &OrderRefund, zone: Zone) -> Vec<RefundedEventView> {
    let (mut instances, mut events) = (Vec::<InstanceId>::new(), Vec::<RefundedEventView>::new());
    for item in &refund.items {
        let Some(row) = order.rows().find(|row| *row.id() == item.item) else { continue };
        for line in row.tickets() {
            let tickets = RefundedTicketsView::new(row, line, item);
            let known = instances.iter().position(|known| *known == line.instance);
            match known.and_then(|place| events.get_mut(place)) {
                Some(event) => event.refunded_items.push(tickets),
                None => {
                    instances.push(line.instance);
                    events.push(RefundedEventView {
                        start_date: zone.date(line.event_start).to_string(),
                        start_time: zone.format(line.event_start),
                        event_name: line.event_name.clone(),
                        refunded_items: vec![tickets],
                    });
                }
            }
        }
    }
    events
}

impl RefundedTicketsView {
    fn new(row: OrderRow<'_>, line: &OrderTicketLine, item: &RefundedItem) -> Self {
        let (price_per_ticket, refunded_count, total_refunded) = match row {
            OrderRow::Sold(OrderLine::Combo(combo)) => {
                let part = combo.part_of(line, item.quantity);
                (part.unit, part.quantity, part.amount)
            }
            OrderRow::Sold(
                OrderLine::Ticket(_)
                | OrderLine::AddOn(_)
                | OrderLine::Donation(_)
                | OrderLine::Membership(_),
            )
            | OrderRow::Moved(_) => (line.amounts.unit, item.quantity, item.amount),
        };
        Self { ticket_type: line.ticket_type_name.clone(), price_per_ticket, refunded_count, total_refunded }
    }
}
