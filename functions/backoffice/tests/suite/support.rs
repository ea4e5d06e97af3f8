//! Two tenants without a catalog, and requests to their back office.

use axum::Router;
use axum::body::Body;
use domain::tenant::{ApiKey, DEFAULT_HOLD_SECS, ProcessorKind, Scope, Tenant};
use domain::{TenantId, Timestamp, Zone};
use engine::{Embedded, FaultPlan, Faulty};
use http_body_util::BodyExt;
use platform::processor::SandboxProcessor;
use platform::queue::LocalQueue;
use platform::vault::{LocalVault, Vault};
use platform::{Adapters, App, IdSource};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::Store;
use tower::ServiceExt;

pub(crate) const T0: &str = "2027-05-01T10:00:00-04:00";

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

    /// The fields complained about.
    pub(crate) fn pointers(&self) -> Vec<String> {
        let details = self.body["details"].as_array().into_iter().flatten();
        details.map(|detail| detail["field"].as_str().unwrap().to_owned()).collect()
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
    now: &'static str,
}

fn ask(method: &'static str, path: impl Into<String>, body: Option<Value>) -> Ask {
    Ask { method, path: path.into(), body, api_key: "key-1", idempotency: None, if_match: None, now: T0 }
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

    pub(crate) fn at(mut self, now: &'static str) -> Self {
        self.now = now;
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
                let hash = store::identity::key_hash(&format!("{name}-{number}"));
                store.save_api_key(&hash, &key).await.unwrap();
            }
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
        let routes: [axum::Router<App>; 3] = [backoffice::router(), reservations::router(), events::router()];
        let routes = routes.into_iter().fold(axum::Router::new(), axum::Router::merge);
        let router = conformance::held(platform::shell::service(routes, &app));
        let venue = Self { router, app, store, faults };
        // The first request fills the caches of keys and secrets.
        venue.send(put("/v2/b2b/persontypes/none", json!({}))).await;
        venue
    }

    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        let mut request = http::Request::builder()
            .method(ask.method)
            .uri(ask.path)
            .header("x-service-api-key", ask.api_key)
            .header("x-service-test-now", ask.now);
        if ask.api_key.starts_with("shop") {
            request = request.header("x-b2c-tenant-id", "1");
        }
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

    /// Does the scheduled work at an instant, which is real time for it.
    pub(crate) async fn clean_up(&self, now: &str) -> cleanup::Report {
        let now: Timestamp = now.parse().unwrap();
        let app = self.app.clone().simulated(Arc::new(move || now), IdSource::default());
        cleanup::pass(&app, cleanup::Scope::Sandbox, now).await.unwrap()
    }

    /// Sends a request and counts its database calls as the engine's wrapper sees them.
    pub(crate) async fn counted(&self, ask: Ask) -> (Answer, usize) {
        let before = self.faults.calls().len();
        let answer = self.send(ask).await;
        (answer, self.faults.calls().len() - before)
    }
}

/// Creates a record and says its id.
pub(crate) async fn made(venue: &Venue, path: &str, body: Value) -> String {
    venue.send(post(path, body)).await.id()
}

/// Checks that a body which is right but for some fields is refused with these complaints, both as a new record
/// and in place of one that is there, and that nothing is changed by it.
pub(crate) async fn assert_refused(
    venue: &Venue,
    list: &str,
    one: &str,
    right: &Value,
    wrong: &Value,
    expected: &[&str],
) {
    let mut body = right.clone();
    for (name, value) in wrong.as_object().unwrap() {
        body[name] = value.clone();
    }
    let before = (venue.send(get(list)).await.body, venue.send(get(one)).await.body);
    for ask in [post(list, body.clone()), put(one, body.clone())] {
        let refused = venue.send(ask).await;
        let kind = if expected.iter().all(|fault| fault.ends_with("was not found")) { 404 } else { 400 };
        assert_eq!(
            (refused.status, refused.faults()),
            (kind, expected.iter().map(ToString::to_string).collect()),
            "{wrong}"
        );
    }
    assert_eq!((venue.send(get(list)).await.body, venue.send(get(one)).await.body), before);
}

/// What is in a body but the id.
pub(crate) fn without_id(body: &Value) -> Value {
    let mut body = body.clone();
    body.as_object_mut().unwrap().remove("id");
    body
}
