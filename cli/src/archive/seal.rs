//! The secrets of records: each is opened by the vault it is sealed under, and sealed under another. All that is
//! sealed under a vault is named here, and a record that has more is refused.

use super::ArchiveError;
use adapters::app::hash_key_context;
use adapters::vault::Vault;
use domain::onboarding::application_key_context;
use domain::stripe::stripe_key_context;
use domain::stripe_event::webhook_secret_context;
use domain::{BoardingRefId, TenantId};
use store::{AttributeValue, Item, Key};

/// How attributes begin that a vault sealed.
const SEALED: &str = "sealed_";

/// Opens what `from` sealed in a record, and seals it under `to`.
pub(super) async fn seal_anew(
    tenant: TenantId,
    key: &Key,
    item: &mut Item,
    from: &dyn Vault,
    to: &dyn Vault,
) -> Result<(), ArchiveError> {
    for (context, sealed) in secrets(tenant, key, item)? {
        let bytes = hex::decode(sealed.as_str()).map_err(|_| ArchiveError::UnknownSecret(key.clone()))?;
        let plain = from.open(&context, &bytes).await?;
        *sealed = hex::encode(to.seal(&context, &plain).await?);
    }
    Ok(())
}

/// Whether two records say the same, whatever their secrets are sealed under.
pub(super) fn is_same(tenant: TenantId, key: &Key, one: &Item, other: &Item) -> bool {
    let bare = |item: &Item| {
        let mut item = item.clone();
        let blanked =
            secrets(tenant, key, &mut item).map(|all| all.into_iter().for_each(|(_, sealed)| sealed.clear()));
        blanked.is_ok().then_some(item)
    };
    bare(one) == bare(other)
}

/// What is sealed of a record, each with what it is sealed for.
fn secrets<'a>(
    tenant: TenantId,
    key: &Key,
    item: &'a mut Item,
) -> Result<Vec<(String, &'a mut String)>, ArchiveError> {
    let is_tenant = *key == Key::tenant(tenant);
    let application = key.boarding_reference(tenant).and_then(|text| BoardingRefId::parse(text).ok());
    let application = application.map(|reference| application_key_context(tenant, &reference));
    let mut found = Vec::new();
    for (name, value) in item {
        let (context, sealed) = match (name.as_str(), &application) {
            ("sealed_hash_key", _) if is_tenant => (hash_key_context(tenant), text_in(value)),
            // The sandbox has no secrets.
            ("processor", _) if is_tenant => {
                found.extend(stripe_secrets(tenant, value));
                continue;
            }
            ("sealed_key", Some(context)) => (context.clone(), text_in(value)),
            (name, _) if name.starts_with(SEALED) => return Err(ArchiveError::UnknownSecret(key.clone())),
            (_, _) => continue,
        };
        found.extend(sealed.map(|sealed| (context, sealed)));
    }
    Ok(found)
}

fn text_in(value: &mut AttributeValue) -> Option<&mut String> {
    if let AttributeValue::S(text) = value { Some(text) } else { None }
}

/// What is sealed of what a record says of its processor.
fn stripe_secrets(tenant: TenantId, processor: &mut AttributeValue) -> Vec<(String, &mut String)> {
    let AttributeValue::M(kinds) = processor else { return Vec::new() };
    let Some(AttributeValue::M(settings)) = kinds.get_mut("stripe") else { return Vec::new() };
    let mut found = Vec::new();
    for (name, value) in settings {
        match (name.as_str(), value) {
            ("sealed_key", value) => {
                found.extend(text_in(value).map(|sealed| (stripe_key_context(tenant), sealed)));
            }
            ("webhook_secrets", AttributeValue::L(secrets)) => {
                let secrets = secrets.iter_mut().filter_map(text_in);
                found.extend(secrets.map(|sealed| (webhook_secret_context(tenant), sealed)));
            }
            (_, _) => {}
        }
    }
    found
}
