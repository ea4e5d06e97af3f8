//! Lists, times and calendars against a filter of this file's own. It knows of a slot only when it runs and how
//! many seats are left, reads the clock on the wall through chrono-tz, and finds days by walking through them.

use crate::support::{Listed, Venue, template};
use chrono::{DateTime, Duration, Months, NaiveDate, SecondsFormat, Utc};
use chrono_tz::Tz;
use domain::ledger::Ledger;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Instant = DateTime<Utc>;
/// Free seats and all seats by date.
type DaySeats = BTreeMap<NaiveDate, (u32, u32)>;

/// Zones with the days around which their clocks change, and the ends of months and years.
const PLACES: [(&str, &str); 14] = [
    ("America/New_York", "2027-03-14"),
    ("America/New_York", "2027-11-07"),
    ("America/New_York", "2027-12-31"),
    ("Europe/Berlin", "2027-03-28"),
    ("Europe/Berlin", "2027-10-31"),
    ("Australia/Lord_Howe", "2027-04-04"),
    ("Australia/Lord_Howe", "2027-10-03"),
    ("Asia/Kathmandu", "2027-06-30"),
    ("Asia/Kathmandu", "2028-02-29"),
    // Apia has no 30th.
    ("Pacific/Apia", "2011-12-29"),
    ("Pacific/Apia", "2011-12-31"),
    ("America/Santiago", "2027-09-05"),
    ("UTC", "2028-02-29"),
    ("UTC", "2027-12-31"),
];

/// When sales close, as a template says it.
#[derive(Debug, Clone, Copy)]
enum Closing {
    AtStart,
    AtEnd,
    HourBefore,
    HalfHourAfter,
}

#[derive(Debug, Clone)]
struct Show {
    private: bool,
    draft: bool,
    members: bool,
    minutes: i64,
    closing: Closing,
    /// Minutes after midnight UTC of the anchor.
    start: i64,
    schedules: Vec<Sitting>,
}

#[derive(Debug, Clone)]
struct Sitting {
    days: u8,
    hours: Vec<(u32, u32)>,
    /// Days from the anchor; none: as long as the template runs.
    range: Option<(i64, i64)>,
    online: bool,
}

#[derive(Debug, Clone)]
struct Question {
    /// Minutes after midnight UTC of the anchor, all three; the last is a length.
    now: i64,
    from: Option<i64>,
    length: Option<i64>,
    types: Option<&'static str>,
    channel: Option<&'static str>,
}

/// The last day of anything: a schedule without a range ends with its template.
const LAST_DAY: i64 = 7;

fn midnight(anchor: &str) -> Instant {
    anchor.parse::<NaiveDate>().unwrap().and_hms_opt(0, 0, 0).unwrap().and_utc()
}

fn after(anchor: &str, minutes: i64) -> Instant {
    midnight(anchor) + Duration::minutes(minutes)
}

fn any_sitting() -> impl Strategy<Value = Sitting> {
    let minutes = prop_oneof![Just(0_u32), Just(30), 0..60_u32];
    let hours = vec((prop_oneof![0..4_u32, 22..24_u32, 0..24_u32], minutes), 1..3);
    (prop_oneof![Just(127_u8), 1..128_u8], hours, of((-4..4_i64, 0..3_i64)), prop::bool::weighted(0.8))
        .prop_map(|(days, hours, range, online)| {
            // A schedule without any slot is refused.
            let days = if range.is_some() { 127 } else { days | 0b001_0101 };
            Sitting { days, hours, range, online }
        })
}

