//! What devices keep of an event.

use crate::support::{DOOR, Doors, GALLERY, GARDEN, Sold, after, block, event, exchange, refund, scan};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use testkit::{Ask, get};

fn list(of: &str, query: &str) -> Ask {
    get(format!("/v2/b2b/admissions/events/{}{query}", event(of, 0)))
}

fn hash(of: &str, code: &str) -> String {
    let text = format!("{}\n{}", event(of, 0), code.to_lowercase());
    let digest = Sha256::digest(text);
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn entry<'a>(list: &'a Value, sold: &Sold) -> &'a Value {
    let mut tickets = list["tickets"].as_array().unwrap().iter();
    tickets.find(|ticket| ticket["ticketId"] == sold.ticket.as_str()).unwrap()
}

#[tokio::test]
async fn a_device_knows_every_ticket_by_a_hash_and_no_barcode() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 2).await;
    let other = doors.sell(event(GARDEN, 0), 1).await.remove(0);
    let gone = doors.one().await;
    doors.done(refund(&gone, json!({}))).await;
    let lost = doors.one().await;
    doors.done(block(&lost, true)).await;
    assert_eq!(doors.reason(scan(&sold[0].code)).await, "admitted");
    let answer = doors.send(list(GALLERY, "")).await;
    let body = answer.clone().done();
    let head = json!({
        "eventId": event(GALLERY, 0).to_string(), "eventName": "Harbor Gallery Entry",
        "startTime": "2027-06-01T10:15:00-04:00", "endTime": "2027-06-01T11:15:00-04:00", "state": "active",
        "opens": "2027-06-01T09:45:00-04:00", "closes": "2027-06-01T11:15:00-04:00", "reentry": "never",
        "asOf": "2027-06-01T10:00:00-04:00", "nextPageToken": null,
    });
    for (name, value) in head.as_object().unwrap() {
        assert_eq!(&body[name], value, "{name}");
    }
    assert_eq!(body["tickets"].as_array().unwrap().len(), 4, "{body}");
    let expected = json!({
        "ticketId": sold[0].ticket, "orderId": sold[0].order, "codeHash": hash(GALLERY, &sold[0].code),
        "orderNumber": sold[0].number, "ticketTypeName": "Adult", "lastName": "Okafor", "firstName": "Ines",
        "status": "Normal", "state": "inside", "checkInDate": "2027-06-01T10:00:00-04:00", "attention": [],
    });
    assert_eq!(entry(&body, &sold[0]), &expected);
    assert_eq!(entry(&body, &sold[1])["state"], "never");
    assert_eq!(entry(&body, &gone)["status"], "Refunded");
    assert_eq!(entry(&body, &lost)["state"], "blocked");
    for sold in sold.iter().chain([&other, &gone, &lost]) {
        assert!(!answer.text.contains(&sold.code), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_list_that_did_not_change_is_not_sent_again() {
    let doors = Doors::open().await;
    let sold = doors.one().await;
    let first = doors.send(list(GALLERY, "")).await;
    let tag = first.tag().to_owned();
    let same = doors.send(list(GALLERY, "").header("if-none-match", &tag).at_instant(after(60))).await;
    assert_eq!((same.status, same.text.as_str(), same.tag()), (304, "", tag.as_str()));
    let any = doors.send(list(GALLERY, "").header("if-none-match", &format!("\"other\", W/{tag}"))).await;
    assert_eq!(any.status, 304);
    assert_eq!(doors.reason(scan(&sold.code)).await, "admitted");
    let changed = doors.send(list(GALLERY, "").header("if-none-match", &tag)).await;
    assert_ne!((changed.status, changed.tag()), (304, tag.as_str()));
    assert_eq!(changed.status, 200);
}

#[tokio::test]
async fn pages_have_every_ticket_once() {
    let doors = Doors::open().await;
    let mut sold = BTreeSet::new();
    for count in 1..=7 {
        sold.extend(doors.sell(event(GALLERY, 0), count % 3 + 1).await.into_iter().map(|one| one.ticket));
    }
    for size in [1, 2, 3, 7, 2_000] {
        let (mut found, mut token, mut pages) = (Vec::new(), None, 0);
        loop {
            let rest = token.map(|token: String| format!("&pageToken={token}")).unwrap_or_default();
            let answer = doors.send(list(GALLERY, &format!("?pageSize={size}{rest}"))).await;
            assert!(answer.calls.rounds <= 3, "{:?}", answer.calls);
            let page = answer.done();
            let tickets = page["tickets"].as_array().unwrap().iter();
            found.extend(tickets.map(|ticket| ticket["ticketId"].as_str().unwrap().to_owned()));
            pages += 1;
            let Some(next) = page["nextPageToken"].as_str() else { break };
            token = Some(next.to_owned());
        }
        assert_eq!(pages, 7_usize.div_ceil(size), "{size}");
        assert_eq!(found.len(), sold.len(), "{size}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), sold, "{size}");
    }
}

#[tokio::test]
async fn tickets_of_other_instances_are_not_in_it_and_exchanged_ones_say_so() {
    let doors = Doors::open().await;
    let sold = doors.sell(event(GALLERY, 0), 2).await;
    doors.done(exchange(&sold[0], event(GALLERY, 1), json!({"waiveFee": true}))).await;
    let here = doors.done(list(GALLERY, "")).await;
    assert_eq!(entry(&here, &sold[0])["status"], "Exchanged");
    assert_eq!(here["tickets"].as_array().unwrap().len(), 2);
    let there = get(format!("/v2/b2b/admissions/events/{}", event(GALLERY, 1)));
    let there = doors.done(there.by(DOOR)).await;
    assert_eq!(there["tickets"].as_array().unwrap().len(), 1);
    assert_eq!(there["tickets"][0]["orderId"], sold[0].order.as_str());
}

#[tokio::test]
async fn unknown_events_and_queries_that_mean_nothing_are_refused() {
    let doors = Doors::open().await;
    for id in ["7", "ffffffffffffffffffffffff", &event(GALLERY, 77).to_string()] {
        let refused = doors.send(get(format!("/v2/b2b/admissions/events/{id}"))).await;
        assert_eq!(refused.kind(), (404, "NOT_FOUND"), "{id}");
    }
    for (query, fault) in [
        ("?pageSize=0", "pageSize must be a whole number from 1 to 2000"),
        ("?pageSize=2001", "pageSize must be a whole number from 1 to 2000"),
        ("?pageSize=all", "pageSize must be a whole number from 1 to 2000"),
        ("?pageToken=%20", "pageToken must not be blank"),
        ("?pageToken=a%2Fb", "pageToken must be a nextPageToken of this list"),
    ] {
        assert_eq!(doors.send(list(GALLERY, query)).await.faults(), [fault], "{query}");
    }
}
