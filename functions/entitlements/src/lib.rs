//! Validating a cart by what its members are entitled to (spec §4.2, contract §5). Nothing is written; checkout
//! asks again.

mod validate;

use adapters::App;
use axum::Json;
use axum::extract::State;
use web::access::{Caller, Shopper};
use web::routes;
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody};
use wire::cart::CartInput;
use wire::entitlement::EntitlementsResult;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new().routes(routes!(validate, validate_again))
}

/// Validate a cart against its members' entitlements
///
/// Takes a cart with items, or the `id` of one made before. Says of every limit that applies how many tickets it
/// allows, how many earlier orders had and how many the cart wants.
#[utoipa::path(
    post,
    path = "/v2/b2c/entitlements/validate",
    tag = "Entitlements",
    request_body = CartInput,
    responses(
        (status = 200, description = "The result, whether the cart is valid or not", body = EntitlementsResult),
        (status = 400, description = "Some values are missing or invalid", body = ErrorBody),
        (status = 404, description = "There is no such cart, or ids refer to nothing on sale", body = ErrorBody),
        (status = 409, description = "An event is not on sale", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown coupon codes, for this visitor or by this key", body = ErrorBody),
    ),
)]
async fn validate(
    State(app): State<App>,
    caller: Shopper,
    body: Body<CartInput>,
) -> Result<Json<EntitlementsResult>, ApiError> {
    respond(&app, &caller, body).await
}

/// Validate a cart against its members' entitlements
///
/// The same as `POST`.
#[utoipa::path(
    put,
    path = "/v2/b2c/entitlements/validate",
    tag = "Entitlements",
    request_body = CartInput,
    responses(
        (status = 200, description = "The result, whether the cart is valid or not", body = EntitlementsResult),
        (status = 400, description = "Some values are missing or invalid", body = ErrorBody),
        (status = 404, description = "There is no such cart, or ids refer to nothing on sale", body = ErrorBody),
        (status = 409, description = "An event is not on sale", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown coupon codes, for this visitor or by this key", body = ErrorBody),
    ),
)]
async fn validate_again(
    State(app): State<App>,
    caller: Shopper,
    body: Body<CartInput>,
) -> Result<Json<EntitlementsResult>, ApiError> {
    respond(&app, &caller, body).await
}

async fn respond(
    app: &App,
    caller: &Caller,
    body: Body<CartInput>,
) -> Result<Json<EntitlementsResult>, ApiError> {
    let source = body.parse(|checker, input| input.parse_source(checker))?;
    validate::validate(app, caller, source).await.map(Json)
}
