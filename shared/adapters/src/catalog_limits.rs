//! How much a venue's catalog may hold. It is kept in memory as a whole, so it has limits, and they are told when
//! something is written: whoever reads never reads a part.

use crate::fault::{AdapterFault, Limit};
use domain::TenantId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::{Key, Store, StoreError};
use tokio::time::Instant;

/// What a venue has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CatalogPart {
    /// Ticket types, add-ons, discounts, coupons, combos, forms, membership levels, entitlement rules, together.
    Definitions,
    /// Event templates.
    Templates,
}

/// As much as a venue may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogLimits {
    /// Small definitions.
    pub definitions: usize,
    /// Event templates.
    pub templates: usize,
}

impl Default for CatalogLimits {
    fn default() -> Self {
        Self { definitions: 10_000, templates: 5_000 }
    }
}

impl CatalogLimits {
    /// The limit, with the name refusals tell it by.
    #[must_use]
    pub const fn of(self, part: CatalogPart) -> Limit {
        match part {
            CatalogPart::Definitions => Limit { what: "definitions", most: self.definitions },
            CatalogPart::Templates => Limit { what: "eventTemplates", most: self.templates },
        }
    }
}

/// How long a count is good for what others may have written since.
const COUNT_AGE: Duration = Duration::from_secs(600);

/// Of how many parts of a limit the last is counted exactly.
const MARGIN_PARTS: usize = 10;

/// What was counted of tenants, with what was written here since.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<BTreeMap<(TenantId, CatalogPart), Counted>>);

#[derive(Debug, Clone, Copy)]
struct Counted {
    count: usize,
    at: Instant,
}

impl Counts {
    /// One more than was known, if that is far from the limit.
    fn take(&self, tenant: TenantId, part: CatalogPart, most: usize) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = counts.get_mut(&(tenant, part)) else { return false };
        let is_far = known.count < most.saturating_sub(most / MARGIN_PARTS);
        if !is_far || known.at.elapsed() >= COUNT_AGE {
            return false;
        }
        known.count = known.count.saturating_add(1);
        true
    }

    fn note(&self, tenant: TenantId, part: CatalogPart, count: usize) {
        let counted = Counted { count, at: Instant::now() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((tenant, part), counted);
    }

    /// Refuses one more of what a tenant has as much of as it may. Far from the limit nothing is read for it.
    ///
    /// # Errors
    /// [`AdapterFault::LimitReached`], or those of the database.
    pub(crate) async fn check_limit(
        &self,
        store: &Store,
        tenant: TenantId,
        part: CatalogPart,
        limit: Limit,
    ) -> Result<(), AdapterFault> {
        if self.take(tenant, part, limit.most) {
            return Ok(());
        }
        let count = load_places(store, tenant, part).await?.len();
        self.note(tenant, part, count.saturating_add(1));
        if count < limit.most { Ok(()) } else { Err(AdapterFault::LimitReached(limit)) }
    }
}

/// Where a tenant's records are.
///
/// # Errors
/// Those of the database.
pub(crate) async fn load_places(
    store: &Store,
    tenant: TenantId,
    part: CatalogPart,
) -> Result<BTreeSet<Key>, StoreError> {
    match part {
        CatalogPart::Definitions => store.load_definition_places(tenant).await,
        CatalogPart::Templates => store.load_template_places(tenant).await,
    }
}
