//! The name a partner gives a merchant it brings (spec §2.19): a UUID of its own choice, by which a repeated
//! request is known.

use crate::UnreadableId;
use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// A UUID. It has one spelling: in lower case, with its dashes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BoardingRefId(Uuid);

impl BoardingRefId {
    /// Reads a UUID in any letter case, with its dashes (RFC 9562 §4). Version and variant are the caller's affair.
    ///
    /// # Errors
    /// [`UnreadableId`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnreadableId> {
        text.parse::<Hyphenated>().map(|uuid| Self(uuid.into_uuid())).map_err(|_| UnreadableId)
    }
}

impl fmt::Display for BoardingRefId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.hyphenated(), out)
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
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_read_in_any_case_and_has_one_spelling() {
        let lower = "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318";
        for text in [lower, &lower.to_uppercase()] {
            assert_eq!(BoardingRefId::parse(text).unwrap().to_string(), lower);
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
