//! Member cards at a door.

use crate::support::{
    CARD, Doors, GALLERY, TILL, admit, after, event, force, leave, outcomes, owner, scan, t0, upload,
};
use domain::tenant::CardReentry;
use serde_json::{Value, json};
use store::Consistency;
use store::admission::MAX_TOLD_VISITS;
use testkit::catalog::{NUMBER, membership, with};
use testkit::post;

/// A membership of one card, with these fields.
fn other(fields: Value) -> Value {
    let cards =
        json!([{"id": 9, "person": {"first_name": "Cleo", "last_name": "Marsh"}, "barcode": "CARD-9"}]);
    with(json!({"id": 4_820_118, "number": 391_150_282, "cards": cards}), fields)
}

async fn save(doors: &Doors, fields: Value) {
    doors.0.store.save_membership(owner(), "other", &membership(other(fields))).await.unwrap();
}

#[tokio::test]
async fn a_card_that_is_in_force_is_let_in_and_a_later_visit_of_the_day_is_told() {
    let doors = Doors::open().await;
    let first = doors.result(scan(CARD)).await;
    let card = json!({
        "membershipId": testkit::catalog::MEMBERSHIP, "serviceMembershipNumber": NUMBER.to_string(),
        "levelName": "Family", "cardName": "Ada Byron", "cardType": "primary", "cardStanding": "active",
        "membershipExpirationDate": "2027-12-31T23:59:59-05:00", "visitsToday": 1,
    });
    assert_eq!(
        (&first["admitted"], &first["kind"], &first["card"]),
        (&json!(true), &json!("membership"), &card)
    );
    assert_eq!(first.get("warnings"), None);
    let second = doors.result(scan(&CARD.to_lowercase()).at_instant(after(600))).await;
    assert_eq!((&second["admitted"], &second["warnings"]), (&json!(true), &json!(["alreadyAdmitted"])));
    assert_eq!(second["card"]["visitsToday"], 2);
    // Another day, another card.
    let tomorrow = doors.result(scan(CARD).at_instant(after(86_400))).await;
    assert_eq!((tomorrow.get("warnings"), &tomorrow["card"]["visitsToday"]), (None, &json!(1)));
    let partner = doors.result(scan("CARD-2")).await;
    assert_eq!((partner.get("warnings"), &partner["card"]["visitsToday"]), (None, &json!(1)));
}

#[tokio::test]
async fn where_the_venue_wants_it_a_card_opens_the_door_once_a_day() {
    let doors = Doors::open().await;
    let mut tenant = doors.0.store.load_tenant(owner(), Consistency::Strong).await.unwrap().unwrap();
    tenant.door.card_reentry = CardReentry::Never;
    doors.0.store.save_tenant(&tenant).await.unwrap();
    let doors = doors.another().await;
    assert_eq!(doors.reason(scan(CARD)).await, "admitted");
    assert_eq!(doors.reason(scan(CARD)).await, "alreadyAdmitted");
    assert_eq!(doors.reason(scan(CARD).at_instant(after(86_400))).await, "admitted");
}

#[tokio::test]
async fn a_number_of_several_held_cards_is_asked_for_the_card() {
    let doors = Doors::open().await;
    let asked = doors.result(scan(&NUMBER.to_string())).await;
    let cards = json!([{"cardId": 1, "cardName": "Ada Byron"}, {"cardId": 2, "cardName": "Ben Byron"}]);
    assert_eq!((&asked["reason"], &asked["cards"]), (&json!("ambiguous"), &cards), "{asked}");
    let body = json!({"code": NUMBER.to_string(), "cardId": 2});
    let ben = doors.result(admit(body)).await;
    assert_eq!((&ben["admitted"], &ben["card"]["cardName"]), (&json!(true), &json!("Ben Byron")));
}

