//! Reservations in DynamoDB: the record, and the holds in the ledgers of its slots.
//!
//! The record is put first and means nothing until its holds are there, so a request that dies in between
//! loses no seats. Both are written under conditions that name what they build on; a refused write returns
//! the items as they are, and the caller decides again.

use crate::{
    Action, Consistency, Expression, Found, Item, Key, Plan, Store, StoreError, StoreFault, decode, encode,
    ledger::ledger_update, number,
};
use domain::ledger::Ledger;
use domain::reservation::{LedgerChanges, Reservation};
use domain::time::plus_secs;
use domain::{InstanceId, ReservationId, TenantId, Timestamp};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// How long a record is kept after its last write; longer than an idempotency key is good for.
const RETENTION_SECS: i64 = 48 * 3_600;

/// The record before and after an update.
#[derive(Debug, Clone, Copy)]
pub struct RecordChange<'a> {
    /// As the update was decided on.
    pub old: &'a Reservation,
    /// As it becomes.
    pub next: &'a Reservation,
}

/// The items that kept a change from being made, as they are; none where there is no such item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HoldsRefused {
    /// Ledgers that are not as the change expects.
    pub ledgers: BTreeMap<InstanceId, Option<Ledger>>,
    /// The record, if it is not as the change expects.
    pub record: Option<Option<Reservation>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Record,
    Ledger(InstanceId),
}

impl Store {
    /// The record of a reservation. Whether it is live, its ledgers say.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_reservation(
        &self,
        tenant: TenantId,
        id: ReservationId,
    ) -> Result<Option<Reservation>, StoreError> {
        self.get(&Key::reservation(tenant, id), Consistency::Strong).await
    }

    /// The ledgers of these slots, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_slots(
        &self,
        tenant: TenantId,
        slots: impl IntoIterator<Item = InstanceId>,
    ) -> Result<BTreeMap<InstanceId, Ledger>, StoreError> {
        let slots: Vec<InstanceId> = slots.into_iter().collect();
        let keys = slots.iter().map(|slot| Key::ledger(tenant, slot, 0));
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        ledgers(tenant, &slots, &mut found)
    }

    /// The record of a reservation together with the ledgers of these slots, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_reservation_and_slots(
        &self,
        tenant: TenantId,
        id: ReservationId,
        slots: impl IntoIterator<Item = InstanceId>,
    ) -> Result<(Option<Reservation>, BTreeMap<InstanceId, Ledger>), StoreError> {
        let slots: Vec<InstanceId> = slots.into_iter().collect();
        let record = Key::reservation(tenant, id);
        let keys = slots.iter().map(|slot| Key::ledger(tenant, slot, 0));
        let mut found = self.get_many(keys.chain([record.clone()]), Consistency::Strong).await?;
        Ok((found.take(&record)?, ledgers(tenant, &slots, &mut found)?))
    }

    /// Puts the record of a new reservation. The inner error is the one that has its id already.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn create_reservation(
        &self,
        tenant: TenantId,
        reservation: &Reservation,
        real_now: Timestamp,
    ) -> Result<Result<(), Reservation>, StoreError> {
        let key = Key::reservation(tenant, reservation.id);
        let item = record_item(&key, reservation, real_now)?;
        let mut absent = Expression::new();
        absent.require_no_item();
        match self.write(&key, Action::Put(item, absent)).await? {
            Ok(()) => Ok(Ok(())),
            Err(Some(old)) => Ok(Err(decode(old)?)),
            Err(None) => Err(StoreError::new(StoreFault::TryAgain, "a refused put returned no item")),
        }
    }

    /// Replaces a record that is still as it was read; false when it is not.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn replace_reservation(
        &self,
        tenant: TenantId,
        change: RecordChange<'_>,
        real_now: Timestamp,
    ) -> Result<bool, StoreError> {
        let key = Key::reservation(tenant, change.next.id);
        Ok(self.write(&key, record_write(&key, change, real_now)?).await?.is_ok())
    }

    /// Deletes the record of a reservation that came to nothing, unless another request has taken it over.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn discard_reservation(
        &self,
        tenant: TenantId,
        reservation: &Reservation,
    ) -> Result<(), StoreError> {
        let key = Key::reservation(tenant, reservation.id);
        self.write(&key, Action::Delete(unchanged(reservation))).await.map(|_| ())
    }

    /// Notes that the release of a reservation was asked for, so that a late repetition of the request that
    /// made it does not hold its seats again. False when there is no such record, or it is noted already.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn mark_reservation_released(
        &self,
        tenant: TenantId,
        id: ReservationId,
    ) -> Result<bool, StoreError> {
        let mut mark = Expression::new();
        mark.require_item();
        mark.require_equal("released", crate::AttributeValue::Bool(false));
        mark.assign("released", crate::AttributeValue::Bool(true));
        mark.shift("revision", 1);
        let written = self.write(&Key::reservation(tenant, id), Action::Update(mark)).await?;
        Ok(written.is_ok())
    }

    /// Changes ledgers, and the record with them where it changes: all or nothing. A change of one item is a
    /// plain conditional update. `request` names the request, which may repeat a call whose answer was lost.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened. The inner error has the items that are not as
    /// the change expects.
    pub async fn change_holds(
        &self,
        tenant: TenantId,
        request: &str,
        changes: &LedgerChanges,
        record: Option<RecordChange<'_>>,
        real_now: Timestamp,
    ) -> Result<Result<(), HoldsRefused>, StoreError> {
        let mut plan = Plan::new();
        let unplannable = |fault| StoreError::new(StoreFault::Refused, fault);
        for (slot, change) in changes {
            let key = Key::ledger(tenant, slot, 0);
            plan.add(key, ledger_update(change), Written::Ledger(*slot)).map_err(unplannable)?;
        }
        if let Some(change) = record {
            let key = Key::reservation(tenant, change.next.id);
            let write = record_write(&key, change, real_now)?;
            plan.add(key, write, Written::Record).map_err(unplannable)?;
        }
        let Err(refused) = self.commit(&plan, &token(request, changes, record)).await? else {
            return Ok(Ok(()));
        };
        let mut seen = HoldsRefused::default();
        for refusal in refused {
            match refusal.refusal {
                Written::Record => seen.record = Some(refusal.old.map(decode).transpose()?),
                Written::Ledger(slot) => {
                    let ledger: Option<Ledger> = refusal.old.map(decode).transpose()?;
                    seen.ledgers.insert(slot, ledger.filter(Ledger::exists));
                }
            }
        }
        Ok(Err(seen))
    }
}

