//! Refunds of what was bought: what is asked for, and what is given back for it (decision records 0069 to 0071).

mod back;
mod relying;

pub use relying::{RelyingOrder, relying};

use super::{
    GivenBack, Order, OrderAmounts, OrderLine, OrderRefund, OrderRefundState, RefundedItem, Row, Ticket,
    TicketStatus, last_admitting,
};
use crate::membership::Membership;
use crate::{
    MembershipId, Money, MoneyOverflow, OrderId, OrderItemId, RefundId, TemplateId, TicketId, Timestamp,
};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

/// Refunds that one order may have.
pub const MAX_ORDER_REFUNDS: usize = 200;

/// A refund as the back office asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundRequest {
    /// The order.
    pub order: OrderId,
    /// What is to be given back.
    pub scope: RefundScope,
    /// The money that is to go back, when not all that was paid for what is given back.
    pub amount: Option<Money>,
    /// Why.
    pub reason: Option<String>,
    /// Whether the visitor is told by mail.
    pub send_email: bool,
}

/// What is to be given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundScope {
    /// All that is left of the order.
    WholeOrder,
    /// These lines, or parts of them.
    Items(Vec<NamedItem>),
}

/// A line that is to be given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedItem {
    /// The line.
    pub item: OrderItemId,
    /// How much of it.
    pub units: Units,
}

/// How much of a line is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Units {
    /// All that is left.
    All,
    /// So many.
    Some(NonZeroU32),
    /// Those of these tickets.
    Tickets(Vec<TicketId>),
}

/// What a refund is decided on.
#[derive(Debug, Clone)]
pub struct RefundFacts<'a> {
    /// The order, which is paid.
    pub order: &'a Order,
    /// Its tickets, as they are now.
    pub tickets: &'a [Ticket],
    /// The memberships of [`memberships_of`], as they are now, by their ids.
    pub memberships: &'a BTreeMap<MembershipId, Membership>,
    /// What templates say in cancellation mails.
    pub messages: &'a BTreeMap<TemplateId, String>,
    /// The identity of the refund.
    pub id: RefundId,
    /// The label of the key it is asked for with.
    pub by: &'a str,
    /// Keyed hash of the request, where that has an idempotency key.
    pub fingerprint: Option<String>,
    /// The moment of the request.
    pub now: Timestamp,
}

/// Where in a request a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The wish for all that is left.
    WholeOrder,
    /// The line at this place.
    Item(usize),
    /// The quantity at this place.
    Quantity(usize),
    /// The ticket at the second place of the line at the first.
    Ticket(usize, usize),
    /// The amount.
    Amount,
}

/// Why something that was named cannot be given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The order has no such line.
    UnknownItem,
    /// The line has no such ticket.
    UnknownTicket,
    /// It is named twice.
    NamedTwice,
    /// Nothing is left of it.
    NothingLeft,
    /// Fewer are left.
    TooMany {
        /// So many.
        left: u32,
    },
    /// It is a part of a combo, which is given back as a whole.
    PartOfCombo,
    /// It has no tickets that can be named one by one.
    WithoutTickets,
    /// The ticket does not admit any more.
    TicketGone(TicketStatus),
    /// The membership was changed after this order, by another one or by the back office.
    MembershipChanged,
    /// More than was paid for what is given back.
    AboveWorth {
        /// What was paid.
        worth: Money,
    },
}

impl Fault {
    /// Whether it is about an id that names nothing.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::UnknownItem | Self::UnknownTicket)
    }
}

/// Why nothing is given back, in order of precedence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundRefused {
    /// Ids name nothing.
    Unknown(Vec<(Place, Fault)>),
    /// Another refund of the order is under way.
    Pending(RefundId),
    /// What was named cannot be given back.
    Faults(Vec<(Place, Fault)>),
    /// More money than remains of what was paid.
    ExceedsRemainder {
        /// What remains.
        remainder: Money,
    },
    /// The order was refunded [`MAX_ORDER_REFUNDS`] times.
    TooManyRefunds,
    /// Its amounts do not add up to one.
    TooLarge,
}

impl From<MoneyOverflow> for RefundRefused {
    fn from(_: MoneyOverflow) -> Self {
        Self::TooLarge
    }
}

