//! Lists of templates and single ones.

use crate::answer::json;
use crate::load::{Catalog, Counts, check_shown, standing, standings};
use crate::query::{OfferQuery, RangeQuery};
use axum::extract::{Path, Query, State};
use axum::response::Response;
use platform::access::Shopper;
use platform::standing::Age;
use platform::{ApiError, App, ErrorBody};
use wire::event::{EventTemplate, SlimTemplate};

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
    let asker = asked.asker(&app, &caller).await?;
    let audience = asked.audience(&caller, &asker);
    let catalog = Catalog::load(&app, &caller).await?;
    let view = catalog.view(&caller, audience);
    let templates = catalog.listed(audience).into_iter();
    let within = templates.filter(|found| range.is_none_or(|range| range.overlaps(found.start, found.end)));
    let within: Vec<_> = within.collect();
    let standings = standings(&app, &caller, &catalog, &within, audience, Counts::Published).await?;
    let both = within.into_iter().zip(standings);
    let answer: Vec<EventTemplate> =
        both.map(|(template, standing)| EventTemplate::of(template, standing, &view)).collect();
    json(&answer)
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
    let asker = asked.asker(&app, &caller).await?;
    let audience = asked.audience(&caller, &asker);
    let catalog = Catalog::load(&app, &caller).await?;
    let templates = catalog.listed(audience).into_iter();
    let within = templates.filter(|template| range.overlaps(template.start, template.end));
    let within: Vec<_> = within.collect();
    let standings = standings(&app, &caller, &catalog, &within, audience, Counts::Nothing).await?;
    let both = within.into_iter().zip(standings);
    let answer: Vec<SlimTemplate> =
        both.map(|(template, standing)| SlimTemplate::of(template, standing)).collect();
    json(&answer)
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
    let asker = asked.asker(&app, &caller).await?;
    let audience = asked.audience(&caller, &asker);
    let catalog = Catalog::load(&app, &caller).await?;
    let template = catalog.template(&id)?;
    check_shown(template, audience)?;
    let (tenant, reaching) = (caller.tenant.id, catalog.reaching(template));
    let standing = standing(&app, tenant, reaching, audience, Counts::Published, Age::Fresh).await?;
    json(&EventTemplate::of(template, standing, &catalog.view(&caller, audience)))
}
