//! Finding orders by all that leads to them.

use super::support::{Service, instance, order, person, tickets};
use domain::order::{Order, OrderPerson, OrderState, Ticket};
use domain::tenant::Scope;
use domain::{BarcodeTag, OrderId, OrderNumber, TicketBarcode};
use serde_json::{Value, json};

const SEARCH: &str = "/v2/b2b/orders/search";

/// An order of Ines Okafor, of so many days after the first, with barcodes of its own.
fn sold(place: u8, days: i64) -> (Order, Vec<Ticket>) {
    let tag = BarcodeTag::from_bytes([place; 8]);
    let made = Order {
        id: OrderId::parse(&(10 + place).to_string()).unwrap(),
        number: OrderNumber::parse(&(100_000_000 + u32::from(place)).to_string()).unwrap(),
        tag: Some(tag.clone()),
        created_at: domain::time::plus_secs(order().created_at, days * 86_400),
        ..order()
    };
    let mut own = tickets(2);
    for (rest, ticket) in own.iter_mut().enumerate() {
        ticket.barcode = TicketBarcode::beginning_with(&tag, [u8::try_from(rest).unwrap(); 8]);
    }
    (made, own)
}

fn named(first: &str, last: &str, email: &str) -> OrderPerson {
    OrderPerson { first_name: Some(first.into()), last_name: Some(last.into()), ..person(email) }
}

/// Three paid orders, one that is being paid and one that was undone.
async fn service() -> Service {
    let service = Service::start().await;
    service.open_slot().await;
    let pat = named("Pat", "O\u{2019}Hara", "pat@example.org");
    for (place, days) in [(1, 0), (2, 2), (3, 40)] {
        let (mut made, own) = sold(place, days);
        if place == 2 {
            made.contact = pat.clone();
        }
        service.sell(&made, &own).await;
    }
    let at = order().created_at;
    for (place, state) in
        [(4, OrderState::Pending { deadline: at }), (5, OrderState::Void { at, decline: None })]
    {
        let (made, own) = sold(place, 0);
        service.sell(&Order { state, ..made }, &own).await;
    }
    service
}

