//! What the venue sells, and the keys that open it.

use crate::venue::{ORIGIN, after, t0, tenant_id};
use domain::catalog::{InventoryItem, InventoryKind, PersonType, Template};
use domain::combo::Combo;
use domain::entitlement::Entitlements;
use domain::ledger::{Ledger, SlotState};
use domain::membership::Level;
use domain::merchant::{Merchant, MerchantStatus, RateCard};
use domain::tenant::{ApiKey, ProcessorKind, Scope, Tenant};
use domain::time::plus_secs;
use domain::{InstanceId, InventoryId, Mid, Money, Percent, TenantId, TicketTypeId, Timestamp, Zone};
use platform::app::hash_key_context;
use platform::vault::{LocalVault, Vault};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::Store;
use store::identity::key_hash;

pub(crate) const ADULT: &str = "66d1b2f0a93c4e517720bb01";
pub(crate) const CHILD: &str = "66d1b2f0a93c4e517720bb02";
pub(crate) const FREE: &str = "66d1b2f0a93c4e517720bb03";
pub(crate) const ADD_ON: i64 = 71;
pub(crate) const FIXED_DONATION: i64 = 72;
pub(crate) const DONATION: i64 = 73;
/// Five pieces in stock.
pub(crate) const STOCKED: i64 = 74;
/// Members of this level get an adult for 10.00 and a child for 8.00, four of them on one day.
pub(crate) const LEVEL: &str = "65c7d8e9f0a1b2c3d4e5f607";
/// The level above.
pub(crate) const PATRON: &str = "65c7d8e9f0a1b2c3d4e5f608";
/// The offering of both levels.
pub(crate) const OFFERING: &str = "1d2c3b4a59687786a5b4c3d2e1f00f1e";
/// The membership, and its number.
pub(crate) const MEMBERSHIP: i64 = 4_820_117;
pub(crate) const NUMBER: i64 = 391_150_274;
/// 1.00 off a ticket, in three orders.
pub(crate) const COUPON: &str = "ONCE";

/// The gallery and two tickets for the night at 50.00, instead of 88.00.
pub(crate) const COMBO: &str = "64c0000000000000000000b0";
/// The number of the only slot of the night.
pub(crate) const NIGHT: u16 = 900;
/// The size of that slot.
pub(crate) const NIGHT_SEATS: u32 = 10;

/// The template with this price of an adult, in cents.
pub(crate) fn template(adult: i64) -> Template {
    let stored = json!({
        "id": "6f2e91b0c47d5a3e18b90f42",
        "name": "Harbor Gallery Entry",
        "description": "",
        "short_description": "",
        "start": start(0),
        "review_state": "Published",
        "duration_minutes": 60,
        "capacity": 10,
        "price_lists": [{
            "id": "64b8a7c6d5e4f3021a2b3c4d",
            "name": "Regular",
            "prices": [
                {"ticket_type": ADULT, "price": adult, "display_order": 1},
                {"ticket_type": CHILD, "price": 900, "display_order": 2},
                {"ticket_type": FREE, "price": 0, "display_order": 3},
            ],
        }],
        "membership": {"discounts": [{"level": LEVEL, "discount": "family"}]},
        "last_updated": t0(),
    });
    serde_json::from_value(stored).unwrap()
}

/// The other event of the combo, with this price of an adult, in cents.
pub(crate) fn night(adult: i64) -> Template {
    let mut night = template(adult);
    night.id = domain::TemplateId::parse("6f2e91b0c47d5a3e18b90f43").unwrap();
    night.name = "Lanterns on the Lightship".to_owned();
    night
}

/// The template of a slot.
fn owner(slot: u16) -> Template {
    if slot == NIGHT { night(3500) } else { template(1800) }
}

/// The combo at this price, in cents.
pub(crate) fn combo(price: i64) -> Combo {
    let stored = json!({
        "id": COMBO, "name": "Day and night", "active": true,
        "parts": [
            {"template": template(1800).id, "quantity": 1}, {"template": night(3500).id, "quantity": 2},
        ],
        "pricing": {"kind": "fixedPrice", "value": [{"ticket_type": ADULT, "price": price}]},
    });
    serde_json::from_value(stored).unwrap()
}

