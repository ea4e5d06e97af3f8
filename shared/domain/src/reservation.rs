//! Reservations: seats set aside while their tickets lie in a cart (spec §2.13 and §4.5, contract §8).
//!
//! A reservation is two things. The record says what was asked for, by which ids and until when. The holds in
//! the capacity ledgers of its slots are the seats themselves and the only truth about what is still held: a
//! record none of whose holds is live is as good as deleted, whatever else it says.
//!
//! # Choices where the specification is silent
//!
//! - A hold ends on a whole second, so that the instant a caller is shown is exactly the one at which the hold
//!   is dead.
//! - `PUT` without `expirationTimestamp` keeps the expiry. A later one extends up to [`MAX_HOLD_SECS`] after
//!   creation, an earlier one shortens, and one that is not in the future is a fault of the field: giving
//!   seats back is what `DELETE` is for.
//! - Differences are applied: only an increase asks whether the slot is on sale and has room, so that staff can
//!   keep, extend and reduce what they hold after sales have closed.
//! - Seats are held for staff whatever the sales channels of the slot, and for private events too. A storefront
//!   holds seats of what its channel sells; whether a visitor may buy them, such as at an event for members, carts
//!   and checkouts decide.
//! - A reservation without items holds nothing; it lives until its expiry like any other.

mod update;

pub use update::{Update, decide_update};

use crate::buyer::Buyer;
use crate::ledger::{Hold, Ledger, LedgerChange, LedgerRefusal, LedgerTransition};
use crate::listing::{Audience, TemplateFilter};
use crate::sale_window::{DatedSlot, Offer, Sight};
use crate::tenant::{MAX_HOLD_SECS, Scope};
use crate::time::Zone;
use crate::time::plus_secs;
use crate::{Channel, InstanceId, ReservationId, ReservationItemId, Template, Timestamp};
use chrono::SubsecRound;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Events one reservation may hold seats of.
pub const MAX_EVENTS: usize = 50;

/// Seats one reservation may hold of one event (contract §8).
pub const MAX_QUANTITY: u32 = 999;

/// Events a storefront may hold seats of for one visitor.
pub const MAX_EVENTS_OF_VISITOR: usize = 20;

/// Seats a storefront may hold for one visitor, of all events together.
pub const MAX_SEATS_OF_VISITOR: u32 = 200;

/// How long the request that made a reservation can be repeated, in seconds.
const REPEATABLE_SECS: i64 = 24 * 3_600;

/// Events whose seats one update may change: one transaction with the record itself.
const MAX_CHANGED_EVENTS: usize = 99;

/// The seats of one event within a reservation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservationItem {
    /// Kept as long as the reservation has seats of the event.
    pub id: ReservationItemId,
    /// The event instance.
    pub instance: InstanceId,
    /// Seats, 1 to [`MAX_QUANTITY`].
    pub quantity: u32,
}

/// What is held, and until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservationTerms {
    /// From this instant on nothing is held. A whole second.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub expires_at: Timestamp,
    /// In the caller's order, each event once.
    pub items: Vec<ReservationItem>,
}

/// The record of a reservation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// Identity; also names its holds in the ledgers.
    pub id: ReservationId,
    /// When it was made; the expiry is capped from here.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub created_at: Timestamp,
    /// As last asked for.
    pub terms: ReservationTerms,
    /// As first answered, once they were changed: what a repetition of the first request is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<ReservationTerms>,
    /// Counts the writes of the record.
    pub revision: u32,
    /// Its release was asked for; no repetition of an earlier request may hold seats again.
    #[serde(default)]
    pub released: bool,
    /// Its seats were held once, by a request with an idempotency key; no repetition of it may hold them again,
    /// whatever has become of the holds since.
    #[serde(default)]
    pub placed: bool,
    /// Of the request that made it, when that had an idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// What the key of the storefront that made it is for; none where staff made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storefront: Option<Scope>,
    /// Who made it, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Who changed it last, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
}

/// Seats of one event that a caller asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedItem {
    /// The event instance.
    pub instance: InstanceId,
    /// Seats, 1 to [`MAX_QUANTITY`].
    pub quantity: u32,
    /// Place of the first line of the request that names the event.
    pub line: usize,
}

/// What a caller wants a reservation to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservationChange {
    /// Which one.
    pub id: ReservationId,
    /// The expiry asked for; none keeps it.
    pub expires_at: Option<Timestamp>,
    /// What is to be held; what is not named is released.
    pub items: Vec<WantedItem>,
    /// The item ids the caller sent, each with its line.
    pub named: Vec<(usize, ReservationItemId)>,
}

