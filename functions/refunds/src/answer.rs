//! Answers: a refund, or why there is none.

use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::RefundId;
use domain::sale::{NotPositive, RefundRefusal, Sale};
use platform::{ApiError, ErrorType};
use sagas::refused_by_sale;
use wire::refund::RefundOutput;

/// A refund that is done.
///
/// # Errors
/// `INTERNAL` when the sale does not list it as done.
pub(crate) fn refunded(sale: &Sale, id: &RefundId) -> Result<Response, ApiError> {
    let refund = sale.refunds.get(id);
    let given = refund.and_then(|refund| Some((refund.amount, refund.fees()?)));
    let given = given.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    Ok(Json(RefundOutput::new(sale, id, given)?).into_response())
}

/// Nothing or less than nothing is no refund (spec §7).
pub(crate) fn not_positive(_: NotPositive) -> ApiError {
    ApiError::new(ErrorType::NegativeRefundAmount)
}

/// Why a refund cannot be taken.
pub(crate) fn refusal(refusal: RefundRefusal) -> ApiError {
    refused_by_sale(refusal, || ApiError::new(ErrorType::NotFound).detail("/saleId", "was not found"))
}
