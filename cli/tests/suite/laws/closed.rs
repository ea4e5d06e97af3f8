//! What is closed is closed everywhere: over random schedules, their later edits and instants, every way to see or
//! take a slot agrees about it, and with an oracle of this file's own.

use boxoffice::testing::Service;
use chrono::{Days, NaiveDate, NaiveTime};
use domain::ledger::{Ledger, LedgerChange};
use domain::{InstanceId, TemplateId, TenantId, Timestamp, Zone};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use testkit::Answer;
use testkit::walk::Walk;

const ADULT: &str = "1001aa000000000000000001";
/// Worlds of a whole walk.
const WORLDS: usize = 24;
/// Slots of each look that somebody tries to take.
const ASKED: usize = 6;
/// A Sunday, the first day of every world.
const FIRST: &str = "2031-05-04";
/// Days a world has.
const DAYS: u64 = 12;

/// When a series runs, in days from the first.
#[derive(Debug, Clone)]
struct Series {
    days: u8,
    hours: Vec<u32>,
    range: Option<(u64, u64)>,
    effective_end: Option<(u64, u32)>,
}

/// A template's times.
#[derive(Debug, Clone)]
struct Times {
    series: Vec<Series>,
    /// Day and hour.
    start: (u64, u32),
    /// Day and hour.
    end: Option<(u64, u32)>,
    sells_late: bool,
}

#[derive(Debug, Clone)]
struct World {
    before: Times,
    after: Times,
    /// Which slots have a seat sold before the edit.
    sold: Vec<usize>,
    /// Day and hour of each look.
    looks: Vec<(u64, u32)>,
}

fn any_series() -> impl Strategy<Value = Series> {
    let day = || (0..DAYS, prop_oneof![Just(9_u32), Just(10), 0..24_u32]);
    (prop_oneof![Just(127_u8), 1..128_u8], vec(8..22_u32, 1..3), of((0..DAYS, 0..DAYS)), of(day()))
        .prop_map(|(days, hours, range, effective_end)| Series { days, hours, range, effective_end })
}

fn any_times() -> impl Strategy<Value = Times> {
    let start = prop_oneof![2 => Just((0, 0)), 1 => (0..DAYS, 0..24_u32)];
    (vec(any_series(), 1..3), start, of((0..DAYS + 1, 0..24_u32)), any::<bool>()).prop_map(
        |(series, start, end, sells_late)| {
            // What ends before it starts is refused.
            let start = if end.is_some_and(|end| end < start) { (0, 0) } else { start };
            Times { series, start, end, sells_late }
        },
    )
}

/// The first times run every day; the later ones are any.
fn any_world() -> impl Strategy<Value = World> {
    let open = vec(8..22_u32, 1..3).prop_map(|hours| {
        let range = Some((0, DAYS - 1));
        let first = Series { days: 127, hours, range, effective_end: None };
        Times {
            series: vec![first.clone(), Series { hours: vec![12], ..first }],
            start: (0, 0),
            end: None,
            sells_late: false,
        }
    });
    let looks = vec((0..DAYS, 0..24_u32), 2..4);
    (open, any_times(), vec(0..40_usize, 2..8), looks).prop_map(|(before, after, sold, looks)| World {
        before,
        after,
        sold,
        looks,
    })
}

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn date(day: u64) -> NaiveDate {
    FIRST.parse::<NaiveDate>().unwrap().checked_add_days(Days::new(day)).unwrap()
}

/// The last day that lists and calendars are asked for. Schedules without an end make slots beyond it.
fn last_asked() -> NaiveDate {
    date(2 * DAYS)
}

/// The range that lists and calendars are asked for.
fn range() -> String {
    format!("startTime={FIRST}&endTime={}T23:59:59", last_asked())
}

fn at(day: u64, hour: u32) -> Timestamp {
    zone().instant(date(day).and_time(NaiveTime::from_hms_opt(hour, 0, 0).unwrap()))
}

