use super::answer::StripeError;
use super::*;
use crate::played::Played;
use crate::vault::LocalVault;
use api::ANSWER_TIMEOUT;
use domain::payment::DeclineReason;
use domain::stripe::StripeAddress;
use domain::{Currency, Mid, Money};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const KEY: &str = "sk_test_4eC39HqLyjWDarjtT1zdp7dc";

fn tenant() -> TenantId {
    TenantId::parse(204).unwrap()
}

fn now() -> Timestamp {
    "2027-03-14T17:44:21Z".parse().unwrap()
}

async fn processor(over: impl FnOnce(Stripe) -> Stripe, address: Option<SocketAddr>) -> StripeProcessor {
    let vault = Arc::new(LocalVault::in_memory().unwrap());
    let sealed = vault.seal(&stripe_key_context(tenant()), KEY.as_bytes()).await.unwrap();
    let address = address.map(|address| StripeAddress::parse(&format!("http://{address}")).unwrap());
    let settings = StripeSettings {
        sealed_key: hex::encode(sealed),
        address,
        accounts: Default::default(),
        publishable_key: None,
        webhook_secrets: Vec::new(),
    };
    over(Stripe::new(vault, Arc::new(now))).account_of(tenant(), &settings)
}

/// Stripe that answers everything alike.
async fn answering(status: u16, body: &'static str) -> StripeProcessor {
    processor(|stripe| stripe.over(Played::new(status, body)), None).await
}

fn payment() -> PaymentRequest {
    PaymentRequest {
        tenant: tenant(),
        order: OrderId::from_bits(7),
        amount: Money::from_cents(4250),
        currency: Currency::default(),
        mid: Mid::parse("60417").unwrap(),
        descriptor: "HARBOR".to_owned(),
        secured_at: now(),
    }
}

fn reference() -> PaymentReference {
    PaymentReference::parse("pi_3MtwBwLkdIwHu7ix28a3tqPa").unwrap()
}

#[test]
fn a_reference_names_the_connected_account_and_the_intent() {
    let account = StripeAccount::parse("acct_1032D82eZvKYlo2C").unwrap();
    for (account, text) in [
        (None, "pi_3MtwBwLkdIwHu7ix28a3tqPa"),
        (Some(&account), "acct_1032D82eZvKYlo2C-pi_3MtwBwLkdIwHu7ix28a3tqPa"),
    ] {
        let reference = write_reference(account, "pi_3MtwBwLkdIwHu7ix28a3tqPa").unwrap();
        assert_eq!(reference.as_str(), text);
        let read = read_reference(&reference).unwrap();
        assert_eq!(read, (account.cloned(), "pi_3MtwBwLkdIwHu7ix28a3tqPa".to_owned()));
    }
    assert_eq!(write_reference(None, "pi_with/a_path"), None);
    assert_eq!(write_reference(None, "re_1"), None);
    for text in ["sandbox_204_0a", "acct_-pi_1", "acct_1-pi_1-2", "x-pi_1"] {
        assert_eq!(read_reference(&PaymentReference::parse(text).unwrap()), None, "{text}");
    }
}

#[tokio::test]
async fn a_reference_of_another_processor_is_an_unknown_payment() {
    let stripe = answering(200, "{}").await;
    let other = PaymentReference::parse("sandbox_204_0a").unwrap();
    assert_eq!(stripe.cancel_or_status(&other).await, Err(ProcessorError::UnknownPayment));
}

#[tokio::test]
async fn what_an_answer_leaves_open_is_told_from_what_it_says() {
    use ProcessorError::{AnswerLost, Throttled, UnknownPayment, Unreachable};
    let unknown = r#"{"error": {"type": "invalid_request_error", "code": "resource_missing"}}"#;
    let reused = r#"{"error": {"type": "idempotency_error"}}"#;
    let refused = r#"{"error": {"type": "invalid_request_error", "param": "amount"}}"#;
    for (status, body, fault) in [
        (200, "", AnswerLost),
        (200, "<html>", AnswerLost),
        (200, "{\"id\": 7}", AnswerLost),
        (302, "", AnswerLost),
        (400, refused, Unreachable),
        (400, reused, AnswerLost),
        (400, "<html>", AnswerLost),
        (401, unknown, Unreachable),
        (402, refused, Unreachable),
        (403, "", Unreachable),
        (404, unknown, UnknownPayment),
        (409, reused, AnswerLost),
        (424, refused, AnswerLost),
        (429, refused, Throttled),
        (500, refused, AnswerLost),
        (503, "", AnswerLost),
    ] {
        let stripe = answering(status, body).await;
        assert_eq!(stripe.open(&payment()).await, Err(fault), "open: {status} {body}");
        let last_word = stripe.cancel_or_status(&reference()).await;
        assert_eq!(last_word, Err(fault), "cancel: {status} {body}");
    }
}

#[tokio::test]
async fn the_last_word_is_a_final_status_alone() {
    for (status, expected) in [
        ("succeeded", Ok(FinalStatus::Succeeded)),
        ("canceled", Ok(FinalStatus::Cancelled)),
        ("processing", Err(ProcessorError::AnswerLost)),
        ("requires_confirmation", Err(ProcessorError::AnswerLost)),
        ("something_new", Err(ProcessorError::AnswerLost)),
    ] {
        let body: &'static str = json!({"status": status}).to_string().leak();
        assert_eq!(answering(200, body).await.cancel_or_status(&reference()).await, expected, "{status}");
    }
}

