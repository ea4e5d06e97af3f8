//! `GET /v2/b2b/willcall/orders/{orderId}`.

use crate::named::named_order;
use crate::read::{is_readable, not_found};
use adapters::App;
use axum::Json;
use axum::extract::{Path, State};
use domain::OrderId;
use web::access::CounterStaff;
use web::{ApiError, ErrorBody};
use wire::willcall::WillCallOrderView;

/// Read an order with its tickets and their barcodes
///
/// By its id or its number. For counters and gates; what was refunded or exchanged is marked.
#[utoipa::path(
    get,
    path = "/v2/b2b/willcall/orders/{orderId}",
    tag = "Orders",
    params(("orderId" = String, Path, description = "The order, by its id or its number")),
    responses(
        (status = 200, description = "The order with its tickets", body = WillCallOrderView),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
    ),
)]
pub(crate) async fn read(
    State(app): State<App>,
    staff: CounterStaff,
    Path(id): Path<String>,
) -> Result<Json<WillCallOrderView>, ApiError> {
    let (tenant, store) = (staff.tenant.id, &app.store);
    let load = |id: OrderId| async move { store.load_order_with_tickets(tenant, &id).await };
    let load = named_order(store, tenant, &id, load);
    let (found, templates) = tokio::try_join!(load, app.templates(tenant))?;
    let (order, tickets) = found.filter(|(order, _)| is_readable(order)).ok_or_else(not_found)?;
    Ok(Json(WillCallOrderView::new(&order, &tickets, &templates, staff.tenant.zone)))
}
