//! A venue with members, and requests about their carts.

use adapters::App;
use domain::cart::{Cart, PricedLines};
use domain::cart_request::CartTerms;
use domain::entitlement::{Entitlements, Tally};
use domain::tenant::Scope;
use domain::time::plus_secs;
use domain::{CartId, InstanceId, Money, TenantId, Timestamp};
use serde_json::{Value, json};
use std::ops::Deref;
use store::{Action, Expression, Key, number};
use testkit::catalog::{self, ADULT, CHILD, LEVEL, NUMBER, TEMPLATE, stored};
use testkit::image::TableImage;
use testkit::{Answer, Ask, Tables, tenant};

/// The line of a stored cart.
pub(crate) const LINE: &str = "e4b1f7a0c2d94c5fa8e6137b90d2c516";

pub(crate) fn tenant_id() -> TenantId {
    testkit::tenant_id(204)
}

/// Tuesday, 1 June 2027, 10:00 in New York; two days before the first slot starts.
pub(crate) fn now() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

fn start(slot: i64) -> Timestamp {
    plus_secs(now(), 2 * 86_400 + slot * 3_600)
}

/// A slot that staff moved to the day after.
pub(crate) const MOVED: i64 = 2;

/// The id of the slot so many hours after the first; the first three have ledgers.
pub(crate) fn slot(number: i64) -> InstanceId {
    catalog::slot(TEMPLATE, start(number))
}

/// What the venue's rules and limits are, in their stored form.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) rules: Value,
    pub(crate) limits: Value,
    pub(crate) max_tickets: Option<u32>,
}

impl Rules {
    /// Four adults and children together on one day.
    pub(crate) fn usual() -> Self {
        let rule = json!({
            "id": "Adult_Child_Limit_4", "levels": [LEVEL], "price_points": [ADULT, CHILD], "limit": 4,
            "applies": "acrossAllItems", "period": "day",
        });
        Self { rules: json!([rule]), limits: json!({}), max_tickets: None }
    }
}

/// A request about a cart.
pub(crate) fn ask(method: &str, cart: Value) -> Ask {
    testkit::ask(method, "/v2/b2c/entitlements/validate", cart)
}

/// A process whose venue sells a tour to adults for 18.00 and children for 9.00, a family's adults for 10.00 and
/// children for 8.00.
pub(crate) struct Venue(testkit::Venue);

