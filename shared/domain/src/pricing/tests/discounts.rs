//! Member prices and coupons.

use super::*;
use crate::cart::AppliedPrice;
use crate::membership::Membership;
use serde_json::Value;

/// A value of a stored form with these fields on top.
fn read<T: serde::de::DeserializeOwned>(mut stored: Value, fields: Value) -> T {
    stored.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(stored).unwrap()
}

pub(super) fn coupon(code: &str, fields: Value) -> (CouponId, Coupon) {
    let stored = json!({
        "id": code.to_lowercase(), "name": code, "code": code, "active": true,
        "reduction": {"kind": "same", "value": {"kind": "percent", "value": "10"}},
    });
    let coupon: Coupon = read(stored, fields);
    (coupon.id.clone(), coupon)
}

pub(super) fn discount(id: &str, values: &[(&str, Value)]) -> (DiscountId, Discount) {
    let values: Vec<Value> = values
        .iter()
        .map(|(ticket_type, reduction)| json!({"ticket_type": ticket_type, "reduction": reduction}))
        .collect();
    let discount: Discount = serde_json::from_value(json!({"id": id, "name": id, "values": values})).unwrap();
    (discount.id.clone(), discount)
}

pub(super) fn membership(id: i64, level: &str, fields: Value) -> Membership {
    let card = json!({"id": id, "person": {}, "barcode": "1"});
    let stored = json!({
        "id": id, "number": id + 1_000, "level": level, "offering": "o", "price_point": "adult",
        "joined": now(), "started": now(), "expires": plus_secs(start(), 86_400), "cards": [card],
    });
    read(stored, fields)
}

pub(super) fn amount(cents: i64) -> Value {
    json!({"kind": "amount", "value": cents})
}

pub(super) fn percent(text: &str) -> Value {
    json!({"kind": "percent", "value": text})
}

/// Family members get 5.00 off an adult and a third off a child; patrons get an adult for 9.99.
fn members_shop(memberships: &[Membership], level: Option<&str>) -> Shop {
    let mut shop = shop();
    shop.discounts = [
        discount("family", &[("adult", amount(500)), ("child", percent("33.33"))]),
        discount("patron", &[("adult", json!({"kind": "fixedPrice", "value": 999}))]),
    ]
    .into();
    shop.templates[0].membership = serde_json::from_value(json!({"discounts": [
        {"level": "family", "discount": "family", "max_tickets": 4},
        {"level": "patron", "discount": "patron"},
        {"level": "family", "discount": "gone"},
    ]}))
    .unwrap();
    let level = level.map(|level| crate::LevelId::parse(level).unwrap());
    shop.buyer = Buyer::of(memberships, level.as_ref(), now());
    shop
}

pub(super) fn codes(codes: &[&str]) -> Vec<String> {
    codes.iter().map(|code| (*code).to_owned()).collect()
}

pub(super) fn cart_codes(sent: &[&str]) -> CartTerms {
    CartTerms { coupon_codes: codes(sent), ..CartTerms::default() }
}

fn with_codes(kind: &str, quantity: u32, sent: &[&str]) -> LineRequest {
    tickets_as(kind, quantity, WantedTreatment::Coupons(codes(sent)))
}

fn unit(priced: &PricedLines, line: usize) -> String {
    priced.lines[line].price().unit.to_string()
}

#[test]
fn members_get_the_lowest_price_of_the_levels_they_hold() {
    let family = membership(1, "family", json!({}));
    let patron = membership(2, "patron", json!({}));
    for (case, memberships, level, adult, child) in [
        ("nobody", vec![], None, "20.00", "12.50"),
        ("family", vec![family.clone()], None, "15.00", "8.33"),
        ("patron", vec![patron.clone()], None, "9.99", "12.50"),
        ("both", vec![family.clone(), patron.clone()], None, "9.99", "8.33"),
        ("both, named the other way round", vec![patron.clone(), family.clone()], None, "9.99", "8.33"),
        ("a level without a membership", vec![], Some("family"), "15.00", "8.33"),
        ("a level beside a membership", vec![family.clone()], Some("patron"), "15.00", "8.33"),
        ("a level without terms", vec![], Some("other"), "20.00", "12.50"),
    ] {
        let shop = members_shop(&memberships, level);
        let lines = [tickets("adult", 2), tickets("child", 0)];
        let priced = shop.price(&lines).unwrap();
        assert_eq!((unit(&priced, 0), unit(&priced, 1)), (adult.to_owned(), child.to_owned()), "{case}");
        let retail = shop.price(&[tickets_as("adult", 1, WantedTreatment::FullPrice)]).unwrap();
        assert_eq!(unit(&retail, 0), "20.00", "{case}");
    }
}

