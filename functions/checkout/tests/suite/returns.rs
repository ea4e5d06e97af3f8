//! Refunds of what was bought, and exchanges: what they answer, that all of it comes back once, and that no fault at
//! any step leaves anything in limbo.

pub(crate) mod books;
mod faults;

use crate::catalog::{COUPON, NIGHT, STOCKED, slot};
use crate::venue::{
    Process, Venue, after, ask, combos, new_membership, pay, renewal, t0, tenant_id, tickets, upgrade,
};
use books::check_books;
use domain::membership::Membership;
use domain::membership::force::MembershipStanding;
use domain::order::{Order, Ticket};
use domain::{MembershipId, OrderId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::cards::{GOOD, LOSES_THE_ANSWER, OTHER, REFUSES_REFUNDS};
use testkit::catalog::{CHILD, MEMBERSHIP, NUMBER};
use testkit::{Answer, Ask};
use tokio::task::JoinSet;

pub(crate) fn staff(path: &str, body: Value) -> Ask {
    ask("POST", path, body).by("staff-204")
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
    assert_eq!(answer.error(), "OK", "{}", answer.text);
    answer.body
}

pub(crate) fn id(order: &Value) -> &str {
    order["id"].as_str().unwrap()
}

pub(crate) fn item(order: &Value, place: usize) -> &str {
    order["orderItems"][place]["itemId"].as_str().unwrap()
}

/// Three tickets at 17.00 with a coupon of few uses, and two units of an add-on at 7.00 of which there are few.
pub(crate) fn limited() -> Value {
    let add_on = json!({"inventoryId": STOCKED, "quantity": 2});
    json!({"shoppingCart": {"items": [tickets(3), add_on], "couponCodes": [COUPON]}})
}

pub(crate) async fn loaded(venue: &Venue, order: &str) -> (Order, Vec<Ticket>) {
    let order = OrderId::parse(order).unwrap();
    venue.store.load_order_with_tickets(tenant_id(), &order).await.unwrap().unwrap()
}

async fn membership(venue: &Venue, id: i64) -> Membership {
    let id = MembershipId::parse(id).unwrap();
    venue.store.load_membership(tenant_id(), id).await.unwrap().unwrap().value
}

#[tokio::test]
async fn what_is_refunded_comes_back_with_its_money_and_its_seats() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, limited()).await;
    let (order_id, line) = (id(&order), item(&order, 0));
    let part = json!({"items": [{"itemId": line, "quantity": 1}], "reason": "Rain"});
    let answer = process.send(refund(order_id, part)).await;
    assert_eq!(answer.error(), "OK", "{}", answer.text);
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
    assert_eq!((answer.error(), &answer.body["amount"]), ("OK", &json!("68.00")), "{}", answer.text);
    let get = |path: String| ask("GET", &path, json!({})).by("staff-204");
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
    assert_eq!(process.pay(more.clone()).await.error(), "ENTITLEMENTS_VIOLATED");
    let answer = process.send(refund(id(&order), json!({"items": [{"itemId": item(&order, 1)}]}))).await;
    assert_eq!(
        (&answer.body["amount"], &answer.body["memberTickets"]),
        (&json!("16.00"), &json!(2)),
        "{}",
        answer.text
    );
    check_books(&venue, "members").await;
    assert_eq!(process.pay(more).await.error(), "OK");
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
        assert_eq!(answer.error(), "OK", "{}", answer.text);
        check_books(&venue, "a membership").await;
        answer
    };

    let bought = sell(new_membership(), OTHER).await;
    let made = bought["orderItems"][0]["membershipInfo"]["membershipId"].as_i64().unwrap();
    let answer = back(&bought).await;
    assert_eq!((answer.calls.rounds, answer.calls.total), (4, 4));
    assert_eq!(answer.body["memberships"][0]["membershipStanding"], "lapsed");
    assert_eq!(membership(&venue, made).await.standing(t0()), MembershipStanding::Lapsed);

    let renewed = sell(renewal(), GOOD).await;
    let upgraded = sell(upgrade(), OTHER).await;
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
    let stranger = refund(order_id, whole.clone()).by("staff-205");
    assert_eq!(process.send(stranger).await.refusal(), unknown);
    assert_eq!(process.send(refund(order_id, whole).by("key-204")).await.error(), "FORBIDDEN");
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
        let card = [OTHER, GOOD][round % 2];
        let at = after(i64::try_from(round).unwrap() * 400);
        let order = one.send(pay(json!({"manualEntryCardNumber": card})).at_instant(at)).await.body;
        let (_, tickets) = loaded(&venue, id(&order)).await;
        let named = json!({"items": [{"itemId": item(&order, 0), "ticketIds": [tickets[0].id]}]});
        let first = one.send(refund(id(&order), named.clone()).at_instant(at));
        let second = other.send(refund(id(&order), named).at_instant(at));
        let (first, second) = tokio::join!(first, second);
        let mut kinds = [first.error().to_owned(), second.error().to_owned()];
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
    assert_eq!((&first.body, again.replayed), (&again.body, true));
    let other = process.send(refund(id(&order), one(2)).keyed("k")).await;
    assert_eq!(other.error(), "IDEMPOTENCY_KEY_REUSED");
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
    assert_eq!(answer.error(), "REFUND_REFUSED", "{}", answer.text);
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
    assert_eq!((lost.error(), lost.header("retry-after")), ("REFUND_PENDING", "60"), "{}", lost.text);
    let message = "The card processor has not confirmed the refund yet; it will be completed automatically";
    assert_eq!(lost.body["message"], message);
    let other = process.send(whole()).await;
    assert_eq!((other.error(), &other.body["refundId"]), ("REFUND_PENDING", &lost.body["refundId"]));
    assert_eq!(other.header("retry-after"), "60");
    assert_eq!(
        process.send(exchange(id(&order), json!({"itemId": item(&order, 0)}))).await.error(),
        "REFUND_PENDING"
    );
    let early = process.send(whole().keyed("k")).await;
    assert_eq!((early.error(), &early.body["refundId"]), ("REFUND_PENDING", &lost.body["refundId"]));
    process.clean_up(100).await;
    check_books(&venue, "lost").await;
    let late = process.send(whole().keyed("k").at_instant(after(100))).await;
    assert_eq!((late.error(), &late.body["refundId"]), ("OK", &lost.body["refundId"]), "{}", late.text);
    assert!(late.replayed);
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
}

