//! A venue on the embedded engine, and requests to it.

use crate::catalog;
use crate::stripe::double::{ASKS_BACK, Double, SECRET};
use crate::writes::{Noted, Writes};
use adapters::processor::{CardProcessor, SandboxProcessor, SandboxStatus, Stripe};
use adapters::queue::LocalQueue;
use adapters::vault::{LocalVault, Vault};
use adapters::{Adapters, App, IdSource};
use domain::ledger::{Hold, Ledger, LedgerChange};
use domain::payment::ChallengeOutcome;
use domain::reservation::{Reservation, ReservationItem, ReservationTerms};
use domain::stripe::{StripeSettings, stripe_key_context};
use domain::stripe_event::webhook_secret_context;
use domain::tenant::{ProcessorKind, Tenant};
use domain::time::plus_secs;
use domain::{CartId, Money, ReservationId, ReservationItemId, TenantId, Timestamp};
use engine::{Embedded, FaultPlan, Faulty, Outage, Without};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use store::{Consistency, Counted, DUE_INDEX, Store, Table};
use testkit::cards::{DECLINED, OTHER};
use testkit::catalog::{ADULT, LEVEL, MEMBERSHIP, NUMBER, OFFERING};
use testkit::image::TableImage;
use testkit::outside::{Processor, Queue};
use testkit::tenants::ORIGIN;
use testkit::{Answer, Ask, PREFIX, ServedRoutes, all_items};

pub(crate) fn tenant_id() -> TenantId {
    testkit::tenant_id(204)
}

/// Two days before the slots start.
pub(crate) fn t0() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

pub(crate) fn after(secs: i64) -> Timestamp {
    plus_secs(t0(), secs)
}

/// Who charges the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charging {
    Sandbox,
    Stripe,
}

impl Charging {
    pub(crate) const ALL: [Self; 2] = [Self::Sandbox, Self::Stripe];
}

/// The database, the processors and the queue, which outlive a process of the service.
pub(crate) struct Venue {
    pub(crate) engine: Embedded,
    /// The table that does not answer to the service's processes, if any.
    pub(crate) outage: Outage,
    pub(crate) store: Store,
    pub(crate) sandbox: SandboxProcessor,
    pub(crate) stripe: Double,
    pub(crate) stripe_settings: StripeSettings,
    /// The time by which the service waits before it looks for old payments at Stripe.
    pub(crate) stripe_clock: Arc<Mutex<Timestamp>>,
    pub(crate) queue: LocalQueue,
    vault: Arc<LocalVault>,
    pub(crate) charging: Charging,
    writes: Writes,
    /// What new ids are drawn from, where that is not the operating system.
    ids: Option<IdSource>,
}

/// What is secret in the tables that every venue begins with.
struct Secrets {
    vault: Arc<LocalVault>,
    /// The key of Stripe.
    sealed_key: String,
}

/// The tables that every venue begins with, but for the two slots whose sizes differ.
async fn begin(engine: Embedded) -> Secrets {
    let store = Store::new(engine.client(), PREFIX);
    let vault = Arc::new(LocalVault::in_memory().unwrap());
    catalog::save(&store, &vault).await;
    let night = catalog::ledger(catalog::NIGHT, catalog::NIGHT_SEATS);
    store.create_ledger(tenant_id(), &night).await.unwrap();
    let sealed = vault.seal(&stripe_key_context(tenant_id()), SECRET.as_bytes()).await.unwrap();
    Secrets { vault, sealed_key: hex::encode(sealed) }
}

/// One process of the service.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) app: App,
    pub(crate) faults: FaultPlan,
    pub(crate) processor: Arc<Processor>,
    pub(crate) queue: Arc<Queue>,
    service: ServedRoutes,
}

impl Venue {
    /// A venue whose two slots have this many seats, beside that of the night.
    pub(crate) async fn open(sizes: [u32; 2]) -> Self {
        Self::charging(Charging::Sandbox, sizes).await
    }

