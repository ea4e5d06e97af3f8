//! Orders in short, for doors: who comes, to what, and nothing of where they live or what they paid.

use super::{OrderView, SALE_CHANNEL};
use crate::money_text;
use crate::page::PaginationView;
use domain::order::search::TicketsLeft;
use domain::order::{Order, Ticket};
use domain::{InstanceId, Money, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// An order in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderInShortView {
    /// Identity: digits.
    pub order_id: String,
    /// The number printed for people.
    pub order_number: String,
    /// Contact.
    pub first_name: Option<String>,
    /// Contact.
    pub last_name: Option<String>,
    /// Where it was sold.
    pub sale_channel: &'static str,
    /// `NotCheckedIn`, `PartiallyCheckedIn` or `CheckedIn`.
    pub check_in_status: &'static str,
    /// What its amounts are counted in, by the ISO 4217 code.
    pub currency: String,
    /// What is still owed.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub balance_amount: Money,
    /// When the checkout began.
    pub created_on: String,
    /// What it has or had tickets for, in the order of the lines.
    pub events: Vec<EventInShortView>,
}

/// An event of an order in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventInShortView {
    /// The event instance.
    pub event_id: String,
    /// Its name when it was sold.
    pub event_name: String,
    /// When it starts, as it was sold.
    pub event_date: String,
    /// The items with tickets for it.
    pub items: Vec<ItemInShortView>,
}

/// Tickets of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemInShortView {
    /// Identity: digits.
    pub order_item_id: String,
    /// The ticket type's name when it was sold.
    pub ticket_type_name: String,
    /// Tickets that are left after refunds and exchanges, and those that were given back after they let somebody in.
    pub quantity: u32,
    /// Those of them that let somebody in.
    pub check_in_quantity: u32,
    /// Its tickets, those that were given back or exchanged among them.
    pub tickets: Vec<TicketInShortView>,
}

/// A ticket, without its barcode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketInShortView {
    /// Identity: digits.
    pub ticket_id: String,
    /// `Normal`, or why it admits nobody any more: `RefundPending`, `Refunded` or `Exchanged`.
    pub ticket_status: &'static str,
    /// Whether its holder is inside.
    pub inside: bool,
    /// How often it let somebody in.
    pub entries: u32,
    /// When it did so first; null where it has not.
    pub check_in_date: Option<String>,
}

/// An order that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum FoundOrderView {
    /// As the back office sees it, without answers to forms.
    Whole(Box<OrderView>),
    /// In short, for a key of a door.
    Short(OrderInShortView),
}

/// Orders found by a search of staff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FoundOrdersView {
    /// The orders of this page.
    pub list: Vec<FoundOrderView>,
    /// Where the page stands.
    pub pagination: FoundPaginationView,
}

/// Where a page of what was found stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FoundPaginationView {
    /// As in every list.
    #[serde(flatten)]
    pub page: PaginationView,
    /// Whether more was found than is looked through: then these are the newest.
    pub truncated: bool,
}

impl OrderInShortView {
    /// An order with its tickets as they are now.
    #[must_use]
    pub fn new(order: &Order, tickets: &[Ticket], zone: Zone) -> Self {
        let rows: Vec<TicketsLeft<'_>> = order.tickets_left().collect();
        let mut events: Vec<InstanceId> = Vec::new();
        for row in &rows {
            if !events.contains(&row.line.instance) {
                events.push(row.line.instance);
            }
        }
        let event = |instance: InstanceId| {
            let own: Vec<&TicketsLeft<'_>> =
                rows.iter().filter(|row| row.line.instance == instance).collect();
            EventInShortView::new(order, &own, tickets, zone)
        };
        Self {
            order_id: order.id.to_string(),
            order_number: order.number.to_string(),
            first_name: order.contact.first_name.clone(),
            last_name: order.contact.last_name.clone(),
            sale_channel: SALE_CHANNEL,
            check_in_status: order.check_in().status().as_str(),
            currency: order.currency.to_string(),
            balance_amount: order.fees_due(),
            created_on: zone.format(order.created_at),
            events: events.into_iter().filter_map(event).collect(),
        }
    }
}

impl EventInShortView {
    fn new(order: &Order, rows: &[&TicketsLeft<'_>], tickets: &[Ticket], zone: Zone) -> Option<Self> {
        let first = rows.first()?.line;
        Some(Self {
            event_id: first.instance.to_string(),
            event_name: first.event_name.clone(),
            event_date: zone.format(first.event_start),
            items: rows.iter().map(|row| ItemInShortView::new(order, row, tickets, zone)).collect(),
        })
    }
}

impl ItemInShortView {
    fn new(order: &Order, row: &TicketsLeft<'_>, tickets: &[Ticket], zone: Zone) -> Self {
        let TicketsLeft { line, left: _, check_in } = row;
        let own = tickets.iter().filter(|ticket| ticket.line == line.id);
        Self {
            order_item_id: line.id.to_string(),
            ticket_type_name: line.ticket_type_name.clone(),
            quantity: check_in.tickets,
            check_in_quantity: check_in.admitted,
            tickets: own.map(|ticket| TicketInShortView::new(order, ticket, zone)).collect(),
        }
    }
}

impl TicketInShortView {
    fn new(order: &Order, ticket: &Ticket, zone: Zone) -> Self {
        let admission = order.admission.of(ticket);
        Self {
            ticket_id: ticket.id.to_string(),
            ticket_status: ticket.status.as_str(),
            inside: admission.inside,
            entries: admission.entries,
            check_in_date: admission.first_entry.map(|at| zone.format(at)),
        }
    }
}
