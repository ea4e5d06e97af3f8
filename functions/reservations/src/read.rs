//! `GET /v2/b2b/reservations/{id}`.

use crate::refusal::{not_found, refused};
use adapters::App;
use axum::Json;
use axum::extract::{Path, State};
use domain::ReservationId;
use domain::number::whole_number;
use domain::reservation::live_holds;
use web::access::CounterStaff;
use web::{ApiError, ErrorBody};
use wire::reservation::ReservationOutput;

/// Read a reservation that still holds its seats
///
/// One that has ended, or became an order, is not found.
#[utoipa::path(
    get,
    path = "/v2/b2b/reservations/{id}",
    tag = "Reservations",
    params(("id" = i64, Path, description = "The reservation")),
    responses(
        (status = 200, description = "The reservation", body = ReservationOutput),
        (status = 404, description = "`NOT_FOUND`: unknown, released, consumed or expired", body = ErrorBody),
    ),
)]
pub(crate) async fn read(
    State(app): State<App>,
    staff: CounterStaff,
    Path(id): Path<String>,
) -> Result<Json<ReservationOutput>, ApiError> {
    let (tenant, now) = (staff.tenant.id, staff.clock.now());
    let reservation = app.store.load_reservation(tenant, reservation_id(&id)?).await?;
    let reservation = reservation.filter(|found| !found.is_over(now)).ok_or_else(not_found)?;
    let slots = reservation.terms.items.iter().map(|item| item.instance);
    let ledgers = app.store.load_slots(tenant, slots).await?;
    let holds = live_holds(&reservation, &ledgers, now).map_err(refused)?;
    Ok(Json(ReservationOutput::of(&reservation, &reservation.kept(&holds), staff.tenant.zone)))
}

/// The id in a path. Text that is no id names nothing.
pub(crate) fn reservation_id(text: &str) -> Result<ReservationId, ApiError> {
    let number = whole_number(text).ok_or_else(not_found)?;
    ReservationId::parse(number).map_err(|_| not_found())
}
