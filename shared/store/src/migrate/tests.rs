use super::*;
use domain::customer::Customer;
use domain::membership::Membership;
use domain::reconciliation::{Lookup, LookupFault};
use domain::{CustomerId, MembershipId, TenantId};
use engine::{Embedded, Fault, FaultPlan, Faulty};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const PACE: Pace = Pace { consistency: Consistency::Strong, pause: Duration::ZERO };
const NUMBERS: [i64; 2] = [31, 32];

fn tenant() -> TenantId {
    TenantId::parse(7).unwrap()
}

fn email(number: i64) -> String {
    format!("ada{number}@example.test")
}

fn membership(number: i64) -> Membership {
    let person = json!({"first_name": "Ada", "last_name": "Lindqvist", "email": email(number)});
    let card = json!({
        "id": number + 70, "person": person, "standing": "active", "card_type": "primary",
        "barcode": format!("100{number}"),
    });
    let membership = json!({
        "id": number + 50, "number": number, "level": "1001bb000000000000000001",
        "offering": "1001bf00000000000000000000000001", "price_point": "1001aa000000000000000001",
        "external_id": format!("HM-{number}"), "joined": "2026-01-15T05:00:00Z",
        "started": "2026-01-15T05:00:00Z", "expires": "2031-01-01T04:59:59Z", "cards": [card],
    });
    serde_json::from_value(membership).unwrap()
}

/// A customer of whom a checkout knew everything.
fn customer(number: i64) -> Customer {
    let person = json!({
        "first_name": "Ada", "last_name": "Lindqvist", "email": email(number), "phone_number": "+1 212 555 0107",
        "street_address_1": "7 Pier Street", "city": "New York", "state": "New York", "zip_code": "10004",
        "country": "United States",
    });
    serde_json::from_value(json!({"id": number, "person": person})).unwrap()
}

