//! Whose benefits count: the memberships a request names, or a level it names without one (spec §4.1 rule 1,
//! §4.4; contract §4).
//!
//! A membership counts on the days of its term, and an event on the day of the visit: that the term is over
//! today, or has not begun, says nothing about a visit for which it is in force.

use crate::catalog::{MemberDiscount, Template};
use crate::coupon::{Discount, Reduction};
use crate::membership::Membership;
use crate::{DiscountId, LevelId, MembershipId, TicketTypeId, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whoever browses or buys, by the benefits they claim. Nobody in particular has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asker {
    claims: Vec<Claim>,
}

/// Benefits of one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The level.
    pub level: Arc<LevelId>,
    /// The membership it follows from; none for a level named without one.
    pub membership: Option<MembershipId>,
    /// The first and last instant of the term; none is without limit.
    term: Option<(Timestamp, Timestamp)>,
}

impl Claim {
    /// The claim that follows from a membership that is bought, for visits between two instants; its id is known
    /// once it is drawn.
    #[must_use]
    pub fn bought(
        (level, membership): (LevelId, Option<MembershipId>),
        term: (Timestamp, Timestamp),
    ) -> Self {
        Self { level: Arc::new(level), membership, term: Some(term) }
    }
}

/// What a template takes off for one claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberPrice<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// What is taken off.
    pub reduction: Reduction,
}

impl Asker {
    /// Nobody in particular, without benefits.
    #[must_use]
    pub const fn nobody() -> Self {
        Self { claims: Vec::new() }
    }

    /// Whoever names these memberships, or this level; the level counts only where no membership is named. A
    /// membership that nobody holds a card of gives nothing.
    #[must_use]
    pub fn of<'a>(memberships: impl IntoIterator<Item = &'a Membership>, level: Option<&LevelId>) -> Self {
        let mut claims: Vec<Claim> = Vec::new();
        let mut named = false;
        for membership in memberships {
            named = true;
            if !membership.is_held() {
                continue;
            }
            let current = (membership.level.clone(), membership.started, membership.expires);
            let later = membership.later.iter().map(|term| (term.plan.level.clone(), term.starts, term.ends));
            for (level, starts, ends) in std::iter::once(current).chain(later) {
                let claim = Claim::bought((level, Some(membership.id)), (starts, ends));
                if !claims.contains(&claim) {
                    claims.push(claim);
                }
            }
        }
        let level = level.filter(|_| !named);
        let of_level =
            |level: &LevelId| Claim { level: Arc::new(level.clone()), membership: None, term: None };
        claims.extend(level.map(of_level));
        // The order in which memberships are named must not matter.
        claims.sort_by(|a, b| (&a.level, a.membership).cmp(&(&b.level, b.membership)));
        Self { claims }
    }

    /// The benefits they claim, over all days.
    pub(crate) fn claims(&self) -> usize {
        self.claims.len()
    }

    /// The asker with the benefits of memberships that are bought along.
    #[must_use]
    pub fn with(&self, bought: Vec<Claim>) -> Self {
        let mut claims: Vec<Claim> = self.claims.clone();
        for claim in bought {
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
        claims.sort_by(|a, b| (&a.level, a.membership).cmp(&(&b.level, b.membership)));
        Self { claims }
    }

    /// Whether the asker may see and buy what the template offers at that instant.
    #[must_use]
    pub fn may_buy(&self, template: &Template, at: Timestamp) -> bool {
        let restrictions = &template.membership.restrictions;
        let any_level = template.all_members_can_purchase || restrictions.is_empty();
        !template.is_for_members()
            || self.claims_at(at).any(|claim| any_level || restrictions.contains(&claim.level))
    }

    /// What the template takes off a ticket type at that instant, for each claim that gets something.
    pub fn member_prices<'a>(
        &'a self,
        (template, discounts): (&'a Template, &'a BTreeMap<DiscountId, Discount>),
        ticket_type: &'a TicketTypeId,
        at: Timestamp,
    ) -> impl Iterator<Item = MemberPrice<'a>> + use<'a> {
        self.claims_at(at).flat_map(move |claim| {
            let granted = template.membership.discounts.iter().filter(|terms| terms.level == *claim.level);
            granted.filter_map(move |MemberDiscount { discount, .. }| {
                let reduction = discounts.get(discount)?.reduction_of(ticket_type)?;
                Some(MemberPrice { claim, reduction })
            })
        })
    }

    fn claims_at(&self, at: Timestamp) -> impl Iterator<Item = &Claim> {
        self.claims
            .iter()
            .filter(move |claim| claim.term.is_none_or(|(first, last)| first <= at && at <= last))
    }
}
