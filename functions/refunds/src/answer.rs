//! Answers: a refund, or why there is none.

use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::payment::Decline;
use domain::sale::{RefundRefusal, Sale};
use domain::{Money, MoneyOverflow, RefundId};
use platform::{ApiError, ErrorType};
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
        RefundRefusal::ExceedsRemainder { remainder } => {
            ApiError::new(ErrorType::RefundExceedsRemainder).fact("remainder", remainder.to_string())
        }
        RefundRefusal::TooManyRefunds => ApiError::new(ErrorType::TooManyRefunds),
    }
}

/// The processor's refusal, with its codes and those of the bank.
pub(crate) fn refused(decline: &Decline) -> ApiError {
    ApiError::new(ErrorType::RefundRefused)
        .fact("processorErrorCode", &decline.processor_code)
        .fact("processorErrorMessage", &decline.processor_message)
        .fact("issuingErrorCode", &decline.issuing_code)
        .fact("issuingErrorMessage", &decline.issuing_message)
}

/// The processor has not said yet what became of a refund.
pub(crate) fn in_progress(id: &RefundId) -> ApiError {
    ApiError::new(ErrorType::RequestInProgress).fact("refundId", id)
}
