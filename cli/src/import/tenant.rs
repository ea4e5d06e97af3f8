//! The tenant of an import document.

use super::{ImportError, ImportReport};
use domain::tenant::{DEFAULT_HOLD_SECS, ProcessorKind, Tenant};
use domain::{TenantId, Zone};
use platform::App;
use platform::app::hash_key_context;
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
        sandbox,
        hold_secs,
        allowed_origins,
        descriptor_prefix,
        consumer_site,
        member_claims,
    } = wanted;
    let before = app.store.load_tenant(id, Consistency::Strong).await?;
    let base = match &before {
        Some(before) if sandbox.is_some_and(|wanted| wanted != before.sandbox) => {
            return Err(ImportError::OtherKind { tenant: id, is_sandbox: before.sandbox });
        }
        Some(before) => before.clone(),
        None => new_tenant(app, id, name.as_deref(), zone).await?,
    };
    let tenant = Tenant {
        id,
        name: name.unwrap_or(base.name),
        zone: zone.unwrap_or(base.zone),
        sandbox: sandbox.unwrap_or(base.sandbox),
        hold_secs: hold_secs.unwrap_or(base.hold_secs),
        allowed_origins: allowed_origins.unwrap_or(base.allowed_origins),
        descriptor_prefix: descriptor_prefix.unwrap_or(base.descriptor_prefix),
        processor: base.processor,
        mail_from: base.mail_from,
        consumer_site: consumer_site.or(base.consumer_site),
        limits: base.limits,
        member_claims: member_claims.over(base.member_claims),
        sealed_hash_key: base.sealed_hash_key,
        closed_at: base.closed_at,
    };
    if before.as_ref() == Some(&tenant) {
        report.note("tenant", Saved::Unchanged);
        return Ok(tenant);
    }
    if before.is_some() {
        app.store.save_tenant(&tenant).await?;
        report.note("tenant", Saved::Updated);
    } else if app.store.create_tenant(&tenant).await? {
        report.note("tenant", Saved::Created);
    } else {
        return Err(ImportError::CreatedMeanwhile(id));
    }
    Ok(tenant)
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
        sandbox: false,
        hold_secs: DEFAULT_HOLD_SECS,
        allowed_origins: Default::default(),
        descriptor_prefix: String::new(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        limits: Default::default(),
        member_claims: Default::default(),
        sealed_hash_key: hex::encode(sealed),
        closed_at: None,
    })
}
