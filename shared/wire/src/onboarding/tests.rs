//! The rules of spec §2.19, row by row, on what partners send.

use super::{OnboardingInput, OnboardingOutput, OnboardingView, ValidationOutput};
use crate::read_body;
use chrono::NaiveDate;
use domain::merchant::MerchantStatus;
use domain::onboarding::vocabulary::{CA_PROVINCES, OWNER_TYPES, OWNERSHIP_TYPES, OwnershipGroup, US_STATES};
use domain::onboarding::{
    Clear, EditRefusal, Place, Required, Row, STRUCTURE, TABLE, Violation, edited, violations,
    with_type_faults,
};
use domain::{BoardingRefId, Mid, TenantId};
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
    let (application, faults) = read(body).read().into_application();
    with_type_faults(violations(&application, today()), &faults)
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

/// Where a row's field stands in [`application`].
fn field_of(row: &Row) -> String {
    let prefix = match row.place {
        Place::Business(_) => "",
        Place::Address(_) => "businessAddresses[0].",
        Place::BankAccount(_) => "businessBankAccount.",
        Place::Contact(_) => "businessContacts[0].",
        Place::Owner(_) => "businessOwners[0].",
        Place::Identification(_) => "businessOwners[0].identification[0].",
    };
    format!("{prefix}{}", row.field)
}

fn text(chars: usize) -> Value {
    json!("x".repeat(chars))
}

