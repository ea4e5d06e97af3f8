//! The list of cards.

use crate::support::{self, card, save_membership};
use serde_json::{Value, json};
use testkit::{Answer, Venue, get};

pub(crate) const PATH: &str = "/v2/b2b/membership/summaries";

async fn asked(venue: &Venue, query: &str) -> Answer {
    venue.send(get(format!("{PATH}?{query}"))).await
}

/// A family of three cards, one of them given up, and a single member.
async fn save_members(venue: &Venue) {
    let person = |first: &str, last: &str, (city, zip): (&str, &str)| {
        json!({"first_name": first, "last_name": last, "email": format!("{first}@example.test"), "city": city,
            "zip_code": zip})
    };
    let family = ("New York", "10004");
    let cards = json!([
        card(11, json!({"barcode": "F-1", "person": person("Mateo", "O’Hara", family)})),
        card(
            12,
            json!({"barcode": "F-2", "card_type": "secondary", "person": person("Zoe", "O'Hara", family)})
        ),
        card(
            13,
            json!({"barcode": "F-3", "card_type": "secondary", "standing": "dropped",
            "person": person("Old", "Okafor", ("Albany", "12207"))})
        ),
    ]);
    save_membership(venue, 1, 10, json!({"cards": cards})).await;
    let cards =
        json!([card(21, json!({"barcode": "S-1", "person": person("Zoe", "Okafor", ("Albany", "12208"))}))]);
    let fields = json!({"cards": cards, "expires": "2027-05-01T03:59:59Z"});
    save_membership(venue, 2, 20, fields).await;
}

#[tokio::test]
async fn cards_are_found_by_every_parameter() {
    let venue = support::open().await;
    save_members(&venue).await;
    for (query, expected) in [
        ("", &[11, 12, 13, 21][..]),
        ("barcode=f-2", &[12]),
        ("barcode=F-3", &[]),
        ("barcode=none", &[]),
        ("membershipId=1001", &[11, 12, 13]),
        ("membershipId=1", &[11, 12, 13]),
        ("membershipId=77", &[]),
        ("email=zoe@EXAMPLE.test", &[12, 21]),
        ("email=old@example.test", &[]),
        ("email=zoe@example.test&lastName=okafor", &[21]),
        ("membershipId=1001&barcode=F-2", &[12]),
        ("membershipId=1001&barcode=F-3", &[]),
        ("membershipId=1001&email=mateo@example.test", &[11]),
        ("membershipId=1001&updatedStartTime=2027-04-01T00:00:11Z", &[]),
        ("barcode=F-1&expiresBefore=2027-06-01", &[]),
        ("firstName=ZOE", &[12, 21]),
        ("lastName=O%E2%80%99HARA", &[11, 12]),
        ("city=albany", &[13, 21]),
        ("zip=1220", &[13, 21]),
        ("zip=12208", &[21]),
        ("zip=2207", &[]),
        ("expiresAfter=2027-06-01", &[11, 12, 13]),
        ("expiresBefore=2027-06-01", &[21]),
        ("expiresBefore=2027-04-30T23:59:59&expiresAfter=2027-04-30T23:59:59", &[21]),
        ("updatedStartTime=2027-04-01T00:00:11Z", &[21]),
        ("updatedEndTime=2027-04-01T00:00:11Z&firstName=zoe", &[12]),
        ("sortField=lastName", &[11, 12, 13, 21]),
        ("sortField=lastName&sortDirection=desc&pageSize=3", &[21, 13, 12]),
        ("sortField=membershipId&sortDirection=desc", &[21, 13, 12, 11]),
        ("pageSize=2&page=2", &[13, 21]),
    ] {
        let found = asked(&venue, query).await;
        let expected: Vec<Value> = expected.iter().map(|id| json!(id)).collect();
        assert_eq!(found.column("id"), expected, "{query}");
    }
    assert_eq!(venue.send(get(PATH).by("key-2")).await.column("id"), Vec::<Value>::new());
    assert_eq!(
        venue.send(get(format!("{PATH}?barcode=F-1")).by("key-2")).await.column("id"),
        Vec::<Value>::new()
    );
    let standing = asked(&venue, "").await;
    let columns = (standing.column("cardStanding"), standing.column("membershipStanding"));
    assert_eq!(columns.0, ["active", "active", "dropped", "lapsed"]);
    assert_eq!(columns.1, ["active", "active", "active", "lapsed"]);
}

#[tokio::test]
async fn a_card_is_found_by_membership_barcode_or_address_in_one_call() {
    let venue = support::open().await;
    save_members(&venue).await;
    asked(&venue, "").await.done();
    for (query, calls) in [
        ("membershipId=1001", 1),
        ("membershipId=1&lastName=O'Hara", 1),
        ("barcode=F-1", 1),
        ("email=zoe@example.test", 1),
        ("lastName=okafor", 2),
        ("", 2),
        ("city=Nowhere", 1),
    ] {
        let (answer, made) = venue.counted(get(format!("{PATH}?{query}"))).await;
        assert_eq!((answer.status, made), (200, calls), "{query}");
    }
}

#[tokio::test]
async fn every_fault_of_the_parameters_is_named_at_once() {
    let venue = support::open().await;
    let query =
        "membershipId=x&expiresAfter=a&expiresBefore=b&updatedStartTime=c&updatedEndTime=d&pageSize=0";
    let wrong = asked(&venue, query).await;
    assert_eq!(wrong.kind(), (400, "VALIDATION_ERROR"));
    let fields: Vec<String> =
        wrong.faults().iter().map(|fault| fault.split(' ').next().unwrap().to_owned()).collect();
    let expected =
        ["updatedStartTime", "updatedEndTime", "membershipId", "expiresAfter", "expiresBefore", "pageSize"];
    assert_eq!(fields, expected);
    let blank = "membershipId=&barcode=%20&email=&firstName=&lastName=&city=&zip=%09&expiresAfter=\
                 &expiresBefore=%20";
    let blank = asked(&venue, blank).await;
    let names = [
        "membershipId",
        "barcode",
        "email",
        "firstName",
        "lastName",
        "city",
        "zip",
        "expiresAfter",
        "expiresBefore",
    ];
    assert_eq!(blank.faults(), names.map(|name| format!("{name} must not be blank")));
    let backwards = asked(&venue, "expiresAfter=2027-05-02&expiresBefore=2027-05-01").await;
    assert_eq!(backwards.faults(), ["expiresBefore must not be before expiresAfter"]);
}
