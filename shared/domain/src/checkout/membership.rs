//! The memberships of an order (spec §2.5, §2.8 rule 1).

use super::facts::Facts;
use super::{Making, OrderRefusal, amounts_of, tax_in};
use crate::cart::{Cart, CartLine, MembershipLine};
use crate::cart_request::WantedMembership;
use crate::channel::Channel;
use crate::membership::issue::{CardHolder, Issue, is_holders_own, issue};
use crate::membership::{Bought, CardType, Gifter, MailRestriction, Membership, OfferingAction};
use crate::order::{MembershipConfirmation, OrderMembershipLine, OrderPerson};
use crate::{CardId, CustomerId, MembershipId, OrderItemId};
use std::collections::BTreeMap;

/// The identity and barcode of a card that is made.
pub type NewCard = (CardId, String);

pub(super) fn membership_lines(cart: &Cart) -> impl Iterator<Item = &MembershipLine> {
    cart.lines.iter().filter_map(CartLine::membership)
}

/// Whom the venue talks to about a membership order (spec §2.8 rule 1): whoever holds the primary card, of a gift too.
/// Mails go to the payer all the same, so that nobody is sent the receipt of what they are given.
pub(super) fn contact_of_memberships(cart: &Cart) -> Option<OrderPerson> {
    let of_line = |line: &MembershipLine| {
        let mut holders = line.wanted.holders.iter();
        holders.find(|holder| holder.card_type == CardType::Primary).map(|holder| (&holder.person).into())
    };
    membership_lines(cart).find_map(of_line)
}

/// The numbers of the memberships that a checkout of the cart makes, by their ids: tickets beside them count for
/// the limits of these numbers.
#[must_use]
pub(super) fn new_numbers(
    cart: &Cart,
    changed: &BTreeMap<MembershipId, Membership>,
) -> BTreeMap<MembershipId, MembershipId> {
    let number = |line: &MembershipLine| {
        let generated = line.wanted.generated.as_ref()?;
        let before = line.wanted.membership.and_then(|sent| changed.get(&sent));
        Some((generated.id, before.map_or(generated.number, |before| before.number)))
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
pub(super) fn holder_faults(cart: &Cart, changed: &BTreeMap<MembershipId, Membership>) -> Vec<HolderRefusal> {
    let others = cart.lines.iter().filter(|line| !matches!(line, CartLine::Combo(_)));
    let mut faults = Vec::new();
    for (index, line) in others.enumerate() {
        let Some(line) = line.membership() else { continue };
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
    making: &Making<'_>,
    cards: &mut impl Iterator<Item = NewCard>,
) -> Result<OrderMembershipLine, OrderRefusal> {
    let MembershipLine { wanted, term, .. } = line;
    let (facts, zone) = (making.facts, making.facts.tenant.zone);
    let ids = wanted.generated.clone().ok_or(OrderRefusal::TooFewIds)?;
    let giver = wanted.giver.clone().map(|giver| giver_of(giver, ids.giver, facts));
    let known = &facts.context.memberships;
    let current = wanted.membership.map(|sent| known.get(&sent).ok_or(OrderRefusal::MembershipGone));
    let bought = Bought {
        order: making.order.clone(),
        full_price: line.plan_price,
        paid: line.price.amount,
        giver: giver.clone(),
        imported: false,
    };
    let made = Issue {
        action: wanted.action,
        plan: wanted.plan.clone(),
        term: *term,
        ids,
        current: current.transpose()?,
        holders: &wanted.holders,
        bought,
        now: making.now,
        zone,
    };
    let level = facts.goods.levels.get(&wanted.plan.level);
    let amounts = amounts_of(line.price, 1)?;
    let change = issue(&made, || cards.next().ok_or(OrderRefusal::TooFewIds))?;
    Ok(OrderMembershipLine {
        id,
        action: wanted.action,
        plan: wanted.plan.clone(),
        level_name: line.level_name.clone(),
        offering_name: line.offering_name.clone(),
        starts: term.starts(zone),
        ends: term.ends(zone),
        change,
        giver,
        confirmation: confirmation(wanted, facts),
        tax: tax_in(level.map(|level| &level.tax), amounts)?,
        amounts,
    })
}

/// Who gives it: by the name that is known of a customer who was named by the id alone, and with the customer that a
/// new giver becomes.
fn giver_of(sent: Gifter, generated: Option<CustomerId>, facts: &Facts) -> Gifter {
    let Gifter { customer, source, mut person } = sent;
    let known = customer.and_then(|customer| facts.context.givers.get(&customer));
    if let Some(known) = known
        && person.first_name.is_empty()
        && person.last_name.is_empty()
    {
        person.first_name.clone_from(&known.first_name);
        person.last_name.clone_from(&known.last_name);
    }
    Gifter { customer: customer.or(generated), source, person }
}

/// What the level and the offering say about the mail of a sale through a channel: all entries that allow it there.
fn confirmation(wanted: &WantedMembership, facts: &Facts) -> MembershipConfirmation {
    let Some(level) = facts.goods.levels.get(&wanted.plan.level) else {
        return MembershipConfirmation::default();
    };
    let offering = level.offering(&wanted.plan.offering);
    let kinds = wanted.action.of_offering().iter();
    let entries: Vec<&OfferingAction> = offering
        .into_iter()
        .flat_map(|offering| kinds.clone().flat_map(|kind| offering.allowing(*kind, facts.channel)))
        .collect();
    let said = std::iter::once(&level.email_confirmation_message)
        .chain(entries.iter().map(|entry| &entry.confirmation_message));
    MembershipConfirmation {
        silent: entries.iter().any(|entry| forbids_mail(entry, facts.channel)),
        digital_cards: entries.iter().any(|entry| entry.digital_cards_in_mail),
        messages: said.filter(|text| !text.trim().is_empty()).cloned().collect(),
    }
}

/// Whether no mail may go out about what is sold through a channel.
fn forbids_mail(entry: &OfferingAction, channel: Channel) -> bool {
    let of_channel = |found: &&MailRestriction| found.channel == channel;
    entry.mail_restrictions.iter().find(of_channel).is_some_and(|found| !found.can_send)
}
