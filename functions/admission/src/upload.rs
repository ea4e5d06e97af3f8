//! `POST /v2/b2b/admissions/uploads`.

use crate::answer::busy;
use crate::codes::{CodeGroup, by_beginning};
use crate::identity::{Identity, actor};
use crate::side_by_side::side_by_side;
use adapters::App;
use adapters::rate_limit::{count_scans, look_at_codes, note_told_scans, note_unknown_codes};
use axum::extract::State;
use axum::response::Response;
use domain::admission::{ScannedCode, ToldVisit, UploadOutcome, UploadedScan, ticket_of_barcode};
use domain::{AdmissionId, OrderId, TicketBarcode};
use sagas::admission::{CardUpload, OrderUpload, find_by_barcode, upload as note, upload_visit};
use std::collections::BTreeMap;
use web::access::{Caller, DoorStaff};
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
use wire::admission::{
    DeviceScan, NamedTicket, ScanUpload, ScanUploadAnswer, ScanUploadInput, Uploaded, UploadedScanView,
};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/admissions/uploads";

/// Upload scans that a device made offline
///
/// They happened, so they are noted whatever the rules say. Each is named by the device and noted once, for ever: an
/// upload that broke off is sent again as it is. An entry with a member card counts as a visit of its day; of its exits
/// and of those that were refused nothing is kept, and a code of several cards is `notValid`.
#[utoipa::path(
    post,
    path = "/v2/b2b/admissions/uploads",
    tag = "Admission",
    request_body = ScanUploadInput,
    responses(
        (status = 200, description = "What came of each scan", body = ScanUploadAnswer),
        (status = 400, description = "`VALIDATION_ERROR`; nothing is noted", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: codes among the scans, and too many scans or codes that are nobody's; nothing is noted", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`: some may be noted; the same upload again completes it", body = ErrorBody),
    ),
)]
pub(crate) async fn upload(
    State(app): State<App>,
    staff: DoorStaff,
    key: IdempotencyKey,
    body: Body<ScanUploadInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let told = body.parse(|checker, input| input.read(checker, staff.tenant.zone, staff.clock.now()))?;
    let work = upload_all(&app, &staff, &told);
    once(&app, &staff, &key, &identity.fingerprint, work).await
}

/// Scans of one order, with their places in the upload.
#[derive(Default)]
struct OfOrder {
    places: Vec<usize>,
    scans: Vec<UploadedScan>,
}

/// A scan of what is no ticket, with its place in the upload.
struct CardScanned {
    place: usize,
    id: AdmissionId,
    told: ToldVisit,
}

/// Scans of one code that is no ticket's.
struct OfCode {
    code: ScannedCode,
    scans: Vec<CardScanned>,
}

/// Counts the scans of an upload and notes them. Codes are asked for within the limits alone: whoever has stolen the key
/// of a door must not try them out here. Tickets that are named by their ids tell nothing, and what happened is noted.
async fn upload_all(app: &App, caller: &Caller, told: &ScanUpload) -> Result<ScanUploadAnswer, ApiError> {
    let (client, count) = (caller.client(), u32::try_from(told.scans.len()).unwrap_or(u32::MAX));
    let codes: Vec<&ScannedCode> = told.scans.iter().filter_map(code_of).collect();
    if codes.is_empty() {
        return note_all(app, caller, told, &BTreeMap::new(), Some(count)).await;
    }
    let find = find_codes(app, caller, &codes);
    let (allowed, few_guesses, named) =
        tokio::join!(count_scans(app, client, count), look_at_codes(app, client), find);
    allowed?;
    few_guesses?;
    note_all(app, caller, told, &named?, None).await
}

/// The code that a device scanned; none where it names the ticket.
fn code_of(scan: &DeviceScan) -> Option<&ScannedCode> {
    match &scan.scanned {
        Uploaded::Code(code) => Some(code),
        Uploaded::Ticket(_) => None,
    }
}

/// The scans of an upload, by what they are of.
#[derive(Default)]
struct Sorted {
    /// Those of tickets.
    orders: BTreeMap<OrderId, OfOrder>,
    /// Those of other codes.
    others: BTreeMap<String, OfCode>,
    /// What came of those whose name another scan of the upload has.
    outcomes: BTreeMap<usize, UploadOutcome>,
}

fn sort(told: &ScanUpload, codes: &BTreeMap<TicketBarcode, NamedTicket>) -> Sorted {
    let mut sorted = Sorted::default();
    let mut known: BTreeMap<&str, Option<OrderId>> = BTreeMap::new();
    for (place, scan) in told.scans.iter().enumerate() {
        let named = match &scan.scanned {
            Uploaded::Ticket(named) => Some(named),
            Uploaded::Code(code) => code.barcode().and_then(|barcode| codes.get(barcode)),
        };
        // Of one name and two orders, or of a card and anything else, the first stands.
        let order = named.map(|named| &named.order);
        match known.get(scan.id.as_str()) {
            None => {
                known.insert(scan.id.as_str(), order.cloned());
            }
            Some(first) if order.is_some() && first.as_ref() == order => {}
            Some(_) => {
                sorted.outcomes.insert(place, UploadOutcome::Duplicate);
                continue;
            }
        }
        let Some(NamedTicket { order, ticket }) = named else {
            note_other(&mut sorted.others, place, scan);
            continue;
        };
        let of_order = sorted.orders.entry(order.clone()).or_default();
        of_order.places.push(place);
        of_order.scans.push(UploadedScan {
            id: AdmissionId::of_scan(&scan.id, order),
            ticket: ticket.clone(),
            event: scan.event,
            kind: scan.scan_type,
            at: scan.at,
            decision: scan.decision,
            note: scan.note.clone(),
        });
    }
    sorted
}

