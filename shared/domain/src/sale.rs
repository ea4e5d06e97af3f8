//! Captured card sales: what a merchant got, what was given back of it and what still may be (spec §2.22,
//! contract §11).

use crate::order::CardSummary;
use crate::tax::Taxes;
use crate::{
    Currency, Mid, Money, MoneyOverflow, OrderId, PaymentReference, RefundId, SaleId, Timestamp,
    merchant::RateCard,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Refunds one sale may have. They are kept in the sale's own item, of which they fill an eighth.
pub const MAX_REFUNDS: usize = 200;

/// Seconds from taking a refund until whoever finds it may finish it: longer than any function runs. Who asks what
/// became of a refund that is under way is told to come back after them.
pub const REFUND_SECS: u32 = 60;

/// One captured sale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sale {
    pub id: SaleId,
    /// The order it paid.
    pub order: OrderId,
    /// The merchant that charged.
    pub mid: Mid,
    /// What the processor calls the payment; none for a sale that was written before this was kept. Opening the
    /// payment of its order again tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PaymentReference>,
    /// What its amounts are counted in.
    #[serde(default, skip_serializing_if = "Currency::is_usual")]
    pub currency: Currency,
    /// What it contains of taxes.
    #[serde(default, skip_serializing_if = "Taxes::is_empty")]
    pub taxes: Taxes,
    /// What was captured.
    pub amount: Money,
    /// What may still be refunded: the amount without its refunds, those that are under way included.
    pub remainder: Money,
    /// What the merchant pays for it.
    pub rate_card: RateCard,
    /// The card, as far as it may be kept.
    pub card: CardSummary,
    /// When it was captured.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub captured_at: Timestamp,
    /// What was taken from the remainder. A refund that the processor refuses is not kept.
    #[serde(default)]
    pub refunds: BTreeMap<RefundId, SaleRefund>,
    /// Counts the changes of its refunds.
    #[serde(default)]
    pub version: u64,
}

/// Money of a sale on its way back, or given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaleRefund {
    /// How much.
    pub amount: Money,
    /// What that contained of taxes, once it is done.
    #[serde(default, skip_serializing_if = "Taxes::is_empty")]
    pub taxes: Taxes,
    /// When it was taken from the remainder.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub taken_at: Timestamp,
    /// Taken under a clock its caller chose; the real schedule leaves it alone.
    #[serde(default)]
    pub chosen_clock: bool,
    /// How far it has come.
    pub state: RefundState,
}

/// How far a refund has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum RefundState {
    /// Taken from the remainder; the processor has not said yet what became of it, or nobody has noted it.
    Pending {
        /// After this instant the refund is finished by whoever finds it.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        deadline: Timestamp,
    },
    /// The money is given back.
    Done {
        /// When.
        #[serde(with = "chrono::serde::ts_milliseconds")]
        at: Timestamp,
        /// What the merchant gets back of the fees.
        fees: FeeParts,
    },
}

/// What a refund comes to when it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneRefund {
    /// When.
    pub at: Timestamp,
    /// What the merchant gets back of the fees.
    pub fees: FeeParts,
    /// What it gives back of the taxes.
    pub taxes: Taxes,
}

/// Fees of a sale or of a refund, part by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeeParts {
    /// The part that does not depend on the amount.
    pub fixed: Money,
    /// The part in proportion to the amount.
    pub percentage: Money,
}

impl FeeParts {
    /// All parts together.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when they do not fit.
    pub fn total(self) -> Result<Money, MoneyOverflow> {
        self.fixed.checked_add(self.percentage)
    }

    fn minus(self, other: Self) -> Result<Self, MoneyOverflow> {
        Ok(Self {
            fixed: self.fixed.checked_sub(other.fixed)?,
            percentage: self.percentage.checked_sub(other.percentage)?,
        })
    }
}

/// An amount that is to be given back: more than 0.00 (spec §4.11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefundAmount(Money);

/// The amount is 0.00 or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPositive;

impl RefundAmount {
    /// Reads an amount.
    ///
    /// # Errors
    /// [`NotPositive`] for nothing and less.
    pub fn parse(amount: Money) -> Result<Self, NotPositive> {
        if amount > Money::ZERO { Ok(Self(amount)) } else { Err(NotPositive) }
    }

    /// How much.
    #[must_use]
    pub const fn money(self) -> Money {
        self.0
    }
}

/// Why a refund cannot be taken from a sale, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefundRefusal {
    /// The merchant has no such sale.
    UnknownSale,
    /// More than what remains of it.
    ExceedsRemainder {
        /// What remains.
        remainder: Money,
    },
    /// It has [`MAX_REFUNDS`] refunds.
    TooManyRefunds,
}

/// Whether an amount can be taken from what is known as a merchant's sale.
///
/// # Errors
/// The [`RefundRefusal`] that stands against it.
pub fn refundable<'a>(sale: Option<&'a Sale>, mid: &Mid, amount: Money) -> Result<&'a Sale, RefundRefusal> {
    let sale = sale.filter(|sale| sale.mid == *mid).ok_or(RefundRefusal::UnknownSale)?;
    if sale.remainder < amount {
        return Err(RefundRefusal::ExceedsRemainder { remainder: sale.remainder });
    }
    if sale.refunds.len() >= MAX_REFUNDS {
        return Err(RefundRefusal::TooManyRefunds);
    }
    Ok(sale)
}

