//! Tokens of cards, which the processor's own fields make in the visitor's page (decision record 0145).

use crate::audit::audit;
use crate::catalog::FREE;
use crate::stripe::double::{SECRET, Seen, Step};
use crate::venue::{Charging, Venue, after, ask, by_token, pay, pay_on_page, tickets};
use domain::stripe::{PublishableKey, StripeAccount};
use domain::tenant::ProcessorKind;
use domain::{Currency, Mid};
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::cards::{DECLINED, GOOD, OTHER};
use testkit::outside::{Mishap, Verb};
use testkit::tenants::ORIGIN;

const CONFIG: &str = "/v2/b2c/checkout/config";

#[tokio::test]
async fn a_token_pays_on_both_routes_and_the_order_shows_its_card() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let paid = process.pay(by_token(&venue.token(OTHER))).await;
        let last_four = if charging == Charging::Stripe { "1111" } else { "4242" };
        assert_eq!(paid.body["payments"][0]["cardBrand"], "Visa", "{charging:?}: {}", paid.text);
        assert_eq!(paid.body["ccLastFourDigits"], last_four, "{charging:?}");
        use Verb::{Confirm, LookUp, Open};
        assert_eq!(process.processor.calls(), [LookUp, Open, Confirm], "{charging:?}");
        let mut other = by_token(&venue.token(DECLINED));
        other["shoppingCart"] = json!({"items": [tickets(1)]});
        let declined = process.send(pay_on_page(other)).await;
        assert_eq!((declined.status, declined.error()), (402, "CARD_DECLINED"), "{charging:?}");
        assert_eq!(venue.seats(0).await, [8, 0, 2], "{charging:?}");
        assert_eq!(audit(&venue, "tokens").await.len(), 1);
    }
}

#[tokio::test]
async fn each_test_token_does_what_it_is_for() {
    for (token, status, kind, code) in [
        ("tok_visa", 200, "OK", None),
        ("tok_mastercard", 200, "OK", None),
        ("tok_amex", 200, "OK", None),
        ("tok_declined", 402, "CARD_DECLINED", Some("card_declined")),
        ("tok_no_funds", 402, "INSUFFICIENT_FUNDS", Some("insufficient_funds")),
    ] {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        let answer = process.pay(by_token(token)).await;
        assert_eq!((answer.status, answer.error()), (status, kind), "{token}: {}", answer.text);
        assert_eq!(answer.body["processorErrorCode"].as_str(), code, "{token}");
        assert_eq!(audit(&venue, token).await.len(), usize::from(status == 200));
    }
}

#[tokio::test]
async fn the_same_card_is_known_again_behind_another_token() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let first = process.send(pay(by_token(&venue.token(OTHER))).keyed("k")).await;
        let again = process.pay(by_token(&venue.token(OTHER))).await;
        assert_eq!(again.error(), "DUPLICATE_TRANSACTION_FOUND", "{charging:?}: {}", again.text);
        assert_eq!(again.body["orderId"].as_str(), Some(first.id().as_str()), "{charging:?}");
        let mut dry = by_token(&venue.token(OTHER));
        dry["dryRun"] = true.into();
        let dry = process.pay(dry).await;
        assert_eq!(dry.body["findings"][0]["type"], "DUPLICATE_TRANSACTION_FOUND", "{}", dry.text);
        let later = process.send(pay(by_token(&venue.token(OTHER))).at_instant(after(300))).await;
        assert_eq!(later.error(), "OK", "{charging:?}: {}", later.text);
        assert_eq!(venue.captured().await, [3_600, 3_600], "{charging:?}");
    }
}

#[tokio::test]
async fn a_token_costs_no_database_call_and_one_call_of_the_processor() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let [numbers, tokens] = [venue.process().await, venue.process().await];
        let by_number = numbers.pay(json!({})).await;
        let requests = venue.stripe.steps().len();
        let by_token = tokens.pay(by_token(&venue.token(OTHER))).await;
        let of_token = venue.stripe.steps().len() - requests;
        assert_eq!((by_number.status, by_token.status), (200, 200), "{charging:?}: {}", by_token.text);
        let calls = |answer: &testkit::Answer| (answer.calls.rounds, answer.calls.total);
        assert_eq!(calls(&by_token), calls(&by_number), "{charging:?}");
        let [number, token] = [&numbers, &tokens].map(|process| process.processor.calls().len());
        assert_eq!(token, number + 1, "{charging:?}: calls of the processor");
        assert_eq!(of_token, requests, "{charging:?}: looking up stands for making a payment method");
    }
}

