//! The writes of a checkout: secure what is sold, then settle the order or undo it (architecture: the
//! checkout saga). All three are plans; settling and undoing are idempotent by the order's state, and depend
//! on nothing that may have expired in the meantime.

use crate::counter;
use crate::customer::note_customer;
use crate::idempotency::{self, IdempotencyRecord};
use crate::ledger::ledger_update;
use crate::order::{Contact, DueClock, DueKind, due, put_mail};
use crate::plan::add;
use crate::{Action, AttributeValue, Expression, Item, Key, Plan, StoreError, encode, number, text};
use domain::cart::CART_TTL_SECS;
use domain::compare::phone_digits;
use domain::customer::{Customer, Person};
use domain::ledger::{LedgerChange, OwnHold};
use domain::order::{Order, OrderState, TICKETS_PER_CHUNK, Ticket, TicketChunk};
use domain::outbox::OutboxMail;
use domain::reconciliation::OrderLead;
use domain::sale::Sale;
use domain::{CartId, CouponId, InstanceId, InventoryId, OrderId, Timestamp};
use std::collections::BTreeMap;

mod membership;

pub use membership::claimed_by;
pub(crate) use membership::{When, claim, unclaimed};

/// Seconds the duplicate guard looks back, from the moment of the charge (spec §8).
pub const DUPLICATE_WINDOW_SECS: i64 = 300;

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
    /// An add-on does not have the pieces.
    Stock(InventoryId),
    /// A membership was changed meanwhile, or is being renewed or changed by another order.
    MembershipMoved,
    /// The order number is taken: draw another.
    NumberTaken,
}

/// The cart being sold, exactly as it was priced.
#[derive(Debug, Clone)]
pub struct CartClaim {
    /// Which cart.
    pub id: CartId,
    /// The version that was priced.
    pub version: u64,
    /// The order it points to, which has been found undone.
    pub undone_order: Option<OrderId>,
}

/// The claim that a card and an exact amount are being charged.
#[derive(Debug, Clone)]
pub struct GuardClaim {
    /// Keyed hash of card and amount.
    pub hash: String,
    /// An order that holds the guard and has been found not to count.
    pub released_by: Option<OrderId>,
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
#[derive(Debug)]
pub struct Secure<'a> {
    /// The order, with its full content.
    pub order: &'a Order,
    /// The stored cart, if it was one.
    pub cart: Option<&'a CartClaim>,
    /// The duplicate guard, unless the order costs nothing.
    pub guard: Option<&'a GuardClaim>,
    /// The idempotency key, if one was sent.
    pub key: Option<&'a KeyClaim>,
    /// What each ledger gives.
    pub ledgers: &'a BTreeMap<InstanceId, LedgerChange>,
    /// Real time, for physical deletion.
    pub wall_now: Timestamp,
}

/// The transaction that secures all a sale needs before the card is charged.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_secure(secure: &Secure<'_>) -> Result<Plan<SecureRefusal>, StoreError> {
    let mut plan = Plan::new();
    let order = secure.order;
    let (key, action) = put_order(order)?;
    add(&mut plan, key, action, SecureRefusal::AlreadySecured)?;
    let (key, action) = put_number(order)?;
    add(&mut plan, key, action, SecureRefusal::NumberTaken)?;
    if let Some(cart) = secure.cart {
        let (key, action) = claim_cart(order, cart);
        add(&mut plan, key, action, SecureRefusal::CartMoved)?;
    }
    if let Some(guard) = secure.guard {
        let (key, action) = claim_guard(order, guard, secure.wall_now);
        add(&mut plan, key, action, SecureRefusal::Duplicate)?;
    }
    if let Some(claim) = secure.key {
        let key = Key::idempotency(order.tenant, &claim.hash);
        let action = idempotency::claim(&key, &claim.record, claim.abandoned.as_ref(), secure.wall_now)?;
        add(&mut plan, key, action, SecureRefusal::IdempotencyHeld)?;
    }
    for (coupon, limit) in &order.coupons {
        let key = Key::coupon_uses(order.tenant, coupon);
        add(&mut plan, key, counter::take(1, *limit), SecureRefusal::CouponUsedUp(coupon.clone()))?;
    }
    for (key, uses) in counter::by_tally(order.tenant, &order.entitlements) {
        add(&mut plan, key, counter::take_uses(&uses), SecureRefusal::EntitlementsUsedUp)?;
    }
    for (id, pieces) in &order.stock {
        let key = Key::pieces_sold(order.tenant, *id);
        add(&mut plan, key, counter::take(pieces.quantity, pieces.stock), SecureRefusal::Stock(*id))?;
    }
    for (instance, change) in secure.ledgers {
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
    /// When unsent mails are announced again.
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

/// The transaction of an order that costs nothing: secured and settled at once.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub fn plan_free_order(
    secure: &Secure<'_>,
    settlement: &Settlement<'_>,
) -> Result<Plan<SecureRefusal>, StoreError> {
    let mut plan = plan_secure(secure)?;
    for (key, action) in settlement_writes(settlement)? {
        add(&mut plan, key, action, SecureRefusal::AlreadySecured)?;
    }
    for (key, action) in membership::writes(secure.order, When::Unclaimed, settlement.settled_at)? {
        add(&mut plan, key, action, SecureRefusal::MembershipMoved)?;
    }
    Ok(plan)
}

