mod courses;

use super::*;
use crate::catalog::Template;
use crate::ledger::SlotState;
use crate::membership::Membership;
use crate::order::exchange::Generate;
use crate::order::refund::tests::{amounts, current, order, tickets};
use crate::order::{
    AdmissionCounts, AdmissionState, Exchange, MovedLine, Order, ScanType, Ticket, TicketStatus,
};
use crate::tenant::{CardReentry, DoorRules};
use crate::time::plus_secs;
use crate::{AdmissionId, InstanceId, OrderItemId, TemplateId, TicketBarcode, TicketId, Timestamp, Zone};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const GALLERY: &str = "6f2e91b0c47d5a3e18b90f42";

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn at(local: &str) -> Timestamp {
    zone().parse_instant(local).unwrap()
}

fn gallery(details: &Value) -> Template {
    serde_json::from_value(json!({
        "id": GALLERY, "name": "Gallery", "description": "", "short_description": "", "start": at("2027-01-01"),
        "review_state": "Published", "duration_minutes": 60, "capacity": 10, "last_updated": at("2027-01-01"),
        "ticket_details": details,
    }))
    .unwrap()
}

fn slot(local: &str) -> InstanceId {
    let template = TemplateId::parse(GALLERY).unwrap();
    InstanceId::of(&template, None, at(local).naive_utc(), at(local)).unwrap()
}

fn other_event() -> InstanceId {
    let template = TemplateId::parse("0000000000000000000000aa").unwrap();
    InstanceId::of(&template, None, at(MORNING).naive_utc(), at(MORNING)).unwrap()
}

const MORNING: &str = "2027-06-03T10:00";
const NOON: &str = "2027-06-03T12:00";

/// Three tickets for a morning.
fn morning() -> Order {
    let mut line = tickets("11", &slot(MORNING).to_string(), amounts(3, 1_800, 1_800));
    line["template"] = GALLERY.into();
    line["event_start"] = at(MORNING).timestamp_millis().into();
    Order { created_at: at("2027-06-01T12:00"), ..order(&[line]) }
}

/// A door with what it decides on.
#[derive(Clone)]
struct Door {
    order: Order,
    templates: Vec<Template>,
    slots: BTreeMap<InstanceId, SlotTimes>,
    rules: DoorRules,
    scans: Vec<Scan>,
}

impl Door {
    fn of(details: &Value) -> Self {
        let times = SlotTimes {
            start: at(MORNING),
            end: plus_secs(at(MORNING), 3_600),
            state: SlotState::Active,
            is_current: true,
        };
        Self {
            order: morning(),
            templates: vec![gallery(details)],
            slots: BTreeMap::from([(slot(MORNING), times)]),
            rules: DoorRules::default(),
            scans: Vec::new(),
        }
    }

    fn tickets(&self) -> Vec<Ticket> {
        current(&self.order)
    }

