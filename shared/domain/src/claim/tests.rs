use super::*;
use crate::cart_request::WantedMembership;
use proptest::prelude::*;
use serde_json::json;

fn id(number: i64) -> MembershipId {
    MembershipId::parse(number).unwrap()
}

fn level(number: u8) -> LevelId {
    LevelId::parse(&format!("level-{number}")).unwrap()
}

fn terms(memberships: &[i64], level: Option<LevelId>) -> CartTerms {
    let membership_ids = memberships.iter().copied().map(id).collect();
    CartTerms { membership_ids, membership_category: level, ..CartTerms::default() }
}

/// A line that does something with a membership, at a level.
fn line(membership: Option<i64>, at: LevelId) -> Wanted {
    let action = match membership {
        Some(_) => json!({"action": "renewal", "move": "stay"}),
        None => json!({"action": "purchase"}),
    };
    let wanted = json!({
        "action": action, "membership": membership,
        "plan": {"level": at, "offering": "1d2c3b4a59687786a5b4c3d2e1f00f1e", "price_point": "adult"},
    });
    let wanted: WantedMembership = serde_json::from_value(wanted).unwrap();
    Wanted::Membership(Box::new(wanted))
}

fn evidence(rule: ClaimRule, proven: &[i64]) -> Evidence {
    Evidence { rule, proven: proven.iter().map(|number| (id(*number), id(*number))).collect() }
}

#[test]
fn what_does_not_count_is_told_once_with_its_reason() {
    use ClaimProblem::{NotAccepted, ProofNeeded};
    use ClaimRule::{Any, Proof};
    for (case, evidence, terms, lines, refused, problem) in [
        ("nothing is claimed", evidence(Proof, &[]), terms(&[], None), vec![], vec![], None),
        ("a number", evidence(Proof, &[]), terms(&[7], None), vec![], vec![7], Some(ProofNeeded)),
        ("proven", evidence(Proof, &[7]), terms(&[7], None), vec![], vec![], None),
        ("one of two", evidence(Proof, &[7]), terms(&[8, 7, 8], None), vec![], vec![8], Some(ProofNeeded)),
        ("a word", evidence(Any, &[]), terms(&[7, 8], Some(level(1))), vec![], vec![], None),
        (
            "not even a proof",
            evidence(ClaimRule::None, &[7]),
            terms(&[7], None),
            vec![],
            vec![7],
            Some(NotAccepted),
        ),
        (
            "a level alone",
            evidence(Proof, &[7]),
            terms(&[], Some(level(1))),
            vec![],
            vec![],
            Some(ProofNeeded),
        ),
        ("a level beside a member", evidence(Proof, &[7]), terms(&[7], Some(level(1))), vec![], vec![], None),
        (
            "the level that is bought",
            evidence(Proof, &[]),
            terms(&[], Some(level(1))),
            vec![line(None, level(1))],
            vec![],
            None,
        ),
        (
            "another's renewal",
            evidence(Proof, &[7]),
            terms(&[7], None),
            vec![line(Some(9), level(1))],
            vec![9],
            Some(ProofNeeded),
        ),
        (
            "the own renewal",
            evidence(Proof, &[7]),
            terms(&[], None),
            vec![line(Some(7), level(1))],
            vec![],
            None,
        ),
    ] {
        let found = evidence.refuse(&terms, &lines);
        let expected: Vec<MembershipId> = refused.into_iter().map(id).collect();
        assert_eq!((found.memberships, found.problem), (expected, problem), "{case}");
    }
}

#[test]
fn nobodys_word_is_made_good_by_who_pays() {
    let page = evidence(ClaimRule::Proof, &[]);
    let written = terms(&[7], Some(level(1))).claimed_with(&page, []);
    let paid = |evidence: &Evidence| written.clone().claimed_with(evidence, []);
    let by_server = paid(&evidence(ClaimRule::Any, &[]));
    assert_eq!(by_server.claimed_memberships().count(), 0);
    assert_eq!(by_server.claimed_level(), None);
    // Who proves it at last is the member.
    for rule in [ClaimRule::Any, ClaimRule::Proof] {
        let proven = paid(&evidence(rule, &[7]));
        assert_eq!(proven.claimed_memberships().collect::<Vec<_>>(), [id(7)]);
    }
    // What a server wrote, a page that pays has to prove.
    let written = terms(&[7], None).claimed_with(&evidence(ClaimRule::Any, &[]), []);
    assert_eq!(written.claimed_with(&page, []).claimed_memberships().count(), 0);
}

#[test]
fn a_level_means_nothing_beside_memberships_that_do_not_count() {
    let found = terms(&[7], Some(level(1)));
    let refused = RefusedClaims { memberships: vec![id(7)], ..RefusedClaims::default() };
    assert_eq!(CartTerms { refused, ..found.clone() }.claimed_level(), None);
    assert_eq!(found.claimed_level(), Some(&level(1)));
}

fn some_terms() -> impl Strategy<Value = (CartTerms, Vec<Wanted>)> {
    let named = prop::collection::vec(1_i64..6, 0..4);
    let lines = prop::collection::vec((prop::option::of(1_i64..6), 1_u8..3), 0..3);
    (named, prop::option::of(1_u8..3), lines).prop_map(|(named, at, lines)| {
        let lines = lines.into_iter().map(|(membership, at)| line(membership, level(at))).collect();
        (terms(&named, at.map(level)), lines)
    })
}

proptest! {
    /// Whatever a page without a proof names, nothing of it counts, and it depends on nothing but that it was named.
    #[test]
    fn who_proves_nothing_is_nobody((terms, lines) in some_terms(), swap in 100_i64..200) {
        let page = evidence(ClaimRule::Proof, &[]);
        let claimed = terms.clone().claimed_with(&page, &lines);
        prop_assert_eq!(claimed.claimed_memberships().count(), 0);
        prop_assert_eq!(claimed.claimed_level(), None);
        for sent in &terms.membership_ids {
            prop_assert!(!claimed.counts(*sent));
        }
        let mut others = terms.clone();
        others.membership_ids.iter_mut().for_each(|sent| *sent = id(sent.get() + swap));
        let others = others.claimed_with(&page, &[]);
        let alone = terms.claimed_with(&page, &[]);
        prop_assert_eq!(others.refused.problem, alone.refused.problem);
        prop_assert_eq!(others.refused.memberships.len(), alone.refused.memberships.len());
    }

    /// More evidence never makes less count, and what counts is proven or taken on somebody's word.
    #[test]
    fn what_counts_is_proven_or_believed(
        (terms, lines) in some_terms(), proven in prop::collection::vec(1_i64..6, 0..4),
    ) {
        let counted = |evidence: &Evidence| -> Vec<MembershipId> {
            terms.clone().claimed_with(evidence, &lines).claimed_memberships().collect()
        };
        let shown = evidence(ClaimRule::Proof, &proven);
        let by_proof = counted(&shown);
        prop_assert!(by_proof.iter().all(|sent| shown.proves(*sent)));
        prop_assert_eq!(counted(&evidence(ClaimRule::None, &proven)), vec![]);
        let on_word = counted(&evidence(ClaimRule::Any, &[]));
        prop_assert_eq!(&on_word, &terms.membership_ids);
        prop_assert!(by_proof.iter().all(|sent| on_word.contains(sent)));
    }
}
