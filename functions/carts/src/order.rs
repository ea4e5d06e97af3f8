//! Whether a cart that was checked out may still be changed.

use domain::cart::Cart;
use platform::{ApiError, ErrorType};

/// Refuses to change a cart that is being checked out.
///
/// # Errors
/// `REQUEST_IN_PROGRESS`.
pub(crate) fn refuse_unless_open(cart: &Cart) -> Result<(), ApiError> {
    match &cart.order {
        None => Ok(()),
        Some(_) => Err(ApiError::new(ErrorType::RequestInProgress)),
    }
}
