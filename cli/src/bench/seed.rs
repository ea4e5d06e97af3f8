//! A venue to measure on: one published event with many seats, and doors that are open.

use super::BenchError;
use super::host::{Host, Storage};
use adapters::app::hash_key_context;
use adapters::{App, clock::wall_now};
use domain::catalog::{InventoryItem, InventoryKind, PersonType, Template};
use domain::ledger::{Ledger, SlotState};
use domain::merchant::{Merchant, MerchantStatus, RateCard};
use domain::rate_limit::{Rate, RateLimit};
use domain::tenant::{
    ApiKey, DEFAULT_CHALLENGE_SECS, DEFAULT_HOLD_SECS, DoorRules, MemberClaims, ProcessorKind, Scope, Tenant,
};
use domain::time::plus_secs;
use domain::{
    Currency, InstanceId, InventoryId, Mid, Money, Percent, PriceListId, TemplateId, TenantId, TicketTypeId,
    Timestamp, Zone,
};
use serde_json::json;
use std::collections::BTreeSet;
use store::identity::key_hash;
use web::shell;

/// Seats of a slot: enough that no case sells out.
pub(super) const SEATS: u32 = 10_000_000;
/// Slots of the event, so that a day's times are worth listing.
const SLOTS: i64 = 16;
/// From the start of one to that of the next.
pub(super) const SLOT_SECS: i64 = 1_800;
/// How long before the event a ticket admits: the venue is open whenever somebody measures.
const DOORS_OPEN_MINUTES: u32 = 7 * 24 * 60;

/// All requests come from one address, and what is measured is not how they are refused.
const UNLIMITED: Rate = Rate { count: u32::MAX, window_secs: 60 };

/// The key all cases use, but for the door's.
pub(crate) const KEY: &str = "bench-key";
/// The key of a door.
pub(crate) const DOOR_KEY: &str = "bench-door-key";
/// The tenant's id.
pub(crate) const TENANT: &str = "1";

/// A venue and the service over it.
#[derive(Clone)]
pub(crate) struct Venue {
    pub(crate) service: axum::Router,
    pub(crate) template: TemplateId,
    pub(crate) instance: InstanceId,
    pub(crate) ticket_type: TicketTypeId,
    pub(crate) donation: InventoryId,
}

/// A tenant in a fresh database that sells nothing dated yet.
#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) app: App,
    pub(crate) tenant: TenantId,
    pub(crate) ticket_type: TicketTypeId,
    pub(crate) donation: InventoryId,
}

pub(crate) async fn open() -> Result<Shop, BenchError> {
    furnish(&Host::open(Storage::Memory).await?).await
}

/// A tenant in an empty database.
pub(super) async fn furnish(host: &Host) -> Result<Shop, BenchError> {
    let app = host.app.clone();
    let tenant = TenantId::from_bits(1);
    let sealed = host.vault.seal(&hash_key_context(tenant), &[7; 32]).await?;
    save_identity(&app, tenant, hex::encode(sealed)).await?;
    let ticket_type = person_type();
    app.store.save_person_type(tenant, &ticket_type).await?;
    let donation = donation();
    app.store.save_inventory(tenant, &donation).await?;
    Ok(Shop { app, tenant, ticket_type: ticket_type.id, donation: donation.id })
}

/// A fresh venue in memory, with this many tickets sold of its first slot.
pub(crate) async fn venue(sold: u32) -> Result<Venue, BenchError> {
    Ok(stock(open().await?, sold).await?.venue)
}

/// A venue with all slots of its event.
pub(super) struct Stocked {
    pub(super) venue: Venue,
    pub(super) slots: Vec<InstanceId>,
    /// When the first of them starts.
    pub(super) start: Timestamp,
}

/// Gives a shop its event, with this many tickets sold of its first slot.
pub(super) async fn stock(shop: Shop, sold: u32) -> Result<Stocked, BenchError> {
    let Shop { app, tenant, ticket_type, donation } = shop;
    let start = plus_secs(wall_now(), 86_400);
    let template = template(start)?;
    let mut slots = Vec::new();
    for slot in 0..SLOTS {
        let start = plus_secs(start, slot.saturating_mul(SLOT_SECS));
        let ledger = ledger(&template, start, sold)?;
        app.store.create_ledger(tenant, &ledger).await?;
        slots.push(ledger.instance);
    }
    let instance = *slots.first().ok_or_else(|| BenchError::from("no slot was made"))?;
    app.store.save_template(tenant, &template).await?;
    let service = shell::service(crate::routes::router(), &app);
    Ok(Stocked {
        venue: Venue { service, template: template.id, instance, ticket_type, donation },
        slots,
        start,
    })
}

