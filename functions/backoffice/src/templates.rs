//! `/v2/b2b/event/templates`: writing and publishing events (spec §2.10, §3, contract §7).

use crate::view::{LISTED_WITH, SHOWN_WITH, all_next_available, view};
use adapters::App;
use adapters::catalog_limits::CatalogPart;
use adapters::slot_summary::{Age, Reaching};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::catalog::{ReviewState, Template, prerequisite_circles};
use domain::email::comparable_email;
use domain::ledger::Ledger;
use domain::order::MAX_NOTICES;
use domain::publishing::{DAYS_AHEAD, Generation, Moment, NotWritten, Publication, Writing, WrittenTemplate};
use domain::{InstanceId, TemplateId, TenantId, Timestamp};
use sagas::publish::{SLOTS_PER_REQUEST, TemplateSaved, delete_template, make_slots, save_template};
use std::collections::BTreeSet;
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{CHANGE_TRIES, Stored, revision_of};
use store::publish::SlotsFrom;
use store::{Placed, revise};
use web::access::{Caller, Staff};
use web::authored::{Target, id_bytes, not_found, try_again};
use web::catalog::{Catalog, Needs, Use};
use web::idempotency::{Tagged, once_tagged};
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use web::routes;
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::event::{AuthoredTemplate, SlotSummary, TemplateContext, TemplateInput, View};
use wire::page::Page;
use wire::{Checker, Identified};

const PATH: &str = "/v2/b2b/event/templates";
/// Slots of a template looked at together, and how often, for seats that keep it from being deleted.
const SLOTS_SEARCHED: usize = 2_000;
const MAX_SEARCHES: usize = 200;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(list, create)).routes(routes!(read, update, delete))
}

pub(crate) static SORTING: Sorting<Template> = Sorting {
    fields: &[
        SortField { name: "displayOrder", compare: |one, other| one.display_order.cmp(&other.display_order) },
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "startTime", compare: |one, other| one.start.cmp(&other.start) },
        SortField { name: "lastUpdated", compare: |one, other| one.last_updated.cmp(&other.last_updated) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

/// List event templates
///
/// Drafts and private ones too, with every price whatever its channel.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/templates",
    tag = "Back office",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<AuthoredTemplate>),
        (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = ErrorBody),
    ),
)]
async fn list(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<AuthoredTemplate>>, ApiError> {
    let paging = Paging::parse(&query, &SORTING)?;
    let Catalog { templates, definitions } = Catalog::load(&app, staff.tenant.id, LISTED_WITH).await?;
    let (page, pagination) = paging.cut(templates);
    let next_available = all_next_available(&app, &staff, &definitions, &page).await?;
    let view = view(&definitions, &staff);
    let shown = page.iter().zip(next_available).map(|(template, next_available)| {
        AuthoredTemplate::of(template, SlotSummary { next_available, sold: None }, &view, None)
    });
    page_of(shown.collect(), pagination)
}

/// Read an event template
///
/// `publication` says whether all of its instances are made, `soldQuantity` how many of their seats are sold.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/templates/{id}",
    tag = "Back office",
    params(("id" = String, Path, description = "The template")),
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = AuthoredTemplate),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn read(State(app): State<App>, staff: Staff, Path(id): Path<String>) -> Result<Response, ApiError> {
    let id = TemplateId::parse(&id).map_err(|_| not_found())?;
    let tenant = staff.tenant.id;
    let (found, catalog, sold) = tokio::join!(
        app.store.load_template_and_generation(tenant, &id),
        Catalog::load(&app, tenant, SHOWN_WITH),
        app.store.count_sold(tenant, &id)
    );
    let ((template, record), catalog, sold) = (found?, catalog?, sold?);
    let Stored { value, revision, .. } = template.ok_or_else(not_found)?;
    let view = view(&catalog.definitions, &staff);
    let next_available = next_available(&app, tenant, &view, &value).await?;
    let slot_summary = SlotSummary { next_available, sold: Some(sold) };
    let body = AuthoredTemplate::of(&value, slot_summary, &view, publication(&value, record));
    Ok(Tagged { body, revision: Some(revision) }.into_response())
}

