//! `/v2/b2b/event/templates/{id}/instances`: the dated slots of a template, as the back office sees them.

use crate::view::{SHOWN_WITH, view};
use adapters::App;
use adapters::slot_summary::Reaching;
use axum::Json;
use axum::extract::{Path, Query, State};
use domain::TemplateId;
use domain::catalog::Template;
use domain::ledger::Ledger;
use serde::Deserialize;
use store::{Consistency, Placed};
use utoipa::IntoParams;
use web::access::Staff;
use web::authored::not_found;
use web::catalog::Catalog;
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use web::query::QueryReader;
use web::routes;
use web::routes::Routes;
use web::slots::{counts, ledgers};
use web::{ApiError, ErrorBody};
use wire::event::{AuthoredInstance, AuthoredSlot};
use wire::page::Page;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(list))
}

/// The stretch of time asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct RangeQuery {
    /// ISO 8601; 12:00 am today unless it is given. An instant without offset is local time of the tenant.
    start_time: Option<String>,
    /// ISO 8601; 11:59 pm on the day of `startTime` unless it is given.
    end_time: Option<String>,
}

static SORTING: Sorting<Ledger> = Sorting {
    fields: &[SortField { name: "startTime", compare: |one, other| one.start.cmp(&other.start) }],
    direction: Direction::Ascending,
    last: |one, other| one.instance.cmp(&other.instance),
};

/// List the instances of an event template
///
/// All that run within the range, called off ones too; those that were deleted are gone.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/templates/{id}/instances",
    tag = "Back office",
    params(("id" = String, Path, description = "The template"), RangeQuery, PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<AuthoredInstance>),
        (status = 400, description = "`VALIDATION_ERROR`; `RESPONSE_TOO_LARGE`: request a shorter range", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn list(
    State(app): State<App>,
    staff: Staff,
    Path(id): Path<String>,
    Query(range): Query<RangeQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<Page<AuthoredInstance>>, ApiError> {
    let id = TemplateId::parse(&id).map_err(|_| not_found())?;
    let (tenant, zone, now) = (staff.tenant.id, staff.tenant.zone, staff.clock.now());
    let mut reader = QueryReader::new();
    let range = reader.range(range.start_time.as_deref(), range.end_time.as_deref(), zone, now);
    let range = reader.finish(range)?;
    let paging = Paging::parse(&page, &SORTING)?;
    let place = Template::place(tenant, &id);
    let (template, catalog) = tokio::join!(
        app.store.get::<Template>(&place, Consistency::Strong),
        Catalog::load(&app, tenant, SHOWN_WITH)
    );
    let (template, catalog) = (template?.ok_or_else(not_found)?, catalog?);
    let reaching = Reaching { template: &template, reach: catalog.definitions.reaches.get(&id) };
    let (mut found, counts) = tokio::try_join!(
        ledgers(&app.store, tenant, reaching, range),
        counts(&app.store, tenant, reaching, range),
    )?;
    found.retain(Ledger::exists);
    let (page, pagination) = paging.cut(found);
    let view = view(&catalog.definitions, &staff);
    let show = |ledger: &Ledger| {
        let counts = counts.get(&ledger.instance).copied().unwrap_or_default();
        AuthoredInstance::of(&AuthoredSlot { ledger, template: &template, counts }, &view)
    };
    page_of(page.iter().map(show).collect(), pagination)
}
