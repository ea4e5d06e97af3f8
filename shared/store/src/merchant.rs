//! Merchants of a tenant.

use crate::{
    Action, Consistency, Expression, Key, SortKeys, Store, StoreError, Table, decode, encode,
    merchants_partition,
};
use domain::TenantId;
use domain::merchant::Merchant;

/// Merchants one tenant may have.
const MAX_MERCHANTS: usize = 1_000;

impl Store {
    /// All merchants of a tenant, by mid.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_merchants(
        &self,
        tenant: TenantId,
        consistency: Consistency,
    ) -> Result<Vec<Merchant>, StoreError> {
        let partition = merchants_partition(tenant);
        let items =
            self.query((Table::Merchants, &partition), SortKeys::All, (consistency, MAX_MERCHANTS)).await?;
        items.into_iter().map(decode).collect()
    }

    /// Stores a merchant as it is.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_merchant(&self, tenant: TenantId, merchant: &Merchant) -> Result<(), StoreError> {
        let key = Key::merchant(tenant, &merchant.mid);
        let item = encode(&key, merchant)?;
        self.write(&key, Action::Put(item, Expression::new())).await.map(|_| ())
    }
}
