//! Answers to what is not refunded or exchanged.

use domain::InstanceId;
use domain::order::exchange::{ExchangeFault, ExchangePlace, ExchangeRefused};
use domain::order::refund::{Fault, Place, RefundRefused};
use domain::sale::RefundRefusal;
use platform::{ApiError, ErrorType};
use sagas::{exceeds_remainder, other_refund_pending};

pub(crate) fn unknown_order() -> ApiError {
    ApiError::new(ErrorType::NotFound).detail("/orderId", "was not found")
}

pub(crate) fn unknown_order_and_event() -> ApiError {
    unknown_order().detail("/eventId", "was not found")
}

/// What cannot be written at once can be in parts.
pub(crate) fn in_parts(error: ApiError) -> ApiError {
    let is_too_large = [ErrorType::PayloadTooLarge, ErrorType::LimitReached].contains(&error.kind());
    if is_too_large { ApiError::new(ErrorType::RefundTooLarge) } else { error }
}

/// What the sale says against a refund.
pub(crate) fn refused_by_sale(refusal: RefundRefusal) -> ApiError {
    // The sale is written with the paid order; without it nothing can go back.
    sagas::refused_by_sale(refusal, || ApiError::new(ErrorType::Internal))
}

pub(crate) fn not_refunded(refused: RefundRefused) -> ApiError {
    match refused {
        RefundRefused::Unknown(faults) => with_faults(ErrorType::NotFound, faults),
        RefundRefused::Pending(id) => other_refund_pending(&id),
        RefundRefused::Faults(faults) => with_faults(ErrorType::NotRefundable, faults),
        RefundRefused::ExceedsRemainder { remainder } => exceeds_remainder(remainder),
        RefundRefused::TooManyRefunds => ApiError::new(ErrorType::TooManyRefunds),
        RefundRefused::TooLarge => ApiError::new(ErrorType::Internal),
    }
}

fn with_faults(kind: ErrorType, faults: Vec<(Place, Fault)>) -> ApiError {
    faults.into_iter().fold(ApiError::new(kind), |error, (place, fault)| {
        let field = match place {
            Place::WholeOrder => "/wholeOrder".to_owned(),
            Place::Item(item) => format!("/items/{item}/itemId"),
            Place::Quantity(item) => format!("/items/{item}/quantity"),
            Place::Ticket(item, ticket) => format!("/items/{item}/ticketIds/{ticket}"),
            Place::Amount => "/amount".to_owned(),
        };
        error.detail(field, in_words(fault))
    })
}

fn in_words(fault: Fault) -> String {
    match fault {
        Fault::UnknownItem | Fault::UnknownTicket => "was not found".to_owned(),
        Fault::NamedTwice => "is listed twice".to_owned(),
        Fault::NothingLeft => "has nothing left to refund".to_owned(),
        Fault::TooMany { left } => format!("must be at most {left}, the number left to refund"),
        Fault::PartOfCombo => "is part of a combo, which can only be refunded as a whole".to_owned(),
        Fault::WithoutTickets => "has no individual tickets".to_owned(),
        Fault::TicketGone(status) => format!("is no longer valid: {}", status.as_str()),
        Fault::MembershipChanged => {
            "has a membership that was renewed, changed or ended after this order".to_owned()
        }
        Fault::AboveWorth { worth } => format!("must be at most {worth}, the amount paid for these items"),
    }
}

pub(crate) fn not_exchanged(refused: ExchangeRefused, event: InstanceId) -> ApiError {
    match refused {
        ExchangeRefused::Unknown(places) => {
            places.into_iter().fold(ApiError::new(ErrorType::NotFound), |error, place| {
                error.detail(field_of(place), "was not found")
            })
        }
        ExchangeRefused::Pending(id) => other_refund_pending(&id),
        ExchangeRefused::Faults(faults) => {
            faults.into_iter().fold(ApiError::new(ErrorType::NotExchangeable), |error, (place, fault)| {
                error.detail(field_of(place), why(fault))
            })
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

fn field_of(place: ExchangePlace) -> String {
    match place {
        ExchangePlace::Item => "/itemId".to_owned(),
        ExchangePlace::Quantity => "/quantity".to_owned(),
        ExchangePlace::Ticket(ticket) => format!("/ticketIds/{ticket}"),
        ExchangePlace::Event => "/eventId".to_owned(),
    }
}

fn why(fault: ExchangeFault) -> String {
    match fault {
        ExchangeFault::Unknown => "was not found".to_owned(),
        ExchangeFault::NamedTwice => "is listed twice".to_owned(),
        ExchangeFault::TooMany { left } => format!("must be at most {left}, the number left to exchange"),
        ExchangeFault::PartOfCombo => "is part of a combo; its tickets cannot be exchanged".to_owned(),
        ExchangeFault::WithoutTickets => "has no tickets".to_owned(),
        ExchangeFault::TicketGone(status) => format!("is no longer valid: {}", status.as_str()),
        ExchangeFault::OtherTemplate => "belongs to a different event template from the tickets".to_owned(),
        ExchangeFault::SameEvent => "is the event these tickets are already for".to_owned(),
        ExchangeFault::OtherPrice => "has a different price for this ticket type".to_owned(),
        ExchangeFault::OtherDay => {
            "is on a different day; tickets at a member price can only move within the same day".to_owned()
        }
    }
}
