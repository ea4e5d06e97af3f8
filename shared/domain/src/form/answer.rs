//! What visitors answer to the questions of a form.

use super::{FieldKind, Form};
use crate::lines::{is_blank, is_control, prose};
use crate::number::TypedNumber;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Characters of an answer in words.
pub const MAX_TEXT_CHARS: usize = 2_000;
/// Digits of a number. Our choice: fewer than the number of a card has, so that none is kept as a number.
pub const MAX_NUMBER_DIGITS: usize = 12;
/// Bytes that the answers to all forms of a cart have together. Our choice: cart and order, which keep them,
/// stay far below what an item of the database may have.
pub const MAX_ANSWER_BYTES: usize = 100_000;

/// An answer as it was sent, before anything is known of the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentAnswer {
    /// The name of the field.
    pub name: String,
    /// What was sent for it.
    pub value: SentValue,
}

/// What was sent for a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentValue {
    Nothing,
    /// True or false.
    Flag(bool),
    /// A number, as it was written.
    Number(String),
    /// Words.
    Text(String),
}

/// An answer that fits its field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormAnswer {
    /// The name of the field.
    pub name: String,
    /// What was answered.
    pub value: AnswerValue,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerValue {
    /// Words, the chosen option, or a number that was sent as text.
    Text(String),
    /// A number that was sent as one, in plain decimal digits.
    Number(String),
    /// Yes or no.
    Flag(bool),
    Date(NaiveDate),
}

/// The answers to a form, in the order of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Answers(Vec<FormAnswer>);

/// Why answers do not fit their form. `at` is the place in the list that was sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerFault {
    /// The form has no field of this name.
    UnknownField {
        /// Where.
        at: usize,
    },
    /// The field was answered before.
    Repeated {
        /// Where.
        at: usize,
    },
    /// The field must be answered, and nothing was sent for it.
    Blank {
        /// Where.
        at: usize,
    },
    /// What was sent is no answer to the field.
    Unfit {
        /// Where.
        at: usize,
        /// Why.
        misfit: Misfit,
    },
    /// The field must be answered, and does not stand in the list.
    Missing {
        /// The field's name.
        field: String,
    },
}

/// Why something is no answer to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Misfit {
    /// Not words.
    NotText,
    /// More than [`MAX_TEXT_CHARS`].
    TooLong,
    /// Characters of which none can be seen.
    Invisible,
    /// Words with characters that are neither letters nor white space, but control a terminal.
    ControlCharacters,
    /// No number, or one of more than [`MAX_NUMBER_DIGITS`].
    NotANumber,
    /// None of the options.
    NotAnOption,
    /// Neither true nor false.
    NotAFlag,
    /// No day of the calendar, written yyyy-mm-dd.
    NotADate,
}

impl Answers {
    /// One by one, in the order of the form's fields.
    pub fn iter(&self) -> impl Iterator<Item = &FormAnswer> {
        self.0.iter()
    }

    /// The answer to a field.
    #[must_use]
    pub fn to(&self, field: &str) -> Option<&AnswerValue> {
        self.0.iter().find(|answer| answer.name == field).map(|answer| &answer.value)
    }

    /// How much room they take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_value = |value: &AnswerValue| match value {
            AnswerValue::Text(text) | AnswerValue::Number(text) => text.len(),
            AnswerValue::Flag(_) | AnswerValue::Date(_) => 10,
        };
        self.0.iter().fold(0, |bytes, answer| {
            bytes.saturating_add(answer.name.len()).saturating_add(of_value(&answer.value))
        })
    }
}

impl Form {
    /// The answers that were sent, as far as they fit the form's fields.
    ///
    /// # Errors
    /// Every [`AnswerFault`], in the order of the list, and then what the list lacks.
    pub fn read(&self, sent: &[SentAnswer]) -> Result<Answers, Vec<AnswerFault>> {
        let mut faults = Vec::new();
        let mut named = BTreeSet::new();
        let mut answers = Vec::new();
        for (at, SentAnswer { name, value }) in sent.iter().enumerate() {
            let Some((place, field)) = self.fields.iter().enumerate().find(|(_, field)| field.name == *name)
            else {
                faults.push(AnswerFault::UnknownField { at });
                continue;
            };
            if !named.insert(place) {
                faults.push(AnswerFault::Repeated { at });
                continue;
            }
            match field.kind.read(value) {
                Ok(Some(value)) => answers.push((place, FormAnswer { name: name.clone(), value })),
                Ok(None) if field.required => faults.push(AnswerFault::Blank { at }),
                Ok(None) => {}
                Err(misfit) => faults.push(AnswerFault::Unfit { at, misfit }),
            }
        }
        let unnamed = self.fields.iter().enumerate().filter(|(place, _)| !named.contains(place));
        let lacking = unnamed.filter(|(_, field)| field.required);
        faults.extend(lacking.map(|(_, field)| AnswerFault::Missing { field: field.name.clone() }));
        if !faults.is_empty() {
            return Err(faults);
        }
        answers.sort_by_key(|(place, _)| *place);
        Ok(Answers(answers.into_iter().map(|(_, answer)| answer).collect()))
    }

