//! A second calendar, which walks every minute of a window and reads the clock on the wall, and what it has in common
//! with the first.

use super::*;
use chrono::{Duration, Timelike};
use chrono_tz::Tz;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

/// Zones with clock changes at 2 am, at midnight, by half an hour, across the date line, at one minute past
/// midnight, with none, and with an odd offset.
const ZONES: [&str; 10] = [
    "America/New_York",
    "America/Los_Angeles",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Cairo",
    "America/St_Johns",
    "America/Santiago",
    "Asia/Kathmandu",
    "UTC",
];

/// Clock changes, month ends, leap days (and one there is not), year ends.
const ANCHORS: [&str; 20] = [
    "2027-03-14", // New York, Los Angeles and St John's: forward.
    "2027-11-07", // New York, Los Angeles and St John's: back.
    "2027-03-28", // Berlin: forward.
    "2027-10-31", // Berlin: back.
    "2027-04-04", // Lord Howe and Santiago: back.
    "2027-10-03", // Lord Howe: forward, by half an hour.
    "2027-09-05", // Santiago: forward, at midnight.
    "2027-04-30", // Cairo: forward, at midnight.
    "2027-10-29", // Cairo: back, at midnight.
    "2011-12-30", // Apia skips this day.
    "2011-04-02", // Apia: back.
    "2011-03-13", // St John's: forward, at 00:01.
    "2010-11-07", // St John's: back, at 00:01 into the day before.
    "2027-02-28",
    "2028-02-29",
    "2100-02-28",
    "2027-06-30",
    "2027-12-31",
    "2028-12-31",
    "2027-07-04",
];

struct Oracle<'a> {
    template: &'a TemplateFacts,
    schedules: &'a [Schedule],
    tz: Tz,
}

impl Oracle<'_> {
    fn slots(&self, from: Timestamp, until: Timestamp) -> Vec<Slot> {
        let mut found: Vec<Slot> = Vec::new();
        if self.schedules.is_empty() {
            let local = self.template.start.with_timezone(&self.tz).naive_local();
            found.extend(self.slot(None, local, self.template.start, None));
        } else {
            for (local, instant) in self.minutes(from, until) {
                for schedule in self.schedules.iter().filter(|found| self.runs(found, local, instant)) {
                    let hour =
                        schedule.hours.iter().find(|h| (h.hour, h.minutes) == (local.hour(), local.minute()));
                    found.extend(
                        hour.map(|hour| self.slot(Some(schedule), local, instant, hour.quantity).unwrap()),
                    );
                }
            }
        }
        found.retain(|slot| from <= slot.start && slot.start <= until);
        found.sort_by_key(|slot| (slot.start, slot.id.to_string()));
        found
    }

    /// What the wall shows, minute by minute; the first time it shows it; what it skips, as late as if the
    /// clock had not been changed yet.
    fn minutes(&self, from: Timestamp, until: Timestamp) -> Vec<(NaiveDateTime, Timestamp)> {
        let minute = Duration::minutes(1);
        let wall = |instant: Timestamp| instant.with_timezone(&self.tz).naive_local();
        let asked = |local: &NaiveDateTime| {
            let time = (local.hour(), local.minute());
            self.schedules.iter().any(|found| found.hours.iter().any(|h| (h.hour, h.minutes) == time))
        };
        let mut shown = Vec::new();
        let mut latest = NaiveDateTime::MIN;
        let mut instant = from - Duration::days(3) - Duration::seconds(from.timestamp() % 60);
        let mut before = wall(instant - minute);
        while instant <= until {
            let now = wall(instant);
            let mut skipped = before + minute;
            while skipped < now {
                shown.push((skipped, instant - minute + (skipped - before)));
                skipped += minute;
            }
            if now > latest {
                shown.push((now, instant));
                latest = now;
            }
            before = now;
            instant += minute;
        }
        shown.retain(|(local, _)| asked(local));
        shown
    }

    fn runs(&self, schedule: &Schedule, local: NaiveDateTime, instant: Timestamp) -> bool {
        let day = local.date();
        // Weeks are counted by the Sundays passed.
        let sundays = |mut first: NaiveDate, last: NaiveDate| {
            let mut count = 0;
            while first < last {
                first = first.succ_opt().unwrap();
                count += u32::from(first.weekday() == Weekday::Sun);
            }
            count
        };
        let own_start = self.template.start.with_timezone(&self.tz).date_naive();
        let in_range = if schedule.ranges.is_empty() {
            // A date that the zone skipped may come before the date of the template's start.
            let passed = if own_start <= day { sundays(own_start, day) } else { sundays(day, own_start) };
            passed % schedule.repeat_cycle_weeks == 0
        } else {
            schedule.ranges.iter().any(|range| {
                (range.start..=range.end).contains(&day)
                    && sundays(range.start, day) % schedule.repeat_cycle_weeks == 0
            })
        };
        in_range
            && self.template.start <= instant
            && self.template.end.is_none_or(|end| instant <= end)
            && schedule.weekdays.iter().any(|found| found == day.weekday())
            && schedule.effective_start.is_none_or(|first| first <= instant)
            && schedule.effective_end.is_none_or(|last| instant <= last)
    }

    fn slot(
        &self,
        schedule: Option<&Schedule>,
        local: NaiveDateTime,
        start: Timestamp,
        quantity: Option<u32>,
    ) -> Option<Slot> {
        let schedule_id = schedule.map(|found| found.id.clone());
        let id = InstanceId::of(&self.template.id, schedule_id.as_ref(), local, start).ok()?;
        let minutes =
            schedule.and_then(|found| found.duration_minutes).unwrap_or(self.template.duration_minutes);
        let seats = schedule.and_then(|found| found.capacity).unwrap_or(self.template.capacity);
        let end = start + Duration::minutes(i64::from(minutes));
        Some(Slot { id, schedule: schedule_id, start, end, capacity: quantity.unwrap_or(seats) })
    }
}

