//! Combos (contract §7).

use super::{Known, MAX_ENTRIES};
use crate::identified::identified;
use crate::readers::{at_most, count, name, own_id, price, text, word};
use crate::tax::{rate_of, read_tax};
use crate::{Amount, Checker, Field, List, incoming};
use domain::cart_request::MAX_QUANTITY;
use domain::combo::{Combo, ComboKind, ComboPart, ComboPrice, ComboPricing, MAX_PARTS, MIN_PARTS};
use domain::{ComboTemplateId, DiscountId, TemplateId, TicketTypeId};
use serde::Serialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// A combo; it has either `prices` or `discountId`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComboOutput {
    /// Its id.
    pub id: String,
    /// Shown to visitors.
    pub name: String,
    /// Shown to visitors.
    pub description: String,
    /// Whether it is sold.
    pub active: bool,
    /// `fixedPrice` or `discountCode`.
    pub combo_template_type: &'static str,
    /// Its events.
    pub parts: Vec<ComboPartOutput>,
    /// Of `fixedPrice`: what all parts together cost, one per ticket type it is sold for.
    pub prices: Option<Vec<ComboPriceOutput>>,
    /// Of `discountCode`: the discount on the tickets of every part.
    pub discount_id: Option<String>,
    /// What its price contains of tax, in percent of what remains without it; left out where nothing was said of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_rate: Option<String>,
    /// What that tax is called; left out where that was not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_name: Option<String>,
}

/// One event of a combo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComboPartOutput {
    /// The event.
    pub event_template_id: String,
    /// Tickets for it in one combo.
    pub quantity: u32,
}

/// What one ticket type pays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComboPriceOutput {
    /// The ticket type.
    pub person_type_id: String,
    /// The price of all parts together, with two decimals.
    pub price: String,
}

impl From<&Combo> for ComboOutput {
    fn from(combo: &Combo) -> Self {
        let Combo { id, name, description, active, parts, pricing, tax } = combo;
        let price = |ComboPrice { ticket_type, price }: &ComboPrice| ComboPriceOutput {
            person_type_id: ticket_type.to_string(),
            price: price.to_string(),
        };
        let (prices, discount_id) = match pricing {
            ComboPricing::FixedPrice(prices) => (Some(prices.iter().map(price).collect()), None),
            ComboPricing::Discount(id) => (None, Some(id.to_string())),
        };
        let part = |ComboPart { template, quantity }: &ComboPart| ComboPartOutput {
            event_template_id: template.to_string(),
            quantity: *quantity,
        };
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            active: *active,
            combo_template_type: combo.kind().as_str(),
            parts: parts.iter().map(part).collect(),
            prices,
            discount_id,
            tax_rate: rate_of(tax),
            tax_name: tax.name.clone(),
        }
    }
}

incoming! {
    /// One event of a combo.
    pub struct ComboPartInput {
        event_template_id: String,
        template_id: String,
        quantity: i64,
    }
    /// What one ticket type pays.
    pub struct ComboPriceInput {
        person_type_id: String,
        price: Amount,
    }
    /// A combo: `prices` for `fixedPrice`, `discountId` for `discountCode`.
    pub struct ComboInput {
        id: String,
        name: String,
        description: String,
        active: bool,
        combo_template_type: String,
        parts: Vec<ComboPartInput>,
        prices: Vec<ComboPriceInput>,
        discount_id: String,
        /// What its price contains of tax, in percent of what remains without it, 0 to 100; `0` where nothing is sent.
        tax_rate: Amount,
        /// What that tax is called, such as `VAT`.
        tax_name: String,
    }
}

identified! {
    ComboInput: id;
}

