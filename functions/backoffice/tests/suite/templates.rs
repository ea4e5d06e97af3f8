//! Event templates: written, published, changed, deleted.

use crate::support::{self, clean_up};
use domain::InstanceId;
use domain::ledger::Ledger;
use serde_json::{Value, json};
use store::{Consistency, Key};
use testkit::{Answer, Venue, delete, get, post, put, tenant_id};

const PATH: &str = "/v2/b2b/event/templates";
const PERSON_TYPES: &str = "/v2/b2b/persontypes";

/// A venue with one ticket type, and its id.
async fn venue() -> (Venue, String) {
    let venue = support::open().await;
    let adult = venue.send(post(PERSON_TYPES, json!({"name": "Adult"}))).await.id();
    (venue, adult)
}

/// A published tour that is held daily at these hours, over these local dates.
fn tour(adult: &str, hours: &[u32], start: &str, end: &str) -> Value {
    let hours: Vec<Value> = hours.iter().map(|hour| json!({ "hour": hour })).collect();
    json!({
        "name": "Tour", "description": "A walk", "duration": {"hour": 1, "minutes": 0}, "capacity": 10,
        "startTime": "2027-04-01T00:00:00", "reviewState": "Published",
        "priceLists": [{"id": "list", "name": "All", "prices": [{"personType": {"id": adult}, "price": 12.5}]}],
        "schedules": [{
            "id": "daily", "hours": hours, "ranges": [{"start": start, "end": end}],
            "weekdays": ["sunday", "Monday", "TUESDAY", "Wednesday", "Thursday", "Friday", "Saturday"],
        }],
    })
}

/// The same for the whole of May.
fn tour_in_may(adult: &str, hours: &[u32]) -> Value {
    tour(adult, hours, "2027-05-01", "2027-05-31")
}

async fn times(venue: &Venue, id: &str, day: &str) -> Vec<Value> {
    let path = format!("/v2/b2c/event/templates/{id}/times?startTime={day}T00:00:00&endTime={day}T23:59:59");
    let answer = venue.send(get(path).by("shop-1")).await;
    if answer.status == 404 {
        return vec![];
    }
    answer.done().as_array().unwrap().clone()
}

fn column(times: &[Value], name: &str) -> Vec<Value> {
    times.iter().map(|time| time[name].clone()).collect()
}

async fn reserve(venue: &Venue, slot: &Value, quantity: u32) -> Answer {
    let items = json!([{"eventId": slot, "quantity": quantity}]);
    venue.send(post("/v2/b2b/reservations", json!({"reservationItems": items}))).await
}

#[tokio::test]
async fn a_template_lives_from_draft_over_published_and_changed_to_deleted() {
    let (venue, adult) = venue().await;
    let mut body = tour_in_may(&adult, &[10, 14]);
    body["reviewState"] = json!("Draft");
    let made = venue.send(post(PATH, body.clone())).await;
    let one = format!("{PATH}/{}", made.id());
    assert_eq!((&made.body["reviewState"], &made.body["publication"]), (&json!("Draft"), &json!(null)));
    assert_eq!(times(&venue, &made.id(), "2027-05-03").await, Vec::<Value>::new());

    body["reviewState"] = json!("published");
    let published = venue.send(put(&one, body.clone())).await;
    assert_eq!(published.body["publication"]["complete"], true, "{}", published.body);
    assert_eq!(published.body["publication"]["slotsUntil"], "2028-06-04T10:00:00-04:00");
    assert_eq!(published.body["publication"]["warnings"], json!([]));
    assert_eq!(published.body["lastPublished"], "2027-05-01T10:00:00-04:00");
    let slots = times(&venue, &made.id(), "2027-05-03").await;
    assert_eq!(column(&slots, "time"), ["10:00 AM", "2:00 PM"]);

    body["reviewState"] = json!("Draft");
    let refused = venue.send(put(&one, body.clone())).await;
    assert_eq!(refused.kind(), (409, "PUBLISHED_TEMPLATE_CANNOT_RETURN_TO_DRAFT"));
    assert_eq!(refused.pointers(), ["/reviewState"]);

    let changed = tour_in_may(&adult, &[14, 16]);
    let changed = venue.send(put(&one, changed)).await;
    let now = times(&venue, &made.id(), "2027-05-03").await;
    assert_eq!(column(&now, "time"), ["2:00 PM", "4:00 PM"]);
    assert_eq!(now[0]["id"], slots[1]["id"], "the same slot keeps its id");

    let mut shown = venue.send(get(&one)).await.body;
    assert_eq!(shown["soldQuantity"], 0);
    // Writes do not count.
    shown["soldQuantity"] = json!(null);
    assert_eq!(shown, changed.body);
    assert_eq!(venue.send(delete(&one)).await.status, 200);
    assert_eq!(venue.send(get(&one)).await.kind(), (404, "NOT_FOUND"));
    assert_eq!(times(&venue, &made.id(), "2027-05-03").await, Vec::<Value>::new());
    let cleared = clean_up(&venue, "2027-05-01T14:01:00Z").await;
    // The tour of ten o'clock today had begun when the schedule changed, and stayed.
    assert_eq!((cleared.slots_deleted, cleared.failed), (31 * 2 + 1, 0));
    assert_eq!(clean_up(&venue, "2027-06-01T14:01:00Z").await.slots_deleted, 0);
}

