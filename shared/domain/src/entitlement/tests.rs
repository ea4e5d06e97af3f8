//! What carts come to under rules and limits.

mod by_hand;

use super::*;
use crate::cart::{AppliedPrice, CartLine, LinePrice, TicketLine};
use crate::catalog::{AdmissionType, Template};
use crate::coupon::Discount;
use crate::time::plus_secs;
use crate::{CartItemId, CouponId, DiscountId, InstanceId, Money};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Tuesday, 1 June 2027, 10:00 in New York.
fn opening() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn template(id: &str, fields: Value) -> Template {
    let mut stored = json!({
        "id": id, "name": id, "description": "", "short_description": "", "start": opening(),
        "duration_minutes": 60, "capacity": 10, "last_updated": opening(),
    });
    stored.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(stored).unwrap()
}

fn level(id: &str) -> LevelId {
    LevelId::parse(id).unwrap()
}

fn kind(id: &str) -> TicketTypeId {
    TicketTypeId::parse(id).unwrap()
}

fn number(id: i64) -> MembershipId {
    MembershipId::parse(id).unwrap()
}

/// The member price through a membership.
fn member(id: i64) -> AppliedPrice {
    let of = if id == 2 { "patron" } else { "family" };
    AppliedPrice::Member { level: level(of), membership: Some(number(id)) }
}

fn holder_of(of: &str) -> AppliedPrice {
    AppliedPrice::Member { level: level(of), membership: None }
}

fn coupon() -> AppliedPrice {
    AppliedPrice::Coupon { coupon: CouponId::parse("c").unwrap(), code: "C".to_owned() }
}

/// Tickets for the slot that starts so many hours after the opening. A ticket costs 20.00, a member 15.00.
fn line(id: usize, template: &str, hours: i64, of: &str, quantity: u32, applied: AppliedPrice) -> CartLine {
    let start = plus_secs(opening(), hours * 3_600);
    let unit = Money::from_cents(if applied == AppliedPrice::FullPrice { 2_000 } else { 1_500 });
    CartLine::Ticket(TicketLine {
        id: CartItemId::parse(&format!("line-{id:02}")).unwrap(),
        instance: InstanceId::of(&TemplateId::parse(template).unwrap(), None, start.naive_utc(), start)
            .unwrap(),
        ticket_type: kind(of),
        quantity,
        is_retail: false,
        ignore_entitlements: false,
        coupon_codes: Vec::new(),
        event_name: template.to_owned(),
        ticket_type_name: of.to_owned(),
        admission: AdmissionType::Standard,
        event_start: start,
        price: LinePrice {
            unit,
            retail_unit: Money::from_cents(2_000),
            amount: unit.checked_mul(quantity).unwrap(),
        },
        applied,
    })
}

fn rule(fields: Value) -> EntitlementRule {
    let mut stored = json!({
        "id": "Limit_4", "limit": 4, "applies": "acrossAllItems", "period": "day",
    });
    stored.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(stored).unwrap()
}

/// A venue whose tour has these rules and limits.
struct Museum {
    templates: Vec<Template>,
    entitlements: BTreeMap<TemplateId, Entitlements>,
    discounts: BTreeMap<DiscountId, Discount>,
    numbers: BTreeMap<MembershipId, MembershipId>,
}

impl Museum {
    fn with(rules: Vec<EntitlementRule>, limits: Value) -> Self {
        let tour = TemplateId::parse("tour").unwrap();
        let ticket_limits = serde_json::from_value(limits).unwrap();
        let discount = |id: &str, types: &[&str]| {
            let value = |of: &&str| json!({"ticket_type": of, "reduction": {"kind": "amount", "value": 500}});
            let values: Vec<Value> = types.iter().map(value).collect();
            let stored = json!({"id": id, "name": id, "values": values});
            (DiscountId::parse(id).unwrap(), serde_json::from_value(stored).unwrap())
        };
        Self {
            templates: vec![template("tour", json!({})), template("film", json!({}))],
            entitlements: [(tour.clone(), Entitlements { template: tour, rules, ticket_limits })].into(),
            discounts: [discount("all", &["adult", "child"]), discount("adults", &["adult"])].into(),
            // The first two are memberships of one number: one was upgraded to the other.
            numbers: [(1, 11), (2, 11), (3, 13)].map(|(id, of)| (number(id), number(of))).into(),
        }
    }

