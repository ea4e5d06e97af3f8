//! What a door sends: codes and tickets to check in or out, to look up, to take back and to block.

use crate::readers::{flag, word};
use crate::{Checker, DigitsId, Field, IntegerId, List, incoming, terminal_id};
use domain::admission::ScannedCode;
use domain::card::mask_card_numbers;
use domain::order::ScanType;
use domain::{CardId, InstanceId, OrderId, OrderItemId, OrderNumber, TicketId};
use std::collections::BTreeSet;
use std::num::NonZeroU32;

/// Characters of a code.
const MAX_CODE_CHARS: usize = 100;
/// Characters of a reason.
const MAX_REASON_CHARS: usize = 200;
/// Tickets that one request names.
pub(super) const MAX_TICKETS: usize = 200;
/// Orders that they may be of.
pub const MAX_ORDERS: usize = 25;
/// Items of one order that one request names: every line of an order, and those of its exchanges.
const MAX_ITEMS: usize = 200;

incoming! {
    /// What is to be checked in or out: exactly one of `code`, `tickets` and `order`.
    pub struct AdmissionInput {
        /// What was scanned: the barcode of a ticket or member card, in any case, or a membership's number.
        code: String,
        /// Tickets by their ids, 1 to 200, of at most 25 orders.
        tickets: Vec<AdmissionTicketInput>,
        /// So many tickets of an order for `eventId`: on the way in of those that were never inside, on the way out of
        /// those whose holders are inside.
        order: AdmissionOrderInput,
        /// The event instance they are let into. Default: the one of each ticket. Required with `order`.
        event_id: String,
        /// `entry` or `exit`. Default `entry`.
        #[serde(rename = "type")]
        kind: String,
        /// The card that is meant, where a code is that of several.
        card_id: IntegerId,
        /// The device: 1 to 60 letters, digits, `-`, `_`, `.` and spaces.
        terminal_id: String,
        /// `true` lets in whom time, payment or an earlier entry, with a card too, keeps out. Default `false`.
        force: bool,
        /// Why, 1 to 200 characters; required with `force`. A card number in it is masked.
        force_reason: String,
    }
    /// A ticket by its ids.
    pub struct AdmissionTicketInput {
        /// The order.
        #[schema(required = true)]
        order_id: DigitsId,
        /// The ticket.
        #[schema(required = true)]
        ticket_id: String,
    }
    /// An order of which some are let in.
    pub struct AdmissionOrderInput {
        /// The order. Either this or `orderNumber` is sent.
        order_id: DigitsId,
        /// The number printed for people.
        order_number: String,
        /// How many tickets of each item; default all tickets for the event.
        items: Vec<AdmissionItemInput>,
    }
    /// So many tickets of an order item.
    pub struct AdmissionItemInput {
        /// The order item.
        #[schema(required = true)]
        order_item_id: String,
        /// Tickets, 1 to 2,000.
        #[schema(required = true)]
        quantity: i64,
    }
    /// A code to be looked up.
    pub struct CodeLookupInput {
        /// The barcode of a ticket or member card, a membership's number, or an order's number.
        #[schema(required = true)]
        code: String,
    }
    /// Whose last scan is taken back: either `code` or `tickets`.
    pub struct UndoAdmissionsInput {
        /// What was scanned.
        code: String,
        /// Tickets by their ids, 1 to 200, of at most 25 orders.
        tickets: Vec<AdmissionTicketInput>,
        /// The device.
        terminal_id: String,
    }
    /// Tickets that are blocked, or may be used again.
    pub struct BlockTicketsInput {
        /// Tickets by their ids, 1 to 200, of at most 25 orders.
        #[schema(required = true)]
        tickets: Vec<AdmissionTicketInput>,
        /// `true` blocks them, `false` takes that back.
        #[schema(required = true)]
        blocked: bool,
        /// Why, 1 to 200 characters; required to block. A card number in it is masked.
        reason: String,
    }
}

/// Reads a code that must be sent.
pub(super) fn read_code(checker: &mut Checker, name: &str, field: Field<String>) -> Option<ScannedCode> {
    checker.required_text(name, field, MAX_CODE_CHARS).map(|text| ScannedCode::new(&text))
}

/// Reads a code of a list.
pub(super) fn code_here(checker: &mut Checker, sent: &str) -> Option<ScannedCode> {
    checker.text_here(sent, MAX_CODE_CHARS).map(|text| ScannedCode::new(&text))
}

/// Reads why somebody is let in or a ticket is blocked, with a card number typed there by mistake masked.
fn read_why(checker: &mut Checker, name: &str, field: Field<String>) -> Option<String> {
    let text = checker.required_text(name, field, MAX_REASON_CHARS)?;
    Some(mask_card_numbers(&text).into_owned())
}

/// A ticket that is named by its ids, whether it is there or not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedTicket {
    /// The order.
    pub order: OrderId,
    /// The ticket.
    pub ticket: TicketId,
}

