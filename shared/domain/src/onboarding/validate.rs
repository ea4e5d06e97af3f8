//! Walking the rules over an application: every violation at once.

use super::rule::{Charset, RuleContext, ValueRule};
use super::rules::{FieldPlace, FieldRule, Required, TABLE};
use super::structure::STRUCTURE;
use super::vocabulary::{CHECKING, CONTROL_OWNER, FIRST_BENEFICIAL_OWNER, ISSUED_BY_A_STATE, OwnershipGroup};
use super::{BankAccount, Clear, Identification, Owner, SecretText};
use crate::card::has_mask;
use crate::lines::{is_blank, is_control};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A rule that is broken: an entry of `errorInfo` (spec §2.21). Never quotes what was sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Violation {
    /// Where: `businessBankAccount.routingNumber`, `businessOwners[0].ssn`.
    pub field: String,
    /// The name of the rule.
    pub rule: Cow<'static, str>,
    /// What is wrong.
    pub message: Cow<'static, str>,
}

/// Name of the rule that something is missing.
pub(super) const REQUIRED: &str = "required";
/// Name of the rule that something has another JSON type than documented.
const TYPE: &str = "type";

/// A field that was sent with another JSON type than documented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeFault {
    /// Where.
    pub field: String,
    /// What it must be: `a string`.
    pub expected: &'static str,
}

impl Violation {
    /// A violation.
    #[must_use]
    pub fn new(field: impl Into<String>, rule: &'static str, message: &'static str) -> Self {
        Self { field: field.into(), rule: rule.into(), message: message.into() }
    }

    /// Something has to be sent and was not.
    #[must_use]
    pub fn missing(field: impl Into<String>) -> Self {
        Self::new(field, REQUIRED, "is required")
    }

    /// Something is missing.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.rule == REQUIRED
    }

    /// The field of the application it is in: `businessOwners` for `businessOwners[0].ssn`.
    #[must_use]
    pub fn top_field(&self) -> &str {
        self.field.split(['.', '[']).next().unwrap_or_default()
    }
}

impl From<TypeFault> for Violation {
    fn from(fault: TypeFault) -> Self {
        let TypeFault { field, expected } = fault;
        Self { field, rule: TYPE.into(), message: format!("must be {expected}").into() }
    }
}

/// An owner of this share or more is identified (spec §2.19, "owner requirements", 1), in percent.
const IDENTIFIED_SHARE: u32 = 25;

/// An application as it is kept, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept<'a> {
    /// What it says.
    pub(super) application: &'a Clear,
    /// The rules it breaks.
    pub(super) violations: &'a [Violation],
}

/// A value with what its rules depend on.
struct Sent<'a> {
    value: Option<&'a str>,
    /// What is kept of it.
    kept: Option<&'a str>,
    /// The country beside it.
    country: Option<&'a str>,
    /// Whether the condition holds, of a field that is required under one.
    applies: bool,
}

/// What decides which rules apply.
struct Walk<'a> {
    application: &'a Clear,
    /// What was kept before.
    kept: Option<Kept<'a>>,
    group: Option<OwnershipGroup>,
    today: NaiveDate,
    found: Vec<Violation>,
}

/// Every rule an application breaks, on the tenant's day.
#[must_use]
pub fn violations(application: &Clear, today: NaiveDate) -> Vec<Violation> {
    walked(application, None, today)
}

/// Every rule an application breaks that was kept before. Of a name in which a card number was masked it is no longer
/// known what was sent: what was found then stays, until another is sent.
pub(super) fn violations_after(application: &Clear, kept: Kept<'_>, today: NaiveDate) -> Vec<Violation> {
    walked(application, Some(kept), today)
}

fn walked(application: &Clear, kept: Option<Kept<'_>>, today: NaiveDate) -> Vec<Violation> {
    let group = application.business_ownership_type.as_deref().and_then(OwnershipGroup::of);
    let mut walk = Walk { application, kept, group, today, found: Vec::new() };
    for row in TABLE {
        walk.check_row(row);
    }
    for structure in STRUCTURE {
        for field in (structure.broken_at)(application) {
            walk.found.push(Violation::new(field, structure.rule, structure.message));
        }
    }
    walk.found
}

/// Adds what was sent with a wrong JSON type. Such a field is not missing as well, nor is a list with such an entry.
pub(super) fn with_type_faults(mut found: Vec<Violation>, faults: &[TypeFault]) -> Vec<Violation> {
    let is_sent = |field: &str| {
        let is_of = |rest: &str| rest.is_empty() || rest.starts_with('[');
        faults.iter().any(|fault| fault.field.strip_prefix(field).is_some_and(is_of))
    };
    found.retain(|violation| !(violation.is_missing() && is_sent(&violation.field)));
    faults.iter().cloned().map(Violation::from).chain(found).collect()
}

