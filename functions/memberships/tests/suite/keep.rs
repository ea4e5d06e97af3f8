//! Changing the data of card holders, and giving up cards.

use crate::members::PATH;
use crate::support::{self, card, save_membership};
use domain::CustomerId;
use domain::customer::{Customer, Person};
use engine::Fault;
use serde_json::{Value, json};
use testkit::{Answer, Ask, Venue, delete, get, put, tenant_id};
use tokio::task::JoinSet;

const SUMMARIES: &str = crate::summaries::PATH;

fn one(number: i64) -> String {
    format!("{PATH}/{}", 1_000 + number)
}

/// A membership of three cards, the first two of them linked to customers.
async fn save_family(venue: &Venue) {
    let secondary = |id, fields: Value| {
        let mut whole = card(id, fields);
        whole["card_type"] = json!("secondary");
        whole
    };
    let cards = json!([
        card(11, json!({"customer": 91})),
        secondary(12, json!({"customer": 92})),
        secondary(13, json!({})),
    ]);
    save_membership(venue, 1, 10, json!({"external_id": "HM-1", "cards": cards})).await;
    let person = Person { first_name: "Ada".to_owned(), last_name: "Early".to_owned(), ..Person::default() };
    venue
        .store
        .save_customer(tenant_id(1), "family", &Customer { id: customer_id(91), person, source: None })
        .await
        .unwrap();
}

fn customer_id(number: i64) -> CustomerId {
    CustomerId::parse(number).unwrap()
}

async fn customer(venue: &Venue, number: i64) -> Option<Customer> {
    let found = venue.store.load_customers(tenant_id(1), &[customer_id(number)]).await.unwrap();
    found.into_iter().flatten().next().map(|stored| stored.value)
}

/// The cards that are found so.
async fn found(venue: &Venue, query: &str) -> Vec<Value> {
    venue.send(get(format!("{SUMMARIES}?{query}"))).await.column("id")
}

#[tokio::test]
async fn what_is_named_changes_with_its_customer_and_everything_else_stays() {
    let venue = support::open().await;
    save_family(&venue).await;
    let before = venue.send(get(one(1))).await;
    let body = json!({"cards": [
        {"id": 11, "firstName": "Augusta", "lastName": " King ", "email": null, "phoneNumber": "555 0142",
            "streetAddress1": "18 Quay Street", "streetAddress2": "Floor 2", "city": "Portview",
            "state": "California", "zipCode": "94000", "country": "United States",
            "barcode": "other", "cardStanding": "dropped"},
        {"id": 13, "email": "third@example.test"},
    ], "membershipStanding": "lapsed", "expires": "2099-01-01", "membershipExpirationDate": "2099-01-01"});
    let changed = venue.send(put(one(1), body)).await;
    let mut expected = before.body.clone();
    let holder = &mut expected["cards"][0];
    holder["email"] = json!(null);
    for (name, value) in [
        ("name", "Augusta King"),
        ("firstName", "Augusta"),
        ("lastName", "King"),
        ("phoneNumber", "555 0142"),
        ("streetAddress1", "18 Quay Street"),
        ("streetAddress2", "Floor 2"),
        ("city", "Portview"),
        ("state", "California"),
        ("zipCode", "94000"),
        ("country", "United States"),
    ] {
        holder[name] = json!(value);
    }
    expected["cards"][2]["email"] = json!("third@example.test");
    expected["cardholders"] = expected["cards"].clone();
    expected["updatedOn"] = json!("2027-05-01T10:00:00-04:00");
    expected["updatedBy"] = json!("Back office");
    assert_eq!(changed.clone().done(), expected);
    assert_ne!(changed.etag, before.etag);
    assert_eq!(venue.send(get(one(1))).await.body, expected);
    assert_eq!(venue.send(get(one(1))).await.etag, changed.etag);
    let linked = customer(&venue, 91).await.unwrap().person;
    assert_eq!((linked.last_name.as_str(), linked.zip_code.as_deref()), ("King", Some("94000")));
    assert_eq!(customer(&venue, 92).await, None);
}

