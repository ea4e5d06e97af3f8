//! What is compressed when it is built, and served as it is.

use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use std::io::Read;
use web::ApiError;
use web::representation::{is_known, takes_gzip};

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
