//! The first step: one transaction takes everything the sale will need.

use crate::commit::commit;
use crate::fault::SagaFault;
use crate::steps::SagaStep;
use adapters::App;
use domain::ledger::{Ledger, LedgerChange, LedgerRefusal};
use domain::order::Order;
use domain::{CouponId, InstanceId, InventoryId, OrderId, OrderNumber};
use std::collections::BTreeMap;
use std::ops::ControlFlow::{Break, Continue};
use store::checkout::{
    Secure, SecureRefusal, Settlement, claimed_by, guarding, plan_free_order, plan_secure,
};
use store::counter::Counter;
use store::idempotency::IdempotencyRecord;
use store::ledger::ledger_in;
use store::{Item, Refused, decode, revise};

/// Attempts with changed content: other holds to reclaim, another order number.
const SECURE_TRIES: usize = 12;

/// The settlement of an order that costs nothing, written in the transaction that secures it.
#[derive(Debug, Clone, Copy)]
pub struct FreeParts<'a> {
    pub tickets: &'a [domain::order::Ticket],
    pub mails: &'a [domain::outbox::OutboxMail],
    /// When unsent mails are enqueued again.
    pub mails_due: domain::Timestamp,
}

/// The order as it stands in the database.
#[derive(Debug)]
pub struct Secured(pub Order);

/// Why nothing was taken.
#[derive(Debug)]
pub enum SecureFault {
    /// Another request holds the idempotency key.
    IdempotencyHeld(Box<IdempotencyRecord>),
    /// The cart was changed, checked out, or is gone.
    CartMoved,
    /// A coupon was used as often as it may be.
    CouponUsedUp(CouponId),
    /// A membership has too few tickets left of what it is entitled to.
    EntitlementsUsedUp,
    /// An order holds the duplicate guard.
    Duplicate(OrderId),
    /// A slot does not give the seats.
    Seats(InstanceId, LedgerRefusal),
    /// An add-on does not have the units; so many are sold.
    Stock(InventoryId, u32),
    /// A membership was changed meanwhile, or this order is renewing or changing it.
    MembershipMoved(Option<OrderId>),
    /// The database or the machine failed.
    Failed(SagaFault),
}

impl SecureFault {
    /// Whether it is certain that nothing was taken.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        !matches!(self, Self::Failed(_))
    }
}

