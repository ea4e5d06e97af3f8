//! `GET /v2/b2b/event/instances/{id}/manifest`.

use crate::answer::{Format, file, fitting};
use crate::event::of_instance;
use adapters::App;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::Timestamp;
use domain::compare::comparable;
use domain::order::Order;
use domain::order::search::TicketsLeft;
use serde::Deserialize;
use web::access::{Caller, DoorStaff};
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting};
use web::query::QueryReader;
use web::{ApiError, ErrorBody, ErrorType};
use wire::csv::csv;
use wire::order::{MANIFEST_COLUMNS, ManifestRowView};
use wire::page::Page;

/// As what the manifest is sent.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ManifestQuery {
    /// `json` (default), or `csv`: a file of all rows.
    format: Option<String>,
}

/// A row with what it is sorted by.
#[derive(Debug)]
struct Row {
    last_name: String,
    created_at: Timestamp,
    view: ManifestRowView,
}

/// By last name unless asked otherwise.
static SORTING: Sorting<Row> = Sorting {
    fields: &[
        SortField { name: "lastName", compare: |one, other| one.last_name.cmp(&other.last_name) },
        SortField {
            name: "orderNumber",
            compare: |one, other| one.view.order_number.cmp(&other.view.order_number),
        },
        SortField { name: "createdOn", compare: |one, other| one.created_at.cmp(&other.created_at) },
    ],
    direction: Direction::Ascending,
    last: |one, other| {
        let id = |row: &Row| (row.view.order_id.clone(), row.view.order_item_id.clone());
        id(one).cmp(&id(other))
    },
};

/// List who comes to an event
///
/// A row for each item with tickets left, sorted by `lastName`, `orderNumber` or `createdOn`. A key of a door sees no
/// remarks and no answers to forms. With `format=csv` the rows are a file for spreadsheets, all of them.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/instances/{id}/manifest",
    tag = "Orders",
    params(("id" = String, Path, description = "The event instance"), ManifestQuery, PageQuery),
    responses(
        (status = 200, description = "A page of rows, or the file", content(
            (Page<ManifestRowView> = "application/json"),
            (String = "text/csv"),
        )),
        (status = 400, description = "`VALIDATION_ERROR`; `RESPONSE_TOO_LARGE`: request fewer at once", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: no such instance", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many searches by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn read(
    State(app): State<App>,
    staff: DoorStaff,
    Path(event): Path<String>,
    Query(query): Query<ManifestQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Response, ApiError> {
    let mut reader = QueryReader::new();
    let format = reader.optional("format", query.format.as_deref(), Format::parse, "json or csv");
    let format = format.unwrap_or(Format::Json);
    let paging = Paging::read(&mut reader, &format.pages(page), &SORTING);
    let paging = reader.finish(paging)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    let (event, orders) = of_instance(&app, &staff, &event).await?;
    let rows = orders.iter().flat_map(|order| {
        let left = order.tickets_left().filter(|row| row.line.instance == event && row.left.quantity > 0);
        left.map(|row| view(&staff, order, &row)).collect::<Vec<_>>()
    });
    let (rows, pagination) = paging.cut(rows.collect());
    let views: Vec<ManifestRowView> = rows.into_iter().map(|row| row.view).collect();
    match format {
        Format::Json => Ok(Json(Page { list: fitting(views)?, pagination }).into_response()),
        Format::Csv => {
            let text = csv(&MANIFEST_COLUMNS, views.iter().map(ManifestRowView::cells));
            file(&format!("manifest_{event}"), text)
        }
    }
}

fn view(caller: &Caller, order: &Order, row: &TicketsLeft<'_>) -> Row {
    let zone = caller.tenant.zone;
    Row {
        last_name: comparable(order.contact.last_name.as_deref().unwrap_or_default()),
        created_at: order.created_at,
        view: match caller.is_door() {
            true => ManifestRowView::for_door(order, row, zone),
            false => ManifestRowView::new(order, row, zone),
        },
    }
}
