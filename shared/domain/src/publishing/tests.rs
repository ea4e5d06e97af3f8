use super::*;
use crate::ReservationId;
use crate::ledger::Hold;
use crate::schedule::{DateRange, Schedule, SlotHour, SlotWindow, generate};
use crate::slot_edit::{EditTransition, decide_removal};
use chrono::{NaiveDate, Weekday};
use proptest::prelude::*;
use std::num::NonZeroUsize;

const T0: &str = "2027-05-01T10:00:00-04:00";

fn now() -> Timestamp {
    T0.parse().unwrap()
}

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn schedule(id: &str, days: &[Weekday], hours: &[(u32, Option<u32>)]) -> Schedule {
    let mut schedule: Schedule = serde_json::from_str(&format!("{{\"id\":\"{id}\"}}")).unwrap();
    schedule.weekdays = days.iter().copied().collect();
    schedule.hours = hours
        .iter()
        .map(|(hour, quantity)| SlotHour { hour: *hour, minutes: 0, quantity: *quantity })
        .collect();
    schedule
}

fn template(schedules: Vec<Schedule>) -> Template {
    let mut template: Template = serde_json::from_str(
        r#"{"id": "6f2e91b0c47d5a3e18b90f42", "name": "Tour", "description": "", "short_description": "",
            "start": "2027-04-01T00:00:00Z", "review_state": "Published", "duration_minutes": 60,
            "capacity": 5, "last_updated": "2027-04-01T00:00:00Z"}"#,
    )
    .unwrap();
    template.schedules = schedules;
    template
}

const DAYS: i64 = 12;

fn slots(template: &Template) -> Vec<Slot> {
    let facts = template.facts();
    let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone: zone() };
    let window =
        SlotWindow { from: plus_secs(now(), -7_200), until: plus_secs(now(), DAYS * DAY_SECS), after: None };
    generate(plan, window, NonZeroUsize::new(10_000).unwrap()).unwrap().slots
}

type Ledgers = BTreeMap<InstanceId, Ledger>;

fn compared(template: &Template, ledgers: &Ledgers) -> Regeneration {
    let existing: Vec<Ledger> = ledgers.values().cloned().collect();
    let make_until = plus_secs(now(), DAYS * DAY_SECS);
    let slots = slots(template);
    regenerate(Stretch { template: &template.id, slots: &slots, existing: &existing, make_until }, now())
}

fn applied(regeneration: Regeneration, ledgers: &Ledgers) -> Ledgers {
    let mut next = ledgers.clone();
    for ledger in regeneration.put {
        assert!(next.insert(ledger.instance, ledger).is_none());
    }
    for Replacement { old, new } in regeneration.replace {
        assert_eq!(next.insert(new.instance, new), Some(old));
    }
    for old in regeneration.delete {
        assert_eq!(next.remove(&old.instance), Some(old));
    }
    next
}

/// What has happened to a slot.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Nothing,
    Sold,
    Held,
    HeldAndExpired,
    Edited,
    Cancelled,
    Removed,
}

fn marked(mut ledger: Ledger, fate: Fate) -> Ledger {
    let hold = |secs| Hold { quantity: 1, expires_at: plus_secs(now(), secs) };
    match fate {
        Fate::Nothing => {}
        Fate::Sold => (ledger.sold, ledger.free) = (1, ledger.free - 1),
        Fate::Held | Fate::HeldAndExpired => {
            let secs = if matches!(fate, Fate::Held) { 60 } else { 0 };
            ledger.holds.insert(ReservationId::parse(7).unwrap(), hold(secs));
            ledger.free -= 1;
        }
        Fate::Edited => (ledger.size, ledger.free, ledger.edited) = (99, 99, true),
        Fate::Cancelled => ledger.state = SlotState::Cancelled,
        Fate::Removed => {
            let Ok(EditTransition::Edit(edit)) = decide_removal(&ledger, now()) else {
                panic!("not removed")
            };
            ledger = ledger.with_edit(&edit);
        }
    }
    ledger
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Nothing),
        1 => Just(Fate::Sold),
        1 => Just(Fate::Held),
        1 => Just(Fate::HeldAndExpired),
        1 => Just(Fate::Edited),
        1 => Just(Fate::Cancelled),
        1 => Just(Fate::Removed),
    ]
}

