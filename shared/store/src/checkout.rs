//! The writes of a checkout: secure what is sold, then settle the order or void it (architecture: the
//! checkout saga). All three are plans; settling and voiding are idempotent by the order's state, and depend
//! on nothing that may have expired in the meantime.

use crate::codec::item_bytes;
use crate::counter;
use crate::customer::note_customer;
use crate::idempotency::{self, IdempotencyRecord};
use crate::ledger::ledger_update;
use crate::order::{DueClock, DueKind, due, order_in};
use crate::outbox::put_mail;
use crate::plan::add;
use crate::pointer::{contact_keys, reference};
use crate::write::MAX_ITEM_BYTES;
use crate::{
    Action, AttributeValue, Expression, Item, Key, Plan, StoreError, StoreFault, encode, number, text,
};
use domain::cart::CART_TTL_SECS;
use domain::checkout::DUPLICATE_WINDOW_SECS;
use domain::customer::{Customer, Person};
use domain::ledger::{LedgerChange, OwnHold};
use domain::order::{Challenge, Order, OrderState, TICKETS_PER_CHUNK, Ticket, TicketChunk};
use domain::outbox::OutboxMail;
use domain::sale::Sale;
use domain::{CartId, CouponId, InstanceId, InventoryId, OrderId, Timestamp};
use std::collections::BTreeMap;

mod membership;

pub use membership::claimed_by;
pub(crate) use membership::{When, claim, unclaimed};

/// What a failed condition of the securing transaction means, in order of precedence (contract §6).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecureRefusal {
    /// The order is already there: an earlier try of this very request succeeded.
    AlreadySecured,
    /// Another request holds the idempotency key.
    IdempotencyHeld,
    /// The cart was changed or checked out meanwhile.
    CartMoved,
    /// A coupon was used as often as it may be.
    CouponUsedUp(CouponId),
    /// A membership has too few tickets left of what it is entitled to.
    EntitlementsUsedUp,
    /// The same card and amount are being charged, or were a moment ago.
    Duplicate,
    /// A slot does not give the seats.
    Seats(InstanceId),
    /// An add-on does not have the units.
    Stock(InventoryId),
    /// A membership was changed meanwhile, or is being renewed or changed by another order.
    MembershipMoved,
    /// The order number is taken: generate another.
    NumberTaken,
}

/// The cart being sold, exactly as it was priced.
#[derive(Debug, Clone)]
pub struct CartClaim {
    pub id: CartId,
    /// The version that was priced.
    pub version: u64,
    /// The order it points to, which has been found voided.
    pub voided_order: Option<OrderId>,
}

/// The claim that a card and an exact amount are being charged.
#[derive(Debug, Clone)]
pub struct GuardClaim {
    /// Keyed hash of card and amount.
    pub hash: String,
    /// An order that holds the guard and has been found not to count.
    pub released_by: Option<OrderId>,
    /// The latest at which the card is charged.
    pub charged_by: Timestamp,
}

/// The claim of an idempotency key for a checkout.
#[derive(Debug, Clone)]
pub struct KeyClaim {
    /// SHA-256 of the key.
    pub hash: String,
    /// The claim.
    pub record: IdempotencyRecord,
    /// A record that holds the key and has been found not to count.
    pub abandoned: Option<IdempotencyRecord>,
}

/// Everything the securing transaction takes.
#[derive(Debug, Clone)]
pub struct Secure {
    /// The order, with its full content. Its number may be replaced while it is secured.
    pub order: Order,
    /// The stored cart, if it was one.
    pub cart: Option<CartClaim>,
    /// The duplicate guard, unless the order costs nothing.
    pub guard: Option<GuardClaim>,
    /// The idempotency key, if one was sent.
    pub key: Option<KeyClaim>,
    /// What each ledger gives.
    pub ledgers: BTreeMap<InstanceId, LedgerChange>,
}

