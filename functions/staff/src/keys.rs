//! `/v2/b2b/keys`: who else may ask.

use crate::settings::change_of;
use adapters::App;
use adapters::keyed_hash::HashKey;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::settings::FieldChange;
use domain::tenant::{ApiKey, KEY_BYTES, KEY_PREFIX, Scope};
use store::identity::key_hash;
use store::settings::ChangeAttempt;
use web::access::{Caller, Staff};
use web::authored::{following_bytes, not_found};
use web::idempotency::{once, replayed, tie};
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use web::{ApiError, Body, ErrorBody, ErrorType, IdempotencyKey};
use wire::api_key::{KeyInput, KeyRequest, KeyView, is_key_id};
use wire::page::Page;

const PATH: &str = "/v2/b2b/keys";

/// Said of keys that the back office neither issues nor revokes.
const OF_OPERATOR: &str =
    "Keys of merchants and partners are issued and revoked by the operator of the installation";

static SORTING: Sorting<KeyView> = Sorting {
    fields: &[
        SortField { name: "label", compare: |one, other| one.label.cmp(&other.label) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

/// List the keys
///
/// All that the tenant has, revoked or not. Their texts are known to their holders alone.
#[utoipa::path(
    get,
    path = "/v2/b2b/keys",
    tag = "Staff",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<KeyView>),
        (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = ErrorBody),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<KeyView>>, ApiError> {
    let paging = Paging::parse(&query, &SORTING)?;
    let keys = app.store.load_api_keys(staff.tenant.id).await?;
    let (page, pagination) = paging.cut(keys.iter().map(|(hash, key)| KeyView::new(hash, key)).collect());
    page_of(page, pagination)
}

/// Issue a key
///
/// Its text is in this answer and in no other. No key has a wider scope than whoever issues it; those of merchants and
/// partners are issued by the operator of the installation. A repetition with the same `Idempotency-Key` is answered the
/// same key.
#[utoipa::path(
    post,
    path = "/v2/b2b/keys",
    tag = "Staff",
    request_body = KeyInput,
    responses(
        (status = 200, description = "The key, with its text", body = KeyView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 403, description = "`FORBIDDEN`: `details` names the scopes that are wider than the caller's", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn issue(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    body: Body<KeyInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("POST {PATH}"), &hash_key);
    let request = body.parse(|checker, input| input.read(checker))?;
    check_scopes(staff.scope, &request.scopes)?;
    let text = key_text(&app, &hash_key, &key, &fingerprint)?;
    let tied = tie(&app, &staff, &key, &fingerprint).await?;
    let outcome = issued(&app, &staff, request, text).await;
    tied.end(&app, outcome).await
}

async fn issued(app: &App, caller: &Caller, request: KeyRequest, text: String) -> Result<Response, ApiError> {
    let KeyRequest { label, scopes, origins } = request;
    let (hash, tenant) = (key_hash(&text), caller.tenant.id);
    let scopes = scopes.into_iter().collect();
    let key = ApiKey { tenant, scopes, origins, mid: None, label, revoked: false };
    let change = change_of(caller, key_change(None, Some(described(&hash, &key))));
    let token = app.ids.attempt_token()?;
    let attempt = ChangeAttempt { change: &change, token: &token };
    if app.store.issue_key(&hash, &key, attempt).await? {
        return Ok(Json(KeyView::new(&hash, &key).with_text(text)).into_response());
    }
    // An earlier try of this request, which has the same text.
    let earlier = app.store.find_api_key(&hash).await?.filter(|earlier| earlier.tenant == tenant);
    let earlier = earlier.ok_or_else(|| ApiError::new(ErrorType::TryAgain))?;
    Ok(replayed(Json(KeyView::new(&hash, &earlier).with_text(text)).into_response()))
}

/// Revoke a key
///
/// It opens nothing any more; functions notice within five seconds.
#[utoipa::path(
    delete,
    path = "/v2/b2b/keys/{id}",
    tag = "Staff",
    params(("id" = String, Path, description = "Its id, as the list shows it")),
    responses(
        (status = 200, description = "The key, revoked", body = KeyView),
        (status = 403, description = "`FORBIDDEN`: it is of a merchant or partner", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn revoke(
    State(app): State<App>,
    staff: Staff,
    key: IdempotencyKey,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE {PATH}/{id}");
    let run = async {
        if !is_key_id(&id) {
            return Err(not_found());
        }
        let named = app.store.find_api_keys(staff.tenant.id, &id).await?.into_iter().next();
        let (hash, found) = named.ok_or_else(not_found)?;
        if !found.scopes.iter().all(|scope| staff.scope.may_issue(*scope)) {
            return Err(ApiError::new(ErrorType::Forbidden).message(OF_OPERATOR));
        }
        let revoked = ApiKey { revoked: true, ..found.clone() };
        if !found.revoked {
            let change = change_of(&staff, key_change(Some(described(&hash, &found)), None));
            let token = app.ids.attempt_token()?;
            let attempt = ChangeAttempt { change: &change, token: &token };
            if !app.store.revoke_key(&hash, &found, attempt).await? {
                return Err(not_found());
            }
        }
        Ok(KeyView::new(&hash, &revoked))
    };
    once(&app, &staff, &key, &fingerprint, run).await
}

/// Refuses a key that may do more than whoever issues it.
fn check_scopes(own: Scope, scopes: &[Scope]) -> Result<(), ApiError> {
    let wider = scopes.iter().enumerate().filter(|(_, scope)| !own.may_issue(**scope));
    let refusal = wider.fold(None, |refusal: Option<ApiError>, (place, _)| {
        let refusal = refusal.unwrap_or_else(|| ApiError::new(ErrorType::Forbidden).message(OF_OPERATOR));
        Some(refusal.detail(format!("/scopes/{place}"), "is wider than your own scope"))
    });
    refusal.map_or(Ok(()), Err)
}

/// A new text: at random, or following from the idempotency key and the request, so that a repetition has the same and
/// no answer has to be kept.
fn key_text(
    app: &App,
    hash_key: &HashKey,
    key: &IdempotencyKey,
    fingerprint: &str,
) -> Result<String, ApiError> {
    let bytes = following_bytes::<KEY_BYTES>(app, hash_key, "issued key", key, fingerprint)?;
    Ok(format!("{KEY_PREFIX}{}", hex::encode(bytes)))
}

fn described(hash: &str, key: &ApiKey) -> String {
    let KeyView { id, label, scopes, .. } = KeyView::new(hash, key);
    format!("{id} {label} ({})", scopes.join(", "))
}

fn key_change(before: Option<String>, after: Option<String>) -> Vec<FieldChange> {
    vec![FieldChange { field: "keys".to_owned(), before, after }]
}
