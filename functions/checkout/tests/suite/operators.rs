//! Orders, refunds and exchanges say who stood at the device, where that was sent.

use crate::returns::{exchange, id, item, refund};
use crate::venue::{Venue, ask, pay, pay_on_page, tickets};
use serde_json::{Value, json};

const OPERATOR: &str = "x-service-operator";

#[tokio::test]
async fn an_order_and_its_histories_name_their_operators() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = json!({"shoppingCart": {"items": [tickets(4)]}});
    let sold = process.send(pay(cart).header(OPERATOR, "Dana")).await.done();
    assert_eq!((&sold["createdBy"], &sold["updatedBy"]), (&json!("Dana"), &json!("Dana")));
    let units = |quantity: u32| json!({"items": [{"itemId": item(&sold, 0), "quantity": quantity}]});
    let back = process.send(refund(id(&sold), units(1)).header(OPERATOR, "Kim")).await.done();
    assert_eq!(back["createdBy"], "Kim");
    let moved = json!({"itemId": item(&sold, 0), "quantity": 1});
    let moved = process.send(exchange(id(&sold), moved).header(OPERATOR, "Lee")).await.done();
    assert_eq!(moved["createdBy"], "Lee");
    let unsaid = process.send(refund(id(&sold), units(1))).await.done();
    assert_eq!(unsaid.get("createdBy"), None);

    let path = format!("/v2/b2b/orders/detail/{}", id(&sold));
    let staff = process.send(ask("GET", &path, Value::Null).by("staff-204")).await.done();
    assert_eq!((&staff["createdBy"], &staff["updatedBy"]), (&json!("Dana"), &json!("online")));
    let by: Vec<Option<&str>> =
        staff["refunds"].as_array().unwrap().iter().map(|refund| refund.get("createdBy")?.as_str()).collect();
    assert_eq!((by, &staff["exchanges"][0]["createdBy"]), (vec![Some("Kim"), None], &json!("Lee")));

    let path = format!("/v2/b2c/orders/{}", id(&sold));
    let shop = process.send(ask("GET", &path, Value::Null)).await.done();
    assert_eq!((&shop["createdBy"], &shop["updatedBy"]), (&json!("Dana"), &json!("Dana")));
    assert_eq!(shop["refunds"][0].get("createdBy"), None, "staff are nobody's business");
    assert_eq!(shop["exchanges"][0].get("createdBy"), None);
}

#[tokio::test]
async fn a_page_names_no_operator() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let sold = process.send(pay_on_page(json!({})).header(OPERATOR, "Dana")).await.done();
    assert_eq!((&sold["createdBy"], &sold["updatedBy"]), (&json!("online"), &json!("online")));
    let refused = process.send(pay_on_page(json!({})).header(OPERATOR, &"a".repeat(61))).await;
    assert_eq!(
        refused.refusal(),
        "400 VALIDATION_ERROR\nx-service-operator must be one line of 1 to 60 characters"
    );
}
