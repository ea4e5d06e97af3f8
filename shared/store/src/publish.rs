//! Making slots in DynamoDB: the record of how far a template's slots have come, and the writes of one piece.
//! Every write of a run names the run, so that one that a later run has overtaken changes nothing.

use crate::authored::{Stored, decode_authored, delete_as_read, put_over};
use crate::ledger::{ledger_item, ledger_unchanged};
use crate::order::{DueClock, DueKind, due_as};
use crate::plan::add;
use crate::{
    Action, Consistency, Expression, Item, Key, Plan, SortKeys, Store, StoreError, Table, decode, encode,
    number, slots_partition, sortable_secs, text,
};
use domain::catalog::Template;
use domain::instance_id::TemplateTag;
use domain::ledger::Ledger;
use domain::publishing::{Generation, Regeneration, Replacement};
use domain::{InstanceId, TemplateId, TenantId, Timestamp};

/// Where a stretch of slots begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotsFrom {
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

/// What a failed condition means where a template is saved or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateRefusal {
    /// The template is not as it was read.
    Template,
    /// The record of its slots is not as it was read.
    Record,
}

/// The writes that save a template over the one that was read, with the record of its slots if it gets one.
///
/// # Errors
/// [`StoreError`] when a record has no representation.
pub fn plan_save_template(
    tenant: TenantId,
    before: Option<&Stored<Template>>,
    template: &Template,
    previous: Option<&Generation>,
    next: Option<&Generation>,
) -> Result<Plan<TemplateRefusal>, StoreError> {
    let mut plan = Plan::new();
    let write = put_over(tenant, before, template)?;
    add(&mut plan, Key::template(tenant, &template.id), write, TemplateRefusal::Template)?;
    if let Some(next) = next {
        let (key, action) = generation_put(tenant, next, previous)?;
        add(&mut plan, key, action, TemplateRefusal::Record)?;
    }
    Ok(plan)
}

/// The writes that delete a template as it was read, with its rules, and leave a record if it had one.
///
/// # Errors
/// [`StoreError`] when a record has no representation.
pub fn plan_delete_template(
    tenant: TenantId,
    before: &Stored<Template>,
    previous: Option<&Generation>,
    next: Option<&Generation>,
) -> Result<Plan<TemplateRefusal>, StoreError> {
    let (mut plan, id) = (Plan::new(), &before.value.id);
    add(&mut plan, Key::template(tenant, id), delete_as_read(before), TemplateRefusal::Template)?;
    if let Some(next) = next {
        let (key, action) = generation_put(tenant, next, previous)?;
        add(&mut plan, key, action, TemplateRefusal::Record)?;
    }
    for key in [Key::slot_reach(tenant, id), Key::entitlements(tenant, id)] {
        // Without a condition it is never refused.
        add(&mut plan, key, Action::Delete(Expression::new()), TemplateRefusal::Record)?;
    }
    Ok(plan)
}

/// What becomes of the record of a run with a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordStep<'a> {
    /// It stays as it is.
    Stays,
    /// It moves on.
    MovesTo(&'a Generation),
    /// It has nothing left to say, and goes.
    Ends,
}

impl RecordStep<'_> {
    fn write(self, tenant: TenantId, record: &Generation) -> Result<(Key, Action), StoreError> {
        Ok(match self {
            Self::Stays => generation_fence(tenant, record),
            Self::MovesTo(next) => generation_put(tenant, next, Some(record))?,
            Self::Ends => generation_end(tenant, record),
        })
    }

    /// Whether the step was taken before and its answer lost, by the record that refused it.
    ///
    /// # Errors
    /// [`StoreError`] when that does not read as a record.
    pub fn was_taken(self, old: Option<Item>) -> Result<bool, StoreError> {
        let old: Option<Generation> = old.map(decode).transpose()?;
        Ok(match self {
            Self::Stays => false,
            Self::MovesTo(next) => old.as_ref() == Some(next),
            Self::Ends => old.is_none(),
        })
    }
}

/// What a write does to a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotChange {
    /// It is new.
    Made,
    /// It becomes what its schedule says now.
    Changed,
    /// It goes.
    Deleted,
}

/// The write of a slot.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotWrite {
    /// What it does.
    pub change: SlotChange,
    key: Key,
    action: Action,
}

