//! The capacity ledger: one per event instance and shard, the only place that says how many seats are left.
//!
//! `free + held + sold = size` holds before and after every change. A change is data ([`LedgerChange`]):
//! what must still be true of the ledger, and what becomes of it. The store turns it into one conditional
//! update; [`Ledger::apply`] is the same rule in memory and what the model checks run against.
//! Expiry needs no sweep: a hold whose time has come counts as free at once, and the next buyer who needs
//! its seats takes them in the same update (contract §8).

use crate::schedule::Slot;
use crate::{InstanceId, ReservationId, ScheduleId, TemplateId, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Live holds one ledger shard takes; further ones are asked to try again.
pub const MAX_HOLDS: usize = 256;

/// Expired holds one update reclaims, within DynamoDB's 300 operators and 4 KB of expression.
pub const MAX_RECLAIM: usize = 40;

/// Seats set aside for a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Seats, at least one.
    #[serde(rename = "q")]
    pub quantity: u32,
    /// From this instant on the hold is dead and its seats are free.
    #[serde(rename = "e", with = "chrono::serde::ts_milliseconds")]
    pub expires_at: Timestamp,
}

impl Hold {
    /// True while the hold keeps its seats.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

/// The hold of the buyer's own reservation, whose seats a sale takes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnHold {
    pub reservation: ReservationId,
    /// What it holds.
    pub hold: Hold,
}

/// Whether seats can be had at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SlotState {
    /// On offer, within its sale window.
    #[default]
    Active,
    /// Called off; nothing more is held or sold.
    Cancelled,
    /// Deleted by the back office and unknown to everybody. Its ledger stays, so that its schedule does not
    /// make it again.
    Removed,
}

/// The seats of one event instance (or of one shard of it), with the facts needed to list it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    pub instance: InstanceId,
    pub template: TemplateId,
    /// The schedule that made it; none for a template without schedules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleId>,
    /// The shard; 0 until an instance is split.
    pub shard: u32,
    /// When the event starts.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub start: Timestamp,
    /// When it ends.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub end: Timestamp,
    /// Active or cancelled.
    pub state: SlotState,
    /// All seats.
    pub size: u32,
    /// Seats neither held nor sold.
    pub free: u32,
    /// Seats sold.
    pub sold: u32,
    /// Seats set aside, by reservation.
    #[serde(default)]
    pub holds: BTreeMap<ReservationId, Hold>,
    /// The back office changed this slot by itself; what its schedule says does not touch it any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
}

/// One conditional change of one ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerChange {
    /// Holds as they must still be: present with this value, or absent.
    pub expect: BTreeMap<ReservationId, Option<Hold>>,
    /// Holds as they become.
    pub set: BTreeMap<ReservationId, Option<Hold>>,
    /// Net change of the free seats; when negative, that many must be free.
    pub free: i64,
    /// Net change of the sold seats.
    pub sold: i64,
    /// Seats of expired holds the change takes along; part of `free`.
    pub reclaimed: u32,
    /// Whether the change takes seats, which a cancelled slot refuses.
    pub takes_seats: bool,
}

/// Why a ledger refused a change, in order of precedence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LedgerRefusal {
    /// There is no such slot.
    UnknownSlot,
    /// A hold the change builds on is not as it was: expired, released, consumed or altered.
    HoldChanged,
    /// The slot is cancelled.
    Closed,
    /// Fewer seats are left than asked for, even counting expired holds.
    NotEnough {
        /// Seats that could be had.
        available: u32,
    },
    /// Seats are there, but the change must first take them from expired holds, or the holds are too many.
    MustReclaim,
    /// Too many live holds on one slot: retryable.
    TooManyHolds,
}

/// How a change of a ledger is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerTransition {
    /// By this one update: the change itself, with the expired holds it takes along.
    Change(LedgerChange),
    /// After this update, which only takes expired holds back; then the ledger is asked again.
    ReclaimFirst(LedgerChange),
}

impl Ledger {
    /// The ledger of a slot that nobody has touched.
    #[must_use]
    pub fn of_slot(template: &TemplateId, slot: &Slot) -> Self {
        let Slot { id, schedule, start, end, capacity } = slot;
        Self {
            instance: *id,
            template: template.clone(),
            schedule: schedule.clone(),
            shard: 0,
            start: *start,
            end: *end,
            state: SlotState::Active,
            size: *capacity,
            free: *capacity,
            sold: 0,
            holds: BTreeMap::new(),
            edited: false,
        }
    }

