//! Reading items: one, many at once, or a range.

use crate::{DUE_INDEX, Expression, Item, Key, Placed, Store, StoreError, StoreFault, Table, decode};
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use domain::TenantId;
use futures_core::future::BoxFuture;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

/// Keys one batch read may name.
const BATCH_KEYS: usize = 100;
/// Times the rest of a batch that came back unprocessed is asked for again.
const BATCH_TRIES: u32 = 5;

/// Whether a read must see every write that came before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consistency {
    /// May be a moment old: enough for browsing, at half the cost.
    Eventual,
    /// Sees every earlier write: for whatever is charged or decided upon.
    Strong,
}

/// Which sort keys of a partition are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortKeys<'a> {
    All,
    /// All, from the last to the first.
    LastFirst,
    /// Those from the first up to and including the second.
    Between(&'a str, &'a str),
}

/// Work in one partition of the due index that is due by an instant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DueRange<'a> {
    pub(crate) table: Table,
    pub(crate) partition: &'a str,
    /// Epoch seconds.
    pub(crate) until: i64,
    /// Keys read at a time; as many as the database gives, where there is none.
    pub(crate) limit: Option<i32>,
}

/// The items a batch read found.
#[derive(Debug, Default)]
pub struct Found(HashMap<Key, Item>);

impl Found {
    /// Takes the value stored under `key`, if the read found one.
    ///
    /// # Errors
    /// [`StoreError`] when the item does not read as a `T`.
    pub fn take<T: DeserializeOwned>(&mut self, key: &Key) -> Result<Option<T>, StoreError> {
        self.0.remove(key).map(decode).transpose()
    }

    /// Takes the record of this id, if the read found one.
    ///
    /// # Errors
    /// [`StoreError`] when the item does not read as a `T`.
    pub fn take_one<T: Placed>(&mut self, tenant: TenantId, id: &T::Id) -> Result<Option<T>, StoreError> {
        self.take(&T::place(tenant, id))
    }

    /// Takes the records of these ids, as far as the read found them.
    ///
    /// # Errors
    /// [`StoreError`] when an item does not read as a `T`.
    pub fn take_all<T: Placed>(
        &mut self,
        tenant: TenantId,
        ids: &BTreeSet<T::Id>,
    ) -> Result<BTreeMap<T::Id, T>, StoreError> {
        let found =
            ids.iter().filter_map(|id| Some((id.clone(), self.take_one::<T>(tenant, id).transpose()?)));
        found.map(|(id, value)| Ok((id, value?))).collect()
    }

    /// Whether the read found a record of this id.
    #[must_use]
    pub fn has<T: Placed>(&self, tenant: TenantId, id: &T::Id) -> bool {
        self.0.contains_key(&T::place(tenant, id))
    }

    /// The raw item stored under `key`, if the read found one.
    #[must_use]
    pub fn item(&self, key: &Key) -> Option<&Item> {
        self.0.get(key)
    }

    /// Takes the raw item stored under `key`, if the read found one.
    pub fn take_item(&mut self, key: &Key) -> Option<Item> {
        self.0.remove(key)
    }
}

impl Store {
    /// Reads one item.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer or the item does not read as a `T`.
    pub async fn get<T: DeserializeOwned>(
        &self,
        key: &Key,
        consistency: Consistency,
    ) -> Result<Option<T>, StoreError> {
        self.get_item(key, consistency).await?.map(decode).transpose()
    }

