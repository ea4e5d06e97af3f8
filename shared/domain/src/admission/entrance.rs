//! When tickets are let in, and how long they are good.

use crate::catalog::Template;
use crate::catalog::ticket_details::TicketDetails;
use crate::ledger::{Ledger, SlotState};
use crate::order::OrderTicketLine;
use crate::time::plus_secs;
use crate::{Timestamp, Zone};
use chrono::Days;

/// An instance as it is now, or as it was when its tickets were sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotTimes {
    /// When it starts.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// Whether it takes place.
    pub state: SlotState,
    /// Whether that is what the instance says now.
    pub is_current: bool,
}

impl From<&Ledger> for SlotTimes {
    fn from(ledger: &Ledger) -> Self {
        Self { start: ledger.start, end: ledger.end, state: ledger.state, is_current: true }
    }
}

impl SlotTimes {
    /// The instance of a ticket as it was sold.
    #[must_use]
    pub fn of_sale(line: &OrderTicketLine, template: Option<&Template>) -> Self {
        let minutes = template.map_or(0, |template| template.duration_minutes);
        let end = plus_secs(line.event_start, i64::from(minutes).saturating_mul(60));
        Self { start: line.event_start, end, state: SlotState::Active, is_current: false }
    }

    /// An instance that is not there any more.
    #[must_use]
    pub const fn gone(start: Timestamp) -> Self {
        Self { start, end: start, state: SlotState::Removed, is_current: true }
    }

    /// Whether it takes place.
    #[must_use]
    pub const fn takes_place(&self) -> bool {
        match self.state {
            SlotState::Active => true,
            SlotState::Cancelled | SlotState::Removed => false,
        }
    }
}

/// When a ticket is let in. Seconds count: the last one is within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entrance {
    /// From when on; none is any time before.
    pub opens: Option<Timestamp>,
    /// Until when; none is any time after, while the ticket is good.
    pub closes: Option<Timestamp>,
    /// Whether nobody is let in before or after.
    pub blocks: bool,
    /// The last second at which the ticket is good.
    pub valid_until: Timestamp,
}

/// On which side of the time of entrance an instant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    Within,
    After,
}

impl Entrance {
    /// When tickets of an instance are let in that were sold at this instant.
    #[must_use]
    pub fn of(details: &TicketDetails, slot: &SlotTimes, sold_at: Timestamp, zone: Zone) -> Self {
        let valid_until = valid_until(details, slot, sold_at, zone);
        let minutes = |count: u32| i64::from(count).saturating_mul(60);
        let window = details.check_in_window.unwrap_or_default();
        let opens = window.minutes_before.map(|count| plus_secs(slot.start, -minutes(count)));
        let closes = window.minutes_after.map(|count| plus_secs(slot.start, minutes(count)));
        if opens.is_some() || closes.is_some() {
            return Self { opens, closes, blocks: window.block_scan, valid_until };
        }
        // Our choice: where no window is set, next month's ticket is not used up today.
        let opens = Some(zone.start_of_day(zone.date(slot.start)));
        Self { opens, closes: Some(valid_until), blocks: true, valid_until }
    }

    pub(super) fn side(&self, now: Timestamp) -> Side {
        let now = now.timestamp();
        if self.opens.is_some_and(|opens| now < opens.timestamp()) {
            Side::Before
        } else if self.closes.is_some_and(|closes| now > closes.timestamp()) {
            Side::After
        } else {
            Side::Within
        }
    }

    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        now.timestamp() > self.valid_until.timestamp()
    }

    /// The minutes before and after the start that tickets are let in; none where nothing limits them.
    #[must_use]
    pub fn minutes_around(&self, start: Timestamp) -> (Option<i64>, Option<i64>) {
        let before = self.opens.map(|opens| start.signed_duration_since(opens).num_minutes());
        let after = self.closes.map(|closes| closes.signed_duration_since(start).num_minutes());
        (before, after)
    }
}

/// The last second at which a ticket is good. Days are those of the venue, with 23 or 25 hours where clocks change.
fn valid_until(details: &TicketDetails, slot: &SlotTimes, sold_at: Timestamp, zone: Zone) -> Timestamp {
    let Some(days) = details.ticket_duration_days.filter(|days| *days > 0) else {
        return zone.end_of_day(zone.date(slot.end));
    };
    let first = zone.date(if details.expire_from_event_date { slot.start } else { sold_at });
    let last = first.checked_add_days(Days::new(u64::from(days.saturating_sub(1))));
    last.map_or(Timestamp::MAX_UTC, |last| zone.end_of_day(last))
}
