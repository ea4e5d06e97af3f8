//! Exchanging tickets for others of the same template (decision record 0072).

use super::refund::has_single_tickets;
use super::{Exchange, MovedLine, Order, OrderRow, OrderTicketLine, Ticket, TicketStatus, giving_order};
use crate::cart::AppliedPrice;
use crate::catalog::Template;
use crate::channel::Channel;
use crate::ledger::Ledger;
use crate::sale_window::{DatedSlot, Offer, Sight};
use crate::{
    InstanceId, Money, MoneyOverflow, OrderId, OrderItemId, RefundId, TicketBarcode, TicketId, Timestamp,
    Zone,
};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

/// Exchanges that one order may have.
pub const MAX_EXCHANGES: usize = 50;

/// An exchange as the back office asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeRequest {
    pub order: OrderId,
    /// Which tickets.
    pub scope: ExchangeScope,
    /// The instance they are exchanged for.
    pub event: InstanceId,
    /// What becomes of the fee.
    pub fee: FeeWish,
    /// Whether the visitor gets the new tickets by mail.
    pub send_email: bool,
    /// Whether staff insist, although tickets admitted somebody.
    pub force: bool,
}

/// Which tickets are exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeScope {
    /// These.
    Tickets(Vec<TicketId>),
    /// So many of each of these lines.
    Items(Vec<ExchangeItem>),
}

/// Tickets of one line that are exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeItem {
    /// The line.
    pub item: OrderItemId,
    /// So many of it; none is all that are left.
    pub units: Option<NonZeroU32>,
}

/// What becomes of the fee of an exchange (spec §2.10 `rebookingFee`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeeWish {
    /// It is owed.
    Due,
    /// The venue does without it.
    Waived,
}

/// What an exchange is decided on.
#[derive(Debug)]
pub struct ExchangeFacts<'a> {
    /// The order, which is paid.
    pub order: &'a Order,
    /// Its tickets, as they are now.
    pub tickets: &'a [Ticket],
    /// The template of the instance, as it is now, if the instance is of one.
    pub template: Option<&'a Template>,
    /// The seats of the instance, if there is one.
    pub ledger: Option<&'a Ledger>,
    /// The tenant's zone, whose days those of visits are.
    pub zone: Zone,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangePlace {
    /// The line at this place.
    Item(usize),
    /// The number of units at this place.
    Quantity(usize),
    /// The ticket at this place.
    Ticket(usize),
    /// The instance.
    Event,
}

/// Why an exchange is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeFault {
    /// The id names nothing of the order, or no instance.
    Unknown,
    /// It is named twice.
    NamedTwice,
    /// Fewer are left.
    TooMany {
        /// So many.
        left: u32,
    },
    /// Tickets of a combo are not exchanged.
    PartOfCombo,
    /// The line has no tickets.
    WithoutTickets,
    /// The ticket does not admit any more.
    TicketGone(TicketStatus),
    /// It was admitted, or fewer tickets are left that were not.
    Admitted,
    /// The instance is of another template than the tickets.
    OtherTemplate,
    /// The tickets are for this very instance.
    SameEvent,
    /// The ticket type costs something else there, or is not sold there.
    OtherPrice,
    /// The tickets have a member's price, which is for the day of the visit.
    OtherDay,
}

/// Why nothing is exchanged, in order of precedence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeRefused {
    /// Ids name nothing.
    Unknown(Vec<ExchangePlace>),
    /// A refund of the order is under way.
    Pending(RefundId),
    /// What was named is not exchanged so.
    Faults {
        /// Where, and why not.
        faults: Vec<(ExchangePlace, ExchangeFault)>,
        /// The tickets named that were admitted.
        admitted: Vec<TicketId>,
    },
    /// The instance is cancelled or its sales are over.
    Closed,
    /// Fewer seats are left.
    NotEnough {
        /// So many.
        available: u32,
    },
    /// The order had [`MAX_EXCHANGES`] exchanges.
    TooManyExchanges,
    /// The fee does not fit an amount.
    TooLarge,
}

impl From<MoneyOverflow> for ExchangeRefused {
    fn from(_: MoneyOverflow) -> Self {
        Self::TooLarge
    }
}

