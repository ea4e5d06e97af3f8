//! The list of a tenant's memberships, in the order of their last change.

use crate::{
    Consistency, Item, SortKeys, Store, StoreError, Table, changed_between, decode, memberships_partition,
};
use domain::membership::{ChangeRange, ListedMembership};
use domain::{LevelId, MembershipId, OfferingId, TenantId};
use serde::Deserialize;

/// Memberships read together.
const MEMBERSHIPS_PER_READ: usize = 1_000;

/// An entry that was written before entries held what lists look at.
#[derive(Deserialize)]
struct Mark {
    id: MembershipId,
}

impl Store {
    /// The ids of all memberships of a tenant, from the lowest.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn list_memberships(&self, tenant: TenantId) -> Result<Vec<MembershipId>, StoreError> {
        let listed = self.load_listed_memberships(tenant, ChangeRange::default()).await?;
        let mut ids: Vec<MembershipId> = listed.into_iter().map(|listed| listed.id).collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// What lists look at of the memberships that were changed within a range, in the order of their changes. One query, for about each 2,500 memberships with two cards; another one for each
    /// 100 whose entries were written before entries held anything.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_listed_memberships(
        &self,
        tenant: TenantId,
        range: ChangeRange,
    ) -> Result<Vec<ListedMembership>, StoreError> {
        let partition = memberships_partition(tenant);
        let (first, last) = changed_between(range.from, range.until);
        let sort_keys = SortKeys::Between(&first, &last);
        let items = self.query_all(Table::Members, &partition, sort_keys, Consistency::Strong).await?;
        let (entries, marks): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|item| item.contains_key("cards"));
        let marked: Vec<MembershipId> = marks
            .into_iter()
            .map(|item| decode::<Mark>(item).map(|mark| mark.id))
            .collect::<Result<_, StoreError>>()?;
        let mut listed = Vec::with_capacity(entries.len().saturating_add(marked.len()));
        for ids in marked.chunks(MEMBERSHIPS_PER_READ) {
            listed.extend(self.load_memberships(tenant, ids).await?.iter().map(ListedMembership::of));
        }
        for item in entries {
            listed.push(decode::<ListedMembership>(item)?);
        }
        listed.retain(|found| range.admits(found));
        Ok(listed)
    }

    /// The memberships of a level of which this holds of their offering, from the lowest id; at most so many.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_memberships(
        &self,
        tenant: TenantId,
        level: &LevelId,
        names: impl Fn(&OfferingId) -> bool,
        most: usize,
    ) -> Result<Vec<MembershipId>, StoreError> {
        let listed = self.load_listed_memberships(tenant, ChangeRange::default()).await?;
        let of_level = listed.iter().filter(|found| found.level == *level && names(&found.offering));
        let mut found: Vec<MembershipId> = of_level.map(|found| found.id).collect();
        found.sort_unstable();
        found.truncate(most);
        Ok(found)
    }
}
