//! Membership levels, their offerings, and what members bought (spec §2.14–2.16).

mod action;
mod card;
mod edit;
pub mod force;
mod held;
pub mod issue;
mod keep;
pub mod lifecycle;
mod list;
mod listed;
pub mod returns;
pub mod search;
pub mod term;

pub use action::{MembershipAction, MembershipTransition, Move};
pub use card::{CardStanding, CardType, MemberCard};
pub use edit::{LevelEdit, NoSuchOffering};
pub use held::{Bought, Ended, Gifter, LaterTerm, MembershipPlan};
pub use keep::{CardEdit, DropRefusal, Edit, MembershipEdit, PersonEdit};
pub use list::{CollectionFilter, LevelFilter, ListedAction};
pub use listed::{
    ChangeRange, ListedCard, ListedMembership, ListedTerm, MembershipFilter, ServiceFilter, SummaryFilter,
};

use crate::catalog::{Image, PriceList};
use crate::channel::{Channel, SalesChannel, channel_allowed};
use crate::tax::Tax;
use crate::{LevelId, MembershipId, OfferingId, TicketTypeId, Timestamp};
use serde::{Deserialize, Serialize};

/// Whom a level is for (spec §2.14 `membershipLevelGroup`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LevelGroup {
    /// People and households.
    #[default]
    IndividualAndFamily,
    /// Companies and schools.
    Organization,
}

impl LevelGroup {
    /// The spelling of spec §2.14.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IndividualAndFamily => "individualAndFamily",
            Self::Organization => "organization",
        }
    }
}

/// Whether a level is on offer (contract §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LevelState {
    /// Being prepared.
    #[default]
    Draft,
    /// On offer.
    Published,
}

impl LevelState {
    /// The spelling of contract §9.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
        }
    }
}

/// The four flags of levels and offerings (spec §2.14 `rules`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembershipRules {
    /// Cards that come with a membership.
    pub card_holders: u32,
    /// It can be bought for someone else.
    pub can_gift: bool,
    /// The term begins on the first of the month.
    pub start_beginning_of_month: bool,
    /// The term ends on the last of the month.
    pub expire_end_of_month: bool,
}

impl Default for MembershipRules {
    fn default() -> Self {
        Self { card_holders: 1, can_gift: false, start_beginning_of_month: false, expire_end_of_month: false }
    }
}

/// Something members get (spec §2.14, §2.15 `benefits`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Benefit {
    /// One of an offering overrides the level's with the same id.
    pub id: String,
    /// Shown to visitors.
    pub description: String,
}

/// What members of an offering get (spec §2.15 `benefits`): the level's benefits in their order, each in the
/// offering's words where the offering has one with the same id, and then what the offering adds.
#[must_use]
pub fn effective_benefits(of_level: &[Benefit], of_offering: &[Benefit]) -> Vec<Benefit> {
    let same = |list: &[Benefit], id: &str| list.iter().find(|benefit| benefit.id == id).cloned();
    let kept =
        of_level.iter().map(|benefit| same(of_offering, &benefit.id).unwrap_or_else(|| benefit.clone()));
    let added = of_offering.iter().filter(|benefit| same(of_level, &benefit.id).is_none()).cloned();
    kept.chain(added).collect()
}

/// What a level or offering is in the venue's own membership system (spec §2.14 "the service"). Kept for the
/// venue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceReference {
    /// Its id there.
    pub id: String,
    /// Its program there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Its category there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Its subcategory there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subcategory: Option<String>,
    /// Its level there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// A collection that levels are put into (spec §2.14 `membershipLevelCollection`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelCollection {
    /// What lists of levels name it by.
    pub id: String,
    /// For the back office.
    #[serde(default)]
    pub name: String,
}

/// What can be done with a membership (contract §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OfferingActionKind {
    /// Buy it.
    New,
    /// Go on with it.
    Renew,
    /// Move up to it.
    Upgrade,
    /// Move down to it.
    DownGrade,
    /// End it.
    Cancel,
}

