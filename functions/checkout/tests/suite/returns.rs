//! Refunds of what was bought, and exchanges: what they answer, that all of it comes back once, and that no fault at
//! any step leaves anything in limbo.

use crate::catalog::{CHILD, COUPON, FREE, MEMBERSHIP, NIGHT, NUMBER, STOCKED, slot};
use crate::outside::{Mishap, Verb};
use crate::venue::{
    Answer, Ask, Process, VISA, Venue, after, ask, combos, new_membership, pay, renewal, t0, tenant_id,
    tickets, upgrade,
};
use domain::membership::Membership;
use domain::membership::force::MembershipStanding;
use domain::order::{Order, OrderLine, Row, Ticket};
use domain::sale::Sale;
use domain::{CouponId, InstanceId, InventoryId, MembershipId, OrderId};
use engine::{Fault, Throttling};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use store::counter::{Counter, uses_in};
use store::order::{DueClock, DueKind};
use store::{Consistency, Key};
use tokio::task::JoinSet;

/// Its refunds are refused.
pub(crate) const REFUSES_REFUNDS: &str = "4000000000005126";
/// Its refunds happen, and their answers are lost.
pub(crate) const LOSES_THE_ANSWER: &str = "4000000000000259";

pub(crate) fn staff(path: &str, body: Value) -> Ask {
    ask("POST", path, body).key("staff-204")
}

pub(crate) fn refund(order: &str, fields: Value) -> Ask {
    let mut body = json!({"orderId": order});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    staff("/v2/b2b/refunds", body)
}

pub(crate) fn exchange(order: &str, fields: Value) -> Ask {
    let mut body = json!({"orderId": order, "eventId": slot(1)});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    staff("/v2/b2b/exchanges", body)
}

/// An order of this cart, as its checkout answered it.
pub(crate) async fn sold(process: &Process, fields: Value) -> Value {
    let answer = process.send(pay(fields)).await;
    assert_eq!(answer.kind(), "OK", "{}", answer.text);
    answer.body
}

pub(crate) fn id(order: &Value) -> &str {
    order["id"].as_str().unwrap()
}

pub(crate) fn item(order: &Value, place: usize) -> &str {
    order["orderItems"][place]["itemId"].as_str().unwrap()
}

/// Three tickets at 17.00 with a coupon of few uses, and two pieces at 7.00 of which there are few.
pub(crate) fn limited() -> Value {
    let pieces = json!({"inventoryId": STOCKED, "quantity": 2});
    json!({"shoppingCart": {"items": [tickets(3), pieces], "couponCodes": [COUPON]}})
}

pub(crate) async fn loaded(venue: &Venue, order: &str) -> (Order, Vec<Ticket>) {
    let order = OrderId::parse(order).unwrap();
    venue.store.load_order_with_tickets(tenant_id(), &order).await.unwrap().unwrap()
}

async fn membership(venue: &Venue, id: i64) -> Membership {
    let id = MembershipId::parse(id).unwrap();
    venue.store.load_membership(tenant_id(), id).await.unwrap().unwrap().value
}

fn text<'a>(item: &'a store::Item, name: &str) -> &'a str {
    item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

/// Every paid order with its tickets.
async fn orders(venue: &Venue) -> Vec<(Order, Vec<Ticket>)> {
    let mut orders = Vec::new();
    for item in venue.scan("orders").await {
        if text(&item, "pk").starts_with("T#204#ORDER#") && text(&item, "sk") == "ORDER" {
            let order: Order = store::decode(item).unwrap();
            assert!(order.paid_at().is_some());
            orders.push(loaded(venue, order.id.as_str()).await);
        }
    }
    orders
}

