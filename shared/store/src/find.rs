//! Finding orders by what leads to them (decision record 0141). What is found need not be paid: whoever reads it passes
//! that by.

use crate::after_sale::FIRST_EXCHANGE_CHUNK;
use crate::order::{order_in, with_statuses};
use crate::pointer::{CREATED, EVENT, FORM, NAMES};
use crate::{
    AttributeValue, Calls, Consistency, DAY_SPREAD, Item, Key, SortKeys, Store, StoreError, StoreFault,
    Table, form_responses, orders_of_day, orders_of_event, orders_of_name, orders_of_response,
    responses_between, sort_key,
};
use chrono::NaiveDate;
use domain::compare::comparable;
use domain::listing::Range;
use domain::order::search::{first_letters, lookup_day};
use domain::order::{Order, TICKETS_PER_CHUNK, Ticket, TicketChunk};
use domain::{FormId, FormResponseId, InstanceId, OrderId, OrderNumber, TenantId, TicketBarcode, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use tokio::task::JoinSet;

/// Partitions that are read at a time.
const AT_ONCE: usize = 32;
/// Days that are looked at first: where these have more orders than are wanted, earlier ones are not looked at.
const LATEST_DAYS: usize = 4;

/// An order that something leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderHit {
    /// When it was made.
    pub created_at: Timestamp,
    /// The order.
    pub order: OrderId,
}

/// An answered form, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHit {
    /// The answers.
    pub response: FormResponseId,
    /// Their order.
    pub order: OrderId,
}

/// Which answered forms are listed.
#[derive(Debug, Clone)]
pub struct ResponseRange {
    /// When they were sent.
    pub sent: Range,
    /// The form, where only one is asked for.
    pub form: Option<FormId>,
    /// The event, where only one is asked for.
    pub event: Option<InstanceId>,
}

fn hit_in(item: &Item) -> Option<OrderHit> {
    let millis = item.get(CREATED)?.as_n().ok()?.parse().ok()?;
    Some(OrderHit { created_at: Timestamp::from_timestamp_millis(millis)?, order: order_in(item)? })
}

/// A pointer whose place says when the order was made.
fn placed_hit_in(item: &Item) -> Option<OrderHit> {
    let (millis, _) = sort_key(item)?.split_once('#')?;
    let created_at = Timestamp::from_timestamp_millis(millis.parse().ok()?)?;
    Some(OrderHit { created_at, order: order_in(item)? })
}

fn has_text(item: &Item, attribute: &str, wanted: &str) -> bool {
    item.get(attribute).and_then(|value| value.as_s().ok()).is_some_and(|text| text == wanted)
}

fn begins_so(item: &Item, beginning: &str) -> bool {
    let Some(AttributeValue::L(names)) = item.get(NAMES) else { return false };
    names.iter().filter_map(|name| name.as_s().ok()).any(|name| name.starts_with(beginning))
}

