//! What the back office changes, as shoppers see it.

use crate::demo::{ADULT, SHOP, STAFF, ok};
use boxoffice::testing::Service;
use serde_json::{Value, json};

fn on(weekday: &str) -> Value {
    json!({
        "name": "Tide Walk", "description": "At low water.", "reviewState": "Published",
        "duration": {"hour": 1, "minutes": 0}, "capacity": 5,
        "schedules": [{"id": "walks", "weekdays": [weekday], "hours": [{"hour": 9, "minutes": 0}]}],
        "priceLists": [{"id": "walk", "name": "Walk", "prices": [{"personType": {"id": ADULT}, "price": "8.00"}]}],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slot_that_was_held_when_its_schedule_changed_stays_in_every_list() {
    let service = Service::start().await;
    let template = ok(&service, "POST", "/v2/b2b/event/templates", &STAFF, on("Friday")).await;
    let id = template["id"].as_str().unwrap();
    let next = format!("/v2/b2c/events/{id}/nextAvailable");
    let held = ok(&service, "GET", &next, &SHOP, Value::Null).await;
    let hold = json!({"reservationItems": [{"eventId": held["id"], "quantity": 1}]});
    ok(&service, "POST", "/v2/b2b/reservations", &STAFF, hold).await;
    ok(&service, "PUT", &format!("/v2/b2b/event/templates/{id}"), &STAFF, on("Saturday")).await;
    let day = &held["startTime"].as_str().unwrap()[..10];
    let path = format!("/v2/b2c/event/templates/times?startTime={day}");
    let buckets = ok(&service, "GET", &path, &SHOP, Value::Null).await;
    let bucket = buckets.as_array().unwrap().iter().find(|bucket| bucket["eventTemplateId"] == id);
    assert_eq!(bucket.unwrap()["times"][0]["id"], held["id"]);
    assert_eq!(bucket.unwrap()["times"][0]["availableSeats"], 4);
}
