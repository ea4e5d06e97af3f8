//! `GET /v2/b2b/admissions/orders/{orderId}`.

use adapters::App;
use axum::Json;
use axum::extract::{Path, State};
use domain::OrderId;
use sagas::admission::history as load_history;
use web::access::CounterStaff;
use web::{ApiError, ErrorBody, ErrorType};
use wire::admission::AdmissionHistoryView;

/// Read what happened with an order's tickets at the doors
///
/// Where each ticket stands, and the newest 500 scans of the order, those that were taken back and refused included.
#[utoipa::path(
    get,
    path = "/v2/b2b/admissions/orders/{orderId}",
    tag = "Admission",
    params(("orderId" = String, Path, description = "The order")),
    responses(
        (status = 200, description = "The tickets with their scans", body = AdmissionHistoryView),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
    ),
)]
pub(crate) async fn history(
    State(app): State<App>,
    staff: CounterStaff,
    Path(id): Path<String>,
) -> Result<Json<AdmissionHistoryView>, ApiError> {
    let id = OrderId::parse(&id).map_err(|_| not_found())?;
    let found = load_history(&app, &staff.tenant, &id).await?;
    let (order, tickets, scans) = found.ok_or_else(not_found)?;
    Ok(Json(AdmissionHistoryView::new(&order, &tickets, &scans, staff.tenant.zone)))
}

fn not_found() -> ApiError {
    ApiError::new(ErrorType::NotFound).message("There is no such order")
}
