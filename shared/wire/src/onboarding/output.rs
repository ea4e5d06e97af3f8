//! What partners are answered. Secrets are masked to their last four characters, in every answer.

use chrono::SecondsFormat;
use domain::merchant::Merchant;
use domain::onboarding::{
    Address, BankAccount, BusinessContact, Clear, Identification, Owner, SecretText, Violation,
};
use domain::{BoardingRefId, TenantId, Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A merchant and its application (spec §2.21). `POST` answers without `updatedDate`; `GET` alone with `storeNumber`
/// and `businessAcceptedCards`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnboardingOutput {
    /// The partner's name for it.
    boarding_ref_id: String,
    /// `Incomplete`, `Pending`, `Approved` or `Declined`.
    status: &'static str,
    /// The merchant id of payment paths.
    mid: String,
    /// Every rule the application breaks.
    error_info: Vec<ErrorInfo>,
    /// When it was made, in UTC.
    create_date: String,
    /// When it was last changed, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_date: Option<String>,
    /// Whose merchant it is.
    tenant_id: String,
    /// Whether it takes cards: it is approved and has a rate card.
    tenant_provisioned: bool,
    #[serde(flatten)]
    business: BusinessOutput,
    /// Not kept; always null.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    store_number: Option<Value>,
    /// The cards it takes; none before it is approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    business_accepted_cards: Option<Vec<AcceptedCardOutput>>,
}

/// A rule that is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ErrorInfo {
    /// Where: `businessBankAccount.routingNumber`, `businessOwners[0].ssn`.
    field: String,
    /// The name of the rule.
    rule: String,
    /// What is wrong. Never quotes what was sent.
    message: String,
}

impl From<&Violation> for ErrorInfo {
    fn from(violation: &Violation) -> Self {
        let Violation { field, rule, message } = violation;
        Self { field: field.clone(), rule: rule.to_string(), message: message.to_string() }
    }
}