#[tokio::test]
async fn slots_that_someone_depends_on_stay_as_they_are_when_their_schedule_changes() {
    let (venue, adult) = venue().await;
    let made = venue.send(post(PATH, tour_in_may(&adult, &[10, 11, 12, 13, 14]))).await;
    let one = format!("{PATH}/{}", made.id());
    let slots = column(&times(&venue, &made.id(), "2027-05-03").await, "id");
    let instance = |index: usize| format!("/v2/b2b/event/instances/{}", slots[index].as_str().unwrap());
    let reservation = reserve(&venue, &slots[0], 2).await.id();
    venue.send(put(instance(1), json!({"capacity": 3}))).await.done();
    venue.send(delete(instance(2))).await.done();
    let mut smaller = tour_in_may(&adult, &[13]);
    smaller["capacity"] = json!(7);
    venue.send(put(&one, smaller.clone())).await.done();
    let left = times(&venue, &made.id(), "2027-05-03").await;
    assert_eq!(column(&left, "time"), ["10:00 AM", "11:00 AM", "1:00 PM"]);
    assert_eq!(column(&left, "id"), [slots[0].clone(), slots[1].clone(), slots[3].clone()]);
    assert_eq!(column(&left, "availableSeats"), [8, 3, 7]);
    // Back as it was: the deleted one stays deleted, the edited one edited.
    venue.send(put(&one, tour_in_may(&adult, &[10, 11, 12, 13, 14]))).await.done();
    let back = times(&venue, &made.id(), "2027-05-03").await;
    assert_eq!(column(&back, "time"), ["10:00 AM", "11:00 AM", "1:00 PM", "2:00 PM"]);
    assert_eq!(column(&back, "availableSeats"), [8, 3, 10, 10]);
    // Other words change no slot.
    let mut words = tour_in_may(&adult, &[10, 11, 12, 13, 14]);
    words["description"] = json!("<b>Another</b> walk & talk");
    let answer = venue.send(put(&one, words)).await;
    assert_eq!(answer.body["description"], "<b>Another</b> walk & talk");
    assert_eq!(times(&venue, &made.id(), "2027-05-03").await.len(), 4);
    // While seats are held, the template stays.
    let refused = venue.send(delete(&one)).await;
    assert_eq!(refused.kind(), (409, "IN_USE"));
    let held = json!([{"type": "eventInstance", "id": slots[0], "name": "Tour"}]);
    assert_eq!((&refused.body["usedBy"], &refused.body["taken"]), (&held, &json!(2)));
    venue.send(delete(format!("/v2/b2b/reservations/{reservation}"))).await.done();
    venue.send(delete(&one)).await.done();
}