#[tokio::test]
async fn a_membership_is_found_by_what_it_has_now() {
    let venue = support::open().await;
    save_family(&venue).await;
    save_membership(&venue, 2, 20, json!({"external_id": "HM-2", "cards": []})).await;
    let body = json!({"externalMembershipId": "HM-9", "cards": [{"id": 12, "email": "new@example.test", "city": "Lyon"}]});
    venue.send(put(one(1), body)).await.done();
    assert_eq!(found(&venue, "email=new@example.test").await, [json!(12)]);
    assert_eq!(found(&venue, "email=ada12@example.test").await, Vec::<Value>::new());
    assert_eq!(found(&venue, "city=lyon").await, [json!(12)]);
    assert_eq!(
        found(&venue, "updatedStartTime=2027-05-01T13:59:59Z").await,
        [11, 12, 13].map(|id| json!(id))
    );
    let named =
        async |sent: &str| venue.store.load_memberships_named(tenant_id(1), sent).await.unwrap().len();
    assert_eq!((named("hm-9").await, named("HM-1").await), (1, 0));
    let taken = venue.send(put(one(1), json!({"externalMembershipId": "hm-2"}))).await;
    assert_eq!(
        (taken.kind(), taken.faults()),
        (
            (409, "EXTERNAL_ID_TAKEN"),
            vec!["/externalMembershipId is already used by another membership".to_owned()]
        )
    );
    assert_eq!((named("hm-9").await, named("HM-2").await), (1, 1));
    venue.send(put(one(1), json!({"externalMembershipId": " "}))).await.done();
    assert_eq!((named("hm-9").await, named("1").await), (0, 1));
}

#[tokio::test]
async fn every_fault_of_a_change_is_named_at_once() {
    let venue = support::open().await;
    save_family(&venue).await;
    let body = json!({"externalMembershipId": 7, "cards": [
        {"id": 11, "firstName": null, "lastName": " ", "email": "nobody", "city": "x".repeat(201)},
        {"id": 11, "phoneNumber": 5},
        {"id": "twelve"},
        5,
    ]});
    let refused = venue.send(put(one(1), body)).await;
    assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"));
    assert_eq!(
        refused.faults(),
        [
            "/externalMembershipId must be a string",
            "/cards/0/firstName is required",
            "/cards/0/lastName must not be blank",
            "/cards/0/email must be an e-mail address",
            "/cards/0/city must have at most 200 characters",
            "/cards/1/phoneNumber must be a string",
            "/cards/1/id is already used by another card in the list",
            "/cards/2/id must be an integer",
            "/cards/3 must be an object",
        ]
    );
    let unknown = venue.send(put(one(1), json!({"cards": [{"id": 14}, {"city": "Lyon"}, {"id": -1}]}))).await;
    assert_eq!(unknown.kind(), (404, "NOT_FOUND"));
    assert_eq!(
        unknown.faults(),
        ["/cards/0/id was not found", "/cards/1/id is required", "/cards/2/id was not found"]
    );
    let differing =
        json!({"cards": [{"id": 11, "city": "Lyon"}], "cardholders": [{"id": 11, "city": "Oslo"}]});
    let refused = venue.send(put(one(1), differing)).await;
    assert_eq!(refused.faults(), ["/cardholders must be the same as cards, or left out"]);
    let same = json!({"cards": [{"id": 13, "city": "Lyon"}], "cardholders": [{"id": 13, "city": "Lyon"}]});
    assert_eq!(venue.send(put(one(1), same)).await.done()["cards"][2]["city"], "Lyon");
    for ask in [
        put(one(2), json!({"cards": 5})),
        put(one(1), json!({})).by("key-2"),
        put(format!("{PATH}/x"), json!({})),
    ] {
        assert_eq!(venue.send(ask).await.kind(), (404, "NOT_FOUND"));
    }
    let typed = json!({"cards": [{"id": 11, "city": "4242 4242 4242 4242", "firstName": "Ada 4111111111111111",
        "streetAddress1": "4111-1111-1111-1111 Lane", "email": "4242424242424242@example.test"}]});
    let shown = venue.send(put(one(1), typed)).await.done();
    let card = &shown["cards"][0];
    assert_eq!(
        json!([card["city"], card["streetAddress1"], card["email"], card["firstName"]]),
        json!([
            "4242 4242 4242 4242",
            "4111-1111-1111-1111 Lane",
            "4242424242424242@example.test",
            "Ada ****1111"
        ])
    );
}

