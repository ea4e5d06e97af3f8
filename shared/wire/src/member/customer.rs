//! People as they are shown, and customers as the back office sees them (spec §2.8 rule 3).

use domain::customer::{Customer, Person};
use serde::Serialize;
use utoipa::ToSchema;

/// Name and address of someone. What is not known is null; a name that is not known is empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonOutput {
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// E-mail address.
    pub email: Option<String>,
    /// Phone number.
    pub phone_number: Option<String>,
    /// Street and number.
    pub street_address1: Option<String>,
    /// What else the address has, such as a floor.
    pub street_address2: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State.
    pub state: Option<String>,
    /// Postal code.
    pub zip_code: Option<String>,
    /// Country.
    pub country: Option<String>,
}

impl From<Person> for PersonOutput {
    fn from(person: Person) -> Self {
        let Person {
            first_name,
            last_name,
            email,
            phone_number,
            street_address_1,
            street_address_2,
            city,
            state,
            zip_code,
            country,
        } = person;
        Self {
            first_name,
            last_name,
            email,
            phone_number,
            street_address1: street_address_1,
            street_address2: street_address_2,
            city,
            state,
            zip_code,
            country,
        }
    }
}

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
