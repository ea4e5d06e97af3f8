//! Scans as the interface had them before: tickets by their barcodes, cards by theirs.

use crate::admission::input::{MAX_TICKETS, code_here, read_code};
use crate::willcall::{WillCallTicketView, WillCallVisitView};
use crate::{Checker, Field, List, incoming, terminal_id};
use domain::InstanceId;
use domain::admission::ScannedCode;
use serde::Serialize;
use utoipa::ToSchema;

/// Barcodes that one request names.
const MAX_BARCODES: usize = 10 * MAX_TICKETS;

incoming! {
    /// A ticket's barcode to be looked up.
    pub struct BarcodeLookupInput {
        /// The barcode.
        #[serde(rename = "ticketUUID")]
        #[schema(required = true)]
        ticket_uuid: String,
    }
    /// Tickets that staff check in.
    pub struct CheckInTicketsInput {
        /// Their barcodes, 1 to 2,000, of at most 25 orders.
        #[serde(rename = "ticketUUIDs")]
        #[schema(required = true)]
        ticket_uuids: Vec<String>,
    }
    /// A barcode that was scanned.
    pub struct BarcodeScanInput {
        /// The barcode of a ticket or of a member card.
        #[schema(required = true)]
        membership_barcode: String,
        /// The event instance it was scanned into. Default: the ticket's own.
        event_instance: String,
        /// The device: 1 to 60 letters, digits, `-`, `_`, `.` and spaces.
        terminal_id: String,
        /// `false` lets in whom time, payment or an earlier entry keeps out. Default `true`.
        validate: bool,
    }
    /// Tickets whose last scan is taken back.
    pub struct UndoCheckInInput {
        /// The device.
        terminal_id: String,
        /// The barcodes of the tickets, 1 to 2,000, of at most 25 orders.
        #[serde(rename = "ticketUUIDs")]
        #[schema(required = true)]
        ticket_uuids: Vec<String>,
    }
}

/// A barcode that was scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BarcodeScan {
    /// What was scanned.
    pub code: ScannedCode,
    /// The instance it was scanned into, if that was said.
    pub event: Option<InstanceId>,
    /// The device.
    pub terminal: Option<String>,
    /// Whether it is let in against the rules.
    pub is_forced: bool,
}

/// Tickets whose last scan is taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckInUndo {
    /// Their barcodes.
    pub codes: Vec<ScannedCode>,
    /// The device.
    pub terminal: Option<String>,
}

impl BarcodeLookupInput {
    /// The barcode.
    pub fn read(self, checker: &mut Checker) -> Option<ScannedCode> {
        read_code(checker, "ticketUUID", self.ticket_uuid)
    }
}

impl CheckInTicketsInput {
    /// The barcodes.
    pub fn read(self, checker: &mut Checker) -> Option<Vec<ScannedCode>> {
        read_barcodes(checker, self.ticket_uuids)
    }
}

impl BarcodeScanInput {
    /// Whether staff insist, whatever else is at fault.
    #[must_use]
    pub const fn insists(&self) -> bool {
        matches!(self.validate, Field::Value(false))
    }

    /// The scan.
    pub fn read(self, checker: &mut Checker) -> Option<BarcodeScan> {
        let code = read_code(checker, "membershipBarcode", self.membership_barcode);
        let event = checker.optional_id("eventInstance", self.event_instance, InstanceId::parse);
        let terminal = terminal_id(checker, self.terminal_id);
        let validates = checker.optional("validate", self.validate).unwrap_or(true);
        Some(BarcodeScan { code: code?, event, terminal, is_forced: !validates })
    }
}

impl UndoCheckInInput {
    /// Whose last scan is taken back.
    pub fn read(self, checker: &mut Checker) -> Option<CheckInUndo> {
        let terminal = terminal_id(checker, self.terminal_id);
        let codes = read_barcodes(checker, self.ticket_uuids);
        Some(CheckInUndo { codes: codes?, terminal })
    }
}

