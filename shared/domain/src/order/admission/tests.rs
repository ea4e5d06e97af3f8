use super::*;
use crate::order::refund::tests::{current, mixed};
use crate::order::{Exchange, MovedLine};
use crate::time::plus_secs;
use proptest::prelude::*;

fn start() -> Timestamp {
    "2027-06-03T14:00:00.250Z".parse().unwrap()
}

fn after(secs: i64) -> Timestamp {
    plus_secs(start(), secs)
}

fn passage(kind: ScanType, secs: i64) -> Passage<'static> {
    Passage { kind, at: after(secs), terminal: Some("gate 1") }
}

#[test]
fn a_ticket_goes_in_and_out_and_in_again() {
    let tickets = current(&mixed());
    let mut admissions = Admissions::default();
    assert_eq!(admissions.of(&tickets[0]).state(), AdmissionState::Never);
    for (step, state, entries) in [
        (passage(ScanType::Entry, 0), AdmissionState::Inside, 1),
        (passage(ScanType::Exit, 60), AdmissionState::Left, 1),
        (passage(ScanType::Entry, 90), AdmissionState::Inside, 2),
    ] {
        admissions.pass(&tickets[0], &step);
        let admission = admissions.of(&tickets[0]);
        assert_eq!((admission.state(), admission.entries), (state, entries));
        assert_eq!(admission.first_entry, Some(after(0)));
    }
    assert_eq!(admissions.terminal_of(&admissions.of(&tickets[0])), Some("gate 1"));
    admissions.block(&tickets[0], after(100), "lost");
    let blocked = admissions.of(&tickets[0]);
    assert_eq!(
        (blocked.state(), admissions.block_reason_of(&blocked)),
        (AdmissionState::Blocked, Some("lost"))
    );
    admissions.unblock(&tickets[0]);
    assert_eq!(admissions.of(&tickets[0]).state(), AdmissionState::Inside);
    assert_eq!(admissions.of(&tickets[1]), Admission::default());
}

#[test]
fn an_order_keeps_so_many_texts_and_no_more() {
    let tickets = current(&mixed());
    let mut admissions = Admissions::default();
    for number in 0..MAX_WORDS + 3 {
        let terminal = format!("gate {number}");
        let passage = Passage { kind: ScanType::Entry, at: after(0), terminal: Some(&terminal) };
        admissions.pass(&tickets[0], &passage);
        let kept = admissions.terminal_of(&admissions.of(&tickets[0])).map(str::to_owned);
        assert_eq!(kept, (number < MAX_WORDS).then_some(terminal));
    }
}

#[test]
fn the_admissions_of_two_thousand_tickets_take_less_than_150_kilobytes() {
    let mut ticket = current(&mixed()).remove(0);
    let mut admissions = Admissions::default();
    for number in 0..2_000 {
        ticket.id = TicketId::from_bits((1 << 52) + number);
        for (kind, secs) in [(ScanType::Entry, 0), (ScanType::Exit, 600_000), (ScanType::Entry, 604_800)] {
            admissions.pass(&ticket, &passage(kind, secs));
        }
    }
    let stored = serde_json::to_value(&admissions).unwrap();
    let bytes = stored["tickets"].as_str().unwrap().len();
    assert!(bytes < 150_000, "{bytes}");
    assert_eq!(serde_json::from_value::<Admissions>(stored).unwrap(), admissions);
}

#[test]
fn an_order_that_nobody_scanned_stores_nothing_of_it() {
    let order = mixed();
    assert!(serde_json::to_value(&order).unwrap().get("admission").is_none());
    let read: Order = serde_json::from_value(serde_json::to_value(&order).unwrap()).unwrap();
    assert_eq!(read.admission, Admissions::default());
    assert_eq!(order.check_in().status(), CheckInStatus::NotCheckedIn);
}

/// An order of which so many tickets of the first line were given back for others.
fn given_back(order: &Order, count: usize) -> Order {
    let line = order.all_ticket_lines().next().unwrap().clone();
    let old: Vec<TicketId> = current(order)
        .into_iter()
        .filter(|ticket| ticket.line == line.id)
        .take(count)
        .map(|ticket| ticket.id)
        .collect();
    if old.is_empty() {
        return order.clone();
    }
    let units = u32::try_from(old.len()).unwrap();
    let id = OrderItemId::from_bits(901);
    let moved = OrderTicketLine { id, amounts: line.amounts.of_units(units), ..line.clone() };
    let after_sale = order.after_sale.with_exchange(Exchange {
        number: 0,
        at: after(200_000),
        by: "Office".to_owned(),
        operator: None,
        moved: vec![MovedLine { from: line.id, tickets: old, line: moved, successors: Vec::new() }],
        fee: crate::Money::ZERO,
        waived: false,
        mailed: false,
        fingerprint: None,
        forced: true,
    });
    Order { after_sale, ..order.clone() }
}

