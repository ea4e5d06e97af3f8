//! The capacity ledger in DynamoDB: every change is one conditional update, idempotent because the hold's id
//! is in the item.

use crate::{
    Action, AttributeValue, Consistency, Expression, Item, Key, SortKeys, Store, StoreError, Table, decode,
    encode, number, slots_partition, sortable_secs,
};
use domain::ledger::{Hold, Ledger, LedgerChange, LedgerRefusal, LedgerTransition, MAX_HOLDS};
use domain::slot_edit::{EditTransition, LedgerEdit, SlotTerms};
use domain::{InstanceId, TemplateId, TenantId, Timestamp, instance_id::TemplateTag};
use std::collections::HashMap;

/// How an item says that its slot was removed.
const REMOVED: &str = "removed";

/// The update that carries out a change, with the conditions under which the ledger allows it.
#[must_use]
pub fn ledger_update(change: &LedgerChange) -> Action {
    Action::Update(change_expression(change))
}

/// The update that carries out an edit, with the conditions under which the ledger allows it.
///
/// # Errors
/// [`StoreError`] when a state has no representation.
pub fn ledger_edit(edit: &LedgerEdit) -> Result<Action, StoreError> {
    let mut update = change_expression(&edit.change);
    let (before, after) = (terms(edit.before)?, terms(edit.after)?);
    for ((name, old), (_, new)) in before.into_iter().zip(after) {
        if old == new {
            update.require_equal(name, old);
        } else {
            let path = update.path(&[name]);
            let (old, new) = (update.value(old), update.value(new));
            update.require(format!("{path} = {old}"));
            update.set(format!("{path} = {new}"));
        }
    }
    update.assign("edited", AttributeValue::Bool(true));
    Ok(Action::Update(update))
}

