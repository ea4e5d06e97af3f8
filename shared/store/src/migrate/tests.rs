use super::*;
use domain::customer::Customer;
use domain::membership::Membership;
use domain::membership::search::{MemberSearch, SearchText};
use domain::order::{Order, Ticket, TicketChunk, TicketStatus};
use domain::reconciliation::{Lookup, LookupFault};
use domain::{
    BarcodeTag, CustomerId, InstanceId, MembershipId, OrderItemId, TenantId, TicketBarcode, TicketId,
};
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
    let person = json!({
        "first_name": "Ada", "last_name": "Lindqvist", "email": email(number),
        "phone_number": format!("+1 212 555 {number:04}"),
    });
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

/// An order as it was stored when its number and its contacts were all it was found by, with tickets whose barcodes have
/// nothing in common.
fn orders_of_before() -> Vec<(Order, Vec<Ticket>)> {
    let order = |id: u64, state: serde_json::Value| -> Order {
        let free = json!({"quantity": 2, "retail_unit": 0, "unit": 0, "retail_amount": 0, "amount": 0});
        let line = json!({
            "line": "ticket", "id": "1", "instance": "7a10c4e2b95d3f0816e4a2c1", "shard": 0,
            "template": "6f2e91b0c47d5a3e18b90f42", "ticket_type": "66d1b2f0a93c4e517720bb01", "event_name": "Pier",
            "ticket_type_name": "Adult", "event_start": 1_800_000_000_000_i64, "admission": "standard",
            "amounts": free,
        });
        serde_json::from_value(json!({
            "id": id.to_string(), "tenant": 7, "number": (100_000_000 + id).to_string(), "state": state,
            "visitor": "1", "contact": {"first_name": "Ada", "last_name": "Lindqvist"}, "billing": {},
            "lines": [line], "total": 0, "retail_total": 0, "send_email": false, "created_at": 1_800_000_000_000_i64,
        }))
        .unwrap()
    };
    let tickets = |first: u8| -> Vec<Ticket> {
        let ticket = |number: u8| Ticket {
            id: TicketId::from_bits(number.into()),
            barcode: TicketBarcode::from_bytes([number; 16]),
            line: OrderItemId::parse("1").unwrap(),
            status: TicketStatus::Normal,
            printed: false,
        };
        [first, first + 1].map(ticket).into()
    };
    let at = json!({"state": "paid", "at": 1_800_000_000_000_i64});
    let void = json!({"state": "void", "at": 1_800_000_000_000_i64});
    vec![(order(1, at.clone()), tickets(1)), (order(2, at), tickets(3)), (order(3, void), Vec::new())]
}

