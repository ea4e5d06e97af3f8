//! The cards of a membership.

use crate::customer::Person;
use crate::{CardId, CustomerId};
use serde::{Deserialize, Serialize};

/// Which of a membership's cards one is (contract §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CardType {
    /// The holder's.
    #[default]
    Primary,
    /// Another person's.
    Secondary,
}

impl CardType {
    /// The spelling of contract §4.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
        }
    }

    /// Reads a type in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::Primary, Self::Secondary];
        all.into_iter().find(|found| found.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// Where a card stands (contract §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CardStanding {
    /// Not in force yet.
    New,
    /// In force.
    #[default]
    Active,
    /// Given up.
    Dropped,
    /// Out of date.
    Lapsed,
    /// Another card took its place.
    Replaced,
}

impl CardStanding {
    /// The spelling of contract §9.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Active => "active",
            Self::Dropped => "dropped",
            Self::Lapsed => "lapsed",
            Self::Replaced => "replaced",
        }
    }

    /// Reads a standing in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::New, Self::Active, Self::Dropped, Self::Lapsed, Self::Replaced];
        all.into_iter().find(|found| found.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// A person's card of a membership (spec §2.16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberCard {
    pub id: CardId,
    /// Which card of the membership.
    #[serde(default)]
    pub card_type: CardType,
    /// Where the card stands.
    #[serde(default)]
    pub standing: CardStanding,
    /// Who the person is.
    pub person: Person,
    /// Printed on the card.
    pub barcode: String,
    /// The customer the person is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<CustomerId>,
}
