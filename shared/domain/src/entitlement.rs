//! How many tickets of a template members may take at the member price, and how many tickets of it an order may
//! have at other prices (spec §2.7, §4.2; contract §5).

mod judge;

pub use judge::{Claimed, Judgement, Judging, LimitScope, MemberUses, Span, judge, uses_of};

use crate::catalog::derived_id;
use crate::{
    CartItemId, EntitlementRuleId, LevelId, MembershipId, RuleSetId, TemplateId, TicketTypeId, Timestamp,
    Zone,
};
use chrono::{Datelike, Days};
use serde::{Deserialize, Serialize};

/// Rules one template may have.
pub const MAX_RULES: usize = 20;
/// The largest limit: no line has more tickets.
pub const MAX_LIMIT: u32 = 999;

/// The entitlement rules and ticket limits of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entitlements {
    pub template: TemplateId,
    /// What limits tickets at the member price.
    #[serde(default)]
    pub rules: Vec<EntitlementRule>,
    /// What limits tickets at other prices.
    #[serde(default)]
    pub ticket_limits: TicketLimits,
}

/// How many tickets a membership gives the member price for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntitlementRule {
    /// Its name.
    pub id: EntitlementRuleId,
    /// Levels it is for; empty means every level.
    #[serde(default)]
    pub levels: Vec<LevelId>,
    /// Ticket types it is for; empty means every type.
    #[serde(default)]
    pub price_points: Vec<TicketTypeId>,
    /// Tickets.
    pub limit: u32,
    /// What the limit is for.
    pub applies: RuleApplies,
    /// The time it is for.
    pub period: Period,
}

/// What the limit of a rule is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RuleApplies {
    /// Each ticket type by itself.
    ForEachItem,
    /// All its ticket types together.
    AcrossAllItems,
}

/// The time a limit is for, by the day of the visit in the tenant's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Period {
    /// A calendar day.
    Day,
    /// Sunday to Saturday.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
    /// All time.
    Lifetime,
}

/// How many tickets of a template an order may have at other prices than the member's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TicketLimits {
    /// Of all types together; none is without limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_order: Option<u32>,
    /// Of single types.
    #[serde(default)]
    pub per_type: Vec<TypeLimit>,
}

/// How many tickets of one type an order may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeLimit {
    pub ticket_type: TicketTypeId,
    /// Tickets; with 0 only members buy the type.
    pub limit: u32,
}

/// The counters of one membership number for the visits of one period.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tally {
    /// The number of the membership, which stays through renewals and upgrades.
    pub number: MembershipId,
    /// The template whose rules count.
    pub template: TemplateId,
    /// The period, as [`Period::containing`] names it.
    pub period: String,
}

/// Tickets at the member price that an order takes out of what a membership has in a period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntitlementUse {
    /// Where they are counted.
    pub tally: Tally,
    /// The rule and, where each type counts by itself, the type.
    pub counter: String,
    /// Tickets.
    pub quantity: u32,
    /// The most that may be used in all.
    pub limit: u32,
    /// The lines of the cart whose tickets they are; none in orders of before this was noted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<CartItemId>,
}

impl Entitlements {
    /// Those of a template that has none.
    #[must_use]
    pub fn none(template: TemplateId) -> Self {
        Self { template, rules: Vec::new(), ticket_limits: TicketLimits::default() }
    }

    /// Whether a rule or limit names the ticket type.
    #[must_use]
    pub fn names(&self, ticket_type: &TicketTypeId) -> bool {
        self.rules.iter().any(|rule| rule.price_points.contains(ticket_type))
            || self.ticket_limits.per_type.iter().any(|limit| limit.ticket_type == *ticket_type)
    }
}

/// The id of a template's rules, which follows from that of the template.
#[must_use]
pub fn rule_set_id(template: &TemplateId) -> RuleSetId {
    RuleSetId::from_bytes(derived_id(template.as_str(), "ruleSet", 0))
}

impl EntitlementRule {
    fn is_for(&self, level: &LevelId, ticket_type: &TicketTypeId) -> bool {
        (self.levels.is_empty() || self.levels.contains(level))
            && (self.price_points.is_empty() || self.price_points.contains(ticket_type))
    }
}

impl Period {
    /// The period a visit falls into, by a name of its own.
    #[must_use]
    pub fn containing(self, visit: Timestamp, zone: Zone) -> String {
        let day = zone.date(visit);
        match self {
            Self::Day => format!("day-{day}"),
            Self::Week => {
                let since_sunday = u64::from(day.weekday().num_days_from_sunday());
                format!("week-{}", day.checked_sub_days(Days::new(since_sunday)).unwrap_or(day))
            }
            Self::Month => format!("month-{}", day.format("%Y-%m")),
            Self::Year => format!("year-{}", day.format("%Y")),
            Self::Lifetime => "lifetime".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
