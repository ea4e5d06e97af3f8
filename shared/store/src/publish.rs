//! Making slots in DynamoDB: the record of how far a template's slots have come, and the writes of one piece.
//! Every write of a run names the run, so that one that a later run has overtaken changes nothing.

use crate::ledger::{ledger_item, ledger_unchanged};
use crate::order::{DueClock, DueKind, due_as};
use crate::{
    Action, Consistency, Expression, Key, SortKeys, Store, StoreError, Table, decode, encode, number,
    slots_partition, sortable_secs, text,
};
use domain::catalog::Template;
use domain::instance_id::TemplateTag;
use domain::ledger::Ledger;
use domain::publishing::{Generation, Replacement};
use domain::{InstanceId, TemplateId, TenantId, Timestamp};

/// Where a stretch of slots begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// With slots that start at this instant.
    At(Timestamp),
    /// Behind this slot.
    After(InstanceId),
}

/// The slots that exist in a stretch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExistingSlots {
    /// Their ledgers, removed ones included, in order.
    pub ledgers: Vec<Ledger>,
    /// The last of them, where the limit cut the stretch short.
    pub stopped_after: Option<InstanceId>,
}

/// The write of a record: it replaces `previous`, which must still be there, or is the first of its template.
///
/// # Errors
/// [`StoreError`] when it has no representation.
pub fn generation_put(
    tenant: TenantId,
    generation: &Generation,
    previous: Option<&Generation>,
) -> Result<(Key, Action), StoreError> {
    let key = Key::generation(tenant, &generation.template);
    let mut item = encode(&key, generation)?;
    item.remove("due_at");
    if let Some(at) = generation.due_at {
        let clock = if generation.chosen_clock { DueClock::Chosen } else { DueClock::Real };
        item.extend(due_as(generation.template.as_str(), at, clock, DueKind::Slots));
    }
    let condition = previous.map_or_else(
        || {
            let mut absent = Expression::new();
            absent.require_no_item();
            absent
        },
        unmoved,
    );
    Ok((key, Action::Put(item, condition)))
}

/// The write that ends a record which has nothing left to say.
#[must_use]
pub fn generation_end(tenant: TenantId, generation: &Generation) -> (Key, Action) {
    (Key::generation(tenant, &generation.template), Action::Delete(unmoved(generation)))
}

/// The check that no later run has taken over.
#[must_use]
pub fn generation_fence(tenant: TenantId, generation: &Generation) -> (Key, Action) {
    let mut same = Expression::new();
    same.require_equal("run", text(&generation.run));
    (Key::generation(tenant, &generation.template), Action::Check(same))
}

fn unmoved(generation: &Generation) -> Expression {
    let mut same = Expression::new();
    same.require_equal("run", text(&generation.run));
    same.require_equal("revision", number(i64::from(generation.revision)));
    same
}

/// The write of a new slot.
///
/// # Errors
/// [`StoreError`] when it has no representation.
pub fn slot_put(tenant: TenantId, ledger: &Ledger) -> Result<(Key, Action), StoreError> {
    let (key, item) = ledger_item(tenant, ledger)?;
    let mut absent = Expression::new();
    absent.require_no_item();
    Ok((key, Action::Put(item, absent)))
}

/// The write that puts a slot in the place of an untouched one.
///
/// # Errors
/// [`StoreError`] when it has no representation.
pub fn slot_replace(tenant: TenantId, replacement: &Replacement) -> Result<(Key, Action), StoreError> {
    let (key, item) = ledger_item(tenant, &replacement.new)?;
    Ok((key, Action::Put(item, ledger_unchanged(&replacement.old)?)))
}

/// The write that deletes an untouched slot.
///
/// # Errors
/// [`StoreError`] when it has no representation.
pub fn slot_delete(tenant: TenantId, ledger: &Ledger) -> Result<(Key, Action), StoreError> {
    let key = Key::ledger(tenant, &ledger.instance, ledger.shard);
    Ok((key, Action::Delete(ledger_unchanged(ledger)?)))
}

impl Store {
    /// A template and the record of its slots, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_template_and_generation(
        &self,
        tenant: TenantId,
        id: &TemplateId,
    ) -> Result<(Option<Template>, Option<Generation>), StoreError> {
        let (template, generation) = (Key::template(tenant, id), Key::generation(tenant, id));
        let keys = [template.clone(), generation.clone()];
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        Ok((found.take(&template)?, found.take(&generation)?))
    }

    /// The record of a template's slots.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_generation(
        &self,
        tenant: TenantId,
        id: &TemplateId,
    ) -> Result<Option<Generation>, StoreError> {
        self.get(&Key::generation(tenant, id), Consistency::Strong).await
    }

    /// Up to `limit` slots of a template from a beginning on, by their generated starts up to `until`.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_slots_from(
        &self,
        tenant: TenantId,
        template: &TemplateId,
        beginning: Beginning,
        until: Timestamp,
        limit: usize,
    ) -> Result<ExistingSlots, StoreError> {
        let partition = slots_partition(tenant, TemplateTag::of(template));
        // Every key continues after the seconds, and after the id, with `#`; `~` sorts behind it.
        let from = match beginning {
            Beginning::At(instant) => sortable_secs(instant.timestamp()),
            Beginning::After(slot) => format!("{}~", Key::ledger(tenant, &slot, 0).sk),
        };
        let until = format!("{}~", sortable_secs(until.timestamp()));
        if until < from {
            return Ok(ExistingSlots::default());
        }
        let range = SortKeys::Between(&from, &until);
        let wanted = limit.saturating_add(1);
        let mut items =
            self.query(Table::Reservations, &partition, range, Consistency::Strong, wanted).await?;
        let more = items.len() > limit;
        items.truncate(limit);
        let mut ledgers: Vec<Ledger> = items.into_iter().map(decode).collect::<Result<_, _>>()?;
        let stopped_after = ledgers.last().filter(|_| more).map(|ledger| ledger.instance);
        // Two templates can share a partition when the first bytes of their hashes agree.
        ledgers.retain(|ledger| ledger.template == *template);
        Ok(ExistingSlots { ledgers, stopped_after })
    }

    /// Seats sold of all slots of a template: a query over their ledgers.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn count_sold(&self, tenant: TenantId, template: &TemplateId) -> Result<u64, StoreError> {
        let partition = slots_partition(tenant, TemplateTag::of(template));
        let items =
            self.query_all(Table::Reservations, &partition, SortKeys::All, Consistency::Eventual).await?;
        let ledgers: Vec<Ledger> = items.into_iter().map(decode).collect::<Result<_, _>>()?;
        let own = ledgers.iter().filter(|ledger| ledger.template == *template);
        Ok(own.map(|ledger| u64::from(ledger.sold)).sum())
    }

    /// The last slot in a template's partition, by generated start.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_last_slot(
        &self,
        tenant: TenantId,
        template: &TemplateId,
    ) -> Result<Option<InstanceId>, StoreError> {
        let partition = slots_partition(tenant, TemplateTag::of(template));
        let items =
            self.query(Table::Reservations, &partition, SortKeys::LastFirst, Consistency::Strong, 1).await?;
        let id = |item: &crate::Item| item.get("instance").and_then(|id| id.as_s().ok()).cloned();
        Ok(items.first().and_then(id).and_then(|id| InstanceId::parse(&id).ok()))
    }
}
