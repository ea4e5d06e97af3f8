//! A venue with members on the embedded engine, and requests about their carts.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use domain::cart::{Cart, PricedLines};
use domain::cart_request::CartTerms;
use domain::catalog::PersonType;
use domain::coupon::Discount;
use domain::entitlement::{Entitlements, Tally};
use domain::ledger::Ledger;
use domain::membership::{Level, Membership};
use domain::tenant::{ApiKey, Scope, Tenant};
use domain::time::plus_secs;
use domain::{CartId, InstanceId, Money, Template, TenantId, Timestamp};
use engine::Embedded;
use http::StatusCode;
use http_body_util::BodyExt;
use platform::processor::SandboxProcessor;
use platform::queue::LocalQueue;
use platform::vault::LocalVault;
use platform::{Adapters, App};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use store::identity::key_hash;
use store::{Action, CallCount, Calls, Counted, Expression, Key, Store, number};
use tower::ServiceExt;

pub(crate) const TEMPLATE: &str = "6f2e91b0c47d5a3e18b90f42";
pub(crate) const ADULT: &str = "66d1b2f0a93c4e517720bb01";
pub(crate) const CHILD: &str = "66d1b2f0a93c4e517720bb02";
pub(crate) const LEVEL: &str = "65c7d8e9f0a1b2c3d4e5f607";
pub(crate) const MEMBERSHIP: i64 = 4_820_117;
pub(crate) const NUMBER: i64 = 391_150_274;
/// The line of a stored cart.
pub(crate) const LINE: &str = "e4b1f7a0c2d94c5fa8e6137b90d2c516";
pub(crate) const ORIGIN: &str = "https://tickets.example.test";

pub(crate) fn tenant_id() -> TenantId {
    TenantId::parse(204).unwrap()
}

/// Tuesday, 1 June 2027, 10:00 in New York; two days before the first slot starts.
pub(crate) fn now() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

fn start(slot: i64) -> Timestamp {
    plus_secs(now(), 2 * 86_400 + slot * 3_600)
}

/// A slot that staff moved to the day after.
pub(crate) const MOVED: i64 = 2;

/// The id of the slot so many hours after the first; the first three have ledgers.
pub(crate) fn slot(number: i64) -> InstanceId {
    let template = domain::TemplateId::parse(TEMPLATE).unwrap();
    InstanceId::of(&template, None, start(number).naive_utc(), start(number)).unwrap()
}

fn read<T: DeserializeOwned>(stored: Value) -> T {
    serde_json::from_value(stored).unwrap()
}

/// What the venue's rules and limits are, in their stored form.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) rules: Value,
    pub(crate) limits: Value,
    pub(crate) max_tickets: Option<u32>,
}

impl Rules {
    /// Four adults and children together on one day.
    pub(crate) fn usual() -> Self {
        let rule = json!({
            "id": "Adult_Child_Limit_4", "levels": [LEVEL], "price_points": [ADULT, CHILD], "limit": 4,
            "applies": "acrossAllItems", "period": "day",
        });
        Self { rules: json!([rule]), limits: json!({}), max_tickets: None }
    }
}

/// A venue that sells a tour to adults for 18.00 and children for 9.00, a family's adults for 10.00 and children
/// for 8.00.
pub(crate) struct Venue {
    pub(crate) store: Store,
    service: axum::Router,
}

/// What a request was answered.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
    pub(crate) calls: CallCount,
}

