//! Parts of records that are kept as one text of JSON. A database takes items apart attribute by attribute, and so does
//! the SDK; a text it reads at once. For parts that no expression of the store names, in records that requests read
//! (decision record 0100).
//!
//! `#[serde(with = "AsText")]` reads the nested form as well, in which version 1 of the schema kept them. A map with
//! numbers for keys it would not read in that form, so that such a map stays nested.

use serde_with::json::JsonString;
use serde_with::{As, PickFirst, Same};

/// A part that is always there, or has a default.
pub(crate) type AsText = As<PickFirst<(JsonString, Same)>>;

/// A part that may be missing.
pub(crate) type MaybeAsText = As<Option<PickFirst<(JsonString, Same)>>>;

#[cfg(test)]
mod tests {
    use super::*;
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
