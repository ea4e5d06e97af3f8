//! Takes card numbers out of free texts.

use super::digit::ascii_digit;
use super::{CardBrand, MASK, SHOWN_DIGITS, passes_luhn};
use crate::lines::{breaks_line, is_invisible};
use std::borrow::Cow;
use std::ops::Range;

/// Replaces each card number in a free text by its masked form, `****1111`, before anything of the text is stored
/// (contract §6). Whatever is no card number stays as it was typed.
///
/// Our choice (decision record 0119): a card number is a sequence of whole groups of decimal digits of any script,
/// grouped as cards print them, in one, 4-4-4-4, 4-6-5, 4-6-4 or 4-4-4-4-3, or digit by digit. All its groups are joined
/// by the same one or two characters, neither letters nor digits. Characters that leave no mark count for nothing,
/// between digits too. It has at least 14 digits, its first digits and its length are those of a brand, and it passes
/// the Luhn check. Other digits and letters may stand before it and behind it. Card numbers that share groups are masked
/// as one.
#[must_use]
pub fn mask_card_numbers(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut copied = 0;
    let groups = digit_groups(text);
    for covered in card_numbers(&groups) {
        let number = groups.get(covered).unwrap_or_default();
        let (Some(first), Some(last)) = (number.first(), number.last()) else { continue };
        masked.push_str(text.get(copied..first.place.start).unwrap_or_default());
        masked.push_str(MASK);
        let digits = joined(number);
        masked.push_str(digits.get(digits.len().saturating_sub(SHOWN_DIGITS)..).unwrap_or_default());
        copied = last.place.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(masked)
}

/// Whether a text looks as if a card number in it was masked. What was typed then, nobody knows any more.
pub(crate) fn has_mask(text: &str) -> bool {
    let is_mask = |rest: &str| {
        let shown = rest.strip_prefix(MASK).unwrap_or_default();
        shown.chars().take_while(char::is_ascii_digit).count() == SHOWN_DIGITS
    };
    text.char_indices().any(|(at, _)| text.get(at..).is_some_and(is_mask))
}

/// The most groups that a card number is written in: one for each digit.
const MAX_GROUPS: usize = 19;
/// The fewest digits of a card number in a text. Numbers of 13 digits are telephone numbers: the cards that had as many
/// are no longer issued.
const MIN_DIGITS: usize = 14;
/// The most digits of a telephone number with its country, which is written behind a plus sign.
const MAX_TELEPHONE_DIGITS: usize = 15;

/// Digits that stand side by side as they are seen, with other characters or the ends of the text around them.
#[derive(Debug)]
struct Group {
    /// The digits, as ASCII.
    digits: String,
    /// Where they stand in the text.
    place: Range<usize>,
    /// What joins them to the group before them.
    joint: Option<Separator>,
    /// Whether a plus sign stands right before them.
    follows_plus: bool,
    /// Whether they are what was left of a number that is masked already.
    is_shown_part: bool,
}

/// What may stand between two groups of a card number: one or two characters that are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Separator {
    first: char,
    second: Option<char>,
}

impl Separator {
    /// The separator that a text is, if it is one.
    fn parse(text: &str) -> Option<Self> {
        let text = text.replace("\r\n", "\n");
        let mut marks = text.chars().filter(|char| !is_invisible(*char)).map(mark);
        let (first, second, None) = (marks.next()?, marks.next(), marks.next()) else { return None };
        let is_fit = |char: char| !char.is_alphanumeric();
        (is_fit(first) && second.is_none_or(is_fit)).then_some(Self { first, second })
    }
}

/// A character of a separator as it is compared: all dashes are one, and so are all full stops, blanks and line ends.
fn mark(char: char) -> char {
    match char {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{ff0e}' => '.',
        '\t' => ' ',
        other if breaks_line(other) => '\n',
        other if other.is_whitespace() => ' ',
        other => other,
    }
}

