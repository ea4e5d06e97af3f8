//! What earlier requests did: an idempotency key, a cart and a duplicate guard all point to an order, and
//! what became of that order decides.

use crate::{answer, asked};
use adapters::App;
use axum::response::Response;
use domain::OrderId;
use domain::checkout::EarlierCharge;
use domain::order::OrderState;
use sagas::{ChargeOutcome, SagaFault};
use store::checkout::KeyClaim;
use store::idempotency::IdempotencyRecord;
use web::access::Caller;
use web::idempotency::new_claim;
use web::{ApiError, ErrorType};

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
        let outcome = outcome_of(app, caller, order, manner).await?;
        if let Some(answer) = answer_again(app, caller, outcome, manner).await? {
            return Ok(Replay::Answer(Box::new(answer)));
        }
    }
    let claim = new_claim(&app.ids, &key.fingerprint, now)?;
    let claim = KeyClaim { hash: key.hash.clone(), record: claim, abandoned: held };
    Ok(Replay::GoOn(Some(Box::new(claim))))
}

/// What the first request is answered again; none of one that came to nothing before its buyer was asked.
async fn answer_again(
    app: &App,
    caller: &Caller,
    outcome: Option<ChargeOutcome>,
    manner: Manner,
) -> Result<Option<Response>, ApiError> {
    let zone = caller.tenant.zone;
    match (outcome, manner) {
        (Some(ChargeOutcome::Paid(order)), _) => Ok(Some(answer::replayed(&order, zone))),
        (Some(ChargeOutcome::AsksBuyer(asked)), _) => Ok(Some(answer::asks_buyer_again(&asked, zone))),
        (Some(ChargeOutcome::Declined { order, decline }), Manner::Finishing) => {
            asked::count_refusal(app, caller, &order, &decline).await;
            Ok(Some(answer::declined_again(&decline)))
        }
        (Some(ChargeOutcome::Declined { order: _, decline }), Manner::Looking) => {
            Ok(Some(answer::declined_again(&decline)))
        }
        (Some(ChargeOutcome::Expired(order)), Manner::Finishing) => {
            let order = asked::without_late_money(app, *order, caller.clock.now()).await?;
            Ok(Some(answer::expired_again(&order)))
        }
        (Some(ChargeOutcome::Expired(order)), Manner::Looking) => Ok(Some(answer::expired_again(&order))),
        (Some(ChargeOutcome::Undecided), _) => Err(ApiError::new(ErrorType::RequestInProgress)),
        (Some(ChargeOutcome::Voided) | None, _) => Ok(None),
    }
}

async fn outcome_of(
    app: &App,
    caller: &Caller,
    id: &OrderId,
    manner: Manner,
) -> Result<Option<ChargeOutcome>, SagaFault> {
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
pub(crate) async fn voided_order(
    app: &App,
    caller: &Caller,
    pointer: Option<&OrderId>,
    manner: Manner,
) -> Result<Option<OrderId>, ApiError> {
    match (pointer, manner) {
        (None, Manner::Finishing | Manner::Looking) => Ok(None),
        (Some(_), Manner::Finishing) => {
            Ok(Box::pin(sagas::open_again(app, caller.tenant.id, pointer, caller.clock.now())).await?)
        }
        (Some(id), Manner::Looking) => {
            Ok(sagas::left_open(id, outcome_of(app, caller, id, manner).await?.as_ref())?)
        }
    }
}

/// What became of the charge of the order that holds a duplicate guard.
pub(crate) async fn earlier_charge(
    app: &App,
    caller: &Caller,
    holder: &OrderId,
    manner: Manner,
) -> Result<EarlierCharge, SagaFault> {
    Ok(match outcome_of(app, caller, holder, manner).await? {
        Some(ChargeOutcome::Paid(order)) => match order.state {
            OrderState::Paid { at } => EarlierCharge::Paid { order: order.id, at },
            OrderState::Pending { .. } | OrderState::Void { .. } => EarlierCharge::Free,
        },
        Some(ChargeOutcome::Undecided | ChargeOutcome::AsksBuyer(_)) => EarlierCharge::UnderWay,
        Some(ChargeOutcome::Declined { .. } | ChargeOutcome::Voided | ChargeOutcome::Expired(_)) | None => {
            EarlierCharge::Free
        }
    })
}
