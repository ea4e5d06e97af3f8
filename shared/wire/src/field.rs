//! Reading JSON without stopping at the first fault.

use domain::card::CardText;
use domain::number::whole_number;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::value::RawValue;

/// A field as the caller sent it. Absent, null and wrong are told apart, and a wrong field does not keep
/// the others from being read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// Not sent.
    #[default]
    Absent,
    /// Sent as `null`.
    Null,
    /// Sent, and of the right shape.
    Value(T),
    /// Sent with another JSON type than documented; what was sent is dropped, since it may be a secret.
    Wrong,
}

impl<T> Field<T> {
    /// The value, when one of the right shape was sent.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null | Self::Wrong => None,
        }
    }

    /// Whether something was sent, of whatever type.
    pub(crate) const fn is_sent(&self) -> bool {
        match self {
            Self::Absent | Self::Null => false,
            Self::Value(_) | Self::Wrong => true,
        }
    }

    /// This field, or `other` where this one was not sent: the two are spellings of one name (contract §1). Null stays
    /// null where the other says nothing, since it may take something away.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Null, Self::Absent) => Self::Null,
            (Self::Absent | Self::Null, other) => other,
            (sent @ (Self::Value(_) | Self::Wrong), _) => sent,
        }
    }
}

/// A JSON value that can stand in a request.
pub trait WireValue: DeserializeOwned {
    /// What the documentation calls it, as in "must be a string".
    const EXPECTED: &'static str;

    /// True for a text of JSON that can be read as this type. Serde would also fill a struct from an array.
    fn admits(raw: &str) -> bool {
        Self::EXPECTED != "an object" || raw.starts_with('{')
    }

    /// What a text of JSON says; none where it is of another type.
    fn of_json(raw: &str) -> Option<Self> {
        serde_json::from_str(raw).ok()
    }
}

/// A type as it is written in a declaration, and what reads it.
pub trait Incoming {
    /// The reader; differs from the type itself only for lists, whose elements are read one by one.
    type Wire: WireValue;
}

/// A JSON array whose elements are read one by one, so that a wrong element has its own pointer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List<T>(pub Vec<Field<T>>);

impl<'de, T: WireValue> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        if raw.get() == "null" {
            return Ok(Self::Null);
        }
        if !T::admits(raw.get()) {
            return Ok(Self::Wrong);
        }
        Ok(T::of_json(raw.get()).map_or(Self::Wrong, Self::Value))
    }
}

impl<'de, T: WireValue> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self)
    }
}

impl<T: WireValue> WireValue for List<T> {
    const EXPECTED: &'static str = "an array";
}

impl<T: Incoming> Incoming for Vec<T> {
    type Wire = List<T::Wire>;
}

macro_rules! plain_values {
    ($($name:ty: $expected:literal;)*) => {$(
        impl WireValue for $name {
            const EXPECTED: &'static str = $expected;
        }
        impl Incoming for $name {
            type Wire = Self;
        }
    )*};
}

plain_values! {
    String: "a string";
    CardText: "a string";
    bool: "true or false";
    serde_json::Value: "any JSON value";
}

impl WireValue for i64 {
    const EXPECTED: &'static str = "an integer";

    /// An integer beyond the range is read as the end of the range, so that the field's own limit is told.
    fn of_json(raw: &str) -> Option<Self> {
        let end = if raw.starts_with('-') { Self::MIN } else { Self::MAX };
        let is_integer = raw.strip_prefix('-').unwrap_or(raw).bytes().all(|byte| byte.is_ascii_digit());
        serde_json::from_str(raw).ok().or_else(|| is_integer.then_some(end))
    }
}

impl Incoming for i64 {
    type Wire = Self;
}

/// An id that is an integer, as a number or as its digits in text: clients of the interface type ids as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntegerId(i64);

impl IntegerId {
    /// The number.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The id that these digits are, with white space around them or not.
    pub(crate) fn of_digits(text: &str) -> Option<Self> {
        whole_number(text.trim()).map(Self)
    }
}

impl<'de> Deserialize<'de> for IntegerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let read = if raw.starts_with('"') {
            serde_json::from_str::<String>(raw).ok().and_then(|text| Self::of_digits(&text))
        } else {
            serde_json::from_str(raw).ok().map(Self)
        };
        read.ok_or_else(|| serde::de::Error::custom("not an integer"))
    }
}

impl WireValue for IntegerId {
    const EXPECTED: &'static str = "an integer";
}

impl Incoming for IntegerId {
    type Wire = Self;
}

impl utoipa::PartialSchema for IntegerId {
    /// As it is best sent: a union of types would give generated clients a clumsier one.
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .description(Some("An id that is an integer. Its digits as text are read as well."))
            .into()
    }
}

impl utoipa::ToSchema for IntegerId {}

/// An id that is text of digits, or the integer that these are: some answers show an order's so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigitsId(String);