impl OfferingActionKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::New, Self::Renew, Self::Upgrade, Self::DownGrade, Self::Cancel];

    /// The spelling of spec §2.15.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Renew => "renew",
            Self::Upgrade => "upgrade",
            Self::DownGrade => "downGrade",
            Self::Cancel => "cancel",
        }
    }

    /// Reads an action in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// Whether sales of a channel are confirmed by mail (spec §2.15 `confirmationEmailRestrictions`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailRestriction {
    /// Where it is sold.
    pub channel: Channel,
    /// Whether a mail may go out.
    pub can_send: bool,
}

/// An action an offering allows, where, and what comes with it (spec §2.15 `actions`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferingAction {
    pub action: OfferingActionKind,
    /// Where it is allowed; empty means everywhere, as in records of earlier versions, unless it is `nowhere`.
    #[serde(default)]
    pub sales_channels: Vec<SalesChannel>,
    /// It was given no channel.
    #[serde(default, skip_serializing_if = "is_off")]
    pub nowhere: bool,
    /// Rules kept elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rule_ids: Vec<String>,
    /// Where mails may go out; a channel that is not named may send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mail_restrictions: Vec<MailRestriction>,
    #[serde(default, skip_serializing_if = "is_off")]
    pub print_cards: bool,
    /// The confirmation mail carries digital cards.
    #[serde(default, skip_serializing_if = "is_off")]
    pub digital_cards_in_mail: bool,
    /// Shown when it is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub confirmation_message: String,
}

impl OfferingAction {
    /// Every action on every channel.
    #[must_use]
    pub fn everything() -> Vec<Self> {
        OfferingActionKind::ALL.into_iter().map(Self::everywhere).collect()
    }

    /// One action on every channel.
    #[must_use]
    pub fn everywhere(action: OfferingActionKind) -> Self {
        Self {
            action,
            sales_channels: every_channel(),
            nowhere: false,
            rule_ids: Vec::new(),
            mail_restrictions: Vec::new(),
            print_cards: false,
            digital_cards_in_mail: false,
            confirmation_message: String::new(),
        }
    }

    /// Where it is allowed, nothing left to be understood.
    fn channels_in_full(&self) -> Vec<SalesChannel> {
        if self.sales_channels.is_empty() && !self.nowhere {
            return every_channel();
        }
        self.sales_channels.clone()
    }
}

/// Every channel, switched on.
#[must_use]
pub fn every_channel() -> Vec<SalesChannel> {
    let switch =
        |channel: Channel| SalesChannel { name: channel.as_str().to_owned(), channel, enabled: true };
    Channel::ALL.into_iter().map(switch).collect()
}

/// What came later is not stored where it says nothing, so that earlier records keep their revisions.
fn is_off(flag: &bool) -> bool {
    !flag
}

/// One way to buy a level (spec §2.15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offering {
    pub id: OfferingId,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    #[serde(default)]
    pub subtitle: String,
    /// Shown to visitors.
    #[serde(default)]
    pub description: String,
    /// Its prices; their ticket types are price points.
    pub price_lists: Vec<PriceList>,
    /// Length of the term in months.
    pub duration_months: u32,
    /// Added to the level's, or in place of those with the same id.
    #[serde(default)]
    pub benefits: Vec<Benefit>,
    /// Where it is sold; empty means everywhere.
    #[serde(default)]
    pub sales_channels: Vec<SalesChannel>,
    /// In place of the level's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<MembershipRules>,
    /// What it allows; empty allows everything, as in records of earlier versions, unless it has `no_actions`.
    #[serde(default)]
    pub actions: Vec<OfferingAction>,
    /// It was given no action.
    #[serde(default, skip_serializing_if = "is_off")]
    pub no_actions: bool,
    /// What it is in the venue's own system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceReference>,
    /// What else it is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<ServiceReference>,
}

impl Offering {
    /// Whether it allows an action on one of these channels.
    #[must_use]
    pub fn allows(&self, wanted: OfferingActionKind, channels: &[Channel]) -> bool {
        let mut entries = channels.iter().flat_map(|channel| self.allowing(wanted, *channel));
        let allows_everything = self.actions.is_empty() && !self.no_actions;
        allows_everything || entries.next().is_some()
    }

