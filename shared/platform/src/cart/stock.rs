//! Whether what a cart holds can be had now.

use super::Existing;
use crate::error::Limit;
use crate::{ApiError, ErrorType};
use domain::availability::{Shortage, Stocks, TooManyParts, check_parts, shortages};
use domain::cart::{Cart, CartLine};
use domain::catalog::InventoryItem;
use domain::coupon::Coupon;
use domain::{CouponId, InventoryId, Timestamp};
use std::collections::BTreeMap;

/// What a cart is held against.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'a> {
    /// What of the cart exists.
    pub existing: &'a Existing,
    /// Add-ons and donations.
    pub inventory: &'a BTreeMap<InventoryId, InventoryItem>,
    /// Coupons.
    pub coupons: &'a BTreeMap<CouponId, Coupon>,
}

impl Offer<'_> {
    /// Refuses a cart that could not be bought now for want of seats or pieces, or because one order cannot take so
    /// much. Nothing is held for it.
    ///
    /// # Errors
    /// `LIMIT_REACHED`; `NOT_ENOUGH_CAPACITY` with what is left of the first thing that is short, and every line of
    /// which there is too little.
    pub fn check(self, cart: &Cart, now: Timestamp) -> Result<(), ApiError> {
        let Self { existing, inventory, coupons } = self;
        check_size(cart, inventory, coupons)?;
        let stocks =
            Stocks { ledgers: &existing.ledgers, own: cart.reservation, inventory, sold: &existing.sold };
        let short = shortages(cart, stocks, now);
        let Some(first) = short.first() else { return Ok(()) };
        Err(short.iter().fold(refusal(first), |error, shortage| with_lines(error, shortage, cart, "")))
    }
}

/// Refuses a cart that one order cannot take.
///
/// # Errors
/// `LIMIT_REACHED`.
pub fn check_size(
    cart: &Cart,
    inventory: &BTreeMap<InventoryId, InventoryItem>,
    coupons: &BTreeMap<CouponId, Coupon>,
) -> Result<(), ApiError> {
    check_parts(cart, inventory, coupons).map_err(too_many_parts)
}

fn too_many_parts(TooManyParts { parts, limit }: TooManyParts) -> ApiError {
    ApiError::limit_reached(Limit { what: "orderParts", most: limit }).message(format!(
        "One order can have at most {limit} different events, add-ons with a limited stock and coupons with a limited \
         number of uses in total; this cart has {parts}"
    ))
}

/// The refusal of a cart that has more of something than there is. `pointer` is that of the cart within the body.
#[must_use]
pub fn not_enough(shortage: &Shortage, cart: &Cart, pointer: &str) -> ApiError {
    with_lines(refusal(shortage), shortage, cart, pointer)
}

/// A refusal with every line that wants what is short.
fn with_lines(error: ApiError, shortage: &Shortage, cart: &Cart, pointer: &str) -> ApiError {
    let message = message(shortage);
    let lines = lines_of(cart, shortage).into_iter();
    lines.fold(error, |error, line| error.detail(format!("{pointer}/{line}/quantity"), message.clone()))
}

fn refusal(shortage: &Shortage) -> ApiError {
    match shortage {
        Shortage::Seats { instance, available } => ApiError::new(ErrorType::NotEnoughCapacity)
            .fact("eventId", instance)
            .fact("availableSeats", available),
        Shortage::Pieces { inventory, name, available } => no_pieces(*inventory, name, *available),
    }
}

fn no_pieces(inventory: InventoryId, name: &str, available: u32) -> ApiError {
    let message = if available == 0 {
        format!("{name} is sold out")
    } else {
        format!("Only {available} left of {name}")
    };
    ApiError::new(ErrorType::NotEnoughCapacity)
        .message(message)
        .fact("inventoryId", inventory)
        .fact("availablePieces", available)
}

fn message(shortage: &Shortage) -> String {
    match shortage {
        Shortage::Seats { instance: _, available } => {
            format!("must be at most {available}, the seats available")
        }
        Shortage::Pieces { inventory: _, name: _, available: 0 } => "is sold out".to_owned(),
        Shortage::Pieces { inventory: _, name: _, available } => {
            format!("must be at most {available}, the pieces left")
        }
    }
}

/// The lines of a cart that want what is short. Combos stand behind all others, and in a list of their own.
fn lines_of(cart: &Cart, shortage: &Shortage) -> Vec<String> {
    let is_combo = |line: &CartLine| matches!(line, CartLine::Combo(_));
    let combos_from = cart.lines.iter().take_while(|line| !is_combo(line)).count();
    let wanting = cart.lines.iter().enumerate().filter(|(_, line)| wants(line, shortage));
    let place = |(index, line): (usize, &CartLine)| match is_combo(line) {
        true => format!("comboItems/{}", index.saturating_sub(combos_from)),
        false => format!("items/{index}"),
    };
    wanting.map(place).collect()
}

fn wants(line: &CartLine, shortage: &Shortage) -> bool {
    match shortage {
        Shortage::Seats { instance, available: _ } => {
            line.seats().iter().any(|(of, tickets)| of == instance && *tickets > 0)
        }
        Shortage::Pieces { inventory, name: _, available: _ } => match line {
            CartLine::AddOn(line) => line.inventory == *inventory && line.quantity > 0,
            CartLine::Ticket(_) | CartLine::Donation(_) | CartLine::Combo(_) | CartLine::Membership(_) => {
                false
            }
        },
    }
}
