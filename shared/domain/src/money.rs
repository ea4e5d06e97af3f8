//! Exact money. No floating point touches an amount anywhere in Boxoffice.

use crate::number::{DecimalsTooFine, NumberFault, TypedNumber};
use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An amount in hundredths of the tenant's currency, called cents here; negative only as the result of a subtraction.
///
/// On the wire it is decimal text with two decimals (spec §2.1); in storage it is the number of cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(i64);

/// Why a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoneyParseError {
    /// Not a decimal number at all.
    NotANumber,
    /// A number beyond the range of an amount.
    TooLarge,
    /// A number with a minus sign. Whatever is typed or sent is nothing or more.
    Negative,
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

    /// Reads an amount as it stands in a JSON string or number: digits with at most one point (decision record 0118).
    ///
    /// # Errors
    /// [`MoneyParseError`] when the text is no such number, is out of range, or has more than two decimals.
    pub fn parse(text: &str) -> Result<Self, MoneyParseError> {
        hundredths(text).map(Self)
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
        self.share(percent.hundredths()).half_up()
    }

    /// How much of this amount is `percent` of the rest of it, rounded half-up to the cent.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn included_half_up(self, percent: Percent) -> Result<Self, MoneyOverflow> {
        let rate = i64::from(percent.hundredths());
        self.share_half_up(Self(rate), Self(i64::from(WHOLE).saturating_add(rate)))
    }

    /// The amount as one that need not be whole cents.
    #[must_use]
    pub const fn exact(self) -> ExactMoney {
        self.share(WHOLE)
    }

    /// A share of this amount, in hundredths of a percent.
    const fn share(self, hundredths: u16) -> ExactMoney {
        // 64 bits times 16 bits fit 128.
        #[expect(clippy::as_conversions, reason = "`From` is not for constants; both are widened")]
        ExactMoney((self.0 as i128).saturating_mul(hundredths as i128))
    }

    /// What is left of a unit price after `percent` off. The price is rounded, not the discount, so that 49.95 less
    /// 10 % is 44.96 (contract §1).
    #[must_use]
    pub const fn less_percent(self, percent: Percent) -> ExactMoney {
        self.share(WHOLE.saturating_sub(percent.hundredths()))
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

/// What was typed, in hundredths.
fn hundredths(text: &str) -> Result<i64, MoneyParseError> {
    let typed = TypedNumber::parse(text).map_err(|fault| match fault {
        NumberFault::Negative => MoneyParseError::Negative,
        NumberFault::NoNumber => MoneyParseError::NotANumber,
    })?;
    let hundredths = typed.hundredths().map_err(|DecimalsTooFine| MoneyParseError::TooManyDecimals)?;
    hundredths.ok_or(MoneyParseError::TooLarge)
}

/// The whole, in hundredths of a percent.
const WHOLE: u16 = 10_000;

/// An amount as exact as percentages make it, in ten-thousandths of a cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactMoney(i128);

impl ExactMoney {
    /// Rounded half-up (away from zero) to the cent.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn half_up(self) -> Result<Money, MoneyOverflow> {
        let whole = i128::from(WHOLE);
        let half = whole.div_euclid(2).saturating_mul(self.0.signum());
        let sum = self.0.saturating_add(half);
        if let Ok(small) = i64::try_from(sum) {
            // The usual case: machines divide 64 bits many times faster than 128.
            return small.checked_div(WHOLE.into()).map(Money).ok_or(MoneyOverflow);
        }
        let cents = sum.checked_div(whole).ok_or(MoneyOverflow)?;
        i64::try_from(cents).map(Money).map_err(|_| MoneyOverflow)
    }

    /// As a decimal number of the currency's units, without zeros at its end.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn decimal(self) -> Result<Decimal, MoneyOverflow> {
        // Cents have two decimals, and a share in ten-thousandths four.
        let decimal = Decimal::try_from_i128_with_scale(self.0, 6).map_err(|_| MoneyOverflow)?;
        Ok(decimal.normalize())
    }

    /// The sum of these and of so many others.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when it does not fit.
    pub fn plus(self, other: Self, quantity: u32) -> Result<Self, MoneyOverflow> {
        let product = other.0.checked_mul(quantity.into()).ok_or(MoneyOverflow)?;
        self.0.checked_add(product).map(Self).ok_or(MoneyOverflow)
    }
}

/// A percentage with at most two decimals, such as the 2.90 of a rate card or the 15 of a coupon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Percent(u16);

impl Percent {
    /// Reads decimal text between 0 and 100 with at most two decimals.
    ///
    /// # Errors
    /// [`MoneyParseError`] when the text is no number in that range, or has more than two decimals.
    pub fn parse(text: &str) -> Result<Self, MoneyParseError> {
        let hundredths = hundredths(text)?;
        u16::try_from(hundredths)
            .ok()
            .filter(|hundredths| *hundredths <= WHOLE)
            .map(Self)
            .ok_or(MoneyParseError::NotANumber)
    }

    /// In hundredths of a percent.
    const fn hundredths(self) -> u16 {
        self.0
    }

    /// The number without zeros at its end, such as `20` or `5.5`.
    #[must_use]
    pub fn short(self) -> String {
        Decimal::new(self.0.into(), 2).normalize().to_string()
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.2}", Decimal::new(self.0.into(), 2))
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
            ("10.10", 1010),
            ("10", 1000),
            (" 10.5 ", 1050),
            (".5", 50),
            ("5.", 500),
            ("0010", 1000),
        ] {
            assert_eq!(cents(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn more_than_two_decimals_is_refused_and_never_rounded() {
        for text in ["10.001", "0.001", "1.000", "1.990", "7.5000", ".000"] {
            assert_eq!(cents(text), Err(MoneyParseError::TooManyDecimals), "{text}");
        }
    }

    #[test]
    fn text_that_is_no_amount_is_refused() {
        for text in [
            "",
            ".",
            "abc",
            "1e1",
            "1E400",
            "1e-3",
            "NaN",
            "0x10",
            "1,00",
            "7_50",
            "+5",
            "1 000",
            "--5",
            "5-",
            "1.2.3",
            "\u{661}\u{662}",
        ] {
            assert_eq!(cents(text), Err(MoneyParseError::NotANumber), "{text}");
        }
        assert_eq!(cents("99999999999999999999"), Err(MoneyParseError::TooLarge));
        for text in ["-5", "-0.0", "-1.005"] {
            assert_eq!(cents(text), Err(MoneyParseError::Negative), "{text}");
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
            let reduced = price.less_percent(Percent::parse(off).unwrap()).half_up().unwrap();
            assert_eq!(reduced.to_string(), unit);
            assert_eq!(reduced.checked_mul(quantity).unwrap().to_string(), amount);
        }
    }

    #[test]
    fn a_percentage_is_short_without_its_last_zeros() {
        for (text, expected) in [("20", "20"), ("5.50", "5.5"), ("7.25", "7.25"), ("0", "0"), ("100", "100")]
        {
            assert_eq!(Percent::parse(text).unwrap().short(), expected);
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
            let exact = money.less_percent(percent);
            prop_assert_eq!(exact.half_up().unwrap().cents(), rounded(10_000 - hundredths));
            let expected = Decimal::from(cents) * Decimal::from(10_000 - hundredths) / Decimal::from(1_000_000);
            prop_assert_eq!(exact.decimal().unwrap(), expected);
        }

        #[test]
        fn printing_and_parsing_are_inverse(value in 0_i64..1_000_000_000) {
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
