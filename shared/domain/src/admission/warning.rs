//! What is told beside what came of a scan.

use serde::{Deserialize, Serialize};

/// What somebody at the door should know, though it stops nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Warning {
    /// The doors are not open yet.
    TooEarly,
    /// They are not open any more.
    TooLate,
    /// The card was there earlier today.
    AlreadyAdmitted,
    /// The instance could not be asked: the times are those of the sale.
    SlotUnknown,
}

impl Warning {
    /// The word of answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooEarly => "tooEarly",
            Self::TooLate => "tooLate",
            Self::AlreadyAdmitted => "alreadyAdmitted",
            Self::SlotUnknown => "slotUnknown",
        }
    }
}
