//! What carts and checkout share around pricing: the catalog it looks at and the answer when it refuses.

mod forms;
mod named;

pub use forms::{forms_incomplete, forms_refused, response_refused};
pub use named::{Existing, Named};

use crate::{ApiError, App, ErrorType};
use axum::extract::FromRequestParts;
use domain::TenantId;
use domain::catalog::{InventoryKind, ReviewState, Template};
use domain::form::AskedForms;
use domain::ledger::Ledger;
use domain::pricing::{Catalog, Closed, LineFault, PricingRefusal, PricingRefusals, RefusalClass};
use http::request::Parts;
use std::convert::Infallible;
use std::sync::Arc;
use store::catalog::Definitions;

/// Whether a request asks for the rules that were tried on each line (contract §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explain(pub bool);

impl<S: Send + Sync> FromRequestParts<S> for Explain {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let sent = parts.headers.get("x-service-explain");
        Ok(Self(sent.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"))))
    }
}

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
    /// [`ApiError`] when the database does not answer.
    pub async fn catalog(&self, tenant: TenantId) -> Result<TenantCatalog, ApiError> {
        let (templates, definitions) = tokio::try_join!(self.templates(tenant), self.definitions(tenant))?;
        Ok(TenantCatalog { templates, definitions })
    }

    /// What a tenant sells, from caches that know the templates of these slots.
    ///
    /// # Errors
    /// [`ApiError`] when the database does not answer.
    pub async fn catalog_of(
        &self,
        tenant: TenantId,
        ledgers: impl IntoIterator<Item = &Ledger>,
    ) -> Result<TenantCatalog, ApiError> {
        self.templates_of(tenant, ledgers).await?;
        self.catalog(tenant).await
    }

    /// The tenant's templates. Cached ones that know nothing of a slot's template, or only its draft, are older
    /// than the slot and are read again: what was just published is sold at once.
    ///
    /// # Errors
    /// [`ApiError`] when the database does not answer.
    pub async fn templates_of(
        &self,
        tenant: TenantId,
        ledgers: impl IntoIterator<Item = &Ledger>,
    ) -> Result<Arc<Vec<Template>>, ApiError> {
        let cached = self.templates(tenant).await?;
        let is_known = |ledger: &Ledger| {
            cached.iter().any(|template| {
                template.id == ledger.template && template.review_state == ReviewState::Published
            })
        };
        if ledgers.into_iter().all(is_known) {
            return Ok(cached);
        }
        self.forget_catalog(tenant).await;
        self.templates(tenant).await
    }
}

impl TenantCatalog {
    /// The catalog as pricing takes it.
    #[must_use]
    pub fn view(&self) -> Catalog<'_> {
        Catalog {
            templates: &self.templates,
            person_types: &self.definitions.person_types,
            inventory: &self.definitions.inventory,
            discounts: &self.definitions.discounts,
            coupons: &self.definitions.coupons,
        }
    }

    /// What its events ask of their visitors.
    #[must_use]
    pub fn asked(&self) -> AskedForms<'_> {
        AskedForms { templates: &self.templates, forms: &self.definitions.forms }
    }
}

/// The answer to lines that cannot be priced: `VALIDATION_ERROR`, `NOT_FOUND` or `SALES_CLOSED`, whichever
/// applies first, with every fault of every line. `cart` is the pointer of the cart within the body, empty
/// for a body that is the cart.
#[must_use]
pub fn pricing_refused(refusals: &PricingRefusals, cart: &str) -> ApiError {
    let error = ApiError::new(match refusals.class() {
        RefusalClass::Invalid => ErrorType::ValidationError,
        RefusalClass::Unknown => ErrorType::NotFound,
        RefusalClass::Closed => ErrorType::SalesClosed,
    });
    refusals.0.iter().fold(error, |error, refusal| match refusal {
        PricingRefusal::TotalTooLarge => {
            error.detail(format!("{cart}/items"), "add up to too large an amount")
        }
        PricingRefusal::Line { index, fault } => {
            let (field, message) = fault_text(*fault);
            error.detail(format!("{cart}/items/{index}/{field}"), message)
        }
    })
}

fn fault_text(fault: LineFault) -> (&'static str, &'static str) {
    match fault {
        LineFault::OtherInventoryKind { kind } => ("type", kind_text(kind)),
        LineFault::AmountTooLarge => ("quantity", "makes too large an amount"),
        LineFault::UnknownEvent => ("eventId", "was not found"),
        LineFault::UnknownTicketType => ("ticketingTypeId", "was not found"),
        LineFault::NotPriced => ("ticketingTypeId", "has no price for this event"),
        LineFault::UnknownInventory => ("inventoryId", "was not found"),
        LineFault::SalesClosed(Closed::Cancelled) => ("eventId", "has been cancelled"),
        LineFault::SalesClosed(Closed::ChannelOff) => ("eventId", "is not sold online"),
        LineFault::SalesClosed(Closed::Window { closed_at: _ }) => ("eventId", "is no longer on sale"),
    }
}

fn kind_text(kind: InventoryKind) -> &'static str {
    match kind {
        InventoryKind::AddOn | InventoryKind::MembershipCardReplacement => {
            "must be left out: the item is no donation"
        }
        InventoryKind::FixedDonation => "must be fixedDonation for this item",
        InventoryKind::Donation => "must be donation for this item",
    }
}