impl Deref for Venue {
    type Target = testkit::Venue;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Venue {
    pub(crate) async fn open(rules: Rules) -> Self {
        static IMAGE: TableImage = TableImage::new();
        let tables = Tables::copy_of(&IMAGE, write).await;
        save_rules(&tables, &rules).await;
        let routes: axum::Router<App> = entitlements::router();
        let venue = Self(testkit::Venue::new(&tables, routes, "key-204").at(&now().to_rfc3339()));
        // Fills the caches.
        venue.validate(json!({"items": []})).await;
        venue
    }

    pub(crate) async fn validate(&self, cart: Value) -> Answer {
        self.send(ask("POST", cart)).await
    }

    /// Notes that earlier orders of the membership used so many tickets of a counter in a period.
    pub(crate) async fn used(&self, period: &str, counter: &str, times: i64) {
        let mut uses = Expression::new();
        uses.assign(counter, number(times));
        self.store.write(&tally(period), Action::Update(uses)).await.unwrap().unwrap();
    }

    /// A stored cart of tickets for the first slot that names the membership by its number.
    pub(crate) async fn cart(&self, quantity: u32) -> CartId {
        self.cart_for(0, quantity).await
    }

    /// The same for the slot so many hours after the first, whether there is one or not.
    pub(crate) async fn cart_for(&self, hours: i64, quantity: u32) -> CartId {
        let line = json!({"Ticket": {
            "id": LINE, "instance": slot(hours), "ticket_type": ADULT,
            "quantity": quantity, "event_name": "Harbor Gallery Entry", "ticket_type_name": "Adult",
            "admission": "standard", "event_start": start(hours).timestamp_millis(),
            "price": {"unit": 1_800, "retail_unit": 1_800, "amount": 1_800 * quantity},
        }});
        let priced =
            PricedLines { lines: vec![stored(line)], total: Money::ZERO, coupon_messages: Vec::new() };
        let terms = CartTerms {
            membership_ids: vec![domain::MembershipId::parse(NUMBER).unwrap()],
            ..CartTerms::default()
        };
        let id = CartId::parse("7b3f0e5d9a1c4827b6d0e9f3").unwrap();
        let cart = Cart::new(id.clone(), "1".to_owned(), terms, priced, now());
        self.store.create_cart(tenant_id(), &cart, now(), now()).await.unwrap().unwrap();
        id
    }
}

/// A cart of these items that names the membership by its number.
pub(crate) fn members_cart(items: Value) -> Value {
    json!({"membershipIds": [NUMBER], "items": items})
}

pub(crate) fn tickets(of: &str, quantity: u32) -> Value {
    tickets_for(0, of, quantity)
}

pub(crate) fn tickets_for(number: i64, of: &str, quantity: u32) -> Value {
    json!({"eventId": slot(number), "ticketingTypeId": of, "quantity": quantity})
}

/// Of each entry of an answer: rule, quantities and verdict.
pub(crate) fn entries(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let entry = |entry: &Value| {
        format!(
            "{}: {} and {} of {}, {}",
            entry["rulesApplied"][0]["id"].as_str().unwrap(),
            entry["purchasedQuantity"],
            entry["requestedQuantity"],
            entry["allowedQuantity"],
            entry["valid"],
        )
    };
    answer.body["results"].as_array().unwrap().iter().map(entry).collect()
}

async fn write(tables: Tables) {
    for number in [204, 205] {
        tables.save_tenant(tenant(number)).await;
        tables.save_key(&format!("key-{number}"), Scope::B2c).await;
        tables.save_key(&format!("page-{number}"), Scope::B2cBrowser).await;
        tables.save_key(&format!("staff-{number}"), Scope::B2b).await;
        tables.save_key(&format!("gate-{number}"), Scope::Door).await;
    }
    let store = &tables.store;
    let family = catalog::discount("family", "Family", &[(ADULT, 1_000), (CHILD, 800)]);
    store.save_discount(tenant_id(), &family).await.unwrap();
    for (id, name) in [(ADULT, "Adult"), (CHILD, "Child")] {
        store.save_person_type(tenant_id(), &catalog::person_type(id, name)).await.unwrap();
    }
    for (number, moved_secs) in [(0, 0), (1, 0), (MOVED, 86_400)] {
        let mut ledger = catalog::ledger(TEMPLATE, start(number), 10);
        ledger.start = plus_secs(ledger.start, moved_secs);
        ledger.end = plus_secs(ledger.end, moved_secs);
        store.create_ledger(tenant_id(), &ledger).await.unwrap();
    }
    store.save_level(tenant_id(), &catalog::level(LEVEL, "Family", json!({}))).await.unwrap();
    let membership = catalog::membership(json!({
        "joined": now(), "started": now(), "expires": plus_secs(now(), 30 * 86_400),
        "cards": [{"id": 1, "person": {}, "barcode": "1"}],
    }));
    store.save_membership(tenant_id(), "members", &membership).await.unwrap();
}

async fn save_rules(tables: &Tables, Rules { rules, limits, max_tickets }: &Rules) {
    let template = catalog::template(json!({
        "start": start(0), "price_lists": catalog::price_lists(&[(ADULT, 1_800), (CHILD, 900)]),
        "membership": {"discounts": [{"level": LEVEL, "discount": "family", "max_tickets": max_tickets}]},
    }));
    tables.store.save_template(tenant_id(), &template).await.unwrap();
    let entitlements = json!({"template": TEMPLATE, "rules": rules, "ticket_limits": limits});
    let entitlements: Entitlements = stored(entitlements);
    tables.store.save_entitlements(tenant_id(), "rules", &entitlements).await.unwrap();
}

/// Where it is counted what the membership used in a period.
pub(crate) fn tally(period: &str) -> Key {
    let template = domain::TemplateId::parse(TEMPLATE).unwrap();
    let number = domain::MembershipId::parse(NUMBER).unwrap();
    Key::tally(tenant_id(), &Tally { number, template, period: period.to_owned() })
}
