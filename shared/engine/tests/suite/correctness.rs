//! Single items, batches, indexes and races, on the embedded engine and on another one (see `tests/stack`).

use crate::support::{at, code, get, item, number, number_in, put, tables, text};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, PutRequest, ReturnValue, ReturnValuesOnConditionCheckFailure,
    TimeToLiveSpecification, WriteRequest,
};
use std::collections::HashMap;

type Update = aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;

#[tokio::test]
async fn a_put_if_absent_is_refused_with_the_item_that_is_there() {
    let client = tables().await;
    let put_if_absent = |owner: &str| {
        client
            .put_item()
            .table_name("orders")
            .set_item(Some(item("guard", &[("owner", text(owner))])))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    };
    put_if_absent("first").send().await.unwrap();
    let refusal = put_if_absent("second").send().await.unwrap_err();

    let PutItemError::ConditionalCheckFailedException(refusal) = refusal.into_service_error() else {
        panic!("another error");
    };
    assert_eq!(refusal.item, Some(item("guard", &[("owner", text("first"))])));
    assert_eq!(get(&client, "orders", "guard").await, Some(item("guard", &[("owner", text("first"))])));
}

/// One hold on the capacity ledger `slot`: the shape of the store's hottest write.
fn hold(client: &Client, id: &str, quantity: i64) -> Update {
    let content = HashMap::from([
        ("quantity".to_owned(), number(quantity)),
        ("expires_at".to_owned(), text("2027-01-01T00:00:00Z")),
    ]);
    client
        .update_item()
        .table_name("ledger")
        .set_key(Some(at("slot")))
        .update_expression("SET #free = #free - :q, #holds.#id = :hold")
        .condition_expression(
            "#free >= :q AND attribute_not_exists(#holds.#id) AND NOT #closed = :true AND size(#holds) < :limit",
        )
        .expression_attribute_names("#free", "free")
        .expression_attribute_names("#holds", "holds")
        .expression_attribute_names("#closed", "closed")
        .expression_attribute_names("#id", id)
        .expression_attribute_values(":q", number(quantity))
        .expression_attribute_values(":hold", AttributeValue::M(content))
        .expression_attribute_values(":true", AttributeValue::Bool(true))
        .expression_attribute_values(":limit", number(3))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
}

async fn put_ledger(client: &Client, free: i64) {
    let attributes = [
        ("free", number(free)),
        ("closed", AttributeValue::Bool(false)),
        ("holds", AttributeValue::M(HashMap::new())),
    ];
    put(client, "ledger", item("slot", &attributes)).await;
}

#[tokio::test]
async fn a_hold_is_a_key_of_a_nested_map_taken_and_given_back_in_one_update() {
    let client = tables().await;
    put_ledger(&client, 10).await;
    hold(&client, "r-1", 4).send().await.unwrap();
    hold(&client, "r-2", 3).send().await.unwrap();
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 3);

    let released = client
        .update_item()
        .table_name("ledger")
        .set_key(Some(at("slot")))
        .update_expression("SET #free = #free + :q REMOVE #holds.#id")
        .condition_expression("#holds.#id.#quantity = :q")
        .expression_attribute_names("#free", "free")
        .expression_attribute_names("#holds", "holds")
        .expression_attribute_names("#quantity", "quantity")
        .expression_attribute_names("#id", "r-1")
        .expression_attribute_values(":q", number(4))
        .return_values(ReturnValue::AllNew)
        .send()
        .await
        .unwrap();
    let after = released.attributes.unwrap();
    assert_eq!(after["free"], number(7));
    let left: Vec<&String> = after["holds"].as_m().unwrap().keys().collect();
    assert_eq!(left, ["r-2"]);
}

