//! `/v2/b2b/discounts`.

use crate::support::{self, assert_refused, without_id};
use serde_json::{Value, json};
use testkit::{delete, get, made, post, put};

const PATH: &str = "/v2/b2b/discounts";

fn value(ticket_type: &str, kind: &str, value: impl Into<Value>) -> Value {
    json!({"personTypeId": ticket_type, "discountType": kind, "value": value.into()})
}

#[tokio::test]
async fn a_discount_is_created_read_replaced_and_deleted() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let child = made(&venue, "/v2/b2b/persontypes", json!({"name": "Child"})).await;
    let sent = json!({"name": "Member admission", "description": "Off admission", "code": "MEMBER",
        "values": [value(&adult, "PERCENT", 12.5), value(&child, "fixedPrice", "3")]});
    let first = venue.send(post(PATH, sent)).await;
    let one = format!("{PATH}/{}", first.id());
    let shown = json!({"name": "Member admission", "description": "Off admission", "code": "MEMBER",
        "values": [value(&adult, "percent", "12.50"), value(&child, "fixedPrice", "3.00")]});
    assert_eq!(without_id(&first.body), shown);
    assert_eq!(venue.send(get(&one)).await.body, first.body);
    assert_eq!(venue.send(put(&one, first.body.clone())).await.etag, first.etag, "what is shown can be sent");
    let changed =
        venue.send(put(&one, json!({"name": "B", "values": [value(&adult, "amount", "0.01")]}))).await;
    assert_eq!(
        without_id(&changed.body),
        json!({"name": "B", "description": "", "code": "", "values": [value(&adult, "amount", "0.01")]})
    );
    assert_eq!(venue.send(get(PATH)).await.body["list"], json!([changed.body]));
    assert_eq!(venue.send(delete(&one)).await.done(), changed.body);
    assert_eq!(venue.send(get(&one)).await.status, 404);
}

#[tokio::test]
async fn every_fault_of_a_discount_is_named() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let theirs = venue.send(post("/v2/b2b/persontypes", json!({"name": "Adult"})).by("key-2")).await.id();
    let right = json!({"name": "A", "code": "A", "values": [value(&adult, "amount", "1.00")]});
    let one = format!("{PATH}/{}", made(&venue, PATH, right.clone()).await);
    let many: Vec<Value> = (0..501).map(|_| value("x y", "amount", "1")).collect();
    for (wrong, expected) in [
        (json!({"name": null}), &["/name is required"][..]),
        (json!({"name": "x".repeat(201)}), &["/name must have at most 200 characters"]),
        (json!({"code": "x".repeat(65)}), &["/code must have at most 64 characters"]),
        (json!({"values": 7}), &["/values must be an array"]),
        (json!({"values": ["x"]}), &["/values/0 must be an object"]),
        (
            json!({"values": [value(&adult, "amount", "-0.01")]}),
            &["/values/0/value must be between 0.00 and 10000000.00"],
        ),
        (
            json!({"values": [value(&adult, "amount", "1.005")]}),
            &["/values/0/value must have at most two decimals"],
        ),
        (
            json!({"values": [value(&adult, "percent", "100.01")]}),
            &["/values/0/value must be a percentage between 0 and 100 with at most two decimals"],
        ),
        (
            json!({"values": [value(&adult, "percent", "-1")]}),
            &["/values/0/value must be a percentage between 0 and 100 with at most two decimals"],
        ),
        (
            json!({"values": [value(&adult, "half", "1")]}),
            &["/values/0/discountType must be one of amount, percent, fixedPrice"],
        ),
        (
            json!({"values": [{"personTypeId": adult}]}),
            &["/values/0/discountType is required", "/values/0/value is required"],
        ),
        (
            json!({"values": [value(&adult, "amount", "1"), value(&adult, "amount", "2")]}),
            &["/values/1/personTypeId already has a value"],
        ),
        (json!({"values": [value(&theirs, "amount", "1")]}), &["/values/0/personTypeId was not found"]),
        (json!({"values": [value("a b", "amount", "1")]}), &["/values/0/personTypeId was not found"]),
        (json!({"values": many}), &["/values must have at most 500 entries"]),
    ] {
        assert_refused(&venue, PATH, &one, &right, &wrong, expected).await;
    }
}
