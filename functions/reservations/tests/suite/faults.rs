//! Repeated requests, lost answers and crashes.

use crate::support::{T0, Venue, after, delete, get, post, put};
use domain::ReservationId;
use domain::ledger::{LedgerChange, OwnHold};
use domain::time::plus_secs;
use engine::Fault;
use testkit::tenant_id;

#[tokio::test]
async fn a_repeated_request_is_answered_as_the_first_was_whatever_happened_since() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 9).await;
    let first = venue.send(post(&[(slot, 2)]).keyed("a")).await;
    assert!(!first.replayed);
    let again = |secs| venue.send(post(&[(slot, 2)]).keyed("a").at(&after(secs)));
    let repeated = again(1).await;
    assert!(repeated.replayed);
    assert_eq!(repeated.body, first.body);
    let other = venue.send(post(&[(slot, 3)]).keyed("a")).await;
    assert_eq!((other.status, other.error()), (409, "IDEMPOTENCY_KEY_REUSED"));
    venue.send(put(first.number(), &[(slot, 5)])).await;
    assert_eq!((again(2).await.body, venue.free(slot).await), (first.body.clone(), 4));
    venue.send(delete(first.number())).await;
    assert_eq!((again(3).await.body, venue.free(slot).await), (first.body.clone(), 9));
    assert_eq!(again(601).await.body, first.body);
    let elsewhere = venue.send(post(&[]).keyed("a").by("key-2")).await;
    assert_ne!(elsewhere.number(), first.number(), "a key is its tenant's own");
}

#[tokio::test]
async fn a_repetition_after_the_seats_were_sold_takes_none_again() {
    for events in [1, 2] {
        let venue = Venue::open().await;
        let slots = [venue.slot(24, 9).await, venue.slot(48, 9).await];
        let lines: Vec<_> = slots[..events].iter().map(|slot| (*slot, 2)).collect();
        let first = venue.send(post(&lines).keyed("a")).await;
        let id = ReservationId::parse(first.number()).unwrap();
        for slot in &slots[..events] {
            let hold = venue.ledger(*slot).await.holds[&id];
            let sale = LedgerChange::sell(2, Some(OwnHold { reservation: id, hold }));
            let sold = venue.store.change_ledger(tenant_id(1), slot, &sale, T0.parse().unwrap()).await;
            sold.unwrap().unwrap();
        }
        let again = venue.send(post(&lines).keyed("a").at(&after(60))).await;
        assert_eq!((again.replayed, again.body), (true, first.body), "{events}");
        for slot in &slots[..events] {
            let ledger = venue.ledger(*slot).await;
            assert_eq!((ledger.free, ledger.sold, ledger.holds.len()), (7, 2, 0), "{events}");
        }
    }
}

#[tokio::test]
async fn two_tries_of_one_request_at_once_are_one_reservation() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 9).await;
    let ask = || venue.send(post(&[(slot, 2)]).keyed("a"));
    let (one, other, third) = tokio::join!(ask(), ask(), ask());
    assert_eq!((&one.body, &one.body), (&other.body, &third.body));
    assert_eq!((one.status, venue.free(slot).await), (200, 7));
}

#[tokio::test]
async fn after_a_day_a_key_makes_another_reservation() {
    let day = 24 * 3_600;
    let venue = Venue::open().await;
    let slot = venue.slot(72, 9).await;
    let first = venue.send(post(&[(slot, 2)]).keyed("a")).await;
    assert_eq!(venue.send(post(&[(slot, 2)]).keyed("a").at(&after(day - 1))).await.body, first.body);
    let other = venue.send(post(&[(slot, 3)]).keyed("a").at(&after(day))).await;
    assert_eq!((other.status, other.replayed), (200, false), "{}", other.body);
    assert_eq!(other.body["reservationItems"][0]["quantity"], 3);
    let ledger = venue.ledger(slot).await;
    assert_eq!(ledger.available(plus_secs(T0.parse().unwrap(), day)), 6);
    assert_eq!(venue.send(get(other.number()).at(&after(day))).await.body, other.body);
}

#[tokio::test]
async fn a_refusal_is_not_kept() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 2).await;
    let other = venue.send(post(&[(slot, 2)])).await.number();
    assert_eq!(venue.send(post(&[(slot, 1)]).keyed("a")).await.status, 409);
    venue.send(delete(other)).await;
    let made = venue.send(post(&[(slot, 1)]).keyed("a").at(&after(300))).await;
    assert_eq!(made.body["expirationTimestamp"], "2027-05-01T10:15:00-04:00");
    assert_eq!(venue.free(slot).await, 1);
}

