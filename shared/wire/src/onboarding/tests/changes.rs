//! Changes to what was sent before.

use super::*;
use domain::onboarding::{ApplicationEditRefusal, edited};

type Broken = Vec<(String, String)>;

fn change(current: &Value, edit: &Value) -> Result<(Clear, Vec<Violation>), Broken> {
    edited(&kept(current), &found(current), read(edit).read(), today()).map_err(
        |ApplicationEditRefusal(broken)| {
            broken.into_iter().map(|one| (one.field, one.rule.to_string())).collect()
        },
    )
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

/// The rules are about what was sent, also where only its mask is kept.
#[test]
fn a_name_with_a_card_number_is_judged_as_it_was_sent_and_kept_masked() {
    let card = "4111 1111 1111 1111";
    let fields = [
        ("businessLegalName", format!("Pier {card}")),
        ("dbaName", format!("{card}, Pier *")),
        ("businessContacts[0].lastName", card.to_owned()),
        ("businessOwners[0].firstName", format!("Ada {card}")),
    ];
    let sent = fields.iter().fold(llc(), |body, (field, name)| with(body, field, json!(name)));
    let wrong = [pair("businessOwners[0].firstName", "maxLength"), pair("dbaName", "characters")];
    assert_eq!(broken(&sent), wrong);
    let application = kept(&sent);
    assert_eq!(application.business_legal_name.as_deref(), Some("Pier ****1111"));
    assert_eq!(application.dba_name.as_deref(), Some("****1111, Pier *"));
    assert_eq!(application.business_contacts[0].last_name.as_deref(), Some("****1111"));
    assert_eq!(application.business_owners[0].first_name.as_deref(), Some("Ada ****1111"));
    // What was found stays with what is kept, whatever else is changed.
    let (after, found) = change(&sent, &json!({"businessType": "Lodging"})).unwrap();
    let found: BTreeSet<_> = found.into_iter().map(|one| (one.field, one.rule.to_string())).collect();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), wrong);
    assert_eq!(after.dba_name.as_deref(), Some("****1111, Pier *"));
    // The same name again is no change, as it was sent and as it is shown.
    for name in [format!("Pier {card}"), "Pier ****1111".to_owned()] {
        let (after, _) = change(&sent, &json!({"businessLegalName": name})).unwrap();
        assert_eq!(after.business_legal_name, application.business_legal_name);
    }
    // Marks that were typed stand for nothing.
    let typed = json!({"dbaName": "Pier ****4242"});
    assert_eq!(refused(&sent, &typed), [pair("dbaName", "characters")]);
    // No part of a number is left where a name is cut.
    let long = with(llc(), "dbaName", json!(format!("{} {card}", "x".repeat(245))));
    assert!(!kept(&long).dba_name.unwrap().contains("4111"));
}

#[test]
fn a_text_that_shows_nothing_is_wrong_and_not_empty() {
    for field in ["dbaName", "businessContacts[0].title", "businessOwners[0].firstName", "taxId"] {
        let blank = with(llc(), field, json!("\u{200b} \u{2060}"));
        assert_eq!(broken(&blank), [pair(field, "characters")], "{field}");
    }
    assert_eq!(refused(&llc(), &json!({"dbaName": "\u{200b}"})), [pair("dbaName", "characters")]);
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
