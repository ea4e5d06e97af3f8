//! The first step: one transaction takes everything the sale will need.

use crate::commit::commit;
use domain::ledger::{Course, Ledger, LedgerChange, LedgerRefusal};
use domain::order::Order;
use domain::{CouponId, InstanceId, InventoryId, OrderId, OrderNumber};
use platform::{ApiError, App, ErrorType};
use std::collections::BTreeMap;
use store::checkout::{
    CartClaim, GuardClaim, KeyClaim, Secure, SecureRefusal, Settlement, plan_free_order, plan_secure,
};
use store::counter::Counter;
use store::idempotency::IdempotencyRecord;
use store::ledger::ledger_update;
use store::{Item, Key, Refused, decode};

/// Attempts with changed content: other holds to reclaim, another order number.
const MAX_ATTEMPTS: u32 = 12;

/// What is to be secured.
#[derive(Debug)]
pub struct SecureRequest<'a> {
    /// The order; its number may be replaced.
    pub order: Order,
    /// The stored cart it comes from.
    pub cart: Option<CartClaim>,
    /// The duplicate guard.
    pub guard: Option<GuardClaim>,
    /// The idempotency key.
    pub key: Option<KeyClaim>,
    /// What each ledger gives.
    pub ledgers: BTreeMap<InstanceId, LedgerChange>,
    /// Of an order that costs nothing: its settlement, written in the same transaction.
    pub free: Option<FreeParts<'a>>,
}

/// The settlement of an order that costs nothing.
#[derive(Debug, Clone, Copy)]
pub struct FreeParts<'a> {
    /// Its tickets.
    pub tickets: &'a [domain::order::Ticket],
    /// Its mails.
    pub mails: &'a [domain::outbox::OutboxMail],
    /// When unsent mails are announced again.
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
    /// An add-on does not have the pieces; so many are sold.
    Stock(InventoryId, u32),
    /// A membership was changed meanwhile, or this order is renewing or changing it.
    MembershipMoved(Option<OrderId>),
    /// The database or the machine failed.
    Failed(ApiError),
}

impl<E: Into<ApiError>> From<E> for SecureFault {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Takes seats, number, guard, cart and idempotency key together, or nothing. Expired holds in the way are
/// reclaimed; a lost answer is recognised by repeating the same transaction under the same token.
///
/// # Errors
/// The first [`SecureFault`] that applies, by precedence.
pub async fn secure(app: &App, mut request: SecureRequest<'_>) -> Result<Secured, SecureFault> {
    let wanted = request.ledgers.clone();
    for _ in 0..MAX_ATTEMPTS {
        let mut refused = match attempt(app, &request).await? {
            Ok(()) => return Ok(Secured(request.order)),
            Err(refused) => refused,
        };
        refused.sort_by(|a, b| a.refusal.cmp(&b.refusal));
        for one in &refused {
            match meaning(one)? {
                Meaning::AlreadySecured => return Ok(Secured(request.order)),
                Meaning::Fault(fault) => return Err(fault),
                Meaning::Mendable => {}
            }
        }
        mend(app, &mut request, &wanted, refused).await?;
    }
    Err(SecureFault::Failed(ApiError::new(ErrorType::TryAgain)))
}

async fn attempt(
    app: &App,
    request: &SecureRequest<'_>,
) -> Result<Result<(), Vec<Refused<SecureRefusal>>>, SecureFault> {
    let secure = Secure {
        order: &request.order,
        cart: request.cart.as_ref(),
        guard: request.guard.as_ref(),
        key: request.key.as_ref(),
        ledgers: &request.ledgers,
        wall_now: app.wall_now(),
    };
    let plan = match &request.free {
        None => plan_secure(&secure)?,
        Some(free) => {
            let settlement = Settlement {
                order: &request.order,
                paid_at: request.order.created_at,
                settled_at: request.order.created_at,
                tickets: free.tickets,
                sale: None,
                mails: free.mails,
                mails_due: free.mails_due,
            };
            plan_free_order(&secure, &settlement)?
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
    let try_again = || SecureFault::Failed(ApiError::new(ErrorType::TryAgain));
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
            Meaning::Fault(order_in(refused.old.as_ref()).map_or_else(try_again, SecureFault::Duplicate))
        }
        SecureRefusal::Stock(id) => {
            let sold: Counter = refused.old.clone().map(decode).transpose()?.unwrap_or_default();
            Meaning::Fault(SecureFault::Stock(*id, sold.used))
        }
        SecureRefusal::MembershipMoved => {
            Meaning::Fault(SecureFault::MembershipMoved(store::checkout::claimed_by(refused.old.as_ref())))
        }
        SecureRefusal::Seats(_) | SecureRefusal::NumberTaken => Meaning::Mendable,
    })
}

fn order_in(item: Option<&Item>) -> Option<OrderId> {
    OrderId::parse(item?.get("order")?.as_s().ok()?).ok()
}

/// Changes the attempt so that it can succeed: reclaims expired holds, draws another order number.
async fn mend(
    app: &App,
    request: &mut SecureRequest<'_>,
    wanted: &BTreeMap<InstanceId, LedgerChange>,
    refused: Vec<Refused<SecureRefusal>>,
) -> Result<(), SecureFault> {
    for one in refused {
        match one.refusal {
            SecureRefusal::Seats(instance) => {
                let Some(change) = wanted.get(&instance) else { continue };
                let change = reclaiming(app, &request.order, instance, change, one.old).await?;
                request.ledgers.insert(instance, change);
            }
            SecureRefusal::NumberTaken => request.order.number = OrderNumber::from_bits(app.ids.bits()?),
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

/// The change of one ledger, with the expired holds it has to take along. Where those are more than one
/// update can name, some are taken back beforehand.
async fn reclaiming(
    app: &App,
    order: &Order,
    instance: InstanceId,
    change: &LedgerChange,
    old: Option<Item>,
) -> Result<LedgerChange, SecureFault> {
    let Some(item) = old else { return Err(SecureFault::Seats(instance, LedgerRefusal::UnknownSlot)) };
    let ledger: Ledger = decode(item)?;
    match ledger.course(change, order.created_at) {
        Ok(Course::Change(change)) => Ok(change),
        Ok(Course::ReclaimFirst(reclaim)) => {
            let key = Key::ledger(order.tenant, &instance, 0);
            // Whether it or another buyer took them back, the next attempt will see.
            let _ = app.store.write(&key, ledger_update(&reclaim)).await?;
            Ok(change.clone())
        }
        // Staff changed the reservation meanwhile: it lives, and the next try sees what it holds now.
        Err(LedgerRefusal::HoldChanged) if still_holds(&ledger, order) => {
            Err(SecureFault::Failed(ApiError::new(ErrorType::TryAgain)))
        }
        Err(refusal) => Err(SecureFault::Seats(instance, refusal)),
    }
}

/// True when the ledger has a live hold of the reservation the order would consume.
fn still_holds(ledger: &Ledger, order: &Order) -> bool {
    let hold = order.reservation.as_ref().and_then(|reservation| ledger.holds.get(&reservation.id));
    hold.is_some_and(|hold| hold.is_live(order.created_at))
}
