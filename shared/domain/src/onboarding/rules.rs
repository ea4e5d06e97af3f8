//! The rules of spec §2.19 as data: one table, which is walked to validate, printed as documentation and tested row
//! by row.

use super::rule::{Charset, ValueRule};
use super::vocabulary::{
    ACCOUNT_TYPES, ACH_TYPES, ADDRESS_TYPES, BUSINESS_TYPES, CATEGORY_CODES, CONTACT_TYPES, COUNTRIES,
    ID_TYPES, OWNER_TYPES, OWNERSHIP_TYPES, OwnershipGroup,
};
use super::{Address, BankAccount, BusinessContact, Clear, Identification, Owner, SecretText};

/// Where a field stands, and how it is read.
#[derive(Debug, Clone, Copy)]
pub enum FieldPlace {
    /// The application itself.
    Business(fn(&Clear) -> Option<&str>),
    /// Each entry of `businessAddresses`.
    Address(fn(&Address) -> Option<&str>),
    /// `businessBankAccount`.
    BankAccount(fn(&BankAccount<SecretText>) -> Option<&str>),
    /// Each entry of `businessContacts`.
    Contact(fn(&BusinessContact) -> Option<&str>),
    /// Each entry of `businessOwners`.
    Owner(fn(&Owner<SecretText>) -> Option<&str>),
    /// Each entry of `identification` of an owner.
    Identification(fn(&Identification<SecretText>) -> Option<&str>),
}

/// When a field has to be there. An empty text is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Required {
    Always,
    Never,
    /// For accounts of the type `Checking`.
    ForChecking,
    /// For identification that a state issues.
    WhereAStateIssues,
    /// For owners who have to be identified, of ownership types of these groups.
    OfOwners(&'static [OwnershipGroup]),
}

/// A rule, and what is said where it is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    pub rule: ValueRule,
    /// Said of the field; never quotes what was sent.
    pub message: &'static str,
}

/// A field with its rules. The first that is broken is reported, since the others would say it again.
#[derive(Debug, Clone, Copy)]
pub struct FieldRule {
    /// Where it stands.
    pub place: FieldPlace,
    /// Its name.
    pub field: &'static str,
    /// When it has to be there.
    pub required: Required,
    /// What it has to be like.
    pub checks: &'static [Check],
}

use OwnershipGroup::{Institution, PrivatelyHeld, SoleProprietor};
use Required::{Always, Never};

const fn check(rule: ValueRule, message: &'static str) -> Check {
    Check { rule, message }
}

const PRINTABLE: Check = check(ValueRule::Chars(Charset::Printable), "must not have control characters");
const LATIN1: Check = check(ValueRule::Chars(Charset::Latin1), "must have Latin-1 characters only");
const BUSINESS_NAME: Check =
    check(ValueRule::Chars(Charset::BusinessName), "must have letters, digits, spaces and , ' & ; - _ only");
const NO_COMMA: Check =
    check(ValueRule::Chars(Charset::AddressLine), "must not have commas or control characters");
const MAX_1: Check = check(ValueRule::MaxChars(1), "must have at most 1 character");
const MAX_8: Check = check(ValueRule::MaxChars(8), "must have at most 8 characters");
const MAX_10: Check = check(ValueRule::MaxChars(10), "must have at most 10 characters");
const MAX_15: Check = check(ValueRule::MaxChars(15), "must have at most 15 characters");
const MAX_25: Check = check(ValueRule::MaxChars(25), "must have at most 25 characters");
const MAX_28: Check = check(ValueRule::MaxChars(28), "must have at most 28 characters");
const MAX_40: Check = check(ValueRule::MaxChars(40), "must have at most 40 characters");
const MAX_64: Check = check(ValueRule::MaxChars(64), "must have at most 64 characters");
const EMAIL: Check = check(ValueRule::Email, "must be an e-mail address");
const DATE: Check = check(ValueRule::Date, "must be a date, written yyyy-mm-dd");
const PAST: Check = check(ValueRule::NotInFuture, "must not be in the future");
const NINE_DIGITS: Check = check(ValueRule::Digits { min: 9, max: 9 }, "must have 9 digits, without dashes");
const COUNTRY: Check = check(ValueRule::OneOf(COUNTRIES), "must be US or CA");
const STATE: Check = check(
    ValueRule::State,
    "must be the code of a US state or Canadian province, in the country given beside it",
);
const POSTAL_CODE: Check = check(ValueRule::PostalCode, "must have 5 digits, or look like K1A 0B1 in Canada");
const EXTENSION: Check = check(ValueRule::Digits { min: 4, max: 4 }, "must have 4 digits");

