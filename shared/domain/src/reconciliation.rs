//! Reconciliation: whether all that is stored of a tenant's sales agrees, to the last cent, seat and ticket.
//!
//! Records are entered as they are found; what one record says by itself, and what an order says of the records that
//! belong to it, is judged at once. Sales, captured payments, memberships and customers are entered before the orders,
//! which take them out of the books again; what nothing took out is left over when the books are closed. So what is
//! held is what the orders have not been seen of yet, one sum for each thing that is counted, and eight bytes for each
//! id and barcode of a ticket.
//!
//! A finding is a suspicion as long as writes go on: it may tell of a record that was written between two reads. Whoever
//! reads the records looks again at its [`Subject`] before a person is told.

mod admissions;
mod after_sale;
mod count;
mod fault;
mod finding;
mod lookups;
mod memberships;
mod orders;
mod records;
mod sales;

pub use count::{SecondLook, uses_of};
pub use fault::{
    AdmissionFault, AfterSaleFault, Belonging, Lookup, LookupFault, MembershipFault, MoneyFault, OrderFault,
    OrderLead, SaleFault,
};
pub use finding::{Count, Finding, Subject};
pub use records::{
    Captured, LookupPlace, MailRecord, MembershipRecord, OrderLookup, OrderRecords, SaleRecord,
};

use crate::ledger::Ledger;
use crate::order::Order;
use crate::time::plus_secs;
use crate::{CardId, CustomerId, MembershipId, Money, OrderId, SaleId, Timestamp};
use count::Balance;
use lookups::OpenLookups;
use memberships::HeldMembership;
use sales::{HeldSale, stray_money};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Seconds a pending order or refund may be past its deadline before that is a finding: the schedule finishes what is due
/// every minute, and may have to try again.
pub const OVERDUE_SECS: i64 = 300;

/// What the books are judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReconciliationTerms {
    /// The present instant, for orders of the real clock.
    pub now: Timestamp,
    /// The present instant of those who choose their clock; without one, their orders are never overdue.
    pub chosen_now: Option<Timestamp>,
    /// Whether the processor's payments are entered too. Those of a processor that is another party are not known.
    pub with_payments: bool,
}

/// How many records were entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each counts the records of its name")]
pub struct Checked {
    pub orders: u64,
    pub tickets: u64,
    pub mails: u64,
    pub sales: u64,
    pub refunds: u64,
    pub payments: u64,
    pub ledgers: u64,
    pub counters: u64,
    pub customers: u64,
    pub memberships: u64,
    /// What leads to orders that are not paid or not there, which is no fault.
    pub idle_lookups: u64,
    pub disputes: u64,
    pub failed_refunds: u64,
}

impl Checked {
    /// Those of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            orders: self.orders.saturating_add(other.orders),
            tickets: self.tickets.saturating_add(other.tickets),
            mails: self.mails.saturating_add(other.mails),
            sales: self.sales.saturating_add(other.sales),
            refunds: self.refunds.saturating_add(other.refunds),
            payments: self.payments.saturating_add(other.payments),
            ledgers: self.ledgers.saturating_add(other.ledgers),
            counters: self.counters.saturating_add(other.counters),
            customers: self.customers.saturating_add(other.customers),
            memberships: self.memberships.saturating_add(other.memberships),
            idle_lookups: self.idle_lookups.saturating_add(other.idle_lookups),
            disputes: self.disputes.saturating_add(other.disputes),
            failed_refunds: self.failed_refunds.saturating_add(other.failed_refunds),
        }
    }
}

/// An order that has memberships.
#[derive(Debug)]
struct Seller {
    is_paid: bool,
    /// The memberships that it has marked as its own to change; none once it was voided.
    claims: Vec<MembershipId>,
}

/// All that is known of one tenant's sales while its records are read.
#[derive(Debug)]
pub struct Books {
    terms: ReconciliationTerms,
    checked: Checked,
    findings: Vec<Finding>,
    sales: HashMap<SaleId, HeldSale>,
    captured: HashMap<OrderId, Captured>,
    customers: HashSet<CustomerId>,
    /// Customers that something other than an order leads to, with the membership whose card does, if one does.
    led_to: BTreeMap<CustomerId, Option<MembershipId>>,
    memberships: HashMap<MembershipId, HeldMembership>,
    /// The orders that have memberships.
    sellers: HashMap<OrderId, Seller>,
    lookups: OpenLookups,
    balances: BTreeMap<Count, Balance>,
    /// Fingerprints of what may be there once only.
    ticket_ids: HashSet<u64>,
    barcodes: HashSet<u64>,
    /// Cards that were scanned.
    visited: HashSet<CardId>,
}

