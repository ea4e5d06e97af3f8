//! Work that nobody may stop half-way.

use crate::{ApiError, ErrorType};
use store::Calls;

/// Runs work to its end in a task of its own: a client that disconnects must not stop a charge or a refund half-way.
/// It is awaited all the same, since nothing runs behind the answer of a function.
///
/// # Errors
/// Those of the work; `INTERNAL` when it ended early. The cause of that may quote what was worked on, so it is left
/// out of the log.
pub async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    let task = tokio::spawn(Calls::current().scope(Box::pin(work)));
    task.await.map_err(|_| ApiError::new(ErrorType::Internal))?
}
