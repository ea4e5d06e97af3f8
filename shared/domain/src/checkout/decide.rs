//! Whether a cart is sold, and by what: decided of what was read, in one place. The first of its refusals answers a
//! checkout; a dry run tells all of them, so that the two cannot differ (decision record 0135).

use super::facts::{CartOrigin, Contended, EarlierCharge, Facts, MerchantsRead};
use super::membership::{holder_faults, new_numbers};
use super::refusal::{CheckoutRefusal, CouponRefusal, ReservationEnd, ReservationNamed, Stage, TokenRefusal};
use super::{CartSource, CheckoutRequest, card_summary, within_duplicate_window};
use crate::availability::{check_parts, counted_coupons, missing_units, units_of};
use crate::card_token::{SentCard, TokenAnswer};
use crate::cart::{Cart, CouponMessage};
use crate::entitlement::{EntitlementUse, Judgement, Judging, MemberUses, Tally, judge, uses_of};
use crate::ledger::{Hold, LedgerChange, OwnHold};
use crate::merchant::charging;
use crate::order::{CardSummary, ConsumedReservation, Payment, StockUnits};
use crate::pricing::{CatalogView, price};
use crate::tenant::ProcessorKind;
use crate::{CouponId, CustomerId, InstanceId, InventoryId, Money, Template, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// What a checkout that is not refused comes to.
#[derive(Debug)]
pub struct Decision {
    /// The cart at the prices of this moment.
    pub cart: Cart,
    /// The customer who pays, where there is one.
    pub customer: Option<CustomerId>,
    /// How it is paid, through which merchant; none when it costs nothing, whatever card was sent.
    pub payment: Option<Payment>,
    /// The holds it consumes.
    pub reservation: Option<ConsumedReservation>,
    /// What every ledger has to give.
    pub ledgers: BTreeMap<InstanceId, LedgerChange>,
    /// What the reservation holds beyond what is sold, to be released once the order is paid.
    pub surplus: Vec<(InstanceId, LedgerChange)>,
    /// The coupons it uses whose uses are counted, and how often each may be used.
    pub coupons: BTreeMap<CouponId, u32>,
    /// The units it takes of add-ons that have a stock.
    pub stock: BTreeMap<InventoryId, StockUnits>,
    /// What it uses of what memberships are entitled to.
    pub entitlements: Vec<EntitlementUse>,
}

/// What was not read of what a refusal rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// The merchants that had no rate card a few seconds ago.
    Merchants,
    /// The card behind the token that was sent.
    Token,
    /// What earlier orders used of entitlements.
    Uses,
    /// What became of the charge that holds the duplicate guard.
    Charge,
}

/// Decides a checkout.
///
/// # Errors
/// The first of its [`refusals`].
pub fn decide(facts: &Facts, request: &CheckoutRequest, now: Timestamp) -> Result<Decision, CheckoutRefusal> {
    let case = Case::of(facts, request, now)?;
    match case.refusals().into_iter().next() {
        Some(refusal) => Err(refusal),
        None => case.decision(),
    }
}

/// Everything that stands against a checkout, in order of precedence. Of a cart that has no price, only the ids that it
/// names are looked at further.
#[must_use]
pub fn refusals(facts: &Facts, request: &CheckoutRequest, now: Timestamp) -> Vec<CheckoutRefusal> {
    match Case::of(facts, request, now) {
        Ok(case) => case.refusals(),
        Err(unpriced) => std::iter::once(unpriced).chain(unknown_ids(facts)).collect(),
    }
}

/// The cart at the prices of this moment, with the forms that its events ask.
///
/// # Errors
/// [`CheckoutRefusal::NotPriced`]; [`CheckoutRefusal::Answers`] where those that came with it do not fit.
pub fn priced(facts: &Facts, request: &CheckoutRequest, now: Timestamp) -> Result<Cart, CheckoutRefusal> {
    let (unpriced, asked) = (&facts.cart, facts.goods.asked());
    let view = CatalogView::of_ledgers(facts.goods.catalog(), facts.priced_for(), facts.ledgers.values());
    let lines = price(&unpriced.lines, &unpriced.terms, &view, now).map_err(CheckoutRefusal::NotPriced)?;
    let terms = unpriced.terms.clone();
    match &unpriced.origin {
        CartOrigin::Stored(before) => Ok(before.replaced(terms, lines, now).asking(asked)),
        CartOrigin::Inline { id, visitor } => {
            let answers = match &request.source {
                CartSource::Inline(cart) => cart.forms.as_slice(),
                CartSource::Stored(_) => &[],
            };
            let cart = Cart::new(id.clone(), visitor.clone(), terms, lines, now).asking(asked);
            cart.answering(asked, answers).map_err(CheckoutRefusal::Answers)
        }
    }
}

