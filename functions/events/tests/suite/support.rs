//! A venue that sells templates of a test's own, and requests to its browsing routes.

use adapters::App;
use domain::ledger::{Ledger, LedgerChange};
use domain::schedule::{SlotPlan, SlotWindow, generate};
use domain::slot_edit::{EditTransition, SlotReach};
use domain::tenant::{Scope, Tenant};
use domain::{InstanceId, Timestamp, Zone};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::ops::Deref;
use store::{Consistency, Store};
use testkit::{Answer, Tables, catalog, tenant, tenant_id};
use wire::import::{ImportContext, read_document};

const TENANT: i64 = 204;

/// A process whose venue sells templates.
pub(crate) struct Venue {
    served: testkit::Venue,
    zone: Zone,
    slots: Vec<InstanceId>,
}

impl Deref for Venue {
    type Target = testkit::Venue;

    fn deref(&self) -> &Self::Target {
        &self.served
    }
}

/// A template that is published at the ticket price of 18.00, with these fields besides.
pub(crate) fn template(id: &str, fields: Value) -> Value {
    let mut template = json!({
        "id": id,
        "name": "Harbor Gallery Entry",
        "description": "The permanent collection.",
        "reviewState": "Published",
        "startTime": "2027-01-01",
        "duration": {"hour": 2, "minutes": 0},
        "capacity": 50,
        "priceLists": [{"id": format!("{id}-prices"), "name": "Admission", "prices": [
            {"personType": {"id": "adult"}, "price": 18, "displayOrder": 1,
             "salesChannels": [{"name": "Online", "channel": "online", "enabled": true}]},
        ]}],
    });
    let target = template.as_object_mut().unwrap();
    target.extend(fields.as_object().unwrap().clone());
    template
}

/// A schedule at these local times on all days of July.
pub(crate) fn daily(hours: &[(u32, u32)]) -> Value {
    let hours: Vec<Value> =
        hours.iter().map(|(hour, minutes)| json!({"hour": hour, "minutes": minutes})).collect();
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    json!([{"id": "daily", "weekdays": days, "hours": hours}])
}

impl Venue {
    /// A venue in this zone that sells these templates. Slots exist for the year 2027.
    pub(crate) async fn open(zone: &str, templates: Vec<Value>) -> Self {
        let (from, until) = (at("2027-01-01T00:00:00Z"), at("2028-01-01T12:00:00Z"));
        Self::open_between(zone, templates, from, until).await
    }

    /// A venue in this zone that sells these templates, with the slots that start between these instants.
    pub(crate) async fn open_between(
        zone: &str,
        templates: Vec<Value>,
        from: Timestamp,
        until: Timestamp,
    ) -> Self {
        Self::set_up(&Tables::open().await, zone, templates, from, until).await
    }

    /// A venue in New York that sells these templates, with slots for the year 2027 and these reaches noted.
    pub(crate) async fn open_reaching(templates: Vec<Value>, reaches: &[SlotReach]) -> Self {
        let tables = Tables::open().await;
        for reach in reaches {
            tables.store.widen_reach(tenant_id(TENANT), reach).await.unwrap();
        }
        let (from, until) = (at("2027-01-01T00:00:00Z"), at("2028-01-01T12:00:00Z"));
        Self::set_up(&tables, "America/New_York", templates, from, until).await
    }

    /// A venue in New York that has the slots of some templates for the year 2027, and sells others in their place.
    pub(crate) async fn open_replaced(slots_of: Vec<Value>, templates: Vec<Value>) -> Self {
        let (tables, zone) = (Tables::open().await, "America/New_York");
        let (from, until) = (at("2027-01-01T00:00:00Z"), at("2028-01-01T12:00:00Z"));
        save_catalog(&tables.store, Zone::parse(zone).unwrap(), slots_of, from, until).await;
        Self::set_up(&tables, zone, templates, until, until).await
    }

    async fn set_up(
        tables: &Tables,
        zone: &str,
        templates: Vec<Value>,
        from: Timestamp,
        until: Timestamp,
    ) -> Self {
        let zone = Zone::parse(zone).unwrap();
        tables.save_tenant(Tenant { zone, ..tenant(TENANT) }).await;
        tables.save_key("key-204", Scope::B2c).await;
        let slots = save_catalog(&tables.store, zone, templates, from, until).await;
        let routes: axum::Router<App> = events::router();
        let venue = Self { served: testkit::Venue::new(tables, routes, "key-204"), zone, slots };
        // The caches are filled, as they are while a function is warm.
        let _ = venue.get("2027-01-01T00:00:00Z", "/v2/b2c/event/templates").await;
        venue
    }

    /// The answer to a shopper who asks at this time.
    pub(crate) async fn get(&self, now: &str, path: &str) -> Answer {
        self.send(testkit::get(path).at(now)).await
    }

