use super::*;
use crate::Percent;
use crate::order::{AfterSale, MovedLine};
use crate::tax::Tax;
use proptest::prelude::*;
use serde_json::{Value, json};

fn now() -> Timestamp {
    "2027-06-02T12:00:00Z".parse().unwrap()
}

pub(crate) fn amounts(quantity: u32, retail_unit: i64, unit: i64) -> Value {
    let units = i64::from(quantity);
    json!({
        "quantity": quantity, "retail_unit": retail_unit, "unit": unit,
        "retail_amount": retail_unit * units, "amount": unit * units,
    })
}

/// A line of tickets for an instance, under a cart line of the same name.
pub(crate) fn tickets(id: &str, instance: &str, amounts: Value) -> Value {
    json!({
        "line": "ticket", "id": id, "instance": instance, "shard": 0, "template": "gallery", "ticket_type": "adult",
        "event_name": "Gallery", "ticket_type_name": "Adult", "event_start": 1_812_000_000_000_i64,
        "admission": "standard", "amounts": amounts, "applied": {"kind": "fullPrice"}, "cart_item": id,
    })
}

const DAY: &str = "7a10c4e2b95d3f0816e4a2c1";
const NIGHT: &str = "7a10c4e2b95d3f0816e4a2c2";

/// Two combos of one ticket by day and two by night, at 50.01 of which 20.02 are for the day.
fn combo() -> Value {
    let mut parts =
        [tickets("31", DAY, amounts(2, 1_800, 2_002)), tickets("32", NIGHT, amounts(4, 3_500, 1_500))];
    parts[1]["amounts"]["amount"] = json!(5_998);
    for part in &mut parts {
        part.as_object_mut().unwrap().remove("line");
    }
    json!({
        "line": "combo", "id": "30", "combo": "64c0000000000000000000b0", "kind": "fixedPrice",
        "name": "Day and night", "ticket_type": "adult", "ticket_type_name": "Adult", "parts": parts,
        "amounts": amounts(2, 8_800, 5_001),
    })
}

fn add_on(id: &str, amounts: Value) -> Value {
    json!({"line": "addOn", "id": id, "inventory": 74, "name": "Catalogue", "amounts": amounts})
}

/// An order of these lines, paid by card.
pub(crate) fn order(lines: &[Value]) -> Order {
    let total: i64 = lines.iter().map(|line| line["amounts"]["amount"].as_i64().unwrap()).sum();
    let retail: i64 = lines.iter().map(|line| line["amounts"]["retail_amount"].as_i64().unwrap()).sum();
    let payment = json!({
        "sale": "sale_1", "mid": "60417", "amount": total, "descriptor": "HARBOR",
        "card": {"brand": "Visa", "last_four": "4242", "expiry": {"month": 12, "year": 2030}},
        "rate_card": {"percentage": "2.90", "fixed": 30},
    });
    serde_json::from_value(json!({
        "id": "31840526", "tenant": 204, "number": "100731946", "state": {"state": "paid", "at": 0},
        "visitor": "", "contact": {}, "billing": {}, "lines": lines, "total": total, "retail_total": retail,
        "payment": payment, "send_email": true, "created_at": 0,
        "coupons": {"once": 3}, "stock": {"74": {"quantity": 3, "stock": 5}},
        "entitlements": [{
            "tally": {"number": 4711, "template": "gallery", "period": "day-2027-06-03"},
            "counter": "limit#", "quantity": 2, "limit": 4, "lines": ["11"],
        }],
    }))
    .unwrap()
}

/// Three tickets at 18.00, one of 4.00 with a coupon, three units at 7.00 and two combos.
pub(crate) fn mixed() -> Order {
    let mut with_coupon = tickets("12", DAY, amounts(1, 500, 400));
    with_coupon["applied"] = json!({"kind": "coupon", "coupon": "once", "code": "ONCE"});
    order(&[
        tickets("11", DAY, amounts(3, 1_800, 1_800)),
        with_coupon,
        add_on("21", amounts(3, 700, 700)),
        combo(),
    ])
}

/// A ticket for every seat, numbered in the order of the lines.
fn tickets_of(order: &Order) -> Vec<Ticket> {
    let mut bits = 0;
    crate::checkout::tickets_of(order, || {
        bits += 1;
        Ok::<_, ()>((TicketId::from_bits(bits), crate::TicketBarcode::from_bytes([1; 16])))
    })
    .unwrap()
}

