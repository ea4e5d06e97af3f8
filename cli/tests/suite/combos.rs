//! Combos, from the back office that defines them to the tickets they become.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, SHOP, STAFF, ask, ok};
use boxoffice::testing::Service;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const CHILD: &str = "1001aa000000000000000002";
const DEMO: &str = "1001c1000000000000000001";

/// Two events of one evening and the combo of both: a ticket for the first and two for the second at 30.00.
struct Evening {
    service: Service,
    templates: [String; 2],
    slots: [Value; 2],
    combo: Value,
}

impl Evening {
    async fn open() -> Self {
        let service = Service::start().await;
        let (day, first) = event(&service, "Tide Walk", "20.05", 4).await;
        let (night, second) = event(&service, "Lamp Room", "9.99", 7).await;
        let combo = json!({
            "name": "Walk and lamp", "description": "Both.", "comboTemplateType": "fixedPrice",
            "parts": [{"eventTemplateId": day}, {"eventTemplateId": night, "quantity": 2}],
            "prices": [{"personTypeId": ADULT, "price": "30.00"}],
        });
        let combo = ok(&service, "POST", "/v2/b2b/combos", &STAFF, combo).await["id"].clone();
        Self { service, templates: [day, night], slots: [first, second], combo }
    }

    fn combos(&self, quantity: i64) -> Value {
        json!({
            "comboTemplateId": self.combo, "ticketingTypeId": ADULT, "quantity": quantity,
            "parts": [{"eventId": self.slots[0]}, {"eventId": self.slots[1]}],
        })
    }

    async fn seats(&self, event: usize) -> Value {
        let path = format!("/v2/b2c/event/templates/{}/times?startTime=2028-05-06", self.templates[event]);
        ok(&self.service, "GET", &path, &SHOP, Value::Null).await[0]["availableSeats"].clone()
    }
}

/// An event of one slot, with this price of an adult and so many seats.
async fn event(service: &Service, name: &str, price: &str, capacity: u32) -> (String, Value) {
    let template = json!({
        "name": name, "description": name, "reviewState": "Published", "capacity": capacity,
        "duration": {"hour": 1, "minutes": 30}, "startTime": "2028-05-06T19:00:00", "endTime": "2028-05-06T23:00:00",
        "priceLists": [{"id": "evening", "name": "Evening", "prices": [
            {"personType": {"id": ADULT}, "price": price, "displayOrder": 1},
        ]}],
    });
    let made = ok(service, "POST", "/v2/b2b/event/templates", &STAFF, template).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let times = format!("/v2/b2c/event/templates/{id}/times?startTime=2028-05-06");
    let seen = ok(service, "GET", &times, &SHOP, Value::Null).await;
    (id, seen[0]["id"].clone())
}

