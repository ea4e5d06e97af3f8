//! What is said of coupon codes that take nothing off (contract §4).

use domain::cart::CouponMessage;
use domain::coupon::CouponProblem;
use serde::Serialize;

/// A coupon code that takes nothing off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct CouponMessageOutput {
    /// The code as it was sent.
    pub code: String,
    /// Why it takes nothing off.
    pub reason: &'static str,
}

impl From<&CouponMessage> for CouponMessageOutput {
    fn from(message: &CouponMessage) -> Self {
        let CouponMessage { code, problem } = message;
        let reason = coupon_problem(*problem);
        Self { code: code.clone(), reason }
    }
}

/// Why a coupon takes nothing off, for people.
#[must_use]
pub fn coupon_problem(problem: CouponProblem) -> &'static str {
    match problem {
        CouponProblem::Unknown => "There is no such coupon",
        CouponProblem::Inactive => "The coupon is not active",
        CouponProblem::NotYetValid => "The coupon is not valid yet",
        CouponProblem::Expired => "The coupon has expired",
        CouponProblem::OtherChannel => "The coupon is not valid on this sale channel",
        CouponProblem::UsedUp => "The coupon has reached its usage limit",
        CouponProblem::NothingEligible => "The coupon does not apply to anything in this cart",
    }
}