/// The tickets as the order says they are now.
pub(crate) fn current(order: &Order) -> Vec<Ticket> {
    let statuses = order.after_sale.ticket_statuses();
    let mut tickets = tickets_of(order);
    for ticket in &mut tickets {
        ticket.status = statuses.get(&ticket.id).copied().unwrap_or_default();
    }
    tickets
}

fn item(id: &str) -> OrderItemId {
    OrderItemId::parse(id).unwrap()
}

fn some(id: &str, units: u32) -> NamedItem {
    NamedItem { item: item(id), units: NonZeroU32::new(units).map_or(Units::All, Units::Some) }
}

fn request(scope: RefundScope) -> OrderRefundRequest {
    OrderRefundRequest {
        order: OrderId::parse("31840526").unwrap(),
        scope,
        amount: None,
        reason: None,
        send_email: false,
        force: false,
    }
}

fn faults(faults: Vec<(RefundPlace, RefundFault)>) -> RefundRefused {
    RefundRefused::Faults { faults, admitted: Vec::new() }
}

fn decide_any(order: &Order, request: &OrderRefundRequest) -> Result<Option<OrderRefund>, RefundRefused> {
    let facts = RefundFacts {
        order,
        tickets: &current(order),
        memberships: &BTreeMap::new(),
        messages: &BTreeMap::from([(TemplateId::parse("gallery").unwrap(), " Until next time. ".to_owned())]),
        id: RefundId::parse(&format!("refund_{}", order.after_sale.version)).unwrap(),
        by: "Office",
        operator: Some("Dana"),
        fingerprint: None,
        now: now(),
    };
    decide_refund(request, &facts)
}

/// A refund of a request that names what it gives back.
fn decide(order: &Order, request: &OrderRefundRequest) -> Result<OrderRefund, RefundRefused> {
    decide_any(order, request).map(Option::unwrap)
}

fn refund(order: &Order, items: Vec<NamedItem>) -> Result<OrderRefund, RefundRefused> {
    decide(order, &request(RefundScope::Items(items)))
}

/// The order after a refund of it was carried out.
fn after(order: &Order, refund: &OrderRefund) -> Order {
    let refunded = order.refunded.checked_add(refund.amount).unwrap();
    let after_sale = order.after_sale.with_refund(refund.clone()).with_done(&refund.id, now(), &refund.taxes);
    Order { refunded, after_sale, ..order.clone() }
}

/// The order after a refund of one ticket was carried out; none where it is refused.
pub(crate) fn given_back(order: &Order, ticket: &Ticket) -> Option<Order> {
    let units = Units::Tickets(vec![ticket.id.clone()]);
    let refund = refund(order, vec![NamedItem { item: ticket.line.clone(), units }]).ok()?;
    Some(after(order, &refund))
}

fn seats(refund: &OrderRefund) -> Vec<(String, u32)> {
    refund.releases.seats.iter().map(|(instance, count)| (instance.to_string(), *count)).collect()
}

#[test]
fn a_quantity_of_a_line_gives_back_its_last_tickets_and_their_seats() {
    let given = refund(&mixed(), vec![some("11", 2)]).unwrap();
    assert_eq!((given.amount, given.state), (Money::from_cents(3_600), OrderRefundState::Pending));
    let ids: Vec<&str> = given.items[0].tickets.iter().map(TicketId::as_str).collect();
    assert_eq!(ids, ["3", "2"]);
    assert_eq!(seats(&given), [(DAY.to_owned(), 2)]);
    assert_eq!(given.releases.uses[0].quantity, 2, "tickets at the member price are free again");
    assert_eq!(given.releases.coupons.len(), 0);
    assert_eq!(given.mail, None);
}

#[test]
fn whole_combos_give_back_the_seats_of_all_their_events() {
    let order = mixed();
    let given = refund(&order, vec![some("30", 1)]).unwrap();
    assert_eq!(given.amount, Money::from_cents(5_001));
    assert_eq!(seats(&given), [(DAY.to_owned(), 1), (NIGHT.to_owned(), 2)]);
    assert_eq!(given.items[0].tickets.len(), 3);
    let rest = refund(&after(&order, &given), vec![some("30", 0)]).unwrap();
    assert_eq!((rest.amount, seats(&rest)), (given.amount, seats(&given)));
}