#[test]
fn a_membership_counts_on_the_days_of_its_term_and_while_a_card_stands() {
    let at = |secs| plus_secs(start(), secs);
    let cards =
        |standing: &str| json!({"cards": [{"id": 1, "person": {}, "barcode": "1", "standing": standing}]});
    for (case, fields, adult) in [
        ("until the start", json!({"expires": start()}), "15.00"),
        ("until just before", json!({"expires": at(-1)}), "20.00"),
        ("from the start", json!({"started": start()}), "15.00"),
        ("from just after", json!({"started": at(1)}), "20.00"),
        ("dropped", cards("dropped"), "20.00"),
        ("replaced", cards("replaced"), "20.00"),
        ("new", cards("new"), "15.00"),
        ("without cards", json!({"cards": []}), "20.00"),
    ] {
        let shop = members_shop(&[membership(1, "family", fields)], None);
        assert_eq!(unit(&shop.price(&[tickets("adult", 1)]).unwrap(), 0), adult, "{case}");
    }
}

#[test]
fn events_for_members_are_sold_to_them_alone() {
    let family = || vec![membership(1, "family", json!({}))];
    for (case, fields, memberships, level, sold) in [
        ("nobody", json!({"member_only": true}), vec![], None, false),
        ("a member", json!({"member_only": true}), family(), None, true),
        ("a level", json!({"member_only": true}), vec![], Some("family"), true),
        ("another level", json!({"membership": {"restrictions": ["patron"]}}), family(), None, false),
        ("the level", json!({"membership": {"restrictions": ["patron", "family"]}}), family(), None, true),
        (
            "all members",
            json!({"membership": {"restrictions": ["patron"]}, "all_members_can_purchase": true}),
            family(),
            None,
            true,
        ),
    ] {
        let mut shop = members_shop(&memberships, level);
        shop.templates[0] = read(serde_json::to_value(&shop.templates[0]).unwrap(), fields);
        let fault = shop.fault(tickets("adult", 1));
        assert_eq!(fault, (!sold).then_some(LineFault::UnknownEvent), "{case}");
    }
}

/// A shop with coupons: 10 % off with `TEN`, 3.00 off an adult with `THREE`, half off a child with `HALF`.
fn coupon_shop() -> Shop {
    let mut shop = members_shop(&[membership(1, "family", json!({}))], None);
    shop.discounts.extend([discount("half", &[("child", percent("50"))])]);
    shop.coupons = [
        coupon("TEN", json!({})),
        coupon(
            "THREE",
            json!({"reduction": {"kind": "same", "value": amount(300)}, "ticket_types": ["adult"]}),
        ),
        coupon("HALF", json!({"reduction": {"kind": "discount", "value": "half"}})),
    ]
    .into();
    shop
}

#[test]
fn a_coupon_outranks_the_member_price_and_the_best_code_of_a_line_wins() {
    let shop = coupon_shop();
    for (case, line, terms, expected) in [
        ("no code", tickets("adult", 1), cart_codes(&[]), "15.00"),
        ("a code of the cart", tickets("adult", 1), cart_codes(&["TEN"]), "18.00"),
        ("in another case", tickets("adult", 1), cart_codes(&[" ten "]), "18.00"),
        ("two of the cart", tickets("adult", 1), cart_codes(&["TEN", "THREE"]), "17.00"),
        ("two of the cart, turned", tickets("adult", 1), cart_codes(&["THREE", "TEN"]), "17.00"),
        ("the line's before the cart's", with_codes("adult", 1, &["TEN"]), cart_codes(&["THREE"]), "18.00"),
        ("the best of the line", with_codes("adult", 1, &["TEN", "THREE"]), cart_codes(&[]), "17.00"),
        ("one that does not apply", with_codes("adult", 1, &["HALF"]), cart_codes(&[]), "15.00"),
        ("by ticket type", with_codes("child", 1, &["HALF"]), cart_codes(&["TEN"]), "6.25"),
        ("full price", tickets_as("adult", 1, WantedTreatment::FullPrice), cart_codes(&["TEN"]), "20.00"),
    ] {
        assert_eq!(unit(&shop.price_as(&[line], &terms).unwrap(), 0), expected, "{case}");
    }
}

