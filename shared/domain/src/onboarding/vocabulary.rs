//! The vocabularies of applications, in the spec's spelling (spec §2.20).

/// Kinds of business addresses.
pub const ADDRESS_TYPES: &[&str] = &[PHYSICAL, "Mailing", "TerminalDeployment"];
/// The kind every business needs one of.
pub const PHYSICAL: &str = "Physical";
/// Kinds of bank accounts.
pub const ACCOUNT_TYPES: &[&str] = &[CHECKING, "Savings"];
/// The kind that says how it is debited.
pub const CHECKING: &str = "Checking";
/// How checking accounts are debited.
pub const ACH_TYPES: &[&str] = &["CommercialChecking", "PrivateChecking"];
/// Kinds of business contacts.
pub const CONTACT_TYPES: &[&str] = &["CustomerService", "TerminalDeployment", "Primary"];
/// Kinds of identification.
pub const ID_TYPES: &[&str] = &[
    "AlienId",
    "CreditBureau",
    "DriversLicense",
    "StateId",
    "MexicanConsulate",
    "MilitaryId",
    "Other",
    "Passport",
];
/// Kinds of identification that a state issues, so that it has to be named (spec §2.19).
pub const ISSUED_BY_A_STATE: &[&str] = &["DriversLicense", "StateId", "MilitaryId", "CreditBureau"];
/// Kinds of owners.
pub const OWNER_TYPES: &[&str] = &[
    CONTROL_OWNER,
    FIRST_BENEFICIAL_OWNER,
    "BeneficialOwner2",
    "BeneficialOwner3",
    "BeneficialOwner4",
    "BeneficialOwner5",
    "BeneficialOwner6",
    "BeneficialOwner7",
    "BeneficialOwner8",
    "BeneficialOwner9",
    "BeneficialOwner10",
];
/// Who controls the business.
pub const CONTROL_OWNER: &str = "ControlOwner";
/// The one owner a sole proprietorship has.
pub const FIRST_BENEFICIAL_OWNER: &str = "BeneficialOwner1";
/// How a business sells.
pub const BUSINESS_TYPES: &[&str] = &["AutoRental", "ECommerce", "Lodging", "MOTO", "Restaurant", "Retail"];
/// Categories of merchants that are taken (spec §2.19).
pub const CATEGORY_CODES: &[&str] = &["8398", "7991"];
/// Countries.
pub const COUNTRIES: &[&str] = &[UNITED_STATES, CANADA];
/// The country of the states of [`US_STATES`].
pub const UNITED_STATES: &str = "US";
/// The country of the provinces of [`CA_PROVINCES`].
pub const CANADA: &str = "CA";
/// States of the United States, its capital district, and the three territories the spec names.
pub const US_STATES: &[&str] = &[
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS",
    "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC",
    "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
    "PR", "GU", "VI",
];
/// Provinces and territories of Canada.
pub const CA_PROVINCES: &[&str] =
    &["AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"];

/// Kinds of ownership, with what they ask of owners.
const OWNERSHIP: [(&str, OwnershipGroup); 10] = [
    ("PublicCorporation", OwnershipGroup::Institution),
    ("PrivateCorporation", OwnershipGroup::PrivatelyHeld),
    ("SECRegulatedCorporation", OwnershipGroup::Institution),
    ("Government", OwnershipGroup::Institution),
    ("SoleProprietorship", OwnershipGroup::SoleProprietor),
    ("LLC", OwnershipGroup::PrivatelyHeld),
    ("Partnership", OwnershipGroup::PrivatelyHeld),
    ("NonProfit", OwnershipGroup::PrivatelyHeld),
    ("FinancialInstitution", OwnershipGroup::Institution),
    ("Trust", OwnershipGroup::Institution),
];

/// Kinds of ownership.
pub const OWNERSHIP_TYPES: &[&str] = &[
    OWNERSHIP[0].0,
    OWNERSHIP[1].0,
    OWNERSHIP[2].0,
    OWNERSHIP[3].0,
    OWNERSHIP[4].0,
    OWNERSHIP[5].0,
    OWNERSHIP[6].0,
    OWNERSHIP[7].0,
    OWNERSHIP[8].0,
    OWNERSHIP[9].0,
];

/// What a kind of ownership asks of owners (spec §2.19, "Owner requirements by ownership type").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OwnershipGroup {
    /// `LLC`, `Partnership`, `NonProfit`, `PrivateCorporation`: a control owner, who is identified as every owner of
    /// a quarter is.
    PrivatelyHeld,
    /// `Government`, `FinancialInstitution`, `Trust`, `PublicCorporation`, `SECRegulatedCorporation`: no owner has to
    /// be named, and who is has a name and an address.
    Institution,
    /// `SoleProprietorship`: one owner, the beneficial one.
    SoleProprietor,
}

impl OwnershipGroup {
    /// The group of a kind of ownership, in the spec's spelling.
    #[must_use]
    pub fn of(kind: &str) -> Option<Self> {
        OWNERSHIP.iter().find(|(name, _)| *name == kind).map(|(_, group)| *group)
    }

    /// Its kinds of ownership.
    pub fn kinds(self) -> impl Iterator<Item = &'static str> {
        OWNERSHIP.iter().filter(move |(_, group)| *group == self).map(|(name, _)| *name)
    }
}

/// A word of a vocabulary in the spec's spelling, whatever its case; any other text as it was sent (contract §1,
/// "Enums in").
#[must_use]
pub fn spelled(vocabulary: &[&str], text: &str) -> String {
    let known = vocabulary.iter().find(|word| word.eq_ignore_ascii_case(text));
    known.map_or_else(|| text.to_owned(), |word| (*word).to_owned())
}

/// A state or province in the spec's spelling, whatever its case.
#[must_use]
pub fn spelled_state(text: &str) -> String {
    let known = US_STATES.iter().chain(CA_PROVINCES).find(|word| word.eq_ignore_ascii_case(text));
    known.map_or_else(|| text.to_owned(), |word| (*word).to_owned())
}
