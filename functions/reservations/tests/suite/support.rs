//! A venue with slots, and requests to it.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use domain::ledger::{Ledger, SlotState};
use domain::tenant::{ApiKey, DEFAULT_HOLD_SECS, ProcessorKind, Scope, Tenant};
use domain::time::plus_secs;
use domain::{InstanceId, Template, TemplateId, TenantId, Timestamp, Zone};
use engine::{Embedded, FaultPlan, Faulty};
use http_body_util::BodyExt;
use platform::processor::SandboxProcessor;
use platform::queue::LocalQueue;
use platform::vault::{LocalVault, Vault};
use platform::{Adapters, App};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{CallCount, Calls, Consistency, Counted, Store};
use tower::ServiceExt;

pub(crate) const T0: &str = "2027-05-01T10:00:00-04:00";
const TEMPLATE: &str = "6f2e91b0c47d5a3e18b90f42";

pub(crate) struct Venue {
    router: Router,
    /// The database as no fault touches it.
    pub(crate) store: Store,
    pub(crate) faults: FaultPlan,
}

/// An answer: status, headers of interest, body.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) replayed: bool,
    pub(crate) body: Value,
    pub(crate) calls: CallCount,
}

impl Answer {
    pub(crate) fn id(&self) -> i64 {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["id"].as_i64().unwrap()
    }

    pub(crate) fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap_or("none")
    }

    /// The body without what differs from run to run.
    pub(crate) fn stable(&self) -> Value {
        let mut body = self.body.clone();
        for name in ["requestId", "id"] {
            if let Some(value) = body.get_mut(name) {
                *value = "…".into();
            }
        }
        for item in body.get_mut("reservationItems").and_then(Value::as_array_mut).into_iter().flatten() {
            item["id"] = "…".into();
            item["reservationId"] = "…".into();
        }
        body
    }
}

pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    pub(crate) key: &'a str,
    pub(crate) now: String,
    pub(crate) idempotency: Option<&'a str>,
}

pub(crate) fn ask(method: &str, path: impl Into<String>, body: Value) -> Ask<'_> {
    let body = (!body.is_null()).then_some(body);
    Ask { method, path: path.into(), body, key: "key-1", now: T0.to_owned(), idempotency: None }
}

impl<'a> Ask<'a> {
    pub(crate) fn at(mut self, secs: i64) -> Self {
        self.now = plus_secs(T0.parse().unwrap(), secs).to_rfc3339();
        self
    }

    pub(crate) fn keyed(mut self, key: &'a str) -> Self {
        self.idempotency = Some(key);
        self
    }

    pub(crate) fn by(mut self, key: &'a str) -> Self {
        self.key = key;
        self
    }
}

/// `POST` of these events and quantities.
pub(crate) fn post<'a>(lines: &[(InstanceId, u32)]) -> Ask<'a> {
    let line =
        |(slot, quantity): &(InstanceId, u32)| json!({"eventId": slot.to_string(), "quantity": quantity});
    let lines: Vec<Value> = lines.iter().map(line).collect();
    ask("POST", "/v2/b2b/reservations", json!({ "reservationItems": lines }))
}

/// `PUT` of these events and quantities.
pub(crate) fn put<'a>(id: i64, lines: &[(InstanceId, u32)]) -> Ask<'a> {
    let mut put = Ask { method: "PUT", ..post(lines) };
    put.body.as_mut().unwrap()["id"] = id.into();
    put
}

pub(crate) fn get<'a>(id: i64) -> Ask<'a> {
    ask("GET", format!("/v2/b2b/reservations/{id}"), Value::Null)
}

pub(crate) fn delete<'a>(id: i64) -> Ask<'a> {
    Ask { method: "DELETE", ..get(id) }
}

pub(crate) fn tenant_id(number: i64) -> TenantId {
    TenantId::parse(number).unwrap()
}

fn template() -> Template {
    serde_json::from_value(json!({
        "id": TEMPLATE, "kind": "private", "name": "Tour", "description": "", "short_description": "",
        "start": "2027-05-01T00:00:00Z", "review_state": "Published", "duration_minutes": 60, "capacity": 5,
        "last_updated": "2027-04-01T00:00:00Z",
    }))
    .unwrap()
}