/// For every rule of every field a value that breaks it, and no other.
fn bad() -> Vec<(&'static str, Value, &'static str)> {
    let mut bad = vec![
        ("billingDescriptor", text(23), "maxLength"),
        ("billingDescriptor", json!("CITY ZOO™"), "characters"),
        ("billingDescriptor", json!("CITY-ZOO"), "characters"),
        ("businessLegalName", text(41), "maxLength"),
        ("businessLegalName", json!("Harbor*Museum"), "characters"),
        ("dbaName", text(41), "maxLength"),
        ("dbaName", json!("Harbor/Museum"), "characters"),
        ("businessType", json!("Wholesale"), "enum"),
        ("businessOwnershipType", json!("Club"), "enum"),
        ("merchantCategoryCode", json!("7992"), "enum"),
        ("taxId", json!("98-7654321"), "digits"),
        ("taxId", json!("９８７６５４３２１"), "digits"),
        ("businessEstablishedDate", json!("28/02/1998"), "date"),
        ("businessEstablishedDate", json!("2027-05-02"), "notInFuture"),
        ("businessWebsiteUrl", json!(format!("https://harbor.example/{}", "x".repeat(58))), "maxLength"),
        ("businessWebsiteUrl", json!("harbor"), "url"),
        ("businessAddresses[0].type", json!("Postal"), "enum"),
        ("businessAddresses[0].addressLine1", text(41), "maxLength"),
        ("businessAddresses[0].addressLine1", json!("1 Pier, 4"), "characters"),
        ("businessAddresses[0].addressLine2", text(41), "maxLength"),
        ("businessAddresses[0].addressLine2", json!("Do\u{7}ck"), "characters"),
        ("businessAddresses[0].city", text(29), "maxLength"),
        ("businessAddresses[0].city", json!("New\u{0}York"), "characters"),
        ("businessAddresses[0].country", json!("MX"), "enum"),
        ("businessAddresses[0].state", json!("ON"), "state"),
        ("businessAddresses[0].postalCode", json!("K1A 0B1"), "postalCode"),
        ("businessAddresses[0].postalCodeExtension", json!("123"), "digits"),
        ("businessBankAccount.accountNumber", json!("123456789012345678"), "digits"),
        ("businessBankAccount.accountNumber", json!("12-34"), "digits"),
        ("businessBankAccount.accountType", json!("Deposit"), "enum"),
        ("businessBankAccount.achType", json!("Checking"), "enum"),
        ("businessBankAccount.routingNumber", json!("123456789"), "routingNumber"),
        ("businessBankAccount.routingNumber", json!("000000000"), "routingNumber"),
        ("businessContacts[0].type", json!("Secondary"), "enum"),
        ("businessContacts[0].firstName", text(16), "maxLength"),
        ("businessContacts[0].lastName", text(26), "maxLength"),
        ("businessContacts[0].middleInitial", text(2), "maxLength"),
        ("businessContacts[0].email", json!(format!("{}@harbor.example", "x".repeat(60))), "maxLength"),
        ("businessContacts[0].email", json!("ines at harbor"), "email"),
        ("businessContacts[0].phoneNumber", text(11), "maxLength"),
        ("businessContacts[0].phoneNumberExt", text(9), "maxLength"),
        ("businessContacts[0].faxNumber", text(11), "maxLength"),
        ("businessContacts[0].title", text(41), "maxLength"),
        ("businessOwners[0].type", json!("BeneficialOwner11"), "enum"),
        ("businessOwners[0].title", text(41), "maxLength"),
        ("businessOwners[0].title", json!("a\u{1}b"), "characters"),
        ("businessOwners[0].firstName", text(16), "maxLength"),
        ("businessOwners[0].firstName", json!("Łukasz"), "characters"),
        ("businessOwners[0].lastName", text(26), "maxLength"),
        ("businessOwners[0].lastName", json!("Šimek"), "characters"),
        ("businessOwners[0].middleInitial", text(2), "maxLength"),
        ("businessOwners[0].middleInitial", json!("Ł"), "characters"),
        ("businessOwners[0].phoneNumber", json!("212555014"), "digits"),
        ("businessOwners[0].phoneNumber", json!("212-555-01"), "digits"),
        ("businessOwners[0].phoneNumberExt", text(9), "maxLength"),
        ("businessOwners[0].phoneNumberExt", json!("1\u{1}"), "characters"),
        ("businessOwners[0].faxNumber", text(11), "maxLength"),
        ("businessOwners[0].faxNumber", json!("1\u{1}"), "characters"),
        ("businessOwners[0].email", json!(format!("{}@harbor.example", "x".repeat(60))), "maxLength"),
        ("businessOwners[0].email", json!("zoe@harbor"), "email"),
        ("businessOwners[0].ssn", json!("123-45-6789"), "digits"),
        ("businessOwners[0].dateOfBirth", json!("1980-02-30"), "date"),
        ("businessOwners[0].dateOfBirth", json!("2027-05-02"), "notInFuture"),
        ("businessOwners[0].businessOwnershipPercentage", json!(-1), "range"),
        ("businessOwners[0].addressLine1", text(41), "maxLength"),
        ("businessOwners[0].addressLine1", json!("Łódź 1"), "characters"),
        ("businessOwners[0].addressLine2", text(41), "maxLength"),
        ("businessOwners[0].addressLine2", json!("Łódź 1"), "characters"),
        ("businessOwners[0].city", text(29), "maxLength"),
        ("businessOwners[0].city", json!("Łódź"), "characters"),
        ("businessOwners[0].state", json!("ZZ"), "state"),
        ("businessOwners[0].country", json!("MX"), "enum"),
        ("businessOwners[0].postalCode", json!("1000"), "postalCode"),
        ("businessOwners[0].postalCodeExtension", json!("00420"), "digits"),
        ("businessOwners[0].identification[0].idType", json!("Library"), "enum"),
        ("businessOwners[0].identification[0].idNumber", text(41), "maxLength"),
        ("businessOwners[0].identification[0].idNumber", json!("X-123"), "characters"),
        ("businessOwners[0].identification[0].issuedCountry", json!("MX"), "enum"),
        ("businessOwners[0].identification[0].issuedState", json!("ON"), "state"),
        ("businessOwners[0].identification[0].issuedCity", text(29), "maxLength"),
        ("businessOwners[0].identification[0].issuedCity", json!("Łódź"), "characters"),
        ("businessOwners[0].identification[0].dateIssued", json!("2020-1-31"), "date"),
        ("businessOwners[0].identification[0].dateIssued", json!("2027-05-02"), "notInFuture"),
        ("businessOwners[0].identification[0].dateExpires", json!("soon"), "date"),
    ];
    for name in
        ["firstName", "lastName", "middleInitial", "phoneNumber", "phoneNumberExt", "faxNumber", "title"]
    {
        let field: &'static str = format!("businessContacts[0].{name}").leak();
        bad.push((field, json!("\u{1}"), "characters"));
    }
    bad
}

