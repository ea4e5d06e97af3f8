//! Tokens of cards at Stripe: payment methods that its fields and wallets make in a page, and confirmation tokens.

use super::api::{Api, ApiFault, Ask};
use crate::processor::ProcessorError;
use domain::card::{CardBrand, Expiry};
use domain::card_token::{PaymentToken, TokenAnswer, TokenCard};
use serde::Deserialize;

/// How the ids of payment methods and of confirmation tokens begin.
const METHOD_START: &str = "pm_";
const CONFIRMATION_START: &str = "ctoken_";

/// What a token of Stripe's is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// It is put on an intent before that is confirmed.
    Method,
    /// It is sent with the confirmation.
    Confirmation,
}

impl TokenKind {
    /// None of what no field of Stripe's makes.
    pub(super) fn of(token: &PaymentToken) -> Option<Self> {
        let text = token.expose();
        if text.starts_with(METHOD_START) {
            return Some(Self::Method);
        }
        text.starts_with(CONFIRMATION_START).then_some(Self::Confirmation)
    }
}

/// A payment method, or what a confirmation token says of the one that it will become.
#[derive(Debug, Deserialize)]
struct Method {
    #[serde(default)]
    card: Option<MethodCard>,
}

#[derive(Debug, Deserialize)]
struct ConfirmationToken {
    #[serde(default)]
    payment_method_preview: Option<Method>,
}

#[derive(Debug, Deserialize)]
struct MethodCard {
    brand: String,
    last4: String,
    exp_month: u8,
    exp_year: u16,
    #[serde(default)]
    fingerprint: Option<String>,
}

/// What Stripe tells of a token of this kind.
pub(super) async fn look_up(
    api: &Api,
    kind: TokenKind,
    token: &PaymentToken,
) -> Result<TokenAnswer, ProcessorError> {
    let id = token.expose();
    let found = match kind {
        TokenKind::Method => api.send::<Method>(Ask::get(format!("/v1/payment_methods/{id}"))).await,
        TokenKind::Confirmation => {
            let ask = Ask::get(format!("/v1/confirmation_tokens/{id}"));
            let found = api.send::<ConfirmationToken>(ask).await;
            found.map(|found| found.payment_method_preview.unwrap_or(Method { card: None }))
        }
    };
    match found {
        Ok(Method { card: Some(card) }) => Ok(card.told(token)),
        Ok(Method { card: None }) => Ok(TokenAnswer::Unknown),
        Err(ApiFault::Refused(refusal)) if refusal.is_about_something_unknown() => Ok(TokenAnswer::Unknown),
        Err(fault) => Err(super::unasked(fault)),
    }
}

impl MethodCard {
    fn told(self, token: &PaymentToken) -> TokenAnswer {
        let Self { brand, last4, exp_month, exp_year, fingerprint } = self;
        let Some(brand) = brand_of(&brand) else { return TokenAnswer::OtherBrand };
        let is_shown = last4.len() == 4 && last4.bytes().all(|byte| byte.is_ascii_digit());
        match Expiry::of(exp_month, exp_year).filter(|_| is_shown) {
            Some(expiry) => TokenAnswer::Card(TokenCard {
                brand,
                last_four: last4,
                expiry,
                // Without one, the same card is known again by the same token alone.
                fingerprint: fingerprint.unwrap_or_else(|| token.expose().to_owned()),
            }),
            None => TokenAnswer::Unknown,
        }
    }
}

/// The brand by Stripe's name for it.
fn brand_of(name: &str) -> Option<CardBrand> {
    match name {
        "visa" => Some(CardBrand::Visa),
        "mastercard" => Some(CardBrand::MasterCard),
        "amex" => Some(CardBrand::AmericanExpress),
        "discover" => Some(CardBrand::Discover),
        "jcb" => Some(CardBrand::Jcb),
        "diners" => Some(CardBrand::DinersClub),
        _ => None,
    }
}
