//! Who is a member (spec §4.7; contract §9).
//!
//! Our choice: whoever names a membership without the last name on a card learns where it stands and for how
//! long, and nothing of the person. See decision record 0047.

use crate::Timestamp;
use crate::compare::{is_same_code, is_same_name};
use crate::membership::force::MembershipStanding;
use crate::membership::{CardStanding, MemberCard, Membership};

/// How much may be told of a card's holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acquaintance {
    /// The caller named the last name on the card.
    Named,
    /// The caller named another name.
    Misnamed,
    /// The caller named none.
    Unnamed,
    /// The caller may know the holder anyway: as staff, or because the holder asked.
    Known,
}

/// A card that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifiedCard<'a> {
    pub membership: &'a Membership,
    pub card: &'a MemberCard,
    /// Where the membership stands.
    pub membership_standing: MembershipStanding,
    /// Where the card stands.
    pub card_standing: CardStanding,
    /// How much may be told of its holder.
    pub acquaintance: Acquaintance,
}

impl<'a> VerifiedCard<'a> {
    /// A card as it is shown to who may know its holder.
    #[must_use]
    pub fn known(membership: &'a Membership, card: &'a MemberCard, now: Timestamp) -> Self {
        Self {
            membership,
            card,
            membership_standing: membership.standing(now),
            card_standing: card.standing_at(membership, now),
            acquaintance: Acquaintance::Known,
        }
    }
}

/// The cards that a text and perhaps a last name verify, among the memberships the text finds: the card with
/// that barcode, else every card of the membership. Cards given up or replaced verify nobody.
#[must_use]
pub fn verify<'a>(
    found: &'a [Membership],
    sent: &str,
    last_name: Option<&str>,
    now: Timestamp,
) -> Vec<VerifiedCard<'a>> {
    let mut verified = Vec::new();
    for membership in found {
        let by_barcode = |card: &MemberCard| is_same_code(&card.barcode, sent);
        let named_by_card = !is_named_by(membership, sent) && membership.cards.iter().any(by_barcode);
        let held = membership.cards.iter().filter(|card| card.is_held());
        let cards = held.filter(|card| !named_by_card || by_barcode(card));
        verified.extend(cards.map(|card| VerifiedCard {
            membership,
            card,
            membership_standing: membership.standing(now),
            card_standing: card.standing_at(membership, now),
            acquaintance: match last_name {
                None => Acquaintance::Unnamed,
                Some(name) if is_same_name(name, &card.person.last_name) => Acquaintance::Named,
                Some(_) => Acquaintance::Misnamed,
            },
        }));
    }
    // Whoever is named comes first.
    verified.sort_by_key(|one| one.acquaintance != Acquaintance::Named);
    verified
}

/// True when the text is the membership's own number, or the venue's for it.
fn is_named_by(membership: &Membership, sent: &str) -> bool {
    let external = membership.external_id.as_deref();
    membership.number.to_string() == sent || external.is_some_and(|external| is_same_code(external, sent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::plus_secs;

    fn now() -> Timestamp {
        "2027-05-01T14:00:00Z".parse().unwrap()
    }

    /// A membership from ten days ago for so many more seconds, with cards of these people and standings.
    fn membership(expires_in: i64, cards: &[(&str, &str, CardStanding)]) -> Membership {
        let cards: Vec<serde_json::Value> = (1..)
            .zip(cards)
            .map(|(id, (last_name, barcode, standing))| {
                serde_json::json!({"id": id, "standing": standing, "barcode": barcode,
                    "person": {"first_name": "Ada", "last_name": last_name}})
            })
            .collect();
        serde_json::from_value(serde_json::json!({
            "id": 7, "number": 4711, "external_id": "HM-1", "level": "bb0000000000000000000001",
            "offering": "bf", "price_point": "aa0000000000000000000001", "cards": cards,
            "joined": plus_secs(now(), -864_000), "started": plus_secs(now(), -864_000),
            "expires": plus_secs(now(), expires_in),
        }))
        .unwrap()
    }

    #[test]
    fn a_membership_lapses_when_its_last_instant_is_over() {
        for (expires_in, membership_standing, card_standing) in [
            (1, MembershipStanding::Active, CardStanding::Active),
            (0, MembershipStanding::Active, CardStanding::Active),
            (-1, MembershipStanding::Lapsed, CardStanding::Lapsed),
        ] {
            let found = membership(expires_in, &[("Smith", "1", CardStanding::Active)]);
            assert_eq!(found.standing(now()), membership_standing);
            assert_eq!(found.cards[0].standing_at(&found, now()), card_standing);
        }
        let mut early = membership(60, &[("Smith", "1", CardStanding::Active)]);
        early.started = plus_secs(now(), 30);
        assert_eq!(early.cards[0].standing_at(&early, now()), CardStanding::New);
    }

    #[test]
    fn a_number_finds_every_card_that_is_held_and_a_barcode_its_own() {
        let found = [membership(
            60,
            &[
                ("Smith", "b1", CardStanding::Active),
                ("Jones", "b2", CardStanding::Active),
                ("Old", "b3", CardStanding::Dropped),
            ],
        )];
        let names = |sent: &str, name: Option<&str>| {
            let verified = verify(&found, sent, name, now());
            let told = verified.iter().map(|one| (one.card.person.last_name.clone(), one.acquaintance));
            told.collect::<Vec<_>>()
        };
        let both = [("Smith".to_owned(), Acquaintance::Unnamed), ("Jones".to_owned(), Acquaintance::Unnamed)];
        assert_eq!(names("4711", None), both);
        assert_eq!(names("HM-1", None), both);
        assert_eq!(names("b2", None), [("Jones".to_owned(), Acquaintance::Unnamed)]);
        assert_eq!(
            names("4711", Some("JONES")),
            [("Jones".to_owned(), Acquaintance::Named), ("Smith".to_owned(), Acquaintance::Misnamed)]
        );
        assert_eq!(names("b3", None), []);
    }
}
