//! A venue on the embedded engine, and requests to its browsing routes.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use domain::ledger::{Ledger, LedgerChange, SlotState};
use domain::schedule::{SlotPlan, SlotWindow, generate};
use domain::tenant::{ApiKey, ProcessorKind, Scope, Tenant};
use domain::{InstanceId, TenantId, Timestamp, Zone};
use engine::Embedded;
use http_body_util::BodyExt;
use platform::processor::SandboxProcessor;
use platform::queue::LocalQueue;
use platform::vault::LocalVault;
use platform::{Adapters, App};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use store::identity::key_hash;
use store::{CallCount, Calls, Consistency, Counted, Store};
use tower::ServiceExt;
use wire::import::{ImportContext, read_document};

/// A venue and its routes.
pub(crate) struct Venue {
    store: Store,
    zone: Zone,
    service: axum::Router,
    slots: Vec<InstanceId>,
}

/// What a request was answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) calls: CallCount,
}

fn tenant_id() -> TenantId {
    TenantId::parse(204).unwrap()
}

/// A template that is published at the ticket price of 18.00, with these fields besides.
pub(crate) fn template(id: &str, fields: Value) -> Value {
    let mut template = json!({
        "id": id,
        "name": "Harbor Gallery Entry",
        "description": "The permanent collection.",
        "reviewState": "Published",
        "startTime": "2027-01-01",
        "duration": {"hour": 2, "minutes": 0},
        "capacity": 50,
        "priceLists": [{"id": format!("{id}-prices"), "name": "Admission", "prices": [
            {"personType": {"id": "adult"}, "price": 18, "displayOrder": 1,
             "salesChannels": [{"name": "Online", "channel": "online", "enabled": true}]},
        ]}],
    });
    let target = template.as_object_mut().unwrap();
    target.extend(fields.as_object().unwrap().clone());
    template
}

/// A schedule at these local times on all days of July.
pub(crate) fn daily(hours: &[(u32, u32)]) -> Value {
    let hours: Vec<Value> =
        hours.iter().map(|(hour, minutes)| json!({"hour": hour, "minutes": minutes})).collect();
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    json!([{"id": "daily", "weekdays": days, "hours": hours}])
}

impl Venue {
    /// A venue in this zone that sells these templates. Slots exist for the year 2027.
    pub(crate) async fn open(zone: &str, templates: Vec<Value>) -> Self {
        let (from, until) = (at("2027-01-01T00:00:00Z"), at("2028-01-01T12:00:00Z"));
        Self::open_between(zone, templates, from, until).await
    }

    /// A venue in this zone that sells these templates, with the slots that start between these instants.
    pub(crate) async fn open_between(
        zone: &str,
        templates: Vec<Value>,
        from: Timestamp,
        until: Timestamp,
    ) -> Self {
        let store = Store::new(engine::client_over(Counted(Embedded::memory().unwrap())), "test-");
        store.create_tables().await.unwrap();
        let zone = Zone::parse(zone).unwrap();
        save_tenant(&store, zone).await;
        let slots = save_catalog(&store, zone, templates, from, until).await;
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::new(LocalVault::in_memory().unwrap()),
            sandbox_processor: Arc::new(SandboxProcessor::new(
                store.clone(),
                Arc::new(|| at("2027-01-01T00:00:00Z")),
            )),
        };
        let app = App::new(store.clone(), adapters);
        let routes: axum::Router<App> = events::router();
        let service = platform::shell::service(routes.layer(from_fn(note_calls)), &app);
        let service = conformance::held(service);
        let venue = Self { store, zone, service, slots };
        // The caches are filled, as they are while a function is warm.
        let _ = venue.get("2027-01-01T00:00:00Z", "/v2/b2c/event/templates").await;
        venue
    }

    /// The answer to a shopper who asks at this time.
    pub(crate) async fn get(&self, now: &str, path: &str) -> Answer {
        let request = Request::builder()
            .uri(path)
            .header("x-service-api-key", "key-204")
            .header("x-b2c-tenant-id", "204")
            .header("x-service-test-now", now)
            .body(Body::empty())
            .unwrap();
        let response = self.service.clone().oneshot(request).await.unwrap();
        let calls = response.extensions().get().copied().unwrap_or_default();
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        Answer { status, body: serde_json::from_slice(&bytes).unwrap_or_default(), calls }
    }

    /// Sells all seats of the slot that starts then.
    pub(crate) async fn sell_out(&self, start: &str) {
        let start = self.zone.parse_instant(start).unwrap();
        let slot = self.slots.iter().find(|slot| slot.start() == start).unwrap();
        let change = LedgerChange { free: -50, sold: 50, takes_seats: true, ..LedgerChange::default() };
        self.store.change_ledger(tenant_id(), slot, &change, start).await.unwrap().unwrap();
    }

    /// Every slot, in order of its start, with so many of its seats sold as `sold` says by its place.
    pub(crate) async fn sell(&self, sold: impl Fn(usize, &Ledger) -> u32) -> Vec<Ledger> {
        let mut ledgers = Vec::new();
        for slot in &self.slots {
            let found = self.store.load_ledger(tenant_id(), slot, Consistency::Strong).await.unwrap();
            ledgers.push(found.unwrap());
        }
        ledgers.sort_by_key(|ledger| (ledger.start, ledger.instance));
        for (place, ledger) in ledgers.iter_mut().enumerate() {
            let seats = sold(place, ledger).min(ledger.free);
            ledger.free -= seats;
            ledger.sold += seats;
            let count = i64::from(seats);
            let change =
                LedgerChange { free: -count, sold: count, takes_seats: true, ..LedgerChange::default() };
            let changed =
                self.store.change_ledger(tenant_id(), &ledger.instance, &change, ledger.start).await;
            changed.unwrap().unwrap();
        }
        ledgers
    }
}