#[tokio::test]
async fn a_token_that_stands_for_no_card_of_ours_takes_nothing() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let process = venue.process().await;
    let union_pay = venue.stripe.tokenise("6200000000000005");
    for (token, message) in [
        ("tok_visa", "stands for no card, has expired or was used before"),
        ("pm_3MtwBwLkdIwHu7ix28a99999", "stands for no card, has expired or was used before"),
        ("ctoken_3MtwBwLkdIwHu7ix28a99999", "stands for no card, has expired or was used before"),
        (union_pay.as_str(), "is not from a supported card brand"),
    ] {
        let refused = process.pay(by_token(token)).await;
        let told = json!([{"field": "/paymentToken", "message": message}]);
        assert_eq!((refused.status, &refused.body["details"]), (400, &told), "{token}: {}", refused.text);
    }
    assert_eq!(venue.stripe.steps(), [Step::Token; 3], "a token of nobody's form is not asked about");
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
    assert_eq!(audit(&venue, "unknown").await.len(), 0);
}

#[tokio::test]
async fn what_contradicts_the_card_of_a_token_is_refused_before_anything_is_taken() {
    const BRAND: (&str, &str) = ("/creditCardBrand", "does not match the card of the token");
    const DIGITS: (&str, &str) =
        ("/ccLastFourDigits", "must match the last four digits of the card of the token");
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let digits = if charging == Charging::Stripe { "1111" } else { "4242" };
        let telling = |brand: &str, digits: &str| {
            let mut fields = by_token(&venue.token(OTHER));
            fields["creditCardBrand"] = brand.into();
            fields["ccLastFourDigits"] = digits.into();
            fields
        };
        for (brand, digits, faults) in [
            ("MasterCard", digits, vec![BRAND]),
            ("Visa", "1112", vec![DIGITS]),
            ("MasterCard", "1112", vec![BRAND, DIGITS]),
            ("Acme", digits, vec![("/creditCardBrand", "is not a supported card brand")]),
            ("Visa", "42", vec![("/ccLastFourDigits", "must be four digits")]),
        ] {
            let refused = process.pay(telling(brand, digits)).await;
            let faults = faults.iter().map(|(field, why)| json!({"field": field, "message": why}));
            let told = Value::Array(faults.collect());
            assert_eq!((refused.status, &refused.body["details"]), (400, &told), "{}", refused.text);
        }
        assert!(!process.processor.calls().contains(&Verb::Open), "{charging:?}");
        assert_eq!(venue.seats(0).await, [10, 0, 0], "{charging:?}");
        assert_eq!(process.pay(telling("Visa", digits)).await.error(), "OK", "{charging:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_processor_that_does_not_answer_about_a_token_leaves_nothing_behind() {
    for charging in Charging::ALL {
        for mishap in [Mishap::AnswerLost, Mishap::Unreachable, Mishap::Throttled] {
            let venue = Venue::charging(charging, [10, 10]).await;
            let process = venue.process().await;
            process.processor.next(Verb::LookUp, mishap);
            let ask = pay(by_token(&venue.token(OTHER))).keyed("k");
            let refused = process.send(ask.clone()).await;
            assert_eq!((refused.status, refused.error()), (503, "TRY_AGAIN"), "{mishap:?}");
            assert_eq!(venue.seats(0).await, [10, 0, 0], "{mishap:?}");
            assert_eq!(process.send(ask).await.error(), "OK", "{mishap:?}");
            assert_eq!(audit(&venue, "looked up").await.len(), 1);
        }
    }
}

#[tokio::test]
async fn a_venue_that_takes_tokens_only_says_so_and_charges_them() {
    let venue = Venue::open([10, 10]).await;
    venue.set(|tenant| tenant.raw_cards = false).await;
    let process = venue.process().await;
    let message = "is not taken by this venue; send paymentToken";
    let told = json!([{"field": "/manualEntryCardNumber", "message": message}]);
    for ask in [pay(json!({})), pay_on_page(json!({}))] {
        let refused = process.send(ask).await;
        assert_eq!((refused.status, &refused.body["details"]), (400, &told), "{}", refused.text);
    }
    let nothing = json!({"manualEntryCardNumber": null, "expDate": null, "cvc": null});
    let refused = process.pay(nothing).await;
    let told = json!([{"field": "/paymentToken", "message": "is required"}]);
    assert_eq!((refused.status, &refused.body["details"]), (400, &told), "{}", refused.text);
    assert_eq!(process.processor.calls(), []);
    let mut free = tickets(1);
    free["ticketingTypeId"] = FREE.into();
    let given = process.pay(json!({"shoppingCart": {"items": [free]}})).await;
    assert_eq!(given.error(), "OK", "no card is charged: {}", given.text);
    assert_eq!(process.pay(by_token("tok_visa")).await.error(), "OK");
}

#[tokio::test]
async fn a_token_that_is_not_needed_is_not_looked_up() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let mut free = tickets(1);
    free["ticketingTypeId"] = FREE.into();
    let mut fields = by_token("tok_nobody");
    fields["shoppingCart"] = json!({"items": [free]});
    assert_eq!(process.pay(fields).await.error(), "OK");
    assert_eq!(process.processor.calls(), []);
}

