//! Who charges a tenant's cards.

use super::merchant::Named;
use super::{columns, known_tenant, print, tenant_id};
use crate::database::{DatabaseArgs, Opened, open_existing};
use crate::failure::Failure;
use clap::Subcommand;
use domain::TenantId;
use domain::stripe::{
    KeyMode, MAX_WEBHOOK_SECRETS, PublishableKey, StripeAccount, StripeAddress, StripeKey, StripeSettings,
    UnfitKey, stripe_key_context,
};
use domain::stripe_event::{WebhookSecret, webhook_secret_context};
use domain::tenant::{ProcessorKind, Tenant};
use std::collections::BTreeMap;
use std::io::Read;
use store::Store;
use zeroize::Zeroizing;

/// What to do with a tenant's card processor.
#[derive(Debug, Subcommand)]
pub(crate) enum ProcessorCommand {
    /// Charge through Stripe, with the secret key on standard input
    ///
    /// The key is sealed at once and never shown again. A live tenant has a live key and a sandbox tenant a test key.
    /// Given again, the new key replaces the old one; connected accounts stay.
    Stripe {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
        /// Something that answers like Stripe, such as http://127.0.0.1:8420; for sandbox tenants only
        #[arg(long, value_name = "URL", value_parser = address)]
        address: Option<StripeAddress>,
    },
    /// Set the key by which Stripe's fields in the venue's pages make tokens of cards; it is no secret
    PublishableKey {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
        /// The key, such as pk_live_51H8vXGjyP, of the same account as the secret one
        #[arg(value_parser = publishable_key)]
        key: PublishableKey,
    },
    /// Take the messages of a webhook of Stripe's, with its signing secret on standard input
    ///
    /// The address is /v1/payment/webhooks/stripe/ID below that of the payments API. Given again, the new secret is
    /// taken beside the one before it, until there is another.
    WebhookSecret {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
        /// Take this secret alone, and no longer the one before it
        #[arg(long)]
        only: bool,
    },
    /// Charge a merchant's sales on an account that is connected to the one of the key (Stripe Connect)
    Connect {
        #[command(flatten)]
        named: Named,
        /// The connected account, such as acct_1032D82eZvKYlo2C
        #[arg(value_parser = account)]
        account: StripeAccount,
    },
    /// Charge a merchant's sales on the account of the key again
    Disconnect(Named),
    /// Charge nothing: the built-in processor with its test cards; a live tenant then takes no cards
    Sandbox {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
    },
    /// Show who charges, and on which accounts
    Show {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
    },
}

/// The most that is read of standard input, in bytes.
const MAX_INPUT_BYTES: u64 = 1_024;

fn address(text: &str) -> Result<StripeAddress, &'static str> {
    StripeAddress::parse(text)
        .map_err(|_| "an address begins with https://, or with http:// on this machine, and has no path")
}

fn publishable_key(text: &str) -> Result<PublishableKey, &'static str> {
    PublishableKey::parse(text).map_err(|_| "a publishable key begins with pk_live_ or pk_test_")
}

fn account(text: &str) -> Result<StripeAccount, &'static str> {
    StripeAccount::parse(text).map_err(|_| "a connected account looks like acct_1032D82eZvKYlo2C")
}

