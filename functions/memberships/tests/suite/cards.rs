//! The cards of a membership as the counter reads them.

use crate::support::{self, TILL, card, save_membership};
use serde_json::{Value, json};
use testkit::{Answer, Venue, delete, get};

const PATHS: [&str; 2] = ["/v2/b2b/membership/cards", "/v1/b2b/membership/cards"];

/// A family of three cards, one of them given up.
async fn save_family(venue: &Venue) {
    let mateo = json!({
        "first_name": "Mateo", "last_name": "O’Hara", "email": "mateo@example.test",
        "phone_number": "+1 212 555 0107", "street_address_1": "7 Pier Street", "city": "New York",
        "state": "New York", "zip_code": "10004", "country": "United States",
    });
    let zoe = json!({"first_name": "Zoe", "last_name": "O'Hara"});
    let cards = json!([
        card(11, json!({"barcode": "F-1", "customer": 91, "person": mateo})),
        card(12, json!({"barcode": "F-2", "card_type": "secondary", "person": zoe})),
        card(13, json!({"barcode": "F-3", "card_type": "secondary", "standing": "dropped"})),
    ]);
    save_membership(venue, 41, 10, json!({"cards": cards})).await;
}

async fn asked(venue: &Venue, path: impl Into<String>) -> Answer {
    venue.send(get(path).by(TILL)).await
}

