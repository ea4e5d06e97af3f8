//! An order found again by a page: its link by mail, what the link opens, and its mail again.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, GALLERY, PAGE, SHOP, STAFF, ask, mail_text, ok, token_in};
use boxoffice::testing::Service;
use domain::time::plus_secs;
use serde_json::{Value, json};
use testkit::Answer;

const LINK: &str = "/v2/b2c/orders/link";
const OPEN: &str = "/v2/b2c/orders/open";
const PAYER: &str = "ines.okafor@example.org";
const NOT_VALID: (u16, &str) = (400, "LOGIN_TOKEN_NOT_VALID");

/// Two tickets, bought from a page.
async fn buy(service: &Service) -> Answer {
    let next = format!("/v2/b2c/events/{GALLERY}/nextAvailable");
    let slot = ok(service, "GET", &next, &PAGE, Value::Null).await["id"].clone();
    let body = json!({
        "shoppingCart": {"items": [{"eventId": slot, "ticketingTypeId": ADULT, "quantity": 2}]},
        "billingFirstName": "Ines", "billingLastName": "Okafor", "billingEmail": PAYER, "billingZipCode": "94000",
        "billingAddress1": "18 Quay Street", "billingPhoneNumber": "(555) 555-0142", "notes": "By the window",
        "manualEntryCardNumber": "4242 4242 4242 4242", "expDate": "1230", "cvc": "123",
    });
    let paid = ask(service, "POST", "/v2/b2c/cors/checkout", &PAGE, body).await;
    assert_eq!(paid.status, 200, "{}", paid.text);
    service.deliver_mail().await;
    paid
}

/// What the page was answered to open its order by.
fn token_of(paid: &Answer) -> String {
    paid.body["orderToken"].as_str().unwrap().to_owned()
}

async fn send_link(service: &Service, number: &Value, email: &str) -> Answer {
    ask(service, "POST", LINK, &PAGE, json!({"orderNumber": number, "email": email})).await
}

async fn open(service: &Service, token: &str) -> Answer {
    ask(service, "POST", OPEN, &PAGE, json!({"token": token})).await
}

async fn outbox(service: &Service) -> Vec<Value> {
    ok(service, "GET", "/sandbox/outbox", &STAFF, Value::Null).await.as_array().unwrap().clone()
}

