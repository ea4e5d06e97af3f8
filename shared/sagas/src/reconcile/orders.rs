//! A walk past orders, each with all that shares its place.

use super::{ReconciliationView, read};
use domain::reconciliation::{Belonging, Count, Finding, LookupPlace, OrderFault, OrderRecords};
use domain::{OrderId, TenantId};
use store::reconcile::{OrderParts, Record, order_of};
use store::walk::TableWalk;
use store::{Consistency, StoreError, Table};

/// Why there is no whole order.
#[derive(Debug)]
pub(super) enum Part {
    /// The order itself is not there, but this.
    Belongs(Belonging),
    /// A record of it does not read.
    Unreadable(Finding),
}

/// An order with its records, as far as they were found together.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) tenant: TenantId,
    pub(super) order: OrderId,
    pub(super) records: Result<OrderRecords, Vec<Part>>,
}

/// The findings about an order that is not whole.
pub(super) fn unwhole(order: &OrderId, parts: Vec<Part>) -> impl Iterator<Item = Finding> {
    parts.into_iter().map(move |part| match part {
        Part::Belongs(has) => Finding::Order(order.clone(), OrderFault::NoOrder { has }),
        Part::Unreadable(finding) => finding,
    })
}

/// What a page shows.
#[derive(Debug, Default)]
pub(super) struct ReconciledPage {
    /// The orders of which it shows the end.
    pub(super) orders: Vec<Whole>,
    /// What leads to orders.
    pub(super) lookups: Vec<(TenantId, LookupPlace, OrderId)>,
    /// What is counted of orders.
    pub(super) counters: Vec<(TenantId, Count, i64)>,
    /// What does not read.
    pub(super) unreadable: Vec<(TenantId, Finding)>,
}

impl ReconciledPage {
    fn enter(&mut self, tenant: TenantId, record: Result<Record, Finding>) {
        match record {
            Ok(Record::OrderLookup(place, to)) => self.lookups.push((tenant, place, to)),
            Ok(Record::Counters(counters)) => {
                let counters = counters.into_iter().map(|(count, counted)| (tenant, count, counted));
                self.counters.extend(counters);
            }
            Ok(_) => {}
            Err(unreadable) => self.unreadable.push((tenant, unreadable)),
        }
    }
}

/// The walk. The items of a partition come one after the other; should they ever not, an order is found not to be whole,
/// and read again.
pub(super) struct OrdersWalk {
    walk: TableWalk,
    open: Option<Open>,
}

/// An order of which more may come.
struct Open {
    tenant: TenantId,
    order: OrderId,
    parts: OrderParts,
    unreadable: Vec<Finding>,
}

impl Open {
    fn of(tenant: TenantId, order: OrderId) -> Self {
        Self { tenant, order, parts: OrderParts::default(), unreadable: Vec::new() }
    }

    fn close(self) -> Whole {
        let Self { tenant, order, parts, unreadable } = self;
        let records = if unreadable.is_empty() {
            parts.finish().map_err(|belongings| belongings.into_iter().map(Part::Belongs).collect())
        } else {
            Err(unreadable.into_iter().map(Part::Unreadable).collect())
        };
        Whole { tenant, order, records }
    }
}

impl OrdersWalk {
    pub(super) fn begin(
        view: &ReconciliationView<'_>,
        partitions: &[&str],
        consistency: Consistency,
    ) -> Self {
        Self { walk: view.walk(Table::Orders, partitions, consistency), open: None }
    }

    /// What the next page shows; none when there are no more.
    pub(super) async fn next(&mut self) -> Result<Option<ReconciledPage>, StoreError> {
        let Some(rows) = self.walk.next().await? else {
            let last = self.open.take().map(|last| vec![last.close()]);
            return Ok(last.map(|orders| ReconciledPage { orders, ..ReconciledPage::default() }));
        };
        let mut page = ReconciledPage::default();
        for row in rows {
            let tenant = row.tenant;
            let Some(order) = order_of(&row) else {
                page.enter(tenant, read(row));
                continue;
            };
            let is_open = self.open.as_ref().is_some_and(|open| open.tenant == tenant && open.order == order);
            if !is_open {
                page.orders.extend(self.open.replace(Open::of(tenant, order)).map(Open::close));
            }
            let Some(open) = &mut self.open else { continue };
            match read(row) {
                Ok(record) => open.parts.take(record),
                Err(unreadable) => open.unreadable.push(unreadable),
            }
        }
        Ok(Some(page))
    }
}
