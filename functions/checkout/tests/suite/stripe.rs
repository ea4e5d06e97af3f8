//! Checkouts that Stripe charges: what it is asked, what it answers, and that nothing is charged twice or lost.

pub(crate) mod double;
mod published;

use crate::audit::audit;
use crate::venue::{Charging, Process, Venue, after, pay, tenant_id};
use adapters::clock::RequestClock;
use adapters::processor::{CardProcessor, PaymentRequest, ProcessorError, RefundRequest, StripeProcessor};
use domain::card::{Card, CardFields};
use domain::card_token::SentCard;
use domain::payment::{Confirmation, DeclineReason, FinalStatus, RefundAnswer};
use domain::sale::{RefundState, Sale, SaleRefund};
use domain::stripe::{StripeAccount, StripeAddress, StripeSettings};
use domain::tenant::{ProcessorKind, Tenant};
use domain::{Currency, Mid, Money, OrderId, PaymentReference, RefundId};
use double::{ASKS_BACK, SECRET, Step, Trouble};
use insta::assert_snapshot;
use sagas::{RefundOutcome, TakenRefund};
use serde_json::json;
use store::Consistency;
use store::refund::Take;
use testkit::Answer;
use testkit::cards::{DECLINED, GOOD, OTHER};
use testkit::outside::{Mishap, Verb};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

const DAY: i64 = 86_400;

fn account() -> StripeAccount {
    StripeAccount::parse("acct_1032D82eZvKYlo2C").unwrap()
}

/// Lets the settings of the tenant decide, as in a deployment, with a connected account for its merchant.
async fn configured() -> Venue {
    let mut venue = Venue::open([10, 10]).await;
    venue.stripe_settings.accounts.insert(Mid::parse("60417").unwrap(), account());
    let tenant = venue.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap();
    let processor = ProcessorKind::Stripe(Box::new(venue.stripe_settings.clone()));
    venue.store.save_tenant(&Tenant { processor, ..tenant }).await.unwrap();
    venue
}

fn processor(venue: &Venue) -> StripeProcessor {
    venue.way_to_stripe().account_of(tenant_id(), &venue.stripe_settings)
}

fn payment(order: u64) -> PaymentRequest {
    PaymentRequest {
        tenant: tenant_id(),
        order: OrderId::from_bits(order),
        amount: Money::from_cents(4_250),
        currency: Currency::default(),
        mid: Mid::parse("60417").unwrap(),
        descriptor: "HARBOR".to_owned(),
        secured_at: after(0),
    }
}

fn card(number: &str) -> SentCard {
    let fields = CardFields {
        number: Some(number),
        expiry: Some("1230"),
        cvc: Some("739"),
        zip: Some("94000"),
        holder_name: Some("Pat Payer"),
        ..CardFields::default()
    };
    SentCard::Number(Box::new(Card::parse(&fields).unwrap()))
}

/// The reason and the processor's code of a decline.
fn declined(answer: Result<Confirmation, ProcessorError>) -> (DeclineReason, String) {
    match answer {
        Ok(Confirmation::Declined(decline)) => (decline.reason, decline.processor_code.unwrap()),
        other => panic!("{other:?}"),
    }
}

// ------------------------------------------------------------------------------------------ requests

