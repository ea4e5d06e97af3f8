//! A slot beside what its schedule says of it: what was changed by hand, and whether the schedule still makes it.
//!
//! Our choices, where the specification is silent:
//!
//! - Only a slot that the back office changed has modified values: those in which it differs from its schedule as
//!   the schedule is now. One that kept its values while its schedule was changed, because of sold seats, has none.
//! - A changed slot is locked as a whole, since publishing leaves all of it alone.
//! - A slot that its schedule does not make any more started where its id says, and lasted as long as the schedule's
//!   slots, or the template's. Its seats are not known to be others.

use crate::catalog::Template;
use crate::ledger::Ledger;
use crate::schedule::SlotPlan;
use crate::time::{Timestamp, Zone, plus_secs};

/// Where a slot comes from, and in what it differs from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotOrigin {
    /// When its schedule has it start.
    pub start: Timestamp,
    /// When its schedule has it end.
    pub end: Timestamp,
    /// The back office gave it another number of seats.
    pub is_capacity_modified: bool,
    /// The back office moved its start.
    pub is_start_modified: bool,
    /// The back office moved its end.
    pub is_end_modified: bool,
    /// The back office changed it by itself, so that its schedule does not any more.
    pub is_locked: bool,
    /// Its schedule does not make it any more.
    pub is_off_schedule: bool,
}

impl SlotOrigin {
    /// The origin of a slot of this template.
    #[must_use]
    pub fn of(template: &Template, ledger: &Ledger, zone: Zone) -> Self {
        let facts = template.facts();
        let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone };
        let made = plan.made(&ledger.instance);
        let start = ledger.instance.start();
        let (end, size) = match &made {
            Some(slot) => (slot.end, slot.capacity),
            None if ledger.edited => (plus_secs(start, template.slot_secs(&ledger.instance)), ledger.size),
            None => (ledger.end, ledger.size),
        };
        Self {
            start,
            end,
            is_capacity_modified: ledger.edited && ledger.size != size,
            is_start_modified: ledger.edited && ledger.start != start,
            is_end_modified: ledger.edited && ledger.end != end,
            is_locked: ledger.edited,
            is_off_schedule: made.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Slot, SlotWindow, generate};
    use crate::slot_edit::{EditTransition, SlotEdit, decide_edit};
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use std::num::NonZeroUsize;

    fn zone() -> Zone {
        Zone::parse("America/New_York").unwrap()
    }

    fn at(local: &str) -> Timestamp {
        zone().parse_instant(local).unwrap()
    }

    fn template(schedules: &Value) -> Template {
        serde_json::from_value(json!({
            "id": "6f2e91b0c47d5a3e18b90f42", "name": "Gallery", "description": "", "short_description": "",
            "start": at("2027-01-01"), "review_state": "Published", "duration_minutes": 60, "capacity": 10,
            "last_updated": at("2027-01-01"), "schedules": schedules,
        }))
        .unwrap()
    }

