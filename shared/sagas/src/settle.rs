//! The last step: the order becomes paid with all that belongs to it, or everything goes back.

use crate::commit::commit;
use crate::fault::SagaFault;
use crate::point::unpoint;
use crate::steps::SagaStep;
use adapters::App;
use adapters::telemetry::Metric;
use domain::checkout::{sale_of, tickets_of};
use domain::order::{Order, OrderState, Ticket};
use domain::outbox::{MAIL_RETRY_SECS, MailJob, OrderMail, OutboxMail, mails_of};
use domain::payment::Decline;
use domain::time::plus_secs;
use domain::{InstanceId, PaymentReference, TicketBarcode, TicketId, Timestamp};
use std::ops::ControlFlow::{Break, Continue};
use store::checkout::{Settlement, VoidRefusal, plan_settle, plan_void};
use store::revise;

/// Rounds of voiding, each with the holds that were altered meanwhile left out.
const VOID_TRIES: usize = 4;

/// The tickets and mails of an order that is led to ([`crate::point_to`]).
///
/// # Errors
/// [`SagaFault`] when the machine has no randomness for barcodes, or the order does not say what they begin with.
pub fn settlement(app: &App, order: &Order) -> Result<(Vec<Ticket>, Vec<OutboxMail>), SagaFault> {
    let tag = order.tag.as_ref();
    let tag = tag.ok_or_else(|| SagaFault::inconsistent("an order does not say how its barcodes begin"))?;
    let tickets = tickets_of(order, || {
        let barcode = TicketBarcode::beginning_with(tag, app.ids.bytes()?);
        Ok::<_, SagaFault>((TicketId::from_bits(app.ids.bits()?), barcode))
    })?;
    Ok((tickets, mails_of(order)))
}

/// Makes a charged order paid and enqueues its mails. When it was paid is the latest moment at which the card can
/// have been charged; it may be settled later. If someone else settled it first, that stands.
///
/// # Errors
/// [`SagaFault`] when it is not known whether the order is paid; whoever finds it later will know.
pub(crate) async fn settle(
    app: &App,
    order: &Order,
    reference: &PaymentReference,
    paid_at: Timestamp,
    settled_at: Timestamp,
) -> Result<Order, SagaFault> {
    SagaStep::Settle.begin();
    let (tickets, mails) = settlement(app, order)?;
    let sale = sale_of(order, reference, paid_at);
    let plan = plan_settle(&Settlement {
        order,
        paid_at,
        settled_at,
        tickets: &tickets,
        sale: sale.as_ref(),
        mails: &mails,
        mails_due: plus_secs(paid_at, MAIL_RETRY_SECS),
    })?;
    match commit(app, &plan).await? {
        Ok(()) => {
            Metric::Orders.count(order.tenant);
            enqueue_mails(app, order, &mails).await;
            Ok(Order { state: OrderState::Paid { at: paid_at }, ..order.clone() })
        }
        Err(_) => app.store.load_order(order.tenant, &order.id).await?.ok_or(SagaFault::Contended),
    }
}

/// Tells the mailer about new mails. What cannot be enqueued now is enqueued again by the schedule.
pub async fn enqueue_mails(app: &App, order: &Order, mails: &[OutboxMail]) {
    if !mails.is_empty() {
        SagaStep::EnqueueMails.begin();
    }
    for mail in mails {
        let job = OrderMail { tenant: order.tenant, order: order.id.clone(), kind: mail.kind };
        if let Err(fault) = app.queue.send(&MailJob::Order(job)).await {
            tracing::warn!(order = order.id.as_str(), %fault, "a mail could not be enqueued");
        }
    }
}

/// Gives everything an order took back. If someone else settled or undid it first, that stands.
///
/// # Errors
/// [`SagaFault`] when it is not known whether the order is voided.
pub async fn void(
    app: &App,
    order: &Order,
    now: Timestamp,
    decline: Option<Decline>,
) -> Result<Order, SagaFault> {
    let state = &OrderState::Void { at: now, decline };
    let altered: Vec<InstanceId> = Vec::new();
    let exhausted = |_| SagaFault::Contended;
    revise(VOID_TRIES, altered, exhausted, |mut altered| async move {
        let plan = plan_void(order, state, now, &altered)?;
        let refused = match commit(app, &plan).await? {
            Ok(()) => {
                unpoint(app, order).await;
                return Ok(Break(Order { state: state.clone(), ..order.clone() }));
            }
            Err(refused) => refused,
        };
        for one in refused {
            match one.refusal {
                VoidRefusal::NotPending => {
                    let settled = app.store.load_order(order.tenant, &order.id).await?;
                    return settled.map(Break).ok_or(SagaFault::Contended);
                }
                VoidRefusal::HoldAltered(instance) => altered.push(instance),
            }
        }
        Ok(Continue(altered))
    })
    .await
}
