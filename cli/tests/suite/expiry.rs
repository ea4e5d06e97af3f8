//! What expires carries the real time at which it may go, whatever clock its caller chose, and goes.

use crate::demo::{SHOP, STAFF};
use adapters::clock::wall_now;
use boxoffice::testing::Service;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::{AttributeValue, Item, Table};
use testkit::all_items;

/// Two days, for which carts and reservations stay, and an hour for the test itself.
const LONGEST_SECS: i64 = 2 * 86_400 + 3_600;

async fn rows(service: &Service, table: Table) -> Vec<Item> {
    all_items(&service.embedded, &format!("boxoffice-{}", table.name())).await
}

fn ttl(row: &Item) -> Option<i64> {
    row.get("ttl")?.as_n().ok()?.parse().ok()
}

/// Everything that expires, under a clock.
async fn leave_traces(service: &Service, clock: &str) {
    let clock = ("x-service-test-now", clock);
    let with = |headers: &[(&'static str, &'static str)]| headers.to_vec();
    let mut shop: Vec<(&str, &str)> = with(&SHOP);
    let mut staff: Vec<(&str, &str)> = with(&STAFF);
    shop.push(clock);
    staff.push(clock);
    let keyed = [&shop[..], &[("idempotency-key", clock.1)]].concat();
    let pay_key = format!("pay {}", clock.1);
    let paying = [&shop[..], &[("idempotency-key", pay_key.as_str())]].concat();
    let cart = service.request("POST", "/v2/b2c/carts", &keyed, Some(&json!({}))).await;
    assert_eq!(cart.status, 200, "{}", cart.body);
    let next = "/v2/b2c/events/1001ee000000000000000001/nextAvailable";
    let slot = service.request("GET", next, &shop, None).await.body["id"].clone();
    if slot != Value::Null {
        let hold = json!({ "reservationItems": [{ "eventId": slot, "quantity": 1 }] });
        assert_eq!(service.request("POST", "/v2/b2b/reservations", &staff, Some(&hold)).await.status, 200);
        let line = json!({ "eventId": slot, "ticketingTypeId": "1001aa000000000000000001", "quantity": 1 });
        let checkout = json!({ "shoppingCart": { "items": [line] }, "billingEmail": "ines@example.org",
            "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123" });
        let paid = service.request("POST", "/v2/b2c/checkout", &paying, Some(&checkout)).await;
        assert_eq!(paid.status, 200, "{}", paid.body);
    }
    let login = "/v2/b2c/membership/validate/login?email=ada.lindqvist@example.test";
    assert_eq!(service.request("GET", login, &shop, None).await.status, 204);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_the_clock_of_a_request_what_expires_goes_by_real_time() {
    let service = Service::start().await;
    let soon = (wall_now() + chrono::Duration::days(40)).to_rfc3339();
    let clocks = ["1999-12-31T23:59:00Z", soon.as_str(), "2099-07-01T12:00:00Z"];
    for clock in clocks {
        leave_traces(&service, clock).await;
    }
    let now = wall_now().timestamp();
    let mut kinds = BTreeSet::new();
    for row in rows(&service, Table::Carts).await {
        let key = row["pk"].as_s().unwrap();
        let ttl = ttl(&row).unwrap_or_else(|| panic!("{key} stays for ever"));
        assert!((now - 60..=now + LONGEST_SECS).contains(&ttl), "{key} goes in {} s", ttl - now);
        kinds.insert(key.split('#').nth(2).unwrap_or_default().to_owned());
    }
    assert!(kinds.len() > 3, "{kinds:?}");
    for row in rows(&service, Table::Reservations).await {
        if let Some(ttl) = ttl(&row) {
            assert!((now..=now + LONGEST_SECS).contains(&ttl), "{:?} goes in {} s", row["pk"], ttl - now);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_expired_is_deleted_and_nothing_else() {
    let service = Service::start().await;
    let soon = (wall_now() + chrono::Duration::days(40)).to_rfc3339();
    for clock in ["1999-12-31T23:59:00Z", soon.as_str()] {
        leave_traces(&service, clock).await;
    }
    let before = [rows(&service, Table::Carts).await, rows(&service, Table::Reservations).await];
    assert_eq!(service.embedded.delete_expired().unwrap(), 0);
    // Every second record that expires has done so an hour ago.
    let past = AttributeValue::N((wall_now().timestamp() - 3_600).to_string());
    let mut aged = 0;
    for (table, rows) in [Table::Carts, Table::Reservations].into_iter().zip(&before) {
        for row in rows.iter().filter(|row| ttl(row).is_some()).step_by(2) {
            let put = service.embedded.client().put_item().table_name(format!("boxoffice-{}", table.name()));
            let mut row = row.clone();
            row.insert("ttl".to_owned(), past.clone());
            put.set_item(Some(row)).send().await.unwrap();
            aged += 1;
        }
    }
    assert!(aged > 3);
    assert_eq!(service.embedded.delete_expired().unwrap(), aged);
    let left = rows(&service, Table::Carts).await.len() + rows(&service, Table::Reservations).await.len();
    assert_eq!(left, before.iter().map(Vec::len).sum::<usize>() - aged);
}

/// The published templates of the demo, with how many slots they have.
async fn slots(service: &Service) -> usize {
    rows(service, Table::Reservations).await.iter().filter(|row| !row.contains_key("ttl")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_clock_of_the_sandbox_makes_the_catalog_grow() {
    let service = Service::start().await;
    let before = slots(&service).await;
    for clock in ["2031-01-01T00:00:00Z", "2099-01-01T00:00:00Z"] {
        let pass = service.request("POST", "/sandbox/cleanup", &[("x-service-test-now", clock)], None).await;
        assert_eq!((pass.status, &pass.body["slotsMade"]), (200, &json!(0)), "{clock}");
    }
    assert_eq!(slots(&service).await, before);
}
