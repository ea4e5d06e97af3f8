//! Restoring a tenant: who has its place, and records that are put where none is (decision 0092).
//!
//! The tenant's own record is the last to be written. Until then nobody is answered, and the mark in the list of
//! tenants keeps the schedule away and says from which archive the tenant comes.

use crate::identity::TenantMark;
use crate::{
    Action, AttributeValue, Consistency, Expression, Item, Key, Plan, Store, StoreError, Table,
    api_keys_partition, encode, number, partition_of, text,
};
use domain::TenantId;

/// How the partitions of API keys begin.
const API_KEY: &str = "KEY#";

impl Key {
    /// A record with its place.
    #[must_use]
    pub fn placed(&self, mut item: Item) -> Item {
        item.extend(self.attributes());
        item
    }

    /// The place of a record, and the rest of it.
    #[must_use]
    pub fn taken_from(table: Table, mut item: Item) -> Option<(Self, Item)> {
        let mut take = |name: &str| {
            let Some(AttributeValue::S(text)) = item.remove(name) else { return None };
            Some(text)
        };
        let key = Self { table, pk: take("pk")?, sk: take("sk")? };
        Some((key, item))
    }

    /// Whether a record is an API key, which alone of all that a tenant has lies outside its partitions and does not
    /// follow from its settings.
    #[must_use]
    pub fn is_api_key(&self) -> bool {
        self.table == Table::Catalog && self.pk.starts_with(API_KEY)
    }

    /// Whether the record of this place is a tenant's.
    #[must_use]
    pub fn is_of(&self, tenant: TenantId, item: &Item) -> bool {
        if self.is_api_key() {
            item.get("tenant") == Some(&number(tenant.get()))
        } else {
            self.pk.starts_with(&partition_of(tenant, ""))
        }
    }

    /// The hash of the API key that this place is the mark of.
    #[must_use]
    pub fn marked_api_key(&self, tenant: TenantId) -> Option<&str> {
        let is_mark = self.table == Table::Catalog && self.pk == api_keys_partition(tenant);
        is_mark.then_some(self.sk.as_str())
    }

    /// The name of the application that lies in this place.
    #[must_use]
    pub fn boarding_reference(&self, tenant: TenantId) -> Option<&str> {
        let is_here = self.table == Table::Merchants;
        self.pk.strip_prefix(&partition_of(tenant, "ONBOARD#")).filter(|_| is_here)
    }
}

/// What there is where a tenant is to be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TenantPlace {
    /// Nothing.
    Free,
    /// A part of the tenant, from the archive of this name.
    Restoring(String),
    /// The whole tenant, from the archive of this name, and as it came.
    Restored(String),
    /// A tenant.
    Taken,
}

impl Store {
    /// What there is where a tenant is to be restored.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_place(&self, tenant: TenantId) -> Result<TenantPlace, StoreError> {
        let mark: Option<TenantMark> = self.get(&Key::tenant_mark(tenant), Consistency::Strong).await?;
        let is_there = self.get_item(&Key::tenant(tenant), Consistency::Strong).await?.is_some();
        Ok(match (mark.map(|mark| mark.archive), is_there) {
            (None, false) => TenantPlace::Free,
            (Some(Some(archive)), false) => TenantPlace::Restoring(archive),
            (Some(Some(archive)), true) => TenantPlace::Restored(archive),
            (Some(None) | None, _) => TenantPlace::Taken,
        })
    }

    /// Takes a free place for an archive; false when something else has it by now.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn take_place(&self, tenant: TenantId, archive: &str) -> Result<bool, StoreError> {
        let key = Key::tenant_mark(tenant);
        let mark = encode(&key, &TenantMark { asleep: true, archive: Some(archive.to_owned()) })?;
        let mut free = Expression::new();
        free.require_no_item();
        Ok(self.write(&key, Action::Put(mark, free)).await?.is_ok())
    }

    /// Puts a record where none is; the one that is there, if it stays.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn put_new(&self, key: &Key, item: Item) -> Result<Result<(), Item>, StoreError> {
        let mut absent = Expression::new();
        absent.require_no_item();
        let put = self.write(key, Action::Put(item, absent)).await?;
        Ok(put.map_err(Option::unwrap_or_default))
    }

    /// Puts the tenant's own record, which ends what [`Store::take_place`] began; false when the place is not the
    /// archive's. `attempt` names this attempt and no other.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened.
    pub async fn end_restore(
        &self,
        tenant: TenantId,
        archive: &str,
        attempt: &str,
        record: Item,
    ) -> Result<bool, StoreError> {
        let (mut absent, mut ours) = (Expression::new(), Expression::new());
        absent.require_no_item();
        ours.require_equal("archive", text(archive));
        let mut plan = Plan::new();
        for (key, action) in [
            (Key::tenant(tenant), Action::Put(record, absent)),
            (Key::tenant_mark(tenant), Action::Check(ours)),
        ] {
            plan.add(key, action, ())?;
        }
        Ok(self.commit(&plan, attempt).await?.is_ok())
    }
}
