//! Lines that buy memberships (spec §2.5).

use super::{AppliedPrice, LinePrice};
use crate::CartItemId;
use crate::membership::issue::{CardHolder, NewMembership};
use crate::membership::term::Term;
use crate::membership::{Gifter, MembershipAction, Plan};
use crate::{MembershipId, Money};
use serde::{Deserialize, Serialize};

/// Lines of a cart that may buy memberships: what one transaction settles (decision record 0049).
pub const MAX_MEMBERSHIP_LINES: usize = 4;
/// Cards that the memberships of a cart may have together, those they have already included.
pub const MAX_MEMBERSHIP_CARDS: usize = 15;

/// A membership; its quantity is always 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembershipLine {
    /// Identity of the line.
    pub id: CartItemId,
    /// What is asked for.
    pub wanted: WantedMembership,
    /// Name of the level when the line was priced.
    pub level_name: String,
    /// Name of the offering when the line was priced.
    pub offering_name: String,
    /// The level comes with another one.
    #[serde(default)]
    pub auxiliary: bool,
    /// Cards that are held once it is bought.
    pub cards: usize,
    /// The term it comes to, were it paid now.
    pub term: Term,
    /// The price of the plan before any coupon.
    pub plan_price: Money,
    /// What it costs.
    pub price: LinePrice,
    /// What the price follows from.
    #[serde(default)]
    pub applied: AppliedPrice,
}

/// A membership as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedMembership {
    /// What is done.
    pub action: MembershipAction,
    /// What is bought.
    pub plan: Plan,
    /// The membership it is done with, by its id or its number, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub membership: Option<MembershipId>,
    /// Who is to hold cards.
    #[serde(default)]
    pub holders: Vec<CardHolder>,
    /// Who gives it, if it is a gift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub giver: Option<Gifter>,
    /// Charged in full whatever discounts apply.
    #[serde(default)]
    pub is_retail: bool,
    /// Codes for this line alone.
    #[serde(default)]
    pub coupon_codes: Vec<String>,
    /// The identifiers of the membership that a checkout makes of it; drawn anew by each.
    #[serde(skip)]
    pub drawn: Option<NewMembership>,
}
