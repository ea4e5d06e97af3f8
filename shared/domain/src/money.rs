//! Exact money. No floating point touches an amount anywhere in Boxoffice.

use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An amount in whole cents of the tenant's currency; negative only as the result of a subtraction.
///
/// On the wire it is decimal text with two decimals (spec §2.1); in storage it is the number of cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(i64);

/// Why a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoneyParseError {
    /// Not a decimal number at all, or beyond the range of an amount.
    NotANumber,
    /// More than two decimals: refused, never rounded.
    TooManyDecimals,
}

/// The result of an arithmetic step does not fit an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoneyOverflow;

impl Money {
    /// No money.
    pub const ZERO: Self = Self(0);
    /// The largest amount accepted from outside: ten million, so that 2,000 tickets of it still add up.
    pub const MAX_INPUT: Self = Self(1_000_000_000);

    /// An amount of whole cents.
    #[must_use]
    pub const fn from_cents(cents: i64) -> Self {
        Self(cents)
    }

    /// The amount in whole cents.
    #[must_use]
    pub const fn cents(self) -> i64 {
        self.0
    }

    /// True for exactly nothing.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Reads decimal text as it stands in a JSON string or number, exponents included, without a float step.
    ///
    /// # Errors
    /// [`MoneyParseError`] when the text is no number, is out of range, or has more than two decimals.
    pub fn parse(text: &str) -> Result<Self, MoneyParseError> {
        let text = text.trim();
        let decimal = if text.contains(['e', 'E']) {
            Decimal::from_scientific(text)
        } else {
            Decimal::from_str_exact(text)
        }
        .map_err(|_| MoneyParseError::NotANumber)?;
        let cents = decimal.checked_mul(Decimal::ONE_HUNDRED).ok_or(MoneyParseError::NotANumber)?;
        if !cents.fract().is_zero() {
            return Err(MoneyParseError::TooManyDecimals);
        }
        cents.to_i64().map(Self).ok_or(MoneyParseError::NotANumber)
    }

    /// The sum.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn checked_add(self, other: Self) -> Result<Self, MoneyOverflow> {
        self.0.checked_add(other.0).map(Self).ok_or(MoneyOverflow)
    }

    /// The difference, which may be negative.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyOverflow> {
        self.0.checked_sub(other.0).map(Self).ok_or(MoneyOverflow)
    }

    /// The amount of `quantity` units at this price.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn checked_mul(self, quantity: u32) -> Result<Self, MoneyOverflow> {
        self.0.checked_mul(i64::from(quantity)).map(Self).ok_or(MoneyOverflow)
    }

    /// The sum of many amounts.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn sum(amounts: impl IntoIterator<Item = Self>) -> Result<Self, MoneyOverflow> {
        amounts.into_iter().try_fold(Self::ZERO, Self::checked_add)
    }

    /// `percent` of this amount, rounded half-up (away from zero) to the cent: the one rounding rule of
    /// Boxoffice, always applied per unit (contract §1).
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn percent_half_up(self, percent: Percent) -> Result<Self, MoneyOverflow> {
        half_up(i128::from(self.0).saturating_mul(percent.hundredths()))
    }

    /// The amount as a decimal number of the currency's units.
    #[must_use]
    pub fn decimal(self) -> Decimal {
        Decimal::new(self.0, 2)
    }

    /// What is left of a unit price after `percent` off: exactly, and rounded half-up to the cent. The price is
    /// rounded, not the discount, so that 49.95 less 10 % is 44.96 (contract §1).
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn less_percent(self, percent: Percent) -> Result<(Decimal, Self), MoneyOverflow> {
        let left = WHOLE.saturating_sub(percent.hundredths());
        let product = i128::from(self.0).saturating_mul(left);
        // Cents have two decimals, and a share in ten-thousandths four.
        let exact = Decimal::try_from_i128_with_scale(product, 6).map_err(|_| MoneyOverflow)?;
        Ok((exact, half_up(product)?))
    }

    /// One of so many equal parts, rounded half-up to the cent.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when there are no parts.
    pub fn part_half_up(self, parts: u32) -> Result<Self, MoneyOverflow> {
        Decimal::from(self.0)
            .checked_div(parts.into())
            .map(|cents| cents.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero))
            .and_then(|cents| cents.to_i64())
            .map(Self)
            .ok_or(MoneyOverflow)
    }

    /// What falls to `part` of `whole`, rounded half-up (away from zero) to the cent.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when the whole is nothing, or the share does not fit.
    pub fn share_half_up(self, part: Self, whole: Self) -> Result<Self, MoneyOverflow> {
        let [amount, part, whole] = [self.0, part.0, whole.0].map(i128::from);
        let product = amount.saturating_mul(part);
        let twice = product.saturating_mul(2).saturating_add(whole.saturating_mul(product.signum()));
        let share = twice.checked_div(whole.saturating_mul(2)).ok_or(MoneyOverflow)?;
        i64::try_from(share).map(Self).map_err(|_| MoneyOverflow)
    }

    /// Splits the amount over `weights` so that the parts add up to the whole; the cents left by rounding
    /// down go to the first parts that were rounded, one each. Weights that are all zero share equally.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an intermediate product does not fit.
    pub fn allocate(self, weights: &[u64]) -> Result<Vec<Self>, MoneyOverflow> {
        let equal = vec![1_u64; weights.len()];
        let total: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
        let (weights, total) = if total == 0 {
            (equal.as_slice(), i128::try_from(equal.len()).unwrap_or(1))
        } else {
            (weights, total)
        };
        let mut parts = Vec::with_capacity(weights.len());
        let mut given: i64 = 0;
        for weight in weights {
            let exact = i128::from(self.0).checked_mul(i128::from(*weight)).ok_or(MoneyOverflow)?;
            let share = exact.checked_div(total.max(1)).ok_or(MoneyOverflow)?;
            let is_rounded = share.checked_mul(total) != Some(exact);
            let share = i64::try_from(share).map_err(|_| MoneyOverflow)?;
            given = given.checked_add(share).ok_or(MoneyOverflow)?;
            parts.push((Self(share), is_rounded));
        }
        let rest = self.0.checked_sub(given).ok_or(MoneyOverflow)?;
        let step = rest.signum();
        let count = usize::try_from(rest.unsigned_abs()).map_err(|_| MoneyOverflow)?;
        for (part, _) in parts.iter_mut().filter(|(_, is_rounded)| *is_rounded).take(count) {
            part.0 = part.0.checked_add(step).ok_or(MoneyOverflow)?;
        }
        Ok(parts.into_iter().map(|(part, _)| part).collect())
    }
}

