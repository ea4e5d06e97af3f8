//! Listing memberships, and reading one.

use crate::support::{self, card, noon, save_membership};
use domain::LevelId;
use serde_json::{Value, json};
use store::{Action, AttributeValue, Expression, Key, encode};
use testkit::{Answer, Venue, catalog, get, tenant_id};

pub(crate) const PATH: &str = "/v2/b2b/memberships";

async fn asked(venue: &Venue, query: &str) -> Answer {
    venue.send(get(format!("{PATH}?{query}"))).await
}

async fn ids(venue: &Venue, query: &str) -> Vec<Value> {
    asked(venue, query).await.column("id")
}

/// A level with one way to buy it, and the ticket type it costs something for.
async fn save_level(venue: &Venue) {
    let fields = json!({
        "service": {"id": "s", "program": "Friends", "category": "Family"},
        "offerings": [{"id": "year", "name": "One year", "price_lists": [], "duration_months": 12}],
    });
    let level = catalog::level("crew", "Crew", fields);
    venue.store.save_level(tenant_id(1), &level).await.unwrap();
    let adult = catalog::person_type("adult", "Adult");
    venue.store.save_person_type(tenant_id(1), &adult).await.unwrap();
}

#[tokio::test]
async fn a_membership_is_shown_with_its_names_and_its_cards_by_id_and_by_number() {
    let venue = support::open().await;
    save_level(&venue).await;
    let cards = json!([card(10_001, json!({"standing": "dropped"}))]);
    save_membership(&venue, 1, 0, json!({"external_id": "HM-1", "cards": cards})).await;
    let found = venue.send(get(format!("{PATH}/1001"))).await;
    let term = json!({
        "membershipJoinedDate": "2027-01-01T00:00:00-05:00",
        "membershipStartDate": "2027-01-01T00:00:00-05:00",
        "membershipExpirationDate": "2027-12-31T23:59:59-05:00",
        "membershipStanding": "lapsed", "categoryId": "crew", "membershipCategory": "Crew",
        "offeringId": "year", "pricePointId": "adult", "serviceMembershipNumber": "1",
        "externalMembershipId": "HM-1", "auxiliary": false,
    });
    let mut shown = json!({
        "id": 1001, "offeringName": "One year", "pricePointName": "Adult",
        "createdOn": "2027-03-31T20:00:00-04:00", "updatedOn": "2027-03-31T20:00:00-04:00", "updatedBy": "Import",
        "isGift": false, "gifterInfo": null,
    });
    let mut entry = json!({
        "id": 10_001, "membershipId": 1001, "cardType": "primary", "cardStanding": "dropped",
        "name": "Ada Lovelace10001", "firstName": "Ada", "lastName": "Lovelace10001", "barcode": "B10001",
        "serviceBarcode": "B10001", "email": "ada10001@example.test", "primaryCard": true,
        "cardStartDate": "2027-01-01T00:00:00-05:00", "cardExpirationDate": "2027-12-31T23:59:59-05:00",
        "constituentImportId": null, "serviceCustomerNumber": null, "customerId": null, "phoneNumber": null,
        "streetAddress1": null, "streetAddress2": null, "city": null, "state": null, "zipCode": null,
        "country": null,
    });
    for value in [&mut shown, &mut entry] {
        value.as_object_mut().unwrap().extend(term.as_object().unwrap().clone());
    }
    shown["cards"] = json!([entry]);
    shown["cardholders"] = json!([entry]);
    assert_eq!(found.clone().done(), shown);
    assert_eq!(venue.send(get(format!("{PATH}/1"))).await, found);
    assert_eq!(asked(&venue, "").await.done()["list"], json!([shown]));
    for path in ["2", "1002", "0", "-1", "x", "9007199254740993"] {
        assert_eq!(venue.send(get(format!("{PATH}/{path}"))).await.kind(), (404, "NOT_FOUND"), "{path}");
    }
    assert_eq!(venue.send(get(format!("{PATH}/1001")).by("key-2")).await.kind(), (404, "NOT_FOUND"));
    assert_eq!(venue.send(get(PATH).by("key-2")).await.done()["list"], json!([]));
}

