//! Memberships against the orders that sold them or are changing them.

use super::Books;
use super::after_sale::claims_of;
use super::fault::{Belonging, MembershipFault, OrderFault};
use super::finding::Finding;
use super::records::MembershipRecord;
use crate::membership::{Bought, CardType};
use crate::order::{Order, OrderMembershipLine};
use crate::{CardId, MembershipId, OrderId};
use std::collections::HashSet;

/// What is held of a membership.
#[derive(Debug)]
pub(super) struct HeldMembership {
    cards: Vec<CardId>,
    claimed_by: Option<OrderId>,
    /// How its terms were paid for.
    purchases: Vec<Purchase>,
    /// Those of them whose terms count: none once it has ended.
    pub(super) in_force: Vec<OrderId>,
}

/// The order that paid for a term.
#[derive(Debug)]
struct Purchase {
    order: OrderId,
    /// Whether the order may be in another database only.
    imported: bool,
}

impl Books {
    /// Enters a membership.
    pub fn enter_membership(&mut self, record: &MembershipRecord) {
        let MembershipRecord { membership, claimed_by } = record;
        self.checked.memberships = self.checked.memberships.saturating_add(1);
        // Whoever else holds a card may be said to be anybody.
        let primary = membership.cards.iter().filter(|card| card.card_type == CardType::Primary);
        for customer in primary.filter_map(|card| card.customer) {
            self.led_to.insert(customer, Some(membership.id));
        }
        let bought_by = membership.purchases().map(|bought| bought.order.clone());
        let purchase = |bought: &Bought| Purchase { order: bought.order.clone(), imported: bought.imported };
        let held = HeldMembership {
            cards: membership.cards.iter().map(|card| card.id).collect(),
            claimed_by: claimed_by.clone(),
            in_force: if membership.ended.is_none() { bought_by.collect() } else { Vec::new() },
            purchases: membership.purchases().map(purchase).collect(),
        };
        self.memberships.insert(membership.id, held);
    }

    /// Whether all cards that were scanned are there.
    pub(super) fn close_visits(&mut self) {
        let visited = std::mem::take(&mut self.visited);
        let known: HashSet<CardId> =
            self.memberships.values().flat_map(|held| held.cards.iter().copied()).collect();
        let lost = visited.into_iter().filter(|card| !known.contains(card));
        self.findings.extend(lost.map(|card| Finding::LostCard { card }));
    }

    /// Whether all that a paid order made is there.
    pub(super) fn check_sold_memberships(&mut self, order: &Order) {
        for line in order.memberships() {
            let after = line.change.after.id;
            let made = std::iter::once(after).chain(line.change.retired.as_ref().map(|retired| retired.id));
            let missing: Vec<MembershipId> = made.filter(|id| !self.memberships.contains_key(id)).collect();
            self.find(order, missing.into_iter().map(|membership| OrderFault::NoMembership { membership }));
            let Some(held) = self.memberships.get(&after) else { continue };
            let missing = line.change.made.iter().filter(|card| !held.cards.contains(card));
            let missing: Vec<CardId> = missing.copied().collect();
            let no_card = |card| OrderFault::NoCard { membership: after, card };
            self.find(order, missing.into_iter().map(no_card));
        }
    }

    /// Whether an order that is not paid made something already.
    pub(super) fn check_unsold_memberships(&mut self, order: &Order) {
        let made = order.memberships().filter_map(new_id).filter(|id| self.memberships.contains_key(id));
        let made: Vec<MembershipId> = made.collect();
        let unpaid = made.into_iter().map(|id| OrderFault::NotPaid { has: Belonging::Membership(id) });
        self.find(order, unpaid);
    }

    /// Whether an order has claimed what it is to change.
    pub(super) fn check_claims(&mut self, order: &Order) {
        for membership in claims_of(order) {
            let claimed_by = self.memberships.get(&membership).and_then(|held| held.claimed_by.clone());
            if claimed_by.as_ref() != Some(&order.id) {
                self.find(order, [OrderFault::NoClaim { membership, claimed_by }]);
            }
        }
    }

    /// Whether those who claim memberships are changing them, and those who paid for them paid. The order of an imported
    /// purchase need not be here.
    pub(super) fn close_memberships(&mut self) {
        for (id, held) in std::mem::take(&mut self.memberships) {
            let seller = |order: &OrderId| self.sellers.get(order);
            let is_changing =
                |order: &OrderId| seller(order).is_some_and(|seller| seller.claims.contains(&id));
            let claim = held.claimed_by.filter(|order| !is_changing(order));
            let claim = claim.map(|order| MembershipFault::StrayClaim { order });
            let unsound = |Purchase { order, imported }| match seller(&order) {
                Some(seller) => (!seller.is_paid).then_some(MembershipFault::StrayPurchase { order }),
                None => (!imported).then_some(MembershipFault::LostPurchase { order }),
            };
            let bought = held.purchases.into_iter().filter_map(unsound);
            let faults: Vec<MembershipFault> = claim.into_iter().chain(bought).collect();
            self.findings.extend(faults.into_iter().map(|fault| Finding::Membership(id, fault)));
        }
    }
}

/// The membership that comes into being with an order.
fn new_id(line: &OrderMembershipLine) -> Option<MembershipId> {
    let (before, after) = (line.change.before.as_ref(), line.change.after.id);
    before.is_none_or(|before| before.id != after).then_some(after)
}