async fn store_orders(store: &Store) {
    for (order, tickets) in orders_of_before() {
        let key = Key::order(tenant(), &order.id);
        let item = encode(&key, &order).unwrap();
        store.write(&key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
        if !tickets.is_empty() {
            let key = Key::tickets(tenant(), &order.id, 0);
            let item = encode(&key, &TicketChunk { tickets }).unwrap();
            store.write(&key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
        }
    }
}

/// Which orders each thing leads to.
async fn found(store: &Store) -> Vec<Vec<String>> {
    let event = InstanceId::parse("7a10c4e2b95d3f0816e4a2c1").unwrap();
    let at = orders_of_before()[0].0.created_at;
    let made = domain::listing::Range { from: at, until: at };
    let mut found = Vec::new();
    for number in 1..=4_u8 {
        let barcode = TicketBarcode::from_bytes([number; 16]);
        let order = store.find_order_of_barcode(tenant(), &barcode).await.unwrap();
        found.push(order.iter().map(ToString::to_string).collect());
    }
    for hits in [
        store.find_orders_of_event(tenant(), &event).await.unwrap(),
        store.find_orders_of_name(tenant(), "LIND", 10).await.unwrap(),
        store.find_orders_made(tenant(), made, 10).await.unwrap(),
    ] {
        let mut ids: Vec<String> = hits.iter().map(|hit| hit.order.to_string()).collect();
        ids.sort();
        found.push(ids);
    }
    found
}

#[tokio::test]
async fn orders_of_before_are_found_afterwards_by_all_that_leads_to_them() {
    let (embedded, store) = before().await;
    store_orders(&store).await;
    assert!(found(&store).await.iter().all(Vec::is_empty), "nothing leads to them yet");
    let done = store.migrate(MigrationStep::OrderPointers, "first", PACE).await.unwrap();
    // An order that was undone has nothing that leads to it.
    assert_eq!(done, Done { records: 5, completed: 4 });
    let one = |id: &str| vec![id.to_owned()];
    let both = vec!["1".to_owned(), "2".to_owned()];
    let expected = vec![one("1"), one("1"), one("2"), one("2"), both.clone(), both.clone(), both];
    assert_eq!(found(&store).await, expected);
    let whole = items(&embedded, "orders").await;
    let again = store.migrate(MigrationStep::OrderPointers, "second", PACE).await.unwrap();
    assert_eq!(again, Done { records: 5, completed: 0 });
    assert_eq!(items(&embedded, "orders").await, whole);
}

/// Whoever sells meanwhile writes pointers of its own, and finds those that are there.
#[tokio::test(start_paused = true)]
async fn pointers_are_added_while_selling_goes_on_and_however_often_a_run_dies() {
    let (embedded, store) = before().await;
    store_orders(&store).await;
    let sold = Order { tag: Some(BarcodeTag::from_bytes([9; 8])), ..orders_of_before().remove(1).0 };
    store.migrate(MigrationStep::OrderPointers, "whole", PACE).await.unwrap();
    store.point_to(&sold).await.unwrap().unwrap();
    let whole = items(&embedded, "orders").await;
    let plan = FaultPlan::new();
    let (embedded, store) = before().await;
    store_orders(&store).await;
    let counted = Store::new(Faulty::new(embedded, plan.clone()).client(), "test-");
    counted.migrate(MigrationStep::OrderPointers, "count", PACE).await.unwrap();
    let calls = plan.calls().len();
    assert!(calls >= 10, "{calls} calls");
    for call in 0..calls {
        for fault in [Fault::CrashBefore, Fault::CrashAfter, Fault::AnswerLost] {
            let (embedded, store) = before().await;
            store_orders(&store).await;
            let plan = FaultPlan::new();
            plan.at(call, fault);
            let dying = Store::new(Faulty::new(embedded.clone(), plan).client(), "test-");
            let (_, selling) = tokio::join!(
                dying.migrate(MigrationStep::OrderPointers, "dying", PACE),
                store.point_to(&sold)
            );
            selling.unwrap().unwrap();
            store.migrate(MigrationStep::OrderPointers, "next", PACE).await.unwrap();
            assert_eq!(items(&embedded, "orders").await, whole, "call {call}: {fault:?}");
        }
    }
}

async fn run(store: &Store, token: &str) -> Result<[Done; 2], StoreError> {
    let mut done = [Done::default(); 2];
    for (done, step) in done.iter_mut().zip(MigrationStep::ALL) {
        *done = store.migrate(step, token, PACE).await?;
    }
    Ok(done)
}

/// Every item of the table of members.
async fn members(embedded: &Embedded) -> BTreeMap<(String, String), Item> {
    items(embedded, "members").await
}

/// Every item of a table.
async fn items(embedded: &Embedded, table: &str) -> BTreeMap<(String, String), Item> {
    let scan = embedded.client().scan().table_name(format!("test-{table}")).send().await.unwrap();
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
    let lookups =
        [Lookup::ExternalNumber, Lookup::Barcode, Lookup::Email, Lookup::Phone, Lookup::Card, Lookup::List];
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

/// The same members as the release before cards and phones stored them: found by all else.
async fn before_cards_and_phones() -> (Embedded, Store) {
    let (embedded, store) = before().await;
    store.migrate(MigrationStep::MembershipLookups, "earlier", PACE).await.unwrap();
    for (pk, sk) in members(&embedded).await.into_keys() {
        if pk.contains("#CARD#") || pk.contains("#PHONE#") {
            let key = Key { table: Table::Members, pk, sk };
            store.write(&key, Action::Delete(Expression::new())).await.unwrap().unwrap();
        }
    }
    (embedded, store)
}

fn by_phone(number: i64) -> MemberSearch {
    MemberSearch::Text(SearchText::parse(&format!("(1) 212 555-{number:04}")).unwrap())
}

#[tokio::test]
async fn members_of_before_are_found_by_card_and_phone_afterwards() {
    let (embedded, store) = before_cards_and_phones().await;
    let ids = BTreeSet::from(NUMBERS.map(|number| membership(number).id));
    let wrong = store.find_wrong_lookups(tenant(), &ids, &BTreeMap::new()).await.unwrap();
    let missing: BTreeSet<Lookup> = wrong.into_iter().map(|(_, by, _)| by).collect();
    assert_eq!(missing, BTreeSet::from([Lookup::Phone, Lookup::Card]));
    let card = membership(31).cards[0].id;
    assert_eq!(store.find_membership_of_card(tenant(), card).await.unwrap(), None);
    assert_eq!(store.search_members(tenant(), &by_phone(31)).await.unwrap(), []);

    let done = store.migrate(MigrationStep::CardsAndPhones, "first", PACE).await.unwrap();
    assert_eq!(done, Done { records: 2, completed: 2 });
    assert_eq!(store.find_wrong_lookups(tenant(), &ids, &BTreeMap::new()).await.unwrap(), []);
    assert_eq!(store.find_membership_of_card(tenant(), card).await.unwrap(), Some(membership(31)));
    assert_eq!(store.search_members(tenant(), &by_phone(31)).await.unwrap(), [membership(31)]);

    let completed = members(&embedded).await;
    let again = store.migrate(MigrationStep::CardsAndPhones, "second", PACE).await.unwrap();
    assert_eq!(again, Done { records: 2, completed: 0 });
    assert_eq!(members(&embedded).await, completed);
}

#[tokio::test(start_paused = true)]
async fn cards_and_phones_are_completed_by_another_run_where_one_was_cut_short() {
    let (embedded, store) = before_cards_and_phones().await;
    store.migrate(MigrationStep::CardsAndPhones, "whole", PACE).await.unwrap();
    let whole = members(&embedded).await;
    let (embedded, _) = before_cards_and_phones().await;
    let plan = FaultPlan::new();
    let counted = Store::new(Faulty::new(embedded, plan.clone()).client(), "test-");
    counted.migrate(MigrationStep::CardsAndPhones, "count", PACE).await.unwrap();
    let calls = plan.calls().len();
    assert!(calls >= 7, "{calls} calls");
    for call in 0..calls {
        for fault in [Fault::CrashBefore, Fault::CrashAfter, Fault::AnswerLost] {
            let (embedded, store) = before_cards_and_phones().await;
            let plan = FaultPlan::new();
            plan.at(call, fault);
            let dying = Store::new(Faulty::new(embedded.clone(), plan).client(), "test-");
            let _ = dying.migrate(MigrationStep::CardsAndPhones, "dying", PACE).await;
            store.migrate(MigrationStep::CardsAndPhones, "next", PACE).await.unwrap();
            assert_eq!(members(&embedded).await, whole, "call {call}: {fault:?}");
        }
    }
}

/// Between the reading of a membership and the writing of what leads to it, it is sold on: nothing stale is added.
#[tokio::test]
async fn what_is_sold_while_cards_and_phones_are_completed_is_left_to_the_sale() {
    let (embedded, store) = before_cards_and_phones().await;
    let key = Key::membership(tenant(), membership(31).id);
    let read = store.get_item(&key, Consistency::Strong).await.unwrap().unwrap();
    let (wanted, as_read) = lookups_as_read(tenant(), read).unwrap();
    let mut changed = membership(31);
    changed.cards[0].person.phone_number = Some("+44 20 7946 0018".to_owned());
    store.save_membership(tenant(), "change", &changed).await.unwrap();
    let after = members(&embedded).await;
    let mut missing = wanted;
    missing.retain(|(key, _)| !after.contains_key(&(key.pk.clone(), key.sk.clone())));
    assert_eq!(missing.len(), 1, "the old number is what leads nowhere");
    assert!(!store.add(&key, &as_read, &missing, "late").await.unwrap());
    assert_eq!(members(&embedded).await, after);
    store.migrate(MigrationStep::CardsAndPhones, "whole", PACE).await.unwrap();
    assert_eq!(store.search_members(tenant(), &by_phone(31)).await.unwrap(), []);
    let ids = BTreeSet::from(NUMBERS.map(|number| membership(number).id));
    assert_eq!(store.find_wrong_lookups(tenant(), &ids, &BTreeMap::new()).await.unwrap(), []);
}

#[tokio::test]
async fn tables_that_a_later_release_changed_are_left_alone() {
    let (_, store) = before().await;
    assert_eq!(store.load_migration_status().await.unwrap(), MigrationStatus { steps: 0 });
    store.note_migration_status(MigrationStatus { steps: 2 }).await.unwrap();
    assert_eq!(store.load_migration_status().await.unwrap(), MigrationStatus { steps: 2 });
    let mut later = encode(&Key::migration_status(), &MigrationStatus { steps: 9 }).unwrap();
    later.insert("v".to_owned(), crate::number(SCHEMA_VERSION + 1));
    store.write(&Key::migration_status(), Action::Put(later, Expression::new())).await.unwrap().unwrap();
    assert_eq!(store.load_migration_status().await.map_err(|fault| fault.kind), Err(StoreFault::Newer));
    let noted = store.note_migration_status(MigrationStatus { steps: 2 }).await;
    assert_eq!(noted.map_err(|fault| fault.kind), Err(StoreFault::Newer));
}
