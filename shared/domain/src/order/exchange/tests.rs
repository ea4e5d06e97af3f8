use super::*;
use crate::ScheduleId;
use crate::ledger::SlotState;
use crate::order::OrderLine;
use crate::order::refund::tests::{amounts, current, mixed, order, tickets};
use serde_json::{Value, json};

const GALLERY: &str = "6f2e91b0c47d5a3e18b90f42";

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn at(local: &str) -> Timestamp {
    zone().parse_instant(local).unwrap()
}

/// The gallery, at 18.00 by day and 20.00 in the evening.
fn gallery(fields: Value) -> Template {
    let list = |id: &str, price: u32| json!({"id": id, "name": id, "prices": [{"ticket_type": "adult", "price": price, "display_order": 1}]});
    let schedule = |id: &str| json!({"id": id, "name": id, "weekdays": ["monday"], "hours": [], "price_lists": [id], "capacity": 10});
    let mut stored = json!({
        "id": GALLERY, "name": "Gallery", "description": "", "short_description": "", "start": at("2027-01-01"),
        "review_state": "Published", "duration_minutes": 60, "capacity": 10, "last_updated": at("2027-01-01"),
        "price_lists": [list("day", 1_800), list("evening", 2_000)],
        "schedules": [schedule("day"), schedule("evening")], "venue": {"rebooking_fee": 250},
    });
    stored.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(stored).unwrap()
}

fn slot(template: &Template, schedule: &str, local: &str) -> InstanceId {
    let schedule = ScheduleId::parse(schedule).unwrap();
    InstanceId::of(&template.id, Some(&schedule), at(local).naive_utc(), at(local)).unwrap()
}

fn ledger(template: &Template, schedule: &str, local: &str, free: u32) -> Ledger {
    let instance = slot(template, schedule, local);
    let stored = json!({
        "instance": instance, "template": template.id, "shard": 0, "start": at(local).timestamp_millis(),
        "end": at(local).timestamp_millis() + 3_600_000, "state": "active", "size": 10, "free": free, "sold": 10 - free,
    });
    serde_json::from_value(stored).unwrap()
}

/// Three tickets at 18.00 for a morning, under the name of the gallery's template.
fn morning() -> Order {
    order(&[visit("11", 3)])
}

/// So many tickets of that morning.
fn visit(id: &str, quantity: u32) -> Value {
    let instance = slot(&gallery(json!({})), "day", "2027-06-03T10:00");
    let mut line = tickets(id, &instance.to_string(), amounts(quantity, 1_800, 1_800));
    line["template"] = GALLERY.into();
    line["event_start"] = at("2027-06-03T10:00").timestamp_millis().into();
    line
}

#[derive(Default)]
struct Numbers(u64);

impl Generate for Numbers {
    type Error = ();

    fn item(&mut self) -> Result<OrderItemId, ()> {
        self.0 += 1;
        Ok(OrderItemId::from_bits(900 + self.0))
    }

    fn ticket(&mut self) -> Result<(TicketId, TicketBarcode), ()> {
        self.0 += 1;
        Ok((TicketId::from_bits(900 + self.0), TicketBarcode::from_bytes([9; 16])))
    }
}

fn request(scope: ExchangeScope) -> ExchangeRequest {
    let event = slot(&gallery(json!({})), "day", "2027-06-04T10:00");
    let order = OrderId::parse("31840526").unwrap();
    ExchangeRequest { order, scope, event, fee: FeeWish::Due, send_email: false, force: false }
}

/// So many tickets of an item; nothing is all that are left.
fn some(item: &str, units: u32) -> ExchangeScope {
    ExchangeScope::Items(vec![wanted(item, units)])
}

fn wanted(item: &str, units: u32) -> ExchangeItem {
    ExchangeItem { item: OrderItemId::parse(item).unwrap(), units: NonZeroU32::new(units) }
}

fn line(units: u32) -> ExchangeScope {
    some("11", units)
}