/// Whom of the owners a name and an address are asked of.
const NAMED: Required = Required::OfOwners(&[PrivatelyHeld, Institution, SoleProprietor]);

const fn business(
    field: &'static str,
    value: fn(&Clear) -> Option<&str>,
    checks: &'static [Check],
) -> FieldRule {
    FieldRule { place: FieldPlace::Business(value), field, required: Always, checks }
}

const fn address(
    field: &'static str,
    required: Required,
    value: fn(&Address) -> Option<&str>,
    checks: &'static [Check],
) -> FieldRule {
    FieldRule { place: FieldPlace::Address(value), field, required, checks }
}

const fn account(
    field: &'static str,
    required: Required,
    value: fn(&BankAccount<SecretText>) -> Option<&str>,
    checks: &'static [Check],
) -> FieldRule {
    FieldRule { place: FieldPlace::BankAccount(value), field, required, checks }
}

const fn contact(
    field: &'static str,
    required: Required,
    value: fn(&BusinessContact) -> Option<&str>,
    checks: &'static [Check],
) -> FieldRule {
    FieldRule { place: FieldPlace::Contact(value), field, required, checks }
}

const fn owner(
    field: &'static str,
    required: Required,
    value: fn(&Owner<SecretText>) -> Option<&str>,
    checks: &'static [Check],
) -> FieldRule {
    FieldRule { place: FieldPlace::Owner(value), field, required, checks }
}

const fn identification(
    field: &'static str,
    required: Required,
    value: fn(&Identification<SecretText>) -> Option<&str>,
    checks: &'static [Check],
) -> FieldRule {
    FieldRule { place: FieldPlace::Identification(value), field, required, checks }
}

/// Reads a text of an entry.
macro_rules! text {
    ($field:ident) => {
        |entry| entry.$field.as_deref()
    };
}

/// Reads a secret of an entry.
macro_rules! secret {
    ($field:ident) => {
        |entry| entry.$field.as_ref().map(SecretText::expose)
    };
}

