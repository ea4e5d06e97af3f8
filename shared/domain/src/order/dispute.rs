//! What a processor tells of a payment after it was made: that its buyer disputes it with the issuer of the card, and
//! that a refund did not arrive (decision record 0147).

use super::Order;
use crate::{Money, RefundId, Timestamp};
use serde::{Deserialize, Serialize};

/// The latest dispute about the payment of an order, as the processor tells it: of several, the one that was opened
/// last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispute {
    /// The processor's name for it.
    pub id: String,
    /// When it was opened, by the processor's clock.
    #[serde(default, with = "chrono::serde::ts_milliseconds")]
    pub opened_at: Timestamp,
    /// Where it stands.
    pub status: DisputeStatus,
    /// When it was first heard that it stands there.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub heard_at: Timestamp,
}

/// A refund that did not reach the card, as the processor tells it, possibly days after it took the refund.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedRefund {
    /// Which.
    pub refund: RefundId,
    /// When that was first heard.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub heard_at: Timestamp,
}

impl Order {
    /// The refunds whose money counts as given back and lies with the venue. One that failed at once was given up, and
    /// there is nothing to do about it.
    pub fn undelivered_refunds(&self) -> impl Iterator<Item = &FailedRefund> {
        self.failed_refunds.iter().filter(|failed| self.counts_as_given_back(&failed.refund))
    }

    /// Whether the money of a refund counts as given back, as far as the order tells: refunds by the merchant, which only
    /// its sale lists, are those by which more was given back than the order lists.
    fn counts_as_given_back(&self, id: &RefundId) -> bool {
        if let Some(listed) = self.after_sale.refund(id) {
            return !listed.is_pending();
        }
        let done = self.after_sale.refunds.iter().filter(|refund| !refund.is_pending());
        let listed = Money::sum(done.map(|refund| refund.amount));
        let is_late = self.late_money.as_ref().is_some_and(|late| late.refund == *id);
        is_late || listed.is_ok_and(|listed| self.refunded > listed)
    }
}

/// Where a dispute stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DisputeStatus {
    /// The issuer has not decided.
    Open,
    /// For the venue: it keeps the money.
    Won,
    /// For the buyer: the money went back.
    Lost,
}

impl DisputeStatus {
    /// The name used in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Won => "won",
            Self::Lost => "lost",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::refund::tests::{amounts, order, tickets};
    use serde_json::{Value, json};

    /// An order of which so many cents were given back, with refunds that it lists, of 5.00 each.
    fn refunded(cents: i64, listed: &[(&str, Value)]) -> Order {
        let mut order = order(&[tickets("11", "7a10c4e2b95d3f0816e4a2c1", amounts(3, 1_000, 1_000))]);
        order.refunded = Money::from_cents(cents);
        for (id, state) in listed {
            let refund = json!({
                "id": id, "number": 1, "at": 0, "state": state, "amount": 500, "items": [], "by": "office",
            });
            order.after_sale = order.after_sale.with_refund(serde_json::from_value(refund).unwrap());
        }
        for id in ["refund_a", "refund_b"] {
            let refund = RefundId::parse(id).unwrap();
            order.failed_refunds.push(FailedRefund { refund, heard_at: Timestamp::default() });
        }
        order
    }

    fn told(order: &Order) -> Vec<&str> {
        order.undelivered_refunds().map(|failed| failed.refund.as_str()).collect()
    }

    #[test]
    fn a_refund_that_failed_is_told_once_its_money_counts_as_given_back() {
        let (done, pending) = (json!({"state": "done", "at": 0}), json!({"state": "pending"}));
        // The other one failed at once, and was given up.
        assert_eq!(told(&refunded(500, &[("refund_a", done.clone())])), ["refund_a"]);
        assert_eq!(told(&refunded(0, &[("refund_a", pending.clone())])), Vec::<&str>::new());
        assert_eq!(
            told(&refunded(1_000, &[("refund_a", done.clone()), ("refund_b", done.clone())])),
            ["refund_a", "refund_b"]
        );
        // A merchant gave back more, by a refund that the sale alone lists.
        assert_eq!(told(&refunded(700, &[("refund_a", done)])), ["refund_a", "refund_b"]);
        assert_eq!(told(&refunded(200, &[("refund_a", pending)])), ["refund_b"]);
        assert_eq!(told(&refunded(0, &[])), Vec::<&str>::new());
    }
}