#[tokio::test]
async fn a_key_that_does_not_open_charges_nothing() {
    let mut stripe = answering(200, r#"{"id": "pi_1"}"#).await;
    assert_eq!(stripe.open(&payment()).await.unwrap().as_str(), "pi_1");
    stripe.tenant = TenantId::parse(205).unwrap();
    assert_eq!(stripe.open(&payment()).await, Err(ProcessorError::Unreachable));
}

fn decline(error: Value) -> Decline {
    decline_of(&serde_json::from_value::<StripeError>(error).unwrap())
}

#[test]
fn codes_of_stripe_are_reasons_of_ours() {
    use DeclineReason::{
        CardDeclined, ExpiredCard, IncorrectCvc, IncorrectZip, InsufficientFunds, ProcessorError,
    };
    for (code, decline_code, reason) in [
        ("card_declined", Some("generic_decline"), CardDeclined),
        ("card_declined", Some("insufficient_funds"), InsufficientFunds),
        ("card_declined", Some("expired_card"), ExpiredCard),
        ("card_declined", Some("incorrect_cvc"), IncorrectCvc),
        ("card_declined", Some("incorrect_zip"), IncorrectZip),
        ("card_declined", Some("try_again_later"), ProcessorError),
        ("card_declined", Some("something_new"), CardDeclined),
        ("card_declined", None, CardDeclined),
        ("expired_card", None, ExpiredCard),
        ("incorrect_cvc", None, IncorrectCvc),
        ("invalid_cvc", None, IncorrectCvc),
        ("incorrect_number", None, CardDeclined),
        ("incorrect_zip", None, IncorrectZip),
        ("processing_error", None, ProcessorError),
        ("something_new", None, CardDeclined),
    ] {
        let found = decline(json!({"code": code, "decline_code": decline_code, "message": "No."}));
        let expected = Decline {
            reason,
            processor_code: Some(code.to_owned()),
            processor_message: Some("No.".to_owned()),
            issuing_code: decline_code.map(str::to_owned),
            issuing_message: decline_code.map(|_| "No.".to_owned()),
        };
        assert_eq!(found, expected);
    }
}

#[test]
fn a_reason_that_would_warn_a_thief_is_not_told() {
    for code in ["fraudulent", "lost_card", "merchant_blacklist", "stolen_card"] {
        let found = decline(json!({
            "code": "card_declined", "decline_code": code, "network_decline_code": "43", "message": "Your card was declined.",
        }));
        assert_eq!(found.issuing_code.as_deref(), Some("generic_decline"));
        assert!(!format!("{found:?}").contains(code) && !format!("{found:?}").contains("43"));
    }
}

#[test]
fn nothing_of_a_card_passes_through_a_refusal() {
    let found = decline(json!({
        "code": "4242424242424242", "decline_code": "a b", "network_decline_code": "51",
        "message": format!("Card 4242 4242 4242 4242 is not taken. {}", "x".repeat(1_000)),
    }));
    assert_eq!(found.processor_code.as_deref(), Some("card_declined"));
    assert_eq!(found.issuing_code.as_deref(), Some("51"));
    let message = found.processor_message.unwrap();
    assert!(message.starts_with("Card ****4242 is not taken.") && message.len() == 300, "{message}");
}

// ------------------------------------------------------------------------------------ over the network

/// A server that deals with each connection by `answer`, once it has seen a request.
async fn server(answer: Option<&'static str>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4_096];
            let _ = stream.read(&mut request).await;
            if let Some(answer) = answer {
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        }
    });
    address
}

async fn over_the_network(address: SocketAddr) -> StripeProcessor {
    processor(|stripe| stripe, Some(address)).await
}

#[tokio::test]
async fn an_answer_comes_over_the_network() {
    let body = r#"{"id": "pi_1", "status": "canceled"}"#;
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let stripe = over_the_network(server(Some(answer.leak())).await).await;
    assert_eq!(stripe.open(&payment()).await.unwrap().as_str(), "pi_1");
    assert_eq!(stripe.cancel_or_status(&reference()).await, Ok(FinalStatus::Cancelled));
}

#[tokio::test]
async fn without_a_connection_nothing_was_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let stripe = over_the_network(address).await;
    assert_eq!(stripe.open(&payment()).await, Err(ProcessorError::Unreachable));
}

#[tokio::test]
async fn a_connection_that_ends_early_may_have_carried_the_request() {
    for answer in
        [None, Some("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"id\":"), Some("nonsense\r\n\r\n")]
    {
        let stripe = over_the_network(server(answer).await).await;
        assert_eq!(stripe.open(&payment()).await, Err(ProcessorError::AnswerLost), "{answer:?}");
    }
}

#[tokio::test]
async fn an_answer_that_never_comes_is_lost() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stripe = over_the_network(listener.local_addr().unwrap()).await;
    let asking = tokio::spawn(async move { stripe.open(&payment()).await });
    let (mut stream, _) = listener.accept().await.unwrap();
    assert!(stream.read(&mut [0; 4_096]).await.unwrap() > 0);
    tokio::time::pause();
    tokio::time::advance(ANSWER_TIMEOUT).await;
    assert_eq!(asking.await.unwrap(), Err(ProcessorError::AnswerLost));
}
