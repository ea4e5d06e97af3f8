//! Many at once.

use crate::support;
use serde_json::json;
use testkit::{Answer, Ask, Venue, delete, get, post, put};
use tokio::task::JoinSet;

const PATH: &str = "/v2/b2b/persontypes";
const TASKS: usize = 64;

/// Sends all of them at once.
async fn at_once(venue: &Venue, asks: impl IntoIterator<Item = Ask>) -> Vec<Answer> {
    let mut tasks = JoinSet::new();
    for ask in asks {
        let venue = venue.clone();
        tasks.spawn(async move { venue.send(ask).await });
    }
    tasks.join_all().await
}

fn won(answers: &[Answer]) -> Vec<&Answer> {
    answers.iter().filter(|answer| answer.status == 200).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_writes_meant_for_one_revision_exactly_one_is_carried_out() {
    let venue = support::open().await;
    let made = venue.send(post(PATH, json!({"name": "Adult"}))).await;
    let one = format!("{PATH}/{}", made.id());
    let write = |number: usize| match number {
        0..8 => delete(&one),
        _ => put(&one, json!({"name": format!("Name {number}")})),
    };
    for _ in 0..3 {
        let current = venue.send(get(&one)).await;
        let writes = (8..TASKS).map(|number| write(number).if_match(current.tag()));
        let answers = at_once(&venue, writes).await;
        let winners = won(&answers);
        assert_eq!(winners.len(), 1);
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            assert_eq!(answer.kind(), (412, "PRECONDITION_FAILED"), "{}", answer.body);
        }
        assert_eq!(venue.send(get(&one)).await.body, winners[0].body);
        venue.send(put(&one, json!({"name": "Adult"}))).await.done();
    }
    let current = venue.send(get(&one)).await;
    let answers = at_once(&venue, (0..TASKS).map(|number| write(number).if_match(current.tag()))).await;
    let replaced = won(&answers).into_iter().filter(|answer| answer.etag.is_some()).count();
    let deleted = won(&answers).into_iter().filter(|answer| answer.etag.is_none()).count();
    assert!((replaced, deleted > 0) == (1, false) || (replaced, deleted > 0) == (0, true), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_meant_for_no_revision_are_carried_out_one_after_the_other_or_not_at_all() {
    let venue = support::open().await;
    let made = venue.send(post(PATH, json!({"name": "Adult"}))).await;
    let one = format!("{PATH}/{}", made.id());
    let writes = (0..TASKS).map(|number| put(&one, json!({"name": format!("Name {number}")})));
    let answers = at_once(&venue, writes).await;
    let current = venue.send(get(&one)).await;
    assert!(won(&answers).iter().any(|answer| answer.body == current.body && answer.etag == current.etag));
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(answer.kind(), (503, "TRY_AGAIN"), "{}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_request_sent_many_times_at_once_has_one_effect() {
    let venue = support::open().await;
    let answers = at_once(&venue, (0..TASKS).map(|_| post(PATH, json!({"name": "A"})).keyed("a"))).await;
    let made: Vec<_> = won(&answers).iter().map(|answer| answer.body.clone()).collect();
    assert!(!made.is_empty() && made.iter().all(|body| *body == made[0]));
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(answer.kind(), (409, "REQUEST_IN_PROGRESS"), "{}", answer.body);
    }
    assert_eq!(venue.send(get(PATH)).await.body["pagination"]["count"], 1);
}
