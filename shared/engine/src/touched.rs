//! What a write touches: its items, and the write units they cost.

use crate::embedded::Embedded;
use serde_json::{Value, json};

/// A write unit is this many bytes of an item, or a part of them.
const UNIT_BYTES: usize = 1_024;

/// An item of a table keyed `pk` and `sk`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ItemKey {
    pub(crate) table: String,
    pub(crate) pk: String,
    pub(crate) sk: String,
}

/// What one request touches.
pub(crate) struct Touched {
    /// The items, in the request's order.
    pub(crate) items: Vec<ItemKey>,
    /// The new items of puts, at the same places.
    puts: Vec<Option<Value>>,
    /// Whether the request is a transaction, which costs twice the units.
    pub(crate) transaction: bool,
    /// False for a transaction that only reads.
    pub(crate) writes: bool,
}

/// What a write touches, or a transaction of either kind; none for other requests, and for what the engine will
/// refuse as it cannot be read.
pub(crate) fn touched(operation: &str, body: &[u8]) -> Option<Touched> {
    let transaction = match operation {
        "PutItem" | "UpdateItem" | "DeleteItem" => false,
        "TransactWriteItems" | "TransactGetItems" => true,
        _ => return None,
    };
    let request: Value = serde_json::from_slice(body).ok()?;
    let parts: Vec<&Value> = if transaction {
        let parts = request["TransactItems"].as_array()?;
        parts.iter().filter_map(|part| part.as_object()?.values().next()).collect()
    } else {
        vec![&request]
    };
    let items: Option<Vec<ItemKey>> = parts.iter().map(|part| key_of(part)).collect();
    let puts = parts.iter().map(|part| part.get("Item").cloned()).collect();
    Some(Touched { items: items?, puts, transaction, writes: operation != "TransactGetItems" })
}

fn key_of(part: &Value) -> Option<ItemKey> {
    let key = part.get("Key").or_else(|| part.get("Item"))?;
    let text = |name: &str| key[name]["S"].as_str().map(str::to_owned);
    Some(ItemKey { table: part["TableName"].as_str()?.to_owned(), pk: text("pk")?, sk: text("sk")? })
}

impl Touched {
    /// The write units of each item: of the larger of what is there and what is put. What an update adds is not
    /// reckoned.
    pub(crate) fn units(&self, primary: &Embedded) -> Vec<u32> {
        let each = if self.transaction { 2 } else { 1 };
        let units = self.items.iter().zip(&self.puts).map(|(item, put)| {
            let bytes = put.as_ref().map_or(0, bytes_of).max(bytes_of(&item.found(primary)));
            let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
            units.max(1).saturating_mul(each)
        });
        units.collect()
    }
}

impl ItemKey {
    /// The item as it is; null where there is none.
    fn found(&self, primary: &Embedded) -> Value {
        let key = json!({"pk": {"S": self.pk}, "sk": {"S": self.sk}});
        let get = json!({"TableName": self.table, "Key": key, "ConsistentRead": true});
        let answer = primary.respond("GetItem", get.to_string().as_bytes());
        let body = answer.ok().and_then(|answer| answer.body().bytes().map(<[u8]>::to_vec));
        let body: Value = serde_json::from_slice(&body.unwrap_or_default()).unwrap_or_default();
        body["Item"].clone()
    }
}

/// What DynamoDB counts, about: names and values as text.
fn bytes_of(item: &Value) -> usize {
    let attributes = item.as_object().into_iter().flatten();
    attributes.fold(0, |sum, (name, value)| sum.saturating_add(name.len()).saturating_add(value_bytes(value)))
}

fn value_bytes(value: &Value) -> usize {
    let inner: Vec<&Value> = match value {
        Value::String(text) => return text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => return 1,
        Value::Array(values) => values.iter().collect(),
        // `{"M": {name: value}}`: the type's letter is not counted, the names within are.
        Value::Object(typed) => match typed.get("M") {
            Some(map) => return bytes_of(map),
            None => typed.values().collect(),
        },
    };
    inner.into_iter().fold(0, |sum, value| sum.saturating_add(value_bytes(value)))
}
