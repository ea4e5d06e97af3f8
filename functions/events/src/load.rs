//! What the browsing routes read: the cached catalog, and slots from the ledgers.

use crate::answer::too_large;
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::listing::{Audience, Range, may_start};
use domain::slot_edit::SlotReach;
use domain::time::plus_secs;
use domain::{ComboTemplateId, TemplateId, TenantId, Timestamp, Zone};
use platform::access::Caller;
use platform::standing::{Age, Reaching};
use platform::{ApiError, App, ErrorType};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::catalog::Definitions;
use store::{Calls, Store};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use wire::event::{Standing, View};

/// Slots one answer can hold: more would exceed its bytes.
const MAX_SLOTS: usize = 8_000;
/// Queries of one request under way at a time.
const PARALLEL_QUERIES: usize = 32;

/// A tenant's catalog as the cache has it.
pub(crate) struct Catalog {
    templates: Arc<Vec<Template>>,
    definitions: Arc<Definitions>,
}

impl Catalog {
    pub(crate) async fn load(app: &App, caller: &Caller) -> Result<Self, ApiError> {
        let tenant = caller.tenant.id;
        let (templates, definitions) = tokio::join!(app.templates(tenant), app.definitions(tenant));
        Ok(Self { templates: templates?, definitions: definitions? })
    }

    pub(crate) fn view<'a>(&'a self, caller: &Caller, audience: Audience<'a>) -> View<'a> {
        View {
            zone: caller.tenant.zone,
            person_types: &self.definitions.person_types,
            reaches: &self.definitions.reaches,
            audience,
            discounts: &self.definitions.discounts,
            inventory: &self.definitions.inventory,
        }
    }

    /// A template with the reach of its slots.
    pub(crate) fn reaching<'a>(&'a self, template: &'a Template) -> Reaching<'a> {
        Reaching { template, reach: self.definitions.reaches.get(&template.id) }
    }

    /// The reaches of all templates where slots have been moved.
    pub(crate) fn reaches(&self) -> &BTreeMap<TemplateId, SlotReach> {
        &self.definitions.reaches
    }

    /// All templates, drafts included.
    pub(crate) fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// The template with this id, whether it may be shown or not.
    pub(crate) fn template(&self, id: &str) -> Result<&Template, ApiError> {
        let id = TemplateId::parse(id).ok();
        let found = self.templates.iter().find(|template| Some(&template.id) == id.as_ref());
        found.ok_or_else(|| ApiError::new(ErrorType::NotFound))
    }

    /// The tickets one combo has for a template.
    pub(crate) fn tickets_in(&self, combo: &ComboTemplateId, template: &Template) -> Result<u32, ApiError> {
        let combo = self.definitions.combos.get(combo).filter(|combo| combo.active);
        let part = combo.and_then(|combo| combo.part_of(&template.id));
        let not_found = || ApiError::new(ErrorType::NotFound).detail("comboTemplateId", "was not found");
        part.map(|part| part.quantity).ok_or_else(not_found)
    }

    /// The templates that lists show to an audience, in the order of lists.
    pub(crate) fn listed(&self, audience: Audience<'_>) -> Vec<&Template> {
        let reach = |template: &Template| self.definitions.reaches.get(&template.id);
        let shown = self.templates.iter().filter(|template| audience.lists(template, reach(template)));
        let mut shown: Vec<&Template> = shown.collect();
        shown.sort_by(|a, b| (a.display_order, &a.name, &a.id).cmp(&(b.display_order, &b.name, &b.id)));
        shown
    }
}

/// Refuses a template that is not shown to the audience.
pub(crate) fn check_shown(template: &Template, audience: Audience<'_>) -> Result<(), ApiError> {
    if audience.shows(template) { Ok(()) } else { Err(ApiError::new(ErrorType::NotFound)) }
}

/// Whether a slot behind the last one that was found could start before this instant.
pub(crate) fn can_precede(reaching: Reaching<'_>, last: Option<&Ledger>, start: Timestamp) -> bool {
    let earlier = reaching.reach.map_or(0, |reach| reach.earlier_secs);
    last.is_some_and(|last| plus_secs(last.instance.start(), earlier.saturating_neg()) < start)
}

