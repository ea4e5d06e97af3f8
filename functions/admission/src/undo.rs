//! `POST /v2/b2b/admissions/undo`.

use crate::answer::busy;
use crate::device::of_each_order;
use crate::identity::{Identity, actor};
use adapters::App;
use adapters::rate_limit::{count_scan, note_unknown_codes};
use axum::extract::State;
use axum::response::Response;
use domain::OrderId;
use domain::admission::{ScannedCode, UndoRequest, UndoRight};
use sagas::admission::{DoorQuestion, DoorUndo, WantedTickets, find_by_code, undo as take_back};
use web::access::{Caller, DoorStaff};
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
use wire::admission::{
    AdmissionResultView, NamedTicket, UndoAdmissionsInput, UndoSubject, UndoWish, UndoneAnswer,
};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/admissions/undo";

/// Take back the last scan of tickets
///
/// They are again as they were before it. A `door` key takes back its own scans of the last 15 minutes, others any. The
/// record of the scan stays, and says when it was taken back and by whom. Visits by member cards are not taken back, and
/// their codes are `unknown` here.
#[utoipa::path(
    post,
    path = "/v2/b2b/admissions/undo",
    tag = "Admission",
    request_body = UndoAdmissionsInput,
    responses(
        (status = 200, description = "What came of each ticket, and why nothing was taken back: `notAdmitted`, `notPermitted`, `blocked`, `unknown`", body = UndoneAnswer),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 429, description = "`THROTTLED`: too many scans", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn undo(
    State(app): State<App>,
    staff: DoorStaff,
    key: IdempotencyKey,
    body: Body<UndoAdmissionsInput>,
) -> Result<Response, ApiError> {
    let identity = Identity::of(&app, &staff, ROUTE, &key, &body).await?;
    let UndoWish { wanted, terminal } = body.parse(|checker, input| input.read(checker))?;
    let undoing = Undoing { app: app.clone(), caller: staff.clone(), identity, terminal };
    let work = async {
        match &wanted {
            UndoSubject::Code(code) => Ok(UndoneAnswer::of(vec![undo_code(&undoing, code).await?])),
            UndoSubject::Tickets(named) => {
                count_scan(&app, staff.client()).await?;
                Ok(UndoneAnswer::of(undo_tickets(&undoing, named).await?))
            }
        }
    };
    once(&app, &staff, &key, &undoing.identity.fingerprint, work).await
}

/// Somebody who takes scans back.
#[derive(Clone)]
pub(crate) struct Undoing {
    pub(crate) app: App,
    pub(crate) caller: Caller,
    pub(crate) identity: Identity,
    /// The device.
    pub(crate) terminal: Option<String>,
}

impl Undoing {
    /// Takes back the last scans of tickets of one order.
    pub(crate) async fn of_order(
        &self,
        order: &OrderId,
        wanted: &WantedTickets,
    ) -> Result<Option<DoorUndo>, ApiError> {
        let caller = &self.caller;
        let question = DoorQuestion { order, wanted, event: None };
        let right = match caller.is_door() {
            true => UndoRight::Own,
            false => UndoRight::Any,
        };
        let request = UndoRequest {
            id: self.identity.of_order(&self.app, order)?,
            right,
            actor: actor(caller, self.terminal.clone()),
            now: caller.clock.now(),
        };
        let undone = take_back(&self.app, &caller.tenant, &question, &request).await.map_err(busy)?;
        Ok(undone.ok())
    }
}

fn results(undone: &DoorUndo) -> Vec<AdmissionResultView> {
    let facts = undone.door.facts();
    undone.tickets.iter().map(|ticket| AdmissionResultView::of_undone(&facts, ticket)).collect()
}

async fn undo_code(undoing: &Undoing, code: &ScannedCode) -> Result<AdmissionResultView, ApiError> {
    let (app, client) = (&undoing.app, undoing.caller.client());
    let find = find_by_code(app, &undoing.caller.tenant, code);
    let (allowed, found) = tokio::join!(count_scan(app, client), find);
    allowed?;
    if let Some((order, barcode)) = found.map_err(busy)?.zip(code.barcode()) {
        let undone = undoing.of_order(&order, &WantedTickets::Barcode(barcode.clone())).await?;
        if let Some(result) = undone.and_then(|undone| results(&undone).into_iter().next()) {
            return Ok(result);
        }
    }
    // Of a member card nothing is taken back. It is not said that it is one, so that nobody finds cards here.
    note_unknown_codes(app, client, 1).await;
    Ok(AdmissionResultView::unknown_code(&[]))
}

async fn undo_tickets(
    undoing: &Undoing,
    named: &[NamedTicket],
) -> Result<Vec<AdmissionResultView>, ApiError> {
    of_each_order(named, |order, tickets| {
        let undoing = undoing.clone();
        async move {
            let undone = undoing.of_order(&order, &WantedTickets::Ids(tickets)).await?;
            Ok::<_, ApiError>(undone.as_ref().map(results).unwrap_or_default())
        }
    })
    .await
}
