//! `PUT /v2/b2b/reservations`.

use crate::holds::{MAX_ROUNDS, StepOutcome, Work, count_wanted, item_ids, storefront, try_again};
use crate::refusal::{check_size, not_found, refused};
use adapters::App;
use axum::extract::State;
use axum::response::Response;
use domain::reservation::{ReservationChange, ReservationRefusal, decide_update};
use store::reservation::RecordChange;
use web::access::{Caller, CounterStaff};
use web::idempotency::once;
use web::{ApiError, Body, ErrorBody, IdempotencyKey};
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
    staff: CounterStaff,
    key: IdempotencyKey,
    body: Body<ReservationUpdateInput>,
) -> Result<Response, ApiError> {
    change(&app, &staff, ROUTE, &key, body).await
}

/// Changes a reservation for whoever asks. The route names the request in fingerprints.
pub(crate) async fn change(
    app: &App,
    caller: &Caller,
    route: &str,
    key: &IdempotencyKey,
    body: Body<ReservationUpdateInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let fingerprint = body.fingerprint(route, &hash_key);
    let change = body.parse(|checker, input| input.read(checker, caller.tenant.zone))?;
    check_size(caller, &change.items)?;
    once(app, caller, key, &fingerprint, apply(app, caller, change)).await
}

async fn apply(app: &App, caller: &Caller, change: ReservationChange) -> Result<ReservationOutput, ApiError> {
    count_wanted(app, caller, &change.items).await?;
    let named = change.items.iter().map(|item| item.instance);
    let found = app.store.load_reservation_and_slots(caller.tenant.id, change.id, named).await?;
    let (Some(mut reservation), ledgers) = found else { return Err(unknown()) };
    let storefront = storefront(caller);
    if !reservation.is_of(storefront) {
        return Err(unknown());
    }
    let change = match storefront {
        Some(_) => change.of_visitor(&reservation, caller.tenant.hold_secs),
        None => change,
    };
    let mut work = Work::on(app, caller, ledgers).await?;
    let item_ids = item_ids(app, change.items.len())?;
    for _ in 0..MAX_ROUNDS {
        let update = decide_update(&reservation, &change, &item_ids, &work.slots(), caller.clock.now());
        let update = update.map_err(answer)?.by(&reservation, caller.operator());
        let record = RecordChange { old: &reservation, next: &update.next };
        let record = (update.next != reservation).then_some(record);
        match work.carry_out(&update.step, record).await? {
            StepOutcome::Done => return Ok(present(&update.next, caller)),
            StepOutcome::Again => {}
            StepOutcome::RecordChanged(None) => return Err(unknown()),
            // An earlier try of this request, whose answer was lost.
            StepOutcome::RecordChanged(Some(now)) if now == update.next => return Ok(present(&now, caller)),
            StepOutcome::RecordChanged(Some(now)) => reservation = now,
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