    /// The same with this processor.
    pub(crate) async fn charging(charging: Charging, sizes: [u32; 2]) -> Self {
        static BEGINNING: TableImage<Secrets> = TableImage::new();
        let (engine, secrets) = BEGINNING.copy(begin).await;
        let writes = Writes::default();
        let noted = Noted { inner: engine.clone(), writes: writes.clone() };
        let store = Store::new(engine::client_over(noted), PREFIX);
        for (number, size) in (0..).zip(sizes) {
            store.create_ledger(tenant_id(), &catalog::ledger(number, size)).await.unwrap();
        }
        Self {
            engine,
            outage: Outage::default(),
            sandbox: SandboxProcessor::new(store.clone(), Arc::new(t0)),
            store,
            stripe: Double::default(),
            stripe_settings: StripeSettings {
                sealed_key: secrets.sealed_key.clone(),
                address: None,
                accounts: BTreeMap::new(),
                publishable_key: None,
                webhook_secrets: Vec::new(),
            },
            stripe_clock: Arc::new(Mutex::new(t0())),
            queue: LocalQueue::default(),
            vault: Arc::clone(&secrets.vault),
            charging,
            writes,
            ids: None,
        }
    }

    /// The same whose processes draw the same ids in every case, and whose clocks stand still. Cases that do the same
    /// there leave the same behind.
    pub(crate) async fn alike(charging: Charging) -> Self {
        let random = Mutex::new(fastrand::Rng::with_seed(0));
        let ids = IdSource::simulated(move |bytes| random.lock().unwrap().fill(bytes));
        Self { ids: Some(ids), ..Self::charging(charging, [10, 10]).await }
    }

    /// All that was done so far, and this answer to it: what comes next depends on nothing else.
    pub(crate) fn left_behind(&self, answer: &Answer) -> String {
        let mut told = answer.body.clone();
        if let Some(fields) = told.as_object_mut() {
            fields.remove("requestId");
        }
        let (writes, mails, stripe) = (self.writes.all(), self.queue.depth(), self.stripe.shown());
        format!("{} {told}\n{mails} mails\n{stripe}\n{}", answer.status, writes.join("\n"))
    }

    /// A token of a card, as the fields of whoever charges here make it.
    pub(crate) fn token(&self, number: &str) -> String {
        match self.charging {
            Charging::Stripe => self.stripe.tokenise(number),
            Charging::Sandbox if number == DECLINED => "tok_declined".to_owned(),
            Charging::Sandbox => "tok_visa".to_owned(),
        }
    }

    /// A token of a card whose issuer asks the buyer.
    pub(crate) fn asking_token(&self) -> String {
        match self.charging {
            Charging::Stripe => self.stripe.tokenise(ASKS_BACK),
            Charging::Sandbox => "tok_3ds".to_owned(),
        }
    }

    /// The buyer answers the issuer of the card, as far as anybody is asked.
    pub(crate) async fn answer(&self, confirms: bool) {
        if self.charging == Charging::Stripe {
            self.stripe.answer_issuer(confirms);
            return;
        }
        let outcome = if confirms { ChallengeOutcome::Pass } else { ChallengeOutcome::Fail };
        for charge in self.sandbox.charges(tenant_id()).await.unwrap() {
            if charge.status == SandboxStatus::Asking {
                let secret = format!("{}_secret", charge.reference);
                let answered = self.sandbox.answer_challenge(&secret, outcome).await.unwrap();
                assert_ne!(answered, Some(SandboxStatus::Asking));
            }
        }
    }

    /// Has the tenant charge through Stripe by its settings, and hear messages that are signed with these secrets.
    pub(crate) async fn hear(&self, secrets: &[&str]) {
        let mut settings = self.stripe_settings.clone();
        for secret in secrets {
            let context = webhook_secret_context(tenant_id());
            let sealed = self.vault.seal(&context, secret.as_bytes()).await.unwrap();
            settings.webhook_secrets.push(hex::encode(sealed));
        }
        self.set(|tenant| tenant.processor = ProcessorKind::Stripe(Box::new(settings))).await;
    }

    /// Changes the settings of the tenant; processes that are started afterwards have them.
    pub(crate) async fn set(&self, change: impl FnOnce(&mut Tenant)) {
        let mut tenant = self.store.load_tenant(tenant_id(), Consistency::Strong).await.unwrap().unwrap();
        change(&mut tenant);
        self.store.save_tenant(&tenant).await.unwrap();
    }

