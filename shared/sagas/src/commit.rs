//! Carrying out one plan, although its answer may get lost.

use platform::{ApiError, App, ErrorType};
use std::time::Duration;
use store::{Plan, Refused, StoreFault};
use tokio::time::Instant;

/// Repetitions of one plan whose answer was lost.
const MAX_REPEATS: u32 = 3;

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
/// [`ApiError`] when it is not known whether the plan was carried out.
pub(crate) async fn commit<R: Clone>(
    app: &App,
    plan: &Plan<R>,
) -> Result<Result<(), Vec<Refused<R>>>, ApiError> {
    let token = format!("{:032x}", u128::from_be_bytes(app.ids.bytes()?));
    let (mut last, patience) = (None, Patience::begin());
    for _ in 0..MAX_REPEATS {
        match Box::pin(app.store.commit(plan, &token)).await {
            Ok(done) => return Ok(done),
            Err(error) if error.kind == StoreFault::TryAgain && patience.is_left() => last = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    Err(last.map_or_else(|| ApiError::new(ErrorType::TryAgain), ApiError::from))
}
