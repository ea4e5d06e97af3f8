//! Numbers as people type them (decision record 0118).
//!
//! The grammar of a number library is not the grammar of an amount: to some, `7_50` is 750.

/// A number as someone typed it: digits with at most one point among them, and nothing else. Only ASCII digits are
/// digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypedNumber<'a> {
    /// The digits before the point; perhaps none.
    pub whole: &'a str,
    /// The digits after the point; perhaps none.
    pub fraction: &'a str,
}

/// Why a text is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFault {
    /// A number with a minus sign before it.
    Negative,
    /// Something else.
    NoNumber,
}

impl<'a> TypedNumber<'a> {
    /// Reads a number; white space around it does not matter.
    ///
    /// # Errors
    /// [`NumberFault`] for a sign, an exponent, an underscore, a comma or a space inside, and for no digits.
    pub fn parse(text: &'a str) -> Result<Self, NumberFault> {
        let text = text.trim();
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let has_digits = !(whole.is_empty() && fraction.is_empty());
        if !(has_digits && is_digits(whole) && is_digits(fraction)) {
            return Err(NumberFault::NoNumber);
        }
        if negative { Err(NumberFault::Negative) } else { Ok(Self { whole, fraction }) }
    }

    /// How many digits it has.
    #[must_use]
    pub const fn digits(self) -> usize {
        self.whole.len().saturating_add(self.fraction.len())
    }

    /// In hundredths. A third decimal is refused, zeros too. None where the number is too large.
    pub(crate) fn hundredths(self) -> Result<Option<i64>, DecimalsTooFine> {
        let padding = "00".get(self.fraction.len()..).ok_or(DecimalsTooFine)?;
        let digits = self.whole.bytes().chain(self.fraction.bytes()).chain(padding.bytes());
        let mut values = digits.map(|digit| i64::from(digit.saturating_sub(b'0')));
        Ok(values.try_fold(0_i64, |sum, value| sum.checked_mul(10)?.checked_add(value)))
    }
}

/// There are digits behind the hundredths, if only zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DecimalsTooFine;

/// A whole number, of digits alone.
///
/// Other than the parser of the standard library, it takes no plus sign. None of anything else.
#[must_use]
pub fn whole_number(text: &str) -> Option<i64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
