//! The same request twice is one refund (contract §2).

use crate::audit::audit;
use crate::shop::{Shop, after, refund, refund_id};
use domain::PaymentReference;
use domain::sale::Sale;
use serde_json::json;
use store::{Key, encode};
use testkit::cards::{GOOD, LOSES_THE_ANSWER, REFUSES_REFUNDS};
use testkit::outside::{Mishap, Verb};

#[tokio::test]
async fn a_repeated_key_answers_the_first_refund_and_gives_no_second() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 10_000).await;
    let ask = refund(&sale, json!(30)).keyed("k");
    let first = process.send(ask.clone()).await;
    process.send(refund(&sale, json!(70)).keyed("rest")).await;
    let again = process.send(ask.clone().at_instant(after(86_399))).await;
    assert_eq!((first.status, first.replayed, again.status, again.replayed), (200, false, 200, true));
    assert_eq!(first.body, again.body);
    // After a day the key is free again, and nothing is left.
    let late = process.send(ask.at_instant(after(86_400))).await;
    assert_eq!(late.kind(), (409, "REFUND_EXCEEDS_REMAINDER"));
    assert_eq!(audit(&shop, &sale, "repeated").await.refunds.len(), 2);
}

#[tokio::test]
async fn a_key_belongs_to_one_body_of_one_merchant() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 10_000).await;
    let second = shop.sell(2, GOOD, 10_000).await;
    let of_other = shop.sell_as(1, "60418", 3, GOOD, 10_000).await;
    assert_eq!(process.send(refund(&sale, json!(30)).keyed("k")).await.status, 200);
    for other in [refund(&sale, json!(31)), refund(&second, json!(30))] {
        assert_eq!(process.send(other.keyed("k")).await.kind(), (409, "IDEMPOTENCY_KEY_REUSED"));
    }
    let of_other = refund(&of_other, json!(30)).by("pay-60418").to("/v1/payment/60418/refund");
    assert_eq!(process.send(of_other.keyed("k")).await.status, 200);
    assert_eq!(audit(&shop, &second, "reused").await.version, 0);
}

#[tokio::test]
async fn a_refused_refund_is_refused_again_with_its_codes() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, REFUSES_REFUNDS, 10_000).await;
    let ask = refund(&sale, json!(30)).keyed("k");
    for replayed in [false, true, true] {
        let answer = process.send(ask.clone()).await;
        assert_eq!((answer.kind(), answer.replayed), ((402, "REFUND_REFUSED"), replayed));
        assert_eq!(answer.body["issuingErrorCode"], "refund_declined");
    }
    let sale = audit(&shop, &sale, "refused again").await;
    assert_eq!(sale.remainder.to_string(), "100.00");
    assert_eq!(shop.sandbox.refunds(testkit::tenant_id(1)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_refusal_that_took_nothing_leaves_the_key_free() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 10_000).await;
    for (amount, kind) in [(json!(100.01), "REFUND_EXCEEDS_REMAINDER"), (json!(100), "OK")] {
        assert_eq!(process.send(refund(&sale, amount).keyed("k")).await.kind().1, kind);
    }
}

#[tokio::test]
async fn while_the_processor_has_not_answered_the_refund_is_in_progress() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, LOSES_THE_ANSWER, 10_000).await;
    let ask = refund(&sale, json!(30)).keyed("k");
    let first = process.send(ask.clone()).await;
    assert_eq!((first.kind(), first.header("retry-after")), ((409, "REQUEST_IN_PROGRESS"), "60"));
    let early = process.send(ask.clone().at_instant(after(59))).await;
    assert_eq!((early.kind(), refund_id(&early)), ((409, "REQUEST_IN_PROGRESS"), refund_id(&first)));
    assert_eq!(early.header("retry-after"), "60");
    assert_eq!(shop.sale(&sale).await.remainder.to_string(), "70.00");
    let late = process.send(ask.clone().at_instant(after(60))).await;
    assert_eq!((late.status, refund_id(&late)), (200, refund_id(&first)), "{}", late.text);
    assert_eq!(process.send(ask.at_instant(after(61))).await.body, late.body);
    audit(&shop, &sale, "in progress").await;
}

#[tokio::test]
async fn the_scheduled_work_finishes_what_was_left_half_way_by_its_own_clock_alone() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let chosen = shop.sell(1, LOSES_THE_ANSWER, 10_000).await;
    let real = shop.sell(2, LOSES_THE_ANSWER, 10_000).await;
    process.send(refund(&chosen, json!(30))).await;
    process.send(refund(&real, json!(30)).in_real_time()).await;
    let schedule =
        cleanup::pass(&process.app, cleanup::PassScope::Schedule, after(-86_400 * 365)).await.unwrap();
    assert_eq!(schedule.refunds_finished, 0);
    let early = process.clean_up(59).await;
    assert_eq!((early.failed, shop.sale(&chosen).await.pending().len()), (0, 1));
    let late = process.clean_up(60).await;
    assert_eq!(early.refunds_finished + late.refunds_finished, 2);
    for sale in [&chosen, &real] {
        assert_eq!(audit(&shop, sale, "schedule").await.remainder.to_string(), "70.00");
    }
}

#[tokio::test(start_paused = true)]
async fn a_processor_that_is_late_is_not_waited_for_beyond_the_gateway() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 10_000).await;
    process.processor.next(Verb::Refund, Mishap::Slow(std::time::Duration::from_secs(40)));
    let start = tokio::time::Instant::now();
    let answer = process.send(refund(&sale, json!(30))).await;
    assert_eq!(answer.kind(), (409, "REQUEST_IN_PROGRESS"));
    assert!(start.elapsed().as_secs() < 28);
    process.clean_up(100).await;
    assert_eq!(audit(&shop, &sale, "late").await.refunds.len(), 1);
}

#[tokio::test]
async fn a_payment_of_another_processor_is_refused_and_nothing_is_taken_of_it() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let id = shop.sell(1, GOOD, 10_000).await;
    let sold = shop.sale(&id).await;
    let place = Key::sale(testkit::tenant_id(1), &id);
    let elsewhere = Sale { reference: PaymentReference::parse("pi_3N2x").ok(), ..sold.clone() };
    shop.put(&place, encode(&place, &elsewhere).unwrap()).await;
    for ask in [refund(&id, json!(30)), refund(&id, json!(30)).keyed("k"), refund(&id, json!(30)).keyed("k")]
    {
        let answer = process.send(ask).await;
        assert_eq!(answer.kind(), (402, "REFUND_REFUSED"), "{}", answer.text);
        assert_eq!(answer.body["processorErrorCode"], "payment_of_another_processor");
        let after = shop.sale(&id).await;
        assert_eq!((after.refunds, after.remainder), (elsewhere.refunds.clone(), elsewhere.remainder));
    }
    // Back at the processor that took it, the key is free.
    shop.put(&place, encode(&place, &sold).unwrap()).await;
    assert_eq!(process.send(refund(&id, json!(30)).keyed("k")).await.kind(), (200, "OK"));
    audit(&shop, &id, "back").await;
}
