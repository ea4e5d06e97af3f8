//! Taking scans back, and blocking tickets.

use crate::support::{
    BACK_DOOR, CARD, DOOR, Doors, GALLERY, GARDEN, STAFF, TILL, admit, after, block, event, leave, scan, undo,
};
use serde_json::{Value, json};
use testkit::{Ask, post};

#[tokio::test]
async fn the_last_scan_is_taken_back_and_what_was_before_is_there_again() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GARDEN, 0), 1).await.remove(0);
    let mut states = vec![doors.past(&sold).await];
    for (secs, ask) in [(0, scan(&sold.code)), (10, leave(&sold.code)), (20, scan(&sold.code))] {
        assert_eq!(doors.reason(ask.at_instant(after(secs))).await, "admitted");
        states.push(doors.past(&sold).await);
    }
    for before in states.iter().rev().skip(1) {
        let answer = doors.done(undo(&sold).at_instant(after(30))).await;
        assert_eq!((&answer["undone"], &answer["notUndone"]), (&json!(1), &json!(0)), "{answer}");
        let now = doors.past(&sold).await;
        for name in ["state", "checkInDate", "lastEntryDate", "lastExitDate", "entries"] {
            assert_eq!(now[name], before[name], "{name}: {now}");
        }
    }
    let nothing = doors.done(undo(&sold)).await;
    assert_eq!((&nothing["undone"], &nothing["results"][0]["reason"]), (&json!(0), &json!("notAdmitted")));
    assert_eq!(nothing["results"][0]["admitted"], false);
    // The records stay, and say when they were taken back.
    let scans = doors.past(&sold).await["scans"].clone();
    let undone = scans.as_array().unwrap().iter().filter(|scan| scan["undoneAt"] != Value::Null).count();
    assert_eq!((scans.as_array().unwrap().len(), undone), (3, 3), "{scans}");
}

#[tokio::test]
async fn a_door_takes_back_its_own_scans_of_a_quarter_of_an_hour_and_a_till_any() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    for (key, secs, undone) in [(BACK_DOOR, 0, 0), (DOOR, 901, 0), (DOOR, 900, 1)] {
        let answer = doors.done(undo(&sold).by(key).at_instant(after(secs))).await;
        assert_eq!(answer["undone"], undone, "{key} {secs}: {answer}");
    }
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    for (key, undone) in [(TILL, 1), (STAFF, 0)] {
        let answer = doors.done(undo(&sold).by(key).at_instant(after(5_000))).await;
        assert_eq!(answer["undone"], undone, "{key}");
    }
}

#[tokio::test]
async fn a_code_is_taken_back_as_well() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    let by_code = |code: &str| post("/v2/b2b/admissions/undo", json!({"code": code}));
    assert_eq!(doors.done(by_code(&sold.code)).await["undone"], 1);
    let unknown = doors.done(by_code("00000000000000000000000000000000")).await;
    assert_eq!(unknown["results"][0]["reason"], "unknown", "{unknown}");
    for body in [json!({}), json!({"code": sold.code, "tickets": [sold.named()]})] {
        let refused = doors.send(post("/v2/b2b/admissions/undo", body)).await;
        assert_eq!(refused.faults(), ["/code send either code or tickets"]);
    }
}

#[tokio::test]
async fn a_block_stays_until_it_is_taken_back_and_is_told_in_the_history() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 2).await;
    assert_eq!(doors.reason(scan(&sold[0].code)).await, "admitted");
    let blocked = doors.done(block(&sold[0], true)).await;
    let ticket = &blocked["tickets"][0];
    assert_eq!((&ticket["ticketId"], &ticket["state"]), (&json!(sold[0].ticket), &json!("blocked")));
    assert_eq!((&ticket["blockedReason"], &ticket["entries"]), (&json!("reported lost"), &json!(1)));
    let kinds: Vec<&Value> = ticket["scans"].as_array().unwrap().iter().map(|scan| &scan["type"]).collect();
    assert_eq!(kinds, ["block", "entry"], "the newest first");
    // Once more changes nothing.
    let again = doors.done(block(&sold[0], true)).await;
    assert_eq!(again["tickets"][0]["scans"].as_array().unwrap().len(), 2);
    let free = doors.done(block(&sold[0], false)).await;
    assert_eq!(
        (&free["tickets"][0]["state"], &free["tickets"][0]["blockedReason"]),
        (&json!("inside"), &Value::Null)
    );
    assert_eq!(doors.past(&sold[1]).await["state"], "never");
}

#[tokio::test]
async fn blocks_are_for_tills_and_name_tickets_that_are_there() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    assert_eq!(doors.send(block(&sold, true).by(DOOR)).await.kind(), (403, "FORBIDDEN"));
    let with_body = |body: Value| post("/v2/b2b/admissions/blocks", body).by(TILL);
    for (body, pointers) in [
        (json!({"tickets": [{"orderId": "7", "ticketId": "7"}], "blocked": false}), ["/tickets/0/orderId"]),
        (
            json!({"tickets": [{"orderId": sold.order, "ticketId": "7"}], "blocked": false}),
            ["/tickets/0/ticketId"],
        ),
    ] {
        let refused = doors.send(with_body(body)).await;
        assert_eq!(
            (refused.status, refused.pointers()),
            (404, pointers.map(str::to_owned).to_vec()),
            "{}",
            refused.text
        );
    }
    let named = json!([sold.named()]);
    for (body, fault) in [
        (json!({"tickets": named, "blocked": true}), "/reason is required"),
        (json!({"tickets": named, "blocked": true, "reason": " "}), "/reason must not be blank"),
        (json!({"tickets": named, "reason": "a"}), "/blocked is required"),
        (json!({"blocked": false}), "/tickets is required"),
        (
            json!({"tickets": named, "blocked": true, "reason": "x".repeat(201)}),
            "/reason must have at most 200 characters",
        ),
    ] {
        assert_eq!(doors.send(with_body(body.clone())).await.faults(), [fault], "{body}");
    }
}

