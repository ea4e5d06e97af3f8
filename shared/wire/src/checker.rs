//! Collects the faults of a request while its fields are read.

use crate::{Amount, Field, IntegerId, List, WireValue, is_email};
use domain::card::mask_card_numbers;
use domain::email::MAX_EMAIL_CHARS;
use domain::lines::{breaks_line, is_blank, is_control, prose};
use domain::{Money, MoneyParseError, Timestamp, UnreadableId, Zone};
use serde::Serialize;
use std::fmt::Display;

mod card;
mod country;

/// One fault of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// JSON pointer (RFC 6901) of the field; the name of the header or query parameter otherwise.
    pub field: String,
    /// What is wrong with it. Never quotes what was sent.
    pub message: String,
}

/// A request that cannot be acted on, with all its faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// Fields are missing, contradictory or of the wrong form: 400 `VALIDATION_ERROR`. Ids that are missing, or are
    /// known by then to name nothing, are told behind them.
    Invalid(Vec<FieldError>),
    /// Everything is well-formed, but ids are missing or name nothing: 404 `NOT_FOUND` (contract §1).
    Unknown(Vec<FieldError>),
}

impl Rejection {
    /// The faults.
    #[must_use]
    pub fn details(&self) -> &[FieldError] {
        match self {
            Self::Invalid(details) | Self::Unknown(details) => details,
        }
    }
}

/// Reads the fields of a request one after another and keeps every fault with its pointer.
#[derive(Debug, Default)]
pub struct Checker {
    path: String,
    invalid: Vec<FieldError>,
    /// Of ids.
    unknown: Vec<FieldError>,
}

/// More faults than this are not reported one by one.
const MAX_REPORTED: usize = 200;
/// What is wrong with a text that was sent and says nothing.
const BLANK: &str = "must not be blank";

impl Checker {
    /// A checker at the root of the body.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The pointer of a field here.
    #[must_use]
    pub fn pointer(&self, name: impl Display) -> String {
        format!("{}/{name}", self.path)
    }

    /// Reads what lies under `segment`.
    pub fn within<R>(&mut self, segment: impl Display, read: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.path.len();
        self.path.push_str(&format!("/{segment}"));
        let result = read(self);
        self.path.truncate(outer);
        result
    }

    /// Notes a fault of the field `name`.
    pub fn invalid(&mut self, name: impl Display, message: impl Into<String>) {
        let field = self.pointer(name);
        push(&mut self.invalid, FieldError { field, message: message.into() });
    }

    /// Notes that the list in field `name` has more than `max` entries. Ids in it that name nothing are not told then.
    pub fn too_many(&mut self, name: &str, max: usize) {
        let within = self.pointer(format!("{name}/"));
        self.unknown.retain(|fault| !fault.field.starts_with(&within));
        self.invalid(name, format!("must have at most {max} entries"));
    }

    /// Notes that the id in field `name` names nothing (of this tenant).
    pub fn unknown(&mut self, name: impl Display) {
        self.note_unknown(self.pointer(name));
    }

    /// Notes a fault of what is being read itself.
    pub fn invalid_here(&mut self, message: impl Into<String>) {
        let field = self.path.clone();
        push(&mut self.invalid, FieldError { field, message: message.into() });
    }

    /// Notes that the id that is being read names nothing (of this tenant).
    pub fn unknown_here(&mut self) {
        self.note_unknown(self.path.clone());
    }

    fn note_unknown(&mut self, field: String) {
        push(&mut self.unknown, FieldError { field, message: "was not found".to_owned() });
    }

    /// Notes that the id in field `name` was not sent, which is answered like one that names nothing (contract §1).
    pub fn missing_id(&mut self, name: impl Display) {
        let field = self.pointer(name);
        push(&mut self.unknown, FieldError { field, message: "is required".to_owned() });
    }

    /// The value of a field that may be left out.
    pub fn optional<T: WireValue>(&mut self, name: &str, field: Field<T>) -> Option<T> {
        match field {
            Field::Value(value) => Some(value),
            Field::Absent | Field::Null => None,
            Field::Wrong => {
                self.invalid(name, format!("must be {}", T::EXPECTED));
                None
            }
        }
    }

    /// A field that has two names: what was sent under the first, or else under the second. Where something was sent
    /// under both, it has to be the same.
    pub fn either<T: WireValue + PartialEq>(&mut self, names: [&str; 2], fields: [Field<T>; 2]) -> Field<T> {
        self.either_by(names, fields, T::eq)
    }

