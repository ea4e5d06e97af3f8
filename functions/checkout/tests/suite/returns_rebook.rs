//! Exchanges as clients of before ask for them.

use crate::catalog::{NIGHT, slot};
use crate::returns::books::check_books;
use crate::returns::{id, item, sold, staff};
use crate::venue::{Venue, tickets};
use serde_json::{Value, json};
use testkit::catalog::CHILD;

const PATH: &str = "/v1/b2b/rebook/orders";

/// So many tickets of an item for another time.
fn moved(item: &str, quantity: u32, place: u16) -> Value {
    json!({"orderItemId": item, "rebookQuantity": quantity, "rebookToEventId": slot(place)})
}

#[tokio::test]
async fn tickets_of_several_items_are_exchanged_by_the_path_of_before() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let child = json!({"eventId": slot(0), "ticketingTypeId": CHILD, "quantity": 1});
    let order = sold(&process, json!({"shoppingCart": {"items": [tickets(3), child]}})).await;
    let items = [moved(item(&order, 0), 2, 1), moved(item(&order, 1), 1, 1)];
    let body = json!({
        "orderId": id(&order), "rebookItems": items, "noEmail": true, "notes": "Rain", "cvc": "123",
        "eventRebookFeeCounts": [{"eventId": slot(1), "count": 3}],
    });
    let asked = staff(PATH, body).keyed("rebook");
    let first = process.send(asked.clone()).await;
    assert_eq!((first.error(), first.calls.rounds), ("OK", 4), "{}", first.text);
    let exchanges = first.body["order"]["exchanges"].as_array().unwrap();
    let quantities: Vec<&Value> =
        exchanges[0]["items"].as_array().unwrap().iter().map(|item| &item["quantity"]).collect();
    assert_eq!((exchanges.len(), quantities), (1, vec![&json!(2), &json!(1)]));
    assert_eq!(first.body["order"]["id"], order["id"]);
    let number = first.body["incidentNumber"].as_str().unwrap();
    assert!(number.starts_with(&format!("exchange_{}_", id(&order))), "{number}");
    assert_eq!((venue.seats(0).await, venue.seats(1).await), ([9, 0, 1], [7, 0, 3]));
    let again = process.send(asked).await;
    assert!(again.replayed);
    assert_eq!(again.body, first.body);
    check_books(&venue, "rebooked").await;
}

#[tokio::test]
async fn what_cannot_be_exchanged_is_named_as_it_was_asked_for() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, json!({"shoppingCart": {"items": [tickets(3)]}})).await;
    let line = item(&order, 0);
    let without_quantity = json!({"orderItemId": line, "rebookToEventId": slot(1)});
    for (items, fees, refusal) in [
        (
            json!([moved(line, 1, 1), moved(line, 1, 2)]),
            json!([]),
            "400 COMBINATION_NOT_SUPPORTED\n/rebookItems/1/rebookToEventId must be the same for all items",
        ),
        (
            json!([moved(line, 1, 1), moved("7", 1, 1)]),
            json!([]),
            "404 NOT_FOUND\n/rebookItems/1/orderItemId was not found",
        ),
        (
            json!([moved(line, 9, 1)]),
            json!([]),
            "409 NOT_EXCHANGEABLE\n/rebookItems/0/rebookQuantity must be at most 3, the number left to exchange",
        ),
        (
            json!([moved(line, 1, 1), moved(line, 1, 1)]),
            json!([]),
            "409 NOT_EXCHANGEABLE\n/rebookItems/1/orderItemId is listed twice",
        ),
        (
            json!([moved(line, 1, NIGHT)]),
            json!([]),
            "409 NOT_EXCHANGEABLE\n/rebookItems/0/rebookToEventId belongs to a different event template from the tickets",
        ),
        (json!([]), json!([]), "400 VALIDATION_ERROR\n/rebookItems must have at least one entry"),
        (
            json!([without_quantity]),
            json!([]),
            "400 VALIDATION_ERROR\n/rebookItems/0/rebookQuantity is required",
        ),
        (
            json!([moved(line, 2, 1)]),
            json!([{"count": 1}]),
            "400 VALIDATION_ERROR\n/eventRebookFeeCounts must be 0 in total, or 2, the number of tickets",
        ),
    ] {
        let body = json!({"orderId": id(&order), "rebookItems": items, "eventRebookFeeCounts": fees});
        assert_eq!(process.send(staff(PATH, body)).await.refusal(), refusal);
    }
    let stranger = json!({"orderId": id(&order), "rebookItems": [moved(line, 1, 1)]});
    assert_eq!(process.send(staff(PATH, stranger).by("staff-205")).await.error(), "NOT_FOUND");
    assert_eq!(venue.seats(0).await, [7, 0, 3]);
}
