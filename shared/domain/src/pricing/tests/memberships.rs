//! Memberships in carts, and what they do to the tickets beside them.

use super::discounts::{amount, any_off, cart_codes, codes, coupon, discount, membership};
use super::*;
use crate::membership::issue::CardHolder;
use crate::membership::{CardType, Gifter, Membership, MembershipAction, MembershipPlan, Move};
use crate::{LevelId, MembershipId};

/// Levels: a family pays 100.00 and has three cards, a patron 250.00 and may be given.
fn membership_shop() -> Shop {
    let mut shop = shop();
    let level = |id: &str, cents: i64, rules: serde_json::Value| {
        let level: Level = serde_json::from_value(json!({
            "id": id, "name": id.to_uppercase(), "state": "published", "rules": rules,
            "offerings": [{
                "id": format!("{id}-year"), "name": "A year", "duration_months": 12, "price_lists": [{
                    "id": "always", "name": "Always", "prices": [
                        {"ticket_type": "adult", "price": cents, "display_order": 1},
                        {"ticket_type": "child", "price": cents, "discounted_price": cents - 500, "display_order": 2},
                    ],
                }],
            }],
        }))
        .unwrap();
        (level.id.clone(), level)
    };
    let rules = |card_holders: u32, can_gift: bool| {
        json!({
            "card_holders": card_holders, "can_gift": can_gift,
            "start_beginning_of_month": false, "expire_end_of_month": false,
        })
    };
    shop.levels = [level("family", 10_000, rules(3, false)), level("patron", 25_000, rules(1, true))].into();
    shop.discounts = [discount("family", &[("adult", amount(500))])].into();
    shop.templates[0].membership =
        serde_json::from_value(json!({"discounts": [{"level": "family", "discount": "family"}]})).unwrap();
    shop.coupons = [
        coupon("TEN", json!({})),
        coupon("MEMBERS", json!({"applies_to": ["membership"], "levels": ["family"]})),
        coupon("EVENTS", json!({"applies_to": ["event"]})),
    ]
    .into();
    shop
}

fn wanted(action: MembershipAction, level: &str) -> WantedMembership {
    let offering = format!("{level}-year");
    let plan: MembershipPlan =
        serde_json::from_value(json!({"level": level, "offering": offering, "price_point": "adult"}))
            .unwrap();
    WantedMembership {
        action,
        plan,
        membership: None,
        holders: Vec::new(),
        giver: None,
        is_retail: false,
        coupon_codes: Vec::new(),
        generated: None,
    }
}

fn buy(wanted: WantedMembership) -> LineRequest {
    line(9, Wanted::Membership(Box::new(wanted)))
}

fn purchase(level: &str) -> LineRequest {
    buy(wanted(MembershipAction::Purchase, level))
}

/// A family member whose number is 1,007.
fn with_member(mut shop: Shop) -> (Shop, MembershipId) {
    let member: Membership = membership(7, "family", json!({"offering": "family-year"}));
    let id = member.id;
    shop.memberships = [(id, member)].into();
    (shop, id)
}

fn unit(priced: &PricedLines, index: usize) -> String {
    priced.lines[index].price().unit.to_string()
}

#[test]
fn memberships_cost_what_their_offering_asks_less_the_best_code() {
    let shop = membership_shop();
    let at = |price_point: &str, fields: fn(&mut WantedMembership)| {
        let mut wanted = wanted(MembershipAction::Purchase, "family");
        wanted.plan.price_point = ticket_type(price_point);
        fields(&mut wanted);
        buy(wanted)
    };
    for (case, line, terms, expected) in [
        ("the price", at("adult", |_| ()), cart_codes(&[]), "100.00"),
        ("the offering's own discount", at("child", |_| ()), cart_codes(&[]), "95.00"),
        ("full price", at("child", |wanted| wanted.is_retail = true), cart_codes(&["TEN"]), "100.00"),
        ("a code of the cart", at("child", |_| ()), cart_codes(&["TEN"]), "85.50"),
        ("for members", at("adult", |_| ()), cart_codes(&["MEMBERS"]), "90.00"),
        ("for events", at("adult", |_| ()), cart_codes(&["EVENTS"]), "100.00"),
        (
            "the line's before the cart's",
            at("adult", |wanted| wanted.coupon_codes = codes(&["MEMBERS"])),
            cart_codes(&["TEN"]),
            "90.00",
        ),
    ] {
        assert_eq!(unit(&shop.price_as(&[line], &terms).unwrap(), 0), expected, "{case}");
    }
}

