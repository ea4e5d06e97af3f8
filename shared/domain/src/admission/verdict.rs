//! What is answered at a door.

use super::scan::{Reason, ScanResult};
use super::warning::Warning;

/// What staff may want to talk about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attention {
    /// The order has a balance.
    BalanceDue,
    /// It has notes.
    Notes,
    /// A form of the event was not filled in.
    FormsIncomplete,
    /// The code is the number of an order, which admits nobody.
    OrderNumber,
}

impl Attention {
    /// The word of answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BalanceDue => "balanceDue",
            Self::Notes => "notes",
            Self::FormsIncomplete => "formsIncomplete",
            Self::OrderNumber => "orderNumber",
        }
    }
}

/// Whether somebody is let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Yes.
    Admitted {
        /// What stood against it and staff did not mind.
        forced: Option<Reason>,
    },
    /// No.
    Refused {
        /// Why not.
        reason: Reason,
    },
}

/// What is decided of one ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoorVerdict {
    /// Whether it opens the door.
    pub outcome: Outcome,
    /// What stops nobody.
    pub warnings: Vec<Warning>,
    /// What staff may want to talk about.
    pub attention: Vec<Attention>,
}

impl DoorVerdict {
    /// Nobody has this.
    #[must_use]
    pub const fn unknown() -> Self {
        let outcome = Outcome::Refused { reason: Reason::Unknown };
        Self { outcome, warnings: Vec::new(), attention: Vec::new() }
    }

    /// Whether it opens the door.
    #[must_use]
    pub const fn is_admitted(&self) -> bool {
        match self.outcome {
            Outcome::Admitted { .. } => true,
            Outcome::Refused { .. } => false,
        }
    }

    /// Why it does not.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        match self.outcome {
            Outcome::Admitted { .. } => None,
            Outcome::Refused { reason } => Some(reason),
        }
    }

    /// Whether staff insisted.
    #[must_use]
    pub const fn is_forced(&self) -> bool {
        match self.outcome {
            Outcome::Admitted { forced } => forced.is_some(),
            Outcome::Refused { .. } => false,
        }
    }

    /// The number of `checkInStatus` in answers of single scans.
    #[must_use]
    pub fn status(&self) -> u8 {
        self.reason().map_or(Reason::ADMITTED_NOW, Reason::status)
    }

    pub(super) fn result(&self) -> ScanResult {
        match self.outcome {
            Outcome::Admitted { forced: None } => ScanResult::Done,
            Outcome::Admitted { forced: Some(reason) } => ScanResult::Forced { reason },
            Outcome::Refused { reason } => ScanResult::Refused { reason: Some(reason) },
        }
    }
}
