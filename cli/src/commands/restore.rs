//! Writing an archived tenant into a database.

use super::{counted, print};
use crate::archive::{Archive, ArchiveError, RestoreOutcome, Side};
use crate::database::{DatabaseArgs, archive_key, open};
use crate::failure::Failure;
use clap::Args;
use std::path::PathBuf;

/// What to restore.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// What `archive` printed
    file: PathBuf,
    /// File with the key that the archive's secrets are sealed under
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

pub(crate) async fn run(args: &DatabaseArgs, wanted: &RestoreArgs) -> Result<(), Failure> {
    let file = wanted.file.display();
    let failed = |fault: ArchiveError| Failure::because(format!("{file} was not restored"), &fault);
    let key = archive_key(&wanted.key)?;
    let archive = Archive::read(&wanted.file, &key).await.map_err(failed)?;
    let opened = open(args).await?;
    let to = Side { store: &opened.store, vault: opened.vault.as_ref() };
    let outcome = archive.restore(to).await.map_err(failed)?;
    let tenant = archive.tenant();
    let done = match outcome {
        RestoreOutcome::Restored => "is restored",
        RestoreOutcome::WasRestored => "was restored from this archive before",
    };
    let next = format!("check it with `verify --tenant {tenant}`, and open it with `tenant open {tenant}`");
    print(&format!("tenant {tenant} {done}: {}\n{next}", counted(archive.counts())))
}
