//! What is done with a paid order (decision records 0070 to 0072). A refund of what was bought is taken from the order
//! and from its sale together, the processor asked then, and the refund settled with all it gives back, or given up. An
//! exchange is one transaction.

use crate::commit::commit;
use crate::fault::SagaFault;
use crate::refund::{self, RefundOutcome, TakenRefund, check_processor, refund, refused, vanished};
use crate::steps::SagaStep;
use adapters::App;
use adapters::clock::RequestClock;
use domain::RefundId;
use domain::ledger::{LedgerChange, LedgerRefusal};
use domain::order::{Order, OrderRefund};
use domain::payment::Decline;
use domain::sale::{RefundRefusal, Sale, SaleRefund};
use domain::tenant::Tenant;
use std::ops::ControlFlow::{Break, Continue};
use store::after_sale::{ExchangeRefusal, NewExchange, ReturnRefusal, plan_exchange, plan_take};
use store::ledger::ledger_in;
use store::refund::{Take, Untaken, untaken};
use store::{Refused, StoreError, revise};

/// Times something is taken with changed content: of a sale that was prepared, with other holds taken along.
const TAKING_TRIES: usize = 12;

/// Why nothing is done with an order, or it is not known to be done.
#[derive(Debug)]
pub enum AfterSaleRefusal {
    /// The sale has something against it.
    Sale(RefundRefusal),
    /// The processor, or the bank behind it, refused: everything is as it was.
    Declined(Decline),
    /// The refund is taken, and the processor has not said what became of it. Whoever finds it after its deadline
    /// finishes it.
    Unconfirmed(RefundId),
    /// Another refund of the order is under way: nothing was done.
    OtherUnderWay(RefundId),
    /// It gives back more than can be written at once: nothing was done.
    TooLarge,
    /// Others wrote to the order at every try: nothing was done.
    Contended,
    /// It is not known how far it came.
    Failed(SagaFault),
}

impl From<SagaFault> for AfterSaleRefusal {
    fn from(fault: SagaFault) -> Self {
        Self::Failed(fault)
    }
}

impl From<StoreError> for AfterSaleRefusal {
    fn from(fault: StoreError) -> Self {
        Self::Failed(fault.into())
    }
}

/// What the sale of an order says is said of the order.
impl From<refund::SaleRefundRefusal> for AfterSaleRefusal {
    fn from(refusal: refund::SaleRefundRefusal) -> Self {
        match refusal {
            refund::SaleRefundRefusal::Sale(refusal) => Self::Sale(refusal),
            refund::SaleRefundRefusal::Declined(decline) => Self::Declined(decline),
            refund::SaleRefundRefusal::Unconfirmed(id) => Self::Unconfirmed(id),
        }
    }
}

/// What cannot be given back at once can be in parts.
fn in_parts(refusal: AfterSaleRefusal) -> AfterSaleRefusal {
    let is_too_large = matches!(&refusal, AfterSaleRefusal::Failed(fault) if fault.is_too_large());
    if is_too_large { AfterSaleRefusal::TooLarge } else { refusal }
}

/// Whether a refund of what was bought gives money back, and of which sale.
#[derive(Debug, Clone)]
pub enum Giving {
    Money(Box<Sale>),
    /// No money: it was given back before, or none moves.
    NoMoney,
}

impl Giving {
    /// What a refund gives back from now on, of an order whose sale was looked for.
    ///
    /// # Errors
    /// [`SagaFault::Inconsistent`] where money is to go back and the sale is not there: it was written with the paid
    /// order, and without it nothing may be given back.
    pub fn of(refund: &OrderRefund, sale: Option<&Sale>) -> Result<Self, SagaFault> {
        if !refund.is_pending() {
            return Ok(Self::NoMoney);
        }
        let sale = sale.ok_or_else(|| {
            tracing::error!(
                refund = refund.id.as_str(),
                "the sale of an order that is to be refunded is missing"
            );
            SagaFault::inconsistent("the sale of an order that is to be refunded is missing")
        })?;
        Ok(Self::Money(Box::new(sale.clone())))
    }

