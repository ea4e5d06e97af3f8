//! Customers and memberships.

use crate::catalog::Saved;
use crate::order::contact_hash;
use crate::{
    Action, Consistency, Expression, Found, Item, Key, MAX_WRITES, Plan, SortKeys, Store, StoreError,
    StoreFault, Table, decode, email_partition, encode, memberships_partition,
};
use domain::customer::Customer;
use domain::membership::Membership;
use domain::{LevelId, MembershipId, OfferingId, TenantId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Memberships of one tenant that are listed.
const MAX_MEMBERSHIPS: usize = 1_000_000;
/// Memberships read together.
const MEMBERSHIPS_PER_READ: usize = 1_000;

/// Memberships of one e-mail address that are looked at.
const MAX_OF_EMAIL: usize = 100;

/// A membership of someone with an e-mail address.
#[derive(Serialize, Deserialize)]
struct OfEmail {
    level: LevelId,
}

/// The keys under which the current membership lies that is known by a text: its number, the venue's own number
/// of it, or the barcode of a card.
fn keys_of_name(tenant: TenantId, sent: &str) -> Vec<Key> {
    let number = sent.parse().ok().and_then(|number| MembershipId::parse(number).ok());
    let hash = contact_hash(sent);
    let named = ["EXTERNAL", "BARCODE"].map(|kind| Key::membership_named(tenant, (kind, &hash)));
    number.map(|number| Key::membership_number(tenant, number)).into_iter().chain(named).collect()
}

/// Everything that is stored of a membership.
pub(crate) fn items(tenant: TenantId, membership: &Membership) -> Result<Vec<(Key, Item)>, StoreError> {
    let held = membership.cards.iter().filter(|card| card.is_held());
    let names = membership
        .external_id
        .iter()
        .map(|external| ("EXTERNAL", external))
        .chain(held.clone().map(|card| ("BARCODE", &card.barcode)))
        .filter(|(_, text)| !text.is_empty());
    let named = names.map(|(kind, text)| Key::membership_named(tenant, (kind, &contact_hash(text))));
    // The number belongs to the membership that took this one's place, if one did.
    let number = membership.ended.as_ref().is_none_or(|ended| ended.into.is_none());
    let number = number.then(|| Key::membership_number(tenant, membership.number));
    let by_id = Key::membership(tenant, membership.id);
    let copies: BTreeSet<Key> = std::iter::once(by_id).chain(number).chain(named).collect();
    let mut items = Vec::new();
    for key in copies {
        let item = encode(&key, membership)?;
        items.push((key, item));
    }
    let mark = Key::membership_mark(tenant, membership.id);
    let bought = Bought { level: membership.level.clone(), offering: membership.offering.clone() };
    let item = encode(&mark, &Listed { id: membership.id, bought: Some(bought) })?;
    items.push((mark, item));
    let emails: BTreeSet<String> =
        held.filter_map(|card| card.person.email.as_deref()).map(contact_hash).collect();
    for hash in emails {
        let key = Key::membership_of_email(tenant, &hash, membership.id);
        let item = encode(&key, &OfEmail { level: membership.level.clone() })?;
        items.push((key, item));
    }
    Ok(items)
}

/// The keys under which something is stored of a membership.
pub(crate) fn keys_of(tenant: TenantId, membership: &Membership) -> Vec<Key> {
    // What has no representation was never stored.
    items(tenant, membership).unwrap_or_default().into_iter().map(|(key, _)| key).collect()
}

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

    /// Stores a membership as it is: by its id, as the current one of its number, by all else it is found by, and
    /// in the tenant's list. What it is not found by any more goes. One transaction does it all, unless the cards
    /// are too many for one; then the record by its id is written last, so that a try that was cut short is found
    /// unfinished. The token, of at most 30 characters, names this attempt.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_membership(
        &self,
        (tenant, token): (TenantId, &str),
        membership: &Membership,
    ) -> Result<Saved, StoreError> {
        let by_id = Key::membership(tenant, membership.id);
        let items = items(tenant, membership)?;
        let keys = items.iter().map(|(key, _)| key.clone());
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        if items.iter().all(|(key, item)| found.item(key) == Some(item)) {
            return Ok(Saved::Unchanged);
        }
        let before: Option<Membership> = found.take(&by_id)?;
        let earlier = before.as_ref().map(|before| self::items(tenant, before)).transpose()?;
        let earlier = earlier.into_iter().flatten().map(|(key, _)| key);
        let gone: Vec<Key> = earlier.filter(|key| !items.iter().any(|(kept, _)| kept == key)).collect();
        let (last, others): (Vec<_>, Vec<_>) = items.into_iter().partition(|(key, _)| *key == by_id);
        let puts = others.into_iter().chain(last);
        let puts = puts.map(|(key, item)| (key, Action::Put(item, Expression::new())));
        let deletes = gone.into_iter().map(|key| (key, Action::Delete(Expression::new())));
        let writes: Vec<(Key, Action)> = deletes.chain(puts).collect();
        for (number, writes) in writes.chunks(MAX_WRITES).enumerate() {
            let mut plan = Plan::new();
            for (key, action) in writes {
                plan.add(key.clone(), action.clone(), ())
                    .map_err(|fault| StoreError::new(StoreFault::Refused, fault))?;
            }
            // Nothing is asked of what is there, so nothing is refused.
            let _ = self.commit(&plan, &format!("{token}-{number}")).await?;
        }
        Ok(if before.is_some() { Saved::Updated } else { Saved::Created })
    }

    /// The memberships known by a text: by their number, by the venue's own number of them, or by the barcode of a
    /// card; each once, in this order.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_memberships_named(
        &self,
        tenant: TenantId,
        sent: &str,
    ) -> Result<Vec<Membership>, StoreError> {
        let keys = keys_of_name(tenant, sent);
        let mut found = self.get_many(keys.clone(), Consistency::Strong).await?;
        let mut memberships: Vec<Membership> = Vec::new();
        for key in keys {
            if let Some(membership) = found.take::<Membership>(&key)?
                && memberships.iter().all(|other| other.id != membership.id)
            {
                memberships.push(membership);
            }
        }
        Ok(memberships)
    }

    /// The levels of the memberships of which someone with this e-mail address, in any case, holds a card.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_levels_of_email(
        &self,
        tenant: TenantId,
        email: &str,
    ) -> Result<Vec<LevelId>, StoreError> {
        let partition = email_partition(tenant, &contact_hash(email));
        let reading = (Consistency::Strong, MAX_OF_EMAIL);
        let items = self.query((Table::Members, &partition), SortKeys::All, reading).await?;
        items.into_iter().map(|item| decode::<OfEmail>(item).map(|found| found.level)).collect()
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
