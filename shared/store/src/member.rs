//! Customers and memberships.

use crate::catalog::Saved;
use crate::{
    Action, Consistency, Expression, Found, Key, Plan, SortKeys, Store, StoreError, StoreFault, Table,
    decode, encode, memberships_partition,
};
use domain::customer::Customer;
use domain::membership::Membership;
use domain::{LevelId, MembershipId, OfferingId, TenantId};
use serde::{Deserialize, Serialize};

/// Memberships of one tenant that are listed.
const MAX_MEMBERSHIPS: usize = 1_000_000;
/// Memberships read together.
const MEMBERSHIPS_PER_READ: usize = 1_000;

/// An entry of the list of a tenant's memberships.
#[derive(Serialize, Deserialize)]
struct Listed {
    id: MembershipId,
    /// What was bought; entries that were written before they said so have to be looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bought: Option<Bought>,
}

/// The level of a membership, and the way it was bought.
#[derive(Serialize, Deserialize)]
struct Bought {
    level: LevelId,
    offering: OfferingId,
}

/// The keys under which a membership lies that a caller names by its id or its number.
#[must_use]
pub fn membership_keys(tenant: TenantId, sent: MembershipId) -> [Key; 2] {
    [Key::membership(tenant, sent), Key::membership_number(tenant, sent)]
}

/// The membership with this id, else the current one with this number.
///
/// # Errors
/// [`StoreError`] when an item does not read as a membership.
pub fn take_membership(
    found: &mut Found,
    tenant: TenantId,
    sent: MembershipId,
) -> Result<Option<Membership>, StoreError> {
    let [by_id, by_number] = membership_keys(tenant, sent);
    match found.take(&by_id)? {
        Some(membership) => Ok(Some(membership)),
        None => found.take(&by_number),
    }
}

impl Store {
    /// Stores a customer as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_customer(&self, tenant: TenantId, customer: &Customer) -> Result<Saved, StoreError> {
        self.save(&Key::customer(tenant, customer.id), customer).await
    }

    /// Stores a membership as it is, by its id, as the current one of its number and in the tenant's list, all or
    /// nothing. The token, of at most 36 characters, names this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_membership(
        &self,
        (tenant, token): (TenantId, &str),
        membership: &Membership,
    ) -> Result<Saved, StoreError> {
        let by_id = Key::membership(tenant, membership.id);
        let by_number = Key::membership_number(tenant, membership.number);
        let mark = Key::membership_mark(tenant, membership.id);
        let bought = Bought { level: membership.level.clone(), offering: membership.offering.clone() };
        let listed = Listed { id: membership.id, bought: Some(bought) };
        let items = [
            (by_id.clone(), encode(&by_id, membership)?),
            (by_number.clone(), encode(&by_number, membership)?),
            (mark.clone(), encode(&mark, &listed)?),
        ];
        let keys = items.iter().map(|(key, _)| key.clone());
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        let before = items.each_ref().map(|(key, _)| found.take_item(key));
        if items.iter().zip(&before).all(|((_, item), before)| before.as_ref() == Some(item)) {
            return Ok(Saved::Unchanged);
        }
        let mut plan = Plan::new();
        for (key, item) in items {
            plan.add(key, Action::Put(item, Expression::new()), ())
                .map_err(|fault| StoreError::new(StoreFault::Refused, fault))?;
        }
        // Nothing is asked of what is there, so nothing is refused.
        let _ = self.commit(&plan, token).await?;
        let [existed, ..] = before.map(|item| item.is_some());
        Ok(if existed { Saved::Updated } else { Saved::Created })
    }

    /// The ids of all memberships of a tenant, from the lowest.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn list_memberships(&self, tenant: TenantId) -> Result<Vec<MembershipId>, StoreError> {
        Ok(self.load_list(tenant).await?.into_iter().map(|listed| listed.id).collect())
    }

    async fn load_list(&self, tenant: TenantId) -> Result<Vec<Listed>, StoreError> {
        let partition = memberships_partition(tenant);
        let reading = (Consistency::Strong, MAX_MEMBERSHIPS);
        let items = self.query((Table::Members, &partition), SortKeys::All, reading).await?;
        items.into_iter().map(decode).collect()
    }

    /// The memberships of a level of which this holds of their offering, from the lowest id; at most so many.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_memberships(
        &self,
        (tenant, level): (TenantId, &LevelId),
        names: impl Fn(&OfferingId) -> bool,
        most: usize,
    ) -> Result<Vec<MembershipId>, StoreError> {
        let (mut found, mut unsaid) = (Vec::new(), Vec::new());
        for Listed { id, bought } in self.load_list(tenant).await? {
            match bought {
                Some(bought) if bought.level == *level && names(&bought.offering) => found.push(id),
                Some(_) => {}
                None => unsaid.push(id),
            }
        }
        for ids in unsaid.chunks(MEMBERSHIPS_PER_READ) {
            let memberships = self.load_memberships(tenant, ids).await?;
            let of_level = memberships.iter().filter(|found| found.level == *level && names(&found.offering));
            found.extend(of_level.map(|membership| membership.id));
        }
        found.sort_unstable();
        found.truncate(most);
        Ok(found)
    }

    /// The memberships with these ids, as far as there are any, in the order of the ids.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_memberships(
        &self,
        tenant: TenantId,
        ids: &[MembershipId],
    ) -> Result<Vec<Membership>, StoreError> {
        let key = |id: &MembershipId| Key::membership(tenant, *id);
        let mut found = self.get_many(ids.iter().map(key), Consistency::Strong).await?;
        ids.iter().filter_map(|id| found.take(&key(id)).transpose()).collect()
    }
}