impl Field<DigitsId> {
    /// The id as text.
    pub(crate) fn into_text(self) -> Field<String> {
        match self {
            Self::Absent => Field::Absent,
            Self::Null => Field::Null,
            Self::Wrong => Field::Wrong,
            Self::Value(DigitsId(text)) => Field::Value(text),
        }
    }
}

impl<'de> Deserialize<'de> for DigitsId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        if raw.starts_with('"') {
            return serde_json::from_str(raw).map(Self).map_err(serde::de::Error::custom);
        }
        let number: u64 = serde_json::from_str(raw).map_err(serde::de::Error::custom)?;
        Ok(Self(number.to_string()))
    }
}

impl WireValue for DigitsId {
    const EXPECTED: &'static str = "a string";
}

impl Incoming for DigitsId {
    type Wire = Self;
}

impl utoipa::PartialSchema for DigitsId {
    /// As it is best sent.
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, Type};
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("An id of digits. The integer that they are is read as well."))
            .into()
    }
}

impl utoipa::ToSchema for DigitsId {}

/// The body is not JSON of the expected outer shape. Says where, never what: a body may hold a card number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// Line of the fault, from 1.
    pub line: usize,
    /// Column of the fault, from 1.
    pub column: usize,
}

impl Malformed {
    fn at(fault: &serde_json::Error) -> Self {
        Self { line: fault.line(), column: fault.column() }
    }
}

/// Reads a request body.
///
/// # Errors
/// [`Malformed`] when it is not JSON or not an object.
pub fn read_body<T: WireValue>(body: &[u8]) -> Result<T, Malformed> {
    let raw: &RawValue = serde_json::from_slice(body).map_err(|fault| Malformed::at(&fault))?;
    if !T::admits(raw.get()) {
        return Err(Malformed { line: 1, column: 1 });
    }
    serde_json::from_str(raw.get()).map_err(|fault| Malformed::at(&fault))
}

