//! The books: whether money, orders, seats, tickets and mails agree.

use crate::catalog;
use crate::venue::{Venue, after, t0, tenant_id};
use domain::membership::Membership;
use domain::order::{Order, OrderState, TicketChunk};
use domain::outbox::{MailKind, MailState, OrderMail, OutboxMail, mails_of};
use domain::sale::Sale;
use domain::{CouponId, InventoryId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use store::counter::{Counter, uses_in};
use store::order::{DueClock, DueKind};
use store::{Consistency, Item, Key};

/// All that was written about the tenant's orders.
pub(crate) struct Books {
    pub(crate) orders: Vec<Order>,
    mails: Vec<(String, OutboxMail)>,
    tickets: BTreeMap<String, Vec<String>>,
}

fn part<'a>(item: &'a Item, name: &str) -> &'a str {
    item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

impl Books {
    pub(crate) async fn open(venue: &Venue) -> Self {
        let mut books = Self { orders: Vec::new(), mails: Vec::new(), tickets: BTreeMap::new() };
        for item in venue.scan("orders").await {
            let Some(order) = part(&item, "pk").strip_prefix("T#204#ORDER#").map(str::to_owned) else {
                continue;
            };
            let sk = part(&item, "sk").to_owned();
            if sk == "ORDER" {
                books.orders.push(store::decode(item).unwrap());
            } else if sk.starts_with("OUTBOX#") {
                books.mails.push((order, store::decode(item).unwrap()));
            } else {
                let chunk: TicketChunk = store::decode(item).unwrap();
                let barcodes = chunk.tickets.iter().map(|ticket| ticket.barcode.to_string());
                books.tickets.entry(order).or_default().extend(barcodes);
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
    check_money(venue, &books, case).await;
    check_seats(venue, &books, case).await;
    check_counters(venue, &books, case).await;
    check_members(venue, &books, case).await;
    check_memberships(venue, &books, case).await;
    check_tickets(&books, case);
    check_mails(venue, &books, case).await;
    books.orders.into_iter().filter(|order| order.paid_at().is_some()).collect()
}

async fn check_money(venue: &Venue, books: &Books, case: &str) {
    let charges = venue.charges().await;
    let captured: BTreeMap<_, _> = charges.iter().cloned().collect();
    assert_eq!(captured.len(), charges.len(), "{case}: an order was charged twice");
    let mut owed = BTreeMap::new();
    for order in &books.orders {
        match order.state {
            OrderState::Pending { .. } => panic!("{case}: order {} is still pending", order.id),
            OrderState::Paid { .. } => {
                owed.extend(order.payment.as_ref().map(|payment| (order.id.to_string(), payment.amount)));
            }
            OrderState::Void { .. } => {}
        }
    }
    assert_eq!(captured, owed, "{case}: money captured (left) and paid orders (right)");
    let sales = venue.scan("merchants").await.into_iter();
    let sales = sales.filter(|item| part(item, "pk").starts_with("T#204#SALE#"));
    let sales: BTreeMap<_, _> = sales
        .map(|item| store::decode::<Sale>(item).unwrap())
        .map(|sale| (sale.order.to_string(), sale.amount))
        .collect();
    assert_eq!(sales, owed, "{case}: sales (left) and paid orders (right)");
}

async fn check_seats(venue: &Venue, books: &Books, case: &str) {
    for slot in [0, 1, catalog::NIGHT] {
        let ledger = venue.ledger(slot).await;
        assert!(ledger.is_sound(), "{case}: {ledger:?}");
        let id = catalog::slot(slot);
        let sold: u32 = books.paid().iter().filter_map(|order| order.seats().get(&id).copied()).sum();
        assert_eq!(ledger.sold, sold, "{case}: seats sold (left) and tickets of paid orders (right)");
    }
}

/// What is counted as used is what paid orders used.
async fn check_counters(venue: &Venue, books: &Books, case: &str) {
    let coupon = CouponId::parse(&catalog::COUPON.to_lowercase()).unwrap();
    let stocked = InventoryId::parse(catalog::STOCKED).unwrap();
    let used = async |key: Key| -> u32 {
        let counter: Option<Counter> = venue.store.get(&key, Consistency::Strong).await.unwrap();
        counter.unwrap_or_default().used
    };
    let paid = books.paid();
    let uses = paid.iter().filter(|order| order.coupons.contains_key(&coupon)).count();
    let found = used(Key::coupon_uses(tenant_id(), &coupon)).await;
    assert_eq!(usize::try_from(found).unwrap(), uses, "{case}: uses of a coupon");
    let sold: u32 = paid.iter().filter_map(|order| order.stock.get(&stocked)).map(|sold| sold.quantity).sum();
    assert_eq!(used(Key::pieces_sold(tenant_id(), stocked)).await, sold, "{case}: pieces of an add-on");
}

/// What members are said to have used is what paid orders used, and never more than the limits.
async fn check_members(venue: &Venue, books: &Books, case: &str) {
    let mut used: BTreeMap<(String, String), u32> = BTreeMap::new();
    for order in books.paid() {
        for one in &order.entitlements {
            let Key { pk, sk, .. } = Key::tally(tenant_id(), &one.tally);
            let used = used.entry((format!("{pk} {sk}"), one.counter.clone())).or_default();
            *used += one.quantity;
            assert!(*used <= one.limit, "{case}: {} of {} in {}", used, one.limit, one.counter);
        }
    }
    let items = venue.scan("members").await.into_iter();
    let counters = items.filter(|item| part(item, "pk").starts_with("T#204#")).flat_map(|item| {
        let member = format!("{} {}", part(&item, "pk"), part(&item, "sk"));
        uses_in(&item).into_iter().map(move |(counter, used)| ((member.clone(), counter), used))
    });
    let counted: BTreeMap<(String, String), u32> = counters.filter(|(_, used)| *used > 0).collect();
    assert_eq!(counted, used, "{case}: uses counted (left) and tickets of paid orders (right)");
}

/// The memberships there are follow from the paid orders, and no order holds on to one.
async fn check_memberships(venue: &Venue, books: &Books, case: &str) {
    let mut expected: BTreeSet<i64> = [catalog::MEMBERSHIP].into();
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
        assert!(!item.contains_key("claimed_by"), "{case}: a membership stays claimed");
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

fn check_tickets(books: &Books, case: &str) {
    let mut barcodes = BTreeSet::new();
    for order in &books.orders {
        let tickets = books.tickets.get(order.id.as_str()).cloned().unwrap_or_default();
        let seats: u32 = order.seats().values().sum();
        let owed = if order.paid_at().is_some() { usize::try_from(seats).unwrap() } else { 0 };
        assert_eq!(tickets.len(), owed, "{case}: tickets of {}", order.id);
        for barcode in tickets {
            assert!(barcodes.insert(barcode), "{case}: a barcode twice");
        }
    }
}

/// Every mail owed is there once and announced; once they are sent, nothing is due.
async fn check_mails(venue: &Venue, books: &Books, case: &str) {
    let kinds = |mails: Vec<OutboxMail>| mails.into_iter().map(|mail| mail.kind).collect::<Vec<MailKind>>();
    for order in &books.orders {
        let owed = if order.paid_at().is_some() { kinds(mails_of(order)) } else { Vec::new() };
        let rows = books.mails.iter().filter(|(id, _)| *id == order.id.as_str());
        let rows = kinds(rows.map(|(_, mail)| mail.clone()).collect());
        assert_eq!(rows, owed, "{case}: mails of {}", order.id);
    }
    let mut announced = BTreeSet::new();
    if venue.queue.depth() > 0 {
        for delivery in venue.queue.receive(1_000).await {
            let job: OrderMail = serde_json::from_str(&delivery.body).unwrap();
            announced.insert((job.order.to_string(), job.kind));
            venue.queue.delete(delivery.receipt);
            send(venue, &job).await;
        }
    }
    for (order, mail) in &books.mails {
        let sent = mail.state != MailState::Queued;
        assert!(sent || announced.contains(&(order.clone(), mail.kind)), "{case}: a mail nobody heard of");
    }
    for clock in [DueClock::Real, DueClock::Chosen] {
        for kind in [DueKind::Orders, DueKind::Mails] {
            let due = venue.store.load_due((clock, kind), after(1_000_000), 100).await.unwrap();
            assert_eq!(due, [], "{case}: still due");
        }
    }
}

/// What the mailer does, without a mail.
async fn send(venue: &Venue, job: &OrderMail) {
    let mail = (job.tenant, &job.order, job.kind);
    if venue.store.claim_mail(mail, t0(), after(60)).await.unwrap() {
        let sent = MailState::Sent { at: t0() };
        assert!(venue.store.finish_mail(mail, after(60), sent).await.unwrap());
    }
}