/// The transaction that secures all a sale needs before the card is charged. `wall_now` is real time, for physical
/// deletion.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_secure(secure: &Secure, wall_now: Timestamp) -> Result<Plan<SecureRefusal>, StoreError> {
    let mut plan = Plan::new();
    let order = &secure.order;
    let (key, action) = put_order(order)?;
    add(&mut plan, key, action, SecureRefusal::AlreadySecured)?;
    let (key, action) = put_number(order)?;
    add(&mut plan, key, action, SecureRefusal::NumberTaken)?;
    if let Some(cart) = &secure.cart {
        let (key, action) = claim_cart(order, cart);
        add(&mut plan, key, action, SecureRefusal::CartMoved)?;
    }
    if let Some(guard) = &secure.guard {
        let (key, action) = claim_guard(order, guard, wall_now);
        add(&mut plan, key, action, SecureRefusal::Duplicate)?;
    }
    if let Some(claim) = &secure.key {
        let key = Key::idempotency(order.tenant, &claim.hash);
        let action = idempotency::claim(&key, &claim.record, claim.abandoned.as_ref(), wall_now)?;
        add(&mut plan, key, action, SecureRefusal::IdempotencyHeld)?;
    }
    for (coupon, limit) in &order.coupons {
        let key = Key::coupon_uses(order.tenant, coupon);
        add(&mut plan, key, counter::take(1, *limit), SecureRefusal::CouponUsedUp(coupon.clone()))?;
    }
    for (key, uses) in counter::by_tally(order.tenant, &order.entitlements) {
        add(&mut plan, key, counter::take_uses(&uses), SecureRefusal::EntitlementsUsedUp)?;
    }
    for (id, units) in &order.stock {
        let key = Key::units_sold(order.tenant, *id);
        add(&mut plan, key, counter::take(units.quantity, units.stock), SecureRefusal::Stock(*id))?;
    }
    for (instance, change) in &secure.ledgers {
        let key = Key::ledger(order.tenant, instance, 0);
        add(&mut plan, key, ledger_update(change), SecureRefusal::Seats(*instance))?;
    }
    if order.payment.is_some() {
        membership::check_settleable(order)?;
        for (key, action) in membership::claims(order)? {
            add(&mut plan, key, action, SecureRefusal::MembershipMoved)?;
        }
    }
    Ok(plan)
}

/// A paid order's further records.
#[derive(Debug)]
pub struct Settlement<'a> {
    /// The order as it was secured.
    pub order: &'a Order,
    /// When it was paid.
    pub paid_at: Timestamp,
    /// When this is written, which for an order that was left half-way is later.
    pub settled_at: Timestamp,
    /// One per visitor.
    pub tickets: &'a [Ticket],
    /// The sale, unless the order costs nothing.
    pub sale: Option<&'a Sale>,
    /// Mails it owes.
    pub mails: &'a [OutboxMail],
    /// When unsent mails are enqueued again.
    pub mails_due: Timestamp,
}

/// The order is not pending any more: someone else settled or undid it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotPending;

/// The transaction that makes a pending order paid.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_settle(settlement: &Settlement<'_>) -> Result<Plan<NotPending>, StoreError> {
    let mut plan = Plan::new();
    let order = settlement.order;
    let state = OrderState::Paid { at: settlement.paid_at };
    add(&mut plan, Key::order(order.tenant, &order.id), finish_order(&state)?, NotPending)?;
    for (key, action) in settlement_writes(settlement)? {
        add(&mut plan, key, action, NotPending)?;
    }
    for (key, action) in membership::writes(order, When::Claimed, settlement.settled_at)? {
        add(&mut plan, key, action, NotPending)?;
    }
    Ok(plan)
}

/// The write of a pending order whose buyer is asked by the issuer of the card: from now on it is finished by another
/// deadline.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_ask(
    order: &Order,
    challenge: &Challenge,
    deadline: Timestamp,
) -> Result<Plan<NotPending>, StoreError> {
    let mut plan = Plan::new();
    let mut update = Expression::new();
    let (path, pending) = (update.path(&["state", "state"]), update.text("pending"));
    update.require(format!("{path} = {pending}"));
    let asked = update.path(&["challenge"]);
    update.require(format!("attribute_not_exists({asked})"));
    let state = serde_dynamo::to_attribute_value(OrderState::Pending { deadline });
    update.assign("state", state.map_err(StoreError::corrupt)?);
    update.assign("challenge", serde_dynamo::to_attribute_value(challenge).map_err(StoreError::corrupt)?);
    update.assign("due_at", number(deadline.timestamp()));
    add(&mut plan, Key::order(order.tenant, &order.id), Action::Update(update), NotPending)?;
    Ok(plan)
}

