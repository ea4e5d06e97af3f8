//! What outlives a process of the service.

use crate::PREFIX;
use crate::image::{self, TableImage};
use crate::tenants::{key, tenant_id};
use adapters::Adapters;
use adapters::app::hash_key_context;
use adapters::processor::SandboxProcessor;
use adapters::queue::LocalQueue;
use adapters::vault::{LocalVault, Vault};
use domain::Timestamp;
use domain::tenant::{Scope, Tenant};
use engine::{Embedded, FaultPlan, Faulty};
use std::sync::{Arc, LazyLock};
use store::identity::key_hash;
use store::{Counted, Item, Store};

/// The tables of one test, and the vault that sealed what is secret in them.
#[derive(Clone)]
pub struct Tables {
    /// The tables themselves.
    pub engine: Embedded,
    /// The same as no fault touches them.
    pub store: Store,
    /// What seals the secrets in them.
    pub vault: Arc<dyn Vault>,
}

/// The vault of every test that brings none. It keeps nothing but its key.
fn vault() -> Arc<dyn Vault> {
    static VAULT: LazyLock<Arc<LocalVault>> = LazyLock::new(|| Arc::new(LocalVault::in_memory().unwrap()));
    VAULT.clone()
}

/// Every item of the table with this whole name, as it is stored.
pub async fn all_items(engine: &Embedded, table: &str) -> Vec<Item> {
    let client = engine.client();
    let mut items = Vec::new();
    let mut start = None;
    loop {
        let page = client.scan().table_name(table).set_exclusive_start_key(start).send().await.unwrap();
        items.extend(page.items.unwrap_or_default());
        start = page.last_evaluated_key;
        if start.is_none() {
            return items;
        }
    }
}

impl Tables {
    /// Empty tables.
    pub async fn open() -> Self {
        Self::sealed_by(vault()).await
    }

    /// Empty tables whose secrets another vault seals.
    pub async fn sealed_by(vault: Arc<dyn Vault>) -> Self {
        Self::over(image::tables().await, vault)
    }

    /// Tables that begin with what `write` put into those of the first test.
    pub async fn copy_of<F>(image: &TableImage, write: impl FnOnce(Self) -> F) -> Self
    where
        F: Future<Output = ()>,
    {
        let (engine, _nothing) = image.copy(|engine| write(Self::over(engine, vault()))).await;
        Self::over(engine, vault())
    }

    fn over(engine: Embedded, vault: Arc<dyn Vault>) -> Self {
        let store = Store::new(engine.client(), PREFIX);
        Self { engine, store, vault }
    }

    /// Saves a tenant with a secret of its own.
    pub async fn save_tenant(&self, tenant: Tenant) {
        let mut secret = [7; 32];
        for (byte, digit) in secret.iter_mut().zip(tenant.id.to_string().bytes()) {
            *byte = digit;
        }
        let sealed = self.vault.seal(&hash_key_context(tenant.id), &secret).await.unwrap();
        let tenant = Tenant { sealed_hash_key: hex::encode(sealed), ..tenant };
        self.store.save_tenant(&tenant).await.unwrap();
    }

    /// Saves the key with this text, which ends in its tenant: `shop-1`.
    pub async fn save_key(&self, text: &str, scope: Scope) {
        let (_, tenant) = text.rsplit_once('-').unwrap();
        let key = key(tenant_id(tenant.parse().unwrap()), scope);
        self.store.save_api_key(&key_hash(text), &key).await.unwrap();
    }

    /// Every item of a table, as it is stored.
    pub async fn scan(&self, table: &str) -> Vec<Item> {
        all_items(&self.engine, &format!("{PREFIX}{table}")).await
    }

    /// The database of a process whose calls meet these faults.
    #[must_use]
    pub fn store_under(&self, faults: &FaultPlan) -> Store {
        let engine = Faulty::new(self.engine.clone(), faults.clone());
        Store::new(engine::client_over(Counted(engine)), PREFIX)
    }

    /// What else a process needs: a queue of its own, and the sandbox's processor.
    #[must_use]
    pub fn adapters(&self) -> Adapters {
        let processor = SandboxProcessor::new(self.store.clone(), Arc::new(|| Timestamp::UNIX_EPOCH));
        Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::clone(&self.vault),
            sandbox_processor: Arc::new(processor),
        }
    }
}