#[tokio::test]
async fn three_years_of_slots_are_published_within_a_bounded_number_of_calls() {
    let (venue, adult) = venue().await;
    let hours: Vec<u32> = (0..20).collect();
    let long = tour(&adult, &hours, "2027-05-01", "2030-04-30");
    let (made, calls) = venue.counted(post(PATH, long.clone())).await;
    assert_eq!(made.body["publication"]["complete"], false, "{}", made.body);
    // 5 pieces, each with one read and 11 transactions, and a handful around them.
    assert!(calls <= 80, "{calls}");
    let id = made.id();
    assert_eq!(times(&venue, &id, "2027-05-02").await.len(), 20);
    assert_eq!(times(&venue, &id, "2028-06-01").await.len(), 0);
    let done = clean_up(&venue, "2027-05-01T14:00:00Z").await;
    // From the tour that is running, nine o'clock, to the last within 400 days, at ten.
    assert_eq!((done.failed, done.slots_made + 5_000), (0, 11 + 399 * 20 + 11));
    assert_eq!(times(&venue, &id, "2028-06-01").await.len(), 20);
    let one = format!("{PATH}/{id}");
    assert_eq!(venue.send(get(&one)).await.body["publication"]["complete"], true);
    // A day later a day more is made, and the same again changes nothing.
    assert_eq!(clean_up(&venue, "2027-05-02T14:00:00Z").await.slots_made, 20);
    let (again, calls) = venue.counted(put(&one, long)).await;
    assert_eq!((again.etag, calls <= 8), (made.etag, true), "{calls}");
    assert_eq!(clean_up(&venue, "2027-05-02T15:00:00Z").await.slots_made, 0);
}

#[tokio::test]
async fn templates_without_schedules_are_one_slot_whenever_that_is() {
    let (venue, adult) = venue().await;
    let mut concert = tour_in_may(&adult, &[]);
    concert.as_object_mut().unwrap().remove("schedules");
    concert["startTime"] = json!("2029-07-04T20:00:00");
    let made = venue.send(post(PATH, concert.clone())).await;
    let slots = times(&venue, &made.id(), "2029-07-04").await;
    assert_eq!(column(&slots, "startTime"), ["2029-07-04T20:00:00-04:00"]);
    // Another date takes the place of the first.
    concert["startTime"] = json!("2029-07-05T20:00:00");
    let one = format!("{PATH}/{}", made.id());
    venue.send(put(&one, concert.clone())).await.done();
    assert_eq!(times(&venue, &made.id(), "2029-07-04").await, Vec::<Value>::new());
    assert_eq!(times(&venue, &made.id(), "2029-07-05").await.len(), 1);
    // A start that is left out stays what it was.
    concert.as_object_mut().unwrap().remove("startTime");
    let kept = venue.send(put(&one, concert.clone()).at("2027-05-02T10:00:00-04:00")).await;
    assert_eq!(kept.body["startTime"], "2029-07-05T20:00:00-04:00");
    // One that never was is the moment of writing, and the event is ongoing.
    let started = venue.send(post(PATH, concert)).await;
    assert_eq!(started.body["startTime"], "2027-05-01T10:00:00-04:00");
    assert_eq!(started.body["endTime"], json!(null));
    assert_eq!(times(&venue, &started.id(), "2027-05-01").await, Vec::<Value>::new(), "it has begun");
    assert_eq!(clean_up(&venue, "2030-01-01T00:00:00Z").await.slots_made, 0);
}

#[tokio::test]
async fn daily_slots_keep_their_hour_when_clocks_change() {
    let (venue, adult) = venue().await;
    for (start, end, day, expected) in [
        ("2028-03-11", "2028-03-12", "2028-03-12", "2028-03-12T10:00:00-04:00"),
        ("2027-11-06", "2027-11-08", "2027-11-07", "2027-11-07T10:00:00-05:00"),
    ] {
        let made = venue.send(post(PATH, tour(&adult, &[10], start, end))).await;
        let slots = times(&venue, &made.id(), day).await;
        assert_eq!(column(&slots, "startTime"), [expected]);
        let again = venue.send(put(format!("{PATH}/{}", made.id()), tour(&adult, &[10], start, end))).await;
        assert_eq!(again.etag, made.etag);
        assert_eq!(times(&venue, &made.id(), day).await, slots);
    }
}

