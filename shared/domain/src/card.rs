//! What a buyer types from a payment card, and the rule that nothing of it is kept (contract §6).
//!
//! A number and a security code exist only in memory for the length of a call: their types cannot be
//! serialised or cloned, print masked, and wipe themselves. Brand and Luhn sum are worked out here rather
//! than by a card library: masking needs the sum over any stretch of a text, and a library that answers a
//! dozen debit schemes through regular expressions cannot name the six brands of the contract by their ranges.

use crate::time::Timestamp;
use chrono::{NaiveDate, NaiveTime, TimeZone, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroizing;

mod mask;

pub use mask::mask_card_numbers;

/// The fewest digits a card number has (contract §6).
pub const CARD_NUMBER_MIN_DIGITS: usize = 13;
/// The most digits a card number has (contract §6).
pub const CARD_NUMBER_MAX_DIGITS: usize = 19;
/// How many digits at the end of a card number may be shown.
const SHOWN_DIGITS: usize = 4;
/// What stands for the digits that may not be shown.
const MASK: &str = "****";

/// The brand of a card, in the spellings of `creditCardBrand` (spec §2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CardBrand {
    /// Numbers that begin with 4.
    Visa,
    /// 51 to 55 and 2221 to 2720.
    MasterCard,
    /// 34 and 37; the one brand with a security code of four digits.
    AmericanExpress,
    /// 6011, 644 to 649, 65, and the range shared with UnionPay.
    Discover,
    /// 3528 to 3589.
    Jcb,
    /// 300 to 305, 3095, 36, 38 and 39.
    DinersClub,
}

/// The text names no brand of spec §2.8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCardBrand;

/// First and last leading six digits of each range, ordered by brand. No two ranges overlap.
const BRAND_RANGES: [(u32, u32, CardBrand); 15] = [
    (400_000, 499_999, CardBrand::Visa),
    (222_100, 272_099, CardBrand::MasterCard),
    (510_000, 559_999, CardBrand::MasterCard),
    (340_000, 349_999, CardBrand::AmericanExpress),
    (370_000, 379_999, CardBrand::AmericanExpress),
    (601_100, 601_199, CardBrand::Discover),
    (622_126, 622_925, CardBrand::Discover),
    (644_000, 649_999, CardBrand::Discover),
    (650_000, 659_999, CardBrand::Discover),
    (352_800, 358_999, CardBrand::Jcb),
    (300_000, 305_999, CardBrand::DinersClub),
    (309_500, 309_599, CardBrand::DinersClub),
    (360_000, 369_999, CardBrand::DinersClub),
    (380_000, 389_999, CardBrand::DinersClub),
    (390_000, 399_999, CardBrand::DinersClub),
];

impl CardBrand {
    /// Every brand.
    pub const ALL: [Self; 6] =
        [Self::Visa, Self::MasterCard, Self::AmericanExpress, Self::Discover, Self::Jcb, Self::DinersClub];

    /// Reads a brand name of spec §2.8 in any case.
    ///
    /// # Errors
    /// [`UnknownCardBrand`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnknownCardBrand> {
        let text = text.trim();
        Self::ALL.into_iter().find(|brand| brand.as_str().eq_ignore_ascii_case(text)).ok_or(UnknownCardBrand)
    }

    /// The spelling of spec §2.8.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Visa => "Visa",
            Self::MasterCard => "MasterCard",
            Self::AmericanExpress => "AmericanExpress",
            Self::Discover => "Discover",
            Self::Jcb => "Jcb",
            Self::DinersClub => "DinersClub",
        }
    }

    /// How many digits the security code of this brand has.
    #[must_use]
    pub const fn cvc_digits(self) -> usize {
        match self {
            Self::AmericanExpress => 4,
            Self::Visa | Self::MasterCard | Self::Discover | Self::Jcb | Self::DinersClub => 3,
        }
    }

    /// The brand whose range the leading six digits fall into.
    fn of_digits(digits: &str) -> Option<Self> {
        let leading: u32 = digits.get(..6)?.parse().ok()?;
        BRAND_RANGES
            .iter()
            .find(|(first, last, _)| (*first..=*last).contains(&leading))
            .map(|(_, _, brand)| *brand)
    }
}

