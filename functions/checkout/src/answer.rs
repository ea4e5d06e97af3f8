//! Answers: an order, or why there is none.

use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::availability::Shortage;
use domain::cart::Cart;
use domain::order::{AfterSale, ConsumedReservation, Order};
use domain::payment::{Decline, DeclineReason};
use domain::{InstanceId, Money, Zone, ledger::LedgerRefusal};
use platform::cart::not_enough;
use platform::telemetry::Metric;
use platform::{ApiError, ErrorType, access::Caller, idempotency};
use wire::order::OrderView;

/// The order, as it was created: what was done with it since is not part of that answer.
pub(crate) fn order(order: &Order, zone: Zone) -> Response {
    let (refunded, after_sale) = (Money::ZERO, AfterSale::default());
    let created = Order { refunded, after_sale, ..order.clone() };
    Json(OrderView::new(&created, zone)).into_response()
}

/// The order again.
pub(crate) fn replayed(placed: &Order, zone: Zone) -> Response {
    idempotency::replayed(order(placed, zone))
}

/// The refusal of a card, with the codes of processor and bank.
pub(crate) fn declined(decline: &Decline) -> ApiError {
    let kind = match decline.reason {
        DeclineReason::CardDeclined => ErrorType::CardDeclined,
        DeclineReason::InsufficientFunds => ErrorType::InsufficientFunds,
        DeclineReason::IncorrectCvc => ErrorType::IncorrectCvc,
        DeclineReason::ExpiredCard => ErrorType::ExpiredCard,
        DeclineReason::IncorrectZip => ErrorType::IncorrectZip,
        DeclineReason::ProcessorError => ErrorType::PaymentProcessorError,
    };
    ApiError::new(kind).refused_by(decline)
}

/// The refusal of a card again.
pub(crate) fn declined_again(decline: &Decline) -> Response {
    idempotency::replayed(declined(decline).into_response())
}

/// Why a slot does not give its seats.
pub(crate) fn no_seats(
    caller: &Caller,
    cart: &Cart,
    own: Option<&ConsumedReservation>,
    instance: InstanceId,
    refusal: &LedgerRefusal,
) -> ApiError {
    let error = match refusal {
        LedgerRefusal::UnknownSlot => ApiError::new(ErrorType::NotFound),
        LedgerRefusal::HoldChanged => return ApiError::new(ErrorType::ReservationExpired),
        LedgerRefusal::Closed => ApiError::new(ErrorType::SalesClosed).message("This event is not on sale"),
        LedgerRefusal::NotEnough { available } => {
            Metric::SoldOut.count(caller.tenant.id);
            let held = own.and_then(|own| own.holds.get(&instance)).map_or(0, |hold| hold.quantity);
            let available = available.saturating_add(held);
            return not_enough(&Shortage::Seats { instance, available }, cart, "/shoppingCart");
        }
        LedgerRefusal::MustReclaim | LedgerRefusal::TooManyHolds => {
            return ApiError::new(ErrorType::TryAgain);
        }
    };
    error.fact("eventId", instance)
}
