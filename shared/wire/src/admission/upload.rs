//! What a device sends that was offline: the scans it made meanwhile, each of which is noted once.

use crate::admission::input::{NamedTicket, read_code, read_scan_type};
use crate::readers::word;
use crate::{Checker, DigitsId, Field, incoming, terminal_id};
use domain::admission::{DeviceDecision, Reason, ScannedCode, UploadOutcome};
use domain::card::mask_card_numbers;
use domain::order::ScanType;
use domain::time::plus_secs;
use domain::{InstanceId, OrderId, TicketId, Timestamp, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// Scans that one request brings.
const MAX_SCANS: usize = 500;
/// So many seconds a device's clock may be ahead.
const MAX_AHEAD_SECS: i64 = 300;
/// So many seconds a scan may be old.
const MAX_AGE_SECS: i64 = 7 * 86_400;
/// Characters of a reason.
const MAX_REASON_CHARS: usize = 200;

incoming! {
    /// Scans that a device made while it was offline.
    pub struct ScanUploadInput {
        /// The device: 1 to 60 letters, digits, `-`, `_`, `.` and spaces.
        terminal_id: String,
        /// The scans, 1 to 500, in any order.
        #[schema(required = true)]
        scans: Vec<UploadedScanInput>,
    }
    /// A scan that a device made.
    pub struct UploadedScanInput {
        /// Names this scan for ever: a UUID that the device made for it.
        #[schema(required = true)]
        scan_id: String,
        /// The order of the ticket, with `ticketId`. Either these or `code` are sent.
        order_id: DigitsId,
        /// The ticket.
        ticket_id: String,
        /// What was scanned.
        code: String,
        /// The event instance it was scanned into. Default: the ticket's own.
        event_id: String,
        /// `entry` or `exit`. Default `entry`.
        #[serde(rename = "type")]
        kind: String,
        /// When, by the device's clock: at most 5 minutes ahead, at most 7 days back.
        #[schema(required = true)]
        at: String,
        /// `admitted` or `refused`, as the device decided. Default `admitted`.
        decision: String,
        /// Why it was refused, 1 to 200 characters: one of the reasons of answers, or the device's own words, which the
        /// history shows. A card number in them is masked.
        reason: String,
    }
}

/// What a device scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Uploaded {
    /// A ticket it knew.
    Ticket(NamedTicket),
    /// A code.
    Code(ScannedCode),
}

/// A scan that a device made, whether its ticket is there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceScan {
    /// Its name, 32 lower-case hexadecimal digits.
    pub id: String,
    /// What was scanned.
    pub scanned: Uploaded,
    /// The instance it was scanned into, if that was said.
    pub event: Option<InstanceId>,
    /// In or out.
    pub scan_type: ScanType,
    /// When, by the device's clock.
    pub at: Timestamp,
    /// What the device decided.
    pub decision: DeviceDecision,
    /// Why it did not let in, in its own words.
    pub note: Option<String>,
}

/// The scans of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanUpload {
    /// The device.
    pub terminal: Option<String>,
    /// The scans, in the order in which they were sent.
    pub scans: Vec<DeviceScan>,
}

impl ScanUploadInput {
    /// The scans.
    pub fn read(self, checker: &mut Checker, zone: Zone, now: Timestamp) -> Option<ScanUpload> {
        let terminal = terminal_id(checker, self.terminal_id);
        match &self.scans {
            Field::Absent | Field::Null => checker.invalid("scans", "is required"),
            Field::Value(list) if list.0.is_empty() => {
                checker.invalid("scans", "must have at least one entry");
            }
            Field::Value(list) if list.0.len() > MAX_SCANS => checker.too_many("scans", MAX_SCANS),
            Field::Value(_) | Field::Wrong => {}
        }
        let scans = checker.each("scans", self.scans, |checker, scan| scan.read(checker, zone, now));
        Some(ScanUpload { terminal, scans: scans.into_iter().collect::<Option<_>>()? })
    }
}

