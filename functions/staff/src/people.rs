//! `/v2/b2b/staff`: who works here.

use adapters::{App, Limit};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::staff::{MAX_STAFF, StaffMember};
use domain::{StaffId, TenantId};
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{CHANGE_TRIES, ChangeRefusal, Stored, revision_of};
use store::staff::StaffChange;
use store::{Key, Placed, revise};
use web::access::{Caller, Staff};
use web::authored::{Target, id_bytes, not_found, try_again};
use web::idempotency::{Tagged, once_tagged};
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::page::Page;
use wire::staff::{StaffInput, StaffView};

const PATH: &str = "/v2/b2b/staff";

static SORTING: Sorting<StaffMember> = Sorting {
    fields: &[
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "email", compare: |one, other| one.email.cmp(&other.email) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

/// List the staff
///
/// One page of all persons, active or not, in the order asked for.
#[utoipa::path(
    get,
    path = "/v2/b2b/staff",
    tag = "Staff",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<StaffView>),
        (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = ErrorBody),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<StaffView>>, ApiError> {
    let paging = Paging::parse(&query, &SORTING)?;
    let (page, pagination) = paging.cut(app.store.load_staff(staff.tenant.id).await?);
    page_of(page.iter().map(StaffView::from).collect(), pagination)
}

/// Read a person of the staff
///
/// As she stands now; `ETag` names the revision, which a write can be bound to.
#[utoipa::path(
    get,
    path = "/v2/b2b/staff/{id}",
    tag = "Staff",
    params(("id" = String, Path, description = "Her id")),
    responses(
        (status = 200, description = "The person, with her revision in `ETag`", body = StaffView),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
pub(crate) async fn read(
    State(app): State<App>,
    staff: Staff,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let Stored { value, revision, .. } = load(&app, &place(staff.tenant.id, &id)?).await?;
    Ok(Tagged { body: StaffView::from(&value), revision: Some(revision) }.into_response())
}

/// Add a person to the staff
///
/// She signs in by a link that she asks for with `POST /v2/staff/login`.
#[utoipa::path(
    post,
    path = "/v2/b2b/staff",
    tag = "Staff",
    request_body = StaffInput,
    responses(
        (status = 200, description = "The person, with her revision in `ETag`", body = StaffView),
        (status = 400, description = "`VALIDATION_ERROR`; also an `email` that another person has", body = ErrorBody),
        (status = 409, description = "`LIMIT_REACHED`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn create(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<StaffInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("POST {PATH}"), &hash_key);
    let id = StaffId::from_bytes(id_bytes(&app, &hash_key, &key, &fingerprint)?);
    let run = async {
        let person = body.parse(|checker, input| input.read(checker, id))?;
        let tenant = staff.tenant.id;
        if app.store.load_staff(tenant).await?.len() >= MAX_STAFF {
            return Err(ApiError::limit_reached(Limit { what: "staff", most: MAX_STAFF }));
        }
        let attempt = app.ids.attempt_token()?;
        match app.store.change_authored(tenant, &attempt, None, Some(&person)).await? {
            Ok(()) => {}
            // The first try of this request made her, and someone has changed her since.
            Err(ChangeRefusal::Changed) if key.text().is_some() => {}
            Err(ChangeRefusal::Changed) => return Err(ApiError::new(ErrorType::TryAgain)),
            Err(ChangeRefusal::Taken) => return Err(taken()),
        }
        shown(&person)
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// Change a person of the staff
///
/// What the body leaves out gets its default. Who is no longer active, or has another address, has no session any more,
/// from the answer on. The only admin of a venue stays one. With `If-Match`, only the revision it names is changed.
#[utoipa::path(
    put,
    path = "/v2/b2b/staff/{id}",
    tag = "Staff",
    params(
        ("id" = String, Path, description = "Her id"),
        ("If-Match" = Option<String>, Header, description = "The revision to change, as sent in `ETag`"),
    ),
    request_body = StaffInput,
    responses(
        (status = 200, description = "The person, with her revision in `ETag`", body = StaffView),
        (status = 400, description = "`VALIDATION_ERROR`; also an `email` that another person has", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`LAST_ADMIN`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: she has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn update(
    State(app): State<App>,
    staff: Staff,
    target: Target,
    body: Body<StaffInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("PUT {PATH}/{}", target.id), &hash_key);
    let run = async {
        let place = place(staff.tenant.id, &target.id)?;
        let current = load(&app, &place).await?;
        let wanted = body.parse(|checker, input| input.read(checker, current.value.id.clone()))?;
        let changed = change(&app, &staff, &target, current, |before| before.changed(wanted.clone())).await?;
        shown(&changed)
    };
    once_tagged(&app, &staff, &target.key, &fingerprint, run).await
}

/// End all sessions of a person
///
/// From the answer on, none of them opens anything, nor does a link that was mailed to her before. She may sign in again,
/// if she is active.
#[utoipa::path(
    delete,
    path = "/v2/b2b/staff/{id}/sessions",
    tag = "Staff",
    params(
        ("id" = String, Path, description = "Her id"),
        ("If-Match" = Option<String>, Header, description = "The revision of the person, as sent in `ETag`"),
    ),
    responses(
        (status = 200, description = "The person, with her revision in `ETag`", body = StaffView),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: she has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn end_sessions(
    State(app): State<App>,
    staff: Staff,
    target: Target,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE {PATH}/{}/sessions", target.id);
    let run = async {
        let current = load(&app, &place(staff.tenant.id, &target.id)?).await?;
        let changed =
            change(&app, &staff, &target, current, |before| before.clone().without_sessions()).await?;
        shown(&changed)
    };
    once_tagged(&app, &staff, &target.key, &fingerprint, run).await
}

/// Remove a person from the staff
///
/// Her sessions end with it. What she did keeps her name. The only admin of a venue stays.
#[utoipa::path(
    delete,
    path = "/v2/b2b/staff/{id}",
    tag = "Staff",
    params(
        ("id" = String, Path, description = "Her id"),
        ("If-Match" = Option<String>, Header, description = "The revision to remove, as sent in `ETag`"),
    ),
    responses(
        (status = 200, description = "The person as she was", body = StaffView),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`LAST_ADMIN`, `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: she has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn delete(
    State(app): State<App>,
    staff: Staff,
    target: Target,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE {PATH}/{}", target.id);
    let run = async {
        let tenant = staff.tenant.id;
        let place = place(tenant, &target.id)?;
        let (app, target, place) = (&app, &target, &place);
        revise(CHANGE_TRIES, (), try_again, |()| async move {
            let current = load(app, place).await?;
            target.if_match.check(&current.revision)?;
            Ok(match write(app, tenant, &current, None).await? {
                Ok(()) => Break(Tagged { body: StaffView::from(&current.value), revision: None }),
                Err(ChangeRefusal::Changed | ChangeRefusal::Taken) => Continue(()),
            })
        })
        .await
    };
    once_tagged(&app, &staff, &target.key, &fingerprint, run).await
}

/// Changes a person as she was read, and again as she is where somebody else was first. One that is as she should be
/// stays so, whatever revision the request means.
async fn change(
    app: &App,
    caller: &Caller,
    target: &Target,
    current: Stored<StaffMember>,
    decide: impl Fn(&StaffMember) -> StaffMember + Sync,
) -> Result<StaffMember, ApiError> {
    let (tenant, decide) = (caller.tenant.id, &decide);
    revise(CHANGE_TRIES, current, try_again, |current| async move {
        let after = decide(&current.value);
        if after == current.value {
            return Ok(Break(after));
        }
        target.if_match.check(&current.revision)?;
        match write(app, tenant, &current, Some(&after)).await? {
            Ok(()) => Ok(Break(after)),
            Err(ChangeRefusal::Taken) => Err(taken()),
            Err(ChangeRefusal::Changed) => {
                let place = StaffMember::place(tenant, &current.value.id);
                load(app, &place).await.map(Continue)
            }
        }
    })
    .await
}

/// Changes a person as she was read, or removes her. A venue that has an admin keeps one: where she was one and is none
/// any more, another one has to be there and to stay as she was read, so that of two who remove each other one stays.
async fn write(
    app: &App,
    tenant: TenantId,
    current: &Stored<StaffMember>,
    after: Option<&StaffMember>,
) -> Result<Result<(), ChangeRefusal>, ApiError> {
    let attempt = app.ids.attempt_token()?;
    if !current.value.ceases_as_admin(after) {
        return Ok(app.store.change_authored(tenant, &attempt, Some(current), after).await?);
    }
    let other = app.store.find_other_admin(tenant, &current.value.id).await?;
    let other = other.ok_or_else(|| ApiError::new(ErrorType::LastAdmin))?;
    let change = StaffChange { before: current, after, beside: &other };
    Ok(app.store.change_staff_beside(tenant, &attempt, change).await?)
}

/// Where the person with the id of a path lives; text that is no id is nobody's.
fn place(tenant: TenantId, id: &str) -> Result<Key, ApiError> {
    StaffId::parse(id).map(|id| StaffMember::place(tenant, &id)).map_err(|_| not_found())
}

async fn load(app: &App, place: &Key) -> Result<Stored<StaffMember>, ApiError> {
    app.store.load_authored(place).await?.ok_or_else(not_found)
}

fn shown(person: &StaffMember) -> Result<Tagged<StaffView>, ApiError> {
    Ok(Tagged { body: StaffView::from(person), revision: Some(revision_of(person)?) })
}

fn taken() -> ApiError {
    ApiError::new(ErrorType::ValidationError).detail("/email", "is already used by another person")
}
