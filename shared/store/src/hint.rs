//! What a processor's messages write: the same, whatever comes how often and in which order.

use crate::order::require_paid;
use crate::{Action, AttributeValue, Expression, Key, Store, StoreError, StoreFault, decode, number};
use domain::order::{Dispute, DisputeStatus, FailedRefund, Order};
use domain::{OrderId, TenantId, Timestamp};

impl Store {
    /// Has the schedule look at once whether the buyer of an order has answered the issuer of the card; false where
    /// nobody waits for that.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn hasten_order(
        &self,
        tenant: TenantId,
        order: &OrderId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut update = Expression::new();
        let (state, pending) = (update.path(&["state", "state"]), update.text("pending"));
        update.require(format!("{state} = {pending}"));
        let asked = update.path(&["challenge"]);
        update.require(format!("attribute_exists({asked})"));
        update.assign("due_at", number(at.timestamp()));
        Ok(self.write(&Key::order(tenant, order), Action::Update(update)).await?.is_ok())
    }

    /// Notes a dispute with its paid order; false where nothing of it is new. Of several disputes the one that was opened
    /// last is kept, and one that was decided is not opened again by an older word of it, so that what is kept does not
    /// depend on the order in which they are heard.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn note_dispute(
        &self,
        tenant: TenantId,
        order: &OrderId,
        dispute: &Dispute,
    ) -> Result<bool, StoreError> {
        let mut update = Expression::new();
        require_paid(&mut update);
        let (id, own) = (update.path(&["dispute", "id"]), update.text(&dispute.id));
        let opened_at = update.path(&["dispute", "opened_at"]);
        let at = update.number(dispute.opened_at.timestamp_millis());
        let (is_undated, is_before) =
            (format!("attribute_not_exists({opened_at})"), format!("{opened_at} < {at}"));
        let is_later = format!("{is_undated} OR {is_before} OR ({opened_at} = {at} AND {id} < {own})");
        let mut is_new = format!("attribute_not_exists({id}) OR ({id} <> {own} AND ({is_later}))");
        if dispute.status != DisputeStatus::Open {
            let status = update.path(&["dispute", "status"]);
            let now = update.text(dispute.status.name());
            is_new = format!("{is_new} OR ({id} = {own} AND {status} <> {now})");
        }
        update.require(format!("({is_new})"));
        let value: AttributeValue = serde_dynamo::to_attribute_value(dispute).map_err(StoreError::corrupt)?;
        update.assign("dispute", value);
        Ok(self.write(&Key::order(tenant, order), Action::Update(update)).await?.is_ok())
    }

    /// Notes with its order that a refund failed; false where that is known, or there is no such order. One write, and
    /// another one where refunds of the order failed before.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer, or others noted refunds of the order at the same time.
    pub async fn note_failed_refund(
        &self,
        tenant: TenantId,
        order: &OrderId,
        failed: &FailedRefund,
    ) -> Result<bool, StoreError> {
        let key = Key::order(tenant, order);
        let Err(found) = self.write(&key, Action::Update(listing(&[], failed)?)).await? else {
            return Ok(true);
        };
        let Some(found) = found.map(decode::<Order>).transpose()? else { return Ok(false) };
        if found.failed_refunds.iter().any(|known| known.refund == failed.refund) {
            return Ok(false);
        }
        match self.write(&key, Action::Update(listing(&found.failed_refunds, failed)?)).await? {
            Ok(()) => Ok(true),
            Err(_) => Err(StoreError::new(StoreFault::Conflict, "another failed refund was noted meanwhile")),
        }
    }
}

/// Puts one more failed refund behind those that an order lists. The list only grows, so that its length says whether it is
/// as it was seen.
fn listing(known: &[FailedRefund], failed: &FailedRefund) -> Result<Expression, StoreError> {
    let mut update = Expression::new();
    update.require_item();
    let listed = update.path(&["failed_refunds"]);
    if known.is_empty() {
        update.require(format!("attribute_not_exists({listed})"));
    } else {
        let length = update.number(i64::try_from(known.len()).unwrap_or(i64::MAX));
        update.require(format!("size({listed}) = {length}"));
    }
    let all: Vec<&FailedRefund> = known.iter().chain([failed]).collect();
    let value: AttributeValue = serde_dynamo::to_attribute_value(all).map_err(StoreError::corrupt)?;
    update.assign("failed_refunds", value);
    Ok(update)
}