    /// The way to Stripe of one process.
    pub(crate) fn way_to_stripe(&self) -> Stripe {
        let clock = self.stripe_clock.clone();
        let now = Arc::new(move || *clock.lock().unwrap());
        Stripe::new(self.vault.clone(), now).over(self.stripe.clone())
    }

    /// A process of the service without faults, its caches filled.
    pub(crate) async fn process(&self) -> Process {
        self.process_under(FaultPlan::new()).await
    }

    /// A process whose database calls meet these faults.
    pub(crate) async fn process_under(&self, faults: FaultPlan) -> Process {
        let process = self.start(faults);
        process.warm().await;
        process
    }

    /// A process without faults whose caches have what a server's checkout needs, and nothing else.
    pub(crate) async fn selling_process(&self) -> Process {
        let process = self.new_process();
        process.warm_checkout().await;
        process.faults.reset();
        process
    }

    /// A process that was started this moment, and knows nothing.
    pub(crate) fn new_process(&self) -> Process {
        self.start(FaultPlan::new())
    }

    fn start(&self, faults: FaultPlan) -> Process {
        let noted = Noted { inner: self.engine.clone(), writes: self.writes.clone() };
        let tables = Without::new(noted, self.outage.clone());
        let client = engine::client_over(Counted(Faulty::new(tables, faults.clone())));
        let charged_by: Arc<dyn CardProcessor> = match self.charging {
            Charging::Sandbox => Arc::new(self.sandbox.clone()),
            Charging::Stripe => Arc::new(self.way_to_stripe().account_of(tenant_id(), &self.stripe_settings)),
        };
        let processor = Arc::new(Processor::new(charged_by, faults.clone()));
        let queue = Arc::new(Queue::new(self.queue.clone(), faults.clone()));
        let adapters = Adapters {
            queue: queue.clone(),
            vault: self.vault.clone(),
            sandbox_processor: processor.clone(),
        };
        let app = App::new(Store::new(client, PREFIX), adapters);
        let app = match &self.ids {
            None => app,
            Some(ids) => app.simulated(Arc::new(t0), ids.clone()),
        };
        let app = app.with_stripe(self.way_to_stripe());
        let service = service(&app);
        Process { app, faults, processor, queue, service }
    }

    /// One pass of the scheduled work by this process, so many seconds after [`t0`]; none where nothing is left to do,
    /// since it would look into every partition of the work there might be, and find nothing.
    pub(crate) async fn finish_work(&self, process: &Process, secs: i64) {
        for table in [Table::Orders, Table::Merchants, Table::Catalog] {
            if !self.work_left(table).await.is_empty() {
                process.clean_up(secs).await;
                return;
            }
        }
    }

    /// The sort keys of a table's records that are to be taken up, now or later.
    pub(crate) async fn work_left(&self, table: Table) -> Vec<String> {
        let scan = self.engine.client().scan().table_name(format!("{PREFIX}{}", table.name()));
        let left = scan.index_name(DUE_INDEX).send().await.unwrap();
        assert_eq!(left.last_evaluated_key(), None);
        left.items().iter().map(|record| record["sk"].as_s().unwrap().clone()).collect()
    }

    /// Holds seats for a reservation until so many seconds after [`t0`].
    pub(crate) async fn hold(&self, id: i64, seats: &[(u16, u32)], expires: i64) {
        let id = ReservationId::parse(id).unwrap();
        let item = |(slot, quantity): &(u16, u32)| ReservationItem {
            id: ReservationItemId::parse(i64::from(*slot) + 1).unwrap(),
            instance: catalog::slot(*slot),
            quantity: *quantity,
        };
        let terms = ReservationTerms { expires_at: after(expires), items: seats.iter().map(item).collect() };
        let record = Reservation {
            id,
            created_at: t0(),
            terms,
            first: None,
            revision: 0,
            released: false,
            placed: false,
            fingerprint: None,
            storefront: None,
            created_by: None,
            updated_by: None,
        };
        self.store.create_reservation(tenant_id(), &record, t0()).await.unwrap().unwrap();
        for (slot, quantity) in seats {
            let change = LedgerChange::hold(id, Hold { quantity: *quantity, expires_at: after(expires) });
            let held = self.store.change_ledger(tenant_id(), &catalog::slot(*slot), &change, t0()).await;
            held.unwrap().unwrap();
        }
    }

