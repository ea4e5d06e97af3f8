//! From an author's schedules to dated slots (spec §2.10, contract §7).
//!
//! Generating is a pure function of template, schedules and zone: a later or larger window adds slots and
//! never changes one. Our choices, where the specification is silent:
//!
//! - An hour is the tenant's wall clock; a slot lasts its duration in elapsed minutes, also over a clock change.
//! - A schedule with ranges runs on their dates; one without ranges runs while the template does, counting
//!   `repeatCycle` from the week of the template's start. No schedule runs before the template's start or after its
//!   end.
//! - The template's times and `effectiveStartTime`–`effectiveEndTime` bound the start of a slot, both ends
//!   included.
//! - An hour given twice is one slot, its first entry counting; ranges that overlap add nothing.
//! - Two schedules with one start are two slots: they may differ in price list and channels.

mod reach;

use crate::channel::SalesChannel;
use crate::ids::{PriceListId, ScheduleId, TemplateId};
use crate::instance_id::{InstanceId, StartOutOfRange};
use crate::time::{Timestamp, Zone, plus_secs};
use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, Weekday, WeekdaySet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// The most schedules a template holds.
pub const MAX_SCHEDULES: usize = 100;
/// The most hours a schedule holds: one for every minute of a day.
pub const MAX_HOURS: usize = 1_440;
/// The most ranges a schedule holds.
pub const MAX_RANGES: usize = 366;

/// One schedule of a template (spec §2.10, "schedules entry").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Its id, part of the identity of every slot it generates.
    pub id: ScheduleId,
    /// The author's name for it.
    #[serde(default)]
    pub name: String,
    /// The author's description.
    #[serde(default)]
    pub description: String,
    /// The local weekdays it runs on.
    #[serde(default)]
    pub weekdays: Weekdays,
    /// The local times its slots start at.
    #[serde(default)]
    pub hours: Vec<SlotHour>,
    /// The local dates it runs on; none: as long as the template does.
    #[serde(default)]
    pub ranges: Vec<DateRange>,
    /// No slot starts before (`effectiveStartTime`).
    #[serde(default)]
    pub effective_start: Option<Timestamp>,
    /// No slot starts after (`effectiveEndTime`).
    #[serde(default)]
    pub effective_end: Option<Timestamp>,
    /// The price lists its slots sell at; none: the template's.
    #[serde(default)]
    pub price_lists: Vec<PriceListId>,
    /// Seats of a slot in place of the template's.
    #[serde(default)]
    pub capacity: Option<u32>,
    /// Length of a slot in minutes, in place of the template's.
    #[serde(default)]
    pub duration_minutes: Option<u32>,
    /// Runs in every n-th week from the first week of a range (`repeatCycle`).
    #[serde(default = "every_week")]
    pub repeat_cycle_weeks: u32,
    /// Where its slots are sold; none: no restriction.
    #[serde(default)]
    pub sales_channels: Vec<SalesChannel>,
    /// Kept for the author; the specification names no holidays.
    #[serde(default)]
    pub honor_holidays: bool,
    /// Kept for the author; the specification names no open hours.
    #[serde(default)]
    pub honor_open_hours: bool,
    /// Kept for the author.
    #[serde(default)]
    pub block_flex_pays: bool,
    /// The author's own kind of schedule (`type`).
    #[serde(default)]
    pub kind: Option<String>,
}

const fn every_week() -> u32 {
    1
}

/// A time of day at which slots start (spec §2.10, "hours").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotHour {
    /// 0 to 23, local.
    pub hour: u32,
    /// 0 to 59.
    #[serde(default)]
    pub minutes: u32,
    /// Seats of the slot, in place of the capacity of schedule and template.
    #[serde(default)]
    pub quantity: Option<u32>,
}

/// Local dates, both ends included (spec §2.10, "ranges").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DateRange {
    /// The first date.
    pub start: NaiveDate,
    /// The last date.
    pub end: NaiveDate,
}

/// The text names no weekday.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadableWeekday;

/// A set of weekdays; stored Sunday first, as weeks start here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Weekday>", into = "Vec<Weekday>")]
pub struct Weekdays(WeekdaySet);

impl Weekdays {
    /// Every day of the week.
    pub const ALL: Self = Self(WeekdaySet::ALL);

    /// Reads an English name, full or of three letters, in any case (contract §7).
    ///
    /// # Errors
    /// [`UnreadableWeekday`] for any other text.
    pub fn parse_day(text: &str) -> Result<Weekday, UnreadableWeekday> {
        text.trim().parse().map_err(|_| UnreadableWeekday)
    }

