//! The rules that say what a line costs, in their order of precedence, and what trying one of them came to.

use crate::coupon::{CouponProblem, Reduced};
use crate::{ComboTemplateId, LevelId, MembershipId};
use std::sync::Arc;

/// The rules of spec §4.1 that say what a ticket or a membership costs, in ascending order of precedence, and that
/// of combos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PricingRule {
    /// Nothing is taken off.
    FullPrice,
    /// Tickets: what everybody pays (spec §2.10 `discountedPrice`).
    DiscountedPrice,
    /// Memberships: what the offering asks (spec §2.15).
    OfferingPrice,
    /// Memberships that move mid-term: the difference to the level that is left (decision record 0048).
    PriceDifference,
    /// Rule 1: what members get off.
    MemberPrice,
    /// Rule 4: a code of the cart.
    CartCoupon,
    /// Rule 3: a code of the line.
    LineCoupon,
    /// Rule 2: the line asks for the full price, whatever discounts apply.
    Retail,
    /// Combos: what the definition says (contract §7), whatever else applies.
    Combo,
}

/// What a rule was tried with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nothing beside the line.
    Line,
    Membership(MembershipId, Arc<LevelId>),
    /// A level named without a membership.
    Level(Arc<LevelId>),
    /// A coupon code, as it was sent.
    Code(Arc<str>),
    Combo(ComboTemplateId),
}

/// Why a rule leads to no price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inapplicable {
    /// The coupon code takes nothing off.
    Code(CouponProblem),
    /// The cart's codes are for its memberships (rule 5).
    KeptForMemberships,
    /// The line is exempt from the limits that members' tickets have, so it is none of them.
    ExemptFromLimits,
    /// Everybody pays as little.
    NotBelowDiscounted,
}

/// One rule that was tried on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub rule: PricingRule,
    /// What it was tried with.
    pub source: Source,
    /// The price it leads to, or why it leads to none.
    pub price: Result<Reduced, Inapplicable>,
    /// Whether it decided.
    pub chosen: bool,
}
