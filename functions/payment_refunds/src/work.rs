//! A refund on its way: taken from what remains of its sale, and brought to its end.

use crate::answer;
use adapters::App;
use axum::response::Response;
use domain::sale::{RefundAmount, Sale, SaleRefund, refundable};
use domain::{Mid, RefundId, SaleId};
use sagas::refund::SaleRefundRefusal;
use sagas::{RefundOutcome, SagaFault, TakenRefund, check_processor, give_up_refund, take_refund};
use store::refund::Take;
use web::ApiError;
use web::access::Caller;

/// A refund on its way.
pub(crate) struct Work {
    pub(crate) app: App,
    pub(crate) caller: Caller,
    pub(crate) mid: Mid,
    pub(crate) sale: SaleId,
    pub(crate) amount: RefundAmount,
}

impl Work {
    /// Gives a refund that has no key.
    pub(crate) async fn run(&self) -> Result<Response, ApiError> {
        let id = RefundId::from_bytes(self.app.ids.bytes()?);
        let sale = self.take(&id).await?;
        match check_processor(&self.app, &self.caller.tenant, &sale) {
            Ok(()) => self.finish(sale, &id).await,
            Err(_) => self.give_up(sale, &id).await,
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
        SaleRefund::pending(self.amount.money(), self.caller.clock.now(), self.caller.clock.is_chosen())
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

fn answered(outcome: Result<RefundOutcome, SagaFault>, id: &RefundId) -> Result<Response, ApiError> {
    match outcome.map_err(|fault| ApiError::from(fault).fact("refundId", id))? {
        RefundOutcome::Refunded(sale) => answer::refunded(&sale, id),
        RefundOutcome::Refused(decline) => Err(SaleRefundRefusal::Declined(decline).into()),
        RefundOutcome::Undecided => Err(SaleRefundRefusal::Unconfirmed(id.clone()).into()),
    }
}
