//! Devices that were offline tell what they did.

use crate::support::{
    Doors, GALLERY, GARDEN, PIER, Sold, TILL, after, block, event, leave, offline, outcomes, owner, refund,
    scan, t0, undo, upload,
};
use domain::TemplateId;
use serde_json::{Value, json};
use testkit::catalog::with;
use testkit::post;
use testkit::walk::Walk;

/// Twelve scans of four orders, by a device whose clock is so far ahead.
async fn kept(doors: &Doors, ahead_secs: i64) -> (Vec<Sold>, Vec<Value>) {
    let mut sold: Vec<Sold> = Vec::new();
    for _ in 0..4 {
        sold.extend(doors.sell(event(GALLERY, 0), 3).await);
    }
    let scans = (1..).zip(&sold).map(|(number, sold)| offline(number, sold, after(ahead_secs))).collect();
    (sold, scans)
}

/// How many the gallery counts as let in.
async fn counted(doors: &Doors) -> i64 {
    let template = TemplateId::parse(GALLERY).unwrap();
    let counts = doors.0.store.load_counts(owner(), &template, t0(), after(86_400)).await.unwrap();
    counts.values().map(|counts| counts.admitted).sum()
}

/// All twelve were let in, each of them once.
async fn check_counted_once(doors: &Doors, sold: &[Sold], at: &str, case: &str) {
    for one in sold {
        let past = doors.past(one).await;
        assert_eq!((&past["entries"], &past["state"]), (&json!(1), &json!("inside")), "{case}: {past}");
        assert_eq!(past["checkInDate"], at, "{case}");
        let scans = past["scans"].as_array().unwrap();
        assert_eq!(scans.len(), 1, "{case}: {past}");
        let told = (&scans[0]["offline"], &scans[0]["terminalId"]);
        assert_eq!(told, (&json!(true), &json!("pocket-7")), "{case}");
    }
    assert_eq!(counted(doors).await, 12, "{case}");
}

#[tokio::test]
async fn an_upload_that_is_cut_in_the_middle_and_sent_three_times_by_a_wrong_clock_is_counted_once() {
    // The device's clock is two hours slow.
    let whole = Doors::open().await;
    let (_, scans) = kept(&whole, -7_200).await;
    let (told, calls) = whole.another().await.0.counted(upload(&scans)).await;
    assert_eq!(outcomes(&told.done()), ["recorded"; 12]);
    let (mut walk, mut halves) = (Walk::begin("upload-calls", 6), 0);
    for call in 0..calls {
        // Of the last calls each is one of several writes.
        if !walk.plays(call + 2 >= calls) {
            continue;
        }
        let case = format!("cut at {call} of {calls}");
        let doors = Doors::open().await;
        let (sold, scans) = kept(&doors, -7_200).await;
        let dying = doors.another().await;
        dying.0.faults.at(call, engine::Fault::CrashBefore);
        let _ = dying.send(upload(&scans)).await;
        halves += usize::from((1..12).contains(&counted(&doors).await));
        for _ in 0..3 {
            let answer = doors.done(upload(&scans)).await;
            let is_told = |outcome: &&str| ["recorded", "duplicate"].contains(outcome);
            assert!(outcomes(&answer).iter().all(is_told), "{case}: {answer}");
        }
        assert_eq!(outcomes(&doors.done(upload(&scans)).await), ["duplicate"; 12], "{case}");
        check_counted_once(&doors, &sold, "2027-06-01T08:00:00-04:00", &case).await;
        assert_eq!(doors.past(&sold[0]).await["scans"][0]["receivedAt"], "2027-06-01T10:00:00-04:00");
    }
    assert!(halves > 0, "none was cut in the middle");
    walk.end(12);
}

#[tokio::test]
async fn a_clock_that_is_two_hours_fast_is_told_so_until_its_scans_are_past_and_they_are_counted_once() {
    let doors = Doors::open().await;
    let (sold, scans) = kept(&doors, 7_200).await;
    assert_eq!(doors.send(upload(&scans)).await.kind(), (400, "VALIDATION_ERROR"));
    assert_eq!(counted(&doors).await, 0);
    for outcome in ["recorded", "duplicate", "duplicate"] {
        let later = upload(&scans).at_instant(after(7_200));
        assert_eq!(outcomes(&doors.done(later).await), [outcome; 12]);
    }
    check_counted_once(&doors, &sold, "2027-06-01T12:00:00-04:00", "fast").await;
}

