//! From a published template to its slots, and from a changed template to changed slots (contract §7).
//!
//! Ids are a function of template, schedule and local start, so the slots that schedules make can be compared
//! with the slots that exist. What differs is made, changed or deleted, as far as nobody depends on it: a slot
//! with sold or held seats, one the back office edited, cancelled or deleted, and one that has begun stay as
//! they are.
//!
//! Slots are made in pieces. A record per template, the [`Generation`], says how far a run has come, so that
//! whoever finds it can go on; it is written together with the template it is about.

use crate::catalog::{ReviewState, Template};
use crate::ledger::{Ledger, SlotState};
use crate::schedule::{DateRange, Schedule, Slot, SlotHour, SlotPlan, TemplateFacts, Weekdays};
use crate::time::{Timestamp, Zone, plus_secs};
use crate::{InstanceId, ScheduleId, TemplateId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Days ahead for which instances exist (contract §7).
pub const DAYS_AHEAD: u32 = 400;
/// Seconds of a day.
const DAY_SECS: i64 = 86_400;
/// A template whose slots could not all be deleted yet is looked at again after this long.
const CLEAR_AGAIN_SECS: i64 = 1_800;

/// Consecutive slots as the schedules make them, and the ledgers that exist among them.
#[derive(Debug, Clone, Copy)]
pub struct Stretch<'a> {
    pub template: &'a TemplateId,
    /// What its schedules make.
    pub slots: &'a [Slot],
    /// What exists.
    pub existing: &'a [Ledger],
    /// No slot that starts later is made; those that exist are compared all the same.
    pub make_until: Timestamp,
}

/// A ledger and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// As it must still be.
    pub old: Ledger,
    /// What takes its place, under the same id.
    pub new: Ledger,
}

/// What makes the slots of a stretch what its schedules say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Regeneration {
    /// New slots.
    pub put: Vec<Ledger>,
    /// Slots that change.
    pub replace: Vec<Replacement>,
    /// Slots that no schedule makes any more.
    pub delete: Vec<Ledger>,
}

impl Ledger {
    /// True while nobody depends on this slot, so that its schedule may change or delete it at `now`.
    #[must_use]
    pub fn follows_its_schedule(&self, now: Timestamp) -> bool {
        now < self.start && !self.edited && self.state == SlotState::Active && self.taken(now) == 0
    }
}

/// Compares what schedules make with what exists.
#[must_use]
pub fn regenerate(stretch: Stretch<'_>, now: Timestamp) -> Regeneration {
    let mut existing: BTreeMap<InstanceId, &Ledger> =
        stretch.existing.iter().map(|ledger| (ledger.instance, ledger)).collect();
    let mut found = Regeneration::default();
    for slot in stretch.slots {
        let new = Ledger::of_slot(stretch.template, slot);
        match existing.remove(&slot.id) {
            None if slot.start <= stretch.make_until => found.put.push(new),
            Some(old) if old.follows_its_schedule(now) && old.terms() != new.terms() => {
                found.replace.push(Replacement { old: old.clone(), new });
            }
            None | Some(_) => {}
        }
    }
    found.delete = existing.into_values().filter(|old| old.follows_its_schedule(now)).cloned().collect();
    found
}

/// What a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunKind {
    /// Makes the slots of a published template.
    Fill,
    /// Deletes the slots of a template that is gone.
    Clear,
}