/// For every field the longest or oddest value that it takes.
fn good() -> Vec<(&'static str, Value)> {
    vec![
        ("billingDescriptor", json!("CITY*ZOO;1_2.3,4&5 678")),
        ("billingDescriptor", json!("1234567890")),
        ("businessLegalName", json!("Ä".repeat(40))),
        ("dbaName", json!("Zoë's Zoo, A & B; C-D_E 2")),
        ("businessType", json!("ecommerce")),
        ("merchantCategoryCode", json!("8398")),
        ("taxId", json!("000000001")),
        ("businessEstablishedDate", json!("2027-05-01")),
        ("businessWebsiteUrl", json!("www.harbor.example")),
        ("businessAddresses[0].type", json!("PHYSICAL")),
        ("businessAddresses[0].addressLine1", json!("Ł".repeat(40))),
        ("businessAddresses[0].state", json!("ny")),
        ("businessAddresses[0].country", json!("us")),
        ("businessBankAccount.accountNumber", json!("7")),
        ("businessBankAccount.accountNumber", json!("12345678901234567")),
        ("businessBankAccount.routingNumber", json!("011000015")),
        ("businessContacts[0].firstName", json!("Ł".repeat(15))),
        ("businessContacts[0].phoneNumber", json!("555-0101")),
        ("businessOwners[0].businessOwnershipPercentage", json!(0)),
        ("businessOwners[0].businessOwnershipPercentage", json!(100)),
        ("businessOwners[0].identification[0].dateExpires", json!("2099-12-31")),
        ("businessOwners[0].identification[0].idNumber", text(40)),
        ("businessOwners[0].identification", json!([])),
    ]
}

/// What other rules depend on, so that more than one is broken where it is wrong.
fn is_lonely(field: &str) -> bool {
    !["Addresses[0].type", "Owners[0].type", "businessOwnershipType", "country", "accountType", "idType"]
        .iter()
        .any(|end| field.ends_with(end))
}

#[test]
fn an_application_with_everything_breaks_no_rule() {
    for group in [OwnershipGroup::PrivatelyHeld, OwnershipGroup::Institution, OwnershipGroup::SoleProprietor]
    {
        assert_eq!(broken(&application(group)), [], "{group:?}");
        for kind in group.kinds() {
            let body = with(application(group), "businessOwnershipType", json!(kind.to_uppercase()));
            assert_eq!(broken(&body), [], "{kind}");
        }
    }
}

#[test]
fn every_rule_of_every_row_is_broken_by_what_it_forbids() {
    let bad = bad();
    for row in TABLE {
        for check in row.checks {
            let known =
                bad.iter().any(|(field, _, rule)| *field == field_of(row) && *rule == check.rule.name());
            assert!(known, "nothing breaks {} of {}", check.rule.name(), field_of(row));
        }
    }
    for (field, value, rule) in bad {
        let broken = broken(&with(llc(), field, value.clone()));
        let expected = (field.to_owned(), rule.to_owned());
        assert!(broken.contains(&expected), "{field} = {value}: {broken:?}");
        assert!(!is_lonely(field) || broken == [expected], "{field} = {value}: {broken:?}");
    }
    for (field, value) in good() {
        assert_eq!(broken(&with(llc(), field, value.clone())), [], "{field} = {value}");
    }
}

#[test]
fn what_a_row_says_of_a_rule_is_what_is_reported() {
    for (field, value, rule) in bad() {
        let body = with(llc(), field, value);
        let reported = found(&body).into_iter().find(|one| one.field == field && one.rule == rule).unwrap();
        let row = TABLE.iter().find(|row| field_of(row) == field).unwrap();
        let check = row.checks.iter().find(|check| check.rule.name() == rule).unwrap();
        // Behind what the row says stands the one character that is not allowed, and no more of what was sent.
        let (said, named) = reported.message.split_at(check.message.len());
        assert_eq!(said, check.message, "{field}");
        let shown = named.strip_prefix("; \"").and_then(|rest| rest.strip_suffix("\" is not allowed"));
        let coded =
            named.strip_prefix("; the character U+").and_then(|rest| rest.strip_suffix(" is not allowed"));
        let names_one = shown.is_some_and(|one| one.chars().count() == 1)
            || coded.is_some_and(|code| u32::from_str_radix(code, 16).is_ok());
        assert!(named.is_empty() || names_one, "{field}: {named}");
    }
}

