use super::*;
use crate::{Money, MoneyParseError, Percent};
use proptest::prelude::*;

/// The grammar, as an automaton that shares nothing with the parser: digits, at most one point, at least one digit.
fn is_typed(text: &str) -> bool {
    let points = text.matches('.').count();
    let digits = text.matches(|char| "0123456789".contains(char)).count();
    points <= 1 && digits >= 1 && points + digits == text.chars().count()
}

/// Texts near the grammar, and far from it.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[0-9]{0,6}[.]?[0-9]{0,4}",
        4 => "[-+0-9._eE, ]{0,8}",
        2 => "[-+]?[0-9]{1,3}[eE][-+]?[0-9]{1,2}",
        2 => "[0-9]{1,3}[_ ,'\u{a0}\u{2009}\u{66b}][0-9]{1,3}",
        1 => "[\u{0660}-\u{0669}\u{ff10}-\u{ff19}0-9.]{1,5}",
        1 => "\\PC{0,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_is_taken_is_exactly_the_grammar(text in texts()) {
        let typed = text.trim();
        prop_assert_eq!(TypedNumber::parse(&text).is_ok(), is_typed(typed), "{:?}", text);
        let negated = typed.strip_prefix('-').is_some_and(is_typed);
        prop_assert_eq!(TypedNumber::parse(&text) == Err(NumberFault::Negative), negated, "{:?}", text);
        // Money and percentages take nothing else, and all of it that fits.
        let money = Money::parse(&text);
        prop_assert_eq!(money == Err(MoneyParseError::NotANumber), !is_typed(typed) && !negated, "{:?}", text);
        prop_assert!(Percent::parse(&text).is_err() || is_typed(typed), "{:?}", text);
        prop_assert!(whole_number(&text).is_none() || is_typed(&text), "{:?}", text);
    }

    #[test]
    fn what_is_taken_means_what_it_says(whole in 0_i64..100_000_000, cents in 0_i64..100) {
        let text = format!("{whole}.{cents:02}");
        prop_assert_eq!(Money::parse(&text), Ok(Money::from_cents(whole * 100 + cents)));
        prop_assert_eq!(Money::parse(&format!("000{whole}")), Ok(Money::from_cents(whole * 100)));
        let percent = Percent::parse(&text);
        prop_assert_eq!(percent.is_ok(), whole * 100 + cents <= 10_000);
    }

    #[test]
    fn a_third_decimal_is_refused_whatever_it_is(whole in 0_i64..100, cents in 0_i64..100, more in "[0-9]{1,4}") {
        for text in [format!("{whole}.{cents:02}{more}"), format!(".{cents:02}{more}")] {
            prop_assert_eq!(Money::parse(&text), Err(MoneyParseError::TooManyDecimals), "{}", text);
            prop_assert_eq!(Percent::parse(&text), Err(MoneyParseError::TooManyDecimals), "{}", text);
        }
    }
}
