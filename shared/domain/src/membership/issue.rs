//! The memberships and cards that a sale makes, decided before it is secured, so that whoever settles the order
//! writes the same.

use super::held::{Bought, Ended, LaterTerm, Plan};
use super::term::Term;
use super::{CardStanding, CardType, MemberCard, Membership, MembershipAction};
use crate::customer::Person;
use crate::verification::is_same_name;
use crate::{CardId, CustomerId, MembershipId, Timestamp, Zone};
use chrono::Datelike;
use serde::{Deserialize, Serialize};

/// Someone who is to hold a card (spec §2.5 `membershipCards`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardHolder {
    /// Which card.
    pub card_type: CardType,
    /// Name and address, as far as they were sent.
    pub person: Person,
    /// The customer the holder was said to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<CustomerId>,
}

impl CardHolder {
    /// First name, last name and one of zip code, e-mail and phone number are there (spec §2.5).
    #[must_use]
    pub fn is_complete_primary(&self) -> bool {
        let Person { email, phone_number, zip_code, .. } = &self.person;
        self.is_named() && [email, phone_number, zip_code].iter().any(|field| field.is_some())
    }

    /// First and last name are there.
    #[must_use]
    pub fn is_named(&self) -> bool {
        !self.person.first_name.is_empty() && !self.person.last_name.is_empty()
    }
}

/// The identifiers of a membership that comes into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMembership {
    /// Its id.
    pub id: MembershipId,
    /// Its number; one that takes another's place keeps that one's.
    pub number: MembershipId,
    /// The customer its primary holder becomes.
    pub holder: Option<CustomerId>,
}

/// What a sale does to memberships.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembershipChange {
    /// The membership it was done with, as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Membership>,
    /// The membership that is held afterwards.
    pub after: Membership,
    /// The membership whose place it took, as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<Membership>,
}

/// What memberships are made from.
#[derive(Debug)]
pub struct Issue<'a> {
    /// What is done.
    pub action: MembershipAction,
    /// What is bought.
    pub plan: Plan,
    /// The term it comes to.
    pub term: Term,
    /// The identifiers of a new membership.
    pub ids: NewMembership,
    /// The membership it is done with.
    pub current: Option<&'a Membership>,
    /// Who is to hold cards.
    pub holders: &'a [CardHolder],
    /// How it is paid for.
    pub bought: Bought,
    /// The moment of sale.
    pub now: Timestamp,
    /// The tenant's zone.
    pub zone: Zone,
}

/// What is said to have changed a membership that was sold.
const SELLER: &str = "online";

/// Decides what becomes of memberships. `draw` gives each new card its id and its barcode.
///
/// # Errors
/// Those of `draw`.
pub fn issue<E>(
    issue: &Issue<'_>,
    draw: impl FnMut() -> Result<(CardId, String), E>,
) -> Result<MembershipChange, E> {
    let before = issue.current.map(|membership| membership.clone().as_of(issue.now));
    let cards = cards_of(before.as_ref(), issue, draw)?;
    let Some(current) = &before else {
        return Ok(MembershipChange { before: None, after: first(issue, cards), retired: None });
    };
    let (after, retired) = match issue.action {
        MembershipAction::Upgrade | MembershipAction::Downgrade => {
            (moved(issue, current, cards), Some(retired(issue, current)))
        }
        MembershipAction::Purchase
        | MembershipAction::Renewal(_)
        | MembershipAction::PostTermRenewal(_)
        | MembershipAction::Rejoin(_) => (renewed(issue, current, cards), None),
    };
    Ok(MembershipChange { before: issue.current.cloned(), after, retired })
}

fn first(issue: &Issue<'_>, cards: Vec<MemberCard>) -> Membership {
    let Plan { level, offering, price_point } = issue.plan.clone();
    let started = issue.term.starts(issue.zone);
    Membership {
        id: issue.ids.id,
        number: issue.ids.number,
        level,
        offering,
        price_point,
        external_id: None,
        joined: started,
        started,
        expires: issue.term.ends(issue.zone),
        anchor_day: Some(issue.term.first.day()),
        later: Vec::new(),
        ended: None,
        bought: Some(issue.bought.clone()),
        cards,
        created_at: issue.now,
        updated_at: issue.now,
        updated_by: Some(SELLER.to_owned()),
    }
}

/// The membership that takes another's place for the rest of its term. What was paid ahead stays.
fn moved(issue: &Issue<'_>, current: &Membership, cards: Vec<MemberCard>) -> Membership {
    let Plan { level, offering, price_point } = issue.plan.clone();
    Membership {
        id: issue.ids.id,
        level,
        offering,
        price_point,
        started: issue.term.starts(issue.zone),
        anchor_day: Some(current.anchor(issue.zone)),
        bought: Some(issue.bought.clone()),
        cards,
        created_at: issue.now,
        updated_at: issue.now,
        updated_by: Some(SELLER.to_owned()),
        ..current.clone()
    }
}