#[test]
fn every_row_is_required_where_it_says_so_and_nowhere_else() {
    let groups = [OwnershipGroup::PrivatelyHeld, OwnershipGroup::Institution, OwnershipGroup::SoleProprietor];
    for row in TABLE {
        let field = field_of(row);
        let expected = (field.clone(), "required".to_owned());
        for group in groups {
            let full = application(group);
            let is_required = match row.required {
                Required::Always | Required::ForChecking | Required::WhereAStateIssues => true,
                Required::Never => false,
                Required::OfOwners(of) => of.contains(&group),
            };
            let missing = [without(full.clone(), &field), with(full.clone(), &field, json!(null))];
            let blank = with(full, &field, json!("  "));
            let is_text = row.field != "businessOwnershipPercentage";
            for body in missing.into_iter().chain(is_text.then_some(blank)) {
                let broken = broken(&body);
                assert_eq!(broken.contains(&expected), is_required, "{field} for {group:?}: {broken:?}");
                assert!(
                    !is_lonely(&field) || broken.len() == usize::from(is_required),
                    "{field}: {broken:?}"
                );
            }
        }
    }
    let savings = with(llc(), "businessBankAccount.accountType", json!("savings"));
    assert_eq!(broken(&without(savings, "businessBankAccount.achType")), []);
    for (kind, needs_state) in [
        ("DriversLicense", true),
        ("StateId", true),
        ("MilitaryId", true),
        ("CreditBureau", true),
        ("AlienId", false),
        ("MexicanConsulate", false),
        ("Other", false),
        ("Passport", false),
    ] {
        let body = with(llc(), "businessOwners[0].identification[0].idType", json!(kind));
        let body = without(body, "businessOwners[0].identification[0].issuedState");
        assert_eq!(broken(&body).len(), usize::from(needs_state), "{kind}");
    }
}

fn many(entry: &Value, count: usize) -> Value {
    json!(vec![entry; count])
}

/// For every rule about lists and owners an application that breaks it, and all it breaks.
fn ill_structured() -> Vec<(Value, Vec<(&'static str, &'static str)>)> {
    let sole = || application(OwnershipGroup::SoleProprietor);
    let mut physical = llc()["businessAddresses"][0].clone();
    physical["type"] = json!("Mailing");
    let contact = llc()["businessContacts"][0].clone();
    let one = llc()["businessOwners"][0]["identification"][0].clone();
    let shares = |first: i64, second: i64| {
        let mut owners = json!([owner("ControlOwner"), owner("BeneficialOwner1")]);
        owners[0]["businessOwnershipPercentage"] = json!(first);
        owners[1]["businessOwnershipPercentage"] = json!(second);
        owners
    };
    let mut crowd: Vec<Value> = OWNER_TYPES.iter().map(|kind| owner(kind)).collect();
    crowd.iter_mut().for_each(|owner| owner["businessOwnershipPercentage"] = json!(5));
    crowd.push(crowd[10].clone());
    vec![
        (with(llc(), "businessAddresses", json!([])), vec![("businessAddresses", "required")]),
        (with(llc(), "businessAddresses", json!([physical])), vec![("businessAddresses", "physicalAddress")]),
        (
            with(llc(), "businessAddresses", many(&llc()["businessAddresses"][0], 12)),
            vec![("businessAddresses", "maxItems")],
        ),
        (without(llc(), "businessBankAccount"), vec![("businessBankAccount", "required")]),
        (without(llc(), "businessContacts"), vec![("businessContacts", "required")]),
        (with(llc(), "businessContacts", many(&contact, 11)), vec![("businessContacts", "maxItems")]),
        (without(llc(), "businessOwners"), vec![("businessOwners", "required")]),
        (
            with(llc(), "businessOwners", json!([owner("BeneficialOwner1")])),
            vec![("businessOwners", "controlOwner")],
        ),
        (
            with(sole(), "businessOwners", json!([owner("BeneficialOwner2")])),
            vec![("businessOwners", "beneficialOwner"), ("businessOwners[0].type", "notAllowed")],
        ),
        (
            with(sole(), "businessOwners", json!([owner("BeneficialOwner1"), owner("ControlOwner")])),
            vec![("businessOwners[1].type", "notAllowed")],
        ),
        (
            with(llc(), "businessOwners", json!([owner("ControlOwner"), owner("controlowner")])),
            vec![("businessOwners[1].type", "unique")],
        ),
        (
            with(llc(), "businessOwners", json!(crowd)),
            vec![("businessOwners", "maxItems"), ("businessOwners[11].type", "unique")],
        ),
        (
            with(llc(), "businessOwners[0].identification", many(&one, 11)),
            vec![("businessOwners[0].identification", "maxItems")],
        ),
        (with(llc(), "businessOwners", shares(60, 41)), vec![("businessOwners", "percentageSum")]),
        (with(llc(), "businessOwners", shares(60, 40)), vec![]),
    ]
}