fn any_show() -> impl Strategy<Value = Show> {
    let closing = prop_oneof![
        Just(Closing::AtStart),
        Just(Closing::AtEnd),
        Just(Closing::HourBefore),
        Just(Closing::HalfHourAfter),
    ];
    let minutes = prop_oneof![Just(15_i64), Just(60), Just(600), Just(1_440), Just(1_441), Just(3_000)];
    let flags = (prop::bool::weighted(0.3), prop::bool::weighted(0.1), prop::bool::weighted(0.1));
    (flags, minutes, closing, -4 * 1_440..1_440_i64, vec(any_sitting(), 0..3)).prop_map(
        |((private, draft, members), minutes, closing, start, schedules)| Show {
            private,
            draft,
            members,
            minutes,
            closing,
            start,
            schedules,
        },
    )
}

fn any_question() -> impl Strategy<Value = Question> {
    let types = of(prop_oneof![Just("standard"), Just("private"), Just("ALL")]);
    let channel = of(prop_oneof![3 => Just("online"), 1 => Just("kiosk")]);
    let length = prop_oneof![Just(0_i64), 0..1_440_i64, 0..5 * 1_440_i64];
    (-3 * 1_440..4 * 1_440_i64, of(-5 * 1_440..5 * 1_440_i64), of(length), types, channel)
        .prop_map(|(now, from, length, types, channel)| Question { now, from, length, types, channel })
}

/// Id and document of a show.
fn document(place: usize, show: &Show, anchor: &str) -> (String, Value) {
    let id = format!("show{place}");
    let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    let first_day: NaiveDate = anchor.parse().unwrap();
    let schedule = |(index, sitting): (usize, &Sitting)| {
        let days: Vec<&str> =
            (0..7).filter(|day| sitting.days & (1 << day) != 0).map(|day| names[day]).collect();
        let hours: Vec<Value> =
            sitting.hours.iter().map(|(hour, minutes)| json!({"hour": hour, "minutes": minutes})).collect();
        let range = sitting.range.map(|(start, length)| {
            let start = first_day + Duration::days(start);
            json!([{"start": start.to_string(), "end": (start + Duration::days(length)).to_string()}])
        });
        json!({
            "id": format!("s{index}"), "weekdays": days, "hours": hours, "ranges": range.unwrap_or(json!([])),
            "salesChannels": [{"channel": "online", "enabled": sitting.online}],
        })
    };
    let details = match show.closing {
        Closing::AtStart => json!({}),
        Closing::AtEnd => json!({"postStartPurchase": {"allowLateTicketPurchase": true}}),
        Closing::HourBefore => json!({"purchaseAvailability": {"timeFrame": "before", "minutes": 60}}),
        Closing::HalfHourAfter => json!({"purchaseAvailability": {"timeFrame": "after", "minutes": 30}}),
    };
    let fields = json!({
        "name": id, "type": if show.private { "private" } else { "standard" },
        "reviewState": if show.draft { "Draft" } else { "Published" }, "memberOnlyEvent": show.members,
        "startTime": after(anchor, show.start).to_rfc3339(),
        "endTime": after(anchor, LAST_DAY * 1_440).to_rfc3339(),
        "duration": {"hour": 0, "minutes": show.minutes}, "ticketDetails": details, "capacity": 3,
        "schedules": show.schedules.iter().enumerate().map(schedule).collect::<Vec<_>>(),
    });
    let value = template(&id, fields);
    (id, value)
}

/// What is known of a venue without asking it.
struct Truth<'a> {
    tz: Tz,
    anchor: &'a str,
    shows: BTreeMap<String, (&'a Show, Vec<Ledger>)>,
}

/// A question with its defaults filled in.
struct Asked {
    now: Instant,
    from: Instant,
    until: Instant,
    standard: bool,
    private: bool,
    online: bool,
}

