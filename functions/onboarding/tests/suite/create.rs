//! Bringing merchants: what is kept, what is told, and that one name is one merchant.

use crate::support::{FAULTS, PATH, REF, Told, Venue, application, application_with, get, post, validate};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn owner_as_shown() -> Value {
    json!({
        "type": "ControlOwner", "title": null, "firstName": "Zoe", "lastName": "Lindqvist",
        "middleInitial": null, "phoneNumber": null, "phoneNumberExt": null, "faxNumber": null,
        "email": null, "ssn": "*****6789", "dateOfBirth": "****-05-17",
        "businessOwnershipPercentage": 40, "addressLine1": "4 Pier Road", "addressLine2": null,
        "city": "New York", "state": "NY", "country": "US", "postalCode": "10004",
        "postalCodeExtension": null,
        "identification": [{
            "idType": "Passport", "idNumber": "*****321Z", "issuedCountry": "US", "issuedState": null,
            "issuedCity": null, "dateIssued": null, "dateExpires": null,
        }],
    })
}

#[tokio::test]
async fn a_clean_application_is_a_pending_merchant_in_one_transaction() {
    let venue = Venue::open().await;
    let (answer, calls) = venue.counted(post(&application())).await;
    // The count of the key's applications, and the transaction.
    assert_eq!(calls, 2);
    let body = answer.done();
    let mid = body["mid"].as_str().unwrap();
    assert!(mid.len() <= 16 && mid.bytes().all(|byte| byte.is_ascii_digit()), "{mid}");
    let mut shown = body.clone();
    shown["mid"] = json!("MID");
    assert_eq!(
        shown,
        json!({
            "boardingRefId": REF, "status": "Pending", "mid": "MID", "errorInfo": [],
            "createDate": "2027-05-01T14:00:00Z", "tenantId": "1", "tenantProvisioned": false,
            "dbaName": "Harbor Museum", "billingDescriptor": "HARBOR*MUSEUM", "businessType": "Retail",
            "businessEstablishedDate": "1998-02-28", "websiteUrl": "https://harbor.example/tickets",
            "ownershipType": "LLC", "legalName": "Harbor Museum, Inc", "taxId": "*****4321",
            "merchantCategoryCode": "7991",
            "businessOwners": [owner_as_shown()],
            "businessContacts": [{
                "type": "Primary", "email": "ines@harbor.example", "faxNumber": null, "firstName": "Ines",
                "lastName": "Okafor", "middleInitial": null, "phoneNumber": "2125550101",
                "phoneNumberExt": null, "title": null,
            }],
            "businessAddresses": [{
                "type": "Physical", "addressLine1": "1 Pier #4", "addressLine2": null, "city": "New York",
                "country": "US", "state": "NY", "postalCode": "10004", "postalCodeExtension": null,
            }],
            "businessBankAccount": {
                "ddaType": "Checking", "achType": "CommercialChecking", "accountNumber": "*******4567",
                "routingNumber": "*****0021",
            },
        })
    );
    let (read, calls) = venue.counted(get()).await;
    assert_eq!(calls, 1);
    let mut read = read.done();
    assert_eq!((read["storeNumber"].take(), read["businessAcceptedCards"].take()), (Value::Null, json!([])));
    read.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    for (name, value) in read.as_object().unwrap() {
        assert_eq!(*value, body[name], "{name}");
    }
}

#[tokio::test]
async fn what_breaks_rules_is_kept_incomplete_with_all_of_them() {
    let venue = Venue::open().await;
    let mut body = application_with("taxId", json!(987_654_321));
    body["businessBankAccount"]["routingNumber"] = json!("123456789");
    body["businessOwners"][0]["ssn"] = json!("123-45-678");
    body.as_object_mut().unwrap().remove("dbaName");
    let answer = venue.send(post(&body)).await;
    assert_eq!(answer.status_of_merchant(), "Incomplete");
    let expected = [
        "taxId type",
        "dbaName required",
        "businessBankAccount.routingNumber routingNumber",
        "businessOwners[0].ssn digits",
    ];
    assert_eq!(answer.errors(), expected);
    assert!(answer.body["mid"].is_string());
    assert!(!answer.text.contains("123456789") && !answer.text.contains("123-45"), "{}", answer.text);
    let read = venue.send(get()).await;
    assert_eq!((read.errors(), read.status_of_merchant()), (answer.errors(), "Incomplete"));
    assert_eq!(read.body["mid"], answer.body["mid"]);
}