/// Where it is counted what earlier orders used of what a cart asks for.
#[must_use]
pub fn tallies(facts: &Facts, cart: &Cart) -> BTreeSet<Tally> {
    judged(facts, cart).iter().filter_map(Judgement::counted).map(|(tally, _)| tally.clone()).collect()
}

impl Facts {
    /// What has to be read before a refusal is told, and the checkout decided again.
    #[must_use]
    pub fn unread(&self, refusal: &CheckoutRefusal) -> Option<Unread> {
        let Contended { uses, charge, sold: _ } = &self.contended;
        let is_not_charging = matches!(refusal, CheckoutRefusal::NotCharging(_));
        if is_not_charging && matches!(self.merchants, MerchantsRead::Priced(_)) {
            return Some(Unread::Merchants);
        }
        if matches!(refusal, CheckoutRefusal::Token(TokenRefusal::Unread)) {
            return Some(Unread::Token);
        }
        if refusal.stage() == Stage::Supply && uses.is_none() {
            return Some(Unread::Uses);
        }
        // What it held may have been consumed by this very charge a moment ago, which outranks it (contract §6).
        let is_over = matches!(refusal, CheckoutRefusal::ReservationOver { .. });
        (is_over && charge.is_none()).then_some(Unread::Charge)
    }
}

impl EarlierCharge {
    /// What it says to the same charge now.
    #[must_use]
    pub fn refusal(&self, now: Timestamp) -> Option<CheckoutRefusal> {
        match self {
            Self::Free => None,
            Self::UnderWay => Some(CheckoutRefusal::ChargeUnderWay),
            Self::Paid { order, at } => {
                within_duplicate_window(*at, now).then(|| CheckoutRefusal::Duplicate(order.clone()))
            }
        }
    }
}

impl ReservationNamed {
    /// Where a request names its reservation.
    fn by(request: &CheckoutRequest) -> Self {
        match (&request.source, request.reservation) {
            (_, Some(_)) => Self::InRequest,
            (CartSource::Inline(_), None) => Self::InCart,
            (CartSource::Stored(_), None) => Self::InStoredCart,
        }
    }
}

/// A checkout whose cart has a price.
struct Case<'a> {
    facts: &'a Facts,
    request: &'a CheckoutRequest,
    now: Timestamp,
    cart: Cart,
    judgements: Vec<Judgement>,
    payment: Result<Option<Payment>, CheckoutRefusal>,
    reservation: Result<Option<ConsumedReservation>, CheckoutRefusal>,
}

impl<'a> Case<'a> {
    fn of(facts: &'a Facts, request: &'a CheckoutRequest, now: Timestamp) -> Result<Self, CheckoutRefusal> {
        let cart = priced(facts, request, now)?;
        let judgements = judged(facts, &cart);
        let payment = payment(facts, request, cart.shown_total);
        let reservation = consumed(facts, request, &cart, now);
        Ok(Self { facts, request, now, cart, judgements, payment, reservation })
    }

    /// What stands against it, in the order of [`CheckoutRefusal`].
    fn refusals(&self) -> Vec<CheckoutRefusal> {
        let Self { facts, request, now, cart, judgements, payment, reservation } = self;
        let goods = &facts.goods;
        let mut found = Vec::new();
        found.extend(useless_codes(cart));
        found.extend(cart.lines.iter().all(|line| line.quantity() == 0).then_some(CheckoutRefusal::Empty));
        let holders = holder_faults(cart, &facts.context.memberships);
        found.extend((!holders.is_empty()).then_some(CheckoutRefusal::Holders(holders)));
        found.extend(rises(facts, request, cart).then(|| CheckoutRefusal::PriceRose(Box::new(cart.clone()))));
        let forms = cart.incomplete_forms(&goods.forms);
        found.extend((!forms.is_empty()).then_some(CheckoutRefusal::FormsIncomplete(forms)));
        found.extend(unknown_ids(facts));
        found.extend(
            check_parts(cart, &goods.inventory, &goods.coupons).err().map(CheckoutRefusal::TooManyParts),
        );
        if !judgements.iter().all(Judgement::is_valid) {
            found.push(CheckoutRefusal::Entitlements(judgements.clone()));
        }
        found.extend(payment.as_ref().err().cloned());
        let missing = reservation.as_ref().err().cloned();
        let is_unknown = matches!(missing, Some(CheckoutRefusal::UnknownReservation(_)));
        let (unknown, over) = if is_unknown { (missing, None) } else { (None, missing) };
        found.extend(unknown);
        found.extend(facts.contended.charge.as_ref().and_then(|charge| charge.refusal(*now)));
        found.extend(over);
        found.extend(self.shortages());
        found
    }