#[test]
fn the_whole_order_gives_back_everything_once() {
    let order = mixed();
    let given =
        decide(&order, &OrderRefundRequest { send_email: true, ..request(RefundScope::WholeOrder) }).unwrap();
    assert_eq!(given.amount, order.total);
    assert_eq!(seats(&given), [(DAY.to_owned(), 6), (NIGHT.to_owned(), 4)]);
    assert_eq!(given.releases.stock.values().copied().collect::<Vec<_>>(), [3]);
    assert_eq!(given.releases.coupons.len(), 1);
    assert_eq!(given.mail, Some(vec!["Until next time.".to_owned()]), "each thing is said once");
    let again = decide(&after(&order, &given), &request(RefundScope::WholeOrder));
    assert_eq!(again, Err(faults(vec![(RefundPlace::WholeOrder, RefundFault::NothingLeft)])));
    let nothing = after(&order, &given);
    assert_eq!(nothing.total_left(), (Money::ZERO, Money::ZERO));
    assert!(current(&nothing).iter().all(|ticket| ticket.status == TicketStatus::Refunded));
}

#[test]
fn a_coupon_comes_back_with_the_last_of_what_it_took_something_off() {
    let order = mixed();
    let other = refund(&order, vec![some("11", 0), some("30", 0)]).unwrap();
    assert_eq!(other.releases.coupons.len(), 0);
    let discounted = refund(&after(&order, &other), vec![some("12", 1)]).unwrap();
    assert_eq!(discounted.releases.coupons.len(), 1);
    let rest = refund(&after(&after(&order, &other), &discounted), vec![some("21", 0)]).unwrap();
    assert_eq!(rest.releases.coupons.len(), 0, "once");
}

#[test]
fn orders_of_before_lines_said_why_they_cost_what_they_cost_give_back_with_the_last_ticket() {
    let mut lines = [tickets("11", DAY, amounts(2, 1_800, 1_800)), tickets("12", DAY, amounts(1, 500, 400))];
    for line in &mut lines {
        line.as_object_mut().unwrap().retain(|name, _| name != "applied" && name != "cart_item");
    }
    let mut order = order(&lines);
    order.entitlements[0].lines.clear();
    let first = refund(&order, vec![some("11", 0)]).unwrap();
    assert_eq!((first.releases.coupons.len(), first.releases.uses.len()), (0, 0));
    let last = refund(&after(&order, &first), vec![some("12", 0)]).unwrap();
    assert_eq!((last.releases.coupons.len(), last.releases.uses[0].quantity), (1, 2));
}

#[test]
fn every_fault_of_a_request_is_told_with_its_place() {
    let order = mixed();
    let gone = refund(&order, vec![some("11", 1)]).unwrap();
    let order = after(&order, &gone);
    let ticket = |number: &str| TicketId::parse(number).unwrap();
    let named = |id: &str, numbers: &[&str]| NamedItem {
        item: item(id),
        units: Units::Tickets(numbers.iter().map(|number| ticket(number)).collect()),
    };
    for (items, expected) in [
        (
            vec![some("11", 3), some("31", 1), some("21", 9), some("12", 1), some("12", 1)],
            vec![
                (RefundPlace::Quantity(0), RefundFault::TooMany { left: 2 }),
                (RefundPlace::Item(1), RefundFault::PartOfCombo),
                (RefundPlace::Quantity(2), RefundFault::TooMany { left: 3 }),
                (RefundPlace::Item(4), RefundFault::NamedTwice),
            ],
        ),
        (
            vec![named("11", &["1", "1", "3"]), named("30", &["5"]), named("21", &["1"])],
            vec![
                (RefundPlace::Ticket(0, 1), RefundFault::NamedTwice),
                (RefundPlace::Ticket(0, 2), RefundFault::TicketGone(TicketStatus::Refunded)),
                (RefundPlace::Item(1), RefundFault::WithoutTickets),
                (RefundPlace::Item(2), RefundFault::WithoutTickets),
            ],
        ),
    ] {
        assert_eq!(refund(&order, items), Err(faults(expected)));
    }
    let unknown = refund(&order, vec![some("99", 1), named("11", &["4", "2"]), some("21", 9)]);
    let places = vec![
        (RefundPlace::Item(0), RefundFault::UnknownItem),
        (RefundPlace::Ticket(1, 0), RefundFault::UnknownTicket),
    ];
    assert_eq!(unknown, Err(RefundRefused::Unknown(places)), "ids that name nothing outrank the rest");
}

