use super::*;
use crate::TemplateId;
use crate::ledger::{OwnHold, SlotState};

const SECOND: &str = "2027-05-01T12:00:00.750Z";

fn now() -> Timestamp {
    SECOND.parse().unwrap()
}

fn template() -> Template {
    serde_json::from_value(serde_json::json!({
        "id": "6f2e91b0c47d5a3e18b90f42", "name": "Tour", "description": "", "short_description": "",
        "start": "2027-05-01T00:00:00Z", "review_state": "Published", "duration_minutes": 60, "capacity": 5,
        "last_updated": "2027-04-01T00:00:00Z",
    }))
    .unwrap()
}

fn slot(hour: i64, size: u32) -> Ledger {
    let template = TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap();
    let start = plus_secs(now().trunc_subsecs(0), hour * 3_600);
    Ledger {
        instance: InstanceId::of(&template, None, start.naive_utc(), start).unwrap(),
        template,
        schedule: None,
        shard: 0,
        start,
        end: plus_secs(start, 3_600),
        state: SlotState::Active,
        size,
        free: size,
        sold: 0,
        holds: BTreeMap::new(),
        edited: false,
    }
}

fn id() -> ReservationId {
    ReservationId::parse(20_418).unwrap()
}

fn item_id(number: i64) -> ReservationItemId {
    ReservationItemId::parse(number).unwrap()
}

fn wanted(slots: &[(&Ledger, u32)]) -> Vec<WantedItem> {
    let lines = slots.iter().enumerate();
    lines
        .map(|(line, (slot, quantity))| WantedItem { instance: slot.instance, quantity: *quantity, line })
        .collect()
}

fn begun(wanted: &[WantedItem], hold_secs: u32) -> Reservation {
    let ids: Vec<ReservationItemId> = (1..).map(item_id).take(wanted.len()).collect();
    Reservation::begin(
        id(),
        wanted,
        &ids,
        ReservationContext { now: now(), hold_secs, fingerprint: None, storefront: None, operator: None },
    )
}

/// A world of slots, in which decided steps are carried out.
struct World {
    templates: Vec<Template>,
    ledgers: BTreeMap<InstanceId, Ledger>,
}

impl World {
    fn of(slots: &[&Ledger]) -> Self {
        let ledgers = slots.iter().map(|slot| (slot.instance, (*slot).clone())).collect();
        Self { templates: vec![template()], ledgers }
    }

    fn slots(&self) -> Slots<'_> {
        Slots {
            ledgers: &self.ledgers,
            templates: &self.templates,
            zone: Zone::parse("UTC").unwrap(),
            channel: None,
        }
    }

    fn carry_out(&mut self, step: &ReservationStep, now: Timestamp) {
        let ReservationStep::Commit(changes) = step else { panic!("{step:?}") };
        for (slot, change) in changes {
            let next = self.ledgers[slot].apply(change, now).unwrap();
            assert!(next.is_sound());
            self.ledgers.insert(*slot, next);
        }
    }

    fn hold(&mut self, wanted: &[WantedItem]) -> Reservation {
        let reservation = begun(wanted, 600);
        let expires_at = reservation.terms.expires_at;
        let step = decide_holds(&reservation, wanted, expires_at, &self.slots(), now()).unwrap();
        self.carry_out(&step, now());
        reservation
    }

    fn free(&self, slot: &Ledger) -> u32 {
        self.ledgers[&slot.instance].free
    }
}

fn change(items: Vec<WantedItem>, expires_at: Option<&str>) -> ReservationChange {
    let expires_at = expires_at.map(|text| text.parse().unwrap());
    ReservationChange { id: id(), expires_at, items, named: vec![] }
}

#[test]
fn a_hold_ends_on_a_whole_second_at_most_half_an_hour_after_it_began() {
    for (hold_secs, expected) in [(600, "12:10:00"), (1_800, "12:30:00"), (86_400, "12:30:00")] {
        let expires_at = begun(&[], hold_secs).terms.expires_at;
        assert_eq!(expires_at.format("%H:%M:%S%.f").to_string(), expected, "{hold_secs}");
    }
}

#[test]
fn an_update_may_extend_within_the_cap_and_shorten_but_not_into_the_past() {
    let reservation = begun(&[], 600);
    for (asked, expected) in [
        (None, Ok("12:10:00")),
        (Some("2099-01-01T00:00:00-05:00"), Ok("12:30:00")),
        (Some("2027-05-01T12:20:00.9Z"), Ok("12:20:00")),
        (Some("2027-05-01T12:05:00Z"), Ok("12:05:00")),
        (Some("2027-05-01T12:00:00Z"), Err(ReservationRefusal::ExpiryPast)),
        (Some("2026-05-01T12:00:00Z"), Err(ReservationRefusal::ExpiryPast)),
    ] {
        let world = World::of(&[]);
        let update = decide_update(&reservation, &change(vec![], asked), &[], &world.slots(), now());
        let time = update.map(|update| update.next.terms.expires_at.format("%H:%M:%S%.f").to_string());
        assert_eq!(time, expected.map(str::to_owned), "{asked:?}");
    }
}

