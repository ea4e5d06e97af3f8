//! The books: whether money, orders, seats, tickets and mails agree.

use crate::venue::{Charging, Venue, after, t0, tenant_id};
use domain::Timestamp;
use domain::membership::Membership;
use domain::order::{Order, OrderState};
use domain::outbox::{MailKind, MailState, OrderMail, OutboxMail, mails_of};
use domain::reconciliation::{Finding, MoneyFault};
use sagas::reconcile::{ReconciliationRequest, reconcile};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use store::order::{DueClock, DueKind};
use store::{Item, Key, Table};
use testkit::catalog::MEMBERSHIP;

/// The tenant's orders and their mails.
pub(crate) struct Books {
    pub(crate) orders: Vec<Order>,
    mails: Vec<(String, OutboxMail)>,
}

fn part<'a>(item: &'a Item, name: &str) -> &'a str {
    item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

impl Books {
    pub(crate) async fn open(venue: &Venue) -> Self {
        let mut books = Self { orders: Vec::new(), mails: Vec::new() };
        for item in venue.scan("orders").await {
            let Some(order) = part(&item, "pk").strip_prefix("T#204#ORDER#").map(str::to_owned) else {
                continue;
            };
            let sk = part(&item, "sk").to_owned();
            if sk == "ORDER" {
                books.orders.push(store::decode(item).unwrap());
            } else if sk.starts_with("OUTBOX#") {
                books.mails.push((order, store::decode(item).unwrap()));
            }
        }
        books
    }

    pub(crate) fn paid(&self) -> Vec<&Order> {
        self.orders.iter().filter(|order| order.paid_at().is_some()).collect()
    }
}

/// Checks everything once nobody is at work any more, and sends the mails; the paid orders.
pub(crate) async fn audit(venue: &Venue, case: &str) -> Vec<Order> {
    let books = Books::open(venue).await;
    let pending = books.orders.iter().find(|order| matches!(order.state, OrderState::Pending { .. }));
    assert_eq!(pending.map(|order| &order.id), None, "{case}: still pending");
    check_money(venue, &books, case).await;
    verify(venue, case).await;
    check_limits(&books, case);
    check_memberships(venue, &books, case).await;
    check_mails(venue, &books, case).await;
    books.orders.into_iter().filter(|order| order.paid_at().is_some()).collect()
}

/// That the processor took what paid orders owe, and from each once.
async fn check_money(venue: &Venue, books: &Books, case: &str) {
    let charges = venue.charges().await;
    let captured: BTreeMap<_, _> = charges.iter().cloned().collect();
    assert_eq!(captured.len(), charges.len(), "{case}: an order was charged twice");
    let paid = books.paid().into_iter();
    let owed = paid.filter_map(|order| Some((order.id.to_string(), order.payment.as_ref()?.amount)));
    assert_eq!(captured, owed.collect(), "{case}: money captured (left) and paid orders (right)");
}

/// That all records agree, as the operator's command proves it.
pub(crate) async fn verify(venue: &Venue, case: &str) {
    let end = after(1_000_000);
    let wanted =
        ReconciliationRequest { tenant: None, now: end, chosen_now: Some(end), pause: Duration::ZERO };
    let report = reconcile(&venue.store, &wanted).await.unwrap();
    // Where Stripe stands in for the sandbox, the sandbox knows of no charge; the money was counted above.
    let is_stripe = |finding: &Finding| {
        venue.charging == Charging::Stripe
            && matches!(finding, Finding::Money(_, MoneyFault::NotCharged { .. }))
    };
    let findings = report.findings.iter().filter(|(_, finding)| !is_stripe(finding));
    let findings: Vec<String> = findings.map(|(_, finding)| finding.to_string()).collect();
    assert_eq!(findings, Vec::<String>::new(), "{case}");
    assert!(report.unsettled.is_empty(), "{case}");
}

