//! Answers to what is not refunded or exchanged.

use domain::order::exchange::{ExchangeFault, ExchangePlace, ExchangeRefused};
use domain::order::refund::{Fault, Place, RefundRefused};
use domain::sale::RefundRefusal;
use platform::{ApiError, ErrorType};
use sagas::exceeds_remainder;

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
        RefundRefused::Pending(id) => ApiError::new(ErrorType::RefundPending).fact("refundId", &id),
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
        Fault::NamedTwice => "is named twice".to_owned(),
        Fault::NothingLeft => "has nothing left".to_owned(),
        Fault::TooMany { left } => format!("is more than the {left} left"),
        Fault::PartOfCombo => "is a part of a combo, which is given back as a whole".to_owned(),
        Fault::WithoutTickets => "has no tickets that can be named one by one".to_owned(),
        Fault::TicketGone(status) => format!("does not admit any more: {}", status.as_str()),
        Fault::MembershipChanged => {
            "has a membership that was renewed, moved or ended after this order".to_owned()
        }
        Fault::AboveWorth { worth } => format!("is more than the {worth} paid for what is given back"),
    }
}

pub(crate) fn not_exchanged(refused: ExchangeRefused) -> ApiError {
    match refused {
        ExchangeRefused::Unknown(places) => {
            places.into_iter().fold(ApiError::new(ErrorType::NotFound), |error, place| {
                error.detail(field_of(place), "was not found")
            })
        }
        ExchangeRefused::Pending(id) => ApiError::new(ErrorType::RefundPending).fact("refundId", &id),
        ExchangeRefused::Faults(faults) => {
            faults.into_iter().fold(ApiError::new(ErrorType::NotExchangeable), |error, (place, fault)| {
                error.detail(field_of(place), why(fault))
            })
        }
        ExchangeRefused::Closed => ApiError::new(ErrorType::SalesClosed).detail("/eventId", "is not on sale"),
        ExchangeRefused::NotEnough { available } => not_enough(available),
        ExchangeRefused::TooManyExchanges => ApiError::new(ErrorType::TooManyExchanges),
        ExchangeRefused::TooLarge => ApiError::new(ErrorType::Internal),
    }
}

pub(crate) fn not_enough(available: u32) -> ApiError {
    ApiError::new(ErrorType::NotEnoughCapacity)
        .detail("/eventId", format!("has {available} seats left"))
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
        ExchangeFault::NamedTwice => "is named twice".to_owned(),
        ExchangeFault::TooMany { left } => format!("is more than the {left} left"),
        ExchangeFault::PartOfCombo => "is of a combo, whose tickets are not exchanged".to_owned(),
        ExchangeFault::WithoutTickets => "has no tickets".to_owned(),
        ExchangeFault::TicketGone(status) => format!("does not admit any more: {}", status.as_str()),
        ExchangeFault::OtherTemplate => "is of another template than the tickets".to_owned(),
        ExchangeFault::SameEvent => "is what the tickets are for already".to_owned(),
        ExchangeFault::OtherPrice => "has another price for the ticket type".to_owned(),
        ExchangeFault::OtherDay => {
            "is on another day, and tickets at a member price are for theirs".to_owned()
        }
    }
}
