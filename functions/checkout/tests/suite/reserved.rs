//! Reservations at checkout (contract §6): consumed, given back, released.

use crate::audit::audit;
use crate::venue::{Venue, after, pay, t0, tenant_id, tickets, tickets_for};
use domain::ReservationId;
use domain::ledger::{Hold, LedgerChange};
use engine::Fault;
use serde_json::json;
use std::time::Duration;
use testkit::cards::DECLINED;
use testkit::catalog::DONATION;

#[tokio::test]
async fn a_live_hold_keeps_strangers_out_and_never_competes_with_its_holder() {
    let venue = Venue::open([1, 10]).await;
    venue.hold(10, &[(0, 1)], 600).await;
    let process = venue.process().await;
    let cart = json!({"items": [tickets(1)]});
    let stranger = process.pay(json!({"shoppingCart": cart})).await;
    assert_eq!((stranger.error(), &stranger.body["availableSeats"]), ("NOT_ENOUGH_CAPACITY", &json!(0)));
    let holder = process.pay(json!({"shoppingCart": cart, "reservationId": 10})).await;
    assert_eq!(holder.error(), "OK", "{}", holder.text);
    assert_eq!(venue.seats(0).await, [0, 0, 1]);
}

#[tokio::test]
async fn the_reservation_of_a_stored_cart_is_consumed_and_the_request_outranks_it() {
    for (field, seats) in [(None, [[7, 0, 3], [6, 4, 0]]), (Some(11), [[5, 2, 3], [10, 0, 0]])] {
        let venue = Venue::open([10, 10]).await;
        venue.hold(10, &[(0, 2)], 600).await;
        venue.hold(11, &[(1, 4)], 600).await;
        let process = venue.process().await;
        let ask =
            crate::venue::ask("POST", "/v2/b2c/carts", json!({"items": [tickets(3)], "reservationId": 10}));
        let cart = process.send(ask).await.body;
        let mut fields = json!({"shoppingCartId": cart});
        if let Some(id) = field {
            fields["reservationId"] = json!(id);
        }
        let order = process.pay(fields).await;
        assert_eq!(order.error(), "OK", "{}", order.text);
        assert_eq!([venue.seats(0).await, venue.seats(1).await], seats, "{field:?}");
    }
}

#[tokio::test]
async fn seats_beyond_the_cart_are_released_on_success_and_come_back_as_they_were_on_a_decline() {
    for (card, expected) in
        [("4111111111111111", [[8, 0, 2], [10, 0, 0]]), (DECLINED, [[6, 4, 0], [5, 5, 0]])]
    {
        let venue = Venue::open([10, 10]).await;
        venue.hold(10, &[(0, 4), (1, 5)], 600).await;
        let process = venue.process().await;
        process.pay(json!({"reservationId": 10, "manualEntryCardNumber": card})).await;
        assert_eq!([venue.seats(0).await, venue.seats(1).await], expected, "{card}");
    }
}

#[tokio::test]
async fn a_reservation_that_is_gone_unknown_or_anothers_sells_nothing() {
    let venue = Venue::open([10, 10]).await;
    venue.hold(10, &[(0, 2)], 600).await;
    venue.hold(11, &[(1, 2)], 600).await;
    let process = venue.process().await;
    let id = ReservationId::parse(11).unwrap();
    let gone = LedgerChange::release(id, Hold { quantity: 2, expires_at: after(600) });
    let slot = crate::catalog::slot(1);
    venue.store.change_ledger(crate::venue::tenant_id(), &slot, &gone, after(0)).await.unwrap().unwrap();
    let unknown = "404 NOT_FOUND\n/reservationId was not found";
    let expired = "409 RESERVATION_EXPIRED\n/reservationId has expired";
    let used = "409 RESERVATION_EXPIRED\n/reservationId has already been used for an order";
    let donation =
        json!({"items": [{"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": "5"}]});
    for (case, ask, expected) in [
        ("unknown", pay(json!({"reservationId": 99})), unknown),
        ("no id at all", pay(json!({"reservationId": -1})), unknown),
        ("another tenant's", pay(json!({"reservationId": 10})).by("key-205"), unknown),
        ("just expired", pay(json!({"reservationId": 10})).at_instant(after(600)), expired),
        (
            "gone, same event",
            pay(json!({"reservationId": 11, "shoppingCart": {"items": [tickets_for(1, 1)]}})),
            used,
        ),
        ("gone, other event", pay(json!({"reservationId": 11})), used),
        ("gone, no event", pay(json!({"reservationId": 11, "shoppingCart": donation})), used),
    ] {
        let answer = process.send(ask).await;
        assert_eq!(answer.refusal(), expected, "{case}: {}", answer.text);
    }
    assert_eq!(audit(&venue, "gone").await, []);
}