/// No limit of a membership was passed.
fn check_limits(books: &Books, case: &str) {
    let mut used: BTreeMap<(String, String), u32> = BTreeMap::new();
    for one in books.paid().iter().flat_map(|order| &order.entitlements) {
        let Key { pk, sk, .. } = Key::tally(tenant_id(), &one.tally);
        let used = used.entry((format!("{pk} {sk}"), one.counter.clone())).or_default();
        *used += one.quantity;
        assert!(*used <= one.limit, "{case}: {} of {} in {}", used, one.limit, one.counter);
    }
}

/// The memberships there are follow from the paid orders.
async fn check_memberships(venue: &Venue, books: &Books, case: &str) {
    let mut expected: BTreeSet<i64> = [MEMBERSHIP].into();
    let mut made: BTreeMap<i64, Timestamp> = BTreeMap::new();
    for line in books.paid().into_iter().flat_map(Order::memberships) {
        let after = &line.change.after;
        let latest = made.entry(after.id.get()).or_insert_with(|| after.ends());
        *latest = after.ends().max(*latest);
    }
    for retired in
        books.paid().into_iter().flat_map(Order::memberships).filter_map(|line| line.change.retired.as_ref())
    {
        made.insert(retired.id.get(), retired.ends());
    }
    expected.extend(made.keys());
    let mut found = BTreeSet::new();
    for item in venue.scan("members").await {
        let (pk, sk) = (part(&item, "pk").to_owned(), part(&item, "sk").to_owned());
        if pk.starts_with("T#204#") && sk == "MEMBERSHIP" {
            let membership: Membership = store::decode(item).unwrap();
            let id = membership.id.get();
            if let Some(made) = made.get(&id) {
                assert_eq!(membership.ends(), *made, "{case}: {pk}");
            }
            found.insert(id);
        }
    }
    assert_eq!(found, expected, "{case}: memberships (left) and those of paid orders (right)");
}

/// Every mail owed is there once and enqueued; once they are sent, nothing is due.
async fn check_mails(venue: &Venue, books: &Books, case: &str) {
    let kinds = |mails: Vec<OutboxMail>| mails.into_iter().map(|mail| mail.kind).collect::<Vec<MailKind>>();
    for order in &books.orders {
        let owed = if order.paid_at().is_some() { kinds(mails_of(order)) } else { Vec::new() };
        let rows = books.mails.iter().filter(|(id, _)| *id == order.id.as_str());
        let rows = kinds(rows.map(|(_, mail)| mail.clone()).collect());
        assert_eq!(rows, owed, "{case}: mails of {}", order.id);
    }
    let mut enqueued = BTreeSet::new();
    if venue.queue.depth() > 0 {
        for delivery in venue.queue.receive(1_000).await {
            let job: OrderMail = serde_json::from_str(&delivery.body).unwrap();
            enqueued.insert((job.order.to_string(), job.kind));
            venue.queue.delete(delivery.receipt);
            send(venue, &job).await;
        }
    }
    for (order, mail) in &books.mails {
        let sent = mail.state != MailState::Queued;
        assert!(sent || enqueued.contains(&(order.clone(), mail.kind)), "{case}: a mail nobody heard of");
    }
    // Of an empty index, none of the many partitions has anything.
    let has_work = !venue.work_left(Table::Orders).await.is_empty();
    for clock in [DueClock::Real, DueClock::Chosen] {
        for kind in [DueKind::Orders, DueKind::Mails] {
            let due = if has_work {
                venue.store.load_due(clock, kind, after(1_000_000), 100).await.unwrap()
            } else {
                Vec::new()
            };
            assert_eq!(due, [], "{case}: still due");
        }
    }
}

/// What the mailer does, without a mail.
async fn send(venue: &Venue, job: &OrderMail) {
    if venue.store.claim_mail(job, t0(), after(60)).await.unwrap() {
        let sent = MailState::Sent { at: t0() };
        assert!(venue.store.finish_mail(job, after(60), sent).await.unwrap());
    }
}
