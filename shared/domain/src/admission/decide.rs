//! What is decided of tickets that are shown at a door.

use super::entrance::{Entrance, Side, SlotTimes};
use super::scan::{Actor, Reason, Scan, ScanKind, ScannedTicket};
use super::verdict::{Attention, DoorVerdict, Outcome};
use super::warning::Warning;
use crate::catalog::Template;
use crate::catalog::ticket_details::{Reentry, TicketDetails};
use crate::order::exchange::ExchangeRefused;
use crate::order::{
    Admission, AdmissionCounts, AdmissionState, Admissions, Order, OrderTicketLine, Passage, ScanType,
    Ticket, TicketStatus,
};
use crate::tenant::DoorRules;
use crate::{AdmissionId, FormId, InstanceId, TicketId, Timestamp, Zone};
use std::collections::BTreeMap;

/// What is decided on, for one order.
#[derive(Debug, Clone, Copy)]
pub struct DoorFacts<'a> {
    /// The order, which is paid.
    pub order: &'a Order,
    /// Its tickets, as they are now.
    pub tickets: &'a [Ticket],
    /// Its instances as they are now; one that is not there could not be asked, and is taken as it was sold.
    pub slots: &'a BTreeMap<InstanceId, SlotTimes>,
    /// The venue's templates.
    pub templates: &'a [Template],
    /// The venue's zone.
    pub zone: Zone,
    /// The venue's rules.
    pub rules: DoorRules,
}

/// Which checks apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Checks {
    /// All.
    #[default]
    All,
    /// Staff let in by hand: neither time nor balance counts.
    Manual,
}

/// What is asked at a door.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The identity of the scan.
    pub id: AdmissionId,
    /// In or out.
    pub kind: ScanType,
    /// The instance that is scanned into; none is the ticket's own.
    pub event: Option<InstanceId>,
    /// Which checks apply.
    pub checks: Checks,
    /// Why staff insist, if they do.
    pub force: Option<String>,
    /// Who scans.
    pub actor: Actor,
    /// The moment.
    pub now: Timestamp,
}

/// One ticket that was asked for, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketVerdict {
    /// The ticket as it was named.
    pub named: TicketId,
    /// The ticket that counts, if the order has one: another one where that was moved at a door.
    pub ticket: Option<Ticket>,
    /// What was decided.
    pub verdict: DoorVerdict,
    /// What was noted of it before.
    pub before: Admission,
    /// What is noted of it now.
    pub after: Admission,
    /// The instance it was moved from at this door, or before at another.
    pub rebooked_from: Option<InstanceId>,
    /// Why it was not moved here, where the template would have it so.
    pub not_moved: Option<ExchangeRefused>,
}

/// A change of what an order keeps of the doors, with all that is written together with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmissionChange {
    /// The admissions of the order as they become.
    pub admissions: Admissions,
    /// What that adds to the counts of its instances.
    pub counts: BTreeMap<InstanceId, AdmissionCounts>,
    /// New records.
    pub scans: Vec<Scan>,
    /// Records of before in which something is marked as taken back.
    pub marked: Vec<Scan>,
}

impl AdmissionChange {
    /// From the order as it was read to admissions that were reckoned, with the records of it. `order` lists already
    /// all exchanges that are written with it.
    #[must_use]
    pub(super) fn between(order: &Order, admissions: Admissions, scans: Vec<Scan>) -> Self {
        let mut counts = order.counts_of(&admissions);
        for (instance, before) in order.admission_counts() {
            let after = counts.entry(instance).or_default();
            *after = after.minus(before);
        }
        counts.retain(|_, change| !change.is_zero());
        Self { admissions, counts, scans, marked: Vec::new() }
    }
}

/// What is decided of a scan of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedScan {
    /// What came of each ticket, in the order in which they were named.
    pub verdicts: Vec<TicketVerdict>,
    /// The record of it; none where no ticket was known.
    pub scan: Option<Scan>,
    /// What is written; none where nobody passed.
    pub change: Option<AdmissionChange>,
}

