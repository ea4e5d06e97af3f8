//! Single scans as the interface had them before: `POST /v2/b2b/willcall/checkinexternal` and
//! `POST …/willcall/checkinticketsexternal`.

use crate::answer::unknown;
use crate::device::{Device, Effect, ScannedThing};
use crate::identity::{Identity, check_force};
use adapters::App;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::InstanceId;
use domain::admission::{Checks, Reason};
use domain::number::whole_number;
use domain::order::ScanType;
use sagas::admission::{DoorScan, ScannedCard};
use web::access::{Caller, DoorStaff};
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
use wire::admission::{
    AdmissionResultView, BarcodeLookupInput, BarcodeLookupView, BarcodeScanInput, BarcodeScanView,
};

/// Names the request in fingerprints.
const SCAN: &str = "POST /v2/willcall/checkinticketsexternal";

/// Look a ticket's barcode up, without effect
///
/// When it is let in around the start, and whether it would be now.
#[utoipa::path(
    post,
    path = "/v2/b2b/willcall/checkinexternal",
    tag = "Admission",
    request_body = BarcodeLookupInput,
    responses(
        (status = 200, description = "The ticket's window and its order", body = BarcodeLookupView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: no ticket has this barcode", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans, or too many codes that are nobody's", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn look_up(
    State(app): State<App>,
    staff: DoorStaff,
    body: Body<BarcodeLookupInput>,
) -> Result<Json<BarcodeLookupView>, ApiError> {
    let code = body.parse(|checker, input| input.read(checker))?;
    let device = Device::looking(&app, &staff);
    let thing = device.scan_code(&code, None, Effect::None).await?;
    let found = match &thing {
        ScannedThing::Ticket(scanned) => window_of(scanned),
        ScannedThing::Card(_) | ScannedThing::Number(_) | ScannedThing::Nothing => None,
    };
    found.map(Json).ok_or_else(|| unknown("/ticketUUID"))
}

fn window_of(scanned: &DoorScan) -> Option<BarcodeLookupView> {
    let facts = scanned.door.facts();
    let verdict = scanned.decided.verdicts.first()?;
    let ticket = verdict.ticket.as_ref()?;
    let line = facts.order.line_of(ticket)?;
    let slot = facts.slot_of(line);
    let (minutes_before, minutes_after) = facts.entrance_of(line).minutes_around(slot.start);
    Some(BarcodeLookupView {
        check_in_status: verdict.verdict.reason().map_or(Reason::MAY_BE_ADMITTED, Reason::status),
        order_id: whole_number(facts.order.id.as_str()).unwrap_or_default(),
        minutes_before,
        minutes_after,
        check_in_date: verdict.before.first_entry.map(|at| facts.zone.format(at)),
    })
}

/// Scan a barcode
///
/// A ticket's or a member card's. `checkInStatus` says whether it was admitted now, or why not.
#[utoipa::path(
    post,
    path = "/v2/willcall/checkinticketsexternal",
    tag = "Admission",
    request_body = BarcodeScanInput,
    responses(
        (status = 200, description = "What came of it, as far as it is known", body = BarcodeScanView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: there is no such event", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans, or too many codes that are nobody's", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`: nothing was decided; repeat with the same key", body = ErrorBody),
    ),
)]
pub(crate) async fn scan(
    State(app): State<App>,
    staff: DoorStaff,
    key: IdempotencyKey,
    body: Body<BarcodeScanInput>,
) -> Result<Response, ApiError> {
    scan_once(&app, &staff, &key, body).await
}

/// Scan a barcode, for staff
///
/// As `POST /v2/willcall/checkinticketsexternal`.
#[utoipa::path(
    post,
    path = "/v2/b2b/willcall/checkinticketsexternal",
    tag = "Admission",
    request_body = BarcodeScanInput,
    responses(
        (status = 200, description = "What came of it, as far as it is known", body = BarcodeScanView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: there is no such event", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans, or too many codes that are nobody's", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`: nothing was decided; repeat with the same key", body = ErrorBody),
    ),
)]
pub(crate) async fn scan_for_staff(
    State(app): State<App>,
    staff: DoorStaff,
    key: IdempotencyKey,
    body: Body<BarcodeScanInput>,
) -> Result<Response, ApiError> {
    scan_once(&app, &staff, &key, body).await
}

async fn scan_once(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    body: Body<BarcodeScanInput>,
) -> Result<Response, ApiError> {
    // Both paths are one request.
    let identity = Identity::of(app, caller, SCAN, key, &body).await?;
    let mut insists = false;
    let wish = body.parse(|checker, input| {
        insists = input.insists();
        input.read(checker)
    });
    // Whoever may not insist is told so before any fault.
    if insists {
        check_force(caller)?;
    }
    let wish = wish?;
    let fingerprint = identity.fingerprint.clone();
    let device = Device {
        app: app.clone(),
        caller: caller.clone(),
        identity,
        terminal: wish.terminal,
        event: wish.event,
        scan_type: ScanType::Entry,
        forced: wish.is_forced.then(|| NOT_VALIDATED.to_owned()),
        checks: Checks::All,
    };
    let work = async {
        let thing = device.scan_code(&wish.code, None, Effect::Written).await;
        let thing = thing.map_err(|refused| refused.pointing(field_here))?;
        Ok(match &thing {
            ScannedThing::Ticket(scanned) => of_ticket(scanned, wish.event).unwrap_or_default(),
            ScannedThing::Card(_) | ScannedThing::Number(_) | ScannedThing::Nothing => {
                of_other(&thing, device.result(&thing, Effect::Written).await?)
            }
        })
    };
    once(app, caller, key, &fingerprint, work).await
}

/// Why a scan is forced that says no more than that it is not validated.
const NOT_VALIDATED: &str = "validate: false";

/// What is called otherwise in these requests.
fn field_here(field: &str) -> Option<String> {
    (field == "/eventId").then(|| "/eventInstance".to_owned())
}

fn of_ticket(scanned: &DoorScan, event: Option<InstanceId>) -> Option<BarcodeScanView> {
    let facts = scanned.door.facts();
    let verdict = scanned.decided.verdicts.first()?;
    let (order, zone) = (facts.order, facts.zone);
    let own = verdict.ticket.as_ref().and_then(|ticket| order.line_of(ticket));
    let start_of = |line| zone.format(facts.slot_of(line).start);
    // Where nothing else is named, it is scanned into its own event.
    let (here, here_at) = match event {
        None => (own.map(|line| line.event_name.clone()), own.map(start_of)),
        Some(event) => {
            let template = facts.templates.iter().find(|template| template.owns(&event));
            let ledger = scanned.door.event_ledger.as_ref();
            (template.map(|template| template.name.clone()), ledger.map(|ledger| zone.format(ledger.start)))
        }
    };
    Some(BarcodeScanView {
        check_in_status: verdict.verdict.status(),
        order_id: Some(order.id.to_string()),
        order_creation_date: Some(zone.format(order.created_at)),
        check_in_date: verdict.after.first_entry.map(|at| zone.format(at)),
        ticket_event_name: own.map(|line| line.event_name.clone()),
        ticket_event_time: own.map(start_of),
        checked_in_event_name: here,
        checked_in_event_time: here_at,
        ticket_type_name: own.map(|line| line.ticket_type_name.clone()),
        ..BarcodeScanView::default()
    })
}

/// What came of a card, of an order's number, or of what is nobody's.
fn of_other(thing: &ScannedThing, result: AdmissionResultView) -> BarcodeScanView {
    let card = result.card;
    let reason = match thing {
        ScannedThing::Card(scanned) => match scanned.as_ref() {
            ScannedCard::One { decided, .. } => decided.verdict.reason(),
            ScannedCard::Several(_) => Some(Reason::Ambiguous),
            ScannedCard::None => Some(Reason::Unknown),
        },
        ScannedThing::Ticket(_) | ScannedThing::Number(_) | ScannedThing::Nothing => Some(Reason::Unknown),
    };
    BarcodeScanView {
        check_in_status: reason.map_or(Reason::ADMITTED_NOW, Reason::status),
        level_name: card.as_ref().and_then(|card| card.level_name.clone()),
        card_name: card.as_ref().map(|card| card.card_name.clone()),
        card_type: card.as_ref().map(|card| card.card_type),
        card_standing: card.as_ref().map(|card| card.card_standing),
        membership_expiration_date: card.map(|card| card.membership_expiration_date),
        ..BarcodeScanView::default()
    }
}
