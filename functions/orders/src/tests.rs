//! Over HTTP, on the embedded engine.

mod answers;
mod by_link;
mod found;
mod put_right;
mod support;

use domain::order::{OrderLine, OrderState};
use domain::outbox::{MailKind, MailState, OutboxMail};
use domain::{Money, OrderId, OrderNumber};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{Service, order, person, tickets};

async fn willcall(service: &Service, id: &str) -> (u16, Value) {
    service.get(&format!("/v2/b2b/willcall/orders/{id}"), "b2b").await
}

#[tokio::test]
async fn an_order_reads_as_the_specification_lays_it_out() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let (status, body) = service.get_text("/v2/b2c/orders/31840526", "b2c").await;
    assert_eq!(status, 200);
    insta::assert_snapshot!(pretty(&body), @r#"
    {
    "id":"31840526",
    "tenantId":204,
    "visitorId":"2718281",
    "customerId":9053417,
    "email":"ines.okafor@example.org",
    "billingEmail":"ines.okafor@example.org",
    "contactFirstName":"Ines",
    "contactLastName":"Okafor",
    "contactFullName":null,
    "billingFirstName":"Ines",
    "billingLastName":"Okafor",
    "billingAddress1":"18 Quay Street",
    "billingAddress2":null,
    "billingCountry":"United States",
    "billingCity":"Portview",
    "billingZipCode":"94000",
    "billingState":"California",
    "billingPhoneNumber":"(555) 555-0142",
    "address1":"18 Quay Street",
    "address2":null,
    "country":"United States",
    "city":"Portview",
    "state":"California",
    "zipCode":"94000",
    "phoneNumber":"(555) 555-0142",
    "orderNumber":"100731946",
    "receiptNumber":null,
    "notes":null,
    "currency":"USD",
    "locale":"en",
    "discountedTotalAmount":"49.40",
    "totalAmount":"53.00",
    "discountedOriginalTotalAmount":"49.40",
    "originalTotalAmount":"53.00",
    "taxes":[],
    "paidAmount":"49.40",
    "balanceAmount":"0.00",
    "refundAmount":"0.00",
    "saleChannel":"Online",
    "checkInStatus":"NotCheckedIn",
    "ccLastFourDigits":"4242",
    "creationDate":"2026-03-14T10:22:05-07:00",
    "paymentDueDate":"2026-03-14T10:22:05-07:00",
    "createdOn":"2026-03-14T10:22:05-07:00",
    "createdBy":"online",
    "updatedOn":"2026-03-14T10:22:07-07:00",
    "updatedBy":"online",
    "legacy":false,
    "hideEventDate":false,
    "invoiceAfter":false,
    "obfuscated":false,
    "orderItems":[{
    "parentItemId":"0",
    "itemId":"40177392",
    "itemDetailId":"40177392",
    "comboTemplateType":"fixedPrice",
    "comboTemplateId":null,
    "eventId":"7a10c4e2b95d3f0816e4a2c1",
    "ticketingTypeId":"66d1b2f0a93c4e517720bb01",
    "eventName":"Harbor Gallery Entry",
    "eventStartTime":1773676800000,
    "ticketingTypeName":"Adult",
    "basicOriginalQuantity":2,
    "originalQuantity":2,
    "basicQuantity":2,
    "quantity":2,
    "unitPrice":"18.00",
    "discountedUnitPrice":"16.20",
    "discountedOriginalAmount":"32.40",
    "originalAmount":"36.00",
    "discountedAmount":"32.40",
    "amount":"36.00",
    "taxRate":null,
    "taxName":null,
    "originalTaxAmount":"0.00",
    "taxAmount":"0.00",
    "balanceAmount":"0.00",
    "itemType":"Event",
    "itemTypeNg":"Event",
    "conversionStatus":"NoConversion",
    "checkInStatus":"NotCheckedIn",
    "checkInQuantity":0,
    "checkedInQuantity":0,
    "checkInDate":null,
    "itemTypeId":"66d1b2f0a93c4e517720bb01",
    "itemTypeName":"Adult",
    "displayName":"Adult",
    "inventoryId":null,
    "inventoryName":null,
    "donationDetail":null,
    "membershipInfo":null},{
    "parentItemId":"0",
    "itemId":"40177393",
    "itemDetailId":"40177393",
    "comboTemplateType":"fixedPrice",
    "comboTemplateId":null,
    "eventId":"7a10c4e2b95d3f0816e4a2c1",
    "ticketingTypeId":null,
    "eventName":null,
    "eventStartTime":null,
    "ticketingTypeName":null,
    "basicOriginalQuantity":1,
    "originalQuantity":1,
    "basicQuantity":1,
    "quantity":1,
    "unitPrice":"7.00",
    "discountedUnitPrice":"7.00",
    "discountedOriginalAmount":"7.00",
    "originalAmount":"7.00",
    "discountedAmount":"7.00",
    "amount":"7.00",
    "taxRate":null,
    "taxName":null,
    "originalTaxAmount":"0.00",
    "taxAmount":"0.00",
    "balanceAmount":"0.00",
    "itemType":"Inventory",
    "itemTypeNg":"Inventory",
    "conversionStatus":"NoConversion",
    "checkInStatus":"NotCheckedIn",
    "checkInQuantity":0,
    "checkedInQuantity":0,
    "checkInDate":null,
    "itemTypeId":"7",
    "itemTypeName":"Audio Guide",
    "displayName":"Audio Guide",
    "inventoryId":7,
    "inventoryName":"Audio Guide",
    "donationDetail":null,
    "membershipInfo":null},{
    "parentItemId":"0",
    "itemId":"40177394",
    "itemDetailId":"40177394",
    "comboTemplateType":"fixedPrice",
    "comboTemplateId":null,
    "eventId":null,
    "ticketingTypeId":null,
    "eventName":null,
    "eventStartTime":null,
    "ticketingTypeName":null,
    "basicOriginalQuantity":1,
    "originalQuantity":1,
    "basicQuantity":1,
    "quantity":1,
    "unitPrice":"10.00",
    "discountedUnitPrice":"10.00",
    "discountedOriginalAmount":"10.00",
    "originalAmount":"10.00",
    "discountedAmount":"10.00",
    "amount":"10.00",
    "taxRate":null,
    "taxName":null,
    "originalTaxAmount":"0.00",
    "taxAmount":"0.00",
    "balanceAmount":"0.00",
    "itemType":"Inventory",
    "itemTypeNg":"Donation",
    "conversionStatus":"NoConversion",
    "checkInStatus":"NotCheckedIn",
    "checkInQuantity":0,
    "checkedInQuantity":0,
    "checkInDate":null,
    "itemTypeId":"8",
    "itemTypeName":"Lighthouse Fund",
    "displayName":"Lighthouse Fund",
    "inventoryId":8,
    "inventoryName":"Lighthouse Fund",
    "donationDetail":{
    "donationAppealName":null,
    "donationCampaignName":null,
    "donationFundName":"Lighthouse",
    "donorRecognition":"Anonymous",
    "donorRecognitionType":null,
    "dedicationLastName":null,
    "dedicationFirstName":null,
    "beneficiaryType":null,
    "beneficiaryLastName":null,
    "beneficiaryFirstName":null,
    "beneficiaryEmail":null,
    "beneficiaryPhoneNumber":null,
    "beneficiaryStreetAddress1":null,
    "beneficiaryStreetAddress2":null,
    "beneficiaryCity":null,
    "beneficiaryState":null,
    "beneficiaryZipCode":null,
    "beneficiaryCountry":null},
    "membershipInfo":null}],
    "payments":[{
    "saleId":"sale_07070707-0707-4707-8707-070707070707",
    "mid":"60417",
    "amount":"49.40",
    "currency":"USD",
    "cardBrand":"Visa",
    "lastFour":"4242",
    "disputed":null}],
    "membershipIds":[4100200],
    "membershipId":4100200,
    "forms":[],
    "refunds":[],
    "exchanges":[]}
    "#);
    let detail = service.get_text("/v2/b2b/orders/detail/31840526", "b2b").await;
    let for_staff = format!(
        "{},\"mails\":[],\"edits\":[],\"disputed\":null,\"failedRefunds\":[]}}",
        body.strip_suffix('}').unwrap()
    );
    assert_eq!(detail, (200, for_staff));
}