    fn asked<T>(&self, ask: impl FnOnce(&DoorFacts<'_>) -> T) -> T {
        let tickets = self.tickets();
        ask(&DoorFacts {
            order: &self.order,
            tickets: &tickets,
            slots: &self.slots,
            templates: &self.templates,
            zone: zone(),
            rules: self.rules,
        })
    }

    /// Writes what was decided.
    fn take(&mut self, change: Option<AdmissionChange>) {
        let Some(change) = change else { return };
        for marked in change.marked {
            let place = self.scans.iter().position(|scan| scan.id == marked.id).unwrap();
            self.scans[place] = marked;
        }
        self.scans.extend(change.scans);
        let before = self.order.admission_counts();
        self.order.admission = change.admissions;
        let after = self.order.admission_counts();
        // An instance that nobody is counted at any more is in none of the counts after.
        for instance in before.keys().chain(after.keys()).chain(change.counts.keys()) {
            let of = |counts: &BTreeMap<InstanceId, AdmissionCounts>| {
                counts.get(instance).copied().unwrap_or_default()
            };
            assert_eq!(of(&before).and(of(&change.counts)), of(&after));
        }
    }

    fn scan(&mut self, request: &ScanRequest, ticket: usize) -> DoorVerdict {
        let id = self.tickets()[ticket].id.clone();
        let decided = self.asked(|facts| decide_scan(facts, request, &[id]));
        self.take(decided.change);
        decided.verdicts.into_iter().next().unwrap().verdict
    }

    fn undo(&mut self, ticket: usize, right: UndoRight, now: Timestamp) -> Result<(), NotUndone> {
        let number = u8::try_from(self.order.admission.version).unwrap();
        let actor = Actor { key: "Till".to_owned(), operator: Some("Dana".to_owned()), ..Actor::default() };
        let id = AdmissionId::from_bytes([255 - number; 16]);
        self.undo_by(ticket, &UndoRequest { id, right, actor, now })
    }

    fn undo_own(&mut self, ticket: usize, actor: Actor, now: Timestamp) -> Result<(), NotUndone> {
        let id = AdmissionId::from_bytes([199; 16]);
        self.undo_by(ticket, &UndoRequest { id, right: UndoRight::Own, actor, now })
    }

    fn undo_by(&mut self, ticket: usize, request: &UndoRequest) -> Result<(), NotUndone> {
        let tickets = self.tickets();
        let named = [tickets[ticket].id.clone()];
        let decided = undo(&self.order, &tickets, &self.scans, &named, request);
        self.take(decided.change);
        decided.tickets[0].outcome
    }

    fn block(&mut self, tickets: &[usize], reason: Option<&str>, now: Timestamp) -> usize {
        let all = self.tickets();
        let named: Vec<&Ticket> = tickets.iter().map(|place| &all[*place]).collect();
        let request = BlockRequest {
            id: AdmissionId::from_bytes([210; 16]),
            reason: reason.map(str::to_owned),
            actor: Actor::default(),
            now,
        };
        let change = block_of(&self.order, &named, &request);
        let scans = change.iter().map(|change| change.scans.len()).sum();
        self.take(change);
        scans
    }

    fn states(&self) -> Vec<crate::order::Admission> {
        self.tickets().iter().map(|ticket| self.order.admission.of(ticket)).collect()
    }

    /// Whether what is noted follows from the scans.
    fn is_explained(&self) -> bool {
        self.tickets().iter().all(|ticket| {
            let mut replayed = crate::order::Admissions::default();
            replayed.replay(ticket, passages_of(&self.scans, ticket));
            let (noted, replayed) = (self.order.admission.of(ticket), replayed.of(ticket));
            (noted.first_entry, noted.last_entry, noted.last_exit, noted.entries, noted.inside)
                == (
                    replayed.first_entry,
                    replayed.last_entry,
                    replayed.last_exit,
                    replayed.entries,
                    replayed.inside,
                )
        })
    }
}

fn request(number: u8, kind: ScanType, now: Timestamp) -> ScanRequest {
    ScanRequest {
        id: AdmissionId::from_bytes([number; 16]),
        kind,
        event: None,
        checks: Checks::All,
        force: None,
        actor: Actor { terminal: Some("gate 1".to_owned()), ..with_key("North", None) },
        now,
    }
}

fn with_key(label: &str, id: Option<&str>) -> Actor {
    Actor { key: label.to_owned(), key_id: id.map(str::to_owned), ..Actor::default() }
}

fn entry(now: &str) -> ScanRequest {
    request(1, ScanType::Entry, at(now))
}

#[test]
fn reasons_are_numbered_and_read_back() {
    let told: Vec<String> = Reason::ALL
        .iter()
        .map(|reason| format!("{} {} {}", reason.as_str(), reason.status(), reason.is_forceable()))
        .collect();
    let expected = [
        "unknown 8 false",
        "ambiguous 12 false",
        "refunded 7 false",
        "refundPending 7 false",
        "exchanged 7 false",
        "cancelled 7 false",
        "blocked 9 false",
        "wrongEvent 6 false",
        "wrongTime 6 true",
        "expired 5 true",
        "tooEarly 3 true",
        "tooLate 4 true",
        "unpaid 10 true",
        "alreadyAdmitted 2 true",
        "notInside 2 true",
        "membershipLapsed 11 false",
        "membershipNotYet 11 false",
        "cardDropped 11 false",
        "cardReplaced 11 false",
    ];
    assert_eq!(told, expected);
    for reason in Reason::ALL {
        assert_eq!(Reason::parse(&reason.as_str().to_uppercase()), Some(*reason));
        assert_eq!(serde_json::to_value(reason).unwrap(), json!(reason.as_str()));
    }
}

#[test]
fn a_door_lets_in_once_and_says_who_was_first() {
    let mut door = Door::of(&json!({}));
    assert!(door.scan(&entry(MORNING), 0).is_admitted());
    let second = door.scan(&request(2, ScanType::Entry, at("2027-06-03T10:05")), 0);
    assert_eq!((second.reason(), second.status()), (Some(Reason::AlreadyAdmitted), 2));
    let noted = door.order.admission.of(&door.tickets()[0]);
    assert_eq!((noted.first_entry, noted.entries), (Some(at(MORNING)), 1));
    assert_eq!(door.order.admission.terminal_of(&noted), Some("gate 1"));
}

#[test]
fn what_stands_against_a_scan_is_told_in_order() {
    let refused = |change: &dyn Fn(&mut Door, &mut ScanRequest)| {
        let mut door = Door::of(&json!({}));
        let mut wanted = entry(MORNING);
        change(&mut door, &mut wanted);
        let plain = door.scan(&wanted, 0).reason();
        wanted.force = Some("known to us".to_owned());
        (plain, door.scan(&wanted, 0).is_admitted())
    };
    let block = |door: &mut Door| {
        door.block(&[0], Some("stolen"), at(MORNING));
    };
    let cancel = |door: &mut Door| {
        door.slots.get_mut(&slot(MORNING)).unwrap().state = SlotState::Cancelled;
    };
    assert_eq!(
        refused(&|door, _| {
            cancel(door);
            block(door)
        }),
        (Some(Reason::Cancelled), false)
    );
    assert_eq!(
        refused(&|door, wanted| {
            block(door);
            wanted.event = Some(other_event())
        }),
        (Some(Reason::Blocked), false)
    );
    assert_eq!(refused(&|_, wanted| wanted.event = Some(other_event())), (Some(Reason::WrongEvent), false));
    assert_eq!(
        refused(&|_, wanted| {
            wanted.event = Some(slot(NOON));
            wanted.now = at("2027-06-09")
        }),
        (Some(Reason::WrongTime), true)
    );
    assert_eq!(refused(&|_, wanted| wanted.now = at("2027-06-04")), (Some(Reason::Expired), true));
    assert_eq!(refused(&|_, wanted| wanted.now = at("2027-06-02T23:59")), (Some(Reason::TooEarly), true));
    assert_eq!(refused(&|_, wanted| wanted.kind = ScanType::Exit), (Some(Reason::NotInside), true));
}

#[test]
fn staff_who_check_in_by_hand_mind_neither_time_nor_balance() {
    let mut door = Door::of(&json!({}));
    let manual = ScanRequest { checks: Checks::Manual, event: Some(slot(NOON)), ..entry("2027-06-09") };
    assert!(door.scan(&manual, 0).is_admitted());
    assert_eq!(door.scan(&manual, 0).reason(), Some(Reason::AlreadyAdmitted));
    let other = ScanRequest { event: Some(other_event()), ..manual };
    assert_eq!(door.scan(&other, 1).reason(), Some(Reason::WrongEvent));
}

#[test]
fn a_window_is_open_from_its_first_second_to_its_last() {
    let window = json!({"check_in_window": {"minutes_before": 30, "minutes_after": 15, "block_scan": true}});
    for (now, reason) in [
        ("2027-06-03T09:29:59", Some(Reason::TooEarly)),
        ("2027-06-03T09:30:00", None),
        ("2027-06-03T10:15:00", None),
        ("2027-06-03T10:15:01", Some(Reason::TooLate)),
    ] {
        assert_eq!(Door::of(&window).scan(&entry(now), 0).reason(), reason, "{now}");
    }
    let open = json!({"check_in_window": {"minutes_before": 30}});
    assert_eq!(
        Door::of(&open).scan(&entry("2027-06-03T09:00"), 0).warnings,
        [Warning::TooEarly],
        "where nothing blocks, it is said"
    );
    assert!(Door::of(&open).scan(&entry("2027-06-03T23:59:59"), 0).is_admitted());
    assert_eq!(Door::of(&open).scan(&entry("2027-06-04"), 0).reason(), Some(Reason::Expired));
}

#[test]
fn a_ticket_is_good_for_local_days_however_long_they_are() {
    let slot_at = |local: &str| SlotTimes {
        start: at(local),
        end: plus_secs(at(local), 3_600),
        state: SlotState::Active,
        is_current: true,
    };
    let until = |details: &Value, start: &str, sold: &str| {
        Entrance::of(&gallery(details).ticket_details, &slot_at(start), at(sold), zone()).valid_until
    };
    let unset = json!({});
    assert_eq!(until(&unset, "2027-03-14T10:00", "2027-01-01"), at("2027-03-14T23:59:59"));
    assert_eq!(until(&unset, "2027-11-07T10:00", "2027-01-01"), at("2027-11-07T23:59:59"));
    let three = json!({"ticket_duration_days": 3});
    assert_eq!(until(&three, "2027-06-03T10:00", "2027-03-12T18:00"), at("2027-03-14T23:59:59"));
    let from_event = json!({"ticket_duration_days": 3, "expire_from_event_date": true});
    assert_eq!(until(&from_event, "2027-11-06T10:00", "2027-01-01"), at("2027-11-08T23:59:59"));
    let opens =
        Entrance::of(&gallery(&unset).ticket_details, &slot_at("2027-03-14T10:00"), at("2027-01-01"), zone());
    assert_eq!(opens.opens, Some(at("2027-03-14")));
    assert_eq!(opens.minutes_around(at("2027-03-14T10:00")).0, Some(9 * 60), "the day has 23 hours");
}

#[test]
fn a_device_takes_back_its_own_scans_of_a_quarter_of_an_hour() {
    let mut door = Door::of(&json!({}));
    door.scan(&entry(MORNING), 0);
    let later = at("2027-06-03T10:15:01");
    let not_permitted = Err(NotUndone::NotPermitted);
    assert_eq!(door.undo_own(0, with_key("South", None), at("2027-06-03T10:01")), not_permitted);
    assert_eq!(door.undo_own(0, with_key("North", None), later), not_permitted);
    door.block(&[0], Some("lost"), later);
    assert_eq!(door.undo_own(0, with_key("North", None), later), Err(NotUndone::Blocked));
    door.block(&[0], None, later);
    assert_eq!(door.undo(0, UndoRight::Any, later), Ok(()));
    let scan = &door.scans[0];
    let undone = scan.undone(&scan.tickets[0]).unwrap();
    assert_eq!((undone.at, undone.by.unwrap().operator.as_deref()), (later, Some("Dana")));
    assert_eq!(door.undo(0, UndoRight::Any, later), Err(NotUndone::NeverAdmitted), "nothing is left");
    assert_eq!(door.states()[0].state(), AdmissionState::Never);
    assert!(door.is_explained());
}

#[test]
fn the_first_ones_that_never_were_inside_are_picked() {
    let mut door = Door::of(&json!({}));
    door.scan(&entry(MORNING), 0);
    let tickets = door.tickets();
    let ids =
        |places: &[usize]| places.iter().map(|place| tickets[*place].id.clone()).collect::<Vec<TicketId>>();
    let wanted = |quantity| [PickedItem { item: tickets[0].line.clone(), quantity }];
    let pick = |order: &Order, event: &InstanceId, items: Option<&[PickedItem]>, kind: ScanType| {
        pick(order, &tickets, event, items, kind)
    };
    let picked = pick(&door.order, &slot(MORNING), Some(&wanted(1)), ScanType::Entry);
    assert_eq!((picked.tickets, picked.missing), (ids(&[1]), 0));
    let picked = pick(&door.order, &slot(MORNING), Some(&wanted(5)), ScanType::Entry);
    assert_eq!((picked.tickets, picked.missing), (ids(&[1, 2]), 3));
    assert_eq!(pick(&door.order, &slot(MORNING), None, ScanType::Entry).tickets, ids(&[1, 2]));
    assert_eq!(pick(&door.order, &slot(NOON), None, ScanType::Entry), Picked::default());
    // On the way out, whoever is inside.
    assert_eq!(pick(&door.order, &slot(MORNING), None, ScanType::Exit).tickets, ids(&[0]));
    let out = pick(&door.order, &slot(MORNING), Some(&wanted(2)), ScanType::Exit);
    assert_eq!((out.tickets, out.missing), (ids(&[0]), 1));
    // Where all came in, they are told so.
    for ticket in [1, 2] {
        door.scan(&request(3, ScanType::Entry, at(MORNING)), ticket);
    }
    assert_eq!(pick(&door.order, &slot(MORNING), None, ScanType::Entry).tickets, ids(&[0, 1, 2]));
}

/// What devices and doors do: which ticket, in or out, so many minutes after the doors open.
fn steps() -> impl Strategy<Value = Vec<(usize, bool, i64)>> {
    prop::collection::vec((0_usize..3, any::<bool>(), 0_i64..600), 1..24)
}

/// An exchange of these tickets in the middle of the day.
fn forced_exchange(order: &Order, tickets: Vec<TicketId>) -> Exchange {
    let line = order.all_ticket_lines().next().unwrap().clone();
    let from = line.id.clone();
    Exchange {
        number: 4,
        at: at("2027-06-03T05:00"),
        by: "Office".to_owned(),
        operator: None,
        moved: vec![MovedLine { from, tickets, line, successors: Vec::new() }],
        fee: crate::Money::ZERO,
        waived: false,
        mailed: false,
        fingerprint: None,
        forced: true,
    }
}

fn reentry(word: &str) -> Value {
    json!({"reentry": word})
}

proptest! {
    #[test]
    fn a_ticket_without_reentry_is_admitted_once(mut steps in steps()) {
        steps.sort_by_key(|(_, _, minutes)| *minutes);
        let mut door = Door::of(&reentry("never"));
        for (number, (ticket, is_entry, minutes)) in (1_u8..).zip(steps) {
            let kind = if is_entry { ScanType::Entry } else { ScanType::Exit };
            let wanted = request(number, kind, plus_secs(at("2027-06-03T00:00"), minutes * 60));
            let before = door.states()[ticket];
            let verdict = door.scan(&wanted, ticket);
            prop_assert_eq!(verdict.is_admitted() && is_entry, is_entry && !before.is_admitted());
            prop_assert_eq!(verdict.is_admitted() && !is_entry, !is_entry && before.inside);
            prop_assert!(door.is_explained());
        }
        prop_assert!(door.states().iter().all(|state| state.entries <= 1));
    }

    #[test]
    fn whoever_left_may_come_back_where_that_is_allowed(mut steps in steps()) {
        steps.sort_by_key(|(_, _, minutes)| *minutes);
        let mut door = Door::of(&reentry("afterExit"));
        for (number, (ticket, is_entry, minutes)) in (1_u8..).zip(steps) {
            let kind = if is_entry { ScanType::Entry } else { ScanType::Exit };
            let wanted = request(number, kind, plus_secs(at("2027-06-03T00:00"), minutes * 60));
            let before = door.states()[ticket];
            let verdict = door.scan(&wanted, ticket);
            prop_assert_eq!(verdict.is_admitted(), is_entry != before.inside);
        }
        prop_assert!(door.is_explained());
    }

    #[test]
    fn taking_back_is_the_inverse_of_a_scan(steps in steps(), last in 0_usize..3, is_entry in any::<bool>()) {
        let mut door = Door::of(&reentry("always"));
        let mut minutes: Vec<_> = steps;
        minutes.sort_by_key(|(_, _, minutes)| *minutes);
        for (number, (ticket, is_entry, minutes)) in (1_u8..).zip(minutes) {
            let kind = if is_entry { ScanType::Entry } else { ScanType::Exit };
            door.scan(&request(number, kind, plus_secs(at("2027-06-03T00:00"), minutes * 60)), ticket);
        }
        let before = door.states();
        let kind = if is_entry { ScanType::Entry } else { ScanType::Exit };
        let now = plus_secs(at("2027-06-03T00:00"), 601 * 60);
        if door.scan(&request(200, kind, now), last).is_admitted() {
            prop_assert_eq!(door.undo(last, UndoRight::Any, now), Ok(()));
        }
        prop_assert_eq!(door.states(), before);
        prop_assert!(door.is_explained());
    }

    /// Whatever happened before, and whichever tickets are given: who is inside with one of them has left, nobody else has,
    /// and counts stay the sums of what the scans say.
    #[test]
    fn an_exchange_takes_out_whoever_is_inside(steps in steps(), given in prop::collection::vec(any::<bool>(), 3)) {
        let mut door = Door::of(&reentry("always"));
        for (number, (ticket, is_entry, minutes)) in (1_u8..).zip(steps) {
            let kind = if is_entry { ScanType::Entry } else { ScanType::Exit };
            door.scan(&request(number, kind, plus_secs(at("2027-06-03T00:00"), minutes * 60)), ticket);
        }
        let (before, tickets) = (door.states(), door.tickets());
        let places: Vec<usize> = (0..3).filter(|place| given[*place]).collect();
        let exchange = forced_exchange(&door.order, places.iter().map(|place| tickets[*place].id.clone()).collect());
        let change = taken_out(&door.order, &tickets, &exchange, None);
        prop_assert_eq!(change.is_some(), places.iter().any(|place| before[*place].inside));
        door.take(change);
        for (place, after) in door.states().into_iter().enumerate() {
            prop_assert_eq!(after.inside, before[place].inside && !given[place]);
            let of_entries = |one: &crate::order::Admission| (one.first_entry, one.last_entry, one.entries);
            prop_assert_eq!(of_entries(&after), of_entries(&before[place]));
        }
        prop_assert!(door.is_explained());
    }

    #[test]
    fn an_upload_counts_once_and_the_earliest_entry_is_the_first(steps in steps(), seed in any::<u64>()) {
        let told = |order: &[usize]| {
            let mut door = Door::of(&reentry("never"));
            let tickets = door.tickets();
            let all: Vec<UploadedScan> = (1_u8..)
                .zip(&steps)
                .map(|(number, (ticket, is_entry, minutes))| UploadedScan {
                    id: AdmissionId::from_bytes([number; 16]),
                    ticket: tickets[*ticket].id.clone(),
                    event: None,
                    kind: if *is_entry { ScanType::Entry } else { ScanType::Exit },
                    at: plus_secs(at("2027-06-03T00:00"), minutes * 60 + i64::from(number)),
                    decision: DeviceDecision::Admitted,
                    note: None,
                })
                .collect();
            for place in order {
                for _ in 0..2 {
                    let known = door.scans.clone();
                    let one = [all[*place].clone()];
                    let now = at("2027-06-03T12:00");
                    let decided = door.asked(|facts| decide_upload(facts, &known, &one, &Actor::default(), now));
                    door.take(decided.change);
                }
            }
            (door.states(), door.is_explained(), door.scans.len())
        };
        let in_order: Vec<usize> = (0..steps.len()).collect();
        let mut shuffled = in_order.clone();
        shuffled.sort_by_key(|place| (u64::try_from(*place).unwrap() + 1).wrapping_mul(seed | 1));
        let (one, is_explained, scans) = told(&in_order);
        prop_assert!(is_explained);
        prop_assert_eq!(scans, steps.len());
        prop_assert_eq!(&one, &told(&shuffled).0);
        for (ticket, state) in one.iter().enumerate() {
            let entries = steps.iter().filter(|(place, is_entry, _)| *place == ticket && *is_entry).count();
            prop_assert_eq!(usize::try_from(state.entries).unwrap(), entries);
        }
    }
}

#[test]
fn an_upload_is_noted_whatever_the_rules_say() {
    let mut door = Door::of(&json!({}));
    door.scan(&entry(MORNING), 0);
    let tickets = door.tickets();
    let told = |door: &mut Door, number: u8, ticket: usize, decision: DeviceDecision| {
        let upload = UploadedScan {
            id: AdmissionId::from_bytes([number; 16]),
            ticket: tickets[ticket].id.clone(),
            event: None,
            kind: ScanType::Entry,
            at: at("2027-06-03T09:00"),
            decision,
            note: None,
        };
        let known = door.scans.clone();
        let now = at("2027-06-03T12:00");
        let decided = door.asked(|facts| decide_upload(facts, &known, &[upload], &Actor::default(), now));
        door.take(decided.change);
        decided.outcomes[0]
    };
    assert_eq!(told(&mut door, 20, 0, DeviceDecision::Admitted), UploadOutcome::Conflict);
    assert_eq!(told(&mut door, 20, 0, DeviceDecision::Admitted), UploadOutcome::Duplicate);
    let refused = DeviceDecision::Refused { reason: Some(Reason::TooEarly) };
    assert_eq!(told(&mut door, 21, 1, refused), UploadOutcome::Recorded);
    assert_eq!(told(&mut door, 22, 1, DeviceDecision::Admitted), UploadOutcome::Recorded);
    door.slots.get_mut(&slot(MORNING)).unwrap().state = SlotState::Cancelled;
    assert_eq!(told(&mut door, 23, 2, DeviceDecision::Admitted), UploadOutcome::NotValid);
    let states = door.states();
    assert_eq!([states[0].entries, states[1].entries, states[2].entries], [2, 1, 0]);
    assert_eq!(states[0].first_entry, Some(at("2027-06-03T09:00")), "the earliest that is known");
    assert!(door.is_explained());
}

/// New tickets for those that are exchanged.
#[derive(Default)]
struct Numbers(u64);

impl Generate for Numbers {
    type Error = ();

