//! What AWS refuses must be refused here, whoever does it: the engine or this crate. The emulator that is the
//! second engine counts no operators (see `tests/stack/second_engine.py`).

use crate::support::{at, code, get, item, number, put, tables, take, text};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{ConditionCheck, TransactWriteItem};

/// A condition of `comparisons` comparisons joined by `comparisons - 1` `AND`s.
fn condition(comparisons: usize) -> String {
    vec!["n = :n"; comparisons].join(" AND ")
}

async fn with_item() -> Client {
    let client = tables().await;
    put(&client, "ledger", item("a", &[("n", number(1))])).await;
    client
}

fn touch(client: &Client, condition: String) -> UpdateItemFluentBuilder {
    client
        .update_item()
        .table_name("ledger")
        .set_key(Some(at("a")))
        .update_expression("SET touched = :n")
        .condition_expression(condition)
        .expression_attribute_values(":n", number(1))
}

#[tokio::test]
async fn an_expression_may_have_three_hundred_operators_and_no_more() {
    let client = with_item().await;
    for too_many in [
        condition(151),
        format!("NOT NOT ({})", condition(150)),
        format!("attribute_exists(n) AND {}", condition(150)),
    ] {
        let refusal = touch(&client, too_many).send().await.unwrap_err();
        assert_eq!(code(&refusal), "ValidationException");
    }
    assert_eq!(get(&client, "ledger", "a").await, Some(item("a", &[("n", number(1))])));

    let three_hundred = format!("NOT ({})", condition(150).replace(":n", ":other"));
    let update = touch(&client, three_hundred).expression_attribute_values(":other", number(2));
    update.send().await.unwrap();
}

#[tokio::test]
async fn the_operators_of_a_transactions_writes_are_counted_one_by_one() {
    let client = with_item().await;
    let check = |name: &str, comparisons| {
        let check = ConditionCheck::builder()
            .table_name("ledger")
            .set_key(Some(at(name)))
            .condition_expression(condition(comparisons))
            .expression_attribute_values(":n", number(1))
            .build()
            .unwrap();
        TransactWriteItem::builder().condition_check(check).build()
    };
    put(&client, "ledger", item("b", &[("n", number(1))])).await;
    let transact = |one, other| {
        client.transact_write_items().transact_items(check("a", one)).transact_items(check("b", other)).send()
    };
    transact(150, 150).await.unwrap();
    assert_eq!(code(&transact(1, 151).await.unwrap_err()), "ValidationException");
}

#[tokio::test]
async fn a_filter_and_an_update_are_held_to_the_same_number() {
    let client = with_item().await;
    let filtered = client
        .query()
        .table_name("ledger")
        .key_condition_expression("pk = :pk")
        .filter_expression(condition(151))
        .expression_attribute_values(":pk", text("t#1"))
        .expression_attribute_values(":n", number(1));
    assert_eq!(code(&filtered.send().await.unwrap_err()), "ValidationException");

    let sums: Vec<String> = (0..301).map(|index| format!("a{index}=n+:n")).collect();
    let update = client
        .update_item()
        .table_name("ledger")
        .set_key(Some(at("a")))
        .update_expression(format!("SET {}", sums.join(",")))
        .expression_attribute_values(":n", number(1));
    assert_eq!(code(&update.send().await.unwrap_err()), "ValidationException");
}

#[tokio::test]
async fn an_expression_may_have_four_kilobytes_and_no_more() {
    let client = with_item().await;
    let padded = |bytes: usize| format!("{:bytes$}", condition(1));
    assert_eq!(code(&touch(&client, padded(4097)).send().await.unwrap_err()), "ValidationException");
    touch(&client, padded(4096)).send().await.unwrap();

    let update = touch(&client, condition(1)).update_expression(format!("{:4097}", "SET touched = :n"));
    assert_eq!(code(&update.send().await.unwrap_err()), "ValidationException");

    let check = ConditionCheck::builder()
        .table_name("ledger")
        .set_key(Some(at("a")))
        .condition_expression(padded(4097))
        .expression_attribute_values(":n", number(1))
        .build()
        .unwrap();
    let check = TransactWriteItem::builder().condition_check(check).build();
    let refusal = client.transact_write_items().transact_items(check).send().await.unwrap_err();
    assert_eq!(code(&refusal), "ValidationException");
}

#[tokio::test]
async fn a_transaction_may_have_a_hundred_items_and_no_more() {
    let client = with_item().await;
    let names: Vec<String> = (0..101).map(|index| format!("slot-{index}")).collect();
    for name in &names {
        put(&client, "ledger", item(name, &[("free", number(1))])).await;
    }
    let transact = |names: &[String]| {
        let items = names.iter().map(|name| take("ledger", name, 1)).collect();
        client.transact_write_items().set_transact_items(Some(items)).send()
    };
    assert_eq!(code(&transact(&names).await.unwrap_err()), "ValidationException");
    transact(&names[..100]).await.unwrap();
}

#[tokio::test]
async fn an_item_may_have_four_hundred_kilobytes_and_no_more() {
    let client = with_item().await;
    let names_and_key = "pk".len() + "t#1".len() + "sk".len() + "big".len() + "body".len();
    let largest = 400 * 1024 - names_and_key;
    let big = |bytes: usize| Some(item("big", &[("body", text(&"x".repeat(bytes)))]));
    client.put_item().table_name("ledger").set_item(big(largest)).send().await.unwrap();

    let refused_put = client.put_item().table_name("ledger").set_item(big(largest + 1)).send().await;
    assert_eq!(code(&refused_put.unwrap_err()), "ValidationException");
    let growth = client
        .update_item()
        .table_name("ledger")
        .set_key(Some(at("big")))
        .update_expression("SET more = :n")
        .expression_attribute_values(":n", number(1));
    assert_eq!(code(&growth.send().await.unwrap_err()), "ValidationException");
}
