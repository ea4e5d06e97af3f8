//! What is done with paid orders: refunds of what was bought, and exchanges (decision records 0070 to 0072). Each is
//! one change of the order under the condition that nothing else was done with it since it was read, in one
//! transaction with all it gives back or takes. The end of a refund that moves money is written with the end of its
//! refund of the sale (`refund::plan_end`).

use crate::checkout::{When, absent, claim};
use crate::ledger::ledger_update;
use crate::order::{after_sale_update, require_admission};
use crate::outbox::put_mail;
use crate::passages::{PassageWrites, passage_writes, set_admission};
use crate::plan::add;
use crate::pointer::{day_write, event_write};
use crate::refund::order::release_writes;
use crate::refund::{Take, take_refund};
use crate::{Action, Consistency, Key, MAX_WRITES, Plan, Store, StoreError, StoreFault, encode};
use domain::admission::AdmissionChange;
use domain::ledger::LedgerChange;
use domain::membership::Membership;
use domain::order::exchange::DecidedExchange;
use domain::order::{Order, OrderRefund, RefundReleases, Ticket, TicketChunk};
use domain::outbox::{MAIL_RETRY_SECS, OutboxMail};
use domain::sale::Sale;
use domain::time::plus_secs;
use domain::{InstanceId, MembershipId, SaleId, TenantId};
use std::collections::{BTreeMap, BTreeSet};

/// Where the tickets of exchanges begin among the parts of an order's tickets.
pub(crate) const FIRST_EXCHANGE_CHUNK: usize = 100;

/// Writes of the end of a refund beside what it gives back and its mail: the sale, the order, and the day that leads to
/// it.
const OTHER_WRITES: usize = 3;

/// Why a refund is not taken, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReturnRefusal {
    /// Something was done with the order since it was read.
    OrderMoved,
    /// The sale does not give the money.
    Sale,
    /// A membership was changed since it was read, or an order is changing it.
    MembershipMoved,
}

/// Why an exchange is not made, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExchangeRefusal {
    /// Something was done with the order since it was read.
    OrderMoved,
    /// The slot does not give the seats.
    Seats,
}

/// The transaction that takes a refund: the order lists it, what remains of the sale is less, and memberships are
/// marked so that nobody else changes them. A refund that moves no money is carried out in this very transaction, and
/// needs no sale.
///
/// # Errors
/// [`StoreError`] when something has no representation, or the refund gives back more than its end can write.
pub fn plan_take(
    order: &Order,
    refund: &OrderRefund,
    sale: Option<&Take<'_>>,
) -> Result<Plan<ReturnRefusal>, StoreError> {
    let mut plan = Plan::new();
    let mut update = after_sale_update(order, &order.after_sale.with_refund(refund.clone()))?;
    update.require_item();
    require_admission(&mut update, order);
    let key = Key::order(order.tenant, &order.id);
    add(&mut plan, key, Action::Update(update), ReturnRefusal::OrderMoved)?;
    if refund.is_pending() {
        check_fits(order, refund)?;
        for (key, action) in claims(order, &refund.releases)? {
            add(&mut plan, key, action, ReturnRefusal::MembershipMoved)?;
        }
    } else {
        for (key, action) in release_writes(order, refund, refund.at, When::Unclaimed)? {
            add(&mut plan, key, action, ReturnRefusal::MembershipMoved)?;
        }
        // What is done at once is done when it was asked for.
        let (key, action) = day_write(order, refund.done_at().unwrap_or(refund.at));
        add(&mut plan, key, action, ReturnRefusal::OrderMoved)?;
    }
    if let Some(take) = sale {
        let (key, action) = take_refund(take)?;
        add(&mut plan, key, action, ReturnRefusal::Sale)?;
    }
    Ok(plan)
}

/// Refuses a refund whose end would not fit into one transaction: no money may go back for it.
fn check_fits(order: &Order, refund: &OrderRefund) -> Result<(), StoreError> {
    let writes = release_writes(order, refund, refund.at, When::Claimed)?.len();
    match writes.saturating_add(OTHER_WRITES) > MAX_WRITES {
        true => Err(too_large()),
        false => Ok(()),
    }
}

fn too_large() -> StoreError {
    StoreError::new(StoreFault::TooMany, "a refund gives back more than one transaction holds")
}

/// Marks the memberships that a refund changes, as they were read.
fn claims(order: &Order, releases: &RefundReleases) -> Result<Vec<(Key, Action)>, StoreError> {
    releases.memberships.iter().map(|returned| claim(order, &returned.before)).collect()
}