/// What can keep an undoing from being carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VoidRefusal {
    /// Someone else settled or undid the order.
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
        add(
            &mut plan,
            Key::coupon_uses(order.tenant, coupon),
            counter::give_back(1),
            VoidRefusal::NotPending,
        )?;
    }
    for (key, uses) in counter::by_tally(order.tenant, &order.entitlements) {
        add(&mut plan, key, counter::give_back_uses(&uses), VoidRefusal::NotPending)?;
    }
    for (id, pieces) in &order.stock {
        let key = Key::pieces_sold(order.tenant, *id);
        add(&mut plan, key, counter::give_back(pieces.quantity), VoidRefusal::NotPending)?;
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
    Ok((key, Action::Put(item, absent())))
}

fn put_number(order: &Order) -> Result<(Key, Action), StoreError> {
    let key = Key::order_number(order.tenant, &order.number);
    let item = reference(&key, &order.id);
    Ok((key, Action::Put(item, absent())))
}

/// An item that says no more than which order it belongs to.
fn reference(key: &Key, order: &OrderId) -> Item {
    let mut item = key.attributes();
    item.insert("order".to_owned(), text(order.as_str()));
    item
}

fn claim_cart(order: &Order, cart: &CartClaim) -> (Key, Action) {
    let mut update = Expression::new();
    let version = i64::try_from(cart.version).unwrap_or(i64::MAX);
    update.require_equal("version", number(version));
    let pointer = update.path(&["order"]);
    match &cart.undone_order {
        Some(undone) => {
            let undone = update.text(undone.as_str());
            update.require(format!("{pointer} = {undone}"));
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
    let latest_charge = match order.state {
        OrderState::Pending { deadline } => deadline.timestamp(),
        OrderState::Paid { at } | OrderState::Void { at, decline: _ } => at.timestamp(),
    };
    let until = latest_charge.saturating_add(DUPLICATE_WINDOW_SECS);
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

/// What leads to an order: the number from its beginning, the contacts once it is paid.
pub(crate) fn lookups_of(order: &Order) -> impl Iterator<Item = (OrderLead, Key)> {
    let contacts = order.paid_at().map(|_| contact_keys(order)).into_iter().flatten();
    let number = (OrderLead::Number, Key::order_number(order.tenant, &order.number));
    std::iter::once(number).chain(contacts.map(|key| (OrderLead::Contact, key)))
}

fn contact_keys(order: &Order) -> std::collections::BTreeSet<Key> {
    let emails = [&order.contact.email, &order.billing.email].into_iter().flatten();
    let phones = [&order.contact.phone_number, &order.billing.phone_number].into_iter().flatten();
    let phones = phones.filter(|phone| !phone_digits(phone).is_empty());
    let contacts = emails.map(|email| Contact::Email(email)).chain(phones.map(|phone| Contact::Phone(phone)));
    contacts
        .map(|contact| {
            let (kind, hash) = contact.lookup();
            Key::order_contact(order.tenant, kind, hash.as_str(), order.created_at, &order.id)
        })
        .collect()
}
