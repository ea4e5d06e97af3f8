//! What is compressed when it is built, and served as it is.

use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use platform::ApiError;
use std::io::Read;

/// A text, compressed.
#[derive(Debug)]
pub(crate) struct CompressedAsset {
    pub(crate) content_type: &'static str,
    /// By gzip.
    pub(crate) compressed: &'static [u8],
    /// Names the text, compressed or not, which is why it is a weak tag.
    pub(crate) tag: &'static str,
    /// How long whoever reads it may keep it.
    pub(crate) cache: &'static str,
}

impl CompressedAsset {
    /// The text as the caller takes it, or that it has it already (RFC 9110 §12.5.3, §13.1.2).
    ///
    /// # Errors
    /// `INTERNAL` when what was built cannot be unpacked.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Result<Response, ApiError> {
        let mut response = if is_known(headers, self.tag) {
            StatusCode::NOT_MODIFIED.into_response()
        } else if takes_gzip(headers) {
            ([(CONTENT_ENCODING, "gzip"), (CONTENT_TYPE, self.content_type)], self.compressed).into_response()
        } else {
            let mut text = Vec::new();
            GzDecoder::new(self.compressed).read_to_end(&mut text).map_err(ApiError::internal)?;
            ([(CONTENT_TYPE, self.content_type)], text).into_response()
        };
        for (name, value) in [(CACHE_CONTROL, self.cache), (ETAG, self.tag), (VARY, "accept-encoding")] {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        Ok(response)
    }
}

/// The entries of a header that is a list.
fn entries(headers: &HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> {
    let texts = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    texts
        .flat_map(|text| text.split(','))
        .map(|entry| entry.trim().to_owned())
        .collect::<Vec<_>>()
        .into_iter()
}

/// Whether the caller has what this tag names; weak and strong tags are compared alike.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim_start_matches("W/").to_owned();
    entries(headers, &IF_NONE_MATCH).any(|known| known == "*" || opaque(&known) == opaque(tag))
}

/// Whether gzip is among what the caller takes, with any preference but none.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let refused = |parameters: &str| {
        let weight = parameters.split(';').find_map(|part| part.trim().strip_prefix("q="));
        weight.is_some_and(|weight| weight.trim().trim_matches(['0', '.']).is_empty())
    };
    entries(headers, &ACCEPT_ENCODING).any(|entry| {
        let (coding, parameters) = entry.split_once(';').unwrap_or((&entry, ""));
        matches!(coding.trim().to_ascii_lowercase().as_str(), "gzip" | "x-gzip") && !refused(parameters)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn only_who_takes_gzip_gets_it() {
        for (sent, takes) in [
            ("gzip", true),
            ("GZIP", true),
            ("gzip, deflate, br", true),
            ("br;q=1.0, gzip;q=0.8, *;q=0.1", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(&headers(ACCEPT_ENCODING, sent)), takes, "{sent}");
        }
    }

    #[test]
    fn a_text_that_the_caller_has_is_not_sent_again() {
        for (sent, known) in [
            ("W/\"a\"", true),
            ("\"a\"", true),
            ("\"b\", W/\"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ] {
            assert_eq!(is_known(&headers(IF_NONE_MATCH, sent), "W/\"a\""), known, "{sent}");
        }
    }
}
