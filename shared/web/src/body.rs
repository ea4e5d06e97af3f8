//! Reading a JSON body, within limits and without ever quoting it.

use crate::{ApiError, ErrorType};
use adapters::keyed_hash::HashKey;
use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use domain::card::CardText;
use futures_core::future::BoxFuture;
use http::header::CONTENT_TYPE;
use http_body_util::LengthLimitError;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::time::Duration;
use wire::{Checker, Malformed, Rejection, WireValue, repeated_key};
use zeroize::Zeroizing;

/// Largest body accepted, 1 MiB; a cart of 100 lines with everything filled in is a tenth of it.
pub const MAX_BODY_BYTES: usize = 1_048_576;

/// How long a body may take to arrive in full. On AWS the gateway waits for it, and functions are given whole ones.
pub const BODY_TIME: Duration = Duration::from_secs(30);

/// A JSON body of the type `T`, not yet checked field by field.
pub struct Body<T> {
    /// What was sent.
    pub value: T,
    bytes: Bytes,
}

/// Says nothing of the content, which may be a card number.
impl<T> fmt::Debug for Body<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Body").finish_non_exhaustive()
    }
}

impl<T: WireValue, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let bytes = json(request).await?;
        let value = wire::read_body(&bytes)
            .map_err(|fault| ApiError::new(ErrorType::MalformedJson).message(malformed(&bytes, fault)))?;
        Ok(Self { value, bytes })
    }
}

/// A body as it came, to the letter, of whoever signs it.
pub struct RawBody(
    /// What was sent.
    pub Bytes,
);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        whole(request.into_body()).await.map(Self)
    }
}

/// The bytes of a body that is declared as JSON, or as nothing, and has no key twice.
fn json(request: Request) -> BoxFuture<'static, Result<Bytes, ApiError>> {
    Box::pin(async move {
        let content_type =
            request.headers().get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
        if content_type.is_some_and(|sent| !is_json(sent)) {
            return Err(ApiError::new(ErrorType::UnsupportedMediaType));
        }
        let bytes = whole(request.into_body()).await?;
        match repeated_key(&bytes) {
            Some(pointer) => Err(ApiError::new(ErrorType::ValidationError).detail(pointer, "appears twice")),
            None => Ok(bytes),
        }
    })
}

/// What is wrong with a body that cannot be read, without quoting it.
fn malformed(bytes: &[u8], fault: Malformed) -> String {
    if bytes.trim_ascii().is_empty() {
        return "The body is empty; send a JSON object".to_owned();
    }
    if serde_json::from_slice::<&RawValue>(bytes).is_ok() {
        return "The body is not a JSON object".to_owned();
    }
    let Malformed { line, column } = fault;
    format!("The body is not valid JSON (line {line}, column {column})")
}

/// The body, once all of it is there.
async fn whole(body: axum::body::Body) -> Result<Bytes, ApiError> {
    match tokio::time::timeout(BODY_TIME, to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(fault)) if fault.source().is_some_and(|cause| cause.is::<LengthLimitError>()) => {
            Err(ApiError::new(ErrorType::PayloadTooLarge).message("The body is larger than 1 MiB"))
        }
        Ok(Err(fault)) => {
            Err(ApiError::new(ErrorType::MalformedJson).message("The body was cut off").cause(fault))
        }
        Err(_) => Err(ApiError::new(ErrorType::RequestTimeout)),
    }
}

fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

impl<T> Body<T> {
    /// Reads the fields, reporting every fault at once.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` or `NOT_FOUND` with all faults.
    pub fn parse<R>(self, read: impl FnOnce(&mut Checker, T) -> Option<R>) -> Result<R, ApiError> {
        let mut checker = Checker::new();
        let value = read(&mut checker, self.value);
        checker.finish(value).map_err(|rejection: Rejection| rejection.into())
    }

    /// A keyed hash of the body's canonical form, to tell a repeated request from another one. The card
    /// number takes part as its keyed hash only, the cvc not at all (contract §2).
    #[must_use]
    pub fn fingerprint(&self, route: &str, key: &HashKey) -> String {
        fingerprint(&self.bytes, route, key)
    }
}

fn fingerprint(bytes: &[u8], route: &str, key: &HashKey) -> String {
    let mut sent: BTreeMap<String, &RawValue> = serde_json::from_slice(bytes).unwrap_or_default();
    sent.remove("cvc");
    let card = sent.remove(CARD).map(|card| card_hash(card, key));
    let mut body: BTreeMap<String, Value> =
        sent.into_iter().map(|(name, field)| (name, canonical(field))).collect();
    body.extend(card.map(|hash| (CARD.to_owned(), hash.into())));
    // `serde_json` keeps objects sorted, which makes the printed form canonical.
    let body: Value = body.into_iter().collect();
    hex::encode(key.hash("body", &[route.as_bytes(), body.to_string().as_bytes()]))
}

/// The field that holds a card number.
const CARD: &str = "manualEntryCardNumber";

/// The keyed hash of a card number. What was read of it is wiped.
fn card_hash(sent: &RawValue, key: &HashKey) -> String {
    let text: Option<CardText> = serde_json::from_str(sent.get()).ok();
    let text = text.as_ref().map(CardText::expose).unwrap_or_default();
    // The room is reserved at once: a text that grew would leave unwiped copies behind.
    let mut digits = Zeroizing::new(String::with_capacity(text.len()));
    digits.extend(text.chars().filter(char::is_ascii_digit));
    hex::encode(key.hash("card", &[digits.as_bytes()]))
}

/// A field in its canonical form. What no value can hold, such as `1e400` in a field that is ignored, stays
/// as it was written.
fn canonical(field: &RawValue) -> Value {
    serde_json::from_str(field.get()).unwrap_or_else(|_| field.get().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::checkout::CheckoutInput;

    #[tokio::test]
    async fn a_body_that_cannot_be_read_is_told_why() {
        for (sent, told) in [
            ("", "The body is empty; send a JSON object"),
            (" \n", "The body is empty; send a JSON object"),
            ("[]", "The body is not a JSON object"),
            ("\"text\"", "The body is not a JSON object"),
            ("{\n  \"a\" 1}", "The body is not valid JSON (line 2, column "),
        ] {
            let request = Request::new(axum::body::Body::from(sent));
            let refused = Body::<CheckoutInput>::from_request(request, &()).await.unwrap_err();
            let message = refused.body("r")["message"].as_str().unwrap().to_owned();
            assert!(message.starts_with(told), "{sent}: {message}");
        }
    }

    #[tokio::test]
    async fn a_body_does_not_show_its_content_when_debugging() {
        let text = r#"{"manualEntryCardNumber": "4111111111111111", "cvc": "737"}"#;
        let request = Request::new(axum::body::Body::from(text));
        let body = Body::<CheckoutInput>::from_request(request, &()).await.unwrap();
        assert_eq!(format!("{body:?}"), "Body { .. }");
    }
}
