//! A venue with slots, and requests to it.

use adapters::App;
use domain::ledger::{Ledger, SlotState};
use domain::rate_limit::{Rate, RateLimit};
use domain::tenant::Scope;
use domain::time::plus_secs;
use domain::{InstanceId, Timestamp};
use serde_json::{Value, json};
use std::ops::Deref;
use store::Consistency;
use testkit::catalog::{self, ADULT, TEMPLATE};
use testkit::image::TableImage;
use testkit::{Answer, Ask, Tables, tenant, tenant_id};

pub(crate) const T0: &str = "2027-05-01T10:00:00-04:00";
pub(crate) const PATH: &str = "/v2/b2b/reservations";
/// An event that is sold everywhere, other than the tour.
const SHOW: &str = "6f2e91b0c47d5a3e18b90f43";

/// The clock so many seconds after [`T0`].
pub(crate) fn after(secs: i64) -> String {
    plus_secs(T0.parse().unwrap(), secs).to_rfc3339()
}

/// The body of an answer without what differs from run to run.
pub(crate) fn stable(answer: &Answer) -> Value {
    let mut body = answer.body.clone();
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

/// The body of a reservation of these events and quantities.
pub(crate) fn reservation(lines: &[(InstanceId, u32)]) -> Value {
    let line =
        |(slot, quantity): &(InstanceId, u32)| json!({"eventId": slot.to_string(), "quantity": quantity});
    let lines: Vec<Value> = lines.iter().map(line).collect();
    json!({ "reservationItems": lines })
}

/// `POST` of these events and quantities.
pub(crate) fn post(lines: &[(InstanceId, u32)]) -> Ask {
    testkit::post(PATH, reservation(lines))
}

/// `PUT` of these events and quantities.
pub(crate) fn put(id: i64, lines: &[(InstanceId, u32)]) -> Ask {
    testkit::put(PATH, catalog::with(reservation(lines), json!({ "id": id })))
}

pub(crate) fn get(id: i64) -> Ask {
    testkit::get(format!("{PATH}/{id}"))
}

pub(crate) fn delete(id: i64) -> Ask {
    testkit::delete(format!("{PATH}/{id}"))
}

async fn write(tables: Tables) {
    for number in [1, 2] {
        tables.save_tenant(tenant(number)).await;
        tables.save_key(&format!("key-{number}"), Scope::B2b).await;
        tables.save_key(&format!("shop-{number}"), Scope::B2c).await;
        tables.save_key(&format!("page-{number}"), Scope::B2cBrowser).await;
        tables.save_key(&format!("till-{number}"), Scope::Counter).await;
        tables.save_key(&format!("gate-{number}"), Scope::Door).await;
    }
    let tour = catalog::template(json!({"kind": "private", "name": "Tour", "capacity": 5}));
    tables.store.save_template(tenant_id(1), &tour).await.unwrap();
    let priced = catalog::price_lists(&[(ADULT, 1_800)]);
    let show = catalog::template(json!({"id": SHOW, "name": "Lanterns", "price_lists": priced}));
    tables.store.save_template(tenant_id(1), &show).await.unwrap();
}

/// A process whose venue has slots.
pub(crate) struct Venue(testkit::Venue);

impl Deref for Venue {
    type Target = testkit::Venue;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Venue {
    pub(crate) async fn open() -> Self {
        static IMAGE: TableImage = TableImage::new();
        let tables = Tables::copy_of(&IMAGE, write).await;
        let routes: axum::Router<App> = reservations::router();
        let venue = Self(testkit::Venue::new(&tables, routes, "key-1").at(T0));
        // The first request fills the caches of keys and definitions.
        venue.send(post(&[]).keyed("warm")).await;
        venue
    }

    /// A venue where something may be asked for so often only.
    pub(crate) async fn limited(limit: RateLimit, rate: &str) -> Self {
        let venue = Self::open().await;
        let mut limited = tenant(1);
        limited.limits.insert(limit, Rate::parse(rate).unwrap());
        venue.tables.save_tenant(limited).await;
        let routes: axum::Router<App> = reservations::router();
        // Another process, which knows nothing of the tenant as it was.
        Self(testkit::Venue::new(&venue.tables, routes, "key-1").at(T0))
    }

    /// A slot of the show, which shops sell.
    pub(crate) async fn show(&self, hours: i64, size: u32) -> InstanceId {
        let start: Timestamp = plus_secs(T0.parse().unwrap(), hours * 3_600);
        let ledger = catalog::ledger(SHOW, start, size);
        self.store.create_ledger(tenant_id(1), &ledger).await.unwrap();
        ledger.instance
    }

    /// A slot of this many seats that starts so many hours after [`T0`].
    pub(crate) async fn slot(&self, hours: i64, size: u32) -> InstanceId {
        self.slot_in(SlotState::Active, hours, size).await
    }

    pub(crate) async fn slot_in(&self, state: SlotState, hours: i64, size: u32) -> InstanceId {
        let start: Timestamp = plus_secs(T0.parse().unwrap(), hours * 3_600);
        let ledger = Ledger { state, ..catalog::ledger(TEMPLATE, start, size) };
        self.store.create_ledger(tenant_id(1), &ledger).await.unwrap();
        ledger.instance
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
}
