//! The command line.

use crate::bench::BenchArgs;
use crate::commands::{
    archive::ArchiveArgs, demo::DemoArgs, export::ExportArgs, import::ImportFile, key::KeyCommand,
    merchant::MerchantCommand, outbox::OutboxFilter, processor::ProcessorCommand, restore::RestoreArgs,
    tables::TablesCommand, tenant::TenantCommand, vault::VaultCommand, verify::VerifyArgs,
};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Boxoffice: timed tickets, reservations and checkout for venues.
///
/// Without a command, the service is started.
#[derive(Debug, Parser)]
#[command(name = "boxoffice", version)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Which database a command works on.
#[derive(Debug, Clone, Args)]
pub(crate) struct DatabaseArgs {
    /// Directory of the embedded database and of its key file
    #[arg(long, global = true, value_name = "DIR", default_value = "./data")]
    pub(crate) data: PathBuf,
    /// Use DynamoDB at this address instead of the embedded one; credentials come from the environment
    #[arg(long, global = true, value_name = "URL", conflicts_with = "aws")]
    pub(crate) endpoint: Option<String>,
    /// Use DynamoDB on AWS; account and region come from the environment
    #[arg(long, global = true)]
    pub(crate) aws: bool,
    /// Prefix of the table names
    #[arg(long, global = true, env = "BOXOFFICE_TABLE_PREFIX", default_value = "boxoffice-")]
    pub(crate) prefix: String,
    /// KMS key that encrypts secrets; without it, the key file in the data directory is used
    #[arg(long, global = true, value_name = "KEY_ID", env = "BOXOFFICE_VAULT_KEY_ID")]
    pub(crate) vault_key: Option<String>,
}

/// How the service is started.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServeArgs {
    /// Port on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = 3000)]
    pub(crate) port: u16,
    /// Keep everything in memory and forget it at the end
    #[arg(long)]
    pub(crate) memory: bool,
    /// Serve without the demo venues, without their keys, and without the routes below /sandbox
    #[arg(long)]
    pub(crate) no_demo: bool,
    /// Serve the routes below /sandbox even without the demo venues (with them, the routes are always on)
    #[arg(long)]
    pub(crate) sandbox: bool,
    /// Most connections at a time; when the limit is reached, a new connection replaces the one idle longest
    #[arg(long, value_name = "COUNT", default_value_t = 4_000, value_parser = count(1, 100_000))]
    pub(crate) connections: usize,
    /// Most emails being sent at a time
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = count(1, 100))]
    pub(crate) mails_at_once: usize,
}

/// Reads a number from `least` to `most`.
fn count(least: usize, most: usize) -> impl Fn(&str) -> Result<usize, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("must be a whole number between {least} and {most}"))
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the service on this machine (the default)
    Serve(ServeArgs),
    /// Create, change and list tenants
    #[command(subcommand)]
    Tenant(TenantCommand),
    /// Issue, revoke and list API and payment keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Create, approve and list merchants, and set their rate cards
    #[command(subcommand)]
    Merchant(MerchantCommand),
    /// Choose who charges a tenant's cards: Stripe or the sandbox
    #[command(subcommand)]
    Processor(ProcessorCommand),
    /// Add a new key to the vault of this machine
    #[command(subcommand)]
    Vault(VaultCommand),
    /// Create the tables of a new deployment, and bring those of an earlier release up to date
    #[command(subcommand)]
    Tables(TablesCommand),
    /// Import a tenant's catalog from a JSON document or a CSV table; importing it again changes nothing
    Import(ImportFile),
    /// Print a tenant's catalog as a document that can be imported, with its members and merchants
    ///
    /// For people and spreadsheets. Keys and secrets are left out: API keys, the key of the tenant's hashes, the sender
    /// of its mails and its card processor. So are customers without a membership card, orders, and the seats that were
    /// sold: `archive` takes all of them along.
    Export(ExportArgs),
    /// Print all that is stored of a closed tenant, for `restore` to write into another database
    ///
    /// Secrets are sealed under the archive's own key. Names, addresses and what they bought are not: keep an archive
    /// like the database.
    Archive(ArchiveArgs),
    /// Write an archived tenant into a database that has none of its id; it stays closed until `tenant open`
    ///
    /// The whole file is checked before anything is written. After a failure, the same command goes on.
    Restore(RestoreArgs),
    /// Print a document with the catalog of a large made-up venue
    Demo(DemoArgs),
    /// List the emails that are waiting to be sent
    Outbox(OutboxFilter),
    /// Prove that orders, sales, payments, tickets, seats, counters and memberships agree
    ///
    /// Only reads, and may run while the service does: what does not agree is looked at again before it is printed.
    /// Exits with 0 if all agrees, 1 if something does not, and 2 if the check could not be completed.
    Verify(VerifyArgs),
    /// Measure what requests cost on this machine, in memory; build with --release
    Bench(BenchArgs),
    /// Print the OpenAPI document
    Openapi,
    /// Print the error table as Markdown
    Errors,
    /// Print the rules for applications of merchants as Markdown
    Onboarding,
}
