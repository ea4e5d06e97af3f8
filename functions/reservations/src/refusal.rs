//! What refusals are answered with.

use crate::holds::storefront;
use domain::reservation::{
    MAX_EVENTS_OF_VISITOR, MAX_SEATS_OF_VISITOR, ReservationRefusal, SeatShortage, WantedItem,
    is_too_much_for_a_visitor,
};
use web::access::Caller;
use web::{ApiError, ErrorType};

/// Nothing live has this id, or not of this tenant; the two are not told apart.
pub(crate) fn not_found() -> ApiError {
    ApiError::new(ErrorType::NotFound).message("There is no such reservation")
}

/// Refuses more than a storefront may hold for one visitor.
pub(crate) fn check_size(caller: &Caller, wanted: &[WantedItem]) -> Result<(), ApiError> {
    if storefront(caller).is_none() || !is_too_much_for_a_visitor(wanted) {
        return Ok(());
    }
    let most = format!("must be at most {MAX_SEATS_OF_VISITOR} seats of {MAX_EVENTS_OF_VISITOR} events");
    Err(ApiError::new(ErrorType::ValidationError).detail("/reservationItems", most))
}

/// The answer to a refused request.
pub(crate) fn refused(refusal: ReservationRefusal) -> ApiError {
    match refusal {
        ReservationRefusal::NotLive => not_found(),
        ReservationRefusal::UnknownItems(lines) => {
            naming(ErrorType::NotFound, lines, |line| (item_field(line, "id"), "was not found".to_owned()))
        }
        ReservationRefusal::ExpiryPast => {
            ApiError::new(ErrorType::ValidationError).detail("/expirationTimestamp", "must be in the future")
        }
        ReservationRefusal::TooManyEvents => ApiError::new(ErrorType::ValidationError)
            .detail("/reservationItems", "changes too many events at once; release some of them first"),
        ReservationRefusal::UnknownEvents(lines) => naming(ErrorType::NotFound, lines, |line| {
            (item_field(line, "eventId"), "was not found".to_owned())
        }),
        ReservationRefusal::SalesClosed(lines) => naming(ErrorType::SalesClosed, lines, |line| {
            (item_field(line, "eventId"), "is not on sale".to_owned())
        }),
        ReservationRefusal::NotEnough(shortages) => not_enough(shortages),
        ReservationRefusal::TooManyHolds => ApiError::new(ErrorType::TryAgain),
    }
}

/// What is left of the first event that is short, and every line of which there is too little.
fn not_enough(shortages: Vec<SeatShortage>) -> ApiError {
    let first = shortages.first().copied();
    let error = naming(ErrorType::NotEnoughCapacity, shortages, |shortage| {
        let seats = shortage.available;
        (item_field(shortage.line, "quantity"), format!("must be at most {seats}, the seats available"))
    });
    match first {
        Some(SeatShortage { line: _, instance, available }) => {
            error.fact("eventId", instance).fact("availableSeats", available)
        }
        None => error,
    }
}

fn naming<T>(kind: ErrorType, facts: Vec<T>, detail: impl Fn(T) -> (String, String)) -> ApiError {
    facts
        .into_iter()
        .map(detail)
        .fold(ApiError::new(kind), |error, (field, message)| error.detail(field, message))
}

fn item_field(line: usize, field: &str) -> String {
    format!("/reservationItems/{line}/{field}")
}
