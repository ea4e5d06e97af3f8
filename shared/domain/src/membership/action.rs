//! What is done with a membership, in the three vocabularies of contract §9.

use super::{ListedAction, OfferingActionKind};
use serde::{Deserialize, Serialize};

/// Whether a membership moves to another level on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Move {
    /// It stays on its level.
    Stay,
    Up,
    Down,
}

/// How an action goes on with a membership that there is already (decision record 0048).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MembershipTransition {
    /// Another term behind the last one, or from today where that is long over.
    Renewal,
    /// Another term from today, once the last one is over.
    Return,
    /// Another plan for the rest of the term.
    MidTerm,
}

/// What a cart line does with a membership; its item type names it (contract §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "action", content = "move")]
pub enum MembershipAction {
    /// A new membership.
    Purchase,
    /// Another term, within the term or its grace.
    Renewal(Move),
    /// Another level for the rest of the term.
    Upgrade,
    /// Another level for the rest of the term.
    Downgrade,
    /// Another term after the last one is over.
    PostTermRenewal(Move),
    /// A member who had left comes back.
    Rejoin(Move),
}

impl MembershipAction {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Purchase,
        Self::Renewal(Move::Stay),
        Self::Renewal(Move::Up),
        Self::Renewal(Move::Down),
        Self::Upgrade,
        Self::Downgrade,
        Self::PostTermRenewal(Move::Stay),
        Self::PostTermRenewal(Move::Up),
        Self::PostTermRenewal(Move::Down),
        Self::Rejoin(Move::Stay),
        Self::Rejoin(Move::Up),
        Self::Rejoin(Move::Down),
    ];

    /// The item type of a cart line (contract §4).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Purchase => "MembershipPurchase",
            Self::Renewal(Move::Stay) => "MembershipRenewal",
            Self::Renewal(Move::Up) => "MembershipRenewalUpgrade",
            Self::Renewal(Move::Down) => "MembershipRenewalDowngrade",
            Self::Upgrade => "MembershipUpgrade",
            Self::Downgrade => "MembershipDowngrade",
            Self::PostTermRenewal(Move::Stay) => "MembershipPostTermRenewal",
            Self::PostTermRenewal(Move::Up) => "MembershipPostTermRenewalUpgrade",
            Self::PostTermRenewal(Move::Down) => "MembershipPostTermRenewalDowngrade",
            Self::Rejoin(Move::Stay) => "MembershipRejoin",
            Self::Rejoin(Move::Up) => "MembershipRejoinUpgrade",
            Self::Rejoin(Move::Down) => "MembershipRejoinDowngrade",
        }
    }

    /// Reads an item type in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str().eq_ignore_ascii_case(text.trim()))
    }

    /// The action by which lists of levels name it; none for ending a membership, which nobody buys.
    #[must_use]
    pub const fn of_listed(listed: ListedAction) -> Option<Self> {
        match listed {
            ListedAction::NewMemberships => Some(Self::Purchase),
            ListedAction::Upgrade => Some(Self::Upgrade),
            ListedAction::Downgrade => Some(Self::Downgrade),
            ListedAction::Renew => Some(Self::Renewal(Move::Stay)),
            ListedAction::AfterTermRenew => Some(Self::PostTermRenewal(Move::Stay)),
            ListedAction::Rejoin => Some(Self::Rejoin(Move::Stay)),
            ListedAction::Cancellation => None,
        }
    }

    /// What it does with a membership that there is already, and whether that moves to another level; none for a
    /// purchase, which does nothing with one.
    #[must_use]
    pub const fn transition(self) -> Option<(MembershipTransition, Move)> {
        match self {
            Self::Purchase => None,
            Self::Renewal(movement) => Some((MembershipTransition::Renewal, movement)),
            Self::PostTermRenewal(movement) | Self::Rejoin(movement) => {
                Some((MembershipTransition::Return, movement))
            }
            Self::Upgrade => Some((MembershipTransition::MidTerm, Move::Up)),
            Self::Downgrade => Some((MembershipTransition::MidTerm, Move::Down)),
        }
    }

    /// What an offering has to allow for it, all of it (contract §9).
    #[must_use]
    pub const fn of_offering(self) -> &'static [OfferingActionKind] {
        match self {
            Self::Purchase => &[OfferingActionKind::New],
            Self::Upgrade => &[OfferingActionKind::Upgrade],
            Self::Downgrade => &[OfferingActionKind::DownGrade],
            Self::Renewal(movement) | Self::PostTermRenewal(movement) | Self::Rejoin(movement) => {
                match movement {
                    Move::Stay => &[OfferingActionKind::Renew],
                    Move::Up => &[OfferingActionKind::Renew, OfferingActionKind::Upgrade],
                    Move::Down => &[OfferingActionKind::Renew, OfferingActionKind::DownGrade],
                }
            }
        }
    }

    /// Whether a membership with an id of its own comes of it: a new one, or one that takes another's place.
    #[must_use]
    pub const fn makes_membership(self) -> bool {
        match self {
            Self::Purchase | Self::Upgrade | Self::Downgrade => true,
            Self::Renewal(_) | Self::PostTermRenewal(_) | Self::Rejoin(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_type_is_read_in_any_case() {
        for action in MembershipAction::ALL {
            assert_eq!(MembershipAction::parse(&action.as_str().to_uppercase()), Some(action));
        }
        assert_eq!(MembershipAction::parse("MembershipCancel"), None);
    }
}
