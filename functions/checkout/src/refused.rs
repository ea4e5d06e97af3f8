//! What is answered to a refusal: the one place where each has its status, number, message and pointers.

use crate::start::{CART, Checkout};
use adapters::telemetry::Metric;
use domain::availability::{ShortLine, Shortage};
use domain::checkout::{
    CheckoutRefusal, CodePlace, CouponRefusal, HolderFault, HolderRefusal, ReservationEnd, ReservationNamed,
    TokenRefusal,
};
use domain::coupon::CouponProblem;
use domain::ledger::LedgerRefusal;
use domain::merchant::NotCharging;
use domain::tenant::Scope;
use domain::{InstanceId, Money, OrderId};
use web::access::Caller;
use web::cart::{forms_incomplete, forms_refused, not_enough, pricing_refused, too_many_parts};
use web::{ApiError, ErrorType};
use wire::cart::coupon_problem;
use wire::entitlement::EntitlementsResult;

impl Checkout {
    /// The answer to a refusal, which points at what was sent. The cart whose price rose is told by whoever stores it.
    pub(crate) fn answer_to(&self, refusal: &CheckoutRefusal) -> ApiError {
        self.sent.pointed(self.answer(refusal))
    }

    fn answer(&self, refusal: &CheckoutRefusal) -> ApiError {
        let terms = &self.facts.cart.terms;
        match refusal {
            CheckoutRefusal::NotPriced(refusals) => pricing_refused(refusals, terms, CART),
            CheckoutRefusal::Answers(refusals) => forms_refused(refusals, CART),
            CheckoutRefusal::Coupons(codes) => coupons(codes),
            CheckoutRefusal::Empty => {
                ApiError::new(ErrorType::ValidationError).detail(CART, "must contain at least one item")
            }
            CheckoutRefusal::Holders(faults) => holders(faults),
            CheckoutRefusal::PriceRose(_) => ApiError::new(ErrorType::PriceChanged),
            CheckoutRefusal::FormsIncomplete(forms) => forms_incomplete(forms, &self.request.source),
            CheckoutRefusal::UnknownIds(pointers) => {
                pointers.iter().fold(ApiError::new(ErrorType::NotFound), |error, pointer| {
                    error.detail(format!("{CART}/{pointer}"), "was not found")
                })
            }
            CheckoutRefusal::TooManyParts(parts) => too_many_parts(*parts),
            CheckoutRefusal::Entitlements(judgements) => {
                let result = EntitlementsResult::of(judgements, self.catalog.view().person_types);
                let result = result.told(terms.refused.problem);
                ApiError::new(ErrorType::EntitlementsViolated).fact("entitlements", result)
            }
            CheckoutRefusal::NoCard => no_card(self.facts.tenant.raw_cards),
            CheckoutRefusal::NumberNotTaken => ApiError::new(ErrorType::ValidationError)
                .detail("/manualEntryCardNumber", "is not taken by this venue; send paymentToken"),
            CheckoutRefusal::Token(why) => token(*why),
            CheckoutRefusal::NoProcessor => {
                ApiError::new(ErrorType::MerchantNotReady).message("No card processor is set up")
            }
            CheckoutRefusal::NotCharging(why) => not_charging(*why),
            CheckoutRefusal::TooLittle { smallest } => self.too_little(*smallest),
            CheckoutRefusal::UnknownReservation(named) => {
                ApiError::new(ErrorType::NotFound).detail(reservation_pointer(*named), "was not found")
            }
            CheckoutRefusal::ChargeUnderWay => ApiError::new(ErrorType::RequestInProgress),
            CheckoutRefusal::Duplicate(order) => duplicate(&self.caller, order),
            CheckoutRefusal::ReservationOver { named, end } => reservation_over(*named, *end),
            CheckoutRefusal::Seats { instance, why, lines } => self.no_seats(*instance, why, lines),
            CheckoutRefusal::Units { inventory, name, available, lines } => {
                let (inventory, name, available) = (*inventory, name.clone(), *available);
                not_enough(&Shortage::Stock { inventory, name, available }, lines, CART)
            }
        }
    }

    /// Less than the card processor charges.
    fn too_little(&self, smallest: Money) -> ApiError {
        let currency = self.facts.tenant.currency;
        ApiError::new(ErrorType::AmountTooSmall)
            .message(format!("The smallest amount that can be charged is {}", currency.print(smallest)))
            .fact("smallestAmount", smallest.to_string())
            .fact("currency", currency)
    }

    /// Why a slot does not give its seats.
    fn no_seats(&self, instance: InstanceId, why: &LedgerRefusal, lines: &[ShortLine]) -> ApiError {
        let error = match why {
            LedgerRefusal::UnknownSlot => ApiError::new(ErrorType::NotFound),
            LedgerRefusal::HoldChanged => return ApiError::new(ErrorType::ReservationExpired),
            LedgerRefusal::Closed => {
                ApiError::new(ErrorType::SalesClosed).message("This event is not on sale")
            }
            LedgerRefusal::NotEnough { available } => {
                Metric::SoldOut.count(self.caller.tenant.id);
                let available = *available;
                return not_enough(&Shortage::Seats { instance, available }, lines, CART);
            }
            LedgerRefusal::MustReclaim | LedgerRefusal::TooManyHolds => {
                return ApiError::new(ErrorType::TryAgain);
            }
        };
        error.fact("eventId", instance)
    }
}

