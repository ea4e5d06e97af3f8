//! Two tenants without a catalog, and requests to their back office.

use adapters::{App, IdSource};
use domain::Timestamp;
use domain::tenant::Scope;
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::image::TableImage;
use testkit::{Tables, Venue, get, post, put, tenant};

pub(crate) const T0: &str = "2027-05-01T10:00:00-04:00";

pub(crate) async fn open() -> Venue {
    static IMAGE: TableImage = TableImage::new();
    let tables = Tables::copy_of(&IMAGE, write).await;
    let routes: [axum::Router<App>; 3] = [backoffice::router(), reservations::router(), events::router()];
    let routes = routes.into_iter().fold(axum::Router::new(), axum::Router::merge);
    let venue = Venue::new(&tables, routes, "key-1").at(T0);
    // The first request fills the caches of keys and secrets.
    venue.send(put("/v2/b2b/persontypes/none", json!({}))).await;
    venue
}

async fn write(tables: Tables) {
    for number in [1, 2] {
        tables.save_tenant(tenant(number)).await;
        tables.save_key(&format!("key-{number}"), Scope::B2b).await;
        tables.save_key(&format!("shop-{number}"), Scope::B2c).await;
        tables.save_key(&format!("counter-{number}"), Scope::Counter).await;
        tables.save_key(&format!("door-{number}"), Scope::Door).await;
    }
}

/// Does the scheduled work at an instant, which is real time for it.
pub(crate) async fn clean_up(venue: &Venue, now: &str) -> cleanup::PassReport {
    let now: Timestamp = now.parse().unwrap();
    let app = venue.app.clone().simulated(Arc::new(move || now), IdSource::default());
    cleanup::pass(&app, cleanup::PassScope::Sandbox, now).await.unwrap()
}

/// Checks that a body which is right but for some fields is refused with these complaints, both as a new record
/// and in place of one that is there, and that nothing is changed by it.
pub(crate) async fn assert_refused(
    venue: &Venue,
    list: &str,
    one: &str,
    right: &Value,
    wrong: &Value,
    expected: &[&str],
) {
    let mut body = right.clone();
    for (name, value) in wrong.as_object().unwrap() {
        body[name] = value.clone();
    }
    let before = (venue.send(get(list)).await.body, venue.send(get(one)).await.body);
    for ask in [post(list, body.clone()), put(one, body.clone())] {
        let refused = venue.send(ask).await;
        let kind = if expected.iter().all(|fault| fault.ends_with("was not found")) { 404 } else { 400 };
        assert_eq!(
            (refused.status, refused.faults()),
            (kind, expected.iter().map(ToString::to_string).collect()),
            "{wrong}"
        );
    }
    assert_eq!((venue.send(get(list)).await.body, venue.send(get(one)).await.body), before);
}

/// What is in a body but the id.
pub(crate) fn without_id(body: &Value) -> Value {
    let mut body = body.clone();
    body.as_object_mut().unwrap().remove("id");
    body
}