const WEEK: [Weekday; 7] =
    [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun];

fn any_template() -> impl Strategy<Value = Template> {
    let hours = proptest::collection::vec((0u32..24, proptest::option::of(1u32..9)), 1..4);
    let days = proptest::sample::subsequence(WEEK.to_vec(), 1..=7);
    let minutes = proptest::sample::select(vec![30u32, 60, 90]);
    let found =
        proptest::collection::btree_map(proptest::sample::select(vec!["a", "b", "c"]), (days, hours), 0..3);
    (found, minutes, 1u32..9).prop_map(|(found, minutes, capacity)| {
        let schedules = found.into_iter().map(|(id, (days, hours))| schedule(id, &days, &hours));
        let mut template = template(schedules.collect());
        template.start = plus_secs(now(), 3 * DAY_SECS);
        if !template.schedules.is_empty() {
            template.start = plus_secs(now(), -30 * DAY_SECS);
        }
        template.duration_minutes = minutes;
        template.capacity = capacity;
        template
    })
}

proptest! {
    #[test]
    fn a_changed_template_changes_exactly_the_slots_nobody_depends_on(
        before in any_template(),
        after in any_template(),
        fates in proptest::collection::vec(fate(), 1..60),
    ) {
        let made = applied(compared(&before, &Ledgers::new()), &Ledgers::new());
        let lived: Ledgers = made
            .into_iter()
            .zip(fates.iter().cycle())
            .map(|((id, ledger), fate)| (id, marked(ledger, *fate)))
            .collect();
        let next = applied(compared(&after, &lived), &lived);
        // Once more changes nothing.
        prop_assert_eq!(compared(&after, &next), Regeneration::default());
        for (id, ledger) in &lived {
            if !ledger.follows_its_schedule(now()) {
                prop_assert_eq!(next.get(id), Some(ledger), "touched though someone depends on it");
            }
        }
        // What nobody depends on is as if it had been made afresh.
        let fresh = applied(compared(&after, &Ledgers::new()), &Ledgers::new());
        for (id, ledger) in &next {
            if ledger.follows_its_schedule(now()) {
                let mut seats = ledger.clone();
                (seats.free, seats.holds) = (seats.size, BTreeMap::new());
                prop_assert_eq!(Some(&seats), fresh.get(id));
            }
            prop_assert!(ledger.is_sound());
        }
        for id in fresh.keys() {
            prop_assert!(next.contains_key(id), "missing");
        }
    }
}

#[test]
fn a_slot_that_has_begun_is_left_alone_and_a_running_one_that_is_missing_is_made() {
    let running = template(vec![schedule("a", &WEEK, &[(9, None), (10, None), (11, None)])]);
    let mut made = applied(compared(&running, &Ledgers::new()), &Ledgers::new());
    let first: Vec<Timestamp> = made.values().map(|ledger| ledger.start).take(3).collect();
    let at = |text: &str| zone().parse_instant(text).unwrap();
    assert_eq!(first, ["2027-05-01T09:00", "2027-05-01T10:00", "2027-05-01T11:00"].map(at));
    made = applied(compared(&template(vec![schedule("b", &WEEK, &[(11, None)])]), &made), &made);
    let left: Vec<Timestamp> = made.values().map(|ledger| ledger.start).take(3).collect();
    // Those of 9 and 10 have begun; that of 11 is another slot, of another schedule.
    assert_eq!(left, ["2027-05-01T09:00", "2027-05-01T10:00", "2027-05-01T11:00"].map(at));
    assert_eq!(made.len(), 2 + 12);
}

fn terms(days: u32, secs: i64) -> RunTerms {
    let moment = Moment { now: plus_secs(now(), secs), days, chosen_clock: false };
    RunTerms { run: format!("run-{secs}"), moment, real_now: Timestamp::MAX_UTC }
}

fn plan_of<'a>(template: &'a Template, facts: &'a crate::schedule::TemplateFacts) -> SlotPlan<'a> {
    SlotPlan { template: facts, schedules: &template.schedules, zone: zone() }
}

