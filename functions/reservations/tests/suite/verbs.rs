//! The four verbs and their answers.

use crate::support::{Venue, delete, get, post, put, stable};
use serde_json::{Value, json};
use testkit::{Answer, ask};

#[tokio::test]
async fn a_reservation_is_made_read_changed_and_deleted() {
    let venue = Venue::open().await;
    let (first, second) = (venue.slot(24, 10).await, venue.slot(48, 10).await);
    let made = venue.send(post(&[(first, 2), (second, 1), (first, 3)])).await;
    insta::assert_json_snapshot!(stable(&made), @r#"
    {
      "expirationTimestamp": "2027-05-01T10:10:00-04:00",
      "id": "…",
      "reservationItems": [
        {
          "eventId": "eed214b66bd736e05f720655",
          "id": "…",
          "quantity": 5,
          "reservationId": "…"
        },
        {
          "eventId": "eed214b66bd888605f72b2f2",
          "id": "…",
          "quantity": 1,
          "reservationId": "…"
        }
      ]
    }
    "#);
    let id = made.number();
    assert_eq!(venue.send(get(id)).await.body, made.body);
    assert_eq!((venue.free(first).await, venue.free(second).await), (5, 9));

    let changed = venue.send(put(id, &[(first, 4)])).await;
    assert_eq!(changed.body["reservationItems"][0]["id"], made.body["reservationItems"][0]["id"]);
    assert_eq!(changed.body["expirationTimestamp"], made.body["expirationTimestamp"]);
    assert_eq!((venue.free(first).await, venue.free(second).await), (6, 10));

    let deleted = venue.send(delete(id)).await;
    assert_eq!((deleted.status, &deleted.body), (200, &changed.body));
    assert_eq!(venue.free(first).await, 10);
    for gone in [get(id), delete(id), put(id, &[(first, 1)])] {
        assert_eq!(venue.send(gone).await.status, 404);
    }
    assert_eq!(venue.free(first).await, 10, "seats come back once");
}

#[tokio::test]
async fn an_empty_reservation_is_accepted_filled_emptied_and_deleted_once() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 5).await;
    let made = venue.send(post(&[])).await;
    assert_eq!(made.body["reservationItems"], json!([]));
    let id = made.number();
    assert_eq!(venue.send(get(id)).await.body, made.body);
    assert_eq!(venue.send(put(id, &[(slot, 5)])).await.status, 200);
    assert_eq!(venue.send(put(id, &[])).await.body["reservationItems"], json!([]));
    assert_eq!(venue.free(slot).await, 5);
    assert_eq!(venue.send(delete(id)).await.status, 200);
    assert_eq!(venue.send(delete(id)).await.status, 404);
}

#[tokio::test]
async fn every_fault_of_a_body_is_named() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 5).await.to_string();
    let line = |quantity: Value| json!({"eventId": slot, "quantity": quantity});
    let body = json!({"reservationItems": [
        line(0.into()), line((-1).into()), line(1000.into()), line(1.5.into()), line("2".into()),
        line(1_000_000_000_i64.into()), {"eventId": slot}, 7, {"eventId": "x", "quantity": 1},
        line(999.into()), line(1.into()),
    ]});
    let answer = venue.send(ask("POST", "/v2/b2b/reservations", body)).await;
    insta::assert_json_snapshot!(stable(&answer)["details"]);
    for (body, field, status) in [
        (json!({}), "/reservationItems", 400),
        (json!({"reservationItems": null}), "/reservationItems", 400),
        (json!({"reservationItems": [{"quantity": 1}]}), "/reservationItems/0/eventId", 404),
        (json!({"reservationItems": [{"eventId": "x", "quantity": 1}]}), "/reservationItems/0/eventId", 404),
    ] {
        let answer = venue.send(ask("POST", "/v2/b2b/reservations", body)).await;
        assert_eq!((answer.status, answer.body["details"][0]["field"].as_str()), (status, Some(field)));
    }
    for (body, field, status) in [
        (json!({"reservationItems": []}), "/id", 404),
        (json!({"id": 9_007_199_254_740_992_i64, "reservationItems": []}), "/id", 404),
        (json!({"id": 5}), "/reservationItems", 400),
        (
            json!({"id": 5, "expirationTimestamp": "soon", "reservationItems": []}),
            "/expirationTimestamp",
            400,
        ),
        (
            json!({"id": 5, "reservationItems": [{"reservationId": 6, "eventId": slot, "quantity": 1}]}),
            "/reservationItems/0/reservationId",
            404,
        ),
    ] {
        let answer = venue.send(ask("PUT", "/v2/b2b/reservations", body)).await;
        assert_eq!((answer.status, answer.body["details"][0]["field"].as_str()), (status, Some(field)));
    }
}

#[tokio::test]
async fn another_tenants_reservation_is_unknown_and_other_keys_may_not_ask() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 5).await;
    let id = venue.send(post(&[(slot, 2)])).await.number();
    for (foreign, unknown) in [
        (get(id), get(5)),
        (delete(id), delete(5)),
        (put(id, &[]), put(5, &[])),
        (
            post(&[(slot, 1)]),
            ask(
                "POST",
                "/v2/b2b/reservations",
                json!({"reservationItems": [{"eventId": "ffffffffffffffffffffffff", "quantity": 1}]}),
            ),
        ),
    ] {
        let (foreign, unknown) = (venue.send(foreign.by("key-2")).await, venue.send(unknown).await);
        assert_eq!(foreign.status, 404, "{}", foreign.body);
        assert_eq!(stable(&foreign), stable(&unknown));
    }
    assert_eq!(venue.send(get(id)).await.status, 200);
    let text = ask("GET", "/v2/b2b/reservations/abc", Value::Null);
    assert_eq!(stable(&venue.send(text).await), stable(&venue.send(get(5)).await));
    assert_eq!(venue.send(get(id).by("shop-1")).await.status, 403);
    assert_eq!(venue.send(get(id).by("nobody")).await.status, 401);
}

/// Sequential and all database calls.
fn rounds(answer: &Answer) -> (u32, u32) {
    (answer.calls.rounds, answer.calls.total)
}

#[tokio::test]
async fn every_verb_keeps_to_its_round_trips() {
    let venue = Venue::open().await;
    // Fills the caches.
    venue.send(get(1)).await;
    let (first, second) = (venue.slot(24, 10).await, venue.slot(48, 10).await);
    for lines in [&[(first, 2)][..], &[(first, 1), (second, 1)]] {
        let made = venue.send(post(lines)).await;
        // The record is put while the ledgers are read.
        assert_eq!(rounds(&made), (2, 3), "POST");
        assert_eq!(rounds(&venue.send(get(made.number())).await), (2, 2), "GET");
        assert_eq!(rounds(&venue.send(put(made.number(), &[(first, 3)])).await), (2, 2), "PUT");
        assert_eq!(rounds(&venue.send(put(made.number(), &[(first, 3)])).await), (1, 1), "PUT of the same");
        // The record is marked while the seats are released.
        assert_eq!(rounds(&venue.send(delete(made.number())).await), (2, 3), "DELETE");
    }
}
