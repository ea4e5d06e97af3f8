//! Tickets by their barcodes, as the interface had it before: `POST /v2/b2b/willcall/checkintickets` and
//! `POST …/willcall/undocheckintickets`.

use crate::answer::busy;
use crate::codes::{CodeGroup, by_beginning};
use crate::device::{Device, Effect};
use crate::identity::Identity;
use crate::side_by_side::side_by_side;
use crate::undo::Undoing;
use adapters::App;
use adapters::rate_limit::{count_scans, look_at_codes, note_unknown_codes};
use axum::extract::State;
use axum::response::Response;
use domain::admission::{Checks, DoorFacts, NotUndone, Reason, ScannedCode, ticket_of_barcode};
use domain::order::{ScanType, Ticket};
use domain::{OrderId, TicketBarcode, TicketId, Timestamp};
use sagas::admission::{WantedTickets, find_by_barcode};
use std::collections::{BTreeMap, BTreeSet};
use web::access::{Caller, DoorStaff};
use web::cart::Explain;
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::admission::{CheckInTicketsInput, CheckInUndo, CheckedInTicketView, MAX_ORDERS, UndoCheckInInput};
use wire::willcall::WillCallTicketView;

/// Names the requests in fingerprints.
const CHECK_IN: &str = "POST /v2/b2b/willcall/checkintickets";
const UNDO: &str = "POST /v2/willcall/undocheckintickets";

/// Check tickets in by hand
///
/// With a `counter` or `b2b` key neither the hour nor a balance keeps anybody out. A `door` key checks as a scan does.
#[utoipa::path(
    post,
    path = "/v2/b2b/willcall/checkintickets",
    tag = "Admission",
    request_body = CheckInTicketsInput,
    params(("x-service-explain" = Option<bool>, Header, description = "`true` says of a ticket that was not admitted why")),
    responses(
        (status = 200, description = "An entry for each barcode; an empty one for a ticket that was not admitted now", body = Vec<CheckedInTicketView>),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans, or too many codes that are nobody's", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`: some may be admitted; the repetition goes on where it stopped", body = ErrorBody),
    ),
)]
pub(crate) async fn check_in(
    State(app): State<App>,
    staff: DoorStaff,
    key: IdempotencyKey,
    explain: Explain,
    body: Body<CheckInTicketsInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, CHECK_IN, &key, &body).await?;
    let codes = body.parse(|checker, input| input.read(checker))?;
    let fingerprint = identity.fingerprint.clone();
    let checks = if staff.is_door() { Checks::All } else { Checks::Manual };
    let device = Device {
        app: app.clone(),
        caller: staff.clone(),
        identity,
        terminal: None,
        event: None,
        scan_type: ScanType::Entry,
        forced: None,
        checks,
    };
    let work = check_in_all(&device, &codes, explain);
    once(&app, &staff, &key, &fingerprint, work).await
}

/// Take back the last scan of tickets by their barcodes
///
/// As `POST /v2/b2b/admissions/undo`.
#[utoipa::path(
    post,
    path = "/v2/willcall/undocheckintickets",
    tag = "Admission",
    request_body = UndoCheckInInput,
    params(("x-service-explain" = Option<bool>, Header, description = "`true` says of a ticket why nothing was taken back")),
    responses(
        (status = 200, description = "An entry for each barcode; an empty one where nothing was taken back", body = Vec<CheckedInTicketView>),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans, or too many codes that are nobody's", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn undo(
    State(app): State<App>,
    staff: DoorStaff,
    key: IdempotencyKey,
    explain: Explain,
    body: Body<UndoCheckInInput>,
) -> Result<Response, ApiError> {
    take_back(&app, &staff, &key, explain, body).await
}

/// Take back the last scan of tickets by their barcodes, for staff
///
/// As `POST /v2/willcall/undocheckintickets`.
#[utoipa::path(
    post,
    path = "/v2/b2b/willcall/undocheckintickets",
    tag = "Admission",
    request_body = UndoCheckInInput,
    params(("x-service-explain" = Option<bool>, Header, description = "`true` says of a ticket why nothing was taken back")),
    responses(
        (status = 200, description = "An entry for each barcode; an empty one where nothing was taken back", body = Vec<CheckedInTicketView>),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans, or too many codes that are nobody's", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn undo_for_staff(
    State(app): State<App>,
    staff: DoorStaff,
    key: IdempotencyKey,
    explain: Explain,
    body: Body<UndoCheckInInput>,
) -> Result<Response, ApiError> {
    take_back(&app, &staff, &key, explain, body).await
}

