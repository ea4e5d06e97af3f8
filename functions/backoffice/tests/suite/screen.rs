//! The instances of all templates, in full and in short; instances that a body names; rebooking fees.

use crate::support;
use serde_json::{Value, json};
use testkit::{Ask, Venue, get, made, post, put};

const DAY: &str = "startTime=2027-06-05T00:00:00";
const ALL: &str = "/v2/b2b/event/instances";
const SUMMARIES: &str = "/v2/b2b/event/instances/summaries";
const FEES: &str = "/v1/b2b/event/instance/rebook/fees";

/// Publishes an event of 2027-06-05, with these fields beside or in place of the usual ones.
async fn event(venue: &Venue, adult: &str, fields: Value) -> String {
    let mut body = json!({
        "name": "Concert", "description": "Loud", "duration": {"hour": 2}, "capacity": 10,
        "startTime": "2027-06-05T20:00:00", "reviewState": "Published",
        "priceLists": [{"prices": [{"personType": {"id": adult}, "price": "30.00"}]}],
    });
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    made(venue, "/v2/b2b/event/templates", body).await
}

async fn adult(venue: &Venue) -> String {
    made(venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await
}

/// A venue with a concert on 2027-06-05 at 20:00: template and instance.
async fn concert() -> (Venue, String, String) {
    let venue = support::open().await;
    let adult = adult(&venue).await;
    let template = event(&venue, &adult, json!({})).await;
    let listed = venue.send(day("")).await.column("id");
    (venue, template, listed[0].as_str().unwrap().to_owned())
}

fn day(query: &str) -> Ask {
    get(format!("{SUMMARIES}?{DAY}{query}"))
}

fn path(instance: &str) -> String {
    format!("{ALL}/{instance}")
}

/// One hour after the other, of one day.
fn hours(count: u32) -> Value {
    let hours: Vec<Value> = (0..count).map(|hour| json!({"hour": 9 + hour, "minutes": 0})).collect();
    json!([{"id": "day", "name": "Day", "weekdays": ["Saturday"], "hours": hours,
        "ranges": [{"start": "2027-06-05", "end": "2027-06-05"}]}])
}

/// On one thread, as a function runs, all queries are sent before the first is answered.
#[tokio::test]
async fn the_days_screen_of_40_slots_is_one_round() {
    let venue = support::open().await;
    let adult = adult(&venue).await;
    for name in ["A", "B", "C", "D"] {
        let fields =
            json!({"name": name, "startTime": "2027-01-01", "duration": {"hour": 1}, "schedules": hours(10)});
        event(&venue, &adult, fields).await;
    }
    event(&venue, &adult, json!({"name": "Draft", "reviewState": "Draft"})).await;
    event(&venue, &adult, json!({"name": "Later", "startTime": "2027-07-05T20:00:00"})).await;
    for path in [ALL, SUMMARIES] {
        let ask = get(format!("{path}?{DAY}"));
        venue.send(ask.clone()).await.done();
        let warm = venue.send(ask).await;
        assert_eq!(warm.body["pagination"]["count"], 40, "{path}");
        assert_eq!(warm.calls.rounds, 1, "{path}: {:?}", warm.calls);
        let starts = warm.column("startTime");
        assert!(starts.is_sorted_by_key(|start| start.as_str()), "{path}");
    }
    let page = venue.send(day("&page=2&pageSize=15")).await;
    assert_eq!((page.column("id").len(), &page.body["pagination"]["count"]), (15, &json!(40)));
}

#[tokio::test]
async fn a_summary_says_what_is_sold_held_and_changed() {
    let (venue, template, instance) = concert().await;
    let seats = json!({"reservationItems": [{"eventId": instance, "quantity": 4}]});
    venue.send(post("/v2/b2b/reservations", seats)).await.done();
    let status = |field: &str, changed: bool| json!({"field": field, "modified": changed, "locked": changed});
    let mut expected = json!({
        "id": instance, "templateId": template, "startTime": "2027-06-05T20:00:00-04:00",
        "endTime": "2027-06-05T22:00:00-04:00", "name": "Concert", "sold": 0, "available": 6, "checkedIn": 0,
        "reserved": 4, "type": "standard", "admissionType": "standard",
        "fieldStatus": [status("capacity", false), status("startTime", false), status("endTime", false)],
        "originalFields": {"startTime": "2027-06-05T20:00:00-04:00", "endTime": "2027-06-05T22:00:00-04:00"},
        "state": "active", "scheduleName": null, "customFields": [], "offSchedule": false,
        "colorCategory": null, "inside": 0, "capacity": 10,
    });
    assert_eq!(venue.send(day("")).await.done()["list"], json!([expected]));
    let change = json!({"capacity": 12, "startTime": "2027-06-05T21:00:00"});
    venue.send(put(path(&instance), change)).await.done();
    for (name, value) in [
        ("startTime", json!("2027-06-05T21:00:00-04:00")),
        ("endTime", json!("2027-06-05T23:00:00-04:00")),
        ("available", json!(8)),
        ("capacity", json!(12)),
        (
            "fieldStatus",
            json!([status("capacity", true), status("startTime", true), status("endTime", true)]),
        ),
    ] {
        expected[name] = value;
    }
    assert_eq!(venue.send(day("")).await.done()["list"], json!([expected]));
    venue.send(put(path(&instance), json!({"state": "cancelled"}))).await.done();
    let cancelled = venue.send(day("")).await.done();
    assert_eq!(
        (&cancelled["list"][0]["state"], &cancelled["list"][0]["available"]),
        (&json!("cancelled"), &json!(0))
    );
}

#[tokio::test]
async fn a_list_shows_what_an_instance_by_itself_does_but_for_the_longer_texts() {
    let (venue, _, instance) = concert().await;
    venue.send(put(path(&instance), json!({"capacity": 12}))).await.done();
    let mut alone = venue.send(get(path(&instance))).await.done();
    let listed = venue.send(get(format!("{ALL}?{DAY}"))).await.done();
    let texts = ["description", "emailConfirmationMessage", "emailCancellationMessage"];
    for name in texts {
        assert!(alone.as_object_mut().unwrap().remove(name).is_some(), "{name}");
    }
    assert_eq!(listed["list"], json!([alone]));
    let changed = json!({"modified": true, "locked": true});
    let kept = json!({"modified": false, "locked": true});
    let status = json!({"capacity": changed, "startTime": kept, "endTime": kept, "modified": true});
    assert_eq!(alone["fieldStatus"], status);
    let restrictions = json!({"memberOnlyEvent": false, "allMembersCanPurchase": false, "categories": []});
    for (name, value) in [
        ("manuallyDeleted", json!(false)),
        ("salesRestrictions", restrictions),
        ("offSchedule", json!(false)),
        ("checkInCount", json!(0)),
        ("available", json!(true)),
        ("edited", json!(true)),
        ("availableSeats", json!(12)),
    ] {
        assert_eq!(alone[name], value, "{name}");
    }
}

#[tokio::test]
async fn the_screen_is_asked_for_by_time_channel_template_type_and_state() {
    let (venue, concert, instance) = concert().await;
    let adult = adult(&venue).await;
    let of_counter = json!([{"id": "counter", "name": "Counter", "weekdays": ["Saturday"], "hours": [{"hour": 9}],
        "salesChannels": [{"channel": "pointOfSale", "enabled": true}]}]);
    let tour = json!({"name": "Tour", "startTime": "2027-01-01", "schedules": of_counter});
    let tour = event(&venue, &adult, tour).await;
    let party = event(&venue, &adult, json!({"name": "Party", "type": "private"})).await;
    let cancelled = json!({"state": "cancelled"});
    venue.send(put(path(&instance), cancelled)).await.done();
    let (tour, concert, party) = (json!(tour), json!(concert), json!(party));
    for (query, expected) in [
        ("", vec![&tour, &concert]),
        ("&type=ALL", vec![&tour, &concert, &party]),
        ("&type=private", vec![&party]),
        ("&state=cancelled", vec![&concert]),
        ("&state=active", vec![&tour]),
        ("&saleChannel=online", vec![&concert]),
        ("&salesChannel=pointOfSale", vec![&tour, &concert]),
        ("&saleChannel=kiosk&salesChannel=kiosk", vec![&concert]),
        ("&endTime=2027-06-05T08:59:59", vec![]),
        ("&endTime=2027-06-05T09:00:00", vec![&tour]),
    ] {
        for path in [ALL, SUMMARIES] {
            let found = venue.send(get(format!("{path}?{DAY}{query}"))).await.column("templateId");
            let mut found: Vec<&Value> = found.iter().collect();
            // Those that start together stand in the order of ids that are random here.
            if query == "&type=ALL" {
                found[1..].sort_by_key(|id| **id == party);
            }
            assert_eq!(found, expected, "{path} {query}");
        }
    }
    let one = format!("&templateId={}", tour.as_str().unwrap());
    assert_eq!(venue.send(day(&one)).await.column("templateId"), std::slice::from_ref(&tour));
    let running = get(format!("{SUMMARIES}?startTime=2027-06-05T11:00:00&endTime=2027-06-05T11:00:00"));
    assert_eq!(venue.send(running).await.column("templateId"), [tour], "it ends at that instant");
    let today = venue.send(get(SUMMARIES).at("2027-06-05T12:00:00-04:00")).await;
    assert_eq!(today.column("templateId").len(), 2, "today unless it is said");
}

#[tokio::test]
async fn a_screen_that_cannot_be_shown_is_refused() {
    let (venue, template, instance) = concert().await;
    let of_other = venue.send(day(&format!("&templateId={template}")).by("key-2")).await;
    assert_eq!(of_other.refusal(), "404 NOT_FOUND\ntemplateId was not found");
    assert_eq!(venue.send(day("").by("key-2")).await.done()["list"], json!([]));
    let faulty = venue
        .send(day("&endTime=x&saleChannel=fax&salesChannel=&templateId=a+b&type=some&state=removed&page=0"))
        .await;
    let expected = ["endTime", "saleChannel", "salesChannel", "templateId", "type", "state", "page"];
    assert_eq!((faulty.status, faulty.pointers()), (400, expected.map(str::to_owned).to_vec()));
    let two = venue.send(day("&saleChannel=online&salesChannel=kiosk")).await;
    assert_eq!(two.faults(), ["salesChannel must be the same as saleChannel"]);
    assert_eq!(venue.send(day("&endTime=2027-07-06T23:59:59")).await.status, 200, "31 days later");
    let long = venue.send(day("&endTime=2027-07-07T00:00:00")).await;
    assert_eq!(long.refusal(), "400 RESPONSE_TOO_LARGE\nendTime must be at most 31 days after startTime");
    venue.send(testkit::delete(path(&instance))).await.done();
    assert_eq!(venue.send(day("")).await.done()["list"], json!([]), "what is deleted is gone");
}

#[tokio::test]
async fn doors_and_counters_see_the_day_and_change_nothing() {
    let (venue, _, instance) = concert().await;
    for (key, templates) in [("door-1", 403), ("counter-1", 200), ("key-1", 200), ("shop-1", 403)] {
        let lists = if key == "shop-1" { 403 } else { 200 };
        assert_eq!(venue.send(day("").by(key)).await.status, lists, "{key}");
        assert_eq!(venue.send(get(format!("{ALL}?{DAY}")).by(key)).await.status, lists, "{key}");
        let summaries = get("/v2/b2b/event/templates/summaries").by(key);
        assert_eq!(venue.send(summaries).await.status, templates, "{key}");
    }
    for key in ["door-1", "counter-1"] {
        for ask in [
            put(ALL, json!({"id": instance})),
            post(ALL, json!({"id": instance})),
            get(format!("{FEES}?eventIds={instance}")),
        ] {
            assert_eq!(venue.send(ask.by(key)).await.kind(), (403, "FORBIDDEN"), "{key}");
        }
    }
}

#[tokio::test]
async fn an_instance_that_the_body_names_is_changed_as_one_that_the_path_names() {
    let (venue, _, instance) = concert().await;
    let mut whole = venue.send(get(path(&instance))).await.done();
    whole["capacity"] = json!(20);
    whole["name"] = json!("Ignored");
    let changed = venue.send(put(ALL, whole.clone())).await;
    assert_eq!(venue.send(get(path(&instance))).await, changed);
    assert_eq!((&changed.body["capacity"], &changed.body["name"]), (&json!(20), &json!("Concert")));
    let stale = venue.send(put(ALL, json!({"id": instance, "capacity": 30})).if_match("\"other\"")).await;
    assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    let first = venue.send(post(ALL, json!({"id": instance, "capacity": 30})).keyed("once")).await;
    let again = venue.send(post(ALL, json!({"id": instance, "capacity": 30})).keyed("once")).await;
    assert_eq!((first.body, again.replayed), (again.body, true));
    let other = venue.send(put(ALL, json!({"id": instance, "capacity": 30})).keyed("once")).await;
    assert_eq!(other.kind(), (409, "IDEMPOTENCY_KEY_REUSED"));
    for (body, refusal) in [
        (json!({"capacity": 5}), "404 NOT_FOUND\n/id is required"),
        (json!({"id": "0123456789abcdef01234567"}), "404 NOT_FOUND\n/id was not found"),
        (json!({"id": "x y"}), "404 NOT_FOUND\n/id was not found"),
        (
            json!({"capacity": 0}),
            "400 VALIDATION_ERROR\n/capacity must be between 1 and 1000000\n/id is required",
        ),
        (
            json!({"id": instance, "state": "removed"}),
            "400 VALIDATION_ERROR\n/state must be one of active, cancelled",
        ),
    ] {
        for ask in [put(ALL, body.clone()), post(ALL, body.clone())] {
            assert_eq!(venue.send(ask).await.refusal(), refusal);
        }
    }
    let theirs = put(ALL, json!({"id": instance, "capacity": 5})).by("key-2");
    assert_eq!(venue.send(theirs).await.refusal(), "404 NOT_FOUND\n/id was not found");
    let by_path = venue.send(put(path(&instance), json!({"capacity": 31}))).await;
    let by_body = venue.send(put(ALL, json!({"id": instance, "capacity": 32}))).await;
    assert_eq!(by_path.calls.rounds, by_body.calls.rounds);
}

#[tokio::test]
async fn rebooking_fees_are_told_by_instance_in_one_round() {
    let (venue, concert, free) = concert().await;
    let adult = adult(&venue).await;
    let fields = json!({"name": "Tour", "rebookingFee": "2.50", "startTime": "2027-06-06T20:00:00"});
    let tour = event(&venue, &adult, fields).await;
    let listed = venue.send(get(format!("{SUMMARIES}?startTime=2027-06-06"))).await.column("id");
    let paid = listed[0].as_str().unwrap();
    let asked = format!("{FEES}?eventIds={paid},{free},{paid}");
    let fees = venue.send(get(&asked)).await;
    let of_tour = json!({"eventTemplateId": tour, "rebookingFee": "2.50", "eventId": paid});
    let of_concert = json!({"eventTemplateId": concert, "rebookingFee": "0.00", "eventId": free});
    assert_eq!(fees.body, json!([of_tour, of_concert, of_tour]));
    assert_eq!((fees.calls.rounds, fees.calls.total), (1, 1));
    let unknown = "404 NOT_FOUND\neventIds was not found";
    for (query, refusal) in [
        (String::new(), "400 VALIDATION_ERROR\neventIds is required"),
        ("?eventIds=".to_owned(), "400 VALIDATION_ERROR\neventIds must not be blank"),
        (
            format!("?eventIds={}", [free.as_str(); 51].join(",")),
            "400 VALIDATION_ERROR\neventIds must have at most 50 entries",
        ),
        (format!("?eventIds={free},0123456789abcdef01234567"), unknown),
        (format!("?eventIds={free},"), unknown),
        ("?eventIds=x".to_owned(), unknown),
    ] {
        assert_eq!(venue.send(get(format!("{FEES}{query}"))).await.refusal(), refusal, "{query}");
    }
    assert_eq!(venue.send(get(&asked).by("key-2")).await.refusal(), unknown);
    let most = format!("{FEES}?eventIds={}", [free.as_str(); 50].join(","));
    assert_eq!(venue.send(get(most)).await.done().as_array().unwrap().len(), 50);
}
