//! Answers: a refund, or why there is none.

use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::RefundId;
use domain::sale::{NotPositive, RefundRefusal, Sale};
use sagas::refund::SaleRefundRefusal;
use web::{ApiError, ErrorType};
use wire::refund::RefundOutput;

/// Where the amount stands in the body.
const AMOUNT: &str = "/charge/amount";

/// A refund that is done.
///
/// # Errors
/// `INTERNAL` when the sale does not list it as done.
pub(crate) fn refunded(sale: &Sale, id: &RefundId) -> Result<Response, ApiError> {
    let refund = sale.refunds.get(id);
    let given = refund.and_then(|refund| Some((refund.amount, refund.fees()?)));
    let (amount, fees) = given.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
    Ok(Json(RefundOutput::new(sale, id, amount, fees)?).into_response())
}

/// Nothing or less than nothing is no refund (spec §7).
pub(crate) fn not_positive(_: NotPositive) -> ApiError {
    ApiError::new(ErrorType::NegativeRefundAmount).detail(AMOUNT, "must be more than 0.00")
}

/// Why a refund cannot be taken.
pub(crate) fn refusal(refusal: RefundRefusal) -> ApiError {
    let error = ApiError::from(SaleRefundRefusal::Sale(refusal));
    match refusal {
        RefundRefusal::ExceedsRemainder { remainder } => {
            error.detail(AMOUNT, format!("must be at most {remainder}, the amount left to refund"))
        }
        RefundRefusal::UnknownSale => error.detail("/saleId", "was not found"),
        RefundRefusal::TooManyRefunds => error,
    }
}