#[tokio::test]
async fn every_fault_of_a_template_is_reported_at_once() {
    let (venue, adult) = venue().await;
    let bad = json!({
        "description": "x".repeat(390_000), "capacity": -1, "duration": {"hour": 0, "minutes": -5},
        "reviewState": "Gone", "startTime": "1969-01-01T00:00:00", "rebookingFee": "1.005",
        "priceLists": [
            {"id": "a", "prices": [{"personType": {"id": adult}, "price": -1}]},
            {"id": "a", "prices": [{"personType": {"id": adult}, "price": 1.234}]},
        ],
        "schedules": [{"id": "s", "weekdays": ["Monday"], "hours": [{"hour": 24, "minutes": 0}],
            "ranges": [{"start": "2027-05-02", "end": "2027-05-01"}], "capacity": 0}],
    });
    let refused = venue.send(post(PATH, bad)).await;
    assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"));
    let mut faults = refused.faults();
    faults.sort();
    assert_eq!(
        faults,
        [
            "/capacity must be between 1 and 1000000",
            "/description must have at most 20000 characters",
            "/duration/minutes must be between 0 and 527040",
            "/name is required",
            "/priceLists/0/prices/0/price must be between 0.00 and 10000000.00",
            "/priceLists/1/id is already used by another entry",
            "/priceLists/1/prices/0/price must have at most two decimals",
            "/rebookingFee must have at most two decimals",
            "/reviewState must be one of Draft, Published",
            "/schedules/0/capacity must be between 1 and 1000000",
            "/schedules/0/hours/0/hour must be between 0 and 23",
            "/schedules/0/ranges/0/end must not be before start",
            "/startTime must be in a year between 1970 and 2105",
        ]
    );
}

#[tokio::test]
async fn a_schedule_that_makes_no_slot_can_be_drafted_and_not_published() {
    let (venue, adult) = venue().await;
    let mut body = tour(&adult, &[10], "2027-05-04", "2027-05-09");
    // That week has no Monday.
    body["schedules"][0]["weekdays"] = json!(["Monday"]);
    let refused = venue.send(post(PATH, body.clone())).await;
    assert_eq!(refused.faults(), ["/schedules/0 makes no slots from now on"]);
    body["reviewState"] = json!("Draft");
    assert_eq!(venue.send(post(PATH, body)).await.status, 200);
}

#[tokio::test]
async fn a_template_that_is_too_large_as_a_whole_is_refused() {
    let (venue, adult) = venue().await;
    let mut body = tour_in_may(&adult, &[10]);
    let fields: Vec<Value> =
        (0..20).map(|number| json!({"name": number.to_string(), "value": "é".repeat(19_000)})).collect();
    body["customFields"] = json!(fields);
    let refused = venue.send(post(PATH, body)).await;
    assert_eq!((refused.kind(), refused.pointers()), ((400, "VALIDATION_ERROR"), vec![String::new()]));
    assert!(refused.faults()[0].contains("300000 bytes"), "{refused:?}");
}

#[tokio::test]
async fn ids_that_name_nothing_are_not_found_each_at_its_place() {
    let (venue, adult) = venue().await;
    let mut body = tour_in_may(&adult, &[10]);
    body["priceLists"][0]["prices"][0]["personType"]["id"] = json!("nobody");
    body["orderForms"] = json!([{"id": "noform"}]);
    body["addOns"] = json!({"inventoryIds": [77]});
    body["membership"] = json!({
        "restrictions": {"categories": ["nolevel"]},
        "discounts": [{"category": {"id": "nolevel"}, "discount": {"id": "nodiscount"}}],
    });
    body["recommendations"] = json!({"recommendations": [{"eventTemplateId": "noevent"}]});
    body["prerequisites"] = json!({"operation": "allOf", "requires": [{"eventTemplateId": "noevent"}]});
    body["schedules"][0]["priceLists"] = json!([{"id": "nolist"}]);
    let refused = venue.send(post(PATH, body)).await;
    assert_eq!(refused.kind(), (404, "NOT_FOUND"));
    let mut pointers = refused.pointers();
    pointers.sort();
    assert_eq!(
        pointers,
        [
            "/addOns/inventoryIds/0",
            "/membership/discounts/0/category/id",
            "/membership/discounts/0/discount/id",
            "/membership/restrictions/categories/0",
            "/orderForms/0/id",
            "/prerequisites/requires/0/eventTemplateId",
            "/priceLists/0/prices/0/personType/id",
            "/recommendations/recommendations/0/eventTemplateId",
            "/schedules/0/priceLists/0/id",
        ]
    );
}

