//! `GET` and `DELETE /v2/b2c/carts/{id}`, lifetimes and the number of database calls.

use crate::support::{Venue, now, tenant_id, tickets};
use domain::cart::CART_TTL_SECS;
use domain::time::plus_secs;
use serde_json::{Value, json};
use store::{Consistency, Key};
use testkit::{Answer, ask, delete, get};

#[tokio::test]
async fn a_cart_of_another_tenant_or_no_cart_is_not_found() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let body = json!({"id": id, "items": []});
    for method in ["GET", "PUT", "DELETE"] {
        let body = if method == "PUT" { body.clone() } else { Value::Null };
        let foreign = venue.send(ask(method, &path, body).by("key-205")).await;
        let body = if method == "PUT" { json!({"id": "nothing", "items": []}) } else { Value::Null };
        let unknown = venue.send(ask(method, "/v2/b2c/carts/nothing", body)).await;
        assert_eq!(foreign.refusal(), "404 NOT_FOUND", "{method}");
        assert_eq!(foreign.shown(), unknown.shown(), "{method}");
    }
}

#[tokio::test]
async fn a_cart_is_gone_24_hours_after_its_last_write_whatever_the_database_still_has() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let at = |secs: i64| plus_secs(now(), secs).to_rfc3339();
    let send = async |method: &str, secs: i64| -> Answer {
        let clock = at(secs);
        let body = if method == "PUT" { json!({"id": id, "items": []}) } else { Value::Null };
        venue.send(ask(method, &path, body).at(&clock)).await
    };
    assert_eq!(send("GET", CART_TTL_SECS - 1).await.status, 200);
    assert_eq!(send("PUT", CART_TTL_SECS - 1).await.status, 200);
    let over = 2 * CART_TTL_SECS - 1;
    assert_eq!(send("GET", over - 1).await.status, 200);
    for method in ["GET", "PUT", "DELETE"] {
        assert_eq!(send(method, over).await.refusal(), "404 NOT_FOUND", "{method}");
    }
    assert_eq!(venue.stored_carts().await, 1);
}

#[tokio::test]
async fn the_item_stays_two_days_of_real_time_whatever_clock_the_caller_chose() {
    let venue = Venue::open().await;
    let before = adapters::clock::wall_now().timestamp();
    let (id, _) = venue.cart_of(json!([])).await;
    let key = Key::cart(tenant_id(), &id);
    let item = venue.store.get_item(&key, Consistency::Strong).await.unwrap().unwrap();
    let ttl: i64 = item["ttl"].as_n().unwrap().parse().unwrap();
    let after = adapters::clock::wall_now().timestamp();
    assert!((before + 172_800..=after + 172_800).contains(&ttl), "{ttl}");
}

#[tokio::test]
async fn deleting_answers_the_deleted_cart() {
    let venue = Venue::open().await;
    let (_, path) = venue.cart_of(json!([tickets(2)])).await;
    let read = venue.send(get(&path)).await;
    let deleted = venue.send(delete(&path)).await;
    assert_eq!((deleted.status, &deleted.body), (200, &read.body));
    for method in ["GET", "DELETE"] {
        assert_eq!(venue.send(ask(method, &path, Value::Null)).await.refusal(), "404 NOT_FOUND", "{method}");
    }
}

#[tokio::test]
async fn a_repeated_deletion_answers_the_deleted_cart_again() {
    let venue = Venue::open().await;
    let (_, path) = venue.cart_of(json!([tickets(2)])).await;
    let first = venue.send(delete(&path).header("x-service-request-uuid", "d-1")).await;
    let again = venue.send(delete(&path).header("x-service-request-uuid", "d-1")).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(again.headers["x-service-replayed"], "true");
}

#[tokio::test]
async fn warm_requests_make_few_round_trips() {
    let venue = Venue::open().await;
    // The first one fills the caches.
    let (id, path) = venue.cart_of(json!([tickets(1)])).await;
    let items = json!({"items": [tickets(1)]});
    let update = json!({"id": id, "items": [tickets(2)]});
    for (case, method, path, body, rounds) in [
        ("create", "POST", "/v2/b2c/carts", items, 1),
        ("create empty", "POST", "/v2/b2c/carts", json!({}), 1),
        ("read", "GET", path.as_str(), Value::Null, 1),
        ("update", "PUT", path.as_str(), update, 2),
        ("delete", "DELETE", path.as_str(), Value::Null, 2),
    ] {
        let answer = venue.send(ask(method, path, body)).await;
        assert_eq!((answer.status, answer.calls.rounds), (200, rounds), "{case} {:?}", answer.calls);
    }
}
