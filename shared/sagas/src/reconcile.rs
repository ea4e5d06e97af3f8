//! Reconciling what is stored of sales (`domain::reconciliation`): every record is walked past once, and whatever did not
//! agree is looked at again before it is told. Nothing is written.

mod again;
mod orders;

use adapters::processor::captured_in;
use again::Again;
use domain::reconciliation::{Books, Checked, Count, Finding, MembershipFault, ReconciliationTerms};
use domain::tenant::ProcessorKind;
use domain::{MembershipId, TenantId, Timestamp};
use orders::{OrdersWalk, Whole};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use store::reconcile::{LEDGERS, MONEY, ORDERS_AND_LOOKUPS, Record, record_of};
use store::walk::{Pace, Route, TableWalk, WalkedItem};
use store::{Consistency, Key, Store, StoreError, Table};

/// Suspicions that are looked at again; of more, only the number is told.
const MAX_SUSPICIONS: usize = 10_000;

/// What is reconciled.
#[derive(Debug, Clone, Copy)]
pub struct ReconciliationRequest {
    /// This tenant alone.
    pub tenant: Option<TenantId>,
    /// The present instant.
    pub now: Timestamp,
    /// The present instant of those who choose their clock; without one, their orders are never overdue.
    pub chosen_now: Option<Timestamp>,
    /// Waited before each page that is read.
    pub pause: Duration,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct ReconciliationReport {
    /// What does not agree.
    pub findings: Vec<(TenantId, Finding)>,
    /// What changed all the time, so that nothing can be said of it.
    pub unsettled: Vec<(TenantId, Count)>,
    /// How many records were looked at.
    pub checked: Checked,
    /// Suspicions beyond those that were looked at again.
    pub left_out: usize,
}

impl ReconciliationReport {
    /// Whether nothing was found that does not agree.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.left_out == 0
    }
}

/// Walks past all records of sales, and finds those that do not agree.
///
/// # Errors
/// [`StoreError`] when the database does not answer.
pub async fn reconcile(
    store: &Store,
    wanted: &ReconciliationRequest,
) -> Result<ReconciliationReport, StoreError> {
    let view = ReconciliationView::of(store, wanted).await?;
    let mut pass = Pass { view: &view, books: BTreeMap::new(), suspicions: Vec::new(), left_out: 0 };
    pass.enter_money().await?;
    let wrong_lookups = pass.enter_members().await?;
    pass.enter_orders().await?;
    pass.enter_ledgers().await?;
    let checked = pass.close();
    let Pass { suspicions, left_out, .. } = pass;
    let mut again = Again::at(&view);
    again.look(&suspicions).await?;
    let Again { mut findings, unsettled, .. } = again;
    findings.extend(wrong_lookups);
    Ok(ReconciliationReport { findings, unsettled, checked, left_out })
}

/// What is read, and how it is judged.
struct ReconciliationView<'a> {
    store: &'a Store,
    wanted: &'a ReconciliationRequest,
    /// All tenants.
    known: BTreeSet<TenantId>,
    /// The tenants whose processor's payments are known.
    with_payments: BTreeSet<TenantId>,
    /// Since when tenants are closed. Nothing is done for them, so that nothing becomes overdue.
    closed: BTreeMap<TenantId, Timestamp>,
}

impl<'a> ReconciliationView<'a> {
    async fn of(store: &'a Store, wanted: &'a ReconciliationRequest) -> Result<Self, StoreError> {
        let tenants = store.load_all_tenants().await?;
        let in_sandbox = tenants.iter().filter(|tenant| match tenant.processor {
            ProcessorKind::Sandbox => true,
            ProcessorKind::Stripe(_) => false,
        });
        let with_payments = in_sandbox.map(|tenant| tenant.id).collect();
        let known = tenants.iter().map(|tenant| tenant.id).collect();
        let closed = tenants.iter().filter_map(|tenant| Some((tenant.id, tenant.closed_at?))).collect();
        Ok(Self { store, wanted, known, with_payments, closed })
    }

    fn books(&self, tenant: TenantId) -> Books {
        let ReconciliationRequest { tenant: _, now, chosen_now, pause: _ } = *self.wanted;
        let now = self.closed.get(&tenant).map_or(now, |closed| now.min(*closed));
        Books::open(ReconciliationTerms {
            now,
            chosen_now,
            with_payments: self.with_payments.contains(&tenant),
        })
    }

    fn walk(&self, table: Table, partitions: &[&str], consistency: Consistency) -> TableWalk {
        let route = Route { table, partitions, tenant: self.wanted.tenant };
        self.store.walk(route, Pace { consistency, pause: self.wanted.pause })
    }
}

/// Reads a record, or finds that it cannot be read.
fn read(row: WalkedItem) -> Result<Record, Finding> {
    record_of(row).map_err(unreadable)
}

fn unreadable(Key { table, pk, sk }: Key) -> Finding {
    Finding::Unreadable { record: format!("{} {pk} {sk}", table.name()) }
}

/// The first walk, past everything.
struct Pass<'a> {
    view: &'a ReconciliationView<'a>,
    books: BTreeMap<TenantId, Books>,
    suspicions: Vec<(TenantId, Finding)>,
    left_out: usize,
}

