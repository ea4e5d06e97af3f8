//! The tables of a deployment.

use super::print;
use crate::args::DatabaseArgs;
use crate::database::open;
use crate::failure::Failure;
use clap::Subcommand;

/// What to do with the tables.
#[derive(Debug, Subcommand)]
pub(crate) enum TablesCommand {
    /// Create the tables that are missing, for an emulator or a trial; a deployment's template makes its own
    Create,
}

pub(crate) async fn run(args: &DatabaseArgs, command: &TablesCommand) -> Result<(), Failure> {
    match command {
        TablesCommand::Create => {
            let opened = open(args).await?;
            opened.store.create_tables().await?;
            print("the tables are there")
        }
    }
}