    pub(crate) async fn ledger(&self, slot: u16) -> Ledger {
        let slot = catalog::slot(slot);
        self.store.load_ledger(tenant_id(), &slot, Consistency::Strong).await.unwrap().unwrap()
    }

    /// `free held sold` of a slot.
    pub(crate) async fn seats(&self, slot: u16) -> [u32; 3] {
        let ledger = self.ledger(slot).await;
        assert!(ledger.is_sound(), "{ledger:?}");
        [ledger.free, ledger.holds.values().map(|hold| hold.quantity).sum(), ledger.sold]
    }

    /// The amounts captured, in cents.
    pub(crate) async fn captured(&self) -> Vec<i64> {
        self.charges().await.into_iter().map(|(_, amount)| amount.cents()).collect()
    }

    /// What either processor captured: order and amount.
    pub(crate) async fn charges(&self) -> Vec<(String, Money)> {
        let charges = self.sandbox.charges(tenant_id()).await.unwrap().into_iter();
        let captured = charges.filter(|charge| charge.captured_at.is_some());
        let captured = captured.map(|charge| (charge.order_id.to_string(), charge.amount));
        let at_stripe = self.stripe.captured().into_iter();
        captured.chain(at_stripe.map(|(order, cents)| (order, Money::from_cents(cents)))).collect()
    }

    /// What either processor gave back, in cents.
    pub(crate) async fn refunded(&self) -> Vec<i64> {
        let refunds = self.sandbox.refunds(tenant_id()).await.unwrap().into_iter();
        let refunds = refunds.filter(|refund| refund.refunded).map(|refund| refund.amount.cents());
        refunds.chain(self.stripe.refunds().into_iter().map(|refund| refund.amount)).collect()
    }

    /// Every item of a table.
    pub(crate) async fn scan(&self, table: &str) -> Vec<store::Item> {
        all_items(&self.engine, &format!("{PREFIX}{table}")).await
    }
}

/// Writes an item as it is.
pub(crate) async fn put(venue: &Venue, table: &str, item: &store::Item) {
    let put = venue.engine.client().put_item().table_name(format!("{PREFIX}{table}"));
    put.set_item(Some(item.clone())).send().await.unwrap();
}

fn service(app: &App) -> ServedRoutes {
    let routes: [axum::Router<App>; 5] = [
        checkout::router(),
        carts::router(),
        entitlements::router(),
        orders::router(),
        order_refunds::router(),
    ];
    let routes = routes.into_iter().fold(axum::Router::new(), axum::Router::merge);
    ServedRoutes::new(routes, app, "key-204").at(&t0().to_rfc3339())
}

impl Process {
    /// The same process with the way to Stripe that a deployment has.
    pub(crate) fn over_the_network(self) -> Self {
        let app = self.app.clone().with_stripe(Stripe::new(self.app.vault.clone(), Arc::new(t0)));
        Self { service: service(&app), app, ..self }
    }

    /// Fills the caches, so that every further request makes exactly its own calls. What a process started under
    /// faults cannot read now, its first request reads.
    async fn warm(&self) {
        self.warm_checkout().await;
        let _ = self.send(pay_on_page(json!({"dryRun": true}))).await;
        let nothing = json!({"orderId": "1", "wholeOrder": true});
        let _ = self.send(self::ask("POST", "/v2/b2b/refunds/preview", nothing).by("staff-204")).await;
        self.faults.reset();
    }

    async fn warm_checkout(&self) {
        let _ = self.send(pay(json!({"dryRun": true})).header("origin", ORIGIN)).await;
    }

    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        self.service.send(ask).await
    }

    /// Checks out with these fields instead of the usual ones.
    pub(crate) async fn pay(&self, fields: Value) -> Answer {
        self.send(pay(fields)).await
    }

    /// A stored cart of these items.
    pub(crate) async fn cart(&self, items: Value) -> CartId {
        let answer = self.send(ask("POST", "/v2/b2c/carts", json!({ "items": items }))).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        CartId::parse(answer.body.as_str().unwrap()).unwrap()
    }

    /// One pass of the scheduled work, so many seconds after [`t0`].
    pub(crate) async fn clean_up(&self, secs: i64) -> cleanup::PassReport {
        Box::pin(cleanup::pass(&self.app, cleanup::PassScope::Sandbox, after(secs))).await.unwrap()
    }
}