/// The transaction of an order that costs nothing: secured and settled at once.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_free_order(
    secure: &Secure,
    settlement: &Settlement<'_>,
    wall_now: Timestamp,
) -> Result<Plan<SecureRefusal>, StoreError> {
    let mut plan = plan_secure(secure, wall_now)?;
    for (key, action) in settlement_writes(settlement)? {
        add(&mut plan, key, action, SecureRefusal::AlreadySecured)?;
    }
    for (key, action) in membership::writes(&secure.order, When::Unclaimed, settlement.settled_at)? {
        add(&mut plan, key, action, SecureRefusal::MembershipMoved)?;
    }
    Ok(plan)
}

/// What can keep an order from being voided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VoidRefusal {
    /// Someone else settled or voided the order.
    NotPending,
    /// The reservation of this slot was altered meanwhile; its seats become free instead.
    HoldAltered(InstanceId),
}

/// The transaction that gives everything back. Holds come back as they were while they are live; `altered`
/// names slots whose hold was changed meanwhile.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_void(
    order: &Order,
    state: &OrderState,
    now: Timestamp,
    altered: &[InstanceId],
) -> Result<Plan<VoidRefusal>, StoreError> {
    let mut plan = Plan::new();
    let key = Key::order(order.tenant, &order.id);
    add(&mut plan, key, finish_order(state)?, VoidRefusal::NotPending)?;
    for coupon in order.coupons.keys() {
        add(&mut plan, Key::coupon_uses(order.tenant, coupon), counter::release(1), VoidRefusal::NotPending)?;
    }
    for (key, uses) in counter::by_tally(order.tenant, &order.entitlements) {
        add(&mut plan, key, counter::release_uses(&uses), VoidRefusal::NotPending)?;
    }
    for (id, units) in &order.stock {
        let key = Key::units_sold(order.tenant, *id);
        add(&mut plan, key, counter::release(units.quantity), VoidRefusal::NotPending)?;
    }
    for (key, action) in membership::releases(order) {
        add(&mut plan, key, action, VoidRefusal::NotPending)?;
    }
    for (instance, quantity) in order.seats() {
        let reservation = order.reservation.as_ref().filter(|_| !altered.contains(&instance));
        let own = reservation
            .and_then(|own| Some(OwnHold { reservation: own.id, hold: *own.holds.get(&instance)? }));
        let change = LedgerChange::unsell(quantity, own, now);
        let key = Key::ledger(order.tenant, &instance, 0);
        add(&mut plan, key, ledger_update(&change), VoidRefusal::HoldAltered(instance))?;
    }
    Ok(plan)
}

pub(crate) fn absent() -> Expression {
    let mut condition = Expression::new();
    condition.require_no_item();
    condition
}

fn put_order(order: &Order) -> Result<(Key, Action), StoreError> {
    let key = Key::order(order.tenant, &order.id);
    let mut item = encode(&key, order)?;
    if let OrderState::Pending { deadline } = order.state {
        item.extend(due(&order.id, deadline, DueClock::of(order), DueKind::Orders));
    }
    leave_room(order, &item)?;
    Ok((key, Action::Put(item, absent())))
}

/// Bytes of an order's item that the admission of a ticket may come to take.
const ADMISSION_BYTES: usize = 75;

/// Refuses an order whose item could not hold whom its tickets let in.
fn leave_room(order: &Order, item: &Item) -> Result<(), StoreError> {
    let tickets = order.seats().values().fold(0_u32, |sum, seats| sum.saturating_add(*seats));
    let tickets = usize::try_from(tickets).unwrap_or(usize::MAX);
    let needed = item_bytes(item).saturating_add(tickets.saturating_mul(ADMISSION_BYTES));
    match needed > MAX_ITEM_BYTES {
        true => Err(StoreError::new(StoreFault::TooLarge, "an order has no room for its admissions")),
        false => Ok(()),
    }
}

