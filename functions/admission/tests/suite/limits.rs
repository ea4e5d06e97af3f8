//! Who scans too often, or guesses, is told to wait; others are not.

use crate::support::{
    BACK_DOOR, CARD, DOOR, Doors, GALLERY, admit, event, offline, outcomes, owner, scan, t0, upload,
};
use domain::rate_limit::{Rate, RateLimit};
use engine::Fault;
use serde_json::{Value, json};
use store::Consistency;
use testkit::{get, post};

async fn limited(limit: &str, rate: &str) -> Doors {
    let doors = Doors::open().await;
    let mut tenant = doors.0.store.load_tenant(owner(), Consistency::Strong).await.unwrap().unwrap();
    tenant.limits.insert(RateLimit::parse(limit).unwrap(), Rate::parse(rate).unwrap());
    doors.0.store.save_tenant(&tenant).await.unwrap();
    Doors::over(&doors.0.tables)
}

#[tokio::test]
async fn a_key_that_scans_too_often_waits_and_another_does_not() {
    // One of them filled the caches.
    let doors = limited("scans-per-key", "4/60").await;
    let sold = doors.one().await;
    let look = || post("/v2/b2b/admissions/lookup", json!({"code": sold.code}));
    for _ in 0..3 {
        assert_eq!(doors.send(look()).await.status, 200);
    }
    for ask in [look(), scan(&sold.code), admit(json!({"tickets": [sold.named()]}))] {
        let refused = doors.send(ask.clone()).await;
        assert_eq!(refused.kind(), (429, "THROTTLED"), "{}", refused.text);
        assert!(!refused.header("retry-after").is_empty());
        assert_eq!(doors.send(ask.by(BACK_DOOR)).await.status, 200);
    }
    assert_eq!(doors.past(&sold).await["entries"], 1);
}

/// Scans that a device made by code, with names that no other upload of a test has.
fn told_by_code(codes: &[&str], first: usize) -> Vec<Value> {
    let told = |(place, code): (usize, &&str)| {
        json!({
            "scanId": format!("{:08x}-93d4-4f26-8c1d-70e2a9b4f318", first + place), "code": code,
            "at": t0().to_rfc3339(),
        })
    };
    codes.iter().enumerate().map(told).collect()
}