    /// Like [`Self::either`], of words whose case does not matter.
    pub fn either_word(&mut self, names: [&str; 2], fields: [Field<String>; 2]) -> Field<String> {
        self.either_by(names, fields, |one, other| one.trim().eq_ignore_ascii_case(other.trim()))
    }

    fn either_by<T: WireValue>(
        &mut self,
        [name, other_name]: [&str; 2],
        [sent, other]: [Field<T>; 2],
        is_same: impl Fn(&T, &T) -> bool,
    ) -> Field<T> {
        if let Field::Value(value) = &sent {
            match &other {
                Field::Value(other) if is_same(value, other) => {}
                Field::Value(_) => {
                    self.invalid(other_name, format!("must be the same as {name}, or left out"));
                }
                Field::Wrong => self.invalid(other_name, format!("must be {}", T::EXPECTED)),
                Field::Absent | Field::Null => {}
            }
        }
        sent.or(other)
    }

    /// An integer that may be left out and has no limit of its own.
    pub fn optional_integer(&mut self, name: &str, field: Field<i64>) -> Option<i64> {
        const RANGE: std::ops::Range<i64> = i64::MIN + 1..i64::MAX;
        let number = self.optional(name, field)?;
        if !RANGE.contains(&number) {
            self.invalid(name, format!("must be between {} and {}", RANGE.start, RANGE.end - 1));
            return None;
        }
        Some(number)
    }

    /// Notes a field that was left out and must be sent. What else is wrong with it is noted by whoever reads it.
    pub(crate) fn require<T>(&mut self, name: &str, field: &Field<T>) {
        if !field.is_sent() {
            self.invalid(name, "is required");
        }
    }

    /// The value of a field that must be sent.
    pub fn required<T: WireValue>(&mut self, name: &str, field: Field<T>) -> Option<T> {
        match field {
            Field::Absent | Field::Null => {
                self.invalid(name, "is required");
                None
            }
            Field::Value(_) | Field::Wrong => self.optional(name, field),
        }
    }

    /// The value of a field that may be left out, where null could be taken for everything.
    pub fn optional_not_null<T: WireValue>(&mut self, name: &str, field: Field<T>) -> Option<T> {
        if matches!(field, Field::Null) {
            self.invalid(name, "must not be null");
        }
        self.optional(name, field)
    }

    /// One line of text that may be left out, without surrounding white space, and kept as it was typed. White space
    /// alone counts as left out; other text of which nothing can be seen is a fault.
    pub fn optional_text(&mut self, name: &str, field: Field<String>, max_chars: usize) -> Option<String> {
        let text = self.optional(name, field)?;
        let text = text.trim();
        self.kept_text(name, text, text_fault(text, max_chars))
    }

    /// Text of several lines that may be left out: a description, a message. Every line break in it becomes a line feed,
    /// every tab a space.
    pub fn optional_prose(&mut self, name: &str, field: Field<String>, max_chars: usize) -> Option<String> {
        let text = prose(&self.optional(name, field)?);
        let text = text.trim();
        self.kept_text(name, text, prose_fault(text, max_chars))
    }

    /// Like [`Self::optional_prose`], of something that must be sent and not be blank.
    pub fn required_prose(&mut self, name: &str, field: Field<String>, max_chars: usize) -> Option<String> {
        if self.is_missing(name, &field) {
            return None;
        }
        self.optional_prose(name, field, max_chars)
    }

    /// The name of a person as someone typed it: like [`Self::optional_text`], with card numbers in it masked before it
    /// goes anywhere.
    pub fn typed_name(&mut self, name: &str, field: Field<String>, max_chars: usize) -> Option<String> {
        let text = self.optional_text(name, field, max_chars)?;
        Some(mask_card_numbers(&text).into_owned())
    }

    /// Like [`Self::typed_name`], of something that must be sent and not be blank.
    pub fn required_typed_name(
        &mut self,
        name: &str,
        field: Field<String>,
        max_chars: usize,
    ) -> Option<String> {
        let text = self.required_text(name, field, max_chars)?;
        Some(mask_card_numbers(&text).into_owned())
    }

