//! What was given back of an order's money (spec §2.9, §2.18).

use super::Order;
use crate::Money;

/// How much of what was paid is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundStatus {
    /// Nothing.
    NotRefunded,
    /// A part.
    PartiallyRefunded,
    /// All.
    Refunded,
}

impl RefundStatus {
    /// The spelling of answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotRefunded => "Not Refunded",
            Self::PartiallyRefunded => "Partially Refunded",
            Self::Refunded => "Refunded",
        }
    }
}

impl Order {
    /// How much of what was paid is given back.
    #[must_use]
    pub fn refund_status(&self) -> RefundStatus {
        let paid = self.payment.as_ref().map_or(Money::ZERO, |payment| payment.amount);
        if self.refunded.is_zero() {
            RefundStatus::NotRefunded
        } else if self.refunded < paid {
            RefundStatus::PartiallyRefunded
        } else {
            RefundStatus::Refunded
        }
    }
}
