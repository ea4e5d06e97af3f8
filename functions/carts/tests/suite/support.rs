//! A venue on the embedded engine, and requests to its cart routes.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use domain::catalog::{InventoryItem, InventoryKind, PersonType};
use domain::ledger::{Ledger, SlotState};
use domain::tenant::{ApiKey, ProcessorKind, Scope, Tenant};
use domain::time::plus_secs;
use domain::{
    CartId, InstanceId, InventoryId, Money, Template, TemplateId, TenantId, TicketTypeId, Timestamp, Zone,
};
use engine::Embedded;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use platform::app::hash_key_context;
use platform::processor::SandboxProcessor;
use platform::queue::LocalQueue;
use platform::vault::{LocalVault, Vault};
use platform::{Adapters, App};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::identity::key_hash;
use store::{CallCount, Calls, Counted, Store};
use tower::ServiceExt;

pub(crate) const ADULT: &str = "66d1b2f0a93c4e517720bb01";
pub(crate) const ADD_ON: i64 = 71;
pub(crate) const FIXED_DONATION: i64 = 72;
pub(crate) const DONATION: i64 = 73;
const TABLE_PREFIX: &str = "test-";

pub(crate) fn tenant_id() -> TenantId {
    TenantId::parse(204).unwrap()
}

/// Two hours before the slots start.
pub(crate) fn now() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

pub(crate) fn template() -> Template {
    let stored = json!({
        "id": "6f2e91b0c47d5a3e18b90f42",
        "name": "Harbor Gallery Entry",
        "description": "",
        "short_description": "",
        "start": start(),
        "review_state": "Published",
        "duration_minutes": 60,
        "capacity": 10,
        "price_lists": [{
            "id": "64b8a7c6d5e4f3021a2b3c4d",
            "name": "Regular",
            "prices": [{"ticket_type": ADULT, "price": 1800, "display_order": 1}],
        }],
        "last_updated": now(),
    });
    serde_json::from_value(stored).unwrap()
}

pub(crate) fn start() -> Timestamp {
    plus_secs(now(), 7_200)
}

/// The id of the slot `hours` after the first one; only the first has a ledger.
pub(crate) fn slot(hours: i64) -> InstanceId {
    let start = plus_secs(start(), hours * 3_600);
    InstanceId::of(&template().id, None, start.naive_utc(), start).unwrap()
}

pub(crate) fn ledger() -> Ledger {
    Ledger {
        instance: slot(0),
        template: TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap(),
        schedule: None,
        shard: 0,
        start: start(),
        end: plus_secs(start(), 3_600),
        state: SlotState::Active,
        size: 10,
        free: 10,
        sold: 0,
        holds: BTreeMap::new(),
        edited: false,
    }
}

/// A venue that sells one slot, one ticket type, an add-on and two donations.
pub(crate) struct Venue {
    pub(crate) engine: Embedded,
    pub(crate) store: Store,
    service: axum::Router,
}

/// What a request was answered.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    pub(crate) calls: CallCount,
}

impl Venue {
    pub(crate) async fn open() -> Self {
        Self::with_ledger(ledger()).await
    }

