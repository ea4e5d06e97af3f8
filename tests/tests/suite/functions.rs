//! Every function as Lambda runs it: the real binary, the kept events of `events/`, the settings and the
//! permissions of the template, over the demo venue.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper fails its test by panicking")]

mod aws;
mod cost;
mod permissions;

use std::collections::{BTreeMap, BTreeSet};

use aws::Cloud;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use blackbox::kept_events;
use blackbox::runtime_api::{HttpAnswer, Outcome, Player};
use serde_json::{Value, json};

/// What stands in the kept events for the cart and the order that a test makes first.
const CART: &str = "7b3f0e5d9a1c4827b6d0e9f3";
const ORDER: &str = "31840526";
/// The sale of that order, likewise.
const SALE: &str = "sale_9d2b61c4-70ae-4c1f-9b83-5e1f0a64d7c2";
/// The token of a login link, likewise.
const TOKEN: &str = "LOGIN-TOKEN";
/// The request to log in that a message to the mailer names, likewise.
const LOGIN: &str = "c0ffee00c0ffee00c0ffee00";

fn kept(function: &str, file: &str) -> Value {
    let found = kept_events(function).into_iter().find(|(name, _)| name == file);
    found.unwrap_or_else(|| panic!("there is no {function}/{file}")).1
}

/// The event with one text replaced by another, also within a body in base64.
fn with(event: &Value, before: &str, after: &str) -> Value {
    let mut event: Value = serde_json::from_str(&event.to_string().replace(before, after)).unwrap();
    if event["isBase64Encoded"] == true {
        let body = BASE64_STANDARD.decode(event["body"].as_str().unwrap()).unwrap();
        let body = String::from_utf8(body).unwrap().replace(before, after);
        event["body"] = json!(BASE64_STANDARD.encode(body));
    }
    event
}

/// The event with another method, path and body, and without the names that make a repetition known.
fn at(event: &Value, method: &str, path: &str, body: Option<&Value>) -> Value {
    let mut event = event.clone();
    let headers = event["headers"].as_object_mut().unwrap();
    headers.retain(|name, _| !matches!(name.as_str(), "idempotency-key" | "x-service-request-uuid"));
    event["rawPath"] = json!(path);
    event["requestContext"]["http"]["method"] = json!(method);
    event["requestContext"]["http"]["path"] = json!(path);
    event["body"] = body.map_or(Value::Null, |body| json!(body.to_string()));
    event
}

/// Has a checkout paid for with another card.
fn with_card(checkout: &mut Value, number: &str) {
    checkout["manualEntryCardNumber"] = json!(number);
    checkout["ccLastFourDigits"] = json!(&number[number.len() - 4..]);
    checkout.as_object_mut().unwrap().remove("creditCardBrand");
}

async fn call(player: &mut Player, event: &Value) -> HttpAnswer {
    let answer = player.invoke(event).await.unwrap().http();
    assert_eq!(player.strays(), Vec::<String>::new());
    answer
}

