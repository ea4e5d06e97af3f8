//! What opens something for whoever has its text: links to log in, to sign in and to an order, and sessions. Each is told
//! to whom it is for, and stands nowhere else.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, GALLERY, PAGE, SHOP, STAFF, ask, ok, token_in};
use boxoffice::testing::Service;
use engine::Fault;
use serde_json::{Value, json};
use testkit::log::Log;
use testkit::{Answer, all_items};

const DESK: &str = "desk@harbor-museum.example";
const PAYER: &str = "ines.okafor@example.org";
const LOGIN: &str = "/v2/b2c/membership/validate/login";
const SIGN_IN: &str = "/v2/staff/session";
const OPEN: &str = "/v2/b2c/orders/open";
const COUNTRIES: &str = "/v2/b2b/locations/avs/countries";
const TENANT: (&str, &str) = ("x-b2c-tenant-id", "1001");
const ORIGIN: (&str, &str) = ("origin", "http://localhost:3000");
const TABLES: [&str; 6] = ["catalog", "carts", "reservations", "orders", "members", "merchants"];
/// Parts of a token that are shorter are ids and times.
const SECRET_CHARS: usize = 32;

/// A request that has a link mailed.
struct Asked<'a> {
    method: &'a str,
    path: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: Value,
}

/// All that may show no secret: answers, and what was queued.
#[derive(Default)]
struct Told {
    answers: Vec<Answer>,
    queued: Vec<String>,
}

impl Told {
    async fn hear(&mut self, service: &Service, asked: Asked<'_>) {
        let Asked { method, path, headers, body } = asked;
        self.answers.push(ask(service, method, path, headers, body).await);
    }

    /// The token of the link that a mail has, which begins like this.
    async fn token(&mut self, service: &Service, asked: impl Fn() -> Asked<'static>, site: &str) -> String {
        self.hear(service, asked()).await;
        for delivery in service.queue.receive(10).await {
            service.queue.delete(delivery.receipt);
            self.queued.push(delivery.body);
        }
        self.hear(service, asked()).await;
        service.deliver_mail().await;
        let outbox = ok(service, "GET", "/sandbox/outbox", &STAFF, Value::Null).await;
        let delivery = outbox.as_array().unwrap().last().unwrap()["deliveryId"].as_str().unwrap().to_owned();
        token_in(&service.request("GET", &format!("/sandbox/outbox/{delivery}"), &STAFF, None).await, site)
    }

    /// Sends a token where it counts for nothing: altered, in another form, again, and without an answer.
    async fn refused(&mut self, service: &Service, path: &str, headers: &[(&str, &str)], token: &str) {
        for sent in [json!(format!("{token}0")), json!([token]), json!(token)] {
            let body = json!({ "token": sent });
            self.hear(service, Asked { method: "POST", path, headers, body }).await;
        }
        service.plan.reset();
        service.plan.at(0, Fault::AnswerLost);
        let body = json!({ "token": token });
        self.hear(service, Asked { method: "POST", path, headers, body }).await;
        service.plan.reset();
    }
}

/// An order that a page paid.
async fn bought(service: &Service) -> Value {
    let next = format!("/v2/b2c/events/{GALLERY}/nextAvailable");
    let slot = ok(service, "GET", &next, &PAGE, Value::Null).await["id"].clone();
    let body = json!({
        "shoppingCart": {"items": [{"eventId": slot, "ticketingTypeId": ADULT, "quantity": 1}]},
        "billingEmail": PAYER, "billingZipCode": "94000", "paymentToken": "tok_visa",
    });
    let paid = ok(service, "POST", "/v2/b2c/cors/checkout", &PAGE, body).await;
    service.deliver_mail().await;
    paid
}

/// Signs in, and answers the text of the session.
async fn session(service: &Service, told: &mut Told, token: &str) -> String {
    let begun = ok(service, "POST", SIGN_IN, &[TENANT, ORIGIN], json!({ "token": token })).await;
    let session = begun["session"].as_str().unwrap().to_owned();
    let altered = format!("{session}0");
    for text in [&session, &altered] {
        let headers = [("x-service-session", text.as_str()), ORIGIN];
        for path in [COUNTRIES, "/v2/b2b/staff"] {
            let asked = Asked { method: "GET", path, headers: &headers, body: Value::Null };
            told.hear(service, asked).await;
        }
    }
    session
}

#[tokio::test]
async fn no_text_that_opens_something_is_in_a_log_line_another_answer_an_item_or_a_message() {
    let log = Log::of_this_thread();
    let service = Service::start_on_this_thread().await;
    let mut told = Told::default();
    let paid = Box::pin(bought(&service)).await;
    let (number, of_page) = (paid["orderNumber"].clone(), paid["orderToken"].as_str().unwrap().to_owned());

    let log_in = || {
        let path = "/v2/b2c/membership/validate/login?email=ada.lindqvist@example.test";
        Asked { method: "GET", path, headers: &SHOP, body: Value::Null }
    };
    let member = told.token(&service, log_in, "https://harbor-museum.example/members?loginToken=").await;
    ok(&service, "POST", LOGIN, &SHOP, json!({ "token": member })).await;
    told.refused(&service, LOGIN, &SHOP, &member).await;

    let sign_in = || {
        let body = json!({ "email": DESK });
        Asked { method: "POST", path: "/v2/staff/login", headers: &[TENANT, ORIGIN], body }
    };
    let staff = told.token(&service, sign_in, "https://harbor-museum.example/staff?loginToken=").await;
    let session = Box::pin(session(&service, &mut told, &staff)).await;
    told.refused(&service, SIGN_IN, &[TENANT, ORIGIN], &staff).await;

    let find = || {
        let body = json!({ "orderNumber": number, "email": PAYER });
        Asked { method: "POST", path: "/v2/b2c/orders/link", headers: &PAGE, body }
    };
    let order = told.token(&service, find, "https://harbor-museum.example/members?orderToken=").await;
    for token in [&order, &of_page] {
        let asked = Asked { method: "POST", path: OPEN, headers: &PAGE, body: json!({ "token": token }) };
        told.hear(&service, asked).await;
        told.refused(&service, OPEN, &PAGE, token).await;
    }

    let texts = [&member, &staff, &session, &order, &of_page];
    let secrets: Vec<&str> = texts.iter().flat_map(|text| text.split(['-', '.'])).collect();
    let secrets: Vec<&str> = secrets.into_iter().filter(|part| part.len() >= SECRET_CHARS).collect();
    assert_eq!(secrets.len(), 7, "two parts of each login, one of the others");
    let is_silent = |place: &str, text: &str| {
        for secret in &secrets {
            assert!(!text.contains(*secret), "{place} shows {secret}: {text}");
        }
    };
    let log = log.text();
    for answer in &told.answers {
        assert!(log.contains(answer.header("x-service-request-id")), "every request is logged");
        is_silent("an answer", &answer.text);
    }
    log.lines().for_each(|line| is_silent("the log", line));
    told.queued.iter().for_each(|body| is_silent("the queue", body));
    assert!(told.queued.len() >= 3, "a message for each link");
    for table in TABLES {
        for item in all_items(&service.embedded, &format!("boxoffice-{table}")).await {
            // The mails that the sandbox keeps instead of sending them are whom the links are for.
            if !item["pk"].as_s().unwrap().contains("SANDBOX#") {
                is_silent(table, &format!("{item:?}"));
            }
        }
    }
}
