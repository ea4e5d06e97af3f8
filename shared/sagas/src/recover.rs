//! Finishing an order that was left half-way: its handler died, or could not tell what the processor did.

use crate::charge::{Outcome, answered, outcome, payment_request};
use crate::settle::{settle, undo};
use domain::checkout::ANSWER_SECS;
use domain::order::{Order, OrderState};
use domain::payment::FinalStatus;
use domain::{OrderId, TenantId, Timestamp};
use platform::telemetry::Metric;
use platform::{ApiError, App, ErrorType};

/// What became of an order, finishing it first when its deadline has passed; none if there is no such order.
///
/// # Errors
/// Those of [`recover`].
pub async fn outcome_of(
    app: &App,
    tenant: TenantId,
    id: &OrderId,
    now: Timestamp,
) -> Result<Option<Outcome>, ApiError> {
    match app.store.load_order(tenant, id).await? {
        Some(order) => Box::pin(recover(app, order, now)).await.map(Some),
        None => Ok(None),
    }
}

/// What became of an order so far, without doing anything about it; none if there is no such order.
///
/// # Errors
/// [`ApiError`] when the database does not answer.
pub async fn outcome_so_far(app: &App, tenant: TenantId, id: &OrderId) -> Result<Option<Outcome>, ApiError> {
    Ok(app.store.load_order(tenant, id).await?.map(outcome))
}

/// The order a cart points to, if that leaves the cart open. The order's state is the truth; the cart only
/// points to it, so nobody has to update the cart when the order is settled. An order whose deadline has
/// passed is finished first, so that a checkout that died does not keep the cart shut.
///
/// # Errors
/// `REQUEST_IN_PROGRESS` while the card is being charged, `CART_ALREADY_CHECKED_OUT` with the order's id
/// afterwards, and those of [`recover`].
pub async fn open_again(
    app: &App,
    tenant: TenantId,
    pointer: Option<&OrderId>,
    now: Timestamp,
) -> Result<Option<OrderId>, ApiError> {
    let Some(id) = pointer else { return Ok(None) };
    left_open(id, outcome_of(app, tenant, id, now).await?.as_ref())
}

/// The order a cart points to, if what became of it leaves the cart open.
///
/// # Errors
/// `REQUEST_IN_PROGRESS`, `CART_ALREADY_CHECKED_OUT`.
pub fn left_open(id: &OrderId, outcome: Option<&Outcome>) -> Result<Option<OrderId>, ApiError> {
    match outcome {
        Some(Outcome::Paid(order)) => {
            Err(ApiError::new(ErrorType::CartAlreadyCheckedOut).fact("orderId", &order.id))
        }
        // It is another request that is in progress.
        Some(Outcome::Undecided) => Err(ApiError::new(ErrorType::RequestInProgress).without_effect()),
        Some(Outcome::Declined(_) | Outcome::Undone) | None => Ok(Some(id.clone())),
    }
}

/// Settles or undoes an order whose deadline has passed. The processor has the final word: it cancels a
/// payment that has not succeeded, after which it never can, so that a slow handler and this can race
/// without harm. Before the deadline the order is left alone.
///
/// # Errors
/// [`ApiError`] when database or processor do not answer; the order stays due.
pub async fn recover(app: &App, order: Order, now: Timestamp) -> Result<Outcome, ApiError> {
    let deadline = match order.state {
        OrderState::Pending { deadline } if now >= deadline => deadline,
        OrderState::Pending { .. } | OrderState::Paid { .. } | OrderState::Void { .. } => {
            return Ok(outcome(order));
        }
    };
    let request = payment_request(&order).ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    let tenant = app.tenant(order.tenant).await?;
    let processor = app.processor(&tenant);
    let unanswered = |fault| ApiError::new(ErrorType::TryAgain).cause(fault);
    let reference = answered(processor.open(&request), ANSWER_SECS).await.map_err(unanswered)?;
    let status = answered(processor.cancel_or_status(&reference), ANSWER_SECS).await.map_err(unanswered)?;
    let finished = match status {
        // The card was charged before the deadline at the latest; the duplicate window counts from there.
        FinalStatus::Succeeded => settle(app, &order, &reference, deadline, now).await?,
        FinalStatus::Cancelled => undo(app, &order, now, None).await?,
    };
    Metric::Recovered.count(order.tenant);
    tracing::info!(order = order.id.as_str(), "an abandoned checkout was finished");
    Ok(outcome(finished))
}
