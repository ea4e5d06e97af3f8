//! Reading customers.

use crate::support::{self, save_membership};
use domain::CustomerId;
use domain::customer::{Customer, Person, match_text};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use store::catalog::Saved;
use store::customer::{customer_match_key, take_matched_customer};
use store::{Action, Consistency, Expression, Key, encode};
use testkit::{Venue, get, put, tenant_id};

const PATH: &str = "/v2/b2b/customers";

/// Each save is an attempt of its own.
static SAVES: AtomicUsize = AtomicUsize::new(0);

fn customer_id(number: i64) -> CustomerId {
    CustomerId::parse(number).unwrap()
}

fn person(changes: &[(&str, &str)]) -> Person {
    let mut person = json!({
        "first_name": "Zoe", "last_name": "Okafor", "email": "zoe@example.test", "phone_number": "555 0142",
        "street_address_1": "18 Quay Street", "city": "Portview", "state": "California", "zip_code": "94000",
        "country": "United States",
    });
    for (name, value) in changes {
        person[*name] = json!(value);
    }
    serde_json::from_value(person).unwrap()
}

async fn save(venue: &Venue, number: i64, person: Person) -> Saved {
    let customer = Customer { id: customer_id(number), person, source: None };
    let token = format!("{number}-{}", SAVES.fetch_add(1, Ordering::Relaxed));
    venue.store.save_customer(tenant_id(1), &token, &customer).await.unwrap()
}

/// The customer that this data means.
async fn matched(venue: &Venue, person: &Person) -> Option<i64> {
    let key = customer_match_key(tenant_id(1), person)?;
    let mut found = venue.store.get_many([key.clone()], Consistency::Strong).await.unwrap();
    take_matched_customer(&mut found, &key).unwrap().map(CustomerId::get)
}

#[tokio::test]
async fn a_customer_is_read_by_id_and_found_by_address() {
    let venue = support::open().await;
    save(&venue, 92, person(&[])).await;
    save(&venue, 91, person(&[("first_name", "Zachary"), ("street_address_2", "Floor 2")])).await;
    save(&venue, 93, Person::default()).await;
    let shown = json!({
        "id": 92, "firstName": "Zoe", "lastName": "Okafor", "email": "zoe@example.test", "phoneNumber": "555 0142",
        "streetAddress1": "18 Quay Street", "city": "Portview", "state": "California", "zipCode": "94000",
        "country": "United States", "streetAddress2": null, "customerSource": null,
    });
    let (read, calls) = venue.counted(get(format!("{PATH}/92"))).await;
    assert_eq!((read.done(), calls), (shown.clone(), 1));
    let (found, calls) = venue.counted(get(format!("{PATH}?email=ZOE@example.test"))).await;
    assert_eq!((found.column("id"), calls), (vec![json!(91), json!(92)], 2));
    assert_eq!(found.body["list"][1], shown);
    assert_eq!(found.body["list"][0]["streetAddress2"], "Floor 2");
    for (path, key) in [("/94", "key-1"), ("/x", "key-1"), ("/0", "key-1"), ("/92", "key-2")] {
        assert_eq!(
            venue.send(get(format!("{PATH}{path}")).by(key)).await.kind(),
            (404, "NOT_FOUND"),
            "{path}"
        );
    }
    let none = venue.send(get(format!("{PATH}?email=zoe@example.test")).by("key-2")).await;
    assert_eq!(none.column("id"), Vec::<Value>::new());
    let wrong = venue.send(get(format!("{PATH}?email=%20&page=0&sortField=age"))).await;
    assert_eq!((wrong.status, wrong.faults().len()), (400, 3));
    assert!(wrong.faults()[0].starts_with("email must not be blank"), "{:?}", wrong.faults());
}

#[tokio::test]
async fn whole_data_leads_to_the_customer_who_had_it_first() {
    let venue = support::open().await;
    assert_eq!(save(&venue, 91, person(&[])).await, Saved::Created);
    assert_eq!(save(&venue, 92, person(&[("last_name", "OKAFOR")])).await, Saved::Created);
    for number in [91, 92] {
        let again = person(&[("last_name", if number == 91 { "Okafor" } else { "OKAFOR" })]);
        assert_eq!(save(&venue, number, again).await, Saved::Unchanged);
    }
    assert_eq!(matched(&venue, &person(&[("state", "CA"), ("country", "us")])).await, Some(91));
    assert_eq!(matched(&venue, &person(&[("city", "Lyon")])).await, None);
    let partly = person(&[("phone_number", "")]);
    assert_eq!((match_text(&partly), matched(&venue, &partly).await), (None, None));
    assert_eq!(save(&venue, 91, person(&[("city", "Lyon")])).await, Saved::Updated);
    assert_eq!(matched(&venue, &person(&[("city", "Lyon")])).await, Some(91));
    assert_eq!(matched(&venue, &person(&[])).await, None);
    // An import finds what is missing.
    assert_eq!(save(&venue, 92, person(&[("last_name", "OKAFOR")])).await, Saved::Updated);
    assert_eq!(matched(&venue, &person(&[])).await, Some(92));
}

#[tokio::test]
async fn a_member_who_moves_is_the_same_customer_at_the_new_address() {
    let venue = support::open().await;
    let whole = serde_json::to_value(person(&[])).unwrap();
    let card = crate::support::card(11, json!({"customer": 91, "person": whole}));
    save_membership(&venue, 1, 10, json!({"cards": [card]})).await;
    save(&venue, 91, person(&[])).await;
    let path = format!("{}/1001", crate::members::PATH);
    let moved = json!({"cards": [{"id": 11, "streetAddress1": "1 Hill Road", "email": "zoe@example.org"}]});
    venue.send(put(path, moved)).await.done();
    let now = person(&[("street_address_1", "1 Hill Road"), ("email", "zoe@example.org")]);
    assert_eq!((matched(&venue, &now).await, matched(&venue, &person(&[])).await), (Some(91), None));
    let by = async |email: &str| venue.send(get(format!("{PATH}?email={email}"))).await.column("id");
    assert_eq!((by("zoe@example.org").await, by("zoe@example.test").await), (vec![json!(91)], vec![]));
}

#[tokio::test]
async fn a_customer_that_an_earlier_checkout_made_is_read() {
    let venue = support::open().await;
    let key = Key::customer(tenant_id(1), customer_id(91));
    let early = json!({"id": 91, "created_at": 1_700_000_000_000_i64, "person": {
        "first_name": "Zoe", "last_name": null, "full_name": null, "email": "zoe@example.test",
        "phone_number": null, "address1": "18 Quay Street", "address2": null, "city": null, "state": null,
        "zip_code": null, "country": null,
    }});
    venue
        .store
        .write(&key, Action::Put(encode(&key, &early).unwrap(), Expression::new()))
        .await
        .unwrap()
        .unwrap();
    let read = venue.send(get(format!("{PATH}/91"))).await.done();
    let expected = json!({"id": 91, "firstName": "Zoe", "email": "zoe@example.test",
        "streetAddress1": "18 Quay Street", "streetAddress2": null, "lastName": "", "phoneNumber": null,
        "city": null, "state": null, "zipCode": null, "country": null, "customerSource": null});
    assert_eq!(read, expected);
    let card = crate::support::card(11, json!({"customer": 91}));
    save_membership(&venue, 1, 10, json!({"cards": [card]})).await;
    let path = format!("{}/1001", crate::members::PATH);
    venue.send(put(path, json!({"cards": [{"id": 11, "city": "Lyon"}]}))).await.done();
    assert_eq!(venue.send(get(format!("{PATH}/91"))).await.done()["city"], "Lyon");
}
