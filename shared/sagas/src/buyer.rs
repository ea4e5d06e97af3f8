//! Orders whose buyer is asked by the issuer of the card (3-D Secure): what the buyer answered is the processor's to say.
//! What such an order is found by was written before its card was charged (decision record 0141).

use crate::charge::{ChargeOutcome, answered, asks_buyer, outcome};
use crate::fault::SagaFault;
use crate::settle::{settle, void};
use crate::steps::SagaStep;
use adapters::App;
use adapters::telemetry::Metric;
use domain::Timestamp;
use domain::checkout::ANSWER_SECS;
use domain::order::{Order, OrderState};
use domain::payment::{Decline, FinalStatus, PaymentStatus};

/// What has become of a pending order whose buyer was asked, by what the processor says now. An answer finishes the
/// order; without one it goes on waiting.
///
/// # Errors
/// [`SagaFault`] when database or processor do not answer; the order stays as it is, and due at its deadline.
pub(crate) async fn look(app: &App, order: &Order, now: Timestamp) -> Result<ChargeOutcome, SagaFault> {
    let Some(challenge) = &order.challenge else { return Ok(outcome(order.clone())) };
    SagaStep::HearBuyer.begin();
    let tenant = app.tenant(order.tenant).await?;
    let processor = app.processor(&tenant);
    let status = answered(processor.status(&challenge.reference), ANSWER_SECS).await;
    match status.map_err(SagaFault::Processor)? {
        PaymentStatus::Succeeded => paid(app, order, now).await,
        PaymentStatus::Cancelled => void(app, order, now, None).await.map(outcome),
        PaymentStatus::AsksBuyer(action) => Ok(asks_buyer(order, action)),
        PaymentStatus::Open => Ok(ChargeOutcome::Undecided),
        PaymentStatus::Refused(decline) => {
            // Whoever has the client secret could still try another card: nothing is given back before it is sure that
            // none is charged.
            let last = answered(processor.cancel_or_status(&challenge.reference), ANSWER_SECS).await;
            match last.map_err(SagaFault::Processor)? {
                FinalStatus::Succeeded => paid(app, order, now).await,
                FinalStatus::Cancelled => declined(app, order, now, decline).await,
            }
        }
    }
}

/// It was charged before this moment, and no later than its deadline.
async fn paid(app: &App, order: &Order, now: Timestamp) -> Result<ChargeOutcome, SagaFault> {
    let Some(challenge) = &order.challenge else { return Ok(outcome(order.clone())) };
    let paid_at = match order.state {
        OrderState::Pending { deadline } => now.max(challenge.asked_at).min(deadline),
        OrderState::Paid { at } | OrderState::Void { at, decline: _ } => at,
    };
    settle(app, order, &challenge.reference, paid_at, now).await.map(outcome)
}

async fn declined(
    app: &App,
    order: &Order,
    now: Timestamp,
    decline: Decline,
) -> Result<ChargeOutcome, SagaFault> {
    Metric::Declines.count(order.tenant);
    void(app, order, now, Some(decline)).await.map(outcome)
}
