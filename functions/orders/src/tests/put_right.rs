//! Contacts put right, and mails sent again.

use super::support::{Service, order, tickets};
use domain::order::Order;
use domain::outbox::{MailKind, MailState};
use domain::{Money, OrderId};
use serde_json::{Value, json};
use testkit::{Answer, Ask};

const PATH: &str = "/v2/b2b/orders/100731946";

fn ask(method: &str, path: &str, body: Value) -> Ask {
    testkit::ask(method, path, body).by("counter")
}

async fn put(service: &Service, body: Value) -> Answer {
    service.send(ask("PUT", PATH, body)).await
}

async fn count(service: &Service, query: &str) -> Value {
    let path = format!("/v2/b2b/orders/search?{query}");
    service.answer(&path, "b2b").await.body["pagination"]["count"].clone()
}

async fn stored(service: &Service) -> Order {
    service.store().load_order(order().tenant, &order().id).await.unwrap().unwrap()
}

#[tokio::test]
async fn what_is_put_right_is_found_by_it_at_once_and_no_longer_by_what_was_wrong() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let right = json!({
        "contactLastName": "Lindqvist", "email": "ada@example.org", "phoneNumber": "212 555 0107",
        "billingLastName": "Lindqvist", "billingEmail": "ada@example.org", "billingPhoneNumber": null,
        "country": "CA", "state": "ON", "notes": " 4111 1111 1111 1111 ", "orderNumber": "1", "totalAmount": "0.00",
    });
    let answer = put(&service, right.clone()).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(
        json!([
            answer.body["contactLastName"],
            answer.body["email"],
            answer.body["billingPhoneNumber"],
            answer.body["country"],
            answer.body["state"],
            answer.body["orderNumber"],
            answer.body["city"],
        ]),
        json!(["Lindqvist", "ada@example.org", null, "Canada", "Ontario", "100731946", "Portview"])
    );
    assert!(!answer.body["notes"].as_str().unwrap().contains("4111 1111 1111 1111"));
    for (query, found) in [
        ("email=ada@example.org", 1),
        ("email=ines.okafor@example.org", 0),
        ("phoneNumber=2125550107", 1),
        ("phoneNumber=5555550142", 0),
        ("lastName=lind", 1),
        ("lastName=okafor", 0),
    ] {
        assert_eq!(count(&service, query).await, found, "{query}");
    }
    // Again it changes nothing, and the order may be sent back as it was read.
    let again = put(&service, right).await;
    assert_eq!((again.status, again.tag()), (200, answer.tag()));
    let back = put(&service, again.body.clone()).await;
    assert_eq!((back.status, back.tag()), (200, answer.tag()));
    let detail = service.answer("/v2/b2b/orders/detail/31840526", "b2b").await;
    let [edit] = detail.body["edits"].as_array().unwrap().as_slice() else { panic!("{}", detail.text) };
    let fields = [
        "email",
        "phoneNumber",
        "contactLastName",
        "state",
        "country",
        "billingEmail",
        "billingPhoneNumber",
        "billingLastName",
        "notes",
    ];
    assert_eq!(edit["fields"], json!(fields));
    assert_eq!(detail.tag(), answer.tag());
    assert_eq!((&detail.body["updatedOn"], &detail.body["updatedBy"]), (&edit["at"], &edit["by"]));
    assert_ne!(detail.body["updatedOn"], "2026-03-14T10:22:07-07:00", "when it was paid");
    let named = ask("PUT", PATH, json!({"notes": "wheelchair"})).header("x-service-operator", "Dana");
    assert_eq!(service.send(named).await.body["updatedBy"], "Dana");
}

#[tokio::test]
async fn null_takes_away_what_it_names_whatever_that_is() {
    let fields = [
        "email",
        "phoneNumber",
        "contactFirstName",
        "contactLastName",
        "address1",
        "city",
        "state",
        "zipCode",
        "country",
        "billingEmail",
        "billingPhoneNumber",
        "billingFirstName",
        "billingLastName",
        "billingAddress1",
        "billingCity",
        "billingState",
        "billingZipCode",
        "billingCountry",
    ];
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    for field in fields {
        let before = service.answer("/v2/b2b/orders/detail/31840526", "b2b").await;
        assert!(before.body[field].is_string(), "{field}");
        let answer = put(&service, json!({field: null})).await;
        assert_eq!((answer.status, &answer.body[field]), (200, &json!(null)), "{field}");
    }
    for (field, value) in [("address2", "Floor 2"), ("billingAddress2", "Floor 3"), ("notes", "wheelchair")] {
        assert_eq!(put(&service, json!({field: value})).await.body[field], value);
        assert_eq!(put(&service, json!({field: null})).await.body[field], json!(null), "{field}");
    }
    let delivery = "ticketDeliveryEmail";
    put(&service, json!({delivery: "pat@example.org"})).await;
    assert_eq!(stored(&service).await.ticket_delivery_email.as_deref(), Some("pat@example.org"));
    put(&service, json!({delivery: null})).await;
    assert_eq!(stored(&service).await.ticket_delivery_email, None);
    put(&service, json!({"contactEmail": "pat@example.org"})).await;
    let taken = put(&service, json!({"contactEmail": null})).await;
    assert_eq!(taken.body["email"], json!(null));
    let mail = service.send(ask("POST", &format!("{PATH}/email"), json!({}))).await;
    assert_eq!(mail.kind(), (409, "NO_ADDRESS"));
}