// ------------------------------------------------------------------------------------------ requests

fn shown(seen: &[Seen], order: &str) -> String {
    let asked: Vec<String> = seen.iter().map(Seen::shown).collect();
    asked.join("\n\n").replace(order, "[order]").replace(SECRET, "[key]")
}

#[tokio::test]
async fn a_payment_method_is_looked_up_and_charged_in_its_published_form() {
    let mut venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let account = StripeAccount::parse("acct_1032D82eZvKYlo2C").unwrap();
    venue.stripe_settings.accounts.insert(Mid::parse("60417").unwrap(), account);
    let process = venue.process().await;
    let order = process.pay(by_token(&venue.stripe.tokenise(GOOD))).await.id();
    let steps = venue.stripe.steps();
    assert_eq!(steps, [Step::Token, Step::Create, Step::Attach, Step::Confirm]);
    let seen = venue.stripe.seen();
    assert_snapshot!(shown(&[seen[0].clone(), seen[2].clone()], &order), @r"
    GET /v1/payment_methods/pm_3MtwBwLkdIwHu7ix28a00001
    stripe-account: acct_1032D82eZvKYlo2C
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]

    POST /v1/payment_intents/pi_3MtwBwLkdIwHu7ix28a00002
    stripe-account: acct_1032D82eZvKYlo2C
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
      payment_method = pm_3MtwBwLkdIwHu7ix28a00001
    ");
}

#[tokio::test]
async fn a_confirmation_token_comes_with_the_confirmation() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let process = venue.process().await;
    let token = venue.stripe.confirmation_token(GOOD);
    let order = process.pay(by_token(&token)).await.id();
    assert_eq!(venue.stripe.steps(), [Step::Token, Step::Create, Step::Confirm]);
    let seen = venue.stripe.seen();
    assert_eq!(seen[2].field("confirmation_token"), token);
    assert!(shown(&seen[..1], &order).starts_with("GET /v1/confirmation_tokens/ctoken_"));
    let declined = process.pay(by_token(&venue.stripe.confirmation_token(DECLINED))).await;
    assert_eq!((declined.status, declined.error()), (402, "CARD_DECLINED"), "{}", declined.text);
    assert_eq!(audit(&venue, "confirmation tokens").await.len(), 1);
}

// ------------------------------------------------------------------------------------ how cards are taken

async fn config(venue: &Venue) -> Value {
    let process = venue.process().await;
    let by_server = process.send(ask("GET", CONFIG, json!({}))).await;
    let on_page =
        process.send(ask("GET", CONFIG, json!({})).by("browser-204").header("origin", ORIGIN)).await;
    assert_eq!(on_page, by_server);
    assert_eq!(on_page.header("access-control-allow-origin"), ORIGIN);
    assert!(on_page.calls.rounds <= 1, "{:?}", on_page.calls);
    by_server.done()
}

#[tokio::test]
async fn a_page_learns_how_cards_are_taken() {
    let mut venue = Venue::open([10, 10]).await;
    let sandbox = json!({
        "processor": "sandbox", "publishableKey": null, "connectedAccount": null, "currency": "USD",
        "testMode": true, "rawCards": true,
    });
    assert_eq!(config(&venue).await, sandbox);
    venue.stripe_settings.publishable_key = Some(PublishableKey::parse("pk_test_51H8vXGjyP").unwrap());
    let settings = venue.stripe_settings.clone();
    venue.set(|tenant| tenant.processor = ProcessorKind::Stripe(Box::new(settings))).await;
    let mut stripe = json!({
        "processor": "stripe", "publishableKey": "pk_test_51H8vXGjyP", "connectedAccount": null,
        "currency": "USD", "testMode": true, "rawCards": true,
    });
    assert_eq!(config(&venue).await, stripe);
    let account = StripeAccount::parse("acct_1032D82eZvKYlo2C").unwrap();
    venue.stripe_settings.accounts.insert(Mid::parse("60417").unwrap(), account);
    let settings = venue.stripe_settings.clone();
    venue
        .set(|tenant| {
            tenant.processor = ProcessorKind::Stripe(Box::new(settings));
            tenant.raw_cards = false;
            tenant.currency = Currency::parse("EUR").unwrap();
        })
        .await;
    stripe["connectedAccount"] = "acct_1032D82eZvKYlo2C".into();
    stripe["rawCards"] = false.into();
    stripe["currency"] = "EUR".into();
    assert_eq!(config(&venue).await, stripe);
}