impl fmt::Display for Money {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(out, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

/// The whole, in hundredths of a percent.
const WHOLE: i128 = 10_000;

/// Ten-thousandths of a cent, rounded half-up (away from zero) to the cent.
fn half_up(product: i128) -> Result<Money, MoneyOverflow> {
    let half = WHOLE.div_euclid(2).saturating_mul(product.signum());
    let sum = product.saturating_add(half);
    if let Ok(small) = i64::try_from(sum) {
        // The usual case: machines divide 64 bits many times faster than 128.
        return small.checked_div(10_000).map(Money).ok_or(MoneyOverflow);
    }
    let cents = sum.checked_div(WHOLE).ok_or(MoneyOverflow)?;
    i64::try_from(cents).map(Money).map_err(|_| MoneyOverflow)
}

/// A percentage with at most two decimals, such as the 2.90 of a rate card or the 15 of a coupon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Percent(Decimal);

impl Percent {
    /// Reads decimal text between 0 and 100 with at most two decimals.
    ///
    /// # Errors
    /// [`MoneyParseError`] when the text is no number in that range, or has more than two decimals.
    pub fn parse(text: &str) -> Result<Self, MoneyParseError> {
        let mut decimal = Decimal::from_str(text.trim()).map_err(|_| MoneyParseError::NotANumber)?;
        if decimal.is_sign_negative() && !decimal.is_zero() || decimal > Decimal::ONE_HUNDRED {
            return Err(MoneyParseError::NotANumber);
        }
        if decimal.normalize().scale() > 2 {
            return Err(MoneyParseError::TooManyDecimals);
        }
        decimal.rescale(2);
        Ok(Self(decimal))
    }
}

impl Percent {
    /// In hundredths of a percent.
    fn hundredths(self) -> i128 {
        // Every percentage is read with two decimals.
        self.0.mantissa()
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.2}", self.0)
    }
}

impl TryFrom<String> for Percent {
    type Error = String;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|_| "not a percentage".to_owned())
    }
}

