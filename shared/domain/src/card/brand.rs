//! The brands of payment cards, by the ranges and lengths of their numbers.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The brand of a card, in the spellings of `creditCardBrand` (spec §2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CardBrand {
    /// Numbers that begin with 4.
    Visa,
    /// 51 to 55 and 2221 to 2720.
    MasterCard,
    /// 34 and 37; the one brand with a security code of four digits.
    AmericanExpress,
    /// 6011, 644 to 649, 65, and the range shared with UnionPay.
    Discover,
    /// 3528 to 3589.
    Jcb,
    /// 300 to 305, 3095, 36, 38 and 39.
    DinersClub,
}

/// The text names no brand of spec §2.8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCardBrand;

/// First and last leading six digits of each range, ordered by brand. No two ranges overlap.
pub(super) const BRAND_RANGES: [(u32, u32, CardBrand); 15] = [
    (400_000, 499_999, CardBrand::Visa),
    (222_100, 272_099, CardBrand::MasterCard),
    (510_000, 559_999, CardBrand::MasterCard),
    (340_000, 349_999, CardBrand::AmericanExpress),
    (370_000, 379_999, CardBrand::AmericanExpress),
    (601_100, 601_199, CardBrand::Discover),
    (622_126, 622_925, CardBrand::Discover),
    (644_000, 649_999, CardBrand::Discover),
    (650_000, 659_999, CardBrand::Discover),
    (352_800, 358_999, CardBrand::Jcb),
    (300_000, 305_999, CardBrand::DinersClub),
    (309_500, 309_599, CardBrand::DinersClub),
    (360_000, 369_999, CardBrand::DinersClub),
    (380_000, 389_999, CardBrand::DinersClub),
    (390_000, 399_999, CardBrand::DinersClub),
];

impl CardBrand {
    /// Every brand.
    pub const ALL: [Self; 6] =
        [Self::Visa, Self::MasterCard, Self::AmericanExpress, Self::Discover, Self::Jcb, Self::DinersClub];

    /// Reads a brand name of spec §2.8 in any case.
    ///
    /// # Errors
    /// [`UnknownCardBrand`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnknownCardBrand> {
        let text = text.trim();
        Self::ALL.into_iter().find(|brand| brand.as_str().eq_ignore_ascii_case(text)).ok_or(UnknownCardBrand)
    }

    /// The spelling of spec §2.8.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Visa => "Visa",
            Self::MasterCard => "MasterCard",
            Self::AmericanExpress => "AmericanExpress",
            Self::Discover => "Discover",
            Self::Jcb => "Jcb",
            Self::DinersClub => "DinersClub",
        }
    }

    /// How many digits the security code of this brand has.
    #[must_use]
    pub const fn cvc_digits(self) -> usize {
        match self {
            Self::AmericanExpress => 4,
            Self::Visa | Self::MasterCard | Self::Discover | Self::Jcb | Self::DinersClub => 3,
        }
    }

    /// Whether cards of this brand have that many digits.
    pub(super) fn has_length(self, digits: usize) -> bool {
        match self {
            Self::Visa => matches!(digits, 13 | 16 | 19),
            Self::MasterCard => digits == 16,
            Self::AmericanExpress => digits == 15,
            Self::Discover | Self::Jcb => (16..=19).contains(&digits),
            Self::DinersClub => (14..=19).contains(&digits),
        }
    }

    /// The brand whose range the leading six digits fall into.
    pub(super) fn of_digits(digits: &str) -> Option<Self> {
        let leading: u32 = digits.get(..6)?.parse().ok()?;
        BRAND_RANGES
            .iter()
            .find(|(first, last, _)| (*first..=*last).contains(&leading))
            .map(|(_, _, brand)| *brand)
    }
}

impl fmt::Display for CardBrand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}