fn ids(answer: &Answer) -> Vec<i64> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body.as_array().unwrap().iter().map(|card| card["id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn a_card_is_shown_in_the_given_order_with_all_that_is_known_of_it() {
    let venue = support::open().await;
    save_family(&venue).await;
    let shown = asked(&venue, format!("{}/11", PATHS[0])).await;
    let expected = json!({
        "id": 11, "membershipId": 1041, "constituentImportId": "91", "cardImportId": "11",
        "cardType": "primary", "name": "Mateo O’Hara", "barcode": "F-1", "serviceBarcode": "F-1",
        "email": "mateo@example.test", "firstName": "Mateo", "lastName": "O’Hara",
        "phoneNumber": "+1 212 555 0107", "streetAddress1": "7 Pier Street", "city": "New York",
        "state": "New York", "zipCode": "10004", "country": "United States", "deceased": "no",
        "primaryCard": "yes", "startDate": "2027-01-01T00:00:00-05:00",
        "expirationDate": "2027-12-31T23:59:59-05:00", "cardStatus": "active",
        "serviceCustomerNumber": "91", "customerId": 91, "cardHolderAttributes": [],
    });
    assert_eq!(shown.clone().done(), expected);
    let given = [
        "id",
        "membershipId",
        "constituentImportId",
        "cardImportId",
        "cardType",
        "name",
        "barcode",
        "serviceBarcode",
        "email",
        "firstName",
        "lastName",
        "phoneNumber",
        "streetAddress1",
        "city",
        "state",
        "zipCode",
        "country",
        "deceased",
        "primaryCard",
        "startDate",
        "expirationDate",
        "cardStatus",
        "serviceCustomerNumber",
        "customerId",
        "cardHolderAttributes",
    ];
    assert_eq!(given.len(), expected.as_object().unwrap().len());
    let places = given.map(|name| shown.text.find(&format!("\"{name}\":")).unwrap());
    assert!(places.is_sorted(), "{}", shown.text);
    // What is not known is left out.
    let little = asked(&venue, format!("{}/12", PATHS[1])).await.done();
    let names: Vec<&String> = little.as_object().unwrap().keys().collect();
    let mut expected = vec![
        "id",
        "membershipId",
        "cardImportId",
        "cardType",
        "name",
        "barcode",
        "serviceBarcode",
        "firstName",
        "lastName",
        "deceased",
        "primaryCard",
        "startDate",
        "expirationDate",
        "cardStatus",
        "cardHolderAttributes",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(json!([little["primaryCard"], little["cardType"]]), json!(["no", "secondary"]));
}

#[tokio::test]
async fn the_cards_of_a_membership_are_those_that_are_held_unless_all_are_asked_for() {
    let venue = support::open().await;
    save_family(&venue).await;
    asked(&venue, format!("{}?memberId=41", PATHS[0])).await.done();
    for path in PATHS {
        for (query, expected) in [
            ("memberId=41", &[11, 12][..]),
            ("memberId=1041", &[11, 12]),
            ("membershipId=41", &[11, 12]),
            ("membershipId=1041&memberId=1041", &[11, 12]),
            ("memberId=41&includeDropped=false", &[11, 12]),
            ("memberId=41&includeDropped=TRUE", &[11, 12, 13]),
            ("memberId=42", &[]),
        ] {
            let found = asked(&venue, format!("{path}?{query}")).await;
            assert_eq!(ids(&found), expected, "{path}?{query}");
            assert_eq!(found.calls.rounds, 1, "{path}?{query}");
        }
        let other = venue.send(get(format!("{path}?memberId=41")).by("key-2")).await;
        assert_eq!(ids(&other), Vec::<i64>::new());
        for (query, faults) in [
            ("", &["memberId is required, or membershipId"][..]),
            ("includeDropped=true", &["memberId is required, or membershipId"]),
            (
                "memberId=x&membershipId=0&includeDropped=yes",
                &[
                    "memberId must be a positive integer below 2^53",
                    "membershipId must be a positive integer below 2^53",
                    "includeDropped must be true or false",
                ],
            ),
            ("memberId=%20", &["memberId must not be blank"]),
            ("memberId=41&membershipId=42", &["membershipId must be the same as memberId, or left out"]),
        ] {
            let refused = asked(&venue, format!("{path}?{query}")).await;
            assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"), "{path}?{query}");
            assert_eq!(refused.faults(), faults, "{path}?{query}");
        }
    }
}

#[tokio::test]
async fn a_card_is_read_by_its_id_in_two_calls_whether_it_is_held_or_not() {
    let venue = support::open().await;
    save_family(&venue).await;
    asked(&venue, format!("{}?memberId=41", PATHS[0])).await.done();
    for path in PATHS {
        for (id, standing) in [(11, "active"), (13, "dropped")] {
            let found = asked(&venue, format!("{path}/{id}")).await;
            assert_eq!((found.calls.rounds, &found.body["cardStatus"]), (2, &json!(standing)), "{path}/{id}");
        }
        for id in ["14", "0", "-1", "x", "9007199254740993"] {
            assert_eq!(asked(&venue, format!("{path}/{id}")).await.kind(), (404, "NOT_FOUND"), "{path}/{id}");
        }
        let theirs = venue.send(get(format!("{path}/11")).by("key-2")).await;
        assert_eq!(theirs.kind(), (404, "NOT_FOUND"));
    }
    venue.send(delete("/v2/b2b/memberships/41/cards/12")).await.done();
    let dropped = asked(&venue, format!("{}/12", PATHS[0])).await.done();
    assert_eq!(dropped["cardStatus"], "dropped");
    assert_eq!(ids(&asked(&venue, format!("{}?memberId=41", PATHS[0])).await), [11]);
}

#[tokio::test]
async fn a_card_that_went_on_with_another_membership_is_read_as_that_ones() {
    let venue = support::open().await;
    let replaced = json!([card(11, json!({"standing": "replaced"}))]);
    let moved = json!({"id": 1_099, "cards": [card(11, json!({}))]});
    let retired = json!({"ended": {"at": "2027-04-02T00:00:00Z", "into": 1_099}, "cards": replaced});
    save_membership(&venue, 41, 10, moved).await;
    save_membership(&venue, 41, 20, retired).await;
    let shown: Value = asked(&venue, format!("{}/11", PATHS[0])).await.done();
    assert_eq!(json!([shown["membershipId"], shown["cardStatus"]]), json!([1_099, "active"]));
}