#[derive(Debug, Clone)]
struct Case {
    zone: &'static str,
    template: TemplateFacts,
    schedules: Vec<Schedule>,
    window: SlotWindow,
}

impl Case {
    fn generate(&self, window: SlotWindow, limit: usize) -> Generated {
        let plan = SlotPlan { template: &self.template, schedules: &self.schedules, zone: zone(self.zone) };
        generate(plan, window, NonZeroUsize::new(limit).unwrap()).unwrap()
    }

    fn whole(&self) -> Vec<Slot> {
        self.generate(self.window, usize::MAX).slots
    }

    fn pieces(&self, limit: usize) -> Vec<Slot> {
        let mut pieces: Vec<Slot> = Vec::new();
        let mut window = self.window;
        loop {
            let piece = self.generate(window, limit);
            assert!(piece.slots.len() <= limit);
            pieces.extend(piece.slots);
            if piece.stopped_after.is_none() {
                return pieces;
            }
            let last = pieces.last().map(|slot| slot.id);
            assert_eq!(piece.stopped_after, last);
            assert_ne!(window.after, last, "a call makes progress");
            window.after = last;
        }
    }
}

fn midnight(anchor: NaiveDate) -> Timestamp {
    anchor.and_time(NaiveTime::MIN).and_utc()
}

fn near(anchor: NaiveDate, minutes: i64) -> Timestamp {
    midnight(anchor) + Duration::minutes(minutes)
}

/// Minutes of this many days before or after.
fn within_days(before: i64, after: i64) -> std::ops::Range<i64> {
    -before * 1_440..after * 1_440
}

fn any_hour() -> impl Strategy<Value = SlotHour> {
    let hour = prop_oneof![0..4_u32, 22..24_u32, 0..24_u32];
    let minutes = prop_oneof![Just(0_u32), Just(30), Just(1), 0..60_u32];
    (hour, minutes, of(1..9_u32)).prop_map(|(hour, minutes, quantity)| SlotHour { hour, minutes, quantity })
}

fn any_schedule(anchor: NaiveDate) -> impl Strategy<Value = Schedule> {
    let days = prop_oneof![Just(127_u32), 1..128_u32];
    let ranges = vec((-40..5_i64, 0..50_i64), 0..3);
    let effective = (of(within_days(5, 3)), of(0..1_440 * 6_i64));
    let sizes = (of(1..99_u32), of(1..4_000_u32), prop_oneof![Just(1_u32), 1..5_u32]);
    (days, vec(any_hour(), 1..5), ranges, effective, sizes).prop_map(
        move |(days, hours, ranges, effective, (capacity, duration_minutes, repeat_cycle_weeks))| {
            let weekdays = (0..7_u8).filter(|day| days & (1 << day) != 0);
            let start = near(anchor, effective.0.unwrap_or(0));
            Schedule {
                weekdays: weekdays.map(|day| Weekday::try_from(day).unwrap()).collect(),
                effective_start: effective.0.map(|_| start),
                effective_end: effective.1.map(|minutes| start + Duration::minutes(minutes)),
                capacity,
                duration_minutes,
                repeat_cycle_weeks,
                ..schedule(
                    "x",
                    hours,
                    ranges.into_iter().map(|(from, length)| dates(anchor, from, length)).collect(),
                )
            }
        },
    )
}

fn dates(anchor: NaiveDate, from: i64, length: i64) -> DateRange {
    let start = anchor + Duration::days(from);
    DateRange { start, end: start + Duration::days(length) }
}

