//! What a device knows of an event's tickets while it is offline. It holds no barcode: a scan is known by a hash.

use domain::admission::{Attention, DoorFacts, Entrance, SlotTimes};
use domain::catalog::ticket_details::Reentry;
use domain::ledger::SlotState;
use domain::order::{OrderTicketLine, Ticket};
use domain::{InstanceId, Timestamp, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// One page of the tickets of an event instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoorListView {
    /// The event instance.
    pub event_id: String,
    /// Its name; null where its template is gone.
    pub event_name: Option<String>,
    /// When it starts.
    pub start_time: String,
    /// When it ends.
    pub end_time: String,
    /// `active` or `cancelled`.
    pub state: &'static str,
    /// From when on tickets are let in; null where there is no such limit.
    pub opens: Option<String>,
    /// Until when; null likewise.
    pub closes: Option<String>,
    /// `never`, `afterExit` or `always`: whether a ticket admits more than once.
    pub reentry: &'static str,
    /// When it was read.
    pub as_of: String,
    /// The tickets of so many orders.
    pub tickets: Vec<DoorTicketView>,
    /// What is sent as `pageToken` for the next page; null on the last one.
    pub next_page_token: Option<String>,
}

/// A ticket of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoorTicketView {
    /// The ticket.
    pub ticket_id: String,
    /// The order.
    pub order_id: String,
    /// The first 32 hexadecimal digits of SHA-256 over `eventId`, a line feed and the barcode in lower case.
    pub code_hash: String,
    /// The number printed for people.
    pub order_number: String,
    /// The ticket type's name when it was sold.
    pub ticket_type_name: String,
    /// Contact.
    pub last_name: Option<String>,
    /// Contact.
    pub first_name: Option<String>,
    /// `Normal`, `RefundPending`, `Refunded` or `Exchanged`.
    pub status: &'static str,
    /// `never`, `inside`, `left` or `blocked`.
    pub state: &'static str,
    /// The first entry; null before it.
    pub check_in_date: Option<String>,
    /// What staff may want to talk about: `balanceDue`, `notes`, `formsIncomplete`.
    pub attention: Vec<&'static str>,
}

/// What is told of the instance itself.
#[derive(Debug, Clone, Copy)]
pub struct DoorListHead<'a> {
    /// The instance.
    pub event: InstanceId,
    /// Its name, if its template is there.
    pub name: Option<&'a str>,
    /// Its times.
    pub slot: SlotTimes,
    /// When its tickets are let in.
    pub entrance: Entrance,
    /// Whether they admit more than once.
    pub reentry: Reentry,
    /// When it was read.
    pub now: Timestamp,
    /// The venue's zone.
    pub zone: Zone,
}

impl DoorListView {
    /// A page.
    #[must_use]
    pub fn new(head: &DoorListHead<'_>, tickets: Vec<DoorTicketView>, next: Option<String>) -> Self {
        let DoorListHead { event, name, slot, entrance, reentry, now, zone } = *head;
        Self {
            event_id: event.to_string(),
            event_name: name.map(str::to_owned),
            start_time: zone.format(slot.start),
            end_time: zone.format(slot.end),
            state: match slot.state {
                SlotState::Active => "active",
                SlotState::Cancelled | SlotState::Removed => "cancelled",
            },
            opens: entrance.opens.map(|at| zone.format(at)),
            closes: entrance.closes.map(|at| zone.format(at)),
            reentry: reentry.as_str(),
            as_of: zone.format(now),
            tickets,
            next_page_token: next,
        }
    }
}

impl DoorTicketView {
    /// A ticket of a line, whose code has this hash.
    #[must_use]
    pub fn new(facts: &DoorFacts<'_>, line: &OrderTicketLine, ticket: &Ticket, code_hash: String) -> Self {
        let order = facts.order;
        let admission = order.admission.of(ticket);
        Self {
            ticket_id: ticket.id.to_string(),
            order_id: order.id.to_string(),
            code_hash,
            order_number: order.number.to_string(),
            ticket_type_name: line.ticket_type_name.clone(),
            last_name: order.contact.last_name.clone(),
            first_name: order.contact.first_name.clone(),
            status: ticket.status.as_str(),
            state: admission.state().as_str(),
            check_in_date: admission.first_entry.map(|at| facts.zone.format(at)),
            attention: facts.attention_of(line).into_iter().map(Attention::as_str).collect(),
        }
    }
}