impl Truth<'_> {
    fn date(&self, instant: Instant) -> NaiveDate {
        instant.with_timezone(&self.tz).date_naive()
    }

    /// The first instant at which the wall shows the date of `instant`.
    fn day_start(&self, instant: Instant) -> Instant {
        let date = self.date(instant);
        let mut first = instant - Duration::seconds(instant.timestamp().rem_euclid(60));
        while self.date(first - Duration::minutes(1)) == date {
            first -= Duration::minutes(1);
        }
        first
    }

    /// The last second of that day.
    fn day_end(&self, instant: Instant) -> Instant {
        let date = self.date(instant);
        let mut next = instant - Duration::seconds(instant.timestamp().rem_euclid(60));
        while self.date(next) == date {
            next += Duration::minutes(1);
        }
        next - Duration::seconds(1)
    }

    fn asked(&self, question: &Question) -> Asked {
        let now = after(self.anchor, question.now);
        let from = question.from.map_or_else(|| self.day_start(now), |from| after(self.anchor, from));
        let until = match question.length {
            Some(length) => from + Duration::minutes(length),
            None => self.day_end(from),
        };
        Asked {
            now,
            from,
            until,
            standard: question.types != Some("private"),
            private: matches!(question.types, Some("private" | "ALL")),
            online: question.channel != Some("kiosk"),
        }
    }

    fn is_visible(&self, show: &Show, asked: &Asked) -> bool {
        let kind = if show.private { asked.private } else { asked.standard };
        kind && !show.draft && !show.members
    }

    fn closes(show: &Show, slot: &Ledger) -> Instant {
        match show.closing {
            Closing::AtStart => slot.start,
            Closing::AtEnd => slot.end,
            Closing::HourBefore => slot.start - Duration::hours(1),
            Closing::HalfHourAfter => slot.end.min(slot.start + Duration::minutes(30)),
        }
    }

    /// Whether the schedule of a slot sells online; the slot of a template without schedules does.
    fn sells(show: &Show, slot: &Ledger) -> bool {
        slot.schedule.as_ref().is_none_or(|id| {
            let index: usize = id.as_str().trim_start_matches('s').parse().unwrap();
            show.schedules[index].online
        })
    }

    fn is_open(&self, show: &Show, slot: &Ledger, asked: &Asked) -> bool {
        self.is_visible(show, asked)
            && asked.online
            && Self::sells(show, slot)
            && asked.now < Self::closes(show, slot)
    }

    fn is_listed(&self, show: &Show, slots: &[Ledger], asked: &Asked) -> bool {
        slots.iter().any(|slot| self.is_open(show, slot, asked))
    }

    fn times<'b>(&self, show: &Show, slots: &'b [Ledger], asked: &Asked) -> Vec<&'b Ledger> {
        slots
            .iter()
            .filter(|slot| slot.start <= asked.until && asked.from <= slot.end)
            .filter(|slot| self.is_open(show, slot, asked))
            .collect()
    }

    /// Dates from the first instant to the last, as the wall shows them.
    fn days(&self, from: Instant, until: Instant) -> Vec<NaiveDate> {
        let mut days = Vec::new();
        let mut instant = from;
        loop {
            let date = self.date(instant.min(until));
            if days.last() != Some(&date) {
                days.push(date);
            }
            if instant >= until {
                return days;
            }
            instant += Duration::minutes(10);
        }
    }

    /// The first instant of each date with its star and its seats.
    fn calendar(&self, from: Instant, until: Instant, seats: &DaySeats) -> Vec<String> {
        let days = self.days(from, until).into_iter().map(|date| {
            let mut first = date.and_hms_opt(0, 0, 0).unwrap().and_utc() - Duration::hours(30);
            while self.date(first) < date {
                first += Duration::minutes(1);
            }
            let text = first.with_timezone(&self.tz).to_rfc3339_opts(SecondsFormat::Secs, false);
            let (free, size) = seats.get(&date).copied().unwrap_or_default();
            let star = if free > 0 { "*" } else { "" };
            format!("{text}{star} {free}/{size}")
        });
        days.collect()
    }

    /// The free seats and all seats of each date.
    fn seats(&self, slots: &[&Ledger]) -> DaySeats {
        let mut seats = DaySeats::new();
        for slot in slots {
            let long = slot.end - slot.start > Duration::hours(24);
            let last = if long { slot.end - Duration::seconds(1) } else { slot.start };
            for date in self.days(slot.start, last) {
                let (free, size) = seats.entry(date).or_default();
                *free += slot.free;
                *size += slot.size;
            }
        }
        seats
    }

    /// When the next slot that can be bought starts, from now on, or else the first of those that have begun.
    fn next(&self, show: &Show, slots: &[Ledger], asked: &Asked) -> Option<i64> {
        let sold = slots.iter().filter(|slot| slot.free > 0 && self.is_open(show, slot, asked));
        let next = sold.map(|slot| slot.start).min_by_key(|start| (*start < asked.now, *start));
        next.map(|start| start.timestamp_millis())
    }

    /// The range of one template's calendar: two months from the first event on where it has none.
    fn calendar_range(&self, show: &Show, slots: &[Ledger], asked: &Asked) -> (Instant, Instant) {
        let within = |slot: &Ledger| slot.start <= asked.until && asked.from <= slot.end;
        let on_channel =
            |slot: &&Ledger| show.schedules.is_empty() || (asked.online && Self::sells(show, slot));
        let later = slots.iter().filter(on_channel).find(|slot| slot.start > asked.until);
        match later {
            Some(later) if !slots.iter().any(within) => {
                let last = self.date(later.start) + Months::new(2);
                let noon = last.and_hms_opt(12, 0, 0).unwrap().and_local_timezone(self.tz).unwrap();
                (self.day_start(later.start), self.day_end(noon.with_timezone(&Utc)))
            }
            Some(_) | None => (asked.from, asked.until),
        }
    }
}

