//! Messages of Stripe's webhooks, and what is asked because of one (decision record 0147).

use super::answer::{Metadata, NamedIntent, or_nothing};
use super::api::{ApiFault, Ask};
use super::refund::AskedRefund;
use super::{StripeProcessor, opened_text, unasked};
use crate::processor::ProcessorError;
use domain::order::DisputeStatus;
use domain::stripe::StripeAccount;
use domain::stripe_event::{SentSignature, StripeEvent, WebhookSecret, webhook_secret_context};
use domain::{OrderId, RefundId, Timestamp};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;
use std::sync::Arc;

/// Why a message counts for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventFault {
    /// It is not signed with a secret of the tenant's, or was so too long ago.
    Unsigned,
    /// It is signed, and no JSON.
    Unreadable,
    /// The secrets cannot be opened.
    NoSecret,
}

/// A dispute, as it stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDispute {
    /// The order whose payment is disputed.
    pub order: OrderId,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// Where it stands.
    pub status: DisputeStatus,
}

/// A refund that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFailure {
    /// The order whose money it was to give back.
    pub order: OrderId,
    /// The refund.
    pub refund: RefundId,
}

/// A message.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    account: Option<String>,
    /// Read once it is known that anything is done about it: of what comes beside that, the form is nobody's promise.
    #[serde(default)]
    data: serde_json::Value,
}

#[derive(Deserialize)]
struct Data {
    object: Object,
}

/// The parts of the object a message is about that are looked at.
#[derive(Deserialize)]
struct Object {
    #[serde(default, deserialize_with = "or_nothing")]
    id: String,
    #[serde(default, deserialize_with = "or_nothing")]
    metadata: Metadata,
}

/// A dispute with the payment it is about.
#[derive(Deserialize)]
struct AskedDispute {
    status: String,
    /// In seconds since 1970.
    #[serde(default)]
    created: i64,
    payment_intent: NamedIntent,
}

/// The messages about payments, refunds and disputes that anything is done about.
const OF_PAYMENTS: [&str; 3] =
    ["payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled"];
const OF_REFUNDS: [&str; 3] = ["refund.failed", "refund.updated", "charge.refund.updated"];
const OF_DISPUTES: [&str; 5] = [
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
];
/// How the ids of disputes begin. Before 2025 they began otherwise on some accounts.
const DISPUTE_STARTS: &[&str] = &["dp_", "du_"];
/// How the ids of refunds of cards begin.
const REFUND_STARTS: &[&str] = &["re_"];

impl StripeProcessor {
    /// Reads a message, once its signature proves to be Stripe's. The bytes are those that came, to the letter.
    ///
    /// # Errors
    /// [`EventFault`] where it counts for nothing.
    pub async fn read_event(
        &self,
        header: &str,
        body: &[u8],
        now: Timestamp,
    ) -> Result<StripeEvent, EventFault> {
        let sent = SentSignature::parse(header).filter(|sent| sent.is_recent(now));
        let sent = sent.ok_or(EventFault::Unsigned)?;
        let mut is_signed = false;
        for sealed in &self.settings.webhook_secrets {
            is_signed |= is_signature(&sent, body, self.webhook_secret(sealed).await?.as_ref());
        }
        if !is_signed {
            return Err(EventFault::Unsigned);
        }
        let sent: serde_json::Value = serde_json::from_slice(body).map_err(|_| EventFault::Unreadable)?;
        // One of another form is for nobody here. Were it refused, Stripe would send it again for days.
        Ok(self.meant(sent).unwrap_or(StripeEvent::Other))
    }

