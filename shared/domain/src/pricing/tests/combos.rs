//! Combos.

use super::discounts::{Off, any_off, cart_codes, coupon, discount, membership, percent};
use super::*;
use crate::cart::ComboLine;
use crate::cart_request::{MAX_QUANTITY, WantedCombo};
use serde_json::Value;

/// An event of the combo, by number, at this price of an adult.
fn event(number: usize, adult: i64) -> Template {
    let mut event = template();
    event.id = TemplateId::parse(&format!("event{number}")).unwrap();
    event.name = format!("Event {number}");
    event.price_lists[0].prices[0].price = Money::from_cents(adult);
    event
}

fn instance_of(number: usize) -> InstanceId {
    InstanceId::of(&event(number, 0).id, None, start().naive_utc(), start()).unwrap()
}

/// A shop with the combo `both` of these events: the tickets of each with the price of an adult. Beside them
/// stands an event that is no part of it.
fn combo_shop(parts: &[(u32, i64)], pricing: Value) -> Shop {
    let mut shop = shop();
    for (number, (_, adult)) in parts.iter().enumerate() {
        let event = event(number, *adult);
        shop.ledgers.push(Ledger { instance: instance_of(number), template: event.id.clone(), ..ledger() });
        shop.templates.push(event);
    }
    let parts: Vec<Value> = (0..)
        .zip(parts)
        .map(|(number, (quantity, _)): (usize, _)| json!({"template": event(number, 0).id, "quantity": quantity}))
        .collect();
    let combo = json!({"id": "both", "name": "Both", "active": true, "parts": parts, "pricing": pricing});
    let combo: Combo = serde_json::from_value(combo).unwrap();
    shop.combos = [(combo.id.clone(), combo)].into();
    shop
}

fn fixed(price: i64) -> Value {
    json!({"kind": "fixedPrice", "value": [{"ticket_type": "adult", "price": price}]})
}

fn by_discount() -> Value {
    json!({"kind": "discount", "value": "half"})
}

fn combos(parts: &[usize], quantity: u32) -> LineRequest {
    combos_for("adult", parts, quantity)
}

fn combos_for(kind: &str, parts: &[usize], quantity: u32) -> LineRequest {
    let wanted = WantedCombo {
        combo: ComboTemplateId::parse("both").unwrap(),
        ticket_type: ticket_type(kind),
        quantity,
        parts: parts.iter().map(|number| instance_of(*number)).collect(),
    };
    line(9, Wanted::Combo(Box::new(wanted)))
}

fn combo_line(priced: &PricedLines, index: usize) -> &ComboLine {
    let CartLine::Combo(line) = &priced.lines[index] else { panic!("not a combo") };
    line
}

/// The shares of the parts, in the order sent.
fn shares(line: &ComboLine) -> Vec<i64> {
    line.parts.iter().map(|part| part.share.cents()).collect()
}

#[test]
fn a_fixed_price_is_shared_in_proportion_to_what_the_tickets_cost() {
    for (case, parts, price, sent, retail, unit, expected) in [
        ("evenly", vec![(1, 1800), (1, 4200)], 5000, vec![0, 1], 6000, 5000, vec![1500, 3500]),
        ("by tickets", vec![(1, 1000), (3, 1000)], 2000, vec![0, 1], 4000, 2000, vec![500, 1500]),
        (
            "an odd cent goes to the first",
            vec![(1, 700), (1, 700)],
            1001,
            vec![0, 1],
            1400,
            1001,
            vec![501, 500],
        ),
        ("whatever the order sent", vec![(1, 700), (1, 700)], 1001, vec![1, 0], 1400, 1001, vec![500, 501]),
        (
            "but none to what costs nothing",
            vec![(2, 0), (1, 5), (1, 5)],
            7,
            vec![0, 1, 2],
            10,
            7,
            vec![0, 4, 3],
        ),
        ("nor to an exact share", vec![(1, 2), (1, 1), (1, 7)], 5, vec![0, 1, 2], 10, 5, vec![1, 1, 3]),
        ("for nothing", vec![(1, 1800), (1, 4200)], 0, vec![0, 1], 6000, 0, vec![0, 0]),
        ("of nothing", vec![(1, 0), (1, 0)], 500, vec![0, 1], 0, 0, vec![0, 0]),
        (
            "never above the tickets",
            vec![(1, 1800), (1, 4200)],
            9900,
            vec![0, 1],
            6000,
            6000,
            vec![1800, 4200],
        ),
    ] {
        let priced = combo_shop(&parts, fixed(price)).price(&[combos(&sent, 3)]).unwrap();
        let line = combo_line(&priced, 0);
        let found = (line.price.retail_unit.cents(), line.price.unit.cents(), shares(line));
        assert_eq!(found, (retail, unit, expected), "{case}");
        assert_eq!(priced.total.cents(), unit * 3, "{case}");
    }
}

