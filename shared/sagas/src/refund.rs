//! Giving money back: what remains of a sale is taken first, the processor asked then, and the refund settled or
//! the amount given back (architecture: checkout). Whoever finds a refund half-way asks the processor again by the
//! refund's id, which is idempotent, so that a slow handler and a recovery can race without harm.

use crate::charge::{answered, payment_request, without_payment};
use crate::commit::{Patience, commit};
use crate::fault::SagaFault;
use crate::steps::SagaStep;
use adapters::App;
use adapters::clock::RequestClock;
use adapters::processor::{CardProcessor, PaymentRequest, ProcessorError, RefundRequest};
use adapters::telemetry::Metric;
use domain::checkout::{ANSWER_SECS, CHARGE_SECS};
use domain::order::Order;
use domain::payment::{Decline, DeclineReason, FinalStatus, RefundAnswer};
use domain::sale::{DoneRefund, RefundRefusal, Sale, refundable};
use domain::tenant::Tenant;
use domain::{Money, PaymentReference, RefundId, SaleId, TenantId, Timestamp};
use std::ops::ControlFlow::{Break, Continue};
use store::checkout::KeyClaim;
use store::order::DueClock;
use store::refund::{
    EndRefusal, Ending, RefundEnd, Take, TakeRefusal, Untaken, plan_end, plan_take_keyed, sale_in, untaken,
};
use store::{Item, StoreError, StoreFault, revise};

/// Times a taking is sent: again after a lost answer, and after the sale was prepared.
const TAKING_TRIES: usize = 4;

/// Times the end of a refund is reckoned again because sale or order moved meanwhile.
const ENDING_TRIES: usize = 12;

/// A refund that is taken from its sale.
#[derive(Debug, Clone)]
pub struct TakenRefund {
    /// The sale as it was seen with the refund.
    pub sale: Sale,
    pub id: RefundId,
    /// The order as it was seen, where the refund gives back more of it than money.
    pub order: Option<Order>,
}

/// What became of a refund.
#[derive(Debug)]
pub enum RefundOutcome {
    /// The money is given back; the sale lists the refund as done.
    Refunded(Box<Sale>),
    /// The processor refused, and everything is as it was.
    Refused(Decline),
    /// Not known yet: the refund will be finished by whoever finds it after its deadline.
    Undecided,
}

/// Why a refund of a sale is not given, or not known to be.
#[derive(Debug)]
pub enum SaleRefundRefusal {
    /// The sale has something against it.
    Sale(RefundRefusal),
    /// The processor, or the bank behind it, refused: everything is as it was.
    Declined(Decline),
    /// It is taken, and the processor has not said what became of it. Whoever finds it after its deadline finishes it.
    Unconfirmed(RefundId),
}

/// Whether the processor that the tenant charges by can have taken the payment of a sale. It is looked at before a
/// refund is taken, or when it was just taken ([`give_up_refund`]): nothing was asked for yet. Of any other, only the
/// processor that took the payment has the last word, since it may have been asked (decision record 0098).
///
/// # Errors
/// [`SaleRefundRefusal::Declined`] where another processor took it.
pub fn check_processor(app: &App, tenant: &Tenant, sale: &Sale) -> Result<(), SaleRefundRefusal> {
    let processor = app.processor(tenant);
    match &sale.reference {
        Some(reference) if !processor.can_have_written(reference) => {
            Err(SaleRefundRefusal::Declined(taken_elsewhere()))
        }
        Some(_) | None => Ok(()),
    }
}

fn taken_elsewhere() -> Decline {
    Decline {
        reason: DeclineReason::ProcessorError,
        processor_code: Some("payment_of_another_processor".to_owned()),
        processor_message: Some("The payment was taken by another processor.".to_owned()),
        issuing_code: None,
        issuing_message: None,
    }
}

