//! Tenants, keys and origins.

use crate::catalog::Saved;
use crate::plan::add;
use crate::{
    Action, Consistency, Expression, Key, Plan, SortKeys, Store, StoreError, Table, api_keys_partition,
    decode, encode, origin_partition, sort_key, tenants_partition,
};
use domain::TenantId;
use domain::tenant::{ApiKey, Tenant};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The only form in which a key is stored or looked up: the SHA-256 of its text. Keys carry 192 random bits,
/// so a slow hash would protect nothing.
#[must_use]
pub fn key_hash(key: &str) -> String {
    hex::encode(Sha256::digest(key.as_bytes()))
}

/// A mark says all it has to say by its key.
#[derive(Serialize)]
pub(crate) struct Mark {}

/// What the list of tenants says of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TenantMark {
    /// Nothing that is due for it is done: it is closed, or not all of it is here yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) asleep: bool,
    /// The archive it comes from, until it is opened or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archive: Option<String>,
}

impl TenantMark {
    fn of(tenant: &Tenant) -> Self {
        Self { asleep: tenant.is_closed(), archive: None }
    }
}

/// Characters of the token that names a transaction; DynamoDB takes 36.
const TOKEN_CHARS: usize = 32;

impl Store {
    /// A tenant's settings.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_tenant(
        &self,
        id: TenantId,
        consistency: Consistency,
    ) -> Result<Option<Tenant>, StoreError> {
        self.get(&Key::tenant(id), consistency).await
    }

    /// Stores a new tenant with its marks, all or nothing; false when there is a tenant with this id or one is being
    /// restored, which stays as it is. Its sealed key above all is never replaced: every keyed hash would be lost with it.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer, or the tenant allows more origins than one transaction
    /// has writes.
    pub async fn create_tenant(&self, tenant: &Tenant) -> Result<bool, StoreError> {
        let key = Key::tenant(tenant.id);
        let mut absent = Expression::new();
        absent.require_no_item();
        let mut plan = Plan::new();
        add(&mut plan, key.clone(), Action::Put(encode(&key, tenant)?, absent.clone()), ())?;
        let mark = Key::tenant_mark(tenant.id);
        let listed = encode(&mark, &TenantMark::of(tenant))?;
        add(&mut plan, mark, Action::Put(listed, absent), ())?;
        for origin in &tenant.allowed_origins {
            let mark = Key::origin(origin, tenant.id);
            let item = encode(&mark, &Mark {})?;
            add(&mut plan, mark, Action::Put(item, Expression::new()), ())?;
        }
        // The sealed key is random, and so names this attempt.
        let token: String = key_hash(&tenant.sealed_hash_key).chars().take(TOKEN_CHARS).collect();
        Ok(self.commit(&plan, &token).await?.is_ok())
    }

    /// Stores an existing tenant's settings and the marks of the origins it allows; origins it no longer allows
    /// lose their mark. It counts as a change of the settings: whoever read them before decides again.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_tenant(&self, tenant: &Tenant) -> Result<(), StoreError> {
        let key = Key::tenant(tenant.id);
        let before: Option<Tenant> = self.get(&key, Consistency::Strong).await?;
        let version = before
            .as_ref()
            .map_or(tenant.settings_version, |before| before.settings_version.saturating_add(1));
        let dropped = before.map(|before| before.allowed_origins).unwrap_or_default();
        for origin in dropped.difference(&tenant.allowed_origins) {
            let _ = self.write(&Key::origin(origin, tenant.id), Action::Delete(Expression::new())).await?;
        }
        for origin in &tenant.allowed_origins {
            self.mark_origin(origin, tenant.id).await?;
        }
        let mark = Key::tenant_mark(tenant.id);
        let listed = encode(&mark, &TenantMark::of(tenant))?;
        let _ = self.write(&mark, Action::Put(listed, Expression::new())).await?;
        let item = encode(&key, &Tenant { settings_version: version, ..tenant.clone() })?;
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

    async fn put_mark(&self, mark: &Key) -> Result<(), StoreError> {
        let item = encode(mark, &Mark {})?;
        self.write(mark, Action::Put(item, Expression::new())).await.map(|_| ())
    }

    /// Notes that a tenant allows an origin.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn mark_origin(&self, origin: &str, tenant: TenantId) -> Result<(), StoreError> {
        self.put_mark(&Key::origin(origin, tenant)).await
    }

    /// The tenants for which nothing is done that is due: those that are closed or being restored.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_asleep_tenants(&self) -> Result<BTreeSet<TenantId>, StoreError> {
        let marks =
            self.query_all(Table::Catalog, tenants_partition(), SortKeys::All, Consistency::Strong).await?;
        let mut asleep = BTreeSet::new();
        for mark in marks {
            let tenant = marked_tenant(&mark);
            if decode::<TenantMark>(mark)?.asleep {
                asleep.extend(tenant);
            }
        }
        Ok(asleep)
    }

    /// All tenants, by id.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_all_tenants(&self) -> Result<Vec<Tenant>, StoreError> {
        let marks =
            self.query_all(Table::Catalog, tenants_partition(), SortKeys::All, Consistency::Strong).await?;
        let mut ids: Vec<TenantId> = marks.iter().filter_map(marked_tenant).collect();
        ids.sort_unstable();
        let mut found = self.get_many(ids.iter().map(|id| Key::tenant(*id)), Consistency::Strong).await?;
        let tenants: Result<Vec<Option<Tenant>>, StoreError> =
            ids.iter().map(|id| found.take(&Key::tenant(*id))).collect();
        Ok(tenants?.into_iter().flatten().collect())
    }

    /// The keys of a tenant with their hashes, revoked ones included, by hash.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_api_keys(&self, tenant: TenantId) -> Result<Vec<(String, ApiKey)>, StoreError> {
        self.load_marked_keys(tenant, SortKeys::All).await
    }

    /// Those of them whose hashes begin so.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_api_keys(
        &self,
        tenant: TenantId,
        beginning: &str,
    ) -> Result<Vec<(String, ApiKey)>, StoreError> {
        // A tilde comes after every digit.
        let until = format!("{beginning}~");
        self.load_marked_keys(tenant, SortKeys::Between(beginning, &until)).await
    }

    async fn load_marked_keys(
        &self,
        tenant: TenantId,
        hashes: SortKeys<'_>,
    ) -> Result<Vec<(String, ApiKey)>, StoreError> {
        let partition = api_keys_partition(tenant);
        let marks = self.query_all(Table::Catalog, &partition, hashes, Consistency::Strong).await?;
        let hashes: Vec<String> = marks.iter().filter_map(sort_key).map(str::to_owned).collect();
        let keys = hashes.iter().map(|hash| Key::api_key(hash));
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        let mut listed = Vec::with_capacity(hashes.len());
        for hash in hashes {
            if let Some(key) = found.take(&Key::api_key(&hash))? {
                listed.push((hash, key));
            }
        }
        Ok(listed)
    }

    /// Makes a key one of those that [`Store::load_api_keys`] lists.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn mark_api_key(&self, tenant: TenantId, hash: &str) -> Result<(), StoreError> {
        self.put_mark(&Key::api_key_mark(tenant, hash)).await
    }

    /// The key of a hash as it is stored, a revoked one too.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn find_api_key(&self, hash: &str) -> Result<Option<ApiKey>, StoreError> {
        self.get(&Key::api_key(hash), Consistency::Strong).await
    }

    /// Stores a key by its hash, unless it is there just so.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn import_api_key(&self, hash: &str, api_key: &ApiKey) -> Result<Saved, StoreError> {
        self.mark_api_key(api_key.tenant, hash).await?;
        self.save(&Key::api_key(hash), api_key).await
    }

    /// Stores a key by its hash.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn save_api_key(&self, hash: &str, api_key: &ApiKey) -> Result<(), StoreError> {
        self.mark_api_key(api_key.tenant, hash).await?;
        let key = Key::api_key(hash);
        let item = encode(&key, api_key)?;
        self.write(&key, Action::Put(item, Expression::new())).await.map(|_| ())
    }

    /// Whether any tenant allows an origin.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn is_origin_known(&self, origin: &str) -> Result<bool, StoreError> {
        let partition = origin_partition(origin);
        let marks = self.query(Table::Catalog, &partition, SortKeys::All, Consistency::Eventual, 1).await?;
        Ok(!marks.is_empty())
    }

    /// Whether a tenant allows an origin.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn is_origin_of(&self, origin: &str, tenant: TenantId) -> Result<bool, StoreError> {
        Ok(self.get_item(&Key::origin(origin, tenant), Consistency::Eventual).await?.is_some())
    }
}

/// The tenant a mark stands for.
fn marked_tenant(mark: &crate::Item) -> Option<TenantId> {
    let number = sort_key(mark)?.strip_prefix("T#")?.parse().ok()?;
    TenantId::parse(number).ok()
}