#[test]
fn a_discount_reduces_every_ticket_and_rounds_each() {
    let mut shop = combo_shop(&[(3, 1235), (1, 999)], by_discount());
    shop.discounts = [discount("half", &[("adult", percent("15"))])].into();
    let sent = [combos(&[0, 1], 2)];
    let priced = shop.price(&sent).unwrap();
    let line = combo_line(&priced, 0);
    assert_eq!((line.price.retail_unit.cents(), shares(line)), (4704, vec![3150, 849]));
    assert_eq!((line.price.unit.cents(), priced.total.cents()), (3999, 7998));
    let told: Vec<String> = shop.traces(&sent, &CartTerms::default())[0]
        .iter()
        .map(|tried| {
            let price = tried.price.unwrap();
            let exact = price.exact.decimal().unwrap();
            format!("{:?} {:?} {exact} -> {} {}", tried.rule, tried.source, price.unit, tried.chosen)
        })
        .collect();
    assert_eq!(
        told,
        [
            "FullPrice Line 47.04 -> 47.04 false",
            "Combo Combo(ComboTemplateId(\"both\")) 39.984 -> 39.99 true",
        ]
    );
}

#[test]
fn a_price_probe_of_a_combo_costs_nothing() {
    let priced = combo_shop(&[(1, 1800), (1, 4200)], fixed(5000)).price(&[combos(&[0, 1], 0)]).unwrap();
    assert_eq!((priced.lines[0].price().unit, priced.total), (cents("50.00"), Money::ZERO));
}

#[test]
fn a_combo_that_cannot_be_priced_says_why() {
    use ComboFault::{AmountTooLarge, NotPriced, Part, PartMissing, UnknownCombo, UnknownTicketType};
    let part = |part, fault| Part { part, fault };
    let closed = Closed::Window { closed_at: start() };
    let faults = |change: &dyn Fn(&mut Shop), line: LineRequest| {
        let mut shop = combo_shop(&[(1, 1800), (1, 4200)], fixed(5000));
        change(&mut shop);
        match shop.price(&[line]) {
            Ok(_) => vec![],
            Err(PricingRefusals(refusals)) => refusals,
        }
    };
    let both = || combos(&[0, 1], 1);
    let same = |_: &mut Shop| {};
    let mut foreign = both();
    let Wanted::Combo(combo) = &mut foreign.wanted else { panic!("not a combo") };
    combo.parts[1] = instance();
    for (case, found, expected) in [
        ("nothing is wrong", faults(&same, both()), vec![]),
        (
            "an inactive combo",
            faults(&|shop| shop.combos.values_mut().for_each(|combo| combo.active = false), both()),
            vec![UnknownCombo],
        ),
        (
            "an unknown combo and ticket type",
            faults(&|shop| shop.combos.clear(), combos_for("nobody", &[0, 1], 1)),
            vec![UnknownCombo, UnknownTicketType],
        ),
        ("a type it is not sold for", faults(&same, combos_for("child", &[0, 1], 1)), vec![NotPriced]),
        (
            "a type that its events do not sell",
            faults(
                &|shop| {
                    shop.combos.extend([combo_shop(&[(1, 0), (1, 0)], fixed_for("unpriced"))
                        .combos
                        .pop_first()
                        .unwrap()])
                },
                combos_for("unpriced", &[0, 1], 1),
            ),
            vec![part(0, PartFault::NotPriced), part(1, PartFault::NotPriced)],
        ),
        ("a part too few", faults(&same, combos(&[1], 1)), vec![PartMissing]),
        ("no part at all", faults(&same, combos(&[], 1)), vec![PartMissing]),
        ("an event twice", faults(&same, combos(&[0, 0], 1)), vec![part(1, PartFault::Duplicate)]),
        ("another event", faults(&same, foreign), vec![part(1, PartFault::Foreign)]),
        (
            "a slot that is not there",
            faults(&same, combos(&[0, 7], 1)),
            vec![part(1, PartFault::UnknownEvent)],
        ),
        (
            "a draft",
            faults(&|shop| shop.templates[1].review_state = ReviewState::Draft, both()),
            vec![part(0, PartFault::UnknownEvent)],
        ),
        (
            "an event for members",
            faults(&|shop| shop.templates[2].member_only = true, both()),
            vec![part(1, PartFault::UnknownEvent)],
        ),
        (
            "a cancelled slot",
            faults(&|shop| shop.ledgers[2].state = SlotState::Cancelled, both()),
            vec![part(1, PartFault::SalesClosed(Closed::Cancelled))],
        ),
        (
            "slots that have begun",
            faults(&|shop| shop.now = start(), both()),
            vec![part(0, PartFault::SalesClosed(closed)), part(1, PartFault::SalesClosed(closed))],
        ),
        (
            "an amount beyond money",
            faults(
                &|shop| shop.templates[1].price_lists[0].prices[0].price = Money::from_cents(i64::MAX),
                both(),
            ),
            vec![AmountTooLarge],
        ),
    ] {
        let expected: Vec<PricingRefusal> = expected
            .into_iter()
            .map(|fault| PricingRefusal::Line { index: 0, fault: LineFault::Combo(fault) })
            .collect();
        assert_eq!(found, expected, "{case}");
    }
}

