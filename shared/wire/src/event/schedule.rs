//! Schedules of a template (spec §2.10 `schedules`, contract §7).

use crate::readers::{MAX_CAPACITY, NAME_CHARS, count, date, flag, line, own_id, text};
use crate::sales_channel::{SalesChannelInput, SalesChannelOutput, sales_channels};
use crate::{Checker, Field, incoming};
use chrono::Weekday;
use domain::schedule::{DateRange, MAX_HOURS, MAX_RANGES, Schedule, ScheduleFault, SlotHour, Weekdays};
use domain::{PriceListId, ScheduleId, Zone};
use serde::Serialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct DurationOutput {
    /// Hours.
    pub hour: u32,
    /// Minutes beyond them.
    pub minutes: u32,
}

impl DurationOutput {
    /// So many minutes.
    #[must_use]
    pub const fn of_minutes(minutes: u32) -> Self {
        Self { hour: minutes / 60, minutes: minutes % 60 }
    }
}

/// Something named by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Reference {
    /// Its id.
    pub id: String,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleOutput {
    /// Its id.
    pub id: String,
    /// The author's name for it.
    pub name: String,
    /// The author's description.
    pub description: String,
    /// English names.
    pub weekdays: Vec<&'static str>,
    /// Local times its slots start at.
    pub hours: Vec<SlotHourOutput>,
    /// Local dates it runs on.
    pub ranges: Vec<DateRangeOutput>,
    /// No slot starts before.
    pub effective_start_time: Option<String>,
    /// No slot starts after.
    pub effective_end_time: Option<String>,
    /// Price lists its slots sell at.
    pub price_lists: Vec<Reference>,
    /// Seats of a slot.
    pub capacity: Option<u32>,
    /// Length of a slot.
    pub duration: Option<DurationOutput>,
    /// Runs in every n-th week.
    pub repeat_cycle: u32,
    /// Where its slots are sold.
    pub sales_channels: Vec<SalesChannelOutput>,
    /// Kept for the author.
    pub honor_holidays: bool,
    /// Kept for the author.
    pub honor_open_hours: bool,
    /// Kept for the author.
    pub block_flex_pays: bool,
    /// The author's own kind.
    pub r#type: Option<String>,
}

/// A local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct SlotHourOutput {
    /// 0 to 23.
    pub hour: u32,
    /// 0 to 59.
    pub minutes: u32,
    /// Seats of the slot.
    pub quantity: Option<u32>,
}

/// Local dates, both included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DateRangeOutput {
    /// The first.
    pub start: String,
    /// The last.
    pub end: String,
}

impl ScheduleOutput {
    /// A schedule as callers see it.
    #[must_use]
    pub fn of(schedule: &Schedule, zone: Zone) -> Self {
        let hour = |hour: &SlotHour| SlotHourOutput {
            hour: hour.hour,
            minutes: hour.minutes,
            quantity: hour.quantity,
        };
        let range = |range: &DateRange| DateRangeOutput {
            start: range.start.to_string(),
            end: range.end.to_string(),
        };
        Self {
            id: schedule.id.to_string(),
            name: schedule.name.clone(),
            description: schedule.description.clone(),
            weekdays: schedule.weekdays.iter().map(Weekdays::day_name).collect(),
            hours: schedule.hours.iter().map(hour).collect(),
            ranges: schedule.ranges.iter().map(range).collect(),
            effective_start_time: schedule.effective_start.map(|start| zone.format(start)),
            effective_end_time: schedule.effective_end.map(|end| zone.format(end)),
            price_lists: schedule.price_lists.iter().map(|id| Reference { id: id.to_string() }).collect(),
            capacity: schedule.capacity,
            duration: schedule.duration_minutes.map(DurationOutput::of_minutes),
            repeat_cycle: schedule.repeat_cycle_weeks,
            sales_channels: schedule.sales_channels.iter().map(Into::into).collect(),
            honor_holidays: schedule.honor_holidays,
            honor_open_hours: schedule.honor_open_hours,
            block_flex_pays: schedule.block_flex_pays,
            r#type: schedule.kind.clone(),
        }
    }
}