    fn judging<'a>(&'a self, templates: &'a [&'a Template]) -> Judging<'a> {
        Judging {
            templates,
            entitlements: &self.entitlements,
            discounts: &self.discounts,
            numbers: &self.numbers,
            told: None,
            zone: zone(),
        }
    }

    fn judge(&self, lines: &[CartLine]) -> Vec<Judgement> {
        self.judge_after(lines, &MemberUses::new())
    }

    /// With what earlier orders used.
    fn judge_after(&self, lines: &[CartLine], used: &MemberUses) -> Vec<Judgement> {
        let templates: Vec<&Template> = self.templates.iter().collect();
        judge(lines, self.judging(&templates), used)
    }

    /// Each judgement in words.
    fn say(&self, lines: &[CartLine]) -> Vec<String> {
        self.judge(lines).iter().map(say).collect()
    }
}

fn say(judgement: &Judgement) -> String {
    let Judgement { rule, allowed, purchased, requested, evidence, .. } = judgement;
    let whose = match &judgement.scope {
        LimitScope::Members(Claimed { level, membership: Some(id) }) => format!("{level} {id}"),
        LimitScope::Members(Claimed { level, membership: None }) => level.to_string(),
        LimitScope::Outside(Claimed { level, .. }, why) => format!("{level} {why:?}"),
        LimitScope::Everybody => "everybody".to_owned(),
    };
    let types = judgement.price_points.iter().map(TicketTypeId::as_str).collect::<Vec<_>>().join("+");
    let verdict = if judgement.is_valid() { "ok" } else { "too many" };
    let lines = evidence.len();
    format!("{rule}: {whose}, {types} in {lines}, {purchased} and {requested} of {allowed}, {verdict}")
}

#[test]
fn a_visit_falls_into_the_periods_of_the_venues_calendar() {
    for (visit, expected) in [
        // Saturday just before midnight in New York, and the midnight.
        ("2027-06-06T03:59:59Z", ["day-2027-06-05", "week-2027-05-30", "month-2027-06", "year-2027"]),
        ("2027-06-06T04:00:00Z", ["day-2027-06-06", "week-2027-06-06", "month-2027-06", "year-2027"]),
        // A week across the end of a year.
        ("2028-01-01T04:59:59Z", ["day-2027-12-31", "week-2027-12-26", "month-2027-12", "year-2027"]),
        ("2028-01-01T05:00:00Z", ["day-2028-01-01", "week-2027-12-26", "month-2028-01", "year-2028"]),
        // The day on which clocks go back lasts 25 hours.
        ("2027-11-07T04:00:00Z", ["day-2027-11-07", "week-2027-11-07", "month-2027-11", "year-2027"]),
        ("2027-11-08T04:59:59Z", ["day-2027-11-07", "week-2027-11-07", "month-2027-11", "year-2027"]),
    ] {
        let visit = visit.parse().unwrap();
        let periods = [Period::Day, Period::Week, Period::Month, Period::Year];
        assert_eq!(periods.map(|period| period.containing(visit, zone())), expected, "{visit}");
        assert_eq!(Period::Lifetime.containing(visit, zone()), "lifetime");
    }
}

