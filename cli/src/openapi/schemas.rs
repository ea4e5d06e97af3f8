//! What no attribute of a type can say of its schema.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// How schemas refer to each other.
const PLACE: &str = "#/components/schemas/";

/// How the name of a page's schema starts; the rest is what it lists.
const PAGE: &str = "Page_";

/// Makes the schemas of a document exact.
pub(super) fn complete(document: &mut Value, error_names: &[&str]) {
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        name_entries_of_pages(schemas);
        open_optional_parts(schemas);
        schemas["ErrorBody"]["properties"]["type"]["enum"] = json!(error_names);
    }
    each_object(document, &mut name_pages);
    each_object(document, &mut tell_vocabulary);
    each_object(document, &mut tell_format);
    while drop_unused(document) {}
}

/// Does something to every JSON object, the innermost first.
fn each_object(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| each_object(field, change));
            change(fields);
        }
        Value::Array(list) => list.iter_mut().for_each(|entry| each_object(entry, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Drops what nothing refers to. Whether there was any: something else may have been referred to by it alone.
fn drop_unused(document: &mut Value) -> bool {
    let mut used = BTreeSet::new();
    each_object(document, &mut |object| {
        used.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned));
    });
    let mut dropped = false;
    for kind in ["headers", "parameters", "responses", "schemas"] {
        if let Some(kept) = document["components"][kind].as_object_mut() {
            let before = kept.len();
            kept.retain(|name, _| used.contains(&format!("#/components/{kind}/{name}")));
            dropped |= kept.len() < before;
        }
    }
    dropped
}

/// A page refers to the schema of its entries instead of repeating it.
fn name_entries_of_pages(schemas: &mut Map<String, Value>) {
    let pages: Vec<String> = schemas.keys().filter(|name| name.starts_with(PAGE)).cloned().collect();
    for page in pages {
        let Some(mut schema) = schemas.remove(&page) else { continue };
        let entry = page.trim_start_matches(PAGE).to_owned();
        let items = schema["properties"]["list"]["items"].take();
        schemas.entry(entry.clone()).or_insert(items);
        schema["properties"]["list"]["items"] = json!({ "$ref": format!("{PLACE}{entry}") });
        schemas.insert(page_name(&entry), schema);
    }
}

fn page_name(entry: &str) -> String {
    format!("{}Page", entry.trim_end_matches("Output").trim_end_matches("View"))
}

fn name_pages(object: &mut Map<String, Value>) {
    let start = format!("{PLACE}{PAGE}");
    let entry = object.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(&start));
    if let Some(name) = entry.map(page_name) {
        object.insert("$ref".to_owned(), format!("{PLACE}{name}").into());
    }
}

/// Part of an object that may be missing as a whole: its fields are optional, and there is no value that is an object and
/// null at once.
fn open_optional_parts(schemas: &mut Map<String, Value>) {
    let known = schemas.clone();
    for schema in schemas.values_mut() {
        let parts = schema.get_mut("allOf").and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            let Some(alternatives) = part.get("oneOf").and_then(Value::as_array) else { continue };
            let whole = alternatives.iter().find_map(|alternative| alternative["$ref"].as_str());
            let whole = whole.and_then(|name| known.get(name.trim_start_matches(PLACE)));
            if let Some(mut whole) = whole.cloned() {
                if let Some(keywords) = whole.as_object_mut() {
                    keywords.remove("required");
                }
                *part = whole;
            }
        }
    }
}

fn is_text(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => names.contains(&json!("string")),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => false,
    }
}

/// A text whose description starts by listing what it can be is one of these.
fn tell_vocabulary(schema: &mut Map<String, Value>) {
    if !is_text(schema) || schema.contains_key("enum") {
        return;
    }
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let words = listed_words(description);
    if words.is_empty() {
        return;
    }
    let mut values: Vec<Value> = words.into_iter().map(Value::from).collect();
    if schema.get("type").is_some_and(Value::is_array) {
        values.push(Value::Null);
    }
    schema.insert("enum".to_owned(), values.into());
}

