//! Two tenants with a partner each, and requests of these.

use axum::Router;
use axum::body::Body;
use cleanup::Report;
use domain::merchant::Merchant;
use domain::tenant::{ApiKey, DEFAULT_HOLD_SECS, ProcessorKind, Scope, Tenant};
use domain::{TenantId, Timestamp, Zone};
use engine::{Embedded, Fault, FaultPlan, Faulty, Throttling};
use http_body_util::BodyExt;
use platform::processor::SandboxProcessor;
use platform::queue::LocalQueue;
use platform::vault::{LocalVault, Vault};
use platform::{Adapters, App};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Consistency, Item, Store};
use tower::ServiceExt;

pub(crate) const T0: &str = "2027-05-01T10:00:00-04:00";
pub(crate) const REF: &str = "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318";
pub(crate) const PATH: &str = "/v1/payment/onboard";
const PREFIX: &str = "test-";
/// What may happen to a transaction whose caller goes on.
pub(crate) const FAULTS: [Fault; 3] =
    [Fault::AnswerLost, Fault::Throttle(Throttling::Account), Fault::TransactionConflict];

#[derive(Clone)]
pub(crate) struct Venue {
    router: Router,
    app: App,
    engine: Embedded,
    vault: Arc<dyn Vault>,
    /// The database as no fault touches it.
    pub(crate) store: Store,
    pub(crate) faults: FaultPlan,
}

