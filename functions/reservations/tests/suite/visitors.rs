//! Storefronts hold seats while their visitors type: within limits, each kind of key its own.

use crate::support::{PATH, Venue, after, delete, get, post, put, reservation};
use domain::InstanceId;
use domain::rate_limit::RateLimit;
use serde_json::json;
use std::collections::BTreeSet;
use testkit::catalog::with;
use testkit::tenants::ORIGIN;
use testkit::{Answer, Ask};

const HELD: &str = "/v2/b2c/reservations";

/// Sent by a page of the venue's.
fn on_page(ask: Ask) -> Ask {
    ask.by("page-1").header("origin", ORIGIN)
}

/// Sent by the server of its shop.
fn by_shop(ask: Ask) -> Ask {
    ask.by("shop-1")
}

fn hold(lines: &[(InstanceId, u32)]) -> Ask {
    post(lines).to(HELD)
}

fn change(id: i64, lines: &[(InstanceId, u32)]) -> Ask {
    put(id, lines).to(HELD)
}

fn release(id: i64) -> Ask {
    delete(id).to(format!("{HELD}/{id}"))
}

/// Sequential and all database calls.
fn rounds(answer: &Answer) -> (u32, u32) {
    (answer.calls.rounds, answer.calls.total)
}

#[tokio::test]
async fn a_page_holds_changes_and_releases_seats_as_staff_do() {
    let venue = Venue::open().await;
    venue.send(on_page(release(5))).await;
    let (first, second) = (venue.show(24, 10).await, venue.show(48, 10).await);
    let made = venue.send(on_page(hold(&[(first, 2), (second, 1)]))).await;
    let id = made.number();
    assert_eq!(rounds(&made), (3, 5), "the record beside the ledgers, the counts, the seats");
    let names: BTreeSet<&str> = made.body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["expirationTimestamp", "id", "reservationItems"]));
    assert_eq!(made.body["expirationTimestamp"], "2027-05-01T10:10:00-04:00");
    assert_eq!((venue.free(first).await, venue.free(second).await), (8, 9));

    let changed = venue.send(on_page(change(id, &[(first, 4)]))).await;
    assert_eq!(rounds(&changed), (3, 4));
    assert_eq!(changed.body["reservationItems"][0]["id"], made.body["reservationItems"][0]["id"]);
    assert_eq!((venue.free(first).await, venue.free(second).await), (6, 10));
    let short = venue.send(on_page(change(id, &[(first, 11)]))).await;
    assert_eq!((short.error(), &short.body["availableSeats"]), ("NOT_ENOUGH_CAPACITY", &json!(10)));

    let released = venue.send(on_page(release(id))).await;
    assert_eq!(rounds(&released), (2, 3));
    assert_eq!(released.done(), changed.body);
    assert_eq!(venue.free(first).await, 10);
    for gone in [release(id), change(id, &[(first, 1)])] {
        assert_eq!(venue.send(on_page(gone)).await.status, 404);
    }
}

#[tokio::test]
async fn each_kind_of_key_changes_and_releases_its_own_alone() {
    let venue = Venue::open().await;
    let slot = venue.show(24, 10).await;
    let of_page = venue.send(on_page(hold(&[(slot, 1)]))).await.number();
    let of_shop = venue.send(by_shop(hold(&[(slot, 1)]))).await.number();
    let of_staff = venue.send(post(&[(slot, 1)])).await.number();
    let foreign = [
        on_page(change(of_shop, &[])),
        on_page(release(of_shop)),
        on_page(change(of_staff, &[])),
        on_page(release(of_staff)),
        by_shop(change(of_page, &[])),
        by_shop(release(of_page)),
        put(of_page, &[]),
        delete(of_page),
        delete(of_shop).by("till-1"),
    ];
    for ask in foreign {
        let refused = venue.send(ask).await;
        assert_eq!((refused.status, refused.error()), (404, "NOT_FOUND"), "{}", refused.body);
    }
    assert_eq!(venue.free(slot).await, 7);
    venue.send(get(of_page)).await.done();
    for own in [on_page(release(of_page)), by_shop(release(of_shop)), delete(of_staff).by("till-1")] {
        venue.send(own).await.done();
    }
    assert_eq!(venue.free(slot).await, 10);
    for other in ["key-1", "till-1", "gate-1"] {
        assert_eq!(venue.send(hold(&[(slot, 1)]).by(other)).await.status, 403, "{other}");
    }
}

