//! `GET /v2/b2b/orders/search`.

use crate::answer::fitting;
use crate::find::{FoundOrders, find, of_barcode};
use crate::wanted::{StaffSearchQuery, WantedOrders};
use adapters::App;
use adapters::rate_limit::count_search;
use axum::Json;
use axum::extract::{Query, State};
use domain::TenantId;
use store::StoreError;
use web::access::DoorStaff;
use web::paging::PageQuery;
use web::{ApiError, ErrorBody};
use wire::order::{FoundOrderView, FoundOrdersView, FoundPaginationView, OrderInShortView, OrderView};

/// Find orders
///
/// By number, barcode, e-mail address, phone number, event, name or day; the other parameters narrow down what these
/// find. Without one of them, nothing is found. Only paid orders are; of more than 1,000 the newest 1,000, but by event
/// all. They are sorted by `createdOn` or `orderNumber`, the newest first unless asked otherwise. A key of a door sees
/// them in short, with their tickets, and does not narrow down by what it is not shown: `lastFour`, `membershipId`,
/// `customerId` and `refundStatus`.
#[utoipa::path(
    get,
    path = "/v2/b2b/orders/search",
    tag = "Orders",
    params(StaffSearchQuery, PageQuery),
    responses(
        (status = 200, description = "The orders found", body = FoundOrdersView),
        (status = 400, description = "`VALIDATION_ERROR`: every parameter at fault; `RESPONSE_TOO_LARGE`: request fewer at once", body = ErrorBody),
        (status = 403, description = "`FORBIDDEN`: to a key of a door `details` names the parameters that it may not send", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many searches by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn search(
    State(app): State<App>,
    staff: DoorStaff,
    Query(query): Query<StaffSearchQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<FoundOrdersView>, ApiError> {
    let (tenant, zone) = (staff.tenant.id, staff.tenant.zone);
    if staff.is_door() {
        query.check_door()?;
    }
    let wanted = query.read(&page, zone)?;
    let (allowed, found) =
        tokio::join!(count_search(&app, staff.client()), wanted_orders(&app, tenant, &wanted));
    allowed?;
    let FoundOrders { orders, truncated } = found?;
    let (orders, page) = wanted.paging.cut(orders);
    let pagination = FoundPaginationView { page, truncated };
    let list: Vec<FoundOrderView> = if staff.is_door() {
        let tickets = app.store.load_tickets_of(&orders).await?;
        let short = orders.iter().map(|order| {
            let tickets = tickets.get(&order.id).map(Vec::as_slice).unwrap_or_default();
            FoundOrderView::Short(OrderInShortView::new(order, tickets, zone))
        });
        short.collect()
    } else {
        let whole = orders.iter().map(|order| OrderView::listed_for_staff(order, zone));
        whole.map(|order| FoundOrderView::Whole(Box::new(order))).collect()
    };
    Ok(Json(FoundOrdersView { list: fitting(list)?, pagination }))
}

/// What is found and wanted.
async fn wanted_orders(
    app: &App,
    tenant: TenantId,
    wanted: &WantedOrders,
) -> Result<FoundOrders, StoreError> {
    let Some(lead) = &wanted.lead else { return Ok(FoundOrders::default()) };
    let own = async {
        match &wanted.barcode {
            Some(barcode) => of_barcode(app, tenant, barcode).await.map(Some),
            None => Ok(None),
        }
    };
    let (mut found, own) = tokio::try_join!(find(app, tenant, lead), own)?;
    if let Some(own) = own {
        let own = own.map(|order| order.id);
        found.orders.retain(|order| own.as_ref() == Some(&order.id));
    }
    found.orders.retain(|order| wanted.wants(order));
    Ok(found)
}
