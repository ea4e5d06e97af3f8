//! Captured card sales: what a merchant got and what may still be refunded (spec §2.22, contract §11).

use crate::order::CardSummary;
use crate::{Mid, Money, OrderId, SaleId, Timestamp, merchant::RateCard};
use serde::{Deserialize, Serialize};

/// One captured sale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sale {
    /// Identity.
    pub id: SaleId,
    /// The order it paid.
    pub order: OrderId,
    /// The merchant that charged.
    pub mid: Mid,
    /// What was captured.
    pub amount: Money,
    /// What may still be refunded.
    pub remainder: Money,
    /// What the merchant pays for it.
    pub rate_card: RateCard,
    /// The card, as far as it may be kept.
    pub card: CardSummary,
    /// When it was captured.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub captured_at: Timestamp,
}
