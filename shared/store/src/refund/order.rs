//! What a refund changes in its order, and what it gives back beside money.

use crate::checkout::{When, unclaimed};
use crate::counter;
use crate::ledger::ledger_update;
use crate::member::{CLAIMED_BY, items};
use crate::order::after_sale_update;
use crate::outbox::put_mail;
use crate::{Action, Expression, Key, StoreError};
use domain::entitlement::EntitlementUse;
use domain::ledger::LedgerChange;
use domain::membership::returns::MembershipReturn;
use domain::order::{Order, OrderRefund, RefundReleases};
use domain::outbox::{MAIL_RETRY_SECS, refund_mail};
use domain::time::plus_secs;
use domain::{TenantId, Timestamp};
use std::collections::BTreeMap;

/// What a listed refund that came to nothing changes: it is listed no more, and its memberships are free.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub(crate) fn given_up(order: &Order, refund: &OrderRefund) -> Result<Vec<(Key, Action)>, StoreError> {
    let update = after_sale_update(order, &order.after_sale.without_refund(&refund.id))?;
    let mut writes = vec![(Key::order(order.tenant, &order.id), Action::Update(update))];
    for MembershipReturn { before, after: _ } in &refund.releases.memberships {
        let mut update = Expression::new();
        update.remove(&[CLAIMED_BY]);
        writes.push((Key::membership(order.tenant, before.id), Action::Update(update)));
    }
    Ok(writes)
}

/// All that a refund gives back beside money, with its mail. Without a condition where the memberships were marked
/// before: it stands or falls with the order's own write.
///
/// # Errors
/// [`StoreError`] when something has no representation.
pub(crate) fn release_writes(
    order: &Order,
    refund: &OrderRefund,
    at: Timestamp,
    when: When,
) -> Result<Vec<(Key, Action)>, StoreError> {
    let tenant = order.tenant;
    let RefundReleases { seats, stock, coupons, uses, memberships } = &refund.releases;
    let mut writes = Vec::new();
    for (instance, quantity) in seats {
        let change = LedgerChange::unsell(*quantity, None, at);
        writes.push((Key::ledger(tenant, instance, 0), ledger_update(&change)));
    }
    for (id, quantity) in stock {
        writes.push((Key::units_sold(tenant, *id), counter::release(*quantity)));
    }
    for coupon in coupons {
        writes.push((Key::coupon_uses(tenant, coupon), counter::release(1)));
    }
    writes.extend(uses_back(tenant, uses));
    writes.extend(membership_writes(tenant, memberships, when)?);
    if let Some(mail) = refund_mail(order, refund) {
        writes.push(put_mail(order, &mail, plus_secs(at, MAIL_RETRY_SECS))?);
    }
    Ok(writes)
}

fn uses_back(tenant: TenantId, uses: &[EntitlementUse]) -> Vec<(Key, Action)> {
    let items = counter::by_tally(tenant, uses).into_iter();
    items.map(|(key, uses)| (key, counter::release_uses(&uses))).collect()
}

/// The memberships as they become, with all that they are found by.
fn membership_writes(
    tenant: TenantId,
    returns: &[MembershipReturn],
    when: When,
) -> Result<BTreeMap<Key, Action>, StoreError> {
    let mut writes = BTreeMap::new();
    for MembershipReturn { before, after: _ } in returns {
        // What it was found by before goes, but for what one of them is found by still.
        let gone = items(tenant, before)?.into_iter();
        writes.extend(gone.map(|(key, _)| (key, Action::Delete(Expression::new()))));
    }
    for MembershipReturn { before: _, after } in returns {
        let kept = items(tenant, after)?.into_iter();
        writes.extend(kept.map(|(key, item)| (key, Action::Put(item, Expression::new()))));
    }
    for MembershipReturn { before, after: _ } in returns.iter().filter(|_| when == When::Unclaimed) {
        if let Some(Action::Put(_, condition)) = writes.get_mut(&Key::membership(tenant, before.id)) {
            *condition = unclaimed(before)?;
        }
    }
    Ok(writes)
}
