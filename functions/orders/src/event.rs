//! `GET /v2/b2c/orders/event/{eventId}` and the same below `/v2/b2b/`.

use crate::answer::fitting;
use crate::find::of_event;
use crate::read::is_readable;
use crate::sorting::SORTING;
use adapters::App;
use adapters::rate_limit::count_search;
use axum::Json;
use axum::extract::{Path, Query, State};
use domain::InstanceId;
use domain::order::Order;
use serde::Deserialize;
use store::Consistency;
use web::access::{Caller, CounterStaff};
use web::paging::{PageQuery, Paging};
use web::{ApiError, ErrorBody, ErrorType};
use wire::order::OrderView;

/// Which of the orders are wanted.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct EventOrdersQuery {
    /// Number of the page; default 1.
    page: Option<String>,
    /// Orders on a page; all by default, and for -1.
    page_size: Option<String>,
}

/// List the orders of an event
///
/// Those that have or had tickets for the instance, by `createdOn`.
#[utoipa::path(
    get,
    path = "/v2/b2c/orders/event/{eventId}",
    tag = "Orders",
    params(("eventId" = String, Path, description = "The event instance"), EventOrdersQuery),
    responses(
        (status = 200, description = "The orders", body = Vec<OrderView>),
        (status = 400, description = "`VALIDATION_ERROR`; `RESPONSE_TOO_LARGE`: request pages", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: no such instance", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many searches by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn for_counter(
    State(app): State<App>,
    staff: CounterStaff,
    Path(event): Path<String>,
    Query(query): Query<EventOrdersQuery>,
) -> Result<Json<Vec<OrderView>>, ApiError> {
    list(&app, &staff, &event, query).await
}

/// List the orders of an event for the back office
///
/// Those that have or had tickets for the instance, by `createdOn`.
#[utoipa::path(
    get,
    path = "/v2/b2b/orders/event/{eventId}",
    tag = "Orders",
    params(("eventId" = String, Path, description = "The event instance"), EventOrdersQuery),
    responses(
        (status = 200, description = "The orders", body = Vec<OrderView>),
        (status = 400, description = "`VALIDATION_ERROR`; `RESPONSE_TOO_LARGE`: request pages", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: no such instance", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many searches by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn for_staff(
    State(app): State<App>,
    staff: CounterStaff,
    Path(event): Path<String>,
    Query(query): Query<EventOrdersQuery>,
) -> Result<Json<Vec<OrderView>>, ApiError> {
    list(&app, &staff, &event, query).await
}

async fn list(
    app: &App,
    caller: &Caller,
    event: &str,
    EventOrdersQuery { page, page_size }: EventOrdersQuery,
) -> Result<Json<Vec<OrderView>>, ApiError> {
    let page_size = page_size.or_else(|| page.is_none().then(|| "-1".to_owned()));
    let sort_direction = Some("asc".to_owned());
    let query = PageQuery { page, page_size, sort_field: None, sort_direction };
    let paging = Paging::parse(&query, &SORTING)?;
    let (_, orders) = of_instance(app, caller, event).await?;
    let (orders, _) = paging.cut(orders);
    let views = orders.iter().map(|order| OrderView::listed_for_staff(order, caller.tenant.zone));
    Ok(Json(fitting(views.collect())?))
}

/// The paid orders of an instance that there is.
///
/// # Errors
/// `NOT_FOUND` where there is no such instance, `THROTTLED`.
pub(crate) async fn of_instance(
    app: &App,
    caller: &Caller,
    event: &str,
) -> Result<(InstanceId, Vec<Order>), ApiError> {
    let unknown = || ApiError::new(ErrorType::NotFound).message("There is no such event");
    let event = InstanceId::parse(event).map_err(|_| unknown())?;
    let tenant = caller.tenant.id;
    let found = async {
        let ledger = app.store.load_ledger(tenant, &event, Consistency::Eventual);
        tokio::try_join!(ledger, of_event(app, tenant, &event))
    };
    let (allowed, found) = tokio::join!(count_search(app, caller.client()), found);
    allowed?;
    let (ledger, mut orders) = found?;
    if ledger.is_none() {
        return Err(unknown());
    }
    orders.retain(is_readable);
    Ok((event, orders))
}
