//! What a page has to know before it takes cards.

use adapters::App;
use axum::Json;
use axum::extract::State;
use domain::merchant::{Merchant, charging};
use domain::stripe::{PublishableKey, StripeSettings};
use domain::tenant::{ProcessorKind, Tenant};
use serde::Serialize;
use store::{Consistency, Placed};
use utoipa::ToSchema;
use web::ApiError;
use web::access::Storefront;

/// How a page takes cards.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckoutConfig {
    /// Who charges them, and whose fields make tokens: `stripe`, or `sandbox`, which has no fields and takes its test
    /// tokens as they are.
    pub(crate) processor: &'static str,
    /// The key to load the processor's fields with; null where there is none.
    pub(crate) publishable_key: Option<String>,
    /// The account that the fields make tokens for, where it is not the one of the key.
    pub(crate) connected_account: Option<String>,
    /// The currency of all amounts (ISO 4217).
    pub(crate) currency: String,
    /// Whether only test cards are taken, and no money moves.
    pub(crate) test_mode: bool,
    /// Whether card numbers are taken as well as tokens.
    pub(crate) raw_cards: bool,
}

/// Read how to take cards
///
/// A page loads the fields of the processor with it, and sends the token they make as `paymentToken`.
#[utoipa::path(
    get, path = "/v2/b2c/checkout/config", tag = "Checkout",
    responses((status = 200, description = "How cards are taken.", body = CheckoutConfig))
)]
pub(crate) async fn checkout_config(
    State(app): State<App>,
    caller: Storefront,
) -> Result<Json<CheckoutConfig>, ApiError> {
    let tenant = &caller.tenant;
    let (processor, publishable_key, connected_account) = match &tenant.processor {
        ProcessorKind::Sandbox => ("sandbox", None, None),
        ProcessorKind::Stripe(settings) => {
            let key = settings.publishable_key.as_ref().map(PublishableKey::as_str);
            ("stripe", key.map(str::to_owned), account(&app, tenant, settings).await?)
        }
    };
    Ok(Json(CheckoutConfig {
        processor,
        publishable_key,
        connected_account,
        currency: tenant.currency.to_string(),
        test_mode: tenant.sandbox,
        raw_cards: tenant.raw_cards,
    }))
}

/// The connected account that a checkout charges on now.
async fn account(app: &App, tenant: &Tenant, settings: &StripeSettings) -> Result<Option<String>, ApiError> {
    if settings.accounts.is_empty() {
        return Ok(None);
    }
    let priced = app.priced_merchants(tenant.id).await?;
    let keys = priced.iter().map(|mid| Merchant::place(tenant.id, mid));
    let mut found = app.store.get_many(keys, Consistency::Eventual).await?;
    let mut merchants = Vec::with_capacity(priced.len());
    for mid in priced.iter() {
        merchants.extend(found.take_one::<Merchant>(tenant.id, mid)?);
    }
    let account = charging(&merchants).ok().and_then(|(merchant, _)| settings.accounts.get(&merchant.mid));
    Ok(account.map(|account| account.as_str().to_owned()))
}
