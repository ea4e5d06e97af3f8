//! `/v2/b2b/inventory` and `/v2/b2b/addons`.

use crate::support::{self, assert_refused, without_id};
use serde_json::{Value, json};
use testkit::{delete, get, made, post, put};

const PATH: &str = "/v2/b2b/inventory";

fn guide() -> Value {
    json!({"sku": "AUDIO", "name": "Audio guide", "type": "addOn", "price": 5, "stock": 40})
}

#[tokio::test]
async fn an_add_on_is_created_read_replaced_and_deleted() {
    let venue = support::open().await;
    let first = venue.send(post(PATH, guide())).await;
    let one = format!("{PATH}/{}", first.id());
    assert!(first.body["id"].as_i64().is_some_and(|id| id > 0 && id < 1 << 53));
    assert_eq!(
        without_id(&first.body),
        json!({"sku": "AUDIO", "name": "Audio guide", "description": "", "type": "addOn", "price": "5.00",
            "stock": 40, "active": true, "displayOrder": 0, "salesChannels": []})
    );
    assert_eq!(venue.send(get(&one)).await.body, first.body);
    assert_eq!(venue.send(put(&one, first.body.clone())).await.etag, first.etag, "what is shown can be sent");
    let gift = json!({"name": "A gift of your choice", "addonType": "DONATION", "active": false,
        "displayOrder": -3, "salesChannels": [{"channel": "online"}]});
    let changed = venue.send(put(&one, gift)).await;
    assert_eq!(
        without_id(&changed.body),
        json!({"sku": "", "name": "A gift of your choice", "description": "", "type": "donation",
            "price": null, "stock": null, "active": false, "displayOrder": -3,
            "salesChannels": [{"name": "", "channel": "online", "enabled": true}]})
    );
    assert_eq!(venue.send(put(&one, changed.body.clone())).await.etag, changed.etag);
    let id = first.id();
    for other in [format!("+{id}"), format!("0{id}"), "x".to_owned(), "-1".to_owned()] {
        assert_eq!(venue.send(get(format!("{PATH}/{other}"))).await.kind(), (404, "NOT_FOUND"), "{other}");
    }
    assert_eq!(venue.send(delete(&one)).await.done(), changed.body);
    assert_eq!(venue.send(get(&one)).await.status, 404);
}

#[tokio::test]
async fn a_tax_is_kept_and_not_shown_where_nothing_was_said_of_one() {
    let venue = support::open().await;
    for (path, body) in [(PATH, guide()), ("/v2/b2b/persontypes", json!({"name": "Adult"}))] {
        let mut taxed = body.clone();
        for (rate, name, shown) in [
            (json!(20), json!("VAT"), json!(["20.00", "VAT"])),
            (json!("5.5"), Value::Null, json!(["5.50", null])),
            (json!("0"), json!("Exempt"), json!(["0.00", "Exempt"])),
            (json!("0.00"), Value::Null, json!([null, null])),
        ] {
            (taxed["taxRate"], taxed["taxName"]) = (rate, name);
            let made = venue.send(post(path, taxed.clone())).await;
            let told = |body: &Value| json!([body.get("taxRate"), body.get("taxName")]);
            assert_eq!(told(&made.body), shown, "{path}: {}", made.text);
            let one = format!("{path}/{}", made.id());
            assert_eq!(venue.send(get(&one)).await.body, made.body);
            assert_eq!(venue.send(put(&one, made.body.clone())).await.etag, made.etag);
        }
        let untaxed = venue.send(post(path, body)).await;
        assert_eq!(untaxed.body.get("taxRate"), None);
    }
}

#[tokio::test]
async fn add_ons_are_listed_on_their_own_as_well() {
    let venue = support::open().await;
    for (name, kind) in [
        ("A", "addOn"),
        ("B", "fixedDonation"),
        ("C", "donation"),
        ("D", "membershipCardReplacement"),
        ("E", "addOn"),
    ] {
        let price = if kind == "donation" { Value::Null } else { json!("1.00") };
        made(&venue, PATH, json!({"name": name, "type": kind, "price": price})).await;
    }
    let named = async |path: &str| venue.send(get(path)).await.column("name");
    assert_eq!(named(&format!("{PATH}?sortField=name")).await, ["A", "B", "C", "D", "E"]);
    assert_eq!(named("/v2/b2b/addons?sortField=name&sortDirection=desc").await, ["E", "A"]);
    let page = venue.send(get("/v2/b2b/addons?sortField=sku&pageSize=1")).await;
    assert_eq!(
        page.body["pagination"],
        json!({"page": 1, "pageSize": 1, "sortDirection": "asc", "sortField": "sku", "count": 2})
    );
    assert_eq!(venue.send(post("/v2/b2b/addons", guide())).await.kind(), (405, "METHOD_NOT_ALLOWED"));
}

#[tokio::test]
async fn every_fault_of_an_add_on_is_named() {
    let venue = support::open().await;
    let one = format!("{PATH}/{}", made(&venue, PATH, guide()).await);
    for (wrong, expected) in [
        (json!({"name": " "}), &["/name must not be blank"][..]),
        (json!({"sku": "x".repeat(201)}), &["/sku must have at most 200 characters"]),
        (json!({"type": null}), &["/type is required"]),
        (
            json!({"type": "gift"}),
            &["/type must be one of addOn, fixedDonation, donation, membershipCardReplacement"],
        ),
        (json!({"addonType": "donation"}), &["/addonType must be the same as type, or left out"]),
        (json!({"price": null}), &["/price is required"]),
        (json!({"price": "-0.01"}), &["/price must be between 0.00 and 10000000.00"]),
        (json!({"price": "1.001"}), &["/price must have at most two decimals"]),
        (json!({"price": "free"}), &["/price must be an amount, such as \"12.50\""]),
        (
            json!({"type": "donation", "price": "5.00"}),
            &["/price must not be sent when the donor chooses the amount"],
        ),
        (
            json!({"taxRate": "100.01"}),
            &["/taxRate must be a percentage between 0 and 100 with at most two decimals"],
        ),
        (
            json!({"type": "fixedDonation", "taxRate": 7}),
            &["/taxRate must not be sent for a donation, which contains no tax"],
        ),
        (json!({"taxName": "x".repeat(201)}), &["/taxName must have at most 200 characters"]),
        (json!({"stock": -1}), &["/stock must be between 0 and 1000000"]),
        (json!({"stock": 1.5}), &["/stock must be an integer"]),
        (
            json!({"active": "yes", "displayOrder": "first"}),
            &["/active must be true or false", "/displayOrder must be an integer"],
        ),
        (json!({"salesChannels": [{"enabled": true}]}), &["/salesChannels/0/channel is required"]),
    ] {
        assert_refused(&venue, PATH, &one, &guide(), &wrong, expected).await;
    }
}
