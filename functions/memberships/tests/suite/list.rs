//! The list of levels and its parameters.

use crate::levels::{PATH, channel};
use crate::support;
use serde_json::{Value, json};
use testkit::{Answer, Venue, get, post};

const REQUIRED: &str = "isPublished=true&salesChannels=online";

async fn asked(venue: &Venue, query: &str) -> Answer {
    venue.send(get(format!("{PATH}?{query}"))).await
}

async fn named(venue: &Venue, query: &str) -> Vec<Value> {
    asked(venue, query).await.column("name")
}

async fn save(venue: &Venue, name: &str, fields: Value) -> String {
    let mut level = json!({"name": name, "state": "published"});
    for (name, value) in fields.as_object().unwrap() {
        level[name] = value.clone();
    }
    venue.send(post(PATH, level)).await.id()
}

#[tokio::test]
async fn every_fault_of_the_parameters_is_named_at_once() {
    let venue = support::open().await;
    let missing = asked(&venue, "").await;
    assert_eq!(missing.kind(), (400, "VALIDATION_ERROR"));
    assert_eq!(missing.faults(), ["isPublished is required", "salesChannels is required"]);
    let blank = "summarize=&membershipLevelGroup=%20&action=&auxiliary=%09&excludeLevelsWithACollection=\
                 &collectionId=%20";
    let blank = asked(&venue, &format!("{REQUIRED}&{blank}")).await;
    let names = [
        "summarize",
        "membershipLevelGroup",
        "action",
        "auxiliary",
        "excludeLevelsWithACollection",
        "collectionId",
    ];
    assert_eq!(blank.faults(), names.map(|name| format!("{name} must not be blank")));
    let wrong = asked(
        &venue,
        "isPublished=yes&salesChannels=online,kiosk&page=0&pageSize=0&sortField=age&sortDirection=up&summarize=1\
         &membershipLevelGroup=family&action=new&auxiliary=x&excludeLevelsWithACollection=y",
    )
    .await;
    let fields: Vec<&str> = wrong.body["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["field"].as_str().unwrap())
        .collect();
    assert_eq!(
        fields,
        [
            "isPublished",
            "salesChannels",
            "page",
            "pageSize",
            "sortField",
            "sortDirection",
            "summarize",
            "membershipLevelGroup",
            "action",
            "auxiliary",
            "excludeLevelsWithACollection",
        ]
    );
    let both = asked(&venue, &format!("{REQUIRED}&excludeLevelsWithACollection=true&collectionId=c1")).await;
    assert_eq!((both.kind(), &both.body["errorCode"]), ((400, "COMBINATION_NOT_SUPPORTED"), &json!(20038)));
}

#[tokio::test]
async fn levels_are_filtered_by_every_parameter() {
    let venue = support::open().await;
    let way = |actions: Value| json!([{"name": "Year", "duration": 12, "actions": actions}]);
    save(&venue, "a draft", json!({"state": "draft"})).await;
    save(&venue, "b plain", json!({"offerings": way(json!(null))})).await;
    save(&venue, "c counter", json!({"salesChannels": channel("pointOfSale")})).await;
    save(&venue, "d firm", json!({"membershipLevelGroup": "organization"})).await;
    save(&venue, "e child", json!({"auxiliary": true})).await;
    save(&venue, "f river", json!({"membershipLevelCollection": [{"id": "c1"}, {"id": "c2"}]})).await;
    let renewed = json!([{"action": "renew", "salesChannels": channel("online")}, {"action": "new"}]);
    save(&venue, "g renewed", json!({"offerings": way(renewed)})).await;
    let all = ["b plain", "d firm", "f river", "g renewed"];
    for (query, expected) in [
        (REQUIRED.to_owned(), &all[..]),
        ("isPublished=False&salesChannels=ONLINE".to_owned(), &["a draft"]),
        (
            "isPublished=true&salesChannels=customerRep, pointOfSale".replace(' ', "%20"),
            &["b plain", "c counter", "d firm", "f river", "g renewed"],
        ),
        (format!("{REQUIRED}&membershipLevelGroup=organization"), &["d firm"]),
        (
            format!("{REQUIRED}&membershipLevelGroup=INDIVIDUALANDFAMILY"),
            &["b plain", "f river", "g renewed"],
        ),
        (format!("{REQUIRED}&auxiliary=true"), &["e child"]),
        (format!("{REQUIRED}&auxiliary=false"), &all),
        (format!("{REQUIRED}&collectionId=c2"), &["f river"]),
        (format!("{REQUIRED}&collectionId=c9"), &[]),
        (format!("{REQUIRED}&excludeLevelsWithACollection=true"), &["b plain", "d firm", "g renewed"]),
        (format!("{REQUIRED}&excludeLevelsWithACollection=false"), &all),
        (format!("{REQUIRED}&action=NEW_MEMBERSHIPS"), &["b plain", "g renewed"]),
        (format!("{REQUIRED}&action=renew"), &["b plain", "g renewed"]),
        (format!("{REQUIRED}&action=AFTER_TERM_RENEW"), &["b plain", "g renewed"]),
        (format!("{REQUIRED}&action=REJOIN"), &["b plain", "g renewed"]),
        (format!("{REQUIRED}&action=UPGRADE"), &["b plain"]),
        (format!("{REQUIRED}&action=DOWNGRADE"), &["b plain"]),
        (format!("{REQUIRED}&action=CANCELLATION"), &["b plain"]),
        ("isPublished=true&salesChannels=insideSalesIndividual&action=RENEW".to_owned(), &["b plain"]),
        (format!("{REQUIRED}&sortDirection=desc&pageSize=1&page=2"), &["f river"]),
        (format!("{REQUIRED}&sortField=membershipLevelGroup&pageSize=-1&sortDirection=desc"), &["d firm"]),
    ] {
        let found = named(&venue, &query).await;
        let found = if query.contains("sortField") { &found[..1] } else { &found[..] };
        assert_eq!(found, expected, "{query}");
    }
    assert_eq!(venue.send(get(format!("{PATH}?{REQUIRED}")).by("key-2")).await.body["list"], json!([]));
}

#[tokio::test]
async fn a_summary_has_neither_metadata_nor_configuration() {
    let venue = support::open().await;
    let adult = testkit::made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    save(&venue, "Crew", json!({"offerings": [crate::levels::year(&adult)], "service": {"id": "s"}})).await;
    let fields = |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let list = asked(&venue, &format!("{REQUIRED}&summarize=true")).await;
    let level = &list.body["list"][0];
    assert_eq!(
        fields(level),
        [
            "auxiliary",
            "benefits",
            "description",
            "id",
            "membershipLevelGroup",
            "name",
            "offerings",
            "shortDescription",
            "state",
        ]
    );
    let offering = &level["offerings"][0];
    assert_eq!(
        fields(offering),
        ["benefits", "description", "duration", "effectiveBenefits", "id", "name", "priceLists", "subtitle"]
    );
    assert_eq!(
        fields(&offering["priceLists"][0]["prices"][0]),
        ["discountedPrice", "displayOrder", "personType", "price", "pricePoint", "primePrice"]
    );
    let full = asked(&venue, REQUIRED).await;
    assert!(full.body["list"][0]["rules"].is_object());
}

#[tokio::test(start_paused = true)]
async fn three_hundred_levels_are_few_calls_and_a_new_one_moves_no_other_to_another_place() {
    let venue = support::open().await;
    let mut ids = Vec::new();
    for _ in 0..300 {
        let offerings = json!([{"name": "Year", "duration": 12}, {"name": "Two years", "duration": 24}]);
        ids.push(save(&venue, "Same", json!({"offerings": offerings, "description": "x".repeat(400)})).await);
    }
    ids.sort();
    let (all, calls) = venue.counted(get(format!("{PATH}?{REQUIRED}&pageSize=-1"))).await;
    assert_eq!((all.column("id"), calls), (ids.iter().map(|id| json!(id)).collect(), 3));
    assert_eq!(all.body["pagination"]["count"], 300);
    let mut paged = Vec::new();
    for page in 1..=4 {
        paged.extend(asked(&venue, &format!("{REQUIRED}&page={page}&pageSize=90")).await.column("id"));
    }
    assert_eq!(paged, all.column("id"));
    save(&venue, "Same", json!({})).await;
    let after = asked(&venue, &format!("{REQUIRED}&pageSize=-1")).await.column("id");
    assert_eq!(after.into_iter().filter(|id| paged.contains(id)).collect::<Vec<_>>(), paged);
}
