//! `/v2/b2c/reservations`: seats that a storefront holds while its visitor types (decision record 0158).

use crate::create::reserve;
use crate::delete::delete_one;
use crate::update::change as change_one;
use adapters::App;
use axum::extract::{Path, State};
use axum::response::Response;
use web::access::Storefront;
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
use wire::reservation::{ReservationInput, ReservationOutput, ReservationUpdateInput};

const PATH: &str = "/v2/b2c/reservations";

/// Hold seats for a visitor
///
/// They are held for ten minutes, or as long as the tenant's settings say, and no longer. All of them are held or none.
/// Only keys of the same scope change or release what was held here. A cart and a checkout take the id as
/// `reservationId`.
#[utoipa::path(
    post,
    path = "/v2/b2c/reservations",
    tag = "Reservations",
    request_body = ReservationInput,
    responses(
        (status = 200, description = "The reservation", body = ReservationOutput),
        (status = 400, description = "`VALIDATION_ERROR`: a field is invalid, or too many seats or events are asked for", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: an event does not exist", body = ErrorBody),
        (status = 409, description = "`NOT_ENOUGH_CAPACITY`, `SALES_CLOSED`, `IDEMPOTENCY_KEY_REUSED`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many reservations or seats, for this visitor or by this key", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn hold(
    State(app): State<App>,
    caller: Storefront,
    key: IdempotencyKey,
    body: Body<ReservationInput>,
) -> Result<Response, ApiError> {
    reserve(&app, &caller, "POST /v2/b2c/reservations", &key, body).await
}

/// Change the seats held for a visitor
///
/// What is not named is released. All of the change happens or none: a refused increase leaves the reservation
/// as it was. An expiry beyond the usual one is cut to it.
#[utoipa::path(
    put,
    path = "/v2/b2c/reservations",
    tag = "Reservations",
    request_body = ReservationUpdateInput,
    responses(
        (status = 200, description = "The reservation as it is now", body = ReservationOutput),
        (status = 400, description = "`VALIDATION_ERROR`: a field is invalid, or too many seats or events are asked for", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the reservation is not live or not of this kind of key, or an id is unknown", body = ErrorBody),
        (status = 409, description = "`NOT_ENOUGH_CAPACITY`, `SALES_CLOSED`, `IDEMPOTENCY_KEY_REUSED`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many reservations or seats, for this visitor or by this key", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Storefront,
    key: IdempotencyKey,
    body: Body<ReservationUpdateInput>,
) -> Result<Response, ApiError> {
    change_one(&app, &caller, "PUT /v2/b2c/reservations", &key, body).await
}

/// Release the seats held for a visitor
///
/// Others can buy them from then on.
#[utoipa::path(
    delete,
    path = "/v2/b2c/reservations/{id}",
    tag = "Reservations",
    params(("id" = i64, Path, description = "The reservation")),
    responses(
        (status = 200, description = "The reservation as it was", body = ReservationOutput),
        (status = 404, description = "`NOT_FOUND`: unknown, released, consumed, expired, or not of this kind of key", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn release(
    State(app): State<App>,
    caller: Storefront,
    key: IdempotencyKey,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    delete_one(&app, &caller, PATH, &key, &id).await
}
