//! The paths that the interface had before.

use crate::support::{
    CARD, DOOR, Doors, GALLERY, PIER, STAFF, TILL, after, block, event, exchange, offline, refund, scan, t0,
    upload,
};
use serde_json::{Value, json};
use testkit::{Ask, post};

const ROOTS: [&str; 2] = ["/v2/willcall", "/v2/b2b/willcall"];

fn look_up(code: &str) -> Ask {
    post("/v2/b2b/willcall/checkinexternal", json!({"ticketUUID": code}))
}

fn check_in(codes: &[&str]) -> Ask {
    post("/v2/b2b/willcall/checkintickets", json!({"ticketUUIDs": codes})).by(TILL)
}

fn scan_given(code: &str) -> Ask {
    post("/v2/willcall/checkinticketsexternal", json!({"membershipBarcode": code, "terminalId": "gate-1"}))
}

#[tokio::test]
async fn a_barcode_is_looked_up_without_effect() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let number: i64 = sold.order.parse().unwrap();
    let found = doors.done(look_up(&sold.code.to_uppercase())).await;
    let expected = json!({
        "checkInStatus": 0, "orderId": number, "minutesBefore": 30, "minutesAfter": 60, "checkInDate": null,
    });
    assert_eq!(found, expected);
    assert_eq!(doors.past(&sold).await["state"], "never");
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    let inside = doors.done(look_up(&sold.code)).await;
    assert_eq!(
        (&inside["checkInStatus"], &inside["checkInDate"]),
        (&json!(2), &json!("2027-06-01T10:00:00-04:00"))
    );
    let unknown = doors.send(look_up("00000000000000000000000000000000")).await;
    assert_eq!((unknown.kind(), unknown.pointers()), ((404, "NOT_FOUND"), vec!["/ticketUUID".to_owned()]));
    // Where no window is set, the minutes are those that are in force all the same.
    let garden = doors.sell(event(crate::support::GARDEN, 0), 1).await.remove(0);
    let found = doors.done(look_up(&garden.code)).await;
    assert_eq!((&found["minutesBefore"], &found["minutesAfter"]), (&json!(10 * 60 + 15), &json!(824)));
}

#[tokio::test]
async fn tickets_are_checked_in_by_hand_whatever_the_hour() {
    let doors = Doors::open().await;
    let mut sold = doors.sell(event(GALLERY, 2), 2).await;
    sold.extend(doors.sell(event(GALLERY, 0), 1).await);
    let codes = [&sold[0].code, "nobody's", &sold[2].code, &sold[1].code].map(|code: &str| code);
    let answer = doors.done(check_in(&codes)).await;
    let list = answer.as_array().unwrap();
    assert_eq!((list.len(), &list[1]), (4, &json!({})));
    for (place, sold) in [(0, &sold[0]), (2, &sold[2]), (3, &sold[1])] {
        assert_eq!(list[place]["uuid"], sold.code.as_str(), "{answer}");
        assert_eq!(list[place]["checkInDate"], "2027-06-01T10:00:00-04:00", "{answer}");
        assert_eq!(list[place]["ticketStatus"], "Normal", "{answer}");
        assert_eq!(list[place]["lastName"], "Okafor", "{answer}");
    }
    let again = check_in(&codes).header("x-service-explain", "true");
    let again = doors.done(again).await;
    let told = json!({"uuid": sold[0].code, "reason": "alreadyAdmitted", "checkInDate": "2027-06-01T10:00:00-04:00"});
    assert_eq!(again[0], told, "{again}");
    assert_eq!(again[1], json!({"uuid": "nobody's", "reason": "unknown"}), "{again}");
}

#[tokio::test]
async fn a_door_checks_in_by_hand_within_the_hours_alone() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 2), 1).await.remove(0);
    let explain = check_in(&[&sold.code]).by(DOOR).header("x-service-explain", "true");
    let early = doors.done(explain).await;
    assert_eq!(early[0], json!({"uuid": sold.code, "reason": "tooEarly"}), "{early}");
    let late = doors.done(check_in(&[&sold.code]).by(DOOR).at_instant(after(7_200))).await;
    assert_eq!(late[0]["uuid"], sold.code.as_str(), "{late}");
    // It is told neither addresses nor phone numbers.
    assert_eq!((&late[0]["email"], &late[0]["phoneNumber"]), (&Value::Null, &Value::Null), "{late}");
    assert_eq!(late[0]["lastName"], "Okafor", "{late}");
}

#[tokio::test]
async fn a_ticket_that_is_named_twice_is_checked_in_once() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let upper = sold.code.to_uppercase();
    let answer = doors.done(check_in(&[&sold.code, &upper])).await;
    assert_eq!((answer[0]["uuid"].as_str(), &answer[1]), (Some(sold.code.as_str()), &json!({})));
    assert_eq!(doors.past(&sold).await["entries"], 1);
}

