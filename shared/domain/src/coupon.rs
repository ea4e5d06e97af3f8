//! Discounts and coupons: what takes something off a price, for whom and when (contract §4, §7).

use crate::channel::SalesChannel;
use crate::{CouponId, DiscountId, LevelId, Money, MoneyOverflow, Percent, TemplateId, TicketTypeId};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// What is taken off a unit price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum Reduction {
    /// An amount.
    Amount(Money),
    /// A share of the price.
    Percent(Percent),
    /// Whatever makes the price this one.
    FixedPrice(Money),
}

impl Reduction {
    /// The unit price after the reduction: rounded half-up to the cent, never below nothing (contract §1, §4).
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn apply(self, price: Money) -> Result<Money, MoneyOverflow> {
        let reduced = match self {
            Self::Amount(amount) => price.checked_sub(amount)?,
            Self::Percent(percent) => price.less_percent_half_up(percent)?,
            Self::FixedPrice(fixed) => fixed,
        };
        Ok(reduced.max(Money::ZERO))
    }
}

/// What one ticket type gets off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscountValue {
    /// The ticket type.
    pub ticket_type: TicketTypeId,
    /// What it gets off.
    pub reduction: Reduction,
}

/// A discount definition, referred to by coupons and by the membership terms of templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discount {
    /// Identity.
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
    /// Memberships.
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

impl Coupon {
    /// The code without regard to case: no two coupons of a tenant have the same.
    #[must_use]
    pub fn folded_code(&self) -> String {
        self.code.trim().to_uppercase()
    }

    /// True when a sale on this date may use it.
    #[must_use]
    pub fn is_valid_on(&self, date: NaiveDate) -> bool {
        self.active
            && self.effective_start.is_none_or(|start| start <= date)
            && self.effective_end.is_none_or(|end| date <= end)
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
        ] {
            let reduced = reduction.apply(Money::from_cents(price)).unwrap();
            assert_eq!(reduced, Money::from_cents(expected), "{reduction:?} of {price}");
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
        for (day, valid) in
            [("2027-02-28", false), ("2027-03-01", true), ("2027-03-31", true), ("2027-04-01", false)]
        {
            assert_eq!(coupon.is_valid_on(date(day)), valid, "{day}");
        }
        assert!(!Coupon { active: false, ..coupon }.is_valid_on(date("2027-03-10")));
    }
}
