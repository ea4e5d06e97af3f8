//! Proofs that someone is a member (decision record 0106): a text that names memberships, ends after two hours and is
//! signed by the tenant's key, so that nothing of it has to be stored.

use crate::membership::Membership;
use crate::time::plus_secs;
use crate::{MembershipId, Timestamp};
use std::fmt;

/// How long a proof holds, in seconds.
pub const PROOF_LIFE_SECS: i64 = 7_200;
/// Memberships that one proof names; someone who has more gets several.
pub const MAX_PROVEN: usize = 10;

const SIGNATURE_BYTES: usize = 32;

/// What a proof says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofClaims {
    /// The second at which it ends, since 1970.
    pub expires_secs: i64,
    pub memberships: Vec<ProvenMembership>,
}

/// A membership that is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProvenMembership {
    pub id: MembershipId,
    pub number: MembershipId,
}

impl ProofClaims {
    /// What is said of these memberships from now on; of no more than [`MAX_PROVEN`] of them.
    #[must_use]
    pub fn new<'a>(memberships: impl IntoIterator<Item = &'a Membership>, now: Timestamp) -> Self {
        let named = memberships.into_iter().take(MAX_PROVEN);
        let named = named.map(|found| ProvenMembership { id: found.id, number: found.number });
        let expires_secs = plus_secs(now, PROOF_LIFE_SECS).timestamp();
        Self { expires_secs, memberships: named.collect() }
    }

    /// Whether it still holds.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        now.timestamp() < self.expires_secs
    }

    /// The text that is signed: digits, `.` and `_`.
    #[must_use]
    pub fn text(&self) -> String {
        let named = self.memberships.iter().map(|one| format!("_{}.{}", one.id, one.number));
        named.fold(self.expires_secs.to_string(), |text, one| text + &one)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('_');
        let expires_secs = parts.next()?.parse().ok()?;
        let id = |text: &str| MembershipId::parse(text.parse().ok()?).ok();
        let named = parts.map(|part| {
            let (own, number) = part.split_once('.')?;
            Some(ProvenMembership { id: id(own)?, number: id(number)? })
        });
        let memberships = named.collect::<Option<Vec<_>>>()?;
        (memberships.len() <= MAX_PROVEN).then_some(Self { expires_secs, memberships })
    }
}

/// What it says, with a signature.
#[derive(Clone, PartialEq, Eq)]
pub struct MemberProof {
    /// What it says.
    pub claims: ProofClaims,
    pub signature: [u8; SIGNATURE_BYTES],
}

impl MemberProof {
    /// Reads a proof as [`MemberProof::expose`] writes it; none from any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (claims, signature) = text.split_once('-')?;
        let claims = ProofClaims::parse(claims)?;
        let proof = Self { claims, signature: hex::decode(signature).ok()?.try_into().ok()? };
        // One proof has one text.
        (proof.expose() == text).then_some(proof)
    }

    /// The text that callers send back: digits, lower-case letters, `.`, `_` and `-`.
    #[must_use]
    pub fn expose(&self) -> String {
        format!("{}-{}", self.claims.text(), hex::encode(self.signature))
    }
}

impl fmt::Debug for MemberProof {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("MemberProof(****)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn proof(expires_secs: i64, named: &[(i64, i64)], signature: [u8; 32]) -> MemberProof {
        let id = |number| MembershipId::parse(number).unwrap();
        let named = named.iter().map(|(own, number)| ProvenMembership { id: id(*own), number: id(*number) });
        MemberProof { claims: ProofClaims { expires_secs, memberships: named.collect() }, signature }
    }

    #[test]
    fn a_proof_shows_nothing_when_debugging() {
        assert_eq!(format!("{:?}", proof(1, &[(7, 4711)], [9; 32])), "MemberProof(****)");
    }

    #[test]
    fn a_proof_holds_for_two_hours_to_the_second() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let claims = ProofClaims::new([], now);
        for (secs, live) in [(-1, true), (0, true), (7_199, true), (7_200, false), (90_000, false)] {
            assert_eq!(claims.is_live(plus_secs(now, secs)), live, "{secs}");
        }
    }

    #[test]
    fn other_texts_are_no_proofs() {
        let text = proof(1_800_000_000, &[(7, 4711), (8, 4712)], [0xcd; 32]).expose();
        assert_eq!(&text[..25], "1800000000_7.4711_8.4712-");
        let many: Vec<(i64, i64)> = (1..=11).map(|id| (id, id)).collect();
        for wrong in [
            String::new(),
            "-".to_owned(),
            text[..24].to_owned(),
            format!("{text}-"),
            format!("{text}00"),
            format!(" {text}"),
            text.to_uppercase(),
            text.replace("_7.", "_07."),
            text.replace("_7.", "_+7."),
            text.replace("_7.", "_0."),
            text.replace("_7.4711", "_7"),
            text.replace("cd", "xy"),
            proof(1, &many, [1; 32]).expose(),
        ] {
            assert_eq!(MemberProof::parse(&wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_proof_reads_back_as_it_was_written(
            expires_secs in 0_i64..i64::MAX,
            named in prop::collection::vec((1_i64..1 << 53, 1_i64..1 << 53), 0..=MAX_PROVEN),
            signature: [u8; 32],
        ) {
            let proof = proof(expires_secs, &named, signature);
            prop_assert_eq!(MemberProof::parse(&proof.expose()), Some(proof));
        }
    }
}
