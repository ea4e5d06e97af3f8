//! Refunds of orders that are asked for again: under the key of one that was refused, that is under way, or that was
//! left half-way.

use crate::returns::books::check_books;
use crate::returns::{exchange, id, item, limited, loaded, refund, sold};
use crate::stripe::double::{Step, Trouble};
use crate::venue::{Charging, Process, Venue, after, put, tenant_id};
use adapters::clock::RequestClock;
use adapters::processor::{CardProcessor, RefundRequest};
use domain::payment::RefundAnswer;
use domain::sale::{Sale, SaleRefund};
use domain::{Mid, Money, OrderId, RefundId};
use engine::Fault;
use sagas::{RefundOutcome, TakenRefund};
use serde_json::{Value, json};
use std::time::Duration;
use store::refund::Take;
use store::{Consistency, Key, encode};
use testkit::Ask;
use testkit::PREFIX;
use testkit::cards::{GOOD, LOSES_THE_ANSWER, OTHER, REFUSES_REFUNDS};
use testkit::outside::{Mishap, Verb};

const DAY: i64 = 86_400;

/// A refund of all of an order's only line.
fn whole(order: &Value) -> Ask {
    refund(id(order), json!({"wholeOrder": true}))
}

fn units(order: &Value, quantity: u32) -> Ask {
    refund(id(order), json!({"items": [{"itemId": item(order, 0), "quantity": quantity}]}))
}

fn asked(process: &Process) -> usize {
    process.processor.calls().iter().filter(|verb| **verb == Verb::Refund).count()
}

async fn sale_of(venue: &Venue, order: &Value) -> Sale {
    let (order, _) = loaded(venue, id(order)).await;
    let key = Key::sale(tenant_id(), &order.payment.unwrap().sale);
    venue.store.get(&key, Consistency::Strong).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_refusal_by_the_processor_is_kept_under_its_key_for_a_day() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let order = sold(&process, json!({"manualEntryCardNumber": REFUSES_REFUNDS})).await;
        let other = sold(&process, json!({})).await;
        let first = process.send(whole(&order).keyed("k")).await;
        assert_eq!((first.error(), first.replayed), ("REFUND_REFUSED", false), "{}", first.text);
        let again = process.send(whole(&order).keyed("k").at_instant(after(DAY - 1))).await;
        assert_eq!((again.status, again.error(), again.replayed), (402, "REFUND_REFUSED", true));
        assert_eq!(again.body["processorErrorCode"], first.body["processorErrorCode"], "{charging:?}");
        assert!(
            again.body["processorErrorCode"].is_string()
                && again.body["requestId"] != first.body["requestId"]
        );
        for changed in [units(&order, 1), whole(&other)] {
            let reused = process.send(changed.keyed("k").at_instant(after(10))).await;
            assert_eq!(reused.error(), "IDEMPOTENCY_KEY_REUSED", "{charging:?}: {}", reused.text);
        }
        assert_eq!(asked(&process), 1, "{charging:?}");
        let late = process.send(whole(&order).keyed("k").at_instant(after(DAY))).await;
        assert_eq!((late.error(), late.replayed, asked(&process)), ("REFUND_REFUSED", false, 2));
        check_books(&venue, "refused").await;
    }
}

#[tokio::test]
async fn the_key_of_a_refund_under_way_is_that_refunds_alone() {
    for charging in Charging::ALL {
        let venue = Venue::charging(charging, [10, 10]).await;
        let process = venue.process().await;
        let order = sold(&process, json!({})).await;
        let other = sold(&process, json!({"manualEntryCardNumber": GOOD})).await;
        process.processor.next(Verb::Refund, Mishap::AnswerLost);
        let lost = process.send(units(&order, 1).keyed("k")).await;
        assert_eq!(lost.error(), "REFUND_PENDING", "{charging:?}: {}", lost.text);
        for changed in [units(&order, 2), whole(&other)] {
            let reused = process.send(changed.keyed("k").at_instant(after(1))).await;
            assert_eq!(reused.error(), "IDEMPOTENCY_KEY_REUSED", "{charging:?}: {}", reused.text);
        }
        let early = process.send(units(&order, 1).keyed("k").at_instant(after(59))).await;
        assert_eq!(early.error(), "REFUND_PENDING", "{charging:?}");
        let of_other = process.send(whole(&other).keyed("l")).await;
        assert_eq!(of_other.error(), "OK", "{charging:?}: {}", of_other.text);
        // No schedule ran: the repetition finishes it.
        let late = process.send(units(&order, 1).keyed("k").at_instant(after(60))).await;
        assert_eq!((late.error(), &late.body["refundId"]), ("OK", &lost.body["refundId"]), "{}", late.text);
        assert_ne!(of_other.body["refundId"], late.body["refundId"], "{charging:?}");
        check_books(&venue, "under way").await;
    }
}