impl ComboInput {
    /// The combo, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, known: &Known) -> Option<Combo> {
        let id = own_id(checker, self.id, ComboTemplateId::parse);
        let parts = read_parts(checker, self.parts, known);
        checker.require("comboTemplateType", &self.combo_template_type);
        let expected = "fixedPrice, discountCode";
        let kind = word(checker, "comboTemplateType", self.combo_template_type, ComboKind::parse, expected);
        let pricing = match kind {
            Some(kind) => read_pricing(checker, kind, self.prices, self.discount_id, known),
            None => {
                checker.optional_id("discountId", self.discount_id, DiscountId::parse);
                if matches!(self.prices, Field::Value(_) | Field::Wrong) {
                    read_prices(checker, self.prices, known);
                }
                None
            }
        };
        let combo = Combo {
            name: name(checker, "name", self.name),
            description: text(checker, "description", self.description),
            active: checker.optional("active", self.active).unwrap_or(true),
            parts,
            tax: read_tax(checker, self.tax_rate, self.tax_name),
            pricing: pricing?,
            id: id?,
        };
        Some(combo)
    }
}

fn read_parts(checker: &mut Checker, sent: Field<List<ComboPartInput>>, known: &Known) -> Vec<ComboPart> {
    let is_list = !matches!(sent, Field::Wrong);
    let mut seen = BTreeSet::new();
    let parts = checker.each("parts", sent, |checker, input| {
        let sent = [input.event_template_id, input.template_id];
        let template = checker.either(["eventTemplateId", "templateId"], sent);
        let template = checker.required_id("eventTemplateId", template, TemplateId::parse);
        if let Some(id) = &template {
            if !known.templates.contains(id) {
                checker.unknown("eventTemplateId");
            }
            if !seen.insert(id.clone()) {
                checker.invalid("eventTemplateId", "is already a part");
            }
        }
        let quantity = match input.quantity {
            Field::Absent | Field::Null => Some(1),
            sent @ (Field::Value(_) | Field::Wrong) => count(checker, "quantity", sent, 1..=MAX_QUANTITY),
        };
        Some(ComboPart { template: template?, quantity: quantity? })
    });
    if is_list && !(MIN_PARTS..=MAX_PARTS).contains(&parts.len()) {
        checker.invalid("parts", format!("must have between {MIN_PARTS} and {MAX_PARTS} entries"));
    }
    parts.into_iter().flatten().collect()
}

fn read_pricing(
    checker: &mut Checker,
    kind: ComboKind,
    prices: Field<List<ComboPriceInput>>,
    discount: Field<String>,
    known: &Known,
) -> Option<ComboPricing> {
    match kind {
        ComboKind::FixedPrice => {
            if discount.is_sent() {
                checker.invalid("discountId", "must not be sent for a combo with a fixed price");
            }
            read_prices(checker, prices, known).map(ComboPricing::FixedPrice)
        }
        ComboKind::DiscountCode => {
            let has_prices = match &prices {
                Field::Absent | Field::Null => false,
                Field::Value(list) => !list.0.is_empty(),
                Field::Wrong => true,
            };
            if has_prices {
                checker.invalid("prices", "must not be sent for a combo with a discount");
            }
            let id = checker.required_id("discountId", discount, DiscountId::parse);
            if id.as_ref().is_some_and(|id| !known.discounts.contains(id)) {
                checker.unknown("discountId");
            }
            id.map(ComboPricing::Discount)
        }
    }
}

fn read_prices(
    checker: &mut Checker,
    sent: Field<List<ComboPriceInput>>,
    known: &Known,
) -> Option<Vec<ComboPrice>> {
    let is_list = !matches!(sent, Field::Wrong);
    let mut seen = BTreeSet::new();
    let prices = checker.each("prices", sent, |checker, input| {
        let ticket_type = checker.required_id("personTypeId", input.person_type_id, TicketTypeId::parse);
        if let Some(id) = &ticket_type {
            if !known.ticket_types.contains(id) {
                checker.unknown("personTypeId");
            }
            if !seen.insert(id.clone()) {
                checker.invalid("personTypeId", "already has a price");
            }
        }
        checker.require("price", &input.price);
        let price = price(checker, "price", input.price);
        Some(ComboPrice { ticket_type: ticket_type?, price: price? })
    });
    if prices.is_empty() && is_list {
        checker.invalid("prices", "must have at least one entry");
    }
    at_most(checker, "prices", &prices, MAX_ENTRIES);
    prices.into_iter().collect()
}