#[tokio::test]
async fn whatever_order_uploads_come_in_the_first_entry_is_the_earliest() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let doors = Doors::open().await;
        let sold = doors.sell(event(PIER, 0), 1).await.remove(0);
        let scans = [after(-300), after(-200), after(-100)];
        for place in order {
            let scan = offline(place, &sold, scans[usize::try_from(place).unwrap()]);
            assert_eq!(outcomes(&doors.done(upload(&[scan])).await), ["recorded"]);
        }
        let past = doors.past(&sold).await;
        assert_eq!(past["checkInDate"], "2027-06-01T09:55:00-04:00", "{order:?}");
        assert_eq!(
            (&past["entries"], &past["lastEntryDate"]),
            (&json!(3), &json!("2027-06-01T09:58:20-04:00"))
        );
    }
}

#[tokio::test]
async fn a_second_admission_is_kept_and_marked() {
    let doors = Doors::open().await;
    for (of, second) in [(GALLERY, "conflict"), (GARDEN, "conflict"), (PIER, "recorded")] {
        let sold = doors.sell(event(of, 0), 1).await.remove(0);
        assert_eq!(doors.reason(scan(&sold.code)).await, "admitted", "{of}");
        let again = doors.done(upload(&[offline(1, &sold, after(-60))])).await;
        assert_eq!(outcomes(&again), [second], "{of}");
        let past = doors.past(&sold).await;
        assert_eq!(past["entries"], 2, "{of}: {past}");
        let marked =
            past["scans"].as_array().unwrap().iter().filter(|scan| scan["doubleAdmission"] == true).count();
        assert_eq!(marked, usize::from(second == "conflict"), "{of}: {past}");
    }
    // Between an exit and an entry there is room.
    let sold = doors.sell(event(GARDEN, 0), 1).await.remove(0);
    let leaving = with(offline(8, &sold, after(-50)), json!({"type": "exit"}));
    let both = [offline(7, &sold, after(-60)), leaving, offline(9, &sold, after(-40))];
    assert_eq!(outcomes(&doors.done(upload(&both)).await), ["recorded"; 3]);
}

#[tokio::test]
async fn what_does_not_admit_is_kept_as_a_scan_and_admits_nobody() {
    let doors = Doors::open().await;
    let (refunded, blocked, other) = (doors.one().await, doors.one().await, doors.one().await);
    doors.done(refund(&refunded, json!({}))).await;
    doors.done(block(&blocked, true)).await;
    let elsewhere = with(offline(3, &other, t0()), json!({"eventId": event(GARDEN, 0)}));
    let scans = [offline(1, &refunded, t0()), offline(2, &blocked, t0()), elsewhere];
    assert_eq!(outcomes(&doors.done(upload(&scans)).await), ["notValid"; 3]);
    for sold in [&refunded, &blocked, &other] {
        let past = doors.past(sold).await;
        assert_eq!((&past["entries"], &past["checkInDate"]), (&json!(0), &Value::Null), "{past}");
        let scan = &past["scans"][0];
        assert_eq!((&scan["admitted"], &scan["notValid"]), (&json!(false), &json!(true)), "{past}");
    }
}

#[tokio::test]
async fn refused_scans_are_noted_and_unknown_ones_are_not() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let refused = with(offline(1, &sold, t0()), json!({"decision": "refused", "reason": "tooLate"}));
    let by_code = json!({
        "scanId": "00000002-93d4-4f26-8c1d-70e2a9b4f318", "code": sold.code.to_uppercase(), "at": t0().to_rfc3339(),
    });
    let stranger = json!({
        "scanId": "00000003-93d4-4f26-8c1d-70e2a9b4f318", "code": "nobody's", "at": t0().to_rfc3339(),
    });
    let stale = with(offline(4, &sold, t0()), json!({"ticketId": "7"}));
    let answer = doors.done(upload(&[refused, by_code, stranger, stale])).await;
    assert_eq!(outcomes(&answer), ["recorded", "recorded", "unknown", "unknown"]);
    let past = doors.past(&sold).await;
    assert_eq!((&past["entries"], past["scans"].as_array().unwrap().len()), (&json!(1), 2), "{past}");
}

#[tokio::test]
async fn a_scan_with_other_content_under_a_known_name_is_a_duplicate() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    assert_eq!(outcomes(&doors.done(upload(&[offline(1, &sold, t0())])).await), ["recorded"]);
    let other = with(offline(1, &sold, after(-60)), json!({"decision": "refused"}));
    assert_eq!(outcomes(&doors.done(upload(&[other.clone(), other])).await), ["duplicate"; 2]);
    // For ever, and not for a day.
    let later = upload(&[offline(1, &sold, after(86_400 * 2))]).at_instant(after(86_400 * 2));
    assert_eq!(outcomes(&doors.done(later).await), ["duplicate"]);
    assert_eq!(doors.past(&sold).await["entries"], 1);
}

