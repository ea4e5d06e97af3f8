//! How often each request waits for the database.

use crate::support::{
    BACK_DOOR, CARD, Doors, GALLERY, PIER, Sold, TILL, admit, block, event, offline, scan, scan_into, t0,
    undo, upload,
};
use serde_json::{Value, json};
use testkit::{Ask, get, post};

#[tokio::test]
async fn every_request_waits_for_the_database_as_often_as_its_table_says() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 12).await;
    // Level names are cached by the first card.
    doors.done(scan(CARD)).await;
    let here = event(GALLERY, 0);
    let named = |place: usize| json!([sold[place].named()]);
    let (number, order) = (&sold[0].number, &sold[0].order);
    let some = json!({"order": {"orderId": order, "items": [{"orderItemId": sold[0].item, "quantity": 1}]}, "eventId": here});
    let given = |path: &str, body| post(format!("/v2/willcall/{path}"), body);
    let asks: Vec<(&str, Ask, u32)> = vec![
        ("A by code", scan(&sold[0].code), 4),
        ("A by code into an event", scan_into(&sold[1].code, here), 3),
        ("A again", scan_into(&sold[1].code, here), 3),
        ("A by ids", admit(json!({"tickets": named(2)})), 4),
        ("A by ids into an event", admit(json!({"tickets": named(3), "eventId": here})), 3),
        ("A of an order", admit(some), 3),
        ("A by card", scan(CARD), 3),
        ("A by nobody's code", scan("00000000000000000000000000000000"), 3),
        ("B of a ticket", post("/v2/b2b/admissions/lookup", json!({"code": sold[6].code})), 3),
        ("B of a card", post("/v2/b2b/admissions/lookup", json!({"code": CARD})), 3),
        ("B of an order", post("/v2/b2b/admissions/lookup", json!({"code": number})), 3),
        ("C", undo(&sold[0]), 3),
        ("C by code", post("/v2/b2b/admissions/undo", json!({"code": sold[1].code})), 3),
        ("D", block(&sold[7], true), 2),
        ("E", get(format!("/v2/b2b/admissions/orders/{order}")).by(TILL), 1),
        ("F", get(format!("/v2/b2b/admissions/events/{here}")), 3),
        ("G", upload(&[offline(1, &sold[8], t0())]), 3),
        ("H", post("/v2/b2b/willcall/checkinexternal", json!({"ticketUUID": sold[9].code})), 3),
        ("I", post("/v2/b2b/willcall/checkintickets", json!({"ticketUUIDs": [sold[9].code]})).by(TILL), 4),
        ("J", given("checkinticketsexternal", json!({"membershipBarcode": sold[10].code})), 4),
        (
            "J into an event",
            given(
                "checkinticketsexternal",
                json!({"membershipBarcode": sold[11].code, "eventInstance": here}),
            ),
            3,
        ),
        ("K", given("undocheckintickets", json!({"ticketUUIDs": [sold[10].code]})), 3),
    ];
    for (name, ask, rounds) in asks {
        let answer = doors.send(ask).await;
        assert_eq!(
            (answer.status, answer.calls.rounds),
            (200, rounds),
            "{name}: {:?} {}",
            answer.calls,
            answer.text
        );
    }
}

/// Orders that are worked on side by side overlap, so the count may be lower than that of one, and never higher.
#[tokio::test]
async fn several_orders_wait_no_longer_than_one() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 2).await;
    let other = doors.sell(event(GALLERY, 0), 2).await;
    let tickets = json!({"tickets": [sold[0].named(), other[0].named()], "eventId": event(GALLERY, 0)});
    for ask in [admit(tickets), upload(&[offline(1, &sold[1], t0()), offline(2, &other[1], t0())])] {
        let answer = doors.send(ask).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(answer.calls.rounds <= 3, "{:?} {}", answer.calls, answer.text);
    }
}

/// One transaction does not hold them all.
#[tokio::test]
async fn an_order_is_read_once_however_many_of_its_scans_are_uploaded() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(PIER, 0), 100).await;
    let scans: Vec<Value> = (1..).zip(&sold).map(|(number, sold)| offline(number, sold, t0())).collect();
    let answer = doors.send(upload(&scans)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.calls.rounds <= 4, "{:?}", answer.calls);
}

/// As before: the order and its scans are read for the first part alone.
#[tokio::test]
async fn an_order_is_read_once_however_many_of_its_scans_are_taken_back() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(PIER, 0), 100).await;
    let scans: Vec<Value> = (1..).zip(&sold).map(|(number, sold)| offline(number, sold, t0())).collect();
    doors.done(upload(&scans)).await;
    let named: Vec<Value> = sold.iter().map(Sold::named).collect();
    let ask = post("/v2/b2b/admissions/undo", json!({"tickets": named})).by(TILL);
    let answer = doors.send(ask).await;
    assert_eq!((answer.status, &answer.body["undone"]), (200, &json!(100)), "{}", answer.text);
    assert!(answer.calls.rounds <= 4, "{:?}", answer.calls);
    let history = doors.history(&sold[0].order).await;
    assert_eq!(history["checkInQuantity"], 0);
}

#[tokio::test]
async fn an_idempotency_key_adds_a_round_trip_before_and_one_behind() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let ask = scan_into(&sold.code, event(GALLERY, 0)).by(BACK_DOOR).keyed("k");
    assert_eq!(doors.send(ask.clone()).await.calls.rounds, 5);
    assert_eq!(doors.send(ask).await.calls.rounds, 1);
}
