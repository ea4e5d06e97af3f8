//! Who comes to an event: a row for each item with tickets left.

use super::SALE_CHANNEL;
use crate::cart::AnswerOutput;
use crate::csv::CsvCell;
use crate::money_text;
use domain::order::Order;
use domain::order::search::TicketsLeft;
use domain::{InstanceId, Money, Zone};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// An item of an order with tickets for the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManifestRowView {
    /// The order.
    pub order_id: String,
    /// The number printed for people.
    pub order_number: String,
    /// Contact.
    pub last_name: Option<String>,
    /// Contact.
    pub first_name: Option<String>,
    /// The item.
    pub order_item_id: String,
    /// The ticket type's name when it was sold.
    pub ticket_type_name: String,
    /// Tickets that are left after refunds and exchanges, and those that were given back after they let somebody in.
    pub quantity: u32,
    /// Those of them that let somebody in.
    pub check_in_quantity: u32,
    /// When the first of them did; null where none did.
    pub check_in_date: Option<String>,
    /// Where it was sold.
    pub sale_channel: &'static str,
    /// What the amounts of the order are counted in, by the ISO 4217 code.
    pub currency: String,
    /// What the order still owes.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub balance_amount: Money,
    /// Remarks on the order; null where there are none, and for a key of a door.
    pub notes: Option<String>,
    /// What was answered to forms for this event; null for a key of a door.
    pub forms: Option<Vec<ManifestFormView>>,
}

/// An answered form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ManifestFormView {
    /// The form's name when it was filled in.
    pub name: String,
    /// What was answered, in the order of the form.
    pub fields: Vec<AnswerOutput>,
}

/// The columns of the file.
pub const MANIFEST_COLUMNS: [&str; 14] = [
    "orderId",
    "orderNumber",
    "lastName",
    "firstName",
    "orderItemId",
    "ticketTypeName",
    "quantity",
    "checkInQuantity",
    "checkInDate",
    "saleChannel",
    "currency",
    "balanceAmount",
    "notes",
    "forms",
];

impl ManifestRowView {
    /// A row as the back office and tills see it.
    #[must_use]
    pub fn new(order: &Order, row: &TicketsLeft<'_>, zone: Zone) -> Self {
        let forms = ManifestFormView::all(order, row.line.instance);
        Self { notes: order.notes.clone(), forms: Some(forms), ..Self::for_door(order, row, zone) }
    }

    /// The same without remarks and answers.
    #[must_use]
    pub fn for_door(order: &Order, row: &TicketsLeft<'_>, zone: Zone) -> Self {
        let TicketsLeft { line, left: _, check_in } = row;
        Self {
            order_id: order.id.to_string(),
            order_number: order.number.to_string(),
            last_name: order.contact.last_name.clone(),
            first_name: order.contact.first_name.clone(),
            order_item_id: line.id.to_string(),
            ticket_type_name: line.ticket_type_name.clone(),
            quantity: check_in.tickets,
            check_in_quantity: check_in.admitted,
            check_in_date: check_in.first_entry.map(|at| zone.format(at)),
            sale_channel: SALE_CHANNEL,
            currency: order.currency.to_string(),
            balance_amount: order.fees_due(),
            notes: None,
            forms: None,
        }
    }

    /// The row as one of the file. Answers are a cell of lines: the form, and each field with what was answered.
    #[must_use]
    pub fn cells(&self) -> Vec<CsvCell> {
        let text = |text: &Option<String>| CsvCell::text(text.as_deref().unwrap_or_default());
        vec![
            CsvCell::made(&self.order_id),
            CsvCell::made(&self.order_number),
            text(&self.last_name),
            text(&self.first_name),
            CsvCell::made(&self.order_item_id),
            CsvCell::text(&self.ticket_type_name),
            CsvCell::made(self.quantity),
            CsvCell::made(self.check_in_quantity),
            CsvCell::made(self.check_in_date.as_deref().unwrap_or_default()),
            CsvCell::made(self.sale_channel),
            CsvCell::made(&self.currency),
            CsvCell::made(self.balance_amount),
            text(&self.notes),
            CsvCell::text(
                &self.forms.iter().flatten().map(ManifestFormView::lines).collect::<Vec<_>>().join("\n"),
            ),
        ]
    }
}

impl ManifestFormView {
    fn all(order: &Order, event: InstanceId) -> Vec<Self> {
        let of_event = order.forms.iter().filter(|form| form.responses.iter().any(|one| one.event == event));
        let view = |form: &domain::order::OrderForm| Self {
            name: form.name.clone(),
            fields: form.answers.iter().map(AnswerOutput::from).collect(),
        };
        of_event.map(view).collect()
    }

    fn lines(&self) -> String {
        let answers = self.fields.iter().map(|field| format!("{}: {}", field.name, plain(&field.value)));
        std::iter::once(self.name.clone()).chain(answers).collect::<Vec<_>>().join("\n")
    }
}

/// What was answered, without quotes.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
