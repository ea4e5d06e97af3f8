//! A request that was half done, and comes again under the same key.

use crate::support::{BACK_DOOR, DOOR, Doors, GALLERY, GARDEN, Sold, TILL, admit, block, event, scan, undo};
use engine::Fault;
use serde_json::{Value, json};
use testkit::walk::Walk;
use testkit::{Answer, Ask, post};

/// All these tickets, under one key.
fn all_of(sold: &[Sold]) -> Ask {
    let named: Vec<Value> = sold.iter().map(Sold::named).collect();
    admit(json!({"tickets": named, "terminalId": "gate-1"})).keyed("the whole class")
}

async fn three_orders(doors: &Doors) -> Vec<Sold> {
    let mut sold = Vec::new();
    for _ in 0..3 {
        sold.extend(doors.sell(event(GALLERY, 0), 2).await);
    }
    sold
}

/// Nobody is inside twice, and whoever the answer says is inside is.
async fn check(doors: &Doors, sold: &[Sold], answer: &Value, case: &str) {
    assert_eq!(
        (answer["admitted"].as_u64(), answer["refused"].as_u64()),
        (Some(6), Some(0)),
        "{case}: {answer}"
    );
    for one in sold {
        let past = doors.past(one).await;
        assert_eq!((&past["entries"], &past["state"]), (&json!(1), &json!("inside")), "{case}: {past}");
        assert_eq!(past["scans"].as_array().unwrap().len(), 1, "{case}: {past}");
    }
}

#[tokio::test]
async fn a_request_that_was_half_done_lets_nobody_in_twice_when_it_comes_again() {
    let faults = [Fault::AnswerLost, Fault::CrashBefore, Fault::CrashAfter];
    let mut walk = Walk::begin("admissions-half-done", 5);
    let calls = {
        let doors = Doors::open().await;
        let sold = three_orders(&doors).await;
        let (answer, calls) = doors.0.counted(all_of(&sold)).await;
        check(&doors, &sold, &answer.done(), "no fault").await;
        calls
    };
    for fault in faults {
        for call in 0..calls {
            if !walk.plays(fault) {
                continue;
            }
            let case = format!("{fault:?} at {call}");
            let doors = Doors::open().await;
            let sold = three_orders(&doors).await;
            let failing = doors.another().await;
            failing.0.faults.at(call, fault);
            let first = failing.send(all_of(&sold)).await;
            assert!([200, 503, 500].contains(&first.status), "{case}: {}", first.text);
            // A key whose request died is taken over after a minute.
            let again = doors.send(all_of(&sold).at_instant(crate::support::after(90))).await;
            check(&doors, &sold, &again.done(), &case).await;
        }
    }
    walk.end(3 * calls);
}

