//! What refunds and exchanges of orders refuse because of what was done before, of their size, or of their form.

use crate::catalog::{slot, template};
use crate::returns::books::check_books;
use crate::returns::{exchange, id, item, loaded, refund, sold, staff};
use crate::venue::{Venue, after, ask, put, tenant_id};
use domain::ledger::{Ledger, SlotState};
use domain::order::{AfterSale, Exchange, Order, OrderLine, OrderRefund};
use domain::sale::SaleRefund;
use domain::stripe::StripeSettings;
use domain::tenant::{ProcessorKind, Tenant};
use domain::{InstanceId, Money, OrderItemId, RefundId};
use serde_json::{Value, json};
use store::refund::Take;
use store::{Consistency, Key, encode};

/// Keeps an order as it never came to be here.
async fn keep(venue: &Venue, order: &Order) {
    let item = encode(&Key::order(tenant_id(), &order.id), order).unwrap();
    put(venue, "orders", &item).await;
}

/// A refund of nothing that was done long ago.
fn done(number: usize) -> OrderRefund {
    serde_json::from_value(json!({
        "id": format!("refund_{number}"), "number": number, "at": 0, "state": {"state": "done", "at": 0},
        "amount": 0, "items": [], "by": "",
    }))
    .unwrap()
}

/// An exchange of nothing that was made long ago.
fn made(number: u64) -> Exchange {
    serde_json::from_value(json!({"number": number, "at": 0, "by": "", "moved": [], "fee": 0})).unwrap()
}

#[tokio::test]
async fn an_order_has_so_many_refunds_and_exchanges_and_no_more() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    let (stored, _) = loaded(&venue, id(&order)).await;
    let one = json!({"items": [{"itemId": item(&order, 0), "quantity": 1}]});
    let moved = json!({"itemId": item(&order, 0), "quantity": 1});
    for (refunds, exchanges, refund_kind, exchange_kind) in
        [(200, 0, "TOO_MANY_REFUNDS", "OK"), (199, 50, "OK", "TOO_MANY_EXCHANGES"), (0, 49, "OK", "OK")]
    {
        let after_sale = AfterSale {
            version: 300,
            refunds: (0..refunds).map(done).collect(),
            exchanges: (0..exchanges).map(made).collect(),
        };
        for (ask, kind) in [
            (
                staff("/v2/b2b/refunds/preview", json!({"orderId": id(&order), "items": one["items"]})),
                refund_kind,
            ),
            (refund(id(&order), json!({"items": one["items"], "amount": 0})), refund_kind),
            (exchange(id(&order), moved.clone()), exchange_kind),
        ] {
            keep(&venue, &Order { after_sale: after_sale.clone(), ..stored.clone() }).await;
            let answer = process.send(ask).await;
            assert_eq!(answer.error(), kind, "{refunds} {exchanges}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn what_was_given_back_by_the_sale_is_not_given_back_by_the_order() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    let (stored, _) = loaded(&venue, id(&order)).await;
    let payment = stored.payment.clone().unwrap();
    let by_sale = RefundId::parse("refund_of_the_sale").unwrap();
    let pending = SaleRefund::pending(Money::from_cents(2_000), after(0), true);
    let take =
        Take { tenant: tenant_id(), sale: &payment.sale, mid: &payment.mid, id: &by_sale, refund: &pending };
    sagas::take_refund(&process.app, &take).await.unwrap().unwrap();
    let whole = || refund(id(&order), json!({"wholeOrder": true}));
    let preview = || staff("/v2/b2b/refunds/preview", json!({"orderId": id(&order), "wholeOrder": true}));
    for now in [after(1), after(61)] {
        for ask in [whole(), preview()] {
            let answer = process.send(ask.at_instant(now)).await;
            let told = (answer.status, answer.error(), &answer.body["remainder"]);
            assert_eq!(told, (409, "REFUND_EXCEEDS_REMAINDER", &json!("16.00")), "{}", answer.text);
        }
        // Under way first, and done then.
        process.clean_up(60).await;
    }
    assert_eq!(venue.seats(0).await, [8, 0, 2]);
    let rest = refund(id(&order), json!({"wholeOrder": true, "amount": "16.00"}));
    assert_eq!(process.send(rest).await.error(), "OK");
    let mut given = venue.refunded().await;
    given.sort_unstable();
    assert_eq!(given, [1_600, 2_000]);
}

#[tokio::test]
async fn tickets_are_exchanged_for_nothing_that_is_off_sale() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    let wish = || exchange(id(&order), json!({"itemId": item(&order, 0), "quantity": 1}));
    let late = process.send(wish().at_instant(after(3 * 86_400))).await;
    assert_eq!(late.refusal(), "409 SALES_CLOSED\n/eventId is not on sale");
    let ledger = Ledger { state: SlotState::Cancelled, ..venue.ledger(1).await };
    let key = Key::ledger(tenant_id(), &slot(1), 0);
    put(&venue, "reservations", &encode(&key, &ledger).unwrap()).await;
    let cancelled = process.send(wish()).await;
    assert_eq!(cancelled.refusal(), "409 SALES_CLOSED\n/eventId is not on sale");
    check_books(&venue, "off sale").await;
}

/// An order of tickets for 99 instances.
async fn far_and_wide(venue: &Venue, order: &Value) -> Order {
    let (mut stored, _) = loaded(venue, id(order)).await;
    let Some(OrderLine::Ticket(line)) = stored.lines.first().cloned() else { panic!("tickets") };
    stored.lines = (0..99_u16)
        .map(|number| {
            let start = after(86_400 * (10 + i64::from(number)));
            let mut line = line.clone();
            line.id = OrderItemId::from_bits(7_000 + u64::from(number));
            line.instance = InstanceId::of(&template(1_800).id, None, start.naive_utc(), start).unwrap();
            OrderLine::Ticket(line)
        })
        .collect();
    keep(venue, &stored).await;
    stored
}

#[tokio::test]
async fn what_does_not_fit_one_transaction_is_refused_and_can_be_given_back_in_parts() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    let stored = far_and_wide(&venue, &order).await;
    let all: Vec<Value> = stored.lines.iter().map(|line| json!({"itemId": line.id()})).collect();
    for fields in [json!({"wholeOrder": true}), json!({"items": all})] {
        for amount in ["1.00", "0.00"] {
            let mut body = json!({"orderId": id(&order), "amount": amount});
            body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            for path in ["/v2/b2b/refunds", "/v2/b2b/refunds/preview"] {
                let answer = process.send(staff(path, body.clone())).await;
                let told = (answer.status, answer.error());
                assert_eq!(told, (409, "REFUND_TOO_LARGE"), "{path} {amount}: {}", answer.text);
            }
        }
    }
    assert_eq!(loaded(&venue, id(&order)).await.0, stored);
    // With the sale, the order, its day and a mail, 96 instances make a transaction of 100 writes.
    for (items, mail, kind) in
        [(97, true, "REFUND_TOO_LARGE"), (98, false, "REFUND_TOO_LARGE"), (97, false, "OK"), (96, true, "OK")]
    {
        let some = json!({"orderId": id(&order), "amount": "1.00", "items": all[..items], "sendEmail": mail});
        let answer = process.send(staff("/v2/b2b/refunds/preview", some)).await;
        assert_eq!(answer.error(), kind, "{items} {mail}: {}", answer.text);
    }
    sell_all(&venue, &stored).await;
    let most = refund(id(&order), json!({"amount": "1.00", "items": all[..96]}));
    assert_eq!(process.send(most).await.error(), "OK");
    assert_eq!(venue.refunded().await, [100]);
}

