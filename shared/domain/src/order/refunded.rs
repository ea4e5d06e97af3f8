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
    const ALL: [Self; 3] = [Self::NotRefunded, Self::PartiallyRefunded, Self::Refunded];

    /// Reads a status in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(text.trim()))
    }

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
    /// What was charged for it.
    #[must_use]
    pub fn charged(&self) -> Money {
        self.payment.as_ref().map_or(Money::ZERO, |payment| payment.amount)
    }

    /// How much of what was paid is given back; of an order that cost nothing, how much of what was bought.
    #[must_use]
    pub fn refund_status(&self) -> RefundStatus {
        if self.payment.is_none() {
            return self.returned_status();
        }
        if self.refunded.is_zero() {
            RefundStatus::NotRefunded
        } else if self.refunded < self.charged() {
            RefundStatus::PartiallyRefunded
        } else {
            RefundStatus::Refunded
        }
    }

    fn returned_status(&self) -> RefundStatus {
        let is_left = self.rows().any(|row| self.left_of(row).quantity > 0);
        match (self.after_sale.refunds.is_empty(), is_left) {
            (true, _) => RefundStatus::NotRefunded,
            (false, true) => RefundStatus::PartiallyRefunded,
            (false, false) => RefundStatus::Refunded,
        }
    }
}