#[test]
fn what_is_to_be_kept_of_lines_is_kept_and_the_rest_is_given_back() {
    let order = mixed();
    let kept = |order: &Order, lines: &[(&str, u32)]| {
        let named = lines.iter().map(|(id, kept)| NamedItem { item: item(id), units: Units::AllBut(*kept) });
        decide_any(order, &request(RefundScope::Items(named.collect())))
    };
    let given = kept(&order, &[("11", 1), ("12", 1), ("30", 0)]).unwrap().unwrap();
    let units: Vec<_> = given.items.iter().map(|given| (given.item.as_str(), given.quantity)).collect();
    assert_eq!(units, [("11", 2), ("30", 2)]);
    let order = after(&order, &given);
    // Once more, nothing is left to do.
    assert_eq!(kept(&order, &[("11", 1), ("12", 1), ("30", 0)]), Ok(None));
    let too_many = |place, left| (RefundPlace::Quantity(place), RefundFault::TooMany { left });
    assert_eq!(
        kept(&order, &[("11", 2), ("12", 0), ("30", 1), ("21", 3), ("21", 3), ("31", 0)]),
        Err(faults(vec![
            too_many(0, 1),
            too_many(2, 0),
            (RefundPlace::Item(4), RefundFault::NamedTwice),
            (RefundPlace::Item(5), RefundFault::PartOfCombo),
        ])),
        "all or none"
    );
    let unknown = vec![(RefundPlace::Item(0), RefundFault::UnknownItem)];
    assert_eq!(kept(&order, &[("99", 0), ("11", 9)]), Err(RefundRefused::Unknown(unknown)));
    let first = refund(&order, vec![some("12", 1)]).unwrap();
    let pending = Order { after_sale: order.after_sale.with_refund(first.clone()), ..order };
    assert_eq!(kept(&pending, &[("11", 1)]), Err(RefundRefused::Pending(first.id)));
}

#[test]
fn a_refund_under_way_keeps_others_waiting() {
    let order = mixed();
    let first = refund(&order, vec![some("11", 1)]).unwrap();
    let pending = Order { after_sale: order.after_sale.with_refund(first.clone()), ..order };
    assert_eq!(refund(&pending, vec![some("12", 1)]), Err(RefundRefused::Pending(first.id.clone())));
    assert_eq!(current(&pending)[2].status, TicketStatus::RefundPending);
    let given_up = Order { after_sale: pending.after_sale.without_refund(&first.id), ..pending };
    assert_eq!(current(&given_up)[2].status, TicketStatus::Normal);
    assert_eq!(refund(&given_up, vec![some("11", 3)]).unwrap().amount, Money::from_cents(5_400));
}

#[test]
fn less_money_than_was_paid_may_go_back_and_never_more() {
    let order = mixed();
    let ask = |cents: i64| OrderRefundRequest {
        amount: Some(Money::from_cents(cents)),
        ..request(RefundScope::Items(vec![some("11", 1)]))
    };
    assert_eq!(decide(&order, &ask(1_000)).unwrap().amount, Money::from_cents(1_000));
    let worth = Money::from_cents(1_800);
    assert_eq!(
        decide(&order, &ask(1_801)),
        Err(faults(vec![(RefundPlace::Amount, RefundFault::AboveWorth { worth })]))
    );
    let cancelled = decide(&order, &ask(0)).unwrap();
    assert_eq!((cancelled.state, seats(&cancelled).len()), (OrderRefundState::Done { at: now() }, 1));
    // The partner gave money back by itself.
    let remainder = Money::from_cents(1_700);
    let refunded = order.total.checked_sub(remainder).unwrap();
    let poorer = Order { refunded, ..order };
    assert_eq!(decide(&poorer, &ask(1_800)), Err(RefundRefused::ExceedsRemainder { remainder }));
    assert_eq!(decide(&poorer, &ask(1_700)).unwrap().amount, remainder);
}

