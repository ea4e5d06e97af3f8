//! Refunds of what was bought: what is asked for, and what is given back for it (decision records 0069 to 0071).

mod release;
mod relying;

pub use relying::{RelyingOrder, relying};

use super::{
    Order, OrderAmounts, OrderLine, OrderRefund, OrderRefundState, OrderRow, RefundReleases, RefundedItem,
    Ticket, TicketStatus, giving_order,
};
use crate::membership::Membership;
use crate::tax::Taxes;
use crate::{
    MembershipId, Money, MoneyOverflow, OrderId, OrderItemId, RefundId, TemplateId, TicketId, Timestamp,
};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

/// Refunds that one order may have.
pub const MAX_ORDER_REFUNDS: usize = 200;

/// A refund as the back office asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRefundRequest {
    pub order: OrderId,
    /// What is to be given back.
    pub scope: RefundScope,
    /// The money that is to go back, when not all that was paid for what is given back.
    pub amount: Option<Money>,
    /// Why.
    pub reason: Option<String>,
    /// Whether the visitor is told by mail.
    pub send_email: bool,
    /// Whether staff insist, although tickets admitted somebody.
    pub force: bool,
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
    /// All that is left but so many, which may be as many as are left.
    AllBut(u32),
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
    pub id: RefundId,
    /// The label of the key it is asked for with.
    pub by: &'a str,
    /// Who asks, where that is said.
    pub operator: Option<&'a str>,
    /// Keyed hash of the request, where that has an idempotency key.
    pub fingerprint: Option<String>,
    /// The moment of the request.
    pub now: Timestamp,
}

/// Where in a request a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefundPlace {
    /// The wish for all that is left.
    WholeOrder,
    /// The line at this place.
    Item(usize),
    /// The quantity at this place.
    Quantity(usize),
    /// The ticket at the second place of the line at the first.
    Ticket(usize, usize),
    Amount,
}

/// Why something that was named cannot be given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundFault {
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
    /// The ticket was admitted.
    Admitted,
    /// Fewer tickets are left that never were.
    OthersAdmitted {
        /// So many.
        never: u32,
    },
    /// The membership was changed after this order, by another one or by the back office.
    MembershipChanged,
    /// More than was paid for what is given back.
    AboveWorth {
        /// What was paid.
        worth: Money,
    },
}

impl RefundFault {
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
    Unknown(Vec<(RefundPlace, RefundFault)>),
    /// Another refund of the order is under way.
    Pending(RefundId),
    /// What was named cannot be given back.
    Faults {
        /// Where, and why not.
        faults: Vec<(RefundPlace, RefundFault)>,
        /// The tickets named that were admitted.
        admitted: Vec<TicketId>,
    },
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

/// Decides what a refund gives back; none where the request keeps all that is left.
///
/// # Errors
/// [`RefundRefused`] with all that stands against it.
pub fn decide_refund(
    request: &OrderRefundRequest,
    facts: &RefundFacts<'_>,
) -> Result<Option<OrderRefund>, RefundRefused> {
    let order = facts.order;
    let mut naming = Naming {
        order,
        tickets: facts.tickets,
        force: request.force,
        faults: Vec::new(),
        admitted: Vec::new(),
    };
    let items = naming.items(&request.scope);
    let unknown: Vec<_> = naming.faults.iter().filter(|(_, fault)| fault.is_unknown()).copied().collect();
    if !unknown.is_empty() {
        return Err(RefundRefused::Unknown(unknown));
    }
    if let Some(pending) = order.after_sale.pending() {
        return Err(RefundRefused::Pending(pending.id.clone()));
    }
    let releases = release::releases(order, &items, facts);
    let Naming { mut faults, admitted, .. } = naming;
    faults.extend(releases.as_ref().err().into_iter().flat_map(|moved| places_of(request, moved)));
    let worth = Money::sum(items.iter().map(|item| item.amount))?;
    if faults.is_empty() && request.amount.is_some_and(|amount| amount > worth) {
        faults.push((RefundPlace::Amount, RefundFault::AboveWorth { worth }));
    }
    if !faults.is_empty() {
        return Err(RefundRefused::Faults { faults, admitted });
    }
    if items.is_empty() {
        return Ok(None);
    }
    let amount = request.amount.unwrap_or(worth);
    let remainder = order.charged().checked_sub(order.refunded)?;
    if amount > remainder {
        return Err(RefundRefused::ExceedsRemainder { remainder });
    }
    if order.after_sale.refunds.len() >= MAX_ORDER_REFUNDS {
        return Err(RefundRefused::TooManyRefunds);
    }
    let taxes = taxes_of(&items, amount, worth)?;
    let paid = PaidBack { amount, taxes };
    Ok(Some(refund_of(request, facts, paid, items, releases.unwrap_or_default())))
}

/// Money that goes back.
struct PaidBack {
    amount: Money,
    /// What it contains.
    taxes: Taxes,
}

/// What money contains of taxes that is given back for these items. Where that is less than they are worth, the rest
/// stays sold with its part of the taxes.
fn taxes_of(items: &[RefundedItem], amount: Money, worth: Money) -> Result<Taxes, MoneyOverflow> {
    let of_items = Taxes::of(items.iter().filter_map(|item| item.tax.clone()))?;
    if worth.is_zero() { Ok(Taxes::default()) } else { of_items.of_part(amount, worth) }
}

fn refund_of(
    request: &OrderRefundRequest,
    facts: &RefundFacts<'_>,
    PaidBack { amount, taxes }: PaidBack,
    items: Vec<RefundedItem>,
    releases: RefundReleases,
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
        taxes,
        releases,
        reason: request.reason.clone(),
        by: facts.by.to_owned(),
        operator: facts.operator.map(str::to_owned),
        mail,
        fingerprint: facts.fingerprint.clone(),
        forced: request.force && has_admitted(facts, &items),
        items,
    }
}