    /// Reads one item as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn get_item<'a>(
        &'a self,
        key: &'a Key,
        consistency: Consistency,
    ) -> BoxFuture<'a, Result<Option<Item>, StoreError>> {
        let request = self
            .client
            .get_item()
            .table_name(self.table(key.table))
            .set_key(Some(key.attributes()))
            .consistent_read(consistency == Consistency::Strong);
        Box::pin(async move { Ok(request.send().await.map_err(failed)?.item) })
    }

    /// Reads many items in one round trip, whatever their tables; keys that name nothing are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn get_many(
        &self,
        keys: impl IntoIterator<Item = Key>,
        consistency: Consistency,
    ) -> BoxFuture<'_, Result<Found, StoreError>> {
        self.get_batches(keys.into_iter().collect(), consistency)
    }

    fn get_batches(
        &self,
        keys: BTreeSet<Key>,
        consistency: Consistency,
    ) -> BoxFuture<'_, Result<Found, StoreError>> {
        Box::pin(async move {
            let keys: Vec<Key> = keys.into_iter().collect();
            let mut batches = tokio::task::JoinSet::new();
            let mut found = Found::default();
            let calls = crate::Calls::current();
            for batch in keys.chunks(BATCH_KEYS).skip(1) {
                let (store, batch) = (self.clone(), batch.to_vec());
                let calls = calls.clone();
                batches.spawn(calls.scope(async move { store.get_batch(&batch, consistency).await }));
            }
            if let Some(first) = keys.chunks(BATCH_KEYS).next() {
                found.0.extend(self.get_batch(first, consistency).await?);
            }
            while let Some(batch) = batches.join_next().await {
                found.0.extend(batch.map_err(|fault| StoreError::new(StoreFault::TryAgain, fault))??);
            }
            Ok(found)
        })
    }

    async fn get_batch(
        &self,
        keys: &[Key],
        consistency: Consistency,
    ) -> Result<HashMap<Key, Item>, StoreError> {
        let mut request: HashMap<String, KeysAndAttributes> = HashMap::new();
        for table in Table::ALL {
            let wanted: Vec<Item> =
                keys.iter().filter(|key| key.table == table).map(Key::attributes).collect();
            if !wanted.is_empty() {
                let wanted = KeysAndAttributes::builder()
                    .set_keys(Some(wanted))
                    .consistent_read(consistency == Consistency::Strong)
                    .build()
                    .map_err(|fault| StoreError::new(StoreFault::Refused, fault))?;
                request.insert(self.table(table), wanted);
            }
        }
        let mut found = HashMap::new();
        for attempt in 0..BATCH_TRIES {
            let answer =
                self.client.batch_get_item().set_request_items(Some(request)).send().await.map_err(failed)?;
            for (name, items) in answer.responses.unwrap_or_default() {
                let Some(table) = self.table_of(&name) else { continue };
                found.extend(items.into_iter().filter_map(|item| Some((key_in(table, &item)?, item))));
            }
            request = answer.unprocessed_keys.unwrap_or_default();
            if request.is_empty() {
                return Ok(found);
            }
            tokio::time::sleep(Duration::from_millis(10_u64 << attempt)).await;
        }
        Err(StoreError::new(StoreFault::TryAgain, "a batch read stayed unprocessed"))
    }

    fn table_of(&self, physical: &str) -> Option<Table> {
        let name = physical.strip_prefix(&*self.prefix)?;
        Table::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Reads the items of a partition in the order of their sort keys, or from the last one back, page after
    /// page, up to `limit` items.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn query<'a>(
        &'a self,
        table: Table,
        partition: &'a str,
        sort_keys: SortKeys<'a>,
        consistency: Consistency,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Item>, StoreError>> {
        Box::pin(self.query_wanted(table, partition, sort_keys, consistency, limit, |_| true))
    }

    /// [`Store::query`] for items of which this holds. The others are passed by, however many there are, and do not
    /// count.
    pub(crate) async fn query_wanted(
        &self,
        table: Table,
        partition: &str,
        sort_keys: SortKeys<'_>,
        consistency: Consistency,
        limit: usize,
        is_wanted: impl Fn(&Item) -> bool,
    ) -> Result<Vec<Item>, StoreError> {
        let mut expression = Expression::new();
        let (pk, pk_value) = (expression.path(&["pk"]), expression.text(partition));
        let condition = match sort_keys {
            SortKeys::All | SortKeys::LastFirst => format!("{pk} = {pk_value}"),
            SortKeys::Between(from, to) => {
                let (sk, from, to) = (expression.path(&["sk"]), expression.text(from), expression.text(to));
                format!("{pk} = {pk_value} AND {sk} BETWEEN {from} AND {to}")
            }
        };
        let request = self
            .client
            .query()
            .table_name(self.table(table))
            .key_condition_expression(condition)
            .set_expression_attribute_names(expression.names())
            .set_expression_attribute_values(expression.values())
            .scan_index_forward(sort_keys != SortKeys::LastFirst)
            .consistent_read(consistency == Consistency::Strong);
        let mut items = Vec::new();
        let mut start = None;
        while items.len() < limit {
            let page_size = i32::try_from(limit.saturating_sub(items.len())).ok();
            let answer = request
                .clone()
                .set_exclusive_start_key(start.take())
                .set_limit(page_size)
                .send()
                .await
                .map_err(failed)?;
            items.extend(answer.items.unwrap_or_default().into_iter().filter(&is_wanted));
            start = answer.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        Ok(items)
    }

    /// Reads all items of a partition, page after page, however many there are.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn query_all<'a>(
        &'a self,
        table: Table,
        partition: &'a str,
        sort_keys: SortKeys<'a>,
        consistency: Consistency,
    ) -> BoxFuture<'a, Result<Vec<Item>, StoreError>> {
        self.query(table, partition, sort_keys, consistency, usize::MAX)
    }

    /// The keys of work in one partition of the due index that is due by `until` (epoch seconds), up to `limit` of
    /// those that are wanted. The others are passed by, however many there are.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub(crate) async fn query_due(
        &self,
        table: Table,
        partition: &str,
        until: i64,
        limit: usize,
        is_wanted: impl Fn(&Key) -> bool,
    ) -> Result<Vec<Key>, StoreError> {
        let due = DueRange { table, partition, until, limit: i32::try_from(limit).ok() };
        let mut wanted = Vec::new();
        let mut start = None;
        while wanted.len() < limit {
            let (keys, next) = self.query_due_page(due, start.take()).await?;
            wanted.extend(keys.into_iter().filter(&is_wanted));
            start = next;
            if start.is_none() {
                break;
            }
        }
        wanted.truncate(limit);
        Ok(wanted)
    }

    /// A page of such keys, from the first or behind `start`, and where the next one begins, if there is one.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub(crate) async fn query_due_page(
        &self,
        due: DueRange<'_>,
        start: Option<Item>,
    ) -> Result<(Vec<Key>, Option<Item>), StoreError> {
        let DueRange { table, partition, until, limit } = due;
        let answer = self
            .client
            .query()
            .table_name(self.table(table))
            .index_name(DUE_INDEX)
            .key_condition_expression("due_pk = :partition AND due_at <= :until")
            .expression_attribute_values(":partition", AttributeValue::S(partition.to_owned()))
            .expression_attribute_values(":until", AttributeValue::N(until.to_string()))
            .set_limit(limit)
            .set_exclusive_start_key(start)
            .send()
            .await
            .map_err(failed)?;
        let items = answer.items.unwrap_or_default();
        let keys = items.iter().filter_map(|item| key_in(table, item)).collect();
        Ok((keys, answer.last_evaluated_key))
    }
}

/// The sort key of an item.
pub(crate) fn sort_key(item: &Item) -> Option<&str> {
    item.get("sk")?.as_s().ok().map(String::as_str)
}

/// The key of an item of this table.
fn key_in(table: Table, item: &Item) -> Option<Key> {
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned();
    Some(Key { table, pk: text("pk")?, sk: text("sk")? })
}

/// What a failed call means: throttling and lost connections are worth another try, the rest is our fault.
pub(crate) fn failed<E>(error: SdkError<E>) -> StoreError
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let code = error.as_service_error().and_then(ProvideErrorMetadata::code);
    let ours =
        matches!(code, Some("ValidationException" | "ResourceNotFoundException" | "AccessDeniedException"))
            || matches!(error, SdkError::ConstructionFailure(_));
    let kind = if ours { StoreFault::Refused } else { StoreFault::TryAgain };
    StoreError::new(kind, error)
}
