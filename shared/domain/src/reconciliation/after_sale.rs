//! What was refunded and exchanged of a paid order, against its lines, tickets, mails and memberships.

use super::fault::{AfterSaleFault, OrderFault};
use super::records::OrderRecords;
use super::{Books, sum};
use crate::order::{Order, OrderLine, OrderRefund, OrderRow, OrderTicketLine, Ticket};
use crate::outbox::{MailKind, MailState, exchange_mail, refund_mail};
use crate::{MembershipId, Money};

/// The memberships that an order has marked as its own to change: those that it renews or moves while it is pending,
/// and those that a refund under way takes back.
pub(super) fn claims_of(order: &Order) -> Vec<MembershipId> {
    use crate::order::OrderState::{Paid, Pending, Void};
    match order.state {
        Pending { .. } => {
            let changed = order.memberships().filter_map(|line| line.change.before.as_ref());
            changed.map(|before| before.id).collect()
        }
        Paid { .. } => {
            let returned = order.after_sale.pending().map(|refund| &refund.releases.memberships);
            returned.into_iter().flatten().map(|returned| returned.before.id).collect()
        }
        Void { .. } => Vec::new(),
    }
}

/// What the records of a paid order say against its refunds and exchanges.
pub(super) fn after_sale_faults(records: &OrderRecords) -> Vec<OrderFault> {
    let after_sale = &records.order.after_sale;
    let mut faults = Vec::new();
    if !after_sale.is_untouched() {
        faults.extend(records.order.rows().filter_map(|row| overdrawn(&records.order, row)));
        faults.extend(exchange_faults(&records.order));
        faults.extend(after_sale.refunds.iter().filter_map(worth_fault));
        let refunds = after_sale.refunds.iter().filter(|refund| refund.is_pending()).count();
        faults.extend((refunds > 1).then_some(AfterSaleFault::Pending { refunds }));
    }
    faults.extend(admission_faults(records));
    let faults = faults.into_iter().map(OrderFault::AfterSale);
    faults.chain(missing_mails(records)).chain(left_out(records)).collect()
}

fn overdrawn(order: &Order, row: OrderRow<'_>) -> Option<AfterSaleFault> {
    let sold = row.amounts();
    let items = order.after_sale.refunds.iter().flat_map(|refund| &refund.items);
    let items = items.filter(|item| item.item == *row.id());
    let refunded = items.map(|item| (item.quantity, item.amount, item.retail_amount));
    let moved = order.after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
    let moved = moved.filter(|moved| moved.from == *row.id()).map(|moved| moved.line.amounts);
    let moved = moved.map(|amounts| (amounts.quantity, amounts.amount, amounts.retail_amount));
    let mut left = Some((sold.quantity, sold.amount, sold.retail_amount));
    for (quantity, amount, retail_amount) in refunded.chain(moved) {
        left = left.and_then(|(units, money, retail)| {
            let money = money.checked_sub(amount).ok().filter(|money| *money >= Money::ZERO)?;
            let retail = retail.checked_sub(retail_amount).ok().filter(|money| *money >= Money::ZERO)?;
            Some((units.checked_sub(quantity)?, money, retail))
        });
    }
    left.is_none().then(|| AfterSaleFault::Overdrawn { line: row.id().clone() })
}

fn exchange_faults(order: &Order) -> impl Iterator<Item = AfterSaleFault> {
    let moved = order.after_sale.exchanges.iter().flat_map(|exchange| &exchange.moved);
    moved.filter_map(|moved| {
        let (units, tickets) = (moved.line.amounts.quantity, moved.tickets.len());
        let is_wrong = usize::try_from(units) != Ok(tickets);
        is_wrong.then(|| AfterSaleFault::Exchanged { line: moved.line.id.clone(), units, tickets })
    })
}

fn worth_fault(refund: &OrderRefund) -> Option<AfterSaleFault> {
    let worth = sum(refund.items.iter().map(|item| item.amount));
    let fault = AfterSaleFault::Worth { refund: refund.id.clone(), amount: refund.amount, worth };
    (refund.amount > worth).then_some(fault)
}