impl Walk<'_> {
    fn check_row(&mut self, row: &FieldRule) {
        let application = self.application;
        let before = self.kept.map(|kept| kept.application);
        match row.place {
            FieldPlace::Business(value) => {
                let kept = before.and_then(value);
                self.check(
                    row,
                    Sent { value: value(application), kept, country: None, applies: true },
                    || row.field.to_owned(),
                )
            }
            FieldPlace::Address(value) => {
                for (number, entry) in application.business_addresses.iter().enumerate() {
                    let field = || format!("businessAddresses[{number}].{}", row.field);
                    self.check(
                        row,
                        Sent {
                            value: value(entry),
                            kept: None,
                            country: entry.country.as_deref(),
                            applies: true,
                        },
                        field,
                    );
                }
            }
            FieldPlace::BankAccount(value) => {
                if let Some(entry) = &application.business_bank_account {
                    let field = || format!("businessBankAccount.{}", row.field);
                    self.check(
                        row,
                        Sent { value: value(entry), kept: None, country: None, applies: is_checking(entry) },
                        field,
                    );
                }
            }
            FieldPlace::Contact(value) => {
                for (number, entry) in application.business_contacts.iter().enumerate() {
                    let field = || format!("businessContacts[{number}].{}", row.field);
                    let kept = before.and_then(|before| before.business_contacts.get(number)).and_then(value);
                    self.check(row, Sent { value: value(entry), kept, country: None, applies: true }, field);
                }
            }
            FieldPlace::Owner(value) => self.check_owners(row, value),
            FieldPlace::Identification(value) => self.check_identifications(row, value),
        }
    }

    fn check_owners(&mut self, row: &FieldRule, value: fn(&Owner<SecretText>) -> Option<&str>) {
        let before = self.kept.map(|kept| kept.application);
        for (number, entry) in self.application.business_owners.iter().enumerate() {
            let field = || format!("businessOwners[{number}].{}", row.field);
            let kept = before.and_then(|before| before.business_owners.get(number)).and_then(value);
            let applies = is_identified(entry, self.group);
            let sent = Sent { value: value(entry), kept, country: entry.country.as_deref(), applies };
            self.check(row, sent, field);
        }
    }

    fn check_identifications(
        &mut self,
        row: &FieldRule,
        value: fn(&Identification<SecretText>) -> Option<&str>,
    ) {
        for (owner, entry) in self.application.business_owners.iter().enumerate() {
            for (number, one) in entry.identification.iter().enumerate() {
                let field = || format!("businessOwners[{owner}].identification[{number}].{}", row.field);
                let by_a_state = one.id_type.as_deref().is_some_and(|kind| ISSUED_BY_A_STATE.contains(&kind));
                self.check(
                    row,
                    Sent {
                        value: value(one),
                        kept: None,
                        country: one.issued_country.as_deref(),
                        applies: by_a_state,
                    },
                    field,
                );
            }
        }
    }

    /// Checks one value.
    fn check(&mut self, row: &FieldRule, sent: Sent<'_>, field: impl FnOnce() -> String) {
        let Sent { value, kept, country, applies } = sent;
        let Some(value) = value else {
            let is_required = match row.required {
                Required::Always => true,
                Required::Never => false,
                Required::ForChecking | Required::WhereAStateIssues => applies,
                Required::OfOwners(groups) => {
                    applies && self.group.is_some_and(|group| groups.contains(&group))
                }
            };
            if is_required {
                self.found.push(Violation::missing(field()));
            }
            return;
        };
        if let Some(before) = self.kept
            && kept == Some(value)
            && has_mask(value)
        {
            let field = field();
            self.found.extend(before.violations.iter().filter(|known| known.field == field).cloned());
            return;
        }
        if is_blank(value) {
            let rule = ValueRule::Chars(Charset::Printable).name();
            self.found.push(Violation::new(field(), rule, "must not be blank"));
            return;
        }
        let around = RuleContext { country, today: self.today };
        if let Some(broken) = row.checks.iter().find(|check| !check.rule.holds(value, around)) {
            let message = match broken.rule.forbidden(value) {
                None => broken.message.into(),
                // One character, and no more of what may be a secret.
                Some(char) => format!("{}; {} is not allowed", broken.message, shown(char)).into(),
            };
            self.found.push(Violation { field: field(), rule: broken.rule.name().into(), message });
        }
    }
}

/// A character as it is named: by its number where it would not be seen.
fn shown(char: char) -> String {
    if is_control(char) || char.is_whitespace() {
        return format!("the character U+{:04X}", u32::from(char));
    }
    format!("\"{char}\"")
}

fn is_checking(account: &BankAccount<SecretText>) -> bool {
    account.account_type.as_deref() == Some(CHECKING)
}

/// Whether an owner has to be identified (spec §2.19, "owner requirements by ownership type").
fn is_identified(owner: &Owner<SecretText>, group: Option<OwnershipGroup>) -> bool {
    let kind = owner.kind.as_deref();
    match group {
        Some(OwnershipGroup::PrivatelyHeld) => {
            let share = owner.ownership_percentage.as_deref().and_then(|share| share.parse::<u32>().ok());
            kind == Some(CONTROL_OWNER) || share.is_some_and(|share| share >= IDENTIFIED_SHARE)
        }
        Some(OwnershipGroup::Institution) => true,
        Some(OwnershipGroup::SoleProprietor) => kind == Some(FIRST_BENEFICIAL_OWNER),
        None => false,
    }
}
