//! API keys and payment keys.

use super::{columns, joined, known_tenant, line, origin, print, tenant_id};
use crate::database::{DatabaseArgs, open_existing};
use crate::failure::Failure;
use adapters::IdSource;
use clap::{Args, Subcommand};
use domain::staff::{LABEL_PREFIX, is_label_of_staff};
use domain::tenant::{ApiKey, KEY_BYTES, KEY_PREFIX, Scope};
use domain::{Mid, TenantId};
use store::Store;
use store::identity::key_hash;

/// Digits of a key's hash that name it in lists.
const SHOWN_DIGITS: usize = 12;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Issue a key and print it; it cannot be shown again
    Issue(NewKey),
    /// Refuse a key from now on; running functions notice within five seconds
    Revoke {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
        /// The key's id as `key list` shows it
        id: String,
    },
    /// List a tenant's keys; their texts are not known to anyone but their holders
    List {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
    },
}

/// A key to issue.
#[derive(Debug, Args)]
pub(crate) struct NewKey {
    /// Id of the tenant
    #[arg(long, value_parser = tenant_id)]
    tenant: TenantId,
    /// b2c, b2c-browser, b2b, door, counter, payment or onboard; may be repeated
    #[arg(long = "scope", required = true, value_parser = scope)]
    scopes: Vec<Scope>,
    /// An origin whose pages may use a b2c-browser key; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN", value_parser = origin)]
    origins: Vec<String>,
    /// The merchant of a payment key
    #[arg(long, value_parser = mid)]
    mid: Option<Mid>,
    /// A name for people
    #[arg(long, value_parser = label)]
    label: String,
}

fn scope(name: &str) -> Result<Scope, &'static str> {
    Scope::parse(name).ok_or("a scope is b2c, b2c-browser, b2b, door, counter, payment or onboard")
}

/// Reads the name of a key, which must not look like a person of the staff.
fn label(text: &str) -> Result<String, String> {
    let label = line(text)?;
    if is_label_of_staff(&label) {
        return Err(format!("it must not begin with {LABEL_PREFIX}"));
    }
    Ok(label)
}

pub(super) fn mid(text: &str) -> Result<Mid, &'static str> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mid = Mid::parse(text).ok().filter(|_| digits);
    mid.ok_or("a merchant id has digits only")
}

pub(crate) async fn run(args: &DatabaseArgs, command: KeyCommand) -> Result<(), Failure> {
    let store = open_existing(args).await?.store;
    match command {
        KeyCommand::Issue(key) => issue(&store, key).await,
        KeyCommand::Revoke { tenant, id } => revoke(&store, tenant, &id).await,
        KeyCommand::List { tenant } => {
            known_tenant(&store, tenant).await?;
            let rows: Vec<_> =
                store.load_api_keys(tenant).await?.iter().map(|(hash, key)| row(hash, key)).collect();
            print(&columns(["ID", "SCOPES", "STATE", "MID", "ORIGINS", "LABEL"], &rows))
        }
    }
}

async fn issue(store: &Store, key: NewKey) -> Result<(), Failure> {
    let NewKey { tenant, scopes, origins, mid, label } = key;
    known_tenant(store, tenant).await?;
    let for_browsers = scopes.iter().any(|scope| scope.is_page());
    if for_browsers == origins.is_empty() {
        return Err(Failure::new("a key has origins if, and only if, its scope is b2c-browser"));
    }
    // What a page shows to everyone must open nothing beyond what pages may do.
    if for_browsers && scopes.iter().any(|scope| !scope.is_page()) {
        return Err(Failure::new("a b2c-browser key has no other scope"));
    }
    if scopes.contains(&Scope::Payment) != mid.is_some() {
        return Err(Failure::new("a key has a merchant id if, and only if, its scope is payment"));
    }
    if let Some(mid) = &mid
        && store.load_merchant(tenant, mid).await?.is_none()
    {
        return Err(Failure::new(format!("tenant {tenant} has no merchant {mid}")));
    }
    let bytes = IdSource::default()
        .bytes::<KEY_BYTES>()
        .map_err(|fault| Failure::because("there is no key", &fault))?;
    let text = format!("{KEY_PREFIX}{}", hex::encode(bytes));
    let api_key = ApiKey {
        tenant,
        scopes: scopes.into_iter().collect(),
        origins: origins.into_iter().collect(),
        mid,
        label,
        revoked: false,
    };
    store.save_api_key(&key_hash(&text), &api_key).await?;
    eprintln!("Keep this key: only its hash is stored, and it cannot be shown again.");
    print(&text)
}

async fn revoke(store: &Store, tenant: TenantId, id: &str) -> Result<(), Failure> {
    known_tenant(store, tenant).await?;
    let keys = store.load_api_keys(tenant).await?;
    let mut named = keys.into_iter().filter(|(hash, _)| id.len() >= SHOWN_DIGITS && hash.starts_with(id));
    let (Some((hash, key)), None) = (named.next(), named.next()) else {
        return Err(Failure::new(format!("tenant {tenant} has no key {id}; `key list` shows their ids")));
    };
    store.save_api_key(&hash, &ApiKey { revoked: true, ..key }).await?;
    print(&format!("key {id} is revoked"))
}

fn row(hash: &str, key: &ApiKey) -> [String; 6] {
    let ApiKey { tenant: _, scopes, origins, mid, label, revoked } = key;
    [
        hash.chars().take(SHOWN_DIGITS).collect(),
        joined(scopes.iter().map(|scope| scope.name())),
        if *revoked { "revoked" } else { "active" }.to_owned(),
        joined(mid),
        joined(origins),
        label.clone(),
    ]
}
