//! What a sale does to a membership: the way of buying it, its term and its price (spec §2.5, contract §9).
//! Carts, checkout and `checkout/validate` decide with these functions.

use super::force::MembershipStanding;
use super::held::MembershipPlan;
use super::term::{GRACE_DAYS, Term, TermRules, plus_days};
use super::{
    Level, LevelState, Membership, MembershipAction, MembershipRules, MembershipTransition, Move, Offering,
};
use crate::catalog::{Price, PriceList};
use crate::channel::{Channel, channel_allowed};
use crate::{LevelId, Money, MoneyOverflow, Timestamp, Zone};
use std::collections::BTreeMap;

/// When and where a membership is sold.
#[derive(Debug, Clone, Copy)]
pub struct SaleContext {
    /// The channel of the route.
    pub channel: Channel,
    /// The tenant's zone, whose days terms are made of.
    pub zone: Zone,
    /// The moment of sale.
    pub now: Timestamp,
}

/// A way of buying a membership that is open, with the term and the price it comes to.
#[derive(Debug, Clone, Copy)]
pub struct Quote<'a> {
    pub level: &'a Level,
    pub offering: &'a Offering,
    /// The rules of both.
    pub rules: MembershipRules,
    /// The term that is bought, or what is left of the term that goes on.
    pub term: Term,
    /// The full price.
    pub retail: Money,
    /// The price the offering asks, before coupons.
    pub offered: Money,
    /// What is taken off for the level that is left.
    pub credit: Money,
}

/// Why a membership is not sold in this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifecycleFault {
    /// There is no such level on sale here.
    UnknownLevel,
    /// The level has no such offering on sale here.
    UnknownOffering,
    /// The offering has no price for this price point.
    UnknownPricePoint,
    /// The action needs a membership.
    MembershipMissing,
    /// A new membership comes from none.
    MembershipSent,
    /// There is no such membership.
    UnknownMembership,
    /// The offering does not allow the action here.
    ActionNotOffered,
    /// A membership that stays on its level has another one.
    OtherLevel,
    /// A membership that moves is on that level already.
    SameLevel,
    /// A membership that moves in the middle of its term moves to an offering of another length.
    OtherDuration,
    /// The membership was replaced, or nobody holds a card of it any more.
    MembershipEnded,
    TermNotOver,
    /// The term must not be over, and is.
    TermOver,
}

/// The membership that an action is done with.
#[derive(Debug, Clone, Copy)]
pub enum Current<'a> {
    /// None was named.
    Unnamed,
    /// One was named that does not exist.
    Unknown,
    /// This one.
    Found(&'a Membership),
}

/// What buying a plan comes to.
///
/// # Errors
/// The first [`LifecycleFault`] in their order.
pub fn quote<'a>(
    levels: &'a BTreeMap<LevelId, Level>,
    action: MembershipAction,
    plan: &MembershipPlan,
    current: Current<'_>,
    sale: SaleContext,
) -> Result<Quote<'a>, LifecycleFault> {
    let level = level_on_sale(levels, plan, sale.channel).ok_or(LifecycleFault::UnknownLevel)?;
    let offering = offering_on_sale(level, plan, sale.channel).ok_or(LifecycleFault::UnknownOffering)?;
    let price = price_of(offering, plan, sale).ok_or(LifecycleFault::UnknownPricePoint)?;
    let change = match (action.transition(), current) {
        (None, Current::Unnamed) => None,
        (None, Current::Unknown | Current::Found(_)) => return Err(LifecycleFault::MembershipSent),
        (Some(_), Current::Unnamed) => return Err(LifecycleFault::MembershipMissing),
        (Some(_), Current::Unknown) => return Err(LifecycleFault::UnknownMembership),
        (Some(how), Current::Found(membership)) => Some((how, membership.clone().as_of(sale.now))),
    };
    if !action.of_offering().iter().all(|kind| offering.allows(*kind, &[sale.channel])) {
        return Err(LifecycleFault::ActionNotOffered);
    }
    let rules = level.rules_of(offering);
    let term_rules = TermRules::of(offering, rules);
    let (term, credit) = match &change {
        None => (Term::beginning(sale.zone.date(sale.now), term_rules), Money::ZERO),
        Some(((transition, movement), membership)) => {
            check_movement(*transition, *movement, plan, membership)?;
            let own = levels.get(&membership.level).and_then(|level| level.offering(&membership.offering));
            check_duration(*transition, offering, own)?;
            let credit = match transition {
                MembershipTransition::MidTerm => value_of(own, membership, sale),
                MembershipTransition::Renewal | MembershipTransition::Return => Money::ZERO,
            };
            (term_of(*transition, membership, term_rules, sale)?, credit)
        }
    };
    Ok(Quote { level, offering, rules, term, retail: price.price, offered: offered(price), credit })
}

impl Quote<'_> {
    /// The full price: of a move, what the destination costs in full beyond the plan that is left.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn full_unit(&self) -> Result<Money, MoneyOverflow> {
        Ok(self.retail.checked_sub(self.credit)?.max(Money::ZERO))
    }

    /// The price before coupons: never below nothing, however much the level that is left has cost.
    ///
    /// # Errors
    /// [`MoneyOverflow`] when an amount does not fit.
    pub fn unit(&self) -> Result<Money, MoneyOverflow> {
        Ok(self.offered.checked_sub(self.credit)?.max(Money::ZERO))
    }
}

