//! The same work for several orders.

use std::collections::BTreeMap;
use store::Calls;
use tokio::task::JoinSet;
use web::ApiError;

/// Orders that are worked on at a time.
const AT_ONCE: usize = 25;

/// Does all of the work side by side, and has what came of each in its order. What is begun is done to the end, even
/// where other work fails meanwhile.
///
/// # Errors
/// The first one.
pub(crate) async fn side_by_side<T, F>(work: Vec<F>) -> Result<Vec<T>, ApiError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ApiError>> + Send + 'static,
{
    let mut left = work.into_iter().enumerate();
    let (mut running, mut done, mut failed) = (JoinSet::new(), BTreeMap::new(), None);
    loop {
        while running.len() < AT_ONCE {
            let Some((place, work)) = left.next() else { break };
            let work = Calls::current().scope(Box::pin(work));
            running.spawn(async move { (place, work.await) });
        }
        let Some(ended) = running.join_next().await else { break };
        match ended {
            Ok((place, Ok(outcome))) => {
                done.insert(place, outcome);
            }
            Ok((_, Err(fault))) => failed = failed.or(Some(fault)),
            Err(fault) => failed = failed.or_else(|| Some(ApiError::internal(fault))),
        }
    }
    match failed {
        Some(fault) => Err(fault),
        None => Ok(done.into_values().collect()),
    }
}
