//! Who may claim to be a member (decision record 0106): which of the memberships and levels that a request names
//! count. What does not count is treated as if nobody had it, and is not even looked up.

use crate::cart_request::{CartTerms, Wanted};
use crate::membership::Membership;
use crate::tenant::Scope;
use crate::{LevelId, MembershipId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the callers of one kind of key have to bring to be taken for members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimRule {
    /// Nothing helps: nobody is taken for a member.
    None,
    /// A proof ([`crate::member_proof`]).
    Proof,
    /// Nothing: whatever they name counts.
    Any,
}

impl ClaimRule {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Proof, Self::Any];

    /// The name used in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Proof => "proof",
            Self::Any => "any",
        }
    }

    /// Reads a rule's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// Who of a tenant's storefront may claim to be a member. Unless it is set, a storefront's server has verified whom it
/// names, and a page needs a proof: its key is known to everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemberClaims {
    /// Callers with the key of a server.
    #[serde(rename = "b2c")]
    pub servers: ClaimRule,
    /// Callers with the key of a page.
    #[serde(rename = "b2c-browser")]
    pub pages: ClaimRule,
}

impl Default for MemberClaims {
    fn default() -> Self {
        Self { servers: ClaimRule::Any, pages: ClaimRule::Proof }
    }
}

impl MemberClaims {
    /// True where nothing was set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What applies to callers of a scope; none to those who claim nothing for themselves.
    #[must_use]
    pub const fn rule(&self, scope: Scope) -> ClaimRule {
        match scope {
            Scope::B2c => self.servers,
            Scope::B2cBrowser => self.pages,
            Scope::B2b | Scope::Payment | Scope::Onboard => ClaimRule::None,
        }
    }
}

/// Why a claim does not count, as the visitor is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ClaimProblem {
    /// No proof of it was sent, or one that is over, altered or another tenant's.
    ProofNeeded,
    /// The venue takes no claims from such a caller.
    NotAccepted,
}

impl ClaimProblem {
    /// The code in `memberMessages`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::ProofNeeded => "PROOF_NEEDED",
            Self::NotAccepted => "MEMBERS_NOT_ACCEPTED",
        }
    }
}

/// What a caller has to show for its claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// What applies to the caller.
    pub rule: ClaimRule,
    /// The numbers of the memberships that its proofs name, by their ids and by the numbers themselves. What is read
    /// under either has to have that number: the id of one membership may be the number of another.
    pub proven: BTreeMap<MembershipId, MembershipId>,
}

/// What of a cart's claims does not count, as it was decided when the cart was written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RefusedClaims {
    /// Memberships, as they were named, also by lines that renew or change them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memberships: Vec<MembershipId>,
    /// The level that is named without a membership.
    #[serde(default)]
    pub level: bool,
    /// What the visitor is told; nothing where only a level does not count that the cart's memberships make
    /// meaningless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<ClaimProblem>,
}

impl RefusedClaims {
    /// True where everything that was claimed counts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
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

    /// The memberships that count.
    pub fn claimed_memberships(&self) -> impl Iterator<Item = MembershipId> {
        self.membership_ids.iter().copied().filter(|sent| self.counts(*sent))
    }

    /// Whether a membership counts that the cart or one of its lines names.
    #[must_use]
    pub fn counts(&self, sent: MembershipId) -> bool {
        !self.refused.memberships.contains(&sent)
    }

    /// The level that counts, if one is named. Where memberships are named and none of them counts, no level does:
    /// it would have meant nothing.
    #[must_use]
    pub fn claimed_level(&self) -> Option<&LevelId> {
        let is_meant = self.membership_ids.is_empty() || self.claimed_memberships().next().is_some();
        self.membership_category.as_ref().filter(|_| is_meant && !self.refused.level)
    }
}

#[cfg(test)]
mod tests;
