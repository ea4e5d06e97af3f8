//! Checkout (spec §4.3): from a server, or from a storefront's page; and what a page needs around it.

mod answer;
mod asked;
mod complete;
mod config;
mod contended;
mod dry_run;
mod generate;
mod load;
mod pay;
mod refused;
mod replay;
mod sell;
mod start;
mod webhook;

use adapters::App;
use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use web::access::{BrowserCheckout, Caller, ServerCheckout};
use web::routes;
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
use wire::cart::CartOutput;
use wire::checkout::CheckoutInput;
use wire::opened_order::PlacedOrderView;
use wire::order::OrderView;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(server_checkout))
        .routes(routes!(browser_checkout))
        .routes(routes!(config::checkout_config))
        .routes(routes!(complete::complete_checkout))
        .routes(routes!(webhook::stripe_event))
}

/// What a checkout answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum CheckoutAnswer {
    /// It was carried out.
    Order(Box<OrderView>),
    /// It was only tried, since the request has `dryRun`.
    DryRun(Box<DryRunReport>),
}

/// What the checkout of a page answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PageCheckoutAnswer {
    /// It was carried out.
    Order(Box<PlacedOrderView>),
    /// It was only tried, since the request has `dryRun`.
    DryRun(Box<DryRunReport>),
}

/// What a checkout would meet now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunReport {
    /// Whether nothing stands against it.
    pub valid: bool,
    /// What would be charged; null where the cart has no price.
    pub total_amount: Option<String>,
    /// Everything that stands against it, each as it would be refused.
    #[schema(value_type = Vec<ErrorBody>)]
    pub findings: Vec<serde_json::Value>,
    /// The cart with its prices; null where it has none.
    pub cart: Option<CartOutput>,
}

/// Pay for a cart from a storefront's server
///
/// Card data passes through the caller's server, which puts the caller in scope of card-data compliance.
/// Nothing is charged unless all seats are secured, and everything is given back when the card is declined.
#[utoipa::path(
    post, path = "/v2/b2c/checkout", tag = "Checkout", request_body = CheckoutInput,
    params(("x-service-browser-ip" = String, Header, description = "The visitor's IP address.", example = "203.0.113.24")),
    responses(
        (status = 200, description = "The order; with `dryRun`, the findings of a checkout.", body = CheckoutAnswer),
        (status = 402, description = "The card was declined; everything was released. `PAYMENT_ACTION_REQUIRED`: the issuer of the card asks the buyer first, and the order waits until `expiresAt`; the page shows the question with `clientSecret`, and then completes the order.", body = ErrorBody),
        (status = 409, description = "Refused because of seats, price, entitlements, reservation or an earlier request.", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many cards were tried or declined, for this visitor or by this key; the processor was not called.", body = ErrorBody),
    )
)]
async fn server_checkout(
    State(app): State<App>,
    caller: ServerCheckout,
    key: IdempotencyKey,
    body: Body<CheckoutInput>,
) -> Result<Response, ApiError> {
    check_out(&app, &caller, Sent { key: &key, route: "POST /v2/b2c/checkout" }, body).await
}

/// Pay for a cart from a storefront's page
///
/// Works from the origins the tenant allows. Card data goes from the visitor's browser to Boxoffice alone. The
/// `orderToken` of the order opens it with its tickets for 24 hours (`POST /v2/b2c/orders/open`).
#[utoipa::path(
    post, path = "/v2/b2c/cors/checkout", tag = "Checkout", request_body = CheckoutInput,
    responses(
        (status = 200, description = "The order; with `dryRun`, the findings of a checkout.", body = PageCheckoutAnswer),
        (status = 402, description = "The card was declined; everything was released. `PAYMENT_ACTION_REQUIRED`: the issuer of the card asks the buyer first, and the order waits until `expiresAt`; the page shows the question with `clientSecret`, and then completes the order.", body = ErrorBody),
        (status = 409, description = "Refused because of seats, price, entitlements, reservation or an earlier request.", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many cards were tried or declined, for this visitor or by this key; the processor was not called.", body = ErrorBody),
    )
)]
async fn browser_checkout(
    State(app): State<App>,
    caller: BrowserCheckout,
    key: IdempotencyKey,
    body: Body<CheckoutInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let answer =
        check_out(&app, &caller, Sent { key: &key, route: "POST /v2/b2c/cors/checkout" }, body).await?;
    Ok(answer::for_page(answer, &hash_key))
}

/// The key of a request, and the route it belongs to.
struct Sent<'a> {
    key: &'a IdempotencyKey,
    route: &'static str,
}

/// Both routes are one checkout; what is repeated is repeated on the same one.
async fn check_out(
    app: &App,
    caller: &Caller,
    Sent { key, route }: Sent<'_>,
    body: Body<CheckoutInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let fingerprint = |route: &str| body.fingerprint(route, &hash_key);
    let key = key.hash().map(|hash| replay::SentKey {
        hash,
        fingerprint: fingerprint(route),
        earlier_fingerprint: fingerprint("checkout"),
    });
    let now = caller.clock.now();
    let request = body.parse(|checker, input| input.parse(checker, now))?;
    // Boxed, because the futures of the whole saga, one within the other, do not fit a thread's stack.
    Box::pin(pay::check_out(app, caller, request, key)).await
}
