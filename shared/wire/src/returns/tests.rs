use super::*;
use crate::refund::RefundInput;
use crate::{Rejection, WireValue, read_body};
use serde_json::{Value, json};

/// What is refused of a body: the kind of the refusal, and each fault with its pointer.
fn refused<T: WireValue, R>(body: &Value, read: impl FnOnce(T, &mut Checker) -> Option<R>) -> Vec<String> {
    let mut checker = Checker::new();
    let value = read(read_body(body.to_string().as_bytes()).unwrap(), &mut checker);
    let rejection = match checker.finish(value) {
        Ok(_) => return vec!["fine".to_owned()],
        Err(rejection) => rejection,
    };
    let kind = match rejection {
        Rejection::Invalid(_) => "invalid",
        Rejection::Unknown(_) => "unknown",
    };
    let faults = rejection.details().iter().map(|fault| format!("{} {}", fault.field, fault.message));
    std::iter::once(kind.to_owned()).chain(faults).collect()
}

/// Whether items are sent, or all of the order is meant.
const EITHER: &str = "/items send either items or wholeOrder: true, not both";

#[test]
fn every_fault_of_a_refund_of_an_order_is_told_once() {
    let of = |item: Value| json!({"orderId": "1", "items": [item]});
    for (body, told) in [
        (json!({}), vec!["invalid", EITHER, "/orderId is required"]),
        (json!({"orderId": null, "items": null}), vec!["invalid", EITHER, "/orderId is required"]),
        (json!({"orderId": "1", "items": []}), vec!["invalid", EITHER]),
        (json!({"orderId": "1", "items": 5}), vec!["invalid", "/items must be an array"]),
        (
            json!({"orderId": "1", "items": {}, "wholeOrder": true}),
            vec!["invalid", "/items must be an array"],
        ),
        (json!({"orderId": "1", "wholeOrder": "yes"}), vec!["invalid", "/wholeOrder must be true or false"]),
        (json!({"orderId": "1", "wholeOrder": false}), vec!["invalid", EITHER]),
        (json!({"orderId": "1", "wholeOrder": true, "items": [{"itemId": "2"}]}), vec!["invalid", EITHER]),
        (
            json!({"orderId": 7, "wholeOrder": true, "amount": -1, "reason": 5, "sendEmail": "no"}),
            vec![
                "invalid",
                "/orderId must be a string",
                "/amount must not be negative",
                "/reason must be a string",
                "/sendEmail must be true or false",
            ],
        ),
        (
            json!({"wholeOrder": true, "amount": "1.005"}),
            vec!["invalid", "/amount must have at most two decimals", "/orderId is required"],
        ),
        (
            json!({"orderId": " ", "items": [5, {}, {"itemId": "x"}, {"itemId": 2, "quantity": "2"}]}),
            vec![
                "invalid",
                "/orderId must not be blank",
                "/items/0 must be an object",
                "/items/3/itemId must be a string",
                "/items/3/quantity must be an integer",
                "/items/1/itemId is required",
            ],
        ),
        (of(json!({})), vec!["unknown", "/items/0/itemId is required"]),
        (
            of(json!({"ticketIds": ["x"], "quantity": 0})),
            vec!["invalid", "/items/0/quantity must be at least 1", "/items/0/itemId is required"],
        ),
        (
            of(json!({"itemId": "2", "ticketIds": [5], "quantity": 1})),
            vec!["invalid", "/items/0/ticketIds/0 must be a string"],
        ),
        (
            of(json!({"itemId": "2", "ticketIds": [null, "3"], "quantity": 3})),
            vec![
                "invalid",
                "/items/0/ticketIds/0 must be a string",
                "/items/0/quantity must match the number of ticketIds, or be left out",
            ],
        ),
        (
            of(json!({"itemId": "2", "ticketIds": [], "quantity": 1})),
            vec!["invalid", "/items/0/ticketIds must have at least one entry, or be left out"],
        ),
        (
            of(json!({"itemId": "2", "ticketIds": "3"})),
            vec!["invalid", "/items/0/ticketIds must be an array"],
        ),
        (
            of(json!({"itemId": "2", "ticketIds": null, "quantity": null})),
            vec!["invalid", "/items/0/ticketIds must not be null", "/items/0/quantity must not be null"],
        ),
        (of(json!({"itemId": "2", "ticketIds": ["3"], "quantity": 1})), vec!["fine"]),
        (json!({"orderId": "1", "wholeOrder": true, "items": [], "amount": "0"}), vec!["fine"]),
    ] {
        assert_eq!(refused(&body, OrderRefundInput::read), told, "{body}");
    }
}

#[test]
fn a_refund_names_so_many_items_and_tickets() {
    let items = |items: usize, item: Value| json!({"orderId": "1", "items": vec![item; items]});
    let tickets = |tickets: usize| json!({"itemId": "2", "ticketIds": vec!["3"; tickets]});
    let (most, more) = (items(200, json!({"itemId": "2"})), items(201, json!({"itemId": "2"})));
    assert_eq!(refused(&most, OrderRefundInput::read), ["fine"]);
    assert_eq!(refused(&more, OrderRefundInput::read), ["invalid", "/items must have at most 200 entries"]);
    assert_eq!(refused(&items(1, tickets(2_000)), OrderRefundInput::read), ["fine"]);
    let told = "/items/0/ticketIds must have at most 2000 entries";
    assert_eq!(refused(&items(1, tickets(2_001)), OrderRefundInput::read), ["invalid", told]);
}

