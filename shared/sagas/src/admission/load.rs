//! What doors decide on.

use crate::fault::SagaFault;
use adapters::App;
use domain::admission::{DoorFacts, PickedItem, Scan, SlotTimes, pick, ticket_of_barcode};
use domain::ledger::Ledger;
use domain::order::{Order, ScanType, Ticket};
use domain::tenant::{DoorRules, Tenant};
use domain::{InstanceId, OrderId, Template, TicketBarcode, TicketId, Zone};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use store::StoreError;
use tokio::time::timeout;

/// How long slots are waited for: without them, doors go by the times of the sale.
const SLOTS_PATIENCE: Duration = Duration::from_millis(1_500);

/// Which tickets of an order are meant.
#[derive(Debug, Clone)]
pub enum WantedTickets {
    /// These.
    Ids(Vec<TicketId>),
    /// The one with this barcode.
    Barcode(TicketBarcode),
    /// Those with these barcodes, as far as the order has them, each once.
    Barcodes(Vec<TicketBarcode>),
    /// So many of an order, for the instance that is scanned into.
    Part {
        /// So many of each of these items; without items all.
        items: Option<Vec<PickedItem>>,
        /// On the way in of those that never admitted anybody, on the way out of those whose holders are inside.
        kind: ScanType,
    },
}

/// What is asked at a door of one order.
#[derive(Debug, Clone, Copy)]
pub struct DoorQuestion<'a> {
    /// The order.
    pub order: &'a OrderId,
    /// Its tickets that are meant.
    pub wanted: &'a WantedTickets,
    /// The instance that is scanned into, if one is named.
    pub event: Option<InstanceId>,
}

/// Why there is nothing to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAtDoor {
    /// There is no such order, or it is not paid.
    UnknownOrder,
    /// There is no such instance.
    UnknownEvent,
    /// No ticket of the order has this code.
    UnknownCode,
    /// The order does not have the items at these places.
    UnknownItems(Vec<usize>),
}

/// Whether the instances of the tickets that are meant are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slots {
    /// They are: it counts whether and when they take place.
    Asked,
    /// They are not: what is done does not depend on them.
    Unasked,
}

/// The tickets that are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// In the order in which they were named.
    pub tickets: Vec<TicketId>,
    /// How many more were asked for than are left.
    pub missing: u32,
}

impl Resolved {
    /// What was meant by a request whose scan is written. So many of an order are no longer those that were never
    /// inside.
    pub(super) fn into_recorded(self, question: &DoorQuestion<'_>, scan: &Scan) -> Self {
        match question.wanted {
            WantedTickets::Ids(_) | WantedTickets::Barcode(_) | WantedTickets::Barcodes(_) => self,
            WantedTickets::Part { items, kind: _ } => {
                let tickets: Vec<TicketId> =
                    scan.tickets.iter().map(|scanned| scanned.ticket.clone()).collect();
                let asked = items.iter().flatten().map(|item| item.quantity).fold(0, u32::saturating_add);
                let found = u32::try_from(tickets.len()).unwrap_or(u32::MAX);
                Self { tickets, missing: asked.saturating_sub(found) }
            }
        }
    }
}

/// A paid order with all that a door needs.
#[derive(Debug)]
pub struct DoorOrder {
    /// The order.
    pub order: Order,
    /// Its tickets, as they are now.
    pub tickets: Vec<Ticket>,
    /// Its instances, as far as they were asked.
    pub slots: BTreeMap<InstanceId, SlotTimes>,
    /// The instance that is scanned into, if one was named.
    pub event_ledger: Option<Ledger>,
    /// The venue's templates.
    pub templates: Arc<Vec<Template>>,
    /// The venue's zone.
    pub zone: Zone,
    /// The venue's rules.
    pub rules: DoorRules,
}

impl DoorOrder {
    /// What is decided on.
    #[must_use]
    pub fn facts(&self) -> DoorFacts<'_> {
        DoorFacts {
            order: &self.order,
            tickets: &self.tickets,
            slots: &self.slots,
            templates: &self.templates,
            zone: self.zone,
            rules: self.rules,
        }
    }

    /// With the statuses of its tickets as the order says.
    pub(super) fn with_statuses(mut self) -> Self {
        let statuses = self.order.after_sale.ticket_statuses();
        for ticket in &mut self.tickets {
            if let Some(status) = statuses.get(&ticket.id) {
                ticket.status = *status;
            }
        }
        self
    }
}

/// Reads an order with all that a door needs: the order and the instance that is scanned into at once, and then those
/// instances of its tickets that are others.
///
/// # Errors
/// [`SagaFault`] when orders or catalog do not answer. The inner error is why there is nothing to decide.
pub async fn load_at_door(
    app: &App,
    tenant: &Tenant,
    question: &DoorQuestion<'_>,
) -> Result<Result<(DoorOrder, Resolved), NotAtDoor>, SagaFault> {
    load_with(app, tenant, question, Slots::Asked).await
}

