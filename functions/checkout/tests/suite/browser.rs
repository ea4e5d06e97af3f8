//! Checkout from a page: every answer to an allowed origin can be read there (contract §2, "CORS").

use crate::catalog::slot;
use crate::venue::{Venue, ask, pay_on_page};
use engine::{Fault, Throttling};
use serde_json::json;
use testkit::Answer;
use testkit::tenants::ORIGIN;

fn cors(answer: &Answer) -> (String, String, bool) {
    let exposed = answer.header("access-control-expose-headers").contains("x-service-request-id");
    (answer.header("access-control-allow-origin").to_owned(), answer.header("vary").to_owned(), exposed)
}

#[tokio::test]
async fn every_answer_to_an_allowed_origin_can_be_read_by_the_page() {
    let venue = Venue::open([2, 10]).await;
    let process = venue.process().await;
    let page = pay_on_page;
    let readable = (ORIGIN.to_owned(), "Origin".to_owned(), true);
    let preflight = ask("OPTIONS", "/v2/b2c/cors/checkout", json!({}))
        .header("x-service-api-key", "")
        .header("origin", ORIGIN)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "x-b2c-tenant-id,x-service-api-key,content-type");
    let answer = process.send(preflight).await;
    assert_eq!((answer.status, cors(&answer)), (204, readable.clone()));
    for header in ["x-b2c-tenant-id", "x-service-api-key", "content-type", "idempotency-key"] {
        assert!(answer.header("access-control-allow-headers").contains(header), "{header}");
    }
    for (ask, kind) in [
        (page(json!({})), "OK"),
        (page(json!({})), "DUPLICATE_TRANSACTION_FOUND"),
        (page(json!({"billingEmail": null})), "VALIDATION_ERROR"),
        (page(json!({})).raw("{"), "MALFORMED_JSON"),
        (page(json!({"shoppingCartId": slot(0)})), "NOT_FOUND"),
        (page(json!({"manualEntryCardNumber": "4242424242424242"})), "NOT_ENOUGH_CAPACITY"),
        (ask("GET", "/v2/b2c/cors/checkout", json!({})).header("origin", ORIGIN), "METHOD_NOT_ALLOWED"),
        (ask("GET", "/v2/b2c/no/such/path", json!({})).header("origin", ORIGIN), "NOT_FOUND"),
        (page(json!({})).header("x-service-api-key", "nope"), "UNAUTHORIZED"),
    ] {
        let answer = process.send(ask).await;
        assert_eq!((answer.error(), cors(&answer)), (kind, readable.clone()), "{}", answer.text);
        assert!(!answer.header("x-service-request-id").is_empty());
        assert_eq!(answer.body["orderId"], json!(null), "a page is told of no order");
    }
    process.faults.reset();
    process.faults.at(0, Fault::Throttle(Throttling::Account));
    let throttled = process.send(page(json!({}))).await;
    assert_eq!((throttled.error(), cors(&throttled)), ("TRY_AGAIN", readable));
    assert_eq!(throttled.header("retry-after"), "2");
}

#[tokio::test]
async fn a_page_of_another_origin_gets_nothing_it_could_read() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    for origin in ["https://evil.example.test", "null", ""] {
        let answer = process.send(pay_on_page(json!({})).header("origin", origin)).await;
        assert_eq!(answer.error(), "FORBIDDEN", "{origin:?}");
        assert_eq!(answer.header("access-control-allow-origin"), "", "{origin:?}");
    }
    assert!(venue.captured().await.is_empty());
}

#[tokio::test]
async fn a_page_pays_without_naming_its_address() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let order = process.send(pay_on_page(json!({})).header("x-service-browser-ip", "")).await;
    assert_eq!((order.error(), &order.body["saleChannel"]), ("OK", &json!("Online")));
}
