//! Mails that nobody sends for a while.

use crate::venue::Venue;
use serde_json::json;
use testkit::PREFIX;
use testkit::outside::{Mishap, Verb};

/// More mails than are read at once wait in every partition of their queue.
async fn pile_up(venue: &Venue) {
    let rows = venue.scan("orders").await;
    let mail = rows.into_iter().find(|row| row["sk"].as_s().unwrap().starts_with("OUTBOX#")).unwrap();
    let (queue, _) = mail["due_pk"].as_s().unwrap().split_once('#').unwrap();
    let client = venue.engine.client();
    for number in 0..16 * 30 {
        let mut waiting = mail.clone();
        let order = 90_000_000 + number;
        waiting.insert("pk".to_owned(), store::text(format!("T#204#ORDER#{order}")));
        waiting.insert("due_pk".to_owned(), store::text(format!("{queue}#{:02}", number % 16)));
        waiting.insert("due_at".to_owned(), store::number(1));
        let put = client.put_item().table_name(format!("{PREFIX}orders"));
        put.set_item(Some(waiting)).send().await.unwrap();
    }
}

#[tokio::test]
async fn mails_that_pile_up_hold_back_neither_orders_nor_each_other() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    assert_eq!(process.pay(json!({})).await.error(), "OK");
    pile_up(&venue).await;
    process.processor.next(Verb::Confirm, Mishap::CrashBefore);
    let _ = process.pay(json!({"manualEntryCardNumber": "4242424242424242"})).await;
    let next = venue.process().await;

    let first = next.clean_up(600).await;
    assert_eq!((first.orders_due, first.orders_finished), (1, 1), "{first:?}");
    assert_eq!(first.mails_announced, 16 * 30 + 1, "{first:?}");
    assert_eq!(next.clean_up(600).await.mails_announced, 0);
}

#[tokio::test]
async fn a_mail_is_enqueued_again_a_minute_after_it_was() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    assert_eq!(process.pay(json!({})).await.error(), "OK");
    for (secs, enqueued) in [(600, 1), (600, 0), (659, 0), (660, 1)] {
        assert_eq!(process.clean_up(secs).await.mails_announced, enqueued, "after {secs} s");
    }
}
