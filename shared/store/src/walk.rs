//! Walking through a table, page after page: for an operator who wants to see all there is. No function does it.
//!
//! The partition of an order, a sale or a membership is its own, so that nothing but a scan finds all of them. It reads
//! the items of every tenant, and hands out those that are asked for.

use crate::read::failed;
use crate::{Consistency, Expression, Item, Key, Store, StoreError, StoreFault, Table, retry};
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use domain::TenantId;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Items looked at for one page. Without a number of its own the embedded engine would read the whole table for each
/// page, and DynamoDB one megabyte, which is about as much.
const PAGE_ITEMS: i32 = 1_000;
/// Times a page is asked for when the database is busy.
const PAGE_TRIES: u32 = 6;
/// How long the first of these waits.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// What is walked through.
#[derive(Debug, Clone, Copy)]
pub struct Route<'a> {
    pub table: Table,
    /// What the partitions have in their names, one or the other, such as `#ORDER#`; nothing means all.
    pub partitions: &'a [&'a str],
    /// Of this tenant only.
    pub tenant: Option<TenantId>,
}

/// How it is walked through.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Whether pages must see every write that came before them.
    pub consistency: Consistency,
    /// Waited before each page, so that others find the table free.
    pub pause: Duration,
}

/// An item with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkedItem {
    /// Whose it is.
    pub tenant: TenantId,
    /// Where it lies.
    pub key: Key,
    /// The name of its partition, without the tenant.
    pub partition: String,
    /// Its attributes, without those of the key.
    pub item: Item,
}

impl WalkedItem {
    /// The item with its place; none for one that is no tenant's.
    #[must_use]
    pub fn read(table: Table, item: Item) -> Option<Self> {
        let (key, item) = Key::taken_from(table, item)?;
        let (tenant, partition) = key.pk.strip_prefix("T#")?.split_once('#')?;
        let tenant = TenantId::parse(tenant.parse().ok()?).ok()?;
        let partition = partition.to_owned();
        Some(Self { tenant, key, partition, item })
    }
}

/// A walk. The next page is read while the last one is looked at.
#[derive(Debug)]
pub struct TableWalk {
    table: Table,
    request: ScanFluentBuilder,
    pause: Duration,
    coming: Option<JoinHandle<Result<WalkPage, StoreError>>>,
}

/// A page, and where the next one begins.
type WalkPage = (Vec<Item>, Option<Item>);

impl Store {
    /// Sets out on a walk, within a Tokio runtime.
    #[must_use]
    pub fn walk(&self, route: Route<'_>, pace: Pace) -> TableWalk {
        let mut filter = Expression::new();
        let pk = filter.path(&["pk"]);
        let mut conditions = Vec::new();
        if let Some(tenant) = route.tenant {
            let prefix = filter.text(&format!("T#{tenant}#"));
            conditions.push(format!("begins_with({pk}, {prefix})"));
        }
        let kinds: Vec<String> =
            route.partitions.iter().map(|kind| format!("contains({pk}, {})", filter.text(kind))).collect();
        if !kinds.is_empty() {
            conditions.push(format!("({})", kinds.join(" OR ")));
        }
        let mut request = self
            .client
            .scan()
            .table_name(self.table(route.table))
            .limit(PAGE_ITEMS)
            .consistent_read(pace.consistency == Consistency::Strong);
        if !conditions.is_empty() {
            request = request
                .filter_expression(conditions.join(" AND "))
                .set_expression_attribute_names(filter.names())
                .set_expression_attribute_values(filter.values());
        }
        let mut walk = TableWalk { table: route.table, request, pause: pace.pause, coming: None };
        walk.ask(None);
        walk
    }
}

impl TableWalk {
    /// The items of the next page that are asked for; none at the end.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn next(&mut self) -> Result<Option<Vec<WalkedItem>>, StoreError> {
        let Some(coming) = self.coming.take() else { return Ok(None) };
        let (items, next) = coming.await.map_err(|fault| StoreError::new(StoreFault::TryAgain, fault))??;
        if next.is_some() {
            self.ask(next);
        }
        Ok(Some(items.into_iter().filter_map(|item| WalkedItem::read(self.table, item)).collect()))
    }

    fn ask(&mut self, start: Option<Item>) {
        let (request, pause) = (self.request.clone().set_exclusive_start_key(start), self.pause);
        self.coming = Some(tokio::spawn(async move {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            page(&request).await
        }));
    }
}

/// Reads a page, again where the database is busy.
async fn page(request: &ScanFluentBuilder) -> Result<WalkPage, StoreError> {
    let is_busy = |fault: &StoreError| fault.kind == StoreFault::TryAgain;
    let send = || async { request.clone().send().await.map_err(failed) };
    let answer = retry(PAGE_TRIES, FIRST_WAIT, is_busy, send).await?;
    Ok((answer.items.unwrap_or_default(), answer.last_evaluated_key))
}

#[cfg(test)]
mod tests;
