//! The same request twice, the same card twice, the same cart twice (contract §2, §6).

use crate::venue::{Process, Venue, after, pay, pay_on_page, t0, tickets};
use domain::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use testkit::cards::DECLINED;
use testkit::catalog::DONATION;
use testkit::outside::{Mishap, Verb};
use testkit::{Answer, Ask};

fn at_millis(millis: i64) -> Timestamp {
    t0() + chrono::Duration::milliseconds(millis)
}

/// A cart worth this much.
fn worth(amount: &str) -> Value {
    json!({"items": [{"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": amount}]})
}

#[tokio::test]
async fn the_same_card_and_amount_are_refused_for_just_under_five_minutes() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let other = json!({"shoppingCart": worth("36.01")});
    let spaced = json!({"manualEntryCardNumber": "4111 1111-1111 1111", "shoppingCart": worth("36.00")});
    let plain = json!({"shoppingCart": worth("36.00")});
    let mut paid: Option<String> = None;
    for (case, ask, expected) in [
        ("first", pay(plain.clone()).at_instant(at_millis(10_000)), "OK"),
        ("other amount", pay(other).at_instant(at_millis(20_000)), "OK"),
        ("other tenant", pay(plain.clone()).by("key-205").at_instant(at_millis(60_000)), "OK"),
        ("spaces", pay(spaced).at_instant(at_millis(60_000)), "DUPLICATE_TRANSACTION_FOUND"),
        ("at once", pay(plain.clone()).at_instant(at_millis(10_000)), "DUPLICATE_TRANSACTION_FOUND"),
        ("299.9 s later", pay(plain.clone()).at_instant(at_millis(309_900)), "DUPLICATE_TRANSACTION_FOUND"),
        ("long before", pay(plain.clone()).at_instant(at_millis(-3_600_000)), "OK"),
        ("300 s later", pay(plain.clone()).at_instant(at_millis(310_000)), "OK"),
        ("and again", pay(plain).at_instant(at_millis(311_000)), "DUPLICATE_TRANSACTION_FOUND"),
    ] {
        let answer = process.send(ask).await;
        assert_eq!(answer.error(), expected, "{case}: {}", answer.text);
        if expected != "OK" {
            assert_eq!(answer.body["errorCode"], 16003);
            assert_eq!(answer.body["message"], "Duplicate transaction found");
            assert_eq!(answer.body["orderId"].as_str(), paid.as_deref(), "{case}");
        } else if !case.starts_with("other") {
            paid = Some(answer.body["id"].as_str().unwrap().to_owned());
        }
    }
}

#[tokio::test]
async fn a_declined_card_does_not_arm_the_window() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    for secs in [0, 10] {
        let declined = pay(json!({"manualEntryCardNumber": DECLINED})).at_instant(after(secs));
        assert_eq!(process.send(declined).await.error(), "CARD_DECLINED");
    }
}

async fn at_once(process: &Process, asks: impl IntoIterator<Item = Ask>) -> Vec<Answer> {
    let mut tries = tokio::task::JoinSet::new();
    for ask in asks {
        let process = process.clone();
        tries.spawn(async move { process.send(ask).await });
    }
    tries.join_all().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_clicks_charge_once() {
    for (case, key, stored, others) in [
        ("inline", None, false, &["REQUEST_IN_PROGRESS", "DUPLICATE_TRANSACTION_FOUND"]),
        ("stored", None, true, &["REQUEST_IN_PROGRESS", "CART_ALREADY_CHECKED_OUT"]),
        ("inline with key", Some("k"), false, &["REQUEST_IN_PROGRESS", "replayed"]),
        ("stored with key", Some("k"), true, &["REQUEST_IN_PROGRESS", "replayed"]),
    ] {
        let venue = Venue::open([100, 10]).await;
        let process = venue.process().await;
        let fields = if stored {
            json!({"shoppingCartId": process.cart(json!([tickets(2)])).await})
        } else {
            json!({})
        };
        let ask = key.map_or_else(|| pay(fields.clone()), |key| pay(fields.clone()).keyed(key));
        let answers = at_once(&process, std::iter::repeat_n(ask.clone(), 20)).await;
        let first = answers.iter().filter(|answer| answer.error() == "OK" && !answer.replayed).count();
        assert_eq!(first, 1, "{case}");
        for answer in &answers {
            let kind = if answer.replayed { "replayed" } else { answer.error() };
            assert!(kind == "OK" || others.contains(&kind), "{case}: {}", answer.text);
        }
        let again = process.send(ask).await;
        let kind = if again.replayed { "replayed" } else { again.error() };
        assert_eq!(kind, others[1], "{case}: {}", again.text);
        assert_eq!(venue.captured().await, [3_600], "{case}");
        assert_eq!(venue.seats(0).await, [98, 0, 2], "{case}");
    }
}

#[tokio::test]
async fn a_repeated_key_answers_the_first_order_word_for_word() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    // A clock with a fraction of a second shows whether anything is rounded on its way to the database.
    let ask = pay(json!({})).keyed("k").at_instant(at_millis(789));
    let first = process.send(ask.clone()).await;
    let again = process.send(ask.at_instant(after(3_000))).await;
    assert_eq!((first.text, first.headers.get("x-service-replayed")), (again.text.clone(), None));
    assert!(again.replayed);
    for (case, fields, header, expected) in [
        ("other cvc", json!({"cvc": "999"}), "idempotency-key", "OK"),
        (
            "number with spaces",
            json!({"manualEntryCardNumber": "4111 1111 1111 1111"}),
            "idempotency-key",
            "OK",
        ),
        ("the other header", json!({}), "x-service-request-uuid", "OK"),
        ("other body", json!({"notes": "!"}), "idempotency-key", "IDEMPOTENCY_KEY_REUSED"),
        (
            "other card",
            json!({"manualEntryCardNumber": DECLINED}),
            "idempotency-key",
            "IDEMPOTENCY_KEY_REUSED",
        ),
    ] {
        let answer = process.send(pay(fields).header(header, "k")).await;
        assert_eq!(answer.error(), expected, "{case}: {}", answer.text);
        assert_eq!(answer.replayed, expected == "OK", "{case}");
    }
    let page = process.send(pay_on_page(json!({})).keyed("k")).await;
    assert_eq!(page.error(), "IDEMPOTENCY_KEY_REUSED", "the two routes are two: {}", page.text);
    let late = process.send(pay(json!({})).keyed("k").at_instant(after(86_400))).await;
    assert_eq!((late.error(), late.replayed), ("OK", false), "a day later the key is forgotten");
    assert_eq!(venue.captured().await.len(), 2);
}

