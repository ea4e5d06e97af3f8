//! What a card processor says about a payment (contract §3, §11). Kept with the order that was paid or
//! refused; none of it can hold a card number.

use serde::{Deserialize, Serialize};

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
    /// The reason.
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

/// The answer to a card: both are final.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// The amount is charged.
    Captured,
    /// Nothing is charged.
    Declined(Decline),
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