/// Whether money, seats, pieces, uses and memberships agree with what is left of the orders, and nothing is due.
pub(crate) async fn check_books(venue: &Venue, case: &str) {
    let orders = orders(venue).await;
    let mut seats: BTreeMap<InstanceId, u32> = BTreeMap::new();
    let (mut pieces, mut coupons, mut members) = (0, 0, 0);
    for (order, tickets) in &orders {
        assert_eq!(order.after_sale.pending(), None, "{case}: a refund under way");
        let lines: BTreeMap<_, _> = order.all_ticket_lines().map(|line| (&line.id, line)).collect();
        let admitted: Vec<_> = tickets.iter().filter(|ticket| ticket.status.admits()).collect();
        for ticket in &admitted {
            *seats.entry(lines[&ticket.line].instance).or_default() += 1;
        }
        let left: u32 =
            order.rows().filter(|row| !row.tickets().is_empty()).map(|row| seats_of(order, row)).sum();
        assert_eq!(
            usize::try_from(left).unwrap(),
            admitted.len(),
            "{case}: units left and tickets that admit"
        );
        pieces += order.rows().map(|row| pieces_of(order, row)).sum::<u32>();
        let discounted = admitted
            .iter()
            .any(|ticket| lines[&ticket.line].amounts.unit < lines[&ticket.line].amounts.retail_unit);
        coupons += u32::from(discounted && !order.coupons.is_empty());
        if !order.entitlements.is_empty() {
            members += u32::try_from(admitted.len()).unwrap();
        }
        check_money(venue, order, case).await;
    }
    for number in [0, 1, NIGHT] {
        let ledger = venue.ledger(number).await;
        assert!(ledger.is_sound(), "{case}: {ledger:?}");
        let left = seats.get(&slot(number)).copied().unwrap_or_default();
        assert_eq!(ledger.sold, left, "{case}: seats sold (left) and tickets that admit (right) of {number}");
    }
    let coupon = CouponId::parse(&COUPON.to_lowercase()).unwrap();
    assert_eq!(
        used(venue, Key::coupon_uses(tenant_id(), &coupon)).await,
        coupons,
        "{case}: uses of the coupon"
    );
    let stocked = InventoryId::parse(STOCKED).unwrap();
    assert_eq!(used(venue, Key::pieces_sold(tenant_id(), stocked)).await, pieces, "{case}: pieces");
    let mut counted = 0;
    for item in venue.scan("members").await {
        assert!(!item.contains_key("claimed_by"), "{case}: a membership stays claimed");
        if text(&item, "pk").starts_with("T#204#") {
            counted += uses_in(&item).values().sum::<u32>();
        }
    }
    assert_eq!(counted, members, "{case}: tickets at the member price");
    for clock in [DueClock::Real, DueClock::Chosen] {
        for kind in [DueKind::Orders, DueKind::Refunds] {
            let due = venue.store.load_due(clock, kind, after(1_000_000), 100).await.unwrap();
            assert_eq!(due, [], "{case}: still due");
        }
    }
}

fn seats_of(order: &Order, row: Row<'_>) -> u32 {
    let left = order.left_of(row).quantity;
    match row {
        Row::Sold(OrderLine::Combo(combo)) => {
            combo.parts.iter().map(|part| combo.part_of(part, left).quantity).sum()
        }
        Row::Sold(_) | Row::Moved(_) => left,
    }
}

fn pieces_of(order: &Order, row: Row<'_>) -> u32 {
    match row {
        Row::Sold(OrderLine::AddOn(line)) if line.inventory.get() == STOCKED => order.left_of(row).quantity,
        Row::Sold(_) | Row::Moved(_) => 0,
    }
}

async fn used(venue: &Venue, key: Key) -> u32 {
    let counter: Option<Counter> = venue.store.get(&key, Consistency::Strong).await.unwrap();
    counter.unwrap_or_default().used
}

