//! `POST /v1/payment/{mid}/refund`.

use crate::answer;
use crate::keyed::SentKey;
use axum::extract::State;
use axum::response::Response;
use domain::sale::{RefundAmount, Sale, SaleRefund, refundable};
use domain::{Mid, RefundId, SaleId};
use platform::access::{Caller, MerchantServer};
use platform::authored::Target;
use platform::task::to_the_end;
use platform::{ApiError, App, Body, ErrorBody};
use sagas::{
    RefundOutcome, TakenRefund, check_processor, give_up_refund, refund_declined, refund_in_progress,
    take_refund,
};
use store::refund::Take;
use wire::refund::{RefundInput, RefundOutput};

/// Refund part or all of a sale to its card
///
/// The refunds of a sale never add up to more than was captured, however many are asked for at once. Fees come back
/// in proportion, and the refund that completes the sale brings what is left of them. While the processor has not
/// answered, the answer is `REQUEST_IN_PROGRESS` with the `refundId`; the refund is finished within minutes, and the
/// same request with the same idempotency key says how it ended.
#[utoipa::path(
    post,
    path = "/v1/payment/{mid}/refund",
    tag = "Payments",
    params(("mid" = String, Path, description = "The merchant of the key")),
    request_body = RefundInput,
    responses(
        (status = 200, description = "The refund", body = RefundOutput),
        (status = 400, description = "`VALIDATION_ERROR`; `NEGATIVE_REFUND_AMOUNT`: 0.00 or less", body = ErrorBody),
        (status = 402, description = "`REFUND_REFUSED`: refused by the processor or the issuing bank, with their codes; nothing was refunded", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the key is another merchant's, or the merchant has no such sale", body = ErrorBody),
        (status = 409, description = "`REFUND_EXCEEDS_REMAINDER` with the `remainder`, `TOO_MANY_REFUNDS`, `REQUEST_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn refund(
    State(app): State<App>,
    merchant: MerchantServer,
    Target { id: mid, key, .. }: Target,
    body: Body<RefundInput>,
) -> Result<Response, ApiError> {
    let mid = merchant.own_mid(&mid)?.clone();
    let key = match key.hash() {
        Some(hash) => {
            let hash_key = app.hash_key(&merchant.tenant).await?;
            Some(SentKey::new((&mid, &hash), body.fingerprint("refund", &hash_key)))
        }
        None => None,
    };
    let wish = body.parse(|checker, input| input.parse(checker))?;
    let amount = wish.amount.map_err(answer::not_positive)?;
    let work = Work { app, caller: Caller::clone(&merchant), mid, sale: wish.sale, amount };
    to_the_end(work.run(key)).await
}

/// A refund on its way.
pub(crate) struct Work {
    pub(crate) app: App,
    pub(crate) caller: Caller,
    pub(crate) mid: Mid,
    pub(crate) sale: SaleId,
    pub(crate) amount: RefundAmount,
}

impl Work {
    async fn run(self, key: Option<SentKey>) -> Result<Response, ApiError> {
        match key {
            Some(key) => self.run_keyed(&key).await,
            None => {
                let id = RefundId::from_bytes(self.app.ids.bytes()?);
                let sale = self.take(&id).await?;
                match check_processor(&self.app, &self.caller.tenant, &sale) {
                    Ok(()) => self.finish(sale, &id).await,
                    Err(_) => self.give_up(sale, &id).await,
                }
            }
        }
    }

    /// Whether the refund can be taken of the sale, as far as the sale as it was read tells.
    pub(crate) fn check<'a>(&self, sale: Option<&'a Sale>) -> Result<&'a Sale, ApiError> {
        let sale = refundable(sale, &self.mid, self.amount.money()).map_err(answer::refusal)?;
        check_processor(&self.app, &self.caller.tenant, sale)?;
        Ok(sale)
    }

    /// The refund as it is taken.
    pub(crate) fn pending(&self) -> SaleRefund {
        SaleRefund::pending(self.amount.money(), (self.caller.clock.now(), self.caller.clock.is_chosen()))
    }

    /// The taking of a refund under this id.
    pub(crate) fn taking<'a>(&'a self, id: &'a RefundId, refund: &'a SaleRefund) -> Take<'a> {
        Take { tenant: self.caller.tenant.id, sale: &self.sale, mid: &self.mid, id, refund }
    }

    /// Takes the refund from what remains of the sale.
    async fn take(&self, id: &RefundId) -> Result<Sale, ApiError> {
        let pending = self.pending();
        take_refund(&self.app, &self.taking(id, &pending)).await?.map_err(answer::refusal)
    }

    /// Takes the refund from what remains of a sale that was read without it, and to its end.
    pub(crate) async fn take_and_finish(
        &self,
        sale: Option<&Sale>,
        id: &RefundId,
    ) -> Result<Response, ApiError> {
        self.check(sale)?;
        self.finish(self.take(id).await?, id).await
    }

    /// Gives a refund back to its sale, of whose payment only taking it told that another processor took it. Only this
    /// request knows its id. Under one that others know, such as that of a key, they may have asked for it.
    async fn give_up(&self, sale: Sale, id: &RefundId) -> Result<Response, ApiError> {
        let taken = TakenRefund { sale, id: id.clone(), order: None };
        answered(give_up_refund(&self.app, &self.caller.tenant, taken, self.caller.clock).await, id)
    }

    /// Takes a refund that is taken to its end.
    pub(crate) async fn finish(&self, sale: Sale, id: &RefundId) -> Result<Response, ApiError> {
        let taken = TakenRefund { sale, id: id.clone(), order: None };
        answered(sagas::refund(&self.app, &self.caller.tenant, taken, self.caller.clock).await, id)
    }
}

fn answered(outcome: Result<RefundOutcome, ApiError>, id: &RefundId) -> Result<Response, ApiError> {
    match outcome.map_err(|fault| fault.fact("refundId", id))? {
        RefundOutcome::Refunded(sale) => answer::refunded(&sale, id),
        RefundOutcome::Refused(decline) => Err(refund_declined(&decline)),
        RefundOutcome::Undecided => Err(refund_in_progress(id)),
    }
}
