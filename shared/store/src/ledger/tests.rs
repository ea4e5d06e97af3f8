use super::*;
use domain::ReservationId;
use domain::ledger::{MAX_RECLAIM, OwnHold, SlotState};
use domain::time::plus_secs;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn tenant() -> TenantId {
    TenantId::parse(1).unwrap()
}

fn instant(secs: i64) -> Timestamp {
    plus_secs(Timestamp::UNIX_EPOCH, 1_800_000_000 + secs)
}

fn id(number: i64) -> ReservationId {
    ReservationId::parse(number).unwrap()
}

fn hold(quantity: u32, until: i64) -> Hold {
    Hold { quantity, expires_at: instant(until) }
}

fn ledger(size: u32) -> Ledger {
    let template = TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap();
    let start = instant(864_000);
    Ledger {
        instance: InstanceId::of(&template, None, start.naive_utc(), start).unwrap(),
        template,
        schedule: None,
        shard: 0,
        start,
        end: plus_secs(start, 3_600),
        state: SlotState::Active,
        size,
        free: size,
        sold: 0,
        holds: BTreeMap::new(),
        edited: false,
    }
}

async fn store_with(ledger: &Ledger) -> Store {
    let store = Store::new(engine::fresh_database().unwrap(), "test-");
    store.create_tables().await.unwrap();
    store.create_ledger(tenant(), ledger).await.unwrap();
    store
}

async fn stored(store: &Store, ledger: &Ledger) -> Ledger {
    store.load_ledger(tenant(), &ledger.instance, Consistency::Strong).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_slot_that_was_not_generated_is_unknown() {
    let known = ledger(5);
    let store = store_with(&known).await;
    let start = instant(0);
    let other = InstanceId::of(&known.template, None, start.naive_utc(), start).unwrap();
    let change = LedgerChange::hold(id(1), hold(1, 600));
    let refused = store.change_ledger(tenant(), &other, &change, instant(0)).await.unwrap();
    assert_eq!(refused, Err((LedgerRefusal::UnknownSlot, None)));
    let stranger = TenantId::parse(2).unwrap();
    let refused = store.change_ledger(stranger, &known.instance, &change, instant(0)).await.unwrap();
    assert_eq!(refused, Err((LedgerRefusal::UnknownSlot, None)));
}

#[tokio::test]
async fn generating_a_slot_again_keeps_its_holds() {
    let slot = ledger(5);
    let store = store_with(&slot).await;
    store
        .change_ledger(tenant(), &slot.instance, &LedgerChange::hold(id(1), hold(2, 600)), instant(0))
        .await
        .unwrap()
        .unwrap();
    store.create_ledger(tenant(), &slot).await.unwrap();
    assert_eq!(stored(&store, &slot).await.free, 3);
}

#[tokio::test]
async fn a_buyer_takes_the_seats_of_more_expired_holds_than_one_update_can_name() {
    let seats = u32::try_from(MAX_RECLAIM).unwrap() * 3;
    let slot = ledger(seats);
    let store = store_with(&slot).await;
    for number in 1..=i64::from(seats) {
        let change = LedgerChange::hold(id(number), hold(1, 600));
        store.change_ledger(tenant(), &slot.instance, &change, instant(0)).await.unwrap().unwrap();
    }
    let all = LedgerChange::hold(id(9_999), hold(seats, 1_200));
    let refused =
        store.change_ledger(tenant(), &slot.instance, &all, instant(599)).await.unwrap().unwrap_err();
    assert_eq!(refused.0, LedgerRefusal::NotEnough { available: 0 });
    store.change_ledger(tenant(), &slot.instance, &all, instant(600)).await.unwrap().unwrap();
    let left = stored(&store, &slot).await;
    assert_eq!((left.free, left.holds.len()), (0, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parallel_buyers_get_exactly_the_seats_there_are() {
    let slot = ledger(10);
    let store = store_with(&slot).await;
    let mut buyers = tokio::task::JoinSet::new();
    for number in 1..=64 {
        let (store, slot) = (store.clone(), slot.clone());
        buyers.spawn(async move {
            let change = LedgerChange::hold(id(number), hold(3, 600));
            store.change_ledger(tenant(), &slot.instance, &change, instant(0)).await.unwrap().is_ok()
        });
    }
    let winners = buyers.join_all().await.into_iter().filter(|won| *won).count();
    assert_eq!(winners, 3);
    let left = stored(&store, &slot).await;
    assert!(left.is_sound());
    assert_eq!(left.free, 1);
}

/// A change that a caller may come up with, whether or not the ledger is in a state for it.
fn change(ledger: &Ledger, kind: u8, who: i64, quantity: u32, clock: i64) -> LedgerChange {
    let new = hold(quantity, clock + 100);
    let own = ledger.holds.get(&id(who)).copied();
    let assumed = own.unwrap_or(new);
    let own = own.map(|hold| OwnHold { reservation: id(who), hold });
    match kind % 5 {
        0 => LedgerChange::hold(id(who), new),
        1 => LedgerChange::replace(id(who), assumed, new),
        2 => LedgerChange::release(id(who), assumed),
        3 => LedgerChange::sell(quantity, own),
        _ => LedgerChange::unsell(quantity.min(ledger.sold), own, instant(clock)),
    }
}

/// The rule in memory, followed as [`Store::change_ledger`] follows it.
fn in_memory(ledger: &Ledger, change: &LedgerChange, now: Timestamp) -> Result<Ledger, LedgerRefusal> {
    let mut ledger = ledger.clone();
    loop {
        match ledger.transition(change, now)? {
            LedgerTransition::Change(transition) => return ledger.apply(&transition, now),
            LedgerTransition::ReclaimFirst(reclaim) => ledger = ledger.apply(&reclaim, now)?,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// The rule in memory and the conditional update agree on every change: on refusals and on results.
    #[test]
    fn the_database_keeps_the_ledger_as_the_rule_in_memory_does(
        size in 0..12_u32,
        cancelled in prop::bool::weighted(0.2),
        history in prop::collection::vec((0..5_u8, 1..5_i64, 1..5_u32, 0..60_i64), 1..25),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let state = if cancelled { SlotState::Cancelled } else { SlotState::Active };
            let mut model = Ledger { state, ..ledger(size) };
            let store = store_with(&model).await;
            let mut clock = 0;
            for (kind, who, quantity, wait) in history {
                clock += wait;
                let change = change(&model, kind, who, quantity, clock);
                let slot = &model.instance;
                let written = store.change_ledger(tenant(), slot, &change, instant(clock)).await.unwrap();
                match in_memory(&model, &change, instant(clock)) {
                    Ok(next) => {
                        prop_assert_eq!(written, Ok(()));
                        model = next;
                    }
                    Err(refusal) => prop_assert_eq!(written.unwrap_err().0, refusal),
                }
                prop_assert_eq!(&stored(&store, &model).await, &model);
                prop_assert!(model.is_sound());
            }
            Ok(())
        })?;
    }
}