impl SaleRefund {
    /// A refund that is being taken at `now`.
    #[must_use]
    pub fn pending(amount: Money, now: Timestamp, chosen_clock: bool) -> Self {
        let deadline = crate::time::plus_secs(now, i64::from(REFUND_SECS));
        let taxes = Taxes::default();
        Self { amount, taxes, taken_at: now, chosen_clock, state: RefundState::Pending { deadline } }
    }

    /// When whoever finds it may finish it; none when it is done.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        match self.state {
            RefundState::Pending { deadline } => Some(deadline),
            RefundState::Done { .. } => None,
        }
    }

    /// When the money was given back, once it was.
    #[must_use]
    pub fn done_at(&self) -> Option<Timestamp> {
        match self.state {
            RefundState::Pending { .. } => None,
            RefundState::Done { at, fees: _ } => Some(at),
        }
    }

    /// The fees the merchant got back, once it is done.
    #[must_use]
    pub fn fees(&self) -> Option<FeeParts> {
        match self.state {
            RefundState::Pending { .. } => None,
            RefundState::Done { at: _, fees } => Some(fees),
        }
    }
}

impl Sale {
    /// The sale with a refund taken from it, one more change further.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when the remainder does not fit.
    pub fn with(&self, id: &RefundId, refund: SaleRefund) -> Result<Self, MoneyOverflow> {
        let mut sale = self.clone();
        sale.remainder = sale.remainder.checked_sub(refund.amount)?;
        sale.version = sale.version.saturating_add(1);
        sale.refunds.insert(id.clone(), refund);
        Ok(sale)
    }

    /// The sale after a refund of it is done.
    #[must_use]
    pub fn with_done(&self, id: &RefundId, done: &DoneRefund) -> Self {
        let mut sale = self.clone();
        sale.version = sale.version.saturating_add(1);
        let DoneRefund { at, fees, taxes } = done;
        if let Some(refund) = sale.refunds.get_mut(id) {
            refund.state = RefundState::Done { at: *at, fees: *fees };
            refund.taxes = taxes.clone();
        }
        sale
    }

    /// The sale after a refund of it was given back to the remainder.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when the remainder does not fit.
    pub fn without(&self, id: &RefundId) -> Result<Self, MoneyOverflow> {
        let mut sale = self.clone();
        sale.version = sale.version.saturating_add(1);
        if let Some(refund) = sale.refunds.remove(id) {
            sale.remainder = sale.remainder.checked_add(refund.amount)?;
        }
        Ok(sale)
    }

    /// What was given back, without what is still under way.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn refunded(&self) -> Result<Money, MoneyOverflow> {
        let done = self.refunds.values().filter(|refund| refund.deadline().is_none());
        Money::sum(done.map(|refund| refund.amount))
    }

    /// The fees that no refund has given back so far.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when they do not fit.
    pub fn fees_left(&self) -> Result<FeeParts, MoneyOverflow> {
        let fees = self.rate_card.fees(self.amount)?;
        let charged = FeeParts { fixed: fees.fixed, percentage: fees.percentage };
        self.refunds.values().filter_map(SaleRefund::fees).try_fold(charged, FeeParts::minus)
    }

    /// The fees a merchant gets back with a refund of `amount` that is done next. Each part is in proportion to
    /// the amount, rounded half-up to the cent and never more than is left; what completes the refund of the whole
    /// sale brings all that is left, so that the fees of all refunds add up to the sale's (contract §11).
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn fees_of_next(&self, amount: Money) -> Result<FeeParts, MoneyOverflow> {
        let left = self.fees_left()?;
        if self.refunded()?.checked_add(amount)? >= self.amount {
            return Ok(left);
        }
        let charged = self.rate_card.fees(self.amount)?;
        let share = |part: Money| part.share_half_up(amount, self.amount);
        Ok(FeeParts {
            fixed: share(charged.fixed)?.min(left.fixed),
            percentage: share(charged.percentage)?.min(left.percentage),
        })
    }

    /// The taxes that no refund has given back so far.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when they do not fit.
    pub fn taxes_left(&self) -> Result<Taxes, MoneyOverflow> {
        self.refunds.values().try_fold(self.taxes.clone(), |left, refund| left.less(&refund.taxes))
    }

    /// The taxes that a refund of `amount` gives back which is done next: those of what it is given for, where that is
    /// known, and never more than is left of each; otherwise what falls to the amount of all that is left. What
    /// completes the refund of the whole sale brings all that is left, so that the taxes of all refunds are the sale's.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn taxes_of_next(&self, amount: Money, of_goods: Option<&Taxes>) -> Result<Taxes, MoneyOverflow> {
        let (left, before) = (self.taxes_left()?, self.refunded()?);
        if before.checked_add(amount)? >= self.amount {
            return Ok(left);
        }
        match of_goods {
            Some(of_goods) => Ok(of_goods.at_most(&left)),
            None => left.of_part(amount, self.amount.checked_sub(before)?),
        }
    }

    /// The refunds that are under way, by the clock they were taken under and their deadline, the earliest first.
    #[must_use]
    pub fn pending(&self) -> Vec<(bool, Timestamp, &RefundId)> {
        let pending = self
            .refunds
            .iter()
            .filter_map(|(id, refund)| Some((refund.chosen_clock, refund.deadline()?, id)));
        let mut pending: Vec<_> = pending.collect();
        pending.sort();
        pending
    }
}

#[cfg(test)]
mod tests;
