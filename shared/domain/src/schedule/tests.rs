mod walk;

use super::*;

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn zone(name: &str) -> Zone {
    Zone::parse(name).unwrap()
}

fn at(text: &str) -> Timestamp {
    zone("America/New_York").parse_instant(text).unwrap()
}

fn range(start: &str, end: &str) -> DateRange {
    DateRange { start: date(start), end: date(end) }
}

fn hour(hour: u32, minutes: u32) -> SlotHour {
    SlotHour { hour, minutes, quantity: None }
}

fn schedule(id: &str, hours: Vec<SlotHour>, ranges: Vec<DateRange>) -> Schedule {
    Schedule {
        id: ScheduleId::parse(id).unwrap(),
        name: String::new(),
        description: String::new(),
        weekdays: Weekdays::ALL,
        hours,
        ranges,
        effective_start: None,
        effective_end: None,
        price_lists: Vec::new(),
        capacity: None,
        duration_minutes: None,
        repeat_cycle_weeks: 1,
        sales_channels: Vec::new(),
        honor_holidays: false,
        honor_open_hours: false,
        block_flex_pays: false,
        kind: None,
    }
}

fn template(start: &str, end: Option<&str>) -> TemplateFacts {
    TemplateFacts {
        id: TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap(),
        capacity: 50,
        duration_minutes: 60,
        start: at(start),
        end: end.map(at),
    }
}

fn all() -> NonZeroUsize {
    NonZeroUsize::MAX
}

fn window(from: &str, until: &str) -> SlotWindow {
    SlotWindow { from: at(from), until: at(until), after: None }
}

fn slots(template: &TemplateFacts, schedules: &[Schedule], window: SlotWindow) -> Vec<Slot> {
    slots_in("America/New_York", template, schedules, window)
}

fn slots_in(name: &str, template: &TemplateFacts, schedules: &[Schedule], window: SlotWindow) -> Vec<Slot> {
    let found = generate(SlotPlan { template, schedules, zone: zone(name) }, window, all()).unwrap();
    assert_eq!(found.stopped_after, None);
    found.slots
}

fn starts(slots: &[Slot]) -> Vec<String> {
    slots.iter().map(|slot| zone("America/New_York").format(slot.start)).collect()
}

/// Starts in New York of these hours, every day of the ranges, within 2027.
fn starts_of(schedules: &[Schedule]) -> Vec<String> {
    let template = template("2027-01-01", None);
    starts(&slots(&template, schedules, window("2027-01-01", "2027-12-31T23:59:59")))
}

#[test]
fn a_daily_slot_stays_at_ten_over_both_clock_changes() {
    let ranges = vec![range("2027-03-13", "2027-03-15"), range("2027-11-06", "2027-11-08")];
    let daily = [schedule("a", vec![hour(10, 0)], ranges)];
    let expected = [
        ("2027-03-13T10:00:00-05:00", 1_804_950_000_000),
        ("2027-03-14T10:00:00-04:00", 1_805_032_800_000),
        ("2027-03-15T10:00:00-04:00", 1_805_119_200_000),
        ("2027-11-06T10:00:00-04:00", 1_825_509_600_000),
        ("2027-11-07T10:00:00-05:00", 1_825_599_600_000),
        ("2027-11-08T10:00:00-05:00", 1_825_686_000_000_i64),
    ];
    let template = template("2027-01-01", None);
    let found = slots(&template, &daily, window("2027-01-01", "2027-12-31"));
    assert_eq!(starts(&found), expected.map(|(text, _)| text));
    let millis: Vec<i64> = found.iter().map(|slot| slot.start.timestamp_millis()).collect();
    assert_eq!(millis, expected.map(|(_, millis)| millis));
    assert_eq!(slots(&template, &daily, window("2027-01-01", "2027-12-31")), found, "saved again");
}

#[test]
fn a_skipped_time_moves_forward_and_a_repeated_one_is_the_first() {
    let ranges = vec![range("2027-03-14", "2027-03-14"), range("2027-11-07", "2027-11-07")];
    let night = [schedule("a", vec![hour(1, 30), hour(2, 30)], ranges)];
    let expected = [
        "2027-03-14T01:30:00-05:00",
        "2027-03-14T03:30:00-04:00",
        "2027-11-07T01:30:00-04:00",
        "2027-11-07T02:30:00-05:00",
    ];
    assert_eq!(starts_of(&night), expected);
}

#[test]
fn an_evening_event_belongs_to_the_tenants_day() {
    let pacific = zone("America/Los_Angeles");
    let template = template("2027-07-04T20:00:00-07:00", None);
    for (day, found) in [("2027-07-03", 0), ("2027-07-04", 1), ("2027-07-05", 0)] {
        let day = date(day);
        let window =
            SlotWindow { from: pacific.start_of_day(day), until: pacific.end_of_day(day), after: None };
        let slots = slots_in("America/Los_Angeles", &template, &[], window);
        assert_eq!(slots.len(), found, "{day}");
        assert!(slots.iter().all(|slot| pacific.date(slot.start) == day), "{day}");
    }
}

