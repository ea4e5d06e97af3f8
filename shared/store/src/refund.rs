//! Refunds of captured sales (spec §4.11, contract §11). A sale lists its refunds: taking one is a single
//! conditional update, so that no number of them at once exceeds what was captured; its end is one transaction
//! with what it changes in the order. Both are idempotent by the refund's state in the sale.

pub(crate) mod order;

use crate::checkout::{KeyClaim, When};
use crate::idempotency::{self, IdempotencyRecord};
use crate::order::{DueClock, DueKind, due_as, set_after_sale};
use crate::plan::add;
use crate::pointer::day_write;
use crate::{
    Action, AttributeValue, Consistency, Expression, Item, Key, Plan, Store, StoreError, decode, number, text,
};
use domain::order::Order;
use domain::sale::{DoneRefund, MAX_REFUNDS, RefundState, Sale, SaleRefund};
use domain::{Mid, Money, MoneyOverflow, RefundId, SaleId, TenantId, Timestamp};
use order::{given_up, release_writes};

/// A refund to be taken from what remains of a sale.
#[derive(Debug, Clone)]
pub struct Take<'a> {
    /// Whose sale it is.
    pub tenant: TenantId,
    pub sale: &'a SaleId,
    /// The merchant that gives the money back.
    pub mid: &'a Mid,
    /// The refund's identity.
    pub id: &'a RefundId,
    /// The refund, which is under way from now on.
    pub refund: &'a SaleRefund,
}

/// The write that takes a refund. Its condition holds where [`domain::sale::refundable`] does and the refund is
/// not taken yet; a sale that [`Store::prepare_sale`] has yet to prepare is refused too.
///
/// # Errors
/// [`StoreError`] when the refund has no representation.
pub fn take_refund(take: &Take<'_>) -> Result<(Key, Action), StoreError> {
    Ok((Key::sale(take.tenant, take.sale), Action::Update(taking(take)?)))
}

fn taking(take: &Take<'_>) -> Result<Expression, StoreError> {
    let Take { tenant: _, sale, mid, id, refund } = take;
    let mut update = Expression::new();
    update.require_equal("mid", text(mid.as_str()));
    let (remainder, amount) = (update.path(&["remainder"]), update.number(refund.amount.cents()));
    update.require(format!("{remainder} >= {amount}"));
    let (refunds, own) = (update.path(&["refunds"]), update.path(&["refunds", id.as_str()]));
    let most = update.number(i64::try_from(MAX_REFUNDS).unwrap_or(i64::MAX));
    update.require(format!("size({refunds}) < {most}"));
    update.require(format!("attribute_not_exists({own})"));
    update.set(format!("{remainder} = {remainder} - {amount}"));
    let refund_value = update.value(serde_dynamo::to_attribute_value(refund).map_err(StoreError::corrupt)?);
    update.set(format!("{own} = {refund_value}"));
    let version = update.path(&["version"]);
    let (none, one) = (update.number(0), update.number(1));
    update.set(format!("{version} = if_not_exists({version}, {none}) + {one}"));
    if let Some(deadline) = refund.deadline() {
        due_with_others(&mut update, sale, deadline, clock(refund.chosen_clock));
    }
    Ok(update)
}

/// When the earliest refund of real time is due, where one is under way: what is due by real time must not be hidden
/// behind a clock of the caller's choice, nor behind a refund that is taken later.
const REAL_DUE_AT: &str = "real_due_at";

/// Makes a sale due for a further refund, unless it is due earlier for another one.
fn due_with_others(update: &mut Expression, sale: &SaleId, deadline: Timestamp, clock: DueClock) {
    let [(partition, of_clock), (due_at, at)] = due_as(sale.as_str(), deadline, clock, DueKind::Refunds);
    match clock {
        DueClock::Real => {
            update.assign(&partition, of_clock);
            let (due_at, real, at) = (update.path(&[&due_at]), update.path(&[REAL_DUE_AT]), update.value(at));
            update.set(format!("{due_at} = if_not_exists({real}, {at})"));
            update.set(format!("{real} = if_not_exists({real}, {at})"));
        }
        DueClock::Chosen => {
            for (attribute, value) in [(partition, of_clock), (due_at, at)] {
                let (path, value) = (update.path(&[&attribute]), update.value(value));
                update.set(format!("{path} = if_not_exists({path}, {value})"));
            }
        }
    }
}

