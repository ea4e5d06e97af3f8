//! What a venue sells, with defaults that a test overrides where it is about them.

use domain::catalog::{InventoryItem, InventoryKind, PersonType, Template};
use domain::coupon::Discount;
use domain::ledger::{Ledger, SlotState};
use domain::membership::{Level, Membership};
use domain::time::plus_secs;
use domain::{InstanceId, InventoryId, Money, TemplateId, TicketTypeId, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The gallery.
pub const TEMPLATE: &str = "6f2e91b0c47d5a3e18b90f42";
/// Two ticket types.
pub const ADULT: &str = "66d1b2f0a93c4e517720bb01";
/// The other one.
pub const CHILD: &str = "66d1b2f0a93c4e517720bb02";
/// A membership level.
pub const LEVEL: &str = "65c7d8e9f0a1b2c3d4e5f607";
/// Its offering.
pub const OFFERING: &str = "1d2c3b4a59687786a5b4c3d2e1f00f1e";
/// A membership of that level.
pub const MEMBERSHIP: i64 = 4_820_117;
/// The number of that membership.
pub const NUMBER: i64 = 391_150_274;
/// An add-on.
pub const ADD_ON: i64 = 71;
/// A donation with a price.
pub const FIXED_DONATION: i64 = 72;
/// A donation of any amount.
pub const DONATION: i64 = 73;

/// A record, from the form in which it is stored.
pub fn stored<T: DeserializeOwned>(record: Value) -> T {
    serde_json::from_value(record).unwrap()
}

/// An object with these fields instead of its own of that name.
#[must_use]
pub fn with(mut object: Value, fields: Value) -> Value {
    let Value::Object(fields) = fields else { return object };
    object.as_object_mut().unwrap().extend(fields);
    object
}

/// The gallery: published, an hour for ten visitors, and without a price. Any of it may be stored otherwise.
#[must_use]
pub fn template(fields: Value) -> Template {
    let usual = json!({
        "id": TEMPLATE, "name": "Harbor Gallery Entry", "description": "", "short_description": "",
        "start": "2027-04-01T00:00:00Z", "review_state": "Published", "duration_minutes": 60, "capacity": 10,
        "last_updated": "2027-04-01T00:00:00Z",
    });
    stored(with(usual, fields))
}

/// The price lists of a template or an offering that has one price for each of these ticket types, in cents.
#[must_use]
pub fn price_lists(prices: &[(&str, i64)]) -> Value {
    let mut list = Vec::new();
    for (place, (of, cents)) in (1..).zip(prices) {
        list.push(json!({"ticket_type": of, "price": cents, "display_order": place}));
    }
    json!([{"id": "64b8a7c6d5e4f3021a2b3c4d", "name": "Regular", "prices": list}])
}

/// A ticket type that is on offer.
#[must_use]
pub fn person_type(id: &str, name: &str) -> PersonType {
    PersonType {
        id: TicketTypeId::parse(id).unwrap(),
        name: name.to_owned(),
        description: String::new(),
        active: true,
        kind: "individual".to_owned(),
        display_order: 1,
        tax: Default::default(),
    }
}

/// An add-on or donation at this price, in cents, without a limit.
#[must_use]
pub fn inventory(id: i64, kind: InventoryKind, cents: i64, name: &str) -> InventoryItem {
    InventoryItem {
        id: InventoryId::parse(id).unwrap(),
        sku: String::new(),
        name: name.to_owned(),
        description: String::new(),
        kind,
        price: Money::from_cents(cents),
        stock: None,
        active: true,
        display_order: 1,
        sales_channels: Vec::new(),
        tax: Default::default(),
    }
}

/// The id of the slot of a template without schedules that starts then.
#[must_use]
pub fn slot(template: &str, start: Timestamp) -> InstanceId {
    InstanceId::of(&TemplateId::parse(template).unwrap(), None, start.naive_utc(), start).unwrap()
}

/// The hour that starts then, with so many seats, all of them free.
#[must_use]
pub fn ledger(template: &str, start: Timestamp, size: u32) -> Ledger {
    Ledger {
        instance: slot(template, start),
        template: TemplateId::parse(template).unwrap(),
        schedule: None,
        shard: 0,
        start,
        end: plus_secs(start, 3_600),
        state: SlotState::Active,
        size,
        free: size,
        sold: 0,
        holds: BTreeMap::new(),
        edited: false,
    }
}

/// A discount that makes each of these ticket types cost so many cents.
#[must_use]
pub fn discount(id: &str, name: &str, prices: &[(&str, i64)]) -> Discount {
    let mut values = Vec::new();
    for (of, cents) in prices {
        let fixed = json!({"kind": "fixedPrice", "value": cents});
        values.push(json!({"ticket_type": of, "reduction": fixed}));
    }
    stored(json!({"id": id, "name": name, "values": values}))
}

/// A membership level that sells nothing, unless it is stored otherwise.
#[must_use]
pub fn level(id: &str, name: &str, fields: Value) -> Level {
    stored(with(json!({"id": id, "name": name, "offerings": []}), fields))
}

/// A membership of [`LEVEL`] for the year 2027, without cards. Any of it may be stored otherwise.
#[must_use]
pub fn membership(fields: Value) -> Membership {
    let usual = json!({
        "id": MEMBERSHIP, "number": NUMBER, "level": LEVEL, "offering": OFFERING, "price_point": ADULT,
        "joined": "2027-01-01T05:00:00Z", "started": "2027-01-01T05:00:00Z", "expires": "2028-01-01T04:59:59Z",
        "cards": [],
    });
    stored(with(usual, fields))
}
