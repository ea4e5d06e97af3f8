//! What memberships cost (spec §2.5, §4.1 rules 4 and 5), and what those bought in a cart take off its tickets.

use super::codes::Code;
use super::refusal::{LineFault, MembershipSaleFault};
use super::rule::{Inapplicable, PricingRule, Source, Tried};
use super::treatment::{Treatments, choose};
use super::{LineOutcome, Pass, PricingContext, line_price};
use crate::buyer::BenefitClaim;
use crate::cart::{AppliedPrice, CartLine, MembershipLine};
use crate::cart_request::{LineRequest, MAX_MEMBERSHIP_CARDS, Wanted, WantedMembership};
use crate::coupon::{CouponProblem, Reduced, Reduction};
use crate::membership::Membership;
use crate::membership::force::Visits;
use crate::membership::issue::held_cards;
use crate::membership::lifecycle::{Current, Quote, SaleContext, quote};
use crate::{CartItemId, MembershipId, Money, MoneyOverflow};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The membership a line is done with, among those that were found under the ids that were sent.
fn current<'a>(wanted: &WantedMembership, found: &'a BTreeMap<MembershipId, Membership>) -> Current<'a> {
    match wanted.membership {
        None => Current::Unnamed,
        Some(sent) => found.get(&sent).map_or(Current::Unknown, Current::Found),
    }
}

pub(super) fn price_membership(
    id: &CartItemId,
    wanted: &WantedMembership,
    pass: Pass<'_>,
) -> Result<(MembershipLine, Vec<Tried>), LineFault> {
    let (catalog, context) = (pass.catalog.catalog, pass.catalog.context);
    let sale = SaleContext { channel: context.channel, zone: context.zone, now: pass.now };
    let current = current(wanted, context.memberships);
    let quote = quote(catalog.levels, wanted.action, &wanted.plan, current, sale)?;
    let cards = check_cards(wanted, current, &quote).map_err(LineFault::Membership)?;
    let Treatments { tried, unit, applied } = treat(wanted, &quote, pass)?;
    let line = MembershipLine {
        id: id.clone(),
        wanted: wanted.clone(),
        level_name: quote.level.name.clone(),
        offering_name: quote.offering.name.clone(),
        auxiliary: quote.level.auxiliary,
        cards,
        term: quote.term,
        plan_price: if wanted.is_retail { quote.retail } else { quote.offered },
        price: line_price(quote.full_unit()?, unit, 1)?,
        applied,
    };
    Ok((line, tried))
}

/// How many cards are held afterwards, if the offering allows them.
fn check_cards(
    wanted: &WantedMembership,
    current: Current<'_>,
    quote: &Quote<'_>,
) -> Result<usize, MembershipSaleFault> {
    let before = match current {
        Current::Found(membership) => Some(membership),
        Current::Unnamed | Current::Unknown => None,
    };
    let limit = quote.rules.card_holders;
    let cards = held_cards(before, &wanted.holders);
    if usize::try_from(limit).is_ok_and(|limit| cards > limit) {
        return Err(MembershipSaleFault::TooManyCards { limit });
    }
    if wanted.giver.is_some() && !quote.rules.can_gift {
        return Err(MembershipSaleFault::NoGift);
    }
    Ok(cards)
}

/// Tries every rule on a membership.
fn treat(wanted: &WantedMembership, quote: &Quote<'_>, pass: Pass<'_>) -> Result<Treatments, MoneyOverflow> {
    let of_line = |rule, unit: Money| Tried {
        rule,
        source: Source::Line,
        price: Ok(Reduced { exact: unit.exact(), unit }),
        chosen: false,
    };
    if wanted.is_retail {
        let unit = quote.full_unit()?;
        let tried = vec![Tried { chosen: true, ..of_line(PricingRule::Retail, unit) }];
        return Ok(Treatments { tried, unit, applied: AppliedPrice::FullPrice });
    }
    let unit = quote.unit()?;
    let mut tried = vec![of_line(PricingRule::FullPrice, quote.retail)];
    if quote.offered != quote.retail {
        tried.push(of_line(PricingRule::OfferingPrice, quote.offered));
    }
    if quote.credit > Money::ZERO {
        tried.push(of_line(PricingRule::PriceDifference, unit));
    }
    for (rule, code) in pass.codes.of(&wanted.coupon_codes) {
        let price = match reduction(code, wanted, pass) {
            Ok(reduction) => Ok(reduction.apply(unit)?),
            Err(problem) => Err(Inapplicable::Code(problem)),
        };
        tried.push(Tried { rule, source: Source::Code(Arc::clone(&code.text)), price, chosen: false });
    }
    Ok(choose(tried, pass.codes, unit))
}

/// What a code takes off a membership, or why it takes nothing off.
pub(super) fn reduction(
    code: &Code<'_>,
    wanted: &WantedMembership,
    pass: Pass<'_>,
) -> Result<Reduction, CouponProblem> {
    let plan = &wanted.plan;
    code.coupon?
        .reduction_of_membership(&plan.level, &plan.price_point, pass.catalog.catalog.discounts)
        .ok_or(CouponProblem::NothingEligible)
}

/// Whether memberships have more cards together than one transaction settles.
pub(super) fn has_too_many_cards(lines: &[CartLine]) -> bool {
    let cards = lines.iter().filter_map(CartLine::membership).map(|line| line.cards);
    cards.sum::<usize>() > MAX_MEMBERSHIP_CARDS
}

/// Prices the memberships among lines, by their places.
pub(super) fn price_memberships(lines: &[LineRequest], pass: Pass<'_>) -> BTreeMap<usize, LineOutcome> {
    let mut changed: Vec<MembershipId> = Vec::new();
    let mut priced = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        let Wanted::Membership(wanted) = &line.wanted else { continue };
        let named = wanted.membership.and_then(|sent| pass.catalog.context.memberships.get(&sent));
        let twice = named.is_some_and(|membership| changed.contains(&membership.id));
        changed.extend(named.map(|membership| membership.id));
        let outcome = match twice {
            true => Err(vec![LineFault::Membership(MembershipSaleFault::ChangedTwice)]),
            false => super::price_line(line, pass),
        };
        priced.insert(index, outcome);
    }
    priced
}

/// What memberships that are bought give the tickets beside them (spec §4.1 rule 5): for visits within their terms,
/// the prices of their levels.
pub(super) fn claims(
    priced: &BTreeMap<usize, LineOutcome>,
    context: PricingContext<'_>,
) -> Vec<BenefitClaim> {
    let bought = priced.values().flatten().filter_map(|(line, _)| line.membership());
    let claim = |line: &MembershipLine| {
        let WantedMembership { action, plan, membership, generated, .. } = &line.wanted;
        let made = generated.as_ref().map(|generated| generated.id);
        let own = membership.and_then(|sent| context.memberships.get(&sent)).map(|own| own.id);
        let holder = if action.makes_membership() { made } else { own };
        let (first, last) = (line.term.starts(context.zone), line.term.ends(context.zone));
        BenefitClaim::bought(plan.level.clone(), holder, Visits { first, last, before: None })
    };
    bought.map(claim).collect()
}