    fn item(&mut self) -> Result<OrderItemId, ()> {
        self.0 += 1;
        Ok(OrderItemId::from_bits(900 + self.0))
    }

    fn ticket(&mut self) -> Result<(TicketId, TicketBarcode), ()> {
        self.0 += 1;
        Ok((TicketId::from_bits(900 + self.0), TicketBarcode::from_bytes([9; 16])))
    }
}

#[test]
fn after_two_exchanges_each_ticket_has_the_one_in_its_own_place() {
    let order = morning();
    let tickets = current(&order);
    let [one, other] = [0, 1].map(|place: usize| tickets[place].id.clone());
    let line = order.all_ticket_lines().next().unwrap().clone();
    let new_ticket = |bits: u64, line: &OrderItemId| Ticket {
        id: TicketId::from_bits(bits),
        barcode: TicketBarcode::from_bytes([9; 16]),
        line: line.clone(),
        status: TicketStatus::Normal,
        printed: false,
    };
    let moved = |id: u64, from: &OrderItemId, old: Vec<TicketId>, to: &str| {
        let id = OrderItemId::from_bits(id);
        let line = crate::order::OrderTicketLine { id, instance: slot(to), ..line.clone() };
        crate::order::MovedLine { from: from.clone(), tickets: old, line, successors: Vec::new() }
    };
    let first = moved(901, &line.id, vec![one.clone(), other.clone()], NOON);
    // Of the two new ones, the first is exchanged again.
    let second = moved(902, &first.line.id, vec![TicketId::from_bits(11)], "2027-06-03T14:00");
    let mut all = tickets.clone();
    all.extend([11, 12].map(|bits| new_ticket(bits, &first.line.id)));
    all.push(new_ticket(13, &second.line.id));
    let mut after_sale = order.after_sale.clone();
    for (number, moved) in [(0, first), (1, second)] {
        after_sale = after_sale.with_exchange(crate::order::Exchange {
            number,
            at: at(MORNING),
            by: "Office".to_owned(),
            operator: None,
            moved: vec![moved],
            fee: crate::Money::ZERO,
            waived: false,
            mailed: false,
            fingerprint: None,
            forced: false,
        });
    }
    let door = Door { order: Order { after_sale, ..order }, ..Door::of(&json!({})) };
    let facts = DoorFacts {
        order: &door.order,
        tickets: &all,
        slots: &door.slots,
        templates: &door.templates,
        zone: zone(),
        rules: door.rules,
    };
    let replacement = |id: &TicketId| facts.replacement_of(id).map(|ticket| ticket.id.clone());
    assert_eq!(replacement(&one), Some(TicketId::from_bits(13)));
    assert_eq!(replacement(&other), Some(TicketId::from_bits(12)));
    assert_eq!(replacement(&tickets[2].id), None);
}

#[test]
fn two_keys_of_one_label_take_nothing_of_each_other_back() {
    let now = at("2027-06-03T10:01");
    for (scanned, undoing, is_own) in [
        (Some("6b1d"), Some("6b1d"), true),
        (Some("6b1d"), Some("c09a"), false),
        // Nobody noted with which key.
        (None, Some("c09a"), true),
    ] {
        let mut door = Door::of(&json!({}));
        door.scan(&ScanRequest { actor: with_key("North", scanned), ..entry(MORNING) }, 0);
        let expected = if is_own { Ok(()) } else { Err(NotUndone::NotPermitted) };
        assert_eq!(door.undo_own(0, with_key("North", undoing), now), expected, "{scanned:?} {undoing:?}");
    }
    let stored = json!({"key": "North", "terminal": "gate 1"});
    let actor: Actor = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(serde_json::to_value(&actor).unwrap(), stored, "records of before");
}

#[test]
fn staff_insist_on_a_card_that_was_there_and_on_no_membership() {
    let membership = |expires: &str| -> Membership {
        serde_json::from_value(json!({
            "id": 7, "number": 8, "level": "crew", "offering": "year", "price_point": "adult",
            "joined": "2027-01-01T00:00:00Z", "started": "2027-01-01T00:00:00Z", "expires": expires,
            "cards": [{"id": 1, "barcode": "b1", "person": {"first_name": "Ada", "last_name": "Byron"}}],
        }))
        .unwrap()
    };
    let earlier: Visit = serde_json::from_value(json!({
        "first_at": at(MORNING).timestamp_millis(), "visits": 1, "last": "0123456789abcdef0123456789abcdef",
    }))
    .unwrap();
    let shown = |insists| CardShown { reentry: CardReentry::Never, insists, now: at("2027-06-03T11:00") };
    let verdict = |membership: &Membership, insists| {
        let facts = CardFacts { membership, card: &membership.cards[0] };
        decide_visit(facts, Some(&earlier), shown(insists)).verdict
    };
    let in_force = membership("2028-01-01T00:00:00Z");
    assert_eq!(verdict(&in_force, false).reason(), Some(Reason::AlreadyAdmitted));
    assert!(verdict(&in_force, true).is_admitted() && verdict(&in_force, true).is_forced());
    let ended = membership("2027-06-01T00:00:00Z");
    assert_eq!(verdict(&ended, true).reason(), Some(Reason::MembershipLapsed));
}

#[test]
fn a_repeated_undo_takes_nothing_more_back() {
    let mut door = Door::of(&reentry("always"));
    for number in 1..=3 {
        door.scan(&request(number, ScanType::Entry, plus_secs(at(MORNING), i64::from(number))), 0);
    }
    let undo = UndoRequest {
        id: AdmissionId::from_bytes([77; 16]),
        right: UndoRight::Any,
        actor: Actor::default(),
        now: at("2027-06-03T10:30"),
    };
    assert_eq!([door.undo_by(0, &undo), door.undo_by(0, &undo)], [Ok(()), Ok(())]);
    assert_eq!(door.states()[0].entries, 2);
}

#[test]
fn what_was_taken_back_before_it_was_noted_by_whom_is_read() {
    let stored = json!({"t": "7", "r": {"is": "done"}, "u": at(MORNING).timestamp_millis()});
    let scanned: ScannedTicket = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(serde_json::to_value(&scanned).unwrap(), stored);
    let mut door = Door::of(&json!({}));
    door.scan(&entry(MORNING), 0);
    let undone = door.scans[0].undone(&scanned).unwrap();
    assert_eq!((undone.at, undone.by), (at(MORNING), None));
}

#[test]
fn an_exit_that_a_device_tells_of_a_ticket_that_never_entered_keeps_nobody_out() {
    let mut door = Door::of(&reentry("never"));
    let told = UploadedScan {
        id: AdmissionId::from_bytes([20; 16]),
        ticket: door.tickets()[0].id.clone(),
        event: None,
        kind: ScanType::Exit,
        at: at("2027-06-03T09:00"),
        decision: DeviceDecision::Admitted,
        note: None,
    };
    let now = at("2027-06-03T09:30");
    let decided = door.asked(|facts| decide_upload(facts, &[], &[told], &Actor::default(), now));
    door.take(decided.change);
    assert_eq!((door.states()[0].state(), door.scans.len()), (AdmissionState::Never, 1));
    assert!(door.scan(&entry(MORNING), 0).is_admitted());
}

#[test]
fn another_reason_of_a_block_is_kept_with_a_record_of_its_own() {
    let mut door = Door::of(&json!({}));
    let later = at("2027-06-03T11:00");
    assert_eq!(door.block(&[0], Some("lost"), at(MORNING)), 1);
    assert_eq!(door.block(&[0], Some("lost"), later), 0);
    assert_eq!(door.block(&[0], Some("stolen"), later), 1);
    let noted = door.states()[0];
    assert_eq!(
        (noted.blocked_at, door.order.admission.block_reason_of(&noted)),
        (Some(at(MORNING)), Some("stolen"))
    );
}

/// The slot at noon, with so many seats left.
fn noon(free: u32) -> crate::ledger::Ledger {
    let start = at(NOON).timestamp_millis();
    serde_json::from_value(json!({
        "instance": slot(NOON), "template": GALLERY, "shard": 0, "start": start, "end": start + 3_600_000,
        "state": "active", "size": 10, "free": free, "sold": 10 - free,
    }))
    .unwrap()
}

/// What stands against a scan of a ticket, of all that may.
#[derive(Debug, Clone, Copy)]
struct Obstacles {
    status: TicketStatus,
    cancelled: bool,
    blocked: bool,
    /// Another event, another time of this one, or the ticket's own.
    place: u8,
    /// Before the window, within, behind it, or when the ticket is over.
    time: u8,
    unpaid: bool,
    admitted: bool,
    exit: bool,
}

fn obstacles() -> impl Strategy<Value = Obstacles> {
    let status = prop::sample::select(vec![
        TicketStatus::Normal,
        TicketStatus::Normal,
        TicketStatus::Normal,
        TicketStatus::RefundPending,
        TicketStatus::Refunded,
        TicketStatus::Exchanged,
    ]);
    let flag = any::<bool>;
    (status, flag(), flag(), 0_u8..3, 0_u8..4, flag(), flag(), flag()).prop_map(
        |(status, cancelled, blocked, place, time, unpaid, admitted, exit)| Obstacles {
            status,
            cancelled,
            blocked,
            place,
            time,
            unpaid,
            admitted,
            exit,
        },
    )
}

impl Obstacles {
    /// Every reason that applies, by itself.
    fn reasons(self) -> Vec<Reason> {
        let by_status = match self.status {
            TicketStatus::Normal => None,
            TicketStatus::RefundPending => Some(Reason::RefundPending),
            TicketStatus::Refunded => Some(Reason::Refunded),
            TicketStatus::Exchanged => Some(Reason::Exchanged),
        };
        let by_time = [Some(Reason::TooEarly), None, Some(Reason::TooLate), Some(Reason::Expired)];
        let by_time = by_time[usize::from(self.time)].filter(|_| !self.exit);
        let by_place = [Some(Reason::WrongEvent), Some(Reason::WrongTime), None][usize::from(self.place)];
        let given = |applies: bool, reason: Reason| applies.then_some(reason);
        let of_entry = |reason: Option<Reason>| reason.filter(|_| !self.exit);
        // Whoever is inside can leave whatever became of the ticket.
        let by_place = by_place.filter(|reason| !self.exit || *reason == Reason::WrongEvent);
        let all = [
            of_entry(by_status),
            given(self.cancelled && !self.exit, Reason::Cancelled),
            given(self.blocked && !self.exit, Reason::Blocked),
            by_place,
            by_time,
            given(self.unpaid && !self.exit, Reason::Unpaid),
            given(self.admitted && !self.exit, Reason::AlreadyAdmitted),
            given(!self.admitted && self.exit, Reason::NotInside),
        ];
        all.into_iter().flatten().collect()
    }

