//! Answers to what is not refunded or exchanged.

use domain::order::exchange::{ExchangeFault, ExchangePlace, ExchangeRefused};
use domain::order::refund::{RefundFault, RefundPlace, RefundRefused};
use domain::sale::RefundRefusal;
use domain::{InstanceId, TicketId};
use sagas::after_sale::AfterSaleRefusal;
use web::{ApiError, ErrorType};

pub(crate) fn unknown_order() -> ApiError {
    ApiError::new(ErrorType::NotFound).detail("/orderId", "was not found")
}

pub(crate) fn unknown_order_and_event() -> ApiError {
    unknown_order().detail("/eventId", "was not found")
}

pub(crate) fn not_refunded(refused: RefundRefused) -> ApiError {
    match refused {
        RefundRefused::Unknown(faults) => with_faults(ErrorType::NotFound, faults),
        RefundRefused::Pending(id) => AfterSaleRefusal::OtherUnderWay(id).into(),
        RefundRefused::Faults { faults, admitted } => {
            with_admitted(with_faults(ErrorType::NotRefundable, faults), &admitted)
        }
        RefundRefused::ExceedsRemainder { remainder } => {
            AfterSaleRefusal::Sale(RefundRefusal::ExceedsRemainder { remainder }).into()
        }
        RefundRefused::TooManyRefunds => ApiError::new(ErrorType::TooManyRefunds),
        RefundRefused::TooLarge => ApiError::new(ErrorType::Internal),
    }
}

fn with_faults(kind: ErrorType, faults: Vec<(RefundPlace, RefundFault)>) -> ApiError {
    faults.into_iter().fold(ApiError::new(kind), |error, (place, fault)| {
        let field = match place {
            RefundPlace::WholeOrder => "/wholeOrder".to_owned(),
            RefundPlace::Item(item) => format!("/items/{item}/itemId"),
            RefundPlace::Quantity(item) => format!("/items/{item}/quantity"),
            RefundPlace::Ticket(item, ticket) => format!("/items/{item}/ticketIds/{ticket}"),
            RefundPlace::Amount => "/amount".to_owned(),
        };
        error.detail(field, in_words(fault))
    })
}

/// The tickets that stand against it, since they let somebody in.
fn with_admitted(error: ApiError, admitted: &[TicketId]) -> ApiError {
    if admitted.is_empty() { error } else { error.fact("admittedTicketIds", admitted) }
}

/// Said of what let somebody in.
const ADMITTED: &str = "was admitted";

fn in_words(fault: RefundFault) -> String {
    match fault {
        RefundFault::UnknownItem | RefundFault::UnknownTicket => "was not found".to_owned(),
        RefundFault::NamedTwice => "is listed twice".to_owned(),
        RefundFault::NothingLeft => "has nothing left to refund".to_owned(),
        RefundFault::TooMany { left } => format!("must be at most {left}, the number left to refund"),
        RefundFault::PartOfCombo => "is part of a combo, which can only be refunded as a whole".to_owned(),
        RefundFault::WithoutTickets => "has no individual tickets".to_owned(),
        RefundFault::TicketGone(status) => format!("is no longer valid: {}", status.as_str()),
        RefundFault::Admitted => ADMITTED.to_owned(),
        RefundFault::OthersAdmitted { never } => {
            format!("is more than were never admitted ({never}); only a forced refund gives back the others")
        }
        RefundFault::MembershipChanged => {
            "has a membership that was renewed, changed or ended after this order".to_owned()
        }
        RefundFault::AboveWorth { worth } => {
            format!("must be at most {worth}, the amount paid for these items")
        }
    }
}

pub(crate) fn not_exchanged(refused: ExchangeRefused, event: InstanceId) -> ApiError {
    match refused {
        ExchangeRefused::Unknown(places) => {
            places.into_iter().fold(ApiError::new(ErrorType::NotFound), |error, place| {
                error.detail(field_of(place), "was not found")
            })
        }
        ExchangeRefused::Pending(id) => AfterSaleRefusal::OtherUnderWay(id).into(),
        ExchangeRefused::Faults { faults, admitted } => {
            let not_exchangeable = ApiError::new(ErrorType::NotExchangeable);
            let error = faults.into_iter().fold(not_exchangeable, |error, (place, fault)| {
                error.detail(field_of(place), why(place, fault))
            });
            with_admitted(error, &admitted)
        }
        ExchangeRefused::Closed => ApiError::new(ErrorType::SalesClosed)
            .message("This event is not on sale")
            .detail("/eventId", "is not on sale"),
        ExchangeRefused::NotEnough { available } => not_enough(available, event),
        ExchangeRefused::TooManyExchanges => ApiError::new(ErrorType::TooManyExchanges),
        ExchangeRefused::TooLarge => ApiError::new(ErrorType::Internal),
    }
}

pub(crate) fn not_enough(available: u32, event: InstanceId) -> ApiError {
    ApiError::new(ErrorType::NotEnoughCapacity)
        .detail("/eventId", format!("has too few seats: {available} left"))
        .fact("eventId", event)
        .fact("availableSeats", available)
}

/// Where in an exchange of several items; a route with other names for them renames it.
fn field_of(place: ExchangePlace) -> String {
    match place {
        ExchangePlace::Item(item) => format!("/items/{item}/itemId"),
        ExchangePlace::Quantity(item) => format!("/items/{item}/quantity"),
        ExchangePlace::Ticket(ticket) => format!("/ticketIds/{ticket}"),
        ExchangePlace::Event => "/eventId".to_owned(),
    }
}

fn why(place: ExchangePlace, fault: ExchangeFault) -> String {
    match fault {
        ExchangeFault::Unknown => "was not found".to_owned(),
        ExchangeFault::NamedTwice => "is listed twice".to_owned(),
        ExchangeFault::TooMany { left } => format!("must be at most {left}, the number left to exchange"),
        ExchangeFault::PartOfCombo => "is part of a combo; its tickets cannot be exchanged".to_owned(),
        ExchangeFault::WithoutTickets => "has no tickets".to_owned(),
        ExchangeFault::TicketGone(status) => format!("is no longer valid: {}", status.as_str()),
        ExchangeFault::Admitted => match place {
            ExchangePlace::Ticket(_) => ADMITTED.to_owned(),
            ExchangePlace::Item(_) | ExchangePlace::Quantity(_) | ExchangePlace::Event => {
                "is more than were never admitted; only a forced exchange moves the others".to_owned()
            }
        },
        ExchangeFault::OtherTemplate => "belongs to a different event template from the tickets".to_owned(),
        ExchangeFault::SameEvent => "is the event these tickets are already for".to_owned(),
        ExchangeFault::OtherPrice => "has a different price for this ticket type".to_owned(),
        ExchangeFault::OtherDay => {
            "is on a different day; tickets at a member price can only move within the same day".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_against_units_says_how_many_do_not_and_what_force_does() {
        assert_eq!(in_words(RefundFault::Admitted), "was admitted");
        assert_eq!(
            in_words(RefundFault::OthersAdmitted { never: 2 }),
            "is more than were never admitted (2); only a forced refund gives back the others"
        );
        assert_eq!(why(ExchangePlace::Ticket(0), ExchangeFault::Admitted), "was admitted");
        for place in [ExchangePlace::Item(0), ExchangePlace::Quantity(0)] {
            assert_eq!(
                why(place, ExchangeFault::Admitted),
                "is more than were never admitted; only a forced exchange moves the others"
            );
        }
    }
}
