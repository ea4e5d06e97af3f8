//! Days with seats.

use crate::answer::json;
use crate::load::{CachedCatalog, check_shown};
use crate::query::RangeQuery;
use adapters::App;
use adapters::slot_summary::Reaching;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use chrono::{Months, NaiveDate};
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::listing::{Audience, DaySeats, ListedSlot, Range, seats_by_date};
use domain::time::plus_secs;
use domain::{Timestamp, Zone};
use web::access::{Caller, Shopper};
use web::slots::{ledgers, ledgers_of_all};
use web::{ApiError, ErrorBody};
use wire::event::{Calendar, CalendarDay};

/// Months shown from the first event on where the range has none (spec §4.4).
const FALLBACK_MONTHS: Months = Months::new(2);

/// Every date of a range, with the seats of these slots.
fn calendar<'a>(range: Range, slots: impl IntoIterator<Item = ListedSlot<'a>>, zone: Zone) -> Calendar {
    let seats = seats_by_date(slots, zone);
    let day = |date: NaiveDate| {
        let DaySeats { available, capacity } = seats.get(&date).copied().unwrap_or_default();
        CalendarDay {
            date: zone.format(zone.start_of_day(date)),
            name: String::new(),
            active: available > 0,
            available_seats: available,
            capacity,
        }
    };
    Calendar { days: range.dates(zone).map(day).collect() }
}

/// The slots of a template that are shown.
fn listed<'a>(
    audience: Audience<'a>,
    template: &'a Template,
    ledgers: &'a [Ledger],
) -> impl Iterator<Item = ListedSlot<'a>> {
    ledgers.iter().filter_map(move |ledger| audience.listed(template, ledger))
}

/// Read the calendar of all templates
///
/// A day is active when at least one seat remains, and says how many do. The range is today unless it is given.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates/calendar",
    tag = "Events",
    params(RangeQuery),
    responses(
        (status = 200, description = "Every day of the range", body = Calendar),
        (status = 400, description = "A parameter is invalid, or the range is too long", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn of_all(
    State(app): State<App>,
    caller: Shopper,
    Query(query): Query<RangeQuery>,
) -> Result<Response, ApiError> {
    let (asked, range) = query.read_calendar(&caller)?;
    let buyer = asked.buyer(&app, &caller).await?;
    let audience = asked.audience(&caller, &buyer);
    let zone = caller.tenant.zone;
    let catalog = CachedCatalog::load(&app, &caller).await?;
    let templates = catalog.listed(audience);
    let tenant = caller.tenant.id;
    let found = ledgers_of_all(&app.store, tenant, zone, &templates, catalog.reaches(), range).await?;
    let slots = found.iter().flat_map(|(template, ledgers)| listed(audience, template, ledgers));
    json(&calendar(range, slots, zone))
}

/// Read the calendar of a template
///
/// Where the range has no events, two months from the start of the first event after it begins.
#[utoipa::path(
    get,
    path = "/v2/b2c/event/templates/{templateId}/calendar",
    tag = "Events",
    params(("templateId" = String, Path, description = "The template's id"), RangeQuery),
    responses(
        (status = 200, description = "Every day of the range", body = Calendar),
        (status = 400, description = "A parameter is invalid, or the range is too long", body = ErrorBody),
        (status = 404, description = "There is no such template on offer", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many unknown or unproven membership numbers, for this visitor or by this key", body = ErrorBody),
    ),
)]
pub(crate) async fn of_template(
    State(app): State<App>,
    caller: Shopper,
    Path(id): Path<String>,
    Query(query): Query<RangeQuery>,
) -> Result<Response, ApiError> {
    let (asked, range) = query.read_calendar(&caller)?;
    let buyer = asked.buyer(&app, &caller).await?;
    let audience = asked.audience(&caller, &buyer);
    let catalog = CachedCatalog::load(&app, &caller).await?;
    let template = catalog.template(&id)?;
    check_shown(template, audience)?;
    let reaching = catalog.reaching(template);
    let (range, found) = events_or_first(&app, &caller, reaching, audience, range).await?;
    let zone = caller.tenant.zone;
    json(&calendar(range, listed(audience, template, &found), zone))
}

/// The slots of the range, or those of two months from the first event on. The schedule says beforehand
/// whether the range has any, so that one round trip is enough.
async fn events_or_first(
    app: &App,
    caller: &Caller,
    reaching: Reaching<'_>,
    audience: Audience<'_>,
    range: Range,
) -> Result<(Range, Vec<Ledger>), ApiError> {
    let (tenant, zone) = (caller.tenant.id, caller.tenant.zone);
    let template = reaching.template;
    let (running, until) = reaching.starts(range);
    let promised = audience.first_start(template, running);
    let is_promised = promised.is_some_and(|start| start <= until);
    let later = audience.first_start(template, plus_secs(range.until, 1));
    let later = later.map(|start| two_months(start, zone));
    if is_promised || later.is_none() {
        let found = ledgers(&app.store, tenant, reaching, range).await?;
        return match later {
            Some(later) if found.is_empty() => {
                Ok((later, ledgers(&app.store, tenant, reaching, later).await?))
            }
            Some(_) | None => Ok((range, found)),
        };
    }
    let later = later.unwrap_or(range);
    let slots_in = |range| ledgers(&app.store, tenant, reaching, range);
    let (within, beyond) = tokio::join!(slots_in(range), slots_in(later));
    let within = within?;
    if within.is_empty() { Ok((later, beyond?)) } else { Ok((range, within)) }
}

/// From the day of an instant to the day two months later.
fn two_months(start: Timestamp, zone: Zone) -> Range {
    let first = zone.date(start);
    let last = first.checked_add_months(FALLBACK_MONTHS).unwrap_or(first);
    Range { from: zone.start_of_day(first), until: zone.end_of_day(last) }
}
