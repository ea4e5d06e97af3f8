//! Combos: several events sold together at one price (spec §2.2 `comboItems`, contract §7).

use crate::coupon::{Discount, Reduction};
use crate::tax::Tax;
use crate::{ComboTemplateId, DiscountId, Money, TemplateId, TicketTypeId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Fewest events of a combo.
pub const MIN_PARTS: usize = 2;
/// Most events of a combo.
pub const MAX_PARTS: usize = 10;

/// The definition of a combo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Combo {
    pub id: ComboTemplateId,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    #[serde(default)]
    pub description: String,
    /// An inactive combo is not sold.
    pub active: bool,
    /// Its events, each once; from [`MIN_PARTS`] to [`MAX_PARTS`].
    pub parts: Vec<ComboPart>,
    /// What it costs.
    pub pricing: ComboPricing,
    /// What its price contains.
    #[serde(default, skip_serializing_if = "Tax::is_unsaid")]
    pub tax: Tax,
}

/// One event of a combo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComboPart {
    /// The event; visitors choose the instance.
    pub template: TemplateId,
    /// Tickets for it in one combo, at least one.
    pub quantity: u32,
}

/// How the price of a combo comes about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum ComboPricing {
    /// One price for all parts together, for each ticket type it is sold for.
    FixedPrice(Vec<ComboPrice>),
    /// A discount on the tickets of every part, for the ticket types it has values for.
    Discount(DiscountId),
}

/// The price of one combo for a ticket type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComboPrice {
    /// Whose price.
    pub ticket_type: TicketTypeId,
    /// The price of all parts together.
    pub price: Money,
}

/// What `comboTemplateType` says of a combo (spec §2.9, contract §7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ComboKind {
    /// One price for all parts together.
    FixedPrice,
    /// A discount on every part.
    DiscountCode,
}

impl ComboKind {
    /// The spelling of the specification.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FixedPrice => "fixedPrice",
            Self::DiscountCode => "discountCode",
        }
    }

    /// Reads the word in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::FixedPrice, Self::DiscountCode];
        all.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// What a combo takes off for one ticket type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComboTerms {
    /// All parts together cost this.
    Whole(Money),
    /// Every ticket is reduced by this.
    Each(Reduction),
}

impl Combo {
    /// The part that is for a template.
    #[must_use]
    pub fn part_of(&self, template: &TemplateId) -> Option<&ComboPart> {
        self.parts.iter().find(|part| part.template == *template)
    }

    /// True when it has a price of its own for a ticket type.
    #[must_use]
    pub fn prices_for(&self, ticket_type: &TicketTypeId) -> bool {
        match &self.pricing {
            ComboPricing::FixedPrice(prices) => prices.iter().any(|price| price.ticket_type == *ticket_type),
            ComboPricing::Discount(_) => false,
        }
    }

    /// How its price comes about.
    #[must_use]
    pub const fn kind(&self) -> ComboKind {
        match self.pricing {
            ComboPricing::FixedPrice(_) => ComboKind::FixedPrice,
            ComboPricing::Discount(_) => ComboKind::DiscountCode,
        }
    }

    /// The discount it names.
    #[must_use]
    pub const fn discount(&self) -> Option<&DiscountId> {
        match &self.pricing {
            ComboPricing::FixedPrice(_) => None,
            ComboPricing::Discount(id) => Some(id),
        }
    }

    /// What it takes off for a ticket type; none where it is not sold for that type.
    #[must_use]
    pub fn terms_of(
        &self,
        ticket_type: &TicketTypeId,
        discounts: &BTreeMap<DiscountId, Discount>,
    ) -> Option<ComboTerms> {
        match &self.pricing {
            ComboPricing::FixedPrice(prices) => {
                let price = prices.iter().find(|price| price.ticket_type == *ticket_type)?;
                Some(ComboTerms::Whole(price.price))
            }
            ComboPricing::Discount(id) => discounts.get(id)?.reduction_of(ticket_type).map(ComboTerms::Each),
        }
    }
}
