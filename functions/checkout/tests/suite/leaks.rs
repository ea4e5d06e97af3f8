//! Card number and security code live in memory for the length of the call, and nowhere else (contract §6).

use crate::forms::ONCE;
use crate::stripe::double::{ASKS_BACK, SECRET};
use crate::venue::{Charging, Venue, ask, by_token, checkout, pay, pay_on_page, tickets};
use serde_json::json;
use testkit::Answer;
use testkit::catalog::DONATION;
use testkit::log::Log;
use testkit::outside::{Mishap, Verb};

const CANARY: &str = "4242424242424242";
const SPACED: &str = "4242 4242 4242 4242";
const CVC: &str = "739";
/// What a visitor answers to a form is nobody's but the visitor's and the venue's.
const ANSWER: &str = "Lighthouse-Canary";
/// Whoever has a token of a card can charge it once.
const TOKENS: [&str; 4] =
    ["tok_visa", "tok_declined", "pm_3MtwBwLkdIwHu7ix28a", "ctoken_3MtwBwLkdIwHu7ix28a"];
/// What every client secret has: whoever has one can ask the processor about the payment, and try other cards.
const CLIENT_SECRET: &str = "_secret";
/// Whoever has the text of a proof is taken for the member.
const PROOF: &str =
    "4102444800_4820117.391150274-cafe00cafe00cafe00cafe00cafe00cafe00cafe00cafe00cafe00cafe00cafe00";

/// The canary, whatever separates its digits.
fn shows_the_card(text: &str) -> bool {
    let digits: String = text.chars().filter(|letter| ![' ', '-', '.'].contains(letter)).collect();
    [CANARY, "4000000000000002", ASKS_BACK].iter().any(|number| digits.contains(number))
        || shows_a_token(text)
}

fn shows_a_token(text: &str) -> bool {
    TOKENS.iter().any(|token| text.contains(token))
}

#[tokio::test(start_paused = true)]
async fn the_card_is_in_no_log_line_answer_item_or_message() {
    let log = Log::begin();
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
        pay(by_token("tok_visa")).keyed("token"),
        pay(by_token("tok_declined")),
        pay(by_token("tok_3ds")).keyed("asked"),
        pay(by_token("tok_3ds")).keyed("asked"),
        pay(by_token("tok_visa/1")),
        pay(by_token("pm_3MtwBwLkdIwHu7ix28a")),
        pay(json!({"paymentToken": "tok_visa"})),
        pay(json!({})).raw("{\"paymentToken\": \"tok_visa\", "),
        pay(json!({"dryRun": true})).header("x-service-member-proof", PROOF),
        pay_on_page(json!({"dryRun": true})).header("x-service-member-proof", PROOF),
    ] {
        answers.push(process.send(ask).await);
    }
    process.processor.next(Verb::Confirm, Mishap::Panic);
    answers.push(process.pay(json!({"manualEntryCardNumber": CANARY, "cvc": CVC})).await);
    assert_eq!(answers.last().unwrap().error(), "INTERNAL");
    process.clean_up(100).await;
    check(&venue, &answers).await;
    let charged = Venue::charging(Charging::Stripe, [900, 10]).await;
    for number in [CANARY, "4000000000000002", ASKS_BACK] {
        let fields = json!({"manualEntryCardNumber": number, "cvc": CVC});
        answers.extend(crate::stripe::troubled(&charged, fields).await);
    }
    for number in [CANARY, "4000000000000002", ASKS_BACK] {
        for token in [charged.stripe.tokenise(number), charged.stripe.confirmation_token(number)] {
            answers.extend(crate::stripe::troubled(&charged, by_token(&token)).await);
        }
    }
    answers.push(
        crate::stripe::over_the_network(&charged, json!({"manualEntryCardNumber": CANARY, "cvc": CVC})).await,
    );
    check(&charged, &answers).await;
    let log = log.text();
    for answer in &answers {
        assert!(log.contains(answer.header("x-service-request-id")), "every request is logged");
    }
    for line in log.lines() {
        assert!(!shows_the_card(line) && !line.contains("\"739\""), "{line}");
        assert!(!line.contains(ANSWER), "{line}");
        assert!(!line.contains(SECRET) && !line.contains("cafe00cafe00"), "{line}");
        assert!(!line.contains(CLIENT_SECRET), "{line}");
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
            assert!(!text.contains(CLIENT_SECRET), "{table}: {text}");
        }
    }
    for delivery in venue.queue.receive(100).await {
        assert!(!shows_the_card(&delivery.body), "{}", delivery.body);
    }
}
