//! What devices tell that were offline. It happened, so it is noted whatever the rules say.

use super::decide::{AdmissionChange, DoorFacts, invalid_reason};
use super::scan::{Actor, Reason, Scan, ScanKind, ScanResult, ScannedTicket, passages_of};
use crate::catalog::ticket_details::Reentry;
use crate::order::{Admissions, OrderTicketLine, Passage, ScanType, Ticket};
use crate::{AdmissionId, InstanceId, TicketId, Timestamp};
use std::collections::BTreeSet;

/// A scan that a device tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedScan {
    /// The identity of its record, which follows from the device's own.
    pub id: AdmissionId,
    /// The ticket.
    pub ticket: TicketId,
    /// The instance that was scanned into.
    pub event: Option<InstanceId>,
    /// In or out.
    pub kind: ScanType,
    /// When.
    pub at: Timestamp,
    /// What the device decided.
    pub decision: DeviceDecision,
    /// Why it did not let in, in its own words.
    pub note: Option<String>,
}

/// What a device decided by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceDecision {
    /// It let in.
    Admitted,
    /// It did not.
    Refused {
        /// Why, as far as it said.
        reason: Option<Reason>,
    },
}

/// What came of a scan that was told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UploadOutcome {
    /// It is noted.
    Recorded,
    /// It was noted before.
    Duplicate,
    /// The ticket had let in somebody else.
    Conflict,
    /// The ticket did not admit.
    NotValid,
    /// No ticket is called so.
    Unknown,
}

impl UploadOutcome {
    /// The word of answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Duplicate => "duplicate",
            Self::Conflict => "conflict",
            Self::NotValid => "notValid",
            Self::Unknown => "unknown",
        }
    }
}

/// What is decided of the scans of one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedUpload {
    /// What came of each, in their order.
    pub outcomes: Vec<UploadOutcome>,
    /// What is written; none where nothing is new.
    pub change: Option<AdmissionChange>,
}

/// Decides what is noted of scans that a device tells of, beside all that are known of the order.
#[must_use]
pub fn decide_upload(
    facts: &DoorFacts<'_>,
    known: &[Scan],
    uploads: &[UploadedScan],
    actor: &Actor,
    now: Timestamp,
) -> DecidedUpload {
    let order = facts.order;
    let mut admissions = order.admission.clone();
    let mut seen: BTreeSet<&AdmissionId> = known.iter().map(|scan| &scan.id).collect();
    let mut all = known.to_vec();
    let mut outcomes = Vec::with_capacity(uploads.len());
    for upload in uploads {
        let counting = order.successor_of(&upload.ticket);
        let ticket = facts.tickets.iter().find(|ticket| ticket.id == *counting);
        let found = ticket.and_then(|ticket| Some((ticket, order.line_of(ticket)?)));
        let Some((ticket, line)) = found else {
            outcomes.push(UploadOutcome::Unknown);
            continue;
        };
        if !seen.insert(&upload.id) {
            outcomes.push(UploadOutcome::Duplicate);
            continue;
        }
        // No clock of a device puts anything behind what is noted from now on.
        let judged = Judged { ticket, line, upload, at: upload.at.min(now) };
        let result = judged.result(facts, &admissions, &all);
        outcomes.push(outcome_of(result));
        let number = admissions.version.saturating_add(1);
        admissions.version = number;
        let scan = judged.scan(result, number, actor, now);
        if result.counts() {
            let terminal = scan.actor.terminal.as_deref();
            admissions.pass(ticket, &Passage { kind: upload.kind, at: judged.at, terminal });
        }
        all.push(scan);
    }
    let new = all.split_off(known.len());
    let change = (!new.is_empty()).then(|| AdmissionChange::between(order, admissions, new));
    DecidedUpload { outcomes, change }
}

const fn outcome_of(result: ScanResult) -> UploadOutcome {
    match result {
        ScanResult::Done | ScanResult::Forced { .. } | ScanResult::Refused { .. } => UploadOutcome::Recorded,
        ScanResult::DoubleAdmission => UploadOutcome::Conflict,
        ScanResult::NotValid { .. } => UploadOutcome::NotValid,
    }
}

/// A scan whose ticket was found.
#[derive(Clone, Copy)]
struct Judged<'a> {
    ticket: &'a Ticket,
    line: &'a OrderTicketLine,
    upload: &'a UploadedScan,
    /// When, at the latest when it was told.
    at: Timestamp,
}

impl Judged<'_> {
    fn result(self, facts: &DoorFacts<'_>, admissions: &Admissions, scans: &[Scan]) -> ScanResult {
        let Self { ticket, line, upload, at } = self;
        match upload.decision {
            DeviceDecision::Refused { reason } => return ScanResult::Refused { reason },
            DeviceDecision::Admitted => {}
        }
        let admission = admissions.of(ticket);
        if let Some(reason) = invalid_reason(facts, line, ticket, &admission, upload.kind, upload.event) {
            return ScanResult::NotValid { reason };
        }
        let is_entry = upload.kind == ScanType::Entry;
        if is_entry && is_double(&passages_of(scans, ticket), facts.reentry_of(line), at) {
            return ScanResult::DoubleAdmission;
        }
        ScanResult::Done
    }

    fn scan(self, result: ScanResult, number: u64, actor: &Actor, now: Timestamp) -> Scan {
        let Self { ticket, line: _, upload, at } = self;
        Scan {
            id: upload.id.clone(),
            number,
            kind: ScanKind::from(upload.kind),
            at,
            device_at: (upload.at > at).then_some(upload.at),
            received_at: now,
            event: upload.event,
            actor: actor.clone(),
            note: upload.note.clone(),
            offline: true,
            tickets: vec![ScannedTicket::new(ticket.id.clone(), result)],
            undone_by: Vec::new(),
        }
    }
}

/// Whether an entry at `at` is one too many: with a ticket that admits once, any other; with one that admits again
/// after an exit, one that has an entry before or behind it and no exit between.
fn is_double(passages: &[Passage<'_>], reentry: Reentry, at: Timestamp) -> bool {
    let is_entry = |passage: &Passage<'_>| passage.kind == ScanType::Entry;
    match reentry {
        Reentry::Always => false,
        Reentry::Never => passages.iter().any(is_entry),
        Reentry::AfterExit => {
            let before = passages.iter().rev().find(|passage| passage.at <= at);
            let behind = passages.iter().find(|passage| passage.at > at);
            before.is_some_and(is_entry) || behind.is_some_and(is_entry)
        }
    }
}
