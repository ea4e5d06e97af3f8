//! A venue with doors, and requests to it.

use domain::tenant::{ApiKey, Scope};
use domain::time::plus_secs;
use domain::{InstanceId, TenantId, Timestamp};
use serde_json::{Value, json};
use store::identity::key_hash;
use testkit::catalog::{
    ADULT, CHILD, ledger, level, membership, person_type, price_lists, slot, template, with,
};
use testkit::image::TableImage;
use testkit::tenants::key;
use testkit::{Answer, Ask, Tables, Venue, get, post, tenant, tenant_id};

/// Admits once, from 30 minutes before the start to 60 after it.
pub(crate) const GALLERY: &str = testkit::catalog::TEMPLATE;
/// Admits again after an exit; it has no window.
pub(crate) const GARDEN: &str = "6f2e91b0c47d5a3e18b90f43";
/// Admits always; outside its window it only warns.
pub(crate) const PIER: &str = "6f2e91b0c47d5a3e18b90f44";
/// Moves tickets to the time at which they are shown.
pub(crate) const TOWER: &str = "6f2e91b0c47d5a3e18b90f45";
/// The level of [`CARD`]'s membership.
const LEVEL: &str = testkit::catalog::LEVEL;
/// The barcode of a member card that is in force.
pub(crate) const CARD: &str = "CARD-1";

/// The keys of the doors, the till and the back office.
pub(crate) const DOOR: &str = "door-1";
/// Another door.
pub(crate) const BACK_DOOR: &str = "backdoor-1";
/// The till.
pub(crate) const TILL: &str = "counter-1";
/// The back office.
pub(crate) const STAFF: &str = "staff-1";

/// Ten in the morning in New York, a quarter of an hour before the first slots begin.
pub(crate) fn t0() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

pub(crate) fn after(secs: i64) -> Timestamp {
    plus_secs(t0(), secs)
}

pub(crate) fn owner() -> TenantId {
    tenant_id(1)
}

/// The slots of a template: the first begins a quarter past ten, each of the others an hour later.
pub(crate) fn event(of: &str, number: u16) -> InstanceId {
    slot(of, start(number))
}

fn start(number: u16) -> Timestamp {
    after(900 + i64::from(number) * 3_600)
}

/// A ticket, as the will-call order shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sold {
    pub(crate) order: String,
    pub(crate) number: String,
    pub(crate) item: String,
    pub(crate) ticket: String,
    pub(crate) code: String,
}

impl Sold {
    pub(crate) fn named(&self) -> Value {
        json!({"orderId": self.order, "ticketId": self.ticket})
    }
}

/// The doors of a venue: one process that serves them.
#[derive(Clone)]
pub(crate) struct Doors(pub(crate) Venue);

/// All that the tests ask.
fn routes() -> axum::Router<adapters::App> {
    let routes: [axum::Router<adapters::App>; 5] = [
        admission::router(),
        checkout::router(),
        orders::router(),
        order_refunds::router(),
        backoffice::router(),
    ];
    routes.into_iter().fold(axum::Router::new(), axum::Router::merge)
}

impl Doors {
    pub(crate) async fn open() -> Self {
        static BEGINNING: TableImage = TableImage::new();
        let tables = Tables::copy_of(&BEGINNING, begin).await;
        let doors = Self::over(&tables);
        doors.warm().await;
        doors
    }

    /// A process that was started this moment.
    pub(crate) fn over(tables: &Tables) -> Self {
        Self(Venue::new(tables, routes(), DOOR).at(&t0().to_rfc3339()))
    }

    /// Another process over the same tables, its caches filled.
    pub(crate) async fn another(&self) -> Self {
        let other = Self::over(&self.0.tables);
        other.warm().await;
        other
    }