#[tokio::test]
async fn a_card_that_is_not_in_force_is_refused_and_told_why() {
    for (fields, reason) in [
        (json!({"expires": "2027-03-01T04:59:59Z"}), "membershipLapsed"),
        (json!({"started": "2027-09-01T04:00:00Z", "expires": "2028-09-01T03:59:59Z"}), "membershipNotYet"),
        (
            json!({"cards": [{"id": 9, "person": {"first_name": "Cleo", "last_name": "Marsh"}, "barcode": "CARD-9", "standing": "dropped"}]}),
            "cardDropped",
        ),
        (
            json!({"cards": [{"id": 9, "person": {"first_name": "Cleo", "last_name": "Marsh"}, "barcode": "CARD-9", "standing": "replaced"}]}),
            "cardReplaced",
        ),
    ] {
        let doors = Doors::open().await;
        save(&doors, fields.clone()).await;
        // A card that is not held any more is found by the membership's number.
        let code = if reason.starts_with("card") { "391150282" } else { "CARD-9" };
        let refused = doors.result(scan(code)).await;
        assert_eq!(
            (refused["reason"].as_str(), refused.get("admissionId")),
            (Some(reason), None),
            "{refused}"
        );
        assert_eq!(refused["card"]["visitsToday"], 0, "{refused}");
        // Nobody insists on a membership.
        let body = json!({"code": code, "force": true, "forceReason": "a friend"});
        assert_eq!(doors.reason(admit(body).by(TILL)).await, reason);
        let body = json!({"membershipBarcode": code});
        let given = doors.done(post("/v2/willcall/checkinticketsexternal", body)).await;
        assert_eq!(given["checkInStatus"], 11, "{fields}");
    }
}

#[tokio::test]
async fn a_visit_is_repeated_by_its_key_and_counted_once() {
    let doors = Doors::open().await;
    let first = doors.send(scan(CARD).keyed("visit")).await;
    let again = doors.send(scan(CARD).keyed("visit")).await;
    assert_eq!((again.replayed, &again.body), (true, &first.body));
    let next = doors.result(scan(CARD)).await;
    assert_eq!(next["card"]["visitsToday"], 2);
}

#[tokio::test]
async fn a_look_up_of_a_card_says_what_a_scan_would_and_counts_no_visit() {
    let doors = Doors::open().await;
    let looked_up = post("/v2/b2b/admissions/lookup", json!({"code": CARD}));
    let before = doors.done(looked_up.clone()).await;
    assert_eq!((&before["kind"], &before["result"]["admitted"]), (&json!("membership"), &json!(true)));
    assert_eq!(doors.done(looked_up).await, before, "a look-up has no effect");
    let into = doors.result(admit(json!({"code": CARD, "eventId": event(GALLERY, 0)}))).await;
    assert_eq!((&into["admitted"], &into["card"]["visitsToday"]), (&json!(true), &json!(1)));
}

/// A venue whose cards open the door once a day.
async fn once_a_day() -> Doors {
    let doors = Doors::open().await;
    let mut tenant = doors.0.store.load_tenant(owner(), Consistency::Strong).await.unwrap().unwrap();
    tenant.door.card_reentry = CardReentry::Never;
    doors.0.store.save_tenant(&tenant).await.unwrap();
    doors.another().await
}

async fn visit(doors: &Doors) -> domain::admission::Visit {
    let date = "2027-06-01".parse().unwrap();
    let card = domain::CardId::parse(1).unwrap();
    doors.0.store.load_visit(owner(), date, card).await.unwrap().unwrap()
}

#[tokio::test]
async fn staff_let_a_card_in_once_more_and_it_is_noted_who_did_and_why() {
    let doors = once_a_day().await;
    // Nothing stands against the first visit.
    let first = doors.result(force(json!({"code": CARD}))).await;
    assert_eq!((&first["admitted"], first.get("forced")), (&json!(true), None), "{first}");
    assert_eq!(visit(&doors).await.forced, None);
    assert_eq!(doors.reason(scan(CARD)).await, "alreadyAdmitted");
    let insisted = force(json!({"code": CARD})).keyed("once more");
    let again = doors.result(insisted.clone()).await;
    assert_eq!((&again["admitted"], &again["forced"]), (&json!(true), &json!(true)), "{again}");
    assert_eq!(again["card"]["visitsToday"], 2);
    let noted = visit(&doors).await.forced.unwrap();
    assert_eq!((noted.actor.key.as_str(), noted.reason.as_str()), (TILL, "knows the director"));
    assert_eq!(doors.result(insisted).await, again, "the repetition counts nothing");
    assert_eq!(visit(&doors).await.visits, 2);
    let given = json!({"membershipBarcode": CARD, "validate": false});
    let given = doors.done(post("/v2/willcall/checkinticketsexternal", given).by(TILL)).await;
    assert_eq!((&given["checkInStatus"], visit(&doors).await.visits), (&json!(1), 3));
}

