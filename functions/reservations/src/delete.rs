//! `DELETE /v2/b2b/reservations/{id}`.

use crate::holds::{MAX_ROUNDS, StepOutcome, Work, storefront, try_again};
use crate::read::reservation_id;
use crate::refusal::{not_found, refused};
use adapters::App;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::reservation::{Reservation, ReservationStep, ReservationTerms, decide_holds};
use web::access::{Caller, CounterStaff};
use web::idempotency::once;
use web::{ApiError, ErrorBody, IdempotencyKey};
use wire::reservation::ReservationOutput;

/// Release a reservation
///
/// Others can buy them from then on.
#[utoipa::path(
    delete,
    path = "/v2/b2b/reservations/{id}",
    tag = "Reservations",
    params(("id" = i64, Path, description = "The reservation")),
    responses(
        (status = 200, description = "The reservation as it was", body = ReservationOutput),
        (status = 404, description = "`NOT_FOUND`: unknown, released, consumed or expired", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn delete(
    State(app): State<App>,
    staff: CounterStaff,
    key: IdempotencyKey,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    delete_one(&app, &staff, "/v2/b2b/reservations", &key, &id).await
}

/// Releases a reservation below this path for whoever asks.
pub(crate) async fn delete_one(
    app: &App,
    caller: &Caller,
    path: &str,
    key: &IdempotencyKey,
    id: &str,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE {path}/{id}");
    let run = async {
        let reservation = app.store.load_reservation(caller.tenant.id, reservation_id(id)?).await?;
        let own = reservation.filter(|found| found.is_of(storefront(caller)));
        let reservation = own.ok_or_else(not_found)?;
        let terms = release(app, caller, &reservation).await?;
        Ok(ReservationOutput::of(&reservation, &terms, caller.tenant.zone))
    };
    once(app, caller, key, &fingerprint, run).await
}

/// Gives the seats back and marks the record at the same time. The mark only keeps a late repetition of the
/// request that made the reservation from holding its seats again, so that only a reservation without items,
/// which has no other trace, depends on it.
async fn release(
    app: &App,
    caller: &Caller,
    reservation: &Reservation,
) -> Result<ReservationTerms, ApiError> {
    if caller.clock.now() >= reservation.terms.expires_at {
        return Err(not_found());
    }
    let mark = app.store.mark_reservation_released(caller.tenant.id, reservation.id);
    if reservation.terms.items.is_empty() {
        return if mark.await? { Ok(reservation.terms.clone()) } else { Err(not_found()) };
    }
    let (released, _) = tokio::join!(Box::pin(release_holds(app, caller, reservation)), Box::pin(mark));
    released
}

async fn release_holds(
    app: &App,
    caller: &Caller,
    reservation: &Reservation,
) -> Result<ReservationTerms, ApiError> {
    let mut work = Work::releasing(app, caller);
    let mut terms = reservation.terms.clone();
    for _ in 0..MAX_ROUNDS {
        let (expires_at, now) = (reservation.terms.expires_at, caller.clock.now());
        let step = decide_holds(reservation, &[], expires_at, &work.slots(), now).map_err(refused)?;
        if step == ReservationStep::Commit(Default::default()) {
            // Nothing is held: given back by an earlier try of this request, or not held in the first place.
            return if work.is_in_doubt() { Ok(terms) } else { Err(not_found()) };
        }
        if !work.is_in_doubt() {
            terms = reservation.kept(&reservation.holds(work.slots().ledgers));
        }
        match work.carry_out(&step, None).await? {
            StepOutcome::Done => return Ok(terms),
            StepOutcome::Again | StepOutcome::RecordChanged(_) => {}
        }
    }
    Err(try_again())
}
