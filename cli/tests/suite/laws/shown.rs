//! What is shown is what is charged: every price a list or an instance shows is the price of such a line in the cart
//! and at checkout, for the same buyer, over random catalogs.

use boxoffice::testing::Service;
use domain::Money;
use proptest::option::of;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use testkit::walk::Walk;

const STAFF: [(&str, &str); 1] = [("x-service-api-key", "demo-b2b-1001")];
const ADULT: &str = "1001aa000000000000000001";
const CHILD: &str = "1001aa000000000000000002";
const LEVEL: &str = "1001bb000000000000000001";
const NUMBER: i64 = 100_100_031;
/// Catalogs of a whole walk.
const CATALOGS: usize = 48;

/// What an event costs, in cents.
#[derive(Debug, Clone)]
struct Prices {
    price: i64,
    discounted: Option<i64>,
    /// What members get off: kind and value.
    member: Option<(&'static str, i64)>,
    /// A list that is in force before and one that will be later.
    other_lists: bool,
}

fn any_prices() -> impl Strategy<Value = Prices> {
    let amount = || prop_oneof![Just(0_i64), Just(1), 1..5_000_i64];
    let member = prop_oneof![Just("amount"), Just("percent"), Just("fixedPrice")];
    (amount(), of(amount()), of((member, amount())), any::<bool>()).prop_map(
        |(price, discounted, member, other_lists)| Prices { price, discounted, member, other_lists },
    )
}

fn text(cents: i64) -> String {
    Money::from_cents(cents).to_string()
}

/// A price as a list shows it, in the form in which a cart does.
fn shown(price: &Value) -> String {
    Money::parse(&price.to_string()).unwrap().to_string()
}

async fn ok(service: &Service, method: &str, path: &str, headers: &[(&str, &str)], body: Value) -> Value {
    let answer = service.request(method, path, headers, Some(&body).filter(|body| !body.is_null())).await;
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    answer.body
}

/// A template at these prices, with one slot.
async fn made(service: &Service, prices: &Prices) -> Value {
    let Prices { price, discounted, member, other_lists } = prices;
    let entry = |person_type: &str, price: i64| {
        json!({"personType": {"id": person_type}, "price": text(price),
            "discountedPrice": discounted.map(text)})
    };
    let mut lists = vec![json!({"id": "own", "prices": [entry(ADULT, *price), entry(CHILD, price / 2)]})];
    if *other_lists {
        lists[0]["startTime"] = json!("2020-01-01");
        let strange = [entry(ADULT, price + 100), entry(CHILD, price + 100)];
        lists.push(json!({"id": "before", "prices": strange}));
        lists.push(json!({"id": "later", "startTime": "2090-01-01", "prices": strange}));
    }
    let mut discounts = json!([]);
    if let Some((kind, value)) = member {
        let value = if *kind == "percent" { value % 10_001 } else { *value };
        let values =
            [ADULT, CHILD].map(|id| json!({"personTypeId": id, "discountType": kind, "value": text(value)}));
        let discount = json!({"name": "Members", "values": values});
        let id = ok(service, "POST", "/v2/b2b/discounts", &STAFF, discount).await["id"].clone();
        discounts = json!([{"category": {"id": LEVEL}, "discount": {"id": id}}]);
    }
    let start = (adapters::clock::wall_now() + chrono::Duration::days(2)).to_rfc3339();
    let template = json!({
        "name": "Law", "description": "Shown is charged.", "reviewState": "Published",
        "startTime": start, "duration": {"hour": 1, "minutes": 0}, "capacity": 500,
        "priceLists": lists, "membership": {"discounts": discounts},
    });
    ok(service, "POST", "/v2/b2b/event/templates", &STAFF, template).await
}

/// The price of a ticket type in a list of prices.
fn of_type<'a>(prices: &'a Value, person_type: &str) -> &'a Value {
    let found = prices.as_array().unwrap().iter().find(|price| price["personType"]["id"] == person_type);
    found.unwrap_or(&Value::Null)
}

