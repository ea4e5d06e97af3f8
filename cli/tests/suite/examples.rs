//! Every body that the OpenAPI document shows is accepted by the demo venue.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, GALLERY, PAGE, SHOP, STAFF, token_in};
use boxoffice::testing::Service;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use testkit::Answer;

const PARTNER: [(&str, &str); 1] = [("x-service-payment-key", "demo-partner-1001")];
const MERCHANT: [(&str, &str); 1] = [("x-service-payment-key", "demo-pay-60417")];

/// The operations of the document that take a body: where they are, and the body that is shown.
fn examples() -> BTreeMap<String, (String, String, Value)> {
    let document = serde_json::to_value(boxoffice::openapi()).unwrap();
    let mut found = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if operation["requestBody"].is_object() {
                let id = operation["operationId"].as_str().unwrap().to_owned();
                let example = operation["requestBody"]["content"]["application/json"]["example"].clone();
                assert!(example.is_object(), "{id} shows no example");
                found.insert(id, (method.to_uppercase(), path.clone(), example));
            }
        }
    }
    found
}

/// Sends the examples one after the other, with the ids that this service made instead of those that are shown.
struct Walk {
    service: Service,
    examples: BTreeMap<String, (String, String, Value)>,
    /// What is shown, and what it is here.
    known: Vec<(String, String)>,
    sent: BTreeSet<String>,
}

impl Walk {
    async fn start() -> Self {
        let service = Service::start().await;
        Self { service, examples: examples(), known: vec![], sent: BTreeSet::new() }
    }

    fn shown(&self, id: &str, pointer: &str) -> String {
        let shown = self.examples[id].2.pointer(pointer).unwrap();
        shown.as_str().map_or_else(|| shown.to_string(), str::to_owned)
    }

    /// From here on, what this example shows there stands for that.
    fn stands_for(&mut self, id: &str, pointer: &str, real: impl ToString) {
        let shown = self.shown(id, pointer);
        self.known.push((shown, real.to_string()));
    }

