//! `PUT /v2/b2b/reservations`.

use crate::holds::{MAX_ROUNDS, Outcome, Work, item_ids, try_again};
use crate::refusal::{not_found, refused};
use axum::extract::State;
use axum::response::Response;
use domain::reservation::{ReservationChange, ReservationRefusal, decide_update};
use platform::access::{Caller, Staff};
use platform::idempotency::once;
use platform::{ApiError, App, Body, ErrorBody, IdempotencyKey};
use store::reservation::RecordChange;
use wire::reservation::{ReservationOutput, ReservationUpdateInput};

/// Names the request in fingerprints.
const ROUTE: &str = "PUT /v2/b2b/reservations";

/// Change a reservation's seats and expiry
///
/// What is not named is released. All of the change happens or none: a refused increase leaves the reservation
/// as it was.
#[utoipa::path(
    put,
    path = "/v2/b2b/reservations",
    tag = "Reservations",
    request_body = ReservationUpdateInput,
    responses(
        (status = 200, description = "The reservation as it is now", body = ReservationOutput),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the reservation is not live, or an id is unknown", body = ErrorBody),
        (status = 409, description = "`NOT_ENOUGH_CAPACITY`, `SALES_CLOSED`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn update(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<ReservationUpdateInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(ROUTE, &hash_key);
    let change = body.parse(|checker, input| input.read(checker, staff.tenant.zone))?;
    once(&app, &staff, &key, &fingerprint, Box::pin(apply(&app, &staff, &change))).await
}

async fn apply(
    app: &App,
    caller: &Caller,
    change: &ReservationChange,
) -> Result<ReservationOutput, ApiError> {
    let named = change.items.iter().map(|item| item.instance);
    let found = app.store.load_reservation_and_slots(caller.tenant.id, change.id, named).await?;
    let (Some(mut reservation), ledgers) = found else { return Err(unknown()) };
    let mut work = Work::on(app, caller, ledgers).await?;
    let item_ids = item_ids(app, change.items.len())?;
    for _ in 0..MAX_ROUNDS {
        let update = decide_update(&reservation, change, &item_ids, &work.slots(), caller.clock.now());
        let update = update.map_err(answer)?;
        let record = RecordChange { old: &reservation, next: &update.next };
        let record = (update.next != reservation).then_some(record);
        match work.carry_out(&update.step, record).await? {
            Outcome::Done => return Ok(present(&update.next, caller)),
            Outcome::Again => {}
            Outcome::RecordChanged(None) => return Err(unknown()),
            // An earlier try of this request, whose answer was lost.
            Outcome::RecordChanged(Some(now)) if now == update.next => return Ok(present(&now, caller)),
            Outcome::RecordChanged(Some(now)) => reservation = now,
        }
    }
    Err(try_again())
}

fn present(reservation: &domain::reservation::Reservation, caller: &Caller) -> ReservationOutput {
    ReservationOutput::of(reservation, &reservation.terms, caller.tenant.zone)
}

fn unknown() -> ApiError {
    not_found().detail("/id", "was not found")
}

fn answer(refusal: ReservationRefusal) -> ApiError {
    if refusal == ReservationRefusal::NotLive { unknown() } else { refused(refusal) }
}
