//! From what happened below to what a caller is told of it: the one place where faults of the service's parts and
//! refusals of its workflows become rows of the error table.

use crate::error::{ApiError, ErrorType};
use adapters::{AdapterFault, Limit};
use domain::payment::Decline;
use domain::sale::{REFUND_SECS, RefundRefusal};
use domain::{MoneyOverflow, RefundId};
use sagas::{after_sale, recover, refund};
use store::{MAX_WRITES, StoreError, StoreFault};

/// What is said where a request is within the limits of its fields, and more than can be done at once.
const TOO_MANY_PARTS: &str = "There are too many items in one request";

/// Says more than the table's text where not the body is too large, but what it asks to keep.
const RECORD_TOO_LARGE: &str = "This is too large to store; send shorter or fewer texts";

/// Says of a refund that it is on its way.
const UNCONFIRMED: &str =
    "The card processor has not confirmed the refund yet; it will be completed automatically";

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let kind = match error.kind {
            StoreFault::TryAgain | StoreFault::Conflict => ErrorType::TryAgain,
            StoreFault::TooLarge => return Self::new(ErrorType::PayloadTooLarge).message(RECORD_TOO_LARGE),
            StoreFault::TooMany => {
                return Self::limit_reached(Limit { what: "parts", most: MAX_WRITES })
                    .message(TOO_MANY_PARTS);
            }
            StoreFault::Corrupt | StoreFault::Newer | StoreFault::Refused => ErrorType::Internal,
        };
        Self::new(kind).cause(error)
    }
}

impl From<AdapterFault> for ApiError {
    fn from(fault: AdapterFault) -> Self {
        match fault {
            AdapterFault::Store(fault) => fault.into(),
            AdapterFault::Randomness(_)
            | AdapterFault::Vault(_)
            | AdapterFault::HashKey(_)
            | AdapterFault::Queue(_) => Self::internal(fault),
            // Whoever asks for a tenant by a key that is still known has no key any more.
            AdapterFault::UnknownTenant => Self::new(ErrorType::Unauthorized),
            AdapterFault::LimitReached(limit) => Self::limit_reached(limit),
            AdapterFault::Throttled { secs_left } => Self::new(ErrorType::Throttled).retry_after(secs_left),
        }
    }
}

/// Amounts that were checked before they were stored fit; that one does not is a fault of ours.
impl From<MoneyOverflow> for ApiError {
    fn from(_: MoneyOverflow) -> Self {
        Self::new(ErrorType::Internal)
    }
}

impl From<sagas::SagaFault> for ApiError {
    fn from(fault: sagas::SagaFault) -> Self {
        match fault {
            sagas::SagaFault::Adapter(fault) => fault.into(),
            sagas::SagaFault::Processor(fault) => Self::new(ErrorType::TryAgain).cause(fault),
            sagas::SagaFault::Contended => Self::new(ErrorType::TryAgain),
            sagas::SagaFault::Inconsistent(_) => Self::internal(fault),
        }
    }
}

impl From<recover::RecoveryRefusal> for ApiError {
    fn from(refusal: recover::RecoveryRefusal) -> Self {
        match refusal {
            recover::RecoveryRefusal::CheckedOut(order) => {
                Self::new(ErrorType::CartAlreadyCheckedOut).fact("orderId", order)
            }
            // It is another request that is in progress.
            recover::RecoveryRefusal::BeingPaid => Self::new(ErrorType::RequestInProgress).without_effect(),
            recover::RecoveryRefusal::Failed(fault) => fault.into(),
        }
    }
}

impl From<refund::SaleRefundRefusal> for ApiError {
    fn from(refusal: refund::SaleRefundRefusal) -> Self {
        match refusal {
            refund::SaleRefundRefusal::Sale(refusal) => refused_by_sale(refusal, ErrorType::NotFound),
            refund::SaleRefundRefusal::Declined(decline) => declined(&decline),
            refund::SaleRefundRefusal::Unconfirmed(id) => {
                waiting_for(id, ErrorType::RequestInProgress).message(UNCONFIRMED)
            }
        }
    }
}

impl From<after_sale::AfterSaleRefusal> for ApiError {
    fn from(refusal: after_sale::AfterSaleRefusal) -> Self {
        match refusal {
            // The sale is written with the paid order; without it nothing can go back.
            after_sale::AfterSaleRefusal::Sale(refusal) => refused_by_sale(refusal, ErrorType::Internal),
            after_sale::AfterSaleRefusal::Declined(decline) => declined(&decline),
            after_sale::AfterSaleRefusal::Unconfirmed(id) => {
                waiting_for(id, ErrorType::RefundPending).message(UNCONFIRMED)
            }
            after_sale::AfterSaleRefusal::OtherUnderWay(id) => {
                waiting_for(id, ErrorType::RefundPending).without_effect()
            }
            after_sale::AfterSaleRefusal::TooLarge => Self::new(ErrorType::RefundTooLarge),
            after_sale::AfterSaleRefusal::Contended => Self::new(ErrorType::TryAgain).without_effect(),
            after_sale::AfterSaleRefusal::Failed(fault) => fault.into(),
        }
    }
}