/// Create an event template
///
/// The service chooses the id; one in the body is ignored. A published template gets its instances at once, or
/// the first 5,000 of them; `publication` says whether the scheduled work has to make the rest. Price lists and
/// schedules without an id get one.
#[utoipa::path(
    post,
    path = "/v2/b2b/event/templates",
    tag = "Back office",
    request_body = TemplateInput,
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = AuthoredTemplate),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: something it refers to does not exist", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn create(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<TemplateInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("POST {PATH}"), &hash_key);
    let id = TemplateId::from_bytes(id_bytes(&app, &hash_key, &key, &fingerprint)?);
    let run = async {
        let work = Authoring::load(&app, &staff, id.clone()).await?;
        let written = body.parse(|checker, mut input| {
            input.set_id(id.as_str());
            work.read(input, checker)
        })?;
        // The first try of this request made it; someone may have changed it since.
        if work.before.is_some() {
            return work.show().await;
        }
        app.check_limit(staff.tenant.id, CatalogPart::Templates).await?;
        work.save(written, |_| Ok(())).await
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// Replace an event template
///
/// What the body leaves out gets its default. With `If-Match`, only the revision it names is replaced. A published
/// template never becomes a draft again. Its instances follow: those that nobody depends on change or go, new ones
/// are made; instances with sold or held seats and those that were changed by themselves stay as they are.
#[utoipa::path(
    put,
    path = "/v2/b2b/event/templates/{id}",
    tag = "Back office",
    params(
        ("id" = String, Path, description = "The template"),
        ("If-Match" = Option<String>, Header, description = "The revision to replace, as sent in `ETag`"),
    ),
    request_body = TemplateInput,
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = AuthoredTemplate),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: it, or something it refers to, does not exist", body = ErrorBody),
        (status = 409, description = "`PUBLISHED_TEMPLATE_CANNOT_RETURN_TO_DRAFT`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn update(
    State(app): State<App>,
    staff: Staff,
    Target { id, key, if_match }: Target,
    body: Body<TemplateInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("PUT {PATH}/{id}"), &hash_key);
    let run = async {
        let place = TemplateId::parse(&id).map_err(|_| not_found())?;
        let work = Authoring::load(&app, &staff, place).await?;
        if work.before.is_none() {
            return Err(not_found());
        }
        let written = body.parse(|checker, mut input| {
            input.keep_id(checker, &id);
            work.read(input, checker)
        })?;
        work.save(written, |revision| if_match.check(revision)).await
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// Delete an event template
///
/// Its instances go with it, in the course of the scheduled work. A template that something names, or of which
/// seats are sold or held, is not deleted.
#[utoipa::path(
    delete,
    path = "/v2/b2b/event/templates/{id}",
    tag = "Back office",
    params(
        ("id" = String, Path, description = "The template"),
        ("If-Match" = Option<String>, Header, description = "The revision to delete, as sent in `ETag`"),
    ),
    responses(
        (status = 200, description = "The record as it was", body = AuthoredTemplate),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`IN_USE`: `usedBy` says what refers to it, or which instance has sold or held seats, `taken` how many; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn delete(
    State(app): State<App>,
    staff: Staff,
    Target { id, key, if_match }: Target,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE {PATH}/{id}");
    let run = async {
        let (id, if_match) = (&TemplateId::parse(&id).map_err(|_| not_found())?, &if_match);
        let (app, staff) = (&app, &staff);
        revise(CHANGE_TRIES, (), try_again, |()| async move {
            let work = Authoring::load(app, staff, id.clone()).await?;
            let before = work.before.as_ref().ok_or_else(not_found)?;
            if_match.check(&before.revision)?;
            Use::refuse(uses(&before.value, &work.catalog))?;
            check_unsold(app, staff, &before.value).await?;
            Ok(match delete_template(app, staff.tenant.id, before, moment(staff)).await? {
                TemplateSaved::Saved(_) | TemplateSaved::Moved(None) => {
                    app.forget_catalog(staff.tenant.id);
                    let view = view(&work.catalog.definitions, staff);
                    let body = AuthoredTemplate::of(&before.value, SlotSummary::default(), &view, None);
                    Break(Tagged { body, revision: None })
                }
                TemplateSaved::Moved(Some(_)) => Continue(()),
            })
        })
        .await
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// The addresses of staff that a template and all others name.
fn addresses(template: &Template, all: &[Template]) -> usize {
    let others = all.iter().filter(|other| other.id != template.id);
    let named = others.chain([template]).flat_map(|template| &template.venue.email_notify);
    named.map(|contact| comparable_email(contact.email.trim())).collect::<BTreeSet<_>>().len()
}

/// When the next of its slots starts that everybody can buy online now.
async fn next_available(
    app: &App,
    tenant: TenantId,
    view: &View<'_>,
    template: &Template,
) -> Result<Option<Timestamp>, ApiError> {
    let reaching = Reaching { template, reach: view.reaches.get(&template.id) };
    Ok(app.next_available(tenant, reaching, view.audience, Age::Fresh).await?)
}

fn not_written(refusal: NotWritten) -> ApiError {
    match refusal {
        NotWritten::ReturnsToDraft => ApiError::new(ErrorType::PublishedTemplateCannotReturnToDraft)
            .detail("/reviewState", "must stay Published"),
        NotWritten::NothingToCome(idle) => {
            idle.into_iter().fold(ApiError::new(ErrorType::ValidationError), |error, idle| {
                let (field, message) = wire::event::idle_detail(idle);
                error.detail(field, message)
            })
        }
    }
}

fn moment(caller: &Caller) -> Moment {
    Moment { now: caller.clock.now(), days: DAYS_AHEAD, chosen_clock: caller.clock.is_chosen() }
}

/// How far the slots of a published template have come.
fn publication(template: &Template, record: Option<Generation>) -> Option<Publication> {
    record.filter(|_| template.review_state == ReviewState::Published).as_ref().map(Into::into)
}

/// What names a template.
fn uses(template: &Template, catalog: &Catalog) -> Vec<Use> {
    let id = &template.id;
    let names = |other: &Template| {
        let requires = other.venue.prerequisites.iter().flat_map(|found| &found.requires);
        let mut named = other.venue.recommendations.iter().chain(requires);
        other.id != *id && named.any(|found| found.template == *id)
    };
    let mut uses = Use::by_templates(catalog, names);
    uses.extend(Use::by_coupons(catalog, |coupon| coupon.templates.contains(id)));
    uses.extend(Use::by_combos(catalog, |combo| combo.part_of(id).is_some()));
    uses
}

/// No seat of a template that is deleted may be sold or held.
async fn check_unsold(app: &App, caller: &Caller, template: &Template) -> Result<(), ApiError> {
    let now = caller.clock.now();
    let last = InstanceId::last_start();
    let mut from = SlotsFrom::At(Timestamp::UNIX_EPOCH);
    for _ in 0..MAX_SEARCHES {
        let found =
            app.store.load_slots_from(caller.tenant.id, &template.id, from, last, SLOTS_SEARCHED).await?;
        let in_use = |ledger: &&Ledger| ledger.taken(now) > 0;
        if let Some(ledger) = found.ledgers.iter().find(in_use) {
            let (taken, instance) = (ledger.taken(now), ledger.instance);
            return Err(ApiError::new(ErrorType::InUse)
                .message(format!("It cannot be deleted: instance {instance} has {taken} seats sold or held"))
                .fact("usedBy", [Use::by_instance(instance, template)])
                .fact("taken", taken));
        }
        match found.stopped_after {
            Some(slot) => from = SlotsFrom::After(slot),
            None => return Ok(()),
        }
    }
    Err(ApiError::new(ErrorType::TryAgain))
}

/// A template while it is written.
struct Authoring<'a> {
    app: &'a App,
    caller: &'a Caller,
    id: TemplateId,
    before: Option<Stored<Template>>,
    catalog: Catalog,
}

impl<'a> Authoring<'a> {
    async fn load(app: &'a App, caller: &'a Caller, id: TemplateId) -> Result<Self, ApiError> {
        let tenant = caller.tenant.id;
        let place = Template::place(tenant, &id);
        let (before, catalog) =
            tokio::join!(app.store.load_authored(&place), Catalog::load(app, tenant, Needs::Everything));
        Ok(Self { app, caller, id, before: before?, catalog: catalog? })
    }

    /// Reads the fields.
    fn read(&self, input: TemplateInput, checker: &mut Checker) -> Option<WrittenTemplate> {
        let mut known = self.catalog.known();
        known.templates.insert(self.id.clone());
        let context = TemplateContext {
            zone: self.caller.tenant.zone,
            now: self.caller.clock.now(),
            ticket_types: &known.ticket_types,
            inventory: &known.inventory,
            known: Some(&known),
        };
        let written = input.read(checker, context)?;
        let template = &written.template;
        let told = addresses(template, &self.catalog.templates);
        if told > MAX_NOTICES {
            let message = format!("must be at most {MAX_NOTICES} addresses over all templates, not {told}");
            checker.invalid("emailNotify", message);
        }
        let requires: Vec<_> =
            template.venue.prerequisites.iter().flat_map(|found| &found.requires).collect();
        for index in prerequisite_circles(template, &self.catalog.templates) {
            // That it asks for itself directly was said while its own fields were read.
            if requires.get(index).is_some_and(|found| found.template != template.id) {
                let field = format!("prerequisites/requires/{index}/eventTemplateId");
                checker.invalid(field, "must not require this template itself, directly or through others");
            }
        }
        Some(written)
    }

    /// Saves a template over the one that was read, and makes its first slots. `check` is asked whether the
    /// revision that is replaced is the one that is meant.
    async fn save(
        self,
        written: WrittenTemplate,
        check: impl Fn(&str) -> Result<(), ApiError>,
    ) -> Result<Tagged<AuthoredTemplate>, ApiError> {
        let (written, check) = (&written, &check);
        revise(CHANGE_TRIES, self, try_again, |work| async move {
            let (tenant, moment) = (&work.caller.tenant, moment(work.caller));
            let template = work.over(written.clone())?;
            let revision = revision_of(&template)?;
            if let Some(before) = &work.before
                && before.revision != revision
            {
                check(&before.revision)?;
            }
            match save_template(work.app, tenant, &template, work.before.as_ref(), moment).await? {
                TemplateSaved::Saved(record) => {
                    work.app.forget_catalog(tenant.id);
                    let (slot_summary, publication) = work.publish(&template, record).await;
                    let body = work.shown(&template, slot_summary, publication);
                    Ok(Break(Tagged { body, revision: Some(revision) }))
                }
                TemplateSaved::Moved(None) => Err(not_found()),
                TemplateSaved::Moved(Some(before)) => Ok(Continue(Self { before: Some(*before), ..work })),
            }
        })
        .await
    }

    /// The template that was read, as it is.
    async fn show(&self) -> Result<Tagged<AuthoredTemplate>, ApiError> {
        let Stored { value, revision, .. } = self.before.as_ref().ok_or_else(not_found)?;
        let record = self.app.store.load_generation(self.caller.tenant.id, &self.id).await?;
        let body = self.shown(value, self.slot_summary(value).await?, publication(value, record));
        Ok(Tagged { body, revision: Some(revision.clone()) })
    }

    fn shown(
        &self,
        template: &Template,
        slot_summary: SlotSummary,
        publication: Option<Publication>,
    ) -> AuthoredTemplate {
        AuthoredTemplate::of(
            template,
            slot_summary,
            &view(&self.catalog.definitions, self.caller),
            publication,
        )
    }

    async fn slot_summary(&self, template: &Template) -> Result<SlotSummary, ApiError> {
        let view = view(&self.catalog.definitions, self.caller);
        let next_available = next_available(self.app, self.caller.tenant.id, &view, template).await?;
        Ok(SlotSummary { next_available, sold: None })
    }

    /// The template as it is stored.
    fn over(&self, written: WrittenTemplate) -> Result<Template, ApiError> {
        let before = self.before.as_ref().map(|before| &before.value);
        let writing =
            Writing { now: self.caller.clock.now(), zone: self.caller.tenant.zone, may_be_over: false };
        written.over(before, writing).map_err(not_written)
    }

    /// Makes the first slots. The template is saved: what fails now is left to the scheduled work, and nobody
    /// can buy slots that cannot be read.
    async fn publish(
        &self,
        template: &Template,
        record: Option<Generation>,
    ) -> (SlotSummary, Option<Publication>) {
        let record = record.filter(|_| template.review_state == ReviewState::Published);
        let begun = record.as_ref().map(Into::into);
        self.make_first_slots(template, record).await.unwrap_or_else(|fault| {
            tracing::warn!(template = %template.id, %fault, "slots are left to the scheduled work");
            (SlotSummary::default(), begun)
        })
    }

    async fn make_first_slots(
        &self,
        template: &Template,
        record: Option<Generation>,
    ) -> Result<(SlotSummary, Option<Publication>), ApiError> {
        let mut publication = None;
        if let Some(record) = record {
            let (tenant, now) = (&self.caller.tenant, self.caller.clock.now());
            let made = make_slots(self.app, tenant, Some(template), record, now, SLOTS_PER_REQUEST);
            let progress = made.await?;
            publication = Some(Publication { is_complete: progress.complete, until: progress.until });
        }
        Ok((self.slot_summary(template).await?, publication))
    }
}
