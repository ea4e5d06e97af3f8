//! Whom a venue belongs to, and who may ask it.

use domain::tenant::{ApiKey, DEFAULT_CHALLENGE_SECS, DEFAULT_HOLD_SECS, ProcessorKind, Scope, Tenant};
use domain::{Currency, TenantId, Zone};

/// The pages that may ask for every tenant, and where its browser keys work.
pub const ORIGIN: &str = "https://tickets.example.test";

/// The id of a tenant.
#[must_use]
pub fn tenant_id(number: i64) -> TenantId {
    TenantId::parse(number).unwrap()
}

/// A sandbox tenant in New York.
#[must_use]
pub fn tenant(number: i64) -> Tenant {
    Tenant {
        id: tenant_id(number),
        name: "Harbor Museum".to_owned(),
        zone: Zone::parse("America/New_York").unwrap(),
        currency: Currency::default(),
        sandbox: true,
        hold_secs: DEFAULT_HOLD_SECS,
        allowed_origins: [ORIGIN.to_owned()].into(),
        descriptor_prefix: String::new(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        staff_site: None,
        branding: Default::default(),
        receipt_numbers: false,
        settings_version: 0,
        limits: Default::default(),
        member_claims: Default::default(),
        door: Default::default(),
        raw_cards: true,
        challenge_secs: DEFAULT_CHALLENGE_SECS,
        sealed_hash_key: String::new(),
        closed_at: None,
    }
}

/// A key that opens what is this tenant's.
#[must_use]
pub fn key(tenant: TenantId, scope: Scope) -> ApiKey {
    ApiKey {
        tenant,
        scopes: [scope].into(),
        origins: [ORIGIN.to_owned()].into(),
        mid: None,
        label: String::new(),
        revoked: false,
    }
}