#[tokio::test]
async fn each_condition_of_a_hold_refuses_alone_and_shows_the_ledger() {
    for (before, id, quantity, why) in [
        (vec![], "r-1", 11, "too few seats"),
        (vec!["r-1"], "r-1", 1, "the hold is there already"),
        (vec!["r-1", "r-2", "r-3"], "r-4", 1, "size(holds) is at its limit"),
    ] {
        let client = tables().await;
        put_ledger(&client, 10).await;
        for earlier in &before {
            hold(&client, earlier, 1).send().await.unwrap();
        }
        let refusal = hold(&client, id, quantity).send().await.unwrap_err();
        let UpdateItemError::ConditionalCheckFailedException(refusal) = refusal.into_service_error() else {
            panic!("another error: {why}");
        };
        let ledger = refusal.item.expect("the ledger as it was");
        assert_eq!(ledger["holds"].as_m().unwrap().len(), before.len(), "{why}");
    }
}

#[tokio::test]
async fn a_condition_on_a_missing_item_is_refused_without_an_item() {
    let client = tables().await;
    let refusal = hold(&client, "r-1", 1).send().await.unwrap_err();
    let UpdateItemError::ConditionalCheckFailedException(refusal) = refusal.into_service_error() else {
        panic!("another error");
    };
    assert_eq!(refusal.item, None);
}