#[tokio::test]
async fn a_checkout_asks_stripe_four_things_in_their_published_form() {
    let venue = configured().await;
    let process = venue.process().await;
    let answer = process.pay(json!({"cvc": "739"})).await;
    let order = answer.id();
    assert_eq!(process.processor.calls(), [], "the built-in processor is not asked");
    let asked: Vec<String> = venue.stripe.seen().iter().map(double::Seen::shown).collect();
    let asked = asked.join("\n\n").replace(&order, "[order]").replace(SECRET, "[key]");
    let asked = asked.replace(OTHER, "[number]").replace("= 739", "= [cvc]");
    assert_snapshot!(asked, @r"
    POST /v1/payment_intents
    idempotency-key: boxoffice-204-[order]
    stripe-account: acct_1032D82eZvKYlo2C
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
      amount = 3600
      currency = usd
      payment_method_types[] = card
      metadata[order] = [order]
      metadata[tenant] = 204
      statement_descriptor_suffix = BOX HARBOR

    POST /v1/payment_methods
    stripe-account: acct_1032D82eZvKYlo2C
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
      type = card
      card[number] = [number]
      card[exp_month] = 12
      card[exp_year] = 2030
      card[cvc] = [cvc]
      billing_details[address][postal_code] = 94000

    POST /v1/payment_intents/pi_3MtwBwLkdIwHu7ix28a00001
    stripe-account: acct_1032D82eZvKYlo2C
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
      payment_method = pm_3MtwBwLkdIwHu7ix28a00002

    POST /v1/payment_intents/pi_3MtwBwLkdIwHu7ix28a00001/confirm
    idempotency-key: boxoffice-confirm-pi_3MtwBwLkdIwHu7ix28a00001
    stripe-account: acct_1032D82eZvKYlo2C
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
    ");
    assert_eq!(audit(&venue, "configured").await.len(), 1);
}

#[tokio::test]
async fn a_cancellation_and_a_search_have_their_published_form() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let stripe = processor(&venue);
    *venue.stripe_clock.lock().unwrap() = after(2 * DAY);
    let reference = stripe.open(&payment(7)).await.unwrap();
    let _ = stripe.cancel_or_status(&reference).await.unwrap();
    let seen = venue.stripe.seen();
    let shown = |request: &double::Seen| request.shown().replace(SECRET, "[key]");
    assert_snapshot!(shown(&seen[0]), @r"
    GET /v1/payment_intents/search
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
      query = metadata['order']:'7' AND metadata['tenant']:'204'
      limit = 1
    ");
    assert_snapshot!(shown(&seen[2]), @r"
    POST /v1/payment_intents/pi_3MtwBwLkdIwHu7ix28a00001/cancel
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
    ");
}

// ------------------------------------------------------------------------------------------- answers

#[tokio::test]
async fn each_decline_is_told_with_the_processors_part_and_the_issuers() {
    for (number, kind, processor, issuer) in [
        (DECLINED, "CARD_DECLINED", "card_declined", Some("generic_decline")),
        ("4000000000009995", "INSUFFICIENT_FUNDS", "card_declined", Some("insufficient_funds")),
        ("4000000000000127", "INCORRECT_CVC", "incorrect_cvc", Some("incorrect_cvc")),
        ("4000000000000069", "EXPIRED_CARD", "expired_card", Some("expired_card")),
        ("4000000000000010", "INCORRECT_ZIP", "incorrect_zip", Some("05")),
        ("4000000000000119", "PAYMENT_PROCESSOR_ERROR", "processing_error", Some("processing_error")),
        (ASKS_BACK, "CARD_DECLINED", "authentication_required", None),
    ] {
        let venue = configured().await;
        let process = venue.process().await;
        let ask = pay(json!({"manualEntryCardNumber": number})).keyed("k");
        let answer = process.send(ask.clone()).await;
        assert_eq!((answer.status, answer.error()), (402, kind), "{number}: {}", answer.text);
        assert_eq!(answer.body["processorErrorCode"], processor, "{number}");
        assert_eq!(answer.body["issuingErrorCode"].as_str(), issuer, "{number}");
        use Step::{Attach, Cancel, Card, Confirm, Create};
        assert_eq!(venue.stripe.steps(), [Create, Card, Attach, Confirm, Cancel], "{number}");
        assert_eq!(venue.stripe.intents()[0].status, "canceled", "{number}");
        let again = process.send(ask).await;
        assert!(again.replayed && again.error() == kind, "{number}: {}", again.text);
        assert_eq!(venue.stripe.steps().len(), 5, "{number}: the first answer is kept");
        assert_eq!(audit(&venue, number).await.len(), 0);
    }
}

#[tokio::test]
async fn a_venue_sells_in_its_own_currency_and_no_less_than_can_be_charged() {
    let venue = configured().await;
    let sells_in = async |code: &str| {
        let tenant = venue.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap();
        let currency = Currency::parse(code).unwrap();
        venue.store.save_tenant(&Tenant { currency, ..tenant }).await.unwrap();
        venue.process().await
    };
    let forints = sells_in("HUF").await;
    let refused = forints.pay(json!({})).await;
    assert_eq!((refused.status, refused.error()), (409, "AMOUNT_TOO_SMALL"), "{}", refused.text);
    let told = (&refused.body["smallestAmount"], &refused.body["currency"]);
    assert_eq!(told, (&json!("175.00"), &json!("HUF")));
    assert_eq!((venue.seats(0).await, venue.stripe.steps()), ([10, 0, 0], vec![]));

    let euros = sells_in("EUR").await;
    let sold = euros.pay(json!({})).await;
    let told = (&sold.body["currency"], &sold.body["payments"][0]["currency"]);
    assert_eq!(told, (&json!("EUR"), &json!("EUR")), "{}", sold.text);
    let asked: Vec<String> = venue.stripe.seen().iter().map(double::Seen::shown).collect();
    assert!(asked[0].contains("  currency = eur\n"), "{}", asked[0]);
    let id = OrderId::parse(&sold.id()).unwrap();
    let order = venue.store.load_order(tenant_id(), &id).await.unwrap().unwrap();
    let sale = order.payment.as_ref().map(|payment| payment.sale.clone()).unwrap();
    let sale = venue.store.load_sale(tenant_id(), &sale).await.unwrap().unwrap();
    let euro = Currency::parse("EUR").unwrap();
    assert_eq!((order.currency, sale.currency), (euro, euro));
    assert!(venue.store.has_sold(tenant_id()).await.unwrap());
}

#[tokio::test]
async fn a_key_that_does_not_open_charges_nothing_and_gives_everything_back() {
    let mut venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    venue.stripe_settings.sealed_key = "00".to_owned();
    let process = venue.process().await;
    assert_eq!(process.pay(json!({})).await.error(), "TRY_AGAIN");
    assert_eq!((venue.seats(0).await, venue.captured().await), ([10, 0, 0], vec![]));
    assert_eq!(venue.stripe.steps(), []);
}

// --------------------------------------------------------------------------------- the trait's promises

#[tokio::test]
async fn opening_again_is_the_same_payment_and_another_order_is_another() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let stripe = processor(&venue);
    let first = stripe.open(&payment(1)).await.unwrap();
    assert_eq!(stripe.open(&payment(1)).await.unwrap(), first);
    assert_ne!(stripe.open(&payment(2)).await.unwrap(), first);
    assert_eq!(venue.stripe.intents().len(), 2);
}

#[tokio::test]
async fn a_charged_payment_answers_any_further_card_as_the_first() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let stripe = processor(&venue);
    let reference = stripe.open(&payment(1)).await.unwrap();
    for number in [OTHER, GOOD, DECLINED] {
        assert_eq!(stripe.confirm(&reference, &card(number)).await, Ok(Confirmation::Captured), "{number}");
    }
    assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Succeeded));
    assert_eq!(venue.captured().await, [4_250]);
}

