//! Why a checkout is refused.

use crate::availability::{ShortLine, Shortage, TooManyParts, lines_short_of};
use crate::cart::{Cart, CartLine, FormRefusal, IncompleteForm};
use crate::checkout::HolderRefusal;
use crate::coupon::{CouponProblem, folded_code};
use crate::entitlement::Judgement;
use crate::ledger::LedgerRefusal;
use crate::merchant::NotCharging;
use crate::order::ConsumedReservation;
use crate::pricing::PricingRefusals;
use crate::{InstanceId, InventoryId, Money, OrderId};

/// Why a checkout is refused, in order of precedence (contract §6, decision record 0025): of several that apply, the
/// first answers the request, and a dry run tells all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckoutRefusal {
    /// The lines have no price.
    NotPriced(PricingRefusals),
    /// The answers to forms that came with the cart are not taken.
    Answers(Vec<FormRefusal>),
    /// Codes take nothing off; or the last use of one was taken by another order.
    Coupons(Vec<CouponRefusal>),
    /// There is nothing to buy.
    Empty,
    /// Whoever is to hold cards is not named as they must be (spec §2.5).
    Holders(Vec<HolderRefusal>),
    /// The total is more than the visitor was shown, or than the caller expects. This is the cart at its new prices.
    PriceRose(Box<Cart>),
    /// Forms must be filled in first.
    FormsIncomplete(Vec<IncompleteForm>),
    /// These pointers within the cart are of ids that name nothing.
    UnknownIds(Vec<String>),
    /// One order cannot take so much.
    TooManyParts(TooManyParts),
    /// More tickets than memberships entitle to, or than events allow.
    Entitlements(Vec<Judgement>),
    /// There is something to pay, and no card.
    NoCard,
    /// The number of a card was sent, and the tenant takes tokens only.
    NumberNotTaken,
    /// The tenant has nobody who moves money.
    NoProcessor,
    /// No merchant of the tenant charges.
    NotCharging(NotCharging),
    /// It costs something, and less than the card processor charges.
    TooLittle {
        /// The smallest amount it charges.
        smallest: Money,
    },
    /// The token that was sent stands for no card that can be charged.
    Token(TokenRefusal),
    /// There is no such reservation.
    UnknownReservation(ReservationNamed),
    /// The same amount is being charged to the same card.
    ChargeUnderWay,
    /// The same amount was charged to the same card a moment ago, for this order.
    Duplicate(OrderId),
    /// The reservation holds nothing any more.
    ReservationOver {
        /// Where it was named.
        named: ReservationNamed,
        /// What became of it.
        end: ReservationEnd,
    },
    /// A slot does not give its seats.
    Seats {
        /// The slot.
        instance: InstanceId,
        /// Why. Seats that could be had count those of the own reservation.
        why: LedgerRefusal,
        /// The lines that want them.
        lines: Vec<ShortLine>,
    },
    /// An add-on does not have the units.
    Units {
        /// The add-on.
        inventory: InventoryId,
        name: String,
        /// Units that are left.
        available: u32,
        /// The lines that want them.
        lines: Vec<ShortLine>,
    },
}

/// A code that takes nothing off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CouponRefusal {
    /// Where it was sent.
    pub place: CodePlace,
    /// Why it takes nothing off.
    pub problem: CouponProblem,
}

/// Where a coupon code was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodePlace {
    /// Among those of the cart.
    Cart(usize),
    /// Among those of a line.
    Line {
        /// The place of the line.
        line: usize,
        /// The place among its codes.
        code: usize,
    },
    /// The cart does not have it any more.
    Unknown,
}

/// Where a reservation was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservationNamed {
    /// In the request itself.
    InRequest,
    /// In the cart within the request.
    InCart,
    InStoredCart,
}

/// Why a token is not charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRefusal {
    /// The processor was not asked about it yet.
    Unread,
    /// The processor knows no card by it.
    Unknown,
    /// The brand of its card is not taken.
    OtherBrand,
    /// What was said of the card is not true of it.
    OtherCard {
        /// Its brand is another.
        brand: bool,
        /// Its last four digits are others.
        last_four: bool,
    },
}

