//! Times, next available and single instances.

use crate::support::{Listed, Venue, daily, template};
use domain::TemplateId;
use domain::slot_edit::{EditTransition, SlotEdit, SlotReach, SlotStatus, decide_edit, decide_removal};
use domain::time::plus_secs;
use serde_json::{Value, json};

const ENTRY: &str = "/v2/b2c/event/templates/entry";
const ALL_TIMES: &str = "/v2/b2c/event/templates/times";

async fn venue() -> Venue {
    let entry = template("entry", json!({"schedules": daily(&[(10, 0), (14, 0)])}));
    let evening = template("evening", json!({"startTime": "2027-07-04T20:00:00", "displayOrder": 2}));
    Venue::open("America/New_York", vec![entry, evening]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_looks_as_documented() {
    let venue = venue().await;
    let path = format!("{ENTRY}/times?startTime=2027-07-04T13:00:00-04:00&endTime=2027-07-04T15:00:00-04:00");
    let answer = venue.get("2027-07-04T08:00:00-04:00", &path).await;
    insta::assert_json_snapshot!(answer.body, @r#"
    [
      {
        "addOns": {
          "inventoryIds": []
        },
        "availableSeats": 50,
        "date": "07/04/2027",
        "event": {
          "admissionType": "standard",
          "available": true,
          "capacity": 50,
          "endTime": "2027-07-04T16:00:00-04:00",
          "id": "69f345226c2a7da0635b29c8",
          "name": "Harbor Gallery Entry",
          "priceList": {
            "priceListId": "entry-prices",
            "prices": [
              {
                "discount": null,
                "discountedPrice": null,
                "displayOrder": 1,
                "personType": {
                  "active": true,
                  "description": "18 and over",
                  "displayOrder": 1,
                  "id": "adult",
                  "name": "Adult",
                  "type": "individual"
                },
                "price": 18.0,
                "primePrice": null,
                "salesChannels": [
                  {
                    "channel": "online",
                    "enabled": true,
                    "name": "Online"
                  }
                ]
              }
            ]
          },
          "soldQuantity": 0,
          "startTime": "2027-07-04T14:00:00-04:00",
          "state": "active",
          "templateId": "entry",
          "type": "standard"
        },
        "id": "69f345226c2a7da0635b29c8",
        "startTime": "2027-07-04T14:00:00-04:00",
        "time": "2:00 PM"
      }
    ]
    "#);
    assert_eq!((answer.calls.rounds, answer.calls.total), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn times_default_to_today_and_read_every_form_of_an_instant() {
    let venue = venue().await;
    let (ten, two) = ("2027-07-04T10:00:00-04:00", "2027-07-04T14:00:00-04:00");
    for (query, expected) in [
        ("", vec![ten, two]),
        ("?startTime=2027-07-04T12:00:01", vec![two]),
        ("?startTime=2027-07-04T12:00:00", vec![ten, two]),
        ("?startTime=2027-07-04T16:00:01Z", vec![two]),
        ("?startTime=2027-07-04T18:00:01%2B02:00", vec![two]),
        ("?startTime=2027-07-04T18:00:01+02:00", vec![two]),
        ("?endTime=2027-07-04T14:00:00", vec![ten, two]),
        ("?endTime=2027-07-04T13:59:59", vec![ten]),
        ("?type=private", vec![]),
        ("?saleChannel=pointOfSale", vec![]),
        ("?saleChannel=ONLINE", vec![ten, two]),
    ] {
        let answer = venue.get("2027-07-04T08:00:00-04:00", &format!("{ENTRY}/times{query}")).await;
        assert_eq!(answer.starts(), expected, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_instances_of_a_template_are_those_of_its_times_each_as_it_is_by_itself() {
    let venue = venue().await;
    venue.sell_out("2027-07-04T10:00:00").await;
    let now = "2027-07-04T08:00:00-04:00";
    let instances = venue.get(now, &format!("{ENTRY}/instances")).await;
    assert_eq!((instances.calls.rounds, instances.calls.total), (1, 1));
    assert_eq!(instances.starts(), ["2027-07-04T10:00:00-04:00", "2027-07-04T14:00:00-04:00"]);
    for instance in instances.body.as_array().unwrap() {
        let alone = venue.get(now, &format!("/v2/b2c/events/{}", instance["id"].as_str().unwrap())).await;
        assert_eq!(&alone.body, instance);
    }
    let later = venue.get(now, &format!("{ENTRY}/instances?startTime=2027-07-04T12:00:01")).await;
    assert_eq!(later.starts(), ["2027-07-04T14:00:00-04:00"]);
    let unknown = venue.get(now, "/v2/b2c/event/templates/nothing/instances").await;
    assert_eq!(unknown.refusal(), "404 NOT_FOUND");
}

/// On one thread, as a function runs, all queries are sent before the first is answered.
#[tokio::test]
async fn all_times_are_in_buckets_and_cost_one_round() {
    let venue = venue().await;
    let answer = venue.get("2027-07-05T08:00:00-04:00", "/v2/b2c/event/templates/times").await;
    let bucket =
        |bucket: &Value| (bucket["eventTemplateId"].clone(), bucket["times"].as_array().unwrap().len());
    let buckets: Vec<_> = answer.body.as_array().unwrap().iter().map(bucket).collect();
    assert_eq!(buckets, [(json!("entry"), 2)]);
    let answer = venue.get("2027-07-04T08:00:00-04:00", "/v2/b2c/event/templates/times").await;
    let buckets: Vec<_> = answer.body.as_array().unwrap().iter().map(bucket).collect();
    assert_eq!(buckets, [(json!("entry"), 2), (json!("evening"), 1)]);
    assert_eq!((answer.calls.rounds, answer.calls.total), (1, 2));
}

/// A hundred keys fit one call, so 150 slots take two.
#[tokio::test]
async fn single_slots_of_many_templates_are_read_together() {
    const SHOWS: usize = 150;
    let show =
        |place: usize| template(&format!("show{place:03}"), json!({"startTime": "2027-07-04T20:00:00"}));
    let venue = Venue::open("America/New_York", (0..SHOWS).map(show).collect()).await;
    let answer = venue.get("2027-07-04T08:00:00-04:00", ALL_TIMES).await;
    let buckets = answer.body.as_array().unwrap();
    assert_eq!(buckets.iter().filter(|bucket| bucket["times"].as_array().unwrap().len() == 1).count(), SHOWS);
    assert_eq!((answer.calls.rounds, answer.calls.total), (1, 2));
}

/// What becomes of a single slot.
#[derive(Debug)]
enum Fate {
    Kept,
    Moved,
    CalledOff,
    Deleted,
}

#[tokio::test]
async fn a_single_slot_among_all_times_is_as_among_those_of_its_template() {
    const DAY: i64 = 86_400;
    let show = template("show", json!({"startTime": "2027-07-04T20:00:00"}));
    for fate in [Fate::Kept, Fate::Moved, Fate::CalledOff, Fate::Deleted] {
        let reach = SlotReach { later_secs: DAY, lasting_secs: DAY + 7_200, ..no_reach("show") };
        let venue = Venue::open_reaching(vec![show.clone()], &[reach]).await;
        venue
            .edit(|ledger| {
                let now = plus_secs(ledger.start, -DAY);
                let edit = |edit: SlotEdit| decide_edit(ledger, &edit, now).unwrap();
                match fate {
                    Fate::Kept => EditTransition::Nothing,
                    Fate::Moved => {
                        edit(SlotEdit { start: Some(plus_secs(ledger.start, DAY)), ..SlotEdit::default() })
                    }
                    Fate::CalledOff => {
                        edit(SlotEdit { offer: Some(SlotStatus::Cancelled), ..SlotEdit::default() })
                    }
                    Fate::Deleted => decide_removal(ledger, now).unwrap(),
                }
            })
            .await;
        let mut listed = 0;
        for day in ["2027-07-03", "2027-07-04", "2027-07-05", "2027-07-06"] {
            let now = "2027-07-01T08:00:00-04:00";
            let all = venue.get(now, &format!("{ALL_TIMES}?startTime={day}")).await;
            let own = venue.get(now, &format!("/v2/b2c/event/templates/show/times?startTime={day}")).await;
            assert_eq!(all.body[0]["times"], own.body, "{fate:?} on {day}");
            listed += own.starts().len();
        }
        assert_eq!(listed, usize::from(matches!(fate, Fate::Kept | Fate::Moved)), "{fate:?}");
    }
}

/// As after a change that nobody noted, of the zone's own rules for example.
#[tokio::test]
async fn slots_are_asked_for_by_range_where_the_one_that_schedules_make_was_never_made() {
    let show = |hour: u32| template("show", json!({"schedules": daily(&[(hour, 0)])}));
    let venue = Venue::open_replaced(vec![show(10)], vec![show(11)]).await;
    let all = venue.get("2027-07-01T08:00:00-04:00", &format!("{ALL_TIMES}?startTime=2027-07-04")).await;
    let times = all.body[0]["times"].as_array().unwrap();
    assert_eq!(
        times.iter().map(|time| &time["startTime"]).collect::<Vec<_>>(),
        ["2027-07-04T10:00:00-04:00"]
    );
    assert_eq!((all.calls.rounds, all.calls.total), (2, 2));
}

/// List, times, calendar, next available and single instance agree at every instant around the sale window.
#[tokio::test(flavor = "multi_thread")]
async fn every_route_says_the_same_of_a_slot_at_the_same_instant() {
    let late = json!({"postStartPurchase": {"allowLateTicketPurchase": true}});
    let before = json!({"purchaseAvailability": {"timeFrame": "before", "minutes": 60}});
    for (details, now, listed) in [
        (json!({}), "2027-07-04T19:59:59", true),
        (json!({}), "2027-07-04T20:00:00", false),
        (late.clone(), "2027-07-04T20:00:00", true),
        (late.clone(), "2027-07-06T19:59:59", true),
        (late, "2027-07-06T20:00:01", false),
        (before.clone(), "2027-07-04T18:59:59", true),
        (before, "2027-07-04T19:00:00", false),
    ] {
        let fields = json!({
            "startTime": "2027-07-04T20:00:00", "duration": {"hour": 48, "minutes": 0}, "ticketDetails": details,
        });
        let venue = Venue::open("America/New_York", vec![template("festival", fields)]).await;
        let case = format!("{details} at {now}");
        let list = venue.get(now, "/v2/b2c/event/templates").await;
        assert_eq!(list.ids().len() == 1, listed, "list: {case}");
        let times = venue.get(now, "/v2/b2c/event/templates/festival/times").await;
        assert_eq!(times.starts().len() == 1, listed, "times: {case}");
        let calendar = venue.get(now, "/v2/b2c/event/templates/festival/calendar").await;
        assert_eq!(calendar.days().iter().any(|day| day.ends_with('*')), listed, "calendar: {case}");
        let early = venue.get("2027-07-04T00:00:00", "/v2/b2c/events/festival/nextAvailable").await;
        let instance = format!("/v2/b2c/events/{}", early.body["id"].as_str().unwrap());
        assert_eq!(venue.get(now, &instance).await.status == 200, listed, "instance: {case}");
        let next = venue.get(now, "/v2/b2c/events/festival/nextAvailable").await;
        assert_eq!(next.status == 200, listed && now < "2027-07-04T20:00:01", "next: {case}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_slot_is_listed_with_no_seats_and_is_not_the_next_available() {
    let venue = venue().await;
    venue.sell_out("2027-07-04T10:00:00").await;
    let now = "2027-07-04T08:00:00-04:00";
    let times = venue.get(now, &format!("{ENTRY}/times")).await;
    assert_eq!(times.starts(), ["2027-07-04T10:00:00-04:00", "2027-07-04T14:00:00-04:00"]);
    assert_eq!(times.body[0]["availableSeats"], 0);
    assert_eq!(times.body[0]["event"]["available"], false);
    let next = venue.get(now, "/v2/b2c/events/entry/nextAvailable").await;
    assert_eq!(next.body["startTime"], "2027-07-04T14:00:00-04:00");
    assert_eq!(next.calls.rounds, 1);
    let path = format!("/v2/b2c/events/{}", times.body[0]["id"].as_str().unwrap());
    let instance = venue.get(now, &path).await;
    assert_eq!((instance.status, instance.calls.rounds), (200, 1));
    for (name, value) in times.body[0]["event"].as_object().unwrap() {
        assert_eq!(&instance.body[name], value, "{name}");
    }
    for name in
        ["ticketDetails", "description", "images", "customFields", "resources", "salesChannels", "scheduleId"]
    {
        assert!(instance.body.get(name).is_some(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_ids_are_not_found() {
    let venue = venue().await;
    for path in [
        "/v2/b2c/events/nothing",
        "/v2/b2c/events/0123456789abcdef01234567",
        "/v2/b2c/events/nothing/nextAvailable",
        "/v2/b2c/event/templates/nothing/times",
        "/v2/b2c/event/templates/nothing/calendar",
    ] {
        assert_eq!(venue.get("2027-07-04T08:00:00-04:00", path).await.refusal(), "404 NOT_FOUND", "{path}");
    }
    let evening = venue.get("2027-07-05T08:00:00-04:00", "/v2/b2c/events/evening/nextAvailable").await;
    assert_eq!(evening.refusal(), "404 NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_would_be_too_large_is_refused() {
    let minutes: Vec<(u32, u32)> = (0..24).flat_map(|hour| [(hour, 0), (hour, 20), (hour, 40)]).collect();
    let venue = Venue::open("UTC", vec![template("entry", json!({"schedules": daily(&minutes)}))]).await;
    let path = format!("{ENTRY}/times?startTime=2027-01-01&endTime=2027-12-31");
    assert_eq!(venue.get("2027-01-01T00:00:00Z", &path).await.refusal(), "400 RESPONSE_TOO_LARGE");
}

#[tokio::test(flavor = "multi_thread")]
async fn templates_that_hold_nothing_in_the_range_are_not_asked_for() {
    let venue = venue().await;
    let at = "2027-07-03T08:00:00-04:00";
    for (day, buckets, calls) in
        [("2027-07-03", [2, 0], 1), ("2027-07-04", [2, 1], 2), ("2026-12-01", [0, 0], 0)]
    {
        let answer = venue.get(at, &format!("/v2/b2c/event/templates/times?startTime={day}")).await;
        let found = answer.body.as_array().unwrap().iter();
        let found: Vec<usize> = found.map(|bucket| bucket["times"].as_array().unwrap().len()).collect();
        assert_eq!(found, buckets, "{day}");
        assert_eq!(answer.calls.total, calls, "{day}");
    }
}

/// The reach of a template whose slots lie where its schedules put them.
fn no_reach(template: &str) -> SlotReach {
    SlotReach::none(TemplateId::parse(template).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_with_a_moved_slot_is_asked_for_on_days_to_which_it_can_have_been_moved() {
    const DAY: i64 = 86_400;
    let evening = template("evening", json!({"startTime": "2027-07-04T20:00:00"}));
    let (earlier_secs, later_secs) = (DAY, 2 * DAY);
    let lasting_secs = later_secs + 7_200;
    let moved = SlotReach { earlier_secs, later_secs, lasting_secs, ..no_reach("evening") };
    let venue = Venue::open_reaching(vec![evening], &[moved]).await;
    for (day, calls) in [("2027-07-02", 0), ("2027-07-03", 1), ("2027-07-06", 1), ("2027-07-07", 0)] {
        let path = format!("/v2/b2c/event/templates/times?startTime={day}");
        let answer = venue.get("2027-07-01T08:00:00-04:00", &path).await;
        assert_eq!((answer.status, answer.calls.total), (200, calls), "{day}");
    }
}

/// The clock stands still, so that what was read once stays fresh however slow the machine is.
#[tokio::test(start_paused = true)]
async fn times_and_calendar_of_all_cost_no_more_for_templates_that_have_nothing_that_day() {
    let mut season = daily(&[(10, 0)]);
    season[0]["ranges"] = json!([{"start": "2027-08-01", "end": "2027-08-01"}]);
    for others in [1, 50, 500] {
        let mut templates = vec![template("entry", json!({"schedules": daily(&[(10, 0)])}))];
        let mut reaches = Vec::new();
        for place in 0..others {
            let id = format!("other{place}");
            // Every second one has a schedule that was changed.
            let fields = if place % 2 == 0 {
                reaches.push(SlotReach { rescheduled: true, ..no_reach(&id) });
                json!({"schedules": season})
            } else {
                json!({"startTime": "2027-08-01T20:00:00"})
            };
            templates.push(template(&id, fields));
        }
        let venue = Venue::open_reaching(templates, &reaches).await;
        let now = "2027-07-04T08:00:00-04:00";
        let times = venue.get(now, "/v2/b2c/event/templates/times").await;
        assert_eq!(times.body.as_array().unwrap().len(), others + 1, "{}", times.body);
        assert_eq!((times.calls.rounds, times.calls.total), (1, 1), "times beside {others}");
        let calendar = venue.get(now, "/v2/b2c/event/templates/calendar").await;
        assert_eq!(calendar.days(), ["2027-07-04*"]);
        assert_eq!((calendar.calls.rounds, calendar.calls.total), (1, 1), "calendar beside {others}");
    }
}
