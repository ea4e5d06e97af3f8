//! What a new version of the interface would break for the clients of an old one.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Schemas nest no deeper than this; what refers to itself is compared down to here.
const MAX_DEPTH: usize = 16;

/// The methods of a path item.
const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

/// Who writes what a schema describes, which decides what a change of it breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// Old clients: nothing they leave out may become required.
    Client,
    /// The service: nothing old clients read may be gone.
    Service,
}

/// The changes from one OpenAPI document to another that break clients of the old one, each in one line:
/// removed paths and methods, removed answers and fields of answers, new required parameters and fields of
/// requests, changed types.
#[must_use]
pub fn breaking_changes(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison { old, new, found: BTreeSet::new() };
    for (path, old_item) in entries(&old["paths"]) {
        for method in METHODS.iter().filter(|method| old_item.get(**method).is_some()) {
            let place = format!("{} {path}", method.to_uppercase());
            match new["paths"][path].get(method) {
                Some(new_operation) => comparison.operation(&place, &old_item[method], new_operation),
                None => comparison.report(&place, "is gone"),
            }
        }
    }
    comparison.found.into_iter().collect()
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    found: BTreeSet<String>,
}

impl<'a> Comparison<'a> {
    fn report(&mut self, place: &str, what: &str) {
        self.found.insert(format!("{place} {what}"));
    }

    fn operation(&mut self, place: &str, old: &'a Value, new: &'a Value) {
        let old_names: BTreeSet<String> = required_parameters(old).collect();
        for name in required_parameters(new).filter(|name| !old_names.contains(name)) {
            self.report(place, &format!("now requires the parameter {name}"));
        }
        if new["requestBody"]["required"] == true && old["requestBody"]["required"] != true {
            self.report(place, "now requires a body");
        }
        let request = format!("{place} request");
        self.schemas(
            &request,
            json_schema(&old["requestBody"]),
            json_schema(&new["requestBody"]),
            Writer::Client,
        );
        for (status, old_answer) in entries(&old["responses"]) {
            let answer = format!("{place} answer {status}");
            match new["responses"].get(status) {
                Some(new_answer) => {
                    let (old_answer, new_answer) =
                        (resolved(self.old, old_answer), resolved(self.new, new_answer));
                    self.schemas(&answer, json_schema(old_answer), json_schema(new_answer), Writer::Service);
                }
                None => self.report(&answer, "is gone"),
            }
        }
    }

    fn schemas(&mut self, place: &str, old: &'a Value, new: &'a Value, writer: Writer) {
        if place.matches('/').count() > MAX_DEPTH {
            return;
        }
        let (was_nullable, is_nullable) = (is_nullable(old), is_nullable(new));
        let (old, new) = (resolved(self.old, old), resolved(self.new, new));
        if old.is_null() {
            return;
        }
        if new.is_null() {
            self.report(place, "is gone");
            return;
        }
        if let Some(alternatives) = new["oneOf"].as_array().filter(|_| old.get("oneOf").is_none()) {
            // What old clients read is one of what they may be answered now, and they ask for nothing else.
            let fits = |alternative| {
                let mut inner = Self { old: self.old, new: self.new, found: BTreeSet::new() };
                inner.schemas(place, old, alternative, writer);
                inner.found.is_empty()
            };
            if !alternatives.iter().any(fits) {
                self.report(place, "is none of the alternatives");
            }
            return;
        }
        let (old_types, new_types) = (types(old, was_nullable), types(new, is_nullable));
        let narrowed = match writer {
            Writer::Client => !old_types.is_subset(&new_types) && !new_types.is_empty(),
            Writer::Service => !new_types.is_subset(&old_types) && !old_types.is_empty(),
        };
        if narrowed {
            self.report(place, &format!("changed its type from {old_types:?} to {new_types:?}"));
        }
        self.fields(place, old, new, writer);
        self.schemas(&format!("{place}/items"), &old["items"], &new["items"], writer);
    }

    fn fields(&mut self, place: &str, old: &'a Value, new: &'a Value, writer: Writer) {
        let (old, new) = (Fields::of(self.old, old), Fields::of(self.new, new));
        for (name, old_field) in old.described {
            let field = format!("{place}/{name}");
            match (new.described.get(name).copied(), writer) {
                (Some(new_field), _) => self.schemas(&field, old_field, new_field, writer),
                (None, Writer::Service) => self.report(&field, "is gone"),
                // A field a client still sends is ignored (contract §1).
                (None, Writer::Client) => {}
            }
        }
        match writer {
            Writer::Client => {
                for name in new.required.difference(&old.required) {
                    self.report(&format!("{place}/{name}"), "is now required");
                }
            }
            Writer::Service => {
                for name in old.required.difference(&new.required) {
                    if new.described.contains_key(*name) {
                        self.report(&format!("{place}/{name}"), "is no longer always there");
                    }
                }
            }
        }
    }
}

/// The fields of an object, those of its parts among them.
#[derive(Default)]
struct Fields<'a> {
    described: BTreeMap<&'a str, &'a Value>,
    required: BTreeSet<&'a str>,
}

impl<'a> Fields<'a> {
    fn of(document: &'a Value, schema: &'a Value) -> Self {
        let mut all = Self::default();
        let parts = schema["allOf"].as_array().into_iter().flatten();
        for part in parts.map(|part| Self::of(document, resolved(document, part))) {
            all.described.extend(part.described);
            all.required.extend(part.required);
        }
        all.described.extend(entries(&schema["properties"]).map(|(name, field)| (name.as_str(), field)));
        all.required.extend(texts(&schema["required"]));
        all
    }
}

fn entries(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flat_map(Map::iter)
}