/// The memberships that a refund may change: whoever decides it reads them first.
#[must_use]
pub fn memberships_of(order: &Order, scope: &RefundScope) -> BTreeSet<MembershipId> {
    let is_named = |line: &OrderItemId| match scope {
        RefundScope::WholeOrder => true,
        RefundScope::Items(items) => items.iter().any(|named| named.item == *line),
    };
    let named = order.memberships().filter(|line| is_named(&line.id));
    named
        .flat_map(|line| [Some(&line.change.after), line.change.retired.as_ref()])
        .flatten()
        .map(|membership| membership.id)
        .collect()
}

/// Decides what a refund gives back.
///
/// # Errors
/// [`RefundRefused`] with all that stands against it.
pub fn decide_refund(request: &RefundRequest, facts: &RefundFacts<'_>) -> Result<OrderRefund, RefundRefused> {
    let order = facts.order;
    let mut naming = Naming { order, tickets: facts.tickets, faults: Vec::new() };
    let items = naming.items(&request.scope);
    let unknown: Vec<_> = naming.faults.iter().filter(|(_, fault)| fault.is_unknown()).copied().collect();
    if !unknown.is_empty() {
        return Err(RefundRefused::Unknown(unknown));
    }
    if let Some(pending) = order.after_sale.pending() {
        return Err(RefundRefused::Pending(pending.id.clone()));
    }
    let given_back = back::given_back(order, &items, facts);
    let mut faults = naming.faults;
    faults.extend(given_back.as_ref().err().into_iter().flat_map(|moved| places_of(request, moved)));
    let worth = Money::sum(items.iter().map(|item| item.amount))?;
    if faults.is_empty() && request.amount.is_some_and(|amount| amount > worth) {
        faults.push((Place::Amount, Fault::AboveWorth { worth }));
    }
    if !faults.is_empty() {
        return Err(RefundRefused::Faults(faults));
    }
    let amount = request.amount.unwrap_or(worth);
    let remainder = order.charged().checked_sub(order.refunded)?;
    if amount > remainder {
        return Err(RefundRefused::ExceedsRemainder { remainder });
    }
    if order.after_sale.refunds.len() >= MAX_ORDER_REFUNDS {
        return Err(RefundRefused::TooManyRefunds);
    }
    Ok(refund_of(request, facts, amount, items, given_back.unwrap_or_default()))
}

fn refund_of(
    request: &RefundRequest,
    facts: &RefundFacts<'_>,
    amount: Money,
    items: Vec<RefundedItem>,
    given_back: GivenBack,
) -> OrderRefund {
    let mail = request.send_email.then(|| messages_of(facts, &items));
    // Where no money moves, nobody has to be asked.
    let state = match amount.is_zero() {
        true => OrderRefundState::Done { at: facts.now },
        false => OrderRefundState::Pending,
    };
    OrderRefund {
        id: facts.id.clone(),
        number: facts.order.after_sale.version,
        at: facts.now,
        state,
        amount,
        items,
        given_back,
        reason: request.reason.clone(),
        by: facts.by.to_owned(),
        mail,
        fingerprint: facts.fingerprint.clone(),
    }
}

/// What the templates of the tickets that are given back say about it, each thing once.
fn messages_of(facts: &RefundFacts<'_>, items: &[RefundedItem]) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for row in facts.order.rows().filter(|row| items.iter().any(|item| item.item == *row.id())) {
        for line in row.tickets() {
            let words = facts.messages.get(&line.template).map_or("", |words| words.trim());
            if !words.is_empty() && said.iter().all(|known| known != words) {
                said.push(words.to_owned());
            }
        }
    }
    said
}

/// Where the request names lines whose memberships were changed.
fn places_of(request: &RefundRequest, moved: &[OrderItemId]) -> Vec<(Place, Fault)> {
    match &request.scope {
        RefundScope::WholeOrder => vec![(Place::WholeOrder, Fault::MembershipChanged)],
        RefundScope::Items(items) => {
            let places = items.iter().enumerate().filter(|(_, named)| moved.contains(&named.item));
            places.map(|(place, _)| (Place::Item(place), Fault::MembershipChanged)).collect()
        }
    }
}

/// Finds what is named, and notes what cannot be.
struct Naming<'a> {
    order: &'a Order,
    tickets: &'a [Ticket],
    faults: Vec<(Place, Fault)>,
}

