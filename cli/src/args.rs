//! The command line.

use crate::bench::BenchArgs;
use crate::commands::{
    archive::ArchiveArgs, demo::DemoArgs, export::ExportArgs, import::ImportFile, key::KeyCommand,
    merchant::MerchantCommand, outbox::OutboxFilter, processor::ProcessorCommand, restore::RestoreArgs,
    staff::StaffCommand, tables::TablesCommand, tenant::TenantCommand, vault::VaultCommand,
    verify::VerifyArgs,
};
use crate::database::DatabaseArgs;
use crate::serve::ServeArgs;
use crate::soak::SoakArgs;
use clap::{Parser, Subcommand};

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

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the service on this machine (the default)
    Serve(ServeArgs),
    /// Create, change and list tenants
    #[command(subcommand)]
    Tenant(Box<TenantCommand>),
    /// Issue, revoke and list API and payment keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Add and list persons of a tenant's staff
    #[command(subcommand)]
    Staff(StaffCommand),
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
    /// Measure what requests cost on this machine, on databases of its own; build with --release
    Bench(BenchArgs),
    /// Hold that the service costs as much after long load as at its beginning, on Linux; build with --release
    ///
    /// Starts the service with the demo venues as a process of its own, in a new directory below the temporary one
    /// (TMPDIR), lets visitors come, and compares the last fifth of the time with the first: times, processor time,
    /// memory, open files, and bytes on disk for each order. At the end every mail must have been sent, nothing may be
    /// left undone, and `verify` must find nothing. Prints a line of JSON for each of 20 windows, and one at the end.
    /// Exits with 1 and names what grew or does not agree; the directory is then kept. Reckon with 40 KB for an order,
    /// which is some GB in 20 minutes.
    ///
    /// Runs of less than five minutes judge counts alone, and no clocks: they say more of the machine.
    Soak(SoakArgs),
    /// Print the OpenAPI document
    Openapi,
    /// Print the error table as Markdown
    Errors,
    /// Print the rules for applications of merchants as Markdown
    Onboarding,
    /// Print every route as Markdown: its scope, its function, the tables it asks for and its round trips
    Routes,
}
