//! Refunds by what is to be left, as clients of before ask for them.

use crate::returns::books::check_books;
use crate::returns::{id, item, limited, loaded, sold, staff};
use crate::venue::{Venue, tickets, tickets_for};
use serde_json::{Value, json};
use testkit::Answer;
use tokio::task::JoinSet;

const PATH: &str = "/v2/b2b/orders/update";

/// What is to be left of an item.
fn left(item: &str, quantity: u32) -> Value {
    json!({"orderItemId": item, "quantity": quantity})
}

#[tokio::test]
async fn what_is_more_than_is_to_be_left_is_refunded() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, limited()).await;
    let [line, pieces] = [item(&order, 0), item(&order, 1)];
    let body = |tickets: u32, add_ons: u32| {
        let items = [left(line, tickets), left(pieces, add_ons)];
        json!({"orderId": id(&order), "orderItems": items, "notes": "Rain", "noEmail": true})
    };
    let asked = staff(PATH, body(1, 2)).keyed("lower");
    let first = process.send(asked.clone()).await;
    assert_eq!(first.error(), "OK", "{}", first.text);
    assert_eq!(json!([first.body["id"], first.body["refundAmount"]]), json!([order["id"], "34.00"]));
    let refunds = first.body["refunds"].as_array().unwrap();
    let (_, own) = loaded(&venue, id(&order)).await;
    let going = [own[2].id.to_string(), own[1].id.to_string()];
    let items = json!([{"itemId": line, "quantity": 2, "amount": "34.00", "ticketIds": going}]);
    assert_eq!((refunds.len(), &refunds[0]["items"]), (1, &items), "equal ones are ignored");
    assert_eq!(refunds[0]["reason"], "Rain");
    let again = process.send(asked).await;
    assert!(again.replayed);
    assert_eq!(again.body, first.body);
    check_books(&venue, "lowered").await;

    let equal = process.send(staff(PATH, body(1, 2))).await;
    assert_eq!((equal.error(), equal.calls.rounds), ("OK", 2), "{}", equal.text);
    assert_eq!(equal.body["refunds"], first.body["refunds"], "nothing happens");
    let none = process.send(staff(PATH, body(0, 0))).await;
    assert_eq!((none.error(), none.calls.rounds), ("OK", 4), "{}", none.text);
    assert_eq!(none.body["refundAmount"], order["paidAmount"]);
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
    let nothing = process.send(staff(PATH, body(0, 0))).await;
    assert_eq!(nothing.body["refunds"], none.body["refunds"], "{}", nothing.text);
    check_books(&venue, "nothing left").await;
}

#[tokio::test]
async fn what_cannot_be_lowered_is_named_as_it_was_asked_for_and_nothing_is() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = json!({"shoppingCart": {"items": [tickets(3), tickets_for(1, 2)]}});
    let order = sold(&process, cart).await;
    let [line, other] = [item(&order, 0), item(&order, 1)];
    for (items, refusal) in [
        (
            json!([left(line, 1), left(other, 3)]),
            "409 NOT_REFUNDABLE\n/orderItems/1/quantity must be at most 2, the number left to refund",
        ),
        (
            json!([left(line, 1), left(line, 2)]),
            "409 NOT_REFUNDABLE\n/orderItems/1/orderItemId is listed twice",
        ),
        (json!([left(line, 1), left("7", 0)]), "404 NOT_FOUND\n/orderItems/1/orderItemId was not found"),
        (json!([]), "400 VALIDATION_ERROR\n/orderItems must have at least one entry"),
        (json!(null), "400 VALIDATION_ERROR\n/orderItems is required"),
        (json!([{"orderItemId": line}]), "400 VALIDATION_ERROR\n/orderItems/0/quantity is required"),
    ] {
        let answer = process.send(staff(PATH, json!({"orderId": id(&order), "orderItems": items}))).await;
        assert_eq!(answer.refusal(), refusal);
    }
    let lowered = json!({"orderId": id(&order), "orderItems": [left(line, 1)]});
    let stranger = process.send(staff(PATH, lowered).by("staff-205")).await;
    assert_eq!(stranger.refusal(), "404 NOT_FOUND\n/orderId was not found");
    assert_eq!((venue.seats(0).await, venue.seats(1).await), ([7, 0, 3], [8, 0, 2]));
    check_books(&venue, "refused").await;
}

/// Both ask for two to be left of four. Had each decided by itself that two go, none would be left.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_two_want_to_be_left_at_once_is_left() {
    for round in 0..5 {
        let venue = Venue::open([10, 10]).await;
        let processes = [venue.process().await, venue.process().await];
        let order = sold(&processes[0], json!({"shoppingCart": {"items": [tickets(4)]}})).await;
        let mut tasks = JoinSet::new();
        for process in processes {
            let body = json!({"orderId": id(&order), "orderItems": [left(item(&order, 0), 2)]});
            tasks.spawn(async move { process.send(staff(PATH, body)).await });
        }
        let answers = tasks.join_all().await;
        let mut kinds: Vec<&str> = answers.iter().map(Answer::error).collect();
        kinds.sort_unstable();
        assert!(kinds == ["OK", "OK"] || kinds == ["OK", "REFUND_PENDING"], "{round}: {kinds:?}");
        assert_eq!(venue.seats(0).await, [8, 0, 2], "{round}");
        check_books(&venue, "at once").await;
    }
}