impl Venue {
    pub(crate) async fn open(rules: Rules) -> Self {
        let engine = Embedded::memory().unwrap();
        let store = Store::new(engine::client_over(Counted(engine)), "test-");
        store.create_tables().await.unwrap();
        save_tenants(&store).await;
        save_catalog(&store, &rules).await;
        save_membership(&store).await;
        let processor = SandboxProcessor::new(store.clone(), Arc::new(now));
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: Arc::new(LocalVault::in_memory().unwrap()),
            sandbox_processor: Arc::new(processor),
        };
        let app = App::new(store.clone(), adapters);
        let routes: axum::Router<App> = entitlements::router();
        let service = platform::shell::service(routes.layer(from_fn(note_calls)), &app);
        let service = conformance::held(service);
        let venue = Self { store, service };
        // Fills the caches.
        venue.validate(json!({"items": []})).await;
        venue
    }

    pub(crate) async fn validate(&self, cart: Value) -> Answer {
        self.send("POST", &[], cart).await
    }

    /// Sends a request; `headers` replace those of a usual one, and empty ones are left out.
    pub(crate) async fn send(&self, method: &str, headers: &[(&str, &str)], body: Value) -> Answer {
        let now = now().to_rfc3339();
        let usual = [
            ("x-service-api-key", "key-204"),
            ("x-b2c-tenant-id", "204"),
            ("x-service-test-now", now.as_str()),
            ("content-type", "application/json"),
        ];
        let mut request = Request::builder().method(method).uri("/v2/b2c/entitlements/validate");
        let chosen = |name: &str| headers.iter().any(|(chosen, _)| *chosen == name);
        let all = usual.iter().filter(|(name, _)| !chosen(name)).chain(headers);
        for (name, value) in all.filter(|(_, value)| !value.is_empty()) {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_string())).unwrap();
        let response = self.service.clone().oneshot(request).await.unwrap();
        let calls = response.extensions().get().copied().unwrap_or_default();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status, body: serde_json::from_slice(&bytes).unwrap_or_default(), calls }
    }

    /// Notes that earlier orders of the membership used so many tickets of a counter in a period.
    pub(crate) async fn used(&self, period: &str, counter: &str, times: i64) {
        let mut uses = Expression::new();
        uses.assign(counter, number(times));
        self.store.write(&tally(period), Action::Update(uses)).await.unwrap().unwrap();
    }

    /// A stored cart of tickets for the first slot that names the membership by its number.
    pub(crate) async fn cart(&self, quantity: u32) -> CartId {
        self.cart_for(0, quantity).await
    }

    /// The same for the slot so many hours after the first, whether there is one or not.
    pub(crate) async fn cart_for(&self, hours: i64, quantity: u32) -> CartId {
        let line = json!({"Ticket": {
            "id": LINE, "instance": slot(hours), "ticket_type": ADULT,
            "quantity": quantity, "event_name": "Harbor Gallery Entry", "ticket_type_name": "Adult",
            "admission": "standard", "event_start": start(hours).timestamp_millis(),
            "price": {"unit": 1_800, "retail_unit": 1_800, "amount": 1_800 * quantity},
        }});
        let priced = PricedLines { lines: vec![read(line)], total: Money::ZERO, coupon_messages: Vec::new() };
        let terms = CartTerms {
            membership_ids: vec![domain::MembershipId::parse(NUMBER).unwrap()],
            ..CartTerms::default()
        };
        let id = CartId::parse("7b3f0e5d9a1c4827b6d0e9f3").unwrap();
        let cart = Cart::new(id.clone(), "1".to_owned(), terms, priced, now());
        self.store.create_cart(tenant_id(), &cart, now(), now()).await.unwrap().unwrap();
        id
    }
}

/// A cart of these items that names the membership by its number.
pub(crate) fn members_cart(items: Value) -> Value {
    json!({"membershipIds": [NUMBER], "items": items})
}

pub(crate) fn tickets(of: &str, quantity: u32) -> Value {
    tickets_for(0, of, quantity)
}

pub(crate) fn tickets_for(number: i64, of: &str, quantity: u32) -> Value {
    json!({"eventId": slot(number), "ticketingTypeId": of, "quantity": quantity})
}

