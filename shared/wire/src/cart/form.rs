//! The forms of a cart and their answers on the wire (spec §2.6).

use crate::catalog::FormFieldOutput;
use crate::readers::at_most;
use crate::{Checker, Field, Incoming, List, WireValue, incoming};
use domain::cart::{Cart, CartForm, CartLine, IncompleteForm};
use domain::cart_request::WantedForm;
use domain::form::{AnswerValue, Answers, Form, FormAnswer, SentAnswer, SentValue};
use domain::{FormId, FormResponseId, InstanceId};
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Answers of one form, and forms with answers in one cart.
const MAX_ANSWERS: usize = 100;
/// Characters of a field's name.
const NAME_CHARS: usize = 100;

/// What is sent for a field: text, a number, or true or false. A number is kept as it was written.
#[derive(Clone, PartialEq, Eq)]
pub struct FormValue(SentValue);

/// Says nothing of the answer.
impl std::fmt::Debug for FormValue {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("FormValue").finish_non_exhaustive()
    }
}

impl<'de> Deserialize<'de> for FormValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let wrong = || D::Error::custom("not an answer");
        Ok(Self(match raw.as_bytes().first() {
            Some(b'"') => SentValue::Text(serde_json::from_str(raw).map_err(|_| wrong())?),
            Some(b'-' | b'0'..=b'9') => SentValue::Number(raw.to_owned()),
            Some(b't' | b'f') => SentValue::Flag(raw == "true"),
            _ => return Err(wrong()),
        }))
    }
}

impl WireValue for FormValue {
    const EXPECTED: &'static str = "text, a number, or true or false";
}

impl Incoming for FormValue {
    type Wire = Self;
}

impl utoipa::PartialSchema for FormValue {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{SchemaType, Type};
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Number, Type::Boolean]))
            .description(Some(
                "Text, the chosen option or a date (`yyyy-mm-dd`) as a string; a number; true or false for a checkbox.",
            ))
            .into()
    }
}

impl ToSchema for FormValue {}

incoming! {
    /// An answer to a field of a form.
    pub struct AnswerInput {
        /// The name of the field.
        name: String,
        /// The answer; null or blank text answers nothing.
        value: FormValue,
        /// As a cart shows its fields. A field with a label and no value is a question, and answers nothing.
        label: String,
    }

    /// The answers to a form of a cart. They replace those given before.
    pub struct FormResponseInput {
        /// One for each field that is answered.
        fields: Vec<AnswerInput>,
    }

    /// The answers to a form, sent with a cart. An entry without `fields`, or with nothing but the questions of a
    /// cart that is sent back, changes nothing.
    pub struct FormAnswersInput {
        /// The form; an event of the cart must ask it.
        form_id: String,
        /// The event it is answered for; when left out, every event that asks it.
        event_id: String,
        /// One for each field that is answered.
        fields: Vec<AnswerInput>,
    }
}

impl FormResponseInput {
    /// The answers, to be compared with the form.
    pub fn parse(self, checker: &mut Checker) -> Option<Vec<SentAnswer>> {
        if !self.fields.is_sent() {
            checker.invalid("fields", "is required");
        }
        Some(read_fields(checker, self.fields))
    }
}

/// The forms of a cart that are answered.
pub(super) fn read_forms(checker: &mut Checker, sent: Field<List<FormAnswersInput>>) -> Vec<WantedForm> {
    let mut at = 0_usize;
    let read = checker.each("forms", sent, |checker, input| {
        let place = at;
        at = at.saturating_add(1);
        input.read(checker, place)
    });
    let wanted: Vec<WantedForm> = read.into_iter().flatten().collect();
    if wanted.len() > MAX_ANSWERS {
        checker.invalid("forms", format!("must have at most {MAX_ANSWERS} entries with answers"));
    }
    wanted
}

impl FormAnswersInput {
    fn read(self, checker: &mut Checker, at: usize) -> Option<WantedForm> {
        if !self.fields.is_sent() || asks_only(&self.fields) {
            return None;
        }
        let form = checker.required_id("formId", self.form_id, FormId::parse);
        let event = checker.optional_id("eventId", self.event_id, InstanceId::parse);
        let fields = read_fields(checker, self.fields);
        Some(WantedForm { at, form: form?, event, fields })
    }
}

impl AnswerInput {
    /// Whether it is a field as a cart shows it.
    const fn is_question(&self) -> bool {
        self.label.is_sent() && !self.value.is_sent()
    }
}

/// Whether they are the questions of a cart that was read.
fn asks_only(sent: &Field<List<AnswerInput>>) -> bool {
    let Field::Value(List(fields)) = sent else { return false };
    let is_question =
        |field: &Field<AnswerInput>| matches!(field, Field::Value(input) if input.is_question());
    !fields.is_empty() && fields.iter().all(is_question)
}

fn read_fields(checker: &mut Checker, sent: Field<List<AnswerInput>>) -> Vec<SentAnswer> {
    let read = checker.each("fields", sent, |checker, input| {
        if input.is_question() {
            return None;
        }
        let AnswerInput { name, value, label: _ } = input;
        let name = checker.required_text("name", name, NAME_CHARS);
        let value = checker.optional("value", value).map_or(SentValue::Nothing, |value| value.0);
        Some(SentAnswer { name: name?, value })
    });
    at_most(checker, "fields", &read, MAX_ANSWERS);
    read.into_iter().flatten().collect()
}

