//! What earlier requests did: an idempotency key, a cart and a duplicate guard all point to an order, and
//! what became of that order decides.

use crate::answer;
use axum::response::Response;
use domain::OrderId;
use domain::checkout::within_duplicate_window;
use domain::order::OrderState;
use domain::tenant::Scope;
use platform::access::Caller;
use platform::idempotency::new_claim;
use platform::{ApiError, App, ErrorType};
use sagas::Outcome;
use store::checkout::{DUPLICATE_WINDOW_SECS, KeyClaim};
use store::idempotency::IdempotencyRecord;

/// The idempotency key of the request, and the fingerprint of its body.
#[derive(Debug, Clone)]
pub(crate) struct SentKey {
    pub(crate) hash: String,
    pub(crate) fingerprint: String,
    /// What releases called it under which both routes were one.
    pub(crate) earlier_fingerprint: String,
}

impl SentKey {
    fn is_of(&self, record: &IdempotencyRecord) -> bool {
        [&self.fingerprint, &self.earlier_fingerprint].contains(&&record.fingerprint)
    }
}

/// How orders that earlier requests left half-way are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// They are finished first.
    Finishing,
    /// They are looked at only, by a dry run.
    Looking,
}

/// What is to be done with a request that may carry an idempotency key.
pub(crate) enum Replay {
    /// Give the first answer again.
    Answer(Box<Response>),
    /// Go on, claiming the key where there is one.
    GoOn(Option<Box<KeyClaim>>),
}

/// Looks what the first request with this key did. One that died half-way is finished first, so that a
/// repetition never charges beside it.
pub(crate) async fn look(
    app: &App,
    caller: &Caller,
    key: Option<&SentKey>,
    record: Option<IdempotencyRecord>,
    manner: Manner,
) -> Result<Replay, ApiError> {
    let Some(key) = key else { return Ok(Replay::GoOn(None)) };
    let now = caller.clock.now();
    let held = record.filter(|record| record.is_kept(now));
    if held.as_ref().is_some_and(|held| !key.is_of(held)) {
        return Err(ApiError::new(ErrorType::IdempotencyKeyReused));
    }
    if let Some(order) = held.as_ref().and_then(|held| held.order.as_ref()) {
        match outcome_of(app, caller, order, manner).await? {
            Some(Outcome::Paid(order)) => {
                return Ok(Replay::Answer(Box::new(answer::replayed(&order, caller.tenant.zone))));
            }
            Some(Outcome::Declined(decline)) => {
                return Ok(Replay::Answer(Box::new(answer::declined_again(&decline))));
            }
            Some(Outcome::Undecided) => return Err(ApiError::new(ErrorType::RequestInProgress)),
            Some(Outcome::Undone) | None => {}
        }
    }
    let claim = new_claim(&app.ids, &key.fingerprint, now)?;
    let claim = KeyClaim { hash: key.hash.clone(), record: claim, abandoned: held };
    Ok(Replay::GoOn(Some(Box::new(claim))))
}

async fn outcome_of(
    app: &App,
    caller: &Caller,
    id: &OrderId,
    manner: Manner,
) -> Result<Option<Outcome>, ApiError> {
    let tenant = caller.tenant.id;
    match manner {
        Manner::Finishing => Box::pin(sagas::outcome_of(app, tenant, id, caller.clock.now())).await,
        Manner::Looking => sagas::outcome_so_far(app, tenant, id).await,
    }
}

/// The order a cart points to, if that leaves the cart open.
///
/// # Errors
/// `CART_ALREADY_CHECKED_OUT`, `REQUEST_IN_PROGRESS`.
pub(crate) async fn undone_order(
    app: &App,
    caller: &Caller,
    pointer: Option<&OrderId>,
    manner: Manner,
) -> Result<Option<OrderId>, ApiError> {
    match (pointer, manner) {
        (None, Manner::Finishing | Manner::Looking) => Ok(None),
        (Some(_), Manner::Finishing) => {
            Box::pin(sagas::open_again(app, caller.tenant.id, pointer, caller.clock.now())).await
        }
        (Some(id), Manner::Looking) => {
            sagas::left_open(id, outcome_of(app, caller, id, manner).await?.as_ref())
        }
    }
}

/// The order is named to servers, which may read it. A page is not told of the order of whoever's card it was given.
fn duplicate(caller: &Caller, order: &OrderId) -> ApiError {
    let refusal = ApiError::new(ErrorType::DuplicateTransactionFound);
    match caller.scope {
        Scope::B2c => refusal.fact("orderId", order),
        Scope::B2cBrowser | Scope::B2b | Scope::Payment | Scope::Onboard => refusal,
    }
}

/// Whether the order that holds the duplicate guard still stands against the same charge.
///
/// # Errors
/// `DUPLICATE_TRANSACTION_FOUND`, `REQUEST_IN_PROGRESS`.
pub(crate) async fn check_duplicate(
    app: &App,
    caller: &Caller,
    holder: &OrderId,
    manner: Manner,
) -> Result<(), ApiError> {
    match outcome_of(app, caller, holder, manner).await? {
        Some(Outcome::Paid(order)) => {
            let OrderState::Paid { at } = order.state else { return Ok(()) };
            if within_duplicate_window(at, caller.clock.now(), DUPLICATE_WINDOW_SECS) {
                return Err(duplicate(caller, &order.id));
            }
            Ok(())
        }
        Some(Outcome::Undecided) => Err(ApiError::new(ErrorType::RequestInProgress)),
        Some(Outcome::Declined(_) | Outcome::Undone) | None => Ok(()),
    }
}
