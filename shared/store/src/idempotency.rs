//! What a request with an idempotency key did (contract §2).

use crate::{Action, Expression, Item, Key, Store, StoreError, decode, encode, number, text};
use domain::{OrderId, RefundId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};

/// Answers are kept this long, in seconds.
pub const KEPT_SECS: i64 = 86_400;

/// Physical deletion lags the end of [`KEPT_SECS`] by this much, so that it never comes early.
const TTL_SLACK_SECS: i64 = 86_400;

/// The record of one idempotency key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdempotencyRecord {
    /// Keyed hash of the request.
    pub fingerprint: String,
    /// When the key was claimed, in epoch seconds.
    pub claimed_at: i64,
    /// Generated at random for each claim. A claim that was carried out and whose answer was lost is recognised by
    /// it when it is sent again.
    #[serde(default)]
    pub nonce: String,
    /// The answer of a finished request, as JSON text; none while it runs, and none for a checkout. Of a refusal, its
    /// facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The revision the answer shows; none where it shows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The number of the refusal that was the answer; none where the request was carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<u32>,
    /// The order a checkout made: its state says what became of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderId>,
    /// The refund a request made: its state in the sale says what became of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<RefundId>,
}

impl IdempotencyRecord {
    /// True while the record counts, whatever the physical deletion did.
    #[must_use]
    pub fn is_kept(&self, now: Timestamp) -> bool {
        now.timestamp() < self.claimed_at.saturating_add(KEPT_SECS)
    }
}

/// An answer that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptAnswer<'a> {
    /// Its JSON text; of a refusal, its facts.
    pub text: &'a str,
    /// The revision it shows, if any.
    pub revision: Option<&'a str>,
    /// The number of the refusal that it is, if it is one.
    pub refusal: Option<u32>,
}

/// The write that claims a key for a request: it must be unused, past its time, or held by `abandoned`.
///
/// # Errors
/// [`StoreError`] when the record has no representation.
pub fn claim(
    key: &Key,
    record: &IdempotencyRecord,
    abandoned: Option<&IdempotencyRecord>,
    wall_now: Timestamp,
) -> Result<Action, StoreError> {
    let mut item: Item = encode(key, record)?;
    let ttl = wall_now.timestamp().saturating_add(KEPT_SECS).saturating_add(TTL_SLACK_SECS);
    item.insert("ttl".to_owned(), number(ttl));
    let mut condition = Expression::new();
    let pk = condition.path(&["pk"]);
    let claimed_at = condition.path(&["claimed_at"]);
    let expired = condition.number(record.claimed_at.saturating_sub(KEPT_SECS));
    let mut free = format!("attribute_not_exists({pk}) OR {claimed_at} <= {expired}");
    if let Some(abandoned) = abandoned {
        let held = condition.number(abandoned.claimed_at);
        let (order, answer) = (condition.path(&["order"]), condition.path(&["answer"]));
        let same_order = match &abandoned.order {
            Some(id) => {
                let id = condition.text(id.as_str());
                format!("{order} = {id}")
            }
            None => format!("attribute_not_exists({order})"),
        };
        free.push_str(&format!(
            " OR ({claimed_at} = {held} AND attribute_not_exists({answer}) AND {same_order})"
        ));
    }
    condition.require(format!("({free})"));
    Ok(Action::Put(item, condition))
}

/// The condition that a key is held by this claim, which has not been answered.
fn held_by(claim: &IdempotencyRecord) -> Expression {
    let mut condition = Expression::new();
    condition.require_equal("fingerprint", text(&claim.fingerprint));
    condition.require_equal("claimed_at", number(claim.claimed_at));
    condition.require_equal("nonce", text(&claim.nonce));
    let answer = condition.path(&["answer"]);
    condition.require(format!("attribute_not_exists({answer})"));
    condition
}

/// Where the record of an idempotency key lies, by the hash of the key.
#[must_use]
pub fn idempotency_key(tenant: TenantId, hash: &str) -> Key {
    Key::idempotency(tenant, hash)
}

impl Store {
    /// Claims an idempotency key; the inner error is the record that holds it. A key that is held by this very
    /// claim is claimed: its first try was carried out, and only the answer was lost.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn claim_idempotency_key(
        &self,
        key: &Key,
        record: &IdempotencyRecord,
        abandoned: Option<&IdempotencyRecord>,
        wall_now: Timestamp,
    ) -> Result<Result<(), IdempotencyRecord>, StoreError> {
        match self.write(key, claim(key, record, abandoned, wall_now)?).await? {
            Ok(()) => Ok(Ok(())),
            Err(Some(old)) => {
                let held: IdempotencyRecord = decode(old)?;
                Ok(if held == *record { Ok(()) } else { Err(held) })
            }
            // The holder vanished between the refusal and its report; the next try will find the key free.
            Err(None) => Err(StoreError::corrupt("a refused claim came without its holder")),
        }
    }

    /// Keeps the answer of a finished request, unless its claim has passed to someone else.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn keep_answer(
        &self,
        key: &Key,
        claim: &IdempotencyRecord,
        answer: KeptAnswer<'_>,
    ) -> Result<(), StoreError> {
        let mut update = held_by(claim);
        update.assign("answer", text(answer.text));
        if let Some(revision) = answer.revision {
            update.assign("revision", text(revision));
        }
        if let Some(refusal) = answer.refusal {
            update.assign("refusal", number(i64::from(refusal)));
        }
        self.write(key, Action::Update(update)).await.map(|_| ())
    }

    /// Gives a key free again after a request that changed nothing, unless its claim has passed to someone
    /// else.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn release_idempotency_key(
        &self,
        key: &Key,
        claim: &IdempotencyRecord,
    ) -> Result<(), StoreError> {
        self.write(key, Action::Delete(held_by(claim))).await.map(|_| ())
    }

    /// The record of a key.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_idempotency(
        &self,
        tenant: TenantId,
        hash: &str,
    ) -> Result<Option<IdempotencyRecord>, StoreError> {
        self.get(&Key::idempotency(tenant, hash), crate::Consistency::Strong).await
    }
}
