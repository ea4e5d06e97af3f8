//! `GET /v2/b2c/forms/responses` and `GET /v2/b2c/forms/responses/{id}`: what visitors answered to forms.

use crate::answer::{Format, file, file_name, fitting};
use crate::named::Named;
use crate::range::{RangeParameters, days_secs};
use crate::read::is_readable;
use adapters::App;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::form::Form;
use domain::listing::Range;
use domain::order::{FormResponse, Order, OrderForm};
use domain::time::plus_secs;
use domain::{FormId, FormResponseId, InstanceId, OrderId, OrderNumber, TenantId, Timestamp};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use store::find::ResponseRange;
use web::access::{Caller, CounterStaff};
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting};
use web::query::QueryReader;
use web::{ApiError, ErrorBody, ErrorType};
use wire::csv::csv;
use wire::order::{AnsweredFormView, RESPONSE_COLUMNS};
use wire::page::Page;

/// Days that are listed unless asked otherwise.
const USUAL_DAYS: i64 = 90;
/// When answers were sent.
const SENT: RangeParameters = RangeParameters { from: "startTime", until: "endTime", max_days: 366 };
/// Answered forms that one list looks through.
const MAX_RESPONSES: usize = 10_000;

/// Which answered forms are listed.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ResponsesQuery {
    /// Those of this form.
    form_id: Option<String>,
    /// Those for this event instance.
    event_id: Option<String>,
    /// Those of the order with this number.
    order_number: Option<String>,
    /// The first instant of submission; by default 90 days before the last.
    start_time: Option<String>,
    /// The last one; by default now. 366 days at most.
    end_time: Option<String>,
    /// `json` (default), or with `formId` also `csv`: a file of all, a column for each field.
    format: Option<String>,
}

/// An answered form with what it is sorted by.
#[derive(Debug)]
struct Row {
    sent_at: Timestamp,
    view: AnsweredFormView,
}

/// The latest first.
static SORTING: Sorting<Row> = Sorting {
    fields: &[SortField { name: "submissionDate", compare: |one, other| one.sent_at.cmp(&other.sent_at) }],
    direction: Direction::Descending,
    last: |one, other| one.view.id.cmp(&other.view.id),
};

/// What is wanted.
struct WantedResponses {
    range: ResponseRange,
    /// The order whose answers they are, where only one is asked for.
    order: Option<Named<OrderNumber>>,
    format: Format,
    paging: Paging<Row>,
}

impl ResponsesQuery {
    fn read(&self, page: PageQuery, caller: &Caller) -> Result<WantedResponses, ApiError> {
        let mut reader = QueryReader::new();
        let form = |text: &str| FormId::parse(text).ok();
        let form = reader.optional("formId", self.form_id.as_deref(), form, "an id");
        let event = |text: &str| InstanceId::parse(text).ok();
        let event = reader.optional("eventId", self.event_id.as_deref(), event, "an id");
        let order = |text: &str| Named::of(OrderNumber::parse(text));
        let order = reader.optional("orderNumber", self.order_number.as_deref(), order, "text");
        let sent = self.sent(&mut reader, caller);
        let format = reader.optional("format", self.format.as_deref(), Format::parse, "json or csv");
        let format = format.unwrap_or(Format::Json);
        if format == Format::Csv && self.form_id.is_none() {
            reader.fault("formId", "is required for format=csv");
        }
        let paging = Paging::read(&mut reader, &format.pages(page), &SORTING);
        let paging = reader.finish(paging)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        let range = ResponseRange { sent, form, event };
        Ok(WantedResponses { range, order, format, paging })
    }

    fn sent(&self, reader: &mut QueryReader, caller: &Caller) -> Range {
        let (zone, now) = (caller.tenant.zone, caller.clock.now());
        let until = reader.instant("endTime", self.end_time.as_deref(), zone).unwrap_or(now);
        let from = reader.instant("startTime", self.start_time.as_deref(), zone);
        let usual = plus_secs(until, days_secs(USUAL_DAYS).saturating_neg());
        let range = Range { from: from.unwrap_or(usual), until };
        SENT.check(reader, range);
        range
    }
}

