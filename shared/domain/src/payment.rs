//! What a card processor says about a payment (contract §3, §11). Kept with the order that was paid or
//! refused; none of it can hold a card number.

use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroizing;

/// Why a card was refused, as far as a caller is told (contract §3, status 402).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DeclineReason {
    /// The issuer refused without a reason that helps the buyer.
    CardDeclined,
    /// The account does not cover the amount.
    InsufficientFunds,
    /// The security code is not the card's.
    IncorrectCvc,
    /// The issuer holds the card for expired.
    ExpiredCard,
    /// The postal code is not the card holder's.
    IncorrectZip,
    /// The processor could not carry the payment out; nothing was charged.
    ProcessorError,
}

impl DeclineReason {
    /// Every reason.
    pub const ALL: [Self; 6] = [
        Self::CardDeclined,
        Self::InsufficientFunds,
        Self::IncorrectCvc,
        Self::ExpiredCard,
        Self::IncorrectZip,
        Self::ProcessorError,
    ];
}

/// A refusal of the processor or of the issuer behind it. It is final: nothing was and nothing will be
/// charged by that payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decline {
    pub reason: DeclineReason,
    /// The processor's own code (`processorErrorCode`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor_code: Option<String>,
    /// The processor's own words (`processorErrorMessage`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor_message: Option<String>,
    /// The issuer's code, where the payment got that far (`issuingErrorCode`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuing_code: Option<String>,
    /// The issuer's words, where the payment got that far (`issuingErrorMessage`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuing_message: Option<String>,
}

/// The answer to a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// The amount is charged, for good.
    Captured,
    /// Nothing is charged, for good.
    Declined(Decline),
    /// The card's issuer asks the buyer first (3-D Secure); nothing is charged yet.
    AsksBuyer(BuyerAction),
}

/// What a page shows the question of a card's issuer with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuyerAction {
    /// What the processor's own library in the page shows it by.
    pub client_secret: ClientSecret,
    /// A page that shows it without such a library, below the address of the service.
    pub page: Option<String>,
}

/// What the page of a buyer may ask the processor about one payment with. It is never printed or stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSecret(Zeroizing<String>);

impl ClientSecret {
    /// A secret that a processor told.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The secret, for the page of the buyer alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ClientSecret(****)")
    }
}

/// What a buyer answers the issuer of a test card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeOutcome {
    /// The payment is the buyer's own.
    Pass,
    /// It is not, or that could not be shown.
    Fail,
}

impl ChallengeOutcome {
    /// Reads the name of an outcome.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "pass" => Some(Self::Pass),
            "fail" => Some(Self::Fail),
            _ => None,
        }
    }
}

/// Where a payment stands at this moment. Only a charged and a cancelled one stay so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaymentStatus {
    /// The amount is charged.
    Succeeded,
    /// Nothing is charged, and nothing ever will be.
    Cancelled,
    /// The issuer waits for the buyer.
    AsksBuyer(BuyerAction),
    /// The buyer did not confirm, or the card was refused after that. Whoever has the client secret could try another
    /// card, until the payment is cancelled.
    Refused(Decline),
    /// It is being carried out, or has no card yet.
    Open,
}

/// The answer to a refund: both are final.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundAnswer {
    /// The amount is given back, or on its way without anything left that could stop it.
    Refunded,
    /// Nothing is given back, and nothing ever will be by this refund.
    Refused(Decline),
}

/// The processor's last word on a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinalStatus {
    /// The amount is charged.
    Succeeded,
    /// Nothing is charged, and nothing ever will be by this payment.
    Cancelled,
}
