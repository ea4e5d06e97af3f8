//! Merchants.

use super::key::mid;
use super::{columns, known_tenant, line, print, tenant_id};
use crate::database::{DatabaseArgs, open_existing};
use crate::failure::Failure;
use clap::{Args, Subcommand};
use domain::merchant::{Merchant, MerchantStatus, RateCard, charging};
use domain::{Mid, Money, Percent, TenantId};
use store::{Consistency, Store};

/// What to do with merchants.
#[derive(Debug, Subcommand)]
pub(crate) enum MerchantCommand {
    /// Create a merchant that waits for approval
    Create {
        #[command(flatten)]
        named: Named,
        /// A name for the back office
        #[arg(long, value_parser = line)]
        name: String,
        /// Shown on card statements, behind the tenant's prefix
        #[arg(long, default_value = "", value_parser = descriptor)]
        descriptor: String,
    },
    /// Let a merchant charge cards, once it has a rate card
    Approve {
        #[command(flatten)]
        named: Named,
        #[command(flatten)]
        takeover: Takeover,
    },
    /// Refuse a merchant, which charges no cards from then on
    Decline(Named),
    /// Set what a sale costs a merchant
    SetRateCard {
        #[command(flatten)]
        named: Named,
        /// Share of the amount in percent, such as 2.90
        #[arg(long, value_parser = percent)]
        percent: Percent,
        /// Amount per sale, such as 0.30
        #[arg(long, value_parser = money)]
        fixed: Money,
        #[command(flatten)]
        takeover: Takeover,
    },
    /// List a tenant's merchants
    List {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
    },
}

/// One merchant of a tenant.
#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Id of the tenant
    #[arg(long, value_parser = tenant_id)]
    pub(super) tenant: TenantId,
    /// Merchant id
    #[arg(value_parser = mid)]
    pub(super) mid: Mid,
}

/// Whether the merchant may take the place of the one that charges. Of several that may, the first by id does.
#[derive(Debug, Args)]
pub(crate) struct Takeover {
    /// Charge all sales through this merchant from now on, where its id comes before that of the one that charges them
    #[arg(long)]
    replace: bool,
}

/// A descriptor is a line, or left out.
fn descriptor(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Ok(String::new()) } else { line(text) }
}

fn percent(text: &str) -> Result<Percent, &'static str> {
    Percent::parse(text).map_err(|_| "a percentage looks like 2.90")
}

fn money(text: &str) -> Result<Money, &'static str> {
    Money::parse(text).map_err(|_| "an amount looks like 0.30")
}

pub(crate) async fn run(args: &DatabaseArgs, command: MerchantCommand) -> Result<(), Failure> {
    let store = open_existing(args).await?.store;
    match command {
        MerchantCommand::Create { named: Named { tenant, mid }, name, descriptor } => {
            known_tenant(&store, tenant).await?;
            if store.load_merchant(tenant, &mid).await?.is_some() {
                return Err(Failure::new(format!("tenant {tenant} already has a merchant {mid}")));
            }
            let merchant =
                Merchant { mid, name, status: MerchantStatus::Pending, rate_card: None, descriptor };
            save(&store, tenant, &merchant).await
        }
        MerchantCommand::Approve { named, takeover } => {
            let merchant = known(&store, &named).await?;
            check_takeover(&store, &named, merchant.rate_card, &takeover).await?;
            decide(&store, &named, MerchantStatus::Approved).await
        }
        MerchantCommand::Decline(named) => decide(&store, &named, MerchantStatus::Declined).await,
        MerchantCommand::SetRateCard { named, percent, fixed, takeover } => {
            known(&store, &named).await?;
            let rate_card = RateCard { percentage: percent, fixed };
            check_takeover(&store, &named, Some(rate_card), &takeover).await?;
            store.set_rate_card(named.tenant, &named.mid, &rate_card).await?;
            show(&store, &named).await
        }
        MerchantCommand::List { tenant } => {
            known_tenant(&store, tenant).await?;
            print(&table(&merchants(&store, tenant).await?))
        }
    }
}

