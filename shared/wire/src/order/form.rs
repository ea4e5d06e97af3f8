//! The forms of an order on the wire (spec §2.6).

use crate::cart::AnswerOutput;
use domain::order::{FormResponse, Order, OrderForm};
use serde::Serialize;
use utoipa::ToSchema;

/// The answers to a form, saved for one event of an order (spec §2.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderFormView {
    /// The form.
    pub form_id: String,
    /// Its name when it was filled in.
    pub form_name: String,
    /// Identity of the response: one of its own for each event.
    pub form_response_id: String,
    /// The first line of the event.
    pub item_id: String,
    /// The name of the event when it was sold.
    pub item_name: String,
    /// `Event`.
    pub item_type: &'static str,
    /// Asked once for the cart, so that its other events have the same answers.
    pub once_per_cart: bool,
    /// The event instance.
    pub event_id: String,
    /// What was answered, in the order of the form.
    pub fields: Vec<AnswerOutput>,
}

impl OrderFormView {
    /// Every response of an order.
    pub(super) fn all(order: &Order) -> Vec<Self> {
        let responses = order.forms.iter().flat_map(|form| form.responses.iter().map(move |one| (form, one)));
        responses.filter_map(|(form, response)| Self::new(order, form, response)).collect()
    }

    fn new(order: &Order, form: &OrderForm, response: &FormResponse) -> Option<Self> {
        let OrderForm { form, name, once_per_cart, responses: _, answers } = form;
        let FormResponse { id, event } = response;
        let line = order.ticket_lines().find(|line| line.instance == *event)?;
        Some(Self {
            form_id: form.to_string(),
            form_name: name.clone(),
            form_response_id: id.to_string(),
            item_id: line.id.to_string(),
            item_name: line.event_name.clone(),
            item_type: "Event",
            once_per_cart: *once_per_cart,
            event_id: event.to_string(),
            fields: answers.iter().map(AnswerOutput::from).collect(),
        })
    }
}
