//! Of a card, refunds show its last four digits, and nothing else goes anywhere.

use crate::shop::{GOOD, LOSING, REFUSING, Shop, read, refund, sent};
use serde_json::json;
use std::io;
use std::sync::{Arc, Mutex};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[track_caller]
fn assert_silent(place: &str, text: &str) {
    for card in [GOOD, REFUSING, LOSING] {
        assert!(!text.contains(card), "{place} shows {card}: {text}");
    }
}

#[tokio::test]
async fn answers_records_and_logs_never_show_a_card() {
    let log = Log::default();
    let filter: Targets =
        "debug,hyper=warn,aws_smithy_runtime=warn,aws_sdk_dynamodb=warn,aws_runtime=warn".parse().unwrap();
    let subscriber = tracing_subscriber::registry()
        .with(tracing_subscriber::fmt::layer().json().with_writer(log.clone()))
        .with(filter);
    // For the whole process, so that what other tests log meanwhile is looked through as well.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let shop = Shop::open().await;
    let process = shop.process().await;
    for (number, card) in (1..).zip([GOOD, REFUSING, LOSING]) {
        let sale = shop.sell(number, card, 5_000).await;
        for ask in [
            refund(&sale, json!(card)),
            refund(&sale, json!(card.parse::<u64>().unwrap())),
            refund(&sale, json!({"card": card})),
            sent(format!("{{\"saleId\":\"{card}\",\"charge\":{{\"amount\":1}}}}")),
            sent(format!("{{\"saleId\":\"{card}")),
            refund(&sale, json!(1)).keyed("k"),
            refund(&sale, json!(1)).keyed(&format!("k{number}")),
            refund(&sale, json!(1)).preview(),
            read("/sandbox/processor"),
        ] {
            assert_silent("an answer", &process.send(ask).await.text);
        }
    }
    process.clean_up(1_000).await;
    for table in ["catalog", "carts", "reservations", "orders", "members", "merchants"] {
        for item in shop.scan(table).await {
            assert_silent(table, &format!("{item:?}"));
        }
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("refund"), "{log}");
    for line in log.lines() {
        assert_silent("the log", line);
    }
}
