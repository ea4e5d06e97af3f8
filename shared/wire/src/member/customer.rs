//! Customers as the back office sees them (spec §2.8 rule 3).

use crate::person::PersonOutput;
use domain::customer::Customer;
use serde::Serialize;
use utoipa::ToSchema;

/// Someone who bought something, gave it or holds a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerView {
    /// The customer.
    pub id: i64,
    /// Who it is.
    #[serde(flatten)]
    pub person: PersonOutput,
    /// Where the customer came from, as it was said with the gift that made one of its giver; null where nothing was.
    pub customer_source: Option<String>,
}

impl From<Customer> for CustomerView {
    fn from(Customer { id, person, source }: Customer) -> Self {
        Self { id: id.get(), person: person.into(), customer_source: source }
    }
}