/// A request for a visitor at this address.
pub(crate) fn ask(method: &str, path: &str, body: Value) -> Ask {
    testkit::ask(method, path, body).header("x-service-browser-ip", "203.0.113.24")
}

/// A checkout with these fields instead of the usual ones.
pub(crate) fn pay(fields: Value) -> Ask {
    ask("POST", "/v2/b2c/checkout", checkout(fields))
}

/// The same by a page.
pub(crate) fn pay_on_page(fields: Value) -> Ask {
    pay(fields).to("/v2/b2c/cors/checkout").by("browser-204").header("origin", ORIGIN)
}

/// The body of a checkout; a field that is null is left out.
pub(crate) fn checkout(fields: Value) -> Value {
    let mut body = json!({
        "shoppingCart": {"items": [tickets(2)]},
        "contactFirstName": "Ines", "contactLastName": "Okafor", "email": "ines@example.test",
        "billingFirstName": "Pat", "billingLastName": "Payer", "billingEmail": "buyer@example.test",
        "billingZipCode": "94000",
        "manualEntryCardNumber": OTHER, "expDate": "1230", "cvc": "123",
    });
    let all = body.as_object_mut().unwrap();
    for (name, value) in fields.as_object().unwrap() {
        if name == "shoppingCartId" {
            all.remove("shoppingCart");
        }
        if value.is_null() {
            all.remove(name);
        } else {
            all.insert(name.clone(), value.clone());
        }
    }
    body
}

/// What a checkout sends in place of a card.
pub(crate) fn by_token(token: &str) -> Value {
    json!({"paymentToken": token, "manualEntryCardNumber": null, "expDate": null, "cvc": null})
}

/// Adult tickets for the first slot, 18.00 each.
pub(crate) fn tickets(quantity: u32) -> Value {
    tickets_for(0, quantity)
}

pub(crate) fn tickets_for(slot: u16, quantity: u32) -> Value {
    json!({"eventId": catalog::slot(slot), "ticketingTypeId": ADULT, "quantity": quantity})
}

/// Combos of an adult for the first slot and the night, 50.00 each.
pub(crate) fn combos(quantity: u32) -> Value {
    let parts = json!([{"eventId": catalog::slot(0)}, {"eventId": catalog::slot(catalog::NIGHT)}]);
    json!({
        "comboTemplateId": catalog::COMBO, "ticketingTypeId": ADULT, "quantity": quantity,
        "parts": parts,
    })
}

/// A line that does something with a membership: at 100.00 for the family level.
pub(crate) fn membership(action: &str, level: &str, fields: Value) -> Value {
    let mut info = json!({
        "membershipCategoryId": level, "membershipOfferingId": OFFERING,
        "pricePointId": ADULT, "isGift": false,
    });
    info.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"itemType": action, "quantity": 1, "membershipInfo": info})
}

/// A new family membership of Ada.
pub(crate) fn new_membership() -> Value {
    membership("MembershipPurchase", LEVEL, json!({"membershipCards": [ada()]}))
}

/// The primary holder.
pub(crate) fn ada() -> Value {
    json!({"cardType": "primary", "firstName": "Ada", "lastName": "Byron", "email": "ada@example.test"})
}

/// The family membership that there is, upgraded for 150.00.
pub(crate) fn upgrade() -> Value {
    let fields = json!({"membershipId": NUMBER, "membershipCards": [ada()]});
    membership("MembershipUpgrade", catalog::PATRON, fields)
}

/// The family membership that there is, renewed for 100.00.
pub(crate) fn renewal() -> Value {
    let fields = json!({"membershipId": MEMBERSHIP, "membershipCards": [ada()]});
    membership("MembershipRenewal", LEVEL, fields)
}
