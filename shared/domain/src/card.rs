//! What a buyer types from a payment card, and the rule that nothing of it is kept (contract §6).
//!
//! A number and a security code exist only in memory for the length of a call: their types cannot be
//! serialised or cloned, print masked, and wipe themselves. What was typed of them is wiped as well once it is read
//! ([`CardText`]); the body that it came in is dropped. Brand and Luhn sum are worked out here rather
//! than by a card library: one that answers a dozen debit schemes through regular expressions cannot name the
//! six brands of the contract by their ranges.

use crate::lines::breaks_line;
use crate::time::Timestamp;
use chrono::{NaiveDate, NaiveTime, TimeZone, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroizing;

mod brand;
mod digit;
mod mask;
mod text;

pub use brand::{CardBrand, UnknownCardBrand};
pub(crate) use mask::has_mask;
pub use mask::mask_card_numbers;
pub use text::CardText;

/// The fewest digits a card number has (contract §6).
pub const CARD_NUMBER_MIN_DIGITS: usize = 13;
/// The most digits a card number has (contract §6).
pub const CARD_NUMBER_MAX_DIGITS: usize = 19;
/// How many digits at the end of a card number may be shown.
const SHOWN_DIGITS: usize = 4;
/// What stands for the digits that may not be shown.
const MASK: &str = "****";

/// A card number: 13 to 19 digits that pass the Luhn check, of a known brand.
pub struct CardNumber {
    digits: Zeroizing<String>,
    brand: CardBrand,
}

/// Why a text is no card number, in the order of the checks. Holds nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardNumberError {
    /// Nothing was given.
    Missing,
    /// There is something other than ASCII digits, spaces and dashes.
    NotDigits,
    /// Fewer than 13 digits or more than 19.
    WrongLength {
        /// How many were given.
        digits: usize,
    },
    /// The Luhn sum is wrong: a digit was mistyped.
    WrongChecksum,
    /// The number belongs to none of the six brands. Our choice: refused, since it could not be charged.
    UnknownBrand,
}

impl CardNumber {
    /// Reads a number as people type it, with spaces of any kind and dashes anywhere.
    ///
    /// # Errors
    /// [`CardNumberError`] for the first rule it breaks.
    pub fn parse(text: &str) -> Result<Self, CardNumberError> {
        let kept = || text.chars().filter(|letter| *letter != '-' && !is_space(*letter));
        let count = kept().count();
        if count == 0 {
            return Err(CardNumberError::Missing);
        }
        if !kept().all(|letter| letter.is_ascii_digit()) {
            return Err(CardNumberError::NotDigits);
        }
        if !(CARD_NUMBER_MIN_DIGITS..=CARD_NUMBER_MAX_DIGITS).contains(&count) {
            return Err(CardNumberError::WrongLength { digits: count });
        }
        // The room is reserved at once: a text that grew would leave unwiped copies behind.
        let mut digits = Zeroizing::new(String::with_capacity(count));
        digits.extend(kept());
        if !passes_luhn(&digits) {
            return Err(CardNumberError::WrongChecksum);
        }
        let brand = CardBrand::of_digits(&digits).ok_or(CardNumberError::UnknownBrand)?;
        Ok(Self { digits, brand })
    }

    /// The bare digits, for the card processor and the keyed hash alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.digits
    }

    /// The brand that the number itself tells (contract §6).
    #[must_use]
    pub const fn brand(&self) -> CardBrand {
        self.brand
    }

    /// The last four digits, which may be stored and shown.
    #[must_use]
    pub fn last_four(&self) -> &str {
        let start = self.digits.len().saturating_sub(SHOWN_DIGITS);
        self.digits.get(start..).unwrap_or_default()
    }
}

impl fmt::Display for CardNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{MASK}{}", self.last_four())
    }
}

impl fmt::Debug for CardNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "CardNumber({self})")
    }
}

/// A card's security code. It is never stored, not even hashed.
pub struct Cvc(Zeroizing<String>);

/// Why a text is no security code, in the order of the checks. Holds nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CvcError {
    /// Nothing was given.
    Missing,
    /// There is something other than ASCII digits.
    NotDigits,
    /// Not 3 or 4 digits, or not as many as the brand prints.
    WrongLength {
        /// How many were given.
        digits: usize,
        /// The brand that asks for another length; none while the card number itself is unreadable.
        brand: Option<CardBrand>,
    },
}

impl Cvc {
    /// Reads a security code: four digits for American Express and three for the others; three or four while
    /// the brand is unknown.
    ///
    /// # Errors
    /// [`CvcError`] for the first rule it breaks.
    pub fn parse(text: &str, brand: Option<CardBrand>) -> Result<Self, CvcError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(CvcError::Missing);
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(CvcError::NotDigits);
        }
        let digits = text.len();
        if !brand.map_or(3..=4, |brand| brand.cvc_digits()..=brand.cvc_digits()).contains(&digits) {
            return Err(CvcError::WrongLength { digits, brand });
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// The digits, for the card processor alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Cvc {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(MASK)
    }
}

