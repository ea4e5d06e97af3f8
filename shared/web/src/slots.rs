//! The slots of event templates within a range, read side by side.

use crate::{ApiError, ErrorType};
use adapters::slot_summary::Reaching;
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::listing::{Range, may_list, may_start};
use domain::order::AdmissionCounts;
use domain::slot_edit::SlotReach;
use domain::{InstanceId, TemplateId, TenantId, Timestamp, Zone};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Calls, Store};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Slots one answer can hold: more would exceed its bytes.
const MAX_SLOTS: usize = 8_000;
/// Questions of one request under way at a time.
const PARALLEL_QUESTIONS: usize = 32;

/// The range asked for holds more than one answer can.
#[must_use]
pub fn too_large() -> ApiError {
    ApiError::new(ErrorType::ResponseTooLarge)
}

/// A template whose slots are asked for.
#[derive(Debug, Clone)]
pub struct SlotQuery {
    template: Template,
    reach: Option<SlotReach>,
    range: Range,
}

/// Whether a template can have slots with a generated start between two instants.
type MayHave = fn(&Template, Option<&SlotReach>, Timestamp, Timestamp, Zone) -> bool;

impl SlotQuery {
    /// The question for a template's slots within a range; none where it cannot have any.
    #[must_use]
    pub fn of(template: &Template, reach: Option<&SlotReach>, range: Range, zone: Zone) -> Option<Self> {
        Self::where_any(may_start, Reaching { template, reach }, range, zone)
    }

    /// The question for those of them that lists show; none where there cannot be any.
    fn of_listed(reaching: Reaching<'_>, range: Range, zone: Zone) -> Option<Self> {
        Self::where_any(may_list, reaching, range, zone)
    }

    fn where_any(may_have: MayHave, reaching: Reaching<'_>, range: Range, zone: Zone) -> Option<Self> {
        let Reaching { template, reach } = reaching;
        let (from, until) = reaching.starts(range);
        may_have(template, reach, from, until, zone).then(|| Self {
            template: template.clone(),
            reach: reach.cloned(),
            range,
        })
    }

    /// The ledgers, in order of their start.
    ///
    /// # Errors
    /// `RESPONSE_TOO_LARGE`, or those of the database.
    pub async fn ledgers(&self, store: &Store, tenant: TenantId) -> Result<Vec<Ledger>, ApiError> {
        ledgers(store, tenant, self.reaching(), self.range).await
    }

    /// Whom the doors let in of these slots.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn counts(
        &self,
        store: &Store,
        tenant: TenantId,
    ) -> Result<BTreeMap<InstanceId, AdmissionCounts>, ApiError> {
        counts(store, tenant, self.reaching(), self.range).await
    }

    fn reaching(&self) -> Reaching<'_> {
        Reaching { template: &self.template, reach: self.reach.as_ref() }
    }
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
/// perhaps others. Templates that have none to show within the range are not asked for.
///
/// # Errors
/// `RESPONSE_TOO_LARGE`, or those of the database.
pub async fn ledgers_of_all<'a>(
    store: &Store,
    tenant: TenantId,
    zone: Zone,
    templates: &[&'a Template],
    reaches: &BTreeMap<TemplateId, SlotReach>,
    range: Range,
) -> Result<Vec<(&'a Template, Vec<Ledger>)>, ApiError> {
    let (mut all, mut questions) = (Vec::with_capacity(templates.len()), Vec::new());
    for template in templates.iter().copied() {
        let reaching = Reaching { template, reach: reaches.get(&template.id) };
        let query = SlotQuery::of_listed(reaching, range, zone);
        all.push((template, query.is_some()));
        questions.extend(query.map(|query| {
            let store = store.clone();
            async move { query.ledgers(&store, tenant).await }
        }));
    }
    let mut found = side_by_side(questions, Vec::len).await?.into_iter();
    let answered = all.into_iter().map(|(template, is_asked)| {
        (template, if is_asked { found.next().unwrap_or_default() } else { Vec::new() })
    });
    Ok(answered.collect())
}

/// The answers to questions that are asked side by side, in their order. More slots than one answer can hold end them
/// all.
///
/// # Errors
/// `RESPONSE_TOO_LARGE`, or the first fault of a question.
pub async fn side_by_side<A, F>(questions: Vec<F>, slots_in: fn(&A) -> usize) -> Result<Vec<A>, ApiError>
where
    A: Send + 'static,
    F: Future<Output = Result<A, ApiError>> + Send + 'static,
{
    let permits = Arc::new(Semaphore::new(PARALLEL_QUESTIONS));
    let mut running = JoinSet::new();
    for (index, question) in questions.into_iter().enumerate() {
        let permits = Arc::clone(&permits);
        let asked = async move {
            let _permit = permits.acquire().await.map_err(ApiError::internal)?;
            Ok::<_, ApiError>((index, question.await?))
        };
        running.spawn(Calls::current().scope(asked));
    }
    let (mut found, mut slots) = (BTreeMap::new(), 0_usize);
    while let Some(answer) = running.join_next().await {
        let (index, answer) = answer.map_err(ApiError::internal)??;
        slots = slots.saturating_add(slots_in(&answer));
        if slots > MAX_SLOTS {
            return Err(too_large());
        }
        found.insert(index, answer);
    }
    Ok(found.into_values().collect())
}
