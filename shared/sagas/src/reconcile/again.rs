//! Looking again at what did not agree: the records may have been written between two reads. Each is read anew, after
//! every earlier write, and judged by books of its own.

use super::orders::{OrdersWalk, Part, Whole, unwhole};
use super::{ReconciliationView, read};
use adapters::processor::load_captured;
use domain::ledger::Ledger;
use domain::order::Order;
use domain::reconciliation::{
    Books, Captured, Count, Finding, LookupPlace, MembershipRecord, OrderRecords, SaleRecord, SecondLook,
    Subject,
};
use domain::{CardId, CustomerId, MembershipId, OrderId, SaleId, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use store::archive::TenantPlace;
use store::reconcile::{MEMBERSHIPS, ORDERS, Record};
use store::{Consistency, Placed, StoreError, StoreFault, Table};

/// Further walks past all orders for sums that changed meanwhile, and further reads of an order that did.
const ROUNDS: usize = 3;

/// A second look.
pub(super) struct Again<'a> {
    view: &'a ReconciliationView<'a>,
    pub(super) findings: Vec<(TenantId, Finding)>,
    pub(super) unsettled: Vec<(TenantId, Count)>,
}

impl<'a> Again<'a> {
    pub(super) const fn at(view: &'a ReconciliationView<'a>) -> Self {
        Self { view, findings: Vec::new(), unsettled: Vec::new() }
    }

    /// Looks at what was suspected, subject by subject, and at last at what takes another walk.
    pub(super) async fn look(&mut self, suspicions: &[(TenantId, Finding)]) -> Result<(), StoreError> {
        let mut subjects: BTreeMap<(TenantId, Subject), Vec<Finding>> = BTreeMap::new();
        for (tenant, finding) in suspicions {
            subjects.entry((*tenant, finding.subject())).or_default().push(finding.clone());
        }
        let mut counts = BTreeSet::new();
        let mut repeated: BTreeMap<TenantId, Vec<Finding>> = BTreeMap::new();
        let mut cards = BTreeSet::new();
        for ((tenant, subject), suspected) in subjects {
            match &subject {
                Subject::Count(count) => {
                    counts.insert((tenant, count.clone()));
                }
                Subject::Tickets => {
                    repeated.insert(tenant, suspected);
                }
                Subject::Tenant => {
                    if self.is_nobody(tenant).await? {
                        self.find(tenant, suspected);
                    }
                }
                Subject::Card(card) => {
                    cards.insert((tenant, *card));
                }
                // What does not read is not the work of a moment.
                Subject::Record(_) => self.find(tenant, suspected),
                Subject::Order(_)
                | Subject::Sale(_)
                | Subject::Membership(_)
                | Subject::Customer(_)
                | Subject::Ledger(_) => match self.read(tenant, &subject).await {
                    // Who leads to a customer is what was suspected.
                    Ok(found) if matches!(subject, Subject::Customer(_)) && !found.is_empty() => {
                        self.find(tenant, suspected);
                    }
                    Ok(found) => self.find(tenant, found),
                    Err(StoreError { kind: StoreFault::Corrupt, .. }) => self.find(tenant, suspected),
                    Err(fault) => return Err(fault),
                },
            }
        }
        self.look_for_cards(cards).await?;
        self.walk_again(counts, repeated).await
    }

