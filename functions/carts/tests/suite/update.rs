//! `PUT /v2/b2c/carts/{id}`.

use crate::support::{Venue, now, slot, start, tenant_id, tickets};
use domain::cart::{Cart, CartLease};
use domain::order::{Order, OrderPerson, OrderState};
use domain::time::plus_secs;
use domain::{CartId, Money, OrderId, OrderNumber};
use insta::assert_snapshot;
use serde_json::json;
use std::collections::BTreeMap;
use store::{Action, Expression, Key, encode, text};
use testkit::catalog::{ADD_ON, ADULT, DONATION, FIXED_DONATION};
use testkit::{delete, get, put};

#[tokio::test]
async fn every_kind_of_line_is_priced() {
    let venue = Venue::open().await;
    crate::members::save(&venue).await;
    let (id, path) = venue.cart_of(json!([])).await;
    let detail = json!({"donationFundName": "Roof 4111 1111 1111 1111", "beneficiaryCity": " "});
    let body = json!({
        "id": id,
        "membershipIds": [4_820_117],
        "membershipCategoryId": "65c7d8e9f0a1b2c3d4e5f607",
        "couponCodes": ["SPRING"],
        "reservationId": 17,
        "verifyEntitlements": true,
        "customerId": 18,
        "items": [
            {"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": 2, "itemType": "event",
                "eventName": "sent by the caller", "unitPrice": {"not": "an amount"}, "isRetail": true},
            {"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": 0, "couponCodes": ["SPRING", "LATE"]},
            {"eventId": slot(0), "inventoryId": ADD_ON, "quantity": 3, "itemType": "Inventory"},
            {"inventoryId": FIXED_DONATION, "quantity": 1, "itemType": "Inventory", "type": "FixedDonation"},
            {"inventoryId": DONATION, "quantity": 1, "addonType": "donation", "unitPrice": 12.5,
                "donationDetail": detail},
        ],
    });
    let updated = venue.send(put(&path, body)).await;
    assert_snapshot!(updated.shown(), @r#"
    200 OK
    {
      "comboItems": [],
      "couponCodes": [
        "SPRING"
      ],
      "couponMessages": [
        {
          "code": "SPRING",
          "reason": "There is no such coupon"
        },
        {
          "code": "LATE",
          "reason": "There is no such coupon"
        }
      ],
      "customerId": 18,
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
          "isRetail": true,
          "itemId": "[itemId]",
          "itemType": "Event",
          "membershipInfo": null,
          "quantity": 2,
          "retailUnitPrice": "18.00",
          "ticketingTypeId": "66d1b2f0a93c4e517720bb01",
          "ticketingTypeName": "Adult",
          "type": null,
          "unitPrice": "18.00"
        },
        {
          "admissionType": "standard",
          "amount": "0.00",
          "couponCodes": [
            "SPRING",
            "LATE"
          ],
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
          "quantity": 0,
          "retailUnitPrice": "18.00",
          "ticketingTypeId": "66d1b2f0a93c4e517720bb01",
          "ticketingTypeName": "Adult",
          "type": null,
          "unitPrice": "18.00"
        },
        {
          "admissionType": null,
          "amount": "13.50",
          "couponCodes": [],
          "donationDetail": null,
          "eventId": "eed214b66bfee0005f722475",
          "eventName": null,
          "ignoreEntitlements": false,
          "inventoryId": 71,
          "inventoryName": "Audio guide",
          "isRetail": false,
          "itemId": "[itemId]",
          "itemType": "Inventory",
          "membershipInfo": null,
          "quantity": 3,
          "retailUnitPrice": "4.50",
          "ticketingTypeId": null,
          "ticketingTypeName": null,
          "type": null,
          "unitPrice": "4.50"
        },
        {
          "admissionType": null,
          "amount": "25.00",
          "couponCodes": [],
          "donationDetail": null,
          "eventId": null,
          "eventName": null,
          "ignoreEntitlements": false,
          "inventoryId": 72,
          "inventoryName": "Friends of the harbor",
          "isRetail": false,
          "itemId": "[itemId]",
          "itemType": "Inventory",
          "membershipInfo": null,
          "quantity": 1,
          "retailUnitPrice": "25.00",
          "ticketingTypeId": null,
          "ticketingTypeName": null,
          "type": "fixedDonation",
          "unitPrice": "25.00"
        },
        {
          "admissionType": null,
          "amount": "12.50",
          "couponCodes": [],
          "donationDetail": {
            "beneficiaryCity": null,
            "beneficiaryCountry": null,
            "beneficiaryEmail": null,
            "beneficiaryFirstName": null,
            "beneficiaryLastName": null,
            "beneficiaryPhoneNumber": null,
            "beneficiaryState": null,
            "beneficiaryStreetAddress1": null,
            "beneficiaryStreetAddress2": null,
            "beneficiaryType": null,
            "beneficiaryZipCode": null,
            "dedicationFirstName": null,
            "dedicationLastName": null,
            "donationAppealName": null,
            "donationCampaignName": null,
            "donationFundName": "Roof 4111 1111 1111 1111",
            "donorRecognition": null,
            "donorRecognitionType": null
          },
          "eventId": null,
          "eventName": null,
          "ignoreEntitlements": false,
          "inventoryId": 73,
          "inventoryName": "Restoration fund",
          "isRetail": false,
          "itemId": "[itemId]",
          "itemType": "Inventory",
          "membershipInfo": null,
          "quantity": 1,
          "retailUnitPrice": "12.50",
          "ticketingTypeId": null,
          "ticketingTypeName": null,
          "type": "donation",
          "unitPrice": "12.50"
        }
      ],
      "memberMessages": [],
      "membershipCategoryId": "65c7d8e9f0a1b2c3d4e5f607",
      "membershipIds": [
        4820117
      ],
      "reservationId": 17,
      "tempVisitorId": "[tempVisitorId]",
      "verifyEntitlements": true
    }
    "#);
    let read = venue.send(get(&path)).await;
    assert_eq!(read.body, updated.body);
}

