//! Refunds at once (case 34 of the field).

use crate::audit::audit;
use crate::shop::{Shop, refund};
use serde_json::json;
use testkit::cards::{GOOD, REFUSES_REFUNDS};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_refunds_that_are_too_much_together_one_is_given() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    for round in 1..=20 {
        let sale = shop.sell(round, GOOD, 10_000).await;
        let ask = || process.send(refund(&sale, json!(60.0)));
        let (one, other) = tokio::join!(ask(), ask());
        let mut kinds = [one.kind().1, other.kind().1];
        kinds.sort_unstable();
        assert_eq!(kinds, ["OK", "REFUND_EXCEEDS_REMAINDER"], "{} {}", one.text, other.text);
        assert_eq!(audit(&shop, &sale, "two at once").await.remainder.to_string(), "40.00");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_refunds_at_once_add_up_to_the_sale() {
    for (card, given) in [(GOOD, 10), (REFUSES_REFUNDS, 0)] {
        let shop = Shop::open().await;
        let process = shop.process().await;
        let sale = shop.sell(1, card, 10_000).await;
        let mut tasks = JoinSet::new();
        for number in 0..16 {
            let (process, ask) = (process.clone(), refund(&sale, json!(10)));
            let ask = if number % 2 == 0 { ask.keyed(&format!("k{number}")) } else { ask };
            tasks.spawn(async move {
                let mut answer = process.send(ask.clone()).await;
                // Busy is no answer; under a key it may be asked again.
                while answer.status == 503 {
                    answer = process.send(ask.clone()).await;
                }
                answer.status
            });
        }
        let statuses = tasks.join_all().await;
        process.clean_up(1_000).await;
        let sale = audit(&shop, &sale, "sixteen at once").await;
        assert!(statuses.iter().all(|status| [200, 402, 409].contains(status)), "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), given, "{statuses:?}");
        assert_eq!(sale.refunds.len(), given);
    }
}