#[test]
fn every_rule_about_lists_and_owners_is_broken_by_what_it_forbids() {
    let mut seen = BTreeSet::new();
    for (body, expected) in ill_structured() {
        let broken = broken(&body);
        let expected: Vec<_> =
            expected.iter().map(|(field, rule)| ((*field).to_owned(), (*rule).to_owned())).collect();
        assert_eq!(broken, expected, "{body}");
        seen.extend(broken.into_iter().map(|(field, rule)| {
            let (head, tail) = field.split_once('[').unwrap_or((&field, ""));
            let tail = tail.trim_start_matches(|char: char| char.is_ascii_digit());
            (if tail.is_empty() { head.to_owned() } else { format!("{head}[{tail}") }, rule)
        }));
    }
    for structure in STRUCTURE {
        let known = seen.contains(&(structure.field.to_owned(), structure.rule.to_owned()));
        assert!(known, "nothing breaks {} of {}", structure.rule, structure.field);
    }
}

#[test]
fn an_owner_of_a_quarter_is_identified_and_one_of_less_is_not() {
    let mut body = llc();
    let beneficial = |share: i64| json!({"type": "BeneficialOwner1", "businessOwnershipPercentage": share});
    for (share, count) in [(24, 0), (25, 9)] {
        body["businessOwners"] = json!([owner("ControlOwner"), beneficial(share)]);
        let broken = broken(&body);
        assert_eq!(broken.len(), count, "{share}: {broken:?}");
        assert!(
            broken.iter().all(|(field, rule)| field.starts_with("businessOwners[1].") && rule == "required")
        );
    }
}

#[test]
fn institutions_name_no_owner_or_as_many_as_they_like() {
    let mut body = application(OwnershipGroup::Institution);
    body["businessOwners"] = json!([]);
    assert_eq!(broken(&body), []);
    let named = json!({"firstName": "A", "lastName": "B", "addressLine1": "1", "city": "C", "state": "ON",
        "country": "CA", "postalCode": "K1A 0B1"});
    let owners = OWNER_TYPES.iter().map(|kind| {
        let mut owner = named.clone();
        owner["type"] = json!(kind);
        owner
    });
    body["businessOwners"] = owners.collect();
    assert_eq!(broken(&body), []);
    body["businessOwners"] = json!([{"type": "BeneficialOwner3"}]);
    assert_eq!(broken(&body).len(), 7);
}

#[test]
fn every_state_belongs_to_its_country_and_to_no_other() {
    for (country, own, other) in [("US", US_STATES, CA_PROVINCES), ("CA", CA_PROVINCES, US_STATES)] {
        let place = |state: &str| {
            let mut body = llc();
            body["businessAddresses"][0]["country"] = json!(country);
            body["businessAddresses"][0]["state"] = json!(state.to_lowercase());
            body["businessAddresses"][0]["postalCode"] =
                json!(if country == "US" { "02145" } else { "K1A0B1" });
            broken(&body)
        };
        for state in own {
            assert_eq!(place(state), [], "{country} {state}");
        }
        for state in other {
            assert_eq!(place(state), [("businessAddresses[0].state".to_owned(), "state".to_owned())]);
        }
    }
    let official: BTreeSet<&str> = domain::locations::find_country("US")
        .map(domain::locations::states_of)
        .unwrap()
        .iter()
        .map(|state| state.abbreviation)
        .collect();
    let missing = official.difference(&US_STATES.iter().copied().collect()).copied().collect::<Vec<_>>();
    assert_eq!(missing, ["AS", "MP", "UM"], "the spec names PR, GU and VI of the territories");
    assert!(US_STATES.iter().all(|state| official.contains(state)));
}

