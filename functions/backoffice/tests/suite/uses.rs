//! What something names is not deleted.

use crate::support;
use serde_json::{Value, json};
use testkit::catalog::{self, TEMPLATE};
use testkit::{Venue, delete, get, made, put, tenant_id};

async fn save_template(venue: &Venue, fields: Value) {
    let tour = json!({"name": "Tour", "review_state": "Draft"});
    let tour = catalog::template(catalog::with(tour, fields));
    venue.store.save_template(tenant_id(1), &tour).await.unwrap();
}

fn user(kind: &str, id: &str, name: &str) -> Value {
    json!({"type": kind, "id": id, "name": name})
}

async fn assert_used(venue: &Venue, one: &str, users: &[Value]) {
    let refused = venue.send(delete(one)).await;
    assert_eq!(refused.kind(), (409, "IN_USE"), "{one}: {}", refused.body);
    assert_eq!(refused.body["usedBy"], json!(users), "{one}");
    let message = refused.body["message"].as_str().unwrap();
    assert!(users.iter().all(|user| message.contains(user["id"].as_str().unwrap())), "{message}");
    assert_eq!(venue.send(get(one)).await.status, 200);
}

#[tokio::test]
async fn what_a_template_names_stays_until_it_names_it_no_more() {
    let venue = support::open().await;
    let tour = user("eventTemplate", TEMPLATE, "Tour");
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let discount = made(&venue, "/v2/b2b/discounts", json!({"name": "Member"})).await;
    let form = json!({"name": "Visit", "fields": [{"name": "a", "type": "text"}]});
    let form = made(&venue, "/v2/b2b/forms", form).await;
    let guide = json!({"name": "Guide", "type": "addOn", "price": "5.00"});
    let guide = made(&venue, "/v2/b2b/inventory", guide).await;
    let price = json!({"ticket_type": adult, "price": 500, "display_order": 0});
    let everything = [
        (
            format!("/v2/b2b/persontypes/{adult}"),
            json!({"price_lists": [{"id": "p", "name": "", "prices": [price]}]}),
        ),
        (
            format!("/v2/b2b/discounts/{discount}"),
            json!({"membership": {"discounts": [{"level": "l", "discount": discount}]}}),
        ),
        (format!("/v2/b2b/forms/{form}"), json!({"forms": [form]})),
        (format!("/v2/b2b/inventory/{guide}"), json!({"add_ons": [guide.parse::<i64>().unwrap()]})),
    ];
    for (one, fields) in &everything {
        save_template(&venue, fields.clone()).await;
        assert_used(&venue, one, std::slice::from_ref(&tour)).await;
        let stale = venue.send(delete(one).if_match("\"0123456789abcdef\"")).await;
        assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    }
    save_template(&venue, json!({})).await;
    for (one, _) in &everything {
        venue.send(delete(one)).await.done();
    }
}

#[tokio::test]
async fn what_discounts_and_coupons_name_stays_until_they_name_it_no_more() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let value = json!({"personTypeId": adult, "discountType": "amount", "value": "1.00"});
    let discount = made(&venue, "/v2/b2b/discounts", json!({"name": "Member", "values": [value]})).await;
    let by_discount =
        json!({"name": "Spring", "code": "SPRING", "discountId": discount, "personTypeIds": [adult]});
    let coupon = made(&venue, "/v2/b2b/coupons", by_discount).await;
    let (type_path, discount_path) =
        (format!("/v2/b2b/persontypes/{adult}"), format!("/v2/b2b/discounts/{discount}"));
    let (member, spring) = (user("discount", &discount, "Member"), user("coupon", &coupon, "Spring"));
    assert_used(&venue, &type_path, &[member.clone(), spring.clone()]).await;
    assert_used(&venue, &discount_path, &[spring]).await;
    let same = json!({"name": "Spring", "code": "SPRING", "discountType": "amount", "value": "1"});
    venue.send(put(format!("/v2/b2b/coupons/{coupon}"), same)).await.done();
    assert_used(&venue, &type_path, &[member]).await;
    venue.send(delete(&discount_path)).await.done();
    venue.send(delete(&type_path)).await.done();
    venue.send(delete(format!("/v2/b2b/coupons/{coupon}"))).await.done();
}

#[tokio::test]
async fn what_another_tenant_names_is_not_in_use_here() {
    let venue = support::open().await;
    save_template(&venue, json!({"forms": ["f"]})).await;
    let form = json!({"name": "Visit", "fields": [{"name": "a", "type": "text"}]});
    let theirs = venue.send(testkit::post("/v2/b2b/forms", form).by("key-2")).await.id();
    save_template(&venue, json!({ "forms": [theirs] })).await;
    venue.send(delete(format!("/v2/b2b/forms/{theirs}")).by("key-2")).await.done();
}
