//! Whether two transactions ask for the same.

use dynoxide::AttributeValue;
use dynoxide::actions::transact_write_items::{
    TransactConditionCheck, TransactDelete, TransactPut, TransactUpdate, TransactWriteItem,
};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Names what a transaction writes: the same for the same writes in the same order, whatever the order in which the
/// members of maps and sets arrived.
pub(crate) fn fingerprint(writes: &[TransactWriteItem]) -> u64 {
    let mut hasher = DefaultHasher::new();
    writes.len().hash(&mut hasher);
    for write in writes {
        add_write(&mut hasher, write);
    }
    hasher.finish()
}

/// What the expressions of a write are made of.
struct Expressions<'a> {
    texts: [Option<&'a str>; 2],
    names: Option<&'a HashMap<String, String>>,
    values: Option<&'a HashMap<String, AttributeValue>>,
    old_item: Option<&'a str>,
}

fn add_write(hasher: &mut DefaultHasher, write: &TransactWriteItem) {
    let TransactWriteItem { put, update, delete, condition_check } = write;
    [put.is_some(), update.is_some(), delete.is_some(), condition_check.is_some()].hash(hasher);
    if let Some(put) = put {
        add_put(hasher, put);
    }
    if let Some(update) = update {
        add_update(hasher, update);
    }
    if let Some(delete) = delete {
        add_delete(hasher, delete);
    }
    if let Some(check) = condition_check {
        add_check(hasher, check);
    }
}

fn add_put(hasher: &mut DefaultHasher, put: &TransactPut) {
    let TransactPut {
        table_name,
        item,
        condition_expression,
        expression_attribute_names,
        expression_attribute_values,
        return_values_on_condition_check_failure,
    } = put;
    table_name.hash(hasher);
    add_attributes(hasher, item);
    let expressions = Expressions {
        texts: [None, condition_expression.as_deref()],
        names: expression_attribute_names.as_ref(),
        values: expression_attribute_values.as_ref(),
        old_item: return_values_on_condition_check_failure.as_deref(),
    };
    expressions.add_to(hasher);
}

fn add_update(hasher: &mut DefaultHasher, update: &TransactUpdate) {
    let TransactUpdate {
        table_name,
        key,
        update_expression,
        condition_expression,
        expression_attribute_names,
        expression_attribute_values,
        return_values_on_condition_check_failure,
    } = update;
    table_name.hash(hasher);
    add_attributes(hasher, key);
    let expressions = Expressions {
        texts: [Some(update_expression.as_str()), condition_expression.as_deref()],
        names: expression_attribute_names.as_ref(),
        values: expression_attribute_values.as_ref(),
        old_item: return_values_on_condition_check_failure.as_deref(),
    };
    expressions.add_to(hasher);
}

fn add_delete(hasher: &mut DefaultHasher, delete: &TransactDelete) {
    let TransactDelete {
        table_name,
        key,
        condition_expression,
        expression_attribute_names,
        expression_attribute_values,
        return_values_on_condition_check_failure,
    } = delete;
    table_name.hash(hasher);
    add_attributes(hasher, key);
    let expressions = Expressions {
        texts: [None, condition_expression.as_deref()],
        names: expression_attribute_names.as_ref(),
        values: expression_attribute_values.as_ref(),
        old_item: return_values_on_condition_check_failure.as_deref(),
    };
    expressions.add_to(hasher);
}

fn add_check(hasher: &mut DefaultHasher, check: &TransactConditionCheck) {
    let TransactConditionCheck {
        table_name,
        key,
        condition_expression,
        expression_attribute_names,
        expression_attribute_values,
        return_values_on_condition_check_failure,
    } = check;
    table_name.hash(hasher);
    add_attributes(hasher, key);
    let expressions = Expressions {
        texts: [None, Some(condition_expression.as_str())],
        names: expression_attribute_names.as_ref(),
        values: expression_attribute_values.as_ref(),
        old_item: return_values_on_condition_check_failure.as_deref(),
    };
    expressions.add_to(hasher);
}

impl Expressions<'_> {
    fn add_to(&self, hasher: &mut DefaultHasher) {
        let Self { texts, names, values, old_item } = self;
        texts.hash(hasher);
        old_item.hash(hasher);
        [names.is_some(), values.is_some()].hash(hasher);
        if let Some(names) = names {
            add_unordered(hasher, names.iter().map(|entry| hash_of(&entry)));
        }
        if let Some(values) = values {
            add_attributes(hasher, values);
        }
    }
}

fn add_attributes(hasher: &mut DefaultHasher, attributes: &HashMap<String, AttributeValue>) {
    let hashes = attributes.iter().map(|(name, value)| {
        let mut entry = DefaultHasher::new();
        name.hash(&mut entry);
        add_value(&mut entry, value);
        entry.finish()
    });
    add_unordered(hasher, hashes);
}

