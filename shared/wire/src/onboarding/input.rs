//! What partners send. Nothing is refused here: what breaks a rule is kept and reported in `errorInfo`, and only a
//! wrong JSON type loses its value.

use crate::{Field, List, WireValue, incoming};
use domain::onboarding::vocabulary::{
    ACCOUNT_TYPES, ACH_TYPES, ADDRESS_TYPES, BUSINESS_TYPES, CONTACT_TYPES, COUNTRIES, ID_TYPES, OWNER_TYPES,
    OWNERSHIP_TYPES, spelled, spelled_state,
};
use domain::onboarding::{
    Address, ApplicationEdit, BankAccountEdit, BusinessContact, Change, Identification, MAX_ENTRIES,
    MAX_KEPT_CHARS, MAX_OWNERS, Owner, SecretText, TypeFault,
};
use domain::text::cut;
use std::fmt::Display;

incoming! {
    /// What a business says of itself. The rules are in the documentation of onboarding.
    pub struct OnboardingInput {
        /// A UUID of the partner's choice, by which a repeated request is known. Required.
        boarding_ref_id: String,
        /// What card statements say, behind the tenant's prefix.
        billing_descriptor: String,
        /// Cannot be changed later.
        business_legal_name: String,
        dba_name: String,
        /// `AutoRental`, `ECommerce`, `Lodging`, `MOTO`, `Restaurant`, `Retail`.
        business_type: String,
        /// `PublicCorporation`, `PrivateCorporation`, `SECRegulatedCorporation`, `Government`, `SoleProprietorship`,
        /// `LLC`, `Partnership`, `NonProfit`, `FinancialInstitution`, `Trust`.
        business_ownership_type: String,
        /// `8398` or `7991`. Cannot be changed later.
        merchant_category_code: String,
        /// 9 digits. Cannot be changed later.
        tax_id: String,
        /// yyyy-mm-dd.
        business_established_date: String,
        business_website_url: String,
        /// One of them is `Physical`.
        business_addresses: Vec<BusinessAddressInput>,
        business_bank_account: BankAccountInput,
        business_contacts: Vec<BusinessContactInput>,
        business_owners: Vec<BusinessOwnerInput>,
    }
    /// Where the business is.
    pub struct BusinessAddressInput {
        /// `Physical`, `Mailing`, `TerminalDeployment`.
        #[serde(rename = "type")]
        kind: String,
        /// Without commas.
        address_line1: String,
        address_line2: String,
        city: String,
        /// `US` or `CA`.
        country: String,
        /// The code of a state or province.
        state: String,
        postal_code: String,
        postal_code_extension: String,
    }
    /// Where the business is paid.
    pub struct BankAccountInput {
        /// 1 to 17 digits.
        account_number: String,
        /// `Checking` or `Savings`.
        account_type: String,
        /// `CommercialChecking` or `PrivateChecking`; for checking accounts.
        ach_type: String,
        /// 9 digits.
        routing_number: String,
    }
    /// Whom to ask about the business.
    pub struct BusinessContactInput {
        /// `CustomerService`, `TerminalDeployment`, `Primary`.
        #[serde(rename = "type")]
        kind: String,
        email: String,
        fax_number: String,
        first_name: String,
        last_name: String,
        middle_initial: String,
        phone_number: String,
        phone_number_ext: String,
        title: String,
    }
    /// Whose the business is.
    pub struct BusinessOwnerInput {
        /// `ControlOwner`, `BeneficialOwner1` to `BeneficialOwner10`.
        #[serde(rename = "type")]
        kind: String,
        title: String,
        first_name: String,
        last_name: String,
        middle_initial: String,
        /// 10 digits.
        phone_number: String,
        phone_number_ext: String,
        fax_number: String,
        email: String,
        /// 9 digits.
        ssn: String,
        /// yyyy-mm-dd.
        date_of_birth: String,
        /// 0 to 100.
        business_ownership_percentage: i64,
        address_line1: String,
        address_line2: String,
        city: String,
        state: String,
        country: String,
        postal_code: String,
        postal_code_extension: String,
        identification: Vec<IdentificationInput>,
    }
    /// What an owner is identified by.
    pub struct IdentificationInput {
        /// `AlienId`, `CreditBureau`, `DriversLicense`, `StateId`, `MexicanConsulate`, `MilitaryId`, `Other`,
        /// `Passport`.
        id_type: String,
        /// Letters and digits.
        id_number: String,
        issued_country: String,
        /// Required where a state issues it.
        issued_state: String,
        issued_city: String,
        /// yyyy-mm-dd.
        date_issued: String,
        /// yyyy-mm-dd.
        date_expires: String,
    }
}