incoming! {
    /// A length of time.
    pub struct DurationInput {
        hour: i64,
        hours: i64,
        minutes: i64,
    }
    /// A local time.
    pub struct SlotHourInput {
        #[schema(required = true)]
        hour: i64,
        minutes: i64,
        quantity: i64,
    }
    /// Local dates, both included.
    pub struct DateRangeInput {
        start: String,
        end: String,
    }
    /// A schedule.
    pub struct ScheduleInput {
        id: String,
        name: String,
        description: String,
        weekdays: Vec<String>,
        hours: Vec<SlotHourInput>,
        ranges: Vec<DateRangeInput>,
        effective_start_time: String,
        effective_end_time: String,
        price_lists: Vec<super::ReferenceInput>,
        capacity: i64,
        duration: DurationInput,
        repeat_cycle: i64,
        sales_channels: Vec<SalesChannelInput>,
        sale_channel: Vec<SalesChannelInput>,
        honor_holidays: bool,
        honor_open_hours: bool,
        block_flex_pays: bool,
        #[serde(rename = "type")]
        kind: String,
    }
}

/// The longest slot: a year.
const MAX_DURATION_HOURS: u32 = 8_784;
/// The longest cycle of a schedule: a year.
const MAX_CYCLE_WEEKS: u32 = 53;

impl DurationInput {
    /// The length in minutes, at least one.
    pub(crate) fn read(self, checker: &mut Checker) -> Option<u32> {
        // A part that cannot be read is reported, and may have been long enough.
        let (sent, others) = (checker.either(["hour", "hours"], [self.hour, self.hours]), &self.minutes);
        let is_sent = [&sent, others].map(|part| matches!(part, Field::Value(_) | Field::Wrong));
        let hours = count(checker, "hour", sent, 0..=MAX_DURATION_HOURS);
        let minutes = count(checker, "minutes", self.minutes, 0..=MAX_DURATION_HOURS.saturating_mul(60));
        let is_unread = is_sent != [hours.is_some(), minutes.is_some()];
        if is_unread {
            return None;
        }
        let total = hours.unwrap_or_default().saturating_mul(60).saturating_add(minutes.unwrap_or_default());
        if total == 0 {
            checker.invalid("minutes", "must make the duration at least one minute");
            return None;
        }
        Some(total)
    }
}

impl ScheduleInput {
    /// The schedule, unless a field is at fault. It may name only price lists of its template.
    pub(crate) fn read(
        self,
        checker: &mut Checker,
        zone: Zone,
        lists: &BTreeSet<PriceListId>,
    ) -> Option<Schedule> {
        let id = own_id(checker, self.id, ScheduleId::parse);
        let sent = Sent { weekdays: has_elements(&self.weekdays), hours: has_elements(&self.hours) };
        let days = checker.each("weekdays", self.weekdays, |_, day| day);
        let price_lists = checker.each("priceLists", self.price_lists, |checker, input| {
            let id = checker.required_id("id", input.id, PriceListId::parse)?;
            if !lists.contains(&id) {
                checker.unknown("id");
            }
            Some(id)
        });
        let schedule = Schedule {
            name: line(checker, "name", self.name),
            description: text(checker, "description", self.description),
            weekdays: read_weekdays(checker, &days),
            hours: read_hours(checker, self.hours),
            ranges: read_ranges(checker, self.ranges, zone),
            effective_start: checker.optional_instant("effectiveStartTime", self.effective_start_time, zone),
            effective_end: checker.optional_instant("effectiveEndTime", self.effective_end_time, zone),
            price_lists: price_lists.into_iter().flatten().collect(),
            capacity: count(checker, "capacity", self.capacity, 1..=MAX_CAPACITY),
            duration_minutes: checker
                .object("duration", self.duration, |checker, input| input.read(checker))
                .flatten(),
            repeat_cycle_weeks: count(checker, "repeatCycle", self.repeat_cycle, 1..=MAX_CYCLE_WEEKS)
                .unwrap_or(1),
            sales_channels: sales_channels(checker, self.sales_channels, self.sale_channel),
            honor_holidays: flag(checker, "honorHolidays", self.honor_holidays),
            honor_open_hours: flag(checker, "honorOpenHours", self.honor_open_hours),
            block_flex_pays: flag(checker, "blockFlexPays", self.block_flex_pays),
            kind: checker.optional_text("type", self.kind, NAME_CHARS),
            id: id?,
        };
        note_faults(checker, &schedule, sent);
        Some(schedule)
    }
}