    /// The English name of a day, as it is written out.
    #[must_use]
    pub const fn day_name(day: Weekday) -> &'static str {
        match day {
            Weekday::Mon => "Monday",
            Weekday::Tue => "Tuesday",
            Weekday::Wed => "Wednesday",
            Weekday::Thu => "Thursday",
            Weekday::Fri => "Friday",
            Weekday::Sat => "Saturday",
            Weekday::Sun => "Sunday",
        }
    }

    /// Whether the day is in the set.
    #[must_use]
    pub const fn contains(self, day: Weekday) -> bool {
        self.0.contains(day)
    }

    /// Whether no day is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The days, Sunday first.
    pub fn iter(self) -> impl Iterator<Item = Weekday> {
        self.0.iter(Weekday::Sun)
    }
}

impl FromIterator<Weekday> for Weekdays {
    fn from_iter<T: IntoIterator<Item = Weekday>>(days: T) -> Self {
        Self(days.into_iter().collect())
    }
}

impl From<Vec<Weekday>> for Weekdays {
    fn from(days: Vec<Weekday>) -> Self {
        days.into_iter().collect()
    }
}

impl From<Weekdays> for Vec<Weekday> {
    fn from(days: Weekdays) -> Self {
        days.iter().collect()
    }
}

/// One thing wrong with a schedule an author sent; indexes count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleFault {
    /// It runs on no weekday.
    NoWeekdays,
    /// It has no hours.
    NoHours,
    /// It has more than [`MAX_HOURS`] hours.
    TooManyHours { count: usize },
    /// An hour is not 0 to 23.
    HourOutOfRange { index: usize, hour: u32 },
    /// Minutes are not 0 to 59.
    MinutesOutOfRange { index: usize, minutes: u32 },
    /// An hour offers no seat.
    QuantityZero { index: usize },
    /// It has more than [`MAX_RANGES`] ranges.
    TooManyRanges { count: usize },
    /// A range ends before it starts.
    RangeInverted { index: usize, range: DateRange },
    /// It ends being effective before it starts.
    EffectiveInverted { start: Timestamp, end: Timestamp },
    /// It offers no seat.
    CapacityZero,
    /// Its slots last no time.
    DurationZero,
    /// It repeats every 0 weeks.
    RepeatCycleZero,
}

impl ScheduleFault {
    /// The JSON pointer of the field at fault, relative to the schedule (contract §3).
    #[must_use]
    pub fn field(&self) -> String {
        match self {
            Self::NoWeekdays => "/weekdays".to_owned(),
            Self::NoHours | Self::TooManyHours { count: _ } => "/hours".to_owned(),
            Self::HourOutOfRange { index, hour: _ } => format!("/hours/{index}/hour"),
            Self::MinutesOutOfRange { index, minutes: _ } => format!("/hours/{index}/minutes"),
            Self::QuantityZero { index } => format!("/hours/{index}/quantity"),
            Self::TooManyRanges { count: _ } => "/ranges".to_owned(),
            Self::RangeInverted { index, range: _ } => format!("/ranges/{index}/end"),
            Self::EffectiveInverted { start: _, end: _ } => "/effectiveEndTime".to_owned(),
            Self::CapacityZero => "/capacity".to_owned(),
            Self::DurationZero => "/duration".to_owned(),
            Self::RepeatCycleZero => "/repeatCycle".to_owned(),
        }
    }
}

impl Schedule {
    /// Everything wrong with this schedule, in the order of its fields; empty: it can generate slots.
    #[must_use]
    pub fn check(&self) -> Vec<ScheduleFault> {
        let mut faults = Vec::new();
        let mut refuse = |wrong: bool, fault: ScheduleFault| {
            if wrong {
                faults.push(fault);
            }
        };
        refuse(self.weekdays.is_empty(), ScheduleFault::NoWeekdays);
        refuse(self.hours.is_empty(), ScheduleFault::NoHours);
        let count = self.hours.len();
        refuse(count > MAX_HOURS, ScheduleFault::TooManyHours { count });
        for (index, SlotHour { hour, minutes, quantity }) in
            self.hours.iter().copied().enumerate().take(MAX_HOURS)
        {
            refuse(hour > 23, ScheduleFault::HourOutOfRange { index, hour });
            refuse(minutes > 59, ScheduleFault::MinutesOutOfRange { index, minutes });
            refuse(quantity == Some(0), ScheduleFault::QuantityZero { index });
        }
        let count = self.ranges.len();
        refuse(count > MAX_RANGES, ScheduleFault::TooManyRanges { count });
        for (index, range) in self.ranges.iter().copied().enumerate().take(MAX_RANGES) {
            refuse(range.end < range.start, ScheduleFault::RangeInverted { index, range });
        }
        if let (Some(start), Some(end)) = (self.effective_start, self.effective_end) {
            refuse(end < start, ScheduleFault::EffectiveInverted { start, end });
        }
        refuse(self.capacity == Some(0), ScheduleFault::CapacityZero);
        refuse(self.duration_minutes == Some(0), ScheduleFault::DurationZero);
        refuse(self.repeat_cycle_weeks == 0, ScheduleFault::RepeatCycleZero);
        faults
    }