/// The attributes of what the back office says of a slot.
fn terms(terms: SlotTerms) -> Result<[(&'static str, AttributeValue); 4], StoreError> {
    let SlotTerms { size, start, end, state } = terms;
    let state = serde_dynamo::to_attribute_value(state).map_err(StoreError::corrupt)?;
    Ok([
        ("size", number(i64::from(size))),
        ("start", number(start.timestamp_millis())),
        ("end", number(end.timestamp_millis())),
        ("state", state),
    ])
}

/// The condition that a ledger is as it was read, to the last hold.
///
/// # Errors
/// [`StoreError`] when it has no representation.
pub fn ledger_unchanged(ledger: &Ledger) -> Result<Expression, StoreError> {
    let mut same = Expression::new();
    for (name, value) in terms(ledger.terms())? {
        same.require_equal(name, value);
    }
    same.require_equal("free", number(i64::from(ledger.free)));
    same.require_equal("sold", number(i64::from(ledger.sold)));
    let holds = ledger.holds.iter().map(|(id, hold)| (id.to_string(), hold_value(*hold))).collect();
    same.require_equal("holds", AttributeValue::M(holds));
    if ledger.edited {
        same.require_equal("edited", AttributeValue::Bool(true));
    } else {
        let edited = same.path(&["edited"]);
        same.require(format!("attribute_not_exists({edited})"));
    }
    Ok(same)
}

fn change_expression(change: &LedgerChange) -> Expression {
    let mut update = Expression::new();
    update.require_item();
    for (id, hold) in &change.expect {
        let id = id.to_string();
        let path = update.path(&["holds", &id]);
        match hold {
            Some(hold) => {
                let value = update.value(hold_value(*hold));
                update.require(format!("{path} = {value}"));
            }
            None => update.require(format!("attribute_not_exists({path})")),
        }
    }
    for (id, hold) in &change.set {
        let id = id.to_string();
        match hold {
            Some(hold) => {
                let (path, value) = (update.path(&["holds", &id]), update.value(hold_value(*hold)));
                update.set(format!("{path} = {value}"));
            }
            None => update.remove(&["holds", &id]),
        }
    }
    if change.takes_seats {
        update.require_equal("state", AttributeValue::S("active".to_owned()));
    }
    if change.free < 0 {
        let (free, need) = (update.path(&["free"]), update.number(change.free.saturating_neg()));
        update.require(format!("{free} >= {need}"));
    }
    if change.needs_room() {
        let limit = i64::try_from(MAX_HOLDS).unwrap_or(i64::MAX);
        let (holds, limit) = (update.path(&["holds"]), update.number(limit));
        update.require(format!("size({holds}) < {limit}"));
    }
    update.shift("free", change.free);
    update.shift("sold", change.sold);
    update
}

fn hold_value(hold: Hold) -> AttributeValue {
    AttributeValue::M(HashMap::from([
        ("q".to_owned(), number(i64::from(hold.quantity))),
        ("e".to_owned(), number(hold.expires_at.timestamp_millis())),
    ]))
}

/// The ledger in the item of a refused write, if there was one.
///
/// # Errors
/// [`StoreError`] when it does not read as a ledger.
pub fn ledger_in(old: Option<Item>) -> Result<Option<Ledger>, StoreError> {
    old.map(decode).transpose()
}

/// The item of a new ledger.
///
/// # Errors
/// [`StoreError`] when it has no representation.
pub(crate) fn ledger_item(tenant: TenantId, ledger: &Ledger) -> Result<(Key, Item), StoreError> {
    let key = Key::ledger(tenant, &ledger.instance, ledger.shard);
    let item = encode(&key, ledger)?;
    Ok((key, item))
}

impl Store {
    /// Changes one ledger by one conditional update, taking expired holds along when their seats or their
    /// places are needed.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer. The inner error is the ledger's refusal.
    pub async fn change_ledger(
        &self,
        tenant: TenantId,
        instance: &InstanceId,
        change: &LedgerChange,
        now: Timestamp,
    ) -> Result<Result<(), (LedgerRefusal, Option<Ledger>)>, StoreError> {
        let key = Key::ledger(tenant, instance, 0);
        let mut attempt = change.clone();
        for _ in 0..MAX_RECLAIM_ROUNDS {
            let old = match self.write(&key, ledger_update(&attempt)).await? {
                Ok(()) => return Ok(Ok(())),
                Err(old) => old,
            };
            let Some(ledger) = ledger_in(old)?.filter(Ledger::exists) else {
                return Ok(Err((LedgerRefusal::UnknownSlot, None)));
            };
            attempt = match self.transition(tenant, &ledger, change, now).await? {
                Ok(transition) => transition,
                Err(refusal) => return Ok(Err((refusal, Some(ledger)))),
            };
        }
        Ok(Err((LedgerRefusal::TooManyHolds, None)))
    }

    /// What to send in the place of a change that a ledger refused: the change with the expired holds it has to
    /// take along. Where those are more than one update can name, some are taken back beforehand.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer. The inner error is the ledger's refusal.
    pub async fn transition(
        &self,
        tenant: TenantId,
        ledger: &Ledger,
        change: &LedgerChange,
        now: Timestamp,
    ) -> Result<Result<LedgerChange, LedgerRefusal>, StoreError> {
        Ok(match ledger.transition(change, now) {
            Ok(LedgerTransition::Change(transition)) => Ok(transition),
            Ok(LedgerTransition::ReclaimFirst(expired)) => {
                // Whether it happens or another caller was faster, the next try sees the ledger again.
                let _ = self.reclaim_holds(tenant, &ledger.instance, &expired).await?;
                Ok(change.clone())
            }
            Err(refusal) => Err(refusal),
        })
    }

    /// Takes expired holds of a ledger back. The inner error is the ledger as it is, if there is one.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn reclaim_holds(
        &self,
        tenant: TenantId,
        instance: &InstanceId,
        expired: &LedgerChange,
    ) -> Result<Result<(), Option<Ledger>>, StoreError> {
        self.update_ledger(tenant, instance, ledger_update(expired)).await
    }

    async fn update_ledger(
        &self,
        tenant: TenantId,
        instance: &InstanceId,
        update: Action,
    ) -> Result<Result<(), Option<Ledger>>, StoreError> {
        match self.write(&Key::ledger(tenant, instance, 0), update).await? {
            Ok(()) => Ok(Ok(())),
            Err(old) => Ok(Err(ledger_in(old)?)),
        }
    }

    /// Carries out an edit that was decided on a ledger. The inner error is the ledger as it is, if it still
    /// exists.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn edit_ledger(
        &self,
        tenant: TenantId,
        instance: &InstanceId,
        transition: &EditTransition,
    ) -> Result<Result<(), Option<Ledger>>, StoreError> {
        match transition {
            EditTransition::Nothing => Ok(Ok(())),
            EditTransition::Edit(edit) => self.update_ledger(tenant, instance, ledger_edit(edit)?).await,
            EditTransition::ReclaimFirst(expired) => self.reclaim_holds(tenant, instance, expired).await,
        }
    }

    /// One ledger; none of a removed slot.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_ledger(
        &self,
        tenant: TenantId,
        instance: &InstanceId,
        consistency: Consistency,
    ) -> Result<Option<Ledger>, StoreError> {
        let ledger: Option<Ledger> = self.get(&Key::ledger(tenant, instance, 0), consistency).await?;
        Ok(ledger.filter(Ledger::exists))
    }

    /// The ledgers of a template whose slots were made to start within `from..=until`, in that order; at most so many.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_ledgers(
        &self,
        tenant: TenantId,
        template: &TemplateId,
        from: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<Ledger>, StoreError> {
        let partition = slots_partition(tenant, TemplateTag::of(template));
        let from = sortable_secs(from.timestamp());
        // Every key continues after the seconds with `#`; `~` sorts behind it.
        let until = format!("{}~", sortable_secs(until.timestamp()));
        let range = SortKeys::Between(&from, &until);
        // Two templates can share a partition when the first bytes of their hashes agree.
        let is_wanted = |item: &Item| {
            let has = |name, wanted: &str| {
                item.get(name).and_then(|text| text.as_s().ok()).is_some_and(|text| text == wanted)
            };
            has("template", template.as_str()) && !has("state", REMOVED)
        };
        let items = self
            .query_wanted(Table::Reservations, &partition, range, Consistency::Eventual, limit, is_wanted)
            .await?;
        items.into_iter().map(decode).collect()
    }

    /// Puts the ledger of a new slot; one that exists keeps its counts and holds.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn create_ledger(&self, tenant: TenantId, ledger: &Ledger) -> Result<(), StoreError> {
        let (key, item) = ledger_item(tenant, ledger)?;
        let mut absent = Expression::new();
        absent.require_no_item();
        // An existing slot is not an error: publishing again changes nothing.
        self.write(&key, Action::Put(item, absent)).await.map(|_| ())
    }
}

/// Rounds of reclaiming before a caller is asked to try again.
const MAX_RECLAIM_ROUNDS: usize = 12;

#[cfg(test)]
mod tests;
