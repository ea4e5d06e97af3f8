//! Headers of ours that are sent more than once, or empty (decision record 0120).
//!
//! Which of two values counts would depend on who reads them: a proxy, a gateway, the service. Gateways also join the
//! values of one header by commas.

use crate::access::OPERATOR_HEADER;
use crate::cart::EXPLAIN_HEADER;
use crate::idempotency::HEADERS as IDEMPOTENCY;
use crate::member_proof::PROOF_HEADER;
use crate::{ApiError, ErrorType};
use http::{HeaderMap, HeaderName, HeaderValue};

/// How the names of our headers begin.
const OURS: [&str; 2] = ["x-b2c-", "x-service-"];

/// Headers whose values may have commas of their own.
const WITH_COMMAS: [&str; 4] = [IDEMPOTENCY[0], IDEMPOTENCY[1], PROOF_HEADER, OPERATOR_HEADER];

/// Headers that may be left out, and say nothing when they are empty. Others are looked at where they are read.
const NOT_EMPTY: [&str; 3] = [EXPLAIN_HEADER, PROOF_HEADER, OPERATOR_HEADER];

/// Leaves one value of each of our headers, where all that were sent are the same.
///
/// # Errors
/// `VALIDATION_ERROR` with every header that was sent with different values, or empty where it must not be.
pub(crate) fn single(headers: &mut HeaderMap) -> Result<(), ApiError> {
    let ours = headers.keys().filter(|name| is_ours(name)).cloned();
    let mut refusal = None;
    let mut refuse = |name: &HeaderName, message: &str| {
        let error = refusal.take().unwrap_or_else(|| ApiError::new(ErrorType::ValidationError));
        refusal = Some(error.detail(name.as_str(), message));
    };
    for name in ours.collect::<Vec<HeaderName>>() {
        match single_value(headers, &name) {
            Ok(_) if is_empty(headers, &name) => refuse(&name, "must not be empty"),
            Ok(None) => {}
            Ok(Some(value)) => _ = headers.insert(name, value),
            Err(Differing) => refuse(&name, "was sent more than once, with different values"),
        }
    }
    refusal.map_or(Ok(()), Err)
}

fn is_ours(name: &HeaderName) -> bool {
    OURS.iter().any(|start| name.as_str().starts_with(start)) || WITH_COMMAS.contains(&name.as_str())
}

/// Whether a header that must not be empty is.
fn is_empty(headers: &HeaderMap, name: &HeaderName) -> bool {
    let mut values = headers.get_all(name).iter();
    NOT_EMPTY.contains(&name.as_str()) && values.all(|value| value.as_bytes().trim_ascii().is_empty())
}

/// Two values of a header differ.
struct Differing;

/// The one value of a header that was sent more than once; none where it stands once already.
fn single_value(headers: &HeaderMap, name: &HeaderName) -> Result<Option<HeaderValue>, Differing> {
    let splits = !WITH_COMMAS.contains(&name.as_str());
    let mut parts = headers
        .get_all(name)
        .iter()
        .flat_map(|value| value.as_bytes().split(move |byte| splits && *byte == b','))
        .map(<[u8]>::trim_ascii);
    let first = parts.next().unwrap_or_default();
    let mut others = parts.peekable();
    if others.peek().is_none() {
        return Ok(None);
    }
    if others.any(|part| part != first) {
        return Err(Differing);
    }
    Ok(HeaderValue::from_bytes(first).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(values: &[(&'static str, &'static str)]) -> Result<HeaderMap, ApiError> {
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(*name, HeaderValue::from_static(value));
        }
        single(&mut headers).map(|()| headers)
    }

    #[test]
    fn a_header_of_ours_has_one_value() {
        for name in ["x-b2c-tenant-id", "x-service-api-key", "x-service-anything-new"] {
            for values in [&["1001", "1001"][..], &["1001,1001"], &["1001 , 1001", "1001"], &["1001"]] {
                let headers = sent(&values.iter().map(|value| (name, *value)).collect::<Vec<_>>()).unwrap();
                assert_eq!(headers.get_all(name).iter().collect::<Vec<_>>(), ["1001"], "{values:?}");
            }
            for values in [&["1001", "1002"][..], &["1001,1002"], &["1001", ""], &["1001,"], &["1", "1", "2"]]
            {
                let refusal =
                    sent(&values.iter().map(|value| (name, *value)).collect::<Vec<_>>()).unwrap_err();
                assert_eq!(refusal.kind(), ErrorType::ValidationError);
                assert_eq!(refusal.details()[0].field, name, "{values:?}");
            }
        }
        for name in ["x-service-explain", "x-service-member-proof", "x-service-operator"] {
            for value in ["", " "] {
                let refusal = sent(&[(name, value)]).unwrap_err();
                let told = &refusal.details()[0];
                assert_eq!((told.field.as_str(), told.message.as_str()), (name, "must not be empty"));
            }
        }
        let keys = sent(&[("idempotency-key", "a,b")]).unwrap();
        assert_eq!(keys["idempotency-key"], "a,b");
        assert!(sent(&[("idempotency-key", "a"), ("idempotency-key", "b")]).is_err());
        let operator =
            sent(&[("x-service-operator", "Okafor, Dana"), ("x-service-operator", "Okafor, Dana")]).unwrap();
        assert_eq!(operator["x-service-operator"], "Okafor, Dana");
        assert!(sent(&[("x-service-operator", "Dana"), ("x-service-operator", "Kim")]).is_err());
        assert!(sent(&[("accept", "a"), ("accept", "b")]).is_ok());
        let both = sent(&[("x-b2c-a", "1,2"), ("x-service-b", "1,2")]).unwrap_err();
        assert_eq!(both.details().len(), 2);
    }
}