/// [`load_at_door`], with or without the instances of the tickets.
pub(super) async fn load_with(
    app: &App,
    tenant: &Tenant,
    question: &DoorQuestion<'_>,
    asked: Slots,
) -> Result<Result<(DoorOrder, Resolved), NotAtDoor>, SagaFault> {
    let named: BTreeSet<InstanceId> = question.event.into_iter().collect();
    let order = app.store.load_order_with_tickets(tenant.id, question.order);
    let (found, templates, mut ledgers) = tokio::try_join!(order, app.templates(tenant.id), async {
        Ok::<_, StoreError>(load_ledgers(app, tenant, &named).await)
    })?;
    let paid = found.filter(|(order, _)| order.paid_at().is_some());
    let Some((order, tickets)) = paid else { return Ok(Err(NotAtDoor::UnknownOrder)) };
    let event_ledger = question.event.and_then(|event| ledgers.as_ref()?.get(&event).cloned());
    if ledgers.is_some() && event_ledger.is_none() && question.event.is_some() {
        return Ok(Err(NotAtDoor::UnknownEvent));
    }
    let resolved = match resolve(question, &order, &tickets) {
        Ok(resolved) => resolved,
        Err(refused) => return Ok(Err(refused)),
    };
    let instances = match asked {
        Slots::Asked => instances_of(&order, &tickets, &resolved),
        Slots::Unasked => BTreeSet::new(),
    };
    let others: BTreeSet<InstanceId> = instances.difference(&named).copied().collect();
    if !others.is_empty() && ledgers.is_some() {
        let more = load_ledgers(app, tenant, &others).await;
        ledgers = ledgers.zip(more).map(|(known, more)| known.into_iter().chain(more).collect());
    }
    let slots = slots_of(&order, &instances, ledgers.as_ref());
    let (zone, rules) = (tenant.zone, tenant.door);
    let door = DoorOrder { order, tickets, slots, event_ledger, templates, zone, rules };
    Ok(Ok((door, resolved)))
}

fn resolve(question: &DoorQuestion<'_>, order: &Order, tickets: &[Ticket]) -> Result<Resolved, NotAtDoor> {
    let (tickets, missing) = match question.wanted {
        WantedTickets::Ids(ids) => (ids.clone(), 0),
        WantedTickets::Barcode(barcode) => {
            let ticket = ticket_of_barcode(tickets, barcode).ok_or(NotAtDoor::UnknownCode)?;
            (vec![ticket.id.clone()], 0)
        }
        WantedTickets::Barcodes(barcodes) => {
            let mut found: Vec<TicketId> = Vec::new();
            for ticket in barcodes.iter().filter_map(|barcode| ticket_of_barcode(tickets, barcode)) {
                if !found.contains(&ticket.id) {
                    found.push(ticket.id.clone());
                }
            }
            (found, 0)
        }
        WantedTickets::Part { items, kind } => {
            let event = question.event.ok_or(NotAtDoor::UnknownEvent)?;
            let picked = pick(order, tickets, &event, items.as_deref(), *kind);
            if !picked.unknown.is_empty() {
                return Err(NotAtDoor::UnknownItems(picked.unknown));
            }
            (picked.tickets, picked.missing)
        }
    };
    Ok(Resolved { tickets, missing })
}

/// The instances of the tickets that are meant.
fn instances_of(order: &Order, tickets: &[Ticket], resolved: &Resolved) -> BTreeSet<InstanceId> {
    let counting: BTreeSet<&TicketId> = resolved.tickets.iter().map(|id| order.successor_of(id)).collect();
    let meant = tickets.iter().filter(|ticket| counting.contains(&ticket.id));
    meant.filter_map(|ticket| order.line_of(ticket)).map(|line| line.instance).collect()
}

/// The ledgers of these instances, as far as there are any; none where they cannot be asked now.
async fn load_ledgers(
    app: &App,
    tenant: &Tenant,
    instances: &BTreeSet<InstanceId>,
) -> Option<BTreeMap<InstanceId, Ledger>> {
    if instances.is_empty() {
        return Some(BTreeMap::new());
    }
    let load = app.store.load_slots(tenant.id, instances.iter().copied());
    match timeout(SLOTS_PATIENCE, load).await {
        Ok(Ok(ledgers)) => Some(ledgers),
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "slots could not be asked; doors go by the times of the sale");
            None
        }
        Err(_) => {
            tracing::warn!("slots did not answer in time; doors go by the times of the sale");
            None
        }
    }
}

/// The instances as they are now: one that has no ledger any more was deleted. None where they could not be asked.
fn slots_of(
    order: &Order,
    instances: &BTreeSet<InstanceId>,
    ledgers: Option<&BTreeMap<InstanceId, Ledger>>,
) -> BTreeMap<InstanceId, SlotTimes> {
    let Some(ledgers) = ledgers else { return BTreeMap::new() };
    let sold_start = |instance: &InstanceId| {
        let line = order.all_ticket_lines().find(|line| line.instance == *instance);
        line.map_or(instance.start(), |line| line.event_start)
    };
    let slot = |instance: &InstanceId| match ledgers.get(instance) {
        Some(ledger) => SlotTimes::from(ledger),
        None => SlotTimes::gone(sold_start(instance)),
    };
    instances.iter().map(|instance| (*instance, slot(instance))).collect()
}
