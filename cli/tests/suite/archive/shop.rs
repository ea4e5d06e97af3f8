//! A tenant with something of everything, and what it says of itself.

use adapters::vault::Vault;
use boxoffice::archive::{Archive, ArchiveError, RestoreOutcome, Side, archive};
use boxoffice::document::Document;
use boxoffice::import::{Run, import_document};
use boxoffice::testing::Service;
use domain::tenant::Tenant;
use domain::{TenantId, Timestamp};
use engine::{Fault, FaultPlan};
use sagas::reconcile::{ReconciliationRequest, reconcile};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use store::{Consistency, Store};
use testkit::Answer;
use testkit::cards::{DECLINED, GOOD};

/// Ten in the morning, on a Tuesday, in New York.
const NOW: &str = "2027-03-02T15:00:00Z";
const HARBOR: &str = include_str!("../../../../demo/harbor-museum.json");
const ADULT: &str = "1001aa000000000000000001";
const GALLERY: &str = "1001ee000000000000000001";
const LANTERNS: &str = "1001ee000000000000000002";
const SCHOOL: &str = "1001ee000000000000000003";
/// What must not lie open in an archive: the numbers of an application, and of a card.
pub(crate) const SECRETS: [&str; 6] =
    [GOOD, "987654321", "123456789", "55501234567", "1980-05-17", "X7654321Z"];
/// The API keys of the tenant.
pub(crate) const KEYS: [&str; 7] = [
    "demo-b2c-1001",
    "demo-browser-1001",
    "demo-b2b-1001",
    "demo-door-1001",
    "demo-counter-1001",
    "demo-partner-1001",
    "demo-pay-60417",
];

pub(crate) fn now() -> Timestamp {
    NOW.parse().unwrap()
}

pub(crate) fn tenant_id() -> TenantId {
    TenantId::parse(1001).unwrap()
}

pub(crate) fn side(service: &Service) -> Side<'_> {
    Side { store: &service.app.store, vault: service.app.vault.as_ref() }
}

/// The venue's catalog, with slots of so many days.
pub(crate) async fn venue(days: u32) -> Service {
    let service = Service::empty().await;
    let run = Run { days, ..Run::unwatched(now()) };
    let report = Box::pin(import_document(&service.app, &Document::json(HARBOR), &run)).await.unwrap();
    assert_eq!(report.faults, vec![]);
    service
}

/// Another process over the same tables, which remembers nothing.
pub(crate) fn fresh(service: &Service) -> Service {
    service.another_process(FaultPlan::new())
}

pub(crate) async fn ask(service: &Service, method: &str, path: &str, body: Value) -> Answer {
    Box::pin(ask_again(service, method, path, body, None)).await
}

/// Sends a request with the key that opens its path, and an idempotency key.
pub(crate) async fn ask_again(
    service: &Service,
    method: &str,
    path: &str,
    body: Value,
    idempotency: Option<&str>,
) -> Answer {
    let key = match path {
        path if path.starts_with("/v1/payment/onboard") => ("x-service-payment-key", "demo-partner-1001"),
        path if path.starts_with("/v1/payment") => ("x-service-payment-key", "demo-pay-60417"),
        path if path.starts_with("/v2/b2b") => ("x-service-api-key", "demo-b2b-1001"),
        _ => ("x-service-api-key", "demo-b2c-1001"),
    };
    let mut headers = vec![key, ("x-b2c-tenant-id", "1001"), ("x-service-browser-ip", "192.0.2.7")];
    headers.push(("x-service-test-now", NOW));
    headers.extend(idempotency.map(|key| ("idempotency-key", key)));
    let body = Some(&body).filter(|body| !body.is_null());
    // What a request awaits is larger than a thread of tests has room for.
    Box::pin(service.request(method, path, &headers, body)).await
}

async fn ok(service: &Service, method: &str, path: &str, body: Value) -> Value {
    let answer = Box::pin(ask(service, method, path, body)).await;
    assert_eq!(answer.status, 200, "{method} {path}: {:.500}", answer.body.to_string());
    answer.body
}

