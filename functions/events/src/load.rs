//! What the browsing routes read: the cached catalog, and slots from the ledgers.

use crate::answer::too_large;
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::listing::{Audience, Range, is_shown};
use domain::time::plus_secs;
use domain::{TemplateId, TenantId};
use platform::access::Caller;
use platform::{ApiError, App, ErrorType};
use std::sync::Arc;
use store::catalog::Definitions;
use store::{Calls, Store};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use wire::event::View;

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

    pub(crate) fn view(&self, caller: &Caller, audience: Audience) -> View<'_> {
        View { zone: caller.tenant.zone, person_types: &self.definitions.person_types, audience }
    }

    /// All templates, drafts included.
    pub(crate) fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// The template with this id, if it may be shown.
    pub(crate) fn template(&self, id: &str) -> Result<&Template, ApiError> {
        let id = TemplateId::parse(id).ok();
        let found = self.templates.iter().find(|template| Some(&template.id) == id.as_ref());
        found.filter(|template| is_shown(template)).ok_or_else(|| ApiError::new(ErrorType::NotFound))
    }

    /// The templates that lists show to an audience, in the order of lists.
    pub(crate) fn listed(&self, caller: &Caller, audience: Audience) -> Vec<&Template> {
        let zone = caller.tenant.zone;
        let shown = self.templates.iter().filter(|template| audience.lists(template, zone));
        let mut shown: Vec<&Template> = shown.collect();
        shown.sort_by(|a, b| (a.display_order, &a.name, &a.id).cmp(&(b.display_order, &b.name, &b.id)));
        shown
    }
}

/// The ledgers of a template that overlap a range, in order of their start.
pub(crate) async fn ledgers(
    store: &Store,
    tenant: TenantId,
    template: &Template,
    range: Range,
) -> Result<Vec<Ledger>, ApiError> {
    let longest = i64::from(template.longest_minutes()).saturating_mul(60);
    let starts = (plus_secs(range.from, longest.saturating_neg()), range.until);
    let limit = MAX_SLOTS.saturating_add(1);
    let mut found = store.load_ledgers((tenant, &template.id), starts, limit).await?;
    if found.len() > MAX_SLOTS {
        return Err(too_large());
    }
    found.retain(|ledger| range.overlaps(ledger.start, Some(ledger.end)));
    Ok(found)
}

/// The ledgers of many templates, each with its template, in the order of the templates.
pub(crate) async fn ledgers_of_all<'a>(
    store: &Store,
    tenant: TenantId,
    templates: &[&'a Template],
    range: Range,
) -> Result<Vec<(&'a Template, Vec<Ledger>)>, ApiError> {
    let permits = Arc::new(Semaphore::new(PARALLEL_QUERIES));
    let mut queries = JoinSet::new();
    for (index, template) in templates.iter().enumerate() {
        let (store, template, permits) = (store.clone(), (*template).clone(), Arc::clone(&permits));
        let query = async move {
            let _permit = permits.acquire().await.map_err(ApiError::internal)?;
            Ok::<_, ApiError>((index, ledgers(&store, tenant, &template, range).await?))
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