fn payer(fields: Value) -> Value {
    let mut body = json!({
        "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
    });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

fn hide(value: &mut Value, names: &[&str]) {
    for name in names {
        value[*name] = json!(format!("[{name}]"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tickets_of_a_combo_count_for_the_ticket_limits_of_its_events() {
    let evening = Evening::open().await;
    let service = &evening.service;
    let limits = format!("/v2/b2b/event/templates/{}/entitlements", evening.templates[1]);
    ok(service, "PUT", &limits, &STAFF, json!({"rules": [], "ticketLimits": {"perOrder": 5}})).await;
    let single = json!({"eventId": evening.slots[1], "ticketingTypeId": ADULT, "quantity": 2});
    // Two tickets in each combo, beside two by themselves.
    for (combos, singles, wanted, valid) in
        [(2, json!([]), 4, true), (1, json!([single]), 4, true), (2, json!([single]), 6, false)]
    {
        let cart = json!({"items": singles, "comboItems": [evening.combos(combos)]});
        let judged = ok(service, "POST", "/v2/b2c/entitlements/validate", &SHOP, cart.clone()).await;
        let limit = &judged["results"][0];
        assert_eq!(
            (&judged["valid"], &limit["requestedQuantity"]),
            (&json!(valid), &json!(wanted)),
            "{judged}"
        );
        let checkout = payer(json!({"shoppingCart": cart, "dryRun": true}));
        let findings = ok(service, "POST", "/v2/b2c/checkout", &SHOP, checkout).await.to_string();
        assert_eq!(findings.contains("ENTITLEMENTS_VIOLATED"), !valid, "{findings}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_combo_asks_the_forms_of_its_events() {
    let evening = Evening::open().await;
    let service = &evening.service;
    let form = json!({"name": "Allergies", "required": true, "fields": [{"name": "what", "type": "text"}]});
    let form = ok(service, "POST", "/v2/b2b/forms", &STAFF, form).await["id"].clone();
    let path = format!("/v2/b2b/event/templates/{}", evening.templates[1]);
    let mut template = ok(service, "GET", &path, &STAFF, Value::Null).await;
    template["orderForms"] = json!([{"id": form}]);
    ok(service, "PUT", &path, &STAFF, template).await;
    let cart = ok(service, "POST", "/v2/b2c/carts", &SHOP, json!({"comboItems": [evening.combos(1)]})).await;
    let path = format!("/v2/b2c/carts/{}", cart.as_str().unwrap());
    let held = ok(service, "GET", &path, &SHOP, Value::Null).await;
    let entry = &held["forms"][0];
    assert_eq!((&entry["formId"], &entry["itemName"]), (&form, &json!("Lamp Room")), "{held}");
    assert_eq!(entry["itemId"], held["comboItems"][0]["itemId"]);
    let buy = payer(json!({"shoppingCartId": cart}));
    let refused = ask(service, "POST", "/v2/b2c/checkout", &SHOP, buy.clone()).await;
    assert_eq!((refused.status, &refused.body["type"]), (409, &json!("FORMS_INCOMPLETE")));
    let answer = format!("{path}/forms/{}", entry["formResponseId"].as_str().unwrap());
    ok(service, "PUT", &answer, &SHOP, json!({"fields": [{"name": "what", "value": "Nuts"}]})).await;
    let order = ok(service, "POST", "/v2/b2c/checkout", &SHOP, buy).await;
    let path = format!("/v2/b2b/willcall/orders/{}", order["id"].as_str().unwrap());
    let will_call = ok(service, "GET", &path, &STAFF, Value::Null).await;
    let asked: Vec<_> =
        will_call["eventItems"].as_array().unwrap().iter().map(|event| &event["hasForms"]).collect();
    assert_eq!(asked.iter().filter(|asked| **asked == true).count(), 1, "{will_call}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_combo_is_sold_from_the_cart_to_the_gate() {
    let evening = Evening::open().await;
    let service = &evening.service;
    let id = ok(service, "POST", "/v2/b2c/carts", &SHOP, json!({"comboItems": [evening.combos(2)]})).await;
    let path = format!("/v2/b2c/carts/{}", id.as_str().unwrap());
    let new = ok(service, "GET", &path, &SHOP, Value::Null).await;
    assert_eq!((&new["items"], &new["comboItems"][0]["amount"]), (&json!([]), &json!("60.00")));
    let explain = [SHOP[0], SHOP[1], SHOP[2], ("x-service-explain", "true")];
    let single = json!({"eventId": evening.slots[0], "ticketingTypeId": ADULT, "quantity": 1});
    let mut both = json!({"id": id, "items": [single], "comboItems": new["comboItems"]});
    let told = ok(service, "PUT", &path, &explain, both.clone()).await;
    assert_eq!(told["comboItems"][0]["itemId"], new["comboItems"][0]["itemId"], "the line is kept");
    assert_eq!(told["items"][0]["priceTrace"][0]["result"], "applied");
    let mut shown = told["comboItems"][0].clone();
    hide(&mut shown, &["itemId", "comboTemplateId"]);
    for part in 0..2 {
        hide(&mut shown["parts"][part], &["eventId"]);
    }
    hide(&mut shown["priceTrace"][1], &["comboTemplateId"]);
    insta::assert_json_snapshot!(shown, @r#"
    {
      "amount": "60.00",
      "comboName": "Walk and lamp",
      "comboTemplateId": "[comboTemplateId]",
      "comboTemplateType": "fixedPrice",
      "itemId": "[itemId]",
      "parts": [
        {
          "eventId": "[eventId]",
          "eventName": "Tide Walk",
          "quantity": 1
        },
        {
          "eventId": "[eventId]",
          "eventName": "Lamp Room",
          "quantity": 2
        }
      ],
      "priceTrace": [
        {
          "comboTemplateId": null,
          "couponCode": null,
          "exactUnitPrice": null,
          "membershipCategoryId": null,
          "membershipId": null,
          "reason": null,
          "result": "outranked",
          "rule": "fullPrice",
          "specification": "§2.3",
          "unitPrice": "40.03"
        },
        {
          "comboTemplateId": "[comboTemplateId]",
          "couponCode": null,
          "exactUnitPrice": null,
          "membershipCategoryId": null,
          "membershipId": null,
          "reason": null,
          "result": "applied",
          "rule": "combo",
          "specification": "contract §7",
          "unitPrice": "30.00"
        }
      ],
      "quantity": 2,
      "retailUnitPrice": "40.03",
      "ticketingTypeId": "1001aa000000000000000001",
      "ticketingTypeName": "Adult",
      "unitPrice": "30.00"
    }
    "#);
    both["comboItems"] = told["comboItems"].clone();
    assert_eq!(
        ok(service, "PUT", &path, &SHOP, both).await["comboItems"][0]["quantity"],
        2,
        "what is shown can be sent"
    );

    let order = ok(service, "POST", "/v2/b2c/checkout", &SHOP, payer(json!({"shoppingCartId": id}))).await;
    assert_eq!(
        (&order["totalAmount"], &order["discountedTotalAmount"], &order["paidAmount"]),
        (&json!("100.11"), &json!("80.05"), &json!("80.05"))
    );
    let items = order["orderItems"].as_array().unwrap();
    let amounts: Vec<&str> = items.iter().map(|item| item["discountedAmount"].as_str().unwrap()).collect();
    assert_eq!(amounts, ["20.05", "60.00", "30.06", "29.94"]);
    assert_eq!((evening.seats(0).await, evening.seats(1).await), (json!(1), json!(3)));

    let path = format!("/v2/b2b/willcall/orders/{}", order["id"].as_str().unwrap());
    let collected = ok(service, "GET", &path, &STAFF, Value::Null).await;
    let events = collected["eventItems"].as_array().unwrap();
    let rows: Vec<(&Value, &Value, &Value, usize)> = events
        .iter()
        .flat_map(|event| event["items"].as_array().unwrap())
        .map(|row| {
            let tickets = row["tickets"].as_array().unwrap().len();
            (&row["comboTemplateType"], &row["parentItemId"], &row["quantity"], tickets)
        })
        .collect();
    let (whole, kind) = (&items[1]["itemId"], &json!("fixedPrice"));
    let none = &Value::Null;
    let (one, two, four) = (&json!(1), &json!(2), &json!(4));
    assert_eq!(rows, [(kind, none, one, 1), (kind, whole, two, 2), (kind, whole, four, 4)]);
    let barcodes: BTreeSet<String> = events
        .iter()
        .flat_map(|event| event["items"].as_array().unwrap())
        .flat_map(|row| row["tickets"].as_array().unwrap())
        .map(|ticket| ticket["uuid"].to_string())
        .collect();
    assert_eq!(barcodes.len(), 7);
    assert_eq!(service.deliver_mail().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_a_combo_in_a_cart_is_named_with_its_field() {
    let evening = Evening::open().await;
    let service = &evening.service;
    let [walk, lamp] = &evening.slots;
    let next = "/v2/b2c/events/1001ee000000000000000001/nextAvailable";
    let gallery = ok(service, "GET", next, &SHOP, Value::Null).await["id"].clone();
    let change = |change: &dyn Fn(&mut Value)| {
        let mut combos = evening.combos(1);
        change(&mut combos);
        json!({"comboItems": [evening.combos(0), combos]})
    };
    let parts = |parts: &[&Value]| {
        let parts: Value = parts.iter().map(|part| json!({ "eventId": part })).collect();
        change(&|combos| combos["parts"] = parts.clone())
    };
    let add_on = |event: &Value, combos: i64| {
        let guide = json!({"inventoryId": 1_001_001, "eventId": event, "quantity": 1});
        json!({"items": [guide], "comboItems": [evening.combos(combos)]})
    };
    for (case, cart, expected) in [
        ("nothing", change(&|_| {}), "200"),
        ("a part too few", parts(&[lamp]), "400 /parts must have one event for each part of the combo"),
        (
            "an event twice",
            parts(&[walk, lamp, lamp]),
            "400 /parts/2/eventId is for the same event as another part",
        ),
        ("of another event", parts(&[walk, &gallery]), "400 /parts/1/eventId is not an event of this combo"),
        ("in the other order", parts(&[lamp, walk]), "200"),
        ("unknown", parts(&[walk, &json!("0123456789abcdef01234567")]), "404 /parts/1/eventId was not found"),
        ("no id", change(&|combos| combos["parts"][0] = json!({})), "404 /parts/0/eventId is required"),
        ("no parts", change(&|combos| combos["parts"] = Value::Null), "400 /parts is required"),
        ("too many", parts(&[walk; 11]), "400 /parts must have at most 10 entries"),
        (
            "half a combo",
            change(&|combos| combos["quantity"] = json!(0.5)),
            "400 /quantity must be an integer",
        ),
        (
            "too large",
            change(&|combos| combos["quantity"] = json!(1_000)),
            "400 /quantity must be between 0 and 999",
        ),
        (
            "of no type",
            change(&|combos| combos["ticketingTypeId"] = Value::Null),
            "404 /ticketingTypeId is required",
        ),
        (
            "a type it is not sold for",
            change(&|combos| combos["ticketingTypeId"] = json!(CHILD)),
            "404 /ticketingTypeId has no price for this combo",
        ),
        (
            "no combo",
            change(&|combos| combos["comboTemplateId"] = json!("none")),
            "404 /comboTemplateId was not found",
        ),
        (
            "too many tickets",
            change(&|combos| combos["quantity"] = json!(667)),
            "400  must not have more than 2000 tickets in total",
        ),
        ("an add-on of an event of the combo", add_on(walk, 1), "200"),
        (
            "an add-on with a price probe",
            add_on(walk, 0),
            "400 /items/0/eventId is an event for which the cart has no tickets",
        ),
    ] {
        let answer = ask(service, "POST", "/v2/b2c/carts", &SHOP, cart).await;
        let mut told = answer.status.to_string();
        for detail in answer.body["details"].as_array().into_iter().flatten() {
            let field = detail["field"].as_str().unwrap();
            let field = field.strip_prefix("/comboItems/1").unwrap_or(field);
            let field = field.strip_prefix("/comboItems").unwrap_or(field);
            told.push_str(&format!(" {field} {}", detail["message"].as_str().unwrap()));
        }
        assert_eq!(told, expected, "{case}: {}", answer.body);
    }
    let id = ok(service, "POST", "/v2/b2c/carts", &SHOP, json!({})).await;
    let path = format!("/v2/b2c/carts/{}", id.as_str().unwrap());
    for (case, lists, expected) in [
        ("nothing", json!({}), Some("/items")),
        ("combos alone", json!({"comboItems": []}), None),
        (
            "too many events",
            json!({"items": vec![json!({}); 91], "comboItems": [{"parts": vec![json!({}); 10]}]}),
            Some("/comboItems"),
        ),
        ("items alone", json!({"items": []}), None),
        (
            "too many of both",
            json!({"items": vec![json!({}); 51], "comboItems": vec![json!({}); 50]}),
            Some("/comboItems"),
        ),
        (
            "one id on two lines",
            json!({
                "items": [{"itemId": "a", "eventId": walk, "ticketingTypeId": ADULT, "quantity": 1}],
                "comboItems": [{"itemId": "a"}],
            }),
            Some("/comboItems/0/quantity"),
        ),
    ] {
        let mut cart = lists;
        cart["id"] = id.clone();
        let answer = ask(service, "PUT", &path, &SHOP, cart).await;
        assert_eq!(answer.body["details"][0]["field"].as_str(), expected, "{case}: {}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_times_of_a_combo_are_those_with_seats_for_its_part() {
    let evening = Evening::open().await;
    let service = &evening.service;
    let times = async |event: usize, combo: &str| {
        let template = &evening.templates[event];
        let path = format!("/v2/b2c/event/templates/{template}/times?startTime=2028-05-06{combo}");
        let answer = ask(service, "GET", &path, &SHOP, Value::Null).await;
        (answer.status, answer.body.as_array().map(Vec::len))
    };
    let of = |combo: &str| format!("&comboTemplateId={combo}");
    let combo_id = evening.combo.as_str().unwrap();
    let combo = &of(combo_id);
    for (case, found, expected) in [
        ("the combo", times(1, combo).await, (200, Some(1))),
        ("no combo", times(1, "").await, (200, Some(1))),
        ("an unknown combo", times(1, &of("none")).await, (404, None)),
        ("a combo of other events", times(1, &of(DEMO)).await, (404, None)),
        ("no id", times(1, &of("%23")).await, (400, None)),
        ("blank", times(1, &of("")).await, (400, None)),
    ] {
        assert_eq!(found, expected, "{case}");
    }
    // One seat is left of the second event: enough for a ticket, and not for the combo.
    let seats = json!({"reservationItems": [{"eventId": evening.slots[1], "quantity": 6}]});
    ok(service, "POST", "/v2/b2b/reservations", &STAFF, seats).await;
    assert_eq!(times(1, combo).await, (200, Some(0)));
    assert_eq!(times(1, "").await, (200, Some(1)));
    assert_eq!(times(0, combo).await, (200, Some(1)));
    let path = format!("/v2/b2b/combos/{combo_id}");
    let mut off = ok(service, "GET", &path, &STAFF, Value::Null).await;
    off["active"] = json!(false);
    ok(service, "PUT", &path, &STAFF, off).await;
    assert_eq!(times(0, combo).await, (404, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_combo_of_the_demo_venue_can_be_bought() {
    let service = Service::start().await;
    let mut parts = Vec::new();
    for event in ["1001ee000000000000000001", "1001ee000000000000000002"] {
        let path = format!("/v2/b2c/events/{event}/nextAvailable");
        parts.push(json!({"eventId": ok(&service, "GET", &path, &SHOP, Value::Null).await["id"]}));
    }
    let combo = json!({"comboTemplateId": DEMO, "ticketingTypeId": ADULT, "quantity": 1, "parts": parts});
    let cart = json!({"shoppingCart": {"comboItems": [combo]}});
    let order = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, payer(cart)).await;
    let items = order["orderItems"].as_array().unwrap();
    let amounts: Vec<&Value> = items.iter().map(|item| &item["discountedAmount"]).collect();
    assert_eq!(amounts, ["50.00", "15.00", "35.00"]);
}
