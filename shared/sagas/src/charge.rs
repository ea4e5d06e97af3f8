//! The middle step: the card is charged, or it is certain that it never will be.

use crate::settle::{settle, undo};
use domain::card::Card;
use domain::checkout::{ANSWER_SECS, CHARGE_SECS};
use domain::order::{Order, OrderState};
use domain::payment::{Confirmation, Decline, FinalStatus};
use domain::time::plus_secs;
use domain::{PaymentReference, Timestamp};
use platform::access::Caller;
use platform::clock::RequestClock;
use platform::processor::{CardProcessor, PaymentRequest, ProcessorError};
use platform::rate_limit::count_declined_card;
use platform::telemetry::Metric;
use platform::{ApiError, App, ErrorType};
use std::time::Duration;

/// What became of a secured order.
#[derive(Debug)]
pub enum Outcome {
    /// Money and order are there.
    Paid(Box<Order>),
    /// The card was refused and everything given back.
    Declined(Decline),
    /// Nothing was charged and everything given back; the caller may try again.
    Undone,
    /// Not decided yet: the order will be settled or undone by whoever finds it after its deadline.
    Undecided,
}

/// The request to the processor that an order stands for; none for an order that costs nothing.
pub(crate) fn payment_request(order: &Order) -> Option<PaymentRequest> {
    let payment = order.payment.as_ref()?;
    Some(PaymentRequest {
        tenant: order.tenant,
        order: order.id.clone(),
        amount: payment.amount,
        mid: payment.mid.clone(),
        descriptor: payment.descriptor.clone(),
        secured_at: order.created_at,
    })
}

/// Charges a secured order and settles or undoes it.
///
/// # Errors
/// [`ApiError`] when the database fails before anything is certain; the order stays pending and is finished
/// by whoever finds it.
pub async fn charge(app: &App, caller: &Caller, order: &Order, card: &Card) -> Result<Outcome, ApiError> {
    let clock = caller.clock;
    let request = payment_request(order).ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    let processor = app.processor(&caller.tenant);
    let reference = match answered(processor.open(&request), ANSWER_SECS).await {
        Ok(reference) => reference,
        Err(fault) => {
            // Opening moves no money and only this request has the card, so nothing can be charged any more.
            log_fault(order, fault);
            return undone(app, order, clock.fresh(), None).await;
        }
    };
    if plus_secs(clock.fresh(), CHARGE_SECS) > deadline(order) {
        return conclude(app, order, processor.as_ref(), &reference, clock).await;
    }
    match answered(processor.confirm(&reference, card), CHARGE_SECS).await {
        Ok(Confirmation::Captured) => paid(app, order, &reference, clock.fresh()).await,
        Ok(Confirmation::Declined(decline)) => {
            Metric::Declines.count(order.tenant);
            let undone = undone(app, order, clock.fresh(), Some(decline.clone()));
            let (outcome, ()) = tokio::join!(undone, count_declined_card(app, caller, &decline));
            outcome
        }
        Err(fault) => {
            log_fault(order, fault);
            conclude(app, order, processor.as_ref(), &reference, clock).await
        }
    }
}

/// What the processor answers within so many seconds; later it counts as a lost answer.
pub(crate) async fn answered<T>(
    call: impl Future<Output = Result<T, ProcessorError>>,
    secs: i64,
) -> Result<T, ProcessorError> {
    let limit = Duration::from_secs(secs.unsigned_abs());
    tokio::time::timeout(limit, call).await.unwrap_or(Err(ProcessorError::AnswerLost))
}

fn log_fault(order: &Order, fault: ProcessorError) {
    tracing::warn!(order = order.id.as_str(), %fault, "the card processor did not answer");
}

fn deadline(order: &Order) -> Timestamp {
    match order.state {
        OrderState::Pending { deadline } => deadline,
        OrderState::Paid { at } | OrderState::Void { at, decline: _ } => at,
    }
}

/// Asks the processor for its final word, once.
async fn conclude(
    app: &App,
    order: &Order,
    processor: &dyn CardProcessor,
    reference: &PaymentReference,
    clock: RequestClock,
) -> Result<Outcome, ApiError> {
    match answered(processor.cancel_or_status(reference), ANSWER_SECS).await {
        Ok(FinalStatus::Succeeded) => paid(app, order, reference, clock.fresh()).await,
        Ok(FinalStatus::Cancelled) => undone(app, order, clock.fresh(), None).await,
        Err(fault) => {
            log_fault(order, fault);
            Ok(Outcome::Undecided)
        }
    }
}

async fn paid(
    app: &App,
    order: &Order,
    reference: &PaymentReference,
    at: Timestamp,
) -> Result<Outcome, ApiError> {
    settle(app, order, reference, at, at).await.map(outcome)
}

async fn undone(
    app: &App,
    order: &Order,
    at: Timestamp,
    decline: Option<Decline>,
) -> Result<Outcome, ApiError> {
    undo(app, order, at, decline).await.map(outcome)
}

/// What the state of an order says.
pub(crate) fn outcome(order: Order) -> Outcome {
    match &order.state {
        OrderState::Paid { .. } => Outcome::Paid(Box::new(order)),
        OrderState::Void { at: _, decline: Some(decline) } => Outcome::Declined(decline.clone()),
        OrderState::Void { at: _, decline: None } => Outcome::Undone,
        OrderState::Pending { .. } => Outcome::Undecided,
    }
}
