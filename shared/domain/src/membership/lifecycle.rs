//! What a sale does to a membership: the way of buying it, its term and its price (spec §2.5, contract §9).
//! Carts, checkout and `checkout/validate` decide with these functions.

use super::held::Plan;
use super::term::{GRACE_DAYS, Term, TermRules, plus_days};
use super::{Level, LevelState, Membership, MembershipAction, MembershipRules, Move, Offering};
use crate::catalog::Price;
use crate::channel::{Channel, channel_allowed};
use crate::verification::MembershipStanding;
use crate::{LevelId, Money, MoneyOverflow, Timestamp, Zone};
use std::collections::BTreeMap;

/// When and where a membership is sold.
#[derive(Debug, Clone, Copy)]
pub struct Sale {
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
    /// The level.
    pub level: &'a Level,
    /// The offering.
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
    /// The membership was given up or replaced.
    MembershipEnded,
    /// The term has to be over, and is not.
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
    (action, plan): (MembershipAction, &Plan),
    current: Current<'_>,
    sale: Sale,
) -> Result<Quote<'a>, LifecycleFault> {
    let level = level_on_sale(levels, plan, sale.channel).ok_or(LifecycleFault::UnknownLevel)?;
    let offering = offering_on_sale(level, plan, sale.channel).ok_or(LifecycleFault::UnknownOffering)?;
    let price = price_of(offering, plan, sale).ok_or(LifecycleFault::UnknownPricePoint)?;
    let current = match (action, current) {
        (MembershipAction::Purchase, Current::Unnamed) => None,
        (MembershipAction::Purchase, Current::Unknown | Current::Found(_)) => {
            return Err(LifecycleFault::MembershipSent);
        }
        (_, Current::Unnamed) => return Err(LifecycleFault::MembershipMissing),
        (_, Current::Unknown) => return Err(LifecycleFault::UnknownMembership),
        (_, Current::Found(membership)) => Some(membership.clone().as_of(sale.now)),
    };
    if !action.of_offering().iter().all(|kind| offering.allows(*kind, &[sale.channel])) {
        return Err(LifecycleFault::ActionNotOffered);
    }
    let rules = offering.rules.unwrap_or(level.rules);
    let term_rules = TermRules::of(offering, level.rules);
    let term = match &current {
        None => Term::beginning(sale.zone.date(sale.now), term_rules),
        Some(membership) => {
            check_movement(action, plan, membership)?;
            check_duration((action, offering), membership, levels)?;
            term_of(action, membership, term_rules, sale)?
        }
    };
    let credit = match (action, &current) {
        (MembershipAction::Upgrade | MembershipAction::Downgrade, Some(membership)) => {
            value_of(levels, membership, sale)
        }
        (
            MembershipAction::Upgrade
            | MembershipAction::Downgrade
            | MembershipAction::Purchase
            | MembershipAction::Renewal(_)
            | MembershipAction::PostTermRenewal(_)
            | MembershipAction::Rejoin(_),
            _,
        ) => Money::ZERO,
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
    plan: &Plan,
    channel: Channel,
) -> Option<&'a Level> {
    let found = levels.get(&plan.level)?;
    let on_sale = found.state == LevelState::Published && channel_allowed(&found.sales_channels, channel);
    on_sale.then_some(found)
}

fn offering_on_sale<'a>(level: &'a Level, plan: &Plan, channel: Channel) -> Option<&'a Offering> {
    let found = level.offering(&plan.offering)?;
    channel_allowed(&found.sales_channels, channel).then_some(found)
}

/// The price in force at the moment of sale: of the latest list that has begun and is not over.
fn price_of<'a>(offering: &'a Offering, plan: &Plan, sale: Sale) -> Option<&'a Price> {
    let in_force = offering.price_lists.iter().filter(|list| {
        list.start.is_none_or(|start| start <= sale.now) && list.end.is_none_or(|end| sale.now <= end)
    });
    let list = in_force.max_by(|a, b| a.start.cmp(&b.start).then_with(|| a.id.cmp(&b.id)))?;
    list.price_of(&plan.price_point, sale.channel)
}

