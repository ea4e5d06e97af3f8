//! Making the slots of published templates, and deleting those of templates that are gone (contract §7).
//!
//! A template is saved together with the record of its slots, in one transaction. From then on whoever finds the
//! record can go on with it: the request that saved the template makes the first slots, the scheduled work the
//! rest and, day by day, those that come into reach. A piece compares what the schedules make with what exists,
//! writes the difference under conditions that name what was read, and moves the record in the same transaction
//! as its last writes. So it may die anywhere and run twice at once: what is done is found done, and what a later
//! save has overtaken is refused.

use crate::commit::commit;
use crate::fault::SagaFault;
use crate::steps::SagaStep;
use adapters::App;
use domain::catalog::{ReviewState, Template};
use domain::publishing::{
    Generation, Moment, Regeneration, RunKind, RunTerms, Stretch, plan_name, regenerate,
};
use domain::schedule::{SlotPlan, SlotWindow, generate};
use domain::slot_edit::SlotReach;
use domain::tenant::Tenant;
use domain::{InstanceId, TemplateId, TenantId, Timestamp, Zone};
use std::num::NonZeroUsize;
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{Stored, decode_authored};
use store::publish::{
    ExistingSlots, RecordStep, SlotChange, SlotWrite, SlotsFrom, StretchRefusal, TemplateRefusal,
    plan_delete_template, plan_save_template, plan_stretch, slot_writes,
};
use store::{Consistency, MAX_WRITES, Refused, Store, StoreError, revise};

/// Slots one request deals with; what is left, the scheduled work does.
pub const SLOTS_PER_REQUEST: usize = 5_000;
/// Slots dealt with between two moves of the record.
const PIECE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(999);
/// Times a template is saved again because its record moved meanwhile.
const SAVE_TRIES: usize = 8;
/// Times a transaction is sent again without those of its writes that were refused.
const MAX_NARROWINGS: usize = MAX_WRITES;

/// How far the slots of a template have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// New slots.
    pub made: usize,
    /// Slots that became what their schedule says now.
    pub changed: usize,
    /// Slots deleted because no schedule makes them any more.
    pub deleted: usize,
    /// Nothing is left to do.
    pub complete: bool,
    /// Slots are made up to here.
    pub until: Timestamp,
}

/// What became of a save.
#[derive(Debug, Clone)]
pub enum TemplateSaved {
    /// It is saved; the record of its slots, if it has one.
    Saved(Option<Generation>),
    /// It is not as the write expects; as it is now, none if it is gone.
    Moved(Option<Box<Stored<Template>>>),
}

/// The template that was not as a write expects, if it was the template.
fn moved(refused: Vec<Refused<TemplateRefusal>>) -> Result<Option<TemplateSaved>, StoreError> {
    let moved = refused.into_iter().find(|one| one.refusal == TemplateRefusal::Template);
    let read = |one: Refused<TemplateRefusal>| one.old.map(decode_authored).transpose();
    let template = moved.map(read).transpose()?;
    Ok(template.map(|template| TemplateSaved::Moved(template.map(Box::new))))
}

/// Sees to it, before a published template gets a shorter duration, that the slots which keep the longer one are
/// still found by what runs at a moment.
async fn keep_reach(
    app: &App,
    tenant: TenantId,
    before: &Template,
    after: &Template,
) -> Result<(), SagaFault> {
    if before.review_state == ReviewState::Draft || before.longest_minutes() <= after.longest_minutes() {
        return Ok(());
    }
    SagaStep::WidenReach.begin();
    let lasting_secs = i64::from(before.longest_minutes()).saturating_mul(60);
    let reach = SlotReach { lasting_secs, ..SlotReach::none(before.id.clone()) };
    Ok(app.store.widen_reach(tenant, &reach).await?)
}