/// The processor gave back what sale and order say, which is what the order's refunds come to.
async fn check_money(venue: &Venue, order: &Order, case: &str) {
    let given = venue.sandbox.refunds(tenant_id()).await.unwrap();
    let given = given.iter().filter(|refund| refund.refunded && refund.order_id == order.id);
    let at_stripe = venue.stripe.given_back(order.id.as_str());
    let given: i64 = given.map(|refund| refund.amount.cents()).sum::<i64>() + at_stripe;
    let listed: i64 = order.after_sale.refunds.iter().map(|refund| refund.amount.cents()).sum();
    assert_eq!((order.refunded.cents(), listed), (given, given), "{case}: money given back");
    let Some(payment) = &order.payment else { return };
    let key = Key::sale(tenant_id(), &payment.sale);
    let sale: Sale = venue.store.get(&key, Consistency::Strong).await.unwrap().unwrap();
    assert_eq!(sale.amount.cents() - sale.remainder.cents(), given, "{case}: what remains of the sale");
}

#[tokio::test]
async fn what_is_refunded_comes_back_with_its_money_and_its_seats() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, limited()).await;
    let (order_id, line) = (id(&order), item(&order, 0));
    let part = json!({"items": [{"itemId": line, "quantity": 1}], "reason": "Rain"});
    let answer = process.send(refund(order_id, part)).await;
    assert_eq!(answer.kind(), "OK", "{}", answer.text);
    assert_eq!((answer.calls.rounds, answer.calls.total), (4, 4));
    let body = &answer.body;
    let ticket = loaded(&venue, order_id).await.1[2].id.to_string();
    assert_eq!(
        body["items"],
        json!([{"itemId": line, "quantity": 1, "amount": "17.00", "ticketIds": [ticket]}])
    );
    assert_eq!(
        json!([
            body["state"],
            body["amount"],
            body["refundStatus"],
            body["refundAmount"],
            body["couponUses"]
        ]),
        json!(["Done", "17.00", "Partially Refunded", "17.00", 0])
    );
    assert_eq!(
        json!([body["seats"], body["discountedTotalAmount"], body["emailSent"], body["reason"]]),
        json!([[{"eventId": slot(0), "quantity": 1}], "48.00", true, "Rain"])
    );
    check_books(&venue, "a part").await;

    let rest = process.send(refund(order_id, json!({"wholeOrder": true, "sendEmail": false}))).await;
    assert_eq!(
        json!([rest.body["amount"], rest.body["couponUses"], rest.body["pieces"], rest.body["refundStatus"]]),
        json!(["48.00", 1, [{"inventoryId": STOCKED, "quantity": 2}], "Refunded"]),
        "{}",
        rest.text
    );
    assert_eq!(
        (&rest.body["emailSent"], &rest.body["discountedTotalAmount"]),
        (&json!(false), &json!("0.00"))
    );
    check_books(&venue, "the rest").await;
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
    let again = process.send(refund(order_id, json!({"wholeOrder": true}))).await;
    assert_eq!(again.refusal(), "409 NOT_REFUNDABLE\n/wholeOrder has nothing left to refund");
}

#[tokio::test]
async fn order_and_will_call_show_what_is_left_and_why_tickets_admit_nobody() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order =
        sold(&process, json!({"shoppingCart": {"items": [tickets(3)], "comboItems": [combos(2)]}})).await;
    let parts = json!({"items": [{"itemId": item(&order, 0), "quantity": 1}, {"itemId": item(&order, 1), "quantity": 1}]});
    let answer = process.send(refund(id(&order), parts)).await;
    assert_eq!((answer.kind(), &answer.body["amount"]), ("OK", &json!("68.00")), "{}", answer.text);
    let get = |path: String| ask("GET", &path, json!({})).key("staff-204");
    let read = process.send(get(format!("/v2/b2b/orders/detail/{}", id(&order)))).await.body;
    let quantities: Vec<Value> = read["orderItems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            json!([
                item["originalQuantity"],
                item["quantity"],
                item["discountedOriginalAmount"],
                item["discountedAmount"]
            ])
        })
        .collect();
    assert_eq!(
        json!(quantities[..2]),
        json!([[3, 2, "54.00", "36.00"], [2, 1, "100.00", "50.00"]]),
        "{read}"
    );
    assert_eq!(
        json!([
            read["discountedTotalAmount"],
            read["discountedOriginalTotalAmount"],
            read["refundAmount"],
            read["balanceAmount"]
        ]),
        json!(["86.00", "154.00", "68.00", "0.00"])
    );
    assert_eq!(read["refunds"][0]["refundId"], answer.body["refundId"]);
    let counter = process.send(get(format!("/v2/b2b/willcall/orders/{}", id(&order)))).await.body;
    assert_eq!(counter["refundStatus"], "Partially Refunded");
    let mut statuses: BTreeMap<&str, u32> = BTreeMap::new();
    for event in counter["eventItems"].as_array().unwrap() {
        for ticket in
            event["items"].as_array().unwrap().iter().flat_map(|item| item["tickets"].as_array().unwrap())
        {
            *statuses.entry(ticket["ticketStatus"].as_str().unwrap()).or_default() += 1;
        }
    }
    assert_eq!(statuses, BTreeMap::from([("Normal", 5), ("Refunded", 4)]));
    let storefront = ask("GET", &format!("/v2/b2c/orders/{}", id(&order)), json!({}));
    assert_eq!(process.send(storefront).await.body["refunds"][0]["reason"], json!(null));
    check_books(&venue, "combos").await;
}

