//! Counters of what may be sold or used so often only: uses of coupons, pieces of add-ons, tickets at the member
//! price. The limit is part of the coupon, add-on or rule and may be changed at any time, so a counter says what
//! is used, not what is left. Only what has a limit is counted.
//!
//! The counters of one membership number for the rules of one template in one period are attributes of one item,
//! so that an order takes from all of them in one write, and no item grows with time. Their names have a `#`,
//! unlike those of any other attribute.

use crate::{Action, Consistency, Expression, Found, Item, Key, Store, StoreError, number};
use domain::TenantId;
use domain::entitlement::{EntitlementUse, MemberUses, Tally};
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
pub(crate) fn give_back(quantity: u32) -> Action {
    let mut update = Expression::new();
    give_back_to(&mut update, USED, quantity);
    Action::Update(update)
}

fn give_back_to(update: &mut Expression, counter: &str, quantity: u32) {
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
pub(crate) fn give_back_uses(uses: &[&EntitlementUse]) -> Action {
    let mut update = Expression::new();
    for EntitlementUse { tally: _, counter, quantity, limit: _, lines: _ } in uses {
        give_back_to(&mut update, counter, *quantity);
    }
    Action::Update(update)
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
