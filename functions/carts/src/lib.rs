//! Shopping carts (spec §4.1, contract §4).

mod create;
mod forms;
mod update;

use adapters::App;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::cart::Cart;
use domain::{CartId, Timestamp};
use std::sync::Arc;
use store::StoreError;
use store::catalog::Definitions;
use web::access::{Caller, Shopper};
use web::cart::{Explain, SentCart};
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey, idempotency, routes};
use wire::WireValue;
use wire::cart::{CartInput, CartOutput};

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(create_cart))
        .routes(routes!(read_cart, update_cart, delete_cart))
        .routes(routes!(forms::answer_form))
}

/// Create a cart
///
/// An empty object creates an empty cart. Returns the new cart's id.
#[utoipa::path(
    post,
    path = "/v2/b2c/carts",
    tag = "Carts",
    params(("Idempotency-Key" = Option<String>, Header, description = "Requests repeated with the same key and body get the same id")),
    request_body = CartInput,
    responses(
        (status = 200, description = "The id of the cart", body = String, content_type = "application/json"),
        (status = 400, description = "Some values are missing or invalid", body = ErrorBody),
        (status = 404, description = "Ids refer to nothing on sale", body = ErrorBody),
        (status = 409, description = "An event is not on sale or has too few seats left, or an add-on too few units; too much for one order; the idempotency key was used before", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown coupon codes, for this visitor or by this key", body = ErrorBody),
    ),
)]
async fn create_cart(
    State(app): State<App>,
    caller: Shopper,
    key: IdempotencyKey,
    body: Body<CartInput>,
) -> Result<Response, ApiError> {
    let fingerprint = fingerprint(&app, &caller, &key, &body, "POST /v2/b2c/carts").await?;
    let mut request = body.parse(|checker, input| input.parse_new(checker))?;
    let sent = SentCart::inline("", std::mem::take(&mut request.moved));
    let created = match fingerprint {
        Some(fingerprint) => create::once(&app, &caller, &key, &fingerprint, request).await,
        None => create::fresh(&app, &caller, request).await,
    };
    created.map_err(|refusal| sent.pointed(refusal))
}

/// Read a cart
///
/// Prices are those of the last update.
#[utoipa::path(
    get,
    path = "/v2/b2c/carts/{id}",
    tag = "Carts",
    params(("id" = String, Path, description = "The cart's id")),
    responses(
        (status = 200, description = "The cart", body = CartOutput),
        (status = 404, description = "There is no such cart, or it has expired", body = ErrorBody),
    ),
)]
async fn read_cart(
    State(app): State<App>,
    caller: Shopper,
    Path(id): Path<String>,
) -> Result<Json<CartOutput>, ApiError> {
    let id = cart_id(&id)?;
    let cart = live(app.store.load_cart(caller.tenant.id, &id).await?, caller.clock.now())?;
    let known = definitions_for(&app, &caller, &cart).await?;
    Ok(Json(CartOutput::of(&cart, &known.forms, caller.tenant.zone)))
}

/// Replace the lines of a cart
///
/// Returns the cart with prices. A line sent back with its `itemId` keeps it.
#[utoipa::path(
    put,
    path = "/v2/b2c/carts/{id}",
    tag = "Carts",
    params(
        ("id" = String, Path, description = "The cart's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Requests repeated with the same key and body get the same response"),
        ("x-service-explain" = Option<bool>, Header, description = "`true` adds to each line every rule that was tried on it"),
    ),
    request_body = CartInput,
    responses(
        (status = 200, description = "The cart with prices", body = CartOutput),
        (status = 400, description = "Some values are missing or invalid", body = ErrorBody),
        (status = 404, description = "There is no such cart, or ids refer to nothing on sale", body = ErrorBody),
        (status = 409, description = "An event is not on sale or has too few seats left, or an add-on too few units; too much for one order; the cart is being or was checked out", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown coupon codes, for this visitor or by this key", body = ErrorBody),
    ),
)]
async fn update_cart(
    State(app): State<App>,
    caller: Shopper,
    key: IdempotencyKey,
    explain: Explain,
    Path(id): Path<String>,
    body: Body<CartInput>,
) -> Result<Response, ApiError> {
    let id = cart_id(&id)?;
    let route = format!("PUT /v2/b2c/carts/{id}");
    let fingerprint = fingerprint(&app, &caller, &key, &body, &route).await?.unwrap_or_default();
    let mut request = body.parse(|checker, input| input.parse_update(checker, &id))?;
    let sent = SentCart::inline("", std::mem::take(&mut request.moved));
    let replaced = update::replace(&app, &caller, &id, request, explain);
    let answered = idempotency::once(&app, &caller, &key, &fingerprint, replaced).await;
    answered.map_err(|refusal| sent.pointed(refusal))
}

/// Delete a cart
///
/// Returns the deleted cart.
#[utoipa::path(
    delete,
    path = "/v2/b2c/carts/{id}",
    tag = "Carts",
    params(
        ("id" = String, Path, description = "The cart's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Requests repeated with the same key get the same response"),
    ),
    responses(
        (status = 200, description = "The deleted cart", body = CartOutput),
        (status = 404, description = "There is no such cart, or it has expired", body = ErrorBody),
        (status = 409, description = "The cart is being or was checked out", body = ErrorBody),
    ),
)]
async fn delete_cart(
    State(app): State<App>,
    caller: Shopper,
    key: IdempotencyKey,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id = cart_id(&id)?;
    let deleted = update::delete(&app, &caller, &id);
    idempotency::once(&app, &caller, &key, &format!("DELETE /v2/b2c/carts/{id}"), deleted).await
}

/// The tenant's definitions, of which a cart that is answered shows what its forms ask. Nothing is read for a cart
/// without forms.
async fn definitions_for(app: &App, caller: &Caller, cart: &Cart) -> Result<Arc<Definitions>, StoreError> {
    if cart.forms.is_empty() {
        return Ok(Arc::default());
    }
    app.definitions(caller.tenant.id).await
}

/// The fingerprint of a request that carries an idempotency key.
async fn fingerprint<T: WireValue>(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    body: &Body<T>,
    route: &str,
) -> Result<Option<String>, ApiError> {
    if key.text().is_none() {
        return Ok(None);
    }
    let hash_key = app.hash_key(&caller.tenant).await?;
    Ok(Some(body.fingerprint(route, &hash_key)))
}

fn cart_id(text: &str) -> Result<CartId, ApiError> {
    CartId::parse(text).map_err(|_| no_such_cart())
}

/// The cart, unless there is none or its time is over, whatever the database has not deleted yet.
fn live(found: Option<Cart>, now: Timestamp) -> Result<Cart, ApiError> {
    found.filter(|cart| cart.is_live(now)).ok_or_else(no_such_cart)
}

fn no_such_cart() -> ApiError {
    ApiError::new(ErrorType::NotFound).message("There is no such cart")
}