impl<'a> DoorFacts<'a> {
    /// The template of a ticket's line, if it is there.
    #[must_use]
    pub fn template_of(&self, line: &OrderTicketLine) -> Option<&'a Template> {
        self.templates.iter().find(|template| template.id == line.template)
    }

    /// The instance of a ticket's line.
    #[must_use]
    pub fn slot_of(&self, line: &OrderTicketLine) -> SlotTimes {
        let known = self.slots.get(&line.instance).copied();
        known.unwrap_or_else(|| SlotTimes::of_sale(line, self.template_of(line)))
    }

    /// When the tickets of a line are let in.
    #[must_use]
    pub fn entrance_of(&self, line: &OrderTicketLine) -> Entrance {
        let unset = TicketDetails::default();
        let details = self.template_of(line).map_or(&unset, |template| &template.ticket_details);
        Entrance::of(details, &self.slot_of(line), self.order.created_at, self.zone)
    }

    /// Whether the tickets of a line admit more than once.
    #[must_use]
    pub fn reentry_of(&self, line: &OrderTicketLine) -> Reentry {
        self.template_of(line).map_or(Reentry::Never, |template| template.ticket_details.reentry)
    }

    /// What staff may want to talk about with who shows a ticket.
    #[must_use]
    pub fn attention_of(&self, line: &OrderTicketLine) -> Vec<Attention> {
        let order = self.order;
        let is_open = |form: &FormId| {
            let mut filled = order.forms.iter().filter(|filled| filled.form == *form);
            !filled.any(|filled| {
                filled.once_per_cart || filled.responses.iter().any(|one| one.event == line.instance)
            })
        };
        let forms = self.template_of(line).map_or(&[][..], |template| template.forms.as_slice());
        let found = [
            (!order.fees_due().is_zero(), Attention::BalanceDue),
            (order.notes.is_some(), Attention::Notes),
            (forms.iter().any(is_open), Attention::FormsIncomplete),
        ];
        found.into_iter().filter(|(applies, _)| *applies).map(|(_, attention)| attention).collect()
    }

    /// The ticket that took the place of one that was exchanged, after all exchanges; none of one that was not.
    #[must_use]
    pub fn replacement_of(&self, ticket: &TicketId) -> Option<&'a Ticket> {
        let moved = self.order.after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
        moved.fold(None, |found: Option<&'a Ticket>, moved| {
            let now = found.map_or(ticket, |found| &found.id);
            let Some(place) = moved.tickets.iter().position(|old| old == now) else { return found };
            // New tickets are made in the order of those whose places they take.
            let mut new = self.tickets.iter().filter(|ticket| ticket.line == moved.line.id);
            new.nth(place).or(found)
        })
    }

    /// The instance from which a ticket was moved at a door.
    #[must_use]
    pub fn moved_from(&self, ticket: &TicketId) -> Option<InstanceId> {
        let moved = self.order.after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
        let from = &moved.rev().find(|moved| moved.successors.contains(ticket))?.from;
        self.order.all_ticket_lines().find(|line| line.id == *from).map(|line| line.instance)
    }
}

/// Decides whether one ticket opens the door, as it is noted now.
#[must_use]
pub fn decide(
    facts: &DoorFacts<'_>,
    ticket: &Ticket,
    admission: &Admission,
    request: &ScanRequest,
) -> DoorVerdict {
    let Some(line) = facts.order.line_of(ticket) else { return DoorVerdict::unknown() };
    let slot = facts.slot_of(line);
    let entrance = facts.entrance_of(line);
    let mut warnings = Vec::new();
    if !slot.is_current {
        warnings.push(Warning::SlotUnknown);
    }
    let is_entry = request.kind == ScanType::Entry;
    let side =
        if is_entry && request.checks == Checks::All { entrance.side(request.now) } else { Side::Within };
    match side {
        Side::Before if !entrance.blocks => warnings.push(Warning::TooEarly),
        Side::After if !entrance.blocks => warnings.push(Warning::TooLate),
        Side::Before | Side::Within | Side::After => {}
    }
    let by_state = invalid_reason(facts, line, ticket, admission, request.kind, request.event)
        .or_else(|| place_reason(line, request));
    let by_time = || time_reason(&entrance, side, request);
    let by_balance = || {
        let is_asked = is_entry && request.checks == Checks::All && !facts.rules.admit_unpaid;
        (is_asked && !facts.order.fees_due().is_zero()).then_some(Reason::Unpaid)
    };
    let by_passage = || passage_reason(admission, facts.reentry_of(line), request.kind);
    let found = by_state.or_else(by_time).or_else(by_balance).or_else(by_passage);
    let outcome = match found {
        Some(reason) if reason.is_forceable() && request.force.is_some() => {
            Outcome::Admitted { forced: Some(reason) }
        }
        Some(reason) => Outcome::Refused { reason },
        None => Outcome::Admitted { forced: None },
    };
    if let Outcome::Refused { .. } = outcome {
        // Of time, its reason tells enough.
        warnings.retain(|warning| *warning == Warning::SlotUnknown);
    }
    DoorVerdict { outcome, warnings, attention: facts.attention_of(line) }
}

/// Why a ticket is good for nothing at this door, whoever insists.
pub(super) fn invalid_reason(
    facts: &DoorFacts<'_>,
    line: &OrderTicketLine,
    ticket: &Ticket,
    admission: &Admission,
    kind: ScanType,
    event: Option<InstanceId>,
) -> Option<Reason> {
    let is_other = event.is_some_and(|event| event.template_tag() != line.instance.template_tag());
    let is_other = is_other.then_some(Reason::WrongEvent);
    match kind {
        ScanType::Entry => {}
        // Whoever is inside can always leave.
        ScanType::Exit => return is_other,
    }
    status_reason(ticket.status)
        .or((!facts.slot_of(line).takes_place()).then_some(Reason::Cancelled))
        .or(admission.is_blocked().then_some(Reason::Blocked))
        .or(is_other)
}