impl Answer {
    /// The start times of a list of event times.
    pub(crate) fn starts(&self) -> Vec<&str> {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body.as_array().unwrap().iter().map(|time| time["startTime"].as_str().unwrap()).collect()
    }

    /// The ids of a list.
    pub(crate) fn ids(&self) -> Vec<&str> {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body.as_array().unwrap().iter().map(|found| found["id"].as_str().unwrap()).collect()
    }

    /// The days of a calendar, those with a seat marked by a star.
    pub(crate) fn days(&self) -> Vec<String> {
        assert_eq!(self.status, 200, "{}", self.body);
        let day = |day: &Value| {
            let star = if day["active"] == true { "*" } else { "" };
            format!("{}{star}", day["date"].as_str().unwrap().split('T').next().unwrap())
        };
        self.body["days"].as_array().unwrap().iter().map(day).collect()
    }

    /// Status, type and details of a refusal.
    pub(crate) fn refusal(&self) -> String {
        let details = self.body["details"].as_array().cloned().unwrap_or_default();
        let lines = details.iter().map(|detail| {
            format!("\n{} {}", detail["field"].as_str().unwrap(), detail["message"].as_str().unwrap())
        });
        format!("{} {}{}", self.status, self.body["type"].as_str().unwrap(), lines.collect::<String>())
    }
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn save_tenant(store: &Store, zone: Zone) {
    let tenant = Tenant {
        id: tenant_id(),
        name: "Harbor Museum".to_owned(),
        zone,
        sandbox: true,
        hold_secs: 600,
        allowed_origins: BTreeSet::new(),
        descriptor_prefix: String::new(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        limits: Default::default(),
        member_claims: Default::default(),
        sealed_hash_key: String::new(),
        closed_at: None,
    };
    store.save_tenant(&tenant).await.unwrap();
    let api_key = ApiKey {
        tenant: tenant.id,
        scopes: BTreeSet::from([Scope::B2c]),
        origins: BTreeSet::new(),
        mid: None,
        label: "Storefront".to_owned(),
        revoked: false,
    };
    store.save_api_key(&key_hash("key-204"), &api_key).await.unwrap();
}

async fn save_catalog(
    store: &Store,
    zone: Zone,
    templates: Vec<Value>,
    from: Timestamp,
    until: Timestamp,
) -> Vec<InstanceId> {
    let document = json!({
        "personTypes": [{"id": "adult", "name": "Adult", "description": "18 and over", "displayOrder": 1}],
        "eventTemplates": templates,
    });
    let context =
        ImportContext { zone, now: at("2027-01-01T00:00:00Z"), known: wire::catalog::Known::default() };
    let records = read_document(&document.to_string()).unwrap().read(context);
    assert_eq!(records.faults, vec![]);
    for person_type in &records.person_types {
        store.save_person_type(tenant_id(), person_type).await.unwrap();
    }
    let mut created = Vec::new();
    for template in records.templates.iter().map(|written| &written.template) {
        store.save_template(tenant_id(), template).await.unwrap();
        let facts = template.facts();
        let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone };
        let window = SlotWindow { from, until, after: None };
        let slots = generate(plan, window, NonZeroUsize::new(8_100).unwrap()).unwrap().slots;
        let ledger = |slot: &domain::schedule::Slot| Ledger {
            instance: slot.id,
            template: template.id.clone(),
            schedule: slot.schedule.clone(),
            shard: 0,
            start: slot.start,
            end: slot.end,
            state: SlotState::Active,
            size: slot.capacity,
            free: slot.capacity,
            sold: 0,
            holds: BTreeMap::new(),
            edited: false,
        };
        let ledgers: Vec<Ledger> = slots.iter().map(ledger).collect();
        for ledger in &ledgers {
            store.create_ledger(tenant_id(), ledger).await.unwrap();
        }
        created.extend(slots.iter().map(|slot| slot.id));
    }
    created
}

/// Leaves the number of database calls where the test finds it.
async fn note_calls(request: Request, next: Next) -> Response {
    let before = Calls::current().count();
    let mut response = next.run(request).await;
    let after = Calls::current().count();
    let count = CallCount { rounds: after.rounds - before.rounds, total: after.total - before.total };
    response.extensions_mut().insert(count);
    response
}
