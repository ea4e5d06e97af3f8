//! `/v2/b2b/event/templates/summaries`.

use crate::support;
use serde_json::{Value, json};
use testkit::{Venue, get, made};

const PATH: &str = "/v2/b2b/event/templates/summaries";

async fn template(venue: &Venue, fields: Value) -> String {
    let mut body = json!({
        "name": "Tour", "description": "Around the harbor", "duration": {"hour": 1}, "capacity": 10,
        "startTime": "2027-06-05T20:00:00", "endTime": "2027-06-06T20:00:00",
    });
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    made(venue, "/v2/b2b/event/templates", body).await
}

#[tokio::test]
async fn a_template_in_short_has_what_there_is_to_choose_by() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let images = json!([{"id": "a", "description": ""}, {"id": "b", "description": "", "primary": true}]);
    let price = json!({"personType": {"id": adult}, "price": "30.00",
        "salesChannels": [{"channel": "kiosk", "enabled": true}]});
    let fields = json!({"images": images, "colorCategory": "blue", "stars": 4, "ratings": 17,
        "priceLists": [{"id": "day", "name": "Day", "prices": [price]}]});
    let id = template(&venue, fields).await;
    let whole = venue.send(get(format!("/v2/b2b/event/templates/{id}"))).await.done();
    let listed = venue.send(get(PATH)).await;
    let mut expected = json!({"primaryImage": {"id": "b", "description": "", "primary": true}});
    for name in [
        "id",
        "name",
        "description",
        "shortDescription",
        "admissionType",
        "startTime",
        "endTime",
        "priceLists",
        "reviewState",
        "ticketDetails",
        "customFields",
        "colorCategory",
        "ratings",
        "stars",
    ] {
        expected[name] = whole[name].clone();
    }
    assert_eq!(listed.body["list"], json!([expected]));
    assert_eq!(expected["priceLists"][0]["prices"].as_array().unwrap().len(), 1, "whatever its channel");
    assert_eq!(venue.send(get(PATH)).await.calls.rounds, 0, "from the cached catalog");
}

#[tokio::test]
async fn templates_in_short_are_asked_for_by_time_type_and_state() {
    let venue = support::open().await;
    let draft = template(&venue, json!({"displayOrder": 1})).await;
    let secret = template(&venue, json!({"displayOrder": 2, "type": "private"})).await;
    let open = json!({"displayOrder": 3, "reviewState": "Published", "startTime": "2027-08-05T20:00:00",
        "endTime": null});
    let open = template(&venue, open).await;
    for (query, expected) in [
        ("", vec![&draft, &open]),
        ("type=all", vec![&draft, &secret, &open]),
        ("type=private", vec![&secret]),
        ("reviewState=draft", vec![&draft]),
        ("reviewState=Published", vec![&open]),
        ("startTime=2027-06-06", vec![&draft]),
        ("startTime=2027-06-07", vec![]),
        ("startTime=2027-06-07&endTime=2027-08-06", vec![&open]),
        ("endTime=2027-01-01", vec![&draft, &open]),
        ("sortDirection=desc&pageSize=1", vec![&open]),
    ] {
        let listed = venue.send(get(format!("{PATH}?{query}"))).await.column("id");
        let expected: Vec<Value> = expected.into_iter().map(|id| json!(id)).collect();
        assert_eq!(listed, expected, "{query}");
    }
    let faulty = venue.send(get(format!("{PATH}?endTime=x&type=x&reviewState=x&sortField=x"))).await;
    assert_eq!(faulty.pointers(), ["endTime", "type", "reviewState", "sortField"]);
    assert_eq!(venue.send(get(PATH).by("key-2")).await.done()["list"], json!([]));
}