    /// True for a slot that callers may know of.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.state != SlotState::Removed
    }

    /// Seats that are sold or held at `now`.
    #[must_use]
    pub fn taken(&self, now: Timestamp) -> u32 {
        self.size.saturating_sub(self.available(now))
    }

    /// The invariant: every seat is free, held or sold.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let held: u64 = self.holds.values().map(|hold| u64::from(hold.quantity)).sum();
        u64::from(self.free).saturating_add(held).saturating_add(u64::from(self.sold)) == u64::from(self.size)
    }

    /// Seats the next buyer could have: those free and those of holds whose time has come.
    #[must_use]
    pub fn available(&self, now: Timestamp) -> u32 {
        let expired = self.holds.values().filter(|hold| !hold.is_live(now)).map(|hold| hold.quantity);
        expired.fold(self.free, u32::saturating_add)
    }

    /// Up to [`MAX_RECLAIM`] holds whose time has come.
    pub fn expired(&self, now: Timestamp) -> impl Iterator<Item = (ReservationId, Hold)> {
        self.holds
            .iter()
            .filter(move |(_, hold)| !hold.is_live(now))
            .map(|(id, hold)| (*id, *hold))
            .take(MAX_RECLAIM)
    }

    /// The ledger after a change, if its expectations hold: the same rule as the store's one update.
    ///
    /// # Errors
    /// The first [`LedgerRefusal`] that applies.
    pub fn apply(&self, change: &LedgerChange, now: Timestamp) -> Result<Self, LedgerRefusal> {
        self.refusal(change, now).map_or_else(|| Ok(self.changed(change)), Err)
    }

    /// Why this ledger refuses the change at `now`, if it does. The store calls it with the item a refused
    /// update returned.
    #[must_use]
    pub fn refusal(&self, change: &LedgerChange, now: Timestamp) -> Option<LedgerRefusal> {
        if change.takes_seats && !self.exists() {
            return Some(LedgerRefusal::UnknownSlot);
        }
        if change.expect.iter().any(|(id, hold)| self.holds.get(id) != hold.as_ref()) {
            return Some(LedgerRefusal::HoldChanged);
        }
        if change.takes_seats && self.state != SlotState::Active {
            return Some(LedgerRefusal::Closed);
        }
        let left = i64::from(self.free).saturating_add(change.free);
        if left < 0 {
            return Some(self.shortage(change, now));
        }
        if change.needs_room() && self.holds.len() >= MAX_HOLDS {
            let expired = self.expired(now).next().is_some();
            return Some(if expired { LedgerRefusal::MustReclaim } else { LedgerRefusal::TooManyHolds });
        }
        None
    }

    /// How a change can be carried out at `now`. Expired holds are taken along in the same update where their
    /// seats or places are needed; where more are needed than one update holds, they are taken back first.
    ///
    /// # Errors
    /// The [`LedgerRefusal`] that applies; never [`LedgerRefusal::MustReclaim`].
    pub fn transition(
        &self,
        change: &LedgerChange,
        now: Timestamp,
    ) -> Result<LedgerTransition, LedgerRefusal> {
        match self.refusal(change, now) {
            None => return Ok(LedgerTransition::Change(change.clone())),
            Some(LedgerRefusal::MustReclaim) => {}
            Some(refusal) => return Err(refusal),
        }
        let reclaiming = change.clone().reclaiming(self.expired(now));
        match self.refusal(&reclaiming, now) {
            None => Ok(LedgerTransition::Change(reclaiming)),
            Some(LedgerRefusal::MustReclaim) => {
                let others = self.expired(now).filter(|(id, _)| !change.expect.contains_key(id));
                Ok(LedgerTransition::ReclaimFirst(LedgerChange::default().reclaiming(others)))
            }
            Some(refusal) => Err(refusal),
        }
    }

    fn shortage(&self, change: &LedgerChange, now: Timestamp) -> LedgerRefusal {
        // An expired hold that the change itself builds on adds no seats to it. A change that takes expired
        // holds along has passed this check without them.
        let own = change.expect.keys().filter_map(|id| self.holds.get(id));
        let own = own.filter(|hold| change.reclaimed == 0 && !hold.is_live(now)).map(|hold| hold.quantity);
        let available = own.fold(self.available(now), u32::saturating_sub);
        let needed = i64::from(change.reclaimed).saturating_sub(change.free);
        if needed <= i64::from(available) {
            return LedgerRefusal::MustReclaim;
        }
        LedgerRefusal::NotEnough { available }
    }

    pub(crate) fn changed(&self, change: &LedgerChange) -> Self {
        let mut next = self.clone();
        for (id, hold) in &change.set {
            match hold {
                Some(hold) => next.holds.insert(*id, *hold),
                None => next.holds.remove(id),
            };
        }
        next.free = shifted(self.free, change.free);
        next.sold = shifted(self.sold, change.sold);
        next
    }
}

