//! A venue's keys, as its admins issue and see them (decision record 0138).

use crate::readers::{NAME_CHARS, at_most, check_key_label, origins};
use crate::{Checker, Field, incoming};
use domain::tenant::{ApiKey, Scope};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use utoipa::ToSchema;

incoming! {
    /// A key to issue.
    pub struct KeyInput {
        /// A name for people. A card number in it is masked.
        #[schema(required = true)]
        label: String,
        /// `b2c`, `b2c-browser`, `b2b`, `door`, `counter`; one at least.
        #[schema(required = true)]
        scopes: Vec<String>,
        /// Of a key with the scope `b2c-browser`, and of no other: the origins whose pages may use it. The tenant
        /// must allow them as well, or browsers keep the answers from the pages.
        origins: Vec<String>,
    }
}

/// Entries of a list of scopes; there are fewer scopes.
const MAX_SCOPES: usize = 20;

/// A key to issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// A name for people.
    pub label: String,
    /// What it may do, in the order in which it was sent.
    pub scopes: Vec<Scope>,
    /// Where the pages are that use it.
    pub origins: BTreeSet<String>,
}

impl KeyInput {
    /// The key, unless a field is at fault.
    pub fn read(self, checker: &mut Checker) -> Option<KeyRequest> {
        let label = checker.required_typed_name("label", self.label, NAME_CHARS);
        if let Some(label) = &label {
            check_key_label(checker, label);
        }
        checker.require("scopes", &self.scopes);
        let is_empty = matches!(&self.scopes, Field::Value(list) if list.0.is_empty());
        let scopes = checker.each("scopes", self.scopes, |checker, sent: String| {
            let scope = Scope::parse(sent.trim());
            if scope.is_none() {
                let issued = Scope::ALL.into_iter().filter(|scope| Scope::B2b.may_issue(*scope));
                let names: Vec<&str> = issued.map(Scope::name).collect();
                checker.invalid_here(format!("must be one of {}", names.join(", ")));
            }
            scope
        });
        if is_empty {
            checker.invalid("scopes", "must have at least one entry");
        }
        at_most(checker, "scopes", &scopes, MAX_SCOPES);
        let scopes: Vec<Scope> = scopes.into_iter().flatten().collect();
        let for_pages = scopes.iter().any(|scope| scope.is_page());
        if for_pages && scopes.iter().any(|scope| !scope.is_page()) {
            checker.invalid("scopes", "must be b2c-browser alone for a key of pages");
        }
        let origins = origins(checker, "origins", self.origins);
        if for_pages == origins.is_empty() {
            checker.invalid("origins", "must be sent for a key with the scope b2c-browser, and for no other");
        }
        Some(KeyRequest { label: label?, scopes, origins })
    }
}

/// A key.
#[derive(Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyView {
    /// Identity: the beginning of its hash.
    pub id: String,
    /// A name for people.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<&'static str>,
    /// Where the pages are that use it.
    pub origins: Vec<String>,
    /// The merchant of a payment key.
    pub mid: Option<String>,
    /// A revoked key opens nothing.
    pub revoked: bool,
    /// Its text, in the answer that issues it, and in no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Says nothing of the text.
impl fmt::Debug for KeyView {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("KeyView").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Digits of a key's hash that name it.
const KEY_ID_DIGITS: usize = 24;

/// The id of the key with this hash.
#[must_use]
pub fn key_id(hash: &str) -> String {
    hash.chars().take(KEY_ID_DIGITS).collect()
}

/// Whether a text can be the id of a key.
#[must_use]
pub fn is_key_id(text: &str) -> bool {
    text.len() == KEY_ID_DIGITS && text.bytes().all(|digit| digit.is_ascii_hexdigit())
}

impl KeyView {
    /// A key by its hash.
    #[must_use]
    pub fn new(hash: &str, key: &ApiKey) -> Self {
        let ApiKey { tenant: _, scopes, origins, mid, label, revoked } = key;
        Self {
            id: key_id(hash),
            label: label.clone(),
            scopes: scopes.iter().map(|scope| scope.name()).collect(),
            origins: origins.iter().cloned().collect(),
            mid: mid.as_ref().map(ToString::to_string),
            revoked: *revoked,
            key: None,
        }
    }

    /// The same with its text, which is shown once.
    #[must_use]
    pub fn with_text(self, text: String) -> Self {
        Self { key: Some(text), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rejection, read_body};
    use serde_json::{Value, json};

    fn faults(body: &Value) -> Vec<String> {
        let mut checker = Checker::new();
        let input: KeyInput = read_body(body.to_string().as_bytes()).unwrap();
        let request = input.read(&mut checker);
        let told = |rejection: Rejection| -> Vec<String> {
            rejection.details().iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect()
        };
        checker.finish(request).map_err(told).err().unwrap_or_default()
    }

    #[test]
    fn no_key_looks_like_a_person_of_the_staff() {
        for (label, told) in [
            ("staff:0101", vec!["/label must not begin with staff:"]),
            (" staff: Dana", vec!["/label must not begin with staff:"]),
            (" Staff:0101", vec!["/label must not begin with staff:"]),
            ("Till of the staff: 2", vec![]),
        ] {
            assert_eq!(faults(&json!({"label": label, "scopes": ["counter"]})), told, "{label}");
        }
    }

    #[test]
    fn a_card_number_in_a_label_is_masked() {
        let mut checker = Checker::new();
        let body = json!({"label": "Gate 4111111111111111", "scopes": ["door"]});
        let input: KeyInput = read_body(body.to_string().as_bytes()).unwrap();
        let label = input.read(&mut checker).unwrap().label;
        assert!(label.starts_with("Gate ") && !label.contains("411111111111"), "{label}");
    }

    #[test]
    fn a_fault_of_the_scopes_is_told_once() {
        for (scopes, told) in [
            (json!(null), "/scopes is required"),
            (json!([]), "/scopes must have at least one entry"),
            (json!("door"), "/scopes must be an array"),
            (json!([5]), "/scopes/0 must be a string"),
            (json!(["everything"]), "/scopes/0 must be one of b2c, b2c-browser, b2b, door, counter"),
        ] {
            assert_eq!(faults(&json!({"label": "Gate", "scopes": scopes})), [told], "{scopes}");
        }
    }
}
