//! Stored records as JSON, in the spelling of DynamoDB's own interface, with sorted names: the same record is the same
//! line.

use aws_smithy_types::{Blob, base64};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use store::{AttributeValue, Item};

/// The JSON of a record; none if it has a value of an unknown kind.
pub(super) fn to_json(item: &Item) -> Option<Value> {
    let sorted: BTreeMap<&String, &AttributeValue> = item.iter().collect();
    let members: Option<Map<String, Value>> =
        sorted.into_iter().map(|(name, value)| Some((name.clone(), value_to_json(value)?))).collect();
    members.map(Value::Object)
}

fn value_to_json(value: &AttributeValue) -> Option<Value> {
    Some(match value {
        AttributeValue::S(text) => json!({"S": text}),
        AttributeValue::N(number) => json!({"N": number}),
        AttributeValue::B(bytes) => json!({"B": base64::encode(bytes)}),
        AttributeValue::Bool(is_true) => json!({"BOOL": is_true}),
        AttributeValue::Null(true) => json!({"NULL": true}),
        AttributeValue::M(map) => json!({"M": to_json(map)?}),
        AttributeValue::L(list) => {
            json!({"L": list.iter().map(value_to_json).collect::<Option<Vec<Value>>>()?})
        }
        AttributeValue::Ss(texts) => json!({"SS": texts}),
        AttributeValue::Ns(numbers) => json!({"NS": numbers}),
        AttributeValue::Bs(list) => json!({"BS": list.iter().map(base64::encode).collect::<Vec<String>>()}),
        AttributeValue::Null(false) | _ => return None,
    })
}

/// The record of a JSON; none if it is not one.
pub(super) fn from_json(json: Value) -> Option<Item> {
    let Value::Object(members) = json else { return None };
    let members: Option<HashMap<String, AttributeValue>> =
        members.into_iter().map(|(name, value)| Some((name, value_from_json(value)?))).collect();
    members
}

fn value_from_json(json: Value) -> Option<AttributeValue> {
    let Value::Object(members) = json else { return None };
    let mut members = members.into_iter();
    let (Some((kind, value)), None) = (members.next(), members.next()) else { return None };
    Some(match (kind.as_str(), value) {
        ("S", Value::String(text)) => AttributeValue::S(text),
        ("N", Value::String(number)) => AttributeValue::N(number),
        ("B", Value::String(text)) => AttributeValue::B(bytes(&text)?),
        ("BOOL", Value::Bool(is_true)) => AttributeValue::Bool(is_true),
        ("NULL", Value::Bool(true)) => AttributeValue::Null(true),
        ("M", map) => AttributeValue::M(from_json(map)?),
        ("L", Value::Array(list)) => {
            AttributeValue::L(list.into_iter().map(value_from_json).collect::<Option<_>>()?)
        }
        ("SS", list) => AttributeValue::Ss(texts(list)?),
        ("NS", list) => AttributeValue::Ns(texts(list)?),
        ("BS", list) => {
            AttributeValue::Bs(texts(list)?.iter().map(|text| bytes(text)).collect::<Option<_>>()?)
        }
        (_, _) => return None,
    })
}

fn bytes(text: &str) -> Option<Blob> {
    base64::decode(text).ok().map(Blob::new)
}

fn texts(json: Value) -> Option<Vec<String>> {
    let Value::Array(list) = json else { return None };
    list.into_iter().map(|text| if let Value::String(text) = text { Some(text) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = AttributeValue> {
        let text = || ".{0,6}";
        let bytes = || prop::collection::vec(any::<u8>(), 0..6).prop_map(Blob::new);
        let leaf = prop_oneof![
            text().prop_map(AttributeValue::S),
            any::<i64>().prop_map(|number| AttributeValue::N(number.to_string())),
            bytes().prop_map(AttributeValue::B),
            any::<bool>().prop_map(AttributeValue::Bool),
            Just(AttributeValue::Null(true)),
            prop::collection::vec(text(), 1..3).prop_map(AttributeValue::Ss),
            Just(AttributeValue::Ns(vec!["1".to_owned(), "-2.5".to_owned()])),
            prop::collection::vec(bytes(), 1..3).prop_map(AttributeValue::Bs),
        ];
        leaf.prop_recursive(3, 12, 3, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(AttributeValue::L),
                prop::collection::hash_map(text(), inner, 0..3).prop_map(AttributeValue::M),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_record_reads_back_from_its_json(item in prop::collection::hash_map(".{0,6}", value(), 0..4)) {
            let json = to_json(&item).unwrap();
            prop_assert_eq!(from_json(json), Some(item));
        }
    }

    #[test]
    fn the_same_record_is_the_same_line() {
        let item: Item = ["b", "a", "c"].map(|name| (name.to_owned(), AttributeValue::Bool(true))).into();
        let line = r#"{"a":{"BOOL":true},"b":{"BOOL":true},"c":{"BOOL":true}}"#;
        assert_eq!(to_json(&item).unwrap().to_string(), line);
    }

    #[test]
    fn what_is_no_record_is_not_taken_for_one() {
        for json in [
            json!([]),
            json!({"a": "text"}),
            json!({"a": {}}),
            json!({"a": {"S": "x", "N": "1"}}),
            json!({"a": {"S": 1}}),
            json!({"a": {"N": 1}}),
            json!({"a": {"B": "%"}}),
            json!({"a": {"SS": [1]}}),
            json!({"a": {"X": "x"}}),
        ] {
            assert_eq!(from_json(json.clone()), None, "{json}");
        }
    }
}
