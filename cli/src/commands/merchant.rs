//! Merchants.

use super::key::mid;
use super::{columns, known_tenant, print, tenant_id};
use crate::args::DatabaseArgs;
use crate::database::open;
use crate::failure::Failure;
use clap::{Args, Subcommand};
use domain::merchant::{Merchant, MerchantStatus, RateCard};
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
        #[arg(long)]
        name: String,
        /// Shown on card statements, behind the tenant's prefix
        #[arg(long, default_value = "")]
        descriptor: String,
    },
    /// Let a merchant charge cards, once it has a rate card
    Approve(Named),
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
    },
    /// List a tenant's merchants
    List {
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
    },
}

/// One merchant of a tenant.
#[derive(Debug, Args)]
pub(crate) struct Named {
    #[arg(long, value_parser = tenant_id)]
    tenant: TenantId,
    /// Merchant id
    #[arg(value_parser = mid)]
    mid: Mid,
}

fn percent(text: &str) -> Result<Percent, &'static str> {
    Percent::parse(text).map_err(|_| "a percentage looks like 2.90")
}

fn money(text: &str) -> Result<Money, &'static str> {
    Money::parse(text).map_err(|_| "an amount looks like 0.30")
}

pub(crate) async fn run(args: &DatabaseArgs, command: MerchantCommand) -> Result<(), Failure> {
    let store = open(args).await?.store;
    match command {
        MerchantCommand::Create { named: Named { tenant, mid }, name, descriptor } => {
            known_tenant(&store, tenant).await?;
            if merchants(&store, tenant).await?.iter().any(|merchant| merchant.mid == mid) {
                return Err(Failure::new(format!("tenant {tenant} has a merchant {mid} already")));
            }
            let merchant =
                Merchant { mid, name, status: MerchantStatus::Pending, rate_card: None, descriptor };
            save(&store, tenant, &merchant).await
        }
        MerchantCommand::Approve(named) => {
            let merchant = known(&store, &named).await?;
            save(&store, named.tenant, &Merchant { status: MerchantStatus::Approved, ..merchant }).await
        }
        MerchantCommand::SetRateCard { named, percent, fixed } => {
            let merchant = known(&store, &named).await?;
            let rate_card = Some(RateCard { percentage: percent, fixed });
            save(&store, named.tenant, &Merchant { rate_card, ..merchant }).await
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

async fn known(store: &Store, Named { tenant, mid }: &Named) -> Result<Merchant, Failure> {
    let found = merchants(store, *tenant).await?.into_iter().find(|merchant| merchant.mid == *mid);
    found.ok_or_else(|| Failure::new(format!("tenant {tenant} has no merchant {mid}")))
}

async fn save(store: &Store, tenant: TenantId, merchant: &Merchant) -> Result<(), Failure> {
    store.save_merchant(tenant, merchant).await?;
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