/// An exchange that was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedExchange {
    /// What the order lists.
    pub exchange: Exchange,
    /// The new tickets.
    pub tickets: Vec<Ticket>,
    /// Seats that come back.
    pub back: BTreeMap<InstanceId, u32>,
    /// Seats that are taken of the new instance.
    pub taken: u32,
}

/// The identities that an exchange needs.
pub trait Generate {
    /// What goes wrong.
    type Error;

    /// The identity of a line.
    ///
    /// # Errors
    /// When there is no randomness.
    fn item(&mut self) -> Result<OrderItemId, Self::Error>;

    /// Identity and barcode of a ticket.
    ///
    /// # Errors
    /// When there is no randomness.
    fn ticket(&mut self) -> Result<(TicketId, TicketBarcode), Self::Error>;
}

/// Tickets of one line that are exchanged.
struct Leaving<'a> {
    row: OrderRow<'a>,
    line: &'a OrderTicketLine,
    tickets: Vec<TicketId>,
}

/// Decides an exchange, but for the identities of what is new.
///
/// # Errors
/// [`ExchangeRefused`] with all that stands against it; the outer error is that of `generate`.
pub fn decide_exchange<D: Generate>(
    request: &ExchangeRequest,
    facts: &ExchangeFacts<'_>,
    generate: &mut D,
) -> Result<Result<DecidedExchange, ExchangeRefused>, D::Error> {
    let (leaving, template, ledger) = match checked(request, facts) {
        Ok(checked) => checked,
        Err(refused) => return Ok(Err(refused)),
    };
    let fee = template.venue.rebooking_fee.unwrap_or(Money::ZERO);
    let Ok(fee) = fee.checked_mul(count(&leaving)) else { return Ok(Err(ExchangeRefused::TooLarge)) };
    let mut exchange = Exchange {
        number: facts.order.after_sale.version,
        at: facts.now,
        by: facts.by.to_owned(),
        operator: facts.operator.map(str::to_owned),
        moved: Vec::with_capacity(leaving.len()),
        fee,
        waived: request.fee == FeeWish::Waived && !fee.is_zero(),
        mailed: request.send_email,
        fingerprint: facts.fingerprint.clone(),
        forced: request.force && !admitted_among(&leaving, facts).is_empty(),
    };
    let (mut tickets, mut back) = (Vec::new(), BTreeMap::new());
    for Leaving { row, line, tickets: old } in &leaving {
        let units = u32::try_from(old.len()).unwrap_or(u32::MAX);
        let seats: &mut u32 = back.entry(line.instance).or_default();
        *seats = seats.saturating_add(units);
        let amounts = facts.order.left_of(*row).of_units(units);
        let moved = OrderTicketLine {
            id: generate.item()?,
            instance: request.event,
            shard: 0,
            event_name: template.name.clone(),
            event_start: ledger.start,
            amounts,
            tax: facts.order.tax_of(*row, amounts.amount),
            ..(*line).clone()
        };
        for _ in old {
            let (id, barcode) = generate.ticket()?;
            let line = moved.id.clone();
            tickets.push(Ticket { id, barcode, line, status: TicketStatus::Normal, printed: false });
        }
        let from = row.id().clone();
        exchange.moved.push(MovedLine { from, tickets: old.clone(), line: moved, successors: Vec::new() });
    }
    Ok(Ok(DecidedExchange { exchange, tickets, back, taken: count(&leaving) }))
}

