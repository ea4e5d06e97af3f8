//! Merchants of a tenant.

use crate::catalog::Saved;
use crate::{
    Action, Consistency, Expression, Item, Key, SortKeys, Store, StoreError, Table, decode, encode,
    merchants_partition, priced_merchants_partition, sort_key,
};
use domain::merchant::Merchant;
use domain::{Mid, TenantId};
use serde::Serialize;

/// The mark says all it has to say by its key.
#[derive(Serialize)]
struct Mark {}

/// The write that marks a merchant as one that has a rate card. The mark stays whatever becomes of the merchant, whose
/// own record says whether it charges: it only leads to those few that may, among all that ever applied.
pub(crate) fn mark_priced(tenant: TenantId, mid: &Mid) -> Result<(Key, Action), StoreError> {
    let key = Key::priced_merchant(tenant, mid);
    let item = encode(&key, &Mark {})?;
    Ok((key, Action::Put(item, Expression::new())))
}

/// The mark of a merchant that was read, and what must hold as long as it has one.
pub(crate) fn priced_as_read(
    tenant: TenantId,
    item: Item,
) -> Result<(Vec<(Key, Item)>, Expression), StoreError> {
    let merchant: Merchant = decode(item)?;
    let mut as_read = Expression::new();
    as_read.require_item();
    let marks = match merchant.rate_card {
        Some(_) => {
            let key = Key::priced_merchant(tenant, &merchant.mid);
            let item = encode(&key, &Mark {})?;
            vec![(key, item)]
        }
        None => Vec::new(),
    };
    Ok((marks, as_read))
}

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
        let items = self.query_all(Table::Merchants, &partition, SortKeys::All, consistency).await?;
        items.into_iter().map(decode).collect()
    }

    /// The merchants of a tenant that have a rate card, or had one, by mid: those among which one charges. Only the
    /// operator sets rate cards, so they are few, however many applied.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_priced_merchants(
        &self,
        tenant: TenantId,
        consistency: Consistency,
    ) -> Result<Vec<Mid>, StoreError> {
        let partition = priced_merchants_partition(tenant);
        let marks = self.query_all(Table::Merchants, &partition, SortKeys::All, consistency).await?;
        let mid = |mark: &Item| Mid::parse(sort_key(mark)?).ok();
        Ok(marks.iter().filter_map(mid).collect())
    }

    /// One merchant.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_merchant(&self, tenant: TenantId, mid: &Mid) -> Result<Option<Merchant>, StoreError> {
        self.get(&Key::merchant(tenant, mid), Consistency::Strong).await
    }

    /// Stores a merchant as it is, unless it is there just so.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_merchant(&self, tenant: TenantId, merchant: &Merchant) -> Result<Saved, StoreError> {
        if merchant.rate_card.is_some() {
            self.note_priced(tenant, &merchant.mid).await?;
        }
        self.save(&Key::merchant(tenant, &merchant.mid), merchant).await
    }

    /// Marks a merchant before it gets its rate card, so that whoever charges is always found.
    pub(crate) async fn note_priced(&self, tenant: TenantId, mid: &Mid) -> Result<(), StoreError> {
        let (key, mark) = mark_priced(tenant, mid)?;
        self.write(&key, mark).await.map(|_| ())
    }
}