#[tokio::test]
async fn a_template_neither_names_itself_nor_asks_for_itself_through_others_and_what_is_named_stays() {
    let (venue, adult) = venue().await;
    let first = venue.send(post(PATH, tour_in_may(&adult, &[10]))).await.id();
    let asking = |id: &str| {
        let mut body = tour_in_may(&adult, &[10]);
        body["prerequisites"] = json!({"operation": "anyOf", "requires": [{"eventTemplateId": id}]});
        body
    };
    let second = venue.send(post(PATH, asking(&first))).await.id();
    let one = format!("{PATH}/{first}");
    let itself = venue.send(put(&one, asking(&first))).await;
    assert_eq!(
        itself.faults(),
        ["/prerequisites/requires/0/eventTemplateId must not be the template itself"]
    );
    let circle = venue.send(put(&one, asking(&second))).await;
    assert_eq!(circle.kind(), (400, "VALIDATION_ERROR"));
    assert_eq!(circle.pointers(), ["/prerequisites/requires/0/eventTemplateId"]);
    let mut suggesting = tour_in_may(&adult, &[10]);
    suggesting["recommendations"] = json!({"recommendations": [{"eventTemplateId": first}]});
    assert_eq!(venue.send(put(&one, suggesting)).await.status, 400);
    let refused = venue.send(delete(&one)).await;
    assert_eq!((refused.kind(), &refused.body["usedBy"][0]["id"]), ((409, "IN_USE"), &json!(second)));
    venue.send(delete(format!("{PATH}/{second}"))).await.done();
    venue.send(delete(&one)).await.done();
}

