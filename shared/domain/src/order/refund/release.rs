//! What a refund gives back beside money.

use super::RefundFacts;
use crate::cart::AppliedPrice;
use crate::entitlement::EntitlementUse;
use crate::membership::returns::taken_back;
use crate::order::{Order, OrderLine, OrderRow, OrderTicketLine, RefundReleases, RefundedItem};
use crate::{CouponId, InstanceId, InventoryId, OrderItemId};
use std::collections::{BTreeMap, BTreeSet};

/// What giving these items back changes.
///
/// # Errors
/// The lines whose memberships were changed since.
pub(super) fn releases(
    order: &Order,
    items: &[RefundedItem],
    facts: &RefundFacts<'_>,
) -> Result<RefundReleases, Vec<OrderItemId>> {
    let returned = Returned { order, items };
    let (mut memberships, mut moved) = (Vec::new(), Vec::new());
    let by = facts.operator.unwrap_or(facts.by);
    for line in order.memberships().filter(|line| returned.units(&line.id) > 0) {
        match taken_back(&order.id, &line.change, facts.memberships, facts.now, by) {
            Some(changed) => memberships.extend(changed),
            None => moved.push(line.id.clone()),
        }
    }
    if !moved.is_empty() {
        return Err(moved);
    }
    Ok(RefundReleases {
        seats: returned.seats(),
        stock: returned.stock(),
        coupons: returned.coupons(),
        uses: returned.uses(),
        memberships,
    })
}

/// What is given back of an order.
struct Returned<'a> {
    order: &'a Order,
    items: &'a [RefundedItem],
}

impl Returned<'_> {
    fn units(&self, line: &OrderItemId) -> u32 {
        let items = self.items.iter().filter(|item| item.item == *line).map(|item| item.quantity);
        items.fold(0, u32::saturating_add)
    }

    /// Units of a line that are neither given back now nor were before.
    fn left(&self, row: OrderRow<'_>) -> u32 {
        self.order.left_of(row).quantity.saturating_sub(self.units(row.id()))
    }

    /// The ticket lines of which something is given back, with the tickets.
    fn tickets(&self) -> impl Iterator<Item = (&OrderTicketLine, u32)> {
        self.order.rows().flat_map(move |row| {
            let units = self.units(row.id());
            row.tickets().iter().map(move |line| match row {
                OrderRow::Sold(OrderLine::Combo(combo)) if units > 0 => {
                    (line, combo.part_of(line, units).quantity)
                }
                OrderRow::Sold(_) | OrderRow::Moved(_) => (line, units),
            })
        })
    }

    fn seats(&self) -> BTreeMap<InstanceId, u32> {
        let mut seats: BTreeMap<InstanceId, u32> = BTreeMap::new();
        for (line, quantity) in self.tickets().filter(|(_, quantity)| *quantity > 0) {
            let back = seats.entry(line.instance).or_default();
            *back = back.saturating_add(quantity);
        }
        seats
    }

    fn stock(&self) -> BTreeMap<InventoryId, u32> {
        let mut stock: BTreeMap<InventoryId, u32> = BTreeMap::new();
        for line in &self.order.lines {
            let OrderLine::AddOn(line) = line else { continue };
            let units = self.units(&line.id);
            if units > 0 && self.order.stock.contains_key(&line.inventory) {
                let back = stock.entry(line.inventory).or_default();
                *back = back.saturating_add(units);
            }
        }
        stock
    }

    /// The coupons of which nothing that they took something off is left.
    fn coupons(&self) -> BTreeSet<CouponId> {
        let refunds = self.order.after_sale.refunds.iter();
        let before: BTreeSet<&CouponId> = refunds.flat_map(|refund| &refund.releases.coupons).collect();
        let counted = self.order.coupons.keys().filter(|coupon| !before.contains(coupon));
        let spent = |coupon: &&CouponId| {
            let mut rows = self.order.rows().filter(|row| self.left(*row) > 0);
            !rows.any(|row| may_have_used(row, coupon))
        };
        counted.filter(spent).cloned().collect()
    }

    /// The tickets at a member price, where they are counted.
    fn uses(&self) -> Vec<EntitlementUse> {
        let back = self.order.entitlements.iter().map(|used| {
            let quantity = if used.lines.is_empty() { self.whole_use(used) } else { self.lines_use(used) };
            EntitlementUse { quantity: quantity.min(used.quantity), ..used.clone() }
        });
        back.filter(|used| used.quantity > 0).collect()
    }

    fn lines_use(&self, used: &EntitlementUse) -> u32 {
        let is_counted =
            |line: &OrderTicketLine| line.cart_item.as_ref().is_some_and(|item| used.lines.contains(item));
        let counted = self.tickets().filter(|(line, _)| is_counted(line)).map(|(_, quantity)| quantity);
        counted.fold(0, u32::saturating_add)
    }

    /// A use that does not say which tickets it is for comes back with the last ticket of its template.
    fn whole_use(&self, used: &EntitlementUse) -> u32 {
        let is_of = |line: &OrderTicketLine| line.template == used.tally.template;
        let mut rows = self.order.rows().filter(|row| row.tickets().iter().any(is_of));
        let has_returned = self.tickets().any(|(line, quantity)| quantity > 0 && is_of(line));
        if has_returned && rows.all(|row| self.left(row) == 0) { used.quantity } else { 0 }
    }
}

/// Whether a coupon may have taken something off a line. Orders of before this was noted do not say.
fn may_have_used(row: OrderRow<'_>, coupon: &CouponId) -> bool {
    let took_off = |line: &OrderTicketLine| match &line.applied {
        None => true,
        Some(AppliedPrice::Coupon { coupon: used, code: _ }) => used == coupon,
        Some(AppliedPrice::FullPrice | AppliedPrice::Member { .. }) => false,
    };
    match row {
        OrderRow::Moved(moved) => took_off(&moved.line),
        OrderRow::Sold(OrderLine::Ticket(line)) => took_off(line),
        OrderRow::Sold(OrderLine::Membership(_)) => true,
        OrderRow::Sold(OrderLine::AddOn(_) | OrderLine::Donation(_) | OrderLine::Combo(_)) => false,
    }
}
