//! What of a cart cannot be had now: seats of its slots, units of add-ons that have a stock, and more of both than one
//! order can take. Carts tell it while they are filled; what a checkout takes is decided where it is taken.

use crate::cart::{AppliedPrice, Cart, CartLine};
use crate::catalog::InventoryItem;
use crate::coupon::Coupon;
use crate::ledger::{Hold, Ledger};
use crate::order::{MAX_NOTICES, StockUnits};
use crate::{CouponId, InstanceId, InventoryId, ReservationId, Timestamp};
use std::collections::BTreeMap;

/// What there is.
#[derive(Debug, Clone, Copy)]
pub struct Stocks<'a> {
    /// The ledgers of the cart's slots.
    pub ledgers: &'a BTreeMap<InstanceId, Ledger>,
    /// The reservation whose holds are the cart's own.
    pub own: Option<ReservationId>,
    /// Add-ons and donations.
    pub inventory: &'a BTreeMap<InventoryId, InventoryItem>,
    /// How many units of those with a stock are sold.
    pub sold: &'a BTreeMap<InventoryId, u32>,
}

/// Something of which a cart has more than there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shortage {
    /// Seats of a slot.
    Seats {
        /// The slot.
        instance: InstanceId,
        /// Seats that the cart could have, those of its own hold among them.
        available: u32,
    },
    /// Units of an add-on.
    Stock {
        /// The add-on.
        inventory: InventoryId,
        name: String,
        /// Units that are left.
        available: u32,
    },
}

/// Everything of which the cart has more than there is, slots first. Lines that only ask for a price want nothing.
#[must_use]
pub fn shortages(cart: &Cart, stocks: Stocks<'_>, now: Timestamp) -> Vec<Shortage> {
    let seats = cart.seats().into_iter().filter_map(|(instance, wanted)| {
        let ledger = stocks.ledgers.get(&instance)?;
        let own = stocks.own.and_then(|id| ledger.holds.get(&id)).filter(|hold| hold.is_live(now));
        let held = own.map_or(0, |Hold { quantity, expires_at: _ }| *quantity);
        let available = ledger.available(now).saturating_add(held);
        (wanted > available).then_some(Shortage::Seats { instance, available })
    });
    seats.chain(missing_units(cart, stocks.inventory, stocks.sold)).collect()
}

/// The coupons that take something off what is bought and may be used so often only.
#[must_use]
pub fn counted_coupons(cart: &Cart, coupons: &BTreeMap<CouponId, Coupon>) -> BTreeMap<CouponId, u32> {
    let applied = cart.lines.iter().filter(|line| line.quantity() > 0).filter_map(|line| match line {
        CartLine::Ticket(line) => Some(&line.applied),
        CartLine::Membership(line) => Some(&line.applied),
        CartLine::AddOn(_) | CartLine::Donation(_) | CartLine::Combo(_) => None,
    });
    let used = applied.filter_map(|applied| match applied {
        AppliedPrice::Coupon { coupon, code: _ } => Some(coupon),
        AppliedPrice::FullPrice | AppliedPrice::Member { .. } => None,
    });
    used.filter_map(|id| Some((id.clone(), coupons.get(id)?.max_uses?))).collect()
}

/// The units bought of add-ons that have a stock.
#[must_use]
pub fn units_of(
    cart: &Cart,
    inventory: &BTreeMap<InventoryId, InventoryItem>,
) -> BTreeMap<InventoryId, StockUnits> {
    let mut bought: BTreeMap<InventoryId, StockUnits> = BTreeMap::new();
    for line in &cart.lines {
        let CartLine::AddOn(line) = line else { continue };
        let stock = inventory.get(&line.inventory).and_then(|item| item.stock);
        if let Some(stock) = stock.filter(|_| line.quantity > 0) {
            let units = bought.entry(line.inventory).or_insert(StockUnits { quantity: 0, stock });
            units.quantity = units.quantity.saturating_add(line.quantity);
        }
    }
    bought
}

/// A line of a cart by its place. Combos stand behind all others, and are counted by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinePlace {
    /// Among all lines but combos.
    Item(usize),
    /// Among the combos.
    Combo(usize),
}

/// A line that wants what is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortLine {
    /// Where it stands.
    pub place: LinePlace,
    /// As it was asked for: tickets, units or combos.
    pub quantity: u32,
    /// Seats or units that it takes.
    pub taken: u32,
}