#[test]
fn the_last_quarter_of_a_short_and_a_long_day_is_inside_that_day() {
    let late = [schedule("a", vec![hour(23, 45)], Vec::new())];
    let template = template("2027-01-01", None);
    for (name, day) in [
        ("America/New_York", "2027-03-14"),
        ("America/New_York", "2027-11-07"),
        ("America/Los_Angeles", "2027-03-14"),
        ("America/Los_Angeles", "2027-11-07"),
        ("Africa/Cairo", "2027-04-30"),
    ] {
        let (zone, day) = (zone(name), date(day));
        let window = SlotWindow { from: zone.start_of_day(day), until: zone.end_of_day(day), after: None };
        let found = slots_in(name, &template, &late, window);
        let local: Vec<_> = found.iter().map(|slot| zone.local(slot.start)).collect();
        assert_eq!(local, [day.and_hms_opt(23, 45, 0).unwrap()], "{name} {day}");
    }
}

#[test]
fn a_template_without_schedules_is_one_slot() {
    let template = TemplateFacts { duration_minutes: 72 * 60, ..template("2027-07-04T20:00:00.5", None) };
    let found = slots(&template, &[], window("2027-07-04", "2027-07-05"));
    assert_eq!(starts(&found), ["2027-07-04T20:00:00-04:00"]);
    assert_eq!(found[0].end, at("2027-07-07T20:00:00"));
    assert_eq!((found[0].capacity, &found[0].schedule), (50, &None));
    let again = SlotWindow { after: Some(found[0].id), ..window("2027-07-04", "2027-07-05") };
    assert_eq!(slots(&template, &[], again), []);
}

#[test]
fn a_schedule_without_ranges_runs_while_its_template_does() {
    let daily = [schedule("a", vec![hour(10, 0)], Vec::new())];
    let ended = template("2027-05-01T10:00:00", Some("2027-05-03T10:00:00"));
    let year = window("2027-01-01", "2027-12-31T23:59:59");
    let expected = ["2027-05-01T10:00:00-04:00", "2027-05-02T10:00:00-04:00", "2027-05-03T10:00:00-04:00"];
    assert_eq!(starts(&slots(&ended, &daily, year)), expected);
    let ongoing = template("2027-12-30T10:00:01", None);
    assert_eq!(starts(&slots(&ongoing, &daily, year)), ["2027-12-31T10:00:00-05:00"]);
}

#[test]
fn a_schedule_with_ranges_does_not_run_before_its_template_either() {
    let daily = [schedule("a", vec![hour(10, 0)], vec![range("2027-05-01", "2027-05-03")])];
    let year = window("2027-01-01", "2027-12-31T23:59:59");
    let of = |start: &str| starts(&slots(&template(start, None), &daily, year));
    let last = "2027-05-03T10:00:00-04:00";
    assert_eq!(of("2027-05-02T10:00:00.5"), ["2027-05-02T10:00:00-04:00", last]);
    assert_eq!(of("2027-05-02T10:00:01"), [last]);
    assert_eq!(of("2027-05-04"), Vec::<String>::new());
}

#[test]
fn weekdays_ranges_and_effective_times_include_both_ends() {
    let mut weekend = schedule("a", vec![hour(9, 0), hour(18, 0)], vec![range("2027-05-01", "2027-05-09")]);
    weekend.weekdays = [Weekday::Sat, Weekday::Sun].into_iter().collect();
    weekend.effective_start = Some(at("2027-05-01T18:00:00"));
    weekend.effective_end = Some(at("2027-05-09T09:00:00"));
    let expected = [
        "2027-05-01T18:00:00-04:00",
        "2027-05-02T09:00:00-04:00",
        "2027-05-02T18:00:00-04:00",
        "2027-05-08T09:00:00-04:00",
        "2027-05-08T18:00:00-04:00",
        "2027-05-09T09:00:00-04:00",
    ];
    assert_eq!(starts_of(&[weekend]), expected);
}

#[test]
fn every_second_week_counts_from_the_first_week_of_its_range() {
    // The range starts on a Wednesday: its first week has a Wednesday and a Saturday, the next Sunday is
    // another week.
    let mut fortnight = schedule("a", vec![hour(9, 0)], vec![range("2027-12-22", "2028-01-08")]);
    fortnight.weekdays = [Weekday::Sun, Weekday::Wed, Weekday::Sat].into_iter().collect();
    fortnight.repeat_cycle_weeks = 2;
    let template = template("2027-01-01", None);
    let found = slots(&template, &[fortnight], window("2027-12-01", "2028-02-01"));
    let expected = [
        "2027-12-22T09:00:00-05:00",
        "2027-12-25T09:00:00-05:00",
        "2028-01-02T09:00:00-05:00",
        "2028-01-05T09:00:00-05:00",
        "2028-01-08T09:00:00-05:00",
    ];
    assert_eq!(starts(&found), expected);
}

