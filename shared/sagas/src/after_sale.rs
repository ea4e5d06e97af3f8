//! What is done with a paid order (decision records 0070 to 0072). A refund of what was bought is taken from the order
//! and from its sale together, the processor asked then, and the refund settled with all it gives back, or given up. An
//! exchange is one transaction.

use crate::commit::commit;
use crate::refund::{RefundOutcome, TakenRefund, check_processor, refund, refused, vanished};
use domain::InstanceId;
use domain::ledger::{Course, Ledger, LedgerChange, LedgerRefusal};
use domain::order::exchange::DecidedExchange;
use domain::order::{Order, OrderRefund};
use domain::outbox::OutboxMail;
use domain::payment::Decline;
use domain::sale::{RefundRefusal, Sale, SaleRefund};
use domain::tenant::Tenant;
use platform::clock::RequestClock;
use platform::{ApiError, App, ErrorType};
use store::after_sale::{ExchangeRefusal, ReturnRefusal, plan_exchange, plan_take};
use store::ledger::ledger_update;
use store::refund::{Take, Untaken, untaken};
use store::{Item, Key, Refused, decode};

/// Times something is taken with changed content: of a sale that was prepared, with other holds taken along.
const MAX_TAKINGS: u32 = 12;

/// Whether a refund of what was bought gives money back, and of which sale.
#[derive(Debug, Clone)]
pub enum Giving {
    /// Money of this sale.
    Money(Box<Sale>),
    /// No money: it was given back before, or none moves.
    NoMoney,
}

impl Giving {
    /// What a refund gives back from now on, of an order whose sale was looked for.
    ///
    /// # Errors
    /// `INTERNAL` where money is to go back and the sale is not there: it was written with the paid order, and without
    /// it nothing may be given back.
    pub fn of(refund: &OrderRefund, sale: Option<&Sale>) -> Result<Self, ApiError> {
        if !refund.is_pending() {
            return Ok(Self::NoMoney);
        }
        let sale = sale.ok_or_else(|| {
            tracing::error!(
                refund = refund.id.as_str(),
                "the sale of an order that is to be refunded is missing"
            );
            ApiError::new(ErrorType::Internal)
        })?;
        Ok(Self::Money(Box::new(sale.clone())))
    }

    /// Whether the processor that the tenant charges by can have taken the payment.
    ///
    /// # Errors
    /// `REFUND_REFUSED` where another processor took it.
    pub fn check_processor(&self, app: &App, tenant: &Tenant) -> Result<(), ApiError> {
        match self {
            Self::Money(sale) => check_processor(app, tenant, sale),
            Self::NoMoney => Ok(()),
        }
    }

    /// What is taken of the sale.
    fn take<'a>(&'a self, order: &Order, wanted: &'a OrderRefund, taken: &'a SaleRefund) -> Option<Take<'a>> {
        match self {
            Self::Money(sale) => Some(Take {
                tenant: order.tenant,
                sale: &sale.id,
                mid: &sale.mid,
                id: &wanted.id,
                refund: taken,
            }),
            Self::NoMoney => None,
        }
    }

    /// The same after the refund was taken.
    fn taken(self, wanted: &OrderRefund, taken: SaleRefund) -> Result<Self, ApiError> {
        Ok(match self {
            Self::Money(sale) => Self::Money(Box::new(sale.with(&wanted.id, taken)?)),
            Self::NoMoney => Self::NoMoney,
        })
    }
}

/// What came of the wish to refund what was bought.
#[derive(Debug)]
pub enum TakenReturn {
    /// The order lists it; the order as it is now, and what it gives.
    Taken(Box<Order>, Giving),
    /// Something was done with the order since it was read.
    OrderMoved,
    /// A membership was changed since it was read, or an order is changing it.
    MembershipMoved,
    /// The sale does not give the money.
    Refused(RefundRefusal),
}

/// Whether a refund that was decided could be taken and ended as far as its size is concerned.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE` when it gives back more than one transaction holds.
pub fn check_return(
    order: &Order,
    wanted: &OrderRefund,
    giving: &Giving,
    clock: RequestClock,
) -> Result<(), ApiError> {
    let taken = SaleRefund::pending(wanted.amount, clock.now(), clock.is_chosen());
    plan_take(order, wanted, giving.take(order, wanted, &taken).as_ref())?;
    Ok(())
}

