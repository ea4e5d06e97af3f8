//! Finishing an order that was left half-way: its handler died, or could not tell what the processor did.

use crate::buyer::look;
use crate::charge::{ChargeOutcome, answered, log_fault, outcome, payment_request, without_payment};
use crate::fault::SagaFault;
use crate::late::return_late_money;
use crate::point::{point_to, tagged};
use crate::settle::{settle, void};
use adapters::App;
use adapters::processor::CardProcessor;
use adapters::telemetry::Metric;
use domain::checkout::ANSWER_SECS;
use domain::order::{Order, OrderState};
use domain::payment::{Decline, FinalStatus, PaymentStatus};
use domain::{OrderId, TenantId, Timestamp};

/// Why a cart that points to an order is not open.
#[derive(Debug)]
pub enum RecoveryRefusal {
    /// It became this order, which is paid.
    CheckedOut(OrderId),
    /// Another request is paying for it.
    BeingPaid,
    /// It is not known what became of the order.
    Failed(SagaFault),
}

impl From<SagaFault> for RecoveryRefusal {
    fn from(fault: SagaFault) -> Self {
        Self::Failed(fault)
    }
}

/// What became of an order, finishing it first when its deadline has passed; none if there is no such order.
///
/// # Errors
/// Those of [`recover`].
pub async fn outcome_of(
    app: &App,
    tenant: TenantId,
    id: &OrderId,
    now: Timestamp,
) -> Result<Option<ChargeOutcome>, SagaFault> {
    match app.store.load_order(tenant, id).await? {
        Some(order) => Box::pin(recover(app, order, now)).await.map(Some),
        None => Ok(None),
    }
}

/// What became of an order so far, without doing anything about it; none if there is no such order.
///
/// # Errors
/// [`SagaFault`] when the database does not answer.
pub async fn outcome_so_far(
    app: &App,
    tenant: TenantId,
    id: &OrderId,
) -> Result<Option<ChargeOutcome>, SagaFault> {
    Ok(app.store.load_order(tenant, id).await?.map(outcome))
}

/// The order a cart points to, if that leaves the cart open. The order's state is the truth; the cart only
/// points to it, so nobody has to update the cart when the order is settled. An order whose deadline has
/// passed is finished first, so that a checkout that died does not keep the cart shut.
///
/// # Errors
/// [`RecoveryRefusal::BeingPaid`] while the card is being charged, [`RecoveryRefusal::CheckedOut`] afterwards, and
/// those of [`recover`].
pub async fn open_again(
    app: &App,
    tenant: TenantId,
    pointer: Option<&OrderId>,
    now: Timestamp,
) -> Result<Option<OrderId>, RecoveryRefusal> {
    let Some(id) = pointer else { return Ok(None) };
    left_open(id, outcome_of(app, tenant, id, now).await?.as_ref())
}

/// The order a cart points to, if what became of it leaves the cart open.
///
/// # Errors
/// [`RecoveryRefusal::BeingPaid`], [`RecoveryRefusal::CheckedOut`].
pub fn left_open(id: &OrderId, outcome: Option<&ChargeOutcome>) -> Result<Option<OrderId>, RecoveryRefusal> {
    match outcome {
        Some(ChargeOutcome::Paid(order)) => Err(RecoveryRefusal::CheckedOut(order.id.clone())),
        Some(ChargeOutcome::Undecided | ChargeOutcome::AsksBuyer(_)) => Err(RecoveryRefusal::BeingPaid),
        Some(ChargeOutcome::Declined { .. } | ChargeOutcome::Voided | ChargeOutcome::Expired(_)) | None => {
            Ok(Some(id.clone()))
        }
    }
}

/// Settles or voids an order whose deadline has passed, or whose buyer has answered the issuer of the card. The
/// processor has the final word: it cancels a payment that has not succeeded, after which it never can, so that a
/// slow handler and this can race without harm. Before the deadline an order whose buyer was not asked is left alone.
///
/// # Errors
/// [`SagaFault`] when database or processor do not answer; the order stays due.
pub async fn recover(app: &App, order: Order, now: Timestamp) -> Result<ChargeOutcome, SagaFault> {
    let deadline = match order.state {
        OrderState::Pending { deadline } if now >= deadline => deadline,
        OrderState::Pending { .. } if order.challenge.is_some() => {
            return Box::pin(look(app, &order, now)).await;
        }
        OrderState::Void { .. } if order.late_money.is_some() => {
            return Box::pin(return_late_money(app, order, now)).await.map(outcome);
        }
        OrderState::Pending { .. } | OrderState::Paid { .. } | OrderState::Void { .. } => {
            return Ok(outcome(order));
        }
    };
    let request = payment_request(&order).ok_or_else(without_payment)?;
    let tenant = app.tenant(order.tenant).await?;
    let processor = app.processor(&tenant);
    let reference = match &order.challenge {
        Some(challenge) => challenge.reference.clone(),
        None => answered(processor.open(&request), ANSWER_SECS).await.map_err(SagaFault::Processor)?,
    };
    let refused = refusal(&order, processor.as_ref()).await;
    let status =
        answered(processor.cancel_or_status(&reference), ANSWER_SECS).await.map_err(SagaFault::Processor)?;
    let finished = match status {
        // The card was charged before the deadline at the latest; the duplicate window counts from there.
        FinalStatus::Succeeded => {
            let order = tagged(app, order)?;
            point_to(app, &order).await?;
            settle(app, &order, &reference, deadline, now).await?
        }
        FinalStatus::Cancelled => {
            if refused.is_some() {
                Metric::Declines.count(order.tenant);
            }
            void(app, &order, now, refused).await?
        }
    };
    Metric::Recovered.count(finished.tenant);
    tracing::info!(order = finished.id.as_str(), "an abandoned checkout was finished");
    Ok(outcome(finished))
}

/// Why the card of an order was refused whose buyer was asked, as long as the payment is not cancelled. Where nobody says
/// so, the time was over.
async fn refusal(order: &Order, processor: &dyn CardProcessor) -> Option<Decline> {
    let challenge = order.challenge.as_ref()?;
    match answered(processor.status(&challenge.reference), ANSWER_SECS).await {
        Ok(PaymentStatus::Refused(decline)) => Some(decline),
        Ok(
            PaymentStatus::Succeeded
            | PaymentStatus::Cancelled
            | PaymentStatus::AsksBuyer(_)
            | PaymentStatus::Open,
        ) => None,
        Err(fault) => {
            log_fault(order, fault);
            None
        }
    }
}