/// A form that a cart asks of its visitor (spec §2.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormEntryOutput {
    /// The form.
    pub form_id: String,
    /// Names the answers; stays the same as long as the cart asks the form.
    pub form_response_id: String,
    /// The first line of the event that asks it.
    pub item_id: String,
    /// The name of that event.
    pub item_name: String,
    /// `Event`.
    pub item_type: &'static str,
    /// Its name; empty where it is gone.
    pub form_name: String,
    /// What visitors are told about it; empty where the form has no description or is gone.
    pub description: String,
    /// Asked once for the cart; a response is saved for each event all the same.
    pub once_per_cart: bool,
    /// Whether the cart cannot be checked out without answers.
    pub required: bool,
    /// Whether it was answered, and the answers fitted the form when the cart was last written.
    pub completed: bool,
    /// The events the answers are for.
    pub event_ids: Vec<String>,
    /// What the form asks, as it is now; empty where it is gone.
    pub fields: Vec<FormFieldOutput>,
    /// What was answered; null where nothing was.
    pub response: Option<FormResponseOutput>,
}

/// The answers to a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FormResponseOutput {
    /// One for each field that was answered, in the order of the form.
    pub fields: Vec<AnswerOutput>,
}

/// An answer to a field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AnswerOutput {
    /// The name of the field.
    pub name: String,
    /// What was answered.
    #[schema(value_type = FormValue)]
    pub value: Value,
}

/// A form without which a cart cannot be checked out, in the answer that refuses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncompleteFormOutput {
    /// The form.
    pub form_id: String,
    /// Names the answers.
    pub form_response_id: String,
    /// The first line of the event that asks it.
    pub item_id: String,
    /// The events the answers are for.
    pub event_ids: Vec<String>,
    /// The fields that need an answer; empty for a form without required fields that was not filled in.
    pub fields: Vec<String>,
}

impl FormEntryOutput {
    /// A form that a cart of these lines asks, with what the venue's forms ask.
    #[must_use]
    pub fn new(entry: &CartForm, lines: &[CartLine], forms: &BTreeMap<FormId, Form>) -> Self {
        let CartForm { id, form, line, events, once_per_cart, required, answers, completed } = entry;
        let name = lines.iter().find_map(|known| match known {
            CartLine::Ticket(known) if known.id == *line => Some(known.event_name.clone()),
            CartLine::Combo(known) if known.id == *line => {
                let part = known.parts.iter().find(|part| events.contains(&part.instance));
                part.map(|part| part.event_name.clone())
            }
            CartLine::Ticket(_)
            | CartLine::AddOn(_)
            | CartLine::Donation(_)
            | CartLine::Combo(_)
            | CartLine::Membership(_) => None,
        });
        let authored = forms.get(form);
        Self {
            form_id: form.to_string(),
            form_response_id: id.to_string(),
            item_id: line.to_string(),
            item_name: name.unwrap_or_default(),
            item_type: "Event",
            form_name: authored.map(|form| form.name.clone()).unwrap_or_default(),
            description: authored.map(|form| form.description.clone()).unwrap_or_default(),
            once_per_cart: *once_per_cart,
            required: *required,
            completed: *completed,
            event_ids: texts(events),
            fields: authored.into_iter().flat_map(|form| &form.fields).map(Into::into).collect(),
            response: answers.as_ref().map(FormResponseOutput::from),
        }
    }

    /// The entry of a cart whose answers have this id.
    #[must_use]
    pub fn of(cart: &Cart, id: &FormResponseId, forms: &BTreeMap<FormId, Form>) -> Option<Self> {
        let entry = cart.forms.iter().find(|entry| entry.id == *id)?;
        Some(Self::new(entry, &cart.lines, forms))
    }
}

impl From<&Answers> for FormResponseOutput {
    fn from(answers: &Answers) -> Self {
        Self { fields: answers.iter().map(AnswerOutput::from).collect() }
    }
}

impl From<&FormAnswer> for AnswerOutput {
    fn from(answer: &FormAnswer) -> Self {
        let FormAnswer { name, value } = answer;
        let value = match value {
            AnswerValue::Text(text) => text.as_str().into(),
            // So few digits are the same in a float. Earlier releases kept as a number what was sent as text; what is
            // no JSON number, such as one with a zero before it, was.
            AnswerValue::Number(number) => {
                serde_json::from_str::<Value>(number).unwrap_or_else(|_| number.as_str().into())
            }
            AnswerValue::Flag(flag) => (*flag).into(),
            AnswerValue::Date(date) => date.to_string().into(),
        };
        Self { name: name.clone(), value }
    }
}

impl From<&IncompleteForm> for IncompleteFormOutput {
    fn from(incomplete: &IncompleteForm) -> Self {
        let CartForm { id, form, line, events, .. } = &incomplete.entry;
        Self {
            form_id: form.to_string(),
            form_response_id: id.to_string(),
            item_id: line.to_string(),
            event_ids: texts(events),
            fields: incomplete.fields.clone(),
        }
    }
}

fn texts(events: &[InstanceId]) -> Vec<String> {
    events.iter().map(ToString::to_string).collect()
}