fn decide(
    order: &Order,
    request: &ExchangeRequest,
    template: &Template,
    ledger: &Ledger,
) -> Result<DecidedExchange, ExchangeRefused> {
    let facts = ExchangeFacts {
        order,
        tickets: &current(order),
        template: Some(template),
        ledger: Some(ledger),
        zone: zone(),
        by: "Office",
        operator: None,
        fingerprint: None,
        now: at("2027-06-01"),
    };
    decide_exchange(request, &facts, &mut Numbers::default()).unwrap()
}

#[test]
fn tickets_move_to_a_line_of_their_own_with_new_barcodes_and_the_fee() {
    let (order, gallery) = (morning(), gallery(json!({})));
    let next_day = ledger(&gallery, "day", "2027-06-04T10:00", 2);
    let decided = decide(&order, &request(line(2)), &gallery, &next_day).unwrap();
    assert_eq!(decided.exchange.fee, Money::from_cents(500));
    assert_eq!((decided.taken, decided.back.values().copied().collect::<Vec<_>>()), (2, vec![2]));
    assert_eq!(decided.tickets.len(), 2);
    let [moved] = decided.exchange.moved.as_slice() else { panic!("one line") };
    assert_eq!((moved.line.instance, moved.line.amounts.quantity), (next_day.instance, 2));
    assert_eq!(moved.line.event_start, next_day.start);
    assert!(decided.tickets.iter().all(|ticket| ticket.line == moved.line.id));
    let after_sale = order.after_sale.with_exchange(decided.exchange);
    let after = Order { after_sale, ..order.clone() };
    assert_eq!((after.total_left(), after.fees_due()), (order_totals(&order), Money::from_cents(500)));
    let statuses: Vec<TicketStatus> = current(&after).iter().map(|ticket| ticket.status).collect();
    assert_eq!(statuses, [TicketStatus::Normal, TicketStatus::Exchanged, TicketStatus::Exchanged]);
    let again = decide(&after, &request(line(2)), &gallery, &next_day);
    let left = vec![(ExchangePlace::Quantity(0), ExchangeFault::TooMany { left: 1 })];
    assert_eq!(again, Err(ExchangeRefused::Faults { faults: left, admitted: Vec::new() }));
}

fn order_totals(order: &Order) -> (Money, Money) {
    (order.total, order.retail_total)
}

#[test]
fn several_items_move_together_each_to_a_line_of_its_own() {
    let gallery = gallery(json!({}));
    let order = order(&[visit("11", 3), visit("12", 2)]);
    let next_day = ledger(&gallery, "day", "2027-06-04T10:00", 5);
    let both = ExchangeScope::Items(vec![wanted("11", 2), wanted("12", 1)]);
    let decided = decide(&order, &request(both), &gallery, &next_day).unwrap();
    let moved: Vec<(&str, usize)> =
        decided.exchange.moved.iter().map(|moved| (moved.from.as_str(), moved.tickets.len())).collect();
    assert_eq!(
        (moved, decided.taken, decided.exchange.fee),
        (vec![("11", 2), ("12", 1)], 3, Money::from_cents(750))
    );
    // What stands against it is told of each, and nothing moves.
    let faulty =
        ExchangeScope::Items(vec![wanted("11", 4), wanted("12", 1), wanted("12", 1), wanted("12", 9)]);
    let twice = |place| (ExchangePlace::Item(place), ExchangeFault::NamedTwice);
    let too_many = (ExchangePlace::Quantity(0), ExchangeFault::TooMany { left: 3 });
    let faults = vec![too_many, twice(2), twice(3)];
    assert_eq!(
        decide(&order, &request(faulty), &gallery, &next_day),
        Err(ExchangeRefused::Faults { faults, admitted: Vec::new() })
    );
}

#[test]
fn a_fee_that_is_waived_is_kept_and_not_owed() {
    let (order, gallery) = (morning(), gallery(json!({})));
    let next_day = ledger(&gallery, "day", "2027-06-04T10:00", 5);
    let waived = ExchangeRequest { fee: FeeWish::Waived, ..request(line(0)) };
    let exchange = decide(&order, &waived, &gallery, &next_day).unwrap().exchange;
    assert_eq!((exchange.fee, exchange.due()), (Money::from_cents(750), Money::ZERO));
}

