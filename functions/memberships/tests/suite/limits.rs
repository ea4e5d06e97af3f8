//! As much as a catalog may hold, and what a write reads of it.

use crate::support;
use adapters::catalog_limits::CatalogLimits;
use domain::TenantId;
use serde_json::{Value, json};
use store::{Action, Expression, Key, Table, definitions_partition, text};
use testkit::{Answer, Venue, made, post, put};

const TEMPLATE: &str = "/v2/b2b/event/templates";

fn tenant() -> TenantId {
    TenantId::parse(1).unwrap()
}

fn body(path: &str, number: usize) -> Value {
    let name = format!("Number {number}");
    match path {
        "/v2/b2b/persontypes" | "/v2/b2b/discounts" | "/v2/b2b/membership/levels" => json!({"name": name}),
        "/v2/b2b/coupons" => {
            json!({"name": name, "code": format!("C{number}"), "discountType": "amount", "value": "1.00"})
        }
        "/v2/b2b/inventory" => json!({"name": name, "type": "addOn", "price": "5.00"}),
        "/v2/b2b/forms" => json!({"name": name, "fields": [{"name": "a", "type": "text"}]}),
        _ => {
            json!({"name": name, "description": "With a guide", "capacity": 10, "startTime": "2027-06-01T10:00:00-04:00", "duration": {"hour": 1, "minute": 0}})
        }
    }
}

/// What the venue has one of is written by these.
const DEFINITIONS: [&str; 6] = [
    "/v2/b2b/persontypes",
    "/v2/b2b/discounts",
    "/v2/b2b/membership/levels",
    "/v2/b2b/coupons",
    "/v2/b2b/inventory",
    "/v2/b2b/forms",
];

fn told(answer: &Answer) -> (u16, Value, Value, Value) {
    let fact = |name: &str| answer.body[name].clone();
    (answer.status, fact("type"), fact("what"), fact("limit"))
}

#[tokio::test]
async fn one_more_than_a_catalog_may_hold_is_refused_with_the_limit_whatever_it_is() {
    for path in DEFINITIONS.iter().chain([&TEMPLATE]) {
        let limits = CatalogLimits { definitions: 12, templates: 12 };
        let venue = support::within(support::open().await, limits);
        let mut all = Vec::new();
        for number in 0..12 {
            all.push(venue.send(post(*path, body(path, number))).await.id());
        }
        let what = if *path == TEMPLATE { "eventTemplates" } else { "definitions" };
        let refused = (409, json!("LIMIT_REACHED"), json!(what), json!(12));
        for path in DEFINITIONS.iter().filter(|_| *path != TEMPLATE).chain([path]) {
            assert_eq!(told(&venue.send(post(*path, body(path, 12))).await), refused, "{path}");
        }
        // What is there is changed and deleted as ever, and makes room.
        let one = format!("{path}/{}", all[0]);
        assert_eq!(venue.send(testkit::delete(one)).await.status, 200, "{path}");
        assert_eq!(venue.send(post(*path, body(path, 13))).await.status, 200, "{path}");
        assert_eq!(told(&venue.send(post(*path, body(path, 14))).await), refused, "{path}");
    }
}

#[tokio::test]
async fn entitlements_of_a_template_count_as_well() {
    let venue = support::within(support::open().await, CatalogLimits { definitions: 2, templates: 9 });
    let template = made(&venue, TEMPLATE, body(TEMPLATE, 1)).await;
    for number in 0..2 {
        let done = venue.send(post("/v2/b2b/persontypes", body("/v2/b2b/persontypes", number))).await;
        assert_eq!(done.status, 200);
    }
    let limits = json!({"rules": [], "ticketLimits": {"perOrder": 4}});
    let refused = venue.send(put(format!("{TEMPLATE}/{template}/entitlements"), limits)).await;
    assert_eq!(told(&refused), (409, json!("LIMIT_REACHED"), json!("definitions"), json!(2)));
}

/// Puts a record of a kind that nobody can read: whoever reads it fails.
async fn spoil(venue: &Venue, kind: &str) {
    let key =
        Key { table: Table::Catalog, pk: definitions_partition(tenant()), sk: format!("{kind}#spoilt") };
    let mut item = store::Item::from([("id".to_owned(), text("spoilt"))]);
    item.insert("pk".to_owned(), text(&key.pk));
    item.insert("sk".to_owned(), text(&key.sk));
    venue.store.write(&key, Action::Put(item, Expression::new())).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_write_reads_no_more_of_the_catalog_than_its_record_refers_to() {
    let all =
        ["PERSONTYPE", "INVENTORY", "DISCOUNT", "COUPON", "COMBO", "FORM", "LEVEL", "ENTITLEMENTS", "REACH"];
    for (path, reads) in [
        ("/v2/b2b/persontypes", &[][..]),
        ("/v2/b2b/inventory", &[]),
        ("/v2/b2b/forms", &[]),
        ("/v2/b2b/discounts", &["PERSONTYPE"]),
        ("/v2/b2b/membership/levels", &["PERSONTYPE"]),
        ("/v2/b2b/coupons", &["PERSONTYPE", "DISCOUNT", "COUPON", "LEVEL"]),
    ] {
        for kind in all {
            let venue = support::open().await;
            let id = venue.send(post(path, body(path, 0))).await.id();
            spoil(&venue, kind).await;
            let mut again = body(path, 1);
            again["id"] = json!(id);
            let one = if path.ends_with("levels") { path.to_owned() } else { format!("{path}/{id}") };
            for (what, done) in [
                ("made", venue.send(post(path, body(path, 2))).await),
                ("changed", venue.send(put(one, again)).await),
            ] {
                let expected = if reads.contains(&kind) { 500 } else { 200 };
                assert_eq!(done.status, expected, "{path} {what} beside {kind}: {}", done.body);
            }
        }
    }
}
