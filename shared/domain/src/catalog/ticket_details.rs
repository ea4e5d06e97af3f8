//! The ticket settings of a template: until when tickets are sold, when they are let in, and what is printed on them
//! (spec §2.10).

use crate::time::{Timestamp, plus_secs};
use serde::{Deserialize, Serialize};

/// The ticket settings of a template (spec §2.10, `ticketDetails`). The fields about tickets at the door are
/// kept for those who print and scan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TicketDetails {
    /// For how many days a ticket is good.
    pub ticket_duration_days: Option<u32>,
    /// When tickets are let in.
    pub check_in_window: Option<CheckInWindow>,
    /// Whether sales go on after the start.
    pub post_start_purchase: PostStartPurchase,
    /// When sales close; none: at the start.
    pub purchase_availability: Option<PurchaseAvailability>,
    pub ticket_print_lines: Vec<String>,
    /// The ticket is not printed.
    pub do_not_print: bool,
    /// A ticket's days count from the date of the event, not of the purchase.
    pub expire_from_event_date: bool,
    /// The ticket does not show the date of the event.
    pub hide_event_date: bool,
    /// Whether a ticket admits more than once.
    #[serde(skip_serializing_if = "Reentry::is_never")]
    pub reentry: Reentry,
}

/// Whether a ticket admits more than once (`ticketDetails.reentry`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reentry {
    /// Once.
    #[default]
    Never,
    /// Again whenever its holder has left.
    AfterExit,
    /// Whenever it is shown.
    Always,
}

impl Reentry {
    /// The spelling of `ticketDetails.reentry`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::AfterExit => "afterExit",
            Self::Always => "always",
        }
    }

    /// Reads it in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::Never, Self::AfterExit, Self::Always];
        all.into_iter().find(|known| known.as_str().eq_ignore_ascii_case(text.trim()))
    }

    fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// When tickets are let in, around the start (spec §2.10, `checkInWindow`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckInWindow {
    /// Minutes before the start.
    pub minutes_before: Option<u32>,
    /// Minutes after the start.
    pub minutes_after: Option<u32>,
    /// Outside the window a scan is refused.
    pub block_scan: bool,
    /// Outside the window the ticket moves to another slot.
    pub auto_rebook: bool,
}

/// Sales after the start (spec §2.10, `postStartPurchase`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PostStartPurchase {
    /// Tickets are sold until the slot ends.
    pub allow_late_ticket_purchase: bool,
}

/// The text is none of `when`, `before`, `after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownTimeFrame;

/// On which side of the start sales close (spec §2.10, `purchaseAvailability.timeFrame`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFrame {
    /// At the start.
    When,
    /// Before the start.
    Before,
    /// After the start.
    After,
}

impl TimeFrame {
    /// Reads a time frame in any case (contract §1, "Enums in").
    ///
    /// # Errors
    /// [`UnknownTimeFrame`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnknownTimeFrame> {
        let text = text.trim();
        [Self::When, Self::Before, Self::After]
            .into_iter()
            .find(|frame| frame.as_str().eq_ignore_ascii_case(text))
            .ok_or(UnknownTimeFrame)
    }

    /// The spelling of spec §2.10.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::When => "when",
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// When sales close, counted from the start of the slot (spec §2.10, `purchaseAvailability`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PurchaseAvailability {
    /// At the start; minutes are implied 0.
    When,
    /// So many minutes before the start.
    Before { minutes: u32 },
    /// So many minutes after the start, at the latest at the end.
    After { minutes: u32 },
}

impl PurchaseAvailability {
    /// The setting of these two fields; for `when` the minutes do not count.
    #[must_use]
    pub const fn new(frame: TimeFrame, minutes: u32) -> Self {
        match frame {
            TimeFrame::When => Self::When,
            TimeFrame::Before => Self::Before { minutes },
            TimeFrame::After => Self::After { minutes },
        }
    }

    /// The field `timeFrame`.
    #[must_use]
    pub const fn time_frame(self) -> TimeFrame {
        match self {
            Self::When => TimeFrame::When,
            Self::Before { minutes: _ } => TimeFrame::Before,
            Self::After { minutes: _ } => TimeFrame::After,
        }
    }

    /// The field `minutes`.
    #[must_use]
    pub const fn minutes(self) -> u32 {
        match self {
            Self::When => 0,
            Self::Before { minutes } | Self::After { minutes } => minutes,
        }
    }

    /// When sales close by this setting alone.
    pub(crate) fn closes(self, start: Timestamp, end: Timestamp) -> Timestamp {
        let distance = i64::from(self.minutes()).saturating_mul(60);
        match self {
            Self::When => start,
            Self::Before { minutes: _ } => plus_secs(start, -distance),
            Self::After { minutes: _ } => plus_secs(start, distance).min(end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_frames_are_read_in_any_case_and_when_has_no_minutes() {
        for (text, minutes, expected) in [
            ("WHEN", 30, PurchaseAvailability::When),
            ("Before", 30, PurchaseAvailability::Before { minutes: 30 }),
            (" after ", 0, PurchaseAvailability::After { minutes: 0 }),
        ] {
            let frame = TimeFrame::parse(text).unwrap();
            let read = PurchaseAvailability::new(frame, minutes);
            assert_eq!(read, expected, "{text}");
            assert_eq!(read.time_frame(), frame, "{text}");
        }
        assert_eq!(PurchaseAvailability::When.minutes(), 0);
        assert_eq!(TimeFrame::parse("later"), Err(UnknownTimeFrame));
    }

    #[test]
    fn settings_read_back_and_have_defaults() {
        let read: TicketDetails = serde_json::from_str("{}").unwrap();
        assert_eq!(read, TicketDetails::default());
        let window: CheckInWindow = serde_json::from_str(r#"{"minutes_before":5}"#).unwrap();
        assert_eq!(window, CheckInWindow { minutes_before: Some(5), ..CheckInWindow::default() });
        let set = TicketDetails {
            check_in_window: Some(window),
            ticket_print_lines: vec!["Gate 3".to_owned()],
            post_start_purchase: PostStartPurchase { allow_late_ticket_purchase: true },
            purchase_availability: Some(PurchaseAvailability::Before { minutes: 15 }),
            ..TicketDetails::default()
        };
        let stored = serde_json::to_string(&set).unwrap();
        assert_eq!(serde_json::from_str::<TicketDetails>(&stored).unwrap(), set);
    }
}