/// Takes a refund from what remains of a sale. It is idempotent by the refund's id, so that a lost answer is
/// asked for again.
///
/// # Errors
/// [`SagaFault`] when it is not known whether it is taken. The inner error is why it cannot be.
pub async fn take_refund(app: &App, take: &Take<'_>) -> Result<Result<Sale, RefundRefusal>, SagaFault> {
    SagaStep::TakeRefund.begin();
    let patience = &Patience::begin();
    let exhausted = |last: Option<StoreError>| last.map_or(SagaFault::Contended, SagaFault::from);
    revise(TAKING_TRIES, None, exhausted, |last| async move {
        match app.store.take_refund(take).await {
            Ok(Ok(sale)) => Ok(Break(Ok(sale))),
            Ok(Err(Untaken::Unprepared)) => {
                app.store.prepare_sale(take.tenant, take.sale).await?;
                Ok(Continue(last))
            }
            Ok(Err(Untaken::Refused(sale))) => refused(take, sale).map(Break),
            Err(fault) if fault.kind == StoreFault::TryAgain && patience.is_left() => {
                Ok(Continue(Some(fault)))
            }
            Err(fault) => Err(fault.into()),
        }
    })
    .await
}

/// What came of the wish to take a refund under an idempotency key.
#[derive(Debug)]
pub enum KeyedTaking {
    /// It is taken, and the key points to it.
    Taken,
    /// Another request holds the key; nothing is taken.
    KeyHeld,
    /// The sale refuses it; the key is free.
    Refused(RefundRefusal),
}

/// Takes a refund and claims the idempotency key of its request, together or not at all.
///
/// # Errors
/// [`SagaFault`] when it is not known whether that happened; the key then says so.
pub async fn take_refund_keyed(
    app: &App,
    take: &Take<'_>,
    claim: &KeyClaim,
    wall_now: Timestamp,
) -> Result<KeyedTaking, SagaFault> {
    SagaStep::TakeRefund.begin();
    let exhausted = |()| SagaFault::Contended;
    revise(TAKING_TRIES, (), exhausted, |()| async move {
        let Err(mut refused) = commit(app, &plan_take_keyed(take, claim, wall_now)?).await? else {
            return Ok(Break(KeyedTaking::Taken));
        };
        refused.sort_by_key(|one| one.refusal);
        let Some(first) = refused.into_iter().next() else { return Err(SagaFault::Contended) };
        match first.refusal {
            TakeRefusal::KeyHeld => Ok(Break(KeyedTaking::KeyHeld)),
            TakeRefusal::Sale => match untaken(first.old)? {
                Untaken::Unprepared => {
                    app.store.prepare_sale(take.tenant, take.sale).await?;
                    Ok(Continue(()))
                }
                Untaken::Refused(sale) => Ok(Break(match self::refused(take, sale)? {
                    Ok(_) => KeyedTaking::Taken,
                    Err(refusal) => KeyedTaking::Refused(refusal),
                })),
            },
        }
    })
    .await
}

/// What a sale that refused a taking says about it.
///
/// # Errors
/// [`SagaFault`] when it says nothing against it. The inner error is why the refund cannot be taken.
pub(crate) fn refused(
    take: &Take<'_>,
    sale: Option<Box<Sale>>,
) -> Result<Result<Sale, RefundRefusal>, SagaFault> {
    match sale {
        // An earlier try of this very taking succeeded, and its answer was lost.
        Some(sale) if sale.refunds.contains_key(take.id) => Ok(Ok(*sale)),
        sale => match refundable(sale.as_deref(), take.mid, take.refund.amount) {
            Err(refusal) => Ok(Err(refusal)),
            Ok(_) => Err(SagaFault::Contended),
        },
    }
}

/// Takes a refund that is taken from its sale to its end.
///
/// # Errors
/// [`SagaFault`] when the database does not answer; the refund stays pending and is finished by whoever finds it.
pub async fn refund(
    app: &App,
    tenant: &Tenant,
    taken: TakenRefund,
    clock: RequestClock,
) -> Result<RefundOutcome, SagaFault> {
    Box::pin(finish(app, tenant, taken, || clock.fresh())).await
}

/// Gives back to its sale a refund that was taken only now, for which no processor was asked, since another one took
/// the payment.
///
/// # Errors
/// [`SagaFault`] when the database does not answer; the refund stays pending until the tenant charges by that processor
/// again.
pub async fn give_up_refund(
    app: &App,
    tenant: &Tenant,
    taken: TakenRefund,
    clock: RequestClock,
) -> Result<RefundOutcome, SagaFault> {
    Box::pin(end(app, tenant.id, taken, clock.fresh(), Some(taken_elsewhere()))).await
}

