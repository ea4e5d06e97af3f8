//! Judging a priced cart by the rules of its templates. Only tickets at a member price count for members'
//! limits, and only tickets at other prices for the limits of everybody's orders, so that each ticket counts on
//! one side.

use super::{
    EntitlementRule, EntitlementUse, Entitlements, Period, RuleApplies, Tally, TicketLimits, TypeLimit,
};
use crate::buyer::{Buyer, MemberTicket, Missed, NotInForce};
use crate::cart::{AppliedPrice, CartLine, TicketLine};
use crate::catalog::{MemberDiscount, Template};
use crate::coupon::Discount;
use crate::instance_id::TemplateTag;
use crate::{
    CartItemId, DiscountId, InstanceId, LevelId, MembershipId, TemplateId, TicketTypeId, Timestamp, Zone,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What a cart is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Judging<'a> {
    /// The templates of its tickets.
    pub templates: &'a [&'a Template],
    /// The rules of those that have any.
    pub entitlements: &'a BTreeMap<TemplateId, Entitlements>,
    /// What members get off.
    pub discounts: &'a BTreeMap<DiscountId, Discount>,
    /// The numbers of the memberships it names, by their ids.
    pub numbers: &'a BTreeMap<MembershipId, MembershipId>,
    /// Who is told of memberships that are not in force for a visit; nobody where they are left aside.
    pub told: Option<&'a Buyer>,
    /// The tenant's zone, whose days those of visits are.
    pub zone: Zone,
}

/// What earlier orders used.
pub type MemberUses = BTreeMap<Tally, BTreeMap<String, u32>>;

/// Whose tickets count together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    /// Those of one membership number.
    Membership(MembershipId),
    /// Those of a level named without a membership.
    Level(LevelId),
}

/// The benefits a limit is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    pub level: LevelId,
    /// The membership; none for a level named without one.
    pub membership: Option<MembershipId>,
}

/// Whom a limit is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitScope {
    /// Those who buy at a member price.
    Members(Claimed),
    /// Those who ask for the price of a membership that is not in force for the visit (decision record 0102).
    Outside(Claimed, NotInForce),
    /// Everybody, for what is not bought at a member price.
    Everybody,
}

/// The time a limit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// A period of visits, over all orders.
    Period(Period),
    /// One order.
    Order,
}

/// What a cart's tickets come to under one limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The template whose limit it is.
    pub template: TemplateId,
    /// The name of the limit.
    pub rule: String,
    /// Whom it is for.
    pub scope: LimitScope,
    /// The time it is for.
    pub span: Span,
    /// Ticket types that count together.
    pub price_points: Vec<TicketTypeId>,
    /// Tickets that may be had.
    pub allowed: u32,
    /// Tickets that earlier orders had.
    pub purchased: u32,
    /// Tickets the cart wants.
    pub requested: u32,
    /// The lines that want them, in an order that follows from themselves.
    pub evidence: Vec<TicketLine>,
    /// Where its tickets are counted over all orders.
    counted: Option<(Tally, String)>,
}

impl Judgement {
    /// Whether the cart stays within the limit. What asks for nothing always does.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.requested == 0 || self.purchased.saturating_add(self.requested) <= self.allowed
    }

    /// Where its tickets are counted over all orders, with the name of the counter.
    #[must_use]
    pub fn counted(&self) -> Option<(&Tally, &str)> {
        self.counted.as_ref().map(|(tally, counter)| (tally, counter.as_str()))
    }
}

/// Judges the priced lines of a cart. The order of lines, templates and memberships makes no difference.
#[must_use]
pub fn judge(lines: &[CartLine], judging: Judging<'_>, used: &MemberUses) -> Vec<Judgement> {
    let mut templates: Vec<&Template> = judging.templates.to_vec();
    templates.sort_by(|one, other| one.id.cmp(&other.id));
    let all = tickets_in(lines);
    let mut judgements = Vec::new();
    for template in templates {
        let tag = TemplateTag::of(&template.id);
        let owned = all.iter().map(AsRef::as_ref).filter(|line| line.instance.template_tag() == tag);
        let tickets: Vec<&TicketLine> = owned.collect();
        if tickets.is_empty() {
            continue;
        }
        let pass = Pass { template, lines, tickets: &tickets, judging, used };
        let configured = judging.entitlements.get(&template.id);
        for rule in configured.iter().flat_map(|found| &found.rules) {
            judgements.extend(pass.by_rule(rule));
        }
        for terms in &template.membership.discounts {
            judgements.extend(pass.by_discount(terms));
        }
        judgements.extend(configured.iter().flat_map(|found| pass.by_ticket_limits(&found.ticket_limits)));
        judgements.extend(pass.by_force());
    }
    judgements
}