#[test]
fn tickets_that_let_somebody_in_are_given_back_last_and_only_by_force() {
    let mut order = mixed();
    let all = current(&order);
    let entry = crate::order::Passage { kind: crate::order::ScanType::Entry, at: now(), terminal: None };
    order.admission.pass(&all[2], &entry);
    let given = refund(&order, vec![some("11", 2)]).unwrap();
    assert_eq!(given.items[0].tickets, [all[1].id.clone(), all[0].id.clone()]);
    assert!(!given.forced);
    let named = |units: Units| refund(&order, vec![NamedItem { item: item("11"), units }]);
    let never = u32::try_from(all.len() - 1).unwrap();
    for (found, place, fault) in [
        (
            refund(&order, vec![some("11", 3)]),
            RefundPlace::Quantity(0),
            RefundFault::OthersAdmitted { never: 2 },
        ),
        (named(Units::All), RefundPlace::Item(0), RefundFault::OthersAdmitted { never: 2 }),
        (
            named(Units::Tickets(vec![all[0].id.clone(), all[2].id.clone()])),
            RefundPlace::Ticket(0, 1),
            RefundFault::Admitted,
        ),
        (
            decide(&order, &request(RefundScope::WholeOrder)),
            RefundPlace::WholeOrder,
            RefundFault::OthersAdmitted { never },
        ),
    ] {
        let faults = vec![(place, fault)];
        assert_eq!(found, Err(RefundRefused::Faults { faults, admitted: vec![all[2].id.clone()] }));
    }
    let by_force = OrderRefundRequest { force: true, ..request(RefundScope::WholeOrder) };
    assert!(decide(&order, &by_force).unwrap().forced);
}

#[test]
fn an_order_that_cost_nothing_is_cancelled_at_once() {
    let free = Order { payment: None, ..order(&[tickets("11", DAY, amounts(2, 0, 0))]) };
    let given = decide(&free, &request(RefundScope::WholeOrder)).unwrap();
    assert_eq!((given.amount, given.state), (Money::ZERO, OrderRefundState::Done { at: now() }));
    assert_eq!(seats(&given), [(DAY.to_owned(), 2)]);
}

#[test]
fn tickets_that_came_of_an_exchange_are_given_back_by_their_own_item() {
    let order = mixed();
    let Some(OrderLine::Ticket(line)) = order.lines.first().cloned() else { panic!("tickets") };
    let units = line.amounts.of_units(2);
    let moved = crate::order::OrderTicketLine {
        id: item("41"),
        instance: crate::InstanceId::parse(NIGHT).unwrap(),
        amounts: units,
        ..line
    };
    let tickets = current(&order)[..2].iter().map(|ticket| ticket.id.clone()).collect();
    let exchange: crate::order::Exchange = serde_json::from_value(json!({
        "number": 0, "at": 0, "by": "Office", "fee": 0,
        "moved": [MovedLine { from: item("11"), tickets, line: moved, successors: Vec::new() }],
    }))
    .unwrap();
    let order = Order { after_sale: AfterSale::default().with_exchange(exchange), ..order };
    assert_eq!(order.total_left(), (order.total, order.retail_total));
    assert_eq!(
        refund(&order, vec![some("11", 2)]),
        Err(faults(vec![(RefundPlace::Quantity(0), RefundFault::TooMany { left: 1 })]))
    );
    let given = refund(&order, vec![some("41", 1)]).unwrap();
    assert_eq!((given.amount, seats(&given)), (Money::from_cents(1_800), vec![(NIGHT.to_owned(), 1)]));
    let all = decide(&after(&order, &given), &request(RefundScope::WholeOrder)).unwrap();
    assert_eq!(all.amount.checked_add(given.amount), Ok(order.total));
}

