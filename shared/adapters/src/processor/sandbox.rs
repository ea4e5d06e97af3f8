//! The sandbox card processor: documented test cards, and payments kept in the merchants table so that the
//! charges outlive the process as a real processor's would.

mod captured;
mod challenge;
mod refund;
mod token;

pub use captured::{captured_in, load_captured};
pub use refund::SandboxRefund;

use self::refund::Refund;
use self::token::TestToken;
use super::{CardProcessor, PaymentRequest, ProcessorError, RefundRequest};
use async_trait::async_trait;
use domain::card::{Card, CardBrand};
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::payment::{Confirmation, Decline, DeclineReason, FinalStatus, PaymentStatus, RefundAnswer};
use domain::{Currency, Mid, Money, OrderId, PaymentReference, RefundId, TenantId, Timestamp};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use store::sandbox::Undecided;
use store::{Store, StoreError};

/// Gives the present instant.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How long the slow test card takes.
const SLOW_CARD: Duration = Duration::from_secs(8);

/// What a test card does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    Succeeds,
    Declines(DeclineReason),
    /// Succeeds after [`SLOW_CARD`].
    SucceedsSlowly,
    /// Is charged, but the answer does not arrive; the same goes for the first answer to each of its refunds.
    LosesTheAnswer,
    /// Succeeds, and its refunds are refused.
    RefusesRefunds,
    /// Its issuer asks the buyer for a confirmation.
    AsksBack,
}

/// The test cards (architecture: the sandbox). Every brand has cards that succeed and one that is declined; the other
/// cards are of Visa. The README lists all of them.
const TEST_CARDS: [(&str, Behaviour); 23] = [
    ("4242424242424242", Behaviour::Succeeds),
    ("4111111111111111", Behaviour::Succeeds),
    ("5555555555554444", Behaviour::Succeeds),
    ("2223003122003222", Behaviour::Succeeds),
    ("378282246310005", Behaviour::Succeeds),
    ("6011111111111117", Behaviour::Succeeds),
    ("3566002020360505", Behaviour::Succeeds),
    ("3056930009020004", Behaviour::Succeeds),
    ("36227206271667", Behaviour::Succeeds),
    ("5200000000000007", Behaviour::Declines(DeclineReason::CardDeclined)),
    ("370000000000002", Behaviour::Declines(DeclineReason::CardDeclined)),
    ("6011000000000004", Behaviour::Declines(DeclineReason::CardDeclined)),
    ("3530000000000003", Behaviour::Declines(DeclineReason::CardDeclined)),
    ("36000000000008", Behaviour::Declines(DeclineReason::CardDeclined)),
    ("4000000000000002", Behaviour::Declines(DeclineReason::CardDeclined)),
    ("4000000000009995", Behaviour::Declines(DeclineReason::InsufficientFunds)),
    ("4000000000000127", Behaviour::Declines(DeclineReason::IncorrectCvc)),
    ("4000000000000069", Behaviour::Declines(DeclineReason::ExpiredCard)),
    ("4000000000000010", Behaviour::Declines(DeclineReason::IncorrectZip)),
    ("4000000000000119", Behaviour::Declines(DeclineReason::ProcessorError)),
    ("4000000000000341", Behaviour::SucceedsSlowly),
    ("4000000000000259", Behaviour::LosesTheAnswer),
    ("4000000000005126", Behaviour::RefusesRefunds),
];

/// What the sandbox says with a decline: code and message of the processor, and whether the issuer, who
/// then says the same, was asked at all.
fn decline(reason: DeclineReason) -> Decline {
    let (code, message) = match reason {
        DeclineReason::CardDeclined => ("card_declined", "The card was declined."),
        DeclineReason::InsufficientFunds => ("insufficient_funds", "The card has insufficient funds."),
        DeclineReason::IncorrectCvc => ("incorrect_cvc", "The security code you supplied is incorrect."),
        DeclineReason::ExpiredCard => ("expired_card", "The card has expired."),
        DeclineReason::IncorrectZip => ("incorrect_zip", "The zip code you supplied failed validation."),
        DeclineReason::ProcessorError => {
            return unasked_issuer(reason, "processing_error", "The card could not be processed.");
        }
    };
    Decline {
        issuing_code: Some(code.to_owned()),
        issuing_message: Some(message.to_owned()),
        ..unasked_issuer(reason, code, message)
    }
}