#[test]
fn several_lines_types_and_slots_of_one_day_add_up() {
    let museum = Museum::with(vec![rule(json!({"price_points": ["adult", "child"]}))], json!({}));
    for (case, lines, expected) in [
        (
            "four",
            vec![line(1, "tour", 0, "adult", 4, member(1))],
            vec!["Limit_4: family 1, adult+child in 1, 0 and 4 of 4, ok"],
        ),
        (
            "five",
            vec![line(1, "tour", 0, "adult", 5, member(1))],
            vec!["Limit_4: family 1, adult+child in 1, 0 and 5 of 4, too many"],
        ),
        (
            "split over types",
            vec![line(1, "tour", 0, "adult", 3, member(1)), line(2, "tour", 0, "child", 2, member(1))],
            vec!["Limit_4: family 1, adult+child in 2, 0 and 5 of 4, too many"],
        ),
        (
            "split over lines of one type and slot",
            vec![line(1, "tour", 0, "adult", 3, member(1)), line(2, "tour", 0, "adult", 2, member(1))],
            vec!["Limit_4: family 1, adult+child in 2, 0 and 5 of 4, too many"],
        ),
        (
            "split over slots of a day",
            vec![line(1, "tour", 0, "adult", 3, member(1)), line(2, "tour", 5, "adult", 2, member(1))],
            vec!["Limit_4: family 1, adult+child in 2, 0 and 5 of 4, too many"],
        ),
        (
            "split over days",
            vec![line(1, "tour", 0, "adult", 3, member(1)), line(2, "tour", 24, "adult", 2, member(1))],
            vec![
                "Limit_4: family 1, adult+child in 1, 0 and 3 of 4, ok",
                "Limit_4: family 1, adult+child in 1, 0 and 2 of 4, ok",
            ],
        ),
        (
            "two memberships",
            vec![line(1, "tour", 0, "adult", 3, member(1)), line(2, "tour", 0, "adult", 2, member(3))],
            vec![
                "Limit_4: family 1, adult+child in 1, 0 and 3 of 4, ok",
                "Limit_4: family 3, adult+child in 1, 0 and 2 of 4, ok",
            ],
        ),
        (
            "two memberships of one number",
            vec![line(1, "tour", 0, "adult", 3, member(1)), line(2, "tour", 0, "child", 2, member(2))],
            vec!["Limit_4: family 1, adult+child in 2, 0 and 5 of 4, too many"],
        ),
        (
            "a level without a membership",
            vec![line(1, "tour", 0, "adult", 5, holder_of("family"))],
            vec!["Limit_4: family, adult+child in 1, 0 and 5 of 4, too many"],
        ),
        (
            "coupons and full prices",
            vec![
                line(1, "tour", 0, "adult", 9, coupon()),
                line(2, "tour", 0, "adult", 9, AppliedPrice::FullPrice),
            ],
            vec![],
        ),
        ("another template", vec![line(1, "film", 0, "adult", 9, member(1))], vec![]),
        ("another type", vec![line(1, "tour", 0, "senior", 9, member(1))], vec![]),
        (
            "only the price",
            vec![line(1, "tour", 0, "adult", 0, member(1))],
            vec!["Limit_4: family 1, adult+child in 1, 0 and 0 of 4, ok"],
        ),
    ] {
        assert_eq!(museum.say(&lines), expected, "{case}");
    }
}

#[test]
fn a_rule_for_each_item_counts_every_type_by_itself() {
    let museum = Museum::with(vec![rule(json!({"applies": "forEachItem"}))], json!({}));
    let lines = [
        line(1, "tour", 0, "adult", 4, member(1)),
        line(2, "tour", 0, "child", 3, member(1)),
        line(3, "tour", 1, "child", 2, member(1)),
    ];
    assert_eq!(
        museum.say(&lines),
        [
            "Limit_4: family 1, adult in 1, 0 and 4 of 4, ok",
            "Limit_4: family 1, child in 2, 0 and 5 of 4, too many"
        ]
    );
}

#[test]
fn a_rule_is_for_its_levels_and_one_without_for_all() {
    let rules = vec![
        rule(json!({"id": "Patrons", "levels": ["patron"], "limit": 2})),
        rule(json!({"id": "Members", "period": "month"})),
    ];
    let museum = Museum::with(rules, json!({}));
    let lines = [line(1, "tour", 0, "adult", 3, member(2)), line(2, "tour", 48, "adult", 3, member(3))];
    assert_eq!(
        museum.say(&lines),
        [
            "Patrons: patron 2, adult in 1, 0 and 3 of 2, too many",
            "Members: patron 2, adult in 1, 0 and 3 of 4, ok",
            "Members: family 3, adult in 1, 0 and 3 of 4, ok",
        ]
    );
}

