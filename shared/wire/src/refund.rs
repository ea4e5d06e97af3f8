//! Refunds of captured sales (spec §2.22, §4.11).

use crate::tax::TaxView;
use crate::{Amount, Checker, Field, incoming, money_text};
use domain::order::CardSummary;
use domain::sale::{FeeParts, NotPositive, RefundAmount, Sale};
use domain::{Money, MoneyOverflow, MoneyParseError, RefundId, SaleId};
use serde::Serialize;
use utoipa::ToSchema;

incoming! {
    /// What a merchant gives back of a sale.
    pub struct RefundInput {
        /// The sale, as `payments` of its order names it.
        sale_id: String,
        /// How much.
        charge: RefundChargeInput,
    }

    /// An amount to be given back.
    pub struct RefundChargeInput {
        /// More than 0.00 and no more than what remains of the sale.
        amount: Amount,
    }
}

/// A refund as its caller asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundWish {
    /// The sale.
    pub sale: SaleId,
    /// How much. An amount that is not positive is answered by an error of its own, and only where nothing else is wrong.
    pub amount: Result<RefundAmount, NotPositive>,
}

impl RefundInput {
    /// Reads the fields, noting every fault.
    pub fn parse(self, checker: &mut Checker) -> Option<RefundWish> {
        let sale = checker.required_id("saleId", self.sale_id, SaleId::parse);
        let charge = checker.required("charge", self.charge);
        let amount = charge.and_then(|charge| {
            checker.within("charge", |checker| {
                let amount = checker.required("amount", charge.amount)?;
                if Money::parse(amount.text()) == Err(MoneyParseError::Negative) {
                    return Some(Err(NotPositive));
                }
                checker.optional_money("amount", Field::Value(amount)).map(RefundAmount::parse)
            })
        });
        Some(RefundWish { sale: sale?, amount: amount? })
    }
}

/// A refund that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundOutput {
    /// The sale.
    pub sale_id: String,
    /// The refund.
    pub refund_id: String,
    /// What the amounts are counted in, by the ISO 4217 code.
    pub currency: String,
    /// What the card holder gets.
    pub charge: RefundChargeOutput,
    /// The card that was charged.
    pub card: RefundCardOutput,
    /// What the merchant pays for it.
    pub amount: RefundAmountOutput,
    /// What it contains of the taxes of the sale, by rate; empty where that contains none.
    pub taxes: Vec<TaxView>,
}

/// A refund as it would be now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundPreviewOutput {
    /// The sale.
    pub sale_id: String,
    /// What the amounts are counted in, by the ISO 4217 code.
    pub currency: String,
    /// What the card holder would get.
    pub charge: RefundChargeOutput,
    /// The card that was charged.
    pub card: RefundCardOutput,
    /// What the merchant would pay for it.
    pub amount: RefundAmountOutput,
    /// What it would contain of the taxes of the sale, by rate; empty where that contains none.
    pub taxes: Vec<TaxView>,
    /// What would remain of the sale.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub remainder: Money,
}

/// An amount that is given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefundChargeOutput {
    /// How much.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub amount: Money,
}

/// What may be shown of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundCardOutput {
    /// Its last four digits.
    pub last_four: String,
    /// Until when it is valid.
    pub expiration_date: RefundExpirationOutput,
    /// Its brand, in the spelling of spec §2.8.
    pub brand: &'static str,
}

/// The month in which a card expires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefundExpirationOutput {
    /// Two digits.
    pub month: String,
    /// Four digits.
    pub year: String,
}

/// An amount and the part of it that is fees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundAmountOutput {
    /// What the card holder gets.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub total_amount: Money,
    /// What the merchant gives of it: the total without the fees.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub net_amount: Money,
    /// What the merchant gets back of the fees of the sale.
    pub fee: RefundFeeOutput,
}

/// Fees, part by part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundFeeOutput {
    /// All parts together.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub total_fee: Money,
    /// The part that does not depend on the amount.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub fixed_fee: Money,
    /// The part in proportion to the amount.
    #[serde(serialize_with = "money_text")]
    #[schema(value_type = String)]
    pub percentage_fee: Money,
    /// The percentage the sale was charged at.
    pub percentage_rate: String,
}

impl RefundCardOutput {
    fn of(card: &CardSummary) -> Self {
        let expiration_date = RefundExpirationOutput {
            month: format!("{:02}", card.expiry.month()),
            year: format!("{:04}", card.expiry.year()),
        };
        Self { last_four: card.last_four.clone(), expiration_date, brand: card.brand.as_str() }
    }
}

impl RefundAmountOutput {
    fn of(sale: &Sale, amount: Money, fees: FeeParts) -> Result<Self, MoneyOverflow> {
        let total_fee = fees.total()?;
        let fee = RefundFeeOutput {
            total_fee,
            fixed_fee: fees.fixed,
            percentage_fee: fees.percentage,
            percentage_rate: sale.rate_card.percentage.to_string(),
        };
        Ok(Self { total_amount: amount, net_amount: amount.checked_sub(total_fee)?, fee })
    }
}

impl RefundOutput {
    /// A refund that is done, of the sale that lists it.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn new(sale: &Sale, id: &RefundId, amount: Money, fees: FeeParts) -> Result<Self, MoneyOverflow> {
        Ok(Self {
            sale_id: sale.id.to_string(),
            refund_id: id.to_string(),
            currency: sale.currency.to_string(),
            charge: RefundChargeOutput { amount },
            card: RefundCardOutput::of(&sale.card),
            amount: RefundAmountOutput::of(sale, amount, fees)?,
            taxes: sale.refunds.get(id).map(|refund| TaxView::all(&refund.taxes)).unwrap_or_default(),
        })
    }
}

impl RefundPreviewOutput {
    /// A refund of a sale as it would be if it were the next one.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn new(sale: &Sale, amount: Money) -> Result<Self, MoneyOverflow> {
        Ok(Self {
            sale_id: sale.id.to_string(),
            currency: sale.currency.to_string(),
            charge: RefundChargeOutput { amount },
            card: RefundCardOutput::of(&sale.card),
            amount: RefundAmountOutput::of(sale, amount, sale.fees_of_next(amount)?)?,
            taxes: TaxView::all(&sale.taxes_of_next(amount, None)?),
            remainder: sale.remainder.checked_sub(amount)?,
        })
    }
}
