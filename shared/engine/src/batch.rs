//! A batch of which only a part is done, as DynamoDB does when it runs short of throughput.

use serde_json::{Map, Value};

/// The two halves of a batch request: what is done and what is handed back.
pub(crate) struct Halves {
    /// The request with every first, third, … entry.
    pub(crate) done: Value,
    /// The `RequestItems` of every second, fourth, … entry, by table.
    pub(crate) left: Map<String, Value>,
}

/// Splits a batch, counting its entries through all tables. `None` when it has fewer than two: a
/// batch of which nothing can be done is refused whole.
pub(crate) fn halve(request: &Value) -> Option<Halves> {
    let tables = request.get("RequestItems")?.as_object()?;
    let (mut done, mut left) = (Map::new(), Map::new());
    let mut position = 0_usize;
    for (table, wanted) in tables {
        let (mut kept, mut returned) = (Vec::new(), Vec::new());
        for entry in entries(wanted)? {
            let half = if position.is_multiple_of(2) { &mut kept } else { &mut returned };
            half.push(entry.clone());
            position = position.saturating_add(1);
        }
        for (half, entries) in [(&mut done, kept), (&mut left, returned)] {
            if !entries.is_empty() {
                half.insert(table.clone(), with_entries(wanted, entries));
            }
        }
    }
    if left.is_empty() {
        return None;
    }
    let mut request = request.clone();
    request.as_object_mut()?.insert("RequestItems".to_owned(), Value::Object(done));
    Some(Halves { done: request, left })
}

/// Adds what was left to what the answer itself hands back under `field`.
pub(crate) fn hand_back(answer: &mut Value, field: &str, left: Map<String, Value>) {
    let Some(answer) = answer.as_object_mut() else { return };
    let returned = answer.entry(field).or_insert_with(|| Value::Object(Map::new()));
    let Some(returned) = returned.as_object_mut() else { return };
    for (table, wanted) in left {
        let already = returned.get(&table).and_then(entries).unwrap_or_default();
        let all = already.iter().chain(entries(&wanted).unwrap_or_default()).cloned().collect();
        returned.insert(table, with_entries(&wanted, all));
    }
}

/// A table's entries: a write batch lists them, a read batch holds them beside its settings.
fn entries(wanted: &Value) -> Option<&[Value]> {
    let entries = wanted.get("Keys").unwrap_or(wanted);
    entries.as_array().map(Vec::as_slice)
}

/// The same table's part of a batch with other entries; settings such as `ConsistentRead` stay.
fn with_entries(wanted: &Value, entries: Vec<Value>) -> Value {
    match wanted.as_object() {
        None => Value::Array(entries),
        Some(settings) => {
            let mut part = settings.clone();
            part.insert("Keys".to_owned(), Value::Array(entries));
            Value::Object(part)
        }
    }
}
