//! Applications of merchants to take cards (spec §2.19 to §2.21, contract §11): what they say, the rules for it,
//! and how they change.
//!
//! An application holds whatever was sent, right or wrong, so that one with faults can be completed later.
//! Its type parameter says in which form its secrets are: in the clear for the length of a request, sealed in
//! storage. Only the sealed form can be serialised.

mod boarding;
mod edit;
mod rule;
mod rules;
mod secret;
mod structure;
mod validate;
pub mod vocabulary;

pub use boarding::{
    Boarding, FirstAnswer, TEST_NAMES, Verdict, application_key_context, sandbox_verdict, underwriting_due,
};
pub use edit::{ApplicationEdit, ApplicationEditRefusal, BankAccountEdit, Change, edited};
pub use rule::{Charset, RuleContext, ValueRule};
pub use rules::{Check, FieldPlace, FieldRule, Required, TABLE};
pub use secret::{Sealed, SecretText};
pub use structure::{STRUCTURE, Structure};
pub use validate::{TypeFault, Violation, violations};

use crate::card::mask_card_numbers;
use crate::text::cut;
use serde::{Deserialize, Serialize};

/// Characters that are kept of a text. More than any rule allows, so that a text that was cut is a fault still.
pub const MAX_KEPT_CHARS: usize = 255;
/// Addresses, contacts, and identifications of an owner that an application may have.
pub const MAX_ENTRIES: usize = 10;
/// Owners an application may have: one that controls, ten that benefit (spec §8).
pub const MAX_OWNERS: usize = 11;

/// An application in the clear.
pub type Clear = Application<SecretText>;

/// What a business says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct Application<S> {
    pub billing_descriptor: Option<String>,
    pub business_legal_name: Option<String>,
    pub dba_name: Option<String>,
    pub business_type: Option<String>,
    pub business_ownership_type: Option<String>,
    pub merchant_category_code: Option<String>,
    pub tax_id: Option<S>,
    pub business_established_date: Option<String>,
    pub business_website_url: Option<String>,
    pub business_addresses: Vec<Address>,
    pub business_bank_account: Option<BankAccount<S>>,
    pub business_contacts: Vec<BusinessContact>,
    pub business_owners: Vec<Owner<S>>,
}

/// Where a business is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct Address {
    pub kind: Option<String>,
    pub address_line1: Option<String>,
    pub address_line2: Option<String>,
    pub city: Option<String>,
    pub country: Option<String>,
    pub state: Option<String>,
    pub postal_code: Option<String>,
    pub postal_code_extension: Option<String>,
}

/// Where a business is paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct BankAccount<S> {
    pub account_number: Option<S>,
    pub account_type: Option<String>,
    pub ach_type: Option<String>,
    pub routing_number: Option<S>,
}

/// Whom to ask about a business.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct BusinessContact {
    pub kind: Option<String>,
    pub email: Option<String>,
    pub fax_number: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub middle_initial: Option<String>,
    pub phone_number: Option<String>,
    pub phone_number_ext: Option<String>,
    pub title: Option<String>,
}

/// Whose a business is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct Owner<S> {
    pub kind: Option<String>,
    pub title: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub middle_initial: Option<String>,
    pub phone_number: Option<String>,
    pub phone_number_ext: Option<String>,
    pub fax_number: Option<String>,
    pub email: Option<String>,
    pub ssn: Option<S>,
    pub date_of_birth: Option<S>,
    /// The integer as text.
    pub ownership_percentage: Option<String>,
    pub address_line1: Option<String>,
    pub address_line2: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub country: Option<String>,
    pub postal_code: Option<String>,
    pub postal_code_extension: Option<String>,
    pub identification: Vec<Identification<S>>,
}

/// What an owner is identified by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the specification's own")]
pub struct Identification<S> {
    pub id_type: Option<String>,
    pub id_number: Option<S>,
    pub issued_country: Option<String>,
    pub issued_state: Option<String>,
    pub issued_city: Option<String>,
    pub date_issued: Option<String>,
    pub date_expires: Option<String>,
}