fn fixed_for(kind: &str) -> Value {
    json!({"kind": "fixedPrice", "value": [{"ticket_type": kind, "price": 100}]})
}

#[test]
fn a_discount_that_is_gone_or_has_nothing_for_the_type_sells_no_combo() {
    for values in [vec![], vec![("child", percent("10"))]] {
        let mut shop = combo_shop(&[(1, 1800), (1, 4200)], by_discount());
        shop.discounts = [discount("half", &values)].into();
        assert_eq!(shop.fault(combos(&[0, 1], 1)), Some(LineFault::Combo(ComboFault::NotPriced)));
        shop.discounts.clear();
        assert_eq!(shop.fault(combos(&[0, 1], 1)), Some(LineFault::Combo(ComboFault::NotPriced)));
    }
}

#[test]
fn refusals_name_the_place_within_the_list_of_the_line() {
    let shop = combo_shop(&[(1, 1800), (1, 4200)], fixed(5000));
    let lines = [tickets("adult", 1), add_on(9, 1), combos(&[0, 1], 1), combos(&[0], 1)];
    let refusals = shop.price(&lines).unwrap_err();
    assert_eq!(
        refusals.0,
        [
            PricingRefusal::Line { index: 1, fault: LineFault::UnknownInventory },
            PricingRefusal::Line { index: 1, fault: LineFault::Combo(ComboFault::PartMissing) },
        ]
    );
}

#[test]
fn the_tickets_of_combos_count_towards_the_most_of_an_order() {
    let shop = combo_shop(&[(1, 100), (2, 100)], fixed(50));
    for (combos_sold, singles, refused) in [(666, 2, false), (666, 3, true), (667, 0, true), (0, 999, false)]
    {
        let priced = shop.price(&[tickets("adult", singles), combos(&[0, 1], combos_sold)]);
        let expected = refused.then_some(PricingRefusals(vec![PricingRefusal::TooManyTickets]));
        assert_eq!(priced.err(), expected, "{combos_sold} combos and {singles} tickets");
    }
}

#[test]
fn member_prices_and_coupons_leave_combos_alone() {
    let mut shop = combo_shop(&[(1, 1800), (1, 4200)], fixed(5000));
    shop.discounts = [discount("family", &[("adult", percent("50"))])].into();
    let terms = json!({"discounts": [{"level": "family", "discount": "family"}]});
    for template in &mut shop.templates {
        template.membership = serde_json::from_value(terms.clone()).unwrap();
    }
    shop.buyer = Buyer::of(&[membership(1, "family", json!({}))], None, now());
    shop.coupons = [coupon("TEN", json!({}))].into();
    let priced = shop.price_as(&[combos(&[0, 1], 1)], &cart_codes(&["TEN"])).unwrap();
    assert_eq!(priced.total, cents("50.00"));
    assert_eq!(priced.lines[0].price().retail_unit, cents("60.00"));
    let message = CouponMessage { code: "TEN".to_owned(), problem: CouponProblem::NothingEligible };
    assert_eq!(priced.coupon_messages, [message]);
}

#[test]
fn members_buy_combos_with_events_for_members() {
    let mut shop = combo_shop(&[(1, 1800), (1, 4200)], fixed(5000));
    shop.templates[2].member_only = true;
    shop.buyer = Buyer::of(&[membership(1, "family", json!({}))], None, now());
    assert_eq!(shop.price(&[combos(&[0, 1], 1)]).unwrap().total, cents("50.00"));
}

/// The terms of the second implementation.
#[derive(Debug, Clone, Copy)]
enum Terms {
    /// All parts together at this price, in cents.
    Fixed(i64),
    /// This off every ticket.
    Each(Off),
}

fn any_terms() -> impl Strategy<Value = Terms> {
    prop_oneof![(0..20_000_i64).prop_map(Terms::Fixed), any_off().prop_map(Terms::Each)]
}

/// Two to ten events, with the tickets of each and the price of one.
fn any_parts() -> impl Strategy<Value = Vec<(u32, i64)>> {
    proptest::collection::vec((1..5_u32, prop_oneof![Just(0), 1..5_000_i64]), 2..=10)
}

