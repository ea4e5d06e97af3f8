//! Completing and changing an application (spec §2.19 "PATCH", contract §11).

use super::validate::{Kept, REQUIRED, violations, violations_after, with_type_faults};
use super::{
    Address, BankAccount, BusinessContact, Clear, Owner, SecretText, TypeFault, Violation, kept_name,
};
use chrono::NaiveDate;

/// What becomes of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// It was not sent, and stays.
    #[default]
    Keep,
    /// It was sent empty, and goes.
    Clear,
    /// It becomes this.
    Set(T),
}

impl<T> Change<T> {
    fn is_sent(&self) -> bool {
        !matches!(self, Self::Keep)
    }

    /// Whether the field is another one afterwards.
    fn alters(&self, field: Option<&T>) -> bool
    where
        T: PartialEq,
    {
        match self {
            Self::Keep => false,
            Self::Clear => field.is_some(),
            Self::Set(value) => field != Some(value),
        }
    }

    /// The change to what `read` makes of the value.
    pub fn map<U>(self, read: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::Keep => Change::Keep,
            Self::Clear => Change::Clear,
            Self::Set(value) => Change::Set(read(value)),
        }
    }

    /// The value, in what replaces the whole that the field is part of: nothing is kept there.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Keep | Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    /// The field after the change.
    fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }
}

impl<T> Change<Vec<T>> {
    fn replace(self, list: &mut Vec<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => list.clear(),
            Self::Set(next) => *list = next,
        }
    }
}

/// What a request changes of an application, with names as they were sent: the rules are about those. What is made of
/// it has card numbers in names masked.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct ApplicationEdit {
    pub billing_descriptor: Change<String>,
    pub business_legal_name: Change<String>,
    pub dba_name: Change<String>,
    pub business_type: Change<String>,
    pub business_ownership_type: Change<String>,
    pub merchant_category_code: Change<String>,
    pub tax_id: Change<SecretText>,
    pub business_established_date: Change<String>,
    pub business_website_url: Change<String>,
    pub business_addresses: Change<Vec<Address>>,
    pub business_bank_account: Change<BankAccountEdit>,
    pub business_contacts: Change<Vec<BusinessContact>>,
    pub business_owners: Change<Vec<Owner<SecretText>>>,
    /// Fields that were sent with another JSON type than documented.
    pub type_faults: Vec<TypeFault>,
}

/// What a request changes of a bank account. Our choice: its fields change one by one, while a list is replaced as a
/// whole (decision 0062).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct BankAccountEdit {
    pub account_number: Change<SecretText>,
    pub account_type: Change<String>,
    pub ach_type: Change<String>,
    pub routing_number: Change<SecretText>,
}

/// Why an application stays as it is: every rule that the change would break. Those of the application before
/// it are not among them, unless the change is about the very field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationEditRefusal(pub Vec<Violation>);

impl ApplicationEdit {
    /// A new application that says this alone, with every rule that is broken by what was sent.
    #[must_use]
    pub fn into_application(self, today: NaiveDate) -> (Clear, Vec<Violation>) {
        let faults = self.type_faults.clone();
        let sent = apply(Clear::empty(), self);
        let broken = with_type_faults(violations(&sent, today), &faults);
        (sent.with_masked_names(), broken)
    }
}

/// An application after a change, with the rules it still breaks; `known` are those that it was found to break before.
///
/// # Errors
/// [`ApplicationEditRefusal`] when the change itself breaks a rule, or removes or edits what may not be.
pub fn edited(
    current: &Clear,
    known: &[Violation],
    edit: ApplicationEdit,
    today: NaiveDate,
) -> Result<(Clear, Vec<Violation>), ApplicationEditRefusal> {
    let kept = Kept { application: current, violations: known };
    let before = violations_after(current, kept, today);
    let mut refused = fixed_fields(&edit, current, &before);
    refused.extend(owners_without_type(&edit));
    let sent = sent_fields(&edit);
    let faults = edit.type_faults.clone();
    let after = apply(current.clone(), edit);
    let found = violations_after(&after, kept, today);
    let caused = |violation: &&Violation| {
        let is_new = !before.contains(*violation);
        (is_new || sent.contains(&violation.top_field()))
            && !refused.iter().any(|refusal| refusal.field == violation.field)
    };
    let caused: Vec<Violation> = found.iter().filter(caused).cloned().collect();
    refused.extend(caused);
    let refused = with_type_faults(refused, &faults);
    if refused.is_empty() {
        Ok((after.with_masked_names(), found))
    } else {
        Err(ApplicationEditRefusal(refused))
    }
}