    /// What it allows and where, nothing left to be understood.
    #[must_use]
    pub fn actions_in_full(&self) -> Vec<OfferingAction> {
        if self.actions.is_empty() && !self.no_actions {
            return OfferingAction::everything();
        }
        let in_full = |entry: &OfferingAction| OfferingAction {
            sales_channels: entry.channels_in_full(),
            ..entry.clone()
        };
        self.actions.iter().map(in_full).collect()
    }

    /// The entries that allow an action on a channel.
    pub fn allowing(
        &self,
        wanted: OfferingActionKind,
        channel: Channel,
    ) -> impl Iterator<Item = &OfferingAction> {
        let same = self.actions.iter().filter(move |entry| entry.action == wanted);
        same.filter(move |entry| !entry.nowhere && channel_allowed(&entry.sales_channels, channel))
    }
}

/// A membership level, or category (spec §2.14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    pub id: LevelId,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    #[serde(default)]
    pub description: String,
    /// Shown to visitors.
    #[serde(default)]
    pub short_description: String,
    /// Added to confirmation mails.
    #[serde(default)]
    pub email_confirmation_message: String,
    /// Whom it is for.
    #[serde(default)]
    pub group: LevelGroup,
    /// Where it is sold; empty means everywhere.
    #[serde(default)]
    pub sales_channels: Vec<SalesChannel>,
    /// Flags of its terms.
    #[serde(default)]
    pub rules: MembershipRules,
    /// What members get.
    #[serde(default)]
    pub benefits: Vec<Benefit>,
    /// Pictures.
    #[serde(default)]
    pub images: Vec<Image>,
    /// Shown to visitors.
    #[serde(default)]
    pub terms_and_conditions: String,
    /// Ways to buy it.
    pub offerings: Vec<Offering>,
    /// Comes with another level.
    #[serde(default)]
    pub auxiliary: bool,
    /// Draft or published.
    #[serde(default)]
    pub state: LevelState,
    /// What it is in the venue's own system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceReference>,
    /// What else it is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<ServiceReference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<LevelCollection>,
    /// What the prices of its offerings contain.
    #[serde(default, skip_serializing_if = "Tax::is_unsaid")]
    pub tax: Tax,
}

impl Level {
    /// True when the level is on offer and one of its offerings allows this action on the channel.
    #[must_use]
    pub fn allows(&self, action: OfferingActionKind, channel: Channel) -> bool {
        self.state == LevelState::Published
            && channel_allowed(&self.sales_channels, channel)
            && self.offerings.iter().any(|offering| {
                channel_allowed(&offering.sales_channels, channel) && offering.allows(action, &[channel])
            })
    }
}

/// What a member bought: one term of one level, with its cards (spec §2.16, contract §9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Identity; an upgrade makes a new one.
    pub id: MembershipId,
    /// The number that stays through renewals and upgrades.
    pub number: MembershipId,
    pub level: LevelId,
    /// The way it was bought.
    pub offering: OfferingId,
    /// The price point it was bought at.
    pub price_point: TicketTypeId,
    /// The venue's own number for the membership.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// When its holder first became a member.
    pub joined: Timestamp,
    /// When the term began.
    pub started: Timestamp,
    /// The last instant of the term.
    pub expires: Timestamp,
    /// The day of the month that its terms are reckoned from; none is that of its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_day: Option<u32>,
    /// Terms that are paid ahead, one behind the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<LaterTerm>,
    /// How it ended before its term was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// How it was last paid for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bought: Option<Bought>,
    pub cards: Vec<MemberCard>,
    /// When it was made here; 1970 for those that were made before this was noted.
    #[serde(default)]
    pub created_at: Timestamp,
    /// When it was last changed here; 1970 as above.
    #[serde(default)]
    pub updated_at: Timestamp,
    /// The label of the key by which it was changed, or what else changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
}

#[cfg(test)]
mod tests;
