use super::*;
use crate::catalog::AdmissionType;
use crate::order::{OrderAmounts, OrderLine, OrderTicketLine, Ticket, TicketStatus};
use crate::sale::Sale;
use crate::{Currency, InstanceId, Money, OrderItemId, TemplateId, TicketBarcode, TicketId, TicketTypeId};
use proptest::prelude::*;
use serde_json::{Value, json};

const SLOT: &str = "7a10c4e2b95d3f0816e4a2c1";

fn at(secs: i64) -> Timestamp {
    chrono::DateTime::from_timestamp(1_800_000_000 + secs, 0).unwrap()
}

fn terms() -> ReconciliationTerms {
    ReconciliationTerms { now: at(0), chosen_now: None, with_payments: true }
}

/// An order of free tickets that is in this state.
fn order(id: u64, state: Value, tickets: u32) -> Order {
    let none = Money::ZERO;
    let line = OrderLine::Ticket(OrderTicketLine {
        id: OrderItemId::parse("1").unwrap(),
        instance: InstanceId::parse(SLOT).unwrap(),
        shard: 0,
        template: TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap(),
        ticket_type: TicketTypeId::parse("66d1b2f0a93c4e517720bb01").unwrap(),
        event_name: String::new(),
        ticket_type_name: String::new(),
        event_start: at(0),
        admission: AdmissionType::Standard,
        hide_event_date: false,
        applied: None,
        cart_item: None,
        tax: None,
        amounts: OrderAmounts {
            quantity: tickets,
            retail_unit: none,
            unit: none,
            retail_amount: none,
            amount: none,
        },
    });
    let stored = json!({
        "id": id.to_string(), "tenant": 204, "number": "100731946", "state": state, "visitor": "1",
        "contact": {}, "billing": {}, "lines": [line], "total": 0, "retail_total": 0, "send_email": false,
        "created_at": 0,
    });
    serde_json::from_value(stored).unwrap()
}

fn paid() -> Value {
    json!({"state": "paid", "at": 0})
}

fn pending(deadline: Timestamp) -> Value {
    json!({"state": "pending", "deadline": deadline.timestamp_millis()})
}

fn void() -> Value {
    json!({"state": "void", "at": 0})
}

/// An order with tickets of these numbers.
fn records(order: Order, tickets: impl IntoIterator<Item = u64>) -> OrderRecords {
    let ticket = |number: u64| Ticket {
        id: TicketId::parse(&number.to_string()).unwrap(),
        barcode: TicketBarcode::from_bytes(u128::from(number).to_be_bytes()),
        line: OrderItemId::parse("1").unwrap(),
        status: TicketStatus::Normal,
        printed: false,
    };
    let due_at = match order.state {
        crate::order::OrderState::Pending { deadline } => Some(deadline.timestamp()),
        crate::order::OrderState::Paid { .. } | crate::order::OrderState::Void { .. } => None,
    };
    OrderRecords {
        order,
        due_at,
        tickets: tickets.into_iter().map(ticket).collect(),
        mails: Vec::new(),
        lookups: Vec::new(),
    }
}

