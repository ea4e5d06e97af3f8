//! Clients of the interface as it lives elsewhere: they send ids as text, and find in every answer the fields that
//! they know.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, GALLERY, SHOP, STAFF, ask, ok};
use boxoffice::testing::Service;
use serde_json::{Value, json};
use testkit::Answer;

const LEVEL: &str = "1001bb000000000000000001";
const OFFERING: &str = "1001bf00000000000000000000000001";
const ADD_ON: i64 = 1_001_001;
const NUMBER: i64 = 100_100_031;
const MEMBERSHIP: i64 = 100_100_051;
const CARD: i64 = 100_100_071;
const CUSTOMER: i64 = 100_100_011;

async fn read(service: &Service, path: &str, headers: &[(&str, &str)]) -> Value {
    ok(service, "GET", path, headers, Value::Null).await
}

/// A slot of the gallery on a day far ahead.
async fn slot(service: &Service) -> String {
    let day = (adapters::clock::wall_now() + chrono::Duration::days(30)).date_naive();
    let path = format!(
        "/v2/b2c/event/templates/{GALLERY}/times?startTime={day}&endTime={}",
        day + chrono::Days::new(4)
    );
    read(service, &path, &SHOP).await[0]["id"].as_str().unwrap().to_owned()
}

fn ticket(event: &str, quantity: u32) -> Value {
    json!({"eventId": event, "ticketingTypeId": ADULT, "quantity": quantity})
}

fn payer(cart: Value) -> Value {
    json!({
        "shoppingCart": cart, "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
    })
}

fn membership_line(action: &str, ids: Value) -> Value {
    let mut info = json!({
        "membershipCategoryId": LEVEL, "membershipOfferingId": OFFERING, "pricePointId": ADULT, "isGift": false,
    });
    info.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
    json!({"itemType": action, "quantity": 1, "membershipInfo": info})
}