#[tokio::test]
async fn many_scans_of_one_order_are_all_noted() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(PIER, 0), 100).await;
    let scans: Vec<Value> = (0..500)
        .map(|number: u32| {
            let place = usize::try_from(number).unwrap() % sold.len();
            offline(u64::from(number), &sold[place], after(-i64::from(number)))
        })
        .collect();
    let answer = doors.done(upload(&scans)).await;
    assert_eq!(outcomes(&answer), vec!["recorded"; 500]);
    let history = doors.history(&sold[0].order).await;
    let entries: u64 =
        history["tickets"].as_array().unwrap().iter().map(|one| one["entries"].as_u64().unwrap()).sum();
    assert_eq!((entries, &history["checkInQuantity"]), (500, &json!(100)));
    assert_eq!(outcomes(&doors.done(upload(&scans)).await), vec!["duplicate"; 500]);
}

#[tokio::test]
async fn online_scans_after_an_upload_see_who_is_inside() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    doors.done(upload(&[offline(1, &sold, after(-30))])).await;
    let second = doors.result(scan(&sold.code)).await;
    assert_eq!(
        (&second["reason"], &second["previous"]["terminalId"]),
        (&json!("alreadyAdmitted"), &json!("pocket-7"))
    );
    assert_eq!(doors.reason(leave(&sold.code)).await, "admitted");
    // The till takes back both, the last one first.
    for state in ["inside", "never"] {
        assert_eq!(doors.done(undo(&sold).by(TILL)).await["undone"], 1);
        assert_eq!(doors.past(&sold).await["state"], state);
    }
}

#[tokio::test]
async fn every_fault_of_an_upload_is_told_and_nothing_is_noted() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let good = offline(1, &sold, t0());
    let faulty = json!([
        good,
        with(offline(2, &sold, t0()), json!({"scanId": "seven"})),
        with(offline(3, &sold, t0()), json!({"at": after(301).to_rfc3339()})),
        with(offline(4, &sold, t0()), json!({"at": after(-7 * 86_400 - 1).to_rfc3339()})),
        with(offline(5, &sold, t0()), json!({"at": null, "decision": "maybe", "code": "a"})),
        7,
    ]);
    let answer =
        doors.send(post("/v2/b2b/admissions/uploads", json!({"scans": faulty, "terminalId": "a/b"}))).await;
    let expected = [
        "/terminalId",
        "/scans/1/scanId",
        "/scans/2/at",
        "/scans/3/at",
        "/scans/4/code",
        "/scans/4/at",
        "/scans/4/decision",
        "/scans/5",
    ];
    assert_eq!(
        (answer.kind(), answer.pointers()),
        ((400, "VALIDATION_ERROR"), expected.map(str::to_owned).to_vec())
    );
    for body in [json!({}), json!({"scans": []}), json!({"scans": vec![good; 501]})] {
        let refused = doors.send(post("/v2/b2b/admissions/uploads", body)).await;
        assert_eq!(
            (refused.status, refused.pointers()),
            (400, vec!["/scans".to_owned()]),
            "{}",
            refused.text
        );
    }
    assert_eq!(doors.past(&sold).await["state"], "never");
}

#[tokio::test]
async fn a_device_s_own_reason_is_told_in_the_history() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 2).await;
    let refused = |number: u64, sold: &Sold, reason: &str| {
        with(offline(number, sold, t0()), json!({"decision": "refused", "reason": reason}))
    };
    let scans =
        [refused(1, &sold[0], "no wristband, card 4111111111111111"), refused(2, &sold[1], "tooLate")];
    assert_eq!(outcomes(&doors.done(upload(&scans)).await), ["recorded"; 2]);
    let own = doors.past(&sold[0]).await["scans"][0].clone();
    assert_eq!((&own["reason"], &own["deviceReason"]), (&Value::Null, &json!("no wristband, card ****1111")));
    let ours = doors.past(&sold[1]).await["scans"][0].clone();
    assert_eq!((&ours["reason"], &ours["deviceReason"]), (&json!("tooLate"), &Value::Null));
}

#[tokio::test]
async fn an_exit_of_who_never_entered_keeps_nobody_out() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let leaving = with(offline(1, &sold, after(-60)), json!({"type": "exit"}));
    assert_eq!(outcomes(&doors.done(upload(&[leaving])).await), ["recorded"]);
    assert_eq!(doors.past(&sold).await["state"], "never");
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
}
