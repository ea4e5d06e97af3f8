//! The people a venue knows (spec §2.8 rule 3).
//!
//! Whether two descriptions mean one person is decided here and nowhere else: [`match_text`]. See decision records
//! 0054 and 0119.

use crate::CustomerId;
use crate::compare::{comparable, comparable_phone};
use crate::email::comparable_email;
use crate::locations::{country_name, find_country, state_name};
use serde::{Deserialize, Deserializer, Serialize};

/// Someone who bought something or holds a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    pub id: CustomerId,
    /// Who it is.
    pub person: Person,
    /// Where the customer came from, as it was said when a gift made one of its giver (spec §2.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Customer {
    /// Whether all that another description says of the customer is known already.
    #[must_use]
    pub fn says(&self, other: &Self) -> bool {
        let source = other.source.is_none() || self.source == other.source;
        self.id == other.id && self.person == other.person && source
    }
}

/// Name and address of a customer or card holder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    #[serde(deserialize_with = "text_or_nothing")]
    pub first_name: String,
    #[serde(deserialize_with = "text_or_nothing")]
    pub last_name: String,
    /// Email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// Street and number.
    #[serde(alias = "address1", skip_serializing_if = "Option::is_none")]
    pub street_address_1: Option<String>,
    /// What else the address has, such as a floor.
    #[serde(alias = "address2", skip_serializing_if = "Option::is_none")]
    pub street_address_2: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// Customers that earlier checkouts made have their fields by the names of an order, and null for what is missing.
fn text_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl Person {
    /// Fills the gaps in what is known of someone.
    pub fn complete(&mut self, said: &Self) {
        let Self {
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
        } = said;
        for (known, said) in [(&mut self.first_name, first_name), (&mut self.last_name, last_name)] {
            if known.is_empty() {
                known.clone_from(said);
            }
        }
        for (known, said) in [
            (&mut self.email, email),
            (&mut self.phone_number, phone_number),
            (&mut self.street_address_1, street_address_1),
            (&mut self.street_address_2, street_address_2),
            (&mut self.city, city),
            (&mut self.state, state),
            (&mut self.zip_code, zip_code),
            (&mut self.country, country),
        ] {
            if known.is_none() {
                known.clone_from(said);
            }
        }
    }

    /// The names of its fields with what is in them, in the order in which they are compared.
    fn fields(&self) -> [Option<&str>; 10] {
        let Self {
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
        } = self;
        let optional =
            [email, phone_number, street_address_1, street_address_2, city, state, zip_code, country];
        let [email, phone, address_1, address_2, city, state, zip_code, country] =
            optional.map(Option::as_deref);
        let (first, last) = (Some(first_name.as_str()), Some(last_name.as_str()));
        [first, last, email, phone, address_1, address_2, city, state, zip_code, country]
    }

    /// Enough is there to make a customer of a card holder or giver: both names and one of e-mail address, phone
    /// number and address, of which the postal code is part (spec §2.5; decision record 0078).
    #[must_use]
    pub fn can_be_customer(&self) -> bool {
        let [first, last, email, phone, address_1, _, _, _, zip_code, _] = plain_fields(self);
        let is_there = |field: &String| !field.is_empty();
        [first, last].iter().all(is_there) && [email, phone, address_1, zip_code].iter().any(is_there)
    }

    /// Everything is there that makes two descriptions the same customer: all but the second line of the address.
    #[must_use]
    pub fn is_fully_populated(&self) -> bool {
        match_text(self).is_some()
    }
}

/// What fully populated data is compared by, field by field; none where something is missing (spec §2.8 rule 3), which
/// is judged by what is compared: nobody is somebody else by what both leave open. Two descriptions mean the same
/// customer when all of it is the same.
#[must_use]
pub fn match_text(person: &Person) -> Option<[String; 10]> {
    let fields = plain_fields(person);
    let [first, last, email, phone, address_1, _, city, state, zip_code, country] = &fields;
    let needed = [first, last, email, phone, address_1, city, state, zip_code, country];
    let is_full = needed.into_iter().all(|field| !field.is_empty());
    is_full.then_some(fields)
}

/// A description field by field, as [`comparable`] has it: of phone numbers the digits, of e-mail addresses the form in
/// which mail is sent, and of country and state the name, whether they are named or given as codes. What is missing is
/// empty, and nothing else is.
#[must_use]
pub fn plain_fields(person: &Person) -> [String; 10] {
    let country = person.country.as_deref().unwrap_or_default();
    let known = find_country(country);
    let state = person.state.as_deref().map(|state| {
        let named = known.and_then(|country| state_name(country, state));
        named.unwrap_or(state)
    });
    let country = country_name(country).unwrap_or(country);
    let [first, last, email, phone, address_1, address_2, city, _, zip_code, _] = person.fields();
    let email = email.map(comparable_email).unwrap_or_default();
    let phone = phone.map(comparable_phone).unwrap_or_default();
    let text = |field: Option<&str>| comparable(field.unwrap_or_default());
    let [first, last, address_1, address_2] = [first, last, address_1, address_2].map(text);
    let [city, state, zip_code, country] = [city, state, zip_code, Some(country)].map(text);
    [first, last, email, phone, address_1, address_2, city, state, zip_code, country]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(changes: &[(&str, &str)]) -> Person {
        let mut fields = serde_json::json!({
            "first_name": "Zoë", "last_name": "Okafor", "email": "zoe@example.test",
            "phone_number": "+1 415 555 0142", "street_address_1": "18 Quay Street", "city": "Portview",
            "state": "California", "zip_code": "94000", "country": "United States",
        });
        for (name, value) in changes {
            fields[*name] = (*value).into();
        }
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn the_same_customer_is_meant_however_case_space_phone_and_codes_are_written() {
        let same = match_text(&person(&[]));
        assert!(same.is_some());
        for (name, value) in [
            ("first_name", "ZOË"),
            ("first_name", "  Zoe\u{308} "),
            ("email", "ZOE@example.test"),
            ("phone_number", "14155550142"),
            ("street_address_1", "18  quay street"),
            ("state", "CA"),
            ("state", "us-ca"),
            ("country", "US"),
            ("country", "usa"),
            ("street_address_2", " "),
            ("phone_number", "\u{ff0b}\u{ff11}\u{ff14}\u{ff11}\u{ff15} 555 0142"),
            ("country", "\u{c9}tats-Unis"),
        ] {
            assert_eq!(match_text(&person(&[(name, value)])), same, "{name} {value}");
        }
        for (name, value) in [
            ("first_name", "Zoe"),
            ("last_name", "Okafo"),
            ("email", "zoe@example.org"),
            ("phone_number", "415 555 0142"),
            ("street_address_1", "18 Quay Str"),
            ("street_address_2", "Floor 2"),
            ("city", "Port view"),
            ("state", "Oregon"),
            ("zip_code", "94001"),
            ("country", "Canada"),
        ] {
            assert_ne!(match_text(&person(&[(name, value)])), same, "{name} {value}");
        }
    }

    #[test]
    fn data_with_a_gap_matches_nobody() {
        for name in [
            "first_name",
            "last_name",
            "email",
            "phone_number",
            "street_address_1",
            "city",
            "state",
            "zip_code",
            "country",
        ] {
            assert_eq!(match_text(&person(&[(name, " ")])), None, "{name}");
        }
    }
}