/// Fields that are never edited. Our choice: one that is missing or wrong may still be put right, and one that is
/// right may be sent as it is (decision 0062).
fn fixed_fields(edit: &ApplicationEdit, current: &Clear, before: &[Violation]) -> Vec<Violation> {
    let legal_name = edit.business_legal_name.clone().map(|name| kept_name(&name));
    let altered = [
        ("businessLegalName", legal_name.alters(current.business_legal_name.as_ref())),
        ("merchantCategoryCode", edit.merchant_category_code.alters(current.merchant_category_code.as_ref())),
        ("taxId", edit.tax_id.alters(current.tax_id.as_ref())),
    ];
    let is_wrong = |field: &str| before.iter().any(|violation| violation.field == field);
    let refused = altered.into_iter().filter(|(field, is_altered)| *is_altered && !is_wrong(field));
    refused.map(|(field, _)| Violation::new(field, "notEditable", "cannot be changed")).collect()
}

/// The ownership type is required where owners are sent (spec §2.19).
fn owners_without_type(edit: &ApplicationEdit) -> Option<Violation> {
    let is_missing =
        matches!(edit.business_owners, Change::Set(_)) && !edit.business_ownership_type.is_sent();
    let message = "is required when businessOwners are sent";
    is_missing.then(|| Violation::new("businessOwnershipType", REQUIRED, message))
}

fn sent_fields(edit: &ApplicationEdit) -> Vec<&'static str> {
    let all = [
        ("billingDescriptor", edit.billing_descriptor.is_sent()),
        ("businessLegalName", edit.business_legal_name.is_sent()),
        ("dbaName", edit.dba_name.is_sent()),
        ("businessType", edit.business_type.is_sent()),
        ("businessOwnershipType", edit.business_ownership_type.is_sent()),
        ("merchantCategoryCode", edit.merchant_category_code.is_sent()),
        ("taxId", edit.tax_id.is_sent()),
        ("businessEstablishedDate", edit.business_established_date.is_sent()),
        ("businessWebsiteUrl", edit.business_website_url.is_sent()),
        ("businessAddresses", edit.business_addresses.is_sent()),
        ("businessBankAccount", edit.business_bank_account.is_sent()),
        ("businessContacts", edit.business_contacts.is_sent()),
        ("businessOwners", edit.business_owners.is_sent()),
    ];
    all.into_iter().filter(|(_, is_sent)| *is_sent).map(|(field, _)| field).collect()
}

fn apply(mut application: Clear, edit: ApplicationEdit) -> Clear {
    let ApplicationEdit {
        billing_descriptor,
        business_legal_name,
        dba_name,
        business_type,
        business_ownership_type,
        merchant_category_code,
        tax_id,
        business_established_date,
        business_website_url,
        business_addresses,
        business_bank_account,
        business_contacts,
        business_owners,
        type_faults: _,
    } = edit;
    billing_descriptor.apply(&mut application.billing_descriptor);
    business_legal_name.apply(&mut application.business_legal_name);
    dba_name.apply(&mut application.dba_name);
    business_type.apply(&mut application.business_type);
    business_ownership_type.apply(&mut application.business_ownership_type);
    merchant_category_code.apply(&mut application.merchant_category_code);
    tax_id.apply(&mut application.tax_id);
    business_established_date.apply(&mut application.business_established_date);
    business_website_url.apply(&mut application.business_website_url);
    business_addresses.replace(&mut application.business_addresses);
    apply_account(business_bank_account, &mut application.business_bank_account);
    let contacts = with_known_addresses(business_contacts, &application.business_contacts);
    contacts.replace(&mut application.business_contacts);
    business_owners.replace(&mut application.business_owners);
    application
}

fn apply_account(edit: Change<BankAccountEdit>, account: &mut Option<BankAccount<SecretText>>) {
    let BankAccountEdit { account_number, account_type, ach_type, routing_number } = match edit {
        Change::Keep => return,
        Change::Clear => {
            *account = None;
            return;
        }
        Change::Set(edit) => edit,
    };
    let empty =
        BankAccount { account_number: None, account_type: None, ach_type: None, routing_number: None };
    let account = account.get_or_insert(empty);
    account_number.apply(&mut account.account_number);
    account_type.apply(&mut account.account_type);
    ach_type.apply(&mut account.ach_type);
    routing_number.apply(&mut account.routing_number);
}

/// E-mail and telephone of a contact are required by POST alone (spec §2.19): where a changed contact comes without
/// them, it keeps those that the contact of its type had (decision 0062).
fn with_known_addresses(
    contacts: Change<Vec<BusinessContact>>,
    known: &[BusinessContact],
) -> Change<Vec<BusinessContact>> {
    let Change::Set(mut contacts) = contacts else { return contacts };
    for contact in &mut contacts {
        let before = known.iter().find(|before| before.kind.is_some() && before.kind == contact.kind);
        if let Some(before) = before {
            contact.email = contact.email.take().or_else(|| before.email.clone());
            contact.phone_number = contact.phone_number.take().or_else(|| before.phone_number.clone());
        }
    }
    Change::Set(contacts)
}