#[tokio::test]
async fn every_documented_field_is_kept_and_shown_to_its_authors() {
    let (venue, adult) = venue().await;
    let idle = venue.send(post(PERSON_TYPES, json!({"name": "Staff", "active": false}))).await.id();
    let inventory = venue
        .send(post("/v2/b2b/inventory", json!({"name": "Guide", "type": "addOn", "price": "5.00"})))
        .await;
    let inventory: i64 = inventory.id().parse().unwrap();
    let counter = json!([{"name": "Counter", "channel": "pointOfSale", "enabled": true}]);
    let other = venue.send(post(PATH, tour_in_may(&adult, &[10]))).await.id();
    let distance = json!({"minutes": 1, "hours": 2, "days": 3, "endOfDay": true});
    let mut kept = json!({
        "type": "private", "admissionType": "generalAdmission", "name": "Gala", "description": "<i>Long</i>",
        "shortDescription": "Short", "emailConfirmationMessage": "Come early", "summary": "Sum",
        "emailCancellationMessage": "Sorry", "startTime": "2027-04-01T00:00:00-04:00",
        "endTime": "2027-12-31T00:00:00-05:00", "displayOrder": 4, "reviewState": "Draft",
        "rebookingFee": "3.50", "thirdPartyEvent": true, "thirdPartyPercentage": "12.50",
        "ruleSets": {"associated": true, "ruleSetIds": ["r1", "r2"]}, "colorCategory": "blue",
        "memberOnlyEvent": true, "allMembersCanPurchase": true, "stars": 4, "ratings": 120,
        "customFields": [{"name": "wing", "value": "east"}], "addOns": {"inventoryIds": [inventory],
            "inventoryAddOns": [{"id": inventory, "sku": null, "name": "Guide", "description": "", "type": "addOn",
                "price": "5.00", "displayOrder": 0}]},
        "emailNotify": [{"name": "Ann", "email": "ann@example.org"}],
        "resources": [{"type": "room", "resourceTemplateId": "t", "resourceId": "r", "quantity": 2,
            "fields": [{"name": "floor", "value": "2"}]}],
        "recommendations": {"recommendations": [{"eventTemplateId": other, "min": distance, "max": distance, "name": null}]},
        "prerequisites": {"operation": "anyOf",
            "requires": [{"eventTemplateId": other, "min": distance, "max": distance, "name": "First"}]},
        "GLCode": "4000", "duration": {"hour": 1, "minutes": 30}, "capacity": 40,
        "images": [{"id": "i", "description": "Hall", "primary": true}]
    });
    kept["ticketDetails"] = json!({"ticketDurationDays": 2,
            "checkInWindow": {"minutesBefore": 15, "minutesAfter": 30, "blockScan": true, "autoRebook": true},
            "postStartPurchase": {"allowLateTicketPurchase": true},
            "purchaseAvailability": {"timeFrame": "before", "minutes": 60},
            "ticketPrintLines": ["Doors at 9"], "doNotPrint": true, "expireFromEventDate": true,
            "hideEventDate": true, "reentry": "afterExit"});
    kept["schedules"] = json!([{"id": "s", "name": "Weekends", "description": "In summer",
            "weekdays": ["Sunday", "Saturday"], "hours": [{"hour": 9, "minutes": 15, "quantity": 7}],
            "ranges": [{"start": "2027-06-01", "end": "2027-08-31"}],
            "effectiveStartTime": "2027-06-05T00:00:00-04:00", "effectiveEndTime": "2027-08-01T00:00:00-04:00",
            "priceLists": [{"id": "list"}], "capacity": 12, "duration": {"hour": 2, "minutes": 0},
            "repeatCycle": 2, "salesChannels": counter, "honorHolidays": true, "honorOpenHours": true,
            "blockFlexPays": true, "type": "seasonal"}]);
    let mut sent = kept.clone();
    sent["entitlementConfiguration"] = json!({"id": "e", "eventTemplateId": "ignored", "salesRuleSetId": "srs",
        "name": "Gold", "entitlementConfig": {"a": [1]}, "salesRuleConfig": "text", "ticketRuleConfig": null});
    sent["priceLists"] = json!([{"id": "list", "name": "Summer", "description": "All", "startTime": "2027-05-01T00:00:00-04:00",
    "prices": [
        {"personType": {"id": adult}, "price": 20, "primePrice": 25, "discountedPrice": "15.50",
         "displayOrder": 1, "salesChannels": counter},
        {"personType": {"id": idle}, "price": 0, "displayOrder": 2},
    ]}]);
    for (name, value) in [
        ("soldQuantity", json!(99)),
        ("lastPublished", json!("2001-01-01T00:00:00Z")),
        ("lastUpdated", json!("2001-01-01T00:00:00Z")),
        ("available", json!(true)),
        ("discountAvailable", json!(true)),
        ("publication", json!({"complete": true})),
    ] {
        sent[name] = value;
    }
    let made = venue.send(post(PATH, sent)).await;
    let shown = venue.send(get(format!("{PATH}/{}", made.id()))).await.done();
    for (name, value) in kept.as_object().unwrap() {
        assert_eq!(&shown[name], value, "{name}");
    }
    assert_eq!(shown["lastUpdated"], "2027-05-01T10:00:00-04:00");
    assert_eq!((&shown["lastPublished"], &shown["available"]), (&Value::Null, &json!(false)));
    assert_eq!(
        shown["entitlementConfiguration"],
        json!({"id": "e", "eventTemplateId": made.id(), "salesRuleSetId": "srs", "name": "Gold",
            "entitlementConfig": {"a": [1]}, "salesRuleConfig": "text", "ticketRuleConfig": null})
    );
    let prices = shown["priceLists"][0]["prices"].as_array().unwrap();
    assert_eq!(column(prices, "price"), [json!(20.0), json!(0.0)], "{prices:?}");
    assert_eq!((&prices[0]["salesChannels"], &prices[0]["discountedPrice"]), (&counter, &json!(15.5)));
    assert_eq!(prices[1]["personType"]["active"], false);
    let listed = venue.send(get(format!("{PATH}?sortField=name&pageSize=1"))).await;
    assert_eq!(
        (&listed.body["pagination"]["count"], listed.column("name")),
        (&json!(2), vec![json!("Gala")])
    );
}

#[tokio::test]
async fn a_start_that_is_named_counts_even_when_it_is_this_moment() {
    let (venue, adult) = venue().await;
    let mut body = tour_in_may(&adult, &[10]);
    let made = venue.send(post(PATH, body.clone())).await;
    let one = format!("{PATH}/{}", made.id());
    body["startTime"] = json!("2027-05-01T10:00:00-04:00");
    assert_eq!(venue.send(put(&one, body.clone())).await.done()["startTime"], "2027-05-01T10:00:00-04:00");
    body.as_object_mut().unwrap().remove("startTime");
    let later = put(&one, body).at("2027-05-02T10:00:00Z");
    assert_eq!(venue.send(later).await.done()["startTime"], "2027-05-01T10:00:00-04:00", "it stays");
}