/// Makes a sale due for the first of the refunds that are under way, at an instant that follows from its deadline.
fn due_for_the_first(update: &mut Expression, sale: &Sale, at: impl FnOnce(Timestamp) -> Timestamp) {
    let pending = sale.pending();
    let Some((is_chosen, deadline, _)) = pending.first() else {
        update.remove(&["due_pk"]);
        update.remove(&["due_at"]);
        update.remove(&[REAL_DUE_AT]);
        return;
    };
    let (clock, at) = (clock(*is_chosen), at(*deadline));
    for (attribute, value) in due_as(sale.id.as_str(), at, clock, DueKind::Refunds) {
        update.assign(&attribute, value);
    }
    match clock {
        DueClock::Real => update.assign(REAL_DUE_AT, number(at.timestamp())),
        DueClock::Chosen => update.remove(&[REAL_DUE_AT]),
    }
}

fn clock(is_chosen: bool) -> DueClock {
    if is_chosen { DueClock::Chosen } else { DueClock::Real }
}

/// How a refund ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundEnd {
    /// The processor gave the money back.
    Done(DoneRefund),
    /// The processor refused: the amount goes back to the remainder of the sale, and the order keeps everything.
    Released,
}

/// The end of one refund, with what was seen of its surroundings.
#[derive(Debug, Clone)]
pub struct Ending<'a> {
    /// Whose sale it is.
    pub tenant: TenantId,
    /// The sale as it was seen, which lists the refund as pending.
    pub sale: &'a Sale,
    pub id: &'a RefundId,
    /// The order as it was seen, where the refund gives back more of it than money.
    pub order: Option<&'a Order>,
    /// How it ends.
    pub end: RefundEnd,
}

/// Why the end of a refund was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndRefusal {
    /// The sale is not as it was seen.
    SaleMoved,
    /// The order is not as it was seen.
    OrderMoved,
}

/// The transaction that ends a refund, in the sale and in its order.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_end(ending: &Ending<'_>) -> Result<Plan<EndRefusal>, StoreError> {
    let mut plan = Plan::new();
    let key = Key::sale(ending.tenant, &ending.sale.id);
    add(&mut plan, key, Action::Update(ended(ending)?), EndRefusal::SaleMoved)?;
    for (key, action) in order_writes(ending)? {
        add(&mut plan, key, action, EndRefusal::OrderMoved)?;
    }
    Ok(plan)
}

/// What the end of a refund changes in its order.
///
/// # Errors
/// [`StoreError`] when something has no representation.
fn order_writes(ending: &Ending<'_>) -> Result<Vec<(Key, Action)>, StoreError> {
    let Ending { tenant, sale, id, order, end } = ending;
    let listed = order.and_then(|order| Some((order, order.after_sale.refund(id)?)));
    let listed = listed.filter(|(_, refund)| refund.is_pending());
    match end {
        RefundEnd::Done(DoneRefund { at, fees: _, taxes }) => {
            let amount = sale.refunds.get(*id).map_or(Money::ZERO, |refund| refund.amount);
            let mut update = Expression::new();
            update.require_item();
            let refunded = update.path(&["refunded"]);
            let (none, more) = (update.number(0), update.number(amount.cents()));
            update.set(format!("{refunded} = if_not_exists({refunded}, {none}) + {more}"));
            let mut writes = Vec::new();
            if let Some((order, refund)) = listed {
                set_after_sale(&mut update, order, &order.after_sale.with_done(&refund.id, *at, taxes))?;
                writes = release_writes(order, refund, *at, When::Claimed)?;
                writes.push(day_write(order, *at));
            }
            writes.push((Key::order(*tenant, &sale.order), Action::Update(update)));
            Ok(writes)
        }
        RefundEnd::Released => listed.map_or(Ok(Vec::new()), |(order, refund)| given_up(order, refund)),
    }
}

/// The update of the sale. Its condition is the sale as it was seen, since what is left of the fees and what is
/// due next were reckoned from that.
fn ended(ending: &Ending<'_>) -> Result<Expression, StoreError> {
    let Ending { tenant: _, sale, id, order: _, end } = ending;
    let mut update = Expression::new();
    let version = i64::try_from(sale.version).unwrap_or(i64::MAX);
    update.require_equal("version", number(version));
    let (state, pending) = (update.path(&["refunds", id.as_str(), "state", "state"]), update.text("pending"));
    update.require(format!("{state} = {pending}"));
    let after = match end {
        RefundEnd::Done(done) => {
            let DoneRefund { at, fees, taxes } = done;
            let state = RefundState::Done { at: *at, fees: *fees };
            let state: AttributeValue =
                serde_dynamo::to_attribute_value(state).map_err(StoreError::corrupt)?;
            let (path, state) = (update.path(&["refunds", id.as_str(), "state"]), update.value(state));
            update.set(format!("{path} = {state}"));
            if !taxes.is_empty() {
                let taxes = serde_dynamo::to_attribute_value(taxes).map_err(StoreError::corrupt)?;
                let (path, taxes) = (update.path(&["refunds", id.as_str(), "taxes"]), update.value(taxes));
                update.set(format!("{path} = {taxes}"));
            }
            sale.with_done(id, done)
        }
        RefundEnd::Released => {
            let after = sale.without(id).map_err(overflow)?;
            update.remove(&["refunds", id.as_str()]);
            update.assign("remainder", number(after.remainder.cents()));
            after
        }
    };
    update.shift("version", 1);
    due_for_the_first(&mut update, &after, |deadline| deadline);
    Ok(update)
}

