//! Bringing a world to rest, and proving that everything in it agrees.

use crate::simulation::admissions::check_admissions;
use crate::simulation::customers::TAKES_NO_REFUNDS;
use crate::simulation::machinery::{deliver, pass};
use crate::simulation::tally::Tally;
use crate::simulation::venue::tenant_id;
use crate::simulation::world::World;
use adapters::processor::SandboxStatus;
use domain::ledger::Ledger;
use domain::membership::MembershipAction;
use domain::order::{Order, OrderLine, OrderState};
use domain::outbox::{MailKind, MailState, OutboxMail, mails_of};
use domain::time::plus_secs;
use sagas::reconcile::{ReconciliationRequest, reconcile};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use store::order::{DueClock, DueKind};
use store::reconcile::{LEDGERS, ORDERS, Record, order_of, record_of};
use store::walk::{Pace, Route, WalkedItem};
use store::{Consistency, Table};

/// Passes after which everything has to be at rest.
const PASSES: usize = 30;
/// Seconds between them: past every deadline.
const PASS_SECS: i64 = 400;

/// What is still to do, in any number of days.
async fn due(world: &World) -> Vec<String> {
    let (store, now) = (world.truth(), world.time.now());
    let mut due = Vec::new();
    for clock in [DueClock::Real, DueClock::Chosen] {
        for (kind, until) in [
            (DueKind::Orders, plus_secs(now, 10_000_000)),
            (DueKind::Mails, plus_secs(now, 10_000_000)),
            (DueKind::Refunds, plus_secs(now, 10_000_000)),
            (DueKind::Slots, now),
            (DueKind::Merchants, now),
        ] {
            let work = store.load_due(clock, kind, until, 100).await.unwrap();
            due.extend(work.into_iter().map(|work| format!("{clock:?} {work:?}")));
        }
    }
    due
}

/// No more faults, and the scheduled work until there is none.
pub(crate) async fn bring_to_rest(world: &World) {
    world.calm();
    for _ in 0..PASSES {
        world.time.jump(PASS_SECS);
        // Caches and hidden messages go by tokio's clock.
        tokio::time::sleep(Duration::from_secs(60)).await;
        let process = world.healthy();
        let report = pass(world, &process).await.unwrap();
        // There is a card whose first refund is answered to nobody.
        assert!(report.failed == 0 || process.way.mishaps() > 0, "{report:?}");
        deliver(world, &process).await;
        if due(world).await.is_empty() {
            return;
        }
    }
    assert_eq!(due(world).await, Vec::<String>::new(), "still due");
}

/// Everything there is of orders.
struct Books {
    orders: BTreeMap<String, Order>,
    mails: Vec<(String, OutboxMail)>,
    ledgers: Vec<Ledger>,
}

impl Books {
    async fn open(world: &World) -> Self {
        let mut books = Self { orders: BTreeMap::new(), mails: Vec::new(), ledgers: Vec::new() };
        for (table, partitions) in [(Table::Orders, ORDERS), (Table::Reservations, LEDGERS)] {
            let route = Route { table, partitions, tenant: Some(tenant_id()) };
            let pace = Pace { consistency: Consistency::Strong, pause: Duration::ZERO };
            let mut walk = world.truth().walk(route, pace);
            while let Some(rows) = walk.next().await.unwrap() {
                rows.into_iter().for_each(|row| books.enter(row));
            }
        }
        books
    }

    fn enter(&mut self, row: WalkedItem) {
        let of = order_of(&row);
        let record = record_of(row).unwrap();
        if let Record::Order(order, _) = record {
            self.orders.insert(order.id.to_string(), *order);
        } else if let Record::Mail(record) = record {
            self.mails.push((of.unwrap().to_string(), record.mail));
        } else if let Record::Ledger(ledger) = record {
            self.ledgers.push(*ledger);
        }
    }

    fn paid(&self) -> impl Iterator<Item = &Order> {
        self.orders.values().filter(|order| order.paid_at().is_some())
    }
}

/// Proves everything of a world at rest.
pub(crate) async fn audit(world: &World) -> Tally {
    verify(world).await;
    let books = Books::open(world).await;
    check_orders(world, &books);
    check_money(world, &books).await;
    check_ledgers(&books);
    check_mails(world, &books);
    check_admissions(world, books.paid()).await;
    count(world, &books).await;
    world.tally()
}

