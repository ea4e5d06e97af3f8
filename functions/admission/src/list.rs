//! `GET /v2/b2b/admissions/events/{eventId}`.

use adapters::App;
use adapters::rate_limit::count_door_list;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::admission::{DoorFacts, Entrance, SlotTimes};
use domain::catalog::ticket_details::TicketDetails;
use domain::number::whole_number;
use domain::order::{Order, Ticket};
use domain::{InstanceId, OrderId, Template};
use http::header::ETAG;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use store::Consistency;
use store::find::OrderHit;
use web::access::{Caller, DoorStaff};
use web::idempotency::Tagged;
use web::query::QueryReader;
use web::representation::is_known;
use web::{ApiError, ErrorBody, ErrorType};
use wire::admission::{DoorListHead, DoorListView, DoorTicketView};

/// Orders of a page when nobody asks for another number.
const DEFAULT_PAGE_SIZE: usize = 1_000;
/// Orders of a page at most.
const MAX_PAGE_SIZE: usize = 2_000;
/// Digits of a hash by which a device knows a code.
const HASH_DIGITS: usize = 32;

/// The part of a list that is wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct DoorListQuery {
    /// `nextPageToken` of the page before; left out for the first page.
    page_token: Option<String>,
    /// Orders on a page, 1 to 2,000; default 1,000.
    page_size: Option<String>,
}

/// Where a page begins: behind this order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    created_at: i64,
    order: OrderId,
}

impl Place {
    fn of(hit: &OrderHit) -> Self {
        Self { created_at: hit.created_at.timestamp_millis(), order: hit.order.clone() }
    }

    fn token(&self) -> String {
        format!("{}-{}", self.created_at, self.order)
    }

    fn parse(token: &str) -> Option<Self> {
        let (millis, order) = token.split_once('-')?;
        Some(Self { created_at: whole_number(millis)?, order: OrderId::parse(order).ok()? })
    }
}

/// List an event's tickets for a device
///
/// What a device needs to scan while it is offline. It holds no barcode: a scan is known by its hash. Orders that are
/// made meanwhile come on the last page.
#[utoipa::path(
    get,
    path = "/v2/b2b/admissions/events/{eventId}",
    tag = "Admission",
    params(
        ("eventId" = String, Path, description = "The event instance"),
        DoorListQuery,
        ("If-None-Match" = Option<String>, Header, description = "The `ETag` of a page that the device has"),
    ),
    responses(
        (status = 200, description = "A page; `ETag` names its content", body = DoorListView),
        (status = 304, description = "The device has it: the `ETag` is one of those it named"),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: there is no such event", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many pages", body = ErrorBody),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    staff: DoorStaff,
    Path(event): Path<String>,
    Query(query): Query<DoorListQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let mut reader = QueryReader::new();
    let expected = "a nextPageToken of this list";
    let after = reader.optional("pageToken", query.page_token.as_deref(), Place::parse, expected);
    let size = reader.optional(
        "pageSize",
        query.page_size.as_deref(),
        |text| whole_number(text).and_then(|size| usize::try_from(size).ok()).filter(is_page_size),
        "a whole number from 1 to 2000",
    );
    let size = reader.finish(size)?.unwrap_or(DEFAULT_PAGE_SIZE);
    let event = InstanceId::parse(&event).map_err(|_| not_found())?;
    let mut page = Box::pin(load_page(&app, &staff, event, Wanted { after, size })).await?;
    let revision = revision_of(&mut page)?;
    let tag = format!("\"{revision}\"");
    if is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response());
    }
    Ok(Tagged { body: page, revision: Some(revision) }.into_response())
}

fn is_page_size(size: &usize) -> bool {
    (1..=MAX_PAGE_SIZE).contains(size)
}

/// The page that is wanted.
struct Wanted {
    after: Option<Place>,
    size: usize,
}