    /// Whether a slot may start on this local date.
    fn runs_on(&self, date: NaiveDate, template_start: NaiveDate) -> bool {
        let in_cycle = |first: NaiveDate| {
            let weeks = i64::from(week_number(date)) - i64::from(week_number(first));
            weeks.rem_euclid(i64::from(self.repeat_cycle_weeks.max(1))) == 0
        };
        self.weekdays.contains(date.weekday())
            && if self.ranges.is_empty() {
                in_cycle(template_start)
            } else {
                self.ranges
                    .iter()
                    .any(|range| range.start <= date && date <= range.end && in_cycle(range.start))
            }
    }

    /// Whether a slot may start at this instant.
    fn allows(&self, start: Timestamp, template: &TemplateFacts) -> bool {
        let within = |from: Option<Timestamp>, until: Option<Timestamp>| {
            from.is_none_or(|from| from <= start) && until.is_none_or(|until| start <= until)
        };
        within(self.effective_start, self.effective_end)
            && within(None, template.end)
            && template.has_begun(start)
    }
}

/// The number of a week that starts on Sunday. Day 0 of the common era count is a Sunday.
fn week_number(date: NaiveDate) -> i32 {
    date.num_days_from_ce().div_euclid(7)
}

/// What generating needs to know of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFacts {
    pub id: TemplateId,
    /// Seats of a slot, unless schedule or hour say otherwise.
    pub capacity: u32,
    /// Length of a slot in minutes, unless its schedule says otherwise.
    pub duration_minutes: u32,
    /// When it starts (`startTime`).
    pub start: Timestamp,
    /// When it ends (`endTime`); none: it is ongoing.
    pub end: Option<Timestamp>,
}

/// A template with its schedules and the zone they are read in.
#[derive(Debug, Clone, Copy)]
pub struct SlotPlan<'a> {
    pub template: &'a TemplateFacts,
    /// Its schedules; none: one slot at the template's start.
    pub schedules: &'a [Schedule],
    /// The tenant's zone.
    pub zone: Zone,
}

/// Which slots to generate: those that start from `from` to `until`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotWindow {
    /// The earliest start.
    pub from: Timestamp,
    /// The latest start.
    pub until: Timestamp,
    /// Continue behind this slot: the `stopped_after` of the call before.
    pub after: Option<InstanceId>,
}

/// A dated slot of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Its id; the same whenever it is generated.
    pub id: InstanceId,
    /// The schedule it comes from.
    pub schedule: Option<ScheduleId>,
    /// When it starts.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// Its seats.
    pub capacity: u32,
}

/// Slots of a window, by start and then id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The slots, at most as many as the limit.
    pub slots: Vec<Slot>,
    /// The last slot, when the limit cut the window short and more follow.
    pub stopped_after: Option<InstanceId>,
}

/// Why no slots can be generated, in order of precedence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleRefusal {
    /// More than [`MAX_SCHEDULES`] schedules.
    TooManySchedules { count: usize },
    /// The schedule at this index does not pass [`Schedule::check`].
    Faulty { index: usize, faults: Vec<ScheduleFault> },
    /// The window leaves the years that instance ids can hold, 1970 to 2106.
    WindowOutOfRange,
}

/// Generates the slots of a window in order, at most `limit` of them (contract §7). Where the limit cuts the
/// window short, `stopped_after` put into the same window continues it; the pieces are the whole.
///
/// # Errors
/// [`ScheduleRefusal`] when the schedules are faulty or the window leaves 1970 to 2106.
pub fn generate(
    plan: SlotPlan<'_>,
    window: SlotWindow,
    limit: NonZeroUsize,
) -> Result<Generated, ScheduleRefusal> {
    if plan.schedules.len() > MAX_SCHEDULES {
        return Err(ScheduleRefusal::TooManySchedules { count: plan.schedules.len() });
    }
    for (index, schedule) in plan.schedules.iter().enumerate() {
        let faults = schedule.check();
        if !faults.is_empty() {
            return Err(ScheduleRefusal::Faulty { index, faults });
        }
    }
    let seconds = 0..=InstanceId::last_start().timestamp();
    if !seconds.contains(&window.from.timestamp()) || !seconds.contains(&window.until.timestamp()) {
        return Err(ScheduleRefusal::WindowOutOfRange);
    }
    let mut found = Found { plan, window, slots: BTreeMap::new() };
    if plan.schedules.is_empty() { found.add_only_slot() } else { found.add_scheduled_slots(limit) }
        .map_err(|StartOutOfRange| ScheduleRefusal::WindowOutOfRange)?;
    Ok(found.cut(limit))
}

