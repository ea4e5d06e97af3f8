//! Tables and shorthands for the suite.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType,
    Projection, ProjectionType, ReturnValuesOnConditionCheckFailure, ScalarAttributeType, TransactWriteItem,
    Update,
};
use std::collections::HashMap;

pub(crate) type Item = HashMap<String, AttributeValue>;

/// A fresh database with the tables `ledger` and `orders`.
pub(crate) async fn tables() -> Client {
    let client = engine::fresh_database().expect("a database");
    create_table(&client, "ledger").await;
    create_table(&client, "orders").await;
    client
}

/// A table keyed `pk`, `sk` with a sparse index `due` keyed `due_shard`, `due_at`.
pub(crate) async fn create_table(client: &Client, name: &str) {
    let mut request = client.create_table().table_name(name).billing_mode(BillingMode::PayPerRequest);
    for attribute in ["pk", "sk", "due_shard", "due_at"] {
        let definition = AttributeDefinition::builder()
            .attribute_name(attribute)
            .attribute_type(ScalarAttributeType::S)
            .build()
            .expect("a definition");
        request = request.attribute_definitions(definition);
    }
    let index = GlobalSecondaryIndex::builder()
        .index_name("due")
        .key_schema(key("due_shard", KeyType::Hash))
        .key_schema(key("due_at", KeyType::Range))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
        .expect("an index");
    request
        .key_schema(key("pk", KeyType::Hash))
        .key_schema(key("sk", KeyType::Range))
        .global_secondary_indexes(index)
        .send()
        .await
        .expect("a table");
}

fn key(name: &str, kind: KeyType) -> KeySchemaElement {
    KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("a key")
}

pub(crate) fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

pub(crate) fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// The key of the item `name`.
pub(crate) fn at(name: &str) -> Item {
    HashMap::from([("pk".to_owned(), text("t#1")), ("sk".to_owned(), text(name))])
}

/// The item `name` with further attributes.
pub(crate) fn item(name: &str, attributes: &[(&str, AttributeValue)]) -> Item {
    let mut item = at(name);
    item.extend(attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    item
}

pub(crate) async fn put(client: &Client, table: &str, item: Item) {
    client.put_item().table_name(table).set_item(Some(item)).send().await.expect("a put");
}

pub(crate) async fn get(client: &Client, table: &str, name: &str) -> Option<Item> {
    let request = client.get_item().table_name(table).set_key(Some(at(name))).consistent_read(true);
    request.send().await.expect("a read").item
}

/// The number `attribute` of the item `name`; the item and the number must be there.
pub(crate) async fn number_in(client: &Client, table: &str, name: &str, attribute: &str) -> i64 {
    let item = get(client, table, name).await.expect("an item");
    let number = item[attribute].as_n().expect("a number");
    number.parse().expect("a whole number")
}

/// The DynamoDB error code of a refusal.
pub(crate) fn code<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> &str {
    error.code().expect("an answer with an error code")
}

/// The write of a transaction that takes `quantity` of `free` from a ledger, if there are as many.
pub(crate) fn take(table: &str, name: &str, quantity: i64) -> TransactWriteItem {
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(at(name)))
        .update_expression("SET #free = #free - :q")
        .condition_expression("#free >= :q")
        .expression_attribute_names("#free", "free")
        .expression_attribute_values(":q", number(quantity))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .expect("an update");
    TransactWriteItem::builder().update(update).build()
}
