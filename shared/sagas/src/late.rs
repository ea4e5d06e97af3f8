//! Money that came after an order had given everything back. No payment succeeds once it was cancelled, so that this is
//! for processors that break their word; it is returned at once, and said so by mail.

use crate::charge::answered;
use crate::commit::commit;
use crate::fault::SagaFault;
use crate::settle::enqueue_mails;
use crate::steps::SagaStep;
use adapters::App;
use adapters::processor::RefundRequest;
use domain::checkout::{ANSWER_SECS, DEADLINE_SECS};
use domain::order::{LateMoney, LateState, Order, OrderState};
use domain::outbox::{MAIL_RETRY_SECS, late_mail};
use domain::payment::{PaymentStatus, RefundAnswer};
use domain::time::plus_secs;
use domain::{RefundId, Timestamp};
use store::late::{plan_end_late, plan_note_late};

/// Looks whether the payment of a voided order, whose buyer was asked, was charged all the same, and returns the money.
/// The order as it stands then.
///
/// # Errors
/// [`SagaFault`] when database or processor do not answer. What was noted stays due.
pub async fn return_late_money(app: &App, order: Order, now: Timestamp) -> Result<Order, SagaFault> {
    let (OrderState::Void { .. }, Some(challenge)) = (&order.state, &order.challenge) else {
        return Ok(order);
    };
    match &order.late_money {
        Some(late) if late.deadline().is_some_and(|deadline| now >= deadline) => {
            return carry_out(app, order.clone(), late.clone(), now).await;
        }
        Some(_) => return Ok(order),
        None => {}
    }
    let tenant = app.tenant(order.tenant).await?;
    let processor = app.processor(&tenant);
    let status = answered(processor.status(&challenge.reference), ANSWER_SECS).await;
    match status.map_err(SagaFault::Processor)? {
        PaymentStatus::Succeeded => {}
        PaymentStatus::Cancelled
        | PaymentStatus::AsksBuyer(_)
        | PaymentStatus::Refused(_)
        | PaymentStatus::Open => return Ok(order),
    }
    tracing::error!(order = order.id.as_str(), "a payment was charged after its order had been voided");
    SagaStep::NoteLateMoney.begin();
    let deadline = plus_secs(now, DEADLINE_SECS);
    let refund = RefundId::from_bytes(app.ids.bytes()?);
    let late = LateMoney { found_at: now, refund, state: LateState::Pending { deadline } };
    let plan = plan_note_late(&order, &late, deadline)?;
    if commit(app, &plan).await?.is_err() {
        // An earlier try of this write succeeded, or somebody else is at it.
        return app.store.load_order(order.tenant, &order.id).await?.ok_or(SagaFault::Contended);
    }
    carry_out(app, order, late, now).await
}

/// Has the processor return the money, and notes what it answered.
async fn carry_out(app: &App, order: Order, late: LateMoney, now: Timestamp) -> Result<Order, SagaFault> {
    let (Some(payment), Some(challenge)) = (&order.payment, &order.challenge) else { return Ok(order) };
    let tenant = app.tenant(order.tenant).await?;
    let processor = app.processor(&tenant);
    SagaStep::ReturnLateMoney.begin();
    let request = RefundRequest {
        tenant: order.tenant,
        order: order.id.clone(),
        mid: payment.mid.clone(),
        reference: challenge.reference.clone(),
        refund: late.refund.clone(),
        amount: payment.amount,
    };
    let answer = answered(processor.refund(&request), ANSWER_SECS).await.map_err(SagaFault::Processor)?;
    let (state, mail) = match answer {
        RefundAnswer::Refunded => (LateState::Returned { at: now }, late_mail(&order)),
        RefundAnswer::Refused(decline) => (LateState::Refused { at: now, decline }, None),
    };
    SagaStep::EndLateMoney.begin();
    let ended = LateMoney { state, ..late };
    let plan = plan_end_late(&order, &ended, mail.as_ref(), plus_secs(now, MAIL_RETRY_SECS))?;
    match commit(app, &plan).await? {
        Ok(()) => {
            enqueue_mails(app, &order, mail.as_slice()).await;
            Ok(Order { late_money: Some(ended), ..order })
        }
        Err(_) => app.store.load_order(order.tenant, &order.id).await?.ok_or(SagaFault::Contended),
    }
}
