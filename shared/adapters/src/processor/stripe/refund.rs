//! Giving money of a payment intent back.

use super::answer::{Found, NamedIntent, StripeError, or_nothing};
use super::api::{ApiFault, Ask};
use super::decline::refusal_of;
use super::{KEY_START, OpenIntent};
use crate::processor::{ProcessorError, RefundRequest};
use domain::RefundId;
use domain::payment::RefundAnswer;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where a refund lies in the metadata of Stripe's.
const OUR_ID: &str = "refund";
/// Refunds in one page of a list; the most that Stripe gives.
const PAGE: usize = 100;
/// The most pages that are looked through. A sale has at most 200 refunds.
const MAX_PAGES: usize = 4;

/// A refund as Stripe knows it.
#[derive(Debug, Deserialize)]
struct Refund {
    id: String,
    status: StripeRefundStatus,
    #[serde(default)]
    failure_reason: Option<String>,
    #[serde(default, deserialize_with = "or_nothing")]
    metadata: BTreeMap<String, String>,
}

/// A refund with the payment whose money it gives back.
#[derive(Deserialize)]
pub(super) struct AskedRefund {
    #[serde(flatten)]
    refund: Refund,
    pub(super) payment_intent: NamedIntent,
}

impl AskedRefund {
    /// Whether its money came back to the account.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.refund.status, StripeRefundStatus::Failed | StripeRefundStatus::Canceled)
    }

    /// Our name for it; none for one that was made on Stripe's pages.
    pub(super) fn ours(&self) -> Option<RefundId> {
        self.refund.metadata.get(OUR_ID).and_then(|id| RefundId::parse(id).ok())
    }
}

/// Where a refund stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StripeRefundStatus {
    /// On its way to the card, with nothing left for us to do.
    Pending,
    /// Given back.
    Succeeded,
    /// The money came back to the account.
    Failed,
    /// Taken back before it left.
    Canceled,
    /// One that refunds of cards do not have.
    #[serde(other)]
    Other,
}

impl OpenIntent {
    /// Stripe forgets idempotency keys after a day, and a refund may be asked for again later. Its list of refunds
    /// is never behind, so it is looked through first (decision record 0074).
    pub(super) async fn refund_payment(
        &self,
        refund: &RefundRequest,
    ) -> Result<RefundAnswer, ProcessorError> {
        if let Some(found) = self.find_refund(&refund.refund).await? {
            return answer_of(&found);
        }
        let RefundRequest { tenant: _, order: _, mid: _, reference: _, refund: id, amount } = refund;
        let ask = Ask::post("/v1/refunds")
            .field("payment_intent", &self.id)
            .field("amount", amount.cents().to_string())
            .field(&format!("metadata[{OUR_ID}]"), id.as_str())
            .idempotent(refund_key(refund));
        match self.api.send::<Refund>(ask).await {
            Ok(made) => answer_of(&made),
            Err(ApiFault::Unanswered(fault)) => Err(fault),
            Err(ApiFault::Refused(refusal)) if refusal.is_about_something_unknown() => {
                Err(ProcessorError::UnknownPayment)
            }
            Err(ApiFault::Refused(refusal)) => {
                refusal.log();
                Ok(RefundAnswer::Refused(refusal_of(&refusal.error)))
            }
        }
    }

    async fn find_refund(&self, id: &RefundId) -> Result<Option<Refund>, ProcessorError> {
        let mut last: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let ask =
                Ask::get("/v1/refunds").field("payment_intent", &self.id).field("limit", PAGE.to_string());
            let ask = match &last {
                Some(last) => ask.field("starting_after", last),
                None => ask,
            };
            let page: Found<Refund> = self.api.send(ask).await.map_err(super::unasked)?;
            let next = page.data.last().filter(|_| page.has_more).map(|refund| refund.id.clone());
            let is_meant =
                |refund: &Refund| refund.metadata.get(OUR_ID).is_some_and(|named| named == id.as_str());
            if let Some(found) = page.data.into_iter().find(is_meant) {
                return Ok(Some(found));
            }
            if next.is_none() {
                return Ok(None);
            }
            last = next;
        }
        // Refunds that were made elsewhere: without having seen them all, nothing more may be given back.
        Err(ProcessorError::AnswerLost)
    }
}

/// The amount is a part of it: a refund that was refused may be asked for again when less is left, and Stripe takes
/// another amount under the same key for a misuse.
fn refund_key(refund: &RefundRequest) -> String {
    format!("{KEY_START}-{}-{}-{}", refund.tenant, refund.refund, refund.amount.cents())
}

/// A pending refund counts as given back: Stripe has taken the amount from the account and asks for nothing more.
fn answer_of(refund: &Refund) -> Result<RefundAnswer, ProcessorError> {
    match refund.status {
        StripeRefundStatus::Succeeded | StripeRefundStatus::Pending => Ok(RefundAnswer::Refunded),
        StripeRefundStatus::Failed | StripeRefundStatus::Canceled => {
            Ok(RefundAnswer::Refused(refusal_of(&StripeError::failed(refund.failure_reason.clone()))))
        }
        StripeRefundStatus::Other => Err(ProcessorError::AnswerLost),
    }
}
