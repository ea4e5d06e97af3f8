//! Discounts and coupons: what takes something off a price, for whom and when (contract §4, §7).

use crate::channel::{Channel, SalesChannel, channel_allowed};
use crate::compare::comparable;
use crate::{
    CouponId, DiscountId, ExactMoney, LevelId, Money, MoneyOverflow, Percent, TemplateId, TicketTypeId,
};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is taken off a unit price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum Reduction {
    Amount(Money),
    /// A share of the price.
    Percent(Percent),
    /// Whatever makes the price this one.
    FixedPrice(Money),
}

/// A unit price after a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduced {
    /// The price before it is rounded.
    pub exact: ExactMoney,
    /// The price: rounded half-up to the cent, never below nothing and never above the full price
    /// (contract §1, §4).
    pub unit: Money,
}

impl Reduction {
    /// The unit price after the reduction.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn apply(self, price: Money) -> Result<Reduced, MoneyOverflow> {
        let (exact, unit) = match self {
            Self::Amount(amount) => {
                let unit = price.checked_sub(amount)?;
                (unit.exact(), unit)
            }
            Self::Percent(percent) => {
                let exact = price.less_percent(percent);
                (exact, exact.half_up()?)
            }
            Self::FixedPrice(fixed) => (fixed.exact(), fixed),
        };
        Ok(Reduced { exact, unit: unit.clamp(Money::ZERO, price.max(Money::ZERO)) })
    }
}

/// What one ticket type gets off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscountValue {
    pub ticket_type: TicketTypeId,
    /// What it gets off.
    pub reduction: Reduction,
}

/// A discount definition, referred to by coupons and by the membership terms of templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discount {
    pub id: DiscountId,
    /// For the back office.
    pub name: String,
    /// For the back office.
    #[serde(default)]
    pub description: String,
    /// The venue's own code for it.
    #[serde(default)]
    pub code: String,
    /// One per ticket type that gets something off.
    pub values: Vec<DiscountValue>,
}

impl Discount {
    /// What a ticket type gets off.
    #[must_use]
    pub fn reduction_of(&self, ticket_type: &TicketTypeId) -> Option<Reduction> {
        self.values.iter().find(|value| value.ticket_type == *ticket_type).map(|value| value.reduction)
    }
}

/// Where a coupon takes its reductions from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum CouponReduction {
    /// A discount, which has one per ticket type.
    Discount(DiscountId),
    /// The same for every price it applies to.
    Same(Reduction),
}

/// A kind of cart line a coupon can apply to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CouponTarget {
    /// Tickets.
    Event,
    Membership,
}

impl CouponTarget {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Event, Self::Membership];

    /// The spelling of contract §7.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Membership => "membership",
        }
    }

    /// Reads a target in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// A coupon (contract §7). Lists that are empty restrict nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coupon {
    /// Identity; not what buyers type.
    pub id: CouponId,
    /// For the back office.
    pub name: String,
    /// For the back office.
    #[serde(default)]
    pub description: String,
    /// What buyers type.
    pub code: String,
    /// What it takes off.
    pub reduction: CouponReduction,
    /// Kinds of lines it applies to.
    #[serde(default)]
    pub applies_to: Vec<CouponTarget>,
    /// Templates it applies to.
    #[serde(default)]
    pub templates: Vec<TemplateId>,
    /// Ticket types it applies to.
    #[serde(default)]
    pub ticket_types: Vec<TicketTypeId>,
    /// Membership levels it applies to.
    #[serde(default)]
    pub levels: Vec<LevelId>,
    /// Where it can be used.
    #[serde(default)]
    pub sales_channels: Vec<SalesChannel>,
    /// The first sale date in the tenant's zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_start: Option<NaiveDate>,
    /// The last sale date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_end: Option<NaiveDate>,
    /// Orders it can be used in; none is without limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_uses: Option<u32>,
    /// An inactive one is not accepted.
    pub active: bool,
}

/// Why a coupon code takes nothing off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CouponProblem {
    /// No coupon has this code.
    Unknown,
    /// It is switched off.
    Inactive,
    /// Its first sale date is still to come.
    NotYetValid,
    /// Its last sale date is over.
    Expired,
    /// It is not for this sale channel.
    OtherChannel,
    /// It was used as often as it may be.
    UsedUp,
    /// It is for nothing that it was given for.
    NothingEligible,
}

/// A code as codes are compared: after NFKC and full case folding (decision record 0119). Our choice: in capital
/// letters, where they are small ones' only, since the marks of codes that are stored have those.
#[must_use]
pub fn folded_code(code: &str) -> String {
    let capital = |small: char| {
        let mut capitals = small.to_uppercase();
        match (capitals.next(), capitals.next()) {
            (Some(capital), None) if capital.to_lowercase().eq([small]) => capital,
            (Some(_) | None, Some(_) | None) => small,
        }
    };
    comparable(code).chars().map(capital).collect()
}

