//! Who may claim to be a member, from the proof to the price (decision record 0106).

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

mod law;
mod limits;
mod proofs;
mod settings;

use boxoffice::testing::Service;
use domain::TenantId;
use domain::rate_limit::{Rate, RateLimit};
use domain::tenant::Tenant;
use engine::FaultPlan;
use serde_json::{Value, json};
use store::Consistency;
use testkit::Answer;

const SERVER: &str = "demo-b2c-1001";
const PAGE: &str = "demo-browser-1001";
const NOW: &str = "2027-05-01T10:00:00-04:00";
const GALLERY: &str = "1001ee000000000000000001";
const ADULT: &str = "1001aa000000000000000001";
const CHILD: &str = "1001aa000000000000000002";
const CREW: &str = "1001bb000000000000000001";
/// Ada Lindqvist's membership, and its number.
const MEMBERSHIP: i64 = 100_100_051;
const NUMBER: i64 = 100_100_031;
const VALIDATE: &str = "/v2/b2c/membership/validate";
const LOGIN: &str = "/v2/b2c/membership/validate/login";
const CARTS: &str = "/v2/b2c/carts";
const RULES: &str = "/v2/b2c/entitlements/validate";
const PAY: &str = "/v2/b2c/checkout";
const PAY_ON_PAGE: &str = "/v2/b2c/cors/checkout";

/// Who asks, and what is sent along.
#[derive(Debug, Clone)]
struct Visitor {
    key: &'static str,
    address: &'static str,
    now: &'static str,
    proof: Option<String>,
    idempotency_key: Option<String>,
}

impl Visitor {
    fn of_server() -> Self {
        let (address, now) = ("203.0.113.24", NOW);
        Self { key: SERVER, address, now, proof: None, idempotency_key: None }
    }

    fn of_page() -> Self {
        Self { key: PAGE, ..Self::of_server() }
    }

    fn at(&self, now: &'static str) -> Self {
        Self { now, ..self.clone() }
    }

    fn from(&self, address: &'static str) -> Self {
        Self { address, ..self.clone() }
    }

    fn proving(&self, proof: &str) -> Self {
        Self { proof: Some(proof.to_owned()), ..self.clone() }
    }

    async fn ask(&self, service: &Service, method: &str, path: &str, body: &Value) -> Answer {
        let tenant = if self.key.ends_with("1002") { "1002" } else { "1001" };
        let mut headers = vec![
            ("x-service-api-key", self.key),
            ("x-b2c-tenant-id", tenant),
            ("x-service-browser-ip", self.address),
            ("x-service-test-now", self.now),
        ];
        if self.key.contains("browser") {
            headers.push(("origin", "http://localhost:3000"));
        }
        headers.extend(self.proof.as_deref().map(|proof| ("x-service-member-proof", proof)));
        headers.extend(self.idempotency_key.as_deref().map(|key| ("idempotency-key", key)));
        service.request(method, path, &headers, Some(body).filter(|body| !body.is_null())).await
    }

    async fn get(&self, service: &Service, path: &str) -> Answer {
        self.ask(service, "GET", path, &Value::Null).await
    }

    async fn ok(&self, service: &Service, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(service, method, path, body).await;
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        answer.body
    }

    /// A new cart, as it reads.
    async fn cart(&self, service: &Service, cart: &Value) -> Value {
        let id = self.ok(service, "POST", CARTS, cart).await;
        self.ok(service, "GET", &format!("{CARTS}/{}", id.as_str().unwrap()), &Value::Null).await
    }

    /// The id of the next slot of the gallery.
    async fn slot(&self, service: &Service) -> String {
        let next = self.get(service, &format!("/v2/b2c/events/{GALLERY}/nextAvailable")).await;
        next.body["id"].as_str().unwrap().to_owned()
    }
}

/// The proof that a page gets for the member's number and name.
async fn proof(service: &Service, visitor: &Visitor) -> String {
    let found = visitor.get(service, &format!("{VALIDATE}?membershipId={NUMBER}&lastName=lindqvist")).await;
    let proof =
        if found.body.is_array() { &found.body[0]["memberProof"] } else { &found.body["memberProof"] };
    proof.as_str().unwrap().to_owned()
}

fn tickets(slot: &str, quantity: u32) -> Value {
    json!({"eventId": slot, "ticketingTypeId": ADULT, "quantity": quantity})
}

/// A gift, so that a cart costs something.
fn gift(dollars: u32) -> Value {
    json!({"itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation", "quantity": 1,
        "unitPrice": format!("{dollars}.00")})
}

/// A checkout of this cart with a card, or without.
fn checkout(cart: &Value, card: Option<&str>) -> Value {
    let mut body = json!({
        "shoppingCart": cart, "billingFirstName": "Ines", "billingLastName": "Okafor",
        "billingEmail": "ines@example.test", "billingZipCode": "10004", "sendEmail": false,
    });
    if let Some(card) = card {
        let fields = json!({"manualEntryCardNumber": card, "expDate": "1230", "cvc": "123"});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    }
    body
}

/// The venue with other settings: another process, which has none of the older ones in its cache.
async fn set(service: &Service, change: impl FnOnce(&mut Tenant)) -> Service {
    let id = TenantId::parse(1001).unwrap();
    let mut tenant = service.store.load_tenant(id, Consistency::Strong).await.unwrap().unwrap();
    change(&mut tenant);
    service.store.save_tenant(&tenant).await.unwrap();
    service.another_process(FaultPlan::new())
}

fn limit(tenant: &mut Tenant, name: &str, rate: &str) {
    tenant.limits.insert(RateLimit::parse(name).unwrap(), Rate::parse(rate).unwrap());
}
