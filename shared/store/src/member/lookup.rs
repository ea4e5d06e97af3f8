//! Whether what memberships are found by leads to them, and what they have leads from them.

use super::{Pointer, keys_of, lookup_of};
use crate::{Consistency, Found, Item, Key, Store, StoreError, decode};
use domain::membership::{ListedMembership, Membership};
use domain::reconciliation::{Lookup, LookupFault};
use domain::{MembershipId, TenantId};
use std::collections::{BTreeMap, BTreeSet};

/// Times what does not agree is read again: it may have been written between two reads.
const TRIES: usize = 3;

/// A membership and what is wrong with what it is found by.
pub type WrongLookup = (MembershipId, Lookup, LookupFault);

impl Store {
    /// What is wrong with what these memberships are found by, and with these keys, each of which is said to lead to a
    /// membership. What does not agree at first is read again.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_wrong_lookups(
        &self,
        tenant: TenantId,
        ids: &BTreeSet<MembershipId>,
        keys: &BTreeMap<Key, MembershipId>,
    ) -> Result<Vec<WrongLookup>, StoreError> {
        let (mut ids, mut keys) = (ids.clone(), keys.clone());
        let mut wrong = Vec::new();
        for attempt in 0..TRIES {
            if attempt > 0 {
                // A key that is gone by now leads nowhere.
                let still = self.get_many(keys.keys().cloned(), Consistency::Strong).await?;
                keys.retain(|key, _| still.item(key).is_some());
            }
            let memberships = self.load_named(tenant, ids.iter().chain(keys.values())).await?;
            let expected = ids.iter().filter_map(|id| memberships.get(id)).flat_map(|membership| {
                keys_of(tenant, membership).into_iter().map(move |key| (key, membership))
            });
            let expected: Vec<(Key, &Membership)> = expected.collect();
            let found =
                self.get_many(expected.iter().map(|(key, _)| key.clone()), Consistency::Strong).await?;
            let of_ids = expected.iter().filter_map(|(key, membership)| fault_at(key, membership, &found));
            let of_ids: Vec<WrongLookup> = of_ids.collect();
            let is_stray = |(key, id): &(&Key, &MembershipId)| {
                memberships.get(id).is_none_or(|membership| !keys_of(tenant, membership).contains(key))
            };
            let strays: BTreeMap<Key, MembershipId> =
                keys.iter().filter(is_stray).map(|(key, id)| (key.clone(), *id)).collect();
            let of_keys =
                strays.iter().filter_map(|(key, id)| Some((*id, lookup_of(key)?, LookupFault::Stray)));
            wrong = of_ids.iter().copied().chain(of_keys).collect();
            ids = of_ids.iter().map(|(id, _, _)| *id).collect();
            keys = strays;
            if wrong.is_empty() {
                break;
            }
        }
        Ok(wrong)
    }

    async fn load_named(
        &self,
        tenant: TenantId,
        ids: impl Iterator<Item = &MembershipId>,
    ) -> Result<BTreeMap<MembershipId, Membership>, StoreError> {
        let ids: BTreeSet<MembershipId> = ids.copied().collect();
        let ids: Vec<MembershipId> = ids.into_iter().collect();
        let memberships = self.load_memberships(tenant, &ids).await?.into_iter();
        Ok(memberships.map(|membership| (membership.id, membership)).collect())
    }
}

fn fault_at(key: &Key, membership: &Membership, found: &Found) -> Option<WrongLookup> {
    let by = lookup_of(key)?;
    let fault = match found.item(key) {
        None => LookupFault::Missing,
        Some(item) if is_copy(by, item, membership) => return None,
        Some(_) => LookupFault::Differs,
    };
    Some((membership.id, by, fault))
}

/// Whether an item is what a lookup has of a membership. Those that were stored before lookups held copies hold less.
fn is_copy(by: Lookup, item: &Item, membership: &Membership) -> bool {
    match by {
        Lookup::List if !item.contains_key("cards") => true,
        Lookup::List => decode::<ListedMembership>(item.clone()).is_ok_and(|listed| listed.is_of(membership)),
        Lookup::Card | Lookup::Phone => {
            decode::<Pointer>(item.clone()).is_ok_and(|pointer| pointer.id == membership.id)
        }
        Lookup::Email if !item.contains_key("number") => true,
        Lookup::Number | Lookup::ExternalNumber | Lookup::Barcode | Lookup::Email => {
            decode::<Membership>(item.clone()).is_ok_and(|copy| copy == *membership)
        }
    }
}
