//! A membership that has ended gives nothing, whichever route is asked; one that goes on gives it on all of them.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, GALLERY, PAGE, SHOP, STAFF, ask, ok, token_in};
use boxoffice::testing::Service;
use serde_json::{Value, json};

const LEVELS: [&str; 2] = ["1001bb000000000000000001", "1001bb000000000000000002"];

async fn sold(service: &Service, items: Value, card: &str) -> Value {
    let order = json!({
        "shoppingCart": {"items": items}, "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": card, "expDate": "1230", "cvc": "123",
    });
    ok(service, "POST", "/v2/b2c/checkout", &SHOP, order).await
}

fn membership(action: &str, level: usize, fields: Value) -> Value {
    let offering = format!("1001bf0000000000000000000000000{}", level + 1);
    let mut info = json!({
        "membershipCategoryId": LEVELS[level], "membershipOfferingId": offering, "pricePointId": ADULT,
        "membershipCards": [{"firstName": "Noor", "lastName": "Haddad", "email": "noor@example.test"}],
    });
    info.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"itemType": action, "quantity": 1, "membershipInfo": info})
}

/// An event for members alone.
async fn evening(service: &Service) -> String {
    let template = json!({
        "name": "Members’ Evening", "description": "With the curator.", "reviewState": "Published",
        "duration": {"hour": 1, "minutes": 0}, "capacity": 9, "memberOnlyEvent": true,
        "startTime": "2026-12-20T19:00:00", "endTime": "2026-12-20T23:00:00",
        "priceLists": [{"id": "evening", "name": "Evening", "prices": [
            {"personType": {"id": ADULT}, "price": "20.00", "displayOrder": 1},
        ]}],
    });
    let made = ok(service, "POST", "/v2/b2b/event/templates", &STAFF, template).await;
    made["id"].as_str().unwrap().to_owned()
}

/// What the routes say of a membership: shown the event for members, charged, valid, active, renewable, a member.
async fn said(service: &Service, id: i64, evening: &str, slot: &str) -> Vec<(&'static str, bool)> {
    let shown = ask(
        service,
        "GET",
        &format!("/v2/b2c/event/templates/{evening}?membershipId={id}"),
        &SHOP,
        Value::Null,
    )
    .await;
    let list = format!("/v2/b2c/event/templates?membershipId={id}");
    let list = ok(service, "GET", &list, &SHOP, Value::Null).await;
    let listed = list.as_array().unwrap().iter().any(|template| template["id"] == evening);
    let line = json!({"eventId": slot, "ticketingTypeId": ADULT, "quantity": 1});
    let cart = json!({"membershipId": id, "items": [line]});
    let made = ok(service, "POST", "/v2/b2c/carts", &SHOP, cart.clone()).await;
    let read = format!("/v2/b2c/carts/{}", made.as_str().unwrap());
    let read = ok(service, "GET", &read, &SHOP, Value::Null).await;
    let judged = ok(service, "POST", "/v2/b2c/entitlements/validate", &SHOP, cart.clone()).await;
    if judged["valid"] == false {
        assert_eq!(judged["messages"], json!(["Rule failed:Membership_Ended"]), "{judged}");
        assert_eq!(judged["violations"][0]["membershipId"], id);
        let told = "The membership ends before the visit";
        assert_eq!(judged["violations"][0]["message"], told);
    }
    let dry = json!({"shoppingCart": cart, "billingEmail": "buyer@example.test", "dryRun": true});
    let dry = ok(service, "POST", "/v2/b2c/checkout", &SHOP, dry).await;
    let staff = format!("/v2/b2b/memberships/{id}");
    let staff = ok(service, "GET", &staff, &STAFF, Value::Null).await;
    let cards = format!("/v2/b2b/membership/summaries?membershipId={id}");
    let cards = ok(service, "GET", &cards, &STAFF, Value::Null).await;
    let quote = format!("/v2/b2b/memberships/checkout/validate?action=RENEW&membershipId={id}");
    let quote = ask(service, "GET", &quote, &STAFF, Value::Null).await;
    vec![
        ("shown", shown.status == 200),
        ("listed", listed),
        ("priced in a cart", read["items"][0]["unitPrice"] != read["items"][0]["retailUnitPrice"]),
        ("entitled", judged["valid"] == true),
        ("priced at checkout", dry["cart"]["items"][0]["amount"] == "0.00"),
        ("active for staff", staff["membershipStanding"] == "active"),
        ("an active card", cards["list"][0]["cardStanding"] == "active"),
        ("renewable", quote.status == 200),
    ]
}