/// Slots found so far, without doubles, in order.
struct Found<'a> {
    plan: SlotPlan<'a>,
    window: SlotWindow,
    slots: BTreeMap<(Timestamp, InstanceId), Slot>,
}

/// A start that a schedule asks for.
#[derive(Clone, Copy)]
struct Start<'a> {
    schedule: Option<&'a Schedule>,
    local: NaiveDateTime,
    instant: Timestamp,
    capacity: u32,
}

impl<'a> Found<'a> {
    fn add_only_slot(&mut self) -> Result<(), StartOutOfRange> {
        let template = self.plan.template;
        // Ids count whole seconds, and a slot starts when its id says.
        let instant = Timestamp::from_timestamp(template.start.timestamp(), 0).unwrap_or(template.start);
        let local = self.plan.zone.local(instant);
        self.add(Start { schedule: None, local, instant, capacity: template.capacity })
    }

    fn add_scheduled_slots(&mut self, limit: NonZeroUsize) -> Result<(), StartOutOfRange> {
        let from = self.window.after.map_or(self.window.from, |after| after.start().max(self.window.from));
        if from > self.window.until {
            return Ok(());
        }
        let zone = self.plan.zone;
        let template_start = zone.date(self.plan.template.start);
        // A clock change moves a start forward by up to a day, where a zone crosses the date line.
        let first = zone.date(from).checked_sub_days(Days::new(2)).unwrap_or_default();
        // Where clocks go back over midnight, a date has begun before the one before it is over.
        let until = zone.date(self.window.until);
        let last = until.succ_opt().unwrap_or(until);
        for date in first.iter_days().take_while(|date| *date <= last) {
            if self.is_filled_before(date, limit) {
                break;
            }
            for schedule in self.plan.schedules.iter().filter(|found| found.runs_on(date, template_start)) {
                self.add_day(schedule, date)?;
            }
        }
        Ok(())
    }

    /// Whether no start of this local date or a later one belongs among the first `limit` slots, and at least
    /// one slot more than those is known. No zone is a whole day ahead of UTC.
    fn is_filled_before(&self, date: NaiveDate, limit: NonZeroUsize) -> bool {
        let earliest = plus_secs(date.and_time(NaiveTime::MIN).and_utc(), -86_400);
        self.slots.len() > limit.get()
            && self
                .slots
                .keys()
                .nth(limit.get().saturating_sub(1))
                .is_some_and(|(start, _)| *start < earliest)
    }

    fn add_day(&mut self, schedule: &'a Schedule, date: NaiveDate) -> Result<(), StartOutOfRange> {
        let template = self.plan.template;
        for SlotHour { hour, minutes, quantity } in schedule.hours.iter().copied() {
            let Some(time) = NaiveTime::from_hms_opt(hour, minutes, 0) else { continue };
            let local = date.and_time(time);
            let instant = self.plan.zone.instant(local);
            if schedule.allows(instant, template) {
                let capacity = quantity.or(schedule.capacity).unwrap_or(template.capacity);
                self.add(Start { schedule: Some(schedule), local, instant, capacity })?;
            }
        }
        Ok(())
    }

    fn add(&mut self, start: Start<'_>) -> Result<(), StartOutOfRange> {
        let Start { schedule, local, instant, capacity } = start;
        if instant < self.window.from || self.window.until < instant {
            return Ok(());
        }
        let template = self.plan.template;
        let id = InstanceId::of(&template.id, schedule.map(|schedule| &schedule.id), local, instant)?;
        if self.window.after.is_some_and(|after| (instant, id) <= (after.start(), after)) {
            return Ok(());
        }
        let minutes = schedule.and_then(|found| found.duration_minutes).unwrap_or(template.duration_minutes);
        let end = plus_secs(instant, i64::from(minutes).saturating_mul(60));
        let schedule = schedule.map(|found| found.id.clone());
        self.slots.entry((instant, id)).or_insert(Slot { id, schedule, start: instant, end, capacity });
        Ok(())
    }

    fn cut(self, limit: NonZeroUsize) -> Generated {
        let more = self.slots.len() > limit.get();
        let slots: Vec<Slot> = self.slots.into_values().take(limit.get()).collect();
        let stopped_after = slots.last().filter(|_| more).map(|slot| slot.id);
        Generated { slots, stopped_after }
    }
}

#[cfg(test)]
mod tests;