/// A line that is sold at the full price only because no member price applies to it.
fn asks_for_member_price(line: &CartLine) -> Option<&TicketLine> {
    let CartLine::Ticket(line) = line else { return None };
    let left_out = line.is_retail || line.ignore_entitlements || !line.coupon_codes.is_empty();
    match &line.applied {
        AppliedPrice::FullPrice if line.quantity > 0 && !left_out => Some(line),
        AppliedPrice::FullPrice | AppliedPrice::Member { .. } | AppliedPrice::Coupon { .. } => None,
    }
}

/// All tickets, those within combos too, in an order that follows from themselves.
fn tickets_in(lines: &[CartLine]) -> Vec<Cow<'_, TicketLine>> {
    let mut tickets = Vec::new();
    for line in lines {
        match line {
            CartLine::Ticket(line) => tickets.push(Cow::Borrowed(line)),
            // Amounts that do not fit were refused when the line was priced.
            CartLine::Combo(line) => {
                tickets.extend(line.ticket_lines().unwrap_or_default().into_iter().map(Cow::Owned));
            }
            CartLine::AddOn(_) | CartLine::Donation(_) | CartLine::Membership(_) => {}
        }
    }
    tickets.sort_by(|one, other| place(one).cmp(&place(other)));
    tickets
}

fn place(line: &TicketLine) -> (Timestamp, InstanceId, &TicketTypeId, &CartItemId) {
    (line.event_start, line.instance, &line.ticket_type, &line.id)
}

/// The tickets that an order of these lines takes out of what memberships have.
#[must_use]
pub fn uses_of(judgements: &[Judgement]) -> Vec<EntitlementUse> {
    let wanted = judgements.iter().filter(|found| found.requested > 0);
    let uses = wanted.filter_map(|found| {
        let (tally, counter) = found.counted.clone()?;
        let lines = found.evidence.iter().map(|line| line.id.clone()).collect();
        Some(EntitlementUse { tally, counter, quantity: found.requested, limit: found.allowed, lines })
    });
    uses.collect()
}

/// The tickets of one template, while they are judged.
#[derive(Clone, Copy)]
struct Pass<'a> {
    template: &'a Template,
    lines: &'a [CartLine],
    tickets: &'a [&'a TicketLine],
    judging: Judging<'a>,
    used: &'a MemberUses,
}

/// What a ticket line claims its member price by.
fn claim(line: &TicketLine) -> Option<Claimed> {
    match &line.applied {
        AppliedPrice::Member { level, membership } => {
            Some(Claimed { level: level.clone(), membership: *membership })
        }
        AppliedPrice::FullPrice | AppliedPrice::Coupon { .. } => None,
    }
}

impl<'a> Pass<'a> {
    /// The lines at a member price, with whose tickets they count.
    fn claimed(&self) -> impl Iterator<Item = (Holder, Claimed, &'a TicketLine)> {
        let numbers = self.judging.numbers;
        self.tickets.iter().filter_map(move |line| {
            let claimed = claim(line)?;
            let holder = match claimed.membership {
                Some(id) => Holder::Membership(numbers.get(&id).copied().unwrap_or(id)),
                None => Holder::Level(claimed.level.clone()),
            };
            Some((holder, claimed, *line))
        })
    }

    /// One judgement for each holder, period and, where each type counts by itself, type.
    fn by_rule(&self, rule: &EntitlementRule) -> Vec<Judgement> {
        let mut groups: BTreeMap<(Holder, String, Option<TicketTypeId>), Group<'a>> = BTreeMap::new();
        for (holder, claimed, line) in self.claimed() {
            if !rule.is_for(&claimed.level, &line.ticket_type) {
                continue;
            }
            let period = rule.period.containing(line.event_start, self.judging.zone);
            let by_itself = match rule.applies {
                RuleApplies::ForEachItem => Some(line.ticket_type.clone()),
                RuleApplies::AcrossAllItems => None,
            };
            groups.entry((holder, period, by_itself)).or_insert_with(|| Group::of(claimed)).lines.push(line);
        }
        let judged = groups.into_iter().map(|((holder, period, by_itself), group)| {
            let price_points = match &by_itself {
                Some(ticket_type) => vec![ticket_type.clone()],
                None if rule.price_points.is_empty() => types_of(&group.lines),
                None => rule.price_points.clone(),
            };
            let counted = match holder {
                Holder::Membership(number) => {
                    let of_type = by_itself.as_ref().map_or("", TicketTypeId::as_str);
                    let tally = Tally { number, template: self.template.id.clone(), period };
                    Some((tally, format!("{}#{of_type}", rule.id)))
                }
                Holder::Level(_) => None,
            };
            let judgement = self.judgement(rule.id.to_string(), rule.limit, &group.lines, price_points);
            Judgement {
                scope: LimitScope::Members(group.claimed),
                span: Span::Period(rule.period),
                purchased: counted.as_ref().map_or(0, |(tally, counter)| self.used_before(tally, counter)),
                counted,
                ..judgement
            }
        });
        judged.collect()
    }