/// Calls and reads the answer, which must be a success.
async fn succeed(player: &mut Player, event: &Value) -> Value {
    let answer = call(player, event).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// Status and body, without the ids that are new for every request: its own, and those of a cart's lines that
/// came without.
fn comparable(answer: &HttpAnswer) -> (u64, Value) {
    let mut body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    if let Some(fields) = body.as_object_mut() {
        fields.remove("requestId");
        for line in fields.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten() {
            line.as_object_mut().unwrap().remove("itemId");
        }
    }
    (answer.status, body)
}

/// Makes the cart of the kept events.
async fn cart(carts: &mut Player) -> String {
    succeed(carts, &kept("carts", "create.v2.json")).await.as_str().unwrap().to_owned()
}

/// The ids of the order that the kept checkout makes and of its sale.
async fn order_and_sale(checkout: &mut Player) -> (String, String) {
    let order = succeed(checkout, &kept("checkout", "card.v2.json")).await;
    let [id, sale] =
        [&order["id"], &order["payments"][0]["saleId"]].map(|id| id.as_str().unwrap().to_owned());
    (id, sale)
}

/// The id of the order that the kept checkout makes.
async fn order(checkout: &mut Player) -> String {
    order_and_sale(checkout).await.0
}

/// The token of the link that a member asks for and gets by mail.
async fn login_token(cloud: &Cloud) -> String {
    let asked = call(
        &mut cloud.function("membership_validation").await,
        &kept("membership_validation", "send-link.v2.json"),
    )
    .await;
    assert_eq!((asked.status, asked.body.as_str()), (204, ""));
    mailed_token(cloud, "ada.lindqvist@example.test").await
}

/// The token of the link that was asked for last, which goes to this address.
async fn mailed_token(cloud: &Cloud, address: &str) -> String {
    let job: Value = serde_json::from_str(cloud.jobs().last().unwrap()).unwrap();
    let batch = with(&kept("mailer", "login.sqs.json"), LOGIN, job["loginRequestId"].as_str().unwrap());
    let mut mailer = cloud.function("mailer").await;
    let before = cloud.mails().len();
    for _ in 0..2 {
        let Outcome::Answered(answer) = mailer.invoke(&batch).await.unwrap() else {
            panic!("the batch failed")
        };
        assert_eq!(answer, json!({"batchItemFailures": []}));
        assert_eq!(cloud.mails().len(), before + 1);
    }
    let mail = cloud.mails().pop().unwrap();
    assert_eq!(mail["Destination"]["ToAddresses"], json!([address]));
    let raw = BASE64_STANDARD.decode(mail["Content"]["Raw"]["Data"].as_str().unwrap()).unwrap();
    let text = String::from_utf8(raw).unwrap().replace("=\r\n", "").replace("=3D", "=");
    let (_, token) = text.split_once("loginToken=").unwrap();
    token.split_whitespace().next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_one_request_has_the_same_answer() {
    let cloud = Cloud::start().await;
    let cart = cart(&mut cloud.function("carts").await).await;
    let (order, sale) = order_and_sale(&mut cloud.function("checkout").await).await;
    let token = login_token(&cloud).await;
    let functions = [
        "events",
        "carts",
        "entitlements",
        "checkout",
        "orders",
        "reservations",
        "order_refunds",
        "admission",
        "reference",
        "backoffice",
        "memberships",
        "membership_validation",
        "onboarding",
        "payment_refunds",
        "staff",
    ];
    for function in functions {
        let mut player = cloud.function(function).await;
        let mut first: BTreeMap<String, HttpAnswer> = BTreeMap::new();
        for (file, event) in kept_events(function) {
            let event = with(&with(&event, CART, &cart), ORDER, &order);
            let event = with(&with(&event, TOKEN, &token), SALE, &sale);
            let answer = call(&mut player, &event).await;
            let name = file.split('.').next().unwrap();
            let expected = if name == "unknown-path" { 404..405 } else { 200..300 };
            assert!(
                expected.contains(&answer.status),
                "{function}/{file}: {} {}",
                answer.status,
                answer.body
            );
            let first = first.entry(name.to_owned()).or_insert_with(|| answer.clone());
            assert_eq!(comparable(&answer), comparable(first), "{function}/{file}");
        }
    }
    assert_eq!(cloud.denied(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_write_is_known_in_every_form_and_charged_once() {
    let cloud = Cloud::start().await;
    let writes = [
        ("carts", "create"),
        ("reservations", "create"),
        ("checkout", "card"),
        ("backoffice", "create"),
        ("memberships", "create"),
        ("memberships", "update"),
        ("onboarding", "create"),
        ("payment_refunds", "refund"),
    ];
    let mut sale = SALE.to_owned();
    for (function, name) in writes {
        let mut player = cloud.function(function).await;
        let forms = kept_events(function).into_iter().filter(|(file, _)| file.starts_with(name));
        for (number, (file, event)) in forms.enumerate() {
            let answer = call(&mut player, &with(&event, SALE, &sale)).await;
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            if let Some(made) = body["payments"][0]["saleId"].as_str() {
                made.clone_into(&mut sale);
            }
            let replayed = answer.headers.get("x-service-replayed").map(String::as_str);
            assert_eq!(replayed, (number > 0).then_some("true"), "{function}/{file}: {}", answer.body);
        }
    }
    assert_eq!(cloud.jobs().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_bought_is_given_back_with_the_permissions_of_its_function() {
    let cloud = Cloud::start().await;
    let order = order(&mut cloud.function("checkout").await).await;
    let preview = with(&kept("order_refunds", "preview.v2.json"), ORDER, &order);
    let event = with(&preview, "/v2/b2b/refunds/preview", "/v2/b2b/refunds");
    let refunded = succeed(&mut cloud.function("order_refunds").await, &event).await;
    assert_eq!((&refunded["state"], &refunded["refundStatus"]), (&json!("Done"), &json!("Refunded")));
    assert_eq!(cloud.jobs().len(), 2, "the confirmation, and the mail about the refund");
    assert_eq!(cloud.denied(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_gets_from_the_list_to_tickets_with_barcodes_and_a_mail() {
    let cloud = Cloud::start().await;
    let list = succeed(&mut cloud.function("events").await, &kept("events", "list-slim.v2.json")).await;
    assert!(list.to_string().contains("1001ee000000000000000001"), "{list}");

    let mut carts = cloud.function("carts").await;
    let cart = cart(&mut carts).await;
    let updated = succeed(&mut carts, &with(&kept("carts", "update.v2.json"), CART, &cart)).await;
    assert_eq!((&updated["id"], &updated["items"][0]["quantity"]), (&json!(cart), &json!(3)));

    let mut reservations = cloud.function("reservations").await;
    let reserved = succeed(&mut reservations, &kept("reservations", "create.v2.json")).await;
    assert_eq!(reserved["reservationItems"][0]["quantity"], 5, "{reserved}");

    // The kept checkout carries its cart; this one names the one made above.
    let mut event = kept("checkout", "card.v2.json");
    let mut body: Value = serde_json::from_str(event["body"].as_str().unwrap()).unwrap();
    body.as_object_mut().unwrap().remove("shoppingCart");
    body["shoppingCartId"] = json!(cart);
    event["body"] = json!(body.to_string());
    let paid = succeed(&mut cloud.function("checkout").await, &event).await;
    let order = paid["id"].as_str().unwrap();
    let jobs: Vec<Value> = cloud.jobs().iter().map(|job| serde_json::from_str(job).unwrap()).collect();
    assert_eq!(jobs, [json!({"tenantId": 1001, "orderId": order, "kind": "receiptWithTickets"})]);

    let event = with(&kept("orders", "will-call.v2.json"), ORDER, order);
    let tickets = succeed(&mut cloud.function("orders").await, &event).await;
    let tickets = tickets["eventItems"][0]["items"][0]["tickets"].as_array().unwrap();
    let barcodes: BTreeSet<&str> = tickets.iter().map(|ticket| ticket["uuid"].as_str().unwrap()).collect();
    assert_eq!(barcodes.len(), 3, "{tickets:?}");

    let late = call(&mut carts, &with(&kept("carts", "update.v2.json"), CART, &cart)).await;
    let body: Value = serde_json::from_str(&late.body).unwrap();
    assert_eq!((late.status, &body["type"]), (409, &json!("CART_ALREADY_CHECKED_OUT")));
    assert_eq!(cloud.denied(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_malformed_message_of_a_batch_fails_and_the_mail_goes_out_once() {
    let cloud = Cloud::start().await;
    let order = order(&mut cloud.function("checkout").await).await;
    let batch = with(&kept("mailer", "batch.sqs.json"), ORDER, &order);
    let mut mailer = cloud.function("mailer").await;
    for _ in 0..2 {
        let Outcome::Answered(answer) = mailer.invoke(&batch).await.unwrap() else {
            panic!("the batch failed")
        };
        let failed = json!([{"itemIdentifier": "19dd0b57-b21e-4ac1-bd88-01bbb068cb72"}]);
        assert_eq!(answer, json!({"batchItemFailures": failed}));
        assert_eq!(cloud.mails().len(), 1);
    }
    let mail = &cloud.mails()[0];
    assert_eq!(mail["Destination"]["ToAddresses"], json!(["zoe.okafor@example.org"]));
    assert_eq!(mail["FromEmailAddress"], "tickets@example.org");
    let raw = BASE64_STANDARD.decode(mail["Content"]["Raw"]["Data"].as_str().unwrap()).unwrap();
    assert!(String::from_utf8_lossy(&raw).contains("Message-ID: <"));
    assert_eq!(cloud.denied(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schedule_is_answered_with_a_report() {
    let cloud = Cloud::start().await;
    let mut cleanup = cloud.function("cleanup").await;
    let outcome = cleanup.invoke(&kept("cleanup", "every-minute.schedule.json")).await.unwrap();
    let Outcome::Answered(mut report) = outcome else { panic!("{outcome:?}") };
    // The venues were imported with the slots of a few days; the schedule makes those of the year ahead.
    assert!(report["slotsMade"].take().as_u64() > Some(0));
    let rest = json!({
        "ordersDue": 0, "ordersFinished": 0, "refundsFinished": 0, "mailsAnnounced": 0, "slotsMade": null,
        "slotsChanged": 0, "slotsDeleted": 0,
        "merchantsDecided": 0, "failed": 0,
    });
    assert_eq!(report, rest);
    assert_eq!(cloud.denied(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preflight_is_answered_by_the_function_itself() {
    let cloud = Cloud::start().await;
    let mut carts = cloud.function("carts").await;
    let answer = call(&mut carts, &kept("carts", "preflight.v2.json")).await;
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    assert_eq!(answer.headers["access-control-allow-origin"], "http://localhost:3000");
    assert!(answer.headers["access-control-allow-methods"].contains("PUT"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_of_nobody_is_a_typed_error_with_the_gateways_request_id() {
    let cloud = Cloud::start().await;
    let mut reference = cloud.function("reference").await;
    let answer = call(&mut reference, &kept("reference", "unknown-path.v2.json")).await;
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((answer.status, &body["type"]), (404, &json!("NOT_FOUND")));
    assert_eq!(
        (&body["requestId"], answer.headers["x-service-request-id"].as_str()),
        (&json!("JKJaXmPLvHcESHA="), "JKJaXmPLvHcESHA=")
    );
}
