//! Answered forms of orders, each for one event (spec §2.6).

use super::manifest::plain;
use crate::cart::AnswerOutput;
use crate::catalog::FormFieldOutput;
use crate::csv::CsvCell;
use domain::Zone;
use domain::form::{Form, FormField};
use domain::order::{FormResponse, Order, OrderForm};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// An answered form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredFormView {
    /// Identity.
    pub id: String,
    /// The form.
    pub form_id: String,
    /// The form's name; of a form that is deleted, as it was when it was filled in.
    pub name: String,
    /// The number of the order.
    pub number: String,
    /// `order`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `service`.
    pub source: &'static str,
    /// When it was sent: when the checkout began.
    pub submission_date: String,
    /// Empty.
    pub custom_fields: Vec<Value>,
    /// What was answered.
    pub response_data: AnsweredFieldsView,
    /// The form as it is now.
    pub published_form_template: AnsweredTemplateView,
    /// The order.
    pub order_id: String,
    /// The event instance the answers are for.
    pub event_id: String,
    /// The first item of the event; null where there is none.
    pub item_id: Option<String>,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AnsweredFieldsView {
    /// Field by field, in the order of the form.
    pub fields: Vec<AnsweredFieldView>,
}

/// An answered field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AnsweredFieldView {
    /// Its name, and what was answered.
    #[serde(flatten)]
    pub answer: AnswerOutput,
    /// What visitors read by now; the name, where the form has no such field any more.
    pub label: String,
}

/// A form as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredTemplateView {
    /// The form.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `order`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `service`.
    pub source: &'static str,
    /// Its fields as JSON text; null where it is deleted.
    pub source_form_definition: Option<String>,
    /// `Published`, or `Deleted`.
    pub state: &'static str,
    /// Null: it is not noted when a form was changed.
    pub last_updated_date: Option<String>,
    /// Null, likewise.
    pub last_published_date: Option<String>,
    /// Asked once for the cart, not once for each event.
    pub once_per_cart: bool,
}

const KIND: &str = "order";
const SOURCE: &str = "service";

impl AnsweredFormView {
    /// The answers of an order to a form, for one event. `current` is the form as it is now, if it is there.
    #[must_use]
    pub fn new(
        order: &Order,
        form: &OrderForm,
        response: &FormResponse,
        current: Option<&Form>,
        zone: Zone,
    ) -> Self {
        let template = AnsweredTemplateView::new(form, current);
        let fields = current.map_or(&[][..], |form| form.fields.as_slice());
        let field = |answer: AnswerOutput| {
            let field = fields.iter().find(|field| field.name == answer.name);
            let label = field.map_or_else(|| answer.name.clone(), |field| field.label.clone());
            AnsweredFieldView { answer, label }
        };
        let item = order.all_ticket_lines().find(|line| line.instance == response.event);
        Self {
            id: response.id.to_string(),
            form_id: form.form.to_string(),
            name: template.name.clone(),
            number: order.number.to_string(),
            kind: KIND,
            source: SOURCE,
            submission_date: zone.format(order.created_at),
            custom_fields: Vec::new(),
            response_data: AnsweredFieldsView {
                fields: form.answers.iter().map(AnswerOutput::from).map(field).collect(),
            },
            published_form_template: template,
            order_id: order.id.to_string(),
            event_id: response.event.to_string(),
            item_id: item.map(|line| line.id.to_string()),
        }
    }

    /// The row of a file with a column for each of these fields.
    #[must_use]
    pub fn cells(&self, fields: &[String]) -> Vec<CsvCell> {
        let answer = |name: &String| {
            let mut answers = self.response_data.fields.iter().map(|field| &field.answer);
            let found = answers.find(|answer| answer.name == *name);
            CsvCell::text(&found.map(|answer| plain(&answer.value)).unwrap_or_default())
        };
        let known = [
            CsvCell::text(&self.id),
            CsvCell::made(&self.number),
            CsvCell::made(&self.submission_date),
            CsvCell::text(&self.event_id),
        ];
        known.into_iter().chain(fields.iter().map(answer)).collect()
    }
}

impl AnsweredTemplateView {
    fn new(answered: &OrderForm, current: Option<&Form>) -> Self {
        Self {
            id: answered.form.to_string(),
            name: current.map_or_else(|| answered.name.clone(), |form| form.name.clone()),
            kind: KIND,
            source: SOURCE,
            source_form_definition: current.and_then(|form| definition(&form.fields)),
            state: if current.is_some() { "Published" } else { "Deleted" },
            last_updated_date: None,
            last_published_date: None,
            once_per_cart: current.map_or(answered.once_per_cart, |form| form.once_per_cart),
        }
    }
}

/// The columns of a file of answers before those of the fields.
pub const RESPONSE_COLUMNS: [&str; 4] = ["id", "number", "submissionDate", "eventId"];

fn definition(fields: &[FormField]) -> Option<String> {
    let fields: Vec<FormFieldOutput> = fields.iter().map(Into::into).collect();
    serde_json::to_string(&fields).ok()
}
