//! Taxes that prices contain (contract §1).

use crate::readers::{NAME_CHARS, percent};
use crate::{Amount, Checker, Field, money_text};
use domain::Money;
use domain::order::Order;
use domain::tax::{Tax, TaxShare, Taxes};
use serde::Serialize;
use utoipa::ToSchema;

/// Reads the tax on what is sold by a definition.
pub(crate) fn read_tax(checker: &mut Checker, rate: Field<Amount>, name: Field<String>) -> Tax {
    Tax {
        rate: percent(checker, "taxRate", rate).unwrap_or_default(),
        name: checker.optional_text("taxName", name, NAME_CHARS),
    }
}

/// The rate of a tax, where something was said of one.
pub(crate) fn rate_of(tax: &Tax) -> Option<String> {
    (!tax.is_unsaid()).then(|| tax.rate.to_string())
}

/// What an amount contains of a tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaxView {
    /// In percent of what remains without it, with two decimals.
    pub tax_rate: String,
    /// What it is called, such as `VAT`.
    pub tax_name: Option<String>,
    /// How much.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub tax_amount: Money,
}

/// What an order contains of a tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderTaxView {
    /// In percent of what remains without it, with two decimals.
    pub tax_rate: String,
    /// What it is called, such as `VAT`.
    pub tax_name: Option<String>,
    /// What the lines contain of it, as first ordered.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub original_tax_amount: Money,
    /// What is left of the lines contains of it.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub tax_amount: Money,
}

impl TaxView {
    /// All of them, the highest rate first.
    #[must_use]
    pub fn all(taxes: &Taxes) -> Vec<Self> {
        let view = |TaxShare { tax, amount }: &TaxShare| Self {
            tax_rate: tax.rate.to_string(),
            tax_name: tax.name.clone(),
            tax_amount: *amount,
        };
        taxes.iter().map(view).collect()
    }
}

impl OrderTaxView {
    /// All of an order, the highest rate first.
    pub(crate) fn all(order: &Order) -> Vec<Self> {
        let left = order.taxes_left();
        let view = |TaxShare { tax, amount }: &TaxShare| Self {
            tax_rate: tax.rate.to_string(),
            tax_name: tax.name.clone(),
            original_tax_amount: *amount,
            tax_amount: left.amount_of(tax),
        };
        order.taxes().iter().map(view).collect()
    }
}
