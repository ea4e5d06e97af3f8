//! Things that are stored once more under other names, so that what takes a venue years is there at once.

use aws_sdk_dynamodb::types::{DeleteRequest, PutRequest, WriteRequest};
use boxoffice::testing::Service;
use store::{AttributeValue, Item, Table};
use testkit::all_items;

/// Writes of one call.
const AT_ONCE: usize = 25;
/// The attributes of a key.
const KEY: [&str; 2] = ["pk", "sk"];

/// A text or number, and what stands for it in a copy.
#[derive(Debug, Clone)]
pub(crate) struct Renamed {
    from: String,
    to: String,
}

impl Renamed {
    pub(crate) fn new(from: impl ToString, to: impl ToString) -> Self {
        Self { from: from.to_string(), to: to.to_string() }
    }
}

/// The items of one thing within a table.
#[derive(Debug)]
pub(crate) struct Model {
    table: Table,
    items: Vec<Item>,
}

impl Model {
    /// The items of which this holds.
    pub(crate) async fn of(service: &Service, table: Table, is_part: impl Fn(&Item) -> bool) -> Self {
        let mut items = stored(service, table).await;
        items.retain(is_part);
        assert!(!items.is_empty(), "there is nothing to copy in {}", table.name());
        Self { table, items }
    }

    /// The items that say one of these texts.
    pub(crate) async fn saying(service: &Service, table: Table, texts: &[&str]) -> Self {
        let is_part = |item: &Item| texts.iter().any(|text| item.values().any(|value| says(value, text)));
        Self::of(service, table, is_part).await
    }

    /// Stores a copy for each of these lists of names. Items whose keys stay the same are left as they are.
    pub(crate) async fn copy(&self, service: &Service, names: impl Iterator<Item = Vec<Renamed>>) {
        let mut puts = vec![];
        for names in names {
            for item in &self.items {
                let copy: Item =
                    item.iter().map(|(name, value)| (name.clone(), renamed(value, &names))).collect();
                if KEY.iter().any(|part| copy[*part] != item[*part]) {
                    let put = PutRequest::builder().set_item(Some(copy)).build().unwrap();
                    puts.push(WriteRequest::builder().put_request(put).build());
                }
            }
        }
        write_all(service, self.table, &puts).await;
    }
}

/// Every item of a table.
pub(crate) async fn stored(service: &Service, table: Table) -> Vec<Item> {
    all_items(&service.embedded, &full_name(table)).await
}

/// Deletes these items of a table.
pub(crate) async fn delete_all(service: &Service, table: Table, items: impl Iterator<Item = Item>) {
    let delete = |item: Item| {
        let key: Item = KEY.iter().map(|part| ((*part).to_owned(), item[*part].clone())).collect();
        let delete = DeleteRequest::builder().set_key(Some(key)).build().unwrap();
        WriteRequest::builder().delete_request(delete).build()
    };
    write_all(service, table, &items.map(delete).collect::<Vec<_>>()).await;
}

/// A part of the key of an item.
pub(crate) fn part<'a>(item: &'a Item, name: &str) -> &'a str {
    item[name].as_s().unwrap()
}

fn full_name(table: Table) -> String {
    format!("boxoffice-{}", table.name())
}

async fn write_all(service: &Service, table: Table, writes: &[WriteRequest]) {
    let (client, name) = (service.embedded.client(), full_name(table));
    for some in writes.chunks(AT_ONCE) {
        let answer = client.batch_write_item().request_items(&name, some.to_vec()).send().await.unwrap();
        assert!(answer.unprocessed_items.unwrap_or_default().is_empty());
    }
}

/// Whether a text contains this one, or a number is this one.
fn says(value: &AttributeValue, wanted: &str) -> bool {
    if let Ok(text) = value.as_s() {
        text.contains(wanted)
    } else if let Ok(number) = value.as_n() {
        number == wanted
    } else if let Ok(list) = value.as_l() {
        list.iter().any(|one| says(one, wanted))
    } else if let Ok(map) = value.as_m() {
        map.values().any(|one| says(one, wanted))
    } else {
        false
    }
}

fn renamed(value: &AttributeValue, names: &[Renamed]) -> AttributeValue {
    if let Ok(text) = value.as_s() {
        let rename = |text: String, name: &Renamed| text.replace(&name.from, &name.to);
        AttributeValue::S(names.iter().fold(text.clone(), rename))
    } else if let Ok(number) = value.as_n() {
        let other = names.iter().find(|name| name.from == *number);
        AttributeValue::N(other.map_or_else(|| number.clone(), |name| name.to.clone()))
    } else if let Ok(list) = value.as_l() {
        AttributeValue::L(list.iter().map(|one| renamed(one, names)).collect())
    } else if let Ok(map) = value.as_m() {
        AttributeValue::M(map.iter().map(|(name, one)| (name.clone(), renamed(one, names))).collect())
    } else {
        value.clone()
    }
}
