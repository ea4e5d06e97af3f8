//! What is sold, at what price, from which holds, through which merchant. Pure.

use crate::load::Facts;
use domain::cart::{Cart, CartLine, CouponMessage, PricedLines};
use domain::checkout::{CartSource, CheckoutRequest, HolderFault, card_summary, holder_faults};
use domain::coupon::{CouponProblem, folded};
use domain::customer::{self, match_text};
use domain::ledger::{Hold, Ledger, LedgerChange, OwnHold};
use domain::merchant::{Merchant, NotCharging, charging};
use domain::order::{ConsumedReservation, Payment};
use domain::pricing::{Catalog, CatalogView, price};
use domain::reservation::Reservation;
use domain::tenant::{ProcessorKind, Tenant};
use domain::{CustomerId, InstanceId, Money, SaleId, Timestamp};
use platform::access::Caller;
use platform::cart::pricing_refused;
use platform::keyed_hash::HashKey;
use platform::{ApiError, ErrorType};
use std::collections::BTreeMap;
use wire::cart::coupon_problem;

/// The cart's lines at the prices of this moment.
pub(crate) fn priced(
    cart: &domain::cart_request::CartTerms,
    lines: &[domain::cart_request::LineRequest],
    facts: &Facts,
    pointer: &str,
    caller: &Caller,
) -> Result<PricedLines, ApiError> {
    let catalog = Catalog {
        templates: &facts.templates,
        person_types: &facts.person_types,
        inventory: &facts.inventory,
        discounts: &facts.discounts,
        coupons: &facts.coupons,
        combos: &facts.combos,
        levels: &facts.levels,
    };
    let buyer = facts.existing.buyer(caller.tenant.zone);
    let view = CatalogView::of_ledgers(catalog, buyer, facts.existing.ledgers.values());
    let priced = price(lines, cart, &view, caller.clock.now());
    priced.map_err(|refusals| pricing_refused(&refusals, cart, pointer))
}

/// A cart that names coupons that take nothing off is not sold at other prices than its visitor expects.
pub(crate) fn check_coupons(cart: &Cart) -> Result<(), ApiError> {
    if cart.coupon_messages.is_empty() {
        return Ok(());
    }
    let used_up = |message: &CouponMessage| message.problem == CouponProblem::UsedUp;
    let all_used_up = cart.coupon_messages.iter().all(used_up);
    let kind = if all_used_up { ErrorType::CouponUsedUp } else { ErrorType::CouponNotValid };
    Err(cart.coupon_messages.iter().fold(ApiError::new(kind), |error, message| {
        error.detail(code_pointer(cart, &message.code), coupon_problem(message.problem))
    }))
}

/// Where a coupon code was sent: with the cart, or else with a line.
pub(crate) fn code_pointer(cart: &Cart, code: &str) -> String {
    let place = |codes: &[String]| codes.iter().position(|sent| folded(sent) == folded(code));
    if let Some(at) = place(&cart.coupon_codes) {
        return format!("/shoppingCart/couponCodes/{at}");
    }
    let mut lines = cart.lines.iter().enumerate();
    match lines.find_map(|(index, line)| Some((index, place(line_codes(line))?))) {
        Some((index, at)) => format!("/shoppingCart/items/{index}/couponCodes/{at}"),
        None => "/shoppingCart/couponCodes".to_owned(),
    }
}

fn line_codes(line: &CartLine) -> &[String] {
    match line {
        CartLine::Ticket(line) => &line.coupon_codes,
        CartLine::Membership(line) => &line.wanted.coupon_codes,
        CartLine::AddOn(_) | CartLine::Donation(_) | CartLine::Combo(_) => &[],
    }
}

