//! `POST /v2/b2b/admissions/lookup`.

use crate::device::{Device, Effect, ScannedThing};
use crate::identity::Identity;
use adapters::App;
use axum::Json;
use axum::extract::State;
use domain::admission::Checks;
use domain::order::ScanType;
use sagas::admission::{DoorOrder, ScannedCard, WantedTickets};
use web::access::{Caller, DoorStaff};
use web::{ApiError, Body, ErrorBody};
use wire::admission::{AdmissionResultView, CodeLookupInput, CodeLookupView};
use wire::order::OrderInShortView;

/// Look a code up, without effect
///
/// What it is, what a scan would be answered now, and the order of a ticket or of an order's number.
#[utoipa::path(
    post,
    path = "/v2/b2b/admissions/lookup",
    tag = "Admission",
    request_body = CodeLookupInput,
    responses(
        (status = 200, description = "What the code is, also where it is nobody's", body = CodeLookupView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans, or too many codes that are nobody's", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn look_up(
    State(app): State<App>,
    staff: DoorStaff,
    body: Body<CodeLookupInput>,
) -> Result<Json<CodeLookupView>, ApiError> {
    let code = body.parse(|checker, input| input.read(checker))?;
    let device = Device::looking(&app, &staff);
    let thing = device.scan_code(&code, None, Effect::None).await?;
    let result = device.result(&thing, Effect::None).await?;
    let (kind, orders) = match &thing {
        ScannedThing::Ticket(scanned) => ("ticket", vec![in_short(&scanned.door)]),
        ScannedThing::Card(scanned) => match scanned.as_ref() {
            ScannedCard::Several(_) => ("ambiguous", Vec::new()),
            ScannedCard::One { .. } | ScannedCard::None => ("membership", Vec::new()),
        },
        ScannedThing::Number(order) => {
            match device.scan(order, &WantedTickets::Ids(Vec::new()), Effect::None).await? {
                Ok(scanned) => ("order", vec![in_short(&scanned.door)]),
                // It is not paid.
                Err(_) => return Ok(Json(nobodys())),
            }
        }
        ScannedThing::Nothing => ("unknown", Vec::new()),
    };
    Ok(Json(CodeLookupView { kind, result, orders }))
}

fn in_short(door: &DoorOrder) -> OrderInShortView {
    OrderInShortView::new(&door.order, &door.tickets, door.zone)
}

fn nobodys() -> CodeLookupView {
    CodeLookupView { kind: "unknown", result: AdmissionResultView::unknown_code(&[]), orders: Vec::new() }
}

impl Device {
    /// One that only looks.
    pub(crate) fn looking(app: &App, caller: &Caller) -> Self {
        Self {
            app: app.clone(),
            caller: caller.clone(),
            identity: Identity::of_look_up(),
            terminal: None,
            event: None,
            scan_type: ScanType::Entry,
            forced: None,
            checks: Checks::All,
        }
    }
}