fn start(slot: u16) -> Timestamp {
    after(2 * 86_400 + i64::from(slot) * 3_600)
}

/// The id of a slot; the first two have ledgers.
pub(crate) fn slot(number: u16) -> InstanceId {
    let start = start(number);
    InstanceId::of(&owner(number).id, None, start.naive_utc(), start).unwrap()
}

pub(crate) fn ledger(number: u16, size: u32) -> Ledger {
    Ledger {
        instance: slot(number),
        template: owner(number).id,
        schedule: None,
        shard: 0,
        start: start(number),
        end: plus_secs(start(number), 3_600),
        state: SlotState::Active,
        size,
        free: size,
        sold: 0,
        holds: BTreeMap::new(),
        edited: false,
    }
}

pub(crate) async fn save(store: &Store, vault: &LocalVault) {
    for number in [204, 205] {
        let id = TenantId::parse(number).unwrap();
        save_tenant(store, vault, id).await;
        for (name, scope) in [("key", Scope::B2c), ("browser", Scope::B2cBrowser), ("staff", Scope::B2b)] {
            let key = ApiKey {
                tenant: id,
                scopes: [scope].into(),
                origins: [ORIGIN.to_owned()].into(),
                mid: None,
                label: String::new(),
                revoked: false,
            };
            store.save_api_key(&key_hash(&format!("{name}-{number}")), &key).await.unwrap();
        }
        store.save_merchant(id, &merchant("60417", MerchantStatus::Approved)).await.unwrap();
        save_catalog(store, id).await;
    }
    store.create_ledger(TenantId::parse(205).unwrap(), &ledger(0, 10)).await.unwrap();
}

pub(crate) fn merchant(mid: &str, status: MerchantStatus) -> Merchant {
    let rate_card = RateCard { percentage: Percent::parse("2.90").unwrap(), fixed: Money::from_cents(30) };
    Merchant {
        mid: Mid::parse(mid).unwrap(),
        name: "Harbor Museum".to_owned(),
        status,
        rate_card: Some(rate_card),
        descriptor: "HARBOR".to_owned(),
    }
}

pub(crate) fn person_type(id: &str, name: &str) -> PersonType {
    PersonType {
        id: TicketTypeId::parse(id).unwrap(),
        name: name.to_owned(),
        description: String::new(),
        active: true,
        kind: "individual".to_owned(),
        display_order: 1,
    }
}

