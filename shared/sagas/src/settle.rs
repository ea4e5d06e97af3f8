//! The last step: the order becomes paid with all that belongs to it, or everything goes back.

use crate::commit::commit;
use domain::checkout::{sale_of, tickets_of};
use domain::order::{Order, OrderState, Ticket};
use domain::outbox::{MAIL_RETRY_SECS, MailJob, OrderMail, OutboxMail, mails_of};
use domain::payment::Decline;
use domain::time::plus_secs;
use domain::{InstanceId, PaymentReference, TicketBarcode, TicketId, Timestamp};
use platform::telemetry::Metric;
use platform::{ApiError, App, ErrorType};
use store::checkout::{Settlement, VoidRefusal, plan_settle, plan_void};

/// Rounds of undoing, each with the holds that were altered meanwhile left out.
const MAX_UNDO_ROUNDS: u32 = 4;

/// The tickets and mails of an order.
///
/// # Errors
/// `INTERNAL` when the machine has no randomness for barcodes.
pub fn settlement(app: &App, order: &Order) -> Result<(Vec<Ticket>, Vec<OutboxMail>), ApiError> {
    let tickets = tickets_of(order, || {
        Ok::<_, ApiError>((TicketId::from_bits(app.ids.bits()?), TicketBarcode::from_bytes(app.ids.bytes()?)))
    })?;
    Ok((tickets, mails_of(order)))
}

/// Makes a charged order paid and announces its mails. When it was paid is the latest moment at which the card can
/// have been charged; it may be settled later. If someone else settled it first, that stands.
///
/// # Errors
/// [`ApiError`] when it is not known whether the order is paid; whoever finds it later will know.
pub(crate) async fn settle(
    app: &App,
    order: &Order,
    reference: &PaymentReference,
    paid_at: Timestamp,
    settled_at: Timestamp,
) -> Result<Order, ApiError> {
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
            announce(app, order, &mails).await;
            Ok(Order { state: OrderState::Paid { at: paid_at }, ..order.clone() })
        }
        Err(_) => app
            .store
            .load_order(order.tenant, &order.id)
            .await?
            .ok_or_else(|| ApiError::new(ErrorType::TryAgain)),
    }
}

/// Tells the mailer about new mails. What cannot be announced now is announced again by the schedule.
pub async fn announce(app: &App, order: &Order, mails: &[OutboxMail]) {
    for mail in mails {
        let job = OrderMail { tenant: order.tenant, order: order.id.clone(), kind: mail.kind };
        if let Err(fault) = app.queue.send(&MailJob::Order(job)).await {
            tracing::warn!(order = order.id.as_str(), %fault, "a mail could not be announced");
        }
    }
}

/// Gives everything an order took back. If someone else settled or undid it first, that stands.
///
/// # Errors
/// [`ApiError`] when it is not known whether the order is undone.
pub async fn undo(
    app: &App,
    order: &Order,
    now: Timestamp,
    decline: Option<Decline>,
) -> Result<Order, ApiError> {
    let state = OrderState::Void { at: now, decline };
    let mut altered: Vec<InstanceId> = Vec::new();
    for _ in 0..MAX_UNDO_ROUNDS {
        let plan = plan_void(order, &state, now, &altered)?;
        let refused = match commit(app, &plan).await? {
            Ok(()) => return Ok(Order { state, ..order.clone() }),
            Err(refused) => refused,
        };
        for one in refused {
            match one.refusal {
                VoidRefusal::NotPending => {
                    let settled = app.store.load_order(order.tenant, &order.id).await?;
                    return settled.ok_or_else(|| ApiError::new(ErrorType::TryAgain));
                }
                VoidRefusal::HoldAltered(instance) => altered.push(instance),
            }
        }
    }
    Err(ApiError::new(ErrorType::TryAgain))
}
