//! Whose carts are priced for which sale channel.

use crate::support::{Venue, start, tenant_id, tickets};
use domain::tenant::Scope;
use serde_json::{Value, json};
use testkit::catalog::{self, ADULT};
use testkit::{get, post};

fn price(cents: i64, channel: &str) -> Value {
    let switch = json!({"name": "", "channel": channel, "enabled": true});
    json!({"ticket_type": ADULT, "price": cents, "display_order": 1, "sales_channels": [switch]})
}

/// A venue whose tickets have another price through each channel.
async fn venue() -> Venue {
    let venue = Venue::open().await;
    let prices = [price(1_800, "online"), price(1_500, "pointOfSale"), price(1_200, "insideSalesIndividual")];
    let lists = json!([{"id": "64b8a7c6d5e4f3021a2b3c4d", "name": "Regular", "prices": prices}]);
    let template = catalog::template(json!({"start": start(), "price_lists": lists}));
    venue.store.save_template(tenant_id(), &template).await.unwrap();
    for (key, scope) in [
        ("till-204", Scope::Counter),
        ("office-204", Scope::B2b),
        ("gate-204", Scope::Door),
        ("pay-204", Scope::Payment),
    ] {
        venue.tables.save_key(key, scope).await;
    }
    venue
}

#[tokio::test]
async fn a_till_sells_at_the_prices_of_its_counter_and_the_back_office_at_its_own() {
    let venue = venue().await;
    for (key, total) in [("key-204", "18.00"), ("till-204", "15.00"), ("office-204", "12.00")] {
        let made = venue.send(post("/v2/b2c/carts", json!({"items": [tickets(1)]})).by(key)).await;
        let id = made.done();
        let path = format!("/v2/b2c/carts/{}", id.as_str().unwrap());
        let read = venue.send(get(path).by(key)).await.done();
        assert_eq!(read["items"][0]["unitPrice"], total, "{key}: {read}");
    }
}

#[tokio::test]
async fn what_is_not_sold_through_a_channel_is_not_sold_at_its_keys() {
    let venue = venue().await;
    let lists =
        json!([{"id": "64b8a7c6d5e4f3021a2b3c4d", "name": "Regular", "prices": [price(1_800, "online")]}]);
    let template = catalog::template(json!({"start": start(), "price_lists": lists}));
    venue.store.save_template(tenant_id(), &template).await.unwrap();
    for (key, status) in [("key-204", 200), ("till-204", 404), ("office-204", 404)] {
        let made = venue.send(post("/v2/b2c/carts", json!({"items": [tickets(1)]})).by(key)).await;
        assert_eq!(made.status, status, "{key}: {}", made.text);
    }
}

#[tokio::test]
async fn a_door_sells_nothing() {
    let venue = venue().await;
    for key in ["gate-204", "pay-204"] {
        let refused = venue.send(post("/v2/b2c/carts", json!({})).by(key)).await;
        let told = "This route needs an API key with the scope b2c or b2c-browser or counter or b2b";
        assert_eq!((refused.status, &refused.body["message"]), (403, &json!(told)), "{key}");
    }
}