/// Lists a refund that was decided, and takes its money from what remains of the sale. One that moves no money is
/// carried out at once.
///
/// # Errors
/// [`ApiError`] when it is not known whether that happened.
pub async fn take_return(
    app: &App,
    order: &Order,
    wanted: &OrderRefund,
    giving: Giving,
    clock: RequestClock,
) -> Result<TakenReturn, ApiError> {
    let taken = SaleRefund::pending(wanted.amount, clock.now(), clock.is_chosen());
    for _ in 0..MAX_TAKINGS {
        let take = giving.take(order, wanted, &taken);
        let Err(mut refusals) = commit(app, &plan_take(order, wanted, take.as_ref())?).await? else {
            let after_sale = order.after_sale.with_refund(wanted.clone());
            let order = Order { after_sale, ..order.clone() };
            return Ok(TakenReturn::Taken(Box::new(order), giving.taken(wanted, taken)?));
        };
        refusals.sort_by_key(|one| one.refusal);
        let Some(Refused { refusal, old }) = refusals.into_iter().next() else { break };
        match (refusal, &take) {
            (ReturnRefusal::OrderMoved, _) => return Ok(TakenReturn::OrderMoved),
            (ReturnRefusal::MembershipMoved, _) => return Ok(TakenReturn::MembershipMoved),
            (ReturnRefusal::Sale, Some(take)) => match untaken(old)? {
                Untaken::Unprepared => app.store.prepare_sale(take.tenant, take.sale).await?,
                Untaken::Refused(found) => {
                    let Err(refusal) = refused(take, found)? else { return Ok(TakenReturn::OrderMoved) };
                    return Ok(TakenReturn::Refused(refusal));
                }
            },
            (ReturnRefusal::Sale, None) => break,
        }
    }
    Err(ApiError::new(ErrorType::TryAgain).without_effect())
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
    order: &Order,
    wanted: &OrderRefund,
    giving: Giving,
    clock: RequestClock,
) -> Result<ReturnOutcome, ApiError> {
    let sale = match giving {
        Giving::Money(sale) => *sale,
        Giving::NoMoney => return Ok(ReturnOutcome::Returned(Box::new(order.clone()))),
    };
    let taken = TakenRefund { sale, id: wanted.id.clone(), order: Some(order.clone()) };
    match refund(app, tenant, taken, clock).await? {
        RefundOutcome::Refunded(sale) => {
            let refunded = sale.refunded()?;
            let done_at = sale.refunds.get(&wanted.id).and_then(SaleRefund::done_at);
            let done_at = done_at.ok_or_else(|| vanished(&wanted.id))?;
            let after_sale = order.after_sale.with_done(&wanted.id, done_at);
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
    order: &Order,
    decided: &DecidedExchange,
    event: InstanceId,
    mail: Option<&OutboxMail>,
) -> Result<Exchanged, ApiError> {
    let wanted = LedgerChange::sell(decided.taken, None);
    let mut change = wanted.clone();
    for _ in 0..MAX_TAKINGS {
        let plan = plan_exchange(order, decided, event, &change, mail)?;
        let Err(mut refusals) = commit(app, &plan).await? else {
            let after_sale = order.after_sale.with_exchange(decided.exchange.clone());
            return Ok(Exchanged::Made(Box::new(Order { after_sale, ..order.clone() })));
        };
        refusals.sort_by_key(|one| one.refusal);
        let Some(Refused { refusal, old }) = refusals.into_iter().next() else { break };
        match refusal {
            ExchangeRefusal::OrderMoved => return Ok(Exchanged::OrderMoved),
            ExchangeRefusal::Seats => match course(app, order, decided, event, &wanted, old).await? {
                Ok(next) => change = next,
                Err(refusal) => return Ok(Exchanged::Seats(refusal)),
            },
        }
    }
    Err(ApiError::new(ErrorType::TryAgain).without_effect())
}

/// The change of the ledger with the expired holds it has to take along. Where those are more than one update can
/// name, some are taken back beforehand.
async fn course(
    app: &App,
    order: &Order,
    decided: &DecidedExchange,
    event: InstanceId,
    wanted: &LedgerChange,
    old: Option<Item>,
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
