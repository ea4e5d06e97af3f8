//! `/v2/b2b/membership/levels`.

use crate::change::{Changed, LevelFacts, change, check_named, load, load_known, view};
use crate::query::{LevelQuery, Wanted};
use adapters::App;
use adapters::catalog_limits::CatalogPart;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::LevelId;
use domain::entitlement::EntitlementRule;
use domain::membership::{Level, LevelEdit};
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{CHANGE_TRIES, ChangeRefusal, Stored, revision_of};
use store::catalog::Kind;
use store::{Consistency, Placed, revise};
use web::access::{Caller, Staff};
use web::authored::{Conditions, Target, id_bytes, not_found, try_again};
use web::catalog::{Catalog, MAX_USES_NAMED, Needs, Use};
use web::idempotency::{Tagged, once_tagged};
use web::paging::{PageQuery, fits};
use web::routes;
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::Identified;
use wire::membership::{Detail, LevelInput, LevelOutput};
use wire::page::Page;

const PATH: &str = "/v2/b2b/membership/levels";

/// What may name a level, and what it is shown with.
const NAMES_LEVELS: Needs = Needs::KindsAndTemplates(&[Kind::Coupon, Kind::Entitlements, Kind::PersonType]);

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(list, create, update)).routes(routes!(read, delete))
}

/// List membership levels
///
/// Those on offer or the drafts, sold on at least one of the channels. Without `auxiliary=true`, no auxiliary ones.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/levels",
    tag = "Memberships",
    params(PageQuery, LevelQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<LevelOutput>),
        (status = 400, description = "`VALIDATION_ERROR`: parameters are missing or invalid; `COMBINATION_NOT_SUPPORTED`: `collectionId` with `excludeLevelsWithACollection`; `RESPONSE_TOO_LARGE`: request pages, or send `summarize`", body = ErrorBody),
    ),
)]
async fn list(
    State(app): State<App>,
    staff: Staff,
    Query(page): Query<PageQuery>,
    Query(query): Query<LevelQuery>,
) -> Result<Json<Page<LevelOutput>>, ApiError> {
    let Wanted { filter, detail, paging } = query.read(&page)?;
    let kinds = [Kind::Level, Kind::PersonType];
    let mut definitions = app.store.load_definitions_of(staff.tenant.id, &kinds, Consistency::Strong).await?;
    let levels = std::mem::take(&mut definitions.levels).into_values();
    let (page, pagination) = paging.cut(levels.filter(|level| filter.admits(level)).collect());
    let view = view(&definitions, &staff, detail);
    let list: Vec<_> = page.iter().map(|level| LevelOutput::of(level, view)).collect();
    if !fits(&list)? {
        let message = "The response would be too large; request fewer levels with page and pageSize, or send \
                       summarize=true";
        return Err(ApiError::new(ErrorType::ResponseTooLarge).message(message));
    }
    Ok(Json(Page { list, pagination }))
}

/// Read a membership level
///
/// With its offerings; `ETag` names the revision, which a write can be bound to.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/levels/{id}",
    tag = "Memberships",
    params(("id" = String, Path, description = "The level")),
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = LevelOutput),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn read(State(app): State<App>, staff: Staff, Path(id): Path<String>) -> Result<Response, ApiError> {
    let (Stored { value, revision, .. }, surroundings) = load_known(&app, &staff, &id).await?;
    let body = LevelOutput::of(&value, surroundings.view(&staff));
    Ok(Tagged { body, revision: Some(revision) }.into_response())
}

