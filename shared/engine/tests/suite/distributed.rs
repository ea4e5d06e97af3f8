//! What a database of many machines does, each on its own and only where it is asked to.

use crate::support::{at, code, create_table, get, item, number, number_in, put, take, text};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::CancellationReason;
use engine::{Distributed, Habits, Met};
use std::time::Duration;

/// A database with two ledgers of ten seats each, and then these habits.
async fn database(habits: Habits) -> (Distributed, Client) {
    let database = Distributed::memory().expect("an engine in memory");
    let client = database.client();
    create_table(&client, "ledger").await;
    for name in ["slot", "other"] {
        put(&client, "ledger", item(name, &[("free", number(10))])).await;
    }
    database.behave(habits);
    (database, client)
}

fn sale(client: &Client, names: &[&str]) -> TransactWriteItemsFluentBuilder {
    let items = names.iter().map(|name| take("ledger", name, 1)).collect();
    client.transact_write_items().set_transact_items(Some(items))
}

/// The codes of the reasons of a cancelled transaction.
async fn cancelled(sale: TransactWriteItemsFluentBuilder) -> Vec<String> {
    let refusal = sale.send().await.expect_err("a refusal").into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = refusal else {
        panic!("another error");
    };
    cancelled.cancellation_reasons().iter().filter_map(CancellationReason::code).map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn a_partition_takes_so_many_write_units_in_a_second_and_no_more() {
    let (database, client) = database(Habits { write_units_per_sec: Some(3), ..Habits::default() }).await;
    for _ in 0..3 {
        put(&client, "ledger", item("new", &[])).await;
    }
    let beyond = client.put_item().table_name("ledger").set_item(Some(item("beyond", &[])));
    assert_eq!(code(&beyond.clone().send().await.unwrap_err()), "ThrottlingException");
    assert_eq!(get(&client, "ledger", "beyond").await, None);
    let mut elsewhere = item("elsewhere", &[]);
    elsewhere.insert("pk".to_owned(), text("t#2"));
    put(&client, "ledger", elsewhere).await;
    tokio::time::advance(Duration::from_secs(1)).await;
    beyond.send().await.unwrap();
    assert_eq!(database.met(), Met { throttled: 1, ..Met::default() });
}

#[tokio::test(start_paused = true)]
async fn an_item_costs_a_write_unit_for_each_kilobyte_of_what_is_there_or_put() {
    let (_, client) = database(Habits { write_units_per_sec: Some(5), ..Habits::default() }).await;
    let big = |bytes: usize| item("big", &[("body", text(&"x".repeat(bytes)))]);
    put(&client, "ledger", big(2_500)).await;
    let delete = client.delete_item().table_name("ledger").set_key(Some(at("big")));
    assert_eq!(code(&delete.clone().send().await.unwrap_err()), "ThrottlingException");
    tokio::time::advance(Duration::from_secs(1)).await;
    delete.send().await.unwrap();
    put(&client, "ledger", big(1_500)).await;
    let sixth = client.put_item().table_name("ledger").set_item(Some(item("small", &[])));
    assert_eq!(code(&sixth.send().await.unwrap_err()), "ThrottlingException");
}

#[tokio::test(start_paused = true)]
async fn a_transaction_costs_twice_and_is_cancelled_for_the_items_that_are_too_many() {
    let (database, client) = database(Habits { write_units_per_sec: Some(3), ..Habits::default() }).await;
    assert_eq!(cancelled(sale(&client, &["slot", "other"])).await, ["None", "ThrottlingError"]);
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 10);
    sale(&client, &["slot"]).send().await.unwrap();
    put(&client, "ledger", item("third unit", &[])).await;
    assert_eq!(cancelled(sale(&client, &["slot"])).await, ["ThrottlingError"]);
    assert_eq!(database.met().throttled, 2);
}

/// Transactions that take some time.
fn lasting() -> Habits {
    Habits { longest_transaction: Duration::from_secs(10), seed: 3, ..Habits::default() }
}

#[tokio::test(start_paused = true)]
async fn a_transaction_under_way_is_in_the_way_of_writes_of_its_items_only() {
    let (database, client) = database(lasting()).await;
    let under_way = tokio::spawn(sale(&client, &["slot"]).send());
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(cancelled(sale(&client, &["other", "slot"])).await, ["None", "TransactionConflict"]);
    let update = client
        .update_item()
        .table_name("ledger")
        .set_key(Some(at("slot")))
        .update_expression("SET #free = :q")
        .expression_attribute_names("#free", "free")
        .expression_attribute_values(":q", number(0));
    assert_eq!(code(&update.clone().send().await.unwrap_err()), "TransactionConflictException");
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 10, "readers are not kept waiting");
    sale(&client, &["other"]).send().await.unwrap();
    under_way.await.unwrap().unwrap();
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 9);
    update.send().await.unwrap();
    assert_eq!(database.met(), Met { conflicts: 2, ..Met::default() });
}

