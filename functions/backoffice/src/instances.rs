//! `/v2/b2b/event/instances/{id}`: one dated slot, as the back office sees and changes it; and the same for a slot that
//! the body names.

use crate::screen;
use crate::view::{SHOWN_WITH, view};
use adapters::App;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::order::AdmissionCounts;
use domain::slot_edit::{
    EditRefusal, EditTransition, SlotEdit, SlotReach, SlotTerms, TimeFault, decide_edit, decide_removal,
};
use domain::{InstanceId, Timestamp};
use serde_json::json;
use std::ops::ControlFlow::{Break, Continue};
use store::authored::revision_of;
use store::{Consistency, Placed, revise};
use web::access::{Caller, Staff};
use web::authored::{Conditions, Target, not_found, try_again};
use web::catalog::Catalog;
use web::idempotency::{Tagged, once_tagged};
use web::routes;
use web::routes::Routes;
use web::{ApiError, Body, ErrorBody, ErrorType, IfMatch};
use wire::event::{AuthoredInstance, AuthoredSlot, InstanceInput, NamedEdit, NamedInstanceInput};

/// Writes one request tries, each decided on a fresher ledger.
const EDIT_TRIES: usize = 24;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(screen::list, update_by_post, update_named)).routes(routes!(read, update, delete))
}

/// A slot with its template.
struct TemplateSlot {
    ledger: Ledger,
    template: Template,
    /// Whom the doors let in.
    counts: AdmissionCounts,
    catalog: Catalog,
}

impl TemplateSlot {
    /// The slot with the id of a path; unknown where it was deleted or its template is gone.
    async fn load(app: &App, caller: &Caller, id: &str) -> Result<Self, ApiError> {
        let id = InstanceId::parse(id).map_err(|_| not_found())?;
        let tenant = caller.tenant.id;
        let ledger = app.store.load_ledger(tenant, &id, Consistency::Strong).await?.ok_or_else(not_found)?;
        let key = Template::place(tenant, &ledger.template);
        let template = app.store.get(&key, Consistency::Strong);
        let catalog = Catalog::load(app, tenant, SHOWN_WITH);
        let made = ledger.instance.start();
        let counts = app.store.load_counts(tenant, &ledger.template, made, made);
        let (template, catalog, counts) = tokio::join!(template, catalog, counts);
        let template = template?.ok_or_else(not_found)?;
        let counts = counts?.get(&ledger.instance).copied().unwrap_or_default();
        Ok(Self { ledger, template, counts, catalog: catalog? })
    }

    fn show(&self, caller: &Caller) -> Result<Tagged<AuthoredInstance>, ApiError> {
        let Self { ledger, template, counts, catalog } = self;
        let slot = AuthoredSlot { ledger, template, counts: *counts };
        let body = AuthoredInstance::of(&slot, &view(&catalog.definitions, caller));
        Ok(Tagged { body, revision: Some(revision(self.ledger.terms())?) })
    }

    /// Carries out what is decided on the slot as it is.
    async fn change(
        &mut self,
        app: &App,
        caller: &Caller,
        if_match: &IfMatch,
        decide: impl Fn(&Ledger, Timestamp) -> Result<EditTransition, ApiError>,
    ) -> Result<(), ApiError> {
        let (tenant, decide) = (caller.tenant.id, &decide);
        let changed = revise(EDIT_TRIES, self.ledger.clone(), try_again, |ledger| async move {
            let transition = decide(&ledger, caller.clock.now())?;
            // What is to become what it is already is as it should be, whatever revision is meant.
            if transition == EditTransition::Nothing {
                return Ok(Break(ledger));
            }
            if_match.check(&revision(ledger.terms())?)?;
            if let EditTransition::Edit(edit) = &transition
                && (edit.before.start, edit.before.end) != (edit.after.start, edit.after.end)
            {
                // Listings look further around before the slot is there.
                app.store.widen_reach(tenant, &SlotReach::of(&ledger, edit.after)).await?;
                app.forget_catalog(tenant);
            }
            let id = ledger.instance;
            let next = match (app.store.edit_ledger(tenant, &id, &transition).await?, transition) {
                (Ok(()), EditTransition::Edit(edit)) => return Ok(Break(ledger.with_edit(&edit))),
                (Ok(()), EditTransition::ReclaimFirst(_) | EditTransition::Nothing) => {
                    app.store.load_ledger(tenant, &id, Consistency::Strong).await?
                }
                (Err(ledger), _) => ledger,
            };
            Ok(Continue(next.ok_or_else(not_found)?))
        });
        self.ledger = changed.await?;
        Ok(())
    }
}

