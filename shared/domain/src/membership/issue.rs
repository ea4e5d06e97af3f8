//! The memberships and cards that a sale makes, decided before it is secured, so that whoever settles the order
//! writes the same.

use super::held::{Bought, Ended, Gifter, LaterTerm, MembershipPlan};
use super::term::Term;
use super::{CardStanding, CardType, MemberCard, Membership, MembershipAction};
use crate::compare::is_same_name;
use crate::customer::{Customer, Person};
use crate::{CardId, CustomerId, MembershipId, Timestamp, Zone};
use chrono::Datelike;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Someone who is to hold a card (spec §2.5 `membershipCards`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardHolder {
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMembership {
    pub id: MembershipId,
    /// Its number; one that takes another's place keeps that one's.
    pub number: MembershipId,
    /// The customers that its holders become, holder by holder; none for one who cannot be a customer.
    pub holders: Vec<Option<CustomerId>>,
    /// The customer that a new giver becomes.
    pub giver: Option<CustomerId>,
}

/// What a sale does to memberships.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembershipChange {
    /// The membership it was done with, as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Membership>,
    /// The membership that is held afterwards.
    pub after: Membership,
    /// The cards that are made: whoever bought them may see these, and no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<CardId>,
    /// The membership whose place it took, as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<Membership>,
    /// The people of it who become customers by it (decision record 0078).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub customers: Vec<Customer>,
}

impl MembershipChange {
    /// The memberships as they are written when their order is settled, which is when they are changed or made.
    #[must_use]
    pub fn settled(&self, now: Timestamp) -> Vec<Membership> {
        let is_new = self.before.as_ref().is_none_or(|before| before.id != self.after.id);
        let created_at = if is_new { now } else { self.after.created_at };
        let after = Membership { created_at, updated_at: now, ..self.after.clone() };
        let retired = self.retired.clone().map(|retired| Membership { updated_at: now, ..retired });
        std::iter::once(after).chain(retired).collect()
    }
}

/// What memberships are made from.
#[derive(Debug)]
pub struct Issue<'a> {
    /// What is done.
    pub action: MembershipAction,
    /// What is bought.
    pub plan: MembershipPlan,
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

/// Decides what becomes of memberships. `generate` gives each new card its id and its barcode.
///
/// # Errors
/// Those of `generate`.
pub fn issue<E>(
    issue: &Issue<'_>,
    generate: impl FnMut() -> Result<(CardId, String), E>,
) -> Result<MembershipChange, E> {
    let before = issue.current.map(|membership| membership.clone().as_of(issue.now));
    let Holdings { cards, made, customers } = holdings(before.as_ref(), issue, generate)?;
    let Some(current) = &before else {
        let after = first(issue, cards);
        return Ok(MembershipChange { before: None, after, made, retired: None, customers });
    };
    let (after, retired) = match issue.action.makes_membership() {
        true => (moved(issue, current, cards), Some(retired(issue, current))),
        false => (renewed(issue, current, cards), None),
    };
    Ok(MembershipChange { before: issue.current.cloned(), after, made, retired, customers })
}

fn first(issue: &Issue<'_>, cards: Vec<MemberCard>) -> Membership {
    let MembershipPlan { level, offering, price_point } = issue.plan.clone();
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
    let MembershipPlan { level, offering, price_point } = issue.plan.clone();
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
    let mut kept =
        Membership { cards, updated_at: issue.now, updated_by: Some(SELLER.to_owned()), ..current.clone() };
    let bought = Some(issue.bought.clone());
    let goes_on = super::term::plus_days(issue.zone.date(current.ends()), 1) == issue.term.first;
    if goes_on {
        kept.anchor_day = Some(current.anchor(issue.zone));
        kept.later.push(LaterTerm { plan: issue.plan.clone(), bought, starts, ends });
        return kept.as_of(issue.now);
    }
    let MembershipPlan { level, offering, price_point } = issue.plan.clone();
    Membership {
        level,
        offering,
        price_point,
        started: starts,
        expires: ends,
        anchor_day: Some(issue.term.first.day()),
        later: Vec::new(),
        bought,
        ..kept
    }
}

/// The cards of a membership after a sale.
struct Holdings {
    cards: Vec<MemberCard>,
    /// Those that are new.
    made: Vec<CardId>,
    /// The holders who become customers, and the giver.
    customers: Vec<Customer>,
}

/// The cards afterwards. What is known of the holder of a card stays; what was sent fills the gaps, so that nobody
/// who knows a number and a name puts another address in the place of the member's.
fn holdings<E>(
    before: Option<&Membership>,
    issue: &Issue<'_>,
    mut generate: impl FnMut() -> Result<(CardId, String), E>,
) -> Result<Holdings, E> {
    let cards = before.map(|membership| membership.cards.clone()).unwrap_or_default();
    let places = known_cards(&cards, issue.holders);
    let mut holdings = Holdings { cards, made: Vec::new(), customers: new_giver(issue).collect() };
    let becoming = issue.ids.holders.iter().copied().chain(std::iter::repeat(None));
    for ((holder, known), becomes) in issue.holders.iter().zip(places).zip(becoming) {
        let CardHolder { card_type, person, customer: named } = holder.clone();
        let (person, linked) = match known.and_then(|place| holdings.cards.get_mut(place)) {
            Some(card) => {
                card.person.complete(&person);
                let linked = card.customer.or(named);
                card.customer = linked.or(becomes);
                (card.person.clone(), linked)
            }
            None => {
                let ((id, barcode), standing) = (generate()?, CardStanding::Active);
                let (person, customer) = (person.clone(), named.or(becomes));
                holdings.cards.push(MemberCard { id, card_type, standing, person, barcode, customer });
                holdings.made.push(id);
                (holder.person.clone(), named)
            }
        };
        let becomes = becomes.filter(|_| linked.is_none());
        holdings.customers.extend(becomes.map(|id| Customer { id, person, source: None }));
    }
    Ok(holdings)
}

/// The giver, who becomes a customer unless an existing one was named.
fn new_giver(issue: &Issue<'_>) -> impl Iterator<Item = Customer> {
    let giver = issue.ids.giver.zip(issue.bought.giver.as_ref());
    let customer =
        |id, giver: &Gifter| Customer { id, person: giver.person.clone(), source: giver.source.clone() };
    giver.map(|(id, giver)| customer(id, giver)).into_iter()
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

/// For each holder the place of the held card it is sent for, if there is one; a card is one holder's at most.
fn known_cards(cards: &[MemberCard], holders: &[CardHolder]) -> Vec<Option<usize>> {
    let mut taken = BTreeSet::new();
    let mut known = Vec::with_capacity(holders.len());
    for holder in holders {
        let mut free =
            cards.iter().enumerate().filter(|(place, card)| card.is_held() && !taken.contains(place));
        let place = free.find(|(_, card)| is_same_card(card, holder)).map(|(place, _)| place);
        taken.extend(place);
        known.push(place);
    }
    known
}

/// How many cards are held after these holders have got theirs.
#[must_use]
pub fn held_cards(before: Option<&Membership>, holders: &[CardHolder]) -> usize {
    let cards = before.map(|membership| membership.cards.as_slice()).unwrap_or_default();
    let held = cards.iter().filter(|card| card.is_held()).count();
    held.saturating_add(known_cards(cards, holders).iter().filter(|known| known.is_none()).count())
}

/// Whether a primary holder may act for a membership: by the name on its primary card, or on any of its cards where
/// it came here without a primary one, so that the number of a membership alone changes nothing.
#[must_use]
pub fn is_holders_own(membership: &Membership, primary: &Person) -> bool {
    let held = membership.cards.iter().filter(|card| card.is_held());
    let of_primary = held.clone().find(|card| card.card_type == CardType::Primary);
    let is_own = |card: &MemberCard| {
        is_same_name(&card.person.first_name, &primary.first_name)
            && is_same_name(&card.person.last_name, &primary.last_name)
    };
    of_primary.map_or_else(|| held.clone().any(is_own), is_own)
}

#[cfg(test)]
pub(crate) mod tests;