    /// Tickets per order at the member price of one level, if those are limited.
    fn by_discount(&self, terms: &MemberDiscount) -> Vec<Judgement> {
        let Some(limit) = terms.max_tickets else { return Vec::new() };
        let mut groups: BTreeMap<Holder, Group<'a>> = BTreeMap::new();
        for (holder, claimed, line) in self.claimed() {
            if claimed.level == terms.level && self.gives(terms, line) {
                groups.entry(holder).or_insert_with(|| Group::of(claimed)).lines.push(line);
            }
        }
        let judged = groups.into_values().map(|group| {
            let name = format!("Member_Discount_Max_{limit}");
            let judgement = self.judgement(name, limit, &group.lines, types_of(&group.lines));
            Judgement { scope: LimitScope::Members(group.claimed), ..judgement }
        });
        judged.collect()
    }

    /// Whether a line's price is the one these terms give.
    fn gives(&self, terms: &MemberDiscount, line: &TicketLine) -> bool {
        let discount = self.judging.discounts.get(&terms.discount);
        let reduction = discount.and_then(|discount| discount.reduction_of(&line.ticket_type));
        let reduced = reduction.and_then(|reduction| reduction.apply(line.price.retail_unit).ok());
        reduced.is_some_and(|reduced| reduced.unit == line.price.unit)
    }

    fn by_ticket_limits(&self, limits: &TicketLimits) -> Vec<Judgement> {
        let TicketLimits { per_order, per_type } = limits;
        let others = self.tickets.iter().copied().filter(|line| claim(line).is_none());
        let others: Vec<&'a TicketLine> = others.collect();
        let whole = per_order.map(|limit| {
            let name = format!("Ticket_Limit_Per_Order_{limit}");
            self.judgement(name, limit, &others, types_of(&others))
        });
        let by_type = per_type.iter().map(|TypeLimit { ticket_type, limit }| {
            let lines: Vec<&TicketLine> =
                others.iter().copied().filter(|line| line.ticket_type == *ticket_type).collect();
            let name = format!("Ticket_Limit_Per_Type_{limit}");
            self.judgement(name, *limit, &lines, vec![ticket_type.clone()])
        });
        let judged = whole.into_iter().chain(by_type);
        judged.filter(|judgement| !judgement.evidence.is_empty()).collect()
    }

    /// Tickets that ask for the price of a membership that is not in force for their visit: none may be had.
    fn by_force(&self) -> Vec<Judgement> {
        let Some(buyer) = self.judging.told else { return Vec::new() };
        let mut groups: BTreeMap<Missed, Vec<&TicketLine>> = BTreeMap::new();
        let asking = self.lines.iter().filter_map(asks_for_member_price);
        let tag = TemplateTag::of(&self.template.id);
        for line in asking.filter(|line| line.instance.template_tag() == tag) {
            let ticket = MemberTicket {
                template: self.template,
                discounts: self.judging.discounts,
                ticket_type: &line.ticket_type,
                visit: line.event_start,
            };
            for missed in buyer.missed(&ticket) {
                groups.entry(missed).or_default().push(line);
            }
        }
        let judged = groups.into_iter().map(|(Missed { membership, level, why }, mut lines)| {
            lines.sort_by(|one, other| place(one).cmp(&place(other)));
            let name = match why {
                NotInForce::Ended => "Membership_Ended",
                NotInForce::NotBegun => "Membership_Not_Begun",
            };
            let judgement = self.judgement(name.to_owned(), 0, &lines, types_of(&lines));
            let claimed = Claimed { level, membership: Some(membership) };
            Judgement { scope: LimitScope::Outside(claimed, why), ..judgement }
        });
        judged.collect()
    }

    /// A judgement about one order, for everybody.
    fn judgement(
        &self,
        rule: String,
        allowed: u32,
        lines: &[&TicketLine],
        price_points: Vec<TicketTypeId>,
    ) -> Judgement {
        let wanted = lines.iter().map(|line| line.quantity);
        Judgement {
            template: self.template.id.clone(),
            rule,
            scope: LimitScope::Everybody,
            span: Span::Order,
            price_points,
            allowed,
            purchased: 0,
            requested: wanted.fold(0, u32::saturating_add),
            evidence: lines.iter().map(|line| (*line).clone()).collect(),
            counted: None,
        }
    }

    fn used_before(&self, tally: &Tally, counter: &str) -> u32 {
        let uses = self.used.get(tally);
        uses.and_then(|uses| uses.get(counter)).copied().unwrap_or_default()
    }
}

/// Lines that count together.
struct Group<'a> {
    claimed: Claimed,
    lines: Vec<&'a TicketLine>,
}

impl Group<'_> {
    const fn of(claimed: Claimed) -> Self {
        Self { claimed, lines: Vec::new() }
    }
}

fn types_of(lines: &[&TicketLine]) -> Vec<TicketTypeId> {
    let types: BTreeSet<&TicketTypeId> = lines.iter().map(|line| &line.ticket_type).collect();
    types.into_iter().cloned().collect()
}