/// Ledgers of all instances of an order, as if they had been sold.
async fn sell_all(venue: &Venue, order: &Order) {
    let sold = venue.ledger(0).await;
    for line in order.ticket_lines() {
        let ledger = Ledger { instance: line.instance, start: line.event_start, ..sold.clone() };
        put(venue, "reservations", &encode(&Key::ledger(tenant_id(), &line.instance, 0), &ledger).unwrap())
            .await;
    }
}

#[tokio::test]
async fn null_is_not_everything() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    let of = |field: &str| json!({"items": [{"itemId": item(&order, 0), field: null}]});
    for (fields, told) in [
        (of("quantity"), "/items/0/quantity must not be null"),
        (of("ticketIds"), "/items/0/ticketIds must not be null"),
        (json!({"wholeOrder": true, "amount": null}), "/amount must not be null"),
    ] {
        let mut body = json!({"orderId": id(&order)});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        for path in ["/v2/b2b/refunds", "/v2/b2b/refunds/preview"] {
            let answer = process.send(staff(path, body.clone())).await;
            assert_eq!(answer.refusal(), format!("400 VALIDATION_ERROR\n{told}"));
        }
    }
    let exchanged =
        process.send(exchange(id(&order), json!({"itemId": item(&order, 0), "quantity": null}))).await;
    assert_eq!(exchanged.refusal(), "400 VALIDATION_ERROR\n/quantity must not be null");
    assert_eq!(venue.seats(0).await, [8, 0, 2]);
}

/// A payment stays with the processor that took it, whichever the tenant charges through later.
#[tokio::test]
async fn a_payment_of_another_processor_is_not_refunded_and_the_refund_ends() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({})).await;
    let switched = async |processor: ProcessorKind| {
        let tenant = venue.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap();
        venue.store.save_tenant(&Tenant { processor, ..tenant }).await.unwrap();
        venue.process().await
    };
    let settings: StripeSettings = venue.stripe_settings.clone();
    let stripe = switched(ProcessorKind::Stripe(Box::new(settings))).await;
    let later = sold(&stripe, json!({"manualEntryCardNumber": "4242424242424242"})).await;
    let sandbox = switched(ProcessorKind::Sandbox).await;
    for (process, order) in [(&stripe, &order), (&sandbox, &later)] {
        for _ in 0..2 {
            let refused = process.send(refund(id(order), json!({"wholeOrder": true}))).await;
            assert_eq!((refused.status, refused.error()), (402, "REFUND_REFUSED"), "{}", refused.text);
            assert_eq!(refused.body["processorErrorCode"], "payment_of_another_processor");
        }
        let read = ask("GET", &format!("/v2/b2b/orders/detail/{}", id(order)), json!({})).by("staff-204");
        assert_eq!(process.send(read).await.body["refundAmount"], "0.00");
    }
    check_books(&venue, "switched").await;
    // Back with the processor that took it, it is given back.
    assert_eq!(sandbox.send(refund(id(&order), json!({"wholeOrder": true}))).await.error(), "OK");
    check_books(&venue, "back").await;
}