#[tokio::test]
async fn staff_see_what_became_of_the_mails_of_an_order() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let at = order().created_at;
    for (kind, state) in [
        (MailKind::Refund(2), MailState::Queued),
        (MailKind::Receipt, MailState::Sent { at }),
        (MailKind::Tickets, MailState::Refused { at }),
        (MailKind::Exchange(3), MailState::Superseded { at }),
    ] {
        service
            .owe(OutboxMail { kind, message_id: "<m@boxoffice.example>".to_owned(), state, again: None })
            .await;
    }
    let (_, detail) = service.get("/v2/b2b/orders/detail/31840526", "b2b").await;
    let shown = |mail: &Value| format!("{} {} {}", mail["kind"], mail["status"], mail["at"].is_string());
    let shown: Vec<String> = detail["mails"].as_array().unwrap().iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            "\"receipt\" \"sent\" true",
            "\"tickets\" \"refused\" true",
            "\"refund-2\" \"queued\" false",
            "\"exchange-3\" \"superseded\" true",
        ]
    );
    let (_, read) = service.get("/v2/b2c/orders/31840526", "b2c").await;
    assert!(read.get("mails").is_none(), "storefronts are told nothing of mails");
}

#[tokio::test]
async fn a_will_call_order_reads_as_the_specification_lays_it_out() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    let (status, body) = service.get_text("/v2/b2b/willcall/orders/31840526", "b2b").await;
    assert_eq!(status, 200);
    insta::assert_snapshot!(pretty(&body), @r#"
    {
    "orderId":"31840526",
    "email":"ines.okafor@example.org",
    "billingEmail":"ines.okafor@example.org",
    "contactFirstName":"Ines",
    "contactLastName":"Okafor",
    "contactFullName":null,
    "address2":null,
    "billingFirstName":"Ines",
    "billingLastName":"Okafor",
    "billingAddress2":null,
    "phoneNumber":"(555) 555-0142",
    "billingPhoneNumber":"(555) 555-0142",
    "orderNumber":"100731946",
    "notes":null,
    "eventItems":[{
    "eventId":"7a10c4e2b95d3f0816e4a2c1",
    "eventName":"Harbor Gallery Entry",
    "eventTemplateId":"6f2e91b0c47d5a3e18b90f42",
    "admissionType":"generalAdmission",
    "eventDate":"2026-03-16T09:00:00-07:00",
    "items":[{
    "orderItemId":"40177392",
    "itemType":"Event",
    "itemTypeId":"66d1b2f0a93c4e517720bb01",
    "itemTypeName":"Adult",
    "ticketTypeId":"66d1b2f0a93c4e517720bb01",
    "ticketTypeName":"Adult",
    "quantity":2,
    "unitPrice":"18.00",
    "discountedUnitPrice":"16.20",
    "subtotal":"36.00",
    "discountedSubtotal":"32.40",
    "checkInStatus":"NotCheckedIn",
    "checkInQuantity":0,
    "checkInDate":null,
    "tickets":[{
    "id":"1",
    "tenantId":204,
    "uuid":"00000000000000000000000000000001",
    "ticketTypeId":"66d1b2f0a93c4e517720bb01",
    "eventId":"7a10c4e2b95d3f0816e4a2c1",
    "firstName":"Ines",
    "lastName":"Okafor",
    "email":"ines.okafor@example.org",
    "phoneNumber":"(555) 555-0142",
    "ticketStatus":"Normal",
    "checkInDate":null,
    "printed":false,
    "conversionStatus":"NoConversion",
    "ticketDetails":[{
    "ticketId":"1",
    "orderId":"31840526",
    "eventId":"7a10c4e2b95d3f0816e4a2c1",
    "orderItemId":"40177392",
    "quantity":1,
    "tenantId":204}]},{
    "id":"2",
    "tenantId":204,
    "uuid":"00000000000000000000000000000002",
    "ticketTypeId":"66d1b2f0a93c4e517720bb01",
    "eventId":"7a10c4e2b95d3f0816e4a2c1",
    "firstName":"Ines",
    "lastName":"Okafor",
    "email":"ines.okafor@example.org",
    "phoneNumber":"(555) 555-0142",
    "ticketStatus":"Normal",
    "checkInDate":null,
    "printed":false,
    "conversionStatus":"NoConversion",
    "ticketDetails":[{
    "ticketId":"2",
    "orderId":"31840526",
    "eventId":"7a10c4e2b95d3f0816e4a2c1",
    "orderItemId":"40177392",
    "quantity":1,
    "tenantId":204}]}],
    "comboTemplateType":"fixedPrice",
    "parentItemId":null,
    "conversionStatus":"NoConversion"},{
    "orderItemId":"40177393",
    "itemType":"Inventory",
    "itemTypeId":"7",
    "itemTypeName":"Audio Guide",
    "ticketTypeId":null,
    "ticketTypeName":null,
    "quantity":1,
    "unitPrice":"7.00",
    "discountedUnitPrice":"7.00",
    "subtotal":"7.00",
    "discountedSubtotal":"7.00",
    "checkInStatus":"NotCheckedIn",
    "checkInQuantity":0,
    "checkInDate":null,
    "tickets":[],
    "comboTemplateType":"fixedPrice",
    "parentItemId":null,
    "conversionStatus":"NoConversion"}],
    "ticketDetails":{
    "ticketDurationDays":null,
    "checkInWindow":{
    "minutesBefore":30,
    "minutesAfter":null,
    "blockScan":true,
    "autoRebook":false},
    "ticketPrintLines":["Harbor Gallery"],
    "doNotPrint":false,
    "expireFromEventDate":false,
    "hideEventDate":false,
    "reentry":"never"},
    "state":"active",
    "hasForms":true,
    "hasResources":true}],
    "createdOn":"2026-03-14T10:22:05-07:00",
    "checkInStatus":"NotCheckedIn",
    "legacy":false,
    "saleChannel":"Online",
    "membershipId":4100200,
    "refundStatus":"Not Refunded",
    "currency":"USD",
    "orderBalance":"0.00",
    "ccLastFourDigits":"4242",
    "invoiceAfter":false,
    "customerId":9053417,
    "paymentMethod":2,
    "paymentMethodName":"CreditCard"}
    "#);
}

