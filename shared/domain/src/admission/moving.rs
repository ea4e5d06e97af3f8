//! Tickets that are moved at a door: exchanged for tickets of the instance that is scanned into, and admitted, at once.

use super::decide::{Checks, DecidedScan, DoorFacts, ScanRequest, TicketVerdict, decide_scan};
use super::entrance::SlotTimes;
use super::scan::Reason;
use crate::catalog::Template;
use crate::ledger::Ledger;
use crate::order::exchange::{
    DecidedExchange, ExchangeFacts, ExchangeRefused, ExchangeRequest, ExchangeScope, FeeWish, Generate,
    decide_exchange,
};
use crate::order::{Order, Ticket, TicketStatus};
use crate::{InstanceId, TicketId};
use std::collections::BTreeMap;

/// What a move is decided on, beside what a scan is.
#[derive(Debug, Clone, Copy)]
pub struct MoveFacts<'a> {
    /// The instance that is scanned into.
    pub event: InstanceId,
    /// Its seats, if there is such an instance.
    pub ledger: Option<&'a Ledger>,
}

/// A move that was decided, with the admission of those that were moved.
#[derive(Debug, Clone)]
pub struct MovedAtDoor {
    /// The exchange.
    pub exchange: DecidedExchange,
    /// What the doors note; of the order that lists the exchange.
    pub scan: DecidedScan,
}

/// What is decided about moving the tickets of a scan.
#[derive(Debug, Clone)]
pub enum MoveDecision {
    /// None is to be moved; the scan as it is.
    Nothing(Box<DecidedScan>),
    /// They are moved.
    Moved(Box<MovedAtDoor>),
    /// They cannot be; the scan as it is without that, with the reason.
    Stays(Box<DecidedScan>),
}

/// Whether a template has its tickets moved to the slot that they are shown at.
fn moves(template: &Template) -> bool {
    template.ticket_details.check_in_window.is_some_and(|window| window.auto_rebook)
}

/// The tickets that were refused for their time alone, and that their template would have moved.
fn to_be_moved(facts: &DoorFacts<'_>, decided: &DecidedScan) -> Vec<TicketId> {
    let may_move = |verdict: &&TicketVerdict| {
        let ticket = verdict.ticket.as_ref().filter(|_| verdict.verdict.reason() == Some(Reason::WrongTime));
        let line = ticket.and_then(|ticket| facts.order.line_of(ticket));
        // Whoever is inside is not moved any more.
        let is_fresh = !verdict.before.is_admitted();
        is_fresh && line.and_then(|line| facts.template_of(line)).is_some_and(moves)
    };
    let mut found: Vec<TicketId> = Vec::new();
    for ticket in decided.verdicts.iter().filter(may_move).filter_map(|verdict| verdict.ticket.as_ref()) {
        if !found.contains(&ticket.id) {
            found.push(ticket.id.clone());
        }
    }
    found
}

/// Moves the tickets of a scan that are for another time of the event, if their template wants that, and decides the
/// scan again with those that took their place.
///
/// # Errors
/// That of `generate`.
pub fn move_at_door<D: Generate>(
    facts: &DoorFacts<'_>,
    to: &MoveFacts<'_>,
    request: &ScanRequest,
    named: &[TicketId],
    generate: &mut D,
) -> Result<MoveDecision, D::Error> {
    let decided = decide_scan(facts, request, named);
    let leaving = to_be_moved(facts, &decided);
    if leaving.is_empty() || request.checks == Checks::Manual {
        return Ok(MoveDecision::Nothing(Box::new(decided)));
    }
    let wanted = ExchangeRequest {
        order: facts.order.id.clone(),
        scope: ExchangeScope::Tickets(leaving.clone()),
        event: to.event,
        fee: FeeWish::Waived,
        send_email: false,
        force: false,
    };
    let exchange_facts = ExchangeFacts {
        order: facts.order,
        tickets: facts.tickets,
        template: facts.templates.iter().find(|template| template.owns(&to.event)),
        ledger: to.ledger,
        zone: facts.zone,
        by: &request.actor.key,
        operator: request.actor.operator.as_deref(),
        fingerprint: None,
        now: request.now,
    };
    let mut exchange = match decide_exchange(&wanted, &exchange_facts, generate)? {
        Ok(exchange) => exchange,
        Err(refused) => {
            return Ok(MoveDecision::Stays(Box::new(told_why(decided, &leaving, &refused))));
        }
    };
    name_successors(&mut exchange);
    Ok(match scan_of_moved(facts, to, request, named, &exchange) {
        Some(scan) => MoveDecision::Moved(Box::new(MovedAtDoor { exchange, scan })),
        None => MoveDecision::Stays(Box::new(decided)),
    })
}