async fn found(service: &Service, query: &str) -> Vec<String> {
    let answer = service.answer(&format!("{SEARCH}?{query}"), "b2b").await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text);
    answer.column("orderNumber").iter().map(|number| number.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn paid_orders_are_found_by_each_thing_that_leads_to_them() {
    let service = service().await;
    let (one, two, three) = ("100000001", "100000002", "100000003");
    let barcode = |place: u8, rest: u8| {
        TicketBarcode::beginning_with(&BarcodeTag::from_bytes([place; 8]), [rest; 8]).to_string()
    };
    let event = instance();
    for (query, expected) in [
        ("orderNumber=100000002".to_owned(), vec![two]),
        ("orderNumber=100000004".to_owned(), vec![]),
        ("orderNumber=no%20number".to_owned(), vec![]),
        (format!("barcode={}", barcode(1, 1).to_uppercase()), vec![one]),
        (format!("barcode={}", barcode(1, 7)), vec![]),
        (format!("barcode={}", barcode(4, 0)), vec![]),
        ("barcode=9".to_owned(), vec![]),
        ("email=PAT@example.org".to_owned(), vec![two]),
        ("phoneNumber=5555550142".to_owned(), vec![three, two, one]),
        (format!("eventId={event}"), vec![three, two, one]),
        ("eventId=7a10c4e2b95d3f0816e4a2d2".to_owned(), vec![]),
        ("lastName=okaf".to_owned(), vec![three, two, one]),
        ("lastName=O%27HA".to_owned(), vec![two]),
        ("lastName=okaf&firstName=in".to_owned(), vec![three, two, one]),
        ("lastName=okaf&firstName=pat".to_owned(), vec![]),
        ("createdFrom=2026-03-14".to_owned(), vec![one]),
        ("createdFrom=2026-03-14&createdTo=2026-04-13".to_owned(), vec![two, one]),
        ("createdTo=2026-04-13".to_owned(), vec![]),
        (String::new(), vec![]),
        ("lastFour=4242&customerId=9053417".to_owned(), vec![]),
    ] {
        assert_eq!(self::found(&service, &query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn the_first_criterion_finds_and_the_others_keep_out() {
    let service = service().await;
    let event = instance();
    let barcode = TicketBarcode::beginning_with(&BarcodeTag::from_bytes([2; 8]), [0; 8]);
    for (query, count) in [
        ("lastFour=4242".to_owned(), 3),
        ("lastFour=4243".to_owned(), 0),
        ("saleChannel=ONLINE".to_owned(), 3),
        ("saleChannel=kiosk".to_owned(), 0),
        ("checkInStatus=notCheckedIn".to_owned(), 3),
        ("checkInStatus=CheckedIn".to_owned(), 0),
        ("membershipId=4100200".to_owned(), 3),
        ("membershipId=4100201".to_owned(), 0),
        ("customerId=9053417".to_owned(), 3),
        ("customerId=1".to_owned(), 0),
        ("refundStatus=not%20refunded".to_owned(), 3),
        ("refundStatus=Refunded".to_owned(), 0),
        ("balanceDue=false".to_owned(), 3),
        ("balanceDue=true".to_owned(), 0),
        ("lastName=okafor".to_owned(), 3),
        ("email=pat@example.org".to_owned(), 1),
        ("createdTo=2026-04-01".to_owned(), 2),
    ] {
        let all = format!("eventId={event}&{query}");
        assert_eq!(found(&service, &all).await.len(), count, "{all}");
    }
    for (number, expected) in [("100000002", 1), ("100000001", 0)] {
        let query = format!("barcode={barcode}&orderNumber={number}");
        assert_eq!(found(&service, &query).await.len(), expected, "{query}");
    }
}

#[tokio::test]
async fn a_search_that_cannot_be_is_refused_with_every_reason() {
    let service = Service::start().await;
    for (query, fields) in [
        ("lastName=ok", vec!["lastName"]),
        ("lastFour=42x2", vec!["lastFour"]),
        ("sortField=total", vec!["sortField"]),
        ("createdFrom=2026-03-14&createdTo=2026-03-13", vec!["createdTo"]),
        ("createdFrom=2026-03-14&createdTo=2026-04-15", vec!["createdTo"]),
        (
            "phoneNumber=none&createdFrom=x&lastFour=1&saleChannel=moon&membershipId=x&customerId=&refundStatus=x&balanceDue=1&checkInStatus=in&page=0",
            vec![
                "phoneNumber",
                "createdFrom",
                "lastFour",
                "saleChannel",
                "membershipId",
                "customerId",
                "refundStatus",
                "balanceDue",
                "checkInStatus",
                "page",
            ],
        ),
    ] {
        let answer = service.answer(&format!("{SEARCH}?{query}"), "b2b").await;
        assert_eq!(
            (answer.status, answer.pointers()),
            (400, fields.iter().map(ToString::to_string).collect())
        );
    }
    for (query, fault) in [
        ("createdFrom=2026-03-14&createdTo=2026-03-13", "createdTo must not be before createdFrom"),
        ("createdFrom=2026-03-14&createdTo=2026-04-15", "createdTo must be within 31 days of createdFrom"),
    ] {
        assert_eq!(service.answer(&format!("{SEARCH}?{query}"), "b2b").await.faults(), [fault]);
    }
}

#[tokio::test]
async fn a_door_sees_orders_in_short_and_no_barcode() {
    let service = service().await;
    let answer = service.answer(&format!("{SEARCH}?orderNumber=100000001"), "door").await;
    let ticket = |id: &str| {
        json!({
            "ticketId": id, "ticketStatus": "Normal", "inside": false, "entries": 0, "checkInDate": null,
        })
    };
    assert_eq!(
        answer.body["list"],
        json!([{
            "orderId": "11", "orderNumber": "100000001", "firstName": "Ines", "lastName": "Okafor",
            "saleChannel": "Online", "checkInStatus": "NotCheckedIn", "currency": "USD", "balanceAmount": "0.00",
            "createdOn": "2026-03-14T10:22:05-07:00",
            "events": [{
                "eventId": instance().to_string(), "eventName": "Harbor Gallery Entry",
                "eventDate": "2026-03-16T09:00:00-07:00",
                "items": [{
                    "orderItemId": "40177392", "ticketTypeName": "Adult", "quantity": 2, "checkInQuantity": 0,
                    "tickets": [ticket("1"), ticket("2")],
                }],
            }],
        }])
    );
    assert_eq!(answer.body["pagination"]["truncated"], false);
    let whole = service.answer(&format!("{SEARCH}?orderNumber=100000001"), "counter").await;
    assert_eq!((&whole.body["list"][0]["id"], &whole.body["list"][0]["forms"]), (&json!("11"), &json!(null)));
    // Whoever is at a till as well is told as much as at the till.
    service.keep_key("door-and-till", [Scope::Door, Scope::Counter]).await;
    let both = service.answer(&format!("{SEARCH}?orderNumber=100000001"), "door-and-till").await;
    assert_eq!(both.body["list"], whole.body["list"]);
    let storefront = service.answer(&format!("{SEARCH}?orderNumber=100000001"), "b2c").await;
    assert_eq!(storefront.status, 403);
}

#[tokio::test]
async fn a_door_narrows_down_by_what_it_is_shown_alone() {
    let service = service().await;
    let path = |sent: &str| format!("{SEARCH}?orderNumber=100000001&{sent}");
    for (name, value) in [
        ("lastFour", "4242"),
        ("membershipId", "4820117"),
        ("customerId", "9053417"),
        ("refundStatus", "Refunded"),
    ] {
        let path = path(&format!("{name}={value}"));
        let refused = service.answer(&path, "door").await;
        assert_eq!(refused.status, 403, "{}", refused.text);
        assert_eq!(refused.faults(), [format!("{name} needs an API key with the scope b2b or counter")]);
        assert_eq!(service.answer(&path, "counter").await.status, 200, "{name}");
    }
    for sent in ["firstName=in", "checkInStatus=NotCheckedIn", "balanceDue=false", "saleChannel=online"] {
        let shown = service.answer(&path(sent), "door").await;
        assert_eq!(shown.column("orderNumber"), ["100000001"], "{sent}: {}", shown.text);
    }
}

#[tokio::test]
async fn searches_wait_for_the_database_as_often_as_their_table_says() {
    let service = service().await;
    let event = instance();
    for (path, key, rounds) in [
        (format!("{SEARCH}?orderNumber=100000001"), "b2b", 2),
        (format!("{SEARCH}?orderNumber=100000001"), "door", 3),
        (format!("{SEARCH}?lastName=okafor"), "b2b", 2),
        (format!("{SEARCH}?eventId={event}"), "b2b", 2),
        (format!("{SEARCH}?createdFrom=2026-03-14"), "b2b", 2),
        (SEARCH.to_owned(), "b2b", 1),
        (format!("/v2/b2b/orders/event/{event}"), "counter", 2),
        (format!("/v2/b2c/orders/event/{event}"), "counter", 2),
        (format!("/v2/b2b/event/instances/{event}/manifest"), "door", 2),
        ("/v2/b2c/orders?email=pat@example.org".to_owned(), "b2c", 2),
        ("/v2/b2b/orders/detail/100000001".to_owned(), "counter", 2),
        ("/v2/b2b/orders/detail/11".to_owned(), "counter", 1),
        ("/v2/b2b/willcall/orders/100000001".to_owned(), "counter", 2),
    ] {
        service.answer(&path, key).await;
        let answer = service.answer(&path, key).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        // The count of searches runs beside the search, so that two of its rounds may pass for one.
        assert!(answer.calls.rounds <= rounds, "{path}: {:?}", answer.calls);
    }
    // A month is read day by day, so many at once: eight calls a day, the count and the orders.
    let month = service.answer(&format!("{SEARCH}?createdFrom=2026-03-14&createdTo=2026-04-13"), "b2b").await;
    assert_eq!((month.status, month.calls.total), (200, 31 * 8 + 2));
}

#[tokio::test]
async fn an_order_is_read_by_its_number_as_by_its_id() {
    let service = service().await;
    for path in ["/v2/b2b/orders/detail", "/v2/b2b/willcall/orders"] {
        let by_id = service.answer(&format!("{path}/12"), "b2b").await;
        let by_number = service.answer(&format!("{path}/100000002"), "b2b").await;
        assert_eq!((by_number.status, &by_number.body), (200, &by_id.body), "{path}");
        // What is not paid is not there, whatever it is named by.
        for name in ["100000004", "100000005", "100000009", "14"] {
            assert_eq!(service.answer(&format!("{path}/{name}"), "b2b").await.status, 404, "{path} {name}");
        }
    }
}

#[tokio::test]
async fn the_orders_of_an_event_come_in_the_order_in_which_they_were_made() {
    let service = service().await;
    let path = format!("/v2/b2b/orders/event/{}", instance());
    for (query, expected) in
        [("", vec!["11", "12", "13"]), ("?pageSize=2", vec!["11", "12"]), ("?pageSize=2&page=2", vec!["13"])]
    {
        let answer = service.answer(&format!("{path}{query}"), "b2b").await;
        let ids: Vec<&Value> = answer.body.as_array().unwrap().iter().map(|order| &order["id"]).collect();
        assert_eq!(json!(ids), json!(expected), "{query}");
    }
    for (event, key) in [("7a10c4e2b95d3f0816e4a2d2", "b2b"), ("nothing", "b2b")] {
        let answer = service.answer(&format!("/v2/b2b/orders/event/{event}"), key).await;
        assert_eq!(answer.kind(), (404, "NOT_FOUND"));
    }
    assert_eq!(service.answer(&path, "other-b2b").await.status, 404);
    let below = format!("/v2/b2c/orders/event/{}", instance());
    for (key, status) in [("b2b", 200), ("counter", 200), ("b2c", 403), ("b2c-browser", 403), ("door", 403)] {
        assert_eq!(service.answer(&below, key).await.status, status, "{key}");
    }
}

/// A remark that would be a formula, in a manifest of two orders.
#[tokio::test]
async fn a_manifest_is_a_list_and_a_file_in_which_nothing_is_a_formula() {
    let service = Service::start().await;
    service.open_slot().await;
    let (made, own) = sold(1, 0);
    let contact = named("=1+1", "\u{ff0b}Zoë, \"Z\"", "zoe@example.org");
    let made = Order { contact, notes: Some("@remark\nand more".into()), ..made };
    service.sell(&made, &own).await;
    let (second, own) = sold(2, 1);
    service.sell(&second, &own).await;
    let path = format!("/v2/b2b/event/instances/{}/manifest", instance());
    let list = service.answer(&path, "b2b").await;
    assert_eq!(list.column("orderNumber"), [json!("100000001"), json!("100000002")]);
    assert_eq!(
        (&list.body["list"][0]["notes"], &list.body["list"][0]["forms"]),
        (&json!("@remark\nand more"), &json!([]))
    );
    let at_door = service.answer(&path, "door").await;
    assert_eq!(
        (&at_door.body["list"][0]["notes"], &at_door.body["list"][0]["forms"]),
        (&json!(null), &json!(null))
    );
    let by_number = service.answer(&format!("{path}?sortField=orderNumber&pageSize=1"), "b2b").await;
    assert_eq!(by_number.column("orderNumber"), [json!("100000001")]);

    let file = service.answer(&format!("{path}?format=csv&sortField=orderNumber"), "b2b").await;
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(
        file.header("content-disposition"),
        format!("attachment; filename=\"manifest_{}.csv\"", instance())
    );
    let expected = [
        "\"orderId\",\"orderNumber\",\"lastName\",\"firstName\",\"orderItemId\",\"ticketTypeName\",\"quantity\",\
         \"checkInQuantity\",\"checkInDate\",\"saleChannel\",\"currency\",\"balanceAmount\",\"notes\",\"forms\"",
        "11,100000001,\"'\u{ff0b}Zoë, \"\"Z\"\"\",\"'=1+1\",40177392,\"Adult\",2,0,,\"Online\",\"USD\",0.00,\
         \"'@remark\nand more\",\"\"",
        "12,100000002,\"Okafor\",\"Ines\",40177392,\"Adult\",2,0,,\"Online\",\"USD\",0.00,\"\",\"\"",
    ];
    assert_eq!(file.text, format!("{}\r\n", expected.join("\r\n")));
    let refused = service.answer(&format!("{path}?format=xml"), "b2b").await;
    assert_eq!((refused.status, refused.pointers()), (400, vec!["format".to_owned()]));
}

#[tokio::test]
async fn a_storefront_lists_the_orders_of_a_contact_and_finds_none_by_a_number_alone() {
    let service = service().await;
    for (query, expected) in [
        ("email=pat@example.org", vec!["12"]),
        ("phoneNumber=5555550142", vec!["13", "12", "11"]),
        ("phoneNumber=5555550142&visitorId=2718281", vec!["13", "12", "11"]),
        ("phoneNumber=5555550142&tempVisitorId=1", vec![]),
        ("visitorId=2718281", vec![]),
        ("", vec![]),
    ] {
        let answer = service.answer(&format!("/v2/b2c/orders?{query}"), "b2c").await;
        let ids: Vec<&Value> = answer.body.as_array().unwrap().iter().map(|order| &order["id"]).collect();
        assert_eq!(json!(ids), json!(expected), "{query}");
    }
    for (query, expected) in [
        ("email=pat@example.org&orderNumber=100000002", 1),
        ("email=pat@example.org&orderNumber=100000001", 0),
        ("email=pat@example.org&orderNumber=x", 0),
        ("orderNumber=100000002", 0),
    ] {
        let answer = service.answer(&format!("/v2/b2c/orders/search?{query}"), "b2c").await;
        assert_eq!(answer.body["pagination"]["count"], expected, "{query}");
    }
}

#[tokio::test]
async fn who_searches_too_often_is_told_to_wait() {
    let service = Service::start().await;
    service.limit_searches(2).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(service.answer(SEARCH, "b2b").await.status);
    }
    assert_eq!(statuses, [200, 200, 429]);
    // Doors and tills have keys, and counts, of their own.
    assert_eq!(service.answer(SEARCH, "door").await.status, 200);
}
