//! Refunds of what was bought, and exchanges, as the back office asks for them (decision records 0069 to 0072).

use crate::order::{OrderExchangeView, OrderRefundView};
use crate::{Amount, Checker, Field, List, money_text};
use domain::order::exchange::{ExchangeItem, ExchangeRequest, ExchangeScope, FeeWish};
use domain::order::refund::{NamedItem, OrderRefundRequest, RefundScope, RelyingOrder, Units};
use domain::order::{Exchange, Order, OrderRefund};
use domain::outbox::refund_mail;
use domain::{InstanceId, Money, OrderId, OrderItemId, TicketId, Zone};
use serde::Serialize;
use std::num::NonZeroU32;
use utoipa::ToSchema;

mod given;
mod rebook;
mod update;

pub use given::{
    GivenRefund, GivenRefundAnswer, GivenRefundInput, GivenRefundItem, GivenRefundItemInput,
    RefundedEventView, RefundedTicketsView,
};
pub use rebook::{Rebook, RebookAnswer, RebookFeeCountInput, RebookInput, RebookItemInput};
pub use update::{OrderUpdateInput, OrderUpdateItemInput};

/// Items one refund may name: every line of an order, and those of its exchanges.
const MAX_ITEMS: usize = 200;
/// Tickets one request may name: as many as an order may have.
const MAX_TICKETS: usize = 2_000;
/// Characters of a reason.
const MAX_REASON_CHARS: usize = 500;

crate::incoming! {
    /// A refund of what was bought.
    pub struct OrderRefundInput {
        /// The order.
        #[schema(required = true)]
        order_id: String,
        /// `true` gives back all that is left of the order. Either this or `items` is sent.
        whole_order: bool,
        /// What is given back.
        items: Vec<OrderRefundItemInput>,
        /// The money that goes back; left out, what was paid for what is given back. Never more than that; `0`
        /// cancels without money.
        amount: Amount,
        /// Why, for the back office alone.
        reason: String,
        /// `false` sends the visitor no mail. Default `true`.
        send_email: bool,
        /// `true` gives back tickets that let somebody in, too. Default `false`.
        force: bool,
    }
    /// A line that is given back: all that is left of it, so many units, or the units of these tickets.
    pub struct OrderRefundItemInput {
        /// The order item.
        #[schema(required = true)]
        item_id: String,
        /// Units, at least 1.
        quantity: i64,
        /// Tickets of the item.
        ticket_ids: Vec<String>,
    }
    /// An exchange of tickets for others of the same template: of these tickets, or of units of an item.
    pub struct ExchangeInput {
        /// The order.
        #[schema(required = true)]
        order_id: String,
        /// The tickets. Either these or `itemId` is sent.
        ticket_ids: Vec<String>,
        /// The order item of which tickets are exchanged.
        item_id: String,
        /// How many of the item, at least 1; left out, all that are left.
        quantity: i64,
        /// The event instance they are exchanged for.
        #[schema(required = true)]
        event_id: String,
        /// `true` does without the template's `rebookingFee`. Default `false`.
        waive_fee: bool,
        /// `false` sends the visitor no mail with the new tickets. Default `true`.
        send_email: bool,
        /// `true` exchanges tickets that let somebody in, too. Default `false`.
        force: bool,
    }
}

impl OrderRefundInput {
    /// The refund that is asked for.
    pub fn read(self, checker: &mut Checker) -> Option<OrderRefundRequest> {
        let order = checker.required_id("orderId", self.order_id, OrderId::parse);
        let scope = read_scope(checker, self.whole_order, self.items);
        let amount = checker.optional_not_null("amount", self.amount);
        let amount = amount.and_then(|amount| checker.optional_money("amount", Field::Value(amount)));
        let reason = checker.typed_remarks("reason", self.reason, MAX_REASON_CHARS);
        let send_email = checker.optional("sendEmail", self.send_email).unwrap_or(true);
        let force = checker.optional("force", self.force).unwrap_or_default();
        Some(OrderRefundRequest { order: order?, scope: scope?, amount, reason, send_email, force })
    }
}