/// An exchange that is made.
#[derive(Debug, Clone, Copy)]
pub struct NewExchange<'a> {
    /// What was decided.
    pub decided: &'a DecidedExchange,
    /// The instance it is for.
    pub event: InstanceId,
    /// What it changes at the doors: whom it takes out.
    pub taken_out: Option<&'a AdmissionChange>,
    /// Its mail.
    pub mail: Option<&'a OutboxMail>,
}

/// The transaction of an exchange: seats come back and are taken, the new tickets are there, whoever was inside with an
/// earlier one has left, and the order lists it.
///
/// # Errors
/// [`StoreError`] when something has no representation, or it is more than one transaction holds.
pub fn plan_exchange(
    order: &Order,
    new: NewExchange<'_>,
    change: &LedgerChange,
) -> Result<Plan<ExchangeRefusal>, StoreError> {
    let NewExchange { decided, event, taken_out, mail } = new;
    let mut plan = Plan::new();
    let listed = order.after_sale.with_exchange(decided.exchange.clone());
    let mut update = after_sale_update(order, &listed)?;
    require_admission(&mut update, order);
    if let Some(out) = taken_out {
        set_admission(&mut update, out)?;
        let PassageWrites { scans, others } = passage_writes(order, out)?;
        for (key, action) in scans.into_iter().chain(others) {
            add(&mut plan, key, action, ExchangeRefusal::OrderMoved)?;
        }
    }
    let key = Key::order(order.tenant, &order.id);
    add(&mut plan, key, Action::Update(update), ExchangeRefusal::OrderMoved)?;
    for write in exchange_writes(order, decided, event, change)? {
        let (refusal, key, action) = write;
        add(&mut plan, key, action, refusal)?;
    }
    if let Some(mail) = mail {
        let again = plus_secs(decided.exchange.at, MAIL_RETRY_SECS);
        let (key, action) = put_mail(order, mail, again)?;
        add(&mut plan, key, action, ExchangeRefusal::OrderMoved)?;
    }
    Ok(plan)
}

/// The writes of an exchange beside that of its order: seats come back and are taken, the new tickets are there, and
/// their event and the day lead to the order.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub(crate) fn exchange_writes(
    order: &Order,
    decided: &DecidedExchange,
    instance: InstanceId,
    change: &LedgerChange,
) -> Result<Vec<(ExchangeRefusal, Key, Action)>, StoreError> {
    let DecidedExchange { exchange, tickets, back, taken: _ } = decided;
    let mut writes = Vec::new();
    for (instance, quantity) in back {
        let change = LedgerChange::unsell(*quantity, None, exchange.at);
        let key = Key::ledger(order.tenant, instance, 0);
        writes.push((ExchangeRefusal::OrderMoved, key, ledger_update(&change)));
    }
    writes.push((ExchangeRefusal::Seats, Key::ledger(order.tenant, &instance, 0), ledger_update(change)));
    let (key, action) = put_tickets(order, tickets)?;
    writes.push((ExchangeRefusal::OrderMoved, key, action));
    for (key, action) in [event_write(order, &instance), day_write(order, exchange.at)] {
        writes.push((ExchangeRefusal::OrderMoved, key, action));
    }
    Ok(writes)
}

/// The tickets of an exchange, in a part of their own.
fn put_tickets(order: &Order, tickets: &[Ticket]) -> Result<(Key, Action), StoreError> {
    let part = FIRST_EXCHANGE_CHUNK.saturating_add(order.after_sale.exchanges.len());
    let key = Key::tickets(order.tenant, &order.id, part);
    let item = encode(&key, &TicketChunk { tickets: tickets.to_vec() })?;
    Ok((key, Action::Put(item, absent())))
}

impl Store {
    /// The sale of an order and the memberships that a refund of it may change, in one round trip; none where there
    /// is nothing to read.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_returned(
        &self,
        tenant: TenantId,
        sale: Option<&SaleId>,
        memberships: &BTreeSet<MembershipId>,
    ) -> Result<(Option<Sale>, BTreeMap<MembershipId, Membership>), StoreError> {
        let sale = sale.map(|sale| Key::sale(tenant, sale));
        let keys: Vec<Key> =
            sale.iter().cloned().chain(memberships.iter().map(|id| Key::membership(tenant, *id))).collect();
        if keys.is_empty() {
            return Ok((None, BTreeMap::new()));
        }
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        let sale = sale.map(|key| found.take(&key)).transpose()?.flatten();
        let mut loaded = BTreeMap::new();
        for id in memberships {
            if let Some(membership) = found.take(&Key::membership(tenant, *id))? {
                loaded.insert(*id, membership);
            }
        }
        Ok((sale, loaded))
    }
}

#[cfg(test)]
mod tests;