impl fmt::Debug for Cvc {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Cvc({MASK})")
    }
}

/// The month through which a card is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Expiry {
    month: u8,
    year: u16,
}

/// Why a text is no expiry, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpiryError {
    /// Nothing was given.
    Missing,
    /// Not exactly four ASCII digits.
    NotMmyy,
    /// The month is not 01 to 12.
    NoSuchMonth {
        /// The month that was given.
        month: u8,
    },
}

impl Expiry {
    /// Reads `MMYY`; the year is of this century (spec §2.8).
    ///
    /// # Errors
    /// [`ExpiryError`] for the first rule it breaks. An expiry in the past is read all the same: whether the
    /// card has expired is a question for [`Expiry::is_valid_at`].
    pub fn parse(text: &str) -> Result<Self, ExpiryError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ExpiryError::Missing);
        }
        if text.len() != 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ExpiryError::NotMmyy);
        }
        let (month, year) = text.split_at(2);
        let month: u8 = month.parse().map_err(|_| ExpiryError::NotMmyy)?;
        let year: u16 = year.parse().map_err(|_| ExpiryError::NotMmyy)?;
        if !(1..=12).contains(&month) {
            return Err(ExpiryError::NoSuchMonth { month });
        }
        Ok(Self { month, year: year.saturating_add(2000) })
    }

    /// A month that a card processor tells, of a year with its century; none where there is no such month.
    #[must_use]
    pub fn of(month: u8, year: u16) -> Option<Self> {
        (1..=12).contains(&month).then_some(Self { month, year })
    }

    /// 1 to 12.
    #[must_use]
    pub const fn month(self) -> u8 {
        self.month
    }

    /// With the century.
    #[must_use]
    pub const fn year(self) -> u16 {
        self.year
    }

    /// True until the month has ended everywhere on earth, which is at noon UTC of the next month's first
    /// day, when it is midnight at UTC-12 (contract §6).
    #[must_use]
    pub fn is_valid_at(self, now: Timestamp) -> bool {
        let (next_month, year) = if self.month == 12 {
            (1, self.year.saturating_add(1))
        } else {
            (self.month.saturating_add(1), self.year)
        };
        let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or(NaiveTime::MIN);
        NaiveDate::from_ymd_opt(i32::from(year), u32::from(next_month), 1)
            .is_some_and(|first| now < Utc.from_utc_datetime(&first.and_time(noon)))
    }
}

/// The card fields of a request as they were sent (spec §2.8).
#[derive(Clone, Copy, Default)]
pub struct CardFields<'a> {
    /// `manualEntryCardNumber`.
    pub number: Option<&'a str>,
    /// `expDate`.
    pub expiry: Option<&'a str>,
    /// `cvc`.
    pub cvc: Option<&'a str>,
    /// `creditCardBrand`.
    pub brand: Option<&'a str>,
    /// `ccLastFourDigits`.
    pub last_four: Option<&'a str>,
    /// `billingZipCode`, which the processor compares with the holder's.
    pub zip: Option<&'a str>,
    pub holder_name: Option<&'a str>,
}

/// One broken rule of the card fields, in the order of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardFault {
    /// `manualEntryCardNumber` is no card number.
    Number(CardNumberError),
    /// `expDate` is no month.
    Expiry(ExpiryError),
    /// `cvc` is no security code of the card.
    Cvc(CvcError),
    /// `creditCardBrand` is none of the six brands.
    UnknownBrand,
    /// `creditCardBrand` is not the brand of the number.
    BrandContradictsNumber {
        sent: CardBrand,
        /// The brand of the number.
        derived: CardBrand,
    },
    /// `ccLastFourDigits` are not four ASCII digits.
    LastFourNotFourDigits,
    /// `ccLastFourDigits` are not the last four digits of the number.
    LastFourContradictsNumber,
}

/// A card to be charged in this call.
#[derive(Debug)]
pub struct Card {
    pub number: CardNumber,
    /// The month through which it is valid. It may have passed.
    pub expiry: Expiry,
    /// The security code.
    pub cvc: Cvc,
    /// The holder's zip code, with a card number typed there by mistake masked.
    pub zip: Option<String>,
    /// The holder's name, with a card number typed there by mistake masked.
    pub holder_name: Option<String>,
}