/// Carries out the edit of the slot with this id.
async fn edited(
    app: &App,
    caller: &Caller,
    if_match: &IfMatch,
    id: &str,
    edit: &SlotEdit,
) -> Result<Tagged<AuthoredInstance>, ApiError> {
    let mut slot = TemplateSlot::load(app, caller, id).await?;
    let decide = |ledger: &Ledger, now| decide_edit(ledger, edit, now).map_err(not_edited);
    slot.change(app, caller, if_match, decide).await?;
    slot.show(caller)
}

/// The revision of what is said of a slot; seats that come and go do not change it.
fn revision(SlotTerms { size, start, end, state }: SlotTerms) -> Result<String, ApiError> {
    Ok(revision_of(&json!([size, start, end, state]))?)
}

fn not_edited(refusal: EditRefusal) -> ApiError {
    let detail = |error: ApiError, fault| match fault {
        TimeFault::MovedTooFar => {
            error.detail("/startTime", "must be within 31 days of the start its schedule gave it")
        }
        TimeFault::EndNotAfterStart => error.detail("/endTime", "must be after startTime"),
    };
    match refusal {
        EditRefusal::UnknownSlot => not_found(),
        EditRefusal::BadTimes(faults) => {
            faults.into_iter().fold(ApiError::new(ErrorType::ValidationError), detail)
        }
        EditRefusal::SeatsTaken { taken } => ApiError::new(ErrorType::CapacityBelowSold)
            .detail("/capacity", format!("must be at least {taken}, the seats sold and held"))
            .fact("taken", taken),
    }
}

fn not_removed(refusal: EditRefusal) -> ApiError {
    match refusal {
        EditRefusal::UnknownSlot | EditRefusal::BadTimes(_) => not_found(),
        EditRefusal::SeatsTaken { taken } => ApiError::new(ErrorType::InUse)
            .message(format!("It cannot be deleted: {taken} of its seats are sold or held"))
            .fact("taken", taken),
    }
}

/// Read an event instance
///
/// As the back office sees it, on sale or not; `ETag` names the revision, which a write can be bound to.
#[utoipa::path(
    get,
    path = "/v2/b2b/event/instances/{id}",
    tag = "Back office",
    params(("id" = String, Path, description = "The instance")),
    responses(
        (status = 200, description = "The instance, with its revision in `ETag`; seats that are sold or released do not change it", body = AuthoredInstance),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
    ),
)]
async fn read(State(app): State<App>, staff: Staff, Path(id): Path<String>) -> Result<Response, ApiError> {
    Ok(TemplateSlot::load(&app, &staff, &id).await?.show(&staff)?.into_response())
}

/// Change an event instance
///
/// What the body leaves out stays as it is. From then on the instance is left alone when its template changes.
#[utoipa::path(
    put,
    path = "/v2/b2b/event/instances/{id}",
    tag = "Back office",
    params(
        ("id" = String, Path, description = "The instance"),
        ("If-Match" = Option<String>, Header, description = "The revision to change, as sent in `ETag`"),
    ),
    request_body = InstanceInput,
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = AuthoredInstance),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`CAPACITY_BELOW_SOLD`: `taken` says how many seats are sold and held; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn update(
    State(app): State<App>,
    staff: Staff,
    Target { id, key, if_match }: Target,
    body: Body<InstanceInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("PUT /v2/b2b/event/instances/{id}"), &hash_key);
    let run = async {
        let edit: SlotEdit = body.parse(|checker, input| input.read(checker, &id, staff.tenant.zone))?;
        edited(&app, &staff, &if_match, &id, &edit).await
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}

