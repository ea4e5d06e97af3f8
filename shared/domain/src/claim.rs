//! Who may claim to be a member (decision record 0106): which of the memberships and levels that a request names
//! count. What does not count is treated as if nobody had it, and is not even looked up.

use crate::cart_request::{CartTerms, ClaimProblem, RefusedClaims, Wanted};
use crate::membership::Membership;
use crate::tenant::ClaimRule;
use crate::{LevelId, MembershipId};
use std::collections::BTreeMap;

/// What a caller has to show for its claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// What applies to the caller.
    pub rule: ClaimRule,
    /// The numbers of the memberships that its proofs name, by their ids and by the numbers themselves. What is read
    /// under either has to have that number: the id of one membership may be the number of another.
    pub proven: BTreeMap<MembershipId, MembershipId>,
}

impl Evidence {
    /// Someone who shows nothing.
    #[must_use]
    pub const fn none(rule: ClaimRule) -> Self {
        Self { rule, proven: BTreeMap::new() }
    }

    /// Whether the caller proved to be of this membership.
    #[must_use]
    pub fn proves(&self, sent: MembershipId) -> bool {
        self.proven.contains_key(&sent)
    }

    /// Whether the membership that was found is the one that was proven, if any was.
    #[must_use]
    pub fn agrees(&self, sent: MembershipId, found: &Membership) -> bool {
        self.proven.get(&sent).is_none_or(|number| *number == found.number)
    }

    /// Whether a membership that the request itself names counts.
    #[must_use]
    pub fn admits(&self, sent: MembershipId) -> bool {
        match self.rule {
            ClaimRule::None => false,
            ClaimRule::Proof => self.proves(sent),
            ClaimRule::Any => true,
        }
    }

    /// Why what is not admitted does not count.
    #[must_use]
    pub const fn problem(&self) -> ClaimProblem {
        match self.rule {
            ClaimRule::None => ClaimProblem::NotAccepted,
            ClaimRule::Proof | ClaimRule::Any => ClaimProblem::ProofNeeded,
        }
    }

    /// What of a cart's claims does not count. What did not count when the cart was written counts later only for
    /// who proves it: nobody's word is made good by somebody else who pays.
    #[must_use]
    pub fn refuse<'a>(
        &self,
        terms: &CartTerms,
        lines: impl IntoIterator<Item = &'a Wanted>,
    ) -> RefusedClaims {
        let counts = |sent: MembershipId| match self.rule {
            ClaimRule::None => false,
            ClaimRule::Proof => self.proves(sent),
            ClaimRule::Any => self.proves(sent) || !terms.refused.memberships.contains(&sent),
        };
        let mut named = terms.membership_ids.clone();
        let mut bought: Vec<&LevelId> = Vec::new();
        for line in lines {
            if let Wanted::Membership(wanted) = line {
                named.extend(wanted.membership);
                bought.push(&wanted.plan.level);
            }
        }
        let mut memberships: Vec<MembershipId> = Vec::new();
        for sent in named {
            if !counts(sent) && !memberships.contains(&sent) {
                memberships.push(sent);
            }
        }
        let level = terms.membership_category.as_ref().filter(|_| match self.rule {
            ClaimRule::None | ClaimRule::Proof => true,
            ClaimRule::Any => terms.refused.level,
        });
        // A level means nothing beside a membership that counts, or beside one of that level that is bought.
        let is_member = terms.membership_ids.iter().any(|sent| counts(*sent));
        let is_missed = level.is_some_and(|level| !is_member && !bought.contains(&level));
        let problem = (is_missed || !memberships.is_empty()).then(|| self.problem());
        RefusedClaims { memberships, level: level.is_some(), problem }
    }
}

impl CartTerms {
    /// The terms with what of their claims does not count on this evidence.
    #[must_use]
    pub fn claimed_with<'a>(self, evidence: &Evidence, lines: impl IntoIterator<Item = &'a Wanted>) -> Self {
        let refused = evidence.refuse(&self, lines);
        Self { refused, ..self }
    }
}

#[cfg(test)]
mod tests;
