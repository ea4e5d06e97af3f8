//! What the back office may do to one slot by itself: other seats, other times, called off, deleted (contract
//! §7). A slot so changed is left alone when its schedule is generated again.
//!
//! Our choices, where the specification is silent:
//!
//! - A new start without a new end moves the end along: the slot keeps its length.
//! - A slot starts at most [`MAX_MOVE_SECS`] away from where its schedule put it, since its ledger stays where
//!   its id says.
//! - Holds whose time has come do not count as taken.

use crate::ledger::{Ledger, LedgerChange, LedgerRefusal, LedgerTransition, SlotState};
use crate::time::plus_secs;
use crate::{TemplateId, Timestamp};
use serde::{Deserialize, Serialize};

/// How far a slot may be moved from its generated start, in seconds: 31 days.
pub const MAX_MOVE_SECS: i64 = 31 * 86_400;

/// What the back office says of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotTerms {
    /// All seats.
    pub size: u32,
    /// When it starts.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// On offer, called off, or deleted.
    pub state: SlotState,
}

/// What the back office wants of a slot; what is none stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SlotEdit {
    /// All seats.
    pub capacity: Option<u32>,
    /// When it starts.
    pub start: Option<Timestamp>,
    /// When it ends.
    pub end: Option<Timestamp>,
    /// Whether it is called off.
    pub offer: Option<SlotStatus>,
}

/// Whether a slot is on offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotStatus {
    /// It is.
    Active,
    /// It is called off.
    Cancelled,
}

impl From<SlotStatus> for SlotState {
    fn from(offer: SlotStatus) -> Self {
        match offer {
            SlotStatus::Active => Self::Active,
            SlotStatus::Cancelled => Self::Cancelled,
        }
    }
}

/// How far slots of a template lie from where their schedule put them: what a listing, which finds slots by
/// their generated start, has to look around. It only grows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotReach {
    /// Whose slots.
    pub template: TemplateId,
    /// Some start so many seconds before their generated start.
    pub earlier_secs: i64,
    /// Some start so many seconds after it.
    pub later_secs: i64,
    /// Some end so many seconds after it.
    pub lasting_secs: i64,
    /// Its schedules were changed: there may be slots that they do not make any more.
    #[serde(default)]
    pub rescheduled: bool,
}

impl SlotReach {
    /// Slots that lie where their schedule put them.
    #[must_use]
    pub const fn none(template: TemplateId) -> Self {
        Self { template, earlier_secs: 0, later_secs: 0, lasting_secs: 0, rescheduled: false }
    }

    /// The reach of one slot with these terms.
    #[must_use]
    pub fn of(ledger: &Ledger, terms: SlotTerms) -> Self {
        let from_generated =
            |instant: Timestamp| instant.signed_duration_since(ledger.instance.start()).num_seconds();
        let start = from_generated(terms.start);
        Self {
            template: ledger.template.clone(),
            earlier_secs: start.saturating_neg().max(0),
            later_secs: start.max(0),
            lasting_secs: from_generated(terms.end).max(0),
            rescheduled: false,
        }
    }

    /// The reach of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            template: self.template.clone(),
            earlier_secs: self.earlier_secs.max(other.earlier_secs),
            later_secs: self.later_secs.max(other.later_secs),
            lasting_secs: self.lasting_secs.max(other.lasting_secs),
            rescheduled: self.rescheduled || other.rescheduled,
        }
    }

    /// The generated starts among which slots are found that run between two instants; `longest_secs` is the
    /// length of the longest slot the schedules make.
    #[must_use]
    pub fn starts(&self, longest_secs: i64, from: Timestamp, until: Timestamp) -> (Timestamp, Timestamp) {
        let back = longest_secs.max(self.lasting_secs);
        (plus_secs(from, back.saturating_neg()), plus_secs(until, self.earlier_secs))
    }
}

