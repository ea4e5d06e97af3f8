//! Importing a catalog.

use super::print;
use crate::args::DatabaseArgs;
use crate::database::{Opened, open};
use crate::failure::Failure;
use crate::import;
use clap::Args;
use platform::clock::wall_now;
use platform::processor::SandboxProcessor;
use platform::queue::LocalQueue;
use platform::{Adapters, App};
use std::path::PathBuf;
use std::sync::Arc;

/// The document to import.
#[derive(Debug, Args)]
pub(crate) struct ImportFile {
    /// A JSON document as in the directory `demo`
    file: PathBuf,
}

pub(crate) async fn run(args: &DatabaseArgs, document: &ImportFile) -> Result<(), Failure> {
    let file = document.file.display();
    let text = std::fs::read_to_string(&document.file)
        .map_err(|fault| Failure::because(format!("{file} cannot be read"), &fault))?;
    let Opened { store, vault } = open(args).await?;
    let sandbox_processor = Arc::new(SandboxProcessor::new(store.clone(), Arc::new(wall_now)));
    let app = App::new(store, Adapters { queue: Arc::new(LocalQueue::default()), vault, sandbox_processor });
    let report = import::import(&app, &text, wall_now()).await;
    let report = report.map_err(|fault| Failure::because(format!("{file} was not imported"), &fault))?;
    print(&report.to_string())?;
    let left_out = report.faults.len();
    if left_out == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!("{left_out} records of {file} were left out")))
    }
}