/// The membership whose place was taken: its cards find nobody any more.
fn retired(issue: &Issue<'_>, current: &Membership) -> Membership {
    let replaced = |card: &MemberCard| match card.standing {
        CardStanding::Dropped => card.clone(),
        CardStanding::New | CardStanding::Active | CardStanding::Lapsed | CardStanding::Replaced => {
            MemberCard { standing: CardStanding::Replaced, ..card.clone() }
        }
    };
    Membership {
        ended: Some(Ended { at: issue.now, into: Some(issue.ids.id) }),
        later: Vec::new(),
        cards: current.cards.iter().map(replaced).collect(),
        updated_at: issue.now,
        updated_by: Some(SELLER.to_owned()),
        ..current.clone()
    }
}

/// The same membership with another term: behind its last one, or, where that is over, in its place.
fn renewed(issue: &Issue<'_>, current: &Membership, cards: Vec<MemberCard>) -> Membership {
    let (starts, ends) = (issue.term.starts(issue.zone), issue.term.ends(issue.zone));
    let kept = Membership {
        cards,
        bought: Some(issue.bought.clone()),
        updated_at: issue.now,
        updated_by: Some(SELLER.to_owned()),
        ..current.clone()
    };
    let goes_on = super::term::plus_days(issue.zone.date(current.ends()), 1) == issue.term.first;
    if goes_on {
        let anchor_day = Some(current.anchor(issue.zone));
        let kept = Membership { anchor_day, ..kept };
        return kept.followed_by(LaterTerm { plan: issue.plan.clone(), starts, ends }).as_of(issue.now);
    }
    let Plan { level, offering, price_point } = issue.plan.clone();
    Membership {
        level,
        offering,
        price_point,
        started: starts,
        expires: ends,
        anchor_day: Some(issue.term.first.day()),
        later: Vec::new(),
        ..kept
    }
}

/// The cards afterwards: those that were there, each with what was sent of its holder, and new ones.
fn cards_of<E>(
    before: Option<&Membership>,
    issue: &Issue<'_>,
    mut draw: impl FnMut() -> Result<(CardId, String), E>,
) -> Result<Vec<MemberCard>, E> {
    let mut cards = before.map(|membership| membership.cards.clone()).unwrap_or_default();
    for holder in issue.holders {
        let of_primary = issue.ids.holder.filter(|_| holder.card_type == CardType::Primary);
        let customer = holder.customer.or(of_primary);
        let known = cards.iter_mut().find(|card| card.is_held() && is_same_card(card, holder));
        if let Some(card) = known {
            card.person = holder.person.clone();
            card.customer = customer.or(card.customer);
            continue;
        }
        let (id, barcode) = draw()?;
        let CardHolder { card_type, person, customer: _ } = holder.clone();
        cards.push(MemberCard { id, card_type, standing: CardStanding::Active, person, barcode, customer });
    }
    Ok(cards)
}

/// Whether a card is the one a holder was sent for: the primary card, or the secondary card of that name.
fn is_same_card(card: &MemberCard, holder: &CardHolder) -> bool {
    match (card.card_type, holder.card_type) {
        (CardType::Primary, CardType::Primary) => true,
        (CardType::Secondary, CardType::Secondary) => {
            is_same_name(&card.person.first_name, &holder.person.first_name)
                && is_same_name(&card.person.last_name, &holder.person.last_name)
        }
        (CardType::Primary, CardType::Secondary) | (CardType::Secondary, CardType::Primary) => false,
    }
}

/// How many cards are held after these holders have got theirs.
#[must_use]
pub fn held_cards(before: Option<&Membership>, holders: &[CardHolder]) -> usize {
    let held: Vec<&MemberCard> =
        before.iter().flat_map(|found| found.cards.iter().filter(|card| card.is_held())).collect();
    let is_new = |holder: &&CardHolder| !held.iter().any(|card| is_same_card(card, holder));
    held.len().saturating_add(holders.iter().filter(is_new).count())
}

/// Whether the holders that were sent may act for a membership: its primary card stays in the family, so that
/// nobody takes over another's by its number.
#[must_use]
pub fn is_holders_own(membership: &Membership, holders: &[CardHolder]) -> bool {
    let mut primaries = holders.iter().filter(|holder| holder.card_type == CardType::Primary);
    primaries.all(|primary| {
        let mut held = membership.cards.iter().filter(|card| card.is_held());
        held.any(|card| is_same_name(&card.person.last_name, &primary.person.last_name))
    })
}

#[cfg(test)]
mod tests;