    fn request(self) -> ScanRequest {
        let kind = if self.exit { ScanType::Exit } else { ScanType::Entry };
        let times = ["2027-06-03T09:00", MORNING, "2027-06-03T11:00", "2027-06-09"];
        let places = [Some(other_event()), Some(slot(NOON)), Some(slot(MORNING))];
        let event = places[usize::from(self.place)];
        ScanRequest { event, ..request(2, kind, at(times[usize::from(self.time)])) }
    }

    /// A door at which all of this stands against the first ticket.
    fn verdict(self, force: bool) -> DoorVerdict {
        let window =
            json!({"check_in_window": {"minutes_before": 30, "minutes_after": 15, "block_scan": true}});
        let mut door = Door::of(&window);
        if self.admitted {
            assert!(door.scan(&entry(MORNING), 0).is_admitted());
        }
        if self.blocked {
            door.block(&[0], Some("lost"), at(MORNING));
        }
        if self.cancelled {
            door.slots.get_mut(&slot(MORNING)).unwrap().state = SlotState::Cancelled;
        }
        if self.unpaid {
            door.rules = DoorRules { admit_unpaid: false, ..DoorRules::default() };
            door.order.after_sale = door.order.after_sale.with_exchange(crate::order::Exchange {
                number: 0,
                at: at(MORNING),
                by: "Office".to_owned(),
                operator: None,
                moved: Vec::new(),
                fee: crate::Money::from_cents(500),
                waived: false,
                mailed: false,
                fingerprint: None,
                forced: false,
            });
        }
        let ticket = Ticket { status: self.status, ..door.tickets().remove(0) };
        let wanted = ScanRequest { force: force.then(|| "known to us".to_owned()), ..self.request() };
        door.asked(|facts| decide(facts, &ticket, &door.order.admission.of(&ticket), &wanted))
    }
}

proptest! {
    #[test]
    fn of_all_that_stands_against_a_scan_the_first_is_told(obstacles in obstacles()) {
        let reasons = obstacles.reasons();
        let first = reasons.iter().min().copied();
        prop_assert_eq!(obstacles.verdict(false).reason(), first);
        // Those that staff may overrule are behind all others, so that nothing hides behind what is overruled.
        let is_forceable = reasons.iter().all(|reason| reason.is_forceable());
        let forced = obstacles.verdict(true);
        prop_assert_eq!(forced.is_admitted(), is_forceable);
        prop_assert_eq!(forced.is_forced(), is_forceable && first.is_some());
        if !is_forceable {
            prop_assert_eq!(forced.reason(), first);
        }
        let mut sorted = reasons;
        sorted.sort_unstable();
        let mut suffix = sorted.iter().skip_while(|reason| !reason.is_forceable());
        prop_assert!(suffix.all(|reason| reason.is_forceable()));
    }

    #[test]
    fn a_move_takes_all_tickets_or_none_and_lets_each_in(
        named in prop::collection::vec(0_usize..3, 1..5),
        admitted in prop::collection::vec(any::<bool>(), 3),
        free in 0_u32..4,
    ) {
        let window = json!({"minutes_before": 30, "minutes_after": 15, "block_scan": true, "auto_rebook": true});
        let mut door = Door::of(&json!({"check_in_window": window}));
        let prices = json!([{"ticket_type": "adult", "price": 1_800, "display_order": 1}]);
        let lists = json!([{"id": "day", "name": "day", "prices": prices}]);
        door.templates[0].price_lists = serde_json::from_value(lists).unwrap();
        for (ticket, _) in admitted.iter().enumerate().filter(|(_, is_admitted)| **is_admitted) {
            door.scan(&entry(MORNING), ticket);
        }
        let tickets = door.tickets();
        let ids: Vec<TicketId> = named.iter().map(|place| tickets[*place].id.clone()).collect();
        let fresh: BTreeSet<usize> = named.iter().copied().filter(|place| !admitted[*place]).collect();
        let is_room = usize::try_from(free).unwrap() >= fresh.len();
        let now = at("2027-06-03T11:45");
        let wanted = ScanRequest { event: Some(slot(NOON)), ..request(50, ScanType::Entry, now) };
        let ledger = noon(free);
        let to = MoveFacts { event: slot(NOON), ledger: Some(&ledger) };
        let decided = door.asked(|facts| move_at_door(facts, &to, &wanted, &ids, &mut Numbers::default()));
        match decided.unwrap() {
            MoveDecision::Nothing(_) => prop_assert!(fresh.is_empty()),
            MoveDecision::Stays(scan) => {
                prop_assert!(!is_room);
                prop_assert!(scan.verdicts.iter().all(|verdict| !verdict.verdict.is_admitted()));
            }
            MoveDecision::Moved(moved) => {
                prop_assert!(is_room && !fresh.is_empty());
                let gone: usize = moved.exchange.exchange.moved.iter().map(|line| line.tickets.len()).sum();
                prop_assert_eq!((gone, moved.exchange.tickets.len()), (fresh.len(), fresh.len()));
                for new in &moved.exchange.tickets {
                    let is_new = |ticket: &Ticket| ticket.id == new.id;
                    let lets_in = |verdict: &TicketVerdict| {
                        verdict.verdict.is_admitted() && verdict.ticket.as_ref().is_some_and(is_new)
                    };
                    prop_assert!(moved.scan.verdicts.iter().any(lets_in));
                }
            }
        }
    }

    #[test]
    fn a_repetition_is_answered_as_its_first_try(
        steps in steps(), word in prop::sample::select(vec!["never", "afterExit", "always"]),
    ) {
        let mut door = Door::of(&reentry(word));
        let mut steps = steps;
        steps.sort_by_key(|(_, _, minutes)| *minutes);
        let mut first: Vec<(AdmissionId, Vec<TicketId>, DecidedScan)> = Vec::new();
        for (number, (ticket, is_entry, minutes)) in (1_u8..).zip(steps) {
            if number % 5 == 4 {
                let reason = (number % 2 == 0).then_some("lost");
                door.block(&[ticket], reason, plus_secs(at("2027-06-03T00:00"), minutes * 60));
            }
            let kind = if is_entry { ScanType::Entry } else { ScanType::Exit };
            let mut wanted = request(number, kind, plus_secs(at("2027-06-03T00:00"), minutes * 60));
            wanted.force = (number % 3 == 0).then(|| "known to us".to_owned());
            let id = door.tickets()[ticket].id.clone();
            let named = vec![id.clone(), id];
            let decided = door.asked(|facts| decide_scan(facts, &wanted, &named));
            door.take(decided.change.clone());
            if decided.change.is_none() {
                door.scans.extend(decided.scan.clone());
            }
            first.push((wanted.id, named, decided));
        }
        for (id, named, decided) in first {
            let scan = door.scans.iter().find(|scan| scan.id == id).unwrap();
            let again = door.asked(|facts| as_recorded(facts, scan, &door.scans, &named));
            prop_assert_eq!(again.verdicts, decided.verdicts);
        }
    }

    #[test]
    fn a_block_twice_is_one_and_is_taken_back_whole(
        steps in steps(), blocked in prop::collection::vec(0_usize..3, 1..3),
    ) {
        let mut door = Door::of(&reentry("always"));
        for (number, (ticket, is_entry, minutes)) in (1_u8..).zip(steps) {
            let kind = if is_entry { ScanType::Entry } else { ScanType::Exit };
            door.scan(&request(number, kind, plus_secs(at("2027-06-03T00:00"), minutes * 60)), ticket);
        }
        let (before, now) = (door.states(), at("2027-06-03T12:00"));
        prop_assert_eq!(door.block(&blocked, Some("lost"), now), 1);
        let once = door.order.admission.clone();
        prop_assert_eq!(door.block(&blocked, Some("lost"), plus_secs(now, 60)), 0);
        prop_assert_eq!(&door.order.admission, &once);
        prop_assert_eq!(door.block(&blocked, None, plus_secs(now, 60)), 1);
        prop_assert_eq!(door.states(), before);
    }

    /// A device that was offline and one that was not note the same entries.
    #[test]
    fn entries_in_order_of_time_are_uploaded_where_a_door_admits(
        steps in steps(), word in prop::sample::select(vec!["never", "afterExit", "always"]), blocked in any::<bool>(),
    ) {
        let (mut online, mut offline) = (Door::of(&reentry(word)), Door::of(&reentry(word)));
        if blocked {
            for door in [&mut online, &mut offline] {
                door.block(&[0], Some("lost"), at("2027-06-03T00:00"));
            }
        }
        let mut steps = steps;
        steps.sort_by_key(|(_, _, minutes)| *minutes);
        for (number, (ticket, is_entry, minutes)) in (1_u8..).zip(steps) {
            let kind = if is_entry { ScanType::Entry } else { ScanType::Exit };
            let now = plus_secs(at("2027-06-03T00:00"), minutes * 60 + i64::from(number));
            let is_admitted = online.scan(&request(number, kind, now), ticket).is_admitted();
            let told = UploadedScan {
                id: AdmissionId::from_bytes([number; 16]),
                ticket: offline.tickets()[ticket].id.clone(),
                event: None,
                kind,
                at: now,
                decision: DeviceDecision::Admitted,
                note: None,
            };
            let known = offline.scans.clone();
            let decided = offline.asked(|facts| decide_upload(facts, &known, &[told], &Actor::default(), now));
            let is_recorded = decided.outcomes[0] == UploadOutcome::Recorded;
            offline.take(decided.change);
            if is_entry {
                prop_assert_eq!(is_recorded, is_admitted);
            }
        }
    }
}

/// A device whose clock is ahead by so many seconds tells of an exit.
fn exit_ahead(door: &mut Door, now: Timestamp, secs: i64) {
    let told = UploadedScan {
        id: AdmissionId::from_bytes([30; 16]),
        ticket: door.tickets()[0].id.clone(),
        event: None,
        kind: ScanType::Exit,
        at: plus_secs(now, secs),
        decision: DeviceDecision::Admitted,
        note: None,
    };
    let known = door.scans.clone();
    let decided = door.asked(|facts| decide_upload(facts, &known, &[told], &Actor::default(), now));
    door.take(decided.change);
}

#[test]
fn no_clock_that_is_ahead_lets_in_twice_or_keeps_out() {
    let mut door = Door::of(&reentry("afterExit"));
    assert!(door.scan(&entry(MORNING), 0).is_admitted());
    let now = plus_secs(at(MORNING), 60);
    exit_ahead(&mut door, now, 300);
    let told = door.scans.last().unwrap();
    assert_eq!((told.at, told.device_at), (now, Some(plus_secs(now, 300))));
    // The clock of this door is behind: one comes back in, and one alone.
    let behind = plus_secs(now, -1);
    assert!(door.scan(&request(2, ScanType::Entry, behind), 0).is_admitted());
    assert_eq!(door.scan(&request(3, ScanType::Entry, behind), 0).reason(), Some(Reason::AlreadyAdmitted));
    assert!(door.scan(&request(4, ScanType::Exit, behind), 0).is_admitted());
    assert!(door.scan(&request(5, ScanType::Entry, behind), 0).is_admitted());
    assert!(door.is_explained());
}

#[test]
fn whoever_is_inside_can_leave_whatever_became_of_the_ticket() {
    let mut door = Door::of(&json!({}));
    assert!(door.scan(&entry(MORNING), 0).is_admitted());
    door.block(&[0], Some("lost"), at(MORNING));
    door.slots.get_mut(&slot(MORNING)).unwrap().state = SlotState::Cancelled;
    assert!(door.scan(&request(2, ScanType::Exit, at("2027-06-03T11:00")), 0).is_admitted());
    assert_eq!(
        door.scan(&request(3, ScanType::Exit, at("2027-06-03T11:01")), 0).reason(),
        Some(Reason::NotInside)
    );
}

#[test]
fn a_repetition_is_answered_for_a_day_and_not_after_it_was_taken_back() {
    let mut door = Door::of(&json!({}));
    door.scan(&entry(MORNING), 0);
    let scan = door.scans[0].clone();
    assert!(answers(&scan, plus_secs(at(MORNING), 86_400)));
    assert!(!answers(&scan, plus_secs(at(MORNING), 86_401)));
    door.undo(0, UndoRight::Any, at("2027-06-03T10:30")).unwrap();
    assert!(!answers(&door.scans[0], at("2027-06-03T10:30")));
    let named = [scan.tickets[0].ticket.clone()];
    let refused = door.asked(|facts| decide_scan(facts, &entry("2027-06-02"), &named));
    assert!(!answers(&refused.scan.unwrap(), at("2027-06-02")));
}

#[test]
fn a_refusal_is_recorded_once_a_minute_by_device() {
    let door = Door::of(&json!({}));
    let id = door.tickets()[0].id.clone();
    let recorded = |number: u8, now: &str, terminal: &str| {
        let mut wanted = request(number, ScanType::Entry, at(now));
        wanted.actor.terminal = Some(terminal.to_owned());
        let decided = door.asked(|facts| decide_scan(facts, &wanted, std::slice::from_ref(&id)));
        AdmissionId::of_refusal(&decided.scan.unwrap(), &door.order.id)
    };
    let first = recorded(1, "2027-06-02T10:00:01", "gate 1");
    assert_eq!(recorded(2, "2027-06-02T10:00:59", "gate 1"), first);
    assert_ne!(recorded(3, "2027-06-02T10:01:00", "gate 1"), first);
    assert_ne!(recorded(4, "2027-06-02T10:00:01", "gate 2"), first);
}
