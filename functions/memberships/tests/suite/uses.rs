//! What something names is not deleted.

use crate::levels::PATH;
use crate::support;
use domain::entitlement::Entitlements;
use serde_json::{Value, json};
use testkit::{Venue, catalog, delete, get, post, put, tenant_id};

async fn save_membership(venue: &Venue, number: i64, level: &str, offering: &str) {
    let membership = catalog::membership(json!({
        "id": number, "number": number, "level": level, "offering": offering, "price_point": "adult",
    }));
    venue.store.save_membership(tenant_id(1), &format!("save-{number}"), &membership).await.unwrap();
}

async fn save_template(venue: &Venue, membership: Value) {
    let tour = json!({"id": "tour", "name": "Tour", "review_state": "Draft", "membership": membership});
    venue.store.save_template(tenant_id(1), &catalog::template(tour)).await.unwrap();
}

#[tokio::test]
async fn what_was_bought_stays() {
    let venue = support::open().await;
    let offerings = json!([{"name": "Month", "duration": 1}, {"name": "Year", "duration": 12}]);
    let level = venue.send(post(PATH, json!({"name": "Crew", "offerings": offerings}))).await;
    let one = format!("{PATH}/{}", level.id());
    let way = |place: usize| level.body["offerings"][place]["id"].as_str().unwrap().to_owned();
    for number in [52, 51] {
        save_membership(&venue, number, &level.id(), &way(0)).await;
    }
    save_membership(&venue, 53, "another", &way(1)).await;
    let user = |id: &str| json!({"type": "membership", "id": id, "name": "Crew"});
    let without = json!({"id": level.id(), "name": "Crew", "offerings": []});
    let below = format!("{one}/membershipofferings");
    for ask in [delete(&one), delete(format!("{below}/{}", way(0))), put(PATH, without)] {
        let refused = venue.send(ask.clone()).await;
        assert_eq!(refused.kind(), (409, "IN_USE"), "{ask:?}");
        assert_eq!(refused.body["usedBy"], json!([user("51"), user("52")]), "{ask:?}");
    }
    assert_eq!(venue.send(get(&one)).await.body, level.body);
    venue.send(delete(format!("{below}/{}", way(1)))).await.done();
    let changed = json!({"id": way(0), "name": "Two months", "duration": 2});
    venue.send(put(&below, changed)).await.done();
}

#[tokio::test]
async fn a_level_that_templates_coupons_or_rules_name_stays_until_they_name_it_no_more() {
    let venue = support::open().await;
    let level = venue.send(post(PATH, json!({"name": "Crew"}))).await.id();
    let one = format!("{PATH}/{level}");
    let tour = json!([{"type": "eventTemplate", "id": "tour", "name": "Tour"}]);
    for terms in [
        json!({"restrictions": [level], "discounts": []}),
        json!({"discounts": [{"level": level, "discount": "d"}]}),
    ] {
        save_template(&venue, terms).await;
        let refused = venue.send(delete(&one)).await;
        assert_eq!((refused.kind(), &refused.body["usedBy"]), ((409, "IN_USE"), &tour));
    }
    save_template(&venue, json!({})).await;
    let rule =
        json!({"id": "Four", "levels": [level], "limit": 4, "applies": "acrossAllItems", "period": "day"});
    for (rules, used_by) in [
        (json!([rule]), Some(json!([{"type": "entitlements", "id": "tour", "name": "Tour"}]))),
        (json!([]), None),
    ] {
        let entitlements: Entitlements =
            serde_json::from_value(json!({"template": "tour", "rules": rules})).unwrap();
        let token = format!("rules-{}", used_by.is_some());
        venue.store.save_entitlements(tenant_id(1), &token, &entitlements).await.unwrap();
        if let Some(used_by) = used_by {
            let refused = venue.send(delete(&one)).await;
            assert_eq!((refused.kind(), &refused.body["usedBy"]), ((409, "IN_USE"), &used_by));
        }
    }
    let coupon = json!({"name": "Crew", "code": "CREW", "discountType": "amount", "value": "1",
        "membershipCategoryIds": [level]});
    let coupon = venue.send(post("/v2/b2b/coupons", coupon)).await.id();
    let refused = venue.send(delete(&one)).await;
    assert_eq!(refused.body["usedBy"], json!([{"type": "coupon", "id": coupon, "name": "Crew"}]));
    venue.send(delete(format!("/v2/b2b/coupons/{coupon}"))).await.done();
    venue.send(delete(&one)).await.done();
}
