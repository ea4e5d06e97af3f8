//! `DELETE /v2/b2b/reservations/{id}`.

use crate::holds::{MAX_ROUNDS, Outcome, Work, try_again};
use crate::read::reservation_id;
use crate::refusal::{not_found, refused};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::reservation::{Reservation, Step, Terms, decide_holds};
use platform::access::{Caller, Staff};
use platform::idempotency::once;
use platform::{ApiError, App, ErrorBody, IdempotencyKey};
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
    staff: Staff,
    key: IdempotencyKey,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE /v2/b2b/reservations/{id}");
    let run = async {
        let tenant = staff.tenant.id;
        let reservation = app.store.load_reservation(tenant, reservation_id(&id)?).await?;
        let reservation = reservation.ok_or_else(not_found)?;
        let terms = Box::pin(release(&app, &staff, &reservation)).await?;
        Ok(ReservationOutput::of(&reservation, &terms, staff.tenant.zone))
    };
    once(&app, &staff, &key, &fingerprint, Box::pin(run)).await
}

/// Gives the seats back and marks the record at the same time. The mark only keeps a late repetition of the
/// request that made the reservation from holding its seats again, so that only a reservation without items,
/// which has no other trace, depends on it.
async fn release(app: &App, caller: &Caller, reservation: &Reservation) -> Result<Terms, ApiError> {
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

async fn release_holds(app: &App, caller: &Caller, reservation: &Reservation) -> Result<Terms, ApiError> {
    let mut work = Work::releasing(app, caller);
    let mut terms = reservation.terms.clone();
    for _ in 0..MAX_ROUNDS {
        let (expires_at, now) = (reservation.terms.expires_at, caller.clock.now());
        let step = decide_holds(reservation, &[], expires_at, &work.slots(), now).map_err(refused)?;
        if step == Step::Commit(Default::default()) {
            // Nothing is held: given back by an earlier try of this request, or not held in the first place.
            return if work.is_in_doubt() { Ok(terms) } else { Err(not_found()) };
        }
        if !work.is_in_doubt() {
            terms = reservation.kept(&reservation.holds(work.slots().ledgers));
        }
        match work.carry_out(&step, None).await? {
            Outcome::Done => return Ok(terms),
            Outcome::Again | Outcome::RecordChanged(_) => {}
        }
    }
    Err(try_again())
}
