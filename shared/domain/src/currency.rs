//! The currency in which a venue sells (decision record 0150).

use crate::Money;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A currency of ISO 4217 whose unit has a hundred parts, by its code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

/// Why a text is no currency that a venue can sell in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnfitCurrency {
    /// ISO 4217 has no such code for money that is in use.
    Unknown,
    /// Its unit has no parts.
    NoDecimals,
    /// Its unit has a thousand parts.
    ThreeDecimals,
    /// Its unit has a hundred parts for ISO 4217, and none for those who charge cards.
    ChargedInUnits,
}

impl fmt::Display for UnfitCurrency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Unknown => "must be the ISO 4217 code of a currency, such as EUR",
            Self::NoDecimals => "must be a currency with two decimals; this one has none",
            Self::ThreeDecimals => "must be a currency with two decimals; this one has three",
            Self::ChargedInUnits => {
                "must be a currency with two decimals; card processors charge this one in whole units"
            }
        })
    }
}

impl std::error::Error for UnfitCurrency {}

/// The currencies of ISO 4217 that are in use and have two decimals.
const TWO_DECIMALS: [&str; 129] = [
    "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BMD", "BND", "BOB",
    "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CNY", "COP", "CRC", "CUP", "CVE", "CZK",
    "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GTQ",
    "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IRR", "JMD", "KES", "KGS", "KHR", "KPW", "KYD",
    "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "MAD", "MDL", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR",
    "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "PAB", "PEN", "PGK", "PHP", "PKR",
    "PLN", "QAR", "RON", "RSD", "RUB", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD",
    "SSP", "STN", "SYP", "SZL", "THB", "TJS", "TMT", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "USD", "UYU",
    "UZS", "VES", "WST", "XCD", "XCG", "YER", "ZAR", "ZMW", "ZWG",
];
/// Those without decimals.
const NO_DECIMALS: [&str; 16] = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF",
    "XPF",
];
/// Those with three.
const THREE_DECIMALS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];
/// Those that are written with two decimals and charged without.
const CHARGED_IN_UNITS: [&str; 1] = ["MGA"];

/// What is put before amounts in English, by the Unicode locale data; any other currency is named by its code.
const SYMBOLS: [(&str, &str); 16] = [
    ("AUD", "A$"),
    ("BRL", "R$"),
    ("CAD", "CA$"),
    ("CNY", "CN¥"),
    ("EUR", "€"),
    ("GBP", "£"),
    ("HKD", "HK$"),
    ("ILS", "₪"),
    ("INR", "₹"),
    ("MXN", "MX$"),
    ("NZD", "NZ$"),
    ("PHP", "₱"),
    ("TWD", "NT$"),
    ("USD", "$"),
    ("XCD", "EC$"),
    ("XCG", "Cg.\u{a0}"),
];

impl Currency {
    /// That of a tenant for which none was set.
    pub const USUAL: Self = Self(*b"USD");

    /// Reads a code, in any case.
    ///
    /// # Errors
    /// [`UnfitCurrency`] for anything but a currency with two decimals.
    pub fn parse(text: &str) -> Result<Self, UnfitCurrency> {
        let code = text.trim().to_ascii_uppercase();
        let is_one_of = |codes: &[&str]| codes.contains(&code.as_str());
        if is_one_of(&TWO_DECIMALS) {
            return <[u8; 3]>::try_from(code.as_bytes()).map(Self).map_err(|_| UnfitCurrency::Unknown);
        }
        Err(if is_one_of(&NO_DECIMALS) {
            UnfitCurrency::NoDecimals
        } else if is_one_of(&THREE_DECIMALS) {
            UnfitCurrency::ThreeDecimals
        } else if is_one_of(&CHARGED_IN_UNITS) {
            UnfitCurrency::ChargedInUnits
        } else {
            UnfitCurrency::Unknown
        })
    }

    /// All of them, by their codes.
    pub fn all() -> impl Iterator<Item = Self> {
        TWO_DECIMALS.into_iter().filter_map(|code| Self::parse(code).ok())
    }

    /// The code, such as `EUR`.
    #[must_use]
    pub fn code(&self) -> &str {
        // It was read from ASCII letters.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// True for that of a tenant for which none was set.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::USUAL
    }