/// Saves a template over the one that was read, together with the record of its slots if it is published.
///
/// # Errors
/// [`SagaFault`] when it is not known to have happened.
pub async fn save_template(
    app: &App,
    tenant: &Tenant,
    template: &Template,
    before: Option<&Stored<Template>>,
    moment: Moment,
) -> Result<TemplateSaved, SagaFault> {
    if let Some(before) = before {
        keep_reach(app, tenant.id, &before.value, template).await?;
    }
    let exhausted = |()| SagaFault::Contended;
    revise(SAVE_TRIES, (), exhausted, |()| async move {
        let previous = app.store.load_generation(tenant.id, &template.id).await?;
        let next = match template.review_state {
            ReviewState::Published => {
                Generation::fill(template, tenant.zone, previous.as_ref(), terms(app, moment)?)
            }
            ReviewState::Draft => None,
        };
        if let (Some(previous), Some(next)) = (&previous, &next)
            && previous.plan != next.plan
        {
            SagaStep::WidenReach.begin();
            // Before the template is saved, so that no listing misses a slot that outlives its schedule.
            note_rescheduled(&app.store, tenant.id, &template.id).await?;
        }
        SagaStep::SaveTemplate.begin();
        let plan = plan_save_template(tenant.id, before, template, previous.as_ref(), next.as_ref())?;
        let Err(refused) = commit(app, &plan).await? else {
            return Ok(Break(TemplateSaved::Saved(next.or(previous))));
        };
        Ok(moved(refused)?.map_or(Continue(()), Break))
    })
    .await
}

/// Notes that there can be slots of a template that its schedules do not make any more, so that lists ask for them.
async fn note_rescheduled(store: &Store, tenant: TenantId, template: &TemplateId) -> Result<(), StoreError> {
    let reach = SlotReach { rescheduled: true, ..SlotReach::none(template.clone()) };
    store.widen_reach(tenant, &reach).await
}

/// Sees to it, before a tenant gets another time zone, that lists ask for the slots there are: those keep their instants.
///
/// # Errors
/// [`StoreError`] when the database does not answer.
pub async fn keep_slots_listed(store: &Store, tenant: TenantId) -> Result<(), StoreError> {
    for template in store.load_templates(tenant, Consistency::Strong).await? {
        note_rescheduled(store, tenant, &template.id).await?;
    }
    Ok(())
}

/// Deletes a template as it was read, and leaves the deletion of its slots to the scheduled work.
///
/// # Errors
/// [`SagaFault`] when it is not known to have happened.
pub async fn delete_template(
    app: &App,
    tenant: TenantId,
    before: &Stored<Template>,
    moment: Moment,
) -> Result<TemplateSaved, SagaFault> {
    let id = &before.value.id;
    let exhausted = |()| SagaFault::Contended;
    revise(SAVE_TRIES, (), exhausted, |()| async move {
        let previous = app.store.load_generation(tenant, id).await?;
        let next = previous
            .as_ref()
            .map(|found| Ok::<_, SagaFault>(Generation::clear(id, Some(found), terms(app, moment)?)));
        let next = next.transpose()?;
        let plan = plan_delete_template(tenant, before, previous.as_ref(), next.as_ref())?;
        let Err(refused) = commit(app, &plan).await? else {
            return Ok(Break(TemplateSaved::Saved(next)));
        };
        Ok(moved(refused)?.map_or(Continue(()), Break))
    })
    .await
}

/// Goes on with the slots of a template as its record says, dealing with about `budget` slots. The template is
/// the one the record was saved with; none for a run that clears.
///
/// # Errors
/// [`SagaFault`] when the database does not answer; the record stays due.
pub async fn make_slots(
    app: &App,
    tenant: &Tenant,
    template: Option<&Template>,
    generation: Generation,
    now: Timestamp,
    budget: usize,
) -> Result<Progress, SagaFault> {
    let until = generation.until;
    let mut progress = Progress { made: 0, changed: 0, deleted: 0, complete: generation.complete, until };
    if generation.complete {
        return Ok(progress);
    }
    let last = app.store.load_last_slot(tenant.id, &generation.template).await?;
    // Slots beyond the reach of this run exist where an earlier one reached further, or a date was taken off.
    let compare_until = last.map_or(until, |last| last.start().max(until));
    let mut work = Work { app, tenant, template, generation, now, compare_until };
    let mut left = budget;
    while left > 0 && !progress.complete {
        let piece = work.piece().await?;
        left = left.saturating_sub(piece.seen.max(1));
        progress.made = progress.made.saturating_add(piece.made);
        progress.changed = progress.changed.saturating_add(piece.changed);
        progress.deleted = progress.deleted.saturating_add(piece.deleted);
        progress.complete = piece.complete;
        if piece.overtaken {
            break;
        }
    }
    Ok(progress)
}

/// The scheduled work's turn at the slots of one template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The clock of the pass, which a caller of the sandbox may choose.
    pub now: Timestamp,
    /// Real time: a run that is begun in this turn reaches no further than from here.
    pub real_now: Timestamp,
    /// About how many slots are dealt with.
    pub budget: usize,
}

