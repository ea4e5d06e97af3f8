//! Which tickets of an order are meant.

use crate::order::{Order, OrderRow, ScanType, Ticket};
use crate::{InstanceId, OrderItemId, TicketBarcode, TicketId};

/// So many tickets of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickedItem {
    /// The line, or that of a combo.
    pub item: OrderItemId,
    /// How many.
    pub quantity: u32,
}

/// Tickets that were found for what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Picked {
    /// On the way in those that never admitted anybody, on the way out those whose holders are inside; the first ones
    /// first.
    pub tickets: Vec<TicketId>,
    /// How many more were asked for.
    pub missing: u32,
    /// Places of items that the order does not have.
    pub unknown: Vec<usize>,
}

/// So many tickets of each item for an instance: on the way in of those that never admitted anybody and do admit, on the
/// way out of those whose holders are inside. Without items all of them; where all came in already, those that did.
#[must_use]
pub fn pick(
    order: &Order,
    tickets: &[Ticket],
    event: &InstanceId,
    items: Option<&[PickedItem]>,
    kind: ScanType,
) -> Picked {
    let of_row = |row: OrderRow<'_>, is_meant: &dyn Fn(&Ticket) -> bool| -> Vec<TicketId> {
        let lines: Vec<&OrderItemId> =
            row.tickets().iter().filter(|line| line.instance == *event).map(|line| &line.id).collect();
        let own = tickets.iter().filter(|ticket| lines.contains(&&ticket.line) && is_meant(ticket));
        own.map(|ticket| ticket.id.clone()).collect()
    };
    let fresh = |row: OrderRow<'_>| {
        of_row(row, &|ticket: &Ticket| {
            let admission = order.admission.of(ticket);
            match kind {
                ScanType::Entry => {
                    ticket.status.admits() && !admission.is_admitted() && !admission.is_blocked()
                }
                ScanType::Exit => admission.inside,
            }
        })
    };
    let Some(items) = items else {
        let mut found: Vec<TicketId> = order.rows().flat_map(fresh).collect();
        if found.is_empty() && kind == ScanType::Entry {
            let came = |ticket: &Ticket| ticket.status.admits() && order.admission.is_admitted(ticket);
            found = order.rows().flat_map(|row| of_row(row, &came)).collect();
        }
        return Picked { tickets: found, ..Picked::default() };
    };
    let mut picked = Picked::default();
    for (place, wanted) in items.iter().enumerate() {
        let is_meant = |row: &OrderRow<'_>| {
            row.id() == &wanted.item || row.tickets().iter().any(|line| line.id == wanted.item)
        };
        let Some(row) = order.rows().find(is_meant) else {
            picked.unknown.push(place);
            continue;
        };
        let others = fresh(row).into_iter().filter(|id| !picked.tickets.contains(id));
        let count = usize::try_from(wanted.quantity).unwrap_or(usize::MAX);
        let found: Vec<TicketId> = others.take(count).collect();
        let found_count = u32::try_from(found.len()).unwrap_or(u32::MAX);
        picked.missing = picked.missing.saturating_add(wanted.quantity.saturating_sub(found_count));
        picked.tickets.extend(found);
    }
    picked
}

/// The ticket that has a barcode.
#[must_use]
pub fn ticket_of_barcode<'a>(tickets: &'a [Ticket], barcode: &TicketBarcode) -> Option<&'a Ticket> {
    tickets.iter().find(|ticket| ticket.barcode == *barcode)
}