    /// Whether the processor that the tenant charges by can have taken the payment.
    ///
    /// # Errors
    /// [`AfterSaleRefusal::Declined`] where another processor took it.
    pub fn check_processor(&self, app: &App, tenant: &Tenant) -> Result<(), AfterSaleRefusal> {
        match self {
            Self::Money(sale) => Ok(check_processor(app, tenant, sale)?),
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
    fn taken(self, wanted: &OrderRefund, taken: SaleRefund) -> Result<Self, SagaFault> {
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
}

/// Whether a refund that was decided could be taken and ended as far as its size is concerned.
///
/// # Errors
/// [`AfterSaleRefusal::TooLarge`] when it gives back more than one transaction holds.
pub fn check_return(
    order: &Order,
    wanted: &OrderRefund,
    giving: &Giving,
    clock: RequestClock,
) -> Result<(), AfterSaleRefusal> {
    let taken = SaleRefund::pending(wanted.amount, clock.now(), clock.is_chosen());
    let plan = plan_take(order, wanted, giving.take(order, wanted, &taken).as_ref());
    plan.map(|_| ()).map_err(|fault| in_parts(fault.into()))
}

/// Lists a refund that was decided, and takes its money from what remains of the sale. One that moves no money is
/// carried out at once.
///
/// # Errors
/// [`AfterSaleRefusal::Sale`], [`AfterSaleRefusal::TooLarge`], [`AfterSaleRefusal::Contended`], and
/// [`AfterSaleRefusal::Failed`] when it is not known whether that happened.
pub async fn take_return(
    app: &App,
    order: &Order,
    wanted: &OrderRefund,
    giving: Giving,
    clock: RequestClock,
) -> Result<TakenReturn, AfterSaleRefusal> {
    list_and_take(app, order, wanted, giving, clock).await.map_err(in_parts)
}

async fn list_and_take(
    app: &App,
    order: &Order,
    wanted: &OrderRefund,
    giving: Giving,
    clock: RequestClock,
) -> Result<TakenReturn, AfterSaleRefusal> {
    SagaStep::TakeReturn.begin();
    let taken = &SaleRefund::pending(wanted.amount, clock.now(), clock.is_chosen());
    let contended = |_| AfterSaleRefusal::Contended;
    revise(TAKING_TRIES, giving, contended, |giving| async move {
        let take = giving.take(order, wanted, taken);
        let Err(mut refusals) = commit(app, &plan_take(order, wanted, take.as_ref())?).await? else {
            let after_sale = order.after_sale.with_refund(wanted.clone());
            let order = Order { after_sale, ..order.clone() };
            return Ok(Break(TakenReturn::Taken(Box::new(order), giving.taken(wanted, taken.clone())?)));
        };
        refusals.sort_by_key(|one| one.refusal);
        let Some(Refused { refusal, old }) = refusals.into_iter().next() else {
            return Err(AfterSaleRefusal::Contended);
        };
        match (refusal, &take) {
            (ReturnRefusal::OrderMoved, _) => Ok(Break(TakenReturn::OrderMoved)),
            (ReturnRefusal::MembershipMoved, _) => Ok(Break(TakenReturn::MembershipMoved)),
            (ReturnRefusal::Sale, Some(take)) => match untaken(old)? {
                Untaken::Unprepared => {
                    app.store.prepare_sale(take.tenant, take.sale).await?;
                    Ok(Continue(giving))
                }
                Untaken::Refused(found) => match refused(take, found)? {
                    Ok(_) => Ok(Break(TakenReturn::OrderMoved)),
                    Err(refusal) => Err(AfterSaleRefusal::Sale(refusal)),
                },
            },
            (ReturnRefusal::Sale, None) => Err(AfterSaleRefusal::Contended),
        }
    })
    .await
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
/// [`SagaFault`] when the database does not answer; the refund stays pending and is finished by whoever finds it.
pub async fn finish_return(
    app: &App,
    tenant: &Tenant,
    order: &Order,
    wanted: &OrderRefund,
    giving: Giving,
    clock: RequestClock,
) -> Result<ReturnOutcome, SagaFault> {
    let sale = match giving {
        Giving::Money(sale) => *sale,
        Giving::NoMoney => return Ok(ReturnOutcome::Returned(Box::new(order.clone()))),
    };
    let taken = TakenRefund { sale, id: wanted.id.clone(), order: Some(order.clone()) };
    match refund(app, tenant, taken, clock).await? {
        RefundOutcome::Refunded(sale) => {
            let refunded = sale.refunded()?;
            let done = sale.refunds.get(&wanted.id).and_then(|done| Some((done.done_at()?, &done.taxes)));
            let (done_at, taxes) = done.ok_or_else(|| vanished(&wanted.id))?;
            let after_sale = order.after_sale.with_done(&wanted.id, done_at, taxes);
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
/// [`AfterSaleRefusal::Contended`], and [`AfterSaleRefusal::Failed`] when it is not known whether that happened.
pub async fn exchange(app: &App, order: &Order, new: NewExchange<'_>) -> Result<Exchanged, AfterSaleRefusal> {
    SagaStep::Exchange.begin();
    let decided = new.decided;
    let wanted = &LedgerChange::sell(decided.taken, None);
    let contended = |_| AfterSaleRefusal::Contended;
    revise(TAKING_TRIES, wanted.clone(), contended, |change| async move {
        let plan = plan_exchange(order, new, &change)?;
        let Err(mut refusals) = commit(app, &plan).await? else {
            let after_sale = order.after_sale.with_exchange(decided.exchange.clone());
            let admission = new.taken_out.map_or(&order.admission, |out| &out.admissions).clone();
            return Ok(Break(Exchanged::Made(Box::new(Order { after_sale, admission, ..order.clone() }))));
        };
        refusals.sort_by_key(|one| one.refusal);
        let Some(Refused { refusal, old }) = refusals.into_iter().next() else {
            return Err(AfterSaleRefusal::Contended);
        };
        match refusal {
            ExchangeRefusal::OrderMoved => Ok(Break(Exchanged::OrderMoved)),
            ExchangeRefusal::Seats => {
                let Some(ledger) = ledger_in(old)? else {
                    return Ok(Break(Exchanged::Seats(LedgerRefusal::UnknownSlot)));
                };
                let next = app.store.transition(order.tenant, &ledger, wanted, decided.exchange.at).await?;
                Ok(next.map_or_else(|refusal| Break(Exchanged::Seats(refusal)), Continue))
            }
        }
    })
    .await
}