/// Every rule for a single field (spec §2.19, contract §11).
pub static TABLE: &[FieldRule] = &[
    business(
        "billingDescriptor",
        text!(billing_descriptor),
        &[
            check(ValueRule::MaxChars(22), "must have at most 22 characters, the prefix not counted"),
            check(
                ValueRule::Chars(Charset::Descriptor),
                "must have unaccented letters, digits, spaces and * ; _ . , & only",
            ),
        ],
    ),
    business("businessLegalName", text!(business_legal_name), &[MAX_40, BUSINESS_NAME]),
    business("dbaName", text!(dba_name), &[MAX_40, BUSINESS_NAME]),
    business(
        "businessType",
        text!(business_type),
        &[check(
            ValueRule::OneOf(BUSINESS_TYPES),
            "must be AutoRental, ECommerce, Lodging, MOTO, Restaurant or Retail",
        )],
    ),
    business(
        "businessOwnershipType",
        text!(business_ownership_type),
        &[check(
            ValueRule::OneOf(OWNERSHIP_TYPES),
            "must be PublicCorporation, PrivateCorporation, SECRegulatedCorporation, Government, SoleProprietorship, \
             LLC, Partnership, NonProfit, FinancialInstitution or Trust",
        )],
    ),
    business(
        "merchantCategoryCode",
        text!(merchant_category_code),
        &[check(ValueRule::OneOf(CATEGORY_CODES), "must be 8398 or 7991")],
    ),
    business("taxId", secret!(tax_id), &[NINE_DIGITS]),
    business("businessEstablishedDate", text!(business_established_date), &[DATE, PAST]),
    business(
        "businessWebsiteUrl",
        text!(business_website_url),
        &[
            check(ValueRule::MaxChars(80), "must have at most 80 characters"),
            check(ValueRule::WebAddress, "must be the address of a web page"),
        ],
    ),
    address(
        "type",
        Always,
        text!(kind),
        &[check(ValueRule::OneOf(ADDRESS_TYPES), "must be Physical, Mailing or TerminalDeployment")],
    ),
    address("addressLine1", Always, text!(address_line1), &[MAX_40, NO_COMMA]),
    address("addressLine2", Never, text!(address_line2), &[MAX_40, PRINTABLE]),
    address("city", Always, text!(city), &[MAX_28, PRINTABLE]),
    address("country", Always, text!(country), &[COUNTRY]),
    address("state", Always, text!(state), &[STATE]),
    address("postalCode", Always, text!(postal_code), &[POSTAL_CODE]),
    address("postalCodeExtension", Never, text!(postal_code_extension), &[EXTENSION]),
    account(
        "accountNumber",
        Always,
        secret!(account_number),
        &[check(ValueRule::Digits { min: 1, max: 17 }, "must have 1 to 17 digits")],
    ),
    account(
        "accountType",
        Always,
        text!(account_type),
        &[check(ValueRule::OneOf(ACCOUNT_TYPES), "must be Checking or Savings")],
    ),
    account(
        "achType",
        Required::ForChecking,
        text!(ach_type),
        &[check(ValueRule::OneOf(ACH_TYPES), "must be CommercialChecking or PrivateChecking")],
    ),
    account(
        "routingNumber",
        Always,
        secret!(routing_number),
        &[check(
            ValueRule::RoutingNumber,
            "must be the routing number of a bank: 9 digits with a valid checksum and prefix",
        )],
    ),
    contact(
        "type",
        Always,
        text!(kind),
        &[check(ValueRule::OneOf(CONTACT_TYPES), "must be CustomerService, TerminalDeployment or Primary")],
    ),
    contact("firstName", Always, text!(first_name), &[MAX_15, PRINTABLE]),
    contact("lastName", Always, text!(last_name), &[MAX_25, PRINTABLE]),
    contact("middleInitial", Never, text!(middle_initial), &[MAX_1, PRINTABLE]),
    contact("email", Always, text!(email), &[MAX_64, EMAIL]),
    contact("phoneNumber", Always, text!(phone_number), &[MAX_10, PRINTABLE]),
    contact("phoneNumberExt", Never, text!(phone_number_ext), &[MAX_8, PRINTABLE]),
    contact("faxNumber", Never, text!(fax_number), &[MAX_10, PRINTABLE]),
    contact("title", Never, text!(title), &[MAX_40, PRINTABLE]),
    owner(
        "type",
        Always,
        text!(kind),
        &[check(
            ValueRule::OneOf(OWNER_TYPES),
            "must be ControlOwner or BeneficialOwner1 to BeneficialOwner10",
        )],
    ),
    owner("title", Never, text!(title), &[MAX_40, PRINTABLE]),
    owner("firstName", NAMED, text!(first_name), &[MAX_15, LATIN1]),
    owner("lastName", NAMED, text!(last_name), &[MAX_25, LATIN1]),
    owner("middleInitial", Never, text!(middle_initial), &[MAX_1, LATIN1]),
    owner(
        "phoneNumber",
        Never,
        text!(phone_number),
        &[check(ValueRule::Digits { min: 10, max: 10 }, "must have 10 digits")],
    ),
    owner("phoneNumberExt", Never, text!(phone_number_ext), &[MAX_8, PRINTABLE]),
    owner("faxNumber", Never, text!(fax_number), &[MAX_10, PRINTABLE]),
    owner("email", Never, text!(email), &[MAX_64, EMAIL]),
    owner("ssn", Required::OfOwners(&[PrivatelyHeld]), secret!(ssn), &[NINE_DIGITS]),
    owner(
        "dateOfBirth",
        Required::OfOwners(&[PrivatelyHeld, SoleProprietor]),
        secret!(date_of_birth),
        &[DATE, PAST],
    ),
    owner(
        "businessOwnershipPercentage",
        Never,
        text!(ownership_percentage),
        &[check(ValueRule::UpTo(100), "must be an integer between 0 and 100")],
    ),
    owner("addressLine1", NAMED, text!(address_line1), &[MAX_40, LATIN1]),
    owner("addressLine2", Never, text!(address_line2), &[MAX_40, LATIN1]),
    owner("city", NAMED, text!(city), &[MAX_28, LATIN1]),
    owner("state", NAMED, text!(state), &[STATE]),
    owner("country", NAMED, text!(country), &[COUNTRY]),
    owner("postalCode", NAMED, text!(postal_code), &[POSTAL_CODE]),
    owner("postalCodeExtension", Never, text!(postal_code_extension), &[EXTENSION]),
    identification(
        "idType",
        Always,
        text!(id_type),
        &[check(
            ValueRule::OneOf(ID_TYPES),
            "must be AlienId, CreditBureau, DriversLicense, StateId, MexicanConsulate, MilitaryId, Other or Passport",
        )],
    ),
    identification(
        "idNumber",
        Always,
        secret!(id_number),
        &[MAX_40, check(ValueRule::Chars(Charset::Alphanumeric), "must have letters and digits only")],
    ),
    identification("issuedCountry", Never, text!(issued_country), &[COUNTRY]),
    identification("issuedState", Required::WhereAStateIssues, text!(issued_state), &[STATE]),
    identification("issuedCity", Never, text!(issued_city), &[MAX_28, LATIN1]),
    identification("dateIssued", Never, text!(date_issued), &[DATE, PAST]),
    identification("dateExpires", Never, text!(date_expires), &[DATE]),
];