#[test]
fn a_leap_day_has_slots_only_in_leap_years() {
    let daily = [schedule("a", vec![hour(9, 0)], Vec::new())];
    let template = template("2027-01-01", None);
    for (year, days) in [(2027, 2), (2028, 3), (2100, 2)] {
        let span = window(&format!("{year}-02-28"), &format!("{year}-03-01T23:59:59"));
        assert_eq!(slots(&template, &daily, span).len(), days, "{year}");
    }
}

#[test]
fn quantity_outranks_the_capacity_of_the_schedule_and_that_of_the_template() {
    let template = template("2027-01-01", None);
    for (quantity, capacity, seats) in
        [(Some(3), Some(20), 3), (Some(3), None, 3), (None, Some(20), 20), (None, None, 50)]
    {
        let hours = vec![SlotHour { quantity, ..hour(9, 0) }];
        let daily = Schedule { capacity, ..schedule("a", hours, Vec::new()) };
        let found = slots(&template, &[daily], window("2027-01-02", "2027-01-03"));
        assert_eq!(found.iter().map(|slot| slot.capacity).collect::<Vec<_>>(), [seats]);
    }
}

#[test]
fn one_hour_given_twice_is_one_slot_and_two_schedules_at_one_hour_are_two() {
    let day = vec![range("2027-05-01", "2027-05-01"), range("2027-04-30", "2027-05-01")];
    let twice = vec![SlotHour { quantity: Some(7), ..hour(9, 0) }, hour(9, 0)];
    let first = schedule("a", twice, day);
    let second = schedule("b", vec![hour(9, 0)], vec![range("2027-05-01", "2027-05-01")]);
    let template = template("2027-01-01", None);
    let found = slots(&template, &[first.clone(), second], window("2027-05-01", "2027-05-02"));
    let mut kinds: Vec<_> =
        found.iter().map(|slot| (slot.schedule.clone().unwrap().to_string(), slot.capacity)).collect();
    kinds.sort();
    assert_eq!(kinds, [("a".to_owned(), 7), ("b".to_owned(), 50)]);
    let alone = slots(&template, &[first], window("2027-05-01", "2027-05-02"));
    assert!(alone.iter().all(|slot| found.contains(slot)), "a new schedule leaves the other's slots alone");
}

#[test]
fn words_seats_and_length_are_no_part_of_a_slots_identity() {
    let before = schedule("a", vec![hour(9, 0)], Vec::new());
    let after = Schedule {
        name: "Mornings".to_owned(),
        description: "New".to_owned(),
        capacity: Some(9),
        duration_minutes: Some(15),
        hours: vec![hour(8, 0), hour(9, 0)],
        ..before.clone()
    };
    let template = template("2027-01-01", None);
    let ids = |found: Schedule| -> Vec<InstanceId> {
        slots(&template, &[found], window("2027-05-01", "2027-06-01")).iter().map(|slot| slot.id).collect()
    };
    let kept = ids(after);
    assert!(ids(before).iter().all(|id| kept.contains(id)));
}

#[test]
fn three_years_of_twenty_slots_a_day_are_finished_in_pieces() {
    let hours = (0..20).map(|index| hour(index, 15)).collect();
    let daily = [schedule("a", hours, vec![range("2027-01-01", "2029-12-31")])];
    let template = template("2027-01-01", None);
    let plan = SlotPlan { template: &template, schedules: &daily, zone: zone("America/New_York") };
    let mut window = window("2027-01-01", "2030-06-01");
    let (mut count, mut calls) = (0, 0);
    loop {
        let piece = generate(plan, window, NonZeroUsize::new(2_500).unwrap()).unwrap();
        count += piece.slots.len();
        calls += 1;
        window.after = piece.stopped_after;
        if window.after.is_none() {
            break;
        }
    }
    assert_eq!((count, calls), (1_096 * 20, 9));
}

#[test]
fn a_date_that_begins_before_the_one_before_it_is_over_is_not_missed() {
    // At 00:01 of the 7th the clocks of St John's went back to 23:01 of the 6th.
    let midnight = [schedule("a", vec![hour(0, 0)], vec![range("2010-11-07", "2010-11-07")])];
    let template = template("2010-01-01", None);
    let found =
        slots_in("America/St_Johns", &template, &midnight, window("2010-11-01", "2010-11-07T02:45:00Z"));
    assert_eq!(found.iter().map(|slot| slot.start).collect::<Vec<_>>(), [at("2010-11-07T02:30:00Z")]);
}

