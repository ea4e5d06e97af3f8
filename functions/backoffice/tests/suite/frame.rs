//! What holds for every resource, shown on ticket types.

use crate::support;
use domain::TicketTypeId;
use domain::catalog::PersonType;
use engine::Fault;
use serde_json::{Value, json};
use store::Key;
use store::authored::{ChangeRefusal, Stored};
use testkit::{delete, get, post, put, tenant_id};

const PATH: &str = "/v2/b2b/persontypes";

fn adult() -> Value {
    json!({"name": "Adult", "description": "18 and over", "type": "individual", "displayOrder": 2})
}

#[tokio::test]
async fn a_record_is_created_read_replaced_and_deleted() {
    let venue = support::open().await;
    let made = venue.send(post(PATH, adult())).await;
    let one = format!("{PATH}/{}", made.id());
    assert_eq!(
        made.body,
        json!({"id": made.id(), "name": "Adult", "description": "18 and over", "active": true,
            "type": "individual", "displayOrder": 2})
    );
    assert_eq!(made.id().len(), 24);
    let read = venue.send(get(&one)).await;
    assert_eq!((&read.body, &read.etag), (&made.body, &made.etag));
    let changed = venue.send(put(&one, json!({"name": "Grown-up", "active": false}))).await;
    assert_eq!(
        changed.body,
        json!({"id": made.id(), "name": "Grown-up", "description": "", "active": false,
            "type": "individual", "displayOrder": 0})
    );
    assert_ne!(changed.etag, made.etag);
    let read = venue.send(get(&one)).await;
    assert_eq!((&read.body, &read.etag), (&changed.body, &changed.etag));
    let back = venue.send(put(&one, adult())).await;
    assert_eq!(back.etag, made.etag, "the same content has the same revision");
    assert_eq!(venue.send(delete(&one)).await.done(), made.body);
    for ask in [get(&one), put(&one, adult()), delete(&one)] {
        assert_eq!(venue.send(ask.clone()).await.kind(), (404, "NOT_FOUND"), "{ask:?}");
    }
}

