//! Databases that begin as copies of one.

use crate::support::{create_table, get, item, number, number_in, put, take, text};
use aws_sdk_dynamodb::Client;
use engine::Original;

/// An original with an order that is due and a ledger of five.
async fn written() -> Original {
    let original = Original::memory().unwrap();
    let client = original.engine().client();
    create_table(&client, "orders").await;
    create_table(&client, "ledger").await;
    let due = [("due_shard", text("0")), ("due_at", text("2027-06-01"))];
    put(&client, "orders", item("o-1", &due)).await;
    put(&client, "ledger", item("slot", &[("free", number(5))])).await;
    original
}

/// Takes so many of the ledger's seats, in a transaction with this token.
async fn sell(client: &Client, quantity: i64, token: &str) {
    let sale = client.transact_write_items().transact_items(take("ledger", "slot", quantity));
    sale.client_request_token(token).send().await.unwrap();
}

async fn free(client: &Client) -> i64 {
    number_in(client, "ledger", "slot", "free").await
}

#[tokio::test]
async fn a_copy_has_the_tables_with_their_items_and_indexes() {
    let client = written().await.copy().unwrap().client();
    let mut tables = client.list_tables().send().await.unwrap().table_names.unwrap_or_default();
    tables.sort();
    assert_eq!(tables, ["ledger", "orders"]);
    let due = client.query().table_name("orders").index_name("due");
    let due =
        due.key_condition_expression("due_shard = :shard").expression_attribute_values(":shard", text("0"));
    let due = due.send().await.unwrap();
    assert_eq!(due.items(), [get(&client, "orders", "o-1").await.unwrap()]);
    put(&client, "orders", item("o-2", &[("due_shard", text("1")), ("due_at", text("2027-06-02"))])).await;
    let all = client.scan().table_name("orders").index_name("due").send().await.unwrap();
    assert_eq!(all.count(), 2);
}

#[tokio::test]
async fn what_is_written_to_one_is_in_no_other() {
    let original = written().await;
    let [one, other] = [original.copy().unwrap().client(), original.copy().unwrap().client()];
    sell(&one, 3, "sale").await;
    // The same token, which no other database has seen.
    sell(&other, 1, "sale").await;
    put(&original.engine().client(), "ledger", item("slot", &[("free", number(9))])).await;
    assert_eq!((free(&one).await, free(&other).await), (2, 4));
    assert_eq!(
        free(&original.copy().unwrap().client()).await,
        9,
        "a copy is of the moment in which it is made"
    );
}

#[tokio::test]
async fn a_copy_outlives_its_original_and_two_originals_are_two() {
    let (one, other) = (written().await, Original::memory().unwrap());
    let copy = one.copy().unwrap();
    drop(one);
    assert_eq!(free(&copy.client()).await, 5);
    assert!(copy.holds_tables().unwrap() && !other.copy().unwrap().holds_tables().unwrap());
}

#[test]
fn copies_are_made_at_once_while_the_original_is_written() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let original = runtime.block_on(written());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert!(original.copy().unwrap().holds_tables().unwrap());
                }
            });
        }
        runtime.block_on(async {
            let client = original.engine().client();
            for number in 0..20 {
                put(&client, "orders", item(&format!("more-{number}"), &[])).await;
            }
        });
    });
    let all = runtime.block_on(async {
        let client = original.copy().unwrap().client();
        client.scan().table_name("orders").send().await.unwrap().count()
    });
    assert_eq!(all, 21);
}