/// What is given back: either all of it or items. What cannot be read is a fault of its own, and may have been meant
/// as either.
fn read_scope(
    checker: &mut Checker,
    whole_order: Field<bool>,
    items: Field<List<OrderRefundItemInput>>,
) -> Option<RefundScope> {
    let are_sent = match &items {
        Field::Value(list) => Some(!list.0.is_empty()),
        Field::Absent | Field::Null => Some(false),
        Field::Wrong => None,
    };
    let is_whole = match &whole_order {
        Field::Value(is_whole) => Some(*is_whole),
        Field::Absent | Field::Null => Some(false),
        Field::Wrong => None,
    };
    checker.optional("wholeOrder", whole_order);
    let length = length_of(&items);
    let items = checker.each("items", items, |checker, item| item.read(checker));
    if length.is_some_and(|items| items > MAX_ITEMS) {
        checker.too_many("items", MAX_ITEMS);
    }
    if is_whole.is_some() && is_whole == are_sent {
        checker.invalid("items", "send either items or wholeOrder: true, not both");
    }
    match is_whole? {
        true => Some(RefundScope::WholeOrder),
        false => items.into_iter().collect::<Option<_>>().map(RefundScope::Items),
    }
}

/// How many entries a list was sent with, those that cannot be read among them.
fn length_of<T>(list: &Field<List<T>>) -> Option<usize> {
    match list {
        Field::Value(list) => Some(list.0.len()),
        Field::Absent | Field::Null | Field::Wrong => None,
    }
}

impl OrderRefundItemInput {
    fn read(self, checker: &mut Checker) -> Option<NamedItem> {
        let item = checker.required_id("itemId", self.item_id, OrderItemId::parse);
        let named = length_of(&self.ticket_ids);
        let tickets = read_tickets(checker, self.ticket_ids);
        let quantity = read_quantity(checker, self.quantity);
        let units = match (named, quantity) {
            (None, None) => Units::All,
            (None, Some(quantity)) => Units::Some(quantity),
            (Some(named), quantity) => {
                let is_other = |quantity: NonZeroU32| usize::try_from(quantity.get()) != Ok(named);
                if named > 0 && quantity.is_some_and(is_other) {
                    checker.invalid("quantity", "must match the number of ticketIds, or be left out");
                }
                Units::Tickets(tickets)
            }
        };
        Some(NamedItem { item: item?, units })
    }
}

impl ExchangeInput {
    /// The exchange that is asked for.
    pub fn read(self, checker: &mut Checker) -> Option<ExchangeRequest> {
        let order = checker.required_id("orderId", self.order_id, OrderId::parse);
        let event = checker.required_id("eventId", self.event_id, InstanceId::parse);
        // What cannot be read was sent all the same, and is a fault of its own.
        let names_tickets = matches!(self.ticket_ids, Field::Value(_));
        let names_item = matches!(self.item_id, Field::Value(_));
        let is_nothing_sent = matches!(self.ticket_ids, Field::Absent) && !self.item_id.is_sent();
        let tickets = read_tickets(checker, self.ticket_ids);
        let item = checker.optional_id("itemId", self.item_id, OrderItemId::parse);
        let quantity = read_quantity(checker, self.quantity);
        if is_nothing_sent {
            checker.invalid("ticketIds", "is required unless itemId is sent");
        } else if names_tickets && names_item {
            checker.invalid("itemId", "must not be sent together with ticketIds");
        } else if names_tickets && quantity.is_some() {
            checker.invalid("quantity", "must not be sent together with ticketIds");
        }
        let scope = match item {
            Some(item) => ExchangeScope::Items(vec![ExchangeItem { item, units: quantity }]),
            None => ExchangeScope::Tickets(tickets),
        };
        let fee = match checker.optional("waiveFee", self.waive_fee).unwrap_or_default() {
            true => FeeWish::Waived,
            false => FeeWish::Due,
        };
        let send_email = checker.optional("sendEmail", self.send_email).unwrap_or(true);
        let force = checker.optional("force", self.force).unwrap_or_default();
        Some(ExchangeRequest { order: order?, scope, event: event?, fee, send_email, force })
    }
}

