//! What a tenant sells, as prices are made of it.

use crate::app::App;
use domain::cart::AskedForms;
use domain::catalog::{ReviewState, Template};
use domain::entitlement::Entitlements;
use domain::ledger::Ledger;
use domain::pricing::PricingCatalog;
use domain::{TemplateId, TenantId};
use futures_core::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::StoreError;
use store::catalog::Definitions;

/// A tenant's catalog, at most [`crate::cache::MAX_AGE`] old.
#[derive(Debug, Clone)]
pub struct TenantCatalog {
    templates: Arc<Vec<Template>>,
    definitions: Arc<Definitions>,
}

impl App {
    /// What a tenant sells, from the caches.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn catalog(&self, tenant: TenantId) -> BoxFuture<'_, Result<TenantCatalog, StoreError>> {
        let (templates, definitions) = (self.templates(tenant), self.definitions(tenant));
        Box::pin(async {
            let (templates, definitions) = tokio::try_join!(templates, definitions)?;
            Ok(TenantCatalog { templates, definitions })
        })
    }

    /// What a tenant sells, from caches that know the templates of these slots.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn catalog_of(
        &self,
        tenant: TenantId,
        ledgers: impl IntoIterator<Item = &Ledger>,
    ) -> Result<TenantCatalog, StoreError> {
        self.templates_of(tenant, ledgers).await?;
        self.catalog(tenant).await
    }

    /// The tenant's templates. Cached ones that know nothing of a slot's template, or only its draft, are older
    /// than the slot and are read again: what was just published is sold at once.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn templates_of(
        &self,
        tenant: TenantId,
        ledgers: impl IntoIterator<Item = &Ledger>,
    ) -> Result<Arc<Vec<Template>>, StoreError> {
        let cached = self.templates(tenant).await?;
        let is_known = |ledger: &Ledger| {
            cached.iter().any(|template| {
                template.id == ledger.template && template.review_state == ReviewState::Published
            })
        };
        if ledgers.into_iter().all(is_known) {
            return Ok(cached);
        }
        self.forget_catalog(tenant);
        self.templates(tenant).await
    }
}

impl TenantCatalog {
    /// The entitlement rules and ticket limits of the templates that have any.
    #[must_use]
    pub fn entitlements(&self) -> &BTreeMap<TemplateId, Entitlements> {
        &self.definitions.entitlements
    }

    /// The catalog as pricing takes it.
    #[must_use]
    pub fn view(&self) -> PricingCatalog<'_> {
        PricingCatalog {
            templates: &self.templates,
            person_types: &self.definitions.person_types,
            inventory: &self.definitions.inventory,
            discounts: &self.definitions.discounts,
            coupons: &self.definitions.coupons,
            combos: &self.definitions.combos,
            levels: &self.definitions.levels,
        }
    }

    /// What its events ask of their visitors.
    #[must_use]
    pub fn asked(&self) -> AskedForms<'_> {
        AskedForms { templates: &self.templates, forms: &self.definitions.forms }
    }
}