/// The groups of digits in a text, in their order.
fn digit_groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut ended = 0_usize;
    for (from, character) in text.char_indices() {
        let Some(digit) = ascii_digit(character) else { continue };
        let until = from.saturating_add(character.len_utf8());
        let before = text.get(ended..from).unwrap_or_default();
        match groups.last_mut() {
            Some(group) if before.chars().all(is_invisible) => {
                group.digits.push(digit);
                group.place.end = until;
            }
            Some(_) | None => {
                groups.push(Group {
                    digits: String::from(digit),
                    place: from..until,
                    joint: Separator::parse(before),
                    follows_plus: before.trim_end_matches(is_invisible).ends_with('+'),
                    is_shown_part: before.ends_with(MASK),
                });
            }
        }
        ended = until;
    }
    for group in &mut groups {
        group.is_shown_part = group.is_shown_part && group.digits.len() == SHOWN_DIGITS;
    }
    groups
}

/// The card numbers, as ranges of the groups, with those that overlap as one.
fn card_numbers(groups: &[Group]) -> Vec<Range<usize>> {
    let mut covered: Vec<Range<usize>> = Vec::new();
    for start in 0..groups.len() {
        let Some(count) = groups.get(start..).and_then(leading_card_number) else { continue };
        let end = start.saturating_add(count);
        match covered.last_mut() {
            Some(before) if before.end > start => before.end = before.end.max(end),
            Some(_) | None => covered.push(start..end),
        }
    }
    covered
}

/// How many groups, from the first on, are a card number. Of several, the longest.
fn leading_card_number(groups: &[Group]) -> Option<usize> {
    (1..=MAX_GROUPS.min(groups.len())).rev().find(|count| groups.get(..*count).is_some_and(is_card_number))
}

/// Whether these groups together are a card number.
fn is_card_number(groups: &[Group]) -> bool {
    let Some(first) = groups.first() else { return false };
    let joint = groups.get(1).and_then(|group| group.joint);
    let is_joined = groups.iter().skip(1).all(|group| group.joint.is_some() && group.joint == joint);
    let lengths: Vec<usize> = groups.iter().map(|group| group.digits.len()).collect();
    let length: usize = lengths.iter().sum();
    if length < MIN_DIGITS || !is_joined || first.is_shown_part || !is_card_grouping(&lengths) {
        return false;
    }
    if first.follows_plus && length <= MAX_TELEPHONE_DIGITS {
        return false;
    }
    let digits = joined(groups);
    CardBrand::of_digits(&digits).is_some_and(|brand| brand.has_length(length)) && passes_luhn(&digits)
}

/// How the digits of cards are grouped, in print and by people who copy them: not at all, in fours, as American Express
/// and Diners Club are, with the odd digits of 19 in the last group, and each digit by itself. In any other grouping
/// they are a number of something else: many telephone numbers are written 4-3-3-3.
fn is_card_grouping(lengths: &[usize]) -> bool {
    matches!(lengths, [_] | [4, 4, 4, 4] | [4, 4, 4, 4, 3] | [4, 6, 4 | 5])
        || lengths.iter().all(|length| *length == 1)
}