#[tokio::test]
async fn two_thousand_tickets_of_one_order_are_one_write() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(PIER, 0), 100).await;
    let codes: Vec<&str> = sold.iter().map(|sold| sold.code.as_str()).collect();
    let answer = doors.send(check_in(&codes)).await;
    assert_eq!(answer.calls.rounds, 4, "{:?}", answer.calls);
    assert!(answer.done().as_array().unwrap().iter().all(|ticket| ticket["uuid"].is_string()));
    let too_many = vec!["a"; 2_001];
    assert_eq!(
        doors.send(check_in(&too_many)).await.faults(),
        ["/ticketUUIDs must have at most 2000 entries"]
    );
    assert_eq!(doors.send(check_in(&[])).await.faults(), ["/ticketUUIDs must have at least one entry"]);
}

#[tokio::test]
async fn tickets_of_more_than_25_orders_are_too_many_at_once() {
    let doors = Doors::open().await;
    let mut codes = Vec::new();
    for _ in 0..26 {
        codes.push(doors.one().await.code);
    }
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    let refused = doors.send(check_in(&codes)).await;
    assert_eq!(refused.faults(), ["/ticketUUIDs must be of at most 25 orders"]);
    assert_eq!(doors.done(check_in(&codes[1..])).await.as_array().unwrap().len(), 25);
}

#[tokio::test]
async fn a_scan_is_answered_by_a_number_for_every_reason() {
    let doors = Doors::open().await;
    for root in ROOTS {
        let path = format!("{root}/checkinticketsexternal");
        let [good, refunded, exchanged, blocked] =
            [doors.one().await, doors.one().await, doors.one().await, doors.one().await];
        doors.done(refund(&refunded, json!({}))).await;
        doors.done(exchange(&exchanged, event(GALLERY, 1), json!({}))).await;
        doors.done(block(&blocked, true)).await;
        let into = |code: &str, of: &str, number: u16| json!({"membershipBarcode": code, "eventInstance": event(of, number), "terminalId": "gate-1"});
        let alone = |code: &str| json!({"membershipBarcode": code});
        for (body, secs, status) in [
            (alone("nobody's"), 0, 8),
            (alone(&refunded.code), 0, 7),
            (alone(&exchanged.code), 0, 7),
            (alone(&blocked.code), 0, 9),
            (into(&good.code, PIER, 0), 0, 6),
            (into(&good.code, GALLERY, 1), 0, 6),
            (alone(&good.code), 86_400, 5),
            (alone(&good.code), 7_200, 4),
            (alone(&good.code), -1_000, 3),
            (alone(&good.code), 0, 1),
            (alone(&good.code), 0, 2),
        ] {
            let ask = post(path.clone(), body.clone()).at_instant(after(secs));
            assert_eq!(doors.done(ask).await["checkInStatus"], status, "{body} {secs}");
        }
        let forced = json!({"membershipBarcode": good.code, "validate": false});
        assert_eq!(doors.send(post(path.clone(), forced.clone())).await.kind(), (403, "FORBIDDEN"));
        assert_eq!(doors.done(post(path, forced).by(STAFF)).await["checkInStatus"], 1);
    }
}

#[tokio::test]
async fn a_scan_tells_what_is_known_of_a_ticket_and_of_a_card() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let ticket = doors.done(scan_given(&sold.code)).await;
    for (name, value) in [
        ("orderId", json!(sold.order)),
        ("orderCreationDate", json!("2027-06-01T10:00:00-04:00")),
        ("checkInDate", json!("2027-06-01T10:00:00-04:00")),
        ("ticketEventName", json!("Harbor Gallery Entry")),
        ("checkedInEventName", json!("Harbor Gallery Entry")),
        ("ticketEventTime", json!("2027-06-01T10:15:00-04:00")),
        ("checkedInEventTime", json!("2027-06-01T10:15:00-04:00")),
        ("ticketTypeName", json!("Adult")),
    ] {
        assert_eq!(ticket[name], value, "{name}: {ticket}");
    }
    assert_eq!(ticket.get("levelName"), None);
    let card = doors.done(scan_given(CARD)).await;
    for (name, value) in [
        ("checkInStatus", json!(1)),
        ("levelName", json!("Family")),
        ("cardName", json!("Ada Byron")),
        ("cardStanding", json!("active")),
    ] {
        assert_eq!(card[name], value, "{name}: {card}");
    }
    assert_eq!(card.get("orderId"), None);
}

#[tokio::test]
async fn tickets_are_taken_back_by_their_barcodes() {
    let doors = Doors::open().await;
    for root in ROOTS {
        let sold = doors.sell(event(PIER, 0), 2).await;
        assert_eq!(doors.reason(scan(&sold[0].code)).await, "admitted");
        let body = json!({"terminalId": "gate-1", "ticketUUIDs": [sold[1].code, sold[0].code, "nobody's"]});
        let answer = doors.done(post(format!("{root}/undocheckintickets"), body)).await;
        assert_eq!((&answer[0], &answer[2]), (&json!({}), &json!({})), "{answer}");
        assert_eq!((&answer[1]["uuid"], &answer[1]["checkInDate"]), (&json!(sold[0].code), &Value::Null));
        assert_eq!(doors.past(&sold[0]).await["state"], "never");
    }
}

#[tokio::test]
async fn what_was_uploaded_is_known_here_as_well() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    doors.done(upload(&[offline(1, &sold, t0())])).await;
    assert_eq!(doors.done(look_up(&sold.code)).await["checkInStatus"], 2);
}
