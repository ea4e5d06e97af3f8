//! `/v2/b2b/customers`: who bought something or holds a card (spec §2.8 rule 3).

use adapters::App;
use axum::Json;
use axum::extract::{Path, Query, State};
use domain::CustomerId;
use domain::customer::Customer;
use domain::number::whole_number;

use serde::Deserialize;
use utoipa::IntoParams;
use web::access::Staff;
use web::authored::not_found;
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use web::query::QueryReader;
use web::routes;
use web::routes::Routes;
use web::{ApiError, ErrorBody, ErrorType};
use wire::member::CustomerView;
use wire::page::Page;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(find)).routes(routes!(read))
}

/// Who is looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CustomerQuery {
    /// An e-mail address, in any case.
    #[param(required = true)]
    email: Option<String>,
}

static SORTING: Sorting<Customer> = Sorting {
    fields: &[SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) }],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

/// Find customers by e-mail address
///
/// At most 100 of them.
#[utoipa::path(
    get,
    path = "/v2/b2b/customers",
    tag = "Memberships",
    params(CustomerQuery, PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<CustomerView>),
        (status = 400, description = "`VALIDATION_ERROR`: `email` was not sent, or a page or order that does not exist", body = ErrorBody),
    ),
)]
async fn find(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<CustomerQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<CustomerView>>, ApiError> {
    let mut reader = QueryReader::new();
    let sent = reader.required_email("email", query.email.as_deref());
    let paging = Paging::read(&mut reader, &page, &SORTING);
    let (Some(sent), Some(paging)) = reader.finish((sent, paging))? else {
        return Err(ApiError::new(ErrorType::Internal));
    };
    let (page, pagination) = paging.cut(app.store.find_customers(staff.tenant.id, &sent).await?);
    page_of(page.into_iter().map(CustomerView::from).collect(), pagination)
}

/// Read a customer
///
/// Names and contact data as the last order or membership left them.
#[utoipa::path(
    get,
    path = "/v2/b2b/customers/{id}",
    tag = "Memberships",
    params(("id" = String, Path, description = "The customer, as orders and member list entries name it")),
    responses(
        (status = 200, description = "It", body = CustomerView),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn read(
    State(app): State<App>,
    staff: Staff,
    Path(id): Path<String>,
) -> Result<Json<CustomerView>, ApiError> {
    let id = whole_number(&id).and_then(|id| CustomerId::parse(id).ok()).ok_or_else(not_found)?;
    let found = app.store.load_customers(staff.tenant.id, &[id]).await?;
    let found = found.into_iter().flatten().next().ok_or_else(not_found)?;
    Ok(Json(CustomerView::from(found.value)))
}
