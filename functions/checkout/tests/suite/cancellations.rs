//! What a cancelled transaction means to the buyer (fault class: reasons ignored).

use crate::audit::audit;
use crate::venue::{Process, Venue, pay, tickets};
use domain::OrderId;
use engine::{Fault, Throttling};
use serde_json::json;

/// Writes of the securing transaction of a stored cart with a key and a reservation.
const WRITES: usize = 6;

/// Makes the next call this many later, so that the blame of a cancelled transaction, which goes round with
/// the number of the call, falls on the next of its writes.
async fn pad(process: &Process, calls: usize) {
    for _ in 0..calls {
        let order = process.app.store.load_order(crate::venue::tenant_id(), &OrderId::from_bits(7)).await;
        assert_eq!(order.unwrap(), None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_or_throttle_of_any_write_is_never_reported_as_a_refusal() {
    for (fault, lasting, kind) in [
        (Fault::TransactionConflict, 1, "OK"),
        (Fault::TransactionConflict, 4, "OK"),
        (Fault::TransactionConflict, 100, "TRY_AGAIN"),
        (Fault::Throttle(Throttling::Table), 1, "OK"),
        (Fault::Throttle(Throttling::Table), 100, "TRY_AGAIN"),
        (Fault::Throttle(Throttling::Account), 100, "TRY_AGAIN"),
        (Fault::AnswerLost, 1, "OK"),
    ] {
        for write in 0..WRITES {
            let case = format!("{fault:?} {lasting} times, write {write}");
            let venue = Venue::open([2, 10]).await;
            let process = venue.process().await;
            let cart = process.cart(json!([tickets(2)])).await;
            venue.hold(10, &[(0, 2)], 600).await;
            process.faults.reset();
            pad(&process, write).await;
            for time in 0..lasting {
                process.faults.at_operation("TransactWriteItems", time, fault);
            }
            let ask = pay(json!({"shoppingCartId": cart, "reservationId": 10})).keyed("k");
            let answer = process.send(ask.clone()).await;
            assert_eq!(answer.error(), kind, "{case}: {}", answer.text);
            if kind == "TRY_AGAIN" {
                assert_eq!((answer.status, answer.header("retry-after")), (503, "2"), "{case}");
                assert_eq!(venue.seats(0).await, [0, 2, 0], "{case}");
            }
            process.faults.heal();
            let again = process.send(ask).await;
            assert_eq!((again.error(), again.replayed), ("OK", kind == "OK"), "{case}: {}", again.text);
            assert_eq!(audit(&venue, &case).await.len(), 1);
        }
    }
}
