//! Orders that a page finds again by a link.

use super::support::{Service, order, tickets};
use adapters::clock::wall_now;
use domain::OrderId;
use domain::order::OrderState;
use domain::time::plus_secs;
use serde_json::{Value, json};
use testkit::Ask;
use testkit::tenants::ORIGIN;

const LINK: &str = "/v2/b2c/orders/link";
const OPEN: &str = "/v2/b2c/orders/open";

fn ask(path: &str, body: Value) -> Ask {
    testkit::post(path, body).by("b2c-browser").header("origin", ORIGIN)
}

async fn token(service: &Service, order: &OrderId, secs: i64) -> Value {
    json!({"token": service.order_token(order, plus_secs(wall_now(), secs).timestamp()).await})
}

#[tokio::test]
async fn asking_for_a_link_and_opening_it_wait_for_the_database_once() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let wanted = json!({"orderNumber": "100731946", "email": "ines.okafor@example.org"});
    let unknown = json!({"orderNumber": "100000009", "email": "ines.okafor@example.org"});
    let token = token(&service, &order().id, 60).await;
    for _ in 0..2 {
        for body in [&wanted, &unknown] {
            let sent = service.send(ask(LINK, body.clone())).await;
            assert_eq!((sent.status, sent.text.as_str()), (204, ""));
        }
        let opened = service.send(ask(OPEN, token.clone())).await;
        assert_eq!(opened.status, 200, "{}", opened.text);
    }
    let sent = service.send(ask(LINK, wanted)).await;
    let opened = service.send(ask(OPEN, token)).await;
    assert_eq!((sent.calls.rounds, opened.calls.rounds), (1, 1));
}

#[tokio::test]
async fn an_opened_order_shows_its_tickets_and_no_way_to_reach_anybody() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let opened = service.send(ask(OPEN, token(&service, &order().id, 60).await)).await;
    let tickets = opened.body["tickets"].as_array().unwrap();
    assert_eq!(tickets.len(), 2);
    assert_eq!(
        json!([tickets[0]["eventName"], tickets[0]["ticketTypeName"], tickets[0]["itemId"]]),
        json!(["Harbor Gallery Entry", "Adult", "40177392"])
    );
    for field in [
        "email",
        "billingEmail",
        "phoneNumber",
        "address1",
        "billingZipCode",
        "customerId",
        "membershipId",
        "forms",
    ] {
        assert_eq!(opened.body[field], Value::Null, "{field}");
    }
    assert_eq!(opened.body["contactFirstName"], "Ines");
    assert_eq!(opened.body["membershipIds"], json!([]));
    assert!(!opened.text.contains("example.org"), "{}", opened.text);
}

#[tokio::test]
async fn an_order_that_is_not_paid_or_anothers_is_not_opened() {
    let service = Service::start().await;
    let unpaid =
        domain::order::Order { state: OrderState::Pending { deadline: order().created_at }, ..order() };
    service.sell(&unpaid, &tickets(2)).await;
    let own = token(&service, &unpaid.id, 60).await;
    let over = token(&service, &unpaid.id, 0).await;
    let unknown = token(&service, &OrderId::parse("7").unwrap(), 60).await;
    for body in [own.clone(), over, unknown, json!({"token": "31840526.1.00"})] {
        let refused = service.send(ask(OPEN, body)).await;
        assert_eq!(refused.kind(), (400, "LOGIN_TOKEN_NOT_VALID"));
    }
    let other = ask(OPEN, own.clone()).by("other-b2c-browser");
    assert_eq!(service.send(other).await.kind(), (400, "LOGIN_TOKEN_NOT_VALID"));
    for key in ["b2b", "door", "counter"] {
        assert_eq!(service.send(ask(OPEN, own.clone()).by(key)).await.status, 403, "{key}");
    }
}
