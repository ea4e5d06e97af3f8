//! Tills hold seats as the back office does, and a reservation says who made and who changed it.

use crate::support::{Venue, delete, get, post, put};
use serde_json::{Value, json};

const OPERATOR: &str = "x-service-operator";

/// Who made and who changed a reservation, as an answer says.
fn hands(body: &Value) -> (Option<&str>, Option<&str>) {
    (body.get("createdBy").and_then(Value::as_str), body.get("updatedBy").and_then(Value::as_str))
}

#[tokio::test]
async fn a_till_holds_seats_and_a_door_does_not() {
    let venue = Venue::open().await;
    let slot = venue.slot(30, 10).await;
    let id = venue.send(post(&[(slot, 2)]).by("till-1")).await.number();
    assert_eq!(venue.free(slot).await, 8);
    venue.send(put(id, &[(slot, 3)]).by("till-1")).await.done();
    venue.send(get(id).by("key-1")).await.done();
    for ask in [get(id), delete(id), put(id, &[]), post(&[(slot, 1)])] {
        assert_eq!(venue.send(ask.by("gate-1")).await.status, 403);
    }
    venue.send(delete(id).by("till-1")).await.done();
    assert_eq!(venue.free(slot).await, 10);
}

#[tokio::test]
async fn a_reservation_says_who_made_and_who_changed_it_where_that_was_sent() {
    let venue = Venue::open().await;
    let slot = venue.slot(30, 10).await;
    let make = || post(&[(slot, 2)]).keyed("made").header(OPERATOR, " Okafor, Dana ");
    let made = venue.send(make()).await.done();
    assert_eq!(hands(&made), (Some("Okafor, Dana"), Some("Okafor, Dana")));
    let id = made["id"].as_i64().unwrap();
    let unchanged = venue.send(put(id, &[(slot, 2)]).header(OPERATOR, "Kim")).await;
    assert_eq!(
        (unchanged.calls.rounds, hands(&unchanged.body)),
        (1, (Some("Okafor, Dana"), Some("Okafor, Dana")))
    );
    let changed = venue.send(put(id, &[(slot, 3)]).header(OPERATOR, "Kim")).await.done();
    assert_eq!(hands(&changed), (Some("Okafor, Dana"), Some("Kim")));
    assert_eq!(hands(&venue.send(get(id)).await.done()), (Some("Okafor, Dana"), Some("Kim")));
    let again = venue.send(make()).await;
    assert!(again.replayed);
    assert_eq!(again.body, made, "a repetition is answered as it was made");
    let unsaid = venue.send(put(id, &[(slot, 4)])).await.done();
    assert_eq!(hands(&unsaid), (Some("Okafor, Dana"), None));
}

#[tokio::test]
async fn an_operator_is_one_short_line_and_no_card_number() {
    let venue = Venue::open().await;
    let slot = venue.slot(30, 10).await;
    let sent = |text: &str| post(&[(slot, 1)]).header(OPERATOR, text);
    for text in ["a".repeat(61), "Dana\tKim".to_owned(), "\u{202e}anaD".to_owned(), "\u{200b}".to_owned()] {
        let refused = venue.send(sent(&text)).await;
        let told = json!([{"field": OPERATOR, "message": "must be one line of 1 to 60 characters"}]);
        assert_eq!((refused.status, &refused.body["details"]), (400, &told), "{text:?}");
    }
    let empty = venue.send(sent(" ")).await;
    assert_eq!(empty.body["details"], json!([{"field": OPERATOR, "message": "must not be empty"}]));
    let card = venue.send(sent("4242 4242 4242 4242")).await.done();
    assert_eq!(hands(&card).0, Some("****4242"));
    let longest = "\u{e9}".repeat(60);
    assert_eq!(hands(&venue.send(sent(&longest)).await.done()).0, Some(longest.as_str()));
    assert_eq!(venue.free(slot).await, 8);
}