#[tokio::test]
async fn a_payment_takes_one_card() {
    for lost in [None, Some(Trouble::LostBefore), Some(Trouble::LostAfter), Some(Trouble::Refused(503))] {
        let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
        let stripe = processor(&venue);
        let reference = stripe.open(&payment(1)).await.unwrap();
        if let Some(trouble) = lost {
            venue.stripe.next(Step::Cancel, trouble);
        }
        let first = declined(stripe.confirm(&reference, &card(DECLINED)).await);
        assert_eq!(first, (DeclineReason::CardDeclined, "card_declined".to_owned()), "{lost:?}");
        let _ = declined(stripe.confirm(&reference, &card(OTHER)).await);
        assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Cancelled), "{lost:?}");
        assert!(venue.captured().await.is_empty(), "{lost:?}");
    }
}

#[tokio::test]
async fn a_cancelled_payment_declines() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let stripe = processor(&venue);
    let reference = stripe.open(&payment(1)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(stripe.cancel_or_status(&reference).await, Ok(FinalStatus::Cancelled));
    }
    let answer = declined(stripe.confirm(&reference, &card(OTHER)).await);
    assert_eq!(answer, (DeclineReason::ProcessorError, "payment_cancelled".to_owned()));
}

#[tokio::test]
async fn a_lost_confirmation_is_told_by_the_last_word() {
    for (trouble, charged) in [
        (Trouble::LostBefore, false),
        (Trouble::LostAfter, true),
        (Trouble::Refused(429), false),
        (Trouble::Refused(500), false),
        (Trouble::FailedAfter, true),
        (Trouble::Garbage, true),
        (Trouble::CutOff, true),
    ] {
        let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
        let stripe = processor(&venue);
        let reference = stripe.open(&payment(1)).await.unwrap();
        venue.stripe.next(Step::Confirm, trouble);
        let fault = stripe.confirm(&reference, &card(OTHER)).await.unwrap_err();
        let throttled = trouble == Trouble::Refused(429);
        let expected = if throttled { ProcessorError::Throttled } else { ProcessorError::AnswerLost };
        assert_eq!(fault, expected, "{trouble:?}");
        let last_word = stripe.cancel_or_status(&reference).await;
        let expected = if charged { FinalStatus::Succeeded } else { FinalStatus::Cancelled };
        assert_eq!(last_word, Ok(expected), "{trouble:?}");
    }
}

