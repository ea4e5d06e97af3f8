//! What is done with a paid order (decision records 0070 to 0072). A refund of what was bought is taken from the order
//! and from its sale together, the processor asked then, and the refund settled with all it gives back, or given up. An
//! exchange is one transaction.

use crate::commit::commit;
use crate::refund::{RefundOutcome, TakenRefund, refund, refused};
use domain::ledger::{Course, Ledger, LedgerChange, LedgerRefusal};
use domain::order::exchange::DecidedExchange;
use domain::order::{Order, OrderRefund};
use domain::outbox::OutboxMail;
use domain::payment::Decline;
use domain::sale::{RefundRefusal, Sale, SaleRefund};
use domain::tenant::Tenant;
use domain::{InstanceId, OrderId};
use platform::clock::RequestClock;
use platform::{ApiError, App, ErrorType};
use store::after_sale::{AfterSaleRefusal, plan_exchange, plan_take};
use store::ledger::ledger_update;
use store::refund::{Take, Taking, taken_from};
use store::{Item, Key, Refused, decode};

/// Times something is taken with changed content: of a sale that was prepared, with other holds taken along.
const MAX_TAKINGS: u32 = 12;

/// What came of the wish to refund what was bought.
#[derive(Debug)]
pub enum TakenReturn {
    /// The order lists it; the sale as it is now, where money goes back.
    Taken(Box<Order>, Option<Box<Sale>>),
    /// Something was done with the order since it was read.
    OrderMoved,
    /// A membership was changed since it was read, or this order is changing it.
    MembershipMoved(Option<OrderId>),
    /// The sale does not give the money.
    Refused(RefundRefusal),
}

/// Lists a refund that was decided, and takes its money from what remains of the sale, which was read. One that moves
/// no money is carried out at once.
///
/// # Errors
/// [`ApiError`] when it is not known whether that happened.
pub async fn take_return(
    app: &App,
    (order, wanted): (&Order, &OrderRefund),
    (sale, clock): (Option<&Sale>, RequestClock),
) -> Result<TakenReturn, ApiError> {
    let taken = SaleRefund::pending(wanted.amount, (clock.now(), clock.is_chosen()));
    let sale = sale.filter(|_| wanted.is_pending());
    let take = sale.map(|sale| Take {
        tenant: order.tenant,
        sale: &sale.id,
        mid: &sale.mid,
        id: &wanted.id,
        refund: &taken,
    });
    for _ in 0..MAX_TAKINGS {
        let plan = plan_take((order, wanted), take.as_ref())?;
        let Err(mut refusals) = commit(app, &plan).await? else {
            let after_sale = order.after_sale.with_refund(wanted.clone());
            let order = Order { after_sale, ..order.clone() };
            let sale = sale.map(|sale| sale.with(&wanted.id, taken.clone()));
            let sale = sale.transpose().map_err(|_| ApiError::new(ErrorType::Internal))?;
            return Ok(TakenReturn::Taken(Box::new(order), sale.map(Box::new)));
        };
        refusals.sort_by_key(|one| one.refusal);
        let Some(first) = refusals.into_iter().next() else { break };
        match (first.refusal, &take) {
            (AfterSaleRefusal::OrderMoved, _) => return Ok(TakenReturn::OrderMoved),
            (AfterSaleRefusal::MembershipMoved, _) => {
                return Ok(TakenReturn::MembershipMoved(store::checkout::claimed_by(first.old.as_ref())));
            }
            (AfterSaleRefusal::Sale, Some(take)) => match taken_from(first.old)? {
                Taking::Unprepared => app.store.prepare_sale(take.tenant, take.sale).await?,
                Taking::Refused(found) => {
                    let Err(refusal) = refused(take, found)? else { return Ok(TakenReturn::OrderMoved) };
                    return Ok(TakenReturn::Refused(refusal));
                }
                Taking::Taken(_) => return Ok(TakenReturn::OrderMoved),
            },
            (AfterSaleRefusal::Sale | AfterSaleRefusal::Seats(_), _) => break,
        }
    }
    Err(ApiError::new(ErrorType::TryAgain))
}

/// What became of a refund of what was bought.
#[derive(Debug)]
pub enum ReturnOutcome {
    /// Money and goods are given back; the order as it is now.
    Returned(Box<Order>),
    /// The processor refused, and everything is as it was.
    Refused(Decline),
    /// Not known yet: it will be finished by whoever finds it after its deadline.
    Undecided,
}