impl Times {
    fn document(&self, price: &str) -> Value {
        let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
        let schedule = |(place, series): (usize, &Series)| {
            let days: Vec<&str> =
                (0..7).filter(|day| series.days & (1 << day) != 0).map(|day| names[day]).collect();
            let hours: Vec<Value> = series.hours.iter().map(|hour| json!({"hour": hour})).collect();
            let ranges = series.range.map(|(first, length)| {
                json!([{"start": date(first).to_string(), "end": date(first + length).to_string()}])
            });
            json!({
                "id": format!("s{place}"), "weekdays": days, "hours": hours,
                "ranges": ranges.unwrap_or(json!([])),
                "effectiveEndTime": series.effective_end.map(|(day, hour)| at(day, hour).to_rfc3339()),
            })
        };
        let (day, hour) = self.start;
        let end = self.end.map(|(day, hour)| at(day, hour).to_rfc3339());
        json!({
            "name": "Law", "description": "Closed is closed.", "reviewState": "Published",
            "startTime": at(day, hour).to_rfc3339(), "endTime": end,
            "duration": {"hour": 2, "minutes": 0}, "capacity": 2,
            "ticketDetails": {"postStartPurchase": {"allowLateTicketPurchase": self.sells_late}},
            "priceLists": [{"id": "own", "prices": [{"personType": {"id": ADULT}, "price": price}]}],
            "schedules": self.series.iter().enumerate().map(schedule).collect::<Vec<_>>(),
        })
    }

    /// Whether a slot of the series with this id is still held, by the calendar on the wall. On which days and at
    /// which hours the series makes slots does not matter to those there are.
    fn holds(&self, slot: &Ledger) -> bool {
        let place =
            slot.schedule.as_ref().unwrap().as_str().trim_start_matches('s').parse::<usize>().unwrap();
        let Some(series) = self.series.get(place) else { return false };
        let local = zone().local(slot.start);
        let in_range = series
            .range
            .is_none_or(|(first, length)| (date(first)..=date(first + length)).contains(&local.date()));
        let (day, hour) = self.start;
        in_range
            && at(day, hour) <= slot.start
            && series.effective_end.is_none_or(|(day, hour)| slot.start <= at(day, hour))
            && self.end.is_none_or(|(day, hour)| slot.start <= at(day, hour))
    }

    fn sells(&self, slot: &Ledger, now: Timestamp) -> bool {
        now < if self.sells_late { slot.end } else { slot.start } && self.holds(slot)
    }

    /// The seats that are left of those slots that are sold, by the id of the slot.
    fn open(&self, slots: &[Ledger], now: Timestamp) -> BTreeMap<String, u64> {
        let sold = slots.iter().filter(|slot| self.sells(slot, now));
        sold.map(|slot| (slot.instance.to_string(), u64::from(slot.available(now)))).collect()
    }
}

/// A service with the instant at which it is asked.
struct Visit<'a> {
    service: &'a Service,
    now: String,
    address: String,
}