/// One conditional change of what is said of a slot. The seats of `change` are the difference of the sizes, so
/// that reservations and sales meanwhile stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEdit {
    /// As it must still be.
    pub before: SlotTerms,
    /// As it becomes.
    pub after: SlotTerms,
    /// What becomes of the free seats and of expired holds.
    pub change: LedgerChange,
}

/// How an edit is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditTransition {
    /// Nothing differs.
    Nothing,
    /// By this one update.
    Edit(LedgerEdit),
    /// After this update, which only takes expired holds back; then the ledger is asked again.
    ReclaimFirst(LedgerChange),
}

/// Why a slot cannot be at the times it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeFault {
    /// It would start further from its generated start than [`MAX_MOVE_SECS`].
    MovedTooFar,
    /// It would end before or as it starts.
    EndNotAfterStart,
}

/// Why a slot is not edited, in order of precedence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum EditRefusal {
    /// There is no such slot.
    UnknownSlot,
    /// It cannot be at these times, for every reason given.
    BadTimes(Vec<TimeFault>),
    /// It would have fewer seats than are sold and held, or it is to be deleted with some of them.
    SeatsTaken {
        /// Seats sold or held.
        taken: u32,
    },
}

impl Ledger {
    /// What the back office says of this slot.
    #[must_use]
    pub fn terms(&self) -> SlotTerms {
        SlotTerms { size: self.size, start: self.start, end: self.end, state: self.state }
    }

    /// The ledger after an edit that was decided on it.
    #[must_use]
    pub fn with_edit(&self, edit: &LedgerEdit) -> Self {
        let SlotTerms { size, start, end, state } = edit.after;
        Self { size, start, end, state, edited: true, ..self.changed(&edit.change) }
    }

    /// The terms this slot would have.
    fn wanted(&self, edit: &SlotEdit) -> SlotTerms {
        let before = self.terms();
        let start = edit.start.unwrap_or(before.start);
        let moved = start.signed_duration_since(before.start);
        let moved_end = before.end.checked_add_signed(moved).unwrap_or(before.end);
        SlotTerms {
            size: edit.capacity.unwrap_or(before.size),
            start,
            end: edit.end.unwrap_or(moved_end),
            state: edit.offer.map_or(before.state, Into::into),
        }
    }
}

/// How a slot comes to be what the back office wants at `now`.
///
/// # Errors
/// The first [`EditRefusal`] that applies.
pub fn decide_edit(ledger: &Ledger, edit: &SlotEdit, now: Timestamp) -> Result<EditTransition, EditRefusal> {
    if !ledger.exists() {
        return Err(EditRefusal::UnknownSlot);
    }
    let (before, after) = (ledger.terms(), ledger.wanted(edit));
    if after == before {
        return Ok(EditTransition::Nothing);
    }
    let moved = after.start.signed_duration_since(ledger.instance.start()).num_seconds();
    let mut faults = Vec::new();
    if after.start != before.start && moved.saturating_abs() > MAX_MOVE_SECS {
        faults.push(TimeFault::MovedTooFar);
    }
    if (after.start, after.end) != (before.start, before.end) && after.end <= after.start {
        faults.push(TimeFault::EndNotAfterStart);
    }
    if !faults.is_empty() {
        return Err(EditRefusal::BadTimes(faults));
    }
    let seats = i64::from(after.size).saturating_sub(i64::from(before.size));
    transition(ledger, before, after, LedgerChange { free: seats, ..LedgerChange::default() }, now)
}

/// How a slot that is neither sold nor held at `now` is deleted for good.
///
/// # Errors
/// [`EditRefusal::UnknownSlot`], [`EditRefusal::SeatsTaken`].
pub fn decide_removal(ledger: &Ledger, now: Timestamp) -> Result<EditTransition, EditRefusal> {
    if !ledger.exists() {
        return Err(EditRefusal::UnknownSlot);
    }
    let taken = ledger.taken(now);
    if taken > 0 {
        return Err(EditRefusal::SeatsTaken { taken });
    }
    let before = ledger.terms();
    // All seats must be free, and go with the slot.
    let none = SlotTerms { size: 0, state: SlotState::Removed, ..before };
    let change = LedgerChange { free: i64::from(before.size).saturating_neg(), ..LedgerChange::default() };
    transition(ledger, before, none, change, now)
}

