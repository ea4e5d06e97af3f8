//! Definitions that change rarely and are read by every request, kept for a few seconds.

use moka::future::Cache as Moka;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a definition may be used without a look at the database. A revoked key or a changed price is in
/// force everywhere after this time; checkout reads what it charges for afresh.
pub const MAX_AGE: Duration = Duration::from_secs(5);

/// Entries kept at most.
const CAPACITY: u64 = 10_000;

/// Values by key, each at most [`MAX_AGE`] old by tokio's clock. Concurrent misses of one key make one read.
#[derive(Debug, Clone)]
pub struct Cache<K: Hash + Eq + Send + Sync + 'static, V: Send + Sync + 'static>(Moka<K, Kept<V>>);

/// A value, and when it was asked for.
#[derive(Debug)]
struct Kept<V> {
    value: Arc<V>,
    since: Instant,
}

/// Without asking that `V` can be cloned, as a derived one would.
impl<V> Clone for Kept<V> {
    fn clone(&self) -> Self {
        Self { value: Arc::clone(&self.value), since: self.since }
    }
}

impl<K: Hash + Eq + Send + Sync + 'static, V: Send + Sync + 'static> Default for Cache<K, V> {
    fn default() -> Self {
        Self(Moka::builder().max_capacity(CAPACITY).build())
    }
}

impl<K: Hash + Eq + Send + Sync + 'static, V: Send + Sync + 'static> Cache<K, V> {
    /// The value of `key`, loaded if it is not here. In a box, since every request asks for several and would carry the
    /// state of each call on its stack.
    ///
    /// # Errors
    /// Those of `load`; a failure is not kept.
    pub fn get<'a, E: Clone + Send + Sync + 'static>(
        &'a self,
        key: K,
        load: impl Future<Output = Result<V, E>> + Send + 'a,
    ) -> Pin<Box<dyn Future<Output = Result<Arc<V>, E>> + Send + 'a>> {
        let since = Instant::now();
        // The cache moves what loads a value several times; boxed, a pointer moves and not the call's state.
        let load = Box::pin(async move { load.await.map(|value| Kept { value: Arc::new(value), since }) });
        Box::pin(async move {
            if self.0.get(&key).await.is_some_and(|kept| kept.since.elapsed() >= MAX_AGE) {
                self.0.invalidate(&key).await;
            }
            let kept = self.0.try_get_with(key, load).await.map_err(|error| (*error).clone())?;
            Ok(kept.value)
        })
    }

    /// Forgets the value of `key`, after a change made here.
    pub async fn forget(&self, key: &K) {
        self.0.invalidate(key).await;
    }
}
