//! Single dated slots: capacity, times, cancelled, deleted.

use crate::support;
use domain::InstanceId;
use serde_json::{Value, json};
use store::Consistency;
use testkit::{Venue, delete, get, post, put, tenant_id};

/// A venue with a concert on 2027-06-05 at 20:00 of so many seats: template and instance.
async fn concert(capacity: u32) -> (Venue, String, String) {
    let venue = support::open().await;
    let adult = venue.send(post("/v2/b2b/persontypes", json!({"name": "Adult"}))).await.id();
    let body = json!({
        "name": "Concert", "description": "Loud", "duration": {"hour": 2}, "capacity": capacity,
        "startTime": "2027-06-05T20:00:00", "reviewState": "Published",
        "priceLists": [{"prices": [{"personType": {"id": adult}, "price": "30.00"}]}],
    });
    let template = venue.send(post("/v2/b2b/event/templates", body)).await.id();
    let listed =
        venue.send(get(format!("/v2/b2c/events/{template}/nextAvailable")).by("shop-1")).await.done();
    (venue, template, listed["id"].as_str().unwrap().to_owned())
}

fn path(instance: &str) -> String {
    format!("/v2/b2b/event/instances/{instance}")
}

async fn reserve(venue: &Venue, instance: &str, quantity: u32) -> u16 {
    let items = json!([{"eventId": instance, "quantity": quantity}]);
    venue.send(post("/v2/b2b/reservations", json!({"reservationItems": items}))).await.status
}

#[tokio::test]
async fn the_instances_of_a_template_are_listed_with_those_that_are_called_off_or_moved() {
    let (venue, template, instance) = concert(10).await;
    let list = |query: &str| get(format!("/v2/b2b/event/templates/{template}/instances?{query}"));
    let day = "startTime=2027-06-05T00:00:00";
    assert_eq!(venue.send(list(day)).await.column("id"), [json!(instance)]);
    assert_eq!(venue.send(list("")).await.done()["list"], json!([]), "nothing today");
    let moved = json!({"state": "cancelled", "startTime": "2027-06-06T01:00:00-04:00"});
    venue.send(put(path(&instance), moved)).await.done();
    assert_eq!(venue.send(list(day)).await.column("id"), Vec::<Value>::new());
    let next = venue.send(list("startTime=2027-06-06T00:00:00&pageSize=1")).await;
    assert_eq!(
        (next.column("state"), &next.body["pagination"]["count"]),
        (vec![json!("cancelled")], &json!(1))
    );
    venue.send(delete(path(&instance))).await.done();
    assert_eq!(venue.send(list("startTime=2027-06-06T00:00:00")).await.done()["list"], json!([]));
    let faulty = venue.send(list("startTime=soon&endTime=2027-13-01")).await;
    assert_eq!(faulty.pointers(), ["startTime", "endTime"]);
    let unknown = venue.send(get("/v2/b2b/event/templates/none/instances")).await;
    assert_eq!(unknown.kind(), (404, "NOT_FOUND"));
    assert_eq!(venue.send(list(day).by("key-2")).await.kind(), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn an_instance_shows_its_seats_and_changes_as_its_venue_says() {
    let (venue, template, instance) = concert(10).await;
    assert_eq!(reserve(&venue, &instance, 4).await, 200);
    let read = venue.send(get(path(&instance))).await;
    let expected = json!({"id": instance, "templateId": template, "name": "Concert", "capacity": 10,
        "soldQuantity": 0, "heldQuantity": 4, "availableSeats": 6, "startTime": "2027-06-05T20:00:00-04:00",
        "endTime": "2027-06-05T22:00:00-04:00", "state": "active", "edited": false, "type": "standard",
        "admissionType": "standard", "images": [], "customFields": [], "resources": [], "salesChannels": [],
        "scheduleId": null});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&read.body[name], value, "{name}");
    }
    for name in ["available", "priceList", "ticketDetails", "description"] {
        assert!(read.body.get(name).is_some(), "{name}: {}", read.body);
    }
    let below = venue.send(put(path(&instance), json!({"capacity": 3}))).await;
    assert_eq!(below.kind(), (409, "CAPACITY_BELOW_SOLD"));
    assert_eq!((below.pointers(), &below.body["taken"]), (vec!["/capacity".to_owned()], &json!(4)));
    let full = venue.send(put(path(&instance), json!({"capacity": 4}))).await.done();
    assert_eq!((&full["availableSeats"], &full["edited"]), (&json!(0), &json!(true)));
    assert_eq!(reserve(&venue, &instance, 1).await, 409);
    let cancelled =
        venue.send(put(path(&instance), json!({"state": "Cancelled", "capacity": 9}))).await.done();
    assert_eq!((&cancelled["state"], &cancelled["availableSeats"]), (&json!("cancelled"), &json!(0)));
    assert_eq!(reserve(&venue, &instance, 1).await, 409, "sales are closed");
    for (body, fault) in [
        (json!({"capacity": 0}), "/capacity must be between 1 and 1000000"),
        (json!({"capacity": -1}), "/capacity must be between 1 and 1000000"),
        (json!({"endTime": "2027-06-05T20:00:00"}), "/endTime must be after startTime"),
        (
            json!({"startTime": "2027-07-07T20:00:00"}),
            "/startTime must be within 31 days of the start its schedule gave it",
        ),
        (json!({"state": "removed"}), "/state must be one of active, cancelled"),
        (json!({"id": "other"}), "/id must match the id in the path"),
    ] {
        assert_eq!(venue.send(put(path(&instance), body)).await.faults(), [fault]);
    }
    let both = json!({"startTime": "2027-07-07T20:00:00", "endTime": "2027-07-07T19:00:00"});
    assert_eq!(venue.send(put(path(&instance), both)).await.pointers(), ["/startTime", "/endTime"]);
}