fn shifted(seats: u32, by: i64) -> u32 {
    u32::try_from(i64::from(seats).saturating_add(by).max(0)).unwrap_or(u32::MAX)
}

impl LedgerChange {
    /// Sets seats aside for a new reservation.
    #[must_use]
    pub fn hold(id: ReservationId, hold: Hold) -> Self {
        Self {
            expect: BTreeMap::from([(id, None)]),
            set: BTreeMap::from([(id, Some(hold))]),
            free: i64::from(hold.quantity).saturating_neg(),
            sold: 0,
            reclaimed: 0,
            takes_seats: true,
        }
    }

    /// Gives a reservation's seats back.
    #[must_use]
    pub fn release(id: ReservationId, hold: Hold) -> Self {
        Self {
            expect: BTreeMap::from([(id, Some(hold))]),
            set: BTreeMap::from([(id, None)]),
            free: i64::from(hold.quantity),
            sold: 0,
            reclaimed: 0,
            takes_seats: false,
        }
    }

    /// Alters a reservation's quantity or expiry. Only an increase takes seats, so an unchanged quantity
    /// succeeds on a full or cancelled slot.
    #[must_use]
    pub fn replace(id: ReservationId, old: Hold, new: Hold) -> Self {
        Self {
            expect: BTreeMap::from([(id, Some(old))]),
            set: BTreeMap::from([(id, Some(new))]),
            free: i64::from(old.quantity).saturating_sub(i64::from(new.quantity)),
            sold: 0,
            reclaimed: 0,
            takes_seats: new.quantity > old.quantity,
        }
    }

    /// Sells seats, first those of the buyer's own hold. What the hold has beyond `quantity` stays held, so
    /// that a declined card finds the hold as it was (contract §6).
    #[must_use]
    pub fn sell(quantity: u32, own: Option<OwnHold>) -> Self {
        let mut change =
            Self { sold: i64::from(quantity), free: i64::from(quantity).saturating_neg(), ..Self::default() };
        change.takes_seats = true;
        if let Some(OwnHold { reservation, hold }) = own {
            let used = hold.quantity.min(quantity);
            let rest = hold.quantity.saturating_sub(used);
            change.free = change.free.saturating_add(i64::from(used));
            change.expect.insert(reservation, Some(hold));
            change.set.insert(reservation, (rest > 0).then_some(Hold { quantity: rest, ..hold }));
        }
        change
    }

    /// Undoes [`LedgerChange::sell`]: the hold comes back as it was while it is still live, and its seats are
    /// free otherwise.
    #[must_use]
    pub fn unsell(quantity: u32, own: Option<OwnHold>, now: Timestamp) -> Self {
        let mut change =
            Self { sold: i64::from(quantity).saturating_neg(), free: i64::from(quantity), ..Self::default() };
        if let Some(OwnHold { reservation, hold }) = own
            && hold.is_live(now)
        {
            let used = hold.quantity.min(quantity);
            let rest = hold.quantity.saturating_sub(used);
            change.free = change.free.saturating_sub(i64::from(used));
            change.expect.insert(reservation, (rest > 0).then_some(Hold { quantity: rest, ..hold }));
            change.set.insert(reservation, Some(hold));
        }
        change
    }

    /// The same change, taking the seats of these expired holds along.
    #[must_use]
    pub fn reclaiming(mut self, expired: impl IntoIterator<Item = (ReservationId, Hold)>) -> Self {
        for (id, hold) in expired {
            if self.expect.contains_key(&id) {
                continue;
            }
            self.expect.insert(id, Some(hold));
            self.set.insert(id, None);
            self.free = self.free.saturating_add(i64::from(hold.quantity));
            self.reclaimed = self.reclaimed.saturating_add(hold.quantity);
        }
        self
    }

    /// True when the change needs a place among the ledger's holds, of which there are [`MAX_HOLDS`]. A hold
    /// that comes back because its sale is undone needs none: undoing must always be possible.
    #[must_use]
    pub fn needs_room(&self) -> bool {
        let added =
            self.set.iter().filter(|(id, hold)| hold.is_some() && self.expect.get(id) == Some(&None)).count();
        let removed = self.set.values().filter(|hold| hold.is_none()).count();
        self.takes_seats && added > removed
    }
}

#[cfg(test)]
pub(crate) mod tests;
