//! Today's service over what earlier releases stored (decision records 0089, 0090).

use crate::program::{Running, printed, run};
use adapters::clock::wall_now;
use aws_sdk_dynamodb::types::AttributeValue;
use engine::Embedded;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Cursor, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use tempfile::TempDir;
use testkit::cards::{GOOD, OTHER};
use zip::ZipArchive;

/// Two minutes after everything that was stored.
const NOW: &str = "2026-11-28T12:02:00-05:00";
/// When what was left undone is due.
const LATER: &str = "2026-11-28T13:00:00-05:00";
const GALLERY: &str = "1001ee000000000000000001";
const ADULT: &str = "1001aa000000000000000001";

/// A data directory as an earlier release left it, without the demo venues; and what it answered meanwhile.
fn data_directory(name: &str) -> (TempDir, Value) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data-directories");
    let archive = std::fs::read(kept.join(format!("{name}.zip"))).unwrap();
    let directory = tempfile::tempdir().unwrap();
    ZipArchive::new(Cursor::new(archive)).unwrap().extract(directory.path()).unwrap();
    File::create(directory.path().join("demo-imported")).unwrap();
    prolong(&directory.path().join("boxoffice.db"));
    let answers = std::fs::read_to_string(kept.join(format!("{name}.json"))).unwrap();
    (directory, serde_json::from_str(&answers).unwrap())
}

/// Lets all that is stored live for another month: the service deletes what has expired by the clock of the machine.
fn prolong(database: &Path) {
    let end = AttributeValue::N((wall_now().timestamp() + 30 * 86_400).to_string());
    let work = async {
        let client = Embedded::file(database).unwrap().client();
        for table in client.list_tables().send().await.unwrap().table_names() {
            let expiring = client.scan().table_name(table).filter_expression("attribute_exists(#ttl)");
            let expiring = expiring.expression_attribute_names("#ttl", "ttl").into_paginator().items().send();
            for item in expiring.collect::<Result<Vec<_>, _>>().await.unwrap() {
                let longer = client.update_item().table_name(table).update_expression("SET #ttl = :end");
                let longer =
                    longer.set_key(Some(["pk", "sk"].map(|name| (name.into(), item[name].clone())).into()));
                let longer = longer.expression_attribute_names("#ttl", "ttl");
                longer.expression_attribute_values(":end", end.clone()).send().await.unwrap();
            }
        }
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
}

/// Status and JSON body of an answer.
type Answer = (u16, Value);

impl Running {
    fn send(&self, method: &str, path: &str, body: &Value, key: &str, now: &str, more: &str) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\nx-service-api-key: {key}\r\n\
             x-b2c-tenant-id: 1001\r\nx-service-browser-ip: 203.0.113.24\r\nx-service-test-now: {now}\r\n{more}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap_or_default())
    }

    /// What the storefront is told, which must succeed.
    fn shop(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, body) = self.send(method, path, body, "demo-b2c-1001", NOW, "");
        assert_eq!(status, 200, "{method} {path}: {body}");
        body
    }

    /// What the back office is told, which must succeed.
    fn staff(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, body) = self.send(method, path, body, "demo-b2b-1001", NOW, "");
        assert_eq!(status, 200, "{method} {path}: {body}");
        body
    }

    fn read(&self, path: &str) -> Value {
        self.shop("GET", path, &Value::Null)
    }

    fn pay(&self, fields: &Value) -> Value {
        let mut body = json!({
            "billingEmail": "buyer@example.test", "billingZipCode": "10004",
            "manualEntryCardNumber": OTHER, "expDate": "1230", "cvc": "123",
        });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.shop("POST", "/v2/b2c/checkout", &body)
    }
}

/// That everything that was said is said still; what is said beside it is new.
fn assert_says(now: &Value, then: &Value, place: &str) {
    match (now, then) {
        (Value::Object(now), Value::Object(then)) => {
            for (name, then) in then {
                let now = now.get(name).unwrap_or_else(|| panic!("{place}/{name} is gone"));
                assert_says(now, then, &format!("{place}/{name}"));
            }
        }
        (Value::Array(now), Value::Array(then)) => {
            assert_eq!(now.len(), then.len(), "{place}");
            for (index, (now, then)) in now.iter().zip(then).enumerate() {
                assert_says(now, then, &format!("{place}/{index}"));
            }
        }
        (now, then) => assert_eq!(now, then, "{place}"),
    }
}

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

/// Every order reads as it did, whichever way it is found.
fn read_orders(service: &Running, told: &Value) {
    for (name, order) in told["orders"].as_object().unwrap() {
        let read = service.read(&format!("/v2/b2c/orders/{}", id(order)));
        assert_says(&read, order, name);
        let email = order["billingEmail"].as_str().unwrap();
        let found = service.read(&format!("/v2/b2c/orders/search?email={email}"));
        let found = found["list"].as_array().unwrap();
        assert!(found.iter().any(|found| found["id"] == order["id"]), "{name} is not found by {email}");
        let path = format!("/v2/b2b/willcall/orders/{}", id(order));
        let counter = service.staff("GET", &path, &Value::Null);
        let tickets = counter["eventItems"][0]["items"][0]["tickets"].as_array().unwrap();
        assert!(tickets.iter().all(|ticket| ticket["uuid"].is_string()), "{name}: {counter}");
    }
}

