//! Lists that fit into an answer, and files.

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use web::paging::{PageQuery, fits};
use web::{ApiError, ErrorType};
use wire::csv::CSV_TYPE;

/// Bytes of a file that fit into an answer beside its headers, each of which may be escaped.
const MAX_FILE_BYTES: usize = 2_900_000;

/// As what a list is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Csv,
}

impl Format {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let known = [("json", Self::Json), ("csv", Self::Csv)];
        known.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, format)| format)
    }

    /// The pages that were asked for; of a file, all of them.
    pub(crate) fn pages(self, asked: PageQuery) -> PageQuery {
        match self {
            Self::Json => asked,
            Self::Csv => PageQuery { page: None, page_size: Some("-1".to_owned()), ..asked },
        }
    }
}

/// A list that is small enough to be answered.
///
/// # Errors
/// `RESPONSE_TOO_LARGE`.
pub(crate) fn fitting<T: Serialize>(list: Vec<T>) -> Result<Vec<T>, ApiError> {
    if fits(&list)? { Ok(list) } else { Err(too_large()) }
}

/// The name of a file of these parts: letters without accents, digits and hyphens, and `_` between the parts.
pub(crate) fn file_name(parts: &[&str]) -> String {
    let plain = |part: &&str| {
        let words = part.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
    };
    let parts: Vec<String> = parts.iter().map(plain).filter(|part| !part.is_empty()).collect();
    parts.join("_")
}

/// A file for spreadsheets.
///
/// # Errors
/// `RESPONSE_TOO_LARGE`.
pub(crate) fn file(name: &str, text: String) -> Result<Response, ApiError> {
    if text.len() > MAX_FILE_BYTES {
        return Err(too_large());
    }
    let headers = [
        (CONTENT_TYPE, CSV_TYPE.to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.csv\"")),
    ];
    Ok((headers, text).into_response())
}

fn too_large() -> ApiError {
    ApiError::new(ErrorType::ResponseTooLarge)
        .message("There are too many of these for one answer; ask for fewer")
}