    /// The slots and add-ons of which too little is left, where that was read.
    fn shortages(&self) -> Vec<CheckoutRefusal> {
        let Self { facts, now, cart, reservation, .. } = self;
        let Some(sold) = &facts.contended.sold else { return Vec::new() };
        let mut short = Vec::new();
        if let Ok(own) = reservation {
            let own = own.as_ref();
            short.extend(sales(cart, own).into_iter().filter_map(|(instance, change)| {
                let refusal = facts.ledgers.get(&instance)?.transition(&change, *now).err()?;
                Some(CheckoutRefusal::of_seats(cart, own, instance, &refusal))
            }));
        }
        let units = missing_units(cart, &facts.goods.inventory, sold).into_iter();
        short.extend(units.map(|shortage| CheckoutRefusal::of_shortage(cart, shortage)));
        short
    }

    /// What it comes to, where nothing stands against it.
    fn decision(self) -> Result<Decision, CheckoutRefusal> {
        let Self { facts, request: _, now: _, cart, judgements, payment, reservation } = self;
        let (payment, reservation) = (payment?, reservation?);
        Ok(Decision {
            customer: cart.customer.or(facts.context.payer),
            ledgers: sales(&cart, reservation.as_ref()),
            surplus: surplus(facts, &cart, reservation.as_ref()),
            coupons: counted_coupons(&cart, &facts.goods.coupons),
            stock: units_of(&cart, &facts.goods.inventory),
            entitlements: uses_of(&judgements),
            payment,
            reservation,
            cart,
        })
    }
}

/// A cart that names coupons that take nothing off is not sold at other prices than its visitor expects.
fn useless_codes(cart: &Cart) -> Option<CheckoutRefusal> {
    let refusal = |CouponMessage { code, problem }: &CouponMessage| CouponRefusal::of(cart, code, *problem);
    let codes: Vec<CouponRefusal> = cart.coupon_messages.iter().map(refusal).collect();
    (!codes.is_empty()).then_some(CheckoutRefusal::Coupons(codes))
}

/// Whether the total is more than the visitor was shown or the caller expects. A fall passes (contract §6).
fn rises(facts: &Facts, request: &CheckoutRequest, cart: &Cart) -> bool {
    let shown = match &facts.cart.origin {
        CartOrigin::Stored(before) => Some(before.shown_total),
        CartOrigin::Inline { .. } => None,
    };
    [shown, request.expected_total].into_iter().flatten().any(|limit| cart.shown_total > limit)
}

fn unknown_ids(facts: &Facts) -> Option<CheckoutRefusal> {
    let unknown = &facts.context.unknown;
    (!unknown.is_empty()).then(|| CheckoutRefusal::UnknownIds(unknown.clone()))
}

/// The cart by what its members are entitled to, and by the limits of its events. Every checkout asks, whatever its
/// cart says: a limit that binds only those who ask for it is none.
fn judged(facts: &Facts, cart: &Cart) -> Vec<Judgement> {
    let templates: Vec<&Template> = facts.goods.templates.iter().collect();
    let mut numbers = facts.context.numbers.clone();
    numbers.extend(new_numbers(cart, &facts.context.memberships));
    let judging = Judging {
        templates: &templates,
        entitlements: &facts.goods.entitlements,
        discounts: &facts.goods.discounts,
        numbers: &numbers,
        // A cart at prices that were shown is sold at them, unless it asks for the limits to be verified.
        told: cart.verify_entitlements.then_some(&facts.context.buyer),
        zone: facts.tenant.zone,
    };
    let unread = MemberUses::new();
    judge(&cart.lines, judging, facts.contended.uses.as_ref().unwrap_or(&unread))
}