impl UploadedScanInput {
    fn read(self, checker: &mut Checker, zone: Zone, now: Timestamp) -> Option<DeviceScan> {
        let id = checker.required("scanId", self.scan_id).and_then(|text| {
            let id = uuid(&text);
            if id.is_none() {
                checker.invalid("scanId", "must be a UUID");
            }
            id
        });
        let scanned = read_scanned(checker, self.order_id, self.ticket_id, self.code);
        let event = checker.optional_id("eventId", self.event_id, InstanceId::parse);
        let scan_type = read_scan_type(checker, self.kind);
        let at = checker.required_instant("at", self.at, zone).filter(|at| {
            let fault = if *at > plus_secs(now, MAX_AHEAD_SECS) {
                Some("must not be more than 5 minutes ahead")
            } else if *at < plus_secs(now, -MAX_AGE_SECS) {
                Some("must not be more than 7 days ago")
            } else {
                None
            };
            if let Some(fault) = fault {
                checker.invalid("at", fault);
            }
            fault.is_none()
        });
        let reason = checker.optional_text("reason", self.reason, MAX_REASON_CHARS);
        // A device may have reasons of its own, which are none of ours.
        let refused = DeviceDecision::Refused { reason: reason.as_deref().and_then(Reason::parse) };
        let parse = |text: &str| match text.to_ascii_lowercase().as_str() {
            "admitted" => Some(DeviceDecision::Admitted),
            "refused" => Some(refused),
            _ => None,
        };
        let decision = word(checker, "decision", self.decision, parse, "admitted, refused");
        let decision = decision.unwrap_or(DeviceDecision::Admitted);
        let is_own = |text: &String| decision == refused && Reason::parse(text).is_none();
        let note = reason.filter(is_own).map(|text| mask_card_numbers(&text).into_owned());
        Some(DeviceScan { id: id?, scanned: scanned?, event, scan_type, at: at?, decision, note })
    }
}

/// A ticket by its ids, or a code.
fn read_scanned(
    checker: &mut Checker,
    order: Field<DigitsId>,
    ticket: Field<String>,
    code: Field<String>,
) -> Option<Uploaded> {
    if code.is_sent() {
        if order.is_sent() || ticket.is_sent() {
            checker.invalid("code", "must not be sent together with orderId and ticketId");
        }
        return read_code(checker, "code", code).map(Uploaded::Code);
    }
    let order = checker.required_id("orderId", order.into_text(), OrderId::parse);
    let ticket = checker.required_id("ticketId", ticket, TicketId::parse);
    Some(Uploaded::Ticket(NamedTicket { order: order?, ticket: ticket? }))
}

/// The 32 digits of a UUID in lower case.
fn uuid(text: &str) -> Option<String> {
    let groups: Vec<&str> = text.trim().split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let digits = groups.concat();
    let is_uuid = lengths == [8, 4, 4, 4, 12] && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_uuid.then(|| digits.to_ascii_lowercase())
}

/// What became of each scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanUploadAnswer {
    /// One for each scan, in the order in which they were sent.
    pub results: Vec<UploadedScanView>,
}

/// What became of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedScanView {
    /// The name that the device gave it, as it was sent, but in lower case.
    pub scan_id: String,
    /// `recorded`, `duplicate`, `conflict`, `notValid` or `unknown`.
    pub outcome: &'static str,
}

impl UploadedScanView {
    /// The outcome of a scan with this name.
    #[must_use]
    pub fn new(id: &str, outcome: UploadOutcome) -> Self {
        let part = |from: usize, to: usize| id.get(from..to).unwrap_or_default();
        let scan_id = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-");
        Self { scan_id, outcome: outcome.as_str() }
    }
}

#[cfg(test)]
mod tests {
    use super::{UploadOutcome, UploadedScanView, uuid};

    #[test]
    fn a_uuid_is_known_in_any_case_and_nothing_else_is_one() {
        let text = "6F1C2A58-0b3d-4e21-9a7c-0d5e8f4b2a10";
        let read = uuid(&format!(" {text} ")).unwrap();
        assert_eq!(UploadedScanView::new(&read, UploadOutcome::Recorded).scan_id, text.to_ascii_lowercase());
        for other in ["", "6f1c2a58", &text.replace('-', ""), &text.replace('F', "g"), &format!("{text}0")] {
            assert_eq!(uuid(other), None, "{other}");
        }
    }
}