impl Books {
    /// Books without a record.
    #[must_use]
    pub fn open(terms: ReconciliationTerms) -> Self {
        Self {
            terms,
            checked: Checked::default(),
            findings: Vec::new(),
            sales: HashMap::new(),
            captured: HashMap::new(),
            customers: HashSet::new(),
            led_to: BTreeMap::new(),
            memberships: HashMap::new(),
            sellers: HashMap::new(),
            lookups: OpenLookups::default(),
            balances: BTreeMap::new(),
            ticket_ids: HashSet::new(),
            barcodes: HashSet::new(),
            visited: HashSet::new(),
        }
    }

    /// Whether something with a deadline should have been finished long ago, by the clock it was made under.
    fn is_overdue(&self, deadline: Timestamp, chosen_clock: bool) -> bool {
        let now = if chosen_clock { self.terms.chosen_now } else { Some(self.terms.now) };
        now.is_some_and(|now| now > plus_secs(deadline, OVERDUE_SECS))
    }

    /// Enters a customer.
    pub fn enter_customer(&mut self, id: CustomerId) {
        self.checked.customers = self.checked.customers.saturating_add(1);
        self.customers.insert(id);
    }

    /// Enters what leads to a customer by its data.
    pub fn enter_lead(&mut self, to: CustomerId) {
        self.led_to.entry(to).or_default();
    }

    /// Enters the ledger of a slot, removed ones included.
    pub fn enter_ledger(&mut self, ledger: &Ledger) {
        self.checked.ledgers = self.checked.ledgers.saturating_add(1);
        self.findings.extend(count::unsound(ledger));
        self.set_counted(Count::Seats(ledger.instance), i64::from(ledger.sold));
    }

    /// Enters what a counter says is used.
    pub fn enter_counter(&mut self, count: Count, counted: i64) {
        self.checked.counters = self.checked.counters.saturating_add(1);
        self.set_counted(count, counted);
    }

    fn set_counted(&mut self, count: Count, counted: i64) {
        let balance = self.balances.entry(count).or_default();
        balance.counted = balance.counted.saturating_add(counted);
    }

    /// Notes what an order takes of all that is counted.
    fn add_uses(&mut self, order: &Order) {
        for (count, used) in uses_of(order) {
            let balance = self.balances.entry(count).or_default();
            balance.used = balance.used.saturating_add(used);
        }
    }

    /// What was found so far, which is not found again.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// How many records were entered.
    #[must_use]
    pub fn checked(&self) -> Checked {
        Checked { idle_lookups: self.lookups.idle(), ..self.checked }
    }

    /// Finds what is left over when every record has been entered.
    #[must_use]
    pub fn close(mut self) -> Vec<Finding> {
        let sales = std::mem::take(&mut self.sales);
        self.findings.extend(sales.into_iter().map(|(id, held)| held.stray(id)));
        self.close_visits();
        let captured = std::mem::take(&mut self.captured);
        self.findings.extend(captured.into_values().map(stray_money));
        self.close_memberships();
        self.close_lookups();
        let led_to = std::mem::take(&mut self.led_to).into_iter();
        let lost = led_to.filter(|(customer, _)| !self.customers.contains(customer));
        self.findings.extend(lost.map(|(customer, card_of)| Finding::LostCustomer { customer, card_of }));
        let balances = std::mem::take(&mut self.balances).into_iter();
        self.findings.extend(balances.filter_map(|(count, balance)| balance.finding(count)));
        self.findings
    }
}

/// The sum of amounts; one that does not fit differs from every amount there is.
fn sum(amounts: impl IntoIterator<Item = Money>) -> Money {
    Money::sum(amounts).unwrap_or(Money::from_cents(i64::MIN))
}

#[cfg(test)]
mod tests;
