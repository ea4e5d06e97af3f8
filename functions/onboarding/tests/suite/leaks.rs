//! Secrets lie in memory for the length of a request, sealed in the database, and nowhere else (contract §11).

use crate::support::{Venue, application, application_with, get, patch, post, validate};
use adapters::vault::{LocalVault, Vault};
use domain::BoardingRefId;
use serde_json::{Value, json};
use std::sync::Arc;
use store::{AttributeValue, Item};
use testkit::log::Log;
use testkit::tenant_id;

/// Every secret of the application, and those that are sent where they break a rule.
const CANARIES: [&str; 12] = [
    "987654321",
    "123456789",
    "1980-05-17",
    "55501234567",
    "021000021",
    "X7654321Z",
    "123-45-6789",
    "444556666",
    "77708889999",
    "021000012",
    "1979-11-23",
    "Y1112223",
];

#[track_caller]
fn assert_silent(place: &str, text: &str) {
    for canary in CANARIES {
        assert!(!text.contains(canary), "{place} shows {canary}: {text}");
    }
}

/// An application whose secrets all break rules.
fn faulty() -> Value {
    let mut body = application();
    body["boardingRefId"] = json!("00000000-93d4-4f26-8c1d-70e2a9b4f318");
    body["taxId"] = json!("444556666x");
    body["businessBankAccount"]["accountNumber"] = json!("77708889999-77708889999");
    body["businessBankAccount"]["routingNumber"] = json!("021000012");
    body["businessOwners"][0]["ssn"] = json!("123-45-6789");
    body["businessOwners"][0]["dateOfBirth"] = json!("1979-11-23T00:00");
    body["businessOwners"][0]["identification"][0]["idNumber"] = json!("Y1112223 ?");
    body
}

#[tokio::test]
async fn secrets_are_in_no_log_line_answer_error_or_item() {
    let log = Log::begin();
    let venue = Venue::open().await;
    let whole = application().to_string();
    let cut = whole.find("123456789").unwrap() + 9;
    let other =
        json!({"businessBankAccount": {"accountNumber": "77708889999", "routingNumber": "021000012"}});
    let owners = json!({"businessOwnershipType": "LLC", "businessOwners": [{"type": "ControlOwner", "ssn": "444556666"}]});
    let mut conflicting = application();
    conflicting["taxId"] = json!("444556666");
    let asks = [
        post(&application()).keyed("k"),
        post(&application()).keyed("k"),
        post(&conflicting),
        post(&faulty()),
        post(&json!({})).raw(&whole[..cut]),
        post(&json!({"boardingRefId": "987654321", "taxId": 987_654_321})),
        validate(&faulty()),
        patch(&other),
        patch(&owners),
        patch(&json!({"taxId": "444556666"})),
        patch(&json!({"businessBankAccount": {"accountNumber": "77708889999"}})).keyed("p"),
        patch(&json!({"businessBankAccount": {"accountNumber": "77708889999"}})).keyed("p"),
        get(),
    ];
    let mut answers = Vec::new();
    for ask in asks {
        let answer = venue.send(ask).await;
        assert_silent("an answer", &answer.text);
        answers.push(answer);
    }
    venue.pass(cleanup::PassScope::Sandbox, "2027-05-01T14:02:00Z").await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 409, 200, 400, 400, 200, 400, 400, 400, 200, 200, 200]);
    for table in ["catalog", "carts", "reservations", "orders", "members", "merchants"] {
        for item in venue.scan(table).await {
            assert_silent(table, &format!("{item:?}"));
        }
    }
    let log = log.text();
    for answer in &answers {
        assert!(log.contains(answer.header("x-service-request-id")), "every request is logged");
    }
    log.lines().for_each(|line| assert_silent("the log", line));
}

/// A card number that was typed into a name (field case 29).
#[tokio::test]
async fn card_numbers_are_masked_in_names() {
    let venue = Venue::open().await;
    let card = "4111 1111 1111 1111";
    let mut body = application_with("dbaName", json!(format!("Pier {card}")));
    body["businessContacts"][0]["lastName"] = json!(card);
    body["businessOwners"][0]["firstName"] = json!(format!("Ada {card}"));
    // The number of an account may look like one, and is sealed as it is.
    body["businessBankAccount"]["accountNumber"] = json!("4242424242424242");
    let made = venue.send(post(&body)).await;
    assert_eq!(made.status, 200, "{}", made.text);
    // What is wrong with a name is told of what was typed, as long as no other is sent.
    let wrong = json!([{
        "field": "businessOwners[0].firstName", "rule": "maxLength", "message": "must have at most 15 characters",
    }]);
    assert_eq!(made.body["errorInfo"], wrong, "{}", made.text);
    let changed = venue.send(patch(&json!({"businessType": "Lodging", "dbaName": "Pier ****1111"}))).await;
    assert_eq!((changed.status, &changed.body["errorInfo"]), (200, &wrong), "{}", changed.text);
    let read = venue.send(get()).await.done();
    assert_eq!(read["dbaName"], "Pier ****1111", "{read}");
    assert_eq!(read["businessBankAccount"]["accountNumber"], "************4242");
    venue.send(patch(&json!({"dbaName": "4111111111111111"}))).await;
    let mut kept = made.text;
    for table in ["carts", "merchants"] {
        kept.push_str(&format!("{:?}", venue.scan(table).await));
    }
    let digits: String = kept.replace([' ', '-'], "");
    assert!(!digits.contains("41111111"), "{kept}");
    assert!(!digits.contains("4242424242424242"), "{kept}");
}

