//! The one form in which texts that people type are compared: names, addresses, phone numbers, codes of coupons
//! (decision record 0119). They are kept as they were typed.

use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;

/// A text without what makes no difference: the case of letters and the form in which they are written (NFKC and full
/// case folding), the kind of apostrophes, the amount of white space. Empty for white space alone.
#[must_use]
pub fn comparable(text: &str) -> String {
    if text.is_ascii() {
        // What keyboards give, by far the most, is normal already.
        let letters = text.replace('`', "'").to_ascii_lowercase();
        return single_spaced(&letters);
    }
    // Folding can leave letters that have another form, and that form another case.
    single_spaced(&folded_case(&folded_case(text)))
}

/// Whether two codes are the same as texts are compared.
#[must_use]
pub fn is_same_code(one: &str, other: &str) -> bool {
    comparable(one) == comparable(other)
}

/// Whether two names are the same but for their letters' case and form, the kind of their apostrophes and the
/// amount of white space.
#[must_use]
pub fn is_same_name(one: &str, other: &str) -> bool {
    comparable(one) == comparable(other)
}

fn folded_case(text: &str) -> String {
    // Before, since some are compatible with an accent on a space; after, since others are made of several.
    let apostrophes: String = text.nfc().map(apostrophe).collect();
    let composed: String = apostrophes.nfkc().map(apostrophe).collect();
    UniCase::unicode(composed).to_folded_case().nfkc().collect()
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The typewriter's apostrophe for those of typographers and for what keyboards give in its place.
pub(crate) fn apostrophe(char: char) -> char {
    match char {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{02bc}' | '\u{02b9}' | '\u{2032}' | '\u{00b4}' | '`' => {
            '\''
        }
        other => other,
    }
}

/// The digits of a phone number; of a text without any, the text, so that two such texts are not one number.
#[must_use]
pub fn comparable_phone(text: &str) -> String {
    let digits = phone_digits(text);
    if digits.is_empty() { comparable(text) } else { digits }
}

/// The digits of a phone number, half or full width.
#[must_use]
pub fn phone_digits(text: &str) -> String {
    text.nfkc().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms_of_one_text_are_compared_alike() {
        for (one, other) in [
            ("Zoë  OKAFOR", " zoe\u{308} okafor"),
            ("STRASSE", "Straße"),
            ("ﬁne", "FINE"),
            ("ＷＥＬＣＯＭＥ１０", "welcome10"),
            ("ΟΔΟΣ", "οδος"),
            ("O\u{2019}Hara", "o'hara"),
            ("O`Hara", "O\u{b4}HARA"),
            ("a\u{a0}b", "A B"),
            ("\u{1e9e}", "ss"),
            ("\u{2057}", "''''"),
        ] {
            assert_eq!(comparable(one), comparable(other), "{one} {other}");
        }
        for (one, other) in
            [("Zoe", "Zoë"), ("I", "\u{131}"), ("ab", "a b"), ("a-b", "ab"), ("-", "--"), (".", "")]
        {
            assert_ne!(comparable(one), comparable(other), "{one} {other}");
        }
    }

    #[test]
    fn names_are_the_same_whatever_their_case_form_and_apostrophes() {
        for (one, other, same) in [
            ("O’Hara", "o'hara", true),
            ("O’Hara", "OʼHARA", true),
            ("STRASSE", "Straße", true),
            ("Ångström", "A\u{30a}NGSTRO\u{308}M", true),
            ("ﬁsher", "Fisher", true),
            ("ΟΔΥΣΣΕΥΣ", "Οδυσσευς", true),
            ("  de   la Cruz ", "De La cruz", true),
            ("Müller", "Muller", false),
            ("Smith", "Smyth", false),
            ("Smith-Jones", "Smith Jones", false),
            ("", "Smith", false),
        ] {
            assert_eq!(is_same_name(one, other), same, "{one} {other}");
            assert_eq!(is_same_name(other, one), same, "{other} {one}");
        }
    }

    #[test]
    fn phone_numbers_are_their_digits_and_words_are_words() {
        assert_eq!(comparable_phone("+1 (415) 555-0142"), "14155550142");
        assert_eq!(comparable_phone("\u{ff11}\u{ff12}"), "12");
        assert_ne!(comparable_phone("none"), comparable_phone("ask Ada"));
        assert_ne!(comparable_phone("-"), comparable_phone("n/a"));
    }

    proptest! {
        /// Comparing is an equivalence: the form of a form is itself. Case and form make no difference anywhere.
        #[test]
        fn a_form_is_its_own_form(text in "\\PC{0,12}") {
            let form = comparable(&text);
            prop_assert_eq!(comparable(&form), form.as_str());
            let (composed, decomposed): (String, String) = (text.nfc().collect(), text.nfd().collect());
            prop_assert_eq!(comparable(&composed), form.as_str());
            prop_assert_eq!(comparable(&decomposed), form.as_str());
        }

        /// What was typed is never compared as nothing.
        #[test]
        fn only_nothing_is_compared_as_nothing(text in "\\PC{0,12}") {
            let is_blank = text.trim().is_empty();
            prop_assert_eq!(comparable(&text).is_empty(), is_blank);
            prop_assert_eq!(comparable_phone(&text).is_empty(), is_blank);
        }
    }
}
