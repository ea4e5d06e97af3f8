//! Finishing an order that was left half-way: its handler died, or could not tell what the processor did.

use crate::charge::{Outcome, answered, outcome, payment_request};
use crate::settle::{settle, undo};
use domain::Timestamp;
use domain::checkout::ANSWER_SECS;
use domain::order::{Order, OrderState};
use domain::payment::FinalStatus;
use platform::telemetry::Metric;
use platform::{ApiError, App, ErrorType};

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
        FinalStatus::Succeeded => settle(app, &order, deadline).await?,
        FinalStatus::Cancelled => undo(app, &order, (now, None)).await?,
    };
    Metric::Recovered.count(order.tenant);
    tracing::info!(order = order.id.as_str(), "an abandoned checkout was finished");
    Ok(outcome(finished))
}
