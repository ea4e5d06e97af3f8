//! Of a card, refunds show its last four digits, and nothing else goes anywhere.

use crate::shop::{Shop, read, refund, sent};
use serde_json::json;
use testkit::cards::{GOOD, LOSES_THE_ANSWER, REFUSES_REFUNDS};
use testkit::log::Log;

#[track_caller]
fn assert_silent(place: &str, text: &str) {
    for card in [GOOD, REFUSES_REFUNDS, LOSES_THE_ANSWER] {
        assert!(!text.contains(card), "{place} shows {card}: {text}");
    }
}

#[tokio::test]
async fn answers_records_and_logs_never_show_a_card() {
    let log = Log::begin();
    let shop = Shop::open().await;
    let process = shop.process().await;
    for (number, card) in (1..).zip([GOOD, REFUSES_REFUNDS, LOSES_THE_ANSWER]) {
        let sale = shop.sell(number, card, 5_000).await;
        for ask in [
            refund(&sale, json!(card)),
            refund(&sale, json!(card.parse::<u64>().unwrap())),
            refund(&sale, json!({"card": card})),
            sent(format!("{{\"saleId\":\"{card}\",\"charge\":{{\"amount\":1}}}}")),
            sent(format!("{{\"saleId\":\"{card}")),
            refund(&sale, json!(1)).keyed("k"),
            refund(&sale, json!(1)).keyed(&format!("k{number}")),
            refund(&sale, json!(1)).below("/preview"),
            read("/sandbox/processor"),
        ] {
            assert_silent("an answer", &process.send(ask).await.text);
        }
    }
    process.clean_up(1_000).await;
    for table in ["catalog", "carts", "reservations", "orders", "members", "merchants"] {
        for item in shop.tables.scan(table).await {
            assert_silent(table, &format!("{item:?}"));
        }
    }
    let log = log.text();
    assert!(log.contains("refund"), "{log}");
    for line in log.lines() {
        assert_silent("the log", line);
    }
}
