//! The sandbox's side of a reconciliation: what its payments have moved.

use super::refund::refunds_given;
use super::{State, StoredPayment, reference_of};
use domain::reconciliation::Captured;
use domain::{OrderId, TenantId};
use store::{Item, Store, StoreError};

/// The money that a payment of the sandbox has moved, by the item that holds it; none if it has moved none.
///
/// # Errors
/// [`StoreError`] when the item does not read as a payment.
pub fn captured_in(item: Item) -> Result<Option<Captured>, StoreError> {
    store::decode(item).map(captured)
}

fn captured(payment: StoredPayment) -> Option<Captured> {
    let refunds = refunds_given(&payment).map(|(id, amount)| (id.clone(), amount)).collect();
    let StoredPayment { order, mid, amount, currency, reference, state, .. } = payment;
    match state {
        State::Captured { .. } => Some(Captured { order, mid, amount, currency, refunds, reference }),
        State::Opened | State::Asking { .. } | State::Declined { .. } | State::Cancelled { .. } => None,
    }
}

/// The money that the payment of an order has moved, if there is one and it has moved any.
///
/// # Errors
/// [`StoreError`] when the database does not answer.
pub async fn load_captured(
    store: &Store,
    tenant: TenantId,
    order: &OrderId,
) -> Result<Option<Captured>, StoreError> {
    let Some(reference) = reference_of(tenant, order) else { return Ok(None) };
    Ok(store.load_sandbox_payment(tenant, &reference).await?.and_then(captured))
}
