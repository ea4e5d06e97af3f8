//! Bringing what earlier releases stored to where this one expects it (decision record 0089).

use crate::failure::Failure;
use adapters::IdSource;
use std::time::Duration;
use store::migrate::{Done, MigrationStatus, MigrationStep};
use store::walk::Pace;
use store::{Consistency, Store};

/// Does every step for all records, whatever was done before, and notes it.
pub(crate) async fn migrate(store: &Store, pause: Duration) -> Result<Vec<(MigrationStep, Done)>, Failure> {
    store.load_migration_status().await?;
    from_step(store, 0, pause).await
}

/// Does the steps that these tables have not seen. A release that knows fewer steps than were done may add records
/// without what the others add, so that these are to be done again.
pub(crate) async fn catch_up(store: &Store) -> Result<(), Failure> {
    let MigrationStatus { steps } = store.load_migration_status().await?;
    if steps == MigrationStep::ALL.len() {
        return Ok(());
    }
    for (step, Done { records, completed }) in from_step(store, steps, Duration::ZERO).await? {
        tracing::info!(purpose = step.purpose(), records, completed, "records were brought up to date");
    }
    Ok(())
}

async fn from_step(
    store: &Store,
    first: usize,
    pause: Duration,
) -> Result<Vec<(MigrationStep, Done)>, Failure> {
    let token = IdSource::default()
        .bytes::<8>()
        .map(hex::encode)
        .map_err(|fault| Failure::because("no name", &fault))?;
    let pace = Pace { consistency: Consistency::Strong, pause };
    let mut done = Vec::new();
    for step in MigrationStep::ALL.into_iter().skip(first) {
        done.push((step, store.migrate(step, &token, pace).await?));
    }
    store.note_migration_status(MigrationStatus { steps: MigrationStep::ALL.len() }).await?;
    Ok(done)
}