#[tokio::test]
async fn a_payment_stays_on_the_account_it_was_made_on() {
    let mut venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    venue.stripe_settings.accounts.insert(Mid::parse("60417").unwrap(), account());
    let reference = processor(&venue).open(&payment(1)).await.unwrap();
    venue.stripe_settings.accounts.clear();
    let later = processor(&venue);
    assert_eq!(later.confirm(&reference, &card(OTHER)).await, Ok(Confirmation::Captured));
    assert_eq!(later.cancel_or_status(&reference).await, Ok(FinalStatus::Succeeded));
}

// -------------------------------------------------------------------------- through the whole checkout

#[tokio::test]
async fn the_duplicate_window_and_the_key_hold_with_either_processor() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let first = process.send(pay(json!({})).keyed("k")).await;
        let again = process.send(pay(json!({})).keyed("k").at_instant(after(10))).await;
        assert_eq!((again.id(), again.replayed), (first.id(), true), "{charging:?}");
        let same_card = process.send(pay(json!({})).at_instant(after(299))).await;
        assert_eq!(same_card.error(), "DUPLICATE_TRANSACTION_FOUND", "{charging:?}");
        assert_eq!(venue.captured().await, [3_600], "{charging:?}");
        assert_eq!(process.send(pay(json!({})).at_instant(after(300))).await.error(), "OK", "{charging:?}");
        assert_eq!(venue.captured().await, [3_600, 3_600], "{charging:?}");
        assert_eq!(audit(&venue, "window").await.len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_checkout_left_half_way_is_finished_however_late() {
    for (verb, mishap, charged) in [
        (Verb::Open, Mishap::CrashBefore, false),
        (Verb::Open, Mishap::CrashAfter, false),
        (Verb::Confirm, Mishap::CrashBefore, false),
        (Verb::Confirm, Mishap::CrashAfter, true),
    ] {
        for late in [61, DAY / 4, 2 * DAY] {
            let case = format!("{verb:?} {mishap:?} {late} s");
            let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
            let process = venue.process().await;
            process.processor.next(verb, mishap);
            assert_eq!(process.pay(json!({})).await.error(), "TRY_AGAIN", "{case}");
            *venue.stripe_clock.lock().unwrap() = after(late);
            if late >= DAY {
                venue.stripe.forget_keys();
            }
            let report = venue.new_process().clean_up(late).await;
            assert_eq!(report.failed, 0, "{case}");
            assert_eq!(audit(&venue, &case).await.len(), usize::from(charged), "{case}");
            assert_eq!(venue.stripe.intents().len(), 1, "{case}: one payment for one order");
            let expected = if charged { "succeeded" } else { "canceled" };
            assert_eq!(venue.stripe.intents()[0].status, expected, "{case}");
            let searched = venue.stripe.steps().contains(&Step::Search);
            assert_eq!(searched, late >= DAY, "{case}: while the key is remembered it finds the payment");
        }
    }
}

#[tokio::test]
async fn recovery_that_does_not_reach_stripe_is_repeated() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let process = venue.process().await;
    process.processor.next(Verb::Confirm, Mishap::CrashAfter);
    assert_eq!(process.pay(json!({})).await.error(), "TRY_AGAIN");
    let next = venue.process().await;
    for (secs, step, trouble) in [
        (100, Step::Create, Trouble::Refused(429)),
        (160, Step::Create, Trouble::LostAfter),
        (220, Step::Cancel, Trouble::Refused(500)),
        (280, Step::Look, Trouble::Garbage),
    ] {
        venue.stripe.next(step, trouble);
        assert_eq!(next.clean_up(secs).await.failed, 1, "{step:?} {trouble:?}");
    }
    assert_eq!(next.clean_up(340).await.failed, 0);
    assert_eq!(audit(&venue, "repeated").await.len(), 1);
    assert_eq!(venue.captured().await, [3_600]);
}