#[test]
fn no_chosen_clock_makes_slots_that_real_time_would_not() {
    let tour = template(vec![schedule("a", &WEEK, &[(9, None)])]);
    let horizon = |chosen: i64, real: i64| {
        let real_now = plus_secs(now(), real);
        let run = Generation::fill(&tour, zone(), None, RunTerms { real_now, ..terms(400, chosen) }).unwrap();
        assert!(run.from <= run.until, "{run:?}");
        run.until
    };
    let real = horizon(0, 0);
    for years in [1, 2, 10, 73] {
        assert_eq!(horizon(years * 31_536_000, 0), real, "{years} years ahead");
    }
    // An earlier clock reaches as far as it says.
    assert_eq!(horizon(-86_400, 0), horizon(-86_400, -86_400));
}

#[test]
fn a_run_is_needed_for_another_plan_and_for_another_day_and_not_for_other_words() {
    let mut tour = template(vec![schedule("a", &WEEK, &[(9, None)])]);
    let facts = tour.facts();
    let first = Generation::fill(&tour, zone(), None, terms(400, 0)).unwrap();
    assert!(first.is_due(now()) && !first.complete);
    let again = |template: &Template, run: &Generation, secs| {
        Generation::fill(template, zone(), Some(run), terms(400, secs))
    };
    tour.description = "Other words".to_owned();
    assert_eq!(again(&tour, &first, 5), None, "it is being made already");
    let done = first.moved(None, Some(plan_of(&tour, &facts)), false, now()).unwrap();
    assert!(done.complete);
    assert_eq!(done.due_at, Some(plus_secs(now(), DAY_SECS)));
    assert_eq!(again(&tour, &done, DAY_SECS - 1), None);
    let next_day = again(&tour, &done, DAY_SECS).unwrap();
    assert_eq!((next_day.from, next_day.until), (done.until, plus_secs(done.until, DAY_SECS)));
    tour.capacity = 6;
    let other = again(&tour, &done, 5).unwrap();
    assert_eq!(other.from, plus_secs(now(), 5 - 3_600), "from what may still be running");
    assert_ne!(other.run, done.run);
    let zone = Zone::parse("America/Los_Angeles").unwrap();
    assert_ne!(plan_name(&tour, zone), other.plan, "another zone makes other slots");
}

#[test]
fn a_run_that_is_extended_while_it_goes_on_keeps_its_place() {
    let tour = template(vec![schedule("a", &WEEK, &[(9, None)])]);
    let first = Generation::fill(&tour, zone(), None, terms(30, 0)).unwrap();
    let slot = slots(&tour).remove(3).id;
    let half = first.moved(Some(slot), None, false, now()).unwrap();
    assert_eq!((half.complete, half.revision), (false, 2));
    let further = Generation::fill(&tour, zone(), Some(&half), terms(60, 9)).unwrap();
    assert_eq!((further.from, further.after), (half.from, Some(slot)));
    assert_eq!(further.until, plus_secs(now(), 9 + 60 * DAY_SECS));
}

#[test]
fn templates_whose_schedules_are_over_are_never_due_again() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    let mut summer = schedule("a", &WEEK, &[(9, None)]);
    summer.ranges = vec![DateRange { start: date("2027-06-01"), end: date("2027-08-31") }];
    let endless = schedule("a", &WEEK, &[(9, None)]);
    for (schedules, due) in [(vec![summer.clone()], false), (vec![], false), (vec![summer, endless], true)] {
        let tour = template(schedules);
        let facts = tour.facts();
        let first = Generation::fill(&tour, zone(), None, terms(400, 0)).unwrap();
        let done = first.moved(None, Some(plan_of(&tour, &facts)), false, now()).unwrap();
        assert_eq!(done.due_at.is_some(), due);
    }
}

#[test]
fn a_template_that_is_gone_is_cleared_until_nothing_is_held_any_more() {
    let tour = template(vec![]);
    let clear = Generation::clear(&tour.id, None, terms(400, 0));
    let again = clear.moved(None, None, true, now()).unwrap();
    assert_eq!((again.due_at, again.held), (Some(plus_secs(now(), CLEAR_AGAIN_SECS)), false));
    assert_eq!(again.moved(None, None, false, now()), None);
}