#[test]
fn what_stands_against_an_exchange_is_told_with_its_place() {
    use ExchangeFault::{NamedTwice, OtherDay, OtherPrice, OtherTemplate, PartOfCombo, SameEvent, TooMany};
    let gallery = gallery(json!({}));
    let next_day = ("day", "2027-06-04T10:00");
    let order = morning();
    let mut members = morning();
    if let Some(crate::order::OrderLine::Ticket(line)) = members.lines.first_mut() {
        line.applied =
            Some(AppliedPrice::Member { level: crate::LevelId::parse("family").unwrap(), membership: None });
    }
    let ids = |numbers: &[&str]| {
        ExchangeScope::Tickets(numbers.iter().map(|number| TicketId::parse(number).unwrap()).collect())
    };
    let item = |id: &str| some(id, 0);
    for (case, order, scope, (schedule, local), expected) in [
        ("too many", &order, line(4), next_day, vec![(ExchangePlace::Quantity(0), TooMany { left: 3 })]),
        ("twice", &order, ids(&["1", "1"]), next_day, vec![(ExchangePlace::Ticket(1), NamedTwice)]),
        ("same", &order, line(1), ("day", "2027-06-03T10:00"), vec![(ExchangePlace::Event, SameEvent)]),
        (
            "dearer",
            &order,
            line(1),
            ("evening", "2027-06-03T19:00"),
            vec![(ExchangePlace::Event, OtherPrice)],
        ),
        ("another day", &members, line(1), next_day, vec![(ExchangePlace::Event, OtherDay)]),
        ("of a combo", &mixed(), ids(&["5"]), next_day, vec![(ExchangePlace::Ticket(0), PartOfCombo)]),
        ("combo", &mixed(), item("30"), next_day, vec![(ExchangePlace::Item(0), PartOfCombo)]),
        ("part", &mixed(), item("31"), next_day, vec![(ExchangePlace::Item(0), PartOfCombo)]),
        (
            "not tickets",
            &mixed(),
            item("21"),
            next_day,
            vec![(ExchangePlace::Item(0), ExchangeFault::WithoutTickets)],
        ),
        ("other event", &mixed(), line(1), next_day, vec![(ExchangePlace::Event, OtherTemplate)]),
    ] {
        let found = decide(order, &request(scope), &gallery, &ledger(&gallery, schedule, local, 5));
        assert_eq!(found, Err(ExchangeRefused::Faults { faults: expected, admitted: Vec::new() }), "{case}");
    }
    let same_day = ledger(&gallery, "day", "2027-06-03T15:00", 5);
    assert!(decide(&members, &request(line(1)), &gallery, &same_day).is_ok());
    for (scope, place) in
        [(ids(&["1", "99"]), ExchangePlace::Ticket(1)), (item("99"), ExchangePlace::Item(0))]
    {
        let found =
            decide(&order, &request(scope), &gallery, &ledger(&gallery, "day", "2027-06-04T10:00", 5));
        assert_eq!(found, Err(ExchangeRefused::Unknown(vec![place])));
    }
}

#[test]
fn an_exchange_needs_an_open_instance_with_enough_seats() {
    let order = morning();
    let draft = gallery(json!({"review_state": "Draft"}));
    let gallery = gallery(json!({}));
    let next_day = ledger(&gallery, "day", "2027-06-04T10:00", 2);
    let cancelled = Ledger { state: SlotState::Cancelled, ..next_day.clone() };
    let over = ledger(&gallery, "day", "2027-05-03T10:00", 5);
    for (template, ledger, expected) in [
        (&gallery, &cancelled, ExchangeRefused::Closed),
        (&gallery, &over, ExchangeRefused::Closed),
        (&draft, &next_day, ExchangeRefused::Closed),
        (&gallery, &next_day, ExchangeRefused::NotEnough { available: 2 }),
        (
            &gallery,
            &Ledger { state: SlotState::Removed, ..next_day.clone() },
            ExchangeRefused::Unknown(vec![ExchangePlace::Event]),
        ),
    ] {
        assert_eq!(decide(&order, &request(line(3)), template, ledger), Err(expected));
    }
}