/// A scan with the reason why tickets of it are not moved.
fn told_why(decided: DecidedScan, leaving: &[TicketId], refused: &ExchangeRefused) -> DecidedScan {
    let told = |verdict: TicketVerdict| {
        let is_meant = verdict.ticket.as_ref().is_some_and(|ticket| leaving.contains(&ticket.id));
        TicketVerdict { not_moved: is_meant.then(|| refused.clone()), ..verdict }
    };
    DecidedScan { verdicts: decided.verdicts.into_iter().map(told).collect(), ..decided }
}

/// A scan whose tickets were to be moved, which the instance refused when that was written.
#[must_use]
pub fn without_move(
    facts: &DoorFacts<'_>,
    request: &ScanRequest,
    named: &[TicketId],
    refused: &ExchangeRefused,
) -> DecidedScan {
    let decided = decide_scan(facts, request, named);
    let leaving = to_be_moved(facts, &decided);
    told_why(decided, &leaving, refused)
}

/// Notes which new ticket took the place of which.
fn name_successors(exchange: &mut DecidedExchange) {
    for moved in &mut exchange.exchange.moved {
        let new = exchange.tickets.iter().filter(|ticket| ticket.line == moved.line.id);
        moved.successors = new.map(|ticket| ticket.id.clone()).collect();
    }
}

/// The scan of the order with the new tickets; none where one of them would not be let in either.
fn scan_of_moved(
    facts: &DoorFacts<'_>,
    to: &MoveFacts<'_>,
    request: &ScanRequest,
    named: &[TicketId],
    exchange: &DecidedExchange,
) -> Option<DecidedScan> {
    let after_sale = facts.order.after_sale.with_exchange(exchange.exchange.clone());
    let order = Order { after_sale, ..facts.order.clone() };
    let gone =
        |ticket: &Ticket| exchange.exchange.moved.iter().any(|moved| moved.tickets.contains(&ticket.id));
    let as_now = |ticket: &Ticket| match gone(ticket) {
        true => Ticket { status: TicketStatus::Exchanged, ..ticket.clone() },
        false => ticket.clone(),
    };
    let tickets: Vec<Ticket> =
        facts.tickets.iter().map(as_now).chain(exchange.tickets.iter().cloned()).collect();
    let slots: BTreeMap<InstanceId, SlotTimes> = facts
        .slots
        .iter()
        .map(|(id, slot)| (*id, *slot))
        .chain(to.ledger.map(|ledger| (to.event, ledger.into())))
        .collect();
    let moved_facts = DoorFacts { order: &order, tickets: &tickets, slots: &slots, ..*facts };
    let scan = decide_scan(&moved_facts, request, named);
    let is_new = |verdict: &TicketVerdict| {
        let ticket = verdict.ticket.as_ref();
        ticket.is_some_and(|ticket| exchange.tickets.iter().any(|new| new.id == ticket.id))
    };
    // A ticket that was named twice is admitted once; nobody is moved without being let in.
    let let_in = |new: &Ticket| {
        let mut verdicts = scan.verdicts.iter().filter(|verdict| is_new(verdict));
        verdicts.any(|verdict| {
            verdict.verdict.is_admitted() && verdict.ticket.as_ref().is_some_and(|ticket| ticket.id == new.id)
        })
    };
    exchange.tickets.iter().all(let_in).then_some(scan)
}
