//! What every answer has and every request may send, read from the declarations: documented fields are present,
//! and ids that are integers are read as text as well.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Where answers and requests are declared.
const PLACES: [&str; 4] = ["shared/wire/src", "shared/web/src", "functions", "cli/src"];

fn sources() -> Vec<PathBuf> {
    fn collect(place: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    PLACES.iter().for_each(|place| collect(&blackbox::repository().join(place), &mut found));
    assert!(found.len() > 100, "the sources are not where they were");
    found
}

/// The fields of a struct that answers are made of.
#[derive(Default)]
struct Answers {
    /// Structs that were looked at.
    count: usize,
    /// Fields that may be left out: the name of the struct and that of the field.
    left_out: BTreeSet<(String, String)>,
}

fn text_of(attributes: &[syn::Attribute]) -> String {
    let list = attributes.iter().filter_map(|attribute| attribute.meta.require_list().ok());
    list.map(|list| format!("{}({}) ", list.path.segments[0].ident, list.tokens)).collect()
}

/// `priceTrace` for `price_trace`.
fn camel_case(field: &str) -> String {
    let mut words = field.trim_start_matches("r#").split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (head, tail) = word.split_at(1.min(word.len()));
        format!("{name}{}{tail}", head.to_ascii_uppercase())
    })
}

impl<'ast> Visit<'ast> for Answers {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let derived = text_of(&item.attrs);
        if derived.contains("Serialize") && derived.contains("ToSchema") {
            self.count += 1;
            let schema = derived.split_once("as = ").map(|(_, name)| name);
            let schema = schema.and_then(|name| name.split(|end: char| !end.is_alphanumeric()).next());
            let schema = schema.map_or_else(|| item.ident.to_string(), str::to_owned);
            for field in &item.fields {
                if text_of(&field.attrs).contains("skip") {
                    let name = camel_case(&field.ident.as_ref().unwrap().to_string());
                    self.left_out.insert((schema.clone(), name));
                }
            }
        }
        visit::visit_item_struct(self, item);
    }
}

/// Whether each answer of this schema has what its verdict or fault has, and no more.
fn says_what_it_has(schema: &str) -> bool {
    boxoffice::LEFT_OUT.iter().any(|row| row.schema == schema && row.field == boxoffice::OWN_FACTS)
}

#[test]
fn no_answer_leaves_out_a_field_but_those_with_a_reason() {
    let mut answers = Answers::default();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        answers.visit_file(&syn::parse_file(&text).unwrap());
        // What a macro declares is not seen above.
        let in_macro = text.contains("macro_rules!") && text.contains("skip_serializing");
        assert!(!in_macro, "{} leaves out fields in a macro", path.display());
    }
    assert!(answers.count > 100, "only {} answers were found", answers.count);
    // The body of refusals is put together by hand.
    let by_hand = ("ErrorBody".to_owned(), boxoffice::OWN_FACTS.to_owned());
    answers.left_out.insert(by_hand);
    let left_out = answers.left_out.into_iter().map(|(schema, field)| match says_what_it_has(&schema) {
        true => (schema, boxoffice::OWN_FACTS.to_owned()),
        false => (schema, field),
    });
    let table = boxoffice::LEFT_OUT.iter().map(|row| (row.schema.to_owned(), row.field.to_owned()));
    assert_eq!(left_out.collect::<BTreeSet<_>>(), table.collect());
    assert!(boxoffice::LEFT_OUT.iter().all(|row| !row.reason.is_empty()));
}

/// The names of fields, in declarations of what is sent, that are ids and plain integers.
fn plain_ids(text: &str) -> Vec<String> {
    let declarations = text.split("incoming! {").skip(1).flat_map(|rest| {
        let end = rest.find("\n}").unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default().lines()
    });
    let field = |line: &str| {
        let (name, kind) = line.trim().trim_end_matches(',').split_once(": ")?;
        let is_id =
            name == "id" || name.ends_with("_id") || name.ends_with("_ids") || name.ends_with("_number");
        (is_id && kind.contains("i64")).then(|| name.to_owned())
    };
    declarations.filter_map(field).collect()
}

#[test]
fn every_id_that_is_an_integer_is_read_as_text_as_well() {
    assert_eq!(plain_ids("incoming! {\n struct A {\n  order_id: i64,\n  count: i64,\n }\n}"), ["order_id"]);
    let mut wrong = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        wrong.extend(plain_ids(&text).into_iter().map(|name| format!("{}: {name}", path.display())));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_document_requires_every_field_of_an_answer_but_those_with_a_reason() {
    let document = serde_json::to_value(boxoffice::openapi()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut fields = 0_usize;
    for (name, schema) in schemas.iter().filter(|(name, _)| !name.ends_with("Input")) {
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(|field| field.as_str()).collect();
        for field in schema["properties"].as_object().into_iter().flat_map(|properties| properties.keys()) {
            fields += 1;
            let mut rows = boxoffice::LEFT_OUT.iter().filter(|row| row.schema == name);
            // A verdict at a door has its facts beside what every verdict has, which the type says.
            if says_what_it_has(name) && name != "ErrorBody" {
                continue;
            }
            let of_every_refusal = ["message", "errorCode", "type", "requestId"].contains(&field.as_str());
            let is_excused = rows.any(|row| {
                row.field == field.as_str() || (row.field == boxoffice::OWN_FACTS && !of_every_refusal)
            });
            assert!(required.contains(field.as_str()) != is_excused, "{name}.{field}");
        }
    }
    assert!(fields > 500, "only {fields} fields were found");
}
