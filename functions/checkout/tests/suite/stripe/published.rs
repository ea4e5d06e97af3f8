//! Errors in the form that Stripe publishes them in ("Errors", "Testing", "Decline codes").

use serde_json::{Value, json};

pub(crate) fn error(kind: &str, code: Option<&str>, message: &str) -> Value {
    json!({"error": {"type": kind, "code": code, "message": message, "request_log_url": "https://dashboard.stripe.com/test/logs/req_7dXrMFuu3oQ2hL"}})
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
