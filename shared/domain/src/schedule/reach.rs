//! How far schedules reach: whether they make slots at all, and whether they go on making them.

use super::{DateRange, Schedule, SlotPlan, SlotWindow, generate};
use crate::InstanceId;
use crate::time::{Timestamp, plus_secs};
use chrono::{Days, NaiveDate, NaiveTime};
use std::num::NonZeroUsize;

/// Weeks within which a schedule that runs at all has run: the longest cycle and one more.
const LONGEST_PAUSE_WEEKS: u64 = 54;

impl SlotPlan<'_> {
    /// Whether a slot may start after this instant. Where it says no, none does.
    #[must_use]
    pub fn continues_after(&self, instant: Timestamp) -> bool {
        let date = self.zone.date(instant);
        self.schedules.iter().any(|schedule| {
            schedule.effective_end.is_none_or(|end| instant < end)
                && if schedule.ranges.is_empty() {
                    self.template.end.is_none_or(|end| instant < end)
                } else {
                    schedule.ranges.iter().any(|range| date <= range.end)
                }
        })
    }

    /// The schedules, by their places, that make no slot at any time: their days, ranges and times exclude
    /// each other.
    #[must_use]
    pub fn idle_schedules(&self) -> Vec<usize> {
        let is_idle = |schedule: &Schedule| !self.makes_any(schedule);
        let idle = self.schedules.iter().enumerate().filter(|(_, schedule)| is_idle(schedule));
        idle.map(|(index, _)| index).collect()
    }

    fn makes_any(&self, schedule: &Schedule) -> bool {
        let one = [schedule.clone()];
        let alone = SlotPlan { schedules: &one, ..*self };
        let never_ends = NaiveDate::MAX;
        let whole = DateRange {
            start: self.zone.date(self.template.start),
            end: self.template.end.map_or(never_ends, |end| self.zone.date(end)),
        };
        let ranges = if schedule.ranges.is_empty() { std::slice::from_ref(&whole) } else { &schedule.ranges };
        ranges.iter().any(|range| {
            let first =
                schedule.effective_start.map_or(range.start, |start| self.zone.date(start).max(range.start));
            let pause = Days::new(LONGEST_PAUSE_WEEKS.saturating_mul(7));
            let last = first.checked_add_days(pause).unwrap_or(never_ends).min(range.end);
            alone.makes_any_from(first, last)
        })
    }

    /// Whether a slot starts on one of these local dates, as far as instance ids reach.
    fn makes_any_from(&self, first: NaiveDate, last: NaiveDate) -> bool {
        let end = last.checked_add_days(Days::new(2)).unwrap_or(last);
        let window = SlotWindow {
            from: InstanceId::nearest_start(plus_secs(first.and_time(NaiveTime::MIN).and_utc(), -86_400)),
            until: InstanceId::nearest_start(end.and_time(NaiveTime::MIN).and_utc()),
            after: None,
        };
        first <= last && generate(*self, window, NonZeroUsize::MIN).is_ok_and(|made| !made.slots.is_empty())
    }
}