    /// Remarks as someone typed them, in one line or several, with card numbers in them masked.
    pub fn typed_remarks(&mut self, name: &str, field: Field<String>, max_chars: usize) -> Option<String> {
        let text = self.optional_prose(name, field, max_chars)?;
        Some(mask_card_numbers(&text).into_owned())
    }

    /// A text without white space around it; none where that is nothing, or where it is at fault. A field of a form
    /// that was left empty is sent as nothing; who sends what cannot be seen is told so.
    fn kept_text(&mut self, name: &str, text: &str, fault: Option<String>) -> Option<String> {
        self.is_kept(name, text, fault).then(|| text.to_owned())
    }

    /// Whether a text without white space around it is something, and not at fault.
    fn is_kept(&mut self, name: &str, text: &str, fault: Option<String>) -> bool {
        if text.is_empty() {
            return false;
        }
        if let Some(fault) = fault.or_else(|| is_blank(text).then(|| BLANK.to_owned())) {
            self.invalid(name, fault);
            return false;
        }
        true
    }

    /// A text of a list, which is one line, not blank, and kept without surrounding white space.
    pub fn text_here(&mut self, sent: &str, max_chars: usize) -> Option<String> {
        let text = sent.trim();
        let blank = is_blank(text).then(|| BLANK.to_owned());
        if let Some(fault) = blank.or_else(|| text_fault(text, max_chars)) {
            self.invalid_here(fault);
            return None;
        }
        Some(text.to_owned())
    }

    /// An e-mail address that mail can be sent to, kept as it was typed. It may be left out.
    pub fn email(&mut self, name: &str, field: Field<String>) -> Option<String> {
        let text = self.optional_text(name, field, MAX_EMAIL_CHARS)?;
        if !is_email(&text) {
            self.invalid(name, "must be an e-mail address");
            return None;
        }
        Some(text)
    }

    /// Like [`Self::email`], of an address that must be sent.
    pub fn required_email(&mut self, name: &str, field: Field<String>) -> Option<String> {
        if self.is_missing(name, &field) {
            return None;
        }
        self.email(name, field)
    }

    /// Text that must be sent and not be blank.
    pub fn required_text(&mut self, name: &str, field: Field<String>, max_chars: usize) -> Option<String> {
        if self.is_missing(name, &field) {
            return None;
        }
        self.optional_text(name, field, max_chars)
    }

    /// Whether a text that must be sent was not, or says nothing, which is noted.
    fn is_missing(&mut self, name: &str, field: &Field<String>) -> bool {
        let message = match field {
            Field::Absent | Field::Null => "is required",
            Field::Value(text) if is_blank(text) => BLANK,
            Field::Value(_) | Field::Wrong => return false,
        };
        self.invalid(name, message);
        true
    }

    /// An id that may be left out. One that is sent blank was forgotten; any other unreadable text names nothing.
    pub fn optional_id<T>(
        &mut self,
        name: &str,
        field: Field<String>,
        parse: impl FnOnce(&str) -> Result<T, UnreadableId>,
    ) -> Option<T> {
        let text = self.optional(name, field)?;
        if is_blank(&text) {
            self.invalid(name, BLANK);
            return None;
        }
        match parse(text.trim()) {
            Ok(id) => Some(id),
            Err(UnreadableId) => {
                self.unknown(name);
                None
            }
        }
    }

    /// An id of a list, where `find` has what it names.
    pub(crate) fn id_here<T>(&mut self, sent: &str, find: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        if is_blank(sent) {
            self.invalid_here(BLANK);
            return None;
        }
        let found = find(sent.trim());
        if found.is_none() {
            self.unknown_here();
        }
        found
    }

    /// An id that is a number and may be left out; one out of range names nothing.
    pub fn optional_number_id<T>(
        &mut self,
        name: &str,
        field: Field<IntegerId>,
        parse: impl FnOnce(i64) -> Result<T, UnreadableId>,
    ) -> Option<T> {
        let id = parse(self.optional(name, field)?.get()).ok();
        if id.is_none() {
            self.unknown(name);
        }
        id
    }

    /// An id that must be sent: a missing one is answered like one that names nothing (contract §1).
    pub fn required_id<T>(
        &mut self,
        name: &str,
        field: Field<String>,
        parse: impl FnOnce(&str) -> Result<T, UnreadableId>,
    ) -> Option<T> {
        match field {
            Field::Absent | Field::Null => {
                self.missing_id(name);
                None
            }
            Field::Value(_) | Field::Wrong => self.optional_id(name, field, parse),
        }
    }

