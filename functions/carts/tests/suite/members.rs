//! What else a cart names beside what is sold: customer, level, memberships, reservation.

use crate::support::{Venue, now, tenant_id, tickets};
use domain::customer::{Customer, Person};
use domain::reservation::Reservation;
use domain::time::plus_secs;
use domain::{CustomerId, ReservationId};
use serde_json::{Value, json};
use store::{Action, Expression, Key, encode};
use testkit::catalog::{self, LEVEL, MEMBERSHIP, NUMBER};
use testkit::{ask, post, put};

const RESERVATION: i64 = 17;
const CUSTOMER: i64 = 18;

/// A level, a membership of it, a reservation and a customer.
pub(crate) async fn save(venue: &Venue) {
    let (store, tenant) = (&venue.store, tenant_id());
    store.save_level(tenant, &catalog::level(LEVEL, "Family", json!({}))).await.unwrap();
    let term = json!({"joined": now(), "started": now(), "expires": plus_secs(now(), 86_400)});
    store.save_membership(tenant, "members", &catalog::membership(term)).await.unwrap();
    let customer =
        Customer { id: CustomerId::parse(CUSTOMER).unwrap(), person: Person::default(), source: None };
    store.save_customer(tenant, "customer", &customer).await.unwrap();
    let id = ReservationId::parse(RESERVATION).unwrap();
    let key = Key::reservation(tenant, id);
    let terms = json!({"expires_at": plus_secs(now(), 600).timestamp_millis(), "items": []});
    let reservation =
        json!({"id": RESERVATION, "created_at": now().timestamp_millis(), "terms": terms, "revision": 1});
    let item = encode(&key, &serde_json::from_value::<Reservation>(reservation).unwrap()).unwrap();
    store.write(&key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
}

#[tokio::test]
async fn ids_that_name_nothing_are_told_together_and_nothing_is_stored() {
    let venue = Venue::open().await;
    save(&venue).await;
    let (id, path) = venue.cart_of(json!([])).await;
    let wrong = json!({
        "id": id, "items": [{"eventId": "0123456789abcdef01234567", "ticketingTypeId": "x", "quantity": 1}],
        "membershipIds": [MEMBERSHIP, 5], "membershipCategoryId": "65c7d8e9f0a1b2c3d4e5f608",
        "reservationId": 6, "customerId": 7,
    });
    let fields = "/membershipCategoryId was not found\n/customerId was not found\n\
        /membershipIds/1 was not found\n/reservationId was not found";
    let lines = "/items/0/eventId was not found\n/items/0/ticketingTypeId was not found";
    let before = venue.stored_carts().await;
    for (method, path) in [("PUT", path.as_str()), ("POST", "/v2/b2c/carts")] {
        let refused = venue.send(ask(method, path, wrong.clone())).await;
        assert_eq!(refused.refusal(), format!("404 NOT_FOUND\n{lines}\n{fields}"), "{method}");
        let mut wrong = wrong.clone();
        wrong["items"] = json!([tickets(1)]);
        let refused = venue.send(ask(method, path, wrong)).await;
        assert_eq!(refused.refusal(), format!("404 NOT_FOUND\n{fields}"), "{method}");
    }
    let refused = venue.send(post("/v2/b2c/carts", wrong).keyed("one")).await;
    assert_eq!(refused.refusal(), format!("404 NOT_FOUND\n{lines}\n{fields}"));
    assert_eq!(venue.stored_carts().await, before);
}

#[tokio::test]
async fn a_membership_is_named_by_its_id_or_its_number_in_the_same_number_of_calls() {
    let venue = Venue::open().await;
    save(&venue).await;
    let named = |id: Value, sent: i64| {
        json!({
            "id": id, "items": [tickets(1)], "membershipIds": [sent, sent], "membershipCategoryId": LEVEL,
            "reservationId": RESERVATION, "customerId": CUSTOMER,
        })
    };
    // Fills the caches.
    venue.cart_of(json!([])).await;
    for sent in [MEMBERSHIP, NUMBER] {
        let created = venue.send(post("/v2/b2c/carts", named(Value::Null, sent))).await;
        assert_eq!((created.status, created.calls.rounds), (200, 1), "{}", created.body);
        let path = format!("/v2/b2c/carts/{}", created.body.as_str().unwrap());
        let updated = venue.send(put(&path, named(created.body.clone(), sent))).await;
        // It is as it was, so that nothing is written.
        assert_eq!((updated.status, updated.calls.rounds), (200, 1), "{}", updated.body);
        assert_eq!(updated.body["membershipIds"], json!([sent, sent]));
    }
}
