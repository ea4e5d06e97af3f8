//! The rules of spec §2.19 that are about lists and about owners among each other, as data beside
//! [`super::TABLE`].

use super::vocabulary::{CONTROL_OWNER, FIRST_BENEFICIAL_OWNER, OwnershipGroup, PHYSICAL};
use super::{Clear, MAX_ENTRIES, MAX_OWNERS};
use std::collections::BTreeSet;

/// A rule for several fields together.
#[derive(Debug, Clone, Copy)]
pub struct Structure {
    /// The field it is reported for, unless `broken_at` says which entry of it.
    pub field: &'static str,
    /// Its name in `errorInfo`.
    pub rule: &'static str,
    /// When it applies, for the documentation.
    pub when: &'static str,
    /// Said where it is broken.
    pub message: &'static str,
    /// The fields at which it is broken.
    pub broken_at: fn(&Clear) -> Vec<String>,
}

/// The whole that the shares of owners may not exceed, in percent.
const WHOLE_PERCENT: u32 = 100;

fn group(application: &Clear) -> Option<OwnershipGroup> {
    application.business_ownership_type.as_deref().and_then(OwnershipGroup::of)
}

fn listed(field: Option<&str>) -> Vec<String> {
    field.map(str::to_owned).into_iter().collect()
}

fn has_owner(application: &Clear, kind: &str) -> bool {
    application.business_owners.iter().any(|owner| owner.kind.as_deref() == Some(kind))
}

/// The fields of owners whose type satisfies `is_wrong`.
fn owner_types(application: &Clear, mut is_wrong: impl FnMut(&str) -> bool) -> Vec<String> {
    let owners = application.business_owners.iter().enumerate();
    let wrong = owners.filter(|(_, owner)| owner.kind.as_deref().is_some_and(&mut is_wrong));
    wrong.map(|(number, _)| format!("businessOwners[{number}].type")).collect()
}

fn many_identifications(application: &Clear) -> Vec<String> {
    let owners = application.business_owners.iter().enumerate();
    let long = owners.filter(|(_, owner)| owner.identification.len() > MAX_ENTRIES);
    long.map(|(number, _)| format!("businessOwners[{number}].identification")).collect()
}

fn repeated_owners(application: &Clear) -> Vec<String> {
    let mut seen = BTreeSet::new();
    owner_types(application, |kind| !seen.insert(kind.to_owned()))
}

fn shares(application: &Clear) -> u32 {
    let shares = application.business_owners.iter().filter_map(|owner| owner.ownership_percentage.as_deref());
    shares.filter_map(|share| share.parse::<u32>().ok()).fold(0, u32::saturating_add)
}

/// Every rule that is not for a single field (spec §2.19).
pub static STRUCTURE: &[Structure] = &[
    Structure {
        field: "businessAddresses",
        rule: "required",
        when: "always",
        message: "is required",
        broken_at: |sent| listed(sent.business_addresses.is_empty().then_some("businessAddresses")),
    },
    Structure {
        field: "businessAddresses",
        rule: "physicalAddress",
        when: "where there are any",
        message: "must include an address of the type Physical",
        broken_at: |sent| {
            let mut kinds = sent.business_addresses.iter().map(|address| address.kind.as_deref());
            let has_physical = kinds.any(|kind| kind == Some(PHYSICAL));
            listed((!sent.business_addresses.is_empty() && !has_physical).then_some("businessAddresses"))
        },
    },
    Structure {
        field: "businessAddresses",
        rule: "maxItems",
        when: "always",
        message: "must have at most 10 entries",
        broken_at: |sent| {
            listed((sent.business_addresses.len() > MAX_ENTRIES).then_some("businessAddresses"))
        },
    },
    Structure {
        field: "businessBankAccount",
        rule: "required",
        when: "always",
        message: "is required",
        broken_at: |sent| listed(sent.business_bank_account.is_none().then_some("businessBankAccount")),
    },
    Structure {
        field: "businessContacts",
        rule: "required",
        when: "always",
        message: "is required",
        broken_at: |sent| listed(sent.business_contacts.is_empty().then_some("businessContacts")),
    },
    Structure {
        field: "businessContacts",
        rule: "maxItems",
        when: "always",
        message: "must have at most 10 entries",
        broken_at: |sent| listed((sent.business_contacts.len() > MAX_ENTRIES).then_some("businessContacts")),
    },
    Structure {
        field: "businessOwners",
        rule: "required",
        when: "unless the ownership type is Government, FinancialInstitution, Trust, PublicCorporation or \
               SECRegulatedCorporation",
        message: "is required",
        broken_at: |sent| {
            let needs_none = group(sent) == Some(OwnershipGroup::Institution);
            listed((sent.business_owners.is_empty() && !needs_none).then_some("businessOwners"))
        },
    },
    Structure {
        field: "businessOwners",
        rule: "controlOwner",
        when: "LLC, Partnership, NonProfit, PrivateCorporation",
        message: "must include an owner of the type ControlOwner",
        broken_at: |sent| {
            let needs_one =
                group(sent) == Some(OwnershipGroup::PrivatelyHeld) && !sent.business_owners.is_empty();
            listed((needs_one && !has_owner(sent, CONTROL_OWNER)).then_some("businessOwners"))
        },
    },
    Structure {
        field: "businessOwners",
        rule: "beneficialOwner",
        when: "SoleProprietorship",
        message: "must be exactly one owner of the type BeneficialOwner1",
        broken_at: |sent| {
            let needs_one =
                group(sent) == Some(OwnershipGroup::SoleProprietor) && !sent.business_owners.is_empty();
            listed((needs_one && !has_owner(sent, FIRST_BENEFICIAL_OWNER)).then_some("businessOwners"))
        },
    },
    Structure {
        field: "businessOwners[].type",
        rule: "notAllowed",
        when: "SoleProprietorship",
        message: "must be BeneficialOwner1: a sole proprietorship has no other owner",
        broken_at: |sent| {
            let has_one = group(sent) == Some(OwnershipGroup::SoleProprietor);
            owner_types(sent, |kind| has_one && kind != FIRST_BENEFICIAL_OWNER)
        },
    },
    Structure {
        field: "businessOwners[].type",
        rule: "unique",
        when: "always",
        message: "must be different from the types of the owners before it",
        broken_at: repeated_owners,
    },
    Structure {
        field: "businessOwners",
        rule: "maxItems",
        when: "always",
        message: "must have at most 11 entries",
        broken_at: |sent| listed((sent.business_owners.len() > MAX_OWNERS).then_some("businessOwners")),
    },
    Structure {
        field: "businessOwners[].identification",
        rule: "maxItems",
        when: "always",
        message: "must have at most 10 entries",
        broken_at: many_identifications,
    },
    Structure {
        field: "businessOwners",
        rule: "percentageSum",
        when: "always",
        message: "must not own more than 100 percent in total",
        broken_at: |sent| listed((shares(sent) > WHOLE_PERCENT).then_some("businessOwners")),
    },
];