    /// An amount that may be left out.
    pub fn optional_money(&mut self, name: &str, field: Field<Amount>) -> Option<Money> {
        let amount = self.optional(name, field)?;
        match Money::parse(amount.text()) {
            Ok(money) => Some(money),
            Err(MoneyParseError::NotANumber) => {
                self.invalid(name, "must be an amount, such as \"12.50\"");
                None
            }
            Err(MoneyParseError::TooLarge) => {
                self.invalid(name, "is too large an amount");
                None
            }
            Err(MoneyParseError::Negative) => {
                self.invalid(name, "must not be negative");
                None
            }
            Err(MoneyParseError::TooManyDecimals) => {
                self.invalid(name, "must have at most two decimals");
                None
            }
        }
    }

    /// An instant that may be left out, read as contract §1 says.
    pub fn optional_instant(&mut self, name: &str, field: Field<String>, zone: Zone) -> Option<Timestamp> {
        let text = self.optional(name, field)?;
        let instant = zone.parse_instant(&text).ok();
        if instant.is_none() {
            self.invalid(name, "must be an ISO 8601 date and time");
        }
        instant
    }

    /// An instant that must be sent.
    pub fn required_instant(&mut self, name: &str, field: Field<String>, zone: Zone) -> Option<Timestamp> {
        if !field.is_sent() {
            self.invalid(name, "is required");
        }
        self.optional_instant(name, field, zone)
    }

    /// Reads the elements of a list; one that was not sent is empty. Wrong elements are noted and skipped.
    pub fn each<T: WireValue, R>(
        &mut self,
        name: &str,
        field: Field<List<T>>,
        mut read: impl FnMut(&mut Self, T) -> R,
    ) -> Vec<R> {
        let elements = self.optional(name, field).map(|list| list.0).unwrap_or_default();
        self.within(name, |checker| {
            let mut results = Vec::with_capacity(elements.len());
            for (index, element) in elements.into_iter().enumerate() {
                match element {
                    Field::Value(value) => {
                        results.push(checker.within(index, |checker| read(checker, value)))
                    }
                    Field::Absent | Field::Null | Field::Wrong => {
                        checker.invalid(index, format!("must be {}", T::EXPECTED));
                    }
                }
            }
            results
        })
    }

    /// Reads the object in field `name`, when one was sent.
    pub fn object<T: WireValue, R>(
        &mut self,
        name: &str,
        field: Field<T>,
        read: impl FnOnce(&mut Self, T) -> R,
    ) -> Option<R> {
        let value = self.optional(name, field)?;
        Some(self.within(name, |checker| read(checker, value)))
    }

    /// True when no fault was noted so far.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.invalid.is_empty() && self.unknown.is_empty()
    }

    /// The value that was read, unless a fault was noted.
    ///
    /// # Errors
    /// [`Rejection`] with every fault.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Rejection> {
        let Self { path: _, mut invalid, unknown } = self;
        if !invalid.is_empty() {
            unknown.into_iter().for_each(|fault| push(&mut invalid, fault));
            return Err(Rejection::Invalid(invalid));
        }
        match value {
            Some(value) if unknown.is_empty() => Ok(value),
            Some(_) | None => Err(Rejection::Unknown(unknown)),
        }
    }
}

/// What is wrong with a text of one line.
fn text_fault(text: &str, max_chars: usize) -> Option<String> {
    too_long(text, max_chars)
        .or_else(|| text.contains(breaks_line).then(|| "must be one line, without tabs".to_owned()))
        .or_else(|| unprintable(text))
}

/// What is wrong with a text of several lines, which line feeds part.
fn prose_fault(text: &str, max_chars: usize) -> Option<String> {
    too_long(text, max_chars).or_else(|| unprintable(text))
}

fn too_long(text: &str, max_chars: usize) -> Option<String> {
    (text.chars().count() > max_chars).then(|| format!("must have at most {max_chars} characters"))
}

fn unprintable(text: &str) -> Option<String> {
    let found = text.contains(|char: char| is_control(char) && char != '\n');
    found.then(|| "must not have control characters".to_owned())
}

fn push(list: &mut Vec<FieldError>, fault: FieldError) {
    if list.len() < MAX_REPORTED {
        list.push(fault);
    }
}