fn told(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

fn seats() -> Count {
    Count::Seats(InstanceId::parse(SLOT).unwrap())
}

#[test]
fn pending_and_paid_orders_take_their_seats_and_undone_ones_none() {
    for (state, taken) in
        [(paid(), vec![(seats(), 2)]), (pending(at(0)), vec![(seats(), 2)]), (void(), vec![])]
    {
        assert_eq!(uses_of(&order(1, state, 2)), taken);
    }
}

#[test]
fn an_order_of_a_chosen_clock_is_overdue_by_that_clock_alone() {
    let mut chosen = order(1, pending(at(-1_000)), 0);
    chosen.chosen_clock = true;
    let real = Order { chosen_clock: false, ..chosen.clone() };
    let early = Some(at(-1_000));
    for (order, chosen_now, overdue) in [
        (&real, None, true),
        (&real, early, true),
        (&chosen, None, false),
        (&chosen, early, false),
        (&chosen, Some(at(0)), true),
    ] {
        let mut books = Books::open(ReconciliationTerms { chosen_now, ..terms() });
        books.enter_order(&records(order.clone(), []));
        let found = books.take_findings();
        assert_eq!(found.len(), usize::from(overdue), "{chosen_now:?} {:?}", told(&found));
    }
}

#[test]
fn tickets_that_are_there_twice_are_told_with_both_orders_and_without_what_opens_the_gate() {
    let orders = [records(order(1, paid(), 2), [10, 11]), records(order(2, paid(), 2), [11, 12])];
    let mut books = Books::open(terms());
    orders.iter().for_each(|records| books.enter_order(records));
    let suspected = books.take_findings();
    let mut look = SecondLook::at([], &suspected);
    orders.iter().for_each(|records| look.enter(records));
    let found = look.repeated();
    // Both the id and the barcode are there twice.
    assert_eq!(told(&found), ["order 2: ticket 11 has the id or barcode of one of order 1"; 2],);
    assert_eq!(
        found.iter().map(Finding::subject).collect::<Vec<_>>(),
        suspected.iter().map(Finding::subject).collect::<Vec<_>>()
    );
}

#[test]
fn a_sum_is_settled_when_no_order_of_it_changed_between_two_walks() {
    let walk = |orders: &[Order]| {
        let mut look = SecondLook::at([seats()], &[]);
        orders.iter().for_each(|order| look.enter(&records(order.clone(), [])));
        look
    };
    let before = [order(1, pending(at(0)), 1), order(2, paid(), 1)];
    let mut refunded = order(2, paid(), 1);
    refunded.after_sale.version = 1;
    let elsewhere = Order { lines: Vec::new(), ..order(4, paid(), 0) };
    for (after, is_settled) in [
        (before.to_vec(), true),
        (vec![order(2, paid(), 1), order(1, paid(), 1)], true),
        (vec![elsewhere, order(1, paid(), 1), order(2, paid(), 1)], true),
        // One gave its seat back and another took it: the counter is as it was.
        (vec![order(1, void(), 1), order(2, paid(), 1), order(3, paid(), 1)], false),
        // It came and went.
        (vec![order(1, paid(), 1), order(2, paid(), 1), order(3, void(), 1)], false),
        (vec![order(1, paid(), 1), refunded], false),
    ] {
        assert_eq!(walk(&after).is_settled(&seats(), &walk(&before)), is_settled, "{after:?}");
    }
}

/// What a refund of the back office looks like in its order.
fn listed_refund(state: Value, amount: i64, seats: u32) -> Value {
    json!({
        "id": "refund_1", "number": 0, "at": 0, "state": state, "amount": amount, "items": [],
        "given_back": {"seats": {SLOT: seats}}, "by": "Office",
    })
}

#[test]
fn what_refunds_gave_back_and_exchanges_moved_is_used_no_more() {
    let other = "7a10c4e2b95d3f0816e4a2c2";
    let mut changed = order(1, paid(), 5);
    let mut moved = serde_json::to_value(&changed.lines[0]).unwrap();
    (moved["id"], moved["instance"], moved["amounts"]["quantity"]) = ("2".into(), other.into(), 2.into());
    let done = listed_refund(json!({"state": "done", "at": 0}), 0, 1);
    let under_way = listed_refund(json!({"state": "pending"}), 0, 1);
    changed.after_sale = serde_json::from_value(json!({
        "version": 3, "refunds": [done, under_way],
        "exchanges": [{"number": 2, "at": 0, "by": "Office", "fee": 0,
            "moved": [{"from": "1", "tickets": ["10", "11"], "line": moved}]}],
    }))
    .unwrap();
    let other = Count::Seats(InstanceId::parse(other).unwrap());
    let used = |count: &Count| -> i64 {
        uses_of(&changed).into_iter().filter(|(found, _)| found == count).map(|(_, used)| used).sum()
    };
    assert_eq!((used(&seats()), used(&other)), (2, 2));
}

#[test]
fn a_refund_that_the_sale_says_nothing_of_is_found() {
    let mut refunded = order(1, paid(), 0);
    let rate_card = json!({"percentage": "2.90", "fixed": 30});
    let card =
        json!({"brand": "Visa", "last_four": "4242", "expiry": crate::card::Expiry::parse("0929").unwrap()});
    let sale_id = SaleId::from_bytes([1; 16]);
    refunded.payment = Some(
        serde_json::from_value(json!({"sale": sale_id, "mid": "60417", "amount": 0, "card": card,
            "rate_card": rate_card, "descriptor": ""}))
        .unwrap(),
    );
    let sale: crate::sale::Sale = serde_json::from_value(json!({"id": sale_id, "order": "1", "mid": "60417",
        "amount": 0, "remainder": 0, "rate_card": rate_card, "card": card, "captured_at": 0}))
    .unwrap();
    refunded.after_sale.refunds =
        serde_json::from_value(json!([listed_refund(json!({"state": "pending"}), 500, 0)])).unwrap();
    let mut books = Books::open(ReconciliationTerms { with_payments: false, ..terms() });
    books.enter_sale(&SaleRecord { sale, is_due: false });
    books.enter_order(&records(refunded, []));
    let expected = format!("order 1: gave back 5.00 by refund_1, of which sale {sale_id} says otherwise");
    let unworthy = "order 1: refund_1 is of 5.00, and what it names was 0.00".to_owned();
    assert_eq!(told(&books.take_findings()), [expected, unworthy]);
}

#[test]
fn money_of_an_order_nobody_knows_is_left_over() {
    let mut books = Books::open(terms());
    books.enter_captured(Captured {
        order: OrderId::parse("7").unwrap(),
        mid: crate::Mid::parse("60417").unwrap(),
        amount: Money::from_cents(1_800),
        currency: Currency::default(),
        refunds: Default::default(),
        reference: crate::PaymentReference::parse("sandbox_1").unwrap(),
    });
    let found = books.close();
    assert_eq!(told(&found), ["order 7: 18.00 was charged (sandbox_1), and there is no paid order"]);
}

#[test]
fn an_order_is_charged_and_sold_in_one_currency() {
    let (euro, sale_id) = (Currency::parse("EUR").unwrap(), SaleId::from_bytes([1; 16]));
    let reference = crate::PaymentReference::parse("sandbox_1").unwrap();
    let rate_card = json!({"percentage": "2.90", "fixed": 0});
    let expiry = crate::card::Expiry::parse("0929").unwrap();
    let card = json!({"brand": "Visa", "last_four": "4242", "expiry": expiry});
    let mut sold = order(1, paid(), 0);
    sold.payment = Some(
        serde_json::from_value(json!({"sale": sale_id, "mid": "60417", "amount": 0, "card": card,
            "rate_card": rate_card, "descriptor": ""}))
        .unwrap(),
    );
    let sale: crate::sale::Sale = serde_json::from_value(json!({"id": sale_id, "order": "1", "mid": "60417",
        "reference": reference, "amount": 0, "remainder": 0, "rate_card": rate_card, "card": card,
        "captured_at": 0}))
    .unwrap();
    assert_eq!((sold.currency, sale.currency), (Currency::USUAL, Currency::USUAL));
    let captured = Captured {
        order: sold.id.clone(),
        mid: sale.mid.clone(),
        amount: Money::ZERO,
        currency: Currency::USUAL,
        refunds: Default::default(),
        reference,
    };
    let found = |order: Currency, sale_in: Currency, charged: Currency| {
        let mut books = Books::open(terms());
        books.enter_sale(&SaleRecord { sale: Sale { currency: sale_in, ..sale.clone() }, is_due: false });
        books.enter_captured(Captured { currency: charged, ..captured.clone() });
        books.enter_order(&records(Order { currency: order, ..sold.clone() }, []));
        told(&books.take_findings())
    };
    let usual = Currency::USUAL;
    assert_eq!(found(usual, usual, usual), [""; 0]);
    assert_eq!(found(euro, euro, euro), [""; 0]);
    assert_eq!(found(euro, euro, usual), ["order 1: is sold in EUR, and was charged in USD"]);
    let expected = format!("order 1: is sold in USD, and sale {sale_id} is in EUR");
    assert_eq!(found(usual, euro, usual), [expected]);
}

proptest! {
    #[test]
    fn seats_agree_exactly_when_the_ledger_says_what_the_orders_come_to(
        quantities in proptest::collection::vec((1_u32..5, 0_u8..3), 0..20),
        off in -3_i64..4,
    ) {
        let mut books = Books::open(terms());
        let mut sold = 0;
        for (number, (quantity, kind)) in (1..).zip(&quantities) {
            let (state, tickets) = match kind {
                0 => (paid(), *quantity),
                1 => (pending(at(60)), 0),
                _ => (void(), 0),
            };
            sold += if *kind < 2 { i64::from(*quantity) } else { 0 };
            let first = number * 10;
            let of_order = records(order(number, state, *quantity), first..first + u64::from(tickets));
            books.enter_order(&of_order);
        }
        books.enter_counter(seats(), sold + off);
        let found = books.close();
        let expected = Finding::Counted { count: seats(), counted: sold + off, used: sold };
        prop_assert_eq!(found, if off == 0 { Vec::new() } else { vec![expected] });
    }
}

/// What is found of an order of five tickets with these refunds and exchanges.
fn found_after(after_sale: &Value) -> Vec<String> {
    let changed =
        Order { after_sale: serde_json::from_value(after_sale.clone()).unwrap(), ..order(1, paid(), 5) };
    let moved = changed.after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
    let moved: Vec<OrderItemId> = moved.map(|moved| moved.line.id.clone()).collect();
    let mut records = records(changed, 10..15);
    for (line, number) in moved.into_iter().zip(20..) {
        let ticket = Ticket { line, ..self::records(order(1, paid(), 1), [number]).tickets.remove(0) };
        records.tickets.push(ticket);
    }
    let mut books = Books::open(terms());
    books.enter_order(&records);
    told(&books.take_findings())
}

#[test]
fn refunds_and_exchanges_that_do_not_add_up_are_told() {
    let mut refund = listed_refund(json!({"state": "done", "at": 0}), 0, 2);
    let named = json!({"item": "1", "quantity": 2, "amount": 0, "retail_amount": 0, "tickets": ["10", "11"]});
    refund["items"] = json!([named]);
    let mut moved = serde_json::to_value(&order(1, paid(), 1).lines[0]).unwrap();
    moved["id"] = "2".into();
    let exchange = json!({"number": 2, "at": 0, "by": "Office", "fee": 0,
        "moved": [{"from": "1", "tickets": ["12"], "line": moved}]});
    let right = json!({"version": 2, "refunds": [refund], "exchanges": [exchange]});
    assert_eq!(found_after(&right), Vec::<String>::new());
    for (pointer, value, found) in [
        (
            "/refunds/0/items/0/tickets",
            json!(["10"]),
            &["order 1: line 1 has 2 tickets left, and 3 admit"][..],
        ),
        ("/refunds/0/items/0/quantity", json!(1), &["order 1: line 1 has 3 tickets left, and 2 admit"]),
        (
            "/refunds/0/items/0/quantity",
            json!(5),
            &[
                "order 1: more of line 1 was given back or exchanged than was sold",
                "order 1: line 1 has 0 tickets left, and 2 admit",
            ],
        ),
        (
            "/refunds/0/items/0/amount",
            json!(1),
            &["order 1: more of line 1 was given back or exchanged than was sold"],
        ),
        (
            "/refunds/0/amount",
            json!(1),
            &[
                "order 1: cost nothing, and gave back 0.01",
                "order 1: refund_1 is of 0.01, and what it names was 0.00",
            ],
        ),
        (
            "/exchanges/0/moved/0/tickets",
            json!([]),
            &[
                "order 1: line 2 has 1 tickets, and was exchanged for 0",
                "order 1: line 1 has 2 tickets left, and 3 admit",
            ],
        ),
        (
            "/refunds",
            json!([
                listed_refund(json!({"state": "pending"}), 0, 0),
                listed_refund(json!({"state": "pending"}), 0, 0),
            ]),
            &["order 1: 2 refunds are under way at once"],
        ),
    ] {
        let mut wrong = right.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        assert_eq!(found_after(&wrong), found, "{pointer}");
    }
}

/// Pointers are written before an order is paid, and may stay behind where it never is.
#[test]
fn what_leads_to_an_order_that_is_not_paid_is_counted_and_no_fault() {
    let mut books = Books::open(terms());
    books.enter_order(&records(order(1, void(), 0), []));
    for (place, to) in [("T#204#DAY#2027-01-15#3", "1"), ("T#204#EVENT#7", "2")] {
        books.enter_order_lookup(LookupPlace::of(place, to), &OrderId::parse(to).unwrap());
    }
    assert_eq!(books.checked().idle_lookups, 2);
    assert_eq!(told(&books.close()), Vec::<String>::new());
}

#[test]
fn an_order_is_found_by_what_leads_to_it_whichever_comes_first() {
    let (own, other) = (OrderId::parse("1").unwrap(), OrderId::parse("2").unwrap());
    let places = [LookupPlace::of("T#204#NUMBER#1", "NUMBER"), LookupPlace::of("T#204#EMAIL#1", "1")];
    let [number, contact] = places;
    let mut expected = records(order(1, paid(), 0), []);
    expected.lookups = vec![
        OrderLookup { by: OrderLead::Number, place: number },
        OrderLookup { by: OrderLead::Contact, place: contact },
    ];
    for (leads, found) in [
        (vec![(number, &own), (contact, &own)], vec![]),
        (vec![(number, &own)], vec!["order 1: not found by a contact"]),
        (vec![(number, &other), (contact, &own)], vec!["order 1: another one is found by its number"]),
    ] {
        for order_first in [true, false] {
            let mut books = Books::open(terms());
            if order_first {
                books.enter_order(&expected);
            }
            leads.iter().for_each(|(place, to)| books.enter_order_lookup(*place, to));
            if !order_first {
                books.enter_order(&expected);
            }
            assert_eq!(told(&books.close()), found, "the order first: {order_first}");
        }
    }
}