/// How far the slots of a template have come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    /// Whose slots.
    pub template: TemplateId,
    /// What the run does.
    pub kind: RunKind,
    /// Names what the slots are made from: see [`plan_name`].
    pub plan: String,
    /// Names this run; whoever works for an earlier one finds its writes refused.
    pub run: String,
    /// Counts the writes of this record.
    pub revision: u32,
    /// The run begins with slots that start here.
    #[serde(with = "chrono::serde::ts_seconds")]
    pub from: Timestamp,
    /// It makes slots that start up to here.
    #[serde(with = "chrono::serde::ts_seconds")]
    pub until: Timestamp,
    /// The last slot the run has dealt with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<InstanceId>,
    /// The run has come to its end.
    pub complete: bool,
    /// Slots of this plan exist from here on; of the first run, its beginning.
    #[serde(with = "chrono::serde::ts_seconds")]
    pub covered_from: Timestamp,
    /// A run that clears has met seats that are still held.
    #[serde(default)]
    pub held: bool,
    /// When there is work to do again; none: never.
    #[serde(default, with = "chrono::serde::ts_seconds_option", skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// Made under a clock its caller chose.
    #[serde(default)]
    pub chosen_clock: bool,
}

/// The circumstances of a save or of the scheduled work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The instant.
    pub now: Timestamp,
    /// Days ahead for which slots are made.
    pub days: u32,
    /// The instant is one that a caller chose.
    pub chosen_clock: bool,
}

/// What a new run is given from outside.
#[derive(Debug, Clone)]
pub struct RunTerms {
    /// The name of the run, generated at random.
    pub run: String,
    /// When it begins, and how far it reaches.
    pub moment: Moment,
    /// No slots are made beyond what this instant reaches; real time where a pass has a clock that a caller chose.
    pub real_now: Timestamp,
}

/// How far the slots of a published template have come, for its authors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Publication {
    /// All slots up to `until` are as the template says.
    pub is_complete: bool,
    /// Slots are made up to here.
    pub until: Timestamp,
}

impl From<&Generation> for Publication {
    fn from(record: &Generation) -> Self {
        Self { is_complete: record.complete, until: record.until }
    }
}

/// A template as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTemplate {
    /// It, starting at the moment of writing where the author named no start.
    pub template: Template,
    /// The start its author named.
    pub start: Option<Timestamp>,
}

/// Why a template is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotWritten {
    /// A published template was to become a draft again (spec §3).
    ReturnsToDraft,
    /// It would be published with nothing to come, for all these reasons.
    NothingToCome(Vec<NothingToCome>),
}

/// What of a template that is to be published makes no slot from now on (contract §R).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NothingToCome {
    TemplateEnded,
    OnlySlotOver,
    /// The schedule at this place.
    Schedule(usize),
}

/// The circumstances in which a template is written.
#[derive(Debug, Clone, Copy)]
pub struct Writing {
    /// When.
    pub now: Timestamp,
    /// The zone its schedules are read in.
    pub zone: Zone,
    /// A template that is new here may be over: the document of a venue holds its past seasons as well.
    pub may_be_over: bool,
}

/// What of a template is published for the first time and makes no slot from now on. What was published before
/// may end: that is how a sale is ended, and seasons that are over stay beside those to come.
#[must_use]
pub fn nothing_to_come(
    template: &Template,
    before: Option<&Template>,
    writing: Writing,
) -> Vec<NothingToCome> {
    let Writing { now, zone, may_be_over } = writing;
    if may_be_over && before.is_none() {
        return Vec::new();
    }
    let published = before.filter(|before| before.review_state == ReviewState::Published);
    if published.is_none() && template.end.is_some_and(|end| end < now) {
        return vec![NothingToCome::TemplateEnded];
    }
    let facts = template.facts();
    if template.schedules.is_empty() {
        let ends = plus_secs(template.start, i64::from(template.duration_minutes).saturating_mul(60));
        let is_over = published.is_none() && ends <= now;
        return is_over.then_some(NothingToCome::OnlySlotOver).into_iter().collect();
    }
    let plan = SlotPlan { template: &facts, schedules: &template.schedules, zone };
    let known = |schedule: &Schedule| {
        published.is_some_and(|before| before.schedules.iter().any(|known| known.id == schedule.id))
    };
    let new = template.schedules.iter().enumerate().filter(|(_, schedule)| !known(schedule));
    let idle = new.filter(|(_, schedule)| !plan.makes_after(schedule, now));
    idle.map(|(index, _)| NothingToCome::Schedule(index)).collect()
}