/// A line per field, in the order in which they were sent.
fn pretty(body: &str) -> String {
    body.replace(",\"", ",\n\"").replace("{\"", "{\n\"")
}

#[tokio::test]
async fn seven_tickets_have_seven_barcodes() {
    let service = Service::start().await;
    let mut seven = order();
    if let OrderLine::Ticket(line) = &mut seven.lines[0] {
        line.amounts.quantity = 7;
    }
    service.sell(&seven, &tickets(7)).await;
    let (_, body) = willcall(&service, "31840526").await;
    let listed = body["eventItems"][0]["items"][0]["tickets"].as_array().unwrap();
    let barcodes: BTreeSet<_> = listed.iter().map(|ticket| ticket["uuid"].as_str().unwrap()).collect();
    assert_eq!(barcodes.len(), 7);
    for code in barcodes {
        assert!(code.len() == 32 && code.bytes().all(|byte| byte.is_ascii_hexdigit()), "{code}");
    }
}

#[tokio::test]
async fn every_ticket_of_a_large_order_is_at_the_counter_after_one_call() {
    let service = Service::start().await;
    let mut large = order();
    if let OrderLine::Ticket(line) = &mut large.lines[0] {
        line.amounts.quantity = 1_200;
    }
    service.sell(&large, &tickets(1_200)).await;
    willcall(&service, "31840526").await;
    let before = service.calls();
    let (_, body) = willcall(&service, "31840526").await;
    assert_eq!(body["eventItems"][0]["items"][0]["tickets"].as_array().unwrap().len(), 1_200);
    assert_eq!(service.calls() - before, 1);
}

