//! Who stands at a device (decision record 0137).

use crate::card::mask_card_numbers;
use crate::lines::{is_blank, is_one_line};

/// Characters of what an operator is called.
pub const MAX_OPERATOR_CHARS: usize = 60;

/// What a program says of the person who uses it: one line, in which nothing is taken for granted. It proves nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator(String);

/// The text is blank, too long, or not one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfitOperator;

impl Operator {
    /// Reads what was sent, without white space around it. A card number in it is masked before it goes anywhere.
    ///
    /// # Errors
    /// [`UnfitOperator`] for a text that is blank, has more than [`MAX_OPERATOR_CHARS`] or is not one line.
    pub fn parse(text: &str) -> Result<Self, UnfitOperator> {
        let text = text.trim();
        let fits = !is_blank(text) && is_one_line(text) && text.chars().count() <= MAX_OPERATOR_CHARS;
        if fits { Ok(Self(mask_card_numbers(text).into_owned())) } else { Err(UnfitOperator) }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_operator_is_one_line_of_at_most_sixty_characters() {
        let (longest, longer) = ("\u{e9}".repeat(60), "a".repeat(61));
        for (sent, kept) in [
            ("Dana", Some("Dana")),
            (" Okafor, Zo\u{eb} ", Some("Okafor, Zo\u{eb}")),
            (longest.as_str(), Some(longest.as_str())),
            (longer.as_str(), None),
            ("", None),
            (" ", None),
            ("\u{200b}", None),
            ("Dana\nDesk", None),
            ("Dana\tDesk", None),
            ("Dana\u{2028}Desk", None),
            ("\u{202e}anaD", None),
            ("4242 4242 4242 4242", Some("****4242")),
        ] {
            let read = Operator::parse(sent);
            assert_eq!(read.as_ref().map(Operator::as_str).ok(), kept, "{sent:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_kept_reads_back_as_it_is(text in "\\PC{0,70}") {
            if let Ok(operator) = Operator::parse(&text) {
                prop_assert!(operator.as_str().chars().count() <= MAX_OPERATOR_CHARS);
                prop_assert_eq!(Operator::parse(operator.as_str()), Ok(operator.clone()));
            }
        }
    }
}