#[test]
fn a_code_of_the_cart_is_for_its_membership_and_tickets_take_the_price_of_the_level_bought() {
    let shop = membership_shop();
    let (plain, retail) = (tickets("adult", 2), tickets_as("adult", 1, WantedTreatment::FullPrice));
    let coded = tickets_as("adult", 1, WantedTreatment::Coupons(codes(&["EVENTS"])));
    for (case, lines, terms, expected) in [
        ("tickets alone", vec![plain.clone()], cart_codes(&["TEN"]), vec!["18.00"]),
        (
            "with a membership",
            vec![plain.clone(), purchase("family")],
            cart_codes(&["TEN"]),
            vec!["15.00", "90.00"],
        ),
        (
            "the other way round",
            vec![purchase("family"), plain.clone()],
            cart_codes(&["TEN"]),
            vec!["90.00", "15.00"],
        ),
        (
            "a level without terms",
            vec![plain, purchase("patron")],
            cart_codes(&["TEN"]),
            vec!["20.00", "225.00"],
        ),
        (
            "a ticket with a code",
            vec![coded, purchase("family")],
            cart_codes(&["TEN"]),
            vec!["18.00", "90.00"],
        ),
        (
            "a ticket at full price",
            vec![retail, purchase("family")],
            cart_codes(&[]),
            vec!["20.00", "100.00"],
        ),
    ] {
        let priced = shop.price_as(&lines, &terms).unwrap();
        let units: Vec<String> = (0..lines.len()).map(|index| unit(&priced, index)).collect();
        assert_eq!(units, expected, "{case}");
        assert_eq!(priced.coupon_messages, [], "{case}");
    }
    let lines = [tickets("adult", 1), purchase("family")];
    let terms = cart_codes(&["EVENTS"]);
    let priced = shop.price_as(&lines, &terms).unwrap();
    let problem = CouponProblem::NothingEligible;
    assert_eq!(priced.coupon_messages, [CouponMessage { code: "EVENTS".to_owned(), problem }]);
    let traces = shop.traces(&lines, &terms);
    let kept = traces[0].iter().find(|tried| tried.rule == PricingRule::CartCoupon).map(|tried| tried.price);
    assert_eq!(kept, Some(Err(Inapplicable::KeptForMemberships)));
}

#[test]
fn an_event_for_members_is_sold_beside_the_membership_that_opens_it() {
    let mut shop = membership_shop();
    shop.templates[0].member_only = true;
    assert_eq!(shop.fault(tickets("adult", 1)), Some(LineFault::UnknownEvent));
    assert!(shop.price(&[tickets("adult", 1), purchase("family")]).is_ok());
}

#[test]
fn an_upgrade_costs_the_difference_and_a_coupon_comes_off_that() {
    let (shop, member) = with_member(membership_shop());
    let up = |codes_sent: &[&str]| {
        let coupon_codes = codes(codes_sent);
        buy(WantedMembership {
            membership: Some(member),
            coupon_codes,
            ..wanted(MembershipAction::Upgrade, "patron")
        })
    };
    for (codes, expected) in [(&[][..], "150.00"), (&["TEN"][..], "135.00")] {
        let priced = shop.price(&[up(codes)]).unwrap();
        assert_eq!(
            (unit(&priced, 0).as_str(), priced.lines[0].price().retail_unit),
            (expected, cents("150.00"))
        );
    }
}

#[test]
fn faults_of_memberships_are_told() {
    let (shop, member) = with_member(membership_shop());
    let holder = |card_type, last: &str| CardHolder {
        card_type,
        person: crate::customer::Person { last_name: last.to_owned(), ..Default::default() },
        customer: None,
    };
    let (one, other) = (holder(CardType::Primary, ""), holder(CardType::Secondary, "Byron"));
    let giver = Gifter { customer: None, source: None, person: crate::customer::Person::default() };
    let bought = || wanted(MembershipAction::Purchase, "patron");
    let renewed = || WantedMembership {
        membership: Some(member),
        ..wanted(MembershipAction::Renewal(Move::Stay), "family")
    };
    let too_many = Some(MembershipSaleFault::TooManyCards { limit: 1 });
    for (case, wanted, fault) in [
        ("one card", WantedMembership { holders: vec![one.clone()], ..bought() }, None),
        ("two cards", WantedMembership { holders: vec![one, other], ..bought() }, too_many),
        ("a gift", WantedMembership { giver: Some(giver.clone()), ..bought() }, None),
        (
            "a gift that may not be one",
            WantedMembership { giver: Some(giver), ..wanted(MembershipAction::Purchase, "family") },
            Some(MembershipSaleFault::NoGift),
        ),
    ] {
        assert_eq!(shop.fault(buy(wanted)), fault.map(LineFault::Membership), "{case}");
    }
    let twice = shop.price(&[buy(renewed()), buy(renewed())]).unwrap_err();
    let fault = LineFault::Membership(MembershipSaleFault::ChangedTwice);
    assert_eq!(twice.0, [PricingRefusal::Line { index: 1, fault }]);
}

