//! Two tenants without a catalog, and requests to their back office.

use adapters::App;
use adapters::catalog_limits::CatalogLimits;
use domain::membership::Membership;
use domain::tenant::{ApiKey, Scope};
use serde_json::{Value, json};
use store::identity::key_hash;
use testkit::image::TableImage;
use testkit::{Tables, Venue, catalog, put, tenant, tenant_id, tenants};

/// The key of a till of the first tenant.
pub(crate) const TILL: &str = "till-1";

pub(crate) async fn open() -> Venue {
    static IMAGE: TableImage = TableImage::new();
    let tables = Tables::copy_of(&IMAGE, write).await;
    let routes: [axum::Router<App>; 2] = [memberships::router(), backoffice::router()];
    let routes = routes.into_iter().fold(axum::Router::new(), axum::Router::merge);
    let venue = Venue::new(&tables, routes, "key-1").at("2027-05-01T10:00:00-04:00");
    // The first request fills the caches of keys and secrets.
    venue.send(put("/v2/b2b/persontypes/none", json!({}))).await;
    venue
}

async fn write(tables: Tables) {
    for number in [1, 2] {
        tables.save_tenant(tenant(number)).await;
        let key = ApiKey { label: "Back office".to_owned(), ..tenants::key(tenant_id(number), Scope::B2b) };
        tables.store.save_api_key(&key_hash(&format!("key-{number}")), &key).await.unwrap();
    }
    tables.save_key(TILL, Scope::Counter).await;
}

/// The same venue, served with other limits.
pub(crate) fn within(venue: Venue, limits: CatalogLimits) -> Venue {
    let app = venue.app.clone().with_limits(limits);
    venue.with_app(app)
}

pub(crate) fn noon(day: &str) -> String {
    format!("{day}T12:00:00-04:00")
}

/// Stores a membership of the first tenant: number, second of its making and last change, and what else differs.
pub(crate) async fn save_membership(venue: &Venue, number: i64, second: i64, fields: Value) -> Membership {
    let at = domain::time::plus_secs("2027-04-01T00:00:00Z".parse().unwrap(), second);
    let usual = json!({
        "id": 1_000 + number, "number": number, "level": "crew", "offering": "year", "price_point": "adult",
        "created_at": at, "updated_at": at, "updated_by": "Import", "cards": [card(10_000 + number, json!({}))],
    });
    let membership = catalog::membership(catalog::with(usual, fields));
    // A token names one content.
    let token = store::authored::revision_of(&membership).unwrap();
    venue.store.save_membership(tenant_id(1), &token, &membership).await.unwrap();
    membership
}

/// A card with this id, and what else differs.
pub(crate) fn card(id: i64, fields: Value) -> Value {
    let card = json!({
        "id": id, "card_type": "primary", "barcode": format!("B{id}"),
        "person": {"first_name": "Ada", "last_name": format!("Lovelace{id}"), "email": format!("ada{id}@example.test")},
    });
    catalog::with(card, fields)
}
