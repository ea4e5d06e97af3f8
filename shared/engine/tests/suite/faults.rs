//! Each fault does what it says, once, where it was put.

use crate::support::{Item, at, code, create_table, get, item, number, number_in, put, take};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{CancellationReason, KeysAndAttributes, PutRequest, WriteRequest};
use engine::{Embedded, Fault, FaultPlan, Faulty, Injected, Rates, Throttling, is_crash};
use std::collections::HashMap;
use std::time::Duration;

/// A process under a fault plan, and a view of the tables that no fault touches.
struct Rig {
    plan: FaultPlan,
    client: Client,
    truth: Client,
    engine: Embedded,
}

async fn rig() -> Rig {
    let engine = Embedded::memory().expect("an engine in memory");
    let truth = engine.client();
    create_table(&truth, "ledger").await;
    create_table(&truth, "orders").await;
    put(&truth, "ledger", item("slot", &[("free", number(10))])).await;
    let plan = FaultPlan::new();
    let client = Faulty::new(engine.clone(), plan.clone()).client();
    Rig { plan, client, truth, engine }
}

impl Rig {
    /// Takes one seat, unconditionally.
    fn take_one(&self) -> UpdateItemFluentBuilder {
        self.client
            .update_item()
            .table_name("ledger")
            .set_key(Some(at("slot")))
            .update_expression("SET #free = #free - :one")
            .expression_attribute_names("#free", "free")
            .expression_attribute_values(":one", number(1))
    }

    async fn free(&self) -> i64 {
        number_in(&self.truth, "ledger", "slot", "free").await
    }

    fn read(&self) -> aws_sdk_dynamodb::operation::get_item::builders::GetItemFluentBuilder {
        self.client.get_item().table_name("ledger").set_key(Some(at("slot")))
    }
}

#[tokio::test]
async fn without_a_fault_every_call_passes_and_is_recorded_in_order() {
    let rig = rig().await;
    rig.take_one().send().await.unwrap();
    rig.read().send().await.unwrap();
    rig.client.transact_write_items().transact_items(take("ledger", "slot", 1)).send().await.unwrap();
    assert_eq!(rig.plan.calls(), ["UpdateItem", "GetItem", "TransactWriteItems"]);
    assert_eq!(rig.plan.injected(), []);
    assert_eq!(rig.free().await, 8);
}

#[tokio::test]
async fn a_crash_before_a_call_applies_nothing_and_fails_every_later_call_until_the_restart() {
    let rig = rig().await;
    rig.plan.at(1, Fault::CrashBefore);
    rig.take_one().send().await.unwrap();
    let crash = rig.take_one().send().await.unwrap_err();
    assert!(is_crash(&crash), "{crash:?}");
    assert!(rig.plan.is_crashed());
    let later = rig.read().send().await.unwrap_err();
    assert!(is_crash(&later), "{later:?}");
    assert_eq!(rig.free().await, 9);

    rig.plan.restart();
    assert!(!rig.plan.is_crashed());
    rig.take_one().send().await.unwrap();
    assert_eq!(rig.free().await, 8);
    assert_eq!(rig.plan.calls(), ["UpdateItem"; 3], "a process that is down makes no calls");
}

#[tokio::test]
async fn a_crash_after_a_call_has_applied_it() {
    let rig = rig().await;
    rig.plan.at(0, Fault::CrashAfter);
    let crash = rig.take_one().send().await.unwrap_err();
    assert!(is_crash(&crash), "{crash:?}");
    assert_eq!(rig.free().await, 9);
    assert!(is_crash(&rig.read().send().await.unwrap_err()));
}

#[tokio::test]
async fn a_process_that_is_killed_makes_no_further_call_until_the_restart() {
    let rig = rig().await;
    rig.plan.kill();
    rig.plan.kill();
    assert!(is_crash(&rig.take_one().send().await.unwrap_err()));
    assert_eq!((rig.free().await, rig.plan.injected()), (10, vec![]));
    rig.plan.restart();
    rig.take_one().send().await.unwrap();
}