/// What was asked for with a key is not done again.
fn repeat(service: &Running, told: &Value) {
    let cart = &told["carts"]["paid"];
    let path = format!("/v2/b2c/carts/{}", cart.as_str().unwrap());
    let items = json!({ "id": cart, "items": [] });
    let (status, body) = service.send("PUT", &path, &items, "demo-b2c-1001", NOW, "");
    assert_eq!((status, &body["type"]), (409, &json!("CART_ALREADY_CHECKED_OUT")));
    let mut checkout = told["billing"].clone();
    for (name, value) in [("manualEntryCardNumber", GOOD), ("expDate", "1230"), ("cvc", "123")] {
        checkout[name] = json!(value);
    }
    checkout["shoppingCartId"] = cart.clone();
    let (key, again) = ("demo-b2c-1001", "idempotency-key: old-key-3\r\n");
    let (status, body) = service.send("POST", "/v2/b2c/checkout", &checkout, key, NOW, again);
    assert_eq!(status, 200, "{body}");
    assert_says(&body, &told["orders"]["stored"], "answer of old-key-3");
    checkout["manualEntryCardNumber"] = json!(OTHER);
    let (status, body) = service.send("POST", "/v2/b2c/checkout", &checkout, key, NOW, again);
    assert_eq!((status, &body["type"]), (409, &json!("IDEMPOTENCY_KEY_REUSED")), "{body}");
}

/// Members are found by all they have, and customers by their address.
fn find_members(service: &Running, memberships: u64) {
    for name in ["100100031", "HM-0007", "10010000007"] {
        let path = format!("/v2/b2c/membership/validate?membershipId={name}&lastName=Lindqvist");
        assert_eq!(service.read(&path)[0]["status"], "verified", "{name}");
    }
    let listed = service.staff("GET", "/v2/b2b/memberships", &Value::Null);
    assert_eq!(listed["pagination"]["count"], memberships, "{listed}");
    let summaries = service.staff("GET", "/v2/b2b/membership/summaries?barcode=10010000008", &Value::Null);
    assert_eq!(summaries["pagination"]["count"], 1, "{summaries}");
    let cards = service.staff("GET", "/v2/b2b/membership/cards?memberId=100100031", &Value::Null);
    let cards = cards.as_array().unwrap();
    assert!(!cards.is_empty(), "{listed}");
    for card in cards {
        let read = service.staff("GET", &format!("/v2/b2b/membership/cards/{}", card["id"]), &Value::Null);
        assert_eq!(read, *card);
    }
    let search = "/v2/b2b/membership/summaries/search?search=lindqvist";
    let named = service.staff("GET", search, &Value::Null);
    let own = named["list"].as_array().unwrap().iter();
    let own = own.filter(|found| found["serviceMembershipNumber"] == "100100031");
    assert!(own.count() > 0, "{named}");
    for (email, expected) in [("ada.lindqvist@example.test", 2), ("pat@example.test", 1)] {
        let found = service.staff("GET", &format!("/v2/b2b/customers?email={email}"), &Value::Null);
        assert_eq!(found["pagination"]["count"], expected, "{email}: {found}");
    }
}

/// What was begun is gone on with: carts, reservations, and purchases of members.
fn go_on_selling(service: &Running, told: &Value) {
    let open = &told["carts"]["open"];
    let read = service.read(&format!("/v2/b2c/carts/{}", id(open)));
    assert_says(&read, open, "the open cart");
    assert_eq!(service.pay(&json!({ "shoppingCartId": id(open) }))["totalAmount"], "36.00");

    let hold = &told["reservation"];
    let held = service.staff("GET", &format!("/v2/b2b/reservations/{}", hold["id"]), &Value::Null);
    assert_says(&held, hold, "the reservation");
    let held = json!({ "shoppingCartId": told["carts"]["held"], "reservationId": hold["id"] });
    assert_eq!(service.pay(&held)["paidAmount"], "36.00");

    let event = &told["orders"]["tickets"]["orderItems"][0]["eventId"];
    let line = json!({ "eventId": event, "ticketingTypeId": ADULT, "quantity": 1 });
    let cart = json!({ "items": [line], "membershipIds": [100_100_032] });
    assert_eq!(service.pay(&json!({ "shoppingCart": cart }))["paidAmount"], "0.00");
    let join = json!({
        "itemType": "MembershipPurchase", "quantity": 1, "membershipInfo": {
            "membershipCategoryId": "1001bb000000000000000001",
            "membershipOfferingId": "1001bf00000000000000000000000001", "pricePointId": ADULT, "isGift": false,
            "membershipCards": [{ "firstName": "Noor", "lastName": "Haddad", "zipCode": "10004" }],
        },
    });
    assert_eq!(service.pay(&json!({ "shoppingCart": { "items": [join] } }))["paidAmount"], "75.00");
}