fn put_number(order: &Order) -> Result<(Key, Action), StoreError> {
    let key = Key::order_number(order.tenant, &order.number);
    let item = reference(&key, &order.id);
    Ok((key, Action::Put(item, absent())))
}

fn claim_cart(order: &Order, cart: &CartClaim) -> (Key, Action) {
    let mut update = Expression::new();
    let version = i64::try_from(cart.version).unwrap_or(i64::MAX);
    update.require_equal("version", number(version));
    let pointer = update.path(&["order"]);
    match &cart.voided_order {
        Some(voided) => {
            let voided = update.text(voided.as_str());
            update.require(format!("{pointer} = {voided}"));
        }
        None => update.require(format!("attribute_not_exists({pointer})")),
    }
    update.assign("order", text(order.id.as_str()));
    update.remove(&["still"]);
    (Key::cart(order.tenant, &cart.id), Action::Update(update))
}

/// The guard points to the order, whose state says whether and when it was charged. Until then, and for the
/// window after the latest possible charge, nobody may put another guard in its place.
fn claim_guard(order: &Order, guard: &GuardClaim, wall_now: Timestamp) -> (Key, Action) {
    let key = Key::duplicate_guard(order.tenant, &guard.hash);
    let until = guard.charged_by.timestamp().saturating_add(DUPLICATE_WINDOW_SECS);
    let mut item = reference(&key, &order.id);
    item.insert("until".to_owned(), number(until));
    item.insert("ttl".to_owned(), number(wall_now.timestamp().saturating_add(CART_TTL_SECS)));
    let mut condition = Expression::new();
    let (pk, end) = (condition.path(&["pk"]), condition.path(&["until"]));
    let now = condition.number(order.created_at.timestamp());
    let mut free = format!("attribute_not_exists({pk}) OR {end} <= {now}");
    if let Some(released_by) = &guard.released_by {
        let (pointer, released_by) = (condition.path(&["order"]), condition.text(released_by.as_str()));
        free.push_str(&format!(" OR {pointer} = {released_by}"));
    }
    condition.require(format!("({free})"));
    (key, Action::Put(item, condition))
}

/// The order that a duplicate guard points to.
#[must_use]
pub fn guarding(item: Option<&Item>) -> Option<OrderId> {
    item.and_then(order_in)
}

/// Moves a pending order to its final state.
fn finish_order(state: &OrderState) -> Result<Action, StoreError> {
    let mut update = Expression::new();
    let (path, pending) = (update.path(&["state", "state"]), update.text("pending"));
    update.require(format!("{path} = {pending}"));
    let state: AttributeValue = serde_dynamo::to_attribute_value(state).map_err(StoreError::corrupt)?;
    update.assign("state", state);
    update.remove(&["due_pk"]);
    update.remove(&["due_at"]);
    Ok(Action::Update(update))
}

/// Everything that comes into being with a paid order. None of it has a condition: it stands or falls with
/// the order's own write.
fn settlement_writes(settlement: &Settlement<'_>) -> Result<Vec<(Key, Action)>, StoreError> {
    let order = settlement.order;
    let mut writes = Vec::new();
    for (index, tickets) in settlement.tickets.chunks(TICKETS_PER_CHUNK).enumerate() {
        let key = Key::tickets(order.tenant, &order.id, index);
        let item = encode(&key, &TicketChunk { tickets: tickets.to_vec() })?;
        writes.push((key, Action::Put(item, Expression::new())));
    }
    if let Some(sale) = settlement.sale {
        let key = Key::sale(order.tenant, &sale.id);
        let item = encode(&key, sale)?;
        writes.push((key, Action::Put(item, Expression::new())));
    }
    for mail in settlement.mails {
        writes.push(put_mail(order, mail, settlement.mails_due)?);
    }
    for key in contact_keys(order) {
        let item = reference(&key, &order.id);
        writes.push((key, Action::Put(item, Expression::new())));
    }
    if let Some(customer) = order.customer {
        let source = order.source_of(customer).map(ToOwned::to_owned);
        let payer = Customer { id: customer, person: Person::from(&order.billing), source };
        writes.extend(note_customer(order.tenant, &payer, order.created_at)?);
    }
    Ok(writes)
}
