use super::*;
use crate::{AttributeValue, Key, encode};
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use domain::{CouponId, MembershipId, OrderId};
use engine::Embedded;
use std::collections::BTreeSet;

const PACE: Pace = Pace { consistency: Consistency::Strong, pause: Duration::ZERO };

/// Items of two tenants, more than fit on two pages.
async fn store() -> Store {
    let embedded = Embedded::memory().unwrap();
    let store = Store::new(embedded.client(), "test-");
    store.create_tables().await.unwrap();
    let keys = (1..=1_250_i64).flat_map(|number| {
        [7, 77].map(|tenant| {
            let id = MembershipId::parse(number).unwrap();
            Key::membership(TenantId::parse(tenant).unwrap(), id)
        })
    });
    let coupon = Key::coupon_uses(TenantId::parse(7).unwrap(), &CouponId::parse("pier").unwrap());
    let keys: Vec<Key> = keys.chain([coupon]).collect();
    for some in keys.chunks(25) {
        let puts = some.iter().map(|key| {
            let item = encode(key, &serde_json::json!({"used": 1})).unwrap();
            let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        });
        let batch = embedded.client().batch_write_item().request_items("test-members", puts.collect());
        batch.send().await.unwrap();
    }
    store
}

async fn walked(store: &Store, tenant: Option<i64>, partitions: &[&str]) -> Vec<WalkedItem> {
    let tenant = tenant.map(|tenant| TenantId::parse(tenant).unwrap());
    let mut walk = store.walk(Route { table: Table::Members, partitions, tenant }, PACE);
    let mut rows = Vec::new();
    while let Some(page) = walk.next().await.unwrap() {
        rows.extend(page);
    }
    rows
}

#[tokio::test]
async fn a_walk_passes_every_item_that_is_asked_for_once() {
    let store = store().await;
    for (tenant, partitions, expected) in [
        (None, &[][..], 2_501),
        (Some(7), &[], 1_251),
        (Some(77), &[], 1_250),
        (Some(7), &["#COUPON#"], 1),
        (None, &["#COUPON#", "#MEMBERSHIP#"], 2_501),
        (None, &["#ORDER#"], 0),
    ] {
        let rows = walked(&store, tenant, partitions).await;
        let places: BTreeSet<&Key> = rows.iter().map(|row| &row.key).collect();
        assert_eq!((rows.len(), places.len()), (expected, expected), "{tenant:?} {partitions:?}");
        assert!(rows.iter().all(|row| tenant.is_none_or(|tenant| row.tenant.get() == tenant)));
    }
}

#[test]
fn what_no_tenant_owns_is_no_row() {
    for pk in ["TENANTS", "KEY#0", "T#x#ORDER#1", "T#0#ORDER#1", "T#7"] {
        let item = Item::from([
            ("pk".to_owned(), AttributeValue::S(pk.to_owned())),
            ("sk".to_owned(), AttributeValue::S("ORDER".to_owned())),
        ]);
        assert_eq!(WalkedItem::read(Table::Orders, item), None, "{pk}");
    }
    let key = Key::order(TenantId::parse(7).unwrap(), &OrderId::parse("1").unwrap());
    let row = WalkedItem::read(Table::Orders, key.attributes()).unwrap();
    assert_eq!((row.partition.as_str(), row.key), ("ORDER#1", key));
}
