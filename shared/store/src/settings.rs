//! Settings and keys as admins change them. Each change is one transaction with its entry in the history.

use crate::identity::Mark;
use crate::plan::add;
use crate::{
    Action, Consistency, Expression, Key, Plan, SortKeys, Store, StoreError, Table, decode, encode, number,
    settings_history_partition,
};
use domain::TenantId;
use domain::settings::SettingsChange;
use domain::tenant::{ApiKey, Tenant};

/// The attribute that counts the changes of a tenant's settings.
const VERSION: &str = "settings_version";

/// A change, and the name of the attempt to make it.
#[derive(Debug, Clone, Copy)]
pub struct ChangeAttempt<'a> {
    /// What the history says of it.
    pub change: &'a SettingsChange,
    /// At most 36 characters.
    pub token: &'a str,
}

/// The writes of one change.
struct ChangePlan {
    tenant: TenantId,
    plan: Plan<()>,
}

impl ChangePlan {
    fn new(tenant: TenantId) -> Self {
        Self { tenant, plan: Plan::new() }
    }

    fn add(&mut self, key: Key, action: Action) -> Result<(), StoreError> {
        add(&mut self.plan, key, action, ())
    }

    async fn commit(mut self, store: &Store, attempt: ChangeAttempt<'_>) -> Result<bool, StoreError> {
        let place = Key::settings_change(self.tenant, attempt.change.at, attempt.token);
        let item = encode(&place, attempt.change)?;
        self.add(place, Action::Put(item, Expression::new()))?;
        Ok(store.commit(&self.plan, attempt.token).await?.is_ok())
    }
}

/// That the settings are those that were read.
fn as_read(tenant: &Tenant) -> Expression {
    let mut condition = Expression::new();
    condition.require_item();
    if tenant.settings_version == 0 {
        let version = condition.path(&[VERSION]);
        condition.require(format!("attribute_not_exists({version})"));
    } else {
        let version = i64::try_from(tenant.settings_version).unwrap_or(i64::MAX);
        condition.require_equal(VERSION, number(version));
    }
    condition
}

impl Store {
    /// Turns the settings that were read into others, with the marks of the origins they allow; false when somebody
    /// else changed them meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn change_settings(
        &self,
        before: &Tenant,
        after: &Tenant,
        attempt: ChangeAttempt<'_>,
    ) -> Result<bool, StoreError> {
        let mut plan = ChangePlan::new(after.id);
        let place = Key::tenant(after.id);
        let item = encode(&place, after)?;
        plan.add(place, Action::Put(item, as_read(before)))?;
        for origin in before.allowed_origins.difference(&after.allowed_origins) {
            plan.add(Key::origin(origin, after.id), Action::Delete(Expression::new()))?;
        }
        for origin in after.allowed_origins.difference(&before.allowed_origins) {
            let mark = Key::origin(origin, after.id);
            let item = encode(&mark, &Mark {})?;
            plan.add(mark, Action::Put(item, Expression::new()))?;
        }
        plan.commit(self, attempt).await
    }

    /// Stores a new key by its hash; false when it is there already.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn issue_key(
        &self,
        hash: &str,
        key: &ApiKey,
        attempt: ChangeAttempt<'_>,
    ) -> Result<bool, StoreError> {
        let mut plan = ChangePlan::new(key.tenant);
        let (place, mark) = (Key::api_key(hash), Key::api_key_mark(key.tenant, hash));
        let mut absent = Expression::new();
        absent.require_no_item();
        let (item, marked) = (encode(&place, key)?, encode(&mark, &Mark {})?);
        plan.add(place, Action::Put(item, absent))?;
        plan.add(mark, Action::Put(marked, Expression::new()))?;
        plan.commit(self, attempt).await
    }

    /// Revokes a key of which only that can be changed; false when it is gone.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn revoke_key(
        &self,
        hash: &str,
        key: &ApiKey,
        attempt: ChangeAttempt<'_>,
    ) -> Result<bool, StoreError> {
        let mut plan = ChangePlan::new(key.tenant);
        let place = Key::api_key(hash);
        let mut present = Expression::new();
        present.require_item();
        let item = encode(&place, &ApiKey { revoked: true, ..key.clone() })?;
        plan.add(place, Action::Put(item, present))?;
        plan.commit(self, attempt).await
    }

    /// The changes of a tenant's settings and keys, the first one first.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_settings_history(&self, tenant: TenantId) -> Result<Vec<SettingsChange>, StoreError> {
        let partition = settings_history_partition(tenant);
        let found = self.query_all(Table::Catalog, &partition, SortKeys::All, Consistency::Strong).await?;
        found.into_iter().map(decode).collect()
    }
}
