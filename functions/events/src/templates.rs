//! Lists of templates and single ones.

use crate::answer::json;
use crate::load::{CachedCatalog, Counts, check_shown, slot_summaries, slot_summary};
use crate::query::{Asked, OfferQuery, RangeQuery};
use adapters::App;
use adapters::slot_summary::Age;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use domain::catalog::Template;
use domain::listing::Range;
use serde::Serialize;
use web::access::{Caller, Shopper};
use web::{ApiError, ErrorBody};
use wire::event::{EventSummary, EventTemplate, SlimTemplate, SlotSummary, View};

/// List event templates
///
/// Those for online sale. Without `startTime` all of them; `endTime` applies only with it.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates",
    tag = "Events",
    params(RangeQuery),
    responses(
        (status = 200, description = "The templates", body = Vec<EventTemplate>),
        (status = 400, description = "A parameter is invalid", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    caller: Shopper,
    Query(query): Query<RangeQuery>,
) -> Result<Response, ApiError> {
    let (asked, range) = query.read_list(&caller)?;
    answer(&app, &caller, &asked, range, Counts::Published, EventTemplate::of).await
}

/// List event templates in brief
///
/// Recommended for speed. The range is today unless it is given; times are epoch milliseconds.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates/slim",
    tag = "Events",
    params(RangeQuery),
    responses(
        (status = 200, description = "The templates", body = Vec<SlimTemplate>),
        (status = 400, description = "A parameter is invalid", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn slim_list(
    State(app): State<App>,
    caller: Shopper,
    Query(query): Query<RangeQuery>,
) -> Result<Response, ApiError> {
    let (asked, range) = query.read(&caller)?;
    answer(&app, &caller, &asked, Some(range), Counts::Nothing, |template, slot_summary, _| {
        SlimTemplate::of(template, slot_summary)
    })
    .await
}

/// List event templates in short
///
/// The same as the slim list, with schedules by name and times in ISO 8601.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates/summaries",
    tag = "Events",
    params(RangeQuery),
    responses(
        (status = 200, description = "The templates", body = Vec<EventSummary>),
        (status = 400, description = "A parameter is invalid", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn summaries(
    State(app): State<App>,
    caller: Shopper,
    Query(query): Query<RangeQuery>,
) -> Result<Response, ApiError> {
    let (asked, range) = query.read(&caller)?;
    answer(&app, &caller, &asked, Some(range), Counts::Nothing, |template, slot_summary, view| {
        EventSummary::of(template, slot_summary, view.zone)
    })
    .await
}

/// The templates that lists show, all or those within a range, each shown in this way.
async fn answer<T: Serialize>(
    app: &App,
    caller: &Caller,
    asked: &Asked,
    range: Option<Range>,
    counts: Counts,
    show: impl Fn(&Template, SlotSummary, &View<'_>) -> T,
) -> Result<Response, ApiError> {
    let buyer = asked.buyer(app, caller).await?;
    let audience = asked.audience(caller, &buyer);
    let catalog = CachedCatalog::load(app, caller).await?;
    let templates = catalog.listed(audience).into_iter();
    let within = templates.filter(|found| range.is_none_or(|range| range.overlaps(found.start, found.end)));
    let within: Vec<_> = within.collect();
    let slot_summaries = slot_summaries(app, caller, &catalog, &within, audience, counts).await?;
    let view = catalog.view(caller, audience);
    let both = within.into_iter().zip(slot_summaries);
    json(&both.map(|(template, slot_summary)| show(template, slot_summary, &view)).collect::<Vec<T>>())
}

/// Read an event template
///
/// With its prices and what is left, as the storefront that asks may sell it.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates/{templateId}",
    tag = "Events",
    params(("templateId" = String, Path, description = "The template's id"), OfferQuery),
    responses(
        (status = 200, description = "The template", body = EventTemplate),
        (status = 400, description = "A parameter is invalid", body = ErrorBody),
        (status = 404, description = "There is no such template on offer", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn read(
    State(app): State<App>,
    caller: Shopper,
    Path(id): Path<String>,
    Query(query): Query<OfferQuery>,
) -> Result<Response, ApiError> {
    let asked = query.read(&caller)?;
    let buyer = asked.buyer(&app, &caller).await?;
    let audience = asked.audience(&caller, &buyer);
    let catalog = CachedCatalog::load(&app, &caller).await?;
    let template = catalog.template(&id)?;
    check_shown(template, audience)?;
    let (tenant, reaching) = (caller.tenant.id, catalog.reaching(template));
    let slot_summary = slot_summary(&app, tenant, reaching, audience, Counts::Published, Age::Fresh).await?;
    json(&EventTemplate::of(template, slot_summary, &catalog.view(&caller, audience)))
}