#[tokio::test]
async fn a_country_is_one_that_is_listed_and_kept_by_its_name() {
    let venue = support::open().await;
    save_family(&venue).await;
    let change = |country: Value| put(one(1), json!({"cards": [{"id": 11, "country": country}]}));
    for (sent, kept) in [
        (json!("US"), json!("United States")),
        (json!("deu"), json!("Germany")),
        (json!("Turkey"), json!("T\u{fc}rkiye")),
        (json!(" "), json!(null)),
        (json!("Canada"), json!("Canada")),
        (json!(null), json!(null)),
    ] {
        let shown = venue.send(change(sent.clone())).await.done();
        assert_eq!(shown["cards"][0]["country"], kept, "{sent}");
    }
    let refused = venue.send(change(json!("Neverland"))).await;
    assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"));
    assert_eq!(
        refused.faults(),
        ["/cards/0/country is not one of the countries listed at /v2/b2c/locations/avs/countries"]
    );
}

#[tokio::test]
async fn a_stale_revision_changes_nothing_and_what_is_so_already_stays() {
    let venue = support::open().await;
    save_family(&venue).await;
    let first = venue.send(get(one(1))).await;
    let rename = |name: &str| put(one(1), json!({"cards": [{"id": 11, "lastName": name}]}));
    let second = venue.send(rename("King").if_match(first.tag())).await;
    let third = venue.send(rename("Byron").if_match(second.tag())).await;
    for tag in [first.tag(), second.tag(), "\"0\""] {
        assert_eq!(venue.send(rename("Noel").if_match(tag)).await.kind(), (412, "PRECONDITION_FAILED"));
    }
    let again = venue.send(rename("Byron").if_match(first.tag())).await;
    assert_eq!((&again.body, &again.etag), (&third.body, &third.etag));
    assert_eq!(venue.send(put(one(1), json!({}))).await, again);
    let keyed = venue.send(rename("Noel").keyed("k")).await;
    let repeated = venue.send(rename("Noel").keyed("k")).await;
    assert_eq!((repeated.replayed, &repeated.body, &repeated.etag), (true, &keyed.body, &keyed.etag));
    assert_eq!(venue.send(rename("Gordon").keyed("k")).await.kind(), (409, "IDEMPOTENCY_KEY_REUSED"));
}

async fn at_once(venue: &Venue, asks: impl IntoIterator<Item = Ask>) -> Vec<Answer> {
    let mut tasks = JoinSet::new();
    for ask in asks {
        let venue = venue.clone();
        tasks.spawn(async move { venue.send(ask).await });
    }
    tasks.join_all().await
}

#[tokio::test(flavor = "multi_thread")]
async fn of_changes_at_once_none_overwrites_another() {
    let venue = support::open().await;
    save_family(&venue).await;
    for round in 0..5 {
        let name = |id: i64| format!("N{round}x{id}");
        let asks = [11, 12, 13]
            .map(|id| put(one(1), json!({"cards": [{"id": id, "lastName": name(id), "email": format!("{}@example.test", name(id))}]})));
        let answers = at_once(&venue, asks).await;
        let cards = venue.send(get(one(1))).await.body["cards"].clone();
        for (place, answer) in answers.iter().enumerate() {
            assert!(matches!(answer.status, 200 | 503), "{}", answer.body);
            let _ = place;
        }
        let mut changed = 0;
        for card in cards.as_array().unwrap() {
            let id = card["id"].as_i64().unwrap();
            if card["lastName"] == json!(name(id)) {
                changed += 1;
                assert_eq!(found(&venue, &format!("email={}@example.test", name(id))).await, [json!(id)]);
            }
        }
        assert_eq!(changed, answers.iter().filter(|answer| answer.status == 200).count());
    }
    let listed = venue.send(get(PATH)).await;
    assert_eq!(listed.column("id"), [json!(1001)]);
    let stored = venue.store.list_memberships(tenant_id(1)).await.unwrap();
    assert_eq!(stored.len(), 1);
}

#[tokio::test]
async fn a_change_whose_answer_is_lost_has_happened_once_and_one_that_died_not_at_all() {
    let venue = support::open().await;
    save_family(&venue).await;
    let before = venue.send(get(one(1))).await;
    let rename = put(one(1), json!({"cards": [{"id": 11, "lastName": "King"}]})).if_match(before.tag());
    venue.faults.reset();
    venue.faults.at_operation("TransactWriteItems", 0, Fault::AnswerLost);
    assert_eq!(venue.send(rename.clone()).await.kind(), (503, "TRY_AGAIN"));
    let happened = venue.send(get(one(1))).await;
    let changed = venue.send(rename).await;
    assert_eq!((&changed.etag, &changed.body["cards"][0]["lastName"]), (&happened.etag, &json!("King")));
    venue.faults.reset();
    venue.faults.at_operation("TransactWriteItems", 0, Fault::CrashBefore);
    assert_eq!(
        venue.send(put(one(1), json!({"cards": [{"id": 11, "lastName": "Byron"}]}))).await.status,
        503
    );
    venue.faults.restart();
    assert_eq!(venue.send(get(one(1))).await.etag, changed.etag);
    assert_eq!(customer(&venue, 91).await.unwrap().person.last_name, "King");
}