fn query(anchor: &str, question: &Question, asked: &Asked) -> String {
    let mut parts = Vec::new();
    if let Some(from) = question.from {
        parts.push(format!("startTime={}", after(anchor, from).format("%Y-%m-%dT%H:%M:%SZ")));
    }
    if question.length.is_some() {
        parts.push(format!("endTime={}", asked.until.format("%Y-%m-%dT%H:%M:%SZ")));
    }
    parts.extend(question.types.map(|types| format!("type={types}")));
    parts.extend(question.channel.map(|channel| format!("saleChannel={channel}")));
    parts.join("&")
}

fn slots(value: &Value) -> Vec<(String, u64)> {
    let slot =
        |slot: &Value| (slot["id"].as_str().unwrap().to_owned(), slot["availableSeats"].as_u64().unwrap());
    value.as_array().unwrap().iter().map(slot).collect()
}

fn stars(value: &Value) -> Vec<String> {
    let day = |day: &Value| {
        let star = if day["active"] == true { "*" } else { "" };
        format!("{}{star} {}/{}", day["date"].as_str().unwrap(), day["availableSeats"], day["capacity"])
    };
    value["days"].as_array().unwrap().iter().map(day).collect()
}

async fn check(venue: &Venue, truth: &Truth<'_>, question: &Question) {
    let asked = truth.asked(question);
    let now = asked.now.to_rfc3339();
    let query = query(truth.anchor, question, &asked);
    let get = async |path: &str| {
        let answer = venue.get(&now, &format!("/v2/b2c/event/templates{path}?{query}")).await;
        assert_eq!(answer.status, 200, "{path}?{query} at {now}: {}", answer.body);
        answer
    };
    let expected = |slots: Vec<&Ledger>| -> Vec<(String, u64)> {
        slots.iter().map(|slot| (slot.instance.to_string(), u64::from(slot.free))).collect()
    };
    let mut buckets = Vec::new();
    let mut all_open: Vec<&Ledger> = Vec::new();
    for (id, (show, ledgers)) in &truth.shows {
        let open = truth.times(show, ledgers, &asked);
        let listed = truth.is_listed(show, ledgers, &asked);
        if listed {
            buckets.push((id.clone(), expected(open.clone())));
            all_open.extend(&open);
        }
        if show.draft || show.members {
            continue;
        }
        let case = format!("{id}?{query} at {now}");
        let times = get(&format!("/{id}/times")).await;
        assert_eq!(slots(&times.body), expected(open), "times of {case}");
        assert_eq!((times.calls.rounds, times.calls.total), (1, 1), "times of {case}");
        let instances = get(&format!("/{id}/instances")).await;
        assert_eq!(instances.ids(), times.ids(), "instances of {case}");
        assert_eq!((instances.calls.rounds, instances.calls.total), (1, 1), "instances of {case}");
        let range = truth.calendar_range(show, ledgers, &asked);
        let within = truth.times(show, ledgers, &Asked { from: range.0, until: range.1, ..asked });
        let calendar = get(&format!("/{id}/calendar")).await;
        assert_eq!(
            stars(&calendar.body),
            truth.calendar(range.0, range.1, &truth.seats(&within)),
            "calendar of {case}"
        );
    }
    let times = get("/times").await;
    let found = times.body.as_array().unwrap().iter();
    let found: Vec<(String, Vec<(String, u64)>)> = found
        .map(|bucket| (bucket["eventTemplateId"].as_str().unwrap().to_owned(), slots(&bucket["times"])))
        .collect();
    assert_eq!(found, buckets, "times?{query} at {now}");
    let calendar = get("/calendar").await;
    let days = truth.calendar(asked.from, asked.until, &truth.seats(&all_open));
    assert_eq!(stars(&calendar.body), days, "calendar?{query} at {now}");
    let slim = get("/slim").await;
    let last = after(truth.anchor, LAST_DAY * 1_440);
    let expected: Vec<&str> = truth
        .shows
        .iter()
        .filter(|(_, (show, ledgers))| truth.is_listed(show, ledgers, &asked))
        .filter(|(_, (show, _))| after(truth.anchor, show.start) <= asked.until && asked.from <= last)
        .map(|(id, _)| id.as_str())
        .collect();
    assert_eq!(slim.ids(), expected, "slim?{query} at {now}");
    let shown = slim.body.as_array().unwrap().iter();
    let shown: Vec<Option<i64>> = shown.map(|found| found["nextAvailable"].as_i64()).collect();
    let next = |id: &&str| {
        let (show, ledgers) = &truth.shows[*id];
        truth.next(show, ledgers, &asked)
    };
    assert_eq!(shown, expected.iter().map(next).collect::<Vec<_>>(), "next of slim?{query} at {now}");
    assert!(slim.calls.rounds <= 2, "{:?}", slim.calls);
    let summaries = get("/summaries").await;
    assert_eq!(summaries.ids(), expected, "summaries?{query} at {now}");
    assert!(summaries.calls.rounds <= 2, "{:?}", summaries.calls);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn listings_are_what_a_filter_of_every_slot_finds(
        place in 0..PLACES.len(),
        shows in vec(any_show(), 1..4),
        questions in vec(any_question(), 6),
        sold in 0..5_usize,
    ) {
        let (zone, anchor) = PLACES[place];
        // The clock stands still, so that what was read once stays fresh however slow the machine is.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let documents: Vec<(String, Value)> =
                shows.iter().enumerate().map(|(place, show)| document(place, show, anchor)).collect();
            let templates = documents.iter().map(|(_, value)| value.clone()).collect();
            let (from, until) = (after(anchor, -10 * 1_440), after(anchor, 10 * 1_440));
            let venue = Venue::open_between(zone, templates, from, until).await;
            let ledgers = venue.sell(|place, slot| if place % 5 < sold { slot.free } else { 1 }).await;
            let of = |id: &str| ledgers.iter().filter(|slot| slot.template.as_str() == id).cloned().collect();
            let shows = documents.iter().zip(&shows).map(|((id, _), show)| (id.clone(), (show, of(id))));
            let truth = Truth { tz: zone.parse().unwrap(), anchor, shows: shows.collect() };
            for question in &questions {
                check(&venue, &truth, question).await;
            }
        });
    }
}