#[tokio::test]
async fn visitors_keep_their_seats_for_as_long_as_the_venue_holds_them_and_no_longer() {
    let venue = Venue::open().await;
    let slot = venue.show(24, 10).await;
    let id = venue.send(on_page(hold(&[(slot, 2)]))).await.number();
    for (asked, expected) in [
        ("2027-05-01T10:05:00-04:00", "2027-05-01T10:05:00-04:00"),
        ("2099-01-01T00:00:00-05:00", "2027-05-01T10:10:00-04:00"),
    ] {
        let fields = json!({"id": id, "expirationTimestamp": asked});
        let longer = testkit::put(HELD, with(reservation(&[(slot, 2)]), fields));
        let answer = venue.send(on_page(longer).at(&after(1))).await.done();
        assert_eq!(answer["expirationTimestamp"], expected);
    }
    assert_eq!(venue.send(on_page(change(id, &[(slot, 3)])).at(&after(600))).await.status, 404);
}

#[tokio::test]
async fn a_visitor_holds_so_many_seats_of_so_many_events() {
    let venue = Venue::open().await;
    let (one, other) = (venue.show(24, 300).await, venue.show(48, 300).await);
    let mut many = Vec::new();
    for hour in 50..71 {
        many.push((venue.show(hour, 5).await, 1));
    }
    let id = venue.send(on_page(hold(&[(one, 150), (other, 50)]))).await.number();
    for (ask, staff) in [
        (hold(&[(one, 150), (other, 51)]), post(&[(one, 101), (other, 100)])),
        (change(id, &[(one, 201)]), post(&[])),
        (hold(&many), post(&many)),
    ] {
        let refused = venue.send(on_page(ask)).await;
        assert_eq!(refused.error(), "VALIDATION_ERROR");
        let told = json!([{
            "field": "/reservationItems", "message": "must be at most 200 seats of 20 events",
        }]);
        assert_eq!(refused.body["details"], told);
        venue.send(staff).await.done();
    }
    venue.send(on_page(hold(&many[1..]))).await.done();
}

#[tokio::test]
async fn a_storefront_holds_only_what_its_channel_sells() {
    let venue = Venue::open().await;
    // The tour has no price.
    let (tour, show) = (venue.slot(24, 5).await, venue.show(24, 5).await);
    let refused = venue.send(on_page(hold(&[(show, 1), (tour, 1)]))).await;
    assert_eq!(refused.error(), "SALES_CLOSED");
    assert_eq!(refused.body["details"][0]["field"], "/reservationItems/1/eventId");
    assert_eq!(venue.free(show).await, 5);
    venue.send(post(&[(show, 1), (tour, 1)])).await.done();
}

#[tokio::test]
async fn holds_and_seats_are_counted_and_those_of_staff_are_not() {
    for (limit, rate) in [(RateLimit::HoldsPerKey, "2/600"), (RateLimit::HeldSeatsPerKey, "6/600")] {
        let venue = Venue::limited(limit, rate).await;
        let slot = venue.show(24, 50).await;
        let first = || on_page(hold(&[(slot, 3)])).keyed("first");
        let made = venue.send(first()).await;
        let id = made.number();
        venue.send(on_page(change(id, &[(slot, 3)]))).await.done();
        for more in [hold(&[(slot, 3)]), change(id, &[(slot, 4)])] {
            let refused = venue.send(on_page(more)).await;
            assert_eq!((refused.status, refused.error()), (429, "THROTTLED"), "{limit}");
        }
        assert_eq!(venue.free(slot).await, 47, "{limit}");
        let again = venue.send(first()).await;
        assert!(again.replayed, "nobody is kept from the answer to what was carried out");
        assert_eq!(again.body, made.body);
        venue.send(by_shop(hold(&[(slot, 3)]))).await.done();
        venue.send(post(&[(slot, 20)])).await.done();
        venue.send(on_page(release(id))).await.done();
    }
}

#[tokio::test]
async fn visitors_are_counted_by_their_addresses() {
    let venue = Venue::limited(RateLimit::HoldsPerAddress, "1/600").await;
    let slot = venue.show(24, 50).await;
    let from = |address: &str| by_shop(hold(&[(slot, 1)])).header("x-service-browser-ip", address);
    venue.send(from("203.0.113.9")).await.done();
    assert_eq!(venue.send(from("203.0.113.9")).await.error(), "THROTTLED");
    venue.send(from("203.0.113.10")).await.done();
    assert_eq!(venue.free(slot).await, 48);
}

#[tokio::test]
async fn an_idempotency_key_is_of_the_kind_of_key_that_sent_it_first() {
    let venue = Venue::open().await;
    let slot = venue.show(24, 10).await;
    let same = || hold(&[(slot, 1)]).keyed("same");
    let of_page = venue.send(on_page(same())).await;
    let of_shop = venue.send(by_shop(same())).await;
    assert_eq!(of_shop.error(), "IDEMPOTENCY_KEY_REUSED");
    let again = venue.send(on_page(same())).await;
    assert_eq!((again.replayed, &again.body), (true, &of_page.body));
    let of_staff = venue.send(same().to(PATH)).await;
    assert_eq!(of_staff.error(), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(venue.free(slot).await, 9);
}
