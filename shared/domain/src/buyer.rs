//! Whose benefits count: the memberships a request names, or a level it names without one (spec §4.1 rule 1,
//! §4.4; contract §4).
//!
//! What a membership gives, and until when, [`crate::membership::force`] says: that its term is over today, or has not
//! begun, says nothing about a visit for which it is in force, and one that has ended gives nothing to any.

use crate::catalog::{MemberDiscount, Template};
use crate::coupon::{Discount, Reduction};
use crate::membership::Membership;
use crate::membership::force::{Grant, Visits};
use crate::{DiscountId, LevelId, MembershipId, TicketTypeId, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whoever browses or buys, by the benefits they claim. Nobody in particular has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buyer {
    claims: Vec<BenefitClaim>,
    /// What memberships that are named gave before they ended.
    lost: Vec<BenefitClaim>,
}

/// Benefits of one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenefitClaim {
    pub level: Arc<LevelId>,
    /// The membership it follows from; none for a level named without one.
    pub membership: Option<MembershipId>,
    /// The visits they are for; none is without limit.
    visits: Option<Visits>,
}

impl BenefitClaim {
    /// The claim that follows from a membership that is bought, for the visits of its term; its id is known once it is
    /// generated.
    #[must_use]
    pub fn bought(level: LevelId, membership: Option<MembershipId>, visits: Visits) -> Self {
        Self { level: Arc::new(level), membership, visits: Some(visits) }
    }

    fn is_for(&self, visit: Timestamp) -> bool {
        self.visits.is_none_or(|visits| visits.include(visit))
    }
}

/// What a template takes off for one claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberPrice<'a> {
    pub claim: &'a BenefitClaim,
    /// What is taken off.
    pub reduction: Reduction,
}

/// A ticket that someone may have a member price for.
#[derive(Debug, Clone, Copy)]
pub struct MemberTicket<'a> {
    /// The template of its event.
    pub template: &'a Template,
    /// What members get off.
    pub discounts: &'a BTreeMap<DiscountId, Discount>,
    pub ticket_type: &'a TicketTypeId,
    /// When the visit is.
    pub visit: Timestamp,
}

/// Why a membership that is named gives nothing to a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotInForce {
    /// It has ended by then.
    Ended,
    /// It has not begun by then.
    NotBegun,
}

/// A membership that would give a member price, were it in force.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missed {
    pub membership: MembershipId,
    pub level: LevelId,
    /// Why it gives none.
    pub why: NotInForce,
}

impl Buyer {
    /// Nobody in particular, without benefits.
    #[must_use]
    pub const fn nobody() -> Self {
        Self { claims: Vec::new(), lost: Vec::new() }
    }

    /// Whoever names these memberships, or this level, at `now`; the level counts only where no membership is named.
    #[must_use]
    pub fn of<'a>(
        memberships: impl IntoIterator<Item = &'a Membership>,
        level: Option<&LevelId>,
        now: Timestamp,
    ) -> Self {
        let (mut claims, mut lost) = (Vec::new(), Vec::new());
        let mut named = false;
        for membership in memberships {
            named = true;
            let gone = membership.is_gone(now);
            let terms = if gone { &mut lost } else { &mut claims };
            for Grant { level, visits } in membership.terms() {
                let claim = BenefitClaim::bought(level.clone(), Some(membership.id), visits);
                if !terms.contains(&claim) {
                    terms.push(claim);
                }
            }
        }
        let level = level.filter(|_| !named);
        let of_level =
            |level: &LevelId| BenefitClaim { level: Arc::new(level.clone()), membership: None, visits: None };
        claims.extend(level.map(of_level));
        // The order in which memberships are named must not matter.
        claims.sort_by(|a, b| (&a.level, a.membership).cmp(&(&b.level, b.membership)));
        Self { claims, lost }
    }

    /// The benefits they claim, over all days.
    pub(crate) fn claims(&self) -> usize {
        self.claims.len()
    }

    /// The buyer with the benefits of memberships that are bought along.
    #[must_use]
    pub fn with(&self, bought: Vec<BenefitClaim>) -> Self {
        let mut claims: Vec<BenefitClaim> = self.claims.clone();
        for claim in bought {
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
        claims.sort_by(|a, b| (&a.level, a.membership).cmp(&(&b.level, b.membership)));
        Self { claims, lost: self.lost.clone() }
    }

    /// Whether the buyer may see and buy what the template offers at that instant.
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
        template: &'a Template,
        discounts: &'a BTreeMap<DiscountId, Discount>,
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

    /// The memberships that were named for nothing: they would give a lower price, and are not in force for the visit.
    /// Each once.
    #[must_use]
    pub fn missed(&self, ticket: &MemberTicket<'_>) -> Vec<Missed> {
        let MemberTicket { template, discounts, ticket_type, visit } = *ticket;
        let grants = |claim: &&BenefitClaim| {
            let mut terms = template.membership.discounts.iter().filter(|terms| terms.level == *claim.level);
            terms.any(|terms| {
                discounts.get(&terms.discount).is_some_and(|found| found.reduction_of(ticket_type).is_some())
            })
        };
        let begins_later = |claim: &BenefitClaim| claim.visits.is_some_and(|visits| visit < visits.first);
        let mut missed: BTreeMap<MembershipId, Missed> = BTreeMap::new();
        let over = self.lost.iter().map(|claim| (claim, NotInForce::Ended));
        let named =
            self.claims.iter().filter(|claim| !claim.is_for(visit)).map(|claim| {
                (claim, if begins_later(claim) { NotInForce::NotBegun } else { NotInForce::Ended })
            });
        for (claim, why) in over.chain(named).filter(|(claim, _)| grants(claim)) {
            let Some(membership) = claim.membership else { continue };
            let level = LevelId::clone(&claim.level);
            // A term that is still to come says more than one that is over.
            let found = missed.entry(membership).or_insert_with(|| Missed { membership, level, why });
            found.why = found.why.max(why);
        }
        missed.into_values().collect()
    }

    fn claims_at(&self, at: Timestamp) -> impl Iterator<Item = &BenefitClaim> {
        self.claims.iter().filter(move |claim| claim.is_for(at))
    }
}
