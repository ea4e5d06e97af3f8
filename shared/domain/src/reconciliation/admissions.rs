//! Whom the doors let in, against the scans that say so, and against what was given back.

use super::Books;
use super::fault::{AdmissionFault, OrderFault};
use super::records::OrderRecords;
use crate::admission::{Scan, ScanKind, passages_of};
use crate::order::{Admission, Admissions, Order, Ticket};
use crate::{CardId, TicketId};
use std::collections::{BTreeMap, BTreeSet};

impl Books {
    /// Enters the scans of an order, after itself. Whom nobody scanned has none.
    pub fn enter_scans(&mut self, records: &OrderRecords, scans: &[Scan]) {
        let faults = admission_faults(&records.order, &records.tickets, scans);
        self.find(&records.order, faults.into_iter().map(OrderFault::Admission));
    }

    /// Enters that a card was scanned.
    pub fn enter_visit(&mut self, card: CardId) {
        self.visited.insert(card);
    }
}

fn admission_faults(order: &Order, tickets: &[Ticket], scans: &[Scan]) -> Vec<AdmissionFault> {
    let known: BTreeMap<&TicketId, &Ticket> = tickets.iter().map(|ticket| (&ticket.id, ticket)).collect();
    let mut faults = Vec::new();
    let noted = order.admission.tickets().map(|(_, ticket, _)| ticket);
    let stray = noted.filter(|ticket| !known.contains_key(ticket));
    faults.extend(stray.map(|ticket| AdmissionFault::StrayTicket { ticket: ticket.clone() }));
    let stray = scans.iter().filter(|scan| scan.tickets.iter().any(|one| !known.contains_key(&one.ticket)));
    faults.extend(stray.map(|scan| AdmissionFault::StrayScan { scan: scan.id.clone() }));
    let (blocked, entered) = blocks_of(scans);
    let entered = entered.into_iter().map(|ticket| AdmissionFault::Blocked { ticket: ticket.clone() });
    faults.extend(entered);
    for ticket in tickets {
        let found = order.admission.of(ticket);
        if !is_same(&found, &replayed(scans, ticket)) || found.is_blocked() != blocked.contains(&ticket.id) {
            faults.push(AdmissionFault::Differs { ticket: ticket.id.clone() });
        }
        if found.is_admitted() && is_given_back(order, &ticket.id) {
            faults.push(AdmissionFault::GivenBack { ticket: ticket.id.clone() });
        }
    }
    faults
}

fn replayed(scans: &[Scan], ticket: &Ticket) -> Admission {
    let mut admissions = Admissions::default();
    admissions.replay(ticket, passages_of(scans, ticket));
    admissions.of(ticket)
}

/// Whether both say the same of who passed.
fn is_same(one: &Admission, other: &Admission) -> bool {
    one.first_entry == other.first_entry
        && one.last_entry == other.last_entry
        && one.last_exit == other.last_exit
        && one.entries == other.entries
        && one.inside == other.inside
}

/// The tickets that are blocked, and those that let somebody in while they were.
fn blocks_of(scans: &[Scan]) -> (BTreeSet<&TicketId>, BTreeSet<&TicketId>) {
    let mut in_order: Vec<&Scan> = scans.iter().collect();
    in_order.sort_by_key(|scan| scan.number);
    let (mut blocked, mut entered) = (BTreeSet::new(), BTreeSet::new());
    for scan in in_order {
        for one in &scan.tickets {
            match scan.kind {
                ScanKind::Block => {
                    blocked.insert(&one.ticket);
                }
                ScanKind::Unblock => {
                    blocked.remove(&one.ticket);
                }
                ScanKind::Entry if one.result.counts() && blocked.contains(&one.ticket) => {
                    entered.insert(&one.ticket);
                }
                ScanKind::Entry | ScanKind::Exit => {}
            }
        }
    }
    (blocked, entered)
}

/// Whether a ticket was given back or exchanged, and nobody insisted on it.
fn is_given_back(order: &Order, ticket: &TicketId) -> bool {
    let after_sale = &order.after_sale;
    let refunds = after_sale.refunds.iter().filter(|refund| !refund.forced);
    let refunded = refunds.flat_map(|refund| &refund.items).any(|item| item.tickets.contains(ticket));
    let exchanges = after_sale.exchanges.iter().filter(|exchange| !exchange.forced);
    let exchanged =
        exchanges.flat_map(|exchange| &exchange.moved).any(|moved| moved.tickets.contains(ticket));
    refunded || exchanged
}