async fn take_back(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    explain: Explain,
    body: Body<UndoCheckInInput>,
) -> Result<Response, ApiError> {
    // Both paths are one request.
    let identity = Identity::of(app, caller, UNDO, key, &body).await?;
    let wish = body.parse(|checker, input| input.read(checker))?;
    let CheckInUndo { codes, terminal } = wish;
    let undoing = Undoing { app: app.clone(), caller: caller.clone(), identity, terminal };
    let work = undo_all(&undoing, &codes, explain);
    once(app, caller, key, &undoing.identity.fingerprint, work).await
}

/// What came of a barcode.
struct Entry {
    view: CheckedInTicketView,
    /// Why nothing happened with it.
    reason: Option<&'static str>,
    first_entry: Option<String>,
}

/// What came of the barcodes of one order.
type Entries = BTreeMap<TicketBarcode, Entry>;

/// The orders of barcodes, each with those that lead to it.
type Orders = BTreeMap<OrderId, Vec<TicketBarcode>>;

/// Groups of barcodes that are looked up at once. Where they lead to too many orders, the others are not looked up.
const GROUPS_AT_ONCE: usize = 100;

async fn find_orders(app: &App, caller: &Caller, codes: &[ScannedCode]) -> Result<Orders, ApiError> {
    let groups = by_beginning(codes);
    let (first, rest) = groups.split_at(GROUPS_AT_ONCE.min(groups.len()));
    // Each barcode is a scan, whatever it leads to.
    let count = u32::try_from(codes.len()).unwrap_or(u32::MAX);
    let (allowed, found) =
        tokio::join!(count_scans(app, caller.client(), count), orders_of(app, caller, first));
    allowed?;
    let mut orders = found?;
    for groups in rest.chunks(GROUPS_AT_ONCE) {
        check_number(&orders)?;
        for (order, barcodes) in orders_of(app, caller, groups).await? {
            orders.entry(order).or_default().extend(barcodes);
        }
    }
    check_number(&orders)?;
    Ok(orders)
}

/// The orders of some groups of barcodes.
async fn orders_of(app: &App, caller: &Caller, groups: &[CodeGroup]) -> Result<Orders, ApiError> {
    let work = groups.iter().cloned().map(|CodeGroup { first, all }| {
        let (app, tenant) = (app.clone(), caller.tenant.clone());
        async move {
            let order = find_by_barcode(&app, &tenant, &first).await.map_err(busy)?;
            Ok::<_, ApiError>(order.map(|order| (order, all)))
        }
    });
    let found = side_by_side(work.collect()).await?;
    let mut orders = Orders::new();
    for (order, barcodes) in found.into_iter().flatten() {
        orders.entry(order).or_default().extend(barcodes);
    }
    Ok(orders)
}

fn check_number(orders: &Orders) -> Result<(), ApiError> {
    if orders.len() <= MAX_ORDERS {
        return Ok(());
    }
    let message = format!("must be of at most {MAX_ORDERS} orders");
    Err(ApiError::new(ErrorType::ValidationError).detail("/ticketUUIDs", message))
}

/// An entry for each barcode, in their order. One that is named again is that of a ticket that was admitted already, or
/// taken back.
async fn answer(
    app: &App,
    caller: &Caller,
    codes: &[ScannedCode],
    entries: Entries,
    again: &'static str,
    explain: Explain,
) -> Vec<CheckedInTicketView> {
    let mut seen = BTreeSet::new();
    let (mut views, mut unknown) = (Vec::with_capacity(codes.len()), 0_u32);
    for code in codes {
        let is_new = seen.insert(code.barcode().map_or_else(|| code.expose(), TicketBarcode::as_str));
        let found = code.barcode().and_then(|barcode| entries.get(barcode));
        let (done, reason, first_entry) = match found {
            None => (None, Some(Reason::Unknown.as_str()), None),
            Some(entry) if !is_new => (None, Some(entry.reason.unwrap_or(again)), entry.first_entry.clone()),
            Some(entry) => (Some(entry.view.clone()), entry.reason, entry.first_entry.clone()),
        };
        if reason == Some(Reason::Unknown.as_str()) && is_new {
            unknown = unknown.saturating_add(1);
        }
        views.push(match (reason, done, explain.0) {
            (None, Some(view), _) => view,
            (Some(reason), _, true) => CheckedInTicketView::explained(code, reason, first_entry),
            (Some(_), _, false) | (None, None, _) => CheckedInTicketView::default(),
        });
    }
    note_unknown_codes(app, caller.client(), unknown).await;
    views
}

