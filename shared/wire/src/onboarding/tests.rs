//! What partners send of their merchants, by the rules of spec §2.19, and what they are answered.

mod answers;
mod changes;
mod lists;
mod rows;

use super::OnboardingInput;
use crate::read_body;
use chrono::NaiveDate;
use domain::onboarding::vocabulary::OwnershipGroup;
use domain::onboarding::{Clear, Violation};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2027, 5, 1).unwrap()
}

/// An owner with everything that any ownership type asks of one.
fn owner(kind: &str) -> Value {
    json!({
        "type": kind, "title": "Director", "firstName": "Zoë", "lastName": "Ñandú", "middleInitial": "Q",
        "phoneNumber": "2125550142", "phoneNumberExt": "7", "faxNumber": "2125550143",
        "email": "zoe@harbor.example", "ssn": "123456789", "dateOfBirth": "1980-05-17",
        "businessOwnershipPercentage": 40, "addressLine1": "4 Pier Road", "addressLine2": "Unit 2",
        "city": "New York", "state": "NY", "country": "US", "postalCode": "10004",
        "postalCodeExtension": "0042",
        "identification": [{
            "idType": "DriversLicense", "idNumber": "X1234567", "issuedCountry": "US", "issuedState": "NY",
            "issuedCity": "Albany", "dateIssued": "2020-01-31", "dateExpires": "2030-01-31",
        }],
    })
}

/// An application that breaks no rule.
fn application(group: OwnershipGroup) -> Value {
    let (kind, owner_type) = match group {
        OwnershipGroup::PrivatelyHeld => ("LLC", "ControlOwner"),
        OwnershipGroup::Institution => ("Government", "ControlOwner"),
        OwnershipGroup::SoleProprietor => ("SoleProprietorship", "BeneficialOwner1"),
    };
    json!({
        "boardingRefId": "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318",
        "billingDescriptor": "HARBOR*MUSEUM", "businessLegalName": "Harbor Museum, Inc; O'Hara & Co",
        "dbaName": "Harbor Museum", "businessType": "Retail", "businessOwnershipType": kind,
        "merchantCategoryCode": "7991", "taxId": "987654321", "businessEstablishedDate": "1998-02-28",
        "businessWebsiteUrl": "https://harbor.example/tickets",
        "businessAddresses": [{
            "type": "Physical", "addressLine1": "1 Pier #4 $ @", "addressLine2": "Dock", "city": "New York",
            "country": "US", "state": "NY", "postalCode": "02145", "postalCodeExtension": "1234",
        }],
        "businessBankAccount": {
            "accountNumber": "000123456789", "accountType": "Checking", "achType": "CommercialChecking",
            "routingNumber": "021000021",
        },
        "businessContacts": [{
            "type": "Primary", "email": "ines@harbor.example", "faxNumber": "2125550100", "firstName": "Ines",
            "lastName": "Okafor", "middleInitial": "M", "phoneNumber": "2125550101", "phoneNumberExt": "12",
            "title": "Head of tickets",
        }],
        "businessOwners": [owner(owner_type)],
    })
}

fn llc() -> Value {
    application(OwnershipGroup::PrivatelyHeld)
}

fn read(body: &Value) -> OnboardingInput {
    read_body(body.to_string().as_bytes()).unwrap()
}

fn found(body: &Value) -> Vec<Violation> {
    read(body).read().into_application(today()).1
}

fn kept(body: &Value) -> Clear {
    read(body).read().into_application(today()).0
}

/// Field and rule of everything that is broken, in order of the fields.
fn broken(body: &Value) -> Vec<(String, String)> {
    let all: BTreeSet<_> = found(body).into_iter().map(|one| (one.field, one.rule.to_string())).collect();
    all.into_iter().collect()
}

fn pointer(field: &str) -> String {
    let steps = field.split(['.', '[', ']']).filter(|step| !step.is_empty());
    steps.fold(String::new(), |pointer, step| format!("{pointer}/{step}"))
}

/// The body with another value in a field.
fn with(mut body: Value, field: &str, value: Value) -> Value {
    *body.pointer_mut(&pointer(field)).unwrap_or_else(|| panic!("{field}")) = value;
    body
}

/// The body without a field.
fn without(mut body: Value, field: &str) -> Value {
    let (parent, name) = pointer(field).rsplit_once('/').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    body.pointer_mut(&parent).unwrap().as_object_mut().unwrap().remove(&name).unwrap();
    body
}
