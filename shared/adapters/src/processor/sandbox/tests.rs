use super::*;
use domain::card::CardFields;
use engine::Embedded;
use serde_json::json;
use store::{Consistency, Key, SortKeys, Table};
use tokio::task::JoinSet;

const TENANT: i64 = 1001;
const GOOD: &str = "4242424242424242";
const NOW: &str = "2026-03-14T17:44:21Z";

async fn sandbox() -> SandboxProcessor {
    let store = Store::new(Embedded::memory().unwrap().client(), "test-");
    store.create_tables().await.unwrap();
    SandboxProcessor::new(store, Arc::new(|| NOW.parse().unwrap()))
}

fn tenant() -> TenantId {
    TenantId::parse(TENANT).unwrap()
}

fn payment(order: u64) -> PaymentRequest {
    PaymentRequest {
        tenant: tenant(),
        order: OrderId::from_bits(order),
        amount: Money::from_cents(4250),
        currency: Currency::default(),
        mid: Mid::parse("60417").unwrap(),
        descriptor: "HARBOR MUSEUM".to_owned(),
        secured_at: NOW.parse().unwrap(),
    }
}

fn card(number: &str) -> Card {
    // American Express has four digits there.
    let cvc = if number.starts_with("37") { "1234" } else { "123" };
    let fields =
        CardFields { number: Some(number), expiry: Some("1230"), cvc: Some(cvc), ..CardFields::default() };
    Card::parse(&fields).unwrap()
}

fn sent(number: &str) -> SentCard {
    SentCard::Number(Box::new(card(number)))
}

#[test]
fn every_brand_has_a_card_that_succeeds_and_one_that_is_declined() {
    for brand in CardBrand::ALL {
        for wanted in [Behaviour::Succeeds, Behaviour::Declines(DeclineReason::CardDeclined)] {
            let of_brand = |(number, _): &&(&str, Behaviour)| card(number).brand() == brand;
            let found = TEST_CARDS.iter().filter(of_brand).any(|(_, behaviour)| *behaviour == wanted);
            assert!(found, "{brand}: {wanted:?}");
        }
    }
}

#[test]
fn every_test_card_is_in_the_readme() {
    let readme = include_str!("../../../../../README.md");
    for (number, _) in TEST_CARDS {
        assert!(readme.contains(&format!("`{number}`")), "{number}");
    }
}

async fn status(sandbox: &SandboxProcessor) -> SandboxStatus {
    let [charge] = <[_; 1]>::try_from(sandbox.charges(tenant()).await.unwrap()).unwrap();
    charge.status
}

/// What the payment of a fresh order answers to a card, and how it stands then.
async fn answer(number: &str) -> (Result<Confirmation, ProcessorError>, SandboxStatus, FinalStatus) {
    let sandbox = sandbox().await;
    let reference = sandbox.open(&payment(1)).await.unwrap();
    let answer = sandbox.confirm(&reference, &sent(number)).await;
    let last_word = sandbox.cancel_or_status(&reference).await.unwrap();
    (answer, status(&sandbox).await, last_word)
}

