//! `POST /v2/b2b/admissions`.

use crate::answer::{not_at_door, unknown};
use crate::device::{Device, Effect};
use crate::identity::{Identity, check_force};
use adapters::App;
use adapters::rate_limit::{count_scan, count_unknown_code, look_at_codes};
use axum::extract::State;
use axum::response::Response;
use domain::CardId;
use domain::admission::{Checks, PickedItem};
use sagas::admission::WantedTickets;
use web::access::DoorStaff;
use web::idempotency::once_or_resume;
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
use wire::admission::{AdmissionAnswer, AdmissionInput, AdmissionWish, NamedOrder, OrderWish, ScanSubject};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/admissions";

/// Check visitors in or out
///
/// By what a device scanned, by tickets' ids, or so many of an order. Whether somebody may pass is always answered with
/// 200: `admitted` says whether, `reason` why not. Of two doors with one barcode exactly one lets in.
#[utoipa::path(
    post,
    path = "/v2/b2b/admissions",
    tag = "Admission",
    request_body = AdmissionInput,
    responses(
        (status = 200, description = "What came of each ticket or card", body = AdmissionAnswer),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: order, item or event", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans, or too many codes that are nobody's", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`: nothing was decided; repeat with the same key", body = ErrorBody),
    ),
)]
pub(crate) async fn admit(
    State(app): State<App>,
    staff: DoorStaff,
    key: IdempotencyKey,
    body: Body<AdmissionInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let mut insists = false;
    let wish = body.parse(|checker, input| {
        insists = input.insists();
        input.read(checker)
    });
    // Whoever may not insist is told so before any fault.
    if insists {
        check_force(&staff)?;
    }
    let wish = wish?;
    let fingerprint = identity.fingerprint.clone();
    let AdmissionWish { wanted, event, scan_type, card, terminal, forced } = wish;
    let device = Device {
        app: app.clone(),
        caller: staff.clone(),
        identity,
        terminal,
        event,
        scan_type,
        forced,
        checks: Checks::All,
    };
    // Where an earlier try has not answered, nobody at the door waits for it: what it wrote is found by the scan.
    let again = async { scanned(&device, &wanted, card).await.map(Some) };
    let work = scanned(&device, &wanted, card);
    once_or_resume(&app, &staff, &key, &fingerprint, again, work).await
}

/// What came of all that was shown.
async fn scanned(
    device: &Device,
    wanted: &ScanSubject,
    card: Option<CardId>,
) -> Result<AdmissionAnswer, ApiError> {
    match wanted {
        ScanSubject::Code(code) => {
            let thing = device.scan_code(code, card, Effect::Written).await?;
            Ok(AdmissionAnswer::of(vec![device.result(&thing, Effect::Written).await?], 0))
        }
        ScanSubject::Tickets(named) => {
            count_scan(&device.app, device.caller.client()).await?;
            Ok(AdmissionAnswer::of(device.scan_tickets(named).await?, 0))
        }
        ScanSubject::Order(order) => some_of_order(device, order).await,
    }
}

/// So many of an order.
async fn some_of_order(device: &Device, wish: &OrderWish) -> Result<AdmissionAnswer, ApiError> {
    let (app, client) = (&device.app, device.caller.client());
    let order = match &wish.order {
        NamedOrder::Id(id) => {
            count_scan(app, client).await?;
            id.clone()
        }
        NamedOrder::Number(number) => {
            let find = app.store.find_order_of_number(client.tenant.id, number);
            let (allowed, few_guesses, found) =
                tokio::join!(count_scan(app, client), look_at_codes(app, client), find);
            allowed?;
            few_guesses?;
            let Some(order) = found? else {
                count_unknown_code(app, client).await?;
                return Err(unknown(wish.order.field()));
            };
            order
        }
    };
    let items = wish.items.as_ref().map(|items| {
        let picked =
            items.iter().map(|wish| PickedItem { item: wish.item.clone(), quantity: wish.quantity.get() });
        picked.collect()
    });
    let scanned =
        device.scan(&order, &WantedTickets::Part { items, kind: device.scan_type }, Effect::Written).await?;
    let scanned = scanned.map_err(|refused| not_at_door(refused, wish.order.field()))?;
    Ok(AdmissionAnswer::of(device.results(&scanned, Effect::Written), scanned.resolved.missing))
}