#[tokio::test(start_paused = true)]
async fn a_transaction_that_nobody_waits_for_any_more_lets_its_items_go() {
    let (_, client) = database(lasting()).await;
    let given_up = tokio::spawn(sale(&client, &["slot"]).send());
    tokio::time::sleep(Duration::from_millis(1)).await;
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    sale(&client, &["slot"]).send().await.unwrap();
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 9);
}

/// What is due, by the index, in the order in which it is.
async fn due(client: &Client) -> Vec<String> {
    let query = client
        .query()
        .table_name("ledger")
        .index_name("due")
        .key_condition_expression("due_shard = :shard")
        .expression_attribute_values(":shard", text("0"));
    let items = query.send().await.unwrap().items.unwrap_or_default();
    items.iter().map(|item| item["sk"].as_s().unwrap().clone()).collect()
}

#[tokio::test]
async fn an_index_answers_as_of_some_writes_ago() {
    let (database, client) = database(Habits { missed_writes: 3, seed: 5, ..Habits::default() }).await;
    let mut missed = Vec::new();
    for number in 0..20_usize {
        let name = format!("{number:02}");
        put(&client, "ledger", item(&name, &[("due_shard", text("0")), ("due_at", text(&name))])).await;
        let found = due(&client).await;
        let expected: Vec<String> = (0..found.len()).map(|number| format!("{number:02}")).collect();
        assert_eq!(found, expected, "a state that was");
        missed.push(number + 1 - found.len());
    }
    missed.sort_unstable();
    missed.dedup();
    assert_eq!(missed, [0, 1, 2, 3]);
    assert!((1..20).contains(&database.met().stale_reads), "{:?}", database.met());
    database.behave(Habits::default());
    assert_eq!(due(&client).await.len(), 20);
}

#[tokio::test]
async fn a_read_that_does_not_ask_for_a_consistent_answer_may_get_an_older_one() {
    let (database, client) = database(Habits { missed_writes: 2, seed: 5, ..Habits::default() }).await;
    let mut seen = Vec::new();
    for free in (0..10).rev() {
        put(&client, "ledger", item("slot", &[("free", number(free))])).await;
        let eventual = client.get_item().table_name("ledger").set_key(Some(at("slot"))).send().await.unwrap();
        seen.push(eventual.item.unwrap()["free"].as_n().unwrap().parse::<i64>().unwrap());
        assert_eq!(number_in(&client, "ledger", "slot", "free").await, free, "asked for a consistent answer");
    }
    assert!(seen.is_sorted_by(|earlier, later| earlier >= later), "never back in time: {seen:?}");
    assert_ne!(seen, (0..10).rev().collect::<Vec<_>>());
    assert!(database.met().stale_reads > 0);
}

#[tokio::test(start_paused = true)]
async fn the_same_requests_take_the_same_course_by_seed() {
    let course = async |seed| {
        let (database, client) =
            database(Habits { seed, missed_writes: 2, write_units_per_sec: Some(30), ..lasting() }).await;
        let sales = (0..12).map(|number| {
            let sale = sale(&client, [["slot"], ["other"]][number % 2].as_slice());
            let client = client.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(700 * u64::try_from(number).unwrap())).await;
                let sold = sale.send().await.is_ok();
                let read = client.get_item().table_name("ledger").set_key(Some(at("slot"))).send().await;
                (sold, read.unwrap().item.map(|item| item["free"].clone()))
            })
        });
        let mut seen = Vec::new();
        for sale in sales.collect::<Vec<_>>() {
            seen.push(sale.await.unwrap());
        }
        (seen, database.met())
    };
    let first = course(1).await;
    assert!(first.1.conflicts > 0 && first.1.stale_reads > 0, "{first:?}");
    assert_eq!(course(1).await, first);
    assert_ne!(course(2).await, first);
}

#[tokio::test]
async fn without_habits_it_is_the_engine() {
    let (database, client) = database(Habits::default()).await;
    for _ in 0..5 {
        sale(&client, &["slot", "other"]).send().await.unwrap();
    }
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 5);
    assert_eq!(number_in(&database.truth().client(), "ledger", "other", "free").await, 5);
    assert_eq!(database.met(), Met::default());
}