impl From<Percent> for String {
    fn from(percent: Percent) -> Self {
        percent.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cents(text: &str) -> Result<i64, MoneyParseError> {
        Money::parse(text).map(Money::cents)
    }

    #[test]
    fn decimal_text_is_read_exactly() {
        for (text, expected) in [
            ("19.99", 1999),
            ("8.03", 803),
            ("0.29", 29),
            ("4.35", 435),
            ("1e1", 1000),
            ("10.10", 1010),
            ("10", 1000),
            ("-5", -500),
            ("-0.0", 0),
            ("1.990", 199),
        ] {
            assert_eq!(cents(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn more_than_two_decimals_is_refused_and_never_rounded() {
        for text in ["10.001", "0.001", "1e-3"] {
            assert_eq!(cents(text), Err(MoneyParseError::TooManyDecimals), "{text}");
        }
    }

    #[test]
    fn text_that_is_no_amount_is_refused() {
        for text in ["", "abc", "1E400", "NaN", "0x10", "1,00", "99999999999999999999"] {
            assert_eq!(cents(text), Err(MoneyParseError::NotANumber), "{text}");
        }
    }

    #[test]
    fn a_percentage_off_rounds_the_unit_price_half_up() {
        for (price, off, quantity, unit, amount) in [
            ("49.95", "10", 4, "44.96", "179.84"),
            ("12.35", "15", 3, "10.50", "31.50"),
            ("17.50", "15", 7, "14.88", "104.16"),
        ] {
            let price = Money::parse(price).unwrap();
            let (_, reduced) = price.less_percent(Percent::parse(off).unwrap()).unwrap();
            assert_eq!(reduced.to_string(), unit);
            assert_eq!(reduced.checked_mul(quantity).unwrap().to_string(), amount);
        }
    }

    #[test]
    fn one_of_equal_parts_rounds_half_up() {
        for (amount, parts, expected) in [("10.01", 2, "5.01"), ("10.00", 3, "3.33"), ("0.00", 7, "0.00")] {
            let part = Money::parse(amount).unwrap().part_half_up(parts).unwrap();
            assert_eq!(part.to_string(), expected, "{amount} by {parts}");
        }
        assert_eq!(Money::from_cents(1).part_half_up(0), Err(MoneyOverflow));
    }

    proptest! {
        /// The rounding agrees with that of decimal numbers, for debts and the largest amounts too.
        #[test]
        fn percentages_agree_with_decimal_numbers(cents: i64, hundredths in 0_i64..=10_000) {
            let percent = Percent::parse(&format!("{}.{:02}", hundredths / 100, hundredths % 100)).unwrap();
            let rounded = |share: i64| {
                let product = Decimal::from(cents) * Decimal::from(share) / Decimal::from(10_000);
                product.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero).to_i64().unwrap()
            };
            let money = Money::from_cents(cents);
            prop_assert_eq!(money.percent_half_up(percent).unwrap().cents(), rounded(hundredths));
            let (exact, reduced) = money.less_percent(percent).unwrap();
            prop_assert_eq!(reduced.cents(), rounded(10_000 - hundredths));
            let expected = Decimal::from(cents) * Decimal::from(10_000 - hundredths) / Decimal::from(1_000_000);
            prop_assert_eq!(exact, expected);
        }

        #[test]
        fn printing_and_parsing_are_inverse(value in -1_000_000_000_i64..1_000_000_000) {
            let money = Money::from_cents(value);
            prop_assert_eq!(Money::parse(&money.to_string()), Ok(money));
        }

        #[test]
        fn an_allocation_adds_up_to_the_whole(
            value in -1_000_000_i64..1_000_000,
            weights in proptest::collection::vec(prop_oneof![Just(0), 0_u64..1_000, any::<u32>().prop_map(u64::from)], 1..20),
        ) {
            let parts = Money::from_cents(value).allocate(&weights).unwrap();
            prop_assert_eq!(Money::sum(parts.iter().copied()), Ok(Money::from_cents(value)));
            let total: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
            for (part, weight) in parts.iter().zip(&weights).filter(|_| total > 0) {
                let exact = i128::from(value) * i128::from(*weight);
                let off = (i128::from(part.cents()) * total - exact).abs();
                prop_assert!(off < total, "{part:?} is a cent or more from its share");
                prop_assert!(*weight > 0 || part.is_zero());
            }
        }
    }
}