#[tokio::test]
async fn without_a_uuid_or_without_json_nothing_is_kept() {
    let venue = Venue::open().await;
    for reference in [json!("60417"), json!(""), json!(7), json!(null), json!(format!("{REF}0"))] {
        let answer = venue.send(post(&application_with("boardingRefId", reference.clone()))).await;
        assert_eq!(answer.kind(), (400, "VALIDATION_ERROR"), "{reference}");
        assert_eq!(answer.body["details"][0]["field"], "/boardingRefId", "{reference}");
    }
    for raw in ["", "[]", "{\"taxId\": \"987654321\"", "7"] {
        let answer = venue.send(post(&json!({})).raw(raw)).await;
        assert_eq!(answer.kind(), (400, "MALFORMED_JSON"), "{raw}");
        assert!(!answer.text.contains("987654321"));
    }
    for ask in [get(), post(&json!({}))] {
        let answer = venue.send(ask.to(format!("{PATH}/60417"))).await;
        assert!(matches!(answer.kind(), (400, "VALIDATION_ERROR") | (405, _)), "{:?}", answer.kind());
    }
    assert_eq!(venue.merchants().await, []);
    assert_eq!(venue.scan("merchants").await.len(), 0);
}

#[tokio::test]
async fn one_name_is_one_merchant_however_often_and_at_once_it_is_sent() {
    let venue = Venue::open().await;
    let body = application();
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let (venue, ask) = (venue.clone(), post(&body));
            tokio::spawn(async move { venue.send(ask).await.done() })
        })
        .collect();
    let mut answers = BTreeSet::new();
    for task in tasks {
        answers.insert(task.await.unwrap().to_string());
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(venue.merchants().await.len(), 1);
    let upper = application_with("boardingRefId", json!(REF.to_uppercase()));
    for body in [application_with("taxId", json!("987654322")), application_with("x", json!(1)), upper] {
        assert_eq!(venue.send(post(&body)).await.kind(), (409, "ONBOARDING_CONFLICT"));
    }
    assert_eq!(venue.merchants().await.len(), 1);
}

#[tokio::test]
async fn the_same_request_has_the_same_answer_whatever_happened_since() {
    let venue = Venue::open().await;
    let first = venue.send(post(&application_with("dbaName", json!("")))).await;
    assert_eq!(first.errors(), ["dbaName required"]);
    let name = json!({"dbaName": "Harbor Museum"});
    assert_eq!(venue.send(crate::support::patch(&name)).await.status_of_merchant(), "Pending");
    let (again, calls) = venue.counted(post(&application_with("dbaName", json!("")))).await;
    assert_eq!((again.body, calls), (first.body, 2));
    assert_eq!(venue.send(get()).await.status_of_merchant(), "Pending");
}

#[tokio::test]
async fn an_idempotency_key_replays_and_is_bound_to_its_request() {
    let venue = Venue::open().await;
    let first = venue.send(post(&application()).keyed("a")).await;
    let again = venue.send(post(&application()).keyed("a")).await;
    assert_eq!((first.replayed, again.replayed), (false, true));
    assert_eq!(first.body, again.body);
    let other = venue.send(post(&application_with("dbaName", json!("Other"))).keyed("a")).await;
    assert_eq!(other.kind(), (409, "IDEMPOTENCY_KEY_REUSED"));
}

#[tokio::test]
async fn another_tenants_name_is_unknown_and_may_be_used_again() {
    let venue = Venue::open().await;
    let own = venue.send(post(&application())).await.done();
    let unknown = "00000000-93d4-4f26-8c1d-70e2a9b4f318";
    let foreign = venue.send(get().by("partner-2")).await;
    let nobodys = venue.send(get().by("partner-2").to(format!("{PATH}/{unknown}"))).await;
    assert_eq!(foreign.kind(), (404, "NOT_FOUND"));
    assert_eq!((foreign.kind(), &foreign.body["message"]), (nobodys.kind(), &nobodys.body["message"]));
    let theirs = venue.send(post(&application()).by("partner-2")).await.done();
    assert_ne!(own["mid"], theirs["mid"]);
}