fn read_quantity(checker: &mut Checker, field: Field<i64>) -> Option<NonZeroU32> {
    let sent = checker.optional_not_null("quantity", field)?;
    units(checker, "quantity", sent)
}

/// So many units, at least one.
fn units(checker: &mut Checker, name: &str, sent: i64) -> Option<NonZeroU32> {
    let units = u32::try_from(sent).ok().and_then(NonZeroU32::new);
    if units.is_none() {
        let message = if sent < 1 { "must be at least 1" } else { "is more than any order has" };
        checker.invalid(name, message);
    }
    units
}

/// Notes that a list that may be left out is empty, null or too long.
fn check_length<T>(checker: &mut Checker, name: &str, list: &Field<List<T>>, max: usize) {
    match length_of(list) {
        Some(0) => checker.invalid(name, "must have at least one entry, or be left out"),
        Some(length) if length > max => checker.too_many(name, max),
        Some(_) => {}
        None if matches!(list, Field::Null) => checker.invalid(name, "must not be null"),
        None => {}
    }
}

/// Notes that a list of items that has to be sent is missing, empty or too long.
fn require_items<T>(checker: &mut Checker, name: &str, list: &Field<List<T>>) {
    match length_of(list) {
        Some(0) => checker.invalid(name, "must have at least one entry"),
        Some(length) if length > MAX_ITEMS => checker.too_many(name, MAX_ITEMS),
        Some(_) => {}
        None => checker.require(name, list),
    }
}

fn read_tickets(checker: &mut Checker, field: Field<List<String>>) -> Vec<TicketId> {
    check_length(checker, "ticketIds", &field, MAX_TICKETS);
    let ids = checker.each("ticketIds", field, |checker, text: String| {
        checker.id_here(&text, |text| TicketId::parse(text).ok())
    });
    ids.into_iter().flatten().collect()
}

/// A refund of what was bought, and what became of its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderRefundAnswer {
    /// The order.
    pub order_id: String,
    /// The refund.
    #[serde(flatten)]
    pub refund: OrderRefundView,
    /// Seats that come back on sale.
    pub seats: Vec<ReturnedSeatsView>,
    /// Units of add-ons that come back on sale, of those that are counted.
    pub pieces: Vec<ReturnedPiecesView>,
    /// Uses of coupons that come back.
    pub coupon_uses: u32,
    /// Tickets at the member price that members may have again.
    pub member_tickets: u32,
    /// Memberships that change: those that are refunded, and those whose place they took.
    pub memberships: Vec<ReturnedMembershipView>,
    /// Of a preview: orders that were sold at the price of a membership that is taken back, as far as they are known by
    /// the addresses and phone numbers of its holders and of this order. They stay as they were sold.
    pub member_orders: Vec<MemberOrderView>,
    /// Whether the visitor is told by mail.
    pub email_sent: bool,
    /// What the amounts are counted in, by the ISO 4217 code.
    pub currency: String,
    /// `Not Refunded`, `Partially Refunded` or `Refunded`, of the order's money.
    pub refund_status: &'static str,
    /// What was given back of the order's money by all refunds.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub refund_amount: Money,
    /// What is left of the order's lines, after discounts.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub discounted_total_amount: Money,
}

/// An order that was sold at the price of a membership that is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberOrderView {
    /// The order.
    pub order_id: String,
    /// The number printed for people.
    pub order_number: String,
    /// Its tickets that the membership would not give any more.
    pub tickets: u32,
}

impl From<&RelyingOrder> for MemberOrderView {
    fn from(RelyingOrder { id, number, tickets }: &RelyingOrder) -> Self {
        Self { order_id: id.to_string(), order_number: number.to_string(), tickets: *tickets }
    }
}

/// Seats of one event instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnedSeatsView {
    /// The event instance.
    pub event_id: String,
    /// Seats.
    pub quantity: u32,
}