    fn find(&mut self, tenant: TenantId, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings.into_iter().map(|finding| (tenant, finding)));
    }

    /// Whether a tenant is neither there nor about to be, out of an archive.
    async fn is_nobody(&self, tenant: TenantId) -> Result<bool, StoreError> {
        let store = self.view.store;
        let is_there = store.load_tenant(tenant, Consistency::Strong).await?.is_some();
        Ok(match store.load_place(tenant).await? {
            TenantPlace::Restoring(_) => false,
            TenantPlace::Free | TenantPlace::Restored(_) | TenantPlace::Taken => !is_there,
        })
    }

    /// What is found about a subject now.
    async fn read(&self, tenant: TenantId, subject: &Subject) -> Result<Vec<Finding>, StoreError> {
        let mut books = self.view.books(tenant);
        let mut found = Vec::new();
        match subject {
            Subject::Order(order) => found.extend(self.enter_order(&mut books, tenant, order).await?),
            Subject::Sale(sale) => self.enter_sale(&mut books, tenant, sale).await?,
            Subject::Membership(membership) => {
                self.enter_membership(&mut books, tenant, *membership).await?;
            }
            Subject::Customer(customer) => {
                books.enter_lead(*customer);
                self.enter_customers(&mut books, tenant, &[*customer]).await?;
            }
            Subject::Ledger(slot) => {
                let place = Ledger::place(tenant, slot);
                let ledger: Option<Ledger> = self.view.store.get(&place, Consistency::Strong).await?;
                ledger.iter().for_each(|ledger| books.enter_ledger(ledger));
            }
            Subject::Card(_)
            | Subject::Count(_)
            | Subject::Tickets
            | Subject::Tenant
            | Subject::Record(_) => {}
        }
        found.extend(books.close());
        found.retain(|finding| finding.subject() == *subject);
        Ok(found)
    }

    /// Enters an order after all that belongs to it; what is there without it. It is read before and after, since what
    /// belongs to it is written with it.
    async fn enter_order(
        &self,
        books: &mut Books,
        tenant: TenantId,
        id: &OrderId,
    ) -> Result<Vec<Finding>, StoreError> {
        let store = self.view.store;
        let mut parts = store.load_order_parts(tenant, id).await?.finish();
        for _ in 0..ROUNDS {
            let belongings = self.load_belongings(tenant, id, parts.as_ref().ok()).await?;
            let scans = store.load_scans(tenant, id).await?;
            let after = store.load_order_parts(tenant, id).await?.finish();
            if after != parts {
                parts = after;
                continue;
            }
            belongings.enter(books);
            return Ok(match parts {
                Ok(records) => {
                    books.enter_order(&records);
                    books.enter_scans(&records, &scans);
                    Vec::new()
                }
                Err(has) => unwhole(id, has.into_iter().map(Part::Belongs).collect()).collect(),
            });
        }
        // Whoever changes an order so often is at work on it.
        Ok(Vec::new())
    }

    /// What belongs to an order in other places.
    async fn load_belongings(
        &self,
        tenant: TenantId,
        id: &OrderId,
        records: Option<&OrderRecords>,
    ) -> Result<Belongings, StoreError> {
        let store = self.view.store;
        let captured = load_captured(store, tenant, id).await?;
        let Some(records) = records else {
            return Ok(Belongings { captured, ..Belongings::default() });
        };
        let lookups = store.load_order_lookups(records).await?;
        let order = &records.order;
        let sale = match &order.payment {
            Some(payment) => store.load_sale_record(tenant, &payment.sale).await?,
            None => None,
        };
        let memberships = store.load_membership_records(tenant, &memberships_of(order)).await?;
        let customers: Vec<CustomerId> = order.customer.into_iter().collect();
        let customers = store.load_customers(tenant, &customers).await?.into_iter().flatten();
        let customers = customers.map(|customer| customer.value.id).collect();
        Ok(Belongings { captured, lookups, sale, memberships, customers })
    }

    async fn enter_sale(&self, books: &mut Books, tenant: TenantId, id: &SaleId) -> Result<(), StoreError> {
        let Some(record) = self.view.store.load_sale_record(tenant, id).await? else { return Ok(()) };
        let order = self.view.store.load_order(tenant, &record.sale.order).await?;
        let of_order = order.and_then(|order| order.payment).map(|payment| payment.sale);
        // An order is entered with its own sale.
        if of_order.as_ref() != Some(id) {
            books.enter_sale(&record);
        }
        self.enter_order(books, tenant, &record.sale.order).await?;
        Ok(())
    }

    /// Enters a membership after the orders it names. It is read before and after, as orders are.
    async fn enter_membership(
        &self,
        books: &mut Books,
        tenant: TenantId,
        id: MembershipId,
    ) -> Result<(), StoreError> {
        let store = self.view.store;
        let mut records = store.load_membership_records(tenant, &[id]).await?;
        for _ in 0..ROUNDS {
            let mut of_orders = self.view.books(tenant);
            for order in records.iter().flat_map(orders_of) {
                self.enter_order(&mut of_orders, tenant, &order).await?;
            }
            let after = store.load_membership_records(tenant, &[id]).await?;
            let is_same = after == records;
            records = after;
            *books = of_orders;
            if is_same {
                break;
            }
        }
        records.iter().for_each(|record| books.enter_membership(record));
        Ok(())
    }

    async fn enter_customers(
        &self,
        books: &mut Books,
        tenant: TenantId,
        ids: &[CustomerId],
    ) -> Result<(), StoreError> {
        let found = self.view.store.load_customers(tenant, ids).await?;
        found.into_iter().flatten().for_each(|customer| books.enter_customer(customer.value.id));
        Ok(())
    }

    /// Looks for cards that were scanned among the memberships there are by now.
    async fn look_for_cards(&mut self, mut cards: BTreeSet<(TenantId, CardId)>) -> Result<(), StoreError> {
        if cards.is_empty() {
            return Ok(());
        }
        let mut walk = self.view.walk(Table::Members, MEMBERSHIPS, Consistency::Strong);
        while let Some(rows) = walk.next().await? {
            for row in rows {
                let tenant = row.tenant;
                if let Ok(Record::Membership(record)) = read(row) {
                    for card in &record.membership.cards {
                        cards.remove(&(tenant, card.id));
                    }
                }
            }
        }
        for (tenant, card) in cards {
            self.find(tenant, [Finding::LostCard { card }]);
        }
        Ok(())
    }

    /// Walks past all orders again for sums and for tickets that were there twice. A counter is read between two walks,
    /// and its sum is settled when no order that has to do with it changed between them.
    async fn walk_again(
        &mut self,
        mut open: BTreeSet<(TenantId, Count)>,
        repeated: BTreeMap<TenantId, Vec<Finding>>,
    ) -> Result<(), StoreError> {
        if open.is_empty() && repeated.is_empty() {
            return Ok(());
        }
        let mut earlier = self.sums(&open, repeated).await?;
        for (tenant, look) in &earlier {
            self.find(*tenant, look.repeated());
        }
        for _ in 0..ROUNDS {
            if open.is_empty() {
                break;
            }
            let counted = self.counted(&open).await?;
            let later = self.sums(&open, BTreeMap::new()).await?;
            let mut unsettled = BTreeSet::new();
            for (tenant, count) in open {
                let looks = (later.get(&tenant), earlier.get(&tenant));
                let settled =
                    looks.0.zip(looks.1).filter(|(later, earlier)| later.is_settled(&count, earlier));
                let Some((look, _)) = settled else {
                    unsettled.insert((tenant, count));
                    continue;
                };
                let counted = counted.get(&(tenant, count.clone())).copied().unwrap_or_default();
                self.find(tenant, look.against(&count, counted));
            }
            (open, earlier) = (unsettled, later);
        }
        self.unsettled.extend(open);
        Ok(())
    }

    async fn sums(
        &self,
        counts: &BTreeSet<(TenantId, Count)>,
        repeated: BTreeMap<TenantId, Vec<Finding>>,
    ) -> Result<BTreeMap<TenantId, SecondLook>, StoreError> {
        let tenants: BTreeSet<TenantId> =
            counts.iter().map(|(tenant, _)| *tenant).chain(repeated.keys().copied()).collect();
        let look = |tenant: TenantId| {
            let of_tenant = counts.iter().filter(|(of, _)| *of == tenant).map(|(_, count)| count.clone());
            SecondLook::at(of_tenant, repeated.get(&tenant).map_or(&[], Vec::as_slice))
        };
        let mut looks: BTreeMap<TenantId, SecondLook> =
            tenants.into_iter().map(|tenant| (tenant, look(tenant))).collect();
        let mut walk = OrdersWalk::begin(self.view, ORDERS, Consistency::Strong);
        while let Some(page) = walk.next().await? {
            for Whole { tenant, order: _, records } in page.orders {
                if let (Ok(records), Some(look)) = (records, looks.get_mut(&tenant)) {
                    look.enter(&records);
                }
            }
        }
        Ok(looks)
    }

    async fn counted(
        &self,
        counts: &BTreeSet<(TenantId, Count)>,
    ) -> Result<BTreeMap<(TenantId, Count), i64>, StoreError> {
        let mut of_tenants: BTreeMap<TenantId, Vec<Count>> = BTreeMap::new();
        for (tenant, count) in counts {
            of_tenants.entry(*tenant).or_default().push(count.clone());
        }
        let mut counted = BTreeMap::new();
        for (tenant, counts) in of_tenants {
            let found = self.view.store.load_counted(tenant, &counts).await?;
            counted.extend(found.into_iter().map(|(count, counted)| ((tenant, count), counted)));
        }
        Ok(counted)
    }
}