#[tokio::test]
async fn tickets_at_the_member_price_can_be_had_again() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let children = json!({"eventId": slot(0), "ticketingTypeId": CHILD, "quantity": 2});
    let cart = json!({"items": [tickets(2), children], "membershipIds": [NUMBER]});
    let order = sold(&process, json!({"shoppingCart": cart})).await;
    let more = json!({"shoppingCart": {"items": [tickets(1)], "membershipIds": [NUMBER]}});
    assert_eq!(process.pay(more.clone()).await.kind(), "ENTITLEMENTS_VIOLATED");
    let answer = process.send(refund(id(&order), json!({"items": [{"itemId": item(&order, 1)}]}))).await;
    assert_eq!(
        (&answer.body["amount"], &answer.body["memberTickets"]),
        (&json!("16.00"), &json!(2)),
        "{}",
        answer.text
    );
    check_books(&venue, "members").await;
    assert_eq!(process.pay(more).await.kind(), "OK");
}

#[tokio::test]
async fn memberships_lapse_or_go_back_to_what_they_were() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let before = membership(&venue, MEMBERSHIP).await;
    // A card pays the same amount once in five minutes.
    let sell = async |line: Value, card: &str| {
        sold(&process, json!({"shoppingCart": {"items": [line]}, "manualEntryCardNumber": card})).await
    };
    let back = async |order: &Value| {
        let answer = process.send(refund(id(order), json!({"wholeOrder": true}))).await;
        assert_eq!(answer.kind(), "OK", "{}", answer.text);
        check_books(&venue, "a membership").await;
        answer
    };

    let bought = sell(new_membership(), VISA).await;
    let made = bought["orderItems"][0]["membershipInfo"]["membershipId"].as_i64().unwrap();
    let answer = back(&bought).await;
    assert_eq!((answer.calls.rounds, answer.calls.total), (4, 4));
    assert_eq!(answer.body["memberships"][0]["membershipStanding"], "lapsed");
    assert_eq!(membership(&venue, made).await.standing(t0()), MembershipStanding::Lapsed);

    let renewed = sell(renewal(), "4242424242424242").await;
    let upgraded = sell(upgrade(), VISA).await;
    let early = process.send(refund(id(&renewed), json!({"wholeOrder": true}))).await;
    let told = "409 NOT_REFUNDABLE\n/wholeOrder has a membership that was renewed, changed or ended after this order";
    assert_eq!(early.refusal(), told);
    back(&upgraded).await;
    let restored = membership(&venue, NUMBER).await;
    assert_eq!(
        (restored.id, &restored.level),
        (before.id, &before.level),
        "the number is the earlier one's again"
    );
    back(&renewed).await;
    let after = membership(&venue, MEMBERSHIP).await;
    assert_eq!((after.ends(), after.standing(t0())), (before.ends(), MembershipStanding::Active));
}

