//! Answers: a refund, or why there is none.

use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::sale::{RefundRefusal, Sale};
use domain::{Money, MoneyOverflow, RefundId};
use platform::{ApiError, ErrorType};
use sagas::exceeds_remainder;
use wire::refund::RefundOutput;

/// A refund that is done.
///
/// # Errors
/// `INTERNAL` when the sale does not list it as done.
pub(crate) fn refunded(sale: &Sale, id: &RefundId) -> Result<Response, ApiError> {
    let refund = sale.refunds.get(id);
    let given = refund.and_then(|refund| Some((refund.amount, refund.fees()?)));
    let given = given.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    Ok(Json(RefundOutput::new(sale, id, given).map_err(overflow)?).into_response())
}

pub(crate) fn overflow(_: MoneyOverflow) -> ApiError {
    ApiError::new(ErrorType::Internal)
}

/// Nothing or less than nothing is no refund (spec §7).
///
/// # Errors
/// `NEGATIVE_REFUND_AMOUNT`.
pub(crate) fn check_positive(amount: Money) -> Result<(), ApiError> {
    if amount > Money::ZERO { Ok(()) } else { Err(ApiError::new(ErrorType::NegativeRefundAmount)) }
}

/// Why a refund cannot be taken.
pub(crate) fn refusal(refusal: RefundRefusal) -> ApiError {
    match refusal {
        RefundRefusal::UnknownSale => ApiError::new(ErrorType::NotFound).detail("/saleId", "was not found"),
        RefundRefusal::ExceedsRemainder { remainder } => exceeds_remainder(remainder),
        RefundRefusal::TooManyRefunds => ApiError::new(ErrorType::TooManyRefunds),
    }
}