/// What a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanSubject {
    /// What was scanned.
    Code(ScannedCode),
    /// These tickets.
    Tickets(Vec<NamedTicket>),
    /// Some of an order.
    Order(OrderWish),
}

/// An order as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedOrder {
    /// By its id.
    Id(OrderId),
    /// By the number printed for people.
    Number(OrderNumber),
}

impl NamedOrder {
    /// The field that names it.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        match self {
            Self::Id(_) => "/order/orderId",
            Self::Number(_) => "/order/orderNumber",
        }
    }
}

/// So many tickets of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemWish {
    /// The order item.
    pub item: OrderItemId,
    /// How many.
    pub quantity: NonZeroU32,
}

/// Tickets of an order that were never inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderWish {
    /// The order.
    pub order: NamedOrder,
    /// So many of each of these items; none: all of the event.
    pub items: Option<Vec<ItemWish>>,
}

/// What is to be checked in or out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmissionWish {
    /// What it is about.
    pub wanted: ScanSubject,
    /// The instance it is scanned into, if that was said.
    pub event: Option<InstanceId>,
    /// In or out.
    pub scan_type: ScanType,
    /// The card that is meant.
    pub card: Option<CardId>,
    /// The device.
    pub terminal: Option<String>,
    /// Why it is forced, if it is.
    pub forced: Option<String>,
}

/// Whose last scan is taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoSubject {
    /// What was scanned.
    Code(ScannedCode),
    /// These tickets.
    Tickets(Vec<NamedTicket>),
}

/// A request to take scans back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoWish {
    /// What it is about.
    pub wanted: UndoSubject,
    /// The device.
    pub terminal: Option<String>,
}

/// Tickets that are blocked, or may be used again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockWish {
    /// The tickets.
    pub tickets: Vec<NamedTicket>,
    /// Why they are blocked; none where that is taken back.
    pub blocked: Option<String>,
}

impl AdmissionInput {
    /// Whether staff insist, whatever else is at fault.
    #[must_use]
    pub const fn insists(&self) -> bool {
        matches!(self.force, Field::Value(true))
    }

    /// What is wanted.
    pub fn read(self, checker: &mut Checker) -> Option<AdmissionWish> {
        let is_sent = [self.code.is_sent(), self.tickets.is_sent(), self.order.is_sent()];
        if is_sent.iter().filter(|sent| **sent).count() != 1 {
            checker.invalid("code", "send exactly one of code, tickets and order");
        }
        if self.order.is_sent() && !self.event_id.is_sent() {
            checker.missing_id("eventId");
        }
        let code = self.code.is_sent().then(|| read_code(checker, "code", self.code));
        let tickets = self.tickets.is_sent().then(|| read_tickets(checker, self.tickets));
        let order = checker.object("order", self.order, |checker, order| order.read(checker));
        let wanted = match (code, tickets, order) {
            (Some(code), None, None) => code.map(ScanSubject::Code),
            (None, Some(tickets), None) => tickets.map(ScanSubject::Tickets),
            (None, None, Some(order)) => order.map(ScanSubject::Order),
            _ => None,
        };
        let event = checker.optional_id("eventId", self.event_id, InstanceId::parse);
        let scan_type = read_scan_type(checker, self.kind);
        let card = checker.optional_number_id("cardId", self.card_id, CardId::parse);
        let terminal = terminal_id(checker, self.terminal_id);
        let is_forced = flag(checker, "force", self.force);
        if is_forced && !self.force_reason.is_sent() {
            checker.invalid("forceReason", "is required with force");
        }
        let reason = match is_forced && self.force_reason.is_sent() {
            true => read_why(checker, "forceReason", self.force_reason),
            false => checker.optional_text("forceReason", self.force_reason, MAX_REASON_CHARS),
        };
        let forced = reason.filter(|_| is_forced);
        Some(AdmissionWish { wanted: wanted?, event, scan_type, card, terminal, forced })
    }
}

impl AdmissionOrderInput {
    fn read(self, checker: &mut Checker) -> Option<OrderWish> {
        if self.order_id.is_sent() && self.order_number.is_sent() {
            checker.invalid("orderNumber", "must not be sent together with orderId");
        }
        let by_number = self.order_number.is_sent();
        let number = checker.optional_id("orderNumber", self.order_number, OrderNumber::parse);
        let order = if by_number {
            number.map(NamedOrder::Number)
        } else {
            checker.required_id("orderId", self.order_id.into_text(), OrderId::parse).map(NamedOrder::Id)
        };
        let named = match &self.items {
            Field::Value(list) => Some(list.0.len()),
            Field::Absent | Field::Null | Field::Wrong => None,
        };
        match named {
            _ if matches!(self.items, Field::Null) => checker.invalid("items", "must not be null"),
            Some(0) => checker.invalid("items", "must have at least one entry, or be left out"),
            Some(items) if items > MAX_ITEMS => checker.too_many("items", MAX_ITEMS),
            Some(_) | None => {}
        }
        let items = checker.each("items", self.items, |checker, item| item.read(checker));
        let items: Vec<ItemWish> = items.into_iter().flatten().collect();
        let mut seen = BTreeSet::new();
        for (place, item) in items.iter().enumerate() {
            if !seen.insert(&item.item) {
                checker.invalid(format!("items/{place}/orderItemId"), "is already named by another entry");
            }
        }
        Some(OrderWish { order: order?, items: named.map(|_| items) })
    }
}

