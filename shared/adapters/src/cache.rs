//! Definitions that change rarely and are read by every request, kept for a few seconds.

use futures_core::future::BoxFuture;
use quick_cache::sync::Cache as Quick;
use std::fmt;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a definition may be used without a look at the database. A revoked key or a changed price is in
/// force everywhere after this time; checkout reads what it charges for afresh.
pub const MAX_AGE: Duration = Duration::from_secs(5);

/// Entries kept at most.
const CAPACITY: usize = 10_000;

/// How long one request waits for what another reads, before it reads itself: a read that hangs is not to hang all.
const PATIENCE: Duration = Duration::from_secs(1);

/// From this age on a value is read again beside the requests, which go on with the one there is: nobody waits for a
/// large catalog that is asked for all the time.
const REFRESH_FROM: Duration = Duration::from_millis(2_500);

/// Values by key, each at most [`MAX_AGE`] old by tokio's clock. Concurrent misses of one key make one read; where it
/// fails, another of them reads.
pub struct Cache<K, V>(Quick<K, Arc<CacheEntry<V>>>);

/// The place of a value while it is kept. A read beside the requests puts what it finds here, so that it comes to
/// nothing where the value was forgotten meanwhile.
struct CacheEntry<V> {
    kept: Mutex<Kept<V>>,
    /// Whether a read beside the requests is under way.
    is_being_read: AtomicBool,
}

/// A value, and when it was asked for.
struct Kept<V> {
    value: Arc<V>,
    since: Instant,
}

impl<V> CacheEntry<V> {
    fn new(value: Arc<V>, since: Instant) -> Arc<Self> {
        Arc::new(Self { kept: Mutex::new(Kept { value, since }), is_being_read: AtomicBool::new(false) })
    }

    fn kept(&self) -> MutexGuard<'_, Kept<V>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value and its age, unless it is too old to be used.
    fn fresh(&self) -> Option<(Arc<V>, Duration)> {
        let kept = self.kept();
        let age = kept.since.elapsed();
        (age < MAX_AGE).then(|| (Arc::clone(&kept.value), age))
    }
}

impl<V: Send + Sync + 'static> CacheEntry<V> {
    /// Reads the value again beside the requests, unless somebody does.
    fn refresh<E: Send + 'static>(
        self: &Arc<Self>,
        load: impl Future<Output = Result<V, E>> + Send + 'static,
    ) {
        if self.is_being_read.swap(true, Ordering::AcqRel) {
            return;
        }
        let (slot, since) = (Arc::clone(self), Instant::now());
        tokio::spawn(async move {
            // A failure is told by the request that reads the value when it is too old.
            if let Ok(value) = load.await {
                *slot.kept() = Kept { value: Arc::new(value), since };
            }
            slot.is_being_read.store(false, Ordering::Release);
        });
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
        load: impl Future<Output = Result<V, E>> + Send + 'static,
    ) -> BoxFuture<'a, Result<Arc<V>, E>> {
        let since = Instant::now();
        Box::pin(async move {
            if let Some(slot) = self.0.get(&key) {
                match slot.fresh() {
                    Some((value, age)) => {
                        if age >= REFRESH_FROM {
                            slot.refresh(load);
                        }
                        return Ok(value);
                    }
                    None => drop(self.0.remove_if(&key, |slot| slot.fresh().is_none())),
                }
            }
            let guard = match timeout(PATIENCE, self.0.get_value_or_guard_async(&key)).await {
                Ok(Ok(slot)) => match slot.fresh() {
                    Some((value, _)) => return Ok(value),
                    // It took too long, so that it is too old.
                    None => None,
                },
                Ok(Err(guard)) => Some(guard),
                // It is still being read.
                Err(_) => None,
            };
            let value = Arc::new(load.await?);
            if let Some(guard) = guard {
                // Refused where it was forgotten meanwhile.
                let _ = guard.insert(CacheEntry::new(Arc::clone(&value), since));
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
    use std::sync::atomic::AtomicU32;
    use tokio::task::yield_now;

    /// Reads that are counted: each gives its number, after others had their turn.
    #[derive(Clone, Default)]
    struct Reads(Arc<AtomicU32>);

    impl Reads {
        fn read(&self) -> impl Future<Output = Result<u32, &'static str>> + Send + 'static {
            let Self(reads) = self.clone();
            async move {
                yield_now().await;
                Ok(reads.fetch_add(1, Ordering::Relaxed))
            }
        }

        fn read_after(
            &self,
            wait: Duration,
        ) -> impl Future<Output = Result<u32, &'static str>> + Send + 'static {
            let reads = self.clone();
            async move {
                tokio::time::sleep(wait).await;
                reads.read().await
            }
        }
    }

    async fn all_turns() {
        for _ in 0..8 {
            yield_now().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_is_used_until_it_is_old() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        for (wait, expected) in [(0, 0), (2_499, 0), (5_000, 1), (2_499, 1), (5_000, 2)] {
            tokio::time::advance(Duration::from_millis(wait)).await;
            assert_eq!(*cache.get("key", reads.read()).await.unwrap(), expected);
        }
        assert_eq!(*cache.get("another", reads.read()).await.unwrap(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_that_is_asked_for_all_the_time_is_read_beside_those_who_ask() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        let slow = || reads.read_after(Duration::from_millis(900));
        assert_eq!(*cache.get("key", slow()).await.unwrap(), 0);
        let mut ages = Vec::new();
        for _ in 0..200 {
            tokio::time::advance(Duration::from_millis(100)).await;
            all_turns().await;
            let begun = Instant::now();
            ages.push(*cache.get("key", slow()).await.unwrap());
            assert_eq!(begun.elapsed(), Duration::ZERO, "somebody waited: {ages:?}");
        }
        // Twenty seconds, a read each time the value is half as old as it may be.
        assert!((6..=8).contains(ages.last().unwrap()), "{ages:?}");
        assert!(ages.is_sorted(), "{ages:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_read_beside_the_requests_is_used_as_long_as_it_may_and_no_longer() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        assert_eq!(*cache.get("key", reads.read()).await.unwrap(), 0);
        for (wait, expected) in [(2_500, Ok(0)), (2_499, Ok(0)), (1, Err("no answer"))] {
            tokio::time::advance(Duration::from_millis(wait)).await;
            all_turns().await;
            let failing = async { Err("no answer") };
            assert_eq!(cache.get("key", failing).await.map(|value| *value), expected, "{wait}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_read_beside_the_requests_is_dropped_where_the_value_was_forgotten_meanwhile() {
        let (cache, reads) = (Cache::<&str, u32>::default(), Reads::default());
        assert_eq!(*cache.get("key", reads.read()).await.unwrap(), 0);
        tokio::time::advance(Duration::from_millis(2_500)).await;
        assert_eq!(*cache.get("key", reads.read_after(Duration::from_millis(100))).await.unwrap(), 0);
        cache.forget(&"key");
        assert_eq!(*cache.get("key", reads.read()).await.unwrap(), 1);
        tokio::time::advance(Duration::from_millis(200)).await;
        all_turns().await;
        // The read that began before the change came in last, and is nobody's.
        assert_eq!(*cache.get("key", reads.read()).await.unwrap(), 1);
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
        let slow = reads.read_after(MAX_AGE + PATIENCE / 2);
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
