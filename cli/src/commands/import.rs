//! Importing a catalog.

use super::print;
use crate::database::{DatabaseArgs, Opened, open};
use crate::document::{Document, Format};
use crate::failure::Failure;
use crate::import::{Run, import_document};
use adapters::clock::wall_now;
use adapters::processor::SandboxProcessor;
use adapters::queue::LocalQueue;
use adapters::{Adapters, App};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::sync::Arc;

/// The document to import.
#[derive(Debug, Args)]
pub(crate) struct ImportFile {
    /// A JSON document as in the directory `demo`, or a table as `docs/IMPORT.md` describes it
    file: PathBuf,
    /// Format of the document; without it, the file name extension decides
    #[arg(long)]
    format: Option<Format>,
}

pub(crate) async fn run(args: &DatabaseArgs, document: &ImportFile) -> Result<(), Failure> {
    let file = document.file.display();
    let text = std::fs::read_to_string(&document.file)
        .map_err(|fault| Failure::because(format!("{file} cannot be read"), &fault))?;
    let format = document.format.unwrap_or_else(|| Format::of(&document.file));
    let read = Document::read(&text, format);
    let read = read.map_err(|fault| Failure::because(format!("{file} was not imported"), &fault))?;
    drop(text);
    let Opened { store, vault } = open(args).await?;
    let sandbox_processor = Arc::new(SandboxProcessor::new(store.clone(), Arc::new(wall_now)));
    let app = App::new(store, Adapters { queue: Arc::new(LocalQueue::default()), vault, sandbox_processor });
    let watched = Run { progress: progress()?, ..Run::unwatched(wall_now()) };
    let report = import_document(&app, &read, &watched).await;
    let report = report.map_err(|fault| Failure::because(format!("{file} was not imported"), &fault))?;
    print(&report.to_string())?;
    let left_out = report.faults.len();
    if left_out == 0 {
        Ok(())
    } else {
        let records = if left_out == 1 { "record" } else { "records" };
        let were = if left_out == 1 { "was" } else { "were" };
        Err(Failure::new(format!("{left_out} {records} of {file} {were} left out")))
    }
}

/// A bar on the terminal; where standard error is none, nothing is drawn.
fn progress() -> Result<ProgressBar, Failure> {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}");
    let style = style.map_err(|fault| Failure::because("there is no progress bar", &fault))?;
    Ok(ProgressBar::new(0).with_style(style))
}
