//! What the venue sells, and the keys that open it.

use crate::venue::{after, t0};
use adapters::app::hash_key_context;
use adapters::vault::{LocalVault, Vault};
use domain::catalog::{InventoryItem, InventoryKind, Template};
use domain::combo::Combo;
use domain::entitlement::Entitlements;
use domain::ledger::Ledger;
use domain::membership::Level;
use domain::merchant::{Merchant, MerchantStatus, RateCard};
use domain::tenant::{Scope, Tenant};
use domain::{InstanceId, Mid, Money, Percent, TenantId, Timestamp};
use serde_json::{Value, json};
use store::Store;
use store::identity::key_hash;
use testkit::catalog::{self, ADD_ON, ADULT, CHILD, DONATION, FIXED_DONATION, LEVEL, OFFERING, TEMPLATE};
use testkit::tenants::key;
use testkit::{tenant, tenant_id};

pub(crate) const FREE: &str = "66d1b2f0a93c4e517720bb03";
/// Five units in stock.
pub(crate) const STOCKED: i64 = 74;
/// The level above [`LEVEL`].
pub(crate) const PATRON: &str = "65c7d8e9f0a1b2c3d4e5f608";
/// 1.00 off a ticket, in three orders.
pub(crate) const COUPON: &str = "ONCE";

/// The gallery and two tickets for the night at 50.00, instead of 88.00.
pub(crate) const COMBO: &str = "64c0000000000000000000b0";
/// The event of the night.
const LANTERNS: &str = "6f2e91b0c47d5a3e18b90f43";
/// The number of the only slot of the night.
pub(crate) const NIGHT: u16 = 900;
/// The size of that slot.
pub(crate) const NIGHT_SEATS: u32 = 10;

/// The template with this price of an adult, in cents.
pub(crate) fn template(adult: i64) -> Template {
    catalog::template(json!({
        "start": start(0),
        "price_lists": catalog::price_lists(&[(ADULT, adult), (CHILD, 900), (FREE, 0)]),
        "membership": {"discounts": [{"level": LEVEL, "discount": "family"}]},
        "last_updated": t0(),
    }))
}

/// The other event of the combo, with this price of an adult, in cents.
pub(crate) fn night(adult: i64) -> Template {
    let mut night = template(adult);
    night.id = domain::TemplateId::parse(LANTERNS).unwrap();
    night.name = "Lanterns on the Lightship".to_owned();
    night
}

fn owner(slot: u16) -> &'static str {
    if slot == NIGHT { LANTERNS } else { TEMPLATE }
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
    catalog::slot(owner(number), start(number))
}

pub(crate) fn ledger(number: u16, size: u32) -> Ledger {
    catalog::ledger(owner(number), start(number), size)
}

pub(crate) async fn save(store: &Store, vault: &LocalVault) {
    for number in [204, 205] {
        let id = tenant_id(number);
        save_tenant(store, vault, tenant(number)).await;
        for (name, scope) in [("key", Scope::B2c), ("browser", Scope::B2cBrowser), ("staff", Scope::B2b)] {
            store.save_api_key(&key_hash(&format!("{name}-{number}")), &key(id, scope)).await.unwrap();
        }
        store.save_merchant(id, &merchant("60417", MerchantStatus::Approved)).await.unwrap();
        save_catalog(store, id).await;
    }
    store.create_ledger(tenant_id(205), &ledger(0, 10)).await.unwrap();
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

async fn save_tenant(store: &Store, vault: &LocalVault, tenant: Tenant) {
    let sealed = vault.seal(&hash_key_context(tenant.id), &[7; 32]).await.unwrap();
    let (descriptor_prefix, sealed_hash_key) = ("BOX*".to_owned(), hex::encode(sealed));
    store.save_tenant(&Tenant { descriptor_prefix, sealed_hash_key, ..tenant }).await.unwrap();
}

async fn save_catalog(store: &Store, tenant: TenantId) {
    store.save_template(tenant, &template(1800)).await.unwrap();
    store.save_template(tenant, &night(3500)).await.unwrap();
    store.save_combo(tenant, &combo(5000)).await.unwrap();
    for (id, name) in [(ADULT, "Adult"), (CHILD, "Child"), (FREE, "Infant")] {
        store.save_person_type(tenant, &catalog::person_type(id, name)).await.unwrap();
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
        let item = InventoryItem { stock, ..catalog::inventory(id, kind, price, name) };
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
    let fields = json!({
        "state": "published", "rules": rules,
        "email_confirmation_message": format!("Welcome, {name}."),
        "offerings": [{
            "id": OFFERING, "name": "A year", "duration_months": 12,
            "price_lists": [{"id": "65c7d8e9f0a1b2c3d4e5f6ff", "name": "Always", "prices": prices}],
            "actions": [
                {"action": "new", "digital_cards_in_mail": true}, {"action": "renew"}, {"action": "upgrade"},
            ],
        }],
    });
    catalog::level(id, name, fields)
}

async fn save_members(store: &Store, tenant: TenantId) {
    for (id, name, cents) in [(LEVEL, "Family", 10_000), (PATRON, "Patron", 25_000)] {
        store.save_level(tenant, &level(id, name, cents)).await.unwrap();
    }
    // Members of this level get an adult for 10.00 and a child for 8.00, four of them on one day.
    let family = catalog::discount("family", "Family", &[(ADULT, 1_000), (CHILD, 800)]);
    store.save_discount(tenant, &family).await.unwrap();
    let membership = catalog::membership(json!({
        "external_id": "HM-7", "joined": t0(), "started": t0(), "expires": after(30 * 86_400),
        "cards": [{"id": 1, "person": {"first_name": "Ada", "last_name": "Byron"}, "barcode": "1"}],
    }));
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
    store.save_template(tenant_id(204), &template(adult)).await.unwrap();
}
