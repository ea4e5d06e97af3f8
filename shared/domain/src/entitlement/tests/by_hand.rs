//! Judgements beside those of somebody who checks every limit by hand.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A limit as somebody would check it by hand: of each ticket, all that count with it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Checked {
    rule: String,
    lines: BTreeSet<String>,
    purchased: u32,
    requested: u32,
    valid: bool,
}

fn tickets(lines: &[CartLine]) -> Vec<&TicketLine> {
    let found = lines.iter().filter_map(|line| match line {
        CartLine::Ticket(line) => Some(line),
        CartLine::AddOn(_) | CartLine::Donation(_) | CartLine::Combo(_) | CartLine::Membership(_) => None,
    });
    found.collect()
}

/// Whether two visits fall into one period, by arithmetic on days.
fn together(period: Period, one: Timestamp, other: Timestamp) -> bool {
    let days = [one, other].map(|visit| zone().date(visit));
    // The common era began on a Monday, so that its day 7 is a Sunday.
    let week = |day: chrono::NaiveDate| day.num_days_from_ce().div_euclid(7);
    let [first, second] = days;
    match period {
        Period::Day => first == second,
        Period::Week => week(first) == week(second),
        Period::Month => (first.year(), first.month()) == (second.year(), second.month()),
        Period::Year => first.year() == second.year(),
        Period::Lifetime => true,
    }
}

fn checked(rule: String, limit: u32, counted: &[&TicketLine], purchased: u32) -> Checked {
    let requested = counted.iter().map(|line| line.quantity).sum();
    Checked {
        rule,
        lines: counted.iter().map(|line| line.id.to_string()).collect(),
        purchased,
        requested,
        valid: requested == 0 || purchased + requested <= limit,
    }
}

/// Every limit checked by hand.
fn by_hand(museum: &Museum, lines: &[CartLine], used: u32) -> BTreeSet<Checked> {
    let tour = &museum.templates[0];
    let mut all = tickets(lines);
    all.retain(|line| tour.owns(&line.instance));
    let of = |line: &TicketLine| match &line.applied {
        AppliedPrice::Member { level, membership } => {
            Some((level.clone(), membership.map(|id| museum.numbers[&id])))
        }
        AppliedPrice::FullPrice | AppliedPrice::Coupon { .. } => None,
    };
    let found = &museum.entitlements[&tour.id];
    let mut limits = BTreeSet::new();
    for rule in &found.rules {
        let covers = |line: &&&TicketLine| {
            let level = of(line).map(|(level, _)| level);
            level.is_some_and(|level| rule.levels.is_empty() || rule.levels.contains(&level))
                && (rule.price_points.is_empty() || rule.price_points.contains(&line.ticket_type))
        };
        for line in all.iter().filter(covers) {
            let with = |other: &&&TicketLine| {
                let ((level, number), (other_level, other_number)) = (of(line).unwrap(), of(other).unwrap());
                let same_holder = number == other_number && (number.is_some() || level == other_level);
                let same_type =
                    rule.applies == RuleApplies::AcrossAllItems || line.ticket_type == other.ticket_type;
                same_holder && same_type && together(rule.period, line.event_start, other.event_start)
            };
            let counted: Vec<&TicketLine> = all.iter().filter(covers).filter(with).copied().collect();
            let counts = of(line).unwrap().1.is_some();
            limits.insert(checked(rule.id.to_string(), rule.limit, &counted, if counts { used } else { 0 }));
        }
    }
    let others: Vec<&TicketLine> = all.iter().copied().filter(|line| of(line).is_none()).collect();
    if let Some(limit) = found.ticket_limits.per_order.filter(|_| !others.is_empty()) {
        limits.insert(checked(format!("Ticket_Limit_Per_Order_{limit}"), limit, &others, 0));
    }
    limits
}

fn any_price() -> impl Strategy<Value = AppliedPrice> {
    prop_oneof![
        Just(AppliedPrice::FullPrice),
        Just(coupon()),
        (1..=3_i64).prop_map(member),
        prop_oneof![Just("family"), Just("patron")].prop_map(holder_of),
    ]
}

fn any_kind() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("adult"), Just("child"), Just("senior")]
}