fn has_admitted(facts: &RefundFacts<'_>, items: &[RefundedItem]) -> bool {
    let named = |ticket: &&Ticket| items.iter().any(|item| item.tickets.contains(&ticket.id));
    facts.tickets.iter().filter(named).any(|ticket| facts.order.admission.is_admitted(ticket))
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
fn places_of(request: &OrderRefundRequest, moved: &[OrderItemId]) -> Vec<(RefundPlace, RefundFault)> {
    match &request.scope {
        RefundScope::WholeOrder => vec![(RefundPlace::WholeOrder, RefundFault::MembershipChanged)],
        RefundScope::Items(items) => {
            let places = items.iter().enumerate().filter(|(_, named)| moved.contains(&named.item));
            places.map(|(place, _)| (RefundPlace::Item(place), RefundFault::MembershipChanged)).collect()
        }
    }
}

/// Finds what is named, and notes what cannot be.
struct Naming<'a> {
    order: &'a Order,
    tickets: &'a [Ticket],
    force: bool,
    faults: Vec<(RefundPlace, RefundFault)>,
    admitted: Vec<TicketId>,
}

impl<'a> Naming<'a> {
    fn items(&mut self, scope: &RefundScope) -> Vec<RefundedItem> {
        match scope {
            RefundScope::WholeOrder => {
                let left = self.order.rows().map(|row| (row, self.order.left_of(row)));
                let left = left.filter(|(_, left)| left.quantity > 0);
                let items: Vec<RefundedItem> =
                    left.map(|(row, left)| self.last_units(row, left, left.quantity)).collect();
                self.check_admitted(RefundPlace::WholeOrder, items.iter().flat_map(|item| &item.tickets));
                if items.is_empty() {
                    self.faults.push((RefundPlace::WholeOrder, RefundFault::NothingLeft));
                }
                items
            }
            RefundScope::Items(named) => {
                let found = named.iter().enumerate().map(|(place, item)| {
                    if named.iter().take(place).any(|other| other.item == item.item) {
                        self.faults.push((RefundPlace::Item(place), RefundFault::NamedTwice));
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
            let fault = if is_part { RefundFault::PartOfCombo } else { RefundFault::UnknownItem };
            self.faults.push((RefundPlace::Item(place), fault));
            return None;
        };
        let left = self.order.left_of(row);
        // Tickets that are named say more than that nothing is left of their line, of which nothing may be kept.
        if left.quantity == 0 && !matches!(named.units, Units::Tickets(_) | Units::AllBut(_)) {
            self.faults.push((RefundPlace::Item(place), RefundFault::NothingLeft));
            return None;
        }
        let (at, units) = match &named.units {
            Units::All => (RefundPlace::Item(place), Some(left.quantity)),
            Units::Some(units) => {
                (RefundPlace::Quantity(place), Some(units.get()).filter(|units| *units <= left.quantity))
            }
            Units::AllBut(kept) => (RefundPlace::Item(place), left.quantity.checked_sub(*kept)),
            Units::Tickets(ids) => return self.named_tickets(place, row, left, ids),
        };
        let Some(units) = units else {
            let fault = RefundFault::TooMany { left: left.quantity };
            self.faults.push((RefundPlace::Quantity(place), fault));
            return None;
        };
        (units > 0).then(|| self.some_units(at, row, left, units))
    }

    /// These tickets of a line.
    fn named_tickets(
        &mut self,
        place: usize,
        row: OrderRow<'a>,
        left: OrderAmounts,
        ids: &[TicketId],
    ) -> Option<RefundedItem> {
        if !has_single_tickets(row) {
            self.faults.push((RefundPlace::Item(place), RefundFault::WithoutTickets));
            return None;
        }
        let before = self.faults.len();
        for (index, id) in ids.iter().enumerate() {
            let ticket = self.tickets.iter().find(|ticket| ticket.id == *id && ticket.line == *row.id());
            let fault = match ticket.map(|ticket| ticket.status) {
                None => Some(RefundFault::UnknownTicket),
                Some(_) if ids.iter().take(index).any(|other| other == id) => Some(RefundFault::NamedTwice),
                Some(status) if !status.admits() => Some(RefundFault::TicketGone(status)),
                Some(_) => None,
            };
            if let Some(ticket) = ticket.filter(|_| fault.is_none()) {
                self.check_admitted(RefundPlace::Ticket(place, index), [&ticket.id]);
            }
            self.faults.extend(fault.map(|fault| (RefundPlace::Ticket(place, index), fault)));
        }
        if self.faults.len() > before {
            return None;
        }
        let quantity = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        let amounts = left.of_units(quantity);
        Some(refunded(self.order, row, amounts, ids.to_vec()))
    }

    /// Notes that tickets were admitted, unless staff insist.
    fn check_admitted<'t>(&mut self, place: RefundPlace, ids: impl IntoIterator<Item = &'t TicketId>) {
        if self.force || self.order.admission.is_untouched() {
            return;
        }
        let admissions = &self.order.admission;
        let named: BTreeSet<&TicketId> = ids.into_iter().collect();
        let is_named = |ticket: &&Ticket| named.contains(&ticket.id) && admissions.is_admitted(ticket);
        let admitted: Vec<TicketId> =
            self.tickets.iter().filter(is_named).map(|ticket| ticket.id.clone()).collect();
        if !admitted.is_empty() {
            let never = named.len().saturating_sub(admitted.len());
            let fault = match place {
                RefundPlace::Ticket(_, _) => RefundFault::Admitted,
                RefundPlace::WholeOrder
                | RefundPlace::Item(_)
                | RefundPlace::Quantity(_)
                | RefundPlace::Amount => {
                    RefundFault::OthersAdmitted { never: u32::try_from(never).unwrap_or(u32::MAX) }
                }
            };
            self.faults.push((place, fault));
            self.admitted.extend(admitted);
        }
    }

    /// So many units of a line, of which none was admitted unless staff insist.
    fn some_units(
        &mut self,
        place: RefundPlace,
        row: OrderRow<'a>,
        left: OrderAmounts,
        units: u32,
    ) -> RefundedItem {
        let item = self.last_units(row, left, units);
        self.check_admitted(place, &item.tickets);
        item
    }

    /// So many units of a line, and the last of its tickets; those that were admitted only where there are no others.
    fn last_units(&self, row: OrderRow<'a>, left: OrderAmounts, units: u32) -> RefundedItem {
        let mut tickets = Vec::new();
        for line in row.tickets() {
            let count = match row {
                OrderRow::Sold(OrderLine::Combo(combo)) => combo.part_of(line, units).quantity,
                OrderRow::Sold(
                    OrderLine::Ticket(_)
                    | OrderLine::AddOn(_)
                    | OrderLine::Donation(_)
                    | OrderLine::Membership(_),
                )
                | OrderRow::Moved(_) => units,
            };
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let going = giving_order(&self.order.admission, self.tickets, &line.id).take(count);
            tickets.extend(going.map(|ticket| ticket.id.clone()));
        }
        refunded(self.order, row, left.of_units(units), tickets)
    }
}

/// Whether single tickets of a line can be named: those of a combo are given back together.
pub(super) fn has_single_tickets(row: OrderRow<'_>) -> bool {
    match row {
        OrderRow::Moved(_) | OrderRow::Sold(OrderLine::Ticket(_)) => true,
        OrderRow::Sold(
            OrderLine::AddOn(_) | OrderLine::Donation(_) | OrderLine::Combo(_) | OrderLine::Membership(_),
        ) => false,
    }
}

fn refunded(order: &Order, row: OrderRow<'_>, amounts: OrderAmounts, tickets: Vec<TicketId>) -> RefundedItem {
    let OrderAmounts { quantity, amount, retail_amount, .. } = amounts;
    let tax = order.tax_of(row, amount);
    RefundedItem { item: row.id().clone(), quantity, amount, retail_amount, tax, tickets }
}

#[cfg(test)]
pub(crate) mod tests;
