//! No list of the database ends before its last entry, however many there are.

use crate::order::ContactDetail;
use crate::{Action, Consistency, Expression, Item, Key, Store, encode, text};
use domain::catalog::PersonType;
use domain::customer::Customer;
use domain::membership::Membership;
use domain::merchant::{Merchant, MerchantStatus};
use domain::tenant::{ApiKey, Scope};
use domain::{CustomerId, MembershipId, Mid, OrderId, TenantId, TicketTypeId, Timestamp};
use engine::Embedded;
use serde_json::json;
use std::collections::BTreeSet;

fn tenant(number: i64) -> TenantId {
    TenantId::parse(number).unwrap()
}

async fn database() -> Store {
    let store = Store::new(Embedded::memory().unwrap().client(), "test-");
    store.create_tables().await.unwrap();
    store
}

async fn put(store: &Store, key: Key, item: Item) {
    store.write(&key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
}

/// An item that says no more than its place.
async fn mark(store: &Store, key: Key) {
    let item = encode(&key, &json!({})).unwrap();
    put(store, key, item).await;
}

#[tokio::test]
async fn all_tenants_are_seen_and_all_that_are_asleep() {
    let store = database().await;
    for number in 1..=10_001 {
        let key = Key::tenant_mark(tenant(number));
        let item = encode(&key, &json!({"asleep": true})).unwrap();
        put(&store, key, item).await;
    }
    assert_eq!(store.load_asleep_tenants().await.unwrap().len(), 10_001);
}

#[tokio::test]
async fn all_merchants_are_listed_and_those_with_a_rate_card_are_found_among_them() {
    let store = database().await;
    for number in 1..=1_001_u32 {
        let merchant = Merchant {
            mid: Mid::parse(&number.to_string()).unwrap(),
            name: String::new(),
            status: MerchantStatus::Incomplete,
            rate_card: None,
            descriptor: String::new(),
        };
        store.save_merchant(tenant(1), &merchant).await.unwrap();
    }
    assert_eq!(store.load_merchants(tenant(1), Consistency::Strong).await.unwrap().len(), 1_001);
    assert_eq!(store.load_priced_merchants(tenant(1), Consistency::Strong).await.unwrap(), []);
    let last = Mid::parse("999").unwrap();
    let card = serde_json::from_value(json!({"percentage": "2.90", "fixed": 30})).unwrap();
    assert!(store.set_rate_card(tenant(1), &last, &card).await.unwrap());
    assert_eq!(store.load_priced_merchants(tenant(1), Consistency::Strong).await.unwrap(), [last]);
}

#[tokio::test]
async fn an_origin_is_a_tenants_however_many_list_it() {
    let store = database().await;
    let origin = "https://tickets.example.test";
    assert!(!store.is_origin_known(origin).await.unwrap());
    for number in 1..=1_001 {
        store.mark_origin(origin, tenant(number)).await.unwrap();
    }
    assert!(store.is_origin_known(origin).await.unwrap());
    for (number, expected) in [(1, true), (1_001, true), (1_002, false)] {
        assert_eq!(store.is_origin_of(origin, tenant(number)).await.unwrap(), expected, "{number}");
    }
}

#[tokio::test]
async fn all_keys_of_a_tenant_are_listed() {
    let store = database().await;
    for number in 0..10_001 {
        let key = ApiKey {
            tenant: tenant(1),
            scopes: BTreeSet::from([Scope::B2c]),
            origins: BTreeSet::new(),
            mid: None,
            label: String::new(),
            revoked: false,
        };
        store.save_api_key(&format!("{number:064}"), &key).await.unwrap();
    }
    assert_eq!(store.load_api_keys(tenant(1)).await.unwrap().len(), 10_001);
    let (number, beginning) = (10_000, format!("{:060}", 1));
    let found = store.find_api_keys(tenant(1), &beginning).await.unwrap();
    let hashes: Vec<String> = found.into_iter().map(|(hash, _)| hash).collect();
    assert_eq!(hashes, [format!("{number:064}")], "only the last begins so");
}

#[tokio::test]
async fn everybody_with_an_address_is_found() {
    let store = database().await;
    for number in 1..=101 {
        let person =
            json!({"first_name": "Ada", "last_name": format!("L{number}"), "email": "ada@example.test"});
        let person = serde_json::from_value(person).unwrap();
        let customer = Customer { id: CustomerId::parse(number).unwrap(), person, source: None };
        store.save_customer(tenant(1), &format!("customer-{number}"), &customer).await.unwrap();
        let holder = json!({"first_name": "Ada", "last_name": "L", "email": "ada@example.test"});
        let card = json!({"id": number, "person": holder, "standing": "active", "card_type": "primary",
            "barcode": format!("B{number}")});
        let membership: Membership = serde_json::from_value(json!({
            "id": number, "number": 1_000 + number, "level": "1001bb000000000000000001",
            "offering": "1001bf00000000000000000000000001", "price_point": "1001aa000000000000000001",
            "joined": "2026-01-15T05:00:00Z", "started": "2026-01-15T05:00:00Z",
            "expires": "2031-01-01T04:59:59Z", "cards": [card],
        }))
        .unwrap();
        store.save_membership(tenant(1), &format!("membership-{number}"), &membership).await.unwrap();
    }
    let email = "Ada@example.test";
    assert_eq!(store.find_customers(tenant(1), email).await.unwrap().len(), 101);
    assert_eq!(store.find_memberships_of_email(tenant(1), email).await.unwrap().len(), 101);
    assert_eq!(store.list_memberships(tenant(1)).await.unwrap().len(), 101);
    assert_eq!(store.load_memberships(tenant(1), &[MembershipId::parse(7).unwrap()]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn all_orders_of_a_contact_are_found() {
    let store = database().await;
    let contact = ContactDetail::Email("buyer@example.test");
    let (kind, hash) = contact.lookup();
    let order = |number: i64| OrderId::parse(&number.to_string()).unwrap();
    for number in 1..=1_001 {
        let id = order(number);
        let mut place = Key::order_contact(tenant(1), kind, &hash, Timestamp::UNIX_EPOCH, &id);
        let mut item = encode(&place, &json!({})).unwrap();
        item.insert("order".to_owned(), text(id.as_str()));
        put(&store, place, item).await;
        place = Key::order(tenant(1), &id);
        let stored = json!({
            "id": id, "tenant": 1, "number": "100000001", "state": {"state": "paid", "at": 0}, "visitor": "",
            "contact": {}, "billing": {}, "lines": "[]", "total": 0, "retail_total": 0, "send_email": false,
            "created_at": 0, "chosen_clock": false,
        });
        let item = encode(&place, &stored).unwrap();
        put(&store, place, item).await;
    }
    let found = store.find_orders(tenant(1), contact).await.unwrap();
    assert_eq!((found.len(), &found[0].id), (1_001, &order(999)));
}

#[tokio::test]
async fn all_of_a_catalog_is_read() {
    let store = database().await;
    for number in 0..10_001 {
        let person_type = PersonType {
            id: TicketTypeId::parse(&format!("{number:024x}")).unwrap(),
            name: String::new(),
            description: String::new(),
            active: true,
            kind: String::new(),
            display_order: 1,
            tax: Default::default(),
        };
        store.save_person_type(tenant(1), &person_type).await.unwrap();
    }
    mark(&store, Key::coupon_code(tenant(1), "CODE")).await;
    let found = store.load_definitions(tenant(1), Consistency::Strong).await.unwrap();
    assert_eq!(found.person_types.len(), 10_001);
    // What reserves a code is no definition.
    assert_eq!(store.load_definition_places(tenant(1)).await.unwrap().len(), 10_001);
}
