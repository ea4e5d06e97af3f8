//! What is counted where it is spent, against what the orders took of it.

use super::finding::{Count, Finding};
use super::records::{OrderRecords, fingerprint};
use crate::ledger::Ledger;
use crate::order::{Order, OrderState, RefundReleases};
use crate::{OrderId, TicketId};
use std::collections::{BTreeMap, BTreeSet};

/// What is counted, and what orders come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Balance {
    pub(super) counted: i64,
    pub(super) used: i64,
}

impl Balance {
    pub(super) fn finding(self, count: Count) -> Option<Finding> {
        let Self { counted, used } = self;
        (counted != used).then_some(Finding::Counted { count, counted, used })
    }
}

/// What an order takes of all that is counted. A voided order has given everything back, and one of which something
/// was refunded or exchanged that much.
#[must_use]
pub fn uses_of(order: &Order) -> Vec<(Count, i64)> {
    if is_void(order) { Vec::new() } else { taken_by(order) }
}

const fn is_void(order: &Order) -> bool {
    match order.state {
        OrderState::Pending { .. } | OrderState::Paid { .. } => false,
        OrderState::Void { .. } => true,
    }
}

/// What an order took of all that is counted, even if it was voided since.
fn taken_by(order: &Order) -> Vec<(Count, i64)> {
    let seats = order.seats().into_iter().map(|(slot, seats)| (Count::Seats(slot), i64::from(seats)));
    let seats = seats.chain(moved_seats(order));
    let coupons = order.coupons.keys().map(|coupon| (Count::Coupon(coupon.clone()), 1));
    let units = order.stock.iter().map(|(id, units)| (Count::Stock(*id), i64::from(units.quantity)));
    let uses = order.entitlements.iter();
    let uses = uses.map(|one| (Count::Uses(one.tally.clone(), one.counter.clone()), i64::from(one.quantity)));
    let back = order.after_sale.refunds.iter().filter(|refund| !refund.is_pending());
    let back = back.flat_map(|refund| releases(&refund.releases)).map(|(count, used)| (count, -used));
    let doors = order.admission_counts().into_iter().flat_map(|(slot, counts)| {
        [(Count::Admitted(slot), counts.admitted), (Count::Inside(slot), counts.inside)]
    });
    seats.chain(coupons).chain(units).chain(uses).chain(back).chain(doors).collect()
}

/// The seats that exchanges took of one slot and gave back of another.
fn moved_seats(order: &Order) -> impl Iterator<Item = (Count, i64)> {
    let moved = order.after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
    moved.flat_map(|moved| {
        let seats = i64::from(moved.line.amounts.quantity);
        let from = order.rows().find(|row| *row.id() == moved.from);
        let from = from.into_iter().flat_map(|row| row.tickets()).map(|line| line.instance);
        from.map(move |slot| (Count::Seats(slot), -seats)).chain([(Count::Seats(moved.line.instance), seats)])
    })
}

fn releases(back: &RefundReleases) -> Vec<(Count, i64)> {
    let RefundReleases { seats, stock, coupons, uses, memberships: _ } = back;
    let seats = seats.iter().map(|(slot, seats)| (Count::Seats(*slot), i64::from(*seats)));
    let units = stock.iter().map(|(id, units)| (Count::Stock(*id), i64::from(*units)));
    let coupons = coupons.iter().map(|coupon| (Count::Coupon(coupon.clone()), 1));
    let uses = uses.iter();
    let uses = uses.map(|one| (Count::Uses(one.tally.clone(), one.counter.clone()), i64::from(one.quantity)));
    seats.chain(units).chain(coupons).chain(uses).collect()
}

/// Whether the seats of a ledger do not add up.
pub(super) fn unsound(ledger: &Ledger) -> Option<Finding> {
    let held: u64 = ledger.holds.values().map(|hold| u64::from(hold.quantity)).sum();
    let accounted = held.saturating_add(u64::from(ledger.free)).saturating_add(u64::from(ledger.sold));
    let unsound = Finding::UnsoundLedger { instance: ledger.instance, size: ledger.size, accounted };
    (!ledger.is_sound()).then_some(unsound)
}

/// A second walk over all orders of a tenant, for what no single record can tell: sums that did not agree with their
/// counters, and tickets that seemed to be there twice.
#[derive(Debug)]
pub struct SecondLook {
    sums: BTreeMap<Count, Sum>,
    repeated: BTreeSet<u64>,
    tickets: BTreeMap<String, Vec<(OrderId, TicketId)>>,
}

/// What orders come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sum {
    used: i64,
    /// Fingerprint of the orders that have to do with it, each as it stood. An order never stands again as it stood
    /// before, so two walks with the same mark saw what was so at every instant between them.
    mark: u64,
}

impl SecondLook {
    /// A walk for what was found before.
    #[must_use]
    pub fn at(counts: impl IntoIterator<Item = Count>, findings: &[Finding]) -> Self {
        let repeated = findings.iter().filter_map(|finding| {
            let Finding::Repeated { mark, .. } = finding else { return None };
            Some(*mark)
        });
        Self {
            sums: counts.into_iter().map(|count| (count, Sum::default())).collect(),
            repeated: repeated.collect(),
            tickets: BTreeMap::new(),
        }
    }

    /// Enters an order with its records.
    pub fn enter(&mut self, records: &OrderRecords) {
        let order = &records.order;
        let is_void = is_void(order);
        let (sold, doors) = (order.after_sale.version, order.admission.version);
        let mark = fingerprint(&format!("{} {is_void} {sold} {doors}", order.id));
        for (count, taken) in taken_by(order) {
            if let Some(sum) = self.sums.get_mut(&count) {
                let used = if is_void { 0 } else { taken };
                *sum = Sum { used: sum.used.saturating_add(used), mark: sum.mark.wrapping_add(mark) };
            }
        }
        if self.repeated.is_empty() {
            return;
        }
        for ticket in &records.tickets {
            for text in [ticket.id.as_str(), ticket.barcode.as_str()] {
                if self.repeated.contains(&fingerprint(text)) {
                    let place = (records.order.id.clone(), ticket.id.clone());
                    self.tickets.entry(text.to_owned()).or_default().push(place);
                }
            }
        }
    }

    /// Whether no order that has to do with this count changed, came or went since another walk.
    #[must_use]
    pub fn is_settled(&self, count: &Count, earlier: &Self) -> bool {
        self.sums.get(count) == earlier.sums.get(count)
    }

    /// What the orders come to, which the counter says otherwise.
    #[must_use]
    pub fn against(&self, count: &Count, counted: i64) -> Option<Finding> {
        let Sum { used, mark: _ } = self.sums.get(count).copied().unwrap_or_default();
        Balance { counted, used }.finding(count.clone())
    }

    /// The tickets that are there twice.
    #[must_use]
    pub fn repeated(&self) -> Vec<Finding> {
        let twice = self.tickets.iter().filter_map(|(text, places)| {
            let (other, _) = places.first()?;
            let (order, ticket) = places.get(1)?.clone();
            Some(Finding::Repeated { order, ticket, other: Some(other.clone()), mark: fingerprint(text) })
        });
        twice.collect()
    }
}