/// While a refund is under way, with the time after which the processor is asked for it again.
fn waiting_for(id: RefundId, kind: ErrorType) -> ApiError {
    ApiError::new(kind).retry_after(REFUND_SECS).fact("refundId", id)
}

fn declined(decline: &Decline) -> ApiError {
    ApiError::new(ErrorType::RefundRefused).refused_by(decline)
}

/// What a sale says against a refund; what an unknown one means depends on who names it.
fn refused_by_sale(refusal: RefundRefusal, unknown: ErrorType) -> ApiError {
    match refusal {
        RefundRefusal::UnknownSale => ApiError::new(unknown),
        RefundRefusal::ExceedsRemainder { remainder } => {
            ApiError::new(ErrorType::RefundExceedsRemainder).fact("remainder", remainder.to_string())
        }
        RefundRefusal::TooManyRefunds => ApiError::new(ErrorType::TooManyRefunds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use domain::{Money, OrderId};
    use http::header::RETRY_AFTER;

    /// The type, the seconds to wait, whether it may have had its effect, and the facts.
    fn told(error: ApiError) -> String {
        let (name, facts) = (error.kind().row().name, error.facts());
        let effect = if error.may_have_had_its_effect() { "perhaps done" } else { "not done" };
        let response = error.into_response();
        let secs = response.headers().get(RETRY_AFTER).map_or("-", |secs| secs.to_str().unwrap());
        format!("{name}, {secs}, {effect}, {facts}")
    }

    #[test]
    fn every_refusal_of_a_workflow_has_its_row_with_facts_and_a_time_to_wait() {
        let id = RefundId::from_bytes([7; 16]);
        let named = format!("{{\"refundId\":\"{}\"}}", id.as_str());
        let exceeds = RefundRefusal::ExceedsRemainder { remainder: Money::from_cents(1_250) };
        let remainder = r#"{"remainder":"12.50"}"#;
        let order = OrderId::from_bits(31_840_526);
        let became = format!("{{\"orderId\":\"{}\"}}", order.as_str());
        let rows: [(ApiError, String); 14] = [
            (
                refund::SaleRefundRefusal::Unconfirmed(id.clone()).into(),
                format!("REQUEST_IN_PROGRESS, 60, perhaps done, {named}"),
            ),
            (
                after_sale::AfterSaleRefusal::Unconfirmed(id.clone()).into(),
                format!("REFUND_PENDING, 60, perhaps done, {named}"),
            ),
            (
                after_sale::AfterSaleRefusal::OtherUnderWay(id).into(),
                format!("REFUND_PENDING, 60, not done, {named}"),
            ),
            (
                refund::SaleRefundRefusal::Sale(exceeds).into(),
                format!("REFUND_EXCEEDS_REMAINDER, -, not done, {remainder}"),
            ),
            (
                after_sale::AfterSaleRefusal::Sale(exceeds).into(),
                format!("REFUND_EXCEEDS_REMAINDER, -, not done, {remainder}"),
            ),
            (
                refund::SaleRefundRefusal::Sale(RefundRefusal::UnknownSale).into(),
                "NOT_FOUND, -, not done, {}".to_owned(),
            ),
            (
                after_sale::AfterSaleRefusal::Sale(RefundRefusal::UnknownSale).into(),
                "INTERNAL, -, perhaps done, {}".to_owned(),
            ),
            (after_sale::AfterSaleRefusal::Contended.into(), "TRY_AGAIN, 2, not done, {}".to_owned()),
            (sagas::SagaFault::Contended.into(), "TRY_AGAIN, 2, perhaps done, {}".to_owned()),
            (after_sale::AfterSaleRefusal::TooLarge.into(), "REFUND_TOO_LARGE, -, not done, {}".to_owned()),
            (recover::RecoveryRefusal::BeingPaid.into(), "REQUEST_IN_PROGRESS, 2, not done, {}".to_owned()),
            (
                recover::RecoveryRefusal::CheckedOut(order).into(),
                format!("CART_ALREADY_CHECKED_OUT, -, not done, {became}"),
            ),
            (AdapterFault::Throttled { secs_left: 41 }.into(), "THROTTLED, 41, not done, {}".to_owned()),
            (AdapterFault::UnknownTenant.into(), "UNAUTHORIZED, -, not done, {}".to_owned()),
        ];
        for (error, expected) in rows {
            assert_eq!(told(error), expected);
        }
    }
}
