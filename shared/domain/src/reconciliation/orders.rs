//! An order against its lines, tickets, mails, customer and deadline.

use super::after_sale::{after_sale_faults, claims_of};
use super::fault::{Belonging, OrderFault};
use super::finding::Finding;
use super::records::{MailRecord, OrderRecords, fingerprint};
use super::{Books, Seller, sum};
use crate::order::{LateMoney, Order, OrderLine, OrderState};
use crate::outbox::{MailKind, MailState, OutboxMail, mails_of};
use crate::{OrderItemId, Timestamp};
use std::collections::BTreeMap;

impl Books {
    /// Enters an order with all that shares its place, after the sales, payments, memberships and customers.
    pub fn enter_order(&mut self, records: &OrderRecords) {
        let order = &records.order;
        let (tickets, mails) = (records.tickets.len(), records.mails.len());
        self.checked.orders = self.checked.orders.saturating_add(1);
        self.checked.tickets = self.checked.tickets.saturating_add(tickets.try_into().unwrap_or(u64::MAX));
        self.checked.mails = self.checked.mails.saturating_add(mails.try_into().unwrap_or(u64::MAX));
        self.checked.disputes = self.checked.disputes.saturating_add(u64::from(order.dispute.is_some()));
        let undelivered = u64::try_from(order.undelivered_refunds().count()).unwrap_or(u64::MAX);
        self.checked.failed_refunds = self.checked.failed_refunds.saturating_add(undelivered);
        self.add_uses(order);
        self.find(order, amount_faults(order));
        self.find(order, due_faults(records));
        self.expect_lookups(order, &records.lookups);
        self.check_money(order);
        match order.state {
            OrderState::Paid { .. } => {
                self.find(order, ticket_faults(records));
                self.find(order, missing_mails(records));
                self.check_repeated(records);
                self.check_customer(order);
                self.find(order, after_sale_faults(records));
                self.check_sold_memberships(order);
                self.check_returned_memberships(order);
                self.check_claims(order);
                self.note_seller(order);
            }
            OrderState::Pending { deadline } => {
                self.find(order, self.overdue(order, deadline));
                self.find(order, belongings(records));
                self.check_unsold_memberships(order);
                self.check_claims(order);
                self.note_seller(order);
            }
            OrderState::Void { .. } => {
                let late = order.late_money.as_ref().and_then(LateMoney::deadline);
                self.find(order, late.and_then(|deadline| self.overdue(order, deadline)));
                self.find(order, belongings(records));
                self.check_unsold_memberships(order);
                self.note_seller(order);
            }
        }
    }

    pub(super) fn find(&mut self, order: &Order, faults: impl IntoIterator<Item = OrderFault>) {
        let faults = faults.into_iter().map(|fault| Finding::Order(order.id.clone(), fault));
        self.findings.extend(faults);
    }

    fn overdue(&self, order: &Order, deadline: Timestamp) -> Option<OrderFault> {
        self.is_overdue(deadline, order.chosen_clock).then_some(OrderFault::Overdue { deadline })
    }

    fn note_seller(&mut self, order: &Order) {
        if order.memberships().next().is_some() {
            let seller = Seller { is_paid: order.paid_at().is_some(), claims: claims_of(order) };
            self.sellers.insert(order.id.clone(), seller);
        }
    }

    fn check_customer(&mut self, order: &Order) {
        let unknown = order.customer.filter(|customer| !self.customers.contains(customer));
        self.find(order, unknown.map(|customer| OrderFault::NoCustomer { customer }));
    }

    /// Whether an id or a barcode of its tickets has been seen before.
    fn check_repeated(&mut self, records: &OrderRecords) {
        for ticket in &records.tickets {
            let (id, barcode) = (fingerprint(ticket.id.as_str()), fingerprint(ticket.barcode.as_str()));
            let seen = [(self.ticket_ids.insert(id), id), (self.barcodes.insert(barcode), barcode)];
            for (_, mark) in seen.into_iter().filter(|(is_new, _)| !is_new) {
                let (order, ticket) = (records.order.id.clone(), ticket.id.clone());
                self.findings.push(Finding::Repeated { order, ticket, other: None, mark });
            }
        }
    }
}

