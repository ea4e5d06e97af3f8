//! What carts and checkout share around pricing: what a cart names, and the answer when it is refused.

mod forms;
mod named;
mod pointer;
mod stock;

pub use forms::{forms_incomplete, forms_refused, response_refused};
pub use named::{Existing, Named};
pub use pointer::SentCart;
pub use stock::{StockFacts, not_enough, too_many_parts};

use crate::{ApiError, ErrorType};
use axum::extract::FromRequestParts;
use domain::cart_request::{CartTerms, ClaimProblem, MAX_MEMBERSHIP_CARDS, MAX_TICKETS};
use domain::catalog::InventoryKind;
use domain::membership::lifecycle::LifecycleFault;
use domain::pricing::{
    Closed, ComboFault, LineFault, MembershipSaleFault, PartFault, PricingRefusal, PricingRefusals,
    RefusalClass,
};
use http::request::Parts;
use std::convert::Infallible;

/// Asks for the rules that were tried on each line (contract §4).
pub(crate) const EXPLAIN_HEADER: &str = "x-service-explain";

/// Whether a request asks for the rules that were tried on each line (contract §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explain(pub bool);

impl<S: Send + Sync> FromRequestParts<S> for Explain {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let sent = parts.headers.get(EXPLAIN_HEADER);
        Ok(Self(sent.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"))))
    }
}

/// The answer to lines that cannot be priced: `VALIDATION_ERROR`, `NOT_FOUND` or `SALES_CLOSED`, whichever
/// applies first, with every fault of every line. `cart` is the pointer of the cart within the body, empty
/// for a body that is the cart. Whether a membership exists that only a proof makes count is not told.
#[must_use]
pub fn pricing_refused(refusals: &PricingRefusals, terms: &CartTerms, cart: &str) -> ApiError {
    const UNKNOWN: LineFault =
        LineFault::Membership(MembershipSaleFault::Lifecycle(LifecycleFault::UnknownMembership));
    let needs_proof = terms.refused.problem == Some(ClaimProblem::ProofNeeded);
    let error = ApiError::new(match refusals.class() {
        RefusalClass::Invalid => ErrorType::ValidationError,
        RefusalClass::Unknown => ErrorType::NotFound,
        RefusalClass::Closed => ErrorType::SalesClosed,
    });
    refusals.0.iter().fold(error, |error, refusal| match refusal {
        PricingRefusal::TotalTooLarge => {
            error.detail(format!("{cart}/items"), "add up to an amount that is too large")
        }
        PricingRefusal::TooManyCards => error.detail(
            format!("{cart}/items"),
            format!("must not have more than {MAX_MEMBERSHIP_CARDS} membership cards in total"),
        ),
        PricingRefusal::TooManyTickets => error.detail(
            format!("{cart}/comboItems"),
            format!("must not have more than {MAX_TICKETS} tickets in total"),
        ),
        PricingRefusal::Line { index, fault } => {
            let (place, message) = fault_text(*index, *fault);
            let message = match needs_proof && *fault == UNKNOWN {
                true => "needs the header x-service-member-proof, or was not found",
                false => message,
            };
            error.detail(format!("{cart}/{place}"), message)
        }
    })
}

/// Where in the cart the fault of a line is, and what it is.
fn fault_text(index: usize, fault: LineFault) -> (String, &'static str) {
    let (field, message) = match fault {
        LineFault::OtherInventoryKind { kind } => ("type", kind_text(kind)),
        LineFault::AmountTooLarge => ("quantity", "makes the amount too large"),
        LineFault::UnknownEvent => ("eventId", "was not found"),
        LineFault::UnknownTicketType => ("ticketingTypeId", "was not found"),
        LineFault::NotPriced => ("ticketingTypeId", "has no price for this event"),
        LineFault::UnknownInventory => ("inventoryId", "was not found"),
        LineFault::SalesClosed(closed) => ("eventId", closed_text(closed)),
        LineFault::Combo(fault) => {
            let (field, message) = combo_fault_text(fault);
            return (format!("comboItems/{index}/{field}"), message);
        }
        LineFault::Membership(fault) => membership_fault_text(fault),
    };
    (format!("items/{index}/{field}"), message)
}

fn membership_fault_text(fault: MembershipSaleFault) -> (&'static str, &'static str) {
    match fault {
        MembershipSaleFault::Lifecycle(fault) => lifecycle_fault_text(fault),
        MembershipSaleFault::TooManyCards { limit: _ } => {
            ("membershipInfo/membershipCards", "has more cards than the offering allows")
        }
        MembershipSaleFault::NoGift => {
            ("membershipInfo/isGift", "must be false: this offering cannot be given as a gift")
        }
        MembershipSaleFault::ChangedTwice => {
            ("membershipInfo/membershipId", "is already renewed or changed by another line")
        }
    }
}

/// What keeps a membership from being sold in this way, and the field of the line that is at fault.
#[must_use]
pub const fn lifecycle_fault_text(fault: LifecycleFault) -> (&'static str, &'static str) {
    match fault {
        LifecycleFault::UnknownLevel => ("membershipInfo/membershipCategoryId", "was not found"),
        LifecycleFault::UnknownOffering => ("membershipInfo/membershipOfferingId", "was not found"),
        LifecycleFault::UnknownPricePoint => {
            ("membershipInfo/pricePointId", "has no price for this offering")
        }
        LifecycleFault::MembershipMissing => {
            ("membershipInfo/membershipId", "is required to renew or change a membership")
        }
        LifecycleFault::MembershipSent => {
            ("membershipInfo/membershipId", "must not be sent when buying a new membership")
        }
        LifecycleFault::UnknownMembership => ("membershipInfo/membershipId", "was not found"),
        LifecycleFault::ActionNotOffered => ("itemType", "is not offered here"),
        LifecycleFault::OtherLevel => (
            "membershipInfo/membershipCategoryId",
            "must be the membership's current level unless it is upgraded or downgraded",
        ),
        LifecycleFault::SameLevel => {
            ("membershipInfo/membershipCategoryId", "must be a different level from the current one")
        }
        LifecycleFault::OtherDuration => {
            ("membershipInfo/membershipOfferingId", "must last as long as the membership's current offering")
        }
        LifecycleFault::MembershipEnded => {
            ("membershipInfo/membershipId", "was cancelled or replaced by another membership")
        }
        LifecycleFault::TermNotOver => {
            ("itemType", "must be MembershipRenewal: the membership has not expired")
        }
        LifecycleFault::TermOver => ("itemType", "must renew the membership: it has expired"),
    }
}

fn combo_fault_text(fault: ComboFault) -> (String, &'static str) {
    let (field, message) = match fault {
        ComboFault::AmountTooLarge => ("quantity", "makes the amount too large"),
        ComboFault::PartMissing => ("parts", "must have one event for each part of the combo"),
        ComboFault::UnknownCombo => ("comboTemplateId", "was not found"),
        ComboFault::UnknownTicketType => ("ticketingTypeId", "was not found"),
        ComboFault::NotPriced => ("ticketingTypeId", "has no price for this combo"),
        ComboFault::Part { part, fault } => {
            let message = match fault {
                PartFault::Foreign => "is not an event of this combo",
                PartFault::Duplicate => "is for the same event as another part",
                PartFault::UnknownEvent => "was not found",
                PartFault::NotPriced => "has no price for this ticket type",
                PartFault::SalesClosed(closed) => closed_text(closed),
            };
            return (format!("parts/{part}/eventId"), message);
        }
    };
    (field.to_owned(), message)
}

fn closed_text(closed: Closed) -> &'static str {
    match closed {
        Closed::Cancelled => "has been cancelled",
        Closed::Ended => "is no longer on sale",
        Closed::ChannelOff => "is not sold here",
        Closed::Window { closed_at: _ } => "is no longer on sale",
    }
}

fn kind_text(kind: InventoryKind) -> &'static str {
    match kind {
        InventoryKind::AddOn | InventoryKind::MembershipCardReplacement => {
            "must not be sent: the item is not a donation"
        }
        InventoryKind::FixedDonation => "must be fixedDonation for this item",
        InventoryKind::Donation => "must be donation for this item",
    }
}
