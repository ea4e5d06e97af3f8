//! The slots of event templates within a range, read side by side.

use crate::{ApiError, ErrorType};
use adapters::slot_summary::Reaching;
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::listing::{Listable, Range, listable, may_start};
use domain::order::AdmissionCounts;
use domain::slot_edit::SlotReach;
use domain::{InstanceId, TemplateId, TenantId, Zone};
use futures_core::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::{BTreeMap, BTreeSet};
use store::{Consistency, Placed, Store};

/// Slots one answer can hold: more would exceed its bytes.
const MAX_SLOTS: usize = 8_000;
/// Questions of one request under way at a time.
const PARALLEL_QUESTIONS: usize = 32;

/// A question to the database, which can be one of many that are asked side by side.
pub type Question<'a, A> = BoxFuture<'a, Result<A, ApiError>>;

/// The range asked for holds more than one answer can.
#[must_use]
pub fn too_large() -> ApiError {
    ApiError::new(ErrorType::ResponseTooLarge)
}

/// Whether a template can have slots that run within a range.
#[must_use]
pub fn may_run(reaching: Reaching<'_>, range: Range, zone: Zone) -> bool {
    let (from, until) = reaching.starts(range);
    may_start(reaching.template, reaching.reach, from, until, zone)
}

/// The ledgers of a template that overlap a range, in order of their start.
///
/// # Errors
/// `RESPONSE_TOO_LARGE`, or those of the database.
pub async fn ledgers(
    store: &Store,
    tenant: TenantId,
    reaching: Reaching<'_>,
    range: Range,
) -> Result<Vec<Ledger>, ApiError> {
    let template = reaching.template;
    let (from, until) = reaching.starts(range);
    let limit = MAX_SLOTS.saturating_add(1);
    let mut found = store.load_ledgers(tenant, &template.id, from, until, limit).await?;
    if found.len() > MAX_SLOTS {
        return Err(too_large());
    }
    found.retain(|ledger| range.overlaps(ledger.start, Some(ledger.end)));
    found.sort_by_key(|ledger| (ledger.start, ledger.instance));
    Ok(found)
}

/// Whom the doors let in of the slots of a template that overlap a range, and perhaps of some about it; those that let
/// nobody in are left out.
///
/// # Errors
/// Those of the database.
pub async fn counts(
    store: &Store,
    tenant: TenantId,
    reaching: Reaching<'_>,
    range: Range,
) -> Result<BTreeMap<InstanceId, AdmissionCounts>, ApiError> {
    let (from, until) = reaching.starts(range);
    Ok(store.load_counts(tenant, &reaching.template.id, from, until).await?)
}

/// The ledgers of many templates, each with its template, in the order of the templates: all that lists show, and
/// perhaps others. Templates that have none to show within the range are not asked for; the slots of those that have at
/// most one are read together by their keys, and asked for by range only where that was never made (decision record 0164).
///
/// # Errors
/// `RESPONSE_TOO_LARGE`, or those of the database.
pub async fn ledgers_of_all<'a>(
    store: &'a Store,
    tenant: TenantId,
    zone: Zone,
    templates: &[&'a Template],
    reaches: &'a BTreeMap<TemplateId, SlotReach>,
    range: Range,
) -> Result<Vec<(&'a Template, Vec<Ledger>)>, ApiError> {
    let search = Search { store, tenant, reaches, range };
    let (mut questions, mut singles) = (Vec::new(), BTreeSet::new());
    let mut listables = Vec::with_capacity(templates.len());
    for template in templates.iter().copied() {
        let can_list = search.listable(template, zone);
        match can_list {
            Listable::Nothing => {}
            Listable::One(instance) => _ = singles.insert(instance),
            Listable::Several => questions.push(search.ask(template)),
        }
        listables.push(can_list);
    }
    questions.insert(0, Box::pin(search.singles(singles)));
    let mut found = side_by_side(questions, Vec::len).await?.into_iter();
    let singles = found.next().unwrap_or_default().into_iter();
    let mut singles: BTreeMap<InstanceId, Ledger> = singles.map(|one| (one.instance, one)).collect();
    let mut answers: Vec<Option<Vec<Ledger>>> = Vec::with_capacity(templates.len());
    for (template, can_list) in templates.iter().zip(listables) {
        answers.push(match can_list {
            Listable::Nothing => Some(Vec::new()),
            Listable::One(instance) => singles.remove(&instance).map(|single| search.shown(template, single)),
            Listable::Several => found.next(),
        });
    }
    // The schedules may have said something else when slots were made.
    let never_made = templates.iter().zip(&answers).filter(|(_, answer)| answer.is_none());
    let asked_again = never_made.map(|(template, _)| search.ask(template)).collect();
    let mut found = side_by_side(asked_again, Vec::len).await?.into_iter();
    let answers = answers.into_iter().map(|answer| answer.or_else(|| found.next()).unwrap_or_default());
    Ok(templates.iter().copied().zip(answers).collect())
}