    pub(crate) async fn with_ledger(ledger: Ledger) -> Self {
        let engine = Embedded::memory().unwrap();
        let store = Store::new(engine::client_over(Counted(engine.clone())), TABLE_PREFIX);
        store.create_tables().await.unwrap();
        let vault = LocalVault::in_memory().unwrap();
        for id in [204, 205] {
            save_tenant(&store, &vault, TenantId::parse(id).unwrap()).await;
        }
        save_catalog(&store).await;
        store.create_ledger(tenant_id(), &ledger).await.unwrap();
        let processor = SandboxProcessor::new(store.clone(), Arc::new(now));
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::new(vault),
            sandbox_processor: Arc::new(processor),
        };
        let app = App::new(store.clone(), adapters);
        let routes: axum::Router<App> = carts::router();
        let service = platform::shell::service(routes.layer(from_fn(note_calls)), &app);
        let service = conformance::held(service);
        Self { engine, store, service }
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: Value) -> Answer {
        self.send_with(&[], method, path, body).await
    }

    /// Sends a request; `headers` replace those of a usual request.
    pub(crate) async fn send_with(
        &self,
        headers: &[(&'static str, &str)],
        method: &str,
        path: &str,
        body: Value,
    ) -> Answer {
        let now = now().to_rfc3339();
        let usual = [
            ("x-service-api-key", "key-204"),
            ("x-b2c-tenant-id", "204"),
            ("x-service-test-now", now.as_str()),
            ("content-type", "application/json"),
        ];
        let mut request = Request::builder().method(method).uri(path);
        let chosen = |name: &str| headers.iter().any(|(chosen, _)| *chosen == name);
        for (name, value) in usual.iter().filter(|(name, _)| !chosen(name)).chain(headers) {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let response = self.service.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let calls = response.extensions().get().copied().unwrap_or_default();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Answer { status: parts.status, headers: parts.headers, body, calls }
    }

    /// A new cart of these items; its path.
    pub(crate) async fn cart_of(&self, items: Value) -> (CartId, String) {
        let answer = self.send("POST", "/v2/b2c/carts", json!({ "items": items })).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        let id = CartId::parse(answer.body.as_str().unwrap()).unwrap();
        let path = format!("/v2/b2c/carts/{id}");
        (id, path)
    }

    /// Items in the table of carts, but for the counts of who asked.
    pub(crate) async fn stored_carts(&self) -> i32 {
        let client = engine::client_over(self.engine.clone());
        let found = client.scan().table_name("test-carts").send().await.unwrap();
        let carts = found.items().iter().filter(|item| !item["pk"].as_s().unwrap().contains("#RATE#"));
        i32::try_from(carts.count()).unwrap()
    }
}

pub(crate) fn tickets(quantity: u32) -> Value {
    json!({"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": quantity})
}

impl Answer {
    /// Status and body for a snapshot, with everything random named instead of shown.
    pub(crate) fn shown(&self) -> String {
        let mut body = self.body.clone();
        hide_random(&mut body);
        format!("{}\n{}", self.status, serde_json::to_string_pretty(&body).unwrap())
    }

    /// The error type and the faulty fields.
    pub(crate) fn refusal(&self) -> String {
        let kind = self.body["type"].as_str().unwrap_or_default();
        let details = self.body["details"].as_array().cloned().unwrap_or_default();
        let text = |detail: &Value, name: &str| detail[name].as_str().unwrap_or_default().to_owned();
        let details =
            details.iter().map(|detail| format!("\n{} {}", text(detail, "field"), text(detail, "message")));
        format!("{} {kind}{}", self.status.as_u16(), details.collect::<String>())
    }
}

fn hide_random(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if ["id", "itemId", "tempVisitorId", "requestId"].contains(&name.as_str()) {
                    *value = format!("[{name}]").into();
                } else {
                    hide_random(value);
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(hide_random),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Leaves the number of database calls where the test finds it.
async fn note_calls(request: Request, next: Next) -> Response {
    let calls = Calls::current();
    let mut response = next.run(request).await;
    response.extensions_mut().insert(calls.count());
    response
}

async fn save_tenant(store: &Store, vault: &LocalVault, id: TenantId) {
    let sealed = vault.seal(&hash_key_context(id), &[7; 32]).await.unwrap();
    let tenant = Tenant {
        id,
        name: "Harbor Museum".to_owned(),
        zone: Zone::parse("America/New_York").unwrap(),
        sandbox: true,
        hold_secs: 600,
        allowed_origins: BTreeSet::new(),
        descriptor_prefix: String::new(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        limits: Default::default(),
        member_claims: Default::default(),
        sealed_hash_key: sealed.iter().map(|byte| format!("{byte:02x}")).collect(),
        closed_at: None,
    };
    store.save_tenant(&tenant).await.unwrap();
    let key = ApiKey {
        tenant: id,
        scopes: BTreeSet::from([Scope::B2c]),
        origins: BTreeSet::new(),
        mid: None,
        label: "test".to_owned(),
        revoked: false,
    };
    store.save_api_key(&key_hash(&format!("key-{id}")), &key).await.unwrap();
}

async fn save_catalog(store: &Store) {
    store.save_template(tenant_id(), &template()).await.unwrap();
    let person_type = PersonType {
        id: TicketTypeId::parse(ADULT).unwrap(),
        name: "Adult".to_owned(),
        description: String::new(),
        active: true,
        kind: "individual".to_owned(),
        display_order: 1,
    };
    store.save_person_type(tenant_id(), &person_type).await.unwrap();
    for (id, kind, price, name) in [
        (ADD_ON, InventoryKind::AddOn, 450, "Audio guide"),
        (FIXED_DONATION, InventoryKind::FixedDonation, 2_500, "Friends of the harbor"),
        (DONATION, InventoryKind::Donation, 0, "Restoration fund"),
    ] {
        let item = InventoryItem {
            id: InventoryId::parse(id).unwrap(),
            sku: String::new(),
            name: name.to_owned(),
            description: String::new(),
            kind,
            price: Money::from_cents(price),
            stock: None,
            active: true,
            display_order: 1,
            sales_channels: Vec::new(),
        };
        store.save_inventory(tenant_id(), &item).await.unwrap();
    }
}
