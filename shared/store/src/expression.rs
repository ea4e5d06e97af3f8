//! DynamoDB expressions with every name and value behind a placeholder.

use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;

/// Operators one expression may have; AWS refuses more, the embedded engine does not.
const MAX_OPERATORS: usize = 300;

/// An update or condition under construction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expression {
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
    sets: Vec<String>,
    removes: Vec<String>,
    conditions: Vec<String>,
}

impl Expression {
    /// An expression that says nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The placeholder of an attribute, or of a path into a map: `path(&["holds", "17"])`.
    pub fn path(&mut self, segments: &[&str]) -> String {
        let placeholders: Vec<String> = segments.iter().map(|segment| self.name(segment)).collect();
        placeholders.join(".")
    }

    fn name(&mut self, attribute: &str) -> String {
        let known = self.names.iter().find(|(_, name)| name.as_str() == attribute);
        if let Some((placeholder, _)) = known {
            return placeholder.clone();
        }
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), attribute.to_owned());
        placeholder
    }

    /// The placeholder of a value.
    pub fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// The placeholder of a number.
    pub fn number(&mut self, number: i64) -> String {
        self.value(AttributeValue::N(number.to_string()))
    }

    /// The placeholder of a text.
    pub fn text(&mut self, text: &str) -> String {
        self.value(AttributeValue::S(text.to_owned()))
    }

    /// Adds a SET clause.
    pub fn set(&mut self, clause: impl Into<String>) {
        self.sets.push(clause.into());
    }

    /// Sets an attribute to a value.
    pub fn assign(&mut self, attribute: &str, value: AttributeValue) {
        let (path, value) = (self.path(&[attribute]), self.value(value));
        self.sets.push(format!("{path} = {value}"));
    }

    /// Adds `by` to a number that exists.
    pub fn shift(&mut self, attribute: &str, by: i64) {
        if by == 0 {
            return;
        }
        let (path, step) = (self.path(&[attribute]), self.number(by));
        self.sets.push(format!("{path} = {path} + {step}"));
    }

    /// Removes an attribute or a map entry.
    pub fn remove(&mut self, segments: &[&str]) {
        let path = self.path(segments);
        self.removes.push(path);
    }

    /// Requires something; all requirements must hold.
    pub fn require(&mut self, condition: impl Into<String>) {
        self.conditions.push(condition.into());
    }

    /// Requires that the item exists.
    pub fn require_item(&mut self) {
        let path = self.path(&["pk"]);
        self.require(format!("attribute_exists({path})"));
    }

    /// Requires that no item with this key exists.
    pub fn require_no_item(&mut self) {
        let path = self.path(&["pk"]);
        self.require(format!("attribute_not_exists({path})"));
    }

    /// Requires that an attribute has this value.
    pub fn require_equal(&mut self, attribute: &str, value: AttributeValue) {
        let (path, value) = (self.path(&[attribute]), self.value(value));
        self.require(format!("{path} = {value}"));
    }

    /// The update expression, if any clause was added.
    pub(crate) fn update_text(&self) -> Option<String> {
        let mut text = String::new();
        if !self.sets.is_empty() {
            text.push_str("SET ");
            text.push_str(&self.sets.join(", "));
        }
        if !self.removes.is_empty() {
            text.push_str(" REMOVE ");
            text.push_str(&self.removes.join(", "));
        }
        (!text.is_empty()).then_some(text)
    }

    /// The condition expression, if anything is required.
    pub(crate) fn condition_text(&self) -> Option<String> {
        (!self.conditions.is_empty()).then(|| self.conditions.join(" AND "))
    }

    /// The names, if any were used.
    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        (!self.names.is_empty()).then(|| self.names.clone())
    }

    /// The values, if any were used.
    pub(crate) fn values(&self) -> Option<HashMap<String, AttributeValue>> {
        (!self.values.is_empty()).then(|| self.values.clone())
    }

    /// True while the expression stays within what DynamoDB accepts.
    #[must_use]
    pub fn is_within_limits(&self) -> bool {
        let clauses = self.sets.len().saturating_mul(2).saturating_add(self.removes.len());
        clauses.saturating_add(self.conditions.len().saturating_mul(2)) <= MAX_OPERATORS
    }
}