/// What belongs to an order in other places than its own.
#[derive(Default)]
struct Belongings {
    captured: Option<Captured>,
    lookups: Vec<(LookupPlace, OrderId)>,
    sale: Option<SaleRecord>,
    memberships: Vec<MembershipRecord>,
    customers: Vec<CustomerId>,
}

impl Belongings {
    fn enter(self, books: &mut Books) {
        let Self { captured, lookups, sale, memberships, customers } = self;
        lookups.iter().for_each(|(place, to)| books.enter_order_lookup(*place, to));
        captured.into_iter().for_each(|captured| books.enter_captured(captured));
        sale.iter().for_each(|sale| books.enter_sale(sale));
        memberships.iter().for_each(|record| books.enter_membership(record));
        customers.into_iter().for_each(|customer| books.enter_customer(customer));
    }
}

/// The orders that claim a membership or paid for its terms.
fn orders_of(record: &MembershipRecord) -> BTreeSet<OrderId> {
    let MembershipRecord { membership, claimed_by } = record;
    let bought = membership.purchases().map(|bought| bought.order.clone());
    bought.chain(claimed_by.clone()).collect()
}

/// The memberships that an order makes or changes.
fn memberships_of(order: &Order) -> Vec<MembershipId> {
    let of_line = order.memberships().flat_map(|line| {
        let change = &line.change;
        [change.before.as_ref(), Some(&change.after), change.retired.as_ref()]
    });
    let ids: BTreeSet<MembershipId> = of_line.flatten().map(|membership| membership.id).collect();
    ids.into_iter().collect()
}