#[tokio::test]
async fn memberships_are_listed_by_the_range_of_their_change_their_service_and_their_author() {
    let venue = support::open().await;
    save_level(&venue).await;
    for (number, second) in [(1, 10), (2, 20), (3, 30)] {
        save_membership(&venue, number, second, json!({})).await;
    }
    save_membership(&venue, 2, 40, json!({"created_at": "2027-04-01T00:00:20Z", "updated_by": "Desk"})).await;
    save_membership(&venue, 4, 50, json!({"level": "gone"})).await;
    let at = |second: u32| format!("2027-04-01T00:00:{second:02}Z");
    for (query, expected) in [
        (String::new(), &[1001, 1002, 1003, 1004][..]),
        ("sortDirection=desc".to_owned(), &[1004, 1003, 1002, 1001]),
        ("sortField=updatedOn".to_owned(), &[1001, 1003, 1002, 1004]),
        ("sortField=ID&sortDirection=DESC&pageSize=3".to_owned(), &[1004, 1003, 1002]),
        ("sortField=membershipExpirationDate&pageSize=-1".to_owned(), &[1001, 1002, 1003, 1004]),
        (format!("updatedStartTime={}", at(30)), &[1002, 1003, 1004]),
        (format!("updatedStartTime={}", at(31)), &[1002, 1004]),
        (format!("updatedEndTime={}", at(30)), &[1001, 1003]),
        (format!("updatedEndTime={}", at(9)), &[]),
        (format!("updatedStartTime={}&updatedEndTime={}", at(20), at(40)), &[1002, 1003]),
        ("updatedStartTime=2027-03-31T20:00:35".to_owned(), &[1002, 1004]),
        ("updatedBy=desk".to_owned(), &[1002]),
        ("program=friends".to_owned(), &[1001, 1002, 1003]),
        ("program=Friends&category=Family&updatedBy=Import".to_owned(), &[1001, 1003]),
        ("program=Friends&subCategory=Family".to_owned(), &[]),
        ("category=Patrons".to_owned(), &[]),
    ] {
        let answer = asked(&venue, &query).await;
        assert_eq!(answer.column("id"), expected.iter().map(|id| json!(id)).collect::<Vec<_>>(), "{query}");
    }
    let ahead = json!({"level": "gone", "later": [{
        "plan": {"level": "crew", "offering": "year", "price_point": "adult"},
        "starts": "2028-01-01T05:00:00Z", "ends": "2029-01-01T04:59:59Z",
    }]});
    save_membership(&venue, 4, 50, ahead).await;
    for (now, expected) in
        [("2027-12-31", &[1001, 1002, 1003][..]), ("2028-01-01", &[1001, 1002, 1003, 1004])]
    {
        let found = venue.send(get(format!("{PATH}?program=friends")).at(&noon(now))).await;
        assert_eq!(found.column("id"), expected.iter().map(|id| json!(id)).collect::<Vec<_>>(), "{now}");
    }
    assert_eq!(
        asked(&venue, "pageSize=3&page=2").await.body["pagination"],
        json!({
            "page": 2, "pageSize": 3, "sortDirection": "asc", "sortField": "createdOn", "count": 4,
        })
    );
}

#[tokio::test]
async fn every_fault_of_the_parameters_of_a_list_is_named_at_once() {
    let venue = support::open().await;
    let wrong = asked(
        &venue,
        "updatedStartTime=soon&updatedEndTime=never&page=0&pageSize=0&sortField=age&sortDirection=up",
    )
    .await;
    assert_eq!(wrong.kind(), (400, "VALIDATION_ERROR"));
    let fields: Vec<String> =
        wrong.faults().iter().map(|fault| fault.split(' ').next().unwrap().to_owned()).collect();
    let expected = ["updatedStartTime", "updatedEndTime", "page", "pageSize", "sortField", "sortDirection"];
    assert_eq!(fields, expected);
    let blank = "updatedStartTime=&updatedEndTime=%20&program=&category=%20&subCategory=&updatedBy=&page=";
    let blank = asked(&venue, blank).await;
    let names =
        ["updatedStartTime", "updatedEndTime", "program", "category", "subCategory", "updatedBy", "page"];
    assert_eq!(blank.faults(), names.map(|name| format!("{name} must not be blank")));
    let backwards = asked(&venue, "updatedStartTime=2027-05-02&updatedEndTime=2027-05-01").await;
    assert_eq!(backwards.faults(), ["updatedEndTime must not be before updatedStartTime"]);
}

