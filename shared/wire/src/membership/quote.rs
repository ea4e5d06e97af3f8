//! What a membership would cost (contract §9, `checkout/validate`).

use crate::money_number;
use domain::{Money, Timestamp, Zone};
use serde::Serialize;
use utoipa::ToSchema;

/// Dates and prices of a membership that is not bought yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteOutput {
    /// The last instant of the term.
    pub expiration_date: String,
    /// Its first instant.
    pub start_date: String,
    /// When it would be bought: now.
    pub transaction_date: String,
    /// The full price.
    #[serde(serialize_with = "money_number")]
    #[schema(value_type = f64)]
    pub retail_price: Money,
    /// What would be charged, before coupons.
    #[serde(serialize_with = "money_number")]
    #[schema(value_type = f64)]
    pub price: Money,
    /// The moment these were reckoned at.
    pub now: String,
    /// Whether the membership has a number of the venue's own.
    pub external_membership: bool,
}

impl QuoteOutput {
    /// A term from its first to its last instant at this moment, with its full price and its price.
    #[must_use]
    pub fn new(
        ((starts, ends), now): ((Timestamp, Timestamp), Timestamp),
        (retail_price, price): (Money, Money),
        external_membership: bool,
        zone: Zone,
    ) -> Self {
        let date = |instant| zone.format(instant);
        Self {
            expiration_date: date(ends),
            start_date: date(starts),
            transaction_date: date(now),
            retail_price,
            price,
            now: date(now),
            external_membership,
        }
    }
}