#[tokio::test]
async fn what_is_stale_wrong_or_not_there_is_refused_and_changes_nothing() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let before = stored(&service).await;
    let stale = ask("PUT", PATH, json!({"notes": "x"})).header("if-match", "\"0000\"");
    assert_eq!(service.send(stale).await.kind(), (412, "PRECONDITION_FAILED"));
    let wrong = put(&service, json!({"email": "nobody", "billingCountry": "Atlantis", "city": 7})).await;
    assert_eq!((wrong.status, wrong.pointers().len()), (400, 3), "{}", wrong.text);
    for path in ["/v2/b2b/orders/100000009", "/v2/b2b/orders/7", "/v2/b2c/orders/7"] {
        let answer = service.send(ask("PUT", path, json!({"notes": "x"}))).await;
        assert_eq!(answer.kind(), (404, "NOT_FOUND"), "{path}");
    }
    for (path, key) in [(PATH, "door"), ("/v2/b2c/orders/31840526", "b2c"), (PATH, "b2c-browser")] {
        let answer = service.send(ask("PUT", path, json!({"notes": "x"})).by(key)).await;
        assert_eq!(answer.status, 403, "{path} {key}");
    }
    assert_eq!(stored(&service).await, before);
    let read = service.answer("/v2/b2b/orders/detail/31840526", "b2b").await;
    let fresh = ask("PUT", "/v2/b2c/orders/31840526", json!({"notes": "x"}));
    let fresh = service.send(fresh.header("if-match", read.tag())).await;
    assert_eq!((fresh.status, &fresh.body["notes"], fresh.calls.rounds), (200, &json!("x"), 2));
}

#[tokio::test]
async fn two_who_put_an_order_right_at_once_are_both_heard() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let (one, other) = tokio::join!(
        put(&service, json!({"notes": "wheelchair"})),
        put(&service, json!({"contactFirstName": "Ada"}))
    );
    assert_eq!((one.status, other.status), (200, 200));
    let stored = stored(&service).await;
    assert_eq!(stored.notes.as_deref(), Some("wheelchair"));
    assert_eq!(stored.contact.first_name.as_deref(), Some("Ada"));
    assert_eq!(stored.edits.version, 2);
}

#[tokio::test]
async fn a_mail_is_sent_again_as_a_mail_of_its_own() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let path = format!("{PATH}/email");
    let asked = ask("POST", &path, json!({"email": "pat@example.org", "kind": "tickets"})).keyed("again");
    let first = service.send(asked.clone()).await;
    assert_eq!(
        (first.status, &first.body["email"]),
        (200, &json!("ines.okafor@example.org")),
        "{}",
        first.text
    );
    let repeated = service.send(asked).await;
    assert!(repeated.replayed);
    let usual = service.send(ask("POST", &path, json!({}))).await;
    assert_eq!((usual.status, usual.calls.rounds), (200, 3), "{}", usual.text);
    let silent = service.send(ask("POST", &path, json!({"sendEmail": false}))).await;
    assert_eq!(silent.status, 200);
    let (_, mails) =
        service.store().load_order_with_mails(order().tenant, &order().id).await.unwrap().unwrap();
    let mut sent: Vec<(String, String)> = Vec::new();
    for mail in &mails {
        assert!(matches!(mail.kind, MailKind::Again(_)) && mail.state == MailState::Queued);
        let again = mail.again.as_ref().unwrap();
        sent.push((again.what.as_str().to_owned(), again.to.clone()));
    }
    sent.sort();
    let expected = [("confirmation", "ines.okafor@example.org"), ("tickets", "pat@example.org")];
    assert_eq!(sent, expected.map(|(what, to)| (what.to_owned(), to.to_owned())));
    let edits = stored(&service).await.edits;
    assert_eq!((edits.mails, edits.list.len()), (2, 2));
    let detail = service.answer("/v2/b2b/orders/detail/31840526", "b2b").await;
    assert_eq!(detail.body["edits"][0]["mail"], json!({"kind": "tickets", "to": "p***@example.org"}));
    let mut shown = detail.body["mails"].as_array().unwrap().clone();
    shown.sort_by_key(|mail| mail["kind"].to_string());
    let queued =
        |kind: &str, to: &str| json!({"kind": kind, "again": true, "to": to, "status": "queued", "at": null});
    assert_eq!(shown, [queued("confirmation", "i***@example.org"), queued("tickets", "p***@example.org")]);
}

#[tokio::test]
async fn a_mail_without_an_address_or_anything_to_send_is_refused() {
    let service = Service::start().await;
    let nobody = domain::order::OrderPerson { email: None, ..order().contact };
    let mut gift = Order { contact: nobody.clone(), billing: nobody, ..order() };
    gift.lines.drain(..2);
    let (total, free) = (gift.lines[0].amounts().amount, Money::ZERO);
    gift = Order { total, retail_total: total, refunded: free, payment: None, ..gift };
    service.sell(&gift, &[]).await;
    let path = format!("{PATH}/email");
    for (body, kind) in [
        (json!({}), (409, "NO_ADDRESS")),
        (json!({"email": "pat@example.org", "kind": "tickets"}), (409, "NOTHING_TO_SEND")),
        (json!({"email": "nobody"}), (400, "VALIDATION_ERROR")),
        (json!({"kind": "postcard"}), (400, "VALIDATION_ERROR")),
    ] {
        assert_eq!(service.send(ask("POST", &path, body.clone())).await.kind(), kind, "{body}");
    }
    let mut often = Order { id: OrderId::parse("77").unwrap(), ..order() };
    often.number = domain::OrderNumber::parse("100731977").unwrap();
    often.edits.mails = 50;
    often.edits.version = 50;
    service.sell(&often, &tickets(2)).await;
    let many = service.send(ask("POST", "/v2/b2b/orders/77/email", json!({}))).await;
    assert_eq!(many.kind(), (409, "TOO_MANY_MAILS"));
    let unknown = service.send(ask("POST", "/v2/b2b/orders/78/email", json!({}))).await;
    assert_eq!(unknown.kind(), (404, "NOT_FOUND"));
}