fn count(leaving: &[Leaving<'_>]) -> u32 {
    let tickets: usize = leaving.iter().map(|leaving| leaving.tickets.len()).sum();
    u32::try_from(tickets).unwrap_or(u32::MAX)
}

/// What is exchanged, and for what.
fn checked<'a>(
    request: &ExchangeRequest,
    facts: &ExchangeFacts<'a>,
) -> Result<(Vec<Leaving<'a>>, &'a Template, &'a Ledger), ExchangeRefused> {
    let (leaving, mut faults) = named(&request.scope, facts);
    let admitted = if request.force { Vec::new() } else { admitted_among(&leaving, facts) };
    let known = facts.template.zip(facts.ledger.filter(|ledger| ledger.exists()));
    let mut unknown: Vec<ExchangePlace> = Vec::new();
    let is_unknown = |(_, fault): &&(ExchangePlace, ExchangeFault)| *fault == ExchangeFault::Unknown;
    unknown.extend(faults.iter().filter(is_unknown).map(|(place, _)| *place));
    let Some((template, ledger)) = known else {
        unknown.push(ExchangePlace::Event);
        return Err(ExchangeRefused::Unknown(unknown));
    };
    if !unknown.is_empty() {
        return Err(ExchangeRefused::Unknown(unknown));
    }
    if let Some(pending) = facts.order.after_sale.pending() {
        return Err(ExchangeRefused::Pending(pending.id.clone()));
    }
    faults.extend(places_of(&request.scope, &leaving, &admitted));
    let mut of_event: Vec<ExchangeFault> = Vec::new();
    for fault in leaving.iter().flat_map(|leaving| event_faults(leaving.line, template, ledger, facts)) {
        if !of_event.contains(&fault) {
            of_event.push(fault);
        }
    }
    faults.extend(of_event.into_iter().map(|fault| (ExchangePlace::Event, fault)));
    if !faults.is_empty() {
        return Err(ExchangeRefused::Faults { faults, admitted });
    }
    let slot = DatedSlot::of(template, ledger, facts.now);
    let available = slot.available_seats;
    // The back office exchanges on every channel.
    let sight = Sight { visible: true, channel_enabled: true, zone: facts.zone };
    if let Offer::NotListed(_) = slot.offer(sight, facts.now) {
        return Err(ExchangeRefused::Closed);
    }
    if available < count(&leaving) {
        return Err(ExchangeRefused::NotEnough { available });
    }
    if facts.order.after_sale.exchanges.len() >= MAX_EXCHANGES {
        return Err(ExchangeRefused::TooManyExchanges);
    }
    Ok((leaving, template, ledger))
}

type Faults = Vec<(ExchangePlace, ExchangeFault)>;

/// Those of the tickets that were admitted.
fn admitted_among(leaving: &[Leaving<'_>], facts: &ExchangeFacts<'_>) -> Vec<TicketId> {
    if facts.order.admission.is_untouched() {
        return Vec::new();
    }
    let named: BTreeSet<&TicketId> = leaving.iter().flat_map(|leaving| &leaving.tickets).collect();
    let is_named = |ticket: &&Ticket| named.contains(&ticket.id) && facts.order.admission.is_admitted(ticket);
    facts.tickets.iter().filter(is_named).map(|ticket| ticket.id.clone()).collect()
}

/// Where a request names tickets that were admitted.
fn places_of(scope: &ExchangeScope, leaving: &[Leaving<'_>], admitted: &[TicketId]) -> Faults {
    let has_admitted = |wanted: &ExchangeItem| {
        let mut own = leaving.iter().filter(|one| *one.row.id() == wanted.item);
        own.any(|one| one.tickets.iter().any(|ticket| admitted.contains(ticket)))
    };
    let places: Vec<ExchangePlace> = match scope {
        ExchangeScope::Tickets(ids) => {
            let named = ids.iter().enumerate().filter(|(_, id)| admitted.contains(id));
            named.map(|(place, _)| ExchangePlace::Ticket(place)).collect()
        }
        ExchangeScope::Items(items) => {
            let named = items.iter().enumerate().filter(|(_, wanted)| has_admitted(wanted));
            let place = |(place, wanted): (usize, &ExchangeItem)| match wanted.units {
                Some(_) => ExchangePlace::Quantity(place),
                None => ExchangePlace::Item(place),
            };
            named.map(place).collect()
        }
    };
    places.into_iter().map(|place| (place, ExchangeFault::Admitted)).collect()
}

/// The tickets that are named, by their lines.
fn named<'a>(scope: &ExchangeScope, facts: &ExchangeFacts<'a>) -> (Vec<Leaving<'a>>, Faults) {
    match scope {
        ExchangeScope::Tickets(ids) => named_tickets(ids, facts),
        ExchangeScope::Items(items) => named_items(items, facts),
    }
}

fn named_items<'a>(items: &[ExchangeItem], facts: &ExchangeFacts<'a>) -> (Vec<Leaving<'a>>, Faults) {
    let (mut leaving, mut faults) = (Vec::new(), Faults::new());
    for (place, wanted) in items.iter().enumerate() {
        if items.iter().take(place).any(|other| other.item == wanted.item) {
            faults.push((ExchangePlace::Item(place), ExchangeFault::NamedTwice));
            continue;
        }
        match some_of_item(place, wanted, facts) {
            Ok(found) => leaving.push(found),
            Err(fault) => faults.push(fault),
        }
    }
    (leaving, faults)
}

