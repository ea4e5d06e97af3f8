//! Orders tell what was given back of them, and refunds what they cost in round trips.

use crate::shop::{Shop, order_id, read, refund};
use domain::sale::Sale;
use serde_json::json;
use store::{Key, encode};
use testkit::cards::{GOOD, REFUSES_REFUNDS};

#[tokio::test]
async fn orders_and_will_call_tell_what_was_given_back() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 5_000).await;
    for (amount, told, status) in [
        (None, "0.00", "Not Refunded"),
        (Some(json!("0.01")), "0.01", "Partially Refunded"),
        (Some(json!(49.98)), "49.99", "Partially Refunded"),
        (Some(json!(0.01)), "50.00", "Refunded"),
    ] {
        if let Some(amount) = amount {
            assert_eq!(process.send(refund(&sale, amount)).await.status, 200);
        }
        let order = process.send(read(format!("/v2/b2b/orders/detail/{}", order_id(1)))).await.body;
        let shown = [&order["refundAmount"], &order["paidAmount"], &order["balanceAmount"]];
        assert_eq!(shown, [told, "50.00", "0.00"]);
        let order = process.send(read(format!("/v2/b2b/willcall/orders/{}", order_id(1)))).await.body;
        assert_eq!((&order["refundStatus"], &order["orderBalance"]), (&json!(status), &json!("0.00")));
    }
}

#[tokio::test]
async fn a_refund_makes_two_round_trips_and_one_more_with_a_key() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    for (number, (card, key, calls)) in (1..).zip([
        (GOOD, None, 2),
        (REFUSES_REFUNDS, None, 2),
        (GOOD, Some("a"), 3),
        (REFUSES_REFUNDS, Some("b"), 3),
    ]) {
        let sale = shop.sell(number, card, 5_000).await;
        let ask = refund(&sale, json!(1));
        let ask = key.into_iter().fold(ask, |ask, key| ask.keyed(key));
        let answer = process.send(ask).await;
        assert_eq!(answer.calls.total, calls, "{card} {key:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_sale_written_before_refunds_is_refunded_by_opening_its_payment_again() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    for (number, key) in [(1, None), (2, Some("k"))] {
        let sale = shop.sell(number, GOOD, 5_000).await;
        let place = Key::sale(testkit::tenant_id(1), &sale);
        let old = Sale { reference: None, ..shop.sale(&sale).await };
        let mut item = encode(&place, &old).unwrap();
        for field in ["refunds", "version"] {
            item.remove(field);
        }
        shop.put(&place, item).await;
        let ask = key.into_iter().fold(refund(&sale, json!(20)), |ask, key| ask.keyed(key));
        let answer = process.send(ask).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        crate::audit::audit(&shop, &sale, "old sale").await;
    }
}
