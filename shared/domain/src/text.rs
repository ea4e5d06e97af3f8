//! Texts that are cut, and parts of records that are kept as one text of JSON.
//!
//! Of the latter: a database takes items apart attribute by attribute, and so does
//! the SDK; a text it reads at once. For parts that no expression of the store names, in records that requests read
//! (decision record 0100).
//!
//! `#[serde(with = "AsText")]` reads the nested form as well, in which version 1 of the schema kept them. A map with
//! numbers for keys it would not read in that form, so that such a map stays nested.

use serde_with::json::JsonString;
use serde_with::{As, PickFirst, Same};
use unicode_segmentation::UnicodeSegmentation;

/// The beginning of a text: at most so many characters, and no part of a sign that takes several of them, such as
/// a letter with its accents or an emoji of joined ones (Unicode Standard Annex #29). Every text that is cut is cut
/// here. Our choice: characters are counted, as everywhere (contract §11), since one sign can have any number.
#[must_use]
pub fn cut(text: &str, most: usize) -> &str {
    let mut left = most;
    let mut end = 0;
    for sign in text.graphemes(true) {
        let Some(rest) = left.checked_sub(sign.chars().count()) else { break };
        left = rest;
        end = sign.len().saturating_add(end);
    }
    text.get(..end).unwrap_or_default()
}

/// A part that is always there, or has a default.
pub(crate) type AsText = As<PickFirst<(JsonString, Same)>>;

/// A part that may be missing.
pub(crate) type MaybeAsText = As<Option<PickFirst<(JsonString, Same)>>>;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record {
        #[serde(with = "AsText")]
        uses: BTreeMap<String, u32>,
        #[serde(default, skip_serializing_if = "Vec::is_empty", with = "AsText")]
        lines: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none", with = "MaybeAsText")]
        paid: Option<(u32, String)>,
    }

    #[test]
    fn a_text_is_cut_between_signs() {
        let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}";
        for (text, most, expected) in [
            ("", 3, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "abc"),
            ("abcd", 0, ""),
            (&format!("ab{family}"), 3, "ab"),
            (&format!("ab{family}"), 8, "ab"),
            (&format!("ab{family}c"), 9, &format!("ab{family}")),
            ("abe\u{301}f", 3, "ab"),
            ("abe\u{301}f", 4, "abe\u{301}"),
            ("a\r\nb", 2, "a"),
            ("ab\u{1f1e9}\u{1f1ea}", 3, "ab"),
        ] {
            assert_eq!(cut(text, most), expected, "{text:?} at {most}");
        }
    }

    proptest! {
        #[test]
        fn what_is_cut_is_the_longest_beginning_of_whole_signs(text in "(\\PC|\u{200d}|\u{301}|\u{1f1e9}|\r\n){0,40}", most in 0_usize..40) {
            let kept = cut(&text, most);
            prop_assert!(kept.chars().count() <= most);
            let signs: Vec<&str> = text.graphemes(true).collect();
            let whole = (0..=signs.len()).map(|count| signs[..count].concat());
            let fitting = whole.filter(|begun| begun.chars().count() <= most).max_by_key(String::len);
            prop_assert_eq!(Some(kept), fitting.as_deref());
        }
    }

    #[test]
    fn parts_are_written_as_texts_and_read_in_both_forms() {
        for (record, nested, texts) in [
            (
                Record { uses: BTreeMap::new(), lines: vec![], paid: None },
                json!({"uses": {}}),
                json!({"uses": "{}"}),
            ),
            (
                Record {
                    uses: BTreeMap::from([("a".to_owned(), 1)]),
                    lines: vec!["[\"".to_owned()],
                    paid: Some((5, "{}".to_owned())),
                },
                json!({"uses": {"a": 1}, "lines": ["[\""], "paid": [5, "{}"]}),
                json!({"uses": r#"{"a":1}"#, "lines": r#"["[\""]"#, "paid": r#"[5,"{}"]"#}),
            ),
        ] {
            assert_eq!(serde_json::to_value(&record).unwrap(), texts);
            assert_eq!(serde_json::from_value::<Record>(nested).unwrap(), record);
            assert_eq!(serde_json::from_value::<Record>(texts).unwrap(), record);
        }
    }

    #[test]
    fn a_text_of_something_else_is_refused() {
        for record in [json!({"uses": "[]"}), json!({"uses": "{"}), json!({"uses": {}, "paid": "{}"})] {
            assert!(serde_json::from_value::<Record>(record).is_err());
        }
    }
}