/// What verification says by number, to a server and to a page, and of the address.
async fn verified(service: &Service, number: i64) -> Vec<(&'static str, bool)> {
    let found = format!("/v2/b2c/membership/validate?membershipId={number}&lastName=Haddad");
    let told = ok(service, "GET", &found, &PAGE, Value::Null).await;
    let found = ok(service, "GET", &found, &SHOP, Value::Null).await;
    let entry = &found[0]["memberListEntry"];
    if told["status"] == "verified" {
        assert_eq!(told["expirationDate"], entry["membershipExpirationDate"], "a page and a server");
    } else {
        let nothing = json!({
            "status": "not_found", "levelName": null, "startDate": null, "expirationDate": null,
            "memberProof": null,
        });
        assert_eq!(told, nothing);
    }
    let exists = "/v2/b2c/membership/exists?email=noor@example.test";
    let exists = ok(service, "GET", exists, &SHOP, Value::Null).await;
    vec![
        ("verified", entry["membershipStanding"] == "active"),
        ("proven to a server", found[0]["memberProof"].is_string()),
        ("verified to a page", told["status"] == "verified"),
        ("proven to a page", told["memberProof"].is_string()),
        ("exists", exists["exists"] == true),
        ("can renew", exists["canRenew"] == true),
    ]
}

/// What a login link that was mailed to a member opens for a page.
async fn opened(service: &Service) -> Value {
    const LOGIN: &str = "/v2/b2c/membership/validate/login";
    let email = format!("{LOGIN}?email=noor@example.test");
    assert_eq!(ask(service, "GET", &email, &PAGE, Value::Null).await.status, 204);
    service.deliver_mail().await;
    let outbox = ok(service, "GET", "/sandbox/outbox", &PAGE, Value::Null).await;
    let mut sent = outbox.as_array().unwrap().iter().rev();
    let mail = sent.find(|mail| mail["subject"] == "Log in to Harbor Museum").unwrap();
    let mail = format!("/sandbox/outbox/{}", mail["deliveryId"].as_str().unwrap());
    let mail = ask(service, "GET", &mail, &PAGE, Value::Null).await;
    let token = token_in(&mail, "loginToken=");
    ok(service, "POST", LOGIN, &PAGE, json!({"token": token})).await
}

