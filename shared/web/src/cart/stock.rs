//! Whether what a cart holds can be had now.

use super::Existing;
use crate::{ApiError, ErrorType};
use adapters::Limit;
use domain::availability::{
    LinePlace, ShortLine, Shortage, Stocks, TooManyParts, check_parts, lines_short_of, shortages,
};
use domain::cart::Cart;
use domain::catalog::InventoryItem;
use domain::coupon::Coupon;
use domain::{CouponId, InventoryId, Timestamp};
use std::collections::BTreeMap;

/// What a cart is held against.
#[derive(Debug, Clone, Copy)]
pub struct StockFacts<'a> {
    /// What of the cart exists.
    pub existing: &'a Existing,
    /// Add-ons and donations.
    pub inventory: &'a BTreeMap<InventoryId, InventoryItem>,
    /// Coupons.
    pub coupons: &'a BTreeMap<CouponId, Coupon>,
}

impl StockFacts<'_> {
    /// Refuses a cart that could not be bought now for want of seats or units, or because one order cannot take so
    /// much. Nothing is held for it.
    ///
    /// # Errors
    /// `LIMIT_REACHED`; `NOT_ENOUGH_CAPACITY` with what is left of the first thing that is short, and every line of
    /// which there is too little.
    pub fn check(self, cart: &Cart, now: Timestamp) -> Result<(), ApiError> {
        let Self { existing, inventory, coupons } = self;
        check_parts(cart, inventory, coupons).map_err(too_many_parts)?;
        let stocks =
            Stocks { ledgers: &existing.ledgers, own: cart.reservation, inventory, sold: &existing.sold };
        let short = shortages(cart, stocks, now);
        let Some(first) = short.first() else { return Ok(()) };
        Err(short.iter().fold(refusal(first), |error, shortage| {
            with_lines(error, shortage, &lines_short_of(cart, shortage), "")
        }))
    }
}

/// The refusal of a cart that one order cannot take: `LIMIT_REACHED`.
#[must_use]
pub fn too_many_parts(TooManyParts { parts, limit }: TooManyParts) -> ApiError {
    ApiError::limit_reached(Limit { what: "orderParts", most: limit }).message(format!(
        "One order can have at most {limit} different events, add-ons with a limited stock and coupons with a limited \
         number of uses in total; this cart has {parts}"
    ))
}

/// The refusal of a cart that has more of something than there is, in these of its lines. `pointer` is that of the cart
/// within the body.
#[must_use]
pub fn not_enough(shortage: &Shortage, lines: &[ShortLine], pointer: &str) -> ApiError {
    with_lines(refusal(shortage), shortage, lines, pointer)
}

/// A refusal with every line that wants what is short.
fn with_lines(error: ApiError, shortage: &Shortage, lines: &[ShortLine], pointer: &str) -> ApiError {
    lines.iter().fold(error, |error, line| {
        let place = match line.place {
            LinePlace::Item(index) => format!("items/{index}"),
            LinePlace::Combo(index) => format!("comboItems/{index}"),
        };
        error.detail(format!("{pointer}/{place}/quantity"), message(shortage, *line, lines))
    })
}

fn refusal(shortage: &Shortage) -> ApiError {
    match shortage {
        Shortage::Seats { instance, available } => ApiError::new(ErrorType::NotEnoughCapacity)
            .fact("eventId", instance)
            .fact("availableSeats", available),
        Shortage::Stock { inventory, name, available } => no_units(*inventory, name, *available),
    }
}

fn no_units(inventory: InventoryId, name: &str, available: u32) -> ApiError {
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

/// What is said of a line, where these are all that want what is short. It is in units of the line: a combo may take
/// several seats. What several lines may have together, none of them can be told by itself.
fn message(shortage: &Shortage, line: ShortLine, all: &[ShortLine]) -> String {
    let sum = all.iter().fold(0_u32, |sum, line| sum.saturating_add(line.taken));
    let is_one_of_several = all.len() > 1;
    match shortage {
        Shortage::Seats { instance: _, available } if is_one_of_several => format!(
            "must be less: the lines on this event ask for {sum} seats together, more than the {available} available"
        ),
        Shortage::Seats { instance: _, available } => match line.taken.checked_div(line.quantity) {
            Some(each) if each > 1 => {
                let most = available.checked_div(each).unwrap_or_default();
                format!("must be at most {most}, since each takes {each} of the {available} seats available")
            }
            Some(_) | None => format!("must be at most {available}, the seats available"),
        },
        Shortage::Stock { inventory: _, name: _, available: 0 } => "is sold out".to_owned(),
        Shortage::Stock { inventory: _, name: _, available } if is_one_of_several => {
            format!(
                "must be less: the lines on this item ask for {sum} pieces together, more than the {available} left"
            )
        }
        Shortage::Stock { inventory: _, name: _, available } => {
            format!("must be at most {available}, the pieces left")
        }
    }
}