#[tokio::test]
async fn reads_cost_one_call_and_a_search_two() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    for (path, scope, calls) in [
        ("/v2/b2b/willcall/orders/31840526", "b2b", 1),
        ("/v2/b2b/orders/detail/31840526", "b2b", 1),
        ("/v2/b2c/orders/31840526", "b2c", 1),
        ("/v2/b2c/orders/search?email=ines.okafor@example.org", "b2c", 2),
        ("/v2/b2c/orders/search", "b2c", 0),
    ] {
        service.get(path, scope).await;
        let before = service.calls();
        assert_eq!(service.get(path, scope).await.0, 200, "{path}");
        assert_eq!(service.calls() - before, calls, "{path}");
    }
}

#[tokio::test]
async fn what_is_not_paid_or_not_ones_own_is_not_found() {
    let service = Service::start().await;
    let at = order().created_at;
    service.sell(&order(), &tickets(2)).await;
    for (id, state) in
        [("1001", OrderState::Pending { deadline: at }), ("1002", OrderState::Void { at, decline: None })]
    {
        let number = OrderNumber::parse(&format!("10000{id}")).unwrap();
        let unpaid = domain::order::Order { id: OrderId::parse(id).unwrap(), number, state, ..order() };
        service.sell(&unpaid, &tickets(2)).await;
    }
    for id in ["1001", "1002", "7", "no%20id", "%C3%A9", &"9".repeat(65)] {
        for (path, scope) in [
            (format!("/v2/b2c/orders/{id}"), "b2c"),
            (format!("/v2/b2b/orders/detail/{id}"), "b2b"),
            (format!("/v2/b2b/willcall/orders/{id}"), "b2b"),
        ] {
            let (status, body) = service.get(&path, scope).await;
            assert_eq!((status, &body["type"]), (404, &json!("NOT_FOUND")), "{path}");
        }
    }
    for (path, scope) in [
        ("/v2/b2c/orders/31840526", "other-b2c"),
        ("/v2/b2b/orders/detail/31840526", "other-b2b"),
        ("/v2/b2b/willcall/orders/31840526", "other-b2b"),
    ] {
        assert_eq!(service.get(path, scope).await.0, 404, "{path}");
    }
    let (_, found) = service.get("/v2/b2c/orders/search?email=ines.okafor@example.org", "b2c").await;
    assert_eq!(found["pagination"]["count"], 1);
    let (_, found) = service.get("/v2/b2c/orders/search?email=ines.okafor@example.org", "other-b2c").await;
    assert_eq!(found["pagination"]["count"], 0);
}