#[tokio::test]
async fn what_cannot_be_refunded_is_refused_with_every_place() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order =
        sold(&process, json!({"shoppingCart": {"items": [tickets(2)], "comboItems": [combos(1)]}})).await;
    let (order_id, line) = (id(&order), item(&order, 0));
    let part = order["orderItems"][2]["itemId"].as_str().unwrap();
    for (fields, told) in [
        (json!({}), "400 VALIDATION_ERROR\n/items send either items or wholeOrder: true, not both"),
        (
            json!({"wholeOrder": true, "items": [{"itemId": line, "quantity": 0}], "amount": "-1"}),
            "400 VALIDATION_ERROR\n/items/0/quantity must be at least 1\n/items send either items or wholeOrder: true, not both\n/amount must not be negative",
        ),
        (
            json!({"items": [{"itemId": line, "quantity": 1, "ticketIds": ["1", "2"]}]}),
            "400 VALIDATION_ERROR\n/items/0/quantity must match the number of ticketIds, or be left out",
        ),
        (json!({"items": [{"itemId": "7"}]}), "404 NOT_FOUND\n/items/0/itemId was not found"),
        (
            json!({"items": [{"itemId": line, "ticketIds": ["7"]}]}),
            "404 NOT_FOUND\n/items/0/ticketIds/0 was not found",
        ),
        (
            json!({"items": [{"itemId": line, "quantity": 3}, {"itemId": part}]}),
            "409 NOT_REFUNDABLE\n/items/0/quantity must be at most 2, the number left to refund\n/items/1/itemId is part of a combo, which can only be refunded as a whole",
        ),
        (
            json!({"items": [{"itemId": line, "quantity": 1}], "amount": 18.01}),
            "409 NOT_REFUNDABLE\n/amount must be at most 18.00, the amount paid for these items",
        ),
    ] {
        let answer = process.send(refund(order_id, fields)).await;
        assert_eq!(answer.refusal(), told);
    }
    let whole = json!({"wholeOrder": true});
    let unknown = "404 NOT_FOUND\n/orderId was not found";
    assert_eq!(process.send(refund("7", whole.clone())).await.refusal(), unknown);
    let wish = exchange("7", json!({"itemId": line}));
    assert_eq!(process.send(wish).await.refusal(), unknown);
    let nowhere = exchange("7", json!({"itemId": line, "eventId": "0".repeat(24)}));
    assert_eq!(process.send(nowhere).await.refusal(), format!("{unknown}\n/eventId was not found"));
    let stranger = refund(order_id, whole.clone()).key("staff-205");
    assert_eq!(process.send(stranger).await.refusal(), unknown);
    assert_eq!(process.send(refund(order_id, whole).key("key-204")).await.kind(), "FORBIDDEN");
    assert_eq!(venue.seats(0).await[2], 3);
}

#[tokio::test]
async fn a_preview_says_what_would_come_back_and_changes_nothing() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, limited()).await;
    let body = json!({"orderId": id(&order), "wholeOrder": true});
    let answer = process.send(staff("/v2/b2b/refunds/preview", body)).await;
    assert_eq!((answer.calls.rounds, answer.calls.total), (2, 2));
    assert_eq!(
        json!([
            answer.body["state"],
            answer.body["amount"],
            answer.body["couponUses"],
            answer.body.get("refundId")
        ]),
        json!(["Preview", "65.00", 1, null]),
        "{}",
        answer.text
    );
    check_books(&venue, "preview").await;
    assert_eq!(venue.seats(0).await, [7, 0, 3]);
}

