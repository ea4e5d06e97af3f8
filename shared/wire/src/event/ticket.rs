//! The ticket settings of a template (spec §2.10 `ticketDetails`).

use crate::readers::{TEXT_CHARS, count, flag, word};
use crate::{Checker, incoming};
use domain::catalog::ticket_details::{
    CheckInWindow, PostStartPurchase, PurchaseAvailability, Reentry, TicketDetails, TimeFrame,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Ticket settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketDetailsOutput {
    /// For how many days a ticket is good.
    pub ticket_duration_days: Option<u32>,
    /// When tickets are let in.
    pub check_in_window: Option<CheckInWindowOutput>,
    /// Whether sales go on after the start.
    pub post_start_purchase: PostStartPurchaseOutput,
    /// When sales close.
    pub purchase_availability: Option<PurchaseAvailabilityOutput>,
    /// Lines printed on the ticket.
    pub ticket_print_lines: Vec<String>,
    /// The ticket is not printed.
    pub do_not_print: bool,
    /// A ticket's days count from the date of the event.
    pub expire_from_event_date: bool,
    /// The ticket does not show the date of the event.
    pub hide_event_date: bool,
    /// Whether a ticket admits more than once: `never`, `afterExit` or `always`.
    pub reentry: &'static str,
}

/// When tickets are let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckInWindowOutput {
    /// Minutes before the start.
    pub minutes_before: Option<u32>,
    /// Minutes after the start.
    pub minutes_after: Option<u32>,
    /// Outside the window a scan is refused.
    pub block_scan: bool,
    /// Outside the window the ticket moves to another slot.
    pub auto_rebook: bool,
}

/// Sales after the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostStartPurchaseOutput {
    /// Tickets are sold until the slot ends.
    pub allow_late_ticket_purchase: bool,
}

/// When sales close, counted from the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseAvailabilityOutput {
    /// `when`, `before` or `after`.
    pub time_frame: &'static str,
    /// Minutes from the start.
    pub minutes: u32,
}

impl From<&TicketDetails> for TicketDetailsOutput {
    fn from(details: &TicketDetails) -> Self {
        let window = |window: CheckInWindow| {
            let CheckInWindow { minutes_before, minutes_after, block_scan, auto_rebook } = window;
            CheckInWindowOutput { minutes_before, minutes_after, block_scan, auto_rebook }
        };
        let availability = |set: PurchaseAvailability| PurchaseAvailabilityOutput {
            time_frame: set.time_frame().as_str(),
            minutes: set.minutes(),
        };
        Self {
            ticket_duration_days: details.ticket_duration_days,
            check_in_window: details.check_in_window.map(window),
            post_start_purchase: PostStartPurchaseOutput {
                allow_late_ticket_purchase: details.post_start_purchase.allow_late_ticket_purchase,
            },
            purchase_availability: details.purchase_availability.map(availability),
            ticket_print_lines: details.ticket_print_lines.clone(),
            do_not_print: details.do_not_print,
            expire_from_event_date: details.expire_from_event_date,
            hide_event_date: details.hide_event_date,
            reentry: details.reentry.as_str(),
        }
    }
}

incoming! {
    /// Ticket settings.
    pub struct TicketDetailsInput {
        ticket_duration_days: i64,
        check_in_window: CheckInWindowInput,
        post_start_purchase: PostStartPurchaseInput,
        purchase_availability: PurchaseAvailabilityInput,
        ticket_print_lines: Vec<String>,
        do_not_print: bool,
        expire_from_event_date: bool,
        hide_event_date: bool,
        /// Whether a ticket admits more than once: `never` (default), `afterExit` or `always`.
        reentry: String,
    }
    /// When tickets are let in.
    pub struct CheckInWindowInput {
        minutes_before: i64,
        minutes_after: i64,
        block_scan: bool,
        auto_rebook: bool,
    }
    /// Sales after the start.
    pub struct PostStartPurchaseInput {
        allow_late_ticket_purchase: bool,
    }
    /// When sales close, counted from the start.
    pub struct PurchaseAvailabilityInput {
        #[schema(required = true)]
        time_frame: String,
        minutes: i64,
    }
}

/// Minutes of a setting: up to a year.
const MAX_MINUTES: u32 = 527_040;
/// Days a ticket can be good for: up to ten years.
const MAX_DAYS: u32 = 3_660;

impl TicketDetailsInput {
    /// The settings; faults are noted.
    pub fn read(self, checker: &mut Checker) -> TicketDetails {
        let lines = checker.each("ticketPrintLines", self.ticket_print_lines, |checker, line| {
            // An empty line is printed as one.
            let is_blank = line.trim().is_empty();
            if is_blank { String::new() } else { checker.text_here(&line, TEXT_CHARS).unwrap_or_default() }
        });
        TicketDetails {
            ticket_duration_days: count(
                checker,
                "ticketDurationDays",
                self.ticket_duration_days,
                0..=MAX_DAYS,
            ),
            check_in_window: checker.object("checkInWindow", self.check_in_window, read_window),
            post_start_purchase: checker
                .object("postStartPurchase", self.post_start_purchase, |checker, input| PostStartPurchase {
                    allow_late_ticket_purchase: flag(
                        checker,
                        "allowLateTicketPurchase",
                        input.allow_late_ticket_purchase,
                    ),
                })
                .unwrap_or_default(),
            purchase_availability: checker
                .object("purchaseAvailability", self.purchase_availability, read_availability)
                .flatten(),
            ticket_print_lines: lines,
            do_not_print: flag(checker, "doNotPrint", self.do_not_print),
            expire_from_event_date: flag(checker, "expireFromEventDate", self.expire_from_event_date),
            hide_event_date: flag(checker, "hideEventDate", self.hide_event_date),
            reentry: word(checker, "reentry", self.reentry, Reentry::parse, "never, afterExit, always")
                .unwrap_or_default(),
        }
    }
}

fn read_window(checker: &mut Checker, input: CheckInWindowInput) -> CheckInWindow {
    CheckInWindow {
        minutes_before: count(checker, "minutesBefore", input.minutes_before, 0..=MAX_MINUTES),
        minutes_after: count(checker, "minutesAfter", input.minutes_after, 0..=MAX_MINUTES),
        block_scan: flag(checker, "blockScan", input.block_scan),
        auto_rebook: flag(checker, "autoRebook", input.auto_rebook),
    }
}

fn read_availability(
    checker: &mut Checker,
    input: PurchaseAvailabilityInput,
) -> Option<PurchaseAvailability> {
    checker.require("timeFrame", &input.time_frame);
    let parse = |text: &str| TimeFrame::parse(text).ok();
    let frame = word(checker, "timeFrame", input.time_frame, parse, "when, before, after");
    let minutes = count(checker, "minutes", input.minutes, 0..=MAX_MINUTES).unwrap_or_default();
    frame.map(|frame| PurchaseAvailability::new(frame, minutes))
}