#[tokio::test]
async fn the_same_key_is_answered_the_same_and_another_request_under_it_is_refused() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let first = doors.send(scan(&sold.code).keyed("k")).await;
    let again = doors.send(scan(&sold.code).keyed("k")).await;
    assert_eq!((again.status, again.replayed, &again.body), (200, true, &first.body));
    assert_eq!(first.body["admitted"], 1, "{}", first.text);
    assert_eq!(doors.past(&sold).await["entries"], 1);
    let other = doors.one().await;
    let reused = doors.send(scan(&other.code).keyed("k")).await;
    assert_eq!(reused.kind(), (409, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(doors.past(&other).await["state"], "never");
    // A refusal is repeated as well, even when it would be otherwise by now.
    let refused = doors.send(scan(&sold.code).keyed("other")).await;
    assert_eq!(refused.body["results"][0]["reason"], "alreadyAdmitted");
    doors.done(undo(&sold)).await;
    let repeated = doors.send(scan(&sold.code).keyed("other")).await;
    assert_eq!((repeated.replayed, &repeated.body), (true, &refused.body));
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
}

#[tokio::test]
async fn what_a_till_was_answered_under_a_key_is_not_for_a_door() {
    let doors = Doors::open().await;
    let (blocked, other) = (doors.one().await, doors.one().await);
    doors.done(block(&blocked, true)).await;
    let scanned = || scan(&blocked.code).keyed("scan-1");
    let told = doors.done(scanned().by(TILL)).await;
    assert_eq!(told["results"][0]["blockedReason"], "reported lost", "{told}");
    let by_hand =
        || post("/v2/b2b/willcall/checkintickets", json!({"ticketUUIDs": [other.code]})).keyed("check-in-1");
    let told = doors.done(by_hand().by(TILL)).await;
    assert_eq!(told[0]["email"], "ines@example.test", "{told}");
    for ask in [scanned(), by_hand()] {
        for door in [DOOR, BACK_DOOR] {
            let refused = doors.send(ask.clone().by(door)).await;
            assert_eq!(refused.kind(), (409, "IDEMPOTENCY_KEY_REUSED"), "{}", refused.text);
        }
    }
    // A device that is restarted with another key of its kind is answered.
    let sold = doors.one().await;
    let first = doors.send(scan(&sold.code).keyed("scan-2")).await;
    let again = doors.send(scan(&sold.code).keyed("scan-2").by(BACK_DOOR)).await;
    assert_eq!((again.replayed, &again.body), (true, &first.body));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_doors_with_one_barcode_exactly_one_lets_in() {
    for round in 0..20 {
        let doors = Doors::open().await;
        let sold = doors.sell(event(GARDEN, 0), 1).await.remove(0);
        let other = doors.another().await;
        let (one, two) =
            tokio::join!(doors.send(scan(&sold.code).by(DOOR)), other.send(scan(&sold.code).by(BACK_DOOR)),);
        let results = [&one.body["results"][0], &two.body["results"][0]];
        let admitted = results.iter().filter(|result| result["admitted"] == true).count();
        assert_eq!(admitted, 1, "{round}: {} {}", one.text, two.text);
        let refused = results.into_iter().find(|result| result["admitted"] == false).unwrap();
        assert_eq!(refused["reason"], "alreadyAdmitted", "{round}: {refused}");
        assert_eq!(refused["previous"]["terminalId"], "gate-1", "{round}: {refused}");
        assert_eq!(doors.past(&sold).await["entries"], 1, "{round}");
    }
}

#[tokio::test]
async fn of_many_doors_at_one_order_each_lets_its_own_ticket_in() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 8).await;
    let scanned = |place: usize| {
        let (doors, ask) = (doors.clone(), scan(&sold[place].code));
        async move { doors.send(ask).await }
    };
    let answers: [Answer; 8] = tokio::join!(
        scanned(0),
        scanned(1),
        scanned(2),
        scanned(3),
        scanned(4),
        scanned(5),
        scanned(6),
        scanned(7)
    )
    .into();
    let admitted = answers.iter().filter(|answer| answer.body["admitted"] == 1).count();
    let told: Vec<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
    assert_eq!(admitted, sold.len(), "{told:?}");
}

#[tokio::test]
async fn a_busy_database_is_never_a_refusal() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let calls = doors.0.counted(scan("00000000000000000000000000000000")).await.1;
    assert!(calls > 0);
    for call in 0..4 {
        let busy = doors.another().await;
        for later in call..call + 40 {
            busy.0.faults.at(later, Fault::TransactionConflict);
        }
        let answer = busy.send(scan(&sold.code)).await;
        let is_right = answer.kind() == (503, "TRY_AGAIN") || answer.body["admitted"] == 1;
        assert!(
            is_right || answer.body["results"][0]["reason"] == "alreadyAdmitted",
            "{call}: {}",
            answer.text
        );
        if answer.status == 503 {
            assert!(!answer.header("retry-after").is_empty(), "{call}");
        }
    }
    assert!(doors.past(&sold).await["entries"].as_u64() <= Some(1));
}

#[tokio::test]
async fn a_scan_whose_process_died_is_answered_at_once_when_it_comes_again() {
    for fault in [Fault::CrashBefore, Fault::CrashAfter] {
        let doors = Doors::open().await;
        let sold = doors.one().await;
        let failing = doors.another().await;
        failing.0.faults.at_operation("TransactWriteItems", 0, fault);
        let first = failing.send(scan(&sold.code).keyed("k")).await;
        assert_ne!(first.status, 200, "{fault:?}: {}", first.text);
        let again = doors.send(scan(&sold.code).keyed("k")).await;
        assert_eq!((again.status, &again.body["admitted"]), (200, &json!(1)), "{fault:?}: {}", again.text);
        assert_eq!(doors.past(&sold).await["entries"], 1, "{fault:?}");
    }
}