async fn load_page(
    app: &App,
    caller: &Caller,
    event: InstanceId,
    wanted: Wanted,
) -> Result<DoorListView, ApiError> {
    let tenant = caller.tenant.id;
    let (allowed, hits, ledger, templates) = tokio::join!(
        count_door_list(app, caller.client()),
        app.store.find_orders_of_event(tenant, &event),
        app.store.load_ledger(tenant, &event, Consistency::Strong),
        app.templates(tenant),
    );
    allowed?;
    let ledger = ledger?.filter(|ledger| ledger.exists()).ok_or_else(not_found)?;
    let (mut hits, templates) = (hits?, templates?);
    // Those that are made while pages are read come last.
    hits.sort();
    let behind = hits.iter().filter(|hit| wanted.after.as_ref().is_none_or(|after| Place::of(hit) > *after));
    let behind: Vec<&OrderHit> = behind.take(wanted.size.saturating_add(1)).collect();
    let page = behind.get(..wanted.size).unwrap_or(&behind);
    let next = page.last().filter(|_| behind.len() > page.len()).map(|hit| Place::of(hit).token());
    let ids: Vec<OrderId> = page.iter().map(|hit| hit.order.clone()).collect();
    let orders = app.store.load_orders(tenant, &ids).await?;
    let orders: Vec<Order> = orders.into_iter().filter(|order| order.paid_at().is_some()).collect();
    let tickets = app.store.load_tickets_of(&orders).await?;
    let slot = SlotTimes::from(&ledger);
    let slots = BTreeMap::from([(event, slot)]);
    let of_order = |order: &Order| {
        let own = tickets.get(&order.id).map(Vec::as_slice).unwrap_or_default();
        let facts = DoorFacts {
            order,
            tickets: own,
            slots: &slots,
            templates: &templates,
            zone: caller.tenant.zone,
            rules: caller.tenant.door,
        };
        tickets_of(&facts, event)
    };
    let listed = orders.iter().flat_map(of_order).collect();
    let template = templates.iter().find(|template| template.id == ledger.template);
    Ok(DoorListView::new(&head(caller, event, slot, template), listed, next))
}

fn head<'a>(
    caller: &Caller,
    event: InstanceId,
    slot: SlotTimes,
    template: Option<&'a Template>,
) -> DoorListHead<'a> {
    let unset = TicketDetails::default();
    let details = template.map_or(&unset, |template| &template.ticket_details);
    let zone = caller.tenant.zone;
    let now = caller.clock.now();
    DoorListHead {
        event,
        name: template.map(|template| template.name.as_str()),
        slot,
        // Where tickets are good for some days from their sale, those that are sold on the day.
        entrance: Entrance::of(details, &slot, slot.start, zone),
        reentry: details.reentry,
        now,
        zone,
    }
}

/// The tickets of an order for the event.
fn tickets_of(facts: &DoorFacts<'_>, event: InstanceId) -> Vec<DoorTicketView> {
    let view = |ticket: &Ticket| {
        let line = facts.order.line_of(ticket).filter(|line| line.instance == event)?;
        Some(DoorTicketView::new(facts, line, ticket, code_hash(event, ticket)))
    };
    facts.tickets.iter().filter_map(view).collect()
}

/// By what a device knows the barcode of a ticket for an event.
fn code_hash(event: InstanceId, ticket: &Ticket) -> String {
    let text = format!("{event}\n{}", ticket.barcode);
    hex::encode(Sha256::digest(text)).chars().take(HASH_DIGITS).collect()
}

/// What names the content of a page: whatever it says but for when it was read.
fn revision_of(page: &mut DoorListView) -> Result<String, ApiError> {
    // It is large, and is not copied for that.
    let as_of = std::mem::take(&mut page.as_of);
    let text = serde_json::to_vec(page);
    page.as_of = as_of;
    Ok(hex::encode(Sha256::digest(text.map_err(ApiError::internal)?)).chars().take(HASH_DIGITS).collect())
}

fn not_found() -> ApiError {
    ApiError::new(ErrorType::NotFound).message("There is no such event")
}