    /// Fills the caches, so that every further request makes exactly its own calls.
    async fn warm(&self) {
        for key in [DOOR, BACK_DOOR, TILL, STAFF] {
            let nothing = json!({"tickets": [{"orderId": "1", "ticketId": "1"}]});
            let _ = self.send(admit(nothing).by(key)).await;
        }
        self.0.faults.reset();
    }

    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        self.0.send(ask).await
    }

    /// Sends a request that must succeed.
    pub(crate) async fn done(&self, ask: Ask) -> Value {
        self.send(ask).await.done()
    }

    /// The only result of a scan.
    pub(crate) async fn result(&self, ask: Ask) -> Value {
        let answer = self.done(ask).await;
        assert_eq!(answer["results"].as_array().unwrap().len(), 1, "{answer}");
        answer["results"][0].clone()
    }

    /// Why the only result was refused; `admitted` where it was not.
    pub(crate) async fn reason(&self, ask: Ask) -> String {
        let result = self.result(ask).await;
        assert_eq!(result["admitted"] == true, result.get("reason").is_none(), "{result}");
        result["reason"].as_str().unwrap_or("admitted").to_owned()
    }

    /// Sells so many tickets of a slot, with these fields of a checkout instead of the usual ones.
    pub(crate) async fn sell_with(&self, event: InstanceId, quantity: u32, fields: Value) -> Vec<Sold> {
        let items = json!([{"eventId": event, "ticketingTypeId": ADULT, "quantity": quantity}]);
        self.buy(with(json!({"shoppingCart": {"items": items}}), fields)).await
    }

    /// Sells so many tickets of a slot.
    pub(crate) async fn sell(&self, event: InstanceId, quantity: u32) -> Vec<Sold> {
        self.sell_with(event, quantity, json!({})).await
    }

    /// Sells one ticket of the gallery.
    pub(crate) async fn one(&self) -> Sold {
        self.sell(event(GALLERY, 0), 1).await.remove(0)
    }

    /// What an order has, after a checkout with these fields.
    pub(crate) async fn buy(&self, fields: Value) -> Vec<Sold> {
        let usual = json!({
            "contactFirstName": "Ines", "contactLastName": "Okafor", "email": "ines@example.test",
            "phoneNumber": "+1 212 555 0142",
            "billingFirstName": "Ines", "billingLastName": "Okafor", "billingEmail": "ines@example.test",
        });
        let pay = post("/v2/b2c/checkout", with(usual, fields));
        let order = self.done(pay.by("shop-1").header("x-service-browser-ip", "203.0.113.24")).await;
        self.tickets(order["id"].as_str().unwrap()).await
    }

    /// The tickets of an order, the exchanged ones included.
    pub(crate) async fn tickets(&self, order: &str) -> Vec<Sold> {
        let shown = self.done(get(format!("/v2/b2b/willcall/orders/{order}")).by(STAFF)).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut sold = Vec::new();
        for item in shown["eventItems"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|event| event["items"].as_array().unwrap().iter())
        {
            for ticket in item["tickets"].as_array().unwrap() {
                sold.push(Sold {
                    order: text(&shown["orderId"]),
                    number: text(&shown["orderNumber"]),
                    item: text(&item["orderItemId"]),
                    ticket: text(&ticket["id"]),
                    code: text(&ticket["uuid"]),
                });
            }
        }
        sold
    }

    /// What happened with the tickets of an order.
    pub(crate) async fn history(&self, order: &str) -> Value {
        self.done(get(format!("/v2/b2b/admissions/orders/{order}")).by(STAFF)).await
    }

    /// What happened with one ticket.
    pub(crate) async fn past(&self, sold: &Sold) -> Value {
        let history = self.history(&sold.order).await;
        let tickets = history["tickets"].as_array().unwrap();
        tickets.iter().find(|ticket| ticket["ticketId"] == sold.ticket.as_str()).unwrap().clone()
    }
}

/// A scan with these fields.
pub(crate) fn admit(body: Value) -> Ask {
    post("/v2/b2b/admissions", body)
}

/// A scan of a barcode.
pub(crate) fn scan(code: &str) -> Ask {
    admit(json!({"code": code, "terminalId": "gate-1"}))
}

/// A scan of a barcode into an event.
pub(crate) fn scan_into(code: &str, event: InstanceId) -> Ask {
    admit(json!({"code": code, "eventId": event, "terminalId": "gate-1"}))
}

/// A scan on the way out.
pub(crate) fn leave(code: &str) -> Ask {
    admit(json!({"code": code, "type": "exit", "terminalId": "gate-1"}))
}

/// A scan that staff insist on.
pub(crate) fn force(body: Value) -> Ask {
    admit(with(body, json!({"force": true, "forceReason": "knows the director"}))).by(TILL)
}

/// Takes the last scan of a ticket back.
pub(crate) fn undo(sold: &Sold) -> Ask {
    post("/v2/b2b/admissions/undo", json!({"tickets": [sold.named()], "terminalId": "gate-1"}))
}