/// Create a membership level
///
/// The service chooses its id; one in the body is ignored. Offerings and price lists without an id get one.
#[utoipa::path(
    post,
    path = "/v2/b2b/membership/levels",
    tag = "Memberships",
    request_body = LevelInput,
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = LevelOutput),
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
    body: Body<LevelInput>,
) -> Result<Response, ApiError> {
    let tenant = staff.tenant.id;
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("POST {PATH}"), &hash_key);
    let id = LevelId::from_bytes(id_bytes(&app, &hash_key, &key, &fingerprint)?);
    let run = async {
        let (surroundings, limit) =
            tokio::join!(LevelFacts::load(&app, tenant), app.check_limit(tenant, CatalogPart::Definitions));
        let surroundings = surroundings?;
        let level = body.parse(|checker, mut input| {
            input.set_id(id.as_str());
            input.name_parts(id.as_str());
            input.read(checker, surroundings.context(&staff))
        })?;
        limit?;
        let attempt = app.ids.attempt_token()?;
        match app.store.change_authored(tenant, &attempt, None, Some(&level)).await? {
            Ok(()) => {}
            // The first try of this request made it, and someone has changed it since.
            Err(ChangeRefusal::Changed) if key.text().is_some() => {}
            Err(ChangeRefusal::Changed | ChangeRefusal::Taken) => {
                return Err(ApiError::new(ErrorType::TryAgain));
            }
        }
        app.forget_catalog(tenant);
        let revision = revision_of(&level)?;
        show(&level, revision, &surroundings, &staff)
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

fn show(
    level: &Level,
    revision: String,
    surroundings: &LevelFacts,
    caller: &Caller,
) -> Result<Tagged<LevelOutput>, ApiError> {
    Ok(Tagged { body: LevelOutput::of(level, surroundings.view(caller)), revision: Some(revision) })
}

/// Replace a membership level
///
/// The body names it. What the body leaves out gets its default, but for `offerings`: without them, the level keeps
/// those it has. An offering by which a membership was bought cannot be left out. With `If-Match`, only the
/// revision it names is replaced.
#[utoipa::path(
    put,
    path = "/v2/b2b/membership/levels",
    tag = "Memberships",
    params(("If-Match" = Option<String>, Header, description = "The revision to replace, as sent in `ETag`")),
    request_body = LevelInput,
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = LevelOutput),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: it, or something it refers to, does not exist", body = ErrorBody),
        (status = 409, description = "`IN_USE`: an offering that would go, `usedBy` says by what; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn update(
    State(app): State<App>,
    staff: Staff,
    Conditions { key, if_match }: Conditions,
    body: Body<LevelInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("PUT {PATH}"), &hash_key);
    let seed = hex::encode(id_bytes::<12>(&app, &hash_key, &key, &fingerprint)?);
    let run = async {
        let id = body.value.sent_id().and_then(|id| LevelId::parse(&id).ok());
        let (current, surroundings) = load(&app, &staff, id.as_ref()).await?;
        let edit = body.parse(|checker, mut input| {
            check_named(checker, &mut input.id, LevelId::parse, current.is_some());
            input.name_parts(&seed);
            let keeps_offerings = !input.has_offerings();
            let level = Box::new(input.read(checker, surroundings.context(&staff))?);
            Some(if keeps_offerings { LevelEdit::ReplaceFields(level) } else { LevelEdit::Replace(level) })
        })?;
        let current = current.ok_or_else(not_found)?;
        let Changed { after, revision, .. } = change(&app, &staff, current, &if_match, &edit).await?;
        show(&after, revision, &surroundings, &staff)
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// Delete a membership level with its offerings
///
/// What something else refers to cannot be deleted.
#[utoipa::path(
    delete,
    path = "/v2/b2b/membership/levels/{id}",
    tag = "Memberships",
    params(
        ("id" = String, Path, description = "The level"),
        ("If-Match" = Option<String>, Header, description = "The revision to delete, as sent in `ETag`"),
    ),
    responses(
        (status = 200, description = "The record as it was", body = LevelOutput),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`IN_USE`: `usedBy` says what refers to it; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
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
        let (tenant, id) = (staff.tenant.id, LevelId::parse(&id).map_err(|_| not_found())?);
        let place = &Level::place(tenant, &id);
        let (app, staff, id, if_match) = (&app, &staff, &id, &if_match);
        revise(CHANGE_TRIES, (), try_again, |()| async move {
            let (current, catalog, bought) = tokio::join!(
                app.store.load_authored(place),
                Catalog::load(app, tenant, NAMES_LEVELS),
                app.store.find_memberships(tenant, id, |_| true, MAX_USES_NAMED)
            );
            let current: Stored<Level> = current?.ok_or_else(not_found)?;
            let catalog = catalog?;
            if_match.check(&current.revision)?;
            let mut uses = uses(&current.value, &catalog);
            uses.extend(bought?.into_iter().map(|id| Use::by_membership(id, &current.value)));
            Use::refuse(uses)?;
            let attempt = app.ids.attempt_token()?;
            match app.store.change_authored(tenant, &attempt, Some(&current), None).await? {
                Ok(()) => {
                    app.forget_catalog(tenant);
                    let view = view(&catalog.definitions, staff, Detail::Full);
                    Ok(Break(Tagged { body: LevelOutput::of(&current.value, view), revision: None }))
                }
                Err(ChangeRefusal::Changed | ChangeRefusal::Taken) => Ok(Continue(())),
            }
        })
        .await
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// What of the catalog names a level.
fn uses(Level { id, .. }: &Level, catalog: &Catalog) -> Vec<Use> {
    let mut uses = Use::by_templates(catalog, |template| {
        let mut discounts = template.membership.discounts.iter();
        template.membership.restrictions.contains(id) || discounts.any(|discount| discount.level == *id)
    });
    uses.extend(Use::by_coupons(catalog, |coupon| coupon.levels.contains(id)));
    let limits = |rule: &EntitlementRule| rule.levels.contains(id);
    uses.extend(Use::by_entitlements(catalog, |found| found.rules.iter().any(limits)));
    uses
}
