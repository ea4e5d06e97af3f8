//! What the service answers on routes that belong to no other place: pick lists, documents, the sandbox.

use crate::demo::STAFF;
use boxoffice::testing::Service;
use domain::tenant::{ApiKey, Scope};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::io::Read;

const VISITOR: [(&str, &str); 1] = [("x-service-api-key", "demo-browser-1001")];
const DOOR: [(&str, &str); 1] = [("x-service-api-key", "demo-door-1001")];
const TILL: [(&str, &str); 1] = [("x-service-api-key", "demo-counter-1001")];

#[tokio::test(flavor = "multi_thread")]
async fn countries_start_with_the_united_states_and_canada() {
    let service = Service::start().await;
    let answer = service.request("GET", "/v2/b2c/locations/avs/countries", &VISITOR, None).await;
    assert_eq!(answer.status, 200);
    let list = answer.body.as_array().unwrap();
    insta::assert_json_snapshot!(list[..3], @r#"
    [
      {
        "abbreviation": "US",
        "alpha2Code": "US",
        "alpha3Code": "USA",
        "capital": "Washington, D.C.",
        "currency": "USD",
        "es": "Estados Unidos",
        "name": "United States",
        "numericCode": "840"
      },
      {
        "abbreviation": "CA",
        "alpha2Code": "CA",
        "alpha3Code": "CAN",
        "capital": "Ottawa",
        "currency": "CAD",
        "es": "Canadá",
        "name": "Canada",
        "numericCode": "124"
      },
      {
        "abbreviation": "AF",
        "alpha2Code": "AF",
        "alpha3Code": "AFG",
        "capital": "Kabul",
        "currency": "AFN",
        "es": "Afganistán",
        "name": "Afghanistan",
        "numericCode": "004"
      }
    ]
    "#);
    let staff = service.request("GET", "/v2/b2b/locations/avs/countries", &STAFF, None).await;
    assert_eq!(staff.bytes, answer.bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn states_are_found_by_any_code_of_their_country() {
    let service = Service::start().await;
    let mut answers = vec![];
    for code in ["us", "USA", "US"] {
        for (route, headers) in [("b2c", &VISITOR), ("b2b", &STAFF)] {
            let path = format!("/v2/{route}/locations/states/{code}");
            answers.push(service.request("GET", &path, headers, None).await);
        }
    }
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.bytes == answers[0].bytes));
    let california = json!({ "abbreviation": "CA", "name": "California", "iso3166": "US-CA" });
    assert!(answers[0].body.as_array().unwrap().contains(&california));
    let none = service.request("GET", "/v2/b2c/locations/states/AI", &VISITOR, None).await;
    assert_eq!((none.status, none.body), (200, json!([])));
    let unknown = service.request("GET", "/v2/b2c/locations/states/ZZ", &VISITOR, None).await;
    assert_eq!((unknown.status, &unknown.body["type"]), (404, &json!("NOT_FOUND")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_learns_how_the_venue_looks_and_speaks() {
    let service = Service::start().await;
    let usual = service.request("GET", "/v2/b2c/venue", &VISITOR, None).await;
    insta::assert_json_snapshot!(usual.body, @r#"
    {
      "allowedOrigins": [
        "http://127.0.0.1:3000",
        "http://localhost:3000"
      ],
      "colours": [],
      "currency": "USD",
      "id": 1001,
      "languages": [
        "en"
      ],
      "logo": null,
      "name": "Harbor Museum",
      "privacy": null,
      "sandbox": true,
      "terms": null,
      "timeZone": "America/New_York"
    }
    "#);
    let look = json!({
        "name": "Harbor Museum", "colours": [{"name": "accent", "value": "#0b5563"}], "languages": ["es", "en"],
        "logo": "https://harbor-museum.example/logo.svg", "terms": "https://harbor-museum.example/terms",
        "privacy": "https://harbor-museum.example/privacy",
    });
    let set = service.request("PUT", "/v2/b2b/settings", &STAFF, Some(&look)).await;
    assert_eq!(set.status, 200, "{}", set.text);
    // A process that was just started has nothing in its caches.
    let fresh = service.another_process(engine::FaultPlan::new());
    let shown = fresh.request("GET", "/v2/b2c/venue", &VISITOR, None).await.body;
    for field in ["colours", "languages", "logo", "terms", "privacy"] {
        assert_eq!(shown[field], look[field], "{field}");
        assert_eq!(set.body[field], look[field], "{field}");
    }
    assert_eq!(service.request("GET", "/v2/b2c/venue", &DOOR, None).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn pick_lists_need_a_key_that_sells() {
    let service = Service::start().await;
    for (path, headers, status) in [
        ("/v2/b2c/locations/avs/countries", &[][..], 401),
        ("/v2/b2c/locations/avs/countries", &STAFF[..], 200),
        ("/v2/b2c/locations/avs/countries", &DOOR[..], 403),
        ("/v2/b2b/locations/avs/countries", &DOOR[..], 403),
        ("/v2/b2c/locations/avs/countries", &TILL[..], 200),
        ("/v2/b2b/locations/avs/countries", &TILL[..], 200),
        ("/v2/b2b/locations/avs/countries", &VISITOR[..], 403),
        ("/payments/v2/b2b/locations/avs/countries", &STAFF[..], 200),
    ] {
        assert_eq!(service.request("GET", path, headers, None).await.status, status, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_error_table_is_served_as_it_is_documented() {
    let service = Service::empty().await;
    let answer = service.request("GET", "/errors", &[], None).await;
    assert_eq!(answer.status, 200);
    let documented = boxoffice::error_table();
    for row in answer.body.as_array().unwrap() {
        let part = |name: &str| row[name].as_str().unwrap().to_owned();
        let line = format!(
            "| {} | {} | {} | {} | {} |",
            row["status"],
            row["errorCode"],
            part("type"),
            part("message"),
            part("when")
        );
        assert!(documented.contains(&line), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_the_interface_needs_no_other_server() {
    let service = Service::empty().await;
    let document = service.request("GET", "/openapi.json", &[], None).await;
    assert_eq!(document.body["info"]["title"], "Boxoffice");
    for (path, content_type) in [
        ("/docs", "text/html"),
        ("/docs/", "text/html"),
        ("/stage/docs", "text/html"),
        ("/docs/swagger-ui.css", "text/css"),
        ("/docs/swagger-ui-bundle.js", "text/javascript"),
    ] {
        let answer = service.request("GET", path, &[], None).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header("content-type").starts_with(content_type), "{path}");
    }
    let page = String::from_utf8(service.request("GET", "/docs", &[], None).await.bytes).unwrap();
    assert!(!page.contains("http://") && !page.contains("https://"), "{page}");
    for key in ["b2c-1001", "browser-1001", "b2b-1001", "partner-1001", "pay-60417"] {
        assert!(page.contains(&format!("\"demo-{key}\"")), "the page does not send demo-{key}");
    }
    let missing = service.request("GET", "/docs/other.js", &[], None).await;
    assert_eq!((missing.status, &missing.body["type"]), (404, &json!("NOT_FOUND")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_sent_compressed_and_once() {
    let service = Service::empty().await;
    for path in ["/openapi.json", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"] {
        let plain = service.request("GET", path, &[], None).await;
        let packed = service.request("GET", path, &[("accept-encoding", "br, gzip;q=0.5")], None).await;
        assert_eq!(packed.header("content-encoding"), "gzip", "{path}");
        assert_eq!(packed.header("vary"), "accept-encoding", "{path}");
        assert!(packed.bytes.len() * 3 < plain.bytes.len(), "{path}");
        let mut unpacked = vec![];
        GzDecoder::new(&packed.bytes[..]).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == plain.bytes, "{path}");
        let tag = plain.header("etag");
        assert_eq!(tag, packed.header("etag"), "{path}");
        let known = service.request("GET", path, &[("if-none-match", tag)], None).await;
        assert_eq!((known.status, known.bytes.len(), known.header("etag")), (304, 0, tag), "{path}");
        let other = service.request("GET", path, &[("if-none-match", "\"other\"")], None).await;
        assert_eq!(other.status, 200, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_paths_and_methods_have_typed_errors() {
    let service = Service::empty().await;
    for (method, path, status, kind) in
        [("GET", "/nowhere", 404, "NOT_FOUND"), ("DELETE", "/errors", 405, "METHOD_NOT_ALLOWED")]
    {
        let answer = service.request(method, path, &[], None).await;
        assert_eq!((answer.status, answer.body["type"].as_str().unwrap()), (status, kind), "{path}");
        assert_eq!(answer.body["requestId"], answer.header("x-service-request-id"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sandbox_cleans_up_by_the_clock_its_caller_chose() {
    let service = Service::start().await;
    let clean_up = |now: &'static str| {
        let service = &service;
        async move { service.request("POST", "/sandbox/cleanup", &[("x-service-test-now", now)], None).await }
    };
    let answer = clean_up("2031-05-01T09:00:00-04:00").await;
    assert_eq!(answer.status, 200);
    // Slots reach as far as they do by real time, whatever clock its caller chose.
    let report = json!({
        "ordersDue": 0, "ordersFinished": 0, "refundsFinished": 0, "mailsAnnounced": 0, "slotsMade": 0,
        "slotsChanged": 0, "slotsDeleted": 0, "merchantsDecided": 0, "failed": 0,
    });
    assert_eq!(answer.body, report);
    let refused = clean_up("tomorrow").await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.body["details"][0]["field"], "x-service-test-now");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_sees_the_same_tables_and_its_own_faults() {
    let service = Service::start().await;
    let plan = engine::FaultPlan::new();
    plan.at(0, engine::Fault::AnswerLost);
    let other = service.another_process(plan);
    let path = "/v2/b2b/locations/avs/countries";
    assert_eq!(other.request("GET", path, &STAFF, None).await.status, 503);
    assert_eq!(other.request("GET", path, &STAFF, None).await.status, 200);
    assert_eq!(service.request("GET", path, &STAFF, None).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_can_be_reached_through_a_socket() {
    let address = Service::empty().await.listen().await;
    let stream = tokio::net::TcpStream::connect(address).await;
    assert!(stream.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_key_works_from_its_origins_only_whatever_else_it_may_do() {
    let service = Service::start().await;
    let key = ApiKey {
        tenant: domain::TenantId::parse(1001).unwrap(),
        scopes: [Scope::B2c, Scope::B2cBrowser].into(),
        origins: ["https://tickets.example.org".to_owned()].into(),
        mid: None,
        label: "page and server".to_owned(),
        revoked: false,
    };
    service.store.save_api_key(&store::identity::key_hash("bxo_both"), &key).await.unwrap();
    for path in ["/v2/b2c/orders/search", "/v2/b2c/locations/avs/countries"] {
        for (origin, status) in [("https://tickets.example.org", 200), ("https://elsewhere.example.org", 403)]
        {
            let headers = [("x-service-api-key", "bxo_both"), ("origin", origin)];
            let answer = service.request("GET", path, &headers, None).await;
            assert_eq!(answer.status, status, "{path} from {origin}: {}", answer.body);
        }
    }
}

/// A mail that was delivered twice is listed twice, whatever its Message-ID.
#[tokio::test(flavor = "multi_thread")]
async fn deliveries_of_the_sandbox_are_listed_one_by_one() {
    use store::sandbox::SandboxMail;
    let service = Service::start().await;
    let tenant = domain::TenantId::parse(1001).unwrap();
    let message = vec![b'x'; 700_000];
    for delivery in ["0000000000001-a", "0000000000002-b"] {
        let mail = SandboxMail {
            delivery: delivery.to_owned(),
            order: Some(domain::OrderId::parse("4711").unwrap()),
            order_number: "123456789".to_owned(),
            message_id: "<one@boxoffice.invalid>".to_owned(),
            from: "tickets@boxoffice.invalid".to_owned(),
            to: "buyer@example.test".to_owned(),
            subject: "Your tickets".to_owned(),
            delivered_at: domain::Timestamp::UNIX_EPOCH,
        };
        service.store.save_sandbox_mail(tenant, &mail, &message).await.unwrap();
    }
    let answer = service.request("GET", "/sandbox/outbox", &[], None).await;
    let listed: Vec<&Value> = answer.body.as_array().unwrap().iter().collect();
    assert_eq!(listed.len(), 2);
    insta::assert_json_snapshot!(listed[0], @r#"
    {
      "deliveredAt": "1970-01-01T00:00:00+00:00",
      "deliveryId": "0000000000001-a",
      "from": "tickets@boxoffice.invalid",
      "messageId": "<one@boxoffice.invalid>",
      "orderNumber": "123456789",
      "subject": "Your tickets",
      "tenantId": 1001,
      "to": "buyer@example.test"
    }
    "#);
    let read = service.request("GET", "/sandbox/outbox/0000000000002-b", &[], None).await;
    assert_eq!((read.header("content-type"), read.bytes.len()), ("message/rfc822", message.len()));
    assert_eq!(service.request("GET", "/sandbox/outbox/none", &[], None).await.status, 404);
    let others =
        service.request("GET", "/sandbox/outbox", &[("x-service-api-key", "demo-b2c-1002")], None).await;
    assert_eq!(others.body, json!([]));
}

/// From a slot on sale to a mail in the outbox, through the routes alone.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_sale_charged_and_mailed_can_be_looked_at_in_the_sandbox() {
    const SERVER: [(&str, &str); 3] = [
        ("x-service-api-key", "demo-b2c-1001"),
        ("x-b2c-tenant-id", "1001"),
        ("x-service-browser-ip", "192.0.2.7"),
    ];
    let service = Service::start().await;
    let today = adapters::clock::wall_now();
    let (from, to) = (domain::time::plus_secs(today, 86_400), domain::time::plus_secs(today, 8 * 86_400));
    let (from, to) = (from.format("%Y-%m-%d"), to.format("%Y-%m-%d"));
    let times = format!("/v2/b2c/event/templates/times?startTime={from}T00:00:00Z&endTime={to}T00:00:00Z");
    let times = service.request("GET", &times, &SERVER, None).await;
    let slot = &times.body[0]["times"][0];
    assert!(slot["id"].is_string(), "{}", times.body);
    let person_type = &slot["event"]["priceList"]["prices"][0]["personType"]["id"];
    let cart = json!({ "items": [{
        "itemType": "Event", "eventId": slot["id"], "ticketingTypeId": person_type, "quantity": 2,
    }] });
    let cart = service.request("POST", "/v2/b2c/carts", &SERVER, Some(&cart)).await;
    assert_eq!(cart.status, 200, "{}", cart.body);
    let checkout = json!({
        "shoppingCartId": cart.body, "manualEntryCardNumber": "4242424242424242", "expDate": "1239", "cvc": "123",
        "billingEmail": "buyer@example.test", "billingFirstName": "Ada", "billingLastName": "Byron",
        "billingZipCode": "02110", "contactFirstName": "Ada", "contactLastName": "Byron",
        "contactEmail": "buyer@example.test",
    });
    let order = service.request("POST", "/v2/b2c/checkout", &SERVER, Some(&checkout)).await;
    assert_eq!(order.status, 200, "{}", order.body);

    assert_eq!(service.deliver_mail().await, 1);
    let outbox = service.request("GET", "/sandbox/outbox", &[], None).await;
    assert_eq!(outbox.body.as_array().unwrap().len(), 1);
    assert_eq!(outbox.body[0]["to"], "buyer@example.test");
    assert_eq!(outbox.body[0]["orderNumber"], order.body["orderNumber"]);
    let payments = service.request("GET", "/sandbox/processor", &[], None).await;
    assert_eq!(payments.body.as_array().unwrap().len(), 1);
    assert_eq!(
        (&payments.body[0]["type"], &payments.body[0]["status"]),
        (&json!("charge"), &json!("captured"))
    );
    assert_eq!(payments.body[0]["amount"], "36.00");

    let refund = json!({ "saleId": order.body["payments"][0]["saleId"], "charge": { "amount": 6.25 } });
    let merchant = [("x-service-payment-key", "demo-pay-60417")];
    let path = "/payments/v1/payment/60417/refund";
    let refunded = service.request("POST", path, &merchant, Some(&refund)).await;
    assert_eq!(
        (refunded.status, &refunded.body["charge"]["amount"]),
        (200, &json!("6.25")),
        "{}",
        refunded.body
    );
    let seen = service.request("GET", "/sandbox/processor", &[], None).await;
    assert_eq!((&seen.body[1]["type"], &seen.body[1]["status"]), (&json!("refund"), &json!("refunded")));
    assert_eq!(seen.body[1]["refundId"], refunded.body["refundId"]);
    let path = format!("/v2/b2c/orders/{}", order.body["id"].as_str().unwrap());
    assert_eq!(service.request("GET", &path, &SERVER, None).await.body["refundAmount"], "6.25");
}
