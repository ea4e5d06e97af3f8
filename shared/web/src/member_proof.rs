//! Proofs that someone is a member: made and checked with the tenant's own key (decision record 0106).

use adapters::keyed_hash::HashKey;
use domain::member_proof::{MAX_PROVEN, MemberProof, ProofClaims};
use domain::membership::Membership;
use domain::{TenantId, Timestamp};
use std::fmt;

/// The header that proofs come in.
pub const PROOF_HEADER: &str = "x-service-member-proof";

/// Proofs that one request may send, separated by commas.
const MAX_PROOFS: usize = 10;

/// The text of the header. Whoever has it is taken for the member.
#[derive(Clone, PartialEq, Eq)]
pub struct SentProofs(String);

impl SentProofs {
    /// What a caller sent.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Those of them that read as proofs, whoever made them.
    pub(crate) fn parse(&self) -> impl Iterator<Item = MemberProof> {
        self.0.split(',').take(MAX_PROOFS).filter_map(|text| MemberProof::parse(text.trim()))
    }
}

impl fmt::Debug for SentProofs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SentProofs(****)")
    }
}

const SIGNATURE: &str = "member-proof";

/// The proofs for memberships, one for each [`MAX_PROVEN`] of them: the same however often they are made at one instant.
#[must_use]
pub fn proofs_of(
    tenant: TenantId,
    key: &HashKey,
    memberships: &[&Membership],
    now: Timestamp,
) -> Vec<MemberProof> {
    let prove = |named: &[&Membership]| {
        let claims = ProofClaims::new(named.iter().copied(), now);
        let signature = key.hash(SIGNATURE, &[tenant.to_string().as_bytes(), claims.text().as_bytes()]);
        MemberProof { claims, signature }
    };
    memberships.chunks(MAX_PROVEN).map(prove).collect()
}

/// What a proof says, if it is one of this tenant's and unaltered.
#[must_use]
pub fn read_proof(tenant: TenantId, key: &HashKey, proof: MemberProof) -> Option<ProofClaims> {
    let (tenant, text) = (tenant.to_string(), proof.claims.text());
    let parts: [&[u8]; 2] = [tenant.as_bytes(), text.as_bytes()];
    key.is_hash(&proof.signature, SIGNATURE, &parts).then_some(proof.claims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::plus_secs;

    fn membership(id: i64) -> Membership {
        serde_json::from_value(serde_json::json!({
            "id": id, "number": 4_700 + id, "level": "bb", "offering": "bf", "price_point": "aa", "cards": [],
            "joined": "2027-01-01T00:00:00Z", "started": "2027-01-01T00:00:00Z",
            "expires": "2028-01-01T00:00:00Z",
        }))
        .unwrap()
    }

    #[test]
    fn a_proof_is_read_by_its_own_tenant_alone_and_unaltered() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let [own, other] = [7, 8].map(|id| TenantId::parse(id).unwrap());
        let (key, strange) = (HashKey::new([1; 32]), HashKey::new([2; 32]));
        let found = membership(11);
        let proofs = proofs_of(own, &key, &[&found], now);
        let [proof] = <[MemberProof; 1]>::try_from(proofs).unwrap();
        let read = |tenant, key: &HashKey, text: &str| {
            MemberProof::parse(text).and_then(|proof| read_proof(tenant, key, proof))
        };
        let text = proof.expose();
        assert_eq!(read(own, &key, &text), Some(ProofClaims::new([&found], now)));
        assert_eq!(read(other, &key, &text), None);
        assert_eq!(read(own, &strange, &text), None);
        let later = ProofClaims::new([&found], plus_secs(now, 1));
        let later = MemberProof { claims: later, signature: proof.signature };
        assert_eq!(read(own, &key, &later.expose()), None);
        for place in (0..text.len()).filter(|place| text.as_bytes()[*place].is_ascii_alphanumeric()) {
            let digit = if &text[place..=place] == "1" { "2" } else { "1" };
            let altered = format!("{}{digit}{}", &text[..place], &text[place + 1..]);
            assert_eq!(read(own, &key, &altered), None, "{place}");
        }
    }

    #[test]
    fn proofs_are_never_printed() {
        assert_eq!(format!("{:?}", SentProofs::new("1800000000_7.4711-cd")), "SentProofs(****)");
    }

    #[test]
    fn whoever_has_many_memberships_gets_several_proofs() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let all: Vec<Membership> = (1..=21).map(membership).collect();
        let all: Vec<&Membership> = all.iter().collect();
        let tenant = TenantId::parse(7).unwrap();
        let proofs = proofs_of(tenant, &HashKey::new([1; 32]), &all, now);
        let named: Vec<usize> = proofs.iter().map(|proof| proof.claims.memberships.len()).collect();
        assert_eq!(named, [10, 10, 1]);
    }
}
