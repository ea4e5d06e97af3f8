//! What every handler is given: the database, the adapters to the outside, and the caches.

use crate::cache::Cache;
use crate::catalog_limits::{CatalogLimits, CatalogPart, Counts, load_places};
use crate::clock::wall_now;
use crate::fault::{AdapterFault, Limit};
use crate::ids::IdSource;
use crate::keyed_hash::HashKey;
use crate::processor::{CardProcessor, Clock, Stripe, StripeProcessor};
use crate::queue::MailQueue;
use crate::slot_summary::{Age, Reaching, SlotSummaries};
use crate::vault::Vault;
use domain::listing::Audience;
use domain::tenant::{ApiKey, ConsumerSite, ProcessorKind, Tenant};
use domain::{Mid, Template, TemplateId, TenantId, Timestamp};
use futures_core::future::BoxFuture;
use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;
use store::catalog::Definitions;
use store::identity::key_hash;
use store::{Consistency, Key, Store, StoreError};

/// The service as its handlers see it. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub store: Store,
    /// New ids.
    pub ids: IdSource,
    /// Where mails to send are enqueued.
    pub queue: Arc<dyn MailQueue>,
    /// Seals and opens secrets.
    pub vault: Arc<dyn Vault>,
    /// The built-in processor with its test cards.
    pub sandbox_processor: Arc<dyn CardProcessor>,
    clock: Clock,
    stripe: Stripe,
    limits: CatalogLimits,
    caches: Arc<Caches>,
    surroundings: Arc<HostSettings>,
}

/// What is particular to a process that serves on one machine.
#[derive(Debug, Clone, Default)]
pub struct HostSettings {
    /// Where the service's own pages come from. Those of sandbox tenants may be called from there.
    pub own_origins: Vec<String>,
    /// The published keys of the demo venues are nobody's, whether the venues are there or not.
    pub refuses_demo_keys: bool,
    /// The service's own page for visitors, which links in mails open where the site of a venue can exist nowhere.
    pub own_shop: Option<ConsumerSite>,
    /// The same for staff.
    pub own_desk: Option<ConsumerSite>,
}

/// How the keys of the demo venues begin; sandbox tenants alone accept them.
pub const DEMO_PREFIX: &str = "demo-";

/// The adapters an [`App`] is made of.
pub struct Adapters {
    /// Where mails to send are enqueued.
    pub queue: Arc<dyn MailQueue>,
    /// Seals and opens secrets.
    pub vault: Arc<dyn Vault>,
    /// The built-in processor with its test cards.
    pub sandbox_processor: Arc<dyn CardProcessor>,
}

#[derive(Default)]
struct Caches {
    keys: Cache<String, Option<ApiKey>>,
    tenants: Cache<TenantId, Option<Tenant>>,
    hash_keys: Cache<TenantId, HashKey>,
    origins: Cache<(String, Option<TenantId>), bool>,
    templates: Cache<TenantId, Vec<Template>>,
    definitions: Cache<TenantId, Definitions>,
    priced_merchants: Cache<TenantId, Vec<Mid>>,
    counts: Counts,
    slot_summaries: SlotSummaries,
}

impl App {
    /// The service over a store and its adapters.
    #[must_use]
    pub fn new(store: Store, adapters: Adapters) -> Self {
        let Adapters { queue, vault, sandbox_processor } = adapters;
        let clock: Clock = Arc::new(wall_now);
        let stripe = Stripe::new(Arc::clone(&vault), Arc::clone(&clock));
        let (ids, limits, caches) = (IdSource::default(), CatalogLimits::default(), Arc::default());
        let surroundings = Arc::default();
        Self { store, ids, queue, vault, sandbox_processor, clock, stripe, limits, caches, surroundings }
    }

    /// The service on one machine.
    #[must_use]
    pub fn within(self, surroundings: HostSettings) -> Self {
        Self { surroundings: Arc::new(surroundings), ..self }
    }

    /// True where the published keys of the demo venues are nobody's.
    #[must_use]
    pub fn refuses_demo_keys(&self) -> bool {
        self.surroundings.refuses_demo_keys
    }

    /// True for an origin of the service's own pages.
    #[must_use]
    pub fn is_own_origin(&self, origin: &str) -> bool {
        self.surroundings.own_origins.iter().any(|own| own == origin)
    }

