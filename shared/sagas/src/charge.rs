//! The middle step: the card is charged, or it is certain that it never will be.

use crate::commit::commit;
use crate::fault::SagaFault;
use crate::point::point_to;
use crate::settle::{settle, void};
use crate::steps::SagaStep;
use adapters::App;
use adapters::clock::RequestClock;
use adapters::processor::{CardProcessor, PaymentRequest, ProcessorError};
use adapters::rate_limit::{Client, count_declined_card};
use adapters::telemetry::Metric;
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::checkout::{ANSWER_SECS, CHARGE_SECS, challenge_deadline};
use domain::order::{Challenge, Order, OrderState};
use domain::payment::{BuyerAction, Confirmation, Decline, FinalStatus};
use domain::tenant::Tenant;
use domain::time::plus_secs;
use domain::{Mid, OrderId, PaymentReference, Timestamp};
use std::time::Duration;
use store::checkout::plan_ask;

/// What became of a secured order.
#[derive(Debug)]
pub enum ChargeOutcome {
    /// Money and order are there.
    Paid(Box<Order>),
    /// The card was refused and everything given back.
    Declined {
        /// What was not paid.
        order: Box<Order>,
        /// Why.
        decline: Decline,
    },
    /// Nothing was charged and everything given back; the caller may try again.
    Voided,
    /// The same of an order that waited for its buyer: the time was over.
    Expired(Box<Order>),
    /// The issuer of the card asks the buyer first; the order keeps what it took till then.
    AsksBuyer(Box<AskedBuyer>),
    /// Not decided yet: the order will be settled or voided by whoever finds it after its deadline.
    Undecided,
}

/// A buyer who is asked by the issuer of the card.
#[derive(Debug)]
pub struct AskedBuyer {
    /// The order that waits.
    pub order: OrderId,
    /// What the page shows the question with.
    pub action: BuyerAction,
    /// How long the order waits.
    pub expires_at: Timestamp,
}

/// The request to the processor that an order stands for; none for an order that costs nothing.
pub(crate) fn payment_request(order: &Order) -> Option<PaymentRequest> {
    let payment = order.payment.as_ref()?;
    Some(PaymentRequest {
        tenant: order.tenant,
        order: order.id.clone(),
        amount: payment.amount,
        currency: order.currency,
        mid: payment.mid.clone(),
        descriptor: payment.descriptor.clone(),
        secured_at: order.created_at,
    })
}

/// An order that costs nothing is settled as it is secured, and nothing of it is ever asked of a processor.
pub(crate) fn without_payment() -> SagaFault {
    SagaFault::inconsistent("an order that needs a payment has none")
}

/// The card behind a token, before anything is taken for it.
///
/// # Errors
/// [`SagaFault::Processor`] when the processor does not answer; nothing has happened.
pub async fn look_up(
    app: &App,
    tenant: &Tenant,
    token: &PaymentToken,
    mid: &Mid,
) -> Result<TokenAnswer, SagaFault> {
    let processor = app.processor(tenant);
    answered(processor.look_up(token, mid), ANSWER_SECS).await.map_err(SagaFault::Processor)
}

/// Charges a secured order and settles or voids it.
///
/// # Errors
/// [`SagaFault`] when the database fails before anything is certain; the order stays pending and is finished
/// by whoever finds it.
pub async fn charge(
    app: &App,
    client: Client<'_>,
    order: &Order,
    card: &SentCard,
) -> Result<ChargeOutcome, SagaFault> {
    let clock = client.clock;
    let request = payment_request(order).ok_or_else(without_payment)?;
    let processor = app.processor(client.tenant);
    SagaStep::Open.begin();
    let opened = answered(processor.open(&request), ANSWER_SECS);
    let reference = match tokio::join!(opened, point_to(app, order)) {
        (Ok(reference), Ok(())) => reference,
        (opened, pointed) => {
            // Opening moves no money and only this request has the card, so nothing can be charged any more.
            if let Err(fault) = opened {
                log_fault(order, fault);
            }
            if let Err(fault) = pointed {
                tracing::warn!(order = order.id.as_str(), %fault, "an order cannot be found, and is not charged");
            }
            return voided(app, order, clock.fresh(), None).await;
        }
    };
    if plus_secs(clock.fresh(), CHARGE_SECS) > deadline(order) {
        return conclude(app, order, processor.as_ref(), &reference, clock).await;
    }
    SagaStep::Confirm.begin();
    match answered(processor.confirm(&reference, card), CHARGE_SECS).await {
        Ok(Confirmation::Captured) => paid(app, order, &reference, clock.fresh()).await,
        Ok(Confirmation::Declined(decline)) => {
            Metric::Declines.count(order.tenant);
            let voided = voided(app, order, clock.fresh(), Some(decline.clone()));
            let (outcome, ()) = tokio::join!(voided, count_declined_card(app, client, &decline));
            outcome
        }
        Ok(Confirmation::AsksBuyer(action)) => {
            let deadline = challenge_deadline(client.tenant, order.created_at);
            let challenge = Challenge { asked_at: clock.fresh(), reference };
            ask_buyer(app, order, action, order.asking(challenge, deadline)).await
        }
        Err(fault) => {
            log_fault(order, fault);
            conclude(app, order, processor.as_ref(), &reference, clock).await
        }
    }
}