async fn finish(
    app: &App,
    tenant: &Tenant,
    taken: TakenRefund,
    now: impl Fn() -> Timestamp,
) -> Result<RefundOutcome, SagaFault> {
    let TakenRefund { sale, id, .. } = &taken;
    let Some(refund) = sale.refunds.get(id) else { return Err(vanished(id)) };
    if refund.deadline().is_none() {
        return Ok(RefundOutcome::Refunded(Box::new(taken.sale)));
    }
    match ask(app, tenant, &taken, refund.amount).await? {
        Ok(RefundAnswer::Refunded) => end(app, tenant.id, taken, now(), None).await,
        Ok(RefundAnswer::Refused(decline)) => end(app, tenant.id, taken, now(), Some(decline)).await,
        Err(fault) => {
            log_fault(id, fault);
            Ok(RefundOutcome::Undecided)
        }
    }
}

async fn ask(
    app: &App,
    tenant: &Tenant,
    taken: &TakenRefund,
    amount: Money,
) -> Result<Result<RefundAnswer, ProcessorError>, SagaFault> {
    SagaStep::AskForRefund.begin();
    let reference = match reference(app, tenant, taken).await? {
        Ok(reference) => reference,
        Err(fault) => return Ok(Err(fault)),
    };
    let request = RefundRequest {
        tenant: tenant.id,
        order: taken.sale.order.clone(),
        mid: taken.sale.mid.clone(),
        reference,
        refund: taken.id.clone(),
        amount,
    };
    Ok(answered(app.processor(tenant).refund(&request), CHARGE_SECS).await)
}

/// The processor's name for the payment. A sale that does not know it has its order's payment opened again; where that
/// makes one, another processor took the payment.
async fn reference(
    app: &App,
    tenant: &Tenant,
    taken: &TakenRefund,
) -> Result<Result<PaymentReference, ProcessorError>, SagaFault> {
    if let Some(reference) = &taken.sale.reference {
        return Ok(Ok(reference.clone()));
    }
    let order = match &taken.order {
        Some(order) => Some(order.clone()),
        None => app.store.load_order(tenant.id, &taken.sale.order).await?,
    };
    let request = order.as_ref().and_then(payment_request);
    let request = request.ok_or_else(without_payment)?;
    Ok(captured(app.processor(tenant).as_ref(), &request).await)
}

async fn captured(
    processor: &dyn CardProcessor,
    request: &PaymentRequest,
) -> Result<PaymentReference, ProcessorError> {
    let opened = answered(processor.open(request), ANSWER_SECS).await?;
    match answered(processor.cancel_or_status(&opened), ANSWER_SECS).await? {
        FinalStatus::Succeeded => Ok(opened),
        FinalStatus::Cancelled => Err(ProcessorError::UnknownPayment),
    }
}

fn log_fault(id: &RefundId, fault: ProcessorError) {
    tracing::warn!(refund = id.as_str(), %fault, "the card processor did not answer a refund");
}

/// A refund that was given back to its sale cannot be done, and one that is done is not given back: the processor
/// would have answered the same refund in two ways.
pub(crate) fn vanished(id: &RefundId) -> SagaFault {
    tracing::error!(refund = id.as_str(), "a refund is not where it was taken");
    SagaFault::inconsistent("a refund is not where it was taken")
}

