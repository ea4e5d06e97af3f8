//! How far schedules reach: whether they make slots at all, and whether they go on making them.

use super::{DateRange, Schedule, Slot, SlotPlan, SlotWindow, TemplateFacts, generate};
use crate::InstanceId;
use crate::instance_id::ScheduleTag;
use crate::time::{Timestamp, plus_secs};
use chrono::{Days, NaiveDate, NaiveTime};
use std::num::NonZeroUsize;

/// Weeks within which a schedule that runs at all has run: the longest cycle and one more.
const LONGEST_PAUSE_WEEKS: u64 = 54;

impl TemplateFacts {
    /// Whether a slot that starts then does not start before the template. Slots start at whole seconds.
    pub(super) const fn has_begun(&self, start: Timestamp) -> bool {
        self.start.timestamp() <= start.timestamp()
    }
}

impl SlotPlan<'_> {
    /// Whether a slot may start after this instant. Where it says no, none does.
    #[must_use]
    pub fn continues_after(&self, instant: Timestamp) -> bool {
        let date = self.zone.date(instant);
        let template_goes_on = self.template.end.is_none_or(|end| instant < end);
        template_goes_on
            && self.schedules.iter().any(|schedule| {
                schedule.effective_end.is_none_or(|end| instant < end)
                    && (schedule.ranges.is_empty() || schedule.ranges.iter().any(|range| date <= range.end))
            })
    }

    /// Whether the slot with this id lies within the times of the schedule that made it: its ranges, its effective
    /// times and the template's. On which days and at which hours the schedule makes slots now does not matter. A
    /// slot whose schedule is gone lies within none; one that no schedule made is held by a template without any that
    /// does not start after it.
    #[must_use]
    pub fn reaches(&self, instance: &InstanceId) -> bool {
        let (start, tag) = (instance.start(), instance.schedule_tag());
        if self.schedules.is_empty() {
            return tag == ScheduleTag::of(None) && self.template.has_begun(start);
        }
        let mut of_tag = self.schedules.iter().filter(|schedule| ScheduleTag::of(Some(&schedule.id)) == tag);
        of_tag.any(|schedule| schedule.allows(start, self.template) && self.is_dated(schedule, start))
    }

    /// Whether a slot that starts between two instants, both included, may lie within the times of a schedule: see
    /// [`Self::reaches`]. Where it says no, none does.
    #[must_use]
    pub fn may_reach(&self, from: Timestamp, until: Timestamp) -> bool {
        if !self.template.has_begun(until) {
            return false;
        }
        if self.schedules.is_empty() {
            return true;
        }
        // A clock change moves a start by up to two days, and the date back where it passes midnight.
        let first = self.zone.date(from).checked_sub_days(Days::new(3)).unwrap_or(NaiveDate::MIN);
        let last = self.zone.date(until).checked_add_days(Days::new(1)).unwrap_or(NaiveDate::MAX);
        let may_lie_within = |schedule: &Schedule| {
            schedule.effective_start.is_none_or(|start| start <= until)
                && schedule.effective_end.is_none_or(|end| from <= end)
                && (schedule.ranges.is_empty()
                    || schedule.ranges.iter().any(|range| range.start <= last && first <= range.end))
        };
        self.template.end.is_none_or(|end| from <= end) && self.schedules.iter().any(may_lie_within)
    }

    /// Whether a start is on a date of a schedule. Where clocks are changed, it may be the start of a day before.
    fn is_dated(&self, schedule: &Schedule, start: Timestamp) -> bool {
        let date = self.zone.date(start);
        let has =
            |date: NaiveDate| schedule.ranges.iter().any(|range| range.start <= date && date <= range.end);
        schedule.ranges.is_empty() || has(date) || self.is_moved_there(schedule, start)
    }

    /// Whether a clock change moved a start from an earlier date of a schedule to this instant.
    fn is_moved_there(&self, schedule: &Schedule, start: Timestamp) -> bool {
        let template_start = self.zone.date(self.template.start);
        let first = self.zone.date(start).checked_sub_days(Days::new(2)).unwrap_or_default();
        let near = first.iter_days().take(2).filter(|date| schedule.runs_on(*date, template_start));
        let mut locals = near.flat_map(|date| {
            let times = schedule.hours.iter();
            times.filter_map(move |hour| {
                Some(date.and_time(NaiveTime::from_hms_opt(hour.hour, hour.minutes, 0)?))
            })
        });
        locals.any(|local| self.zone.instant(local) == start)
    }

    /// The slot with this id as the schedules make it now; none where they do not make it any more.
    #[must_use]
    pub fn made(&self, instance: &InstanceId) -> Option<Slot> {
        let (start, tag) = (instance.start(), instance.schedule_tag());
        let window = SlotWindow { from: start, until: start, after: None };
        let made_by = |schedules: &[Schedule]| {
            let made = generate(SlotPlan { schedules, ..*self }, window, NonZeroUsize::MAX).ok()?;
            made.slots.into_iter().find(|slot| slot.id == *instance)
        };
        if self.schedules.is_empty() {
            return made_by(&[]);
        }
        let mut of_tag = self.schedules.iter().filter(|schedule| ScheduleTag::of(Some(&schedule.id)) == tag);
        of_tag.find_map(|schedule| made_by(std::slice::from_ref(schedule)))
    }

    /// Whether a schedule makes a slot that is not over at an instant.
    #[must_use]
    pub fn makes_after(&self, schedule: &Schedule, instant: Timestamp) -> bool {
        let minutes = schedule.duration_minutes.unwrap_or(self.template.duration_minutes);
        let running = plus_secs(instant, i64::from(minutes).saturating_mul(-60).saturating_add(1));
        let one = [schedule.clone()];
        let alone = SlotPlan { schedules: &one, ..*self };
        let whole = DateRange { start: self.zone.date(self.template.start), end: NaiveDate::MAX };
        let ranges = if schedule.ranges.is_empty() { std::slice::from_ref(&whole) } else { &schedule.ranges };
        ranges.iter().any(|range| {
            let from = schedule.effective_start.map_or(running, |start| start.max(running));
            let first = self.zone.date(from).max(range.start);
            let pause = Days::new(LONGEST_PAUSE_WEEKS.saturating_mul(7));
            let last = first.checked_add_days(pause).unwrap_or(NaiveDate::MAX).min(range.end);
            alone.makes_any_on(first, last, running)
        })
    }

    /// Whether a slot starts on one of these local dates and from an instant on, as far as instance ids reach.
    fn makes_any_on(&self, first: NaiveDate, last: NaiveDate, from: Timestamp) -> bool {
        let end = last.checked_add_days(Days::new(2)).unwrap_or(last);
        let begin = plus_secs(first.and_time(NaiveTime::MIN).and_utc(), -86_400);
        let window = SlotWindow {
            from: InstanceId::nearest_start(begin.max(from)),
            until: InstanceId::nearest_start(end.and_time(NaiveTime::MIN).and_utc()),
            after: None,
        };
        first <= last && generate(*self, window, NonZeroUsize::MIN).is_ok_and(|made| !made.slots.is_empty())
    }
}