/// Whether lists that may not be empty were sent with elements, readable or not.
#[derive(Clone, Copy)]
struct Sent {
    weekdays: bool,
    hours: bool,
}

fn has_elements<T>(field: &Field<crate::List<T>>) -> bool {
    matches!(field, Field::Value(list) if !list.0.is_empty()) || matches!(field, Field::Wrong)
}

/// What only the schedule as a whole shows. A list whose elements were all unreadable is reported already.
fn note_faults(checker: &mut Checker, schedule: &Schedule, sent: Sent) {
    let reported = |fault: &ScheduleFault| {
        (*fault == ScheduleFault::NoWeekdays && sent.weekdays)
            || (*fault == ScheduleFault::NoHours && sent.hours)
    };
    for fault in schedule.check().into_iter().filter(|fault| !reported(fault)) {
        let message = match fault {
            ScheduleFault::NoWeekdays | ScheduleFault::NoHours => "must have at least one entry".to_owned(),
            ScheduleFault::TooManyHours { count: _ } => format!("must have at most {MAX_HOURS} entries"),
            ScheduleFault::TooManyRanges { count: _ } => format!("must have at most {MAX_RANGES} entries"),
            ScheduleFault::HourOutOfRange { .. } => "must be between 0 and 23".to_owned(),
            ScheduleFault::MinutesOutOfRange { .. } => "must be between 0 and 59".to_owned(),
            ScheduleFault::QuantityZero { .. }
            | ScheduleFault::CapacityZero
            | ScheduleFault::DurationZero
            | ScheduleFault::RepeatCycleZero => "must be at least 1".to_owned(),
            ScheduleFault::RangeInverted { .. } => "must not be before start".to_owned(),
            ScheduleFault::EffectiveInverted { .. } => "must not be before effectiveStartTime".to_owned(),
        };
        checker.invalid(fault.field().trim_start_matches('/'), message);
    }
}

fn read_weekdays(checker: &mut Checker, days: &[String]) -> Weekdays {
    let mut read: Vec<Weekday> = Vec::new();
    for (index, day) in days.iter().enumerate() {
        match Weekdays::parse_day(day) {
            Ok(day) => read.push(day),
            Err(_) => checker.invalid(format!("weekdays/{index}"), "must be the English name of a weekday"),
        }
    }
    read.into()
}

fn read_hours(checker: &mut Checker, field: Field<crate::List<SlotHourInput>>) -> Vec<SlotHour> {
    let hours = checker.each("hours", field, |checker, input| {
        checker.require("hour", &input.hour);
        let hour = count(checker, "hour", input.hour, 0..=23);
        let minutes = count(checker, "minutes", input.minutes, 0..=59).unwrap_or_default();
        let quantity = count(checker, "quantity", input.quantity, 1..=MAX_CAPACITY);
        hour.map(|hour| SlotHour { hour, minutes, quantity })
    });
    hours.into_iter().flatten().collect()
}

fn read_ranges(
    checker: &mut Checker,
    field: Field<crate::List<DateRangeInput>>,
    zone: Zone,
) -> Vec<DateRange> {
    let ranges = checker.each("ranges", field, |checker, input| {
        let start = date(checker, "start", input.start, zone);
        let end = date(checker, "end", input.end, zone);
        Some(DateRange { start: start?, end: end? })
    });
    ranges.into_iter().flatten().collect()
}