impl Card {
    /// Reads the card fields of a request. Optional texts that are blank count as absent.
    ///
    /// # Errors
    /// Every [`CardFault`] at once, in the order of the fields.
    pub fn parse(fields: &CardFields<'_>) -> Result<Self, Vec<CardFault>> {
        let number = CardNumber::parse(fields.number.unwrap_or_default()).map_err(CardFault::Number);
        let brand = number.as_ref().ok().map(CardNumber::brand);
        let expiry = Expiry::parse(fields.expiry.unwrap_or_default()).map_err(CardFault::Expiry);
        let cvc = Cvc::parse(fields.cvc.unwrap_or_default(), brand).map_err(CardFault::Cvc);
        let contradictions =
            [brand_fault(fields.brand, brand), last_four_fault(fields.last_four, number.as_ref().ok())];
        match (number, expiry, cvc, contradictions) {
            (Ok(number), Ok(expiry), Ok(cvc), [None, None]) => Ok(Self {
                number,
                expiry,
                cvc,
                zip: given(fields.zip).map(str::to_owned),
                holder_name: given(fields.holder_name).map(|text| mask_card_numbers(text).into_owned()),
            }),
            (number, expiry, cvc, contradictions) => {
                let read = [number.err(), expiry.err(), cvc.err()];
                Err(read.into_iter().chain(contradictions).flatten().collect())
            }
        }
    }

    /// The brand that the number tells.
    #[must_use]
    pub const fn brand(&self) -> CardBrand {
        self.number.brand()
    }

    /// The last four digits, which may be stored and shown.
    #[must_use]
    pub fn last_four(&self) -> &str {
        self.number.last_four()
    }
}

/// What a request says of a card whose number it does not send.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldCard {
    /// Its brand.
    pub brand: Option<CardBrand>,
    /// Its last four digits.
    pub last_four: Option<String>,
}

impl ToldCard {
    /// Reads `creditCardBrand` and `ccLastFourDigits`. Blank texts count as absent.
    ///
    /// # Errors
    /// Every [`CardFault`] at once, in the order of the fields.
    pub fn parse(brand: Option<&str>, last_four: Option<&str>) -> Result<Self, Vec<CardFault>> {
        let faults = [brand_fault(brand, None), last_four_fault(last_four, None)];
        let faults: Vec<CardFault> = faults.into_iter().flatten().collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let brand = given(brand).and_then(|text| CardBrand::parse(text).ok());
        Ok(Self { brand, last_four: given(last_four).map(str::to_owned) })
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn brand_fault(sent: Option<&str>, derived: Option<CardBrand>) -> Option<CardFault> {
    let Ok(sent) = CardBrand::parse(given(sent)?) else {
        return Some(CardFault::UnknownBrand);
    };
    let derived = derived.filter(|derived| *derived != sent)?;
    Some(CardFault::BrandContradictsNumber { sent, derived })
}

fn last_four_fault(sent: Option<&str>, number: Option<&CardNumber>) -> Option<CardFault> {
    let sent = given(sent)?;
    if sent.len() != SHOWN_DIGITS || !sent.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(CardFault::LastFourNotFourDigits);
    }
    number.filter(|number| number.last_four() != sent).map(|_| CardFault::LastFourContradictsNumber)
}

/// Whether a letter is a space, such as those that word processors put into numbers.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() && !breaks_line(letter)
}

/// Whether ASCII digits pass the Luhn check.
fn passes_luhn(digits: &str) -> bool {
    let values = digits.bytes().rev().map(|byte| u32::from(byte.saturating_sub(b'0')));
    let sum: u32 = values
        .enumerate()
        .map(|(index, digit)| match (index % 2 == 1, digit) {
            (false, digit) => digit,
            (true, digit) if digit > 4 => digit * 2 - 9,
            (true, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Numbers for tests, made on the spot so that no card number stands in the source.
#[cfg(test)]
pub(crate) mod test_numbers {
    /// The number of that many digits that begins with the prefix, goes on with zeros, and ends with its
    /// check digit.
    pub(crate) fn number(prefix: &str, length: usize) -> String {
        let body = format!("{prefix:0<width$}", width = length - 1);
        (0..10).map(|digit| format!("{body}{digit}")).find(|digits| textbook_luhn(digits)).unwrap()
    }

    /// The Luhn check as the textbook has it, from the first digit to the last.
    pub(crate) fn textbook_luhn(digits: &str) -> bool {
        let mut sum = 0;
        let parity = digits.len() % 2;
        for (at, letter) in digits.chars().enumerate() {
            let digit = letter.to_digit(10).unwrap();
            sum += match (at % 2 == parity, digit) {
                (false, digit) => digit,
                (true, digit @ 0..=4) => digit * 2,
                (true, digit) => digit * 2 - 9,
            };
        }
        sum % 10 == 0
    }
}

#[cfg(test)]
mod tests;
