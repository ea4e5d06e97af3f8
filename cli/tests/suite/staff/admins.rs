//! A venue that has an admin keeps one, whoever asks.

use super::{DESK, DESK_ID, OFFICE, STAFF, add, send, sign_in};
use boxoffice::testing::Service;
use engine::FaultPlan;
use serde_json::{Value, json};
use testkit::Answer;

const LAST: (u16, &str) = (409, "LAST_ADMIN");

async fn remove(service: &Service, id: &str) -> Answer {
    service.request("DELETE", &format!("{STAFF}/{id}"), &OFFICE, None).await
}

async fn change(service: &Service, id: &str, body: Value) -> Answer {
    service.request("PUT", &format!("{STAFF}/{id}"), &OFFICE, Some(&body)).await
}

/// How many admins work at the venue.
async fn admins(service: &Service) -> usize {
    let listed = service.request("GET", &format!("{STAFF}?pageSize=-1"), &OFFICE, None).await.body;
    let is_admin = |person: &&Value| {
        person["active"] == true && person["roles"].as_array().unwrap().contains(&json!("admin"))
    };
    listed["list"].as_array().unwrap().iter().filter(is_admin).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_only_admin_stays_one_by_key_and_in_a_session() {
    let service = Service::start().await;
    // Who has another role is none, nor is who does not work here any more.
    let door = add(&service, "door@example.test", &["door", "boxOffice"]).await;
    let away = add(&service, "away@example.test", &["admin"]).await;
    let body = json!({"email": "away@example.test", "name": "Kim", "roles": ["admin"], "active": false});
    assert_eq!(change(&service, &away, body).await.status, 200);
    let session = sign_in(&service, DESK).await;
    let path = format!("{STAFF}/{DESK_ID}");
    for (method, body) in [
        ("DELETE", None),
        ("PUT", Some(json!({"email": DESK, "name": "Desk", "roles": ["admin"], "active": false}))),
        ("PUT", Some(json!({"email": DESK, "name": "Desk", "roles": ["boxOffice", "door"]}))),
    ] {
        let by_key = service.request(method, &path, &OFFICE, body.as_ref()).await;
        let in_session = send(&service, &session, method, &path, body.unwrap_or_default()).await;
        assert_eq!([by_key.kind(), in_session.kind()], [LAST; 2], "{method}");
        assert!(by_key.text.contains("make another person an admin first"), "{}", by_key.text);
    }
    assert_eq!(admins(&service).await, 1);
    let renamed = json!({"email": DESK, "name": "Dana", "roles": ["admin"]});
    assert_eq!(change(&service, DESK_ID, renamed).await.status, 200);
    let removed = remove(&service, &door).await;
    assert_eq!((removed.status, removed.calls.rounds), (200, 2));
    let kim = add(&service, "kim@example.test", &["admin"]).await;
    let removed = remove(&service, DESK_ID).await;
    assert_eq!((removed.status, removed.calls.rounds), (200, 3), "and the others are looked at");
    assert_eq!(remove(&service, &kim).await.kind(), LAST);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_admins_who_remove_each_other_one_stays() {
    let service = Service::start().await;
    let other = service.another_process(FaultPlan::new());
    let mut one = DESK_ID.to_owned();
    for turn in 0..6 {
        let email = format!("kim-{turn}@example.test");
        let two = add(&service, &email, &["admin"]).await;
        let sent_home = json!({"email": email, "name": "Kim", "roles": ["admin"], "active": false});
        let second = async {
            if turn % 2 == 0 { remove(&other, &two).await } else { change(&other, &two, sent_home).await }
        };
        let (first, second) = tokio::join!(remove(&service, &one), second);
        let mut seen = [first.kind(), second.kind()];
        seen.sort_unstable();
        assert_eq!(seen, [(200, "OK"), LAST], "{turn}");
        assert_eq!(admins(&service).await, 1, "{turn}");
        if first.status == 200 {
            one = two;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_three_admins_who_remove_each_other_one_stays() {
    let service = Service::start().await;
    let (other, third) =
        (service.another_process(FaultPlan::new()), service.another_process(FaultPlan::new()));
    for turn in 0..3 {
        let mut all = vec![];
        for name in ["kim", "lee", "sam"] {
            all.push(add(&service, &format!("{name}-{turn}@example.test"), &["admin"]).await);
        }
        // Whoever was left of before goes first.
        let listed = service.request("GET", &format!("{STAFF}?pageSize=-1"), &OFFICE, None).await.body;
        for person in listed["list"].as_array().unwrap() {
            let id = person["id"].as_str().unwrap();
            if !all.iter().any(|one| one == id) {
                assert_eq!(remove(&service, id).await.status, 200, "{person}");
            }
        }
        let (one, two, three) =
            tokio::join!(remove(&service, &all[0]), remove(&other, &all[1]), remove(&third, &all[2]));
        for answer in [&one, &two, &three] {
            // One that met the others each time has done nothing.
            assert!([200, 409, 503].contains(&answer.status), "{}", answer.text);
        }
        let gone = [one, two, three].iter().filter(|answer| answer.status == 200).count();
        assert_eq!((admins(&service).await, gone <= 2), (3 - gone, true), "{turn}");
    }
}
