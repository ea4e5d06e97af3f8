//! People as they are sent and shown: name and address of someone, and who gives a membership.

use crate::{Checker, IntegerId, incoming};
use domain::CustomerId;
use domain::customer::Person;
use domain::membership::Gifter;
use serde::Serialize;
use utoipa::ToSchema;

/// Longest name or address line.
pub(crate) const MAX_TEXT_CHARS: usize = 200;

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

incoming! {
    /// Who gives a membership: an existing customer, or a new one (spec §2.5).
    pub struct GifterInput {
        /// An existing customer; nothing else is needed then.
        customer_id: IntegerId,
        /// Where a new customer came from.
        customer_source: String,
        first_name: String,
        last_name: String,
        email: String,
        phone_number: String,
        street_address1: String,
        street_address2: String,
        city: String,
        state: String,
        zip_code: String,
        country: String,
    }
}

impl GifterInput {
    pub(crate) fn parse(self, checker: &mut Checker) -> Gifter {
        let is_new = !self.customer_id.is_sent();
        let customer = checker.optional_number_id("customerId", self.customer_id, CustomerId::parse);
        let source = checker.optional_text("customerSource", self.customer_source, MAX_TEXT_CHARS);
        let person = Person {
            first_name: checker.typed_name("firstName", self.first_name, MAX_TEXT_CHARS).unwrap_or_default(),
            last_name: checker.typed_name("lastName", self.last_name, MAX_TEXT_CHARS).unwrap_or_default(),
            email: checker.email("email", self.email),
            phone_number: checker.optional_text("phoneNumber", self.phone_number, MAX_TEXT_CHARS),
            street_address_1: checker.optional_text("streetAddress1", self.street_address1, MAX_TEXT_CHARS),
            street_address_2: checker.optional_text("streetAddress2", self.street_address2, MAX_TEXT_CHARS),
            city: checker.optional_text("city", self.city, MAX_TEXT_CHARS),
            state: checker.optional_text("state", self.state, MAX_TEXT_CHARS),
            zip_code: checker.optional_text("zipCode", self.zip_code, MAX_TEXT_CHARS),
            country: checker.optional_text("country", self.country, MAX_TEXT_CHARS),
        };
        if is_new {
            check_new_giver(checker, source.as_deref(), &person);
        }
        Gifter { customer, source, person }
    }
}

/// What is asked of a giver who is no customer yet (spec §2.5).
fn check_new_giver(checker: &mut Checker, source: Option<&str>, person: &Person) {
    let needed = [
        ("customerSource", source.unwrap_or_default()),
        ("firstName", &person.first_name),
        ("lastName", &person.last_name),
    ];
    for (name, _) in needed.into_iter().filter(|(_, sent)| sent.is_empty()) {
        checker.invalid(name, "is required for a new customer");
    }
    let reachable = [&person.email, &person.phone_number, &person.street_address_1];
    if reachable.iter().all(|field| field.is_none()) {
        checker.invalid("email", "is required unless phoneNumber or streetAddress1 is sent");
    }
}

/// Who gives a membership.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GifterOutput {
    /// An existing customer, where one was named.
    pub customer_id: Option<i64>,
    /// Where a new customer came from.
    pub customer_source: Option<String>,
    /// Who it is, as far as it was sent.
    #[serde(flatten)]
    pub person: PersonOutput,
}

impl From<&Gifter> for GifterOutput {
    fn from(giver: &Gifter) -> Self {
        let Gifter { customer, source, person } = giver.clone();
        Self { customer_id: customer.map(CustomerId::get), customer_source: source, person: person.into() }
    }
}
