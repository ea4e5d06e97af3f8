//! Carrying out one plan, although its answer may get lost.

use crate::fault::SagaFault;
use adapters::App;
use std::time::Duration;
use store::{Plan, Refused, StoreError, StoreFault, retry};
use tokio::time::Instant;

/// Times one plan is sent whose answer was lost.
const COMMIT_TRIES: u32 = 3;

/// How long after the first try another one is begun. A call of a table that does not answer takes the SDK up to eight
/// seconds, and a function has 28 for all it does.
const PATIENCE: Duration = Duration::from_secs(4);

/// What is left of the time in which something is tried again.
pub(crate) struct Patience(Instant);

impl Patience {
    /// All of it.
    pub(crate) fn begin() -> Self {
        Self(Instant::now())
    }

    /// Whether another try may begin.
    pub(crate) fn is_left(&self) -> bool {
        self.0.elapsed() < PATIENCE
    }
}

/// Commits a plan. Conflicts have been tried again enough by then. A lost answer is asked for again under the same
/// token, which belongs to this one attempt: another process that finishes the same order with other content must not
/// meet it.
///
/// # Errors
/// [`SagaFault`] when it is not known whether the plan was carried out.
pub(crate) async fn commit<R: Clone>(
    app: &App,
    plan: &Plan<R>,
) -> Result<Result<(), Vec<Refused<R>>>, SagaFault> {
    let token = format!("{:032x}", u128::from_be_bytes(app.ids.bytes()?));
    let patience = Patience::begin();
    let is_lost = |fault: &StoreError| fault.kind == StoreFault::TryAgain && patience.is_left();
    Ok(retry(COMMIT_TRIES, Duration::ZERO, is_lost, || app.store.commit(plan, &token)).await?)
}