impl Coupon {
    /// The code without regard to case: no two coupons of a tenant have the same.
    #[must_use]
    pub fn folded_code(&self) -> String {
        folded_code(&self.code)
    }

    /// Why no sale on this date through this channel may use it, whatever is bought.
    #[must_use]
    pub fn problem(&self, date: NaiveDate, channel: Channel) -> Option<CouponProblem> {
        if !self.active {
            Some(CouponProblem::Inactive)
        } else if self.effective_start.is_some_and(|start| date < start) {
            Some(CouponProblem::NotYetValid)
        } else if self.effective_end.is_some_and(|end| end < date) {
            Some(CouponProblem::Expired)
        } else if !channel_allowed(&self.sales_channels, channel) {
            Some(CouponProblem::OtherChannel)
        } else {
            None
        }
    }

    /// What it takes off a ticket of this type for this template, if it applies to one.
    #[must_use]
    pub fn reduction_of(
        &self,
        template: &TemplateId,
        ticket_type: &TicketTypeId,
        discounts: &BTreeMap<DiscountId, Discount>,
    ) -> Option<Reduction> {
        let listed = self.is_for(CouponTarget::Event)
            && (self.templates.is_empty() || self.templates.contains(template));
        listed.then(|| self.reduction_for(ticket_type, discounts)).flatten()
    }

    /// What it takes off a membership of this level at this price point, if it applies to one.
    #[must_use]
    pub fn reduction_of_membership(
        &self,
        level: &LevelId,
        price_point: &TicketTypeId,
        discounts: &BTreeMap<DiscountId, Discount>,
    ) -> Option<Reduction> {
        let listed =
            self.is_for(CouponTarget::Membership) && (self.levels.is_empty() || self.levels.contains(level));
        listed.then(|| self.reduction_for(price_point, discounts)).flatten()
    }

    /// Whether it is for lines of a kind: one of those it names; if it names none, the kind whose templates or levels
    /// it names; else both.
    fn is_for(&self, target: CouponTarget) -> bool {
        let (own, other) = match target {
            CouponTarget::Event => (self.templates.is_empty(), self.levels.is_empty()),
            CouponTarget::Membership => (self.levels.is_empty(), self.templates.is_empty()),
        };
        if self.applies_to.is_empty() { !own || other } else { self.applies_to.contains(&target) }
    }

    fn reduction_for(
        &self,
        ticket_type: &TicketTypeId,
        discounts: &BTreeMap<DiscountId, Discount>,
    ) -> Option<Reduction> {
        match &self.reduction {
            _ if !(self.ticket_types.is_empty() || self.ticket_types.contains(ticket_type)) => None,
            CouponReduction::Same(reduction) => Some(*reduction),
            CouponReduction::Discount(id) => discounts.get(id)?.reduction_of(ticket_type),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduction_rounds_per_unit_and_never_goes_below_nothing() {
        let percent = |text| Reduction::Percent(Percent::parse(text).unwrap());
        for (reduction, price, expected) in [
            (percent("10"), 4_995, 4_496),
            (percent("15"), 1_235, 1_050),
            (percent("100"), 1_800, 0),
            (Reduction::Amount(Money::from_cents(500)), 1_800, 1_300),
            (Reduction::Amount(Money::from_cents(2_000)), 1_800, 0),
            (Reduction::FixedPrice(Money::from_cents(999)), 1_800, 999),
            (Reduction::FixedPrice(Money::from_cents(2_500)), 1_800, 1_800),
        ] {
            let reduced = reduction.apply(Money::from_cents(price)).unwrap();
            assert_eq!(reduced.unit, Money::from_cents(expected), "{reduction:?} of {price}");
        }
    }

    #[test]
    fn a_coupon_is_valid_on_its_first_and_last_sale_date() {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let coupon = Coupon {
            id: CouponId::parse("c").unwrap(),
            name: "Spring".to_owned(),
            description: String::new(),
            code: "SPRING".to_owned(),
            reduction: CouponReduction::Same(Reduction::Amount(Money::from_cents(100))),
            applies_to: vec![],
            templates: vec![],
            ticket_types: vec![],
            levels: vec![],
            sales_channels: vec![],
            effective_start: Some(date("2027-03-01")),
            effective_end: Some(date("2027-03-31")),
            max_uses: None,
            active: true,
        };
        for (day, problem) in [
            ("2027-02-28", Some(CouponProblem::NotYetValid)),
            ("2027-03-01", None),
            ("2027-03-31", None),
            ("2027-04-01", Some(CouponProblem::Expired)),
        ] {
            assert_eq!(coupon.problem(date(day), Channel::Online), problem, "{day}");
        }
        let inactive = Coupon { active: false, ..coupon };
        assert_eq!(inactive.problem(date("2027-03-10"), Channel::Online), Some(CouponProblem::Inactive));
    }
}