fn overflow(_: MoneyOverflow) -> StoreError {
    StoreError::corrupt("the amounts of a sale do not add up")
}

/// The sale in a returned item, if there was one.
///
/// # Errors
/// [`StoreError`] when the item does not read as a sale.
pub fn sale_in(item: Option<Item>) -> Result<Option<Sale>, StoreError> {
    item.map(decode).transpose()
}

/// Why a refund with an idempotency key was not taken, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TakeRefusal {
    /// Another request holds the key.
    KeyHeld,
    /// The sale refuses it.
    Sale,
}

/// The transaction that takes a refund and claims the idempotency key of its request.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_take_keyed(
    take: &Take<'_>,
    claim: &KeyClaim,
    wall_now: Timestamp,
) -> Result<Plan<TakeRefusal>, StoreError> {
    let mut plan = Plan::new();
    let key = Key::idempotency(take.tenant, &claim.hash);
    let action = idempotency::claim(&key, &claim.record, claim.abandoned.as_ref(), wall_now)?;
    add(&mut plan, key, action, TakeRefusal::KeyHeld)?;
    let (key, action) = take_refund(take)?;
    add(&mut plan, key, action, TakeRefusal::Sale)?;
    Ok(plan)
}

/// Why a refund was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untaken {
    /// The sale refuses it; as it was, none if there is none.
    Refused(Option<Box<Sale>>),
    /// The sale was written before sales listed their refunds, and has to be prepared first.
    Unprepared,
}

impl Store {
    /// One sale.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_sale(&self, tenant: TenantId, id: &SaleId) -> Result<Option<Sale>, StoreError> {
        self.get(&Key::sale(tenant, id), Consistency::Strong).await
    }

    /// What an idempotency key was used for, and a sale, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_keyed_sale(
        &self,
        tenant: TenantId,
        hash: &str,
        sale: &SaleId,
    ) -> Result<(Option<IdempotencyRecord>, Option<Sale>), StoreError> {
        let (record, sale) = (Key::idempotency(tenant, hash), Key::sale(tenant, sale));
        let mut found = self.get_many([record.clone(), sale.clone()], Consistency::Strong).await?;
        Ok((found.take(&record)?, found.take(&sale)?))
    }

    /// Takes a refund, in one round trip; the sale as it is now.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have happened. The inner error is why it did not.
    pub async fn take_refund(&self, take: &Take<'_>) -> Result<Result<Sale, Untaken>, StoreError> {
        let key = Key::sale(take.tenant, take.sale);
        match self.update_and_return(&key, &taking(take)?).await? {
            Ok(item) => decode(item).map(Ok),
            Err(old) => untaken(old).map(Err),
        }
    }

    /// Makes a sale with refunds that could not be finished due again at `at`, so that others have their turn; unless
    /// its refunds changed since it was read.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn postpone_refunds(
        &self,
        tenant: TenantId,
        sale: &Sale,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut update = Expression::new();
        update.require_equal("version", number(i64::try_from(sale.version).unwrap_or(i64::MAX)));
        due_for_the_first(&mut update, sale, |_| at);
        Ok(self.write(&Key::sale(tenant, &sale.id), Action::Update(update)).await?.is_ok())
    }

    /// Makes room for refunds in a sale that was written before sales listed them. Of any other, it changes
    /// nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn prepare_sale(&self, tenant: TenantId, id: &SaleId) -> Result<(), StoreError> {
        let mut update = Expression::new();
        update.require_item();
        let refunds = update.path(&["refunds"]);
        let none = update.value(AttributeValue::M(Item::new()));
        update.set(format!("{refunds} = if_not_exists({refunds}, {none})"));
        self.write(&Key::sale(tenant, id), Action::Update(update)).await.map(|_| ())
    }
}

/// What a refused taking found.
///
/// # Errors
/// [`StoreError`] when the item does not read as a sale.
pub fn untaken(old: Option<Item>) -> Result<Untaken, StoreError> {
    let is_unprepared = old.as_ref().is_some_and(|item| !item.contains_key("refunds"));
    let sale = sale_in(old)?;
    Ok(if is_unprepared { Untaken::Unprepared } else { Untaken::Refused(sale.map(Box::new)) })
}
