//! Whom an order is for, and who pays it, as they were sent (spec §2.8).

use crate::customer;
use serde::{Deserialize, Serialize};

/// A person's name and address, as far as known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct OrderPerson {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address1: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address2: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

impl OrderPerson {
    /// First name, last name and one of phone, e-mail or zip code are there (spec §2.8 rule 1).
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let reachable = self.phone_number.is_some() || self.email.is_some() || self.zip_code.is_some();
        self.first_name.is_some() && self.last_name.is_some() && reachable
    }

    /// The person with the names that the full name says where they were not sent: its last word is the last name, and
    /// what stands before it the first name.
    #[must_use]
    pub fn with_names(mut self) -> Self {
        let full = self.full_name.as_deref().unwrap_or_default().trim();
        let (first, last) = full.rsplit_once(char::is_whitespace).unwrap_or(("", full));
        let said = |word: &str| Some(word.trim().to_owned()).filter(|word| !word.is_empty());
        let (first, last) = (said(first), said(last));
        self.first_name = self.first_name.or(first);
        self.last_name = self.last_name.or(last);
        self
    }

    /// The name as one text.
    #[must_use]
    pub fn name(&self) -> String {
        if let Some(name) = &self.full_name {
            return name.clone();
        }
        let names = [self.first_name.as_deref(), self.last_name.as_deref()];
        names.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

impl From<&customer::Person> for OrderPerson {
    fn from(person: &customer::Person) -> Self {
        let customer::Person {
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

impl From<&OrderPerson> for customer::Person {
    fn from(person: &OrderPerson) -> Self {
        let OrderPerson {
            first_name,
            last_name,
            // The two above, in one.
            full_name: _,
            email,
            phone_number,
            address1,
            address2,
            city,
            state,
            zip_code,
            country,
        } = person;
        Self {
            first_name: first_name.clone().unwrap_or_default(),
            last_name: last_name.clone().unwrap_or_default(),
            email: email.clone(),
            phone_number: phone_number.clone(),
            street_address_1: address1.clone(),
            street_address_2: address2.clone(),
            city: city.clone(),
            state: state.clone(),
            zip_code: zip_code.clone(),
            country: country.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_data_of_an_order_and_of_a_customer_read_alike() {
        let of_customer: customer::Person = serde_json::from_value(json!({
            "first_name": "Zoë", "last_name": "Okafor", "email": "zoe@example.test",
            "phone_number": "+1 415 555 0142", "street_address_1": "18 Quay Street", "city": "Portview",
            "state": "California", "zip_code": "94000", "country": "United States",
        }))
        .unwrap();
        let of_order: OrderPerson = serde_json::from_value(json!({
            "first_name": "Zoë", "last_name": "Okafor", "full_name": null, "email": "zoe@example.test",
            "phone_number": "+1 415 555 0142", "address1": "18 Quay Street", "address2": null, "city": "Portview",
            "state": "California", "zip_code": "94000", "country": "United States",
        }))
        .unwrap();
        assert_eq!(customer::Person::from(&of_order), of_customer);
        let stored = serde_json::to_value(&of_order).unwrap();
        assert_eq!(serde_json::from_value::<customer::Person>(stored).unwrap(), of_customer);
        let nobody = serde_json::to_value(OrderPerson::default()).unwrap();
        assert_eq!(serde_json::from_value::<customer::Person>(nobody).unwrap(), customer::Person::default());
    }
}
