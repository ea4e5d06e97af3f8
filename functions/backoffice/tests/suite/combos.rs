//! `/v2/b2b/combos`.

use crate::support::{self, assert_refused, without_id};
use serde_json::{Value, json};
use testkit::{Venue, delete, get, made, post, put};

const PATH: &str = "/v2/b2b/combos";

/// A draft of an event.
async fn event(venue: &Venue, name: &str) -> String {
    let draft = json!({"name": name, "description": name, "capacity": 5, "duration": {"hour": 1}});
    made(venue, "/v2/b2b/event/templates", draft).await
}

fn price(ticket_type: &str, price: impl Into<Value>) -> Value {
    json!({"personTypeId": ticket_type, "price": price.into()})
}

fn parts(templates: &[&str]) -> Value {
    templates.iter().map(|template| json!({ "eventTemplateId": template })).collect()
}

#[tokio::test]
async fn a_combo_is_created_read_replaced_and_deleted() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let (day, night) = (event(&venue, "Day").await, event(&venue, "Night").await);
    let sent = json!({"name": "Day and night", "description": "Both", "comboTemplateType": "FIXEDprice",
        "parts": [{"eventTemplateId": day}, {"templateId": night, "quantity": 2}],
        "prices": [price(&adult, 50.5)]});
    let first = venue.send(post(PATH, sent)).await;
    let one = format!("{PATH}/{}", first.id());
    let shown = json!({"name": "Day and night", "description": "Both", "active": true,
        "comboTemplateType": "fixedPrice",
        "parts": [
            {"eventTemplateId": day, "quantity": 1}, {"eventTemplateId": night, "quantity": 2},
        ],
        "prices": [price(&adult, "50.50")], "discountId": null});
    assert_eq!(without_id(&first.body), shown);
    assert_eq!(venue.send(get(&one)).await.body, first.body);
    assert_eq!(venue.send(put(&one, first.body.clone())).await.etag, first.etag, "what is shown can be sent");
    let discount = made(&venue, "/v2/b2b/discounts", json!({"name": "Both"})).await;
    let by_discount = json!({"name": "B", "active": false, "comboTemplateType": "discountCode",
        "parts": parts(&[&night, &day]), "discountId": discount});
    let stale = venue.send(put(&one, by_discount.clone()).if_match("\"0123456789abcdef\"")).await;
    assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    let changed = venue.send(put(&one, by_discount).if_match(first.tag())).await;
    assert_eq!(
        without_id(&changed.body),
        json!({"name": "B", "description": "", "active": false, "comboTemplateType": "discountCode",
            "parts": [
                {"eventTemplateId": night, "quantity": 1}, {"eventTemplateId": day, "quantity": 1},
            ],
            "prices": null, "discountId": discount})
    );
    assert_eq!(
        venue.send(put(&one, changed.body.clone())).await.etag,
        changed.etag,
        "what is shown can be sent"
    );
    assert_eq!(venue.send(get(PATH)).await.body["list"], json!([changed.body]));
    assert_eq!(venue.send(delete(&one)).await.done(), changed.body);
    assert_eq!(venue.send(get(&one)).await.status, 404);
}