#[test]
fn what_makes_no_slot_from_now_on_is_not_published_and_what_was_published_may_end() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    let range = |start, end| vec![DateRange { start: date(start), end: date(end) }];
    let with = |ranges: Vec<DateRange>, end: Option<&str>| {
        let mut found = schedule("a", &[Weekday::Mon], &[(9, None)]);
        found.ranges = ranges;
        found.effective_end = end.map(|end| zone().parse_instant(end).unwrap());
        found
    };
    let running = template(vec![schedule("a", &WEEK, &[(9, None)])]);
    let writing = Writing {
        now: zone().parse_instant("2027-05-04T12:00:00").unwrap(),
        zone: zone(),
        may_be_over: false,
    };
    // 2027-05-04 is a Tuesday.
    for (schedule, idle) in [
        (with(range("2027-05-04", "2027-05-09"), None), true),
        (with(range("2027-05-04", "2027-05-10"), None), false),
        (with(range("2027-05-04", "2027-05-10"), Some("2027-05-10T08:59:00")), true),
        (with(range("2027-05-04", "2027-05-10"), Some("2027-05-10T09:00:00")), false),
        (with(range("2031-05-01", "2031-05-31"), None), false),
        (with(range("1999-05-01", "1999-05-31"), None), true),
        (with(range("2026-05-01", "2027-05-03"), None), true),
        (with(range("9999-05-01", "9999-05-31"), None), true),
        (with(vec![], None), false),
        (with(vec![], Some("2027-05-03T09:00:00")), true),
    ] {
        let tour = template(vec![schedule.clone()]);
        let expected = if idle { vec![NothingToCome::Schedule(0)] } else { vec![] };
        assert_eq!(nothing_to_come(&tour, None, writing), expected, "{schedule:?}");
        let draft = Template { review_state: ReviewState::Draft, ..running.clone() };
        assert_eq!(nothing_to_come(&tour, Some(&draft), writing), expected, "{schedule:?}");
        assert_eq!(nothing_to_come(&tour, Some(&running), writing), vec![], "{schedule:?}");
        let renamed = Schedule { id: ScheduleId::parse("b").unwrap(), ..schedule };
        let joined = template(vec![running.schedules[0].clone(), renamed]);
        let expected = if idle { vec![NothingToCome::Schedule(1)] } else { vec![] };
        assert_eq!(nothing_to_come(&joined, Some(&running), writing), expected);
    }
}

#[test]
fn a_template_whose_own_time_is_over_is_not_published() {
    let writing =
        |text| Writing { now: zone().parse_instant(text).unwrap(), zone: zone(), may_be_over: false };
    let start = zone().parse_instant("2027-05-04T12:00:00").unwrap();
    let once = Template { start, duration_minutes: 60, end: None, ..template(vec![]) };
    for (now, is_over) in
        [("2027-05-04T12:00:00", false), ("2027-05-04T12:59:59", false), ("2027-05-04T13:00:00", true)]
    {
        let expected = if is_over { vec![NothingToCome::OnlySlotOver] } else { vec![] };
        assert_eq!(nothing_to_come(&once, None, writing(now)), expected, "{now}");
        assert_eq!(nothing_to_come(&once, Some(&once), writing(now)), vec![], "{now}");
    }
    let ended = Template { end: Some(start), ..template(vec![schedule("a", &WEEK, &[(9, None)])]) };
    let expected = vec![NothingToCome::TemplateEnded];
    let later = writing("2027-05-04T12:00:01");
    assert_eq!(nothing_to_come(&ended, None, later), expected);
    // The document of a venue holds what is over as well; what is here as a draft was never published.
    let imported = Writing { may_be_over: true, ..later };
    assert_eq!(nothing_to_come(&ended, None, imported), vec![]);
    let draft = Template { review_state: ReviewState::Draft, ..ended.clone() };
    assert_eq!(nothing_to_come(&ended, Some(&draft), imported), expected);
}