impl WrittenTemplate {
    /// The template as it is stored in the place of another: a start that is left out stays what it was, and
    /// what says when it was written and published is the service's to say.
    ///
    /// # Errors
    /// [`NotWritten`] for a draft in the place of a published template, and for one that is published with nothing
    /// to come.
    pub fn over(self, before: Option<&Template>, writing: Writing) -> Result<Template, NotWritten> {
        let Self { mut template, start } = self;
        let now = writing.now;
        let is_published = template.review_state == ReviewState::Published;
        if !is_published && before.is_some_and(|before| before.review_state == ReviewState::Published) {
            return Err(NotWritten::ReturnsToDraft);
        }
        template.start = start.or(before.map(|before| before.start)).unwrap_or(template.start);
        if is_published {
            let idle = nothing_to_come(&template, before, writing);
            if !idle.is_empty() {
                return Err(NotWritten::NothingToCome(idle));
            }
        }
        let published_before = before.and_then(|before| before.last_published);
        template.last_published = is_published.then(|| published_before.unwrap_or(now));
        template.last_updated = now;
        let Some(before) = before else { return Ok(template) };
        template.last_updated = before.last_updated;
        if template != *before {
            template.last_updated = now;
        }
        Ok(template)
    }
}

/// All that a template's slots are made from.
#[derive(Serialize)]
struct SlotSource<'a> {
    template: &'a TemplateId,
    capacity: u32,
    duration_minutes: u32,
    start: Timestamp,
    end: Option<Timestamp>,
    zone: &'a str,
    schedules: Vec<ScheduleSource<'a>>,
}

/// What a schedule's slots are made from.
#[derive(Serialize)]
struct ScheduleSource<'a> {
    id: &'a ScheduleId,
    weekdays: Weekdays,
    hours: &'a [SlotHour],
    ranges: &'a [DateRange],
    effective: (Option<Timestamp>, Option<Timestamp>),
    capacity: Option<u32>,
    duration_minutes: Option<u32>,
    repeat_cycle_weeks: u32,
}

impl<'a> From<&'a Schedule> for ScheduleSource<'a> {
    fn from(schedule: &'a Schedule) -> Self {
        let Schedule {
            id,
            name: _,
            description: _,
            weekdays,
            hours,
            ranges,
            effective_start,
            effective_end,
            price_lists: _,
            capacity,
            duration_minutes,
            repeat_cycle_weeks,
            sales_channels: _,
            honor_holidays: _,
            honor_open_hours: _,
            block_flex_pays: _,
            kind: _,
        } = schedule;
        Self {
            id,
            weekdays: *weekdays,
            hours,
            ranges,
            effective: (*effective_start, *effective_end),
            capacity: *capacity,
            duration_minutes: *duration_minutes,
            repeat_cycle_weeks: *repeat_cycle_weeks,
        }
    }
}

/// Names all that a template's slots are made from, so that a change of anything else makes no slot again.
#[must_use]
pub fn plan_name(template: &Template, zone: Zone) -> String {
    let TemplateFacts { id, capacity, duration_minutes, start, end } = template.facts();
    let source = SlotSource {
        template: &id,
        capacity,
        duration_minutes,
        start,
        end,
        zone: zone.name(),
        schedules: template.schedules.iter().map(Into::into).collect(),
    };
    let text = serde_json::json!(source).to_string();
    hex::encode(Sha256::digest(text)).chars().take(32).collect()
}