#[tokio::test]
async fn a_line_sent_back_with_its_id_keeps_it() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([tickets(1), tickets(2)])).await;
    let before = venue.send(get(&path)).await.body;
    let (first, second) = (&before["items"][0]["itemId"], &before["items"][1]["itemId"]);
    let mut kept = tickets(5);
    kept["itemId"] = second.clone();
    // An id of no line, and nothing that another line asks for.
    let mut foreign = tickets(3);
    foreign["itemId"] = "ffffffffffffffffffffffffffffffff".into();
    let body = json!({"id": id, "items": [kept, foreign]});
    let after = venue.send(put(&path, body)).await.body;
    assert_eq!(&after["items"][0]["itemId"], second);
    let fresh = &after["items"][1]["itemId"];
    assert_eq!(fresh.as_str().unwrap().len(), 32);
    assert!(fresh != first && fresh != "ffffffffffffffffffffffffffffffff");
    let twice = json!({"id": id, "items": [after["items"][0], after["items"][0]]});
    let refused = venue.send(put(&path, twice)).await;
    assert_snapshot!(refused.refusal(), @r#"
    400 VALIDATION_ERROR
    /items/1/itemId is already used by another line
    "#);
}

#[tokio::test]
async fn the_id_of_the_body_must_be_that_of_the_path() {
    let venue = Venue::open().await;
    let (_, path) = venue.cart_of(json!([])).await;
    let other = json!({"id": "7b3f0e5d9a1c4827b6d0e9f3", "items": []});
    assert_snapshot!(venue.send(put(&path, other)).await.refusal(), @r#"
    400 VALIDATION_ERROR
    /id must match the id in the path
    "#);
    assert_snapshot!(venue.send(put(&path, json!({}))).await.refusal(), @r#"
    400 VALIDATION_ERROR
    /id is required
    /items is required
    "#);
}

#[tokio::test]
async fn a_slot_whose_sale_has_closed_cannot_be_put_into_a_cart() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let clock = start().to_rfc3339();
    let body = json!({"id": id, "items": [tickets(1)]});
    let refused = venue.send(put(&path, body).at(&clock)).await;
    assert_snapshot!(refused.refusal(), @r#"
    409 SALES_CLOSED
    /items/0/eventId is no longer on sale
    "#);
}

#[tokio::test]
async fn a_cart_is_open_unless_its_order_is_pending_or_paid() {
    let void = OrderState::Void { at: now(), decline: None };
    for (case, state, expected) in [
        ("pending", Some(OrderState::Pending { deadline: plus_secs(now(), 60) }), "409 REQUEST_IN_PROGRESS"),
        ("paid", Some(OrderState::Paid { at: now() }), "409 CART_ALREADY_CHECKED_OUT"),
        ("void", Some(void), "200 "),
        ("never written", None, "200 "),
    ] {
        let venue = Venue::open().await;
        let (id, path) = venue.cart_of(json!([tickets(1)])).await;
        check_out(&venue, &id, state).await;
        let updated = venue.send(put(&path, json!({"id": id, "items": [tickets(2)]}))).await;
        assert_eq!(updated.refusal(), expected, "{case}");
        if case == "paid" {
            assert_eq!(updated.body["orderId"], "4711");
        }
        let read = venue.send(get(&path)).await;
        let quantity = if expected.starts_with("200") { 2 } else { 1 };
        assert_eq!(read.body["items"][0]["quantity"], quantity, "{case}");
        let deleted = venue.send(delete(&path)).await;
        assert_eq!(deleted.refusal(), expected, "{case}");
    }
}

/// Points the cart to an order of this state, as a checkout does.
pub(crate) async fn check_out(venue: &Venue, id: &CartId, state: Option<OrderState>) {
    let order = OrderId::parse("4711").unwrap();
    let mut update = Expression::new();
    update.assign("order", text(order.as_str()));
    venue.store.write(&Key::cart(tenant_id(), id), Action::Update(update)).await.unwrap().unwrap();
    let Some(state) = state else { return };
    let order = Order {
        id: order,
        tenant: tenant_id(),
        number: OrderNumber::from_bits(1),
        receipt: None,
        state,
        visitor: String::new(),
        customer: None,
        contact: OrderPerson::default(),
        billing: OrderPerson::default(),
        ticket_delivery_email: None,
        notes: None,
        lines: Vec::new(),
        currency: Default::default(),
        total: Money::ZERO,
        retail_total: Money::ZERO,
        payment: None,
        refunded: Money::ZERO,
        membership_ids: Vec::new(),
        coupons: BTreeMap::new(),
        stock: BTreeMap::new(),
        entitlements: Vec::new(),
        forms: Vec::new(),
        messages: BTreeMap::new(),
        notices: Vec::new(),
        send_email: false,
        locale: Default::default(),
        cart: Some(id.clone()),
        reservation: None,
        operator: None,
        created_at: now(),
        chosen_clock: true,
        tag: None,
        edits: Default::default(),
        challenge: None,
        late_money: None,
        dispute: None,
        failed_refunds: Vec::new(),
        after_sale: Default::default(),
        admission: Default::default(),
    };
    let key = Key::order(tenant_id(), &order.id);
    let put = Action::Put(encode(&key, &order).unwrap(), Expression::new());
    venue.store.write(&key, put).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_checkout_between_reading_and_writing_is_not_overwritten() {
    let venue = Venue::open().await;
    let (id, _) = venue.cart_of(json!([tickets(1)])).await;
    let read: Cart = venue.store.load_cart(tenant_id(), &id).await.unwrap().unwrap();
    check_out(&venue, &id, None).await;
    let mut next = read.clone();
    next.version += 1;
    let current = venue.store.replace_cart(tenant_id(), &read, &next, now()).await.unwrap();
    assert_eq!(current.unwrap_err().unwrap().order, OrderId::parse("4711").ok());
    assert!(venue.store.delete_cart(tenant_id(), &read).await.unwrap().is_err());
}

#[tokio::test]
async fn of_two_updates_at_once_both_succeed_and_one_stands() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let update = |quantity| venue.send(put(&path, json!({"id": id, "items": [tickets(quantity)]})));
    let (one, two) = tokio::join!(update(1), update(2));
    assert_eq!((one.status, two.status), (200, 200));
    let stands = venue.send(get(&path)).await;
    assert!(stands.body == one.body || stands.body == two.body);
    assert_eq!(venue.store.load_cart(tenant_id(), &id).await.unwrap().unwrap().version, 3);
}

/// A cart that is sent again as it was stays the version it is, so that nobody who pays for it is disturbed.
#[tokio::test]
async fn an_update_that_changes_nothing_leaves_the_version_and_every_id() {
    let venue = Venue::open().await;
    let items = json!([
        tickets(1),
        {"inventoryId": ADD_ON, "type": "addOn", "quantity": 2},
        tickets(1),
        {"inventoryId": DONATION, "type": "donation", "quantity": 1, "unitPrice": "7.25"},
    ]);
    let (id, path) = venue.cart_of(items.clone()).await;
    let same = json!({"id": id, "items": items});
    let version = async || venue.store.load_cart(tenant_id(), &id).await.unwrap().unwrap().version;
    let first = venue.send(put(&path, same.clone())).await;
    assert_eq!((first.status, version().await), (200, 1), "{}", first.body);
    let sent_back = venue.send(put(&path, first.body.clone())).await;
    assert_eq!((&sent_back.body, version().await), (&first.body, 1));
    for (secs, lives_until) in [(59, 86_400), (60, 86_460), (3_600, 90_000)] {
        let later = plus_secs(now(), secs).to_rfc3339();
        let again = venue.send(put(&path, same.clone()).at(&later)).await;
        let cart = venue.store.load_cart(tenant_id(), &id).await.unwrap().unwrap();
        assert_eq!((&again.body, cart.version), (&first.body, 1), "{secs}");
        assert_eq!(cart.expires_at, plus_secs(now(), lives_until), "{secs}");
    }
    let other = json!({"id": id, "items": [tickets(1)]});
    assert_eq!(venue.send(put(&path, other)).await.status, 200);
    assert_eq!(version().await, 2);
}

#[tokio::test]
async fn a_cart_that_is_kept_still_for_a_checkout_is_not_written_until_its_moment_is_over() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let keep = async |until: i64| {
        let real = adapters::clock::wall_now();
        let lease = CartLease { by: "a checkout".to_owned(), until: plus_secs(real, until) };
        assert!(venue.store.lease_cart(&Key::cart(tenant_id(), &id), &lease, real).await.unwrap());
    };
    for (until, expected) in [(4, "409 REQUEST_IN_PROGRESS"), (-1, "200 "), (3_600, "200 ")] {
        keep(until).await;
        let quantity = u32::try_from(until.rem_euclid(7)).unwrap();
        let body = json!({"id": id, "items": [tickets(quantity)]});
        assert_eq!(venue.send(put(&path, body)).await.refusal(), expected, "{until}");
    }
    keep(4).await;
    assert_eq!(venue.send(delete(&path)).await.refusal(), "409 REQUEST_IN_PROGRESS");
}

#[tokio::test]
async fn a_repeated_update_is_answered_as_before() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let key = "u-1";
    let body = json!({"id": id, "items": [tickets(1)]});
    let first = venue.send(put(&path, body.clone()).keyed(key)).await;
    let emptied = venue.send(put(&path, json!({"id": id, "items": []}))).await;
    assert_eq!(emptied.status, 200);
    let again = venue.send(put(&path, body).keyed(key)).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(again.headers["x-service-replayed"], "true");
    let other = venue.send(put(&path, json!({"id": id, "items": []})).keyed(key)).await;
    assert_eq!(other.refusal(), "409 IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn quantities_out_of_range_are_refused_before_anything_is_reckoned() {
    let venue = Venue::open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    for quantity in [json!(-1), json!(1.5), json!("2"), json!(2_147_483_648_i64), json!(1e9), json!(null)] {
        let item = json!({"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": quantity});
        let refused = venue.send(put(&path, json!({"id": id, "items": [item]}))).await.refusal();
        assert!(refused.starts_with("400 VALIDATION_ERROR\n/items/0/quantity "), "{quantity}: {refused}");
    }
}