/// The slots of the gallery on a day, with the seats that are left.
pub(crate) async fn seats(service: &Service, day: &str) -> Value {
    let range = format!("startTime={day}T00:00:00-05:00&endTime={day}T23:59:59-05:00");
    let path = format!("/v2/b2c/event/templates/{GALLERY}/times?{range}");
    ok(service, "GET", &path, Value::Null).await
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

pub(crate) fn tickets(event: &Value, quantity: u32) -> Value {
    json!({"itemType": "Event", "eventId": event, "ticketingTypeId": ADULT, "quantity": quantity})
}

/// A checkout of a cart by a person of whom all is known.
pub(crate) fn paying(cart: &Value, card: &str) -> Value {
    json!({
        "shoppingCart": cart, "manualEntryCardNumber": card, "expDate": "1239", "cvc": "123",
        "billingEmail": "grace@example.test", "billingFirstName": "Grace", "billingLastName": "Hopper",
        "billingPhoneNumber": "415 555 0142", "billingAddress1": "18 Quay Street", "billingCity": "New York",
        "billingState": "New York", "billingZipCode": "10004", "billingCountry": "United States",
        "contactEmail": "grace@example.test", "contactFirstName": "Grace", "contactLastName": "Hopper",
    })
}

/// An application of a merchant with all its numbers.
fn application() -> Value {
    json!({
        "boardingRefId": "1b2f7b1e-93d4-4f26-8c1d-70e2a9b4f318", "businessLegalName": "Harbor Museum, Inc",
        "dbaName": "Harbor Shop", "taxId": "987654321",
        "businessBankAccount": {"accountNumber": "55501234567", "routingNumber": "021000021"},
        "businessOwners": [{
            "type": "ControlOwner", "firstName": "Zoe", "lastName": "Lindqvist", "ssn": "123456789",
            "dateOfBirth": "1980-05-17",
            "identification": [{"idType": "Passport", "idNumber": "X7654321Z", "issuedCountry": "US"}],
        }],
    })
}

/// What was done in a venue, as far as it is asked about again.
pub(crate) struct Shop {
    pub(crate) service: Service,
    /// The first slot of the gallery, and another of the same event.
    pub(crate) slot: Value,
    /// The checkout that was sent with the idempotency key `first`, and what it was answered.
    pub(crate) first: (Value, Value),
    /// An order with sales that nothing was given back of.
    pub(crate) untouched: Value,
    /// All that is read.
    pub(crate) reads: Vec<String>,
}

impl Shop {
    /// Orders that are paid, declined, refunded, exchanged, pending; and one of everything else.
    pub(crate) async fn open() -> Self {
        let service = venue(14).await;
        let next = async |template: &str| {
            ok(&service, "GET", &format!("/v2/b2c/events/{template}/nextAvailable"), Value::Null).await["id"]
                .clone()
        };
        let (slot, night, school) = (next(GALLERY).await, next(LANTERNS).await, next(SCHOOL).await);
        let other = seats(&service, "2027-03-03").await[0]["id"].clone();
        let guides = json!({"itemType": "Inventory", "inventoryId": 1_001_001, "quantity": 2});
        let cart = json!({"items": [tickets(&slot, 3), guides], "couponCodes": ["FIVEOFF"]});
        let first = paying(&cart, GOOD);
        let path = "/v2/b2c/checkout";
        let paid = ask_again(&service, "POST", path, first.clone(), Some("first")).await;
        assert_eq!(paid.status, 200, "{}", paid.body);
        let paid = paid.body;
        let declined = paying(&json!({"items": [tickets(&slot, 1)]}), DECLINED);
        assert_eq!(ask(&service, "POST", path, declined).await.status, 402);
        let joined = json!({"items": [{"itemType": "MembershipPurchase", "quantity": 1, "membershipInfo": {
            "membershipCategoryId": "1001bb000000000000000001", "isGift": false,
            "membershipOfferingId": "1001bf00000000000000000000000001", "pricePointId": ADULT,
            "membershipCards": [{"cardType": "primary", "firstName": "Grace", "lastName": "Hopper",
                "email": "grace@example.test"}],
        }}]});
        let joined = ok(&service, "POST", path, paying(&joined, GOOD)).await;
        let combo = json!({"comboItems": [{
            "comboTemplateId": "1001c1000000000000000001", "ticketingTypeId": ADULT, "quantity": 1,
            "parts": [{"eventId": slot}, {"eventId": night}],
        }]});
        let combo = ok(&service, "POST", path, paying(&combo, GOOD)).await;
        let moved = ok(&service, "POST", path, paying(&json!({"items": [tickets(&slot, 2)]}), GOOD)).await;
        let member = json!({"items": [tickets(&slot, 1)], "membershipIds": [100_100_031]});
        ok(&service, "POST", path, paying(&member, GOOD)).await;

        let line = |order: &Value| order["orderItems"][0]["itemId"].clone();
        let refund = json!({"orderId": paid["id"], "items": [{"itemId": line(&paid), "quantity": 1}]});
        ok(&service, "POST", "/v2/b2b/refunds", refund).await;
        let exchange =
            json!({"orderId": moved["id"], "itemId": line(&moved), "quantity": 1, "eventId": other});
        ok(&service, "POST", "/v2/b2b/exchanges", exchange).await;
        let refund = json!({"saleId": joined["payments"][0]["saleId"], "charge": {"amount": 6.25}});
        ok(&service, "POST", "/v1/payment/60417/refund", refund).await;
        let seats = json!({"reservationItems": [{"eventId": other, "quantity": 4}]});
        let reservation = ok(&service, "POST", "/v2/b2b/reservations", seats).await;
        let open = json!({"items": [tickets(&school, 10)]});
        let open = ok(&service, "POST", "/v2/b2c/carts", open).await;
        let application = ok(&service, "POST", "/v1/payment/onboard", application()).await;
        Box::pin(service.deliver_mail()).await;

        // A mail that nobody sent, and an order that was charged when its checkout broke off: what would have settled
        // it is the last transaction of a checkout.
        service.plan.reset();
        let unsent = ok(&service, "POST", path, paying(&json!({"items": [tickets(&other, 1)]}), GOOD)).await;
        let transactions = service.plan.calls().iter().filter(|call| *call == "TransactWriteItems").count();
        let plan = FaultPlan::new();
        plan.at_operation("TransactWriteItems", transactions - 1, Fault::CrashBefore);
        let dying = service.another_process(plan);
        let pending = paying(&json!({"items": [tickets(&other, 5)]}), GOOD);
        assert_eq!(ask(&dying, "POST", path, pending).await.status, 503);

        let mut reads: Vec<String> = [
            "/v2/b2b/customers?email=grace@example.test",
            "/v2/b2b/memberships",
            "/v2/b2b/membership/summaries",
            "/v2/b2b/membership/summaries/search?search=%2B1%20212%20555%200107",
            "/v2/b2b/membership/cards?memberId=100100031",
            "/v2/b2b/membership/cards/100100071",
            "/v2/b2b/event/templates",
            "/v2/b2b/persontypes",
            "/v2/b2b/coupons",
            "/v2/b2b/combos",
            "/v2/b2b/forms",
            "/v2/b2b/inventory",
            "/v2/b2b/discounts",
            "/v2/b2b/membership/levels?isPublished=true&salesChannels=online",
            "/v2/b2c/orders/search?email=grace@example.test",
            "/v2/b2c/membership/validate?membershipId=100100031&lastName=Lindqvist",
            "/v2/b2c/event/templates/times?startTime=2027-03-02T00:00:00Z&endTime=2027-03-09T00:00:00Z",
            "/sandbox/outbox",
            "/sandbox/processor",
        ]
        .map(str::to_owned)
        .into();
        for order in [&paid, &joined, &combo, &moved, &unsent] {
            let id = text(&order["id"]);
            reads.extend(["/v2/b2c/orders", "/v2/b2b/orders/detail"].map(|path| format!("{path}/{id}")));
            reads.push(format!("/v2/b2b/willcall/orders/{id}"));
        }
        reads.push(format!("/v2/b2c/carts/{}", text(&open)));
        reads.push(format!("/v2/b2b/reservations/{}", reservation["id"]));
        reads.push(format!("/v1/payment/onboard/{}", text(&application["boardingRefId"])));
        Self { service, slot, first: (first, paid), untouched: combo, reads }
    }

    /// What all reads answer.
    pub(crate) async fn told(&self, service: &Service) -> Vec<(String, Value)> {
        let mut told = Vec::new();
        for path in &self.reads {
            told.push((path.clone(), ok(service, "GET", path, Value::Null).await));
        }
        told
    }
}

/// Closes the tenant, or opens it.
pub(crate) async fn set_closed(store: &Store, closed_at: Option<Timestamp>) {
    let tenant = store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap();
    store.save_tenant(&Tenant { closed_at, ..tenant }).await.unwrap();
}

/// The archive of a service's tenant.
pub(crate) async fn archived(service: &Service, key: &dyn Vault) -> Vec<u8> {
    let mut out = Vec::new();
    archive(side(service), tenant_id(), now(), key, &mut out).await.unwrap();
    out
}

pub(crate) async fn restored(
    service: &Service,
    file: &Path,
    key: &dyn Vault,
) -> Result<RestoreOutcome, ArchiveError> {
    Archive::read(file, key).await?.restore(side(service)).await
}

/// The records of an archive in the order of their places, without what is sealed anew each time.
pub(crate) fn records(archive: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(archive).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records = lines.iter_mut().filter(|line| line.get("record").is_some()).map(|line| {
        let item = line["record"]["item"].as_object_mut().unwrap();
        item.remove("sealed_hash_key");
        item.remove("sealed_key");
        if let Some(key) =
            item.get_mut("processor").and_then(|kinds| kinds.pointer_mut("/M/stripe/M/sealed_key"))
        {
            key.take();
        }
        line.to_string()
    });
    let mut records: Vec<String> = records.collect();
    records.sort();
    records
}

/// What does not agree in a database.
pub(crate) async fn findings(service: &Service) -> Vec<String> {
    let wanted = ReconciliationRequest {
        tenant: Some(tenant_id()),
        now: now(),
        chosen_now: Some(now()),
        pause: Duration::ZERO,
    };
    let report = Box::pin(reconcile(&service.store, &wanted)).await.unwrap();
    assert!(report.checked.orders > 5);
    report.findings.iter().map(|(_, finding)| finding.to_string()).collect()
}