#[test]
fn what_earlier_orders_used_counts_for_the_membership_number() {
    let museum = Museum::with(vec![rule(json!({}))], json!({}));
    let used = |period: &str, counter: &str| -> MemberUses {
        let template = TemplateId::parse("tour").unwrap();
        let tally = Tally { number: number(11), template, period: period.to_owned() };
        [(tally, [(counter.to_owned(), 3)].into())].into()
    };
    let (today, tomorrow) = ("day-2027-06-01", "day-2027-06-02");
    for (id, (period, counter), requested, expected) in [
        (1, (today, "Limit_4#"), 1, "Limit_4: family 1, adult in 1, 3 and 1 of 4, ok"),
        (1, (today, "Limit_4#"), 2, "Limit_4: family 1, adult in 1, 3 and 2 of 4, too many"),
        (2, (today, "Limit_4#"), 2, "Limit_4: patron 2, adult in 1, 3 and 2 of 4, too many"),
        (3, (today, "Limit_4#"), 2, "Limit_4: family 3, adult in 1, 0 and 2 of 4, ok"),
        (1, (tomorrow, "Limit_4#"), 2, "Limit_4: family 1, adult in 1, 0 and 2 of 4, ok"),
        (1, (today, "Limit_9#"), 2, "Limit_4: family 1, adult in 1, 0 and 2 of 4, ok"),
        (1, (today, "Limit_4#adult"), 2, "Limit_4: family 1, adult in 1, 0 and 2 of 4, ok"),
    ] {
        let lines = [line(1, "tour", 0, "adult", requested, member(id))];
        let judged = museum.judge_after(&lines, &used(period, counter));
        assert_eq!(judged.iter().map(say).collect::<Vec<_>>(), [expected], "{id} {period} {counter}");
    }
}

#[test]
fn a_discount_may_give_its_price_to_so_many_tickets_of_an_order() {
    let mut museum = Museum::with(vec![], json!({}));
    let discounts = json!({"discounts": [
        {"level": "family", "discount": "adults", "max_tickets": 2},
        {"level": "patron", "discount": "all", "max_tickets": 3},
    ]});
    museum.templates[0].membership = serde_json::from_value(discounts).unwrap();
    let lines = [
        line(1, "tour", 0, "adult", 2, member(3)),
        line(2, "tour", 72, "adult", 1, member(3)),
        line(3, "tour", 0, "child", 9, member(3)),
        line(4, "tour", 0, "child", 1, member(2)),
        line(5, "tour", 0, "adult", 2, member(2)),
        line(6, "tour", 0, "adult", 9, AppliedPrice::FullPrice),
    ];
    assert_eq!(
        museum.say(&lines),
        [
            "Member_Discount_Max_2: family 3, adult in 2, 0 and 3 of 2, too many",
            "Member_Discount_Max_3: patron 2, adult+child in 2, 0 and 3 of 3, ok",
        ]
    );
    assert_eq!(uses_of(&museum.judge(&lines)), [], "one order is all they are for");
}

#[test]
fn ticket_limits_are_for_what_is_not_at_a_member_price() {
    let limits = json!({"per_order": 6, "per_type": [
        {"ticket_type": "child", "limit": 2}, {"ticket_type": "senior", "limit": 0},
    ]});
    let museum = Museum::with(vec![], limits);
    let lines = [
        line(1, "tour", 0, "adult", 3, AppliedPrice::FullPrice),
        line(2, "tour", 24, "adult", 1, coupon()),
        line(3, "tour", 0, "child", 3, AppliedPrice::FullPrice),
        line(4, "tour", 0, "senior", 9, member(1)),
        line(5, "film", 0, "adult", 9, AppliedPrice::FullPrice),
    ];
    assert_eq!(
        museum.say(&lines),
        [
            "Ticket_Limit_Per_Order_6: everybody, adult+child in 3, 0 and 7 of 6, too many",
            "Ticket_Limit_Per_Type_2: everybody, child in 1, 0 and 3 of 2, too many",
        ]
    );
    let only_members = [line(1, "tour", 0, "senior", 1, AppliedPrice::FullPrice)];
    assert_eq!(
        museum.say(&only_members)[1],
        "Ticket_Limit_Per_Type_0: everybody, senior in 1, 0 and 1 of 0, too many"
    );
}

