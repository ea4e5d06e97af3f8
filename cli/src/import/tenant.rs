//! The tenant of an import document.

use super::{ImportError, ImportReport};
use adapters::App;
use adapters::app::hash_key_context;
use domain::tenant::{DEFAULT_CHALLENGE_SECS, DEFAULT_HOLD_SECS, ProcessorKind, Tenant};
use domain::{Currency, TenantId, Zone};
use sagas::publish::keep_slots_listed;
use store::Consistency;
use store::catalog::Saved;
use wire::import::TenantRecord;

/// Stores the tenant's settings. Those left out stay as they are; a new tenant needs a name and a zone, and
/// gets the key of its keyed hashes, sealed by the vault.
pub(super) async fn save(
    app: &App,
    wanted: TenantRecord,
    report: &mut ImportReport,
) -> Result<Tenant, ImportError> {
    let TenantRecord {
        id,
        name,
        zone,
        currency,
        sandbox,
        hold_secs,
        allowed_origins,
        descriptor_prefix,
        consumer_site,
        staff_site,
        member_claims,
    } = wanted;
    let before = app.store.load_tenant(id, Consistency::Strong).await?;
    let base = match &before {
        Some(before) if sandbox.is_some_and(|wanted| wanted != before.sandbox) => {
            return Err(ImportError::OtherKind { tenant: id, is_sandbox: before.sandbox });
        }
        Some(before) if currency.is_some_and(|wanted| wanted != before.currency) => {
            return Err(ImportError::OtherCurrency { tenant: id, currency: before.currency });
        }
        Some(before) => before.clone(),
        None => new_tenant(app, id, name.as_deref(), zone).await?,
    };
    let tenant = Tenant {
        id,
        name: name.unwrap_or(base.name),
        zone: zone.unwrap_or(base.zone),
        currency: currency.unwrap_or(base.currency),
        sandbox: sandbox.unwrap_or(base.sandbox),
        hold_secs: hold_secs.unwrap_or(base.hold_secs),
        allowed_origins: allowed_origins.unwrap_or(base.allowed_origins),
        descriptor_prefix: descriptor_prefix.unwrap_or(base.descriptor_prefix),
        processor: base.processor,
        mail_from: base.mail_from,
        consumer_site: consumer_site.or(base.consumer_site),
        staff_site: staff_site.or(base.staff_site),
        branding: base.branding,
        receipt_numbers: base.receipt_numbers,
        settings_version: base.settings_version,
        limits: base.limits,
        member_claims: member_claims.over(base.member_claims),
        door: base.door,
        raw_cards: base.raw_cards || (before.is_none() && sandbox == Some(true)),
        challenge_secs: base.challenge_secs,
        sealed_hash_key: base.sealed_hash_key,
        closed_at: base.closed_at,
    };
    report.note("tenant", stored(app, before.as_ref(), &tenant).await?);
    Ok(tenant)
}

/// Stores a tenant in the place of what was there before.
async fn stored(app: &App, before: Option<&Tenant>, tenant: &Tenant) -> Result<Saved, ImportError> {
    if before == Some(tenant) {
        return Ok(Saved::Unchanged);
    }
    if let Some(before) = before {
        if before.zone != tenant.zone {
            keep_slots_listed(&app.store, tenant.id).await?;
        }
        app.store.save_tenant(tenant).await?;
        return Ok(Saved::Updated);
    }
    match app.store.create_tenant(tenant).await? {
        true => Ok(Saved::Created),
        false => Err(ImportError::CreatedMeanwhile(tenant.id)),
    }
}

async fn new_tenant(
    app: &App,
    id: TenantId,
    name: Option<&str>,
    zone: Option<Zone>,
) -> Result<Tenant, ImportError> {
    let (Some(name), Some(zone)) = (name, zone) else {
        return Err(ImportError::UnknownTenant(id));
    };
    let key = app.ids.bytes::<32>()?;
    let sealed = app.vault.seal(&hash_key_context(id), &key).await.map_err(ImportError::Vault)?;
    Ok(Tenant {
        id,
        name: name.to_owned(),
        zone,
        currency: Currency::default(),
        sandbox: false,
        hold_secs: DEFAULT_HOLD_SECS,
        allowed_origins: Default::default(),
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
        raw_cards: false,
        challenge_secs: DEFAULT_CHALLENGE_SECS,
        sealed_hash_key: hex::encode(sealed),
        closed_at: None,
    })
}
