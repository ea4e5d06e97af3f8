//! Expiry, capacity and sale windows.

use crate::support::{PATH, Venue, after, delete, get, post, put, reservation, stable};
use domain::ledger::{LedgerChange, OwnHold, SlotState};
use domain::{ReservationId, TenantId};
use serde_json::json;
use testkit::ask;
use testkit::catalog::with;

#[tokio::test]
async fn at_exactly_its_expiry_a_hold_is_dead_and_its_seats_go_to_the_next_caller() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 10).await;
    let id = venue.send(post(&[(slot, 9)])).await.number();
    let short = venue.send(post(&[(slot, 2)]).at(&after(599))).await;
    assert_eq!(short.body["eventId"], json!(slot));
    let mut stable = stable(&short);
    stable.as_object_mut().unwrap().remove("eventId");
    insta::assert_json_snapshot!(stable, @r#"
    {
      "availableSeats": 1,
      "details": [
        {
          "field": "/reservationItems/0/quantity",
          "message": "must be at most 1, the seats available"
        }
      ],
      "errorCode": 20008,
      "message": "Not enough seats are left",
      "requestId": "…",
      "type": "NOT_ENOUGH_CAPACITY"
    }
    "#);
    assert_eq!(venue.send(get(id).at(&after(599))).await.status, 200);
    for dead in [get(id).at(&after(600)), delete(id).at(&after(600)), put(id, &[(slot, 9)]).at(&after(600))] {
        assert_eq!(venue.send(dead).await.status, 404);
    }
    assert_eq!(venue.send(post(&[(slot, 2)]).at(&after(600))).await.status, 200);
    assert_eq!(venue.free(slot).await, 8);
    assert_eq!(venue.send(delete(id).at(&after(601))).await.status, 404);
    assert_eq!(venue.free(slot).await, 8, "a late release gives nothing back twice");
}

#[tokio::test]
async fn an_extension_is_capped_half_an_hour_after_creation() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 10).await;
    let id = venue.send(post(&[(slot, 2)])).await.number();
    for (asked, status, expected) in [
        ("2027-05-01T10:20:00-04:00", 200, "2027-05-01T10:20:00-04:00"),
        ("2099-01-01T00:00:00-05:00", 200, "2027-05-01T10:30:00-04:00"),
        ("2027-05-01T10:12:00-04:00", 200, "2027-05-01T10:12:00-04:00"),
        ("2027-05-01T10:00:00-04:00", 400, "2027-05-01T10:12:00-04:00"),
    ] {
        let fields = json!({"id": id, "expirationTimestamp": asked});
        let change = testkit::put(PATH, with(reservation(&[(slot, 2)]), fields));
        let answer = venue.send(change.at(&after(1))).await;
        assert_eq!(answer.status, status, "{asked}");
        let read = venue.send(get(id).at(&after(2))).await;
        assert_eq!(read.body["expirationTimestamp"], expected, "{asked}");
    }
    assert_eq!(venue.send(get(id).at(&after(719))).await.status, 200);
    assert_eq!(venue.send(get(id).at(&after(720))).await.status, 404);
}

#[tokio::test]
async fn a_refused_change_leaves_everything_as_it_was() {
    let venue = Venue::open().await;
    let (first, second) = (venue.slot(24, 5).await, venue.slot(48, 5).await);
    let made = venue.send(post(&[(first, 5)])).await;
    let id = made.number();
    assert_eq!(venue.send(put(id, &[(first, 5)])).await.status, 200, "unchanged, on a full event");
    for refused in
        [put(id, &[(first, 6)]), put(id, &[(second, 1), (first, 6)]), post(&[(second, 5), (first, 1)])]
    {
        assert_eq!(venue.send(refused).await.error(), "NOT_ENOUGH_CAPACITY");
    }
    assert_eq!(venue.send(get(id)).await.body, made.body);
    assert_eq!((venue.free(first).await, venue.free(second).await), (0, 5));
}

#[tokio::test]
async fn cancelled_and_begun_events_are_closed_and_unknown_ones_not_found() {
    let venue = Venue::open().await;
    let (open, begun) = (venue.slot(24, 5).await, venue.slot(0, 5).await);
    let cancelled = venue.slot_in(SlotState::Cancelled, 30, 5).await;
    let unknown = Venue::open().await.slot(99, 5).await;
    for (lines, kind, field) in [
        (vec![(open, 1), (begun, 1)], "SALES_CLOSED", "/reservationItems/1/eventId"),
        (vec![(cancelled, 1)], "SALES_CLOSED", "/reservationItems/0/eventId"),
        (vec![(open, 9), (cancelled, 1), (unknown, 1)], "NOT_FOUND", "/reservationItems/2/eventId"),
    ] {
        let answer = venue.send(post(&lines)).await;
        assert_eq!((answer.error(), answer.body["details"][0]["field"].as_str()), (kind, Some(field)));
    }
    assert_eq!(venue.free(open).await, 5);
}

#[tokio::test]
async fn what_a_checkout_consumed_is_no_longer_held() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 1).await;
    let id = venue.send(post(&[(slot, 1)])).await.number();
    let reservation = ReservationId::parse(id).unwrap();
    let hold = venue.ledger(slot).await.holds[&reservation];
    let sale = LedgerChange::sell(1, Some(OwnHold { reservation, hold }));
    let tenant = TenantId::parse(1).unwrap();
    venue.store.change_ledger(tenant, &slot, &sale, hold.expires_at).await.unwrap().unwrap();
    for gone in [get(id), delete(id), put(id, &[(slot, 1)])] {
        assert_eq!(venue.send(gone).await.status, 404);
    }
    let ledger = venue.ledger(slot).await;
    assert_eq!((ledger.free, ledger.sold), (0, 1));
}

#[tokio::test]
async fn at_most_fifty_events_are_held_at_once() {
    let venue = Venue::open().await;
    let mut lines = Vec::new();
    for hour in 24..75 {
        lines.push((venue.slot(hour, 1).await, 1));
    }
    let refused = venue.send(post(&lines)).await;
    assert_eq!(refused.body["details"][0]["field"], "/reservationItems");
    let id = venue.send(post(&lines[1..])).await.number();
    assert_eq!(venue.send(put(id, &lines[..1])).await.status, 200);
    assert_eq!(venue.free(lines[1].0).await, 1);
}

#[tokio::test]
async fn an_item_the_reservation_does_not_have_is_unknown() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 5).await;
    let made = venue.send(post(&[(slot, 1)])).await;
    let mut body = made.body.clone();
    body["reservationItems"][0]["quantity"] = 2.into();
    let echoed = venue.send(ask("PUT", PATH, body.clone())).await;
    assert_eq!((echoed.status, &echoed.body), (200, &body));
    body["reservationItems"][0]["id"] = json!(1);
    let unknown = venue.send(ask("PUT", PATH, body)).await;
    assert_eq!(
        (unknown.status, &unknown.body["details"][0]["field"]),
        (404, &json!("/reservationItems/0/id"))
    );
}