/// Declares what a caller may send: a struct whose fields are all [`Field`]s, read as camelCase, with its
/// OpenAPI schema. Write the fields with their documented types. Debugging shows the name alone, since what is
/// sent may be a card number.
#[macro_export]
macro_rules! incoming {
    ($(
        $(#[$outer:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$inner:meta])* $field:ident: $ty:ty, )*
        }
    )*) => {$(
        $(#[$outer])*
        #[derive(Clone, Default, $crate::serde::Deserialize, $crate::utoipa::ToSchema)]
        #[serde(rename_all = "camelCase", crate = "::serde")]
        $vis struct $name {
            $(
                $(#[$inner])*
                #[serde(default)]
                #[schema(value_type = Option<$ty>)]
                pub $field: $crate::Field<<$ty as $crate::Incoming>::Wire>,
            )*
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                out.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
        impl $crate::WireValue for $name {
            const EXPECTED: &'static str = "an object";
        }
        impl $crate::Incoming for $name {
            type Wire = Self;
        }
    )*};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Amount, Checker};

    incoming! {
        /// A line.
        struct LineInput {
            /// How many.
            quantity: i64,
            unit_price: Amount,
        }
        /// An order.
        struct OrderInput {
            id: String,
            lines: Vec<LineInput>,
            #[serde(rename = "type")]
            kind: String,
        }
    }

    #[test]
    fn every_fault_of_a_body_is_found_with_its_pointer() {
        let body = br#"{"id": 7, "type": "x", "lines": [{"quantity": "2"}, 5, {"quantity": 1, "unitPrice": 1.005}]}"#;
        let input: OrderInput = read_body(body).unwrap();
        let mut checker = Checker::new();
        checker.required("id", input.id);
        checker.optional("type", input.kind);
        checker.each("lines", input.lines, |checker, line| {
            checker.required("quantity", line.quantity);
            checker.optional_money("unitPrice", line.unit_price);
        });
        let rejection = checker.finish(Some(())).unwrap_err();
        let faults: Vec<String> =
            rejection.details().iter().map(|f| format!("{} {}", f.field, f.message)).collect();
        assert_eq!(
            faults,
            [
                "/id must be a string",
                "/lines/0/quantity must be an integer",
                "/lines/1 must be an object",
                "/lines/2/unitPrice must have at most two decimals",
            ]
        );
    }

    #[test]
    fn an_id_of_digits_is_read_as_text_and_as_the_integer() {
        for (sent, read) in [
            ("\"31840526\"", Field::Value("31840526".to_owned())),
            ("31840526", Field::Value("31840526".to_owned())),
            ("9007199254740991", Field::Value("9007199254740991".to_owned())),
            ("\"abc\"", Field::Value("abc".to_owned())),
            ("null", Field::Null),
            ("-7", Field::Wrong),
            ("7.5", Field::Wrong),
            ("true", Field::Wrong),
            ("[7]", Field::Wrong),
        ] {
            let field: Field<DigitsId> = serde_json::from_str(sent).unwrap();
            assert_eq!(field.into_text(), read, "{sent}");
        }
    }

    #[test]
    fn an_integer_beyond_its_range_is_the_end_of_it() {
        for (sent, read) in [
            ("7", Field::Value(7)),
            ("-9223372036854775808", Field::Value(i64::MIN)),
            ("1000000000000000000000000000000", Field::Value(i64::MAX)),
            ("-1000000000000000000000000000000", Field::Value(i64::MIN)),
            ("1.5", Field::Wrong),
            ("1e3", Field::Wrong),
            ("\"7\"", Field::Wrong),
            ("\"\"", Field::Wrong),
            ("null", Field::Null),
        ] {
            let input: LineInput = read_body(format!("{{\"quantity\": {sent}}}").as_bytes()).unwrap();
            assert_eq!(input.quantity, read, "{sent}");
        }
        let mut checker = Checker::new();
        assert_eq!(checker.optional_integer("some", Field::Value(i64::MAX)), None);
        assert_eq!(checker.optional_integer("some", Field::Value(-7)), Some(-7));
        assert!(!checker.is_clean());
    }

    #[test]
    fn what_is_sent_under_both_names_of_a_field_says_the_same() {
        use Field::{Absent, Null, Value, Wrong};
        let differs = "/b must be the same as a, or left out";
        for (sent, other, read, fault) in [
            (Value(1), Absent, Value(1), None),
            (Value(1), Null, Value(1), None),
            (Absent, Value(2), Value(2), None),
            (Null, Value(2), Value(2), None),
            (Null, Absent, Null, None),
            (Absent, Null, Null, None),
            (Value(1), Value(1), Value(1), None),
            (Value(1), Value(2), Value(1), Some(differs)),
            (Value(1), Wrong, Value(1), Some("/b must be an integer")),
        ] {
            let mut checker = Checker::new();
            let case = format!("{sent:?} and {other:?}");
            let found: Field<i64> = checker.either(["a", "b"], [sent, other]);
            assert_eq!(found, read, "{case}");
            let faults = checker.finish(Some(())).err();
            let faults = faults.iter().flat_map(|rejection| rejection.details());
            let faults: Vec<String> = faults.map(|f| format!("{} {}", f.field, f.message)).collect();
            assert_eq!(faults.first().map(String::as_str), fault, "{case}");
        }
        for (other, is_same) in [(" ADDON ", true), ("donation", false)] {
            let mut checker = Checker::new();
            let sent = ["addOn", other].map(|text| Value(text.to_owned()));
            checker.either_word(["a", "b"], sent);
            assert_eq!(checker.is_clean(), is_same, "{other}");
        }
    }

    incoming! {
        /// Ids.
        struct IdsInput {
            id: IntegerId,
            ids: Vec<IntegerId>,
        }
    }

    #[test]
    fn an_integer_id_is_read_as_a_number_and_as_its_digits_in_text() {
        for (sent, read) in [
            ("7", Some(7)),
            ("-7", Some(-7)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("\"7\"", Some(7)),
            ("\" 007\\t\"", Some(7)),
            ("\"9223372036854775807\"", Some(i64::MAX)),
            ("\"\\u0037\"", Some(7)),
            ("7.0", None),
            ("1e3", None),
            ("\"\"", None),
            ("\"-7\"", None),
            ("\"+7\"", None),
            ("\"7.0\"", None),
            ("\"1_000\"", None),
            ("\"1 000\"", None),
            ("\"0x7\"", None),
            ("\"٧\"", None),
            ("\"9223372036854775808\"", None),
            ("true", None),
            ("[7]", None),
        ] {
            let body = format!("{{\"id\": {sent}, \"ids\": [{sent}]}}");
            let input: IdsInput = read_body(body.as_bytes()).unwrap();
            let expected = read.map_or(Field::Wrong, |number| Field::Value(IntegerId(number)));
            assert_eq!(
                (&input.id, input.ids.value().unwrap().0),
                (&expected, vec![expected.clone()]),
                "{sent}"
            );
        }
    }

    #[test]
    fn a_malformed_body_is_located_and_not_quoted() {
        let fault = read_body::<OrderInput>(b"{\"id\": \"4111111111111111").unwrap_err();
        assert_eq!(fault.line, 1);
        assert!(!format!("{fault:?}").contains("4111"));
        assert!(read_body::<OrderInput>(b"[]").is_err());
    }

    #[test]
    fn what_was_sent_is_not_shown_when_debugging() {
        let input: OrderInput =
            read_body(br#"{"id": "4111111111111111", "lines": [{"quantity": 41111}]}"#).unwrap();
        assert_eq!(format!("{input:?}"), "OrderInput { .. }");
    }

    #[test]
    fn deep_nesting_is_read_without_overflowing_the_stack() {
        let body = format!("{{\"id\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let input: OrderInput = read_body(body.as_bytes()).unwrap();
        assert_eq!(input.id, Field::Wrong);
    }

    #[test]
    fn the_schema_shows_the_documented_types() {
        use utoipa::PartialSchema;
        let schema = serde_json::to_string(&OrderInput::schema()).unwrap();
        assert!(schema.contains("#/components/schemas/LineInput"), "{schema}");
        assert!(!schema.contains("Field"), "{schema}");
    }
}