impl<S> Application<S> {
    /// An application that says nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            billing_descriptor: None,
            business_legal_name: None,
            dba_name: None,
            business_type: None,
            business_ownership_type: None,
            merchant_category_code: None,
            tax_id: None,
            business_established_date: None,
            business_website_url: None,
            business_addresses: Vec::new(),
            business_bank_account: None,
            business_contacts: Vec::new(),
            business_owners: Vec::new(),
        }
    }

    /// The application as it may be kept and shown: with card numbers in names masked (contract §6).
    fn with_masked_names(mut self) -> Self {
        let contacts = self.business_contacts.iter_mut();
        let contacts = contacts.flat_map(|contact| [&mut contact.first_name, &mut contact.last_name]);
        let owners = self.business_owners.iter_mut();
        let owners = owners.flat_map(|owner| [&mut owner.first_name, &mut owner.last_name]);
        let own = [&mut self.business_legal_name, &mut self.dba_name];
        for name in own.into_iter().chain(contacts).chain(owners).flatten() {
            *name = kept_name(name);
        }
        self
    }

    /// The application with every secret in another form. `turn` is told where each stands, which is also what it is
    /// sealed for: `businessOwners[0].ssn`.
    ///
    /// # Errors
    /// The first one of `turn`.
    pub fn map_secrets<T, E>(
        self,
        turn: &mut impl FnMut(&str, S) -> Result<T, E>,
    ) -> Result<Application<T>, E> {
        let account = match self.business_bank_account {
            Some(account) => Some(account.map_secrets(turn)?),
            None => None,
        };
        let mut owners = Vec::with_capacity(self.business_owners.len());
        for (number, owner) in self.business_owners.into_iter().enumerate() {
            owners.push(owner.map_secrets(&format!("businessOwners[{number}]"), turn)?);
        }
        Ok(Application {
            billing_descriptor: self.billing_descriptor,
            business_legal_name: self.business_legal_name,
            dba_name: self.dba_name,
            business_type: self.business_type,
            business_ownership_type: self.business_ownership_type,
            merchant_category_code: self.merchant_category_code,
            tax_id: turned("taxId", self.tax_id, turn)?,
            business_established_date: self.business_established_date,
            business_website_url: self.business_website_url,
            business_addresses: self.business_addresses,
            business_bank_account: account,
            business_contacts: self.business_contacts,
            business_owners: owners,
        })
    }
}

impl<S> BankAccount<S> {
    fn map_secrets<T, E>(self, turn: &mut impl FnMut(&str, S) -> Result<T, E>) -> Result<BankAccount<T>, E> {
        let Self { account_number, account_type, ach_type, routing_number } = self;
        Ok(BankAccount {
            account_number: turned("businessBankAccount.accountNumber", account_number, turn)?,
            account_type,
            ach_type,
            routing_number: turned("businessBankAccount.routingNumber", routing_number, turn)?,
        })
    }
}

impl<S> Owner<S> {
    fn map_secrets<T, E>(
        self,
        place: &str,
        turn: &mut impl FnMut(&str, S) -> Result<T, E>,
    ) -> Result<Owner<T>, E> {
        let mut identification = Vec::with_capacity(self.identification.len());
        for (number, one) in self.identification.into_iter().enumerate() {
            let field = format!("{place}.identification[{number}].idNumber");
            identification.push(Identification {
                id_type: one.id_type,
                id_number: turned(&field, one.id_number, turn)?,
                issued_country: one.issued_country,
                issued_state: one.issued_state,
                issued_city: one.issued_city,
                date_issued: one.date_issued,
                date_expires: one.date_expires,
            });
        }
        Ok(Owner {
            kind: self.kind,
            title: self.title,
            first_name: self.first_name,
            last_name: self.last_name,
            middle_initial: self.middle_initial,
            phone_number: self.phone_number,
            phone_number_ext: self.phone_number_ext,
            fax_number: self.fax_number,
            email: self.email,
            ssn: turned(&format!("{place}.ssn"), self.ssn, turn)?,
            date_of_birth: turned(&format!("{place}.dateOfBirth"), self.date_of_birth, turn)?,
            ownership_percentage: self.ownership_percentage,
            address_line1: self.address_line1,
            address_line2: self.address_line2,
            city: self.city,
            state: self.state,
            country: self.country,
            postal_code: self.postal_code,
            postal_code_extension: self.postal_code_extension,
            identification,
        })
    }
}

/// A name as it is kept. A card number in it is masked before it is cut, so that no part of one is left.
fn kept_name(sent: &str) -> String {
    cut(&mask_card_numbers(sent), MAX_KEPT_CHARS).to_owned()
}

fn turned<S, T, E>(
    field: &str,
    secret: Option<S>,
    turn: &mut impl FnMut(&str, S) -> Result<T, E>,
) -> Result<Option<T>, E> {
    secret.map(|secret| turn(field, secret)).transpose()
}