#[test]
fn a_code_that_takes_nothing_off_says_why() {
    use CouponProblem::{Expired, Inactive, NotYetValid, NothingEligible, OtherChannel, Unknown, UsedUp};
    let mut shop = coupon_shop();
    // Sale dates are the venue's: 18:00 UTC is 14:00 on 1 June in New York.
    shop.coupons.extend([
        coupon("OFF", json!({"active": false})),
        coupon("SOON", json!({"effective_start": "2027-06-02"})),
        coupon("TODAY", json!({"effective_start": "2027-06-01", "effective_end": "2027-06-01"})),
        coupon("OVER", json!({"effective_end": "2027-05-31"})),
        coupon("DESK", json!({"sales_channels": [{"channel": "pointOfSale", "enabled": true}]})),
        coupon("SPENT", json!({"max_uses": 1})),
        coupon("ELSEWHERE", json!({"templates": ["another"]})),
        coupon("MEMBERSHIPS", json!({"applies_to": ["membership"]})),
    ]);
    shop.used_up = [CouponId::parse("spent").unwrap()].into();
    for (code, problem) in [
        ("OFF", Some(Inactive)),
        ("SOON", Some(NotYetValid)),
        ("TODAY", None),
        ("OVER", Some(Expired)),
        ("DESK", Some(OtherChannel)),
        ("SPENT", Some(UsedUp)),
        ("ELSEWHERE", Some(NothingEligible)),
        ("MEMBERSHIPS", Some(NothingEligible)),
        ("HALF", Some(NothingEligible)),
        ("NONE", Some(Unknown)),
        ("TEN", None),
    ] {
        for (lines, terms) in [
            ([tickets("adult", 1)], cart_codes(&[code])),
            ([with_codes("adult", 1, &[code])], cart_codes(&[])),
        ] {
            let priced = shop.price_as(&lines, &terms).unwrap();
            let expected: Vec<_> =
                problem.map(|problem| CouponMessage { code: code.to_owned(), problem }).into_iter().collect();
            assert_eq!(priced.coupon_messages, expected, "{code}");
            let kept = if problem.is_some() { "15.00" } else { "18.00" };
            assert_eq!(unit(&priced, 0), kept, "{code}");
        }
    }
    let last = "2027-06-02T03:59:59Z".parse().unwrap();
    for (now, messages) in [(last, 0), (plus_secs(last, 1), 1)] {
        shop.now = now;
        shop.ledgers[0].start = plus_secs(last, 3_600);
        shop.ledgers[0].end = plus_secs(last, 7_200);
        let priced = shop.price_as(&[tickets("adult", 1)], &cart_codes(&["TODAY"])).unwrap();
        assert_eq!(priced.coupon_messages.len(), messages, "{now}");
    }
}

#[test]
fn the_trace_names_every_rule_that_was_tried() {
    let shop = coupon_shop();
    let lines = [with_codes("child", 1, &["HALF", "THREE"])];
    let terms = cart_codes(&["TEN"]);
    let priced = shop.price_as(&lines, &terms).unwrap();
    let told: Vec<String> = shop.traces(&lines, &terms)[0]
        .iter()
        .map(|tried| match tried.price {
            Ok(price) => {
                format!(
                    "{:?} {} -> {} {}",
                    tried.rule,
                    price.exact.decimal().unwrap(),
                    price.unit,
                    tried.chosen
                )
            }
            Err(problem) => format!("{:?} {problem:?} {}", tried.rule, tried.chosen),
        })
        .collect();
    assert_eq!(
        told,
        [
            "FullPrice 12.5 -> 12.50 false",
            "MemberPrice 8.33375 -> 8.33 false",
            "CartCoupon 11.25 -> 11.25 false",
            "LineCoupon 6.25 -> 6.25 true",
            "LineCoupon Code(NothingEligible) false",
        ]
    );
    let CartLine::Ticket(line) = &priced.lines[0] else { panic!("not a ticket line") };
    let applied = AppliedPrice::Coupon { coupon: CouponId::parse("half").unwrap(), code: "HALF".to_owned() };
    assert_eq!(line.applied, applied);
}