/// What `boxoffice verify` proves.
async fn verify(world: &World) {
    let end = plus_secs(world.time.now(), 1_000_000);
    let wanted =
        ReconciliationRequest { tenant: None, now: end, chosen_now: Some(end), pause: Duration::ZERO };
    let report = reconcile(&world.truth(), &wanted).await.unwrap();
    let findings: Vec<String> = report.findings.iter().map(|(_, finding)| finding.to_string()).collect();
    assert_eq!(findings, Vec::<String>::new());
    assert!(report.unsettled.is_empty() && report.left_out == 0, "{report:?}");
}

/// None is pending, whoever was told of an order has it paid, and nobody bought twice what was asked for once.
fn check_orders(world: &World, books: &Books) {
    let pending = books.orders.values().find(|order| matches!(order.state, OrderState::Pending { .. }));
    assert_eq!(pending.map(|order| &order.id), None, "still pending");
    for told in world.told() {
        let id = told.order["id"].as_str().unwrap();
        let order = books
            .orders
            .get(id)
            .unwrap_or_else(|| panic!("order {id}, of which somebody was told, is not there"));
        assert!(order.paid_at().is_some(), "order {id}, of which somebody was told, is not paid");
    }
    let mut by_buyer: BTreeMap<&str, usize> = BTreeMap::new();
    for order in books.paid() {
        *by_buyer.entry(order.billing.email.as_deref().unwrap_or_default()).or_default() += 1;
    }
    let once = world.once();
    let twice: Vec<_> =
        by_buyer.iter().filter(|(buyer, count)| once.contains(**buyer) && **count > 1).collect();
    assert!(twice.is_empty(), "bought twice: {twice:?}");
}

/// The bank captured what paid orders owe, from each once, and gave back what they list.
async fn check_money(world: &World, books: &Books) {
    let charges = world.sandbox().charges(tenant_id()).await.unwrap();
    let captured = charges.iter().filter(|charge| charge.status == SandboxStatus::Captured);
    let captured: Vec<_> = captured.map(|charge| (charge.order_id.to_string(), charge.amount)).collect();
    let by_order: BTreeMap<_, _> = captured.iter().cloned().collect();
    assert_eq!(by_order.len(), captured.len(), "an order was charged twice");
    let owed = books.paid().filter_map(|order| Some((order.id.to_string(), order.payment.as_ref()?.amount)));
    assert_eq!(by_order, owed.collect(), "money captured (left) and paid orders (right)");
    let mut given_back: BTreeMap<String, i64> = BTreeMap::new();
    for refund in world.sandbox().refunds(tenant_id()).await.unwrap() {
        if refund.refunded {
            *given_back.entry(refund.order_id.to_string()).or_default() += refund.amount.cents();
        } else {
            // The sandbox refuses what its payment does not cover, too: nobody must ask for it.
            let last_four = refund.last_four.as_deref();
            assert!(last_four.is_some_and(|end| TAKES_NO_REFUNDS.ends_with(end)), "{refund:?}");
        }
    }
    for (order, cents) in &given_back {
        let charged = by_order.get(order).map_or(0, |amount| amount.cents());
        assert!(*cents <= charged, "order {order}: {cents} given back of {charged}");
    }
    for order in books.paid() {
        let listed: i64 = order.after_sale.refunds.iter().map(|refund| refund.amount.cents()).sum();
        let back = given_back.get(order.id.as_str()).copied().unwrap_or_default();
        assert!(listed <= back, "order {}: {listed} listed as given back, {back} were", order.id);
    }
}