/// What lies in an item under a path of names and numbers.
fn at<'a>(item: &'a Item, path: &[&str]) -> &'a AttributeValue {
    let (first, rest) = path.split_first().unwrap();
    rest.iter().fold(&item[*first], |value, step| match step.parse::<usize>() {
        Ok(number) => &value.as_l().unwrap()[number],
        Err(_) => &value.as_m().unwrap()[*step],
    })
}

#[tokio::test]
async fn every_secret_is_sealed_by_itself_in_the_table() {
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    let items = venue.scan("merchants").await;
    let item = items.iter().find(|item| item["sk"].as_s().unwrap() == "APPLICATION").unwrap();
    let secrets: [&[&str]; 6] = [
        &["application", "tax_id"],
        &["application", "business_bank_account", "account_number"],
        &["application", "business_bank_account", "routing_number"],
        &["application", "business_owners", "0", "ssn"],
        &["application", "business_owners", "0", "date_of_birth"],
        &["application", "business_owners", "0", "identification", "0", "id_number"],
    ];
    let sealed: Vec<&str> = secrets.iter().map(|path| at(item, path).as_s().unwrap().as_str()).collect();
    for (path, sealed) in secrets.iter().zip(&sealed) {
        let bytes = hex::decode(sealed).unwrap();
        // A format byte, a nonce of 12, and a tag of 16 around the secret.
        assert!(bytes.len() > 29 && bytes.len() < 60, "{path:?}: {sealed}");
    }
    let distinct: std::collections::BTreeSet<&&str> = sealed.iter().collect();
    assert_eq!(distinct.len(), sealed.len());
    // The rest lies open, so that the underwriter needs no key.
    assert_eq!(at(item, &["application", "business_legal_name"]).as_s().unwrap(), "Harbor Museum, Inc");
    // What is sealed may have any digits.
    let text = sealed.iter().fold(format!("{item:?}"), |text, sealed| text.replace(*sealed, "SEALED"));
    let text = text.replace(item["sealed_key"].as_s().unwrap(), "SEALED");
    let text = text.replace(item["fingerprint"].as_s().unwrap(), "HASH");
    for shown in ["4321", "6789", "05-17", "4567", "0021\"", "321Z"] {
        assert!(!text.contains(shown), "not even the end of a secret: {shown} in {text}");
    }
}

#[tokio::test]
async fn a_secret_in_the_place_of_another_does_not_open() {
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    let reference = BoardingRefId::parse(crate::support::REF).unwrap();
    let mut boarding = venue.store.load_application(tenant_id(1), &reference).await.unwrap().unwrap();
    boarding.application.tax_id = boarding.application.business_owners[0].ssn.clone();
    let key = store::Key::boarding(tenant_id(1), &reference);
    let item = store::encode(&key, &boarding).unwrap();
    let put = store::Action::Put(item, store::Expression::new());
    venue.store.write(&key, put).await.unwrap().unwrap();
    assert_eq!(venue.send(get()).await.kind(), (500, "INTERNAL"));
}

#[tokio::test]
async fn applications_stay_readable_when_the_vault_gets_a_new_key() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.key");
    let vault = || -> Arc<dyn Vault> { Arc::new(LocalVault::file(&path).unwrap()) };
    let venue = Venue::over(vault()).await;
    let mut other = application();
    other["boardingRefId"] = json!("00000000-93d4-4f26-8c1d-70e2a9b4f318");
    venue.send(post(&application())).await.done();
    let before = venue.send(get()).await.done();

    LocalVault::rotate(&path).unwrap();
    let rotated = venue.with_vault(vault()).await;
    assert_eq!(rotated.send(get()).await.done(), before);
    assert_eq!(rotated.send(post(&application())).await.status, 200, "its repetition is still known");
    rotated.send(post(&other)).await.done();
    rotated.send(patch(&json!({"dbaName": "Pier"}))).await.done();
    assert_eq!(rotated.send(get()).await.done()["taxId"], "*****4321");

    // What was written since is sealed under the new key: whoever has the old one alone cannot open it.
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(whole.len(), 64);
    std::fs::write(&path, &whole[..32]).unwrap();
    assert_eq!(venue.with_vault(vault()).await.send(get()).await.kind(), (500, "INTERNAL"));
    std::fs::write(&path, whole).unwrap();
    assert_eq!(venue.with_vault(vault()).await.send(get()).await.status, 200);
}