/// Why a reservation is not made or changed, in order of precedence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReservationRefusal {
    /// It does not exist, or holds nothing any more.
    NotLive,
    /// These lines name items the reservation does not have.
    UnknownItems(Vec<usize>),
    /// The expiry asked for is not in the future.
    ExpiryPast,
    /// More events change at once than one transaction can change.
    TooManyEvents,
    /// These lines name events that do not exist.
    UnknownEvents(Vec<usize>),
    /// The events of these lines are cancelled or not on sale any more.
    SalesClosed(Vec<usize>),
    /// The events of these lines have fewer seats left.
    NotEnough(Vec<SeatShortage>),
    /// An event has too many live holds: retryable.
    TooManyHolds,
}

/// An event that has fewer seats left than asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeatShortage {
    /// The line that asked.
    pub line: usize,
    /// The event.
    pub instance: InstanceId,
    /// Seats the reservation could hold at most.
    pub available: u32,
}

/// The slots a reservation is about.
#[derive(Debug, Clone, Copy)]
pub struct Slots<'a> {
    /// Their ledgers, as far as they are known; a slot that is asked for and has none does not exist.
    pub ledgers: &'a BTreeMap<InstanceId, Ledger>,
    /// The tenant's templates.
    pub templates: &'a [Template],
    /// The tenant's zone.
    pub zone: Zone,
    /// Where seats are sold that are newly held; none of staff, who hold them for every channel.
    pub channel: Option<Channel>,
}

/// What is done to each ledger; never empty changes.
pub type LedgerChanges = BTreeMap<InstanceId, LedgerChange>;

/// The next write towards what a caller wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReservationStep {
    /// All of it, in one transaction.
    Commit(LedgerChanges),
    /// First take expired holds of one ledger back, then decide again.
    Reclaim(InstanceId, LedgerChange),
}

impl Slots<'_> {
    /// True when seats of a slot can be had at `now`, as far as its template and state have a say.
    #[must_use]
    pub fn on_sale(&self, ledger: &Ledger, now: Timestamp) -> bool {
        let Some(template) = self.templates.iter().find(|template| template.id == ledger.template) else {
            return false;
        };
        let sight = Sight {
            visible: true,
            channel_enabled: self.channel.is_none_or(|channel| self.sells(template, ledger, channel, now)),
            zone: self.zone,
        };
        match DatedSlot::of(template, ledger, now).offer(sight, now) {
            Offer::NotListed(_) => false,
            Offer::SoldOut | Offer::OnSale { seats: _ } => true,
        }
    }

    /// Whether template, schedule and a price in force sell a slot on a channel.
    fn sells(&self, template: &Template, ledger: &Ledger, channel: Channel, now: Timestamp) -> bool {
        let anybody = Buyer::default();
        let audience =
            Audience { channel, types: TemplateFilter::All, buyer: &anybody, zone: self.zone, now };
        audience.sells(template, template.schedule_of(&ledger.instance))
    }
}

/// Whether these are more events or seats than a storefront may hold for one visitor.
#[must_use]
pub fn is_too_much_for_a_visitor(wanted: &[WantedItem]) -> bool {
    wanted.len() > MAX_EVENTS_OF_VISITOR || seats_of(wanted) > MAX_SEATS_OF_VISITOR
}

/// The seats of all these events together.
#[must_use]
pub fn seats_of(wanted: &[WantedItem]) -> u32 {
    wanted.iter().map(|item| item.quantity).fold(0, u32::saturating_add)
}

/// The circumstances in which a reservation is made.
#[derive(Debug, Clone)]
pub struct ReservationContext {
    /// When.
    pub now: Timestamp,
    /// How long the tenant holds seats, in seconds.
    pub hold_secs: u32,
    /// Of the request, when it has an idempotency key.
    pub fingerprint: Option<String>,
    /// What the key of the storefront that makes it is for; none where staff make it.
    pub storefront: Option<Scope>,
    /// Who makes it, where that is said.
    pub operator: Option<String>,
}