/// What became of a ticket that does not admit any more.
const fn status_reason(status: TicketStatus) -> Option<Reason> {
    match status {
        TicketStatus::Normal => None,
        TicketStatus::RefundPending => Some(Reason::RefundPending),
        TicketStatus::Refunded => Some(Reason::Refunded),
        TicketStatus::Exchanged => Some(Reason::Exchanged),
    }
}

/// Another time of the event than the ticket's.
fn place_reason(line: &OrderTicketLine, request: &ScanRequest) -> Option<Reason> {
    let is_other = request.event.is_some_and(|event| event != line.instance);
    let is_asked = request.kind == ScanType::Entry && request.checks == Checks::All;
    (is_other && is_asked).then_some(Reason::WrongTime)
}

/// Our choice: the hours of entrance are for who enters; whoever is inside can always leave.
fn time_reason(entrance: &Entrance, side: Side, request: &ScanRequest) -> Option<Reason> {
    if request.kind == ScanType::Exit || request.checks == Checks::Manual {
        return None;
    }
    if entrance.is_over(request.now) {
        return Some(Reason::Expired);
    }
    match side {
        Side::Before if entrance.blocks => Some(Reason::TooEarly),
        Side::After if entrance.blocks => Some(Reason::TooLate),
        Side::Before | Side::Within | Side::After => None,
    }
}

fn passage_reason(admission: &Admission, reentry: Reentry, kind: ScanType) -> Option<Reason> {
    match kind {
        ScanType::Exit => (!admission.inside).then_some(Reason::NotInside),
        ScanType::Entry => {
            let may_enter = match (admission.state(), reentry) {
                (AdmissionState::Never, _) | (_, Reentry::Always) => true,
                (AdmissionState::Left, Reentry::AfterExit) => true,
                (AdmissionState::Inside | AdmissionState::Left | AdmissionState::Blocked, _) => false,
            };
            (!may_enter).then_some(Reason::AlreadyAdmitted)
        }
    }
}

/// Decides a scan of tickets of one order, one after the other: the same ticket twice is a second scan.
#[must_use]
pub fn decide_scan(facts: &DoorFacts<'_>, request: &ScanRequest, named: &[TicketId]) -> DecidedScan {
    let by_id: BTreeMap<&TicketId, &Ticket> =
        facts.tickets.iter().map(|ticket| (&ticket.id, ticket)).collect();
    let mut admissions = facts.order.admission.clone();
    // Clocks differ; what is noted now is behind all that was noted before.
    let shown = named.iter().filter_map(|id| by_id.get(facts.order.successor_of(id)));
    let noted = shown.map(|ticket| admissions.of(ticket));
    let latest = noted.filter_map(|noted| noted.last_entry.max(noted.last_exit)).max();
    let at = latest.map_or(request.now, |latest| latest.max(request.now));
    let (mut verdicts, mut scanned) = (Vec::with_capacity(named.len()), Vec::new());
    for id in named {
        let found = by_id.get(facts.order.successor_of(id)).copied();
        let Some(ticket) = found else {
            verdicts.push(unknown(id));
            continue;
        };
        let before = admissions.of(ticket);
        let verdict = decide(facts, ticket, &before, request);
        if verdict.is_admitted() {
            let terminal = request.actor.terminal.as_deref();
            admissions.pass(ticket, &Passage { kind: request.kind, at, terminal });
        }
        let mut result = ScannedTicket::new(ticket.id.clone(), verdict.result());
        result.warnings.clone_from(&verdict.warnings);
        scanned.push(result);
        let after = admissions.of(ticket);
        verdicts.push(TicketVerdict {
            named: id.clone(),
            ticket: Some(ticket.clone()),
            verdict,
            before,
            after,
            rebooked_from: facts.moved_from(&ticket.id),
            not_moved: None,
        });
    }
    let passed = scanned.iter().any(|one| one.result.counts());
    let scan = (!scanned.is_empty()).then(|| scan_of(facts.order, request, at, scanned));
    let change = scan.clone().filter(|_| passed).map(|scan| {
        admissions.version = scan.number;
        AdmissionChange::between(facts.order, admissions, vec![scan])
    });
    DecidedScan { verdicts, scan, change }
}

pub(super) fn unknown(id: &TicketId) -> TicketVerdict {
    TicketVerdict {
        named: id.clone(),
        ticket: None,
        verdict: DoorVerdict::unknown(),
        before: Admission::default(),
        after: Admission::default(),
        rebooked_from: None,
        not_moved: None,
    }
}

fn scan_of(order: &Order, request: &ScanRequest, at: Timestamp, tickets: Vec<ScannedTicket>) -> Scan {
    let is_forced = tickets.iter().any(|scanned| scanned.result.is_forced());
    Scan {
        id: request.id.clone(),
        number: order.admission.version.saturating_add(1),
        kind: ScanKind::from(request.kind),
        at,
        device_at: None,
        received_at: request.now,
        event: request.event,
        actor: request.actor.clone(),
        note: request.force.clone().filter(|_| is_forced),
        offline: false,
        tickets,
        undone_by: Vec::new(),
    }
}
