//! Dated slots with their seats.

use crate::answer::json;
use crate::load::{CachedCatalog, can_precede, check_shown};
use crate::query::{AskedTimes, OfferQuery, PartQuery, RangeQuery};
use adapters::App;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use domain::InstanceId;
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::listing::{ListedSlot, Range, next_available as first_free};
use domain::time::plus_secs;
use serde::Serialize;
use store::Consistency;
use web::access::{Caller, Shopper};
use web::slots::{ledgers, ledgers_of_all};
use web::{ApiError, ErrorBody, ErrorType};
use wire::event::{EventTime, SingleInstance, TimesBucket, View};

/// How a listed slot is shown.
type Show<T> = fn(&ListedSlot<'_>, &View<'_>) -> T;

/// The slots that are listed and have at least so many seats.
fn times<T>(template: &Template, ledgers: &[Ledger], view: &View<'_>, seats: u32, show: Show<T>) -> Vec<T> {
    let listed = ledgers.iter().filter_map(|ledger| view.audience.listed(template, ledger));
    listed.filter(|slot| slot.seats >= seats).map(|slot| show(&slot, view)).collect()
}

/// The listed slots of the template with the id of a path.
async fn of_one<T: Serialize>(
    app: &App,
    caller: &Caller,
    id: &str,
    wanted: AskedTimes,
    show: Show<T>,
) -> Result<Response, ApiError> {
    let AskedTimes { asked, range, combo } = wanted;
    let catalog = CachedCatalog::load(app, caller).await?;
    let template = catalog.template(id)?;
    let found = ledgers(&app.store, caller.tenant.id, catalog.reaching(template), range);
    let (buyer, found) = tokio::join!(asked.buyer(app, caller), found);
    let buyer = buyer?;
    let audience = asked.audience(caller, &buyer);
    check_shown(template, audience)?;
    let combo = combo.as_ref();
    let seats = combo.map(|combo| catalog.tickets_in(combo, template)).transpose()?.unwrap_or_default();
    let found = found?;
    json(&times(template, &found, &catalog.view(caller, audience), seats, show))
}

