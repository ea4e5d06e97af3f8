//! `GET /v2/b2b/willcall/orders/{orderId}`.

use crate::read::{is_readable, not_found, order_id};
use axum::Json;
use axum::extract::{Path, State};
use platform::access::Staff;
use platform::{ApiError, App, ErrorBody};
use wire::willcall::WillCallOrderView;

/// Read an order with its tickets and their barcodes
///
/// For counters and gates; pieces that were given back or exchanged are marked.
#[utoipa::path(
    get,
    path = "/v2/b2b/willcall/orders/{orderId}",
    tag = "Orders",
    params(("orderId" = String, Path, description = "The order")),
    responses(
        (status = 200, description = "The order with its tickets", body = WillCallOrderView),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
    ),
)]
pub(crate) async fn read(
    State(app): State<App>,
    staff: Staff,
    Path(id): Path<String>,
) -> Result<Json<WillCallOrderView>, ApiError> {
    let (tenant, id) = (staff.tenant.id, order_id(&id)?);
    let load = async { app.store.load_order_with_tickets(tenant, &id).await.map_err(ApiError::from) };
    let (found, templates) = tokio::try_join!(load, app.templates(tenant))?;
    let (order, tickets) = found.filter(|(order, _)| is_readable(order)).ok_or_else(not_found)?;
    Ok(Json(WillCallOrderView::new(&order, &tickets, &templates, staff.tenant.zone)))
}