/// Change an event instance that the body names
///
/// As with its id in the path: what the body leaves out stays as it is, and fields that are not listed are ignored.
#[utoipa::path(
    put,
    path = "/v2/b2b/event/instances",
    tag = "Back office",
    params(("If-Match" = Option<String>, Header, description = "The revision to change, as sent in `ETag`")),
    request_body = NamedInstanceInput,
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = AuthoredInstance),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`CAPACITY_BELOW_SOLD`: `taken` says how many seats are sold and held; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn update_named(
    State(app): State<App>,
    staff: Staff,
    conditions: Conditions,
    body: Body<NamedInstanceInput>,
) -> Result<Response, ApiError> {
    edit_named(&app, &staff, "PUT", conditions, body).await
}

/// Change an event instance by POST
///
/// The same as `PUT`, for clients that know this method alone. Instances are made by publishing their template.
#[utoipa::path(
    post,
    path = "/v2/b2b/event/instances",
    tag = "Back office",
    params(("If-Match" = Option<String>, Header, description = "The revision to change, as sent in `ETag`")),
    request_body = NamedInstanceInput,
    responses(
        (status = 200, description = "The record, with its revision in `ETag`", body = AuthoredInstance),
        (status = 400, description = "`VALIDATION_ERROR`", body = ErrorBody),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`CAPACITY_BELOW_SOLD`: `taken` says how many seats are sold and held; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn update_by_post(
    State(app): State<App>,
    staff: Staff,
    conditions: Conditions,
    body: Body<NamedInstanceInput>,
) -> Result<Response, ApiError> {
    edit_named(&app, &staff, "POST", conditions, body).await
}

/// Changes the instance that a body names.
async fn edit_named(
    app: &App,
    staff: &Staff,
    method: &str,
    Conditions { key, if_match }: Conditions,
    body: Body<NamedInstanceInput>,
) -> Result<Response, ApiError> {
    let hash_key = app.hash_key(&staff.tenant).await?;
    let fingerprint = body.fingerprint(&format!("{method} /v2/b2b/event/instances"), &hash_key);
    let run = async {
        let named: NamedEdit = body.parse(|checker, input| input.read(checker, staff.tenant.zone))?;
        let id = named.instance.to_string();
        edited(app, staff, &if_match, &id, &named.edit).await.map_err(not_found_in_body)
    };
    once_tagged(app, staff, &key, &fingerprint, run).await
}

/// An id in a body that names nothing is told with its field.
fn not_found_in_body(error: ApiError) -> ApiError {
    if error.kind() == ErrorType::NotFound { error.detail("/id", "was not found") } else { error }
}

/// Delete an event instance for good
///
/// Its schedule does not make it again. Only an instance without sold and held seats is deleted.
#[utoipa::path(
    delete,
    path = "/v2/b2b/event/instances/{id}",
    tag = "Back office",
    params(
        ("id" = String, Path, description = "The instance"),
        ("If-Match" = Option<String>, Header, description = "The revision to delete, as sent in `ETag`"),
    ),
    responses(
        (status = 200, description = "The record as it was", body = AuthoredInstance),
        (status = 404, description = "`NOT_FOUND`", body = ErrorBody),
        (status = 409, description = "`IN_USE`: `taken` says how many seats are sold and held; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = ErrorBody),
        (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = ErrorBody),
        (status = 503, description = "`TRY_AGAIN`", body = ErrorBody),
    ),
)]
async fn delete(
    State(app): State<App>,
    staff: Staff,
    Target { id, key, if_match }: Target,
) -> Result<Response, ApiError> {
    let fingerprint = format!("DELETE /v2/b2b/event/instances/{id}");
    let run = async {
        let mut slot = TemplateSlot::load(&app, &staff, &id).await?;
        let shown = slot.show(&staff)?.body;
        let decide = |ledger: &Ledger, now| decide_removal(ledger, now).map_err(not_removed);
        slot.change(&app, &staff, &if_match, decide).await?;
        Ok(Tagged { body: shown, revision: None })
    };
    once_tagged(&app, &staff, &key, &fingerprint, run).await
}
