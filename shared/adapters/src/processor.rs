//! The card processor (contract §11). Three verbs of a sale let recovery have a final word without the card; the
//! fourth gives money back.

mod sandbox;
mod stripe;

pub use sandbox::{
    Clock, SandboxCharge, SandboxProcessor, SandboxRefund, SandboxStatus, captured_in, load_captured,
};
pub use stripe::{EventFault, FoundDispute, FoundFailure, Stripe, StripeProcessor};

use async_trait::async_trait;
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::payment::{Confirmation, FinalStatus, PaymentStatus, RefundAnswer};
use domain::{Currency, Mid, Money, OrderId, PaymentReference, RefundId, TenantId, Timestamp};
use std::fmt;

/// The payment of one order. An order has one payment, which takes at most one card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentRequest {
    /// The tenant that sells.
    pub tenant: TenantId,
    /// The order that is paid.
    pub order: OrderId,
    /// What is charged.
    pub amount: Money,
    /// What that is counted in.
    pub currency: Currency,
    /// The merchant that is paid.
    pub mid: Mid,
    /// What the buyer reads on the card statement.
    pub descriptor: String,
    /// When the order was secured: its payment was opened no earlier, and perhaps long ago.
    pub secured_at: Timestamp,
}

/// Money of a captured payment to be given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundRequest {
    /// The tenant that sold.
    pub tenant: TenantId,
    /// The order that was paid.
    pub order: OrderId,
    /// The merchant that was paid.
    pub mid: Mid,
    pub reference: PaymentReference,
    /// The refund's identity with us.
    pub refund: RefundId,
    /// What is given back.
    pub amount: Money,
}

/// Sale of one order on one card: charge and capture at once; and refunds of it.
#[async_trait]
pub trait CardProcessor: Send + Sync {
    /// The card behind a token, as the account that charges for the merchant sees it. It moves no money and keeps
    /// nothing.
    ///
    /// # Errors
    /// [`ProcessorError`] when there is no answer.
    async fn look_up(&self, token: &PaymentToken, mid: &Mid) -> Result<TokenAnswer, ProcessorError>;

    /// Opens the payment of an order. It needs no card, and opening again for the same order answers the
    /// same payment.
    ///
    /// # Errors
    /// [`ProcessorError`] when there is no answer; nothing is charged by opening.
    async fn open(&self, payment: &PaymentRequest) -> Result<PaymentReference, ProcessorError>;

    /// Charges the card. A payment that is decided already answers as it did, without another charge; a
    /// cancelled one declines. Where the issuer asks the buyer first, a number is declined: whoever sends one has no page
    /// of the processor's to show the question in.
    ///
    /// # Errors
    /// [`ProcessorError`] when it is not known whether the card was charged;
    /// [`CardProcessor::cancel_or_status`] finds out.
    async fn confirm(
        &self,
        reference: &PaymentReference,
        card: &SentCard,
    ) -> Result<Confirmation, ProcessorError>;

    /// Where the payment stands, which this does not change.
    ///
    /// # Errors
    /// [`ProcessorError`] when there is no answer.
    async fn status(&self, reference: &PaymentReference) -> Result<PaymentStatus, ProcessorError>;

    /// Cancels the payment unless it is decided: afterwards it can never succeed, or it has.
    ///
    /// # Errors
    /// [`ProcessorError`] when there is no answer; asking again is right.
    async fn cancel_or_status(&self, reference: &PaymentReference) -> Result<FinalStatus, ProcessorError>;

    /// Gives money of a captured payment back. It is idempotent by the refund's id: asked again, it answers the same
    /// refund, whatever it answered first.
    ///
    /// # Errors
    /// [`ProcessorError`] when it is not known whether anything was given back; asking again is right. A payment that
    /// it does not know is one: another processor or account may have been asked before (decision record 0098).
    async fn refund(&self, refund: &RefundRequest) -> Result<RefundAnswer, ProcessorError>;

    /// Whether a reference has the form of those that `open` answers here; otherwise another processor took the
    /// payment.
    fn can_have_written(&self, reference: &PaymentReference) -> bool;
}

/// The processor gave no answer to act on: whether anything was charged or given back is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessorError {
    /// No connection, or the processor failed.
    Unreachable,
    /// The request went out and may have been carried out.
    AnswerLost,
    /// Too many requests.
    Throttled,
    /// The processor knows no payment by this reference: a fault of ours, since only `open` makes one, or a payment
    /// that another processor or account took.
    UnknownPayment,
}

impl fmt::Display for ProcessorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Unreachable => "the card processor cannot be reached",
            Self::AnswerLost => "the card processor's answer was lost",
            Self::Throttled => "the card processor takes no more requests for now",
            Self::UnknownPayment => "the card processor knows no such payment",
        })
    }
}

impl std::error::Error for ProcessorError {}