#[tokio::test]
async fn a_revision_follows_what_is_said_of_an_instance_and_not_its_seats() {
    let (venue, _, instance) = concert(10).await;
    let read = venue.send(get(path(&instance))).await;
    reserve(&venue, &instance, 4).await;
    let changed = venue.send(put(path(&instance), json!({"capacity": 20})).if_match(read.tag())).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.etag, read.etag);
    let stale = venue.send(put(path(&instance), json!({"capacity": 30})).if_match(read.tag())).await;
    assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    let stale = venue.send(delete(path(&instance)).if_match(read.tag())).await;
    assert_eq!(stale.status, 409, "seats are held, whatever revision is meant");
    let same = venue.send(put(path(&instance), json!({"capacity": 20})).if_match(read.tag())).await;
    assert_eq!((same.status, same.etag), (200, changed.etag), "it is as it should be");
}

#[tokio::test]
async fn a_moved_instance_is_found_where_it_is_and_not_where_it_was() {
    let (venue, template, instance) = concert(10).await;
    let times = async |day: &str, now: &'static str| -> Vec<Value> {
        let path = format!(
            "/v2/b2c/event/templates/{template}/times?startTime={day}T00:00:00&endTime={day}T23:59:59"
        );
        venue.send(get(path).by("shop-1").at(now)).await.done().as_array().unwrap().clone()
    };
    const T0: &str = crate::support::T0;
    for (start, day) in [("2027-07-01T19:00:00", "2027-07-01"), ("2027-05-20T19:00:00", "2027-05-20")] {
        venue.send(put(path(&instance), json!({"startTime": start}))).await.done();
        let found = times(day, T0).await;
        assert_eq!(found.len(), 1, "{day}");
        assert_eq!((&found[0]["id"], &found[0]["time"]), (&json!(instance), &json!("7:00 PM")));
        assert_eq!(times("2027-06-05", T0).await, Vec::<Value>::new());
        let next =
            venue.send(get(format!("/v2/b2c/events/{template}/nextAvailable")).by("shop-1")).await.done();
        assert_eq!(next["id"], json!(instance));
    }
    // Put off, it stays listed after the day on which it was to be.
    venue.send(put(path(&instance), json!({"startTime": "2027-07-01T19:00:00"}))).await.done();
    let listed =
        venue.send(get("/v2/b2c/event/templates").by("shop-1").at("2027-06-20T10:00:00-04:00")).await;
    assert_eq!(listed.body[0]["id"], json!(template));
    assert_eq!(times("2027-07-01", "2027-06-20T10:00:00-04:00").await.len(), 1);
}

#[tokio::test]
async fn a_deleted_instance_is_unknown_to_everybody_and_stays_deleted() {
    let (venue, template, instance) = concert(10).await;
    assert_eq!(reserve(&venue, &instance, 1).await, 200);
    let refused = venue.send(delete(path(&instance))).await;
    assert_eq!((refused.kind(), &refused.body["taken"]), ((409, "IN_USE"), &json!(1)));
    // Ten minutes later nobody holds it any more.
    let later = "2027-05-01T10:10:00-04:00";
    let deleted = venue.send(delete(path(&instance)).at(later)).await.done();
    assert_eq!((&deleted["id"], &deleted["capacity"]), (&json!(instance), &json!(10)));
    let items = json!([{"eventId": instance, "quantity": 1}]);
    let reserved = venue.send(post("/v2/b2b/reservations", json!({"reservationItems": items}))).await;
    assert_eq!((reserved.status, reserved.pointers()), (404, vec!["/reservationItems/0/eventId".to_owned()]));
    for ask in [
        get(path(&instance)),
        put(path(&instance), json!({"capacity": 5})),
        delete(path(&instance)),
        get(format!("/v2/b2c/events/{instance}")).by("shop-1"),
        get(format!("/v2/b2c/events/{template}/nextAvailable")).by("shop-1"),
        get(path("0123456789abcdef01234567")),
        get(path("none")),
    ] {
        assert_eq!(venue.send(ask.clone()).await.kind(), (404, "NOT_FOUND"), "{ask:?}");
    }
    let one = format!("/v2/b2b/event/templates/{template}");
    let mut body = venue.send(get(&one)).await.done();
    body["capacity"] = json!(11);
    venue.send(put(&one, body)).await.done();
    assert_eq!(venue.send(get(path(&instance))).await.status, 404, "publishing again does not bring it back");
}

#[tokio::test(flavor = "multi_thread")]
async fn capacity_goes_up_and_down_beside_64_reservations_and_nothing_is_oversold() {
    let (venue, _, instance) = concert(40).await;
    let mut asks = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (venue, instance) = (venue.clone(), instance.clone());
        asks.spawn(async move { reserve(&venue, &instance, 1).await });
    }
    for capacity in [60, 20, 45, 30, 50, 25, 64, 35] {
        let (venue, instance) = (venue.clone(), instance.clone());
        asks.spawn(
            async move { venue.send(put(path(&instance), json!({"capacity": capacity}))).await.status },
        );
    }
    while let Some(status) = asks.join_next().await {
        assert!([200, 409, 503].contains(&status.unwrap()));
    }
    let id = InstanceId::parse(&instance).unwrap();
    let ledger = venue.store.load_ledger(tenant_id(1), &id, Consistency::Strong).await.unwrap().unwrap();
    let held: u32 = ledger.holds.values().map(|hold| hold.quantity).sum();
    assert_eq!(ledger.free + held + ledger.sold, ledger.size);
    assert!([40, 60, 20, 45, 30, 50, 25, 64, 35].contains(&ledger.size));
    assert_eq!(ledger.holds.len(), usize::try_from(held).unwrap());
}