    /// The fields to which these answers, given some time ago, say nothing that the form accepts now. What
    /// they say of fields that the form has no more does no harm.
    #[must_use]
    pub fn lacks(&self, answers: &Answers) -> Vec<&str> {
        let is_lacking = |name: &str, kind: &FieldKind, required: bool| match answers.to(name) {
            Some(value) => !kind.accepts(value),
            None => required,
        };
        let lacking = self.fields.iter().filter(|field| is_lacking(&field.name, &field.kind, field.required));
        lacking.map(|field| field.name.as_str()).collect()
    }
}

impl FieldKind {
    /// What was sent, as an answer; none where nothing was.
    fn read(&self, sent: &SentValue) -> Result<Option<AnswerValue>, Misfit> {
        let words = match sent {
            SentValue::Nothing => return Ok(None),
            SentValue::Text(text) => Some(text.trim()),
            SentValue::Flag(_) | SentValue::Number(_) => None,
        };
        if words.is_some_and(str::is_empty) {
            return Ok(None);
        }
        let answer = match self {
            Self::Text => text(words.ok_or(Misfit::NotText)?)?,
            Self::Number => match sent {
                SentValue::Number(written) => AnswerValue::Number(number(written)?),
                SentValue::Text(written) => AnswerValue::Text(number(written)?),
                SentValue::Flag(_) | SentValue::Nothing => return Err(Misfit::NotANumber),
            },
            Self::Choice(options) => {
                let chosen = options.iter().find(|option| Some(option.as_str()) == words);
                AnswerValue::Text(chosen.ok_or(Misfit::NotAnOption)?.clone())
            }
            Self::Checkbox => match sent {
                SentValue::Flag(flag) => AnswerValue::Flag(*flag),
                SentValue::Text(_) | SentValue::Number(_) | SentValue::Nothing => {
                    return Err(Misfit::NotAFlag);
                }
            },
            Self::Date => date(words.ok_or(Misfit::NotADate)?)?,
        };
        Ok(Some(answer))
    }

    /// Whether an answer given before is one still.
    fn accepts(&self, value: &AnswerValue) -> bool {
        match value {
            AnswerValue::Text(text) => match self {
                Self::Text => true,
                Self::Choice(options) => options.contains(text),
                Self::Number => number(text).is_ok(),
                Self::Checkbox | Self::Date => false,
            },
            AnswerValue::Number(_) => matches!(self, Self::Number),
            AnswerValue::Flag(_) => matches!(self, Self::Checkbox),
            AnswerValue::Date(_) => matches!(self, Self::Date),
        }
    }
}

/// An answer in words, in one line or several, as it was typed: what looks like the number of a card may be that of a
/// pupil's pass.
fn text(words: &str) -> Result<AnswerValue, Misfit> {
    let words = prose(words);
    if is_blank(&words) {
        return Err(Misfit::Invisible);
    }
    if words.chars().count() > MAX_TEXT_CHARS {
        return Err(Misfit::TooLong);
    }
    if words.contains(|char: char| is_control(char) && char != '\n') {
        return Err(Misfit::ControlCharacters);
    }
    Ok(AnswerValue::Text(words))
}

/// A number as it was typed: the zeros of a postal code belong to it.
fn number(written: &str) -> Result<String, Misfit> {
    let written = written.trim();
    let number = TypedNumber::parse(written).map_err(|_| Misfit::NotANumber)?;
    if number.digits() > MAX_NUMBER_DIGITS {
        return Err(Misfit::NotANumber);
    }
    Ok(written.to_owned())
}

