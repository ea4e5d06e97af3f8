//! The name a partner gives a merchant it brings (spec §2.19): a UUID of its own choice, by which a repeated
//! request is known.

use crate::UnreadableId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Characters of a UUID as text.
const CHARS: usize = 36;
/// Where its dashes stand.
const DASHES: [usize; 4] = [8, 13, 18, 23];

/// A UUID in lower case, so that one name has one spelling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BoardingRefId(String);

impl BoardingRefId {
    /// Reads a UUID in any letter case, with its dashes (RFC 9562 §4). Version and variant are the caller's affair.
    ///
    /// # Errors
    /// [`UnreadableId`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnreadableId> {
        let fits = |(place, byte): (usize, u8)| {
            if DASHES.contains(&place) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        };
        if text.len() == CHARS && text.bytes().enumerate().all(fits) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(UnreadableId)
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BoardingRefId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for BoardingRefId {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|UnreadableId| "not a UUID")
    }
}

impl From<BoardingRefId> for String {
    fn from(id: BoardingRefId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_read_in_any_case_and_has_one_spelling() {
        let lower = "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318";
        for text in [lower, &lower.to_uppercase()] {
            assert_eq!(BoardingRefId::parse(text).unwrap().as_str(), lower);
        }
        for text in [
            "",
            "60417",
            "5b0c7a1e93d44f268c1d70e2a9b4f318",
            "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f31",
            "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f31g",
            "{5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318}",
            "5b0c7a1e-93d4-4f26-8c1d070e2a9b4f318",
            "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f3\u{660}",
        ] {
            assert_eq!(BoardingRefId::parse(text), Err(UnreadableId), "{text}");
        }
    }
}