/// A scan of a card that a device made.
fn told(number: u64, fields: Value) -> Value {
    let usual = json!({
        "scanId": format!("{number:08x}-5e07-4b1c-9f36-2ad4b8c06e11"), "code": CARD, "at": t0().to_rfc3339(),
    });
    with(usual, fields)
}

#[tokio::test]
async fn visits_that_a_device_tells_of_are_counted_once_on_their_day() {
    let doors = Doors::open().await;
    let scans = [
        told(1, json!({"at": after(-7_200).to_rfc3339()})),
        told(2, json!({"code": CARD.to_lowercase(), "at": after(-3_600).to_rfc3339()})),
        told(3, json!({"type": "exit"})),
        told(4, json!({"decision": "refused"})),
        told(5, json!({"code": "nobody's"})),
        told(6, json!({"code": NUMBER.to_string()})),
        told(7, json!({"at": after(-86_400).to_rfc3339()})),
    ];
    let first = doors.done(upload(&scans)).await;
    let expected = ["recorded", "recorded", "recorded", "recorded", "unknown", "notValid", "recorded"];
    assert_eq!(outcomes(&first), expected);
    assert_eq!(visit(&doors).await.visits, 2);
    // Online in between: what was told is known for ever.
    assert_eq!(doors.result(scan(CARD)).await["card"]["visitsToday"], 3);
    let again = doors.done(upload(&scans)).await;
    let expected = ["duplicate", "duplicate", "recorded", "recorded", "unknown", "notValid", "duplicate"];
    assert_eq!(outcomes(&again), expected);
    assert_eq!(visit(&doors).await.visits, 3);
}

#[tokio::test]
async fn of_one_name_in_an_upload_and_several_cards_or_days_the_first_stands() {
    let doors = Doors::open().await;
    let scans = [
        told(1, json!({})),
        told(1, json!({"code": "CARD-2"})),
        told(1, json!({"at": after(-86_400).to_rfc3339()})),
        told(2, json!({"code": "CARD-2"})),
    ];
    let expected = ["recorded", "duplicate", "duplicate", "recorded"];
    assert_eq!(outcomes(&doors.done(upload(&scans)).await), expected);
    assert_eq!(doors.result(scan("CARD-2")).await["card"]["visitsToday"], 2);
}

#[tokio::test]
async fn the_visits_of_a_day_that_devices_tell_of_have_an_end() {
    let doors = Doors::open().await;
    let most = u64::from(MAX_TOLD_VISITS);
    let scans: Vec<Value> = (0..most).map(|number| told(number, json!({}))).collect();
    let noted = doors.done(upload(&scans)).await;
    assert!(outcomes(&noted).iter().all(|outcome| *outcome == "recorded"), "{noted}");
    let more = [told(most, json!({})), told(0, json!({}))];
    assert_eq!(outcomes(&doors.done(upload(&more)).await), ["notValid", "duplicate"]);
    assert_eq!(visit(&doors).await.visits, MAX_TOLD_VISITS);
    let day_before = [told(most, json!({"at": after(-86_400).to_rfc3339()}))];
    assert_eq!(outcomes(&doors.done(upload(&day_before)).await), ["recorded"]);
    assert_eq!(doors.result(scan(CARD)).await["card"]["visitsToday"], most + 1, "a door goes on");
}

#[tokio::test]
async fn a_visit_too_many_that_a_device_tells_of_is_counted_and_told() {
    let doors = once_a_day().await;
    assert_eq!(doors.reason(scan(CARD)).await, "admitted");
    assert_eq!(outcomes(&doors.done(upload(&[told(1, json!({}))])).await), ["conflict"]);
    assert_eq!(visit(&doors).await.visits, 2);
    save(&doors, json!({"expires": "2027-03-01T04:59:59Z"})).await;
    let lapsed = told(2, json!({"code": "CARD-9"}));
    assert_eq!(outcomes(&doors.done(upload(&[lapsed])).await), ["notValid"]);
}

#[tokio::test]
async fn who_leaves_visits_no_more_often() {
    let doors = Doors::open().await;
    assert_eq!(doors.reason(scan(CARD)).await, "admitted");
    let out = doors.result(leave(CARD)).await;
    assert_eq!(
        (&out["admitted"], out.get("warnings"), &out["card"]["visitsToday"]),
        (&json!(true), None, &json!(1))
    );
    let back = doors.result(scan(CARD)).await;
    assert_eq!((&back["warnings"], &back["card"]["visitsToday"]), (&json!(["alreadyAdmitted"]), &json!(2)));
}
