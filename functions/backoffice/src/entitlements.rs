//! `/v2/b2b/event/templates/{id}/entitlements`: what members may take at the member price, and how many
//! tickets an order may have without (contract §5, §7). The rules are a record beside the template, with a
//! revision of its own.

use adapters::App;
use adapters::catalog_limits::CatalogPart;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use domain::entitlement::Entitlements;
use domain::{Template, TemplateId, TenantId};
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{CHANGE_TRIES, Stored, decode_authored, revision_of};
use store::catalog::Kind;
use store::{Consistency, Placed, revise};
use web::access::{Caller, Staff};
use web::authored::{Target, not_found, try_again};
use web::catalog::{Catalog, Needs};
use web::idempotency::{Tagged, once_tagged};
use web::routes;
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody};
use wire::Identified;
use wire::catalog::{EntitlementsInput, EntitlementsOutput};

/// What rules refer to.
const NEEDS: Needs = Needs::Kinds(&[Kind::PersonType, Kind::Level]);

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(read, create, update))
}

/// Read the entitlement rules of an event template
///
/// A template without any has an empty list of rules.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/templates/{id}/entitlements",
    tag = "Back office",
    params(("id" = String, Path, description = "The template")),
    responses(
        (status = 200, description = "The rules, with their revision in `ETag`", body = EntitlementsOutput),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn read(State(app): State<App>, staff: Staff, Path(id): Path<String>) -> Result<Response, ApiError> {
    let id = TemplateId::parse(&id).map_err(|_| not_found())?;
    let stored = load(&app, staff.tenant.id, &id).await?;
    let record = stored.map_or_else(|| Entitlements::none(id), |stored| stored.value);
    Ok(present(&record)?.into_response())
}

/// Replace the entitlement rules of an event template
///
/// The same as `PUT`.
#[utoipa::path(
    post,
    path = "/v2/b2b/event/templates/{id}/entitlements",
    tag = "Back office",
    params(
        ("id" = String, Path, description = "The template"),
        ("If-Match" = Option<String>, Header, description = "The revision to replace, as sent in `ETag`"),
    ),
    request_body = EntitlementsInput,
    responses(
        (status = 200, description = "The rules, with their revision in `ETag`", body = EntitlementsOutput),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the template, or something the rules refer to, does not exist", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: they have changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn create(
    State(app): State<App>,
    staff: Staff,
    target: Target,
    body: Body<EntitlementsInput>,
) -> Result<Response, ApiError> {
    replace(&app, &staff, "POST", target, body).await
}

/// Replace the entitlement rules of an event template
///
/// `rules` is required; an empty list takes all of them away, as does leaving out `ticketLimits`. With `If-Match`, only the revision it names is replaced. What members
/// used is counted by the name of the rule, and goes on counting when its limit is changed.
#[utoipa::path(
    put,
    path = "/v2/b2b/event/templates/{id}/entitlements",
    tag = "Back office",
    params(
        ("id" = String, Path, description = "The template"),
        ("If-Match" = Option<String>, Header, description = "The revision to replace, as sent in `ETag`"),
    ),
    request_body = EntitlementsInput,
    responses(
        (status = 200, description = "The rules, with their revision in `ETag`", body = EntitlementsOutput),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`: the template, or something the rules refer to, does not exist", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: they have changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn update(
    State(app): State<App>,
    staff: Staff,
    target: Target,
    body: Body<EntitlementsInput>,
) -> Result<Response, ApiError> {
    replace(&app, &staff, "PUT", target, body).await
}

/// The rules of a template, if it has any; unknown where there is no such template.
async fn load(
    app: &App,
    tenant: TenantId,
    id: &TemplateId,
) -> Result<Option<Stored<Entitlements>>, ApiError> {
    let (template, rules) = (Template::place(tenant, id), Entitlements::place(tenant, id));
    let mut found = app.store.get_many([template.clone(), rules.clone()], Consistency::Strong).await?;
    found.take_item(&template).ok_or_else(not_found)?;
    Ok(found.take_item(&rules).map(decode_authored).transpose()?)
}

/// Replaces the rules as they were read. Rules that are to become what they are already are as they should be.
async fn replace(
    app: &App,
    caller: &Caller,
    method: &str,
    Target { id, key, if_match }: Target,
    body: Body<EntitlementsInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&caller.tenant).await?;
    let route = format!("{method} /v2/b2b/event/templates/{id}/entitlements");
    let fingerprint = body.fingerprint(&route, &hash_key);
    let run = async {
        let tenant = caller.tenant.id;
        let id = TemplateId::parse(&id).map_err(|_| not_found())?;
        let (before, catalog) = tokio::join!(load(app, tenant, &id), Catalog::load(app, tenant, NEEDS));
        let (before, mut known) = (before?, catalog?.known());
        known.templates.insert(id.clone());
        let record = body.parse(|checker, mut input| {
            input.set_id(id.as_str());
            input.require_rules(checker);
            input.read(checker, &known)
        })?;
        let (revision, none) = (revision_of(&record)?, revision_of(&Entitlements::none(id.clone()))?);
        let (id, record, if_match, revision, none) = (&id, &record, &if_match, &revision, &none);
        revise(CHANGE_TRIES, before, try_again, |before: Option<Stored<Entitlements>>| async move {
            let current = before.as_ref().map_or(none, |stored| &stored.revision);
            if current == revision {
                return Ok(Break(present(record)?));
            }
            if_match.check(current)?;
            if before.is_none() {
                app.check_limit(tenant, CatalogPart::Definitions).await?;
            }
            let attempt = app.ids.attempt_token()?;
            let changed = app.store.change_authored(tenant, &attempt, before.as_ref(), Some(record));
            if changed.await?.is_ok() {
                app.forget_catalog(tenant);
                return Ok(Break(present(record)?));
            }
            Ok(Continue(load(app, tenant, id).await?))
        })
        .await
    };
    once_tagged(app, caller, &key, &fingerprint, run).await
}

fn present(record: &Entitlements) -> Result<Tagged<EntitlementsOutput>, ApiError> {
    Ok(Tagged { body: record.into(), revision: Some(revision_of(record)?) })
}
