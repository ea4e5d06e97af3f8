//! Ids of orders, as text and as the integers that some answers show, and of keys.

use crate::support::{
    DOOR, Doors, GALLERY, TILL, admit, event, offline, outcomes, owner, scan, t0, undo, upload,
};
use domain::tenant::{ApiKey, Scope};
use serde_json::{Value, json};
use store::identity::key_hash;
use testkit::catalog::with;
use testkit::post;
use testkit::tenants::key;

#[tokio::test]
async fn an_order_is_named_by_its_digits_or_by_the_integer_that_they_are() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 2).await;
    let order: Value = serde_json::from_str(&sold[0].order).unwrap();
    assert!(order.is_u64(), "{order}");
    let named = json!({"orderId": order, "ticketId": sold[0].ticket});
    assert_eq!(doors.reason(admit(json!({"tickets": [named]}))).await, "admitted");
    let undo = post("/v2/b2b/admissions/undo", json!({"tickets": [named]}));
    assert_eq!(doors.done(undo).await["undone"], 1);
    let part = json!({"order": {"orderId": order}, "eventId": event(GALLERY, 0)});
    assert_eq!(doors.done(admit(part)).await["admitted"], 2);
    let told = with(offline(1, &sold[0], t0()), json!({"orderId": order, "decision": "refused"}));
    assert_eq!(outcomes(&doors.done(upload(&[told])).await), ["recorded"]);
    let block = json!({"tickets": [named], "blocked": true, "reason": "reported lost"});
    let blocked = doors.done(post("/v2/b2b/admissions/blocks", block).by(TILL)).await;
    assert_eq!(blocked["tickets"][0]["state"], "blocked");
    for wrong in [json!(7.5), json!(-7), json!(true), json!([7])] {
        let named = json!({"orderId": wrong, "ticketId": "7"});
        let refused = doors.send(admit(json!({"tickets": [named]}))).await;
        assert_eq!(refused.faults(), ["/tickets/0/orderId must be a string"], "{wrong}");
    }
}

#[tokio::test]
async fn two_doors_whose_keys_have_one_label_take_nothing_of_each_other_back() {
    const NAMESAKE: &str = "door-1-again";
    let doors = Doors::open().await;
    let namesake = ApiKey { label: DOOR.to_owned(), ..key(owner(), Scope::Door) };
    doors.0.store.save_api_key(&key_hash(NAMESAKE), &namesake).await.unwrap();
    let sold = doors.one().await;
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    assert_eq!(doors.done(undo(&sold).by(NAMESAKE)).await["undone"], 0);
    assert_eq!(doors.done(undo(&sold)).await["undone"], 1);
}