#[test]
fn all_faults_of_a_schedule_are_named_with_their_fields() {
    let good = schedule("a", vec![hour(23, 59), hour(0, 0)], vec![range("2027-01-01", "2027-01-01")]);
    assert_eq!(good.check(), []);
    let bad = Schedule {
        weekdays: Weekdays::default(),
        hours: vec![hour(0, 0), SlotHour { quantity: Some(0), ..hour(24, 60) }],
        ranges: vec![range("2027-01-02", "2027-01-01")],
        effective_start: Some(at("2027-01-02")),
        effective_end: Some(at("2027-01-01")),
        capacity: Some(0),
        duration_minutes: Some(0),
        repeat_cycle_weeks: 0,
        ..good.clone()
    };
    let fields: Vec<String> = bad.check().iter().map(ScheduleFault::field).collect();
    let expected = [
        "/weekdays",
        "/hours/1/hour",
        "/hours/1/minutes",
        "/hours/1/quantity",
        "/ranges/0/end",
        "/effectiveEndTime",
        "/capacity",
        "/duration",
        "/repeatCycle",
    ];
    assert_eq!(fields, expected);
    assert_eq!(bad.check()[1], ScheduleFault::HourOutOfRange { index: 1, hour: 24 });
    let none = Schedule { hours: Vec::new(), ..good.clone() };
    assert_eq!(none.check(), [ScheduleFault::NoHours]);
    let many = Schedule { hours: vec![hour(1, 1); 1_441], ranges: vec![good.ranges[0]; 367], ..good };
    let counts = [ScheduleFault::TooManyHours { count: 1_441 }, ScheduleFault::TooManyRanges { count: 367 }];
    assert_eq!(many.check(), counts);
}

#[test]
fn faulty_schedules_and_windows_beyond_the_ids_are_refused() {
    let template = template("2027-01-01", None);
    let good = schedule("a", vec![hour(9, 0)], Vec::new());
    let bad = Schedule { repeat_cycle_weeks: 0, ..good.clone() };
    let ask = |schedules: &[Schedule], from: &str, until: &str| {
        let plan = SlotPlan { template: &template, schedules, zone: zone("UTC") };
        generate(plan, SlotWindow { from: at(from), until: at(until), after: None }, all())
    };
    let year = ("2027-01-01", "2028-01-01");
    let faults = vec![ScheduleFault::RepeatCycleZero];
    assert_eq!(
        ask(&[good.clone(), bad.clone()], year.0, year.1),
        Err(ScheduleRefusal::Faulty { index: 1, faults })
    );
    assert_eq!(ask(&vec![bad; 101], year.0, year.1), Err(ScheduleRefusal::TooManySchedules { count: 101 }));
    let beyond = Err(ScheduleRefusal::WindowOutOfRange);
    assert_eq!(ask(std::slice::from_ref(&good), "1969-12-31", "2027-01-01"), beyond);
    assert_eq!(ask(std::slice::from_ref(&good), "2106-01-01", "2106-02-08"), beyond);
    let backwards = ask(&[good], year.1, year.0);
    assert_eq!(backwards, Ok(Generated { slots: Vec::new(), stopped_after: None }));
}

#[test]
fn weekday_names_are_read_in_any_case() {
    for (text, day) in [
        ("Sunday", Weekday::Sun),
        ("MONDAY", Weekday::Mon),
        ("tuesday", Weekday::Tue),
        ("wEdNeSdAy", Weekday::Wed),
        (" thursday ", Weekday::Thu),
        ("Fri", Weekday::Fri),
        ("saturday", Weekday::Sat),
    ] {
        assert_eq!(Weekdays::parse_day(text), Ok(day), "{text}");
        assert_eq!(Weekdays::parse_day(Weekdays::day_name(day)), Ok(day));
    }
    for text in ["", "S", "Sonntag", "1", "Mon day"] {
        assert_eq!(Weekdays::parse_day(text), Err(UnreadableWeekday), "{text}");
    }
}

#[test]
fn a_stored_schedule_reads_back_and_leaves_out_what_has_a_default() {
    let read: Schedule =
        serde_json::from_str(r#"{"id":"a","weekdays":["Wed","Sun"],"hours":[{"hour":9}]}"#).unwrap();
    let mut expected = schedule("a", vec![hour(9, 0)], Vec::new());
    expected.weekdays = [Weekday::Sun, Weekday::Wed].into_iter().collect();
    assert_eq!(read, expected);
    expected.ranges = vec![range("2027-01-01", "2028-02-29")];
    expected.effective_end = Some(at("2027-01-01"));
    let stored = serde_json::to_string(&expected).unwrap();
    assert!(stored.contains(r#""weekdays":["Sun","Wed"]"#), "{stored}");
    assert_eq!(serde_json::from_str::<Schedule>(&stored).unwrap(), expected);
}