/// Blocks a ticket, or takes that back.
pub(crate) fn block(sold: &Sold, blocked: bool) -> Ask {
    let body = json!({"tickets": [sold.named()], "blocked": blocked, "reason": "reported lost"});
    post("/v2/b2b/admissions/blocks", body).by(TILL)
}

/// Refunds a ticket.
pub(crate) fn refund(sold: &Sold, fields: Value) -> Ask {
    let items = json!([{"itemId": sold.item, "ticketIds": [sold.ticket]}]);
    let body = json!({"orderId": sold.order, "items": items, "sendEmail": false});
    post("/v2/b2b/refunds", with(body, fields)).by(STAFF)
}

/// Exchanges a ticket for one of another time.
pub(crate) fn exchange(sold: &Sold, event: InstanceId, fields: Value) -> Ask {
    let body =
        json!({"orderId": sold.order, "ticketIds": [sold.ticket], "eventId": event, "sendEmail": false});
    post("/v2/b2b/exchanges", with(body, fields)).by(STAFF)
}

/// An upload of these scans.
pub(crate) fn upload(scans: &[Value]) -> Ask {
    post("/v2/b2b/admissions/uploads", json!({"terminalId": "pocket-7", "scans": scans}))
}

/// A scan that a device made, by the number of its name.
pub(crate) fn offline(number: u64, sold: &Sold, at: Timestamp) -> Value {
    json!({
        "scanId": format!("{number:08x}-93d4-4f26-8c1d-70e2a9b4f318"),
        "orderId": sold.order, "ticketId": sold.ticket, "at": at.to_rfc3339(), "decision": "admitted",
    })
}

/// The outcomes of an upload.
pub(crate) fn outcomes(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|result| result["outcome"].as_str().unwrap()).collect()
}

/// What is stored of a template, but for what [`template`] knows.
fn stored_template(of: &str) -> Value {
    let window = |before: u32, after: u32, blocks: bool, moves: bool| json!({"minutes_before": before, "minutes_after": after, "block_scan": blocks, "auto_rebook": moves});
    let details = match of {
        GALLERY => json!({"check_in_window": window(30, 60, true, false)}),
        GARDEN => json!({"reentry": "afterExit"}),
        PIER => json!({"check_in_window": window(30, 30, false, false), "reentry": "always"}),
        _ => json!({"check_in_window": window(30, 30, true, true)}),
    };
    let name = match of {
        GALLERY => "Harbor Gallery Entry",
        GARDEN => "Rope Garden",
        PIER => "Pier",
        _ => "Signal Tower",
    };
    json!({
        "id": of, "name": name, "start": t0(), "capacity": 500, "ticket_details": details,
        "price_lists": price_lists(&[(ADULT, 0), (CHILD, 0)]), "venue": {"rebooking_fee": 500},
    })
}

async fn save_key(tables: &Tables, text: &str, scope: Scope) {
    let key = ApiKey { label: text.to_owned(), ..key(owner(), scope) };
    tables.store.save_api_key(&key_hash(text), &key).await.unwrap();
}

/// What every venue begins with.
async fn begin(tables: Tables) {
    let store = &tables.store;
    for number in [1, 2] {
        tables.save_tenant(tenant(number)).await;
    }
    tables.save_key("door-2", Scope::Door).await;
    for (text, scope) in [
        (DOOR, Scope::Door),
        (BACK_DOOR, Scope::Door),
        (TILL, Scope::Counter),
        (STAFF, Scope::B2b),
        ("shop-1", Scope::B2c),
    ] {
        save_key(&tables, text, scope).await;
    }
    for of in [GALLERY, GARDEN, PIER, TOWER] {
        store.save_template(owner(), &template(stored_template(of))).await.unwrap();
        for number in 0..3 {
            store.create_ledger(owner(), &ledger(of, start(number), 500)).await.unwrap();
        }
    }
    for (id, name) in [(ADULT, "Adult"), (CHILD, "Child")] {
        store.save_person_type(owner(), &person_type(id, name)).await.unwrap();
    }
    store.save_level(owner(), &level(LEVEL, "Family", json!({}))).await.unwrap();
    let cards = json!([
        {"id": 1, "person": {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.test"}, "barcode": CARD},
        {"id": 2, "person": {"first_name": "Ben", "last_name": "Byron"}, "barcode": "CARD-2"},
    ]);
    let family = membership(json!({"cards": cards}));
    store.save_membership(owner(), "family", &family).await.unwrap();
}