    /// Where links for visitors of this site lead: there, or to the service's own shop where it can exist nowhere.
    #[must_use]
    pub fn shop(&self, site: &ConsumerSite) -> ConsumerSite {
        let own = self.surroundings.own_shop.as_ref().filter(|_| site.is_example());
        own.unwrap_or(site).clone()
    }

    /// Where links for staff of this site lead: there, or to the service's own desk where it can exist nowhere.
    #[must_use]
    pub fn desk(&self, site: &ConsumerSite) -> ConsumerSite {
        let own = self.surroundings.own_desk.as_ref().filter(|_| site.is_example());
        own.unwrap_or(site).clone()
    }

    /// The service in a simulation, which has a time of its own and generates its ids from a seed.
    #[must_use]
    pub fn simulated(self, clock: Clock, ids: IdSource) -> Self {
        let stripe = Stripe::new(Arc::clone(&self.vault), Arc::clone(&clock));
        Self { clock, ids, stripe, ..self }
    }

    /// Real time, as the clock of this process tells it.
    #[must_use]
    pub fn wall_now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The service with another way to Stripe than the network.
    #[must_use]
    pub fn with_stripe(self, stripe: Stripe) -> Self {
        Self { stripe, ..self }
    }

    /// The service with other limits of catalogs.
    #[must_use]
    pub fn with_limits(self, limits: CatalogLimits) -> Self {
        Self { limits, ..self }
    }

    /// As much as a tenant may have.
    const fn limit(&self, held: CatalogPart) -> Limit {
        self.limits.of(held)
    }

    /// Refuses records that would make a tenant have more than it may, together with those it has.
    ///
    /// # Errors
    /// [`AdapterFault::LimitReached`], or those of the database.
    pub async fn check_room_for(
        &self,
        tenant: TenantId,
        held: CatalogPart,
        wanted: BTreeSet<Key>,
    ) -> Result<(), AdapterFault> {
        let limit = self.limit(held);
        let mut places = load_places(&self.store, tenant, held).await?;
        places.extend(wanted);
        if places.len() <= limit.most { Ok(()) } else { Err(AdapterFault::LimitReached(limit)) }
    }

    /// Refuses one more of what a tenant has as much of as it may. Far from the limit nothing is read for it.
    ///
    /// # Errors
    /// [`AdapterFault::LimitReached`], or those of the database.
    pub async fn check_limit(&self, tenant: TenantId, held: CatalogPart) -> Result<(), AdapterFault> {
        self.caches.counts.check_limit(&self.store, tenant, held, self.limit(held)).await
    }