async fn last_mail(service: &Service) -> Answer {
    service.deliver_mail().await;
    let delivery = outbox(service).await.last().unwrap()["deliveryId"].as_str().unwrap().to_owned();
    service.request("GET", &format!("/sandbox/outbox/{delivery}"), &STAFF, None).await
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_knows_number_and_address_gets_a_link_that_opens_the_order_again_and_again() {
    let service = Service::start().await;
    let paid = buy(&service).await;
    let number = &paid.body["orderNumber"];
    assert_eq!(send_link(&service, number, "INES.okafor@example.org").await.status, 204);
    let mail = last_mail(&service).await;
    let listed = outbox(&service).await;
    let listed = listed.last().unwrap();
    assert_eq!((&listed["to"], &listed["subject"]), (&json!(PAYER), &json!("Your order at Harbor Museum")));
    assert!(mail_text(&mail).contains("The link works for 24 hours."), "{}", mail_text(&mail));
    let token = token_in(&mail, "https://harbor-museum.example/members?orderToken=");
    let first = open(&service, &token).await;
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!(&first.body["orderNumber"], number);
    let tickets = first.body["tickets"].as_array().unwrap();
    let called = format!("/v2/b2b/willcall/orders/{}", paid.body["id"].as_str().unwrap());
    let called = ok(&service, "GET", &called, &STAFF, Value::Null).await;
    let handed = called["eventItems"][0]["items"][0]["tickets"].as_array().unwrap();
    let barcodes = |list: &[Value], field: &str| -> Vec<String> {
        list.iter().map(|ticket| ticket[field].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(barcodes(tickets, "uuid"), barcodes(handed, "uuid"));
    assert_eq!(open(&service, &token).await.body, first.body, "any number of times");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opened_order_names_nobodys_address() {
    let service = Service::start().await;
    let paid = buy(&service).await;
    let opened = open(&service, &token_of(&paid)).await;
    assert_eq!(opened.status, 200, "{}", opened.text);
    for private in ["example.org", "Quay", "555-0142", "window"] {
        assert!(paid.text.contains(private), "{private}");
        assert!(!opened.text.contains(private), "{private}: {}", opened.text);
    }
    for field in [
        "orderItems",
        "totalAmount",
        "taxes",
        "currency",
        "orderNumber",
        "receiptNumber",
        "payments",
        "ccLastFourDigits",
    ] {
        assert!(opened.body.get(field).is_some(), "{field}");
        assert_eq!(opened.body[field], paid.body[field], "{field}");
    }
    // What was refunded admits nobody any more, and its code is not shown.
    let refund = json!({"orderId": paid.body["id"], "wholeOrder": true});
    ok(&service, "POST", "/v2/b2b/refunds", &STAFF, refund).await;
    let refunded = open(&service, &token_of(&paid)).await.body;
    for ticket in refunded["tickets"].as_array().unwrap() {
        assert_eq!((&ticket["uuid"], &ticket["ticketStatus"]), (&Value::Null, &json!("Refunded")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_checkout_is_answered_no_token() {
    let service = Service::start().await;
    let gift = json!({
        "itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation", "quantity": 1, "unitPrice": "7.50",
    });
    let body = json!({
        "shoppingCart": {"items": [gift]}, "billingZipCode": "94000", "billingFirstName": "Ines",
        "billingLastName": "Okafor", "billingEmail": PAYER, "manualEntryCardNumber": "4111111111111111",
        "expDate": "1230", "cvc": "123",
    });
    let paid = ask(&service, "POST", "/v2/b2c/checkout", &SHOP, body).await;
    assert_eq!((paid.status, paid.body.get("orderToken")), (200, None), "{}", paid.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_learns_which_orders_there_are() {
    let service = Service::start().await;
    let paid = buy(&service).await;
    let (number, other) = (paid.body["orderNumber"].clone(), json!("100000009"));
    let asked = [(&number, PAYER), (&number, "nobody@example.test"), (&other, PAYER)];
    // What is cached the first time is the same for all.
    send_link(&service, &other, "first@example.test").await;
    service.deliver_mail().await;
    let before = outbox(&service).await.len();
    let mut seen = Vec::new();
    for (number, email) in asked {
        let depth = service.queue.depth();
        service.plan.reset();
        let answer = send_link(&service, number, email).await;
        let names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
        let mut calls = service.plan.calls();
        calls.sort();
        seen.push((answer.status, answer.bytes, names, calls, service.queue.depth() - depth));
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
    assert_eq!((seen[0].0, seen[0].1.as_slice(), seen[0].4), (204, &b""[..], 1));
    service.deliver_mail().await;
    let mails = outbox(&service).await;
    assert_eq!(mails.iter().skip(before).map(|mail| &mail["to"]).collect::<Vec<_>>(), [PAYER]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_refused_altered_late_by_another_venue_and_as_a_login() {
    let service = Service::start().await;
    let paid = buy(&service).await;
    let token = token_of(&paid);
    let (rest, signature) = token.rsplit_once('.').unwrap();
    let turned: String = signature.chars().rev().collect();
    for wrong in [format!("{rest}.{turned}"), "x".to_owned(), token.replacen('.', "0.", 1)] {
        let refused = open(&service, &wrong).await;
        assert_eq!(refused.kind(), NOT_VALID, "{wrong}");
        assert_eq!(refused.body["details"][0]["field"], "/token");
    }
    let late = plus_secs(adapters::clock::wall_now(), 86_500).to_rfc3339();
    let headers = [&PAGE[..], &[("x-service-test-now", late.as_str())]].concat();
    assert_eq!(ask(&service, "POST", OPEN, &headers, json!({"token": token})).await.kind(), NOT_VALID);
    let zoo = [("x-service-api-key", "demo-browser-1002"), ("origin", "http://localhost:3000")];
    assert_eq!(ask(&service, "POST", OPEN, &zoo, json!({"token": token})).await.kind(), NOT_VALID);
    let login = "/v2/b2c/membership/validate/login";
    assert_eq!(ask(&service, "POST", login, &PAGE, json!({"token": token})).await.kind(), NOT_VALID);
    assert_eq!(ask(&service, "POST", OPEN, &STAFF, json!({"token": token})).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_opened_orders_mail_is_sent_again_once_for_each_key() {
    let service = Service::start().await;
    let paid = buy(&service).await;
    let before = outbox(&service).await.len();
    let body = json!({"token": token_of(&paid)});
    let keyed = [&PAGE[..], &[("idempotency-key", "again")]].concat();
    for _ in 0..2 {
        let answer = ask(&service, "POST", "/v2/b2c/orders/open/email", &keyed, body.clone()).await;
        assert_eq!(
            (answer.status, &answer.body),
            (200, &json!({"sentTo": "i***@example.org"})),
            "{}",
            answer.text
        );
    }
    service.deliver_mail().await;
    let mails = outbox(&service).await;
    assert_eq!(mails.len(), before + 1);
    assert_eq!(mails.last().unwrap()["to"], PAYER);
    let refused = json!({"token": "x"});
    let refused = ask(&service, "POST", "/v2/b2c/orders/open/email", &PAGE, refused).await;
    assert_eq!(refused.kind(), NOT_VALID);
}