#[tokio::test]
async fn every_scan_of_an_upload_counts_and_codes_are_asked_for_within_the_limit() {
    // One of them filled the caches.
    let doors = limited("scans-per-key", "4/60").await;
    let (one, other) = (doors.one().await, doors.one().await);
    // Who is within the limit tells all that happened.
    let first = told_by_code(&[&one.code, "nobody's", "nobody's", "nobody's", "nobody's"], 0);
    let answer = doors.send(upload(&first)).await;
    assert_eq!(outcomes(&answer.body), ["recorded", "unknown", "unknown", "unknown", "unknown"]);
    let again = upload(&told_by_code(&[&other.code], 16));
    let refused = doors.send(again.clone()).await;
    assert_eq!(refused.kind(), (429, "THROTTLED"), "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
    assert_eq!(doors.send(scan(&other.code)).await.kind(), (429, "THROTTLED"));
    assert_eq!(doors.past(&other).await["state"], "never");
    // What names tickets by their ids asks for nothing: it is noted, and counts.
    let by_id = offline(32, &other, t0());
    assert_eq!(outcomes(&doors.done(upload(&[by_id])).await), ["recorded"]);
    assert_eq!(outcomes(&doors.done(again.by(BACK_DOOR)).await), ["conflict"]);
}

#[tokio::test]
async fn scans_that_are_told_by_ids_count_as_well_in_one_call() {
    let doors = limited("scans-per-key", "4/60").await;
    let sold = doors.sell(event(GALLERY, 0), 4).await;
    let told: Vec<Value> = (1..).zip(&sold).map(|(number, sold)| offline(number, sold, t0())).collect();
    let answer = doors.send(upload(&told)).await;
    assert_eq!(outcomes(&answer.body), ["recorded"; 4]);
    assert_eq!(doors.send(scan(&sold[0].code)).await.kind(), (429, "THROTTLED"));
    // One with a single scan makes as many calls.
    let one = doors.send(upload(&told[..1])).await;
    let all = doors.send(upload(&told)).await;
    assert_eq!(outcomes(&all.body), ["duplicate"; 4]);
    assert_eq!(all.calls.total, one.calls.total);
}

#[tokio::test]
async fn who_guesses_codes_waits_with_codes_and_not_with_ids() {
    let doors = limited("unknown-codes-per-key", "2/3600").await;
    let (one, other) = (doors.one().await, doors.one().await);
    for number in 0..2 {
        assert_eq!(doors.reason(scan(&format!("{number:032}"))).await, "unknown");
    }
    let refused = doors.send(scan(&one.code)).await;
    assert_eq!(refused.kind(), (429, "THROTTLED"), "a good code tells nothing either");
    for path in ["/v2/b2b/willcall/checkinexternal", "/v2/b2b/willcall/checkintickets"] {
        let body = json!({"ticketUUID": one.code, "ticketUUIDs": [one.code]});
        assert_eq!(doors.send(post(path, body)).await.status, 429, "{path}");
    }
    assert_eq!(doors.reason(admit(json!({"tickets": [one.named()]}))).await, "admitted");
    assert_eq!(doors.reason(scan(&other.code).by(BACK_DOOR)).await, "admitted");
}

#[tokio::test]
async fn who_guessed_still_takes_back_by_code_and_uploads_by_ids() {
    let doors = limited("unknown-codes-per-key", "1/3600").await;
    let (one, other) = (doors.one().await, doors.one().await);
    assert_eq!(doors.reason(scan(&one.code)).await, "admitted");
    assert_eq!(doors.reason(scan("nobody's")).await, "unknown");
    assert_eq!(doors.send(scan(&one.code)).await.kind(), (429, "THROTTLED"));
    let body = json!({"code": one.code});
    assert_eq!(doors.done(post("/v2/b2b/admissions/undo", body)).await["undone"], 1);
    assert_eq!(doors.reason(admit(json!({"tickets": [one.named()]}))).await, "admitted");
    let body = json!({"ticketUUIDs": [one.code]});
    let undone = doors.done(post("/v2/willcall/undocheckintickets", body)).await;
    assert_eq!(undone[0]["uuid"], one.code.as_str(), "{undone}");
    let told = json!({
        "scanId": "0000000a-93d4-4f26-8c1d-70e2a9b4f318", "code": other.code, "at": t0().to_rfc3339(),
    });
    assert_eq!(doors.send(upload(&[told])).await.kind(), (429, "THROTTLED"));
    assert_eq!(doors.past(&other).await["state"], "never", "nothing was noted");
    assert_eq!(outcomes(&doors.done(upload(&[offline(11, &other, t0())])).await), ["recorded"]);
}

#[tokio::test]
async fn codes_that_are_nobodys_count_where_they_are_taken_back_and_uploaded_as_well() {
    let doors = limited("unknown-codes-per-key", "3/3600").await;
    let by_code = |code: &str| post("/v2/b2b/admissions/undo", json!({"code": code}));
    for code in [CARD, "CARD-77"] {
        assert_eq!(doors.done(by_code(code)).await["results"][0]["reason"], "unknown");
    }
    let refused = |code: &str, first: usize| {
        let mut told = told_by_code(&[code], first);
        told[0]["decision"] = json!("refused");
        upload(&told)
    };
    assert_eq!(outcomes(&doors.done(refused("CARD-78", 0)).await), ["unknown"]);
    for ask in [refused(CARD, 1), scan(CARD)] {
        assert_eq!(doors.send(ask.clone()).await.kind(), (429, "THROTTLED"));
        assert_eq!(doors.send(ask.by(BACK_DOOR)).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_codes_that_are_tried_at_once_no_more_are_told_than_the_limit_lets_through() {
    let doors = limited("unknown-codes-per-key", "2/3600").await;
    let tried = |number: u32| {
        let (doors, ask) = (doors.clone(), scan(&format!("CARD-{number}-NONE")));
        async move { doors.send(ask).await.status }
    };
    let answers: [u16; 8] =
        tokio::join!(tried(0), tried(1), tried(2), tried(3), tried(4), tried(5), tried(6), tried(7)).into();
    assert!(answers.iter().all(|status| [200, 429].contains(status)), "{answers:?}");
    let told = answers.iter().filter(|status| **status == 200).count();
    assert_eq!(told, 2);
}

#[tokio::test]
async fn every_barcode_that_is_checked_in_by_hand_is_a_scan() {
    for path in ["/v2/b2b/willcall/checkintickets", "/v2/b2b/willcall/undocheckintickets"] {
        // One of them filled the caches.
        let doors = limited("scans-per-key", "4/60").await;
        let codes: Vec<String> = (0..4).map(|number| format!("{number:032}")).collect();
        let ask = post(path, json!({"ticketUUIDs": codes}));
        assert_eq!(doors.send(ask.clone()).await.status, 200, "{path}");
        assert_eq!(doors.send(ask).await.kind(), (429, "THROTTLED"), "{path}");
    }
}

#[tokio::test]
async fn numbers_of_orders_are_not_guessed() {
    let doors = limited("unknown-codes-per-key", "2/3600").await;
    let sold = doors.one().await;
    let by_number =
        |number: &str| admit(json!({"order": {"orderNumber": number}, "eventId": event(GALLERY, 0)}));
    for number in ["100000001", "100000002"] {
        assert_eq!(doors.send(by_number(number)).await.kind(), (404, "NOT_FOUND"));
    }
    assert_eq!(doors.send(by_number(&sold.number)).await.kind(), (429, "THROTTLED"));
    assert_eq!(doors.done(by_number(&sold.number).by(BACK_DOOR)).await["admitted"], 1);
    let by_id = json!({"order": {"orderId": sold.order}, "eventId": event(GALLERY, 0)});
    assert_eq!(doors.send(admit(by_id)).await.status, 200, "an id is no guess");
}

#[tokio::test]
async fn good_codes_cards_and_numbers_of_orders_are_no_guesses() {
    let doors = limited("unknown-codes-per-key", "1/3600").await;
    let sold = doors.one().await;
    for code in [CARD, &sold.number, &sold.code, CARD] {
        assert_eq!(doors.send(scan(code)).await.status, 200, "{code}");
    }
}

#[tokio::test]
async fn lists_are_limited_by_key() {
    let doors = limited("door-lists-per-key", "1/60").await;
    let list = || get(format!("/v2/b2b/admissions/events/{}", event(GALLERY, 0)));
    assert_eq!(doors.send(list()).await.status, 200);
    assert_eq!(doors.send(list()).await.kind(), (429, "THROTTLED"));
    assert_eq!(doors.send(list().by(BACK_DOOR)).await.status, 200);
}

#[tokio::test]
async fn a_door_goes_on_where_it_cannot_be_counted() {
    let doors = Doors::open().await;
    for call in 0..4 {
        let sold = doors.one().await;
        let failing = doors.another().await;
        failing.0.faults.at_operation("UpdateItem", call, Fault::AnswerLost);
        let answer = failing.send(scan(&sold.code).by(DOOR)).await;
        let is_right = answer.body["admitted"] == 1 || answer.kind() == (503, "TRY_AGAIN");
        assert!(is_right, "{call}: {}", answer.text);
    }
}