#[test]
fn an_order_takes_two_hundred_refunds() {
    let order = mixed();
    let one = refund(&order, vec![some("11", 1)]).unwrap();
    let done = OrderRefund { state: OrderRefundState::Done { at: now() }, items: Vec::new(), ..one };
    let with = |count: usize| Order {
        after_sale: AfterSale { refunds: vec![done.clone(); count], ..order.after_sale.clone() },
        ..order.clone()
    };
    let last = |count: usize| refund(&with(count), vec![some("12", 1)]);
    assert_eq!(last(MAX_ORDER_REFUNDS), Err(RefundRefused::TooManyRefunds));
    assert!(last(MAX_ORDER_REFUNDS - 1).is_ok());
    // What remains of the money is told first.
    let poorer = Order { refunded: order.total, ..with(MAX_ORDER_REFUNDS) };
    let remainder = Money::ZERO;
    assert_eq!(refund(&poorer, vec![some("12", 1)]), Err(RefundRefused::ExceedsRemainder { remainder }));
}

#[test]
fn amounts_that_do_not_add_up_to_one_are_refused() {
    let half = i64::MAX / 2 + 1;
    let mut huge = order(&[tickets("11", DAY, amounts(1, 1, 1)), tickets("12", DAY, amounts(1, 1, 1))]);
    for line in &mut huge.lines {
        if let OrderLine::Ticket(line) = line {
            line.amounts.amount = Money::from_cents(half);
        }
    }
    assert_eq!(decide(&huge, &request(RefundScope::WholeOrder)), Err(RefundRefused::TooLarge));
    let one =
        OrderRefundRequest { amount: Some(Money::ZERO), ..request(RefundScope::Items(vec![some("11", 1)])) };
    assert!(decide(&huge, &one).is_ok());
}

/// A line with the tax that it contains at this rate.
fn taxed(mut line: Value, rate: u32) -> Value {
    let amount = Money::from_cents(line["amounts"]["amount"].as_i64().unwrap());
    let rate = Percent::parse(&format!("{}.{:02}", rate / 100, rate % 100)).unwrap();
    let tax = Tax { rate, name: Some("VAT".to_owned()) };
    line["tax"] = json!(tax.in_amount(amount).unwrap());
    line
}

#[test]
fn a_refund_gives_back_the_tax_of_what_it_gives_back() {
    // Three tickets at 10.00 with 20 %, of which 5.00 are tax, and one of 5.00 with 7 %.
    let order = order(&[
        taxed(tickets("11", DAY, amounts(3, 1_000, 1_000)), 2_000),
        taxed(tickets("12", DAY, amounts(1, 500, 500)), 700),
        add_on("21", amounts(1, 700, 700)),
    ]);
    let told = |refund: &OrderRefund| -> Vec<String> {
        refund.taxes.iter().map(|share| format!("{} {}", share.tax.rate, share.amount)).collect()
    };
    let first = refund(&order, vec![some("11", 1)]).unwrap();
    assert_eq!(told(&first), ["20.00 1.67"]);
    let state = after(&order, &first);
    assert_eq!(state.taxes_left().iter().map(|share| share.amount.cents()).collect::<Vec<_>>(), [333, 33]);
    let second = refund(&state, vec![some("11", 1), some("12", 1)]).unwrap();
    assert_eq!(told(&second), ["20.00 1.66", "7.00 0.33"]);
    // Half of the money: the rest stays sold with its tax.
    let half = OrderRefundRequest {
        amount: Some(Money::from_cents(750)),
        ..request(RefundScope::Items(vec![some("11", 1), some("12", 1)]))
    };
    assert_eq!(told(&decide(&state, &half).unwrap()), ["20.00 0.83", "7.00 0.17"]);
    let free = OrderRefundRequest { amount: Some(Money::ZERO), ..half };
    assert!(decide(&state, &free).unwrap().taxes.is_empty());
    let last = decide(&after(&state, &second), &request(RefundScope::WholeOrder)).unwrap();
    assert_eq!(told(&last), ["20.00 1.67"]);
}

/// Prices and quantities of lines, of which the last is of combos whose price does not divide evenly.
fn orders() -> impl Strategy<Value = Order> {
    proptest::collection::vec((1_u32..6, 0_i64..2_500, 0_i64..300, 0_u32..=10_000), 1..5).prop_map(|rows| {
        let mut lines: Vec<Value> = Vec::new();
        for (place, (quantity, unit, off, rate)) in rows.into_iter().enumerate() {
            let instance = if place % 2 == 0 { DAY } else { NIGHT };
            let mut line = tickets(&format!("1{place}"), instance, amounts(quantity, unit + off, unit));
            // What came of a price that does not divide evenly.
            line["amounts"]["amount"] = json!(unit * i64::from(quantity) + off % 7);
            lines.push(taxed(line, rate));
        }
        lines.push(taxed(add_on("21", amounts(3, 700, 650)), 2_000));
        lines.push(taxed(combo(), 700));
        order(&lines)
    })
}

