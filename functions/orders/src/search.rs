//! `GET /v2/b2c/orders/search`.

use crate::read::is_readable;
use crate::sorting::SORTING;
use axum::Json;
use axum::extract::{Query, State};
use domain::compare::phone_digits;
use domain::order::Order;
use platform::access::{Caller, StorefrontServer};
use platform::paging::{PageQuery, Paging};
use platform::query::email;
use platform::{ApiError, App, ErrorBody, ErrorType};
use serde::Deserialize;
use store::order::Contact;
use wire::order::{OrderListView, OrderView};

/// What is searched for.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchQuery {
    /// The e-mail address of contact or payer, in any case.
    email: Option<String>,
    /// The phone number of contact or payer; only its digits count.
    phone_number: Option<String>,
}

/// Lines one answer carries at most, so that it stays below the 6 MB of a Lambda's answer (contract §1): a
/// line takes up to 4 KB where a donor filled in everything, and seldom more than 700 bytes.
const MAX_LINES: usize = 4_000;

/// Find the orders of a contact
///
/// By e-mail address, by phone number, or by both at once. Without either,
/// nothing is found. They are sorted by `createdOn` or `orderNumber`, the newest first unless asked otherwise.
#[utoipa::path(
    get,
    path = "/v2/b2c/orders/search",
    tag = "Orders",
    params(SearchQuery, PageQuery),
    responses(
        (status = 200, description = "The orders found", body = OrderListView),
        (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = ErrorBody),
    ),
)]
pub(crate) async fn search(
    State(app): State<App>,
    server: StorefrontServer,
    Query(query): Query<SearchQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<OrderListView>, ApiError> {
    let paging = Paging::parse(&page, &SORTING)?;
    let found = find(&app, &server, &query).await?;
    let (page, pagination) = paging.cut(found);
    if page.iter().map(|order| order.lines.len()).sum::<usize>() > MAX_LINES {
        let message = "is too large for these orders; request fewer at once";
        return Err(ApiError::new(ErrorType::ValidationError).detail("pageSize", message));
    }
    // What visitors answered to forms can be long, and is shown with the single order.
    let in_short = |order| OrderView { forms: None, ..OrderView::new(order, server.tenant.zone) };
    let list = page.iter().map(in_short).collect();
    Ok(Json(OrderListView { list, pagination }))
}

async fn find(app: &App, caller: &Caller, query: &SearchQuery) -> Result<Vec<Order>, ApiError> {
    let email = email(query.email.as_deref());
    let phone = query.phone_number.as_deref().map(phone_digits).filter(|digits| !digits.is_empty());
    let contact = match (&email, &phone) {
        (Some(email), _) => Contact::Email(email),
        (None, Some(phone)) => Contact::Phone(phone),
        (None, None) => return Ok(Vec::new()),
    };
    let mut found = app.store.find_orders(caller.tenant.id, contact).await?;
    found.retain(|order| is_readable(order) && phone.as_deref().is_none_or(|phone| has_phone(order, phone)));
    Ok(found)
}

fn has_phone(order: &Order, digits: &str) -> bool {
    let numbers = [&order.contact.phone_number, &order.billing.phone_number];
    numbers.into_iter().flatten().any(|number| phone_digits(number) == digits)
}
