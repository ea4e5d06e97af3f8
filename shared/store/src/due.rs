//! Going through all that is due, page after page, while it stays due.

use crate::order::{DUE_SPREAD, DueClock, DueKind, DueWork, due_partition};
use crate::read::DueRange;
use crate::{Item, Store, StoreError};
use domain::{TenantId, Timestamp};
use std::collections::BTreeSet;

/// How far the work of one kind has been gone through. What was read stays as it is; what is added behind it is read,
/// and what is added before it is not.
#[derive(Debug, Clone)]
pub struct DueReading {
    clock: DueClock,
    kind: DueKind,
    /// The partition whose turn it is; behind the last, all is read.
    spread: u8,
    /// The last of that partition that was read, if any was.
    last: Option<Item>,
}

impl DueReading {
    /// Before the first.
    #[must_use]
    pub const fn new(clock: DueClock, kind: DueKind) -> Self {
        Self { clock, kind, spread: 0, last: None }
    }

    /// Whether nothing is left.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.spread >= DUE_SPREAD
    }
}

impl Store {
    /// The next work, up to `limit`, whenever it is due, but for that of some tenants. A page may be empty before the
    /// reading is over.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer; the same page is then read again.
    pub async fn load_next_due(
        &self,
        reading: &mut DueReading,
        limit: u16,
        asleep: &BTreeSet<TenantId>,
    ) -> Result<Vec<DueWork>, StoreError> {
        if reading.is_over() {
            return Ok(Vec::new());
        }
        let partition = due_partition(reading.clock, reading.kind, reading.spread);
        let due = DueRange {
            table: reading.kind.table(),
            partition: &partition,
            until: Timestamp::MAX_UTC.timestamp(),
            limit: Some(i32::from(limit)),
        };
        let (keys, last) = self.query_due_page(due, reading.last.clone()).await?;
        if last.is_none() {
            reading.spread = reading.spread.saturating_add(1);
        }
        reading.last = last;
        let work = keys.iter().filter_map(DueWork::read);
        Ok(work.filter(|work| !asleep.contains(&work.tenant())).collect())
    }
}