#[test]
fn an_empty_application_lacks_everything_at_once() {
    let broken = broken(&json!({}));
    let fields: Vec<&str> = broken.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "billingDescriptor",
            "businessAddresses",
            "businessBankAccount",
            "businessContacts",
            "businessEstablishedDate",
            "businessLegalName",
            "businessOwners",
            "businessOwnershipType",
            "businessType",
            "businessWebsiteUrl",
            "dbaName",
            "merchantCategoryCode",
            "taxId",
        ]
    );
    assert!(broken.iter().all(|(_, rule)| rule == "required"));
}

#[test]
fn another_json_type_than_documented_is_a_violation_of_its_own() {
    for (field, value, expected) in [
        ("taxId", json!(987_654_321), "must be a string"),
        ("businessAddresses", json!({}), "must be an array"),
        ("businessAddresses[0]", json!("Physical"), "must be an object"),
        ("businessBankAccount", json!([]), "must be an object"),
        ("businessBankAccount.routingNumber", json!(21_000_021), "must be a string"),
        ("businessOwners[0].ssn", json!(["123456789"]), "must be a string"),
        ("businessOwners[0].businessOwnershipPercentage", json!("40"), "must be an integer"),
        ("businessOwners[0].identification[0].idNumber", json!(1_234_567), "must be a string"),
    ] {
        let found = found(&with(llc(), field, value));
        let of_field: Vec<&Violation> = found.iter().filter(|one| one.field == field).collect();
        assert_eq!(of_field.len(), 1, "{field}: {found:?}");
        assert_eq!((&*of_field[0].rule, &*of_field[0].message), ("type", expected));
    }
}