/// Whoever repeats a refund under its key is told how far it has come, also where the process that took it is dead.
#[tokio::test(start_paused = true)]
async fn a_repetition_is_told_how_far_the_refund_under_its_key_has_come() {
    let ends = [Some(Mishap::AnswerLost), Some(Mishap::CrashBefore), Some(Mishap::CrashAfter), None];
    let cards = [(OTHER, "OK", vec![1_800_i64]), (REFUSES_REFUNDS, "REFUND_REFUSED", vec![])];
    for (end, (card, expected, given)) in
        ends.iter().flat_map(|end| cards.iter().map(move |card| (end, card)))
    {
        let case = format!("{end:?} {expected}");
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        let order = sold(&process, json!({"manualEntryCardNumber": card})).await;
        match end {
            Some(mishap) => process.processor.next(Verb::Refund, *mishap),
            // It dies after taking the refund, and asks nobody for it.
            None => {
                process.faults.reset();
                process.faults.at_operation("TransactWriteItems", 0, Fault::CrashAfter);
            }
        }
        let ask = |secs: i64| units(&order, 1).keyed("k").at_instant(after(secs));
        let first = process.send(ask(0)).await;
        assert!(["REFUND_PENDING", "TRY_AGAIN"].contains(&first.error()), "{case}: {}", first.text);
        let next = venue.process().await;
        for secs in [1, 59, 60] {
            next.processor.next(Verb::Refund, Mishap::Unreachable);
            let early = next.send(ask(secs)).await;
            let told = (early.error(), early.header("retry-after"));
            assert_eq!(told, ("REFUND_PENDING", "60"), "{case} {secs}: {}", early.text);
        }
        let schedule = venue.process().await;
        assert_eq!(schedule.clean_up(61).await.refunds_finished, 1, "{case}");
        let settled = venue.process().await.send(ask(62)).await;
        assert_eq!(settled.error(), *expected, "{case}: {}", settled.text);
        assert_eq!(settled.replayed, *expected == "OK", "{case}");
        let again = venue.process().await.send(ask(63)).await;
        assert_eq!((again.error(), again.replayed), (*expected, true), "{case}: {}", again.text);
        assert_eq!(&venue.refunded().await, given, "{case}");
        check_books(&venue, &case).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeated_exchange_is_told_of_the_refund_it_waits_for_and_of_what_it_made() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({"manualEntryCardNumber": LOSES_THE_ANSWER})).await;
    assert_eq!(process.send(units(&order, 1)).await.error(), "REFUND_PENDING");
    let ask = |secs: i64| {
        exchange(id(&order), json!({"itemId": item(&order, 0), "quantity": 1}))
            .keyed("k")
            .at_instant(after(secs))
    };
    for secs in [1, 2] {
        assert_eq!(process.send(ask(secs)).await.error(), "REFUND_PENDING");
    }
    // It dies before it gives the key free.
    process.faults.reset();
    process.faults.at_operation("DeleteItem", 0, Fault::CrashBefore);
    assert_eq!(process.send(ask(3)).await.error(), "REFUND_PENDING");
    assert_eq!(process.faults.injected().len(), 1);
    let next = venue.process().await;
    assert_eq!(next.send(ask(4)).await.error(), "REFUND_PENDING");
    assert_eq!(next.clean_up(60).await.refunds_finished, 1);
    // It dies after the exchange is made.
    let dying = venue.process().await;
    dying.faults.at_operation("TransactWriteItems", 0, Fault::CrashAfter);
    assert_eq!(dying.send(ask(70)).await.error(), "TRY_AGAIN");
    let made = next.send(ask(71)).await;
    assert_eq!((made.error(), made.replayed), ("OK", true), "{}", made.text);
    let again = next.send(ask(72)).await;
    assert_eq!((&again.body, again.replayed), (&made.body, true));
    assert_eq!((venue.seats(0).await, venue.seats(1).await), ([10, 0, 0], [9, 0, 1]));
    check_books(&venue, "exchanged").await;
}