/// How the order is paid; none when it costs nothing, whatever card was sent.
fn payment(
    facts: &Facts,
    request: &CheckoutRequest,
    total: Money,
) -> Result<Option<Payment>, CheckoutRefusal> {
    let tenant = &facts.tenant;
    if total.is_zero() {
        return Ok(None);
    }
    let sent = request.card.as_ref().ok_or(CheckoutRefusal::NoCard)?;
    if matches!(sent, SentCard::Number(_)) && !tenant.raw_cards {
        return Err(CheckoutRefusal::NumberNotTaken);
    }
    match tenant.processor {
        // It moves no money, so a live order would be given away.
        ProcessorKind::Sandbox if !tenant.sandbox => return Err(CheckoutRefusal::NoProcessor),
        ProcessorKind::Sandbox | ProcessorKind::Stripe(_) => {}
    }
    let (merchant, rate_card) = charging(facts.merchants.list()).map_err(CheckoutRefusal::NotCharging)?;
    if let Some(smallest) = tenant.smallest_charge().filter(|smallest| total < *smallest) {
        return Err(CheckoutRefusal::TooLittle { smallest });
    }
    Ok(Some(Payment {
        sale: facts.sale.clone(),
        mid: merchant.mid.clone(),
        amount: total,
        card: summary_of(sent, request, facts)?,
        rate_card: *rate_card,
        descriptor: format!("{}{}", tenant.descriptor_prefix, merchant.descriptor),
    }))
}

/// What may be kept of the card that was sent.
fn summary_of(
    sent: &SentCard,
    request: &CheckoutRequest,
    facts: &Facts,
) -> Result<CardSummary, CheckoutRefusal> {
    let refused = |why| Err(CheckoutRefusal::Token(why));
    match (sent, &facts.token) {
        (SentCard::Number(card), _) => Ok(card_summary(card)),
        (SentCard::Token(_), Some(TokenAnswer::Card(card))) => {
            let told = &request.told;
            let brand = told.brand.is_some_and(|brand| brand != card.brand);
            let last_four = told.last_four.as_ref().is_some_and(|digits| *digits != card.last_four);
            match brand || last_four {
                true => refused(TokenRefusal::OtherCard { brand, last_four }),
                false => Ok(card.summary()),
            }
        }
        (SentCard::Token(_), None) => refused(TokenRefusal::Unread),
        (SentCard::Token(_), Some(TokenAnswer::Unknown)) => refused(TokenRefusal::Unknown),
        (SentCard::Token(_), Some(TokenAnswer::OtherBrand)) => refused(TokenRefusal::OtherBrand),
    }
}

/// The holds a checkout consumes: those of its reservation, for the slots it sells.
fn consumed(
    facts: &Facts,
    request: &CheckoutRequest,
    cart: &Cart,
    now: Timestamp,
) -> Result<Option<ConsumedReservation>, CheckoutRefusal> {
    let Some(reservation) = &facts.reservation else { return Ok(None) };
    let named = ReservationNamed::by(request);
    let reservation = reservation.as_ref().ok_or(CheckoutRefusal::UnknownReservation(named))?;
    let over = |end| CheckoutRefusal::ReservationOver { named, end };
    if reservation.is_over(now) {
        return Err(over(if reservation.released {
            ReservationEnd::Released
        } else {
            ReservationEnd::Expired
        }));
    }
    let held = |instance: &InstanceId| {
        let hold = facts.ledgers.get(instance).and_then(|ledger| ledger.holds.get(&reservation.id));
        hold.filter(|hold| hold.is_live(now)).copied()
    };
    // Neither expired nor released, it holds nothing any more where an order took what it held.
    let used = || over(ReservationEnd::Used);
    let items = &reservation.terms.items;
    let mut known = items.iter().filter(|item| facts.ledgers.contains_key(&item.instance)).peekable();
    if known.peek().is_some() && known.all(|item| held(&item.instance).is_none()) {
        return Err(used());
    }
    let mut holds: BTreeMap<InstanceId, Hold> = BTreeMap::new();
    for instance in cart.seats().into_keys() {
        if items.iter().any(|item| item.instance == instance) {
            holds.insert(instance, held(&instance).ok_or_else(used)?);
        }
    }
    Ok(Some(ConsumedReservation { id: reservation.id, holds }))
}

/// What every ledger has to give.
fn sales(cart: &Cart, consumed: Option<&ConsumedReservation>) -> BTreeMap<InstanceId, LedgerChange> {
    let own = |instance: &InstanceId| {
        consumed.and_then(|own| Some(OwnHold { reservation: own.id, hold: *own.holds.get(instance)? }))
    };
    cart.seats()
        .into_iter()
        .map(|(instance, quantity)| (instance, LedgerChange::sell(quantity, own(&instance))))
        .collect()
}

/// What the reservation holds beyond what is sold.
fn surplus(
    facts: &Facts,
    cart: &Cart,
    consumed: Option<&ConsumedReservation>,
) -> Vec<(InstanceId, LedgerChange)> {
    let (Some(Some(reservation)), Some(consumed)) = (&facts.reservation, consumed) else {
        return Vec::new();
    };
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

#[cfg(test)]
mod tests;