fn amount_faults(order: &Order) -> Vec<OrderFault> {
    let mut faults = Vec::new();
    let (total, lines) = (order.total, sum(order.lines.iter().map(|line| line.amounts().amount)));
    if lines != total {
        faults.push(OrderFault::Total { total, lines });
    }
    if let Some(payment) = order.payment.as_ref().filter(|payment| payment.amount != total) {
        faults.push(OrderFault::Charge { total, charge: payment.amount });
    }
    for line in &order.lines {
        match line {
            OrderLine::Combo(combo) => {
                let parts = sum(combo.parts.iter().map(|part| part.amounts.amount));
                let (line, amount) = (combo.id.clone(), combo.amounts.amount);
                faults.extend((parts != amount).then_some(OrderFault::Parts { line, amount, parts }));
            }
            OrderLine::Ticket(_)
            | OrderLine::AddOn(_)
            | OrderLine::Donation(_)
            | OrderLine::Membership(_) => {}
        }
    }
    faults
}

/// The schedule takes up what is pending, an order or the return of its money, from its deadline on or later where it was
/// tried in vain, and nothing else.
fn due_faults(records: &OrderRecords) -> Vec<OrderFault> {
    let deadline = match records.order.state {
        OrderState::Pending { deadline } => Some(deadline),
        OrderState::Void { .. } => records.order.late_money.as_ref().and_then(LateMoney::deadline),
        OrderState::Paid { .. } => None,
    };
    let deadline = deadline.map(|deadline| deadline.timestamp());
    let due_at = records.due_at;
    let is_right = match (deadline, due_at) {
        // An event of the processor's has the schedule look before that.
        (Some(deadline), Some(due_at)) => due_at >= deadline || records.order.challenge.is_some(),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let of_order = (!is_right).then_some(OrderFault::Due { deadline, due_at });
    let wrong = records.mails.iter().filter(|record| record.is_due != is_waiting(record.mail.state));
    let of_mail = |record: &MailRecord| OrderFault::MailDue { mail: record.mail.kind, is_due: record.is_due };
    of_order.into_iter().chain(wrong.map(of_mail)).collect()
}

/// Whether a mail has to be enqueued again should nobody send it.
fn is_waiting(state: MailState) -> bool {
    match state {
        MailState::Queued | MailState::Claimed { .. } => true,
        MailState::Sent { .. } | MailState::Refused { .. } | MailState::Superseded { .. } => false,
    }
}

/// The tickets of each line, those that do not admit any more included, and those of lines that have none.
fn ticket_faults(records: &OrderRecords) -> Vec<OrderFault> {
    let mut tickets: BTreeMap<&OrderItemId, (u32, u32)> = BTreeMap::new();
    for line in records.order.rows().flat_map(|row| row.tickets()) {
        tickets.entry(&line.id).or_default().0 = line.amounts.quantity;
    }
    for ticket in &records.tickets {
        let (_, found) = tickets.entry(&ticket.line).or_default();
        *found = found.saturating_add(1);
    }
    let wrong = tickets.into_iter().filter(|(_, (sold, found))| sold != found);
    wrong.map(|(line, (sold, found))| OrderFault::Tickets { line: line.clone(), sold, found }).collect()
}

/// Which mails an order owes follows from its addresses as they were when it was paid.
fn missing_mails(records: &OrderRecords) -> Vec<OrderFault> {
    if !records.order.edits.is_untouched() {
        return Vec::new();
    }
    let is_there = |owed: &OutboxMail| records.mails.iter().any(|record| record.mail.kind == owed.kind);
    let missing = mails_of(&records.order).into_iter().filter(|owed| !is_there(owed));
    missing.map(|owed| OrderFault::NoMail { mail: owed.kind }).collect()
}

/// What an order has that only a paid one may have.
fn belongings(records: &OrderRecords) -> impl Iterator<Item = OrderFault> {
    let of_tickets = (!records.tickets.is_empty()).then_some(Belonging::Tickets(records.tickets.len()));
    // Of money that was returned, a mail says so.
    let is_returned = records.order.late_money.as_ref().is_some_and(|late| late.returned_at().is_some());
    let is_owed = move |kind: MailKind| kind == MailKind::LateMoney && is_returned;
    let strange = records.mails.iter().filter(move |record| !is_owed(record.mail.kind));
    let of_mails = strange.map(|record| Belonging::Mail(record.mail.kind));
    of_tickets.into_iter().chain(of_mails).map(|has| OrderFault::NotPaid { has })
}