impl Store {
    /// The order with this number, paid or not.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_order_of_number(
        &self,
        tenant: TenantId,
        number: &OrderNumber,
    ) -> Result<Option<OrderId>, StoreError> {
        let found = self.get_item(&Key::order_number(tenant, number), Consistency::Strong).await?;
        Ok(found.as_ref().and_then(order_in))
    }

    /// The order that a barcode leads to by its first half. Whether one of its tickets has the other half too is for
    /// the reader to see.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_order_of_barcode(
        &self,
        tenant: TenantId,
        barcode: &TicketBarcode,
    ) -> Result<Option<OrderId>, StoreError> {
        let key = Key::order_of_barcode(tenant, &barcode.tag());
        Ok(self.get_item(&key, Consistency::Strong).await?.as_ref().and_then(order_in))
    }

    /// The orders that have or had tickets for an instance, the newest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_orders_of_event(
        &self,
        tenant: TenantId,
        event: &InstanceId,
    ) -> Result<Vec<OrderHit>, StoreError> {
        let partition = orders_of_event(tenant, event);
        let items = self.query_all(Table::Orders, &partition, SortKeys::All, Consistency::Strong).await?;
        Ok(newest_first(items.iter().filter_map(hit_in).collect()))
    }

    /// Orders of someone whose last name begins so, the newest first, so many at most; none where less is known than is
    /// looked up by.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_orders_of_name(
        &self,
        tenant: TenantId,
        beginning: &str,
        most: usize,
    ) -> Result<Vec<OrderHit>, StoreError> {
        let (Some(letters), beginning) = (first_letters(beginning), comparable(beginning)) else {
            return Ok(Vec::new());
        };
        let partition = orders_of_name(tenant, &letters);
        let is_wanted = |item: &Item| begins_so(item, &beginning);
        let (keys, strong) = (SortKeys::LastFirst, Consistency::Strong);
        let items = self.query_wanted(Table::Orders, &partition, keys, strong, most, is_wanted).await?;
        Ok(items.iter().filter_map(placed_hit_in).collect())
    }

    /// Orders that were made in a range of time, the newest first. Where there are so many or more, some of the earlier
    /// ones may be missing.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_orders_made(
        &self,
        tenant: TenantId,
        made: Range,
        most: usize,
    ) -> Result<Vec<OrderHit>, StoreError> {
        let first = lookup_day(made.from);
        let days = std::iter::successors(Some(lookup_day(made.until)), NaiveDate::pred_opt);
        let days: Vec<NaiveDate> = days.take_while(|day| *day >= first).collect();
        let (latest, earlier) = days.split_at(days.len().min(LATEST_DAYS));
        let mut hits = self.orders_of_days(tenant, latest, made).await?;
        if hits.len() < most {
            hits.extend(self.orders_of_days(tenant, earlier, made).await?);
        }
        Ok(newest_first(hits))
    }

    /// The orders made in a range of time that these days lead to.
    async fn orders_of_days(
        &self,
        tenant: TenantId,
        days: &[NaiveDate],
        made: Range,
    ) -> Result<Vec<OrderHit>, StoreError> {
        let places = days.iter().flat_map(|day| (0..DAY_SPREAD).map(move |spread| (*day, spread)));
        let mut left = places.map(|(day, spread)| orders_of_day(tenant, day, spread));
        // An order lies under each day on which something was done with it.
        let (mut running, mut hits) = (JoinSet::new(), BTreeSet::new());
        loop {
            while running.len() < AT_ONCE {
                let Some(partition) = left.next() else { break };
                let store = self.clone();
                let query = async move {
                    let keys = SortKeys::All;
                    store.query_all(Table::Orders, &partition, keys, Consistency::Strong).await
                };
                running.spawn(Calls::current().scope(query));
            }
            let Some(done) = running.join_next().await else { return Ok(hits.into_iter().collect()) };
            let items = done.map_err(|fault| StoreError::new(StoreFault::TryAgain, fault))??;
            let found = items.iter().filter_map(hit_in);
            hits.extend(found.filter(|hit| made.overlaps(hit.created_at, Some(hit.created_at))));
        }
    }

    /// These orders in their order, as far as they are there.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_orders(
        &self,
        tenant: TenantId,
        ids: impl IntoIterator<Item = &OrderId>,
    ) -> Result<Vec<Order>, StoreError> {
        let keys: Vec<Key> = ids.into_iter().map(|id| Key::order(tenant, id)).collect();
        let mut found = self.get_many(keys.iter().cloned(), Consistency::Strong).await?;
        let orders: Result<Vec<Option<Order>>, StoreError> = keys.iter().map(|key| found.take(key)).collect();
        Ok(orders?.into_iter().flatten().collect())
    }

    /// The tickets of these orders, as they are now.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_tickets_of(
        &self,
        orders: &[Order],
    ) -> Result<BTreeMap<OrderId, Vec<Ticket>>, StoreError> {
        let mut found = self.get_many(orders.iter().flat_map(ticket_keys), Consistency::Strong).await?;
        let mut tickets = BTreeMap::new();
        for order in orders {
            let mut of_order = Vec::new();
            for key in ticket_keys(order) {
                let chunk: Option<TicketChunk> = found.take(&key)?;
                of_order.extend(chunk.into_iter().flat_map(|chunk| chunk.tickets));
            }
            tickets.insert(order.id.clone(), with_statuses(order, of_order));
        }
        Ok(tickets)
    }

    /// Answered forms, those that were sent last first.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_responses(
        &self,
        tenant: TenantId,
        range: &ResponseRange,
    ) -> Result<Vec<ResponseHit>, StoreError> {
        let ResponseRange { sent, form, event } = range;
        let event = event.map(|event| event.to_string());
        let is_wanted = |item: &Item| {
            form.as_ref().is_none_or(|form| has_text(item, FORM, form.as_str()))
                && event.as_deref().is_none_or(|event| has_text(item, EVENT, event))
        };
        let (from, until) = responses_between(sent.from, sent.until);
        let (keys, strong) = (SortKeys::Between(&from, &until), Consistency::Strong);
        let partition = form_responses(tenant);
        let found = self.query_wanted(Table::Orders, &partition, keys, strong, usize::MAX, is_wanted).await?;
        let hit = |item: &Item| {
            let mut place = sort_key(item)?.split('#').skip(1);
            let response = FormResponseId::parse(place.next()?).ok()?;
            Some(ResponseHit { response, order: order_in(item)? })
        };
        Ok(found.iter().rev().filter_map(hit).collect())
    }

    /// The orders of an answered form; of several, one may be paid.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_orders_of_response(
        &self,
        tenant: TenantId,
        response: &FormResponseId,
    ) -> Result<Vec<OrderId>, StoreError> {
        let partition = orders_of_response(tenant, response);
        let items = self.query_all(Table::Orders, &partition, SortKeys::All, Consistency::Strong).await?;
        Ok(items.iter().filter_map(order_in).collect())
    }
}

fn newest_first(mut hits: Vec<OrderHit>) -> Vec<OrderHit> {
    hits.sort();
    hits.reverse();
    hits
}

/// Where the tickets of an order lie: those that were sold, and those of each exchange.
fn ticket_keys(order: &Order) -> impl Iterator<Item = Key> {
    let sold = order.ticket_lines().map(|line| line.amounts.quantity);
    let sold = sold
        .fold(0_usize, |all, quantity| all.saturating_add(usize::try_from(quantity).unwrap_or(usize::MAX)));
    let of_exchanges = 0..order.after_sale.exchanges.len();
    let of_exchanges = of_exchanges.map(|place| FIRST_EXCHANGE_CHUNK.saturating_add(place));
    let parts = (0..sold.div_ceil(TICKETS_PER_CHUNK)).chain(of_exchanges);
    parts.map(move |part| Key::tickets(order.tenant, &order.id, part))
}