#[test]
fn every_fault_of_an_exchange_is_told_once() {
    const EVENT: &str = "7a10c4e2b95d3f0816e4a2c1";
    let missing = "/ticketIds is required unless itemId is sent";
    let of = |fields: Value| {
        let mut body = json!({"orderId": "1", "eventId": EVENT});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body
    };
    for (body, told) in [
        (json!({}), vec!["invalid", missing, "/orderId is required", "/eventId is required"]),
        (json!({"itemId": "2"}), vec!["unknown", "/orderId is required", "/eventId is required"]),
        (
            json!({"orderId": 1, "eventId": {}, "itemId": [], "waiveFee": 1, "sendEmail": 0}),
            vec![
                "invalid",
                "/orderId must be a string",
                "/eventId must be a string",
                "/itemId must be a string",
                "/waiveFee must be true or false",
                "/sendEmail must be true or false",
            ],
        ),
        (of(json!({"itemId": null})), vec!["invalid", missing]),
        (of(json!({"itemId": " "})), vec!["invalid", "/itemId must not be blank"]),
        (of(json!({"ticketIds": [""]})), vec!["invalid", "/ticketIds/0 must not be blank"]),
        (of(json!({"itemId": 2})), vec!["invalid", "/itemId must be a string"]),
        (of(json!({"ticketIds": null})), vec!["invalid", "/ticketIds must not be null"]),
        (of(json!({"ticketIds": "3"})), vec!["invalid", "/ticketIds must be an array"]),
        (
            of(json!({"ticketIds": []})),
            vec!["invalid", "/ticketIds must have at least one entry, or be left out"],
        ),
        (of(json!({"ticketIds": [3]})), vec!["invalid", "/ticketIds/0 must be a string"]),
        (
            of(json!({"ticketIds": ["x", 3], "itemId": "x", "quantity": 0})),
            vec![
                "invalid",
                "/ticketIds/1 must be a string",
                "/quantity must be at least 1",
                "/itemId must not be sent together with ticketIds",
            ],
        ),
        (
            of(json!({"ticketIds": ["3"], "quantity": 1})),
            vec!["invalid", "/quantity must not be sent together with ticketIds"],
        ),
        (of(json!({"ticketIds": ["3"]})), vec!["fine"]),
        (of(json!({"itemId": "2", "quantity": 1})), vec!["fine"]),
    ] {
        assert_eq!(refused(&body, ExchangeInput::read), told, "{body}");
    }
}

#[test]
fn every_fault_of_what_is_to_be_left_of_an_order_is_told_once() {
    let of = |item: Value| json!({"orderId": "1", "orderItems": [item]});
    let none = "/orderItems must have at least one entry";
    for (body, told) in [
        (json!({}), vec!["invalid", "/orderItems is required", "/orderId is required"]),
        (json!({"orderId": "1", "orderItems": null}), vec!["invalid", "/orderItems is required"]),
        (json!({"orderId": "1", "orderItems": []}), vec!["invalid", none]),
        (json!({"orderId": "1", "orderItems": 5}), vec!["invalid", "/orderItems must be an array"]),
        (of(json!({"quantity": 0})), vec!["unknown", "/orderItems/0/orderItemId is required"]),
        (of(json!({"orderItemId": "2"})), vec!["invalid", "/orderItems/0/quantity is required"]),
        (
            of(json!({"orderItemId": "2", "quantity": null})),
            vec!["invalid", "/orderItems/0/quantity is required"],
        ),
        (
            of(json!({"orderItemId": "2", "quantity": -1})),
            vec!["invalid", "/orderItems/0/quantity must not be negative"],
        ),
        (
            of(json!({"orderItemId": "2", "quantity": 4_294_967_296_i64})),
            vec!["invalid", "/orderItems/0/quantity is more than any order has"],
        ),
        (
            of(json!({"orderItemId": 2, "quantity": "1"})),
            vec![
                "invalid",
                "/orderItems/0/orderItemId must be a string",
                "/orderItems/0/quantity must be an integer",
            ],
        ),
        (
            json!({"orderId": "1", "orderItems": [5], "notes": 5, "noEmail": "no"}),
            vec![
                "invalid",
                "/orderItems/0 must be an object",
                "/notes must be a string",
                "/noEmail must be true or false",
            ],
        ),
        (of(json!({"orderItemId": "2", "quantity": 0})), vec!["fine"]),
    ] {
        assert_eq!(refused(&body, OrderUpdateInput::read), told, "{body}");
    }
    let items = |items: usize| {
        let item = json!({"orderItemId": "2", "quantity": 1});
        json!({"orderId": "1", "orderItems": vec![item; items]})
    };
    assert_eq!(refused(&items(200), OrderUpdateInput::read), ["fine"]);
    let told = "/orderItems must have at most 200 entries";
    assert_eq!(refused(&items(201), OrderUpdateInput::read), ["invalid", told]);
}

#[test]
fn every_fault_of_a_refund_of_a_sale_is_told_once() {
    for (body, told) in [
        (json!({}), vec!["invalid", "/charge is required", "/saleId is required"]),
        (
            json!({"saleId": null, "charge": null}),
            vec!["invalid", "/charge is required", "/saleId is required"],
        ),
        (json!({"saleId": "x", "charge": {}}), vec!["invalid", "/charge/amount is required"]),
        (
            json!({"saleId": 7, "charge": 5}),
            vec!["invalid", "/saleId must be a string", "/charge must be an object"],
        ),
        (json!({"charge": {"amount": -5}}), vec!["unknown", "/saleId is required"]),
        (
            json!({"charge": {"amount": "1.005"}}),
            vec!["invalid", "/charge/amount must have at most two decimals", "/saleId is required"],
        ),
    ] {
        assert_eq!(refused(&body, RefundInput::parse), told, "{body}");
    }
}