async fn save_identity(app: &App, tenant: TenantId, sealed_hash_key: String) -> Result<(), BenchError> {
    let settings = Tenant {
        id: tenant,
        name: "Bench".to_owned(),
        zone: Zone::parse("UTC").map_err(|_| BenchError::from("there is no zone UTC"))?,
        currency: Currency::default(),
        sandbox: true,
        hold_secs: DEFAULT_HOLD_SECS,
        allowed_origins: BTreeSet::new(),
        descriptor_prefix: String::new(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        staff_site: None,
        branding: Default::default(),
        receipt_numbers: false,
        settings_version: 0,
        limits: RateLimit::ALL.iter().map(|limit| (*limit, UNLIMITED)).collect(),
        member_claims: MemberClaims::default(),
        door: DoorRules::default(),
        raw_cards: true,
        challenge_secs: DEFAULT_CHALLENGE_SECS,
        sealed_hash_key,
        closed_at: None,
    };
    app.store.save_tenant(&settings).await?;
    for (text, scopes) in [(KEY, BTreeSet::from([Scope::B2c, Scope::B2b])), (DOOR_KEY, [Scope::Door].into())]
    {
        let label = text.to_owned();
        let key = ApiKey { tenant, scopes, origins: BTreeSet::new(), mid: None, label, revoked: false };
        app.store.save_api_key(&key_hash(text), &key).await?;
    }
    let merchant = Merchant {
        mid: Mid::parse("1").map_err(|_| BenchError::from("1 is no merchant id"))?,
        name: "Bench".to_owned(),
        status: MerchantStatus::Approved,
        rate_card: Some(RateCard {
            percentage: Percent::parse("2.90").map_err(|_| BenchError::from("2.90 is no percentage"))?,
            fixed: Money::from_cents(30),
        }),
        descriptor: "BENCH".to_owned(),
    };
    app.store.save_merchant(tenant, &merchant).await?;
    Ok(())
}

fn person_type() -> PersonType {
    PersonType {
        id: TicketTypeId::from_bytes([1; 12]),
        name: "Adult".to_owned(),
        description: String::new(),
        active: true,
        kind: "individual".to_owned(),
        display_order: 1,
        tax: Default::default(),
    }
}

fn donation() -> InventoryItem {
    InventoryItem {
        id: InventoryId::from_bits(4),
        sku: String::new(),
        name: "Donation".to_owned(),
        description: String::new(),
        kind: InventoryKind::Donation,
        price: Money::ZERO,
        stock: None,
        active: true,
        display_order: 1,
        sales_channels: Vec::new(),
        tax: Default::default(),
    }
}

pub(super) fn template(start: Timestamp) -> Result<Template, BenchError> {
    let stored = json!({
        "id": TemplateId::from_bytes([3; 12]),
        "name": "Entry",
        "description": "",
        "short_description": "",
        "start": start,
        "review_state": "Published",
        "duration_minutes": 60,
        "capacity": SEATS,
        "price_lists": price_lists(),
        "ticket_details": { "check_in_window": { "minutes_before": DOORS_OPEN_MINUTES } },
        "last_updated": start,
    });
    Ok(serde_json::from_value(stored)?)
}

/// One price for one ticket type.
pub(crate) fn price_lists() -> serde_json::Value {
    json!([{
        "id": PriceListId::from_bytes([2; 12]),
        "name": "Standard",
        "prices": [{ "ticket_type": person_type().id, "price": 1_800, "display_order": 1 }],
    }])
}

pub(super) fn ledger(template: &Template, start: Timestamp, sold: u32) -> Result<Ledger, BenchError> {
    let instance = InstanceId::of(&template.id, None, start.naive_utc(), start)
        .map_err(|_| BenchError::from("the clock is beyond the year 2106"))?;
    Ok(Ledger {
        instance,
        template: template.id.clone(),
        schedule: None,
        shard: 0,
        start,
        end: plus_secs(start, 3_600),
        state: SlotState::Active,
        size: SEATS,
        free: SEATS.saturating_sub(sold),
        sold,
        holds: std::collections::BTreeMap::new(),
        edited: false,
    })
}
