//! A large catalog to browse: many templates with a slot on each day, half of the slots with tickets sold.

use super::BenchError;
use super::seed::{SEATS, Shop, Venue, open, price_lists};
use adapters::clock::wall_now;
use domain::catalog::Template;
use domain::ledger::{Ledger, SlotState};
use domain::schedule::{Slot, SlotPlan, SlotWindow, generate};
use domain::time::plus_secs;
use domain::{TemplateId, TenantId, Timestamp, Zone};
use serde_json::json;
use std::num::NonZeroUsize;
use store::publish::slot_put;
use store::{MAX_WRITES, Plan};

const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/// How large a catalog is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) templates: u32,
    /// Days on which each has a slot, from today on.
    pub(crate) days: u32,
}

/// A fresh venue in memory with a catalog of this size.
pub(crate) async fn venue(size: Size) -> Result<Venue, BenchError> {
    stock(open().await?, size).await
}

/// Gives a shop a catalog of this size.
pub(super) async fn stock(shop: Shop, size: Size) -> Result<Venue, BenchError> {
    let Shop { app, tenant, ticket_type, donation } = shop;
    let now = wall_now();
    let zone = Zone::parse("UTC").map_err(|_| BenchError::from("there is no zone UTC"))?;
    let mut first = None;
    for number in 0..size.templates {
        let template = template(number, now)?;
        let slots = slots(&template, zone, now, size.days)?;
        save_slots(&app.store, tenant, &template, &slots).await?;
        app.store.save_template(tenant, &template).await?;
        first = first.or_else(|| slots.first().map(|slot| (template.id.clone(), slot.id)));
    }
    let (template, instance) = first.ok_or_else(|| BenchError::from("the catalog is empty"))?;
    Ok(Venue {
        service: web::shell::service(crate::routes::router(), &app),
        template,
        instance,
        ticket_type,
        donation,
    })
}

/// A daily event late in the evening, so that the slot of today is still to come.
fn template(number: u32, now: Timestamp) -> Result<Template, BenchError> {
    let [a, b, c, d] = number.to_be_bytes();
    let stored = json!({
        "id": TemplateId::from_bytes([9, 0, 0, 0, 0, 0, 0, 0, a, b, c, d]),
        "name": format!("Event {number}"),
        "description": "An evening among the collections.",
        "short_description": "An evening among the collections.",
        "start": plus_secs(now, -86_400),
        "review_state": "Published",
        "duration_minutes": 20,
        "capacity": SEATS,
        "price_lists": price_lists(),
        "schedules": [{"id": "daily", "weekdays": WEEKDAYS, "hours": [{"hour": 23, "minutes": 39}]}],
        "last_updated": now,
    });
    Ok(serde_json::from_value(stored)?)
}

fn slots(template: &Template, zone: Zone, now: Timestamp, days: u32) -> Result<Vec<Slot>, BenchError> {
    let facts = template.facts();
    let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone };
    let from = zone.start_of_day(zone.date(now));
    let until = plus_secs(from, i64::from(days).saturating_mul(86_400));
    let limit = NonZeroUsize::try_from(usize::try_from(days)?)?;
    let made = generate(plan, SlotWindow { from, until, after: None }, limit);
    Ok(made.map_err(|refusal| BenchError::from(format!("no slots: {refusal:?}")))?.slots)
}

async fn save_slots(
    store: &store::Store,
    tenant: TenantId,
    template: &Template,
    slots: &[Slot],
) -> Result<(), BenchError> {
    for (piece, slots) in slots.chunks(MAX_WRITES).enumerate() {
        let mut plan = Plan::new();
        for (place, slot) in slots.iter().enumerate() {
            let sold = if place % 2 == 0 { SEATS / 2 } else { 0 };
            let (key, put) = slot_put(tenant, &ledger(template, slot, sold))?;
            plan.add(key, put, ())?;
        }
        let token = format!("{}-{piece}", template.id);
        store.commit(&plan, &token).await?.map_err(|_| BenchError::from("a slot was refused"))?;
    }
    Ok(())
}

fn ledger(template: &Template, slot: &Slot, sold: u32) -> Ledger {
    Ledger {
        instance: slot.id,
        template: template.id.clone(),
        schedule: slot.schedule.clone(),
        shard: 0,
        start: slot.start,
        end: slot.end,
        state: SlotState::Active,
        size: SEATS,
        free: SEATS.saturating_sub(sold),
        sold,
        holds: std::collections::BTreeMap::new(),
        edited: false,
    }
}