#[tokio::test]
async fn a_template_says_how_many_seats_are_sold_and_what_its_add_ons_are() {
    let (venue, adult) = venue().await;
    let poster = json!({"name": "Poster", "type": "addOn", "price": "5.00", "sku": "P1"});
    let poster = venue.send(post("/v2/b2b/inventory", poster)).await.done()["id"].clone();
    let hidden = json!({"name": "Old poster", "type": "addOn", "price": "1.00", "active": false});
    let hidden = venue.send(post("/v2/b2b/inventory", hidden)).await.done()["id"].clone();
    let mut body = tour_in_may(&adult, &[10, 11]);
    body["addOns"] = json!({"inventoryIds": [poster, hidden], "inventoryAddOns": "ignored"});
    let id = venue.send(post(PATH, body)).await.id();
    let one = format!("{PATH}/{id}");
    assert_eq!(venue.send(get(&one)).await.done()["soldQuantity"], 0);
    for (slot, sold) in times(&venue, &id, "2027-05-03").await.iter().zip([3, 4]) {
        let instance = InstanceId::parse(slot["id"].as_str().unwrap()).unwrap();
        let tenant = tenant_id(1);
        let ledger = venue.store.load_ledger(tenant, &instance, Consistency::Strong).await.unwrap();
        let ledger = Ledger { sold, free: 10 - sold, ..ledger.unwrap() };
        venue.store.save(&Key::ledger(tenant, &instance, 0), &ledger).await.unwrap();
    }
    let shown = venue.send(get(&one)).await.done();
    assert_eq!(shown["soldQuantity"], 7);
    let add_on = json!({"id": poster, "sku": "P1", "name": "Poster", "description": "", "type": "addOn",
        "price": "5.00", "displayOrder": 0});
    assert_eq!(shown["addOns"], json!({"inventoryIds": [poster, hidden], "inventoryAddOns": [add_on]}));
}

#[tokio::test]
async fn publishing_without_prices_is_done_and_warned_of() {
    let (venue, adult) = venue().await;
    let mut body = tour_in_may(&adult, &[10]);
    body["priceLists"] = json!([]);
    let made = venue.send(post(PATH, body)).await.done();
    let warning = "It has no prices, so nothing of it is on sale";
    assert_eq!(made["publication"]["warnings"], json!([warning]));
    assert_eq!(made["available"], false);
}

#[tokio::test]
async fn parts_without_ids_get_ids_that_stay() {
    let (venue, adult) = venue().await;
    let mut body = tour_in_may(&adult, &[10]);
    for part in ["priceLists", "schedules"] {
        body[part][0].as_object_mut().unwrap().remove("id");
    }
    let made = venue.send(post(PATH, body.clone())).await;
    assert_eq!(made.body["schedules"][0]["id"].as_str().map(str::len), Some(24));
    let again = venue.send(put(format!("{PATH}/{}", made.id()), body)).await;
    assert_eq!(again.etag, made.etag);
}

#[tokio::test]
async fn stale_revisions_are_refused_and_repetitions_answered_again() {
    let (venue, adult) = venue().await;
    let made = venue.send(post(PATH, tour_in_may(&adult, &[10])).keyed("k")).await;
    let again = venue.send(post(PATH, tour_in_may(&adult, &[10])).keyed("k")).await;
    assert_eq!((again.replayed, &again.body, &again.etag), (true, &made.body, &made.etag));
    let one = format!("{PATH}/{}", made.id());
    let changed = venue.send(put(&one, tour_in_may(&adult, &[11])).if_match(made.tag())).await;
    assert_eq!(changed.status, 200);
    for ask in [put(&one, tour_in_may(&adult, &[12])), delete(&one)] {
        let stale = venue.send(ask.if_match(made.tag())).await;
        assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    }
    assert_eq!(venue.send(get(&one)).await.etag, changed.etag);
    for ask in [get(&one), put(&one, tour_in_may(&adult, &[12])), delete(&one)] {
        assert_eq!(venue.send(ask.by("key-2")).await.status, 404, "another tenant's");
    }
    assert_eq!(venue.send(put(format!("{PATH}/none"), tour_in_may(&adult, &[9]))).await.status, 404);
}