impl Pass<'_> {
    fn books(&mut self, tenant: TenantId) -> &mut Books {
        let view = self.view;
        self.books.entry(tenant).or_insert_with(|| view.books(tenant))
    }

    fn suspect(&mut self, tenant: TenantId, findings: impl IntoIterator<Item = Finding>) {
        for finding in findings {
            if self.suspicions.len() < MAX_SUSPICIONS {
                self.suspicions.push((tenant, finding));
            } else {
                self.left_out = self.left_out.saturating_add(1);
            }
        }
    }

    /// Takes what was found so far out of the books, which are to stay small.
    fn note(&mut self) {
        let found: Vec<(TenantId, Vec<Finding>)> =
            self.books.iter_mut().map(|(tenant, books)| (*tenant, books.take_findings())).collect();
        for (tenant, findings) in found {
            self.suspect(tenant, findings);
        }
    }

    async fn enter_money(&mut self) -> Result<(), StoreError> {
        let mut walk = self.view.walk(Table::Merchants, MONEY, Consistency::Eventual);
        while let Some(rows) = walk.next().await? {
            for row in rows {
                let (tenant, key) = (row.tenant, row.key.clone());
                match read(row) {
                    Ok(Record::Sale(sale)) => self.books(tenant).enter_sale(&sale),
                    Ok(Record::SandboxPayment(item)) => match captured_in(item) {
                        Ok(captured) => captured
                            .into_iter()
                            .for_each(|captured| self.books(tenant).enter_captured(captured)),
                        Err(_) => self.suspect(tenant, [unreadable(key)]),
                    },
                    Ok(_) => {}
                    Err(unreadable) => self.suspect(tenant, [unreadable]),
                }
            }
            self.note();
        }
        Ok(())
    }

    /// Enters customers, memberships and counters; what memberships are not found by as they should be.
    async fn enter_members(&mut self) -> Result<Vec<(TenantId, Finding)>, StoreError> {
        let mut walk = self.view.walk(Table::Members, &[], Consistency::Eventual);
        let mut wrong = Vec::new();
        while let Some(rows) = walk.next().await? {
            let mut lookups: BTreeMap<TenantId, Lookups> = BTreeMap::new();
            for row in rows {
                self.enter_member(row, &mut lookups);
            }
            for (tenant, lookups) in lookups {
                let found = self.view.store.find_wrong_lookups(tenant, &lookups.ids, &lookups.keys).await?;
                let found = found.into_iter().map(|(id, by, fault)| {
                    (tenant, Finding::Membership(id, MembershipFault::Found { by, fault }))
                });
                wrong.extend(found);
            }
            self.note();
        }
        Ok(wrong)
    }

    fn enter_member(&mut self, row: WalkedItem, lookups: &mut BTreeMap<TenantId, Lookups>) {
        let (tenant, key) = (row.tenant, row.key.clone());
        match read(row) {
            Ok(Record::Customer(id)) => self.books(tenant).enter_customer(id),
            Ok(Record::Lead(to)) => self.books(tenant).enter_lead(to),
            Ok(Record::Visit(card)) => self.books(tenant).enter_visit(card),
            Ok(Record::Counters(counters)) => {
                for (count, counted) in counters {
                    self.books(tenant).enter_counter(count, counted);
                }
            }
            Ok(Record::Membership(record)) => {
                lookups.entry(tenant).or_default().ids.insert(record.membership.id);
                self.books(tenant).enter_membership(&record);
            }
            Ok(Record::Lookup(of)) => {
                lookups.entry(tenant).or_default().keys.insert(key, of);
            }
            Ok(_) => {}
            Err(unreadable) => self.suspect(tenant, [unreadable]),
        }
    }

    async fn enter_orders(&mut self) -> Result<(), StoreError> {
        let mut walk = OrdersWalk::begin(self.view, ORDERS_AND_LOOKUPS, Consistency::Eventual);
        while let Some(page) = walk.next().await? {
            for (tenant, place, to) in page.lookups {
                self.books(tenant).enter_order_lookup(place, &to);
            }
            for (tenant, unreadable) in page.unreadable {
                self.suspect(tenant, [unreadable]);
            }
            for (tenant, count, counted) in page.counters {
                self.books(tenant).enter_counter(count, counted);
            }
            for Whole { tenant, order, records } in page.orders {
                match records {
                    Ok(records) => {
                        self.books(tenant).enter_order(&records);
                        if !records.order.admission.is_untouched() {
                            let scans = self.view.store.load_scans(tenant, &order).await?;
                            self.books(tenant).enter_scans(&records, &scans);
                        }
                    }
                    Err(faults) => self.suspect(tenant, orders::unwhole(&order, faults)),
                }
            }
            self.note();
        }
        Ok(())
    }

    async fn enter_ledgers(&mut self) -> Result<(), StoreError> {
        let mut walk = self.view.walk(Table::Reservations, LEDGERS, Consistency::Eventual);
        while let Some(rows) = walk.next().await? {
            for row in rows {
                let tenant = row.tenant;
                match read(row) {
                    Ok(Record::Ledger(ledger)) => self.books(tenant).enter_ledger(&ledger),
                    Ok(_) => {}
                    Err(unreadable) => self.suspect(tenant, [unreadable]),
                }
            }
            self.note();
        }
        Ok(())
    }

    /// Closes the books; how many records were in them.
    fn close(&mut self) -> Checked {
        let mut checked = Checked::default();
        for (tenant, books) in std::mem::take(&mut self.books) {
            let entered = books.checked();
            checked = checked.plus(entered);
            if !self.view.known.contains(&tenant) {
                let Checked { orders, memberships, .. } = entered;
                self.suspect(tenant, [Finding::NoTenant { orders, memberships }]);
            }
            self.suspect(tenant, books.close());
        }
        checked
    }
}

/// Memberships and what leads to them, of one page.
#[derive(Debug, Default)]
struct Lookups {
    ids: BTreeSet<MembershipId>,
    keys: BTreeMap<Key, MembershipId>,
}