/// The lines that have all their tickets, of which not as many admit as are left.
fn admission_faults(records: &OrderRecords) -> Vec<AfterSaleFault> {
    let order = &records.order;
    let statuses = order.after_sale.ticket_statuses();
    let admits = |ticket: &&Ticket| statuses.get(&ticket.id).unwrap_or(&ticket.status).admits();
    let mut faults = Vec::new();
    for (line, left) in order.rows().flat_map(|row| tickets_left(order, row)) {
        let tickets: Vec<&Ticket> = records.tickets.iter().filter(|ticket| ticket.line == line.id).collect();
        let admitting = count(tickets.iter().filter(|ticket| admits(ticket)).count());
        // Tickets that are not there are found where they are counted.
        if count(tickets.len()) == line.amounts.quantity && admitting != left {
            faults.push(AfterSaleFault::Admitting { line: line.id.clone(), left, admitting });
        }
    }
    faults
}

fn count(tickets: usize) -> u32 {
    u32::try_from(tickets).unwrap_or(u32::MAX)
}

/// The lines with tickets that a row has, with what is left of each.
fn tickets_left<'a>(order: &Order, row: OrderRow<'a>) -> Vec<(&'a OrderTicketLine, u32)> {
    let left = order.left_of(row).quantity;
    match row {
        OrderRow::Sold(OrderLine::Combo(combo)) => {
            combo.parts.iter().map(|part| (part, combo.part_of(part, left).quantity)).collect()
        }
        OrderRow::Sold(
            OrderLine::Ticket(_) | OrderLine::AddOn(_) | OrderLine::Donation(_) | OrderLine::Membership(_),
        )
        | OrderRow::Moved(_) => row.tickets().iter().map(|line| (line, left)).collect(),
    }
}

/// The mails of refunds and exchanges that are not there.
fn missing_mails(records: &OrderRecords) -> impl Iterator<Item = OrderFault> {
    let order = &records.order;
    let done = order.after_sale.refunds.iter().filter(|refund| !refund.is_pending());
    let refunds = done.filter_map(|refund| refund_mail(order, refund));
    let exchanges = order.after_sale.exchanges.iter().filter_map(|exchange| exchange_mail(order, exchange));
    // Whether there was an address to send one to, addresses that were put right since do not say.
    let owed = refunds.chain(exchanges).filter(|_| order.edits.is_untouched());
    let is_there = |kind| records.mails.iter().any(|record| record.mail.kind == kind);
    owed.filter(move |owed| !is_there(owed.kind)).map(|owed| OrderFault::NoMail { mail: owed.kind })
}

/// The mails that were left out though tickets of their exchange admit.
fn left_out(records: &OrderRecords) -> impl Iterator<Item = OrderFault> {
    let mails = records.mails.iter().map(|record| &record.mail);
    let superseded = mails.filter(|mail| matches!(mail.state, MailState::Superseded { .. }));
    let kinds = superseded.map(|mail| mail.kind).filter(|kind| has_admitting_tickets(records, *kind));
    kinds.map(|mail| OrderFault::LeftOut { mail })
}

/// Whether a mail is about an exchange that gave tickets which admit.
fn has_admitting_tickets(records: &OrderRecords, kind: MailKind) -> bool {
    let after_sale = &records.order.after_sale;
    let mut exchanges = after_sale.exchanges.iter();
    let Some(exchange) = exchanges.find(|exchange| kind == MailKind::Exchange(exchange.number)) else {
        return false;
    };
    let statuses = after_sale.ticket_statuses();
    let mut given = records.tickets.iter().filter(|ticket| exchange.gave(ticket));
    given.any(|ticket| statuses.get(&ticket.id).unwrap_or(&ticket.status).admits())
}

impl Books {
    /// Whether the memberships that refunds took back are over, or no longer have the term that was refunded.
    pub(super) fn check_returned_memberships(&mut self, order: &Order) {
        let done = order.after_sale.refunds.iter().filter(|refund| !refund.is_pending());
        let returned = done.flat_map(|refund| {
            refund.releases.memberships.iter().map(move |returned| (&refund.id, returned.after.id))
        });
        let in_force = returned.filter(|(_, membership)| {
            let held = self.memberships.get(membership);
            held.is_some_and(|held| held.in_force.contains(&order.id))
        });
        let faults: Vec<OrderFault> = in_force
            .map(|(refund, membership)| AfterSaleFault::InForce { refund: refund.clone(), membership })
            .map(OrderFault::AfterSale)
            .collect();
        self.find(order, faults);
    }
}
