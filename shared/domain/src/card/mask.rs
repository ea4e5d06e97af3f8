//! Takes card numbers out of free texts.

use super::{CARD_NUMBER_MIN_DIGITS, MASK, SHOWN_DIGITS, luhn_lengths};
use std::borrow::Cow;
use std::ops::Range;

/// Replaces what may be a card number in a free text by its masked form, `****1111`, before anything of the
/// text is stored (contract §6).
///
/// Looked at is every stretch of digits, half or full width, between which up to three spaces, line breaks
/// or punctuation marks may stand. Each run of 13 to 19 of its digits that passes the Luhn check is covered,
/// also inside a longer stretch; runs that overlap or touch are masked as one, and of each only the last four
/// digits are left. Our choice: brands do not matter here, because one masked figure too many costs less than
/// one stored card number.
#[must_use]
pub fn mask_card_numbers(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut copied = 0;
    for digits in digit_stretches(text) {
        for covered in card_runs(&digits) {
            let run = digits.get(covered).unwrap_or_default();
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            masked.push_str(text.get(copied..first.from).unwrap_or_default());
            masked.push_str(MASK);
            let shown = run.get(run.len().saturating_sub(SHOWN_DIGITS)..).unwrap_or_default();
            masked.extend(shown.iter().map(|digit| char::from(digit.ascii)));
            copied = last.until;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(masked)
}

/// Marks that may stand between two digits of one number.
const MAX_SEPARATORS: usize = 3;

/// One digit of a text.
#[derive(Debug, Clone, Copy)]
struct Digit {
    ascii: u8,
    from: usize,
    until: usize,
}

/// A half- or full-width digit, as ASCII.
fn ascii_digit(character: char) -> Option<u8> {
    let value = character.to_digit(10).or_else(|| {
        let offset = u32::from(character).checked_sub(u32::from('\u{ff10}'))?;
        (offset < 10).then_some(offset)
    })?;
    u8::try_from(value).ok()?.checked_add(b'0')
}

/// The digits of each stretch that is long enough to hold a card number.
fn digit_stretches(text: &str) -> Vec<Vec<Digit>> {
    let mut stretches = Vec::new();
    let mut current = Vec::new();
    let mut separators = 0_usize;
    // A last letter closes the stretch at the end of the text.
    for (from, character) in text.char_indices().chain([(text.len(), 'x')]) {
        if let Some(ascii) = ascii_digit(character) {
            current.push(Digit { ascii, from, until: from.saturating_add(character.len_utf8()) });
            separators = 0;
        } else if !character.is_alphanumeric() && separators < MAX_SEPARATORS {
            separators = separators.saturating_add(1);
        } else {
            if current.len() >= CARD_NUMBER_MIN_DIGITS {
                stretches.push(std::mem::take(&mut current));
            }
            current.clear();
            separators = 0;
        }
    }
    stretches
}

/// The parts of a stretch, as ranges of its digits, that runs of 13 to 19 digits with a right Luhn sum cover.
fn card_runs(digits: &[Digit]) -> Vec<Range<usize>> {
    let mut covered: Vec<Range<usize>> = Vec::new();
    for end in CARD_NUMBER_MIN_DIGITS..=digits.len() {
        let backwards = digits.iter().take(end).rev().map(|digit| digit.ascii);
        let Some(longest) = luhn_lengths(backwards).last() else { continue };
        let mut start = end.saturating_sub(longest);
        while let Some(before) = covered.pop_if(|before| before.end >= start) {
            start = start.min(before.start);
        }
        covered.push(start..end);
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::super::test_numbers::{number, textbook_luhn};
    use super::*;
    use proptest::prelude::*;

    /// Every run of 13 to 19 digits with a right Luhn sum, found the slow way: all starts, all lengths, and the
    /// sum as the textbook has it.
    fn card_numbers_in(text: &str) -> Vec<String> {
        let marks: Vec<char> = text.chars().collect();
        let value = |mark: char| {
            "0123456789".find(mark).or_else(|| {
                "\u{ff10}\u{ff11}\u{ff12}\u{ff13}\u{ff14}\u{ff15}\u{ff16}\u{ff17}\u{ff18}\u{ff19}"
                    .chars()
                    .position(|wide| wide == mark)
            })
        };
        let mut found = Vec::new();
        for start in (0..marks.len()).filter(|at| value(marks[*at]).is_some()) {
            let mut digits = String::new();
            let mut between = 0;
            for mark in &marks[start..] {
                if let Some(digit) = value(*mark) {
                    digits.push_str(&digit.to_string());
                    between = 0;
                } else if !mark.is_alphanumeric() && between < 3 {
                    between += 1;
                } else {
                    break;
                }
                if between == 0 && (13..=19).contains(&digits.len()) && textbook_luhn(&digits) {
                    found.push(digits.clone());
                }
            }
        }
        found
    }

    #[test]
    fn a_card_number_in_a_text_keeps_its_last_four_digits_only() {
        let plain = number("5", 16);
        let last = &plain[12..];
        let spaced = format!("{} {} {} {}", &plain[..4], &plain[4..8], &plain[8..12], last);
        let dashed = spaced.replace(' ', "-");
        let mixed = format!("{} {}-{}", &plain[..5], &plain[5..15], &plain[15..]);
        for written in [&plain, &spaced, &dashed, &mixed] {
            for (before, after) in [
                ("", ""),
                ("card ", " thanks"),
                ("card:", "."),
                ("Zoë ", " é"),
                ("x", "y"),
                ("7    ", "    7"),
                ("a-", "-b"),
                ("1. a ", "x/12"),
            ] {
                let text = format!("{before}{written}{after}");
                assert_eq!(mask_card_numbers(&text), format!("{before}****{last}{after}"), "{text}");
            }
        }
    }

    #[test]
    fn no_way_of_grouping_the_digits_hides_a_card_number() {
        let plain = number("4", 16);
        let last = &plain[12..];
        for between in ["  ", ".", "/", "_", "\n", "\r\n", "\u{a0}", " - ", "--"] {
            let groups = [&plain[..4], &plain[4..8], &plain[8..12], last];
            assert_eq!(mask_card_numbers(&groups.join(between)), format!("****{last}"), "{between:?}");
        }
        let wide = plain.bytes().map(|digit| char::from_u32(0xff10 + u32::from(digit - b'0')).unwrap());
        assert_eq!(mask_card_numbers(&wide.collect::<String>()), format!("****{last}"));
    }

    #[test]
    fn every_length_from_13_to_19_is_masked_whole() {
        for length in 13..=19 {
            let plain = number("37", length);
            let expected = format!("****{}", &plain[length - 4..]);
            assert_eq!(mask_card_numbers(&plain), expected, "{length}");
        }
    }

    #[test]
    fn several_card_numbers_in_one_text_are_each_masked() {
        let (first, second) = (number("4", 16), number("34", 15));
        let text = format!("{first} or {second} or {first}");
        let expected = format!("****{0} or ****{1} or ****{0}", &first[12..], &second[11..]);
        assert_eq!(mask_card_numbers(&text), expected);
    }

    /// The last 13 digits of this number pass the check by themselves.
    #[test]
    fn the_longest_run_is_masked_where_a_shorter_one_also_passes() {
        let nested = number("401569184132684", 16);
        assert_eq!(card_numbers_in(&nested), [nested.as_str(), &nested[3..]]);
        assert_eq!(mask_card_numbers(&nested), format!("****{}", &nested[12..]));
    }

    #[test]
    fn card_numbers_that_touch_are_masked_as_one() {
        let (first, second) = (number("501090152404046", 16), number("498668806102216", 16));
        let text = format!("{first} {second}");
        assert_eq!(card_numbers_in(&text), [first, second.clone()], "nothing bridges the two");
        assert_eq!(mask_card_numbers(&text), format!("****{}", &second[12..]));
    }

    #[test]
    fn a_card_number_inside_a_longer_row_of_digits_is_masked() {
        let hidden = number("4", 16);
        for (before, after) in [("9", ""), ("", "7"), ("12345", "67890"), ("1 ", "-2"), ("000000000000", "1")]
        {
            let text = format!("{before}{hidden}{after}");
            let masked = mask_card_numbers(&text);
            assert!(!masked.contains(&hidden) && masked.contains("****"), "{text} became {masked}");
            assert_eq!(card_numbers_in(&masked), [""; 0], "{text} became {masked}");
        }
    }

    #[test]
    fn a_text_without_card_number_is_given_back_unchanged() {
        let valid = number("4", 16);
        // No 13 to 19 of these add up to a multiple of ten.
        let wrong_sum = "1".repeat(19);
        for text in [
            "",
            "no digits at all",
            "order 123456789, phone +1 555-123-4567",
            &number("4", 12),
            &wrong_sum,
            &format!("{}    {}", &valid[..8], &valid[8..]),
            &format!("{}x{}", &valid[..8], &valid[8..]),
        ] {
            assert!(card_numbers_in(text).is_empty(), "{text}");
            let masked = mask_card_numbers(text);
            assert!(matches!(masked, Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    /// Texts dense in digits and separators, so that stretches, overlaps and near misses come up often.
    fn dense() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9]{0,60}",
            "[0-9 -]{0,80}",
            "[0-9 a*-]{0,80}",
            "[0-3é -]{0,60}",
            "[0-9\u{ff10}-\u{ff19} .\n]{0,60}",
            ("[0-9 -]{0,9}", "[0-9]{12,18}", "[0-9 -]{0,9}").prop_map(|(before, most, after)| {
                format!("{before}{}{after}", number(&most, most.len() + 1))
            }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn no_card_number_is_left_in_a_masked_text(text in dense()) {
            prop_assert_eq!(card_numbers_in(&mask_card_numbers(&text)), [""; 0]);
        }

        #[test]
        fn masking_a_second_time_changes_nothing(text in dense()) {
            let once = mask_card_numbers(&text).into_owned();
            prop_assert_eq!(mask_card_numbers(&once), once.as_str());
        }

        #[test]
        fn only_a_text_with_a_card_number_is_changed(text in dense()) {
            let changed = matches!(mask_card_numbers(&text), Cow::Owned(_));
            prop_assert_eq!(changed, !card_numbers_in(&text).is_empty());
        }

        #[test]
        fn a_text_without_digits_is_borrowed(text in "[^0-9]*") {
            prop_assert!(matches!(mask_card_numbers(&text), Cow::Borrowed(same) if same == text));
        }

        #[test]
        fn any_text_is_masked_without_a_fault(text in "\\PC*") {
            prop_assert_eq!(card_numbers_in(&mask_card_numbers(&text)), [""; 0]);
        }
    }
}
