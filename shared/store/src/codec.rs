//! Items from and to the types they store.

use crate::{AttributeValue, Item, Key, SCHEMA_VERSION, StoreError, StoreFault};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The item that stores `value` under `key`.
///
/// # Errors
/// [`StoreError`] when the value has no representation.
pub fn encode<T: Serialize>(key: &Key, value: &T) -> Result<Item, StoreError> {
    let mut item: Item = serde_dynamo::to_item(value).map_err(StoreError::corrupt)?;
    item.extend(key.attributes());
    item.insert("v".to_owned(), number(SCHEMA_VERSION));
    Ok(item)
}

/// The value an item stores.
///
/// # Errors
/// [`StoreError`] when the item does not read as a `T`, or is of a release whose items this one cannot read.
pub fn decode<T: DeserializeOwned>(item: Item) -> Result<T, StoreError> {
    if let Some(version) = version_of(&item).filter(|version| *version > SCHEMA_VERSION) {
        let said =
            format!("it is of version {version}, and {SCHEMA_VERSION} is the highest that is known here");
        return Err(StoreError::new(StoreFault::Newer, said));
    }
    serde_dynamo::from_item(item).map_err(StoreError::corrupt)
}

/// The version of an item; counters and marks have none.
fn version_of(item: &Item) -> Option<i64> {
    item.get("v")?.as_n().ok()?.parse().ok()
}

/// The size of an item as DynamoDB counts it, numbers rounded up.
pub(crate) fn item_bytes(item: &Item) -> usize {
    item.iter()
        .fold(0, |bytes, (name, value)| bytes.saturating_add(name.len()).saturating_add(value_bytes(value)))
}

fn value_bytes(value: &AttributeValue) -> usize {
    /// Of a map or list, and of each of its values.
    const OVERHEAD: usize = 4;
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::M(map) => item_bytes(map).saturating_add(map.len()).saturating_add(OVERHEAD),
        AttributeValue::L(list) => list
            .iter()
            .fold(OVERHEAD, |bytes, value| bytes.saturating_add(value_bytes(value)).saturating_add(1)),
        AttributeValue::Ss(texts) | AttributeValue::Ns(texts) => {
            texts.iter().fold(OVERHEAD, |bytes, text| bytes.saturating_add(text.len()))
        }
        AttributeValue::Bool(_) | AttributeValue::Bs(_) | AttributeValue::Null(_) | _ => 1,
    }
}

/// A number attribute.
#[must_use]
pub fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// A text attribute.
#[must_use]
pub fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ledger::{Hold, Ledger, SlotState};
    use domain::{InstanceId, ReservationId, TemplateId};
    use std::collections::BTreeMap;

    #[test]
    fn a_ledger_reads_back_as_it_was_stored() {
        let template = TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap();
        let start = chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let instance = InstanceId::of(&template, None, start.naive_utc(), start).unwrap();
        let hold = Hold { quantity: 3, expires_at: start };
        let ledger = Ledger {
            instance,
            template,
            schedule: None,
            shard: 0,
            start,
            end: start,
            state: SlotState::Active,
            size: 10,
            free: 7,
            sold: 0,
            holds: BTreeMap::from([(ReservationId::parse(17).unwrap(), hold)]),
            edited: false,
        };
        let key = Key::ledger(domain::TenantId::parse(1).unwrap(), &ledger.instance, 0);
        let item = encode(&key, &ledger).unwrap();
        assert_eq!(item["holds"].as_m().unwrap()["17"].as_m().unwrap()["q"], number(3));
        assert_eq!(decode::<Ledger>(item).unwrap(), ledger);
    }

    #[test]
    fn an_item_of_a_later_version_is_not_guessed_at() {
        let read = |version: Option<i64>| {
            let version = version.map(|version| ("v".to_owned(), number(version)));
            decode::<BTreeMap<String, i64>>(Item::from_iter(version)).map_err(|fault| fault.kind)
        };
        assert_eq!(read(None), Ok(BTreeMap::new()));
        assert_eq!(read(Some(SCHEMA_VERSION)), Ok(BTreeMap::from([("v".to_owned(), SCHEMA_VERSION)])));
        assert_eq!(read(Some(SCHEMA_VERSION + 1)), Err(StoreFault::Newer));
    }
}
