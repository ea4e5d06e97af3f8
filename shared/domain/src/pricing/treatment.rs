//! Stages 2 and 3 of a ticket line: every way in which it could be priced, and which of them decides.

use super::codes::CodeBook;
use super::rule::{Inapplicable, PricingRule, Source, Tried};
use super::{CodeScope, PricedSlot};
use crate::buyer::Buyer;
use crate::cart::AppliedPrice;
use crate::cart_request::{WantedTicket, WantedTreatment};
use crate::catalog::{Price, Template};
use crate::coupon::{Discount, Reduced, Reduction};
use crate::{DiscountId, LevelId, Money, MoneyOverflow, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the treatments of a line follow from beside the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct PriceFactors<'a> {
    pub(super) buyer: &'a Buyer,
    pub(super) discounts: &'a BTreeMap<DiscountId, Discount>,
    pub(super) codes: &'a CodeBook<'a>,
    pub(super) scope: CodeScope,
}

impl PriceFactors<'_> {
    /// The rules that a ticket line with these codes is tried with, at most.
    fn most_tries(&self, line_codes: &[String]) -> usize {
        let codes = self.codes.of_cart().saturating_add(line_codes.len());
        codes.saturating_add(self.buyer.claims()).saturating_add(2)
    }
}

/// A line's treatments, of which exactly one is chosen.
#[derive(Debug)]
pub(super) struct Treatments {
    pub(super) tried: Vec<Tried>,
    pub(super) unit: Money,
    pub(super) applied: AppliedPrice,
}

/// A ticket that is priced: of which event, for a visit at which instant, at which entry of its price list.
#[derive(Debug, Clone, Copy)]
pub struct PricedTicket<'a> {
    /// The definition of the event.
    pub template: &'a Template,
    /// When the visit is.
    pub at: Timestamp,
    /// What the price list in force says.
    pub price: &'a Price,
}

/// The unit price of a ticket without code or wish: what lists show, and what a cart charges for such a line.
///
/// # Errors
/// [`MoneyOverflow`] when an amount does not fit.
pub fn listed_unit(
    ticket: PricedTicket<'_>,
    buyer: &Buyer,
    discounts: &BTreeMap<DiscountId, Discount>,
) -> Result<Money, MoneyOverflow> {
    let tried = uncoded(ticket, buyer, discounts, Vec::new())?;
    let units = tried.iter().filter_map(|one| Some((one.rule, std::cmp::Reverse(one.price.ok()?.unit))));
    Ok(units.max().map_or(ticket.price.price, |(_, std::cmp::Reverse(unit))| unit))
}

/// Tries the rules that need neither a code nor a wish of the line. Nobody pays more as a member than without
/// being one.
fn uncoded(
    ticket: PricedTicket<'_>,
    buyer: &Buyer,
    discounts: &BTreeMap<DiscountId, Discount>,
    mut tried: Vec<Tried>,
) -> Result<Vec<Tried>, MoneyOverflow> {
    let PricedTicket { template, at, price } = ticket;
    let discounted = price.discounted();
    tried.push(of_line(PricingRule::FullPrice, price.price));
    tried.extend(discounted.map(|unit| of_line(PricingRule::DiscountedPrice, unit)));
    for found in buyer.member_prices(template, discounts, &price.ticket_type, at) {
        let level = Arc::clone(&found.claim.level);
        let source = match found.claim.membership {
            Some(membership) => Source::Membership(membership, level),
            None => Source::Level(level),
        };
        let price = below_everybody(price, found.reduction)?;
        tried.push(Tried { rule: PricingRule::MemberPrice, source, price, chosen: false });
    }
    Ok(tried)
}

/// A price after a reduction, where that is less than everybody pays.
fn below_everybody(
    price: &Price,
    reduction: Reduction,
) -> Result<Result<Reduced, Inapplicable>, MoneyOverflow> {
    let reduced = reduction.apply(price.price)?;
    let is_less = price.discounted().is_none_or(|discounted| reduced.unit < discounted);
    Ok(if is_less { Ok(reduced) } else { Err(Inapplicable::NotBelowDiscounted) })
}

/// The unit price of a ticket with a discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscountedUnit {
    /// What is paid.
    pub unit: Money,
    /// What the discount takes off the full price; nothing where it has no value for the ticket type, or takes off
    /// no more than everybody gets.
    pub off: Money,
}