impl Visit<'_> {
    async fn ask(&self, method: &str, path: &str, body: Value) -> Answer {
        let key = if path.starts_with("/v2/b2b") { "demo-b2b-1001" } else { "demo-b2c-1001" };
        let headers = [
            ("x-service-api-key", key),
            ("x-b2c-tenant-id", "1001"),
            ("x-service-browser-ip", self.address.as_str()),
            ("x-service-test-now", self.now.as_str()),
        ];
        self.service.request(method, path, &headers, Some(&body).filter(|body| !body.is_null())).await
    }

    async fn ok(&self, method: &str, path: &str, body: Value) -> Value {
        let answer = self.ask(method, path, body).await;
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        answer.body
    }

    /// The seats each way of looking shows of these slots, which are those of a template in the range, by the
    /// name of the way.
    async fn shown(&self, template: &str, slots: &[Ledger]) -> BTreeMap<&'static str, BTreeMap<String, u64>> {
        let range = range();
        let of_times = |times: &Value| -> BTreeMap<String, u64> {
            let all = times.as_array().unwrap().iter();
            all.map(|time| (id_of(time), time["availableSeats"].as_u64().unwrap())).collect()
        };
        let path = format!("/v2/b2c/event/templates/{template}/times?{range}");
        let times = self.ok("GET", &path, Value::Null);
        let all = self.ok("GET", &format!("/v2/b2c/event/templates/times?{range}"), Value::Null).await;
        let mut buckets = all.as_array().unwrap().iter();
        let bucket = buckets.find(|bucket| bucket["eventTemplateId"] == template);
        let mut single = BTreeMap::new();
        for slot in slots {
            let answer = self.ask("GET", &format!("/v2/b2c/events/{}", slot.instance), Value::Null).await;
            if answer.status == 200 {
                let body = &answer.body;
                let left = body["capacity"].as_u64().unwrap() - body["soldQuantity"].as_u64().unwrap();
                assert_eq!(body["available"], left > 0);
                single.insert(slot.instance.to_string(), left);
            } else {
                assert_eq!(answer.status, 404, "{}", answer.body);
            }
        }
        BTreeMap::from([
            ("times", of_times(&times.await)),
            ("all times", bucket.map_or_else(BTreeMap::new, |bucket| of_times(&bucket["times"]))),
            ("single instance", single),
        ])
    }

    /// Whether the list of templates has this one.
    async fn lists(&self, template: &str) -> bool {
        let path = format!("/v2/b2c/event/templates?{}", range());
        let listed = self.ok("GET", &path, Value::Null).await;
        listed.as_array().unwrap().iter().any(|listed| listed["id"] == template)
    }

    /// The days the calendar shows as active.
    async fn active(&self, template: &str) -> BTreeSet<String> {
        let path = format!("/v2/b2c/event/templates/{template}/calendar?{}", range());
        let found = self.ok("GET", &path, Value::Null).await;
        let days = found["days"].as_array().unwrap().iter().filter(|day| day["active"] == true);
        days.map(|day| day["date"].as_str().unwrap()[..10].to_owned()).collect()
    }

    /// Which of the ways to take a seat let a slot be taken.
    async fn taken(&self, slot: InstanceId, order: &Value) -> BTreeMap<&'static str, bool> {
        let line = json!({"eventId": slot.to_string(), "ticketingTypeId": ADULT, "quantity": 1});
        let cart = json!({"items": [line]});
        let probe =
            json!({"items": [{"eventId": slot.to_string(), "ticketingTypeId": ADULT, "quantity": 0}]});
        let may = |answer: &Answer| {
            let closed = answer.status == 409 && answer.body["type"] == "SALES_CLOSED";
            assert!(answer.status == 200 || closed, "{}", answer.body);
            answer.status == 200
        };
        let mut found = BTreeMap::new();
        found.insert("cart", may(&self.ask("POST", "/v2/b2c/carts", probe).await));
        let validated = self.ask("POST", "/v2/b2c/entitlements/validate", cart.clone()).await;
        found.insert("entitlements", may(&validated));
        let looked = json!({
            "shoppingCart": cart, "billingEmail": "law@example.test", "dryRun": true,
            "manualEntryCardNumber": "4242424242424242", "expDate": "1240", "cvc": "123", "billingZipCode": "10004",
        });
        let report = self.ok("POST", "/v2/b2c/checkout", looked).await;
        let findings = report["findings"].as_array().unwrap();
        found.insert("checkout", !findings.iter().any(|finding| finding["type"] == "SALES_CLOSED"));
        let seats = json!({"reservationItems": [{"eventId": slot.to_string(), "quantity": 1}]});
        let held = self.ask("POST", "/v2/b2b/reservations", seats).await;
        found.insert("reservation", may(&held));
        if held.status == 200 {
            self.ok("DELETE", &format!("/v2/b2b/reservations/{}", held.body["id"]), Value::Null).await;
        }
        let item = &order["orderItems"][0]["itemId"];
        let wish = json!({
            "orderId": order["id"], "itemId": item, "eventId": slot.to_string(), "sendEmail": false,
        });
        let exchanged = self.ask("POST", "/v2/b2b/exchanges", wish).await;
        if exchanged.body["type"] == "SALES_CLOSED" || exchanged.status == 200 {
            found.insert("exchange", exchanged.status == 200);
        }
        found
    }
}

fn id_of(time: &Value) -> String {
    time["id"].as_str().unwrap().to_owned()
}

async fn slots_of(service: &Service, template: &str) -> Vec<Ledger> {
    let (tenant, template) = (TenantId::parse(1001).unwrap(), TemplateId::parse(template).unwrap());
    let (from, until) = (Timestamp::UNIX_EPOCH, InstanceId::last_start());
    service.store.load_ledgers(tenant, &template, from, until, 20_000).await.unwrap()
}