/// Checkouts with these fields, one after the duplicate window of the other, met by every trouble on each request.
pub(crate) async fn troubled(venue: &Venue, fields: serde_json::Value) -> Vec<Answer> {
    let process = venue.process().await;
    let steps =
        [Step::Token, Step::Create, Step::Card, Step::Attach, Step::Confirm, Step::Cancel].into_iter();
    let troubles = steps.flat_map(|step| Trouble::ALL.map(|trouble| (step, trouble)));
    let mut answers = Vec::new();
    for (number, (step, trouble)) in (1..).zip(troubles) {
        venue.stripe.calm();
        venue.stripe.next(step, trouble);
        answers.push(process.send(pay(fields.clone()).at_instant(after(400 * number))).await);
    }
    venue.stripe.calm();
    process.clean_up(30_000).await;
    answers
}

/// A checkout over a real connection, to a server that has nothing to say.
pub(crate) async fn over_the_network(venue: &Venue, fields: serde_json::Value) -> Answer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4_096]).await;
        }
    });
    let address = Some(StripeAddress::parse(&address).unwrap());
    let settings = StripeSettings { address, ..venue.stripe_settings.clone() };
    let tenant = venue.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap();
    let processor = ProcessorKind::Stripe(Box::new(settings));
    venue.store.save_tenant(&Tenant { processor, ..tenant }).await.unwrap();
    let process = venue.process().await.over_the_network();
    process.pay(fields).await
}

// ------------------------------------------------------------------------------------------- refunds

fn refund(reference: &PaymentReference, id: &str, cents: i64) -> RefundRequest {
    RefundRequest {
        tenant: tenant_id(),
        order: OrderId::from_bits(1),
        mid: Mid::parse("60417").unwrap(),
        reference: reference.clone(),
        refund: RefundId::parse(id).unwrap(),
        amount: Money::from_cents(cents),
    }
}

/// A payment of 42.50 by this card.
async fn charged(stripe: &StripeProcessor, number: &str) -> PaymentReference {
    let reference = stripe.open(&payment(1)).await.unwrap();
    assert_eq!(stripe.confirm(&reference, &card(number)).await, Ok(Confirmation::Captured));
    reference
}

