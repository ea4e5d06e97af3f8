//! The memberships of an order (spec §2.5, §2.8 rule 1).

use super::{OrderFacts, OrderFault, amounts_of};
use crate::cart::{Cart, CartLine, MembershipLine, WantedMembership};
use crate::channel::Channel;
use crate::membership::issue::{CardHolder, Issue, is_holders_own, issue};
use crate::membership::{Bought, CardType, Level, Membership, OfferingAction};
use crate::order::{Confirmation, OrderMembershipLine, Person};
use crate::{CardId, LevelId, MembershipId, OrderItemId};
use std::collections::BTreeMap;

/// The identity and barcode of a card that is made.
pub type NewCard = (CardId, String);

/// The memberships of a cart.
pub(super) fn membership_lines(cart: &Cart) -> impl Iterator<Item = &MembershipLine> {
    cart.lines.iter().filter_map(|line| match line {
        CartLine::Membership(line) => Some(line.as_ref()),
        CartLine::Ticket(_) | CartLine::AddOn(_) | CartLine::Donation(_) | CartLine::Combo(_) => None,
    })
}

/// Whom the venue talks to about a membership order (spec §2.8 rule 1): whoever holds the primary card, and of a gift
/// whoever gives it, so that nobody is sent the receipt of what they are given.
pub(super) fn contact_of_memberships(cart: &Cart) -> Option<Person> {
    let of_line = |line: &MembershipLine| match &line.wanted.giver {
        Some(giver) => Some(giver.person.clone()),
        None => {
            let mut holders = line.wanted.holders.iter();
            holders.find(|holder| holder.card_type == CardType::Primary).map(|holder| (&holder.person).into())
        }
    };
    membership_lines(cart).find_map(of_line)
}

/// The numbers of the memberships that a checkout of the cart makes, by their ids: tickets beside them count for
/// the limits of these numbers.
#[must_use]
pub fn new_numbers(
    cart: &Cart,
    changed: &BTreeMap<MembershipId, Membership>,
) -> BTreeMap<MembershipId, MembershipId> {
    let number = |line: &MembershipLine| {
        let drawn = line.wanted.drawn?;
        let before = line.wanted.membership.and_then(|sent| changed.get(&sent));
        Some((drawn.id, before.map_or(drawn.number, |before| before.number)))
    };
    membership_lines(cart).filter_map(number).collect()
}

/// Why a membership cannot be checked out (spec §2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HolderFault {
    /// Not exactly one primary holder.
    OnePrimary,
    /// A primary holder without first name, last name or one of zip code, e-mail and phone number.
    IncompletePrimary,
    /// A secondary holder without first or last name.
    Unnamed,
    /// A primary holder of another name than the primary card of the membership that is renewed or changed.
    OtherHolder,
}

/// A fault of a holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HolderRefusal {
    /// The place of the line among all but combos.
    pub line: usize,
    /// The place of the holder; none for what is wrong with all of them.
    pub holder: Option<usize>,
    /// What is wrong.
    pub fault: HolderFault,
}

/// What holders lack before their memberships can be bought. `changed` has the memberships that lines renew or
/// change, by the ids that were sent.
#[must_use]
pub fn holder_faults(cart: &Cart, changed: &BTreeMap<MembershipId, Membership>) -> Vec<HolderRefusal> {
    let others = cart.lines.iter().filter(|line| !matches!(line, CartLine::Combo(_)));
    let mut faults = Vec::new();
    for (index, line) in others.enumerate() {
        let CartLine::Membership(line) = line else { continue };
        let membership = line.wanted.membership.and_then(|sent| changed.get(&sent));
        let of_line = |(holder, fault)| HolderRefusal { line: index, holder, fault };
        faults.extend(faults_of(&line.wanted.holders, membership).into_iter().map(of_line));
    }
    faults
}

fn faults_of(holders: &[CardHolder], changed: Option<&Membership>) -> Vec<(Option<usize>, HolderFault)> {
    let mut faults = Vec::new();
    let primaries = holders.iter().filter(|holder| holder.card_type == CardType::Primary);
    if primaries.count() != 1 {
        faults.push((None, HolderFault::OnePrimary));
    }
    for (place, holder) in holders.iter().enumerate() {
        let own = changed.is_none_or(|membership| is_holders_own(membership, &holder.person));
        let fault = match holder.card_type {
            CardType::Primary if !holder.is_complete_primary() => HolderFault::IncompletePrimary,
            CardType::Primary if !own => HolderFault::OtherHolder,
            CardType::Secondary if !holder.is_named() => HolderFault::Unnamed,
            CardType::Primary | CardType::Secondary => continue,
        };
        faults.push((Some(place), fault));
    }
    faults
}

/// The row of a membership.
pub(super) fn order_line(
    line: &MembershipLine,
    id: OrderItemId,
    facts: &OrderFacts<'_>,
    cards: &mut impl Iterator<Item = NewCard>,
) -> Result<OrderMembershipLine, OrderFault> {
    let MembershipLine { wanted, term, .. } = line;
    let ids = wanted.drawn.ok_or(OrderFault::TooFewIds)?;
    let current =
        wanted.membership.map(|sent| facts.memberships.get(&sent).ok_or(OrderFault::MembershipGone));
    let bought = Bought {
        order: facts.ids.order.clone(),
        full_price: line.plan_price,
        paid: line.price.amount,
        giver: wanted.giver.clone(),
    };
    let made = Issue {
        action: wanted.action,
        plan: wanted.plan.clone(),
        term: *term,
        ids,
        current: current.transpose()?,
        holders: &wanted.holders,
        bought,
        now: facts.now,
        zone: facts.zone,
    };
    let change = issue(&made, || cards.next().ok_or(OrderFault::TooFewIds))?;
    Ok(OrderMembershipLine {
        id,
        action: wanted.action,
        plan: wanted.plan.clone(),
        level_name: line.level_name.clone(),
        offering_name: line.offering_name.clone(),
        starts: term.starts(facts.zone),
        ends: term.ends(facts.zone),
        change,
        giver: wanted.giver.clone(),
        confirmation: confirmation(wanted, facts.levels),
        amounts: amounts_of(line.price, 1)?,
    })
}

/// What the offering and its level say about the mail.
fn confirmation(wanted: &WantedMembership, levels: &BTreeMap<LevelId, Level>) -> Confirmation {
    let Some(level) = levels.get(&wanted.plan.level) else { return Confirmation::default() };
    let offering = level.offerings.iter().find(|offering| offering.id == wanted.plan.offering);
    let kind = wanted.action.of_offering().first();
    let action = offering
        .zip(kind)
        .and_then(|(offering, kind)| offering.actions.iter().find(|action| action.action == *kind));
    let said = [Some(&level.email_confirmation_message), action.map(|action| &action.confirmation_message)];
    let said = said.into_iter().flatten().filter(|text| !text.trim().is_empty());
    let is_silent = |action: &OfferingAction| {
        let online = |found: &&crate::membership::MailRestriction| found.channel == Channel::Online;
        action.mail_restrictions.iter().find(online).is_some_and(|found| !found.can_send)
    };
    Confirmation {
        silent: action.is_some_and(is_silent),
        digital_cards: action.is_some_and(|action| action.digital_cards_in_mail),
        messages: said.cloned().collect(),
    }
}
