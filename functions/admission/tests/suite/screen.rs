//! The screen of the day, which shows who came.

use crate::support::{
    DOOR, Doors, GALLERY, GARDEN, STAFF, after, event, exchange, leave, refund, scan, scan_into,
};
use domain::InstanceId;
use serde_json::{Value, json};
use testkit::{Ask, get};

const DAY: &str = "startTime=2027-06-01T00:00:00&endTime=2027-06-01T23:59:59";

/// The instance with this id, alone or of a list.
async fn shown(doors: &Doors, ask: Ask, id: &str) -> Value {
    let answer = doors.done(ask).await;
    let Some(list) = answer["list"].as_array() else { return answer };
    list.iter().find(|one| one["id"] == id).unwrap().clone()
}

#[tokio::test]
async fn instances_show_who_came_and_who_is_inside() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GARDEN, 0), 3).await;
    for ticket in &sold[..2] {
        assert_eq!(doors.reason(scan(&ticket.code)).await, "admitted");
    }
    assert_eq!(doors.reason(leave(&sold[0].code)).await, "admitted");
    let instances = "/v2/b2b/event/instances";
    let (id, empty) = (event(GARDEN, 0).to_string(), event(GARDEN, 1).to_string());
    for path in [
        format!("{instances}?{DAY}"),
        format!("{instances}/{id}"),
        format!("/v2/b2b/event/templates/{GARDEN}/instances?{DAY}"),
    ] {
        let one = shown(&doors, get(path.as_str()).by(STAFF), &id).await;
        assert_eq!((&one["checkInCount"], &one["soldQuantity"]), (&json!(2), &json!(3)), "{path}");
    }
    let summaries = format!("{instances}/summaries?{DAY}");
    for (id, expected) in [(&id, [2, 1]), (&empty, [0, 0])] {
        let one = shown(&doors, get(summaries.as_str()).by(DOOR), id).await;
        assert_eq!([&one["checkedIn"], &one["inside"]], expected.map(|count| json!(count)).each_ref());
    }
}

/// How many came to an instance, and how many are inside.
async fn counted(doors: &Doors, event: InstanceId) -> [u64; 2] {
    let summaries = format!("/v2/b2b/event/instances/summaries?{DAY}");
    let one = shown(doors, get(summaries.as_str()).by(DOOR), &event.to_string()).await;
    ["checkedIn", "inside"].map(|count| one[count].as_u64().unwrap())
}

#[tokio::test]
async fn whoever_is_inside_with_a_ticket_that_is_exchanged_is_counted_out() {
    let doors = Doors::open().await;
    let (early, late) = (event(GALLERY, 0), event(GALLERY, 1));
    let sold = doors.sell(early, 2).await;
    for ticket in &sold {
        assert_eq!(doors.reason(scan(&ticket.code)).await, "admitted");
    }
    let refused = doors.send(exchange(&sold[0], late, json!({}))).await;
    assert_eq!((refused.kind(), counted(&doors, early).await), ((409, "NOT_EXCHANGEABLE"), [2, 2]));
    doors.done(exchange(&sold[0], late, json!({"force": true}))).await;
    assert_eq!((counted(&doors, early).await, counted(&doors, late).await), ([2, 1], [0, 0]));
    let past = doors.past(&sold[0]).await;
    assert_eq!((&past["state"], &past["entries"]), (&json!("left"), &json!(1)), "{past}");
    let exit = &past["scans"][0];
    assert_eq!([&exit["type"], &exit["key"]], ["exit", STAFF].map(|text| json!(text)).each_ref(), "{past}");
    // The new ticket lets somebody in of its own, once.
    let tickets = doors.tickets(&sold[0].order).await;
    let new = tickets.iter().find(|ticket| sold.iter().all(|old| old.ticket != ticket.ticket)).unwrap();
    let again = || scan_into(&new.code, late).at_instant(after(3_600));
    assert_eq!(doors.reason(again()).await, "admitted");
    assert_eq!(doors.reason(again()).await, "alreadyAdmitted");
    assert_eq!((counted(&doors, early).await, counted(&doors, late).await), ([2, 1], [1, 1]));
    assert_eq!(doors.reason(leave(&sold[0].code)).await, "notInside");
}

#[tokio::test]
async fn whoever_is_inside_with_a_ticket_that_is_refunded_counts_until_they_leave() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    doors.done(refund(&sold, json!({"force": true}))).await;
    assert_eq!(counted(&doors, event(GALLERY, 0)).await, [1, 1]);
    assert_eq!(doors.reason(scan(&sold.code)).await, "refunded");
    assert_eq!(doors.reason(leave(&sold.code)).await, "admitted");
    assert_eq!(counted(&doors, event(GALLERY, 0)).await, [1, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_leaves_while_the_ticket_is_exchanged_is_counted_out_once() {
    for _ in 0..4 {
        let doors = Doors::open().await;
        let gate = doors.another().await;
        let sold = doors.one().await;
        assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
        let exchanged = exchange(&sold, event(GALLERY, 1), json!({"force": true}));
        let (left, exchanged) = tokio::join!(gate.send(leave(&sold.code)), doors.send(exchanged));
        assert_eq!((left.status, exchanged.status), (200, 200), "{} {}", left.text, exchanged.text);
        assert_eq!(counted(&doors, event(GALLERY, 0)).await, [1, 0]);
        let past = doors.past(&sold).await;
        let scans = past["scans"].as_array().unwrap().iter();
        let exits = scans.filter(|scan| scan["type"] == "exit" && scan["admitted"] == true).count();
        assert_eq!(exits, 1, "{past}");
    }
}
