//! A checkout, an exchange and a refund take the steps that are listed for them, in their order.

use crate::returns::{exchange, id, item, refund, sold};
use crate::venue::{Venue, tickets};
use sagas::steps::{CHECKOUT, EXCHANGE, REFUND_OF_AN_ORDER, Saga};
use serde_json::{Value, json};
use testkit::log::Log;

fn check_steps(log: &Log, saga: Saga) {
    let logged = log.fields_of("sagas::steps").into_iter();
    let taken: Vec<Value> = logged.map(|mut fields| fields["step"].take()).collect();
    let listed: Vec<&str> = saga.steps.iter().map(|step| step.name()).collect();
    assert_eq!(taken, listed, "{}", saga.name);
}

#[tokio::test]
async fn each_saga_takes_its_steps_in_their_order() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let log = Log::of_this_thread();
    let order = sold(&process, json!({"shoppingCart": {"items": [tickets(4)]}})).await;
    check_steps(&log, CHECKOUT);
    let log = Log::of_this_thread();
    let some = json!({"itemId": item(&order, 0), "quantity": 2});
    let exchanged = process.send(exchange(id(&order), some)).await;
    assert_eq!(exchanged.error(), "OK", "{}", exchanged.text);
    check_steps(&log, EXCHANGE);
    let log = Log::of_this_thread();
    let refunded = process.send(refund(id(&order), json!({"wholeOrder": true}))).await;
    assert_eq!(refunded.error(), "OK", "{}", refunded.text);
    check_steps(&log, REFUND_OF_AN_ORDER);
}