#[tokio::test]
async fn the_history_tells_who_did_what() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let ask = scan(&sold.code).header("x-service-operator", "Dana at the gate");
    let admission = doors.result(ask).await["admissionId"].clone();
    let shown = doors.past(&sold).await["scans"][0].clone();
    let expected = json!({
        "admissionId": admission, "type": "entry", "at": "2027-06-01T10:00:00-04:00",
        "receivedAt": "2027-06-01T10:00:00-04:00", "eventId": event(GALLERY, 0), "terminalId": "gate-1",
        "operator": "Dana at the gate", "key": DOOR, "admitted": true, "reason": null, "forced": false,
        "forceReason": null, "blockedReason": null, "deviceReason": null, "offline": false,
        "doubleAdmission": false, "notValid": false, "undoneAt": null, "undoneBy": null,
    });
    assert_eq!(shown, expected);
    let unknown = doors.send(testkit::get("/v2/b2b/admissions/orders/31840526").by(TILL)).await;
    assert_eq!(unknown.kind(), (404, "NOT_FOUND"));
    let door = doors.send(testkit::get(format!("/v2/b2b/admissions/orders/{}", sold.order)).by(DOOR)).await;
    assert_eq!(door.kind(), (403, "FORBIDDEN"));
}

#[tokio::test]
async fn who_took_a_scan_back_is_told_and_why_nothing_was() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let reason = async |ask: Ask| doors.done(ask).await["results"][0]["reason"].clone();
    assert_eq!(reason(undo(&sold)).await, "notAdmitted");
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    assert_eq!(reason(undo(&sold).by(BACK_DOOR)).await, "notPermitted");
    assert_eq!(reason(undo(&sold).at_instant(after(901))).await, "notPermitted");
    doors.done(block(&sold, true)).await;
    assert_eq!(reason(undo(&sold)).await, "blocked");
    doors.done(block(&sold, false)).await;
    let by_till = undo(&sold).by(TILL).header("x-service-operator", "Dana at the till");
    assert_eq!(doors.done(by_till).await["undone"], 1);
    let scans = doors.past(&sold).await["scans"].clone();
    let entry = scans.as_array().unwrap().iter().find(|scan| scan["type"] == "entry").unwrap();
    let by = json!({"key": TILL, "operator": "Dana at the till", "terminalId": "gate-1"});
    assert_eq!((&entry["undoneBy"], &entry["undoneAt"]), (&by, &json!("2027-06-01T10:00:00-04:00")));
}

#[tokio::test]
async fn a_member_card_is_nobodys_where_scans_are_taken_back() {
    let doors = Doors::open().await;
    assert_eq!(doors.reason(scan(CARD)).await, "admitted");
    let by_code = |code: &str| post("/v2/b2b/admissions/undo", json!({"code": code}));
    for key in [DOOR, TILL] {
        let of_card = doors.send(by_code(CARD).by(key)).await;
        assert_eq!(of_card.body["results"][0]["reason"], "unknown", "{}", of_card.text);
        let of_nobody = doors.send(by_code("CARD-77").by(key)).await;
        assert_eq!((&of_card.body, of_card.calls.total), (&of_nobody.body, of_nobody.calls.total));
    }
}

#[tokio::test]
async fn a_card_number_in_a_reason_is_masked() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let typed = "charged back 4111 1111 1111 1111";
    let body = json!({"tickets": [sold.named()], "blocked": true, "reason": typed});
    let blocked = doors.done(post("/v2/b2b/admissions/blocks", body).by(TILL)).await;
    let ticket = &blocked["tickets"][0];
    for shown in [&ticket["blockedReason"], &ticket["scans"][0]["blockedReason"]] {
        assert_eq!(shown, "charged back ****1111");
    }
    assert_eq!(ticket["scans"][0]["forceReason"], Value::Null);
    let other = doors.one().await;
    doors.reason(scan(&other.code)).await;
    let force = json!({"code": other.code, "force": true, "forceReason": typed});
    assert_eq!(doors.result(admit(force).by(TILL)).await["admitted"], true);
    assert_eq!(doors.past(&other).await["scans"][0]["forceReason"], "charged back ****1111");
}

#[tokio::test]
async fn every_ticket_that_is_not_there_is_told() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let lost =
        json!([{"orderId": "7", "ticketId": "7"}, {"orderId": sold.order, "ticketId": "7"}, sold.named()]);
    let body = json!({"tickets": lost, "blocked": false});
    let refused = doors.send(post("/v2/b2b/admissions/blocks", body).by(TILL)).await;
    let fields = ["/tickets/0/orderId", "/tickets/1/ticketId"].map(str::to_owned).to_vec();
    assert_eq!((refused.status, refused.pointers()), (404, fields), "{}", refused.text);
}
