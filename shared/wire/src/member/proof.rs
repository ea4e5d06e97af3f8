//! What verifying a member comes to beside the card: proofs, and what a storefront's page is told (decision record
//! 0106).

use super::{MemberView, VerificationView};
use domain::MembershipId;
use domain::member_proof::MemberProof;
use domain::membership::Membership;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use utoipa::ToSchema;

/// The text of a proof: whoever sends it back is taken for the member.
#[derive(Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(value_type = String)]
pub struct ProofText(String);

impl fmt::Debug for ProofText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ProofText(****)")
    }
}

/// The proof for each of some memberships.
#[derive(Debug, Default)]
pub struct ProofTexts(BTreeMap<MembershipId, ProofText>);

impl From<Vec<MemberProof>> for ProofTexts {
    fn from(proofs: Vec<MemberProof>) -> Self {
        let of_one = |proof: &MemberProof| {
            let text = ProofText(proof.expose());
            let named = proof.claims.memberships.iter().map(|one| one.id);
            named.map(|id| (id, text.clone())).collect::<Vec<_>>()
        };
        Self(proofs.iter().flat_map(of_one).collect())
    }
}

impl ProofTexts {
    /// The proof for a membership.
    #[must_use]
    pub fn of(&self, membership: &Membership) -> Option<ProofText> {
        self.0.get(&membership.id).cloned()
    }
}

/// What verifying a member came to, for a server or a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum VerificationAnswer {
    /// For a storefront's server: an entry for each card.
    Server(Vec<VerificationView>),
    /// For a storefront's page.
    Page(PageVerification),
}

/// What a login link opened, for a server or a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum LoginAnswer {
    /// For a storefront's server: an entry for each card.
    Server(Vec<VerificationView>),
    /// For a storefront's page.
    Page(PageLogin),
}

/// What a page is told of a member: nothing of the person. Of several memberships, the dates are those of the one that
/// lasts longest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageVerification {
    /// `verified` or `not_found`.
    pub status: &'static str,
    /// The level's name.
    pub level_name: Option<String>,
    /// When the term began.
    pub start_date: Option<String>,
    /// The last instant that is paid for, or that at which it ends before.
    pub expiration_date: Option<String>,
    /// Makes the memberships count for two hours, where it is sent in the header `x-service-member-proof`.
    pub member_proof: Option<ProofText>,
}

/// What a login link opened, as a page is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PageLogin {
    /// The membership that lasts longest.
    #[serde(flatten)]
    pub longest: PageVerification,
    /// All memberships of the mail's recipient that have not ended.
    pub memberships: Vec<PageMembership>,
}

/// A membership, as a page is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageMembership {
    /// Its number, by which carts name it.
    pub membership_id: i64,
    /// The level's name.
    pub level_name: Option<String>,
    /// When the term began.
    pub start_date: String,
    /// The last instant that is paid for, or that at which it ends before.
    pub expiration_date: String,
    /// The proof that names it.
    pub member_proof: Option<ProofText>,
}

impl PageVerification {
    /// What a page is told of those who hold these memberships.
    #[must_use]
    pub fn of(memberships: &[&Membership], proofs: &ProofTexts, view: &MemberView<'_>) -> Self {
        let longest = memberships.iter().max_by_key(|found| (found.expiration(), found.id));
        let Some(found) = longest.map(|found| PageMembership::of(found, proofs, view)) else {
            return Self {
                status: "not_found",
                level_name: None,
                start_date: None,
                expiration_date: None,
                member_proof: None,
            };
        };
        Self {
            status: "verified",
            level_name: found.level_name,
            start_date: Some(found.start_date),
            expiration_date: Some(found.expiration_date),
            member_proof: found.member_proof,
        }
    }
}

impl PageLogin {
    /// What a page is told of those who hold these memberships.
    #[must_use]
    pub fn of(memberships: &[&Membership], proofs: &ProofTexts, view: &MemberView<'_>) -> Self {
        let each = memberships.iter().map(|found| PageMembership::of(found, proofs, view));
        Self { longest: PageVerification::of(memberships, proofs, view), memberships: each.collect() }
    }
}

impl PageMembership {
    fn of(membership: &Membership, proofs: &ProofTexts, view: &MemberView<'_>) -> Self {
        Self {
            membership_id: membership.number.get(),
            level_name: view.levels.get(&membership.level).map(|level| level.name.clone()),
            start_date: view.zone.format(membership.started),
            expiration_date: view.zone.format(membership.expiration()),
            member_proof: proofs.of(membership),
        }
    }
}
