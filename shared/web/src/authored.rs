//! What writing a record that people write takes, whatever the record: which one is meant, on which conditions,
//! and new ids.

use crate::{ApiError, ErrorType, IdempotencyKey, IfMatch};
use adapters::App;
use adapters::keyed_hash::HashKey;
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use serde::de::DeserializeOwned;

/// Which record a write is meant for, and under which conditions.
#[derive(Debug, Clone)]
pub struct Target<I = String> {
    /// What the path names.
    pub id: I,
    /// What a repetition is known by.
    pub key: IdempotencyKey,
    /// The revisions it is meant for.
    pub if_match: IfMatch,
}

impl<I: DeserializeOwned + Send> FromRequestParts<App> for Target<I> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let Path(id) = Path::from_request_parts(parts, app).await.map_err(|_| not_found())?;
        let Conditions { key, if_match } = Conditions::from_request_parts(parts, app).await?;
        Ok(Self { id, key, if_match })
    }
}

/// The conditions of a write whose body names the record.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// What a repetition is known by.
    pub key: IdempotencyKey,
    /// The revisions it is meant for.
    pub if_match: IfMatch,
}

impl FromRequestParts<App> for Conditions {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let key = IdempotencyKey::from_request_parts(parts, app).await?;
        let if_match = IfMatch::from_request_parts(parts, app).await?;
        Ok(Self { key, if_match })
    }
}

/// Nothing of this tenant has this id.
#[must_use]
pub fn not_found() -> ApiError {
    ApiError::new(ErrorType::NotFound)
}

/// Others changed the same record at every try, whatever the last one left.
#[must_use]
pub fn try_again<S>(_: S) -> ApiError {
    ApiError::new(ErrorType::TryAgain)
}

/// What the id of a new record is made from: generated at random, but where an idempotency key asks for the record it
/// follows from the request, so that a repetition finds what the first try made.
///
/// # Errors
/// `INTERNAL` when the operating system has no randomness to give.
pub fn id_bytes<const N: usize>(
    app: &App,
    hash_key: &HashKey,
    key: &IdempotencyKey,
    fingerprint: &str,
) -> Result<[u8; N], ApiError> {
    following_bytes(app, hash_key, "authored", key, fingerprint)
}

/// Bytes at random; with an idempotency key, those that follow from it and the request. The purpose keeps apart what is
/// made from one request.
///
/// # Errors
/// `INTERNAL` when the operating system has no randomness to give.
pub fn following_bytes<const N: usize>(
    app: &App,
    hash_key: &HashKey,
    purpose: &str,
    key: &IdempotencyKey,
    fingerprint: &str,
) -> Result<[u8; N], ApiError> {
    let mut bytes = app.ids.bytes::<N>()?;
    if let Some(text) = key.text() {
        let hash = hash_key.hash(purpose, &[text.as_bytes(), fingerprint.as_bytes()]);
        bytes.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
    }
    Ok(bytes)
}