#[tokio::test]
async fn changes_and_deletions_are_repeated_without_a_second_effect() {
    let venue = Venue::open().await;
    let slot = venue.slot(24, 9).await;
    let id = venue.send(post(&[(slot, 2)])).await.number();
    let changed = venue.send(put(id, &[(slot, 4)]).keyed("p")).await;
    let repeated = venue.send(put(id, &[(slot, 4)]).keyed("p")).await;
    assert_eq!((repeated.replayed, repeated.body), (true, changed.body.clone()));
    let deleted = venue.send(delete(id).keyed("d")).await;
    let repeated = venue.send(delete(id).keyed("d")).await;
    assert_eq!((repeated.replayed, repeated.body), (true, deleted.body));
    assert_eq!(venue.free(slot).await, 9);
}

/// Whatever strikes whichever call of a request, its repetition with the same key yields one reservation that
/// holds its seats once.
#[tokio::test]
async fn whatever_strikes_a_post_its_repetition_yields_one_hold() {
    let faults = [Fault::AnswerLost, Fault::CrashBefore, Fault::CrashAfter, Fault::TransactionConflict];
    for events in [1, 2] {
        for call in 0..3 {
            for fault in faults {
                let venue = Venue::open().await;
                let slots = [venue.slot(24, 9).await, venue.slot(48, 9).await];
                let lines: Vec<_> = slots[..events].iter().map(|slot| (*slot, 2)).collect();
                venue.faults.reset();
                venue.faults.at(call, fault);
                let struck = venue.send(post(&lines).keyed("a")).await;
                assert!([200, 503].contains(&struck.status), "{call} {fault:?} {struck:?}");
                venue.faults.heal();
                let made = venue.send(post(&lines).keyed("a").at(&after(5))).await;
                assert_eq!(
                    venue.send(get(made.number()).at(&after(6))).await.body,
                    made.body,
                    "{call} {fault:?}"
                );
                if struck.status == 200 {
                    assert_eq!(struck.body, made.body);
                }
                for slot in &slots[..events] {
                    assert_eq!(venue.free(*slot).await, 7, "{call} {fault:?}");
                }
                assert_eq!(
                    venue.send(post(&[(slots[0], 9)]).at(&after(605))).await.status,
                    200,
                    "none is lost"
                );
            }
        }
    }
}

#[tokio::test]
async fn whatever_strikes_a_change_or_a_deletion_no_seat_is_lost_or_given_back_twice() {
    for call in 0..4 {
        for fault in [Fault::AnswerLost, Fault::CrashBefore, Fault::CrashAfter, Fault::TransactionConflict] {
            let venue = Venue::open().await;
            let (slot, other) = (venue.slot(24, 9).await, venue.slot(48, 9).await);
            let id = venue.send(post(&[(slot, 2)])).await.number();
            venue.faults.reset();
            venue.faults.at(call, fault);
            venue.send(put(id, &[(slot, 5), (other, 1)])).await;
            venue.faults.heal();
            let put = venue.send(put(id, &[(slot, 5), (other, 1)])).await;
            assert_eq!(put.status, 200, "{call} {fault:?}");
            assert_eq!((venue.free(slot).await, venue.free(other).await), (4, 8), "{call} {fault:?}");
            venue.faults.reset();
            venue.faults.at(call, fault);
            let struck = venue.send(delete(id)).await;
            venue.faults.heal();
            let repeated = venue.send(delete(id)).await;
            assert!([struck.status, repeated.status].iter().any(|status| [200, 503].contains(status)));
            assert_eq!((venue.free(slot).await, venue.free(other).await), (9, 9), "{call} {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_release_whose_answer_is_lost_is_still_answered() {
    // The release and the mark of the record are both updates.
    for nth in 0..2 {
        let venue = Venue::open().await;
        let slot = venue.slot(24, 9).await;
        let made = venue.send(post(&[(slot, 2)])).await;
        venue.faults.reset();
        venue.faults.at_operation("UpdateItem", nth, Fault::AnswerLost);
        let deleted = venue.send(delete(made.number())).await;
        assert_eq!((deleted.status, deleted.body), (200, made.body));
        assert_eq!(venue.free(slot).await, 9);
    }
}
