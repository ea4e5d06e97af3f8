//! `/v2/b2b/settings`: what an admin changes of the venue, and who changed what.

use adapters::App;
use axum::Json;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use domain::settings::{FieldChange, SettingsChange, changed_fields};
use domain::tenant::Tenant;
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{CHANGE_TRIES, revision_of};
use store::settings::ChangeAttempt;
use store::{Consistency, revise};
use web::access::{Caller, Staff};
use web::authored::{Conditions, not_found, try_again};
use web::idempotency::{Tagged, once_tagged};
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting, page_of};
use web::{ApiError, Body, ErrorBody, ErrorType};
use wire::page::Page;
use wire::settings::{SettingsChangeView, SettingsInput, SettingsView};

static SORTING: Sorting<SettingsChange> = Sorting {
    fields: &[SortField { name: "createdOn", compare: |one, other| one.at.cmp(&other.at) }],
    direction: Direction::Descending,
    last: |one, other| one.made_by().cmp(other.made_by()),
};

/// Read the settings
///
/// Those that only the operator of the installation changes are shown as well; `ETag` names the revision.
#[utoipa::path(
    get,
    path = "/v2/b2b/settings",
    tag = "Staff",
    responses((status = 200, description = "The settings, with their revision in `ETag`", body = SettingsView)),
)]
pub(crate) async fn read(State(app): State<App>, staff: Staff) -> Result<Response, ApiError> {
    Ok(shown(&load(&app, &staff).await?)?.into_response())
}

/// Change the settings
///
/// What is left out stays as it is. What only the operator of the installation changes may be sent as it is. Functions
/// notice a change within five seconds.
#[utoipa::path(
    put,
    path = "/v2/b2b/settings",
    tag = "Staff",
    params(("If-Match" = Option<String>, Header, description = "The revision to change, as sent in `ETag`")),
    request_body = SettingsInput,
    responses(
        (status = 200, description = "The settings, with their revision in `ETag`", body = SettingsView),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 403, description = "`SETTING_RESERVED`: `details` names what only the operator of the installation changes; `FORBIDDEN`", body = ErrorBody),
        (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: they have changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
pub(crate) async fn update(
    State(app): State<App>,
    staff: Staff,
    conditions: Conditions,
    body: Body<SettingsInput>,
) -> Result<Response, ApiError> {
    let Conditions { key, if_match } = conditions;
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint("PUT /v2/b2b/settings", &hash_key);
    let run = async {
        let current = load(&app, &staff).await?;
        let request = body.parse(|checker, input| input.read(checker, &current))?;
        if !request.reserved.is_empty() {
            return Err(reserved(&request.reserved));
        }
        let (app, staff, if_match, edit) = (&app, &staff, &if_match, &request.edit);
        revise(CHANGE_TRIES, current, try_again, |current| async move {
            let after = edit.apply(&current);
            if after == current {
                return shown(&after).map(Break);
            }
            if_match.check(&revision_of(&current)?)?;
            let change = change_of(staff, changed_fields(&current, &after));
            let token = app.ids.attempt_token()?;
            let attempt = ChangeAttempt { change: &change, token: &token };
            match app.store.change_settings(&current, &after, attempt).await? {
                true => shown(&after).map(Break),
                false => load(app, staff).await.map(Continue),
            }
        })
        .await
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// List the changes of settings and keys
///
/// The last one first, each with who made it.
#[utoipa::path(
    get,
    path = "/v2/b2b/settings/history",
    tag = "Staff",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<SettingsChangeView>),
        (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = ErrorBody),
    ),
)]
pub(crate) async fn history(
    State(app): State<App>,
    staff: Staff,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<SettingsChangeView>>, ApiError> {
    let paging = Paging::parse(&query, &SORTING)?;
    let (page, pagination) = paging.cut(app.store.load_settings_history(staff.tenant.id).await?);
    let zone = staff.tenant.zone;
    page_of(page.iter().map(|change| SettingsChangeView::new(change, zone)).collect(), pagination)
}

/// The settings with every earlier write.
async fn load(app: &App, caller: &Caller) -> Result<Tenant, ApiError> {
    let found = app.store.load_tenant(caller.tenant.id, Consistency::Strong).await?;
    found.ok_or_else(not_found)
}

/// The entry in the history for a change that the caller makes now.
pub(crate) fn change_of(caller: &Caller, fields: Vec<FieldChange>) -> SettingsChange {
    SettingsChange {
        at: caller.clock.now(),
        by: caller.key_label.clone(),
        operator: caller.operator().map(str::to_owned),
        fields,
    }
}

fn shown(tenant: &Tenant) -> Result<Tagged<SettingsView>, ApiError> {
    Ok(Tagged { body: SettingsView::from(tenant), revision: Some(revision_of(tenant)?) })
}

fn reserved(fields: &[&str]) -> ApiError {
    fields.iter().fold(ApiError::new(ErrorType::SettingReserved), |refusal, field| {
        refusal.detail(format!("/{field}"), "can only be changed by the operator of the installation")
    })
}