impl<'a> Naming<'a> {
    fn items(&mut self, scope: &RefundScope) -> Vec<RefundedItem> {
        match scope {
            RefundScope::WholeOrder => {
                let left = self.order.rows().map(|row| (row, self.order.left_of(row)));
                let left = left.filter(|(_, left)| left.quantity > 0);
                let items: Vec<RefundedItem> =
                    left.map(|(row, left)| self.last_units(row, left, left.quantity)).collect();
                if items.is_empty() {
                    self.faults.push((Place::WholeOrder, Fault::NothingLeft));
                }
                items
            }
            RefundScope::Items(named) => {
                let found = named.iter().enumerate().map(|(place, item)| {
                    let is_twice = named.iter().take(place).any(|other| other.item == item.item);
                    if is_twice {
                        self.faults.push((Place::Item(place), Fault::NamedTwice));
                        return None;
                    }
                    self.item(place, item)
                });
                found.collect::<Vec<_>>().into_iter().flatten().collect()
            }
        }
    }

    fn item(&mut self, place: usize, named: &NamedItem) -> Option<RefundedItem> {
        let Some(row) = self.order.rows().find(|row| row.id() == &named.item) else {
            let is_part = self.order.ticket_lines().any(|line| line.id == named.item);
            let fault = if is_part { Fault::PartOfCombo } else { Fault::UnknownItem };
            self.faults.push((Place::Item(place), fault));
            return None;
        };
        let left = self.order.left_of(row);
        // Tickets that are named say more than that nothing is left of their line.
        if left.quantity == 0 && !matches!(named.units, Units::Tickets(_)) {
            self.faults.push((Place::Item(place), Fault::NothingLeft));
            return None;
        }
        match &named.units {
            Units::All => Some(self.last_units(row, left, left.quantity)),
            Units::Some(units) if units.get() > left.quantity => {
                self.faults.push((Place::Quantity(place), Fault::TooMany { left: left.quantity }));
                None
            }
            Units::Some(units) => Some(self.last_units(row, left, units.get())),
            Units::Tickets(ids) => self.named_tickets(place, row, left, ids),
        }
    }

    /// These tickets of a line.
    fn named_tickets(
        &mut self,
        place: usize,
        row: Row<'a>,
        left: OrderAmounts,
        ids: &[TicketId],
    ) -> Option<RefundedItem> {
        if !has_single_tickets(row) {
            self.faults.push((Place::Item(place), Fault::WithoutTickets));
            return None;
        }
        let before = self.faults.len();
        for (index, id) in ids.iter().enumerate() {
            let ticket = self.tickets.iter().find(|ticket| ticket.id == *id && ticket.line == *row.id());
            let fault = match ticket.map(|ticket| ticket.status) {
                None => Some(Fault::UnknownTicket),
                Some(_) if ids.iter().take(index).any(|other| other == id) => Some(Fault::NamedTwice),
                Some(status) => (!status.admits()).then_some(Fault::TicketGone(status)),
            };
            self.faults.extend(fault.map(|fault| (Place::Ticket(place, index), fault)));
        }
        if self.faults.len() > before {
            return None;
        }
        let quantity = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        let amounts = left.of_units(quantity);
        Some(refunded(row, amounts, ids.to_vec()))
    }

    /// So many units of a line, and the last of its tickets.
    fn last_units(&self, row: Row<'a>, left: OrderAmounts, units: u32) -> RefundedItem {
        let mut tickets = Vec::new();
        for line in row.tickets() {
            let count = match row {
                Row::Sold(OrderLine::Combo(combo)) => combo.part_of(line, units).quantity,
                Row::Sold(
                    OrderLine::Ticket(_)
                    | OrderLine::AddOn(_)
                    | OrderLine::Donation(_)
                    | OrderLine::Membership(_),
                )
                | Row::Moved(_) => units,
            };
            tickets.extend(last_admitting(self.tickets, &line.id, count));
        }
        refunded(row, left.of_units(units), tickets)
    }
}

/// Whether single tickets of a line can be named: those of a combo are given back together.
pub(super) fn has_single_tickets(row: Row<'_>) -> bool {
    match row {
        Row::Moved(_) | Row::Sold(OrderLine::Ticket(_)) => true,
        Row::Sold(
            OrderLine::AddOn(_) | OrderLine::Donation(_) | OrderLine::Combo(_) | OrderLine::Membership(_),
        ) => false,
    }
}

fn refunded(row: Row<'_>, amounts: OrderAmounts, tickets: Vec<TicketId>) -> RefundedItem {
    let OrderAmounts { quantity, amount, retail_amount, .. } = amounts;
    RefundedItem { item: row.id().clone(), quantity, amount, retail_amount, tickets }
}

#[cfg(test)]
pub(crate) mod tests;