/// Plays a world, and counts how often slots that outlive their schedule were asked for.
async fn play(service: &Service, place: usize, world: &World) -> usize {
    let visit = |now: Timestamp, nth: usize| Visit {
        service,
        now: now.to_rfc3339(),
        address: format!("203.0.{place}.{nth}"),
    };
    let staff = visit(at(0, 0), 0);
    // Another amount in each world, so that no two purchases look like one charge made twice.
    let price = format!("5.{place:02}");
    let made = staff.ok("POST", "/v2/b2b/event/templates", world.before.document(&price)).await;
    let template = made["id"].as_str().unwrap();
    let slots = slots_of(service, template).await;
    let tenant = TenantId::parse(1001).unwrap();
    for sold in &world.sold {
        let slot = &slots[sold % slots.len()];
        let sale = LedgerChange::sell(1, None);
        // A second seat of a slot makes it full.
        let _ = service.store.change_ledger(tenant, &slot.instance, &sale, at(0, 0)).await.unwrap();
    }
    let first = json!({"eventId": slots[0].instance.to_string(), "ticketingTypeId": ADULT, "quantity": 1});
    let paid = json!({
        "shoppingCart": {"items": [first]}, "billingEmail": "law@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1240", "cvc": "123",
    });
    let bought = staff.ask("POST", "/v2/b2c/checkout", paid).await;
    let order = bought.body;
    let changed =
        staff.ask("PUT", &format!("/v2/b2b/event/templates/{template}"), world.after.document(&price)).await;
    assert_eq!(changed.status, 200, "{world:?}: {}", changed.body);
    let mut outliving = 0;
    for (nth, (day, hour)) in world.looks.iter().enumerate() {
        let now = at(*day, *hour);
        let visit = visit(now, nth + 1);
        let slots = slots_of(service, template).await;
        let case = format!("{world:?} at {now}");
        let near: Vec<Ledger> =
            slots.iter().filter(|slot| zone().date(slot.start) <= last_asked()).cloned().collect();
        let (open, open_near) = (world.after.open(&slots, now), world.after.open(&near, now));
        for (way, shown) in visit.shown(template, &near).await {
            assert_eq!(shown, open_near, "{way}: {case}");
        }
        let free = |slot: &&Ledger| open.get(&slot.instance.to_string()).is_some_and(|seats| *seats > 0);
        let days: BTreeSet<String> =
            near.iter().filter(free).map(|slot| zone().date(slot.start).to_string()).collect();
        assert_eq!(visit.active(template).await, days, "calendar: {case}");
        let next = visit.ask("GET", &format!("/v2/b2c/events/{template}/nextAvailable"), Value::Null).await;
        let first = slots.iter().filter(free).filter(|slot| now <= slot.start);
        let first = first.min_by_key(|slot| (slot.start, slot.instance));
        assert_eq!(
            (next.status == 200).then(|| id_of(&next.body)),
            first.map(|slot| slot.instance.to_string()),
            "next available: {case}"
        );
        // Without a look at their slots, a list may keep what has none open any more, and leaves nothing out.
        assert!(open.is_empty() || visit.lists(template).await, "list: {case}");
        let one = visit.ask("GET", &format!("/v2/b2c/event/templates/{template}"), Value::Null).await;
        let is_available = slots.iter().any(|slot| free(&slot));
        assert_eq!(one.body["available"], is_available, "available: {case}: {}", one.body);
        let mut asked: Vec<&Ledger> =
            slots.iter().filter(|slot| !world.after.holds(slot) || slot.available(now) > 0).collect();
        asked.sort_by_key(|slot| world.after.holds(slot));
        for slot in asked.into_iter().take(ASKED) {
            let expected = open.contains_key(&slot.instance.to_string());
            for (way, may) in visit.taken(slot.instance, &order).await {
                assert_eq!(may, expected, "{way} of {}: {case}", slot.start);
            }
            outliving += usize::from(!world.after.holds(slot));
        }
    }
    outliving
}

#[tokio::test(flavor = "multi_thread")]
async fn all_ways_to_see_and_to_take_a_slot_agree_about_it() {
    let service = Service::start().await;
    let mut runner = TestRunner::deterministic();
    let mut outliving = 0;
    let mut worlds = Walk::begin("slots-seen-and-taken", 4);
    for place in 0..WORLDS {
        let world = any_world().new_tree(&mut runner).unwrap().current();
        if worlds.plays(()) {
            outliving += play(&service, place, &world).await;
        }
    }
    let played = worlds.end(WORLDS);
    assert!(outliving > played, "too few slots outlived their schedule: {outliving}");
}