/// The words of a sentence that is nothing but a list of words: "`a`, `b` or `c`." A word may hold a full stop.
fn listed_words(description: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (at, part) in description.split('`').enumerate() {
        if !at.is_multiple_of(2) {
            words.push(part);
        } else if part == "; " {
            // "`a`; `b`: so much of it" goes on with its list.
            return vec![];
        } else if part.starts_with(['.', ';']) {
            return words;
        } else if !matches!(part, "" | ", " | " or " | ", or ") {
            return vec![];
        }
    }
    vec![]
}

/// Fields that have the same form wherever they stand.
const FORMATS: [(&str, &str); 4] = [
    ("createdAt", "date-time"),
    ("updatedAt", "date-time"),
    ("deliveredAt", "date-time"),
    ("answeredAt", "date-time"),
];

fn tell_format(schema: &mut Map<String, Value>) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, format) in FORMATS {
        if let Some(field) = properties.get_mut(name).and_then(Value::as_object_mut)
            && is_text(field)
            && !field.contains_key("format")
        {
            field.insert("format".to_owned(), format.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{complete, listed_words};
    use serde_json::{Value, json};

    fn completed(schemas: &Value) -> Value {
        // What nothing refers to is dropped.
        let names = schemas.as_object().unwrap().keys().map(String::as_str).chain(["ErrorBody"]);
        let used: Vec<Value> =
            names.map(|name| json!({ "$ref": format!("#/components/schemas/{name}") })).collect();
        let mut document = json!({ "components": { "schemas": schemas }, "paths": used });
        document["components"]["schemas"]["ErrorBody"] = json!({ "properties": { "type": {} } });
        complete(&mut document, &["NOT_FOUND"]);
        document["components"]["schemas"].take()
    }

    #[test]
    fn only_a_sentence_that_is_a_list_is_a_vocabulary() {
        for (text, words) in [
            ("`a`, `b` or `c`.", vec!["a", "b", "c"]),
            ("`a` or `b`; null for others.", vec!["a", "b"]),
            ("`a`.", vec!["a"]),
            ("`a.b` or `c`.", vec!["a.b", "c"]),
            ("`a`; `b`: so much of it.", vec![]),
            ("Mostly `a` or `b`.", vec![]),
            ("`a` of the cart.", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(listed_words(text), words, "{text}");
        }
    }

    #[test]
    fn a_word_of_a_vocabulary_may_be_missing_where_its_field_may() {
        let schemas = completed(&json!({ "A": { "properties": {
            "kind": { "type": "string", "description": "`a` or `b`." },
            "other": { "type": ["string", "null"], "description": "`a` or `b`." },
            "flag": { "type": "boolean", "description": "`false`." },
        } } }));
        let properties = &schemas["A"]["properties"];
        assert_eq!(properties["kind"]["enum"], json!(["a", "b"]));
        assert_eq!(properties["other"]["enum"], json!(["a", "b", null]));
        assert_eq!(properties["flag"]["enum"], Value::Null);
    }

    #[test]
    fn a_page_refers_to_its_entries() {
        let schemas = completed(&json!({ "Page_FormOutput": { "properties": {
            "list": { "type": "array", "items": { "type": "object" } },
        } } }));
        let items = &schemas["FormPage"]["properties"]["list"]["items"];
        assert_eq!(items["$ref"], "#/components/schemas/FormOutput");
        assert_eq!(schemas["FormOutput"]["type"], "object");
    }

    #[test]
    fn a_part_that_may_be_missing_requires_nothing() {
        let schemas = completed(&json!({
            "Holder": { "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } },
            "Card": { "allOf": [
                { "oneOf": [{ "$ref": "#/components/schemas/Holder" }, { "type": "null" }] },
                { "type": "object" },
            ] },
        }));
        let part = &schemas["Card"]["allOf"][0];
        assert_eq!((&part["oneOf"], &part["required"]), (&Value::Null, &Value::Null));
        assert!(part["properties"]["id"].is_object());
    }
}