impl Generation {
    /// The run that makes the slots a published template lacks; none where they exist or are being made. Less
    /// than a day more is left to the scheduled work.
    #[must_use]
    pub fn fill(template: &Template, zone: Zone, previous: Option<&Self>, terms: RunTerms) -> Option<Self> {
        let plan = plan_name(template, zone);
        let RunTerms { run, moment, real_now } = terms;
        let until = end_of(template, Moment { now: moment.now.min(real_now), ..moment });
        let begins = begin_of(template, moment.now).min(until);
        let same = previous
            .filter(|run| run.kind == RunKind::Fill && run.plan == plan && run.covered_from <= begins);
        if let Some(same) = same
            && until < plus_secs(same.until, DAY_SECS)
        {
            return None;
        }
        let revision = previous.map_or(0, |run| run.revision).saturating_add(1);
        let (from, after) = match same {
            Some(run) if run.complete => (run.until, None),
            Some(run) => (run.from, run.after),
            None => (begins, None),
        };
        Some(Self {
            template: template.id.clone(),
            kind: RunKind::Fill,
            plan,
            run,
            revision,
            from,
            until,
            after,
            complete: false,
            covered_from: same.map_or(begins, |run| run.covered_from),
            held: false,
            due_at: Some(moment.now),
            chosen_clock: moment.chosen_clock,
        })
    }

    /// The run that deletes the slots of a template that is gone.
    #[must_use]
    pub fn clear(template: &TemplateId, previous: Option<&Self>, terms: RunTerms) -> Self {
        let RunTerms { run, moment, real_now: _ } = terms;
        Self {
            template: template.clone(),
            kind: RunKind::Clear,
            plan: String::new(),
            run,
            revision: previous.map_or(0, |run| run.revision).saturating_add(1),
            from: Timestamp::UNIX_EPOCH,
            until: InstanceId::last_start(),
            after: None,
            complete: false,
            covered_from: Timestamp::UNIX_EPOCH,
            held: false,
            due_at: Some(moment.now),
            chosen_clock: moment.chosen_clock,
        }
    }

    /// The record after a piece. `after` is the last slot dealt with, none when there is nothing behind it.
    /// None for a run that has cleared everything it ever can: its record goes.
    #[must_use]
    pub fn moved(
        &self,
        after: Option<InstanceId>,
        plan: Option<SlotPlan<'_>>,
        held: bool,
        now: Timestamp,
    ) -> Option<Self> {
        let revision = self.revision.saturating_add(1);
        let held = self.held || held;
        let moved = Self { revision, held, after, due_at: Some(now), ..self.clone() };
        if after.is_some() {
            return Some(moved);
        }
        match self.kind {
            RunKind::Fill => {
                let more = plan.is_some_and(|plan| plan.continues_after(self.until));
                let due_at = more.then(|| extension_due(self.until, now));
                Some(Self { complete: true, due_at, ..moved })
            }
            // Seats that are held now may be free later, and are looked at again.
            RunKind::Clear if held => {
                Some(Self { held: false, due_at: Some(plus_secs(now, CLEAR_AGAIN_SECS)), ..moved })
            }
            RunKind::Clear => None,
        }
    }

    /// True when there is something to do at `now`.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.due_at.is_some_and(|due| due <= now)
    }
}

/// Slots that may still be running belong to a run, and the only slot of a template without schedules,
/// whenever that is.
fn begin_of(template: &Template, now: Timestamp) -> Timestamp {
    let running = i64::from(template.longest_minutes()).saturating_mul(60);
    let from = plus_secs(now, running.saturating_neg());
    let from = if template.schedules.is_empty() { from.min(template.start) } else { from };
    InstanceId::nearest_start(from)
}

fn end_of(template: &Template, moment: Moment) -> Timestamp {
    let ahead = plus_secs(moment.now, i64::from(moment.days).saturating_mul(DAY_SECS));
    InstanceId::nearest_start(if template.schedules.is_empty() { ahead.max(template.start) } else { ahead })
}

/// A day before slots would no longer reach [`DAYS_AHEAD`], and not more often than daily.
fn extension_due(until: Timestamp, now: Timestamp) -> Timestamp {
    let ahead = i64::from(DAYS_AHEAD.saturating_sub(1)).saturating_mul(DAY_SECS);
    plus_secs(until, ahead.saturating_neg()).max(plus_secs(now, DAY_SECS))
}

#[cfg(test)]
mod tests;