/// The lines of a cart that want what is short.
#[must_use]
pub fn lines_short_of(cart: &Cart, shortage: &Shortage) -> Vec<ShortLine> {
    let is_combo = |line: &CartLine| matches!(line, CartLine::Combo(_));
    let combos_from = cart.lines.iter().take_while(|line| !is_combo(line)).count();
    let short = cart.lines.iter().enumerate().map(|(index, line)| ShortLine {
        place: match is_combo(line) {
            true => LinePlace::Combo(index.saturating_sub(combos_from)),
            false => LinePlace::Item(index),
        },
        quantity: line.quantity(),
        taken: taken(line, shortage),
    });
    short.filter(|line| line.taken > 0).collect()
}

/// What a line takes of what is short.
fn taken(line: &CartLine, shortage: &Shortage) -> u32 {
    match shortage {
        Shortage::Seats { instance, available: _ } => {
            let seats = line.seats();
            let here = seats.iter().filter(|(of, _)| of == instance).map(|(_, tickets)| *tickets);
            here.fold(0, u32::saturating_add)
        }
        Shortage::Stock { inventory, name: _, available: _ } => match line {
            CartLine::AddOn(line) if line.inventory == *inventory => line.quantity,
            CartLine::Ticket(_)
            | CartLine::AddOn(_)
            | CartLine::Donation(_)
            | CartLine::Combo(_)
            | CartLine::Membership(_) => 0,
        },
    }
}

/// The add-ons of which the cart has more units than are left of their stock.
#[must_use]
pub fn missing_units(
    cart: &Cart,
    inventory: &BTreeMap<InventoryId, InventoryItem>,
    sold: &BTreeMap<InventoryId, u32>,
) -> Vec<Shortage> {
    let missing = |(id, StockUnits { quantity, stock }): (InventoryId, StockUnits)| {
        let available = units_left(stock, sold.get(&id).copied().unwrap_or_default());
        let name = inventory.get(&id).map(|item| item.name.clone()).unwrap_or_default();
        (quantity > available).then_some(Shortage::Stock { inventory: id, name, available })
    };
    units_of(cart, inventory).into_iter().filter_map(missing).collect()
}

/// What is left of a stock. A stock that was lowered below what is sold has nothing left.
#[must_use]
pub const fn units_left(stock: u32, sold: u32) -> u32 {
    stock.saturating_sub(sold)
}

/// What one transaction holds.
const MAX_WRITES: usize = 100;
/// What a paid order takes whatever it sells: itself, its number, its cart, the guard against a second charge, the
/// idempotency key.
const PAID_ORDER_WRITES: usize = 5;
/// The same of an order that costs nothing, which is settled at once: without the guard, with chunks of tickets, mails,
/// contacts and the payer.
const FREE_ORDER_WRITES: usize = 16 + MAX_NOTICES;
/// What each membership takes at most: the one that is renewed, and the places of the new one.
const MEMBERSHIP_WRITES: usize = 3;

/// A cart that one order cannot take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyParts {
    /// Its slots, add-ons with a stock and coupons with a number of uses.
    pub parts: usize,
    /// As many as its order could take.
    pub limit: usize,
}

/// Refuses a cart of which an order could not take everything at once: slots, add-ons with a stock and coupons with a
/// number of uses are each taken from, all of them or none.
///
/// # Errors
/// [`TooManyParts`].
pub fn check_parts(
    cart: &Cart,
    inventory: &BTreeMap<InventoryId, InventoryItem>,
    coupons: &BTreeMap<CouponId, Coupon>,
) -> Result<(), TooManyParts> {
    let counted = [units_of(cart, inventory).len(), counted_coupons(cart, coupons).len()];
    let parts = counted.into_iter().fold(cart.seats().len(), usize::saturating_add);
    let memberships = cart.lines.iter().filter(|line| line.membership().is_some()).count();
    let own = if cart.shown_total.is_zero() { FREE_ORDER_WRITES } else { PAID_ORDER_WRITES };
    let taken = own.saturating_add(memberships.saturating_mul(MEMBERSHIP_WRITES));
    let limit = MAX_WRITES.saturating_sub(taken);
    if parts > limit { Err(TooManyParts { parts, limit }) } else { Ok(()) }
}