/// Reads fields, and notes those of another JSON type than documented.
#[derive(Default)]
struct Reader {
    path: String,
    faults: Vec<TypeFault>,
}

impl Reader {
    fn within<R>(&mut self, step: impl Display, read: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.path.len();
        self.path.push_str(&step.to_string());
        let read = read(self);
        self.path.truncate(outer);
        read
    }

    fn fault(&mut self, name: &str, expected: &'static str) {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.faults.push(TypeFault { field: format!("{}{dot}{name}", self.path), expected });
    }

    /// A value, with null for an empty one; none where its type is wrong.
    fn change<T: WireValue>(&mut self, name: &str, field: Field<T>) -> Change<T> {
        match field {
            Field::Absent => Change::Keep,
            Field::Null => Change::Clear,
            Field::Value(value) => Change::Set(value),
            Field::Wrong => {
                self.fault(name, T::EXPECTED);
                Change::Keep
            }
        }
    }

    /// A text without white space around it, and no longer than anything that is kept.
    fn text(&mut self, name: &str, field: Field<String>) -> Change<String> {
        self.name(name, field).map(|text| cut(&text, MAX_KEPT_CHARS).to_owned())
    }

    /// A name without white space around it, as it was sent: a card number in it is masked as a whole before it is cut.
    fn name(&mut self, name: &str, field: Field<String>) -> Change<String> {
        match self.change(name, field) {
            Change::Keep => Change::Keep,
            Change::Set(text) if !text.trim().is_empty() => Change::Set(text.trim().to_owned()),
            Change::Clear | Change::Set(_) => Change::Clear,
        }
    }

    fn word(&mut self, name: &str, field: Field<String>, vocabulary: &[&str]) -> Change<String> {
        self.text(name, field).map(|text| spelled(vocabulary, &text))
    }

    fn state(&mut self, name: &str, field: Field<String>) -> Change<String> {
        self.text(name, field).map(|text| spelled_state(&text))
    }

    /// A text that is sealed.
    fn secret(&mut self, name: &str, field: Field<String>) -> Change<SecretText> {
        self.text(name, field).map(SecretText::new)
    }

    /// A list, of which one entry more than the most that is taken is kept, so that it is seen to be too long.
    fn list<T: WireValue, R>(
        &mut self,
        name: &str,
        most: usize,
        field: Field<List<T>>,
        mut read: impl FnMut(&mut Self, T) -> R,
    ) -> Change<Vec<R>> {
        let entries = match self.change(name, field) {
            Change::Keep => return Change::Keep,
            Change::Clear => return Change::Clear,
            Change::Set(List(entries)) if entries.is_empty() => return Change::Clear,
            Change::Set(List(entries)) => entries,
        };
        let dot = if self.path.is_empty() { "" } else { "." };
        let mut found = Vec::with_capacity(entries.len().min(most));
        for (number, entry) in entries.into_iter().take(most.saturating_add(1)).enumerate() {
            let step = format!("{dot}{name}[{number}]");
            match entry {
                Field::Value(entry) => found.push(self.within(step, |reader| read(reader, entry))),
                Field::Absent | Field::Null | Field::Wrong => {
                    let field = format!("{}{step}", self.path);
                    self.faults.push(TypeFault { field, expected: T::EXPECTED });
                }
            }
        }
        Change::Set(found)
    }
}

impl OnboardingInput {
    /// The name the partner gave the merchant, as it was sent.
    pub fn take_reference(&mut self) -> Field<String> {
        std::mem::take(&mut self.boarding_ref_id)
    }

    /// What the request says of the business.
    #[must_use]
    pub fn read(self) -> ApplicationEdit {
        let mut reader = Reader::default();
        let reading = &mut reader;
        let edit = ApplicationEdit {
            billing_descriptor: reading.text("billingDescriptor", self.billing_descriptor),
            business_legal_name: reading.name("businessLegalName", self.business_legal_name),
            dba_name: reading.name("dbaName", self.dba_name),
            business_type: reading.word("businessType", self.business_type, BUSINESS_TYPES),
            business_ownership_type: reading.word(
                "businessOwnershipType",
                self.business_ownership_type,
                OWNERSHIP_TYPES,
            ),
            merchant_category_code: reading.text("merchantCategoryCode", self.merchant_category_code),
            tax_id: reading.secret("taxId", self.tax_id),
            business_established_date: reading
                .text("businessEstablishedDate", self.business_established_date),
            business_website_url: reading.text("businessWebsiteUrl", self.business_website_url),
            business_addresses: reading.list(
                "businessAddresses",
                MAX_ENTRIES,
                self.business_addresses,
                |reader, entry| entry.read(reader),
            ),
            business_bank_account: {
                let account = reading.change("businessBankAccount", self.business_bank_account);
                account.map(|entry| reading.within("businessBankAccount", |reader| entry.read(reader)))
            },
            business_contacts: reading.list(
                "businessContacts",
                MAX_ENTRIES,
                self.business_contacts,
                |reader, entry| entry.read(reader),
            ),
            business_owners: reading.list(
                "businessOwners",
                MAX_OWNERS,
                self.business_owners,
                |reader, entry| entry.read(reader),
            ),
            type_faults: Vec::new(),
        };
        ApplicationEdit { type_faults: reader.faults, ..edit }
    }
}

