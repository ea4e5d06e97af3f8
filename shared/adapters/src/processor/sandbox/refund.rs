//! The sandbox's refunds, kept with their payments. What is asked for is checked against what was captured, so that
//! the sandbox never gives back more, whatever it is asked.

use super::{
    Behaviour, SandboxProcessor, ShownCard, State, StoredPayment, TEST_CARDS, as_text, tenant_of,
    unasked_issuer, unreachable,
};
use crate::processor::{ProcessorError, RefundRequest};
use domain::card::CardBrand;
use domain::payment::{Decline, DeclineReason, RefundAnswer};
use domain::{Mid, Money, OrderId, PaymentReference, RefundId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow::{Break, Continue};
use store::{StoreError, revise};

/// Times a refund is tried beside others of the same payment.
const REFUND_TRIES: usize = 50;

/// The answer to one refund, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Refund {
    amount: Money,
    at: Timestamp,
    /// The refusal; none when the amount was given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<Decline>,
}

impl Refund {
    fn answer(&self) -> RefundAnswer {
        self.refusal.clone().map_or(RefundAnswer::Refunded, RefundAnswer::Refused)
    }
}

/// A refund the sandbox has seen, as `GET /sandbox/processor` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxRefund {
    /// The tenant that sold.
    pub tenant_id: TenantId,
    /// The order that was paid.
    pub order_id: OrderId,
    /// The merchant that was paid.
    pub mid: Mid,
    /// Our name for the refund.
    pub refund_id: RefundId,
    /// The amount as decimal text.
    #[serde(serialize_with = "as_text")]
    pub amount: Money,
    /// Whether the amount was given back; otherwise the refund was refused.
    pub refunded: bool,
    /// The last four digits of the card, if the payment was charged to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_four: Option<String>,
    /// The brand of the card, if the payment was charged to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brand: Option<CardBrand>,
    /// The sandbox's name for the payment.
    pub reference: PaymentReference,
    /// When it was answered.
    pub answered_at: Timestamp,
}

/// What the issuer of the card that takes no refunds says.
fn refused_by_issuer() -> Decline {
    let code = Some("refund_declined".to_owned());
    let message = Some("The issuer refused the refund.".to_owned());
    Decline {
        reason: DeclineReason::CardDeclined,
        processor_code: code.clone(),
        processor_message: message.clone(),
        issuing_code: code,
        issuing_message: message,
    }
}

/// What the sandbox says where the payment does not cover the refund.
fn uncovered() -> Decline {
    unasked_issuer(
        DeclineReason::ProcessorError,
        "refund_exceeds_payment",
        "The refund is larger than what is left of the payment.",
    )
}

/// The card that was presented to a payment.
fn card_of(payment: &StoredPayment) -> Option<&ShownCard> {
    match &payment.state {
        State::Asking { at: _, card }
        | State::Captured { at: _, card }
        | State::Declined { at: _, card, decline: _ } => Some(card),
        State::Opened | State::Cancelled { at: _ } => None,
    }
}

/// What a payment's test card does, by what is kept of its number.
fn behaviour_of(payment: &StoredPayment) -> Option<Behaviour> {
    let card = card_of(payment)?;
    let known = TEST_CARDS.iter().find(|(number, _)| number.ends_with(&card.last_four));
    known.map(|(_, behaviour)| *behaviour)
}

/// The refunds by which a payment has given something back.
pub(super) fn refunds_given(payment: &StoredPayment) -> impl Iterator<Item = (&RefundId, Money)> {
    let given = payment.refunds.iter().filter(|(_, refund)| refund.refusal.is_none());
    given.map(|(id, refund)| (id, refund.amount))
}

/// What a payment has given back.
fn given_back(payment: &StoredPayment) -> Money {
    let amounts = refunds_given(payment).map(|(_, amount)| amount.cents());
    Money::from_cents(amounts.fold(0, i64::saturating_add))
}

/// Why a payment does not give an amount back.
fn refusal_of(payment: &StoredPayment, amount: Money) -> Option<Decline> {
    let is_captured = matches!(payment.state, State::Captured { .. });
    let given = given_back(payment).checked_add(amount);
    if !is_captured || given.map_or(true, |given| given > payment.amount) {
        return Some(uncovered());
    }
    (behaviour_of(payment) == Some(Behaviour::RefusesRefunds)).then(refused_by_issuer)
}

impl SandboxProcessor {
    /// The refunds of a tenant, in the order of their answers.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn refunds(&self, tenant: TenantId) -> Result<Vec<SandboxRefund>, StoreError> {
        let payments = self.payments(tenant).await?;
        let mut refunds: Vec<SandboxRefund> = payments.iter().flat_map(listed).collect();
        refunds.sort_by_key(|refund| refund.answered_at);
        Ok(refunds)
    }

    /// Answers a refund. An answer that was given stands.
    pub(super) async fn refund_payment(
        &self,
        request: &RefundRequest,
    ) -> Result<RefundAnswer, ProcessorError> {
        let exhausted = |()| ProcessorError::Unreachable;
        revise(REFUND_TRIES, (), exhausted, |()| async move {
            let payment = self.load_payment(&request.reference).await?;
            if let Some(known) = payment.refunds.get(&request.refund) {
                return Ok(Break(known.answer()));
            }
            let refusal = refusal_of(&payment, request.amount);
            let refund = Refund { amount: request.amount, at: (self.clock)(), refusal };
            let (answer, behaviour) = (refund.answer(), behaviour_of(&payment));
            if !self.keep(payment, request.refund.clone(), refund).await? {
                return Ok(Continue(()));
            }
            let is_lost = behaviour == Some(Behaviour::LosesTheAnswer);
            if is_lost { Err(ProcessorError::AnswerLost) } else { Ok(Break(answer)) }
        })
        .await
    }

    /// Keeps the answer with the payment as it was read; false when another refund was answered meanwhile.
    async fn keep(
        &self,
        payment: StoredPayment,
        id: RefundId,
        refund: Refund,
    ) -> Result<bool, ProcessorError> {
        let tenant = tenant_of(&payment.reference).ok_or(ProcessorError::UnknownPayment)?;
        let asked = payment.refunds_asked;
        let mut kept = payment;
        kept.refunds_asked = asked.saturating_add(1);
        kept.refunds.insert(id, refund);
        self.store.keep_sandbox_refund(tenant, &kept.reference, &kept, asked).await.map_err(unreachable)
    }
}

fn listed(payment: &StoredPayment) -> Vec<SandboxRefund> {
    let refunds = payment.refunds.iter().map(|(id, refund)| SandboxRefund {
        tenant_id: payment.tenant,
        order_id: payment.order.clone(),
        mid: payment.mid.clone(),
        refund_id: id.clone(),
        amount: refund.amount,
        refunded: refund.refusal.is_none(),
        last_four: card_of(payment).map(|card| card.last_four.clone()),
        brand: card_of(payment).map(|card| card.brand),
        reference: payment.reference.clone(),
        answered_at: refund.at,
    });
    refunds.collect()
}
