//! What visitors choose from beside events: levels, combos, add-ons and donations that are sold to them, and of these
//! no more than they need.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, PAGE, SHOP, STAFF, ask, ok};
use boxoffice::testing::Service;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const LEVELS: &str = "/v2/b2c/membership/levels";
const COMBOS: &str = "/v2/b2c/combos";
const INVENTORY: &str = "/v2/b2c/inventory";

fn fields(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// What a page is shown.
async fn shown(service: &Service, path: &str) -> Vec<Value> {
    let body = ok(service, "GET", path, &PAGE, Value::Null).await;
    body.as_array().unwrap().clone()
}

fn names(list: &[Value]) -> BTreeSet<&str> {
    list.iter().map(|one| one["name"].as_str().unwrap()).collect()
}

/// Sold at the box office alone.
fn at_box_office() -> Value {
    json!([{"name": "Box office", "channel": "pointOfSale", "enabled": true}])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_shown_levels_with_what_can_be_done_with_them_and_nothing_of_the_back_office() {
    let service = Service::start().await;
    let levels = shown(&service, LEVELS).await;
    let crew = levels.iter().find(|level| level["name"] == "Crew").unwrap();
    let of_level = [
        "benefits",
        "description",
        "id",
        "images",
        "membershipLevelGroup",
        "name",
        "offerings",
        "rules",
        "shortDescription",
        "termsAndConditions",
    ];
    assert_eq!(fields(crew), BTreeSet::from(of_level));
    let offering = &crew["offerings"][0];
    let of_offering =
        ["actions", "benefits", "description", "duration", "id", "name", "priceLists", "rules", "subtitle"];
    assert_eq!(fields(offering), BTreeSet::from(of_offering));
    assert_eq!(offering["duration"], 12);
    assert_eq!(
        (&offering["rules"]["canGift"], &offering["rules"]["numberOfCardHolders"]),
        (&json!(true), &json!(1))
    );
    let actions = ["new", "renew", "upgrade", "downGrade"].map(|action| json!({"action": action}));
    assert_eq!(offering["actions"], json!(actions));
    let price = &offering["priceLists"][0]["prices"][0];
    assert_eq!(fields(price), BTreeSet::from(["discountedPrice", "price", "pricePoint"]));
    assert_eq!(fields(&price["pricePoint"]), BTreeSet::from(["description", "id", "name"]));
    assert_eq!((price["price"].as_f64(), &price["discountedPrice"]), (Some(75.0), &Value::Null));
    assert_eq!(price["pricePoint"]["id"], ADULT);
    let by_server = ok(&service, "GET", LEVELS, &SHOP, Value::Null).await;
    assert_eq!(by_server, json!(levels));
}

#[tokio::test(flavor = "multi_thread")]
async fn levels_offerings_and_prices_that_a_page_cannot_sell_are_not_shown() {
    let service = Service::start().await;
    let price = json!({"personType": {"id": ADULT}, "price": "90.00", "discountedPrice": "80.00"});
    let offering = json!({
        "name": "One year", "duration": 12,
        "priceLists": [
            {"prices": [price]},
            {"startTime": "2090-01-01", "prices": [{"personType": {"id": ADULT}, "price": "1.00"}]},
        ],
    });
    let with = |name: &str, level: Value, changed: Value| {
        let mut offering = offering.clone();
        offering.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
        let mut body = json!({"name": name, "state": "published", "offerings": [offering]});
        body.as_object_mut().unwrap().extend(level.as_object().unwrap().clone());
        body
    };
    let none = || json!({});
    let dear = json!({"personType": {"id": ADULT}, "price": "99.00", "salesChannels": at_box_office()});
    for body in [
        with("Sold", none(), none()),
        with("Draft", json!({"state": "draft"}), none()),
        with("Auxiliary", json!({"auxiliary": true}), none()),
        with("Level at the box office", json!({"salesChannels": at_box_office()}), none()),
        with("Offering at the box office", none(), json!({"salesChannels": at_box_office()})),
        with("Nothing to do", none(), json!({"actions": []})),
        with("To be ended", none(), json!({"actions": [{"action": "cancel"}]})),
        with("Prices of the box office", none(), json!({"priceLists": [{"prices": [dear]}]})),
    ] {
        ok(&service, "POST", "/v2/b2b/membership/levels", &STAFF, body).await;
    }
    let levels = shown(&service, LEVELS).await;
    assert_eq!(names(&levels), BTreeSet::from(["Crew", "Captain", "Sold"]));
    let sold = levels.iter().find(|level| level["name"] == "Sold").unwrap();
    let lists = sold["offerings"][0]["priceLists"].as_array().unwrap();
    assert_eq!((lists.len(), lists[0]["prices"].as_array().unwrap().len()), (1, 1));
    let price = &lists[0]["prices"][0];
    assert_eq!((price["price"].as_f64(), price["discountedPrice"].as_f64()), (Some(90.0), Some(80.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn combos_that_are_sold_are_shown_in_short() {
    let service = Service::start().await;
    let gone = json!({
        "name": "Gone", "active": false, "comboTemplateType": "fixedPrice",
        "parts": [{"eventTemplateId": "1001ee000000000000000001"}, {"eventTemplateId": "1001ee000000000000000002"}],
        "prices": [{"personTypeId": ADULT, "price": "9.00"}],
    });
    ok(&service, "POST", "/v2/b2b/combos", &STAFF, gone).await;
    let part = |number: u32| json!({"eventTemplateId": format!("1001ee{number:018}"), "quantity": 1});
    let price =
        |number: u32, price: &str| json!({"personTypeId": format!("1001aa{number:018}"), "price": price});
    let expected = json!([{
        "id": "1001c1000000000000000001", "name": "Gallery and Lanterns",
        "description": "The gallery by day and the lightship by night.", "comboTemplateType": "fixedPrice",
        "parts": [part(1), part(2)], "prices": [price(1, "50.00"), price(2, "30.00")],
    }]);
    assert_eq!(json!(shown(&service, COMBOS).await), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn add_ons_and_donations_on_offer_are_shown_in_their_order() {
    let service = Service::start().await;
    let made = |name: &str, kind: &str, changed: Value| {
        let mut body = json!({"name": name, "type": kind, "price": "3.00"});
        body.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
        body
    };
    for body in [
        made("First", "addOn", json!({"displayOrder": -1})),
        made("Gone", "addOn", json!({"active": false})),
        made("Box office", "addOn", json!({"salesChannels": at_box_office()})),
        made("New card", "membershipCardReplacement", json!({})),
    ] {
        ok(&service, "POST", "/v2/b2b/inventory", &STAFF, body).await;
    }
    let mut found = shown(&service, INVENTORY).await;
    let first = found.remove(0);
    assert_eq!((&first["name"], &first["price"]), (&json!("First"), &json!("3.00")));
    let expected = json!([
        {"id": 1_001_001, "name": "Audio guide", "description": "A guide in six languages, one per person.",
            "type": "addOn", "price": "5.00", "displayOrder": 1},
        {"id": 1_001_002, "name": "Restore the lightship", "description": "A gift of ten dollars.",
            "type": "fixedDonation", "price": "10.00", "displayOrder": 2},
        {"id": 1_001_003, "name": "A gift of your choice", "description": "Give what you like.",
            "type": "donation", "price": null, "displayOrder": 3},
    ]);
    assert_eq!(json!(found), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_buys_the_seats_that_it_held_while_its_visitor_typed() {
    let service = Service::start().await;
    let next = "/v2/b2c/events/1001ee000000000000000001/nextAvailable";
    let next = ok(&service, "GET", next, &PAGE, Value::Null).await;
    let (slot, before) = (&next["id"], next["availableSeats"].as_i64().unwrap());
    let left = async || {
        let one = format!("/v2/b2c/events/{}", slot.as_str().unwrap());
        let one = ok(&service, "GET", &one, &PAGE, Value::Null).await;
        one["capacity"].as_i64().unwrap() - one["soldQuantity"].as_i64().unwrap()
    };
    let unsold = left().await;
    let seats = json!({"reservationItems": [{"eventId": slot, "quantity": 2}]});
    let held = ok(&service, "POST", "/v2/b2c/reservations", &PAGE, seats).await;
    let again = "/v2/b2c/events/1001ee000000000000000001/nextAvailable";
    let again = ok(&service, "GET", again, &PAGE, Value::Null).await;
    assert_eq!((&again["id"], again["availableSeats"].as_i64()), (slot, Some(before - 2)));
    let items = json!([{"eventId": slot, "ticketingTypeId": ADULT, "quantity": 2}]);
    let cart = json!({"items": items, "reservationId": held["id"]});
    let pay = json!({
        "shoppingCart": cart, "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
    });
    ok(&service, "POST", "/v2/b2c/cors/checkout", &PAGE, pay).await;
    assert_eq!(left().await, unsold - 2);
    let path = format!("/v2/b2c/reservations/{}", held["id"]);
    assert_eq!(ask(&service, "DELETE", &path, &PAGE, Value::Null).await.status, 404);
}