/// Takes up the slots of a template that the scheduled work found due: goes on with a run, begins one that
/// reaches further, or deletes what a deleted template left. None where nothing was due after all.
///
/// # Errors
/// [`SagaFault`] when the database does not answer; the record stays due.
pub async fn resume(
    app: &App,
    tenant: &Tenant,
    id: &TemplateId,
    turn: Turn,
) -> Result<Option<Progress>, SagaFault> {
    let Turn { now, real_now, budget } = turn;
    let (template, record) = app.store.load_template_and_generation(tenant.id, id).await?;
    let Some(record) = record.filter(|record| record.is_due(now)) else { return Ok(None) };
    let template = template.map(|stored| stored.value);
    let template = template.filter(|found| found.review_state == ReviewState::Published);
    let moment = Moment { now, days: domain::publishing::DAYS_AHEAD, chosen_clock: record.chosen_clock };
    let next = match &template {
        None if record.kind == RunKind::Clear => None,
        None => Some(Generation::clear(id, Some(&record), terms(app, moment)?)),
        Some(found) if goes_on(&record, found, tenant.zone) => None,
        Some(found) => {
            let terms = RunTerms { real_now, ..terms(app, moment)? };
            Generation::fill(found, tenant.zone, Some(&record), terms)
        }
    };
    let current = match next {
        None => record,
        Some(next) => {
            if next.kind == RunKind::Fill && record.plan != next.plan {
                note_rescheduled(&app.store, tenant.id, id).await?;
            }
            if !app.store.replace_generation(tenant.id, &record, &next).await? {
                return Ok(None);
            }
            next
        }
    };
    make_slots(app, tenant, template.as_ref(), current, now, budget).await.map(Some)
}

/// True for a run that is not at its end and makes what the template asks for.
fn goes_on(record: &Generation, template: &Template, zone: Zone) -> bool {
    record.kind == RunKind::Fill && !record.complete && record.plan == plan_name(template, zone)
}

/// Terms of a run that reaches as far as its own clock says.
fn terms(app: &App, moment: Moment) -> Result<RunTerms, SagaFault> {
    let run = format!("{:032x}", u128::from_be_bytes(app.ids.bytes()?));
    Ok(RunTerms { run, moment, real_now: moment.now })
}

/// A run while someone works on it.
struct Work<'a> {
    app: &'a App,
    tenant: &'a Tenant,
    template: Option<&'a Template>,
    generation: Generation,
    now: Timestamp,
    /// Slots that exist up to here are compared.
    compare_until: Timestamp,
}

/// What a piece came to.
#[derive(Debug, Clone, Copy, Default)]
struct Piece {
    /// Slots looked at.
    seen: usize,
    made: usize,
    changed: usize,
    deleted: usize,
    complete: bool,
    /// Someone else is at work, or a later run is.
    overtaken: bool,
}

/// What is to be done in a stretch.
struct Difference {
    writes: Regeneration,
    seen: usize,
    /// The last slot of the stretch; none at the end of the run.
    after: Option<InstanceId>,
    /// Seats of a template that is gone are still held.
    held: bool,
}

