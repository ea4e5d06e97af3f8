//! A venue that sells one slot, one ticket type, an add-on and two donations, and requests to its cart routes.

use adapters::App;
use domain::catalog::InventoryKind;
use domain::ledger::Ledger;
use domain::tenant::Scope;
use domain::time::plus_secs;
use domain::{CartId, InstanceId, Template, TenantId, Timestamp};
use serde_json::{Value, json};
use std::ops::Deref;
use testkit::catalog::{self, ADD_ON, ADULT, DONATION, FIXED_DONATION, TEMPLATE};
use testkit::image::TableImage;
use testkit::{Tables, post, tenant};

pub(crate) fn tenant_id() -> TenantId {
    testkit::tenant_id(204)
}

/// Two hours before the slots start.
pub(crate) fn now() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

pub(crate) fn template() -> Template {
    catalog::template(json!({"start": start(), "price_lists": catalog::price_lists(&[(ADULT, 1_800)])}))
}

pub(crate) fn start() -> Timestamp {
    plus_secs(now(), 7_200)
}

/// The id of the slot `hours` after the first one; only the first has a ledger.
pub(crate) fn slot(hours: i64) -> InstanceId {
    catalog::slot(TEMPLATE, plus_secs(start(), hours * 3_600))
}

pub(crate) fn ledger() -> Ledger {
    catalog::ledger(TEMPLATE, start(), 10)
}

pub(crate) fn tickets(quantity: u32) -> Value {
    json!({"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": quantity})
}

async fn write(tables: Tables) {
    for number in [204, 205] {
        tables.save_tenant(tenant(number)).await;
        tables.save_key(&format!("key-{number}"), Scope::B2c).await;
    }
    let store = &tables.store;
    store.save_template(tenant_id(), &template()).await.unwrap();
    store.save_person_type(tenant_id(), &catalog::person_type(ADULT, "Adult")).await.unwrap();
    for item in [
        catalog::inventory(ADD_ON, InventoryKind::AddOn, 450, "Audio guide"),
        catalog::inventory(FIXED_DONATION, InventoryKind::FixedDonation, 2_500, "Friends of the harbor"),
        catalog::inventory(DONATION, InventoryKind::Donation, 0, "Restoration fund"),
    ] {
        store.save_inventory(tenant_id(), &item).await.unwrap();
    }
}

/// A process that keeps carts.
pub(crate) struct Venue(testkit::Venue);

impl Deref for Venue {
    type Target = testkit::Venue;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Venue {
    pub(crate) async fn open() -> Self {
        Self::with_ledger(ledger()).await
    }

    pub(crate) async fn with_ledger(ledger: Ledger) -> Self {
        static IMAGE: TableImage = TableImage::new();
        let tables = Tables::copy_of(&IMAGE, write).await;
        tables.store.create_ledger(tenant_id(), &ledger).await.unwrap();
        let routes: axum::Router<App> = carts::router();
        Self(testkit::Venue::new(&tables, routes, "key-204").at(&now().to_rfc3339()))
    }

    /// A new cart of these items; its path.
    pub(crate) async fn cart_of(&self, items: Value) -> (CartId, String) {
        let answer = self.send(post("/v2/b2c/carts", json!({ "items": items }))).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let id = CartId::parse(answer.body.as_str().unwrap()).unwrap();
        let path = format!("/v2/b2c/carts/{id}");
        (id, path)
    }

    /// Items in the table of carts, but for the counts of who asked.
    pub(crate) async fn stored_carts(&self) -> i32 {
        let found = self.tables.scan("carts").await;
        let carts = found.iter().filter(|item| !item["pk"].as_s().unwrap().contains("#RATE#"));
        i32::try_from(carts.count()).unwrap()
    }
}
