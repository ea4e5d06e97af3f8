//! Counters of what may be sold or used so often only: uses of coupons, units of add-ons, tickets at the member
//! price. The limit is part of the coupon, add-on or rule and may be changed at any time, so a counter says what
//! is used, not what is left. Only what has a limit is counted.
//!
//! The counters of one membership number for the rules of one template in one period are attributes of one item,
//! so that an order takes from all of them in one write, and no item grows with time. Their names have a `#`,
//! unlike those of any other attribute.

use crate::{Action, Consistency, Expression, Found, Item, Key, Store, StoreError, decode, number};
use domain::entitlement::{EntitlementUse, MemberUses, Tally};
use domain::order::ReceiptNumber;
use domain::{CouponId, InventoryId, TenantId};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The attribute of an item that is one counter.
const USED: &str = "used";

/// The record of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct Counter {
    /// What is used.
    pub used: u32,
}

/// Uses so much more, while the limit allows it.
pub(crate) fn take(quantity: u32, limit: u32) -> Action {
    let mut update = Expression::new();
    take_from(&mut update, USED, quantity, limit);
    Action::Update(update)
}

fn take_from(update: &mut Expression, counter: &str, quantity: u32, limit: u32) {
    let used = update.path(&[counter]);
    let left = i64::from(limit).saturating_sub(i64::from(quantity));
    let most = update.number(left);
    // A counter that is not there yet counts as zero.
    let unused = if left >= 0 { format!("attribute_not_exists({used}) OR ") } else { String::new() };
    update.require(format!("({unused}{used} <= {most})"));
    let (none, more) = (update.value(number(0)), update.value(number(i64::from(quantity))));
    update.set(format!("{used} = if_not_exists({used}, {none}) + {more}"));
}

/// Gives so much back. Without a condition: it stands or falls with the order's own write.
pub(crate) fn release(quantity: u32) -> Action {
    let mut update = Expression::new();
    release_in(&mut update, USED, quantity);
    Action::Update(update)
}

fn release_in(update: &mut Expression, counter: &str, quantity: u32) {
    let used = update.path(&[counter]);
    let less = update.value(number(i64::from(quantity)));
    update.set(format!("{used} = if_not_exists({used}, {less}) - {less}"));
}

/// The uses of an order, by the item that counts them.
pub(crate) fn by_tally(tenant: TenantId, uses: &[EntitlementUse]) -> BTreeMap<Key, Vec<&EntitlementUse>> {
    let mut items: BTreeMap<Key, Vec<&EntitlementUse>> = BTreeMap::new();
    for used in uses {
        items.entry(Key::tally(tenant, &used.tally)).or_default().push(used);
    }
    items
}

/// Takes what an order uses, while the limits allow all of it.
pub(crate) fn take_uses(uses: &[&EntitlementUse]) -> Action {
    let mut update = Expression::new();
    for EntitlementUse { tally: _, counter, quantity, limit, lines: _ } in uses {
        take_from(&mut update, counter, *quantity, *limit);
    }
    Action::Update(update)
}

/// Gives back what an order used.
pub(crate) fn release_uses(uses: &[&EntitlementUse]) -> Action {
    let mut update = Expression::new();
    for EntitlementUse { tally: _, counter, quantity, limit: _, lines: _ } in uses {
        release_in(&mut update, counter, *quantity);
    }
    Action::Update(update)
}

impl Store {
    /// The next running number of a tenant in a year. A number is given once, whatever becomes of it.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known to have been given.
    pub async fn next_receipt(&self, tenant: TenantId, year: i32) -> Result<ReceiptNumber, StoreError> {
        let mut update = Expression::new();
        let used = update.path(&[USED]);
        let (none, one) = (update.value(number(0)), update.value(number(1)));
        update.set(format!("{used} = if_not_exists({used}, {none}) + {one}"));
        let counted = self.update_and_return(&Key::receipts(tenant, year), &update).await?;
        let counted = counted.map_err(|_| StoreError::corrupt("a count was refused"))?;
        let Counter { used } = decode(counted)?;
        Ok(ReceiptNumber { year, number: used })
    }
}

/// Where the uses of a coupon are counted.
#[must_use]
pub fn coupon_uses_key(tenant: TenantId, id: &CouponId) -> Key {
    Key::coupon_uses(tenant, id)
}

/// Where it is counted how many units of an add-on are sold.
#[must_use]
pub fn units_sold_key(tenant: TenantId, id: InventoryId) -> Key {
    Key::units_sold(tenant, id)
}

/// Where the uses of a tally are counted.
#[must_use]
pub fn tally_key(tenant: TenantId, tally: &Tally) -> Key {
    Key::tally(tenant, tally)
}

/// Takes how often a coupon was used out of what was found under its key; none if it was not yet.
///
/// # Errors
/// [`StoreError`] when the item does not read as a counter.
pub fn take_coupon_uses(
    found: &mut Found,
    tenant: TenantId,
    id: &CouponId,
) -> Result<Option<u32>, StoreError> {
    let counter: Option<Counter> = found.take(&Key::coupon_uses(tenant, id))?;
    Ok(counter.map(|counter| counter.used))
}

/// Takes how many units of these add-ons are sold out of what was found under their keys, if any are.
///
/// # Errors
/// [`StoreError`] when an item does not read as a counter.
pub fn take_units_sold(
    found: &mut Found,
    tenant: TenantId,
    ids: &BTreeSet<InventoryId>,
) -> Result<BTreeMap<InventoryId, u32>, StoreError> {
    let mut sold = BTreeMap::new();
    for id in ids {
        let counter: Option<Counter> = found.take(&Key::units_sold(tenant, *id))?;
        sold.extend(counter.map(|counter| (*id, counter.used)));
    }
    Ok(sold)
}

/// What the counters of an item say is used.
#[must_use]
pub fn uses_in(item: &Item) -> BTreeMap<String, u32> {
    let counters = item.iter().filter(|(name, _)| name.contains('#'));
    let used = counters.filter_map(|(name, used)| Some((name.clone(), used.as_n().ok()?.parse().ok()?)));
    used.collect()
}

/// Takes what is used by these tallies out of what was found under their keys.
pub fn take_member_uses(found: &mut Found, tenant: TenantId, tallies: &BTreeSet<Tally>) -> MemberUses {
    let uses = tallies.iter().filter_map(|tally| {
        let item = found.take_item(&Key::tally(tenant, tally))?;
        Some((tally.clone(), uses_in(&item)))
    });
    uses.collect()
}

impl Store {
    /// How many units of these add-ons are sold, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_units_sold(
        &self,
        tenant: TenantId,
        ids: &BTreeSet<InventoryId>,
    ) -> Result<BTreeMap<InventoryId, u32>, StoreError> {
        let keys = ids.iter().map(|id| Key::units_sold(tenant, *id));
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        let sold = take_units_sold(&mut found, tenant, ids)?;
        Ok(ids.iter().map(|id| (*id, sold.get(id).copied().unwrap_or_default())).collect())
    }

    /// What is used by these tallies, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_member_uses(
        &self,
        tenant: TenantId,
        tallies: &BTreeSet<Tally>,
    ) -> Result<MemberUses, StoreError> {
        let keys = tallies.iter().map(|tally| Key::tally(tenant, tally));
        let mut found = self.get_many(keys, Consistency::Strong).await?;
        Ok(take_member_uses(&mut found, tenant, tallies))
    }
}
