//! Tickets that staff block: lost, stolen, charged back.

use super::decide::AdmissionChange;
use super::scan::{Actor, Scan, ScanKind, ScanResult, ScannedTicket};
use crate::order::{Order, Ticket};
use crate::{AdmissionId, Timestamp};

/// What staff ask for.
#[derive(Debug, Clone)]
pub struct BlockRequest {
    /// The identity of the record.
    pub id: AdmissionId,
    /// Why they are blocked; none unblocks them.
    pub reason: Option<String>,
    /// Who asks.
    pub actor: Actor,
    /// The moment.
    pub now: Timestamp,
}

/// What blocking tickets of an order changes, or unblocking them; nothing where they are as they should be.
#[must_use]
pub fn block_of(order: &Order, tickets: &[&Ticket], request: &BlockRequest) -> Option<AdmissionChange> {
    let mut admissions = order.admission.clone();
    let mut scanned: Vec<ScannedTicket> = Vec::new();
    for ticket in tickets.iter().copied() {
        let noted = admissions.of(ticket);
        match &request.reason {
            // Another reason is one of its own; the ticket is blocked since it was.
            Some(reason) if admissions.block_reason_of(&noted) != Some(reason.as_str()) => {
                admissions.block(ticket, noted.blocked_at.unwrap_or(request.now), reason);
            }
            None if noted.is_blocked() => admissions.unblock(ticket),
            Some(_) | None => continue,
        }
        scanned.push(ScannedTicket::new(ticket.id.clone(), ScanResult::Done));
    }
    if scanned.is_empty() {
        return None;
    }
    let kind = if request.reason.is_some() { ScanKind::Block } else { ScanKind::Unblock };
    let number = order.admission.version.saturating_add(1);
    admissions.version = number;
    let scan = Scan {
        id: request.id.clone(),
        number,
        kind,
        at: request.now,
        device_at: None,
        received_at: request.now,
        event: None,
        actor: request.actor.clone(),
        note: request.reason.clone(),
        offline: false,
        tickets: scanned,
        undone_by: Vec::new(),
    };
    Some(AdmissionChange::between(order, admissions, vec![scan]))
}
