//! Lines that buy memberships (spec §2.5).

use super::{AppliedPrice, LinePrice};
use crate::cart_request::WantedMembership;
use crate::membership::term::Term;
use crate::{CartItemId, Money};
use serde::{Deserialize, Serialize};

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