fn any_lines() -> impl Strategy<Value = Vec<CartLine>> {
    let place = (prop_oneof![4 => Just("tour"), 1 => Just("film")], 0..24 * 45_i64);
    let lines = proptest::collection::vec((place, (any_kind(), 0..4_u32), any_price()), 0..14);
    lines.prop_map(|lines| {
        let numbered = lines.into_iter().enumerate();
        let line = |(id, ((template, hours), (of, quantity), applied))| {
            line(id, template, hours, of, quantity, applied)
        };
        numbered.map(line).collect()
    })
}

fn any_rules() -> impl Strategy<Value = Vec<EntitlementRule>> {
    let subset =
        |names: &'static [&'static str]| proptest::sample::subsequence(names.to_vec(), 0..=names.len());
    let periods = ["day", "week", "month", "year", "lifetime"];
    let applies = ["forEachItem", "acrossAllItems"];
    let rule = (
        (subset(&["family", "patron"]), subset(&["adult", "child", "senior"])),
        (1..6_u32, proptest::sample::select(applies.to_vec()), proptest::sample::select(periods.to_vec())),
    );
    proptest::collection::vec(rule, 0..4).prop_map(|rules| {
        let numbered = rules.into_iter().enumerate();
        numbered
            .map(|(id, ((levels, types), (limit, applies, period)))| {
                rule_named(id, json!({"levels": levels, "price_points": types, "limit": limit, "applies": applies, "period": period}))
            })
            .collect()
    })
}

fn rule_named(id: usize, mut fields: Value) -> EntitlementRule {
    fields["id"] = format!("Rule_{id}").into();
    rule(fields)
}

/// Uses of so many tickets under every counter that a cart could ask for.
fn used_everywhere(judged: &[Judgement], used: u32) -> MemberUses {
    let mut uses = MemberUses::new();
    for (tally, counter) in judged.iter().filter_map(Judgement::counted) {
        uses.entry(tally.clone()).or_default().insert(counter.to_owned(), used);
    }
    uses
}

proptest! {
    #[test]
    fn the_judgements_are_those_of_a_check_by_hand(
        lines in any_lines(), rules in any_rules(), per_order in proptest::option::of(0..8_u32), used in 0..4_u32,
    ) {
        let museum = Museum::with(rules, json!({"per_order": per_order}));
        let judged = museum.judge_after(&lines, &used_everywhere(&museum.judge(&lines), used));
        let found: Vec<Checked> = judged
            .iter()
            .map(|judgement| Checked {
                rule: judgement.rule.clone(),
                lines: judgement.evidence.iter().map(|line| line.id.to_string()).collect(),
                purchased: judgement.purchased,
                requested: judgement.requested,
                valid: judgement.is_valid(),
            })
            .collect();
        let count = found.len();
        let found: BTreeSet<Checked> = found.into_iter().collect();
        prop_assert_eq!(found.len(), count, "nothing is judged twice");
        prop_assert_eq!(found, by_hand(&museum, &lines, used));
    }

    #[test]
    fn the_order_of_lines_and_templates_makes_no_difference(
        lines in any_lines(), rules in any_rules(), turn in 0..14_usize,
    ) {
        let mut museum = Museum::with(rules, json!({"per_order": 3}));
        let before = museum.judge(&lines);
        let mut turned = lines.clone();
        turned.reverse();
        turned.rotate_left(turn % lines.len().max(1));
        museum.templates.reverse();
        prop_assert_eq!(museum.judge(&turned), before);
    }

    #[test]
    fn what_an_order_uses_is_what_was_judged(lines in any_lines(), rules in any_rules()) {
        let museum = Museum::with(rules, json!({}));
        let judged = museum.judge(&lines);
        let uses = uses_of(&judged);
        let counters: BTreeSet<_> = uses.iter().map(|used| (&used.tally, &used.counter)).collect();
        prop_assert_eq!(counters.len(), uses.len(), "a counter stands once in an order");
        let fits = |used: &EntitlementUse| used.quantity <= used.limit;
        let counted = judged.iter().filter(|judgement| judgement.counted().is_some());
        prop_assert_eq!(uses.iter().all(fits), counted.into_iter().all(Judgement::is_valid));
    }
}