impl Reservation {
    /// A new reservation of these events. `item_ids` has an id for each.
    #[must_use]
    pub fn begin(
        id: ReservationId,
        wanted: &[WantedItem],
        item_ids: &[ReservationItemId],
        beginning: ReservationContext,
    ) -> Self {
        let ReservationContext { now, hold_secs, fingerprint, storefront, operator } = beginning;
        let created_at = now.trunc_subsecs(0);
        let expires_at = plus_secs(created_at, i64::from(hold_secs.min(MAX_HOLD_SECS)));
        let items = items(wanted, item_ids, &[]);
        Self {
            id,
            created_at,
            terms: ReservationTerms { expires_at, items },
            first: None,
            revision: 1,
            released: false,
            placed: false,
            fingerprint,
            storefront,
            updated_by: operator.clone(),
            created_by: operator,
        }
    }

    /// True when nothing can be held any more, whatever the ledgers say.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.released || now >= self.terms.expires_at
    }

    /// Whether whoever holds seats as this storefront, or as staff, may change and release it: each their own.
    #[must_use]
    pub fn is_of(&self, storefront: Option<Scope>) -> bool {
        self.storefront == storefront
    }

    /// Its holds: those in the ledgers that are known, and elsewhere those the record speaks of. A write that
    /// builds on the latter says so in its condition and is refused with the ledger as it is.
    #[must_use]
    pub fn holds(&self, ledgers: &BTreeMap<InstanceId, Ledger>) -> BTreeMap<InstanceId, Hold> {
        let recorded = self.terms.items.iter().map(|item| {
            let hold = Hold { quantity: item.quantity, expires_at: self.terms.expires_at };
            (item.instance, hold)
        });
        let mut holds: BTreeMap<InstanceId, Hold> =
            recorded.filter(|(instance, _)| !ledgers.contains_key(instance)).collect();
        for (instance, ledger) in ledgers {
            if let Some(hold) = ledger.holds.get(&self.id) {
                holds.insert(*instance, *hold);
            }
        }
        holds
    }

    /// What of its terms these holds still keep.
    #[must_use]
    pub fn kept(&self, holds: &BTreeMap<InstanceId, Hold>) -> ReservationTerms {
        let items = self.terms.items.iter().filter_map(|item| {
            let hold = holds.get(&item.instance)?;
            Some(ReservationItem { quantity: hold.quantity, ..item.clone() })
        });
        ReservationTerms { expires_at: self.terms.expires_at, items: items.collect() }
    }

    /// What the request that made it was answered.
    #[must_use]
    pub fn first_terms(&self) -> &ReservationTerms {
        self.first.as_ref().unwrap_or(&self.terms)
    }

    /// True while a repetition of the request that made it is answered as that was: for a day (contract §8).
    #[must_use]
    pub fn is_repeatable(&self, now: Timestamp) -> bool {
        now < plus_secs(self.created_at, REPEATABLE_SECS)
    }

    /// The record as it is once the seats are held.
    #[must_use]
    pub fn as_placed(&self) -> Self {
        Self { placed: true, revision: self.revision.saturating_add(1), ..self.clone() }
    }

    /// True when the request that made it may have died before it held the seats: they were never held, nothing
    /// has been done to the reservation since, and no hold is there. Its repetition then holds them.
    #[must_use]
    pub fn is_unfinished(&self, ledgers: &BTreeMap<InstanceId, Ledger>, now: Timestamp) -> bool {
        let held = ledgers.values().any(|ledger| ledger.holds.contains_key(&self.id));
        !held && !self.placed && !self.is_over(now) && self.first.is_none() && !self.terms.items.is_empty()
    }
}

/// The live holds of a reservation, by slot; empty for a reservation without items. `ledgers` are those of the
/// slots it names.
///
/// # Errors
/// [`ReservationRefusal::NotLive`] when it is released, expired or consumed.
pub fn live_holds(
    reservation: &Reservation,
    ledgers: &BTreeMap<InstanceId, Ledger>,
    now: Timestamp,
) -> Result<BTreeMap<InstanceId, Hold>, ReservationRefusal> {
    let named = reservation.terms.items.iter().filter_map(|item| {
        let hold = ledgers.get(&item.instance)?.holds.get(&reservation.id)?;
        hold.is_live(now).then_some((item.instance, *hold))
    });
    let holds: BTreeMap<InstanceId, Hold> = named.collect();
    if reservation.is_over(now) || (holds.is_empty() && !reservation.terms.items.is_empty()) {
        return Err(ReservationRefusal::NotLive);
    }
    Ok(holds)
}