fn unasked_issuer(reason: DeclineReason, code: &str, message: &str) -> Decline {
    Decline {
        reason,
        processor_code: Some(code.to_owned()),
        processor_message: Some(message.to_owned()),
        issuing_code: None,
        issuing_message: None,
    }
}

/// The answer to a valid number that is no test card: nothing in the sandbox may look like a real charge.
fn unknown_test_card() -> Decline {
    unasked_issuer(
        DeclineReason::CardDeclined,
        "unknown_test_card",
        "The sandbox accepts its documented test cards only.",
    )
}

/// The answer to a card that comes after the payment was cancelled.
fn cancelled_before() -> Decline {
    unasked_issuer(
        DeclineReason::ProcessorError,
        "payment_cancelled",
        "The payment was cancelled before the card was charged.",
    )
}

/// One payment as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredPayment {
    tenant: TenantId,
    order: OrderId,
    amount: Money,
    #[serde(default, skip_serializing_if = "Currency::is_usual")]
    currency: Currency,
    mid: Mid,
    descriptor: String,
    reference: PaymentReference,
    #[serde(flatten)]
    state: State,
    /// The refunds it was asked for.
    #[serde(default)]
    refunds: BTreeMap<RefundId, Refund>,
    /// How many those are, for the conditions.
    #[serde(default)]
    refunds_asked: u32,
}

/// Where a payment stands. Only one that is opened or asks its buyer changes, and none goes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "camelCase")]
enum State {
    Opened,
    Asking { at: Timestamp, card: ShownCard },
    Captured { at: Timestamp, card: ShownCard },
    Declined { at: Timestamp, card: ShownCard, decline: Decline },
    Cancelled { at: Timestamp },
}

/// What may be shown of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ShownCard {
    brand: CardBrand,
    last_four: String,
}

impl ShownCard {
    fn of(card: &Card) -> Self {
        Self { brand: card.brand(), last_four: card.last_four().to_owned() }
    }
}

/// A card as it was presented; without a behaviour it is no test card.
struct Presented {
    shown: ShownCard,
    behaviour: Option<Behaviour>,
}

impl Presented {
    /// None of a token that stands for nothing.
    fn of(sent: &SentCard) -> Option<Self> {
        match sent {
            SentCard::Number(card) => {
                let known = TEST_CARDS.iter().find(|(number, _)| *number == card.number.expose());
                let behaviour = known.map(|(_, behaviour)| *behaviour);
                Some(Self { shown: ShownCard::of(card), behaviour })
            }
            SentCard::Token(token) => {
                let known = TestToken::find(token)?;
                Some(Self { shown: known.shown(), behaviour: Some(known.behaviour) })
            }
        }
    }
}

/// Where a payment of the sandbox stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SandboxStatus {
    /// Opened, and no card was presented yet.
    Opened,
    /// The issuer of the card waits for the buyer.
    Asking,
    /// The amount is charged.
    Captured,
    /// A card was presented and refused.
    Declined,
    /// Cancelled before a card was charged.
    Cancelled,
}

/// A payment the sandbox has seen, as `GET /sandbox/processor` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxCharge {
    /// The tenant that sells.
    pub tenant_id: TenantId,
    /// The order that is paid; it has one payment.
    pub order_id: OrderId,
    /// The merchant that is paid.
    pub mid: Mid,
    /// The amount as decimal text.
    #[serde(serialize_with = "as_text")]
    pub amount: Money,
    /// What that is counted in.
    pub currency: Currency,
    /// Where the payment stands; money moved only if captured.
    pub status: SandboxStatus,
    /// The last four digits of the card, once one was presented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_four: Option<String>,
    /// The brand of the card, once one was presented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brand: Option<CardBrand>,
    /// The sandbox's name for the payment.
    pub reference: PaymentReference,
    /// When the amount was charged; only if captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<Timestamp>,
}

fn as_text<S: Serializer>(amount: &Money, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(amount)
}

impl From<StoredPayment> for SandboxCharge {
    fn from(payment: StoredPayment) -> Self {
        let StoredPayment {
            tenant,
            order,
            amount,
            currency,
            mid,
            descriptor: _,
            reference,
            state,
            refunds: _,
            refunds_asked: _,
        } = payment;
        let (status, card, captured_at) = match state {
            State::Opened => (SandboxStatus::Opened, None, None),
            State::Asking { at: _, card } => (SandboxStatus::Asking, Some(card), None),
            State::Captured { at, card } => (SandboxStatus::Captured, Some(card), Some(at)),
            State::Declined { at: _, card, decline: _ } => (SandboxStatus::Declined, Some(card), None),
            State::Cancelled { at: _ } => (SandboxStatus::Cancelled, None, None),
        };
        let (brand, last_four) = card.map(|card| (card.brand, card.last_four)).unzip();
        Self {
            tenant_id: tenant,
            order_id: order,
            mid,
            amount,
            currency,
            status,
            last_four,
            brand,
            reference,
            captured_at,
        }
    }
}