fn add_value(hasher: &mut DefaultHasher, value: &AttributeValue) {
    std::mem::discriminant(value).hash(hasher);
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.hash(hasher),
        AttributeValue::B(bytes) => bytes.hash(hasher),
        AttributeValue::BOOL(flag) | AttributeValue::NULL(flag) => flag.hash(hasher),
        AttributeValue::SS(texts) | AttributeValue::NS(texts) => {
            add_unordered(hasher, texts.iter().map(hash_of));
        }
        AttributeValue::BS(all) => add_unordered(hasher, all.iter().map(hash_of)),
        AttributeValue::L(values) => {
            values.len().hash(hasher);
            for value in values {
                add_value(hasher, value);
            }
        }
        AttributeValue::M(attributes) => add_attributes(hasher, attributes),
    }
}

fn hash_of(part: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    part.hash(&mut hasher);
    hasher.finish()
}

/// Adds parts that have no order. Their sum has none either, and sorting costs more.
fn add_unordered(hasher: &mut DefaultHasher, hashes: impl Iterator<Item = u64>) {
    let (mut count, mut sum) = (0_usize, 0_u64);
    for hash in hashes {
        count = count.saturating_add(1);
        sum = sum.wrapping_add(hash);
    }
    count.hash(hasher);
    sum.hash(hasher);
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use dynoxide::actions::transact_write_items::TransactWriteItemsRequest;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn of(writes: &Value) -> u64 {
        of_text(&json!({"TransactItems": writes}).to_string())
    }

    fn of_text(request: &str) -> u64 {
        let request: TransactWriteItemsRequest = serde_json::from_str(request).unwrap();
        fingerprint(&request.transact_items)
    }

    #[test]
    fn the_order_of_the_members_of_maps_and_sets_does_not_matter() {
        let one = r#"{"TransactItems":[{"Put":{"TableName":"t","Item":{
            "pk":{"S":"a"},"tags":{"SS":["x","y","z"]},"map":{"M":{"b":{"N":"1"},"c":{"BOOL":true}}}}}}]}"#;
        let other = r#"{"TransactItems":[{"Put":{"Item":{
            "map":{"M":{"c":{"BOOL":true},"b":{"N":"1"}}},"tags":{"SS":["z","x","y"]},"pk":{"S":"a"}},
            "TableName":"t"}}]}"#;
        // Maps draw their order afresh each time they are read.
        let all: BTreeSet<u64> = (0..20).flat_map(|_| [of_text(one), of_text(other)]).collect();
        assert_eq!(all.len(), 1);
    }

    /// Each of these transactions differs from each other by one thing.
    #[test]
    fn whatever_is_written_otherwise_is_another_transaction() {
        let put = |fields: Value| {
            let mut put = json!({"TableName": "t", "Item": {"pk": {"S": "a"}}});
            put.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            json!([{"Put": put}])
        };
        let item = |value: Value| put(json!({"Item": {"pk": {"S": "a"}, "value": value}}));
        let expression = |name: &str, value: &str| {
            put(json!({
                "ConditionExpression": "#n = :v",
                "ExpressionAttributeNames": {"#n": name},
                "ExpressionAttributeValues": {":v": {"S": value}},
            }))
        };
        let keyed = |fields: Value| {
            let mut write = json!({"TableName": "t", "Key": {"pk": {"S": "a"}}});
            write.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            write
        };
        let condition = json!({"ConditionExpression": "attribute_exists(pk)"});
        let one = put(json!({}))[0].clone();
        let two = json!({"Delete": keyed(json!({}))});
        let all = [
            json!([]),
            put(json!({})),
            put(json!({"TableName": "u"})),
            put(json!({"Item": {"pk": {"S": "b"}}})),
            put(json!({"Item": {"sk": {"S": "a"}}})),
            put(json!({"ConditionExpression": "attribute_exists(pk)"})),
            put(json!({"ReturnValuesOnConditionCheckFailure": "ALL_OLD"})),
            expression("n", "v"),
            expression("m", "v"),
            expression("n", "w"),
            item(json!({"S": "1"})),
            item(json!({"N": "1"})),
            item(json!({"B": "MQ=="})),
            item(json!({"BOOL": true})),
            item(json!({"BOOL": false})),
            item(json!({"NULL": true})),
            item(json!({"SS": ["1"]})),
            item(json!({"SS": ["1", "2"]})),
            item(json!({"NS": ["1"]})),
            item(json!({"BS": ["MQ=="]})),
            item(json!({"L": [{"S": "1"}, {"S": "2"}]})),
            item(json!({"L": [{"S": "2"}, {"S": "1"}]})),
            item(json!({"L": []})),
            item(json!({"M": {}})),
            item(json!({"M": {"a": {"S": "b"}, "c": {"S": "d"}}})),
            item(json!({"M": {"a": {"S": "d"}, "c": {"S": "b"}}})),
            json!([{"Delete": keyed(json!({}))}]),
            json!([{"Delete": keyed(condition.clone())}]),
            json!([{"ConditionCheck": keyed(condition)}]),
            json!([{"Update": keyed(json!({"UpdateExpression": "SET a = b"}))}]),
            json!([{"Update": keyed(json!({"UpdateExpression": "SET a = c"}))}]),
            json!([one, two]),
            json!([two, one]),
        ];
        let fingerprints: BTreeSet<u64> = all.iter().map(of).collect();
        assert_eq!(fingerprints.len(), all.len());
    }
}