impl Venue {
    pub(crate) async fn open() -> Self {
        let (engine, faults) = (Embedded::memory().unwrap(), FaultPlan::new());
        let store = Store::new(engine.client(), "test-");
        store.create_tables().await.unwrap();
        let vault = LocalVault::in_memory().unwrap();
        for (number, secret) in [(1, [7; 32]), (2, [8; 32])] {
            let id = tenant_id(number);
            let sealed = vault.seal(&platform::app::hash_key_context(id), &secret).await.unwrap();
            let tenant = Tenant {
                id,
                name: "Harbor Museum".to_owned(),
                zone: Zone::parse("America/New_York").unwrap(),
                sandbox: true,
                hold_secs: DEFAULT_HOLD_SECS,
                allowed_origins: BTreeSet::new(),
                descriptor_prefix: String::new(),
                processor: ProcessorKind::Sandbox,
                mail_from: None,
                consumer_site: None,
                limits: Default::default(),
                member_claims: Default::default(),
                sealed_hash_key: hex::encode(sealed),
                closed_at: None,
            };
            store.save_tenant(&tenant).await.unwrap();
            for (name, scope) in [("key", Scope::B2b), ("shop", Scope::B2c)] {
                let key = ApiKey {
                    tenant: id,
                    scopes: [scope].into(),
                    origins: BTreeSet::new(),
                    mid: None,
                    label: String::new(),
                    revoked: false,
                };
                let text = format!("{name}-{number}");
                store.save_api_key(&store::identity::key_hash(&text), &key).await.unwrap();
            }
        }
        store.save_template(tenant_id(1), &template()).await.unwrap();
        let client = engine::client_over(Counted(Faulty::new(engine, faults.clone())));
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::new(vault),
            sandbox_processor: Arc::new(SandboxProcessor::new(
                store.clone(),
                Arc::new(|| Timestamp::UNIX_EPOCH),
            )),
        };
        let app = App::new(Store::new(client, "test-"), adapters);
        let routes: axum::Router<App> = reservations::router();
        let router = platform::shell::service(routes.layer(from_fn(note_calls)), &app);
        let router = conformance::held(router);
        let venue = Self { router, store, faults };
        // The first request fills the caches of keys and definitions.
        venue.send(ask("POST", "/v2/b2b/reservations", json!({"reservationItems": []})).keyed("warm")).await;
        venue
    }

    /// A slot of this many seats that starts so many hours after [`T0`].
    pub(crate) async fn slot(&self, hours: i64, size: u32) -> InstanceId {
        self.slot_in(SlotState::Active, hours, size).await
    }

    pub(crate) async fn slot_in(&self, state: SlotState, hours: i64, size: u32) -> InstanceId {
        let template = TemplateId::parse(TEMPLATE).unwrap();
        let start = plus_secs(T0.parse().unwrap(), hours * 3_600);
        let instance = InstanceId::of(&template, None, start.naive_utc(), start).unwrap();
        let ledger = Ledger {
            instance,
            template,
            schedule: None,
            shard: 0,
            start,
            end: plus_secs(start, 3_600),
            state,
            size,
            free: size,
            sold: 0,
            holds: BTreeMap::new(),
            edited: false,
        };
        self.store.create_ledger(tenant_id(1), &ledger).await.unwrap();
        instance
    }

    pub(crate) async fn ledger(&self, slot: InstanceId) -> Ledger {
        let found = self.store.load_ledger(tenant_id(1), &slot, Consistency::Strong).await.unwrap();
        let found = found.unwrap();
        assert!(found.is_sound(), "{found:?}");
        found
    }

    pub(crate) async fn free(&self, slot: InstanceId) -> u32 {
        self.ledger(slot).await.free
    }

    pub(crate) async fn send(&self, ask: Ask<'_>) -> Answer {
        let mut request = http::Request::builder()
            .method(ask.method)
            .uri(ask.path)
            .header("x-service-api-key", ask.key)
            .header("x-service-test-now", ask.now);
        if let Some(key) = ask.idempotency {
            request = request.header("idempotency-key", key);
        }
        let body = ask.body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let calls = response.extensions().get().copied().unwrap_or_default();
        let replayed = response.headers().contains_key("x-service-replayed");
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        Answer { status, replayed, body: serde_json::from_slice(&bytes).unwrap_or_default(), calls }
    }
}

/// Leaves the number of database calls where the test finds it.
async fn note_calls(request: Request, next: Next) -> Response {
    let calls = Calls::current();
    let mut response = next.run(request).await;
    response.extensions_mut().insert(calls.count());
    response
}
