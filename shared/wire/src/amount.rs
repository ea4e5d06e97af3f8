//! Money on the wire: decimal text with two decimals, or a JSON number where live clients expect one.

use crate::{Field, Incoming, WireValue};
use domain::{Money, MoneyParseError};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
use serde_json::value::RawValue;

/// An amount as a caller wrote it, string or number, kept as text so that no float step can touch it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount(String);

impl Amount {
    /// The decimal text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        match raw.as_bytes().first() {
            Some(b'"') => serde_json::from_str(raw).map(Self).map_err(|_| D::Error::custom("not an amount")),
            Some(b'-' | b'0'..=b'9') => Ok(Self(raw.to_owned())),
            _ => Err(D::Error::custom("not an amount")),
        }
    }
}

impl WireValue for Amount {
    const EXPECTED: &'static str = "an amount, such as \"12.50\"";
}

impl Incoming for Amount {
    type Wire = Self;
}

impl utoipa::PartialSchema for Amount {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::SchemaType::from_iter([
                utoipa::openapi::schema::Type::String,
                utoipa::openapi::schema::Type::Number,
            ]))
            .description(Some("Decimal amount with at most two decimals, as a string or a number."))
            .into()
    }
}

impl utoipa::ToSchema for Amount {}

/// Whether an amount was sent that is larger than any.
pub(crate) fn is_too_large(field: &Field<Amount>) -> bool {
    match field {
        Field::Value(amount) => Money::parse(amount.text()) == Err(MoneyParseError::TooLarge),
        Field::Absent | Field::Null | Field::Wrong => false,
    }
}

/// Whether an amount was sent with a minus sign.
pub(crate) fn is_negative(field: &Field<Amount>) -> bool {
    match field {
        Field::Value(amount) => Money::parse(amount.text()) == Err(MoneyParseError::Negative),
        Field::Absent | Field::Null | Field::Wrong => false,
    }
}

/// Serialises an amount as text with two decimals (`#[serde(serialize_with = "money_text")]`).
///
/// # Errors
/// Those of the serialiser.
pub fn money_text<S: Serializer>(amount: &Money, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(amount)
}

/// Serialises an amount as a JSON number with its exact decimal digits, for the fields where live clients
/// expect a number (contract §1).
///
/// # Errors
/// Those of the serialiser.
pub fn money_number<S: Serializer>(amount: &Money, serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::{Error as _, Serialize};
    RawValue::from_string(amount.to_string()).map_err(S::Error::custom)?.serialize(serializer)
}