#[tokio::test]
async fn a_crash_of_one_process_leaves_another_on_the_same_tables_alone() {
    let rig = rig().await;
    let other = Faulty::new(rig.engine.clone(), FaultPlan::new()).client();
    rig.plan.at(0, Fault::CrashBefore);
    rig.take_one().send().await.unwrap_err();
    assert_eq!(number_in(&other, "ledger", "slot", "free").await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_dies_with_its_process_even_if_that_is_restarted_meanwhile() {
    let rig = rig().await;
    rig.plan.at(0, Fault::Slow(Duration::from_secs(5))).at(1, Fault::CrashBefore);
    let slow = tokio::spawn(rig.take_one().send());
    tokio::time::sleep(Duration::from_secs(1)).await;
    rig.read().send().await.unwrap_err();
    rig.plan.restart();
    let dead = slow.await.unwrap().unwrap_err();
    assert!(is_crash(&dead), "{dead:?}");
    assert_eq!(rig.free().await, 10, "it died before it was sent");
    rig.take_one().send().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_arrives_after_the_crash_of_its_process_is_not_seen() {
    let mut rig = rig().await;
    let network = FaultPlan::new();
    network.at(0, Fault::Slow(Duration::from_secs(5)));
    rig.client = Faulty::new(Faulty::new(rig.engine.clone(), network), rig.plan.clone()).client();
    rig.plan.at(1, Fault::CrashBefore);
    let under_way = tokio::spawn(rig.take_one().send());
    tokio::time::sleep(Duration::from_secs(1)).await;
    rig.read().send().await.unwrap_err();
    rig.plan.restart();
    let unseen = under_way.await.unwrap().unwrap_err();
    assert!(is_crash(&unseen), "{unseen:?}");
    assert_eq!(rig.free().await, 9, "it was on the network, so it was applied all the same");
}

#[tokio::test]
async fn a_lost_answer_is_a_time_out_of_a_call_that_was_applied() {
    let rig = rig().await;
    rig.plan.at(0, Fault::AnswerLost);
    let lost = rig.take_one().send().await.unwrap_err();
    let SdkError::DispatchFailure(failure) = &lost else { panic!("{lost:?}") };
    assert!(failure.is_timeout());
    assert!(!is_crash(&lost));
    assert_eq!(rig.free().await, 9);
    rig.take_one().send().await.unwrap();
    assert_eq!(rig.free().await, 8);
}

#[tokio::test]
async fn a_lost_answer_of_a_transaction_is_recognised_by_its_token() {
    let rig = rig().await;
    rig.plan.at_operation("TransactWriteItems", 0, Fault::AnswerLost);
    let sale = || {
        rig.client
            .transact_write_items()
            .client_request_token("sale-1")
            .transact_items(take("ledger", "slot", 4))
            .send()
    };
    sale().await.unwrap_err();
    sale().await.unwrap();
    assert_eq!(rig.free().await, 6);
}

#[tokio::test]
async fn a_throttled_call_is_refused_with_the_error_of_its_kind_and_not_applied() {
    let rig = rig().await;
    rig.plan.at(0, Fault::Throttle(Throttling::Table)).at(1, Fault::Throttle(Throttling::Account));
    let table = rig.take_one().send().await.unwrap_err();
    assert_eq!(code(&table), "ProvisionedThroughputExceededException");
    let account = rig.take_one().send().await.unwrap_err();
    assert_eq!(code(&account), "ThrottlingException");
    assert_eq!(rig.free().await, 10);
}

/// The codes of a cancelled sale of one seat on `slot` with a harmless second item.
async fn cancelled_codes(rig: &Rig) -> Vec<String> {
    put(&rig.truth, "ledger", item("other", &[("free", number(10))])).await;
    let sale = rig
        .client
        .transact_write_items()
        .transact_items(take("ledger", "slot", 1))
        .transact_items(take("ledger", "other", 1));
    let refusal = sale.send().await.expect_err("a refusal").into_service_error();
    let cancelled = if let TransactWriteItemsError::TransactionCanceledException(cancelled) = refusal {
        Some(cancelled)
    } else {
        None
    };
    let cancelled = cancelled.expect("a cancelled transaction");
    let codes = cancelled.cancellation_reasons().iter().filter_map(CancellationReason::code);
    codes.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_throttled_transaction_is_cancelled_for_one_of_its_items() {
    let rig = rig().await;
    rig.plan.at(0, Fault::Throttle(Throttling::Table));
    assert_eq!(cancelled_codes(&rig).await, ["ProvisionedThroughputExceeded", "None"]);
    assert_eq!(rig.free().await, 10);
}

#[tokio::test]
async fn a_conflict_cancels_a_transaction_for_the_item_its_call_index_points_at() {
    let rig = rig().await;
    rig.plan.at(0, Fault::TransactionConflict).at(1, Fault::TransactionConflict);
    assert_eq!(cancelled_codes(&rig).await, ["TransactionConflict", "None"]);
    assert_eq!(cancelled_codes(&rig).await, ["None", "TransactionConflict"]);
    assert_eq!(rig.free().await, 10);
}

#[tokio::test]
async fn a_conflict_refuses_a_plain_write_and_never_strikes_a_plain_read() {
    let rig = rig().await;
    rig.plan.at(0, Fault::TransactionConflict).at(1, Fault::TransactionConflict);
    let conflict = rig.take_one().send().await.unwrap_err();
    assert_eq!(code(&conflict), "TransactionConflictException");
    rig.read().send().await.unwrap();
    let struck = Injected { call: 0, operation: "UpdateItem".to_owned(), fault: Fault::TransactionConflict };
    assert_eq!(rig.plan.injected(), [struck]);
    assert_eq!(rig.free().await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_takes_its_delay_on_a_paused_clock_and_then_succeeds() {
    let rig = rig().await;
    rig.plan.at(0, Fault::Slow(Duration::from_secs(30)));
    let before = tokio::time::Instant::now();
    rig.take_one().send().await.unwrap();
    assert_eq!(before.elapsed().as_secs(), 30);
    assert_eq!(rig.free().await, 9);
}

fn keys(names: &[&str]) -> KeysAndAttributes {
    let keys = names.iter().map(|name| at(name)).collect();
    KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build().expect("keys")
}

#[tokio::test]
async fn a_half_done_read_batch_hands_back_the_other_half_and_asking_again_completes_it() {
    let rig = rig().await;
    for (table, name) in [("ledger", "a"), ("ledger", "b"), ("ledger", "c"), ("orders", "d")] {
        put(&rig.truth, table, item(name, &[])).await;
    }
    rig.plan.at(0, Fault::Unprocessed);
    let mut wanted = Some(HashMap::from([
        ("ledger".to_owned(), keys(&["a", "b", "c"])),
        ("orders".to_owned(), keys(&["d"])),
    ]));
    let mut found_by_call: Vec<Vec<String>> = Vec::new();
    while let Some(request) = wanted.take() {
        let answer = rig.client.batch_get_item().set_request_items(Some(request)).send().await.unwrap();
        let items = answer.responses.unwrap_or_default().into_values().flatten();
        let mut found: Vec<String> = items.map(|item: Item| item["sk"].as_s().unwrap().clone()).collect();
        found.sort();
        found_by_call.push(found);
        let left = answer.unprocessed_keys.unwrap_or_default();
        assert!(left.values().all(|keys| keys.consistent_read == Some(true)), "settings are handed back too");
        wanted = Some(left).filter(|left| !left.is_empty());
    }
    assert_eq!(found_by_call, [["a", "c"], ["b", "d"]]);
}

fn write(name: &str) -> WriteRequest {
    let put = PutRequest::builder().set_item(Some(item(name, &[]))).build().expect("a put");
    WriteRequest::builder().put_request(put).build()
}

#[tokio::test]
async fn a_half_done_write_batch_hands_back_what_it_did_not_write() {
    let rig = rig().await;
    rig.plan.at(0, Fault::Unprocessed);
    let batch =
        rig.client.batch_write_item().request_items("orders", vec![write("a"), write("b"), write("c")]);
    let left = batch.send().await.unwrap().unprocessed_items.unwrap();
    assert_eq!(left, HashMap::from([("orders".to_owned(), vec![write("b")])]));
    for (name, written) in [("a", true), ("b", false), ("c", true)] {
        assert_eq!(get(&rig.truth, "orders", name).await.is_some(), written, "{name}");
    }
}

#[tokio::test]
async fn a_batch_of_one_that_cannot_be_done_is_throttled_and_other_calls_are_never_unprocessed() {
    let rig = rig().await;
    rig.plan.at(0, Fault::Unprocessed).at(1, Fault::Unprocessed);
    let single = rig.client.batch_write_item().request_items("orders", vec![write("a")]);
    assert_eq!(code(&single.send().await.unwrap_err()), "ProvisionedThroughputExceededException");
    assert_eq!(get(&rig.truth, "orders", "a").await, None);
    rig.take_one().send().await.unwrap();
}

#[tokio::test]
async fn a_fault_can_be_put_on_the_nth_call_of_an_operation_and_yields_to_one_put_on_the_index() {
    let rig = rig().await;
    rig.plan
        .at_operation("UpdateItem", 1, Fault::AnswerLost)
        .at_operation("UpdateItem", 2, Fault::AnswerLost)
        .at(3, Fault::Throttle(Throttling::Account));
    rig.take_one().send().await.unwrap();
    rig.read().send().await.unwrap();
    assert!(matches!(rig.take_one().send().await, Err(SdkError::DispatchFailure(_))));
    assert_eq!(code(&rig.take_one().send().await.unwrap_err()), "ThrottlingException");
    rig.take_one().send().await.unwrap();
}

#[tokio::test]
async fn a_reset_counts_from_zero_and_a_heal_ends_all_faults_but_keeps_the_records() {
    let rig = rig().await;
    rig.plan.at(5, Fault::CrashBefore);
    rig.take_one().send().await.unwrap();
    rig.plan.reset();
    assert_eq!(rig.plan.calls(), [""; 0]);

    rig.plan.at(0, Fault::CrashBefore).at(1, Fault::CrashBefore);
    rig.take_one().send().await.unwrap_err();
    rig.plan.heal();
    rig.take_one().send().await.unwrap();
    assert_eq!(rig.plan.calls(), ["UpdateItem"; 2]);
    assert_eq!(rig.plan.injected().len(), 1);
}

/// The faults that `calls` calls meet under `rates`; none of the rates may crash.
async fn drawn(seed: u64, rates: Rates, calls: usize) -> Vec<Injected> {
    let rig = rig().await;
    let plan = FaultPlan::random(seed, rates);
    let client = Faulty::new(rig.engine.clone(), plan.clone()).client();
    for _ in 0..calls {
        // Whether the call is refused is the plan's business; the record tells.
        let _outcome = client.get_item().table_name("ledger").set_key(Some(at("slot"))).send().await;
    }
    plan.injected()
}

#[tokio::test(start_paused = true)]
async fn a_seed_always_draws_the_same_faults_at_about_the_asked_rate() {
    let rates = Rates {
        answer_lost: 100,
        throttle: 100,
        transaction_conflict: 300,
        slow: 100,
        slowest: Duration::from_millis(50),
        ..Rates::default()
    };
    let first = drawn(7, rates, 400).await;
    assert_eq!(drawn(7, rates, 400).await, first);
    assert_ne!(drawn(8, rates, 400).await, first);

    let count = |wanted: fn(&Fault) -> bool| first.iter().filter(|struck| wanted(&struck.fault)).count();
    for (struck, name) in [
        (count(|fault| matches!(fault, Fault::AnswerLost)), "lost answers"),
        (count(|fault| matches!(fault, Fault::Throttle(_))), "throttled"),
        (count(|fault| matches!(fault, Fault::Slow(_))), "slow"),
    ] {
        assert!((20..=65).contains(&struck), "{name}: {struck} of 400 at 100 per mille");
    }
    assert_eq!(count(|fault| matches!(fault, Fault::TransactionConflict)), 0, "reads do not conflict");
    for throttling in [Throttling::Table, Throttling::Account] {
        assert!(first.iter().any(|struck| struck.fault == Fault::Throttle(throttling)), "{throttling:?}");
    }
}

#[tokio::test]
async fn a_certain_rate_strikes_every_call() {
    let rates = Rates { throttle: 1000, ..Rates::default() };
    assert_eq!(drawn(1, rates, 50).await.len(), 50);
    assert_eq!(drawn(1, Rates::default(), 50).await, []);
}