impl Work<'_> {
    async fn piece(&mut self) -> Result<Piece, SagaFault> {
        SagaStep::MakeSlots.begin();
        let facts = self.template.map(Template::facts);
        let plan = facts.as_ref().zip(self.template).map(|(facts, template)| SlotPlan {
            template: facts,
            schedules: &template.schedules,
            zone: self.tenant.zone,
        });
        let difference = match plan.filter(|_| self.generation.kind == RunKind::Fill) {
            Some(plan) => self.to_fill(plan).await?,
            None => self.to_clear().await?,
        };
        let next = self.generation.moved(difference.after, plan, difference.held, self.now);
        self.carry_out(difference, next).await
    }

    fn beginning(&self) -> SlotsFrom {
        self.generation.after.map_or(SlotsFrom::At(self.generation.from), SlotsFrom::After)
    }

    async fn existing(&self, until: Timestamp) -> Result<ExistingSlots, SagaFault> {
        let (tenant, template) = (self.tenant.id, &self.generation.template);
        let from = self.beginning();
        Ok(self.app.store.load_slots_from(tenant, template, from, until, PIECE.get()).await?)
    }

    /// The next stretch of what schedules make, against what exists.
    async fn to_fill(&self, plan: SlotPlan<'_>) -> Result<Difference, SagaFault> {
        let Generation { from, until, after, .. } = &self.generation;
        let window = SlotWindow { from: *from, until: self.compare_until, after: *after };
        let made = generate(plan, window, PIECE).map_err(|refusal| {
            tracing::error!(template = %self.generation.template, ?refusal, "schedules make no slots");
            SagaFault::inconsistent("schedules make no slots")
        })?;
        let stop = made.stopped_after;
        let mut existing = self.existing(stop.map_or(self.compare_until, InstanceId::start)).await?;
        existing.ledgers.retain(|ledger| stop.is_none_or(|stop| ledger.instance <= stop));
        // Where more slots exist than a piece takes, the stretch ends with them.
        let cut = existing.stopped_after.filter(|cut| stop.is_none_or(|stop| *cut < stop));
        let mut slots = made.slots;
        slots.retain(|slot| cut.is_none_or(|cut| slot.id <= cut));
        let stretch = Stretch {
            template: &self.generation.template,
            slots: &slots,
            existing: &existing.ledgers,
            make_until: *until,
        };
        let writes = regenerate(stretch, self.now);
        let seen = slots.len().max(existing.ledgers.len());
        Ok(Difference { writes, seen, after: cut.or(stop), held: false })
    }

    /// The next slots of a template that is gone. Those that were sold stay for the sake of their orders.
    async fn to_clear(&self) -> Result<Difference, SagaFault> {
        let ExistingSlots { ledgers, stopped_after } = self.existing(self.compare_until).await?;
        let seen = ledgers.len();
        let (free, taken): (Vec<_>, Vec<_>) =
            ledgers.into_iter().partition(|ledger| ledger.taken(self.now) == 0);
        let held = taken.iter().any(|ledger| ledger.sold < ledger.taken(self.now));
        let writes = Regeneration { delete: free, ..Regeneration::default() };
        Ok(Difference { writes, seen, after: stopped_after, held })
    }

    /// Writes the difference and moves the record together with the last of it.
    async fn carry_out(&mut self, found: Difference, next: Option<Generation>) -> Result<Piece, SagaFault> {
        let writes = slot_writes(self.tenant.id, &found.writes)?;
        let mut piece = Piece { seen: found.seen, ..Piece::default() };
        let chunks: Vec<&[SlotWrite]> = writes.chunks(MAX_WRITES.saturating_sub(1)).collect();
        let (last, before) = match chunks.split_last() {
            Some((last, before)) => (*last, before),
            None => (&[][..], &[][..]),
        };
        for chunk in before {
            if !self.write(chunk, RecordStep::Stays, &mut piece).await? {
                return Ok(Piece { overtaken: true, ..piece });
            }
        }
        let step = next.as_ref().map_or(RecordStep::Ends, RecordStep::MovesTo);
        if !self.write(last, step, &mut piece).await? {
            return Ok(Piece { overtaken: true, ..piece });
        }
        piece.complete = found.after.is_none();
        if let Some(next) = next {
            self.generation = next;
        }
        Ok(piece)
    }

    /// Carries out what is not refused of these writes, together with a check or a move of the record. A slot
    /// that is not as it was read has been made, sold, held or edited meanwhile, and stays as it is. False when
    /// the record is not as it was read.
    async fn write(
        &self,
        chunk: &[SlotWrite],
        step: RecordStep<'_>,
        piece: &mut Piece,
    ) -> Result<bool, SagaFault> {
        let mut open: Vec<usize> = (0..chunk.len()).collect();
        for _ in 0..=MAX_NARROWINGS {
            if open.is_empty() && step == RecordStep::Stays {
                return Ok(true);
            }
            let plan = plan_stretch(self.tenant.id, &self.generation, step, chunk, &open)?;
            let Err(refused) = commit(self.app, &plan).await? else {
                let done = chunk.iter().enumerate().filter(|(index, _)| open.contains(index));
                done.for_each(|(_, write)| piece.count(write.change));
                return Ok(true);
            };
            if let Some(record) = refused.iter().find(|one| one.refusal == StretchRefusal::Record) {
                return Ok(step.was_taken(record.old.clone())?);
            }
            open.retain(|index| !refused.iter().any(|one| one.refusal == StretchRefusal::Slot(*index)));
        }
        Ok(false)
    }
}

impl Piece {
    fn count(&mut self, change: SlotChange) {
        let count = match change {
            SlotChange::Made => &mut self.made,
            SlotChange::Changed => &mut self.changed,
            SlotChange::Deleted => &mut self.deleted,
        };
        *count = count.saturating_add(1);
    }
}
