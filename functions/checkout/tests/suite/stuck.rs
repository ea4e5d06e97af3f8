//! Work that cannot be finished for a while, and makes way for what can.

use crate::returns::{id, refund, sold};
use crate::venue::{Venue, pay, put};
use domain::TenantId;
use domain::tenant::{ProcessorKind, Tenant};
use serde_json::json;
use store::{Consistency, Item, number, text};
use testkit::cards::LOSES_THE_ANSWER;
use testkit::outside::{Mishap, Verb};

/// As many as a pass takes up of one partition.
const STUCK: i64 = 25;

/// The neighbour charges through Stripe, by a key that does not open.
async fn lock_out_the_neighbour(venue: &Venue) {
    let id = TenantId::parse(205).unwrap();
    let tenant = venue.store.load_tenant(id, Consistency::Strong).await.unwrap().unwrap();
    let mut settings = venue.stripe_settings.clone();
    settings.sealed_key = "00".to_owned();
    let processor = ProcessorKind::Stripe(Box::new(settings));
    venue.store.save_tenant(&Tenant { processor, ..tenant }).await.unwrap();
}

/// Work of the neighbour like this, due a little earlier, beside it.
async fn pile_up(venue: &Venue, table: &str, due: &Item) {
    let key = due["pk"].as_s().unwrap().replace("T#204#", "T#205#");
    let due_at: i64 = due["due_at"].as_n().unwrap().parse().unwrap();
    for count in 0..STUCK {
        let mut stuck = due.clone();
        let at = key.len() - 2;
        stuck.insert("pk".to_owned(), text(format!("{}{:02}", &key[..at], count)));
        stuck.insert(
            "id".to_owned(),
            text(key[..at].rsplit('#').next().unwrap().to_owned() + &format!("{count:02}")),
        );
        stuck.insert("due_at".to_owned(), number(due_at - 1));
        if table == "orders" {
            stuck.insert("tenant".to_owned(), number(205));
        } else {
            stuck.insert("reference".to_owned(), text("pi_3MtwBwLkdIwHu7ix28a00001"));
        }
        put(venue, table, &stuck).await;
    }
}

#[tokio::test]
async fn what_one_tenant_cannot_finish_keeps_no_other_waiting() {
    for table in ["orders", "merchants"] {
        let venue = Venue::open([10, 10]).await;
        lock_out_the_neighbour(&venue).await;
        let process = venue.process().await;
        if table == "orders" {
            process.processor.next(Verb::Confirm, Mishap::CrashBefore);
            assert_eq!(process.send(pay(json!({}))).await.error(), "TRY_AGAIN");
        } else {
            let order = sold(&process, json!({"manualEntryCardNumber": LOSES_THE_ANSWER})).await;
            let lost = process.send(refund(id(&order), json!({"wholeOrder": true}))).await;
            assert_eq!(lost.error(), "REFUND_PENDING");
        }
        let rows = venue.scan(table).await.into_iter();
        let is_meant =
            |row: &Item| row.contains_key("due_pk") && !row["sk"].as_s().unwrap().starts_with("OUTBOX");
        let [due] = <[Item; 1]>::try_from(rows.filter(is_meant).collect::<Vec<_>>()).unwrap();
        pile_up(&venue, table, &due).await;
        let next = venue.process().await;
        let done =
            |report: cleanup::PassReport| (report.failed, report.orders_finished + report.refunds_finished);
        assert_eq!(done(next.clean_up(100).await), (25, 0), "{table}: the oldest first");
        assert_eq!(done(next.clean_up(101).await), (0, 1), "{table}: then the others");
        assert_eq!(done(next.clean_up(144).await), (0, 0), "{table}");
        assert_eq!(
            done(next.clean_up(145).await),
            (25, 0),
            "{table}: in the next minute they are tried again"
        );
    }
}
