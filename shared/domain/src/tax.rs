//! Taxes that prices contain (decision record 0151).
//!
//! A tax is rounded once, for each line of an order: half up to the cent. Everything else follows from those amounts,
//! so that lines add up to their order, and refunds to their sale.

use crate::{Money, MoneyOverflow, Percent};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The tax on what is sold by a definition. Prices contain it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tax {
    /// In percent of what remains of a price without it.
    pub rate: Percent,
    /// What it is called, such as `VAT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Tax {
    /// True where nothing was said of a tax.
    #[must_use]
    pub fn is_unsaid(&self) -> bool {
        *self == Self::default()
    }

    /// So much of an amount is tax, rounded half-up to the cent; none where nothing was said of one.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn in_amount(&self, amount: Money) -> Result<Option<TaxShare>, MoneyOverflow> {
        if self.is_unsaid() {
            return Ok(None);
        }
        Ok(Some(TaxShare { tax: self.clone(), amount: amount.included_half_up(self.rate)? }))
    }
}

/// So much of an amount is tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxShare {
    /// Which.
    pub tax: Tax,
    /// How much.
    pub amount: Money,
}

/// What several amounts contain of taxes, by rate and name, the highest rate first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Taxes(Vec<TaxShare>);

impl Taxes {
    /// The sums of these.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when one does not fit.
    pub fn of(shares: impl IntoIterator<Item = TaxShare>) -> Result<Self, MoneyOverflow> {
        let mut sums: BTreeMap<Tax, Money> = BTreeMap::new();
        for TaxShare { tax, amount } in shares {
            let sum = sums.entry(tax).or_default();
            *sum = sum.checked_add(amount)?;
        }
        Ok(Self(sums.into_iter().rev().map(|(tax, amount)| TaxShare { tax, amount }).collect()))
    }

    /// True where there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &TaxShare> {
        self.0.iter()
    }

    /// How much there is of one.
    #[must_use]
    pub fn amount_of(&self, tax: &Tax) -> Money {
        self.0.iter().find(|share| share.tax == *tax).map_or(Money::ZERO, |share| share.amount)
    }

    /// What falls to `part` of `whole` of each, rounded half-up to the cent, without those of which nothing does.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when the whole is nothing.
    pub fn of_part(&self, part: Money, whole: Money) -> Result<Self, MoneyOverflow> {
        self.each(|share| share.amount.share_half_up(part, whole))
    }

    /// What is left of each without these.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn less(&self, taken: &Self) -> Result<Self, MoneyOverflow> {
        self.each(|share| share.amount.checked_sub(taken.amount_of(&share.tax)))
    }

    /// No more of each than these have of it.
    #[must_use]
    pub fn at_most(&self, limit: &Self) -> Self {
        self.each(|share| Ok(share.amount.min(limit.amount_of(&share.tax)))).unwrap_or_default()
    }

    fn each(
        &self,
        amount: impl Fn(&TaxShare) -> Result<Money, MoneyOverflow>,
    ) -> Result<Self, MoneyOverflow> {
        let shares =
            self.0.iter().map(|share| Ok(TaxShare { tax: share.tax.clone(), amount: amount(share)? }));
        let shares: Result<Vec<TaxShare>, MoneyOverflow> = shares.collect();
        Ok(Self(shares?.into_iter().filter(|share| !share.amount.is_zero()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn tax(rate: &str, name: &str) -> Tax {
        let name = (!name.is_empty()).then(|| name.to_owned());
        Tax { rate: Percent::parse(rate).unwrap(), name }
    }

    fn contained(rate: &str, cents: i64) -> i64 {
        tax(rate, "").in_amount(Money::from_cents(cents)).unwrap().map_or(0, |share| share.amount.cents())
    }

    #[test]
    fn a_price_contains_its_tax_and_half_a_cent_is_rounded_up() {
        for (rate, cents, expected) in [
            ("20", 12_000, 2_000),
            ("19", 11_900, 1_900),
            ("7", 500, 33),
            ("5.5", 1_000, 52),
            // 0.005 exactly.
            ("100", 1, 1),
            ("25", 5, 1),
            ("20", 0, 0),
            ("0", 12_000, 0),
            ("8.25", 1, 0),
        ] {
            assert_eq!(contained(rate, cents), expected, "{rate} % in {cents}");
        }
    }

    #[test]
    fn amounts_are_added_by_rate_and_name_and_the_highest_rate_comes_first() {
        let share = |rate: &str, name: &str, cents: i64| TaxShare {
            tax: tax(rate, name),
            amount: Money::from_cents(cents),
        };
        let taxes = Taxes::of([
            share("7", "VAT", 33),
            share("19", "VAT", 1_900),
            share("7", "VAT", 7),
            share("7", "Levy", 1),
            share("0", "Exempt", 0),
        ]);
        let expected = [
            share("19", "VAT", 1_900),
            share("7", "VAT", 40),
            share("7", "Levy", 1),
            share("0", "Exempt", 0),
        ];
        assert_eq!(taxes.unwrap().iter().cloned().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_was_said_of_no_tax_is_stored_as_nothing_and_reads_so() {
        assert_eq!(serde_json::from_value::<Tax>(json!({})).unwrap(), Tax::default());
        assert_eq!(serde_json::to_value(tax("7.5", "VAT")).unwrap(), json!({"rate": "7.50", "name": "VAT"}));
        assert!(tax("0", "").is_unsaid() && !tax("0", "Exempt").is_unsaid());
        assert_eq!(serde_json::to_value(Taxes::default()).unwrap(), json!([]));
    }

    proptest! {
        /// What is left of a price without its tax, with the tax on it, is the price again, to within rounding.
        #[test]
        fn the_tax_is_that_of_what_remains(cents in 0_i64..100_000_000, hundredths in 0_u32..=10_000) {
            let rate = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            let found = contained(&rate, cents);
            prop_assert!((0..=cents).contains(&found));
            // |tax × (10000 + rate) − amount × rate| is at most half of the divisor.
            let (found, cents, rate) = (i128::from(found), i128::from(cents), i128::from(hundredths));
            let off = found * (10_000 + rate) - cents * rate;
            prop_assert!(off.abs() * 2 <= 10_000 + rate);
        }

        /// Parts that are taken one after the other, each as what falls to what is left before and after it, add up.
        #[test]
        fn what_falls_to_parts_of_an_amount_adds_up(
            cents in 1_i64..1_000_000,
            hundredths in 0_u32..=10_000,
            parts in proptest::collection::vec(0_i64..400_000, 0..12),
        ) {
            let rate = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            let amount = Money::from_cents(cents);
            let whole = tax(&rate, "VAT").in_amount(amount).unwrap().unwrap().amount;
            let at = |left: i64| whole.share_half_up(Money::from_cents(left), amount).unwrap();
            let (mut left, mut given) = (cents, 0);
            for part in parts.into_iter().chain([cents]) {
                let part = part.min(left);
                let tax = at(left).checked_sub(at(left - part)).unwrap().cents();
                prop_assert!((0..=part).contains(&tax));
                (left, given) = (left - part, given + tax);
            }
            prop_assert_eq!((left, given), (0, whole.cents()));
        }
    }
}
