//! Where the symbol of a currency stands, by the patterns of Unicode CLDR 48.2 (npm cldr-numbers-full, `currencyFormats`
//! and `percentFormats`): ICU4X has no stable formatter for amounts yet.

use domain::{Currency, Language, Money};
use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal;

/// Symbols by currency and language.
const SYMBOLS: &str = include_str!("symbols.tsv");

/// What stands for the code of the currency in the table.
const CODE: &str = "-";

/// What stands between an amount and its symbol, or a percentage and its sign, so that no line ends there.
const SPACE: &str = "\u{a0}";

/// An amount with the symbol of its currency.
pub(super) fn written(
    language: Language,
    currency: Currency,
    amount: Money,
    decimals: &DecimalFormatter,
) -> String {
    let symbol = symbol(language, currency.code());
    let digits = |cents: Decimal| decimals.format(&of_cents(cents)).to_string();
    let signed = || digits(Decimal::from(amount.cents()));
    match language {
        // ¤#,##0.00
        Language::English => {
            let sign = if amount < Money::ZERO { "-" } else { "" };
            let is_word = symbol.ends_with(|last: char| last.is_ascii_alphabetic() || last == '.');
            let space = if is_word { SPACE } else { "" };
            format!("{sign}{symbol}{space}{}", digits(Decimal::from(amount.cents().unsigned_abs())))
        }
        // ¤ #,##0.00;¤ -#,##0.00
        Language::Dutch => format!("{symbol}{SPACE}{}", signed()),
        // #,##0.00 ¤
        Language::Spanish
        | Language::French
        | Language::German
        | Language::Italian
        | Language::Portuguese => format!("{}{SPACE}{symbol}", signed()),
    }
}

fn of_cents(mut cents: Decimal) -> Decimal {
    cents.multiply_pow10(-2);
    cents.pad_end(-2);
    cents
}

/// What a currency is called in a language.
pub(super) fn symbol(language: Language, code: &str) -> &str {
    let mut rows = SYMBOLS.lines().filter(|row| !row.starts_with('#')).map(|row| row.split('\t'));
    let column = rows.next().and_then(|mut heads| heads.position(|head| head == language.code()));
    let row = rows.find(|row| row.clone().next() == Some(code));
    let symbol = row.zip(column).and_then(|(mut row, column)| row.nth(column));
    symbol.filter(|symbol| *symbol != CODE).unwrap_or(code)
}

/// What stands before the sign of a percentage.
pub(super) const fn before_percent(language: Language) -> &'static str {
    match language {
        // #,##0 %
        Language::Spanish | Language::French | Language::German => SPACE,
        // #,##0%
        Language::English | Language::Italian | Language::Dutch | Language::Portuguese => "",
    }
}