impl AdmissionItemInput {
    fn read(self, checker: &mut Checker) -> Option<ItemWish> {
        let item = checker.required_id("orderItemId", self.order_item_id, OrderItemId::parse);
        let quantity = checker.required("quantity", self.quantity).and_then(|sent| {
            let quantity = u32::try_from(sent).ok().filter(|quantity| *quantity <= 2_000);
            let quantity = quantity.and_then(NonZeroU32::new);
            if quantity.is_none() {
                checker.invalid("quantity", "must be between 1 and 2000");
            }
            quantity
        });
        Some(ItemWish { item: item?, quantity: quantity? })
    }
}

impl CodeLookupInput {
    /// The code.
    pub fn read(self, checker: &mut Checker) -> Option<ScannedCode> {
        read_code(checker, "code", self.code)
    }
}

impl UndoAdmissionsInput {
    /// Whose last scan is taken back.
    pub fn read(self, checker: &mut Checker) -> Option<UndoWish> {
        if self.code.is_sent() == self.tickets.is_sent() {
            checker.invalid("code", "send either code or tickets");
        }
        let code = self.code.is_sent().then(|| read_code(checker, "code", self.code));
        let tickets = self.tickets.is_sent().then(|| read_tickets(checker, self.tickets));
        let terminal = terminal_id(checker, self.terminal_id);
        let wanted = match (code, tickets) {
            (Some(code), None) => code.map(UndoSubject::Code),
            (None, Some(tickets)) => tickets.map(UndoSubject::Tickets),
            _ => None,
        };
        Some(UndoWish { wanted: wanted?, terminal })
    }
}

impl BlockTicketsInput {
    /// What is blocked, or may be used again.
    pub fn read(self, checker: &mut Checker) -> Option<BlockWish> {
        if !self.tickets.is_sent() {
            checker.invalid("tickets", "is required");
        }
        let tickets = self.tickets.is_sent().then(|| read_tickets(checker, self.tickets)).flatten();
        let blocks = checker.required("blocked", self.blocked);
        let reason = match blocks {
            Some(true) => read_why(checker, "reason", self.reason),
            Some(false) | None => {
                checker.optional_text("reason", self.reason, MAX_REASON_CHARS);
                None
            }
        };
        let blocked = if blocks? { Some(reason?) } else { None };
        Some(BlockWish { tickets: tickets?, blocked })
    }
}

impl AdmissionTicketInput {
    fn read(self, checker: &mut Checker) -> Option<NamedTicket> {
        let order = checker.required_id("orderId", self.order_id.into_text(), OrderId::parse);
        let ticket = checker.required_id("ticketId", self.ticket_id, TicketId::parse);
        Some(NamedTicket { order: order?, ticket: ticket? })
    }
}

/// A list of tickets that was sent: 1 to 200, of at most 25 orders, each once.
fn read_tickets(checker: &mut Checker, field: Field<List<AdmissionTicketInput>>) -> Option<Vec<NamedTicket>> {
    let sent = match &field {
        Field::Value(list) => list.0.len(),
        Field::Absent | Field::Null | Field::Wrong => usize::MAX,
    };
    if sent == 0 {
        checker.invalid("tickets", "must have at least one entry");
    } else if sent > MAX_TICKETS && sent < usize::MAX {
        checker.too_many("tickets", MAX_TICKETS);
    }
    let tickets = checker.each("tickets", field, |checker, ticket| ticket.read(checker));
    let named: Option<Vec<NamedTicket>> = tickets.into_iter().collect();
    let named = named?;
    let orders: BTreeSet<&OrderId> = named.iter().map(|ticket| &ticket.order).collect();
    if orders.len() > MAX_ORDERS {
        checker.invalid("tickets", format!("must be of at most {MAX_ORDERS} orders"));
    }
    let mut seen = BTreeSet::new();
    for (place, ticket) in named.iter().enumerate() {
        if !seen.insert(ticket) {
            checker.invalid(format!("tickets/{place}/ticketId"), "is already named by another entry");
        }
    }
    Some(named)
}

/// In or out; in, where it was not said.
pub(super) fn read_scan_type(checker: &mut Checker, field: Field<String>) -> ScanType {
    word(checker, "type", field, ScanType::parse, "entry, exit").unwrap_or_default()
}
