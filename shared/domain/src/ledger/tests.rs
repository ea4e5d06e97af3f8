use super::*;
use crate::time::plus_secs;
use proptest::prelude::*;

/// Sold seats with the hold they came from, so that the sale can be undone.
type Sale = (u32, Option<OwnHold>);

fn instant(secs: i64) -> Timestamp {
    plus_secs(Timestamp::UNIX_EPOCH, 1_800_000_000 + secs)
}

pub(crate) fn id(number: i64) -> ReservationId {
    ReservationId::parse(number).unwrap()
}

pub(crate) fn ledger(size: u32) -> Ledger {
    let template = TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap();
    let start = instant(864_000);
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

fn hold(quantity: u32, until: i64) -> Hold {
    Hold { quantity, expires_at: instant(until) }
}

/// Carries a change out as a caller would, taking expired holds back first where that is needed.
fn carry_out(ledger: &Ledger, change: &LedgerChange, now: Timestamp) -> Result<Ledger, LedgerRefusal> {
    let mut ledger = ledger.clone();
    loop {
        match ledger.transition(change, now)? {
            LedgerTransition::Change(transition) => return ledger.apply(&transition, now),
            LedgerTransition::ReclaimFirst(reclaim) => ledger = ledger.apply(&reclaim, now)?,
        }
    }
}

#[test]
fn a_hold_is_dead_at_exactly_its_expiry_and_its_seats_go_to_the_next_caller_unswept() {
    let full = carry_out(&ledger(10), &LedgerChange::hold(id(1), hold(9, 600)), instant(0)).unwrap();
    let second = LedgerChange::hold(id(2), hold(2, 1_200));
    assert_eq!(carry_out(&full, &second, instant(599)), Err(LedgerRefusal::NotEnough { available: 1 }));
    let next = carry_out(&full, &second, instant(600)).unwrap();
    assert_eq!((next.free, next.holds.len()), (8, 1));
    assert!(next.is_sound());
    let late = LedgerChange::release(id(1), hold(9, 600));
    assert_eq!(next.apply(&late, instant(601)), Err(LedgerRefusal::HoldChanged), "they come back once");
}

#[test]
fn more_expired_holds_than_one_update_takes_are_taken_in_several() {
    let mut full = ledger(120);
    for number in 1..=120 {
        full = carry_out(&full, &LedgerChange::hold(id(number), hold(1, 600)), instant(0)).unwrap();
    }
    let all = LedgerChange::hold(id(1_000), hold(120, 1_200));
    let next = carry_out(&full, &all, instant(600)).unwrap();
    assert_eq!((next.free, next.holds.len()), (0, 1));
}

#[test]
fn a_ledger_full_of_live_holds_asks_to_try_again_and_a_sale_can_still_be_undone() {
    let mut crowded = ledger(1_000);
    for number in 1..=256 {
        crowded = carry_out(&crowded, &LedgerChange::hold(id(number), hold(1, 600)), instant(0)).unwrap();
    }
    let own = Some(OwnHold { reservation: id(1), hold: hold(1, 600) });
    let sold = carry_out(&crowded, &LedgerChange::sell(1, own), instant(1)).unwrap();
    let crowded = carry_out(&sold, &LedgerChange::hold(id(300), hold(1, 600)), instant(1)).unwrap();
    let one_more = LedgerChange::hold(id(301), hold(1, 900));
    assert_eq!(carry_out(&crowded, &one_more, instant(2)), Err(LedgerRefusal::TooManyHolds));
    let undone = carry_out(&crowded, &LedgerChange::unsell(1, own, instant(2)), instant(2)).unwrap();
    assert_eq!(undone.holds.get(&id(1)), Some(&hold(1, 600)));
    assert!(carry_out(&crowded, &one_more, instant(600)).is_ok(), "expired holds make room");
}

#[test]
fn only_an_increase_asks_for_seats() {
    let full = carry_out(&ledger(5), &LedgerChange::hold(id(1), hold(5, 600)), instant(0)).unwrap();
    let cancelled = Ledger { state: SlotState::Cancelled, ..full };
    for (quantity, expected) in [(5, None), (3, None), (6, Some(LedgerRefusal::Closed))] {
        let change = LedgerChange::replace(id(1), hold(5, 600), hold(quantity, 900));
        assert_eq!(cancelled.refusal(&change, instant(1)), expected, "{quantity}");
    }
}

#[test]
fn the_first_refusal_that_applies_is_given() {
    let held = carry_out(&ledger(5), &LedgerChange::hold(id(1), hold(4, 600)), instant(0)).unwrap();
    let cancelled = Ledger { state: SlotState::Cancelled, ..held.clone() };
    let again = LedgerChange::hold(id(1), hold(4, 600));
    let more = LedgerChange::hold(id(2), hold(9, 600));
    assert_eq!(cancelled.refusal(&again, instant(0)), Some(LedgerRefusal::HoldChanged));
    assert_eq!(cancelled.refusal(&more, instant(0)), Some(LedgerRefusal::Closed));
    assert_eq!(held.refusal(&more, instant(0)), Some(LedgerRefusal::NotEnough { available: 1 }));
}

/// One thing that may happen to a slot.
#[derive(Debug, Clone)]
enum Event {
    Hold { who: i64, quantity: u32, secs: i64 },
    Replace { who: i64, quantity: u32, secs: i64 },
    Release { who: i64 },
    Wait { secs: i64 },
    Sell { who: Option<i64>, quantity: u32 },
    Unsell { which: usize },
}

fn event() -> impl Strategy<Value = Event> {
    let (who, quantity, secs) = (1..6_i64, 1..6_u32, 1..400_i64);
    prop_oneof![
        (who.clone(), quantity.clone(), secs.clone()).prop_map(|(who, quantity, secs)| Event::Hold {
            who,
            quantity,
            secs
        }),
        (who.clone(), quantity.clone(), secs.clone()).prop_map(|(who, quantity, secs)| Event::Replace {
            who,
            quantity,
            secs
        }),
        who.clone().prop_map(|who| Event::Release { who }),
        secs.prop_map(|secs| Event::Wait { secs }),
        (proptest::option::of(who), quantity).prop_map(|(who, quantity)| Event::Sell { who, quantity }),
        (0..8_usize).prop_map(|which| Event::Unsell { which }),
    ]
}

proptest! {
    /// Every seat is free, held or sold after every step of every history; what was sold and not undone is
    /// what the ledger says is sold; a dead hold never keeps a seat from a buyer.
    #[test]
    fn no_history_loses_or_invents_a_seat(size in 0..14_u32, history in prop::collection::vec(event(), 0..60)) {
        let mut ledger = ledger(size);
        let mut sales: Vec<Sale> = Vec::new();
        let mut clock = 0;
        for event in history {
            let now = instant(clock);
            let live = |who: i64| ledger.holds.get(&id(who)).copied().filter(|hold| hold.is_live(now));
            let (change, sale) = match event {
                Event::Wait { secs } => { clock += secs; continue }
                Event::Hold { who, quantity, secs } => {
                    (LedgerChange::hold(id(who), hold(quantity, clock + secs)), None)
                }
                Event::Replace { who, quantity, secs } => {
                    let Some(old) = live(who) else { continue };
                    (LedgerChange::replace(id(who), old, hold(quantity, clock + secs)), None)
                }
                Event::Release { who } => {
                    let Some(old) = live(who) else { continue };
                    (LedgerChange::release(id(who), old), None)
                }
                Event::Sell { who, quantity } => {
                    let own = who.and_then(|who| Some(OwnHold { reservation: id(who), hold: live(who)? }));
                    (LedgerChange::sell(quantity, own), Some((quantity, own)))
                }
                Event::Unsell { which } => {
                    if which >= sales.len() { continue }
                    let (quantity, own) = sales[which];
                    let change = LedgerChange::unsell(quantity, own, now);
                    // The hold may have been altered meanwhile; then the seats simply become free.
                    let change = match carry_out(&ledger, &change, now) {
                        Err(LedgerRefusal::HoldChanged) => LedgerChange::unsell(quantity, None, now),
                        _ => change,
                    };
                    prop_assert!(carry_out(&ledger, &change, now).is_ok(), "a sale can always be undone");
                    sales.remove(which);
                    (change, None)
                }
            };
            let available = ledger.available(now);
            match carry_out(&ledger, &change, now) {
                Ok(next) => {
                    ledger = next;
                    sales.extend(sale);
                }
                Err(LedgerRefusal::NotEnough { available: said }) => prop_assert_eq!(said, available),
                Err(LedgerRefusal::HoldChanged) => {}
                Err(other) => prop_assert!(false, "{other:?}"),
            }
            prop_assert!(ledger.is_sound(), "{ledger:?}");
            let sold: u32 = sales.iter().map(|(quantity, _)| quantity).sum();
            prop_assert_eq!(ledger.sold, sold);
        }
        let all = ledger.available(instant(clock + 1_000));
        prop_assert_eq!(all + ledger.sold, size, "once every hold is dead, all that is not sold is there");
    }
}