/// Whoever is to hold cards must be named before their membership is bought (spec §2.5).
pub(crate) fn check_holders(cart: &Cart, facts: &Facts) -> Result<(), ApiError> {
    let faults = holder_faults(cart, &facts.existing.memberships);
    if faults.is_empty() {
        return Ok(());
    }
    Err(faults.into_iter().fold(ApiError::new(ErrorType::ValidationError), |error, refusal| {
        let cards = format!("/shoppingCart/items/{}/membershipInfo/membershipCards", refusal.line);
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
    }))
}

/// There must be something to buy.
pub(crate) fn check_not_empty(cart: &Cart) -> Result<(), ApiError> {
    if cart.lines.iter().any(|line| line.quantity() > 0) {
        return Ok(());
    }
    Err(ApiError::new(ErrorType::ValidationError).detail("/shoppingCart", "must contain at least one item"))
}

/// Whether the total is more than the visitor was shown or the caller expects. A fall passes (contract §6).
pub(crate) fn price_rose(total: Money, shown: Option<Money>, expected: Option<Money>) -> bool {
    shown.is_some_and(|shown| total > shown) || expected.is_some_and(|expected| total > expected)
}

/// The holds a checkout consumes: those of its reservation, for the slots it sells.
pub(crate) fn consumed(
    request: &CheckoutRequest,
    reservation: Option<&Option<Reservation>>,
    cart: &Cart,
    ledgers: &BTreeMap<InstanceId, Ledger>,
    now: Timestamp,
) -> Result<Option<ConsumedReservation>, ApiError> {
    let Some(reservation) = reservation else { return Ok(None) };
    let Some(reservation) = reservation else {
        return Err(ApiError::new(ErrorType::NotFound).detail(reservation_pointer(request), "was not found"));
    };
    let dead =
        |why: &str| ApiError::new(ErrorType::ReservationExpired).detail(reservation_pointer(request), why);
    if reservation.is_over(now) {
        return Err(dead(if reservation.released { "has been released" } else { "has expired" }));
    }
    // Neither expired nor released, it holds nothing any more where an order took what it held.
    let used = || {
        let message = "The reservation has already been used for an order";
        dead("has already been used for an order").message(message)
    };
    let held = |instance: &InstanceId| {
        let hold = ledgers.get(instance).and_then(|ledger| ledger.holds.get(&reservation.id));
        hold.filter(|hold| hold.is_live(now)).copied()
    };
    let known = reservation.terms.items.iter().filter(|item| ledgers.contains_key(&item.instance));
    let known: Vec<InstanceId> = known.map(|item| item.instance).collect();
    if !known.is_empty() && known.iter().all(|instance| held(instance).is_none()) {
        return Err(used());
    }
    let mut holds: BTreeMap<InstanceId, Hold> = BTreeMap::new();
    for instance in cart.seats().into_keys() {
        if !reservation.terms.items.iter().any(|item| item.instance == instance) {
            continue;
        }
        holds.insert(instance, held(&instance).ok_or_else(used)?);
    }
    Ok(Some(ConsumedReservation { id: reservation.id, holds }))
}

/// Where in the body the reservation was named; a stored cart names its own.
fn reservation_pointer(request: &CheckoutRequest) -> &'static str {
    match (&request.source, request.reservation) {
        (_, Some(_)) => "/reservationId",
        (CartSource::Inline(_), None) => "/shoppingCart/reservationId",
        (CartSource::Stored(_), None) => "/shoppingCartId",
    }
}

/// What every ledger has to give.
pub(crate) fn sales(
    cart: &Cart,
    consumed: Option<&ConsumedReservation>,
) -> BTreeMap<InstanceId, LedgerChange> {
    let own = |instance: &InstanceId| {
        consumed.and_then(|own| Some(OwnHold { reservation: own.id, hold: *own.holds.get(instance)? }))
    };
    cart.seats()
        .into_iter()
        .map(|(instance, quantity)| (instance, LedgerChange::sell(quantity, own(&instance))))
        .collect()
}