impl BusinessAddressInput {
    fn read(self, reader: &mut Reader) -> Address {
        Address {
            kind: reader.word("type", self.kind, ADDRESS_TYPES).value(),
            address_line1: reader.text("addressLine1", self.address_line1).value(),
            address_line2: reader.text("addressLine2", self.address_line2).value(),
            city: reader.text("city", self.city).value(),
            country: reader.word("country", self.country, COUNTRIES).value(),
            state: reader.state("state", self.state).value(),
            postal_code: reader.text("postalCode", self.postal_code).value(),
            postal_code_extension: reader.text("postalCodeExtension", self.postal_code_extension).value(),
        }
    }
}

impl BankAccountInput {
    fn read(self, reader: &mut Reader) -> BankAccountEdit {
        BankAccountEdit {
            account_number: reader.secret("accountNumber", self.account_number),
            account_type: reader.word("accountType", self.account_type, ACCOUNT_TYPES),
            ach_type: reader.word("achType", self.ach_type, ACH_TYPES),
            routing_number: reader.secret("routingNumber", self.routing_number),
        }
    }
}

impl BusinessContactInput {
    fn read(self, reader: &mut Reader) -> BusinessContact {
        BusinessContact {
            kind: reader.word("type", self.kind, CONTACT_TYPES).value(),
            email: reader.text("email", self.email).value(),
            fax_number: reader.text("faxNumber", self.fax_number).value(),
            first_name: reader.name("firstName", self.first_name).value(),
            last_name: reader.name("lastName", self.last_name).value(),
            middle_initial: reader.text("middleInitial", self.middle_initial).value(),
            phone_number: reader.text("phoneNumber", self.phone_number).value(),
            phone_number_ext: reader.text("phoneNumberExt", self.phone_number_ext).value(),
            title: reader.text("title", self.title).value(),
        }
    }
}

impl BusinessOwnerInput {
    fn read(self, reader: &mut Reader) -> Owner<SecretText> {
        let percentage = reader.change("businessOwnershipPercentage", self.business_ownership_percentage);
        Owner {
            kind: reader.word("type", self.kind, OWNER_TYPES).value(),
            title: reader.text("title", self.title).value(),
            first_name: reader.name("firstName", self.first_name).value(),
            last_name: reader.name("lastName", self.last_name).value(),
            middle_initial: reader.text("middleInitial", self.middle_initial).value(),
            phone_number: reader.text("phoneNumber", self.phone_number).value(),
            phone_number_ext: reader.text("phoneNumberExt", self.phone_number_ext).value(),
            fax_number: reader.text("faxNumber", self.fax_number).value(),
            email: reader.text("email", self.email).value(),
            ssn: reader.secret("ssn", self.ssn).value(),
            date_of_birth: reader.secret("dateOfBirth", self.date_of_birth).value(),
            ownership_percentage: percentage.map(|number| number.to_string()).value(),
            address_line1: reader.text("addressLine1", self.address_line1).value(),
            address_line2: reader.text("addressLine2", self.address_line2).value(),
            city: reader.text("city", self.city).value(),
            state: reader.state("state", self.state).value(),
            country: reader.word("country", self.country, COUNTRIES).value(),
            postal_code: reader.text("postalCode", self.postal_code).value(),
            postal_code_extension: reader.text("postalCodeExtension", self.postal_code_extension).value(),
            identification: reader
                .list("identification", MAX_ENTRIES, self.identification, |reader, entry| entry.read(reader))
                .value()
                .unwrap_or_default(),
        }
    }
}

impl IdentificationInput {
    fn read(self, reader: &mut Reader) -> Identification<SecretText> {
        Identification {
            id_type: reader.word("idType", self.id_type, ID_TYPES).value(),
            id_number: reader.secret("idNumber", self.id_number).value(),
            issued_country: reader.word("issuedCountry", self.issued_country, COUNTRIES).value(),
            issued_state: reader.state("issuedState", self.issued_state).value(),
            issued_city: reader.text("issuedCity", self.issued_city).value(),
            date_issued: reader.text("dateIssued", self.date_issued).value(),
            date_expires: reader.text("dateExpires", self.date_expires).value(),
        }
    }
}