/// The unit price of a ticket to which this discount applies, by the rule of member prices.
///
/// # Errors
/// [`MoneyOverflow`] when an amount does not fit.
pub fn discounted_unit(price: &Price, discount: &Discount) -> Result<DiscountedUnit, MoneyOverflow> {
    let everybody = DiscountedUnit { unit: price.discounted().unwrap_or(price.price), off: Money::ZERO };
    let Some(reduction) = discount.reduction_of(&price.ticket_type) else { return Ok(everybody) };
    match below_everybody(price, reduction)? {
        Ok(Reduced { unit, exact: _ }) => Ok(DiscountedUnit { unit, off: price.price.checked_sub(unit)? }),
        Err(_) => Ok(everybody),
    }
}

fn of_line(rule: PricingRule, unit: Money) -> Tried {
    Tried { rule, source: Source::Line, price: Ok(Reduced { exact: unit.exact(), unit }), chosen: false }
}

/// Tries every rule on a ticket line of this price.
pub(super) fn treat(
    wanted: &WantedTicket,
    slot: PricedSlot<'_>,
    price: &Price,
    terms: PriceFactors<'_>,
) -> Result<Treatments, MoneyOverflow> {
    let retail = price.price;
    let line_codes: &[String] = match &wanted.treatment {
        WantedTreatment::FullPrice => {
            let tried = vec![Tried { chosen: true, ..of_line(PricingRule::Retail, retail) }];
            return Ok(Treatments { tried, unit: retail, applied: AppliedPrice::FullPrice });
        }
        WantedTreatment::Best => &[],
        WantedTreatment::Coupons(codes) => codes,
    };
    let room = Vec::with_capacity(terms.most_tries(line_codes));
    let ticket = PricedTicket { template: slot.template, at: slot.start, price };
    let mut tried = uncoded(ticket, terms.buyer, terms.discounts, room)?;
    if wanted.ignore_entitlements {
        let members = tried.iter_mut().filter(|one| one.rule == PricingRule::MemberPrice);
        members.for_each(|one| one.price = Err(Inapplicable::ExemptFromLimits));
    }
    for (rule, code) in terms.codes.of(line_codes) {
        let price = match code.reduction(wanted, slot, terms.discounts) {
            Ok(_) if rule == PricingRule::CartCoupon && terms.scope == CodeScope::Memberships => {
                Err(Inapplicable::KeptForMemberships)
            }
            Ok(reduction) => Ok(reduction.apply(retail)?),
            Err(problem) => Err(Inapplicable::Code(problem)),
        };
        tried.push(Tried { rule, source: Source::Code(Arc::clone(&code.text)), price, chosen: false });
    }
    Ok(choose(tried, terms.codes, retail))
}

/// The rule of the highest precedence decides, whatever it costs; within one rule the lowest price. Of equal
/// prices the first source in order counts, so that the order in which things are named does not.
pub(super) fn choose(mut tried: Vec<Tried>, codes: &CodeBook<'_>, retail: Money) -> Treatments {
    let priced = tried.iter_mut().filter_map(|one| Some((one.price.ok()?.unit, one)));
    let best = priced.max_by(|(unit, one), (other_unit, other)| {
        let by_price = other_unit.cmp(unit).then_with(|| other.source.cmp(&one.source));
        one.rule.cmp(&other.rule).then(by_price)
    });
    let (unit, applied) = match best {
        None => (retail, AppliedPrice::FullPrice),
        Some((unit, one)) => {
            one.chosen = true;
            (unit, applied(one, codes))
        }
    };
    Treatments { tried, unit, applied }
}

fn applied(chosen: &Tried, codes: &CodeBook<'_>) -> AppliedPrice {
    match &chosen.source {
        Source::Line | Source::Combo(_) => AppliedPrice::FullPrice,
        Source::Membership(membership, level) => {
            AppliedPrice::Member { level: LevelId::clone(level), membership: Some(*membership) }
        }
        Source::Level(level) => AppliedPrice::Member { level: LevelId::clone(level), membership: None },
        Source::Code(code) => match codes.find(code).map(|code| code.coupon) {
            Some(Ok(coupon)) => AppliedPrice::Coupon { coupon: coupon.id.clone(), code: coupon.code.clone() },
            Some(Err(_)) | None => AppliedPrice::FullPrice,
        },
    }
}