/// Has an order wait for its buyer. Until that is written, the order is finished by its first deadline, which cancels
/// the payment.
async fn ask_buyer(
    app: &App,
    order: &Order,
    action: BuyerAction,
    asking: Order,
) -> Result<ChargeOutcome, SagaFault> {
    SagaStep::AskBuyer.begin();
    let (OrderState::Pending { deadline }, Some(challenge)) = (&asking.state, &asking.challenge) else {
        return Ok(outcome(asking));
    };
    let plan = plan_ask(order, challenge, *deadline)?;
    let stored = match commit(app, &plan).await? {
        Ok(()) => asking,
        // An earlier try of this write succeeded, or somebody finished the order.
        Err(_) => app.store.load_order(order.tenant, &order.id).await?.ok_or(SagaFault::Contended)?,
    };
    Ok(asks_buyer(&stored, action))
}

/// What the state of an order says whose buyer the processor says to be asked.
pub(crate) fn asks_buyer(order: &Order, action: BuyerAction) -> ChargeOutcome {
    match (&order.state, &order.challenge) {
        (OrderState::Pending { deadline }, Some(_)) => ChargeOutcome::AsksBuyer(Box::new(AskedBuyer {
            order: order.id.clone(),
            action,
            expires_at: *deadline,
        })),
        (OrderState::Pending { .. }, None)
        | (OrderState::Paid { .. } | OrderState::Void { .. }, Some(_) | None) => outcome(order.clone()),
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

pub(crate) fn log_fault(order: &Order, fault: ProcessorError) {
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
) -> Result<ChargeOutcome, SagaFault> {
    match answered(processor.cancel_or_status(reference), ANSWER_SECS).await {
        Ok(FinalStatus::Succeeded) => paid(app, order, reference, clock.fresh()).await,
        Ok(FinalStatus::Cancelled) => voided(app, order, clock.fresh(), None).await,
        Err(fault) => {
            log_fault(order, fault);
            Ok(ChargeOutcome::Undecided)
        }
    }
}

async fn paid(
    app: &App,
    order: &Order,
    reference: &PaymentReference,
    at: Timestamp,
) -> Result<ChargeOutcome, SagaFault> {
    settle(app, order, reference, at, at).await.map(outcome)
}

async fn voided(
    app: &App,
    order: &Order,
    at: Timestamp,
    decline: Option<Decline>,
) -> Result<ChargeOutcome, SagaFault> {
    void(app, order, at, decline).await.map(outcome)
}

/// What the state of an order says.
pub(crate) fn outcome(order: Order) -> ChargeOutcome {
    match &order.state {
        OrderState::Paid { .. } => ChargeOutcome::Paid(Box::new(order)),
        OrderState::Void { at: _, decline: Some(decline) } => {
            let decline = decline.clone();
            ChargeOutcome::Declined { order: Box::new(order), decline }
        }
        OrderState::Void { at: _, decline: None } if order.challenge.is_some() => {
            ChargeOutcome::Expired(Box::new(order))
        }
        OrderState::Void { at: _, decline: None } => ChargeOutcome::Voided,
        OrderState::Pending { .. } => ChargeOutcome::Undecided,
    }
}
