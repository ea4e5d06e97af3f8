//! Two tenants whose merchants sold something, and requests of these.

use crate::outside::Processor;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use domain::card::{Card, CardBrand, CardFields, Expiry};
use domain::checkout::sale_of;
use domain::merchant::RateCard;
use domain::order::{CardSummary, Order, Payment};
use domain::sale::Sale;
use domain::tenant::{ApiKey, DEFAULT_HOLD_SECS, ProcessorKind, Scope, Tenant};
use domain::time::plus_secs;
use domain::{Mid, Money, OrderId, Percent, SaleId, TenantId, Timestamp, Zone};
use engine::{Embedded, FaultPlan, Faulty};
use http_body_util::BodyExt;
use platform::processor::{CardProcessor, PaymentRequest, SandboxProcessor};
use platform::queue::LocalQueue;
use platform::vault::{LocalVault, Vault};
use platform::{Adapters, App};
use serde_json::{Value, json};
use std::sync::Arc;
use store::order::DueClock;
use store::{Action, CallCount, Calls, Counted, Expression, Item, Key, Store, encode};
use tower::ServiceExt;

pub(crate) const GOOD: &str = "4242424242424242";
pub(crate) const REFUSING: &str = "4000000000005126";
pub(crate) const LOSING: &str = "4000000000000259";
pub(crate) const MID: &str = "60417";
const PREFIX: &str = "test-";

pub(crate) fn t0() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

pub(crate) fn after(secs: i64) -> Timestamp {
    plus_secs(t0(), secs)
}

pub(crate) fn tenant_id(number: i64) -> TenantId {
    TenantId::parse(number).unwrap()
}

pub(crate) fn cents(cents: i64) -> Money {
    Money::from_cents(cents)
}

/// The database and the processor, which outlive a process of the service.
pub(crate) struct Shop {
    pub(crate) engine: Embedded,
    pub(crate) store: Store,
    pub(crate) sandbox: SandboxProcessor,
    vault: Arc<LocalVault>,
}

/// One process of the service.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) app: App,
    pub(crate) faults: FaultPlan,
    pub(crate) processor: Arc<Processor>,
    service: axum::Router,
}

/// What a request was answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) replayed: bool,
    pub(crate) body: Value,
    pub(crate) text: String,
    pub(crate) calls: CallCount,
}

impl Answer {
    /// Status and type of a refusal; `OK` for a success.
    pub(crate) fn kind(&self) -> (u16, &str) {
        (self.status, self.body["type"].as_str().unwrap_or("OK"))
    }

    pub(crate) fn refund_id(&self) -> String {
        self.body["refundId"].as_str().unwrap_or_else(|| panic!("{}", self.text)).to_owned()
    }
}

/// A request under construction.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    method: &'static str,
    path: String,
    key: (&'static str, String),
    idempotency: Option<String>,
    now: Option<Timestamp>,
    body: String,
}

/// A refund of a sale.
pub(crate) fn refund(sale: &SaleId, amount: Value) -> Ask {
    sent(json!({ "saleId": sale, "charge": { "amount": amount } }).to_string())
}

/// A refund with this body.
pub(crate) fn sent(body: impl Into<String>) -> Ask {
    Ask {
        method: "POST",
        path: format!("/v1/payment/{MID}/refund"),
        key: ("x-service-payment-key", format!("pay-{MID}")),
        idempotency: None,
        now: Some(t0()),
        body: body.into(),
    }
}

/// A read of the back office.
pub(crate) fn read(path: impl Into<String>) -> Ask {
    let key = ("x-service-api-key", "b2b-1".to_owned());
    Ask { method: "GET", path: path.into(), key, body: String::new(), ..sent("") }
}

impl Ask {
    pub(crate) fn preview(mut self) -> Self {
        self.path.push_str("/preview");
        self
    }

    pub(crate) fn keyed(mut self, key: &str) -> Self {
        self.idempotency = Some(key.to_owned());
        self
    }

    pub(crate) fn by(mut self, key: &str) -> Self {
        self.key.1 = key.to_owned();
        self
    }