fn joined(groups: &[Group]) -> String {
    groups.iter().map(|group| group.digits.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::brand::BRAND_RANGES;
    use super::super::test_numbers::number;
    use super::*;
    use proptest::prelude::*;

    /// Every way in which a card of that many digits is printed.
    fn groupings(length: usize) -> Vec<Vec<usize>> {
        let mut all = vec![vec![length], vec![4, 6, 4], vec![4, 6, 5], vec![4; 4]];
        all.push(vec![4, 4, 4, 4, 3]);
        all.retain(|grouping| grouping.iter().sum::<usize>() == length);
        all
    }

    fn grouped(digits: &str, grouping: &[usize], between: &str) -> String {
        let mut rest = digits;
        let mut groups = Vec::new();
        for length in grouping {
            let (group, behind) = rest.split_at(*length);
            groups.push(group);
            rest = behind;
        }
        groups.join(between)
    }

    /// The lengths of groups that so many digits are cut into, each too short for a card.
    fn cut(digits: usize, picks: &[usize]) -> Vec<usize> {
        let mut left = digits;
        let taken = picks.iter().map(|pick| {
            let length = left.min(*pick);
            left -= length;
            length
        });
        taken.filter(|length| *length > 0).collect()
    }

    const SEPARATORS: [&str; 16] = [
        " ", "-", ".", "\u{a0}", "\u{202f}", "\u{3000}", "\u{2011}", "\u{2013}", "\u{2212}", "  ", "\n",
        "\r\n", "/", "_", "*", ", ",
    ];

    #[test]
    fn a_card_number_in_a_text_keeps_its_last_four_digits_only() {
        let plain = number("5105", 16);
        let last = &plain[12..];
        for written in [plain.clone(), grouped(&plain, &[4; 4], " "), grouped(&plain, &[4; 4], "-")] {
            for (before, after) in [
                ("", ""),
                ("card ", " thanks"),
                ("card:", "."),
                ("Zoë ", " é"),
                ("x", "y"),
                ("7    ", "    7"),
                ("a-", "-b"),
                ("1. a ", "x/12"),
                ("123 ", " 12/30"),
                ("1-", ""),
                ("+1 212 555 0142, ", ", +1 917 555 0199"),
            ] {
                let text = format!("{before}{written}{after}");
                assert_eq!(mask_card_numbers(&text), format!("{before}****{last}{after}"), "{text}");
            }
        }
    }

    #[test]
    fn a_mask_is_known_from_what_else_has_marks() {
        for card in
            ["4111 1111 1111 1111", "Pier 4111111111111111", "*4111111111111111*", "****4111111111111111 x"]
        {
            assert!(has_mask(&mask_card_numbers(card)) && !has_mask(card), "{card}");
        }
        for text in ["", "****", "****123", "****12345", "***1234", "**** 1234", "Pier"] {
            assert!(!has_mask(text), "{text}");
        }
    }

    #[test]
    fn digits_of_any_script_are_digits() {
        let plain = number("4", 16);
        let last = &plain[12..];
        for zero in [0xff10, 0x660, 0x6f0, 0x966, 0x1d7ce] {
            let written = plain.bytes().map(|digit| char::from_u32(zero + u32::from(digit - b'0')).unwrap());
            assert_eq!(mask_card_numbers(&written.collect::<String>()), format!("****{last}"), "{zero:x}");
        }
    }

    #[test]
    fn a_card_number_is_masked_whatever_stands_between_its_groups_and_is_not_seen() {
        let plain = number("4", 16);
        let masked = format!("****{}", &plain[12..]);
        for between in [
            " ",
            "  ",
            "\t",
            "\n",
            "\r\n",
            "\n\n",
            "/",
            "_",
            ",",
            ", ",
            "*",
            "**",
            "--",
            "+",
            "|",
            "\u{200b}",
            "\u{ad}",
            "\u{feff}",
            " \u{200b}",
            "\u{200b}-\u{2060}",
            "\u{b7}",
        ] {
            for grouping in [&[4; 4][..], &[1; 16]] {
                let text = grouped(&plain, grouping, between);
                assert_eq!(mask_card_numbers(&text), masked, "{text:?}");
            }
        }
        let hidden = grouped(&grouped(&plain, &[4; 4], " "), &[2, 17], "\u{200b}");
        assert_eq!(mask_card_numbers(&hidden), masked);
    }

    #[test]
    fn several_card_numbers_in_one_text_are_each_masked() {
        let (first, second) = (number("4", 16), number("34", 15));
        for between in [" or ", " ", ", ", "\n"] {
            let text = [first.as_str(), &second, &first].join(between);
            let shown = [&first[12..], &second[11..], &first[12..]].map(|last| format!("****{last}"));
            assert_eq!(mask_card_numbers(&text), shown.join(between), "{text}");
        }
    }

    #[test]
    fn card_numbers_that_share_groups_are_masked_as_one() {
        let text = "4444 4444 4444 4448 4444";
        let digits = text.replace(' ', "");
        assert!(passes_luhn(&digits[..16]) && passes_luhn(&digits[4..]));
        assert_eq!(mask_card_numbers(text), "****4444");
    }

    #[test]
    fn what_is_no_card_number_is_given_back_unchanged() {
        let card = number("4", 16);
        for text in [
            "",
            "no digits at all",
            "order 123456789, phone +1 555-123-4567",
            "Call 7185720493, 2123208957",
            "+1 212 555 0142, +1 917 555 0199",
            "+1 718 555 0142, 212 320 8957",
            "2026-12-24 2026-12-25 2026-12-26",
            "24.12.2026 25.12.2026",
            "ids 100100031 100100051 100100071",
            "Zoë 4000000000004242",
            "5000 6000 7000 8000",
            // Of no brand's length, of no brand, and without a right sum.
            &number("4", 12),
            &number("4", 14),
            &number("37", 16),
            &number("9", 16),
            &"4".repeat(17),
            // Grouped and joined as no card is.
            &grouped(&card, &[8, 8], " "),
            &grouped(&card, &[4, 4, 4, 2, 2], " "),
            &grouped(&number("37", 15), &[4, 4, 4, 3], " "),
            &grouped(&number("4", 19), &[6, 13], " "),
            &grouped(&card, &[4; 4], "   "),
            &grouped(&card, &[4; 4], " / "),
            &grouped(&card, &[4; 4], "x"),
            &format!("{} {}", grouped(&card[..8], &[4, 4], "-"), grouped(&card[8..], &[4, 4], "-")),
            // A part of a longer number.
            &format!("9{card}"),
            &format!("{card}7"),
            // A telephone number with its country.
            "4915112345603",
            &number("4", 13),
            &grouped(&number("4", 13), &[4, 4, 5], " "),
            &format!("+{}", number("49151", 13)),
            &format!("+\u{200b}{}", number("37", 15)),
            &grouped(&number("49151", 13), &[4, 3, 3, 3], " "),
            &grouped(&number("49151", 13), &[4, 3, 3, 3], "-"),
        ] {
            let masked = mask_card_numbers(text);
            assert!(matches!(masked, Cow::Borrowed(same) if same == text), "{text} became {masked}");
        }
    }

    /// A card number of any brand, with a length of that brand.
    fn card() -> impl Strategy<Value = String> {
        (0..BRAND_RANGES.len(), any::<u32>(), any::<usize>(), "[0-9]{13}").prop_map(
            |(range, lead, pick, filler)| {
                let (first, last, brand) = BRAND_RANGES[range];
                let lead = first + lead % (last - first + 1);
                let lengths: Vec<usize> = (14..=19).filter(|length| brand.has_length(*length)).collect();
                let length = lengths[pick % lengths.len()];
                number(&format!("{lead}{filler}")[..length - 1], length)
            },
        )
    }

    /// A telephone number, a date or an id as people type them.
    fn everyday() -> impl Strategy<Value = String> {
        prop_oneof![
            "[2-9][0-9]{9}",
            "(\\+1 )?[2-9][0-9]{2} [2-9][0-9]{2} [0-9]{4}",
            "(\\+1-)?[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}",
            "[1-9][0-9]{3} [0-9]{3} [0-9]{3} [0-9]{3}",
            "[2-9][0-9]{2}\\.[2-9][0-9]{2}\\.[0-9]{4}",
            "\\([2-9][0-9]{2}\\) [2-9][0-9]{2}-[0-9]{4}",
            "\\+[1-9][0-9]{10,14}",
            "20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]",
            "[0-3][0-9]\\.(0[1-9]|1[0-2])\\.20[0-9]{2}",
            "(0[1-9]|1[0-2])/[0-3][0-9]/20[0-9]{2}",
            "20[0-9]{2}(0[1-9]|1[0-2])[0-3][0-9]",
            "[1-9][0-9]{8}",
            "[1-9][0-9]{11}",
        ]
    }

    /// Texts dense in digits and separators, so that card numbers, overlaps and near misses come up often.
    fn dense() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9 -]{0,80}",
            "[3-6][0-9]{3}( [0-9]{4}){3,8}",
            "4[0-9]{3}(-[0-9]{1,4}){3,8}",
            "[0-9\u{ff10}-\u{ff19} .*+\n]{0,60}",
            (card(), "[0-9 *+-]{0,9}", "[0-9 -]{0,9}").prop_map(|(card, before, after)| {
                format!("{before}{}{after}", grouped(&card, groupings(card.len()).last().unwrap(), " "))
            }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn every_card_number_is_masked_however_it_is_grouped_and_wherever_it_stands(card in card()) {
            let (hidden, last) = card.split_at(card.len() - 4);
            for grouping in groupings(card.len()) {
                for between in SEPARATORS {
                    let written = grouped(&card, &grouping, between);
                    for (before, after) in
                        [("", ""), ("card ", " thanks"), ("x", "y"), ("No.", "."), ("1 / ", "/7"), ("7, ", ", 7")]
                    {
                        let text = format!("{before}{written}{after}");
                        prop_assert_eq!(mask_card_numbers(&text), format!("{before}****{last}{after}"));
                    }
                    // What is behind it may make a longer number, which is masked as well.
                    let text = format!("123 {written} 12/30");
                    let masked = mask_card_numbers(&text);
                    let digits: String = masked.chars().filter(char::is_ascii_digit).collect();
                    prop_assert!(masked.starts_with("123 ****") && !digits.contains(hidden), "{}", masked);
                }
            }
        }

        #[test]
        fn a_number_that_is_grouped_as_no_card_is_stays(
            card in card(),
            picks in prop::collection::vec(1_usize..=8, 19),
            between in prop::sample::select(SEPARATORS.to_vec()),
        ) {
            let lengths = cut(card.len(), &picks);
            // A part of it may be grouped as a card, and then be one by chance.
            let runs = (0..lengths.len()).flat_map(|from| (from + 1..=lengths.len()).map(move |to| from..to));
            let is_like_a_card = runs.map(|run| lengths[run].to_vec()).any(|run| {
                let digits: usize = run.iter().sum();
                let is_spelled = run.iter().all(|length| *length == 1);
                run.len() > 1 && digits >= 14 && (is_spelled || groupings(digits).contains(&run))
            });
            prop_assume!(!is_like_a_card);
            let text = format!("call {} today", grouped(&card, &lengths, between));
            prop_assert_eq!(mask_card_numbers(&text), text.as_str());
        }

        #[test]
        fn telephone_numbers_dates_and_ids_stay(
            first in everyday(),
            second in everyday(),
            third in everyday(),
            between in prop_oneof![Just(", "), Just(" / "), Just("\n"), Just(" or "), Just("; ")],
        ) {
            let text = format!("Call {first}{between}{second}{between}{third}.");
            prop_assert_eq!(mask_card_numbers(&text), text.as_str());
        }

        #[test]
        fn two_of_a_kind_with_a_space_between_stay(
            (first, second) in prop_oneof![
                ("[2-9][0-9]{9}", "[2-9][0-9]{9}"),
                ("[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}", "[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}"),
                ("[2-9][0-9]{2} [2-9][0-9]{2} [0-9]{4}", "[2-9][0-9]{2} [2-9][0-9]{2} [0-9]{4}"),
                ("20[0-9]{2}-[01][0-9]-[0-3][0-9]", "20[0-9]{2}-[01][0-9]-[0-3][0-9]"),
                ("20[0-9]{6}", "20[0-9]{6}"),
                ("[1-9][0-9]{8}", "[1-9][0-9]{8}"),
            ],
        ) {
            let text = format!("{first} {second}");
            prop_assert_eq!(mask_card_numbers(&text), text.as_str());
        }

        #[test]
        fn masking_a_second_time_changes_nothing(text in dense()) {
            let once = mask_card_numbers(&text).into_owned();
            prop_assert_eq!(mask_card_numbers(&once), once.as_str());
        }

        #[test]
        fn a_text_without_digits_is_borrowed(text in "[^0-9]*") {
            prop_assert!(matches!(mask_card_numbers(&text), Cow::Borrowed(same) if same == text));
        }

        #[test]
        fn any_text_is_masked_without_a_fault(text in "\\PC*") {
            let once = mask_card_numbers(&text).into_owned();
            prop_assert_eq!(mask_card_numbers(&once), once.as_str());
        }
    }
}