fn declined(answer: Result<Confirmation, ProcessorError>) -> Decline {
    match answer {
        Ok(Confirmation::Declined(decline)) => decline,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn good_cards_are_charged() {
    let good = TEST_CARDS.iter().filter(|(_, behaviour)| *behaviour == Behaviour::Succeeds);
    for (number, _) in good {
        let charged = (Ok(Confirmation::Captured), SandboxStatus::Captured, FinalStatus::Succeeded);
        assert_eq!(answer(number).await, charged, "{number}");
    }
}

#[tokio::test]
async fn each_declining_card_gives_its_reason_and_charges_nothing() {
    for (number, reason, code) in [
        ("4000000000000002", DeclineReason::CardDeclined, "card_declined"),
        ("4000000000009995", DeclineReason::InsufficientFunds, "insufficient_funds"),
        ("4000000000000127", DeclineReason::IncorrectCvc, "incorrect_cvc"),
        ("4000000000000069", DeclineReason::ExpiredCard, "expired_card"),
        ("4000000000000010", DeclineReason::IncorrectZip, "incorrect_zip"),
        ("4000000000000119", DeclineReason::ProcessorError, "processing_error"),
        ("4012888888881881", DeclineReason::CardDeclined, "unknown_test_card"),
        ("370000000000002", DeclineReason::CardDeclined, "card_declined"),
    ] {
        let (answer, status, last_word) = answer(number).await;
        let decline = declined(answer);
        assert_eq!((decline.reason, decline.processor_code.as_deref()), (reason, Some(code)), "{number}");
        assert_eq!((status, last_word), (SandboxStatus::Declined, FinalStatus::Cancelled), "{number}");
    }
}

#[tokio::test]
async fn a_wrong_zip_is_worded_as_the_service_of_this_family_words_it() {
    let (answer, ..) = answer("4000000000000010").await;
    let message = Some("The zip code you supplied failed validation.".to_owned());
    let code = Some("incorrect_zip".to_owned());
    let expected = Decline {
        reason: DeclineReason::IncorrectZip,
        processor_code: code.clone(),
        processor_message: message.clone(),
        issuing_code: code,
        issuing_message: message,
    };
    assert_eq!(declined(answer), expected);
}

#[tokio::test]
async fn the_issuer_says_nothing_where_it_was_not_asked() {
    for number in ["4000000000000119", "4012888888881881"] {
        let decline = declined(answer(number).await.0);
        assert_eq!((decline.issuing_code, decline.issuing_message), (None, None), "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_slow_card_is_charged_after_eight_seconds() {
    let sandbox = sandbox().await;
    let reference = sandbox.open(&payment(1)).await.unwrap();
    let start = tokio::time::Instant::now();
    assert_eq!(sandbox.confirm(&reference, &sent("4000000000000341")).await, Ok(Confirmation::Captured));
    assert!(start.elapsed() >= SLOW_CARD);
}

#[tokio::test(start_paused = true)]
async fn a_slow_card_is_not_charged_when_the_payment_is_cancelled_meanwhile() {
    let sandbox = sandbox().await;
    let reference = sandbox.open(&payment(1)).await.unwrap();
    let slow = sent("4000000000000341");
    let (answer, last_word) = tokio::join!(sandbox.confirm(&reference, &slow), async {
        tokio::time::sleep(SLOW_CARD / 2).await;
        sandbox.cancel_or_status(&reference).await
    });
    assert_eq!(last_word, Ok(FinalStatus::Cancelled));
    assert_eq!(declined(answer).processor_code.as_deref(), Some("payment_cancelled"));
    assert_eq!(status(&sandbox).await, SandboxStatus::Cancelled);
}

#[tokio::test]
async fn the_card_with_the_lost_answer_is_charged_all_the_same() {
    let lost = (Err(ProcessorError::AnswerLost), SandboxStatus::Captured, FinalStatus::Succeeded);
    assert_eq!(answer("4000000000000259").await, lost);
}

#[tokio::test]
async fn a_repeated_confirm_answers_as_before_whatever_the_card() {
    let sandbox = sandbox().await;
    let captured = sandbox.open(&payment(1)).await.unwrap();
    let refused = sandbox.open(&payment(2)).await.unwrap();
    sandbox.confirm(&captured, &sent(GOOD)).await.unwrap();
    let decline = sandbox.confirm(&refused, &sent("4000000000000002")).await;
    for number in [GOOD, "4000000000000002", "4000000000000259"] {
        assert_eq!(sandbox.confirm(&captured, &sent(number)).await, Ok(Confirmation::Captured), "{number}");
        assert_eq!(sandbox.confirm(&refused, &sent(number)).await, decline, "{number}");
    }
}

#[tokio::test]
async fn a_cancelled_payment_takes_no_card_and_stays_cancelled() {
    let sandbox = sandbox().await;
    let reference = sandbox.open(&payment(1)).await.unwrap();
    assert_eq!(sandbox.cancel_or_status(&reference).await, Ok(FinalStatus::Cancelled));
    let answer = sandbox.confirm(&reference, &sent(GOOD)).await;
    assert_eq!(declined(answer).processor_code.as_deref(), Some("payment_cancelled"));
    assert_eq!(sandbox.open(&payment(1)).await.as_ref(), Ok(&reference));
    assert_eq!(sandbox.cancel_or_status(&reference).await, Ok(FinalStatus::Cancelled));
    assert_eq!(status(&sandbox).await, SandboxStatus::Cancelled);
}

#[tokio::test]
async fn opening_again_changes_nothing_and_each_order_has_its_own_payment() {
    let sandbox = sandbox().await;
    let reference = sandbox.open(&payment(1)).await.unwrap();
    sandbox.confirm(&reference, &sent(GOOD)).await.unwrap();
    assert_eq!(sandbox.open(&payment(1)).await.as_ref(), Ok(&reference));
    assert_eq!(status(&sandbox).await, SandboxStatus::Captured);
    let other_tenant = PaymentRequest { tenant: TenantId::parse(1002).unwrap(), ..payment(1) };
    assert_ne!(sandbox.open(&payment(2)).await.as_ref(), Ok(&reference));
    assert_ne!(sandbox.open(&other_tenant).await.as_ref(), Ok(&reference));
    assert_eq!(sandbox.charges(tenant()).await.unwrap().len(), 2);
}

#[test]
fn the_longest_order_and_tenant_still_make_a_reference_that_leads_back() {
    let tenant = TenantId::from_bits(u64::MAX);
    let order = OrderId::parse(&"9".repeat(64)).unwrap();
    let reference = reference_of(tenant, &order).unwrap();
    assert_eq!(tenant_of(&reference), Some(tenant));
}

#[tokio::test]
async fn a_payment_nobody_opened_is_unknown() {
    let sandbox = sandbox().await;
    for text in ["sandbox_1001_00", "sandbox_x_00", "sandbox_1001", "pi_17"] {
        let reference = PaymentReference::parse(text).unwrap();
        let unknown = ProcessorError::UnknownPayment;
        assert_eq!(sandbox.confirm(&reference, &sent(GOOD)).await, Err(unknown), "{text}");
        assert_eq!(sandbox.cancel_or_status(&reference).await, Err(unknown), "{text}");
    }
}

#[tokio::test]
async fn the_list_of_charges_shows_the_money_and_never_the_number() {
    let sandbox = sandbox().await;
    let reference = sandbox.open(&payment(17)).await.unwrap();
    sandbox.confirm(&reference, &sent(GOOD)).await.unwrap();
    sandbox.open(&payment(18)).await.unwrap();
    let listed = serde_json::to_value(sandbox.charges(tenant()).await.unwrap()).unwrap();
    let expected = json!([
        {
            "tenantId": 1001, "orderId": "18", "mid": "60417", "amount": "42.50", "currency": "USD", "status": "opened",
            "reference": reference_of(tenant(), &OrderId::from_bits(18)),
        },
        {
            "tenantId": 1001, "orderId": "17", "mid": "60417", "amount": "42.50", "currency": "USD",
            "status": "captured",
            "lastFour": "4242", "brand": "Visa", "reference": reference, "capturedAt": NOW,
        },
    ]);
    assert_eq!(listed, expected);
    let (table, key) = (Table::Merchants, Key::sandbox_payment(tenant(), ""));
    let items = sandbox.store.query(table, &key.pk, SortKeys::All, Consistency::Strong, 10).await.unwrap();
    assert_eq!(items.len(), 2);
    let stored = format!("{items:?}");
    assert!(stored.contains("4242") && !stored.contains(GOOD) && !stored.contains("123\""), "{stored}");
    assert!(sandbox.charges(TenantId::parse(1002).unwrap()).await.unwrap().is_empty());
}

/// 64 tasks confirm and cancel one payment; all must hear of one and the same outcome.
async fn race(sandbox: &SandboxProcessor, order: u64) -> FinalStatus {
    let reference = sandbox.open(&payment(order)).await.unwrap();
    let mut tasks = JoinSet::new();
    for number in 0..64_u64 {
        let (sandbox, reference) = (sandbox.clone(), reference.clone());
        tasks.spawn(async move {
            if (number + order).is_multiple_of(2) {
                match sandbox.confirm(&reference, &sent(GOOD)).await.unwrap() {
                    Confirmation::Captured => FinalStatus::Succeeded,
                    Confirmation::Declined(_) => FinalStatus::Cancelled,
                    Confirmation::AsksBuyer(_) => panic!("the card asks its buyer"),
                }
            } else {
                sandbox.cancel_or_status(&reference).await.unwrap()
            }
        });
    }
    let heard = tasks.join_all().await;
    let last_word = sandbox.cancel_or_status(&reference).await.unwrap();
    assert_eq!(heard, vec![last_word; 64]);
    last_word
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn racing_confirms_and_cancels_agree_on_one_outcome() {
    let sandbox = sandbox().await;
    let mut captured = 0;
    for order in 1..=16 {
        if race(&sandbox, order).await == FinalStatus::Succeeded {
            captured += 1;
        }
    }
    let charges = sandbox.charges(tenant()).await.unwrap();
    let charged = charges.iter().filter(|charge| charge.status == SandboxStatus::Captured).count();
    assert_eq!((charges.len(), charged), (16, captured));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn racing_opens_of_one_order_make_one_payment() {
    let sandbox = sandbox().await;
    let mut tasks = JoinSet::new();
    for _ in 0..64 {
        let sandbox = sandbox.clone();
        tasks.spawn(async move { sandbox.open(&payment(1)).await.unwrap() });
    }
    let references = tasks.join_all().await;
    assert_eq!(references, vec![references[0].clone(); 64]);
    assert_eq!(sandbox.charges(tenant()).await.unwrap().len(), 1);
}

/// A payment that was charged on this card.
async fn charged(sandbox: &SandboxProcessor, number: &str) -> PaymentReference {
    let reference = sandbox.open(&payment(1)).await.unwrap();
    let _ = sandbox.confirm(&reference, &sent(number)).await;
    reference
}

fn refund(reference: &PaymentReference, id: u8, cents: i64) -> RefundRequest {
    RefundRequest {
        tenant: tenant(),
        order: OrderId::from_bits(1),
        mid: Mid::parse("60417").unwrap(),
        reference: reference.clone(),
        refund: RefundId::from_bytes([id; 16]),
        amount: Money::from_cents(cents),
    }
}

fn refusal_code(answer: Result<RefundAnswer, ProcessorError>) -> (Option<String>, Option<String>) {
    match answer {
        Ok(RefundAnswer::Refused(decline)) => (decline.processor_code, decline.issuing_code),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_refund_asked_for_again_is_the_same_refund() {
    let sandbox = sandbox().await;
    let reference = charged(&sandbox, GOOD).await;
    for amount in [4_000, 4_000, 250] {
        // The third has another amount, and is still the first one.
        let again = sandbox.refund(&refund(&reference, 1, amount)).await;
        assert_eq!(again, Ok(RefundAnswer::Refunded));
    }
    let listed = serde_json::to_value(sandbox.refunds(tenant()).await.unwrap()).unwrap();
    let expected = json!([{
        "tenantId": 1001, "orderId": "1", "mid": "60417", "refundId": RefundId::from_bytes([1; 16]),
        "amount": "40.00", "refunded": true, "lastFour": "4242", "brand": "Visa", "reference": reference, "answeredAt": NOW,
    }]);
    assert_eq!(listed, expected);
    assert_eq!(status(&sandbox).await, SandboxStatus::Captured);
}

#[tokio::test]
async fn no_more_is_refunded_than_was_captured() {
    let sandbox = sandbox().await;
    let exceeds = (Some("refund_exceeds_payment".to_owned()), None);
    let opened = sandbox.open(&payment(1)).await.unwrap();
    assert_eq!(refusal_code(sandbox.refund(&refund(&opened, 1, 1)).await), exceeds);
    let reference = charged(&sandbox, GOOD).await;
    assert_eq!(sandbox.refund(&refund(&reference, 2, 4_000)).await, Ok(RefundAnswer::Refunded));
    assert_eq!(refusal_code(sandbox.refund(&refund(&reference, 3, 251)).await), exceeds);
    assert_eq!(sandbox.refund(&refund(&reference, 4, 250)).await, Ok(RefundAnswer::Refunded));
    for id in [1, 3] {
        assert_eq!(refusal_code(sandbox.refund(&refund(&reference, id, 1)).await), exceeds);
    }
}

#[tokio::test]
async fn the_card_that_takes_no_refunds_refuses_each_with_the_issuers_code() {
    let sandbox = sandbox().await;
    let reference = charged(&sandbox, "4000000000005126").await;
    assert_eq!(status(&sandbox).await, SandboxStatus::Captured);
    let code = Some("refund_declined".to_owned());
    for _ in 0..2 {
        let answer = sandbox.refund(&refund(&reference, 1, 100)).await;
        assert_eq!(refusal_code(answer), (code.clone(), code.clone()));
    }
    let listed = sandbox.refunds(tenant()).await.unwrap();
    assert!(listed.iter().all(|refund| !refund.refunded) && listed.len() == 1, "{listed:?}");
}

#[tokio::test]
async fn the_card_with_the_lost_answer_is_refunded_all_the_same() {
    let sandbox = sandbox().await;
    let reference = charged(&sandbox, "4000000000000259").await;
    let request = refund(&reference, 1, 100);
    assert_eq!(sandbox.refund(&request).await, Err(ProcessorError::AnswerLost));
    assert_eq!(sandbox.refund(&request).await, Ok(RefundAnswer::Refunded));
    assert_eq!(sandbox.refunds(tenant()).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn racing_refunds_of_one_payment_stay_below_what_was_captured() {
    let sandbox = sandbox().await;
    let reference = charged(&sandbox, GOOD).await;
    let mut tasks = JoinSet::new();
    for id in 0..8 {
        let (sandbox, request) = (sandbox.clone(), refund(&reference, id, 1_000));
        tasks.spawn(async move { sandbox.refund(&request).await.unwrap() });
    }
    let answers = tasks.join_all().await;
    let given = answers.iter().filter(|answer| **answer == RefundAnswer::Refunded).count();
    assert_eq!(given, 4);
    let listed = sandbox.refunds(tenant()).await.unwrap();
    assert_eq!((listed.len(), listed.iter().filter(|refund| refund.refunded).count()), (8, 4));
}