/// A card processor without cards or money.
#[derive(Clone)]
pub struct SandboxProcessor {
    store: Store,
    clock: Clock,
}

impl SandboxProcessor {
    /// A processor that keeps its payments in `store`. The store's client should be one whose calls are not
    /// counted, since a real processor makes no calls to our database.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// The payments of a tenant, in the order of their capture, those without one first.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn charges(&self, tenant: TenantId) -> Result<Vec<SandboxCharge>, StoreError> {
        let payments = self.payments(tenant).await?;
        let mut charges: Vec<SandboxCharge> = payments.into_iter().map(SandboxCharge::from).collect();
        charges.sort_by_key(|charge| charge.captured_at);
        Ok(charges)
    }

    async fn payments(&self, tenant: TenantId) -> Result<Vec<StoredPayment>, StoreError> {
        self.store.list_sandbox_payments(tenant).await
    }

    async fn load_payment(&self, reference: &PaymentReference) -> Result<StoredPayment, ProcessorError> {
        let tenant = tenant_of(reference).ok_or(ProcessorError::UnknownPayment)?;
        let found = self.store.load_sandbox_payment(tenant, reference).await.map_err(unreachable)?;
        found.ok_or(ProcessorError::UnknownPayment)
    }

    /// Decides a payment that is not decided; if it was decided in the meantime, or by a lost earlier try of this very
    /// call, that decision stands and is returned.
    async fn decide(&self, payment: StoredPayment, state: State) -> Result<State, ProcessorError> {
        let tenant = tenant_of(&payment.reference).ok_or(ProcessorError::UnknownPayment)?;
        let from = match payment.state {
            State::Opened => Undecided::Opened,
            State::Asking { .. } => Undecided::Asking,
            State::Captured { .. } | State::Declined { .. } | State::Cancelled { .. } => {
                return Ok(payment.state);
            }
        };
        let decided = StoredPayment { state, ..payment };
        let written = self.store.decide_sandbox_payment(tenant, &decided.reference, &decided, from).await;
        match written.map_err(unreachable)? {
            Ok(()) => Ok(decided.state),
            Err(None) => Err(ProcessorError::UnknownPayment),
            Err(Some(standing)) => Ok(standing.state),
        }
    }
}

#[async_trait]
impl CardProcessor for SandboxProcessor {
    async fn look_up(&self, token: &PaymentToken, _mid: &Mid) -> Result<TokenAnswer, ProcessorError> {
        Ok(token::look_up(token))
    }

    async fn open(&self, payment: &PaymentRequest) -> Result<PaymentReference, ProcessorError> {
        let PaymentRequest { tenant, order, amount, currency, mid, descriptor, secured_at: _ } =
            payment.clone();
        let reference = reference_of(tenant, &order).ok_or(ProcessorError::UnknownPayment)?;
        let opened = StoredPayment {
            tenant,
            order,
            amount,
            currency,
            mid,
            descriptor,
            reference: reference.clone(),
            state: State::Opened,
            refunds: BTreeMap::new(),
            refunds_asked: 0,
        };
        // A payment that exists already is this order's, opened by an earlier try.
        self.store.open_sandbox_payment(tenant, &reference, &opened).await.map_err(unreachable)?;
        Ok(reference)
    }