fn shop_with(parts: &[(u32, i64)], terms: Terms) -> Shop {
    match terms {
        Terms::Fixed(price) => combo_shop(parts, fixed(price)),
        Terms::Each(off) => {
            let mut shop = combo_shop(parts, by_discount());
            shop.discounts = [discount("half", &[("adult", off.stored())])].into();
            shop
        }
    }
}

proptest! {
    /// In whole cents, by a second implementation that knows the two kinds of terms and nothing else.
    #[test]
    fn combos_agree_with_a_second_implementation(
        parts in any_parts(),
        terms in any_terms(),
        combos_sold in 0..=40_u32,
        singles in 0..50_u32,
        turn in 0..10_usize,
    ) {
        let mut sent: Vec<usize> = (0..parts.len()).collect();
        sent.rotate_left(turn % parts.len());
        let lines = [tickets("adult", singles), combos(&sent, combos_sold)];
        let shop = shop_with(&parts, terms);
        let priced = shop.price(&lines).unwrap();
        let line = combo_line(&priced, 1);

        let full: Vec<i64> = parts.iter().map(|(quantity, price)| i64::from(*quantity) * price).collect();
        let retail: i64 = full.iter().sum();
        let each: Vec<i64> = match terms {
            Terms::Fixed(_) => vec![],
            Terms::Each(off) => parts.iter().map(|(quantity, price)| i64::from(*quantity) * off.of(*price)).collect(),
        };
        let unit = match terms {
            Terms::Fixed(price) => price.min(retail),
            Terms::Each(_) => each.iter().sum(),
        };
        prop_assert_eq!((line.price.retail_unit.cents(), line.price.unit.cents()), (retail, unit));
        prop_assert_eq!(line.price.amount.cents(), unit * i64::from(combos_sold));
        prop_assert_eq!(priced.total.cents(), unit * i64::from(combos_sold) + 2_000 * i64::from(singles));
        // The parts add up to the whole, none is dearer than its tickets, and each is within a cent of its due.
        prop_assert_eq!(shares(line).iter().sum::<i64>(), unit);
        for (share, number) in shares(line).into_iter().zip(&sent) {
            prop_assert!((0..=full[*number]).contains(&share));
            match terms {
                Terms::Each(_) => prop_assert_eq!(share, each[*number]),
                Terms::Fixed(_) => {
                    prop_assert!((share * retail - unit * full[*number]).abs() < retail.max(1), "{share}");
                }
            }
        }
        let traces = shop.traces(&lines, &CartTerms::default());
        prop_assert_eq!(traces[1].iter().filter(|tried| tried.chosen).count(), 1);
    }

    #[test]
    fn the_order_of_lines_and_parts_changes_no_combo(
        parts in any_parts(),
        terms in any_terms(),
        quantities in proptest::collection::vec(0..=MAX_QUANTITY / 50, 1..3),
        turn in 0..10_usize,
    ) {
        let shop = shop_with(&parts, terms);
        let order: Vec<usize> = (0..parts.len()).collect();
        let mut turned = order.clone();
        turned.rotate_left(turn % parts.len());
        let line = |parts: &[usize], quantity: u32, number: u8| LineRequest {
            id: CartItemId::from_bytes([number; 16]),
            ..combos(parts, quantity)
        };
        let lines: Vec<LineRequest> =
            (0..).zip(&quantities).map(|(number, quantity)| line(&order, *quantity, number)).collect();
        let mut other: Vec<LineRequest> =
            (0..).zip(&quantities).map(|(number, quantity)| line(&turned, *quantity, number)).collect();
        other.reverse();
        let (one, other) = (shop.price(&lines).unwrap(), shop.price(&other).unwrap());
        prop_assert_eq!(one.total, other.total);
        for index in 0..quantities.len() {
            let mut sorted = combo_line(&other, quantities.len() - 1 - index).clone();
            sorted.parts.sort_by_key(|part| part.event_name.clone());
            prop_assert_eq!(combo_line(&one, index), &sorted);
        }
    }

    #[test]
    fn pricing_priced_combos_again_changes_nothing(parts in any_parts(), terms in any_terms(), turn in 0..10_usize) {
        let shop = shop_with(&parts, terms);
        let mut sent: Vec<usize> = (0..parts.len()).collect();
        sent.rotate_left(turn % parts.len());
        let lines = vec![tickets("adult", 1), combos(&sent, 2)];
        let priced = shop.price(&lines).unwrap();
        let again: Vec<LineRequest> = priced.lines.iter().map(LineRequest::from).collect();
        prop_assert_eq!(&again, &lines);
        prop_assert_eq!(shop.price(&again).unwrap(), priced);
    }
}
