//! `/v2/b2b/forms`.

use crate::support::{self, assert_refused, without_id};
use serde_json::{Value, json};
use testkit::{delete, get, made, post, put};

const PATH: &str = "/v2/b2b/forms";

fn visit() -> Value {
    json!({"name": "School visit", "description": "For our guides", "oncePerCart": true, "required": true,
    "fields": [
        {"name": "school", "label": "Name of the school", "type": "text", "required": true, "options": null},
        {"name": "pupils", "label": "Pupils", "type": "number", "required": false,
            "options": null},
        {"name": "tour", "label": "Tour", "type": "choice", "required": false, "options": ["Ships", "Knots"]},
        {"name": "first", "label": "First visit", "type": "checkbox", "required": false,
            "options": null},
        {"name": "arrival", "label": "Arrival", "type": "date", "required": false, "options": null},
    ]})
}

#[tokio::test]
async fn a_form_is_created_read_replaced_and_deleted() {
    let venue = support::open().await;
    let first = venue.send(post(PATH, visit())).await;
    let one = format!("{PATH}/{}", first.id());
    assert_eq!(without_id(&first.body), visit());
    assert_eq!(venue.send(get(&one)).await.body, first.body);
    assert_eq!(venue.send(put(&one, first.body.clone())).await.etag, first.etag, "what is shown can be sent");
    let short =
        json!({"name": "B", "fields": [{"name": " size ", "type": "CHOICE", "options": [" S ", "M"]}]});
    let changed = venue.send(put(&one, short)).await;
    assert_eq!(
        without_id(&changed.body),
        json!({"name": "B", "description": "", "oncePerCart": false, "required": false,
            "fields": [{"name": "size", "label": "size", "type": "choice", "required": false,
                "options": ["S", "M"]}]})
    );
    assert_eq!(venue.send(get(PATH)).await.body["list"], json!([changed.body]));
    assert_eq!(venue.send(delete(&one)).await.done(), changed.body);
    assert_eq!(venue.send(get(&one)).await.status, 404);
}

#[tokio::test]
async fn every_fault_of_a_form_is_named() {
    let venue = support::open().await;
    let one = format!("{PATH}/{}", made(&venue, PATH, visit()).await);
    let field = |field: Value| json!({ "fields": [field] });
    let options = |options: Value| field(json!({"name": "a", "type": "choice", "options": options}));
    let many = |count: usize| -> Vec<Value> {
        (0..count).map(|number| json!({"name": format!("f{number}"), "type": "text"})).collect()
    };
    let words = |count: usize| (0..count).map(|number| json!(format!("o{number}"))).collect::<Vec<_>>();
    for (wrong, expected) in [
        (json!({"name": null}), &["/name is required"][..]),
        (
            json!({"oncePerCart": "no", "required": 0}),
            &["/oncePerCart must be true or false", "/required must be true or false"],
        ),
        (json!({"fields": null}), &["/fields must have at least one entry"]),
        (json!({"fields": []}), &["/fields must have at least one entry"]),
        (json!({"fields": {}}), &["/fields must be an array"]),
        (json!({"fields": many(51)}), &["/fields must have at most 50 entries"]),
        (field(json!({"type": "text"})), &["/fields/0/name is required"]),
        (
            field(json!({"name": "x".repeat(101), "type": "text"})),
            &["/fields/0/name must have at most 100 characters"],
        ),
        (field(json!({"name": "a"})), &["/fields/0/type is required"]),
        (
            field(json!({"name": "a", "type": "colour"})),
            &["/fields/0/type must be one of text, number, choice, checkbox, date"],
        ),
        (
            json!({"fields": [{"name": "a", "type": "text"}, {"name": "b", "type": "text"}, {"name": "A", "type": "date"}]}),
            &["/fields/2/name is already used by another field"],
        ),
        (
            field(json!({"name": "a", "type": "choice"})),
            &["/fields/0/options is required for a choice field"],
        ),
        (options(json!([])), &["/fields/0/options is required for a choice field"]),
        (options(json!("S")), &["/fields/0/options must be an array"]),
        (options(json!(["S", " "])), &["/fields/0/options/1 must not be blank"]),
        (options(json!(["S", "S"])), &["/fields/0/options/1 is already in the list"]),
        (options(json!(["S", 7])), &["/fields/0/options/1 must be a string"]),
        (options(json!(["x".repeat(101)])), &["/fields/0/options/0 must have at most 100 characters"]),
        (options(json!(words(101))), &["/fields/0/options must have at most 100 entries"]),
        (
            field(json!({"name": "a", "type": "text", "options": ["S"]})),
            &["/fields/0/options is only for choice fields"],
        ),
    ] {
        assert_refused(&venue, PATH, &one, &visit(), &wrong, expected).await;
    }
}

/// An item of the database has an end.
#[tokio::test]
async fn a_form_that_is_too_large_to_be_kept_is_refused() {
    let venue = support::open().await;
    let options: Vec<String> = (0..100).map(|number| format!("{number:\u{1F6A2}>100}")).collect();
    let fields: Vec<Value> = (0..50)
        .map(|number| json!({"name": format!("f{number}"), "type": "choice", "options": options}))
        .collect();
    let refused = venue.send(post(PATH, json!({"name": "Ships", "fields": fields}))).await;
    assert_eq!(refused.kind(), (413, "PAYLOAD_TOO_LARGE"), "{}", refused.body);
    assert_eq!(venue.send(get(PATH)).await.body["list"], json!([]));
}