    /// An amount as it is printed in English, such as `$1,234.50` or `CHF 36.00`; the sign stands first.
    #[must_use]
    pub fn print(self, amount: Money) -> String {
        let digits = amount.to_string();
        let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
        let (whole, cents) = digits.split_once('.').unwrap_or((digits, "00"));
        let symbol = SYMBOLS.iter().find(|(code, _)| *code == self.code()).map(|(_, symbol)| *symbol);
        let before = symbol.map_or_else(|| format!("{self}\u{a0}"), str::to_owned);
        format!("{sign}{before}{}.{cents}", grouped(whole))
    }
}

/// Digits with a comma before every three of them.
fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len().saturating_mul(2));
    for (place, digit) in digits.chars().enumerate() {
        let left = digits.len().saturating_sub(place);
        if place > 0 && left.is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Default for Currency {
    fn default() -> Self {
        Self::USUAL
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.code())
    }
}

impl TryFrom<String> for Currency {
    type Error = UnfitCurrency;
    fn try_from(code: String) -> Result<Self, Self::Error> {
        Self::parse(&code)
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locations::countries;
    use proptest::prelude::*;
    use serde_json::json;

    fn currency(code: &str) -> Currency {
        Currency::parse(code).unwrap()
    }

    #[test]
    fn a_currency_without_two_decimals_is_refused_with_the_reason() {
        for (code, expected) in [
            ("JPY", UnfitCurrency::NoDecimals),
            ("isk", UnfitCurrency::NoDecimals),
            ("KWD", UnfitCurrency::ThreeDecimals),
            ("MGA", UnfitCurrency::ChargedInUnits),
            ("XAU", UnfitCurrency::Unknown),
            ("DEM", UnfitCurrency::Unknown),
            ("EURO", UnfitCurrency::Unknown),
            ("€", UnfitCurrency::Unknown),
            ("", UnfitCurrency::Unknown),
        ] {
            assert_eq!(Currency::parse(code), Err(expected), "{code}");
        }
        assert_eq!(currency(" eur ").code(), "EUR");
    }

    #[test]
    fn every_currency_stands_in_one_list_and_every_country_has_one_of_them() {
        let lists: [&[&str]; 4] = [&TWO_DECIMALS, &NO_DECIMALS, &THREE_DECIMALS, &CHARGED_IN_UNITS];
        let mut all: Vec<&str> = lists.into_iter().flatten().copied().collect();
        assert!(all.iter().all(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(TWO_DECIMALS.is_sorted());
        assert_eq!(Currency::all().count(), TWO_DECIMALS.len());
        for country in countries() {
            assert!(country.currency.is_none_or(|code| all.contains(&code)), "{}", country.name);
        }
        assert!(SYMBOLS.iter().all(|(code, _)| Currency::parse(code).is_ok()));
    }

    #[test]
    fn amounts_are_printed_as_the_currency_is_written() {
        for (code, cents, expected) in [
            ("USD", 3_600, "$36.00"),
            ("USD", -500, "-$5.00"),
            ("EUR", 123_456_789, "€1,234,567.89"),
            ("GBP", 99_999, "£999.99"),
            ("CAD", 100_000, "CA$1,000.00"),
            ("CHF", 5, "CHF\u{a0}0.05"),
            ("SEK", -1_234_500, "-SEK\u{a0}12,345.00"),
        ] {
            assert_eq!(currency(code).print(Money::from_cents(cents)), expected);
        }
    }

    #[test]
    fn it_is_stored_by_its_code_and_nothing_else_is_read() {
        assert_eq!(serde_json::to_value(currency("EUR")).unwrap(), json!("EUR"));
        assert_eq!(serde_json::from_value::<Currency>(json!("EUR")).unwrap(), currency("EUR"));
        assert!(serde_json::from_value::<Currency>(json!("JPY")).is_err());
        assert_eq!(Currency::default(), Currency::USUAL);
    }

    proptest! {
        #[test]
        fn what_is_printed_in_any_currency_reads_as_the_amount(
            code in proptest::sample::select(TWO_DECIMALS.to_vec()),
            cents in -1_000_000_000_000_i64..1_000_000_000_000,
        ) {
            let printed = currency(code).print(Money::from_cents(cents));
            // Some signs of a currency have a dot.
            let (_, amount) = printed.split_at(printed.find(|char: char| char.is_ascii_digit()).unwrap());
            let read = Money::parse(&amount.replace(',', "")).unwrap();
            let sign = if printed.starts_with('-') { -1 } else { 1 };
            prop_assert_eq!(read.cents() * sign, cents);
        }
    }
}
