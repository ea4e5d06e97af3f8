//! The memberships of an order: claimed when it is secured, written when it is settled, let go when it is voided.

use super::{absent, contact_keys};
use crate::customer::note_customer;
use crate::member::{CLAIMED_BY, items};
use crate::{Action, Expression, Item, Key, MAX_WRITES, StoreError, StoreFault, text};
use domain::customer::Customer;
use domain::membership::Membership;
use domain::membership::issue::MembershipChange;
use domain::order::{Order, TICKETS_PER_CHUNK};
use domain::outbox::mails_of;
use domain::{OrderId, TenantId, Timestamp};
use std::collections::BTreeMap;

/// Whether a membership that is written has been claimed by the order before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// When the order was secured.
    Claimed,
    /// It was not: the order is secured and settled at once.
    Unclaimed,
}

/// Claims the memberships that are renewed or changed, as they were read, and sees that the ids of new ones are free.
pub(super) fn claims(order: &Order) -> Result<Vec<(Key, Action)>, StoreError> {
    let mut claims = Vec::new();
    for line in order.memberships() {
        if let Some(before) = &line.change.before {
            claims.push(claim(order, before)?);
        }
        let free = new_keys(order.tenant, &line.change);
        claims.extend(free.map(|key| (key, Action::Check(absent()))));
    }
    Ok(claims)
}

/// Marks a membership, as it was read, so that nobody but the order changes it.
pub(crate) fn claim(order: &Order, before: &Membership) -> Result<(Key, Action), StoreError> {
    let mut update = unclaimed(before)?;
    update.assign(CLAIMED_BY, text(order.id.as_str()));
    Ok((Key::membership(order.tenant, before.id), Action::Update(update)))
}

/// The keys of a change where nothing may lie yet.
fn new_keys(tenant: TenantId, change: &MembershipChange) -> impl Iterator<Item = Key> {
    let MembershipChange { before, after, made: _, retired: _, customers: _ } = change;
    let number = before.is_none().then(|| Key::membership_number(tenant, after.number));
    let is_new = before.as_ref().is_none_or(|before| before.id != after.id);
    number.into_iter().chain(is_new.then(|| Key::membership(tenant, after.id)))
}

/// Writes of a settlement beside those of memberships: the order, its sale, its tickets, mails and contacts, and the
/// payer, who is a customer and found by an e-mail address.
fn other_writes(order: &Order) -> usize {
    let tickets = order.seats().values().fold(0_usize, |tickets, quantity| {
        tickets.saturating_add(usize::try_from(*quantity).unwrap_or(usize::MAX))
    });
    let payer = if order.customer.is_some() { 2 } else { 0 };
    [tickets.div_ceil(TICKETS_PER_CHUNK), mails_of(order).len(), contact_keys(order).len(), payer]
        .into_iter()
        .fold(2, usize::saturating_add)
}

/// Refuses an order whose memberships would not fit into the transaction that settles it: nothing may be charged that
/// cannot be settled.
pub(super) fn check_settleable(order: &Order) -> Result<(), StoreError> {
    let writes = writes(order, When::Claimed, order.created_at)?.len();
    match writes.saturating_add(other_writes(order)) > MAX_WRITES {
        true => Err(StoreError::new(StoreFault::TooMany, "memberships of one order have too many cards")),
        false => Ok(()),
    }
}

/// The condition that a membership is as it was read, and no order is changing it.
pub(crate) fn unclaimed(before: &Membership) -> Result<Expression, StoreError> {
    let mut condition = Expression::new();
    let claim = condition.path(&[CLAIMED_BY]);
    condition.require(format!("attribute_not_exists({claim})"));
    let item: Item = serde_dynamo::to_item(before).map_err(StoreError::corrupt)?;
    // Records from before these were noted do not have them.
    let is_old = before.updated_at == Timestamp::UNIX_EPOCH;
    for (name, value) in &item {
        if !(is_old && ["created_at", "updated_at"].contains(&name.as_str())) {
            condition.require_equal(name, value.clone());
        }
    }
    for optional in ["external_id", "anchor_day", "later", "ended", "bought", "updated_by"] {
        if !item.contains_key(optional) {
            let path = condition.path(&[optional]);
            condition.require(format!("attribute_not_exists({path})"));
        }
    }
    Ok(condition)
}

/// The order that is renewing or changing the membership that was read.
#[must_use]
pub fn claimed_by(item: Option<&Item>) -> Option<OrderId> {
    OrderId::parse(item?.get(CLAIMED_BY)?.as_s().ok()?).ok()
}

/// Lets go of the memberships that were claimed.
pub(super) fn releases(order: &Order) -> Vec<(Key, Action)> {
    let claimed = order.memberships().filter_map(|line| line.change.before.as_ref());
    let release = |before: &Membership| {
        let mut update = Expression::new();
        update.remove(&[CLAIMED_BY]);
        (Key::membership(order.tenant, before.id), Action::Update(update))
    };
    claimed.map(release).collect()
}

/// Everything that is stored of the memberships an order makes, which says that they were changed when it was
/// settled, and the customers it makes of their people.
pub(super) fn writes(
    order: &Order,
    when: When,
    settled_at: Timestamp,
) -> Result<Vec<(Key, Action)>, StoreError> {
    let mut writes: BTreeMap<Key, Action> = BTreeMap::new();
    for line in order.memberships() {
        let MembershipChange { before, after: _, made: _, retired: _, customers } = &line.change;
        // What it was found by before goes, but for what it is found by still.
        if let Some(before) = before {
            let gone = items(order.tenant, before)?.into_iter();
            writes.extend(gone.map(|(key, _)| (key, Action::Delete(Expression::new()))));
        }
        for membership in line.change.settled(settled_at) {
            let kept = items(order.tenant, &membership)?.into_iter();
            writes.extend(kept.map(|(key, item)| (key, Action::Put(item, Expression::new()))));
        }
        if when == When::Unclaimed {
            guard(&mut writes, order.tenant, &line.change)?;
        }
        // The payer is noted as a customer anyway.
        for customer in customers.iter().filter(|customer| order.customer != Some(customer.id)) {
            let source = order.source_of(customer.id).map(ToOwned::to_owned);
            let customer = Customer { source, ..customer.clone() };
            writes.extend(note_customer(order.tenant, &customer, order.created_at)?);
        }
    }
    Ok(writes.into_iter().collect())
}

/// Puts the conditions of a claim on the writes themselves.
fn guard(
    writes: &mut BTreeMap<Key, Action>,
    tenant: TenantId,
    change: &MembershipChange,
) -> Result<(), StoreError> {
    let before = change.before.as_ref();
    let known = before.map(|before| unclaimed(before).map(|is| (Key::membership(tenant, before.id), is)));
    let free = new_keys(tenant, change).map(|key| (key, absent()));
    for (key, condition) in known.transpose()?.into_iter().chain(free) {
        if let Some(Action::Put(_, held)) = writes.get_mut(&key) {
            *held = condition;
        }
    }
    Ok(())
}