    /// What a message is about; none of one whose form is none of those that are known.
    fn meant(&self, sent: serde_json::Value) -> Option<StripeEvent> {
        let Event { kind, account, data } = serde_json::from_value(sent).ok()?;
        let kind = kind.as_str();
        let starts = match kind {
            _ if OF_PAYMENTS.contains(&kind) => None,
            _ if OF_REFUNDS.contains(&kind) => Some(REFUND_STARTS),
            _ if OF_DISPUTES.contains(&kind) => Some(DISPUTE_STARTS),
            _ => return None,
        };
        let Data { object } = serde_json::from_value(data).ok()?;
        let Some(starts) = starts else {
            return object.metadata.order_of(self.tenant).map(StripeEvent::Payment);
        };
        let id = object.id;
        let is_word = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_word || !starts.iter().any(|start| id.starts_with(start)) {
            return None;
        }
        let account = account.and_then(|account| StripeAccount::parse(&account).ok());
        // Of messages about connected accounts, those count whose account is one of the tenant's.
        let is_own = |account: &StripeAccount| self.settings.accounts.values().any(|own| own == account);
        let account = account.filter(is_own);
        let is_refund = starts == REFUND_STARTS;
        Some(if is_refund {
            StripeEvent::Refund { id, account }
        } else {
            StripeEvent::Dispute { id, account }
        })
    }

    async fn webhook_secret(&self, sealed: &str) -> Result<Arc<WebhookSecret>, EventFault> {
        let (vault, tenant, sealed) = (Arc::clone(&self.stripe.vault), self.tenant, sealed.to_owned());
        let key = (tenant, sealed.clone());
        let load = async move {
            let context = webhook_secret_context(tenant);
            let text = opened_text(&*vault, tenant, &context, &sealed, "the secret of a webhook").await;
            text.and_then(|text| WebhookSecret::parse(&text).ok()).ok_or(EventFault::NoSecret)
        };
        self.stripe.secrets.get(key, load).await
    }

    /// A dispute, as it stands now; none that is about no order of the tenant's.
    ///
    /// # Errors
    /// [`ProcessorError`] when there is no answer.
    pub async fn dispute(
        &self,
        id: &str,
        account: Option<StripeAccount>,
    ) -> Result<Option<FoundDispute>, ProcessorError> {
        let Some(found) = self.named::<AskedDispute>(format!("/v1/disputes/{id}"), account).await? else {
            return Ok(None);
        };
        let order = found.payment_intent.metadata.order_of(self.tenant);
        let opened_at = Timestamp::from_timestamp(found.created, 0).unwrap_or_default();
        let status = status_of(&found.status);
        Ok(order.map(|order| FoundDispute { order, opened_at, status }))
    }

    /// A refund of ours that has failed, as it stands now; none that has not, or that is about no order of the tenant's.
    ///
    /// # Errors
    /// [`ProcessorError`] when there is no answer.
    pub async fn failed_refund(
        &self,
        id: &str,
        account: Option<StripeAccount>,
    ) -> Result<Option<FoundFailure>, ProcessorError> {
        let found = self.named::<AskedRefund>(format!("/v1/refunds/{id}"), account).await?;
        let found = found.filter(AskedRefund::has_failed);
        Ok(found.and_then(|found| {
            let order = found.payment_intent.metadata.order_of(self.tenant)?;
            Some(FoundFailure { order, refund: found.ours()? })
        }))
    }

    /// What a message named, with the payment it is about; none that Stripe does not know.
    async fn named<T: DeserializeOwned>(
        &self,
        path: String,
        account: Option<StripeAccount>,
    ) -> Result<Option<T>, ProcessorError> {
        let ask = Ask::get(path).field("expand[]", "payment_intent");
        match self.api(account).await?.send(ask).await {
            Ok(found) => Ok(Some(found)),
            Err(ApiFault::Refused(refusal)) if refusal.is_about_something_unknown() => Ok(None),
            Err(fault) => Err(unasked(fault)),
        }
    }
}

/// Whether one of the signatures was made of these bytes with this secret. The time it takes says nothing of where they
/// differ.
fn is_signature(sent: &SentSignature, body: &[u8], secret: &WebhookSecret) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()) else { return false };
    mac.update(sent.signed_start().as_bytes());
    mac.update(body);
    let is_made = |signature: &String| {
        hex::decode(signature).is_ok_and(|signature| mac.clone().verify_slice(&signature).is_ok())
    };
    sent.signatures().iter().any(is_made)
}

/// Where a dispute stands by Stripe's word for it. Inquiries are disputes that took no money yet.
fn status_of(word: &str) -> DisputeStatus {
    match word {
        "won" | "warning_closed" | "prevented" => DisputeStatus::Won,
        "lost" => DisputeStatus::Lost,
        _ => DisputeStatus::Open,
    }
}