fn transition(
    ledger: &Ledger,
    before: SlotTerms,
    after: SlotTerms,
    change: LedgerChange,
    now: Timestamp,
) -> Result<EditTransition, EditRefusal> {
    match ledger.transition(&change, now) {
        Ok(LedgerTransition::Change(change)) => {
            Ok(EditTransition::Edit(LedgerEdit { before, after, change }))
        }
        Ok(LedgerTransition::ReclaimFirst(change)) => Ok(EditTransition::ReclaimFirst(change)),
        Err(LedgerRefusal::UnknownSlot) => Err(EditRefusal::UnknownSlot),
        // The change takes no seats and builds on no hold, so that only the seats can be too few.
        Err(
            LedgerRefusal::NotEnough { .. }
            | LedgerRefusal::HoldChanged
            | LedgerRefusal::Closed
            | LedgerRefusal::MustReclaim
            | LedgerRefusal::TooManyHolds,
        ) => Err(EditRefusal::SeatsTaken { taken: ledger.taken(now) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Hold;
    use crate::ledger::tests::{id, ledger};
    use crate::time::plus_secs;
    use proptest::prelude::*;

    fn now() -> Timestamp {
        plus_secs(Timestamp::UNIX_EPOCH, 1_800_000_000)
    }

    /// A slot with so many seats sold, and holds of these seats that end so many seconds after now.
    fn busy(size: u32, sold: u32, holds: &[(u32, i64)]) -> Ledger {
        let mut busy = ledger(size);
        busy.sold = sold;
        for (number, (quantity, secs)) in (1..).zip(holds) {
            let hold = Hold { quantity: *quantity, expires_at: plus_secs(now(), *secs) };
            busy.holds.insert(id(number), hold);
        }
        let held: u32 = holds.iter().map(|(quantity, _)| quantity).sum();
        busy.free = size - sold - held;
        assert!(busy.is_sound());
        busy
    }

    fn capacity(seats: u32) -> SlotEdit {
        SlotEdit { capacity: Some(seats), ..SlotEdit::default() }
    }

    fn carried_out(ledger: &Ledger, edit: &SlotEdit) -> Result<Ledger, EditRefusal> {
        let mut ledger = ledger.clone();
        loop {
            match decide_edit(&ledger, edit, now())? {
                EditTransition::Nothing => return Ok(ledger),
                EditTransition::Edit(edit) => return Ok(ledger.with_edit(&edit)),
                EditTransition::ReclaimFirst(change) => ledger = ledger.apply(&change, now()).unwrap(),
            }
        }
    }

    #[test]
    fn capacity_goes_down_to_what_is_sold_and_held_and_no_further() {
        let slot = busy(10, 3, &[(2, 60), (4, 0)]);
        assert_eq!(carried_out(&slot, &capacity(4)), Err(EditRefusal::SeatsTaken { taken: 5 }));
        let full = carried_out(&slot, &capacity(5)).unwrap();
        assert_eq!((full.size, full.free, full.sold, full.holds.len()), (5, 0, 3, 1));
        let larger = carried_out(&full, &capacity(12)).unwrap();
        assert_eq!((larger.size, larger.free), (12, 7));
        assert!(full.is_sound() && larger.is_sound() && larger.edited);
    }

    #[test]
    fn a_moved_slot_keeps_its_length_unless_it_is_given_another_end() {
        let slot = ledger(5);
        let later = Some(plus_secs(slot.start, 1_800));
        let moved = carried_out(&slot, &SlotEdit { start: later, ..SlotEdit::default() }).unwrap();
        assert_eq!((Some(moved.start), moved.end), (later, plus_secs(slot.end, 1_800)));
        assert_eq!(moved.instance, slot.instance);
        let longer = SlotEdit { end: Some(plus_secs(slot.end, 60)), ..SlotEdit::default() };
        assert_eq!(carried_out(&slot, &longer).unwrap().start, slot.start);
    }

    #[test]
    fn times_out_of_order_or_out_of_reach_are_refused() {
        let slot = ledger(5);
        let edit = |start: i64, end: i64| SlotEdit {
            start: Some(plus_secs(slot.start, start)),
            end: Some(plus_secs(slot.start, end)),
            ..SlotEdit::default()
        };
        for (edit, expected) in [
            (edit(0, 0), vec![TimeFault::EndNotAfterStart]),
            (edit(0, -1), vec![TimeFault::EndNotAfterStart]),
            (edit(0, 1), vec![]),
            (edit(MAX_MOVE_SECS, MAX_MOVE_SECS + 1), vec![]),
            (edit(-MAX_MOVE_SECS, 0), vec![]),
            (edit(MAX_MOVE_SECS + 1, 0), vec![TimeFault::MovedTooFar, TimeFault::EndNotAfterStart]),
            (edit(MAX_MOVE_SECS + 1, MAX_MOVE_SECS + 2), vec![TimeFault::MovedTooFar]),
            (edit(-MAX_MOVE_SECS - 1, 0), vec![TimeFault::MovedTooFar]),
        ] {
            let refused = (!expected.is_empty()).then_some(EditRefusal::BadTimes(expected));
            assert_eq!(carried_out(&slot, &edit).err(), refused, "{edit:?}");
        }
    }

    #[test]
    fn a_slot_is_deleted_only_without_sold_and_held_seats() {
        for (slot, taken) in [(busy(5, 1, &[]), 1), (busy(5, 0, &[(2, 1)]), 2), (busy(5, 1, &[(2, 1)]), 3)] {
            assert_eq!(decide_removal(&slot, now()), Err(EditRefusal::SeatsTaken { taken }));
        }
        let expired = busy(5, 0, &[(2, 0)]);
        let Ok(EditTransition::Edit(edit)) = decide_removal(&expired, now()) else { panic!("not deleted") };
        let gone = expired.with_edit(&edit);
        assert!(!gone.exists() && gone.is_sound() && gone.holds.is_empty());
        assert_eq!(decide_removal(&gone, now()), Err(EditRefusal::UnknownSlot));
        assert_eq!(decide_edit(&gone, &capacity(9), now()), Err(EditRefusal::UnknownSlot));
        let hold = LedgerChange::hold(id(9), Hold { quantity: 1, expires_at: plus_secs(now(), 60) });
        assert_eq!(gone.refusal(&hold, now()), Some(LedgerRefusal::UnknownSlot));
    }

    #[test]
    fn what_changes_nothing_is_no_edit() {
        let slot = busy(10, 3, &[]);
        let same = SlotEdit {
            capacity: Some(10),
            start: Some(slot.start),
            end: Some(slot.end),
            offer: Some(SlotStatus::Active),
        };
        assert_eq!(decide_edit(&slot, &same, now()), Ok(EditTransition::Nothing));
    }

    proptest! {
        #[test]
        fn an_edit_never_breaks_the_sum_of_the_seats(
            sold in 0u32..50,
            holds in proptest::collection::vec((1u32..4, -5i64..5), 0..60),
            room in 0u32..50,
            wanted in 1u32..300,
        ) {
            let held: u32 = holds.iter().map(|(quantity, _)| quantity).sum();
            let slot = busy(sold + held + room, sold, &holds);
            match carried_out(&slot, &capacity(wanted)) {
                Ok(next) => {
                    prop_assert!(next.is_sound());
                    prop_assert_eq!(next.size, wanted);
                    prop_assert_eq!(next.sold, sold);
                    prop_assert!(slot.holds.iter().filter(|(_, hold)| hold.is_live(now()))
                        .all(|(id, hold)| next.holds.get(id) == Some(hold)));
                }
                Err(refusal) => {
                    prop_assert_eq!(refusal, EditRefusal::SeatsTaken { taken: slot.taken(now()) });
                    prop_assert!(wanted < slot.taken(now()));
                }
            }
        }
    }
}
