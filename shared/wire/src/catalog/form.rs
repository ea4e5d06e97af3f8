//! Forms asked of visitors (contract §7).

use crate::identified::identified;
use crate::readers::{at_most, flag, name, own_id, text, word};
use crate::{Checker, Field, List, incoming};
use domain::FormId;
use domain::compare::comparable;
use domain::form::{FieldKind, Form, FormField};
use serde::Serialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// Fields of a form.
const MAX_FIELDS: usize = 50;
/// Options of a choice.
const MAX_OPTIONS: usize = 100;
/// Characters of a field's name and of an option.
const WORD_CHARS: usize = 100;
/// Characters of a field's label.
const LABEL_CHARS: usize = 500;

/// A form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormOutput {
    /// Its id.
    pub id: String,
    /// For the back office.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// Asked once for a cart, not once for each ticket.
    pub once_per_cart: bool,
    /// Whether it must be filled in.
    pub required: bool,
    /// What it asks.
    pub fields: Vec<FormFieldOutput>,
}

/// A question of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FormFieldOutput {
    /// Names the answer.
    pub name: String,
    /// Shown to visitors.
    pub label: String,
    /// `text`, `number`, `choice`, `checkbox` or `date`.
    pub r#type: &'static str,
    /// Whether it must be answered.
    pub required: bool,
    /// What can be chosen; of a choice only.
    pub options: Option<Vec<String>>,
}

impl From<&Form> for FormOutput {
    fn from(form: &Form) -> Self {
        let Form { id, name, description, once_per_cart, required, fields } = form;
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            once_per_cart: *once_per_cart,
            required: *required,
            fields: fields.iter().map(Into::into).collect(),
        }
    }
}

impl From<&FormField> for FormFieldOutput {
    fn from(field: &FormField) -> Self {
        let FormField { name, label, kind, required } = field;
        let options = match kind {
            FieldKind::Choice(options) => Some(options.clone()),
            FieldKind::Text | FieldKind::Number | FieldKind::Checkbox | FieldKind::Date => None,
        };
        Self { name: name.clone(), label: label.clone(), r#type: kind.as_str(), required: *required, options }
    }
}

incoming! {
    /// A question of a form. Only a choice has options, and it must have some.
    pub struct FormFieldInput {
        #[schema(required = true)]
        name: String,
        label: String,
        #[serde(rename = "type")]
        #[schema(required = true)]
        kind: String,
        required: bool,
        options: Vec<String>,
    }
    /// A form.
    pub struct FormInput {
        id: String,
        #[schema(required = true)]
        name: String,
        description: String,
        once_per_cart: bool,
        required: bool,
        #[schema(required = true)]
        fields: Vec<FormFieldInput>,
    }
}

identified! {
    FormInput: id;
}

impl FormInput {
    /// The form, unless a field is at fault.
    pub fn read(self, checker: &mut Checker) -> Option<Form> {
        let id = own_id(checker, self.id, FormId::parse);
        let mut names = BTreeSet::new();
        let fields = checker.each("fields", self.fields, |checker, input| {
            let field = input.read(checker);
            if let Some(FormField { name, .. }) = &field
                && !name.is_empty()
                && !names.insert(comparable(name))
            {
                checker.invalid("name", "is already used by another field");
            }
            field
        });
        if fields.is_empty() && checker.is_clean() {
            checker.invalid("fields", "must have at least one entry");
        }
        at_most(checker, "fields", &fields, MAX_FIELDS);
        let form = Form {
            name: name(checker, "name", self.name),
            description: text(checker, "description", self.description),
            once_per_cart: flag(checker, "oncePerCart", self.once_per_cart),
            required: flag(checker, "required", self.required),
            fields: fields.into_iter().flatten().collect(),
            id: id?,
        };
        Some(form)
    }
}

impl FormFieldInput {
    fn read(self, checker: &mut Checker) -> Option<FormField> {
        let name = checker.required_text("name", self.name, WORD_CHARS).unwrap_or_default();
        let label = checker.optional_text("label", self.label, LABEL_CHARS).unwrap_or_else(|| name.clone());
        checker.require("type", &self.kind);
        let kind = word(checker, "type", self.kind, parse_kind, "text, number, choice, checkbox, date");
        let kind = kind.map(|kind| read_options(checker, kind, self.options));
        let required = flag(checker, "required", self.required);
        // A name may stand twice whatever else is wrong with its field.
        Some(FormField { name, label, kind: kind.unwrap_or(FieldKind::Text), required })
    }
}

fn parse_kind(text: &str) -> Option<FieldKind> {
    let all = [
        FieldKind::Text,
        FieldKind::Number,
        FieldKind::Choice(Vec::new()),
        FieldKind::Checkbox,
        FieldKind::Date,
    ];
    all.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text))
}

/// The kind with its options, which a choice must have and no other may.
fn read_options(checker: &mut Checker, kind: FieldKind, sent: Field<List<String>>) -> FieldKind {
    let is_wrong = matches!(sent, Field::Wrong);
    let mut seen = BTreeSet::new();
    let options = checker.each("options", sent, |checker, text| {
        let option = checker.text_here(&text, WORD_CHARS).unwrap_or_default();
        if !option.is_empty() && !seen.insert(option.clone()) {
            checker.invalid_here("is already in the list");
        }
        option
    });
    match kind {
        FieldKind::Choice(_) => {
            if options.is_empty() && !is_wrong {
                checker.invalid("options", "is required for a choice field");
            }
            at_most(checker, "options", &options, MAX_OPTIONS);
            FieldKind::Choice(options)
        }
        FieldKind::Text | FieldKind::Number | FieldKind::Checkbox | FieldKind::Date => {
            if !options.is_empty() {
                checker.invalid("options", "is only for choice fields");
            }
            kind
        }
    }
}