#[tokio::test]
async fn of_two_refunds_of_one_ticket_one_is_carried_out() {
    let venue = Venue::open([10, 10]).await;
    let (one, other) = (venue.process().await, venue.process().await);
    for round in 0..5 {
        let card = ["4111111111111111", "4242424242424242"][round % 2];
        let at = after(i64::try_from(round).unwrap() * 400);
        let order = one.send(pay(json!({"manualEntryCardNumber": card})).at(at)).await.body;
        let (_, tickets) = loaded(&venue, id(&order)).await;
        let named = json!({"items": [{"itemId": item(&order, 0), "ticketIds": [tickets[0].id]}]});
        let first = one.send(refund(id(&order), named.clone()).at(at));
        let second = other.send(refund(id(&order), named).at(at));
        let (first, second) = tokio::join!(first, second);
        let mut kinds = [first.kind().to_owned(), second.kind().to_owned()];
        kinds.sort();
        assert!(
            kinds == ["NOT_REFUNDABLE", "OK"] || kinds == ["OK", "REFUND_PENDING"],
            "{kinds:?} {} {}",
            first.text,
            second.text
        );
        check_books(&venue, "two at once").await;
    }
}

#[tokio::test]
async fn a_repeated_refund_has_one_effect() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    let one = |quantity: u32| json!({"items": [{"itemId": item(&order, 0), "quantity": quantity}]});
    let first = process.send(refund(id(&order), one(1)).keyed("k")).await;
    let again = process.send(refund(id(&order), one(1)).keyed("k")).await;
    assert_eq!((&first.body, again.is_replayed()), (&again.body, true));
    let other = process.send(refund(id(&order), one(2)).keyed("k")).await;
    assert_eq!(other.kind(), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(venue.seats(0).await, [9, 0, 1]);
    check_books(&venue, "repeated").await;
}

#[tokio::test]
async fn a_refund_that_the_processor_refuses_changes_nothing() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let mut cart = limited();
    cart["shoppingCart"]["items"].as_array_mut().unwrap().push(renewal());
    cart["manualEntryCardNumber"] = REFUSES_REFUNDS.into();
    cart["shoppingCart"].as_object_mut().unwrap().remove("couponCodes");
    let order = sold(&process, cart).await;
    let answer = process.send(refund(id(&order), json!({"wholeOrder": true}))).await;
    assert_eq!(answer.kind(), "REFUND_REFUSED", "{}", answer.text);
    assert!(answer.body["processorErrorCode"].is_string(), "{}", answer.text);
    check_books(&venue, "refused").await;
    let (kept, tickets) = loaded(&venue, id(&order)).await;
    assert!(kept.after_sale.refunds.is_empty() && tickets.iter().all(|ticket| ticket.status.admits()));
}

#[tokio::test(start_paused = true)]
async fn a_refund_whose_answer_is_lost_is_finished_by_the_schedule() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({"manualEntryCardNumber": LOSES_THE_ANSWER})).await;
    let whole = || refund(id(&order), json!({"wholeOrder": true}));
    let lost = process.send(whole().keyed("k")).await;
    assert_eq!((lost.kind(), lost.header("retry-after")), ("REFUND_PENDING", "60"), "{}", lost.text);
    let message = "The card processor has not confirmed the refund yet; it will be completed automatically";
    assert_eq!(lost.body["message"], message);
    let other = process.send(whole()).await;
    assert_eq!((other.kind(), &other.body["refundId"]), ("REFUND_PENDING", &lost.body["refundId"]));
    assert_eq!(other.header("retry-after"), "60");
    assert_eq!(
        process.send(exchange(id(&order), json!({"itemId": item(&order, 0)}))).await.kind(),
        "REFUND_PENDING"
    );
    assert_eq!(process.send(whole().keyed("k")).await.kind(), "REQUEST_IN_PROGRESS");
    process.clean_up(100).await;
    check_books(&venue, "lost").await;
    let late = process.send(whole().keyed("k").at(after(100))).await;
    assert_eq!((late.kind(), &late.body["refundId"]), ("OK", &lost.body["refundId"]), "{}", late.text);
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
}

