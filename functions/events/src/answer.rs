//! Answers within the size a Lambda function may return.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use web::ApiError;
use web::slots::too_large;

/// Bytes of an answer. Lambda accepts 6 MB of a JSON document that holds the body as an escaped string.
const MAX_BYTES: usize = 6_000_000;

/// The JSON answer, unless it is larger than can be returned.
pub(crate) fn json(value: &impl Serialize) -> Result<Response, ApiError> {
    let body = serde_json::to_vec(value).map_err(ApiError::internal)?;
    let escaped = body.iter().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    if body.len().saturating_add(escaped) > MAX_BYTES {
        return Err(too_large());
    }
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}