async fn check_in_all(
    device: &Device,
    codes: &[ScannedCode],
    explain: Explain,
) -> Result<Vec<CheckedInTicketView>, ApiError> {
    let (app, caller) = (&device.app, &device.caller);
    let few_guesses = async { look_at_codes(app, caller.client()).await.map_err(ApiError::from) };
    let (orders, ()) = tokio::try_join!(find_orders(app, caller, codes), few_guesses)?;
    let work = orders.into_iter().map(|(order, barcodes)| {
        let device = device.clone();
        async move { check_in_order(&device, &order, barcodes).await }
    });
    let entries: Entries = side_by_side(work.collect()).await?.into_iter().flatten().collect();
    let again = Reason::AlreadyAdmitted.as_str();
    Ok(answer(&device.app, &device.caller, codes, entries, again, explain).await)
}

/// Checks in the tickets of one order, in one write.
async fn check_in_order(
    device: &Device,
    order: &OrderId,
    barcodes: Vec<TicketBarcode>,
) -> Result<Entries, ApiError> {
    let wanted = WantedTickets::Barcodes(barcodes.clone());
    let Ok(scanned) = device.scan(order, &wanted, Effect::Written).await? else { return Ok(Entries::new()) };
    Ok(entries_of(&device.caller, &scanned.door.facts(), barcodes, |named| {
        let verdict = scanned.decided.verdicts.iter().find(|verdict| verdict.named == *named)?;
        let reason = verdict.verdict.reason().map(Reason::as_str);
        Some(Told { ticket: verdict.ticket.as_ref()?, reason, first_entry: verdict.after.first_entry })
    }))
}

/// What came of a ticket.
struct Told<'a> {
    ticket: &'a Ticket,
    reason: Option<&'static str>,
    first_entry: Option<Timestamp>,
}

/// The entries of an order's barcodes, as far as something came of their tickets.
fn entries_of<'a>(
    caller: &Caller,
    facts: &DoorFacts<'_>,
    barcodes: Vec<TicketBarcode>,
    told: impl Fn(&TicketId) -> Option<Told<'a>>,
) -> Entries {
    let entry = |barcode: TicketBarcode| {
        let named = ticket_of_barcode(facts.tickets, &barcode)?;
        let Told { ticket, reason, first_entry } = told(&named.id)?;
        let view = ticket_view(caller, facts, ticket)?;
        let first_entry = first_entry.map(|at| facts.zone.format(at));
        Some((barcode, Entry { view, reason, first_entry }))
    };
    barcodes.into_iter().filter_map(entry).collect()
}

/// A door is told neither addresses nor phone numbers.
fn ticket_view(caller: &Caller, facts: &DoorFacts<'_>, ticket: &Ticket) -> Option<CheckedInTicketView> {
    let line = facts.order.line_of(ticket)?;
    let ticket = CheckedInTicketView::of(WillCallTicketView::new(facts.order, line, ticket, facts.zone));
    Some(match caller.is_door() {
        true => CheckedInTicketView { email: Some(None), phone_number: Some(None), ..ticket },
        false => ticket,
    })
}

async fn undo_all(
    undoing: &Undoing,
    codes: &[ScannedCode],
    explain: Explain,
) -> Result<Vec<CheckedInTicketView>, ApiError> {
    let (app, caller) = (&undoing.app, &undoing.caller);
    let orders = find_orders(app, caller, codes).await?;
    let work = orders.into_iter().map(|(order, barcodes)| {
        let undoing = undoing.clone();
        async move { undo_order(&undoing, &order, barcodes).await }
    });
    let entries: Entries = side_by_side(work.collect()).await?.into_iter().flatten().collect();
    let again = NotUndone::NeverAdmitted.as_str();
    Ok(answer(app, caller, codes, entries, again, explain).await)
}

async fn undo_order(
    undoing: &Undoing,
    order: &OrderId,
    barcodes: Vec<TicketBarcode>,
) -> Result<Entries, ApiError> {
    let undone = undoing.of_order(order, &WantedTickets::Barcodes(barcodes.clone())).await?;
    let Some(undone) = undone else { return Ok(Entries::new()) };
    Ok(entries_of(&undoing.caller, &undone.door.facts(), barcodes, |named| {
        let found = undone.tickets.iter().find(|ticket| ticket.named == *named)?;
        let reason = found.outcome.err().map(NotUndone::as_str);
        Some(Told { ticket: found.ticket.as_ref()?, reason, first_entry: found.after.first_entry })
    }))
}