/// Where the slots of many templates are looked for.
#[derive(Clone, Copy)]
struct Search<'a> {
    store: &'a Store,
    tenant: TenantId,
    reaches: &'a BTreeMap<TemplateId, SlotReach>,
    range: Range,
}

impl<'a> Search<'a> {
    fn reaching(self, template: &'a Template) -> Reaching<'a> {
        Reaching { template, reach: self.reaches.get(&template.id) }
    }

    fn listable(self, template: &'a Template, zone: Zone) -> Listable {
        let reaching = self.reaching(template);
        let (from, until) = reaching.starts(self.range);
        listable(template, reaching.reach, from, until, zone)
    }

    fn ask(self, template: &'a Template) -> Question<'a, Vec<Ledger>> {
        Box::pin(ledgers(self.store, self.tenant, self.reaching(template), self.range))
    }

    /// Those of these slots that were made, removed ones too.
    async fn singles(self, instances: BTreeSet<InstanceId>) -> Result<Vec<Ledger>, ApiError> {
        let keys = instances.iter().map(|instance| Ledger::place(self.tenant, instance));
        let mut found = self.store.get_many(keys, Consistency::Eventual).await?;
        Ok(found.take_all(self.tenant, &instances)?.into_values().collect())
    }

    /// A single slot of a template, if it is one that is there within the range.
    fn shown(self, template: &Template, single: Ledger) -> Vec<Ledger> {
        let is_within = self.range.overlaps(single.start, Some(single.end));
        if single.template == template.id && single.exists() && is_within { vec![single] } else { Vec::new() }
    }
}

/// The answers to questions that are asked side by side, in their order. More slots than one answer can hold end them
/// all.
///
/// # Errors
/// `RESPONSE_TOO_LARGE`, or the first fault of a question.
pub async fn side_by_side<A>(
    questions: Vec<Question<'_, A>>,
    slots_in: fn(&A) -> usize,
) -> Result<Vec<A>, ApiError> {
    let mut left = questions.into_iter().enumerate();
    let mut asked: FuturesUnordered<_> =
        left.by_ref().take(PARALLEL_QUESTIONS).map(|(place, question)| answered(place, question)).collect();
    let (mut found, mut slots) = (BTreeMap::new(), 0_usize);
    while let Some(Answered { place, answer }) = asked.next().await {
        // The next one is asked as soon as any is answered.
        asked.extend(left.next().map(|(place, question)| answered(place, question)));
        let answer = answer?;
        slots = slots.saturating_add(slots_in(&answer));
        if slots > MAX_SLOTS {
            return Err(too_large());
        }
        found.insert(place, answer);
    }
    Ok(found.into_values().collect())
}

/// What came of the question at this place.
struct Answered<A> {
    place: usize,
    answer: Result<A, ApiError>,
}

async fn answered<A>(place: usize, question: Question<'_, A>) -> Answered<A> {
    Answered { place, answer: question.await }
}

#[cfg(test)]
mod tests;
