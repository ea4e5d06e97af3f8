//! Counts of how often something was asked for (decision record 0081). They lie where expired items go by themselves,
//! one for each limit, caller and window of time.

use crate::{Consistency, Expression, Key, Store, StoreError, decode, number};
use domain::rate_limit::{RateLimit, Window};
use domain::{TenantId, Timestamp};
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// The attribute that is the count.
const COUNTED: &str = "counted";

/// A count stays this long after its window, in seconds of real time.
const RETENTION_SECS: i64 = 3_600;

#[derive(Deserialize)]
struct Counted {
    counted: u32,
}

/// Where it is counted what a caller did in a window of that limit. The caller is named by texts, whose SHA-256 is all
/// that is stored of them.
#[must_use]
pub fn rate_key(tenant: TenantId, limit: RateLimit, subject: &[&str], window: Window) -> Key {
    let mut hash = Sha256::new();
    for part in std::iter::once(&limit.name()).chain(subject) {
        // With its length in front, so that no two lists of texts are the same bytes.
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    Key::rate(tenant, &hex::encode(hash.finalize()), window)
}

impl Store {
    /// Counts so many more, and says how many that makes. `wall_now` is real time, from which the item expires.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer; it may have counted all the same.
    pub async fn count_rate(
        &self,
        key: &Key,
        more: u32,
        window_secs: u32,
        wall_now: Timestamp,
    ) -> Result<u32, StoreError> {
        let mut update = Expression::new();
        let (counted, none) = (update.path(&[COUNTED]), update.number(0));
        let more = update.number(i64::from(more));
        update.set(format!("{counted} = if_not_exists({counted}, {none}) + {more}"));
        let kept = i64::from(window_secs).saturating_add(RETENTION_SECS);
        update.assign("ttl", number(wall_now.timestamp().saturating_add(kept)));
        // It has no condition that could fail.
        let item = self.update_and_return(key, &update).await?.unwrap_or_default();
        decode(item).map(|Counted { counted }| counted)
    }

    /// How many were counted in each of these places, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_rates(&self, keys: &[Key]) -> Result<Vec<u32>, StoreError> {
        let mut found = self.get_many(keys.iter().cloned(), Consistency::Strong).await?;
        let mut count = |key| {
            let counted: Option<Counted> = found.take(key)?;
            Ok(counted.map_or(0, |found| found.counted))
        };
        keys.iter().map(&mut count).collect()
    }
}