    pub(crate) fn to(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    pub(crate) fn at(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    pub(crate) fn in_real_time(mut self) -> Self {
        self.now = None;
        self
    }
}

impl Shop {
    pub(crate) async fn open() -> Self {
        let engine = Embedded::memory().unwrap();
        let store = Store::new(engine.client(), PREFIX);
        store.create_tables().await.unwrap();
        let vault = Arc::new(LocalVault::in_memory().unwrap());
        for number in [1, 2] {
            save_tenant(&store, &vault, number).await;
        }
        for (text, tenant, scope, mid) in [
            ("pay-60417", 1, Scope::Payment, Some(MID)),
            ("pay-60418", 1, Scope::Payment, Some("60418")),
            ("pay-70001", 2, Scope::Payment, Some("70001")),
            ("pay-nobody", 1, Scope::Payment, None),
            ("partner-1", 1, Scope::Onboard, None),
            ("b2b-1", 1, Scope::B2b, None),
        ] {
            let key = ApiKey {
                tenant: tenant_id(tenant),
                scopes: [scope].into(),
                origins: Default::default(),
                mid: mid.map(|mid| Mid::parse(mid).unwrap()),
                label: String::new(),
                revoked: false,
            };
            store.save_api_key(&store::identity::key_hash(text), &key).await.unwrap();
        }
        let sandbox = SandboxProcessor::new(store.clone(), Arc::new(t0));
        Self { engine, store, sandbox, vault }
    }

    /// The id of a sale of so many cents on this card; every number is another sale.
    pub(crate) async fn sell(&self, number: u8, card: &str, amount: i64) -> SaleId {
        self.sell_as(1, MID, number, card, amount).await
    }

    /// The same for another merchant.
    pub(crate) async fn sell_as(
        &self,
        tenant: i64,
        mid: &str,
        number: u8,
        card: &str,
        amount: i64,
    ) -> SaleId {
        let order = order(tenant, mid, number, amount);
        let payment = order.payment.clone().unwrap();
        let request = PaymentRequest {
            tenant: order.tenant,
            order: order.id.clone(),
            amount: payment.amount,
            mid: payment.mid,
            descriptor: payment.descriptor,
            secured_at: order.created_at,
        };
        let reference = self.sandbox.open(&request).await.unwrap();
        let fields = CardFields {
            number: Some(card),
            expiry: Some("0929"),
            cvc: Some("123"),
            ..CardFields::default()
        };
        let _ = self.sandbox.confirm(&reference, &Card::parse(&fields).unwrap()).await;
        let sale = sale_of(&order, &reference, t0()).unwrap();
        let key = Key::order(order.tenant, &order.id);
        self.put(&key, encode(&key, &order).unwrap()).await;
        let key = Key::sale(order.tenant, &sale.id);
        self.put(&key, encode(&key, &sale).unwrap()).await;
        sale.id
    }

    pub(crate) async fn put(&self, key: &Key, item: Item) {
        self.store.write(key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
    }

    pub(crate) async fn sale(&self, id: &SaleId) -> Sale {
        self.store.load_sale(tenant_id(1), id).await.unwrap().unwrap()
    }

    /// A process of the service without faults, its caches filled.
    pub(crate) async fn process(&self) -> Process {
        self.process_under(FaultPlan::new()).await
    }

    /// A process whose database calls meet these faults.
    pub(crate) async fn process_under(&self, faults: FaultPlan) -> Process {
        let client = engine::client_over(Counted(Faulty::new(self.engine.clone(), faults.clone())));
        let processor = Arc::new(Processor::new(self.sandbox.clone(), faults.clone()));
        let adapters = Adapters {
            queue: Arc::new(LocalQueue::default()),
            vault: self.vault.clone(),
            sandbox_processor: processor.clone(),
        };
        let app = App::new(Store::new(client, PREFIX), adapters);
        let routes: [axum::Router<App>; 2] = [refunds::router(), orders::router()];
        let routes = routes.into_iter().fold(axum::Router::new(), axum::Router::merge);
        let routes = routes.layer(from_fn(note_calls));
        let service = conformance::held(platform::shell::service(routes, &app));
        let process = Process { app, faults, processor, service };
        // Fills the caches. What a process started under faults cannot read now, its first request reads.
        let _ = process.send(sent("{}").keyed("warm")).await;
        let _ = process.send(read("/v2/b2b/orders/detail/1")).await;
        process.faults.reset();
        process
    }

    /// Every item of a table, as it is stored.
    pub(crate) async fn scan(&self, table: &str) -> Vec<Item> {
        let scanned =
            self.engine.client().scan().table_name(format!("{PREFIX}{table}")).send().await.unwrap();
        scanned.items.unwrap_or_default()
    }
}

async fn save_tenant(store: &Store, vault: &LocalVault, number: i64) {
    let id = tenant_id(number);
    let sealed = vault.seal(&platform::app::hash_key_context(id), &[7; 32]).await.unwrap();
    let tenant = Tenant {
        id,
        name: "Harbor Museum".to_owned(),
        zone: Zone::parse("America/New_York").unwrap(),
        sandbox: true,
        hold_secs: DEFAULT_HOLD_SECS,
        limits: Default::default(),
        member_claims: Default::default(),
        allowed_origins: Default::default(),
        descriptor_prefix: String::new(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        sealed_hash_key: sealed.iter().map(|byte| format!("{byte:02x}")).collect(),
        closed_at: None,
    };
    store.save_tenant(&tenant).await.unwrap();
}

pub(crate) fn order_id(number: u8) -> OrderId {
    OrderId::from_bits(31_840_000 + u64::from(number))
}

/// A paid order, as it was written before orders noted what was refunded.
fn order(tenant: i64, mid: &str, number: u8, amount: i64) -> Order {
    let payment = Payment {
        sale: SaleId::from_bytes([number; 16]),
        mid: Mid::parse(mid).unwrap(),
        amount: cents(amount),
        card: CardSummary {
            brand: CardBrand::Visa,
            last_four: "4242".to_owned(),
            expiry: Expiry::parse("0929").unwrap(),
        },
        rate_card: RateCard { percentage: Percent::parse("2.90").unwrap(), fixed: cents(30) },
        descriptor: "HARBOR MUSEUM".to_owned(),
    };
    serde_json::from_value(json!({
        "id": order_id(number), "tenant": tenant, "number": "100731946", "visitor": "", "lines": [],
        "state": {"state": "paid", "at": t0().timestamp_millis()}, "contact": {}, "billing": {},
        "total": amount, "retail_total": amount, "created_at": t0().timestamp_millis(),
        "payment": payment, "send_email": false,
    }))
    .unwrap()
}

impl Process {
    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        let Ask { method, path, key: (header, key), idempotency, now, body } = ask;
        let mut request = Request::builder().method(method).uri(path).header(header, key);
        if let Some(now) = now {
            request = request.header("x-service-test-now", now.to_rfc3339());
        }
        if let Some(key) = idempotency {
            request = request.header("idempotency-key", key);
        }
        let response = self.service.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
        let calls = response.extensions().get().copied().unwrap_or_default();
        let (parts, body) = response.into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        let body = serde_json::from_str(&text).unwrap_or_default();
        let replayed = parts.headers.contains_key("x-service-replayed");
        Answer { status: parts.status.as_u16(), replayed, body, text, calls }
    }

    /// What the scheduled work does about the refunds of one sale, so many seconds after [`t0`]; false when some of
    /// it failed and stays due.
    pub(crate) async fn recover(&self, sale: &SaleId, secs: i64) -> bool {
        let (clock, now, again) = (DueClock::Chosen, after(secs), after(secs + 60));
        let recovered = sagas::recover_refunds(&self.app, tenant_id(1), sale, clock, now, again).await;
        recovered.is_ok_and(|recovered| recovered.left == 0)
    }

    /// One pass of the scheduled work, so many seconds after [`t0`].
    pub(crate) async fn clean_up(&self, secs: i64) -> cleanup::Report {
        cleanup::pass(&self.app, cleanup::Scope::Sandbox, after(secs)).await.unwrap()
    }
}

async fn note_calls(request: Request, next: Next) -> Response {
    let calls = Calls::current();
    let mut response = next.run(request).await;
    response.extensions_mut().insert(calls.count());
    response
}
