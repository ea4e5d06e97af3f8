//! What the slots of a template say of it: when the next one that can be bought starts, and how many seats are sold.
//!
//! Lists say so of every template, and keep what they read for a few seconds, as all of the catalog; who asks for one
//! template by itself reads its next slots.

use crate::cache::Cache;
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::listing::{Audience, Range};
use domain::slot_edit::SlotReach;
use domain::time::plus_secs;
use domain::{InstanceId, TemplateId, TenantId, Timestamp};
use std::sync::Arc;
use store::publish::SlotsFrom;
use store::{Store, StoreError};

/// Slots looked at first for one that can be bought: most templates have one among them.
const FIRST_SLOTS: usize = 16;
/// Slots looked at together behind those.
const MORE_SLOTS: usize = 2_000;
/// How far ahead such a slot may lie: three years, further than slots are made.
const AHEAD_SECS: i64 = 3 * 366 * 86_400;

/// How old what is said may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// It is read now.
    Fresh,
    /// At most [`crate::cache::MAX_AGE`].
    Kept,
}

/// A template with how far its slots lie from where its schedules put them.
#[derive(Debug, Clone, Copy)]
pub struct Reaching<'a> {
    pub template: &'a Template,
    /// How far; none where no slot was moved.
    pub reach: Option<&'a SlotReach>,
}

impl Reaching<'_> {
    /// The generated starts of slots that run within a range.
    #[must_use]
    pub fn starts(self, Range { from, until }: Range) -> (Timestamp, Timestamp) {
        let longest = i64::from(self.template.longest_minutes()).saturating_mul(60);
        let none = SlotReach::none(self.template.id.clone());
        self.reach.unwrap_or(&none).starts(longest, from, until)
    }
}

/// Slots from now on.
#[derive(Debug)]
struct Ahead {
    slots: Vec<Ledger>,
    /// The last of them, where more follow.
    stopped_after: Option<InstanceId>,
}

/// Whose slots are read, and by which generated starts.
#[derive(Debug, Clone)]
struct Search {
    tenant: TenantId,
    template: TemplateId,
    from: Timestamp,
    until: Timestamp,
}

impl Search {
    fn of(tenant: TenantId, found: Reaching<'_>, now: Timestamp) -> Self {
        let (from, until) = found.starts(Range { from: now, until: plus_secs(now, AHEAD_SECS) });
        Self { tenant, template: found.template.id.clone(), from, until }
    }

    async fn first(self, store: Store) -> Result<Ahead, StoreError> {
        let Self { tenant, template, from, until } = self;
        let found = store.load_slots_from(tenant, &template, SlotsFrom::At(from), until, FIRST_SLOTS).await?;
        Ok(Ahead { slots: found.ledgers, stopped_after: found.stopped_after })
    }

    /// Those behind the first, but for the sold out.
    async fn rest(self, store: Store, first: Option<InstanceId>) -> Result<Vec<Ledger>, StoreError> {
        let (mut slots, mut after) = (Vec::new(), first);
        while let Some(last) = after {
            let from = SlotsFrom::After(last);
            let found =
                store.load_slots_from(self.tenant, &self.template, from, self.until, MORE_SLOTS).await?;
            slots.extend(found.ledgers.into_iter().filter(|ledger| ledger.sold < ledger.size));
            after = found.stopped_after;
        }
        Ok(slots)
    }
}

/// What lists say, kept for a few seconds.
#[derive(Debug, Default)]
pub(crate) struct SlotSummaries {
    first_slots: Cache<(TenantId, TemplateId), Ahead>,
    /// Those behind the first, but for the sold out.
    more_slots: Cache<(TenantId, TemplateId), Vec<Ledger>>,
    sold: Cache<(TenantId, TemplateId), u64>,
}

impl SlotSummaries {
    /// When the next of a template's slots starts that the audience can buy now; none where it can buy none. One that
    /// was moved in front of more than the first slots may be missed.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub(crate) async fn next_available(
        &self,
        store: &Store,
        tenant: TenantId,
        found: Reaching<'_>,
        audience: Audience<'_>,
        age: Age,
    ) -> Result<Option<Timestamp>, StoreError> {
        let search = Search::of(tenant, found, audience.now);
        let next_of = |slots: &[Ledger]| audience.next_sold(found.template, slots);
        let key = (tenant, found.template.id.clone());
        let first = match age {
            Age::Fresh => Arc::new(search.clone().first(store.clone()).await?),
            Age::Kept => self.first_slots.get(key.clone(), search.clone().first(store.clone())).await?,
        };
        let next = next_of(&first.slots);
        if next.is_some() || first.stopped_after.is_none() {
            return Ok(next);
        }
        let rest = search.rest(store.clone(), first.stopped_after);
        let rest = match age {
            Age::Fresh => Arc::new(rest.await?),
            Age::Kept => self.more_slots.get(key, rest).await?,
        };
        Ok(next_of(&rest))
    }

    /// Seats sold of all slots of a template. That reads every slot there ever was, so it is kept for whoever asks.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub(crate) async fn sold_of(
        &self,
        store: &Store,
        tenant: TenantId,
        template: &TemplateId,
    ) -> Result<u64, StoreError> {
        let (store, id) = (store.clone(), template.clone());
        let count = async move { store.count_sold(tenant, &id).await };
        Ok(*self.sold.get((tenant, template.clone()), count).await?)
    }
}