fn level_on_sale<'a>(
    levels: &'a BTreeMap<LevelId, Level>,
    plan: &MembershipPlan,
    channel: Channel,
) -> Option<&'a Level> {
    let found = levels.get(&plan.level)?;
    let on_sale = found.state == LevelState::Published && channel_allowed(&found.sales_channels, channel);
    on_sale.then_some(found)
}

fn offering_on_sale<'a>(level: &'a Level, plan: &MembershipPlan, channel: Channel) -> Option<&'a Offering> {
    let found = level.offering(&plan.offering)?;
    channel_allowed(&found.sales_channels, channel).then_some(found)
}

/// The price in force at the moment of sale.
fn price_of<'a>(offering: &'a Offering, plan: &MembershipPlan, sale: SaleContext) -> Option<&'a Price> {
    PriceList::in_force(&offering.price_lists, sale.now)?.price_of(&plan.price_point, sale.channel)
}

/// The price an offering asks: the discounted one, where it is lower than the full price.
fn offered(price: &Price) -> Money {
    price.discounted_price.filter(|discounted| *discounted < price.price).unwrap_or(price.price)
}

/// Who moves goes to another level; who stays, to another offering of the same level at most.
fn check_movement(
    transition: MembershipTransition,
    movement: Move,
    plan: &MembershipPlan,
    membership: &Membership,
) -> Result<(), LifecycleFault> {
    let from = match transition {
        MembershipTransition::MidTerm => membership.plan(),
        MembershipTransition::Renewal | MembershipTransition::Return => membership.last_plan(),
    };
    match (movement, from.level == plan.level) {
        (Move::Stay, false) => Err(LifecycleFault::OtherLevel),
        (Move::Up | Move::Down, true) => Err(LifecycleFault::SameLevel),
        (Move::Stay, true) | (Move::Up | Move::Down, false) => Ok(()),
    }
}

/// What is left of a term is priced by the difference of two plans, so both are as long. `own` is the offering by
/// which the membership was bought, if there still is one.
fn check_duration(
    transition: MembershipTransition,
    offering: &Offering,
    own: Option<&Offering>,
) -> Result<(), LifecycleFault> {
    let differs = own.is_some_and(|own| own.duration_months != offering.duration_months);
    match transition {
        MembershipTransition::MidTerm if differs => Err(LifecycleFault::OtherDuration),
        MembershipTransition::MidTerm | MembershipTransition::Renewal | MembershipTransition::Return => {
            Ok(())
        }
    }
}

/// The term that an action comes to.
fn term_of(
    transition: MembershipTransition,
    membership: &Membership,
    rules: TermRules,
    sale: SaleContext,
) -> Result<Term, LifecycleFault> {
    if !membership.can_go_on() {
        return Err(LifecycleFault::MembershipEnded);
    }
    let (today, last) = (sale.zone.date(sale.now), sale.zone.date(membership.ends()));
    let standing = membership.standing(sale.now);
    match (transition, standing) {
        (MembershipTransition::Renewal, MembershipStanding::Active | MembershipStanding::Lapsed) => {
            Ok(renewed(membership, rules, sale))
        }
        (MembershipTransition::Return, MembershipStanding::Lapsed) => {
            Ok(Term::beginning(today, rules).after(last))
        }
        (MembershipTransition::Return, MembershipStanding::Active) => Err(LifecycleFault::TermNotOver),
        (MembershipTransition::MidTerm, MembershipStanding::Active) => {
            let first = today.max(sale.zone.date(membership.started));
            Ok(Term { first, last: sale.zone.date(membership.expires) })
        }
        (MembershipTransition::MidTerm, MembershipStanding::Lapsed) => Err(LifecycleFault::TermOver),
    }
}

/// A renewal goes on where the last term ends, within its grace too; later, and where that term would be over
/// already, it begins today.
fn renewed(membership: &Membership, rules: TermRules, sale: SaleContext) -> Term {
    let (today, last) = (sale.zone.date(sale.now), sale.zone.date(membership.ends()));
    let next = Term::following(last, membership.anchor(sale.zone), rules);
    if today <= plus_days(last, GRACE_DAYS) && today <= next.last {
        return next;
    }
    Term::beginning(today, rules).after(last)
}

impl Term {
    /// The same term, without the days on or before another's last.
    fn after(self, last: chrono::NaiveDate) -> Self {
        Self { first: self.first.max(plus_days(last, 1)), ..self }
    }
}

/// What a membership's current plan costs: as it was bought, else as it is sold today, else nothing.
fn value_of(own: Option<&Offering>, membership: &Membership, sale: SaleContext) -> Money {
    if let Some(bought) = &membership.bought {
        return bought.full_price;
    }
    let plan = membership.plan();
    own.and_then(|own| price_of(own, &plan, sale)).map_or(Money::ZERO, offered)
}

#[cfg(test)]
mod tests;