#[test]
fn an_order_with_a_refund_under_way_or_with_fifty_exchanges_is_not_exchanged() {
    let (order, gallery) = (morning(), gallery(json!({})));
    let next_day = ledger(&gallery, "day", "2027-06-04T10:00", 5);
    let pending: crate::order::OrderRefund = serde_json::from_value(json!({
        "id": "refund_1", "number": 0, "at": 0, "state": {"state": "pending"}, "amount": 100, "items": [], "by": "",
    }))
    .unwrap();
    let made: Exchange =
        serde_json::from_value(json!({"number": 0, "at": 0, "by": "", "moved": [], "fee": 0})).unwrap();
    let after = |refunds: &[crate::order::OrderRefund], exchanges: usize| Order {
        after_sale: crate::order::AfterSale {
            version: 1,
            refunds: refunds.to_vec(),
            exchanges: vec![made.clone(); exchanges],
        },
        ..order.clone()
    };
    let decided = |order: &Order| decide(order, &request(line(1)), &gallery, &next_day);
    let id = pending.id.clone();
    assert_eq!(decided(&after(&[pending], MAX_EXCHANGES)), Err(ExchangeRefused::Pending(id)));
    assert_eq!(decided(&after(&[], MAX_EXCHANGES)), Err(ExchangeRefused::TooManyExchanges));
    assert!(decided(&after(&[], MAX_EXCHANGES - 1)).is_ok());
}

#[test]
fn a_fee_that_fits_no_amount_is_refused() {
    let gallery = gallery(json!({"venue": {"rebooking_fee": i64::MAX}}));
    let next_day = ledger(&gallery, "day", "2027-06-04T10:00", 5);
    let decided = |units: u32| decide(&morning(), &request(line(units)), &gallery, &next_day);
    assert_eq!(decided(2), Err(ExchangeRefused::TooLarge));
    assert_eq!(decided(1).unwrap().exchange.fee, Money::from_cents(i64::MAX));
}

/// An exchange of so many tickets of a line for another day, as the order with this number of exchanges lists it.
fn moved_to(order: &Order, units: u32, from: &str, instance: InstanceId) -> Exchange {
    let from = OrderItemId::parse(from).unwrap();
    let row = order.rows().find(|row| *row.id() == from).unwrap();
    let number = order.after_sale.exchanges.len();
    let line = OrderTicketLine {
        id: OrderItemId::parse(&format!("90{number}")).unwrap(),
        instance,
        amounts: row.amounts().of_units(units),
        ..row.tickets()[0].clone()
    };
    let moved = vec![MovedLine { from, tickets: Vec::new(), line, successors: Vec::new() }];
    let stored = json!({"number": number, "at": 0, "by": "Office", "moved": moved, "fee": 0});
    serde_json::from_value(stored).unwrap()
}

#[test]
fn an_add_on_goes_where_the_last_tickets_of_its_event_went() {
    let template = gallery(json!({}));
    let day = |number: u32| slot(&template, "day", &format!("2027-06-{number:02}T10:00"));
    let mut sold = serde_json::to_value(morning().lines).unwrap();
    let guide = json!({"line": "addOn", "id": "12", "inventory": 74, "name": "Guide", "instance": day(3),
        "amounts": amounts(1, 450, 450)});
    let lines = sold.as_array_mut().unwrap();
    lines.push(guide);
    let guided = order(lines);
    // Units, of which line, to which day; then where the guide is.
    for (moves, expected) in [
        (&[][..], 3),
        (&[(2, "11", 4)][..], 3),
        (&[(2, "11", 4), (1, "11", 5)], 5),
        (&[(3, "11", 4)], 4),
        (&[(3, "11", 4), (1, "900", 5)], 4),
        (&[(3, "11", 4), (3, "900", 5)], 5),
        (&[(3, "11", 4), (3, "900", 3)], 3),
        (&[(3, "11", 4), (3, "900", 3), (3, "901", 6)], 6),
    ] {
        let mut order = guided.clone();
        for (units, from, to) in moves {
            let exchange = moved_to(&order, *units, from, day(*to));
            order.after_sale = order.after_sale.with_exchange(exchange);
        }
        let Some(OrderLine::AddOn(guide)) = order.lines.last() else { panic!("the guide is the last line") };
        assert_eq!(order.instance_of(guide), Some(day(expected)), "{moves:?}");
    }
}