/// Members and customers as they were stored when numbers and ids were all they were found by.
async fn before() -> (Embedded, Store) {
    let embedded = Embedded::memory().unwrap();
    let store = Store::new(embedded.client(), "test-");
    store.create_tables().await.unwrap();
    for number in NUMBERS {
        let (membership, customer) = (membership(number), customer(number));
        let by_number = Key::membership_number(tenant(), membership.number);
        for (key, item) in [Key::membership(tenant(), membership.id), by_number]
            .map(|key| (key.clone(), encode(&key, &membership).unwrap()))
        {
            store.write(&key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
        }
        let key = Key::customer(tenant(), customer.id);
        let item = encode(&key, &customer).unwrap();
        store.write(&key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
    }
    (embedded, store)
}

async fn run(store: &Store, token: &str) -> Result<[Done; 2], StoreError> {
    let mut done = [Done::default(); 2];
    for (done, step) in done.iter_mut().zip(Step::ALL) {
        *done = store.migrate(step, token, PACE).await?;
    }
    Ok(done)
}

/// Every item of the table of members.
async fn members(embedded: &Embedded) -> BTreeMap<(String, String), Item> {
    let scan = embedded.client().scan().table_name("test-members").send().await.unwrap();
    let part = |item: &Item, name: &str| item[name].as_s().unwrap().clone();
    let items = scan.items.unwrap_or_default().into_iter();
    items.map(|item| ((part(&item, "pk"), part(&item, "sk")), item)).collect()
}

#[tokio::test]
async fn what_was_stored_earlier_is_found_afterwards_by_all_it_has() {
    let (embedded, store) = before().await;
    let ids = BTreeSet::from(NUMBERS.map(|number| membership(number).id));
    let wrong = store.find_wrong_lookups(tenant(), &ids, &BTreeMap::new()).await.unwrap();
    let missing: BTreeSet<(Lookup, LookupFault)> =
        wrong.into_iter().map(|(_, by, fault)| (by, fault)).collect();
    let lookups = [Lookup::ExternalNumber, Lookup::Barcode, Lookup::Email, Lookup::List];
    assert_eq!(missing, BTreeSet::from(lookups.map(|by| (by, LookupFault::Missing))));
    assert_eq!(store.find_customers(tenant(), &email(31)).await.unwrap(), []);

    let [memberships, customers] = run(&store, "first").await.unwrap();
    assert_eq!(memberships, Done { records: 2, completed: 2 });
    assert_eq!(customers, Done { records: 2, completed: 2 });
    let wrong = store.find_wrong_lookups(tenant(), &ids, &BTreeMap::new()).await.unwrap();
    assert_eq!(wrong, []);
    let found = store.find_membership_of_barcode(tenant(), "10031").await.unwrap();
    assert_eq!(found, Some(membership(31)));
    assert_eq!(store.find_customers(tenant(), &email(31)).await.unwrap(), [customer(31)]);

    let completed = members(&embedded).await;
    let again = run(&store, "second").await.unwrap();
    assert_eq!(again, [Done { records: 2, completed: 0 }; 2]);
    assert_eq!(members(&embedded).await, completed);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_cut_short_at_any_call_is_finished_by_another() {
    let (embedded, store) = before().await;
    run(&store, "whole").await.unwrap();
    let whole = members(&embedded).await;
    let (embedded, _) = before().await;
    let plan = FaultPlan::new();
    let counted = Store::new(Faulty::new(embedded, plan.clone()).client(), "test-");
    run(&counted, "count").await.unwrap();
    let calls = plan.calls().len();
    assert!(calls >= 10, "{calls} calls");
    for call in 0..calls {
        for fault in [Fault::CrashBefore, Fault::CrashAfter, Fault::AnswerLost] {
            let (embedded, store) = before().await;
            let plan = FaultPlan::new();
            plan.at(call, fault);
            let dying = Store::new(Faulty::new(embedded.clone(), plan).client(), "test-");
            let _ = run(&dying, "dying").await;
            run(&store, "next").await.unwrap();
            assert_eq!(members(&embedded).await, whole, "call {call}: {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_record_that_was_changed_since_it_was_read_is_left_to_who_changed_it() {
    let (embedded, store) = before().await;
    let key = Key::membership(tenant(), membership(31).id);
    let read = store.get_item(&key, Consistency::Strong).await.unwrap().unwrap();
    let (wanted, as_read) = lookups_as_read(tenant(), read).unwrap();
    let mut changed = membership(31);
    changed.cards[0].barcode = "20031".to_owned();
    store.save_membership(tenant(), "change", &changed).await.unwrap();

    let after = members(&embedded).await;
    let missing: Vec<(Key, Item)> = wanted
        .into_iter()
        .filter(|(key, _)| !after.contains_key(&(key.pk.clone(), key.sk.clone())))
        .collect();
    assert_eq!(missing.len(), 1, "the old barcode is what leads nowhere");
    assert!(!store.add(&key, &as_read, &missing, "late").await.unwrap());
    assert_eq!(members(&embedded).await, after);

    let place = Key::customer(tenant(), CustomerId::parse(31).unwrap());
    let read = store.get_item(&place, Consistency::Strong).await.unwrap().unwrap();
    let (missing, as_read) = leads_as_read(tenant(), read).unwrap();
    let mut moved = customer(31);
    moved.person.email = Some("ada@example.org".to_owned());
    store.save_customer(tenant(), "move", &moved).await.unwrap();
    let after = members(&embedded).await;
    assert!(!store.add(&place, &as_read, &missing, "late").await.unwrap());
    assert_eq!(members(&embedded).await, after);
}

#[tokio::test]
async fn who_has_a_barcode_already_keeps_it() {
    let (_, store) = before().await;
    let mut other = membership(40);
    other.cards[0].barcode = "10031".to_owned();
    store.save_membership(tenant(), "other", &other).await.unwrap();
    run(&store, "run").await.unwrap();
    let found = store.find_membership_of_barcode(tenant(), "10031").await.unwrap();
    assert_eq!(found.map(|membership| membership.id), Some(MembershipId::parse(90).unwrap()));
}

#[tokio::test]
async fn tables_that_a_later_release_changed_are_left_alone() {
    let (_, store) = before().await;
    assert_eq!(store.load_standing().await.unwrap(), Standing { steps: 0 });
    store.note_standing(Standing { steps: 2 }).await.unwrap();
    assert_eq!(store.load_standing().await.unwrap(), Standing { steps: 2 });
    let mut later = encode(&Key::standing(), &Standing { steps: 9 }).unwrap();
    later.insert("v".to_owned(), crate::number(SCHEMA_VERSION + 1));
    store.write(&Key::standing(), Action::Put(later, Expression::new())).await.unwrap().unwrap();
    assert_eq!(store.load_standing().await.map_err(|fault| fault.kind), Err(StoreFault::Newer));
    let noted = store.note_standing(Standing { steps: 2 }).await;
    assert_eq!(noted.map_err(|fault| fault.kind), Err(StoreFault::Newer));
}