#[tokio::test]
async fn tickets_are_exchanged_for_another_time_of_the_same_event() {
    let venue = Venue::open([10, 3]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({"shoppingCart": {"items": [tickets(4)]}})).await;
    let line = item(&order, 0);
    let answer = process.send(exchange(id(&order), json!({"itemId": line, "quantity": 2}))).await;
    assert_eq!(answer.kind(), "OK", "{}", answer.text);
    assert_eq!((answer.calls.rounds, answer.calls.total), (2, 3));
    assert_eq!(answer.body["tickets"].as_array().unwrap().len(), 2);
    check_books(&venue, "exchanged").await;
    assert_eq!((venue.seats(0).await, venue.seats(1).await), ([8, 0, 2], [1, 0, 2]));
    let full = process.send(exchange(id(&order), json!({"itemId": line}))).await;
    assert_eq!((full.kind(), &full.body["availableSeats"]), ("NOT_ENOUGH_CAPACITY", &json!(1)));
    assert_eq!(
        (&full.body["eventId"], &full.body["details"][0]["field"]),
        (&json!(slot(1)), &json!("/eventId"))
    );
    let (_, all) = loaded(&venue, id(&order)).await;
    let gone: Vec<_> = all.iter().filter(|ticket| !ticket.status.admits()).collect();
    assert_eq!(gone.len(), 2);
    let twice = process.send(exchange(id(&order), json!({"ticketIds": [gone[0].id]}))).await;
    assert_eq!(twice.refusal(), "409 NOT_EXCHANGEABLE\n/ticketIds/0 is no longer valid: Exchanged");
    let strange = exchange(id(&order), json!({"itemId": line, "quantity": 1, "eventId": slot(NIGHT)}));
    let told = "409 NOT_EXCHANGEABLE\n/eventId belongs to a different event template from the tickets";
    assert_eq!(process.send(strange).await.refusal(), told);
    let stranger = exchange(id(&order), json!({"itemId": line})).key("staff-205");
    assert_eq!(process.send(stranger).await.kind(), "NOT_FOUND");
    let moved = answer.body["items"][0]["itemId"].as_str().unwrap();
    let back = process.send(refund(id(&order), json!({"items": [{"itemId": moved}]}))).await;
    assert_eq!(back.body["seats"], json!([{"eventId": slot(1), "quantity": 2}]), "{}", back.text);
    check_books(&venue, "refunded after an exchange").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_exchanges_of_two_orders_for_the_last_seats_one_is_made() {
    for round in 0..5 {
        let venue = Venue::open([10, 3]).await;
        let processes = [venue.process().await, venue.process().await];
        let mut tasks = JoinSet::new();
        for (process, card) in processes.into_iter().zip([VISA, "4242424242424242"]) {
            let order = sold(&process, json!({"manualEntryCardNumber": card})).await;
            let ask = exchange(id(&order), json!({"itemId": item(&order, 0)}));
            tasks.spawn(async move { process.send(ask).await });
        }
        let answers = tasks.join_all().await;
        let mut kinds: Vec<&str> = answers.iter().map(Answer::kind).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["NOT_ENOUGH_CAPACITY", "OK"], "{round}");
        assert_eq!((venue.seats(0).await, venue.seats(1).await), ([8, 0, 2], [1, 0, 2]), "{round}");
        check_books(&venue, "at once").await;
    }
}

const FAULTS: [Fault; 6] = [
    Fault::CrashBefore,
    Fault::CrashAfter,
    Fault::AnswerLost,
    Fault::Throttle(Throttling::Table),
    Fault::TransactionConflict,
    Fault::Slow(Duration::from_secs(5)),
];

/// What the back office does.
#[derive(Clone, Copy, Debug)]
enum Wish {
    Part,
    Whole,
    Membership,
    Upgrade,
    Refused,
    Free,
    Exchange,
}