#[tokio::test]
async fn a_key_that_is_free_again_makes_another_refund() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    let first = process.send(units(&order, 1).keyed("k")).await;
    let cheaper = json!({"items": [{"itemId": item(&order, 0), "quantity": 1}], "amount": "10.00"});
    let later = process.send(refund(id(&order), cheaper).keyed("k").at_instant(after(DAY))).await;
    assert_eq!((later.error(), &later.body["amount"]), ("OK", &json!("10.00")), "{}", later.text);
    assert_ne!(first.body["refundId"], later.body["refundId"]);
    check_books(&venue, "another").await;
}

/// What an order has left changes between two refunds of the whole of it under one key. Stripe, which remembers the
/// first, must not take the second for a misuse of its own keys: that would leave it undecided.
#[tokio::test]
async fn a_refused_refund_that_comes_to_another_amount_later_is_decided_by_stripe() {
    let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    // Someone gives back half of the payment on Stripe's own pages.
    let stripe = venue.way_to_stripe().account_of(tenant_id(), &venue.stripe_settings);
    let elsewhere = RefundRequest {
        tenant: tenant_id(),
        order: OrderId::parse(id(&order)).unwrap(),
        mid: Mid::parse("60417").unwrap(),
        reference: sale_of(&venue, &order).await.reference.unwrap(),
        refund: RefundId::parse("refund_elsewhere").unwrap(),
        amount: Money::from_cents(1_800),
    };
    assert_eq!(stripe.refund(&elsewhere).await, Ok(RefundAnswer::Refunded));
    assert_eq!(process.send(whole(&order).keyed("k")).await.error(), "REFUND_REFUSED");
    assert_eq!(process.send(units(&order, 1).keyed("l")).await.error(), "OK");
    let late = process.send(whole(&order).keyed("k").at_instant(after(DAY))).await;
    assert_eq!(late.error(), "REFUND_REFUSED", "{}", late.text);
}

#[tokio::test]
async fn a_refund_left_half_way_is_finished_by_the_next_one() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({"manualEntryCardNumber": LOSES_THE_ANSWER})).await;
    let lost = process.send(units(&order, 1)).await;
    assert_eq!(lost.error(), "REFUND_PENDING", "{}", lost.text);
    let early = process.send(units(&order, 1).at_instant(after(59))).await;
    assert_eq!((early.error(), &early.body["refundId"]), ("REFUND_PENDING", &lost.body["refundId"]));
    process.processor.next(Verb::Refund, Mishap::Unreachable);
    let unfinished = process.send(units(&order, 1).at_instant(after(60))).await;
    assert_eq!(unfinished.error(), "REFUND_PENDING", "{}", unfinished.text);
    // The first is finished, and the second begins: its own answer is lost again.
    let next = process.send(units(&order, 1).at_instant(after(61))).await;
    assert_eq!(next.error(), "REFUND_PENDING", "{}", next.text);
    assert_ne!(next.body["refundId"], lost.body["refundId"]);
    let late = process.send(whole(&order).at_instant(after(121))).await;
    assert_eq!(late.refusal(), "409 NOT_REFUNDABLE\n/wholeOrder has nothing left to refund");
    check_books(&venue, "the next").await;
}

/// Its order is read before the end of the refund and its sale afterwards.
#[tokio::test(start_paused = true)]
async fn a_refund_that_ends_between_two_readings_is_read_again() {
    for (keyed, expected) in [(true, "OK"), (false, "NOT_REFUNDABLE")] {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        let order = sold(&process, json!({"manualEntryCardNumber": LOSES_THE_ANSWER})).await;
        assert_eq!(process.send(whole(&order).keyed("k")).await.error(), "REFUND_PENDING");
        let (reader, finisher) = (venue.process().await, venue.process().await);
        reader.faults.at_operation("BatchGetItem", 0, Fault::Slow(Duration::from_secs(5)));
        let ask = whole(&order).at_instant(after(60));
        let ask = if keyed { ask.keyed("k") } else { ask };
        let (answer, report) = tokio::join!(reader.send(ask), finisher.clean_up(60));
        assert_eq!((report.refunds_finished, reader.faults.injected().len()), (1, 1), "{expected}");
        assert_eq!(answer.error(), expected, "{}", answer.text);
        check_books(&venue, "between").await;
    }
}

