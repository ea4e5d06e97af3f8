//! Whom the doors let in (decision record 0143). A check-in is one transaction: the order, under the condition that
//! neither its admissions nor what was done with it changed since it was read; the record of the scan; and the counts of
//! the instances, which are spread over several items so that doors do not wait for each other, and lie beside no ledger
//! so that sales do not wait for doors.

use crate::after_sale::{ExchangeRefusal, exchange_writes};
use crate::checkout::absent;
use crate::order::{require_admission, require_after_sale};
use crate::passages::{PassageWrites, passage_writes, set_admission};
use crate::plan::add;
use crate::{
    Action, AttributeValue, Consistency, Expression, Item, Key, MAX_WRITES, Plan, SortKeys, Store,
    StoreError, Table, admitted_partition, decode, encode, number, scans_partition, sort_key, sortable_secs,
    text,
};
use chrono::NaiveDate;
use domain::admission::{AdmissionChange, ForcedVisit, Scan, Visit};
use domain::instance_id::TemplateTag;
use domain::ledger::LedgerChange;
use domain::order::exchange::DecidedExchange;
use domain::order::{AdmissionCounts, Order};
use domain::{AdmissionId, CardId, InstanceId, OrderId, TemplateId, TenantId, Timestamp};
use std::collections::BTreeMap;

/// Tickets of one order of which one transaction notes or takes back a scan each at most. Beside these there are the
/// order and the counts of its instances ([`fits`]).
pub const MAX_AT_ONCE: usize = 90;

/// Why nothing is written, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdmissionRefusal {
    /// This very scan is there: an earlier try of it succeeded.
    AlreadyNoted,
    /// Something was done with the order since it was read.
    OrderMoved,
    /// The slot that tickets are moved to does not give the seats.
    Seats,
}

/// An exchange that is made at a door.
#[derive(Debug, Clone, Copy)]
pub struct DoorMove<'a> {
    /// What was decided.
    pub exchange: &'a DecidedExchange,
    /// The instance it is for.
    pub event: InstanceId,
    /// What it changes there.
    pub seats: &'a LedgerChange,
}

/// The transaction of a check-in, of its taking back, of a block or of an upload.
///
/// # Errors
/// [`StoreError`] when something has no representation, or it is more than one transaction holds.
pub fn plan_admission(
    order: &Order,
    change: &AdmissionChange,
    moved: Option<&DoorMove<'_>>,
) -> Result<Plan<AdmissionRefusal>, StoreError> {
    let mut plan = Plan::new();
    let mut update = Expression::new();
    require_after_sale(&mut update, order);
    require_admission(&mut update, order);
    set_admission(&mut update, change)?;
    if let Some(DoorMove { exchange, event, seats }) = moved {
        update.assign("after_sale", value_of(&order.after_sale.with_exchange(exchange.exchange.clone()))?);
        for (refusal, key, action) in exchange_writes(order, exchange, *event, seats)? {
            let refusal = match refusal {
                ExchangeRefusal::OrderMoved => AdmissionRefusal::OrderMoved,
                ExchangeRefusal::Seats => AdmissionRefusal::Seats,
            };
            add(&mut plan, key, action, refusal)?;
        }
    }
    add(
        &mut plan,
        Key::order(order.tenant, &order.id),
        Action::Update(update),
        AdmissionRefusal::OrderMoved,
    )?;
    let PassageWrites { scans, others } = passage_writes(order, change)?;
    for (key, action) in scans {
        add(&mut plan, key, action, AdmissionRefusal::AlreadyNoted)?;
    }
    for (key, action) in others {
        add(&mut plan, key, action, AdmissionRefusal::OrderMoved)?;
    }
    Ok(plan)
}

/// Whether a change could be written at once.
#[must_use]
pub fn fits(change: &AdmissionChange) -> bool {
    let records = change.scans.len().saturating_add(change.marked.len());
    records.saturating_add(change.counts.len()).saturating_add(1) <= MAX_WRITES
}

fn value_of<T: serde::Serialize>(value: &T) -> Result<AttributeValue, StoreError> {
    serde_dynamo::to_attribute_value(value).map_err(StoreError::corrupt)
}

/// The instance that an item of counts is of, and what it counts.
///
/// # Errors
/// [`StoreError`] when the item is none of counts.
pub(crate) fn counts_in(sk: &str, item: Item) -> Result<(InstanceId, AdmissionCounts), StoreError> {
    let instance = sk.split('#').nth(1).and_then(|id| InstanceId::parse(id).ok());
    let instance = instance.ok_or_else(|| StoreError::corrupt("counts name no instance"))?;
    Ok((instance, decode(item)?))
}