fn date(words: &str) -> Result<AnswerValue, Misfit> {
    const FORMAT: &str = "%Y-%m-%d";
    let date = NaiveDate::parse_from_str(words, FORMAT).map_err(|_| Misfit::NotADate)?;
    // The parser also takes single digits and years of any length.
    if words.len() != 10 || date.format(FORMAT).to_string() != words {
        return Err(Misfit::NotADate);
    }
    Ok(AnswerValue::Date(date))
}

#[cfg(test)]
mod tests {
    use super::super::FormField;
    use super::*;
    use crate::FormId;
    use proptest::prelude::*;

    fn field(name: &str, kind: FieldKind, required: bool) -> FormField {
        FormField { name: name.to_owned(), label: name.to_owned(), kind, required }
    }

    fn visit() -> Form {
        Form {
            id: FormId::parse("visit").unwrap(),
            name: "School visit".to_owned(),
            description: String::new(),
            once_per_cart: false,
            required: true,
            fields: vec![
                field("school", FieldKind::Text, true),
                field("pupils", FieldKind::Number, true),
                field("tour", FieldKind::Choice(vec!["Ships".to_owned(), "Knots".to_owned()]), false),
                field("first", FieldKind::Checkbox, false),
                field("arrival", FieldKind::Date, false),
            ],
        }
    }

    fn sent(name: &str, value: SentValue) -> SentAnswer {
        SentAnswer { name: name.to_owned(), value }
    }

    fn words(text: &str) -> SentValue {
        SentValue::Text(text.to_owned())
    }

    fn digits(text: &str) -> SentValue {
        SentValue::Number(text.to_owned())
    }

    #[test]
    fn each_kind_of_field_takes_its_own_answers() {
        use Misfit::{
            ControlCharacters, Invisible, NotADate, NotAFlag, NotANumber, NotAnOption, NotText, TooLong,
        };
        let text = |text: &str| Ok(Some(AnswerValue::Text(text.to_owned())));
        let number = |text: &str| Ok(Some(AnswerValue::Number(text.to_owned())));
        let day = |text: &str| Ok(Some(AnswerValue::Date(text.parse().unwrap())));
        for (field, value, expected) in [
            ("school", words(" Pier School "), text("Pier School")),
            ("school", words("x".repeat(2_000).as_str()), text(&"x".repeat(2_000))),
            ("school", words("x".repeat(2_001).as_str()), Err(TooLong)),
            ("school", words("two\nlines"), text("two\nlines")),
            ("school", words("a\u{0}b"), Err(ControlCharacters)),
            ("school", words("pass 4111 1111 1111 1111"), text("pass 4111 1111 1111 1111")),
            ("school", words("two\r\nlines\tand more"), text("two\nlines and more")),
            ("school", words(" "), Ok(None)),
            ("school", words(" \u{200b}"), Err(Invisible)),
            ("school", SentValue::Nothing, Ok(None)),
            ("school", digits("7"), Err(NotText)),
            ("school", SentValue::Flag(true), Err(NotText)),
            ("pupils", digits("23"), number("23")),
            ("pupils", words(" 23 "), text("23")),
            ("pupils", words("1.5"), text("1.5")),
            ("pupils", digits("1.50"), number("1.50")),
            ("pupils", words("02145"), text("02145")),
            ("pupils", digits("-1.50"), Err(NotANumber)),
            ("pupils", words("7_50"), Err(NotANumber)),
            ("pupils", words("+7"), Err(NotANumber)),
            ("pupils", words("7 50"), Err(NotANumber)),
            ("pupils", digits("123456789012"), number("123456789012")),
            ("pupils", digits("1234567890123"), Err(NotANumber)),
            ("pupils", digits("0.0000000000001"), Err(NotANumber)),
            ("pupils", digits("1e3"), Err(NotANumber)),
            ("pupils", words("many"), Err(NotANumber)),
            ("pupils", SentValue::Flag(true), Err(NotANumber)),
            ("tour", words("Knots "), text("Knots")),
            ("tour", words("knots"), Err(NotAnOption)),
            ("tour", SentValue::Flag(true), Err(NotAnOption)),
            ("first", SentValue::Flag(false), Ok(Some(AnswerValue::Flag(false)))),
            ("first", words("true"), Err(NotAFlag)),
            ("first", digits("1"), Err(NotAFlag)),
            ("first", words(""), Ok(None)),
            ("arrival", words("2028-02-29"), day("2028-02-29")),
            ("arrival", words("2027-02-29"), Err(NotADate)),
            ("arrival", words("2027-6-1"), Err(NotADate)),
            ("arrival", words("01.06.2027"), Err(NotADate)),
            ("arrival", words("2027-06-01T00:00:00Z"), Err(NotADate)),
            ("arrival", digits("20270601"), Err(NotADate)),
        ] {
            let form = visit();
            let kind = &form.fields.iter().find(|known| known.name == field).unwrap().kind;
            assert_eq!(kind.read(&value), expected, "{field} {value:?}");
        }
    }