#[test]
fn no_violation_quotes_what_was_sent() {
    for (field, value, _) in bad() {
        let sent = value.as_str().unwrap_or_default().to_owned();
        // A postal code of the other country and a kind of account are examples of what is taken, too.
        let is_example = sent.chars().count() < 4 || ["K1A 0B1", "Checking"].contains(&sent.as_str());
        let mut violations = found(&with(llc(), field, value));
        violations.iter_mut().for_each(|violation| violation.field.clear());
        assert!(is_example || !format!("{violations:?}").contains(&sent), "{field}: {violations:?}");
    }
    let shown = format!("{:?} {:?}", read(&llc()), read(&llc()).read());
    for secret in ["123456789", "1980-05-17", "987654321", "000123456789", "021000021", "X1234567"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

// ------------------------------------------------------------------------------------------ changes

fn kept(body: &Value) -> Clear {
    read(body).read().into_application().0
}

type Broken = Vec<(String, String)>;

fn change(current: &Value, edit: &Value) -> Result<(Clear, Vec<Violation>), Broken> {
    edited(&kept(current), read(edit).read(), today()).map_err(|EditRefusal(broken)| {
        broken.into_iter().map(|one| (one.field, one.rule.to_string())).collect()
    })
}

#[track_caller]
fn refused(current: &Value, edit: &Value) -> Broken {
    change(current, edit).unwrap_err()
}

fn pair(field: &str, rule: &str) -> (String, String) {
    (field.to_owned(), rule.to_owned())
}

#[test]
fn what_is_left_out_of_a_change_stays() {
    let (after, broken) = change(&llc(), &json!({"dbaName": "Pier Museum", "unknown": 1})).unwrap();
    assert_eq!((after.dba_name.as_deref(), broken.as_slice()), (Some("Pier Museum"), &[][..]));
    assert_eq!(Clear { dba_name: None, ..after }, Clear { dba_name: None, ..kept(&llc()) });
    assert_eq!(change(&llc(), &json!({})).unwrap().0, kept(&llc()));
}

#[test]
fn an_empty_value_removes_what_is_optional_and_nothing_else() {
    for field in [
        "billingDescriptor",
        "dbaName",
        "businessType",
        "businessOwnershipType",
        "businessEstablishedDate",
        "businessWebsiteUrl",
        "businessAddresses",
        "businessContacts",
        "businessOwners",
        "businessBankAccount",
    ] {
        let is_list = llc()[field].is_array();
        for empty in [json!(null), if is_list { json!([]) } else { json!("") }] {
            if field == "businessBankAccount" && empty == json!("") {
                continue;
            }
            assert_eq!(
                refused(&llc(), &json!({field: empty})),
                [pair(field, "required")],
                "{field} = {empty}"
            );
        }
    }
    let savings = json!({"businessBankAccount": {"accountType": "Savings", "achType": ""}});
    let account = change(&llc(), &savings).unwrap().0.business_bank_account.unwrap();
    assert_eq!((account.account_type.as_deref(), account.ach_type), (Some("Savings"), None));
    assert_eq!(account.account_number.unwrap().expose(), "000123456789");
    let checking = json!({"businessBankAccount": {"achType": ""}});
    assert_eq!(refused(&llc(), &checking), [pair("businessBankAccount.achType", "required")]);
}

#[test]
fn what_cannot_be_edited_is_refused_unless_it_is_still_wrong() {
    for (field, value) in
        [("businessLegalName", "Other"), ("merchantCategoryCode", "8398"), ("taxId", "111111111")]
    {
        assert_eq!(refused(&llc(), &json!({field: value})), [pair(field, "notEditable")]);
        let same = llc()[field].clone();
        assert_eq!(change(&llc(), &json!({field: same})).unwrap().1, [], "{field} as it is");
        assert_eq!(refused(&llc(), &json!({field: ""})), [pair(field, "notEditable")]);
        let (_, broken) = change(&without(llc(), field), &json!({field: value})).unwrap();
        assert_eq!(broken, [], "{field}");
        let wrong = with(llc(), field, json!("*"));
        assert_eq!(change(&wrong, &json!({field: value})).unwrap().1, [], "{field}");
        assert_eq!(refused(&wrong, &json!({field: "*"})).len(), 1, "{field}");
    }
}

#[test]
fn a_change_that_breaks_a_rule_is_refused_with_all_it_breaks() {
    let edit = json!({"dbaName": "x".repeat(41), "businessBankAccount": {"routingNumber": "123456789"}, "businessType": 7});
    assert_eq!(
        refused(&llc(), &edit),
        [
            pair("businessType", "type"),
            pair("dbaName", "maxLength"),
            pair("businessBankAccount.routingNumber", "routingNumber"),
        ]
    );
}

#[test]
fn an_incomplete_application_is_completed_step_by_step() {
    let start = json!({"dbaName": "Harbor Museum", "businessWebsiteUrl": "harbor"});
    let (after, broken) = change(&start, &json!({"businessType": "Retail", "taxId": "987654321"})).unwrap();
    assert_eq!((after.business_type.as_deref(), broken.len()), (Some("Retail"), 10));
    // What is still wrong elsewhere does not stand in the way; the same fault sent again does.
    assert!(broken.iter().any(|one| one.field == "businessWebsiteUrl" && one.rule == "url"));
    assert_eq!(
        refused(&start, &json!({"businessWebsiteUrl": "museum"})),
        [pair("businessWebsiteUrl", "url")]
    );
}

#[test]
fn owners_come_with_their_ownership_type_and_the_type_with_the_owners_it_needs() {
    let owners = json!({"businessOwners": [owner("ControlOwner")]});
    assert_eq!(refused(&llc(), &owners), [pair("businessOwnershipType", "required")]);
    let both = json!({"businessOwners": [owner("ControlOwner")], "businessOwnershipType": "Trust"});
    assert_eq!(change(&llc(), &both).unwrap().1, []);
    let sole = json!({"businessOwnershipType": "SoleProprietorship"});
    assert_eq!(
        refused(&llc(), &sole),
        [pair("businessOwners", "beneficialOwner"), pair("businessOwners[0].type", "notAllowed")]
    );
}

#[test]
fn a_list_is_replaced_and_a_contact_keeps_the_addresses_it_comes_without() {
    let contact = json!({"type": "primary", "firstName": "Ada", "lastName": "Quist", "title": ""});
    let (after, broken) = change(&llc(), &json!({"businessContacts": [contact]})).unwrap();
    assert_eq!(broken, []);
    let [contact] = after.business_contacts.as_slice() else { panic!("{:?}", after.business_contacts) };
    assert_eq!(contact.email.as_deref(), Some("ines@harbor.example"));
    assert_eq!(contact.phone_number.as_deref(), Some("2125550101"));
    assert_eq!(
        (contact.first_name.as_deref(), &contact.title, &contact.fax_number),
        (Some("Ada"), &None, &None)
    );
    let other = json!({"businessContacts": [{"type": "CustomerService", "firstName": "A", "lastName": "B"}]});
    assert_eq!(
        refused(&llc(), &other),
        [pair("businessContacts[0].email", "required"), pair("businessContacts[0].phoneNumber", "required")]
    );
}

// ------------------------------------------------------------------------------------------ answers

#[test]
fn every_ownership_type_belongs_to_a_group() {
    assert!(OWNERSHIP_TYPES.iter().all(|kind| OwnershipGroup::of(kind).is_some()));
    assert_eq!(OwnershipGroup::of("Club"), None);
}

#[test]
fn answers_mask_every_secret_and_differ_by_verb() {
    let application = kept(&llc());
    let reference = BoardingRefId::parse("5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318").unwrap();
    let mid = Mid::parse("60500").unwrap();
    let merchant = application.merchant(&reference, mid, MerchantStatus::Approved);
    let at = |text: &str| text.parse().unwrap();
    let view = OnboardingView {
        tenant: TenantId::parse(1001).unwrap(),
        reference: &reference,
        merchant: &merchant,
        application: &application,
        violations: &[],
        dates: (at("2027-05-01T14:00:00Z"), Some(at("2027-05-01T15:00:00Z"))),
    };
    let json = |output: OnboardingOutput| serde_json::to_value(output).unwrap();
    let (made, changed, read) = (
        json(OnboardingOutput::created(view)),
        json(OnboardingOutput::changed(view)),
        json(OnboardingOutput::read(view)),
    );
    for answer in [&made, &changed, &read] {
        for secret in ["123456789", "1980-05-17", "987654321", "000123456789", "021000021", "X1234567"] {
            assert!(!answer.to_string().contains(secret), "{secret}: {answer}");
        }
    }
    let masked = [
        &read["taxId"],
        &read["businessBankAccount"]["accountNumber"],
        &read["businessBankAccount"]["routingNumber"],
        &read["businessOwners"][0]["ssn"],
        &read["businessOwners"][0]["dateOfBirth"],
        &read["businessOwners"][0]["identification"][0]["idNumber"],
    ];
    assert_eq!(masked, ["*****4321", "********6789", "*****0021", "*****6789", "****-05-17", "****4567"]);
    let names = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let more = |one: &Value, other: &Value| names(one).difference(&names(other)).cloned().collect::<Vec<_>>();
    assert_eq!(more(&changed, &made), ["updatedDate"]);
    assert_eq!(more(&read, &changed), ["businessAcceptedCards", "storeNumber"]);
    assert_eq!(
        (&made["createDate"], &read["updatedDate"]),
        (&json!("2027-05-01T14:00:00Z"), &json!("2027-05-01T15:00:00Z"))
    );
    assert_eq!((&made["tenantId"], &made["tenantProvisioned"]), (&json!("1001"), &json!(false)));
    assert_eq!(
        read["businessAcceptedCards"][0],
        json!({"type": "Visa", "attributes": [{"name": "Acquired", "value": "true"}]})
    );
    assert_eq!(
        (&read["websiteUrl"], &read["ownershipType"], &read["legalName"]),
        (&llc()["businessWebsiteUrl"], &json!("LLC"), &llc()["businessLegalName"])
    );
    assert_eq!(read["businessBankAccount"]["ddaType"], "Checking");
}

#[test]
fn a_validation_lists_what_is_missing() {
    let body =
        json!({"businessOwnershipType": "LLC", "businessOwners": [{"type": "ControlOwner", "ssn": "1"}]});
    let output = serde_json::to_value(ValidationOutput::of(&found(&body))).unwrap();
    assert_eq!(output["valid"], false);
    let missing: Vec<&str> =
        output["missing"].as_array().unwrap().iter().map(|field| field.as_str().unwrap()).collect();
    assert!(
        missing.contains(&"businessOwners[0].dateOfBirth") && !missing.contains(&"businessOwners[0].ssn"),
        "{missing:?}"
    );
    assert_eq!(
        serde_json::to_value(ValidationOutput::of(&[])).unwrap(),
        json!({"valid": true, "errorInfo": [], "missing": []})
    );
}