impl Store {
    /// Whom the instances of a template let in that were made to start within `from..=until`; those that let nobody in
    /// are left out. Another template may share the partition, so that there may be more of them.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_counts(
        &self,
        tenant: TenantId,
        template: &TemplateId,
        from: Timestamp,
        until: Timestamp,
    ) -> Result<BTreeMap<InstanceId, AdmissionCounts>, StoreError> {
        let partition = admitted_partition(tenant, TemplateTag::of(template));
        let from = sortable_secs(from.timestamp());
        // Every key continues after the seconds with `#`; `~` sorts behind it.
        let until = format!("{}~", sortable_secs(until.timestamp()));
        let range = SortKeys::Between(&from, &until);
        let items = self.query_all(Table::Orders, &partition, range, Consistency::Strong).await?;
        let mut sums: BTreeMap<InstanceId, AdmissionCounts> = BTreeMap::new();
        for item in items {
            let sk = sort_key(&item).unwrap_or_default().to_owned();
            let (instance, counts) = counts_in(&sk, item)?;
            let sum = sums.entry(instance).or_default();
            *sum = sum.and(counts);
        }
        sums.retain(|_, sum| !sum.is_zero());
        Ok(sums)
    }

    /// All scans of an order's tickets, however many there are, in no order.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_scans(&self, tenant: TenantId, order: &OrderId) -> Result<Vec<Scan>, StoreError> {
        let partition = scans_partition(tenant, order);
        let items = self.query_all(Table::Orders, &partition, SortKeys::All, Consistency::Strong).await?;
        items.into_iter().map(decode).collect()
    }

    /// One scan of an order's tickets, by which a repetition is known.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_scan(
        &self,
        tenant: TenantId,
        order: &OrderId,
        id: &AdmissionId,
    ) -> Result<Option<Scan>, StoreError> {
        self.get(&Key::scan(tenant, order, id), Consistency::Strong).await
    }

    /// Notes a scan that changed nothing, unless it is noted.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn note_scan(&self, tenant: TenantId, order: &OrderId, scan: &Scan) -> Result<(), StoreError> {
        let key = Key::scan(tenant, order, &scan.id);
        let item = encode(&key, scan)?;
        let _ = self.write(&key, Action::Put(item, absent())).await?;
        Ok(())
    }

    /// The visits of a card on a day.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_visit(
        &self,
        tenant: TenantId,
        date: NaiveDate,
        card: CardId,
    ) -> Result<Option<Visit>, StoreError> {
        self.get(&Key::visits(tenant, date, card), Consistency::Strong).await
    }

    /// Notes a visit of a card and answers the visits of that day: of two doors, one finds itself the first. A
    /// repetition of the last one changes nothing, nor does one of any that a device told of, nor one that a device
    /// tells of beyond [`MAX_TOLD_VISITS`]. The inner error is the visits of the day as they stay.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn note_visit(
        &self,
        tenant: TenantId,
        visit: &NewVisit<'_>,
    ) -> Result<Result<Visit, UnnotedVisit>, StoreError> {
        let key = Key::visits(tenant, visit.date, visit.card);
        let mut update = Expression::new();
        let mark = format!("told#{}", visit.id.as_str());
        let count = update.path(&["visits"]);
        let (last, this) = (update.path(&["last"]), update.text(visit.id.as_str()));
        if visit.offline {
            let (told, most) = (update.path(&[mark.as_str()]), update.number(i64::from(MAX_TOLD_VISITS)));
            update.require(format!("attribute_not_exists({told})"));
            update.require(format!("(attribute_not_exists({count}) OR {count} < {most})"));
            let at = update.number(visit.at.timestamp_millis());
            update.set(format!("{told} = {at}"));
            update.set(format!("{last} = if_not_exists({last}, {this})"));
        } else {
            update.require(format!("(attribute_not_exists({last}) OR {last} <> {this})"));
            update.set(format!("{last} = {this}"));
        }
        if visit.only_first {
            update.require_no_item();
        }
        if let Some(forced) = visit.forced {
            update.assign("forced", value_of(forced)?);
        }
        let (none, one) = (update.number(0), update.number(1));
        update.set(format!("{count} = if_not_exists({count}, {none}) + {one}"));
        let (first, now) = (update.path(&["first_at"]), update.number(visit.at.timestamp_millis()));
        update.set(format!("{first} = if_not_exists({first}, {now})"));
        if let Some(terminal) = visit.terminal {
            let (path, value) = (update.path(&["terminal"]), update.value(text(terminal)));
            update.set(format!("{path} = if_not_exists({path}, {value})"));
        }
        let (version, known) = (update.path(&["v"]), update.value(number(crate::SCHEMA_VERSION)));
        update.set(format!("{version} = {known}"));
        match self.update_and_return(&key, &update).await? {
            Ok(item) => Ok(Ok(decode(item)?)),
            Err(Some(item)) => {
                let is_known = !visit.offline || item.contains_key(&mark);
                Ok(Err(UnnotedVisit { of_day: decode(item)?, is_known }))
            }
            Err(None) => Err(StoreError::corrupt("a visit was refused that nothing stands against")),
        }
    }
}

/// Visits of a card on one day, after which no more are noted of which devices tell: each is kept under its scan's id, and
/// an item has an end. Nobody comes so often.
pub const MAX_TOLD_VISITS: u32 = 500;

/// A visit that was not noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnnotedVisit {
    /// The visits of the day as they stay.
    pub of_day: Visit,
    /// Whether it is one of them, or something else stands against it; otherwise there are too many.
    pub is_known: bool,
}

/// A visit of a card.
#[derive(Debug, Clone, Copy)]
pub struct NewVisit<'a> {
    /// The local day.
    pub date: NaiveDate,
    /// The card.
    pub card: CardId,
    /// The identity of the scan.
    pub id: &'a AdmissionId,
    /// When.
    pub at: Timestamp,
    /// The device.
    pub terminal: Option<&'a str>,
    /// Whether a later visit of the day is not counted.
    pub only_first: bool,
    /// Whether a device tells of it that was offline.
    pub offline: bool,
    /// Why staff insisted, where they did.
    pub forced: Option<&'a ForcedVisit>,
}
