//! What the browsing routes read: the cached catalog, and slots from the ledgers.

use adapters::App;
use adapters::slot_summary::{Age, Reaching};
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::listing::Audience;
use domain::slot_edit::SlotReach;
use domain::time::plus_secs;
use domain::{ComboTemplateId, TemplateId, TenantId, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::catalog::Definitions;
use web::access::Caller;
use web::slots::{Question, side_by_side};
use web::{ApiError, ErrorType};
use wire::event::{SlotSummary, View};

/// A tenant's catalog as the cache has it.
pub(crate) struct CachedCatalog {
    templates: Arc<Vec<Template>>,
    definitions: Arc<Definitions>,
}

impl CachedCatalog {
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

/// What the slots of these templates say of them, in their order.
pub(crate) fn slot_summaries<'a>(
    app: &'a App,
    caller: &'a Caller,
    catalog: &'a CachedCatalog,
    templates: &[&'a Template],
    audience: Audience<'a>,
    counts: Counts,
) -> Question<'a, Vec<SlotSummary>> {
    // A clock of the caller's own would leave others slots of another time.
    let age = if caller.clock.is_chosen() { Age::Fresh } else { Age::Kept };
    let ask = |template| -> Question<'a, SlotSummary> {
        Box::pin(slot_summary(app, caller.tenant.id, catalog.reaching(template), audience, counts, age))
    };
    Box::pin(side_by_side(templates.iter().copied().map(ask).collect(), |_| 0))
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
pub(crate) async fn slot_summary(
    app: &App,
    tenant: TenantId,
    reaching: Reaching<'_>,
    audience: Audience<'_>,
    counts: Counts,
    age: Age,
) -> Result<SlotSummary, ApiError> {
    let template = reaching.template;
    let publishes = counts == Counts::Published && !template.venue.hides_sold_quantity;
    let sold = async { if publishes { app.sold_of(tenant, &template.id).await.map(Some) } else { Ok(None) } };
    let next = app.next_available(tenant, reaching, audience, age);
    let (next_available, sold) = tokio::try_join!(next, sold)?;
    Ok(SlotSummary { next_available, sold })
}