#[test]
fn memberships_of_a_cart_have_fifteen_cards_at_most() {
    let mut shop = membership_shop();
    for level in shop.levels.values_mut() {
        level.rules.card_holders = 50;
    }
    let of = |cards: usize| {
        let holder =
            CardHolder { card_type: CardType::Secondary, person: Default::default(), customer: None };
        let holders = vec![holder; cards];
        buy(WantedMembership { holders, ..wanted(MembershipAction::Purchase, "family") })
    };
    assert!(shop.price(&[of(12), of(3)]).is_ok());
    let refused = shop.price(&[of(12), of(4)]).unwrap_err();
    assert_eq!(refused.0, [PricingRefusal::TooManyCards]);
}

#[test]
fn a_coupon_without_targets_is_for_what_its_lists_name() {
    let level = LevelId::parse("family").unwrap();
    let (template, adult) = (template().id, ticket_type("adult"));
    for (fields, event, of_membership) in [
        (json!({}), true, true),
        (json!({"templates": [template.as_str()]}), true, false),
        (json!({"levels": ["family"]}), false, true),
        (json!({"templates": [template.as_str()], "levels": ["family"]}), true, true),
        (json!({"applies_to": ["membership"], "templates": [template.as_str()]}), false, true),
        (json!({"applies_to": ["event", "membership"], "levels": ["patron"]}), true, false),
    ] {
        let (_, coupon) = coupon("ANY", fields.clone());
        let discounts = BTreeMap::new();
        assert_eq!(coupon.reduction_of(&template, &adult, &discounts).is_some(), event, "{fields}");
        let found = coupon.reduction_of_membership(&level, &adult, &discounts);
        assert_eq!(found.is_some(), of_membership, "{fields}");
    }
}

proptest! {
    /// A cart of tickets and a membership by a second implementation of rules 4 and 5 in whole cents.
    #[test]
    fn carts_with_memberships_agree_with_a_second_implementation(
        member in any_off(),
        coupons in proptest::collection::vec(any_off(), 0..4),
        on_cart in proptest::collection::vec(0..4_usize, 0..3),
        on_line in proptest::collection::vec(0..4_usize, 0..3),
        bought in any::<bool>(),
        quantity in 0..20_u32,
    ) {
        let mut shop = membership_shop();
        shop.discounts = [discount("family", &[("adult", member.stored())])].into();
        shop.coupons = (0..)
            .zip(&coupons)
            .map(|(index, off)| {
                coupon(&format!("C{index}"), json!({"reduction": {"kind": "same", "value": off.stored()}}))
            })
            .collect();
        let names = |indexes: &[usize]| indexes.iter().map(|index| format!("C{index}")).collect::<Vec<_>>();
        let mut lines = vec![tickets("adult", quantity)];
        if bought {
            let coupon_codes = names(&on_line);
            lines.push(buy(WantedMembership { coupon_codes, ..wanted(MembershipAction::Purchase, "family") }));
        }
        let terms = CartTerms { coupon_codes: names(&on_cart), ..CartTerms::default() };
        let priced = shop.price_as(&lines, &terms).unwrap();

        let best = |indexes: &[usize], cents: i64| {
            indexes.iter().filter_map(|index| coupons.get(*index)).map(|off| off.of(cents)).min()
        };
        let ticket = match bought {
            true => member.of(2_000),
            false => best(&on_cart, 2_000).unwrap_or(2_000),
        };
        prop_assert_eq!(priced.lines[0].price().unit.cents(), ticket);
        let mut total = ticket * i64::from(quantity);
        if bought {
            let membership = best(&on_line, 10_000).or(best(&on_cart, 10_000)).unwrap_or(10_000);
            prop_assert_eq!(priced.lines[1].price().unit.cents(), membership);
            total += membership;
        }
        prop_assert_eq!(priced.total.cents(), total);
    }
}