fn read_barcodes(checker: &mut Checker, field: Field<List<String>>) -> Option<Vec<ScannedCode>> {
    match &field {
        Field::Absent | Field::Null => checker.invalid("ticketUUIDs", "is required"),
        Field::Value(list) if list.0.is_empty() => {
            checker.invalid("ticketUUIDs", "must have at least one entry");
        }
        Field::Value(list) if list.0.len() > MAX_BARCODES => checker.too_many("ticketUUIDs", MAX_BARCODES),
        Field::Value(_) | Field::Wrong => {}
    }
    let codes = checker.each("ticketUUIDs", field, |checker, text: String| code_here(checker, &text));
    codes.into_iter().collect()
}

/// A ticket's window, and the order it is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BarcodeLookupView {
    /// What a scan would be answered now: 0 may be admitted, 2 to 10 may not.
    pub check_in_status: u8,
    /// The order.
    pub order_id: i64,
    /// So many minutes before the start tickets are let in; null where there is no such limit.
    pub minutes_before: Option<i64>,
    /// So many minutes after it; null likewise.
    pub minutes_after: Option<i64>,
    /// The first entry; null before it.
    pub check_in_date: Option<String>,
}

/// A ticket that was checked in, or whose last scan was taken back. Nothing of it is there where neither happened, or,
/// with `x-service-explain: true`, its barcode and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckedInTicketView {
    /// Identity: digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whose ticket it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<i64>,
    /// What was scanned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// The ticket type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_type_id: Option<String>,
    /// The event instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub first_name: Option<Option<String>>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub last_name: Option<Option<String>>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub email: Option<Option<String>>,
    /// Contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub phone_number: Option<Option<String>>,
    /// `Normal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_status: Option<&'static str>,
    /// Whether it has been printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<bool>,
    /// `NoConversion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversion_status: Option<&'static str>,
    /// The one visit it is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_details: Option<Vec<WillCallVisitView>>,
    /// The first entry; null after it was taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub check_in_date: Option<Option<String>>,
    /// Why nothing happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl CheckedInTicketView {
    /// A ticket that something happened with.
    #[must_use]
    pub fn of(ticket: WillCallTicketView) -> Self {
        Self {
            id: Some(ticket.id),
            tenant_id: Some(ticket.tenant_id),
            uuid: Some(ticket.uuid),
            ticket_type_id: Some(ticket.ticket_type_id),
            event_id: Some(ticket.event_id),
            first_name: Some(ticket.first_name),
            last_name: Some(ticket.last_name),
            email: Some(ticket.email),
            phone_number: Some(ticket.phone_number),
            ticket_status: Some(ticket.ticket_status),
            printed: Some(ticket.printed),
            conversion_status: Some(ticket.conversion_status),
            ticket_details: Some(ticket.ticket_details),
            check_in_date: Some(ticket.check_in_date),
            reason: None,
        }
    }

    /// A barcode that nothing happened with, and why.
    #[must_use]
    pub fn explained(code: &ScannedCode, reason: &'static str, first_entry: Option<String>) -> Self {
        Self {
            uuid: Some(code.expose().to_ascii_lowercase()),
            check_in_date: first_entry.map(Some),
            reason: Some(reason),
            ..Self::default()
        }
    }
}

/// What a scan of a barcode is answered, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BarcodeScanView {
    /// 1: admitted now. 2 to 12: not admitted, and why.
    pub check_in_status: u8,
    /// The order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// When its checkout began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_creation_date: Option<String>,
    /// Of a card: the level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level_name: Option<String>,
    /// Who holds the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_name: Option<String>,
    /// `primary` or `secondary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_type: Option<&'static str>,
    /// Where the card stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_standing: Option<&'static str>,
    /// The last instant of the membership's last term.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub membership_expiration_date: Option<String>,
    /// The first entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_in_date: Option<String>,
    /// The event the ticket is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_event_name: Option<String>,
    /// The event it was scanned into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_in_event_name: Option<String>,
    /// When the ticket's event starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_event_time: Option<String>,
    /// When the event starts that it was scanned into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_in_event_time: Option<String>,
    /// The ticket type's name when it was sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket_type_name: Option<String>,
}