/// List what visitors answered to forms
///
/// An entry for each form and event, the latest first, of paid orders alone. With `format=csv` and `formId` a file for
/// spreadsheets.
#[utoipa::path(
    get,
    path = "/v2/b2c/forms/responses",
    tag = "Orders",
    params(ResponsesQuery, PageQuery),
    responses(
        (status = 200, description = "A page of them, or the file", content(
            (Page<AnsweredFormView> = "application/json"),
            (String = "text/csv"),
        )),
        (status = 400, description = "`VALIDATION_ERROR`; `RESPONSE_TOO_LARGE`: ask for a shorter range or for pages", body = ErrorBody),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    staff: CounterStaff,
    Query(query): Query<ResponsesQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Response, ApiError> {
    let WantedResponses { range, order, format, paging } = query.read(page, &staff)?;
    let tenant = staff.tenant.id;
    let definitions = async { app.definitions(tenant).await.map_err(ApiError::from) };
    let (orders, definitions) =
        tokio::try_join!(orders_of(&app, tenant, &range, order.as_ref()), definitions)?;
    let rows = orders.iter().filter(|order| is_readable(order)).flat_map(|order| {
        let all = answered(order).filter(|one| one.is_wanted(&range));
        all.map(|one| one.row(&staff, &definitions.forms)).collect::<Vec<_>>()
    });
    let (rows, pagination) = paging.cut(rows.collect());
    let list: Vec<AnsweredFormView> = rows.into_iter().map(|row| row.view).collect();
    match format {
        Format::Json => Ok(Json(Page { list: fitting(list)?, pagination }).into_response()),
        Format::Csv => {
            let fields = fields_of(&list);
            let columns = RESPONSE_COLUMNS.into_iter().chain(fields.iter().map(String::as_str));
            let columns: Vec<&str> = columns.collect();
            let form = range.form.as_ref().and_then(|form| definitions.forms.get(form));
            let form = form.map(|form| form.name.as_str());
            let form = form.or_else(|| list.first().map(|view| view.name.as_str())).unwrap_or_default();
            let days = [range.sent.from, range.sent.until];
            let [from, until] = days.map(|at| staff.tenant.zone.date(at).to_string());
            let name = file_name(&["responses", form, &from, &until]);
            file(&name, csv(&columns, list.iter().map(|view| view.cells(&fields))))
        }
    }
}

/// Read what a visitor answered to a form
///
/// For one event of a paid order; labels are those of the form as it is now.
#[utoipa::path(
    get,
    path = "/v2/b2c/forms/responses/{id}",
    tag = "Orders",
    params(("id" = String, Path, description = "The answered form")),
    responses(
        (status = 200, description = "The answers", body = AnsweredFormView),
        (status = 404, description = "`NOT_FOUND`: unknown, or its order is not paid", body = ErrorBody),
    ),
)]
pub(crate) async fn read(
    State(app): State<App>,
    staff: CounterStaff,
    Path(id): Path<String>,
) -> Result<Json<AnsweredFormView>, ApiError> {
    let unknown = || ApiError::new(ErrorType::NotFound).message("There is no such form response");
    let id = FormResponseId::parse(&id).map_err(|_| unknown())?;
    let tenant = staff.tenant.id;
    let orders = async {
        let ids = app.store.find_orders_of_response(tenant, &id).await?;
        app.store.load_orders(tenant, &ids).await
    };
    let (orders, definitions) = tokio::try_join!(orders, app.definitions(tenant))?;
    let order = orders.iter().find(|order| is_readable(order)).ok_or_else(unknown)?;
    let found = answered(order).find(|one| one.response.id == id).ok_or_else(unknown)?;
    Ok(Json(found.row(&staff, &definitions.forms).view))
}

/// The orders that may have answers that are wanted.
async fn orders_of(
    app: &App,
    tenant: TenantId,
    range: &ResponseRange,
    order: Option<&Named<OrderNumber>>,
) -> Result<Vec<Order>, ApiError> {
    let number = match order {
        None => return of_range(app, tenant, range).await,
        Some(Named::Nothing) => return Ok(Vec::new()),
        Some(Named::This(number)) => number,
    };
    let Some(id) = app.store.find_order_of_number(tenant, number).await? else { return Ok(Vec::new()) };
    Ok(app.store.load_order(tenant, &id).await?.into_iter().collect())
}

async fn of_range(app: &App, tenant: TenantId, range: &ResponseRange) -> Result<Vec<Order>, ApiError> {
    let hits = app.store.find_responses(tenant, range).await?;
    if hits.len() > MAX_RESPONSES {
        let message = "There are too many of these for one answer; ask for a shorter range";
        return Err(ApiError::new(ErrorType::ResponseTooLarge).message(message));
    }
    let ids: BTreeSet<OrderId> = hits.into_iter().map(|hit| hit.order).collect();
    Ok(app.store.load_orders(tenant, &ids).await?)
}

/// The answers of an order to a form, for one event.
struct Answered<'a> {
    order: &'a Order,
    form: &'a OrderForm,
    response: &'a FormResponse,
}

fn answered(order: &Order) -> impl Iterator<Item = Answered<'_>> {
    order
        .forms
        .iter()
        .flat_map(move |form| form.responses.iter().map(move |response| Answered { order, form, response }))
}

impl Answered<'_> {
    fn is_wanted(&self, ResponseRange { sent, form, event }: &ResponseRange) -> bool {
        let sent_at = self.order.created_at;
        sent.overlaps(sent_at, Some(sent_at))
            && form.as_ref().is_none_or(|wanted| self.form.form == *wanted)
            && event.is_none_or(|wanted| self.response.event == wanted)
    }

    fn row(&self, caller: &Caller, forms: &BTreeMap<FormId, Form>) -> Row {
        let Self { order, form, response } = self;
        let current = forms.get(&form.form);
        let view = AnsweredFormView::new(order, form, response, current, caller.tenant.zone);
        Row { sent_at: order.created_at, view }
    }
}

/// The names of all fields that were answered, each once.
fn fields_of(list: &[AnsweredFormView]) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    for field in list.iter().flat_map(|view| &view.response_data.fields) {
        if !fields.contains(&field.answer.name) {
            fields.push(field.answer.name.clone());
        }
    }
    fields
}
