//! The people a venue knows (spec §2.8 rule 3).

use crate::CustomerId;
use serde::{Deserialize, Serialize};

/// Someone who bought something or holds a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    /// Identity.
    pub id: CustomerId,
    /// Who it is.
    pub person: Person,
}

impl From<&Person> for crate::order::Person {
    fn from(person: &Person) -> Self {
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
        } = person.clone();
        let text = |text: String| (!text.is_empty()).then_some(text);
        Self {
            first_name: text(first_name),
            last_name: text(last_name),
            full_name: None,
            email,
            phone_number,
            address1: street_address_1,
            address2: street_address_2,
            city,
            state,
            zip_code,
            country,
        }
    }
}

/// Name and address of a customer or card holder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Phone number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// Street and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street_address_1: Option<String>,
    /// Second line of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street_address_2: Option<String>,
    /// City.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// State.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip_code: Option<String>,
    /// Country.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}
