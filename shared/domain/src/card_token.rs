//! A card that a field of the processor's own, in the visitor's page, made a token of (decision record 0145): what a
//! checkout pays with, and what may be known of the card behind it.

use crate::card::{Card, CardBrand, Expiry};
use crate::order::CardSummary;
use std::fmt;
use zeroize::Zeroizing;

/// The longest token that is taken, in characters.
const MAX_TOKEN_CHARS: usize = 255;

/// A token of a card, for the processor alone. It is never printed or stored, and wipes itself.
#[derive(Clone, PartialEq, Eq)]
pub struct PaymentToken(Zeroizing<String>);

/// The text cannot be a token of any processor. Holds nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadableToken;

impl PaymentToken {
    /// Reads a token: a word of ASCII letters, digits and underscores, with a letter among them, so that it is no card
    /// number.
    ///
    /// # Errors
    /// [`UnreadableToken`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnreadableToken> {
        let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let has_letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        if is_word && has_letter && text.len() <= MAX_TOKEN_CHARS {
            Ok(Self(Zeroizing::new(text.to_owned())))
        } else {
            Err(UnreadableToken)
        }
    }

    /// The token, for the card processor alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PaymentToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PaymentToken(****)")
    }
}

/// What a checkout pays with.
#[derive(Debug)]
pub enum SentCard {
    /// The card itself, as it was typed.
    Number(Box<Card>),
    /// A token of it.
    Token(PaymentToken),
}

/// What the processor tells of the card behind a token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenCard {
    /// The brand of the card.
    pub brand: CardBrand,
    /// The last four digits, which may be stored and shown.
    pub last_four: String,
    /// The month through which it is valid.
    pub expiry: Expiry,
    /// By what the processor knows the same card again, whatever its token. It is never printed: where the processor
    /// has nothing better, it is the token.
    pub fingerprint: String,
}

impl TokenCard {
    /// What may be kept of it.
    #[must_use]
    pub fn summary(&self) -> CardSummary {
        let Self { brand, last_four, expiry, fingerprint: _ } = self;
        CardSummary { brand: *brand, last_four: last_four.clone(), expiry: *expiry }
    }
}

impl fmt::Debug for TokenCard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { brand, last_four, expiry, fingerprint: _ } = self;
        let mut shown = out.debug_struct("TokenCard");
        shown.field("brand", brand).field("last_four", last_four);
        shown.field("expiry", expiry).finish_non_exhaustive()
    }
}

/// The processor's answer to a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenAnswer {
    /// It stands for this card.
    Card(TokenCard),
    /// It stands for nothing that can be charged here: it was never made, was used up, or is of no card.
    Unknown,
    /// It stands for a card of a brand that is not among ours.
    OtherBrand,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_word_and_no_card_number() {
        for text in ["tok_visa", "pm_1MtwBwLkdIwHu7ix28a3tqPa", "ctoken_1NnQUf2eZvKYlo2CIObdtbnb", "T"] {
            assert_eq!(PaymentToken::parse(text).unwrap().expose(), text);
        }
        let long = "t".repeat(256);
        for text in
            ["", "4242424242424242", "tok visa", "tok-visa", "pm_1/cancel", "tok_ä", "pm_1?a=b", &long]
        {
            assert_eq!(PaymentToken::parse(text), Err(UnreadableToken), "{text}");
        }
    }

    #[test]
    fn tokens_are_never_printed() {
        let token = PaymentToken::parse("tok_visa").unwrap();
        let card = TokenCard {
            brand: CardBrand::Visa,
            last_four: "4242".to_owned(),
            expiry: Expiry::of(12, 2050).unwrap(),
            fingerprint: token.expose().to_owned(),
        };
        let told = format!("{:?}", TokenAnswer::Card(card));
        assert!(told.contains("4242") && !told.contains("tok_visa"), "{told}");
        assert_eq!(format!("{:?}", SentCard::Token(token)), "Token(PaymentToken(****))");
    }
}