#[tokio::test(start_paused = true)]
async fn refunds_of_orders_through_stripe_meet_every_trouble_and_are_made_once() {
    for step in [Step::Refunds, Step::Refund] {
        for trouble in Trouble::ALL {
            let case = format!("{step:?} {trouble:?}");
            let venue = Venue::charging(Charging::Stripe, [10, 10]).await;
            let process = venue.process().await;
            let order = sold(&process, limited()).await;
            venue.stripe.next(step, trouble);
            let struck = process.send(units(&order, 2).keyed("k")).await;
            assert_eq!(struck.error(), "REFUND_PENDING", "{case}: {}", struck.text);
            let late = process.send(units(&order, 2).keyed("k").at_instant(after(60))).await;
            // A failure of its own Stripe remembers for a day; the list of refunds shows what it was.
            assert_eq!(
                (late.error(), &late.body["amount"]),
                ("OK", &json!("34.00")),
                "{case}: {}",
                late.text
            );
            assert_eq!(process.send(whole(&order)).await.error(), "OK", "{case}");
            assert_eq!(venue.refunded().await, [3_400, 3_100], "{case}");
            check_books(&venue, &case).await;
        }
    }
}

/// Forgets what the processor calls the payment, as of a sale that was written before that was kept.
async fn forget_reference(venue: &Venue, sale: Sale) {
    let key = Key::sale(tenant_id(), &sale.id);
    put(venue, "merchants", &encode(&key, &Sale { reference: None, ..sale }).unwrap()).await;
}

/// A processor that cannot know of a refund does not refuse what another may have given back: the amount could be
/// given back a second time.
#[tokio::test(start_paused = true)]
async fn a_refund_left_half_way_waits_for_the_processor_that_took_the_payment() {
    let cases = Charging::ALL.into_iter().flat_map(|charging| [(charging, true), (charging, false)]);
    for ((own, is_known), mishap) in
        cases.flat_map(|case| [Mishap::AnswerLost, Mishap::CrashBefore].map(|mishap| (case, mishap)))
    {
        let case = format!("{own:?} {is_known} {mishap:?}");
        let other = if own == Charging::Stripe { Charging::Sandbox } else { Charging::Stripe };
        let mut venue = Venue::charging(own, [10, 10]).await;
        let process = venue.process().await;
        let order = sold(&process, json!({"manualEntryCardNumber": GOOD})).await;
        if !is_known {
            forget_reference(&venue, sale_of(&venue, &order).await).await;
        }
        process.processor.next(Verb::Refund, mishap);
        assert_eq!(process.send(whole(&order)).await.error(), "REFUND_PENDING", "{case}");
        let taken = sale_of(&venue, &order).await;
        venue.charging = other;
        let elsewhere = venue.process().await;
        for pass in [200, 300] {
            let report = elsewhere.clean_up(pass).await;
            assert_eq!((report.refunds_finished, report.failed), (0, 1), "{case}");
        }
        assert_eq!(
            elsewhere.send(whole(&order).at_instant(after(310))).await.error(),
            "REFUND_PENDING",
            "{case}"
        );
        assert_eq!(sale_of(&venue, &order).await, taken, "{case}");
        venue.charging = own;
        assert_eq!(venue.new_process().clean_up(400).await.refunds_finished, 1, "{case}");
        assert_eq!(venue.refunded().await, [3_600], "{case}");
        check_books(&venue, &case).await;
    }
}