/// Decides how a reservation comes to hold exactly `wanted` until its expiry: all of it or nothing.
///
/// # Errors
/// The first [`ReservationRefusal`] that applies, with every line it applies to.
pub fn decide_holds(
    reservation: &Reservation,
    wanted: &[WantedItem],
    expires_at: Timestamp,
    slots: &Slots<'_>,
    now: Timestamp,
) -> Result<ReservationStep, ReservationRefusal> {
    let mut holds = reservation.holds(slots.ledgers);
    let mut changes = LedgerChanges::new();
    let mut faults = Faults::default();
    let mut reclaim = None;
    for item in wanted {
        let old = holds.remove(&item.instance);
        // The record speaks of holds it may never have had; seats that are wanted are seen in their ledger.
        let Some(ledger) = slots.ledgers.get(&item.instance).filter(|ledger| ledger.exists()) else {
            faults.add(item, None, LedgerRefusal::UnknownSlot);
            continue;
        };
        let new = Hold { quantity: item.quantity, expires_at };
        let Some(change) = difference(reservation.id, old, new) else { continue };
        match transition(ledger, &change, slots, now) {
            Ok(LedgerTransition::Change(change)) => {
                changes.insert(item.instance, change);
            }
            Ok(LedgerTransition::ReclaimFirst(change)) => reclaim = Some((item.instance, change)),
            Err(refusal) => faults.add(item, old, refusal),
        }
    }
    faults.first()?;
    if let Some((instance, change)) = reclaim {
        return Ok(ReservationStep::Reclaim(instance, change));
    }
    let dropped = holds.into_iter().map(|(slot, hold)| (slot, LedgerChange::release(reservation.id, hold)));
    changes.extend(dropped);
    if changes.len() > MAX_CHANGED_EVENTS {
        return Err(ReservationRefusal::TooManyEvents);
    }
    Ok(ReservationStep::Commit(changes))
}

fn difference(id: ReservationId, old: Option<Hold>, new: Hold) -> Option<LedgerChange> {
    match old {
        None => Some(LedgerChange::hold(id, new)),
        Some(old) if old == new => None,
        Some(old) => Some(LedgerChange::replace(id, old, new)),
    }
}

fn transition(
    ledger: &Ledger,
    change: &LedgerChange,
    slots: &Slots<'_>,
    now: Timestamp,
) -> Result<LedgerTransition, LedgerRefusal> {
    if change.takes_seats && !slots.on_sale(ledger, now) {
        return Err(LedgerRefusal::Closed);
    }
    ledger.transition(change, now)
}

/// The refusals of all lines, so that one answer names every line the first kind applies to.
#[derive(Debug, Default)]
struct Faults {
    unknown: Vec<usize>,
    closed: Vec<usize>,
    short: Vec<SeatShortage>,
    crowded: bool,
}

impl Faults {
    fn add(&mut self, item: &WantedItem, own: Option<Hold>, refusal: LedgerRefusal) {
        let WantedItem { instance, quantity: _, line } = *item;
        match refusal {
            LedgerRefusal::UnknownSlot => self.unknown.push(line),
            LedgerRefusal::Closed => self.closed.push(line),
            LedgerRefusal::NotEnough { available } => {
                let own = own.map_or(0, |hold| hold.quantity);
                self.short.push(SeatShortage { line, instance, available: available.saturating_add(own) });
            }
            LedgerRefusal::HoldChanged | LedgerRefusal::MustReclaim | LedgerRefusal::TooManyHolds => {
                self.crowded = true;
            }
        }
    }

    fn first(self) -> Result<(), ReservationRefusal> {
        if !self.unknown.is_empty() {
            return Err(ReservationRefusal::UnknownEvents(self.unknown));
        }
        if !self.closed.is_empty() {
            return Err(ReservationRefusal::SalesClosed(self.closed));
        }
        if !self.short.is_empty() {
            return Err(ReservationRefusal::NotEnough(self.short));
        }
        if self.crowded {
            return Err(ReservationRefusal::TooManyHolds);
        }
        Ok(())
    }
}

/// The items of these events: those of the reservation keep their ids.
fn items(
    wanted: &[WantedItem],
    item_ids: &[ReservationItemId],
    old: &[ReservationItem],
) -> Vec<ReservationItem> {
    let item = |(wanted, fresh): (&WantedItem, &ReservationItemId)| {
        let kept = old.iter().find(|item| item.instance == wanted.instance).map(|item| item.id);
        ReservationItem { id: kept.unwrap_or(*fresh), instance: wanted.instance, quantity: wanted.quantity }
    };
    wanted.iter().zip(item_ids).map(item).collect()
}

#[cfg(test)]
mod tests;