#[test]
fn a_line_that_ignores_entitlements_escapes_their_limits_and_the_member_price_with_them() {
    let shop = coupon_shop();
    let exempt = |mut line: LineRequest| {
        if let Wanted::Ticket(wanted) = &mut line.wanted {
            wanted.ignore_entitlements = true;
        }
        line
    };
    for (case, line, terms, expected) in [
        ("a member", tickets("adult", 1), cart_codes(&[]), "15.00"),
        ("exempt", exempt(tickets("adult", 1)), cart_codes(&[]), "20.00"),
        ("exempt, with a coupon", exempt(tickets("adult", 1)), cart_codes(&["TEN"]), "18.00"),
    ] {
        assert_eq!(unit(&shop.price_as(&[line], &terms).unwrap(), 0), expected, "{case}");
    }
    let traces = shop.traces(&[exempt(tickets("adult", 1))], &CartTerms::default());
    let tried = |tried: &Tried| (tried.rule, tried.price.err(), tried.chosen);
    assert_eq!(
        traces[0].iter().map(tried).collect::<Vec<_>>(),
        [
            (PricingRule::FullPrice, None, true),
            (PricingRule::MemberPrice, Some(Inapplicable::ExemptFromLimits), false)
        ]
    );
}

/// One reduction of the second implementation.
#[derive(Debug, Clone, Copy)]
pub(super) enum Off {
    Cents(i64),
    /// Hundredths of a percent.
    Percent(i64),
    To(i64),
}

impl Off {
    pub(super) fn stored(self) -> Value {
        match self {
            Self::Cents(cents) => amount(cents),
            Self::Percent(hundredths) => percent(&format!("{}.{:02}", hundredths / 100, hundredths % 100)),
            Self::To(cents) => json!({"kind": "fixedPrice", "value": cents}),
        }
    }

    /// In whole cents, rounded half-up.
    pub(super) fn of(self, cents: i64) -> i64 {
        let left = match self {
            Self::Cents(off) => cents - off,
            Self::Percent(hundredths) => (cents * (10_000 - hundredths) + 5_000) / 10_000,
            Self::To(cents) => cents,
        };
        left.clamp(0, cents)
    }
}

pub(super) fn any_off() -> impl Strategy<Value = Off> {
    prop_oneof![
        (0..3_000_i64).prop_map(Off::Cents),
        (0..=10_000_i64).prop_map(Off::Percent),
        (0..3_000_i64).prop_map(Off::To),
    ]
}

proptest! {
    /// The price of an adult by a second implementation, which knows the four rules and nothing else.
    #[test]
    fn prices_agree_with_a_second_implementation(
        members in proptest::collection::vec(any_off(), 0..3),
        coupons in proptest::collection::vec(any_off(), 0..5),
        on_cart in proptest::collection::vec(0..5_usize, 0..3),
        on_line in proptest::collection::vec(0..5_usize, 0..3),
        retail in any::<bool>(),
        quantity in 0..50_u32,
        turned in any::<bool>(),
    ) {
        let mut shop = shop();
        let names: Vec<String> = (0..members.len()).map(|index| format!("level{index}")).collect();
        shop.discounts =
            names.iter().zip(&members).map(|(name, off)| discount(name, &[("adult", off.stored())])).collect();
        let terms: Vec<Value> = names.iter().map(|name| json!({"level": name, "discount": name})).collect();
        shop.templates[0].membership = serde_json::from_value(json!({"discounts": terms})).unwrap();
        let mut held: Vec<Membership> =
            (1..).zip(&names).map(|(id, name)| membership(id, name, json!({}))).collect();
        shop.coupons = (0..)
            .zip(&coupons)
            .map(|(index, off)| {
                coupon(&format!("C{index}"), json!({"reduction": {"kind": "same", "value": off.stored()}}))
            })
            .collect();
        let code = |index: &usize| format!("C{index}");
        let mut cart_codes: Vec<String> = on_cart.iter().map(code).collect();
        let mut line_codes: Vec<String> = on_line.iter().map(code).collect();
        if turned {
            held.reverse();
            cart_codes.reverse();
            line_codes.reverse();
        }
        shop.buyer = Buyer::of(&held, None, now());
        let treatment = match (retail, line_codes.is_empty()) {
            (true, _) => WantedTreatment::FullPrice,
            (false, true) => WantedTreatment::Best,
            (false, false) => WantedTreatment::Coupons(line_codes),
        };
        let terms = CartTerms { coupon_codes: cart_codes, ..CartTerms::default() };
        let lines = [tickets_as("adult", quantity, treatment)];
        let priced = shop.price_as(&lines, &terms).unwrap();

        let best = |offs: Vec<Off>| offs.into_iter().map(|off| off.of(2_000)).min();
        let named = |indexes: &[usize]| indexes.iter().filter_map(|index| coupons.get(*index).copied()).collect();
        let expected = if retail {
            2_000
        } else {
            best(named(&on_line)).or(best(named(&on_cart))).or(best(members.clone())).unwrap_or(2_000)
        };
        prop_assert_eq!(priced.lines[0].price().unit.cents(), expected);
        prop_assert_eq!(priced.total.cents(), expected * i64::from(quantity));
        prop_assert_eq!(shop.traces(&lines, &terms)[0].iter().filter(|tried| tried.chosen).count(), 1);
    }
}