#[tokio::test]
async fn a_lost_answer_or_a_conflict_makes_no_second_merchant() {
    for fault in FAULTS {
        let venue = Venue::open().await;
        venue.faults.reset();
        venue.faults.at_operation("TransactWriteItems", 0, fault);
        let first = venue.send(post(&application())).await;
        assert!(matches!(first.kind(), (200, _) | (503, "TRY_AGAIN")), "{fault:?}: {}", first.body);
        let again = venue.send(post(&application())).await.done();
        assert!(first.status == 503 || first.body == again, "{fault:?}");
        assert_eq!(venue.merchants().await.len(), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn validating_keeps_nothing_and_says_what_is_missing() {
    let venue = Venue::open().await;
    let (answer, calls) = venue.counted(validate(&application())).await;
    assert_eq!((answer.done(), calls), (json!({"valid": true, "errorInfo": [], "missing": []}), 0));
    let body = json!({"businessOwnershipType": "soleproprietorship", "businessOwners": [{"type": "BeneficialOwner1", "firstName": "A", "lastName": "B", "addressLine1": "1 Pier", "city": "C", "state": "NY", "country": "US"}]});
    let answer = venue.send(validate(&body)).await.done();
    assert_eq!(answer["valid"], false);
    let missing: Vec<&str> =
        answer["missing"].as_array().unwrap().iter().map(|field| field.as_str().unwrap()).collect();
    assert!(
        missing.contains(&"businessOwners[0].dateOfBirth")
            && missing.contains(&"businessOwners[0].postalCode")
    );
    assert!(missing.contains(&"taxId") && !missing.contains(&"businessOwners[0].ssn"), "{missing:?}");
    assert_eq!(venue.merchants().await, []);
}

#[tokio::test]
async fn validating_names_what_is_wrong_with_the_partners_name_for_the_merchant() {
    const FORM: &str = "must be a UUID, such as 5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318";
    let venue = Venue::open().await;
    let mut unnamed = application();
    unnamed.as_object_mut().unwrap().remove("boardingRefId");
    for (body, rule, message) in [
        (unnamed, "required", "is required"),
        (application_with("boardingRefId", json!(null)), "required", "is required"),
        (application_with("boardingRefId", json!(" ")), "required", "is required"),
        (application_with("boardingRefId", json!("42")), "uuid", FORM),
        (application_with("boardingRefId", json!(42)), "type", "must be a string"),
    ] {
        let missing = if rule == "required" { json!(["boardingRefId"]) } else { json!([]) };
        let told = json!([{"field": "boardingRefId", "rule": rule, "message": message}]);
        let expected = json!({"valid": false, "errorInfo": told, "missing": missing});
        assert_eq!(venue.send(validate(&body)).await.done(), expected);
        // It is what the application itself is refused for.
        let refused = venue.send(post(&body)).await;
        assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"));
        assert_eq!(refused.body["details"], json!([{"field": "/boardingRefId", "message": message}]));
    }
}

#[tokio::test]
async fn only_a_partners_key_in_its_own_header_opens_onboarding() {
    let venue = Venue::open().await;
    for (key, expected) in [("staff-1", (403, "FORBIDDEN")), ("nobody", (401, "UNAUTHORIZED"))] {
        for ask in [get(), post(&application()), validate(&application())] {
            assert_eq!(venue.send(ask.by(key)).await.kind(), expected, "{key}");
        }
    }
    assert_eq!(venue.send(get().to(format!("/payments{PATH}/{REF}"))).await.kind(), (404, "NOT_FOUND"));
    assert_eq!(venue.send(post(&application()).to(format!("/payments{PATH}/"))).await.status, 200);
}

#[tokio::test]
async fn a_date_is_in_the_future_by_the_tenants_calendar() {
    let venue = Venue::open().await;
    // Late on the first of May in New York, it is the second in UTC.
    const LATE: &str = "2027-05-01T23:30:00-04:00";
    for (date, errors) in
        [("2027-05-02", vec!["businessEstablishedDate notInFuture"]), ("2027-05-01", vec![])]
    {
        let ask = validate(&application_with("businessEstablishedDate", json!(date))).at(LATE);
        assert_eq!(venue.send(ask).await.errors(), errors, "{date}");
    }
}
