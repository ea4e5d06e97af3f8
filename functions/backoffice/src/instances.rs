//! `/v2/b2b/event/instances/{id}`: one dated slot, as the back office sees and changes it.

use crate::templates::{SHOWN_WITH, view};
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use domain::catalog::Template;
use domain::ledger::Ledger;
use domain::slot_edit::{
    EditCourse, EditRefusal, SlotEdit, SlotReach, SlotTerms, TimeFault, decide_edit, decide_removal,
};
use domain::{InstanceId, Timestamp};
use platform::access::{Caller, Staff};
use platform::authored::{Target, not_found};
use platform::catalog::Catalog;
use platform::idempotency::{Tagged, once_tagged};
use platform::routes;
use platform::routes::Routes;
use platform::{ApiError, App, Body, ErrorBody, ErrorType, IfMatch};
use serde_json::json;
use store::authored::revision_of;
use store::{Consistency, Key};
use wire::event::{AuthoredInstance, InstanceInput};

/// Writes one request tries, each decided on a fresher ledger.
const MAX_ROUNDS: usize = 24;

pub(crate) fn router<R: Routes>() -> R {
    R::new().routes(routes!(read, update, delete))
}

/// A slot with its template.
struct Slot {
    ledger: Ledger,
    template: Template,
    catalog: Catalog,
}

impl Slot {
    /// The slot with the id of a path; unknown where it was deleted or its template is gone.
    async fn load(app: &App, caller: &Caller, id: &str) -> Result<Self, ApiError> {
        let id = InstanceId::parse(id).map_err(|_| not_found())?;
        let tenant = caller.tenant.id;
        let ledger = app.store.load_ledger(tenant, &id, Consistency::Strong).await?.ok_or_else(not_found)?;
        let key = Key::template(tenant, &ledger.template);
        let template = app.store.get(&key, Consistency::Strong);
        let catalog = Catalog::load(app, tenant, SHOWN_WITH);
        let (template, catalog) = tokio::join!(template, catalog);
        Ok(Self { ledger, template: template?.ok_or_else(not_found)?, catalog: catalog? })
    }

    fn show(&self, caller: &Caller) -> Result<Tagged<AuthoredInstance>, ApiError> {
        let body = AuthoredInstance::of(&self.ledger, &self.template, &view(&self.catalog, caller));
        Ok(Tagged { body, revision: Some(revision(self.ledger.terms())?) })
    }

    /// Carries out what is decided on the slot as it is.
    async fn change(
        &mut self,
        app: &App,
        caller: &Caller,
        if_match: &IfMatch,
        decide: impl Fn(&Ledger, Timestamp) -> Result<EditCourse, ApiError>,
    ) -> Result<(), ApiError> {
        let tenant = caller.tenant.id;
        for _ in 0..MAX_ROUNDS {
            let course = decide(&self.ledger, caller.clock.now())?;
            // What is to become what it is already is as it should be, whatever revision is meant.
            if course == EditCourse::Nothing {
                return Ok(());
            }
            if_match.check(&revision(self.ledger.terms())?)?;
            if let EditCourse::Edit(edit) = &course
                && (edit.before.start, edit.before.end) != (edit.after.start, edit.after.end)
            {
                // Listings look further around before the slot is there.
                app.store.widen_reach(tenant, &SlotReach::of(&self.ledger, edit.after)).await?;
                app.forget_catalog(tenant);
            }
            let id = self.ledger.instance;
            match (app.store.edit_ledger(tenant, &id, &course).await?, course) {
                (Ok(()), EditCourse::Edit(edit)) => {
                    self.ledger = self.ledger.with_edit(&edit);
                    return Ok(());
                }
                (Ok(()), EditCourse::ReclaimFirst(_) | EditCourse::Nothing) => {
                    let ledger = app.store.load_ledger(tenant, &id, Consistency::Strong).await?;
                    self.ledger = ledger.ok_or_else(not_found)?;
                }
                (Err(ledger), _) => self.ledger = ledger.ok_or_else(not_found)?,
            }
        }
        Err(ApiError::new(ErrorType::TryAgain))
    }
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
    Ok(Slot::load(&app, &staff, &id).await?.show(&staff)?.into_response())
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
        let mut slot = Slot::load(&app, &staff, &id).await?;
        let decide = |ledger: &Ledger, now| decide_edit(ledger, &edit, now).map_err(not_edited);
        slot.change(&app, &staff, &if_match, decide).await?;
        slot.show(&staff)
    };
    once_tagged(&app, &staff, &key, &fingerprint, Box::pin(run)).await
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
        let mut slot = Slot::load(&app, &staff, &id).await?;
        let shown = slot.show(&staff)?.body;
        let decide = |ledger: &Ledger, now| decide_removal(ledger, now).map_err(not_removed);
        slot.change(&app, &staff, &if_match, decide).await?;
        Ok(Tagged { body: shown, revision: None })
    };
    once_tagged(&app, &staff, &key, &fingerprint, Box::pin(run)).await
}