/// The ledgers of a template that overlap a range, in order of their start.
pub(crate) async fn ledgers(
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

/// The ledgers of many templates, each with its template, in the order of the templates. Those that hold
/// nothing within the range are not asked for.
pub(crate) async fn ledgers_of_all<'a>(
    store: &Store,
    tenant: TenantId,
    zone: Zone,
    templates: &[&'a Template],
    reaches: &BTreeMap<TemplateId, SlotReach>,
    range: Range,
) -> Result<Vec<(&'a Template, Vec<Ledger>)>, ApiError> {
    let permits = Arc::new(Semaphore::new(PARALLEL_QUERIES));
    let mut queries = JoinSet::new();
    for (index, template) in templates.iter().enumerate() {
        let reach = reaches.get(&template.id);
        let (from, until) = Reaching { template, reach }.starts(range);
        if !may_start(template, reach, from, until, zone) {
            continue;
        }
        let (store, template, permits) = (store.clone(), (*template).clone(), Arc::clone(&permits));
        let reach = reach.cloned();
        let query = async move {
            let _permit = permits.acquire().await.map_err(ApiError::internal)?;
            let reaching = Reaching { template: &template, reach: reach.as_ref() };
            Ok::<_, ApiError>((index, ledgers(&store, tenant, reaching, range).await?))
        };
        queries.spawn(Calls::current().scope(query));
    }
    let mut found: Vec<(&Template, Vec<Ledger>)> =
        templates.iter().map(|template| (*template, vec![])).collect();
    let mut total = 0_usize;
    while let Some(answer) = queries.join_next().await {
        let (index, ledgers) = answer.map_err(ApiError::internal)??;
        total = total.saturating_add(ledgers.len());
        if total > MAX_SLOTS {
            return Err(too_large());
        }
        if let Some(place) = found.get_mut(index) {
            place.1 = ledgers;
        }
    }
    Ok(found)
}

/// What the slots of these templates say of them, in their order.
pub(crate) async fn standings(
    app: &App,
    caller: &Caller,
    catalog: &Catalog,
    templates: &[&Template],
    audience: Audience<'_>,
    counts: Counts,
) -> Result<Vec<Standing>, ApiError> {
    // A clock of the caller's own would leave others slots of another time.
    let age = if caller.clock.is_chosen() { Age::Fresh } else { Age::Kept };
    let permits = Arc::new(Semaphore::new(PARALLEL_QUERIES));
    let mut queries = JoinSet::new();
    for (index, template) in templates.iter().enumerate() {
        let (app, tenant, permits) = (app.clone(), caller.tenant.id, Arc::clone(&permits));
        let (template, reach) = ((*template).clone(), catalog.reaches().get(&template.id).cloned());
        let (asker, Audience { channel, types, zone, now, .. }) = (audience.asker.clone(), audience);
        let query = async move {
            let _permit = permits.acquire().await.map_err(ApiError::internal)?;
            let audience = Audience { channel, types, asker: &asker, zone, now };
            let reaching = Reaching { template: &template, reach: reach.as_ref() };
            Ok::<_, ApiError>((index, standing(&app, tenant, reaching, audience, counts, age).await?))
        };
        queries.spawn(Calls::current().scope(query));
    }
    let mut found = vec![Standing::default(); templates.len()];
    while let Some(answer) = queries.join_next().await {
        let (index, standing) = answer.map_err(ApiError::internal)??;
        if let Some(place) = found.get_mut(index) {
            *place = standing;
        }
    }
    Ok(found)
}

/// Whether sold seats are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Where the venue publishes them.
    Published,
    /// Nowhere.
    Nothing,
}

/// What the slots of a template say of it.
pub(crate) async fn standing(
    app: &App,
    tenant: TenantId,
    reaching: Reaching<'_>,
    audience: Audience<'_>,
    counts: Counts,
    age: Age,
) -> Result<Standing, ApiError> {
    let template = reaching.template;
    let publishes = counts == Counts::Published && !template.venue.hides_sold_quantity;
    let sold =
        async { if publishes { app.sold_of(tenant, &template.id, age).await.map(Some) } else { Ok(None) } };
    let (available, sold) = tokio::try_join!(app.is_available(tenant, reaching, audience, age), sold)?;
    Ok(Standing { available, sold })
}