fn required_parameters(operation: &Value) -> impl Iterator<Item = String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let required = parameters.filter(|parameter| parameter["required"] == true);
    required.map(|parameter| {
        let part = |name: &str| parameter[name].as_str().unwrap_or_default().to_owned();
        format!("{} ({})", part("name"), part("in"))
    })
}

fn json_schema(body: &Value) -> &Value {
    &body["content"]["application/json"]["schema"]
}

/// The schema itself where another one is referred to, alone or as the alternative to null.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let is_null = |schema: &&Value| schema["type"] == "null";
    let alternatives = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
    let schema = match alternatives {
        Some(parts) if parts.len() == 2 && parts.iter().any(|part| is_null(&part)) => {
            parts.iter().find(|part| !is_null(part)).unwrap_or(schema)
        }
        Some(_) | None => schema,
    };
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| document.pointer(pointer)).unwrap_or(schema)
}

/// Whether null is one of two alternatives.
fn is_nullable(schema: &Value) -> bool {
    let alternatives = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
    alternatives.is_some_and(|parts| parts.len() == 2 && parts.iter().any(|part| part["type"] == "null"))
}

fn types(schema: &Value, is_nullable: bool) -> BTreeSet<&str> {
    let mut types = match schema["type"].as_str() {
        Some(name) => BTreeSet::from([name]),
        None => texts(&schema["type"]),
    };
    if is_nullable && !types.is_empty() {
        types.insert("null");
    }
    types
}

fn texts(list: &Value) -> BTreeSet<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::breaking_changes;
    use serde_json::{Value, json};

    fn document() -> Value {
        json!({
            "paths": { "/carts": { "post": {
                "parameters": [{ "name": "zone", "in": "query", "required": false }],
                "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/In" } } } },
                "responses": { "200": { "content": { "application/json": { "schema": {
                    "type": "array", "items": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Out" }] },
                } } } } },
            } } },
            "components": { "schemas": {
                "In": { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } },
                "Out": { "type": "object", "required": ["id"], "properties": {
                    "id": { "type": "string" },
                    "note": { "type": ["string", "null"] },
                    "parent": { "$ref": "#/components/schemas/Out" },
                } },
            } },
        })
    }

    /// The changes made by putting `value` at `pointer` (null takes away).
    fn changed(pointer: &str, value: Value) -> Vec<String> {
        let mut new = document();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let name = name.replace("~1", "/");
        let parent = new.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        if value.is_null() {
            parent.remove(&name);
        } else {
            parent.insert(name, value);
        }
        breaking_changes(&document(), &new)
    }

    #[test]
    fn what_clients_rely_on_may_not_go() {
        for (pointer, value, expected) in [
            ("/paths/~1carts", Value::Null, "POST /carts is gone"),
            ("/paths/~1carts/post", Value::Null, "POST /carts is gone"),
            ("/paths/~1carts/post/responses/200", Value::Null, "POST /carts answer 200 is gone"),
            (
                "/components/schemas/Out/properties/note",
                Value::Null,
                "POST /carts answer 200/items/note is gone",
            ),
            (
                "/components/schemas/Out/properties/id",
                json!({ "type": "integer" }),
                "POST /carts answer 200/items/id changed its type from {\"string\"} to {\"integer\"}",
            ),
            (
                "/components/schemas/Out/required",
                json!([]),
                "POST /carts answer 200/items/id is no longer always there",
            ),
            (
                "/components/schemas/Out/properties/parent",
                json!({ "oneOf": [{ "type": "array" }, { "type": "string" }] }),
                "POST /carts answer 200/items/parent is none of the alternatives",
            ),
            ("/components/schemas/In/required", json!(["a", "b"]), "POST /carts request/b is now required"),
            (
                "/components/schemas/In/properties/a",
                json!({ "type": "number" }),
                "POST /carts request/a changed its type from {\"string\"} to {\"number\"}",
            ),
            (
                "/paths/~1carts/post/parameters",
                json!([{ "name": "zone", "in": "query", "required": true }]),
                "POST /carts now requires the parameter zone (query)",
            ),
            ("/paths/~1carts/post/requestBody/required", json!(true), "POST /carts now requires a body"),
        ] {
            let found = changed(pointer, value);
            assert!(found.iter().any(|line| line == expected), "{pointer}: {found:?}");
        }
    }

    #[test]
    fn what_clients_need_not_know_may_come() {
        assert_eq!(breaking_changes(&document(), &document()), Vec::<String>::new());
        for (pointer, value) in [
            ("/paths/~1orders", json!({ "get": {} })),
            ("/components/schemas/Out/properties/extra", json!({ "type": "string" })),
            ("/components/schemas/Out/properties/note", json!({ "type": "string" })),
            ("/components/schemas/In/properties/extra", json!({ "type": "string" })),
            ("/components/schemas/In/properties/a", json!({ "type": ["string", "number"] })),
            ("/components/schemas/In/required", json!([])),
            ("/paths/~1carts/post/responses/409", json!({})),
            (
                "/components/schemas/Out",
                json!({ "type": "object", "allOf": [
                    { "required": ["id"], "properties": { "id": { "type": "string" } } },
                    { "properties": { "note": { "type": "string" }, "parent": { "$ref": "#/components/schemas/Out" } } },
                ] }),
            ),
            (
                "/components/schemas/Out/properties/note",
                json!({ "oneOf": [{ "type": "string" }, { "type": "null" }] }),
            ),
            (
                "/components/schemas/Out/properties/parent",
                json!({ "oneOf": [{ "type": "array" }, { "$ref": "#/components/schemas/Out" }] }),
            ),
        ] {
            assert_eq!(changed(pointer, value), Vec::<String>::new(), "{pointer}");
        }
    }
}
