//! Taking back the last scan of tickets.

use super::decide::AdmissionChange;
use super::scan::{Actor, Reason, Scan, passages_of};
use crate::order::{Admission, Order, Ticket};
use crate::time::plus_secs;
use crate::{AdmissionId, TicketId, Timestamp};

/// For how long a device takes back what it did itself, in seconds.
const OWN_SCAN_SECS: i64 = 900;

/// What somebody may take back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoRight {
    /// Any scan.
    Any,
    /// Those with the key of who asks, of the last fifteen minutes.
    Own,
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct UndoRequest {
    /// The identity of the request, by which what it took back is known at its repetition.
    pub id: AdmissionId,
    /// What who asks may take back.
    pub right: UndoRight,
    /// Who asks.
    pub actor: Actor,
    /// The moment.
    pub now: Timestamp,
}

/// Why nothing is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotUndone {
    /// Nobody was let in with it, or that was taken back.
    NeverAdmitted,
    /// Another device let in, or it is too long ago.
    NotPermitted,
    /// Staff blocked the ticket, of which a device takes nothing back.
    Blocked,
}

impl NotUndone {
    /// The word of answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NeverAdmitted => "notAdmitted",
            Self::NotPermitted => "notPermitted",
            Self::Blocked => Reason::Blocked.as_str(),
        }
    }
}

/// What came of one ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneTicket {
    /// The ticket as it was named.
    pub named: TicketId,
    /// The ticket that counts, if the order has one.
    pub ticket: Option<Ticket>,
    /// Whether a scan was taken back, or why not.
    pub outcome: Result<(), NotUndone>,
    /// What was noted of it before.
    pub before: Admission,
    /// What is noted of it now.
    pub after: Admission,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedUndo {
    /// What came of each ticket, in the order in which they were named.
    pub tickets: Vec<UndoneTicket>,
    /// What is written; none where nothing was there to be taken back.
    pub change: Option<AdmissionChange>,
}

/// Takes back the last scan of each of these tickets. What is noted of a ticket is reckoned anew from the scans that
/// are left, so that it is as it was before. What this very request took back before is not taken back twice.
#[must_use]
pub fn undo(
    order: &Order,
    tickets: &[Ticket],
    scans: &[Scan],
    named: &[TicketId],
    request: &UndoRequest,
) -> DecidedUndo {
    let mut admissions = order.admission.clone();
    let mut scans = scans.to_vec();
    let mut marked: Vec<usize> = Vec::new();
    let mut outcomes = Vec::with_capacity(named.len());
    for id in named {
        let counting = order.successor_of(id);
        let Some(ticket) = tickets.iter().find(|ticket| ticket.id == *counting) else {
            let (before, after) = (Admission::default(), Admission::default());
            let outcome = Err(NotUndone::NeverAdmitted);
            outcomes.push(UndoneTicket { named: id.clone(), ticket: None, outcome, before, after });
            continue;
        };
        let before = admissions.of(ticket);
        let found = match was_undone(&scans, &ticket.id, &request.id) {
            true => Ok(None),
            false => to_be_undone(&scans, &ticket.id, &before, request).map(Some),
        };
        if let Ok(Some(place)) = found
            && let Some(scan) = scans.get_mut(place)
        {
            scan.take_back(&ticket.id, &request.id, &request.actor, request.now);
            admissions.replay(ticket, passages_of(&scans, ticket));
            if !marked.contains(&place) {
                marked.push(place);
            }
        }
        outcomes.push(UndoneTicket {
            named: id.clone(),
            ticket: Some(ticket.clone()),
            outcome: found.map(|_| ()),
            before,
            after: admissions.of(ticket),
        });
    }
    let change = (!marked.is_empty()).then(|| {
        admissions.version = order.admission.version.saturating_add(1);
        let marked = marked.iter().filter_map(|place| scans.get(*place)).cloned().collect();
        AdmissionChange { marked, ..AdmissionChange::between(order, admissions, Vec::new()) }
    });
    DecidedUndo { tickets: outcomes, change }
}

/// Whether this very request took a scan of a ticket back before.
fn was_undone(scans: &[Scan], ticket: &TicketId, with: &AdmissionId) -> bool {
    let mut scanned = scans.iter().flat_map(|scan| &scan.tickets);
    scanned.any(|scanned| scanned.ticket == *ticket && scanned.undone_with.as_ref() == Some(with))
}

/// The place of the scan of a ticket that is taken back.
fn to_be_undone(
    scans: &[Scan],
    ticket: &TicketId,
    noted: &Admission,
    request: &UndoRequest,
) -> Result<usize, NotUndone> {
    let place = last_counting(scans, ticket).ok_or(NotUndone::NeverAdmitted)?;
    let scan = scans.get(place).ok_or(NotUndone::NeverAdmitted)?;
    match request.right {
        UndoRight::Any => Ok(place),
        UndoRight::Own if noted.is_blocked() => Err(NotUndone::Blocked),
        UndoRight::Own => {
            let is_recent = scan.received_at >= plus_secs(request.now, -OWN_SCAN_SECS);
            let is_own = scan.actor.has_key_of(&request.actor);
            (is_own && is_recent).then_some(place).ok_or(NotUndone::NotPermitted)
        }
    }
}

/// The last scan that counts for a ticket.
fn last_counting(scans: &[Scan], ticket: &TicketId) -> Option<usize> {
    let counts = |scan: &&Scan| {
        scan.kind.passage().is_some()
            && scan.tickets.iter().any(|scanned| scanned.ticket == *ticket && scanned.counts())
    };
    let found = scans.iter().enumerate().filter(|(_, scan)| counts(scan));
    found.max_by_key(|(_, scan)| (scan.at, scan.number)).map(|(place, _)| place)
}
