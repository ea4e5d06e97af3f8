//! What is charged for is read afresh: what changed a moment ago counts, whatever the caches still say.

use crate::catalog::{merchant, reprice};
use crate::venue::{Venue, ask, tenant_id, tickets};
use domain::catalog::PersonType;
use domain::merchant::{Merchant, MerchantStatus};
use serde_json::json;
use testkit::catalog::{ADULT, person_type};

#[tokio::test]
async fn a_ticket_type_that_was_just_withdrawn_is_not_sold() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([tickets(2)])).await;
    let withdrawn = PersonType { active: false, ..person_type(ADULT, "Adult") };
    venue.store.save_person_type(tenant_id(), &withdrawn).await.unwrap();
    let read = process.send(ask("GET", &format!("/v2/b2c/carts/{cart}"), json!({}))).await;
    let line = read.body["items"][0]["itemId"].as_str().unwrap().to_owned();
    for (fields, pointer) in [
        (json!({"shoppingCartId": cart}), format!("/shoppingCartId/items/{line}")),
        (json!({}), "/shoppingCart/items/0".to_owned()),
    ] {
        let expected = format!("404 NOT_FOUND\n{pointer}/ticketingTypeId was not found");
        assert_eq!(process.pay(fields.clone()).await.refusal(), expected);
        let mut dry = fields;
        dry["dryRun"] = true.into();
        let dry = process.pay(dry).await;
        let found = dry.body["findings"][0]["details"][0]["field"].clone();
        assert_eq!(found, format!("{pointer}/ticketingTypeId"), "{}", dry.text);
    }
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
    assert!(venue.captured().await.is_empty());
}

#[tokio::test]
async fn a_price_that_was_just_changed_is_the_price() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    reprice(&venue.store, 1_700).await;
    assert_eq!(process.pay(json!({})).await.body["totalAmount"], "34.00");
}

#[tokio::test]
async fn a_merchant_that_was_just_declined_charges_nothing() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    venue.store.save_merchant(tenant_id(), &merchant("60417", MerchantStatus::Declined)).await.unwrap();
    assert_eq!(process.pay(json!({})).await.error(), "MERCHANT_NOT_READY");
    let looked = process.pay(json!({"dryRun": true})).await;
    assert_eq!(looked.body["findings"][0]["type"], "MERCHANT_NOT_READY", "{}", looked.text);
    assert_eq!(process.pay(json!({})).await.body["reason"], "notApproved");
    let bare = Merchant { rate_card: None, ..merchant("60417", MerchantStatus::Approved) };
    venue.store.save_merchant(tenant_id(), &bare).await.unwrap();
    let refused = process.pay(json!({})).await;
    assert_eq!((refused.error(), &refused.body["reason"]), ("MERCHANT_NOT_READY", &json!("noRateCard")));
    assert_eq!((venue.seats(0).await, venue.captured().await), ([10, 0, 0], vec![]));
    // Another one was approved meanwhile: it charges at once.
    venue.store.save_merchant(tenant_id(), &merchant("60418", MerchantStatus::Approved)).await.unwrap();
    let order = process.pay(json!({})).await;
    assert_eq!(order.body["payments"][0]["mid"], "60418", "{}", order.text);
}
