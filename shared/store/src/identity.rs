//! Tenants, keys and origins.

use crate::{
    Action, Consistency, Expression, Key, SortKeys, Store, StoreError, Table, encode, origin_partition,
};
use domain::TenantId;
use domain::tenant::{ApiKey, Tenant};
use sha2::{Digest, Sha256};

/// The only form in which a key is stored or looked up: the SHA-256 of its text. Keys carry 192 random bits,
/// so a slow hash would protect nothing.
#[must_use]
pub fn key_hash(key: &str) -> String {
    hex::encode(Sha256::digest(key.as_bytes()))
}

/// The mark says all it has to say by its key.
#[derive(serde::Serialize)]
struct OriginMark {}

/// Tenants that may list one origin.
const MAX_ORIGIN_TENANTS: usize = 1_000;

impl Store {
    /// A tenant's settings.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_tenant(&self, id: TenantId) -> Result<Option<Tenant>, StoreError> {
        self.get(&Key::tenant(id), Consistency::Eventual).await
    }

    /// Stores a tenant's settings and the marks of the origins it allows; origins it no longer allows lose
    /// their mark.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_tenant(&self, tenant: &Tenant) -> Result<(), StoreError> {
        let key = Key::tenant(tenant.id);
        let before: Option<Tenant> = self.get(&key, Consistency::Strong).await?;
        let dropped = before.map(|before| before.allowed_origins).unwrap_or_default();
        for origin in dropped.difference(&tenant.allowed_origins) {
            let _ = self.write(&Key::origin(origin, tenant.id), Action::Delete(Expression::new())).await?;
        }
        for origin in &tenant.allowed_origins {
            let mark = Key::origin(origin, tenant.id);
            let item = encode(&mark, &OriginMark {})?;
            let _ = self.write(&mark, Action::Put(item, Expression::new())).await?;
        }
        let item = encode(&key, tenant)?;
        self.write(&key, Action::Put(item, Expression::new())).await.map(|_| ())
    }

    /// The key with this text, unless it is unknown or revoked.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_api_key(&self, key: &str) -> Result<Option<ApiKey>, StoreError> {
        let found: Option<ApiKey> = self.get(&Key::api_key(&key_hash(key)), Consistency::Eventual).await?;
        Ok(found.filter(|key| !key.revoked))
    }

    /// Stores a key by its hash.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_api_key(&self, hash: &str, api_key: &ApiKey) -> Result<(), StoreError> {
        let key = Key::api_key(hash);
        let item = encode(&key, api_key)?;
        self.write(&key, Action::Put(item, Expression::new())).await.map(|_| ())
    }

    /// The tenants that allow an origin.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_origin(&self, origin: &str) -> Result<Vec<TenantId>, StoreError> {
        let partition = origin_partition(origin);
        let marks = self
            .query((Table::Catalog, &partition), SortKeys::All, (Consistency::Eventual, MAX_ORIGIN_TENANTS))
            .await?;
        let tenant = |mark: &crate::Item| {
            let number = mark.get("sk")?.as_s().ok()?.strip_prefix("T#")?.parse().ok()?;
            TenantId::parse(number).ok()
        };
        Ok(marks.iter().filter_map(tenant).collect())
    }
}
