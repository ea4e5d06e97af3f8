//! Order lines that buy memberships (spec §2.5).

use super::OrderAmounts;
use crate::membership::issue::MembershipChange;
use crate::membership::{Gifter, MembershipAction, MembershipPlan};
use crate::tax::TaxShare;
use crate::{OrderItemId, Timestamp};
use serde::{Deserialize, Serialize};

/// A membership. What becomes of it is decided before it is charged, so that whoever settles the order writes the
/// same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderMembershipLine {
    pub id: OrderItemId,
    /// What was done.
    pub action: MembershipAction,
    /// What was bought.
    pub plan: MembershipPlan,
    /// Name of the level when it was sold.
    pub level_name: String,
    /// Name of the offering when it was sold.
    pub offering_name: String,
    /// The first instant of what was bought.
    pub starts: Timestamp,
    /// The last instant of it.
    pub ends: Timestamp,
    /// The memberships it makes.
    pub change: MembershipChange,
    /// Who gives it, if it is a gift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub giver: Option<Gifter>,
    /// What is mailed about it.
    pub confirmation: MembershipConfirmation,
    /// Price.
    pub amounts: OrderAmounts,
    /// What it contains of tax; none in orders of before this was noted, and where nothing was said of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<TaxShare>,
}

impl OrderMembershipLine {
    /// Whether the confirmation carries cards: the offering says so, and some were made.
    #[must_use]
    pub fn mails_cards(&self) -> bool {
        self.confirmation.digital_cards && !self.change.made.is_empty()
    }
}

/// What the offering's action says about the confirmation (spec §2.15 `actions`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MembershipConfirmation {
    /// No mail goes out for it on the channel it was sold on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
    /// The mail carries its cards.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub digital_cards: bool,
    /// What level and action add to the mail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
}
