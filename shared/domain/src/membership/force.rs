//! What a membership gives, and when: the one place where it is decided whether a membership counts (decision record
//! 0102). Browsing, carts, entitlements, checkout, verification, lists, renewals and imports ask here.
//!
//! A membership gives the benefits of a level to the visits of a term. Once it has ended, was replaced, or nobody holds
//! a card of it any more, it gives nothing, whatever the visit.

use super::{CardStanding, LaterTerm, MemberCard, Membership};
use crate::{LevelId, Timestamp};

/// Where a membership stands (contract §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MembershipStanding {
    /// It gives something to visits from now on.
    Active,
    /// It gives nothing any more.
    Lapsed,
}

impl MembershipStanding {
    /// The spelling of contract §9.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Lapsed => "lapsed",
        }
    }
}

/// Visits between two instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visits {
    /// The first one.
    pub first: Timestamp,
    /// The last one, itself included.
    pub last: Timestamp,
    /// The end of them where it comes earlier, itself not included.
    pub before: Option<Timestamp>,
}

impl Visits {
    /// Whether a visit is among them.
    #[must_use]
    pub fn include(&self, visit: Timestamp) -> bool {
        let Self { first, last, before } = *self;
        first <= visit && visit <= last && before.is_none_or(|before| visit < before)
    }

    /// Whether there are any from an instant on.
    #[must_use]
    pub fn go_on_at(&self, now: Timestamp) -> bool {
        self.include(self.first.max(now))
    }
}

/// The benefits of a level, for the visits of one term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant<'a> {
    pub level: &'a LevelId,
    pub visits: Visits,
}

impl Membership {
    /// What its terms give while it is somebody's, in their order. A term that was paid ahead takes the place of the one
    /// before it when it begins, and none goes on beyond the end of the membership.
    pub(crate) fn terms(&self) -> Vec<Grant<'_>> {
        let ended = self.ended.as_ref().map(|ended| ended.at);
        let mut grants: Vec<Grant<'_>> = Vec::with_capacity(self.later.len().saturating_add(1));
        let visits = Visits { first: self.started, last: self.expires, before: ended };
        grants.push(Grant { level: &self.level, visits });
        let mut begun = None;
        for LaterTerm { plan, bought: _, starts, ends } in &self.later {
            let first = begun.map_or(*starts, |begun: Timestamp| begun.max(*starts));
            begun = Some(first);
            if let Some(previous) = grants.last_mut() {
                let until = previous.visits.before;
                previous.visits.before = Some(until.map_or(first, |until| until.min(first)));
            }
            grants.push(Grant { level: &plan.level, visits: Visits { first, last: *ends, before: ended } });
        }
        grants
    }

    /// The level whose benefits it gives to a visit, for whoever asks at `now`; none where it gives nothing.
    #[must_use]
    pub fn gives(&self, now: Timestamp, visit: Timestamp) -> Option<&LevelId> {
        if self.is_gone(now) {
            return None;
        }
        self.terms().into_iter().find(|grant| grant.visits.include(visit)).map(|grant| grant.level)
    }

    /// Whether it is nobody's any more: it has ended, was replaced, or all its cards were given up. One whose term is
    /// over is not gone; it can be renewed.
    #[must_use]
    pub fn is_gone(&self, now: Timestamp) -> bool {
        !self.is_held() || self.ended.as_ref().is_some_and(|ended| ended.at <= now)
    }

    /// Whether it can be renewed, moved to another level or ended. One whose end is settled cannot, even before that.
    #[must_use]
    pub fn can_go_on(&self) -> bool {
        self.is_held() && self.ended.is_none()
    }

    /// When it expires, as far as anybody is told: the last instant that is paid for, or that at which it ended before.
    #[must_use]
    pub fn expiration(&self) -> Timestamp {
        self.ended.as_ref().map_or(self.ends(), |ended| ended.at.min(self.ends()))
    }

    /// Where it stands at `now`. It follows from the clock alone, so that nothing has to run for it to lapse.
    #[must_use]
    pub fn standing(&self, now: Timestamp) -> MembershipStanding {
        let goes_on = !self.is_gone(now) && self.terms().iter().any(|grant| grant.visits.go_on_at(now));
        if goes_on { MembershipStanding::Active } else { MembershipStanding::Lapsed }
    }

    /// Whether somebody holds a card of it. One whose cards were all given up or replaced is nobody's any more.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.cards.iter().any(MemberCard::is_held)
    }

    /// The membership as an import stores it in place of another state of it. What ended here stays ended, and the
    /// cards that were given up with it; a document may bring the end forward, or give up further cards, and never
    /// puts it off: an older one does not bring back to life what was refunded after it was written. Purchases that
    /// the other state does not know are marked as imported.
    #[must_use]
    pub fn imported_over(self, before: Option<&Self>) -> Self {
        let imported = self.with_marked_purchases(before);
        imported.ended_as(before)
    }

    fn with_marked_purchases(mut self, before: Option<&Self>) -> Self {
        let later = self.later.iter_mut().filter_map(|term| term.bought.as_mut());
        for bought in self.bought.iter_mut().chain(later) {
            let mut known = before.into_iter().flat_map(Self::purchases);
            let known = known.find(|known| known.order == bought.order);
            bought.imported = known.is_none_or(|known| known.imported);
        }
        self
    }

    fn ended_as(self, before: Option<&Self>) -> Self {
        let Some((before, end)) = before.and_then(|before| Some((before, before.ended.clone()?))) else {
            return self;
        };
        let ended = match &self.ended {
            Some(named) if named.at < end.at => Some(named.clone()),
            Some(_) | None => Some(end),
        };
        let left = |card: MemberCard| {
            let given_up = before.cards.iter().find(|known| known.id == card.id && !known.is_held());
            MemberCard { standing: given_up.map_or(card.standing, |known| known.standing), ..card }
        };
        Self { ended, cards: self.cards.into_iter().map(left).collect(), ..self }
    }
}

impl MemberCard {
    /// Where the card stands at `now`, being one of that membership's.
    #[must_use]
    pub fn standing_at(&self, membership: &Membership, now: Timestamp) -> CardStanding {
        match self.standing {
            CardStanding::Dropped => CardStanding::Dropped,
            CardStanding::Replaced => CardStanding::Replaced,
            CardStanding::New | CardStanding::Active | CardStanding::Lapsed => {
                match (membership.standing(now), membership.gives(now, now)) {
                    (MembershipStanding::Lapsed, _) => CardStanding::Lapsed,
                    (MembershipStanding::Active, None) => CardStanding::New,
                    (MembershipStanding::Active, Some(_)) => CardStanding::Active,
                }
            }
        }
    }

    /// True unless the card was given up, or another one took its place.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        match self.standing {
            CardStanding::New | CardStanding::Active | CardStanding::Lapsed => true,
            CardStanding::Dropped | CardStanding::Replaced => false,
        }
    }
}

#[cfg(test)]
mod tests;
