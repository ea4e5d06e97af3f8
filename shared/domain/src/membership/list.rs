//! Which levels a list asks for (spec §4.6).

use super::{Level, LevelGroup, LevelState, OfferingActionKind};
use crate::channel::{Channel, channel_allowed};

/// An action by which a list names levels (spec §4.6 `action`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedAction {
    /// Buy a membership.
    NewMemberships,
    /// End one.
    Cancellation,
    /// Move up.
    Upgrade,
    /// Move down.
    Downgrade,
    /// Go on within the term or its grace.
    Renew,
    /// Go on later.
    AfterTermRenew,
    /// Come back.
    Rejoin,
}

impl ListedAction {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::NewMemberships,
        Self::Cancellation,
        Self::Upgrade,
        Self::Downgrade,
        Self::Renew,
        Self::AfterTermRenew,
        Self::Rejoin,
    ];

    /// The spelling of spec §4.6.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NewMemberships => "NEW_MEMBERSHIPS",
            Self::Cancellation => "CANCELLATION",
            Self::Upgrade => "UPGRADE",
            Self::Downgrade => "DOWNGRADE",
            Self::Renew => "RENEW",
            Self::AfterTermRenew => "AFTER_TERM_RENEW",
            Self::Rejoin => "REJOIN",
        }
    }

    /// Reads an action in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str().eq_ignore_ascii_case(text.trim()))
    }

    /// What an offering has to allow for it (contract §9).
    #[must_use]
    pub const fn of_offering(self) -> OfferingActionKind {
        match self {
            Self::NewMemberships => OfferingActionKind::New,
            Self::Cancellation => OfferingActionKind::Cancel,
            Self::Upgrade => OfferingActionKind::Upgrade,
            Self::Downgrade => OfferingActionKind::DownGrade,
            Self::Renew | Self::AfterTermRenew | Self::Rejoin => OfferingActionKind::Renew,
        }
    }
}

/// Whether levels outside all collections are asked for, or those of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CollectionFilter {
    /// Whatever collections they are in.
    Any,
    /// In none.
    Outside,
    /// In this one.
    In(String),
}

/// Which levels a list asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelFilter {
    /// Drafts, or those on offer.
    pub state: LevelState,
    /// Sold on at least one of these channels.
    pub channels: Vec<Channel>,
    /// For these people.
    pub group: Option<LevelGroup>,
    /// With an offering that allows it on at least one of the channels.
    pub action: Option<ListedAction>,
    /// Those that come with another level, or all others.
    pub auxiliary: bool,
    pub collection: CollectionFilter,
}

impl LevelFilter {
    /// Whether a level is asked for.
    #[must_use]
    pub fn admits(&self, level: &Level) -> bool {
        let Self { state, channels, group, action, auxiliary, collection } = self;
        let is_sold = channels.iter().any(|channel| channel_allowed(&level.sales_channels, *channel));
        let allows = |action: &ListedAction| {
            level.offerings.iter().any(|offering| offering.allows(action.of_offering(), channels))
        };
        let is_collected = match collection {
            CollectionFilter::Any => true,
            CollectionFilter::Outside => level.collections.is_empty(),
            CollectionFilter::In(id) => level.collections.iter().any(|found| found.id == *id),
        };
        level.state == *state
            && level.auxiliary == *auxiliary
            && is_sold
            && is_collected
            && group.is_none_or(|group| level.group == group)
            && action.as_ref().is_none_or(allows)
    }
}
