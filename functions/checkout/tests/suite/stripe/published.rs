//! Errors in the form that Stripe publishes them in ("Errors", "Testing", "Decline codes").

use serde_json::{Value, json};

pub(crate) fn error(kind: &str, code: Option<&str>, message: &str) -> Value {
    json!({"error": {"type": kind, "code": code, "message": message, "request_log_url": "https://dashboard.stripe.com/test/logs/req_7dXrMFuu3oQ2hL"}})
}

/// What a payment method says of its card.
pub(crate) fn card(number: &str) -> Value {
    let brand = match &number[..2] {
        "42" | "41" | "40" => "visa",
        "55" => "mastercard",
        "37" => "amex",
        _ => "unionpay",
    };
    let last_four = &number[number.len() - 4..];
    json!({
        "brand": brand, "country": "US", "exp_month": 12, "exp_year": 2031, "fingerprint": format!("Xt5EWLLDS7{last_four}"),
        "funding": "credit", "last4": last_four, "wallet": null,
    })
}

/// Why a payment has no card any more whose buyer did not confirm it.
pub(crate) fn not_authenticated() -> Value {
    json!({
        "code": "payment_intent_authentication_failure", "type": "invalid_request_error",
        "message": "The provided PaymentMethod has failed authentication.",
        "doc_url": "https://stripe.com/docs/error-codes/payment-intent-authentication-failure",
    })
}

/// What Stripe's test cards are refused with.
const DECLINES: [(&str, &str, Option<&str>, &str); 6] = [
    ("4000000000000002", "card_declined", Some("generic_decline"), "Your card was declined."),
    ("4000000000009995", "card_declined", Some("insufficient_funds"), "Your card has insufficient funds."),
    ("4000000000000127", "incorrect_cvc", Some("incorrect_cvc"), "Your card's security code is incorrect."),
    ("4000000000000069", "expired_card", Some("expired_card"), "Your card has expired."),
    ("4000000000000010", "incorrect_zip", None, "The zip code you supplied failed validation."),
    (
        "4000000000000119",
        "processing_error",
        Some("processing_error"),
        "An error occurred while processing your card. Try again in a little bit.",
    ),
];

/// The refusal of a card; none for one that is charged.
pub(crate) fn decline(number: &str) -> Option<Value> {
    let (_, code, decline_code, message) = DECLINES.iter().find(|(known, ..)| *known == number)?;
    Some(json!({
        "type": "card_error", "code": code, "decline_code": decline_code, "message": message,
        "charge": "ch_3MtwBwLkdIwHu7ix2", "doc_url": format!("https://stripe.com/docs/error-codes/{code}"),
        "network_decline_code": "05", "advice_code": "try_again_later",
    }))
}