/// Passages of some tickets, at instants that are all different.
fn steps() -> impl Strategy<Value = Vec<(usize, bool, i64)>> {
    let step = (0_usize..8, any::<bool>(), 0_i64..100_000);
    prop::collection::vec(step, 0..12).prop_map(|mut steps| {
        steps.sort_by_key(|(_, _, secs)| *secs);
        steps.dedup_by_key(|(_, _, secs)| *secs);
        steps
    })
}

fn told(order: &Order, steps: &[(usize, bool, i64)]) -> Admissions {
    let tickets = current(order);
    let mut admissions = Admissions::default();
    for (ticket, is_entry, secs) in steps {
        let kind = if *is_entry { ScanType::Entry } else { ScanType::Exit };
        admissions.pass(&tickets[ticket % tickets.len()], &passage(kind, *secs));
    }
    admissions
}

proptest! {
    #[test]
    fn what_is_noted_does_not_depend_on_the_order_in_which_it_is_told(
        steps in steps(), seed in any::<u64>(),
    ) {
        let order = mixed();
        let mut shuffled = steps.clone();
        shuffled.sort_by_key(|(_, _, secs)| secs.wrapping_mul(seed.cast_signed() | 1));
        let (one, other) = (told(&order, &steps), told(&order, &shuffled));
        for ticket in current(&order) {
            prop_assert_eq!(one.of(&ticket), other.of(&ticket));
            let number = |wanted: bool| steps.iter().filter(|(place, is_entry, _)| {
                current(&order)[place % 8 % current(&order).len()].id == ticket.id && *is_entry == wanted
            }).map(|(_, _, secs)| after(*secs)).collect::<Vec<_>>();
            prop_assert_eq!(one.of(&ticket).first_entry, number(true).into_iter().min());
            prop_assert_eq!(one.of(&ticket).last_exit, number(false).into_iter().max());
        }
    }

    /// Whoever was let in with a ticket that was given back counts, so that never more were let in than there are.
    #[test]
    fn no_more_are_let_in_than_there_are_tickets_whatever_was_given_back(steps in steps(), count in 0_usize..4) {
        let sold = mixed();
        let admission = told(&sold, &steps);
        let order = Order { admission, ..given_back(&sold, count) };
        let tickets = current(&sold);
        let was_in = |ticket: &&Ticket| order.admission.is_admitted(ticket);
        let admitted = tickets.iter().filter(was_in).count();
        let statuses = order.after_sale.ticket_statuses();
        let gone_inside = tickets.iter().filter(was_in).filter(|ticket| statuses.contains_key(&ticket.id)).count();
        let together = order.check_in();
        prop_assert_eq!(usize::try_from(together.admitted).unwrap(), admitted);
        // As many tickets admit as before, and those count beside them that let somebody in and do not any more.
        prop_assert_eq!(usize::try_from(together.tickets).unwrap(), tickets.len() + gone_inside);
        for row in order.tickets_left() {
            prop_assert!(row.check_in.admitted <= row.check_in.tickets, "{:?}", row.check_in);
            prop_assert!(row.left.quantity <= row.check_in.tickets);
        }
    }

    #[test]
    fn the_order_says_what_its_lines_say_together(steps in steps()) {
        let order = mixed();
        let order = Order { admission: told(&order, &steps), ..order };
        let rows: Vec<CheckIn> = order.rows().map(|row| order.check_in_of(row)).collect();
        prop_assert_eq!(rows.iter().map(|row| row.tickets).sum::<u32>(), order.check_in().tickets);
        prop_assert_eq!(rows.iter().map(|row| row.admitted).sum::<u32>(), order.check_in().admitted);
        let tickets = current(&order);
        let admitted = tickets.iter().filter(|ticket| order.admission.is_admitted(ticket)).count();
        prop_assert_eq!(usize::try_from(order.check_in().admitted).unwrap(), admitted);
        let expected = match admitted {
            0 => CheckInStatus::NotCheckedIn,
            some if some < tickets.len() => CheckInStatus::PartiallyCheckedIn,
            _ => CheckInStatus::CheckedIn,
        };
        prop_assert_eq!(order.check_in().status(), expected);
        let counted: i64 = order.admission_counts().values().map(|counts| counts.admitted).sum();
        prop_assert_eq!(usize::try_from(counted).unwrap(), admitted);
    }
}