pub(crate) async fn run(args: &DatabaseArgs, command: ProcessorCommand) -> Result<(), Failure> {
    let opened = open_existing(args).await?;
    let store = &opened.store;
    match command {
        ProcessorCommand::Stripe { tenant, address } => {
            let tenant = known_tenant(store, tenant).await?;
            let key = read_key(std::io::stdin().lock())?;
            let settings = with_key(&opened, &tenant, &key, address).await?;
            save(store, tenant, ProcessorKind::Stripe(Box::new(settings))).await
        }
        ProcessorCommand::PublishableKey { tenant, key } => {
            let tenant = known_tenant(store, tenant).await?;
            check_mode(&tenant, key.mode())?;
            let mut settings = settings_of(&tenant)?;
            settings.publishable_key = Some(key);
            save(store, tenant, ProcessorKind::Stripe(settings)).await
        }
        ProcessorCommand::WebhookSecret { tenant, only } => {
            let tenant = known_tenant(store, tenant).await?;
            let secret = read_secret(std::io::stdin().lock())?;
            let settings = with_secret(&opened, &tenant, &secret, only).await?;
            save(store, tenant, ProcessorKind::Stripe(settings)).await
        }
        ProcessorCommand::Connect { named, account } => {
            require_merchant(store, &named).await?;
            change_accounts(store, &named, Some(account)).await
        }
        ProcessorCommand::Disconnect(named) => change_accounts(store, &named, None).await,
        ProcessorCommand::Sandbox { tenant } => {
            let tenant = known_tenant(store, tenant).await?;
            let forgotten = forgotten(&tenant);
            save(store, tenant, ProcessorKind::Sandbox).await?;
            forgotten.map_or(Ok(()), |forgotten| print(&forgotten))
        }
        ProcessorCommand::Show { tenant } => show(&known_tenant(store, tenant).await?),
    }
}

fn read_text(input: impl Read) -> Result<Zeroizing<String>, Failure> {
    let mut text = Zeroizing::new(String::new());
    let read = input.take(MAX_INPUT_BYTES).read_to_string(&mut text);
    read.map_err(|fault| Failure::because("standard input cannot be read", &fault))?;
    Ok(text)
}

fn read_key(input: impl Read) -> Result<StripeKey, Failure> {
    let text = read_text(input)?;
    StripeKey::parse(&text).map_err(|_| {
        Failure::new(
            "standard input has no secret key: one begins with sk_live_, rk_live_, sk_test_ or rk_test_",
        )
    })
}

fn read_secret(input: impl Read) -> Result<WebhookSecret, Failure> {
    let text = read_text(input)?;
    WebhookSecret::parse(&text)
        .map_err(|_| Failure::new("standard input has no signing secret: one begins with whsec_"))
}

/// The settings of a tenant that takes messages signed with this secret, and with the one before it.
async fn with_secret(
    opened: &Opened,
    tenant: &Tenant,
    secret: &WebhookSecret,
    only: bool,
) -> Result<Box<StripeSettings>, Failure> {
    let mut settings = settings_of(tenant)?;
    let context = webhook_secret_context(tenant.id);
    let sealed = opened.vault.seal(&context, secret.expose().as_bytes()).await;
    let sealed = sealed.map_err(|fault| Failure::because("the secret cannot be sealed", &fault))?;
    if only {
        settings.webhook_secrets.clear();
    }
    settings.webhook_secrets.insert(0, hex::encode(sealed));
    settings.webhook_secrets.truncate(MAX_WEBHOOK_SECRETS);
    Ok(settings)
}

/// Refuses a key of the wrong mode.
fn check_mode(tenant: &Tenant, mode: KeyMode) -> Result<(), Failure> {
    tenant.may_charge_by(mode).map_err(|unfit| {
        Failure::new(match unfit {
            UnfitKey::LiveInSandbox => "a sandbox tenant needs a test key: no real money moves there",
            UnfitKey::TestInLive => {
                "a live tenant needs a live key: with a test key its tickets would be free"
            }
        })
    })
}

/// The settings of a tenant that charges through Stripe.
fn settings_of(tenant: &Tenant) -> Result<Box<StripeSettings>, Failure> {
    match &tenant.processor {
        ProcessorKind::Stripe(settings) => Ok(settings.clone()),
        ProcessorKind::Sandbox => Err(Failure::new(format!(
            "tenant {} does not charge through Stripe; set its key with `processor stripe` first",
            tenant.id
        ))),
    }
}

