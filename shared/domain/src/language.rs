//! The languages in which mails are written (decision record 0160).

use serde::{Deserialize, Serialize};

/// A language that there are texts in. It is stored by its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Language {
    /// That of orders for which nothing else was said.
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "es")]
    Spanish,
    #[serde(rename = "fr")]
    French,
    #[serde(rename = "de")]
    German,
    #[serde(rename = "it")]
    Italian,
    #[serde(rename = "nl")]
    Dutch,
    /// As it is written in Portugal.
    #[serde(rename = "pt")]
    Portuguese,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::English,
        Self::Spanish,
        Self::French,
        Self::German,
        Self::Italian,
        Self::Dutch,
        Self::Portuguese,
    ];

    /// Its code of ISO 639, such as `es`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::French => "fr",
            Self::German => "de",
            Self::Italian => "it",
            Self::Dutch => "nl",
            Self::Portuguese => "pt",
        }
    }

    /// The one that a tag (BCP 47) such as `pt-BR` begins with, in any case; none where there are no texts in it.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        let first = tag.split('-').next().unwrap_or_default();
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(first))
    }

    /// True for that of orders for which nothing else was said.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_part_of_a_tag_chooses() {
        for (tag, expected) in [
            ("pt-BR", Some(Language::Portuguese)),
            ("FR", Some(Language::French)),
            ("de-Latn-CH-1996", Some(Language::German)),
            ("ja", None),
            ("spa", None),
            ("", None),
        ] {
            assert_eq!(Language::of_tag(tag), expected, "{tag}");
        }
    }

    #[test]
    fn each_is_stored_by_its_code() {
        for language in Language::ALL {
            assert_eq!(serde_json::to_value(language).unwrap(), json!(language.code()));
            assert_eq!(Language::of_tag(language.code()), Some(language));
        }
    }
}