    #[test]
    fn every_fault_of_a_list_of_answers_is_found() {
        let list = [
            sent("School", words("Pier")),
            sent("pupils", words(" ")),
            sent("tour", words("Whales")),
            sent("first", SentValue::Flag(true)),
            sent("first", SentValue::Flag(true)),
        ];
        assert_eq!(
            visit().read(&list).unwrap_err(),
            [
                AnswerFault::UnknownField { at: 0 },
                AnswerFault::Blank { at: 1 },
                AnswerFault::Unfit { at: 2, misfit: Misfit::NotAnOption },
                AnswerFault::Repeated { at: 4 },
                AnswerFault::Missing { field: "school".to_owned() },
            ]
        );
    }

    #[test]
    fn answers_that_fitted_a_form_may_lack_something_once_it_has_changed() {
        let before = [
            sent("school", words("Pier")),
            sent("pupils", words("023")),
            sent("tour", words("Ships")),
            sent("first", SentValue::Flag(true)),
        ];
        let answers = visit().read(&before).unwrap();
        assert_eq!(visit().lacks(&answers), [""; 0]);
        let mut changed = visit();
        changed.fields[0].kind = FieldKind::Number;
        changed.fields[2].kind = FieldKind::Choice(vec!["Knots".to_owned()]);
        changed.fields[4].required = true;
        changed.fields.remove(3);
        assert_eq!(changed.lacks(&answers), ["school", "tour", "arrival"]);
    }

    /// A value for each field of the form that fits it.
    fn fitting() -> impl Strategy<Value = Vec<SentValue>> {
        let or_nothing = |fitting: BoxedStrategy<SentValue>| prop_oneof![Just(SentValue::Nothing), fitting];
        (
            prop_oneof!["[a-z]{1,24}", "[a-z]{1,6}4111 1111 1111 1111[a-z]{1,6}"].prop_map(SentValue::Text),
            ("[0-9]{1,8}(\\.[0-9]{1,4})?", any::<bool>())
                .prop_map(|(number, is_text)| if is_text { words(&number) } else { digits(&number) }),
            or_nothing(prop_oneof![Just(words("Ships")), Just(words("Knots"))].boxed()),
            or_nothing(any::<bool>().prop_map(SentValue::Flag).boxed()),
            or_nothing((1..29_u32).prop_map(|day| words(&format!("2027-02-{day:02}"))).boxed()),
        )
            .prop_map(|(school, pupils, tour, first, arrival)| vec![school, pupils, tour, first, arrival])
    }

    proptest! {
        /// What fits is taken in any order, accepted later, and kept in the order of the fields as it was typed.
        #[test]
        fn answers_that_are_taken_are_accepted_by_the_same_form(
            values in fitting(),
            order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let form = visit();
            let list: Vec<SentAnswer> =
                order.iter().map(|at| sent(&form.fields[*at].name, values[*at].clone())).collect();
            let answers = form.read(&list).unwrap();
            prop_assert_eq!(form.lacks(&answers), [""; 0]);
            let places = answers.iter().map(|answer| {
                form.fields.iter().position(|field| field.name == answer.name).unwrap()
            });
            prop_assert!(places.is_sorted());
            for answer in answers.iter() {
                let place = form.fields.iter().position(|field| field.name == answer.name).unwrap();
                match (&answer.value, &values[place]) {
                    (AnswerValue::Text(kept), SentValue::Text(typed))
                    | (AnswerValue::Number(kept), SentValue::Number(typed)) => prop_assert_eq!(kept, typed),
                    (kept, sent) => {
                        let of_another_type = matches!(kept, AnswerValue::Text(_) | AnswerValue::Number(_));
                        prop_assert!(!of_another_type, "{:?} {:?}", kept, sent);
                    }
                }
            }
        }
    }
}
