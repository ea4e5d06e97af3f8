//! Whether a cart that was checked out may be changed.

use domain::cart::Cart;
use domain::order::OrderState;
use platform::access::Caller;
use platform::{ApiError, App, ErrorType};

/// Refuses to change a cart whose order is pending or paid. The order's state is the truth; the cart only
/// points to it, so nobody has to update the cart when the order is settled.
///
/// # Errors
/// `REQUEST_IN_PROGRESS` while the card is being charged, `CART_ALREADY_CHECKED_OUT` with the order's id
/// afterwards.
pub(crate) async fn refuse_unless_open(app: &App, caller: &Caller, cart: &Cart) -> Result<(), ApiError> {
    let Some(order) = &cart.order else { return Ok(()) };
    match app.store.load_order_state(caller.tenant.id, order).await? {
        None | Some(OrderState::Void { at: _, decline: _ }) => Ok(()),
        Some(OrderState::Pending { deadline: _ }) => Err(ApiError::new(ErrorType::RequestInProgress)),
        Some(OrderState::Paid { at: _ }) => {
            Err(ApiError::new(ErrorType::CartAlreadyCheckedOut).fact("orderId", order))
        }
    }
}
