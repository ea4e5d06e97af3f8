//! What keeps a cart from being judged.

use crate::support::{LINE, Rules, Venue, ask, members_cart, slot, tickets};
use serde_json::json;
use testkit::catalog::ADULT;
use testkit::tenants::ORIGIN;

#[tokio::test]
async fn a_cart_that_cannot_be_priced_is_answered_as_an_update_answers_it() {
    let venue = Venue::open(Rules::usual()).await;
    let unknown = "0123456789abcdef01234567";
    for (case, body, expected) in [
        ("nothing", json!({}), "400 VALIDATION_ERROR\n/id is required unless items are sent"),
        ("no cart", json!({"id": unknown}), "404 NOT_FOUND\n/id was not found"),
        ("no id", json!({"id": "a b"}), "404 NOT_FOUND\n/id was not found"),
        ("an id of nothing", json!({"id": ""}), "400 VALIDATION_ERROR\n/id must not be blank"),
        (
            "an id that shows nothing",
            json!({"id": "\u{200b} "}),
            "400 VALIDATION_ERROR\n/id must not be blank",
        ),
        ("an id that is no text", json!({"id": 7}), "400 VALIDATION_ERROR\n/id must be a string"),
        ("items that are no list", json!({"items": 7}), "400 VALIDATION_ERROR\n/items must be an array"),
        (
            "a wrong line",
            json!({"items": [{"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": -1}]}),
            "400 VALIDATION_ERROR\n/items/0/quantity must be between 0 and 999",
        ),
        (
            "an unknown event, type and membership",
            json!({"membershipIds": [5], "items": [{"eventId": unknown, "ticketingTypeId": "x", "quantity": 1}]}),
            "404 NOT_FOUND\n/items/0/eventId was not found\n/items/0/ticketingTypeId was not found\n\
             /membershipIds/0 was not found",
        ),
        (
            "a slot that does not exist",
            json!({"items": [{"eventId": slot(5), "ticketingTypeId": ADULT, "quantity": 1}]}),
            "404 NOT_FOUND\n/items/0/eventId was not found",
        ),
    ] {
        for method in ["POST", "PUT"] {
            let answer = venue.send(ask(method, body.clone())).await;
            assert_eq!(answer.refusal(), expected, "{method} {case}");
        }
    }
    let late = "2027-06-04T00:00:00Z";
    let closed = venue.send(ask("POST", members_cart(json!([tickets(ADULT, 1)]))).at(late)).await;
    assert_eq!(closed.refusal(), "409 SALES_CLOSED\n/items/0/eventId is no longer on sale");
    let cart = venue.cart(1).await;
    let expired = venue.send(ask("POST", json!({"id": cart})).at(late)).await;
    assert_eq!(expired.refusal(), "404 NOT_FOUND\n/id was not found");
}

#[tokio::test]
async fn a_fault_of_a_stored_cart_is_pointed_at_under_the_id_that_was_sent() {
    let venue = Venue::open(Rules::usual()).await;
    let cart = venue.cart_for(5, 1).await;
    for method in ["POST", "PUT"] {
        let answer = venue.send(ask(method, json!({"id": cart}))).await;
        let expected = format!("404 NOT_FOUND\n/id/items/{LINE}/eventId was not found");
        assert_eq!(answer.refusal(), expected, "{method}");
    }
}

#[tokio::test]
async fn whoever_sells_may_ask_and_nobody_else() {
    let venue = Venue::open(Rules::usual()).await;
    let cart = venue.cart(1).await;
    for (headers, expected) in [
        (&[][..], "200 "),
        (&[("x-service-api-key", "page-204"), ("origin", ORIGIN)], "200 "),
        (&[("x-service-api-key", "staff-204")], "200 "),
        (&[("x-service-api-key", "gate-204")], "403 FORBIDDEN"),
        (&[("x-service-api-key", "nobody")], "401 UNAUTHORIZED"),
        (&[("x-b2c-tenant-id", "")], "400 VALIDATION_ERROR\nx-b2c-tenant-id is required"),
        (&[("x-b2c-tenant-id", "205")], "403 FORBIDDEN"),
        (&[("x-service-api-key", "key-205"), ("x-b2c-tenant-id", "205")], "404 NOT_FOUND\n/id was not found"),
    ] {
        let ask = ask("POST", json!({"id": cart}));
        let ask = headers.iter().fold(ask, |ask, (name, text)| ask.header(name, text));
        let answer = venue.send(ask).await;
        assert_eq!(answer.refusal(), expected, "{headers:?}");
    }
}