/// Every price of a type that is shown to a buyer, with the slot it is shown for.
async fn all_shown(
    service: &Service,
    template: &str,
    buyer: &str,
    headers: &[(&str, &str)],
    person_type: &str,
) -> (String, Vec<Value>) {
    let get = async |path: String| ok(service, "GET", &path, headers, Value::Null).await;
    let next = get(format!("/v2/b2c/events/{template}/nextAvailable?{buyer}")).await;
    let instance = next["id"].as_str().unwrap().to_owned();
    let range = format!("startTime=2020-01-01&endTime={}", next["startTime"].as_str().unwrap());
    let range = range.replace('+', "%2B");
    let of_template = |found: &Value| {
        let lists = found["priceLists"].as_array().unwrap();
        let own = lists.iter().find(|list| list["id"] == "own").unwrap();
        of_type(&own["prices"], person_type).clone()
    };
    let of_instance = |found: &Value| of_type(&found["priceList"]["prices"], person_type).clone();
    let one = get(format!("/v2/b2c/event/templates/{template}?{buyer}")).await;
    let all = get(format!("/v2/b2c/event/templates?{buyer}")).await;
    let listed = all.as_array().unwrap().iter().find(|found| found["id"] == template).unwrap();
    let times = get(format!("/v2/b2c/event/templates/{template}/times?{range}&{buyer}")).await;
    let single = get(format!("/v2/b2c/events/{instance}?{buyer}")).await;
    let prices = vec![
        of_template(&one),
        of_template(listed),
        of_instance(&next["event"]),
        of_instance(&times[0]["event"]),
        of_instance(&single),
    ];
    (instance, prices)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listed_price_is_the_price_in_the_cart_and_at_checkout() {
    let service = Service::start().await;
    let mut runner = TestRunner::deterministic();
    let mut below = 0;
    let mut catalogs = Walk::begin("listed-prices", 4);
    for place in 0..CATALOGS {
        let prices = any_prices().new_tree(&mut runner).unwrap().current();
        if !catalogs.plays(()) {
            continue;
        }
        let template = made(&service, &prices).await["id"].as_str().unwrap().to_owned();
        let address = format!("203.0.113.{}", place + 1);
        let shop = [
            ("x-service-api-key", "demo-b2c-1001"),
            ("x-b2c-tenant-id", "1001"),
            ("x-service-browser-ip", address.as_str()),
        ];
        for (buyer, benefits) in [
            (String::new(), json!({})),
            (format!("membershipId={NUMBER}"), json!({"membershipIds": [NUMBER]})),
            (format!("membershipCategoryId={LEVEL}"), json!({"membershipCategoryId": LEVEL})),
        ] {
            for person_type in [ADULT, CHILD] {
                let case = format!("{prices:?} for {buyer:?} and {person_type}");
                let (instance, listed) = all_shown(&service, &template, &buyer, &shop, person_type).await;
                let first = shown(&listed[0]["price"]);
                for price in &listed {
                    assert_eq!(shown(&price["price"]), first, "{case}: {listed:?}");
                    if let Some(discounted) = price.get("discountedPrice").filter(|found| !found.is_null()) {
                        assert_eq!(shown(discounted), first, "{case}: {listed:?}");
                    }
                }
                let line = |is_retail: bool| {
                    json!({"eventId": instance, "ticketingTypeId": person_type, "quantity": 1,
                        "isRetail": is_retail})
                };
                let mut cart = benefits.clone();
                cart["items"] = json!([line(false), line(true)]);
                let id = ok(&service, "POST", "/v2/b2c/carts", &shop, cart.clone()).await;
                let path = format!("/v2/b2c/carts/{}", id.as_str().unwrap());
                let read = ok(&service, "GET", &path, &shop, Value::Null).await;
                let (own, full) = (&read["items"][0], &read["items"][1]);
                assert_eq!(own["unitPrice"], first.as_str(), "{case}");
                let retail = if person_type == ADULT { prices.price } else { prices.price / 2 };
                let retail = text(retail);
                for price in [&own["retailUnitPrice"], &full["retailUnitPrice"], &full["unitPrice"]] {
                    assert_eq!(*price, retail.as_str(), "{case}");
                }
                let off = Money::parse(&retail).unwrap().checked_sub(Money::parse(&first).unwrap()).unwrap();
                let told = listed[0].get("discount").filter(|found| !found.is_null());
                assert_eq!(told.map_or_else(|| text(0), shown), off.to_string(), "{case}");
                below += usize::from(!off.is_zero());
                cart["items"] = json!([line(false)]);
                let body = json!({
                    "shoppingCart": cart, "billingEmail": "law@example.test", "dryRun": true,
                    "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
                    "billingZipCode": "10004", "expectedTotal": first,
                });
                let report = ok(&service, "POST", "/v2/b2c/checkout", &shop, body).await;
                assert_eq!(report["totalAmount"], first.as_str(), "{case}: {report}");
                assert_eq!(report["findings"], json!([]), "{case}");
            }
        }
    }
    let played = catalogs.end(CATALOGS);
    assert!(below > played, "too few prices were reduced: {below}");
}
