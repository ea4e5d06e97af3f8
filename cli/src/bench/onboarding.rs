//! What the rules of onboarding cost: the pure function, on the largest application there can be.

use super::BenchError;
use chrono::NaiveDate;
use domain::onboarding::vocabulary::OWNER_TYPES;
use domain::onboarding::{MAX_ENTRIES, MAX_OWNERS, violations};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::{Duration, Instant};
use wire::onboarding::OnboardingInput;
use wire::read_body;

/// Validates an application of 11 owners with 10 identifications each and 10 addresses and contacts, again and again.
pub(crate) fn measure(limit: Duration) -> Result<Value, BenchError> {
    let today = NaiveDate::from_ymd_opt(2027, 5, 1).ok_or("there is no such day")?;
    let body = application().to_string();
    let input: OnboardingInput =
        read_body(body.as_bytes()).map_err(|_| BenchError::from("no application"))?;
    let (application, broken) = input.read().into_application(today);
    if let Some(first) = broken.first() {
        return Err(BenchError::from(format!("the application breaks rules: {first:?}")));
    }
    let begun = Instant::now();
    let mut rounds = 0_u32;
    while begun.elapsed() < limit {
        black_box(violations(black_box(&application), today));
        rounds = rounds.saturating_add(1);
    }
    let micros = (begun.elapsed().as_secs_f64() * 1e6 / f64::from(rounds.max(1))).round();
    Ok(json!({
        "case": format!("validating an application of {MAX_OWNERS} owners"),
        "transport": "pure", "microsPerApplication": micros, "rounds": rounds,
    }))
}

fn application() -> Value {
    let address = json!({"type": "Physical", "addressLine1": "1 Pier #4", "addressLine2": "Dock", "city": "New York",
        "country": "US", "state": "NY", "postalCode": "10004", "postalCodeExtension": "1234"});
    let contact = json!({"type": "Primary", "email": "ines@harbor.example", "firstName": "Ines",
        "lastName": "Okafor", "phoneNumber": "2125550101", "title": "Head of tickets"});
    json!({
        "billingDescriptor": "HARBOR*MUSEUM", "businessLegalName": "Harbor Museum, Inc",
        "dbaName": "Harbor Museum", "businessType": "Retail", "businessOwnershipType": "LLC",
        "merchantCategoryCode": "7991", "taxId": "987654321", "businessEstablishedDate": "1998-02-28",
        "businessWebsiteUrl": "https://harbor.example/tickets",
        "businessAddresses": vec![address; MAX_ENTRIES],
        "businessBankAccount": {"accountNumber": "55501234567", "accountType": "Checking",
            "achType": "CommercialChecking", "routingNumber": "021000021"},
        "businessContacts": vec![contact; MAX_ENTRIES],
        "businessOwners": OWNER_TYPES.iter().map(|kind| owner(kind)).collect::<Vec<_>>(),
    })
}

fn owner(kind: &str) -> Value {
    let identification = json!({"idType": "DriversLicense", "idNumber": "X1234567", "issuedCountry": "US",
        "issuedState": "NY", "issuedCity": "Albany", "dateIssued": "2020-01-31", "dateExpires": "2030-01-31"});
    json!({
        "type": kind, "title": "Director", "firstName": "Zoe", "lastName": "Lindqvist", "middleInitial": "Q",
        "phoneNumber": "2125550142", "email": "zoe@harbor.example", "ssn": "123456789",
        "dateOfBirth": "1980-05-17", "businessOwnershipPercentage": 9, "addressLine1": "4 Pier Road",
        "addressLine2": "Unit 2", "city": "New York", "state": "NY", "country": "US", "postalCode": "10004",
        "postalCodeExtension": "0042", "identification": vec![identification; MAX_ENTRIES],
    })
}