    fn slots(template: &Template, from: &str, until: &str) -> Vec<Slot> {
        let facts = template.facts();
        let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone: zone() };
        let window = SlotWindow { from: at(from), until: at(until), after: None };
        generate(plan, window, NonZeroUsize::MAX).unwrap().slots
    }

    fn with(ledger: &Ledger, edit: &SlotEdit) -> Ledger {
        match decide_edit(ledger, edit, at("2027-01-01")).unwrap() {
            EditTransition::Edit(edit) => ledger.with_edit(&edit),
            EditTransition::Nothing | EditTransition::ReclaimFirst(_) => ledger.clone(),
        }
    }

    fn modified(origin: SlotOrigin) -> [bool; 3] {
        [origin.is_capacity_modified, origin.is_start_modified, origin.is_end_modified]
    }

    #[test]
    fn a_slot_without_a_schedule_comes_from_its_template() {
        let template = template(&json!([]));
        let slot = slots(&template, "2027-01-01", "2027-01-02").remove(0);
        let ledger = Ledger::of_slot(&template.id, &slot);
        let origin = SlotOrigin::of(&template, &ledger, zone());
        assert_eq!((origin.start, origin.end, origin.is_off_schedule), (slot.start, slot.end, false));
    }

    #[test]
    fn a_slot_that_its_schedule_makes_no_more_is_off_schedule_and_keeps_its_origin() {
        let hours = |hour: u32| json!([{"id": "a", "weekdays": ["Monday"], "hours": [{"hour": hour}], "duration_minutes": 90}]);
        let (before, after) = (template(&hours(9)), template(&hours(10)));
        let slot = slots(&before, "2027-06-07", "2027-06-08").remove(0);
        let ledger = Ledger::of_slot(&before.id, &slot);
        let origin = SlotOrigin::of(&after, &ledger, zone());
        assert!(origin.is_off_schedule && !origin.is_locked);
        assert_eq!((origin.start, origin.end, modified(origin)), (slot.start, slot.end, [false; 3]));
        let moved = with(&ledger, &SlotEdit { start: Some(at("2027-06-07T11:00")), ..SlotEdit::default() });
        let origin = SlotOrigin::of(&after, &moved, zone());
        assert_eq!((origin.start, origin.end, modified(origin)), (slot.start, slot.end, [false, true, true]));
    }

    #[test]
    fn a_slot_that_stayed_as_it_was_sold_has_no_modified_values() {
        let seats = |seats: u32| json!([{"id": "a", "weekdays": ["Monday"], "hours": [{"hour": 9, "quantity": seats}]}]);
        let slot = slots(&template(&seats(5)), "2027-06-07", "2027-06-08").remove(0);
        let template = template(&seats(8));
        let ledger = Ledger::of_slot(&template.id, &slot);
        assert_eq!(modified(SlotOrigin::of(&template, &ledger, zone())), [false; 3]);
        let larger = with(&ledger, &SlotEdit { capacity: Some(9), ..SlotEdit::default() });
        assert_eq!(modified(SlotOrigin::of(&template, &larger, zone())), [true, false, false]);
    }

    proptest! {
        /// Over both clock changes of a year, with hours that are given twice and such as one of them skips.
        #[test]
        fn what_a_schedule_makes_is_where_it_comes_from_and_only_edits_are_modified(
            hours in proptest::collection::vec((0..24_u32, 0..4_u32, proptest::option::of(1..20_u32)), 1..8),
            minutes in proptest::option::of(1..300_u32),
            seats in proptest::option::of(1..30_u32),
            month in prop_oneof![Just("2027-03"), Just("2027-11")],
            edit in (proptest::option::of(1..30_u32), proptest::option::of(-600..600_i64)),
        ) {
            let hour = |(hour, quarter, quantity): &(u32, u32, Option<u32>)| {
                json!({"hour": hour, "minutes": quarter * 15, "quantity": quantity})
            };
            let hours: Vec<Value> = hours.iter().map(hour).collect();
            let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
            let template = template(&json!([
                {"id": "other", "weekdays": ["Sunday"], "hours": [{"hour": 2, "minutes": 30}]},
                {"id": "own", "weekdays": days, "hours": hours, "duration_minutes": minutes, "capacity": seats},
            ]));
            let (capacity, moved) = edit;
            for slot in slots(&template, &format!("{month}-06"), &format!("{month}-15")) {
                let ledger = Ledger::of_slot(&template.id, &slot);
                let origin = SlotOrigin::of(&template, &ledger, zone());
                prop_assert_eq!((origin.start, origin.end), (slot.start, slot.end));
                prop_assert_eq!(modified(origin), [false; 3]);
                prop_assert!(!origin.is_off_schedule && !origin.is_locked);
                let start = moved.map(|minutes| plus_secs(slot.start, minutes * 60));
                let edited = with(&ledger, &SlotEdit { capacity, start, ..SlotEdit::default() });
                let changed = SlotOrigin::of(&template, &edited, zone());
                prop_assert_eq!((changed.start, changed.end), (slot.start, slot.end));
                let differs = [edited.size != slot.capacity, edited.start != slot.start, edited.end != slot.end];
                prop_assert_eq!(modified(changed), differs);
                prop_assert_eq!(changed.is_locked, edited.edited);
            }
        }
    }
}
