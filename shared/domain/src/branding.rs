//! How a venue looks on pages that are not its own (decision record 0138).

use crate::Language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Colours that a venue may name.
pub const MAX_COLOURS: usize = 20;

/// Languages that a venue may name.
pub const MAX_LANGUAGES: usize = 20;

/// How a venue looks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Branding {
    /// Colours by what they are for, each as `#` and six hexadecimal digits.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub colours: BTreeMap<String, String>,
    /// The address of its logo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// What its visitors speak, the usual one first: tags such as `en` or `pt-BR`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// The address of its terms of sale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
    /// The address of what it does with personal data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy: Option<String>,
}

impl Branding {
    /// True where nothing was set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What its mails are written in: the first of its languages that there are texts in, or the usual one.
    #[must_use]
    pub fn language(&self) -> Language {
        self.languages.iter().find_map(|tag| Language::of_tag(tag)).unwrap_or_default()
    }
}

/// Whether a text is a colour: `#` and six hexadecimal digits.
#[must_use]
pub fn is_colour(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Whether a text has the form of a tag of a language (BCP 47): a word of letters, and others of letters and digits.
#[must_use]
pub fn is_language(text: &str) -> bool {
    let mut words = text.split('-');
    let is_word =
        |word: &str| (1..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let first = words.next().unwrap_or_default();
    let is_first = (2..=3).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_first && text.len() <= 35 && words.all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_languages_are_told_from_other_texts() {
        for (text, colour, language) in [
            ("#12344d", true, false),
            ("#ABCDEF", true, false),
            ("12344d", false, false),
            ("#12344", false, false),
            ("#12344g", false, false),
            ("en", false, true),
            ("pt-BR", false, true),
            ("zh-Hant-TW", false, true),
            ("e", false, false),
            ("en-", false, false),
            ("en_US", false, false),
            ("english", false, false),
            ("", false, false),
        ] {
            assert_eq!((is_colour(text), is_language(text)), (colour, language), "{text}");
        }
    }

    #[test]
    fn mails_are_written_in_the_first_language_that_there_are_texts_in() {
        for (languages, expected) in [
            (vec!["ja", "pt-BR", "es"], Language::Portuguese),
            (vec!["ja"], Language::English),
            (vec![], Language::English),
        ] {
            let languages = languages.into_iter().map(str::to_owned).collect();
            assert_eq!(Branding { languages, ..Branding::default() }.language(), expected);
        }
    }
}
