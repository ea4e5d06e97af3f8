//! What a buyer typed of a card, before it is read.

use serde::{Deserialize, Deserializer};
use std::fmt;
use zeroize::Zeroizing;

/// A card number or security code as it was sent. It is never printed, and wipes itself. It is cloned only together with
/// the whole request, and each copy wipes itself too.
#[derive(Clone, PartialEq, Eq)]
pub struct CardText(Zeroizing<String>);

impl CardText {
    /// What was typed, to be read as a number or a code, without white space around it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.trim()
    }
}

impl fmt::Debug for CardText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("CardText(****)")
    }
}

impl<'de> Deserialize<'de> for CardText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(Zeroizing::new(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_of_a_card_is_read_and_never_printed() {
        let text: CardText = serde_json::from_str("\" 4111 1111\\n\"").unwrap();
        assert_eq!(text.expose(), "4111 1111");
        assert_eq!(format!("{text:?}"), "CardText(****)");
    }
}
