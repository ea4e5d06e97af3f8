//! What a paid order is found by is written before it is paid (decision record 0141). Where it cannot be, the order is
//! not paid either.

use crate::fault::SagaFault;
use adapters::App;
use domain::BarcodeTag;
use domain::checkout::ANSWER_SECS;
use domain::order::Order;
use std::time::Duration;
use store::pointer::BarcodesTaken;

/// The longest that pointers are waited for: they are written while the processor is given as long for its answer.
const LIMIT: Duration = Duration::from_secs(ANSWER_SECS.unsigned_abs());

/// Writes what leads to an order that is about to be paid. Done twice, it changes nothing.
///
/// # Errors
/// [`SagaFault`] when it is not known whether all of it is written, or another order's barcodes begin alike.
pub async fn point_to(app: &App, order: &Order) -> Result<(), SagaFault> {
    match tokio::time::timeout(LIMIT, app.store.point_to(order)).await {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(BarcodesTaken))) => {
            tracing::warn!(order = order.id.as_str(), "the barcodes of two orders begin alike");
            Err(SagaFault::Contended)
        }
        Ok(Err(fault)) => Err(fault.into()),
        Err(_) => Err(SagaFault::Contended),
    }
}

/// Deletes what leads to an order that will never be paid. What stays leads nobody astray: whoever follows it looks
/// whether the order is paid.
pub async fn unpoint(app: &App, order: &Order) {
    match tokio::time::timeout(LIMIT, app.store.unpoint(order)).await {
        Ok(Ok(())) => {}
        Ok(Err(fault)) => {
            tracing::warn!(order = order.id.as_str(), %fault, "pointers to an order that was undone stay");
        }
        Err(_) => tracing::warn!(order = order.id.as_str(), "pointers to an order that was undone stay"),
    }
}

/// The order with what its barcodes begin with, where it was secured before orders had that.
///
/// # Errors
/// [`SagaFault`] when the machine has no randomness.
pub(crate) fn tagged(app: &App, order: Order) -> Result<Order, SagaFault> {
    let tag = match order.tag {
        Some(tag) => tag,
        None => BarcodeTag::from_bytes(app.ids.bytes()?),
    };
    Ok(Order { tag: Some(tag), ..order })
}
