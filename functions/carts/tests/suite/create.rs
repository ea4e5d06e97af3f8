//! `POST /v2/b2c/carts`.

use crate::support::{Venue, ledger, slot, start, tenant_id, tickets};
use domain::cart::CartLine;
use domain::ledger::{Ledger, SlotState};
use domain::time::plus_secs;
use insta::assert_snapshot;
use serde_json::json;
use testkit::catalog::{ADD_ON, ADULT};
use testkit::{ask, get, post, put};

const PATH: &str = "/v2/b2c/carts";

#[tokio::test]
async fn an_empty_object_creates_an_empty_cart() {
    let venue = Venue::open().await;
    let created = venue.send(post(PATH, json!({}))).await;
    let id = created.body.as_str().unwrap();
    assert_eq!((created.status, id.len()), (200, 24));
    assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let read = venue.send(get(format!("{PATH}/{id}"))).await;
    assert_eq!(read.body["id"], id);
    assert_snapshot!(read.shown(), @r#"
    200 OK
    {
      "comboItems": [],
      "couponCodes": [],
      "couponMessages": [],
      "customerId": null,
      "forms": [],
      "id": "[id]",
      "items": [],
      "memberMessages": [],
      "membershipCategoryId": null,
      "membershipIds": [],
      "reservationId": null,
      "tempVisitorId": "[tempVisitorId]",
      "verifyEntitlements": false
    }
    "#);
}

#[tokio::test]
async fn tickets_need_no_item_type() {
    let venue = Venue::open().await;
    let (_, path) = venue.cart_of(json!([tickets(2)])).await;
    let read = venue.send(get(&path)).await;
    assert_snapshot!(read.shown(), @r#"
    200 OK
    {
      "comboItems": [],
      "couponCodes": [],
      "couponMessages": [],
      "customerId": null,
      "forms": [],
      "id": "[id]",
      "items": [
        {
          "admissionType": "standard",
          "amount": "36.00",
          "couponCodes": [],
          "donationDetail": null,
          "eventId": "eed214b66bfee0005f722475",
          "eventName": "Harbor Gallery Entry",
          "ignoreEntitlements": false,
          "inventoryId": null,
          "inventoryName": null,
          "isRetail": false,
          "itemId": "[itemId]",
          "itemType": "Event",
          "membershipInfo": null,
          "quantity": 2,
          "retailUnitPrice": "18.00",
          "ticketingTypeId": "66d1b2f0a93c4e517720bb01",
          "ticketingTypeName": "Adult",
          "type": null,
          "unitPrice": "18.00"
        }
      ],
      "memberMessages": [],
      "membershipCategoryId": null,
      "membershipIds": [],
      "reservationId": null,
      "tempVisitorId": "[tempVisitorId]",
      "verifyEntitlements": false
    }
    "#);
}

#[tokio::test]
async fn a_cart_whose_slot_does_not_exist_is_taken_back() {
    let venue = Venue::open().await;
    let item = json!({"eventId": slot(1), "ticketingTypeId": ADULT, "quantity": 1});
    let refused = venue.send(post(PATH, json!({"items": [item]}))).await;
    assert_snapshot!(refused.refusal(), @r#"
    404 NOT_FOUND
    /items/0/eventId was not found
    "#);
    assert_eq!(venue.stored_carts().await, 0);
}

#[tokio::test]
async fn a_cart_whose_slot_was_cancelled_or_moved_into_the_past_is_taken_back() {
    for changed in [
        Ledger { state: SlotState::Cancelled, ..ledger() },
        Ledger { start: plus_secs(start(), -7_200), ..ledger() },
    ] {
        let venue = Venue::with_ledger(changed).await;
        let refused = venue.send(post(PATH, json!({"items": [tickets(1)]}))).await;
        let refusal = refused.refusal();
        assert!(refusal.starts_with("409 SALES_CLOSED\n/items/0/eventId "), "{refusal}");
        assert_eq!(venue.stored_carts().await, 0);
    }
}

#[tokio::test]
async fn a_cart_shows_the_start_its_slot_was_moved_to() {
    let later = plus_secs(start(), 1_800);
    let venue = Venue::with_ledger(Ledger { start: later, ..ledger() }).await;
    let (id, _) = venue.cart_of(json!([tickets(1)])).await;
    let cart = venue.store.load_cart(tenant_id(), &id).await.unwrap().unwrap();
    let CartLine::Ticket(line) = &cart.lines[0] else { panic!("not a ticket line") };
    assert_eq!(line.event_start, later);
}

#[tokio::test]
async fn every_faulty_line_is_named() {
    let venue = Venue::open().await;
    let unknown = json!({"eventId": "0123456789abcdef01234567", "ticketingTypeId": "nobody", "quantity": 1});
    let donation = json!({"inventoryId": ADD_ON, "addonType": "fixedDonation", "quantity": 1});
    let missing = json!({"inventoryId": 99, "quantity": 1});
    let refused = venue.send(post(PATH, json!({"items": [unknown, tickets(1), missing]}))).await;
    assert_snapshot!(refused.refusal(), @r#"
    404 NOT_FOUND
    /items/0/eventId was not found
    /items/0/ticketingTypeId was not found
    /items/2/inventoryId was not found
    "#);
    let refused = venue.send(post(PATH, json!({"items": [unknown, donation]}))).await;
    assert_snapshot!(refused.refusal(), @r#"
    400 VALIDATION_ERROR
    /items/0/eventId was not found
    /items/0/ticketingTypeId was not found
    /items/1/type must not be sent: the item is not a donation
    "#);
}

#[tokio::test]
async fn one_idempotency_key_creates_one_cart() {
    let venue = Venue::open().await;
    let key = "a-1";
    let body = json!({"items": [tickets(1)]});
    let first = venue.send(post(PATH, body.clone()).keyed(key)).await;
    assert_eq!(first.status, 200, "{}", first.body);
    assert!(first.headers.get("x-service-replayed").is_none());
    let again = venue.send(post(PATH, body.clone()).keyed(key)).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(again.headers["x-service-replayed"], "true");
    let other = venue.send(post(PATH, json!({})).keyed(key)).await;
    assert_snapshot!(other.refusal(), @"409 IDEMPOTENCY_KEY_REUSED");
    let foreign = venue.send(post(PATH, json!({})).keyed("a-1").by("key-205")).await;
    assert_eq!(foreign.status, 200);
    assert_ne!(foreign.body, first.body);
    // Two carts, and of each tenant the key that made its own.
    assert_eq!(venue.stored_carts().await, 4);
}

#[tokio::test]
async fn a_key_belongs_to_one_route_and_is_free_again_where_the_request_was_refused() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let create = || ("POST", PATH.to_owned(), json!({"items": [tickets(1)]}));
    let update = || ("PUT", path.clone(), json!({"id": id, "items": []}));
    let delete = || ("DELETE", path.clone(), json!(null));
    for (key, first, second) in [
        ("a", create(), update()),
        ("b", create(), delete()),
        ("c", update(), create()),
        ("d", update(), delete()),
        ("e", delete(), create()),
    ] {
        let (method, path, body) = first;
        let done = venue.send(ask(method, &path, body).keyed(key)).await;
        assert_eq!(done.status, 200, "{key} {}", done.body);
        let (method, path, body) = second;
        let refused = venue.send(ask(method, &path, body).keyed(key)).await;
        assert_eq!(refused.refusal(), "409 IDEMPOTENCY_KEY_REUSED", "{key}");
    }
    let full = venue.send(post(PATH, json!({"items": [tickets(11)]})).keyed("f")).await;
    assert_eq!(full.body["type"], "NOT_ENOUGH_CAPACITY");
    let fits = venue.send(post(PATH, json!({"items": [tickets(10)]})).keyed("f")).await;
    assert_eq!(fits.status, 200, "{}", fits.body);
}

#[tokio::test]
async fn a_repeated_creation_is_answered_even_after_the_cart_was_changed_or_the_sale_closed() {
    let venue = Venue::open().await;
    let body = json!({"items": [tickets(1)]});
    let first = venue.send(post(PATH, body.clone()).keyed("a-1")).await;
    let path = format!("{PATH}/{}", first.body.as_str().unwrap());
    let changed = venue.send(put(&path, json!({"id": first.body, "items": []}))).await;
    assert_eq!(changed.status, 200);
    let after_start = start().to_rfc3339();
    let again = venue.send(post(PATH, body).keyed("a-1").at(&after_start)).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
}