#[tokio::test]
async fn every_fault_of_a_combo_is_named() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let theirs = venue.send(post("/v2/b2b/persontypes", json!({"name": "Adult"})).by("key-2")).await.id();
    let (day, night) = (event(&venue, "Day").await, event(&venue, "Night").await);
    let right = json!({"name": "A", "comboTemplateType": "fixedPrice", "parts": parts(&[&day, &night]),
        "prices": [price(&adult, "1.00")]});
    let one = format!("{PATH}/{}", made(&venue, PATH, right.clone()).await);
    let quantity =
        |quantity: Value| json!([{"eventTemplateId": day, "quantity": quantity}, {"eventTemplateId": night}]);
    for (wrong, expected) in [
        (json!({"name": null}), &["/name is required"][..]),
        (json!({"active": "yes"}), &["/active must be true or false"]),
        (json!({"comboTemplateType": null}), &["/comboTemplateType is required"]),
        (
            json!({"comboTemplateType": "half"}),
            &["/comboTemplateType must be one of fixedPrice, discountCode"],
        ),
        (json!({"parts": null}), &["/parts must have between 2 and 10 entries"]),
        (json!({"parts": 7}), &["/parts must be an array"]),
        (json!({"parts": parts(&[&day])}), &["/parts must have between 2 and 10 entries"]),
        (json!({"parts": parts(&[&day, &day])}), &["/parts/1/eventTemplateId is already a part"]),
        (json!({"parts": parts(&[&day, "nowhere"])}), &["/parts/1/eventTemplateId was not found"]),
        (json!({"parts": parts(&[&day, "a b"])}), &["/parts/1/eventTemplateId was not found"]),
        (json!({"parts": quantity(json!(0))}), &["/parts/0/quantity must be between 1 and 999"]),
        (json!({"parts": quantity(json!("2"))}), &["/parts/0/quantity must be an integer"]),
        (json!({"prices": null}), &["/prices must have at least one entry"]),
        (json!({"prices": [price(&adult, "1.005")]}), &["/prices/0/price must have at most two decimals"]),
        (
            json!({"prices": [price(&adult, "-0.01")]}),
            &["/prices/0/price must be between 0.00 and 10000000.00"],
        ),
        (json!({"prices": [{"personTypeId": adult}]}), &["/prices/0/price is required"]),
        (
            json!({"prices": [price(&adult, "1"), price(&adult, "2")]}),
            &["/prices/1/personTypeId already has a price"],
        ),
        (json!({"prices": [price(&theirs, "1")]}), &["/prices/0/personTypeId was not found"]),
        (json!({"discountId": "d"}), &["/discountId must not be sent for a combo with a fixed price"]),
        (
            json!({"comboTemplateType": "discountCode", "discountId": "d"}),
            &["/prices must not be sent for a combo with a discount", "/discountId was not found"],
        ),
        (
            json!({"comboTemplateType": "discountCode", "prices": null, "discountId": "d"}),
            &["/discountId was not found"],
        ),
    ] {
        assert_refused(&venue, PATH, &one, &right, &wrong, expected).await;
    }
    let nothing = json!({"name": "A", "comboTemplateType": "discountCode", "parts": parts(&[&day, &night])});
    let refused = venue.send(post(PATH, nothing)).await;
    assert_eq!((refused.status, refused.faults()), (404, vec!["/discountId is required".to_owned()]));
}

#[tokio::test]
async fn what_a_combo_names_stays_until_it_names_it_no_more() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let discount = made(&venue, "/v2/b2b/discounts", json!({"name": "Both"})).await;
    let (day, night) = (event(&venue, "Day").await, event(&venue, "Night").await);
    let fixed = json!({"name": "Both", "comboTemplateType": "fixedPrice", "parts": parts(&[&day, &night]),
        "prices": [price(&adult, "1.00")]});
    let by_discount = json!({"name": "Both", "comboTemplateType": "discountCode",
        "parts": parts(&[&day, &night]), "discountId": discount});
    let combo = made(&venue, PATH, fixed).await;
    let one = format!("{PATH}/{combo}");
    let of_events = [day, night].map(|event| format!("/v2/b2b/event/templates/{event}"));
    let (of_adults, of_discount) =
        (format!("/v2/b2b/persontypes/{adult}"), format!("/v2/b2b/discounts/{discount}"));
    let in_use = async |path: &str| {
        let refused = venue.send(delete(path)).await;
        assert_eq!(refused.kind(), (409, "IN_USE"), "{path}: {}", refused.body);
        assert_eq!(refused.body["usedBy"], json!([{"type": "combo", "id": combo, "name": "Both"}]), "{path}");
    };
    for path in [&of_events[0], &of_events[1], &of_adults] {
        in_use(path).await;
    }
    venue.send(put(&one, by_discount)).await.done();
    in_use(&of_discount).await;
    venue.send(delete(&of_adults)).await.done();
    venue.send(delete(&one)).await.done();
    for path in [&of_events[0], &of_events[1], &of_discount] {
        venue.send(delete(path)).await.done();
    }
}
