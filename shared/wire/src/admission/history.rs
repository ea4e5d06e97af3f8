//! What happened at the doors with the tickets of an order.

use domain::admission::{Actor, Reason, Scan, ScanKind, ScanResult, ScannedTicket, Undone};
use domain::order::{Order, Ticket};
use domain::{InstanceId, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// Scans that are shown of one order, the newest ones.
const MAX_SCANS: usize = 500;

/// What happened with the tickets of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionHistoryView {
    /// The order.
    pub order_id: String,
    /// `NotCheckedIn`, `PartiallyCheckedIn` or `CheckedIn`.
    pub check_in_status: &'static str,
    /// Tickets that admitted somebody.
    pub check_in_quantity: u32,
    /// All its tickets.
    pub tickets: Vec<TicketAdmissionsView>,
}

/// The tickets that were blocked, or may be used again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockedTicketsView {
    /// In the order in which they were named.
    pub tickets: Vec<TicketAdmissionsView>,
}

/// What happened with a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketAdmissionsView {
    /// The ticket.
    pub ticket_id: String,
    /// `never`, `inside`, `left` or `blocked`.
    pub state: &'static str,
    /// The first entry; null before it.
    pub check_in_date: Option<String>,
    /// The latest entry.
    pub last_entry_date: Option<String>,
    /// The latest exit.
    pub last_exit_date: Option<String>,
    /// How often it admitted.
    pub entries: u32,
    /// Why it is blocked; null where it is not.
    pub blocked_reason: Option<String>,
    /// Its scans, the newest first: of the newest 500 of the order.
    pub scans: Vec<ScanView>,
}

/// A scan of a ticket, or what staff did with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanView {
    /// Identity.
    pub admission_id: String,
    /// `entry`, `exit`, `block` or `unblock`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When.
    pub at: String,
    /// When it was told of: later than `at` where the device was offline.
    pub received_at: String,
    /// The event instance that was scanned into: the ticket's own where none was named. Null for blocks.
    pub event_id: Option<String>,
    /// The device.
    pub terminal_id: Option<String>,
    /// Who stood at the device.
    pub operator: Option<String>,
    /// The label of the key.
    pub key: String,
    /// Whether somebody passed.
    pub admitted: bool,
    /// What stood against it; null where nothing did.
    pub reason: Option<&'static str>,
    /// Whether staff let it in against the rules.
    pub forced: bool,
    /// Why staff did.
    pub force_reason: Option<String>,
    /// Why staff blocked it.
    pub blocked_reason: Option<String>,
    /// Why a device that was offline did not let in, in its own words.
    pub device_reason: Option<String>,
    /// Whether the device was offline.
    pub offline: bool,
    /// Whether the ticket had let in somebody else before.
    pub double_admission: bool,
    /// Whether a device that was offline let in with what does not admit.
    pub not_valid: bool,
    /// When it was taken back; null where it was not.
    pub undone_at: Option<String>,
    /// By whom; null where it was not, or that was not noted yet.
    pub undone_by: Option<UndoneByView>,
}

/// Who took a scan back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoneByView {
    /// The device.
    pub terminal_id: Option<String>,
    /// Who stood at the device.
    pub operator: Option<String>,
    /// The label of the key.
    pub key: String,
}

impl From<&Actor> for UndoneByView {
    fn from(actor: &Actor) -> Self {
        Self { terminal_id: actor.terminal.clone(), operator: actor.operator.clone(), key: actor.key.clone() }
    }
}

impl AdmissionHistoryView {
    /// An order with its tickets and all that was recorded of them.
    #[must_use]
    pub fn new(order: &Order, tickets: &[Ticket], scans: &[Scan], zone: Zone) -> Self {
        let check_in = order.check_in();
        let newest = newest(scans);
        Self {
            order_id: order.id.to_string(),
            check_in_status: check_in.status().as_str(),
            check_in_quantity: check_in.admitted,
            tickets: tickets
                .iter()
                .map(|ticket| TicketAdmissionsView::of(order, ticket, &newest, zone))
                .collect(),
        }
    }
}

/// The newest scans of an order, the newest first.
fn newest(scans: &[Scan]) -> Vec<&Scan> {
    let mut newest: Vec<&Scan> = scans.iter().collect();
    newest.sort_by_key(|scan| std::cmp::Reverse((scan.at, scan.number)));
    newest.truncate(MAX_SCANS);
    newest
}

impl TicketAdmissionsView {
    /// A ticket of an order with its scans, among those of the order.
    #[must_use]
    pub fn new(order: &Order, ticket: &Ticket, scans: &[Scan], zone: Zone) -> Self {
        Self::of(order, ticket, &newest(scans), zone)
    }

    fn of(order: &Order, ticket: &Ticket, newest: &[&Scan], zone: Zone) -> Self {
        let admission = order.admission.of(ticket);
        let told = |at: Option<_>| at.map(|at| zone.format(at));
        let reason = order.admission.block_reason_of(&admission).filter(|_| admission.is_blocked());
        let instance = order.line_of(ticket).map(|line| line.instance);
        let of_ticket = |scan: &&Scan| {
            let own = scan.tickets.iter().rev().filter(|scanned| scanned.ticket == ticket.id);
            own.map(|scanned| ScanView::new(scan, scanned, instance, zone)).collect::<Vec<_>>()
        };
        Self {
            ticket_id: ticket.id.to_string(),
            state: admission.state().as_str(),
            check_in_date: told(admission.first_entry),
            last_entry_date: told(admission.last_entry),
            last_exit_date: told(admission.last_exit),
            entries: admission.entries,
            blocked_reason: reason.map(str::to_owned),
            scans: newest.iter().flat_map(of_ticket).collect(),
        }
    }
}

impl ScanView {
    fn new(scan: &Scan, scanned: &ScannedTicket, instance: Option<InstanceId>, zone: Zone) -> Self {
        let result = scanned.result;
        let (is_double, is_invalid) = match result {
            ScanResult::DoubleAdmission => (true, false),
            ScanResult::NotValid { .. } => (false, true),
            ScanResult::Done | ScanResult::Forced { .. } | ScanResult::Refused { .. } => (false, false),
        };
        let is_passage = scan.kind.passage().is_some();
        let noted = |is_meant: bool| scan.note.clone().filter(|_| is_meant);
        let undone = scan.undone(scanned);
        Self {
            admission_id: scan.id.to_string(),
            kind: scan.kind.as_str(),
            at: zone.format(scan.at),
            received_at: zone.format(scan.received_at),
            event_id: scan.event.or(instance).filter(|_| is_passage).map(|event| event.to_string()),
            terminal_id: scan.actor.terminal.clone(),
            operator: scan.actor.operator.clone(),
            key: scan.actor.key.clone(),
            admitted: is_passage && result.counts(),
            reason: result.reason().map(Reason::as_str),
            forced: result.is_forced(),
            force_reason: noted(result.is_forced()),
            blocked_reason: noted(scan.kind == ScanKind::Block),
            device_reason: noted(is_passage && scan.offline),
            offline: scan.offline,
            double_admission: is_double,
            not_valid: is_invalid,
            undone_at: undone.map(|Undone { at, by: _ }| zone.format(at)),
            undone_by: undone.and_then(|undone| undone.by).map(UndoneByView::from),
        }
    }
}
