//! The tables of a deployment.

use super::print;
use crate::database::{DatabaseArgs, open, open_any};
use crate::failure::Failure;
use crate::migration;
use clap::{Args, Subcommand};
use std::time::Duration;
use store::migrate::{Done, MigrationStep};

/// What to do with the tables.
#[derive(Debug, Subcommand)]
pub(crate) enum TablesCommand {
    /// Create the tables that are missing, for an emulator or a trial; a deployment's template makes its own
    Create,
    /// Bring what earlier releases stored to where this one expects it
    ///
    /// Works beside the running service, and can be stopped and started again at any time: what was done stays as it
    /// is.
    Migrate(MigrateArgs),
}

/// How the tables are walked through.
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Milliseconds to wait before each page of 1,000 records, which leaves a busy table to others
    #[arg(long, value_name = "MILLIS", default_value_t = 0)]
    pause: u64,
}

pub(crate) async fn run(args: &DatabaseArgs, command: &TablesCommand) -> Result<(), Failure> {
    match command {
        TablesCommand::Create => {
            let opened = open_any(args).await?;
            opened.store.create_tables().await?;
            print("the tables are ready")
        }
        TablesCommand::Migrate(MigrateArgs { pause }) => {
            let opened = open(args).await?;
            let done = migration::migrate(&opened.store, Duration::from_millis(*pause)).await?;
            let lines: Vec<String> = done.into_iter().map(|(step, done)| described(step, done)).collect();
            print(&lines.join("\n"))
        }
    }
}

fn described(step: MigrationStep, Done { records, completed }: Done) -> String {
    format!("{}: {completed} of {records} records completed", step.purpose())
}