/// One field of a body that is an id and an integer.
struct Place {
    name: &'static str,
    request: (&'static str, String),
    headers: &'static [(&'static str, &'static str)],
    /// The body with an id in that place.
    body: Box<dyn Fn(Value) -> Value>,
    id: i64,
}

async fn places(service: &Service, event: &str) -> Vec<Place> {
    let place = |name, request: (&'static str, &str), headers, id, body: Box<dyn Fn(Value) -> Value>| Place {
        name,
        request: (request.0, request.1.to_owned()),
        headers,
        body,
        id,
    };
    let event = event.to_owned();
    let held = json!({"reservationItems": [{"eventId": event, "quantity": 1}]});
    let held = ok(service, "POST", "/v2/b2b/reservations", &STAFF, held).await;
    let (hold, item) = (held["id"].as_i64().unwrap(), held["reservationItems"][0]["id"].as_i64().unwrap());
    let cart = ("POST", "/v2/b2c/carts");
    let update = ("PUT", "/v2/b2b/reservations");
    let membership = format!("/v2/b2b/memberships/{MEMBERSHIP}");
    let inventory = format!("/v2/b2b/inventory/{ADD_ON}");
    let template = read(service, &format!("/v2/b2b/event/templates/{GALLERY}"), &STAFF).await;
    let template_path = format!("/v2/b2b/event/templates/{GALLERY}");
    let change = |id: Value, reservation: Value, item: Value, event: &str| {
        let line = json!({"id": item, "reservationId": reservation, "eventId": event, "quantity": 1});
        json!({"id": id, "reservationItems": [line]})
    };
    let events = [event.clone(), event.clone(), event.clone(), event.clone(), event.clone()];
    let [first, second, third, fourth, fifth] = events;
    vec![
        place("membershipIds", cart, &SHOP, NUMBER, Box::new(|id| json!({"membershipIds": [id]}))),
        place("reservationId", cart, &SHOP, hold, Box::new(|id| json!({"reservationId": id}))),
        place("customerId", cart, &SHOP, CUSTOMER, Box::new(|id| json!({"customerId": id}))),
        place(
            "inventoryId",
            cart,
            &SHOP,
            ADD_ON,
            Box::new(|id| json!({"items": [{"itemType": "Inventory", "inventoryId": id, "quantity": 1}]})),
        ),
        place(
            "items.membershipId",
            cart,
            &SHOP,
            NUMBER,
            Box::new(|id| {
                let mut line = membership_line("MembershipRenewal", json!({}));
                line["membershipId"] = id;
                json!({"items": [line]})
            }),
        ),
        place(
            "membershipInfo.membershipId",
            cart,
            &SHOP,
            NUMBER,
            Box::new(
                |id| json!({"items": [membership_line("MembershipRenewal", json!({"membershipId": id}))]}),
            ),
        ),
        place(
            "gifterInfo.customerId",
            cart,
            &SHOP,
            CUSTOMER,
            Box::new(|id| {
                let gift = json!({"isGift": true, "gifterInfo": {"customerId": id}});
                json!({"items": [membership_line("MembershipPurchase", gift)]})
            }),
        ),
        place(
            "checkout.reservationId",
            ("POST", "/v2/b2c/checkout"),
            &SHOP,
            hold,
            Box::new(move |id| {
                let mut body = payer(json!({"items": [ticket(&first, 1)]}));
                body["reservationId"] = id;
                body["dryRun"] = json!(true);
                body
            }),
        ),
        place("entitlements.membershipIds", ("POST", "/v2/b2c/entitlements/validate"), &SHOP, NUMBER, {
            Box::new(move |id| json!({"membershipIds": [id], "items": [ticket(&second, 1)]}))
        }),
        place("reservation.id", update, &STAFF, hold, {
            Box::new(move |id| change(id, Value::Null, Value::Null, &third))
        }),
        place("reservationItems.id", update, &STAFF, item, {
            Box::new(move |id| change(json!(hold), Value::Null, id, &fourth))
        }),
        place("reservationItems.reservationId", update, &STAFF, hold, {
            Box::new(move |id| change(json!(hold), id, Value::Null, &fifth))
        }),
        place(
            "cards.id",
            ("PUT", &membership),
            &STAFF,
            CARD,
            Box::new(|id| json!({"cards": [{"id": id, "city": "New York"}]})),
        ),
        place(
            "cardholders.id",
            ("PUT", &membership),
            &STAFF,
            CARD,
            Box::new(|id| json!({"cardholders": [{"id": id, "city": "New York"}]})),
        ),
        place(
            "inventory.id",
            ("PUT", &inventory),
            &STAFF,
            ADD_ON,
            Box::new(|id| json!({"id": id, "name": "Audio guide", "type": "addOn", "price": "5.00"})),
        ),
        place(
            "addOns.inventoryIds",
            ("PUT", &template_path),
            &STAFF,
            ADD_ON,
            Box::new(move |id| {
                let mut body = template.clone();
                body["addOns"] = json!({"inventoryIds": [id]});
                body
            }),
        ),
    ]
}

/// What an answer says, without what differs from one request to the next.
fn told(answer: &Answer) -> (u16, String) {
    let details = answer.body["details"].to_string();
    (answer.status, details)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_an_integer_may_be_sent_as_text_wherever_a_body_has_one() {
    let service = Service::start().await;
    let event = slot(&service).await;
    for Place { name, request, headers, body, id } in places(&service, &event).await {
        let (method, path) = (request.0, request.1.as_str());
        let number = ask(&service, method, path, headers, body(json!(id))).await;
        assert_eq!(number.status, 200, "{name}: {}", number.body);
        for text in [id.to_string(), format!(" {id} "), format!("00{id}")] {
            let answer = ask(&service, method, path, headers, body(json!(text))).await;
            assert_eq!(answer.status, 200, "{name} {text:?}: {}", answer.body);
        }
        for wrong in ["", "one", "1e9", "+1", "-1", "1.0", "1_0", "0x1", "1 0", "99999999999999999999"] {
            let answer = ask(&service, method, path, headers, body(json!(wrong))).await;
            let (status, details) = told(&answer);
            assert_eq!(status, 400, "{name} {wrong:?}: {details}");
            assert!(details.contains("must be an integer"), "{name} {wrong:?}: {details}");
        }
        let unknown = ask(&service, method, path, headers, body(json!("7"))).await;
        let as_number = ask(&service, method, path, headers, body(json!(7))).await;
        assert_eq!(told(&unknown), told(&as_number), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_add_on_is_found_by_its_id_and_nothing_else_of_the_inventory_is() {
    let service = Service::start().await;
    let path = |id: i64| format!("/v2/b2b/addons/{id}");
    let found = read(&service, &path(ADD_ON), &STAFF).await;
    assert_eq!(found, read(&service, &format!("/v2/b2b/inventory/{ADD_ON}"), &STAFF).await);
    let gift = json!({"name": "A gift", "type": "donation"});
    let gift = ok(&service, "POST", "/v2/b2b/inventory", &STAFF, gift).await["id"].as_i64().unwrap();
    for id in [gift, 7] {
        assert_eq!(ask(&service, "GET", &path(id), &STAFF, Value::Null).await.status, 404, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offering_without_actions_allows_all_and_an_empty_list_allows_nothing() {
    let service = Service::start().await;
    let prices = json!([{"name": "One", "prices": [{"pricePoint": {"id": ADULT}, "price": 10.5}]}]);
    let all = ["new", "renew", "upgrade", "downGrade", "cancel"];
    let channels = 7;
    for (sent, names, switches) in [
        (Value::Null, &all[..], channels),
        (json!([]), &[], 0),
        (json!([{"action": "new"}]), &["new"], channels),
        (json!([{"action": "new", "salesChannels": []}]), &["new"], 0),
    ] {
        let mut offering = json!({"name": "Year", "duration": 12, "priceLists": prices});
        if !sent.is_null() {
            offering["actions"] = sent.clone();
        }
        let level = json!({"name": "Ours", "state": "published", "offerings": [offering]});
        let made = ok(&service, "POST", "/v2/b2b/membership/levels", &STAFF, level).await;
        let (level, offering) = (&made["id"], &made["offerings"][0]);
        let path = format!("/v2/b2b/membership/levels/{}", level.as_str().unwrap());
        let stored = read(&service, &path, &STAFF).await["offerings"][0].clone();
        assert_eq!(&stored, offering, "{sent}");
        let actions = stored["actions"].as_array().unwrap();
        let found: Vec<&str> = actions.iter().map(|action| action["action"].as_str().unwrap()).collect();
        assert_eq!(found, names, "{sent}");
        for action in actions {
            assert_eq!(action["salesChannels"].as_array().unwrap().len(), switches, "{sent}");
        }
        let line = json!({"itemType": "MembershipPurchase", "quantity": 1, "membershipInfo": {
            "membershipCategoryId": level, "membershipOfferingId": offering["id"], "pricePointId": ADULT,
            "isGift": false,
        }});
        let cart = ask(&service, "POST", "/v2/b2c/carts", &SHOP, json!({"items": [line]})).await;
        let is_sold = !names.is_empty() && switches > 0;
        assert_eq!(cart.status == 200, is_sold, "{sent}: {}", cart.body);
        // What is read can be written again, and says the same.
        let again = ok(&service, "PUT", "/v2/b2b/membership/levels", &STAFF, made.clone()).await;
        assert_eq!(again, made, "{sent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_venue_calls_a_level_itself_is_stored_and_a_membership_has_cards_and_cardholders() {
    let service = Service::start().await;
    let own = json!({"id": "s1", "program": "P", "category": "C", "subcategory": "S", "level": "L"});
    let level = json!({"name": "Ours", "service": own, "types": [own]});
    let made = ok(&service, "POST", "/v2/b2b/membership/levels", &STAFF, level).await;
    assert_eq!((&made["service"], &made["types"][0]), (&own, &own));
    let path = format!("/v2/b2b/membership/levels/{}", made["id"].as_str().unwrap());
    assert_eq!(read(&service, &path, &STAFF).await["service"], own);
    let membership = read(&service, &format!("/v2/b2b/memberships/{MEMBERSHIP}"), &STAFF).await;
    assert_eq!(membership["cards"].as_array().unwrap().len(), 1);
    assert_eq!(membership["cards"], membership["cardholders"]);
}

// ------------------------------------------------------------------------------ answers as clients know them

/// Answers as clients of the interface know them, with invented values.
fn known(name: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("living.json")).unwrap();
    assert!(!all[name].is_null(), "{name}");
    all[name].clone()
}

/// The fields of `known` that `actual` does not have, or has with another JSON type. Lists are compared by their
/// first elements.
fn unlike(known: &Value, actual: &Value, place: &str, found: &mut Vec<String>) {
    match (known, actual) {
        (Value::Object(known), Value::Object(actual)) => {
            for (name, inner) in known {
                let place = format!("{place}/{name}");
                match actual.get(name) {
                    Some(other) => unlike(inner, other, &place, found),
                    None => found.push(format!("{place} is missing")),
                }
            }
        }
        (Value::Array(known), Value::Array(actual)) => match (known.first(), actual.first()) {
            (Some(one), Some(other)) => unlike(one, other, &format!("{place}/0"), found),
            (Some(_), None) => found.push(format!("{place} is empty")),
            (None, _) => {}
        },
        (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Null, _) => {}
        _ => found.push(format!("{place} is {actual}")),
    }
}

fn assert_known(name: &str, actual: &Value) {
    let mut found = Vec::new();
    unlike(&known(name), actual, "", &mut found);
    assert_eq!(found, Vec::<String>::new(), "{name}: {actual}");
}

fn ada() -> Value {
    json!({
        "contactFirstName": "Ada", "contactLastName": "Byron", "email": "ada@example.test",
        "phoneNumber": "2125550142", "address1": "1 Pier", "city": "New York", "zipCode": "10004",
        "country": "United States", "state": "New York", "billingFirstName": "Ada", "billingLastName": "Byron",
        "billingEmail": "ada@example.test", "billingAddress1": "1 Pier", "billingZipCode": "10004",
        "billingCity": "New York", "billingState": "New York", "billingCountry": "United States",
        "billingPhoneNumber": "2125550142", "manualEntryCardNumber": "4242424242424242", "cvc": "123",
        "ccLastFourDigits": "4242", "creditCardBrand": "Visa", "expDate": "1230", "sendEmail": true,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_its_will_call_and_its_refund_have_every_field_that_clients_know() {
    let service = Service::start().await;
    let event = slot(&service).await;
    let mut body = ada();
    body["shoppingCart"] = json!({"items": [{
        "itemType": "Event", "eventId": event, "eventName": "Gallery", "ticketingTypeId": ADULT,
        "ticketingTypeName": "Adult", "quantity": 2, "ignoreEntitlements": false,
    }]});
    let order = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, body).await;
    assert_known("order", &order);
    assert_eq!(order["orderItems"][0]["comboTemplateType"], "fixedPrice");
    let id = order["id"].as_str().unwrap();
    assert_known("willcall", &read(&service, &format!("/v2/b2b/willcall/orders/{id}"), &STAFF).await);
    for (path, headers) in
        [(format!("/v2/b2c/orders/{id}"), &SHOP[..]), (format!("/v2/b2b/orders/detail/{id}"), &STAFF[..])]
    {
        assert_known("order", &read(&service, &path, headers).await);
    }
    let payment = &order["payments"][0];
    let path = format!("/v1/payment/{}/refund", payment["mid"].as_str().unwrap());
    let key = [("x-service-payment-key", "demo-pay-60417")];
    let refund = |amount: f64| json!({"saleId": payment["saleId"], "charge": {"amount": amount}});
    assert_known("refund", &ok(&service, "POST", &path, &key, refund(1.0)).await);
    let refused = ask(&service, "POST", &path, &key, refund(-1.0)).await;
    assert_eq!((refused.status, &refused.body["errorCode"]), (400, &json!(10026)));
    assert_known("refusedRefund", &refused.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn carts_and_entitlements_have_every_field_that_clients_know() {
    let service = Service::start().await;
    let event = slot(&service).await;
    let rules = json!({"rules": [{
        "id": "Adult_Limit_4", "limit": 4, "ruleApplies": "acrossAllItems", "timeFrame": {"period": "day"},
        "pricePointIds": [ADULT],
    }]});
    let path = format!("/v2/b2b/event/templates/{GALLERY}/entitlements");
    ok(&service, "PUT", &path, &STAFF, rules).await;
    let id = ok(&service, "POST", "/v2/b2c/carts", &SHOP, json!({})).await;
    assert_known("cartId", &id);
    let path = format!("/v2/b2c/carts/{}", id.as_str().unwrap());
    let put = |lines: Value| json!({"id": id, "membershipIds": [NUMBER], "items": lines});
    let priced = ok(&service, "PUT", &path, &SHOP, put(json!([ticket(&event, 0)]))).await;
    assert_known("memberPrices", &priced);
    for (quantity, name) in [(1, "entitled"), (6, "violated")] {
        let lines = json!([ticket(&event, quantity)]);
        ok(&service, "PUT", &path, &SHOP, put(lines)).await;
        let judged = ok(&service, "POST", "/v2/b2c/entitlements/validate", &SHOP, json!({"id": id})).await;
        assert_eq!(judged["valid"], name == "entitled", "{judged}");
        assert_known(name, &judged);
    }
    let cards = json!([{
        "cardType": "primary", "firstName": "Ada", "lastName": "Byron", "email": "ada@example.test",
        "phoneNumber": "2125550142", "streetAddress1": "1 Pier", "streetAddress2": "Unit 4",
        "city": "New York", "state": "NY", "zipCode": "10004", "country": "United States",
    }]);
    let line = membership_line("MembershipPurchase", json!({"membershipCards": cards}));
    let bought = json!({"id": id, "items": [line]});
    assert_known("membershipCart", &ok(&service, "PUT", &path, &SHOP, bought).await);
    let held = json!({"reservationItems": [{"eventId": event, "quantity": 5}]});
    let held = ok(&service, "POST", "/v2/b2b/reservations", &STAFF, held).await;
    assert_known("reservation", &held);
    let kept = json!({"id": held["id"], "reservationItems": [{"eventId": event, "quantity": 3}]});
    assert_known("reservation", &ok(&service, "PUT", "/v2/b2b/reservations", &STAFF, kept).await);
    let path = format!("/v2/b2b/reservations/{}", held["id"]);
    assert_known("reservation", &ok(&service, "DELETE", &path, &STAFF, Value::Null).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_has_every_field_that_clients_know() {
    let service = Service::start().await;
    let quote = format!(
        "checkout/validate?action=MembershipPurchase&levelId={LEVEL}&offeringId={OFFERING}&pricePointId={ADULT}"
    );
    let member = "/v2/b2c/membership/validate?membershipId";
    let templates = "/v2/b2c/event/templates";
    let day = (adapters::clock::wall_now() + chrono::Duration::days(30)).date_naive();
    let days = format!("startTime={day}&endTime={}", day + chrono::Days::new(4));
    for (name, path, headers) in [
        ("countries", "/v2/b2c/locations/avs/countries".to_owned(), &SHOP[..]),
        ("countries", "/v2/b2b/locations/avs/countries".to_owned(), &STAFF),
        ("states", "/v2/b2c/locations/states/US".to_owned(), &SHOP),
        ("quote", format!("/v2/b2b/memberships/{quote}"), &STAFF),
        ("quote", format!("/v2/memberships/b2b/{quote}"), &STAFF),
        ("times", format!("{templates}/{GALLERY}/times?{days}&saleChannel=online"), &SHOP),
        ("allTimes", format!("{templates}/times?{days}"), &SHOP),
        ("calendar", format!("{templates}/calendar?{days}"), &SHOP),
        ("calendar", format!("{templates}/{GALLERY}/calendar"), &SHOP),
        ("verified", format!("{member}={NUMBER}&lastName=Lindqvist"), &SHOP),
        ("notFound", format!("{member}=100000001"), &SHOP),
        ("exists", "/v2/b2c/membership/exists?email=ada.lindqvist%40example.test".to_owned(), &SHOP),
    ] {
        assert_known(name, &read(&service, &path, headers).await);
    }
    let not_found = read(&service, &format!("{member}=100000001"), &SHOP).await;
    assert_eq!(
        not_found,
        json!([{"status": "not_found", "lastNameMatches": null, "memberListEntry": null, "memberProof": null}])
    );
    for country in read(&service, "/v2/b2c/locations/avs/countries", &SHOP).await.as_array().unwrap() {
        assert_eq!(country.as_object().unwrap().len(), 8, "{country}");
    }
}