/// What is missing: a token, where the venue takes no numbers.
fn no_card(takes_numbers: bool) -> ApiError {
    let fields: &[&str] =
        if takes_numbers { &["/manualEntryCardNumber", "/expDate", "/cvc"] } else { &["/paymentToken"] };
    let refusal = ApiError::new(ErrorType::ValidationError);
    fields.iter().fold(refusal, |error, field| error.detail(*field, "is required"))
}

fn token(why: TokenRefusal) -> ApiError {
    let invalid = || ApiError::new(ErrorType::ValidationError);
    let told = |why: &str| invalid().detail("/paymentToken", why);
    match why {
        TokenRefusal::OtherCard { brand, last_four } => {
            let faults = [
                (brand, "/creditCardBrand", "does not match the card of the token"),
                (last_four, "/ccLastFourDigits", "must match the last four digits of the card of the token"),
            ];
            let found = faults.into_iter().filter(|(is_fault, _, _)| *is_fault);
            found.fold(invalid(), |error, (_, field, why)| error.detail(field, why))
        }
        TokenRefusal::Unread => ApiError::new(ErrorType::TryAgain),
        TokenRefusal::Unknown => told("stands for no card, has expired or was used before"),
        TokenRefusal::OtherBrand => told("is not from a supported card brand"),
    }
}

fn coupons(codes: &[CouponRefusal]) -> ApiError {
    let all_used_up = codes.iter().all(|code| code.problem == CouponProblem::UsedUp);
    let kind = if all_used_up { ErrorType::CouponUsedUp } else { ErrorType::CouponNotValid };
    codes.iter().fold(ApiError::new(kind), |error, CouponRefusal { place, problem }| {
        let pointer = match place {
            CodePlace::Cart(at) => format!("{CART}/couponCodes/{at}"),
            CodePlace::Line { line, code } => format!("{CART}/items/{line}/couponCodes/{code}"),
            CodePlace::Unknown => format!("{CART}/couponCodes"),
        };
        error.detail(pointer, coupon_problem(*problem))
    })
}

fn holders(faults: &[HolderRefusal]) -> ApiError {
    faults.iter().fold(ApiError::new(ErrorType::ValidationError), |error, refusal| {
        let cards = format!("{CART}/items/{}/membershipInfo/membershipCards", refusal.line);
        let field = refusal.holder.map_or_else(|| cards.clone(), |place| format!("{cards}/{place}"));
        error.detail(
            field,
            match refusal.fault {
                HolderFault::OnePrimary => "must include exactly one primary card",
                HolderFault::IncompletePrimary => {
                    "must have firstName, lastName and at least one of zipCode, email or phoneNumber"
                }
                HolderFault::Unnamed => "must have firstName and lastName",
                HolderFault::OtherHolder => "must have the same name as the membership's primary card",
            },
        )
    })
}

fn not_charging(why: NotCharging) -> ApiError {
    let (reason, message) = match why {
        NotCharging::NoneApproved => ("notApproved", "Cards cannot be charged: no merchant is approved"),
        NotCharging::NoRateCard => {
            ("noRateCard", "Cards cannot be charged: the approved merchant has no rate card")
        }
    };
    ApiError::new(ErrorType::MerchantNotReady).message(message).fact("reason", reason)
}

/// The order is named to servers, which may read it. A page is not told of the order of whoever's card it was given.
fn duplicate(caller: &Caller, order: &OrderId) -> ApiError {
    let refusal = ApiError::new(ErrorType::DuplicateTransactionFound);
    match caller.scope {
        Scope::B2c => refusal.fact("orderId", order),
        Scope::B2cBrowser | Scope::B2b | Scope::Door | Scope::Counter | Scope::Payment | Scope::Onboard => {
            refusal
        }
    }
}

fn reservation_over(named: ReservationNamed, end: ReservationEnd) -> ApiError {
    let pointer = reservation_pointer(named);
    let over = |why: &str| ApiError::new(ErrorType::ReservationExpired).detail(pointer, why);
    match end {
        ReservationEnd::Released => over("has been released"),
        ReservationEnd::Expired => over("has expired"),
        ReservationEnd::Used => over("has already been used for an order")
            .message("The reservation has already been used for an order"),
    }
}

/// Where in the body the reservation was named; a stored cart names its own.
const fn reservation_pointer(named: ReservationNamed) -> &'static str {
    match named {
        ReservationNamed::InRequest => "/reservationId",
        ReservationNamed::InCart => "/shoppingCart/reservationId",
        ReservationNamed::InStoredCart => "/shoppingCartId",
    }
}
