//! Schemas that allow no field they do not name.

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Where the document keeps its schemas.
const PLACE: &str = "#/components/schemas/";

/// Whether a schema stands alone, or describes a part of what another one describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SchemaForm {
    /// Fields it does not name are a fault.
    Closed,
    /// Fields it does not name are another part's, and those within its own fields are a fault.
    Part,
}

impl SchemaForm {
    fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Part => "part",
        }
    }
}

/// A schema that is made ready when it is needed, since one test meets few of them.
#[derive(Debug)]
pub(crate) struct Lazy {
    schema: Value,
    ready: OnceLock<Validator>,
}

impl Lazy {
    /// A schema of this document.
    pub(crate) fn new(schema: &Value) -> Self {
        Self { schema: schema.clone(), ready: OnceLock::new() }
    }

    pub(crate) fn validator(&self, document: &Value) -> &Validator {
        self.ready.get_or_init(|| closed(&self.schema, document))
    }
}

fn closed(schema: &Value, document: &Value) -> Validator {
    let mut rewriting = Rewriting::default();
    let mut root = rewriting.rewrite(schema, SchemaForm::Closed);
    let mut known = Map::new();
    let mut seen = BTreeSet::new();
    while let Some((name, form)) = rewriting.wanted.pop_first() {
        if seen.insert((name.clone(), form)) {
            let pointer = format!("{}{name}", PLACE.trim_start_matches('#'));
            let found = document.pointer(&pointer).unwrap_or_else(|| panic!("there is no schema {name}"));
            let rewritten = rewriting.rewrite(found, form);
            known.insert(format!("{}.{name}", form.name()), rewritten);
        }
    }
    root["$defs"] = known.into();
    let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
    options.build(&root).unwrap_or_else(|fault| panic!("a schema cannot be read: {fault}\n{root}"))
}

#[derive(Debug, Default)]
struct Rewriting {
    /// What was referred to.
    wanted: BTreeSet<(String, SchemaForm)>,
}

impl Rewriting {
    fn rewrite(&mut self, schema: &Value, form: SchemaForm) -> Value {
        let Some(keywords) = schema.as_object() else { return schema.clone() };
        let is_object = keywords.contains_key("properties") || keywords.contains_key("allOf");
        let mut rewritten = Map::new();
        for (keyword, value) in keywords {
            let value = match keyword.as_str() {
                "$ref" => self.refer(value, form),
                "properties" => self.each_field(value),
                "items" | "additionalProperties" => self.rewrite(value, SchemaForm::Closed),
                "allOf" => self.each(value, SchemaForm::Part),
                "oneOf" | "anyOf" if is_object => self.each(value, SchemaForm::Part),
                "oneOf" | "anyOf" => self.each(value, form),
                _ => value.clone(),
            };
            rewritten.insert(keyword.clone(), value);
        }
        if form == SchemaForm::Closed && is_object && !keywords.contains_key("additionalProperties") {
            rewritten.insert("unevaluatedProperties".to_owned(), json!(false));
        }
        rewritten.into()
    }

    fn refer(&mut self, reference: &Value, form: SchemaForm) -> Value {
        let name = reference.as_str().and_then(|reference| reference.strip_prefix(PLACE));
        let name = name.unwrap_or_else(|| panic!("{reference} is no schema of the document"));
        self.wanted.insert((name.to_owned(), form));
        json!(format!("#/$defs/{}.{name}", form.name()))
    }

    fn each_field(&mut self, fields: &Value) -> Value {
        let fields = fields.as_object().into_iter().flatten();
        fields
            .map(|(name, schema)| (name.clone(), self.rewrite(schema, SchemaForm::Closed)))
            .collect::<Map<_, _>>()
            .into()
    }

    fn each(&mut self, schemas: &Value, form: SchemaForm) -> Value {
        schemas
            .as_array()
            .into_iter()
            .flatten()
            .map(|schema| self.rewrite(schema, form))
            .collect::<Vec<_>>()
            .into()
    }
}

/// The schemas of a body, by media type.
pub(crate) type Content = BTreeMap<String, Lazy>;

#[cfg(test)]
mod tests {
    use super::{Lazy, PLACE};
    use serde_json::{Value, json};

    fn accepts(schema: &Value, value: &Value) -> bool {
        let document = json!({ "components": { "schemas": {
            "Line": { "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } },
            "Sized": { "allOf": [
                { "$ref": format!("{PLACE}Line") },
                { "type": "object", "properties": { "size": { "type": "integer" } } },
            ] },
        } } });
        Lazy::new(schema).validator(&document).is_valid(value)
    }

    #[test]
    fn a_field_that_is_not_named_is_a_fault_wherever_it_stands() {
        let line = json!({ "$ref": format!("{PLACE}Line") });
        let sized = json!({ "$ref": format!("{PLACE}Sized") });
        let list = json!({ "type": "array", "items": line });
        let maybe = json!({ "oneOf": [{ "type": "null" }, line] });
        for (schema, value, expected) in [
            (&line, json!({ "id": "a" }), true),
            (&line, json!({ "id": "a", "more": 1 }), false),
            (&line, json!({}), false),
            (&sized, json!({ "id": "a", "size": 1 }), true),
            (&sized, json!({ "id": "a", "size": 1, "more": 1 }), false),
            (&list, json!([{ "id": "a" }]), true),
            (&list, json!([{ "id": "a", "more": 1 }]), false),
            (&maybe, json!(null), true),
            (&maybe, json!({ "id": "a" }), true),
            (&maybe, json!({ "id": "a", "more": 1 }), false),
            (&json!({ "type": "object" }), json!({ "more": 1 }), true),
        ] {
            assert_eq!(accepts(schema, &value), expected, "{value} as {schema}");
        }
    }
}