proptest! {
    /// What is to be kept of a line, and what is to be given back of it, are two ways to ask for one refund.
    #[test]
    fn to_keep_some_of_a_line_is_to_give_back_the_others(
        order in orders(),
        place in 0_usize..8,
        gone in 0_u32..4,
        kept in 0_u32..8,
    ) {
        let row = order.rows().map(|row| row.id().clone()).nth(place % order.rows().count()).unwrap();
        let of = |units: Units| RefundScope::Items(vec![NamedItem { item: row.clone(), units }]);
        let earlier = NonZeroU32::new(gone).and_then(|gone| decide(&order, &request(of(Units::Some(gone)))).ok());
        let order = earlier.map_or_else(|| order.clone(), |given| after(&order, &given));
        let left = order.rows().find(|found| *found.id() == row).map(|found| order.left_of(found).quantity);
        let left = left.unwrap();
        let asked = decide_any(&order, &request(of(Units::AllBut(kept))));
        match left.checked_sub(kept).map(NonZeroU32::new) {
            Some(Some(units)) => {
                prop_assert_eq!(asked, decide_any(&order, &request(of(Units::Some(units)))));
            }
            Some(None) => prop_assert_eq!(asked, Ok(None)),
            None => {
                let fault = (RefundPlace::Quantity(0), RefundFault::TooMany { left });
                prop_assert_eq!(asked, Err(faults(vec![fault])));
            }
        }
    }

    /// Whatever is refunded in whatever parts: money, seats, units, tickets and uses add up to what was sold.
    #[test]
    fn any_refunds_of_an_order_add_up_to_the_order(
        order in orders(),
        picks in proptest::collection::vec((0_usize..8, 1_u32..4), 0..20),
        carried_out in proptest::collection::vec(any::<bool>(), 20),
    ) {
        let mut state = order.clone();
        let mut done: Vec<OrderRefund> = Vec::new();
        for ((place, units), success) in picks.into_iter().zip(carried_out) {
            let rows: Vec<OrderItemId> = state.rows().map(|row| row.id().clone()).collect();
            let named = NamedItem {
                item: rows[place % rows.len()].clone(),
                units: Units::Some(NonZeroU32::new(units).unwrap()),
            };
            let Ok(given) = refund(&state, vec![named]) else { continue };
            if success || !given.is_pending() {
                state = after(&state, &given);
                done.push(given);
            } else {
                let taken = state.after_sale.with_refund(given.clone());
                state.after_sale = taken.without_refund(&given.id);
            }
        }
        if let Ok(rest) = decide(&state, &request(RefundScope::WholeOrder)) {
            state = after(&state, &rest);
            done.push(rest);
        }
        prop_assert_eq!(state.refunded, order.total);
        prop_assert_eq!(state.total_left(), (Money::ZERO, Money::ZERO));
        let given_back = Taxes::of(done.iter().flat_map(|given| given.taxes.iter().cloned())).unwrap();
        for share in order.taxes().iter() {
            prop_assert_eq!(given_back.amount_of(&share.tax), share.amount, "{:?}", &share.tax);
        }
        prop_assert!(state.taxes_left().iter().all(|share| share.amount.is_zero()));
        let mut seats = BTreeMap::new();
        for (instance, count) in done.iter().flat_map(|given| &given.releases.seats) {
            *seats.entry(*instance).or_insert(0) += count;
        }
        prop_assert_eq!(seats, order.seats());
        let named: Vec<&TicketId> = done.iter().flat_map(|given| &given.items).flat_map(|item| &item.tickets).collect();
        let different: BTreeSet<&TicketId> = named.iter().copied().collect();
        prop_assert_eq!((named.len(), different.len()), (tickets_of(&order).len(), named.len()));
        let units: u32 = done.iter().flat_map(|given| given.releases.stock.values()).sum();
        prop_assert_eq!(units, 3);
        let coupons = done.iter().map(|given| given.releases.coupons.len()).sum::<usize>();
        prop_assert_eq!(coupons, 1);
    }
}