/// Notes the scans of an upload. So many of them as are not counted yet are counted beside the first order.
async fn note_all(
    app: &App,
    caller: &Caller,
    told: &ScanUpload,
    codes: &BTreeMap<TicketBarcode, NamedTicket>,
    mut uncounted: Option<u32>,
) -> Result<ScanUploadAnswer, ApiError> {
    let Sorted { orders, others, mut outcomes } = sort(told, codes);
    let by = actor(caller, told.terminal.clone());
    let work = orders.into_iter().map(|(order, OfOrder { places, scans })| {
        let (app, tenant, by, now) = (app.clone(), caller.tenant.clone(), by.clone(), caller.clock.now());
        let counting = uncounted.take().map(|count| (caller.clone(), count));
        async move {
            let count = async {
                if let Some((caller, count)) = &counting {
                    note_told_scans(&app, caller.client(), *count).await;
                }
            };
            let upload = OrderUpload { order, scans };
            let noted = note(&app, &tenant, &upload, &by, now, count).await.map_err(busy)?;
            Ok::<_, ApiError>(places.into_iter().zip(noted).collect::<Vec<_>>())
        }
    });
    outcomes.extend(side_by_side(work.collect()).await?.into_iter().flatten());
    outcomes.extend(upload_cards(app, caller, others, told.terminal.as_deref()).await?);
    let view = |(place, scan): (usize, &DeviceScan)| {
        let outcome = outcomes.get(&place).copied().unwrap_or(UploadOutcome::Unknown);
        UploadedScanView::new(&scan.id, outcome)
    };
    Ok(ScanUploadAnswer { results: told.scans.iter().enumerate().map(view).collect() })
}

/// Keeps a scan of a code that is no ticket's.
fn note_other(others: &mut BTreeMap<String, OfCode>, place: usize, scan: &DeviceScan) {
    let (Uploaded::Code(code), Ok(id)) = (&scan.scanned, AdmissionId::parse(&scan.id)) else { return };
    let told = ToldVisit { kind: scan.scan_type, decision: scan.decision, at: scan.at };
    let of_code = others
        .entry(code.expose().to_ascii_lowercase())
        .or_insert_with(|| OfCode { code: code.clone(), scans: Vec::new() });
    of_code.scans.push(CardScanned { place, id, told });
}

/// Counts the visits by member cards, and the codes that are nobody's.
async fn upload_cards(
    app: &App,
    caller: &Caller,
    codes: BTreeMap<String, OfCode>,
    terminal: Option<&str>,
) -> Result<Vec<(usize, UploadOutcome)>, ApiError> {
    let work = codes.into_values().map(|OfCode { code, scans }| {
        let (app, tenant) = (app.clone(), caller.tenant.clone());
        let terminal = terminal.map(str::to_owned);
        async move {
            let mut outcomes = Vec::with_capacity(scans.len());
            for CardScanned { place, id, told } in scans {
                let upload = CardUpload { code: &code, told, id, terminal: terminal.as_deref() };
                let outcome = upload_visit(&app, &tenant, &upload).await.map_err(busy)?;
                let Some(outcome) = outcome else { return Ok::<_, ApiError>(None) };
                outcomes.push((place, outcome));
            }
            Ok(Some(outcomes))
        }
    });
    let found = side_by_side(work.collect()).await?;
    let unknown = found.iter().filter(|of_code| of_code.is_none()).count();
    note_unknown_codes(app, caller.client(), u32::try_from(unknown).unwrap_or(u32::MAX)).await;
    Ok(found.into_iter().flatten().flatten().collect())
}

/// The tickets of these codes of an upload, as far as they are any.
async fn find_codes(
    app: &App,
    caller: &Caller,
    codes: &[&ScannedCode],
) -> Result<BTreeMap<TicketBarcode, NamedTicket>, ApiError> {
    let work = by_beginning(codes.iter().copied()).into_iter().map(|CodeGroup { first, all }| {
        let (app, tenant) = (app.clone(), caller.tenant.clone());
        async move {
            let Some(order) = find_by_barcode(&app, &tenant, &first).await.map_err(busy)? else {
                return Ok::<_, ApiError>(Vec::new());
            };
            let found = app.store.load_order_with_tickets(tenant.id, &order).await?;
            let tickets = found.map(|(_, tickets)| tickets).unwrap_or_default();
            let named = |barcode: TicketBarcode| {
                let ticket = ticket_of_barcode(&tickets, &barcode)?.id.clone();
                Some((barcode, NamedTicket { order: order.clone(), ticket }))
            };
            Ok(all.into_iter().filter_map(named).collect())
        }
    });
    Ok(side_by_side(work.collect()).await?.into_iter().flatten().collect())
}
