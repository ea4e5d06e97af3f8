//! Many callers at once.

use crate::support::{Venue, delete, post, put};
use std::sync::Arc;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_callers_share_the_last_seats_exactly() {
    let venue = Arc::new(Venue::open().await);
    let slot = venue.slot(24, 7).await;
    let mut callers = JoinSet::new();
    for _ in 0..64 {
        let venue = Arc::clone(&venue);
        callers.spawn(async move { venue.send(post(&[(slot, 2)])).await });
    }
    let answers = callers.join_all().await;
    let won = answers.iter().filter(|answer| answer.status == 200).count();
    let refused = answers.iter().filter(|answer| answer.error() == "NOT_ENOUGH_CAPACITY").count();
    assert_eq!((won, refused), (3, 61));
    assert_eq!(venue.free(slot).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reservations_of_two_events_in_opposite_order_do_not_wait_for_each_other() {
    let venue = Arc::new(Venue::open().await);
    let (first, second) = (venue.slot(24, 9).await, venue.slot(48, 9).await);
    let mut callers = JoinSet::new();
    for number in 0..40 {
        let venue = Arc::clone(&venue);
        let lines = if number % 2 == 0 { [(first, 2), (second, 1)] } else { [(second, 1), (first, 2)] };
        callers.spawn(async move { venue.send(post(&lines)).await });
    }
    let won = callers.join_all().await.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(won, 4);
    assert_eq!((venue.free(first).await, venue.free(second).await), (1, 5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parallel_changes_and_deletions_of_one_reservation_give_its_seats_back_once() {
    let venue = Arc::new(Venue::open().await);
    let slot = venue.slot(24, 9).await;
    let id = venue.send(post(&[(slot, 4)])).await.number();
    let mut callers = JoinSet::new();
    for number in 0..24_u32 {
        let venue = Arc::clone(&venue);
        let request = if number % 3 == 0 { delete(id) } else { put(id, &[(slot, 1 + number % 9)]) };
        callers.spawn(async move { (number % 3 == 0, venue.send(request).await.status) });
    }
    let answers = callers.join_all().await;
    assert_eq!(answers.iter().filter(|answer| **answer == (true, 200)).count(), 1);
    assert!(answers.iter().all(|(_, status)| [200, 404].contains(status)), "{answers:?}");
    assert_eq!(venue.free(slot).await, 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_sent_many_times_at_once_makes_one_reservation() {
    let venue = Arc::new(Venue::open().await);
    let slot = venue.slot(24, 9).await;
    let mut callers = JoinSet::new();
    for _ in 0..16 {
        let venue = Arc::clone(&venue);
        callers.spawn(async move { venue.send(post(&[(slot, 2)]).keyed("once")).await.body });
    }
    let answers = callers.join_all().await;
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    assert_eq!(venue.free(slot).await, 7);
}