async fn merchants(store: &Store, tenant: TenantId) -> Result<Vec<Merchant>, Failure> {
    Ok(store.load_merchants(tenant, Consistency::Strong).await?)
}

/// The merchants among which one charges, and the one that is named, by mid.
async fn priced_and(store: &Store, Named { tenant, mid }: &Named) -> Result<Vec<Merchant>, Failure> {
    let mut mids = store.load_priced_merchants(*tenant, Consistency::Strong).await?;
    mids.push(mid.clone());
    mids.sort_unstable();
    mids.dedup();
    let mut found = Vec::with_capacity(mids.len());
    for mid in &mids {
        found.extend(store.load_merchant(*tenant, mid).await?);
    }
    Ok(found)
}

async fn known(store: &Store, Named { tenant, mid }: &Named) -> Result<Merchant, Failure> {
    store
        .load_merchant(*tenant, mid)
        .await?
        .ok_or_else(|| Failure::new(format!("tenant {tenant} has no merchant {mid}")))
}

/// Refuses what would silently move the sales from the merchant that charges them to this one, now or once it is
/// approved.
async fn check_takeover(
    store: &Store,
    named: &Named,
    rate_card: Option<RateCard>,
    takeover: &Takeover,
) -> Result<(), Failure> {
    let mut merchants = priced_and(store, named).await?;
    let charging_mid = |merchants: &[Merchant]| charging(merchants).ok().map(|(found, _)| found.mid.clone());
    let Some(now) = charging_mid(&merchants) else { return Ok(()) };
    for merchant in merchants.iter_mut().filter(|merchant| merchant.mid == named.mid) {
        (merchant.status, merchant.rate_card) = (MerchantStatus::Approved, rate_card);
    }
    if takeover.replace || charging_mid(&merchants).as_ref() == Some(&now) {
        return Ok(());
    }
    let mid = &named.mid;
    Err(Failure::new(format!(
        "merchant {now} charges the sales of tenant {}, and {mid} would take its place, as the first by id; pass \
         --replace to let it",
        named.tenant
    )))
}

/// Decides on a merchant as it stands now; one whose application has faults is completed first.
async fn decide(store: &Store, named: &Named, decision: MerchantStatus) -> Result<(), Failure> {
    let status = known(store, named).await?.status;
    if !status.may_become(decision) {
        let mid = &named.mid;
        return Err(Failure::new(format!(
            "merchant {mid} is {}: its application has to be completed first",
            status.as_str()
        )));
    }
    if !store.decide_merchant(named.tenant, &named.mid, status, decision).await? {
        let message = format!("merchant {} was decided on in the meantime; check it again", named.mid);
        return Err(Failure::new(message));
    }
    show(store, named).await
}

async fn show(store: &Store, named: &Named) -> Result<(), Failure> {
    print(&table(&[known(store, named).await?]))
}

async fn save(store: &Store, tenant: TenantId, merchant: &Merchant) -> Result<(), Failure> {
    let _ = store.save_merchant(tenant, merchant).await?;
    print(&table(std::slice::from_ref(merchant)))
}

fn table(merchants: &[Merchant]) -> String {
    let row = |merchant: &Merchant| {
        let Merchant { mid, name, status, rate_card, descriptor } = merchant;
        let rate_card = rate_card.as_ref();
        let rate_card = rate_card.map(|card| format!("{} % + {}", card.percentage, card.fixed));
        [
            mid.to_string(),
            status.as_str().to_owned(),
            rate_card.unwrap_or_else(|| "-".to_owned()),
            descriptor.clone(),
            name.clone(),
        ]
    };
    let rows: Vec<_> = merchants.iter().map(row).collect();
    columns(["MID", "STATUS", "RATE CARD", "DESCRIPTOR", "NAME"], &rows)
}