/// Takes a refund of the sale itself, as a payment partner does, and carries it out.
async fn by_the_sale(process: &Process, sale: &Sale, cents: i64) -> bool {
    let id = RefundId::parse("refund_of_the_sale").unwrap();
    let pending = SaleRefund::pending(Money::from_cents(cents), after(10), true);
    let take = Take { tenant: tenant_id(), sale: &sale.id, mid: &sale.mid, id: &id, refund: &pending };
    let Ok(sale) = sagas::take_refund(&process.app, &take).await.unwrap() else { return false };
    let tenant = process.app.tenant(tenant_id()).await.unwrap();
    let taken = TakenRefund { sale, id, order: None };
    let outcome = sagas::refund(&process.app, &tenant, taken, RequestClock::chosen(after(10))).await;
    matches!(outcome, Ok(RefundOutcome::Refunded(_)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_refund_of_a_sale_and_one_of_its_order_never_give_more_than_was_paid() {
    for (of_sale, both) in [(1_800, true), (1_801, false), (3_600, false)] {
        for round in 0..4 {
            let venue = Venue::open([10, 10]).await;
            let (one, other) = (venue.process().await, venue.process().await);
            let order = sold(&one, json!({})).await;
            let sale = sale_of(&venue, &order).await;
            let by_sale = tokio::spawn(async move { by_the_sale(&one, &sale, of_sale).await });
            let ask = units(&order, 1);
            let by_order = tokio::spawn(async move { other.send(ask).await });
            let (by_sale, by_order) = (by_sale.await.unwrap(), by_order.await.unwrap());
            let case = format!("{of_sale} {round}: {by_sale} {}", by_order.text);
            let made = [by_sale, by_order.error() == "OK"];
            assert_eq!(made.iter().filter(|made| **made).count(), if both { 2 } else { 1 }, "{case}");
            assert!(["OK", "REFUND_EXCEEDS_REMAINDER"].contains(&by_order.error()), "{case}");
            let given = i64::from(by_sale) * of_sale + i64::from(made[1]) * 1_800;
            assert_eq!(venue.refunded().await.iter().sum::<i64>(), given, "{case}");
            let (left, kept) = (sale_of(&venue, &order).await, loaded(&venue, id(&order)).await.0);
            assert_eq!((left.remainder.cents(), kept.refunded.cents()), (3_600 - given, given), "{case}");
        }
    }
}

/// A request that did nothing leaves its key free, although it is answered that the service is busy.
#[tokio::test]
async fn an_order_that_keeps_changing_leaves_the_key_free() {
    for wish in ["a refund", "an exchange"] {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        let order = sold(&process, json!({})).await;
        let ask = match wish {
            "a refund" => units(&order, 1),
            _ => exchange(id(&order), json!({"itemId": item(&order, 0), "quantity": 1})),
        };
        let key = Key::order(tenant_id(), &OrderId::parse(id(&order)).unwrap());
        let stored = venue.store.get_item(&key, Consistency::Strong).await.unwrap().unwrap();
        // It is never as it was read: that nothing was done with it is written down, which no order does.
        let untouched = store::AttributeValue::M([("version".to_owned(), store::number(0))].into());
        let mut moving = stored.clone();
        moving.insert("after_sale".to_owned(), untouched);
        put(&venue, "orders", &moving).await;
        for _ in 0..2 {
            assert_eq!(process.send(ask.clone().keyed("k")).await.error(), "TRY_AGAIN", "{wish}");
        }
        put(&venue, "orders", &stored).await;
        let settled = process.send(ask.keyed("k")).await;
        assert_eq!((settled.error(), settled.replayed), ("OK", false), "{wish}: {}", settled.text);
        check_books(&venue, wish).await;
    }
}

#[tokio::test]
async fn an_order_whose_sale_is_missing_gives_back_neither_money_nor_seats() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({"manualEntryCardNumber": OTHER})).await;
    let sale = sale_of(&venue, &order).await;
    let Key { pk, sk, .. } = Key::sale(tenant_id(), &sale.id);
    let delete = venue.engine.client().delete_item().table_name(format!("{PREFIX}merchants"));
    delete.key("pk", store::text(pk)).key("sk", store::text(sk)).send().await.unwrap();
    let body = json!({"orderId": id(&order), "wholeOrder": true});
    let preview = process.send(crate::returns::staff("/v2/b2b/refunds/preview", body)).await;
    assert_eq!((preview.status, preview.error()), (500, "INTERNAL"), "{}", preview.text);
    let answer = process.send(whole(&order)).await;
    assert_eq!((answer.status, answer.error()), (500, "INTERNAL"), "{}", answer.text);
    let (kept, tickets) = loaded(&venue, id(&order)).await;
    assert!(kept.after_sale.is_untouched() && tickets.iter().all(|ticket| ticket.status.admits()));
    assert_eq!((venue.seats(0).await, venue.refunded().await), ([8, 0, 2], vec![]));
    // Seats alone need no sale.
    let cancelled = process.send(refund(id(&order), json!({"wholeOrder": true, "amount": 0}))).await;
    assert_eq!((cancelled.error(), &cancelled.body["amount"]), ("OK", &json!("0.00")), "{}", cancelled.text);
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
}