#[tokio::test]
async fn a_card_that_is_given_up_stays_listed_and_is_found_no_more() {
    let venue = support::open().await;
    save_family(&venue).await;
    let card = |id: i64| format!("{}/cards/{id}", one(1));
    let primary = venue.send(delete(card(11))).await;
    assert_eq!((primary.kind(), &primary.body["errorCode"]), ((409, "PRIMARY_CARD_NEEDED"), &json!(20051)));
    let before = venue.send(get(one(1))).await;
    for wrong in [card(14), card(0), format!("{}/cards/x", one(1)), format!("{}/cards/12", one(2))] {
        assert_eq!(venue.send(delete(wrong.as_str())).await.kind(), (404, "NOT_FOUND"), "{wrong}");
    }
    assert_eq!(venue.send(delete(card(12)).by("key-2")).await.kind(), (404, "NOT_FOUND"));
    assert_eq!(venue.send(delete(card(12)).if_match("\"0\"")).await.kind(), (412, "PRECONDITION_FAILED"));
    assert_eq!(venue.send(get(one(1))).await, before);
    let dropped = venue.send(delete(card(12)).if_match(before.tag())).await;
    let standings: Vec<_> =
        dropped.body["cards"].as_array().unwrap().iter().map(|card| card["cardStanding"].clone()).collect();
    assert_eq!(standings, ["active", "dropped", "active"]);
    assert_eq!(dropped.body["updatedBy"], "Back office");
    for query in ["barcode=B12", "email=ada12@example.test"] {
        assert_eq!(found(&venue, query).await, Vec::<Value>::new(), "{query}");
    }
    assert_eq!(venue.send(delete(card(12))).await.kind(), (404, "NOT_FOUND"));
    venue.send(delete(card(13))).await.done();
    venue.send(delete(card(11))).await.done();
    assert_eq!(found(&venue, "membershipId=1").await, [11, 12, 13].map(|id| json!(id)));
    assert_eq!(found(&venue, "barcode=B11").await, Vec::<Value>::new());
    save_membership(&venue, 3, 30, json!({"cards": [crate::support::card(31, json!({"barcode": "B12"}))]}))
        .await;
    assert_eq!(found(&venue, "barcode=B12").await, [json!(31)]);
}

#[tokio::test]
async fn a_change_costs_two_calls_and_a_third_where_customers_change() {
    let venue = support::open().await;
    save_family(&venue).await;
    venue.send(put(one(1), json!({"cards": [{"id": 13, "city": "Nice"}]}))).await.done();
    for (ask, calls) in [
        (put(one(1), json!({"cards": [{"id": 13, "city": "Lyon"}]})), 2),
        (put(one(1), json!({"cards": [{"id": 13, "city": "Lyon"}]})), 1),
        (put(one(1), json!({"cards": [{"id": 11, "city": "Lyon"}]})), 3),
        (delete(format!("{}/cards/13", one(1))), 2),
    ] {
        let (answer, made) = venue.counted(ask.clone()).await;
        assert_eq!((answer.status, made), (200, calls), "{ask:?}");
    }
}

#[tokio::test]
async fn the_largest_membership_is_changed_with_everything_it_is_found_by() {
    let venue = support::open().await;
    let cards: Vec<Value> =
        (1..=50).map(|id| card(id, json!({"card_type": "secondary", "customer": 500 + id}))).collect();
    save_membership(&venue, 1, 10, json!({"cards": cards})).await;
    let edits: Vec<Value> =
        (1..=50).map(|id| json!({"id": id, "email": format!("new{id}@example.test")})).collect();
    venue.send(put(one(1), json!({"cards": edits}))).await.done();
    for id in [1, 25, 50] {
        assert_eq!(found(&venue, &format!("email=new{id}@example.test")).await, [json!(id)]);
        assert_eq!(found(&venue, &format!("email=ada{id}@example.test")).await, Vec::<Value>::new());
        assert_eq!(
            customer(&venue, 500 + id).await.unwrap().person.email,
            Some(format!("new{id}@example.test"))
        );
    }
    assert_eq!(venue.send(get(PATH)).await.column("id"), [json!(1001)]);
}
