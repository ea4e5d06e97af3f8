//! One answer names every faulty field (contract §3).

use crate::laws::support::{complaints, headers_of, key_of, send_json, with_keys};
use domain::tenant::Scope;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_a_request_is_named_at_once() {
    let service = with_keys().await;
    let shop = headers_of(&key_of(Scope::B2c, 1001), Scope::B2c, 1001);
    let page = headers_of(&key_of(Scope::B2cBrowser, 1001), Scope::B2cBrowser, 1001);
    let staff = headers_of(&key_of(Scope::B2b, 1001), Scope::B2b, 1001);
    let made = send_json(&service, "POST", "/v2/b2c/carts", &shop, Some(&json!({}))).await;
    let cart = format!("/v2/b2c/carts/{}", made.body.as_str().unwrap());
    let faulty_cart = json!({
        "id": "another",
        "couponCodes": "WELCOME10",
        "verifyEntitlements": "yes",
        "items": [
            { "itemType": "Event", "eventId": "a", "ticketingTypeId": "b", "quantity": 1000 },
            { "itemType": "Inventory", "type": "gift", "inventoryId": 1 },
            7,
            { "quantity": "two" },
        ],
    });
    let faulty_reservation = json!({ "reservationItems": [
        { "eventId": 4, "quantity": 0 }, { "eventId": "a", "quantity": "2" }, { "eventId": "a" }, [],
    ] });
    let faulty_checkout = json!({
        "manualEntryCardNumber": "4242424242424241", "expDate": "1330", "cvc": "12x",
        "billingEmail": "nobody", "billingCountry": "Atlantis", "sendEmail": "no", "expectedTotal": "1.234",
    });
    let of_cart = [
        "/id",
        "/couponCodes",
        "/verifyEntitlements",
        "/items/0/eventId",
        "/items/0/quantity",
        "/items/1/type",
        "/items/1/quantity",
        "/items/2",
        "/items/3/itemType",
        "/items/3/quantity",
    ];
    let of_reservation = [
        "/reservationItems/0/eventId",
        "/reservationItems/0/quantity",
        "/reservationItems/1/eventId",
        "/reservationItems/1/quantity",
        "/reservationItems/2/quantity",
        "/reservationItems/3",
    ];
    let of_checkout = [
        "/shoppingCartId",
        "/manualEntryCardNumber",
        "/expDate",
        "/cvc",
        "/billingEmail",
        "/billingCountry",
        "/sendEmail",
        "/expectedTotal",
    ];
    let coupon = "/v2/b2b/coupons/1001c0000000000000000001";
    let faulty_coupon = json!({
        "code": "A B", "discountType": "half", "appliesTo": ["event", "all"], "effectiveStart": "soon",
        "maxUses": 0, "active": 1, "personTypeIds": ["nobody"], "salesChannels": [{ "channel": "fax" }],
    });
    let of_coupon = [
        "/name",
        "/code",
        "/discountType",
        "/value",
        "/appliesTo/1",
        "/effectiveStart",
        "/maxUses",
        "/active",
        "/personTypeIds/0",
        "/salesChannels/0/channel",
    ];
    let membership = "/v2/b2b/memberships/100100051";
    let faulty_membership = json!({
        "externalMembershipId": 7, "cards": [
            { "id": 100100071, "firstName": null, "email": "nobody", "zipCode": 5 }, { "id": "x" }, 7,
        ],
    });
    let of_membership = [
        "/externalMembershipId",
        "/cards/0/firstName",
        "/cards/0/email",
        "/cards/0/zipCode",
        "/cards/1/id",
        "/cards/2",
    ];
    for ((method, path), headers, body, expected) in [
        (("PUT", cart.as_str()), &shop, &faulty_cart, &of_cart[..]),
        (("POST", "/v2/b2c/carts"), &page, &faulty_cart, &of_cart[1..]),
        (("POST", "/v2/b2b/reservations"), &staff, &faulty_reservation, &of_reservation[..]),
        (("PUT", "/v2/b2b/reservations"), &staff, &faulty_reservation, &of_reservation[..]),
        (("POST", "/v2/b2c/reservations"), &page, &faulty_reservation, &of_reservation[..]),
        (("PUT", "/v2/b2c/reservations"), &page, &faulty_reservation, &of_reservation[..]),
        (("POST", "/v2/b2c/checkout"), &shop, &faulty_checkout, &of_checkout[..]),
        (("POST", "/v2/b2c/cors/checkout"), &page, &faulty_checkout, &of_checkout[..]),
        (("POST", "/v2/b2b/coupons"), &staff, &faulty_coupon, &of_coupon[..]),
        (("PUT", coupon), &staff, &faulty_coupon, &of_coupon[..]),
        (("PUT", membership), &staff, &faulty_membership, &of_membership[..]),
    ] {
        let answer = send_json(&service, method, path, headers, Some(body)).await;
        assert_eq!(answer.kind(), (400, "VALIDATION_ERROR"), "{method} {path}: {}", answer.body);
        let named = complaints(&answer);
        for pointer in expected {
            assert!(named.contains(pointer), "{method} {path} does not name {pointer}: {}", answer.body);
        }
    }
}

/// A complaint about a field shows where the field is in the body that was sent.
#[tokio::test(flavor = "multi_thread")]
async fn a_cart_inside_a_checkout_is_complained_about_where_it_stands() {
    let service = with_keys().await;
    let shop = headers_of(&key_of(Scope::B2c, 1001), Scope::B2c, 1001);
    let lines: Vec<Value> = (0..5).map(|_| json!({ "eventId": "a", "ticketingTypeId": "b" })).collect();
    let body = json!({ "billingEmail": "buyer@example.test", "shoppingCart": { "items": lines } });
    let answer = send_json(&service, "POST", "/v2/b2c/checkout", &shop, Some(&body)).await;
    let of_line =
        |line: usize| ["eventId", "quantity"].map(|name| format!("/shoppingCart/items/{line}/{name}"));
    let expected: Vec<String> = (0..5).flat_map(of_line).collect();
    assert_eq!(complaints(&answer).into_iter().collect::<Vec<_>>(), expected);
}
