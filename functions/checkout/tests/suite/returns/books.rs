//! What has to agree, whatever was taken back.

use crate::catalog::{COUPON, NIGHT, STOCKED, slot};
use crate::returns::loaded;
use crate::venue::{Venue, after, tenant_id};
use domain::order::{Order, OrderLine, OrderRow, Ticket};
use domain::sale::Sale;
use domain::{CouponId, InstanceId, InventoryId};
use std::collections::BTreeMap;
use store::counter::{Counter, uses_in};
use store::order::{DueClock, DueKind};
use store::{Consistency, Key, Table};

fn text<'a>(item: &'a store::Item, name: &str) -> &'a str {
    item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

/// Every paid order with its tickets.
pub(crate) async fn orders(venue: &Venue) -> Vec<(Order, Vec<Ticket>)> {
    let mut orders = Vec::new();
    for item in venue.scan("orders").await {
        if text(&item, "pk").starts_with("T#204#ORDER#") && text(&item, "sk") == "ORDER" {
            let order: Order = store::decode(item).unwrap();
            assert!(order.paid_at().is_some());
            orders.push(loaded(venue, order.id.as_str()).await);
        }
    }
    orders
}

/// Whether money, seats, units, uses and memberships agree with what is left of the orders, and nothing is due.
pub(crate) async fn check_books(venue: &Venue, case: &str) {
    let orders = orders(venue).await;
    let mut seats: BTreeMap<InstanceId, u32> = BTreeMap::new();
    let (mut units, mut coupons, mut members) = (0, 0, 0);
    for (order, tickets) in &orders {
        assert_eq!(order.after_sale.pending(), None, "{case}: a refund under way");
        let lines: BTreeMap<_, _> = order.all_ticket_lines().map(|line| (&line.id, line)).collect();
        let admitted: Vec<_> = tickets.iter().filter(|ticket| ticket.status.admits()).collect();
        for ticket in &admitted {
            *seats.entry(lines[&ticket.line].instance).or_default() += 1;
        }
        let left: u32 =
            order.rows().filter(|row| !row.tickets().is_empty()).map(|row| seats_of(order, row)).sum();
        assert_eq!(
            usize::try_from(left).unwrap(),
            admitted.len(),
            "{case}: units left and tickets that admit"
        );
        units += order.rows().map(|row| units_of(order, row)).sum::<u32>();
        let discounted = admitted
            .iter()
            .any(|ticket| lines[&ticket.line].amounts.unit < lines[&ticket.line].amounts.retail_unit);
        coupons += u32::from(discounted && !order.coupons.is_empty());
        if !order.entitlements.is_empty() {
            members += u32::try_from(admitted.len()).unwrap();
        }
        check_money(venue, order, case).await;
    }
    for number in [0, 1, NIGHT] {
        let ledger = venue.ledger(number).await;
        assert!(ledger.is_sound(), "{case}: {ledger:?}");
        let left = seats.get(&slot(number)).copied().unwrap_or_default();
        assert_eq!(ledger.sold, left, "{case}: seats sold (left) and tickets that admit (right) of {number}");
    }
    let coupon = CouponId::parse(&COUPON.to_lowercase()).unwrap();
    assert_eq!(
        used(venue, Key::coupon_uses(tenant_id(), &coupon)).await,
        coupons,
        "{case}: uses of the coupon"
    );
    let stocked = InventoryId::parse(STOCKED).unwrap();
    assert_eq!(used(venue, Key::units_sold(tenant_id(), stocked)).await, units, "{case}: units");
    let mut counted = 0;
    for item in venue.scan("members").await {
        assert!(!item.contains_key("claimed_by"), "{case}: a membership stays claimed");
        if text(&item, "pk").starts_with("T#204#") {
            counted += uses_in(&item).values().sum::<u32>();
        }
    }
    assert_eq!(counted, members, "{case}: tickets at the member price");
    // Where nothing but mails is left in the indexes, none of their many partitions has anything else.
    let mut left = venue.work_left(Table::Orders).await;
    left.extend(venue.work_left(Table::Merchants).await);
    let has_work = !left.iter().all(|sort_key| sort_key.starts_with("OUTBOX#"));
    for clock in [DueClock::Real, DueClock::Chosen] {
        for kind in [DueKind::Orders, DueKind::Refunds] {
            let due = if has_work {
                venue.store.load_due(clock, kind, after(1_000_000), 100).await.unwrap()
            } else {
                Vec::new()
            };
            assert_eq!(due, [], "{case}: still due");
        }
    }
}

fn seats_of(order: &Order, row: OrderRow<'_>) -> u32 {
    let left = order.left_of(row).quantity;
    match row {
        OrderRow::Sold(OrderLine::Combo(combo)) => {
            combo.parts.iter().map(|part| combo.part_of(part, left).quantity).sum()
        }
        OrderRow::Sold(_) | OrderRow::Moved(_) => left,
    }
}

fn units_of(order: &Order, row: OrderRow<'_>) -> u32 {
    match row {
        OrderRow::Sold(OrderLine::AddOn(line)) if line.inventory.get() == STOCKED => {
            order.left_of(row).quantity
        }
        OrderRow::Sold(_) | OrderRow::Moved(_) => 0,
    }
}

async fn used(venue: &Venue, key: Key) -> u32 {
    let counter: Option<Counter> = venue.store.get(&key, Consistency::Strong).await.unwrap();
    counter.unwrap_or_default().used
}

/// The processor gave back what sale and order say, which is what the order's refunds come to.
async fn check_money(venue: &Venue, order: &Order, case: &str) {
    let given = venue.sandbox.refunds(tenant_id()).await.unwrap();
    let given = given.iter().filter(|refund| refund.refunded && refund.order_id == order.id);
    let at_stripe = venue.stripe.given_back(order.id.as_str());
    let given: i64 = given.map(|refund| refund.amount.cents()).sum::<i64>() + at_stripe;
    let listed: i64 = order.after_sale.refunds.iter().map(|refund| refund.amount.cents()).sum();
    assert_eq!((order.refunded.cents(), listed), (given, given), "{case}: money given back");
    let Some(payment) = &order.payment else { return };
    let key = Key::sale(tenant_id(), &payment.sale);
    let sale: Sale = venue.store.get(&key, Consistency::Strong).await.unwrap().unwrap();
    assert_eq!(sale.amount.cents() - sale.remainder.cents(), given, "{case}: what remains of the sale");
}
