//! A scan that was written, and whose answer was lost.

use super::decide::{DecidedScan, DoorFacts, TicketVerdict, unknown};
use super::scan::{Scan, ScanKind, ScanResult, ScannedTicket, passages_of};
use super::verdict::{DoorVerdict, Outcome};
use crate::order::{Admissions, Passage, Ticket};
use crate::time::plus_secs;
use crate::{TicketId, Timestamp};
use std::collections::BTreeMap;

/// For how long a scan is known by its request, in seconds.
const KNOWN_SECS: i64 = 86_400;

/// Whether a scan that is written answers the repetition of its request: for a day, where somebody passed and nothing of
/// it was taken back. Otherwise the repetition is decided anew.
#[must_use]
pub fn answers(scan: &Scan, now: Timestamp) -> bool {
    let is_recent = scan.received_at >= plus_secs(now, -KNOWN_SECS);
    is_recent && scan.has_passage() && scan.tickets.iter().all(|scanned| scanned.undone_at.is_none())
}

/// What came of the tickets of a scan that is written, as it was answered at its first try: what was noted before it
/// follows from the other scans of the order.
#[must_use]
pub fn as_recorded(facts: &DoorFacts<'_>, scan: &Scan, scans: &[Scan], named: &[TicketId]) -> DecidedScan {
    let mut admissions = before(facts, scan, scans);
    let mut seen: BTreeMap<&TicketId, usize> = BTreeMap::new();
    let mut verdicts = Vec::with_capacity(named.len());
    for id in named {
        // It may have been moved since.
        let is_scanned = scan.tickets.iter().any(|scanned| scanned.ticket == *id);
        let counting = if is_scanned { id } else { facts.order.successor_of(id) };
        // A ticket that was named twice was scanned twice.
        let times = seen.entry(counting).or_default();
        let mut own = scan.tickets.iter().filter(|scanned| scanned.ticket == *counting);
        let scanned = own.nth(*times);
        *times = times.saturating_add(1);
        let ticket = facts.tickets.iter().find(|ticket| ticket.id == *counting);
        let told = ticket.zip(scanned).and_then(|(ticket, scanned)| {
            let verdict = verdict_of(facts, ticket, scanned)?;
            let noted = admissions.of(ticket);
            if let Some(kind) = scan.kind.passage().filter(|_| scanned.result.counts()) {
                let terminal = scan.actor.terminal.as_deref();
                admissions.pass(ticket, &Passage { kind, at: scan.at, terminal });
            }
            Some(TicketVerdict {
                named: id.clone(),
                ticket: Some(ticket.clone()),
                verdict,
                before: noted,
                after: admissions.of(ticket),
                rebooked_from: facts.moved_from(&ticket.id),
                not_moved: None,
            })
        });
        verdicts.push(told.unwrap_or_else(|| unknown(id)));
    }
    DecidedScan { verdicts, scan: Some(scan.clone()), change: None }
}

/// None of a record that no door wrote.
fn verdict_of(facts: &DoorFacts<'_>, ticket: &Ticket, scanned: &ScannedTicket) -> Option<DoorVerdict> {
    let outcome = match scanned.result {
        ScanResult::Done | ScanResult::DoubleAdmission => Outcome::Admitted { forced: None },
        ScanResult::Forced { reason } => Outcome::Admitted { forced: Some(reason) },
        ScanResult::Refused { reason: Some(reason) } | ScanResult::NotValid { reason } => {
            Outcome::Refused { reason }
        }
        ScanResult::Refused { reason: None } => return None,
    };
    let attention = facts.order.line_of(ticket).map(|line| facts.attention_of(line)).unwrap_or_default();
    Some(DoorVerdict { outcome, warnings: scanned.warnings.clone(), attention })
}

/// The admissions of the tickets of a scan before it was written.
fn before(facts: &DoorFacts<'_>, scan: &Scan, scans: &[Scan]) -> Admissions {
    let mut earlier: Vec<Scan> = scans.iter().filter(|other| other.number < scan.number).cloned().collect();
    earlier.sort_by_key(|scan| scan.number);
    for scanned in earlier.iter_mut().flat_map(|earlier| &mut earlier.tickets) {
        // What was taken back later counted then.
        if scanned.undone_at.is_some_and(|at| at > scan.received_at) {
            scanned.undone_at = None;
        }
    }
    let mut admissions = facts.order.admission.clone();
    let is_scanned = |ticket: &&Ticket| scan.tickets.iter().any(|scanned| scanned.ticket == ticket.id);
    for ticket in facts.tickets.iter().filter(is_scanned) {
        admissions.unblock(ticket);
        admissions.replay(ticket, passages_of(&earlier, ticket));
        for block in earlier.iter().filter(|earlier| earlier.names(&ticket.id).next().is_some()) {
            match block.kind {
                ScanKind::Block => {
                    let since = admissions.of(ticket).blocked_at.unwrap_or(block.at);
                    admissions.block(ticket, since, block.note.as_deref().unwrap_or_default());
                }
                ScanKind::Unblock => admissions.unblock(ticket),
                ScanKind::Entry | ScanKind::Exit => {}
            }
        }
    }
    admissions
}
