//! `/v2/b2b/event/templates/{id}/instances`: the dated slots of a template, as the back office sees them.

use crate::templates::{SHOWN_WITH, view};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Path, Query, State};
use domain::TemplateId;
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::slot_edit::SlotReach;
use http::request::Parts;
use platform::access::Staff;
use platform::authored::not_found;
use platform::catalog::Catalog;
use platform::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use platform::query::QueryReader;
use platform::routes;
use platform::routes::Routes;
use platform::{ApiError, App, ErrorBody, ErrorType};
use serde::Deserialize;
use store::{Consistency, Key};
use utoipa::IntoParams;
use wire::event::AuthoredInstance;
use wire::page::Page;

/// Slots one request looks at.
const MAX_SLOTS: usize = 8_000;

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

/// What is asked for.
struct Asked {
    range: RangeQuery,
    page: PageQuery,
}

impl FromRequestParts<App> for Asked {
    type Rejection = QueryRejection;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, QueryRejection> {
        let Query(range) = Query::from_request_parts(parts, app).await?;
        let Query(page) = Query::from_request_parts(parts, app).await?;
        Ok(Self { range, page })
    }
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
    Asked { range, page }: Asked,
) -> Result<Json<Page<AuthoredInstance>>, ApiError> {
    let id = TemplateId::parse(&id).map_err(|_| not_found())?;
    let (tenant, zone, now) = (staff.tenant.id, staff.tenant.zone, staff.clock.now());
    let mut reader = QueryReader::new();
    let range = reader.range(range.start_time.as_deref(), range.end_time.as_deref(), zone, now);
    let range = reader.finish(range)?;
    let paging = Paging::parse(&page, &SORTING)?;
    let place = Key::template(tenant, &id);
    let (template, catalog) = tokio::join!(
        app.store.get::<Template>(&place, Consistency::Strong),
        Catalog::load(&app, tenant, SHOWN_WITH)
    );
    let (template, catalog) = (template?.ok_or_else(not_found)?, catalog?);
    let longest = i64::from(template.longest_minutes()).saturating_mul(60);
    let none = SlotReach::none(id);
    let reach = catalog.definitions.reaches.get(&template.id).unwrap_or(&none);
    let (from, until) = reach.starts(longest, range.from, range.until);
    let limit = MAX_SLOTS.saturating_add(1);
    let mut found = app.store.load_ledgers(tenant, &template.id, from, until, limit).await?;
    if found.len() > MAX_SLOTS {
        return Err(ApiError::new(ErrorType::ResponseTooLarge));
    }
    found.retain(|ledger| ledger.exists() && range.overlaps(ledger.start, Some(ledger.end)));
    let (page, pagination) = paging.cut(found);
    let view = view(&catalog, &staff);
    page_of(page.iter().map(|slot| AuthoredInstance::of(slot, &template, &view)).collect(), pagination)
}