impl Wish {
    async fn prepare(self, process: &Process) -> Ask {
        let of = |line: Value| json!({"shoppingCart": {"items": [line]}});
        let fields = match self {
            Self::Part | Self::Whole => limited(),
            Self::Membership => of(renewal()),
            Self::Upgrade => of(upgrade()),
            Self::Refused => json!({"manualEntryCardNumber": REFUSES_REFUNDS}),
            Self::Free => {
                let mut free = tickets(2);
                free["ticketingTypeId"] = FREE.into();
                of(free)
            }
            Self::Exchange => json!({}),
        };
        let order = sold(process, fields).await;
        process.faults.reset();
        let ask = match self {
            Self::Part => refund(id(&order), json!({"items": [{"itemId": item(&order, 0), "quantity": 2}]})),
            Self::Exchange => exchange(id(&order), json!({"itemId": item(&order, 0), "quantity": 1})),
            Self::Whole | Self::Membership | Self::Upgrade | Self::Refused | Self::Free => {
                refund(id(&order), json!({"wholeOrder": true}))
            }
        };
        ask.keyed("the-key")
    }

    fn kind(self) -> &'static str {
        if matches!(self, Self::Refused) { "REFUND_REFUSED" } else { "OK" }
    }

    /// What the order lists in the end.
    fn listed(self) -> (usize, usize) {
        match self {
            Self::Refused => (0, 0),
            Self::Exchange => (0, 1),
            Self::Part | Self::Whole | Self::Membership | Self::Upgrade | Self::Free => (1, 0),
        }
    }
}

async fn check_listed(venue: &Venue, wish: Wish, case: &str) {
    let orders = orders(venue).await;
    let after = &orders[0].0.after_sale;
    assert_eq!((after.refunds.len(), after.exchanges.len()), wish.listed(), "{case}: in the end");
}

async fn run(wish: Wish, strike: impl FnOnce(&Process), case: &str) {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let ask = wish.prepare(&process).await;
    strike(&process);
    let first: Answer = process.send(ask.clone()).await;
    let expected = [wish.kind(), "TRY_AGAIN", "REQUEST_IN_PROGRESS", "REFUND_PENDING"];
    assert!(expected.contains(&first.kind()), "{case}: {}", first.text);

    // Whether the process lives or not, another one finds what it left.
    let next = venue.process().await;
    next.clean_up(100).await;
    check_books(&venue, case).await;
    let again = next.send(ask.at(after(100))).await;
    assert_eq!(again.kind(), wish.kind(), "{case}: {}", again.text);
    if first.kind() == "OK" {
        let same = ["refundId", "tickets"].map(|name| first.body[name] == again.body[name]);
        assert_eq!(same, [true, true], "{case}: one effect, {} {}", first.text, again.text);
    }
    next.clean_up(300).await;
    check_books(&venue, case).await;
    check_listed(&venue, wish, case).await;
}

/// Every fault at every database call of these wishes.
async fn meet_every_fault(wishes: &[Wish]) {
    for wish in wishes {
        let calls = {
            let venue = Venue::open([10, 10]).await;
            let process = venue.process().await;
            let ask = wish.prepare(&process).await;
            let answer = process.send(ask).await;
            assert_eq!(answer.kind(), wish.kind(), "{wish:?}: {}", answer.text);
            process.faults.calls().len()
        };
        for call in 0..calls {
            for fault in FAULTS {
                let case = format!("{wish:?} {call} {fault:?}");
                run(*wish, |process| _ = process.faults.at(call, fault), &case).await;
            }
        }
    }
}

// Two tests, so that two processors share the work.

#[tokio::test(start_paused = true)]
async fn every_database_call_of_a_refund_may_meet_every_fault() {
    meet_every_fault(&[Wish::Refused, Wish::Free, Wish::Whole]).await;
}

#[tokio::test(start_paused = true)]
async fn every_database_call_of_an_exchange_or_a_refund_of_memberships_may_meet_every_fault() {
    meet_every_fault(&[Wish::Exchange, Wish::Upgrade, Wish::Membership]).await;
}

#[tokio::test(start_paused = true)]
async fn every_refund_by_the_processor_may_meet_every_mishap() {
    for wish in [Wish::Part, Wish::Membership, Wish::Refused] {
        for mishap in Mishap::ALL {
            let case = format!("{wish:?} {mishap:?}");
            run(wish, |process| process.processor.next(Verb::Refund, mishap), &case).await;
        }
    }
}
