//! Discounts (contract §7).

use super::{CODE_CHARS, Known, MAX_ENTRIES};
use crate::identified::identified;
use crate::readers::{at_most, name, own_id, percent, price, text, word};
use crate::{Amount, Checker, Field, incoming};
use domain::coupon::{Discount, DiscountValue, Reduction};
use domain::{DiscountId, TicketTypeId};
use serde::Serialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// A discount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DiscountOutput {
    /// Its id.
    pub id: String,
    /// For the back office.
    pub name: String,
    /// For the back office.
    pub description: String,
    /// The venue's own code for it.
    pub code: String,
    /// One per ticket type that gets something off.
    pub values: Vec<DiscountValueOutput>,
}

/// What one ticket type gets off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscountValueOutput {
    /// The ticket type.
    pub person_type_id: String,
    /// `amount`, `percent` or `fixedPrice`.
    pub discount_type: &'static str,
    /// The amount, the percentage or the price, with two decimals.
    pub value: String,
}

impl From<&Discount> for DiscountOutput {
    fn from(discount: &Discount) -> Self {
        let Discount { id, name, description, code, values } = discount;
        let value = |DiscountValue { ticket_type, reduction }: &DiscountValue| {
            let (discount_type, value) = shown(*reduction);
            DiscountValueOutput { person_type_id: ticket_type.to_string(), discount_type, value }
        };
        Self {
            id: id.to_string(),
            name: name.clone(),
            description: description.clone(),
            code: code.clone(),
            values: values.iter().map(value).collect(),
        }
    }
}

/// `discountType` and `value` of a reduction.
pub(super) fn shown(reduction: Reduction) -> (&'static str, String) {
    match reduction {
        Reduction::Amount(amount) => ("amount", amount.to_string()),
        Reduction::Percent(percent) => ("percent", percent.to_string()),
        Reduction::FixedPrice(price) => ("fixedPrice", price.to_string()),
    }
}

incoming! {
    /// What one ticket type gets off.
    pub struct DiscountValueInput {
        #[schema(required = true)]
        person_type_id: String,
        #[schema(required = true)]
        discount_type: String,
        #[schema(required = true)]
        value: Amount,
    }
    /// A discount.
    pub struct DiscountInput {
        id: String,
        #[schema(required = true)]
        name: String,
        description: String,
        code: String,
        values: Vec<DiscountValueInput>,
    }
}

identified! {
    DiscountInput: id;
}

/// The three forms of `discountType`.
#[derive(Clone, Copy)]
enum DiscountForm {
    Amount,
    Percent,
    FixedPrice,
}

fn form(text: &str) -> Option<DiscountForm> {
    let named = [
        ("amount", DiscountForm::Amount),
        ("percent", DiscountForm::Percent),
        ("fixedPrice", DiscountForm::FixedPrice),
    ];
    named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, form)| form)
}

pub(super) fn reduction(
    checker: &mut Checker,
    kind: Field<String>,
    value: Field<Amount>,
) -> Option<Reduction> {
    checker.require("discountType", &kind);
    checker.require("value", &value);
    let Some(form) = word(checker, "discountType", kind, form, "amount, percent, fixedPrice") else {
        checker.optional_money("value", value);
        return None;
    };
    match form {
        DiscountForm::Amount => price(checker, "value", value).map(Reduction::Amount),
        DiscountForm::Percent => percent(checker, "value", value).map(Reduction::Percent),
        DiscountForm::FixedPrice => price(checker, "value", value).map(Reduction::FixedPrice),
    }
}

impl DiscountInput {
    /// The discount, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, known: &Known) -> Option<Discount> {
        let id = own_id(checker, self.id, DiscountId::parse);
        let mut seen = BTreeSet::new();
        let values = checker.each("values", self.values, |checker, input| {
            let ticket_type = checker.required_id("personTypeId", input.person_type_id, TicketTypeId::parse);
            if let Some(id) = &ticket_type {
                if !known.ticket_types.contains(id) {
                    checker.unknown("personTypeId");
                }
                if !seen.insert(id.clone()) {
                    checker.invalid("personTypeId", "already has a value");
                }
            }
            let reduction = reduction(checker, input.discount_type, input.value);
            Some(DiscountValue { ticket_type: ticket_type?, reduction: reduction? })
        });
        at_most(checker, "values", &values, MAX_ENTRIES);
        let name = name(checker, "name", self.name);
        let description = text(checker, "description", self.description);
        let code = checker.optional_text("code", self.code, CODE_CHARS).unwrap_or_default();
        Some(Discount { id: id?, name, description, code, values: values.into_iter().flatten().collect() })
    }
}