impl<E: Into<SagaFault>> From<E> for SecureFault {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Takes seats, number, guard, cart and idempotency key together, or nothing. Expired holds in the way are
/// reclaimed; a lost answer is recognised by repeating the same transaction under the same token.
///
/// # Errors
/// The first [`SecureFault`] that applies, by precedence.
pub async fn secure(app: &App, secure: Secure, free: Option<FreeParts<'_>>) -> Result<Secured, SecureFault> {
    SagaStep::Secure.begin();
    let wanted = &secure.ledgers.clone();
    let contended = |_| SecureFault::Failed(SagaFault::Contended);
    revise(SECURE_TRIES, secure, contended, |mut secure| async move {
        let mut refused = match attempt(app, &secure, free).await? {
            Ok(()) => return Ok(Break(Secured(secure.order))),
            Err(refused) => refused,
        };
        refused.sort_by(|a, b| a.refusal.cmp(&b.refusal));
        for one in &refused {
            match meaning(one)? {
                Meaning::AlreadySecured => return Ok(Break(Secured(secure.order))),
                Meaning::Fault(fault) => return Err(fault),
                Meaning::Mendable => {}
            }
        }
        mend(app, &mut secure, wanted, refused).await?;
        Ok(Continue(secure))
    })
    .await
}

async fn attempt(
    app: &App,
    secure: &Secure,
    free: Option<FreeParts<'_>>,
) -> Result<Result<(), Vec<Refused<SecureRefusal>>>, SecureFault> {
    let (order, wall_now) = (&secure.order, app.wall_now());
    let plan = match free {
        None => plan_secure(secure, wall_now)?,
        Some(free) => {
            let settlement = Settlement {
                order,
                paid_at: order.created_at,
                settled_at: order.created_at,
                tickets: free.tickets,
                sale: None,
                mails: free.mails,
                mails_due: free.mails_due,
            };
            plan_free_order(secure, &settlement, wall_now)?
        }
    };
    Ok(commit(app, &plan).await?)
}

/// What a refused write means for the attempt.
enum Meaning {
    /// An earlier try of it succeeded.
    AlreadySecured,
    /// Nothing was taken, and no other attempt would take it.
    Fault(SecureFault),
    /// A changed attempt can get past it.
    Mendable,
}

fn meaning(refused: &Refused<SecureRefusal>) -> Result<Meaning, SecureFault> {
    let try_again = || SecureFault::Failed(SagaFault::Contended);
    Ok(match &refused.refusal {
        SecureRefusal::AlreadySecured => Meaning::AlreadySecured,
        SecureRefusal::IdempotencyHeld => Meaning::Fault(match &refused.old {
            Some(item) => SecureFault::IdempotencyHeld(Box::new(decode(item.clone())?)),
            None => try_again(),
        }),
        SecureRefusal::CartMoved => Meaning::Fault(SecureFault::CartMoved),
        SecureRefusal::CouponUsedUp(coupon) => Meaning::Fault(SecureFault::CouponUsedUp(coupon.clone())),
        SecureRefusal::EntitlementsUsedUp => Meaning::Fault(SecureFault::EntitlementsUsedUp),
        SecureRefusal::Duplicate => {
            Meaning::Fault(guarding(refused.old.as_ref()).map_or_else(try_again, SecureFault::Duplicate))
        }
        SecureRefusal::Stock(id) => {
            let sold: Counter = refused.old.clone().map(decode).transpose()?.unwrap_or_default();
            Meaning::Fault(SecureFault::Stock(*id, sold.used))
        }
        SecureRefusal::MembershipMoved => {
            Meaning::Fault(SecureFault::MembershipMoved(claimed_by(refused.old.as_ref())))
        }
        SecureRefusal::Seats(_) | SecureRefusal::NumberTaken => Meaning::Mendable,
    })
}

/// Changes the attempt so that it can succeed: reclaims expired holds, generates another order number.
async fn mend(
    app: &App,
    secure: &mut Secure,
    wanted: &BTreeMap<InstanceId, LedgerChange>,
    refused: Vec<Refused<SecureRefusal>>,
) -> Result<(), SecureFault> {
    for one in refused {
        match one.refusal {
            SecureRefusal::Seats(instance) => {
                let Some(change) = wanted.get(&instance) else { continue };
                let change = reclaiming(app, &secure.order, instance, change, one.old).await?;
                secure.ledgers.insert(instance, change);
            }
            SecureRefusal::NumberTaken => secure.order.number = OrderNumber::from_bits(app.ids.bits()?),
            SecureRefusal::AlreadySecured
            | SecureRefusal::IdempotencyHeld
            | SecureRefusal::CartMoved
            | SecureRefusal::CouponUsedUp(_)
            | SecureRefusal::EntitlementsUsedUp
            | SecureRefusal::Stock(_)
            | SecureRefusal::MembershipMoved
            | SecureRefusal::Duplicate => {}
        }
    }
    Ok(())
}

/// The change of one ledger, with the expired holds it has to take along.
async fn reclaiming(
    app: &App,
    order: &Order,
    instance: InstanceId,
    change: &LedgerChange,
    old: Option<Item>,
) -> Result<LedgerChange, SecureFault> {
    let Some(ledger) = ledger_in(old)? else {
        return Err(SecureFault::Seats(instance, LedgerRefusal::UnknownSlot));
    };
    match app.store.transition(order.tenant, &ledger, change, order.created_at).await? {
        Ok(change) => Ok(change),
        // Staff changed the reservation meanwhile: it lives, and the next try sees what it holds now.
        Err(LedgerRefusal::HoldChanged) if still_holds(&ledger, order) => {
            Err(SecureFault::Failed(SagaFault::Contended))
        }
        Err(refusal) => Err(SecureFault::Seats(instance, refusal)),
    }
}

/// True when the ledger has a live hold of the reservation the order would consume.
fn still_holds(ledger: &Ledger, order: &Order) -> bool {
    let hold = order.reservation.as_ref().and_then(|reservation| ledger.holds.get(&reservation.id));
    hold.is_some_and(|hold| hold.is_live(order.created_at))
}