/// A shop whose adults pay 20.00, or what is given here, and whose family members get 5.00 off.
fn discounted_shop(discounted: &str, level: Option<&str>) -> Shop {
    let mut shop = members_shop(&[], level);
    shop.templates[0].price_lists[0].prices[0].discounted_price = Some(cents(discounted));
    shop
}

#[test]
fn a_discounted_price_is_what_everybody_pays_unless_a_code_a_wish_or_a_lower_price_decides() {
    let code = |text: &str| WantedTreatment::Coupons(codes(&[text]));
    for (case, discounted, level, treatment, unit) in [
        ("everybody", "18.25", None, WantedTreatment::Best, "18.25"),
        ("a wish", "18.25", None, WantedTreatment::FullPrice, "20.00"),
        ("a member", "18.25", Some("family"), WantedTreatment::Best, "15.00"),
        ("a member for whom it is less", "14.00", Some("family"), WantedTreatment::Best, "14.00"),
        ("a code", "18.25", None, code("TENTH"), "18.00"),
        ("a dearer code", "17.00", None, code("TENTH"), "18.00"),
        ("a code that names nothing", "18.25", None, code("NIX"), "18.25"),
        ("no discount at all", "21.00", None, WantedTreatment::Best, "20.00"),
    ] {
        let mut shop = discounted_shop(discounted, level);
        shop.coupons = [coupon("TENTH", json!({}))].into();
        let priced = shop.price(&[tickets_as("adult", 2, treatment)]).unwrap();
        let amount = cents(unit).checked_mul(2).unwrap();
        let expected = LinePrice { unit: cents(unit), retail_unit: cents("20.00"), amount };
        assert_eq!(priced.lines[0].price(), expected, "{case}");
    }
}

proptest! {
    #[test]
    fn what_is_listed_is_what_a_line_without_wish_and_code_costs(
        price in 0..5_000_i64,
        discounted in proptest::option::of(0..6_000_i64),
        off in proptest::option::of((0..3_usize, 0..6_000_i64)),
        is_member in any::<bool>(),
    ) {
        let mut shop = members_shop(&[], is_member.then_some("family"));
        let reduction = off.map(|(kind, value)| match kind {
            0 => amount(value),
            1 => percent(&format!("{}.{:02}", value / 60, value % 100)),
            _ => json!({"kind": "fixedPrice", "value": value}),
        });
        let values: Vec<(&str, Value)> = reduction.into_iter().map(|found| ("adult", found)).collect();
        shop.discounts = [discount("family", &values)].into();
        let entry = &mut shop.templates[0].price_lists[0].prices[0];
        entry.price = Money::from_cents(price);
        entry.discounted_price = discounted.map(Money::from_cents);
        let entry = entry.clone();
        let ticket = PricedTicket { template: &shop.templates[0], at: start(), price: &entry };
        let listed = listed_unit(ticket, &shop.buyer, &shop.discounts).unwrap();
        let line = shop.price(&[tickets("adult", 1)]).unwrap().lines[0].price();
        prop_assert_eq!((line.unit, line.retail_unit), (listed, entry.price));
        prop_assert!(listed <= entry.discounted().unwrap_or(entry.price));
        // A discount by itself makes what it makes of a member's price.
        let everybody = entry.discounted().unwrap_or(entry.price);
        let with = discounted_unit(&entry, shop.discounts.values().next().unwrap()).unwrap();
        if is_member {
            prop_assert_eq!(with.unit, listed);
        }
        prop_assert!(with.unit <= everybody && with.unit >= Money::ZERO);
        let off = entry.price.checked_sub(with.unit).unwrap();
        prop_assert_eq!(with.off, if with.unit < everybody { off } else { Money::ZERO });
    }
}