/// What the business says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BusinessOutput {
    dba_name: Option<String>,
    billing_descriptor: Option<String>,
    business_type: Option<String>,
    business_established_date: Option<String>,
    website_url: Option<String>,
    ownership_type: Option<String>,
    legal_name: Option<String>,
    /// Masked.
    tax_id: Option<String>,
    merchant_category_code: Option<String>,
    business_owners: Vec<BusinessOwnerOutput>,
    business_contacts: Vec<BusinessContactOutput>,
    business_addresses: Vec<BusinessAddressOutput>,
    business_bank_account: Option<BankAccountOutput>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BusinessAddressOutput {
    r#type: Option<String>,
    address_line1: Option<String>,
    address_line2: Option<String>,
    city: Option<String>,
    country: Option<String>,
    state: Option<String>,
    postal_code: Option<String>,
    postal_code_extension: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BankAccountOutput {
    /// The type of the account.
    dda_type: Option<String>,
    ach_type: Option<String>,
    /// Masked.
    account_number: Option<String>,
    /// Masked.
    routing_number: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BusinessContactOutput {
    r#type: Option<String>,
    email: Option<String>,
    fax_number: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    middle_initial: Option<String>,
    phone_number: Option<String>,
    phone_number_ext: Option<String>,
    title: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BusinessOwnerOutput {
    r#type: Option<String>,
    title: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    middle_initial: Option<String>,
    phone_number: Option<String>,
    phone_number_ext: Option<String>,
    fax_number: Option<String>,
    email: Option<String>,
    /// Masked.
    ssn: Option<String>,
    /// Masked.
    date_of_birth: Option<String>,
    business_ownership_percentage: Option<i64>,
    address_line1: Option<String>,
    address_line2: Option<String>,
    city: Option<String>,
    state: Option<String>,
    country: Option<String>,
    postal_code: Option<String>,
    postal_code_extension: Option<String>,
    identification: Vec<IdentificationOutput>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct IdentificationOutput {
    id_type: Option<String>,
    /// Masked.
    id_number: Option<String>,
    issued_country: Option<String>,
    issued_state: Option<String>,
    issued_city: Option<String>,
    date_issued: Option<String>,
    date_expires: Option<String>,
}

/// A brand of cards a merchant takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
struct AcceptedCardOutput {
    /// `Visa`, `MasterCard`, `Discover`, `AmericanExpress`.
    r#type: &'static str,
    attributes: Vec<AttributeOutput>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
struct AttributeOutput {
    name: &'static str,
    value: &'static str,
}

/// What the rules say of an application that is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidationOutput {
    /// No rule is broken.
    valid: bool,
    /// Every rule that is broken.
    error_info: Vec<ErrorInfo>,
    /// The fields that are still missing, for the ownership type that was sent.
    missing: Vec<String>,
}

impl ValidationOutput {
    /// What these broken rules come to.
    #[must_use]
    pub fn of(violations: &[Violation]) -> Self {
        let missing = violations.iter().filter(|violation| violation.is_missing());
        Self {
            valid: violations.is_empty(),
            error_info: violations.iter().map(Into::into).collect(),
            missing: missing.map(|violation| violation.field.clone()).collect(),
        }
    }
}

/// What an answer is made of.
#[derive(Debug, Clone, Copy)]
pub struct OnboardingView<'a> {
    /// Whose merchant it is.
    pub tenant: TenantId,
    /// The partner's name for it.
    pub reference: &'a BoardingRefId,
    /// The merchant.
    pub merchant: &'a Merchant,
    /// What the application says.
    pub application: &'a Clear,
    /// The rules it breaks.
    pub violations: &'a [Violation],
    /// When it was made, and when it was last changed.
    pub dates: (Timestamp, Option<Timestamp>),
}

/// The brands every approved merchant takes.
const ACCEPTED: [&str; 4] = ["Visa", "MasterCard", "Discover", "AmericanExpress"];

impl OnboardingOutput {
    /// The answer to the request that made it.
    #[must_use]
    pub fn created(view: OnboardingView<'_>) -> Self {
        let OnboardingView { tenant, reference, merchant, application, violations, dates } = view;
        Self {
            boarding_ref_id: reference.to_string(),
            status: merchant.status.as_str(),
            mid: merchant.mid.to_string(),
            error_info: violations.iter().map(Into::into).collect(),
            create_date: utc(dates.0),
            updated_date: None,
            tenant_id: tenant.to_string(),
            tenant_provisioned: merchant.charging().is_some(),
            business: application.into(),
            store_number: None,
            business_accepted_cards: None,
        }
    }

    /// The answer to a change.
    #[must_use]
    pub fn changed(view: OnboardingView<'_>) -> Self {
        Self { updated_date: view.dates.1.map(utc), ..Self::created(view) }
    }

    /// The answer to whoever reads it.
    #[must_use]
    pub fn read(view: OnboardingView<'_>) -> Self {
        let is_approved = view.merchant.status == domain::merchant::MerchantStatus::Approved;
        let cards = ACCEPTED.iter().filter(|_| is_approved);
        let acquired = || vec![AttributeOutput { name: "Acquired", value: "true" }];
        let cards = cards.map(|brand| AcceptedCardOutput { r#type: brand, attributes: acquired() });
        Self {
            store_number: Some(Value::Null),
            business_accepted_cards: Some(cards.collect()),
            ..Self::changed(view)
        }
    }
}

fn utc(instant: Timestamp) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn masked(secret: Option<&SecretText>) -> Option<String> {
    secret.map(SecretText::masked)
}

impl From<&Clear> for BusinessOutput {
    fn from(application: &Clear) -> Self {
        Self {
            dba_name: application.dba_name.clone(),
            billing_descriptor: application.billing_descriptor.clone(),
            business_type: application.business_type.clone(),
            business_established_date: application.business_established_date.clone(),
            website_url: application.business_website_url.clone(),
            ownership_type: application.business_ownership_type.clone(),
            legal_name: application.business_legal_name.clone(),
            tax_id: masked(application.tax_id.as_ref()),
            merchant_category_code: application.merchant_category_code.clone(),
            business_owners: application.business_owners.iter().map(Into::into).collect(),
            business_contacts: application.business_contacts.iter().map(Into::into).collect(),
            business_addresses: application.business_addresses.iter().map(Into::into).collect(),
            business_bank_account: application.business_bank_account.as_ref().map(Into::into),
        }
    }
}

impl From<&Address> for BusinessAddressOutput {
    fn from(address: &Address) -> Self {
        let Address {
            kind,
            address_line1,
            address_line2,
            city,
            country,
            state,
            postal_code,
            postal_code_extension,
        } = address.clone();
        Self {
            r#type: kind,
            address_line1,
            address_line2,
            city,
            country,
            state,
            postal_code,
            postal_code_extension,
        }
    }
}

impl From<&BankAccount<SecretText>> for BankAccountOutput {
    fn from(account: &BankAccount<SecretText>) -> Self {
        let BankAccount { account_number, account_type, ach_type, routing_number } = account;
        Self {
            dda_type: account_type.clone(),
            ach_type: ach_type.clone(),
            account_number: masked(account_number.as_ref()),
            routing_number: masked(routing_number.as_ref()),
        }
    }
}

impl From<&BusinessContact> for BusinessContactOutput {
    fn from(contact: &BusinessContact) -> Self {
        let BusinessContact {
            kind,
            email,
            fax_number,
            first_name,
            last_name,
            middle_initial,
            phone_number,
            phone_number_ext,
            title,
        } = contact.clone();
        Self {
            r#type: kind,
            email,
            fax_number,
            first_name,
            last_name,
            middle_initial,
            phone_number,
            phone_number_ext,
            title,
        }
    }
}

impl From<&Owner<SecretText>> for BusinessOwnerOutput {
    fn from(owner: &Owner<SecretText>) -> Self {
        Self {
            r#type: owner.kind.clone(),
            title: owner.title.clone(),
            first_name: owner.first_name.clone(),
            last_name: owner.last_name.clone(),
            middle_initial: owner.middle_initial.clone(),
            phone_number: owner.phone_number.clone(),
            phone_number_ext: owner.phone_number_ext.clone(),
            fax_number: owner.fax_number.clone(),
            email: owner.email.clone(),
            ssn: masked(owner.ssn.as_ref()),
            date_of_birth: masked(owner.date_of_birth.as_ref()),
            business_ownership_percentage: owner
                .ownership_percentage
                .as_deref()
                .and_then(|share| share.parse().ok()),
            address_line1: owner.address_line1.clone(),
            address_line2: owner.address_line2.clone(),
            city: owner.city.clone(),
            state: owner.state.clone(),
            country: owner.country.clone(),
            postal_code: owner.postal_code.clone(),
            postal_code_extension: owner.postal_code_extension.clone(),
            identification: owner.identification.iter().map(Into::into).collect(),
        }
    }
}

impl From<&Identification<SecretText>> for IdentificationOutput {
    fn from(identification: &Identification<SecretText>) -> Self {
        let Identification {
            id_type,
            id_number,
            issued_country,
            issued_state,
            issued_city,
            date_issued,
            date_expires,
        } = identification;
        Self {
            id_type: id_type.clone(),
            id_number: masked(id_number.as_ref()),
            issued_country: issued_country.clone(),
            issued_state: issued_state.clone(),
            issued_city: issued_city.clone(),
            date_issued: date_issued.clone(),
            date_expires: date_expires.clone(),
        }
    }
}
