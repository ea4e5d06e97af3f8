//! Whom an exchange takes out: those who are inside with tickets that admit nobody any more.

use super::decide::AdmissionChange;
use super::scan::{Actor, Scan, ScanKind, ScanResult, ScannedTicket};
use crate::order::{Exchange, Order, Passage, ScanType, Ticket};
use crate::{AdmissionId, TicketId};
use std::collections::BTreeSet;

/// What an exchange that staff insisted on changes at the doors: whoever is inside with a ticket that it gives back has
/// left with it, since the new ticket lets somebody in of its own. None where nobody is. `order` and its tickets are
/// those before the exchange; `key_id` is the identity of the key it is made with.
#[must_use]
pub fn taken_out(
    order: &Order,
    tickets: &[Ticket],
    exchange: &Exchange,
    key_id: Option<String>,
) -> Option<AdmissionChange> {
    let given: BTreeSet<&TicketId> = exchange.moved.iter().flat_map(|moved| &moved.tickets).collect();
    let is_inside = |ticket: &&Ticket| given.contains(&ticket.id) && order.admission.of(ticket).inside;
    let inside: Vec<&Ticket> = tickets.iter().filter(is_inside).collect();
    let noted = inside.iter().map(|ticket| order.admission.of(ticket));
    // Clocks differ; what is noted now is behind all that was noted before.
    let latest = noted.filter_map(|noted| noted.last_entry.max(noted.last_exit)).max()?;
    let at = latest.max(exchange.at);
    let number = order.admission.version.saturating_add(1);
    let mut admissions = order.admission.clone();
    for ticket in inside.iter().copied() {
        admissions.pass(ticket, &Passage { kind: ScanType::Exit, at, terminal: None });
    }
    admissions.version = number;
    let left = inside.iter().map(|ticket| ScannedTicket::new(ticket.id.clone(), ScanResult::Done));
    let scan = Scan {
        id: AdmissionId::of_exchange(exchange.number, &order.id),
        number,
        kind: ScanKind::Exit,
        at,
        device_at: None,
        received_at: exchange.at,
        event: None,
        actor: Actor {
            key: exchange.by.clone(),
            key_id,
            operator: exchange.operator.clone(),
            terminal: None,
        },
        note: None,
        offline: false,
        tickets: left.collect(),
        undone_by: Vec::new(),
    };
    Some(AdmissionChange::between(order, admissions, vec![scan]))
}