/// What the reservation holds beyond what was sold, to be released once the order is paid.
pub(crate) fn surplus(
    reservation: &Reservation,
    cart: &Cart,
    consumed: &ConsumedReservation,
) -> Vec<(InstanceId, LedgerChange)> {
    let seats = cart.seats();
    let rest = |instance: &InstanceId, quantity: u32| {
        let hold = consumed.holds.get(instance).copied();
        let hold = hold.unwrap_or(Hold { quantity, expires_at: reservation.terms.expires_at });
        let left = hold.quantity.saturating_sub(seats.get(instance).copied().unwrap_or_default());
        (left > 0).then(|| LedgerChange::release(reservation.id, Hold { quantity: left, ..hold }))
    };
    let items = reservation.terms.items.iter();
    items.filter_map(|item| Some((item.instance, rest(&item.instance, item.quantity)?))).collect()
}

/// How the order is paid; none when it costs nothing, whatever card was sent.
pub(crate) fn payment(
    tenant: &Tenant,
    merchants: &[Merchant],
    request: &CheckoutRequest,
    total: Money,
    sale: SaleId,
) -> Result<Option<Payment>, ApiError> {
    if total.is_zero() {
        return Ok(None);
    }
    let Some(card) = &request.card else {
        let error = ApiError::new(ErrorType::ValidationError);
        return Err(["/manualEntryCardNumber", "/expDate", "/cvc"]
            .into_iter()
            .fold(error, |error, field| error.detail(field, "is required")));
    };
    match tenant.processor {
        // It moves no money, so a live order would be given away.
        ProcessorKind::Sandbox if !tenant.sandbox => {
            return Err(ApiError::new(ErrorType::MerchantNotReady).message("No card processor is set up"));
        }
        ProcessorKind::Sandbox | ProcessorKind::Stripe(_) => {}
    }
    let (merchant, rate_card) = charging(merchants).map_err(not_ready)?;
    Ok(Some(Payment {
        sale,
        mid: merchant.mid.clone(),
        amount: total,
        card: card_summary(card),
        rate_card: *rate_card,
        descriptor: format!("{}{}", tenant.descriptor_prefix, merchant.descriptor),
    }))
}

fn not_ready(why: NotCharging) -> ApiError {
    let (reason, message) = match why {
        NotCharging::NoneApproved => ("notApproved", "Cards cannot be charged: no merchant is approved"),
        NotCharging::NoRateCard => {
            ("noRateCard", "Cards cannot be charged: the approved merchant has no rate card")
        }
    };
    ApiError::new(ErrorType::MerchantNotReady).message(message).fact("reason", reason)
}

/// The customer of fully populated billing data (spec §2.8 rule 3). The id is a keyed hash of what customers are
/// compared by, so the same data finds the same customer without a search, and nobody can guess it.
pub(crate) fn customer(
    caller: &Caller,
    request: &CheckoutRequest,
    cart: &Cart,
    facts: &Facts,
    key: &HashKey,
) -> Option<CustomerId> {
    let payer = (&request.billing).into();
    let known = cart.customer.or_else(|| facts.existing.customer_of(caller.tenant.id, &payer));
    known.or_else(|| customer_of(&payer, key))
}

/// The customer that data means, where nothing of it is missing.
pub(crate) fn customer_of(person: &customer::Person, key: &HashKey) -> Option<CustomerId> {
    let fields = match_text(person)?;
    let parts = fields.each_ref().map(String::as_bytes);
    let hash = key.hash("customer", &parts);
    let bits = hash.iter().take(8).fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    Some(CustomerId::from_bits(bits))
}

/// The keyed hash under which a card and an exact amount are guarded against a second charge.
pub(crate) fn guard_hash(request: &CheckoutRequest, total: Money, key: &HashKey) -> Option<String> {
    let card = request.card.as_ref()?;
    let amount = total.cents().to_string();
    Some(key.hash_hex("duplicate", &[card.number.expose().as_bytes(), amount.as_bytes()]))
}
