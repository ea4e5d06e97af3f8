//! Some of an order, the rest later.

use crate::support::{Doors, GALLERY, GARDEN, STAFF, admit, block, event, refund, scan};
use serde_json::{Value, json};
use testkit::catalog::{ADULT, CHILD, with};
use testkit::{Ask, get, post};

/// So many of these items of an order.
fn some(order: &str, items: Value) -> Ask {
    admit(json!({"order": {"orderId": order, "items": items}, "eventId": event(GALLERY, 0)}))
}

fn counts(answer: &Value) -> [u64; 3] {
    ["admitted", "refused", "notAdmitted"].map(|name| answer[name].as_u64().unwrap())
}

#[tokio::test]
async fn so_many_of_an_item_are_let_in_and_the_rest_later() {
    let doors = Doors::open().await;
    let line = |of: &str, quantity: u32| json!({"eventId": event(GALLERY, 0), "ticketingTypeId": of, "quantity": quantity});
    let items = json!([line(ADULT, 3), line(CHILD, 2)]);
    let sold = doors.buy(json!({"shoppingCart": {"items": items}})).await;
    let order = sold[0].order.clone();
    let [adults, children] = [&sold[0].item, &sold[3].item];
    let two = doors.done(some(&order, json!([{"orderItemId": adults, "quantity": 2}]))).await;
    assert_eq!(counts(&two), [2, 0, 0]);
    let first: Vec<&str> =
        two["results"].as_array().unwrap().iter().map(|one| one["ticketId"].as_str().unwrap()).collect();
    assert_eq!(first, [&sold[0].ticket, &sold[1].ticket], "the first ones first");
    assert_eq!(two["results"][0]["checkInStatus"], "PartiallyCheckedIn");
    assert_eq!(
        (&two["results"][0]["checkInQuantity"], &two["results"][0]["quantity"]),
        (&json!(2), &json!(5))
    );
    // More than are left: those that are left come in.
    let rest = json!([{"orderItemId": adults, "quantity": 4}, {"orderItemId": children, "quantity": 1}]);
    assert_eq!(counts(&doors.done(some(&order, rest)).await), [2, 0, 3]);
    let all = admit(json!({"order": {"orderNumber": sold[0].number}, "eventId": event(GALLERY, 0)}));
    let last = doors.done(all.clone()).await;
    assert_eq!(counts(&last), [1, 0, 0]);
    assert_eq!(last["results"][0]["checkInStatus"], "CheckedIn");
    // Where all are in, they are told so.
    let again = doors.done(all).await;
    assert_eq!(counts(&again), [0, 5, 0]);
    assert_eq!(again["results"][0]["reason"], "alreadyAdmitted");
}

#[tokio::test]
async fn refunded_and_blocked_tickets_and_those_inside_are_not_picked() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 4).await;
    doors.done(refund(&sold[0], json!({}))).await;
    doors.done(block(&sold[1], true)).await;
    assert_eq!(doors.reason(scan(&sold[2].code)).await, "admitted");
    let three = some(&sold[0].order, json!([{"orderItemId": sold[0].item, "quantity": 3}]));
    let answer = doors.done(three).await;
    assert_eq!(counts(&answer), [1, 0, 2]);
    assert_eq!(answer["results"][0]["ticketId"], sold[3].ticket.as_str());
}

#[tokio::test]
async fn an_order_is_let_into_the_event_that_is_named_alone() {
    let doors = Doors::open().await;
    let line = |of: &str| json!({"eventId": event(of, 0), "ticketingTypeId": ADULT, "quantity": 2});
    let sold = doors.buy(json!({"shoppingCart": {"items": [line(GALLERY), line(GARDEN)]}})).await;
    let body = |of: &str| json!({"order": {"orderId": sold[0].order}, "eventId": event(of, 0)});
    assert_eq!(counts(&doors.done(admit(body(GARDEN))).await), [2, 0, 0]);
    let history = doors.history(&sold[0].order).await;
    assert_eq!(
        (&history["checkInStatus"], &history["checkInQuantity"]),
        (&json!("PartiallyCheckedIn"), &json!(2))
    );
    assert_eq!(counts(&doors.done(admit(body(GALLERY))).await), [2, 0, 0]);
    assert_eq!(doors.history(&sold[0].order).await["checkInStatus"], "CheckedIn");
}

#[tokio::test]
async fn on_the_way_out_those_are_picked_who_are_inside() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 3).await;
    assert_eq!(doors.reason(scan(&sold[1].code)).await, "admitted");
    let body = json!({"order": {"orderId": sold[0].order}, "eventId": event(GALLERY, 0), "type": "exit"});
    let items = json!([{"orderItemId": sold[0].item, "quantity": 2}]);
    let two = with(body.clone(), json!({"order": {"orderId": sold[0].order, "items": items}}));
    let answer = doors.done(admit(two)).await;
    assert_eq!(counts(&answer), [1, 0, 1]);
    assert_eq!(answer["results"][0]["ticketId"], sold[1].ticket.as_str());
    assert_eq!(counts(&doors.done(admit(body)).await), [0, 0, 0]);
    for stranger in [&sold[0], &sold[2]] {
        assert_eq!(doors.past(stranger).await["scans"], json!([]));
    }
}

#[tokio::test]
async fn an_order_in_short_says_the_same_wherever_a_door_asks_for_it() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 2).await;
    assert_eq!(doors.reason(scan(&sold[0].code)).await, "admitted");
    // Given back although it let somebody in.
    doors.done(refund(&sold[0], json!({"force": true}))).await;
    let number = &sold[0].number;
    let looked_up = doors.done(post("/v2/b2b/admissions/lookup", json!({"code": sold[1].code}))).await;
    let by_number = doors.done(post("/v2/b2b/admissions/lookup", json!({"code": number}))).await;
    let found = doors.done(get(format!("/v2/b2b/orders/search?orderNumber={number}"))).await;
    let short = &looked_up["orders"][0];
    assert_eq!((short, short), (&by_number["orders"][0], &found["list"][0]));
    let item = &short["events"][0]["items"][0];
    assert_eq!((&item["quantity"], &item["checkInQuantity"]), (&json!(2), &json!(1)), "{short}");
    let manifest = format!("/v2/b2b/event/instances/{}/manifest", event(GALLERY, 0));
    let manifest = doors.done(get(manifest).by(STAFF)).await;
    let row = &manifest["list"][0];
    assert_eq!((&row["quantity"], &row["checkInQuantity"]), (&json!(2), &json!(1)), "{manifest}");
}
