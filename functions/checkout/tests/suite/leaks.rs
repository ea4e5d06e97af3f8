//! Card number and security code live in memory for the length of the call, and nowhere else (contract §6).

use crate::catalog::DONATION;
use crate::forms::ONCE;
use crate::outside::{Mishap, Verb};
use crate::stripe::double::{ASKS_BACK, SECRET};
use crate::venue::{Answer, Charging, Venue, ask, checkout, pay, tickets};
use serde_json::json;
use std::io;
use std::sync::{Arc, Mutex};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

const CANARY: &str = "4242424242424242";
const SPACED: &str = "4242 4242 4242 4242";
const CVC: &str = "739";
/// What a visitor answers to a form is nobody's but the visitor's and the venue's.
const ANSWER: &str = "Lighthouse-Canary";
/// Whoever has the text of a proof is taken for the member.
const PROOF: &str =
    "4102444800_4820117.391150274-cafe00cafe00cafe00cafe00cafe00cafe00cafe00cafe00cafe00cafe00cafe00";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The canary, whatever separates its digits.
fn shows_the_card(text: &str) -> bool {
    let digits: String = text.chars().filter(|letter| ![' ', '-', '.'].contains(letter)).collect();
    [CANARY, "4000000000000002", ASKS_BACK].iter().any(|number| digits.contains(number))
}

#[tokio::test(start_paused = true)]
async fn the_card_is_in_no_log_line_answer_item_or_message() {
    let log = Log::default();
    // The service keeps the SDK quiet the same way, since at its lowest levels it prints requests.
    let filter: Targets =
        "trace,aws_smithy_runtime=warn,aws_sdk_dynamodb=warn,aws_runtime=warn".parse().unwrap();
    let subscriber = tracing_subscriber::registry()
        .with(tracing_subscriber::fmt::layer().json().with_writer(log.clone()))
        .with(filter);
    // For the whole process, so that what other tests log meanwhile is looked through as well.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let venue = Venue::open([50, 10]).await;
    crate::forms::save_optional(&venue).await;
    let process = venue.process().await;
    let donation = json!({
        "inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": "5.00",
        "donationDetail": {"dedicationLastName": SPACED, "beneficiaryFirstName": CANARY},
    });
    let everywhere = json!({
        "manualEntryCardNumber": SPACED, "cvc": CVC, "notes": format!("my card is {CANARY}, code {CVC}x"),
        "contactFirstName": CANARY, "contactFullName": format!("Ada {SPACED}"), "billingLastName": SPACED,
        "billingZipCode": "94000",
        "shoppingCart": {"items": [tickets(1), donation]},
    });
    let cart = process.cart(json!([donation])).await;
    let whole = checkout(json!({"manualEntryCardNumber": CANARY, "cvc": CVC})).to_string();
    let cut = whole.find(CANARY).unwrap() + CANARY.len();
    let digits = CANARY.parse::<i64>().unwrap();
    let declined = json!({"manualEntryCardNumber": "4000000000000002", "cvc": CVC, "notes": SPACED});
    let mut answers = Vec::new();
    let filled = json!([{"name": "school", "value": ANSWER}]);
    let wrong = json!([{"name": ANSWER, "value": CANARY}, {"name": "school", "value": [ANSWER, CANARY]}]);
    let unfit = json!([{"name": ANSWER, "value": CANARY}, {"name": "school", "value": digits}]);
    let form = |fields: &serde_json::Value| json!([{"formId": ONCE, "fields": fields}]);
    let asking = process.send(ask("POST", "/v2/b2c/carts", json!({"items": [tickets(1)]}))).await.body;
    let path = format!("/v2/b2c/carts/{}", asking.as_str().unwrap());
    let entry = process.send(ask("GET", &path, json!({}))).await.body["forms"][0]["formResponseId"].clone();
    let entry = format!("{path}/forms/{}", entry.as_str().unwrap());
    for fields in [&filled, &wrong, &unfit] {
        let update = json!({"id": asking, "items": [tickets(1)], "forms": form(fields)});
        let inline = json!({"shoppingCart": {"items": [tickets(1)], "forms": form(fields)}});
        for ask in [
            ask("PUT", &entry, json!({"fields": fields})).keyed(&format!("form-{}", answers.len())),
            ask("PUT", &path, update),
            pay(inline),
            pay(json!({"shoppingCartId": asking, "dryRun": true})),
        ] {
            answers.push(process.send(ask).await);
        }
    }
    for ask in [
        pay(everywhere.clone()).keyed("k"),
        pay(everywhere).keyed("k"),
        pay(json!({"shoppingCartId": cart, "manualEntryCardNumber": CANARY, "cvc": CVC})),
        pay(json!({})).raw(&whole[..cut]),
        pay(json!({})).raw(&whole[..=cut]),
        pay(json!({"manualEntryCardNumber": digits, "cvc": 739})),
        pay(json!({"manualEntryCardNumber": format!("{CANARY}1"), "cvc": CVC})),
        pay(json!({"email": CANARY, "billingEmail": CANARY, "country": CANARY})),
        pay(declined.clone()).keyed("declined"),
        pay(declined).keyed("declined"),
        pay(json!({"dryRun": true})).header("x-service-member-proof", PROOF),
        pay(json!({"dryRun": true})).on_page().header("x-service-member-proof", PROOF),
    ] {
        answers.push(process.send(ask).await);
    }
    process.processor.next(Verb::Confirm, Mishap::Panic);
    answers.push(process.pay(json!({"manualEntryCardNumber": CANARY, "cvc": CVC})).await);
    assert_eq!(answers.last().unwrap().kind(), "INTERNAL");
    process.clean_up(100).await;
    check(&venue, &answers).await;
    let charged = Venue::charging(Charging::Stripe, [200, 10]).await;
    for number in [CANARY, "4000000000000002", ASKS_BACK] {
        let fields = json!({"manualEntryCardNumber": number, "cvc": CVC});
        answers.extend(crate::stripe::troubled(&charged, fields).await);
    }
    answers.push(
        crate::stripe::over_the_network(&charged, json!({"manualEntryCardNumber": CANARY, "cvc": CVC})).await,
    );
    check(&charged, &answers).await;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for answer in &answers {
        assert!(log.contains(answer.header("x-service-request-id")), "every request is logged");
    }
    for line in log.lines() {
        assert!(!shows_the_card(line) && !line.contains("\"739\""), "{line}");
        assert!(!line.contains(ANSWER), "{line}");
        assert!(!line.contains(SECRET) && !line.contains("cafe00cafe00"), "{line}");
    }
}

/// Looks through what was answered, stored and sent.
async fn check(venue: &Venue, answers: &[Answer]) {
    for answer in answers {
        assert!(!shows_the_card(&answer.text) && !answer.text.contains("\"739\""), "{}", answer.text);
        assert!(!answer.text.contains(SECRET), "{}", answer.text);
    }
    for table in ["catalog", "carts", "reservations", "orders", "members", "merchants"] {
        for item in venue.scan(table).await {
            let text = format!("{item:?}");
            assert!(!shows_the_card(&text), "{table}: {text}");
            assert!(!text.contains("cvc") && !text.contains("\"739\""), "{table}: {text}");
            assert!(!text.contains(SECRET) && !text.contains("cafe00cafe00"), "{table}: {text}");
        }
    }
    for delivery in venue.queue.receive(100).await {
        assert!(!shows_the_card(&delivery.body), "{}", delivery.body);
    }
}