/// The processor's code of a refused refund.
fn refused(answer: Result<RefundAnswer, ProcessorError>) -> String {
    match answer {
        Ok(RefundAnswer::Refused(decline)) => decline.processor_code.unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_refund_is_looked_for_and_made_in_its_published_form() {
    let mut venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    venue.stripe_settings.accounts.insert(Mid::parse("60417").unwrap(), account());
    let stripe = processor(&venue);
    let reference = charged(&stripe, OTHER).await;
    assert_eq!(stripe.refund(&refund(&reference, "refund_a", 1_000)).await, Ok(RefundAnswer::Refunded));
    let seen = venue.stripe.seen();
    let asked: Vec<String> =
        seen[4..].iter().map(|request| request.shown().replace(SECRET, "[key]")).collect();
    assert_snapshot!(asked.join("\n\n"), @r"
    GET /v1/refunds
    stripe-account: acct_1032D82eZvKYlo2C
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
      payment_intent = pi_3MtwBwLkdIwHu7ix28a00001
      limit = 100

    POST /v1/refunds
    idempotency-key: boxoffice-204-refund_a-1000
    stripe-account: acct_1032D82eZvKYlo2C
    stripe-version: 2025-03-31.basil
    content-type: application/x-www-form-urlencoded
    authorization: Bearer [key]
      payment_intent = pi_3MtwBwLkdIwHu7ix28a00001
      amount = 1000
      metadata[refund] = refund_a
    ");
}

#[tokio::test]
async fn a_refund_is_made_once_however_often_and_late_it_is_asked_for() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let stripe = processor(&venue);
    let reference = charged(&stripe, OTHER).await;
    for number in 0..150 {
        let id = format!("refund_{number}");
        assert_eq!(stripe.refund(&refund(&reference, &id, 10)).await, Ok(RefundAnswer::Refunded));
    }
    venue.stripe.forget_keys();
    for id in ["refund_149", "refund_50", "refund_0"] {
        assert_eq!(stripe.refund(&refund(&reference, id, 10)).await, Ok(RefundAnswer::Refunded), "{id}");
    }
    assert_eq!(venue.stripe.refunds().len(), 150);
}

#[tokio::test(start_paused = true)]
async fn a_refund_whose_answer_is_lost_is_made_once() {
    for step in [Step::Refunds, Step::Refund] {
        for trouble in Trouble::ALL {
            for day_passes in [false, true] {
                let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
                let stripe = processor(&venue);
                let reference = charged(&stripe, OTHER).await;
                venue.stripe.next(step, trouble);
                let asked = refund(&reference, "refund_a", 1_000);
                let fault = stripe.refund(&asked).await.unwrap_err();
                let throttled = trouble == Trouble::Refused(429);
                let expected = if throttled { ProcessorError::Throttled } else { ProcessorError::AnswerLost };
                assert_eq!(fault, expected, "{step:?} {trouble:?}");
                if day_passes {
                    venue.stripe.forget_keys();
                }
                assert_eq!(stripe.refund(&asked).await, Ok(RefundAnswer::Refunded), "{step:?} {trouble:?}");
                assert_eq!(venue.stripe.refunds().len(), 1, "{step:?} {trouble:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_refused_refund_says_why_and_says_it_again() {
    for (number, cents) in [("4000000000005126", 1_000), (OTHER, 4_251)] {
        let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
        let stripe = processor(&venue);
        let reference = charged(&stripe, number).await;
        for _ in 0..2 {
            let answer = stripe.refund(&refund(&reference, "refund_a", cents)).await;
            assert_eq!(refused(answer), "charge_already_refunded");
        }
        assert!(venue.stripe.refunds().is_empty());
    }
}

#[tokio::test]
async fn a_pending_refund_counts_and_one_that_came_back_does_not() {
    for (status, code) in [
        ("succeeded", None),
        ("pending", None),
        ("failed", Some("lost_or_stolen_card")),
        ("canceled", Some("refund_refused")),
    ] {
        let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
        let stripe = processor(&venue);
        let reference = charged(&stripe, OTHER).await;
        venue.stripe.refunds_are(status);
        for _ in 0..2 {
            let answer = stripe.refund(&refund(&reference, "refund_a", 1_000)).await;
            match code {
                None => assert_eq!(answer, Ok(RefundAnswer::Refunded), "{status}"),
                Some(code) => assert_eq!(refused(answer), code, "{status}"),
            }
        }
    }
}

#[tokio::test]
async fn what_was_not_charged_is_not_refunded() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let stripe = processor(&venue);
    let reference = stripe.open(&payment(1)).await.unwrap();
    let answer = stripe.refund(&refund(&reference, "refund_a", 1_000)).await;
    assert_eq!(answer, Err(ProcessorError::UnknownPayment));
}

/// What strikes a refund.
#[derive(Clone, Copy, Debug)]
enum Strike {
    Verb(Mishap),
    Request(Step, Trouble),
}

#[tokio::test(start_paused = true)]
async fn a_refund_left_half_way_is_finished_once_with_either_processor() {
    let verbs = || Mishap::ALL.into_iter().map(Strike::Verb);
    let requests = [Step::Refunds, Step::Refund].into_iter();
    let requests = requests.flat_map(|step| Trouble::ALL.map(|trouble| Strike::Request(step, trouble)));
    let at_stripe = verbs().chain(requests).map(|strike| (Charging::Stripe, strike));
    for (charging, strike) in verbs().map(|strike| (Charging::Sandbox, strike)).chain(at_stripe) {
        let case = format!("{charging:?} {strike:?}");
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        assert_eq!(process.pay(json!({})).await.error(), "OK", "{case}");
        match strike {
            Strike::Verb(mishap) => process.processor.next(Verb::Refund, mishap),
            Strike::Request(step, trouble) => venue.stripe.next(step, trouble),
        }
        let sale = take_refund_of_ten(&venue, &process).await;
        let id = RefundId::parse("refund_a").unwrap();
        let tenant = process.app.tenant(tenant_id()).await.unwrap();
        let taken = TakenRefund { sale, id: id.clone(), order: None };
        let outcome = sagas::refund(&process.app, &tenant, taken, RequestClock::chosen(after(10))).await;
        let slow = matches!(strike, Strike::Verb(Mishap::Slow(_)));
        assert!(matches!(outcome, Ok(RefundOutcome::Undecided)) || outcome.is_err() || slow, "{case}");
        let next = venue.new_process();
        for _ in 0..2 {
            assert_eq!(next.clean_up(200).await.failed, 0, "{case}");
        }
        let sale = only_sale(&venue).await;
        assert_eq!(sale.remainder, Money::from_cents(2_600), "{case}");
        assert_eq!(sale.refunds[&id].deadline(), None, "{case}: it is done");
        assert_eq!(venue.refunded().await, [1_000], "{case}");
    }
}

async fn only_sale(venue: &Venue) -> Sale {
    let items = venue.scan("merchants").await.into_iter();
    let is_sale = |item: &store::Item| item["pk"].as_s().is_ok_and(|key| key.contains("#SALE#"));
    let sales: Vec<Sale> = items.filter(is_sale).map(|item| store::decode(item).unwrap()).collect();
    let [sale] = <[Sale; 1]>::try_from(sales).unwrap();
    sale
}

/// Takes 10.00 from the only sale, to be finished within a minute.
async fn take_refund_of_ten(venue: &Venue, process: &Process) -> Sale {
    let sale = only_sale(venue).await;
    let refund = SaleRefund {
        amount: Money::from_cents(1_000),
        taxes: Default::default(),
        taken_at: after(10),
        chosen_clock: true,
        state: RefundState::Pending { deadline: after(70) },
    };
    let (mid, id) = (sale.mid.clone(), RefundId::parse("refund_a").unwrap());
    let take = Take { tenant: tenant_id(), sale: &sale.id, mid: &mid, id: &id, refund: &refund };
    sagas::take_refund(&process.app, &take).await.unwrap().unwrap()
}
