//! Two tenants whose merchants sold something, and requests of these.

use adapters::processor::{CardProcessor, PaymentRequest, SandboxProcessor};
use adapters::{Adapters, App};
use domain::card::{Card, CardBrand, CardFields, Expiry};
use domain::card_token::SentCard;
use domain::checkout::sale_of;
use domain::merchant::RateCard;
use domain::order::{CardSummary, Order, Payment};
use domain::sale::Sale;
use domain::tenant::{ApiKey, Scope};
use domain::time::plus_secs;
use domain::{Mid, Money, OrderId, Percent, SaleId, Timestamp};
use engine::FaultPlan;
use serde_json::{Value, json};
use std::sync::Arc;
use store::order::DueClock;
use store::{Action, Expression, Item, Key, Store, encode};
use testkit::image::TableImage;
use testkit::outside::Processor;
use testkit::tenants::key;
use testkit::{Answer, Ask, ServedRoutes, Tables, get, post, tenant, tenant_id};

pub(crate) const MID: &str = "60417";

pub(crate) fn t0() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

pub(crate) fn after(secs: i64) -> Timestamp {
    plus_secs(t0(), secs)
}

pub(crate) fn cents(cents: i64) -> Money {
    Money::from_cents(cents)
}

/// The database and the processor, which outlive a process of the service.
pub(crate) struct Shop {
    pub(crate) tables: Tables,
    pub(crate) store: Store,
    pub(crate) sandbox: SandboxProcessor,
}

/// One process of the service.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) app: App,
    pub(crate) faults: FaultPlan,
    pub(crate) processor: Arc<Processor>,
    service: ServedRoutes,
}

pub(crate) fn refund_id(answer: &Answer) -> String {
    answer.body["refundId"].as_str().unwrap_or_else(|| panic!("{}", answer.text)).to_owned()
}

pub(crate) fn refund(sale: &SaleId, amount: Value) -> Ask {
    sent(json!({ "saleId": sale, "charge": { "amount": amount } }).to_string())
}

/// A refund with this body.
pub(crate) fn sent(body: impl AsRef<str>) -> Ask {
    post(format!("/v1/payment/{MID}/refund"), Value::Null).raw(body.as_ref())
}

/// A read of the back office.
pub(crate) fn read(path: impl Into<String>) -> Ask {
    get(path).by("b2b-1")
}

impl Shop {
    pub(crate) async fn open() -> Self {
        static BEGINNING: TableImage = TableImage::new();
        let tables = Tables::copy_of(&BEGINNING, begin).await;
        let store = tables.store.clone();
        let sandbox = SandboxProcessor::new(store.clone(), Arc::new(t0));
        Self { tables, store, sandbox }
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
            currency: order.currency,
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
        let card = SentCard::Number(Box::new(Card::parse(&fields).unwrap()));
        let _ = self.sandbox.confirm(&reference, &card).await;
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
        let processor = Arc::new(Processor::new(Arc::new(self.sandbox.clone()), faults.clone()));
        let adapters = Adapters { sandbox_processor: processor.clone(), ..self.tables.adapters() };
        let app = App::new(self.tables.store_under(&faults), adapters);
        let routes: [axum::Router<App>; 2] = [payment_refunds::router(), orders::router()];
        let routes = routes.into_iter().fold(axum::Router::new(), axum::Router::merge);
        let service = ServedRoutes::new(routes, &app, "pay-60417").at(&t0().to_rfc3339());
        let process = Process { app, faults, processor, service };
        // Fills the caches. What a process started under faults cannot read now, its first request reads.
        let _ = process.send(sent("{}").keyed("warm")).await;
        let _ = process.send(read("/v2/b2b/orders/detail/1")).await;
        process.faults.reset();
        process
    }
}

/// What every shop begins with: two tenants, and keys of their merchants and of those who have none.
async fn begin(tables: Tables) {
    for number in [1, 2] {
        tables.save_tenant(tenant(number)).await;
    }
    for (text, tenant, scope, mid) in [
        ("pay-60417", 1, Scope::Payment, Some(MID)),
        ("pay-60418", 1, Scope::Payment, Some("60418")),
        ("pay-70001", 2, Scope::Payment, Some("70001")),
        ("pay-nobody", 1, Scope::Payment, None),
        ("partner-1", 1, Scope::Onboard, None),
        ("b2b-1", 1, Scope::B2b, None),
    ] {
        let mid = mid.map(|mid| Mid::parse(mid).unwrap());
        let key = ApiKey { mid, ..key(tenant_id(tenant), scope) };
        tables.store.save_api_key(&store::identity::key_hash(text), &key).await.unwrap();
    }
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
        self.service.send(ask).await
    }

    /// What the scheduled work does about the refunds of one sale, so many seconds after [`t0`]; false when some of
    /// it failed and stays due.
    pub(crate) async fn recover(&self, sale: &SaleId, secs: i64) -> bool {
        let (clock, now, again) = (DueClock::Chosen, after(secs), after(secs + 60));
        let recovered = sagas::recover_refunds(&self.app, tenant_id(1), sale, clock, now, again).await;
        recovered.is_ok_and(|recovered| recovered.left == 0)
    }

    /// One pass of the scheduled work, so many seconds after [`t0`].
    pub(crate) async fn clean_up(&self, secs: i64) -> cleanup::PassReport {
        cleanup::pass(&self.app, cleanup::PassScope::Sandbox, after(secs)).await.unwrap()
    }
}
