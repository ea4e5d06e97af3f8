//! `GET /v2/b2c/orders/{id}` and `GET /v2/b2b/orders/detail/{orderId}`.

use axum::Json;
use axum::extract::{Path, State};
use domain::OrderId;
use domain::order::Order;
use platform::access::{Caller, Staff, StorefrontServer};
use platform::{ApiError, App, ErrorBody, ErrorType};
use wire::order::{OrderMailView, OrderView, StaffOrderView};

/// Read an order for the storefront that sold it
///
/// By its id; `GET /v2/b2c/orders/search` finds those of a contact.
#[utoipa::path(
    get,
    path = "/v2/b2c/orders/{id}",
    tag = "Orders",
    params(("id" = String, Path, description = "The order")),
    responses(
        (status = 200, description = "The order", body = OrderView),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
    ),
)]
pub(crate) async fn of_storefront(
    State(app): State<App>,
    server: StorefrontServer,
    Path(id): Path<String>,
) -> Result<Json<OrderView>, ApiError> {
    let order = paid_order(&app, &server, &id).await?;
    Ok(Json(OrderView::new(&order, server.tenant.zone)))
}

/// Read an order for the back office
///
/// Whoever sold it, with its payments, refunds and exchanges.
#[utoipa::path(
    get,
    path = "/v2/b2b/orders/detail/{orderId}",
    tag = "Orders",
    params(("orderId" = String, Path, description = "The order")),
    responses(
        (status = 200, description = "The order, and where its mails stand", body = StaffOrderView),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
    ),
)]
pub(crate) async fn detail(
    State(app): State<App>,
    staff: Staff,
    Path(id): Path<String>,
) -> Result<Json<StaffOrderView>, ApiError> {
    let (tenant, zone) = (staff.tenant.id, staff.tenant.zone);
    let found = app.store.load_order_with_mails(tenant, &order_id(&id)?).await?;
    let (order, mails) = found.filter(|(order, _)| is_readable(order)).ok_or_else(not_found)?;
    let order = OrderView::for_staff(&order, zone);
    Ok(Json(StaffOrderView { order, mails: OrderMailView::all_of(mails, zone) }))
}

async fn paid_order(app: &App, caller: &Caller, id: &str) -> Result<Order, ApiError> {
    let order = app.store.load_order(caller.tenant.id, &order_id(id)?).await?;
    order.filter(is_readable).ok_or_else(not_found)
}

/// The id in a path. Text that is no id names nothing.
pub(crate) fn order_id(text: &str) -> Result<OrderId, ApiError> {
    OrderId::parse(text).map_err(|_| not_found())
}

/// Money and order are there.
pub(crate) fn is_readable(order: &Order) -> bool {
    order.paid_at().is_some()
}

pub(crate) fn not_found() -> ApiError {
    ApiError::new(ErrorType::NotFound).message("There is no such order")
}
