//! The sandbox's side of a reconciliation: what its payments have moved.

use super::refund::refunds_given;
use super::{Payment, State, reference_of};
use domain::reconciliation::Captured;
use domain::{OrderId, TenantId};
use store::{Consistency, Item, Key, Store, StoreError};

/// The money that a payment of the sandbox has moved, by the item that holds it; none if it has moved none.
///
/// # Errors
/// [`StoreError`] when the item does not read as a payment.
pub fn captured_in(item: Item) -> Result<Option<Captured>, StoreError> {
    let payment: Payment = store::decode(item)?;
    let refunds = refunds_given(&payment).map(|(id, amount)| (id.clone(), amount)).collect();
    let Payment { order, mid, amount, reference, state, .. } = payment;
    Ok(match state {
        State::Captured { .. } => Some(Captured { order, mid, amount, refunds, reference }),
        State::Opened | State::Declined { .. } | State::Cancelled { .. } => None,
    })
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
    let key = Key::sandbox_payment(tenant, reference.as_str());
    match store.get_item(&key, Consistency::Strong).await? {
        Some(item) => captured_in(item),
        None => Ok(None),
    }
}
