//! Forms, from the back office that asks them to the order that keeps the answers (spec §2.6).

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, PAGE, SHOP, STAFF, ask, ok};
use boxoffice::testing::Service;
use insta::assert_snapshot;
use serde_json::{Value, json};

fn payer(fields: Value) -> Value {
    let mut body = json!({
        "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
    });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// A form with one question that must be answered.
async fn form(service: &Service, once_per_cart: bool) -> Value {
    let form = json!({
        "name": "School visit", "oncePerCart": once_per_cart, "required": true, "fields": [
            {"name": "school", "type": "text", "required": true}, {"name": "pupils", "type": "number"},
        ],
    });
    ok(service, "POST", "/v2/b2b/forms", &STAFF, form).await
}

fn template(name: &str, forms: &[&Value]) -> Value {
    let forms: Vec<Value> = forms.iter().map(|form| json!({"id": form["id"]})).collect();
    json!({
        "name": name, "description": "With a guide.", "reviewState": "Published",
        "duration": {"hour": 1}, "capacity": 30, "startTime": "2028-05-06T10:00:00",
        "priceLists": [{"id": "visit", "name": "Visit", "prices": [{"personType": {"id": ADULT}, "price": "8.00"}]}],
        "orderForms": forms,
    })
}

/// The template and the one slot of an event that asks these forms.
async fn event(service: &Service, name: &str, forms: &[&Value]) -> (Value, Value) {
    let made = ok(service, "POST", "/v2/b2b/event/templates", &STAFF, template(name, forms)).await;
    let times = format!("/v2/b2c/event/templates/{}/times?startTime=2028-05-06", text(&made["id"]));
    let times = ok(service, "GET", &times, &SHOP, Value::Null).await;
    (made, times[0]["id"].clone())
}

fn line(event: &Value) -> Value {
    json!({"eventId": event, "ticketingTypeId": ADULT, "quantity": 2})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_visitor_answers_is_kept_with_the_order_for_each_event() {
    let service = Service::start().await;
    let (once, each) = (form(&service, true).await, form(&service, false).await);
    let (first, morning) = event(&service, "Ships", &[&once, &each]).await;
    let (_, noon) = event(&service, "Knots", &[&once]).await;
    let (_, evening) = event(&service, "Stars", &[]).await;
    let items = json!([line(&morning), line(&noon), line(&evening)]);
    // The visitor's own page answers the forms of its cart.
    let cart = ok(&service, "POST", "/v2/b2c/carts", &PAGE, json!({"items": items})).await;
    let path = format!("/v2/b2c/carts/{}", text(&cart));
    let checkout = payer(json!({"shoppingCartId": cart}));
    let refused = ask(&service, "POST", "/v2/b2c/checkout", &SHOP, checkout.clone()).await;
    assert_eq!((refused.status, &refused.body["errorCode"]), (409, &json!(20034)), "{}", refused.body);
    let asked = ok(&service, "GET", &path, &PAGE, Value::Null).await["forms"].clone();
    for (place, school) in [(0, "Pier School"), (1, "Harbor School")] {
        let entry = format!("{path}/forms/{}", text(&asked[place]["formResponseId"]));
        let fields =
            json!({"fields": [{"name": "school", "value": school}, {"name": "pupils", "value": 23}]});
        ok(&service, "PUT", &entry, &PAGE, fields).await;
    }
    let order = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, checkout).await;
    let id = text(&order["id"]);
    for (path, headers) in
        [(format!("/v2/b2c/orders/{id}"), &SHOP[..]), (format!("/v2/b2b/orders/detail/{id}"), &STAFF[..])]
    {
        let read = ok(&service, "GET", &path, headers, Value::Null).await;
        assert_eq!(read["forms"], order["forms"], "{path}");
    }
    let told = |form: &Value| {
        let kind = if form["formId"] == once["id"] { "once" } else { "each" };
        let fields: Vec<String> = form["fields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|field| format!("{}={}", text(&field["name"]), field["value"]))
            .collect();
        let name = text(&form["formName"]);
        format!("{} asked {kind} for {}: {}", name, text(&form["itemName"]), fields.join(", "))
    };
    let kept: Vec<String> = order["forms"].as_array().unwrap().iter().map(told).collect();
    assert_snapshot!(kept.join("\n"), @r#"
    School visit asked once for Ships: school="Pier School", pupils=23
    School visit asked once for Knots: school="Pier School", pupils=23
    School visit asked each for Ships: school="Harbor School", pupils=23
    "#);

    // A list of orders would be too long with it.
    let search = "/v2/b2c/orders/search?email=buyer@example.test";
    let listed = ok(&service, "GET", search, &SHOP, Value::Null).await["list"][0].clone();
    assert_eq!((&listed["id"], listed.get("forms")), (&order["id"], Some(&Value::Null)));

    // Orders keep what was answered, whatever becomes of the form.
    let delete = format!("/v2/b2b/forms/{}", text(&each["id"]));
    let in_use = ask(&service, "DELETE", &delete, &STAFF, Value::Null).await;
    assert_eq!((in_use.status, &in_use.body["type"]), (409, &json!("IN_USE")));
    let mut without = first.clone();
    without["orderForms"] = json!([]);
    let template = format!("/v2/b2b/event/templates/{}", text(&first["id"]));
    ok(&service, "PUT", &template, &STAFF, without).await;
    ok(&service, "DELETE", &delete, &STAFF, Value::Null).await;
    let read = ok(&service, "GET", &format!("/v2/b2c/orders/{id}"), &SHOP, Value::Null).await;
    assert_eq!(read["forms"], order["forms"]);
    let will_call = format!("/v2/b2b/willcall/orders/{id}");
    let will_call = ok(&service, "GET", &will_call, &STAFF, Value::Null).await;
    let has_forms = |event: &Value| (text(&event["eventName"]), event["hasForms"].as_bool().unwrap());
    let has_forms: Vec<(String, bool)> =
        will_call["eventItems"].as_array().unwrap().iter().map(has_forms).collect();
    let named = [("Ships", true), ("Knots", true), ("Stars", false)];
    assert_eq!(has_forms, named.map(|(name, has)| (name.to_owned(), has)));
    // Who may not read orders does not read their answers.
    let page = ask(&service, "GET", &format!("/v2/b2c/orders/{id}"), &PAGE, Value::Null).await;
    assert_eq!(page.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_compared_with_the_form_as_the_back_office_last_wrote_it() {
    let service = Service::start().await;
    let mut form = form(&service, false).await;
    let (_, morning) = event(&service, "Ships", &[&form]).await;
    let cart = ok(&service, "POST", "/v2/b2c/carts", &SHOP, json!({"items": [line(&morning)]})).await;
    let path = format!("/v2/b2c/carts/{}", text(&cart));
    let asked = ok(&service, "GET", &path, &SHOP, Value::Null).await["forms"][0].clone();
    let entry = format!("{path}/forms/{}", text(&asked["formResponseId"]));
    form["fields"][1]["required"] = json!(true);
    ok(&service, "PUT", &format!("/v2/b2b/forms/{}", text(&form["id"])), &STAFF, form).await;
    let school = json!({"fields": [{"name": "school", "value": "Pier School"}]});
    let refused = ask(&service, "PUT", &entry, &SHOP, school).await;
    assert_eq!(refused.status, 400);
    assert_eq!(
        refused.body["details"],
        json!([{"field": "/fields", "message": "must include an answer for \"pupils\""}])
    );
}