/// The writes that make slots what their schedules say.
///
/// # Errors
/// [`StoreError`] when a slot has no representation.
pub fn slot_writes(tenant: TenantId, found: &Regeneration) -> Result<Vec<SlotWrite>, StoreError> {
    let mut writes = Vec::new();
    let mut push = |change, write: (Key, Action)| {
        let (key, action) = write;
        writes.push(SlotWrite { change, key, action });
    };
    for ledger in &found.put {
        push(SlotChange::Made, slot_put(tenant, ledger)?);
    }
    for replacement in &found.replace {
        push(SlotChange::Changed, slot_replace(tenant, replacement)?);
    }
    for ledger in &found.delete {
        push(SlotChange::Deleted, slot_delete(tenant, ledger)?);
    }
    Ok(writes)
}

/// What a failed condition means where slots are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StretchRefusal {
    /// The record is not as it was read.
    Record,
    /// This one of the slots is not as it was read.
    Slot(usize),
}

/// Those of the writes that are still open, together with a check or a move of the record.
///
/// # Errors
/// [`StoreError`] when the record has no representation, or they are too many.
pub fn plan_stretch(
    tenant: TenantId,
    record: &Generation,
    step: RecordStep<'_>,
    writes: &[SlotWrite],
    open: &[usize],
) -> Result<Plan<StretchRefusal>, StoreError> {
    let mut plan = Plan::new();
    let (key, action) = step.write(tenant, record)?;
    add(&mut plan, key, action, StretchRefusal::Record)?;
    for index in open {
        let Some(SlotWrite { change: _, key, action }) = writes.get(*index) else { continue };
        add(&mut plan, key.clone(), action.clone(), StretchRefusal::Slot(*index))?;
    }
    Ok(plan)
}

/// The write of a record: it replaces `previous`, which must still be there, or is the first of its template.
fn generation_put(
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
fn generation_end(tenant: TenantId, generation: &Generation) -> (Key, Action) {
    (Key::generation(tenant, &generation.template), Action::Delete(unmoved(generation)))
}

/// The check that no later run has taken over.
fn generation_fence(tenant: TenantId, generation: &Generation) -> (Key, Action) {
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
fn slot_replace(tenant: TenantId, replacement: &Replacement) -> Result<(Key, Action), StoreError> {
    let (key, item) = ledger_item(tenant, &replacement.new)?;
    Ok((key, Action::Put(item, ledger_unchanged(&replacement.old)?)))
}

/// The write that deletes an untouched slot.
fn slot_delete(tenant: TenantId, ledger: &Ledger) -> Result<(Key, Action), StoreError> {
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
    ) -> Result<(Option<Stored<Template>>, Option<Generation>), StoreError> {
        let (template, generation) = (Key::template(tenant, id), Key::generation(tenant, id));
        let keys = [template.clone(), generation.clone()];
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        let template = found.take_item(&template).map(decode_authored).transpose()?;
        Ok((template, found.take(&generation)?))
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

    /// Puts the record of another run in the place of the one that was read; false where that moved meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn replace_generation(
        &self,
        tenant: TenantId,
        previous: &Generation,
        next: &Generation,
    ) -> Result<bool, StoreError> {
        let (key, write) = generation_put(tenant, next, Some(previous))?;
        Ok(self.write(&key, write).await?.is_ok())
    }

    /// Up to `limit` slots of a template from a beginning on, by their generated starts up to `until`.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_slots_from(
        &self,
        tenant: TenantId,
        template: &TemplateId,
        beginning: SlotsFrom,
        until: Timestamp,
        limit: usize,
    ) -> Result<ExistingSlots, StoreError> {
        let partition = slots_partition(tenant, TemplateTag::of(template));
        // Every key continues after the seconds, and after the id, with `#`; `~` sorts behind it.
        let from = match beginning {
            SlotsFrom::At(instant) => sortable_secs(instant.timestamp()),
            SlotsFrom::After(slot) => format!("{}~", Key::ledger(tenant, &slot, 0).sk),
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
        let id = |item: &Item| item.get("instance").and_then(|id| id.as_s().ok()).cloned();
        Ok(items.first().and_then(id).and_then(|id| InstanceId::parse(&id).ok()))
    }
}
