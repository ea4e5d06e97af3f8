//! `/v2/b2b/membership/levels/{levelId}/membershipofferings`.

use crate::levels::{PATH, year};
use crate::support;
use serde_json::{Value, json};
use testkit::{delete, get, made, post, put};

#[tokio::test]
async fn an_offering_is_added_read_replaced_and_removed() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let benefits = json!([{"id": "shop", "description": "10 % off"}]);
    let level = venue.send(post(PATH, json!({"name": "Crew", "benefits": benefits}))).await;
    let below = format!("{PATH}/{}/membershipofferings", level.id());
    let added = venue.send(post(format!("{below}/"), year(&adult)).if_match(level.tag())).await;
    assert_eq!((added.id().len(), &added.body["name"]), (32, &json!("One year")));
    assert_eq!(
        added.body["effectiveBenefits"],
        json!([{"id": "shop", "description": "15 % off"}, {"id": "guest", "description": "A guest"}])
    );
    let month = venue.send(post(&below, json!({"name": "Month", "duration": 1, "id": "mine"}))).await;
    assert_ne!(month.id(), "mine");
    let list = venue.send(get(format!("{below}/?sortField=duration"))).await;
    assert_eq!(list.body["list"], json!([month.body, added.body]));
    assert_eq!(
        list.body["pagination"],
        json!({"page": 1, "pageSize": 100, "sortDirection": "asc", "sortField": "duration", "count": 2})
    );
    let one = format!("{below}/{}", added.id());
    let read = venue.send(get(&one)).await;
    assert_eq!((&read.body["id"], &read.body["offerings"]), (&json!(level.id()), &json!([added.body])));
    assert_eq!(read.etag, month.etag, "the revision is the level's");

    let longer = json!({"id": month.id(), "name": "Two months", "duration": 2});
    let updated = venue.send(put(&below, longer.clone())).await;
    let named: Vec<&Value> =
        updated.body["offerings"].as_array().unwrap().iter().map(|offering| &offering["name"]).collect();
    assert_eq!(named, ["One year", "Two months"]);
    assert_eq!(venue.send(put(&below, longer.clone()).if_match(level.tag())).await.etag, updated.etag);
    let stale = venue.send(delete(&one).if_match(level.tag())).await;
    assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    let removed = venue.send(delete(format!("{one}/"))).await;
    assert_eq!(removed.body, added.body);
    let left = venue.send(get(format!("{PATH}/{}", level.id()))).await;
    assert_eq!((left.body["offerings"].as_array().unwrap().len(), &left.etag), (1, &removed.etag));
    let mut gone = longer;
    gone["id"] = json!(added.id());
    for ask in [get(&one), delete(&one), put(&below, gone)] {
        assert_eq!(venue.send(ask.clone()).await.kind(), (404, "NOT_FOUND"), "{ask:?}");
    }
}

#[tokio::test]
async fn every_fault_of_an_offering_is_named_at_once() {
    let venue = support::open().await;
    let level = made(&venue, PATH, json!({"name": "Crew"})).await;
    let below = format!("{PATH}/{level}/membershipofferings");
    let wrong = json!({"duration": 1.5, "benefits": [{}], "priceLists": {}, "actions": [{"action": 1}]});
    let refused = venue.send(post(&below, wrong)).await;
    let mut faults = refused.faults();
    faults.sort();
    assert_eq!(
        faults,
        [
            "/actions/0/action must be a string",
            "/benefits/0/id is required",
            "/duration must be an integer",
            "/name is required",
            "/priceLists must be an array",
        ]
    );
    for (body, fault) in [
        (json!({"name": "A", "duration": 1}), "/id is required"),
        (json!({"id": "unheard-of", "name": "A", "duration": 1}), "/id was not found"),
    ] {
        let refused = venue.send(put(&below, body)).await;
        assert_eq!((refused.kind(), refused.faults()), ((404, "NOT_FOUND"), vec![fault.to_owned()]));
    }
    assert_eq!(venue.send(get(format!("{PATH}/{level}"))).await.body["offerings"], json!([]));
}