fn all(said: &[(&'static str, bool)], expected: bool, case: &str) {
    let others: Vec<_> = said.iter().filter(|(_, found)| *found != expected).collect();
    assert!(others.is_empty(), "{case}: {others:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_route_gives_what_a_membership_gave_that_was_refunded_replaced_or_given_up() {
    let service = Service::start().await;
    let evening = evening(&service).await;
    let next = format!("/v2/b2c/events/{GALLERY}/nextAvailable");
    let slot = ok(&service, "GET", &next, &SHOP, Value::Null).await["id"].as_str().unwrap().to_owned();
    let refund = async |order: &Value| {
        let body = json!({"orderId": order["id"], "wholeOrder": true});
        ok(&service, "POST", "/v2/b2b/refunds", &STAFF, body).await
    };

    let order =
        sold(&service, json!([membership("MembershipPurchase", 0, json!({}))]), "4242424242424242").await;
    let info = &order["orderItems"][0]["membershipInfo"];
    let (id, number) = (info["membershipId"].as_i64().unwrap(), info["membershipNumber"].as_i64().unwrap());
    all(&said(&service, id, &evening, &slot).await, true, "bought");
    all(&verified(&service, number).await, true, "bought");
    let link = opened(&service).await;
    let listed = &link["memberships"][0];
    assert_eq!((&link["status"], &listed["membershipId"]), (&json!("verified"), &json!(number)), "{link}");
    assert_eq!(link["expirationDate"], listed["expirationDate"]);

    let line = json!({"eventId": slot, "ticketingTypeId": ADULT, "quantity": 1});
    let visit = json!({
        "shoppingCart": {"membershipIds": [number], "items": [line]}, "billingEmail": "noor@example.test",
    });
    let visit = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, visit).await;
    let preview = json!({"orderId": order["id"], "wholeOrder": true});
    let preview = ok(&service, "POST", "/v2/b2b/refunds/preview", &STAFF, preview).await;
    let named = json!([{"orderId": visit["id"], "orderNumber": visit["orderNumber"], "tickets": 1}]);
    assert_eq!(preview["memberOrders"], named, "what was sold at its price is named");

    let move_up = membership("MembershipUpgrade", 1, json!({"membershipId": id}));
    let moved = sold(&service, json!([move_up]), "4111111111111111").await;
    let upgraded = moved["orderItems"][0]["membershipInfo"]["membershipId"].as_i64().unwrap();
    all(&said(&service, id, &evening, &slot).await, false, "replaced by an upgrade");
    all(&said(&service, upgraded, &evening, &slot).await, true, "the upgrade");
    all(&verified(&service, number).await, true, "the number goes on");

    refund(&moved).await;
    all(&said(&service, upgraded, &evening, &slot).await, false, "an upgrade that was refunded");
    all(&said(&service, id, &evening, &slot).await, true, "the membership that has its place back");

    refund(&order).await;
    all(&said(&service, id, &evening, &slot).await, false, "refunded");
    all(&verified(&service, number).await, false, "refunded");
    let link = opened(&service).await;
    assert_eq!((&link["status"], &link["memberProof"]), (&json!("not_found"), &Value::Null), "{link}");
    assert_eq!((&link["expirationDate"], &link["memberships"]), (&Value::Null, &json!([])), "{link}");
    let kept = format!("/v2/b2b/orders/detail/{}", visit["id"].as_str().unwrap());
    let kept = ok(&service, "GET", &kept, &STAFF, Value::Null).await;
    assert_eq!(kept["orderItems"][0]["quantity"], 1, "what was sold stays sold");

    let order =
        sold(&service, json!([membership("MembershipPurchase", 0, json!({}))]), "4111111111111111").await;
    let info = &order["orderItems"][0]["membershipInfo"];
    let (id, number) = (info["membershipId"].as_i64().unwrap(), info["membershipNumber"].as_i64().unwrap());
    all(&said(&service, id, &evening, &slot).await, true, "bought again");
    let card = info["membershipCards"][0]["id"].as_i64().unwrap();
    let path = format!("/v2/b2b/memberships/{id}/cards/{card}");
    ok(&service, "DELETE", &path, &STAFF, Value::Null).await;
    all(&said(&service, id, &evening, &slot).await, false, "whose only card was given up");
    all(&verified(&service, number).await, false, "whose only card was given up");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_lists_no_membership_that_gave_it_nothing() {
    let service = Service::start().await;
    let order =
        sold(&service, json!([membership("MembershipPurchase", 0, json!({}))]), "4242424242424242").await;
    let id = &order["orderItems"][0]["membershipInfo"]["membershipId"];
    let next = format!("/v2/b2c/events/{GALLERY}/nextAvailable");
    let slot = ok(&service, "GET", &next, &SHOP, Value::Null).await["id"].clone();
    let line = json!({"eventId": slot, "ticketingTypeId": ADULT, "quantity": 1});
    let cart = json!({"membershipIds": [id], "items": [line]});
    let visit = json!({"shoppingCart": cart, "billingEmail": "noor@example.test"});
    let visit = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, visit).await;
    assert_eq!(visit["membershipIds"], json!([id]));
    let cart = ok(&service, "POST", "/v2/b2c/carts", &SHOP, cart).await;
    let refund = json!({"orderId": order["id"], "wholeOrder": true});
    ok(&service, "POST", "/v2/b2b/refunds", &STAFF, refund).await;
    let paid = json!({
        "shoppingCartId": cart, "billingEmail": "noor@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4111111111111111", "expDate": "1230", "cvc": "123",
    });
    let first = ask(&service, "POST", "/v2/b2c/checkout", &SHOP, paid.clone()).await;
    assert_eq!((first.status, &first.body["type"]), (409, &json!("PRICE_CHANGED")), "{}", first.body);
    let visit = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, paid).await;
    assert_eq!(visit["membershipIds"], json!([]), "{visit}");
    assert_ne!(visit["discountedTotalAmount"], "0.00");
}