/// What was bought is given back, and exchanged.
fn give_back(service: &Running, told: &Value) {
    let many = &told["orders"]["many"];
    let whole = json!({ "orderId": id(many), "wholeOrder": true });
    let refund = service.staff("POST", "/v2/b2b/refunds", &whole);
    assert_eq!((&refund["state"], &refund["refundStatus"]), (&json!("Done"), &json!("Refunded")), "{refund}");
    let read = service.read(&format!("/v2/b2c/orders/{}", id(many)));
    assert_eq!(read["refundAmount"], many["paidAmount"]);

    let tickets = &told["orders"]["tickets"];
    let item = &tickets["orderItems"][0];
    let instances = format!(
        "/v2/b2b/event/templates/{GALLERY}/instances?pageSize=-1&startTime=2026-12-15&endTime=2026-12-18"
    );
    let instances = service.staff("GET", &instances, &Value::Null);
    let other =
        instances["list"].as_array().unwrap().iter().find(|slot| slot["id"] != item["eventId"]).unwrap();
    let exchange =
        json!({ "orderId": id(tickets), "itemId": item["itemId"], "quantity": 1, "eventId": id(other) });
    service.staff("POST", "/v2/b2b/exchanges", &exchange);
    let part = json!({
        "orderId": id(tickets), "items": [{ "itemId": item["itemId"], "quantity": 1 }],
    });
    let refund = service.staff("POST", "/v2/b2b/refunds", &part);
    assert_eq!(
        (&refund["state"], &refund["refundStatus"]),
        (&json!("Done"), &json!("Partially Refunded")),
        "{refund}"
    );
}

/// What was begun is brought to its end: a checkout that died, and a refund of which the answer was lost.
fn finish(service: &Running, told: &Value) {
    let (status, _) = service.send("POST", "/sandbox/cleanup", &Value::Null, "demo-b2b-1001", LATER, "");
    assert_eq!(status, 200);
    if let Some(order) = told["lostRefund"].as_str() {
        let read = service.read(&format!("/v2/b2c/orders/{order}"));
        assert_eq!(read["refundAmount"], read["paidAmount"], "{read}");
    }
}

/// What is stored and what comes to it: so many orders and memberships in the end.
fn works_with_todays_service(name: &str, [orders, memberships]: [u64; 2]) {
    let (directory, told) = data_directory(name);
    let data = directory.path();
    let service = Running::start(data);
    read_orders(&service, &told);
    repeat(&service, &told);
    find_members(&service, memberships - 1);
    go_on_selling(&service, &told);
    give_back(&service, &told);
    finish(&service, &told);
    let proven = printed(&["verify"], data);
    assert!(proven.contains(&format!("0 findings among {orders} orders")), "{proven}");
    assert!(proven.contains(&format!("{memberships} memberships")), "{proven}");
    drop(service);
    let migrated = printed(&["tables", "migrate"], data);
    assert!(migrated.lines().all(|line| line.contains(": 0 of ")), "{migrated}");
    let merchants = printed(&["merchant", "list", "--tenant", "1001"], data);
    assert!(merchants.contains("60417") && merchants.contains("Approved"), "{merchants}");
}

#[test]
fn data_of_before_there_were_lookups_of_members_and_customers_works_with_todays_service() {
    let (directory, _) = data_directory("before-lookups");
    let differing = run(&["verify"], directory.path());
    let said = String::from_utf8(differing.stdout).unwrap();
    assert!(said.contains("not found by the barcode of a card"), "{said}");
    works_with_todays_service("before-lookups", [10, 3]);
}

#[test]
fn data_of_before_there_were_steps_works_with_todays_service() {
    works_with_todays_service("before-steps", [13, 4]);
}

#[test]
fn data_of_a_later_release_is_refused_at_start() {
    let (directory, _) = data_directory("before-lookups");
    let data = directory.path();
    printed(&["tables", "migrate"], data);
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let embedded = engine::Embedded::file(data.join("boxoffice.db")).unwrap();
        let text = |text: &str| store::AttributeValue::S(text.to_owned());
        let put = embedded.client().put_item().table_name("boxoffice-catalog");
        let put = put.item("pk", text("STANDING")).item("sk", text("STANDING"));
        let later = store::AttributeValue::N((store::SCHEMA_VERSION + 1).to_string());
        put.item("v", later).item("steps", store::AttributeValue::N("9".to_owned())).send().await.unwrap();
    });
    for arguments in [&["serve", "--port", "0"][..], &["tenant", "list"], &["tables", "migrate"]] {
        let refused = run(arguments, data);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{arguments:?}");
        assert!(said.contains("a newer release than this one stored"), "{arguments:?}: {said}");
    }
}
