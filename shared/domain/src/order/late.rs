//! Money of an order that came after everything had been given back: it goes back as well (decision record 0146).

use crate::payment::Decline;
use crate::{RefundId, Timestamp};
use serde::{Deserialize, Serialize};

/// The return of money that came late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateMoney {
    /// When it was found.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub found_at: Timestamp,
    /// By what the processor knows its return.
    pub refund: RefundId,
    /// How far that came.
    pub state: LateState,
}

/// How far the return of money has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum LateState {
    /// The processor was asked, or is about to be.
    Pending {
        /// After this instant whoever finds it asks again.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        deadline: Timestamp,
    },
    /// It went back.
    Returned {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
    },
    /// The processor refused, for example because someone returned it by hand.
    Refused {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
        /// Why.
        decline: Decline,
    },
}

impl LateMoney {
    /// When whoever finds it asks again; none once it has ended.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        match self.state {
            LateState::Pending { deadline } => Some(deadline),
            LateState::Returned { .. } | LateState::Refused { .. } => None,
        }
    }

    /// When it went back, if it did.
    #[must_use]
    pub fn returned_at(&self) -> Option<Timestamp> {
        match self.state {
            LateState::Returned { at } => Some(at),
            LateState::Pending { .. } | LateState::Refused { .. } => None,
        }
    }
}