impl Answer {
    /// Status, type and faulty fields.
    pub(crate) fn refusal(&self) -> String {
        let details = self.body["details"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let details =
            details.iter().map(|detail| format!("\n{} {}", text(&detail["field"]), text(&detail["message"])));
        format!("{} {}{}", self.status.as_u16(), text(&self.body["type"]), details.collect::<String>())
    }

    /// Of each entry: rule, quantities and verdict.
    pub(crate) fn entries(&self) -> Vec<String> {
        assert_eq!(self.status, StatusCode::OK, "{}", self.body);
        let entry = |entry: &Value| {
            format!(
                "{}: {} and {} of {}, {}",
                entry["rulesApplied"][0]["id"].as_str().unwrap(),
                entry["purchasedQuantity"],
                entry["requestedQuantity"],
                entry["allowedQuantity"],
                entry["valid"],
            )
        };
        self.body["results"].as_array().unwrap().iter().map(entry).collect()
    }
}

/// Leaves the number of database calls where the test finds it.
async fn note_calls(request: Request, next: Next) -> Response {
    let calls = Calls::current();
    let mut response = next.run(request).await;
    response.extensions_mut().insert(calls.count());
    response
}

async fn save_tenants(store: &Store) {
    for number in [204, 205] {
        let tenant: Tenant = read(json!({
            "id": number, "name": "Harbor Museum", "zone": "America/New_York", "sandbox": true, "hold_secs": 600,
            "allowed_origins": [ORIGIN], "descriptor_prefix": "", "processor": "sandbox", "sealed_hash_key": "",
        }));
        store.save_tenant(&tenant).await.unwrap();
        for (name, scope) in [("key", Scope::B2c), ("page", Scope::B2cBrowser), ("staff", Scope::B2b)] {
            let key = ApiKey {
                tenant: tenant.id,
                scopes: [scope].into(),
                origins: [ORIGIN.to_owned()].into(),
                mid: None,
                label: String::new(),
                revoked: false,
            };
            store.save_api_key(&key_hash(&format!("{name}-{number}")), &key).await.unwrap();
        }
    }
}

async fn save_catalog(store: &Store, Rules { rules, limits, max_tickets }: &Rules) {
    let price = |of: &str, cents: u32| json!({"ticket_type": of, "price": cents, "display_order": 1});
    let template: Template = read(json!({
        "id": TEMPLATE, "name": "Harbor Gallery Entry", "description": "", "short_description": "",
        "start": start(0), "review_state": "Published", "duration_minutes": 60, "capacity": 10,
        "price_lists": [{"id": "64b8a7c6d5e4f3021a2b3c4d", "name": "", "prices": [price(ADULT, 1_800), price(CHILD, 900)]}],
        "membership": {"discounts": [{"level": LEVEL, "discount": "family", "max_tickets": max_tickets}]},
        "last_updated": now(),
    }));
    store.save_template(tenant_id(), &template).await.unwrap();
    let off = |of: &str, cents: u32| json!({"ticket_type": of, "reduction": {"kind": "fixedPrice", "value": cents}});
    let family = json!({"id": "family", "name": "Family", "values": [off(ADULT, 1_000), off(CHILD, 800)]});
    store.save_discount(tenant_id(), &read::<Discount>(family)).await.unwrap();
    for (id, name) in [(ADULT, "Adult"), (CHILD, "Child")] {
        let person_type = json!({
            "id": id, "name": name, "description": "", "active": true, "kind": "individual", "display_order": 1,
        });
        store.save_person_type(tenant_id(), &read::<PersonType>(person_type)).await.unwrap();
    }
    let entitlements = json!({"template": TEMPLATE, "rules": rules, "ticket_limits": limits});
    store.save_entitlements(tenant_id(), "rules", &read::<Entitlements>(entitlements)).await.unwrap();
    for (number, moved_secs) in [(0, 0), (1, 0), (MOVED, 86_400)] {
        let start = plus_secs(start(number), moved_secs);
        let ledger: Ledger = read(json!({
            "instance": slot(number), "template": TEMPLATE, "shard": 0, "start": start.timestamp_millis(),
            "end": plus_secs(start, 3_600).timestamp_millis(), "state": "active", "size": 10, "free": 10,
            "sold": 0, "holds": {},
        }));
        store.create_ledger(tenant_id(), &ledger).await.unwrap();
    }
}

async fn save_membership(store: &Store) {
    let level = json!({"id": LEVEL, "name": "Family", "offerings": []});
    store.save_level(tenant_id(), &read::<Level>(level)).await.unwrap();
    let membership = json!({
        "id": MEMBERSHIP, "number": NUMBER, "level": LEVEL, "offering": "o", "price_point": "p", "joined": now(),
        "started": now(), "expires": plus_secs(now(), 30 * 86_400),
        "cards": [{"id": 1, "person": {}, "barcode": "1"}],
    });
    store.save_membership(tenant_id(), "members", &read::<Membership>(membership)).await.unwrap();
}

/// Where it is counted what the membership used in a period.
pub(crate) fn tally(period: &str) -> Key {
    let template = domain::TemplateId::parse(TEMPLATE).unwrap();
    let number = domain::MembershipId::parse(NUMBER).unwrap();
    Key::tally(tenant_id(), &Tally { number, template, period: period.to_owned() })
}