fn any_case() -> impl Strategy<Value = Case> {
    (0..ZONES.len(), 0..ANCHORS.len()).prop_flat_map(|(zone, anchor)| {
        let anchor = date(ANCHORS[anchor]);
        let own = (within_days(30, 2), of(0..1_440 * 40_i64));
        let window = (-3 * 86_400..2 * 86_400_i64, 0..6 * 86_400_i64);
        (Just(zone), Just(anchor), vec(any_schedule(anchor), 0..4), own, window).prop_map(
            |(zone, anchor, mut schedules, (start, length), (from, width))| {
                for (index, found) in schedules.iter_mut().enumerate() {
                    found.id = ScheduleId::parse(&format!("s{index}")).unwrap();
                }
                let start = near(anchor, start);
                let from = midnight(anchor) + Duration::seconds(from);
                Case {
                    zone: ZONES[zone],
                    template: TemplateFacts {
                        start,
                        end: length.map(|minutes| start + Duration::minutes(minutes)),
                        ..template("2027-01-01", None)
                    },
                    schedules,
                    window: SlotWindow { from, until: from + Duration::seconds(width), after: None },
                }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_slots_are_those_a_walk_through_every_minute_finds(case in any_case()) {
        let tz: Tz = case.zone.parse().unwrap();
        let oracle = Oracle { template: &case.template, schedules: &case.schedules, tz };
        prop_assert_eq!(case.whole(), oracle.slots(case.window.from, case.window.until));
    }

    #[test]
    fn the_pieces_of_a_window_are_the_whole(case in any_case(), limit in 1..9_usize) {
        prop_assert_eq!(case.pieces(limit), case.whole());
    }

    #[test]
    fn another_window_never_changes_a_slot(case in any_case(), cut in 0..6 * 86_400_i64) {
        let later = case.window.from + Duration::seconds(cut);
        let larger = SlotWindow { until: case.window.until + Duration::days(9), ..case.window };
        let within = |slot: &Slot| slot.start <= case.window.until;
        let mut of_larger = case.generate(larger, usize::MAX).slots;
        of_larger.retain(within);
        prop_assert_eq!(&of_larger, &case.whole());
        let of_later = case.generate(SlotWindow { from: later, ..case.window }, usize::MAX).slots;
        of_larger.retain(|slot| later <= slot.start);
        prop_assert_eq!(of_later, of_larger);
    }

    #[test]
    fn schedules_reach_what_they_make_and_nothing_beyond_their_times(case in any_case(), other in any_case()) {
        let zone = Zone::parse(case.zone).unwrap();
        let these = SlotPlan { template: &case.template, schedules: &case.schedules, zone };
        prop_assert!(case.whole().iter().all(|slot| these.reaches(&slot.id)));
        // What other schedules made is asked of these.
        let strange = Case { zone: case.zone, ..other };
        for slot in strange.whole() {
            let own = case.schedules.iter().find(|own| Some(&own.id) == slot.schedule.as_ref());
            let at = SlotWindow { from: slot.start, until: slot.start, after: None };
            let made = case.generate(at, usize::MAX).slots;
            let is_made = made.iter().any(|made| made.schedule == slot.schedule);
            let lies_within = own.is_some_and(|own| {
                let date = zone.date(slot.start);
                let is_dated = own.ranges.iter().any(|range| (range.start..=range.end).contains(&date));
                own.effective_start.is_none_or(|from| from <= slot.start)
                    && own.effective_end.is_none_or(|until| slot.start <= until)
                    && case.template.end.is_none_or(|end| slot.start <= end)
                    && case.template.start <= slot.start
                    && (own.ranges.is_empty() || is_dated)
            });
            let is_free = case.schedules.is_empty()
                && slot.schedule.is_none()
                && case.template.start <= slot.start;
            let expected = is_made || is_free || lies_within;
            prop_assert_eq!(these.reaches(&slot.id), expected, "{:?}", slot);
            let SlotWindow { from, until, after: _ } = strange.window;
            for (from, until) in [(slot.start, slot.start), (from, until)] {
                prop_assert!(!expected || these.may_reach(from, until), "{:?}", slot);
            }
        }
    }

    #[test]
    fn slots_are_in_order_and_no_two_are_one(case in any_case()) {
        let ids: Vec<_> = case.whole().iter().map(|slot| (slot.start, slot.id)).collect();
        prop_assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(ids.iter().all(|(start, id)| *start == id.start()));
    }
}

#[test]
fn every_day_of_2027_agrees_with_the_walk_in_every_zone() {
    let hours = (0..10).map(|half| hour([0, 1, 2, 3, 23][half / 2], [0, 30][half % 2])).collect();
    let daily = [schedule("daily", hours, Vec::new())];
    let template = template("2026-12-01", None);
    for name in ZONES {
        let window = window("2026-12-31", "2028-01-02");
        let oracle = Oracle { template: &template, schedules: &daily, tz: name.parse().unwrap() };
        let found = slots_in(name, &template, &daily, window);
        assert!(found.len() > 3_650, "{name}");
        assert_eq!(found, oracle.slots(window.from, window.until), "{name}");
    }
}

#[test]
fn pieces_are_the_whole_where_a_skipped_day_moves_into_the_next() {
    let hours = (0..8).map(|index| hour(index * 3, 0)).collect();
    let case = Case {
        zone: "Pacific/Apia",
        template: template("2011-01-01", None),
        schedules: vec![schedule("a", hours, vec![range("2011-12-29", "2012-01-01")])],
        window: window("2011-12-01", "2012-02-01"),
    };
    assert_eq!(case.whole().len(), 32);
    for limit in 1..33 {
        assert_eq!(case.pieces(limit), case.whole(), "{limit}");
    }
}
