//! Mails that wait leave as fast as somebody takes them (decision record 0132).

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use adapters::clock::wall_now;
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use boxoffice::testing::Service;
use cleanup::{Unsent, UnsentChosen, enqueue_chosen, enqueue_unsent};
use domain::time::plus_secs;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use store::{AttributeValue, Table};

/// A thirtieth of this left in a minute once.
const WAITING: usize = 12_000;

/// Items that one call writes at most.
const BATCH: usize = 25;

/// Buys a ticket.
async fn buy(service: &Service, clock: Option<&str>) {
    let usual = [
        ("x-service-api-key", "demo-b2c-1001"),
        ("x-b2c-tenant-id", "1001"),
        ("x-service-browser-ip", "203.0.113.24"),
    ];
    let shop: Vec<(&str, &str)> =
        usual.into_iter().chain(clock.map(|now| ("x-service-test-now", now))).collect();
    let next = "/v2/b2c/events/1001ee000000000000000001/nextAvailable";
    let slot = service.request("GET", next, &shop, None).await.body["id"].clone();
    let line = json!({ "eventId": slot, "ticketingTypeId": "1001aa000000000000000001", "quantity": 1 });
    let checkout = json!({ "shoppingCart": { "items": [line] }, "billingEmail": "ines@example.org",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123" });
    let paid = service.request("POST", "/v2/b2c/checkout", &shop, Some(&checkout)).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
}

/// So many mails of orders that were enqueued by a process that ended, half a minute ago.
async fn pile_up(service: &Service, clock: &str, mails: usize) {
    buy(service, None).await;
    let name = format!("boxoffice-{}", Table::Orders.name());
    let client = service.embedded.client();
    let rows = client.scan().table_name(&name).send().await.unwrap().items.unwrap();
    let mail = rows.into_iter().find(|row| row["sk"].as_s().unwrap().starts_with("OUTBOX#")).unwrap();
    let due = plus_secs(wall_now(), 30).timestamp().to_string();
    let waiting = |number: usize| {
        let mut waiting = mail.clone();
        waiting.insert("pk".to_owned(), store::text(format!("T#1001#ORDER#{}", 90_000_000 + number)));
        waiting.insert("due_pk".to_owned(), store::text(format!("{clock}#{:02}", number % 16)));
        waiting.insert("due_at".to_owned(), AttributeValue::N(due.clone()));
        let put = PutRequest::builder().set_item(Some(waiting)).build().unwrap();
        WriteRequest::builder().put_request(put).build()
    };
    let all: Vec<WriteRequest> = (0..mails).map(waiting).collect();
    for batch in all.chunks(BATCH) {
        let written = client.batch_write_item().request_items(&name, batch.to_vec()).send().await.unwrap();
        assert!(written.unprocessed_items.unwrap_or_default().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_mails_that_wait_are_enqueued_at_once_after_a_restart() {
    let service = Service::start().await;
    pile_up(&service, "DUEMAIL", WAITING - 1).await;
    let process = service.another_process(engine::FaultPlan::new());
    let (mut enqueued, mut calls) = (BTreeSet::new(), 0);
    let now = wall_now();
    loop {
        let is_more = enqueue_unsent(&process.app, Unsent::AtStart(now), now).await.unwrap();
        calls += 1;
        // As many as the queue has.
        while let Ok(jobs) = tokio::time::timeout(Duration::ZERO, process.queue.receive(500)).await {
            for job in jobs {
                process.queue.delete(job.receipt);
                enqueued.insert(job.body);
            }
        }
        if !is_more {
            break;
        }
        assert!(calls < 20, "only {} in {calls} calls", enqueued.len());
    }
    assert_eq!(enqueued.len(), WAITING);
    // They wait for their turn, and are not enqueued again before.
    assert!(!enqueue_unsent(&process.app, Unsent::Overdue, now).await.unwrap());
    assert_eq!(process.queue.depth(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_of_a_clock_ahead_of_real_time_are_enqueued_after_a_restart_too() {
    let service = Service::start().await;
    let later = plus_secs(wall_now(), 20 * 86_400).to_rfc3339();
    buy(&service, Some(&later)).await;
    let process = service.another_process(engine::FaultPlan::new());
    // They are due by the clock of their orders, and by that alone.
    assert!(!enqueue_unsent(&process.app, Unsent::AtStart(wall_now()), wall_now()).await.unwrap());
    assert_eq!(process.queue.depth(), 0);
    let enqueue_mails = async || {
        let mut unsent = UnsentChosen::begin(&process.app).await.unwrap();
        assert!(!enqueue_chosen(&process.app, &mut unsent).await.unwrap());
        process.queue.depth()
    };
    let mails = enqueue_mails().await;
    assert!(mails > 0);
    assert_eq!(process.deliver_mail().await, mails);
    assert_eq!(enqueue_mails().await, 0);
}

/// More than are held at once, in each of the partitions they lie in.
#[tokio::test(flavor = "multi_thread")]
async fn all_mails_of_chosen_clocks_are_enqueued_page_after_page() {
    let service = Service::start().await;
    pile_up(&service, "CHOSENMAIL", 3_000).await;
    let process = service.another_process(engine::FaultPlan::new());
    let mut unsent = UnsentChosen::begin(&process.app).await.unwrap();
    let (mut enqueued, mut jobs, mut is_more) = (BTreeSet::new(), 0, true);
    while is_more {
        is_more = enqueue_chosen(&process.app, &mut unsent).await.unwrap();
        while let Ok(received) = tokio::time::timeout(Duration::ZERO, process.queue.receive(500)).await {
            jobs += received.len();
            for job in received {
                process.queue.delete(job.receipt);
                enqueued.insert(job.body);
            }
        }
    }
    assert_eq!((jobs, enqueued.len()), (3_000, 3_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_stops_enqueuing_and_fails_nothing() {
    let service = Service::start().await;
    pile_up(&service, "DUEMAIL", WAITING - 1).await;
    let process = service.another_process(engine::FaultPlan::new());
    let (mut calls, start) = (0, Unsent::AtStart(wall_now()));
    while process.queue.depth() < process.queue.capacity() {
        assert!(enqueue_unsent(&process.app, start, wall_now()).await.unwrap());
        calls += 1;
        assert!(calls < 20);
    }
    let report =
        cleanup::pass(&process.app, cleanup::PassScope::Schedule, plus_secs(wall_now(), 59)).await.unwrap();
    assert_eq!((report.mails_announced, report.failed), (0, 0), "{report:?}");
}