#[test]
fn an_update_keeps_the_ids_of_kept_events_and_releases_what_is_left_out() {
    let (first, second, third) = (slot(1, 5), slot(2, 5), slot(3, 5));
    let mut world = World::of(&[&first, &second, &third]);
    let reservation = world.hold(&wanted(&[(&first, 2), (&second, 3)]));
    let wish = change(wanted(&[(&third, 1), (&second, 5)]), None);
    let ids = [item_id(70), item_id(71)];
    let update = decide_update(&reservation, &wish, &ids, &world.slots(), now()).unwrap();
    world.carry_out(&update.step, now());
    assert_eq!([world.free(&first), world.free(&second), world.free(&third)], [5, 0, 4]);
    let items: Vec<(i64, u32)> =
        update.next.terms.items.iter().map(|item| (item.id.get(), item.quantity)).collect();
    assert_eq!(items, [(70, 1), (2, 5)]);
    assert_eq!(update.next.first_terms(), &reservation.terms, "a repeated POST is answered as it was");
    let again = decide_update(&update.next, &wish, &ids, &world.slots(), now()).unwrap();
    assert_eq!(again, Update { next: update.next, step: ReservationStep::Commit(LedgerChanges::new()) });
}

#[test]
fn an_unchanged_quantity_succeeds_on_a_full_slot_and_an_increase_names_what_could_be_had() {
    let first = slot(1, 3);
    let mut world = World::of(&[&first]);
    let reservation = world.hold(&wanted(&[(&first, 3)]));
    let decide = |quantity| {
        let wish = change(wanted(&[(&first, quantity)]), Some("2027-05-01T12:20:00Z"));
        decide_update(&reservation, &wish, &[item_id(9)], &world.slots(), now()).map(|_| ())
    };
    assert_eq!(decide(3), Ok(()));
    let shortage = SeatShortage { line: 0, instance: first.instance, available: 3 };
    assert_eq!(decide(4), Err(ReservationRefusal::NotEnough(vec![shortage])));
}

#[test]
fn after_sales_have_closed_only_an_increase_is_refused() {
    let first = slot(0, 9);
    let mut world = World::of(&[&slot(1, 9)]);
    let reservation = world.hold(&wanted(&[(&slot(1, 9), 3)]));
    let held = world.ledgers.values().next().unwrap().clone();
    let begun = Ledger { start: first.start, ..held };
    world.ledgers.insert(begun.instance, begun.clone());
    let decide = |quantity| {
        let wish = change(wanted(&[(&begun, quantity)]), None);
        decide_update(&reservation, &wish, &[item_id(9)], &world.slots(), now()).map(|_| ())
    };
    assert_eq!((decide(3), decide(1)), (Ok(()), Ok(())));
    assert_eq!(decide(4), Err(ReservationRefusal::SalesClosed(vec![0])));
}

#[test]
fn every_line_of_the_first_kind_of_refusal_is_named() {
    let (unknown, closed, short) = (slot(1, 5), slot(2, 5), slot(3, 5));
    let cancelled = Ledger { state: SlotState::Cancelled, ..closed.clone() };
    let mut world = World::of(&[&cancelled, &short]);
    let decide = |world: &World| {
        let lines = wanted(&[(&short, 6), (&closed, 1), (&unknown, 1)]);
        let reservation = begun(&lines, 600);
        decide_holds(&reservation, &lines, reservation.terms.expires_at, &world.slots(), now())
    };
    assert_eq!(decide(&world), Err(ReservationRefusal::UnknownEvents(vec![2])));
    world.ledgers.insert(unknown.instance, unknown.clone());
    assert_eq!(decide(&world), Err(ReservationRefusal::SalesClosed(vec![1])));
    world.ledgers.insert(closed.instance, closed.clone());
    let shortage = SeatShortage { line: 0, instance: short.instance, available: 5 };
    assert_eq!(decide(&world), Err(ReservationRefusal::NotEnough(vec![shortage])));
}

#[test]
fn live_holds_are_those_in_the_ledgers() {
    let (first, second) = (slot(1, 5), slot(2, 5));
    let mut world = World::of(&[&first, &second]);
    let reservation = world.hold(&wanted(&[(&first, 2), (&second, 3)]));
    let live = |world: &World, at| {
        live_holds(&reservation, &world.ledgers, at)
            .map(|holds| holds.values().map(|hold| hold.quantity).sum())
    };
    assert_eq!(live(&world, now()), Ok(5));
    let own = OwnHold { reservation: id(), hold: world.ledgers[&first.instance].holds[&id()] };
    let sold = world.ledgers[&first.instance].apply(&LedgerChange::sell(2, Some(own)), now()).unwrap();
    world.ledgers.insert(first.instance, sold);
    assert_eq!(live(&world, now()), Ok(3), "what a checkout consumed is gone");
    let expiry = reservation.terms.expires_at;
    assert_eq!(live(&world, plus_secs(expiry, -1)), Ok(3));
    assert_eq!(live(&world, expiry), Err(ReservationRefusal::NotLive));
    let released = Reservation { released: true, ..reservation.clone() };
    assert_eq!(live_holds(&released, &world.ledgers, now()), Err(ReservationRefusal::NotLive));
    assert_eq!(live_holds(&reservation, &BTreeMap::new(), now()), Err(ReservationRefusal::NotLive));
    assert_eq!(live_holds(&begun(&[], 600), &BTreeMap::new(), now()), Ok(BTreeMap::new()));
}

#[test]
fn a_dead_reservation_is_not_updated_and_an_item_it_does_not_have_is_unknown() {
    let first = slot(1, 5);
    let mut world = World::of(&[&first]);
    let reservation = world.hold(&wanted(&[(&first, 2)]));
    let mut wish = change(wanted(&[(&first, 2)]), None);
    let at = |wish: &ReservationChange, now| {
        decide_update(&reservation, wish, &[item_id(9)], &world.slots(), now).map(|_| ())
    };
    assert_eq!(at(&wish, reservation.terms.expires_at), Err(ReservationRefusal::NotLive));
    wish.named = vec![(0, item_id(1))];
    assert_eq!(at(&wish, now()), Ok(()));
    wish.named = vec![(0, item_id(999))];
    assert_eq!(at(&wish, now()), Err(ReservationRefusal::UnknownItems(vec![0])));
}
