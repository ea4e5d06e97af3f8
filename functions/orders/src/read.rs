//! `GET /v2/b2c/orders/{id}` and `GET /v2/b2b/orders/detail/{orderId}`.

use crate::named::named_order;
use adapters::App;
use axum::Json;
use axum::extract::{Path, State};
use domain::OrderId;
use domain::order::Order;
use web::access::{Caller, CounterStaff, StorefrontServer};
use web::idempotency::Tagged;
use web::{ApiError, ErrorBody, ErrorType};
use wire::order::{DisputeView, FailedRefundView, OrderEditView, OrderMailView, OrderView, StaffOrderView};

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
/// By its id or its number, whoever sold it, with its payments, refunds and exchanges.
#[utoipa::path(
    get,
    path = "/v2/b2b/orders/detail/{orderId}",
    tag = "Orders",
    params(("orderId" = String, Path, description = "The order, by its id or its number")),
    responses(
        (status = 200, description = "The order, where its mails stand and what staff put right; its `ETag` is that of its contacts", body = StaffOrderView),
        (status = 404, description = "`NOT_FOUND`: unknown or not paid", body = ErrorBody),
    ),
)]
pub(crate) async fn detail(
    State(app): State<App>,
    staff: CounterStaff,
    Path(id): Path<String>,
) -> Result<Tagged<StaffOrderView>, ApiError> {
    let (tenant, zone, store) = (staff.tenant.id, staff.tenant.zone, &app.store);
    let load = |id: OrderId| async move { store.load_order_with_mails(tenant, &id).await };
    let found = named_order(store, tenant, &id, load).await?;
    let (order, mails) = found.filter(|(order, _)| is_readable(order)).ok_or_else(not_found)?;
    let (mails, edits) = (OrderMailView::all_of(mails, zone), OrderEditView::all_of(&order, zone));
    let revision = Some(order.contacts().revision());
    let disputed = order.dispute.as_ref().map(|dispute| DisputeView::new(dispute, zone));
    let failed_refunds = FailedRefundView::all(&order, zone);
    let order = OrderView::for_staff(&order, zone);
    Ok(Tagged { body: StaffOrderView { order, mails, edits, disputed, failed_refunds }, revision })
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