    fn with_real_ids(&self, example: Value) -> Value {
        match example {
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, self.with_real_ids(value))).collect()
            }
            Value::Array(elements) => elements.into_iter().map(|value| self.with_real_ids(value)).collect(),
            Value::String(text) => {
                let real = self.known.iter().rev().find(|(shown, _)| *shown == text);
                real.map_or(text.clone(), |(_, real)| real.clone()).into()
            }
            Value::Number(number) => {
                let real = self.known.iter().rev().find(|(shown, _)| *shown == number.to_string());
                real.map_or(number.into(), |(_, real)| serde_json::from_str(real).unwrap())
            }
            Value::Null | Value::Bool(_) => example,
        }
    }

    async fn send(&mut self, id: &str, ids: &[&str], headers: &[(&str, &str)]) -> Value {
        let (method, path, example) = self.examples[id].clone();
        let mut ids = ids.iter();
        let segments = path.split('/');
        let path: Vec<&str> =
            segments.map(|part| if part.starts_with('{') { *ids.next().unwrap() } else { part }).collect();
        let body = self.with_real_ids(example);
        let path = path.join("/");
        let answer = self.service.request(&method, &path, headers, Some(&body)).await;
        assert!(matches!(answer.status, 200 | 204), "{id}: {}", answer.body);
        self.sent.insert(id.to_owned());
        answer.body
    }

    async fn read(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let answer = self.service.request("GET", path, headers, None).await;
        assert!(answer.status < 300, "{path}: {}", answer.body);
        answer
    }

    /// An example that makes something, and one that changes it.
    async fn write(&mut self, noun: &str) -> String {
        let made = self.send(&format!("create{noun}"), &[], &STAFF).await;
        let id = made["id"].as_str().map_or_else(|| made["id"].to_string(), str::to_owned);
        self.send(&format!("update{noun}"), &[&id], &STAFF).await;
        id
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_checkouts_that_the_page_shows_succeed_as_they_stand_one_after_the_other() {
    for order in [["checkout", "checkoutFromPage"], ["checkoutFromPage", "checkout"]] {
        let mut walk = Walk::start().await;
        for id in order {
            let (headers, amount) = if id == "checkout" { (&SHOP, "7.50") } else { (&PAGE, "12.50") };
            let order = walk.send(id, &[], headers).await;
            assert_eq!(order["totalAmount"], amount, "{order}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cart_that_is_shown_is_made_as_it_stands() {
    let mut walk = Walk::start().await;
    let cart = walk.send("createCart", &[], &SHOP).await;
    assert!(cart.is_string(), "{cart}");
}

#[test]
fn where_the_ids_of_an_example_come_from_is_told() {
    let document = serde_json::to_value(boxoffice::openapi()).unwrap();
    for (method, path, told) in [
        ("post", "/v2/b2b/reservations", "`GET /v2/b2c/event/templates/times`"),
        ("put", "/v2/b2c/reservations", "`POST /v2/b2c/reservations`"),
        ("put", "/v2/b2c/carts/{id}", "`POST /v2/b2c/carts`"),
        ("post", "/v2/b2c/entitlements/validate", "`GET /v2/b2c/event/templates/times`"),
        ("post", "/v2/b2b/refunds", "`orderId`"),
        ("post", "/v2/b2b/refunds/preview", "`orderId`"),
        ("post", "/v2/b2b/exchanges", "`GET /v2/b2b/orders/detail/{orderId}`"),
    ] {
        let text = document["paths"][path][method]["requestBody"]["description"].as_str().unwrap_or_default();
        assert!(text.contains(told), "{method} {path}: {text:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_of_a_body_is_accepted() {
    let mut walk = Walk::start().await;
    catalog(&mut walk).await;
    memberships(&mut walk).await;
    staff(&mut walk).await;
    sale(&mut walk).await;
    doors(&mut walk).await;
    refunds(&mut walk).await;
    ask_a_buyer(&mut walk).await;
    for (id, ids) in [("validateMerchant", &[][..]), ("onboardMerchant", &[])] {
        walk.send(id, ids, &PARTNER).await;
    }
    let reference = walk.shown("onboardMerchant", "/boardingRefId");
    walk.send("changeMerchant", &[&reference], &PARTNER).await;
    let all: BTreeSet<String> = walk.examples.keys().cloned().collect();
    assert_eq!(walk.sent, all);
}

async fn catalog(walk: &mut Walk) {
    for noun in ["TicketType", "Form", "Coupon", "Discount", "InventoryItem", "Combo", "Template"] {
        walk.write(noun).await;
    }
    for id in ["createEntitlements", "updateEntitlements"] {
        walk.send(id, &[GALLERY], &STAFF).await;
    }
    let next = walk.read(&format!("/v2/b2c/events/{GALLERY}/nextAvailable"), &SHOP).await;
    walk.stands_for("updateCart", "/items/0/eventId", next.body["id"].as_str().unwrap());
    walk.send("updateInstance", &[next.body["id"].as_str().unwrap()], &STAFF).await;
    walk.stands_for("updateNamedInstance", "/id", next.body["id"].as_str().unwrap());
    for id in ["updateNamedInstance", "updateInstanceByPost"] {
        walk.send(id, &[], &STAFF).await;
    }
    let made = walk.send("createReservation", &[], &STAFF).await;
    walk.stands_for("updateReservation", "/id", &made["id"]);
    walk.send("updateReservation", &[], &STAFF).await;
    let made = walk.send("holdSeats", &[], &PAGE).await;
    walk.stands_for("changeHeldSeats", "/id", &made["id"]);
    walk.send("changeHeldSeats", &[], &PAGE).await;
}

async fn memberships(walk: &mut Walk) {
    let level = walk.send("createLevel", &[], &STAFF).await["id"].as_str().unwrap().to_owned();
    walk.stands_for("updateLevel", "/id", &level);
    let offering = walk.send("createOffering", &[&level], &STAFF).await;
    let ways = walk.read(&format!("/v2/b2b/membership/levels/{level}/membershipofferings"), &STAFF).await;
    let way = ways.body["list"][0]["id"].as_str().unwrap();
    assert!(offering.is_object());
    walk.stands_for("updateOffering", "/id", way);
    walk.send("updateOffering", &[&level], &STAFF).await;
    walk.send("updateLevel", &[], &STAFF).await;
    walk.send("updateMembership", &["100100051"], &STAFF).await;
    let address = "/v2/b2c/membership/validate/login?email=ada.lindqvist@example.test";
    walk.read(address, &SHOP).await;
    let token = mailed_token(walk).await;
    walk.stands_for("useLoginLink", "/token", token);
    walk.send("useLoginLink", &[], &SHOP).await;
}

async fn staff(walk: &mut Walk) {
    walk.write("StaffMember").await;
    for id in ["updateSettings", "issueKey"] {
        walk.send(id, &[], &STAFF).await;
    }
    let page = [PAGE[1], PAGE[2]];
    walk.send("mailStaffLink", &[], &page).await;
    let token = mailed_token(walk).await;
    walk.stands_for("startStaffSession", "/token", token);
    walk.send("startStaffSession", &[], &page).await;
}

/// The token of the link in the last mail.
async fn mailed_token(walk: &Walk) -> String {
    walk.service.deliver_mail().await;
    let mails = walk.read("/sandbox/outbox", &[]).await.body;
    let mail = mails.as_array().unwrap().last().unwrap()["deliveryId"].as_str().unwrap().to_owned();
    token_in(&walk.read(&format!("/sandbox/outbox/{mail}"), &[]).await, "loginToken=")
}

async fn sale(walk: &mut Walk) {
    let cart = walk.send("createCart", &[], &SHOP).await.as_str().unwrap().to_owned();
    walk.stands_for("updateCart", "/id", &cart);
    walk.send("updateCart", &[&cart], &SHOP).await;
    for id in ["validateEntitlements", "revalidateEntitlements"] {
        walk.send(id, &[], &SHOP).await;
    }
    let order = walk.send("checkout", &[], &SHOP).await;
    walk.stands_for("refundSale", "/saleId", order["payments"][0]["saleId"].as_str().unwrap());
    answer_a_form(walk).await;
}

/// A checkout whose buyer the issuer of the card asks.
async fn ask_a_buyer(walk: &mut Walk) {
    let mut body = walk.examples["checkout"].2.clone();
    for field in ["manualEntryCardNumber", "expDate", "cvc"] {
        body.as_object_mut().unwrap().remove(field);
    }
    body["paymentToken"] = "tok_3ds".into();
    let asked = walk.service.request("POST", "/v2/b2c/checkout", &SHOP, Some(&body)).await.body;
    walk.stands_for("answerChallenge", "/clientSecret", asked["clientSecret"].as_str().unwrap());
    let answered = walk.send("answerChallenge", &[], &[]).await;
    assert_eq!(answered["status"], "captured");
    let complete = format!("/v2/b2c/checkout/{}/complete", asked["orderId"].as_str().unwrap());
    let order = walk.service.request("POST", &complete, &SHOP, None).await;
    assert_eq!(order.status, 200, "{}", order.body);
}

/// A form that an event asks.
async fn answer_a_form(walk: &mut Walk) {
    let form = walk.send("createForm", &[], &STAFF).await["id"].clone();
    let mut template = walk.examples["createTemplate"].2.clone();
    template["orderForms"] = json!([{ "id": form }]);
    let path = "/v2/b2b/event/templates";
    let template = walk.service.request("POST", path, &STAFF, Some(&template)).await.body["id"].clone();
    let next = format!("/v2/b2c/events/{}/nextAvailable", template.as_str().unwrap());
    let slot = walk.read(&next, &SHOP).await.body["id"].clone();
    let items = json!([{ "eventId": slot, "ticketingTypeId": ADULT, "quantity": 1 }]);
    let body = json!({ "items": items });
    let cart = walk.service.request("POST", "/v2/b2c/carts", &SHOP, Some(&body)).await.body;
    let cart = cart.as_str().unwrap();
    let read = walk.read(&format!("/v2/b2c/carts/{cart}"), &SHOP).await.body;
    let asked = read["forms"][0]["formResponseId"].as_str().unwrap();
    walk.send("answerForm", &[cart, asked], &SHOP).await;
}

/// Tickets at a door. By hand they are let in whatever the hour is.
async fn doors(walk: &mut Walk) {
    let next = walk.read(&format!("/v2/b2c/events/{GALLERY}/nextAvailable"), &SHOP).await.body["id"].clone();
    let mut body = walk.examples["checkout"].2.clone();
    body["shoppingCart"]["items"] = json!([{ "eventId": next, "ticketingTypeId": ADULT, "quantity": 3 }]);
    let order = walk.service.request("POST", "/v2/b2c/checkout", &SHOP, Some(&body)).await.body["id"].clone();
    let order = order.as_str().unwrap();
    let shown = walk.read(&format!("/v2/b2b/willcall/orders/{order}"), &STAFF).await.body;
    let ticket = &shown["eventItems"][0]["items"][0]["tickets"][0];
    let [id, code] = [&ticket["id"], &ticket["uuid"]].map(|text| text.as_str().unwrap().to_owned());
    walk.stands_for("blockTickets", "/tickets/0/orderId", order);
    walk.stands_for("blockTickets", "/tickets/0/ticketId", &id);
    walk.stands_for("lookUpCode", "/code", &code);
    walk.stands_for("uploadScans", "/scans/0/at", adapters::clock::wall_now().to_rfc3339());
    for id in ["lookUpCode", "admitVisitors", "lookUpBarcode", "checkInTickets", "uploadScans"] {
        walk.send(id, &[], &STAFF).await;
    }
    for id in ["undoAdmissions", "undoCheckIn", "undoCheckInForStaff", "scanBarcode", "scanBarcodeForStaff"] {
        walk.send(id, &[], &STAFF).await;
    }
    walk.send("blockTickets", &[], &STAFF).await;
}

async fn refunds(walk: &mut Walk) {
    walk.send("previewSaleRefund", &["60417"], &MERCHANT).await;
    walk.send("refundSale", &["60417"], &MERCHANT).await;
    // What was partly given back by its merchant is not given back whole: an order of its own.
    let day = (adapters::clock::wall_now() + chrono::Duration::days(30)).date_naive();
    let times = format!(
        "/v2/b2c/event/templates/{GALLERY}/times?startTime={day}&endTime={}",
        day + chrono::Days::new(4)
    );
    let slots: Vec<String> = walk
        .read(&times, &SHOP)
        .await
        .body
        .as_array()
        .unwrap()
        .iter()
        .filter(|slot| slot["event"]["available"] == true)
        .map(|slot| slot["id"].as_str().unwrap().to_owned())
        .collect();
    let mut body = walk.examples["checkout"].2.clone();
    body["shoppingCart"]["items"] = json!([{ "eventId": slots[1], "ticketingTypeId": ADULT, "quantity": 5 }]);
    let order = walk.service.request("POST", "/v2/b2c/checkout", &SHOP, Some(&body)).await.body;
    let detail = format!("/v2/b2b/orders/detail/{}", order["id"].as_str().unwrap());
    let detail = walk.read(&detail, &STAFF).await.body;
    walk.stands_for("exchangeTickets", "/orderId", order["id"].as_str().unwrap());
    walk.stands_for("exchangeTickets", "/eventId", &slots[2]);
    let (_, _, exchange) = walk.examples.get_mut("exchangeTickets").unwrap();
    exchange["itemId"] = detail["orderItems"][0]["itemId"].clone();
    walk.send("exchangeTickets", &[], &STAFF).await;
    let (_, _, exchange) = walk.examples.get_mut("exchangeTicketsV1").unwrap();
    exchange["rebookItems"][0]["orderItemId"] = detail["orderItems"][0]["itemId"].clone();
    walk.send("exchangeTicketsV1", &[], &STAFF).await;
    for id in ["updateOrderContacts", "updateOrderForStaff", "mailOrderAgain"] {
        walk.send(id, &[order["id"].as_str().unwrap()], &STAFF).await;
    }
    let (_, _, lower) = walk.examples.get_mut("lowerOrderItems").unwrap();
    lower["orderItems"][0]["orderItemId"] = detail["orderItems"][0]["itemId"].clone();
    let left = walk.send("lowerOrderItems", &[], &STAFF).await;
    assert_eq!(left["refunds"][0]["items"][0]["quantity"], 1, "{left}");
    for id in ["refundOrderItems", "refundOrderItemsV1"] {
        let (_, _, refund) = walk.examples.get_mut(id).unwrap();
        refund["refundItems"][0]["orderItemId"] = detail["orderItems"][0]["itemId"].clone();
        walk.send(id, &[], &STAFF).await;
    }
    walk.send("previewOrderRefund", &[], &STAFF).await;
    walk.send("refundOrder", &[], &STAFF).await;
    let mut page = Walk::start().await;
    let paid = page.send("checkoutFromPage", &[], &PAGE).await;
    page.stands_for("openOrder", "/token", paid["orderToken"].as_str().unwrap());
    page.stands_for("mailOrderLink", "/orderNumber", paid["orderNumber"].as_str().unwrap());
    for id in ["mailOrderLink", "openOrder", "mailOpenedOrderAgain"] {
        page.send(id, &[], &PAGE).await;
    }
    walk.sent.append(&mut page.sent);
}