fn some_of_item<'a>(
    place: usize,
    wanted: &ExchangeItem,
    facts: &ExchangeFacts<'a>,
) -> Result<Leaving<'a>, (ExchangePlace, ExchangeFault)> {
    let ExchangeItem { item, units } = wanted;
    let Some(row) = facts.order.rows().find(|row| row.id() == item) else {
        let is_part = facts.order.ticket_lines().any(|line| line.id == *item);
        let fault = if is_part { ExchangeFault::PartOfCombo } else { ExchangeFault::Unknown };
        return Err((ExchangePlace::Item(place), fault));
    };
    let line = match row.tickets() {
        [line] if has_single_tickets(row) => line,
        [] => return Err((ExchangePlace::Item(place), ExchangeFault::WithoutTickets)),
        _ => return Err((ExchangePlace::Item(place), ExchangeFault::PartOfCombo)),
    };
    let left = facts.order.left_of(row).quantity;
    let units = units.map_or(left, NonZeroU32::get);
    if units > left || left == 0 {
        return Err((ExchangePlace::Quantity(place), ExchangeFault::TooMany { left }));
    }
    let count = usize::try_from(units).unwrap_or(usize::MAX);
    let going = giving_order(&facts.order.admission, facts.tickets, item).take(count);
    Ok(Leaving { row, line, tickets: going.map(|ticket| ticket.id.clone()).collect() })
}

fn named_tickets<'a>(ids: &[TicketId], facts: &ExchangeFacts<'a>) -> (Vec<Leaving<'a>>, Faults) {
    let (mut leaving, mut faults) = (Vec::<Leaving<'a>>::new(), Faults::new());
    for (place, id) in ids.iter().enumerate() {
        let place_of = ExchangePlace::Ticket(place);
        let ticket = facts.tickets.iter().find(|ticket| ticket.id == *id);
        let row = ticket.and_then(|ticket| {
            facts.order.rows().find(|row| row.tickets().iter().any(|line| line.id == ticket.line))
        });
        let (Some(ticket), Some(row)) = (ticket, row) else {
            faults.push((place_of, ExchangeFault::Unknown));
            continue;
        };
        let line = match row.tickets() {
            [line] if has_single_tickets(row) => line,
            _ => {
                faults.push((place_of, ExchangeFault::PartOfCombo));
                continue;
            }
        };
        if ids.iter().take(place).any(|other| other == id) {
            faults.push((place_of, ExchangeFault::NamedTwice));
            continue;
        }
        if !ticket.status.admits() {
            faults.push((place_of, ExchangeFault::TicketGone(ticket.status)));
            continue;
        }
        match leaving.iter_mut().find(|known| known.line.id == line.id) {
            Some(known) => known.tickets.push(id.clone()),
            None => leaving.push(Leaving { row, line, tickets: vec![id.clone()] }),
        }
    }
    (leaving, faults)
}

/// Why tickets of a line are not good for the instance.
fn event_faults(
    line: &OrderTicketLine,
    template: &Template,
    ledger: &Ledger,
    facts: &ExchangeFacts<'_>,
) -> Vec<ExchangeFault> {
    if line.template != template.id {
        return vec![ExchangeFault::OtherTemplate];
    }
    if line.instance == ledger.instance {
        return vec![ExchangeFault::SameEvent];
    }
    let mut faults = Vec::new();
    let price = |instance: &InstanceId| {
        let list = template.price_list(template.schedule_of(instance), facts.now)?;
        list.price_of(&line.ticket_type, Channel::Online).map(|price| (price.price, price.discounted()))
    };
    let there = price(&ledger.instance);
    if there.is_none() || there != price(&line.instance) {
        faults.push(ExchangeFault::OtherPrice);
    }
    let is_members = matches!(line.applied, Some(AppliedPrice::Member { .. }));
    if is_members && facts.zone.date(line.event_start) != facts.zone.date(ledger.start) {
        faults.push(ExchangeFault::OtherDay);
    }
    faults
}

#[cfg(test)]
mod tests;