/// Takes a refund that an order lists to its end.
///
/// # Errors
/// [`ApiError`] when the database does not answer; the refund stays pending and is finished by whoever finds it.
pub async fn finish_return(
    app: &App,
    tenant: &Tenant,
    (order, wanted): (&Order, &OrderRefund),
    (sale, clock): (Option<Sale>, RequestClock),
) -> Result<ReturnOutcome, ApiError> {
    let Some(sale) = sale.filter(|_| wanted.is_pending()) else {
        return Ok(ReturnOutcome::Returned(Box::new(order.clone())));
    };
    let taken = TakenRefund { sale, id: wanted.id.clone(), order: Some(order.clone()) };
    match refund(app, tenant, taken, clock).await? {
        RefundOutcome::Refunded(sale) => {
            let refunded = sale.refunded().map_err(|_| ApiError::new(ErrorType::Internal))?;
            let done_at = sale.refunds.get(&wanted.id).and_then(SaleRefund::done_at);
            let after_sale = order.after_sale.with_done(&wanted.id, done_at.unwrap_or(clock.now()));
            Ok(ReturnOutcome::Returned(Box::new(Order { refunded, after_sale, ..order.clone() })))
        }
        RefundOutcome::Refused(decline) => Ok(ReturnOutcome::Refused(decline)),
        RefundOutcome::Undecided => Ok(ReturnOutcome::Undecided),
    }
}

/// What came of the wish to exchange tickets.
#[derive(Debug)]
pub enum Exchanged {
    /// It is made; the order as it is now.
    Made(Box<Order>),
    /// Something was done with the order since it was read.
    OrderMoved,
    /// The instance does not give the seats.
    Seats(LedgerRefusal),
}

/// Carries out an exchange that was decided. Expired holds in the way of its seats are taken along.
///
/// # Errors
/// [`ApiError`] when it is not known whether that happened.
pub async fn exchange(
    app: &App,
    (order, decided): (&Order, &DecidedExchange),
    (event, mail): (InstanceId, Option<&OutboxMail>),
) -> Result<Exchanged, ApiError> {
    let wanted = LedgerChange::sell(decided.taken, None);
    let mut change = wanted.clone();
    for _ in 0..MAX_TAKINGS {
        let plan = plan_exchange((order, decided), (event, &change), mail)?;
        let Err(mut refusals) = commit(app, &plan).await? else {
            let after_sale = order.after_sale.with_exchange(decided.exchange.clone());
            return Ok(Exchanged::Made(Box::new(Order { after_sale, ..order.clone() })));
        };
        refusals.sort_by_key(|one| one.refusal);
        let Some(Refused { refusal, old }) = refusals.into_iter().next() else { break };
        match refusal {
            AfterSaleRefusal::OrderMoved | AfterSaleRefusal::Sale | AfterSaleRefusal::MembershipMoved => {
                return Ok(Exchanged::OrderMoved);
            }
            AfterSaleRefusal::Seats(_) => match course(app, (order, decided), (event, &wanted, old)).await? {
                Ok(next) => change = next,
                Err(refusal) => return Ok(Exchanged::Seats(refusal)),
            },
        }
    }
    Err(ApiError::new(ErrorType::TryAgain))
}

/// The change of the ledger with the expired holds it has to take along. Where those are more than one update can
/// name, some are taken back beforehand.
async fn course(
    app: &App,
    (order, decided): (&Order, &DecidedExchange),
    (event, wanted, old): (InstanceId, &LedgerChange, Option<Item>),
) -> Result<Result<LedgerChange, LedgerRefusal>, ApiError> {
    let Some(item) = old else { return Ok(Err(LedgerRefusal::UnknownSlot)) };
    let ledger: Ledger = decode(item)?;
    Ok(match ledger.course(wanted, decided.exchange.at) {
        Ok(Course::Change(change)) => Ok(change),
        Ok(Course::ReclaimFirst(reclaim)) => {
            let key = Key::ledger(order.tenant, &event, 0);
            // Whether it or another buyer took them back, the next attempt will see.
            let _ = app.store.write(&key, ledger_update(&reclaim)).await?;
            Ok(wanted.clone())
        }
        Err(refusal) => Err(refusal),
    })
}
