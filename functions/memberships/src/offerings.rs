//! `/v2/b2b/membership/levels/{levelId}/membershipofferings`: the ways to buy a level, which are parts of its
//! record.

use crate::change::{Changed, change, check_named, load_known};
use adapters::App;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::OfferingId;
use domain::membership::{Level, LevelEdit, Offering};
use store::authored::Stored;
use web::access::Staff;
use web::authored::{Target, id_bytes, not_found};
use web::idempotency::{Tagged, once_tagged};
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use web::routes;
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody};
use wire::Identified;
use wire::membership::{LevelOutput, OfferingInput, OfferingOutput};
use wire::page::Page;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(list, create, update)).routes(routes!(read, delete))
}

fn path_of(level: &str) -> String {
    format!("/v2/b2b/membership/levels/{level}/membershipofferings")
}

static SORTING: Sorting<Offering> = Sorting {
    fields: &[
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "duration", compare: |one, other| one.duration_months.cmp(&other.duration_months) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

/// List the offerings of a membership level
///
/// One page of the ways to buy the level, in the order asked for.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/levels/{levelId}/membershipofferings",
    tag = "Memberships",
    params(("levelId" = String, Path, description = "The level"), PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<OfferingOutput>),
        (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn list(
    State(app): State<App>,
    staff: Staff,
    Path(level): Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<OfferingOutput>>, ApiError> {
    let paging = Paging::parse(&query, &SORTING)?;
    let (Stored { value: level, .. }, surroundings) = load_known(&app, &staff, &level).await?;
    let (page, pagination) = paging.cut(level.offerings.clone());
    let view = surroundings.view(&staff);
    page_of(page.iter().map(|offering| OfferingOutput::of(offering, &level, view)).collect(), pagination)
}

/// Read a membership level with one of its offerings
///
/// `offerings` has that one alone.
#[utoipa::path(
    get,
    path = "/v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}",
    tag = "Memberships",
    params(
        ("levelId" = String, Path, description = "The level"),
        ("membershipOfferingId" = String, Path, description = "The offering"),
    ),
    responses(
        (status = 200, description = "The level, with its revision in `ETag`", body = LevelOutput),
        (status = 404, description = "`NOT_FOUND`: no such level, or it has no such offering", body = ErrorBody),
    ),
)]
async fn read(
    State(app): State<App>,
    staff: Staff,
    Path((level, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let id = OfferingId::parse(&id).map_err(|_| not_found())?;
    let (Stored { value: level, revision, .. }, surroundings) = load_known(&app, &staff, &level).await?;
    let offerings = vec![level.offering(&id).ok_or_else(not_found)?.clone()];
    let body = LevelOutput::of(&Level { offerings, ..level }, surroundings.view(&staff));
    Ok(Tagged { body, revision: Some(revision) }.into_response())
}

/// Add an offering to a membership level
///
/// The service chooses its id; one in the body is ignored. Price lists without an id get one. With `If-Match`, only
/// the revision of the level that it names is changed.
#[utoipa::path(
    post,
    path = "/v2/b2b/membership/levels/{levelId}/membershipofferings",
    tag = "Memberships",
    params(
        ("levelId" = String, Path, description = "The level"),
        ("If-Match" = Option<String>, Header, description = "The revision of the level, as sent in `ETag`"),
    ),
    request_body = OfferingInput,
    responses(
        (status = 200, description = "The offering with its id; the level's revision in `ETag`", body = OfferingOutput),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the level, or something the offering refers to, does not exist", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: the level has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn create(
    State(app): State<App>,
    staff: Staff,
    Target { id: level, key, if_match }: Target,
    body: Body<OfferingInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("POST {}", path_of(&level)), &hash_key);
    let id = OfferingId::from_bytes(id_bytes(&app, &hash_key, &key, &fingerprint)?);
    let run = async {
        let (current, surroundings) = load_known(&app, &staff, &level).await?;
        let offering = body.parse(|checker, mut input| {
            input.set_id(id.as_str());
            input.name_parts();
            input.read(checker, surroundings.context(&staff))
        })?;
        let edit = LevelEdit::Add(Box::new(offering));
        let Changed { after, revision, .. } = change(&app, &staff, current, &if_match, &edit).await?;
        let made = after.offering(&id).ok_or_else(not_found)?;
        let body = OfferingOutput::of(made, &after, surroundings.view(&staff));
        Ok(Tagged { body, revision: Some(revision) })
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// Replace an offering of a membership level
///
/// The body names it. What the body leaves out gets its default. With `If-Match`, only the revision of the level
/// that it names is changed.
#[utoipa::path(
    put,
    path = "/v2/b2b/membership/levels/{levelId}/membershipofferings",
    tag = "Memberships",
    params(
        ("levelId" = String, Path, description = "The level"),
        ("If-Match" = Option<String>, Header, description = "The revision of the level, as sent in `ETag`"),
    ),
    request_body = OfferingInput,
    responses(
        (status = 200, description = "The level with all its offerings, and its revision in `ETag`", body = LevelOutput),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the level, its offering, or something the offering refers to, does not exist", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: the level has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn update(
    State(app): State<App>,
    staff: Staff,
    Target { id: level, key, if_match }: Target,
    body: Body<OfferingInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("PUT {}", path_of(&level)), &hash_key);
    let run = async {
        let (current, surroundings) = load_known(&app, &staff, &level).await?;
        let offering = body.parse(|checker, mut input| {
            let id = input.sent_id().and_then(|id| OfferingId::parse(&id).ok());
            let is_known = id.is_some_and(|id| current.value.offering(&id).is_some());
            check_named(checker, &mut input.id, OfferingId::parse, is_known);
            input.name_parts();
            input.read(checker, surroundings.context(&staff))
        })?;
        let edit = LevelEdit::Put(Box::new(offering));
        let Changed { after, revision, .. } = change(&app, &staff, current, &if_match, &edit).await?;
        let body = LevelOutput::of(&after, surroundings.view(&staff));
        Ok(Tagged { body, revision: Some(revision) })
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// Remove an offering from a membership level
///
/// One by which a membership was bought stays. With `If-Match`, only the revision of the level that it names is
/// changed.
#[utoipa::path(
    delete,
    path = "/v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}",
    tag = "Memberships",
    params(
        ("levelId" = String, Path, description = "The level"),
        ("membershipOfferingId" = String, Path, description = "The offering"),
        ("If-Match" = Option<String>, Header, description = "The revision of the level, as sent in `ETag`"),
    ),
    responses(
        (status = 200, description = "The offering as it was; the level's new revision in `ETag`", body = OfferingOutput),
        (status = 404, description = "`NOT_FOUND`: no such level, or it has no such offering", body = ErrorBody),
        (status = 409, description = "`IN_USE`: `usedBy` says which memberships were bought by it; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: the level has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn delete(
    State(app): State<App>,
    staff: Staff,
    Target { id: (level, id), key, if_match }: Target<(String, String)>,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE {}/{id}", path_of(&level));
    let run = async {
        let id = OfferingId::parse(&id).map_err(|_| not_found())?;
        let (current, surroundings) = load_known(&app, &staff, &level).await?;
        let edit = LevelEdit::Remove(id.clone());
        let Changed { before, revision, .. } = change(&app, &staff, current, &if_match, &edit).await?;
        let removed = before.offering(&id).ok_or_else(not_found)?;
        let body = OfferingOutput::of(removed, &before, surroundings.view(&staff));
        Ok(Tagged { body, revision: Some(revision) })
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}