/// List a template's times
///
/// The range is today unless it is given. Full slots are listed with 0 seats. With `comboTemplateId`, only slots
/// with seats for its part of that combo are listed.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates/{templateId}/times",
    tag = "Events",
    params(("templateId" = String, Path, description = "The template's id"), RangeQuery, PartQuery),
    responses(
        (status = 200, description = "The slots, by start", body = Vec<EventTime>),
        (status = 400, description = "A parameter is invalid, or the answer would be too large", body = ErrorBody),
        (status = 404, description = "There is no such template on offer, or no such combo with it", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn of_template(
    State(app): State<App>,
    caller: Shopper,
    Path(id): Path<String>,
    Query(query): Query<RangeQuery>,
    Query(part): Query<PartQuery>,
) -> Result<Response, ApiError> {
    let wanted = query.read_times(&part, &caller)?;
    of_one(&app, &caller, &id, wanted, EventTime::of).await
}

/// List a template's instances
///
/// Those that its times list, each as it is read by itself. The range is today unless it is given.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates/{templateId}/instances",
    tag = "Events",
    params(("templateId" = String, Path, description = "The template's id"), RangeQuery, PartQuery),
    responses(
        (status = 200, description = "The instances, by start", body = Vec<SingleInstance>),
        (status = 400, description = "A parameter is invalid, or the answer would be too large", body = ErrorBody),
        (status = 404, description = "There is no such template on offer, or no such combo with it", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn instances(
    State(app): State<App>,
    caller: Shopper,
    Path(id): Path<String>,
    Query(query): Query<RangeQuery>,
    Query(part): Query<PartQuery>,
) -> Result<Response, ApiError> {
    let wanted = query.read_times(&part, &caller)?;
    of_one(&app, &caller, &id, wanted, SingleInstance::of).await
}

/// List the times of all templates
///
/// In buckets, one per template. The range is today unless it is given; ask for short ranges.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates/times",
    tag = "Events",
    params(RangeQuery),
    responses(
        (status = 200, description = "The slots of each template", body = Vec<TimesBucket>),
        (status = 400, description = "A parameter is invalid, or the answer would be too large", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn of_all(
    State(app): State<App>,
    caller: Shopper,
    Query(query): Query<RangeQuery>,
) -> Result<Response, ApiError> {
    let (asked, range) = query.read(&caller)?;
    let buyer = asked.buyer(&app, &caller).await?;
    let audience = asked.audience(&caller, &buyer);
    let catalog = CachedCatalog::load(&app, &caller).await?;
    let view = catalog.view(&caller, audience);
    let templates = catalog.listed(audience);
    let (tenant, zone) = (caller.tenant.id, caller.tenant.zone);
    let found = ledgers_of_all(&app.store, tenant, zone, &templates, catalog.reaches(), range).await?;
    let bucket = |(template, ledgers): &(&Template, Vec<Ledger>)| TimesBucket {
        event_template_id: template.id.to_string(),
        times: times(template, ledgers, &view, 0, EventTime::of),
    };
    json(&found.iter().map(bucket).collect::<Vec<_>>())
}

/// Slots looked at for the next available one; each number only if those before have no seat.
const NEXT_AVAILABLE_SLOTS: [usize; 3] = [32, 400, usize::MAX];
/// How far ahead the next available slot may lie: three years.
const NEXT_AVAILABLE_SECS: i64 = 3 * 366 * 86_400;

/// Read a template's next available time
///
/// The first that can be bought now, within three years.
#[utoipa::path(
    get,
    path = "/v2/b2c/events/{templateId}/nextAvailable",
    tag = "Events",
    params(("templateId" = String, Path, description = "The template's id"), OfferQuery),
    responses(
        (status = 200, description = "The first slot from now on with a seat", body = EventTime),
        (status = 400, description = "A parameter is invalid", body = ErrorBody),
        (status = 404, description = "There is no such template on offer, or no seat", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn next_available(
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
    let view = catalog.view(&caller, audience);
    let ahead = Range { from: audience.now, until: plus_secs(audience.now, NEXT_AVAILABLE_SECS) };
    let reaching = catalog.reaching(template);
    let (from, until) = reaching.starts(ahead);
    for limit in NEXT_AVAILABLE_SLOTS {
        let found = app.store.load_ledgers(caller.tenant.id, &template.id, from, until, limit).await?;
        let listed = found.iter().filter_map(|ledger| audience.listed(template, ledger));
        let is_all = found.len() < limit;
        if let Some(slot) = first_free(listed, audience.now)
            && (is_all || !can_precede(reaching, found.last(), slot.ledger.start))
        {
            return json(&EventTime::of(&slot, &view));
        }
        if is_all {
            break;
        }
    }
    Err(ApiError::new(ErrorType::NotFound).message("No seats are available"))
}

/// Read an event instance
///
/// With its prices and what is left, as the storefront that asks may sell it.
#[utoipa::path(
    get,
    path = "/v2/b2c/events/{instanceId}",
    tag = "Events",
    params(("instanceId" = String, Path, description = "The instance's id"), OfferQuery),
    responses(
        (status = 200, description = "The instance", body = SingleInstance),
        (status = 400, description = "A parameter is invalid", body = ErrorBody),
        (status = 404, description = "There is no such instance on offer", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn read_instance(
    State(app): State<App>,
    caller: Shopper,
    Path(id): Path<String>,
    Query(query): Query<OfferQuery>,
) -> Result<Response, ApiError> {
    let asked = query.read(&caller)?;
    let buyer = asked.buyer(&app, &caller).await?;
    let audience = asked.audience(&caller, &buyer);
    let unknown = || ApiError::new(ErrorType::NotFound);
    let id = InstanceId::parse(&id).map_err(|_| unknown())?;
    let catalog = CachedCatalog::load(&app, &caller).await?;
    let ledger = app.store.load_ledger(caller.tenant.id, &id, Consistency::Eventual).await?;
    let ledger = ledger.ok_or_else(unknown)?;
    let template = catalog.templates().iter().find(|template| template.id == ledger.template);
    let slot = template.and_then(|template| audience.listed(template, &ledger)).ok_or_else(unknown)?;
    json(&SingleInstance::of(&slot, &catalog.view(&caller, audience)))
}