#[tokio::test]
async fn pages_neither_repeat_nor_lose_a_membership_while_others_are_added_and_changed() {
    let venue = support::open().await;
    // Ids that go down, so that only the order of making keeps new ones last; pairs are made at one moment.
    for number in 0..40_i64 {
        save_membership(&venue, 500 - number, number / 2, json!({})).await;
    }
    for path in [PATH, crate::summaries::PATH] {
        let mut seen: Vec<Value> = Vec::new();
        for page in 1..=5_i64 {
            let list = venue.send(get(format!("{path}?pageSize=9&page={page}"))).await;
            let name = if path == PATH { "id" } else { "membershipId" };
            seen.extend(list.column(name));
            // Between the pages one is made, and one of those that were shown already changes.
            save_membership(&venue, 400 - page, 100 + page, json!({})).await;
            let changed =
                json!({"created_at": "2027-04-01T00:00:00Z", "external_id": format!("{path}{page}")});
            save_membership(&venue, 500, 200 + page, changed).await;
        }
        let first: Vec<Value> = seen.iter().take(40).cloned().collect();
        let mut each = first.clone();
        each.sort_by_key(Value::to_string);
        each.dedup();
        assert_eq!((first.len(), each.len()), (40, 40), "{path}");
        let expected: Vec<i64> = (0..40).collect();
        let mut numbers: Vec<i64> = first.iter().map(|id| 1500 - id.as_i64().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, expected, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_reads_what_it_looks_at_and_the_memberships_of_its_page() {
    let venue = support::open().await;
    save_level(&venue).await;
    for number in 0..250 {
        save_membership(&venue, number + 1, number, json!({})).await;
    }
    asked(&venue, "").await.done();
    for (query, count, calls) in [
        ("pageSize=100", 250, 2),
        ("pageSize=7&page=3", 250, 2),
        ("updatedStartTime=2027-04-01T00:04:00Z", 10, 2),
        ("updatedBy=nobody", 0, 1),
        ("pageSize=-1", 250, 4),
    ] {
        let (answer, made) = venue.counted(get(format!("{PATH}?{query}"))).await;
        assert_eq!((&answer.body["pagination"]["count"], made), (&json!(count), calls), "{query}");
    }
    let (answer, made) = venue.counted(get(format!("{PATH}/1001"))).await;
    assert_eq!((answer.status, made), (200, 1));
}

#[tokio::test]
async fn more_than_an_answer_holds_is_refused() {
    let venue = support::open().await;
    let person = json!({"first_name": "x".repeat(20_000), "last_name": "Long"});
    let cards = json!([card(1, json!({"person": person}))]);
    for number in 0..160 {
        save_membership(&venue, number + 1, number, json!({"cards": cards})).await;
    }
    for path in [PATH, crate::summaries::PATH] {
        let refused = venue.send(get(format!("{path}?pageSize=-1"))).await;
        assert_eq!(refused.kind(), (400, "RESPONSE_TOO_LARGE"), "{path}");
        assert_eq!(venue.send(get(format!("{path}?pageSize=20"))).await.column("id").len(), 20);
    }
}

/// Writes what earlier versions wrote of a membership: a record without stamps or revision, its copy by number, and
/// a mark in the list.
async fn save_early(venue: &Venue, number: i64) {
    let tenant = tenant_id(1);
    let early = catalog::membership(json!({
        "id": 1_000 + number, "number": number, "level": "crew", "offering": "year", "price_point": "adult",
        "cards": [card(10_000 + number, json!({}))],
    }));
    let (id, number) = (early.id, early.number);
    for key in [Key::membership(tenant, id), Key::membership_number(tenant, number)] {
        let mut item = encode(&key, &early).unwrap();
        item.remove("created_at");
        item.remove("updated_at");
        venue.store.write(&key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
    }
    let mark = Key { sk: format!("{:016}", id.get()), ..Key::membership_listed(tenant, early.started, id) };
    let bought = json!({"id": id, "bought": {"level": LevelId::parse("crew").unwrap(), "offering": "year"}});
    let item = encode(&mark, &bought).unwrap();
    venue.store.write(&mark, Action::Put(item, Expression::new())).await.unwrap().unwrap();
    let email = Key::membership_of_email(tenant, &store::order::email_hash("early@example.test"), id);
    let item = encode(&email, &json!({"level": "crew"})).unwrap();
    venue.store.write(&email, Action::Put(item, Expression::new())).await.unwrap().unwrap();
}

#[tokio::test]
async fn memberships_that_earlier_versions_stored_are_listed_first_and_changed_like_others() {
    let venue = support::open().await;
    save_membership(&venue, 7, 7, json!({})).await;
    save_early(&venue, 5).await;
    assert_eq!(ids(&venue, "").await, [json!(1005), json!(1007)]);
    assert_eq!(ids(&venue, "updatedEndTime=2027-04-01T00:00:00Z").await, [json!(1005)]);
    assert_eq!(ids(&venue, "updatedStartTime=2000-01-01").await, [json!(1007)]);
    let by_email = format!("{}?email=early@example.test", crate::summaries::PATH);
    // The address of the mark is none of the card's.
    assert_eq!(venue.send(get(by_email)).await.column("id"), Vec::<Value>::new());
    let found = venue.send(get(format!("{PATH}/1005"))).await;
    let ask = testkit::put(format!("{PATH}/1005"), json!({"externalMembershipId": "HM-5"}));
    let changed = venue.send(ask.if_match(found.tag())).await;
    assert_eq!(changed.clone().done()["externalMembershipId"], "HM-5");
    assert_eq!(ids(&venue, "updatedStartTime=2000-01-01").await, [json!(1005), json!(1007)]);
    assert_eq!(ids(&venue, "").await, [json!(1005), json!(1007)]);
    let place = Key::membership_listed(tenant_id(1), domain::Timestamp::UNIX_EPOCH, membership_id(1005));
    let left: Option<std::collections::HashMap<String, AttributeValue>> =
        venue.store.get_item(&place, store::Consistency::Strong).await.unwrap();
    assert_eq!(left, None);
}

fn membership_id(number: i64) -> domain::MembershipId {
    domain::MembershipId::parse(number).unwrap()
}
