//! Memberships whose order is refunded (decision record 0071).

use super::issue::MembershipChange;
use super::{CardStanding, Ended, MemberCard, Membership};
use crate::{MembershipId, OrderId, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A membership that a refund changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembershipReturn {
    /// As it was read.
    pub before: Membership,
    /// As it becomes.
    pub after: Membership,
}

/// What becomes of the memberships that an order made when it is refunded; none where they were renewed, moved or
/// ended after it, so that what the order sold is no longer theirs to give back. `current` has them as they are now.
#[must_use]
pub fn taken_back(
    order: &OrderId,
    change: &MembershipChange,
    current: &BTreeMap<MembershipId, Membership>,
    now: Timestamp,
    by: &str,
) -> Option<Vec<MembershipReturn>> {
    let stored = current.get(&change.after.id)?;
    let held = stored.clone().as_of(now);
    if held.ended.is_some() {
        return None;
    }
    let back = |before: &Membership, after: Membership| MembershipReturn {
        before: before.clone(),
        after: stamped(after, now, by),
    };
    match (&change.before, &change.retired) {
        (None, _) => {
            let after = ended(own_term(held, order)?, now, None);
            Some(vec![back(stored, after)])
        }
        (Some(before), Some(retired)) => {
            let retired = current.get(&retired.id)?;
            let is_own = retired.ended.as_ref().is_some_and(|ended| ended.into == Some(held.id));
            if !is_own || held.later != change.after.clone().as_of(now).later {
                return None;
            }
            let restored = restored(before, &own_plan(held.clone(), order)?, now);
            let after = ended(held, now, Some(restored.id));
            Some(vec![back(stored, after), back(retired, restored)])
        }
        (Some(before), None) => {
            let after = shortened(held, order, before)?;
            Some(vec![back(stored, without_made(after, change))])
        }
    }
}

fn stamped(membership: Membership, now: Timestamp, by: &str) -> Membership {
    Membership { updated_at: now, updated_by: Some(by.to_owned()), ..membership }
}

/// The membership, if its only term is the order's.
fn own_term(held: Membership, order: &OrderId) -> Option<Membership> {
    own_plan(held, order).filter(|held| held.later.is_empty())
}

/// The membership, if its current term is the order's.
fn own_plan(held: Membership, order: &OrderId) -> Option<Membership> {
    let is_own = held.bought.as_ref().is_some_and(|bought| bought.order == *order);
    is_own.then_some(held)
}

/// A membership that is over, with its cards. Those of one that another takes the place of find nobody any more.
fn ended(held: Membership, at: Timestamp, into: Option<MembershipId>) -> Membership {
    let standing = if into.is_some() { CardStanding::Replaced } else { CardStanding::Lapsed };
    let card = |card: MemberCard| if card.is_held() { MemberCard { standing, ..card } } else { card };
    Membership {
        ended: Some(Ended { at, into }),
        later: Vec::new(),
        cards: held.cards.into_iter().map(card).collect(),
        ..held
    }
}

/// The membership as it was before it moved, with what became known of its holders since.
fn restored(before: &Membership, held: &Membership, now: Timestamp) -> Membership {
    let known = |card: &MemberCard| {
        let later = held.cards.iter().find(|other| other.id == card.id);
        let standing = match later.map(|later| later.standing) {
            Some(CardStanding::Dropped) => CardStanding::Dropped,
            Some(
                CardStanding::New | CardStanding::Active | CardStanding::Lapsed | CardStanding::Replaced,
            )
            | None => card.standing,
        };
        MemberCard { standing, ..later.unwrap_or(card).clone() }
    };
    Membership {
        external_id: held.external_id.clone(),
        cards: before.cards.iter().map(known).collect(),
        ..before.clone().as_of(now)
    }
}

/// The membership without the term that the order added; none if others came behind it.
fn shortened(mut held: Membership, order: &OrderId, before: &Membership) -> Option<Membership> {
    if let Some(last) = held.later.last() {
        let is_own = last.bought.as_ref().is_some_and(|bought| bought.order == *order);
        if !is_own {
            return None;
        }
        held.later.pop();
        return Some(held);
    }
    let held = own_plan(held, order)?;
    // The term has begun: what is left is the one before it, which is over.
    let last = before.clone().as_of(before.ends());
    Some(Membership {
        level: last.level,
        offering: last.offering,
        price_point: last.price_point,
        started: last.started,
        expires: last.expires,
        anchor_day: last.anchor_day,
        bought: last.bought,
        ..held
    })
}

/// The membership without the cards that came with the order.
fn without_made(held: Membership, change: &MembershipChange) -> Membership {
    let card = |card: MemberCard| match change.made.contains(&card.id) {
        true => MemberCard { standing: CardStanding::Dropped, ..card },
        false => card,
    };
    Membership { cards: held.cards.into_iter().map(card).collect(), ..held }
}

#[cfg(test)]
mod tests;
