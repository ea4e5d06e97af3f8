//! Why a line costs what it costs (contract §4, `x-service-explain`).

use super::coupon::coupon_problem;
use crate::money_text;
use domain::Money;
use domain::pricing::{Inapplicable, PricingRule, Source, Tried};
use serde::{Serialize, Serializer};

/// One rule that was tried on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriedOutput {
    /// `fullPrice`, `discountedPrice`, `memberPrice`, `cartCoupon`, `lineCoupon` or `retail`, in ascending order of precedence; of
    /// combos, `fullPrice` or `combo`; of memberships, also `offeringPrice` and `priceDifference`.
    pub rule: &'static str,
    /// Where the specification, or the contract beside it, states the rule.
    pub specification: &'static str,
    /// The membership it was tried with.
    pub membership_id: Option<i64>,
    /// The level it was tried with.
    pub membership_category_id: Option<String>,
    /// The code it was tried with.
    pub coupon_code: Option<String>,
    /// The combo it was tried with.
    pub combo_template_id: Option<String>,
    /// `applied`, `outranked` by a rule of higher precedence or a lower price, or `notApplicable`.
    pub result: &'static str,
    /// Why it is not applicable.
    pub reason: Option<&'static str>,
    /// The unit price before it is rounded, where that differs from `unitPrice`.
    pub exact_unit_price: Option<String>,
    /// The unit price: rounded half-up to the cent, never below nothing nor above the full price.
    #[serde(serialize_with = "maybe_money_text")]
    #[schema(value_type = Option<String>)]
    pub unit_price: Option<Money>,
}

fn maybe_money_text<S: Serializer>(amount: &Option<Money>, serializer: S) -> Result<S::Ok, S::Error> {
    match amount {
        Some(amount) => money_text(amount, serializer),
        None => serializer.serialize_none(),
    }
}

impl From<&Tried> for TriedOutput {
    fn from(tried: &Tried) -> Self {
        let Tried { rule, source, price, chosen } = tried;
        let (rule, specification) = match rule {
            PricingRule::FullPrice => ("fullPrice", "§2.3"),
            PricingRule::DiscountedPrice => ("discountedPrice", "§2.10"),
            PricingRule::OfferingPrice => ("offeringPrice", "§2.15"),
            PricingRule::PriceDifference => ("priceDifference", "contract §9"),
            PricingRule::MemberPrice => ("memberPrice", "§4.1 rule 1"),
            PricingRule::CartCoupon => ("cartCoupon", "§4.1 rule 4"),
            PricingRule::LineCoupon => ("lineCoupon", "§4.1 rule 3"),
            PricingRule::Retail => ("retail", "§4.1 rule 2"),
            PricingRule::Combo => ("combo", "contract §7"),
        };
        let (membership, level) = match source {
            Source::Line | Source::Code(_) | Source::Combo(_) => (None, None),
            Source::Membership(membership, level) => (Some(membership.get()), Some(level.to_string())),
            Source::Level(level) => (None, Some(level.to_string())),
        };
        let (code, combo) = match source {
            Source::Line | Source::Membership(..) | Source::Level(_) => (None, None),
            Source::Code(code) => (Some(code.to_string()), None),
            Source::Combo(combo) => (None, Some(combo.to_string())),
        };
        let result = match (price, chosen) {
            (Err(_), _) => "notApplicable",
            (Ok(_), true) => "applied",
            (Ok(_), false) => "outranked",
        };
        Self {
            rule,
            specification,
            membership_id: membership,
            membership_category_id: level,
            coupon_code: code,
            combo_template_id: combo,
            result,
            reason: price.err().map(reason),
            exact_unit_price: price
                .ok()
                .filter(|price| price.exact != price.unit.exact())
                .and_then(|price| price.exact.decimal().ok())
                .map(|exact| exact.to_string()),
            unit_price: price.ok().map(|price| price.unit),
        }
    }
}

/// Why a rule leads to no price, for people.
fn reason(inapplicable: Inapplicable) -> &'static str {
    match inapplicable {
        Inapplicable::Code(problem) => coupon_problem(problem),
        Inapplicable::KeptForMemberships => {
            "The cart's codes are for its membership; a ticket line needs its own code"
        }
        Inapplicable::ExemptFromLimits => {
            "The line ignores entitlements, which limit the tickets at the member price"
        }
        Inapplicable::NotBelowDiscounted => "Everyone pays this price or less",
    }
}
