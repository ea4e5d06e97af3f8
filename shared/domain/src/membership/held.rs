//! What became of a membership beside its current term: terms paid ahead, how it ended early, how it was bought.

use super::Membership;
use crate::customer::Person;
use crate::{LevelId, MembershipId, Money, OfferingId, OrderId, TicketTypeId, Timestamp};
use serde::{Deserialize, Serialize};

/// A term that is paid and has not begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaterTerm {
    /// What is held by then.
    pub plan: MembershipPlan,
    /// How it was paid for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bought: Option<Bought>,
    /// Its first instant.
    pub starts: Timestamp,
    /// Its last instant.
    pub ends: Timestamp,
}

/// What a term is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembershipPlan {
    pub level: LevelId,
    /// The way it was bought.
    pub offering: OfferingId,
    /// The price point it was bought at.
    pub price_point: TicketTypeId,
}

/// A membership that ended before its term was over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// When.
    pub at: Timestamp,
    /// The membership that took its place; none where it was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<MembershipId>,
}

/// How a term was paid for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bought {
    pub order: OrderId,
    /// The price of its plan before any coupon: what an upgrade takes off.
    pub full_price: Money,
    /// What was paid.
    pub paid: Money,
    /// Who gave it, if it was a gift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub giver: Option<Gifter>,
    /// Whether it came with an import. Its order is then in the database that sold it, and need not be in this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// Who gives a membership (spec §2.5 `gifterInfo`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gifter {
    /// An existing customer, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<crate::CustomerId>,
    /// Where a new customer came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Name and address.
    #[serde(default)]
    pub person: Person,
}

impl Membership {
    /// What its current term is of.
    #[must_use]
    pub fn plan(&self) -> MembershipPlan {
        let (level, offering) = (self.level.clone(), self.offering.clone());
        MembershipPlan { level, offering, price_point: self.price_point.clone() }
    }

    /// Who gave it: its current term, or else the last one of those that are paid ahead that was a gift.
    #[must_use]
    pub fn giver(&self) -> Option<&Gifter> {
        let given = |bought: &Option<Bought>| -> bool {
            bought.as_ref().is_some_and(|bought| bought.giver.is_some())
        };
        let later = self.later.iter().map(|term| &term.bought).rfind(|bought| given(bought));
        let bought = if given(&self.bought) { Some(&self.bought) } else { later };
        bought?.as_ref()?.giver.as_ref()
    }

    /// How its terms were paid for.
    pub fn purchases(&self) -> impl Iterator<Item = &Bought> {
        self.bought.iter().chain(self.later.iter().filter_map(|term| term.bought.as_ref()))
    }

    /// The levels of its terms.
    pub fn levels(&self) -> impl Iterator<Item = &LevelId> {
        std::iter::once(&self.level).chain(self.later.iter().map(|term| &term.plan.level))
    }

    /// The last instant of its last term.
    #[must_use]
    pub fn ends(&self) -> Timestamp {
        self.later.last().map_or(self.expires, |term| term.ends)
    }

    /// The plan of its last term.
    #[must_use]
    pub fn last_plan(&self) -> MembershipPlan {
        self.later.last().map_or_else(|| self.plan(), |term| term.plan.clone())
    }

    /// Its current term: one that was paid ahead becomes the current one when it begins.
    #[must_use]
    pub fn as_of(mut self, now: Timestamp) -> Self {
        while self.later.first().is_some_and(|term| term.starts <= now) {
            let LaterTerm { plan, bought, starts, ends } = self.later.remove(0);
            let MembershipPlan { level, offering, price_point } = plan;
            self = Self { level, offering, price_point, bought, started: starts, expires: ends, ..self };
        }
        self
    }
}