/// Units of one add-on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnedPiecesView {
    /// The add-on.
    pub inventory_id: i64,
    /// Units.
    pub quantity: u32,
}

/// A membership after a refund.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnedMembershipView {
    /// Identity.
    pub membership_id: i64,
    /// `active` or `lapsed`.
    pub membership_standing: &'static str,
    /// The last instant of its last term.
    pub membership_expiration_date: String,
}

impl OrderRefundAnswer {
    /// A refund that an order lists.
    #[must_use]
    pub fn new(order: &Order, refund: &OrderRefund, zone: Zone) -> Self {
        let back = &refund.releases;
        let seats = back.seats.iter();
        let pieces = back.stock.iter();
        let uses = back.uses.iter().map(|used| used.quantity);
        let memberships = back.memberships.iter().map(|returned| &returned.after);
        Self {
            order_id: order.id.to_string(),
            refund: OrderRefundView::told(refund, zone),
            seats: seats
                .map(|(event, seats)| ReturnedSeatsView { event_id: event.to_string(), quantity: *seats })
                .collect(),
            pieces: pieces
                .map(|(id, pieces)| ReturnedPiecesView { inventory_id: id.get(), quantity: *pieces })
                .collect(),
            coupon_uses: u32::try_from(back.coupons.len()).unwrap_or(u32::MAX),
            member_tickets: uses.fold(0, u32::saturating_add),
            memberships: memberships
                .map(|membership| ReturnedMembershipView {
                    membership_id: membership.id.get(),
                    membership_standing: membership.standing(refund.at).as_str(),
                    membership_expiration_date: zone.format(membership.expiration()),
                })
                .collect(),
            member_orders: Vec::new(),
            email_sent: refund_mail(order, refund).is_some(),
            currency: order.currency.to_string(),
            refund_status: order.refund_status().as_str(),
            refund_amount: order.refunded,
            discounted_total_amount: order.total_left().0,
        }
    }
}

impl OrderRefundAnswer {
    /// A refund as it would be, of the order as it would be, with the orders that rely on what it takes back.
    #[must_use]
    pub fn preview(order: &Order, refund: &OrderRefund, zone: Zone, relying: &[RelyingOrder]) -> Self {
        let answer = Self::new(order, refund, zone);
        let member_orders = relying.iter().map(MemberOrderView::from).collect();
        let refund = OrderRefundView { refund_id: None, state: "Preview", updated_on: None, ..answer.refund };
        Self { refund, member_orders, ..answer }
    }
}

/// An exchange, and what became of its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeAnswer {
    /// The order.
    pub order_id: String,
    /// The exchange.
    #[serde(flatten)]
    pub exchange: OrderExchangeView,
    /// The new tickets.
    pub tickets: Vec<NewTicketView>,
    /// What the amounts are counted in, by the ISO 4217 code.
    pub currency: String,
    /// What the visitor owes now: the fees of the order's exchanges that were not waived.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub balance_amount: Money,
}

/// A ticket that took the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewTicketView {
    /// Identity: digits.
    pub id: String,
    /// What is scanned at the gate: 32 hexadecimal digits.
    pub uuid: String,
    /// The order item it is of.
    pub item_id: String,
}

impl ExchangeAnswer {
    /// An exchange that an order lists, with the tickets that came of it.
    #[must_use]
    pub fn new(order: &Order, exchange: &Exchange, tickets: &[domain::order::Ticket], zone: Zone) -> Self {
        let new = |ticket: &domain::order::Ticket| NewTicketView {
            id: ticket.id.to_string(),
            uuid: ticket.barcode.to_string(),
            item_id: ticket.line.to_string(),
        };
        Self {
            order_id: order.id.to_string(),
            exchange: OrderExchangeView::told(exchange, zone),
            tickets: tickets.iter().map(new).collect(),
            currency: order.currency.to_string(),
            balance_amount: order.fees_due(),
        }
    }
}

#[cfg(test)]
mod tests;
