//! What of a cart cannot be had now: seats of its slots, pieces of add-ons that have a stock, and more of both than one
//! order can take. Carts tell it while they are filled; what a checkout takes is decided where it is taken.

use crate::cart::Cart;
use crate::catalog::InventoryItem;
use crate::checkout::{counted_coupons, pieces_of};
use crate::coupon::Coupon;
use crate::ledger::{Hold, Ledger};
use crate::order::{MAX_NOTICES, Pieces};
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
    /// How many pieces of those with a stock are sold.
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
    /// Pieces of an add-on.
    Pieces {
        /// The add-on.
        inventory: InventoryId,
        /// Its name.
        name: String,
        /// Pieces that are left.
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
    seats.chain(missing_pieces(cart, stocks.inventory, stocks.sold)).collect()
}

/// The add-ons of which the cart has more pieces than are left of their stock.
#[must_use]
pub fn missing_pieces(
    cart: &Cart,
    inventory: &BTreeMap<InventoryId, InventoryItem>,
    sold: &BTreeMap<InventoryId, u32>,
) -> Vec<Shortage> {
    let missing = |(id, Pieces { quantity, stock }): (InventoryId, Pieces)| {
        let available = pieces_left(stock, sold.get(&id).copied().unwrap_or_default());
        let name = inventory.get(&id).map(|item| item.name.clone()).unwrap_or_default();
        (quantity > available).then_some(Shortage::Pieces { inventory: id, name, available })
    };
    pieces_of(cart, inventory).into_iter().filter_map(missing).collect()
}

/// What is left of a stock. A stock that was lowered below what is sold has nothing left.
#[must_use]
pub const fn pieces_left(stock: u32, sold: u32) -> u32 {
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
    let counted = [pieces_of(cart, inventory).len(), counted_coupons(cart, coupons).len()];
    let parts = counted.into_iter().fold(cart.seats().len(), usize::saturating_add);
    let memberships = cart.lines.iter().filter(|line| line.membership().is_some()).count();
    let own = if cart.shown_total.is_zero() { FREE_ORDER_WRITES } else { PAID_ORDER_WRITES };
    let taken = own.saturating_add(memberships.saturating_mul(MEMBERSHIP_WRITES));
    let limit = MAX_WRITES.saturating_sub(taken);
    if parts > limit { Err(TooManyParts { parts, limit }) } else { Ok(()) }
}