/// The settings of a tenant with this key; what else there is of them stays.
async fn with_key(
    opened: &Opened,
    tenant: &Tenant,
    key: &StripeKey,
    address: Option<StripeAddress>,
) -> Result<StripeSettings, Failure> {
    check_mode(tenant, key.mode())?;
    if address.is_some() && !tenant.sandbox {
        return Err(Failure::new("the cards of a live tenant go to Stripe's own address only"));
    }
    let context = stripe_key_context(tenant.id);
    let sealed = opened.vault.seal(&context, key.expose().as_bytes()).await;
    let sealed = sealed.map_err(|fault| Failure::because("the key cannot be sealed", &fault))?;
    let sealed_key = hex::encode(sealed);
    Ok(match &tenant.processor {
        ProcessorKind::Stripe(before) => {
            let before = StripeSettings::clone(before);
            StripeSettings { sealed_key, address: address.or(before.address.clone()), ..before }
        }
        ProcessorKind::Sandbox => StripeSettings {
            sealed_key,
            address,
            accounts: BTreeMap::new(),
            publishable_key: None,
            webhook_secrets: Vec::new(),
        },
    })
}

async fn require_merchant(store: &Store, Named { tenant, mid }: &Named) -> Result<(), Failure> {
    if store.load_merchant(*tenant, mid).await?.is_some() {
        Ok(())
    } else {
        Err(Failure::new(format!("tenant {tenant} has no merchant {mid}")))
    }
}

async fn change_accounts(
    store: &Store,
    Named { tenant, mid }: &Named,
    account: Option<StripeAccount>,
) -> Result<(), Failure> {
    let tenant = known_tenant(store, *tenant).await?;
    let mut settings = settings_of(&tenant)?;
    match account {
        Some(account) => _ = settings.accounts.insert(mid.clone(), account),
        None => _ = settings.accounts.remove(mid),
    }
    save(store, tenant, ProcessorKind::Stripe(settings)).await
}

/// What a tenant that charged through Stripe has to be told again when it goes back to it.
fn forgotten(tenant: &Tenant) -> Option<String> {
    let ProcessorKind::Stripe(settings) = &tenant.processor else { return None };
    let parts = [
        ("publishable key", usize::from(settings.publishable_key.is_some())),
        ("webhook secrets", settings.webhook_secrets.len()),
        ("connected accounts", settings.accounts.len()),
    ];
    let parts = parts.into_iter().filter(|(_, count)| *count > 0).map(|(name, _)| name);
    let parts: Vec<&str> = std::iter::once("key").chain(parts).collect();
    Some(format!("forgotten, to be set again for Stripe: {}", parts.join(", ")))
}

async fn save(store: &Store, tenant: Tenant, processor: ProcessorKind) -> Result<(), Failure> {
    let tenant = Tenant { processor, ..tenant };
    store.save_tenant(&tenant).await?;
    show(&tenant)
}

fn show(tenant: &Tenant) -> Result<(), Failure> {
    let table = |rows: &[[String; 3]]| columns(["CHARGED BY", "MERCHANT", "ON"], rows);
    let settings = match &tenant.processor {
        ProcessorKind::Sandbox => return print(&table(&[["sandbox", "-", "-"].map(str::to_owned)])),
        ProcessorKind::Stripe(settings) => settings,
    };
    let address = settings.address.as_ref().map_or("https://api.stripe.com", StripeAddress::as_str);
    let row = |mid: &str, account: &str| [address.to_owned(), mid.to_owned(), account.to_owned()];
    let connected = settings.accounts.iter().map(|(mid, account)| row(mid.as_str(), account.as_str()));
    let rows: Vec<[String; 3]> = connected.chain([row("any other", "the account of the key")]).collect();
    let key = settings.publishable_key.as_ref().map(PublishableKey::as_str);
    let key = key.map(|key| format!("\npublishable key: {key}")).unwrap_or_default();
    let hears = match settings.webhook_secrets.len() {
        0 => "\nwebhook: none, so that the schedule asks".to_owned(),
        secrets => format!("\nwebhook: /v1/payment/webhooks/stripe/{}, secrets: {secrets}", tenant.id),
    };
    print(&format!("{}{key}{hears}", table(&rows)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_from_standard_input_and_never_repeated() {
        assert_eq!(read_key(&b"sk_test_abc\n"[..]).unwrap().expose(), "sk_test_abc");
        for input in [&b""[..], b"pk_test_secret", b"sk_live_\xff"] {
            let complaint = read_key(input).unwrap_err().to_string();
            assert!(!complaint.contains("secret_") && !complaint.contains("pk_test"), "{complaint}");
        }
    }
}