async fn save_tenant(store: &Store, vault: &LocalVault, id: TenantId) {
    let sealed = vault.seal(&hash_key_context(id), &[7; 32]).await.unwrap();
    let tenant = Tenant {
        id,
        name: "Harbor Museum".to_owned(),
        zone: Zone::parse("America/New_York").unwrap(),
        sandbox: true,
        hold_secs: 600,
        allowed_origins: [ORIGIN.to_owned()].into(),
        descriptor_prefix: "BOX*".to_owned(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        limits: Default::default(),
        member_claims: Default::default(),
        sealed_hash_key: hex::encode(sealed),
        closed_at: None,
    };
    store.save_tenant(&tenant).await.unwrap();
}

async fn save_catalog(store: &Store, tenant: TenantId) {
    store.save_template(tenant, &template(1800)).await.unwrap();
    store.save_template(tenant, &night(3500)).await.unwrap();
    store.save_combo(tenant, &combo(5000)).await.unwrap();
    for (id, name) in [(ADULT, "Adult"), (CHILD, "Child"), (FREE, "Infant")] {
        store.save_person_type(tenant, &person_type(id, name)).await.unwrap();
    }
    save_members(store, tenant).await;
    let coupon = json!({
        "id": COUPON.to_lowercase(), "name": COUPON, "code": COUPON, "active": true, "max_uses": 3,
        "reduction": {"kind": "same", "value": {"kind": "amount", "value": 100}},
    });
    store
        .save_coupon(tenant, &format!("coupon-{tenant}"), &serde_json::from_value(coupon).unwrap())
        .await
        .unwrap()
        .unwrap();
    for (id, kind, (price, stock), name) in [
        (ADD_ON, InventoryKind::AddOn, (450, None), "Audio guide"),
        (FIXED_DONATION, InventoryKind::FixedDonation, (2_500, None), "Friends of the harbor"),
        (DONATION, InventoryKind::Donation, (0, None), "Restoration fund"),
        (STOCKED, InventoryKind::AddOn, (700, Some(5)), "Catalogue"),
    ] {
        let item = InventoryItem {
            id: InventoryId::parse(id).unwrap(),
            sku: String::new(),
            name: name.to_owned(),
            description: String::new(),
            kind,
            price: Money::from_cents(price),
            stock,
            active: true,
            display_order: 1,
            sales_channels: Vec::new(),
        };
        store.save_inventory(tenant, &item).await.unwrap();
    }
}

/// A level with one offering of a year at this price, of which an infant's is free. It has two cards.
fn level(id: &str, name: &str, cents: u32) -> Level {
    let prices = json!([
        {"ticket_type": ADULT, "price": cents, "display_order": 1},
        {"ticket_type": FREE, "price": 0, "display_order": 2},
    ]);
    let rules = json!({
        "card_holders": 2, "can_gift": true, "start_beginning_of_month": false, "expire_end_of_month": false,
    });
    let stored = json!({
        "id": id, "name": name, "state": "published", "rules": rules,
        "email_confirmation_message": format!("Welcome, {name}."),
        "offerings": [{
            "id": OFFERING, "name": "A year", "duration_months": 12,
            "price_lists": [{"id": "65c7d8e9f0a1b2c3d4e5f6ff", "name": "Always", "prices": prices}],
            "actions": [
                {"action": "new", "digital_cards_in_mail": true}, {"action": "renew"}, {"action": "upgrade"},
            ],
        }],
    });
    serde_json::from_value(stored).unwrap()
}

async fn save_members(store: &Store, tenant: TenantId) {
    for (id, name, cents) in [(LEVEL, "Family", 10_000), (PATRON, "Patron", 25_000)] {
        store.save_level(tenant, &level(id, name, cents)).await.unwrap();
    }
    let fixed = |of: &str, cents: u32| json!({"ticket_type": of, "reduction": {"kind": "fixedPrice", "value": cents}});
    let family =
        json!({"id": "family", "name": "Family", "values": [fixed(ADULT, 1_000), fixed(CHILD, 800)]});
    store.save_discount(tenant, &serde_json::from_value(family).unwrap()).await.unwrap();
    let membership = json!({
        "id": MEMBERSHIP, "number": NUMBER, "level": LEVEL, "offering": OFFERING, "price_point": ADULT,
        "external_id": "HM-7", "joined": t0(),
        "started": t0(), "expires": after(30 * 86_400), "cards": [{"id": 1, "person": {"first_name": "Ada", "last_name": "Byron"}, "barcode": "1"}],
    });
    let membership = serde_json::from_value(membership).unwrap();
    store.save_membership(tenant, &format!("members-{tenant}"), &membership).await.unwrap();
    let rule = json!({
        "id": "Adult_Child_Limit_4", "levels": [LEVEL], "price_points": [ADULT, CHILD], "limit": 4,
        "applies": "acrossAllItems", "period": "day",
    });
    limit(store, tenant, json!([rule]), json!({})).await;
}

/// Puts other entitlement rules and ticket limits in force, in their stored form.
pub(crate) async fn limit(store: &Store, tenant: TenantId, rules: Value, limits: Value) {
    let entitlements = json!({"template": template(1800).id, "rules": rules, "ticket_limits": limits});
    let entitlements: Entitlements = serde_json::from_value(entitlements).unwrap();
    let token = fastrand::u64(..).to_string();
    store.save_entitlements(tenant, &token, &entitlements).await.unwrap();
}

/// Puts another price of an adult in force.
pub(crate) async fn reprice(store: &Store, adult: i64) {
    store.save_template(tenant_id(), &template(adult)).await.unwrap();
}
