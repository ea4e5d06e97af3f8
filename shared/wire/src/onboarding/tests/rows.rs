//! The rules of the fields, row by row.

use super::*;
use domain::onboarding::{FieldPlace, FieldRule, Required, TABLE};

/// Where a row's field stands in [`application`].
fn field_of(row: &FieldRule) -> String {
    let prefix = match row.place {
        FieldPlace::Business(_) => "",
        FieldPlace::Address(_) => "businessAddresses[0].",
        FieldPlace::BankAccount(_) => "businessBankAccount.",
        FieldPlace::Contact(_) => "businessContacts[0].",
        FieldPlace::Owner(_) => "businessOwners[0].",
        FieldPlace::Identification(_) => "businessOwners[0].identification[0].",
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
fn a_list_of_another_json_type_alone_is_not_missing_as_well() {
    for (list, fault) in [
        ("businessAddresses", "businessAddresses[0]"),
        ("businessContacts", "businessContacts[0]"),
        ("businessOwners", "businessOwners[0]"),
        ("businessOwners[0].identification", "businessOwners[0].identification[0]"),
    ] {
        let broken = broken(&with(llc(), list, json!([null])));
        let of_list: Vec<_> = broken.iter().filter(|(field, _)| field.starts_with(list)).collect();
        assert_eq!(of_list, [&(fault.to_owned(), "type".to_owned())], "{broken:?}");
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