    /// The key with this text, at most [`crate::cache::MAX_AGE`] old.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn api_key(&self, text: &str) -> BoxFuture<'_, Result<Arc<Option<ApiKey>>, StoreError>> {
        if self.refuses_demo_keys() && text.starts_with(DEMO_PREFIX) {
            return Box::pin(ready(Ok(Arc::new(None))));
        }
        let (store, text_of_key) = (self.store.clone(), text.to_owned());
        let load = async move { store.load_api_key(&text_of_key).await };
        self.caches.keys.get(key_hash(text), load)
    }

    /// A tenant's settings, at most [`crate::cache::MAX_AGE`] old.
    ///
    /// # Errors
    /// [`AdapterFault::Store`] when the database does not answer, [`AdapterFault::UnknownTenant`] when the tenant is gone.
    pub fn tenant(&self, id: TenantId) -> BoxFuture<'_, Result<Arc<Tenant>, AdapterFault>> {
        let store = self.store.clone();
        let load = async move { store.load_tenant(id, Consistency::Eventual).await };
        let found = self.caches.tenants.get(id, load);
        Box::pin(async { Option::clone(&*found.await?).map(Arc::new).ok_or(AdapterFault::UnknownTenant) })
    }

    /// The key of a tenant's keyed hashes, opened by the vault.
    ///
    /// # Errors
    /// [`AdapterFault::Vault`] when the vault does not open it, [`AdapterFault::HashKey`] when it is none.
    pub fn hash_key(&self, tenant: &Tenant) -> BoxFuture<'_, Result<Arc<HashKey>, AdapterFault>> {
        let (vault, sealed, context) =
            (Arc::clone(&self.vault), tenant.sealed_hash_key.clone(), hash_key_context(tenant.id));
        let load = async move {
            let sealed = hex::decode(&sealed).map_err(|cause| AdapterFault::HashKey(cause.into()))?;
            let opened = vault.open(&context, &sealed).await.map_err(AdapterFault::Vault)?;
            HashKey::try_from(opened.as_slice()).map_err(|cause| AdapterFault::HashKey(cause.into()))
        };
        self.caches.hash_keys.get(tenant.id, load)
    }

    /// Whether a tenant allows an origin; of no tenant in particular, whether any does.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn is_allowed_origin(
        &self,
        origin: &str,
        tenant: Option<TenantId>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        let key = (origin.to_owned(), tenant);
        let (store, origin) = (self.store.clone(), origin.to_owned());
        let load = async move {
            match tenant {
                Some(tenant) => store.is_origin_of(&origin, tenant).await,
                None => store.is_origin_known(&origin).await,
            }
        };
        let found = self.caches.origins.get(key, load);
        Box::pin(async { Ok(*found.await?) })
    }

    /// All templates of a tenant, at most [`crate::cache::MAX_AGE`] old.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn templates(&self, tenant: TenantId) -> BoxFuture<'_, Result<Arc<Vec<Template>>, StoreError>> {
        let store = self.store.clone();
        let load = async move { store.load_templates(tenant, Consistency::Eventual).await };
        self.caches.templates.get(tenant, load)
    }

    /// The small definitions of a tenant, at most [`crate::cache::MAX_AGE`] old.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn definitions(&self, tenant: TenantId) -> BoxFuture<'_, Result<Arc<Definitions>, StoreError>> {
        let store = self.store.clone();
        let load = async move { store.load_definitions(tenant, Consistency::Eventual).await };
        self.caches.definitions.get(tenant, load)
    }

    /// The merchants of a tenant among which one charges, at most [`crate::cache::MAX_AGE`] old.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn priced_merchants(&self, tenant: TenantId) -> BoxFuture<'_, Result<Arc<Vec<Mid>>, StoreError>> {
        let store = self.store.clone();
        let load = async move { store.load_priced_merchants(tenant, Consistency::Eventual).await };
        self.caches.priced_merchants.get(tenant, load)
    }

    /// When the next of a template's slots starts that the audience can buy now; none where it can buy none.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn next_available(
        &self,
        tenant: TenantId,
        found: Reaching<'_>,
        audience: Audience<'_>,
        age: Age,
    ) -> Result<Option<Timestamp>, StoreError> {
        self.caches.slot_summaries.next_available(&self.store, tenant, found, audience, age).await
    }

    /// Seats sold of all slots of a template, at most [`crate::cache::MAX_AGE`] old.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn sold_of(&self, tenant: TenantId, template: &TemplateId) -> Result<u64, StoreError> {
        self.caches.slot_summaries.sold_of(&self.store, tenant, template).await
    }

    /// Forgets a tenant's cached catalog after a change made here.
    pub fn forget_catalog(&self, tenant: TenantId) {
        self.caches.templates.forget(&tenant);
        self.caches.definitions.forget(&tenant);
    }

    /// The processor a tenant's cards are charged by.
    #[must_use]
    pub fn processor(&self, tenant: &Tenant) -> Arc<dyn CardProcessor> {
        match &tenant.processor {
            ProcessorKind::Sandbox => Arc::clone(&self.sandbox_processor),
            ProcessorKind::Stripe(settings) => Arc::new(self.stripe.account_of(tenant.id, settings)),
        }
    }

    /// A tenant's account at Stripe, where its cards are charged there.
    #[must_use]
    pub fn stripe_of(&self, tenant: &Tenant) -> Option<StripeProcessor> {
        match &tenant.processor {
            ProcessorKind::Sandbox => None,
            ProcessorKind::Stripe(settings) => Some(self.stripe.account_of(tenant.id, settings)),
        }
    }
}

/// What a tenant's hash key is sealed for.
#[must_use]
pub fn hash_key_context(tenant: TenantId) -> String {
    format!("hash-key/{tenant}")
}
