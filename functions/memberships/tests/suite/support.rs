//! Two tenants without a catalog, and requests to their back office.

use axum::Router;
use axum::body::Body;
use domain::membership::Membership;
use domain::tenant::{ApiKey, DEFAULT_HOLD_SECS, ProcessorKind, Scope, Tenant};
use domain::{TenantId, Timestamp, Zone};
use engine::{Embedded, FaultPlan, Faulty};
use http_body_util::BodyExt;
use platform::processor::SandboxProcessor;
use platform::queue::LocalQueue;
use platform::room::CatalogLimits;
use platform::vault::{LocalVault, Vault};
use platform::{Adapters, App};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::Store;
use tower::ServiceExt;

const T0: &str = "2027-05-01T10:00:00-04:00";

#[derive(Clone)]
pub(crate) struct Venue {
    router: Router,
    app: App,
    /// The database as no fault touches it.
    pub(crate) store: Store,
    pub(crate) faults: FaultPlan,
}

/// An answer: status, headers of interest, body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) replayed: bool,
    pub(crate) etag: Option<String>,
    pub(crate) body: Value,
}

impl Answer {
    /// The body of a success.
    pub(crate) fn done(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    pub(crate) fn id(&self) -> String {
        assert_eq!(self.status, 200, "{}", self.body);
        let id = &self.body["id"];
        id.as_str().map_or_else(|| id.to_string(), str::to_owned)
    }

    pub(crate) fn tag(&self) -> &str {
        self.etag.as_deref().unwrap()
    }

    pub(crate) fn kind(&self) -> (u16, &str) {
        (self.status, self.body["type"].as_str().unwrap_or("none"))
    }

    /// The fields complained about, each with what is said of it.
    pub(crate) fn faults(&self) -> Vec<String> {
        let details = self.body["details"].as_array().into_iter().flatten();
        let text = |detail: &Value| {
            format!("{} {}", detail["field"].as_str().unwrap(), detail["message"].as_str().unwrap())
        };
        details.map(text).collect()
    }

    /// What the entries of a list have under a name.
    pub(crate) fn column(&self, name: &str) -> Vec<Value> {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["list"].as_array().unwrap().iter().map(|entry| entry[name].clone()).collect()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Ask {
    method: &'static str,
    path: String,
    body: Option<Value>,
    api_key: &'static str,
    idempotency: Option<String>,
    if_match: Option<String>,
    now: String,
}

fn ask(method: &'static str, path: impl Into<String>, body: Option<Value>) -> Ask {
    let (idempotency, if_match) = (None, None);
    Ask { method, path: path.into(), body, api_key: "key-1", idempotency, if_match, now: T0.to_owned() }
}

pub(crate) fn get(path: impl Into<String>) -> Ask {
    ask("GET", path, None)
}

pub(crate) fn post(path: impl Into<String>, body: Value) -> Ask {
    ask("POST", path, Some(body))
}

pub(crate) fn put(path: impl Into<String>, body: Value) -> Ask {
    ask("PUT", path, Some(body))
}

pub(crate) fn delete(path: impl Into<String>) -> Ask {
    ask("DELETE", path, None)
}

impl Ask {
    pub(crate) fn keyed(mut self, key: &str) -> Self {
        self.idempotency = Some(key.to_owned());
        self
    }

    pub(crate) fn by(mut self, api_key: &'static str) -> Self {
        self.api_key = api_key;
        self
    }

    /// At noon of a day.
    pub(crate) fn at(mut self, day: &str) -> Self {
        self.now = format!("{day}T12:00:00-04:00");
        self
    }

    pub(crate) fn if_match(mut self, tag: &str) -> Self {
        self.if_match = Some(tag.to_owned());
        self
    }
}

pub(crate) fn tenant_id(number: i64) -> TenantId {
    TenantId::parse(number).unwrap()
}

fn router(app: &App) -> Router {
    let routes: [axum::Router<App>; 2] = [memberships::router(), backoffice::router()];
    let routes = routes.into_iter().fold(axum::Router::new(), axum::Router::merge);
    conformance::held(platform::shell::service(routes, app))
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
            let key = ApiKey {
                tenant: id,
                scopes: [Scope::B2b].into(),
                origins: BTreeSet::new(),
                mid: None,
                label: "Back office".to_owned(),
                revoked: false,
            };
            let hash = store::identity::key_hash(&format!("key-{number}"));
            store.save_api_key(&hash, &key).await.unwrap();
        }
        let client = Faulty::new(engine, faults.clone()).client();
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::new(vault),
            sandbox_processor: Arc::new(SandboxProcessor::new(
                store.clone(),
                Arc::new(|| Timestamp::UNIX_EPOCH),
            )),
        };
        let app = App::new(Store::new(client, "test-"), adapters);
        let router = router(&app);
        let venue = Self { router, app, store, faults };
        // The first request fills the caches of keys and secrets.
        venue.send(put("/v2/b2b/persontypes/none", json!({}))).await;
        venue
    }

    /// The same venue, served with other limits.
    pub(crate) fn within(self, limits: CatalogLimits) -> Self {
        let app = self.app.with_limits(limits);
        Self { router: router(&app), app, ..self }
    }

    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        let mut request = http::Request::builder()
            .method(ask.method)
            .uri(ask.path)
            .header("x-service-api-key", ask.api_key)
            .header("x-service-test-now", ask.now);
        for (name, value) in [("idempotency-key", ask.idempotency), ("if-match", ask.if_match)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let body = ask.body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let replayed = response.headers().contains_key("x-service-replayed");
        let etag = response.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        Answer { status, replayed, etag, body: serde_json::from_slice(&bytes).unwrap_or_default() }
    }

    /// Sends a request and counts its database calls as the engine's wrapper sees them.
    pub(crate) async fn counted(&self, ask: Ask) -> (Answer, usize) {
        let before = self.faults.calls().len();
        let answer = self.send(ask).await;
        (answer, self.faults.calls().len() - before)
    }
}

/// Stores a membership of the first tenant: number, second of its making and last change, and what else differs.
pub(crate) async fn save_membership(venue: &Venue, number: i64, second: i64, fields: Value) -> Membership {
    let at = domain::time::plus_secs("2027-04-01T00:00:00Z".parse().unwrap(), second);
    let mut membership = json!({
        "id": 1_000 + number, "number": number, "level": "crew", "offering": "year", "price_point": "adult",
        "joined": "2027-01-01T05:00:00Z", "started": "2027-01-01T05:00:00Z", "expires": "2028-01-01T04:59:59Z",
        "created_at": at, "updated_at": at, "updated_by": "Import",
        "cards": [card(10_000 + number, json!({}))],
    });
    membership.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let membership: Membership = serde_json::from_value(membership).unwrap();
    // A token names one content.
    let token = store::authored::revision_of(&membership).unwrap();
    venue.store.save_membership(tenant_id(1), &token, &membership).await.unwrap();
    membership
}

/// A card with this id, and what else differs.
pub(crate) fn card(id: i64, fields: Value) -> Value {
    let mut card = json!({
        "id": id, "card_type": "primary", "barcode": format!("B{id}"),
        "person": {"first_name": "Ada", "last_name": format!("Lovelace{id}"), "email": format!("ada{id}@example.test")},
    });
    card.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    card
}

/// Creates a record and says its id.
pub(crate) async fn made(venue: &Venue, path: &str, body: Value) -> String {
    venue.send(post(path, body)).await.id()
}