    async fn confirm(
        &self,
        reference: &PaymentReference,
        card: &SentCard,
    ) -> Result<Confirmation, ProcessorError> {
        let payment = self.load_payment(reference).await?;
        if let Some(answer) = answer_of(&payment) {
            return Ok(answer);
        }
        let Some(Presented { shown, behaviour }) = Presented::of(card) else {
            let cancelled = State::Cancelled { at: (self.clock)() };
            let state = self.decide(payment.clone(), cancelled).await?;
            return answer_of(&StoredPayment { state, ..payment }).ok_or(ProcessorError::AnswerLost);
        };
        if behaviour == Some(Behaviour::SucceedsSlowly) {
            tokio::time::sleep(SLOW_CARD).await;
        }
        let at = (self.clock)();
        let outcome = match behaviour {
            Some(
                Behaviour::Succeeds
                | Behaviour::SucceedsSlowly
                | Behaviour::LosesTheAnswer
                | Behaviour::RefusesRefunds,
            ) => State::Captured { at, card: shown },
            Some(Behaviour::Declines(reason)) => {
                State::Declined { at, card: shown, decline: decline(reason) }
            }
            Some(Behaviour::AsksBack) => State::Asking { at, card: shown },
            None => State::Declined { at, card: shown, decline: unknown_test_card() },
        };
        let state = self.decide(payment.clone(), outcome).await?;
        if behaviour == Some(Behaviour::LosesTheAnswer) {
            return Err(ProcessorError::AnswerLost);
        }
        answer_of(&StoredPayment { state, ..payment }).ok_or(ProcessorError::AnswerLost)
    }

    async fn status(&self, reference: &PaymentReference) -> Result<PaymentStatus, ProcessorError> {
        let payment = self.load_payment(reference).await?;
        Ok(match payment.state {
            State::Opened => PaymentStatus::Open,
            State::Asking { .. } => PaymentStatus::AsksBuyer(challenge::action_of(reference)),
            State::Captured { .. } => PaymentStatus::Succeeded,
            State::Declined { decline, .. } => PaymentStatus::Refused(decline),
            State::Cancelled { .. } => PaymentStatus::Cancelled,
        })
    }

    async fn cancel_or_status(&self, reference: &PaymentReference) -> Result<FinalStatus, ProcessorError> {
        let payment = self.load_payment(reference).await?;
        let state = match payment.state {
            State::Opened | State::Asking { .. } => {
                let cancelled = State::Cancelled { at: (self.clock)() };
                self.decide(payment, cancelled).await?
            }
            State::Captured { .. } | State::Declined { .. } | State::Cancelled { .. } => payment.state,
        };
        match state {
            State::Captured { .. } => Ok(FinalStatus::Succeeded),
            State::Declined { .. } | State::Cancelled { .. } => Ok(FinalStatus::Cancelled),
            State::Opened | State::Asking { .. } => Err(ProcessorError::AnswerLost),
        }
    }

    async fn refund(&self, refund: &RefundRequest) -> Result<RefundAnswer, ProcessorError> {
        self.refund_payment(refund).await
    }

    fn can_have_written(&self, reference: &PaymentReference) -> bool {
        tenant_of(reference).is_some()
    }
}

/// The answer of a payment that has a card to any further one.
fn answer_of(payment: &StoredPayment) -> Option<Confirmation> {
    match &payment.state {
        State::Opened => None,
        State::Asking { .. } => Some(Confirmation::AsksBuyer(challenge::action_of(&payment.reference))),
        State::Captured { .. } => Some(Confirmation::Captured),
        State::Declined { decline, .. } => Some(Confirmation::Declined(decline.clone())),
        State::Cancelled { .. } => Some(Confirmation::Declined(cancelled_before())),
    }
}

/// What every reference of the sandbox begins with.
const REFERENCE_START: &str = "sandbox_";

/// The reference follows from the order, which makes opening idempotent. It names the tenant, because the
/// payment is stored under it; the order's part has a fixed length, so that the whole is always an id.
fn reference_of(tenant: TenantId, order: &OrderId) -> Option<PaymentReference> {
    let digest = Sha256::digest(order.as_str().as_bytes());
    let short = digest.get(..16)?;
    PaymentReference::parse(&format!("{REFERENCE_START}{tenant}_{}", hex::encode(short))).ok()
}

/// Under which tenant the payment of a reference is stored, if the reference is one of the sandbox's.
fn tenant_of(reference: &PaymentReference) -> Option<TenantId> {
    let (tenant, _) = reference.as_str().strip_prefix(REFERENCE_START)?.split_once('_')?;
    TenantId::parse(tenant.parse().ok()?).ok()
}

/// A real processor would not say why it is out of reach, so the cause goes into the log here.
fn unreachable(cause: StoreError) -> ProcessorError {
    let error: &dyn std::error::Error = &cause;
    tracing::warn!(error, "the sandbox processor has no database");
    ProcessorError::Unreachable
}

impl fmt::Debug for SandboxProcessor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SandboxProcessor")
    }
}

#[cfg(test)]
mod tests;