#[tokio::test]
async fn a_repeated_key_answers_the_first_decline_without_another_charge() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let ask = pay(json!({"manualEntryCardNumber": DECLINED})).keyed("k");
    let first = process.send(ask.clone()).await;
    let again = process.send(ask).await;
    assert_eq!((first.refusal(), again.refusal()), ("402 CARD_DECLINED".into(), "402 CARD_DECLINED".into()));
    assert_eq!((first.replayed, again.replayed), (false, true));
    assert_eq!(process.processor.calls(), [Verb::Open, Verb::Confirm]);
}

#[tokio::test]
async fn refusals_are_not_kept_under_the_key() {
    let venue = Venue::open([1, 10]).await;
    let process = venue.process().await;
    let ask = pay(json!({})).keyed("k");
    assert_eq!(process.send(ask.clone()).await.error(), "NOT_ENOUGH_CAPACITY");
    let other = json!({"shoppingCart": {"items": [tickets(1)]}});
    assert_eq!(process.send(pay(other).keyed("k")).await.error(), "OK");
}

#[tokio::test(start_paused = true)]
async fn while_the_first_request_runs_its_key_card_and_cart_are_in_progress() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([tickets(2)])).await;
    let fields = json!({"shoppingCartId": cart});
    process.processor.next(Verb::Confirm, Mishap::Slow(Duration::from_secs(15)));
    let first = tokio::spawn({
        let (process, ask) = (process.clone(), pay(fields.clone()).keyed("k"));
        async move { process.send(ask).await }
    });
    while !process.processor.calls().contains(&Verb::Confirm) {
        tokio::task::yield_now().await;
    }
    for (case, ask) in
        [("key", pay(fields.clone()).keyed("k")), ("cart", pay(fields)), ("card and amount", pay(json!({})))]
    {
        let answer = process.send(ask).await;
        assert_eq!((answer.error(), answer.header("retry-after")), ("REQUEST_IN_PROGRESS", "2"), "{case}");
    }
    assert_eq!(first.await.unwrap().error(), "OK");
}

#[tokio::test]
async fn a_sold_cart_names_its_order() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([tickets(2)])).await;
    let order = process.pay(json!({"shoppingCartId": cart})).await;
    let again =
        process.pay(json!({"shoppingCartId": cart, "manualEntryCardNumber": "4242424242424242"})).await;
    assert_eq!(again.refusal(), "409 CART_ALREADY_CHECKED_OUT");
    assert_eq!(again.body["orderId"], order.id());
    assert_eq!(venue.seats(0).await, [8, 0, 2]);
}

#[tokio::test]
async fn a_cart_is_open_again_after_a_decline() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([tickets(2)])).await;
    let declined = json!({"shoppingCartId": cart, "manualEntryCardNumber": DECLINED});
    assert_eq!(process.pay(declined).await.error(), "CARD_DECLINED");
    assert_eq!(process.pay(json!({"shoppingCartId": cart})).await.error(), "OK");
}

#[tokio::test]
async fn every_new_order_has_a_number_and_barcodes_of_its_own() {
    let venue = Venue::open([100, 10]).await;
    let process = venue.process().await;
    let mut numbers = BTreeSet::new();
    for cents in 0..10 {
        let cart = json!({"items": [tickets(7), worth(&format!("1.0{cents}"))["items"][0]]});
        let order = process.pay(json!({"shoppingCart": cart})).await;
        numbers.insert(order.body["orderNumber"].to_string());
    }
    assert_eq!(numbers.len(), 10);
    crate::audit::audit(&venue, "barcodes").await;
}