#[tokio::test]
async fn no_key_of_another_scope_reads_orders() {
    let service = Service::start().await;
    service.sell(&order(), &tickets(2)).await;
    for (path, scopes) in [
        ("/v2/b2c/orders/31840526", ["b2c-browser", "b2b"]),
        ("/v2/b2c/orders/search", ["b2c-browser", "b2b"]),
        ("/v2/b2b/orders/detail/31840526", ["b2c-browser", "b2c"]),
        ("/v2/b2b/willcall/orders/31840526", ["b2c-browser", "b2c"]),
    ] {
        for scope in scopes {
            assert_eq!(service.get(path, scope).await.0, 403, "{path} {scope}");
        }
        assert_eq!(service.get(path, "unknown").await.0, 401, "{path}");
    }
}

/// The order numbers a search finds, in its order.
async fn found(service: &Service, query: &str) -> Vec<String> {
    let (status, body) = service.get(&format!("/v2/b2c/orders/search?{query}"), "b2c").await;
    assert_eq!(status, 200, "{query}: {body}");
    let list = body["list"].as_array().unwrap().clone();
    list.iter().map(|order| order["orderNumber"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn orders_are_found_by_either_contact_and_newest_first() {
    let service = Service::start().await;
    for (place, days) in [(0, 0_i64), (1, 2), (2, 1)] {
        let (number, person) = (100_000_000 + place, person(&format!("Buyer+{place}@example.org")));
        let sold = domain::order::Order {
            id: OrderId::parse(&(10 + place).to_string()).unwrap(),
            number: OrderNumber::parse(&number.to_string()).unwrap(),
            contact: person.clone(),
            billing: person,
            created_at: domain::time::plus_secs(order().created_at, days * 86_400),
            ..order()
        };
        service.sell(&sold, &tickets(2)).await;
    }
    let all = ["100000001", "100000002", "100000000"];
    for (query, expected) in [
        ("phoneNumber=5555550142", all.as_slice()),
        ("phoneNumber=%28555%29%20555-0142", &all),
        ("phoneNumber=555-0142", &[]),
        ("email=Buyer%2B1@Example.org", &["100000001"]),
        ("email=buyer+1@example.org", &["100000001"]),
        ("email=buyer%2B1@example.org&phoneNumber=5555550142", &["100000001"]),
        ("email=buyer%2B1@example.org&phoneNumber=1", &[]),
        ("", &[]),
        ("phoneNumber=5555550142&sortDirection=ASC", &["100000000", "100000002", "100000001"]),
        ("phoneNumber=5555550142&sortField=orderNumber", &["100000002", "100000001", "100000000"]),
        ("phoneNumber=5555550142&pageSize=2", &["100000001", "100000002"]),
        ("phoneNumber=5555550142&pageSize=2&page=2", &["100000000"]),
        ("phoneNumber=5555550142&pageSize=2&page=3", &[]),
        ("phoneNumber=5555550142&pageSize=-1", &all),
    ] {
        assert_eq!(found(&service, query).await, expected, "{query}");
    }
    let (_, body) = service.get("/v2/b2c/orders/search?phoneNumber=5555550142&pageSize=2", "b2c").await;
    let expected =
        json!({"page": 1, "pageSize": 2, "sortDirection": "desc", "sortField": "createdOn", "count": 3});
    assert_eq!(body["pagination"], expected);
}

#[tokio::test]
async fn all_orders_of_a_frequent_buyer_are_found_however_many_they_are() {
    let service = Service::start().await;
    for place in 0..1_003_i64 {
        let (id, number) = ((700_000 - place).to_string(), (100_000_000 + place).to_string());
        let sold = domain::order::Order {
            id: OrderId::parse(&id).unwrap(),
            number: OrderNumber::parse(&number).unwrap(),
            created_at: domain::time::plus_secs(order().created_at, place),
            ..order()
        };
        service.sell(&sold, &[]).await;
    }
    let numbers = found(&service, "phoneNumber=5555550142&pageSize=-1").await;
    let all: Vec<String> = (0..1_003).rev().map(|place| (100_000_000 + place).to_string()).collect();
    assert_eq!(numbers, all);
}

#[tokio::test]
async fn a_page_that_cannot_be_is_refused_with_every_reason() {
    let service = Service::start().await;
    for (query, fields) in [
        ("pageSize=0", vec!["pageSize"]),
        ("pageSize=-2", vec!["pageSize"]),
        ("pageSize=many", vec!["pageSize"]),
        ("page=0", vec!["page"]),
        (
            "page=x&pageSize=y&sortField=z&sortDirection=up",
            vec!["page", "pageSize", "sortField", "sortDirection"],
        ),
        ("email=&phoneNumber=%20&page=", vec!["email", "phoneNumber", "page"]),
        ("email=buyer@example.org&phoneNumber=none", vec!["phoneNumber"]),
    ] {
        let (status, body) = service.get(&format!("/v2/b2c/orders/search?{query}"), "b2c").await;
        let named: Vec<_> =
            body["details"].as_array().unwrap().iter().map(|detail| detail["field"].clone()).collect();
        assert_eq!((status, named), (400, fields.into_iter().map(Value::from).collect()), "{query}");
    }
}

#[tokio::test]
async fn an_order_that_costs_nothing_shows_no_card_and_no_payment() {
    let service = Service::start().await;
    let free = Money::ZERO;
    let mut gift = domain::order::Order { payment: None, total: free, retail_total: free, ..order() };
    gift.lines.truncate(1);
    service.sell(&gift, &tickets(2)).await;
    let (_, body) = service.get("/v2/b2c/orders/31840526", "b2c").await;
    assert_eq!((&body["payments"], &body["paidAmount"]), (&json!([]), &json!("0.00")));
    assert_eq!(body["ccLastFourDigits"], json!(null));
    let (_, body) = willcall(&service, "31840526").await;
    assert_eq!((&body["paymentMethod"], &body["paymentMethodName"]), (&json!(0), &json!("None")));
}

#[tokio::test]
async fn a_template_that_is_gone_leaves_its_tickets_readable() {
    let service = Service::start().await;
    let mut orphan = order();
    if let OrderLine::Ticket(line) = &mut orphan.lines[0] {
        line.template = domain::TemplateId::from_bytes([9; 12]);
    }
    service.sell(&orphan, &tickets(2)).await;
    let (_, body) = willcall(&service, "31840526").await;
    let event = &body["eventItems"][0];
    let nothing_set = json!({
        "ticketDurationDays": null, "checkInWindow": null, "ticketPrintLines": [], "doNotPrint": false,
        "expireFromEventDate": false, "hideEventDate": false, "reentry": null,
    });
    assert_eq!((&event["ticketDetails"], &event["hasForms"]), (&nothing_set, &json!(false)));
    assert_eq!(event["items"][0]["tickets"].as_array().unwrap().len(), 2);
}