/// What became of a reservation that holds nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservationEnd {
    Released,
    /// Its time has come.
    Expired,
    /// An order took what it held.
    Used,
}

/// How far a checkout has come when it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The cart and its price: what its visitor sees and fills in.
    Cart,
    /// What the cart names, and how much one order takes.
    Order,
    /// What others take too, and how it is paid.
    Supply,
}

impl CheckoutRefusal {
    /// How far the checkout had come.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        match self {
            Self::NotPriced(_)
            | Self::Answers(_)
            | Self::Coupons(_)
            | Self::Empty
            | Self::Holders(_)
            | Self::PriceRose(_)
            | Self::FormsIncomplete(_) => Stage::Cart,
            Self::UnknownIds(_) | Self::TooManyParts(_) => Stage::Order,
            Self::Entitlements(_)
            | Self::NoCard
            | Self::NumberNotTaken
            | Self::NoProcessor
            | Self::NotCharging(_)
            | Self::TooLittle { .. }
            | Self::Token(_)
            | Self::UnknownReservation(_)
            | Self::ChargeUnderWay
            | Self::Duplicate(_)
            | Self::ReservationOver { .. }
            | Self::Seats { .. }
            | Self::Units { .. } => Stage::Supply,
        }
    }

    /// Why a slot does not give its seats to a cart that may consume a reservation of its own.
    #[must_use]
    pub fn of_seats(
        cart: &Cart,
        own: Option<&ConsumedReservation>,
        instance: InstanceId,
        refusal: &LedgerRefusal,
    ) -> Self {
        let why = match refusal {
            LedgerRefusal::NotEnough { available } => {
                let held = own.and_then(|own| own.holds.get(&instance)).map_or(0, |hold| hold.quantity);
                LedgerRefusal::NotEnough { available: available.saturating_add(held) }
            }
            LedgerRefusal::UnknownSlot
            | LedgerRefusal::HoldChanged
            | LedgerRefusal::Closed
            | LedgerRefusal::MustReclaim
            | LedgerRefusal::TooManyHolds => refusal.clone(),
        };
        let lines = lines_short_of(cart, &Shortage::Seats { instance, available: 0 });
        Self::Seats { instance, why, lines }
    }

    /// Something of which the cart has more than there is.
    #[must_use]
    pub fn of_shortage(cart: &Cart, shortage: Shortage) -> Self {
        let lines = lines_short_of(cart, &shortage);
        match shortage {
            Shortage::Seats { instance, available } => {
                Self::Seats { instance, why: LedgerRefusal::NotEnough { available }, lines }
            }
            Shortage::Stock { inventory, name, available } => {
                Self::Units { inventory, name, available, lines }
            }
        }
    }
}

impl CouponRefusal {
    /// The refusal of one of a cart's codes.
    #[must_use]
    pub fn of(cart: &Cart, code: &str, problem: CouponProblem) -> Self {
        Self { place: CodePlace::of(cart, code), problem }
    }
}

impl CodePlace {
    /// Where a code was sent: with the cart, or else with a line.
    fn of(cart: &Cart, code: &str) -> Self {
        let place = |codes: &[String]| codes.iter().position(|sent| folded_code(sent) == folded_code(code));
        if let Some(at) = place(&cart.coupon_codes) {
            return Self::Cart(at);
        }
        let mut lines = cart.lines.iter().enumerate();
        let found = lines.find_map(|(line, of)| Some(Self::Line { line, code: place(line_codes(of))? }));
        found.unwrap_or(Self::Unknown)
    }
}

fn line_codes(line: &CartLine) -> &[String] {
    match line {
        CartLine::Ticket(line) => &line.coupon_codes,
        CartLine::Membership(line) => &line.wanted.coupon_codes,
        CartLine::AddOn(_) | CartLine::Donation(_) | CartLine::Combo(_) => &[],
    }
}