#[tokio::test]
async fn a_consumed_reservation_is_gone_unless_it_is_the_same_charge_again() {
    let venue = Venue::open([10, 10]).await;
    venue.hold(10, &[(0, 2)], 600).await;
    let process = venue.process().await;
    let fields = json!({"reservationId": 10});
    assert_eq!(process.pay(fields.clone()).await.error(), "OK");
    assert_eq!(process.pay(fields).await.error(), "DUPLICATE_TRANSACTION_FOUND");
    let other = json!({"reservationId": 10, "manualEntryCardNumber": "4242424242424242"});
    let used = process.pay(other).await;
    assert_eq!(used.refusal(), "409 RESERVATION_EXPIRED\n/reservationId has already been used for an order");
    assert_eq!(used.body["message"], "The reservation has already been used for an order");
}

#[tokio::test]
async fn expired_holds_are_sold_to_the_next_buyer_at_the_instant_of_expiry() {
    let venue = Venue::open([10, 10]).await;
    for id in 0..9 {
        venue.hold(20 + id, &[(0, 1)], 600).await;
    }
    let process = venue.process().await;
    let cart = json!({"shoppingCart": {"items": [tickets(10)]}});
    let early = process.send(pay(cart.clone()).at_instant(after(599))).await;
    assert_eq!((early.error(), &early.body["availableSeats"]), ("NOT_ENOUGH_CAPACITY", &json!(1)));
    let late = process.send(pay(cart).at_instant(after(600))).await;
    assert_eq!(late.error(), "OK", "{}", late.text);
    assert_eq!(venue.seats(0).await, [0, 0, 10]);
}

#[tokio::test]
async fn a_hold_that_expires_before_the_decline_is_recovered_becomes_free_seats() {
    let venue = Venue::open([10, 10]).await;
    venue.hold(10, &[(0, 3)], 30).await;
    let process = venue.process().await;
    process.processor.next(testkit::outside::Verb::Confirm, testkit::outside::Mishap::CrashBefore);
    let died = process.pay(json!({"reservationId": 10})).await;
    assert_eq!(died.error(), "TRY_AGAIN");
    venue.new_process().clean_up(100).await;
    assert_eq!(venue.ledger(0).await.available(after(100)), 10);
    assert_eq!(audit(&venue, "expired").await, []);
}

#[tokio::test(start_paused = true)]
async fn a_hold_that_changed_meanwhile_is_tried_again_unless_it_is_gone() {
    let id = ReservationId::parse(10).unwrap();
    let hold = |quantity| Hold { quantity, expires_at: after(600) };
    for (change, kind) in [
        (LedgerChange::replace(id, hold(3), hold(5)), "TRY_AGAIN"),
        (LedgerChange::release(id, hold(3)), "RESERVATION_EXPIRED"),
    ] {
        let venue = Venue::open([10, 10]).await;
        venue.hold(10, &[(0, 3)], 600).await;
        let process = venue.process().await;
        process.faults.at_operation("TransactWriteItems", 0, Fault::Slow(Duration::from_secs(1)));
        let slow = tokio::spawn({
            let process = process.clone();
            async move { process.pay(json!({"reservationId": 10})).await }
        });
        while !process.faults.calls().iter().any(|call| call == "TransactWriteItems") {
            tokio::task::yield_now().await;
        }
        let slot = crate::catalog::slot(0);
        venue.store.change_ledger(tenant_id(), &slot, &change, t0()).await.unwrap().unwrap();
        let slow = slow.await.unwrap();
        assert_eq!(slow.error(), kind, "{}", slow.text);
        assert_eq!(audit(&venue, kind).await, []);
    }
}