impl fmt::Display for CardBrand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

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
    /// Reads a number as people type it, with spaces and dashes anywhere.
    ///
    /// # Errors
    /// [`CardNumberError`] for the first rule it breaks.
    pub fn parse(text: &str) -> Result<Self, CardNumberError> {
        let kept = || text.chars().filter(|letter| !matches!(letter, ' ' | '-'));
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
        if !luhn_lengths(digits.bytes().rev()).any(|length| length == count) {
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
    /// The name of the holder.
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
        /// The brand that was sent.
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
    /// The number.
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
                zip: given(fields.zip).map(|text| mask_card_numbers(text).into_owned()),
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

/// Reads ASCII digits from the last to the first and gives, in ascending order, every length between 13 and
/// 19 at which they pass the Luhn check.
fn luhn_lengths(backwards: impl Iterator<Item = u8>) -> impl Iterator<Item = usize> {
    backwards
        .take(CARD_NUMBER_MAX_DIGITS)
        .enumerate()
        .scan(0_u32, |sum, (index, byte)| {
            let digit = u32::from(byte.saturating_sub(b'0'));
            let doubled = if index % 2 == 1 { digit * 2 } else { digit };
            *sum += if doubled > 9 { doubled - 9 } else { doubled };
            Some((index + 1, *sum))
        })
        .filter(|(length, sum)| *length >= CARD_NUMBER_MIN_DIGITS && sum.is_multiple_of(10))
        .map(|(length, _)| length)
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
mod tests {
    use super::test_numbers::number;
    use super::*;
    use proptest::prelude::*;

    fn brand_of(prefix: &str, length: usize) -> Result<CardBrand, CardNumberError> {
        CardNumber::parse(&number(prefix, length)).map(|read| read.brand())
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// Good fields for a number; each test spoils what it is about.
    fn fields(number: &str) -> CardFields<'_> {
        CardFields { number: Some(number), expiry: Some("0929"), cvc: Some("123"), ..CardFields::default() }
    }

    fn faults(fields: &CardFields<'_>) -> Vec<CardFault> {
        Card::parse(fields).map(|card| format!("{card:?}")).unwrap_err()
    }

    #[test]
    fn the_brand_follows_from_the_leading_digits() {
        use CardBrand::{AmericanExpress, DinersClub, Discover, Jcb, MasterCard, Visa};
        for (prefix, brand) in [
            ("4", Some(Visa)),
            ("499999", Some(Visa)),
            ("222099", None),
            ("2221", Some(MasterCard)),
            ("272099", Some(MasterCard)),
            ("2721", None),
            ("50", None),
            ("51", Some(MasterCard)),
            ("559999", Some(MasterCard)),
            ("56", None),
            ("33", None),
            ("34", Some(AmericanExpress)),
            ("35", None),
            ("37", Some(AmericanExpress)),
            ("6010", None),
            ("6011", Some(Discover)),
            ("6012", None),
            ("622125", None),
            ("622126", Some(Discover)),
            ("622925", Some(Discover)),
            ("622926", None),
            ("643999", None),
            ("644", Some(Discover)),
            ("659999", Some(Discover)),
            ("66", None),
            ("352799", None),
            ("3528", Some(Jcb)),
            ("358999", Some(Jcb)),
            ("3590", None),
            ("300", Some(DinersClub)),
            ("305999", Some(DinersClub)),
            ("306", None),
            ("309499", None),
            ("3095", Some(DinersClub)),
            ("3096", None),
            ("36", Some(DinersClub)),
            ("38", Some(DinersClub)),
            ("39", Some(DinersClub)),
            ("0", None),
            ("1", None),
            ("7", None),
            ("8", None),
            ("9", None),
        ] {
            assert_eq!(brand_of(prefix, 16), brand.ok_or(CardNumberError::UnknownBrand), "{prefix}");
        }
    }

    #[test]
    fn no_leading_digits_belong_to_two_brands() {
        for (index, (first, last, _)) in BRAND_RANGES.iter().enumerate() {
            assert!(first <= last);
            for (other_first, other_last, _) in &BRAND_RANGES[index + 1..] {
                assert!(last < other_first || other_last < first, "{first} and {other_first}");
            }
        }
    }

    #[test]
    fn thirteen_to_nineteen_digits_are_a_card_number_and_no_others() {
        for length in 13..=19 {
            assert_eq!(brand_of("4", length), Ok(CardBrand::Visa), "{length}");
        }
        for length in [6, 12, 20, 40] {
            assert_eq!(brand_of("4", length), Err(CardNumberError::WrongLength { digits: length }));
        }
    }

    #[test]
    fn spaces_and_dashes_do_not_matter() {
        let plain = number("4", 16);
        let spread: String = plain.chars().flat_map(|digit| [digit, ' ', '-']).collect();
        for text in [&spread, &format!(" {plain} "), &format!("--{plain}")] {
            assert_eq!(CardNumber::parse(text).unwrap().expose(), plain);
        }
    }

    #[test]
    fn only_ascii_digits_are_digits() {
        let plain = number("4", 16);
        for text in [
            format!("{}\u{ff11}", &plain[..15]),
            format!("{}\u{661}", &plain[..15]),
            format!("{}\u{a0}{}", &plain[..8], &plain[8..]),
            format!("{}\u{2013}{}", &plain[..8], &plain[8..]),
            format!("+{plain}"),
            format!("{plain}.0"),
            format!("{plain}\0"),
            "card".to_owned(),
        ] {
            assert_eq!(CardNumber::parse(&text).unwrap_err(), CardNumberError::NotDigits, "{text}");
        }
        for text in ["", " ", " - -"] {
            assert_eq!(CardNumber::parse(text).unwrap_err(), CardNumberError::Missing, "{text}");
        }
    }

    #[test]
    fn nothing_secret_is_printed() {
        let plain = number("5105", 16);
        let card = Card::parse(&CardFields { cvc: Some("987"), ..fields(&plain) }).unwrap();
        let last = &plain[12..];
        assert_eq!(format!("{}", card.number), format!("****{last}"));
        assert_eq!(format!("{:?}", card.number), format!("CardNumber(****{last})"));
        assert_eq!(format!("{} {:?}", card.cvc, card.cvc), "**** Cvc(****)");
        let printed = format!("{card:?} {card:#?}");
        assert!(!printed.contains("987") && !printed.contains(&plain[..8]), "{printed}");
        assert_eq!(
            (card.number.expose(), card.cvc.expose(), card.last_four()),
            (plain.as_str(), "987", last)
        );
    }

    #[test]
    fn a_security_code_has_four_digits_on_american_express_and_three_elsewhere() {
        let wrong = |digits, brand| Some(CvcError::WrongLength { digits, brand });
        for brand in CardBrand::ALL {
            let amex = brand == CardBrand::AmericanExpress;
            let three = Cvc::parse("012", Some(brand)).err();
            let four = Cvc::parse("0123", Some(brand)).err();
            assert_eq!(three, if amex { wrong(3, Some(brand)) } else { None }, "{brand}");
            assert_eq!(four, if amex { None } else { wrong(4, Some(brand)) }, "{brand}");
        }
        for (text, fault) in [
            ("012", None),
            (" 0123 ", None),
            ("12", wrong(2, None)),
            ("12345", wrong(5, None)),
            ("", Some(CvcError::Missing)),
            ("  ", Some(CvcError::Missing)),
            ("12a", Some(CvcError::NotDigits)),
            ("1 2", Some(CvcError::NotDigits)),
            ("-12", Some(CvcError::NotDigits)),
            ("\u{ff11}\u{ff12}\u{ff13}", Some(CvcError::NotDigits)),
        ] {
            assert_eq!(Cvc::parse(text, None).err(), fault, "{text}");
        }
    }

    #[test]
    fn an_expiry_is_four_digits_month_first() {
        for (text, expected) in [
            ("0929", Ok((9, 2029))),
            (" 1230 ", Ok((12, 2030))),
            ("0100", Ok((1, 2000))),
            ("1299", Ok((12, 2099))),
            ("", Err(ExpiryError::Missing)),
            (" ", Err(ExpiryError::Missing)),
            ("0029", Err(ExpiryError::NoSuchMonth { month: 0 })),
            ("1329", Err(ExpiryError::NoSuchMonth { month: 13 })),
            ("2909", Err(ExpiryError::NoSuchMonth { month: 29 })),
            ("929", Err(ExpiryError::NotMmyy)),
            ("09/29", Err(ExpiryError::NotMmyy)),
            ("092029", Err(ExpiryError::NotMmyy)),
            ("+929", Err(ExpiryError::NotMmyy)),
            ("9 29", Err(ExpiryError::NotMmyy)),
            ("é29", Err(ExpiryError::NotMmyy)),
            ("\u{661}29", Err(ExpiryError::NotMmyy)),
        ] {
            assert_eq!(Expiry::parse(text).map(|e| (e.month(), e.year())), expected, "{text}");
        }
    }

    #[test]
    fn a_card_is_valid_until_its_month_has_ended_everywhere_on_earth() {
        for (expiry, now, valid) in [
            ("0929", "2026-01-01T00:00:00Z", true),
            ("0929", "2029-09-30T23:59:59Z", true),
            ("0929", "2029-10-01T00:00:00Z", true),
            ("0929", "2029-09-30T23:59:59-12:00", true),
            ("0929", "2029-10-01T11:59:59.999999999Z", true),
            ("0929", "2029-10-01T12:00:00Z", false),
            ("0929", "2029-10-01T00:00:00-12:00", false),
            ("0929", "2030-01-01T00:00:00Z", false),
            ("1229", "2030-01-01T11:59:59Z", true),
            ("1229", "2030-01-01T12:00:00Z", false),
            ("0228", "2028-02-29T23:59:59Z", true),
            ("0228", "2028-03-01T12:00:00Z", false),
            ("1299", "2100-01-01T11:59:59Z", true),
            ("1299", "2100-01-01T12:00:00Z", false),
        ] {
            assert_eq!(Expiry::parse(expiry).unwrap().is_valid_at(at(now)), valid, "{expiry} at {now}");
        }
    }

    #[test]
    fn a_brand_is_read_in_any_case_and_written_as_specified() {
        let written: Vec<_> = CardBrand::ALL.iter().map(ToString::to_string).collect();
        assert_eq!(written, ["Visa", "MasterCard", "AmericanExpress", "Discover", "Jcb", "DinersClub"]);
        for brand in CardBrand::ALL {
            for text in [brand.as_str().to_lowercase(), brand.as_str().to_uppercase(), format!(" {brand} ")] {
                assert_eq!(CardBrand::parse(&text), Ok(brand), "{text}");
            }
        }
        for text in ["", "Maestro", "Amex", "American Express", "V"] {
            assert_eq!(CardBrand::parse(text), Err(UnknownCardBrand), "{text}");
        }
    }

    #[test]
    fn a_brand_or_last_four_digits_that_contradict_the_number_are_refused() {
        use CardFault::{
            BrandContradictsNumber, LastFourContradictsNumber, LastFourNotFourDigits, UnknownBrand,
        };
        let visa = number("4", 16);
        let last = &visa[12..];
        let (sent, derived) = (CardBrand::MasterCard, CardBrand::Visa);
        for (brand, last_four, expected) in [
            (None, None, vec![]),
            (Some("visa"), Some(last), vec![]),
            (Some(""), Some("  "), vec![]),
            (Some("mastercard"), None, vec![BrandContradictsNumber { sent, derived }]),
            (Some("Maestro"), None, vec![UnknownBrand]),
            (None, Some("9999"), vec![LastFourContradictsNumber]),
            (None, Some("999"), vec![LastFourNotFourDigits]),
            (None, Some("99999"), vec![LastFourNotFourDigits]),
            (None, Some("12a4"), vec![LastFourNotFourDigits]),
            (
                Some("MasterCard"),
                Some("9999"),
                vec![BrandContradictsNumber { sent, derived }, LastFourContradictsNumber],
            ),
        ] {
            let read = Card::parse(&CardFields { brand, last_four, ..fields(&visa) });
            assert_eq!(read.err().unwrap_or_default(), expected, "{brand:?} {last_four:?}");
        }
    }

    #[test]
    fn all_faults_are_told_at_once_in_the_order_of_the_fields() {
        assert_eq!(
            faults(&CardFields::default()),
            [
                CardFault::Number(CardNumberError::Missing),
                CardFault::Expiry(ExpiryError::Missing),
                CardFault::Cvc(CvcError::Missing),
            ]
        );
        let unreadable = CardFields {
            number: Some("4"),
            expiry: Some("1329"),
            cvc: Some("12"),
            brand: Some("Maestro"),
            last_four: Some("x"),
            ..CardFields::default()
        };
        assert_eq!(
            faults(&unreadable),
            [
                CardFault::Number(CardNumberError::WrongLength { digits: 1 }),
                CardFault::Expiry(ExpiryError::NoSuchMonth { month: 13 }),
                CardFault::Cvc(CvcError::WrongLength { digits: 2, brand: None }),
                CardFault::UnknownBrand,
                CardFault::LastFourNotFourDigits,
            ]
        );
        let amex = number("34", 15);
        assert_eq!(
            faults(&fields(&amex)),
            [CardFault::Cvc(CvcError::WrongLength { digits: 3, brand: Some(CardBrand::AmericanExpress) })]
        );
    }

    #[test]
    fn a_number_that_cannot_be_read_contradicts_nothing() {
        let unreadable = CardFields { brand: Some("Visa"), last_four: Some("1234"), ..fields("5") };
        assert_eq!(faults(&unreadable), [CardFault::Number(CardNumberError::WrongLength { digits: 1 })]);
    }

    #[test]
    fn the_holder_and_zip_keep_no_card_number_and_blank_counts_as_absent() {
        let visa = number("4", 16);
        let typed = format!("Ann {visa}");
        let card =
            Card::parse(&CardFields { zip: Some(" 02139 "), holder_name: Some(&typed), ..fields(&visa) })
                .unwrap();
        assert_eq!(card.zip.as_deref(), Some("02139"));
        assert_eq!(card.holder_name, Some(format!("Ann ****{}", &visa[12..])));
        assert_eq!(card.brand(), CardBrand::Visa);
        let card =
            Card::parse(&CardFields { zip: Some(" "), holder_name: Some(""), ..fields(&visa) }).unwrap();
        assert_eq!((card.zip, card.holder_name), (None, None));
    }

    proptest! {
        #[test]
        fn one_mistyped_digit_is_always_noticed(body in "4[0-9]{11,17}", at in 0_usize..13, by in 1_u8..10) {
            let right = number(&body, body.len() + 1);
            let mut wrong = right.clone().into_bytes();
            wrong[at] = b'0' + (wrong[at] - b'0' + by) % 10;
            let wrong = String::from_utf8(wrong).unwrap();
            prop_assert!(CardNumber::parse(&right).is_ok());
            prop_assert_eq!(CardNumber::parse(&wrong).err(), Some(CardNumberError::WrongChecksum));
        }

        #[test]
        fn any_texts_are_read_without_a_fault(text in "\\PC*", digits in "[0-9 -]{0,30}") {
            for text in [&text, &digits] {
                let _ = Card::parse(&CardFields {
                    number: Some(text),
                    expiry: Some(text),
                    cvc: Some(text),
                    brand: Some(text),
                    last_four: Some(text),
                    zip: Some(text),
                    holder_name: Some(text),
                });
            }
        }

        #[test]
        fn an_expiry_is_valid_in_its_own_month_and_not_a_month_later(month in 1_u32..=12, year in 0_u16..100) {
            let expiry = Expiry::parse(&format!("{month:02}{year:02}")).unwrap();
            let start = NaiveDate::from_ymd_opt(2000 + i32::from(year), month, 1).unwrap();
            let end = start.checked_add_months(chrono::Months::new(1)).unwrap();
            let noon = |date: NaiveDate| date.and_hms_opt(12, 0, 0).unwrap().and_utc();
            prop_assert!(expiry.is_valid_at(noon(start)));
            prop_assert!(expiry.is_valid_at(noon(end.pred_opt().unwrap())));
            prop_assert!(!expiry.is_valid_at(noon(end)));
        }
    }
}
