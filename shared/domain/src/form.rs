//! Forms asked of visitors (spec §2.6, contract §7).

mod answer;

pub use answer::{
    AnswerFault, AnswerValue, Answers, FormAnswer, MAX_ANSWER_BYTES, MAX_NUMBER_DIGITS, MAX_TEXT_CHARS,
    Misfit, SentAnswer, SentValue,
};

use crate::FormId;
use serde::{Deserialize, Serialize};

/// A form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    pub id: FormId,
    /// For the back office.
    pub name: String,
    /// Shown to visitors.
    #[serde(default)]
    pub description: String,
    /// Asked once for a cart, not once for each ticket.
    #[serde(default)]
    pub once_per_cart: bool,
    /// Whether it must be filled in.
    #[serde(default)]
    pub required: bool,
    /// What it asks; no two have the same name.
    pub fields: Vec<FormField>,
}

/// A question of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormField {
    /// Names the answer.
    pub name: String,
    /// Shown to visitors.
    pub label: String,
    /// What can be answered.
    pub kind: FieldKind,
    /// Whether it must be answered.
    #[serde(default)]
    pub required: bool,
}

/// What can be answered to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type", content = "options")]
pub enum FieldKind {
    /// Any text.
    Text,
    Number,
    /// One of these.
    Choice(Vec<String>),
    /// Yes or no.
    Checkbox,
    Date,
}

impl FieldKind {
    /// The spelling of contract §7.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Choice(_) => "choice",
            Self::Checkbox => "checkbox",
            Self::Date => "date",
        }
    }
}
