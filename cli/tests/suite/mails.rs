//! Mails that wait leave as fast as somebody takes them (decision record 0132).

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use boxoffice::testing::Service;
use cleanup::{Unsent, announce_chosen, announce_unsent, load_unsent_chosen};
use domain::time::plus_secs;
use platform::clock::wall_now;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use store::{AttributeValue, Table};

/// A thirtieth of this left in a minute once.
const WAITING: usize = 12_000;

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

/// Mails of orders that were announced by a process that ended, half a minute ago.
async fn pile_up(service: &Service) {
    buy(service, None).await;
    let name = format!("boxoffice-{}", Table::Orders.name());
    let client = service.embedded.client();
    let rows = client.scan().table_name(&name).send().await.unwrap().items.unwrap();
    let mail = rows.into_iter().find(|row| row["sk"].as_s().unwrap().starts_with("OUTBOX#")).unwrap();
    let (queue, _) = mail["due_pk"].as_s().unwrap().split_once('#').unwrap();
    let due = plus_secs(wall_now(), 30).timestamp().to_string();
    for number in 1..WAITING {
        let mut waiting = mail.clone();
        waiting.insert("pk".to_owned(), store::text(format!("T#1001#ORDER#{}", 90_000_000 + number)));
        waiting.insert("due_pk".to_owned(), store::text(format!("{queue}#{:02}", number % 16)));
        waiting.insert("due_at".to_owned(), AttributeValue::N(due.clone()));
        client.put_item().table_name(&name).set_item(Some(waiting)).send().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_mails_that_wait_are_announced_at_once_after_a_restart() {
    let service = Service::start().await;
    pile_up(&service).await;
    let process = service.another_process(engine::FaultPlan::new());
    let (mut announced, mut calls) = (BTreeSet::new(), 0);
    let now = wall_now();
    loop {
        let is_more = announce_unsent(&process.app, Unsent::AtStart(now), now).await.unwrap();
        calls += 1;
        // As many as the queue has.
        while let Ok(jobs) = tokio::time::timeout(Duration::ZERO, process.queue.receive(500)).await {
            for job in jobs {
                process.queue.delete(job.receipt);
                announced.insert(job.body);
            }
        }
        if !is_more {
            break;
        }
        assert!(calls < 20, "only {} in {calls} calls", announced.len());
    }
    assert_eq!(announced.len(), WAITING);
    // They wait for their turn, and are not announced again before.
    assert!(!announce_unsent(&process.app, Unsent::Overdue, now).await.unwrap());
    assert_eq!(process.queue.depth(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_of_a_clock_ahead_of_real_time_are_announced_after_a_restart_too() {
    let service = Service::start().await;
    let later = plus_secs(wall_now(), 20 * 86_400).to_rfc3339();
    buy(&service, Some(&later)).await;
    let process = service.another_process(engine::FaultPlan::new());
    // They are due by the clock of their orders, and by that alone.
    assert!(!announce_unsent(&process.app, Unsent::AtStart(wall_now()), wall_now()).await.unwrap());
    assert_eq!(process.queue.depth(), 0);
    let mut waiting = load_unsent_chosen(&process.app).await.unwrap();
    let mails = waiting.len();
    assert!(mails > 0);
    assert!(!announce_chosen(&process.app, &mut waiting).await.unwrap());
    assert!(waiting.is_empty());
    assert_eq!(process.deliver_mail().await, mails);
    assert!(load_unsent_chosen(&process.app).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_stops_announcing_and_fails_nothing() {
    let service = Service::start().await;
    pile_up(&service).await;
    let process = service.another_process(engine::FaultPlan::new());
    let (mut calls, start) = (0, Unsent::AtStart(wall_now()));
    while process.queue.depth() < process.queue.capacity() {
        assert!(announce_unsent(&process.app, start, wall_now()).await.unwrap());
        calls += 1;
        assert!(calls < 20);
    }
    let report =
        cleanup::pass(&process.app, cleanup::Scope::Schedule, plus_secs(wall_now(), 59)).await.unwrap();
    assert_eq!((report.mails_announced, report.failed), (0, 0), "{report:?}");
}
