//! `GET /v2/b2c/orders/search` and `GET /v2/b2c/orders`.

use crate::answer::fitting;
use crate::named::Named;
use crate::read::is_readable;
use crate::sorting::SORTING;
use adapters::App;
use axum::Json;
use axum::extract::{Query, State};
use domain::OrderNumber;
use domain::compare::phone_digits;
use domain::order::Order;
use domain::order::search::OrderFilter;
use serde::Deserialize;
use store::order::ContactDetail;
use web::access::{Caller, StorefrontServer};
use web::paging::{PageQuery, Paging};
use web::query::QueryReader;
use web::{ApiError, ErrorBody, ErrorType};
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
    /// Only the order with this number. It finds nothing by itself: whoever knows a number need not be its buyer.
    order_number: Option<String>,
}

/// Whose orders are listed.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// The e-mail address of contact or payer, in any case.
    email: Option<String>,
    /// The phone number of contact or payer; only its digits count.
    phone_number: Option<String>,
    /// Only those of this visitor.
    visitor_id: Option<String>,
    /// Only those of this visitor, who has no account.
    temp_visitor_id: Option<String>,
}

/// Lines one answer carries at most, so that it stays below the 6 MB of a Lambda's answer (contract §1): a
/// line takes up to 4 KB where a donor filled in everything, and seldom more than 700 bytes.
const MAX_LINES: usize = 4_000;

/// Find the orders of a contact
///
/// By e-mail address, by phone number, or by both at once; with a number as well, the one order. Without address and
/// phone number, nothing is found. They are sorted by `createdOn` or `orderNumber`, the newest first unless asked otherwise.
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
    let mut reader = QueryReader::new();
    let contact = Contact::read(&mut reader, query.email.as_deref(), query.phone_number.as_deref());
    let number = |text: &str| Named::of(OrderNumber::parse(text));
    let number = reader.optional("orderNumber", query.order_number.as_deref(), number, "text");
    let paging = Paging::read(&mut reader, &page, &SORTING);
    let paging = reader.finish(paging)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    let found = match number {
        Some(Named::Nothing) => Vec::new(),
        Some(Named::This(number)) => {
            let of_number = OrderFilter { number: Some(number), ..OrderFilter::default() };
            contact.orders(&app, &server, &of_number).await?
        }
        None => contact.orders(&app, &server, &OrderFilter::default()).await?,
    };
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

/// List the orders of a contact
///
/// By e-mail address or phone number, the newest first. Without either, nothing is found.
#[utoipa::path(
    get,
    path = "/v2/b2c/orders",
    tag = "Orders",
    params(ListQuery),
    responses(
        (status = 200, description = "The orders found, 1,000 at most", body = Vec<OrderView>),
        (status = 400, description = "`VALIDATION_ERROR`; `RESPONSE_TOO_LARGE`", body = ErrorBody),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    server: StorefrontServer,
    Query(query): Query<ListQuery>,
) -> Result<Json<Vec<OrderView>>, ApiError> {
    let mut reader = QueryReader::new();
    let contact = Contact::read(&mut reader, query.email.as_deref(), query.phone_number.as_deref());
    let visitor = reader.text("visitorId", query.visitor_id.as_deref());
    let nameless = reader.text("tempVisitorId", query.temp_visitor_id.as_deref());
    reader.finish(())?;
    let mut found = contact.orders(&app, &server, &OrderFilter::default()).await?;
    let is_of = |order: &Order| [&visitor, &nameless].into_iter().flatten().all(|one| order.visitor == *one);
    found.retain(is_of);
    found.truncate(MOST_LISTED);
    let views =
        found.iter().map(|order| OrderView { forms: None, ..OrderView::new(order, server.tenant.zone) });
    Ok(Json(fitting(views.collect())?))
}

/// Orders a list has at most.
const MOST_LISTED: usize = 1_000;

/// Who ordered or paid.
pub(crate) struct Contact {
    pub(crate) email: Option<String>,
    /// Its digits.
    pub(crate) phone: Option<String>,
}

impl Contact {
    pub(crate) fn read(reader: &mut QueryReader, email: Option<&str>, phone: Option<&str>) -> Self {
        let email = reader.email("email", email);
        let digits = |text: &str| Some(phone_digits(text)).filter(|digits| !digits.is_empty());
        Self { email, phone: reader.optional("phoneNumber", phone, digits, "a phone number") }
    }

    /// The paid orders of it, however many they are, the newest first.
    async fn orders(self, app: &App, caller: &Caller, filter: &OrderFilter) -> Result<Vec<Order>, ApiError> {
        let filter = OrderFilter { phone: self.phone.clone(), ..filter.clone() };
        let contact = match (&self.email, &self.phone) {
            (Some(email), _) => ContactDetail::Email(email),
            (None, Some(phone)) => ContactDetail::Phone(phone),
            (None, None) => return Ok(Vec::new()),
        };
        let mut found = app.store.find_orders(caller.tenant.id, contact).await?;
        found.retain(|order| is_readable(order) && filter.wants(order));
        Ok(found)
    }
}
