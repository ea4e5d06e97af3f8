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

/// What buying or ending a membership comes to at a moment.
#[derive(Debug, Clone, Copy)]
pub struct Quoted {
    /// The first instant of the term.
    pub starts: Timestamp,
    /// Its last instant.
    pub ends: Timestamp,
    /// The moment.
    pub now: Timestamp,
    /// The full price.
    pub retail_price: Money,
    /// The price before coupons.
    pub price: Money,
    /// Whether the membership it is about has a number of the venue's own.
    pub is_external: bool,
}

impl QuoteOutput {
    /// What it comes to, as the tenant's clocks show it.
    #[must_use]
    pub fn new(quoted: &Quoted, zone: Zone) -> Self {
        let Quoted { starts, ends, now, retail_price, price, is_external } = *quoted;
        let date = |instant| zone.format(instant);
        Self {
            expiration_date: date(ends),
            start_date: date(starts),
            transaction_date: date(now),
            retail_price,
            price,
            now: date(now),
            external_membership: is_external,
        }
    }
}
