//! Definitions that change rarely and are read by every request, kept for a few seconds.

use quick_cache::sync::Cache as Quick;
use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a definition may be used without a look at the database. A revoked key or a changed price is in
/// force everywhere after this time; checkout reads what it charges for afresh.
pub const MAX_AGE: Duration = Duration::from_secs(5);

/// Entries kept at most.
const CAPACITY: usize = 10_000;

/// How long one request waits for what another reads, before it reads itself: a read that hangs is not to hang all.
const PATIENCE: Duration = Duration::from_secs(1);

/// Values by key, each at most [`MAX_AGE`] old by tokio's clock. Concurrent misses of one key make one read; where it
/// fails, another of them reads.
pub struct Cache<K, V>(Quick<K, Kept<V>>);

/// A value, and when it was asked for.
struct Kept<V> {
    value: Arc<V>,
    since: Instant,
}

impl<V> Kept<V> {
    fn is_fresh(&self) -> bool {
        self.since.elapsed() < MAX_AGE
    }
}

/// Without asking that `V` can be cloned, as a derived one would.
impl<V> Clone for Kept<V> {
    fn clone(&self) -> Self {
        Self { value: Arc::clone(&self.value), since: self.since }
    }
}

/// What is kept is nothing for a log line.
impl<K, V> fmt::Debug for Cache<K, V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Cache")
    }
}

impl<K: Hash + Eq, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(Quick::new(CAPACITY))
    }
}

impl<K: Hash + Eq + Clone + Send + Sync + 'static, V: Send + Sync + 'static> Cache<K, V> {
    /// The value of `key`, loaded if it is not here. In a box, since every request asks for several and would carry the
    /// state of each call on its stack.
    ///
    /// # Errors
    /// Those of `load`; a failure is not kept.
    pub fn get<'a, E: Send + 'static>(
        &'a self,
        key: K,
        load: impl Future<Output = Result<V, E>> + Send + 'a,
    ) -> Pin<Box<dyn Future<Output = Result<Arc<V>, E>> + Send + 'a>> {
        let since = Instant::now();
        Box::pin(async move {
            match self.0.get(&key) {
                Some(kept) if kept.is_fresh() => return Ok(kept.value),
                Some(_) => drop(self.0.remove_if(&key, |kept| !kept.is_fresh())),
                None => {}
            }
            let guard = match timeout(PATIENCE, self.0.get_value_or_guard_async(&key)).await {
                Ok(Ok(kept)) if kept.is_fresh() => return Ok(kept.value),
                Ok(Err(guard)) => Some(guard),
                // It took too long, so that it would be too old or is still being read.
                Ok(Ok(_)) | Err(_) => None,
            };
            let value = Arc::new(load.await?);
            if let Some(guard) = guard {
                // Refused where it was forgotten meanwhile.
                let _ = guard.insert(Kept { value: Arc::clone(&value), since });
            }
            Ok(value)
        })
    }

    /// Forgets the value of `key`, after a change made here. One that is being read at this moment is not kept.
    pub fn forget(&self, key: &K) {
        self.0.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::task::yield_now;

    /// Reads that are counted: each gives its number, after others had their turn.
    #[derive(Default)]
    struct Reads(AtomicU32);

    impl Reads {
        async fn read(&self) -> Result<u32, &'static str> {
            yield_now().await;
            Ok(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_is_used_until_it_is_old() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        for (wait, expected) in [(0, 0), (4_999, 0), (1, 1), (4_000, 1), (1_000, 2)] {
            tokio::time::advance(Duration::from_millis(wait)).await;
            assert_eq!(*cache.get("key", reads.read()).await.unwrap(), expected);
        }
        assert_eq!(*cache.get("another", reads.read()).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn those_who_miss_at_once_share_one_read() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        let (one, other) = tokio::join!(cache.get("key", reads.read()), cache.get("key", reads.read()));
        assert_eq!((*one.unwrap(), *other.unwrap()), (0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn where_a_read_fails_the_next_tries_at_once() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        let begun = Instant::now();
        let failing = async {
            yield_now().await;
            Err("no answer")
        };
        let (one, other) = tokio::join!(cache.get("key", failing), cache.get("key", reads.read()));
        assert_eq!((one.unwrap_err(), *other.unwrap()), ("no answer", 0));
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn what_took_too_long_to_read_is_read_again() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        let slow = async {
            tokio::time::sleep(MAX_AGE + PATIENCE / 2).await;
            reads.read().await
        };
        let late = async {
            tokio::time::sleep(MAX_AGE).await;
            cache.get("key", reads.read()).await
        };
        let (one, other) = tokio::join!(cache.get("key", slow), late);
        assert_eq!((*one.unwrap(), *other.unwrap()), (0, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_long_for_what_another_reads() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        let begun = Instant::now();
        let hanging = async {
            tokio::time::sleep(Duration::from_secs(8)).await;
            Err("no answer")
        };
        let patient = async { (cache.get("key", reads.read()).await.unwrap(), begun.elapsed()) };
        let (one, (other, waited)) = tokio::join!(cache.get("key", hanging), patient);
        assert_eq!((one.unwrap_err(), *other), ("no answer", 0));
        assert!(waited < Duration::from_secs(2), "{waited:?}");
    }

    #[tokio::test]
    async fn a_value_that_is_forgotten_while_it_is_read_is_not_kept() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        let forgetting = async { cache.forget(&"key") };
        let (before, ()) = tokio::join!(cache.get("key", reads.read()), forgetting);
        assert_eq!((*before.unwrap(), *cache.get("key", reads.read()).await.unwrap()), (0, 1));
    }
}
