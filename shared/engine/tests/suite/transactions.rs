//! Transactions: all or nothing, reasons in order, tokens that make a repeat harmless.

use crate::support::{Item, at, code, get, item, number, number_in, put, tables, take};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    CancellationReason, ConditionCheck, Delete, Get, Put, TransactGetItem, TransactWriteItem,
};

fn insert(table: &str, item: Item) -> TransactWriteItem {
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(item))
        .condition_expression("attribute_not_exists(pk)")
        .build()
        .expect("a put");
    TransactWriteItem::builder().put(put).build()
}

#[tokio::test]
async fn a_transaction_writes_all_four_kinds_over_two_tables() {
    let client = tables().await;
    put(&client, "ledger", item("slot", &[("free", number(5))])).await;
    put(&client, "orders", item("cart", &[])).await;
    put(&client, "orders", item("coupon", &[])).await;
    let delete = Delete::builder().table_name("orders").set_key(Some(at("cart"))).build().unwrap();
    let check = ConditionCheck::builder()
        .table_name("orders")
        .set_key(Some(at("coupon")))
        .condition_expression("attribute_exists(pk)")
        .build()
        .unwrap();
    client
        .transact_write_items()
        .transact_items(take("ledger", "slot", 2))
        .transact_items(insert("orders", item("o-1", &[])))
        .transact_items(TransactWriteItem::builder().delete(delete).build())
        .transact_items(TransactWriteItem::builder().condition_check(check).build())
        .send()
        .await
        .unwrap();

    let read = |table: &str, name: &str| {
        let get = Get::builder().table_name(table).set_key(Some(at(name))).build().unwrap();
        TransactGetItem::builder().get(get).build()
    };
    let after = client
        .transact_get_items()
        .transact_items(read("ledger", "slot"))
        .transact_items(read("orders", "o-1"))
        .transact_items(read("orders", "cart"))
        .send()
        .await
        .unwrap();
    let after: Vec<Option<Item>> = after
        .responses
        .unwrap()
        .into_iter()
        .map(|response| response.item.filter(|item| !item.is_empty()))
        .collect();
    assert_eq!(after, [Some(item("slot", &[("free", number(3))])), Some(item("o-1", &[])), None]);
}

#[tokio::test]
async fn a_cancelled_transaction_names_each_reason_in_order_with_the_old_item_and_writes_nothing() {
    let client = tables().await;
    put(&client, "ledger", item("plenty", &[("free", number(9))])).await;
    put(&client, "ledger", item("scarce", &[("free", number(1))])).await;
    put(&client, "orders", item("o-1", &[])).await;
    let refusal = client
        .transact_write_items()
        .transact_items(take("ledger", "plenty", 2))
        .transact_items(take("ledger", "scarce", 2))
        .transact_items(insert("orders", item("o-2", &[])))
        .transact_items(insert("orders", item("o-1", &[])))
        .send()
        .await
        .unwrap_err();

    let TransactWriteItemsError::TransactionCanceledException(refusal) = refusal.into_service_error() else {
        panic!("another error");
    };
    let reasons = refusal.cancellation_reasons();
    let codes: Vec<&str> = reasons.iter().filter_map(CancellationReason::code).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed", "None", "ConditionalCheckFailed"]);
    assert_eq!(reasons[1].item, Some(item("scarce", &[("free", number(1))])));
    assert_eq!(reasons[3].item, None, "only a write that asks for the old item gets it");
    assert_eq!(number_in(&client, "ledger", "plenty", "free").await, 9);
    assert_eq!(get(&client, "orders", "o-2").await, None);
}

#[tokio::test]
async fn a_repeat_with_the_same_token_succeeds_without_writing_again() {
    let client = tables().await;
    put(&client, "ledger", item("slot", &[("free", number(3))])).await;
    let sale = |quantity| {
        client
            .transact_write_items()
            .client_request_token("sale-1")
            .transact_items(take("ledger", "slot", quantity))
    };
    for _ in 0..3 {
        sale(2).send().await.unwrap();
    }
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 1);

    let other = sale(1).send().await.unwrap_err();
    assert_eq!(code(&other), "IdempotentParameterMismatchException");
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 1);
}

#[tokio::test]
async fn a_refused_transaction_leaves_its_token_to_another() {
    let client = tables().await;
    put(&client, "ledger", item("slot", &[("free", number(3))])).await;
    let sale = |quantity| {
        client
            .transact_write_items()
            .client_request_token("sale-1")
            .transact_items(take("ledger", "slot", quantity))
    };
    for _ in 0..2 {
        assert_eq!(code(&sale(4).send().await.unwrap_err()), "TransactionCanceledException");
    }
    sale(2).send().await.unwrap();
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 1);
}

#[tokio::test]
async fn a_token_of_more_than_36_characters_is_refused() {
    let client = tables().await;
    put(&client, "ledger", item("slot", &[("free", number(3))])).await;
    let sale = |characters| {
        client
            .transact_write_items()
            .client_request_token("x".repeat(characters))
            .transact_items(take("ledger", "slot", 1))
    };
    sale(36).send().await.unwrap();
    assert_eq!(code(&sale(37).send().await.unwrap_err()), "ValidationException");
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn racing_calls_under_one_token_all_succeed_and_write_once() {
    let client = tables().await;
    put(&client, "ledger", item("slot", &[("free", number(30))])).await;
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let sale = client
                .transact_write_items()
                .client_request_token("sale-1")
                .transact_items(take("ledger", "slot", 1));
            tokio::spawn(sale.send())
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 29);
}

#[tokio::test]
async fn a_transaction_that_names_an_item_twice_is_refused() {
    let client = tables().await;
    put(&client, "ledger", item("slot", &[("free", number(3))])).await;
    let twice = client
        .transact_write_items()
        .transact_items(take("ledger", "slot", 1))
        .transact_items(take("ledger", "slot", 1));
    assert_eq!(code(&twice.send().await.unwrap_err()), "ValidationException");
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn racing_transactions_on_two_ledgers_never_take_from_one_alone() {
    let client = tables().await;
    put(&client, "ledger", item("a", &[("free", number(20))])).await;
    put(&client, "ledger", item("b", &[("free", number(30))])).await;
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let sale = client
                .transact_write_items()
                .transact_items(take("ledger", "a", 1))
                .transact_items(take("ledger", "b", 1));
            tokio::spawn(sale.send())
        })
        .collect();
    let mut winners = 0;
    for task in tasks {
        winners += i64::from(task.await.unwrap().is_ok());
    }
    assert_eq!(winners, 20);
    assert_eq!(number_in(&client, "ledger", "a", "free").await, 0);
    assert_eq!(number_in(&client, "ledger", "b", "free").await, 10);
}