#[test]
fn an_order_uses_what_its_memberships_have_and_nothing_of_levels() {
    let rules = vec![
        rule(json!({})),
        rule(json!({"id": "Each", "applies": "forEachItem", "period": "year", "limit": 9})),
    ];
    let museum = Museum::with(rules, json!({"per_order": 1}));
    let lines = [
        line(1, "tour", 0, "adult", 2, member(1)),
        line(2, "tour", 0, "child", 1, member(2)),
        line(3, "tour", 0, "child", 0, member(3)),
        line(4, "tour", 0, "adult", 1, holder_of("family")),
    ];
    let uses = uses_of(&museum.judge(&lines));
    let said = uses.iter().map(|EntitlementUse { tally, counter, quantity, limit, lines: _ }| {
        format!("{} {} {counter} {quantity} of {limit}", tally.number, tally.period)
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            "11 day-2027-06-01 Limit_4# 3 of 4",
            "11 year-2027 Each#adult 2 of 9",
            "11 year-2027 Each#child 1 of 9",
        ]
    );
}

/// A cart is told of a membership that is not in force for a visit, where a line asks for its price.
#[test]
fn a_member_who_asks_for_a_visit_after_the_end_is_told() {
    let mut museum = Museum::with(vec![], json!({}));
    let terms = json!({"discounts": [{"level": "family", "discount": "adults"}]});
    museum.templates[0].membership = serde_json::from_value(terms).unwrap();
    let family = |fields: Value| -> crate::membership::Membership {
        let mut stored = json!({
            "id": 1, "number": 11, "level": "family", "offering": "0f", "price_point": "aa",
            "joined": opening(), "started": opening(), "expires": plus_secs(opening(), 7_200),
            "cards": [{"id": 1, "barcode": "b", "person": {}}],
        });
        stored.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value(stored).unwrap()
    };
    let change = |line: CartLine, change: fn(&mut TicketLine)| match line {
        CartLine::Ticket(mut line) => {
            change(&mut line);
            CartLine::Ticket(line)
        }
        line
        @ (CartLine::AddOn(_) | CartLine::Donation(_) | CartLine::Combo(_) | CartLine::Membership(_)) => line,
    };
    let ask = |hours: i64, of: &str| line(1, "tour", hours, of, 2, AppliedPrice::FullPrice);
    let (over, early) = (
        "Membership_Ended: family Ended, adult in 1, 0 and 2 of 0, too many",
        "Membership_Not_Begun: family NotBegun, adult in 1, 0 and 2 of 0, too many",
    );
    let refunded = json!({"ended": {"at": opening()}});
    let later = json!({"started": plus_secs(opening(), 90_000), "expires": plus_secs(opening(), 99_000)});
    for (case, fields, asked, told) in [
        ("after the end", json!({}), ask(3, "adult"), Some(over)),
        ("refunded", refunded.clone(), ask(1, "adult"), Some(over)),
        ("before the start", later, ask(1, "adult"), Some(early)),
        ("within the term", json!({}), ask(1, "adult"), None),
        ("retail", refunded.clone(), change(ask(1, "adult"), |line| line.is_retail = true), None),
        ("exempt", refunded.clone(), change(ask(1, "adult"), |line| line.ignore_entitlements = true), None),
        ("a price probe", refunded.clone(), change(ask(1, "adult"), |line| line.quantity = 0), None),
        ("a type without a member price", refunded.clone(), ask(1, "child"), None),
        ("at the member price", json!({}), line(1, "tour", 3, "adult", 2, member(1)), None),
        ("with a coupon", refunded.clone(), line(1, "tour", 3, "adult", 2, coupon()), None),
        (
            "an event without member prices",
            refunded,
            line(1, "film", 1, "adult", 2, AppliedPrice::FullPrice),
            None,
        ),
    ] {
        let named = family(fields);
        let buyer = crate::buyer::Buyer::of([&named], None, opening());
        let templates: Vec<&Template> = museum.templates.iter().collect();
        let judging = Judging { told: Some(&buyer), ..museum.judging(&templates) };
        let judged = judge(std::slice::from_ref(&asked), judging, &MemberUses::new());
        assert_eq!(
            judged.iter().map(say).collect::<Vec<_>>(),
            told.into_iter().collect::<Vec<_>>(),
            "{case}"
        );
        assert_eq!(judged.iter().all(Judgement::is_valid), told.is_none(), "{case}");
        assert!(museum.judge(&[asked]).is_empty(), "{case}: checkout leaves it aside");
    }
}
