//! The sandbox's tokens: what its fields would make of its test cards, if it had any.

use super::{Behaviour, ShownCard};
use domain::card::{CardBrand, Expiry};
use domain::card_token::{PaymentToken, TokenAnswer, TokenCard};
use domain::payment::DeclineReason;

/// A token, and the test card it stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestToken {
    name: &'static str,
    brand: CardBrand,
    last_four: &'static str,
    pub(super) behaviour: Behaviour,
}

const fn test_token(
    name: &'static str,
    brand: CardBrand,
    last_four: &'static str,
    behaviour: Behaviour,
) -> TestToken {
    TestToken { name, brand, last_four, behaviour }
}

/// The test tokens. The README lists all of them.
pub(super) const TEST_TOKENS: [TestToken; 6] = [
    test_token("tok_visa", CardBrand::Visa, "4242", Behaviour::Succeeds),
    test_token("tok_mastercard", CardBrand::MasterCard, "4444", Behaviour::Succeeds),
    test_token("tok_amex", CardBrand::AmericanExpress, "0005", Behaviour::Succeeds),
    test_token("tok_declined", CardBrand::Visa, "0002", Behaviour::Declines(DeclineReason::CardDeclined)),
    test_token(
        "tok_no_funds",
        CardBrand::Visa,
        "9995",
        Behaviour::Declines(DeclineReason::InsufficientFunds),
    ),
    test_token("tok_3ds", CardBrand::Visa, "3155", Behaviour::AsksBack),
];

/// The month through which every card behind a token is valid.
const EXPIRY: (u8, u16) = (12, 2050);

impl TestToken {
    /// The test token that was sent, if it is one.
    pub(super) fn find(token: &PaymentToken) -> Option<Self> {
        TEST_TOKENS.into_iter().find(|known| known.name == token.expose())
    }

    /// What may be shown of its card.
    pub(super) fn shown(self) -> ShownCard {
        ShownCard { brand: self.brand, last_four: self.last_four.to_owned() }
    }
}

/// What the sandbox tells of a token.
pub(super) fn look_up(token: &PaymentToken) -> TokenAnswer {
    let (month, year) = EXPIRY;
    let found = TestToken::find(token).zip(Expiry::of(month, year));
    found.map_or(TokenAnswer::Unknown, |(TestToken { brand, last_four, .. }, expiry)| {
        TokenAnswer::Card(TokenCard {
            brand,
            last_four: last_four.to_owned(),
            expiry,
            fingerprint: format!("sandbox_{brand}_{last_four}"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_token_is_in_the_readme_and_stands_for_a_card_of_its_own() {
        let readme = include_str!("../../../../../README.md");
        let mut fingerprints = Vec::new();
        for TestToken { name, .. } in TEST_TOKENS {
            assert!(readme.contains(&format!("`{name}`")), "{name}");
            let TokenAnswer::Card(card) = look_up(&PaymentToken::parse(name).unwrap()) else {
                panic!("{name} is unknown");
            };
            fingerprints.push(card.fingerprint);
        }
        let all = fingerprints.len();
        fingerprints.sort();
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), all);
        for name in ["tok_Visa", "tok_nobody", "pm_1"] {
            assert_eq!(look_up(&PaymentToken::parse(name).unwrap()), TokenAnswer::Unknown, "{name}");
        }
    }
}
