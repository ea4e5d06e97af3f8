//! Refunds as clients of before ask for them, with tickets by their barcodes.

use crate::returns::{id, item, limited, loaded, sold, staff};
use crate::venue::{Venue, tickets, tickets_for};
use serde_json::{Value, json};

const PATHS: [&str; 2] = ["/v2/b2b/b2b/refunds", "/v1/b2b/b2b/refunds"];

#[tokio::test]
async fn tickets_are_refunded_by_their_barcodes_and_what_is_left_as_a_whole() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = sold(&process, limited()).await;
    let (order_id, line) = (id(&order), item(&order, 0));
    let (_, own) = loaded(&venue, order_id).await;
    let by_code = |place: usize| {
        let code = own[place].barcode.as_str().to_uppercase();
        let items = json!([{"orderItemId": line, "ticketUUIDs": [code]}]);
        json!({"orderId": order_id, "refundItems": items, "notes": "Rain", "noEmail": true})
    };
    let asked = staff(PATHS[0], by_code(1)).keyed("by code");
    let first = process.send(asked.clone()).await;
    assert_eq!(first.error(), "OK", "{}", first.text);
    let body = &first.body;
    let refund = &body["order"]["refunds"][0];
    assert_eq!(
        json!([body["refundAmount"], body["incidentNumber"], body["order"]["id"], refund["reason"]]),
        json!(["17.00", refund["refundId"], order_id, "Rain"])
    );
    assert_eq!(refund["items"][0]["ticketIds"], json!([own[1].id.to_string()]));
    let event = &body["refundedEvents"][0];
    let sold = &order["orderItems"][0];
    assert_eq!(
        (&event["eventName"], &event["refundedItems"]),
        (
            &sold["eventName"],
            &json!([{
                "ticketType": sold["ticketingTypeName"], "pricePerTicket": "17.00", "refundedCount": 1,
                "totalRefunded": "17.00",
            }])
        )
    );
    let (date, time) = (event["startDate"].as_str().unwrap(), event["startTime"].as_str().unwrap());
    assert!(time.starts_with(&format!("{date}T")), "{date} {time}");
    let again = process.send(asked).await;
    assert!(again.replayed);
    assert_eq!(again.body, first.body);

    let second = process.send(staff(PATHS[1], by_code(0))).await;
    assert_eq!((second.error(), second.calls.rounds), ("OK", 5), "{}", second.text);
    let rest = process.send(staff(PATHS[1], json!({"orderId": order_id}))).await;
    assert_eq!((rest.error(), rest.calls.rounds), ("OK", 4), "{}", rest.text);
    assert_eq!(rest.body["order"]["refundAmount"], order["paidAmount"]);
    assert_eq!(venue.seats(0).await, [10, 0, 0]);
    let nothing = process.send(staff(PATHS[0], json!({"orderId": order_id}))).await;
    assert_eq!(nothing.refusal(), "409 NOT_REFUNDABLE\n/orderId has nothing left to refund");
}

#[tokio::test]
async fn what_cannot_be_refunded_is_named_as_it_was_asked_for() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = json!({"shoppingCart": {"items": [tickets(2), tickets_for(1, 1)]}});
    let order = sold(&process, cart).await;
    let (_, own) = loaded(&venue, id(&order)).await;
    let other = own.iter().find(|ticket| ticket.line.as_str() == item(&order, 1)).unwrap();
    let line = item(&order, 0);
    for (fields, refusal) in [
        (
            json!({"refundItems": [{"orderItemId": line, "ticketUUIDs": ["0".repeat(32)]}]}),
            "404 NOT_FOUND\n/refundItems/0/ticketUUIDs/0 was not found",
        ),
        (
            json!({"refundItems": [{"orderItemId": line, "ticketUUIDs": [other.barcode.as_str()]}]}),
            "404 NOT_FOUND\n/refundItems/0/ticketUUIDs/0 was not found",
        ),
        (
            json!({"refundItems": [{"orderItemId": "7"}]}),
            "404 NOT_FOUND\n/refundItems/0/orderItemId was not found",
        ),
        (
            json!({"refundItems": [{"orderItemId": line, "quantity": 9}]}),
            "409 NOT_REFUNDABLE\n/refundItems/0/quantity must be at most 2, the number left to refund",
        ),
        (
            json!({"refundItems": []}),
            "400 VALIDATION_ERROR\n/refundItems must have at least one entry, or be left out",
        ),
        (json!({"refundItems": null}), "400 VALIDATION_ERROR\n/refundItems must not be null"),
        (
            json!({"incidentReasonCode": "Rain"}),
            "400 VALIDATION_ERROR\n/incidentReasonCode must be one of Cancelled Event, Miscellaneous",
        ),
    ] {
        for path in PATHS {
            let mut body: Value = fields.clone();
            body["orderId"] = json!(id(&order));
            let answer = process.send(staff(path, body)).await;
            assert_eq!(answer.refusal(), refusal, "{path} {fields}");
        }
    }
}