#[tokio::test]
async fn tickets_are_exchanged_for_another_time_of_the_same_event() {
    let venue = Venue::open([10, 3]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({"shoppingCart": {"items": [tickets(4)]}})).await;
    let line = item(&order, 0);
    let answer = process.send(exchange(id(&order), json!({"itemId": line, "quantity": 2}))).await;
    assert_eq!(answer.error(), "OK", "{}", answer.text);
    assert_eq!((answer.calls.rounds, answer.calls.total), (2, 3));
    assert_eq!(answer.body["tickets"].as_array().unwrap().len(), 2);
    check_books(&venue, "exchanged").await;
    assert_eq!((venue.seats(0).await, venue.seats(1).await), ([8, 0, 2], [1, 0, 2]));
    let full = process.send(exchange(id(&order), json!({"itemId": line}))).await;
    assert_eq!((full.error(), &full.body["availableSeats"]), ("NOT_ENOUGH_CAPACITY", &json!(1)));
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
    let stranger = exchange(id(&order), json!({"itemId": line})).by("staff-205");
    assert_eq!(process.send(stranger).await.error(), "NOT_FOUND");
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
        for (process, card) in processes.into_iter().zip([OTHER, GOOD]) {
            let order = sold(&process, json!({"manualEntryCardNumber": card})).await;
            let ask = exchange(id(&order), json!({"itemId": item(&order, 0)}));
            tasks.spawn(async move { process.send(ask).await });
        }
        let answers = tasks.join_all().await;
        let mut kinds: Vec<&str> = answers.iter().map(Answer::error).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["NOT_ENOUGH_CAPACITY", "OK"], "{round}");
        assert_eq!((venue.seats(0).await, venue.seats(1).await), ([8, 0, 2], [1, 0, 2]), "{round}");
        check_books(&venue, "at once").await;
    }
}