/// Names one content of one request, so that other content has another token.
fn token(request: &str, changes: &LedgerChanges, record: Option<RecordChange<'_>>) -> String {
    let revision = record.map(|change| change.old.revision);
    let digest = Sha256::digest(format!("{request} {revision:?} {changes:?}"));
    hex::encode(&digest[..16])
}

fn ledgers(
    tenant: TenantId,
    slots: &[InstanceId],
    found: &mut Found,
) -> Result<BTreeMap<InstanceId, Ledger>, StoreError> {
    let mut ledgers = BTreeMap::new();
    for slot in slots {
        if let Some(ledger) = found.take::<Ledger>(&Key::ledger(tenant, slot, 0))?.filter(Ledger::exists) {
            ledgers.insert(*slot, ledger);
        }
    }
    Ok(ledgers)
}

fn record_item(key: &Key, reservation: &Reservation, real_now: Timestamp) -> Result<Item, StoreError> {
    let mut item = encode(key, reservation)?;
    item.insert("ttl".to_owned(), number(plus_secs(real_now, RETENTION_SECS).timestamp()));
    Ok(item)
}

fn record_write(key: &Key, change: RecordChange<'_>, real_now: Timestamp) -> Result<Action, StoreError> {
    Ok(Action::Put(record_item(key, change.next, real_now)?, unchanged(change.old)))
}

fn unchanged(reservation: &Reservation) -> Expression {
    let mut same = Expression::new();
    same.require_equal("revision", number(i64::from(reservation.revision)));
    same
}
