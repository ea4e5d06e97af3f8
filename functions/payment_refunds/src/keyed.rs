//! Refunds with an idempotency key. The key points to the refund, and what became of the refund decides: no answer
//! is kept, so none can disagree with it (decision 0066).

use crate::answer;
use crate::work::Work;
use axum::response::{IntoResponse, Response};
use domain::sale::Sale;
use domain::{Mid, RefundId};
use sagas::refund::SaleRefundRefusal;
use sagas::{KeyedTaking, take_refund_keyed};
use std::ops::ControlFlow::{Break, Continue};
use store::checkout::KeyClaim;
use store::idempotency::IdempotencyRecord;
use store::revise;
use web::authored::try_again;
use web::idempotency::{new_claim, replayed};
use web::{ApiError, ErrorType};

/// Times a key is looked up again that someone else claimed meanwhile.
const CLAIM_TRIES: usize = 3;

/// The idempotency key of a request, and the fingerprint of its body.
#[derive(Debug, Clone)]
pub(crate) struct SentKey {
    hash: String,
    fingerprint: String,
}

impl SentKey {
    /// A merchant's keys are its own: another merchant of the tenant may use the same ones.
    pub(crate) fn new(mid: &Mid, hash: &str, fingerprint: String) -> Self {
        Self { hash: format!("{mid}#{hash}"), fingerprint }
    }
}

impl Work {
    /// Gives a refund whose key was not used yet, or says what became of the one that used it.
    pub(crate) async fn run_keyed(&self, key: &SentKey) -> Result<Response, ApiError> {
        let (tenant, now) = (self.caller.tenant.id, self.caller.clock.now());
        revise(CLAIM_TRIES, (), try_again, |()| async move {
            let (record, sale) = self.app.store.load_keyed_sale(tenant, &key.hash, &self.sale).await?;
            if let Some(record) = record.filter(|record| record.is_kept(now)) {
                return self.again(key, record, sale).await.map(Break);
            }
            let sale = self.check(sale.as_ref())?;
            let id = RefundId::from_bytes(self.app.ids.bytes()?);
            let pending = self.pending();
            let claim = self.claim(key, &id)?;
            let taking = self.taking(&id, &pending);
            match take_refund_keyed(&self.app, &taking, &claim, self.app.wall_now()).await? {
                KeyedTaking::Taken => {
                    let sale = sale.with(&id, pending)?;
                    self.finish(sale, &id).await.map(Break)
                }
                KeyedTaking::Refused(refusal) => Err(answer::refusal(refusal)),
                KeyedTaking::KeyHeld => Ok(Continue(())),
            }
        })
        .await
    }

    fn claim(&self, key: &SentKey, id: &RefundId) -> Result<KeyClaim, ApiError> {
        let claim = new_claim(&self.app.ids, &key.fingerprint, self.caller.clock.now())?;
        let record = IdempotencyRecord { refund: Some(id.clone()), ..claim };
        Ok(KeyClaim { hash: key.hash.clone(), record, abandoned: None })
    }

    /// What became of the refund that used the key first. One that was refused is asked for again under its id,
    /// which the processor answers as before.
    async fn again(
        &self,
        key: &SentKey,
        record: IdempotencyRecord,
        sale: Option<Sale>,
    ) -> Result<Response, ApiError> {
        if record.fingerprint != key.fingerprint {
            return Err(ApiError::new(ErrorType::IdempotencyKeyReused));
        }
        let id = record.refund.ok_or_else(|| ApiError::new(ErrorType::RequestInProgress))?;
        let listed = sale.as_ref().and_then(|sale| sale.refunds.get(&id));
        match (sale.as_ref(), listed.map(|refund| refund.deadline())) {
            (Some(sale), Some(None)) => answer::refunded(sale, &id).map(replayed),
            (Some(_), Some(Some(deadline))) if self.caller.clock.now() < deadline => {
                Err(SaleRefundRefusal::Unconfirmed(id).into())
            }
            (Some(sale), Some(Some(_))) => self.finish(sale.clone(), &id).await.map(replayed),
            (_, None) | (None, Some(_)) => match self.take_and_finish(sale.as_ref(), &id).await {
                Err(refused) if refused.kind() == ErrorType::RefundRefused => {
                    Ok(replayed(refused.into_response()))
                }
                answered => answered,
            },
        }
    }
}
