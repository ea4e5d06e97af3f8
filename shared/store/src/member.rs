//! Customers and memberships.

use crate::catalog::Saved;
use crate::{Found, Key, Store, StoreError};
use domain::customer::Customer;
use domain::membership::Membership;
use domain::{MembershipId, TenantId};

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

    /// Stores a membership as it is, by its id and as the current one of its number.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_membership(
        &self,
        tenant: TenantId,
        membership: &Membership,
    ) -> Result<Saved, StoreError> {
        let saved = self.save(&Key::membership(tenant, membership.id), membership).await?;
        self.save(&Key::membership_number(tenant, membership.number), membership).await?;
        Ok(saved)
    }
}