#[tokio::test]
async fn the_service_chooses_ids_and_the_path_outranks_the_body() {
    let venue = support::open().await;
    let mut named = adult();
    named["id"] = json!("mine");
    let made = venue.send(post(PATH, named.clone())).await;
    assert_ne!(made.id(), "mine");
    let one = format!("{PATH}/{}", made.id());
    let refused = venue.send(put(&one, named.clone())).await;
    assert_eq!(refused.faults(), ["/id must match the id in the path"]);
    named["id"] = json!(7);
    assert_eq!(venue.send(put(&one, named.clone())).await.faults(), ["/id must be a string"]);
    named["id"] = json!(made.id());
    assert_eq!(venue.send(put(&one, named)).await.done(), made.body);
    assert_eq!(venue.send(put(format!("{PATH}/mine"), adult())).await.kind(), (404, "NOT_FOUND"));
    assert_eq!(venue.send(get(format!("{PATH}/a%20b"))).await.kind(), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn a_stale_revision_changes_nothing() {
    let venue = support::open().await;
    let made = venue.send(post(PATH, adult())).await;
    let one = format!("{PATH}/{}", made.id());
    let changed = venue.send(put(&one, json!({"name": "B"})).if_match(made.tag())).await;
    assert_eq!(changed.status, 200);
    for ask in [put(&one, json!({"name": "C"})), delete(&one)] {
        let weak = format!("W/{}", changed.tag());
        for tag in [made.tag(), "\"0123456789abcdef\"", &weak] {
            let refused = venue.send(ask.clone().if_match(tag)).await;
            assert_eq!(refused.kind(), (412, "PRECONDITION_FAILED"), "{ask:?} {tag}");
        }
        let refused = venue.send(ask.if_match("unquoted")).await;
        assert_eq!(
            (refused.kind(), refused.pointers()),
            ((400, "VALIDATION_ERROR"), vec!["if-match".to_owned()])
        );
    }
    let read = venue.send(get(&one)).await;
    assert_eq!((&read.body, &read.etag), (&changed.body, &changed.etag));
    // What is as it should be already needs no change.
    let same = venue.send(put(&one, json!({"name": "B"})).if_match(made.tag())).await;
    assert_eq!((same.status, &same.etag), (200, &changed.etag));
    let either = format!("{}, {}", made.tag(), changed.tag());
    assert_eq!(venue.send(put(&one, json!({"name": "D"})).if_match(&either)).await.status, 200);
    assert_eq!(venue.send(delete(&one).if_match("*")).await.status, 200);
}

#[tokio::test]
async fn a_repeated_write_has_one_effect_and_the_first_answer() {
    let venue = support::open().await;
    let made = venue.send(post(PATH, adult()).keyed("a")).await;
    assert!(!made.replayed);
    let again = venue.send(post(PATH, adult()).keyed("a")).await;
    assert!(again.replayed);
    assert_eq!((&again.body, &again.etag), (&made.body, &made.etag));
    assert_eq!(venue.send(get(PATH)).await.body["pagination"]["count"], 1);
    let other = venue.send(post(PATH, json!({"name": "Child"})).keyed("a")).await;
    assert_eq!(other.kind(), (409, "IDEMPOTENCY_KEY_REUSED"));
    let one = format!("{PATH}/{}", made.id());
    let change = put(&one, json!({"name": "B"})).keyed("b").if_match(made.tag());
    let changed = venue.send(change.clone()).await;
    venue.send(put(&one, json!({"name": "C"}))).await.done();
    let again = venue.send(change).await;
    assert_eq!((again.replayed, &again.body, &again.etag), (true, &changed.body, &changed.etag));
    assert_eq!(venue.send(get(&one)).await.body["name"], "C");
    let gone = venue.send(delete(&one).keyed("c")).await;
    let again = venue.send(delete(&one).keyed("c")).await;
    assert_eq!((again.status, again.replayed, &again.body), (200, true, &gone.body));
    assert_eq!(venue.send(post(PATH, adult()).keyed("a")).await.body, made.body);
    assert_eq!(venue.send(get(PATH)).await.body["pagination"]["count"], 0);
    let elsewhere = venue.send(post(PATH, adult()).keyed("a").by("key-2")).await;
    assert!(!elsewhere.replayed);
    assert_ne!(elsewhere.id(), made.id(), "a key is its tenant's own");
}

#[tokio::test]
async fn a_refused_write_leaves_its_key_free() {
    let venue = support::open().await;
    let refused = venue.send(post(PATH, json!({})).keyed("a")).await;
    assert_eq!(refused.faults(), ["/name is required"]);
    let again = venue.send(post(PATH, json!({})).keyed("a")).await;
    assert_eq!((again.kind(), again.replayed), ((400, "VALIDATION_ERROR"), false));
    assert_eq!(venue.send(post(PATH, adult()).keyed("a")).await.status, 200);
}

#[tokio::test]
async fn a_change_whose_answer_was_lost_is_found_to_have_happened() {
    let venue = support::open().await;
    let made = venue.send(post(PATH, adult())).await;
    let one = format!("{PATH}/{}", made.id());
    let change = put(&one, json!({"name": "B"})).if_match(made.tag());
    venue.faults.reset();
    venue.faults.at_operation("PutItem", 0, Fault::AnswerLost);
    assert_eq!(venue.send(change.clone()).await.kind(), (503, "TRY_AGAIN"));
    assert_eq!(venue.send(change).await.done()["name"], "B");

    let key = Key::person_type(tenant_id(1), &TicketTypeId::parse(&made.id()).unwrap());
    let before: Stored<PersonType> = venue.store.load_authored(&key).await.unwrap().unwrap();
    let after = PersonType { name: "C".to_owned(), ..before.value.clone() };
    for (after, token) in [(Some(&after), "a"), (Some(&after), "b")] {
        let changed = venue.store.change_authored(tenant_id(1), token, Some(&before), after).await;
        assert_eq!(changed.unwrap(), Ok(()));
    }
    let removed = venue.store.change_authored(tenant_id(1), "c", Some(&before), None).await;
    assert_eq!(removed.unwrap(), Err(ChangeRefusal::Changed));
    venue.send(delete(&one)).await.done();
    let removed = venue.store.change_authored(tenant_id(1), "d", Some(&before), None).await;
    assert_eq!(removed.unwrap(), Ok(()));
}

/// Whatever strikes whichever call of a request, its repetition with the same key has the effect once.
#[tokio::test]
async fn whatever_strikes_a_write_its_repetition_has_the_effect_once() {
    let late = "2027-05-01T10:02:00-04:00";
    for call in 0..4 {
        for fault in [Fault::AnswerLost, Fault::CrashBefore, Fault::CrashAfter] {
            let venue = support::open().await;
            let struck = async |ask: testkit::Ask| {
                venue.faults.reset();
                venue.faults.at(call, fault);
                let first = venue.send(ask.clone()).await;
                assert!([200, 503].contains(&first.status), "{call} {fault:?} {first:?}");
                venue.faults.heal();
                venue.send(ask.at(late)).await
            };
            let made = struck(post(PATH, adult()).keyed("a")).await;
            let one = format!("{PATH}/{}", made.id());
            assert_eq!(venue.send(get(PATH)).await.column("id"), [made.id()], "{call} {fault:?}");
            let change = put(&one, json!({"name": "B"})).keyed("b").if_match(made.tag());
            assert_eq!(struck(change).await.body["name"], "B", "{call} {fault:?}");
            assert_eq!(venue.send(get(&one)).await.body["name"], "B", "{call} {fault:?}");
            let gone = struck(delete(&one).keyed("c")).await;
            // Of a deletion whose request died, nothing is left to show.
            assert!([200, 404].contains(&gone.status), "{call} {fault:?} {gone:?}");
            assert_eq!(venue.send(get(&one)).await.status, 404, "{call} {fault:?}");
        }
    }
}

#[tokio::test]
async fn another_tenants_record_is_unknown() {
    let venue = support::open().await;
    let made = venue.send(post(PATH, adult())).await;
    let one = format!("{PATH}/{}", made.id());
    for ask in [get(&one), put(&one, json!({"name": "B"})), delete(&one)] {
        let theirs = venue.send(ask.clone().by("key-2")).await;
        assert_eq!(theirs.kind(), (404, "NOT_FOUND"), "{ask:?}");
    }
    assert_eq!(venue.send(get(PATH).by("key-2")).await.body["list"], json!([]));
    assert_eq!(venue.send(get(&one)).await.body, made.body);
}

#[tokio::test]
async fn lists_are_sorted_and_cut_into_pages() {
    let venue = support::open().await;
    for (name, order) in [("B", 1), ("C", 0), ("A", 1)] {
        venue.send(post(PATH, json!({"name": name, "displayOrder": order}))).await.done();
    }
    let named = async |query: &str| venue.send(get(format!("{PATH}?{query}"))).await.column("name");
    assert_eq!(named("sortField=name").await, ["A", "B", "C"]);
    assert_eq!(named("sortField=NAME&sortDirection=DESC").await, ["C", "B", "A"]);
    assert_eq!(named("sortField=name&pageSize=2&page=2").await, ["C"]);
    assert_eq!(named("sortField=name&pageSize=-1").await, ["A", "B", "C"]);
    assert_eq!(named("page=9").await, Vec::<Value>::new());
    assert_eq!(named("").await[0], "C");
    let page = venue.send(get(format!("{PATH}?pageSize=2"))).await;
    assert_eq!(
        page.body["pagination"],
        json!({"page": 1, "pageSize": 2, "sortDirection": "asc", "sortField": "displayOrder", "count": 3})
    );
    let refused = venue.send(get(format!("{PATH}?page=0&pageSize=-2&sortField=age&sortDirection=up"))).await;
    assert_eq!(
        refused.faults(),
        [
            "page must be a whole number of at least 1",
            "pageSize must be a whole number of at least 1, or -1 for all",
            "sortField must be displayOrder, name or id",
            "sortDirection must be asc or desc",
        ]
    );
}

#[tokio::test]
async fn every_fault_of_a_ticket_type_is_named_at_once() {
    let venue = support::open().await;
    let wrong = json!({"name": " ", "description": 7, "active": "yes", "type": "x".repeat(201),
        "displayOrder": 1.5});
    let refused = venue.send(post(PATH, wrong)).await;
    assert_eq!(
        refused.faults(),
        [
            "/name must not be blank",
            "/description must be a string",
            "/active must be true or false",
            "/type must have at most 200 characters",
            "/displayOrder must be an integer",
        ]
    );
    assert_eq!(venue.send(get(PATH)).await.body["pagination"]["count"], 0);
}

#[tokio::test]
async fn every_request_makes_as_many_calls_as_it_is_said_to() {
    let venue = support::open().await;
    let (made, calls) = venue.counted(post(PATH, adult())).await;
    // How many there are, which a process counts once in a while, and the record.
    assert_eq!(calls, 2);
    let one = format!("{PATH}/{}", made.id());
    assert_eq!(venue.counted(get(PATH)).await.1, 1);
    assert_eq!(venue.counted(get(&one)).await.1, 1);
    assert_eq!(venue.counted(put(&one, json!({"name": "B"}))).await.1, 2);
    assert_eq!(venue.counted(post(PATH, adult()).keyed("a")).await.1, 3);
    // The record, the definitions and the templates at once, then the removal.
    assert_eq!(venue.counted(delete(&one)).await.1, 4);
}