    /// Sells all seats of the slot that starts then.
    pub(crate) async fn sell_out(&self, start: &str) {
        let start = self.zone.parse_instant(start).unwrap();
        let slot = self.slots.iter().find(|slot| slot.start() == start).unwrap();
        let change = LedgerChange { free: -50, sold: 50, takes_seats: true, ..LedgerChange::default() };
        self.store.change_ledger(tenant_id(TENANT), slot, &change, start).await.unwrap().unwrap();
    }

    /// Edits every slot in this way.
    pub(crate) async fn edit(&self, decide: impl Fn(&Ledger) -> EditTransition) {
        for slot in &self.slots {
            let found = self.store.load_ledger(tenant_id(TENANT), slot, Consistency::Strong).await.unwrap();
            let edit = decide(&found.unwrap());
            self.store.edit_ledger(tenant_id(TENANT), slot, &edit).await.unwrap().unwrap();
        }
    }

    /// Every slot, in order of its start, with so many of its seats sold as `sold` says by its place.
    pub(crate) async fn sell(&self, sold: impl Fn(usize, &Ledger) -> u32) -> Vec<Ledger> {
        let mut ledgers = Vec::new();
        for slot in &self.slots {
            let found = self.store.load_ledger(tenant_id(TENANT), slot, Consistency::Strong).await.unwrap();
            ledgers.push(found.unwrap());
        }
        ledgers.sort_by_key(|ledger| (ledger.start, ledger.instance));
        for (place, ledger) in ledgers.iter_mut().enumerate() {
            let seats = sold(place, ledger).min(ledger.free);
            ledger.free -= seats;
            ledger.sold += seats;
            let count = i64::from(seats);
            let change =
                LedgerChange { free: -count, sold: count, takes_seats: true, ..LedgerChange::default() };
            let changed =
                self.store.change_ledger(tenant_id(TENANT), &ledger.instance, &change, ledger.start).await;
            changed.unwrap().unwrap();
        }
        ledgers
    }
}

/// What an answer lists.
pub(crate) trait Listed {
    /// The start times of a list of event times.
    fn starts(&self) -> Vec<&str>;

    /// The ids of a list.
    fn ids(&self) -> Vec<&str>;

    /// The days of a calendar, those with a seat marked by a star.
    fn days(&self) -> Vec<String>;
}

impl Listed for Answer {
    fn starts(&self) -> Vec<&str> {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body.as_array().unwrap().iter().map(|time| time["startTime"].as_str().unwrap()).collect()
    }

    fn ids(&self) -> Vec<&str> {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body.as_array().unwrap().iter().map(|found| found["id"].as_str().unwrap()).collect()
    }

    fn days(&self) -> Vec<String> {
        assert_eq!(self.status, 200, "{}", self.body);
        let day = |day: &Value| {
            let star = if day["active"] == true { "*" } else { "" };
            format!("{}{star}", day["date"].as_str().unwrap().split('T').next().unwrap())
        };
        self.body["days"].as_array().unwrap().iter().map(day).collect()
    }
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn save_catalog(
    store: &Store,
    zone: Zone,
    templates: Vec<Value>,
    from: Timestamp,
    until: Timestamp,
) -> Vec<InstanceId> {
    let document = json!({
        "personTypes": [{"id": "adult", "name": "Adult", "description": "18 and over", "displayOrder": 1}],
        "eventTemplates": templates,
    });
    let context =
        ImportContext { zone, now: at("2027-01-01T00:00:00Z"), known: wire::catalog::Known::default() };
    let records = read_document(&document.to_string()).unwrap().read(context);
    assert_eq!(records.faults, vec![]);
    for person_type in &records.person_types {
        store.save_person_type(tenant_id(TENANT), person_type).await.unwrap();
    }
    let mut created = Vec::new();
    for template in records.templates.iter().map(|written| &written.template) {
        store.save_template(tenant_id(TENANT), template).await.unwrap();
        let facts = template.facts();
        let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone };
        let window = SlotWindow { from, until, after: None };
        let slots = generate(plan, window, NonZeroUsize::new(8_100).unwrap()).unwrap().slots;
        let ledger = |slot: &domain::schedule::Slot| Ledger {
            instance: slot.id,
            schedule: slot.schedule.clone(),
            end: slot.end,
            ..catalog::ledger(template.id.as_str(), slot.start, slot.capacity)
        };
        let ledgers: Vec<Ledger> = slots.iter().map(ledger).collect();
        for ledger in &ledgers {
            store.create_ledger(tenant_id(TENANT), ledger).await.unwrap();
        }
        created.extend(slots.iter().map(|slot| slot.id));
    }
    created
}