/// Writes the end of a refund: it is done, or given back for a refusal. If someone else ended it first, that
/// stands.
async fn end(
    app: &App,
    tenant: TenantId,
    taken: TakenRefund,
    at: Timestamp,
    decline: Option<Decline>,
) -> Result<RefundOutcome, SagaFault> {
    SagaStep::EndRefund.begin();
    let decline = decline.as_ref();
    let exhausted = |_| SagaFault::Contended;
    revise(ENDING_TRIES, taken, exhausted, |taken| async move {
        let TakenRefund { mut sale, id, mut order } = taken;
        let Some(refund) = sale.refunds.get(&id) else {
            let refused = decline.cloned().map(RefundOutcome::Refused);
            return refused.map(Break).ok_or_else(|| vanished(&id));
        };
        if refund.deadline().is_none() {
            return Ok(Break(RefundOutcome::Refunded(Box::new(sale))));
        }
        let (end, outcome) = match decline {
            Some(decline) => (RefundEnd::Released, RefundOutcome::Refused(decline.clone())),
            None => {
                let listed = order.as_ref().and_then(|order| order.after_sale.refund(&id));
                let taxes = sale.taxes_of_next(refund.amount, listed.map(|listed| &listed.taxes))?;
                let done = DoneRefund { at, fees: sale.fees_of_next(refund.amount)?, taxes };
                let outcome = RefundOutcome::Refunded(Box::new(sale.with_done(&id, &done)));
                (RefundEnd::Done(done), outcome)
            }
        };
        let ending = Ending { tenant, sale: &sale, id: &id, order: order.as_ref(), end };
        let refused = match commit(app, &plan_end(&ending)?).await? {
            Ok(()) => {
                Metric::Refunds.count(tenant);
                return Ok(Break(outcome));
            }
            Err(refused) => refused,
        };
        for one in refused {
            match one.refusal {
                EndRefusal::SaleMoved => sale = moved(one.old, &id)?,
                EndRefusal::OrderMoved => {
                    order =
                        Some(app.store.load_order(tenant, &sale.order).await?.ok_or_else(|| vanished(&id))?);
                }
            }
        }
        Ok(Continue(TakenRefund { sale, id, order }))
    })
    .await
}

fn moved(old: Option<Item>, id: &RefundId) -> Result<Sale, SagaFault> {
    sale_in(old)?.ok_or_else(|| vanished(id))
}

/// What became of the refunds of a sale that were due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecoveredRefunds {
    /// Carried out or refused.
    pub finished: u32,
    /// Not finished, since the database or the processor did not answer.
    pub left: u32,
}

/// Finishes those refunds of a sale whose deadline has passed on this clock. Where some are left, the sale is due again
/// at `again`, so that others have their turn.
///
/// # Errors
/// [`SagaFault`] when the database does not answer; the sale stays due.
pub async fn recover_refunds(
    app: &App,
    tenant: TenantId,
    id: &SaleId,
    clock: DueClock,
    now: Timestamp,
    again: Timestamp,
) -> Result<RecoveredRefunds, SagaFault> {
    let Some(sale) = app.store.load_sale(tenant, id).await? else { return Ok(RecoveredRefunds::default()) };
    let due = sale
        .pending()
        .into_iter()
        .filter(|(is_chosen, deadline, _)| *is_chosen == (clock == DueClock::Chosen) && *deadline <= now);
    let due: Vec<RefundId> = due.map(|(_, _, id)| id.clone()).collect();
    if due.is_empty() {
        return Ok(RecoveredRefunds::default());
    }
    let recovered = recover_each(app, tenant, &sale, &due, now).await;
    if !recovered.as_ref().is_ok_and(|recovered| recovered.left == 0) {
        // Those that were finished changed it.
        let sale = app.store.load_sale(tenant, id).await?.unwrap_or(sale);
        app.store.postpone_refunds(tenant, &sale, again).await?;
    }
    recovered
}

async fn recover_each(
    app: &App,
    tenant: TenantId,
    sale: &Sale,
    due: &[RefundId],
    now: Timestamp,
) -> Result<RecoveredRefunds, SagaFault> {
    let order = app.store.load_order(tenant, &sale.order).await?;
    let tenant = app.tenant(tenant).await?;
    let mut recovered = RecoveredRefunds::default();
    for id in due {
        let taken = TakenRefund { sale: sale.clone(), id: id.clone(), order: order.clone() };
        match Box::pin(finish(app, &tenant, taken, || now)).await {
            Ok(RefundOutcome::Refunded(_) | RefundOutcome::Refused(_)) => {
                Metric::Recovered.count(tenant.id);
                recovered.finished = recovered.finished.saturating_add(1);
            }
            Ok(RefundOutcome::Undecided) => recovered.left = recovered.left.saturating_add(1),
            Err(fault) => {
                // The others of the sale are tried all the same.
                tracing::error!(refund = id.as_str(), %fault, "a refund that is due was not finished");
                recovered.left = recovered.left.saturating_add(1);
            }
        }
    }
    let RecoveredRefunds { finished, left } = recovered;
    tracing::info!(sale = sale.id.as_str(), finished, left, "refunds were left half-way");
    Ok(recovered)
}