/// An answer: status, headers of interest, body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) replayed: bool,
    pub(crate) request_id: String,
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Answer {
    /// The body of a success.
    pub(crate) fn done(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    pub(crate) fn kind(&self) -> (u16, &str) {
        (self.status, self.body["type"].as_str().unwrap_or("none"))
    }

    /// Field and rule of each entry of `errorInfo`.
    pub(crate) fn errors(&self) -> Vec<String> {
        let entries = self.body["errorInfo"].as_array().into_iter().flatten();
        let text = |entry: &Value| {
            format!("{} {}", entry["field"].as_str().unwrap(), entry["rule"].as_str().unwrap())
        };
        entries.map(text).collect()
    }

    pub(crate) fn status_of_merchant(&self) -> &str {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["status"].as_str().unwrap()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Ask {
    method: &'static str,
    path: String,
    body: Option<String>,
    key: &'static str,
    idempotency: Option<String>,
    now: Option<&'static str>,
}

fn ask(method: &'static str, path: impl Into<String>, body: Option<String>) -> Ask {
    Ask { method, path: path.into(), body, key: "partner-1", idempotency: None, now: Some(T0) }
}

pub(crate) fn get() -> Ask {
    ask("GET", format!("{PATH}/{REF}"), None)
}

pub(crate) fn post(body: &Value) -> Ask {
    ask("POST", PATH, Some(body.to_string()))
}

pub(crate) fn patch(body: &Value) -> Ask {
    ask("PATCH", format!("{PATH}/{REF}"), Some(body.to_string()))
}

pub(crate) fn validate(body: &Value) -> Ask {
    ask("POST", format!("{PATH}/validate"), Some(body.to_string()))
}

impl Ask {
    pub(crate) fn keyed(mut self, key: &str) -> Self {
        self.idempotency = Some(key.to_owned());
        self
    }

    pub(crate) fn by(mut self, key: &'static str) -> Self {
        self.key = key;
        self
    }

    pub(crate) fn to(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    pub(crate) fn raw(mut self, body: &str) -> Self {
        self.body = Some(body.to_owned());
        self
    }

    /// Under another clock.
    pub(crate) fn at(mut self, now: &'static str) -> Self {
        self.now = Some(now);
        self
    }

    /// Under real time instead of a clock of its own.
    pub(crate) fn in_real_time(mut self) -> Self {
        self.now = None;
        self
    }
}

pub(crate) fn tenant_id(number: i64) -> TenantId {
    TenantId::parse(number).unwrap()
}

/// An application that breaks no rule.
pub(crate) fn application() -> Value {
    json!({
        "boardingRefId": REF, "billingDescriptor": "HARBOR*MUSEUM", "businessLegalName": "Harbor Museum, Inc",
        "dbaName": "Harbor Museum", "businessType": "Retail", "businessOwnershipType": "LLC",
        "merchantCategoryCode": "7991", "taxId": "987654321", "businessEstablishedDate": "1998-02-28",
        "businessWebsiteUrl": "https://harbor.example/tickets",
        "businessAddresses": [{
            "type": "Physical", "addressLine1": "1 Pier #4", "city": "New York", "country": "US", "state": "NY",
            "postalCode": "10004",
        }],
        "businessBankAccount": {
            "accountNumber": "55501234567", "accountType": "Checking", "achType": "CommercialChecking",
            "routingNumber": "021000021",
        },
        "businessContacts": [{
            "type": "Primary", "email": "ines@harbor.example", "firstName": "Ines", "lastName": "Okafor",
            "phoneNumber": "2125550101",
        }],
        "businessOwners": [{
            "type": "ControlOwner", "firstName": "Zoe", "lastName": "Lindqvist", "ssn": "123456789",
            "dateOfBirth": "1980-05-17", "businessOwnershipPercentage": 40, "addressLine1": "4 Pier Road",
            "city": "New York", "state": "NY", "country": "US", "postalCode": "10004",
            "identification": [{"idType": "Passport", "idNumber": "X7654321Z", "issuedCountry": "US"}],
        }],
    })
}

/// The application with another value in a field.
pub(crate) fn application_with(field: &str, value: Value) -> Value {
    let mut body = application();
    body[field] = value;
    body
}

impl Venue {
    pub(crate) async fn open() -> Self {
        Self::over(Arc::new(LocalVault::in_memory().unwrap())).await
    }

    pub(crate) async fn over(vault: Arc<dyn Vault>) -> Self {
        let engine = Embedded::memory().unwrap();
        let store = Store::new(engine.client(), PREFIX);
        store.create_tables().await.unwrap();
        for (number, secret, sandbox) in [(1, [7; 32], true), (2, [8; 32], true), (3, [9; 32], false)] {
            let id = tenant_id(number);
            let sealed = vault.seal(&platform::app::hash_key_context(id), &secret).await.unwrap();
            let tenant = Tenant {
                id,
                name: "Harbor Museum".to_owned(),
                zone: Zone::parse("America/New_York").unwrap(),
                sandbox,
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
            for (name, scope) in [("partner", Scope::Onboard), ("staff", Scope::B2b)] {
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
        Self::process(engine, vault).await
    }

    /// Another process over the same tables, with a vault of its own.
    pub(crate) async fn with_vault(&self, vault: Arc<dyn Vault>) -> Self {
        Self::process(self.engine.clone(), vault).await
    }

    /// Another process over the same tables, whose calls meet faults of its own.
    pub(crate) async fn again(&self) -> Self {
        Self::process(self.engine.clone(), Arc::clone(&self.vault)).await
    }

    async fn process(engine: Embedded, vault: Arc<dyn Vault>) -> Self {
        let faults = FaultPlan::new();
        let store = Store::new(engine.client(), PREFIX);
        let client = Faulty::new(engine.clone(), faults.clone()).client();
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::clone(&vault),
            sandbox_processor: Arc::new(SandboxProcessor::new(
                store.clone(),
                Arc::new(|| Timestamp::UNIX_EPOCH),
            )),
        };
        let app = App::new(Store::new(client, PREFIX), adapters);
        let router = conformance::held(platform::shell::service(onboarding::router(), &app));
        let venue = Self { router, app, engine, vault, store, faults };
        // The first request fills the caches of keys and secrets.
        venue.send(get()).await;
        venue
    }

    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        let mut request = http::Request::builder()
            .method(ask.method)
            .uri(ask.path)
            .header("x-service-payment-key", ask.key);
        if let Some(now) = ask.now {
            request = request.header("x-service-test-now", now);
        }
        if let Some(value) = ask.idempotency {
            request = request.header("idempotency-key", value);
        }
        let body = ask.body.map_or_else(Body::empty, Body::from);
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let status = parts.status.as_u16();
        let header = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        let replayed = header("x-service-replayed").is_some();
        let request_id = header("x-service-request-id").unwrap_or_default();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Answer { status, replayed, request_id, body, text }
    }

    /// Sends a request and counts its database calls as the engine's wrapper sees them.
    pub(crate) async fn counted(&self, ask: Ask) -> (Answer, usize) {
        let before = self.faults.calls().len();
        let answer = self.send(ask).await;
        (answer, self.faults.calls().len() - before)
    }

    /// One pass of the scheduled work, with that clock.
    pub(crate) async fn pass(&self, scope: cleanup::Scope, now: &str) -> Report {
        cleanup::pass(&self.app, scope, now.parse().unwrap()).await.unwrap()
    }

    /// The same by a process that may die on the way.
    pub(crate) async fn try_pass(&self, scope: cleanup::Scope, now: &str) -> Option<Report> {
        cleanup::pass(&self.app, scope, now.parse().unwrap()).await.ok()
    }

    pub(crate) async fn merchants(&self) -> Vec<Merchant> {
        self.store.load_merchants(tenant_id(1), Consistency::Strong).await.unwrap()
    }

    /// Every item of a table, as it is stored.
    pub(crate) async fn scan(&self, table: &str) -> Vec<Item> {
        let scanned =
            self.engine.client().scan().table_name(format!("{PREFIX}{table}")).send().await.unwrap();
        scanned.items.unwrap_or_default()
    }
}
