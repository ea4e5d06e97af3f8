//! From a published template to its instances.

use super::ImportError;
use domain::catalog::{ReviewState, Template};
use domain::ledger::{Ledger, SlotState};
use domain::schedule::{Slot, SlotPlan, SlotWindow, generate};
use domain::tenant::Tenant;
use domain::time::plus_secs;
use domain::{TemplateId, Timestamp};
use platform::App;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// Slots generated and put together.
const PIECE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4_999);

/// One import while it runs.
pub(super) struct Import<'a> {
    /// The service.
    pub(super) app: &'a App,
    /// The tenant.
    pub(super) tenant: &'a Tenant,
    /// The moment of the import.
    pub(super) now: Timestamp,
    /// Days ahead for which instances are made.
    pub(super) days: u32,
}

impl Import<'_> {
    /// Makes the instances a published template lacks, and says how many those were.
    pub(super) async fn create_slots(&self, template: &Template) -> Result<usize, ImportError> {
        if template.review_state != ReviewState::Published {
            return Ok(0);
        }
        let facts = template.facts();
        let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone: self.tenant.zone };
        let (from, until) = self.window(template);
        let mut created = 0_usize;
        let mut after = None;
        loop {
            let made = generate(plan, SlotWindow { from, until, after }, PIECE)
                .map_err(|refusal| ImportError::Schedule { template: template.id.clone(), refusal })?;
            let ledgers: Vec<Ledger> = made.slots.iter().map(|slot| new_ledger(&template.id, slot)).collect();
            let token = hex::encode(self.app.ids.bytes::<12>()?);
            let put = self.app.store.create_ledgers(self.tenant.id, &ledgers, &token).await?;
            created = created.saturating_add(put);
            match made.stopped_after {
                Some(_) => after = made.stopped_after,
                None => return Ok(created),
            }
        }
    }

    /// Slots that may still be running up to the last day ahead; the only slot of a template without
    /// schedules, whenever that is.
    fn window(&self, template: &Template) -> (Timestamp, Timestamp) {
        if template.schedules.is_empty() {
            return (template.start, template.start);
        }
        let running = i64::from(template.longest_minutes()).saturating_mul(60);
        let ahead = i64::from(self.days).saturating_mul(86_400);
        (plus_secs(self.now, running.saturating_neg()), plus_secs(self.now, ahead))
    }
}

/// The ledger of a slot that was never sold.
fn new_ledger(template: &TemplateId, slot: &Slot) -> Ledger {
    let Slot { id, schedule, start, end, capacity } = slot;
    Ledger {
        instance: *id,
        template: template.clone(),
        schedule: schedule.clone(),
        shard: 0,
        start: *start,
        end: *end,
        state: SlotState::Active,
        size: *capacity,
        free: *capacity,
        sold: 0,
        holds: BTreeMap::new(),
    }
}
