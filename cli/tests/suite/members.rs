//! Verifying members, from the import that makes them to the answers about them.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use adapters::clock::wall_now;
use boxoffice::testing::Service;
use serde_json::{Value, json};
use testkit::Answer;

const NUMBER: i64 = 100_200_031;
const SERVER: [(&str, &str); 1] = [("x-service-api-key", "demo-b2c-1002")];

async fn ask(service: &Service, path: &str) -> Answer {
    service.request("GET", path, &SERVER, None).await
}

/// The answer about a membership, without the proofs: those are other ones every second.
async fn validate(service: &Service, query: &str) -> Value {
    let mut answer = ask(service, &format!("/v2/b2c/membership/validate?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    for entry in answer.body.as_array_mut().unwrap() {
        let proof = entry.as_object_mut().unwrap().remove("memberProof");
        let is_recognised = entry["lastNameMatches"] == true;
        assert_eq!(proof.is_some_and(|proof| proof.is_string()), is_recognised, "{query}");
    }
    answer.body
}

fn standing() -> Value {
    json!({
        "membershipJoinedDate": "2026-01-15T00:00:00-08:00",
        "membershipStartDate": "2026-01-15T00:00:00-08:00",
        "membershipExpirationDate": "2030-12-31T23:59:59-08:00",
        "membershipStanding": "active",
        "cardStartDate": "2026-01-15T00:00:00-08:00",
        "cardExpirationDate": "2030-12-31T23:59:59-08:00",
        "cardStanding": "active",
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_is_verified_by_number_external_number_or_barcode_and_shown_to_who_knows_the_name() {
    let service = Service::start().await;
    let mut whole = json!({
        "id": 100_200_071, "membershipId": 100_200_051, "cardType": "primary",
        "categoryId": "1002bb000000000000000001", "offeringId": "1002bf00000000000000000000000001",
        "pricePointId": "1002aa000000000000000001", "name": "Mateo O’Hara", "barcode": "10020000007",
        "serviceBarcode": "10020000007", "email": "mateo.ohara@example.test", "firstName": "Mateo",
        "lastName": "O’Hara", "phoneNumber": "+1 415 555 0142", "streetAddress1": "12 Bay View",
        "streetAddress2": null,
        "city": "San Francisco", "state": "California", "zipCode": "94133", "country": "United States",
        "primaryCard": true, "externalMembershipId": "BZ-0007", "membershipCategory": "Otter",
        "serviceMembershipNumber": "100200031", "serviceCustomerNumber": "100200011", "auxiliary": false,
        "customerId": 100_200_011, "constituentImportId": "100200011",
    });
    whole.as_object_mut().unwrap().extend(standing().as_object().unwrap().clone());
    for sent in [NUMBER.to_string(), "BZ-0007".to_owned(), "bz-0007".to_owned(), "10020000007".to_owned()] {
        for name in ["O%E2%80%99Hara", "o'hara", "%20O%CA%BCHARA%20"] {
            let found = validate(&service, &format!("membershipId={sent}&lastName={name}")).await;
            let expected = json!([{"status": "verified", "lastNameMatches": true, "memberListEntry": whole}]);
            assert_eq!(found, expected, "{sent} {name}");
        }
        let unnamed = validate(&service, &format!("membershipId={sent}")).await;
        assert_eq!(
            unnamed,
            json!([{"status": "verified", "lastNameMatches": null, "memberListEntry": standing()}])
        );
        let misnamed = validate(&service, &format!("membershipId={sent}&lastName=Smith")).await;
        let expected =
            json!([{"status": "verified", "lastNameMatches": false, "memberListEntry": standing()}]);
        assert_eq!(misnamed, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_verified_by_what_names_nothing_of_this_tenant() {
    let service = Service::start().await;
    // The membership of another tenant, and the id of one, which is not its number.
    for sent in ["100000001", "100100031", "HM-0007", "100200051", "-1", "99999999999999999999", "%00", "x"] {
        let found = validate(&service, &format!("membershipId={sent}&lastName=O'Hara")).await;
        let nothing = json!([{"status": "not_found", "lastNameMatches": null, "memberListEntry": null}]);
        assert_eq!(found, nothing, "{sent}");
    }
    for query in ["", "?membershipId=", "?membershipId=%20", "?lastName=Smith"] {
        let refused = ask(&service, &format!("/v2/b2c/membership/validate{query}")).await;
        assert_eq!((refused.status, &refused.body["type"]), (400, &json!("MEMBERSHIPID_DNE")), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_membership_lapses_without_anything_having_run() {
    let service = Service::start().await;
    for (now, standing) in [("2030-12-31T23:59:59-08:00", "active"), ("2031-01-01T00:00:00-08:00", "lapsed")]
    {
        let headers = [SERVER[0], ("x-service-test-now", now)];
        let path = format!("/v2/b2c/membership/validate?membershipId={NUMBER}");
        let found = service.request("GET", &path, &headers, None).await.body;
        let entry = &found[0]["memberListEntry"];
        assert_eq!(
            (&entry["membershipStanding"], &entry["cardStanding"]),
            (&json!(standing), &json!(standing))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_known_if_someone_with_it_holds_a_card() {
    let service = Service::start().await;
    for (email, exists) in [
        ("mateo.ohara@example.test", true),
        ("MATEO.OHARA@example.test", true),
        ("%20mateo.ohara@example.test", true),
        ("ada.lindqvist@example.test", false),
        ("nobody@example.test", false),
    ] {
        let answer = ask(&service, &format!("/v2/b2c/membership/exists?email={email}")).await;
        assert_eq!(answer.body, json!({"exists": exists, "canRenew": exists}), "{email}");
    }
    let refused = ask(&service, "/v2/b2c/membership/exists").await;
    assert_eq!((refused.status, &refused.body["details"][0]["field"]), (400, &json!("email")));
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_about_a_member_costs_one_call_and_beside_it_the_count_of_who_asks() {
    let service = Service::start().await;
    let paths = [
        format!("/v2/b2c/membership/validate?membershipId={NUMBER}&lastName=O'Hara"),
        "/v2/b2c/membership/exists?email=mateo.ohara@example.test".to_owned(),
    ];
    // How many numbers were guessed of late is looked at beside it.
    for (path, read) in paths.iter().zip([&["BatchGetItem", "BatchGetItem"][..], &["Query"]]) {
        assert_eq!(ask(&service, path).await.status, 200);
        service.plan.reset();
        assert_eq!(ask(&service, path).await.status, 200);
        let mut calls = service.plan.calls();
        calls.sort();
        assert_eq!(calls, [read, &["UpdateItem"]].concat(), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_nobodys_business_but_a_servers() {
    let service = Service::start().await;
    let page = [("x-service-api-key", "demo-browser-1002"), ("origin", "http://127.0.0.1:3000")];
    let staff = [("x-service-api-key", "demo-b2b-1002")];
    // A page has to send a name as well, and is told nothing of the person.
    for (path, of_page) in [
        ("/v2/b2c/membership/validate?membershipId=100200031", 400),
        ("/v2/b2c/membership/validate?membershipId=100200031&lastName=smith", 200),
        ("/v2/b2c/membership/validate?membershipId=100200031&lastName=o'hara", 200),
        ("/v2/b2c/membership/exists?email=mateo.ohara@example.test", 403),
    ] {
        for (headers, status) in [(&page[..], of_page), (&staff[..], 403), (&[][..], 401)] {
            let answer = service.request("GET", path, headers, None).await;
            assert_eq!(answer.status, status, "{path} {headers:?}");
            let text = String::from_utf8(answer.bytes).unwrap();
            for secret in ["Mateo", "Hara", "example.test", "Bay View", "10020000007", "BZ-0007"] {
                assert!(!text.contains(secret), "{path} {headers:?}: {text}");
            }
        }
    }
}

/// A document with one member, whose card has this barcode and standing.
fn member(barcode: &str, email: &str, standing: &str) -> Value {
    let demo: Value = serde_json::from_str(include_str!("../../../demo/bay-zoo.json")).unwrap();
    let mut member = demo["members"][0].clone();
    member["barcode"] = json!(barcode);
    member["email"] = json!(email);
    member["cardStanding"] = json!(standing);
    json!({"tenant": demo["tenant"], "members": [member]})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_membership_was_found_by_finds_it_no_more() {
    let service = Service::start().await;
    let exists = async |email: &str| {
        ask(&service, &format!("/v2/b2c/membership/exists?email={email}")).await.body["exists"].clone()
    };
    let status =
        async |sent: &str| validate(&service, &format!("membershipId={sent}")).await[0]["status"].clone();
    import(&service, &member("NEW-BARCODE", "new@example.test", "active")).await;
    assert_eq!(
        (status("10020000007").await, status("new-barcode").await),
        (json!("not_found"), json!("verified"))
    );
    assert_eq!(exists("mateo.ohara@example.test").await, false);
    assert_eq!(exists("new@example.test").await, true);
    import(&service, &member("NEW-BARCODE", "new@example.test", "dropped")).await;
    assert_eq!(
        (status("NEW-BARCODE").await, status(&NUMBER.to_string()).await),
        (json!("not_found"), json!("not_found"))
    );
    assert_eq!(exists("new@example.test").await, false);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_card_of_the_largest_membership_is_found_and_found_no_more_when_it_changes() {
    let service = Service::start().await;
    let card = |number: usize, print: &str| {
        let mut one =
            member(&format!("{print}-{number}"), &format!("{print}-{number}@example.test"), "active");
        one["members"][0]["id"] = json!(500 + number);
        one["members"][0].take()
    };
    let cards = |count, print| {
        let mut document = member("", "", "active");
        document["members"] = (0..count).map(|number| card(number, print)).collect();
        document
    };
    let count = async |print: &str| {
        let mut found = 0;
        for number in 0..50 {
            let status =
                validate(&service, &format!("membershipId={print}-{number}")).await[0]["status"].clone();
            let path = format!("/v2/b2c/membership/exists?email={print}-{number}@example.test");
            let exists = ask(&service, &path).await.body["exists"].clone();
            assert_eq!(status == "verified", exists == true, "{print}-{number}");
            found += usize::from(exists == true);
        }
        found
    };
    import(&service, &cards(50, "first")).await;
    assert_eq!(count("first").await, 50);
    import(&service, &cards(50, "second")).await;
    assert_eq!((count("first").await, count("second").await), (0, 50));
    let document = cards(51, "third").to_string();
    let report = boxoffice::import::import(&service.app, &document, wall_now()).await.unwrap();
    assert_eq!(report.faults[0].errors[0].message, "must have at most 50 cards");
}

async fn import(service: &Service, document: &Value) {
    let report = boxoffice::import::import(&service.app, &document.to_string(), wall_now()).await.unwrap();
    assert!(report.faults.is_empty(), "{report:?}");
}