fn check_ledgers(books: &Books) {
    for ledger in &books.ledgers {
        assert!(ledger.is_sound(), "{ledger:?}");
        assert!(ledger.sold <= ledger.size, "{ledger:?}");
    }
    let mut sold: BTreeMap<String, u32> = BTreeMap::new();
    for order in books.paid() {
        for row in order.rows() {
            let left = order.left_of(row).quantity;
            for line in row.tickets() {
                let quantity = match row {
                    domain::order::OrderRow::Sold(OrderLine::Combo(combo)) => {
                        combo.part_of(line, left).quantity
                    }
                    domain::order::OrderRow::Sold(_) | domain::order::OrderRow::Moved(_) => left,
                };
                *sold.entry(line.instance.to_string()).or_default() += quantity;
            }
        }
    }
    sold.retain(|_, quantity| *quantity > 0);
    let in_ledgers = books.ledgers.iter().filter(|ledger| ledger.sold > 0);
    let in_ledgers: BTreeMap<_, _> =
        in_ledgers.map(|ledger| (ledger.instance.to_string(), ledger.sold)).collect();
    assert_eq!(in_ledgers, sold, "seats sold by the ledgers (left) and by the orders (right)");
}

/// Every mail that is owed was sent, and none more often than its mailers failed to note it.
fn check_mails(world: &World, books: &Books) {
    let (taken, unmarked) = (world.mailbox.taken(), world.unmarked.lock().unwrap().clone());
    for (message, count) in &taken {
        let allowed = 1 + unmarked.get(message).copied().unwrap_or_default();
        assert!(*count <= allowed, "{message} was sent {count} times, {allowed} allowed");
        if *count > 1 {
            world.note("mail sent twice");
        }
    }
    for (order, mail) in &books.mails {
        let sent = matches!(mail.state, MailState::Sent { .. }) && taken.contains_key(&mail.message_id);
        assert!(sent || is_superseded(&books.orders[order], mail), "order {order}: {mail:?} was not sent");
    }
    for order in books.orders.values() {
        let rows = books.mails.iter().filter(|(id, _)| *id == order.id.as_str());
        let rows: BTreeSet<_> = rows.map(|(_, mail)| mail.message_id.as_str()).collect();
        let owed = if order.paid_at().is_some() { mails_of(order) } else { Vec::new() };
        let missing: Vec<_> = owed.iter().filter(|mail| !rows.contains(mail.message_id.as_str())).collect();
        assert!(missing.is_empty(), "order {}: no row of {missing:?}", order.id);
        assert!(order.paid_at().is_some() || rows.is_empty(), "mails of an order that is not paid");
    }
}

/// Whether a mail has nothing to say any more: of an exchange whose tickets were given back or moved at a door before it
/// was sent.
fn is_superseded(order: &Order, mail: &OutboxMail) -> bool {
    let is_superseded = matches!(mail.state, MailState::Superseded { .. });
    let after_sale = &order.after_sale;
    let is_followed = !after_sale.refunds.is_empty() || after_sale.exchanges.len() > 1;
    is_superseded && matches!(mail.kind, MailKind::Exchange(_)) && is_followed
}

/// What the orders show was reached.
async fn count(world: &World, books: &Books) {
    for order in books.orders.values() {
        if order.paid_at().is_none() {
            world.note("order voided");
            continue;
        }
        world.note("order paid");
        world.noted("coupon used", order.coupons.len());
        world.noted("customer made", usize::from(order.customer.is_some()));
        world.noted("free order", usize::from(order.payment.is_none()));
        world.noted("order of several lines", usize::from(order.lines.len() > 1));
        world.noted("reservation paid", usize::from(order.reservation.is_some()));
        world.noted("member price", usize::from(!order.entitlements.is_empty()));
        world.noted("exchanged", order.after_sale.exchanges.len());
        world.noted("unit of stock sold", order.stock.len());
        let combos = order.lines.iter().filter(|line| matches!(line, OrderLine::Combo(_)));
        world.noted("combo sold", combos.count());
        for line in order.memberships() {
            world.note(match line.action {
                MembershipAction::Purchase => "membership bought",
                MembershipAction::Renewal(_) => "membership renewed",
                MembershipAction::Upgrade => "membership upgraded",
                MembershipAction::Downgrade
                | MembershipAction::PostTermRenewal(_)
                | MembershipAction::Rejoin(_) => "membership changed otherwise",
            });
        }
        let is_whole = order.rows().all(|row| order.left_of(row).quantity == 0);
        if !order.after_sale.refunds.is_empty() {
            world.note(if is_whole { "refund of a whole order" } else { "refund of a part" });
        }
    }
}