/// The price an offering asks: the discounted one, where it is lower than the full price.
fn offered(price: &Price) -> Money {
    price.discounted_price.filter(|discounted| *discounted < price.price).unwrap_or(price.price)
}

/// Who moves goes to another level; who stays, to another offering of the same level at most.
fn check_movement(
    action: MembershipAction,
    plan: &Plan,
    membership: &Membership,
) -> Result<(), LifecycleFault> {
    let from = match action {
        MembershipAction::Upgrade | MembershipAction::Downgrade => membership.plan(),
        MembershipAction::Purchase
        | MembershipAction::Renewal(_)
        | MembershipAction::PostTermRenewal(_)
        | MembershipAction::Rejoin(_) => membership.last_plan(),
    };
    match (action.movement(), from.level == plan.level) {
        (Some(Move::Stay), false) => Err(LifecycleFault::OtherLevel),
        (Some(Move::Up | Move::Down), true) => Err(LifecycleFault::SameLevel),
        (Some(Move::Stay), true) | (Some(Move::Up | Move::Down), false) | (None, _) => Ok(()),
    }
}

/// What is left of a term is priced by the difference of two plans, so both are as long.
fn check_duration(
    (action, offering): (MembershipAction, &Offering),
    membership: &Membership,
    levels: &BTreeMap<LevelId, Level>,
) -> Result<(), LifecycleFault> {
    let own = levels.get(&membership.level).and_then(|level| level.offering(&membership.offering));
    let differs = own.is_some_and(|own| own.duration_months != offering.duration_months);
    match action {
        MembershipAction::Upgrade | MembershipAction::Downgrade if differs => {
            Err(LifecycleFault::OtherDuration)
        }
        MembershipAction::Upgrade
        | MembershipAction::Downgrade
        | MembershipAction::Purchase
        | MembershipAction::Renewal(_)
        | MembershipAction::PostTermRenewal(_)
        | MembershipAction::Rejoin(_) => Ok(()),
    }
}

/// The term that an action comes to.
fn term_of(
    action: MembershipAction,
    membership: &Membership,
    rules: TermRules,
    sale: Sale,
) -> Result<Term, LifecycleFault> {
    if membership.ended.is_some() {
        return Err(LifecycleFault::MembershipEnded);
    }
    let (today, last) = (sale.zone.date(sale.now), sale.zone.date(membership.ends()));
    let standing = membership.standing(sale.now);
    match (action, standing) {
        (MembershipAction::Renewal(_), _) => Ok(renewed(membership, rules, sale)),
        (MembershipAction::PostTermRenewal(_) | MembershipAction::Rejoin(_), MembershipStanding::Lapsed) => {
            Ok(Term::beginning(today, rules).after(last))
        }
        (MembershipAction::PostTermRenewal(_) | MembershipAction::Rejoin(_), MembershipStanding::Active) => {
            Err(LifecycleFault::TermNotOver)
        }
        (MembershipAction::Upgrade | MembershipAction::Downgrade, MembershipStanding::Active) => {
            let first = today.max(sale.zone.date(membership.started));
            Ok(Term { first, last: sale.zone.date(membership.expires) })
        }
        (MembershipAction::Upgrade | MembershipAction::Downgrade, MembershipStanding::Lapsed) => {
            Err(LifecycleFault::TermOver)
        }
        (MembershipAction::Purchase, _) => Ok(Term::beginning(today, rules)),
    }
}

/// A renewal goes on where the last term ends, within its grace too; later, and where that term would be over
/// already, it begins today.
fn renewed(membership: &Membership, rules: TermRules, sale: Sale) -> Term {
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
fn value_of(levels: &BTreeMap<LevelId, Level>, membership: &Membership, sale: Sale) -> Money {
    if let Some(bought) = &membership.bought {
        return bought.full_price;
    }
    let plan = membership.plan();
    let offering = levels
        .get(&plan.level)
        .and_then(|level| level.offerings.iter().find(|offering| offering.id == plan.offering));
    offering.and_then(|offering| price_of(offering, &plan, sale)).map_or(Money::ZERO, offered)
}

#[cfg(test)]
mod tests;
