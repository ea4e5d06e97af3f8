//! Memberships in which a search may find cards.

use super::{id_in, keys_of_name, membership_keys, phone_hash};
use crate::{Consistency, Item, Key, SortKeys, Store, StoreError, Table, decode, phone_partition};
use domain::membership::search::{MemberSearch, SearchKeys};
use domain::membership::{ChangeRange, ListedMembership, Membership};
use domain::{MembershipId, TenantId};
use std::collections::{BTreeMap, BTreeSet};

impl Store {
    /// The memberships in which a search may find cards. One call for what they are known by, beside the list where
    /// it has to be looked at, which is one for about each 2,500 memberships; and one for those that only these lead
    /// to.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn search_members(
        &self,
        tenant: TenantId,
        search: &MemberSearch,
    ) -> Result<Vec<Membership>, StoreError> {
        let keys = search.keys();
        let (known, of_email, of_phone, listed) = tokio::join!(
            self.load_known(tenant, &keys),
            self.items_of_email(tenant, keys.email.as_deref()),
            self.ids_of_phone(tenant, keys.phone.as_deref()),
            self.load_list(tenant, search),
        );
        let (copies, marks): (Vec<Item>, Vec<Item>) =
            of_email?.into_iter().partition(|item| item.contains_key("number"));
        let copies = copies.into_iter().map(decode).collect::<Result<Vec<Membership>, StoreError>>()?;
        let mut found: BTreeMap<MembershipId, Membership> =
            known?.into_iter().chain(copies).map(|membership| (membership.id, membership)).collect();
        let mut others: BTreeSet<MembershipId> = search.candidates(&listed?);
        others.extend(of_phone?);
        others.extend(marks.iter().filter_map(id_in));
        let others: Vec<MembershipId> = others.into_iter().filter(|id| !found.contains_key(id)).collect();
        let others = self.load_memberships(tenant, &others).await?;
        found.extend(others.into_iter().map(|membership| (membership.id, membership)));
        Ok(found.into_values().collect())
    }

    /// Those that lie under the numbers and codes.
    async fn load_known(
        &self,
        tenant: TenantId,
        SearchKeys { number, code, email: _, phone: _ }: &SearchKeys,
    ) -> Result<Vec<Membership>, StoreError> {
        let numbers = number.map(|number| membership_keys(tenant, number));
        let codes = code.as_deref().map(|code| keys_of_name(tenant, code));
        let places: BTreeSet<Key> =
            numbers.into_iter().flatten().chain(codes.into_iter().flatten()).collect();
        let mut found = self.get_many(places.iter().cloned(), Consistency::Strong).await?;
        places.iter().filter_map(|place| found.take(place).transpose()).collect()
    }

    async fn items_of_email(&self, tenant: TenantId, email: Option<&str>) -> Result<Vec<Item>, StoreError> {
        match email {
            Some(email) => self.query_of_email(tenant, email).await,
            None => Ok(Vec::new()),
        }
    }

    async fn ids_of_phone(
        &self,
        tenant: TenantId,
        phone: Option<&str>,
    ) -> Result<Vec<MembershipId>, StoreError> {
        let Some(hash) = phone.and_then(phone_hash) else { return Ok(Vec::new()) };
        let partition = phone_partition(tenant, &hash);
        let found = self.query_all(Table::Members, &partition, SortKeys::All, Consistency::Strong).await?;
        Ok(found.iter().filter_map(id_in).collect())
    }

    async fn load_list(
        &self,
        tenant: TenantId,
        search: &MemberSearch,
    ) -> Result<Vec<ListedMembership>, StoreError> {
        match search.looks_at_list() {
            true => self.load_listed_memberships(tenant, ChangeRange::default()).await,
            false => Ok(Vec::new()),
        }
    }
}