#[tokio::test]
async fn a_sparse_index_holds_only_items_with_its_keys_in_order() {
    let client = tables().await;
    for (name, due) in [("o-1", Some("12:00")), ("o-2", None), ("o-3", Some("11:00")), ("o-4", Some("13:00"))]
    {
        let mut order = item(name, &[]);
        if let Some(due) = due {
            order.insert("due_shard".to_owned(), text("7"));
            order.insert("due_at".to_owned(), text(due));
        }
        put(&client, "orders", order).await;
    }
    let due = || async {
        let query = client
            .query()
            .table_name("orders")
            .index_name("due")
            .key_condition_expression("due_shard = :shard AND due_at <= :now")
            .expression_attribute_values(":shard", text("7"))
            .expression_attribute_values(":now", text("12:30"));
        let found = query.send().await.unwrap().items.unwrap_or_default();
        found.iter().map(|item| item["sk"].as_s().unwrap().clone()).collect::<Vec<_>>()
    };
    assert_eq!(due().await, ["o-3", "o-1"]);

    let settle = client.update_item().table_name("orders").set_key(Some(at("o-3")));
    settle.update_expression("REMOVE due_shard, due_at").send().await.unwrap();
    assert_eq!(due().await, ["o-1"]);
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_repeat_in_both_directions() {
    let client = tables().await;
    let names: Vec<String> = (0..23).map(|index| format!("o-{index:02}")).collect();
    for name in &names {
        put(&client, "orders", item(name, &[])).await;
    }
    for forward in [true, false] {
        let (mut seen, mut start) = (Vec::new(), None);
        loop {
            let page = client
                .query()
                .table_name("orders")
                .key_condition_expression("pk = :pk AND begins_with(sk, :prefix)")
                .expression_attribute_values(":pk", text("t#1"))
                .expression_attribute_values(":prefix", text("o-"))
                .scan_index_forward(forward)
                .limit(5)
                .set_exclusive_start_key(start)
                .send()
                .await
                .unwrap();
            seen.extend(page.items().iter().map(|item| item["sk"].as_s().unwrap().clone()));
            start = page.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        let mut expected = names.clone();
        if !forward {
            expected.reverse();
        }
        assert_eq!(seen, expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_racing_tasks_for_forty_seats_have_exactly_forty_winners() {
    let client = tables().await;
    put(&client, "ledger", item("slot", &[("free", number(40))])).await;
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let take = client
                .update_item()
                .table_name("ledger")
                .set_key(Some(at("slot")))
                .update_expression("SET #free = #free - :one")
                .expression_attribute_names("#free", "free")
                .condition_expression("#free >= :one")
                .expression_attribute_values(":one", number(1));
            tokio::spawn(take.send())
        })
        .collect();
    let (mut winners, mut refused) = (0, 0);
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => winners += 1,
            Err(error) if code(&error) == "ConditionalCheckFailedException" => refused += 1,
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!((winners, refused), (40, 24));
    assert_eq!(number_in(&client, "ledger", "slot", "free").await, 0);
}

#[tokio::test]
async fn one_batch_reads_several_tables_and_skips_what_is_missing() {
    let client = tables().await;
    put(&client, "ledger", item("slot", &[("free", number(1))])).await;
    put(&client, "orders", item("o-1", &[])).await;
    let keys = |names: &[&str]| {
        let keys = names.iter().map(|name| at(name)).collect();
        KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build().unwrap()
    };
    let answer = client
        .batch_get_item()
        .request_items("ledger", keys(&["slot", "nowhere"]))
        .request_items("orders", keys(&["o-1"]))
        .send()
        .await
        .unwrap();
    let found = answer.responses.unwrap();
    assert_eq!(found["ledger"], [item("slot", &[("free", number(1))])]);
    assert_eq!(found["orders"], [item("o-1", &[])]);
    assert!(answer.unprocessed_keys.unwrap_or_default().is_empty());
}

/// The emulator that is the second engine answers with all of it (see `tests/stack/second_engine.py`).
#[tokio::test]
async fn a_batch_of_more_than_sixteen_megabytes_names_the_keys_it_left_out() {
    let client = tables().await;
    let names: Vec<String> = (0..50).map(|index| format!("big-{index}")).collect();
    let body = text(&"x".repeat(390_000));
    for name in &names {
        put(&client, "orders", item(name, &[("body", body.clone())])).await;
    }
    let keys = names.iter().map(|name| at(name)).collect();
    let keys = KeysAndAttributes::builder().set_keys(Some(keys)).build().unwrap();
    let answer = client.batch_get_item().request_items("orders", keys).send().await.unwrap();
    let found = answer.responses.unwrap_or_default().remove("orders").unwrap_or_default().len();
    let left = answer.unprocessed_keys.unwrap_or_default().remove("orders").map_or(0, |keys| keys.keys.len());
    assert_eq!(found + left, names.len());
    assert!(found > 0 && left > 0, "{found} found, {left} left out");
}

/// The emulator that is the second engine rounds (see `tests/stack/second_engine.py`).
#[tokio::test]
async fn a_sum_keeps_thirty_eight_digits() {
    let client = tables().await;
    let long = |last: &str| AttributeValue::N(format!("1234567890123456789012345678901234567{last}"));
    put(&client, "ledger", item("slot", &[("digits", long("8"))])).await;
    let add = client.update_item().table_name("ledger").set_key(Some(at("slot")));
    let add =
        add.update_expression("SET digits = digits + :one").expression_attribute_values(":one", number(1));
    add.send().await.unwrap();
    assert_eq!(get(&client, "ledger", "slot").await.unwrap()["digits"], long("9"));
}

#[tokio::test]
async fn one_batch_writes_several_tables() {
    let client = tables().await;
    let write = |name: &str| {
        let put = PutRequest::builder().set_item(Some(item(name, &[]))).build().unwrap();
        WriteRequest::builder().put_request(put).build()
    };
    let batch = client
        .batch_write_item()
        .request_items("ledger", vec![write("a"), write("b")])
        .request_items("orders", vec![write("c")]);
    batch.send().await.unwrap();
    for (table, name) in [("ledger", "a"), ("ledger", "b"), ("orders", "c")] {
        assert_eq!(get(&client, table, name).await, Some(item(name, &[])));
    }
}

#[tokio::test]
async fn an_item_past_its_time_to_live_stays_readable() {
    let client = tables().await;
    let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name("ttl").build().unwrap();
    client.update_time_to_live().table_name("orders").time_to_live_specification(ttl).send().await.unwrap();
    put(&client, "orders", item("old", &[("ttl", number(1))])).await;
    assert!(get(&client, "orders", "old").await.is_some());
}

#[tokio::test]
async fn an_unknown_table_is_refused_by_code() {
    let client = tables().await;
    let missing = client.get_item().table_name("nowhere").set_key(Some(at("a"))).send().await.unwrap_err();
    assert_eq!(code(&missing), "ResourceNotFoundException");
}

#[tokio::test]
async fn a_value_that_aws_cannot_store_is_refused_as_invalid() {
    let client = tables().await;
    for value in [AttributeValue::Ss(Vec::new()), AttributeValue::N("many".to_owned())] {
        let put =
            client.put_item().table_name("orders").set_item(Some(item("o-1", &[("bad", value.clone())])));
        assert_eq!(code(&put.send().await.unwrap_err()), "ValidationException", "{value:?}");
    }
}
