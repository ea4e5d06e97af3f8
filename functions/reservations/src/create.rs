//! `POST /v2/b2b/reservations`.

use crate::holds::{MAX_ROUNDS, StepOutcome, Work, count_wanted, item_ids, storefront, try_again};
use crate::refusal::{check_size, refused};
use adapters::App;
use adapters::keyed_hash::HashKey;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::ReservationId;
use domain::reservation::{Reservation, ReservationContext, WantedItem, decide_holds};
use store::reservation::RecordChange;
use web::access::{Caller, CounterStaff};
use web::idempotency::{replayed, tie};
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::reservation::{ReservationInput, ReservationOutput};

/// Names the request in fingerprints.
const ROUTE: &str = "POST /v2/b2b/reservations";

/// Times a request starts over because its id was taken, or its record changed hands.
const MAX_STARTS: usize = 4;

/// What a repetition of a request with an idempotency key is recognised by. The id follows from the key.
struct Repeatable {
    id: ReservationId,
    fingerprint: String,
}

/// Reserve seats
///
/// They are held for ten minutes, or as long as the tenant's settings say. All of them are held or none.
#[utoipa::path(
    post,
    path = "/v2/b2b/reservations",
    tag = "Reservations",
    request_body = ReservationInput,
    responses(
        (status = 200, description = "The reservation", body = ReservationOutput),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: an event does not exist", body = ErrorBody),
        (status = 409, description = "`NOT_ENOUGH_CAPACITY`, `SALES_CLOSED`, `IDEMPOTENCY_KEY_REUSED`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn create(
    State(app): State<App>,
    staff: CounterStaff,
    key: IdempotencyKey,
    body: Body<ReservationInput>,
) -> Result<Response, ApiError> {
    reserve(&app, &staff, ROUTE, &key, body).await
}

/// Makes a reservation for whoever asks. The route names the request in fingerprints.
pub(crate) async fn reserve(
    app: &App,
    caller: &Caller,
    route: &str,
    key: &IdempotencyKey,
    body: Body<ReservationInput>,
) -> Result<Response, ApiError> {
    let repeatable = match key.text() {
        Some(key) => {
            let hash_key = app.hash_key(&caller.tenant).await?;
            let fingerprint = body.fingerprint(route, &hash_key);
            Some(Repeatable { id: derived_id(&hash_key, caller, key), fingerprint })
        }
        None => None,
    };
    let wanted = body.parse(|checker, input| input.read(checker))?;
    check_size(caller, &wanted)?;
    let fingerprint = repeatable.as_ref().map_or("", |repeatable| repeatable.fingerprint.as_str());
    let tied = tie(app, caller, key, fingerprint).await?;
    let outcome = held(app, caller, &wanted, repeatable.as_ref()).await;
    tied.end(app, outcome).await
}

async fn held(
    app: &App,
    caller: &Caller,
    wanted: &[WantedItem],
    repeatable: Option<&Repeatable>,
) -> Result<Response, ApiError> {
    for _ in 0..MAX_STARTS {
        if let Some(answer) = Box::pin(start(app, caller, wanted, repeatable)).await? {
            return Ok(answer);
        }
    }
    Err(try_again())
}

/// The id of the reservation of an idempotency key. Each kind of storefront has its own, so that none is answered what
/// another one made.
fn derived_id(hash_key: &HashKey, caller: &Caller, key: &str) -> ReservationId {
    let hash = match storefront(caller) {
        Some(scope) => {
            hash_key.hash("reservation of a storefront", &[scope.name().as_bytes(), key.as_bytes()])
        }
        None => hash_key.hash("reservation", &[key.as_bytes()]),
    };
    let [a, b, c, d, e, f, g, h, ..] = hash;
    ReservationId::from_bits(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

/// Puts the record while the ledgers are read, then holds the seats. None: start over.
async fn start(
    app: &App,
    caller: &Caller,
    wanted: &[WantedItem],
    repeatable: Option<&Repeatable>,
) -> Result<Option<Response>, ApiError> {
    let tenant = caller.tenant.id;
    let id = match repeatable {
        Some(repeatable) => repeatable.id,
        None => ReservationId::from_bits(app.ids.bits()?),
    };
    let beginning = ReservationContext {
        now: caller.clock.now(),
        hold_secs: caller.tenant.hold_secs,
        fingerprint: repeatable.map(|repeatable| repeatable.fingerprint.clone()),
        storefront: storefront(caller),
        operator: caller.operator().map(str::to_owned),
    };
    let mut reservation = Reservation::begin(id, wanted, &item_ids(app, wanted.len())?, beginning);
    let (put, ledgers) = tokio::join!(
        app.store.create_reservation(tenant, &reservation, app.wall_now()),
        app.store.load_slots(tenant, wanted.iter().map(|item| item.instance)),
    );
    let (put, ledgers) = (put?, ledgers?);
    let earlier = match put {
        Ok(()) => None,
        // The first try's answer was lost, and the client of the database tried again.
        Err(earlier) if earlier == reservation => None,
        // Its idempotency key is free again, and its holds are long over.
        Err(earlier) if repeatable.is_some() && !earlier.is_repeatable(caller.clock.now()) => {
            reservation.revision = earlier.revision.saturating_add(1);
            let renewal = RecordChange { old: &earlier, next: &reservation };
            if !app.store.replace_reservation(tenant, renewal, app.wall_now()).await? {
                return Ok(None);
            }
            None
        }
        Err(earlier) => Some(earlier),
    };
    let mut work = Work::on(app, caller, ledgers).await?;
    let Some(earlier) = earlier else {
        return fresh(&mut work, app, caller, &reservation, wanted).await.map(Some);
    };
    match repeatable {
        None => Ok(None),
        Some(repeatable) if earlier.fingerprint.as_ref() != Some(&repeatable.fingerprint) => {
            Err(ApiError::new(ErrorType::IdempotencyKeyReused))
        }
        Some(_) => repeat(&mut work, app, caller, &earlier, wanted).await,
    }
}

/// Holds the seats of a new record, or takes the record back. A repetition takes nothing, so it is not counted.
async fn fresh(
    work: &mut Work<'_>,
    app: &App,
    caller: &Caller,
    reservation: &Reservation,
    wanted: &[WantedItem],
) -> Result<Response, ApiError> {
    let outcome = match count_wanted(app, caller, wanted).await {
        Ok(()) => hold(work, caller, reservation, wanted).await,
        Err(refusal) => Err(refusal),
    };
    match outcome {
        Ok(answer) => Ok(Json(answer).into_response()),
        Err(refusal) if refusal.kind() == ErrorType::TryAgain && work.is_in_doubt() => Err(refusal),
        Err(refusal) => {
            // Without holds the record means nothing; should it stay, a repetition takes it over.
            app.store.discard_reservation(caller.tenant.id, reservation).await.ok();
            Err(refusal)
        }
    }
}

/// Answers a repeated request as the first one was answered, after completing it where that one died on the
/// way. The record is taken over first, so that the first request, should it be alive, does not discard it.
/// It is never discarded here: the first request may still hold the seats and answer so.
async fn repeat(
    work: &mut Work<'_>,
    app: &App,
    caller: &Caller,
    earlier: &Reservation,
    wanted: &[WantedItem],
) -> Result<Option<Response>, ApiError> {
    if earlier.is_unfinished(work.slots().ledgers, caller.clock.now()) {
        let next = Reservation { revision: earlier.revision.saturating_add(1), ..earlier.clone() };
        let taken = RecordChange { old: earlier, next: &next };
        if !app.store.replace_reservation(caller.tenant.id, taken, app.wall_now()).await? {
            return Ok(None);
        }
        let answer = hold(work, caller, &next, wanted).await?;
        return Ok(Some(replayed(Json(answer).into_response())));
    }
    let answer = ReservationOutput::first(earlier, caller.tenant.zone);
    Ok(Some(replayed(Json(answer).into_response())))
}

/// Holds the seats. A record that can be asked for again is marked in the same transaction: afterwards nothing
/// that becomes of the holds makes a repetition take seats a second time.
async fn hold(
    work: &mut Work<'_>,
    caller: &Caller,
    reservation: &Reservation,
    wanted: &[WantedItem],
) -> Result<ReservationOutput, ApiError> {
    let expires_at = reservation.terms.expires_at;
    let held = || ReservationOutput::first(reservation, caller.tenant.zone);
    let mut record = reservation.clone();
    for _ in 0..MAX_ROUNDS {
        let step =
            decide_holds(&record, wanted, expires_at, &work.slots(), caller.clock.now()).map_err(refused)?;
        let placed = record.as_placed();
        let mark = RecordChange { old: &record, next: &placed };
        let mark = (record.fingerprint.is_some() && !wanted.is_empty()).then_some(mark);
        match work.carry_out(&step, mark).await? {
            StepOutcome::Done => return Ok(held()),
            StepOutcome::Again => {}
            // Another try of the same request held the seats, or they were even given back since.
            StepOutcome::RecordChanged(Some(current)) if current.placed || current.released => {
                return Ok(held());
            }
            // Another try of the same request took the record over.
            StepOutcome::RecordChanged(Some(current)) => record = current,
            StepOutcome::RecordChanged(None) => return Err(try_again()),
        }
    }
    Err(try_again())
}
